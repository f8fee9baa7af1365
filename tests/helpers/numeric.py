"""Derivatives by numbers alone: what the tests hold symgrad's derivatives against.

Nothing here knows symgrad: functions take arrays and give real numbers.
"""

import numpy as np

STEP = 4e-3
"""The widest step of `slope`: points must be this far from kinks and edges."""


def slope(f, step=STEP):
    """Return f'(0) by central differences, extrapolated twice (error of order step**6)."""
    wide, half, quarter = ((f(s) - f(-s)) / (2 * s) for s in (step, step / 2, step / 4))
    first, second = (4 * half - wide) / 3, (4 * quarter - half) / 3
    return (16 * second - first) / 15


def is_smooth(f, step=STEP):
    """Whether f looks smooth within ``step`` of 0: a kink or a jump makes the slope depend on the step."""
    wide, half, _ = ((f(s) - f(-s)) / (2 * s) for s in (step, step / 2, step / 4))
    return np.isfinite(wide) and abs(wide - half) <= 1e-3 * (1 + abs(half))


def complex_slope(f):
    """Return f'(0) by a complex step, exact to the last digit, or None where f takes no complex numbers."""
    tiny = 1e-30
    try:
        value = f(1j * tiny)
    except Exception:
        return None
    return float(np.imag(value)) / tiny if np.iscomplexobj(value) else None


def gradient(f, x, analytic=False):
    """Return df/dx entry by entry (df/dRe + i df/dIm for complex ``x``) of a function from arrays to numbers.

    ``analytic`` tries a complex step first and takes it where differences agree that f is analytic.
    """
    out = np.zeros(x.shape, np.result_type(x.dtype, np.float64))
    for place in np.ndindex(*x.shape):
        out[place] = _partial(f, x, place, 1, analytic and x.dtype.kind == "f")
        if x.dtype.kind == "c":
            out[place] += 1j * _partial(f, x, place, 1j, False)
    return out


def assert_gradient(found, f, x, rtol=1e-7, atol=1e-8, analytic=False, what=""):
    """Assert that ``found`` is `gradient` of f at x, along two directions that move every entry.

    A wrong entry shows in both, at the price of two entries. None moves further than in `gradient`, nor less than half.
    """
    assert found.shape == x.shape, f"{what}: shape {found.shape}, expected {x.shape}"
    rng = np.random.default_rng(x.size)
    scale = max(1.0, float(np.abs(found).max(initial=0.0)))
    for _ in range(2):
        direction = rng.uniform(0.5, 1, x.shape) * rng.choice([-1, 1], x.shape)
        if x.dtype.kind == "c":
            direction = direction * np.exp(1j * rng.uniform(0, 2 * np.pi, x.shape))
        expected = _slope_along(f, x, direction, analytic and x.dtype.kind == "f")
        actual = np.real(np.vdot(found, direction))
        np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol * scale, err_msg=what)


def _partial(f, x, place, direction, analytic):
    unit = np.zeros(x.shape, x.dtype)
    unit[place] = direction
    return _slope_along(f, x, unit, analytic)


def _slope_along(f, x, direction, analytic):
    def along(t):
        return f(np.asarray(x + t * direction))

    by_differences = slope(along)
    if analytic:
        exact = complex_slope(along)
        if exact is not None and abs(exact - by_differences) <= 1e-7 * (1 + abs(by_differences)):
            return exact
    return by_differences


def assert_close(actual, expected, rtol=1e-7, atol=1e-8, what=""):
    """Assert equal shapes and close entries, where the tolerance follows the largest entry."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    scale = max(1.0, float(np.abs(expected).max())) if expected.size else 1.0
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol * scale, err_msg=what)
