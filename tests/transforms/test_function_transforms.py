"""``sg.value_and_grad``, ``sg.vjp``, ``sg.jacrev``, ``has_aux``, ``sg.fix``, and transforms of transforms."""

import functools
import inspect

import numpy as np
import pytest

import symgrad as sg
from symgrad.transforms.fix import fix

from ..helpers.numeric import assert_close, gradient, slope
from ..helpers.user_defined import SquareOnArrays
from ..properties._programs import program_of

rng = np.random.default_rng(2)
point, direction = rng.normal(size=3), rng.normal(size=3)
A = rng.normal(size=(2, 3))
x_n, v_n = sg.symbol("x", "n"), sg.symbol("v", "n")


def cubes(x):
    return (x**3).sum() * x[0]


def quartic(x):
    return (x**4).sum()


def outputs(x):
    return {"square": x**2, "parts": (A @ x, x.sum())}


# ------------------------------------------------------------------------------------------------------ value_and_grad


def test_value_and_gradient_come_from_one_run():
    runs = []

    def f(x):
        runs.append(1)
        return cubes(x)

    value, g = sg.value_and_grad(f)(point)
    assert len(runs) == 1 and type(g) is np.ndarray and isinstance(value, float)
    assert value == pytest.approx(cubes(point)) and np.allclose(g, sg.grad(cubes)(point))


def test_value_and_gradient_of_several_arguments_of_tensors_and_of_symbols():
    f = lambda a, b: (a * b**2).sum()
    value, (ga, gb) = sg.value_and_grad(f, (0, "b"))(point, 2.0)
    assert value == pytest.approx(4 * point.sum()) and np.allclose(ga, 4.0) and gb == pytest.approx(4 * point.sum())
    w = sg.tensor(point, requires_grad=True)
    value, g = sg.value_and_grad(cubes)(w)
    assert value.requires_grad and g.requires_grad
    assert not sg.value_and_grad(cubes)(sg.tensor(point))[0].requires_grad
    assert [str(e) for e in sg.value_and_grad(quartic)(x_n)] == ["sum(x⁴)", "4x³"]
    assert [float(e()) for e in sg.value_and_grad(lambda t: t**2).formula(3.0)] == [9.0, 6.0]


# ------------------------------------------------------------------------------------------------------------- has_aux


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.jacobian, sg.jacrev])
def test_what_comes_along_is_returned_as_it_is_and_not_differentiated(transform):
    marker = object()
    f = lambda x: (cubes(x), {"doubled": 2 * x, "marker": marker, "none": None})
    found, aux = transform(f, has_aux=True)(point)
    assert np.array_equal(aux["doubled"], 2 * point) and type(aux["doubled"]) is np.ndarray
    assert aux["marker"] is marker and aux["none"] is None
    expected = transform(cubes)(point)
    found, expected = (found, expected) if isinstance(found, tuple) else ((found,), (expected,))
    assert all(np.allclose(a, b) for a, b in zip(found, expected, strict=True))


def test_what_comes_along_with_symbols_is_a_formula_where_it_is_an_array():
    g, aux = sg.grad(lambda x: (quartic(x), [2 * x, "text"]), has_aux=True)(x_n)
    assert str(g) == "4x³" and str(aux[0]) == "2x" and aux[1] == "text"
    g, aux = sg.grad(lambda x: ((A @ x).sum(), A @ x), has_aux=True).formula(point)
    assert str(aux) == "Ax"


@pytest.mark.parametrize("result", [1.0, (1.0,), (1.0, 2.0, 3.0), [1.0, 2.0]])
def test_a_function_without_its_aux_is_told_so(result):
    with pytest.raises(sg.GradientError, match="output, aux"):
        sg.grad(lambda x: result, has_aux=True)(point)


# ------------------------------------------------------------------------------------------------- Jacobians and vjp


