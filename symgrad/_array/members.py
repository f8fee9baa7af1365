"""The members of NumPy's arrays: operators, methods, attributes; PyTorch's besides; functions with own ways."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from .._errors import GradientError, compose
from ..core import (
    Dim,
    Symbol,
    Tensor,
    foreign_array_error,
    is_sparse,
    modes,
    named_shape,
    tensor_around,
    views_of_carriers,
    wrap,
)
from ..ops import METHODS, integers_of, is_recorded, named, reduced_axes
from ..ops.entries import cast
from .ndarray import (
    ARRAYS,
    SCALARS,
    Array,
    ComplexPart,
    Owner,
    Scalar,
    View,
    ViewFunction,
    array_around,
    array_of,
    constant,
    laid_out,
    scalar,
    view_of,
)
from .pieces import expect_own_choice, expect_own_root, has_pieces, is_another_key, note_hashed, tensor_of
from .protocols import by_table, call_function, call_ufunc, own_way, set_subscript, to_arrays, to_tensors, write_to

# -------------------------------------------------------------------------------------------------------------------
# What an array has besides NumPy's members: PyTorch's methods and attributes, where NumPy has none of that name

# The idea to hold: such a member is the tensor's, and what it gives is an array; a name that ends with an underscore
# writes to the array.


def method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function a method of arrays."""
    setattr(Array, fn.__name__, fn)
    return fn


def set_method(kind: type, name: str, fn: Callable[..., Any]) -> None:
    """Make a function a method of a class, by a name that becomes its own."""
    setattr(kind, name, named(fn, name))


def attribute(fn: Callable[[Any], Any]) -> property:
    """Make a function a property of arrays."""
    prop = property(fn, doc=fn.__doc__)
    setattr(Array, fn.__name__, prop)
    return prop


def tensor_in(a: Any) -> Tensor:
    """The tensor of an array, or of numbers."""
    return tensor_around(tensor_of(a))


def of_tensors(a: Array, name: str, /, *args: Any, **kwargs: Any) -> Any:
    """PyTorch's method of that name."""
    rest, options = to_tensors(args), to_tensors(kwargs)
    found = getattr(a._t, name)(*rest, **options)
    return views_of_carriers(
        a, found, lambda x: METHODS[name](x if isinstance(x, Tensor) else wrap(x), *rest, **options)
    )


def further_member(a: Array, name: str) -> Any:
    """What an array has besides NumPy's members: PyTorch's, and functions that NumPy calls on objects."""
    if name.startswith("__") or name == "dtype":
        raise AttributeError(f"an array of symgrad has no attribute {name!r}")
    if name.endswith("_") and name in METHODS:
        return partial(_changed, a, name)
    if name == "sqrt" and not a._shaped().ndim:
        return partial(_root, a)
    if name in METHODS:
        return partial(of_tensors, a, name)
    if name == "register_hook":
        return lambda hook: a._t.register_hook(_hook_on_tensors(hook))
    function = getattr(np, name, None)
    if isinstance(function, np.ufunc):
        return lambda *others: call_ufunc(function, "__call__", (a, *others), {})
    member = getattr(Tensor, name, None)
    if member is None or name.startswith("_"):
        raise AttributeError(
            "'numpy.ndarray' has no method 'ptp' since NumPy 2: write np.ptp(x)"
            if name == "ptp"
            else compose(
                f"'numpy.ndarray' object has no attribute {name!r}",
                "",
                f"Write np.{name}(x)." if callable(function) else "Most of NumPy is functions of arrays: np.sum(x).",
            )
        )
    if isinstance(member, property):
        return to_arrays(getattr(a._t, name))
    return lambda *args, **kwargs: to_arrays(getattr(a._t, name)(*to_tensors(args), **to_tensors(kwargs)))


def _root(a: Array, /, *args: Any, **kwargs: Any) -> Any:
    """The root of a number, which NumPy asks each piece of an array for."""
    if not a._t._data:
        expect_own_root()
    return of_tensors(a, "sqrt", *args, **kwargs)


