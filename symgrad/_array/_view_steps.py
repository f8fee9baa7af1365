"""How a view is taken from an array, and how what was written to it is put back.

The idea to hold: a step is a function of NumPy's that moves entries and computes none. Applied to the numbers of the
places it tells where each entry of the view lies, so one way to put entries back serves all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import NotDifferentiableError
from ..core import Symbol, Tensor, wrap
from ..ops._dims import sizes
from ..ops._public import METHODS
from ..ops.entries._complex import complex_row
from ..ops.index._index import at_dim, getitem, select_scatter_row, slice_scatter_row
from ..ops.index._pick import index_select
from ..ops.index._places import FULL, index_put_row
from ..ops.shape._shape import reshape


class BasicIndex:
    """``a[index]`` with integers, slices, None and dots.

    Attributes
    ----------
    index : as a tuple
    """

    __slots__ = ("index",)

    def __init__(self, index: Any) -> None:
        self.index = index if type(index) is tuple else (index,)

    def __eq__(self, other: object) -> bool:
        return type(other) is BasicIndex and self.index == other.index

    __hash__ = object.__hash__

    def taken(self, t: Tensor) -> Tensor:
        """The part that the index names."""
        part: Tensor = METHODS["__getitem__"](t, self.index) if type(t) is not Symbol else t[self.index]
        return part

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The part of an array, as NumPy takes it."""
        part: np.ndarray = data[self.index]
        return part

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """``t`` with another part in its place."""
        index = self.index if any(k is ... for k in self.index) else (*self.index, ...)
        if _plain(t) and _plain(part):
            data = t._data.copy()
            data[index] = part._data
            return wrap(data)
        parts = _per_dimension(index, t._data.ndim)
        if any(k is None for k in index):  # new axes: the part without them
            part = reshape(part, [sizes(part)[k] for k in _old_axes(index, t._data.ndim)])
        return _replaced(t, part, parts)


class Moved:
    """``function(a)``, one of NumPy's that gives a view.

    Attributes
    ----------
    function : of a tensor, or of an array
    """

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def taken(self, t: Tensor) -> Tensor:
        """The entries in their new order."""
        moved: Tensor = self.function(t)
        return moved

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The same of an array."""
        moved: np.ndarray = self.function(data)
        return moved

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """``t`` with other entries in the places that the function moves."""
        shape = t._data.shape
        numbered = np.empty_like(t._data, np.intp)  # which lies as the entries do: some orders are those of memory
        numbered[...] = np.arange(t._data.size).reshape(shape)
        places = self.numbers(numbered).reshape(-1)
        if places.size > t._data.size or np.bincount(places, minlength=1).max() > 1:
            raise ValueError("assignment destination is read-only: entries of this view share memory with each other")
        if _plain(t) and _plain(part):
            flat = t._data.flatten()
            flat[places] = part._data.reshape(-1)
            return wrap(flat.reshape(shape))
        values = reshape(part, (math.prod(sizes(part)),))
        if places.size == t._data.size:  # every entry has its place
            order = np.arange(places.size)
            if np.array_equal(places, order):
                return reshape(values, sizes(t))
            if np.array_equal(self.numbers(places.reshape(part._data.shape)), order.reshape(shape)):
                return self.taken(part)  # done twice it is undone, as a transpose is
            return reshape(index_select(values, 0, np.argsort(places)), sizes(t))
        line = reshape(t, (math.prod(sizes(t)),))
        new: Tensor = reshape(index_put_row(line, values, places, 0, 1, False), sizes(t))
        return new

    def numbers(self, places: np.ndarray) -> np.ndarray:
        """An array of numbers, moved."""
        found = self.function(places)
        return np.asarray(found._data if isinstance(found, Tensor) else found)


class Strided(Moved):
    """The entries that lie where ``as_strided`` says, in an array that lies as ``data`` does.

    Raises
    ------
    NotDifferentiableError : there are none
    """

    __slots__ = ("shape", "strides")

    def __init__(self, data: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.shape, self.strides = shape, strides
        entries = _offsets(data.shape, data.strides).reshape(-1)
        order = np.argsort(entries, kind="stable")
        wanted = _offsets(shape, strides)
        places = order[np.searchsorted(entries, wanted, sorter=order).clip(max=max(entries.size - 1, 0))]
        if wanted.size and (not entries.size or (entries[places] != wanted).any()):
            raise NotDifferentiableError(
                "as_strided would read beyond an array that is differentiated, or between its entries",
                f"The array has shape {data.shape} and strides {data.strides}, the view shape {shape} and strides "
                f"{strides}.", "Take it of the whole array, or use sliding_window_view, slices or indices.",
            )  # fmt: skip
        super().__init__(lambda a: a.reshape(-1)[places])

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The view itself."""
        return np.lib.stride_tricks.as_strided(data, self.shape, self.strides)


def _offsets(shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray:
    """Where entries lie, in bytes from the first."""
    found = np.zeros(shape, np.intp)
    for axis, (length, stride) in enumerate(zip(shape, strides, strict=True)):
        found += (np.arange(length) * stride).reshape(-1, *[1] * (len(shape) - axis - 1))
    return found


class Part:
    """The real or the imaginary part of a complex array.

    Attributes
    ----------
    name : 'real' or 'imag'
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def taken(self, t: Tensor) -> Tensor:
        """The part."""
        part: Tensor = getattr(t, self.name)
        return part

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The part of an array."""
        part: np.ndarray = getattr(data, self.name)
        return part

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """The number with another such part."""
        new: Tensor = complex_row(part, t.imag) if self.name == "real" else complex_row(t.real, part)
        return new


def _per_dimension(index: tuple[Any, ...], ndim: int) -> list[Any]:
    """Of an index with dots the integer or slice for each dimension."""
    given = [k for k in index if k is not None]
    at = next(j for j, k in enumerate(given) if k is ...)
    return [*given[:at], *[FULL] * (ndim - len(given) + 1), *given[at + 1 :]]


def _old_axes(index: tuple[Any, ...], ndim: int) -> list[int]:
    """The axes of what an index takes that are not new."""
    found: list[int] = []
    axis = 0
    used = sum(k is not None for k in index) - 1
    for k in index:
        count = ndim - used if k is ... else 0 if isinstance(k, (int, np.integer)) else 1
        if k is not None:
            found += range(axis, axis + count)
        axis += count
    return found


def _replaced(t: Tensor, part: Tensor, parts: list[Any]) -> Tensor:
    """``t`` with another part at integers and slices, one for each dimension: the first first."""
    dim = next((d for d, k in enumerate(parts) if type(k) is not slice or k != FULL), None)
    if dim is None:
        return part
    k = parts[dim] if type(parts[dim]) is slice else int(parts[dim])
    index, rest = at_dim(dim, k), [*parts[:dim], *([FULL] if type(k) is slice else []), *parts[dim + 1 :]]
    if any(type(j) is not slice or j != FULL for j in rest):
        part = _replaced(getitem(t, index), part, rest)
    new: Tensor = (slice_scatter_row if type(k) is slice else select_scatter_row)(t, part, index)
    return new


def _plain(t: Tensor) -> bool:
    """Whether a tensor is nothing but its numbers."""
    return t._node is None and t._extra is None and type(t) is Tensor


__all__ = ["BasicIndex", "Moved", "Part", "Strided", "getitem"]
