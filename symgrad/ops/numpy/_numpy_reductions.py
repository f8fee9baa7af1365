"""NumPy's reductions with their ``where=`` and ``initial=``, and the methods of ufuncs, ``np.add.reduce`` and the like.

The idea to hold: what ``where`` leaves out is replaced by the number that changes nothing, and ``initial`` joins at
the end. So a reduction that takes them is the one that does not, between two operations.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY, table
from .._dims import (
    axes_of,
    axis_of,
    constant_number,
    data,
    found_in,
    known,
    no_axis,
    numbers_only,
    sizes,
)
from .._numpy_arguments import alike, as_line, averaged, summed_in, tensor_like
from ..arrange._sort import cummax, cummin
from ..entries import _elementwise as e
from ..entries._copy import cast
from ..index._pick import index_select
from ..index._places import scattered
from ..linalg._linalg import conj, is_complex
from ..reduce._norm import std, var
from ..reduce._reduce import all as every
from ..reduce._reduce import any as some
from ..reduce._reduce import count_nonzero, mean, nanmean, nansum, sum
from ..reduce._scan import diff, logcumsumexp, logsumexp, prod
from ..shape._broadcast import expand
from ..shape._join import cat
from ..shape._shape import reshape
from ._numpy_orders import largest, smallest

_NO: Any = np._NoValue


def _kept(keepdims: Any) -> bool:
    return keepdims is not _NO and bool(keepdims)


def _said(where: Any) -> bool:
    return where is not _NO and where is not True


def _mask(where: Any, a: Any) -> Any:
    """``where``, checked as NumPy does: truth values, of which there are not more than elements."""
    where = np.asarray(where, bool) if isinstance(where, (list, tuple)) else tensor_like(where)
    if data(where).dtype != bool:
        raise TypeError(f"where= takes truth values, not {data(where).dtype}: write a comparison, where=x > 0")
    have, shape = data(where).shape, data(a).shape
    if len(have) > len(shape) or any(m not in (1, n) for m, n in zip(reversed(have), reversed(shape), strict=False)):
        raise ShapeError(
            f"where= of shape {have} does not broadcast to the array's shape {shape}", "",
            "Give it the shape of the array, or one that broadcasts to it.",
        )  # fmt: skip
    return where


def _chosen(where: Any, a: Any, nothing: Any) -> Any:
    """``a``, with ``nothing`` in place of what ``where`` leaves out."""
    return e.where(_mask(where, a), a, nothing) if _said(where) else a


def _total(fn: Callable[..., Any], nothing: int, join: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's sum or product by ours."""

    def adaptor(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO,
        where: Any = _NO,
    ) -> Any:  # fmt: skip
        a = _chosen(where, tensor_like(a), nothing)
        kind = summed_in(a, dtype)
        total = cast(fn(cast(a, dtype), axis, keepdim=_kept(keepdims)), kind)
        return total if initial is _NO else join(total, cast(tensor_like(initial), data(total).dtype))

    return adaptor


def _nan_prod(a: Any, dim: Any, keepdim: bool) -> Any:
    return prod(e.where(np.isnan(a), 1.0, a) if data(a).dtype.kind in "fc" else a, dim, keepdim)


def _extreme(
    fn: Callable[..., Any], join: Callable[..., Any], worst: float, may_skip: bool = False
) -> Callable[..., Any]:
    """NumPy's largest or smallest by ours."""

    def adaptor(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, initial: Any = _NO, where: Any = _NO
    ) -> Any:
        a = tensor_like(a)
        if _said(where):
            if initial is _NO:
                raise ValueError("np.max and np.min have no identity: with where= they need initial=")
            a = _chosen(where, a, _worst(data(a).dtype, worst))
        if 0 in sizes(a):
            if initial is not _NO:
                return _of_nothing(a, axis, _kept(keepdims), initial)
            if not all(n for k, n in enumerate(sizes(a)) if k in axes_of(axis, len(sizes(a)))):
                raise ShapeError(
                    "zero-size array to reduction operation maximum or minimum which has no identity",
                    f"Its shape is {tuple(sizes(a))}.", "Say what that is: initial=-np.inf, or np.inf.",
                )  # fmt: skip
        skip_nan = may_skip and data(a).dtype.kind in "fc"
        found = _without_nan(fn, a, axis, _kept(keepdims), worst) if skip_nan else fn(a, axis, _kept(keepdims))
        return found if initial is _NO else join(found, cast(tensor_like(initial), data(a).dtype))

    return adaptor


def _of_nothing(a: Any, axis: Any, keepdim: bool, initial: Any) -> Any:
    """The largest or smallest of no elements, or of lines without any: ``initial``."""
    axes = axes_of(axis, len(sizes(a)))
    shape = tuple(1 if k in axes else n for k, n in enumerate(sizes(a)) if keepdim or k not in axes)
    found = expand(cast(tensor_like(initial), data(a).dtype), shape)
    return found_in(table("clone")(found, "C"), a)