def _hook_on_tensors(hook: Callable[[Array], Any]) -> Callable[[Tensor], Tensor]:
    """A hook of an array: it gets its gradient as an array, to which it may write, or returns another."""

    def called(g: Tensor) -> Tensor:
        shown: Array = array_around(g) if g._data.ndim else scalar(g)
        found = hook(shown)
        return tensor_in(shown if found is None else found)

    return called


def _changed(a: Array, name: str, /, *args: Any, **kwargs: Any) -> Array:
    """PyTorch's in-place method: the array becomes what the method without the underscore gives."""
    rest, options = to_tensors(args), to_tensors(kwargs)
    return a.written(lambda t: getattr(t, name)(*rest, **options))


Array._further_member = further_member


# ------------------------------------------------------------------ Python's operators on arrays, as NumPy means them

# The idea to hold: an operator is its ufunc. Where a float64 array meets a number or another one, the tensors' own
# operator is called at once; everything else (other dtypes, lists, plain arrays) is sorted out as the ufunc's call is.


_F64 = np.dtype(np.float64)
_new = object.__new__

BINARY: dict[str, tuple[Any, str]] = {
    "add": (np.add, "+"), "sub": (np.subtract, "-"), "mul": (np.multiply, "*"), "truediv": (np.divide, "/"),
    "pow": (np.power, "**"), "mod": (np.remainder, "%"), "floordiv": (np.floor_divide, "//"),
    "matmul": (np.matmul, "@"), "and": (np.bitwise_and, "&"), "or": (np.bitwise_or, "|"),
    "xor": (np.bitwise_xor, "^"), "lshift": (np.left_shift, "<<"), "rshift": (np.right_shift, ">>"),
}  # fmt: skip
COMPARISONS: dict[str, Any] = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}
_DIRECT = frozenset(["add", "sub", "mul", "truediv", "pow", "lt", "le", "gt", "ge", "eq", "ne"])


def of_python(name: str) -> Callable[..., Any]:
    """Python's operator, whose methods are ``__name__``."""
    return getattr(operator, f"__{name}__", divmod)


def _binary(name: str, ufunc: Any) -> Callable[[Array, Any], Any]:
    direct, op = name in _DIRECT, of_python(name)

    def method(self: Array, other: Any) -> Any:
        t = self._t
        kind = type(other)
        if direct and t._node is not None and t._data.dtype is _F64:
            if kind is float or kind is int or kind is Dim:
                r = op(t, other)
            elif kind in ARRAYS and other._t._data.dtype is _F64:
                r = op(t, other._t)
            elif kind is np.ndarray and other.dtype is _F64 and other.flags.c_contiguous:
                r = op(t, other)
            else:
                return _general(ufunc, self, other)
            if type(r) is Tensor and r._node is not None:
                if not r._data.ndim:
                    return scalar(r)
                a = _new(Owner)
                a._t = r
                a._waiting = None
                return a
            return array_around(r)
        return array_around(op(t, other)) if kind is Dim else _general(ufunc, self, other)

    return method


def _with_roots(power: Callable[[Array, Any], Any]) -> Callable[[Array, Any], Any]:
    """A power that knows of NumPy's norms, which are roots of sums of pieces."""

    def method(self: Array, other: Any) -> Any:
        if isinstance(self, Scalar) and isinstance(other, (float, np.floating)) and 0 < other < 1 and not self._t._data:
            expect_own_root()
        return power(self, other)

    return method


def _general(ufunc: Any, a: Any, b: Any) -> Any:
    other = type(b if type(a) in ARRAYS else a)
    if other not in _USUAL and other not in ARRAYS and (is_sparse(a) or is_sparse(b)):
        return modes.sparse(_SIGNS.get(ufunc, ufunc.__name__), a, b)
    if not _is_operand(a) or not _is_operand(b):
        return NotImplemented
    return call_ufunc(ufunc, "__call__", (a, b), {})


