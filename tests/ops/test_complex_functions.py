"""Functions of complex numbers: holomorphic ones have one derivative, real ones a gradient, others neither."""

import numpy as np
import pytest
import scipy.linalg

import symgrad as sg

z0, z1 = 0.7 - 1.2j, np.array([0.5 + 1.0j, -1.5 + 0.25j])
M = np.array([[1 + 1j, 0.3], [0.5j, 2.0 - 1j]])

# name: (f, its first three derivatives)
NUMBERS = {
    "polynomial": (lambda z: 2 * z**3 - 1j * z, lambda z: 6 * z**2 - 1j, lambda z: 12 * z, lambda z: 12 + 0 * z),
    "exp": (np.exp, np.exp, np.exp, np.exp),
    "log": (np.log, lambda z: 1 / z, lambda z: -1 / z**2, lambda z: 2 / z**3),
    "sqrt": (np.sqrt, lambda z: z**-0.5 / 2, lambda z: -(z**-1.5) / 4, lambda z: 3 * z**-2.5 / 8),
    "1/z": (lambda z: 1 / z, lambda z: -1 / z**2, lambda z: 2 / z**3, lambda z: -6 / z**4),
    "sin": (np.sin, np.cos, lambda z: -np.sin(z), lambda z: -np.cos(z)),
    "a loop": (lambda z: z * z * z * z, lambda z: 4 * z**3, lambda z: 12 * z**2, lambda z: 24 * z),
}  # fmt: skip

NOT_HOLOMORPHIC = {
    "conj": lambda z: np.conj(z) * 1, "abs": lambda z: np.abs(z) * (1 + 0j), "real": lambda z: z.real * (1 + 0j),
    "imag": lambda z: z.imag + 0j, "z times its conjugate": lambda z: z * np.conj(z) + 0j,
    "a small part": lambda z: z**2 + 1e-5 * np.conj(z),
}  # fmt: skip

EVERY = {"grad": sg.grad, "jacobian": sg.jacobian, "jacrev": sg.jacrev, "jacfwd": sg.jacfwd}


def holomorphic(transform):
    return lambda f: transform(f, holomorphic=True)


