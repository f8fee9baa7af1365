"""NumPy's functions of shape and place: those that move, choose, cut, pad and put together."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, NotDifferentiableError, ShapeError
from ..._typing import as_dtype
from ...core import NUMPY, Tensor, no_cotangents, reachable, tangent_of, unwrap
from ..arguments import (
    alike,
    as_line,
    axis_of,
    common_kind,
    constant_number,
    found_in,
    integers_of,
    is_recorded,
    kind_of,
    known_values,
    many_dims,
    numbers_only,
    rank,
    sizes,
    tensor_like,
)
from ..entries import elementwise as e
from ..entries.arithmetic import allclose, clamp, isclose, round, where
from ..entries.copies import cast, clone_row
from ..index.index import at_dim, getitem
from ..index.pick import index_select, take
from ..linalg.linear_systems import is_complex
from ..public import FUNCTIONS
from ..reduce.sums import mean
from ..shape.joins import Pad, border_pad, border_places, cat, constant_pad, stack, vstack
from ..shape.moves import tril, triu
from ..shape.shapes import as_strided, expand, movedim, ravel, reshape, squeeze, swapaxes, transpose, unsqueeze
from ..statistics.summaries import along_axis
from .ufuncs import KEYWORDS, called, numbers, on_numbers, on_tensors, resized, several, tensors_in

# -------------------------------------------------------------------------------------------------------------------
# NumPy's functions of shape and place, and entry by entry, that have no namesake in PyTorch, or other arguments

# The idea to hold: a function that only moves elements is asked once, on their numbers, where each goes; the rest is
# one `take`. So insert, delete and the like have NumPy's meaning of every argument, and are linear.


# ------------------------------------------------------------------------------------ questions about shapes


@on_tensors
def _numpy_size(a: Any, axis: Any = None) -> Any:
    shape = sizes(a)
    return math.prod(shape if axis is None else (shape[k] for k in several(axis)))


@on_tensors
def _numpy_ndim(a: Any) -> int:
    _refuse_concatenator(a)
    return rank(a)


_BRACKETS = type(np.r_).__getitem__.__code__  # np.c_ inherits the same


def _refuse_concatenator(a: Any) -> None:
    """Raise if ``np.r_`` or ``np.c_`` asks (which makes arrays of its parts, whatever they are)."""
    frame: Any = sys._getframe(2)
    while frame is not None and is_recorded(a):
        if frame.f_code is _BRACKETS:
            columns = frame.f_locals["self"] is np.c_
            instead = "np.column_stack([a, b])" if columns else "np.concatenate([a, b])"
            raise NotDifferentiableError(
                f"{'np.c_' if columns else 'np.r_'}[…] on a tensor that requires grad has no derivative rule",
                "NumPy makes arrays of its parts, which have no history.",
                f"Write {instead}; numbers among the parts go in brackets: np.concatenate([[0.0], x]).",
            )
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return  # whoever called np.ndim
        frame = frame.f_back


_PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))


def _matrix_sizes(a: Any, k: int) -> tuple[int, int, int]:
    shape = numbers_only(sizes(a), "which elements are in a triangle")
    if len(shape) != 2:
        raise ShapeError("the indices of a triangle are those of a matrix", f"The shape is {tuple(shape)}.", "")
    return shape[0], k, shape[1]


# --------------------------------------------------------------------------------------------- by their places


def moved(parts: list[Any], arrange: Callable[..., Any], name: str, *sources: Any) -> Any:
    """The elements of ``parts`` in the arrangement that ``arrange`` gives to arrays of their numbers, by values of
    ``sources``."""
    shapes = [numbers_only(sizes(p), f"np.{name}") for p in parts]
    starts = np.cumsum([0, *(math.prod(s) for s in shapes)])
    numbered = [i + np.arange(math.prod(s)).reshape(s) for i, s in zip(starts, shapes, strict=False)]
    lines = list(map(as_line, parts))
    try:
        places = arrange(*numbered)
    except IndexError as error:
        raise DimensionError(
            f"np.{name}: {error}", f"The shape is {shapes[0]}.", "Count from 0, or from -1 at the end."
        ) from None
    return take(lines[0] if len(lines) == 1 else cat(lines, 0), found_in(places, *sources))


@on_tensors
def _numpy_insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr, places = tensor_like(arr), known_values(obj, "the places of np.insert")
    values = cast(tensor_like(values), unwrap(arr).dtype)  # as in an assignment to arr
    return moved([arr, values], lambda a, v: np.insert(a, places, v, axis), "insert", obj)


@on_tensors
def _numpy_delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    places = known_values(obj, "the places of np.delete")
    return moved([arr], lambda where: np.delete(where, places, axis), "delete", obj)


@on_tensors
def _numpy_resize(a: Any, new_shape: Any) -> Any:
    if not math.prod(sizes(a)):
        return NUMPY[np.zeros_like](a, shape=new_shape)
    return moved([a], lambda where: np.resize(where, new_shape), "resize")


@on_tensors
def _numpy_squeeze(a: Any, axis: Any = None) -> Any:
    axes = () if axis is None or not rank(a) else many_dims(axis, rank(a))
    if any(sizes(a)[k] != 1 for k in axes):
        raise ShapeError(
            "cannot select an axis to squeeze out which has size not equal to one",
            f"axis={axis} of shape {sizes(a)}.", "sg.squeeze leaves such axes as they are.",
        )  # fmt: skip
    return squeeze(a, axis)


@on_tensors
def _numpy_rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    n = rank(a)
    axis, start = axis_of(axis, n), start + n if start < 0 else start
    return movedim(a, axis, start - 1 if axis < start else start)


# ------------------------------------------------------------------------------------------------------ joining


@on_tensors
def _numpy_append(arr: Any, values: Any, axis: Any = None) -> Any:
    parts = alike(arr, values)
    return cat(list(map(as_line, parts)), 0) if axis is None else cat(parts, axis)


def _depth(arrays: Any) -> int:
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ShapeError("np.block: an empty list has no block", "", "Leave it out.")
    depths = {_depth(a) for a in arrays}
    if len(depths) > 1:
        raise ShapeError("np.block: lists are nested to unequal depths", f"The depths are {sorted(depths)}.", "")
    return 1 + depths.pop()


def _rank_of_leaves(arrays: Any) -> int:
    return max(map(_rank_of_leaves, arrays)) if isinstance(arrays, list) else rank(arrays)


@on_tensors
def _numpy_block(arrays: Any) -> Any:
    depth = _depth(arrays)
    rank = max(depth, _rank_of_leaves(arrays))

    def joined(part: Any, axis: int) -> Any:
        if isinstance(part, list):
            return cat([joined(p, axis + 1) for p in part], axis)
        part = tensor_like(part)
        shape = sizes(part)
        return part if len(shape) == rank else reshape(part, (1,) * (rank - len(shape)) + tuple(shape))

    return joined(arrays, -depth)


# ----------------------------------------------------------------------------------------------- entry by entry


@on_tensors
def _numpy_clip(
    a: Any, a_min: Any = np._NoValue, a_max: Any = np._NoValue, out: Any = None, *, min: Any = np._NoValue,
    max: Any = np._NoValue, **keywords: Any,
) -> Any:  # fmt: skip
    a, low, high = tensor_like(a), _limit(a_min, min), _limit(a_max, max)
    if keywords:
        return _clip_with_keywords(a, low, high, keywords)
    if low is None and high is None:
        return clone_row(a, "K")
    kind = common_kind(a, *(v for v in (low, high) if v is not None))
    if kind.kind == "c":  # in the order of NumPy's
        a = a if low is None else NUMPY[np.maximum](a, low)
        return cast(a if high is None else NUMPY[np.minimum](a, high), kind)
    return clamp(cast(a, kind), low, high)


def _limit(old: Any, new: Any) -> Any:
    if old is np._NoValue:
        return None if new is np._NoValue else _bound(new)
    if new is not np._NoValue:
        raise TypeError("np.clip takes a_min and a_max, or min and max, not both")
    return _bound(old)


def _clip_with_keywords(a: Any, low: Any, high: Any, keywords: dict[str, Any]) -> Any:
    if keywords.keys() - KEYWORDS:
        raise TypeError(f"np.clip does not take {', '.join(sorted(keywords.keys() - KEYWORDS))}")
    ufunc = np._core.umath.clip  # type: ignore[attr-defined]
    operands = tuple(v for v in (a, low, high) if v is not None)
    if len(operands) < 3:
        ufunc = np.positive if low is high else np.minimum if low is None else np.maximum
    return called(ufunc, NUMPY[ufunc], operands, keywords)


def _bound(v: Any) -> Any:
    return np.asarray(v) if isinstance(v, (list, tuple)) else v


@on_tensors
def _numpy_nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    x = tensor_like(x)
    values = {"nan": nan, "posinf": posinf, "neginf": neginf}
    arrays = {k: values.pop(k) for k in tuple(values) if isinstance(values[k], (Tensor, np.ndarray))}
    missing = {"nan": np.isnan(x), "posinf": x == math.inf, "neginf": x == -math.inf} if arrays else {}
    for k, value in arrays.items():
        x = e.where(missing[k], value, x)
    return e.nan_to_num(x, **{"nan": 0.0, **{k: v for k, v in values.items() if v is not None}})


@on_tensors
def _numpy_select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist) or not condlist:
        raise ShapeError(
            "np.select takes as many conditions as choices, and at least one",
            f"It got {len(condlist)} and {len(choicelist)}.", "",
        )  # fmt: skip
    for k, condition in enumerate(condlist):
        if unwrap(tensor_like(condition)).dtype != bool:
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    chosen = _bound(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = e.where(_bound(condition), _bound(choice), chosen)
    chosen = cast(chosen, common_kind(default, *choicelist))
    return _in_order(chosen, "C")


@on_tensors
def _numpy_round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    a = tensor_like(a)
    rounded = round(a, 0 if kind_of(a) in "iu" and decimals > 0 else decimals)  # not by way of floats
    return cast(rounded, unwrap(a).dtype) if kind_of(a) in "iu" else rounded


@on_tensors  # since NumPy 2.1
def _numpy_astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return clone_row(x, "K") if copy and unwrap(x).dtype == as_dtype(dtype) else cast(x, dtype)


@on_tensors
def _numpy_expand_dims(a: Any, axis: Any) -> Any:
    if not isinstance(axis, (tuple, list)):
        return unsqueeze(a, axis)
    for d in sorted(many_dims(axis, rank(a) + len(axis))):
        a = unsqueeze(a, d)
    return a


def _by_numbers(close: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison whose tolerances are numbers."""
    return lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: close(a, b, unwrap(rtol), unwrap(atol), equal_nan)


