"""Piecewise polynomials and cubic interpolants under SciPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.interpolate as _scipy

from ..._array import numbers_of
from ...core import Symbol, row_function
from ...ops import kind_of, rank, sizes
from ...ops.entries import cast
from ...ops.linalg.special_systems import banded_row
from .._mirrored import floating, mirrored, of_symbol, refused
from .._passed_on import member_of

# ----------------------------- Piecewise polynomials: what every cubic interpolant is once its coefficients are known

# The idea to hold: the piece in which a point lies is a constant; within it a polynomial in ``v - x[i]`` is evaluated
# in operations, so that points, breakpoints and coefficients all have derivatives of every order.


def expect_numbers(name: str, *operands: Any) -> None:
    """Refuse symbols: which piece a point lies in is not known of them."""
    if any(isinstance(v, Symbol) for v in operands):
        raise of_symbol(f"interpolate.{name}", "Which piece a point lies in depends on numbers.")


def is_word(value: Any, word: str) -> bool:
    """Whether an option, which may be an array too, is this word."""
    return isinstance(value, str) and value == word


def as_doubles(x: Any) -> Any:
    """Numbers as SciPy computes with them: double precision."""
    return cast(x, np.complex128 if kind_of(x) == "c" else np.float64)


def column(x: Any, ndim: int) -> Any:
    """A vector with axes of length 1 behind it: ``ndim`` axes in all."""
    return x.reshape((*sizes(x), *(1,) * (ndim - 1)))


def joined(parts: list[Any]) -> Any:
    """Arrays and tensors, one behind the other along the first axis."""
    return row_function("cat")(parts, 0)


def wrapped(v: Any, start: Any, end: Any) -> Any:
    """Points moved into a period, and how many periods they were moved by."""
    count = np.floor((v - start) / (end - start))
    return v - count * (end - start), count


def outside_is_nan(found: Any, v: Any, start: Any, end: Any) -> Any:
    """Values, not a number where a point is outside; so are their derivatives there."""
    factor = np.where((v >= start) & (v <= end), 1.0, np.nan)
    return found * column(factor, rank(found))


def moved(found: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Values at flat points, in the points' shape, which stands where the data had their axis."""
    found = found.reshape((*shape, *sizes(found)[1:]))
    if not axis:
        return found
    order = list(range(rank(found)))
    n = len(shape)
    return np.transpose(found, order[n : n + axis] + order[:n] + order[n + axis :])


def banded_solution(bands: Any, right: Any, k: int) -> Any:
    """The solution of a system with k diagonals on both sides of the main one, whose equations stand along an axis."""
    flat = right.reshape((sizes(right)[0], -1))
    bands = bands + 0j if kind_of(flat) == "c" else bands
    return banded_row(bands, flat, k, k, False).reshape(sizes(right))


def horner(c: Any, d: Any) -> Any:
    """The value at d of the polynomial with these coefficients, the highest power's first."""
    found = c[0]
    for k in range(1, sizes(c)[0]):
        found = found * d + c[k]
    return found


def differentiated(c: Any, nu: int) -> Any:
    """The coefficients of the derivative of this order."""
    degree = sizes(c)[0] - 1
    if nu > degree:
        return c[:1] * 0.0
    powers = np.arange(degree, nu - 1, -1.0)
    factor = np.prod([powers - j for j in range(nu)], 0) if nu else np.ones(len(powers))
    return c[: degree + 1 - nu] * factor.reshape(-1, *(1,) * (rank(c) - 1))


def integrated(c: Any, x: Any, nu: int) -> Any:
    """The coefficients of the antiderivative of this order, which is continuous and starts at 0."""
    for _ in range(nu):
        k = sizes(c)[0]
        upper = c / np.arange(k, 0, -1.0).reshape(-1, *(1,) * (rank(c) - 1))
        zero = c[:1] * 0.0
        ends = horner(joined([upper, zero]), column(np.diff(x), rank(c) - 1))
        before = joined([zero[0][:1], np.cumsum(ends, 0)[:-1]])
        c = joined([upper, before[None]])
    return c


def at_points(c: Any, x: Any, v: Any, nu: int, extrapolate: Any) -> Any:
    """The polynomials' values (len(v), …) at flat points."""
    start, end = x[0], x[-1]
    if extrapolate == "periodic":
        v, _ = wrapped(v, start, end)
    i = np.clip(np.searchsorted(x, v, side="right") - 1, 0, sizes(x)[0] - 2)
    found = horner(differentiated(c, nu)[:, i], column(v - x[i], rank(c) - 1))
    return found if extrapolate else outside_is_nan(found, v, start, end)


