"""Sums and what is made of them: sum, mean, variance, counting; and broadcasting, which is the transpose of a sum.

A reduction is two rows where PyTorch has two nodes: over all elements (no parameters, so it costs least) and along
dimensions, which a row always gets as a sorted tuple of non-negative numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ..._limits import SPREAD, WIDE_SUM
from ...core import Tensor, constant, general, linear, table
from ...core import sum_to as _sum_to
from .._dims import axes_of, flag, kind_of, need_float, rank, unexpandable
from .._public import dims, public
from ..entries import _elementwise as e
from ..entries._copy import cast

LONG = np.dtype(np.int64)


def count(shape: tuple[Any, ...], dim: tuple[int, ...]) -> Any:
    """How many elements each sum along ``dim`` has."""
    return math.prod(shape[d] for d in dim)


def _long(out: Any) -> Any:
    """Sums of unsigned numbers are int64, as PyTorch's are."""
    return out.astype(LONG) if kind_of(out) == "u" else out  # a sum of SymPy expressions has no dtype


def sampled(*params: Any, shape: tuple[int, ...] = (2, 3, 4)) -> Callable[[Any], Any]:
    """What a row ``(x, *params)`` is tested with: the function that draws an ``x``."""
    return lambda rng: ((rng.normal(size=shape),), params)


along = sampled((0, 2), False)
everywhere = sampled(shape=(2, 3))

# -------------------------------------------------------------------------------------------- broadcasting


def _sum_to_shape(x: Any, shape: Any) -> Any:
    return _sum_to(np.asarray(x), shape)


# a rule's `shape` is the shape of its input, whatever the forward function calls its own
sum_to: Any = linear(
    "sum_to", lambda x, to: _sum_to_shape(x, to), lambda g, shape: expand(g, shape),
    sample=sampled((3, 1)), doc="the transpose of broadcasting from shape",
)  # fmt: skip
expand: Any = linear(
    "expand", lambda x, to: x[...] if x.shape == tuple(to) else np.broadcast_to(x, to),
    lambda g, shape: sum_to(g, shape), view=True, means="spread", sample=sampled((2, 3, 4), shape=(3, 1)),
    doc="x broadcast to shape",
)  # fmt: skip


def spread(g: Any, shape: tuple[int, ...]) -> Any:
    """A gradient of one element for each of ``shape``."""
    if isinstance(g, (np.ndarray, np.generic)):
        if math.prod(shape) > SPREAD:
            return np.broadcast_to(g, shape)
        out = np.empty(shape, g.dtype)
        out.fill(g)
        return out
    return expand(g, shape)