@pytest.mark.parametrize("transform", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("name", NUMBERS)
def test_derivatives_to_the_third_order(name, transform):
    f, *expected = NUMBERS[name]
    for order in range(3):
        f = holomorphic(transform)(f)
        found = f(z0)
        assert isinstance(found, complex)
        np.testing.assert_allclose(found, expected[order](z0), rtol=1e-12)


@pytest.mark.parametrize("name", NUMBERS)
def test_jacobians_of_arrays_are_diagonal_and_hessians_have_the_second_derivatives(name):
    f, first, second, third = NUMBERS[name]
    for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
        np.testing.assert_allclose(transform(f, holomorphic=True)(z1), np.diag(first(z1)), rtol=1e-12, atol=1e-14)
    H = sg.hessian(lambda z: f(z).sum(), holomorphic=True)
    np.testing.assert_allclose(H(z1), np.diag(second(z1)), rtol=1e-12, atol=1e-14)
    T = sg.jacobian(H, holomorphic=True)(z1)
    np.testing.assert_allclose(T[[0, 1], [0, 1], [0, 1]], third(z1) + 0 * z1, rtol=1e-12)
    value, g = sg.value_and_grad(lambda z: f(z).sum(), holomorphic=True)(z1)
    np.testing.assert_allclose(value, f(z1).sum())
    np.testing.assert_allclose(g, first(z1) + 0 * z1, rtol=1e-12)


@pytest.mark.parametrize("f", [np.linalg.inv, lambda A: A @ A.T, sg.linalg.matrix_exp, lambda A: np.linalg.solve(A, M)])
def test_matrix_functions_have_the_derivative_of_differences(f):
    J = sg.jacobian(f, holomorphic=True)(M)
    direction = np.array([[1j, 0.5], [-1, 2 + 1j]])
    step = 1e-6
    expected = (np.asarray(f(M + step * direction)) - np.asarray(f(M - step * direction))) / (2 * step)
    np.testing.assert_allclose(np.einsum("ijkl,kl->ij", J, direction), expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(sg.jacfwd(f, holomorphic=True)(M), sg.jacrev(f, holomorphic=True)(M), rtol=1e-10)


def test_the_determinant():
    np.testing.assert_allclose(
        sg.grad(np.linalg.det, holomorphic=True)(M), np.linalg.det(M) * np.linalg.inv(M).T, rtol=1e-12
    )
    found = sg.jacobian(sg.linalg.matrix_exp, holomorphic=True)(M)
    E = np.array([[0, 1.0], [0, 0]])
    np.testing.assert_allclose(found[:, :, 0, 1], scipy.linalg.expm_frechet(M, E)[1], rtol=1e-10)


def test_containers_several_arguments_tensors_and_batches():
    found = sg.jacobian(lambda p: [p["a"] * p["b"], p["b"]], holomorphic=True)({"a": z0, "b": 2j})
    assert found == [{"a": 2j, "b": z0}, {"a": 0j, "b": 1 + 0j}]
    assert sg.grad(lambda a, b: a**2 * b, (0, 1), holomorphic=True)(z0, 2j) == (4j * z0, z0**2)
    H = sg.hessian(lambda p: p["a"] ** 2 * p["b"], holomorphic=True)({"a": z0, "b": 2j})
    assert H.labels == ["a", "b"] and np.allclose(H.matrix, [[4j, 2 * z0], [2 * z0, 0]])
    t = sg.tensor(z1, requires_grad=True)
    g = sg.grad(lambda z: (z**3).sum(), holomorphic=True)(t)
    assert g.requires_grad and np.allclose(sg.autograd.grad(g[0].real, t)[0].numpy(), [np.conj(6 * z1[0]), 0])
    assert np.allclose(sg.vmap(sg.grad(lambda z: z**3, holomorphic=True))(z1), 3 * z1**2)
    g, aux = sg.grad(lambda z: (z**2, "aux"), has_aux=True, holomorphic=True)(z0)
    assert g == 2 * z0 and aux == "aux"
    half = sg.grad(lambda z: (z**5).sum(), holomorphic=True)(z1.astype(np.complex64))
    assert half.dtype == np.complex64 and np.allclose(half, 5 * z1**4, rtol=1e-5)
    assert sg.grad(lambda z: 2j, holomorphic=True)(z0) == 0


@pytest.mark.parametrize("transform", [*EVERY.values(), sg.value_and_grad, sg.hessian])
@pytest.mark.parametrize("name", NOT_HOLOMORPHIC)
def test_a_function_that_is_not_holomorphic_is_refused(name, transform):
    with pytest.raises(sg.GradientError, match="not holomorphic at this point(.|\n)*Cauchy-Riemann"):
        transform(NOT_HOLOMORPHIC[name], holomorphic=True)(z0)


def test_one_output_that_is_not_holomorphic_is_enough():
    f = lambda z: np.concatenate([z**2, np.conj(z[:1])])
    for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
        with pytest.raises(sg.GradientError, match="not holomorphic"):
            transform(f, holomorphic=True)(z1)


@pytest.mark.parametrize("transform", [*EVERY.values(), sg.hessian])
def test_real_numbers_in_or_out_are_refused(transform):
    with pytest.raises(sg.DTypeError, match="takes complex arguments"):
        transform(lambda z: z * 1j, holomorphic=True)(1.0)
    with pytest.raises(sg.DTypeError, match="return complex numbers"):
        transform(np.abs, holomorphic=True)(z0)


@pytest.mark.parametrize("transform", [sg.jacobian, sg.jacrev, sg.jacfwd])
def test_without_it_complex_outputs_of_complex_arguments_are_refused(transform):
    with pytest.raises(sg.DTypeError, match=r"holomorphic=True\)(.|\n)*sg.jvp(.|\n)*sg.vjp"):
        transform(lambda z: z**3)(z0)
    with pytest.raises(sg.DTypeError, match="real arguments"):
        transform(lambda p: p["z"] * p["s"])({"z": z1, "s": np.ones(2)})


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.hessian])
def test_without_it_a_complex_number_has_no_gradient(transform):
    with pytest.raises(sg.GradientError, match=rf"sg.{transform.__name__}\(f, holomorphic=True\)"):
        transform(lambda z: z**3)(z0)


