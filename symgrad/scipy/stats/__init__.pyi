"""`scipy.stats` with derivatives of every order: densities and distribution functions, in data *and* parameters. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from ._estimates import entropy as entropy
from ._estimates import gaussian_kde as gaussian_kde
from ._estimates import pearsonr as pearsonr
from ._estimates import zscore as zscore
from symgrad.scipy.stats._distributions import Continuous
from symgrad.scipy.stats._distributions import Discrete
from symgrad.scipy.stats._multivariate import _dirichlet
from symgrad.scipy.stats._multivariate import _multinomial
from symgrad.scipy.stats._multivariate import _multivariate_normal
from symgrad.scipy.stats._multivariate import _multivariate_t
from symgrad.scipy.stats._multivariate import _wishart

beta: Continuous
betabinom: Discrete
binom: Discrete
cauchy: Continuous
chi2: Continuous
dirichlet: _dirichlet
expon: Continuous
f: Continuous
gamma: Continuous
geom: Discrete
gumbel_r: Continuous
laplace: Continuous
logistic: Continuous
lognorm: Continuous
multinomial: _multinomial
multivariate_normal: _multivariate_normal
multivariate_t: _multivariate_t
nbinom: Discrete
norm: Continuous
pareto: Continuous
poisson: Discrete
skewnorm: Continuous
t: Continuous
truncnorm: Continuous
uniform: Continuous
vonmises: Continuous
weibull_min: Continuous
wishart: _wishart

def __getattr__(name: _str) -> Any: ...

__all__ = [
    "entropy", "gaussian_kde", "pearsonr", "zscore", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet",
    "expon", "f", "gamma", "geom", "gumbel_r", "laplace", "logistic", "lognorm", "multinomial", "multivariate_normal",
    "multivariate_t", "nbinom", "norm", "pareto", "poisson", "skewnorm", "t", "truncnorm", "uniform", "vonmises",
    "weibull_min", "wishart",
]
