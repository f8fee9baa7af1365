"""Functions asked for formulas: ``sg.formula``, and of symbols ``sg.grad``, ``sg.jacobian``, ``sg.hessian``."""

import functools
import inspect
from typing import NamedTuple

import numpy as np
import pytest

import symgrad as sg

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 3))
y = np.sign(rng.normal(size=20))
labels = np.array([0, 2, 1])
batch = {"X": X, "scale": 2.0}
calls = []


def helper(w):
    return np.log1p(np.exp(-y * (X @ w))).sum()


def nll(w):
    return helper(w) / len(y)


def names(f, *args, **kwargs):
    return sg.formula(f, *args, **kwargs).free_symbols


def agrees(f, *args, **kwargs):
    """The formula evaluates to what the function returns."""
    found = sg.formula(f, *args, **kwargs)()
    assert np.allclose(found, f(*args, **kwargs))
    return True


# -------------------------------------------------------------------------------------------------------- arguments


def test_arrays_are_named_after_parameters():
    f = lambda A, x, b: ((A @ x - b) ** 2).sum()
    args = rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=3)
    assert names(f, *args) == {"A", "x", "b"} and agrees(f, *args)


def test_tensors_are_named_after_parameters_and_their_history_stays_out():
    w = sg.tensor([1.0, 2.0], requires_grad=True, name="w")
    assert names(lambda v: v.sum(), w * 2) == {"v"}


def test_symbols_keep_their_names():
    assert names(lambda a: sg.exp(a).sum(), sg.symbol("x", "n")) == {"x"}
    assert sg.formula(lambda a: a, sg.symbol("x", "n")).shape[0].name == "n"


def test_numbers_stay_numbers_beside_arrays():
    assert names(lambda x, p: (x**p).sum(), np.ones(3), 3) == {"x"}
    assert names(lambda x, p: (x**p).sum(), np.ones(3), p=0.5) == {"x"}


def test_numbers_alone_are_symbols():
    assert names(lambda x: sg.sin(x) / x, 0.5) == {"x"}
    assert names(lambda x, k: x**k, 0.5, 3) == {"x"}
    assert names(lambda x: x**2, 3) == {"x"}


def test_variable_arguments_are_numbered_and_keywords_keep_their_names():
    assert names(lambda *xs, **kw: xs[0] + xs[1] * kw["c"], 1.0, 2.0, c=3.0) == {"xs_0", "xs_1", "c"}


def test_containers_give_names_of_their_entries():
    class Pair(NamedTuple):
        left: object
        right: object

    params = {"W": np.ones((2, 3)), "layers": [np.ones(3), np.ones(3)], 0: 2.0}
    f = lambda params: (params["W"] @ (params["layers"][0] + params["layers"][1])).sum() * params[0]
    assert names(f, params) == {"W", "layers_0", "layers_1"} and agrees(f, params)
    assert names(lambda p: p.left @ p.right, Pair(np.ones(2), np.ones(2))) == {"left", "right"}


def test_a_key_that_names_something_else_is_told_apart():
    both = {"w": np.ones(2), "b": np.ones(2)}
    assert names(lambda p, q: p["w"] @ q["w"] + p["b"] @ q["b"], both, both) == {"p_w", "q_w", "p_b", "q_b"}
    assert names(lambda p, w: p["w"] @ w, {"w": np.ones(2)}, np.ones(2)) == {"p_w", "w"}
    assert str(sg.formula(lambda p: p["alpha"] + 2 * p["beta"], {"alpha": 1.0, "beta": 2.0})) == "2β + α"


def test_arrays_of_whole_numbers_are_constants_with_names():
    f = lambda x, k: (x[k] ** 2).sum()
    assert agrees(f, np.arange(3.0), np.array([0, 2]))
    assert names(lambda x, mask: sg.where(mask, x, 0.0).sum(), np.ones(3), np.array([True, False, True])) == {
        "x",
        "mask",
    }


def test_one_name_is_one_symbol():
    f = lambda a, b: (a * b).sum()
    assert names(f, sg.symbol("b", 3), np.ones(3)) == {"b", "b_1"}


def test_defaults_are_arguments():
    f = lambda x, c=X[0], k=2.0: (k * c * x).sum()
    assert names(f, np.ones(3)) == {"x", "c"}


