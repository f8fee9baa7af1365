"""NumPy's functions of statistics and calculus: histograms, quantiles and medians, and others written in operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import starmap
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ...core import NUMPY, Symbol, Tensor, tensor_around, unwrap
from ..arguments import (
    alike,
    as_line,
    averaged,
    common_kind,
    found_in,
    is_recorded,
    kind_of,
    known_values,
    many_dims,
    ndarray_of,
    no_axis,
    numbers_only,
    rank,
    reduced_axes,
    sizes,
    tensor_like,
)
from ..entries import elementwise as e
from ..entries.arithmetic import clamp
from ..entries.copies import cast
from ..index.index import scattered
from ..index.pick import index_select
from ..index.scatter import gather
from ..linalg.contract import matmul
from ..linalg.linear_systems import conj, is_complex
from ..reduce.scans import diff
from ..reduce.sums import sum
from ..shape.joins import atleast_2d, cat, pad
from ..shape.shapes import movedim, reshape, swapaxes, transpose
from ..statistics.summaries import along_axis, correlation, covariance, slope, strips
from .ufuncs import lines_along, on_tensors, reduced_sizes, sorted_along, with_nan_as

# -------------------------------- NumPy's functions of statistics, calculus and linear algebra, written in operations

# The idea to hold: each is NumPy's definition in the table's operations, so derivatives of every order follow, and
# arguments mean what they mean in NumPy (``axis``, ``ddof``, the last two dimensions of `numpy.linalg`).


# -------------------------------------------------------------------------------------------------- statistics


@on_tensors
def _numpy_average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    a, keepdims = averaged(tensor_like(a)), keepdims is True
    add = NUMPY[np.sum]
    if weights is None:
        total, scale = NUMPY[np.mean](a, axis, keepdims=keepdims), None
    else:
        a, weights = alike(a, weights)
        if sizes(weights) != sizes(a):
            axes = () if axis is None else many_dims(axis, rank(a))
            if sizes(weights) != tuple(sizes(a)[k] for k in axes) or not axes:
                raise TypeError("np.average: weights of another shape than a need an axis, and the shape of a along it")
            order = tuple(int(k) for k in np.argsort(axes))
            weights = reshape(transpose(weights, order), tuple(n if k in axes else 1 for k, n in enumerate(sizes(a))))
            scale = add(weights * NUMPY[np.ones_like](a), axis, keepdims=keepdims)
        else:
            scale = add(weights, axis, keepdims=keepdims)
        if type(scale) is not Symbol and not np.all(unwrap(scale)):
            raise ZeroDivisionError("np.average: weights sum to zero, can't be normalized")
        total = add(a * weights, axis, keepdims=keepdims) / scale
    if not returned:
        return total
    return total, add(NUMPY[np.ones_like](a), axis, keepdims=keepdims) if weights is None else scale


@on_tensors
def _numpy_cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    parts = [_rows_of_variables(p, rowvar) for p in (m, y) if p is not None]
    x = parts[0] if len(parts) == 1 else cat(parts, 0)
    x = cast(x, np.result_type(unwrap(x), np.float64) if dtype is None else dtype)
    return covariance(x, (0 if bias else 1) if ddof is None else ddof, fweights, aweights)


def _rows_of_variables(m: Any, rowvar: bool) -> Any:
    m = tensor_like(m)
    if rank(m) > 2:
        raise ShapeError("np.cov: m has more than 2 dimensions", f"Its shape is {sizes(m)}.", "")
    return swapaxes(m, 0, 1) if rank(m) == 2 and not rowvar else atleast_2d(m)


@on_tensors
def _numpy_corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    return correlation(_numpy_cov(x, y, rowvar, dtype=dtype))


# ---------------------------------------------------------------------------------------- without what is NaN


def _numpy_nan_filled(fn: Any, value: float) -> Any:
    return lambda a, axis=None, dtype=None, out=None, **kept: NUMPY[fn](with_nan_as(value, a), axis, dtype, **kept)


# ---------------------------------------------------------------------------------------------------- calculus


@on_tensors
def _numpy_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if x is not None:
        y, x = tensor_like(y), tensor_like(x)
        if "b" not in (kind_of(y), kind_of(x)):  # sums and differences of truth values are such
            y, x = alike(y, x)
    elif kind_of(tensor_like(y)) in "fc":
        y = cast(tensor_like(y), common_kind(y, dx))
    return sum(strips(y, x, dx, axis), axis)  # as NumPy: ``dx`` may have more dimensions


if (_trapz := getattr(np, "trapz", None)) is not None:  # until NumPy 2.4
    NUMPY[_trapz] = _numpy_trapezoid


@on_tensors
def _numpy_interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    x, xp, fp = (tensor_like(v) for v in (x, xp, fp))
    x, xp = cast(x, np.float64), cast(xp, np.float64)
    fp = cast(fp, np.complex128 if is_complex(fp) else np.float64)
    xp, fp = tensor_around(xp), tensor_around(fp)  # an array picks by numbers alone
    if rank(xp) != 1 or sizes(xp) != sizes(fp) or not sizes(xp)[0]:
        raise ShapeError(
            "np.interp goes through points, and takes one value for each place, in two vectors of the same length",
            f"xp has shape {sizes(xp)}, fp {sizes(fp)}.", "Give each place its value; np.ravel makes vectors.",
        )  # fmt: skip
    if period is not None:
        left = right = None
        x, xp, fp = _one_period(x, xp, fp, e.abs(tensor_like(period)))
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    n = sizes(xp)[0]
    steps = np.arange(1, n) if type(xp) is Symbol else np.flatnonzero(np.diff(ndarray_of(xp))) + 1
    inside = fp[-1]
    if steps.size:
        k = clamp(NUMPY[np.searchsorted](xp, x, side="right"), int(steps[0]), int(steps[-1]))
        inside = fp[k - 1] + (fp[k] - fp[k - 1]) / (xp[k] - xp[k - 1]) * (x - xp[k - 1])
        if steps[-1] < n - 1:  # of several values at the last place the last counts
            inside = e.where(x == xp[-1], fp[-1], inside)
    return e.where(x < xp[0], left, e.where(x > xp[-1], right, inside))


def _one_period(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """Places within one period, between points of which those at the ends are there twice."""
    if not np.all(unwrap(period)):
        raise ValueError("period must be a non-zero value")
    x, xp = NUMPY[np.mod](x, period), NUMPY[np.mod](xp, period)
    order = NUMPY[np.argsort](xp)
    xp, fp = NUMPY[np.take](xp, order), NUMPY[np.take](fp, order)
    return x, cat([xp[-1:] - period, xp, xp[:1] + period], 0), cat([fp[-1:], fp, fp[:1]], 0)


def _signal(v: Any, what: str) -> tuple[Any, int]:
    """One operand of a convolution, and its length."""
    shape = numbers_only(sizes(v), what)
    if len(shape) > 1:
        raise ShapeError(f"{what} takes vectors", f"The shape of one is {tuple(shape)}.", "Take it row by row.")
    return as_line(v), math.prod(shape)


@on_tensors
def _numpy_convolve(a: Any, v: Any, mode: str = "full") -> Any:
    (a, n), (v, m) = _signal(a, "np.convolve"), _signal(v, "np.convolve")
    a, v = alike(a, v)
    if m > n:
        a, v, n, m = v, a, m, n
    if not m:
        raise ValueError("np.convolve: an empty array has no convolution")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"np.convolve: mode must be 'full', 'same' or 'valid', got {mode!r}")
    windows = NUMPY[np.lib.stride_tricks.sliding_window_view](pad(a, (m - 1, m - 1)), m)
    start, length = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    return matmul(windows, NUMPY[np.flip](v))[start : start + length]


@on_tensors
def _numpy_correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    (a, n), (v, m) = _signal(a, "np.correlate"), _signal(v, "np.correlate")
    if m > n:
        return conj(NUMPY[np.flip](_numpy_correlate(v, a, mode)))
    return _numpy_convolve(a, NUMPY[np.flip](conj(v)), mode)


@on_tensors
def _numpy_gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = tensor_like(f)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    ndim = rank(f)
    axes = many_dims(range(ndim) if axis is None else axis, ndim)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise TypeError("np.gradient takes one distance, or one for each axis")
    steps = tuple(h if isinstance(h, (int, float)) else tensor_like(h) for h in steps)
    kind = unwrap(f).dtype if kind_of(f) in "fc" else np.float64
    found = [cast(slope(f, h, k, edge_order), kind) for h, k in zip(steps, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def running(fn: Any, first: Any) -> Callable[..., Any]:
    """`numpy.cumulative_sum` or `numpy.cumulative_prod`, by NumPy's functions, which take tensors and arrays alike."""

    def adaptor(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
    ) -> Any:
        if axis is None and np.ndim(x) > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0 if axis is None else axis
        found = fn(x if np.ndim(x) else np.reshape(x, (1,)), axis, dtype=dtype, out=out)
        if not include_initial:
            return found
        shape = list(found.shape)
        shape[axis] = 1
        return np.concatenate([first(shape, found.dtype), found], axis)

    return adaptor


