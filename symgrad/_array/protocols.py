"""NumPy's functions and square brackets on arrays that are differentiated: ``np.sin(a)``, ``a[i] = b``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from .._errors import DimensionError, DTypeError, GradientError, ShapeError, SymgradError, compose
from .._trees import container_like
from ..core import (
    Dim,
    Symbol,
    Tensor,
    content,
    hush,
    modes,
    of_numpy,
    plain_array,
    refuse_no_numbers,
    tensor_around,
    unhush,
    wrap,
)
from ..ops import METHODS, found_in, is_recorded, known_values, numpys, rests_on_values, sizes
from ..ops.entries import cast, clone_row
from ..ops.index import FULL, getitem, index_put_row, put_at_index, split_index
from ..ops.shape import expand
from .ndarray import (
    ARRAYS,
    SCALARS,
    Array,
    BasicIndex,
    Entries,
    Indexed,
    Number,
    Owner,
    Strided,
    ViewFunction,
    array_around,
    array_of,
    as_numpys,
    constant,
    depth,
    entry_of,
    is_known,
    is_shown_as,
    lies_apart,
    part_at,
    replaced,
    same_view,
    stacked,
    view_of,
)
from .pieces import has_pieces, is_of_objects, no_room, tensor_of

# ---------------------------------------------------------- Square brackets as NumPy means them: reading, and writing

# The idea to hold: beside an array of places an integer is a place too, and takes part in the layout (PyTorch takes the
# integers first). Entries written one by one wait and are put in together, so that a loop of n writes takes n steps.


_mode = modes.mode.get
_BOUNDS = frozenset([int, type(None)])
_WHOLE = frozenset([int, np.int64, np.int32])

# ------------------------------------------------------------------------------------------------------ reading


def subscript(self: Array, index: Any) -> Any:
    """``self[index]``: a number, a view, or a copy where arrays or masks pick."""
    if type(self) in SCALARS and type(index) is int:  # as Python does that goes through a number
        raise TypeError(
            compose(
                "invalid index to scalar variable: a number has no entries to go through",
                f"The index is {index}.",
                "Use the number itself, or keep its axis: x[k : k + 1].",
            )
        )
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
                return array_around(part_at(t, index))
            if type(self) is Owner:
                self.__class__ = Indexed
                self._numbers = {index: found}
            return found
        index = (index,)
    elif type(index) is not tuple:
        index = (index,)
    if index and _is_of_slices(index):
        t = self._t
        if type(t) is Tensor and len(index) <= t._data.ndim:
            return view_of(self, (BasicIndex(index),), getitem(t, index))
    elif self._waiting is not None and all(type(k) is int for k in index):
        found = _waiting_at(self, index)
        if found is not None:
            return found
    t = self._t
    index, basic = numpy_index(index, t._data.ndim)
    part = part_at(t, index)
    if not basic:
        return array_around(_as_picked(part, t, index) if part._data.ndim > 1 else part)
    if not part._data.ndim and not any(k is ... for k in index):
        return array_around(part)
    return view_of(self, (BasicIndex(index),), part)


def _is_of_slices(index: tuple[Any, ...]) -> bool:
    """Whether an index is slices from number to number, ``1:, :-1``, the commonest."""
    for k in index:
        if type(k) is not slice or type(k.start) not in _BOUNDS or type(k.stop) not in _BOUNDS or k.step is not None:
            return False
    return True


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


def _as_picked(part: Tensor, t: Tensor, index: Any) -> Tensor:
    """What places pick, lying as NumPy's: picked at the first dimension of what lies in C order, it does so too."""
    if len(index) == 1 and t._data.flags.c_contiguous:
        return part
    return as_numpys(part, lambda: t._data[numbers_of(index)])


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
        value = part_at(a._before, place)
    elif type(value) is not Tensor and not isinstance(value, Tensor):
        return np.asarray(value, a._before._data.dtype)[()]
    return array_around(value) if len(place) == len(shape) else view_of(a, (BasicIndex(place),), value)


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
    parts = []
    arrays = points = False
    for k in index:
        kind = type(k)
        if kind is int or kind is slice or k is None or k is ...:
            parts.append(_with_numbers(k) if kind is slice else k)
            continue
        points |= kind is np.ndarray or kind is Owner  # an integer, if of no dimensions: but what it gives is a copy
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
    if numbers_of(k).dtype == np.uint8:
        k = cast(k, np.dtype(np.int64))  # a mask to PyTorch
    if numbers_of(k).dtype.kind not in "iub":
        if not sizes(k) or sizes(k)[0] or isinstance(k, Tensor):
            raise DimensionError(
                "arrays used as indices must be of integer (or boolean) type",
                f"The index has shape {tuple(sizes(k))} and dtype {numbers_of(k).dtype}.",
                "Make whole numbers of it, k.astype(int), or write a comparison for a mask.",
            )
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
    if is_known((t, value)) and not any(isinstance(k, Tensor) for k in index):
        data = t._data.copy()
        data[index] = numbers_of(value)
        return wrap(data)
    steps, arrays = (index, None) if basic else split_index(t._data.shape, index)
    if arrays is None:
        step = BasicIndex(steps)
        return step.put(t, broadcast(value, sizes(step.taken(t))))
    if steps is not None and any(type(k) is not slice or k != FULL for k in steps):
        step = BasicIndex((*steps, ...))
        return step.put(t, _put_at(step.taken(t), arrays, value))
    return _put_at(t, arrays, value)


