"""Integrals of samples under SciPy's names: sums with weights, which are functions of where the samples are."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.integrate as _scipy

from ...core import Symbol
from ...ops import axis_of, ndarray_of, rank, sizes
from ...ops.index import at_dim
from ...ops.statistics import strips
from .._mirrored import floating, mirrored, refused


def _last(y: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Samples along the last axis, and where they are, which broadcasts with them."""
    y = np.moveaxis(y, axis, -1)
    if x is not None and rank(x) > 1:
        x = np.moveaxis(x, axis, -1)
    return y, x


def _expect_places(x: Any, y: Any, axis: int, whole: str = "") -> None:
    """Raise SciPy's error where x does not say where the samples y are; ``whole`` is that of a rule which does not
    broadcast x of several axes.
    """
    if x is None:
        return
    if rank(x) != 1 and (sizes(x) != sizes(y) if whole else rank(x) != rank(y)):
        raise ValueError(whole or "If given, shape of x must be 1-D or the same as y.")
    if sizes(x)[axis if rank(x) > 1 else 0] != sizes(y)[axis]:
        raise ValueError(whole or "If given, length of x along axis must be the same as y.")


def _steps(x: Any) -> np.ndarray:
    """The numbers of the spacings, where they are known."""
    return np.empty(0) if x is None or isinstance(x, Symbol) else np.diff(ndarray_of(x))


@mirrored(_scipy.trapezoid, "y x")
def trapezoid(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Return the integral along ``axis`` by the trapezoidal rule.

    Parameters are those of `scipy.integrate.trapezoid`; x and dx have derivatives too.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda y: sp.integrate.trapezoid(y, dx=0.5))(np.ones(4))
    array([0.25, 0.5 , 0.5 , 0.25])
    """
    if x is not None and rank(x) > 1 and sizes(x) != sizes(y):
        x = np.broadcast_to(x, sizes(y))
    return strips(y, x, dx, axis).sum(axis)


@mirrored(_scipy.cumulative_trapezoid, "y x")
def cumulative_trapezoid(y: Any, x: Any, dx: Any, axis: int, initial: float | None) -> Any:
    """Return the integrals up to each sample by the trapezoidal rule; with ``initial=0`` that at the first too.

    Parameters are those of `scipy.integrate.cumulative_trapezoid`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(sp.integrate.cumulative_trapezoid)(np.ones(3))
    array([[0.5, 0.5, 0. ],
           [0.5, 1. , 0.5]])
    """
    if sizes(y)[axis] == 0:
        raise ValueError("At least one point is required along `axis`.")
    if initial is not None and initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")
    _expect_places(x, y, axis)
    found = np.cumsum(strips(y, x, dx, axis), axis)
    if initial is not None:
        start = (found if sizes(found)[axis] else y)[at_dim(axis_of(axis, rank(y)), slice(0, 1))]
        found = np.concatenate([start * 0.0, found], axis)
    return found


def _parabolas(y: Any, x: Any, dx: Any) -> Any:
    """Simpson's rule along the last axis, of an odd number of samples."""
    first, middle, last = y[..., :-2:2], y[..., 1:-1:2], y[..., 2::2]
    if x is None:
        return (first + 4.0 * middle + last).sum(-1) * (dx / 3.0)
    h0, h1 = x[..., 1:-1:2] - x[..., :-2:2], x[..., 2::2] - x[..., 1:-1:2]
    both = h0 + h1
    return (both / 6.0 * (first * (2.0 - h1 / h0) + middle * both**2 / (h0 * h1) + last * (2.0 - h0 / h1))).sum(-1)