NUMPY.update({
    np.nancumsum: _numpy_nan_filled(np.cumsum, 0.0), np.nancumprod: _numpy_nan_filled(np.cumprod, 1.0),
})  # fmt: skip
for _name, _fn in {
    "cumulative_sum": running(np.cumsum, np.zeros), "cumulative_prod": running(np.cumprod, np.ones),
}.items():  # fmt: skip
    if hasattr(np, _name):  # since NumPy 2.1
        NUMPY[getattr(np, _name)] = _fn


# -------------------------------------------------------------------------------------------------------------------
# NumPy's histograms: counts are constant; weights have derivatives, and so have edges that follow the data

# The idea to hold: where each element falls is decided by the numbers; a count is then a sum of weights at places.
# Edges that NumPy lays between the smallest and the largest element move with these two.


def _edges(line: Any, bins: Any, range_: Any, weights: Any, name: str) -> Any:
    """The edges of one dimension, as a function of the elements where they follow these."""
    if np.ndim(unwrap(bins)) == 1 and not isinstance(bins, str):
        return tensor_like(bins)
    values = known_values(line, name)
    bins = bins if isinstance(bins, str) else int(unwrap(bins))
    weights = None if weights is None else known_values(as_line(weights), name)
    edges = np.histogram_bin_edges(values, bins, range_, weights)
    if range_ is not None or not isinstance(line, Tensor) or not values.size:
        return edges
    low, high = NUMPY[np.min](line), NUMPY[np.max](line)
    width = unwrap(high) - unwrap(low)
    share = (edges - unwrap(low)) / width if width else np.zeros(edges.shape)
    moved = low + (high - low) * (found_in(share, line) if isinstance(bins, str) else share)
    return cast(moved - unwrap(moved) + edges, edges.dtype)  # NumPy's own numbers: elements are compared with them


