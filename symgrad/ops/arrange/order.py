"""Sorting, choosing and sets: the k-th, the largest, the middle, running extremes, elements among others."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DimensionError, ShapeError
from ...core import FORGOTTEN, NUMPY, Tensor, constant, extra, general, recorded_as, tracing, wrap
from ..arguments import axes_of, axis_of, flag, found_in, kind_of, known_values, no_kernel, rank, sizes, whole
from ..create.creation import make
from ..entries import elementwise as e
from ..index.index import at_dim, getitem_arrays
from ..index.scatter import picker
from ..public import dims, public
from ..reduce.sums import along, c_order, everywhere, restore, tie_share
from ..results import result
from ..samples import sampled

# -------------------------------------------------------------------------------------------------------------------
# Sorting, and what is read off a sorted line: the k-th, the k largest, the most frequent; running extremes

# Which element is meant is decided first, by a row without gradient (``argsort``…); its value is then picked, which is
# linear. So the elements that the indices name get the gradient, and a second derivative is zero.


# ----------------------------------------------------------------------------------------------- checks


def need_order(x: Any, what: str) -> None:
    """Raise for complex numbers, which have none."""
    if type(x) is Tensor and x._data.dtype.kind == "c":
        raise no_kernel(what, x._data.dtype, "Complex numbers have no order.", "Compare .abs().")


def need_elements(x: Any, dim: Any, what: str) -> None:
    """Raise where there is nothing to choose from."""
    shape = sizes(x)
    if 0 not in shape:
        return
    if dim is None:
        error = DimensionError if what.startswith("arg") else ShapeError  # IndexError or RuntimeError: PyTorch's choice
        raise error(
            f"{what}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument.",
            f"The input's shape is {shape}.", "It has no elements.",
        )  # fmt: skip
    for d in dim if isinstance(dim, tuple) else (dim,):
        if shape[d] == 0:
            raise DimensionError(
                f"{what}(): Expected reduction dim {d} to have non-zero size.",
                f"The input's shape is {shape}.", "It has no elements there.",
            )  # fmt: skip


# ------------------------------------------------------------------------------------- picking along a line

PICK = {
    # the arguments say it all, but which of the order is picked (the index is where the chosen element was)
    name: picker(
        f"{name}_dim",
        not name.startswith("cum"),
        doc,
        "" if name in ("kthvalue", "topk") else f"{name}({{0}}, {{2}})[0]",
    )
    for name, doc in [
        ("max", "the largest along dim, at its index"),
        ("min", "the smallest along dim, at its index"),
        ("median", "the middle along dim, at its index"),
        ("nanmedian", "the middle along dim of what is not NaN, at its index"),
        ("mode", "the most frequent along dim, at its index"),
        ("kthvalue", "the k-th smallest along dim, at its index"),
        ("topk", "the k largest along dim, at their indices"),
        ("sort", "the sorted elements along dim, at their indices"),
        ("cummax", "the largest up to here along dim, at its index"),
        ("cummin", "the smallest up to here along dim, at its index"),
    ]
}
RESULT = {name: result(name, "values", "indices") for name in PICK}


def picked(name: str, x: Any, finder: Callable[..., Any], params: tuple[Any, ...], dim: int, keepdim: bool) -> Any:
    """Return values and indices; ``finder(x, *params)`` finds these, and keeps the reduced dimension.

    The values remember how their places were found, the indices that are given away do not keep what they came from.
    """
    token = tracing.set([]) if tracing.get() is None else None
    try:
        index = finder(x, *params)
    finally:
        if token is not None:
            tracing.reset(token)
    values = PICK[name](x, index, dim, keepdim)
    if token is not None and type(index) is Tensor and index._extra is not None and index._data.size < x._data.size:
        index = wrap(index._data)
        extra(index).origin = FORGOTTEN
    return RESULT[name](values, index if keepdim or not rank(index) else index.squeeze(dim))


# -------------------------------------------------------------------------------------------- which element


def _lines(which: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that finds indices along ``dim`` also take a number, a line of one element."""

    @functools.wraps(which)  # its parameters are the row's
    def found(x: np.ndarray, dim: int, *params: Any) -> np.ndarray:
        return which(x, dim, *params) if x.ndim else np.zeros((), np.int64)

    return found


