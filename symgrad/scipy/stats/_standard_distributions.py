"""Distributions of real numbers and of counts: what SciPy's documentation says of each, as formulas."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from ...core import Symbol, Tensor
from ...ops import known_values
from ...ops.entries import broadcast_parameter
from ...ops.entries.distributions import (
    COUNT_QUANTILES,
    log_mass,
    skew_normal,
    skew_quantile,
    stdtrit,
    student_by_n,
    student_log,
    truncated_quantile,
    vonmises_mass,
    vonmises_quantile,
    with_domain,
)
from ...ops.entries.integrals import nbinom_terms, poisson_entropy, skew_normal_entropy
from ._distributions import Continuous, Discrete, Law

# -------------------------------- Distributions of real numbers: what SciPy's documentation says of each, as formulas

# Where a distribution function is a special function that has no derivative in a parameter, the refusal names it.


LOG_2PI, LOG_2, EULER = math.log(2 * math.pi), math.log(2), float(np.euler_gamma)


def _half_line(*_: Any) -> tuple[float, float]:
    return 0.0, np.inf


def _unit(*_: Any) -> tuple[float, float]:
    return 0.0, 1.0


def _symmetric(cdf: Any, ppf: Any, logcdf: Any = None) -> dict[str, Any]:
    """The functions of a distribution that is its own mirror image."""
    return {
        "cdf": cdf, "sf": lambda y, *shapes: cdf(-y, *shapes), "ppf": ppf, "isf": lambda q, *shapes: -ppf(q, *shapes),
        "logcdf": logcdf, "logsf": logcdf and (lambda y, *shapes: logcdf(-y, *shapes)),
    }  # fmt: skip


def _of_hazard(hazard: Any, point: Any) -> dict[str, Any]:
    """The functions of a distribution of which exp(−hazard) is the probability above y; ``point`` is the inverse."""
    return {
        "cdf": lambda y, *shapes: -np.expm1(-hazard(y, *shapes)), "sf": lambda y, *shapes: np.exp(-hazard(y, *shapes)),
        "logcdf": lambda y, *shapes: np.log(-np.expm1(-hazard(y, *shapes))),
        "logsf": lambda y, *shapes: -hazard(y, *shapes),
        "ppf": lambda q, *shapes: point(-np.log1p(-q), *shapes), "isf": lambda q, *shapes: point(-np.log(q), *shapes),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ the normal's kin

NORMAL = Law(
    log=lambda y: -(y * y) / 2 - LOG_2PI / 2, **_symmetric(special.ndtr, special.ndtri, special.log_ndtr),
    entropy=lambda: (LOG_2PI + 1) / 2,
)  # fmt: skip


LOGNORMAL = Law(
    shapes="s", domains="positive", support=_half_line,
    log=lambda y, s: np.where(y == 0, -np.inf, _lognormal(y, s)),
    cdf=lambda y, s: special.ndtr(np.log(y) / s), sf=lambda y, s: special.ndtr(-np.log(y) / s),
    logcdf=lambda y, s: special.log_ndtr(np.log(y) / s), logsf=lambda y, s: special.log_ndtr(-np.log(y) / s),
    ppf=lambda q, s: np.exp(s * special.ndtri(q)), isf=lambda q, s: np.exp(-s * special.ndtri(q)),
    entropy=lambda s: (LOG_2PI + 1) / 2 + np.log(s),
)  # fmt: skip


def _lognormal(y: Any, s: Any) -> Any:
    log = np.log(y)
    return -((log / s) ** 2) / 2 - np.log(s) - log - LOG_2PI / 2


def _truncated_entropy(a: Any, b: Any) -> Any:
    mass = log_mass(a, b)
    ends = [np.where(np.isfinite(c), c, 0.0) * np.exp(NORMAL_LOG(c) - mass) for c in (a, b)]
    return (LOG_2PI + 1) / 2 + mass + (ends[0] - ends[1]) / 2


NORMAL_LOG: Any = NORMAL.log
TRUNCATED = Law(
    shapes="a b", valid=lambda a, b: a < b, support=lambda a, b: (a, b),
    log=lambda y, a, b: NORMAL_LOG(y) - log_mass(a, b),
    cdf=lambda y, a, b: np.exp(log_mass(a, y) - log_mass(a, b)),
    sf=lambda y, a, b: np.exp(log_mass(y, b) - log_mass(a, b)),
    logcdf=lambda y, a, b: log_mass(a, y) - log_mass(a, b), logsf=lambda y, a, b: log_mass(y, b) - log_mass(a, b),
    ppf=lambda q, a, b: truncated_quantile(q, a, b), isf=lambda q, a, b: -truncated_quantile(q, -b, -a),
    entropy=_truncated_entropy,
)  # fmt: skip


SKEWED = Law(
    shapes="a", log=lambda y, a: LOG_2 + NORMAL_LOG(y) + special.log_ndtr(a * y),
    cdf=lambda y, a: skew_normal(y, a), sf=lambda y, a: skew_normal(-y, -a),
    ppf=lambda q, a: skew_quantile(q, a), isf=lambda q, a: -skew_quantile(q, -a),
    entropy=lambda a: skew_normal_entropy(a),
)  # fmt: skip


def _student(y: Any, df: Any) -> Any:
    if isinstance(y, Symbol) or isinstance(df, Symbol):  # as in a textbook; its slopes by df cancel where df is large
        return -(df + 1) / 2 * np.log1p(y * y / df) - np.log(df) / 2 - special.betaln(df / 2, 0.5)
    return student_log(df, y)


def _student_entropy(df: Any) -> Any:
    if isinstance(df, Symbol):
        more = special.psi((df + 1) / 2) - special.psi(df / 2)
        return (df + 1) / 2 * more + np.log(df) / 2 + special.betaln(df / 2, 0.5)
    return (1 + 1 / df) / 2 + (df + 1) * student_by_n(df, 0.0, 1) - student_log(df, 0.0)


STUDENT = Law(
    shapes="df", domains="positive", log=_student, entropy=_student_entropy,
    **_symmetric(lambda y, df: special.stdtr(df, y), lambda q, df: stdtrit(df, q)),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------- the gamma's kin

GAMMA = Law(
    shapes="a", domains="positive", support=_half_line,
    log=lambda y, a: special.xlogy(a - 1, y) - y - special.gammaln(a),
    cdf=lambda y, a: special.gammainc(a, y), sf=lambda y, a: special.gammaincc(a, y),
    ppf=lambda q, a: special.gammaincinv(a, q), isf=lambda q, a: special.gammainccinv(a, q),
    entropy=lambda a: a + special.gammaln(a) + (1 - a) * special.psi(a),
)  # fmt: skip

CHI_SQUARED = Law(
    shapes="df", domains="positive", support=_half_line,
    log=lambda y, df: special.xlogy(df / 2 - 1, y) - y / 2 - special.gammaln(df / 2) - df / 2 * LOG_2,
    cdf=lambda y, df: special.gammainc(df / 2, y / 2), sf=lambda y, df: special.gammaincc(df / 2, y / 2),
    ppf=lambda q, df: 2 * special.gammaincinv(df / 2, q), isf=lambda q, df: 2 * special.gammainccinv(df / 2, q),
    entropy=lambda df: df / 2 + LOG_2 + special.gammaln(df / 2) + (1 - df / 2) * special.psi(df / 2),
)  # fmt: skip

BETA = Law(
    shapes="a b", domains="positive positive", support=_unit,
    log=lambda y, a, b: special.xlogy(a - 1, y) + special.xlog1py(b - 1, -y) - special.betaln(a, b),
    cdf=lambda y, a, b: special.betainc(a, b, y), sf=lambda y, a, b: special.betaincc(a, b, y),
    ppf=lambda q, a, b: special.betaincinv(a, b, q), isf=lambda q, a, b: special.betainccinv(a, b, q),
    entropy=lambda a, b: (
        special.betaln(a, b) - (a - 1) * special.psi(a) - (b - 1) * special.psi(b) + (a + b - 2) * special.psi(a + b)
    ),
)  # fmt: skip


def _fisher(y: Any, n: Any, m: Any) -> Any:
    return (
        special.xlogy(n / 2 - 1, y) + n / 2 * np.log(n / m) - (n + m) / 2 * np.log1p(n * y / m)
        - special.betaln(n / 2, m / 2)
    )  # fmt: skip


def _fisher_above(q: Any, n: Any, m: Any) -> Any:
    """The x above which the probability is q, from the smaller of the shares m/(m + nx) and nx/(m + nx)."""
    rest, share = special.betaincinv(m / 2, n / 2, q), special.betainccinv(n / 2, m / 2, q)
    return m / n * np.where(rest < 0.5, (1 - rest) / rest, share / (1 - share))


def _fisher_entropy(n: Any, m: Any) -> Any:
    half, other, both = n / 2, m / 2, (n + m) / 2
    psi = special.psi
    return (
        np.log(m / n) + special.betaln(half, other)
        + (1 - half) * psi(half) - (1 + other) * psi(other) + both * psi(both)
    )  # fmt: skip


FISHER = Law(
    shapes="dfn dfd", domains="positive positive", support=_half_line, log=_fisher,
    cdf=lambda y, n, m: special.betainc(n / 2, m / 2, n * y / (m + n * y)),
    sf=lambda y, n, m: special.betainc(m / 2, n / 2, m / (m + n * y)),
    ppf=lambda q, n, m: special.fdtri(n, m, q), isf=_fisher_above, entropy=_fisher_entropy,
)  # fmt: skip

# --------------------------------------------------------------------------------------------- of survival and extremes

EXPONENTIAL = Law(
    support=_half_line, log=lambda y: -y, **_of_hazard(lambda y: y, lambda h: h), entropy=lambda: 1.0,
)  # fmt: skip

WEIBULL = Law(
    shapes="c", domains="positive", support=_half_line,
    log=lambda y, c: np.log(c) + special.xlogy(c - 1, y) - y**c,
    **_of_hazard(lambda y, c: y**c, lambda h, c: h ** (1 / c)),
    entropy=lambda c: -EULER / c - np.log(c) + EULER + 1,
)  # fmt: skip

PARETO = Law(
    shapes="b", domains="positive", support=lambda b: (1.0, np.inf),
    log=lambda y, b: np.log(b) - (b + 1) * np.log(y),
    **_of_hazard(lambda y, b: b * np.log(y), lambda h, b: np.exp(h / b)),
    entropy=lambda b: 1 + 1 / b - np.log(b),
)  # fmt: skip

GUMBEL = Law(
    log=lambda y: -y - np.exp(-y), cdf=lambda y: np.exp(-np.exp(-y)), sf=lambda y: -np.expm1(-np.exp(-y)),
    logcdf=lambda y: -np.exp(-y), logsf=lambda y: np.log(-np.expm1(-np.exp(-y))),
    ppf=lambda q: -np.log(-np.log(q)), isf=lambda q: -np.log(-np.log1p(-q)), entropy=lambda: EULER + 1,
)  # fmt: skip

# -------------------------------------------------------------------------------------------------- further ones

LOGISTIC = Law(
    log=lambda y: special.log_expit(y) + special.log_expit(-y),
    **_symmetric(special.expit, special.logit, special.log_expit), entropy=lambda: 2.0,
)  # fmt: skip


def _arc(y: Any) -> Any:
    """The share of the angle below y, exact far to the left as well."""
    return np.arctan2(1.0, -y) / np.pi


CAUCHY = Law(
    log=lambda y: -np.log1p(y * y) - math.log(math.pi),
    **_symmetric(_arc, lambda q: -1 / np.tan(np.pi * q), lambda y: np.log(_arc(y))),
    entropy=lambda: math.log(4 * math.pi),
)  # fmt: skip


def _laplace_below(y: Any) -> Any:
    tail = np.exp(-np.abs(y)) / 2
    return np.where(y > 0, 1 - tail, tail)


def _log_laplace_below(y: Any) -> Any:
    size = np.abs(y)
    return np.where(y > 0, np.log1p(-np.exp(-size) / 2), -size - LOG_2)


def _laplace_point(q: Any) -> Any:
    tail = np.log(2 * np.where(q > 0.5, 1 - q, q))
    return np.where(q > 0.5, -tail, tail)


LAPLACE = Law(
    log=lambda y: -np.abs(y) - LOG_2, **_symmetric(_laplace_below, _laplace_point, _log_laplace_below),
    entropy=lambda: LOG_2 + 1,
)  # fmt: skip

UNIFORM = Law(
    support=_unit, log=lambda y: 0 * y, cdf=lambda y: y, sf=lambda y: 1 - y,
    ppf=lambda q: q, isf=lambda q: 1 - q, entropy=lambda: 0.0,
)  # fmt: skip


def _i0e(kappa: Any) -> Any:
    """exp(−κ) I₀(κ), written out below 1: SciPy's function is even, so that it has a kink at 0, where κ begins."""
    near = kappa < 1
    least = np.where(near, kappa, 1.0)
    return np.where(near, np.exp(-least) * special.i0(least), special.i0e(np.where(near, 1.0, kappa)))


