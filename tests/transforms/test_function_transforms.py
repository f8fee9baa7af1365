"""Transforms of functions, and of transforms: of whatever can be called, with what they return the caller's own."""

import copy
import functools
import inspect
import itertools
import operator

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


BENT = {
    "minimum": lambda x: np.minimum(x, 0.1).sum(),
    "where": lambda x: np.where(x < 0.1, x, 0.1).sum(),
    "mask": lambda x: (x * (x < 0.1)).sum(),
    "largest": lambda x: x.max(),
    "sign": lambda x: (np.sign(x) * x).sum(),
}
BATCHED = {
    "grad": sg.grad,
    "value_and_grad": lambda f: lambda x: sg.value_and_grad(f)(x)[1],
    "jacobian": lambda f: sg.jacobian(lambda x: np.stack([f(x), f(2 * x)])),
    "jacfwd": sg.jacfwd,
    "vjp": lambda f: lambda x: sg.vjp(f, x)[1](1.0)[0],
    "a batch inside": lambda f: lambda x: sg.vmap(lambda t: sg.grad(f)(t * x))(np.array([1.0, -1.0, 0.01])),
    "hessian_operator": lambda f: lambda x: sg.hessian_operator(f, x).gradient,
}


@pytest.mark.parametrize("transform", BATCHED)
@pytest.mark.parametrize("name", BENT)
def test_slopes_that_only_choices_move_are_each_examples_own(name, transform):
    first = np.array([1.0, 0.01, 2.0])
    examples = np.stack([first, -first, first[::-1] / 2, 3 * first])  # the last one's slopes are those of the first
    derivative = BATCHED[transform](BENT[name])
    np.testing.assert_array_equal(sg.vmap(derivative)(examples), np.stack([derivative(x) for x in examples]))


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


# Whatever can be called -----------------------------------------------------------------------------------------------


x = np.array([1.0, 2.0])


def stars(*args, **kwargs):
    return np.sum(args[0] * args[1] ** 2) * kwargs.get("k", 1.0)


# ------------------------------------------------------------------------------------------------------ star arguments


@pytest.mark.parametrize(("argnums", "expected"), [(0, 9.0), (1, 12.0), (-1, 12.0), (-2, 9.0), ((1, 0), (12.0, 9.0))])
def test_positions_count_into_star_arguments(argnums, expected):
    assert sg.grad(stars, argnums)(2.0, 3.0) == expected
    assert sg.value_and_grad(stars, argnums)(2.0, 3.0)[1] == expected
    for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
        assert transform(stars, argnums)(2.0, 3.0) == expected
    assert sg.grad(functools.partial(stars, 2.0), 0)(3.0) == 12.0


def test_every_transform_with_argnums_takes_a_star_argument():
    f = lambda *rest: (rest[0] * rest[1] ** 2).sum()
    assert np.array_equal(sg.hessian(f, 1)(x, x), np.diag(2 * x))
    assert sg.hessian(f, (0, 1))(x, x).labels == ["rest_0[0]", "rest_0[1]", "rest_1[0]", "rest_1[1]"]
    value, g, H = sg.compile(f, argnums=1)(x, x)
    assert value == (x**3).sum() and np.array_equal(g, 2 * x * x) and np.array_equal(H, np.diag(2 * x))
    assert sg.sparsity(f, x, x, argnums=-1).nnz == 2 and sg.cost(f, x, x, argnums=1) is not None
    assert str(sg.grad(f, 1).formula(x, x)) == "2 rest₀ ⊙ rest₁"
    u, v = sg.symbol("u", "n"), sg.symbol("v", "n")
    assert str(sg.grad(f, 1)(u, v)) == "2u ⊙ v" and str(sg.formula(f, u, v)) == "uᵀv²"


