"""NumPy's quantiles and medians: every method, with weights, with what is not a number left out.

The idea to hold: a quantile is at a place among the sorted elements, between two of them. NumPy itself is asked for the
place: it is the same quantile of the places 0, 1, 2… So each method means what it means in the installed NumPy, and the
result is linear in the elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError
from ...core import NUMPY, Symbol, Tensor
from .._dims import array, data, found_in, kind_of, known, no_axis, numbers_only, reduced_axes, sizes
from .._numpy_arguments import averaged, recorded, tensor_like
from ..entries import _elementwise as e
from ..entries._copy import cast
from ..index._pick import index_select
from ..index._scatter import gather
from ..shape._shape import movedim, reshape
from ._numpy_orders import sorted_along

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
    if weights is None and (type(lines) is Symbol or not np.isnan(_real(data(lines))).any()):
        return np.asarray(quantile(np.arange(n, dtype=np.float64), q, method=method))
    values = known(lines, "np.quantile")
    if weights is None:
        return np.moveaxis(quantile(_ranks(np.sort(values, -1)), q, axis=-1, method=method), 0, -1)
    order = np.argsort(values, -1, kind="stable")
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(_ranks(np.take_along_axis(values, order, -1)), values.shape), -1)
    return np.moveaxis(quantile(ranks, q, axis=-1, method=method, weights=weights), 0, -1)


def _real(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind in "fc" else np.zeros(())


def _at_places(lines: Any, place: np.ndarray, share: Any, pick: bool, q: Any) -> Any:
    """The elements at places, between two of them the share of the way."""
    ordered, last = sorted_along(lines, -1), len(sizes(lines)) - 1
    missing = np.isnan(place)
    looked_at = (q,) if type(lines) is Symbol else (lines, q)  # where a symbol has NaN nobody has looked
    first = found_in(np.floor(np.where(missing, 0, place)).astype(np.int64), *looked_at)
    take = (lambda k: index_select(ordered, last, k)) if place.ndim == 1 else (lambda k: gather(ordered, last, k))
    found = take(first)
    if not pick:
        after = found_in(np.ceil(np.where(missing, 0, place)).astype(np.int64), *looked_at)
        found = found + (take(after) - found) * share
    return e.where(missing, math.nan, found) if missing.any() else found


def _share(lines: Any, place: np.ndarray, q: Any, method: str) -> Any:
    """How far beyond the first of two elements the place is; as a function of q, where that is a tensor."""
    share = np.where(np.isnan(place), 0.0, place - np.floor(place))
    if not isinstance(q, Tensor):
        kind = data(lines).dtype
        return share.astype(kind) if isinstance(q, (int, float)) and kind.kind == "f" else share
    n = sizes(lines)[-1]
    slope = _SLOPES[method](n) if method in _SLOPES else 0.0
    inside = np.where((place > 0) & (place < n - 1), slope, 0.0)
    line = reshape(q, (-1,))
    return cast(share + inside * (line - array(line)), np.result_type(data(lines), array(q)))


def _quantile(
    name: str, a: Any, q: Any, axis: Any, method: str, keepdims: Any, weights: Any, skip_nan: bool = False
) -> Any:
    a = tensor_like(a)
    kind = data(a).dtype.kind
    if kind not in "fiu" and not (kind == "c" and "median" in name):  # in order, and their middle is a mean
        raise TypeError(f"np.{name}: a must be an array of real numbers, not of {data(a).dtype}")
    if recorded(q) and skip_nan and type(a) is not Symbol and np.isnan(data(a)).any():
        raise NotDifferentiableError(
            f"np.{name} of elements that are NaN has no derivative rule for a tensor as q", "How many count differs.",
            "Pass a number as q, or leave out what is NaN first.",
        )  # fmt: skip
    numbers = np.asarray(array(q))
    if numbers.size and not (numbers.min() >= 0 and numbers.max() <= 1):
        raise ValueError("Quantiles must be in the range [0, 1]")
    shape = numbers_only(sizes(a), f"np.{name}")
    axes = reduced_axes(axis, len(shape))
    kept = [k for k in range(len(shape)) if k not in axes]
    lines = _as_lines(a, axes, kept, shape)
    if weights is not None:
        weights = _weights_as_lines(known(weights, f"the weights of np.{name}"), axes, kept, shape)
    place = _place(lines, numbers.reshape(-1), method, skip_nan, weights)
    found = _at_places(lines, place, _share(lines, place, q, method), method in _PICKS, q)
    values = movedim(found, -1, 0)
    rest = tuple(1 if k in axes else n for k, n in enumerate(shape) if keepdims is True or k not in axes)
    return reshape(values, (*numbers.shape, *rest))


def _as_lines(a: Any, axes: tuple[int, ...], kept: list[int], shape: tuple[int, ...]) -> Any:
    if not shape:
        return reshape(a, (1,))
    count = math.prod(shape[k] for k in axes)
    return reshape(movedim(a, axes, tuple(range(-len(axes), 0))), (*(shape[k] for k in kept), count))


def _weights_as_lines(weights: Any, axes: tuple[int, ...], kept: list[int], shape: tuple[int, ...]) -> np.ndarray:
    """A weight for every element, along the same lines."""
    weights = np.asarray(weights)
    if weights.shape != shape:
        if weights.shape != tuple(shape[k] for k in axes):
            raise TypeError("weights have the shape of a, or that of its axes")
        weights = np.expand_dims(weights, tuple(kept))
    lines: np.ndarray = _as_lines(np.broadcast_to(weights, shape), axes, kept, shape)
    return lines


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
