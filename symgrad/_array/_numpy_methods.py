"""The methods and attributes of NumPy's arrays, and of PyTorch's tensors where NumPy has none of that name.

The idea to hold: a method of NumPy's is its function with the array in front. A keyword that only PyTorch has (``dim``,
``keepdim``) asks for PyTorch's method; so does a name that only PyTorch has.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._errors import GradientError
from .._tensor._leaving import _asked
from ..core import NUMPY, Carrier, Symbol, Tensor, foreign, named_shape, wrap
from ..ops._dims import spread
from ..ops._numpy_arguments import recorded
from ..ops._public import METHODS
from ..ops.entries._copy import cast
from ..ops.shape._shape import reshape
from ._ndarray import ARRAYS, Array, Number, Scalar, View, around, array_of, constant, view_of
from ._numpy_index import iterate, set_subscript, subscript
from ._pieces import objects, tensor_of
from ._protocols import call_function, call_ufunc, carried, unpacked
from ._view_steps import Moved, Part

_F64 = np.dtype(np.float64)
_PYTORCH_WORDS = frozenset(["dim", "keepdim", "correction", "unbiased", "dims", "dim0", "dim1", "descending", "repeats_"])


def _method(fn: Callable[..., Any]) -> Callable[..., Any]:
    setattr(Array, fn.__name__, fn)
    return fn


def _attribute(fn: Callable[[Array], Any]) -> property:
    prop = property(fn, doc=fn.__doc__)
    setattr(Array, fn.__name__, prop)
    return prop


# ------------------------------------------------------------------------------------------------ NumPy's functions


def _of_function(name: str, func: Any) -> None:
    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        if kwargs and not _PYTORCH_WORDS.isdisjoint(kwargs) and name in METHODS:
            return _pytorchs(self, name, args, kwargs)
        return call_function(func, (self, *args), kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"NumPy's method: ``np.{name}`` of this array."
    setattr(Array, name, method)


for _name in """
all any argmax argmin argpartition argsort cumprod cumsum diagonal dot max mean min nonzero prod ravel repeat round
searchsorted squeeze std sum swapaxes take trace var
""".split():  # noqa: SIM905
    _of_function(_name, getattr(np, _name))


def _pytorchs(a: Array, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    rest, options = [unpacked(v) for v in args], {k: unpacked(v) for k, v in kwargs.items()}
    found = getattr(a._t, name)(*rest, **options)
    if not isinstance(found, Tensor):
        return carried(found)
    return a.sharing(found, lambda x: METHODS[name](x if isinstance(x, Tensor) else wrap(x), *rest, **options))


@_method
def reshape(self: Array, *shape: Any, order: str = "C", copy: Any = None) -> Any:  # noqa: F811
    """The same entries in another shape."""
    found = call_function(np.reshape, (self, spread(shape)), {"order": order} if order != "C" else {})
    return found.copy() if copy else found


@_method
def transpose(self: Array, *axes: Any, **words: Any) -> Any:
    """The dimensions in reverse, or in another order."""
    if words:
        return _pytorchs(self, "transpose", axes, words)
    if axes and axes[0] is not None:
        return call_function(np.transpose, (self, spread(axes)), {})
    return call_function(np.transpose, (self,), {})


@_method
def flatten(self: Array, order: str = "C") -> Any:
    """A copy in one dimension."""
    return array_of(_tensor(call_function(np.ravel, (self,), {"order": order} if order != "C" else {})))


def _tensor(a: Any) -> Tensor:
    t = tensor_of(a)
    return t if isinstance(t, Tensor) else wrap(np.asarray(t))


@_method
def copy(self: Array, order: str = "C") -> Any:
    """A copy."""
    return around(self._t) if type(self) is Scalar else array_of(self._t)


@_method
def conj(self: Array) -> Any:
    """The complex conjugate."""
    return call_ufunc(np.conjugate, "__call__", (self,), {})


Array.conjugate = conj  # type: ignore[attr-defined]


@_method
def astype(
    self: Array, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """The array in another dtype."""
    return cast_to(self, dtype, casting, copy)


def cast_to(a: Array, dtype: Any, casting: Any = "unsafe", copy: bool = True) -> Any:
    """An array in another dtype: whole numbers have no derivative, and their values are constants."""
    target, t = np.dtype(dtype), a._t
    if not np.can_cast(t._data.dtype, target, casting):
        raise TypeError(f"Cannot cast array data from {t._data.dtype!r} to {target!r} according to the rule '{casting}'")
    if t._data.dtype == target:
        return array_of(t) if copy else a
    found = cast(t, target)
    return around(found) if type(a) is Scalar else array_of(found)


@_method
def clip(self: Array, min: Any = None, max: Any = None, out: Any = None, **words: Any) -> Any:
    """The entries within limits, of which either may be left out."""
    return call_function(np.clip, (self, min, max), words if out is None else {**words, "out": out})


@_method
def compress(self: Array, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """The slices where a condition holds."""
    return call_function(np.compress, (condition, self, axis), {} if out is None else {"out": out})


@_method
def choose(self: Array, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Entries of the choices that this array of numbers names."""
    return call_function(np.choose, (self, choices), {"mode": mode} if out is None else {"mode": mode, "out": out})


