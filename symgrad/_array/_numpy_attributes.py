"""The attributes of NumPy's arrays: shape, dtype, ``.T``, ``.flat``, ``.real``, ``.flags`` and the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._errors import GradientError
from ..core import Symbol, foreign, named_shape
from ..ops._numpy_arguments import recorded
from ._members_of_tensors import attribute, method, tensor_in
from ._ndarray import ARRAYS, SCALARS, Array, Scalar, View, around, constant, view_of
from ._numpy_index import set_subscript
from ._protocols import call_function, unpacked
from ._view_steps import Moved, Part


@attribute
def shape(self: Array) -> tuple[Any, ...]:
    """The sizes of the dimensions."""
    t = self._t if self._waiting is None else self._before
    return tuple(named_shape(t)) if type(t) is Symbol else t._data.shape


def _reshaped(shape: Any) -> Callable[[Any], Any]:
    return lambda x: np.reshape(x, shape)


def _set_shape(self: Array, new: Any) -> None:
    t = tensor_in(call_function(np.reshape, (self, new), {}))
    if isinstance(self, View):
        self._path = (*self._path, Moved(_reshaped(new)))
        self._seen, self._value = self._root._version, t
    else:
        self._set(t)


Array.shape = property(lambda self: shape.fget(self), _set_shape, doc="The sizes of the dimensions.")  # type: ignore


@attribute
def ndim(self: Array) -> int:
    """The number of dimensions."""
    return self._shaped().ndim


@attribute
def size(self: Array) -> Any:
    """The number of entries."""
    t = self._t if self._waiting is None else self._before
    return t.numel() if type(t) is Symbol else t._data.size


@attribute
def dtype(self: Array) -> np.dtype[Any]:
    """NumPy's dtype."""
    return self._shaped().dtype


def _number_dtype(self: Scalar) -> np.dtype[Any]:
    """NumPy's dtype."""
    caller = sys._getframe(1)
    if caller.f_globals.get("__name__") == "numpy._core._methods" and caller.f_code.co_name in (
        "_mean",
        "_var",
        "_std",
    ):
        # there it makes of the mean of objects a plain number of their dtype, if they have one
        raise AttributeError("dtype")
    return self._shaped().dtype


Scalar.dtype = property(_number_dtype, doc=_number_dtype.__doc__)  # type: ignore[attr-defined]


@attribute
def T(self: Array) -> Any:
    """The dimensions in reverse."""
    return call_function(np.transpose, (self,), {})


@attribute
def mT(self: Array) -> Any:
    """The last two dimensions exchanged."""
    return call_function(np.matrix_transpose, (self,), {})


def _part(name: str) -> property:
    def get(self: Array) -> Any:
        t = self._t
        if t._data.dtype.kind != "c":
            if name == "real":
                return self
            zeros = np.zeros(t._data.shape, t._data.dtype, "F" if self._lying().flags.fnc else "C")
            return zeros[()] if type(self) in SCALARS else constant(zeros)
        part = Part(name)
        found = part.taken(t)
        return around(found) if type(self) in SCALARS else view_of(self, (part,), found)

    def assign(self: Array, value: Any) -> None:
        if self._t._data.dtype.kind != "c":
            if name == "imag":
                raise TypeError("array does not have imaginary part to set")
            set_subscript(self, ..., value)
        else:
            set_subscript(get(self), ..., value)

    return property(get, assign, doc=f"The {name} part.")


Array.real, Array.imag = _part("real"), _part("imag")  # type: ignore[attr-defined]


class FlatIterator:
    """``a.flat``: the entries one after the other, to read and to write."""

    def __init__(self, a: Array) -> None:
        self.base, self._next = a, 0

    def _line(self) -> Any:
        a = self.base
        t = tensor_in(call_function(np.ravel, (a,), {}))
        return view_of(a, (Moved(lambda x: np.reshape(x, -1)),), t)

    def __getitem__(self, index: Any) -> Any:
        found = self._line()[index]
        return found.copy() if type(found) in ARRAYS else found

    def __setitem__(self, index: Any, value: Any) -> None:
        line = self._line()
        if not isinstance(index, (int, np.integer)):  # NumPy repeats the values
            n = int(np.size(np.empty(self.base.size)[unpacked(index)]))
            if np.size(value._shaped() if type(value) in ARRAYS else value) == 0:
                return
            value = call_function(np.resize, (value, (n,)), {}) if type(value) in ARRAYS else np.resize(value, n)
        line[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self._line())

    def __next__(self) -> Any:
        if self._next >= len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __len__(self) -> int:
        return int(self.base.size)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._line().__array__(dtype)

    def copy(self) -> Any:
        """A copy in one dimension."""
        return self.base.flatten()


def _set_flat(self: Array, value: Any) -> None:
    FlatIterator(self)[:] = value


Array.flat = property(FlatIterator, _set_flat, doc="The entries one after the other.")  # type: ignore[attr-defined]


@attribute
def base(self: Array) -> Any:
    """The array that this one is a view of, or None."""
    return self._root if isinstance(self, View) else None


class Flags:
    """``a.flags``: NumPy's, of an array that owns its entries unless it is a view."""

    def __init__(self, a: Array) -> None:
        self._flags, self._owns = a._lying().flags, not isinstance(a, View)

    def __getattr__(self, name: str) -> Any:
        if name in ("owndata", "writeable"):
            return self._owns or name == "writeable"
        return getattr(self._flags, name)

    def __getitem__(self, key: str) -> Any:
        word = {"C": "c_contiguous", "F": "f_contiguous", "O": "owndata", "W": "writeable"}.get(key, key.lower())
        return getattr(self, word)

    def __repr__(self) -> str:
        names = ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned")
        return "\n".join(f"  {n.upper()} : {getattr(self, n)}" for n in names)


@attribute
def flags(self: Array) -> Any:
    """How the numbers lie in memory."""
    return Flags(self)


@attribute
def nbytes(self: Array) -> int:
    """The bytes of the numbers."""
    return self._shaped().nbytes


@attribute
def itemsize(self: Array) -> int:
    """The bytes of one number."""
    return self._shaped().itemsize


@attribute
def strides(self: Array) -> tuple[int, ...]:
    """The steps in memory, in bytes."""
    return self._lying().strides


def _of_masked(self: Array) -> Any:
    """What ``numpy.ma`` asks of its operands."""
    if str(sys._getframe(1).f_globals.get("__name__")).startswith("numpy.ma") and recorded(self._t):
        raise foreign(np.ma.MaskedArray)
    raise AttributeError("an array of symgrad has no attribute of this name")


Array._data = Array._mask = property(_of_masked)  # type: ignore[attr-defined]


def _no_data(self: Array) -> Any:
    raise GradientError(
        "x.data is the memory of an array, and this one is being differentiated",
        "A write to it would be unseen by the derivative.", "Use x itself, x.detach() for constants.",
    )  # fmt: skip


Array.data = property(_no_data, doc="Refused: the memory of an array.")  # type: ignore[attr-defined]


@attribute
def device(self: Array) -> str:
    """Where the numbers are: on the CPU."""
    return "cpu"


@method
def to_device(self: Array, device: str, /, *, stream: Any = None) -> Any:
    """The array itself: it is on the CPU."""
    if device != "cpu":
        raise ValueError(f"symgrad computes on the CPU; there is no device {device!r}")
    return self
