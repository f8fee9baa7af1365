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