def _bins_of(line: Any, edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """The number of each element's bin, and whether it has one; the last bin has its right edge."""
    x, e = np.asarray(ndarray_of(line)), np.asarray(ndarray_of(edges))
    if (e[1:] < e[:-1]).any():
        raise ValueError("`bins` must increase monotonically, when an array")
    k = np.searchsorted(e, x, side="right") - 1
    k = np.where(x == e[-1], e.size - 2, k)
    return k, (k >= 0) & (k < e.size - 1) & ~np.isnan(x)


def _weighed(places: np.ndarray, inside: np.ndarray, weights: Any, count: int, *sources: Any) -> Any:
    """The sums of weights at places."""
    kept = np.flatnonzero(inside)
    values = index_select(as_line(weights), 0, kept)
    return scattered(values, found_in(places[kept], *sources), 0, (count,))


@on_tensors
def _numpy_histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any]:
    a, line = tensor_like(a), as_line(a)
    weights = None if weights is None else tensor_like(weights)
    if weights is not None and sizes(weights) != sizes(a):
        raise ValueError("weights should have the same shape as a.")
    edges = _edges(line, bins, range, weights, "np.histogram")
    places, inside = _bins_of(line, edges)
    count = sizes(edges)[0] - 1
    if weights is None:
        hist = found_in(np.bincount(places[inside], minlength=count), a, edges)
    else:
        hist = _weighed(places, inside, weights, count, a, edges)
    if density:
        hist = hist / cast(diff(edges), np.float64) / sum(hist)
    return hist, found_in(edges, a, weights)


