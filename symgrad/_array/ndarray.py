"""Arrays that are differentiated: what a function of arrays gets in place of one, how views are taken and lie."""

from __future__ import annotations

import math
import numbers
import operator
import sys
import weakref
from collections.abc import Callable, Iterable
from itertools import starmap
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._errors import InplaceError, NotDifferentiableError
from .._trees import container_like
from ..core import Carrier, Symbol, Tensor, modes, row_function, storage, wrap
from ..core import with_tangent_of as with_tangent
from ..ops import METHODS, sizes
from ..ops.entries import clone_row, complex_row
from ..ops.index import FULL, at_dim, getitem, index_put_row, index_select, select_scatter_row, slice_scatter_row
from ..ops.shape import reshape, strided_places
from .pieces import expect_parts

# -------------------------------------------------------------------------------------------------------------------
# How results lie in memory: what NumPy sorts, joins or picks of an array that does not lie in C order need not either

# The idea to hold: a program can tell, by writing to ``b.ravel()`` (a view or a copy), and by the orders "K" and "A".
# How NumPy's result lies, NumPy is asked: it computes the same of the numbers. That is needed where an operand does not
# lie in C order, or where the call says something about orders; a ufunc's lies right as it is.


def as_numpys(found: Any, call: Callable[[], Any]) -> Any:
    """A tensor, or several, lying as what ``call`` makes of the numbers does."""
    parts = found if isinstance(found, (tuple, list)) else (found,)
    if not any(isinstance(p, Tensor) and p._data.ndim > 1 for p in parts):
        return found
    try:
        numpys = call()
    except Exception:  # of the numbers of a symbol, say, which stand for others
        return found
    if found is parts and isinstance(numpys, (tuple, list)) and len(numpys) == len(parts):
        return container_like(found, list(starmap(laid_like, zip(parts, numpys, strict=True))))
    return found if found is parts else laid_like(found, numpys)


def laid_like(t: Any, lying: np.ndarray) -> Any:
    """A tensor whose entries lie in memory as those of an array do, gaps and all: what is a view hangs on it."""
    if not isinstance(t, Tensor) or type(lying) is not np.ndarray or lying.shape != t._data.shape:
        return t
    data = t._data
    if data.strides == lying.strides and data.dtype is lying.dtype:
        return t
    laid = storage.memory_as(lying, data.dtype)
    if laid.strides == data.strides:
        return t
    if type(t) is Symbol:
        t = clone_row(t, "F" if laid.flags.fnc else "C")
        laid[...], t._data = data, laid
        return t
    laid[...] = data
    return with_tangent(wrap(laid, t._node), t)


def in_place_of(t: Tensor, had: np.ndarray) -> Tensor:
    """A tensor that an array holds in place of one that lay as ``had`` does: it lies so too, and what was a view of the
    array, or a copy, is one.
    """
    if not had.flags.forc and had.shape == t._data.shape and storage.shares_entries(had):
        raise InplaceError(
            "an array whose entries share memory with each other would be written to",
            f"It has shape {had.shape} and strides {had.strides}, as np.broadcast_to and as_strided make them.",
            "Write to a copy: x = np.copy(x).",
        )  # fmt: skip
    return laid_like(t, had)


def lies_apart(values: Iterable[Any]) -> bool:
    """Whether one of the operands, or of their lists, lies in memory otherwise than in C order."""
    for v in values:
        if isinstance(v, (tuple, list)):
            if lies_apart(v):
                return True
        elif isinstance(v, (Tensor, np.ndarray)):
            a = v._data if isinstance(v, Tensor) else v
            if a.ndim > 1 and not a.flags.c_contiguous:
                return True
    return False


def room_for(lying: np.ndarray, dtype: Any, copied: bool, order: str = "K") -> np.ndarray:
    """A new array where NumPy has the array ``lying`` itself, or, ``copied``, a copy of it.

    What has gaps or runs backwards has gaps and runs backwards here: orders of memory, and reshapes, ask for it.
    """
    if copied or lying.flags.forc:
        return np.empty_like(lying, dtype, order)  # type: ignore[call-overload]
    return storage.memory_as(lying, dtype)


# -------------------------------------- How a view is taken from an array, and how what was written to it is put back

