"""Square brackets as NumPy means them: reading, and writing.

The idea to hold: beside an array of places an integer is a place too, and takes part in the layout (PyTorch takes the
integers first). Entries written one by one wait and are put in together, so that a loop of n writes takes n steps.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._errors import GradientError, compose
from ..core import Symbol, Tensor, content, modes, plain_array, wrap
from ..ops._dims import rests_on_values, sizes
from ..ops._numpy_arguments import recorded
from ..ops._public import METHODS
from ..ops.entries._copy import cast
from ..ops.index._assign import _put
from ..ops.index._index import getitem, split
from ..ops.index._places import FULL, index_put_row
from ..ops.shape._broadcast import expand
from ._lying import as_numpys
from ._ndarray import (
    ARRAYS,
    SCALARS,
    Array,
    Entries,
    Indexed,
    Number,
    Owner,
    View,
    around,
    array_of,
    depth,
    entry_of,
    is_shown_as,
    same_view,
    stacked,
    view_of,
)
from ._pieces import has_pieces, tensor_of
from ._view_steps import BasicIndex

_mode = modes.mode.get
_BOUNDS = frozenset([int, type(None)])
_WHOLE = frozenset([int, np.int64, np.int32])

# ------------------------------------------------------------------------------------------------------ reading


def subscript(self: Array, index: Any) -> Any:
    """``self[index]``: a number, a view, or a copy where arrays or masks pick."""
    if type(self) in SCALARS and type(index) is int:  # as Python does that goes through a number
        raise TypeError("invalid index to scalar variable: a number has no entries to go through")
    if type(index) is int:
        waiting = self._waiting
        if waiting is not None:
            found = waiting.get(index)
            if type(found) is Number:
                return found
            found = _waiting_at(self, (index,))
            if found is not None:
                return found
        t = self._t
        if t._data.ndim == 1:
            found = entry_of(t, index)
            if found is None:
                return around(_part(t, index))
            if type(self) is Owner:
                self.__class__ = Indexed
                self._numbers = {index: found}
            return found
        index = (index,)
    elif type(index) is slice and type(index.start) in _BOUNDS and type(index.stop) in _BOUNDS and index.step is None:
        t = self._t
        if type(t) is Tensor and t._data.ndim:
            return view_of(self, (BasicIndex(index),), getitem(t, (index,)))
        index = (index,)
    elif type(index) is not tuple:
        index = (index,)
    elif self._waiting is not None and all(type(k) is int for k in index):
        found = _waiting_at(self, index)
        if found is not None:
            return found
    t = self._t
    index, basic = numpy_index(index, t._data.ndim)
    part = _part(t, index)
    if not basic:
        return around(_as_picked(part, t, index) if part._data.ndim > 1 else part)
    if not part._data.ndim and not any(k is ... for k in index):
        return around(part)
    return view_of(self, (BasicIndex(index),), part)


def indexed_subscript(self: Indexed, index: Any) -> Any:
    """``self[index]`` of an array of which numbers were taken before."""
    if type(index) is int:
        found = self._numbers.get(index)
        if found is None:
            found = subscript(self, index)
            if type(found) is Number and type(self) is Indexed:
                self._numbers[index] = found
        return found
    return subscript(self, index)


setattr(Indexed, "__getitem__", indexed_subscript)  # noqa: B010  (which mypy does not know of)


def _part(t: Tensor, index: Any) -> Any:
    return METHODS["__getitem__"](t, index) if type(t) is Tensor else t[index]


def _as_picked(part: Tensor, t: Tensor, index: Any) -> Tensor:
    """What places pick, lying as NumPy's: picked at the first dimension of what lies in C order, it does so too."""
    if len(index) == 1 and t._data.flags.c_contiguous:
        return part
    places = tuple([content_data(k) for k in index])
    found: Tensor = as_numpys(part, lambda: t._data[places])
    return found


def _waiting_at(a: Array, index: tuple[int, ...]) -> Any:
    """What ``a[index]`` is while entries wait: one of them, or one that does not; None if they must be put in first."""
    waiting = a._waiting
    assert waiting is not None
    shape = a._before._data.shape
    if depth(next(iter(waiting))) != len(index):
        return None
    place = _place(index, shape)
    if place is None:
        return None
    value = waiting.get(place if len(place) > 1 else place[0])
    if type(value) is Number:
        return value
    if value is None:
        value = _part(a._before, place)
    elif type(value) is not Tensor and not isinstance(value, Tensor):
        return np.asarray(value, a._before._data.dtype)[()]
    return around(value) if len(place) == len(shape) else view_of(a, (BasicIndex(place),), value)