def test_entries_of_keyword_arguments_go_by_their_names():
    assert sg.grad(stars, "k")(2.0, 3.0, k=4.0) == 18.0
    assert sg.grad(stars, -1)(2.0, 3.0, k=4.0) == 48.0  # positions are those of positional arguments
    both = sg.grad(lambda **p: p["a"] * p["b"] ** 2, ("b", "a"))(a=2.0, b=3.0)
    assert both == (12.0, 9.0)
    assert sg.hessian(lambda **p: (p["a"] ** 3).sum(), "a")(a=x).tolist() == np.diag(6 * x).tolist()
    assert sg.compile(lambda **p: (p["a"] ** 3).sum(), "g", argnums="a")(a=x).tolist() == (3 * x**2).tolist()
    assert sg.grad(lambda x, /, **p: x * p["x"])(2.0, x=3.0) == 3.0  # one name for two things
    assert sg.grad(lambda **p: p["in"] * p["a b"] * p["c"], "c")(**{"in": 2.0, "a b": 3.0, "c": 1.0}) == 6.0


def test_star_arguments_as_a_whole():
    assert sg.grad(stars, "args")(2.0, 3.0) == (9.0, 12.0)
    assert sg.grad(lambda **p: p["a"] * p["b"], "p")(a=2.0, b=3.0) == {"a": 3.0, "b": 2.0}


def test_defaults_and_keyword_only_parameters():
    f = lambda a=2.0, *rest, k=3.0: a * sum(rest) * k
    assert sg.grad(f)(5.0, 1.0) == 3.0 and sg.grad(f, 1)(5.0, 1.0) == 15.0 and sg.grad(f, "k")(5.0, 1.0) == 5.0
    assert sg.grad(lambda a, *, k=3.0: a * k**2, "k")(2.0) == 12.0


@pytest.mark.parametrize("transform", [
    lambda f: sg.jacobian(sg.grad(f)), lambda f: sg.jacobian(sg.jacobian(f)), fix, lambda f: sg.grad(fix(f)),
    lambda f: sg.func.jacrev(sg.grad(f)), lambda f: sg.func.jacfwd(sg.grad(f)),
    lambda f: sg.jacobian(functools.partial(sg.grad(f))),
    *[lambda f, inner=inner: sg.jacobian(inner(f), format="csr") for inner in
      (sg.grad, sg.jacobian, sg.func.jacfwd)],
])  # fmt: skip
def test_defaults_that_are_replaced_between_calls(transform):
    def scaled(x, s=1.0, *, c=1.0):
        return c * s * (x**3).sum()

    derivative, x = transform(scaled), np.ones(1)
    before = derivative(x)
    scaled.__defaults__, scaled.__kwdefaults__ = (10.0,), {"c": 2.0}
    assert np.sum(derivative(x)) == 20 * np.sum(before) != 0


@pytest.mark.parametrize("derivative", [
    sg.func.hessian(np.sum), sg.func.jacfwd(sg.func.grad(np.sum)), sg.func.jacrev(sg.func.grad(np.sum)),
    sg.func.jacfwd(lambda x: np.ones(2)), sg.func.jacrev(lambda x: np.ones(2)),
    lambda x: sg.func.jvp(sg.func.grad(np.sum), (x,), (x,))[1][:, None] * x,
    lambda x: sg.func.linearize(sg.func.grad(np.sum), x)[1](x)[:, None] * x,
    lambda x: sg.func.vjp(sg.func.grad(np.sum), x)[1](x)[0][:, None] * x,
    lambda x: sg.func.vmap(sg.func.hessian(np.sum))(np.stack([x, x]))[1],
])  # fmt: skip
def test_the_derivative_of_a_constant_derivative_is_zero_at_arrays(derivative):
    found = derivative(np.array([2.0, 3.0]))
    assert type(found) is np.ndarray and np.array_equal(found, np.zeros((2, 2)))


def test_an_array_that_comes_out_is_a_constant_where_arrays_go_in():
    assert np.array_equal(sg.func.grad(lambda x: np.float64(3.0))(np.ones(2)), np.zeros(2))
    with pytest.raises(sg.DTypeError, match="return only tensors"):
        sg.func.jacrev(lambda x: np.ones(2))(sg.ones(2))