@pytest.mark.parametrize("transform", [sg.jacobian, sg.jacrev])
def test_jacobians_of_containers_are_containers_of_jacobians(transform):
    J = transform(outputs)(point)
    assert np.allclose(J["square"], np.diag(2 * point))
    assert np.allclose(J["parts"][0], A) and np.allclose(J["parts"][1], 1.0)
    both = transform(lambda a, b: [a * b, b], (0, 1))(2.0, 3.0)
    assert both == [(3.0, 2.0), (0.0, 1.0)]


def test_jacobians_of_containers_of_symbols_are_formulas():
    J = sg.jacobian(lambda x: {"square": x**2, "sum": x.sum()})(x_n)
    assert str(J["square"]) == "2 diag(x)" and np.array_equal(J["sum"](x=np.zeros(4)), np.ones(4))


def test_rows_and_columns_agree():
    M = rng.normal(size=(7, 3))
    f = lambda x: np.tanh(M @ x)
    assert np.allclose(sg.jacrev(f)(point), sg.jacobian(f)(point))
    assert np.allclose(sg.jacrev(f)(point), (1 - np.tanh(M @ point) ** 2)[:, None] * M)


def test_pulled_vectors_are_rows_of_the_jacobian():
    output, pull = sg.vjp(outputs, point)
    assert type(output["square"]) is np.ndarray and np.allclose(output["parts"][0], A @ point)
    g = {"parts": (np.array([1.0, 2.0]), 3.0), "square": direction}  # in another order
    (found,) = pull(g)
    assert type(found) is np.ndarray
    assert np.allclose(found, 2 * point * direction + A.T @ [1.0, 2.0] + 3.0)
    assert np.allclose(pull(g)[0], found)


def test_vjp_has_an_entry_per_argument_and_carries_aux():
    output, pull, aux = sg.vjp(lambda a, b: (a * b, "aux"), 2.0, {"k": 3.0}["k"], has_aux=True)
    assert (output, pull(10.0), aux) == (6.0, (30.0, 20.0), "aux")
    assert sg.vjp(lambda a, b: a, 2.0, point)[1](1.0)[1].tolist() == [0.0, 0.0, 0.0]


def test_vjp_of_tensors_keeps_the_history_that_somebody_could_want():
    w, g = sg.tensor(point, requires_grad=True), sg.tensor(direction, requires_grad=True)
    output, pull = sg.vjp(lambda x: x**3, w)
    assert output.requires_grad and pull(sg.tensor(direction))[0].requires_grad
    (found,) = sg.vjp(lambda x: x**3, point)[1](g)
    assert np.allclose(sg.autograd.grad(found.sum(), g)[0].numpy(), 3 * point**2)
    assert not sg.vjp(lambda x: x**3, sg.tensor(point))[1](sg.tensor(direction))[0].requires_grad


def test_vjp_of_symbols_is_a_formula():
    M, g = sg.symbol("M", ("m", "n")), sg.symbol("g", "m")
    output, pull = sg.vjp(lambda x: M @ x, x_n)
    assert str(output) == "Mx" and str(pull(g)[0]) == "Mᵀg"
    _, pull = sg.vjp(lambda x: A @ x, point)
    assert str(pull(sg.symbol("g", 2))[0]) == "Aᵀg"
    output, pull, aux = sg.vjp(lambda x: (x**2, x + 1), x_n, has_aux=True)
    assert [str(e) for e in (output, pull(v_n)[0], aux)] == ["x²", "2v ⊙ x", "1 + x"]


def test_a_cotangent_unlike_the_output_is_refused_by_its_way():
    _, pull = sg.vjp(outputs, point)
    with pytest.raises(sg.ShapeError, match=r"output\['parts'\]\[0\] is of shape \(2,\), g\['parts'\]\[0\]"):
        pull({"square": point, "parts": (point, 1.0)})
    with pytest.raises(sg.ShapeError, match="no counterpart"):
        pull({"square": point})