# The idea to hold: a step is a function of NumPy's that moves entries and computes none. Applied to the numbers of the
# places it tells where each entry of the view lies, so one way to put entries back serves all of them.


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
        return part_at(t, self.index)

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The part of an array, as NumPy takes it."""
        return data[self.index]

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """``t`` with another part in its place."""
        index = self.index if any(k is ... for k in self.index) else (*self.index, ...)
        if is_known(t) and is_known(part):
            data = t._data.copy()
            data[index] = part._data
            return wrap(data)
        parts = _per_dimension(index, t._data.ndim)
        if any(k is None for k in index):  # new axes: the part without them
            part = reshape(part, [sizes(part)[k] for k in _old_axes(index, t._data.ndim)])
        return replaced(t, part, parts)


def part_at(t: Tensor, index: Any) -> Tensor:
    """``t[index]``."""
    return METHODS["__getitem__"](t, index) if type(t) is Tensor else t[index]


class ViewFunction:
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
        return self.function(t)

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The same of an array."""
        return self.function(data)

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """``t`` with other entries in the places that the function moves."""
        shape = t._data.shape
        numbered = np.empty_like(t._data, np.intp)  # which lies as the entries do: some orders are those of memory
        numbered[...] = np.arange(t._data.size).reshape(shape)
        places = self.numbers(numbered).reshape(-1)
        if places.size > t._data.size or np.bincount(places, minlength=1).max() > 1:
            raise ValueError("assignment destination is read-only: entries of this view share memory with each other")
        if is_known(t) and is_known(part):
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
        return reshape(index_put_row(line, values, places, 0, 1, False), sizes(t))

    def numbers(self, places: np.ndarray) -> np.ndarray:
        """An array of numbers, moved."""
        found = self.function(places)
        return np.asarray(found._data if isinstance(found, Tensor) else found)