_USUAL = frozenset([np.ndarray, np.float64, float, int, bool, complex])
"""What most operands are, so that nobody asks whether they are sparse."""
_SIGNS = {np.matmul: "@", np.multiply: "*", np.add: "+", np.subtract: "-", np.true_divide: "/"}
"""Of operations that take sparse arrays."""


def _is_operand(v: Any) -> bool:
    if v is None or isinstance(v, (str, bytes, dict, set)):
        return False
    return not hasattr(type(v), "__array_ufunc__") or type(v).__array_ufunc__ is not None


def _swapped(name: str, ufunc: Any) -> Callable[[Array, Any], Any]:
    direct, op = name in _DIRECT, of_python(name)

    def method(self: Array, other: Any) -> Any:
        kind = type(other)
        if direct and (kind is float or kind is int):
            t = self._t
            if t._node is not None and t._data.dtype is _F64:
                return array_around(op(other, t))
        return array_around(op(other, self._t)) if kind is Dim else _general(ufunc, other, self)

    return method


def _in_place(name: str, sign: str) -> Callable[[Array, Any], Any]:
    plain = f"__{name}__"

    def method(self: Array, other: Any) -> Any:
        found = getattr(self, plain)(other)
        if found is NotImplemented:
            return found
        write_to(self, found, f"{sign}=")
        return self

    return method


def _no_in_place(name: str) -> Callable[[Any, Any], Any]:
    """A number's: Python then computes a new one."""
    return lambda self, other: getattr(self, f"__{name}__")(other)


for _name, (_ufunc, _sign) in {**BINARY, "divmod": (np.divmod, "")}.items():
    _method = _binary(_name, _ufunc)
    set_method(Array, f"__{_name}__", _with_roots(_method) if _name == "pow" else _method)
    set_method(Array, f"__r{_name}__", _swapped(_name, _ufunc))
    if _sign:
        set_method(Array, f"__i{_name}__", _in_place(_name, _sign))
        set_method(Scalar, f"__i{_name}__", _no_in_place(_name))


def _are_equal(a: Scalar, b: Any) -> bool:
    """Whether two numbers are known, and equal."""
    if isinstance(b, Scalar):
        return type(b._t) is not Symbol and _are_equal(a, b._t._data[()])
    return isinstance(b, (float, int, np.number)) and type(a._t) is not Symbol and bool(np.all(a._t._data == b))