@on_tensors
def _numpy_histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any]:
    if isinstance(sample, (list, tuple)):
        columns = [as_line(c) for c in sample]
    else:
        sample = tensor_like(sample)
        sample = sample if rank(sample) == 2 else reshape(sample, (-1, 1))
        columns = [sample[:, k] for k in np.arange(sizes(sample)[1])]
    ndim = len(columns)
    several = bins if isinstance(bins, (list, tuple)) or np.ndim(unwrap(bins)) else [bins] * ndim
    if len(several) != ndim:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = range if range is not None else [None] * ndim
    edges = [_edges(c, b, r, None, "np.histogramdd") for c, b, r in zip(columns, several, ranges, strict=True)]
    found = list(starmap(_bins_of, zip(columns, edges, strict=True)))
    shape = tuple(sizes(e)[0] - 1 for e in edges)
    inside = np.logical_and.reduce([ok for _, ok in found])
    places = np.ravel_multi_index([np.where(inside, k, 0) for k, _ in found], shape)
    w = np.ones(inside.shape) if weights is None else tensor_like(weights)
    hist = _weighed(places, inside, w, math.prod(shape), *columns, *edges)
    hist = reshape(cast(hist, np.float64), shape)
    if density:
        for k, e in enumerate(edges):
            hist = hist / along_axis(diff(e), k, ndim)
        hist = hist / sum(index_select(as_line(w), 0, np.flatnonzero(inside)))
    return hist, [found_in(e, *columns, weights) for e in edges]


@on_tensors
def _numpy_histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any, Any]:
    if rank(tensor_like(x)) != 1 or sizes(tensor_like(x)) != sizes(tensor_like(y)):
        raise ValueError("x and y must have the same length.")
    if np.ndim(unwrap(bins)) == 1 and len(bins) not in (1, 2):
        bins = [bins, bins]
    hist, edges = _numpy_histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]


@on_tensors
def _numpy_histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    return _edges(as_line(a), bins, range, weights, "np.histogram_bin_edges")


# ---------------------- NumPy's quantiles and medians: every method, with weights, with what is not a number left out

# The idea to hold: a quantile is at a place among the sorted elements, between two of them. NumPy itself is asked for
# the place: it is the same quantile of the places 0, 1, 2… So each method means what it means in the installed NumPy,
# and the result is linear in the elements.


_PICKS = frozenset({"lower", "higher", "nearest", "inverted_cdf", "closest_observation"})
"""The methods whose result is one of the elements."""

_SLOPES: dict[str, Callable[[int], float]] = {
    "linear": lambda n: n - 1, "interpolated_inverted_cdf": lambda n: n, "hazen": lambda n: n,
    "weibull": lambda n: n + 1, "median_unbiased": lambda n: n + 1 / 3, "normal_unbiased": lambda n: n + 1 / 4,
}  # fmt: skip
"""How fast the place moves with q, between the ends; in the other methods it jumps."""


def _ranks(ordered: np.ndarray) -> np.ndarray:
    """The places 0, 1, 2… of sorted lines, NaN where these have NaN."""
    places = np.arange(ordered.shape[-1], dtype=np.float64)
    return np.where(np.isnan(ordered), math.nan, places) if ordered.dtype.kind in "fc" else places


def _place(lines: Any, q: np.ndarray, method: str, skip_nan: bool, weights: Any) -> np.ndarray:
    """Where among the sorted elements of each line the quantiles are: (…, q), or (q,) if that is so in all lines."""
    n = sizes(lines)[-1]
    quantile: Any = np.nanquantile if skip_nan else np.quantile
    has_nan = type(lines) is not Symbol and kind_of(lines) in "fc" and np.isnan(unwrap(lines)).any()
    if weights is None and not has_nan:
        return np.asarray(quantile(np.arange(n, dtype=np.float64), q, method=method))
    values = known_values(lines, "np.quantile")
    if weights is None:
        return np.moveaxis(quantile(_ranks(np.sort(values, -1)), q, axis=-1, method=method), 0, -1)
    order = np.argsort(values, -1, kind="stable")
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(_ranks(np.take_along_axis(values, order, -1)), values.shape), -1)
    return np.moveaxis(quantile(ranks, q, axis=-1, method=method, weights=weights), 0, -1)


def _at_places(lines: Any, place: np.ndarray, share: Any, pick: bool, q: Any) -> Any:
    """The elements at places, between two of them the share of the way."""
    ordered, last = sorted_along(lines, -1), rank(lines) - 1
    missing = np.isnan(place)
    looked_at = (q,) if type(lines) is Symbol else (lines, q)  # where a symbol has NaN nobody has looked
    taken = (lambda k: index_select(ordered, last, k)) if place.ndim == 1 else (lambda k: gather(ordered, last, k))
    at = lambda rounded: taken(found_in(rounded.astype(np.int64), *looked_at))
    place = np.where(missing, 0, place)
    found = at(np.floor(place))
    if not pick:
        found = found + (at(np.ceil(place)) - found) * share
    return e.where(missing, math.nan, found) if missing.any() else found


