"""How a view is taken from an array, and how what was written to it is put back.

The idea to hold: a step is a function of NumPy's that moves entries and computes none. Applied to the numbers of the
places it tells where each entry of the view lies, so one way to put entries back serves all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import Symbol, Tensor, wrap
from ..ops._dims import sizes
from ..ops._public import METHODS
from ..ops.index._index import getitem, slice_scatter_row
from ..ops.index._places import index_put_row
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

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """``t`` with another part in its place."""
        index = self.index if any(k is ... for k in self.index) else (*self.index, ...)
        if _plain(t) and _plain(part):
            data = t._data.copy()
            data[index] = part._data
            return wrap(data)
        index = tuple([int(k) if isinstance(k, np.integer) else k for k in index])
        new: Tensor = slice_scatter_row(t, part, index)
        return new


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

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """``t`` with other entries in the places that the function moves."""
        shape = t._data.shape
        places = np.asarray(self.function(np.arange(t._data.size).reshape(shape))).reshape(-1)
        if _plain(t) and _plain(part):
            flat = t._data.flatten()
            flat[places] = part._data.reshape(-1)
            return wrap(flat.reshape(shape))
        line = reshape(t, (math.prod(sizes(t)),))
        values = reshape(part, (math.prod(sizes(part)),))
        new: Tensor = reshape(index_put_row(line, values, places, 0, 1, False), sizes(t))
        return new


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

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """The number with another such part."""
        new: Tensor = part + t.imag * 1j if self.name == "real" else t.real + part * 1j
        return new


def _plain(t: Tensor) -> bool:
    """Whether a tensor is nothing but its numbers."""
    return t._node is None and t._extra is None and type(t) is Tensor


__all__ = ["BasicIndex", "Moved", "Part", "getitem"]