def _comparison(name: str, ufunc: Any) -> Callable[[Array, Any], Any]:
    method, orders = _binary(name, ufunc), name not in ("eq", "ne")

    def compare(self: Array, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return NotImplemented if orders else np.full(self._shaped().shape, name == "ne")[()]
        if orders and isinstance(self, Scalar) and _are_equal(self, other):
            expect_own_choice()
        if name == "eq" and isinstance(self, Scalar) and _are_equal(self, other) and is_another_key(self, other):
            return np.False_
        return method(self, other)

    return compare


for _name, _ufunc in COMPARISONS.items():
    set_method(Array, f"__{_name}__", _comparison(_name, _ufunc))


def _unary(ufunc: Any) -> Callable[[Array], Any]:
    return lambda self: call_ufunc(ufunc, "__call__", (self,), {})


for _name, _ufunc in _UNARY.items():
    set_method(Array, f"__{_name}__", _unary(_ufunc))

Array.__hash__ = None  # type: ignore[assignment]


def _hash(self: Scalar) -> int:
    """That of the number, as equal numbers have one: whoever looks it up asks for its value."""
    t = self._t
    note_hashed()
    if type(t) is Symbol:
        hash(complex(t))  # which says why not
    branches = modes.tracing.get()
    if branches is not None and (t._node is not None or t._extra is not None):
        branches.append((t == t._data.item(), True))
    return hash(t._data.item())


Scalar.__hash__ = _hash  # type: ignore[method-assign,assignment]


# -------------------------------------------------------------------------------------- The methods of NumPy's arrays

# The idea to hold: a method is NumPy's function with the array in front. A keyword that only PyTorch has (``dim``,
# ``keepdim``) asks for PyTorch's method.


_PYTORCH_WORDS = frozenset(["correction", "descending", "dim", "dim0", "dim1", "dims", "keepdim", "unbiased"])


# ------------------------------------------------------------------------------------------------ NumPy's functions


def _of_function(name: str, func: Any) -> None:
    def method(self: Array, *args: Any, **kwargs: Any) -> Any:
        if kwargs and not _PYTORCH_WORDS.isdisjoint(kwargs) and name in METHODS:
            return of_tensors(self, name, *args, **kwargs)
        return call_function(func, (self, *args), kwargs)

    method.__doc__ = f"NumPy's method: ``np.{name}`` of this array."
    set_method(Array, name, method)


for _name in """
all any argmax argmin argpartition argsort cumprod cumsum diagonal dot max mean min nonzero prod ravel repeat round
searchsorted squeeze std sum swapaxes take trace var
""".split():  # noqa: SIM905
    _of_function(_name, getattr(np, _name))


own_way(
    np.result_type,
    lambda *args: np.result_type(*[a._shaped().dtype if type(a) in ARRAYS else a for a in args]),
)


@method
def reshape(self: Array, *shape: Any, order: str = "C", copy: Any = None) -> Any:
    """The same entries in another shape."""
    found = call_function(np.reshape, (self, integers_of(shape)), {"order": order})
    return found.copy() if copy else found


@method
def transpose(self: Array, *axes: Any, **words: Any) -> Any:
    """The dimensions in reverse, or in another order."""
    if words:
        return of_tensors(self, "transpose", *axes, **words)
    if axes and axes[0] is not None:
        return call_function(np.transpose, (self, integers_of(axes)), {})
    return call_function(np.transpose, (self,), {})


@method
def flatten(self: Array, order: str = "C") -> Any:
    """A copy in one dimension."""
    return array_of(tensor_in(call_function(np.ravel, (self,), {"order": order})))


@method
def copy(self: Array, order: str = "C") -> Any:
    """A copy."""
    return array_around(self._t) if type(self) in SCALARS else array_of(laid_out(self._t, order))


@method
def conj(self: Array) -> Any:
    """The complex conjugate, of what is real itself."""
    return self if self.dtype.kind != "c" else call_ufunc(np.conjugate, "__call__", (self,), {})


Array.conjugate = conj  # type: ignore[attr-defined]


@method
def astype(
    self: Array, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Any:
    """The array in another dtype."""
    target, t = np.dtype(dtype), self._t
    if not np.can_cast(t._data.dtype, target, casting):
        raise TypeError(
            f"Cannot cast array data from {t._data.dtype!r} to {target!r} according to the rule '{casting}'"
        )
    if t._data.dtype == target:
        return self if not copy or type(self) in SCALARS else array_of(laid_out(t, order))
    found = cast(t, target)
    return array_around(found) if type(self) in SCALARS else array_of(laid_out(found, order))


@method
def clip(self: Array, min: Any = None, max: Any = None, out: Any = None, **words: Any) -> Any:
    """The entries within limits, of which either may be left out."""
    return call_function(np.clip, (self, min, max), {**words, "out": out})


@method
def compress(self: Array, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """The slices where a condition holds."""
    return np.compress(condition, self, axis, out=out)


@method
def choose(self: Array, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Entries of the choices that this array of numbers names."""
    return np.choose(self, choices, out=out, mode=mode)  # type: ignore[call-overload]


# --------------------------------------------------------------------------------------------------------- in place


@method
def fill(self: Array, value: Any) -> None:
    """Write one value to all entries."""
    set_subscript(self, ..., value)


def _arranged(func: Any) -> Callable[..., None]:
    def method(self: Array, *args: Any, **kwargs: Any) -> None:
        self._set(tensor_in(func(self, *args, **kwargs)))

    return method


Array.sort = _arranged(np.sort)  # type: ignore[attr-defined]
Array.partition = _arranged(np.partition)  # type: ignore[attr-defined]


@method
def put(self: Array, indices: Any, values: Any, mode: str = "raise") -> None:
    """Write values to places of the flat array."""
    np.put(self, indices, values, mode)  # type: ignore[arg-type]


@method
def resize(self: Array, *new_shape: Any, refcheck: bool = True) -> None:
    """Change the shape in place: entries beyond are zeros."""
    if not new_shape or new_shape[0] is None:
        return
    shape = integers_of(new_shape)
    line = np.ravel(self)
    n, m = line.size, int(np.prod(shape))
    if m > n:
        line = np.concatenate([line, np.zeros(m - n, self.dtype)])
    t = tensor_in(np.reshape(line[:m], shape))
    if isinstance(self, View):
        raise ValueError("cannot resize this array: it does not own its data")
    self._set(t)


@method
def view(self: Array, *args: Any, **kwargs: Any) -> Any:
    """A view of the array itself (a dtype is refused where there is something to differentiate)."""
    if args and all(isinstance(a, (int, tuple, list)) for a in args):
        return reshape(self, *args)
    dtype = args[0] if args else kwargs.get("dtype")
    t = self._t
    if dtype is None or (isinstance(dtype, type) and issubclass(dtype, np.ndarray)) or np.dtype(dtype) == t._data.dtype:
        return view_of(self, (ViewFunction(lambda x: x),), t)
    if is_recorded(t):
        raise GradientError(
            f"view({np.dtype(dtype)}) reads the bytes of what is being differentiated as other numbers",
            "No derivative flows through that.", "Use astype, or .real and .imag of complex numbers.",
        )  # fmt: skip
    return constant(t._data.view(dtype).copy())


# -------------------------------------------------------------------------------------------------------------------
# The attributes of NumPy's arrays: shape, dtype, ``.T``, ``.flat``, ``.real``, ``.flags`` and the rest


@attribute
def shape(self: Array) -> tuple[Any, ...]:
    """The sizes of the dimensions."""
    t = self._t if self._waiting is None else self._before
    return tuple(named_shape(t)) if type(t) is Symbol else t._data.shape


def _set_shape(self: Array, new: Any) -> None:
    t = tensor_in(np.reshape(self, new))
    if isinstance(self, View):
        self._path = (*self._path, ViewFunction(lambda x: np.reshape(x, new)))
        self._seen, self._value = self._root._version, t
    else:
        self._set(t)


Array.shape = shape.setter(_set_shape)  # type: ignore[attr-defined]


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
        part = ComplexPart(name)
        found = part.taken(t)
        return array_around(found) if type(self) in SCALARS else view_of(self, (part,), found)

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
        t = tensor_in(np.ravel(a))
        return view_of(a, (ViewFunction(lambda x: np.reshape(x, -1)),), t)

    def __getitem__(self, index: Any) -> Any:
        found = self._line()[index]
        return found.copy() if type(found) in ARRAYS else found

    def __setitem__(self, index: Any, value: Any) -> None:
        line = self._line()
        if not isinstance(index, (int, np.integer)):  # NumPy repeats the values
            n = int(np.size(np.empty(self.base.size)[to_tensors(index)]))
            if np.size(value._shaped() if type(value) in ARRAYS else value) == 0:
                return
            value = np.resize(value, n)
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
    if str(sys._getframe(1).f_globals.get("__name__")).startswith("numpy.ma") and is_recorded(self._t):
        raise foreign_array_error(np.ma.MaskedArray)
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


# -------------------------------------------------------------------------------------------------------------------
# Functions of NumPy's whose results lie in memory, or share it, in a way that the table's functions do not know

# The idea to hold: a program can tell by writing. What NumPy makes like an array lies as that does, and what NumPy
# hands back as it is, or trims, is the array itself.


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
    found = by_table(np.trim_zeros, (filt, trim), words)  # refuses what may not be left out
    if type(filt) not in ARRAYS or filt.ndim != 1 or words or type(filt._t) is Symbol:
        return found
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
            else np.broadcast_to(p, shape) if type(p) in ARRAYS
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
