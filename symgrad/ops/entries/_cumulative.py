"""Distribution functions by SciPy's old names: Student's t, chi-squared, F, gamma, binomial, Poisson.

The idea to hold: each is an incomplete gamma or beta function of its parameters; its slopes are those of that row, by
the chain rule. Counts (k and n of the binomial) are whole numbers and have no derivative: they are parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import elementwise
from .._lazy import special
from . import _elementwise as e
from ._gammas import (
    beta_density,
    betainc_by_a,
    betainc_by_b,
    gamma_density,
    igamma_by_a,
)
from ._incomplete import beta_slope, rounded, spread
from ._named import of_order, special_row

# ruff: noqa: E501  (a row is a line)

# --------------------------------------------------------------------------------------------------- Student's t


def _student_density(n: Any, t: Any) -> Any:
    far = np.abs(t) > 1e100  # t * t is infinite from 1e154 on
    log = np.where(far, 2 * np.log(np.where(far, np.abs(t), 1.0)) - np.log(n), np.log1p(np.where(far, 0.0, t) ** 2 / n))
    found = np.exp((n + 1) / -2 * log - special.betaln(0.5, n / 2)) / np.sqrt(n)
    return rounded(np.where(n > 0, found, np.nan), n, t)


DEEPEST, CALM = 1e-250, 2000.0
"""Below this probability SciPy's quantile is another number, up to these degrees of freedom at least."""


def _student_quantile(n: Any, p: Any) -> np.ndarray:
    """SciPy's `stdtrit`, and what it does not do: 0 and 1 are at infinity, far tails and the middle keep their digits.

    SciPy gives +inf at 0, and of 3 degrees of freedom half the quantile of 1e-200.
    """
    given = (n, p)
    n, p = spread(n, p)
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
    return rounded(found, *given)


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
    return np.where(t == 0, t, t - (found - beyond) / _student_density(n, t))


def _number(v: Any) -> Any:
    """A number as Python's, which leaves a narrow array beside it narrow."""
    return float(v) if isinstance(v, float) else v


def _over_density(n: Any, t: Any) -> Any:
    """The slope of the logarithm of Student's density by its degrees of freedom."""
    square = t * t
    return (
        _number(e.digamma((n + 1) / 2) - e.digamma(n / 2)) - np.log1p(square / n) + (square - 1) / (n + square)
    ) / 2  # fmt: skip


def _student_by_df(n: Any, t: Any, order: int) -> np.ndarray:
    """A derivative of Student's distribution function by its degrees of freedom, from that of I(u; 1/2, n/2)."""
    given = (n, t)
    n, t = spread(n, t)
    with np.errstate(all="ignore"):
        square = t * t
        size = n + square
        near = square <= n
        u = np.where(near, square, n) / size  # the smaller of the two arguments: the other is rounded
        a, b = np.where(near, 0.5, n / 2), np.where(near, n / 2, 0.5)
        moved = np.where(near, -square, square) / size**2  # du/dn
        p = _density(a, b, u)
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
    return rounded(out, *given)


def _density(a: Any, b: Any, x: Any) -> Any:
    return np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


# fmt: off
_LEVEL = ("positive", "probability")
student_density: Any = elementwise("student_density", _student_density, lambda n, t, y: y * _over_density(n, t), lambda n, t, y: -y * (n + 1) * t / (n + t * t), domain=("positive", "real"), real_only=True, explained=True, doc="Student's density with n degrees of freedom")
stdtr: Any = special_row("stdtr", "n t", lambda n, t: stdtr_by_n(n, t), lambda n, t: student_density(n, t), domain=("positive", "real"), doc="Student's distribution function with n degrees of freedom")
stdtr_by_n: Any = elementwise("stdtr_by_n", lambda n, t: _student_by_df(n, t, 1), lambda n, t: stdtr_by_nn(n, t), lambda n, t: student_density(n, t) * _over_density(n, t), domain=("positive", "real"), real_only=True, explained=True, doc="the derivative of Student's distribution function by its degrees of freedom")
stdtr_by_nn: Any = elementwise("stdtr_by_nn", lambda n, t: _student_by_df(n, t, 2), None, lambda n, t: student_density(n, t) * (_over_density(n, t)**2 + _number(e.polygamma_order((n + 1) / 2, 1) - e.polygamma_order(n / 2, 1)) / 4 + (t * t / n - (t * t - 1) / (n + t * t)) / (n + t * t) / 2), domain=("positive", "real"), real_only=True, explained=True, doc="the second derivative of Student's distribution function by its degrees of freedom")
stdtrit: Any = special_row("stdtrit", "n p", lambda n, y: -stdtr_by_n(n, y) / student_density(n, y), lambda n, y: 1 / student_density(n, y), domain=_LEVEL, forward=_student_quantile, scipy="", doc="the quantile of Student's distribution: the t at which stdtr(n, t) is p")

