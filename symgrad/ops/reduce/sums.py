"""Sums and what is made of them: mean, variance, counting, norms; and broadcasting, which is the transpose of a sum."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ..._limits import SPREAD, WIDE_SUM
from ...core import Tensor, constant, elementwise, general, linear, row_function
from ...core import sum_to as _sum_to
from ..arguments import axes_of, constant_number, flag, kind_of, need_float, rank, unexpandable
from ..entries import elementwise as e
from ..entries.copies import beside, cast
from ..public import dims, named, public, publish
from ..samples import sampled

# -------------------------------------------------------------------------------------------------------------------
# Sums and what is made of them: sum, mean, variance, counting; and broadcasting, which is the transpose of a sum

# A reduction is two rows where PyTorch has two nodes: over all elements (no parameters, so it costs least) and along
# dimensions, which a row always gets as a sorted tuple of non-negative numbers.


LONG = np.dtype(np.int64)


def count(shape: tuple[Any, ...], dim: tuple[int, ...]) -> Any:
    """How many elements each sum along ``dim`` has."""
    return math.prod(shape[d] for d in dim)


def _long(out: Any) -> Any:
    """Sums of unsigned numbers are int64, as PyTorch's are."""
    return out.astype(LONG) if kind_of(out) == "u" else out  # a sum of SymPy expressions has no dtype


along = sampled((0, 2), False)
everywhere = sampled(of=[(2, 3)])

# -------------------------------------------------------------------------------------------- broadcasting


def _expanded(x: Any, to: Any) -> Any:
    same = x[(None,) * (len(to) - x.ndim) + (...,)]  # no two of its entries lie in one place: it may be written to
    return same if same.shape == tuple(to) else np.broadcast_to(x, to)


