"""Interpolation in tables under SciPy's names: along one axis, and on a grid of several."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.interpolate as _scipy

from ..._array import numbers_of, to_tensors
from ...ops import ndarray_of, rank, sizes
from .._mirrored import DIFFERENTIATED, floating, holds, mirrored, refused
from ._bsplines import basis, make_interp_spline, spline_along
from ._piecewise import as_doubles, column, expect_numbers, hermite, horner, is_word, moved, pchip_slopes

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}


def _linear(x: Any, y: Any, v: Any) -> Any:
    i = np.clip(np.searchsorted(x, v), 1, sizes(x)[0] - 1)
    slope = (y[i] - y[i - 1]) / column(x[i] - x[i - 1], rank(y))
    return y[i - 1] + slope * column(v - x[i - 1], rank(y))


def _step(kind: str, x: Any, y: Any, v: Any) -> Any:
    n, at = sizes(x)[0], ndarray_of(x)
    if kind in ("nearest", "nearest-up"):
        border = at / 2.0
        i = np.searchsorted(border[1:] + border[:-1], ndarray_of(v), side="left" if kind == "nearest" else "right")
        return y[np.clip(i, 0, n - 1)]
    if kind == "previous":
        return y[np.clip(np.searchsorted(np.nextafter(at, -np.inf), ndarray_of(v), side="left"), 1, n) - 1]
    return y[np.clip(np.searchsorted(np.nextafter(at, np.inf), ndarray_of(v), side="right"), 0, n - 1)]


def _inside(kind: Any, x: Any, y: Any, v: Any) -> Any:
    if kind == "linear":
        return _linear(x, y, v)
    if kind in ("nearest", "nearest-up", "previous", "next"):
        return _step(kind, x, y, v) + column(v * 0.0, rank(y))  # what is not a number stays so
    order = kind if isinstance(kind, int) else _ORDERS[kind]
    return make_interp_spline(x, y, order, check_finite=False)(v)


def _plain_interp1d(x: Any, y: Any, v: Any, fill: Any, options: dict[str, Any]) -> Any:
    return _scipy.interp1d(x, y, fill_value=fill, **options)(v)


@mirrored(_plain_interp1d, "x y v")
def _interp1d(x: Any, y: Any, v: Any, fill: Any, options: dict[str, Any]) -> Any:
    expect_numbers("interp1d", x, y, v)
    _plain_interp1d(numbers_of(x), numbers_of(y), numbers_of(v), numbers_of(fill), options)  # raises as SciPy does
    kind, axis = options["kind"], options["axis"] % rank(y)
    x, v = as_doubles(x), as_doubles(v)
    y = np.moveaxis(floating(y), axis, 0)
    if not options["assume_sorted"]:
        order = np.argsort(ndarray_of(x), kind="mergesort")
        x, y = x[order], y[order]
    flat = v.reshape((-1,))
    extrapolates = is_word(fill, "extrapolate")
    alone = kind == "linear" and sizes(y) == (1,) and not extrapolates  # np.interp's, which has no line there
    found = y + 0.0 * flat if alone else _inside(kind, x, y, flat)
    if extrapolates:
        if kind in ("previous", "next"):  # beyond one of the ends there is no such point
            gone = (flat < x[0]) if kind == "previous" else (flat > x[-1])
            found = np.where(column(gone, rank(y)), np.nan, found)
    else:
        below, above = fill if isinstance(fill, tuple) and len(fill) == 2 else (fill, fill)
        found = np.where(column(flat < x[0], rank(y)), below, np.where(column(flat > x[-1], rank(y)), above, found))
    return moved(found, sizes(v), axis)


class interp1d:
    """A function of one variable from a table, as `scipy.interpolate.interp1d`.

    Parameters
    ----------
    x : (n,), sorted unless ``assume_sorted`` is False (sorted here)
    y : n along ``axis``
    kind : 'linear', 'nearest', 'nearest-up', 'previous', 'next', 'zero', 'slinear', 'quadratic', 'cubic' or a degree
    bounds_error : whether points outside are an error; None: yes, unless ``fill_value="extrapolate"``
    fill_value : a value outside, (below, above), or 'extrapolate'; differentiable

    Notes
    -----
    Differentiable in x, y and the points. Steps ('nearest', 'previous', …) have the derivative 0 in points and x. At a
    kink the derivative is that of the piece on the left ('linear') or the right (splines). Outside, the value is a
    constant.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 5.0])
    >>> sg.grad(lambda v: sp.interpolate.interp1d(x, y)(v))(2.5)
    np.float64(2.0)
    """

    x: Any
    y: Any
    fill_value: Any

    def __init__(
        self, x: Any, y: Any, kind: Any = "linear", axis: int = -1, copy: bool = True, bounds_error: Any = None,
        fill_value: Any = np.nan, assume_sorted: bool = False,
    ) -> None:  # fmt: skip
        self.x, self.y, self.fill_value = x, y, fill_value
        self._options = {
            "kind": kind, "axis": axis, "copy": copy, "bounds_error": bounds_error, "assume_sorted": assume_sorted,
        }  # fmt: skip
        _scipy.interp1d(_bare(x), _bare(y), fill_value=_bare(fill_value), **self._options)  # raises what SciPy raises

    def __call__(self, x: Any) -> Any:
        """Return the values at points."""
        return _interp1d(self.x, self.y, x, self.fill_value, self._options)


def _bare(value: Any) -> Any:
    """The numbers of an argument, without what a derivative needs."""
    expect_numbers("interp1d", value)
    return numbers_of(to_tensors(value))


# ------------------------------------------------------------------------------------------------------------ grids


_DEGREES = {
    name + suffix: k for name, k in (("slinear", 1), ("cubic", 3), ("quintic", 5)) for suffix in ("", "_legacy")
}
"""By method: the degree of the splines along each axis. The legacy ones are the same, computed axis by axis."""


def _plain_grid(values: Any, xi: Any, fill: Any, options: dict[str, Any], nu: Any, points: Any) -> Any:
    return _scipy.RegularGridInterpolator(points, values, fill_value=fill, **options)(xi, nu=nu)


def _splines(grid: list[Any], values: Any, v: Any, k: int, nu: Any) -> Any:
    """The product of splines through the values along each axis: of (k + 1)ᵈ coefficients at each point."""
    places, weights = [], []
    for d, x in enumerate(grid):
        t, values = spline_along(x, values, k, d)
        i, w = basis(t, k, v[:, d], 0 if nu is None else int(nu[d]))
        places.append(ndarray_of(i) - k)
        weights.append(w)
    return _weighted(values, places, range(k + 1), lambda d, a: weights[d][:, a])


def _weighted(values: Any, places: list[Any], taps: Iterable[int], weight: Callable[[int, int], Any]) -> Any:
    """The sum of values behind places, at all combinations of the axes' taps: ``weight(axis, tap)`` for every point."""
    trailing = rank(values) - len(places) + 1
    found = 0.0
    for corner in itertools.product(taps, repeat=len(places)):
        share = 1.0
        for d, a in enumerate(corner):
            share = share * weight(d, a)
        at = tuple(i + a for i, a in zip(places, corner, strict=True))
        found = found + values[at] * column(share, trailing)
    return found


