"""Distribution functions and quantiles that SciPy has no special function of, for `symgrad.scipy.stats`.

The idea to hold: where a sum or an integral is needed, its terms have one sign, so that tails are exact; what it is
differentiated by has a closed form, or is the same integral of another order. A quantile has the slopes of the
distribution function that it inverts, over the density (dF = 0 along q = F(x, a, b)).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._limits import INTEGRALS
from ...core import elementwise
from .._lazy import special
from . import _elementwise as e
from ._incomplete import rounded, spread

# ruff: noqa: E501  (a row is a line)

NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
"""Of Gauss's quadrature between -1 and 1. More would not be better: NumPy's weights have larger errors then."""
ROOT_2PI = math.sqrt(2 * math.pi)
DROP = 44.0
"""An integrand is followed until it has fallen by exp(-DROP), 8e-20."""


def _integral(f: Any, low: np.ndarray, high: np.ndarray, *given: np.ndarray) -> np.ndarray:
    """The integrals of a smooth function, each between its own limits; ``given`` are its other arguments."""
    out = np.empty(low.shape)
    for k in range(0, low.size, INTEGRALS):
        part = slice(k, k + INTEGRALS)
        half = (high[part] - low[part]) / 2
        at = (low[part] + half)[:, None] + half[:, None] * NODES
        # a sum along each row: a product with the weights adds up in an order that hangs on the number of rows
        out[part] = half * (f(at, *(v[part, None] for v in given)) * WEIGHTS).sum(-1)
    return out


# ------------------------------------------------------------------------------------------- the truncated normal


def _log_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability between a and b, computed in the tail where both lie."""
    right = a > 0
    low, high = e.log_ndtr(np.where(right, -b, a)), e.log_ndtr(np.where(right, -a, b))
    return high + np.log(-np.expm1(low - high))


def _truncated_quantile(q: Any, a: Any, b: Any) -> np.ndarray:
    """The point up to which the share q of the normal probability between a and b lies, from the nearer tail."""
    given = (q, a, b)
    q, a, b = spread(q, a, b)
    with np.errstate(all="ignore"):
        right = a > 0
        low, high = special.log_ndtr(np.where(right, -b, a)), special.log_ndtr(np.where(right, -a, b))
        mass = high + np.log(-np.expm1(low - high))
        below = np.logaddexp(special.log_ndtr(a), np.log(q) + mass)
        above = np.logaddexp(special.log_ndtr(-b), np.log1p(-q) + mass)
        left = below < -math.log(2)
        found = np.where(left, 1.0, -1.0) * special.ndtri_exp(np.minimum(np.where(left, below, above), 0.0))
        found = np.clip(found, a, b)
    found = np.where(q == 0, a, np.where(q == 1, b, found))
    return rounded(np.where((q >= 0) & (q <= 1) & (a < b), found, np.nan), *given)


# ------------------------------------------------------------------------------------------------ the skew normal


def _skew_normal(x: Any, a: Any) -> np.ndarray:
    """∫ 2 φ(t) Φ(at) dt up to x, which is Φ(x) - 2 T(x, a); where that cancels, other forms of T or its integral."""
    given = (x, a)
    y, a = spread(x, a)
    with np.errstate(all="ignore"):
        below = special.ndtr(y)
        found = below - 2 * special.owens_t(y, a)
        little = (a > 0) & (found < 0.25 * below)
        near = little & (a > 1) & (a * y >= -4)  # T(y, a) by T(ay, 1/a)
        h, s = y[near], a[near]
        found[near] = 2 * special.owens_t(s * h, 1 / s) + special.ndtr(s * h) * special.erf(h * math.sqrt(0.5))
        far = little & ~near & (y < 0)
        h, s = y[far] ** 2, a[far]
        last = 2 * DROP / h / (s + np.sqrt(s * s + 2 * DROP / h))  # where h (s u + u²/2) is DROP
        found[far] = _integral(
            lambda u, h, s: np.exp(-h * u * (s + u / 2)) / (1 + (s + u) ** 2), np.zeros_like(s), last, h, s
        ) * np.exp(-h * (1 + s * s) / 2) / math.pi  # fmt: skip
        out = np.where(np.isinf(a), np.nan, np.minimum(found, 1.0))
    return rounded(out, *given)