class Strided(ViewFunction):
    """The entries that lie where ``as_strided`` says, in an array that lies as ``data`` does.

    Raises
    ------
    NotDifferentiableError : there are none
    """

    __slots__ = ("shape", "strides")

    def __init__(self, data: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.shape, self.strides = shape, strides
        places = strided_places(data.shape, shape, strides, 0, data.strides)
        if (places < 0).any():
            raise NotDifferentiableError(
                "as_strided would read beyond an array that is differentiated, or between its entries",
                f"The array has shape {data.shape} and strides {data.strides}, the view shape {shape} and strides "
                f"{strides}.", "Take it of the whole array, or use sliding_window_view, slices or indices.",
            )  # fmt: skip
        super().__init__(lambda a: a.reshape(-1)[places])

    def lying(self, data: np.ndarray) -> np.ndarray:
        """The view itself."""
        return np.lib.stride_tricks.as_strided(data, self.shape, self.strides)


class ComplexPart(ViewFunction):
    """The real or the imaginary part of a complex array.

    Attributes
    ----------
    name : 'real' or 'imag'
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__(operator.attrgetter(name))
        self.name = name

    def put(self, t: Tensor, part: Tensor) -> Tensor:
        """The number with another such part."""
        return complex_row(part, t.imag) if self.name == "real" else complex_row(t.real, part)


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


def replaced(t: Tensor, part: Tensor, parts: list[Any]) -> Tensor:
    """``t`` with another part at integers and slices, one for each dimension: the first first."""
    dim = next((d for d, k in enumerate(parts) if type(k) is not slice or k != FULL), None)
    if dim is None:
        return part
    k = parts[dim] if type(parts[dim]) is slice else int(parts[dim])
    index, rest = at_dim(dim, k), [*parts[:dim], *([FULL] if type(k) is slice else []), *parts[dim + 1 :]]
    if any(type(j) is not slice or j != FULL for j in rest):
        part = replaced(getitem(t, index), part, rest)
    return (slice_scatter_row if type(k) is slice else select_scatter_row)(t, part, index)


def is_known(value: Any) -> bool:
    """Whether a value is nothing but its numbers: no history, no name, not computed from what has them."""
    if isinstance(value, Tensor):
        return value._node is None and value._extra is None and type(value) is Tensor
    if isinstance(value, (list, tuple)):
        return all(map(is_known, value))
    return True


# ------------------------------- Arrays that are differentiated: what a function of NumPy arrays gets in place of one

# The idea to hold: an array holds a tensor that never changes. To write to an array is to give it another tensor,
# computed from the one before; so whatever was recorded keeps what it saw, and there are no versions to be spoilt.
# A view holds no tensor of its own: it says how it is taken from its root, and a write to it is a write to that.


_new = object.__new__


class Array(Carrier):
    """An array of NumPy's manners whose values are being differentiated, or may come to be.

    Attributes
    ----------
    _t : the tensor of its values now. While entries wait to be put in, there is none: asking for it puts them in
    _waiting : entries that were written one by one and wait: their values by their places (all of one length), or None
    _before : the tensor that they will be put in
    _version : how many times it was written to
    """

    __slots__ = ("__weakref__", "_before", "_numbers", "_t", "_version", "_waiting")
    _before: Tensor
    _version: int
    _numbers: dict[int, Any]
    _waiting: dict[Any, Any] | None
    _filled: ClassVar[Callable[..., Tensor]]
    """A tensor with entries that waited in their places; `protocols` adds it."""
    _further_member: ClassVar[Callable[..., Any]]
    """What an array has besides NumPy's members; `members` adds it."""

    def __getattr__(self, name: str) -> Any:
        if name == "_t":
            return self._put_in()
        if name == "_version":
            return 0
        if name == "_waiting":
            return None
        return self._further_member(name)

    def _put_in(self) -> Tensor:
        """Let the entries that wait be written, all at once."""
        if self._waiting is None:  # Python finds no attributes while an error of C code is under way: see `raise_cause`
            raise AttributeError("_t")
        self._t = t = in_place_of(self._filled(self._before, self._waiting), self._before._data)
        self._waiting = None
        del self._before
        return t

    def _set(self, t: Tensor) -> None:
        """Give the array other values. They lie in memory as those before did, so that what is a view stays one."""
        if modes.mode.get() <= 0:
            require_known(self)
        if _shown:
            require_unseen(self)
        self._t, self._waiting = in_place_of(t, self._shaped()), None
        self._version += 1

    def _wait(self, place: Any, value: Any) -> bool:
        """Let an entry, or a row, wait to be put in; False if others do that have more dimensions, or fewer."""
        waiting = self._waiting
        if modes.mode.get() <= 0:
            require_known(self)
        if _shown:
            require_unseen(self)
        if waiting is None:
            self._before = t = self._t
            if type(place) is int:
                entries = self._waiting = Entries({place: value})
                entries.length = t._data.shape[0] if t._data.ndim == 1 and t._data.dtype is _F64 else 0
            else:
                self._waiting = {place: value}
            del self._t
        elif depth(next(iter(waiting))) == depth(place):
            waiting[place] = value
        else:
            return False
        self._version += 1
        return True

    def sharing(self, found: Tensor, function: Callable[[Any], Any]) -> Any:
        """What holds a result of a function of this array: a view of it where they share memory."""
        t = self._t
        if type(self) in SCALARS or not found._data.ndim or not np.may_share_memory(found._data, t._data):
            return array_around(found)
        return view_of(self, (ViewFunction(function),), found)

    def written(self, function: Callable[[Tensor], Any]) -> Any:
        """This array, which becomes what a function that writes to its argument makes of it."""
        t = clone_row(self._t, "C")
        function(t)
        self._set(t)
        return self

    def _shaped(self) -> np.ndarray:
        """An array of its shape and dtype, whatever waits."""
        return (self._t if self._waiting is None else self._before)._data

    def _lying(self) -> np.ndarray:
        """Numbers that lie in memory as NumPy's would: their layout decides what is a view. (A tensor's may be copies
        where NumPy has negative steps.)"""
        return self._shaped()

    @property
    def _root(self) -> Array:
        return self

    @property
    def _path(self) -> tuple[Any, ...]:
        return ()


def require_known(a: Array) -> None:
    """Raise where an array that is differentiated would be written to while nothing records."""
    t = a._t if a._waiting is None else a._before
    if t._node is not None or a._waiting is not None:
        raise InplaceError(
            "an array that is being differentiated would be written to where nothing records (no_grad): the derivative "
            "would not know of it.", f"It has shape {t._data.shape} and dtype {t._data.dtype}.",
            "Write outside no_grad, or to a copy: x = np.copy(x.detach()).",
        )  # fmt: skip


class Shown(NamedTuple):
    """NumPy's array of an array's entries, while there is one.

    Attributes
    ----------
    of : the array, weakly
    numpys, memory : NumPy's array, and the memory of which it and its views are parts, weakly
    """

    of: Callable[[], Any]
    numpys: Callable[[], Any]
    memory: Callable[[], Any]


_shown: dict[int, list[Shown]] = {}
"""By the identity of the root of an array."""


def show(a: Array, numpys: np.ndarray) -> None:
    """Note that NumPy has an array for an array: to NumPy it is the same one, and a write to one changes both."""
    key = id(a._root)
    if key not in _shown:
        _shown[key] = []
        weakref.finalize(a._root, _shown.pop, key, None).atexit = False
    alive = [s for s in _shown[key] if s.memory() is not None]
    _shown[key] = [*alive, Shown(weakref.ref(a), weakref.ref(numpys), weakref.ref(storage.owner(numpys)))]


def is_shown_as(a: Array, value: Any) -> bool:
    """Whether an array is NumPy's of this one: to write it there changes nothing."""
    return any(s.of() is a and s.numpys() is value for s in _shown.get(id(a._root), ()))


def require_unseen(a: Array) -> None:
    """Raise where an array would be written to of which NumPy's ``asarray`` gave another: that stays as it is."""
    if any(s.memory() is not None for s in _shown.get(id(a), ())):
        raise InplaceError(
            "an array would be written to of which np.asarray gave another: to NumPy they share memory, here the other "
            "one would keep the entries as they were",
            f"It has shape {a._shaped().shape} and dtype {a._shaped().dtype}.",
            "Use np.array(x), a copy, or the asarray of import symgrad.numpy as np, which is x itself.",
        )


class Entries(dict[int, Any]):
    """Entries, or rows, that wait, by their number.

    Attributes
    ----------
    length : of an array of numbers in one dimension; 0 of others
    """

    __slots__ = ("length",)
    length: int


class Owner(Array):
    """An array with entries of its own. (No class of arrays is above another: Python would ask the lower one first.)"""

    __slots__ = ()


class Indexed(Owner):
    """An array of which numbers were taken that are followed by a list: one that is taken again is the same one.

    Attributes
    ----------
    _numbers : by their places
    """

    __slots__ = ()

    def _set(self, t: Tensor) -> None:
        self.__class__ = Owner  # type: ignore[assignment]
        del self._numbers
        self._set(t)

    def _wait(self, place: Any, value: Any) -> bool:
        self.__class__ = Owner  # type: ignore[assignment]
        del self._numbers
        return self._wait(place, value)


Owner.__name__ = Owner.__qualname__ = Indexed.__name__ = Indexed.__qualname__ = "Array"


def depth(place: Any) -> int:
    """How many dimensions a place names: an integer, or a tuple of several."""
    return 1 if type(place) is int else len(place)


class View(Array):
    """A part of another array, or the same entries in another order: reads and writes go there.

    Attributes
    ----------
    _root : the array that has the values
    _path : the steps that lead from there to here
    _seen, _value : the version of the root at which the tensor was taken, and the tensor
    """

    __slots__ = ("_path", "_root", "_seen", "_value")
    _root: Array
    _path: tuple[Any, ...]
    _seen: int
    _value: Tensor

    @property
    def _t(self) -> Tensor:  # type: ignore[override]
        root = self._root
        if self._seen != root._version:
            t = root._t
            for step in self._path:
                t = step.taken(t)
            self._value, self._seen = t, root._version
        return self._value

    def _set(self, t: Tensor) -> None:
        root = self._root
        values = [root._t]
        for step in self._path[:-1]:
            values.append(step.taken(values[-1]))
        for step, around in zip(reversed(self._path), reversed(values)):
            t = step.put(around, t)
        root._set(t)

    def _wait(self, place: Any, value: Any) -> bool:
        return False

    def _shaped(self) -> np.ndarray:
        return self._t._data

    def _lying(self) -> np.ndarray:
        data = self._root._shaped()
        for step in self._path:
            data = step.lying(data)
        return data


class Scalar(Array):
    """One number, which never changes: NumPy's scalars are no arrays."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """NumPy's class of such a number, to a program that asks ``isinstance(x, float)``: it takes the branch that it
        takes without derivatives. To NumPy, SciPy, fractions and this package, which go on with the number, its own."""
        library = str(sys._getframe(1).f_globals.get("__name__", "")).partition(".")[0]
        return type(self) if library in _GO_ON else self._t._data.dtype.type


_GO_ON = frozenset(["numpy", "scipy", "symgrad", "fractions"])


class Number(Scalar):
    """One number, of which a list says how it was computed (see number_steps.py): its tensor is made when asked for.

    Attributes
    ----------
    value : as a float
    steps, place : the list, and where it stands in it
    """

    __slots__ = ("place", "steps", "value")
    value: float
    steps: Any
    place: int

    def _put_in(self) -> Tensor:
        self._t = t = _tensor_of_number(self)
        return t

    def _shaped(self) -> np.ndarray:
        return _POINT


class ComplexScalar(Scalar):
    """One complex number."""

    __slots__ = ()


ComplexScalar.__name__ = ComplexScalar.__qualname__ = "Scalar"
numbers.Real.register(Scalar)  # what np.isscalar and programs ask
numbers.Complex.register(ComplexScalar)
_POINT = np.zeros(())
SCALARS = frozenset([Scalar, ComplexScalar, Number])
ARRAYS = SCALARS | {Owner, Indexed, View}
_F64 = _POINT.dtype


def set_numbers(tensor: Any, recorder: Any, number: Any, tensor_of_numbers: Any) -> None:
    """Take what number_steps.py knows, which stands on this module."""
    global _tensor_of_number, _recorder, _number, stacked_numbers
    _tensor_of_number, _recorder, _number, stacked_numbers = tensor, recorder, number, tensor_of_numbers


_tensor_of_number: Any
_recorder: Any
_number: Any
stacked_numbers: Any


def entry_of(t: Tensor, k: int) -> Any:
    """``t[k]`` of a row of numbers, if it can be followed step by step; else None."""
    data = t._data
    if t._node is not None and data.dtype is _F64 and type(t) is Tensor:
        recorder = _recorder()
        if recorder is not None:
            n = data.shape[0]
            if -n <= k < n:
                return _number(recorder, t, k + n if k < 0 else k, float(data[k]))
    return None


_HOOK = Array.__getattr__


def expect_hook() -> None:
    """Give the classes their ``__getattr__`` again if one has lost it: CPython forgets the hook of a class where it is
    looked up while an error is under way, as where a library's code in C goes on after one."""
    if not all(hasattr(_new(kind), "_version") for kind in ARRAYS):
        Array.__getattr__ = _HOOK  # type: ignore[method-assign]


def array_around(t: Any) -> Any:
    """The array that holds a tensor; constants that nobody computed from anything are NumPy's numbers."""
    if type(t) is not Tensor and not isinstance(t, Tensor):
        return t
    a: Any
    if t._data.ndim:
        a = _new(Owner)
    elif t._node is None and t._extra is None and type(t) is Tensor:
        return t._data[()]
    else:
        recorder = _recorder()
        if recorder is not None and t._data.dtype is _F64 and t._node is not None and type(t) is Tensor:
            a = _number(recorder, t, 0, float(t._data))
            a._t = t
            return a
        return scalar(t)
    a._t = t
    a._waiting = None
    return a


def scalar(t: Tensor) -> Scalar:
    """The number that holds a tensor without dimensions."""
    complex_ = t._data.dtype.kind == "c"
    if complex_:
        expect_parts()
    a: Scalar = _new(ComplexScalar if complex_ else Scalar)
    a._t, a._waiting = t, None
    return a


def laid_out(t: Tensor, order: str) -> Tensor:
    """A tensor of the same values that lies in memory as NumPy's copy in an order ("C", "F", "A", "K") does."""
    return laid_like(t, np.empty_like(t._data, order=order))  # type: ignore[call-overload]


Carrier.around = staticmethod(array_around)  # type: ignore[method-assign]


def stacked(values: list[Any]) -> Tensor:
    """Numbers, or tensors of one shape, as one tensor along a new dimension in front."""
    if all(type(v) is Number for v in values):
        return stacked_numbers(values)
    made = row_function("stack")([v._t if type(v) is Number else v for v in values], 0)
    return made


def array_of(t: Tensor) -> Array:
    """The array that holds a tensor, whatever it is."""
    a: Array = _new(Owner)
    a._t, a._waiting = t, None
    return a


def constant(data: np.ndarray) -> Array:
    """An array of known values, which may be written to."""
    return array_of(wrap(data))


def view_of(a: Array, steps: Iterable[Any], t: Tensor) -> View:
    """The view of ``a`` that further steps lead to, which is ``t`` now."""
    v: View = _new(View)
    v._waiting = None
    v._root, v._path = a._root, (*a._path, *steps)
    v._value, v._seen = t, v._root._version
    return v


def same_view(a: Array, index: Any, value: Any) -> bool:
    """Whether ``value`` is the view that ``a[index]`` is: ``a[1:] += b`` ends with writing it to itself."""
    if type(value) is not View or value._root is not a._root:
        return False
    path = value._path
    if len(path) != len(a._path) + 1 or path[:-1] != a._path:
        return False
    parts = index if type(index) is tuple else (index,)
    return all(type(k) in _BASIC for k in parts) and bool(path[-1] == BasicIndex(index))


_BASIC = frozenset([int, slice, type(None), type(...)])