def _pchips(grid: list[Any], values: Any, v: Any) -> Any:
    """Monotone interpolants along the last axis, then of what they give at each point along the one before it."""
    each: tuple[Any, ...] = ()  # the axis of points, which stands first when there is one
    for d in reversed(range(len(grid))):
        x, y = grid[d], np.moveaxis(values, d + len(each), 0)
        i = np.clip(np.searchsorted(ndarray_of(x), ndarray_of(v[:, d]), side="right") - 1, 0, sizes(x)[0] - 2)
        c = hermite(x, y, pchip_slopes(x, y))[(slice(None), i, *each)]
        values, each = horner(c, column(v[:, d] - x[i], rank(c) - 1)), (np.arange(len(i)),)
    return values


def _as_points(xi: Any, ndim: int) -> Any:
    """Points with their coordinates along the last axis, as SciPy reads what it is given."""
    if isinstance(xi, tuple):
        return np.stack(np.broadcast_arrays(*xi), -1)
    xi = xi if rank(xi) > 1 else xi.reshape((-1, ndim)) if ndim > 1 else xi[..., None]
    return xi


def _corners(grid: list[Any], values: Any, v: Any, method: str) -> Any:
    """The sum over the corners of the cell in which a point is, or its nearest corner."""
    places, shares = [], []
    for d, x in enumerate(grid):
        i = np.clip(np.searchsorted(x, v[:, d], side="right") - 1, 0, max(sizes(x)[0] - 2, 0))
        if sizes(x)[0] == 1:
            raise refused("interpolate.RegularGridInterpolator on an axis of one point", "It has no cell.",
                          "Leave the axis out: points[:k] + points[k + 1:], values.take(0, k).")  # fmt: skip
        places.append(i)
        shares.append((v[:, d] - x[i]) / (x[i + 1] - x[i]))
    if method == "nearest":
        at = tuple(
            np.where(ndarray_of(s) <= 0.5, ndarray_of(i), ndarray_of(i) + 1)
            for i, s in zip(places, shares, strict=True)
        )
        return values[at] + column(v.sum(-1) * 0.0, rank(values) - len(grid) + 1)
    return _weighted(values, places, (0, 1), lambda d, up: shares[d] if up else 1 - shares[d])


