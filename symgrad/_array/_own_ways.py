"""Functions of NumPy's whose results lie in memory, or share it, in a way that the table's functions do not know.

The idea to hold: a program can tell by writing. What NumPy makes like an array lies as that does, and what NumPy hands
back as it is, or trims, is the array itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Symbol
from ..ops._dims import reduced_axes
from ._ndarray import ARRAYS, SCALARS, array_of, constant
from ._pieces import has_pieces, tensor_of
from ._protocols import by_table, call_function, own_way, write_to


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


def _broadcast(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Views of arrays, and those that have the shape as they are; a write to an array is seen in its view."""
    parts = [a if type(a) in ARRAYS or not has_pieces(a) else array_of(tensor_of(a)) for a in args]
    if any(type(p) in ARRAYS and type(p._t) is Symbol for p in parts):  # its sizes may have names
        return by_table(np.broadcast_arrays, args, {})
    parts = [p if type(p) in ARRAYS else np.asarray(p) for p in parts]
    shape = np.broadcast_shapes(*[p.shape for p in parts])
    return tuple(
        [
            (p if type(p) not in SCALARS else array_of(p._t)) if p.shape == shape
            else call_function(np.broadcast_to, (p, shape), {}) if type(p) in ARRAYS
            else np.broadcast_arrays(p, np.empty(shape))[0]
            for p in parts
        ]
    )  # fmt: skip


def _flipped(m: Any, axis: Any = None) -> Any:
    """A slice, as NumPy's is: steps are negative, and what is computed from it lies as from such an array."""
    if type(m) not in ARRAYS:
        return by_table(np.flip, (m, axis), {})
    axes = reduced_axes(axis, m.ndim)
    return m[tuple([_BACKWARDS if k in axes else _WHOLE for k in range(m.ndim)])]


def _turned(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    axes = tuple(axes)
    if type(m) not in ARRAYS or len(axes) != 2 or len({a % max(m.ndim, 1) for a in axes}) != 2:
        return by_table(np.rot90, (m, k, axes), {})  # which says what is wrong
    if k % 2 == 0:
        return _flipped(m, axes if k % 4 else ())
    return _flipped(m, axes[1]).swapaxes(*axes) if k % 4 == 1 else _flipped(m.swapaxes(*axes), axes[1])


_BACKWARDS, _WHOLE = slice(None, None, -1), slice(None)

for _func in (np.zeros_like, np.ones_like, np.empty_like, np.full_like):
    own_way(_func, _made_like(_func))
own_way(np.broadcast_arrays, _broadcast)
own_way(np.flip, _flipped)
own_way(np.flipud, lambda m: by_table(np.flipud, (m,), {}) if np.ndim(m) < 1 else _flipped(m, 0))
own_way(np.fliplr, lambda m: by_table(np.fliplr, (m,), {}) if np.ndim(m) < 2 else _flipped(m, 1))
own_way(np.rot90, _turned)
own_way(np.nan_to_num, _without_nan)
own_way(np.trim_zeros, _trimmed)
own_way(np.real_if_close, _really_real)
