"""Functions of complex numbers: one derivative, a gradient or neither; on cuts the sign of a zero decides."""

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


# On cuts --------------------------------------------------------------------------------------------------------------


INVERSE = ["sqrt", "log", "log2", "log10", "log1p", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"]
NAMES = [*INVERSE, "exp", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "reciprocal", "square", "sinc"]
PLACES = (-3.1, -1.8, -0.4, 0.6, 1.3, 2.7)
SIDES = [complex(x, side) for x in PLACES for side in (0.0, -0.0)] + [
    complex(side, y) for y in PLACES for side in (0.0, -0.0)
]
EMATH = ["sqrt", "log", "log2", "log10", "arcsin", "arccos", "arctanh"]


def along(z, t):
    """A point further along the axis that z lies on, on the same side of it."""
    return complex(z.real + t, z.imag) if z.imag == 0 else complex(z.real, z.imag + t)


def slope(f, z):
    """By differences along the axis; None at a pole."""
    with np.errstate(all="ignore"):
        found = (f(along(z, 1e-6)) - f(along(z, -1e-6))) / 2e-6
    return found if np.isfinite(found) else None


@pytest.mark.parametrize("z", SIDES, ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_slopes_on_both_sides_of_an_axis_are_those_of_differences_along_it(name, z):
    f = getattr(np, name)
    expected = slope(f, z)
    if expected is None:
        return
    level = z.imag == 0

    def value(t):
        return f(sg.complex(t, sg.tensor(z.imag)) if level else sg.complex(sg.tensor(z.real), t))

    at = sg.tensor(z.real if level else z.imag)
    for found in (
        complex(sg.func.jvp(value, (at,), (sg.ones_like(at),))[1].item()),
        complex(*(sg.func.grad(lambda t, part=part: part(value(t)))(at).item() for part in (np.real, np.imag))),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("x", [-3.1, -1.8, -0.4, 0.6, 1.3, 2.7])
@pytest.mark.parametrize("name", EMATH)
def test_real_numbers_beyond_a_domain_have_the_slope_of_their_side(name, x):
    f, step, x = getattr(np.emath, name), 1e-6, np.float64(x)  # since 3.14 Python itself says -0j for 1.8 - 0j
    for part in (np.real, np.imag):
        expected = (part(f(x + step)) - part(f(x - step))) / (2 * step)
        np.testing.assert_allclose(sg.grad(lambda x, part=part: part(f(x)))(x), expected, rtol=1e-6, atol=1e-8)
        for joined in (lambda x: x + 0j, lambda x: x - 0j, lambda x: 1j * (x * -1j)):
            g = getattr(np, name)
            expected = (part(g(joined(x + step))) - part(g(joined(x - step)))) / (2 * step)
            found = sg.grad(lambda x, part=part, joined=joined, g=g: part(g(joined(x))))(x)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_parts_are_joined_as_they_are():
    """a + 1j b would be NaN beside an infinity, and lose the sign of a zero."""
    for a, b in ((1.0, np.inf), (np.inf, 1.0), (-0.0, -0.0), (0.0, np.nan)):
        found = sg.complex(sg.tensor(a), sg.tensor(b)).numpy()
        np.testing.assert_array_equal([found.real, found.imag], [a, b])
        assert np.signbit(found.real) == np.signbit(a) and np.signbit(found.imag) == np.signbit(b)


WRITES = {
    "a part": lambda o: setattr(o, "imag", -0.0), "its view": lambda o: o.imag.__setitem__(..., -0.0),
    "one entry": lambda o: o.imag.__setitem__(0, -0.0), "turned": lambda o: setattr(o, "imag", -o.imag),
    "the other part": lambda o: (np.negative(o.imag, out=o.imag), setattr(o, "real", 2 * o.real)),
    "an infinity": lambda o: setattr(o, "imag", np.inf), "by real": lambda o: np.real(o).__setitem__(..., o.real * 2),
}  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("of", [lambda x: x + 0j, lambda x: np.conj(x + 0j), lambda x: np.zeros_like(x, complex) + x])
def test_a_part_that_is_written_leaves_the_other_and_its_own_sign_of_zero(of, write):
    def f(x):
        o = of(x)
        WRITES[write](o)
        return (np.sqrt(o).imag * [1.0, 3.0]).sum() if write != "an infinity" else (o.real * x).sum()

    x = np.array([-2.0, -3.0])
    value, gradient = sg.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x))
    slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6)


@pytest.mark.parametrize("dtype", [complex, np.complex64])
def test_the_reciprocal_is_on_numpys_side_of_the_real_axis(dtype):
    z = np.array([*SIDES, 0.5, -0.5, complex(0.5, -0.0), complex(-0.5, -0.0)], dtype)
    zeros = lambda w: np.stack([np.signbit(w.real) & (w.real == 0), np.signbit(w.imag) & (w.imag == 0)])
    found = np.array(sg.vmap(np.reciprocal)(z))
    for w in (found, sg.tensor(z), *[sg.vjp(np.reciprocal, z)[0]]):
        w = np.reciprocal(w).numpy() if isinstance(w, sg.Tensor) else np.asarray(w)
        np.testing.assert_allclose(w, np.reciprocal(z), rtol=1e-6)
        np.testing.assert_array_equal(zeros(w), zeros(np.reciprocal(z)))
        assert w.dtype == dtype
    g = lambda z: np.arcsin(np.reciprocal(z)).imag.sum()
    for z in (0.5 + 0j, complex(0.5, -0.0), -0.5 + 0j, complex(-0.5, -0.0)):
        value, gradient = sg.value_and_grad(g)(np.array([z]))
        assert value == pytest.approx(g(np.array([z])))
        step = lambda t, z=z: g(np.array([complex(z.real + t, z.imag)]))
        assert gradient[0].real == pytest.approx((step(1e-6) - step(-1e-6)) / 2e-6)


@pytest.mark.parametrize("base", [-2.0, -2, np.float64(-2), np.array([-2.0])])
def test_a_power_of_a_negative_number_has_its_slope_in_a_batch_of_one(base):
    f = lambda z: np.power(base, z).real.sum()
    for z in (np.array([0.5 + 2j]), np.array([0.1 + 1j], np.complex64)):
        expected = np.conj(np.log(-2 + 0j) * np.power(-2 + 0j, z))
        np.testing.assert_allclose(sg.grad(f)(z), expected, rtol=1e-5)
        np.testing.assert_allclose(sg.vmap(sg.grad(f))(z[None])[0], expected, rtol=1e-5)


def test_second_derivatives_where_a_complex_number_is_zero():
    x = np.array([0.0, 1.0, -1.0])
    assert not sg.hessian(lambda x: np.abs(x + 2j * x).sum())(x).any()  # of |x|, which is straight
    norm = sg.hessian(lambda x: np.linalg.norm(x + 1j * x**2))  # smooth, as not all are zero
    np.testing.assert_allclose(norm(x), [[0.5, 0, 0], [0, 2.375, 1.125], [0, 1.125, 2.375]], rtol=1e-12)
    z = sg.tensor([[0j, 1 - 1j], [2j, 0j]])
    assert sg.linalg.vector_norm(z, 2, -1, True).tolist() == [[2**0.5], [2.0]]
    sg.testing.assert_close(sg.nn.functional.normalize(z), z / sg.tensor([[2**0.5], [2.0]]))