def _place(index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Integers counted from the front; None if there is no such place."""
    if len(index) > len(shape):
        return None
    place = []
    for k, n in zip(index, shape):
        if not -n <= k < n:
            return None
        place.append(int(k) + n if k < 0 else int(k))
    return tuple(place)


def numpy_index(index: tuple[Any, ...], ndim: int) -> tuple[tuple[Any, ...], bool]:
    """An index whose meaning is the same to NumPy and to PyTorch, and whether it is a basic one (gives a view)."""
    parts: list[Any] = []
    arrays = points = False
    for k in index:
        kind = type(k)
        if kind is int or kind is slice or k is None or k is ...:
            parts.append(_with_numbers(k) if kind is slice else k)
            continue
        points = (
            points or kind is np.ndarray or kind is Owner
        )  # an integer, if of no dimensions: but what it gives is a copy
        k = _definite(k)
        arrays = arrays or not isinstance(k, int)
        parts.append(k)
    if sum([k is ... for k in parts]) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if not arrays:
        return tuple(parts), not points
    return tuple([np.array([k]) if type(k) is int else k for k in parts]), False


def _with_numbers(k: slice) -> slice:
    bounds = k.start, k.stop, k.step
    return slice(*map(content, bounds)) if any(type(b) in ARRAYS for b in bounds) else k


def _definite(k: Any) -> Any:
    """One part of an index: a number, or places, or a mask."""
    if type(k) in ARRAYS:
        k = k._t
        if not k._data.ndim and k._data.dtype.kind in "iu":
            return k if type(k) is Symbol or rests_on_values(k) else int(k._data)
    elif not isinstance(k, Tensor):
        if isinstance(k, (bool, np.bool_)):
            return np.asarray(k)
        if isinstance(k, (int, np.integer)):
            return int(k)
        if isinstance(k, str) or (isinstance(k, list) and k and isinstance(k[0], str)):
            raise _no_labels(k)
        k = tensor_of(k)
        if isinstance(k, np.ndarray) and not k.ndim and k.dtype.kind in "iu":
            return int(k)
    if k._data.dtype == np.uint8 if isinstance(k, Tensor) else k.dtype == np.uint8:
        k = cast(k, np.dtype(np.int64))  # a mask to PyTorch
    dtype = k._data.dtype if isinstance(k, Tensor) else k.dtype
    if dtype.kind not in "iub":
        if not sizes(k) or sizes(k)[0] or isinstance(k, Tensor):
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        return k.astype(np.int64)
    return k


def _no_labels(key: Any) -> IndexError:
    what = (
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid"
    )
    why = f"It got {key!r}. An array has no labels; functions get pandas' tables as arrays of their values."
    return IndexError(compose(f"{what} indices", why, "Pass dict(table) in place of the table."))


# ------------------------------------------------------------------------------------------------------ writing


def set_subscript(self: Array, index: Any, value: Any) -> None:
    """``self[index] = value``."""
    kind = type(index)
    if kind is int and type(value) is Number and _mode() > 0:
        waiting = self._waiting
        if type(waiting) is Entries and 0 <= index < waiting.length:
            waiting[index] = value
            self._version += 1
            return
    if _mode() <= 0 and has_pieces(value):
        value = tensor_of(value).detach()  # what nothing records has no history
    if kind is int or kind is tuple or kind in _WHOLE:
        places = index if kind is tuple else (index,)
        if places and all(type(k) in _WHOLE for k in places) and _waits(self, places, value):
            return
    if type(self) in SCALARS:
        raise TypeError("a number does not support item assignment")
    if same_view(self, index, value):
        return
    if type(value) is np.ndarray and (index is ... or (kind is slice and index == FULL)) and is_shown_as(self, value):
        return
    self._set(put(self._t, index if kind is tuple else (index,), tensor_of(value)))


def _waits(a: Array, index: tuple[int, ...], value: Any) -> bool:
    """Let an entry or a row wait to be put in, if it fits as it is."""
    shaped = a._shaped()
    shape = shaped.shape
    place = _place(index, shape)
    if place is None:
        return False
    kind = type(value)
    if kind is float or kind is int:
        if len(place) != len(shape) or shaped.dtype.kind != "f":
            return False
    elif kind is Number:
        if len(place) != len(shape) or shaped.dtype != np.float64:
            return False
    elif kind in ARRAYS:
        value = value._t
        if value._data.shape != shape[len(place) :] or value._data.dtype != shaped.dtype:
            return False
    elif kind is np.float64 and shaped.dtype == np.float64 and len(place) == len(shape):
        value = float(value)
    else:
        return False
    return a._wait(place if len(place) > 1 else place[0], value)


def put(t: Tensor, index: tuple[Any, ...], value: Any) -> Tensor:
    """A tensor with ``value`` (a tensor or an array, broadcast and cast) at an index."""
    index, basic = numpy_index(index, t._data.ndim)
    value = fitting_dtype(value, t)
    if _known(t) and _known(value) and not any(isinstance(k, Tensor) for k in index):
        data = t._data.copy()
        data[index] = content_data(value)
        return wrap(data)
    if basic:
        step = BasicIndex(index)
        return step.put(t, broadcast(value, sizes(step.taken(t))))
    steps, arrays = split(t._data.shape, index)
    if arrays is None:
        assert steps is not None
        step = BasicIndex(steps)
        return step.put(t, broadcast(value, sizes(step.taken(t))))
    if steps is not None and any(type(k) is not slice or k != FULL for k in steps):
        step = BasicIndex((*steps, ...))
        return step.put(t, _put_at(step.taken(t), arrays, value))
    return _put_at(t, arrays, value)


def _put_at(t: Tensor, arrays: tuple[Any, ...], value: Any) -> Tensor:
    places = tuple([k._data if isinstance(k, Tensor) and not recorded(k) and k._extra is None else k for k in arrays])
    shape = t._data[tuple([content_data(k) for k in places])].shape
    new: Tensor = _put(t, broadcast(value, shape), places, False)
    return new


def broadcast(value: Any, shape: tuple[int, ...]) -> Any:
    """A value in the shape of what it is written to; NumPy lets go of dimensions of size 1 in front."""
    have = sizes(value)
    if tuple(have) == tuple(shape):
        return value if isinstance(value, Tensor) else wrap(np.array(value))
    while len(have) > len(shape) and have[0] == 1:
        have = have[1:]
    if tuple(have) != tuple(sizes(value)):
        value = value.reshape(have)
    try:
        np.broadcast_shapes(tuple(map(int, have)), tuple(map(int, shape)))
        fits = len(have) <= len(shape)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"could not broadcast input array from shape {tuple(have)} into shape {tuple(shape)}")
    return expand(value, shape) if isinstance(value, Tensor) else wrap(np.broadcast_to(value, shape).copy())


def fitting_dtype(value: Any, t: Tensor) -> Any:
    """What is written, in the dtype of where it is written to: nothing that is differentiated may be rounded."""
    dtype = t._data.dtype
    value = value if isinstance(value, Tensor) else plain_array(value)
    have = (value._data if isinstance(value, Tensor) else value).dtype
    if have == dtype:
        return value
    if recorded(value) and have.kind in "fc" and (dtype.kind in "iub" or (have.kind == "c" and dtype.kind == "f")):
        raise GradientError(
            f"an array of {dtype} cannot hold what is being differentiated, which is of {have}",
            "It would be rounded, and have no derivative." if have.kind == "f" else "Its imaginary part would be lost.",
            f"Make the array one of {have}: np.zeros_like(x, dtype={have}), a.astype({have}).",
        )  # fmt: skip
    return cast(value, dtype) if isinstance(value, Tensor) else value.astype(dtype)


def content_data(value: Any) -> Any:
    """The numbers of a tensor, an array as it is."""
    return value._data if isinstance(value, Tensor) else value


def filled(before: Tensor, waiting: dict[Any, Any]) -> Tensor:
    """A tensor with the entries (or rows) that waited in their places."""
    live = {k: v for k, v in waiting.items() if type(v) is Number or (isinstance(v, Tensor) and not _known(v))}
    shape = before._data.shape
    if live and len(live) == len(waiting) == shape[0] and type(next(iter(live))) is int:
        return stacked([live[k] for k in range(shape[0])])
    numbers = {k: v for k, v in waiting.items() if k not in live}
    if numbers:
        if not _known(before):
            values = wrap(np.array([content_data(v) for v in numbers.values()], before._data.dtype))
            before = index_put_row(before, values, *_places(list(numbers)), False)
        else:
            data = before._data.copy()
            for k, v in numbers.items():
                data[k] = content_data(v)
            before = wrap(data)
    if not live:
        return before
    new: Tensor = index_put_row(before, stacked(list(live.values())), *_places(list(live)), False)
    return new


def _known(t: Any) -> bool:
    return not isinstance(t, Tensor) or (not recorded(t) and t._extra is None)


def _places(keys: list[Any]) -> tuple[np.ndarray, int, int]:
    """Places as a row takes them: the numbers, from which dimension on, of how many."""
    n, places = depth(keys[0]), np.array(keys)
    return (places if n == 1 else np.ascontiguousarray(places.T)), 0, n


def iterate(self: Array) -> Any:
    """The entries of a row of numbers, the views of the rows of what has more dimensions."""
    shape = self._shaped().shape
    if not shape:
        raise TypeError("iteration over a 0-d array")
    if len(shape) > 1:
        return (subscript(self, k) for k in range(shape[0]))
    return _entries(self, self._t)


def _entries(a: Array, t: Tensor) -> Iterator[Any]:
    """The numbers of a row, each as it is when its turn comes."""
    known = type(t) is Tensor and t._node is None and t._extra is None
    parts: Any = None
    for k in range(t._data.shape[0]):
        if a._waiting is not None or a._t is not t:  # it was written to
            yield subscript(a, k)
        elif known:
            yield t._data[k]
        else:
            number = entry_of(t, k)
            if number is None:
                parts = (METHODS["unbind"](t, 0) if type(t) is Tensor else list(t)) if parts is None else parts
                number = around(parts[k])
            yield number


def whole(k: Any) -> int:
    """A whole number that an array of one element holds."""
    return operator.index(content(k))


Array._filled = staticmethod(filled)

__all__ = ["View", "array_of", "broadcast", "fitting_dtype", "iterate", "put", "set_subscript", "subscript"]
