"""SciPy's special functions that have derivatives, where SciPy looks for them: beside the namespace's own functions.

The idea to hold: with SCIPY_ARRAY_API=1 a function of `scipy.special` asks the namespace of its arguments for its own
function of that name (``xp.special.erf``), and takes numbers out of the arrays if there is none.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as _np

from ..core import NUMPY as _NUMPY
from ..ops.numpy import public_special as _public_special
from ..ops.numpy import row_of_scipy as _row_of_scipy

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if "scipy.special" in sys.modules:
        found = _public_special(name)
        if isinstance(found, _np.ufunc) and (found in _NUMPY or _row_of_scipy(found) is not None):
            return found
    raise AttributeError(f"there is no function {name!r} of scipy.special with derivatives")


def __dir__() -> list[str]:
    return __all__
