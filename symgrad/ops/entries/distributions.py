"""Distribution functions and quantiles, and probabilities of several normal numbers that are correlated."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import wraps
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from ..._limits import INTEGRALS
from ...core import elementwise, general
from ..lazy import arguments_of, calling, special
from ..samples import sampled
from . import elementwise as e
from .gammas import (
    beta_density,
    beta_slope,
    beta_within,
    betainc_by_a,
    betainc_by_b,
    call_row,
    gamma_density,
    igamma_by_a,
    in_doubles,
    in_operands_dtype,
    of_order,
    real_row,
    special_row,
)

# ----------------- Distribution functions by SciPy's old names: Student's t, chi-squared, F, gamma, binomial, Poisson

# The idea to hold: each is an incomplete gamma or beta function of its parameters; its slopes are those of that row, by
# the chain rule. Counts (k and n of the binomial) are whole numbers and have no derivative: they are parameters.


# ruff: noqa: E501  (a row is a line)

# --------------------------------------------------------------------------------------------------- Student's t


# The idea to hold: the logarithm of the density is c(n) - (n + 1)/2 log(1 + t²/n) - log(2π)/2, where c is what Γ((n + 1)/2)
# over Γ(n/2) is more than sqrt(n/2). Its slopes by n are of the size of 1/n², and are sums of what is of that size or
# smaller: differences of ψ, and of log(1 + t²/n) and its share t²/(n + t²), have lost all digits from n = 1e8 on.


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""The numbers B₂, B₄…"""
STIRLING = [(k, (2.0**-k - 2) * b / (k * (k + 1))) for k, b in zip(range(1, 20, 2), BERNOULLI, strict=True)]
"""Powers of 1/z and their factors in log(Γ(z + 1/2)/(Γ(z) sqrt(z))) (DLMF 5.11.8)."""
SETTLED = 10.0
"""From here on that series is exact to rounding; below, (Γ(z)Γ(z + 1)/Γ(z + 1/2)²) leads up to it."""


def _gamma_step(z: np.ndarray, order: int) -> np.ndarray:
    """A derivative of log(Γ(z + 1/2)/(Γ(z) sqrt(z))); of order 0 itself."""
    small = z < SETTLED
    far = np.where(small, z + SETTLED, z)
    found = sum(c * special.poch(k, order) * far ** -float(k + order) for k, c in STIRLING) * (-1) ** order
    at = z[small]
    for _ in range(int(SETTLED)):
        if order:
            pole = math.factorial(order - 1) * (-1.0) ** (order - 1)
            found[small] += pole * ((at**-order + (at + 1) ** -order) / 2 - (at + 0.5) ** -order)
        else:
            found[small] += (np.log(at) + np.log(at + 1)) / 2 - np.log(at + 0.5)
        at = at + 1
    return np.asarray(found)


def _log_and_share(v: np.ndarray, q: np.ndarray) -> np.ndarray:
    """-log(1 - v) - v, of which q is 1 - v: the sum of v^k/k from k = 2 on, where it is small."""
    near, series = np.minimum(v, 0.3), np.zeros_like(v)
    for k in range(30, 1, -1):
        series = series * near + 1 / k
    return np.where(v < 0.3, series * near * near, -np.log(q) - v)


@in_doubles(2)
def _student_log(n: Any, t: Any, order: int) -> np.ndarray:
    """The logarithm of Student's density, or a derivative of it by the degrees of freedom."""
    with np.errstate(all="ignore"):
        size = np.abs(t) / np.sqrt(n)
        u = size * size
        v, q = np.where(u < 1, u / (1 + u), 1 / (1 + 1 / u)), 1 / (1 + u)
        constant = _gamma_step(n / 2, order) / 2.0**order
        if order == 0:
            log = np.where(size > 1e8, 2 * np.log(np.abs(t)) - np.log(n), np.log1p(u))
            power = np.where(n == np.inf, t * t / 2, (n + 1) / 2 * np.where(t == 0, 0.0, log))
            found = constant - power - math.log(2 * math.pi) / 2
        elif order == 1:
            far = np.where(size > 1e8, 2 * np.log(np.abs(t)) - np.log(n) - 1, _log_and_share(v, q))
            found = constant - (far - v / n) / 2
        else:
            share = math.factorial(order - 1) * v * sum(q**j for j in range(order))
            beyond = math.factorial(order - 2) * v * v * sum(j * q ** (j - 1) for j in range(1, order))
            found = constant - (share * n**-order - beyond * n ** (1.0 - order)) * (-1) ** order / 2
    return np.where(n > 0, found, np.nan)


DEEPEST, CALM = 1e-250, 2000.0
"""Below this probability SciPy's quantile is another number, up to these degrees of freedom at least."""