def _plain(c: Any, x: Any, extrapolate: Any, axis: int = 0) -> Any:
    return _scipy.PPoly.construct_fast(np.asarray(c), np.asarray(x), extrapolate, axis)


@mirrored(lambda c, x, v, nu, extrapolate, axis: _plain(c, x, extrapolate, axis)(v, nu), "c x v")
def _evaluate(c: Any, x: Any, v: Any, nu: int, extrapolate: Any, axis: int) -> Any:
    expect_numbers("PPoly", v)
    v = as_doubles(v)
    c = integrated(c, x, -nu) if nu < 0 else c
    return moved(at_points(c, x, v.reshape((-1,)), max(nu, 0), extrapolate), sizes(v), axis)


@mirrored(lambda c, x, nu: _plain(c, x, True).derivative(nu).c, "c x")
def _derived(c: Any, x: Any, nu: int) -> Any:
    return differentiated(c, nu) if nu >= 0 else integrated(c, x, -nu)


@mirrored(lambda c, x, a, b, extrapolate, axis: _plain(c, x, extrapolate, axis).integrate(a, b), "c x a b")
def _integral(c: Any, x: Any, a: Any, b: Any, extrapolate: Any, axis: int) -> Any:
    expect_numbers("PPoly.integrate", a, b)
    whole = integrated(c, x, 1)
    ends = as_doubles(np.stack([a, b]))
    if extrapolate != "periodic":
        found = at_points(whole, x, ends, 0, extrapolate)
        return found[1] - found[0]
    inside, count = wrapped(ends, x[0], x[-1])
    period = at_points(whole, x, x[-1:], 0, True)
    found = at_points(whole, x, inside, 0, True) + column(count, rank(whole) - 1) * period
    return found[1] - found[0]


class Pieces:
    """What splines and polynomials in pieces share: they are functions made of ``_parts``, which are attributes."""

    _parts: tuple[str, ...]
    _plain: Callable[..., Any]
    _evaluated: Callable[..., Any]
    _integrated: Callable[..., Any]
    axis: Any
    extrapolate: Any

    @property
    def _made_of(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._parts)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return the values, or the derivatives of order ``nu``, at points."""
        kind = self.extrapolate if extrapolate is None else extrapolate
        return self._evaluated(*self._made_of, x, nu, kind, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral from a to b, two numbers; of splines without extrapolation, of what lies inside."""
        kind = self.extrapolate if extrapolate is None else extrapolate
        return self._integrated(*self._made_of, a, b, kind, self.axis)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in self._parts:
            raise AttributeError(name)
        made_of = *self._made_of, self.extrapolate, self.axis
        return member_of(self._plain, made_of, f"interpolate.{type(self).__name__}", name)


