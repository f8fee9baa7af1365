"""Scans along a dimension (sums, products, log-sum-exps of all that came before), and the softmax family.

Products are differentiated without dividing, so zeros are no special case: the product of all the others is what
comes before times what comes after, and the derivative of a running product is a linear recurrence
``s[k] = b[k] + a[k] s[k-1]``, whose own derivative is the same recurrence run backwards. So every order is right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ..._limits import SCAN_SHORT, SCAN_WIDE, SHORT_ROW, SHORT_ROWS
from ...core import NUMPY, Tensor, general, linear
from ..arguments import axes_of, axis_of, flag, no_kernel, rank, sizes, summed_in
from ..entries import elementwise as e
from ..entries.copies import cast
from ..public import FUNCTIONS, METHODS, dims, in_place, public
from ..samples import sampled
from .sums import _long, add_reduce, along, c_order, everywhere, expand, restore, total, widened


def _end(dim: int, part: slice) -> tuple[slice, ...]:
    return (slice(None),) * dim + (part,)


def _backwards(x: np.ndarray, dim: int) -> np.ndarray:
    return x[_end(dim, slice(None, None, -1))]


def _flat(x: np.ndarray, dim: int | None) -> tuple[np.ndarray, int]:
    """The array and dimension to scan: all elements in order where ``dim`` is None; numbers count as one element."""
    return (x.reshape(-1), 0) if dim is None or x.ndim == 0 else (x, dim)


def _scan(ufunc: np.ufunc, x: np.ndarray, dim: int | None, reverse: bool = False) -> np.ndarray:
    line, k = _flat(x, dim)
    wide = widened(x.dtype)  # of many small numbers, each would be lost in a short sum
    if reverse:
        out = _backwards(ufunc.accumulate(_backwards(line, k), k, wide), k)
    else:
        out = ufunc.accumulate(line, k, wide)
    if wide is None:
        return c_order(_long(out)).reshape(x.shape)
    with np.errstate(over="ignore"):
        return out.astype(x.dtype, "C").reshape(x.shape)


def _shift(x: np.ndarray, dim: int | None, reverse: bool, fill: float = 0) -> np.ndarray:
    line, k = _flat(x, dim)
    out = np.full(line.shape, fill, x.dtype)
    early, late = _end(k, slice(None, -1)), _end(k, slice(1, None))
    if reverse:
        out[early] = line[late]
    else:
        out[late] = line[early]
    return out.reshape(x.shape)


def _recurrence(b: np.ndarray, a: np.ndarray, dim: int | None, reverse: bool) -> np.ndarray:
    shape = b.shape
    (b, k), (a, _) = _flat(b, dim), _flat(a, dim)
    dtype = np.result_type(a, b)
    s = np.moveaxis(np.array(b, widened(dtype) or dtype), k, 0)
    a = np.moveaxis(a, k, 0)
    out = s
    if reverse:
        s, a = s[::-1], a[::-1]
    n = len(s)
    if n <= SCAN_SHORT or s.size >= n * SCAN_WIDE:
        for i in range(1, n):
            s[i] += a[i] * s[i - 1]
    else:
        a, step = a.astype(s.dtype), 1
        while step < n:  # s[i] covers `step` terms, a[i] is the product of as many factors
            s[step:] += a[step:] * s[:-step]
            a[step:] = a[step:] * a[:-step]
            step *= 2
    out = np.moveaxis(out, 0, k).reshape(shape)
    if out.dtype == dtype:
        return out
    with np.errstate(over="ignore"):
        return out.astype(dtype)


shift: Any = linear(
    "shift", lambda x, dim, reverse: _shift(x, dim, reverse), lambda g, dim, reverse: shift(g, dim, not reverse),
    means="axis option",
    sample=sampled(1, False), doc="each element's predecessor along dim (successor if reverse), 0 for the first",
)  # fmt: skip
recurrence: Any = general(
    "recurrence", _recurrence,
    lambda g, a, dim, reverse: recurrence(g, shift(a, dim, not reverse), dim, not reverse),
    lambda g, a, y, dim, reverse: recurrence(g, shift(a, dim, not reverse), dim, not reverse) * shift(y, dim, reverse),
    means="axis option", sample=sampled(1, False, of=[(2, 3), (2, 3)]),
    doc="the solution of y[k] = b[k] + a[k] y[k-1] along dim (y[k+1] if reverse)",
)  # fmt: skip
cumsum_dim: Any = linear(
    "cumsum", lambda x, dim, reverse: _scan(np.add, x, dim, reverse),
    lambda g, dim, reverse: cumsum_dim(g, dim, not reverse),
    means="axis option", sample=sampled(1, False), doc="the sums of all up to here, along dim",
)  # fmt: skip
cumprod_before = general(
    "cumprod_before", lambda x, dim, reverse: _scan(np.multiply, _shift(x, dim, reverse, 1), dim, reverse),
    lambda g, x, y, dim, reverse: y * shift(recurrence(g, x, dim, not reverse), dim, not reverse),
    means="axis option", sample=sampled(1, False),
    doc="the products of all before (after if reverse), along dim",
)  # fmt: skip
cumprod_dim = general(
    "cumprod", lambda x, dim: _scan(np.multiply, x, dim),
    lambda g, x, dim: cumprod_before(x, dim, False) * recurrence(g, shift(x, dim, True), dim, True),
    means="axis", sample=sampled(1), doc="the products of all up to here, along dim",
)  # fmt: skip


def others(x: Any, dim: int | None) -> Any:
    """For each element the product of all the others."""
    return cumprod_before(x, dim, False) * cumprod_before(x, dim, True)


prod_all = general(
    "prod", lambda x: _long(np.multiply.reduce(x, None)), lambda g, x: g * others(x, None),
    sample=everywhere, doc="the product of all elements",
)  # fmt: skip
prod_dim = general(
    "prod_dim", lambda x, dim, keepdim: c_order(_long(np.multiply.reduce(x, dim, keepdims=keepdim))),
    lambda g, x, dim, keepdim: restore(g, x.shape, dim, keepdim) * others(x, dim[0]) if dim else g,
    means="axes option", sample=sampled((1,), False),
    label="prod", doc="the product along one dim",
)  # fmt: skip


@public()
@dims
def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the product of all elements, or along ``dim``; its derivatives are right where elements are zero, too.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([2.0, 0.0, 4.0], requires_grad=True)
    >>> x.prod().backward()
    >>> x.grad
    tensor([0., 8., 0.])
    """
    if dtype is not None:
        return cast(prod(cast(input, dtype), dim, keepdim), dtype)  # whole numbers have multiplied to int64
    if dim is None and not keepdim:
        return prod_all(input)
    axes, keepdim = axes_of(dim, rank(input)), flag(keepdim, "keepdim")
    if not axes:
        return prod_dim(input, axes, keepdim)
    for d in reversed(axes):
        input = prod_dim(input, (d,), keepdim)
    return input


