"""SciPy's namespaces for what is differentiated: ``import symgrad.scipy as sp``.

SciPy's own functions take arrays, and lose what a tensor remembers. The functions here have their names, signatures and
values, and derivatives of every order. Plain arrays go to SciPy itself, and give what it gives.

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

from importlib import import_module as _import_module
from typing import Any as _Any

__all__ = ["fft", "integrate", "interpolate", "linalg", "ndimage", "optimize", "signal", "sparse", "special", "stats"]


def __getattr__(name: str) -> _Any:
    if name in __all__:
        return _import_module(f"symgrad.scipy.{name}")
    raise AttributeError(
        f"module 'symgrad.scipy' has no attribute {name!r}; it mirrors {', '.join(__all__)}", name=name
    )


def __dir__() -> list[str]:
    return __all__
