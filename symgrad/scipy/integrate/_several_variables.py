"""Integrals over several variables under SciPy's names: one inside the other.

The idea to hold: the integrand of the outer integral is a function whose value is an integral. So Leibniz' rule of one
variable, as `quad` has it, is used at each level; limits that move with the outer variables are like all others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.integrate as _scipy

from ..._array._protocols import _numbers, unpacked
from .._callbacks import Callback
from ._quadrature import quad


class _Notes:
    """What SciPy says of all the integrals together: the largest error, and how often the function was called."""

    def __init__(self) -> None:
        self.error, self.count = 0.0, 0


def _given(value: Any, *args: Any) -> Any:
    return value(*args) if callable(value) else value


def _level(func: Any, ranges: list[Any], opts: list[Any], notes: _Notes, depth: int) -> Callable[..., Any]:
    """The function of the variables from this depth on, 0 being the innermost: an integral over those before it."""
    if not depth:
        return func
    inner, limits, options = _level(func, ranges, opts, notes, depth - 1), ranges[depth - 1], opts[depth - 1]

    def integral(*args: Any) -> Any:
        low, high = _given(limits, *args)
        own = dict(_given(options, *args))
        if "points" in own:
            own["points"] = [x for x in own["points"] if _number(low) <= _number(x) <= _number(high)]
        value, error, *more = quad(inner, low, high, args, full_output=1, **own)
        notes.error = max(notes.error, error)
        notes.count += more[0]["neval"] if depth == 1 else 0
        return value

    return integral


def _number(value: Any) -> float:
    return float(_numbers(unpacked(value)))


def nquad(func: Any, ranges: Any, args: Any = None, opts: Any = None, full_output: bool = False) -> Any:
    """Return the integral of a function of several numbers, and an estimate of its error.

    Parameters are those of `scipy.integrate.nquad`.

    Parameters
    ----------
    func : ``func(x0, …, xn, *args)``, a number
    ranges : of each variable, from x0 on, its limits or a function of the variables behind it and of args that returns
        them; differentiable where finite
    args : differentiable, and so are tensors that the functions see where they are written

    Raises
    ------
    GradientError : as of `quad`
    NotDifferentiableError : as of `quad`

    Notes
    -----
    At each point of the outer variables, one inner integral for each parameter: a gradient in p of them costs some
    20 p times the integral, and each order of derivatives as much again.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def area(r):  # of a quarter of a circle
    ...     return sp.integrate.nquad(lambda y, x: 1.0, [lambda x: (0.0, np.sqrt(r * r - x * x)), (0.0, r)])[0]
    >>> sg.grad(area)(2.0).round(6)  # of π r²/4
    np.float64(3.141593)
    """
    given = () if args is None else tuple(args)
    each = [{}] * len(ranges) if opts is None else [opts] * len(ranges) if isinstance(opts, dict) else list(opts)
    notes = _Notes()
    whole = _level(func, list(ranges), each, notes, len(ranges))
    if not Callback("integrate.nquad", whole, given, ()).is_differentiated:
        return _scipy.nquad(func, ranges, args, opts, full_output)
    value = whole(*given)
    return (value, notes.error, {"neval": notes.count}) if full_output else (value, notes.error)


def dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: float = 1.49e-8, epsrel: float = 1.49e-8
) -> Any:
    """Return the integral of ``func(y, x, *args)``, and an estimate of its error.

    Parameters are those of `scipy.integrate.dblquad`; x goes from a to b, y from gfun to hfun: numbers, or functions
    of x.

    Raises
    ------
    GradientError : as of `quad`

    Notes
    -----
    Costs are those of `nquad`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def below(p):  # the area below x**p: 1/(p + 1)
    ...     return sp.integrate.dblquad(lambda y, x: 1.0, 0, 1, 0, lambda x: x**p)[0]
    >>> sg.grad(below)(1.0).round(6)
    np.float64(-0.25)
    """

    def inner(x: Any, *_: Any) -> Any:
        return _given(gfun, x), _given(hfun, x)

    return nquad(func, [inner, (a, b)], args, {"epsabs": epsabs, "epsrel": epsrel})


def tplquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (), epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:  # fmt: skip
    """Return the integral of ``func(z, y, x, *args)``, and an estimate of its error.

    Parameters are those of `scipy.integrate.tplquad`; x goes from a to b, y from gfun to hfun, numbers or functions of
    x, and z from qfun to rfun, numbers or functions of x and y.

    Raises
    ------
    GradientError : as of `quad`

    Notes
    -----
    Costs are those of `nquad`.
    """

    def middle(x: Any, *_: Any) -> Any:
        return _given(gfun, x), _given(hfun, x)

    def inner(y: Any, x: Any, *_: Any) -> Any:
        return _given(qfun, x, y), _given(rfun, x, y)

    return nquad(func, [inner, middle, (a, b)], args, {"epsabs": epsabs, "epsrel": epsrel})


__all__ = ["dblquad", "nquad", "tplquad"]