@pytest.mark.parametrize(
    ("f", "argnums", "words"),
    [
        (stars, 2, "takes 2 arguments"), (stars, -3, "takes 2 arguments"), (stars, "q", "no parameter 'q'"),
        (stars, ("args", 0), "unique"), (functools.partial(stars, 1.0), -3, "takes 2 arguments"),
        (lambda **k: 1.0, 0, "takes 0 arguments"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused(f, argnums, words):
    with pytest.raises(sg.GradientError, match=words):
        sg.grad(f, argnums)(*([2.0, 3.0] if f is not None and "k" not in inspect.signature(f).parameters else []))


def test_a_function_of_nothing_is_told_to_take_an_argument():
    with pytest.raises(sg.GradientError, match="takes 0 arguments\nThey.*\n.*must be an argument, not a variable from"):
        sg.grad(lambda: 1.0)()


def test_star_arguments_can_be_held():
    f = sg.fix(stars, {1: 3.0}, k=2.0)
    assert sg.grad(f)(5.0) == 18.0 and f(5.0) == 90.0
    assert str(sg.formula(sg.fix(lambda x, **p: x @ p["q"], q=x), x)) == "qᵀx"
    with pytest.raises(sg.GradientError, match="only 1 come before it"):
        sg.fix(stars, {3: 1.0})(2.0)
    with pytest.raises(TypeError, match="multiple values"):
        f(5.0, k=1.0)


# ---------------------------------------------------------------------------------------- NumPy's functions, builtins


def test_numpys_functions_to_any_order():
    assert sg.grad(sg.grad(sg.grad(np.tanh)))(0.5) == pytest.approx(sg.grad(sg.grad(sg.grad(sg.tanh)))(0.5))
    assert np.allclose(sg.vmap(sg.grad(sg.grad(np.sin)))(x), -np.sin(x))
    assert np.allclose(sg.vmap(np.sin)(x), np.sin(x)) and sg.jacfwd(sg.jacrev(np.exp))(1.0) == pytest.approx(np.e)
    assert str(sg.grad(sg.grad(np.sin)).formula(0.3)) == "−sin(x)"
    assert str(inspect.signature(sg.grad(np.add))) == "(x, y)" and sg.grad(np.power, "y")(2.0, 3.0) is not None
    assert np.allclose(sg.hessian(np.linalg.norm)(x), sg.hessian(lambda x: np.sqrt((x * x).sum()))(x))
    assert sg.grad(functools.partial(np.power, 2.0))(3.0) == pytest.approx(8 * np.log(2))


@pytest.mark.parametrize(
    ("f", "args", "expected"),
    [(max, (1.0, 2.0), 1.0), (pow, (2.0, 3.0), 12.0), (abs, (-2.0,), -1.0), (operator.mul, (2.0, 3.0), 3.0)],
)
def test_builtins(f, args, expected):
    assert sg.grad(f, 1 if f is max else 0)(*args) == expected
    assert isinstance(sg.grad(sg.grad(f))(*args), float)


class Model:
    w = 3.0

    def __call__(self, x):
        return (x**2).sum() * self.w

    def scaled(self, x, *more):
        return self(x) * more[0]

    static = staticmethod(lambda x: (x**2).sum())


def test_methods_and_callable_objects():
    model = Model()
    assert sg.grad(model)(x).tolist() == [6.0, 12.0] and sg.grad(model.scaled, 1)(x, 2.0) == 15.0
    assert sg.grad(Model.static)(x).tolist() == [2.0, 4.0] and str(sg.formula(model, x)) == "3‖x‖²"
    assert sg.hessian(model.scaled)(x, 2.0).tolist() == [[12.0, 0.0], [0.0, 12.0]]


# ------------------------------------------------------------------------------------------------------------- modules


def test_modules_have_the_parameters_of_their_forward():
    net = sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.Tanh(), sg.nn.Linear(3, 1), sg.nn.Flatten(0))
    layer = sg.nn.Linear(2, 3)
    assert str(inspect.signature(sg.jacobian(layer))).startswith("(input: ")
    with sg.no_grad():
        assert np.array_equal(sg.jacobian(layer)(x), layer.weight.numpy())
        assert np.array_equal(sg.jacobian(layer, "input")(x), layer.weight.numpy())
        number = lambda x: net(x)[0]
        H = sg.hessian(number)(x)
        assert np.allclose(sg.jacobian(sg.jacobian(net))(x)[0], H, atol=1e-12)
        assert np.allclose(sg.vmap(sg.jacobian(layer))(np.stack([x, x]))[1], layer.weight.numpy())


class Scalar(sg.nn.Module):
    def forward(self, x, scale=1.0):
        return (x**3).sum() * scale


def test_a_module_is_a_function_like_any_other():
    assert sg.hessian(Scalar())(x).tolist() == np.diag(6 * x).tolist()
    assert sg.grad(Scalar(), "scale")(x, 2.0) == 9.0 and sg.grad(Scalar(), -1)(x) == 9.0


# -------------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy], ids=lambda f: f.__name__)
@pytest.mark.parametrize("of", ["the argument", "a result", "a container"])
def test_a_copy_made_inside_a_function_depends_on_the_original(copied, of):
    def f(x):
        y = copied(x) if of == "the argument" else copied(x * 1) if of == "a result" else copied({"a": [x]})["a"][0]
        return (y**3).sum()

    for transform in (sg.grad, lambda f: sg.grad(f).formula, sg.func.grad, lambda f: sg.compile(f, "g")):
        found = transform(f)(x)
        found = found(x=x) if isinstance(found, sg.Formula) else found
        assert np.allclose(found, 3 * x**2)
    assert np.allclose(sg.hessian(f)(x), np.diag(6 * x)) and sg.jvp(f, (x,), (x,))[1] == 27.0
    assert np.allclose(sg.vmap(sg.grad(f))(np.stack([x, 2 * x])), [3 * x**2, 12 * x**2])
    assert str(sg.formula(f, sg.symbol("x", "n"))) == "sum(x³)"
    assert np.allclose(sg.grad(lambda x: sg.grad(f)(x).sum())(x), 6 * x)


def test_a_copy_of_an_argument_has_memory_of_its_own():
    def f(x):
        y = copy.copy(x)
        y[0] = 0.0
        return (x * y).sum()

    assert sg.grad(f)(x).tolist() == [0.0, 4.0] and x.tolist() == [1.0, 2.0]


def test_copies_of_modules_inside_a_function_and_of_tensors_outside_are_leaves():
    net = sg.nn.Linear(2, 1)

    def f(x):
        twin = copy.deepcopy(net)
        assert all(p.is_leaf and isinstance(p, sg.nn.Parameter) for p in twin.parameters())
        return twin(x).sum()

    assert np.allclose(sg.grad(f)(sg.tensor(x)).detach(), net.weight.detach()[0])
    w = sg.tensor(x, requires_grad=True)
    assert copy.copy(w).is_leaf and copy.deepcopy(w).is_leaf and copy.copy(w * 2).is_leaf
    with pytest.raises(sg.GradientError, match="deepcopy protocol"):
        copy.deepcopy(w * 2)


class Doubled(functools.partial):
    def __call__(self, *args):
        return 2.0 * super().__call__(*args)


ASKED = {
    "grad": sg.grad, "of a tensor": lambda f: lambda x: sg.grad(f)(sg.tensor(x)).numpy(),
    "compile": lambda f: sg.compile(f, "g"), "fix": lambda f: sg.grad(sg.fix(f, a=3.0)),
}  # fmt: skip


@pytest.mark.parametrize("ask", ASKED)
def test_a_partial_function_that_is_called_in_a_way_of_its_own(ask):
    f = Doubled(lambda x, a=3.0: (x**a).sum())
    np.testing.assert_allclose(ASKED[ask](f)(x), 6 * x**2)


# What is returned is the caller's -------------------------------------------------------------------------------------


N = 9
C = np.linspace(0.2, 1.0, N)
OUTER = np.add.outer(C, C**2)

OF_ONE_NUMBER = {
    "x·x": lambda x: (x * x).sum(),
    "linear": lambda x: (x * C).sum(),
    "sum": lambda x: x.sum(),
    "Rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "weighted": lambda x: (np.exp(x) * C).sum(),
    "quadratic": lambda x: x @ OUTER @ x,
    "logsumexp": lambda x: np.log(np.sum(np.exp(x))),
}
OF_ARRAYS = {
    "itself": lambda x: x,
    "a view": lambda x: x[::-1],
    "a shape": lambda x: x.reshape(-1, 1),
    "a constant": lambda x: C,
    "twice": lambda x: (x, x),
    "several": lambda x: {"a": x[1:], "b": x + 0, "c": C},
    "exp": lambda x: np.exp(x),
}
V = np.ones(N)
CALLS = {
    **{name: lambda f, name=name: getattr(sg, name)(f) for name in ("grad", "value_and_grad", "hessian", "jacobian")},
    **{f"hessian {form}": lambda f, form=form: sg.hessian(f, format=form) for form in ("dense", "csr", "structured")},
    **{f"compile {what}": lambda f, what=what: sg.compile(f, what) for what in ("f", "g", "h", "fgh")},
    "hvp": lambda f: lambda x: sg.hvp(f, x, V),
}
CALLS_OF_ARRAYS = {
    "vjp": lambda f: lambda x: sg.vjp(f, x)[0],
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (V,)),
    "linearize": lambda f: lambda x: sg.linearize(f, x)[0],
    "jacobian": sg.jacobian,
    "jacfwd": sg.jacfwd,
    "vmap": lambda f: lambda x: sg.vmap(f)(np.stack([x, 2 * x])),
    "has_aux": lambda f: sg.grad(lambda x: (x.sum(), f(x)), has_aux=True),
}


def arrays_in(result):
    """The arrays that a result holds, whatever kind of result it is."""
    if isinstance(result, np.ndarray):
        return [result]
    if isinstance(result, dict):
        return arrays_in(list(result.values()))
    if isinstance(result, tuple | list):
        return [a for part in result for a in arrays_in(part)]
    if hasattr(result, "indptr"):
        return [result.data, result.indices, result.indptr]
    parts = [getattr(result, name) for name in getattr(type(result), "__slots__", ()) if hasattr(result, name)]
    return arrays_in([*parts, *getattr(result, "__dict__", {}).values()])


def check_its_own(call, x):
    held = [x, C, OUTER, V]
    before = [h.copy() for h in held]
    first, second = arrays_in(call(x)), arrays_in(call(x))
    expected = [a.copy() for a in first]
    for a, b in [*itertools.product(first, second), *itertools.product(first, held), *itertools.combinations(first, 2)]:
        assert not np.shares_memory(a, b)
    for a in [*first, *second]:
        a[...] = 0
    for a, e in zip(arrays_in(call(x)), expected, strict=True):
        np.testing.assert_array_equal(a, e)
    for h, b in zip(held, before):
        np.testing.assert_array_equal(h, b)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("f", OF_ONE_NUMBER)
def test_derivatives_of_one_number(f, call):
    check_its_own(CALLS[call](OF_ONE_NUMBER[f]), np.linspace(0.1, 0.9, N))


# what is carried along and is no tensor is the function's own object, and stays that
OWN_OBJECTS = {("a constant", "has_aux"), ("several", "has_aux")}


@pytest.mark.parametrize(("f", "call"), sorted({*itertools.product(OF_ARRAYS, CALLS_OF_ARRAYS)} - OWN_OBJECTS))
def test_values_and_derivatives_of_arrays(f, call):
    check_its_own(CALLS_OF_ARRAYS[call](OF_ARRAYS[f]), np.linspace(0.1, 0.9, N))


def test_writing_to_the_output_of_vjp_changes_no_later_product():
    x = np.linspace(0.1, 0.9, N)
    output, pull = sg.vjp(lambda x: np.exp(x), x)
    output[...] = 0
    np.testing.assert_array_equal(pull(V)[0], np.exp(x))
    output, push = sg.linearize(lambda x: np.exp(x), x)
    output[...] = 0
    np.testing.assert_allclose(push(V), np.exp(x))


CAUGHT = {
    "a count": lambda x: (x > 0.1).sum() * 1.0, "signs": lambda x: np.sign(x - 0.1),
    "the largest": lambda x: np.argmax(x), "a choice": lambda x: np.where(x > 0.1, 2.0, 3.0),
}  # fmt: skip


@pytest.mark.parametrize("outputs", ["f", "g", "h"])
@pytest.mark.parametrize("caught", CAUGHT)
def test_a_program_inside_vmap_has_each_examples_own_numbers(caught, outputs):
    """What is caught has no history: by comparisons it hangs on the example all the same."""

    def per_example(x):
        c = CAUGHT[caught](x)
        return sg.compile(lambda w: ((w * c) ** 3).sum(), outputs)(np.array([1.0, 2.0])) * x.sum()

    X = np.array([[1.0, 0.01], [2.0, 3.0], [0.0, 0.0], *[[0.5, 0.05]] * 5])
    np.testing.assert_allclose(sg.vmap(per_example)(X), [per_example(x) for x in X], rtol=1e-12)