def _worst(dtype: Any, worst: float) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if worst < 0 else np.iinfo(dtype).max
    return worst > 0 if dtype.kind == "b" else worst


def _without_nan(fn: Callable[..., Any], a: Any, axis: Any, keepdim: bool, worst: float) -> Any:
    missing = np.isnan(a)
    found = fn(e.where(missing, worst, a), axis, keepdim)
    return e.where(every(missing, axis, keepdim), math.nan, found)


def _average(fn: Callable[..., Any]) -> Callable[..., Any]:
    def adaptor(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO
    ) -> Any:
        a = averaged(tensor_like(a), dtype)
        return cast(of_floats(a, axis, _kept(keepdims), where), dtype)

    def of_floats(a: Any, axis: Any, keepdim: bool, where: Any) -> Any:
        if not _said(where):
            return fn(a, axis, keepdim=keepdim)
        where = _mask(where, a)
        if fn is nanmean:
            return nanmean(e.where(where, a, math.nan), axis, keepdim=keepdim)
        count = sum(e.where(where, NUMPY[np.ones_like](a), 0), axis, keepdim)
        return sum(e.where(where, a, 0), axis, keepdim) / count

    return adaptor


def _variance(a: Any, missing: Any, axis: Any, ddof: Any, keepdims: bool, center: Any) -> Any:
    """The variance about a center (by default their mean) of the elements that are not ``missing``."""
    count = sum(e.where(missing, 0.0, NUMPY[np.ones_like](a)), axis, True)
    if center is None:
        center = sum(e.where(missing, 0.0, a), axis, True) / count
    apart = e.where(missing, 0.0, a - center)
    freedom = count - ddof
    squares = (conj(apart) * apart).real if is_complex(apart) else apart * apart
    mean_square = sum(squares, axis, True) / e.where(freedom > 0, freedom, math.nan)
    return mean_square if keepdims else sum(mean_square, axis)


def _deviation(fn: Callable[..., Any], skip_nan: bool) -> Callable[..., Any]:
    """NumPy's variance or standard deviation by ours, which has the stable rule, where all elements count."""

    def adaptor(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = _NO, *,
        where: Any = _NO, mean: Any = _NO, correction: Any = _NO,
    ) -> Any:  # fmt: skip
        a = averaged(tensor_like(a), dtype)
        ddof = constant_number(ddof if correction is _NO else correction, "ddof=")
        if not _said(where) and not skip_nan and mean is _NO:
            return cast(fn(a, axis, keepdim=_kept(keepdims), correction=ddof), dtype)
        missing = np.isnan(a) if skip_nan else NUMPY[np.zeros_like](a, dtype=bool)
        if _said(where):
            missing = e.where(_mask(where, a), missing, True)
        squares = _variance(a, missing, axis, ddof, _kept(keepdims), None if mean is _NO else mean)
        # at 0: no slope, as std's
        return cast(squares if fn is var else e.where(squares > 0, e.sqrt(squares), squares), dtype)

    return adaptor


def _any_or_all(fn: Callable[..., Any], nothing: bool) -> Callable[..., Any]:
    def adaptor(a: Any, axis: Any = None, out: Any = None, keepdims: Any = _NO, *, where: Any = _NO) -> Any:
        if _said(where):
            a = e.where(_mask(where, a), tensor_like(a) != 0, nothing)
        return cast(fn(a, axis, _kept(keepdims)), bool)

    return adaptor