NUMPY.update({
    np.reshape: lambda a, shape, order="C", copy=None: reshape(a, shape, order=order), np.ravel: ravel,
    np.swapaxes: lambda a, axis1, axis2: swapaxes(a, axis1, axis2),
    np.transpose: lambda a, axes=None: transpose(a, None if axes is None else integers_of((axes,))),
    np.matrix_transpose: lambda x: swapaxes(x, -2, -1),
    np.shape: lambda a: sizes(a), np.iscomplexobj: is_complex, np.isrealobj: lambda x: not is_complex(x),
    np.triu_indices_from: lambda arr, k=0: np.triu_indices(*_matrix_sizes(arr, k)),
    np.tril_indices_from: lambda arr, k=0: np.tril_indices(*_matrix_sizes(arr, k)),
    np.extract: lambda condition, arr: as_line(arr)[
        found_in(np.flatnonzero(known_values(condition, "the condition of np.extract")), condition)
    ],
    np.array_equal: lambda a1, a2, equal_nan=False: bool(
        np.array_equal(known_values(a1, "equal"), known_values(a2, "equal"), equal_nan)
    ),
    np.isclose: _by_numbers(isclose), np.allclose: _by_numbers(allclose),
    np.around: _numpy_round,
    np.modf: lambda x: (e.frac(x), e.trunc(x)),
    np.divmod: lambda a, b: (NUMPY[np.floor_divide](a, b), NUMPY[np.remainder](a, b)),
    np.angle: lambda z, deg=False: e.angle(z) * (180 / math.pi) if deg else e.angle(z),
})  # fmt: skip
NUMPY[np._core.umath.clip] = lambda a, low, high: _numpy_clip(a, low, high)  # type: ignore[attr-defined]  # array.clip


