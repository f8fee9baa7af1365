"""Arrays that are differentiated: what a function of NumPy arrays gets in place of one.

The idea to hold: an array holds a tensor that never changes. To write to an array is to give it another tensor,
computed from the one before; so whatever was recorded keeps what it saw, and there are no versions to be spoilt.
A view holds no tensor of its own: it says how it is taken from its root, and a write to it is a write to that.
"""

from __future__ import annotations

import numbers
import weakref
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._errors import InplaceError
from ..core import Carrier, Tensor, modes, storage, table, wrap
from ._lying import in_place_of, laid_like
from ._pieces import expect_parts
from ._view_steps import BasicIndex, Moved

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
    """A tensor with entries that waited in their places; `_numpy_index` adds it."""
    _further_member: ClassVar[Callable[..., Any]]
    """What an array has besides NumPy's members; `_members_of_tensors` adds it."""

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
        assert self._waiting is not None
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
            return around(found)
        return view_of(self, (Moved(function),), found)

    def written(self, function: Callable[[Tensor], Any]) -> Any:
        """This array, which becomes what a function that writes to its argument makes of it."""
        t = table("clone")(self._t, "C")
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


class Number(Scalar):
    """One number, of which a list says how it was computed (see _number_steps.py): its tensor is made when asked for.

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
    """Take what _number_steps.py knows, which stands on this module."""
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
    """Give the class its ``__getattr__`` again if it has lost it: CPython forgets the hook of a class where it is
    looked up while an error is under way, as where a library's code in C goes on after one."""
    try:
        _new(Owner)._version  # noqa: B018
    except AttributeError:
        Array.__getattr__ = _HOOK  # type: ignore[method-assign]


def around(t: Any) -> Any:
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
    laid: Tensor = laid_like(t, np.empty_like(t._data, order=order))  # type: ignore[call-overload]
    return laid


Carrier.around = staticmethod(around)  # type: ignore[method-assign]


def stacked(values: list[Any]) -> Tensor:
    """Numbers, or tensors of one shape, as one tensor along a new dimension in front."""
    if all(type(v) is Number for v in values):
        made: Tensor = stacked_numbers(values)
        return made
    made = table("stack")([v._t if type(v) is Number else v for v in values], 0)
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


__all__ = [
    "ARRAYS", "SCALARS", "Array", "Indexed", "Number", "Owner", "Scalar", "View", "around", "array_of", "constant",
    "laid_out", "same_view", "scalar", "view_of",
]  # fmt: skip
