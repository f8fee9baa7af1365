"""NumPy's namespace in which everything can be differentiated: ``import symgrad.numpy as np``.

Functions are NumPy's, which take arrays that are differentiated as they are. What differs: lists of such numbers are
arrays to every function, and inside a function that a transform runs, ``np.zeros(n)``, ``np.array([...])`` and their
kind make arrays that can be filled with what is differentiated. Elsewhere NumPy's arrays give NumPy's arrays, and
tensors give tensors. It is also the namespace of the array API standard, 2024.12, that ``x.__array_namespace__()``
gives.

Examples
--------
>>> import symgrad as sg
>>> import symgrad.numpy as np
>>> def f(p):
...     h = np.zeros(4)
...     h[0] = p[0]
...     for t in range(1, 4):
...         h[t] = p[1] * h[t - 1] + 1
...     return h.sum()
>>> sg.grad(f)(np.array([1.0, 0.5]))
array([1.875, 5.75 ])
"""

from __future__ import annotations

import sys as _sys
from typing import TYPE_CHECKING
from typing import Any as _Any

import numpy as _np

from ._namespace import filled as _filled

_OWN_MODULES = ("fft", "lib", "linalg")

if TYPE_CHECKING:
    from numpy import *  # noqa: F403

    from . import special
else:
    globals().update({name: value for name, value in _filled(_np).items() if name not in _OWN_MODULES})

    from . import fft, lib, linalg, special  # noqa: F401  (they are among the names of __all__)


def namespace(api_version: str | None = None) -> _Any:
    """Return this module, as the namespace of the array API standard of a version.

    Raises
    ------
    ValueError : there is no such version here
    """
    known = ("2021.12", "2022.12", "2023.12", "2024.12")
    if api_version is not None and api_version not in known:
        raise ValueError(f"symgrad.numpy is the array API of {', '.join(known)}; {api_version!r} is asked for")
    return _sys.modules[__name__]


def __getattr__(name: str) -> _Any:
    return getattr(_np, name)


__all__ = sorted(
    {name for name in globals() if not name.startswith("_")} - {"namespace", "annotations", "TYPE_CHECKING"}
)


def __dir__() -> list[str]:
    return __all__