class PPoly(Pieces):
    """A piecewise polynomial, as `scipy.interpolate.PPoly`: ``sum(c[k, i] * (v - x[i])**(K - k))`` between breakpoints.

    Parameters
    ----------
    c : (k, m, …), the highest power first
    x : (m + 1,), increasing
    extrapolate : True (None), False (NaN outside, in derivatives too), or 'periodic'
    axis : where the points' axes stand in results

    Notes
    -----
    Differentiable in c, x and the points, to every order. A point on a breakpoint belongs to the piece on its right.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> p = sp.interpolate.PPoly(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([0.0, 1.0, 3.0]))
    >>> sg.grad(lambda v: p(v).sum())(np.array([0.5, 2.0]))
    array([1., 2.])
    """

    c: Any
    x: Any
    _parts = "c", "x"
    _plain, _evaluated, _integrated = map(staticmethod, (_plain, _evaluate, _integral))

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        self.c, self.x, self.axis = _checked(c, x, axis)
        self.extrapolate = True if extrapolate is None else extrapolate

    @classmethod
    def _of(cls, c: Any, x: Any, extrapolate: Any, axis: int) -> PPoly:
        made = object.__new__(PPoly)
        made.c, made.x, made.extrapolate, made.axis = c, x, extrapolate, axis
        return made

    def derivative(self, nu: int = 1) -> PPoly:
        """Return the derivative of this order, a `PPoly`."""
        if nu < 0:
            return self.antiderivative(-nu)
        return self._of(_derived(self.c, self.x, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """Return the antiderivative of this order, a `PPoly` that is 0 at the first breakpoint."""
        if nu <= 0:
            return self.derivative(-nu)
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return self._of(_derived(self.c, self.x, -nu), self.x, extrapolate, self.axis)


@mirrored(lambda c, x, axis: _plain_parts(_scipy.PPoly(c, x, axis=axis)), "c x")
def _checked(c: Any, x: Any, axis: int) -> Any:
    expect_numbers("PPoly", c, x)
    made = _scipy.PPoly(numbers_of(c), numbers_of(x), axis=axis)  # raises what SciPy raises
    if made.x[0] > made.x[-1]:
        raise refused("interpolate.PPoly with decreasing breakpoints", "It is not written.", "Turn c and x round.")
    order = [made.axis, made.axis + 1, *(n for n in range(rank(c)) if n not in (made.axis, made.axis + 1))]
    c = as_doubles(c)
    return np.transpose(c, order) if made.axis else c, as_doubles(x), made.axis


# -------------------------------------------------------------------------------------------------------------------
# Cubic interpolants under SciPy's names: each is its slopes at the data, of which follow the coefficients


def _prepared(x: Any, y: Any, axis: int) -> tuple[Any, Any]:
    return as_doubles(x), np.moveaxis(as_doubles(y), axis, 0)


def hermite(x: Any, y: Any, slopes: Any) -> Any:
    """The coefficients (4, n - 1, …) of the cubics with these values and slopes at their ends."""
    dx = column(np.diff(x), rank(y))
    chord = np.diff(y, axis=0) / dx
    t = (slopes[:-1] + slopes[1:] - 2 * chord) / dx
    return np.stack([t / dx, (chord - slopes[:-1]) / dx - t, slopes[:-1], y[:-1]])


# ------------------------------------------------------------------------------------------------------ the spline


def _ends(bc_type: Any, like: Any) -> list[Any]:
    """The condition at each end: 'not-a-knot', 'periodic', or the order and value of a derivative."""
    found = []
    for bc in (bc_type, bc_type) if isinstance(bc_type, str) else tuple(bc_type):
        if isinstance(bc, str):
            found.append({"clamped": (1, like * 0.0), "natural": (2, like * 0.0)}.get(bc, bc))
        else:
            found.append((bc[0], as_doubles(floating(bc[1]))))
    return found


def _tridiagonal(below: Any, middle: Any, above: Any, right: Any) -> Any:
    """The solution of a system with three diagonals; ``below`` and ``above`` are one shorter than the others."""
    zero = middle[:1] * 0.0
    bands = np.stack([joined([zero, above]), middle, joined([below, zero])])
    return banded_solution(bands, right, 1)


def _first_row(bc: Any, x: Any, y: Any, dx: Any, chord: Any) -> tuple[Any, Any, Any]:
    """Of the equation at the left end: its two entries and its right side. The right end's is that of the mirror."""
    if bc == "not-a-knot":
        d = x[2] - x[0]
        return dx[1:2], (x[2:3] - x[:1]), ((dx[0] + 2 * d) * dx[1] * chord[0] + dx[0] ** 2 * chord[1]) / d
    if bc[0] == 1:
        return dx[:1] * 0.0 + 1.0, dx[:1] * 0.0, bc[1]
    return 2 * dx[:1], dx[:1], -0.5 * bc[1] * dx[0] ** 2 + 3 * (y[1] - y[0])


def _spline_slopes(x: Any, y: Any, ends: list[Any]) -> Any:
    dx = np.diff(x)
    n, wide = sizes(x)[0], column(dx, rank(y))
    chord = np.diff(y, axis=0) / wide
    if n == 2:
        ends = [(1, chord[0]) if isinstance(bc, str) else bc for bc in ends]
    if n == 3 and ends == ["not-a-knot", "not-a-knot"]:  # the parabola through three points
        bend = (chord[1] - chord[0]) / (x[2] - x[0])
        return np.stack([chord[0] - bend * dx[0], chord[0] + bend * dx[0], chord[1] + bend * dx[1]])
    if is_word(ends[0], "periodic"):
        return _periodic_slopes(wide, dx, chord)
    left, above, first = _first_row(ends[0], x, y, dx, chord)
    back = ends[1] if isinstance(ends[1], str) or ends[1][0] == 2 else (1, -ends[1][1])
    right, below, last = _first_row(back, -np.flip(x), np.flip(y, 0), np.flip(dx), -np.flip(chord, 0))
    last = -last  # slopes change their sign in the mirror
    inner = 3 * (wide[1:] * chord[:-1] + wide[:-1] * chord[1:])
    return _tridiagonal(
        joined([dx[1:], below]), joined([left, 2 * (dx[:-1] + dx[1:]), right]), joined([above, dx[:-1]]),
        joined([first[None], inner, last[None]]),
    )  # fmt: skip


def _periodic_slopes(wide: Any, dx: Any, chord: Any) -> Any:
    """Slopes whose first is also their last: a system with two corners, solved as one without and a correction."""
    if sizes(dx)[0] == 2:
        slope = (chord / wide).sum(0) / (1.0 / wide).sum(0)
        return np.stack([slope, slope, slope])
    b = 3 * (wide * np.roll(chord, 1, 0) + np.roll(wide, 1, 0) * chord)  # of the unknowns 0 … n - 2
    middle = 2 * (dx + np.roll(dx, 1))
    zero = dx[:1] * 0.0
    rest = sizes(dx)[0] - 2
    corner = joined([-dx[:1], *[zero] * (rest - 1), zero]) - joined([zero] * rest + [dx[-3:-2]])
    bands = dx[1:-1], middle[:-1], joined([dx[-1:], dx[: rest - 1]])
    one = _tridiagonal(*bands, b[:-1])
    two = column(_tridiagonal(*bands, corner[:, None])[:, 0], rank(chord))
    last = (b[-1] - dx[-2] * one[0] - dx[-1] * one[-1]) / (middle[-1] + dx[-2] * two[0] + dx[-1] * two[-1])
    slopes = one + last * two
    return joined([slopes, last[None], slopes[:1]])


@mirrored(lambda x, y, axis, bc_type: _plain_parts(_scipy.CubicSpline(x, y, axis, bc_type)), "x y")
def _spline(x: Any, y: Any, axis: int, bc_type: Any) -> Any:
    expect_numbers("CubicSpline", x, y)
    made = _scipy.CubicSpline(numbers_of(x), numbers_of(y), axis, numbers_of(bc_type))  # raises what SciPy raises
    x, y = _prepared(x, y, axis)
    ends = _ends(bc_type, y[0])
    if made.c.dtype.kind == "c" and kind_of(y) != "c":
        y = y + 0j
    return hermite(x, y, _spline_slopes(x, y, ends)), x, made.axis


def _plain_parts(made: Any) -> tuple[Any, Any, int]:
    return made.c, made.x, made.axis


class CubicSpline(PPoly):
    """The cubic spline through data, twice continuously differentiable, as `scipy.interpolate.CubicSpline`.

    Parameters
    ----------
    x : (n,), increasing
    y : n along ``axis``; complex ones too
    bc_type : 'not-a-knot', 'natural', 'clamped', 'periodic', or of each end one, or (order, value) of a derivative
    extrapolate : True, False (NaN outside, in derivatives too), 'periodic'; None: True, or 'periodic' with that bc_type

    Notes
    -----
    Differentiable in x, y, values of bc_type and the points, to every order. Both the spline and a gradient are solves
    of a system with three diagonals: n steps.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x, y = np.arange(4.0), np.array([0.0, 1.0, 4.0, 9.0])
    >>> sg.grad(lambda v: sp.interpolate.CubicSpline(x, y)(v))(2.5)  # of v²
    np.float64(5.0)
    >>> sg.grad(lambda y: sp.interpolate.CubicSpline(x, y)(1.5))(y)
    array([-0.0625,  0.5625,  0.5625, -0.0625])
    """

    c: Any
    x: Any
    axis: Any

    def __init__(self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> None:
        self.c, self.x, self.axis = _spline(x, y, axis, bc_type)
        usual = "periodic" if is_word(bc_type, "periodic") else True
        self.extrapolate = usual if extrapolate is None else extrapolate


# ---------------------------------------------------------------------------------------------- local interpolants


def _pchip_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    flat = np.sign(d) != np.sign(m0)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(flat, 0.0, np.where(steep, 3.0 * m0, d))


def pchip_slopes(x: Any, y: Any) -> Any:
    """The slopes along the first axis of a monotone interpolant."""
    h = column(np.diff(x), rank(y))
    m = np.diff(y, axis=0) / h
    if sizes(x)[0] == 2:
        return joined([m, m])
    turns = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0) | (m[:-1] == 0)
    one, other = np.where(turns, 1.0, m[:-1]), np.where(turns, 1.0, m[1:])  # nothing divides by 0
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    inner = np.where(turns, 0.0, (w1 + w2) / (w1 / one + w2 / other))
    first, last = _pchip_end(h[0], h[1], m[0], m[1]), _pchip_end(h[-1], h[-2], m[-1], m[-2])
    return joined([first[None], inner, last[None]])


def _akima_slopes(x: Any, y: Any, method: str) -> Any:
    m = np.diff(y, axis=0) / column(np.diff(x), rank(y))
    if sizes(x)[0] == 2:
        return joined([m, m])
    before, behind = 2 * m[0] - m[1], 2 * m[-1] - m[-2]
    m = joined([(2 * before - m[0])[None], before[None], m, behind[None], (2 * behind - m[-1])[None]])
    steps = np.abs(np.diff(m, axis=0))
    if method == "makima":
        steps = steps + 0.5 * np.abs(m[1:] + m[:-1])
    f1, f2 = steps[2:], steps[:-2]
    both = f1 + f2
    defined = both > 1e-9 * np.max(both)  # SciPy's own bound
    share = f2 / np.where(defined, both, 1.0)
    return np.where(defined, m[1:-2] + share * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


def _local(name: str, slopes: Callable[..., Any]) -> Callable[..., Any]:
    original = getattr(_scipy, name)

    def parts(x: Any, y: Any, axis: int, options: dict[str, Any]) -> Any:
        expect_numbers(name, x, y)
        made = original(numbers_of(x), numbers_of(y), axis, **options)  # raises what SciPy raises
        x, y = _prepared(x, y, axis)
        return hermite(x, y, slopes(x, y, **options)), x, made.axis

    return mirrored(lambda x, y, axis, options: _plain_parts(original(x, y, axis, **options)), "x y")(parts)


_pchip = _local("PchipInterpolator", pchip_slopes)
_akima = _local("Akima1DInterpolator", _akima_slopes)


class PchipInterpolator(PPoly):
    """The monotone cubic interpolant, as `scipy.interpolate.PchipInterpolator`.

    Parameters
    ----------
    x : (n,), increasing
    y : n along ``axis``, real
    extrapolate : True (None), or False (NaN outside)

    Notes
    -----
    Differentiable in x, y and the points. Where the data turn, a slope is 0 and has the derivative 0; data that are on
    the border of turning (two equal values) are a kink, at which this is the derivative of one side.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x, y = np.arange(3.0), np.array([0.0, 1.0, 3.0])
    >>> sg.grad(lambda y: sp.interpolate.PchipInterpolator(x, y)(1.0))(y)
    array([0., 1., 0.])
    """

    c: Any
    x: Any
    axis: Any

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        self.c, self.x, self.axis = _pchip(x, y, axis, {})
        self.extrapolate = True if extrapolate is None else extrapolate


class Akima1DInterpolator(PPoly):
    """Akima's cubic interpolant, as `scipy.interpolate.Akima1DInterpolator`.

    Parameters
    ----------
    x : (n,), increasing
    y : n along ``axis``, real
    method : 'akima' or 'makima'
    extrapolate : False (None; NaN outside), or True

    Notes
    -----
    Differentiable in x, y and the points. Slopes are weighted by absolute differences: where one of these is 0, it has
    a kink.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x, y = np.arange(5.0), np.array([0.0, 1.0, 4.0, 9.0, 17.0])
    >>> sg.grad(lambda v: sp.interpolate.Akima1DInterpolator(x, y)(v))(0.5).round(4)
    np.float64(1.0)
    """

    c: Any
    x: Any
    axis: Any

    def __init__(
        self, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: bool | None = None
    ) -> None:
        self.c, self.x, self.axis = _akima(x, y, axis, {"method": method})
        self.extrapolate: bool = False if extrapolate is None else extrapolate


@mirrored(lambda x, y, dydx, axis: _plain_parts(_scipy.CubicHermiteSpline(x, y, dydx, axis)), "x y dydx")
def _hermite(x: Any, y: Any, dydx: Any, axis: int) -> Any:
    expect_numbers("CubicHermiteSpline", x, y, dydx)
    made = _scipy.CubicHermiteSpline(numbers_of(x), numbers_of(y), numbers_of(dydx), axis)  # raises what SciPy raises
    x, y = _prepared(x, y, axis)
    return hermite(x, y, np.moveaxis(as_doubles(dydx), axis, 0)), x, made.axis


class CubicHermiteSpline(PPoly):
    """The cubic interpolant with given slopes, as `scipy.interpolate.CubicHermiteSpline`.

    Parameters
    ----------
    x : (n,), increasing
    y, dydx : n along ``axis``
    extrapolate : True (None), False (NaN outside), 'periodic'

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> x, y = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    >>> sg.grad(lambda s: sp.interpolate.CubicHermiteSpline(x, y, s)(0.5))(np.zeros(2))
    array([ 0.125, -0.125])
    """

    c: Any
    x: Any
    axis: Any

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        self.c, self.x, self.axis = _hermite(x, y, dydx, axis)
        self.extrapolate = True if extrapolate is None else extrapolate
