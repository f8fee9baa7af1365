"""Quantiles, covariances, histograms; integrals and derivatives of what was sampled; distances between rows."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import _config
from ..._config import default_dtype
from ..._errors import DimensionError, ShapeError
from ...core import Symbol, Tensor, unwrap
from ..arguments import (
    axis_of,
    found_in,
    is_number,
    kind_of,
    known_values,
    many_dims,
    ndarray_of,
    need_float,
    rank,
    sizes,
    tensor_like,
)
from ..arrange.order import need_elements, sort
from ..create.creation import make
from ..entries import elementwise as e
from ..entries.arithmetic import clamp, greater
from ..entries.copies import cast
from ..index.index import at_dim, getitem_arrays
from ..index.pick import index_select
from ..index.scatter import gather
from ..linalg.contract import matmul
from ..linalg.linear_systems import conj
from ..public import dims, public
from ..reduce.scans import cumsum, diff
from ..reduce.sums import mean, sum, vector_norm
from ..results import result
from ..shape.joins import atleast_2d, cat
from ..shape.moves import diag
from ..shape.shapes import movedim, reshape, swapaxes, unsqueeze_row

# ----------------- Statistics: quantiles, covariances, histograms; NumPy's functions of these names are the same ones


# ---------------------------------------------------------------------------------------------------- quantiles

BETWEEN = {
    "linear": np.floor, "lower": np.floor, "higher": np.ceil, "midpoint": np.floor, "nearest": np.rint,
}  # fmt: skip
"""The ways to choose between the two elements that a quantile may fall between: how the first is found."""


def quantiles(lines: Any, q: Any, method: str = "linear", skip_nan: bool = False) -> Any:
    """The quantiles of the lines along the last dimension, of which there are as many as ``q`` is long."""
    values: Any = known_values(lines, "nanquantile") if skip_nan else None if type(lines) is Symbol else unwrap(lines)
    if skip_nan and np.isnan(values).any():
        lines = e.where(np.isnan(lines), math.nan, lines)  # which the gradient looks away from
    ordered, n, last = sort(lines, -1)[0], sizes(lines)[-1], rank(lines) - 1
    missing: Any = None if values is None else np.isnan(values).sum(-1, keepdims=True)
    if skip_nan and np.any(missing):
        place, take = q * np.maximum(n - missing - 1, 0), lambda k: gather(ordered, last, k)
    else:
        place, take = q * (n - 1), lambda k: index_select(ordered, last, k)
    first = BETWEEN[method](ndarray_of(place)).astype(np.int64)
    found = take(first)
    if method in ("linear", "midpoint"):
        share = 0.5 if method == "midpoint" else place - first
        if isinstance(share, np.ndarray) and q.size == 1 and kind_of(lines) == "f":  # a number never widens
            share = share.astype(unwrap(lines).dtype)
        found = found + (take(np.ceil(ndarray_of(place)).astype(np.int64)) - found) * share
    if not skip_nan and np.any(missing):
        found = e.where(missing > 0, math.nan, found)
    return found


def _quantile(name: str, x: Any, q: Any, dim: Any, keepdim: bool, method: str) -> Any:
    need_float(x, f"{name}() input tensor must be either float or double dtype, got")
    shape, q = sizes(x), q if isinstance(q, Tensor) else np.asarray(q, float)
    if method not in BETWEEN:
        raise ShapeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {method}"
        )
    if rank(q) > 1:
        raise ShapeError(f"{name}() q must be a scalar or 1D tensor", f"Its shape is {sizes(q)}.", "Flatten it.")
    if not ((ndarray_of(q) >= 0) & (ndarray_of(q) <= 1)).all():
        raise ShapeError(f"{name}() q values must be in the range [0, 1]", "", "Divide percentages by 100.")
    if 0 in shape:
        need_elements(x, None if dim is None else axis_of(dim, len(shape)), name)
    k = None if dim is None or not shape else axis_of(dim, len(shape))
    values = quantiles(reshape(x, (-1,)) if k is None else movedim(x, k, -1), reshape(q, (-1,)), method, "nan" in name)
    values = movedim(values, -1, 0)
    if keepdim:
        values = reshape(values, (-1, *(1 if k is None or d == k else s for d, s in enumerate(shape))))
    return values if rank(q) else reshape(values, tuple(sizes(values))[1:])


@public()
@dims
def quantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    """Return the ``q``-quantiles of all elements, or along ``dim``; NaN wherever there is one.

    Parameters
    ----------
    q : a number between 0 and 1, or a vector of them, which the result has as its first dimension
    interpolation : what is taken between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([4.0, 1.0, 2.0], requires_grad=True)
    >>> y = sg.quantile(x, 0.75)
    >>> y.backward()
    >>> y.item(), x.grad
    (3.0, tensor([0.5000, 0.0000, 0.5000]))
    """
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@public()
@dims
def nanquantile(input: Any, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Any:
    """Return the ``q``-quantiles of what is not NaN, of all elements or along ``dim``; see `quantile`."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


# -------------------------------------------------------------------------------------------------- covariances