def test_nan_passes_through():
    hole = np.array([np.nan, 1.0])
    assert np.isnan(sg.grad(lambda x: (x**2).sum())(hole)).tolist() == [True, False]
    assert np.isnan(sg.vjp(lambda x: x**2, np.ones(2))[1](hole)[0]).tolist() == [True, False]


# ----------------------------------------------------------------------------------------------------------------- fix


def loss(w, X, y, scale=2.0, *, power=2):
    return scale * ((X @ w - y) ** power).sum()


X, y = rng.normal(size=(4, 3)), rng.normal(size=4)


@pytest.mark.parametrize("held", [{"X": X, "y": y}, {1: X, 2: y}, {"X": X, -2: y}, {("X",): X, 2: y}], ids=str)
def test_held_arguments_leave_the_signature(held):
    f = fix(loss, held)
    assert str(inspect.signature(f)) == "(w, scale=2.0, *, power=2)" and f.__name__ == "loss"
    assert f(point) == loss(point, X, y) and f(point, 3.0, power=4) == loss(point, X, y, 3.0, power=4)
    assert np.allclose(sg.grad(f)(point), 4 * X.T @ (X @ point - y))
    assert np.allclose(sg.hessian(f)(point), 4 * X.T @ X)
    assert np.allclose(sg.grad(f, "scale")(point, 3.0), f(point, 1.0))


def test_formulas_name_what_is_held():
    f = fix(loss, X=X, y=y, scale=1.0)
    assert str(sg.formula(f, point)) == "‖Xw − y‖²" and str(sg.grad(f).formula(point)) == "2Xᵀ(Xw − y)"
    assert str(sg.hvp(f, sg.symbol("w", 3), sg.symbol("v", 3))) == "2XᵀXv"
    w, M = sg.symbol("w", "n"), sg.symbol("M", ("m", "n"))
    assert str(sg.grad(fix(loss, X=M, y=sg.symbol("y", "m")))(w)) == "4Mᵀ(Mw − y)"


def test_the_first_arguments_can_be_held_and_those_of_a_partial_count_no_more():
    assert fix(lambda a, b, c: a - 2 * b + 3 * c, a=1.0, c=3.0)(2.0) == 6.0
    f = functools.partial(loss, point, power=4)
    g = fix(f, y=y)
    assert list(inspect.signature(g).parameters) == ["X", "scale", "power"]
    assert g(X) == pytest.approx(loss(point, X, y, power=4)) and g(X, power=2) == pytest.approx(loss(point, X, y))
    h = fix(fix(loss, X=X), y=y)
    assert h(point) == loss(point, X, y) and str(sg.formula(h, point, 1.0)) == "‖Xw − y‖²"


def test_stars_are_passed_on():
    f = fix(lambda a, *rest, k, **more: (a, rest, k, more), a=1, k=2)
    assert f(3, 4, z=5) == (1, (3, 4), 2, {"z": 5})
    assert fix(functools.partial(lambda a, *rest, **more: (a, rest, more), 1, 2, z=3))(4, y=5) == (
        1, (2, 4), {"z": 3, "y": 5},
    )  # fmt: skip


def test_an_entry_of_a_dictionary_is_held_and_need_not_be_given():
    f = lambda params, t: (params["a"] * params["deep"]["b"] * t) ** 2
    g = fix(f, {("params", "deep", "b"): 3.0}, t=2.0)
    assert sg.grad(g)({"a": 1.0}) == {"a": 72.0}
    assert sg.grad(g)({"a": 1.0, "deep": {"c": 1.0}}) == {"a": 72.0, "deep": {"c": 0.0}}
    h = fix(lambda p: (p["a"] * p["b"] * p["b_"]).sum(), {("p", "b"): point, ("p", "b_"): direction})
    assert str(sg.grad(h).formula({"a": np.ones(3)})["a"]) == "p_b ⊙ p_b_"


def test_an_entry_given_although_it_is_held_is_an_error():
    g = fix(lambda p: p["a"] * p["b"], {("p", "b"): 3.0})
    with pytest.raises(sg.GradientError, match=r"p\['b'\] is held"):
        g({"a": 1.0, "b": 2.0})
    with pytest.raises(sg.GradientError, match="no entries"):
        g(1.0)


