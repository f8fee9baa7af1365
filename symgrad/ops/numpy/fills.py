"""NumPy's functions that fill, write in place, and count: full_like, linspace, copyto, put, add.at, bincount.

The idea to hold: a write asks an array of numbers where its places are, and is one write by index. An array of NumPy's
cannot take a tensor's history, so into one of those nothing is written: the error says what makes a new array.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ...core import NUMPY, Tensor, unwrap
from ..arguments import (
    as_line,
    found_in,
    is_number,
    is_recorded,
    kind_of,
    known_values,
    ndarray_of,
    rank,
    sizes,
    tensor_like,
)
from ..create.creation import full_like
from ..entries import elementwise as e
from ..entries.arithmetic import neg
from ..entries.copies import cast, clone_row, overwrite
from ..index.index import put_at, scattered
from ..index.pick import bincount, index_select, values_of
from ..shape.shapes import expand, movedim, reshape
from .ufuncs import UFUNC_METHODS, on_tensors, several

# ----------------------------------------------------------------------------------------------------- filling


@on_tensors
def _numpy_full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *,
    device: Any = None,
) -> Any:  # fmt: skip
    value = tensor_like(fill_value)
    if not isinstance(value, Tensor) and not sizes(value) and shape is None:
        return full_like(a, fill_value, dtype=dtype)
    value = cast(value, unwrap(a).dtype if dtype is None else dtype)
    shape = sizes(a) if shape is None else several(shape)
    return clone_row(expand(value, shape), "C")


def _steps(num: int, ndim: int, endpoint: bool) -> np.ndarray:
    """How far along each of ``num`` numbers is, as a column before ``ndim`` dimensions."""
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    count = num - 1 if endpoint else num
    return (np.arange(num) / max(count, 1)).reshape(-1, *(1,) * ndim)


def _spaced(found: Any, dtype: Any, axis: int) -> Any:
    return cast(found if axis == 0 else movedim(found, 0, axis), dtype)


@on_tensors
def _numpy_linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    ends = [v if is_number(v) else np.ones((), ndarray_of(tensor_like(v)).dtype) for v in (start, stop)]
    kind = np.linspace(ends[0], ends[1], 1).dtype
    start, stop = cast(tensor_like(start), kind), cast(tensor_like(stop), kind)
    num = int(num)
    share = _steps(num, max(rank(start), rank(stop)), endpoint)
    found = start * (1 - share) + stop * share  # exact at both ends
    if dtype is not None and np.issubdtype(np.dtype(dtype), np.integer):
        found = e.floor(found)
    found = _spaced(found, kind if dtype is None else dtype, axis)
    count = num - 1 if endpoint else num
    return (found, (stop - start) / count if count else math.nan) if retstep else found


@on_tensors
def _numpy_logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:
    if not is_number(base):
        base = tensor_like(base)
        if rank(base):  # each base beside the ends that it goes with, and the samples along an axis of their own
            ends = [tensor_like(start), tensor_like(stop), base]
            most = max(map(rank, ends))
            start, stop, base = (v.reshape((1,) * (most - rank(v)) + tuple(v.shape)) for v in ends)
            base = np.expand_dims(base, axis)
    return cast(NUMPY[np.power](base, _numpy_linspace(start, stop, num, endpoint, axis=axis)), dtype)


@on_tensors
def _numpy_geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    start, stop = tensor_like(start) * 1.0, tensor_like(stop) * 1.0
    if not np.all(unwrap(stop) / unwrap(start) > 0):
        raise ValueError("np.geomspace on tensors goes from one number to another of the same sign")
    share = _steps(int(num), max(rank(start), rank(stop)), endpoint)
    return _spaced(start * NUMPY[np.power](stop / start, share), dtype, axis)


# --------------------------------------------------------------------------------------------- writing in place


def _into_array(name: str, instead: str) -> NotDifferentiableError:
    return NotDifferentiableError(
        f"{name} would write a tensor that requires grad into an array of numbers, which has no derivative rule",
        "An array has no history: what is computed from it would silently have no gradient.", instead,
    )  # fmt: skip


def _leave_to_numpy(name: str, instead: str, *values: Any) -> Any:
    """What a write into an array of NumPy's is: NumPy's own, if nothing that is written has a history."""
    if any(map(is_recorded, values)):
        raise _into_array(name, instead)
    return NotImplemented


_MAKE = (
    "Make the array from one that is differentiated (np.zeros_like(x)) or with import symgrad.numpy as np, or write "
    "np.where(mask, a, b)."
)


@on_tensors
def _numpy_copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> Any:
    if not isinstance(dst, Tensor):
        frame: Any = sys._getframe(0)
        while frame is not None and frame.f_code.co_name not in ("full_like", "full"):
            frame = frame.f_back if _ours_or_numpys(frame) else None
        if frame is not None and is_recorded(src):
            name = frame.f_code.co_name
            start = "np.full_like(a, value) with an array a" if name == "full_like" else "np.full(shape, value)"
            raise _into_array(start, "Write np.broadcast_to(value, shape), which takes tensors.")
        return _leave_to_numpy("np.copyto", _MAKE, src)
    if where is not True:
        src = e.where(tensor_like(where), src, dst)
    overwrite(dst, src if isinstance(src, Tensor) else np.asarray(src), "np.copyto")
    return None


def _ours_or_numpys(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in ("symgrad", "numpy")


def _put_flat(a: Tensor, places: np.ndarray, values: Any, what: str, source: Any, accumulate: bool = False) -> None:
    """Put values, cycled, at places of the elements in one row; of several for one place the last is what stays.

    ``source`` is where the places were found.
    """
    values = tensor_like(values)
    values = cast(values, unwrap(a).dtype)
    line = as_line(values)
    n = math.prod(sizes(line))
    if not places.size or not n:
        return
    chosen = line if n == places.size else index_select(line, 0, np.arange(places.size) % n)
    if not sizes(a):
        overwrite(a, a + chosen.sum() if accumulate else reshape(chosen[-1:], ()), what)
        return
    put_at(a, tuple(found_in(k, source) for k in np.unravel_index(places, sizes(a))), chosen, accumulate, what)


@on_tensors
def _numpy_put(a: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    if not isinstance(a, Tensor):
        return _leave_to_numpy("np.put", _MAKE, v)
    places, n = np.asarray(known_values(ind, "the places of np.put")).reshape(-1), math.prod(sizes(a))
    if mode == "raise" and places.size and not (places.min() >= -n and places.max() < n):
        raise IndexError(f"np.put: a place is out of bounds for {n} elements")
    _put_flat(a, np.clip(places, 0, n - 1) if mode == "clip" else places % max(n, 1), v, "np.put", ind)
    return None


def _places_of(mask: Any, a: Any, what: str) -> np.ndarray:
    mask = np.asarray(known_values(mask, f"the mask of {what}"))
    if mask.size != math.prod(sizes(a)):
        raise ShapeError(f"{what}: mask and data must be the same size", f"{mask.shape} and {sizes(a)}.", "")
    return np.flatnonzero(mask)


@on_tensors
def _numpy_place(arr: Any, mask: Any, vals: Any) -> Any:
    if not isinstance(arr, Tensor):
        return _leave_to_numpy("np.place", _MAKE, vals)
    _put_flat(arr, _places_of(mask, arr, "np.place"), vals, "np.place", mask)
    return None


@on_tensors
def _numpy_putmask(a: Any, mask: Any, values: Any) -> Any:
    if not isinstance(a, Tensor):
        return _leave_to_numpy("np.putmask", _MAKE, values)
    places, line = _places_of(mask, a, "np.putmask"), as_line(values)
    n = math.prod(sizes(line))
    if n:  # of no values none is put
        _put_flat(a, places, index_select(line, 0, found_in(places % n, mask)), "np.putmask", mask)
    return None


@on_tensors
def _numpy_fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    shape = sizes(a)
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise ShapeError("np.fill_diagonal takes a matrix, or an array of equal sizes", f"The shape is {shape}.", "")
    step = shape[1] + 1 if len(shape) == 2 else 1 + int(np.cumprod(shape[:-1]).sum())
    end = shape[1] * shape[1] if len(shape) == 2 and not wrap else math.prod(shape)
    _put_flat(a, np.arange(math.prod(shape))[:end:step], val, "np.fill_diagonal", None)


@on_tensors
def _numpy_put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> Any:
    if not isinstance(arr, Tensor):
        return _leave_to_numpy("np.put_along_axis", _MAKE, values)
    numbers = np.arange(math.prod(sizes(arr))).reshape(sizes(arr))
    flat = np.take_along_axis(numbers, np.asarray(known_values(indices, "the places of np.put_along_axis")), axis)
    values = tensor_like(values)
    while rank(values) > flat.ndim and sizes(values)[0] == 1:  # as in an assignment
        values = reshape(values, sizes(values)[1:])
    _put_flat(arr, flat.reshape(-1), expand(values, flat.shape), "np.put_along_axis", indices)
    return None


def _ufunc_at(sign: Callable[[Any], Any], name: str) -> Callable[..., Any]:
    instead = (
        "Write np.bincount(places, weights=x, minlength=n), or sg.index_add(a, 0, places, x), which make a new one."
    )

    def at(a: Any, indices: Any, b: Any) -> Any:
        if not isinstance(a, Tensor):
            return _leave_to_numpy(f"np.{name}.at", instead, b)
        what = f"the places of np.{name}.at"
        index = (
            tuple(known_values(k, what) for k in indices) if isinstance(indices, tuple) else known_values(indices, what)
        )
        flat = np.arange(math.prod(sizes(a))).reshape(sizes(a))[index]
        values = expand(tensor_like(sign(b)), flat.shape)
        _put_flat(a, flat.reshape(-1), values, f"np.{name}.at", indices, True)
        return None

    return at


# ---------------------------------------------------------------------------------------------------- counting


@on_tensors
def _numpy_bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    places = np.asarray(known_values(x, "counting"))
    if places.dtype.kind not in "iu" or weights is None:
        return bincount(x, weights, minlength)
    weights = tensor_like(weights)
    if sizes(weights) != places.shape or places.ndim != 1:
        raise ValueError("np.bincount: the weights and list don't have the same length.")
    if kind_of(weights) == "c":
        raise TypeError("np.bincount: weights are real; take weights.real and weights.imag")
    if places.size and places.min() < 0:
        raise ValueError("'list' argument must have no negative elements")
    length = max(minlength, int(places.max(initial=-1)) + 1)
    return scattered(cast(weights, np.float64), found_in(places.astype(np.int64), x), 0, (length,))


@on_tensors
def _numpy_unique(ar: Any, *args: Any, **kwargs: Any) -> Any:
    numbers = unwrap(ar)
    if is_recorded(ar) and type(ar) is Tensor and np.unique(numbers).size == numbers.size and not args[3:]:
        asked = {**dict(zip(_ASKED, args)), **kwargs}
        if asked.get("axis") is None:  # all are different, and stay so nearby: they are sorted
            found = np.unique(numbers, **{**asked, "return_index": True})
            values = index_select(as_line(ar), 0, found_in(found[1], ar))
            rest = [found_in(v, ar) for v in (found[1:] if asked.get("return_index") else found[2:])]
            return (values, *rest) if rest else values
    found = np.unique(values_of(ar, "np.unique"), *args, **kwargs)
    return tuple(found_in(v, ar) for v in found) if isinstance(found, tuple) else found_in(found, ar)


_ASKED = ("return_index", "return_inverse", "return_counts")


UFUNC_METHODS[np.add, "at"] = _ufunc_at(lambda b: b, "add")
UFUNC_METHODS[np.subtract, "at"] = _ufunc_at(lambda b: neg(b) if isinstance(b, Tensor) else -np.asarray(b), "subtract")