@_lines
def _argsort(x: np.ndarray, dim: int, descending: bool) -> np.ndarray:
    if not descending:
        return np.argsort(x, dim, kind="stable")
    # backwards twice: elements that tie keep their order, NaN comes first
    back = at_dim(dim, slice(None, None, -1))
    return x.shape[dim] - 1 - np.argsort(x[back], dim, kind="stable")[back]


@_lines
def _argkth(x: np.ndarray, dim: int, k: int) -> np.ndarray:
    return np.take(np.argsort(x, dim, kind="stable"), [k - 1], dim)


@_lines
def _argtop(x: np.ndarray, dim: int, k: int, largest: bool) -> np.ndarray:
    return _argsort(x, dim, largest)[at_dim(dim, slice(k))]


@_lines
def _argmedian(x: np.ndarray, dim: int, skip_nan: bool) -> np.ndarray:
    order = np.argsort(x, dim, kind="stable")
    n = x.shape[dim]
    missing = np.isnan(x).sum(dim, keepdims=True) if x.dtype.kind == "f" else np.zeros((1,) * x.ndim, int)
    if skip_nan:
        k = np.maximum(n - missing - 1, 0) // 2
    else:
        k = np.where(missing > 0, n - missing, (n - 1) // 2)  # NaN sorts last: the first of them
    return np.take_along_axis(order, np.broadcast_to(k, [1 if d == dim else s for d, s in enumerate(x.shape)]), dim)


@_lines
def _argmode(x: np.ndarray, dim: int) -> np.ndarray:
    if x.size == 0:
        return np.zeros([1 if d == dim else n for d, n in enumerate(x.shape)], np.int64)

    def line(v: np.ndarray) -> Any:
        values, counts = np.unique(v, return_counts=True, equal_nan=False)
        best = values[np.argmax(counts)]
        return np.flatnonzero(v == best if best == best else v != v)[-1:]

    return np.apply_along_axis(line, dim, x)


@_lines
def _argcum(x: np.ndarray, dim: int, ufunc: np.ufunc) -> np.ndarray:
    best = ufunc.accumulate(x, dim)
    new = (x == best) | (x != x)
    places = np.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    return c_order(np.maximum.accumulate(np.where(new, places, 0), dim))


def _finder(name: str, which: Callable[..., Any], doc: str, *params: Any) -> Callable[..., Any]:
    """A row of indices along dim; ``params`` are sample values of its other parameters."""
    means = " ".join(["axis", *["option"] * len(params)])
    return constant(name, which, means=means, sample=sampled(1, *params), doc=doc)


argsort_row = _finder("argsort", _argsort, "the indices that sort along dim", False)
argkth_row = _finder("argkth", _argkth, "the index of the k-th smallest along dim", 2)
argtop_row = _finder("argtop", _argtop, "the indices of the k largest along dim", 2, True)
argmedian_row = _finder("argmedian", _argmedian, "the index of the middle along dim", False)
argmode_row = _finder("argmode", _argmode, "the last index of the most frequent along dim")
argcummax_row = _finder(
    "argcummax", lambda x, dim: _argcum(x, dim, np.maximum), "the index of the largest up to here, along dim"
)
argcummin_row = _finder(
    "argcummin", lambda x, dim: _argcum(x, dim, np.minimum), "the index of the smallest up to here, along dim"
)

# --------------------------------------------------------------------------------------------------- functions


@public()
@dims
def mode(input: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the most frequent element along ``dim`` (the smallest of several), and its last index."""
    k = axis_of(dim, rank(input))
    need_elements(input, k, "mode")
    return picked("mode", input, argmode_row, (k,), k, bool(keepdim))


@public()
@dims
def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the ``k``-th smallest element along ``dim`` (counted from 1), and its index."""
    d = axis_of(dim, rank(input))
    need_elements(input, d, "kthvalue")
    n = sizes(input)[d] if rank(input) else 1
    if not 1 <= k <= n:
        words = f"kthvalue(): selected number k out of range for dimension {d}"
        raise ShapeError(words, f"k is {k} of {n}.", "Count from 1.")
    return picked("kthvalue", input, argkth_row, (d, whole(k)), d, bool(keepdim))


@public()
@dims
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the ``k`` largest (or smallest) elements along ``dim``, in order, and their indices."""
    d = axis_of(dim, rank(input))
    n = sizes(input)[d] if rank(input) else 1
    if not 0 <= k <= n:
        raise ShapeError("selected index k out of range", f"k is {k}, of {n} elements.", "Choose a smaller k.")
    return picked("topk", input, argtop_row, (d, whole(k), bool(largest)), d, True)


@public()
@dims
def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """Return the elements in order along ``dim``, and their indices; those that tie keep theirs (``stable`` or not).

    Examples
    --------
    >>> import symgrad as sg
    >>> values, indices = sg.sort(sg.tensor([3.0, 1.0, 2.0]))
    >>> values, indices
    (tensor([1., 2., 3.]), tensor([1, 2, 0]))
    """
    need_order(input, "sort")
    d = axis_of(dim, rank(input))
    found = picked("sort", input, argsort_row, (d, flag(descending, "descending")), d, True)
    return found if stable is None else recorded_as(found, "stable_sort")


@public()
@dims
def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the indices that sort the elements along ``dim``; elements that tie keep their order."""
    return argsort_row(input, axis_of(dim, rank(input)), flag(descending, "descending"))


@public()
def msort(input: Any) -> Any:
    """Return the elements in order along the first dimension."""
    return sort(input, 0)[0]


@public()
@dims
def cummax(input: Any, dim: int) -> Any:
    """Return the largest element up to each along ``dim``, and its index, the latest of several."""
    d = axis_of(dim, rank(input))
    return picked("cummax", input, argcummax_row, (d,), d, True)


@public()
@dims
def cummin(input: Any, dim: int) -> Any:
    """Return the smallest element up to each along ``dim``, and its index, the latest of several."""
    d = axis_of(dim, rank(input))
    return picked("cummin", input, argcummin_row, (d,), d, True)


def _numpy_argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """With NumPy's arguments, of which the kind of sort does not matter here: it is stable."""
    if axis is None:
        a, axis = a.reshape(-1), 0
    return argsort(a if rank(a) else a.reshape(1), axis)  # to NumPy a number has one place


NUMPY[np.argsort] = _numpy_argsort


# ------------------------------------------------------------------------------ The largest, the smallest, the middle

# Functions without indices (`amax`, `max` of all, `median` of all) share the gradient among elements that tie; those
# with indices (`max` along a dimension) give all of it to the one they name.


AminmaxResult = result("aminmax", "min", "max")

# ------------------------------------------------------------------------- extremes that share among ties


def _shared(g: Any, x: Any, y: Any, dim: tuple[int, ...], keepdim: bool) -> Any:
    return restore(g, x.shape, dim, keepdim) * tie_share(x, y, dim, keepdim, False)


_most: Any = np.maximum.reduce
_least: Any = np.minimum.reduce


def _along_dims(name: str, reduce: Any, doc: str) -> Any:
    return general(
        name, lambda x, dim, keepdim: c_order(reduce(x, dim, None, None, keepdim)), _shared, means="axes option",
        sample=along, kink="ties share", finite=True, pieces=True, doc=doc,
    )  # fmt: skip


def _of_all(name: str, forward: Any, doc: str, finite: bool = False) -> Any:
    return general(
        name, forward, lambda g, x, y: g * tie_share(x, y, tuple(range(len(x.shape))), False, True), sample=everywhere,
        kink="ties share", finite=finite, pieces=True, doc=doc,
    )  # fmt: skip


amax_dim = _along_dims("amax", _most, "the largest along dim")
amin_dim = _along_dims("amin", _least, "the smallest along dim")
max_all = _of_all("max", lambda x: _most(x, None), "the largest element", finite=True)
min_all = _of_all("min", lambda x: _least(x, None), "the smallest element", finite=True)
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


median_all = _of_all("median", lambda x: _middle(x, False), "the middle element, the lower of two")
nanmedian_all = _of_all("nanmedian", lambda x: _middle(x, True), "the middle of the elements that are not NaN")

# -------------------------------------------------------------------------------------------- which element


argmax_row = _finder(
    "argmax", lambda x, dim, keepdim: np.argmax(x, dim, keepdims=keepdim), "the index of the largest along dim", False
)
argmin_row = _finder(
    "argmin", lambda x, dim, keepdim: np.argmin(x, dim, keepdims=keepdim), "the index of the smallest along dim", False
)


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
    if name == "nanmedian" and type(x) is Tensor and kind_of(x) == "f" and np.isnan(x._data).any():
        missing = np.isnan(x._data)
        beside = missing & ~missing.all(None if dim is None else axis_of(dim, rank(x)), keepdims=True)
        x = e.where(beside, math.nan, x)  # which the gradient looks away from; of lines of NaN one is the middle
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


# ----------------------- Elements among others, choices and places: isin, combinations, unravel_index, nonzero_static


@public(method=False, numpy=(np.isin,))
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return for each element whether it is among ``test_elements`` (with ``invert``: whether it is not)."""
    a, b = (known_values(x, "which elements are among others") for x in (elements, test_elements))
    return found_in(make(np.isin(a, b, assume_unique=assume_unique, invert=invert)), elements, test_elements)


@public()
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Return all choices of ``r`` elements of a vector, one to a row, in the order of their places.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.combinations(sg.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 2.],
            [1., 3.],
            [2., 3.]])
    """
    if rank(input) != 1 or r < 0:
        raise ShapeError(
            f"Expect a 1D vector, but got shape {list(sizes(input))}" if r >= 0
            else f"Expect a non-negative number, but got {r}", "", "Choose elements of a vector.",
        )  # fmt: skip
    if r == 0:
        return input[:0]
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(sizes(input)[0]), r)), np.int64).reshape(-1, r)
    return getitem_arrays(input, (places,))