def _vonmises(y: Any, kappa: Any) -> Any:
    return vonmises_mass(kappa, y, 0) / (2 * math.pi * _i0e(kappa))


def _vonmises_point(q: Any, kappa: Any) -> Any:
    """The quantile, from the nearer end: so its slope by kappa is a difference of nothing large."""
    return np.where(q > 0.5, -vonmises_quantile(1 - q, kappa), vonmises_quantile(q, kappa))


VON_MISES = Law(
    shapes="kappa", domains="nonnegative", **_symmetric(_vonmises, _vonmises_point),
    log=lambda y, kappa: -2 * kappa * np.sin(y / 2) ** 2 - LOG_2PI - np.log(_i0e(kappa)),
    entropy=lambda kappa: (
        LOG_2PI + np.log(_i0e(kappa)) + kappa * (1 - special.i1e(kappa) / special.i0e(kappa))
    ),
)  # fmt: skip

CONTINUOUS_LAWS: dict[str, Law] = {
    "beta": BETA, "cauchy": CAUCHY, "chi2": CHI_SQUARED, "expon": EXPONENTIAL, "f": FISHER, "gamma": GAMMA,
    "gumbel_r": GUMBEL, "laplace": LAPLACE, "logistic": LOGISTIC, "lognorm": LOGNORMAL, "norm": NORMAL,
    "pareto": PARETO, "skewnorm": SKEWED, "t": STUDENT, "truncnorm": TRUNCATED, "uniform": UNIFORM,
    "vonmises": VON_MISES, "weibull_min": WEIBULL,
}  # fmt: skip

