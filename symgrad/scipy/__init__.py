"""SciPy's namespaces for what is differentiated: ``import symgrad.scipy as sp``.

SciPy's own functions take arrays, and lose what a tensor remembers. The functions here have their names, signatures and
values, and derivatives of every order. Plain arrays go to SciPy itself, and give what it gives. What has no derivative
here is SciPy's own under its name (`io`, `spatial.KDTree`), so that a script changes its imports and nothing else.

Examples
--------
>>> import numpy as np
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> sg.grad(lambda a: sp.linalg.expm(a)[0, 1])(np.zeros((2, 2)))
array([[0., 1.],
       [0., 0.]])
>>> x, m, s = sg.symbols("x mu sigma")
>>> sg.grad(lambda m: sp.stats.norm.logpdf(x, m, s))(m)
(x − μ)/σ²
"""

import sys as _sys
from typing import TYPE_CHECKING

from ._passed_on import PassedOn as _PassedOn
from ._passed_on import passing_on as _passing_on

__all__ = [
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "sparse",
    "spatial",
    "special",
    "stats",
]


if TYPE_CHECKING:
    from . import fft, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, spatial, special, stats

__getattr__, __dir__ = _passing_on("")


_sys.meta_path.append(_PassedOn())