def _put_at(t: Tensor, arrays: tuple[Any, ...], value: Any) -> Tensor:
    places = tuple([numbers_of(k) if is_known(k) else k for k in arrays])
    shape = t._data[numbers_of(places)].shape
    return put_at_index(t, broadcast(value, shape), places, False)


def broadcast(value: Any, shape: tuple[int, ...]) -> Any:
    """A value in the shape of what it is written to; NumPy lets go of dimensions of size 1 in front."""
    have = sizes(value)
    if have == shape:
        return value if isinstance(value, Tensor) else wrap(np.array(value))
    while len(have) > len(shape) and have[0] == 1:
        have = have[1:]
    if have != sizes(value):
        value = value.reshape(have)
    try:
        np.broadcast_shapes(tuple(map(int, have)), tuple(map(int, shape)))
        fits = len(have) <= len(shape)
    except ValueError:
        fits = False
    if not fits:
        raise ShapeError(
            f"could not broadcast input array from shape {have} into shape {shape}",
            "What is written has the shape of its place, or sizes of 1 that repeat.",
            "Write to as many places as there are values, or take a part: a[:2] = x[:2].",
        )
    return expand(value, shape) if isinstance(value, Tensor) else wrap(np.broadcast_to(value, shape).copy())


def fitting_dtype(value: Any, t: Tensor) -> Any:
    """What is written, in the dtype of where it is written to: nothing that is differentiated may be rounded."""
    dtype = t._data.dtype
    value = value if isinstance(value, Tensor) else plain_array(value)
    have = numbers_of(value).dtype
    if have == dtype:
        return value
    if is_recorded(value) and have.kind in "fc" and (dtype.kind in "iub" or (have.kind == "c" and dtype.kind == "f")):
        raise GradientError(
            f"an array of {dtype} cannot hold what is being differentiated, which is of {have}",
            "It would be rounded, and have no derivative." if have.kind == "f" else "Its imaginary part would be lost.",
            f"Make the array one of {have}: np.zeros_like(x, dtype={have}), a.astype({have}).",
        )  # fmt: skip
    if have.kind == "c" and dtype.kind != "c" and not isinstance(value, Tensor) and not value.ndim and value.imag:
        raise DTypeError(
            f"an array of {dtype} cannot hold the complex number {value.item()}", "Its imaginary part would be lost.",
            f"Make the array one of {have}: a.astype({have}).",
        )  # fmt: skip
    return cast(value, dtype)


def filled(before: Tensor, waiting: dict[Any, Any]) -> Tensor:
    """A tensor with the entries (or rows) that waited in their places."""
    live = {k: v for k, v in waiting.items() if type(v) is Number or not is_known(v)}
    shape = before._data.shape
    if live and len(live) == len(waiting) == shape[0] and type(next(iter(live))) is int:
        return stacked([live[k] for k in range(shape[0])])
    numbers = {k: v for k, v in waiting.items() if k not in live}
    if numbers:
        if not is_known(before):
            values = wrap(np.array([numbers_of(v) for v in numbers.values()], before._data.dtype))
            before = index_put_row(before, values, *_places(list(numbers)), False)
        else:
            data = before._data.copy()
            for k, v in numbers.items():
                data[k] = numbers_of(v)
            before = wrap(data)
    if not live:
        return before
    if len(live) == 1:  # an entry, or a row: a step of a loop writes so
        ((k, value),) = live.items()
        places = [k] if type(k) is int else list(k)
        part = value._t if type(value) is Number else value
        return replaced(before, part, places + [FULL] * (len(shape) - len(places)))
    return index_put_row(before, stacked(list(live.values())), *_places(list(live)), False)


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
    known = is_known(t)
    parts = None
    for k in range(t._data.shape[0]):
        if a._waiting is not None or a._t is not t:  # it was written to
            yield subscript(a, k)
        elif known:
            yield t._data[k]
        else:
            number = entry_of(t, k)
            if number is None:
                parts = (METHODS["unbind"](t, 0) if type(t) is Tensor else list(t)) if parts is None else parts
                number = array_around(parts[k])
            yield number