def _running(row: Callable[..., Any], input: Any, dim: Any, dtype: Any) -> Any:
    input = cast(input, dtype)
    if dim is None:
        input, dim = input.reshape(-1), 0
    return cast(row(input, axis_of(dim, rank(input))), dtype)  # whole numbers have run on as int64


@public()
@dims
def cumsum(input: Any, dim: Any = None, *, dtype: Any = None) -> Any:
    """Return the sums of all elements up to each, along ``dim``; without it of all elements in one row, as NumPy does.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> A.cumsum(0)
    tensor([[1., 2.],
            [4., 6.]])
    >>> A.cumsum()
    tensor([ 1.,  3.,  6., 10.])
    """
    return _running(lambda x, k: cumsum_dim(x, k, False), input, dim, dtype)


@public()
@dims
def cumprod(input: Any, dim: Any = None, *, dtype: Any = None) -> Any:
    """Return the products of all elements up to each, along ``dim``; without it of all elements in one row, as NumPy
    does. Zeros are no special case.
    """
    return _running(cumprod_dim, input, dim, dtype)


def _in_place(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The in-place method, which has the tensor's shape: ``dim`` must be said."""

    @dims
    def along_dim(input: Any, dim: int, *, dtype: Any = None) -> Any:
        return fn(input, dim, dtype=dtype)

    along_dim.__name__ = name
    return in_place(along_dim, name + "_")


METHODS.update(cumsum_=_in_place(cumsum, "cumsum"), cumprod_=_in_place(cumprod, "cumprod"))


# ---------------------------------------------------------------------------------------- logarithms of sums


def upright(x: np.ndarray, dim: tuple[int, ...]) -> np.ndarray:
    """An array lying by columns where it has many short rows: along these NumPy is several times as quick then."""
    many = x.ndim == 2 and dim == (1,) and x.shape[1] <= SHORT_ROW and x.shape[0] >= SHORT_ROWS * x.shape[1]
    return np.asfortranarray(x) if many else x


def _top(x: np.ndarray, dim: tuple[int, ...]) -> Any:
    return np.maximum.reduce(x, dim, keepdims=True, initial=-np.inf)


def _logsumexp(x: np.ndarray, dim: tuple[int, ...], keepdim: bool) -> Any:
    if x.dtype.kind not in "fc":
        x = x.astype(np.float64)
    x = upright(x, dim)
    top = _top(x.real if x.dtype.kind == "c" else x, dim)
    top = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore", over="ignore"):
        return c_order(
            np.log(add_reduce(np.exp(x - top), dim, None, None, keepdim)) + (top if keepdim else top.squeeze(dim))
        )


def _softmax(x: np.ndarray, dim: tuple[int, ...]) -> Any:
    x = upright(c_order(x), dim)
    with np.errstate(invalid="ignore"):  # -inf everywhere: NaN
        weights = np.exp(x - _top(x, dim))
        return c_order(weights / add_reduce(weights, dim, None, None, True))


def _log_softmax(x: np.ndarray, dim: tuple[int, ...]) -> Any:
    x = upright(c_order(x), dim)
    with np.errstate(invalid="ignore"):
        below = x - _top(x, dim)
        return c_order(below - np.log(add_reduce(np.exp(below), dim, None, None, True)))


logsumexp_dim = general(
    "logsumexp", _logsumexp,
    lambda g, x, y, dim, keepdim: restore(g, x.shape, dim, keepdim) * e.exp(x - restore(y, x.shape, dim, keepdim)),
    means="axes option", sample=along, finite=True, doc="log(sum(exp(x))) along dim, without overflow",
)  # fmt: skip
softmax_dim = general(
    "softmax", _softmax, lambda g, y, dim: y * (g - total(g * y, dim)),
    means="axes", rowwise=True, sample=sampled((1,)), sign=">=", finite=True, doc="exp(x) / sum(exp(x)) along dim",
)  # fmt: skip
log_softmax_dim = general(
    "log_softmax", _log_softmax, lambda g, y, dim: g - e.exp(y) * total(g, dim),
    means="axes", rowwise=True, sample=sampled((1,)), finite=True, doc="log(softmax(x)) along dim, without overflow",
)  # fmt: skip
# the share of x[k] in a later y[i] is exp(x[k] - y[i]) = exp(x[k] - y[k]) exp(y[k] - y[k+1]) … : factors up to 1
logcumsumexp_dim = general(
    "logcumsumexp", lambda x, dim: _scan(np.logaddexp, x, dim),
    lambda g, x, y, dim: e.exp(x - y) * recurrence(g, e.exp(e.clamp_max_tensor(y - shift(y, dim, True), 0)), dim, True),
    means="axis", sample=sampled(1), doc="log(sum(exp(x))) of all up to here, along dim",
)  # fmt: skip


@public("special_logsumexp")
@dims
def logsumexp(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return ``log(sum(exp(input)))`` along ``dim`` (one, several, all), without overflow; its gradient is softmax.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1000.0, 1000.0], requires_grad=True)
    >>> sg.logsumexp(x, 0)
    tensor(1000.6931, grad_fn=<LogsumexpBackward0>)
    """
    return logsumexp_dim(input, axes_of(dim, rank(input)), bool(keepdim))


def _need_float(x: Any, kernel: str) -> None:
    if type(x) is Tensor and x._data.dtype.kind not in "fc":
        raise no_kernel(kernel, x._data.dtype, "", "Cast it first: x.double(), or dtype=sg.float64.")


def _along_one(row: Any, input: Any, dim: int, dtype: Any) -> Any:
    input = cast(input, dtype)
    axes = axes_of(int(dim), rank(input))
    last = "_lastdim" if rank(input) - 1 in axes or not axes else ""
    _need_float(input, f"{row.op.name}{last}_kernel_impl")
    return row(input, axes)


@public()
@dims
def softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    """Return ``exp(input) / sum(exp(input))`` along ``dim``, without overflow."""
    return _along_one(softmax_dim, input, dim, dtype)


@public()
@dims
def log_softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    """Return ``log(softmax(input))`` along ``dim``, without overflow."""
    return _along_one(log_softmax_dim, input, dim, dtype)


@public()
@dims
def logcumsumexp(input: Any, dim: int) -> Any:
    """Return ``log(sum(exp(…)))`` of all elements up to each, along ``dim``, without overflow."""
    _need_float(input, "logcumsumexp")
    return logcumsumexp_dim(input, axis_of(dim, rank(input)))


# ------------------------------------------------------------------------------------------------ differences


def _undiff(x: np.ndarray, dim: int, to: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(to, x.dtype)
    out[_end(dim, slice(1, None))] += x
    out[_end(dim, slice(None, -1))] -= x
    return out


diff_dim = linear(
    "diff", lambda x, dim: np.diff(x, axis=dim), lambda g, shape, dim: undiff(g, dim, shape),
    means="axis", sample=sampled(1), doc="the differences of neighbours along dim",
)  # fmt: skip
undiff: Any = linear(
    "undiff", _undiff, lambda g, dim: diff_dim(g, dim),
    means="axis within", sample=sampled(1, (2, 3, 4), of=[(2, 2, 4)]), doc="the transpose of diff",
)  # fmt: skip


@public()
@dims
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the ``n``-th differences of neighbours along ``dim``, with ``prepend`` and ``append`` put at its ends.

    For ``n = 0`` that is a copy of the input alone, without what is put at its ends.
    """
    if n < 0:
        raise ShapeError(f"order must be non-negative but got {n}", "diff was asked for a negative n.", "Use cumsum.")
    if rank(input) == 0:
        raise ShapeError("diff expects input to be at least one-dimensional", "", "Make it a vector with reshape(1).")
    dim = axis_of(dim, rank(input))
    if n == 0:
        return FUNCTIONS["clone"](input)
    parts = [p if isinstance(p, Tensor) else np.asarray(p) for p in (prepend, input, append) if p is not None]
    if len(parts) > 1:
        shape = sizes(input)
        ends = [p if rank(p) else expand(p, shape[:dim] + (1,) + shape[dim + 1 :]) for p in parts]
        input = FUNCTIONS["cat"](ends, dim)
    for _ in range(n):
        input = diff_dim(input, dim)
    return input


def _numpy_scan(fn: Any) -> Any:
    return lambda a, axis=None, dtype=None, out=None: cast(fn(a, axis, dtype=dtype), summed_in(a, dtype))


NUMPY.update({
    np.cumsum: _numpy_scan(cumsum), np.cumprod: _numpy_scan(cumprod),
})  # fmt: skip