CONTINUOUS = {name: Continuous(name, law) for name, law in CONTINUOUS_LAWS.items()}


# ------------------------ Distributions of counts. What is differentiated are their parameters; a count is a constant


def log_choose(n: Any, k: Any) -> Any:
    """log(n choose k). Of numbers that nothing is differentiated by, with all digits, however large they are."""
    found = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    if any(isinstance(v, Symbol) or (isinstance(v, Tensor) and v.requires_grad) for v in (n, k)):
        return found
    inside = (k > 0) & (k < n)
    few, all_of = np.where(inside, np.minimum(k, n - k), 1.0), np.where(inside, n, 2.0)
    more = all_of - few
    size = few * np.log(all_of / few) - more * np.log1p(-few / all_of)  # both are positive
    return np.where(inside, size + _above_power(all_of) - _above_power(few) - _above_power(more), found)


def _above_power(k: Any) -> Any:
    """log k! less (k log k − k), by Stirling's series where k is not small (DLMF 5.11.1)."""
    far = np.maximum(k, 16.0)
    series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / far**2) / far**2) / far**2) / far**2
    near = special.gammaln(k + 1) - k * np.log(k) + k
    return np.where(k == far, (LOG_2PI + np.log(far)) / 2 + series / far, near)


def _quantiles(name: str) -> dict[str, Any]:
    """``ppf`` and ``isf``: SciPy's counts, which are constant but for jumps."""
    row = COUNT_QUANTILES[name]
    return {"ppf": lambda q, *shapes: row(q, *shapes, False), "isf": lambda q, *shapes: row(q, *shapes, True)}