# --------------------------------------------------------------------------------------------------------- in place


@_method
def fill(self: Array, value: Any) -> None:
    """Write one value to all entries."""
    set_subscript(self, ..., value)


def _arranged(func: Any) -> Callable[..., None]:
    def method(self: Array, *args: Any, **kwargs: Any) -> None:
        self._set(_tensor(call_function(func, (self, *args), kwargs)))

    return method


Array.sort = _arranged(np.sort)  # type: ignore[attr-defined]
Array.partition = _arranged(np.partition)  # type: ignore[attr-defined]


@_method
def put(self: Array, indices: Any, values: Any, mode: str = "raise") -> None:
    """Write values to places of the flat array."""
    call_function(np.put, (self, indices, values), {"mode": mode})


@_method
def resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Change the shape in place: entries beyond are zeros."""
    if not new_shape or new_shape[0] is None:
        return
    shape = spread(new_shape)
    line = call_function(np.ravel, (self,), {})
    n, m = line.size, int(np.prod(shape))
    if m > n:
        line = call_function(np.concatenate, ([line, np.zeros(m - n, self.dtype)],), {})
    t = _tensor(call_function(np.reshape, (line[:m], shape), {}))
    if isinstance(self, View):
        raise ValueError("cannot resize this array: it does not own its data")
    self._set(t)


# ------------------------------------------------------------------------------------------------------- attributes


@_attribute
def shape(self: Array) -> tuple[Any, ...]:
    """The sizes of the dimensions."""
    t = self._t if self._waiting is None else self._before
    return tuple(named_shape(t)) if type(t) is Symbol else t._data.shape


def _set_shape(self: Array, new: Any) -> None:
    t = _tensor(call_function(np.reshape, (self, new), {}))
    if isinstance(self, View):
        size = self.shape
        self._path = (*self._path, Moved(lambda x, new=new: np.reshape(x, new)))
        self._seen, self._value = self._root._version, t
        del size
    else:
        self._set(t)


Array.shape = property(lambda self: shape.fget(self), _set_shape, doc="The sizes of the dimensions.")  # type: ignore


@_attribute
def ndim(self: Array) -> int:
    """The number of dimensions."""
    return self._shaped().ndim


@_attribute
def size(self: Array) -> Any:
    """The number of entries."""
    t = self._t if self._waiting is None else self._before
    return t.numel() if type(t) is Symbol else t._data.size


@_attribute
def dtype(self: Array) -> np.dtype[Any]:
    """NumPy's dtype."""
    return self._shaped().dtype


def _number_dtype(self: Scalar) -> np.dtype[Any]:
    """NumPy's dtype."""
    caller = sys._getframe(1)
    if caller.f_globals.get("__name__") == "numpy._core._methods" and caller.f_code.co_name in ("_mean", "_var", "_std"):
        # there it makes of the mean of objects a plain number of their dtype, if they have one
        raise AttributeError("dtype")
    return self._shaped().dtype


Scalar.dtype = property(_number_dtype, doc=_number_dtype.__doc__)  # type: ignore[attr-defined]


@_attribute
def T(self: Array) -> Any:
    """The dimensions in reverse."""
    return call_function(np.transpose, (self,), {})


@_attribute
def mT(self: Array) -> Any:
    """The last two dimensions exchanged."""
    return call_function(np.matrix_transpose, (self,), {})


def _part(name: str) -> property:
    def get(self: Array) -> Any:
        t = self._t
        if t._data.dtype.kind != "c":
            if name == "real":
                return self
            return constant(np.zeros(t._data.shape, t._data.dtype))
        part = Part(name)
        found = part.taken(t)
        return around(found) if type(self) is Scalar else view_of(self, (part,), found)

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
        t = _tensor(call_function(np.ravel, (a,), {}))
        return view_of(a, (Moved(lambda x: np.reshape(x, -1)),), t)

    def __getitem__(self, index: Any) -> Any:
        found = self._line()[index]
        return found.copy() if type(found) in ARRAYS else found

    def __setitem__(self, index: Any, value: Any) -> None:
        line = self._line()
        if not isinstance(index, (int, np.integer)):  # NumPy repeats the values
            n = int(np.size(np.empty(self.base.size)[unpacked(index)]))
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