def _lower_skew_quantile(q: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The quantile at q <= 1/2 by Newton's steps on the logarithm, which is concave: from the left they cannot pass it.

    To the left of it lie those of 2 Φ(x) and, for a > 0 and x < 0, of exp(-(1 + a²) x²/2) acot(a)/π.
    """
    x = special.ndtri(q / 2)
    share = np.arctan2(1.0, a) / math.pi  # the probability below 0
    root = -np.sqrt(np.maximum(2 * (np.log(share) - np.log(q)), 0.0) / (1 + a * a))
    x = np.where(a > 0, np.maximum(x, root), x)
    at = np.arange(q.size)
    for _ in range(60):
        y, c = x[at], a[at]
        below = _skew_normal(y, c)
        over_density = np.exp(y * y / 2 - special.log_ndtr(c * y)) * (ROOT_2PI / 2)
        step = (np.log(below) - np.log(q[at])) * below * over_density
        x[at] = y - step
        at = at[np.abs(step) > 1e-9 * np.abs(x[at])]  # steps double the digits
        if not at.size:
            break
    return x


def _skew_quantile(q: Any, a: Any) -> np.ndarray:
    """The point up to which the skew normal distribution has the probability q, from the nearer tail."""
    given = (q, a)
    q, a = spread(q, a)
    out = np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan))
    out[np.isnan(a) | np.isinf(a)] = np.nan
    with np.errstate(all="ignore"):
        for sign, chosen in ((1, (q > 0) & (q <= 0.5)), (-1, (q > 0.5) & (q < 1))):
            at = chosen & np.isfinite(a)
            out[at] = sign * _lower_skew_quantile(q[at] if sign > 0 else 1 - q[at], sign * a[at])
    return rounded(out, *given)


# -------------------------------------------------------------------------------------------------- von Mises


def _vonmises_tail(k: np.ndarray, x: np.ndarray, n: int) -> np.ndarray:
    """∫ (1 - cos t)^n exp(-k (1 - cos t)) dt from x to π, for x of 0 to π."""
    start = np.sin(x / 2) ** 2
    reach = np.sqrt(np.minimum(1.0, start + (DROP / 2 + 2 * n) / np.maximum(k, 1e-300)))
    last = np.where(reach < 1, 2 * np.arcsin(np.minimum(reach, 1.0)), math.pi)

    def f(t: Any, k: Any) -> Any:
        size = 2 * np.sin(t / 2) ** 2
        return size**n * np.exp(-k * size)

    return _integral(f, x, last, k)


def _vonmises_mass(k: Any, x: Any, n: int) -> np.ndarray:
    """The integral of `_vonmises_tail` from -π to x; each whole turn adds all of it, as in SciPy."""
    given = (k, x)
    k, x = spread(k, x)
    with np.errstate(all="ignore"):
        turns = np.round(np.where(np.isinf(x), 0.0, x) / (2 * math.pi))
        at = np.clip(np.where(np.isinf(x), np.sign(x) * math.pi, x - 2 * math.pi * turns), -math.pi, math.pi)
        half = _vonmises_tail(k, np.zeros_like(x), n)
        tail = _vonmises_tail(k, np.abs(at), n)
        found = 2 * turns * half + np.where(at > 0, 2 * half - tail, tail)
        out = np.where(k >= 0, found, np.nan)
    return rounded(out, *given)


def _inner(x: np.ndarray, k: np.ndarray) -> np.ndarray:
    """∫ exp(-k (1 - cos t)) dt from x to 0."""
    return _integral(lambda t, k: np.exp(-2 * k * np.sin(t / 2) ** 2), x, np.zeros_like(x), k)


def _vonmises_step(x: np.ndarray, q: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far Newton's step goes down, and whether the next one would be nothing, because steps double the digits.

    It is made on the integral to 0 near it, on the tail's logarithm elsewhere.
    """
    size, slope = 2 * math.pi * special.i0e(k), np.exp(-2 * k * np.sin(x / 2) ** 2)
    step, last = np.empty(x.shape), np.empty(x.shape, bool)
    near = q > 0.25
    step[near] = ((0.5 - q) * size - _inner(x, k))[near] / slope[near]
    tail = _vonmises_tail(k[~near], -x[~near], 0)
    above = np.log(tail / (q * size)[~near])
    step[~near] = above * tail / slope[~near]
    last[near], last[~near] = np.abs(step[near]) <= 1e-9 * np.abs(x[near]), np.abs(above) <= 1e-9
    return step, last


def _lower_vonmises_quantile(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """The quantile at q <= 1/2 by Newton's steps, halving where one leaves what is known to hold it."""
    low, high = np.full(q.shape, -math.pi), np.zeros_like(q)
    wide = special.ndtri(q) / np.sqrt(np.maximum(k, 1e-300))
    x = np.where(wide > -1, wide, -math.pi + 2 * math.pi * q)
    at = np.arange(q.size)
    for _ in range(100):
        step, last = _vonmises_step(x[at], q[at], k[at])
        low[at], high[at] = np.where(step < 0, x[at], low[at]), np.where(step > 0, x[at], high[at])
        moved = x[at] - step
        out = (moved < low[at]) | (moved > high[at]) | np.isnan(moved)
        moved = np.where(out, (low[at] + high[at]) / 2, moved)
        last = (last & ~out) | (moved == x[at])
        x[at] = moved
        at = at[~last]
        if not at.size:
            break
    return x


def _vonmises_quantile(q: Any, k: Any) -> np.ndarray:
    """The angle up to which von Mises's distribution has the probability q; infinite at 0 and 1, as in SciPy."""
    given = (q, k)
    q, k = spread(q, k)
    out = np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan))
    out[~((k >= 0) & (k < np.inf))] = np.nan
    with np.errstate(all="ignore"):
        for sign, chosen in ((1, (q > 0) & (q <= 0.5)), (-1, (q > 0.5) & (q < 1))):
            at = chosen & (k >= 0) & (k < np.inf)
            out[at] = sign * _lower_vonmises_quantile(q[at] if sign > 0 else 1 - q[at], k[at])
    return rounded(out, *given)


