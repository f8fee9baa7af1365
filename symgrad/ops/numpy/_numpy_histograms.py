"""NumPy's histograms: counts are constant; weights have derivatives, and so have edges that follow the data.

The idea to hold: where each element falls is decided by the numbers; a count is then a sum of weights at places. Edges
that NumPy lays between the smallest and the largest element move with these two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core import NUMPY, Tensor
from .._dims import array, data, found_in, known, sizes
from .._numpy_arguments import as_line, tensor_like
from ..entries._copy import cast
from ..index._pick import index_select
from ..index._places import scattered
from ..reduce._reduce import sum
from ..reduce._scan import diff
from ..shape._shape import reshape


def _edges(line: Any, bins: Any, range_: Any, weights: Any, name: str) -> Any:
    """The edges of one dimension, as a function of the elements where they follow these."""
    if np.ndim(data(bins)) == 1 and not isinstance(bins, str):
        return tensor_like(bins)
    values = known(line, name)
    bins = bins if isinstance(bins, str) else int(data(bins))
    edges = np.histogram_bin_edges(values, bins, range_, None if weights is None else known(weights, name))
    if range_ is not None or not isinstance(line, Tensor) or not values.size:
        return edges
    low, high = NUMPY[np.min](line), NUMPY[np.max](line)
    width = data(high) - data(low)
    share = (edges - data(low)) / width if width else np.zeros(edges.shape)
    moved = low + (high - low) * share
    return cast(moved - data(moved) + edges, edges.dtype)  # NumPy's own numbers: elements are compared with them


def _bins_of(line: Any, edges: Any) -> tuple[np.ndarray, np.ndarray]:
    """The number of each element's bin, and whether it has one; the last bin has its right edge."""
    x, e = np.asarray(array(line)), np.asarray(array(edges))
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


def _numpy_histogram(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any]:
    a, line = tensor_like(a), as_line(a)
    weights = None if weights is None else tensor_like(weights)
    if weights is not None and tuple(sizes(weights)) != tuple(sizes(a)):
        raise ValueError("weights should have the same shape as a.")
    edges = _edges(line, bins, range, None if weights is None else as_line(weights), "np.histogram")
    places, inside = _bins_of(line, edges)
    count = sizes(edges)[0] - 1
    if weights is None:
        hist: Any = found_in(np.bincount(places[inside], minlength=count), a, edges)
    else:
        hist = _weighed(places, inside, weights, count, a, edges)
    if density:
        hist = hist / cast(diff(edges), np.float64) / sum(hist)
    return hist, found_in(edges, a, weights)


def _numpy_histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any]:
    if isinstance(sample, (list, tuple)):
        columns = [as_line(c) for c in sample]
    else:
        sample = tensor_like(sample)
        sample = sample if len(sizes(sample)) == 2 else reshape(sample, (-1, 1))
        columns = [sample[:, k] for k in np.arange(sizes(sample)[1])]
    ndim = len(columns)
    several = bins if isinstance(bins, (list, tuple)) or np.ndim(data(bins)) else [bins] * ndim
    if len(several) != ndim:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    ranges = range if range is not None else [None] * ndim
    edges = [_edges(c, b, r, None, "np.histogramdd") for c, b, r in zip(columns, several, ranges, strict=True)]
    found = [_bins_of(c, e) for c, e in zip(columns, edges, strict=True)]
    shape = tuple(sizes(e)[0] - 1 for e in edges)
    inside = np.logical_and.reduce([ok for _, ok in found])
    places = np.ravel_multi_index([np.where(inside, k, 0) for k, _ in found], shape)
    w = np.ones(inside.shape) if weights is None else tensor_like(weights)
    hist = _weighed(places, inside, w, math.prod(shape), *columns, *edges)
    hist = reshape(cast(hist, np.float64), shape)
    if density:
        for k, e in enumerate(edges):
            hist = hist / reshape(diff(e), (1,) * k + (-1,) + (1,) * (ndim - 1 - k))
        hist = hist / sum(index_select(as_line(w), 0, np.flatnonzero(inside)))
    return hist, [found_in(e, *columns, weights) for e in edges]


def _numpy_histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, Any, Any]:
    if len(sizes(tensor_like(x))) != 1 or sizes(tensor_like(x)) != sizes(tensor_like(y)):
        raise ValueError("x and y must have the same length.")
    if np.ndim(data(bins)) == 1 and len(bins) not in (1, 2):
        bins = [bins, bins]
    hist, edges = _numpy_histogramdd([x, y], bins, range, density, weights)
    return hist, edges[0], edges[1]


def _numpy_histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    return _edges(as_line(a), bins, range, None if weights is None else as_line(weights), "np.histogram_bin_edges")


NUMPY.update({
    np.histogram: _numpy_histogram, np.histogramdd: _numpy_histogramdd, np.histogram2d: _numpy_histogram2d,
    np.histogram_bin_edges: _numpy_histogram_bin_edges,
})  # fmt: skip
