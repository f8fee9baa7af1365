"""The incomplete gamma and beta functions, differentiated by their parameters.

Their slopes have no closed form. Where a function is small it is summed by what converges there, and the other side is
its complement, so that nothing cancels: below its mean the lower gamma function by its power series (DLMF 8.7.1), above
it the upper one by its continued fraction (8.9.2); the beta function by its continued fraction (8.17.22), of x or of
1 - x. The sums are made with `Jet`, which gives their derivatives; the values themselves are SciPy's.

It holds to 1e-10 for parameters up to `MOST`; beyond, and where SciPy has no value, the slopes are NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._lazy import special
from ._jets import Jet, parameters

MOST = 1e5
"""The largest parameter: a sum takes a multiple of its square root steps."""


def spread(*arrays: Any) -> list[np.ndarray]:
    """The operands as flat arrays of doubles, of one shape; then that shape's dtype is `rounded` to."""
    return [np.array(a, np.float64).ravel() for a in np.broadcast_arrays(*arrays)]


def rounded(found: np.ndarray, *arrays: Any) -> np.ndarray:
    """What was found, in the operands' shape and dtype."""
    shape, kinds = np.broadcast_shapes(*map(np.shape, arrays)), [getattr(a, "dtype", None) for a in arrays]
    single = [k for k in kinds if k is not None and k.kind == "f"]
    dtype = np.result_type(*single) if single else np.float64
    return found.reshape(shape).astype(dtype, copy=False)


# ------------------------------------------------------------------------------------------------ gamma


def _gamma_series(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second logarithmic derivative by a of P(a, x) for x below its mean, without cancellation."""
    term, first, second = np.ones_like(x), np.zeros_like(x), np.zeros_like(x)  # 1/(a+1)...(a+n): slopes of logarithm
    total, slope, bend = np.ones_like(x), np.zeros_like(x), np.zeros_like(x)
    n = 0
    while term.size and n < 200 + 12 * MOST**0.5:
        n += 1
        term = term * (x / (a + n))
        first = first + 1 / (a + n)
        second = second + 1 / (a + n) ** 2
        total += term
        slope -= term * first
        bend += term * (first * first + second)
        if (term * first * first <= 1e-17 * total).all():
            break
    by_a = np.log(x) - special.digamma(a + 1) + slope / total
    return by_a, by_a * by_a - special.polygamma(1, a + 1) + bend / total - (slope / total) ** 2


def _gamma_fraction(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First derivative over the value, and second over it, by a of Q(a, x) for x above its mean."""
    steps = int(80 + 8 * np.sqrt(np.max(a, initial=0.0)))
    value, slope, bend = x + 1 - a + 2 * steps, -np.ones_like(x), np.zeros_like(x)
    for k in range(steps, 0, -1):
        q = k * (a - k) / value
        q1 = (k - q * slope) / value
        q2 = -(2 * q1 * slope + q * bend) / value
        value, slope, bend = x - a + (2 * k - 1) + q, q1 - 1, q2
    by_a = np.log(x) - special.digamma(a) - slope / value
    return by_a, by_a * by_a - special.polygamma(1, a) - bend / value + (slope / value) ** 2


def _gamma(a: Any, x: Any, order: int) -> np.ndarray:
    """A derivative of P by a, of order 1 or 2."""
    given = (a, x)
    a, x = spread(a, x)
    out = np.full(a.shape, np.nan)
    inside = (a > 0) & (a <= MOST)
    out[inside & ((x == 0) | (x == np.inf))] = 0.0
    inside &= (x > 0) & (x < np.inf)
    low = inside & (x <= np.maximum(1.5, a + 0.5))
    high = inside & ~low
    with np.errstate(all="ignore"):
        out[low] = special.gammainc(a[low], x[low]) * _gamma_series(a[low], x[low])[order - 1]
        out[high] = -special.gammaincc(a[high], x[high]) * _gamma_fraction(a[high], x[high])[order - 1]
    return rounded(out, *given)


def gamma_slope(a: Any, x: Any) -> np.ndarray:
    """The derivative of P(a, x) by a."""
    return _gamma(a, x, 1)


def gamma_bend(a: Any, x: Any) -> np.ndarray:
    """The second derivative of P(a, x) by a."""
    return _gamma(a, x, 2)


# ------------------------------------------------------------------------------------------------- beta


def _beta_fraction(a: np.ndarray, b: np.ndarray, x: np.ndarray, second: bool) -> Jet:
    """The denominator of the continued fraction of I_x(a, b), for x below its mean."""
    steps = int(50 + 5 * np.sqrt(np.max(a, initial=0.0) + np.max(b, initial=0.0)))
    ja, jb = parameters([a, b], second)
    total = ja * 0.0 + np.ones_like(x)
    for m in range(steps, -1, -1):
        odd = ((ja + m) * (ja + jb + m)) * -x / ((ja + 2 * m) * (ja + (2 * m + 1)))
        total = odd / total + 1.0
        if m:
            even = (jb + -m) * (m * x) / ((ja + (2 * m - 1)) * (ja + 2 * m))
            total = even / total + 1.0
    return total


def _beta_below(a: np.ndarray, b: np.ndarray, x: np.ndarray, rest: np.ndarray, wanted: str) -> np.ndarray:
    """A derivative of I_x(a, b) over its value, for x below the mean; ``rest`` is 1 - x."""
    f = _beta_fraction(a, b, x, len(wanted) == 2)
    psi, both = special.digamma, special.digamma(a + b)
    slopes = [np.log(x) + both - psi(a + 1) - f.g[0] / f.v, np.log(rest) + both - psi(b) - f.g[1] / f.v]
    i, j = "ab".index(wanted[0]), "ab".index(wanted[-1])
    if len(wanted) == 1:
        return slopes[i]
    bends = -f.h[i, j] / f.v + f.g[i] * f.g[j] / (f.v * f.v) + special.polygamma(1, a + b)
    if i == j:
        bends = bends - special.polygamma(1, a + 1 if i == 0 else b)
    return slopes[i] * slopes[j] + bends


_SWAPPED = {"a": "b", "b": "a", "aa": "bb", "ab": "ab", "bb": "aa"}


def beta_slope(a: Any, b: Any, x: Any, wanted: str) -> np.ndarray:
    """A derivative of I_x(a, b) by its parameters: ``wanted`` is a, b, aa, ab or bb."""
    given = (a, b, x)
    a, b, x = spread(a, b, x)
    out = np.full(a.shape, np.nan)
    inside = (a > 0) & (b > 0) & (a <= MOST) & (b <= MOST)
    out[inside & ((x == 0) | (x == 1))] = 0.0
    if set(wanted) != {"a", "b"}:  # where the other parameter is 0, all of it is at one end
        other, own = (b, a) if "a" in wanted else (a, b)
        out[(other == 0) & (own > 0) & (x > 0) & (x < 1)] = 0.0
    inside &= (x > 0) & (x < 1)
    low = inside & (x <= (a + 1) / (a + b + 2))
    high = inside & ~low
    with np.errstate(all="ignore"):
        if low.any():  # else the fraction has its steps for nothing
            p, q, t = a[low], b[low], x[low]
            out[low] = special.betainc(p, q, t) * _beta_below(p, q, t, 1 - t, wanted)
        if high.any():
            p, q, t = a[high], b[high], x[high]
            out[high] = -special.betaincc(p, q, t) * _beta_below(q, p, 1 - t, t, _SWAPPED[wanted])
    return rounded(out, *given)
