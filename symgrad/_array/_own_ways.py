"""Functions of NumPy's whose results lie in memory, or share it, in a way that the table's functions do not know.

The idea to hold: a program can tell by writing. What NumPy makes like an array lies as that does, and what NumPy hands
back as it is, or trims, is the array itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Symbol
from ._ndarray import ARRAYS, SCALARS, constant
from ._pieces import has_pieces
from ._protocols import by_table, own_way, write_to


def _made_like(func: Any) -> Callable[..., Any]:
    """``zeros_like`` and its kind: new arrays of numbers, which lie as NumPy lays them."""

    def call(*args: Any, **kwargs: Any) -> Any:
        first: Any = args[0] if args else None
        fills = (*args[1:], *kwargs.values())
        if type(first) in ARRAYS and type(first._t) is not Symbol and not any(map(has_pieces, fills)):
            return constant(func(first._lying(), *args[1:], **kwargs))
        return by_table(func, args, kwargs)

    return call


def _without_nan(x: Any, copy: bool = True, *limits: Any, **words: Any) -> Any:
    found = by_table(np.nan_to_num, (x, True, *limits), words)
    if copy or type(x) not in ARRAYS or type(x) in SCALARS:
        return found
    write_to(x, found, "np.nan_to_num(copy=False)")
    return x


def _trimmed(filt: Any, trim: str = "fb", **words: Any) -> Any:
    """A view from the first entry that is not 0 to the last."""
    if type(filt) not in ARRAYS or filt.ndim != 1 or words or type(filt._t) is Symbol:
        return by_table(np.trim_zeros, (filt, trim), words)
    by_table(np.trim_zeros, (filt, trim), words)  # refuses what may not be left out
    (places,) = np.nonzero(filt._shaped())
    if not places.size:
        return filt[:0]
    return filt[places[0] if "f" in trim.lower() else 0 : places[-1] + 1 if "b" in trim.lower() else None]


def _really_real(a: Any, tol: float = 100) -> Any:
    return a if type(a) in ARRAYS and a.dtype.kind != "c" else by_table(np.real_if_close, (a, tol), {})


for _func in (np.zeros_like, np.ones_like, np.empty_like, np.full_like):
    own_way(_func, _made_like(_func))
own_way(np.nan_to_num, _without_nan)
own_way(np.trim_zeros, _trimmed)
own_way(np.real_if_close, _really_real)
