"""NumPy's functions of statistics, calculus and linear algebra, written in operations.

The idea to hold: each is NumPy's definition in the table's operations, so derivatives of every order follow, and
arguments mean what they mean in NumPy (``axis``, ``ddof``, the last two dimensions of `numpy.linalg`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY, Symbol
from .._dims import axis_of, data, kind_of, many_dims, numbers_only, sizes
from .._numpy_arguments import alike, as_line, averaged, common_kind, tensor_like
from ..entries import _elementwise as e
from ..entries._arithmetic import clamp, isnan
from ..entries._copy import cast
from ..linalg._contract import matmul
from ..linalg._linalg import conj, is_complex
from ..reduce._reduce import sum
from ..shape._join import atleast_2d, cat
from ..shape._pad import pad
from ..shape._shape import reshape, swapaxes, transpose
from ..statistics._calculus import slope, strips
from ..statistics._statistics import correlation, covariance

# -------------------------------------------------------------------------------------------------- statistics


def _numpy_average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False
) -> Any:
    a, keepdims = averaged(tensor_like(a)), keepdims is True
    add = NUMPY[np.sum]
    if weights is None:
        total, scale = NUMPY[np.mean](a, axis, keepdims=keepdims), None
    else:
        a, weights = alike(a, weights)
        if tuple(sizes(weights)) != tuple(sizes(a)):
            axes = () if axis is None else many_dims(axis, len(sizes(a)))
            if tuple(sizes(weights)) != tuple(sizes(a)[k] for k in axes) or not axes:
                raise TypeError("np.average: weights of another shape than a need an axis, and the shape of a along it")
            order = tuple(int(k) for k in np.argsort(axes))
            weights = reshape(transpose(weights, order), tuple(n if k in axes else 1 for k, n in enumerate(sizes(a))))
            scale = add(weights * NUMPY[np.ones_like](a), axis, keepdims=keepdims)
        else:
            scale = add(weights, axis, keepdims=keepdims)
        if type(scale) is not Symbol and not np.all(data(scale)):
            raise ZeroDivisionError("np.average: weights sum to zero, can't be normalized")
        total = add(a * weights, axis, keepdims=keepdims) / scale
    if not returned:
        return total
    return total, add(NUMPY[np.ones_like](a), axis, keepdims=keepdims) if weights is None else scale


def _numpy_cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    parts = [_rows_of_variables(p, rowvar) for p in (m, y) if p is not None]
    x = parts[0] if len(parts) == 1 else cat(parts, 0)
    x = cast(x, np.result_type(data(x), np.float64) if dtype is None else dtype)
    return covariance(x, (0 if bias else 1) if ddof is None else ddof, fweights, aweights)


def _rows_of_variables(m: Any, rowvar: bool) -> Any:
    m = tensor_like(m)
    if len(sizes(m)) > 2:
        raise ShapeError("np.cov: m has more than 2 dimensions", f"Its shape is {tuple(sizes(m))}.", "")
    return swapaxes(m, 0, 1) if len(sizes(m)) == 2 and not rowvar else atleast_2d(m)


def _numpy_corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    return correlation(_numpy_cov(x, y, rowvar, dtype=dtype))


# ---------------------------------------------------------------------------------------- without what is NaN


def _numpy_nan_filled(fn: Any, value: float) -> Any:
    return lambda a, axis=None, dtype=None, out=None, **kept: NUMPY[fn](
        e.where(isnan(a), value, a) if kind_of(a) in ("f", "c") else a, axis, dtype, **kept
    )


# ---------------------------------------------------------------------------------------------------- calculus


def _numpy_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    if x is not None:
        y, x = tensor_like(y), tensor_like(x)
        if "b" not in (data(y).dtype.kind, data(x).dtype.kind):  # sums and differences of truth values are such
            y, x = alike(y, x)
    elif data(tensor_like(y)).dtype.kind in "fc":
        y = cast(tensor_like(y), common_kind(y, dx))
    return sum(strips(y, x, dx, axis), axis)  # as NumPy: ``dx`` may have more dimensions


def _numpy_interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    x, xp, fp = (tensor_like(v) for v in (x, xp, fp))
    x, xp = cast(x, np.float64), cast(xp, np.float64)
    fp = cast(fp, np.complex128 if is_complex(fp) else np.float64)
    if period is not None:
        left = right = None
        x, xp, fp = _one_period(x, xp, fp, e.abs(tensor_like(period)))
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    if sizes(xp)[0] == 1:
        inside: Any = fp[0]
    else:
        after = NUMPY[np.searchsorted](xp, x, side="right")
        k = clamp(after, 1, sizes(xp)[0] - 1)
        inside = fp[k - 1] + (fp[k] - fp[k - 1]) / (xp[k] - xp[k - 1]) * (x - xp[k - 1])
    return e.where(x < xp[0], left, e.where(x > xp[-1], right, inside))


def _one_period(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """Places within one period, between points of which those at the ends are there twice."""
    if not np.all(data(period)):
        raise ValueError("period must be a non-zero value")
    x, xp = NUMPY[np.mod](x, period), NUMPY[np.mod](xp, period)
    order = NUMPY[np.argsort](xp)
    xp, fp = NUMPY[np.take](xp, order), NUMPY[np.take](fp, order)
    return x, cat([xp[-1:] - period, xp, xp[:1] + period], 0), cat([fp[-1:], fp, fp[:1]], 0)


def _signal(v: Any, what: str) -> tuple[Any, int]:
    """One operand of a convolution, and its length."""
    shape = numbers_only(sizes(v), what)
    if len(shape) > 1:
        raise ShapeError(f"{what} takes vectors", f"The shape of one is {tuple(shape)}.", "Take it row by row.")
    return as_line(v), math.prod(shape)


def _numpy_convolve(a: Any, v: Any, mode: str = "full") -> Any:
    (a, n), (v, m) = _signal(a, "np.convolve"), _signal(v, "np.convolve")
    a, v = alike(a, v)
    if m > n:
        a, v, n, m = v, a, m, n
    if not m:
        raise ValueError("np.convolve: an empty array has no convolution")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"np.convolve: mode must be 'full', 'same' or 'valid', got {mode!r}")
    windows = NUMPY[np.lib.stride_tricks.sliding_window_view](pad(a, (m - 1, m - 1)), m)
    start, length = {"full": (0, n + m - 1), "same": ((m - 1) // 2, n), "valid": (m - 1, n - m + 1)}[mode]
    return matmul(windows, NUMPY[np.flip](v))[start : start + length]


def _numpy_correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    (a, n), (v, m) = _signal(a, "np.correlate"), _signal(v, "np.correlate")
    if m > n:
        return conj(NUMPY[np.flip](_numpy_correlate(v, a, mode)))
    return _numpy_convolve(a, NUMPY[np.flip](conj(v)), mode)


def _numpy_gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    f = tensor_like(f)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    ndim = len(sizes(f))
    axes = many_dims(range(ndim) if axis is None else axis, ndim)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1.0,) * len(axes)
    if len(steps) != len(axes):
        raise TypeError("np.gradient takes one distance, or one for each axis")
    steps = tuple(h if isinstance(h, (int, float)) else tensor_like(h) for h in steps)
    kind = data(f).dtype if data(f).dtype.kind in "fc" else np.float64
    found = [cast(slope(f, h, k, edge_order), kind) for h, k in zip(steps, axes, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _numpy_running(fn: Any, first: float) -> Any:
    def adaptor(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: Any = False
    ) -> Any:
        ndim = len(sizes(x))
        if axis is None and ndim > 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        x = reshape(x, (1,)) if not ndim else x
        k = 0 if axis is None else axis_of(axis, ndim)
        found = NUMPY[fn](x, k, dtype)
        if not include_initial:
            return found
        shape = sizes(found)
        return cat([NUMPY[np.full_like](found, first, shape=(*shape[:k], 1, *shape[k + 1 :])), found], k)

    return adaptor


NUMPY.update({
    np.average: _numpy_average, np.cov: _numpy_cov, np.corrcoef: _numpy_corrcoef, np.convolve: _numpy_convolve,
    np.interp: _numpy_interp,
    np.nancumsum: _numpy_nan_filled(np.cumsum, 0.0), np.nancumprod: _numpy_nan_filled(np.cumprod, 1.0),
    np.correlate: _numpy_correlate, np.gradient: _numpy_gradient, np.trapezoid: _numpy_trapezoid,
})  # fmt: skip
for _name, _fn in {
    "cumulative_sum": _numpy_running(np.cumsum, 0), "cumulative_prod": _numpy_running(np.cumprod, 1),
}.items():  # fmt: skip
    if hasattr(np, _name):  # since NumPy 2.1
        NUMPY[getattr(np, _name)] = _fn
