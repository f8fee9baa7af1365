"""Piecewise polynomials: what every cubic interpolant is once its coefficients are known.

The idea to hold: the piece in which a point lies is a constant; within it a polynomial in ``v - x[i]`` is evaluated in
operations, so that points, breakpoints and coefficients all have derivatives of every order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as _scipy

from ..._array._protocols import _numbers
from ..._errors import compose
from ...core import Symbol, Tensor, table
from ...ops._dims import kind_of, rank, sizes
from ...ops.entries._copy import cast
from .._mirrored import mirrored, refused


def expect_numbers(name: str, *operands: Any) -> None:
    """Refuse symbols: which piece a point lies in is not known of them."""
    if any(isinstance(v, Symbol) for v in operands):
        raise refused(
            f"interpolate.{name} of a symbol", "Which piece a point lies in depends on numbers.", "Call it on numbers."
        )


def missing_member(kind: str, name: str) -> AttributeError:
    """The error of a method of SciPy's class that its mirror has not."""
    what = f"{kind!r} object has no attribute {name!r}"
    if not name.startswith("_") and hasattr(getattr(_scipy, kind), name):
        evidence = f"scipy.interpolate.{kind}.{name} has no mirror with derivatives yet."
        what = compose(what, evidence, "Call SciPy's own on plain arrays.")
    return AttributeError(what, name=name)


def as_doubles(x: Any) -> Any:
    """Numbers as SciPy computes with them: double precision."""
    if kind_of(x) == "c":
        return cast(x, np.complex128) if isinstance(x, Tensor) else np.asarray(x, np.complex128)
    return cast(x, np.float64) if isinstance(x, Tensor) else np.asarray(x, np.float64)


def column(x: Any, ndim: int) -> Any:
    """A vector with axes of length 1 behind it: ``ndim`` axes in all."""
    return x.reshape((*sizes(x), *(1,) * (ndim - 1)))


def joined(parts: list[Any]) -> Any:
    """Arrays and tensors, one behind the other along the first axis."""
    return table("cat")(parts, 0)


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


class PPoly:
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

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        self.c, self.x, self.axis = _checked(c, x, axis)
        self.extrapolate = True if extrapolate is None else extrapolate

    @classmethod
    def _of(cls, c: Any, x: Any, extrapolate: Any, axis: int) -> PPoly:
        made = object.__new__(PPoly)
        made.c, made.x, made.extrapolate, made.axis = c, x, extrapolate, axis
        return made

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        """Return the values, or the derivatives of order ``nu``, at points."""
        return _evaluate(self.c, self.x, x, nu, self.extrapolate if extrapolate is None else extrapolate, self.axis)

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

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        """Return the integral from a to b, two numbers."""
        return _integral(self.c, self.x, a, b, self.extrapolate if extrapolate is None else extrapolate, self.axis)

    def __getattr__(self, name: str) -> Any:
        raise missing_member(type(self).__name__, name)


@mirrored(lambda c, x, axis: (lambda p: (p.c, p.x, p.axis))(_scipy.PPoly(c, x, axis=axis)), "c x")
def _checked(c: Any, x: Any, axis: int) -> Any:
    expect_numbers("PPoly", c, x)
    made = _scipy.PPoly(_numbers(c), _numbers(x), axis=axis)  # raises what SciPy raises
    if made.x[0] > made.x[-1]:
        raise refused("interpolate.PPoly with decreasing breakpoints", "It is not written.", "Turn c and x round.")
    order = [made.axis, made.axis + 1, *(n for n in range(rank(c)) if n not in (made.axis, made.axis + 1))]
    c = as_doubles(c)
    return np.transpose(c, order) if made.axis else c, as_doubles(x), made.axis


__all__ = ["PPoly"]