def covariance(x: Any, ddof: float, fweights: Any, aweights: Any) -> Any:
    """The covariances of the rows of ``x``, whose columns are observations."""
    given = [tensor_like(w) for w in (fweights, aweights) if w is not None]
    if not given:
        freedom, w = sizes(x)[1] - ddof, None
        center = mean(x, 1, True)
    else:
        w = given[0] if len(given) == 1 else given[0] * given[1]
        size = sum(w)
        center = sum(x * w, 1, True) / size
        freedom = size - ddof * (1 if aweights is None else sum(w * given[-1]) / size)
    if isinstance(freedom, (int, float)) and freedom <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=5)
        freedom = 0.0
    apart = x - center
    others = swapaxes(apart if w is None else apart * w, 0, 1)
    return (matmul(apart, conj(others)) / freedom).squeeze()


def correlation(c: Any) -> Any:
    """The correlations that belong to covariances."""
    if not sizes(c):
        return c / c
    deviation = e.sqrt(diag(c.real if kind_of(c) == "c" else c))
    r = c / unsqueeze_row(deviation, 1) / deviation
    return r if kind_of(c) == "c" else clamp(r, -1.0, 1.0)


@public()
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """Return the covariances of variables in rows, observed in columns; of one row its variance.

    Parameters
    ----------
    correction : divide by the number of observations less this
    fweights : how often each observation counts
    aweights : how much each observation weighs

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.cov(sg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if rank(input) > 2:
        raise ShapeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {rank(input)} "
            "dimensions", "Rows are variables, columns observations.", "Take the matrices one by one.",
        )  # fmt: skip
    floats = "f" in (kind_of(input), kind_of(aweights)) or kind_of(input) == "c"
    x = input if floats else cast(input, _config.default_dtype())
    return covariance(atleast_2d(x), correction, fweights, aweights)


@public()
def corrcoef(input: Any) -> Any:
    """Return the correlation coefficients of variables in rows, observed in columns."""
    return correlation(cov(input))


# --------------------------------------------------------------------------------------------------- histograms

_Histogram = result("histogram", "hist", "bin_edges")
_Histogramdd = result("histogramdd", "hist", "bin_edges")


@public()
def histogram(input: Any, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Return how many elements fall between neighbours of the edges, and the edges; without derivatives.

    Parameters
    ----------
    bins : how many bins of one width, or the edges
    range : the ends of the first and the last bin, by default the input's
    weight : what each element counts
    density : divide so that the area is 1
    """
    x = known_values(input, "counting").reshape(-1)
    need_float(input, "histogram(): expected a float tensor, got")
    w = None if weight is None else known_values(weight, "counting").reshape(-1)
    found = np.histogram(x, _edges(bins), range, density, w)
    return _Histogram(*(found_in(make(v.astype(x.dtype)), input, weight) for v in found))


@public(method=False)
def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Return how many points, the rows of ``input``, fall in each cell of a grid, and the edges along each dimension.

    ``bins`` is one number for all dimensions, one for each, or the edges along each; ``range`` holds the two ends for
    each dimension, one after the other.
    """
    x = known_values(input, "counting").reshape(-1, sizes(input)[-1])
    w = None if weight is None else known_values(weight, "counting").reshape(-1)
    ends = None if range is None else np.reshape(range, (-1, 2)).tolist()
    several = [_edges(b) for b in bins] if isinstance(bins, (list, tuple)) else _edges(bins)
    hist, edges = np.histogramdd(x, several, ends, density, w)
    of_input = lambda v: found_in(make(v.astype(x.dtype)), input, weight)
    return _Histogramdd(of_input(hist), tuple(map(of_input, edges)))


def _edges(bins: Any) -> Any:
    return known_values(bins, "counting") if isinstance(bins, Tensor) else bins


# -------------------------------------------------------------------------------------------------------------------
# Integrals and derivatives of what was sampled: sums of strips, and slopes of the parabolas through neighbours


def _at(x: Any, axis: int, part: Any) -> Any:
    """The part of ``x`` along a dimension, counted from the front."""
    return x[at_dim(axis, part)]


def along_axis(v: Any, axis: int, ndim: int) -> Any:
    """A vector along one of ``ndim`` dimensions."""
    return reshape(v, (1,) * axis + (sizes(v)[0],) + (1,) * (ndim - 1 - axis))


def strips(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """What is between neighbours along a dimension: the mean of the two, times their distance."""
    y, step = tensor_like(y), 1.0 if dx is None else dx
    step = step if is_number(step) else tensor_like(step)
    axis = axis_of(axis, rank(y))
    if x is not None:
        x = tensor_like(x)
        step = along_axis(diff(x), axis, rank(y)) if rank(x) == 1 else diff(x, dim=axis)
    middle = _at(y, axis, slice(1, None)) + _at(y, axis, slice(None, -1))
    return step * middle / 2.0


def _strips(name: str, y: Any, x: Any, dx: Any, dim: int) -> Any:
    if not sizes(y):
        raise DimensionError(f"{name}: y must have at least one dimension", "It is one number.", "Make it a vector.")
    if x is not None and dx is not None:
        raise TypeError(f"{name}() takes x or dx, not both: both are distances")
    lacks = 0 if x is None else rank(y) - rank(x)
    if x is not None and rank(x) > 1 and lacks > 0:
        x = reshape(x, (1,) * lacks + tuple(sizes(x)))
    if kind_of(y) in ("i", "u", "b"):  # whose sums of two may leave the range
        y = cast(y, default_dtype())
    return strips(y, x, dx, dim)


@public("trapz", method=False)
@dims
def trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Return the integral along ``dim`` by the trapezoidal rule; ``x`` are the places, ``dx`` (1) their distance.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.trapezoid(sg.tensor([0.0, 1.0, 4.0]), sg.tensor([0.0, 1.0, 2.0]))
    tensor(3.)
    """
    return sum(_strips("trapezoid", y, x, dx, dim), dim)