@public(method=False)
def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """Return the places in a tensor of a shape, one tensor per dimension, of ``indices`` that count in C order."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    index = known_values(indices, "places").astype(np.int64)
    size = math.prod(shape)
    if index.size and (index.min() < -size or index.max() >= size):
        raise ShapeError(f"index is out of bounds for shape {list(shape)}", f"There are {size} elements.", "Check it.")
    return tuple(found_in(make(np.asarray(k)), indices) for k in np.unravel_index(index % (size or 1), shape))


@public()
def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """Return the places of what is not zero, one to a row, in a result of ``size`` rows: cut, or filled at its end."""
    if size < 0:
        raise ShapeError(f"nonzero_static: 'size' must be an non-negative integer, it is {size}")
    found = np.argwhere(known_values(input, "which elements are zero"))[:size]
    whole = np.pad(found, ((0, size - len(found)), (0, 0)), constant_values=fill_value).astype(np.int64)
    return found_in(make(whole), input)


def _numpy_unravel_index(indices: Any, shape: Any, order: Any = "C") -> tuple[Tensor, ...]:
    found = np.unravel_index(known_values(indices, "places"), shape, order)
    return tuple(found_in(make(np.asarray(k)), indices) for k in found)


NUMPY[np.unravel_index] = _numpy_unravel_index