Array._filled = staticmethod(filled)


# -------------------------------------------------------------------------------------------------------------------
# NumPy's functions on arrays that are differentiated: ``np.sin(a)``, ``np.max(a, axis=1)``, ``np.add.at(a, i, b)``

# The idea to hold: a call is unpacked to tensors and goes to the table's function of that name. What is known, with no
# history, NumPy computes itself. What a function writes to (``out=``, ``np.copyto``) is an array that gets other
# values.


# ------------------------------------------------------------------------------------------ arguments, and results


def numbers_of(value: Any) -> Any:
    """Arguments as NumPy takes them: the numbers of tensors."""
    if isinstance(value, Tensor):
        return value._data
    if isinstance(value, (list, tuple)):
        return container_like(value, list(map(numbers_of, value)))
    if isinstance(value, dict):
        return {k: numbers_of(v) for k, v in value.items()}
    return value


def by_numpy(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What NumPy's function makes of the numbers of tensors."""
    state = hush()
    try:
        return function(*map(numbers_of, args), **numbers_of(kwargs))
    finally:
        unhush(state)


def to_arrays(value: Any) -> Any:
    """Results as a function of arrays sees them: arrays for tensors and for NumPy's, in their containers."""
    if isinstance(value, Tensor):
        return array_around(value)
    if type(value) is np.ndarray:
        return constant(value) if value.ndim and value.dtype.kind in "biufc" else value
    if isinstance(value, (tuple, list)):
        return container_like(value, list(map(to_arrays, value)))
    return value


def to_tensors(value: Any) -> Any:
    """Arguments as the table takes them: tensors for arrays, and for lists that hold some."""
    if type(value) in ARRAYS:
        return value._t
    if isinstance(value, FunctionType | MethodType | partial):
        return _of_arrays(value)
    if isinstance(value, (list, tuple)):
        if any(type(v) in ARRAYS or isinstance(v, _HOLDERS) for v in value):
            return container_like(value, list(map(to_tensors, value)))
        return value
    if is_of_objects(value) and has_pieces(value):
        return tensor_of(value)
    if isinstance(value, dict):
        return {k: to_tensors(v) for k, v in value.items()}
    return value


_HOLDERS = (list, tuple, dict, np.ndarray, FunctionType, MethodType, partial)


def _of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the user's that NumPy's calls (`np.apply_along_axis`): what it gets are arrays."""

    def called(*args: Any, **kwargs: Any) -> Any:
        found = function(*map(to_arrays, args), **{k: to_arrays(v) for k, v in kwargs.items()})
        return tensor_of(found) if has_pieces(found) else found

    return called


# ---------------------------------------------------------------------------------------------------------- errors


def name_operation(error: Exception, name: str, args: Any, kwargs: dict[str, Any]) -> None:
    """Have the error of a call say which function of NumPy's was called, and with what; not one of the user's own."""
    if isinstance(error, SymgradError):
        error.name_operation(name)
        return
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    library = "" if step is None else str(step.tb_frame.f_globals.get("__name__")).partition(".")[0]
    if library in ("symgrad", "numpy") and len(error.args) == 1 and "\n" not in str(error):
        what = str(error)
        said = what if what.startswith(name) else f"{name}: {what}"
        given = [_shown(v) for v in args] + [f"{k}={_shown(v)}" for k, v in kwargs.items()]
        error.args = (compose(said, f"{name} got {', '.join(given)}."),)


def _shown(value: Any) -> str:
    """An argument in a message: the shape and dtype of an array, what a number or a text is."""
    if type(value) in ARRAYS:
        value = value._shaped()
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.shape} {value.dtype}"
    if type(value) in (list, tuple) and len(value) <= 4:
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, (float, complex, str, slice)) or (
        isinstance(value, int) and np.asarray(value).dtype != object
    ):
        return repr(value)[:60]  # Python refuses to write out the longest whole numbers
    return type(value).__name__


# ---------------------------------------------------------------------------------------------------------- ufuncs


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A ufunc that met an array of ours."""
    if method == "at":
        return _at(ufunc, inputs)
    if kwargs:
        kwargs = dict(kwargs)
        out = kwargs.pop("out", None)
        outs = out if type(out) is tuple else (out,)
        where = kwargs.pop("where", True) if method == "__call__" else True  # a reduction's says what is reduced
        if any(o is not None for o in outs):
            return _into(ufunc, method, inputs, kwargs, outs, where)
        if where is not True:
            kwargs["where"] = where
        if "where" in kwargs:
            kwargs["where"] = to_tensors(kwargs["where"])
    try:
        return to_arrays(_ufunc(ufunc, method, inputs, kwargs))
    except (SymgradError, ValueError, TypeError, IndexError) as error:
        name = numpys.public_name(ufunc)
        name_operation(error, name if method == "__call__" else f"{name}.{method}", inputs, kwargs)
        raise


def _ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    count = 1 if method in _REDUCING else len(inputs)
    values = [v if _is_number(v) else tensor_of(v) for v in inputs[:count]]
    values += [to_tensors(v) for v in inputs[count:]]
    if is_known((*values, *kwargs.values())) and Dim not in map(type, values):
        return by_numpy(getattr(ufunc, method), values, kwargs)
    fitting = promoted(values) if method == "__call__" or method == "outer" else values
    found = numpys.ufunc_on_tensors(ufunc, method, tuple(fitting), kwargs)
    told = "order" in kwargs or (
        lies_apart(values) and (method != "__call__" or ufunc in _AS_IT_IS or any(map(_repeats, values)))
    )
    return as_numpys(found, lambda: by_numpy(getattr(ufunc, method), values, kwargs)) if told else found


_REDUCING = frozenset(["reduce", "accumulate", "reduceat"])
_AS_IT_IS = frozenset(
    [np.positive, np.conjugate, *[getattr(np, n) for n in ("vecdot", "matvec", "vecmat") if hasattr(np, n)]]
)
"""Of which a tensor's may be the operand itself, or lies in C order where NumPy's lies as the operands do."""


def _repeats(v: Any) -> bool:
    """Whether a plain array is a broadcast one, which has no order for NumPy: a graph keeps a copy of it, which has."""
    return isinstance(v, np.ndarray) and v.ndim > 1 and 0 in v.strides


def _is_number(v: Any) -> bool:
    kind = type(v)
    return kind is float or kind is int or kind is complex or kind is bool or kind is Dim


def promoted(values: list[Any]) -> list[Any]:
    """Operands of unlike dtypes in the one that NumPy computes in, where that is one of floating-point numbers."""
    dtypes = {(v._data if isinstance(v, Tensor) else v).dtype for v in values if not _is_number(v)}
    if len(dtypes) < 2:
        return values
    for v in values:
        if isinstance(v, (np.ndarray, np.generic)):
            refuse_no_numbers(v)
    weak = [0 if type(v) is Dim else type(v)(0) for v in values if _is_number(v)]
    want = np.result_type(*dtypes, *weak)
    if want.kind not in "fc":
        return values
    return [v if _is_number(v) else cast(v, want) for v in values]


def _at(ufunc: Any, inputs: tuple[Any, ...]) -> None:
    """``ufunc.at(a, places, b)``: computed on a copy, which the array becomes."""
    a, places, *values = inputs
    places, values = to_tensors(places), [v if _is_number(v) else tensor_of(v) for v in values]
    sums, of_pieces = ufunc is np.add or ufunc is np.subtract, is_of_objects(a)
    if type(a) not in ARRAYS and not of_pieces:
        if any(map(is_recorded, values)):
            if sums:
                numpys.ufunc_on_tensors(ufunc, "at", (a, places, *values), {})  # which says what to do
            raise no_room(f"{numpys.public_name(ufunc)}.at")
        ufunc.at(a, *numbers_of((places, *values)))
        return
    values = [v if of_pieces or _is_number(v) else fitting_dtype(v, a._t) for v in values]
    if not of_pieces and is_known((a._t, places, values)):
        data = a._t._data.copy()
        ufunc.at(data, *numbers_of((places, *values)))
        a._set(wrap(data))
        return
    whole = a if of_pieces else a._shaped()
    shape, sources = whole.shape, list(places) if isinstance(places, (tuple, list)) else [places]
    for k in sources:
        known_values(k, f"the places of {numpys.public_name(ufunc)}.at")
    flat = np.arange(whole.size).reshape(shape)[numbers_of(places)]
    others = [broadcast(v, flat.shape).reshape(-1) for v in map(tensor_of, values)]
    flat = flat.reshape(-1)
    if of_pieces:  # one by one, as NumPy does it
        for k, at in enumerate(zip(*np.unravel_index(flat, shape), strict=True)):
            own = array_around(tensor_of(found_in(np.asarray(k), *sources)))
            a[at] = ufunc(a[at], *[array_around(v)[own] for v in others])
    elif not sums:
        _in_rounds(ufunc, a, flat, others, sources)
    elif flat.size:
        value = cast(others[0] if ufunc is np.add else -others[0], a._t._data.dtype)
        index = tuple([found_in(k, *sources) for k in np.unravel_index(flat, shape or (1,))])
        a._set(put_at_index(a._t, value, index, True) if shape else a._t + value.sum())


def _in_rounds(ufunc: Any, a: Any, flat: np.ndarray, others: list[Any], sources: list[Any]) -> None:
    """``ufunc.at`` in as many rounds as one place is named times: in each round all places are different."""
    line, others = np.ravel(a).copy(), list(map(array_around, others))
    order = np.argsort(flat, kind="stable")
    first = np.r_[True, flat[order][1:] != flat[order][:-1]] if flat.size else np.zeros(0, bool)
    start = np.maximum.accumulate(np.where(first, np.arange(flat.size), 0))
    turn = np.empty(flat.size, int)
    turn[order] = np.arange(flat.size) - start
    for k in range(int(turn.max(initial=-1)) + 1):
        now = np.flatnonzero(turn == k)
        at, own = (array_around(tensor_of(found_in(v, *sources))) for v in (flat[now], now))
        line[at] = call_ufunc(ufunc, "__call__", (line[at], *[v[own] for v in others]), {})
    a._set(tensor_of(line.reshape(a._shaped().shape)))


def _into(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: Any, out: tuple[Any, ...], where: Any) -> Any:
    """A ufunc with ``out=``: computed beside, then written to the arrays."""
    found = _ufunc(ufunc, method, inputs, kwargs)
    results = found if isinstance(found, tuple) else (found,)
    for target, result in zip(out, results, strict=True):
        if target is not None:
            if type(target) in ARRAYS and method == "__call__" and ufunc.signature is None:
                result = broadcast(tensor_of(result), sizes(target._t))
            write_to(target, result, f"{numpys.public_name(ufunc)}(out=)", where)
    carriers = [to_arrays(r) if o is None else o for o, r in zip(out, results, strict=True)]
    return tuple(carriers) if isinstance(found, tuple) else carriers[0]


def write_to(target: Any, result: Any, what: str, where: Any = True, casting: Any = "same_kind") -> None:
    """Write a result to an array, where a mask says."""
    result = tensor_of(result)
    if type(target) not in ARRAYS or type(target) in SCALARS:
        if isinstance(target, Tensor):
            target.copy_(tensor_around(result))
            return
        if where is True and type(target) is np.ndarray and target.dtype == object:  # x -= x.mean() of np.array(x)
            pieces = to_arrays(broadcast(result, target.shape))
            for place in np.ndindex(target.shape):
                target[place] = pieces[place]
            return
        if is_recorded(result) or (where is not True and is_recorded(tensor_of(where))):
            raise no_room(what)
        np.copyto(target, numbers_of(result), casting, where=numbers_of(where if where is True else tensor_of(where)))
        return
    before = target._t
    dtype, have = before._data.dtype, numbers_of(result).dtype
    if not np.can_cast(have, dtype, casting):
        raise TypeError(f"{what}: cannot cast the output from {have!r} to {dtype!r} with casting rule {casting!r}")
    shape = sizes(before)
    if where is not True:
        where = tensor_of(where)
        new = numpys.function_on_tensors(np.where, (where, broadcast(fitting_dtype(result, before), shape), before), {})
        target._set(new)
        return
    if sizes(result) != shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {shape} doesn't match the broadcast shape "
            f"{sizes(result)} ({what})"
        )
    new = fitting_dtype(result, before)
    target._set(new if isinstance(new, Tensor) else wrap(np.array(new)))


