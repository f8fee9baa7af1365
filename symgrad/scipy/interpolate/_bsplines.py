"""B-splines under SciPy's names: de Boor's recursion in operations.

The idea to hold: which k + 1 coefficients a point sees is a constant; the recursion on them is a polynomial in the
point, knots and coefficients. It divides by lengths of knot spans around the point, none of which is empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as _scipy

from ..._array._protocols import _numbers
from ...ops._dims import array, rank, sizes
from .._mirrored import mirrored
from ..sparse import csr_array
from ._piecewise import as_doubles, column, expect_numbers, joined, missing_member, moved, outside_is_nan, wrapped


def _spans(t: Any, k: int, n: int, v: Any) -> Any:
    """The index of the knot on the left of each point, of a span that is not empty."""
    knots = array(t)
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
    made = _scipy.BSpline.construct_fast(np.asarray(t), np.asarray(c), k, extrapolate, axis)
    return made


@mirrored(lambda t, c, k, v, nu, extrapolate, axis: _plain(t, c, k, extrapolate, axis)(v, nu), "t c v")
def _evaluate(t: Any, c: Any, k: int, v: Any, nu: int, extrapolate: Any, axis: int) -> Any:
    expect_numbers("BSpline", v)
    v = as_doubles(v)
    return moved(_at_points(t, c, k, v.reshape((-1,)), nu, extrapolate), sizes(v), axis)


def _derived_once(t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    knots, n = array(t), sizes(t)[0] - k - 1
    if (knots[k + 1 : n] - knots[1 : n - k] == 0).any():
        raise ValueError("The spline has internal repeated knots and is not differentiable 1 times")
    gaps = column(t[k + 1 : -1] - t[1 : -k - 1], rank(c))
    empty = array(gaps) == 0
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
    made = _scipy.BSpline(_numbers(t), _numbers(c), k, axis=axis)  # raises what SciPy raises
    return as_doubles(t), np.moveaxis(as_doubles(c), made.axis, 0), made.axis


@mirrored(lambda x, t, k, extrapolate: (_scipy.BSpline.design_matrix(x, t, k, extrapolate),), "x t")
def _design(x: Any, t: Any, k: int, extrapolate: Any) -> Any:
    """The entries of a design matrix row by row, their columns, where rows begin, and its shape."""
    expect_numbers("BSpline.design_matrix", x, t)
    made = _scipy.BSpline.design_matrix(_numbers(x), _numbers(t), k, extrapolate)  # raises what SciPy raises
    x, t = as_doubles(x), as_doubles(t)
    n = sizes(t)[0] - k - 1
    if isinstance(extrapolate, str):
        x, _ = wrapped(x, t[k], t[n])
    i, values = basis(t, k, x, 0)
    columns = (array(i)[:, None] + np.arange(-k, 1)).reshape(-1)
    return values.reshape((-1,)), columns, np.arange(0, len(columns) + 1, k + 1), np.array(made.shape)


class BSpline:
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

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return the values, or the derivatives of order ``nu``, at points."""
        kind = self.extrapolate if extrapolate is None else extrapolate
        return _evaluate(self.t, self.c, self.k, x, nu, kind, self.axis)

    def derivative(self, nu: int = 1) -> BSpline:
        """Return the derivative of this order, a `BSpline` of lower degree."""
        t, c, k = _derived(self.t, self.c, self.k, nu)
        return self._of(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """Return the antiderivative of this order, a `BSpline` of higher degree that is 0 at the first knot."""
        extrapolate = False if self.extrapolate == "periodic" and nu > 0 else self.extrapolate
        t, c, k = _derived(self.t, self.c, self.k, -nu)
        return self._of(t, c, k, extrapolate, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral from a to b, two numbers; without extrapolation, of what lies inside."""
        kind = self.extrapolate if extrapolate is None else extrapolate
        return _integral(self.t, self.c, self.k, a, b, kind, self.axis)

    def __getattr__(self, name: str) -> Any:
        raise missing_member(type(self).__name__, name)


__all__ = ["BSpline"]