@mirrored(_plain_grid, "values")
def _on_grid(values: Any, xi: Any, fill: Any, options: dict[str, Any], nu: Any, points: Any) -> Any:
    ndim = len(points)
    expect_numbers("RegularGridInterpolator", values, *(xi if isinstance(xi, tuple) else (xi,)), *points)
    _plain_grid(numbers_of(values), numbers_of(xi), numbers_of(fill), options, nu, numbers_of(points))  # as SciPy
    grid = [as_doubles(floating(p)) for p in points]
    for axis, x in enumerate(grid):
        if ndarray_of(x)[0] > ndarray_of(x)[-1]:
            grid[axis], values = np.flip(x), np.flip(values, axis)
    xi = _as_points(tuple(map(floating, xi)) if isinstance(xi, tuple) else floating(xi), ndim)
    v = as_doubles(xi).reshape((-1, ndim))
    method = options["method"]
    if method in _DEGREES:
        found = _splines(grid, as_doubles(floating(values)), v, _DEGREES[method], nu)
    elif method == "pchip":
        found = _pchips(grid, as_doubles(floating(values)), v)
    else:
        found = _corners(grid, values, v, method)
    if not options["bounds_error"] and fill is not None:
        out = False
        for d, x in enumerate(grid):
            out = out | (v[:, d] < x[0]) | (v[:, d] > x[-1])
        found = np.where(column(out, rank(found)), fill, found)
    return found.reshape((*sizes(xi)[:-1], *sizes(values)[ndim:]))


class RegularGridInterpolator:
    """A function of several variables from values on a grid, as `scipy.interpolate.RegularGridInterpolator`.

    Parameters
    ----------
    points : for each axis its coordinates, increasing or decreasing
    values : (len(points[0]), len(points[1]), …, …)
    method : 'linear', 'nearest', 'slinear', 'cubic', 'quintic' or 'pchip'
    bounds_error : whether points outside are an error
    fill_value : the value outside if they are none; None extrapolates
    solver, solver_args : of the system of a spline, as in SciPy, for plain arrays

    Notes
    -----
    Differentiable in values, points, fill_value and where it is called; 2ᵈ terms in d variables, (k + 1)ᵈ by splines of
    degree k. On a border of cells, the derivative is that of the cell above. Splines are solved for directly, axis by
    axis; SciPy solves for them by iteration, by default to 1e-5 of the largest value.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> f = sp.interpolate.RegularGridInterpolator((np.arange(2.0), np.arange(3.0)), np.array([[0.0, 1, 2], [0, 2, 4]]))
    >>> sg.grad(lambda v: f(v)[0])(np.array([0.5, 1.5]))
    array([1.5, 1.5])
    """

    grid: tuple[Any, ...]
    values: Any
    fill_value: Any
    bounds_error: bool

    def __init__(
        self, points: Any, values: Any, method: str = "linear", bounds_error: bool = True, fill_value: Any = np.nan, *,
        solver: Any = None, solver_args: Any = None,
    ) -> None:  # fmt: skip
        self.grid, self.values, self.fill_value, self.bounds_error = tuple(points), values, fill_value, bounds_error
        self.method = method
        self._solvers = {"solver": solver, "solver_args": solver_args}
        _scipy.RegularGridInterpolator(
            tuple(map(_bare, self.grid)), _bare(values), method, bounds_error, _bare(fill_value), **self._solvers
        )  # raises what SciPy raises

    def __call__(self, xi: Any, method: str | None = None, *, nu: Any = None) -> Any:
        """Return the values at points, whose coordinates are along the last axis; or derivatives, ``nu`` times."""
        method = method or self.method
        options = {"method": method, "bounds_error": self.bounds_error}
        given = (self.values, xi, self.fill_value, *self.grid)
        if not any(holds(v, DIFFERENTIATED) for v in given):
            return _plain_grid(self.values, xi, self.fill_value, options | self._solvers, nu, self.grid)
        return _on_grid(self.values, xi, self.fill_value, options, nu, self.grid)