def _numpy_count(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return sum(tensor_like(a) != 0, axis, True) if _kept(keepdims) else count_nonzero(a, axis)


def _along_none(reduction: Callable[..., Any]) -> Callable[..., Any]:
    """The reduction, where ``axis=()`` is no axis at all, as in NumPy: to PyTorch it is every dimension."""

    @functools.wraps(reduction)
    def adaptor(a: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not no_axis(axis):
            return reduction(a, axis, *args, **kwargs)
        if _said(kwargs.get("where", _NO)):
            kwargs["where"] = _mask(kwargs["where"], tensor_like(a))[..., None]
        return reshape(reduction(tensor_like(a)[..., None], -1, *args, **kwargs), sizes(a))

    return adaptor


# ------------------------------------------------------------------------------------------------ differences


def _numpy_diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _NO, append: Any = _NO) -> Any:
    a = tensor_like(a)
    if n < 0:
        raise ValueError(f"np.diff: order must be non-negative but got {n}")
    if n == 0:
        return a
    k = axis_of(axis, len(sizes(a)))
    shape = (*sizes(a)[:k], 1, *sizes(a)[k + 1 :])

    def end(p: Any) -> list[Any]:
        if p is _NO or p is None:
            return []
        p = tensor_like(p)
        return [p if sizes(p) else expand(p, numbers_only(shape, "a number at the end of np.diff"))]

    whole = [*end(prepend), a, *end(append)]
    return diff(cat(alike(*whole), k) if len(whole) > 1 else a, n, k)


def _numpy_ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    steps = diff(as_line(ary))
    ends = [None if p is None else as_line(p) for p in (to_begin, to_end)]
    return cat([cast(p, data(steps).dtype) for p in (ends[0], steps, ends[1]) if p is not None], 0)


# ------------------------------------------------------------------------------------------ methods of ufuncs


def _along(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A running reduction with NumPy's arguments: along the first dimension, if none is said."""

    def adaptor(a: Any, axis: int = 0, dtype: Any = None) -> Any:
        return fn(cast(a, dtype), axis)

    return adaptor


def _reduced(function: Any) -> Callable[..., Any]:
    return lambda a, axis=0, dtype=None, **kwargs: cast(NUMPY[function](cast(a, dtype), axis, **kwargs), dtype)


def _reduced_logaddexp(
    a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = _NO,
    where: Any = _NO,
) -> Any:  # fmt: skip
    a = _chosen(where, cast(tensor_like(a), dtype), -math.inf)
    found = logsumexp(a, axes_of(axis, len(sizes(a))), _kept(keepdims))
    return found if initial is _NO else NUMPY[np.logaddexp](found, initial)


def _add_reduceat(a: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    """Sums of slices: from each index to the next, the last to the end; one element, where the next is not larger."""
    a = cast(tensor_like(a), summed_in(tensor_like(a), dtype))
    k, starts = axis_of(axis, len(sizes(a))), np.asarray(known(indices, "np.add.reduceat"))
    n = int(sizes(a)[k])
    if starts.ndim != 1 or (starts.size and not (starts.min() >= 0 and starts.max() < n)):
        raise IndexError(f"np.add.reduceat: indices must be one row of numbers from 0 to {n - 1}, got {starts}")
    ends = np.maximum(np.append(starts[1:], n), starts + 1)
    places = np.concatenate([np.arange(i, j) for i, j in zip(starts, ends, strict=True)] or [starts.astype(int)])
    which = np.repeat(np.arange(starts.size), ends - starts)
    picked = index_select(a, k, found_in(places, indices))
    return scattered(picked, found_in(which, indices), k, (*sizes(a)[:k], starts.size, *sizes(a)[k + 1 :]))


UFUNC_METHODS: dict[tuple[Any, str], Callable[..., Any]] = {
    (np.add, "reduce"): _reduced(np.sum), (np.multiply, "reduce"): _reduced(np.prod),
    (np.maximum, "reduce"): _reduced(np.max), (np.minimum, "reduce"): _reduced(np.min),
    (np.logical_and, "reduce"): _reduced(np.all), (np.logical_or, "reduce"): _reduced(np.any),
    (np.logaddexp, "reduce"): _reduced_logaddexp,
    (np.add, "accumulate"): lambda a, axis=0, dtype=None: NUMPY[np.cumsum](a, axis, dtype),
    (np.multiply, "accumulate"): lambda a, axis=0, dtype=None: NUMPY[np.cumprod](a, axis, dtype),
    (np.maximum, "accumulate"): _along(lambda a, axis: cummax(a, axis)[0]),
    (np.minimum, "accumulate"): _along(lambda a, axis: cummin(a, axis)[0]),
    (np.logaddexp, "accumulate"): _along(logcumsumexp),
    (np.add, "reduceat"): _add_reduceat,
}  # fmt: skip
"""What a method of a ufunc is on tensors; its arguments are NumPy's."""

_LARGEST: Any = dict(fn=largest, join=lambda a, b: NUMPY[np.maximum](a, b), worst=-math.inf)
_SMALLEST: Any = dict(fn=smallest, join=lambda a, b: NUMPY[np.minimum](a, b), worst=math.inf)
_REDUCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _total(sum, 0, lambda a, b: a + b), np.prod: _total(prod, 1, lambda a, b: a * b),
    np.nansum: _total(nansum, 0, lambda a, b: a + b), np.nanprod: _total(_nan_prod, 1, lambda a, b: a * b),
    np.mean: _average(mean), np.nanmean: _average(nanmean), np.any: _any_or_all(some, False),
    np.all: _any_or_all(every, True), np.var: _deviation(var, False), np.std: _deviation(std, False),
    np.nanvar: _deviation(var, True), np.nanstd: _deviation(std, True), np.count_nonzero: _numpy_count,
    np.max: _extreme(**_LARGEST), np.amax: _extreme(**_LARGEST), np.nanmax: _extreme(**_LARGEST, may_skip=True),
    np.min: _extreme(**_SMALLEST), np.amin: _extreme(**_SMALLEST), np.nanmin: _extreme(**_SMALLEST, may_skip=True),
}  # fmt: skip
NUMPY.update({function: _along_none(reduction) for function, reduction in _REDUCTIONS.items()})
NUMPY.update({np.diff: _numpy_diff, np.ediff1d: _numpy_ediff1d})