@mirrored(_scipy.simpson, "y x")
def simpson(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Return the integral along ``axis`` by Simpson's rule; of an even number of samples as in SciPy, by Cartwright's.

    Parameters are those of `scipy.integrate.simpson`; x and dx have derivatives too.

    Raises
    ------
    ValueError : two samples are at the same place, where a derivative is taken

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda y: sp.integrate.simpson(y, dx=3.0))(np.ones(5))
    array([1., 4., 2., 4., 1.])
    """
    n = sizes(y)[axis]
    _expect_places(x, y, axis)
    y, x = _last(y, x, axis)
    if (_steps(x) == 0).any():
        raise refused("integrate.simpson of two samples at one place", "Its weights divide by their distance.", "")
    if n % 2:
        return _parabolas(y, x, dx)
    h0, h1 = (dx, dx) if x is None or n == 2 else (x[..., -2] - x[..., -3], x[..., -1] - x[..., -2])
    if n == 2:
        return 0.5 * (dx if x is None else x[..., 1] - x[..., 0]) * (y[..., 1] + y[..., 0])
    end = (2 * h1**2 + 3 * h0 * h1) / (6 * (h1 + h0)) * y[..., -1]
    end = end + (h1**2 + 3.0 * h0 * h1) / (6 * h0) * y[..., -2] - h1**3 / (6 * h0 * (h0 + h1)) * y[..., -3]
    return _parabolas(y[..., :-1], None if x is None else x[..., :-1], dx) + end


@mirrored(_scipy.cumulative_simpson, "y x initial")
def cumulative_simpson(y: Any, x: Any, dx: Any, axis: int, initial: Any) -> Any:
    """Return the integrals up to each sample by Simpson's rule: of each two intervals by the parabola through their
    three samples. With ``initial`` that is added to all, and comes first.

    Parameters are those of `scipy.integrate.cumulative_simpson`; x and dx have derivatives too.

    Raises
    ------
    ValueError : x does not increase, or has another length than y

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.jacobian(lambda y: sp.integrate.cumulative_simpson(y, dx=12.0))(np.ones(3))
    array([[ 5.,  8., -1.],
           [ 4., 16.,  4.]])
    """
    n = sizes(y)[axis]
    whole = "If given, shape of `x` must be the same as `y` or 1-D with the same length as `y` along `axis`."
    _expect_places(x, y, axis, whole)
    once = tuple([1 if k == axis % rank(y) else size for k, size in enumerate(sizes(y))])
    for name, value in (("dx", dx), ("initial", initial)):
        if value is not None and rank(value) and sizes(value) != once:
            raise ValueError(
                f"If provided, `{name}` must either be a scalar or have the same shape as `y` but with only 1 point "
                "along `axis`."
            )
    start = None if initial is None else np.broadcast_to(initial, once)
    y, x = _last(y, x, axis)
    dx = np.moveaxis(dx, axis, -1) if rank(dx) else dx
    if (_steps(x) <= 0).any():
        raise ValueError("Input x must be strictly increasing.")
    if n < 3:
        parts = strips(y, x, dx, -1)
    else:
        widths = np.broadcast_to(dx if x is None else x[..., 1:] - x[..., :-1], sizes(y[..., 1:]))
        here = _first_strips(y, widths)
        before = np.flip(_first_strips(np.flip(y, -1), np.flip(widths, -1)), -1)
        own = (np.arange(n - 1) % 2 == 0) & (np.arange(n - 1) < n - 2)  # the first interval of its parabola
        zero = before[..., :1] * 0.0
        parts = np.where(own, np.concatenate([here, zero], -1), np.concatenate([zero, before], -1))
    found = np.cumsum(parts, -1)
    if start is not None:
        start = np.moveaxis(start, axis, -1)
        found = np.concatenate([start + 0.0 * y[..., :1], found + start], -1)
    return np.moveaxis(found, -1, axis)


def _first_strips(y: Any, widths: Any) -> Any:
    """The integrals over the first of each two intervals, of the parabola through their samples."""
    a, b = widths[..., :-1], widths[..., 1:]
    share, bend = a / (a + b), a**2 / (b * (a + b))
    left, middle, right = y[..., :-2], y[..., 1:-1], y[..., 2:]
    return a / 6.0 * ((3.0 - share) * left + (3.0 + bend + share) * middle - bend * right)


@mirrored(_scipy.romb, "y")
def romb(y: Any, dx: Any, axis: int) -> Any:
    """Return the integral along ``axis`` of 2ᵏ + 1 equally spaced samples, by Romberg's method.

    Parameters are those of `scipy.integrate.romb`; ``show`` means nothing where a derivative is taken.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda y: sp.integrate.romb(y, dx=45.0))(np.ones(5))
    array([14., 64., 24., 64., 14.])
    """
    y, _ = _last(y, None, axis)
    count = sizes(y)[-1] - 1
    levels = max(count, 1).bit_length() - 1
    if count != 1 << levels:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    row: list[Any] = []
    for level in range(levels + 1):
        step = 1 << (levels - level)
        part = y[..., ::step]
        whole = (part[..., :-1] + part[..., 1:]).sum(-1) * (step * floating(dx) / 2.0)
        above, row = row, [whole]
        for j, before in enumerate(above, 1):
            row.append(row[-1] + (row[-1] - before) / (4**j - 1))
    return row[-1]
