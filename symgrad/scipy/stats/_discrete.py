"""Distributions of counts. What is differentiated are their parameters; a count is a constant."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from ._distributions import Discrete, Law


def _log_choose(n: Any, k: Any) -> Any:
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


POISSON = Law(
    shapes="mu", domains="nonnegative", support=lambda mu: (0.0, np.inf),
    log=lambda k, mu: special.xlogy(k, mu) - mu - special.gammaln(k + 1),
    cdf=lambda k, mu: special.gammaincc(k + 1, mu), sf=lambda k, mu: special.gammainc(k + 1, mu),
)  # fmt: skip

BINOMIAL = Law(
    shapes="n p", domains="count share", valid=lambda n, p: np.floor(n) == n, support=lambda n, p: (0.0, n),
    log=lambda k, n, p: _log_choose(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p),
    cdf=lambda k, n, p: special.betainc(n - k, k + 1, 1 - p), sf=lambda k, n, p: special.betainc(k + 1, n - k, p),
)  # fmt: skip

NEGATIVE_BINOMIAL = Law(
    shapes="n p", domains="positive nonzero_share", support=lambda n, p: (0.0, np.inf),
    log=lambda k, n, p: (
        special.gammaln(n + k) - special.gammaln(k + 1) - special.gammaln(n) + n * np.log(p) + special.xlog1py(k, -p)
    ),
    cdf=lambda k, n, p: special.betainc(n, k + 1, p), sf=lambda k, n, p: special.betainc(k + 1, n, 1 - p),
)  # fmt: skip

GEOMETRIC = Law(
    shapes="p", domains="nonzero_share", support=lambda p: (1.0, np.inf),
    log=lambda k, p: special.xlog1py(k - 1, -p) + np.log(p),
    cdf=lambda k, p: -np.expm1(k * np.log1p(-p)), sf=lambda k, p: np.exp(k * np.log1p(-p)),
    logsf=lambda k, p: k * np.log1p(-p), entropy=lambda p: -(special.xlogy(p, p) + special.xlog1py(1 - p, -p)) / p,
)  # fmt: skip

BETA_BINOMIAL = Law(
    shapes="n a b", domains="count positive positive", valid=lambda n, a, b: np.floor(n) == n,
    support=lambda n, a, b: (0.0, n),
    log=lambda k, n, a, b: (
        special.betaln(k + a, n - k + b) - special.betaln(a, b) - np.log(n + 1) - special.betaln(n - k + 1, k + 1)
    ),
)  # fmt: skip

LAWS = {
    "betabinom": BETA_BINOMIAL, "binom": BINOMIAL, "geom": GEOMETRIC, "nbinom": NEGATIVE_BINOMIAL, "poisson": POISSON,
}  # fmt: skip

DISCRETE = {name: Discrete(name, law) for name, law in LAWS.items()}

__all__ = ["DISCRETE"]
