"""How results lie in memory: what NumPy sorts, joins or picks of an array that does not lie in C order need not either.

The idea to hold: a program can tell, by writing to ``b.ravel()`` (a view or a copy), and by the orders "K" and "A". How
NumPy's result lies, NumPy is asked: it computes the same of the numbers. That is needed where an operand does not lie
in C order, or where the call says something about orders; a ufunc's lies right as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..core import Symbol, Tensor, hush, table, unhush, wrap
from ..core import carried as with_tangent


def as_numpys(found: Any, call: Callable[[], Any]) -> Any:
    """A tensor, or several, lying as what ``call`` makes of the numbers does."""
    parts = found if isinstance(found, (tuple, list)) else (found,)
    if not any(isinstance(p, Tensor) and p._data.ndim > 1 for p in parts):
        return found
    state = hush()
    try:
        numpys = call()
    except Exception:  # of the numbers of a symbol, say, which stand for others
        return found
    finally:
        unhush(state)
    if found is parts and isinstance(numpys, (tuple, list)) and len(numpys) == len(parts):
        laid = [_like(p, n) for p, n in zip(parts, numpys, strict=True)]
        return type(found)(*laid) if hasattr(found, "_fields") else type(found)(laid)
    return found if found is parts else _like(found, numpys)


def _like(t: Any, numpys: Any) -> Any:
    """A tensor that lies as an array does."""
    if not isinstance(t, Tensor) or type(numpys) is not np.ndarray or numpys.shape != t._data.shape:
        return t
    data = np.empty_like(numpys, t._data.dtype)
    if data.strides == t._data.strides:
        return t
    if type(t) is Symbol:
        return table("clone")(t, "F" if data.flags.fnc else "C")
    data[...] = t._data
    return with_tangent(wrap(data, t._node), t)


def lies_apart(values: Iterable[Any]) -> bool:
    """Whether one of the operands, or of their lists, lies in memory otherwise than in C order."""
    for v in values:
        if isinstance(v, (tuple, list)):
            if lies_apart(v):
                return True
        elif isinstance(v, (Tensor, np.ndarray)):
            a = v._data if isinstance(v, Tensor) else v
            if a.ndim > 1 and not a.flags.c_contiguous:
                return True
    return False


def room_for(lying: np.ndarray, dtype: Any, copied: bool, order: str = "K") -> np.ndarray:
    """A new array where NumPy has the array ``lying`` itself, or, ``copied``, a copy of it.

    What has gaps or runs backwards has gaps and runs backwards here: orders of memory, and reshapes, ask for it.
    """
    if copied or lying.flags.forc:
        return np.empty_like(lying, dtype, order)  # type: ignore[call-overload]
    unit = math.gcd(lying.itemsize, *lying.strides)  # of a field of records less than an entry
    steps = [s // unit for s in lying.strides]
    ends = [(n - 1) * s for n, s in zip(lying.shape, steps, strict=True)]
    line = np.empty(1 + sum(map(abs, ends)), dtype)[-sum(e for e in ends if e < 0) :]
    return as_strided(line, lying.shape, [s * line.itemsize for s in steps])


__all__ = ["as_numpys", "lies_apart", "room_for"]