def test_a_partial_function_is_the_function_with_its_arguments():
    f = functools.partial(lambda a, b, c: (a * b + c).sum(), np.ones(3), c=1.0)
    assert names(f, np.ones(3)) == {"a", "b"}


def test_rows_of_the_table_and_numpy_functions_have_formulas():
    assert str(sg.formula(sg.sin, 0.3)) == "sin(x)"
    assert str(sg.formula(np.exp, np.ones(3))) == "exp(x)"


def test_methods_have_formulas():
    class Model:
        def loss(self, w):
            return ((X @ w) ** 2).sum()

    assert names(Model().loss, np.ones(3)) == {"X", "w"}


# ----------------------------------------------------------------------------------------------------- caught data


def test_data_of_the_module_are_named_in_functions_called_too():
    assert names(nll, np.zeros(3)) == {"X", "y", "w"} and agrees(nll, np.zeros(3))


def test_data_of_a_closure_are_named():
    def make():
        design, target = X[:5], y[:5]
        return lambda w: ((design @ w - target) ** 2).sum()

    assert names(make(), np.ones(3)) == {"design", "target", "w"}


def test_entries_of_caught_containers_are_named():
    assert names(lambda w: (batch["X"] @ w).sum() * batch["scale"], np.ones(3)) == {"batch_X", "w"}


def test_caught_tensors_without_a_name_get_one_and_others_keep_theirs():
    kernel, named = sg.ones(3), sg.tensor([1.0, 2.0, 3.0], name="q")
    assert names(lambda w: (kernel * w * named).sum(), np.ones(3)) == {"kernel", "q", "w"}


def test_nothing_of_the_users_is_changed():
    before, cells = dict(globals()), X.copy()
    sg.formula(nll, np.zeros(3))
    assert {k: v for k, v in globals().items() if before.get(k) is not v} == {} and np.array_equal(X, cells)
    assert isinstance(X, np.ndarray)


def test_code_that_only_arrays_can_run_keeps_its_data_unnamed():
    f = lambda w: (w * X.astype(np.float32).sum(axis=0).astype(float)).sum()
    assert agrees(f, np.ones(3))


def test_methods_that_mean_something_else_for_tensors_are_those_of_the_array():
    f = lambda w: w.sum() * y.std()  # NumPy divides by n, PyTorch by n - 1
    assert agrees(f, np.ones(3))


def test_indices_and_labels_may_be_caught():
    assert agrees(lambda w: (w[labels] * X[:3, 0]).sum(), np.ones(3))


def test_functions_that_write_to_their_surroundings_still_do():
    count = 0

    def f(w):
        nonlocal count
        count += 1
        calls.append(1)
        return (X @ w).sum()

    sg.formula(f, np.ones(3))
    assert count >= 1 and calls


# ---------------------------------------------------------------------------------------------- symbols beside data


def test_named_sizes_take_lengths_from_data():
    f = sg.formula(nll, sg.symbol("w", "k"))
    assert f.free_symbols == {"X", "y", "w"}
    assert f(w=np.ones(3)) == pytest.approx(nll(np.ones(3)))


def test_named_sizes_take_lengths_from_other_arguments():
    f = sg.formula(lambda A, x: A @ x, rng.normal(size=(4, 2)), sg.symbol("x", "n"))
    assert f.shape == (4,) and f.free_symbols == {"A", "x"}


def test_sizes_that_fit_nothing_raise_as_they_did():
    with pytest.raises(sg.ShapeError, match="mat1 and mat2|must match|size"):
        sg.formula(lambda A, x: A @ x, sg.symbol("A", ("m", "n")), sg.symbol("x", ("p", "q")))


# ------------------------------------------------------------------------------------------------- results, errors


def test_results_need_not_be_numbers():
    assert sg.formula(lambda x: sg.exp(x), sg.symbol("x", "n")).shape[0].name == "n"
    assert sg.formula(lambda x: 3.0, np.ones(2))() == 3.0


@pytest.mark.parametrize(
    ("f", "what"),
    [(3, "takes a function"), (sg.ones(2), "t.formula"), (lambda x: (x, x), "tuple"), (lambda x: None, "NoneType")],
)
def test_what_has_no_formula_says_so(f, what):
    with pytest.raises(sg.FormulaError, match=what):
        sg.formula(f, np.ones(2))


def test_a_wrong_call_raises_as_the_function_would():
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        sg.formula(lambda a, b: a, 1.0)