# a rule's `shape` is the shape of its input, whatever the forward function calls its own
sum_to = linear(
    "sum_to", lambda x, to: _sum_to(np.asarray(x), to), lambda g, shape: expand(g, shape),
    sample=sampled((3, 1)), doc="the transpose of broadcasting from shape",
)  # fmt: skip
expand: Any = linear(
    "expand", _expanded, lambda g, shape: sum_to(g, shape), view=True, means="spread",
    sample=sampled((2, 3, 4), of=[(3, 1)]), doc="x broadcast to shape",
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
    unsqueeze = row_function("unsqueeze")
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
    "sum", lambda x: _long(add_reduce(x, None)), spread, sample=everywhere,
    doc="the sum of all elements",
)  # fmt: skip
sum_dim = linear(
    "sum_dim", lambda x, dim, keepdim: _long(add_reduce(x, dim, None, None, keepdim)),
    spread_along, means="axes option", sample=along, label="sum", doc="the sum along dim",
)  # fmt: skip
# x.size or nan: the mean of nothing is NaN without a warning
mean_all = linear(
    "mean", lambda x: _average(x, None, x.size),
    lambda g, shape: spread(g / math.prod(shape), shape), sample=everywhere, doc="the mean of all elements",
)  # fmt: skip
mean_dim = linear(
    "mean_dim", lambda x, dim, keepdim: _average(x, dim, count(x.shape, dim), keepdim),
    mean_rule, means="axes option", sample=along, label="mean", doc="the mean along dim",
)  # fmt: skip
nansum_dim = general(
    "nansum", lambda x, dim, keepdim: c_order(_long(np.nansum(x, dim, keepdims=keepdim))),
    lambda g, x, dim, keepdim: e.where(np.isnan(x), 0, restore(g, x.shape, dim, keepdim)),
    means="axes option", sample=_finite, pieces=True, masks=True, doc="the sum along dim of what is not NaN",
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
    numbers = sum(e.where(np.isnan(input), 0.0, 1.0), dim, keepdim)
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
    "count_nonzero", lambda x, dim: np.count_nonzero(x, dim), means="axes", sample=sampled((0,), of=[(2, 3)]),
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


# ----------------------------------------------------------- Norms, distances and deviations: roots of sums of powers

# They have one kink in common, where the root is taken of zero; there every gradient is zero, at every order
# (`div_or_zero`), as PyTorch's is at the first.


def _quotient(a: Any, b: Any) -> Any:
    zero = b == 0
    if not np.any(zero):
        return np.true_divide(a, b)
    return np.where(zero, 0, np.true_divide(a, np.where(zero, 1, b)))


def _abs_power(x: Any, p: float) -> Any:
    if p == 0:
        return np.ones_like(x)
    size = np.abs(x)
    return np.power(size, p) if p > 0 else np.where(size == 0, 0, np.power(np.where(size == 0, 1, size), p))


div_or_zero: Any = elementwise(
    "div_or_zero", _quotient, lambda g, b: div_or_zero(g, b),
    lambda g, b, y: -div_or_zero(g * y, b), sympy="a/b", domain=("real", "nonzero"), kink="0 where b is 0",
    text="{0}/{1}", doc="a / b, 0 where b is 0",
)  # fmt: skip
# |x|**p and sign(x) |x|**p are each other's derivatives
abs_power = elementwise(
    "abs_power", _abs_power, lambda x, p: p * signed_power(x, p - 1), sympy="Abs(x)**p",
    domain="nonzero", sample=(2.5,), real_only=True, kink="0 at 0, also for negative p",
    doc="|x| ** p",
)  # fmt: skip
signed_power: Any = elementwise(
    "signed_power", lambda x, p: np.sign(x) * _abs_power(x, p), lambda x, p: p * abs_power(x, p - 1),
    sympy="sign(x)*Abs(x)**p", domain="nonzero", sample=(2.5,), real_only=True, kink="0 at 0",
    doc="sign(x) * |x| ** p",
)  # fmt: skip


# ------------------------------------------------------------------------------------------------ variance


def _variance(name: str, x: np.ndarray, dim: tuple[int, ...], correction: float, keepdim: bool) -> Any:
    if x.dtype == np.float16:  # squares are out of its range soon
        with np.errstate(over="ignore"):
            return np.asarray(_variance(name, x.astype(np.float64), dim, correction, keepdim)).astype(x.dtype)
    size = count(x.shape, dim)
    d = x - add_reduce(x, dim, None, None, True) / (size or math.nan)
    squares = d * d if x.dtype.kind != "c" else d.real * d.real + d.imag * d.imag
    sums = add_reduce(squares, dim, None, None, keepdim)
    if size > correction:
        return sums / (size - correction)
    warnings.warn(
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
        f"(input numel divided by output numel): {size} elements, correction {correction}.", UserWarning, stacklevel=6,
    )  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.true_divide(sums, np.zeros((), squares.dtype))


def _deviation(name: str, x: np.ndarray, dim: tuple[int, ...], correction: float, keepdim: bool) -> Any:
    if x.dtype == np.float16:  # the variance may be out of its range
        return np.asarray(_deviation(name, x.astype(np.float64), dim, correction, keepdim)).astype(x.dtype)
    return np.sqrt(_variance(name, x, dim, correction, keepdim))


def _variance_rule(g: Any, x: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
    freedom = count(x.shape, dim) - correction
    factor = 2 / freedom if freedom > 0 else math.inf
    return restore(g, x.shape, dim, keepdim) * factor * (x - mean_dim(x, dim, True))


def _deviation_rule(g: Any, x: Any, y: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
    return _variance_rule(div_or_zero(g, y * 2), x, dim, correction, keepdim)


_facts: dict[str, Any] = {"holomorphic": False, "sample": sampled((0, 2), 1, False)}
var_dim = general(
    "var", lambda x, dim, correction, keepdim: _variance("var", x, dim, correction, keepdim),
    _variance_rule, means="axes option option", doc="the mean square deviation from the mean", **_facts,
)  # fmt: skip
std_dim = general(
    "std", lambda x, dim, correction, keepdim: _deviation("std", x, dim, correction, keepdim),
    _deviation_rule, kink="0 where x is constant", means="axes option option", doc="the square root of the variance",
    **_facts,
)  # fmt: skip
var_mean_dim = general(
    "var_mean",
    lambda x, dim, correction, keepdim: (_variance("var_mean", x, dim, correction, keepdim), mean_dim(x, dim, keepdim)),
    lambda g, x, shape, dim, correction, keepdim: _variance_rule(g[0], x, dim, correction, keepdim)
    + mean_rule(g[1], shape, dim, keepdim),
    outputs=True, own_dtype=True, means="axes option option", doc="the variance and the mean", **_facts,
)  # fmt: skip
std_mean_dim = general(
    "std_mean",
    lambda x, dim, correction, keepdim: (
        _deviation("std_mean", x, dim, correction, keepdim), mean_dim(x, dim, keepdim),
    ),
    # the deviation once more: the outputs, kept, would keep the mean from being written to
    lambda g, x, shape, dim, correction, keepdim: _deviation_rule(
        g[0], x, std_dim(x, dim, correction, keepdim), dim, correction, keepdim
    ) + mean_rule(g[1], shape, dim, keepdim),
    outputs=True, own_dtype=True, kink="0 where x is constant", means="axes option option",
    doc="the standard deviation and the mean", **_facts,
)  # fmt: skip


def _publish_deviation(row: Callable[..., Any], name: str, what: str) -> Callable[..., Any]:
    both = "_" in name

    def fn(
        input: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None,
        ddof: Any = None,
    ) -> Any:  # fmt: skip
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if ddof is not None:
            if correction is not None:
                raise TypeError(f"{name}() takes correction or ddof, not both: they mean the same")
            correction = ddof
        if unbiased is not None and correction is not None:
            raise TypeError(f"{name}() takes unbiased or correction, not both")
        if correction is None:
            correction = 1 if unbiased is None or flag(unbiased, "unbiased") else 0
        correction = constant_number(correction, f"{name}'s correction")
        if kind_of(input) in ("i", "u", "b") and type(input) is Tensor:
            raise DTypeError(
                f"{name if both else 'std and var'} only support floating point and complex dtypes",
                f"The tensor's dtype is {input._data.dtype}.", "Cast it first: x.double().",
            )  # fmt: skip
        return row(input, axes_of(dim, rank(input)), correction, bool(keepdim))

    doc = f"""Return {what}, of all elements or along ``dim``.

    Parameters
    ----------
    dim : a dimension or several; None for all
    unbiased : divide by n - 1 (default) or by n
    keepdim : keep the dimensions, with size 1
    correction : divide by n - correction instead (``ddof`` is NumPy's name for it)

    Notes
    -----
    Where the standard deviation is zero, its gradient is taken as zero.
    """
    return publish(dims(named(fn, name, doc)), name, method=not both)


var = _publish_deviation(var_dim, "var", "the variance")
std = _publish_deviation(std_dim, "std", "the standard deviation")
var_mean = _publish_deviation(var_mean_dim, "var_mean", "the variance and the mean")
std_mean = _publish_deviation(std_mean_dim, "std_mean", "the standard deviation and the mean")

# --------------------------------------------------------------------------------------------------- norms


def _tie_share(x: np.ndarray, y: np.ndarray, dim: tuple[int, ...], keepdim: bool, nan: bool) -> Any:
    y = restore(y, x.shape, dim, keepdim)
    equal = x == y
    if nan:
        equal |= (x != x) & (y != y)
    ties = equal.astype(x.dtype if x.dtype.kind == "f" else np.float64)
    with np.errstate(invalid="ignore"):  # none where y is NaN
        return ties / add_reduce(ties, dim, None, None, True)


tie_share = constant(
    "tie_share", _tie_share, 2,
    means="axes option option",
    sample=sampled((1,), False, False, of=[np.array([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]]), np.array([3.0, 2.0])]),
    doc="1 where x equals y (or both are NaN, if nan), divided by how many do along dim; else 0",
)  # fmt: skip


def _norm(x: np.ndarray, p: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    if x.dtype == np.float16:
        with np.errstate(over="ignore"):
            return np.asarray(_norm(x.astype(np.float64), p, dim, keepdim)).astype(x.dtype)
    if p == 2:
        return np.sqrt(add_reduce(x * x, dim, None, None, keepdim))
    size = np.abs(x)
    if p == 1:
        return add_reduce(size, dim, None, None, keepdim)
    if p == 0:
        return add_reduce((size != 0).astype(size.dtype), dim, None, None, keepdim)
    if math.isinf(p):
        return c_order((np.max if p > 0 else np.min)(size, dim, keepdims=keepdim))
    with np.errstate(divide="ignore"):
        return np.power(add_reduce(np.power(size, p), dim, None, None, keepdim), 1 / p)


def norm_rule(g: Any, x: Any, y: Any, p: float, dim: tuple[int, ...], keepdim: bool) -> Any:
    """The gradient of a p-norm ``y`` of ``x`` along ``dim``."""
    shape = x.shape
    g = restore(g, shape, dim, keepdim)
    if p == 2:
        return div_or_zero(g, restore(y, shape, dim, keepdim)) * x
    if p == 1:
        return g * e.sign(x)
    if p == 0:
        return g * 0 * e.sign(x)
    if math.isinf(p):
        return g * e.sign(x) * tie_share(e.abs(x), y, dim, keepdim, False)
    y = restore(y, shape, dim, keepdim)
    return (div_or_zero(g, abs_power(y, p - 1)) if p > 1 else g * abs_power(y, 1 - p)) * signed_power(x, p - 1)


norm_dim = general(
    "vector_norm", _norm, norm_rule, holomorphic=False,
    means="option axes option", sample=sampled(3.0, (0, 2), False), kink="0 at 0; for infinite p ties share",
    real_only=True, label="norm", sign=">=",
    doc="the p-norm: (sum |x|**p)**(1/p)",
)  # fmt: skip
dist_rows = general(
    "dist", lambda a, b, p: _norm(a - b, p, tuple(range((a - b).ndim)), False),
    lambda g, a, b, y, p, shape_a: sum_to(norm_rule(g, a - b, y, p, tuple(range(len((a - b).shape))), False), shape_a),
    lambda g, a, b, y, p, shape_b: sum_to(-norm_rule(g, a - b, y, p, tuple(range(len((a - b).shape))), False), shape_b),
    holomorphic=False, sample=sampled(3.0, of=[(2, 3), (3,)]), kink="0 at a = b",
    real_only=True, doc="the p-norm of a - b",
)  # fmt: skip


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the vector norm of order ``ord``: any number, or infinite; 0 counts what is not zero.

    At zero the gradient is taken as zero; for infinite orders elements that tie share it.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([3.0, 4.0], requires_grad=True)
    >>> sg.linalg.vector_norm(x)
    tensor(5., grad_fn=<LinalgVectorNormBackward0>)
    """
    ord = constant_number(ord, "linalg.vector_norm's order")
    need_float(x, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got")
    x = cast(x, dtype)
    axes = axes_of(dim, rank(x))
    if (math.isinf(ord) or ord < 0) and 0 in [x.shape[d] for d in axes]:
        raise ShapeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the operation does not have "
            "an identity",
            f"Its shape is {tuple(x.shape)}.", "Norms of positive order are 0 there.",
        )  # fmt: skip
    if kind_of(x) == "c" and ord == 2 and axes:  # of squares, which are smooth where |z| is not
        x = row_function("cat")([row_function("real")(x), row_function("imag")(x)], axes[0])
    elif kind_of(x) == "c":
        x = row_function("abs_complex")(x)
    return norm_dim(x, ord, axes, bool(keepdim))


@public()
def dist(input: Any, other: Any, p: float = 2) -> Any:
    """Return the norm of order ``p`` of ``input - other``; at zero distance the gradient is taken as zero."""
    if kind_of(input) == "c" or kind_of(other) == "c":
        return vector_norm(input - other, p)
    return dist_rows(beside(input, other), beside(other, input), constant_number(p, "dist's order"))


@public(method=False)
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "") -> Any:
    """Return the distance of each row of ``x1`` from each row of ``x2``, a matrix (or a batch of them).

    The differences are formed one by one (``compute_mode`` has no other), so that small distances are exact.
    """
    unsqueeze = row_function("unsqueeze")
    difference = unsqueeze(x1, rank(x1) - 1) - unsqueeze(x2, rank(x2) - 2)
    return vector_norm(difference, p, -1)