def restore(x: Any, shape: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """Give what was reduced from ``shape`` along ``dim`` the dimensions it lost, so that it broadcasts again."""
    if keepdim:
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return x.reshape([1 if k in dim else n for k, n in enumerate(shape)])
    unsqueeze = table("unsqueeze")
    for d in dim:
        x = unsqueeze(x, d)
    return x


def spread_along(g: Any, shape: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """A gradient of sums along ``dim`` for each element of ``shape``."""
    g = restore(g, shape, dim, keepdim)
    if isinstance(g, np.ndarray) and math.prod(shape) <= SPREAD:
        out = np.empty(shape, g.dtype)
        out[...] = g
        return out
    return expand(g, shape)


def mean_rule(g: Any, shape: tuple[int, ...], dim: tuple[int, ...], keepdim: bool) -> Any:
    """A gradient of means along ``dim`` for each element of ``shape``."""
    return spread_along(g / count(shape, dim), shape, dim, keepdim)


# ---------------------------------------------------------------------------------------------------- sums


def _finite(rng: Any) -> Any:
    return (np.where(rng.random((2, 3, 4)) < 0.3, np.nan, 1.5),), ((0, 2), False)


_WIDE = {np.dtype(np.float16): np.dtype(np.float64), np.dtype(np.float32): np.dtype(np.float64),
         np.dtype(np.complex64): np.dtype(np.complex128)}  # fmt: skip
_HALF, _F64 = np.dtype(np.float16), np.dtype(np.float64)


_plus: Any = np.add.reduce


def widened(dtype: Any) -> Any:
    """The dtype in which sums of many numbers of a short ``dtype`` are kept; None where its own will do."""
    return _WIDE.get(dtype)


def c_order(x: Any) -> Any:
    """An array in C order, copied if need be: NumPy keeps the order of its input where PyTorch does not."""
    return x.copy("C") if type(x) is np.ndarray and not x.flags.c_contiguous else x


def add_reduce(x: Any, dim: Any = None, dtype: Any = None, out: Any = None, keepdim: bool = False) -> Any:
    """``np.add.reduce`` in C order, as exact for short floats along every dimension as NumPy is along the last."""
    if type(x) is np.ndarray and x.dtype is not _F64 and x.dtype in _WIDE and _needs_width(x, dim):
        wide = _plus(x, dim, _WIDE[x.dtype], None, keepdim)
        with np.errstate(over="ignore"):
            return c_order(wide.astype(x.dtype))
    total = _plus(x, dim, None, None, keepdim)
    return total if dim is None else c_order(total)


def _needs_width(x: np.ndarray, dim: Any) -> bool:
    """Whether NumPy would sum one by one (it sums pairs of pairs where the numbers lie side by side)."""
    if x.dtype is _HALF:
        return True
    last = dim is None or dim == tuple(range(x.ndim - len(dim), x.ndim))
    return x.size > WIDE_SUM and not (last and x.flags.c_contiguous)


def _average(x: Any, dim: Any, n: int, keepdim: bool = False) -> Any:
    half = type(x) is np.ndarray and x.dtype is _HALF  # the sum alone may be too large
    mean = add_reduce(x.astype(np.float64) if half else x, dim, None, None, keepdim) / (n or math.nan)
    return mean.astype(x.dtype) if half else mean


sum_all = linear(
    "sum", lambda x: _long(add_reduce(x, None)), lambda g, shape: spread(g, shape), sample=everywhere,
    doc="the sum of all elements",
)  # fmt: skip
sum_dim = linear(
    "sum_dim", lambda x, dim, keepdim: _long(add_reduce(x, dim, None, None, keepdim)),
    lambda g, shape, dim, keepdim: spread_along(g, shape, dim, keepdim),
    means="axes option", sample=along, label="sum", doc="the sum along dim",
)  # fmt: skip
# x.size or nan: the mean of nothing is NaN without a warning
mean_all = linear(
    "mean", lambda x: _average(x, None, x.size),
    lambda g, shape: spread(g / math.prod(shape), shape), sample=everywhere, doc="the mean of all elements",
)  # fmt: skip
mean_dim = linear(
    "mean_dim", lambda x, dim, keepdim: _average(x, dim, count(x.shape, dim), keepdim),
    lambda g, shape, dim, keepdim: mean_rule(g, shape, dim, keepdim),
    means="axes option", sample=along, label="mean", doc="the mean along dim",
)  # fmt: skip
nansum_dim = general(
    "nansum", lambda x, dim, keepdim: c_order(_long(np.nansum(x, dim, keepdims=keepdim))),
    lambda g, x, dim, keepdim: e.where(np.isnan(x), 0, restore(g, x.shape, dim, keepdim)),
    means="axes option", sample=_finite, pieces=True, doc="the sum along dim of what is not NaN",
)  # fmt: skip


def total(x: Any, dim: tuple[int, ...]) -> Any:
    """The sum along ``dim``, which stays as a dimension of one."""
    return add_reduce(x, dim, None, None, True) if type(x) is np.ndarray else sum_dim(x, dim, True)


def _renamed(name: str, dim: Any, axis: Any, keepdim: Any, keepdims: Any) -> tuple[Any, Any]:
    """``dim`` and ``keepdim``, given under NumPy's names: what `dims` does, for functions that must be quick."""
    if dim is not None and axis is not None:
        raise TypeError(f"{name}() got both 'dim' and 'axis'; they mean the same")
    return dim if axis is None else axis, keepdim or keepdims


@public()
def sum(
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None, keepdims: bool = False
) -> Any:
    """Return the sum of all elements, or along ``dim`` (a number or several); whole numbers sum to int64.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> A.sum()
    tensor(10., grad_fn=<SumBackward0>)
    >>> A.sum(0, keepdim=True)
    tensor([[4., 6.]], grad_fn=<SumBackward1>)
    """
    if axis is not None or keepdims:
        dim, keepdim = _renamed("sum", dim, axis, keepdim, keepdims)
    if dtype is not None:
        return cast(sum(cast(input, dtype), dim, keepdim), dtype)  # whole numbers have summed to int64
    if dim is None and not keepdim:
        return sum_all(input)
    return sum_dim(input, axes_of(dim, rank(input)), flag(keepdim, "keepdim"))


@public()
def mean(
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, axis: Any = None, keepdims: bool = False
) -> Any:
    """Return the mean of all elements, or along ``dim`` (a number or several).

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> A.mean().backward()
    >>> A.grad
    tensor([[0.2500, 0.2500],
            [0.2500, 0.2500]])
    """
    if axis is not None or keepdims:
        dim, keepdim = _renamed("mean", dim, axis, keepdim, keepdims)
    if dtype is not None:
        input = cast(input, dtype)
    if type(input) is Tensor and input._data.dtype.kind not in "fc":
        need_float(input, _INFER)
    if dim is None and not keepdim:
        return mean_all(input)
    return mean_dim(input, axes_of(dim, rank(input)), flag(keepdim, "keepdim"))


_INFER = "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got:"


@public()
@dims
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the sum of the elements that are not NaN; those that are get no gradient."""
    input = cast(input, dtype)
    if kind_of(input) in ("i", "u", "b"):
        return sum(input, dim, keepdim, dtype=dtype)
    return nansum_dim(input, axes_of(dim, rank(input)), bool(keepdim))


@public()
@dims
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean of the elements that are not NaN; those that are get no gradient."""
    input = cast(input, dtype)
    need_float(input, "nanmean(): expected input to have floating point or complex dtype but got")
    numbers = sum(e.where(np.isnan(input), 0.0, e.where(np.isnan(input), 0.0, 1.0)), dim, keepdim)
    return nansum(input, dim, keepdim) / cast(numbers, getattr(input, "dtype", None))


@public(function=False)
def sum_to_size(input: Any, *sizes_: Any, size: Any = None) -> Any:
    """Return the input summed to ``size``, a shape from which it broadcasts to its own."""
    sizes_ = sizes_ if size is None else (size,)
    shape = tuple(sizes_[0]) if len(sizes_) == 1 and not isinstance(sizes_[0], int) else sizes_
    have = input._data.shape
    if unexpandable(shape, have):
        words = f"size {{{list(shape)}}} is not expandable to size {{{list(have)}}}."
        raise ShapeError(words, "", "Pass a shape that broadcasts.")
    return input if shape == have else sum_to(input, shape)


# ------------------------------------------------------------------------------------------------ counting

any_dim = constant(
    "any", lambda x, dim, keepdim: c_order(np.any(x, dim, keepdims=keepdim)), means="axes option", sample=along,
    doc="whether any element is true",
)  # fmt: skip
all_dim = constant(
    "all", lambda x, dim, keepdim: c_order(np.all(x, dim, keepdims=keepdim)), means="axes option", sample=along,
    doc="whether all elements are true",
)  # fmt: skip
count_nonzero_dim = constant(
    "count_nonzero", lambda x, dim: np.count_nonzero(x, dim), means="axes", sample=sampled((0,), shape=(2, 3)),
    doc="how many elements are not zero",
)  # fmt: skip


@public()
@dims
def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether any element is true (not zero), of all or along ``dim``."""
    return _answered(any_dim(input, axes_of(dim, rank(input)), bool(keepdim)), input)


@public()
@dims
def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether all elements are true (not zero), of all or along ``dim``."""
    return _answered(all_dim(input, axes_of(dim, rank(input)), bool(keepdim)), input)


def _answered(found: Any, input: Any) -> Any:
    """PyTorch answers in bytes where it was asked in bytes."""
    return cast(found, np.uint8) if isinstance(input, Tensor) and input._data.dtype == np.uint8 else found


@public()
@dims
def count_nonzero(input: Any, dim: Any = None) -> Any:
    """Return how many elements are not zero, of all or along ``dim``."""
    return count_nonzero_dim(input, axes_of(dim, rank(input)))
