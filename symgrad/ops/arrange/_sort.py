"""Sorting, and what is read off a sorted line: the k-th, the k largest, the most frequent; running extremes.

Which element is meant is decided first, by a row without gradient (``argsort``…); its value is then picked, which is
linear. So the elements that the indices name get the gradient, and a second derivative is zero.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DimensionError, ShapeError
from ...core import FORGOTTEN, NUMPY, Tensor, constant, extra, recorded_as, tracing, wrap
from .._dims import axis_of, flag, no_kernel, rank, sizes
from .._public import dims, public
from .._results import result
from ..index._along import picker
from ..reduce._reduce import c_order, sampled

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

# how formulas show the rows whose arguments say it all (the index is where the chosen element was)
_SHOWN = {
    f"{name}_dim": f"{name}({{0}}, {{2}})[0]"
    for name in ("max", "min", "median", "nanmedian", "mode", "cummax", "cummin", "sort")
}


PICK = {
    name: picker(f"{name}_dim", not name.startswith("cum"), doc, _SHOWN.get(f"{name}_dim", ""))
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
    back = (slice(None),) * dim + (slice(None, None, -1),)
    return x.shape[dim] - 1 - np.argsort(x[back], dim, kind="stable")[back]


@_lines
def _argkth(x: np.ndarray, dim: int, k: int) -> np.ndarray:
    return np.take(np.argsort(x, dim, kind="stable"), [k - 1], dim)


@_lines
def _argtop(x: np.ndarray, dim: int, k: int, largest: bool) -> np.ndarray:
    return _argsort(x, dim, largest)[(slice(None),) * dim + (slice(k),)]


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
    return picked("kthvalue", input, argkth_row, (d, int(k)), d, bool(keepdim))


@public()
@dims
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the ``k`` largest (or smallest) elements along ``dim``, in order, and their indices."""
    d = axis_of(dim, rank(input))
    n = sizes(input)[d] if rank(input) else 1
    if not 0 <= k <= n:
        raise ShapeError("selected index k out of range", f"k is {k}, of {n} elements.", "Choose a smaller k.")
    return picked("topk", input, argtop_row, (d, int(k), bool(largest)), d, True)


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


def _numpy_argsort(a: Any, axis: Any = -1) -> Any:
    return argsort(a if rank(a) else a.reshape(1), axis)  # to NumPy a number has one place


def _lone(fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` for callers who pass NumPy's arguments, of which the kind of sort does not matter here: it is stable."""

    def adaptor(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
        if axis is None:
            a, axis = a.reshape(-1), 0
        return fn(a, axis)

    return adaptor


NUMPY.update({np.sort: _lone(lambda a, axis: sort(a, axis)[0]), np.argsort: _lone(_numpy_argsort)})
