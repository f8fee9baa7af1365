"""Splines through data, and near them, under SciPy's names.

The idea to hold: a spline's coefficients solve a system whose entries are basis functions at the data; so they are
differentiable in where the data are, and in the knots.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as _scipy
from scipy.sparse import csr_array

from ..._array._protocols import _numbers
from ...ops._dims import array, kind_of, sizes
from ...ops.linalg._banded import banded_row
from ...ops.linalg._linalg import LinAlgError
from .._mirrored import floating, mirrored
from ._bsplines import BSpline, basis
from ._piecewise import as_doubles, column, expect_numbers, joined


def _conditions(bc: Any, like: Any) -> list[tuple[int, Any]]:
    if bc is None:
        return []
    if isinstance(bc, str):
        return [({"clamped": 1, "natural": 2}[bc], like * 0.0)]
    return [(int(order), as_doubles(floating(value))) for order, value in bc]


def _knots(x: Any, k: int, free: bool) -> Any:
    """SciPy's knots: all data points where slopes at the ends are given, otherwise without those next to the ends."""
    first, last = x[:1], x[-1:]
    if free:
        half = (k + 1) // 2 if k % 2 else k // 2
        inner = x if k % 2 else (x[1:] + x[:-1]) / 2
        return joined([*[first] * (k + 1), inner[half:-half], *[last] * (k + 1)])
    return joined([*[first] * k, x, *[last] * k])


def _fitted(x: Any, y: Any, t: Any, k: int, left: list[Any], right: list[Any]) -> Any:
    """The coefficients: of the banded system of values at the data and derivatives at both ends."""
    rows = [basis(t, k, x[:1], order) for order, _ in left]
    rows.append(basis(t, k, x, 0))
    rows += [basis(t, k, x[-1:], order) for order, _ in right]
    spans = np.concatenate([array(i) for i, _ in rows])
    values = joined([b for _, b in rows])
    n = len(spans)
    row = np.arange(n) + np.arange(-k, k + 1)[:, None]  # of band and column
    local = np.arange(n) - (spans[np.clip(row, 0, n - 1)] - k)
    there = (row >= 0) & (row < n) & (local >= 0) & (local <= k)
    bands = np.where(there, values[np.clip(row, 0, n - 1), np.clip(local, 0, k)], 0.0)
    sides = joined([*[v[None] for _, v in left], y, *[v[None] for _, v in right]])
    flat = sides.reshape((n, -1))
    bands = bands + 0j if kind_of(flat) == "c" else bands
    return banded_row(bands, flat, k, k, False).reshape(sizes(sides))


def _knots_around(x: Any, k: int) -> Any:
    """SciPy's knots of a periodic spline: the data points, or for an even degree those between, and on around."""
    if k % 2 == 0:
        x = joined([x[:1], (x[1:-1] + x[:-2]) / 2, x[-1:]])
    gaps, count = x[1:] - x[:-1], sizes(x)[0] - 1
    turns = -(-k // count)
    before = np.flip(x[0] - np.cumsum(joined([np.flip(gaps)] * turns)[:k], 0))
    return joined([before, x, x[-1] + np.cumsum(joined([gaps] * turns)[:k], 0)])


def _fitted_around(x: Any, y: Any, t: Any, k: int) -> Any:
    """The coefficients of a periodic spline, of which as many are different as there are pieces."""
    count = sizes(x)[0] - 1
    i, values = basis(t, k, x[:-1], 0)
    columns = (array(i)[:, None] + np.arange(-k, 1)) % count
    places = np.zeros((count, k + 1, count))
    places[np.arange(count)[:, None], np.arange(k + 1), columns] = 1.0
    system = (values[:, None, :] @ places)[:, 0]
    found = np.linalg.solve(system, y[:-1].reshape((count, -1))).reshape(sizes(y[:-1]))
    return found[np.arange(count + k) % count]


def _plain_interpolating(*args: Any) -> tuple[Any, Any, int, int]:
    made = _scipy.make_interp_spline(*args)
    return made.t, made.c, made.k, made.axis


@mirrored(_plain_interpolating, "x y t")
def _interpolating(x: Any, y: Any, k: int, t: Any, bc_type: Any, axis: int, check_finite: bool) -> Any:
    expect_numbers("make_interp_spline", x, y, t)
    given = map(_numbers, (x, y, k, t, bc_type, axis, check_finite))
    made = _scipy.make_interp_spline(*given)  # raises what SciPy raises
    x, y = as_doubles(x), np.moveaxis(as_doubles(y), axis, 0)
    if made.c.dtype.kind == "c" and kind_of(y) != "c":
        y = y + 0j
    if _is(bc_type, "periodic"):
        if k < 2:  # nothing is to be continued around the end
            bc_type = None
        else:
            t = _knots_around(x, k)
            return t, _fitted_around(x, y, t, k), k, made.axis
    pair = (None, None) if bc_type in (None, "not-a-knot") else bc_type
    pair = (pair, pair) if isinstance(pair, str) else pair
    left, right = (_conditions(None if _is(bc, "not-a-knot") else bc, y[0]) for bc in pair)
    if k == 0:
        return joined([x, x[-1:]]) if t is None else as_doubles(t), y, 0, made.axis
    if t is None:
        t = joined([x[:1], x, x[-1:]]) if k == 1 else _knots(x, k, not left and not right)
    return as_doubles(t), _fitted(x, y, as_doubles(t), k, left, right), k, made.axis


def spline_along(x: Any, y: Any, k: int, axis: int) -> tuple[Any, Any]:
    """Knots of the spline through values along one axis, not-a-knot at the ends; the coefficients in their place."""
    t = joined([x[:1], x, x[-1:]]) if k == 1 else _knots(x, k, True)
    return t, np.moveaxis(_fitted(x, np.moveaxis(y, axis, 0), t, k, [], []), 0, axis)


def _is(value: Any, word: str) -> bool:
    return isinstance(value, str) and value == word


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0, check_finite: bool = True
) -> BSpline:
    """Return the spline of degree k through data, a `BSpline`, as `scipy.interpolate.make_interp_spline`.

    Parameters are those of `scipy.interpolate.make_interp_spline`.

    Parameters
    ----------
    x : (n,), increasing
    y : n along ``axis``
    t : knots; without them they are chosen of x, and move with it
    bc_type : None or 'not-a-knot'; 'periodic'; 'natural', 'clamped' or [(order, value), …], of each end one

    Notes
    -----
    Differentiable in x, y, t and values of bc_type. Spline and gradient are solves of a banded system: n k² steps;
    of a periodic one, whose system has corners, of a dense one: n³ steps. The first and the last value of periodic
    data are the same: the last one is not looked at, and its derivative is 0.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x = np.arange(4.0)
    >>> sg.grad(lambda y: sp.interpolate.make_interp_spline(x, y)(1.5))(x**2)
    array([-0.0625,  0.5625,  0.5625, -0.0625])
    """
    found, c, k, axis = _interpolating(x, y, k, t, bc_type, axis, check_finite)
    return BSpline._of(found, c, k, "periodic" if _is(bc_type, "periodic") and k > 1 else True, axis)


