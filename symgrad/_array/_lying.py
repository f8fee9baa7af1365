"""How results lie in memory: what NumPy sorts, joins or picks of an array that does not lie in C order need not either.

The idea to hold: a program can tell, by writing to ``b.ravel()`` (a view or a copy), and by the orders "K" and "A". How
NumPy's result lies, NumPy is asked: it computes the same of the numbers. That is needed where an operand does not lie
in C order, or where the call says something about orders; a ufunc's lies right as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._errors import InplaceError
from ..core import Symbol, Tensor, hush, storage, table, unhush, wrap
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
        laid = [laid_like(p, n) for p, n in zip(parts, numpys, strict=True)]
        return type(found)(*laid) if hasattr(found, "_fields") else type(found)(laid)
    return found if found is parts else laid_like(found, numpys)


def laid_like(t: Any, lying: np.ndarray) -> Any:
    """A tensor whose entries lie in memory as those of an array do, gaps and all: what is a view hangs on it."""
    if not isinstance(t, Tensor) or type(lying) is not np.ndarray or lying.shape != t._data.shape:
        return t
    data = t._data
    if data.strides == lying.strides and data.dtype is lying.dtype:
        return t
    laid = storage.memory_as(lying, data.dtype)
    if laid.strides == data.strides:
        return t
    if type(t) is Symbol:
        t = table("clone")(t, "F" if laid.flags.fnc else "C")
        laid[...], t._data = data, laid
        return t
    laid[...] = data
    return with_tangent(wrap(laid, t._node), t)


def in_place_of(t: Tensor, had: np.ndarray) -> Tensor:
    """A tensor that an array holds in place of one that lay as ``had`` does: it lies so too, and what was a view of the
    array, or a copy, is one.
    """
    if not had.flags.forc and had.shape == t._data.shape and storage.shares_entries(had):
        raise InplaceError(
            "an array whose entries share memory with each other would be written to",
            f"It has shape {had.shape} and strides {had.strides}, as np.broadcast_to and as_strided make them.",
            "Write to a copy: x = np.copy(x).",
        )  # fmt: skip
    laid: Tensor = laid_like(t, had)
    return laid


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
    return storage.memory_as(lying, dtype)


__all__ = ["as_numpys", "in_place_of", "laid_like", "lies_apart", "room_for"]