def _quantiles_of_n(name: str) -> dict[str, Any]:
    """The same where the first parameter is of how many it counts."""
    row = COUNT_QUANTILES[name]

    def quantile(above: bool, q: Any, n: Any, *shapes: Any) -> Any:
        n, q = broadcast_parameter(n, q, f"the number n of {name}")
        return row(q, *shapes, n, above)

    return {"ppf": partial(quantile, False), "isf": partial(quantile, True)}


def _terms(log: Any, n: Any, *shapes: Any) -> tuple[Any, Any]:
    """The counts 0 to n on a last axis, and the logarithms of their probabilities; beyond n those of n again."""
    most = known_values(n, "the number of terms, n,")
    counts = np.arange(np.max(np.where(np.isfinite(most), most, 0.0), initial=0.0) + 1)
    n, *further = (s[..., None] for s in (n, *shapes))
    return counts, log(np.minimum(counts, n), n, *further)


def _sum_of_terms(log: Any, k: Any, chosen: Any, n: Any, *shapes: Any) -> Any:
    counts, logs = _terms(log, n, *shapes)
    found = np.where(chosen(counts, k[..., None]) & (counts <= n[..., None]), np.exp(logs), 0.0).sum(-1)
    return with_domain(found, k)


def _finite_entropy(log: Any, n: Any, *shapes: Any) -> Any:
    """The entropy of a distribution on 0 to n; what has no probability adds nothing."""
    counts, logs = _terms(log, n, *shapes)
    return -np.where((counts <= n[..., None]) & (logs > -np.inf), np.exp(logs) * logs, 0.0).sum(-1)


