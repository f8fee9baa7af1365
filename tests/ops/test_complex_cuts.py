"""On the cuts of complex functions: the slope is that of the side which the sign of a zero says, as the value is."""

import numpy as np
import pytest

import symgrad as sg

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
    f, step = getattr(np.emath, name), 1e-6
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
