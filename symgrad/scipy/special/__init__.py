"""`scipy.special` with derivatives: its ufuncs, which take tensors as they are, and what SciPy writes in Python.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> sg.grad(sp.special.gammaln)(2.5)
np.float64(0.7031566406452432)
>>> sg.grad(lambda x: sp.special.logsumexp(x, b=[1.0, 2.0]))(np.zeros(2)).round(4)
array([0.3333, 0.6667])
>>> sg.formula(lambda x: sp.special.spherical_jn(1, x), sg.symbol("x"))
j₁(x)
"""

from typing import Any as _Any

import scipy.special as _scipy
from numpy import ufunc as _ufunc

from ...core import TABLE as _TABLE
from ...ops import set_public_names as _settle
from ...ops.numpy import SCIPY as _SCIPY
from .._passed_on import passing_on as _passing_on
from ._python_written import (
    lambertw,
    log_softmax,
    logsumexp,
    multigammaln,
    polygamma,
    softmax,
    softplus,
    sph_harm_y,
    spherical_in,
    spherical_jn,
    spherical_kn,
    spherical_yn,
    stdtrit,
    zeta,
)


def _is_known(function: _Any) -> bool:
    if not isinstance(function, _ufunc):
        return False
    name = function.__name__
    return name in _SCIPY or (name in _TABLE and _TABLE[name].kind == "elementwise")


_UFUNCS = [n for n in _scipy.__all__ if n != "stdtrit" and _is_known(getattr(_scipy, n))]  # they hand themselves over
globals().update({name: getattr(_scipy, name) for name in (*_UFUNCS, "sinc")})

__all__ = [
    "lambertw", "log_softmax", "logsumexp", "multigammaln", "polygamma", "softmax", "softplus", "sph_harm_y",
    "spherical_in", "spherical_jn", "spherical_kn", "spherical_yn", "stdtrit", "zeta", "sinc", *_UFUNCS,
]  # fmt: skip


__getattr__, __dir__ = _passing_on("special")


_settle(__name__, globals(), __all__)
