"""NumPy's functions of shape and place, and entry by entry, that have no namesake in PyTorch, or other arguments.

The idea to hold: a function that only moves elements is asked once, on their numbers, where each goes; the rest is one
`take`. So insert, delete and the like have NumPy's meaning of every argument, and are linear.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ..._typing import as_dtype
from ...core import NUMPY, Tensor, table
from .._dims import axis_of, data, found_in, known, many_dims, numbers_only, sizes, spread
from .._numpy_arguments import alike, as_line, common_kind, recorded, tensor_like
from ..entries import _elementwise as e
from ..entries._arithmetic import allclose, clamp, isclose, round
from ..entries._copy import cast
from ..index._pick import take
from ..linalg._linalg import is_complex
from ..shape._join import cat
from ..shape._shape import movedim, ravel, reshape, squeeze, swapaxes, transpose, unsqueeze
from ._numpy_ufuncs import KEYWORDS, called

# ------------------------------------------------------------------------------------ questions about shapes


def _numpy_size(a: Any, axis: Any = None) -> Any:
    shape = sizes(a)
    if axis is None:
        return math.prod(shape)
    return math.prod(shape[k] for k in ((axis,) if isinstance(axis, (int, np.integer)) else axis))


def _numpy_ndim(a: Any) -> int:
    _refuse_concatenator(a)
    return len(sizes(a))


_BRACKETS = type(np.r_).__getitem__.__code__  # np.c_ inherits the same


def _refuse_concatenator(a: Any) -> None:
    """Raise if ``np.r_`` or ``np.c_`` asks (which makes arrays of its parts, whatever they are)."""
    frame: Any = sys._getframe(2)
    while frame is not None and recorded(a):
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
    return take(lines[0] if len(lines) == 1 else cat(lines, 0), found_in(arrange(*numbered), *sources))


def _numpy_insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr, values = tensor_like(arr), tensor_like(values)
    where, values = known(obj, "the places of np.insert"), cast(values, data(arr).dtype)  # as in an assignment to arr
    return moved([arr, values], lambda a, v: np.insert(a, where, v, axis), "insert", obj)


def _numpy_delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    places = known(obj, "the places of np.delete")
    return moved([arr], lambda where: np.delete(where, places, axis), "delete", obj)


def _numpy_resize(a: Any, new_shape: Any) -> Any:
    if not math.prod(sizes(a)):
        return NUMPY[np.zeros_like](a, shape=new_shape)
    return moved([a], lambda where: np.resize(where, new_shape), "resize")


def _numpy_squeeze(a: Any, axis: Any = None) -> Any:
    axes = () if axis is None or not len(sizes(a)) else many_dims(axis, len(sizes(a)))
    if any(sizes(a)[k] != 1 for k in axes):
        raise ShapeError(
            "cannot select an axis to squeeze out which has size not equal to one",
            f"axis={axis} of shape {tuple(sizes(a))}.", "sg.squeeze leaves such axes as they are.",
        )  # fmt: skip
    return squeeze(a, axis)


def _numpy_rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    n = len(sizes(a))
    axis, start = axis_of(axis, n), start + n if start < 0 else start
    return movedim(a, axis, start - 1 if axis < start else start)


# ------------------------------------------------------------------------------------------------------ joining


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
    return max(map(_rank_of_leaves, arrays)) if isinstance(arrays, list) else len(sizes(arrays))


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


def _numpy_clip(
    a: Any, a_min: Any = np._NoValue, a_max: Any = np._NoValue, out: Any = None, *, min: Any = np._NoValue,
    max: Any = np._NoValue, **keywords: Any,
) -> Any:  # fmt: skip
    for old, new in ((a_min, min), (a_max, max)):
        if old is not np._NoValue and new is not np._NoValue:
            raise TypeError("np.clip takes a_min and a_max, or min and max, not both")
    low, high = ([v for v in pair if v is not np._NoValue] or [None] for pair in ((a_min, min), (a_max, max)))
    a, low, high = tensor_like(a), _bound(low[0]), _bound(high[0])
    if keywords:
        return _clip_with_keywords(a, low, high, keywords)
    if low is None and high is None:
        return table("clone")(a, "K")
    kind = common_kind(a, *(v for v in (low, high) if v is not None))
    if kind.kind == "c":  # in the order of NumPy's
        a = a if low is None else NUMPY[np.maximum](a, low)
        return cast(a if high is None else NUMPY[np.minimum](a, high), kind)
    return clamp(cast(a, kind), low, high)


def _clip_with_keywords(a: Any, low: Any, high: Any, keywords: dict[str, Any]) -> Any:
    if keywords.keys() - KEYWORDS:
        raise TypeError(f"np.clip does not take {', '.join(sorted(keywords.keys() - KEYWORDS))}")
    ufunc: Any = np._core.umath.clip  # type: ignore[attr-defined]
    operands = tuple(v for v in (a, low, high) if v is not None)
    if len(operands) < 3:
        ufunc = np.positive if low is high else np.minimum if low is None else np.maximum
    return called(ufunc, NUMPY[ufunc], operands, keywords)


def _bound(v: Any) -> Any:
    return np.asarray(v) if isinstance(v, (list, tuple)) else v


def _numpy_nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    x = tensor_like(x)
    values = {"nan": nan, "posinf": posinf, "neginf": neginf}
    arrays = {k: values.pop(k) for k in tuple(values) if isinstance(values[k], (Tensor, np.ndarray))}
    missing = {"nan": np.isnan(x), "posinf": x == math.inf, "neginf": x == -math.inf} if arrays else {}
    for k, value in arrays.items():
        x = e.where(missing[k], value, x)
    return e.nan_to_num(x, **{"nan": 0.0, **{k: v for k, v in values.items() if v is not None}})


def _numpy_select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    if len(condlist) != len(choicelist) or not condlist:
        raise ShapeError(
            "np.select takes as many conditions as choices, and at least one",
            f"It got {len(condlist)} and {len(choicelist)}.", "",
        )  # fmt: skip
    for k, condition in enumerate(condlist):
        if data(tensor_like(condition)).dtype != bool:
            raise TypeError(f"invalid entry {k} in condlist: should be boolean ndarray")
    chosen = _bound(default)
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = e.where(_bound(condition), _bound(choice), chosen)
    chosen = cast(chosen, common_kind(default, *choicelist))
    return chosen if data(chosen).flags.c_contiguous else table("clone")(chosen, "C")


def _numpy_round(a: Any, decimals: Any = 0, out: Any = None) -> Any:
    a = tensor_like(a)
    rounded = round(a, 0 if data(a).dtype.kind in "iu" and decimals > 0 else decimals)  # not by way of floats
    return cast(rounded, data(a).dtype) if data(a).dtype.kind in "iu" else rounded


def _numpy_astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return table("clone")(x, "K") if copy and data(x).dtype == as_dtype(dtype) else cast(x, dtype)


def _expand_dims(a: Any, axis: Any) -> Any:
    if not isinstance(axis, (tuple, list)):
        return unsqueeze(a, axis)
    for d in sorted(many_dims(axis, len(sizes(a)) + len(axis))):
        a = unsqueeze(a, d)
    return a


NUMPY.update({
    np.reshape: lambda a, shape, order="C", copy=None: reshape(a, shape, order=order), np.ravel: ravel,
    np.squeeze: _numpy_squeeze, np.expand_dims: _expand_dims,
    np.swapaxes: lambda a, axis1, axis2: swapaxes(a, axis1, axis2),
    np.transpose: lambda a, axes=None: transpose(a, None if axes is None else spread((axes,))),
    np.matrix_transpose: lambda x: swapaxes(x, -2, -1),
    np.size: _numpy_size, np.ndim: _numpy_ndim, np.shape: lambda a: tuple(sizes(a)),
    np.iscomplexobj: is_complex, np.isrealobj: lambda x: not is_complex(x),
    np.triu_indices_from: lambda arr, k=0: np.triu_indices(*_matrix_sizes(arr, k)),
    np.tril_indices_from: lambda arr, k=0: np.tril_indices(*_matrix_sizes(arr, k)),
    np.insert: _numpy_insert, np.delete: _numpy_delete, np.resize: _numpy_resize, np.rollaxis: _numpy_rollaxis,
    np.extract: lambda condition, arr: as_line(arr)[
        found_in(np.flatnonzero(known(condition, "the condition of np.extract")), condition)
    ],
    np.append: _numpy_append, np.block: _numpy_block,
    np.clip: _numpy_clip, np.select: _numpy_select, np.nan_to_num: _numpy_nan_to_num,
    np.array_equal: lambda a1, a2, equal_nan=False: bool(
        np.array_equal(known(a1, "equal"), known(a2, "equal"), equal_nan)
    ),
    np.isclose: lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: isclose(a, b, data(rtol), data(atol), equal_nan),
    np.allclose: lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: allclose(a, b, data(rtol), data(atol), equal_nan),
    np.round: _numpy_round, np.around: _numpy_round,
    np.modf: lambda x: (e.frac(x), e.trunc(x)),
    np.divmod: lambda a, b: (NUMPY[np.floor_divide](a, b), NUMPY[np.remainder](a, b)),
    np.angle: lambda z, deg=False: e.angle(z) * (180 / math.pi) if deg else e.angle(z),
})  # fmt: skip
if hasattr(np, "astype"):
    NUMPY[np.astype] = _numpy_astype
NUMPY[np._core.umath.clip] = lambda a, low, high: _numpy_clip(a, low, high)  # type: ignore[attr-defined]  # array.clip
