"""Writing to places: ``x[...] = value`` and index_put.

A write through a basic index is a write to that view; one through arrays or masks replaces the value of the whole
tensor. Where nothing records, it goes straight to the memory.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError
from ..._typing import in_dtype
from ...core import Tensor, check_writable, listening, write
from .._dims import data, known, same_dtype, sizes
from .._numpy_arguments import recorded
from .._public import METHODS, public
from ..entries._copy import _recording, _strip, assign, gathered, wrote
from ..reduce._reduce import expand
from ._index import FULL, getitem_arrays, index_put_row, put_values, split, subscript, taken

# ------------------------------------------------------------------------------------- places named more than once


def last_of_each(places: np.ndarray) -> np.ndarray:
    """Of elements put at flat places, in order, those that stay: of several for one place the last."""
    _, last = np.unique(places[::-1], return_index=True)
    return np.sort(places.size - 1 - last)


def put_last(row: Any, x: Any, values: Any, index: tuple[Any, ...], *params: Any) -> Any:
    """``row(x, values, *params)``, which puts values at ``index``; one that another overwrites gets no gradient.

    A row's rule knows the places only. So where one is named twice, only the values that stay are put.
    """
    shape = sizes(x)
    if not recorded(values) or not _repeats(shape, index):
        return row(x, values, *params)
    notes = listening.get()
    if notes is not None and notes.knows((index,)):
        notes.doubt("it writes twice to one place, which may be another in another example")
    places = taken(np.arange(math.prod(shape)).reshape(shape), index)
    try:
        np.broadcast_to(data(values), places.shape)
    except ValueError:
        return row(x, values, *params)  # which says what is wrong
    stay = last_of_each(places.reshape(-1))
    line = expand(values, places.shape).reshape((-1,))
    return index_put_row(x, getitem_arrays(line, (stay,)), np.unravel_index(places.reshape(-1)[stay], shape), False)


def _repeats(shape: tuple[int, ...], index: tuple[Any, ...]) -> bool:
    """Whether an index of arrays names a place twice."""
    arrays = [k for k in index if type(k) is not slice]
    if all(k.dtype == bool for k in arrays):
        return False
    used = len(index) + sum(k.ndim - 1 for k in arrays if k.dtype == bool)
    first = tuple(0 if type(k) is slice else k for k in index) + (0,) * (len(shape) - used)
    size = math.prod(shape)
    try:
        places = np.arange(size).reshape(shape)[first]
    except IndexError:
        return False  # there is no place, or the write says what is wrong
    named = np.zeros(size, bool)
    named[places] = True
    return bool(np.count_nonzero(named) < places.size)


# ----------------------------------------------------------------------------------------------- writing


def set_subscript(self: Tensor, index: Any, value: Any) -> None:
    """Overwrite the part of the tensor that ``index`` names with ``value``, broadcast; gradients flow to ``value``.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor(2.0, requires_grad=True)
    >>> x = sg.zeros(3)
    >>> x[1:] = w * 3
    >>> x
    tensor([0., 6., 6.], grad_fn=<CopySlices>)
    >>> x.sum().backward()
    >>> w.grad
    tensor(6.)
    """
    if not _recording(self, value):
        check_writable(self, "__setitem__")
        if _wrote(self, index, value):
            return None
    if type(index) is not tuple:
        if index is ... or (type(index) is slice and index == FULL):
            return assign(self, value)
        index = (index,)
    steps, arrays = split(self._data.shape, index)
    if steps is not None and any(type(k) is int or (type(k) is slice and k != FULL) or k is None for k in steps):
        self = subscript(self, steps)
    if arrays is None:
        return assign(self, value)
    if not isinstance(value, (Tensor, np.ndarray, np.generic, int, float, complex)):
        value = gathered(value, self)
    if sizes(value)[:1] == (1,):
        value = _strip(value, self._data[arrays].ndim)
    put_at(self, arrays, value, False, "__setitem__")
    return None


def _wrote(t: Tensor, index: Any, value: Any) -> bool:
    """Write straight to the memory where the index is basic and everything fits (else say False)."""
    for k in index if type(index) is tuple else (index,):
        kind = type(k)
        if kind is not int and kind is not slice and k is not None and k is not ...:
            return False
    if type(value) is Tensor:
        value = value._data
    elif type(value) is not float and type(value) is not int:
        return False
    index = index if type(index) is tuple else (index,)
    try:
        t._data[index if ... in index else index + (...,)] = value
    except (ValueError, IndexError, OverflowError):
        return False
    wrote(t)
    return True


def put_at(t: Tensor, index: tuple[Any, ...], values: Any, accumulate: bool, what: str) -> Tensor:
    """Put ``values`` at an index of arrays into the memory of ``t``."""
    check_writable(t, what)
    if sizes(values):
        same_dtype(t, values, _UNLIKE)
    if _recording(t, values):
        return write(t, _put(t, values, index, accumulate), what)
    if accumulate or isinstance(values, (Tensor, np.ndarray)):
        t._data[...] = put_values(t._data, data(values), index, accumulate)
    else:
        t._data[index] = in_dtype(values, t._data.dtype, what)
    return wrote(t)


def _put(x: Any, values: Any, index: tuple[Any, ...], accumulate: bool) -> Any:
    if accumulate:
        return index_put_row(x, values, index, True)
    return put_last(index_put_row, x, values, index, index, False)


_UNLIKE = (
    "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source."
)


def _indices(indices: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(indices, (Tensor, np.ndarray)):
        raise DTypeError(
            "index_put(): argument 'indices' (position 1) must be tuple of Tensors, not Tensor", "", "Write (index,)."
        )
    parts = [
        FULL if k is None else np.atleast_1d(np.asarray(known(k, "which elements an index picks"))) for k in indices
    ]
    for k in parts:
        if type(k) is not slice and k.dtype.kind not in "biu":
            raise DimensionError(
                "tensors used as indices must be long, int, byte or bool tensors",
                f"One has dtype {k.dtype}.",
                "Cast it.",
            )
    used = sum(1 if type(k) is slice or k.dtype.kind != "b" else k.ndim for k in parts)
    if used > len(shape):
        raise DimensionError(
            f"too many indices for tensor of dimension {len(shape)} (got {used})", "", "Leave some out."
        )
    return tuple(parts)


@public()
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return ``input`` with ``values`` put at (or added to) the places of ``indices``, a tuple of index tensors."""
    index = _indices(indices, sizes(input))
    same_dtype(input, values, _UNLIKE)
    return _put(input, values, index, accumulate)


def index_put_(self: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Put ``values`` at (or add them to) the places of ``indices`` in this tensor's memory, and return it."""
    return put_at(self, _indices(indices, self._data.shape), values, accumulate, "index_put_")


METHODS["index_put_"] = index_put_
METHODS["__setitem__"] = set_subscript