@in_doubles(2)
def _student_quantile(n: Any, p: Any) -> np.ndarray:
    """SciPy's `stdtrit`, and what it does not do: 0 and 1 are at infinity, far tails and the middle keep their digits.

    SciPy gives +inf at 0, and of 3 degrees of freedom half the quantile of 1e-200.
    """
    with np.errstate(all="ignore"):
        found = special.stdtrit(n, p)
        found = np.where((p == 0) & (n > 0), -np.inf, np.where((p == 1) & (n > 0), np.inf, found))
        inside = (n > 0) & (n < 1e6) & (p > 0) & (p < 1)
        tail, a = np.minimum(p, 1 - p), n / 2
        shape = special.gammaln(a + 1) + special.gammaln(0.5) - special.gammaln(a + 0.5)  # log(a B(a, 1/2))
        size = np.log(n) / 2 - (np.log(2 * tail) + shape) / n  # the logarithm of |t|, but for a share of n/t²
        far = inside & (size - np.log(n) / 2 > 18.5)
        deep = inside & ~far & (tail < DEEPEST) & (n <= CALM)
        size[deep] = _deep_quantile(n[deep], np.log(tail[deep]), shape[deep])
        at = far | deep
        found[at] = np.copysign(np.exp(size[at]), p[at] - 0.5)
        middle = inside & (np.abs(p - 0.5) < 0.1) & ~far
        found[middle] = _middle_quantile(n[middle], p[middle] - 0.5, found[middle])
    return found


