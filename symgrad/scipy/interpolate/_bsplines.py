"""B-splines, and splines through data and near them, under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as _scipy
from scipy.sparse import csr_array as csr_of_numbers

from ..._array import numbers_of
from ...ops import kind_of, ndarray_of, rank, sizes
from ...ops.linalg import LinAlgError
from ...ops.linalg.special_systems import banded_row
from .._mirrored import floating, mirrored
from ..sparse import csr_array
from ._piecewise import (
    Pieces,
    as_doubles,
    banded_solution,
    column,
    expect_numbers,
    is_word,
    joined,
    moved,
    outside_is_nan,
    wrapped,
)

# --------------------------------------------------- B-splines under SciPy's names: de Boor's recursion in operations

# The idea to hold: which k + 1 coefficients a point sees is a constant; the recursion on them is a polynomial in the
# point, knots and coefficients. It divides by lengths of knot spans around the point, none of which is empty.


def _spans(t: Any, k: int, n: int, v: Any) -> Any:
    """The index of the knot on the left of each point, of a span that is not empty."""
    knots = ndarray_of(t)
    last = int(np.searchsorted(knots, knots[n], side="left")) - 1
    return np.clip(np.searchsorted(t, v, side="right") - 1, k, max(k, min(last, n - 1)))


def _de_boor(t: Any, k: int, i: Any, v: Any, local: list[Any], nu: int) -> Any:
    """The spline of k + 1 local coefficients at each point, or its derivative of this order."""
    if nu > k:
        return local[0] * 0.0
    for r in range(1, k + 1):
        for j in range(k, r - 1, -1):
            low, high = t[i + (j - k)], t[i + (j + 1 - r)]
            span = column(high - low, rank(local[0]))
            step = (local[j] - local[j - 1]) / span
            if r <= nu:
                local[j] = (k - r + 1) * step
            else:
                local[j] = local[j - 1] + column(v - low, rank(local[0])) * step
    return local[k]


def basis(t: Any, k: int, v: Any, nu: int) -> tuple[Any, Any]:
    """Of each point its span, and the k + 1 basis functions (or derivatives) that are not zero there."""
    n = sizes(t)[0] - k - 1
    i = _spans(t, k, n, v)
    unit = np.eye(k + 1)
    one = column(v * 0.0 + 1.0, 2)
    return i, _de_boor(t, k, i, v, [one * unit[j] for j in range(k + 1)], nu)


def _at_points(t: Any, c: Any, k: int, v: Any, nu: int, extrapolate: Any) -> Any:
    n = sizes(t)[0] - k - 1
    start, end = t[k], t[n]
    if extrapolate == "periodic":
        v, _ = wrapped(v, start, end)
    i = _spans(t, k, n, v)
    found = _de_boor(t, k, i, v, [c[i + (j - k)] for j in range(k + 1)], nu)
    return found if extrapolate else outside_is_nan(found, v, start, end)


def _plain(t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> Any:
    return _scipy.BSpline.construct_fast(np.asarray(t), np.asarray(c), k, extrapolate, axis)


@mirrored(lambda t, c, k, v, nu, extrapolate, axis: _plain(t, c, k, extrapolate, axis)(v, nu), "t c v")
def _evaluate(t: Any, c: Any, k: int, v: Any, nu: int, extrapolate: Any, axis: int) -> Any:
    expect_numbers("BSpline", v)
    v = as_doubles(v)
    return moved(_at_points(t, c, k, v.reshape((-1,)), nu, extrapolate), sizes(v), axis)


def _derived_once(t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    knots, n = ndarray_of(t), sizes(t)[0] - k - 1
    if (knots[k + 1 : n] - knots[1 : n - k] == 0).any():
        raise ValueError("The spline has internal repeated knots and is not differentiable 1 times")
    gaps = column(t[k + 1 : -1] - t[1 : -k - 1], rank(c))
    empty = ndarray_of(gaps) == 0
    found = (c[1:n] - c[: n - 1]) * k / np.where(empty, 1.0, gaps)
    zero = c[:1] * 0.0
    return t[1:-1], joined([found, *[zero] * k]), k - 1


def _integrated_once(t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    n = sizes(t)[0] - k - 1
    found = np.cumsum(c[:n] * column(t[k + 1 :] - t[: -k - 1], rank(c)), 0) / (k + 1)
    knots = joined([t[:1], t, t[-1:]])
    return knots, joined([c[:1] * 0.0, found, *[found[-1:]] * (k + 2)]), k + 1


def _plain_derived(t: Any, c: Any, k: int, nu: int) -> Any:
    t, c = np.asarray(t), np.asarray(c)
    short = sizes(t)[0] - sizes(c)[0]
    c = np.concatenate([c, np.zeros((max(short, 0), *c.shape[1:]), c.dtype)])
    return (_scipy.splder((t, c, k), nu) if nu >= 0 else _scipy.splantider((t, c, k), -nu))[:3]


@mirrored(_plain_derived, "t c")
def _derived(t: Any, c: Any, k: int, nu: int) -> Any:
    if nu > k:
        raise ValueError(f"Order of derivative (n = {nu!r}) must be <= order of spline (k = {k!r})")
    for _ in range(abs(nu)):
        t, c, k = _derived_once(t, c, k) if nu > 0 else _integrated_once(t, c, k)
    return t, c, k


@mirrored(lambda t, c, k, a, b, extrapolate, axis: _plain(t, c, k, extrapolate, axis).integrate(a, b), "t c a b")
def _integral(t: Any, c: Any, k: int, a: Any, b: Any, extrapolate: Any, axis: int) -> Any:
    expect_numbers("BSpline.integrate", a, b)
    n = sizes(t)[0] - k - 1
    whole, coefficients, order = _integrated_once(t, c, k)
    ends = as_doubles(np.stack([a, b]))
    if extrapolate == "periodic":
        inside, count = wrapped(ends, t[k], t[n])
        edges = _at_points(whole, coefficients, order, joined([t[k : k + 1], t[n : n + 1]]), 0, True)
        found = _at_points(whole, coefficients, order, inside, 0, True)
        found = found + column(count, rank(found)) * (edges[1] - edges[0])
    else:
        if not extrapolate:  # SciPy's integral without extrapolation is over what lies inside
            ends = np.minimum(np.maximum(ends, t[k]), t[n])
        found = _at_points(whole, coefficients, order, ends, 0, True)
    return found[1] - found[0]


@mirrored(lambda t, c, k, axis: (lambda s: (s.t, s.c, s.axis))(_scipy.BSpline(t, c, k, axis=axis)), "t c")
def _checked(t: Any, c: Any, k: int, axis: int) -> Any:
    expect_numbers("BSpline", t, c)
    made = _scipy.BSpline(numbers_of(t), numbers_of(c), k, axis=axis)  # raises what SciPy raises
    return as_doubles(t), np.moveaxis(as_doubles(c), made.axis, 0), made.axis


@mirrored(lambda x, t, k, extrapolate: (_scipy.BSpline.design_matrix(x, t, k, extrapolate),), "x t")
def _design(x: Any, t: Any, k: int, extrapolate: Any) -> Any:
    """The entries of a design matrix row by row, their columns, where rows begin, and its shape."""
    expect_numbers("BSpline.design_matrix", x, t)
    made = _scipy.BSpline.design_matrix(numbers_of(x), numbers_of(t), k, extrapolate)  # raises what SciPy raises
    x, t = as_doubles(x), as_doubles(t)
    n = sizes(t)[0] - k - 1
    if isinstance(extrapolate, str):
        x, _ = wrapped(x, t[k], t[n])
    i, values = basis(t, k, x, 0)
    columns = (ndarray_of(i)[:, None] + np.arange(-k, 1)).reshape(-1)
    return values.reshape((-1,)), columns, np.arange(0, len(columns) + 1, k + 1), np.array(made.shape)


class BSpline(Pieces):
    """A spline of degree k with knots t and coefficients c, as `scipy.interpolate.BSpline`.

    Parameters
    ----------
    t : (n + k + 1,), not decreasing
    c : at least n along ``axis``
    extrapolate : True, False (NaN outside, in derivatives too), 'periodic'

    Notes
    -----
    Differentiable in t, c and the points, to every order; k² steps for each point. At a knot the derivatives are those
    on its right.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> t = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])  # one parabola, by Bernstein's polynomials
    >>> sg.grad(lambda c: sp.interpolate.BSpline(t, c, 2)(0.5))(np.ones(3))
    array([0.25, 0.5 , 0.25])
    """

    t: Any
    c: Any
    k: int
    _parts = "t", "c", "k"
    _plain, _evaluated, _integrated = map(staticmethod, (_plain, _evaluate, _integral))

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.t, self.c, self.axis = _checked(t, c, k, axis)
        self.k, self.extrapolate = int(k), extrapolate

    @classmethod
    def _of(cls, t: Any, c: Any, k: int, extrapolate: Any, axis: int) -> BSpline:
        made = object.__new__(BSpline)
        made.t, made.c, made.k, made.extrapolate, made.axis = t, c, int(k), extrapolate, axis
        return made

    @property
    def tck(self) -> tuple[Any, Any, int]:
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @classmethod
    def design_matrix(cls, x: Any, t: Any, k: int, extrapolate: Any = False) -> Any:
        """Return the sparse array (len(x), n) of the basis functions at points, which makes values of coefficients.

        Parameters are those of `scipy.interpolate.BSpline.design_matrix`; x and t are differentiated.
        """
        parts = _design(x, t, k, extrapolate)
        if len(parts) == 1:
            return parts[0]
        values, columns, starts, shape = parts
        return csr_array((values, columns, starts), shape=tuple(shape))

    def derivative(self, nu: int = 1) -> BSpline:
        """Return the derivative of this order, a `BSpline` of lower degree."""
        t, c, k = _derived(self.t, self.c, self.k, nu)
        return self._of(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """Return the antiderivative of this order, a `BSpline` of higher degree that is 0 at the first knot."""
        extrapolate = False if self.extrapolate == "periodic" and nu > 0 else self.extrapolate
        t, c, k = _derived(self.t, self.c, self.k, -nu)
        return self._of(t, c, k, extrapolate, self.axis)


# ----------------------------------------------------------- Splines through data, and near them, under SciPy's names

# The idea to hold: a spline's coefficients solve a system whose entries are basis functions at the data; so they are
# differentiable in where the data are, and in the knots.


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
    spans = np.concatenate([ndarray_of(i) for i, _ in rows])
    values = joined([b for _, b in rows])
    n = len(spans)
    row = np.arange(n) + np.arange(-k, k + 1)[:, None]  # of band and column
    local = np.arange(n) - (spans[np.clip(row, 0, n - 1)] - k)
    there = (row >= 0) & (row < n) & (local >= 0) & (local <= k)
    bands = np.where(there, values[np.clip(row, 0, n - 1), np.clip(local, 0, k)], 0.0)
    sides = joined([*[v[None] for _, v in left], y, *[v[None] for _, v in right]])
    return banded_solution(bands, sides, k)


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
    columns = (ndarray_of(i)[:, None] + np.arange(-k, 1)) % count
    places = np.zeros((count, k + 1, count))
    places[np.arange(count)[:, None], np.arange(k + 1), columns] = 1.0
    system = (values[:, None, :] @ places)[:, 0]
    found = np.linalg.solve(system, y[:-1].reshape((count, -1))).reshape(sizes(y[:-1]))
    return found[np.arange(count + k) % count]


def _plain_parts(made: Any) -> tuple[Any, Any, int, int]:
    return made.t, made.c, made.k, made.axis


@mirrored(
    lambda x, y, k, t, bc_type, axis, check_finite: _plain_parts(
        _scipy.make_interp_spline(x, y, k, t, bc_type, axis, check_finite)
    ),
    "x y t",
)
def _interpolating(x: Any, y: Any, k: int, t: Any, bc_type: Any, axis: int, check_finite: bool) -> Any:
    expect_numbers("make_interp_spline", x, y, t)
    given = map(numbers_of, (x, y, k, t, bc_type, axis, check_finite))
    made = _scipy.make_interp_spline(*given)  # raises what SciPy raises
    x, y = as_doubles(x), np.moveaxis(as_doubles(y), axis, 0)
    if made.c.dtype.kind == "c" and kind_of(y) != "c":
        y = y + 0j
    if is_word(bc_type, "periodic"):
        if k < 2:  # nothing is to be continued around the end
            bc_type = None
        else:
            t = _knots_around(x, k)
            return t, _fitted_around(x, y, t, k), k, made.axis
    pair = (None, None) if bc_type in (None, "not-a-knot") else bc_type
    pair = (pair, pair) if isinstance(pair, str) else pair
    left, right = (_conditions(None if is_word(bc, "not-a-knot") else bc, y[0]) for bc in pair)
    if k == 0:
        return joined([x, x[-1:]]) if t is None else as_doubles(t), y, 0, made.axis
    t = _knots(x, k, not left and not right) if t is None else t
    return as_doubles(t), _fitted(x, y, as_doubles(t), k, left, right), k, made.axis


def spline_along(x: Any, y: Any, k: int, axis: int) -> tuple[Any, Any]:
    """Knots of the spline through values along one axis, not-a-knot at the ends; the coefficients in their place."""
    t = _knots(x, k, True)
    return t, np.moveaxis(_fitted(x, np.moveaxis(y, axis, 0), t, k, [], []), 0, axis)


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
    return BSpline._of(found, c, k, "periodic" if is_word(bc_type, "periodic") and k > 1 else True, axis)


# ------------------------------------------------------------------------------------------------- least squares


@mirrored(
    lambda x, y, t, k, w, axis, check_finite, **method: _plain_parts(
        _scipy.make_lsq_spline(x, y, t, k, w, axis, check_finite, **method)
    ),
    "x y t w",
)
def _near(x: Any, y: Any, t: Any, k: int, w: Any, axis: int, check_finite: bool, **method: Any) -> Any:
    expect_numbers("make_lsq_spline", x, y, t, w)
    made = _scipy.make_lsq_spline(
        *map(numbers_of, (x, y, t, k, w, axis, check_finite)), **method
    )  # raises as SciPy does
    x, t, y = as_doubles(x), as_doubles(t), np.moveaxis(as_doubles(y), axis, 0)
    m, n = sizes(x)[0], sizes(t)[0] - k - 1
    i, values = basis(t, k, x, 0)
    first = ndarray_of(i) - k
    sums = [csr_of_numbers((np.ones(m), (first + a, np.arange(m))), shape=(n, m)) for a in range(k + 1)]
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