# ------------------------------------------------------------------------------------------- chi-squared, gamma
chdtr: Any = special_row("chdtr", "v x", lambda v, x: igamma_by_a(v / 2, x / 2) / 2, lambda v, x: gamma_density(v / 2, x / 2) / 2, domain="positive", doc="the chi-squared distribution function with v degrees of freedom")
chdtrc: Any = special_row("chdtrc", "v x", lambda v, x: igamma_by_a(v / 2, x / 2) / -2, lambda v, x: gamma_density(v / 2, x / 2) / -2, domain="positive", doc="1 - chdtr, without cancellation")
chdtri: Any = special_row("chdtri", "v p", lambda v, y: -igamma_by_a(v / 2, y / 2) / gamma_density(v / 2, y / 2), lambda v, y: -2 / gamma_density(v / 2, y / 2), domain=_LEVEL, doc="the x at which chdtrc(v, x) is p")
gdtr: Any = special_row("gdtr", "a b x", lambda a, b, x: b / a * gamma_density(b + 1, a * x), lambda a, b, x: igamma_by_a(b, a * x), lambda a, b, x: a * gamma_density(b, a * x), domain="positive", doc="the gamma distribution function with rate a and shape b")
gdtrc: Any = special_row("gdtrc", "a b x", lambda a, b, x: -b / a * gamma_density(b + 1, a * x), lambda a, b, x: -igamma_by_a(b, a * x), lambda a, b, x: -a * gamma_density(b, a * x), domain="positive", doc="1 - gdtr, without cancellation")
gdtrix: Any = special_row("gdtrix", "a b p", lambda a, y: -y / a, lambda a, b, y: -igamma_by_a(b, a * y) / (a * gamma_density(b, a * y)), lambda a, b, y: 1 / (a * gamma_density(b, a * y)), domain=("positive", "positive", "probability"), doc="the x at which gdtr(a, b, x) is p")
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
fdtr: Any = special_row("fdtr", "n d x", lambda n, d, x: _fisher(n, d, x)[0], lambda n, d, x: _fisher(n, d, x)[1], lambda n, d, x: _fisher(n, d, x)[2], domain=_F, doc="the F distribution function with n and d degrees of freedom")
fdtrc: Any = special_row("fdtrc", "n d x", lambda n, d, x: -_fisher(n, d, x)[0], lambda n, d, x: -_fisher(n, d, x)[1], lambda n, d, x: -_fisher(n, d, x)[2], domain=_F, doc="1 - fdtr, without cancellation")
fdtri: Any = special_row("fdtri", "n d p", lambda n, d, y: -_fisher(n, d, y)[0] / _fisher(n, d, y)[2], lambda n, d, y: -_fisher(n, d, y)[1] / _fisher(n, d, y)[2], lambda n, d, y: 1 / _fisher(n, d, y)[2], domain=("positive", "positive", "probability"), doc="the quantile of the F distribution: the x at which fdtr(n, d, x) is p")

# ------------------------------------------------------------------------------------ binomial, negative binomial, Poisson


def _binomial_density(x: Any, k: Any, n: Any) -> Any:
    """The density of the k + 1st of n uniform numbers at x, which is 0 where there are no more than k of them."""
    if np.ndim(k) == 0 and np.ndim(n) == 0:
        return beta_density(k + 1.0, float(n) - k, x) if k < n else 0 * x
    some = np.less(k, n)
    return np.where(some, beta_density(k + 1.0, np.where(some, n - k, 1.0), x), 0.0)


def _poisson(x: Any, k: Any) -> Any:
    found = np.exp(special.xlogy(np.maximum(k, 0), x) - x - special.gammaln(np.maximum(k, 0) + 1.0))
    return np.where(x >= 0, np.where(np.less(k, 0), 0.0, found), np.nan).astype(getattr(x, "dtype", float), copy=False)


