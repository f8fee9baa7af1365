"""Distributions of counts. What is differentiated are their parameters; a count is a constant."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import special

from ...ops._dims import known
from ...ops.entries._entropies import nbinom_terms, poisson_entropy
from ...ops.entries._named import parameter
from ...ops.entries._probabilities import COUNT_QUANTILES
from ...ops.statistics._domains import with_domain
from ._distributions import Discrete, Law


def _log_choose(n: Any, k: Any) -> Any:
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def _quantiles(name: str) -> dict[str, Any]:
    """``ppf`` and ``isf``: SciPy's counts, which are constant but for jumps."""
    row = COUNT_QUANTILES[name]
    return {"ppf": lambda q, *shapes: row(q, *shapes, False), "isf": lambda q, *shapes: row(q, *shapes, True)}


def _quantiles_of_n(name: str) -> dict[str, Any]:
    """The same where the first parameter is of how many it counts."""
    row = COUNT_QUANTILES[name]

    def quantile(above: bool, q: Any, n: Any, *shapes: Any) -> Any:
        n, q = parameter(n, q, f"the number n of {name}")
        return row(q, *shapes, n, above)

    return {"ppf": partial(quantile, False), "isf": partial(quantile, True)}


def _terms(log: Any, n: Any, *shapes: Any) -> tuple[Any, Any]:
    """The counts 0 to n on a last axis, and the logarithms of their probabilities; beyond n those of n again."""
    most = known(n, "the number of terms, n,")
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
    return _log_choose(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p)


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

LAWS = {
    "betabinom": BETA_BINOMIAL, "binom": BINOMIAL, "geom": GEOMETRIC, "nbinom": NEGATIVE_BINOMIAL, "poisson": POISSON,
}  # fmt: skip

DISCRETE = {name: Discrete(name, law) for name, law in LAWS.items()}

__all__ = ["DISCRETE"]