# -------------------------------------------------------------------------------------------------------------------
# NumPy's functions that choose, cut and put together: choose, compress, piecewise, trim_zeros, apply_along_axis

# The idea to hold: values decide only where an element goes, or which function it goes through; so what is chosen is
# picked by places, and has the derivatives of what it was picked from.


# ------------------------------------------------------------------------------------------------------ choices


@on_tensors
def _numpy_choose(a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    which = np.asarray(known_values(tensor_like(a), "the choices of np.choose"))
    choices = list(choices)
    kind = common_kind(*choices)
    parts = [cast(tensor_like(c), kind) for c in choices]
    return moved(parts, lambda *places: np.choose(which, places, mode=mode), "choose", a)


@on_tensors
def _numpy_compress(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    kept = np.asarray(known_values(tensor_like(condition), "the condition of np.compress")).astype(bool)
    return moved([tensor_like(a)], lambda places: np.compress(kept, places, axis), "compress", condition)


@on_tensors
def _numpy_where(condition: Any, *choices: Any) -> Any:
    if len(choices) == 2 and kind_of(condition) == "b" and _of_one_kind(*choices):
        return where(condition, *choices)
    condition = tensor_like(condition)
    if not choices:
        return where(condition)
    if len(choices) != 2:
        raise ValueError("np.where: either both or neither of x and y should be given")
    if kind_of(condition) != "b":
        condition = condition != 0
    return cast(where(condition, *map(_choice, choices)), common_kind(*choices))


def _of_one_kind(x: Any, y: Any) -> bool:
    """Whether two values are arrays or tensors of one dtype, or one of them a number of Python's."""
    x, y = unwrap(x), unwrap(y)
    if type(x) is np.ndarray:
        return type(y) is float or type(y) is int or (type(y) is np.ndarray and x.dtype is y.dtype)
    return type(y) is np.ndarray and (type(x) is float or type(x) is int)


def _choice(v: Any) -> Any:
    return v if isinstance(v, (int, float, complex)) else tensor_like(v)


@on_tensors
def _numpy_piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    x = tensor_like(x)
    shape, kind = sizes(x), unwrap(x).dtype
    conditions = _conditions(numbers(condlist, "np.piecewise"), len(shape), len(funclist))
    owner, parts, start = np.zeros(shape, np.int64), [np.zeros(1, kind)], 1
    for condition, function in zip(conditions, funclist, strict=True):
        places = np.flatnonzero(np.broadcast_to(condition, shape))
        if not places.size:
            continue
        part = function(take(as_line(x), found_in(places, x)), *args, **kw) if callable(function) else function
        line = as_line(expand(cast(tensor_like(part), kind), places.shape))
        owner.reshape(-1)[places] = np.arange(start, start + places.size)
        parts.append(line)
        start += places.size
    return take(cat(parts, 0), found_in(owner, x, *tensors_in(condlist)))


def _conditions(condlist: Any, ndim: int, count: int) -> np.ndarray:
    """The conditions of np.piecewise; if there is a function more, the last is for what none of them holds of."""
    if not np.ndim(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and ndim):
        condlist = [condlist]
    conditions = np.asarray(condlist, dtype=bool)
    n = len(conditions)
    if n == count - 1:
        return np.concatenate([conditions, ~np.any(conditions, axis=0, keepdims=True)])
    if n != count:
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    return conditions


# --------------------------------------------------------------------------------------------------------- cuts


@on_tensors
def _numpy_trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    filt = tensor_like(filt)
    if trim.lower() not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    values = known_values(filt, "np.trim_zeros")
    axes = range(values.ndim) if axis is None else many_dims(axis, values.ndim)
    index = [slice(None)] * values.ndim
    for k, places in enumerate(np.nonzero(values)):
        if k in axes:
            start, stop = (int(places.min()), int(places.max()) + 1) if places.size else (0, 0)
            index[k] = slice(
                start if "f" in trim.lower() or not places.size else None, stop if "b" in trim.lower() else None
            )
    kept = np.zeros(values.shape, bool)
    kept[tuple(index)] = True
    expect_still(filt, [*map(tuple, np.argwhere(~kept).tolist())], "np.trim_zeros")
    return getitem(filt, tuple(index))


@on_tensors
def _numpy_unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    p, what = tensor_like(p), "np.unwrap"
    values, width = known_values(p, what), known_values(period, what)
    found = np.unwrap(values, None if discont is None else known_values(discont, what), axis, period=width)
    turns = np.rint((found - values) / width).astype(found.dtype)
    return p + found_in(turns, p) * period


@on_tensors
def _numpy_real_if_close(a: Any, tol: Any = 100) -> Any:
    a = tensor_like(a)
    if not is_complex(a):
        return a
    close = not is_complex(np.real_if_close(known_values(a, "np.real_if_close"), tol))
    return NUMPY[np.real](a) if close else a


# ---------------------------------------------------------------------------------------------- function by axis


@on_tensors
def _numpy_apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    arr = tensor_like(arr)
    k = axis_of(axis, rank(arr))
    lines = movedim(arr, k, -1)
    rest = tuple(sizes(lines)[:-1])
    found = [tensor_like(func1d(lines[i], *args, **kwargs)) for i in np.ndindex(*rest)]
    if not found:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    each = sizes(found[0])
    whole = reshape(stack(found, 0), (*rest, *each))
    places = tuple(range(len(rest), len(rest) + len(each)))
    return movedim(whole, places, tuple(range(k, k + len(each)))) if each else whole


@on_tensors
def _numpy_apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    a = value = tensor_like(a)
    ndim = rank(a)
    for axis in several(axes):
        k = axis_of(axis, ndim)
        found = func(value, k)
        value = found if rank(found) == ndim else unsqueeze(found, k)
        if rank(value) != ndim:
            raise ValueError("function is not returning an array of the correct shape")
    return value


# --------------------------------------------------------------------------------------------- forms in memory


@on_tensors
def _numpy_require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    a = cast(tensor_like(a), dtype)
    wanted = {str(r).upper()[0] for r in (requirements or ())}
    if wanted & {"C", "F"}:
        a = _in_order(a, "C" if "C" in wanted else "F")
    return clone_row(a, "K") if "O" in wanted and not unwrap(a).flags.owndata else a


def _in_order(a: Any, order: str) -> Any:
    flags = unwrap(a).flags
    return a if (flags.c_contiguous if order == "C" else flags.f_contiguous) else clone_row(a, order)


def _contiguous(order: str) -> Callable[..., Any]:
    def adaptor(a: Any, dtype: Any = None, *, like: Any = None) -> Any:
        a = cast(tensor_like(a), dtype)
        return _in_order(a, order) if sizes(a) else reshape(a, (1,))

    return adaptor


def _numpy_as_strided(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True, **_: Any
) -> Any:
    array = unwrap(x)
    steps = array.strides if strides is None else tuple(strides)
    if any(s % array.itemsize for s in steps):
        raise DTypeError(
            "as_strided of a tensor takes whole elements",
            f"Its strides are {steps} bytes, an element has {array.itemsize}.", "Use multiples of x.itemsize.",
        )  # fmt: skip
    return as_strided(x, array.shape if shape is None else tuple(shape), tuple(s // array.itemsize for s in steps))


# ------------------------------------------------------------------- what PyTorch takes less of under these names


def _triangle(row: Callable[..., Any], mask: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """The lower or upper triangle; a vector is the row of a square matrix, as in NumPy."""

    def adaptor(m: Any, k: int = 0) -> Any:
        m = tensor_like(m)
        shape = sizes(m)
        return row(m, k) if len(shape) > 1 else e.where(mask(np.ones((*shape, *shape), bool), k), m, 0)

    return adaptor


@on_tensors
def _numpy_imag(val: Any) -> Any:
    val = tensor_like(val)
    return FUNCTIONS["imag"](val) if is_complex(val) else NUMPY[np.zeros_like](val)


def _listed(split: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ary, indices_or_sections: list(split(tensor_like(ary), indices_or_sections))


@on_tensors
def _numpy_broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    parts = [tensor_like(a) for a in args]
    shape = np.broadcast_shapes(*(sizes(p) for p in parts))
    return tuple(expand(p, shape) for p in parts)


@on_tensors
def _numpy_meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    lines, n = [as_line(x) for x in xi], len(xi)
    order = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    found = [reshape(line, tuple(-1 if own == k else 1 for own in order)) for k, line in enumerate(lines)]
    if not sparse:
        whole = tuple(sizes(lines[k])[0] for k in order)
        found = [expand(f, whole) for f in found]
    return tuple(clone_row(f, "C") if copy else f for f in found)


NUMPY.update({
    np.ascontiguousarray: _contiguous("C"), np.asfortranarray: _contiguous("F"),
    np.lib.stride_tricks.as_strided: _numpy_as_strided,
    np.tril: _triangle(tril, np.tril), np.triu: _triangle(triu, np.triu),
})  # fmt: skip
for _f in (np.hsplit, np.vsplit, np.dsplit):
    NUMPY[_f] = _listed(NUMPY[_f])
if (_row_stack := getattr(np, "row_stack", None)) is not None:  # until NumPy 2.4
    NUMPY[_row_stack] = lambda tup, **_: vstack(tup)


# ----------------------------------------------------------------------------------------- `np.pad`, in all its modes

# The idea to hold: borders are put on one dimension after the other, so that what fills a corner was itself filled. A
# border of elements is an index, one of reflections about the ends is linear in elements; of the others, statistics and
# ramps, each side is computed and joined.


_OF_ELEMENTS = {"reflect": "reflect", "edge": "replicate", "wrap": "circular", "symmetric": "symmetric"}
_STATISTICS: dict[str, Callable[[Any, int], Any]] = {
    "mean": lambda part, axis: mean(part, axis, True),
    "median": lambda part, axis: NUMPY[np.median](part, axis, keepdims=True),
    "maximum": lambda part, axis: NUMPY[np.max](part, axis, keepdims=True),
    "minimum": lambda part, axis: NUMPY[np.min](part, axis, keepdims=True),
}
_TAKES = {
    "constant": "constant_values", "linear_ramp": "end_values", "reflect": "reflect_type", "symmetric": "reflect_type",
    **dict.fromkeys(_STATISTICS, "stat_length"), **dict.fromkeys(("edge", "wrap", "empty")),
}  # fmt: skip
"""Every mode, with the argument that it takes."""


@on_tensors
def _numpy_pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    array = tensor_like(array)
    shape = numbers_only(sizes(array), "np.pad")
    every = _widths(pad_width, len(shape))
    if callable(mode):
        raise NotDifferentiableError(
            "np.pad on a tensor has no derivative rule for a function as mode", "It would write into an array.",
            f"Use one of {', '.join(_TAKES)}.",
        )  # fmt: skip
    if mode not in _TAKES:
        raise ValueError(f"mode {mode!r} is not supported: np.pad takes {', '.join(_TAKES)}")
    if kwargs.keys() - {_TAKES[mode]}:
        unknown = ", ".join(sorted(kwargs.keys() - {_TAKES[mode]}))
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if kind_of(array) not in "fc" and (mode in _STATISTICS or mode == "linear_ramp"):  # whole numbers round
        return on_numbers(np.pad, array, every, mode, **kwargs)
    given = kwargs.get(_TAKES[mode] or "")
    if mode not in ("constant", "empty"):
        for k, (n, width) in enumerate(zip(shape, every, strict=True)):
            if not n and any(width):
                raise ValueError(f"can't extend empty axis {k} using modes other than 'constant' or 'empty'")
    if mode in _OF_ELEMENTS and given != "odd":
        if given not in (None, "even"):
            raise ValueError(f"np.pad: reflect_type is 'even' or 'odd', got {given!r}")
        return border_pad(array, border_places(shape, every, _OF_ELEMENTS[mode]))
    if mode == "empty" or (mode == "constant" and np.ndim(unwrap(given)) == 0 and not isinstance(given, Tensor)):
        return constant_pad(array, every, 0 if given is None else given)
    border = None if mode in _OF_ELEMENTS else _border(mode, given, len(shape))
    for axis, (before, after) in enumerate(every):
        if border is not None and (before or after):
            array = cat([border(array, axis, 0, before), array, border(array, axis, 1, after)], axis)
        elif before or after:
            array = _reflected(array, axis, before, after, mode)
    return array


def _widths(pad_width: Any, ndim: int) -> Pad:
    if isinstance(pad_width, dict):
        pairs: list[Any] = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pairs[axis_of(axis, ndim)] = np.broadcast_to(width, 2)
        pad_width = pairs
    widths = np.broadcast_to(np.asarray(pad_width), (ndim, 2))
    if widths.dtype.kind not in "iu" and widths.size:
        raise TypeError(f"np.pad: pad_width must be of integral type, got {widths.dtype}")
    every = tuple((int(a), int(b)) for a, b in widths)
    if widths.min(initial=0) < 0:
        raise ShapeError(
            "np.pad: pad_width can't contain negative values", f"It is {every}.",
            "Slice the array to crop it; sg.nn.functional.pad crops by negative amounts.",
        )  # fmt: skip
    return every


def _border(mode: str, given: Any, ndim: int) -> Callable[[Any, int, int, int], Any]:
    """What makes the borders of a mode: each is told the array, the axis, 0 or 1 for its end, and its width."""
    if mode in _STATISTICS:
        lengths = np.broadcast_to(np.asarray(given, object), (ndim, 2))

        def border(a: Any, axis: int, end: int, width: int) -> Any:  # of the mean, the median… of elements next to it
            n, asked = sizes(a)[axis], lengths[axis, end]
            count = n if asked is None else min(int(constant_number(asked, "stat_length=")), n)
            if count < 1 and mode in ("maximum", "minimum"):
                raise ValueError("stat_length of 0 yields no value for padding")
            part = a[at_dim(axis, slice(n - count, None) if end else slice(0, count))]
            return expand(_STATISTICS[mode](part, axis), resized(a, axis, width))

        return border
    values = expand(tensor_like(0 if given is None else given), (ndim, 2))

    def toward(a: Any, axis: int, end: int, width: int) -> Any:  # a value, or what leads from the edge to it
        value = cast(values[axis, end], unwrap(a).dtype)
        if mode == "constant":
            return expand(value, resized(a, axis, width))
        edge = a[at_dim(axis, slice(-1, None) if end else slice(0, 1))]
        share = np.arange(width, dtype=unwrap(a).real.dtype) / max(width, 1)
        return value + (edge - value) * along_axis(share[::-1] if end else share, axis, rank(a))

    return toward


def _reflected(a: Any, axis: int, before: int, after: int, mode: str) -> Any:
    """The line turned by half a turn, again and again, about its first and its last element.

    Or about its ends ("symmetric"), where both are met twice. Either way it is the f with f(mirror(j)) = 2 last - f(j)
    and f(k + period) = f(k) + 2 (last - first).
    """
    n = sizes(a)[axis]
    (place,) = border_places((n,), ((before, after),), mode)
    picked = index_select(a, axis, place)
    if n == 1 and mode == "reflect":  # as NumPy, for what has no second element
        return picked
    cycles, j = np.divmod(np.arange(-before, n + after), 2 * (n - (mode == "reflect")))
    turned = j >= n

    def along(v: np.ndarray) -> Any:
        return along_axis(v.astype(unwrap(a).dtype), axis, rank(a))

    first, last = a[at_dim(axis, slice(0, 1))], a[at_dim(axis, slice(n - 1, n))]
    return along(np.where(turned, -1, 1)) * picked + along(2 * (cycles + turned)) * last - along(2 * cycles) * first


# ---------------------- Entries that NumPy leaves out of a result for being 0: they must not be what is differentiated

# The idea to hold: a 0 that moves has a slope, and the result has no place for it: another point has another length.
# One that stays 0 may go. Which it is, a sweep from these entries to the leaves says.


def expect_still(x: Any, places: Any, what: str, seed: float = np.nan) -> None:
    """Raise where an entry of ``x`` at ``places``, which is left out, moves with what is differentiated.

    A ``seed`` of NaN finds every way, also one whose slope is 0 here; 1 finds slopes, of what is 0 but for rounding.
    """
    if not isinstance(x, Tensor):
        return
    cell = tangent_of(x)
    for k in places:
        slope = 0.0 if cell is None else np.abs(cell.get()._data[k]).max(initial=0.0)
        slope = max(_steepest(x, k, seed), float(slope), key=lambda s: np.inf if np.isnan(s) else s)
        if not slope <= 1e-8:
            where = ", ".join(map(str, np.atleast_1d(k)))
            raise NotDifferentiableError(
                f"{what} leaves out an entry that is 0 here and is differentiated",
                f"Entry [{where}] is {x._data[k]:.3g}; at another point it is not 0, and the result is longer: "
                "its slope would be lost.",
                "Compute with all entries (np.convolve multiplies polynomials of fixed lengths), or cut by a slice.",
            )  # fmt: skip


def _steepest(x: Tensor, place: Any, seed: float) -> float:
    """The steepest slope of one entry in the leaves of its graph."""
    if x._node is None:
        return 0.0
    g = np.zeros_like(x._data)
    g[place] = seed
    nodes, leaves, *_ = reachable([x._node])
    found = no_cotangents()
    found[x._node] = g
    with np.errstate(all="ignore"):
        for node in nodes:
            if (g := found.pop(node, None)) is not None:
                node.pull(g, found)  # type: ignore[attr-defined]
    return max((float(np.abs(found[leaf]).max(initial=0.0)) for leaf in leaves if leaf in found), default=0.0)