@pytest.mark.parametrize("held", [{"z": 1}, {7: 1}, {0: 1, "w": 2}, {(): 1}, {("w", "a"): 1, "w": 2}, {True: 1}])
def test_what_cannot_be_held_is_an_error(held):
    with pytest.raises(sg.GradientError, match="hold|held"):
        fix(loss, held)


def test_a_held_argument_cannot_be_named_by_argnums():
    with pytest.raises(sg.GradientError, match="no parameter 'X'"):
        sg.grad(fix(loss, X=X, y=y), "X")(point)


def test_functions_without_a_signature_of_their_own():
    assert sg.grad(fix(np.power, {1: 2.0}))(3.0) == 6.0
    assert sg.grad(fix(sg.atan2, {1: 2.0}))(0.0) == 0.5
    assert str(sg.formula(fix(np.power, {1: direction}), np.ones(3))) == "x^y"
    assert sg.grad(fix(sg.grad(lambda a, b: a**2 * b), b=3.0))(2.0) == 6.0


def test_what_is_held_is_a_constant_for_the_transform_and_a_variable_for_the_one_outside():
    f = lambda a, b: (a**2 * b).sum()
    g = sg.grad(lambda b: sg.hvp(fix(f, b=b), point, direction).sum())(point)
    assert np.allclose(g, 2 * direction)


# --------------------------------------------------------------------------------------------- transforms of transforms


def derivative(f, x):
    """The Jacobian by differences, the argument's axes last."""
    rows = [np.asarray(slope(lambda s, e=e: np.asarray(f(x + s * e)))) for e in np.eye(x.size)]
    return np.stack(rows, -1)