# ------------------------------------------------------------------------------------------------------- functions

Writer = Callable[..., Any]
WRITERS: dict[Any, str] = {
    np.copyto: "dst", np.put: "a", np.place: "arr", np.putmask: "a", np.fill_diagonal: "a", np.put_along_axis: "arr",
}  # fmt: skip
"""Functions that write to their first argument, and its name."""

VIEWS: set[Any] = {
    np.reshape, np.ravel, np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis, np.squeeze,
    np.expand_dims, np.diagonal, np.diag, np.atleast_1d, np.atleast_2d,
    np.atleast_3d, np.linalg.diagonal, np.linalg.matrix_transpose, np.broadcast_to,
    np.lib.stride_tricks.sliding_window_view, np.permute_dims,
}  # fmt: skip
"""Functions whose result shares memory with their argument, wherever NumPy's does."""

_UNSTACK = getattr(np, "unstack", np.split)
PARTS: set[Any] = {np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, _UNSTACK}
"""Functions that give several views."""

SAME: dict[Any, Any] = {
    np.ndim: lambda a: np.ndim(a) if type(a) not in ARRAYS else a.ndim,
    np.shape: lambda a: np.shape(a) if type(a) not in ARRAYS else a.shape,
    np.copy: lambda a, order="K", subok=False: a.copy(order),
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
}
"""Functions that this package computes for arrays in its own way (see `own_way`)."""


