"""What Python asks of arrays: lengths, truths, copies, DLPack; where a function of arrays begins and ends."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from .._errors import GradientError, NotDifferentiableError, ShapeError, SymbolicBranchError, compose
from .._tensor import calling_library
from ..core import Carrier, Symbol, Tensor, is_beside_sparse, modes, numpys_array_of, of_numpy
from ..ops import is_recorded
from .members import method, set_method
from .ndarray import ARRAYS, SCALARS, Array, Number, Owner, Scalar, View, array_around, array_of, room_for, scalar, show
from .pieces import (
    asked_order,
    expect_no_bytes,
    expect_own_root,
    has_made,
    has_pieces,
    is_at_index,
    is_number,
    is_of_objects,
    is_point,
    note_pieces,
    numbers_of,
    objects,
    tensor_of,
    warn_of_objects,
)
from .protocols import call_function, call_ufunc, iterate, set_subscript, subscript, to_arrays

# -------------------------------------------------------------------------------------------------------------------
# What Python and NumPy ask of arrays: lengths, truths, numbers, copies, texts, and to be made an array


_F64 = np.dtype(np.float64)

for _name, _fn in {
    "__getitem__": subscript, "__setitem__": set_subscript, "__array_priority__": 1000.0,
    "__pandas_priority__": 5000,  # above a DataFrame's: pandas leaves operators to us
}.items():  # fmt: skip
    setattr(Array, _name, _fn)


def _length(self: Array) -> Any:
    shape = self._shaped().shape
    if not shape:
        raise TypeError("len() of unsized object")
    return len(self._t) if self._waiting is None else shape[0]


def _contains(self: Array, value: Any) -> bool:
    return bool((self == value).any())


for _kind in (Owner, View):  # numbers are no sequences, and programs ask whether they are
    setattr(_kind, "__contains__", _contains)  # noqa: B010
    setattr(_kind, "__len__", _length)  # noqa: B010  (which mypy does not know of)
    setattr(_kind, "__iter__", iterate)  # noqa: B010


@method
def __bool__(self: Array) -> bool:
    if self._shaped().size != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            if self._shaped().size
            else "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that it has entries."
        )
    return bool(self._t)


def _number(convert: Callable[[Any], Any]) -> Callable[[Array], Any]:
    def method(self: Array) -> Any:
        if self._shaped().size != 1:
            raise TypeError("only length-1 arrays can be converted to Python scalars")
        return convert(self._t)

    return method


for _convert in (float, int, complex, operator.index):
    set_method(Array, f"__{_convert.__name__}__", _number(_convert))


@method
def __round__(self: Array, ndigits: int | None = None) -> Any:
    return int(np.round(self)) if ndigits is None else np.round(self, ndigits)


for _name, _ufunc in {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}.items():
    setattr(Array, f"__{_name}__", lambda self, ufunc=_ufunc: int(call_ufunc(ufunc, "__call__", (self,), {})))


set_method(Scalar, "is_integer", lambda self: bool(np.isfinite(self) and self == np.floor(self)))
for _name in ("as_integer_ratio", "hex"):
    set_method(Scalar, _name, lambda self, name=_name: getattr(float(self), name)())


@method
def item(self: Array, *args: Any) -> Any:
    """One entry as a Python number; what is differentiated has none."""
    part: Any = self
    if len(args) == 1:
        part = self.flat[args[0]] if type(args[0]) is int else part[args[0]]
    elif args:
        part = part[args]
    if type(part) not in ARRAYS:
        return part.item()
    if part._shaped().size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return part._t.item()


@method
def tolist(self: Array) -> Any:
    """The entries as nested lists of Python numbers; of what is differentiated, numbers with their histories."""
    return self._t.tolist()


@method
def detach(self: Array) -> Any:
    """The same values as constants: no derivative flows through them."""
    t = self._t.detach()
    if t._data.ndim:
        return array_of(t)
    return scalar(t)


@method
def __copy__(self: Array) -> Any:
    return self.copy()


@method
def __deepcopy__(self: Array, memo: dict[int, Any]) -> Any:
    found = memo.get(id(self))
    if found is None:
        found = memo[id(self)] = self.copy()
    return found


@method
def __reduce_ex__(self: Array, protocol: Any) -> Any:
    if is_recorded(self._t):
        raise GradientError(
            "an array that is being differentiated cannot be pickled", "Its history would be lost.",
            "Pickle x.detach().",
        )  # fmt: skip
    return self._t._data.__reduce_ex__(protocol)


@method
def __repr__(self: Array) -> str:
    t = self._t
    return repr(t) if type(t) is Symbol else repr(t._data[()] if isinstance(self, Scalar) else t._data)


@method
def __str__(self: Array) -> str:
    t = self._t
    return str(t) if type(t) is Symbol else str(t._data[()])


@method
def __format__(self: Array, spec: str) -> str:
    t = self._t
    if type(t) is not Symbol and spec and t._data.ndim:
        raise TypeError(
            compose(
                f"unsupported format string passed to numpy.ndarray.__format__: {spec!r}",
                f"The array has shape {t._data.shape}; a format is that of one number.",
                "Format its entries, or write np.array2string(x, precision=3).",
            )
        )
    return format(t, spec) if type(t) is Symbol else format(t._data[()], spec)


_AS_STRIDED = getattr(np.lib.stride_tricks.as_strided, "__code__", None)  # None if it asks arrays, one day


@method
def __array__(self: Array, dtype: Any = None, copy: Any = None) -> Any:
    asking = sys._getframe(1)
    note_pieces(asking)
    if (type(self) is Number and dtype is None) or is_beside_sparse(asking):
        if type(self) is Number:
            expect_no_bytes(asking, self._shaped())
        return numpys_array_of(self)
    t = self._t
    if asking.f_code is _AS_STRIDED:
        raise NotDifferentiableError(
            "numpy's as_strided reads memory, and an array that is differentiated hands out a copy of its numbers",
            f"Its shape is {tuple(t.shape)}, its strides {self.strides}.",
            "Use that of `import symgrad.numpy as np`, sliding_window_view, slices or an array of indices.",
        )  # fmt: skip
    if not is_recorded(t):
        array = _room(self, t._data.dtype, copy, asking)
        array[...] = t._data
        if dtype is not None and dtype != array.dtype:
            return array.astype(dtype)
        return _shown(self, array, copy)
    if type(t) is Symbol and t._data.dtype.kind in "iub" and is_at_index(asking):  # of an array of pieces
        raise SymbolicBranchError(
            "an index of NumPy's own square brackets depends on the values of a symbol, which are not known",
            "An array of pieces, np.array([x[0], x[1]]), is NumPy's, and picks by numbers.",
            "Put the pieces together with np.stack, whose places a program finds at each run.",
        )  # fmt: skip
    if dtype is not None and np.dtype(dtype) != np.dtype(object):
        return t.__array__(dtype)  # which raises, and says where
    if calling_library(sys._getframe(0))[1].partition(".")[0] not in ("", "numpy"):
        return t.__array__()  # SciPy has no use for an array of objects
    expect_no_bytes(asking, t._data)
    warn_of_objects(asking)
    array = objects(t, array_around, _room(self, np.dtype(object), copy, asking))
    return _shown(self, array, copy)


def _shown(self: Array, array: np.ndarray, copy: Any) -> np.ndarray:
    """An array for NumPy: to it one that is no copy is ``self``, so neither of both may be written to."""
    if not copy:
        array.flags.writeable = False
        if type(self) not in SCALARS:
            show(self, array)
    return array


def _room(self: Array, dtype: np.dtype[Any], copy: Any, asking: FrameType) -> np.ndarray:
    """Where NumPy's array of an array's entries goes. NumPy has asked for a copy, and does not say in which order."""
    lying = self._lying()
    order = "K" if not copy or lying.flags.forc else asked_order(asking)
    if order is None:
        raise ShapeError(
            "np.array of an array that is differentiated is not told whether order='K' or order='A' is asked for",
            f"They differ where an array lies neither by rows nor by columns: its strides are {lying.strides}.",
            "Use 'C' or 'F'.",
        )  # fmt: skip
    return room_for(lying, dtype, bool(copy), order)


def _is_double(v: Any) -> bool:
    """Whether an operand is a float64 array in C order, or a tensor of one: nothing is to be promoted, or laid out."""
    data = v._data if type(v) is Tensor else v
    return type(data) is np.ndarray and data.dtype is _F64 and data.flags.c_contiguous


@method
def __array_ufunc__(self: Array, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if ufunc is np.sqrt and not self._t._data.ndim and not self._t._data:
        expect_own_root()
    if len(inputs) == 1 and not kwargs and method == "__call__":  # the commonest: no need to look further
        t, row = self._t, of_numpy[ufunc]
        if row is not None and t._node is not None and t._data.dtype is _F64:
            found = row(t)
            if found is not t:  # NumPy's is a copy
                return to_arrays(found)
    elif len(inputs) == 2 and not kwargs and method == "__call__" and ufunc.signature is None:
        if ufunc is np.equal and inputs[1] is self and type(self) in SCALARS and is_point(inputs[0]):
            return self == inputs[0][()]
        a, b = [v._t if type(v) in ARRAYS else v for v in inputs]
        row = of_numpy[ufunc]
        if row is not None and _is_double(a) and _is_double(b) and self._t._node is not None:
            return to_arrays(row(a, b))
    return call_ufunc(ufunc, method, inputs, kwargs)


@method
def __array_function__(self: Array, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    while args and args[-1] is np._NoValue:
        args = args[:-1]
    return call_function(func, args, {k: v for k, v in kwargs.items() if v is not np._NoValue} if kwargs else kwargs)


Carrier.ufunc = staticmethod(call_ufunc)  # type: ignore[method-assign]
Carrier.function = staticmethod(lambda func, args, kwargs: __array_function__(None, func, (), args, kwargs))  # type: ignore


# ---------------------------------------------------------------- DLPack: the numbers of an array for other libraries

# The idea to hold: an array's tensor never changes, so what another library may write to is a copy; and what leaves has
# no history, so nothing leaves that is being differentiated.


@method
def __dlpack__(
    self: Array, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
) -> Any:
    t = self._t
    if is_recorded(t):
        raise GradientError(
            "DLPack hands the numbers of what is being differentiated to another library",
            "They have no history there: no derivative flows through them.", "Hand over x.detach().",
        )  # fmt: skip
    if copy is False:
        raise BufferError("the numbers of an array inside a transform never change: only a copy can be handed over")
    words: dict[str, Any] = {"stream": stream}
    if max_version is not None:  # since NumPy 2.1
        words.update(max_version=max_version, dl_device=dl_device)
    return t._data.copy().__dlpack__(**words)


@method
def __dlpack_device__(self: Array) -> tuple[int, int]:
    return self._shaped().__dlpack_device__()


# -------------------------------------------------------------------------------------------------------------------
# Where a function of arrays begins and ends: tensors go in as arrays, and what it returns comes out as tensors

# The idea to hold: what a function means is decided here, once. Given arrays it is a NumPy program; given tensors it is
# one of PyTorch's, and nothing of this package is seen.


def as_argument(value: Any) -> Any:
    """An argument as a function of arrays gets it."""
    return array_around(value) if isinstance(value, Tensor) else value


def as_result(value: Any) -> Any:
    """A result of a function as a transform takes it."""
    if type(value) in ARRAYS:
        return value._t
    if is_of_objects(value):
        if has_pieces(value):
            return tensor_of(value)
        return numbers_of(value) if has_made() and value.size and all(map(is_number, value.flat)) else value
    return value


def as_here(t: Any) -> Any:
    """A tensor with a history as the code that asked for it expects it: an array in a function of arrays."""
    return array_around(t) if isinstance(t, Tensor) and modes.among_arrays() else t
