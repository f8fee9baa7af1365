"""Statistics: quantiles, covariances, histograms; NumPy's functions of these names are the same ones."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import _config
from ..._errors import ShapeError
from ...core import Symbol, Tensor
from .._dims import array, axis_of, data, found_in, kind_of, known, need_float, sizes
from .._numpy_arguments import tensor_like
from .._public import dims, public
from .._results import result
from ..arrange._sort import need_elements, sort
from ..create._create import make
from ..entries import _elementwise as e
from ..entries._arithmetic import clamp
from ..entries._copy import cast
from ..index._pick import index_select
from ..index._scatter import gather
from ..linalg._contract import matmul
from ..linalg._linalg import conj
from ..reduce._reduce import mean, sum
from ..shape._diagonal import diag
from ..shape._join import atleast_2d
from ..shape._shape import movedim, reshape, swapaxes, unsqueeze_row

# ---------------------------------------------------------------------------------------------------- quantiles

BETWEEN = {
    "linear": np.floor, "lower": np.floor, "higher": np.ceil, "midpoint": np.floor, "nearest": np.rint,
}  # fmt: skip
"""The ways to choose between the two elements that a quantile may fall between: how the first is found."""


def quantiles(lines: Any, q: Any, method: str = "linear", skip_nan: bool = False) -> Any:
    """The quantiles of the lines along the last dimension, of which there are as many as ``q`` is long."""
    ordered, n, last = sort(lines, -1)[0], sizes(lines)[-1], len(sizes(lines)) - 1
    values = known(lines, "nanquantile") if skip_nan else None if type(lines) is Symbol else data(lines)
    missing: Any = None if values is None else np.isnan(values).sum(-1, keepdims=True)
    if skip_nan and np.any(missing):
        place, take = q * np.maximum(n - missing - 1, 0), lambda k: gather(ordered, last, k)
    else:
        place, take = q * (n - 1), lambda k: index_select(ordered, last, k)
    first = BETWEEN[method](array(place)).astype(np.int64)
    found = take(first)
    if method in ("linear", "midpoint"):
        share = 0.5 if method == "midpoint" else place - first
        if isinstance(share, np.ndarray) and q.size == 1 and kind_of(lines) == "f":  # a number never widens
            share = share.astype(data(lines).dtype)
        found = found + (take(np.ceil(array(place)).astype(np.int64)) - found) * share
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
    if len(sizes(q)) > 1:
        raise ShapeError(f"{name}() q must be a scalar or 1D tensor", f"Its shape is {sizes(q)}.", "Flatten it.")
    if not ((array(q) >= 0) & (array(q) <= 1)).all():
        raise ShapeError(f"{name}() q values must be in the range [0, 1]", "", "Divide percentages by 100.")
    if 0 in shape:
        need_elements(x, None if dim is None else axis_of(dim, len(shape)), name)
    k = None if dim is None or not shape else axis_of(dim, len(shape))
    values = quantiles(reshape(x, (-1,)) if k is None else movedim(x, k, -1), reshape(q, (-1,)), method, "nan" in name)
    values = movedim(values, -1, 0)
    if keepdim:
        values = reshape(values, (-1, *(1 if k is None or d == k else s for d, s in enumerate(shape))))
    return values if len(sizes(q)) else reshape(values, tuple(sizes(values))[1:])


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
    if len(sizes(input)) > 2:
        raise ShapeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with {len(sizes(input))} "
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
    x = known(input, "counting").reshape(-1)
    need_float(input, "histogram(): expected a float tensor, got")
    w = None if weight is None else known(weight, "counting").reshape(-1)
    found = np.histogram(x, _edges(bins), range, density, w)
    return _Histogram(*(found_in(make(v.astype(x.dtype)), input, weight) for v in found))


@public(method=False)
def histogramdd(input: Any, bins: Any, range: Any = None, weight: Any = None, density: bool = False) -> Any:
    """Return how many points, the rows of ``input``, fall in each cell of a grid, and the edges along each dimension.

    ``bins`` is one number for all dimensions, one for each, or the edges along each; ``range`` holds the two ends for
    each dimension, one after the other.
    """
    x = known(input, "counting").reshape(-1, sizes(input)[-1])
    w = None if weight is None else known(weight, "counting").reshape(-1)
    ends = None if range is None else np.reshape(range, (-1, 2)).tolist()
    several = [_edges(b) for b in bins] if isinstance(bins, (list, tuple)) else _edges(bins)
    hist, edges = np.histogramdd(x, several, ends, density, w)
    of_input = lambda v: found_in(make(v.astype(x.dtype)), input, weight)
    return _Histogramdd(of_input(hist), tuple(map(of_input, edges)))


def _edges(bins: Any) -> Any:
    return known(bins, "counting") if isinstance(bins, Tensor) else bins