def test_errors_of_the_function_are_its_own():
    def f(w):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sg.formula(f, np.ones(2))


def test_branches_on_symbols_raise_and_on_arrays_choose():
    f = lambda x: x**2 if x.sum() > 0 else -x
    with pytest.raises(sg.SymbolicBranchError):
        sg.formula(f, sg.symbol("x", "n"))
    assert str(sg.formula(f, np.ones(2))) == "x²"


# Derivatives: arrays give arrays, tensors tensors, symbols formulas ---------------------------------------------------


rng_of_derivatives = np.random.default_rng(1)
Q = rng_of_derivatives.normal(size=(3, 3))
point = rng_of_derivatives.normal(size=3)
n_vector, scalar = sg.symbol("x", "n"), sg.symbol("t")


def quadratic(x):
    return x @ Q @ x


def cubes(x):
    return (x**3).sum()


# ---------------------------------------------------------------------------------------------------------- numbers


def test_arrays_give_plain_arrays():
    for found, expected in (
        (sg.grad(quadratic)(point), (Q + Q.T) @ point),
        (sg.hessian(quadratic)(point), Q + Q.T),
        (sg.jacobian(lambda x: Q @ x)(point), Q),
        (sg.jacobian(cubes)(point), 3 * point**2),
    ):
        assert type(found) is np.ndarray and np.allclose(found, expected)


def test_numbers_give_numbers():
    assert sg.grad(lambda t: t**3)(2.0) == 12.0 and isinstance(sg.grad(lambda t: t**3)(2.0), float)
    assert sg.grad(lambda t: t**3)(2) == 12.0
    assert sg.hessian(np.sin)(0.5) == pytest.approx(-np.sin(0.5))


def test_arrays_of_whole_numbers_are_differentiated_at_as_floats():
    assert np.allclose(sg.grad(cubes)(np.array([1, 2])), [3.0, 12.0])


def test_tensors_give_tensors():
    assert isinstance(sg.grad(cubes)(sg.tensor([1.0, 2.0])), sg.Tensor)
    w = sg.tensor([1.0, 2.0], requires_grad=True, name="w")
    g = sg.grad(cubes)(w)
    assert np.allclose(sg.autograd.grad(g.sum(), w)[0].numpy(), [6.0, 12.0])


def test_derivatives_of_derivatives_are_functions_too():
    third = sg.grad(sg.grad(sg.grad(lambda t: t**4)))
    assert third(2.0) == pytest.approx(48.0)
    assert np.allclose(sg.jacobian(sg.grad(cubes))(point), sg.hessian(cubes)(point))
    assert np.allclose(sg.grad(lambda x: sg.hessian(cubes)(x).sum())(point), 6.0)
    assert np.allclose(sg.func.jacrev(sg.grad(cubes))(sg.tensor(point)).numpy(), np.diag(6 * point))


def test_jacobians_of_more_inputs_than_outputs_and_of_fewer_agree_with_finite_differences():
    for shape in ((2, 3), (7, 3)):
        M = rng_of_derivatives.normal(size=shape)
        f = lambda x, M=M: np.tanh(M @ x)
        step = 1e-6
        expected = np.stack([(f(point + step * e) - f(point - step * e)) / (2 * step) for e in np.eye(3)], -1)
        assert np.allclose(sg.jacobian(f)(point), expected, atol=1e-8)


def test_unused_inputs_have_zeros():
    f = lambda a, b: (a**2).sum()
    a, b = np.ones(2), np.ones((2, 3))
    assert np.array_equal(sg.grad(f, 1)(a, b), np.zeros((2, 3)))
    assert np.array_equal(sg.hessian(f, (0, 1))(a, b)[0][1], np.zeros((2, 2, 3)))
    assert np.array_equal(sg.jacobian(lambda a: np.ones(4))(a), np.zeros((4, 2)))
    assert sg.grad(lambda t: 3.0)(1.0) == 0.0


# ---------------------------------------------------------------------------------------------------------- argnums


def test_argnums_are_positions_names_or_several():
    f = lambda a, b: a**2 * b
    assert sg.grad(f, 1)(2.0, 3.0) == 4.0 and sg.grad(f, -1)(2.0, 3.0) == 4.0 and sg.grad(f, "a")(2.0, 3.0) == 12.0
    assert sg.grad(f, ("b", 0))(2.0, b=3.0) == (4.0, 12.0) and sg.grad(f, (0,))(2.0, 3.0) == (12.0,)
    assert sg.hessian(f, (0, "b"))(2.0, 3.0).blocks() == ((6.0, 4.0), (4.0, 0.0))