@_attribute
def base(self: Array) -> Any:
    """The array that this one is a view of, or None."""
    return self._root if isinstance(self, View) else None


class Flags:
    """``a.flags``: NumPy's, of an array that owns its entries unless it is a view."""

    def __init__(self, a: Array) -> None:
        self._flags, self._owns = a._shaped().flags, not isinstance(a, View)

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


@_attribute
def flags(self: Array) -> Any:
    """How the numbers lie in memory."""
    return Flags(self)


@_attribute
def nbytes(self: Array) -> int:
    """The bytes of the numbers."""
    return self._shaped().nbytes


@_attribute
def itemsize(self: Array) -> int:
    """The bytes of one number."""
    return self._shaped().itemsize


@_attribute
def strides(self: Array) -> tuple[int, ...]:
    """The steps in memory, in bytes."""
    return self._shaped().strides


def _of_masked(self: Array) -> Any:
    """What ``numpy.ma`` asks of its operands."""
    if str(sys._getframe(1).f_globals.get("__name__")).startswith("numpy.ma") and recorded(self._t):
        raise foreign(np.ma.MaskedArray)
    raise AttributeError("an array of symgrad has no attribute of this name")


Array._data = Array._mask = property(_of_masked)  # type: ignore[attr-defined]


def _no_data(self: Array) -> Any:
    raise GradientError(
        "x.data is the memory of an array, and this one is being differentiated",
        "A write to it would be unseen by the derivative.", "Use x itself, x.detach() for constants, x[...] = to write.",
    )  # fmt: skip


Array.data = property(_no_data, doc="Refused: the memory of an array.")  # type: ignore[attr-defined]


@_attribute
def device(self: Array) -> str:
    """Where the numbers are: on the CPU."""
    return "cpu"


@_method
def to_device(self: Array, device: str, /, *, stream: Any = None) -> Any:
    """The array itself: it is on the CPU."""
    if device != "cpu":
        raise ValueError(f"symgrad computes on the CPU; there is no device {device!r}")
    return self


@_method
def view(self: Array, *args: Any, **kwargs: Any) -> Any:
    """A view of the array itself (a dtype is refused where there is something to differentiate)."""
    if args and all(isinstance(a, (int, tuple, list)) for a in args):
        return reshape(self, *args)
    dtype = args[0] if args else kwargs.get("dtype")
    t = self._t
    if dtype is None or (isinstance(dtype, type) and issubclass(dtype, np.ndarray)) or np.dtype(dtype) == t._data.dtype:
        return view_of(self, (Moved(lambda x: x),), t)
    if recorded(t):
        raise GradientError(
            f"view({np.dtype(dtype)}) reads the bytes of what is being differentiated as other numbers",
            "No derivative flows through that.", "Use astype, or .real and .imag of complex numbers.",
        )  # fmt: skip
    return constant(t._data.view(dtype).copy())


# -------------------------------------------------------------------------------------------------- Python's protocols

Array.__getitem__ = subscript  # type: ignore[attr-defined]
Array.__setitem__ = set_subscript  # type: ignore[attr-defined]
Array.__iter__ = iterate  # type: ignore[attr-defined]
Array.__array_priority__ = 1000.0  # type: ignore[attr-defined]
Array.__pandas_priority__ = 5000  # type: ignore[attr-defined]  # above a DataFrame's: pandas leaves operators to us


@_method
def __len__(self: Array) -> Any:
    shape = self._shaped().shape
    if not shape:
        raise TypeError("len() of unsized object")
    return len(self._t) if self._waiting is None else shape[0]


@_method
def __contains__(self: Array, value: Any) -> bool:
    return bool((self == value).any())


@_method
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

    method.__name__ = method.__qualname__ = f"__{convert.__name__}__"
    return method


for _convert in (float, int, complex, operator.index):
    setattr(Array, f"__{_convert.__name__}__", _number(_convert))


@_method
def __round__(self: Array, ndigits: int | None = None) -> Any:
    return round(float(self)) if ndigits is None else call_function(np.round, (self, ndigits), {})


@_method
def item(self: Array, *args: Any) -> Any:
    """One entry as a Python number; what is differentiated has none."""
    part = self if not args else self.flat[args[0]] if len(args) == 1 and type(args[0]) is int else self[args[0] if len(args) == 1 else args]
    if type(part) not in ARRAYS:
        return part.item()
    if part._shaped().size != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return part._t.item()


@_method
def tolist(self: Array) -> Any:
    """The entries as nested lists of Python numbers; of what is differentiated, numbers with their histories."""
    return self._t.tolist()