COMPOSED = {
    "gradient of a gradient": lambda x: sg.grad(lambda x: sg.grad(cubes)(x).sum())(x),
    "Jacobian of a gradient": lambda x: sg.jacobian(sg.grad(cubes))(x),
    "jacrev of jacrev": lambda x: sg.jacrev(sg.jacrev(cubes))(x),
    "Hessian of an entry of a Hessian": lambda x: sg.hessian(lambda x: sg.hessian(cubes)(x)[0, 1])(x),
    "gradient of value and gradient": lambda x: sg.grad(lambda x: sg.value_and_grad(cubes)(x)[1].sum())(x),
    "vjp of vjp": lambda x: sg.vjp(lambda x: sg.vjp(cubes, x)[1](1.0)[0], x)[1](direction)[0],
    "gradient of hvp": lambda x: sg.grad(lambda x: sg.hvp(cubes, x, direction).sum())(x),
    "hvp of hvp": lambda x: sg.hvp(lambda x: sg.hvp(cubes, x, direction).sum(), x, direction),
    "Jacobian of the diagonal": lambda x: sg.jacobian(lambda x: sg.diag_hessian(cubes, x))(x),
    "gradient of the Laplacian": lambda x: sg.grad(lambda x: sg.laplacian(cubes, x))(x),
    "Gauss-Newton": lambda x: sg.ggn_vp(lambda x: sg.tanh(A @ x), x, direction, lambda z: sg.exp(z).sum()),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions_are_differentiated_once_more_for_arrays_and_tensors(name):
    f = COMPOSED[name]
    expected = derivative(f, point)
    assert_close(sg.jacobian(f)(point), expected, rtol=1e-6, atol=1e-7, what=name)
    found = sg.jacobian(f)(sg.tensor(point))
    assert isinstance(found, sg.Tensor) and not found.requires_grad
    assert_close(found.numpy(), expected, rtol=1e-6, atol=1e-7, what=name)
    w = sg.tensor(point, requires_grad=True)
    (pulled,) = sg.autograd.grad(f(w).sum(), w)
    total = expected.reshape(-1, 3).sum(0)
    assert_close(pulled.numpy(), total, rtol=1e-6, atol=1e-6, what=name)


@pytest.mark.parametrize("name", COMPOSED)
def test_formulas_of_compositions_have_the_value_of_the_composition(name):
    x = sg.symbol("x", 3)
    found = sg.formula(COMPOSED[name], x)
    assert_close(found(x=point), COMPOSED[name](point), rtol=1e-9, what=name)


def test_compositions_of_named_sizes():
    assert str(sg.grad(lambda x: sg.value_and_grad(quartic)(x)[1].sum())(x_n)) == "12x²"
    assert str(sg.vjp(lambda x: sg.vjp(lambda x: x**3, x)[1](v_n)[0], x_n)[1](sg.symbol("g", "n"))[0]) == "6g ⊙ v ⊙ x"
    assert str(sg.grad(lambda x: sg.hvp(quartic, x, v_n).sum())(x_n)) == "24v ⊙ x"
    assert str(sg.jacobian(sg.value_and_grad(quartic))(x_n)[1]) == "12 diag(x²)"


def test_value_and_gradient_is_a_function_with_aux():
    g, aux = sg.grad(sg.value_and_grad(quartic), has_aux=True)(point)
    assert np.allclose(g, aux) and np.allclose(g, 4 * point**3)


def function_of(program):
    return lambda leaves: program.loss(sg, list(leaves))


def value_of(program, arrays):
    return program.loss(sg, [sg.tensor(a, requires_grad=True) for a in arrays]).item()


def partial_gradient(program, leaves, i):
    return gradient(lambda b: value_of(program, (*leaves[:i], b, *leaves[i + 1 :])), leaves[i])


def tame(seed, **options):
    """A random program of moderate numbers, and its leaves; None for one that is not."""
    program = program_of(seed, **options)
    leaves = tuple(program.leaves)
    try:
        g = sg.grad(function_of(program))(leaves)
    except sg.InplaceError:
        return None
    return (program, leaves) if all(np.abs(a).max(initial=0) < 1e3 for a in g) else None


@pytest.mark.parametrize("seeds", [range(16), pytest.param(range(16, 80), marks=pytest.mark.slow)], ids=str)
def test_transforms_of_random_programs_agree_with_each_other_and_with_differences(seeds):
    checked = 0
    for seed in seeds:
        found = tame(seed, smooth=True, inplace=seed % 2 == 1)
        if found is None:
            continue
        program, leaves = found
        f = function_of(program)
        g = sg.grad(f)(leaves)
        value, again = sg.value_and_grad(f)(leaves)
        (pulled,) = sg.vjp(f, leaves)[1](1.0)
        rows = sg.jacrev(f)(leaves)
        assert value == program.loss(sg).item()
        for i in range(len(leaves)):
            by_differences = partial_gradient(program, leaves, i)
            for other in (again[i], pulled[i], rows[i]):
                assert_close(other, g[i], rtol=1e-12, atol=1e-12, what=repr(program))
            assert_close(g[i], by_differences, rtol=1e-5, atol=1e-5, what=repr(program))
        checked += 1
    assert checked > 0.75 * len(seeds)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad])
def test_a_gradient_is_that_of_one_number(transform):
    with pytest.raises(sg.ShapeError, match="one number"):
        transform(lambda x: x)(point)
    with pytest.raises(sg.FormulaError, match="has_aux"):
        transform(lambda x: (x.sum(), x))(point)


OTHERS = ["text", pytest.param(object(), id="an object"), None, {"a": "text"}, (), [[]]]


@pytest.mark.parametrize("result", OTHERS, ids=repr)
@pytest.mark.parametrize("transform", [sg.jacobian, sg.jacrev, lambda f: lambda x: sg.vjp(f, x)])
def test_functions_of_something_else_than_arrays_are_refused(transform, result):
    with pytest.raises(sg.FormulaError, match="returned"):
        transform(lambda x: result)(point)


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.jacobian, lambda f: lambda x: sg.vjp(f, x)])
def test_branching_on_a_symbol_is_refused(transform):
    with pytest.raises(sg.SymbolicBranchError, match="value of a symbol"):
        transform(lambda x: x.sum() if x[0] > 0 else -x.sum())(sg.symbol("x", 3))


