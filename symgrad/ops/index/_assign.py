"""Writing to places: ``x[...] = value`` and index_put.

A write through a basic index is a write to that view; one through arrays or masks replaces the value of the whole
tensor. Where nothing records, it goes straight to the memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError
from ..._typing import in_dtype
from ...core import Carrier, Tensor, check_writable, contents, write
from .._dims import data, kind_of, known, same_dtype, sizes
from .._public import METHODS, public
from ..entries._copy import _recording, _strip, assign, gathered, wrote
from ._index import getitem, split
from ._places import FULL, index_put_row, placed_at

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
    if isinstance(value, (Carrier, list, tuple)):
        value = contents(value)
    if not _recording(self, value):
        check_writable(self, "__setitem__")
        if _wrote(self, index, value):
            return None
    if type(index) is not tuple:
        if index is ... or (type(index) is slice and index == FULL):
            return assign(self, value)
        index = (index,)
    steps, arrays = split(self._data.shape, index)
    if steps is not None and any(isinstance(k, int) or (type(k) is slice and k != FULL) or k is None for k in steps):
        self = getitem(self, (*steps, ...))
    if arrays is None:
        return assign(self, value)
    for k in arrays:
        known(k, "which elements an index picks")
    if not isinstance(value, (Tensor, np.ndarray, np.generic, int, float, complex)):
        value = gathered(value, self)
    if sizes(value)[:1] == (1,):
        value = _strip(value, self._data[tuple(map(data, arrays))].ndim)
    put_at(self, arrays, value, False, "__setitem__")
    return None


def _wrote(t: Tensor, index: Any, value: Any) -> bool:
    """Write straight to the memory where the index is basic and everything fits (else say False)."""
    for k in index if type(index) is tuple else (index,):
        kind = type(k)
        if kind is not int and kind is not slice and k is not None and k is not ...:
            return False
    source = value
    if type(value) is Tensor:
        value = value._data
    elif type(value) is not float and type(value) is not int:
        return False
    index = index if type(index) is tuple else (index,)
    try:
        t._data[index if ... in index else index + (...,)] = value
    except (ValueError, IndexError, OverflowError):
        return False
    wrote(t, source)
    return True


def put_at(t: Tensor, index: tuple[Any, ...], values: Any, accumulate: bool, what: str) -> Tensor:
    """Put ``values`` at an index of arrays into the memory of ``t``."""
    check_writable(t, what)
    if sizes(values):
        same_dtype(t, values, _UNLIKE)
    if _recording(t, values):
        return write(t, _put(t, values, index, accumulate), what)
    if accumulate or isinstance(values, (Tensor, np.ndarray)):
        t._data[...] = _put(t._data, data(values), tuple(map(data, index)), accumulate)
    else:
        t._data[tuple(map(data, index))] = in_dtype(values, t._data.dtype, what)
    return wrote(t, values, *index)


def _put(x: Any, values: Any, index: tuple[Any, ...], accumulate: bool) -> Any:
    order, places, dim, count = placed_at(index, len(sizes(x)))
    if order is None:
        return index_put_row(x, values, places, dim, count, accumulate)
    turned = index_put_row(_turned(x, order), values, places, dim, count, accumulate)
    return _turned(turned, tuple(np.argsort(order).tolist()))


def _turned(x: Any, order: tuple[int, ...]) -> Any:
    return x.permute(order) if isinstance(x, Tensor) else x.transpose(order)


_UNLIKE = (
    "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source."
)


def _indices(indices: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(indices, (Tensor, np.ndarray)):
        raise DTypeError(
            "index_put(): argument 'indices' (position 1) must be tuple of Tensors, not Tensor", "", "Write (index,)."
        )
    parts = [FULL if k is None else _part(k) for k in indices]
    used = sum(1 if type(k) is slice or kind_of(k) != "b" else len(sizes(k)) for k in parts)
    if used > len(shape):
        raise DimensionError(
            f"too many indices for tensor of dimension {len(shape)} (got {used})", "", "Leave some out."
        )
    return tuple(parts)


def _part(k: Any) -> Any:
    k = k if isinstance(k, Tensor) else np.asarray(known(k, "which elements an index picks"))
    if data(k).dtype == np.uint8:
        k = k != 0
    if kind_of(k) not in "biu":
        raise DimensionError(
            "tensors used as indices must be long, int, byte or bool tensors",
            f"One has dtype {data(k).dtype}.",
            "Cast it.",
        )
    if kind_of(k) == "b":
        known(k, "which elements an index picks")
    return k if sizes(k) else k.reshape((1,))


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