@pytest.mark.parametrize("argnums", [2, -3, "c", 1.5, (), (0, 0), (0, "a"), True])
def test_wrong_argnums_are_named(argnums):
    with pytest.raises(sg.GradientError, match="arg"):
        sg.grad(lambda a, arg: a * arg, argnums)(1.0, 2.0)


def test_positions_count_behind_the_arguments_of_a_partial():
    f = functools.partial(lambda a, b, c: a * b**2 * c, 2.0)
    assert sg.grad(f)(3.0, 1.0) == 12.0 and sg.grad(f, 1)(3.0, 1.0) == 18.0


def test_containers_are_differentiated_entry_by_entry():
    f = lambda p: (p["a"] ** 2).sum() * p["b"]
    g = sg.grad(f)({"a": point, "b": 2.0})
    assert np.allclose(g["a"], 4 * point) and g["b"] == pytest.approx((point**2).sum())
    H = sg.hessian(f)({"a": point, "b": 2.0})
    assert np.allclose(H["a"]["a"], 4 * np.eye(3)) and np.allclose(H["a"]["b"], 2 * point) and H["b"]["b"] == 0.0


# --------------------------------------------------------------------------------------------------------- formulas


def test_symbols_give_formulas():
    assert str(sg.grad(lambda x: sg.exp(x).sum())(n_vector)) == "exp(x)"
    assert str(sg.grad(lambda t: t**3)(scalar)) == "3t²"
    A = sg.symbol("A", ("m", "n"))
    assert str(sg.jacobian(lambda x: A @ x)(n_vector)) == "A"
    assert sg.hessian(cubes)(n_vector).shape == n_vector.shape + n_vector.shape


def test_formulas_at_arrays_are_in_the_names_of_the_parameters():
    f = sg.grad(quadratic).formula(point)
    assert f.free_symbols == {"Q", "x"} and np.allclose(f(), (Q + Q.T) @ point)
    assert np.allclose(sg.hessian(quadratic).formula(point)(), Q + Q.T)
    assert np.allclose(sg.jacobian(lambda x: Q @ x).formula(point)(), Q)
    assert str(sg.grad(lambda t: t**3).formula(2.0)) == "3t²"


def test_formulas_of_derivatives_of_derivatives():
    second = sg.grad(sg.grad(lambda t: t**3))
    assert str(second(scalar)) == str(second.formula(2.0)) == "6t"
    assert str(sg.formula(second, 2.0)) == str(sg.formula(second, scalar)) == "6t"
    assert np.allclose(sg.formula(lambda x: (sg.grad(cubes)(x) ** 2).sum(), point)(), (9 * point**4).sum())


def test_a_derivative_inside_another_is_an_array_of_symbols():
    seen = []

    def inner(x):
        g = sg.grad(cubes)(x)
        seen.append(repr(g))
        return (g * x).sum()

    f = sg.grad(inner)(n_vector)  # which runs it at two lengths of n
    assert seen == ["symbol(3x²: n)"] * 2 and f.free_symbols == {"x"}


def test_jacobians_of_named_sizes_cannot_be_counted_inside_another():
    with pytest.raises(sg.SymbolicBranchError, match="rows"):
        sg.grad(lambda x: sg.hessian(cubes)(x).sum())(n_vector)


def test_several_arguments_give_several_formulas():
    f = lambda a, b: a**2 * b
    a, b = sg.symbols("a b")
    assert [str(g) for g in sg.grad(f, (0, 1))(a, b)] == ["2a b", "a²"] or len(sg.grad(f, (0, 1))(a, b)) == 2
    assert len(sg.jacobian(f, ("a", "b"))(a, b)) == 2
    H = sg.hessian(f, (0, 1))(a, b)
    assert float(H[0][1](a=2.0)) == 4.0 and float(H[1][1]()) == 0.0


def test_containers_of_symbols_give_containers_of_formulas():
    f = lambda p: (p["a"] ** 2).sum()
    g = sg.grad(f)({"a": n_vector, "b": scalar})
    assert str(g["a"]) == "2x" and str(g["b"]) == "0"