POISSON = Law(
    shapes="mu", domains="nonnegative", support=lambda mu: (0.0, np.inf),
    log=lambda k, mu: special.xlogy(k, mu) - mu - special.gammaln(k + 1),
    cdf=lambda k, mu: special.gammaincc(k + 1, mu), sf=lambda k, mu: special.gammainc(k + 1, mu),
    **_quantiles("poisson"), entropy=lambda mu: poisson_entropy(mu, 0),
)  # fmt: skip


def _binomial(k: Any, n: Any, p: Any) -> Any:
    return log_choose(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p)


BINOMIAL = Law(
    shapes="n p", domains="count share", valid=lambda n, p: np.floor(n) == n, support=lambda n, p: (0.0, n),
    log=_binomial,
    cdf=lambda k, n, p: special.betainc(n - k, k + 1, 1 - p), sf=lambda k, n, p: special.betainc(k + 1, n - k, p),
    **_quantiles_of_n("binom"), entropy=lambda n, p: _finite_entropy(_binomial, n, p),
)  # fmt: skip


def _nbinom_entropy(n: Any, p: Any) -> Any:
    """−n log p − E k log(1 − p) and the mean of log(Γ(k + 1)Γ(n)/Γ(n + k))."""
    ratio = (1 - p) / p
    return -n * np.log(p) - n / p * special.xlog1py(1 - p, -p) + nbinom_terms(n, ratio, 0, 0)


NEGATIVE_BINOMIAL = Law(
    shapes="n p", domains="positive nonzero_share", support=lambda n, p: (0.0, np.inf),
    log=lambda k, n, p: (
        special.gammaln(n + k) - special.gammaln(k + 1) - special.gammaln(n) + n * np.log(p) + special.xlog1py(k, -p)
    ),
    cdf=lambda k, n, p: special.betainc(n, k + 1, p), sf=lambda k, n, p: special.betainc(k + 1, n, 1 - p),
    **_quantiles("nbinom"), entropy=_nbinom_entropy,
)  # fmt: skip

GEOMETRIC = Law(
    shapes="p", domains="nonzero_share", support=lambda p: (1.0, np.inf),
    log=lambda k, p: special.xlog1py(k - 1, -p) + np.log(p),
    cdf=lambda k, p: -np.expm1(k * np.log1p(-p)), sf=lambda k, p: np.exp(k * np.log1p(-p)),
    logsf=lambda k, p: k * np.log1p(-p), entropy=lambda p: -(special.xlogy(p, p) + special.xlog1py(1 - p, -p)) / p,
    **_quantiles("geom"),
)  # fmt: skip


def _beta_binomial(k: Any, n: Any, a: Any, b: Any) -> Any:
    return special.betaln(k + a, n - k + b) - special.betaln(a, b) - np.log(n + 1) - special.betaln(n - k + 1, k + 1)


BETA_BINOMIAL = Law(
    shapes="n a b", domains="count positive positive", valid=lambda n, a, b: np.floor(n) == n,
    support=lambda n, a, b: (0.0, n), log=_beta_binomial,
    cdf=lambda k, n, a, b: _sum_of_terms(_beta_binomial, k, np.less_equal, n, a, b),
    sf=lambda k, n, a, b: _sum_of_terms(_beta_binomial, k, np.greater, n, a, b),
    **_quantiles_of_n("betabinom"), entropy=lambda n, a, b: _finite_entropy(_beta_binomial, n, a, b),
)  # fmt: skip

DISCRETE_LAWS = {
    "betabinom": BETA_BINOMIAL, "binom": BINOMIAL, "geom": GEOMETRIC, "nbinom": NEGATIVE_BINOMIAL, "poisson": POISSON,
}  # fmt: skip

DISCRETE = {name: Discrete(name, law) for name, law in DISCRETE_LAWS.items()}