def _deep_quantile(n: np.ndarray, log: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """log|t| of the tail whose logarithm is given, by Newton's steps on the continued form of I(x; n/2, 1/2)."""
    size = np.log(-special.stdtrit(n, DEEPEST))
    for _ in range(30):
        x = 1 / (1 + np.exp(2 * size) / n)
        series = special.hyp2f1(n / 2 + 0.5, 1.0, n / 2 + 1, x)
        found = n / 2 * np.log(x) + np.log1p(-x) / 2 - shape - np.log(2) + np.log(series)
        size = size + (found - log) * series / n
    return size


def _middle_quantile(n: np.ndarray, beyond: np.ndarray, t: np.ndarray) -> np.ndarray:
    """A step of Newton's on the integral from 0, which is small where t is."""
    found = np.sign(t) * special.betainc(0.5, n / 2, t * t / (n + t * t)) / 2
    return np.where(t == 0, t, t - (found - beyond) / np.exp(_student_log(n, t, 0)))


@in_doubles(2)
def _student_by_df(n: Any, t: Any, order: int) -> np.ndarray:
    """A derivative of Student's distribution function by its degrees of freedom."""
    many = n >= FAST
    out = np.empty_like(n)
    out[~many] = _of_beta_function(n[~many], t[~many], order)
    out[many] = _of_integral(n[many], t[many], order)
    return out


FAST = 20.0
"""From so many degrees of freedom on the density falls so fast that its integral has 14 digits."""
TURN = math.sqrt(1 + math.sqrt(2))
"""There the slope of the density by the degrees of freedom is 0, when they are many: it has the sign of 1 + 2t² - t⁴."""


def _of_integral(n: np.ndarray, t: np.ndarray, order: int) -> np.ndarray:
    """The derivative as an integral of that of the density, over what has one sign: up to t, or from there on."""

    def slope(t: Any, n: Any) -> Any:
        by_n = _student_log(n, t, 1)
        return np.exp(_student_log(n, t, 0)) * (by_n if order == 1 else by_n * by_n + _student_log(n, t, 2))

    size = np.abs(t)
    with np.errstate(all="ignore"):
        inner, finite = size < TURN, np.minimum(size, 1e150)
        last = np.sqrt(finite**2 + (n + finite**2) * np.expm1(2 * DROP / (n + 1)))
        low, high = np.where(inner, 0.0, finite), np.where(inner, finite, last)
        found = np.where(inner, 1.0, -1.0) * _integral(slope, low, high, n)
    return np.where(np.isnan(t) | np.isinf(n), t * 0.0, np.sign(t) * np.where(np.isinf(t), 0.0, found))


def _of_beta_function(n: np.ndarray, t: np.ndarray, order: int) -> np.ndarray:
    """The derivative from that of I(u; 1/2, n/2)."""
    with np.errstate(all="ignore"):
        square = t * t
        size = n + square
        near = square <= n
        u = np.where(near, square, n) / size  # the smaller of the two arguments: the other is rounded
        a, b = np.where(near, 0.5, n / 2), np.where(near, n / 2, 0.5)
        moved = np.where(near, -square, square) / size**2  # du/dn
        p = beta_within(a, b, u)
        by = lambda once, twice: np.where(near, beta_slope(a, b, u, once), beta_slope(a, b, u, twice))
        found = by("b", "a") / 2 + p * moved
        if order == 2:
            log = np.where(near, np.log1p(-u), np.log(u))
            log_slope = log - special.digamma(n / 2) + special.digamma((n + 1) / 2)
            steep = p * ((a - 1) / u - (b - 1) / (1 - u))
            found = by("bb", "aa") / 4 + p * log_slope * moved + steep * moved**2 - 2 * p * moved / size
        out = np.where(near, 0.5, -0.5) * np.sign(t) * found
    out[(t == 0) & (n > 0)] = 0.0
    out[~(n > 0)] = np.nan
    return out


def _student_by_t(n: Any, t: Any) -> Any:
    """-(n + 1) t/(n + t²); t² is infinite from 1e154 on, and few degrees of freedom have such draws."""
    size = e.hypot(np.sqrt(n), t)
    return -(n + 1) * (t / size) / size


# fmt: off
_LEVEL = ("positive", "probability")
student_log: Any = real_row("student_log", lambda n, t: _student_log(n, t, 0), lambda n, t: student_by_n(n, t, 1), lambda n, t: _student_by_t(n, t), domain=("positive", "real"), text="(−(<0> + 1) ⊙ log1p(<1>²/<0>)/2 − betaln(<0>/2, 1/2) − log(<0>)/2)", latex=r"\left(-\frac{<0> + 1}{2} \log(1 + <1>^{2}/<0>) - \log B(<0>/2, 1/2) - \frac{1}{2} \log <0>\right)", doc="the logarithm of Student's density with n degrees of freedom")
student_by_n: Any = real_row("student_by_n", _student_log, lambda n, t, order: student_by_n(n, t, order + 1), lambda n, t, order: (-1)**(order - 1) * math.factorial(order) * t * (1 - t * t) / (n + t * t)**(order + 1), domain=("positive", "real"), sample=(1,), explained=True, doc="a derivative of the logarithm of Student's density by its degrees of freedom n")
student_density = real_row("student_density", lambda n, t: np.exp(_student_log(n, t, 0)), lambda n, t, y: y * student_by_n(n, t, 1), lambda n, t, y: y * _student_by_t(n, t), domain=("positive", "real"), explained=True, doc="Student's density with n degrees of freedom")
stdtr = special_row("stdtr(n, t)", "stdtr_by_n", "student_density", domain=("positive", "real"), doc="Student's distribution function with n degrees of freedom")
stdtr_by_n = real_row("stdtr_by_n", lambda n, t: _student_by_df(n, t, 1), "stdtr_by_nn", lambda n, t: student_density(n, t) * student_by_n(n, t, 1), domain=("positive", "real"), explained=True, doc="the derivative of Student's distribution function by its degrees of freedom")
stdtr_by_nn = real_row("stdtr_by_nn", lambda n, t: _student_by_df(n, t, 2), None, lambda n, t: student_density(n, t) * (student_by_n(n, t, 1)**2 + student_by_n(n, t, 2)), domain=("positive", "real"), explained=True, doc="the second derivative of Student's distribution function by its degrees of freedom")
stdtrit = special_row("stdtrit(n, p)", lambda n, y: -stdtr_by_n(n, y) / student_density(n, y), lambda n, y: 1 / student_density(n, y), domain=_LEVEL, forward=_student_quantile, scipy="", doc="the quantile of Student's distribution: the t at which stdtr(n, t) is p")

# ------------------------------------------------------------------------------------------- chi-squared, gamma
chdtr = special_row("chdtr(v, x)", lambda v, x: igamma_by_a(v / 2, x / 2) / 2, lambda v, x: gamma_density(v / 2, x / 2) / 2, domain="positive", doc="the chi-squared distribution function with v degrees of freedom")
chdtrc = special_row("chdtrc(v, x)", lambda v, x: igamma_by_a(v / 2, x / 2) / -2, lambda v, x: gamma_density(v / 2, x / 2) / -2, domain="positive", doc="1 - chdtr, without cancellation")
chdtri = special_row("chdtri(v, p)", lambda v, y: -igamma_by_a(v / 2, y / 2) / gamma_density(v / 2, y / 2), lambda v, y: -2 / gamma_density(v / 2, y / 2), domain=_LEVEL, doc="the x at which chdtrc(v, x) is p")
gdtr = special_row("gdtr(a, b, x)", lambda a, b, x: b / a * gamma_density(b + 1, a * x), lambda a, b, x: igamma_by_a(b, a * x), lambda a, b, x: a * gamma_density(b, a * x), domain="positive", doc="the gamma distribution function with rate a and shape b")
gdtrc = special_row("gdtrc(a, b, x)", lambda a, b, x: -b / a * gamma_density(b + 1, a * x), lambda a, b, x: -igamma_by_a(b, a * x), lambda a, b, x: -a * gamma_density(b, a * x), domain="positive", doc="1 - gdtr, without cancellation")
gdtrix = special_row("gdtrix(a, b, p)", lambda a, y: -y / a, lambda a, b, y: -igamma_by_a(b, a * y) / (a * gamma_density(b, a * y)), lambda a, b, y: 1 / (a * gamma_density(b, a * y)), domain=("positive", "positive", "probability"), doc="the x at which gdtr(a, b, x) is p")
# fmt: on

# ---------------------------------------------------------------------------------------------------------- F


def _fisher(n: Any, d: Any, x: Any) -> tuple[Any, Any, Any]:
    """The slopes of the F distribution function by n, d and x: it is I(n x/(n x + d); n/2, d/2)."""
    size = n * x + d
    w = n * x / size
    p = beta_density(n / 2, d / 2, w)
    flow = beta_density(n / 2 + 1, d / 2, w) / ((n + d) * size)  # p w / (n size), which is finite where p is not
    by_n = betainc_by_a(n / 2, d / 2, w) / 2 + d * flow
    by_d = betainc_by_b(n / 2, d / 2, w) / 2 - n * flow
    return by_n, by_d, p * (n * d / (size * size))


# fmt: off
_F = "positive"
fdtr = special_row("fdtr(n, d, x)", lambda n, d, x: _fisher(n, d, x)[0], lambda n, d, x: _fisher(n, d, x)[1], lambda n, d, x: _fisher(n, d, x)[2], domain=_F, doc="the F distribution function with n and d degrees of freedom")
fdtrc = special_row("fdtrc(n, d, x)", lambda n, d, x: -_fisher(n, d, x)[0], lambda n, d, x: -_fisher(n, d, x)[1], lambda n, d, x: -_fisher(n, d, x)[2], domain=_F, doc="1 - fdtr, without cancellation")
fdtri = special_row("fdtri(n, d, p)", lambda n, d, y: -_fisher(n, d, y)[0] / _fisher(n, d, y)[2], lambda n, d, y: -_fisher(n, d, y)[1] / _fisher(n, d, y)[2], lambda n, d, y: 1 / _fisher(n, d, y)[2], domain=("positive", "positive", "probability"), doc="the quantile of the F distribution: the x at which fdtr(n, d, x) is p")

# --------------------------------------------------------------------------------- binomial, negative binomial, Poisson


def _binomial_density(x: Any, k: Any, n: Any) -> Any:
    """The density of the k + 1st of n uniform numbers at x, which is 0 where there are no more than k of them."""
    if np.ndim(k) == 0 and np.ndim(n) == 0:
        return beta_density(k + 1.0, float(n) - k, x) if k < n else 0 * x
    some = np.less(k, n)
    return np.where(some, beta_density(k + 1.0, np.where(some, n - k, 1.0), x), 0.0)


def _poisson(x: Any, k: Any) -> Any:
    found = np.exp(special.xlogy(np.maximum(k, 0), x) - x - special.gammaln(np.maximum(k, 0) + 1.0))
    return e.in_dtype_of(x, np.where(x >= 0, np.where(np.less(k, 0), 0.0, found), np.nan))


def _any_count(k: Any) -> bool:
    """Whether a count, or one of several, is above 0: below 0 there is no probability."""
    return bool(np.any(np.greater(k, 0)))


def _count_row(call: str, slope: Any, down: bool, **facts: Any) -> Any:
    """The row of a function of counts, and SciPy's function; ``down`` says that the first count is rounded down."""
    name, of_doubles, counts = call.partition("(")[0], calling(call, 1), arguments_of(call)[:-1]

    @wraps(of_doubles)
    def forward(x: Any, *counts: Any) -> Any:  # in doubles: SciPy has no other that takes counts as whole numbers
        whole = [np.trunc(k).astype(np.int64) if np.ndim(k) else int(k) for k in counts]
        return e.in_dtype_of(x, of_doubles(np.asarray(x, np.float64), *whole))

    row = call_row(name, call, slope, forward=forward, sample=(2, 5)[: len(counts)], real_only=True, **facts)
    said = "Counts have" if len(counts) > 1 else "The count has"
    doc = f"Return {row.op.doc}. {said} no derivative."  # type: ignore[attr-defined]
    of_order(name, row, *[f"count {k}" for k in counts], whole=True, down=down, doc=doc)
    return row


bdtr = _count_row("bdtr(k, n, x)", lambda x, k, n: -_binomial_density(x, k, n), True, domain="probability", doc="the binomial distribution function: at most k of n")
bdtrc = _count_row("bdtrc(k, n, x)", lambda x, k, n: _binomial_density(x, k, n), True, domain="probability", doc="1 - bdtr: more than k of n")
bdtri = _count_row("bdtri(k, n, x)", lambda y, k, n: -1 / _binomial_density(y, k, n), True, domain="probability", doc="the probability at which bdtr(k, n, p) is x")
nbdtr = _count_row("nbdtr(k, n, x)", lambda x, k, n: beta_density(n, k + 1.0, x), False, domain="probability", doc="the negative binomial distribution function: at most k failures before n successes")
nbdtrc = _count_row("nbdtrc(k, n, x)", lambda x, k, n: -beta_density(n, k + 1.0, x), False, domain="probability", doc="1 - nbdtr: more than k failures before n successes")
poisson_density: Any = real_row("poisson_density", _poisson, lambda x, k, y: (poisson_density(x, k - 1) if _any_count(k) else 0 * y) - y, domain="positive", sample=(2,), text="(<0>^<1> ⊙ exp(−<0>)/<1>!)", latex=r"\frac{<0>^{<1>} \odot \exp(-<0>)}{<1>!}", doc="the Poisson probability of k at the mean x")
pdtr = _count_row("pdtr(k, x)", lambda x, k: -poisson_density(x, k), True, domain="positive", doc="the Poisson distribution function: at most k")
pdtrc = _count_row("pdtrc(k, x)", lambda x, k: poisson_density(x, k), True, domain="positive", doc="1 - pdtr: more than k")
pdtri = _count_row("pdtri(k, x)", lambda y, k: -1 / poisson_density(y, k), False, domain="probability", doc="the mean at which pdtr(k, m) is x")
# fmt: on

# -------------------------------------------------------------------------------------------------------------------
# Distribution functions and quantiles that SciPy has no special function of, for `symgrad.scipy.stats`

# The idea to hold: where a sum or an integral is needed, its terms have one sign, so that tails are exact; what it is
# differentiated by has a closed form, or is the same integral of another order. A quantile has the slopes of the
# distribution function that it inverts, over the density (dF = 0 along q = F(x, a, b)).

NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
"""Of Gauss's quadrature between -1 and 1. More would not be better: NumPy's weights have larger errors then."""
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


def log_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability between a and b, computed in the tail where both lie."""
    right = a > 0
    low, high = e.log_ndtr(np.where(right, -b, a)), e.log_ndtr(np.where(right, -a, b))
    return high + np.log(-np.expm1(low - high))


@in_doubles(3)
def _truncated_quantile(q: Any, a: Any, b: Any) -> np.ndarray:
    """The point up to which the share q of the normal probability between a and b lies, from the nearer tail."""
    with np.errstate(all="ignore"):
        mass = log_mass(a, b)
        below = np.logaddexp(special.log_ndtr(a), np.log(q) + mass)
        above = np.logaddexp(special.log_ndtr(-b), np.log1p(-q) + mass)
        left = below < -math.log(2)
        found = np.where(left, 1.0, -1.0) * special.ndtri_exp(np.minimum(np.where(left, below, above), 0.0))
        found = np.clip(found, a, b)
    found = np.where(q == 0, a, np.where(q == 1, b, found))
    return np.where((q >= 0) & (q <= 1) & (a < b), found, np.nan)


# ------------------------------------------------------------------------------------------------ the skew normal


@in_doubles(2)
def _skew_normal(x: Any, a: Any) -> np.ndarray:
    """∫ 2 φ(t) Φ(at) dt up to x, which is Φ(x) - 2 T(x, a); where that cancels, other forms of T or its integral."""
    with np.errstate(all="ignore"):
        below = special.ndtr(x)
        found = below - 2 * special.owens_t(x, a)
        little = (a > 0) & (found < 0.25 * below)
        near = little & (a > 1) & (a * x >= -4)  # T(x, a) by T(ax, 1/a)
        h, s = x[near], a[near]
        found[near] = 2 * special.owens_t(s * h, 1 / s) + special.ndtr(s * h) * special.erf(h * e.SQRT_HALF)
        far = little & ~near & (x < 0)
        h, s = x[far] ** 2, a[far]
        last = 2 * DROP / h / (s + np.sqrt(s * s + 2 * DROP / h))  # where h (s u + u²/2) is DROP
        found[far] = _integral(
            lambda u, h, s: np.exp(-h * u * (s + u / 2)) / (1 + (s + u) ** 2), np.zeros_like(s), last, h, s
        ) * np.exp(-h * (1 + s * s) / 2) / math.pi  # fmt: skip
        out = np.where(np.isinf(a), np.nan, np.minimum(found, 1.0))
    return out


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
        over_density = np.exp(y * y / 2 - special.log_ndtr(c * y)) * (e.SQRT_2PI / 2)
        step = (np.log(below) - np.log(q[at])) * below * over_density
        x[at] = y - step
        at = at[np.abs(step) > 1e-9 * np.abs(x[at])]  # steps double the digits
        if not at.size:
            break
    return x


def _by_tails(
    lower: Callable[..., np.ndarray], q: np.ndarray, fits: np.ndarray, a: np.ndarray, mirrored: np.ndarray
) -> np.ndarray:
    """Quantiles from the nearer tail, where a parameter fits; infinite at 0 and at 1.

    The upper tail is the lower one of the distribution with the parameter ``mirrored``.
    """
    out = np.where(fits, np.where(q == 0, -np.inf, np.where(q == 1, np.inf, np.nan)), np.nan)
    with np.errstate(all="ignore"):
        for sign, p, by, half in ((1, q, a, (q > 0) & (q <= 0.5)), (-1, 1 - q, mirrored, (q > 0.5) & (q < 1))):
            at = half & fits
            out[at] = sign * lower(p[at], by[at])
    return out


@in_doubles(2)
def _skew_quantile(q: Any, a: Any) -> np.ndarray:
    """The point up to which the skew normal distribution has the probability q, from the nearer tail."""
    return _by_tails(_lower_skew_quantile, q, np.isfinite(a), a, -a)


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


@in_doubles(2)
def _vonmises_mass(k: Any, x: Any, n: int) -> np.ndarray:
    """The integral of `_vonmises_tail` from -π to x; each whole turn adds all of it, as in SciPy."""
    with np.errstate(all="ignore"):
        turns = np.round(np.where(np.isinf(x), 0.0, x) / (2 * math.pi))
        at = np.clip(np.where(np.isinf(x), np.sign(x) * math.pi, x - 2 * math.pi * turns), -math.pi, math.pi)
        half = _vonmises_tail(k, np.zeros_like(x), n)
        tail = _vonmises_tail(k, np.abs(at), n)
        found = 2 * turns * half + np.where(at > 0, 2 * half - tail, tail)
        out = np.where(k >= 0, found, np.nan)
    return out


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


@in_doubles(2)
def _vonmises_quantile(q: Any, k: Any) -> np.ndarray:
    """The angle up to which von Mises's distribution has the probability q; infinite at 0 and 1, as in SciPy."""
    return _by_tails(_lower_vonmises_quantile, q, (k >= 0) & (k < np.inf), k, k)


# fmt: off
truncated_quantile = real_row("truncated_quantile", _truncated_quantile, lambda a, b, y: np.exp(log_mass(a, b) + y * y / 2) * e.SQRT_2PI, lambda q, a, y: (1 - q) * np.exp((y - a) * (y + a) / 2), lambda q, b, y: q * np.exp((y - b) * (y + b) / 2), domain=("probability", "negative", "positive"), explained=True, doc="the quantile at q of the standard normal distribution between a and b")
skew_normal = real_row("skew_normal", _skew_normal, lambda x, a: 2 * e.normal_pdf(x) * e.ndtr(a * x), lambda x, a: np.exp(-0.5 * (x * x) * (1 + a * a)) / (-math.pi * (1 + a * a)), explained=True, doc="the distribution function at x of the skew normal distribution of shape a")
vonmises_mass: Any = real_row("vonmises_mass", _vonmises_mass, lambda k, x, n: -vonmises_mass(k, x, n + 1), lambda k, x, n: (1 - np.cos(x))**n * np.exp(-k * (1 - np.cos(x))), domain=("positive", "real"), sample=(0,), explained=True, doc="the integral of (1 - cos(t))**n exp(-k (1 - cos(t))) from -pi to x")
skew_quantile = real_row("skew_quantile", _skew_quantile, lambda a, y: e.SQRT_2PI / 2 * np.exp(y * y / 2 - e.log_ndtr(a * y)), lambda a, y: e.normal_hazard(a * y) / (1 + a * a), domain=("probability", "real"), explained=True, doc="the quantile at q of the skew normal distribution of shape a")
vonmises_quantile = real_row("vonmises_quantile", _vonmises_quantile, lambda k, y: vonmises_mass(k, math.pi, 0) * np.exp(2 * k * np.sin(y / 2)**2), lambda k, y: np.exp(2 * k * np.sin(y / 2)**2) * (vonmises_mass(k, y, 1) - vonmises_mass(k, y, 0) * (vonmises_mass(k, math.pi, 1) / vonmises_mass(k, math.pi, 0))), domain=("probability", "positive"), explained=True, doc="the quantile at q of von Mises's distribution of concentration k")
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
        return in_operands_dtype(np.where(inside, (law.isf if above else law.ppf)(*kept), np.nan), q, *given)

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


# ---------------------------------- Probabilities of several normal numbers that are correlated, each below its limit

# The idea to hold: a slope by a limit is the density there times the probability of the others given it, and a slope by
# a correlation is the density of the two times the probability of the rest given both (Plackett). So every derivative
# is a probability of one or two dimensions less, and that of two dimensions has elementary ones.
#
# Source: R. Plackett, A reduction formula for normal multivariate integrals (1954).


def _log_integrand(d: Any, h: Any, u: Any, c: Any) -> Any:
    return special.log_ndtr(u + c * d) + d * (h - d / 2)


def _slope_of_log(d: Any, h: Any, u: Any, c: Any) -> Any:
    return c * e.SQRT_2_OVER_PI / special.erfcx((u + c * d) * -e.SQRT_HALF) + h - d


def _between(holds: Any, low: np.ndarray, high: np.ndarray, steps: int = 56) -> np.ndarray:
    """The first place where a condition that holds at ``low`` does not, by halving."""
    for _ in range(steps):
        middle = (low + high) / 2
        still = holds(middle)
        low, high = np.where(still, middle, low), np.where(still, high, middle)
    return high


def _pairs(h: np.ndarray, k: np.ndarray, r: np.ndarray) -> np.ndarray:
    """φ(h) ∫ exp(d (h - d/2)) Φ(u + cd) dd from 0 on, where x = h - d: the logarithm is concave, bent by 1 or more.

    It is followed from where it is largest until it has fallen by exp(-DROP), in panels that part where Φ has its edge.
    """
    s = np.sqrt((1 - r) * (1 + r))
    apart = np.where(r < 0, (k + h) - (1 + r) * h, (k - h) + (1 - r) * h)  # k - rh, where they nearly cancel too
    u, c = apart / s, r / s
    far = np.maximum(h, 0.0) + 1
    for _ in range(60):  # beyond the largest
        far = np.where(_slope_of_log(far, h, u, c) < 0, far, 2 * far)
    falls = _slope_of_log(0 * h, h, u, c) <= 0
    top = np.where(falls, 0.0, _between(lambda d: _slope_of_log(d, h, u, c) > 0, 0 * h, far))
    least = _log_integrand(top, h, u, c) - DROP
    reach = math.sqrt(2 * DROP)
    low = top - _between(lambda d: _log_integrand(top - d, h, u, c) > least, 0 * top, np.minimum(top, reach))
    high = top + _between(lambda d: _log_integrand(top + d, h, u, c) > least, 0 * top, 0 * top + reach)
    with np.errstate(divide="ignore", invalid="ignore"):
        edge, width = np.where(c == 0, high, -u / c), np.where(c == 0, 0.0, 9 / np.abs(c))
    ends = [low, *(np.clip(edge + w * width, low, high) for w in (-1, 0, 1)), high]
    out = np.zeros(h.shape)
    for start, end in pairwise(ends):
        half = (end - start) / 2
        d = start[:, None] + half[:, None] * (1 + NODES)
        values = np.exp(d * (h[:, None] - d / 2) - h[:, None] ** 2 / 2) * special.ndtr(u[:, None] + c[:, None] * d)
        out += half * (values * WEIGHTS).sum(-1)
    return out / e.SQRT_2PI


@in_doubles(3)
def _bivariate(h: Any, k: Any, r: Any) -> np.ndarray:
    """P(X < h, Y < k) for standard normal X and Y of correlation r, to some units in the last place, in tails too."""
    h, k = np.minimum(h, k), np.maximum(h, k)
    with np.errstate(all="ignore"):
        out = np.where(np.isnan(r) | (np.abs(r) > 1), np.nan, special.ndtr(h))  # where k is infinite
        out = np.where(np.isfinite(k) & (r == -1), np.where(h + k > 0, special.ndtr(h) - special.ndtr(-k), 0.0), out)
        out = np.where(np.isnan(k), np.nan, out)
        inside = np.isfinite(h) & np.isfinite(k) & (np.abs(r) < 1)
        for at in np.array_split(np.flatnonzero(inside), -(-np.count_nonzero(inside) // INTEGRALS) or 1):
            out[at] = _pairs(h[at], k[at], r[at])
    return out


# ------------------------------------------------------------------------------------------ three and more


def orthant(h: Any, r: Any, accuracy: tuple[float, float, int | None]) -> Any:
    """P(X_i < h_i for each i) for standard normal X; h (…, d), r the correlations of the pairs (0, 1), (0, 2) … (1, 2) …"""
    d = int(h.shape[-1])
    if d == 1:
        return e.ndtr(h[..., 0])
    if d == 2:
        return bivariate_normal(h[..., 0], h[..., 1], r[0])
    return orthant_row(h, r, accuracy)


def pairs(d: int) -> list[tuple[int, int]]:
    """The pairs of d numbers, in the order of their correlations."""
    return list(combinations(range(d), 2))


def _conditional(h: Any, r: Any, i: int) -> tuple[Any, Any]:
    """The limits and the correlations of the others, given that the i-th number is at its limit."""
    d = int(h.shape[-1])
    at = {p: r[n] for n, p in enumerate(pairs(d))}
    others = [j for j in range(d) if j != i]
    to = {j: at[min(i, j), max(i, j)] for j in others}
    rest = {j: np.sqrt(1 - to[j] * to[j]) for j in others}
    limits = [(h[..., j] - to[j] * h[..., i]) / rest[j] for j in others]
    left = [(at[j, k] - to[j] * to[k]) / (rest[j] * rest[k]) for j, k in pairs(d) if i not in (j, k)]
    return np.stack(limits, -1), np.stack(left) if left else None


def _bivariate_density(h: Any, k: Any, r: Any) -> Any:
    return np.exp((h * h - 2 * r * h * k + k * k) / (2 * (r * r - 1))) / (2 * math.pi * np.sqrt(1 - r * r))


def _by_limits(g: Any, h: Any, r: Any, accuracy: Any) -> Any:
    slopes = [
        e.normal_pdf(h[..., i]) * orthant(*_conditional(h, r, i), accuracy) for i in range(int(h.shape[-1]))
    ]  # fmt: skip
    return g[..., None] * np.stack(slopes, -1)


def _by_correlations(g: Any, h: Any, r: Any, accuracy: Any) -> Any:
    d, slopes = int(h.shape[-1]), []
    for n, (i, j) in enumerate(pairs(d)):
        both = _bivariate_density(h[..., i], h[..., j], r[n])
        if d > 2:
            both = both * orthant(*_conditional(*_conditional(h, r, i), j - 1), accuracy)
        slopes.append((g * both).sum())
    return np.stack(slopes)


def _orthant(h: np.ndarray, r: np.ndarray, accuracy: tuple[float, float, int | None]) -> np.ndarray:
    """SciPy's integral, with random numbers that are the same ones in each call; NaN beyond correlations of 1."""
    import scipy.stats

    d = h.shape[-1]
    if (np.abs(r) > 1).any():  # no correlations
        return np.full(h.shape[:-1], np.nan)
    matrix = np.eye(d)
    for n, (i, j) in enumerate(pairs(d)):
        matrix[i, j] = matrix[j, i] = r[n]
    absolute, relative, most = accuracy
    options: dict[str, Any] = {"abseps": absolute, "releps": relative, "maxpts": most, "allow_singular": True}
    if "rng" in inspect.signature(scipy.stats.multivariate_normal.cdf).parameters:
        options["rng"] = np.random.default_rng(0)
    return np.asarray(scipy.stats.multivariate_normal.cdf(h, np.zeros(d), matrix, **options)).reshape(h.shape[:-1])


# fmt: off
bivariate_normal = real_row("bivariate_normal", _bivariate, lambda h, k, r: e.normal_pdf(h) * e.ndtr((k - r * h) / np.sqrt(1 - r * r)), lambda h, k, r: e.normal_pdf(k) * e.ndtr((h - r * k) / np.sqrt(1 - r * r)), _bivariate_density, domain=("real", "real", "unit"), text="Φ₂(<0>, <1>, <2>)", latex=r"\Phi_{2}(<0>, <1>, <2>)", explained=True, doc="the probability that two standard normal numbers of correlation r are less than h and k")
# fmt: on

orthant_row = general(
    "normal_orthant", _orthant, _by_limits, _by_correlations,
    sample=sampled((1e-5, 1e-5, None), of=[(2,), np.array([0.3])]), real_only=True,
    explained=True, doc="the probability that each of several standard normal numbers, correlated by r, is below its limit",
)  # fmt: skip


# ------------------------------------- Parameters that make sense in an interval only: NaN outside, and so what has them


DOMAINS: dict[str, str] = {
    "positive": "{0} > 0", "nonnegative": "{0} >= 0", "share": "({0} >= 0) & ({0} <= 1)",
    "nonzero_share": "({0} > 0) & ({0} <= 1)",
}  # fmt: skip
"""Intervals of parameters, as conditions."""

inside: dict[str, Callable[[Any], Any]] = {
    word: eval(f"lambda x: {text.format('x')}") for word, text in DOMAINS.items()
}


def _in_domain(word: str) -> Any:
    return elementwise(
        f"in_{word}", lambda x: np.where(inside[word](x), x, np.nan), 1, real_only=True, text="{0}",
        keeps="" if "share" in word else word, domain="probability" if "share" in word else "positive", doc=f"x, where {DOMAINS[word].format('x')}; NaN elsewhere",
    )  # fmt: skip


in_domain: dict[str, Any] = {word: _in_domain(word) for word in DOMAINS}

with_domain = elementwise(
    "with_domain", lambda a, b: np.where(np.isnan(b), np.nan, a), 1, 0,
    real_only=True, text="{0}", doc="a, where b is a number; NaN where it is none",
)  # fmt: skip