def test_an_argument_given_twice_is_differentiated_once():
    f = lambda a, b: a**2 * b
    assert float(sg.grad(f)(scalar, scalar)(t=3.0)) == 18.0
    assert float(sg.grad(f, 1)(scalar, scalar)(t=3.0)) == 9.0


def test_an_argument_may_be_computed_from_symbols():
    assert float(sg.grad(lambda u: u**3)(2 * scalar)(t=1.0)) == 12.0


def test_a_symbol_caught_by_the_function_gives_a_formula():
    c = sg.symbol("c", 3)
    assert str(sg.grad(lambda x: (x * c).sum())(point)) == "c"


# ----------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("transform", [sg.grad, sg.hessian])
@pytest.mark.parametrize("at", [point, n_vector])
def test_gradients_and_hessians_are_those_of_one_number(transform, at):
    with pytest.raises(sg.ShapeError, match="one number"):
        transform(lambda x: x * 2)(at)


def test_complex_outputs_have_no_gradient():
    with pytest.raises(sg.GradientError, match="real"):
        sg.grad(lambda t: t * (1 + 2j))(1.0)


def test_only_functions_are_differentiated():
    with pytest.raises(sg.FormulaError, match="takes a function"):
        sg.grad(3.0)


def test_a_derivative_says_what_it_is_and_has_the_signature_of_its_function():
    assert repr(sg.grad(quadratic)) == "grad(quadratic, argnums=0)"
    assert sg.hessian(quadratic, ("x",)).__name__ == "hessian(quadratic)"
    assert list(inspect.signature(sg.grad(quadratic)).parameters) == ["x"]


# ----------------------------------------------------------------------------------------------- labels of classes


@pytest.mark.parametrize("picked", ["cross_entropy", "gather", "rows and columns"])
def test_labels_of_classes_choose_as_the_array_of_ones_does(picked):
    score = {
        "cross_entropy": lambda Z: sg.nn.functional.cross_entropy(Z, sg.tensor([0, 2, 1, 2, 2]), reduction="sum"),
        "gather": lambda Z: -sg.gather(sg.log_softmax(Z, 1), 1, sg.tensor([[0], [2], [1], [2], [2]])).sum(),
        "rows and columns": lambda Z: -sg.log_softmax(Z, 1)[np.arange(5), [0, 2, 1, 2, 2]].sum(),
    }[picked]
    f = sg.formula(score, sg.symbol("Z", (5, 3)))
    assert str(f.grad("Z")) == "softmax(Z) − one_hot([0, 2, 1, 2, 2], 3)"
    z = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_allclose(f.grad("Z")(Z=z), sg.grad(score)(z), rtol=1e-12)
    np.testing.assert_allclose(f.hessian("Z")(Z=z).reshape(15, 15), sg.hessian(score)(z).reshape(15, 15), atol=1e-12)
    for library in ("numpy", "torch", "jax"):
        assert "TABLE" not in f.grad("Z").code(library)


def test_an_entry_beside_an_infinite_one_is_still_chosen():
    f = sg.formula(lambda x: sg.gather(sg.log(x), 1, sg.tensor([[0], [1]])).sum(), sg.symbol("x", (2, 2)))
    assert f(x=np.array([[1.0, 0.0], [0.0, 1.0]])) == 0.0


def test_what_is_divided_by_a_positive_number_is_chosen_by_a_product():
    y = sg.symbol("y", "n")
    score = sg.formula(lambda s, y: np.where(y > 0, 1 / s - y**2 / s**3, 0.0).sum(), sg.symbol("σ", positive=True), y)
    assert str(score) == "1[y > 0]ᵀ(1/σ − y²/σ³)"
    assert "where" in str(sg.formula(lambda s, y: np.where(y > 0, 1 / s, 0.0).sum(), sg.symbol("σ"), y))


def test_a_function_with_complex_constants_is_printed_without_a_warning():
    xs = np.linspace(1, 20, 8)

    def h(p):
        g = (p[0] - 1j * xs) / (p[0] + 1j * xs)
        return (np.exp(1j * xs * 0.7) * np.exp(-g * p[1])).real.sum()

    assert "1j xs" in str(sg.formula(h, sg.symbol("p", 2)))
    with pytest.raises(sg.GradientError, match="There are complex numbers in it"):
        sg.compile(h)(np.array([1.0, 0.3]))