@_method
def detach(self: Array) -> Any:
    """The same values as constants: no derivative flows through them."""
    t = self._t.detach()
    if t._data.ndim:
        return array_of(t)
    a = object.__new__(Scalar)
    a._t, a._waiting = t, None
    return a


@_method
def __copy__(self: Array) -> Any:
    return self.copy()  # type: ignore[attr-defined]


@_method
def __deepcopy__(self: Array, memo: dict[int, Any]) -> Any:
    found = memo.get(id(self))
    if found is None:
        found = memo[id(self)] = self.copy()  # type: ignore[attr-defined]
    return found


@_method
def __reduce_ex__(self: Array, protocol: Any) -> Any:
    if recorded(self._t):
        raise GradientError(
            "an array that is being differentiated cannot be pickled", "Its history would be lost.",
            "Pickle x.detach().",
        )  # fmt: skip
    return self._t._data.__reduce_ex__(protocol)


@_method
def __repr__(self: Array) -> str:
    t = self._t
    return repr(t) if type(t) is Symbol else repr(t._data[()] if isinstance(self, Scalar) else t._data)


@_method
def __str__(self: Array) -> str:
    t = self._t
    return str(t) if type(t) is Symbol else str(t._data[()])


@_method
def __format__(self: Array, spec: str) -> str:
    t = self._t
    return format(t, spec) if type(t) is Symbol else format(t._data[()], spec)


@_method
def __array__(self: Array, dtype: Any = None, copy: Any = None) -> Any:
    if type(self) is Number and dtype is None:
        made = np.empty(1, object)
        made[0] = self
        return made.reshape(())
    t = self._t
    if not recorded(t):
        array = t._data.copy()
        return array if dtype is None else array.astype(dtype)
    if dtype is not None and np.dtype(dtype) != np.dtype(object):
        return t.__array__(dtype)  # which raises, and says where
    if _asked(sys._getframe(0))[1].partition(".")[0] not in ("", "numpy"):
        return t.__array__()  # SciPy has no use for an array of objects
    return objects(t, around)


@_method
def __array_ufunc__(self: Array, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if len(inputs) == 1 and not kwargs and method == "__call__":  # the commonest: no need to look further
        t, row = self._t, NUMPY.get(ufunc)
        if row is not None and t._node is not None and t._data.dtype is _F64:
            return carried(row(t))
    return call_ufunc(ufunc, method, inputs, kwargs)


@_method
def __array_function__(self: Array, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    while args and args[-1] is np._NoValue:  # type: ignore[attr-defined]  # a default, spelt out
        args = args[:-1]
    return call_function(func, args, {k: v for k, v in kwargs.items() if v is not np._NoValue} if kwargs else kwargs)  # type: ignore[attr-defined]


Carrier.ufunc = staticmethod(call_ufunc)  # type: ignore[method-assign]
Carrier.function = staticmethod(lambda func, args, kwargs: __array_function__(None, func, (), args, kwargs))  # type: ignore


@_method
def __array_namespace__(self: Array, *, api_version: Any = None) -> Any:
    import importlib

    return importlib.import_module("symgrad.numpy").namespace(api_version)


# ------------------------------------------------------------------------------------- what only PyTorch's tensors have


def further_member(a: Array, name: str) -> Any:
    """What an array has besides NumPy's members: PyTorch's, and the functions that NumPy calls on entries of objects."""
    if name.startswith("__") or name == "dtype":
        raise AttributeError(f"an array of symgrad has no attribute {name!r}")
    if name.endswith("_") and name in METHODS:
        return lambda *args, **kwargs: _changed(a, name, args, kwargs)
    if name in METHODS:
        return lambda *args, **kwargs: _pytorchs(a, name, args, kwargs)
    function = getattr(np, name, None)
    if isinstance(function, np.ufunc):
        return lambda *others: call_ufunc(function, "__call__", (a, *others), {})
    member = getattr(Tensor, name, None)
    if member is None or name.startswith("_"):
        raise AttributeError(_no_member(name))
    if isinstance(member, property):
        return carried(getattr(a._t, name))
    return lambda *args, **kwargs: carried(
        getattr(a._t, name)(*[unpacked(v) for v in args], **{k: unpacked(v) for k, v in kwargs.items()})
    )


def _no_member(name: str) -> str:
    if name == "ptp":
        return "'numpy.ndarray' has no method 'ptp' since NumPy 2: write np.ptp(x)"
    return f"'numpy.ndarray' object has no attribute {name!r}"


def _changed(a: Array, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Array:
    """PyTorch's in-place method: the array becomes what the method without the underscore gives."""
    rest, options = [unpacked(v) for v in args], {k: unpacked(v) for k, v in kwargs.items()}
    changed: Array = a.written(lambda t: getattr(t, name)(*rest, **options))
    return changed


__all__ = ["FlatIterator", "further_member"]