def test_the_gradient_of_a_real_function_is_the_direction_of_steepest_ascent():
    f = lambda z: (np.abs(z) ** 2).sum() + (z * 1j).real.sum()
    expected = 2 * z1 - 1j
    np.testing.assert_allclose(sg.grad(f)(z1), expected)
    for transform in (sg.jacobian, sg.jacrev):
        np.testing.assert_allclose(transform(f)(z1), expected)
        np.testing.assert_allclose(transform(lambda z: np.abs(z) ** 2)(z1), np.diag(2 * z1))
    np.testing.assert_allclose(sg.vjp(lambda z: z**3, z0)[1](1.0 + 0j)[0], np.conj(3 * z0**2))
    np.testing.assert_allclose(sg.jvp(lambda z: z**3, (z0,), (1j,))[1], 3j * z0**2)


def test_sparse_formats_and_formulas_of_complex_numbers_are_refused():
    with pytest.raises(sg.GradientError, match="format 'csr'"):
        sg.hessian(lambda z: z**2, format="csr", holomorphic=True)
    with pytest.raises(sg.FormulaError, match="complex"):
        sg.grad(np.exp, holomorphic=True).formula(z0)
    assert str(sg.grad(lambda z: z**3, holomorphic=True)(sg.symbol("z"))) == "3z²"


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sg.abs(sg.exp(1j * x).sum()) ** 2,
        lambda x: sg.imag(sg.exp(1j * x).mean()) ** 3,
        lambda x: sg.abs((1j * x * x + x).sum()) ** 2,
    ],
)
def test_rows_of_a_second_derivative_through_a_sum_of_complex_numbers(f):
    x = np.array([1.0, 1.5, 1.2])
    hessian = sg.hessian(f)(x)
    for transform in (sg.jacobian, sg.jacrev, sg.jacfwd):
        np.testing.assert_allclose(transform(sg.grad(f))(x), hessian, rtol=1e-10, atol=1e-12)
    leaf = sg.tensor(x, requires_grad=True)
    (g,) = sg.autograd.grad(f(leaf), leaf, create_graph=True)
    (rows,) = sg.autograd.grad(g, leaf, sg.eye(3), is_grads_batched=True)
    np.testing.assert_allclose(rows.numpy(), hessian, rtol=1e-10, atol=1e-12)


def test_tangents_of_complex_parts_written_over_constants_keep_their_imaginary_part():
    """Of the constant written over, the graph keeps the shape and not that it is complex."""

    def f(x):
        z = sg.zeros(3, dtype=sg.complex128)
        z = sg.select_scatter(z, sg.exp(1j * x[0]) * x[1], 0, 1)
        z = sg.slice_scatter(z, sg.exp(1j * x)[:1], 0, 0, 1)
        return (z * (1 + 2j)).imag.sum() + z.abs().square().sum() + (z**2).imag.sum()

    x, v, h = sg.tensor([0.3, 0.7]), sg.tensor([1.0, 2.0]), 1e-5
    slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
    np.testing.assert_allclose(sg.jvp(f, (x,), (v,))[1], slope, rtol=1e-8)
    bend = (sg.grad(f)(x + h * v) - sg.grad(f)(x - h * v)) / (2 * h)
    for hessian in (sg.hessian(f)(x), sg.jacfwd(sg.grad(f))(x), sg.jacrev(sg.grad(f))(x)):
        np.testing.assert_allclose(hessian @ v, bend, rtol=1e-8)
