"""`numpy.emath`: functions that give complex numbers where real ones have no value.

The idea to hold: whether they do depends on the values, all together; then the operand is complex from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import NUMPY
from .._dims import data, known
from .._numpy_arguments import alike, tensor_like
from ..entries import _elementwise as e
from ..entries._copy import cast


def _where_needed(x: Any, outside: Callable[[np.ndarray], Any], name: str) -> Any:
    """``x``, as complex numbers if one of it is outside of what a function takes of real ones."""
    x = tensor_like(x)
    kind = data(x).dtype
    if kind.kind == "c" or not np.any(outside(known(x, f"np.emath.{name}"))):
        return x
    return cast(x, np.complex64 if kind.char in "bBhHf" else np.complex128)


def _negative(x: np.ndarray) -> Any:
    return x < 0


def _beyond_one(x: np.ndarray) -> Any:
    return np.abs(x) > 1


def _of_one(name: str, outside: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    function = NUMPY[getattr(np, name)]
    return lambda x: function(_where_needed(x, outside, name))


def _power(x: Any, p: Any) -> Any:
    whole = np.asarray(data(tensor_like(p)))
    if whole.dtype.kind in "iu" and (whole < 0).any():
        p = cast(tensor_like(p), np.float64)
    return NUMPY[np.power](*alike(_where_needed(x, _negative, "power"), p))


_log = _of_one("log", _negative)

NUMPY.update({
    getattr(np.emath, name): _of_one(name, outside) for name, outside in {
        "sqrt": _negative, "log": _negative, "log2": _negative, "log10": _negative, "arccos": _beyond_one,
        "arcsin": _beyond_one, "arctanh": _beyond_one,
    }.items()
})  # fmt: skip
NUMPY[np.emath.logn] = lambda n, x: e.div(*alike(_log(x), _log(n)))
NUMPY[np.emath.power] = _power
