"""`scipy.stats` with derivatives of every order: densities and distribution functions, in data *and* parameters.

Distributions have SciPy's names, arguments and values; `norm(mu, sigma)` holds parameters. Plain arrays go to SciPy.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> data = np.array([1.0, 2.0, 6.0])
>>> sg.grad(lambda m: sp.stats.norm.logpdf(data, m, 2.0).sum())(2.0)
np.float64(0.75)
>>> x, mu, sigma = sg.symbols("x mu sigma")
>>> sg.grad(lambda mu: sp.stats.norm.logpdf(x, mu, sigma))(mu)
(x − μ)/σ²
"""

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._estimates import entropy, gaussian_kde, pearsonr, zscore
from ._multivariate import MULTIVARIATE as _MULTIVARIATE
from ._standard_distributions import CONTINUOUS as _CONTINUOUS
from ._standard_distributions import DISCRETE as _DISCRETE

globals().update(_CONTINUOUS | _DISCRETE | _MULTIVARIATE)

__all__ = ["entropy", "gaussian_kde", "pearsonr", "zscore", *sorted(_CONTINUOUS | _DISCRETE | _MULTIVARIATE)]


__getattr__, __dir__ = _passing_on("stats")


_settle(__name__, globals(), __all__)