# fmt: off
truncated_quantile: Any = elementwise("truncated_quantile", _truncated_quantile, lambda a, b, y: np.exp(_log_mass(a, b) + y * y / 2) * math.sqrt(2 * math.pi), lambda q, a, y: (1 - q) * np.exp((y - a) * (y + a) / 2), lambda q, b, y: q * np.exp((y - b) * (y + b) / 2), domain=("probability", "negative", "positive"), real_only=True, explained=True, doc="the quantile at q of the standard normal distribution between a and b")
skew_normal: Any = elementwise("skew_normal", _skew_normal, lambda x, a: 2 * e.normal_pdf(x) * e.ndtr(a * x), lambda x, a: np.exp(-0.5 * (x * x) * (1 + a * a)) / (-math.pi * (1 + a * a)), real_only=True, explained=True, doc="the distribution function at x of the skew normal distribution of shape a")
vonmises_mass: Any = elementwise("vonmises_mass", lambda k, x, n: _vonmises_mass(k, x, n), lambda k, x, n: -vonmises_mass(k, x, n + 1), lambda k, x, n: (1 - np.cos(x))**n * np.exp(-k * (1 - np.cos(x))), domain=("positive", "real"), sample=(0,), real_only=True, explained=True, doc="the integral of (1 - cos(t))**n exp(-k (1 - cos(t))) from -pi to x")
skew_quantile: Any = elementwise("skew_quantile", _skew_quantile, lambda a, y: ROOT_2PI / 2 * np.exp(y * y / 2 - e.log_ndtr(a * y)), lambda a, y: e.normal_hazard(a * y) / (1 + a * a), domain=("probability", "real"), real_only=True, explained=True, doc="the quantile at q of the skew normal distribution of shape a")
vonmises_quantile: Any = elementwise("vonmises_quantile", _vonmises_quantile, lambda k, y: vonmises_mass(k, math.pi, 0) * np.exp(2 * k * np.sin(y / 2)**2), lambda k, y: np.exp(2 * k * np.sin(y / 2)**2) * (vonmises_mass(k, y, 1) - vonmises_mass(k, y, 0) * (vonmises_mass(k, math.pi, 1) / vonmises_mass(k, math.pi, 0))), domain=("probability", "positive"), real_only=True, explained=True, doc="the quantile at q of von Mises's distribution of concentration k")
# fmt: on


# --------------------------------------------------------------------------------------------------------- counts


MOST_COUNTED = 9e15
"""Beyond, counts are no whole numbers in doubles: SciPy's functions do not return there, or end the process."""


def _quantile(name: str, *domains: str, n: bool = False) -> Any:
    """The row of a quantile of counts: constant but for jumps, so that its derivatives are 0, as those of `floor`.

    Its operands are q and the parameters in these ``domains``; of how many it counts, ``n``, is whole and no operand.
    """

    def quantile(above: bool, q: Any, *given: Any) -> np.ndarray:
        import scipy.stats

        shape = np.broadcast_shapes(*map(np.shape, (q, *given)))
        with np.errstate(all="ignore"):
            size = np.abs(given[0] / np.minimum(given[1], 1.0)) if name == "nbinom" else np.abs(given[0])
        inside = np.broadcast_to(size <= MOST_COUNTED, shape)
        kept = [np.where(inside, v, 0.5) for v in (q, *given)]
        law = getattr(scipy.stats, name)
        return rounded(np.where(inside, (law.isf if above else law.ppf)(*kept), np.nan), q, *given)

    forwards: Any = {
        1: lambda q, a, above: quantile(above, q, a),
        2: lambda q, a, b, above: quantile(above, q, a, b),
        3: lambda q, p, n, above: quantile(above, q, n, p),
        4: lambda q, a, b, n, above: quantile(above, q, n, a, b),
    }
    facts = {"sample": (4, False)} if n else {"sample": (False,), "means": "option"}
    return elementwise(
        f"{name}_quantile", forwards[len(domains) + 2 * n], *(0,) * (len(domains) + 1), **facts, real_only=True,
        explained=True, domain=("probability", *domains), kink="where it jumps to the next count: 0",
        doc=f"SciPy's {name}.ppf, the count up to which the probability is q, or {name}.isf",
    )  # fmt: skip


COUNT_QUANTILES = {
    "poisson": _quantile("poisson", "positive"), "geom": _quantile("geom", "probability"),
    "nbinom": _quantile("nbinom", "positive", "probability"), "binom": _quantile("binom", "probability", n=True),
    "betabinom": _quantile("betabinom", "positive", "positive", n=True),
}  # fmt: skip
"""By SciPy's name of a distribution: the row of its quantiles; True for those above which the probability is q."""