@public(method=False)
@dims
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """Return the integrals along ``dim`` up to each place but the first; see `trapezoid`."""
    return cumsum(_strips("cumulative_trapezoid", y, x, dx, dim), dim)


def slope(f: Any, h: Any, axis: int, edge_order: int) -> Any:
    """The slope along a dimension of the parabolas through three neighbours; ``h`` are places, or one distance.

    At the ends it is that of the last line, or (``edge_order=2``) of the last parabola.
    """
    if sizes(f)[axis] < edge_order + 1:
        raise ShapeError(
            "torch.gradient expected each dimension size to be at least edge_order+1",
            f"Dimension {axis} has {sizes(f)[axis]} elements.", "A slope needs two neighbours, a parabola three.",
        )  # fmt: skip
    if sizes(h):
        h = along_axis(diff(h), axis, rank(f))
    lines = diff(f, dim=axis) / h
    former, latter = (_at(lines, axis, part) for part in (slice(None, -1), slice(1, None)))
    if sizes(h):
        before, after = (_at(h, axis, part) for part in (slice(None, -1), slice(1, None)))
        share = before / (before + after)
    else:
        share = 0.5
    ends = [_at(lines, axis, slice(None, 1)), _at(lines, axis, slice(-1, None))]
    if edge_order != 1:
        first, last = (latter - former) * share, (latter - former) * (1 - share)
        ends = [ends[0] - _at(first, axis, slice(None, 1)), ends[1] + _at(last, axis, slice(-1, None))]
    return cat([ends[0], former * (1 - share) + latter * share, ends[1]], axis)


@public(method=False)
def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> list[Any]:
    """Return the slopes of sampled values along each dimension (or those in ``dim``), of parabolas through neighbours.

    This is PyTorch's `torch.gradient`, a finite difference; the derivative of a function is `symgrad.grad`.

    Parameters
    ----------
    spacing : the distance of neighbours, a list of one for each dimension, or a list of vectors of places
    edge_order : 1 for lines at the ends, 2 for parabolas

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.gradient(sg.tensor([0.0, 1.0, 4.0, 9.0]))
    [tensor([1., 2., 4., 5.])]
    """
    if edge_order not in (1, 2):
        raise ValueError(f"torch.gradient only supports edge_order=1 and edge_order=2, got {edge_order}")
    ndim = rank(input)
    axes = many_dims(range(ndim) if dim is None else dim, ndim)
    several, spacing = isinstance(spacing, (list, tuple)), 1 if spacing is None else spacing
    steps = list(spacing) if several else [spacing] * len(axes)
    if len(steps) != len(axes):
        raise ShapeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of one for each dim in dim",
            f"It has {len(steps)}, for {len(axes)} dimensions.", "Give one for each.",
        )  # fmt: skip
    return [slope(input, h, k, edge_order) for h, k in zip(steps, axes, strict=True)]


# ------------------------------------------------- Norms that are bounded, and distances between the rows of a matrix


@public(inplace=True)
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Return ``input`` with every slice along ``dim`` whose p-norm is above ``maxnorm`` scaled down to it.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.renorm(sg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    n = rank(input)
    if n < 2:
        raise ShapeError(
            f"renorm: input needs at least 2 dimensions, got {n} dimensions", f"Its shape is {sizes(input)}.",
            "A vector is one slice: unsqueeze it.",
        )  # fmt: skip
    if p <= 0 or maxnorm < 0:
        words = "non-positive-norm not supported" if p <= 0 else "renorm: expected maxnorm to be >= 0"
        raise ShapeError(words, f"p is {p}, maxnorm {maxnorm}.")
    k = axis_of(dim, n)
    size = vector_norm(input, p, tuple(d for d in range(n) if d != k), True)
    above = greater(size, maxnorm)
    return e.where(above, input * (maxnorm / (e.where(above, size, 1.0) + 1e-7)), input)


@public(method=False)
def pdist(input: Any, p: float = 2.0) -> Any:
    """Return the distances of the rows of a matrix from those that follow, as one vector."""
    if rank(input) != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {rank(input)}D", "", "cdist takes batches.")
    first, second = np.triu_indices(sizes(input)[0], 1)
    return vector_norm(getitem_arrays(input, (first,)) - getitem_arrays(input, (second,)), p, -1)