# ------------------------------------------------------------------------------------------------- least squares


def _plain_near(*args: Any, **method: Any) -> tuple[Any, Any, int, int]:
    made = _scipy.make_lsq_spline(*args, **method)
    return made.t, made.c, made.k, made.axis


@mirrored(_plain_near, "x y t w")
def _near(x: Any, y: Any, t: Any, k: int, w: Any, axis: int, check_finite: bool, **method: Any) -> Any:
    expect_numbers("make_lsq_spline", x, y, t, w)
    made = _scipy.make_lsq_spline(*map(_numbers, (x, y, t, k, w, axis, check_finite)), **method)  # raises as SciPy does
    x, t, y = as_doubles(x), as_doubles(t), np.moveaxis(as_doubles(y), axis, 0)
    m, n = sizes(x)[0], sizes(t)[0] - k - 1
    i, values = basis(t, k, x, 0)
    first = array(i) - k
    sums = [csr_array((np.ones(m), (first + a, np.arange(m))), shape=(n, m)) for a in range(k + 1)]
    weights = np.ones(m) if w is None else as_doubles(w) ** 2
    flat = y.reshape((m, -1))

    def collected(v: Any) -> Any:  # of values at the data, what each basis function sees
        moved = v * column(weights, 2)
        return sum(sums[a] @ (moved * column(values[:, a], 2)) for a in range(k + 1))

    bands = [np.zeros(n) for _ in range(2 * k + 1)]
    for a in range(k + 1):
        for b in range(k + 1):
            bands[k + a - b] = bands[k + a - b] + sums[b] @ (weights * values[:, a] * values[:, b])
    system = np.stack(bands) + (0j if kind_of(flat) == "c" else 0.0)
    try:
        c = banded_row(system, collected(flat), k, k, False)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "make_lsq_spline: the data do not determine the spline", "Between its knots there are too few points x.",
            "Leave out knots: each basis function needs a point of its own where it is not 0.",
        ) from None  # fmt: skip
    # The normal equations square the condition; what they have left over, solved once more, takes that back.
    seen = sum(column(values[:, a], 2) * c[first + a] for a in range(k + 1))
    c = c + banded_row(system, collected(flat - seen), k, k, False)
    return t, c.reshape((n, *sizes(y)[1:])), k, made.axis


def make_lsq_spline(
    x: Any, y: Any, t: Any, k: int = 3, w: Any = None, axis: int = 0, check_finite: bool = True, *, method: str = "qr"
) -> BSpline:
    """Return the spline of degree k with knots t that is nearest to data, a `BSpline`, by least squares.

    Parameters are those of `scipy.interpolate.make_lsq_spline`.

    Parameters
    ----------
    x : (m,), not decreasing
    y : m along ``axis``
    t : (n + k + 1,), knots
    w : (m,), weights of the residuals before they are squared
    method : SciPy's, of plain arrays; what is differentiated has one of its own

    Notes
    -----
    Differentiable in x, y, t and w. Spline and gradient are solves of a banded system: (m + n) k² steps.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x, t = np.arange(4.0), np.array([0.0, 0.0, 3.0, 3.0])  # a straight line
    >>> sg.grad(lambda y: sp.interpolate.make_lsq_spline(x, y, t, k=1)(0.0))(x).round(9) + 0.0
    array([ 0.7,  0.4,  0.1, -0.2])
    """
    chosen = {} if method == "qr" else {"method": method}  # older SciPy has none to choose
    found, c, k, axis = _near(x, y, t, k, w, axis, check_finite, **chosen)
    return BSpline._of(found, c, k, True, axis)


__all__ = ["make_interp_spline", "make_lsq_spline", "spline_along"]