def _share(lines: Any, place: np.ndarray, q: Any, method: str) -> Any:
    """How far beyond the first of two elements the place is; as a function of q, where that is a tensor."""
    share = np.where(np.isnan(place), 0.0, place - np.floor(place))
    if not isinstance(q, Tensor):
        kind = unwrap(lines).dtype
        return share.astype(kind) if isinstance(q, (int, float)) and kind.kind == "f" else share
    n = sizes(lines)[-1]
    slope = _SLOPES[method](n) if method in _SLOPES else 0.0
    inside = np.where((place > 0) & (place < n - 1), slope, 0.0)
    line = as_line(q)
    return cast(share + inside * (line - ndarray_of(line)), np.result_type(unwrap(lines), ndarray_of(q)))


def _quantile(
    name: str, a: Any, q: Any, axis: Any, method: str, keepdims: Any, weights: Any, skip_nan: bool = False
) -> Any:
    a = tensor_like(a)
    kind = kind_of(a)
    if kind not in "fiu" and not (kind == "c" and "median" in name):  # in order, and their middle is a mean
        raise TypeError(f"np.{name}: a must be an array of real numbers, not of {unwrap(a).dtype}")
    has_nan = skip_nan and type(a) is not Symbol and np.isnan(unwrap(a)).any()
    if has_nan and is_recorded(q):
        raise NotDifferentiableError(
            f"np.{name} of elements that are NaN has no derivative rule for a tensor as q", "How many count differs.",
            "Pass a number as q, or leave out what is NaN first.",
        )  # fmt: skip
    numbers = np.asarray(ndarray_of(q))
    if numbers.size and not (numbers.min() >= 0 and numbers.max() <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    shape = numbers_only(sizes(a), f"np.{name}")
    axes = reduced_axes(axis, len(shape))
    lines = lines_along(a, axes)
    if has_nan:
        lines = with_nan_as(math.nan, lines)  # which the gradient looks away from
    if weights is not None:
        weights = _weights_as_lines(known_values(weights, f"the weights of np.{name}"), axes, shape)
    place = _place(lines, numbers.reshape(-1), method, skip_nan, weights)
    found = _at_places(lines, place, _share(lines, place, q, method), method in _PICKS, q)
    values = movedim(found, -1, 0)
    return reshape(values, (*numbers.shape, *reduced_sizes(a, axes, keepdims is True)))


def _weights_as_lines(weights: Any, axes: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
    """A weight for every element, along the same lines."""
    weights = np.asarray(weights)
    if weights.shape != shape:
        if weights.shape != tuple(shape[k] for k in axes):
            raise TypeError("weights have the shape of a, or that of its axes")
        weights = np.expand_dims(weights, tuple(k for k in range(len(shape)) if k not in axes))
    return lines_along(np.broadcast_to(weights, shape), axes)


def _numpy_quantile(skip_nan: bool, scale: float) -> Callable[..., Any]:
    name = ("nan" if skip_nan else "") + ("quantile" if scale == 1 else "percentile")

    def adaptor(
        a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
        keepdims: Any = False, *, weights: Any = None,
    ) -> Any:  # fmt: skip
        if scale != 1:
            q = q / scale if isinstance(q, (Tensor, int, float)) else np.true_divide(q, scale)
        return _quantile(name, a, q, axis, method, keepdims, weights, skip_nan)

    return adaptor


def _numpy_median(skip_nan: bool, row: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """A median; that of real numbers by a ``row`` that there is for it."""

    def adaptor(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
        a = averaged(tensor_like(a))
        if row is not None and kind_of(a) == "f" and not no_axis(axis):
            return row(a, axis, keepdims=keepdims)
        return _quantile("nanmedian" if skip_nan else "median", a, 0.5, axis, "linear", keepdims, None, skip_nan)

    return adaptor


NUMPY.update({
    np.quantile: _numpy_quantile(False, 1), np.percentile: _numpy_quantile(False, 100),
    np.nanquantile: _numpy_quantile(True, 1), np.nanpercentile: _numpy_quantile(True, 100),
    np.nanmedian: _numpy_median(True), np.median: _numpy_median(False, NUMPY[np.median]),
})  # fmt: skip