def by_table(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the table's function of that name gives, of arrays an array."""
    args, kwargs = tuple(map(to_tensors, args)), to_tensors(kwargs) if kwargs else kwargs
    return to_arrays(_as_numpy_lays(func, on_tensors(func, args, kwargs), args, kwargs))


def _as_numpy_lays(func: Any, found: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What the table's function found, lying as NumPy's: as it is where it and the operands lie in C order."""
    if not lies_apart((found, *args, *kwargs.values())):
        return found
    if func in _PRODUCTS:
        return as_numpys(found, lambda: np.empty(found._data.shape))
    if _only_computes(func, args):
        return found
    return as_numpys(found, lambda: by_numpy(_LYING.get(func, func), args, kwargs))


_PRODUCTS = frozenset([np.dot, np.inner, np.tensordot, np.cov, np.corrcoef])
"""What lies in C order, whatever it is of: to ask NumPy would be to compute it again."""
_LYING: dict[Any, Callable[..., Any]] = {np.piecewise: lambda x, *rest, **words: np.zeros_like(x)}
"""What lies as the results of functions that call the user's."""


def _only_computes(func: Any, args: tuple[Any, ...]) -> bool:
    """Whether it is not worth while to ask NumPy how a result lies: it computes long, or calls functions."""
    return (".linalg" in getattr(func, "__module__", "") and not func.__name__.endswith(("norm", "vecdot"))) or any(
        isinstance(a, FunctionType | MethodType | partial) for a in args
    )


def call_function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy's that met an array of ours."""
    try:
        if len(args) == 1 and not kwargs and func not in _APART and type(args[0]) in ARRAYS:  # the commonest
            t, row = args[0]._t, of_numpy[func]
            if row is not None and t._node is not None and (t._data.ndim < 2 or t._data.flags.c_contiguous):
                found = row(t)
                small = type(found) is Tensor and found._data.ndim < 2
                return array_around(found) if small else to_arrays(_as_numpy_lays(func, found, (t,), {}))
        return _any_call(func, args, kwargs)
    except (SymgradError, ValueError, TypeError, IndexError) as error:
        name_operation(error, numpys.public_name(func), args, kwargs)
        raise


def _any_call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    own = SAME.get(func)
    if own is not None:
        return own(*args, **kwargs)
    if func in WRITERS:
        return _written(func, args, kwargs)
    out = kwargs.get("out") if kwargs else None
    if out is not None:
        kwargs = {k: v for k, v in kwargs.items() if k != "out"}
    first: Any = args[0] if args else None
    if func in VIEWS and type(first) in ARRAYS and out is None:
        return _viewed(func, first, args[1:], kwargs)
    if func is np.einsum and len(args) == 2 and type(args[1]) in ARRAYS and out is None:  # of one operand
        return _viewed(lambda a, equation, **words: np.einsum(equation, a, **words), args[1], (first,), kwargs)
    if func in PARTS and type(first) in ARRAYS:
        return _parts(func, first, args[1:], kwargs)
    if out is None:
        return by_table(func, args, kwargs)
    found = on_tensors(func, to_tensors(args), to_tensors(kwargs))
    write_to(out[0] if type(out) is tuple else out, found, f"{numpys.public_name(func)}(out=)")
    return out


_APART = {*SAME, *WRITERS, *VIEWS, *PARTS}


def own_way(func: Any, call: Callable[..., Any]) -> None:
    """Let a function of NumPy's be computed for arrays by one of this package's."""
    SAME[func] = call
    _APART.add(func)


def on_tensors(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The table's function of that name; NumPy's own where all is known."""
    if args and isinstance(args[0], Tensor) and args[0]._node is not None:
        return numpys.function_on_tensors(func, args, kwargs)
    if is_known((*args, *kwargs.values())):
        return _own_memory(by_numpy(func, args, kwargs))
    return numpys.function_on_tensors(func, args, kwargs)


def _own_memory(found: Any) -> Any:
    if type(found) is np.ndarray:
        return found if found.base is None and found.flags.writeable else found.copy()
    if isinstance(found, (tuple, list)) and not hasattr(found, "_fields"):
        return type(found)(map(_own_memory, found))
    return found


def by_strides(a: Array, shape: Any, strides: Any) -> Any:
    """The view that NumPy's as_strided gives: its entries are found by where they lie."""
    data = a._lying()
    given = [d if v is None else (v,) if isinstance(v, int) else tuple(v) for v, d in
             ((shape, data.shape), (strides, data.strides))]  # fmt: skip
    step = Strided(data, *given)
    return view_of(a, (step,), step.taken(a._t))


def _viewed(func: Any, a: Array, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    rest, kwargs = to_tensors(rest), to_tensors(kwargs)

    def function(x: Any) -> Any:
        return func(x, *rest, **kwargs)

    t = a._t
    found = function(t)
    if isinstance(found, tuple):  # several arguments of atleast_1d
        return tuple(map(array_around, found))
    if not isinstance(found, Tensor):
        return found
    if type(a) in SCALARS and not found._data.ndim:
        return array_around(found)
    if type(t) is Symbol:
        shares = np.may_share_memory(found._data, t._data)
    else:
        data = a._lying()
        shares = np.may_share_memory(func(data, *rest, **kwargs), data)
    return view_of(a, (ViewFunction(function),), found) if shares and type(a) not in SCALARS else array_of(found)


def _parts(func: Any, a: Array, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    rest, kwargs = to_tensors(rest), to_tensors(kwargs)

    def part(k: int) -> Callable[[Any], Any]:
        return lambda x: func(x, *rest, **kwargs)[k]

    found = func(a._t, *rest, **kwargs)
    views = [view_of(a, (ViewFunction(part(k)),), t) if t._data.ndim else array_around(t) for k, t in enumerate(found)]
    return tuple(views) if func is not np.split and func is _UNSTACK else views


def _written(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function that writes to its first argument: it writes to a copy, which the array becomes."""
    key = WRITERS[func]
    target = args[0] if args else kwargs[key]
    rest = tuple([tensor_of(v) if has_pieces(v) else v for v in args[1:]])
    kwargs = {k: tensor_of(v) if has_pieces(v) else v for k, v in kwargs.items() if k != key}
    if type(target) not in ARRAYS:
        if any(is_recorded(v) for v in (*rest, *kwargs.values())):
            numpys.function_on_tensors(func, (target, *rest), kwargs)  # which says what to write instead
            raise no_room(numpys.public_name(func))
        return func(target, *numbers_of(rest), **numbers_of(kwargs))
    if func is np.copyto:
        src = rest[0] if rest else kwargs["src"]
        where, casting = kwargs.get("where", True), kwargs.get("casting", "same_kind")
        shape = sizes(target._t)
        return write_to(target, broadcast(tensor_of(src), shape), "np.copyto", where, casting)
    t = clone_row(target._t, "C")
    if is_known((t, *rest, *kwargs.values())):
        func(t._data, *numbers_of(rest), **numbers_of(kwargs))
    else:
        numpys.function_on_tensors(func, (t, *rest), kwargs)
    target._set(t)
    return None