def _any_count(k: Any) -> bool:
    """Whether a count, or one of several, is above 0: below 0 there is no probability."""
    return bool(np.any(np.greater(k, 0)))


def _counted(name: str, x: Any, *counts: Any) -> Any:
    """A function of counts in doubles: SciPy has no other that takes them as whole numbers."""
    whole = [np.trunc(k).astype(np.int64) if np.ndim(k) else int(k) for k in counts]
    found = getattr(special, name)(*whole, np.asarray(x, np.float64))
    return found.astype(getattr(x, "dtype", float), copy=False)


_COUNTS = dict(domain="probability", real_only=True)
bdtr: Any = elementwise("bdtr", lambda x, k, n: _counted("bdtr", x, k, n), lambda x, k, n: -_binomial_density(x, k, n), **_COUNTS, sample=(2, 5), scipy="bdtr({k}, {n}, {0})", doc="the binomial distribution function: at most k of n")
bdtrc: Any = elementwise("bdtrc", lambda x, k, n: _counted("bdtrc", x, k, n), lambda x, k, n: _binomial_density(x, k, n), **_COUNTS, sample=(2, 5), scipy="bdtrc({k}, {n}, {0})", doc="1 - bdtr: more than k of n")
bdtri: Any = elementwise("bdtri", lambda x, k, n: _counted("bdtri", x, k, n), lambda y, k, n: -1 / _binomial_density(y, k, n), **_COUNTS, sample=(2, 5), scipy="bdtri({k}, {n}, {0})", doc="the probability at which bdtr(k, n, p) is x")
nbdtr: Any = elementwise("nbdtr", lambda x, k, n: _counted("nbdtr", x, k, n), lambda x, k, n: beta_density(n, k + 1.0, x), **_COUNTS, sample=(2, 5), scipy="nbdtr({k}, {n}, {0})", doc="the negative binomial distribution function: at most k failures before n successes")
nbdtrc: Any = elementwise("nbdtrc", lambda x, k, n: _counted("nbdtrc", x, k, n), lambda x, k, n: -beta_density(n, k + 1.0, x), **_COUNTS, sample=(2, 5), scipy="nbdtrc({k}, {n}, {0})", doc="1 - nbdtr: more than k failures before n successes")
poisson_density: Any = elementwise("poisson_density", lambda x, k: _poisson(x, k), lambda x, k, y: (poisson_density(x, k - 1) if _any_count(k) else 0 * y) - y, domain="positive", sample=(2,), real_only=True, text="(<0>^<1> ⊙ exp(−<0>)/<1>!)", latex=r"\frac{<0>^{<1>} \odot \exp(-<0>)}{<1>!}", doc="the Poisson probability of k at the mean x")
pdtr: Any = elementwise("pdtr", lambda x, k: _counted("pdtr", x, k), lambda x, k: -poisson_density(x, k), domain="positive", sample=(2,), real_only=True, scipy="pdtr({k}, {0})", doc="the Poisson distribution function: at most k")
pdtrc: Any = elementwise("pdtrc", lambda x, k: _counted("pdtrc", x, k), lambda x, k: poisson_density(x, k), domain="positive", sample=(2,), real_only=True, scipy="pdtrc({k}, {0})", doc="1 - pdtr: more than k")
pdtri: Any = elementwise("pdtri", lambda x, k: _counted("pdtri", x, k), lambda y, k: -1 / poisson_density(y, k), domain="probability", sample=(2,), real_only=True, scipy="pdtri({k}, {0})", doc="the mean at which pdtr(k, m) is x")
# fmt: on

for _name, _row in (("bdtr", bdtr), ("bdtrc", bdtrc), ("bdtri", bdtri), ("nbdtr", nbdtr), ("nbdtrc", nbdtrc)):
    _down = not _name.startswith("n")
    of_order(
        _name,
        _row,
        "count k",
        "count n",
        whole=True,
        down=_down,
        doc=f"Return {_row.op.doc}. Counts have no derivative.",
    )
for _name, _row in (("pdtr", pdtr), ("pdtrc", pdtrc), ("pdtri", pdtri)):
    of_order(
        _name,
        _row,
        "count k",
        whole=True,
        down=_name != "pdtri",
        doc=f"Return {_row.op.doc}. The count has no derivative.",
    )
