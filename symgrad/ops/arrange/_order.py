"""The largest, the smallest, the middle.

Functions without indices (`amax`, `max` of all, `median` of all) share the gradient among elements that tie; those
with indices (`max` along a dimension) give all of it to the one they name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY, Tensor, constant, general
from .._dims import axes_of, axis_of, kind_of, rank, sizes
from .._public import dims, public
from .._results import result
from ..entries import _elementwise as e
from ..reduce._norm import tie_share
from ..reduce._reduce import along, c_order, everywhere, restore, sampled
from ._sort import argmedian_row, kthvalue, need_elements, need_order, picked

AminmaxResult = result("aminmax", "min", "max")

# ------------------------------------------------------------------------- extremes that share among ties


def _shared(g: Any, x: Any, y: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    return restore(g, x.shape, dim, keepdim) * tie_share(x, y, dim, keepdim, False)


_most: Any = np.maximum.reduce
_least: Any = np.minimum.reduce


def _all(x: Any) -> tuple[int, ...]:
    return tuple(range(len(x.shape)))


amax_dim = general(
    "amax", lambda x, dim, keepdim: c_order(_most(x, dim, None, None, keepdim)),
    lambda g, x, y, dim, keepdim: _shared(g, x, y, dim, keepdim), means="axes option", sample=along, kink="ties share",
    finite=True, pieces=True, doc="the largest along dim",
)  # fmt: skip
amin_dim = general(
    "amin", lambda x, dim, keepdim: c_order(_least(x, dim, None, None, keepdim)),
    lambda g, x, y, dim, keepdim: _shared(g, x, y, dim, keepdim), means="axes option", sample=along, kink="ties share",
    finite=True, pieces=True, doc="the smallest along dim",
)  # fmt: skip
max_all = general(
    "max", lambda x: _most(x, None), lambda g, x, y: g * tie_share(x, y, _all(x), False, True),
    sample=everywhere, kink="ties share", finite=True, pieces=True, doc="the largest element",
)  # fmt: skip
min_all = general(
    "min", lambda x: _least(x, None), lambda g, x, y: g * tie_share(x, y, _all(x), False, True),
    sample=everywhere, kink="ties share", finite=True, pieces=True, doc="the smallest element",
)  # fmt: skip
aminmax_dim = general(
    "aminmax", lambda x, dim, keepdim: (
        c_order(_least(x, dim, None, None, keepdim)), c_order(_most(x, dim, None, None, keepdim))
    ),
    lambda g, x, y, dim, keepdim: _shared(g[0], x, y[0], dim, keepdim) + _shared(g[1], x, y[1], dim, keepdim),
    outputs=True, own_dtype=True, means="axes option", sample=along, kink="ties share", pieces=True,
    doc="the smallest and the largest along dim",
)  # fmt: skip


def _middle(x: np.ndarray, skip_nan: bool) -> Any:
    x = x.reshape(-1)
    missing = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)
    if skip_nan:
        x = x[~missing]
    elif missing.any():
        return np.full((), np.nan, x.dtype)
    k = (x.size - 1) // 2
    return np.partition(x, k)[k] if x.size else np.array(np.nan if x.dtype.kind == "f" else 0).astype(x.dtype)


median_all = general(
    "median", lambda x: _middle(x, False), lambda g, x, y: g * tie_share(x, y, _all(x), False, True), sample=everywhere,
    kink="ties share", pieces=True, doc="the middle element, the lower of two",
)  # fmt: skip
nanmedian_all = general(
    "nanmedian", lambda x: _middle(x, True), lambda g, x, y: g * tie_share(x, y, _all(x), False, True),
    sample=everywhere, kink="ties share", pieces=True, doc="the middle of the elements that are not NaN",
)  # fmt: skip

# -------------------------------------------------------------------------------------------- which element


argmax_row = constant(
    "argmax", lambda x, dim, keepdim: np.argmax(x, dim, keepdims=keepdim), means="axis option",
    sample=sampled(1, False),
    doc="the index of the largest along dim",
)  # fmt: skip
argmin_row = constant(
    "argmin", lambda x, dim, keepdim: np.argmin(x, dim, keepdims=keepdim), means="axis option",
    sample=sampled(1, False),
    doc="the index of the smallest along dim",
)  # fmt: skip


@public()
@dims
def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the index of the (first) largest element, of all or along ``dim``."""
    return _arg("argmax", argmax_row, input, dim, keepdim)


