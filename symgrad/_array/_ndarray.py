"""Arrays that are differentiated: what a function of NumPy arrays gets in place of one.

The idea to hold: an array holds a tensor that never changes. To write to an array is to give it another tensor, computed
from the one before; so whatever was recorded keeps what it saw, and there are no versions that could be spoilt.
A view holds no tensor of its own: it says how it is taken from its root, and a write to it is a write to that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core import Carrier, Tensor, table, wrap
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

    __slots__ = ("__weakref__", "_before", "_t", "_version", "_waiting")
    _before: Tensor
    _version: int
    _waiting: dict[tuple[int, ...], Any] | None

    def __getattr__(self, name: str) -> Any:
        if name == "_t":
            return self._put_in()
        if name == "_version":
            return 0
        from ._numpy_methods import further_member

        return further_member(self, name)

    def _put_in(self) -> Tensor:
        """Let the entries that wait be written, all at once."""
        from ._numpy_index import filled

        assert self._waiting is not None
        self._t = t = filled(self._before, self._waiting)
        self._waiting = None
        del self._before
        return t

    def _set(self, t: Tensor) -> None:
        """Give the array other values."""
        self._t, self._waiting = t, None
        self._version += 1

    def _wait(self, place: tuple[int, ...], value: Any) -> bool:
        """Let an entry, or a row, wait to be put in; False if others do that have more dimensions, or fewer."""
        waiting = self._waiting
        if waiting is None:
            self._before, self._waiting = self._t, {place: value}
            del self._t
        elif len(next(iter(waiting))) == len(place):
            waiting.pop(place, None)  # the order is that of the last writes
            waiting[place] = value
        else:
            return False
        self._version += 1
        return True

    def sharing(self, found: Tensor, function: Callable[[Any], Any]) -> Any:
        """What holds a result of a function of this array: a view of it where they share memory."""
        t = self._t
        if type(self) is Scalar or not found._data.ndim or not np.may_share_memory(found._data, t._data):
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

    @property
    def _root(self) -> Array:
        return self

    @property
    def _path(self) -> tuple[Any, ...]:
        return ()


class View(Array):
    """A part of another array, or the same entries in another order: reads and writes go there.

    Attributes
    ----------
    _root : the array that has the values
    _path : the steps that lead from there to here
    _seen, _value : the version of the root at which the tensor was taken, and the tensor
    """

    __slots__ = ("_path", "_root", "_seen", "_value")
    _root: Array  # type: ignore[assignment]
    _path: tuple[Any, ...]  # type: ignore[assignment]

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

    def _wait(self, place: tuple[int, ...], value: Any) -> bool:
        return False

    def _shaped(self) -> np.ndarray:
        return self._t._data


class Scalar(Array):
    """One number, which never changes: NumPy's scalars are no arrays."""

    __slots__ = ()


ARRAYS = frozenset([Array, View, Scalar])


def around(t: Any) -> Any:
    """The array that holds a tensor; constants that nobody computed from anything are NumPy's numbers."""
    if type(t) is not Tensor and not isinstance(t, Tensor):
        return t
    if t._data.ndim:
        a = _new(Array)
    elif t._node is None and t._extra is None and type(t) is Tensor:
        return t._data[()]
    else:
        a = _new(Scalar)
    a._t = t
    a._waiting = None
    return a


Carrier.around = staticmethod(around)


def array_of(t: Tensor) -> Array:
    """The array that holds a tensor, whatever it is."""
    a: Array = _new(Array)
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
    return len(path) == len(a._path) + 1 and path[:-1] == a._path and path[-1] == BasicIndex(index)


__all__ = ["ARRAYS", "Array", "Scalar", "View", "around", "array_of", "constant", "same_view", "view_of"]
