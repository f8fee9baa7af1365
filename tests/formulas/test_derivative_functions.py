"""``sg.grad``, ``sg.jacobian``, ``sg.hessian``: arrays give arrays, tensors tensors, symbols formulas."""

import functools
import inspect

import numpy as np
import pytest

import symgrad as sg

rng = np.random.default_rng(1)
Q = rng.normal(size=(3, 3))
point = rng.normal(size=3)
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
        M = rng.normal(size=shape)
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