def test_whole_numbers_are_floats_in_numpy_and_refused_in_tensors():
    assert np.array_equal(sg.value_and_grad(lambda x: (x**2).sum())(np.array([1, 2]))[1], [2.0, 4.0])
    assert sg.vjp(lambda x: x**2, 3)[1](1.0) == (6.0,)
    for transform in (sg.grad, sg.value_and_grad, sg.jacrev, lambda f: lambda x: sg.vjp(f, x)):
        with pytest.raises(sg.DTypeError, match="floating point"):
            transform(lambda x: (x**2).sum())(sg.tensor([1, 2]))


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.jacrev, sg.vjp, fix])
def test_only_functions_are_transformed(transform):
    with pytest.raises(sg.FormulaError, match="takes a function"):
        transform("f")


def test_a_jacobian_of_few_inputs_goes_backwards_through_a_backward_that_computes_on_arrays():
    f = lambda s: SquareOnArrays.apply(s * np.ones(3))
    np.testing.assert_array_equal(sg.jacobian(f)(2.0), [4.0, 4.0, 4.0])
    np.testing.assert_array_equal(sg.jacrev(f)(2.0), [4.0, 4.0, 4.0])


W_COMPLEX = np.array([[1 + 1j, 2, 3], [1j, 1, -1j]])


@pytest.mark.parametrize("transform", [sg.jacobian, sg.jacrev, sg.jacfwd])
@pytest.mark.parametrize("matrix", [W_COMPLEX, W_COMPLEX.T], ids=["wide", "tall"])
def test_a_complex_output_of_real_arguments_keeps_its_imaginary_part(transform, matrix):
    x = np.linspace(0.5, 1.0, matrix.shape[1])
    np.testing.assert_allclose(transform(lambda x: matrix @ x)(x), matrix)
    twice = transform(transform(lambda s: sg.exp(1j * s * x)))(0.3)
    np.testing.assert_allclose(twice, -(x**2) * np.exp(0.3j * x))


def garch(p):
    h, total = p["a"], 0.0
    for e in np.linspace(-1, 1, 40):
        h = p["w"] + p["b"] * h + p["a"] * e * e
        total = total + np.log(h) + e * e / h
    return total


def test_numbers_of_containers_and_of_several_arguments_are_as_those_of_an_array():
    """They are steps of a list, of which the graph is one node: with aux, and inside another derivative, too."""
    at = {"a": 0.1, "b": 0.8, "w": 0.05}
    of_array = lambda q: garch(dict(zip(at, q, strict=True)))
    q = np.array(list(at.values()))
    truth, hessian = sg.grad(of_array)(q), sg.jacrev(sg.grad(of_array))(q)
    steps = [sg.grad(of_array)(q + d) - sg.grad(of_array)(q - d) for d in 1e-6 * np.eye(3)]
    assert np.allclose(hessian, np.array(steps) / 2e-6, rtol=1e-6)
    of_three = lambda a, b, w: garch({"a": a, "b": b, "w": w})
    assert np.allclose(list(sg.grad(garch)(at).values()), truth, rtol=1e-13)
    assert np.allclose(sg.grad(of_three, argnums=(0, 1, 2))(*at.values()), truth, rtol=1e-13)
    value, (gradient, along) = garch(at), sg.grad(lambda p: (garch(p), [p["b"] * 2, p]), has_aux=True)(at)
    assert np.allclose(list(gradient.values()), truth) and along == [1.6, at]
    assert sg.value_and_grad(garch)(at)[0] == value
    twice = sg.grad(lambda p: sum(d * d for d in sg.grad(garch)(p).values()))(at)
    assert np.allclose(list(twice.values()), 2 * hessian @ truth, rtol=1e-10)