@public()
@dims
def argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the index of the (first) smallest element, of all or along ``dim``."""
    return _arg("argmin", argmin_row, input, dim, keepdim)


def _arg(name: str, row: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    need_order(x, name)
    k = None if dim is None else axis_of(dim, rank(x))
    need_elements(x, k, name)
    return row(x, k if rank(x) else None, bool(keepdim))


# -------------------------------------------------------------------------------------------------- extremes


@public()
@dims
def amax(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """Return the largest element, of all or along ``dim`` (one or several); elements that tie share the gradient."""
    return _extreme("amax", amax_dim, input, dim, keepdim)


@public()
@dims
def amin(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """Return the smallest element, of all or along ``dim`` (one or several); elements that tie share the gradient."""
    return _extreme("amin", amin_dim, input, dim, keepdim)


def _extreme(name: str, row: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    need_order(x, name)
    everything = dim is None or (isinstance(dim, (tuple, list)) and not dim)
    axes = axes_of(dim, rank(x))
    need_elements(x, None if everything else axes, name)
    return row(x, axes, bool(keepdim))


@public()
@dims
def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the largest element; along ``dim``, values and indices; of two tensors, the larger entries.

    The largest of all shares its gradient among elements that tie; along a dimension the first of them gets all of it.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> A.max()
    tensor(4.)
    >>> values, indices = A.max(dim=1)
    >>> indices
    tensor([1, 0])
    """
    return _max_or_min("max", input, dim, keepdim, other)


@public()
@dims
def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the smallest element; along ``dim``, values and indices; of two tensors, the smaller entries.

    The smallest of all shares its gradient among elements that tie; along a dimension the first of them gets all of it.
    """
    return _max_or_min("min", input, dim, keepdim, other)


def _max_or_min(name: str, x: Any, dim: Any, keepdim: bool, other: Any) -> Any:
    if isinstance(dim, Tensor) or (isinstance(dim, np.ndarray) and (rank(dim) or kind_of(dim) == "f")):
        dim, other = None, dim
    if other is not None:
        return e.maximum(x, other) if name == "max" else e.minimum(x, other)
    need_order(x, name)
    if dim is None:
        need_elements(x, None, name)
        if keepdim:  # NumPy's: PyTorch wants a dimension
            return (amax if name == "max" else amin)(x, None, True)
        return (max_all if name == "max" else min_all)(x)
    k = axis_of(dim, rank(x))
    need_elements(x, k, name)
    row = argmax_row if name == "max" else argmin_row
    return picked(name, x, row, (k if rank(x) else None, True), k, bool(keepdim))


@public()
@dims
def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the smallest and the largest element, of all or along ``dim``; elements that tie share the gradient."""
    if 0 in sizes(input) and dim is None:
        raise ShapeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    axes = axes_of(dim, rank(input))
    need_elements(input, axes, "aminmax")
    return AminmaxResult(*aminmax_dim(input, axes, bool(keepdim)))


# ---------------------------------------------------------------------------------------------------- medians


@public()
@dims
def median(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the median of all elements; along ``dim``, values and indices. Of two in the middle it is the lower."""
    return _median("median", median_all, input, dim, keepdim)


@public()
@dims
def nanmedian(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the median of the elements that are not NaN; along ``dim``, values and indices."""
    return _median("nanmedian", nanmedian_all, input, dim, keepdim)


def _median(name: str, row: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    need_order(x, name)
    if dim is None:
        return row(x)
    k = axis_of(dim, rank(x))
    need_elements(x, k, name)
    return picked(name, x, argmedian_row, (k, name == "nanmedian"), k, bool(keepdim))


def _numpy_median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    # NumPy takes the mean of the two in the middle; NaN is the lower of them wherever there is one
    shape, axes = sizes(a), axes_of(axis, rank(a))
    if not all(shape[k] for k in axes):
        return np.mean(a, axis, keepdims=keepdims)  # NaN, as NumPy says
    if len(axes) == 1:
        line, k = a, axes[0]
    else:
        rest = [s for d, s in enumerate(shape) if d not in axes]
        line, k = np.moveaxis(a, axes, range(len(axes))).reshape((-1, *rest)), 0
    n = sizes(line)[k]
    y = median(line, k)[0]
    if n % 2 == 0:
        y = (y + kthvalue(line, n // 2 + 1, k)[0]) / 2
    return y.reshape([1 if d in axes else s for d, s in enumerate(shape)]) if keepdims else y


def _numpy_range(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    return NUMPY[np.max](a, axis, keepdims=keepdims) - NUMPY[np.min](a, axis, keepdims=keepdims)


NUMPY.update({
    np.ptp: _numpy_range, np.median: _numpy_median,
    np.argmax: lambda a, axis=None, out=None, *, keepdims=False: argmax(a, axis, bool(keepdims)),
    np.argmin: lambda a, axis=None, out=None, *, keepdims=False: argmin(a, axis, bool(keepdims)),
})  # fmt: skip
