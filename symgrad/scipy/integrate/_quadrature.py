"""Integrals of functions of one variable or several under SciPy's names, by Leibniz' rule."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.integrate as _scipy
from scipy.special import roots_legendre

from ..._array import numbers_of, to_tensors
from ..._errors import GradientError, ShapeError, warn_caller
from ..._limits import bound
from ..._progress import Task
from ...autograd import Function
from ...autograd import enable_grad as _enable_grad
from ...core import edge, input_gradient, reachable, wrap
from ...programs import BENT, why_zero
from ...transforms import StructurallyZeroWarning
from .._mirrored import (
    Callback,
    called_as,
    calls_again,
    floating,
    is_differentiated,
    numbers_in,
    pulled,
    refused,
    shaped,
    tracked,
)

# ------------------------------------------------------- Integrals of functions under SciPy's names, by Leibniz' rule

# The idea to hold: the derivative of an integral is an integral of a derivative, and values at the limits. SciPy
# computes each with error bounds of its own; the rule is written with the same operation, so that there is no last
# order.


Numbers = Callable[[float, tuple[Any, ...]], Any]


class _Integrand:
    """A function of x and leaves, by numbers and by tensors.

    Attributes
    ----------
    of : the function of the user's of which it is a derivative, and of how many leaves
    kinks : where that changes sides in the range of the integral; None before they are looked for
    """

    kinks: list[tuple[float, float, Any]] | None = None

    def __init__(self, numbers: Numbers, tensors: Numbers, of: tuple[Numbers, int] | None = None) -> None:
        self.numbers, self.tensors, self.of = numbers, tensors, of

    def pulled_back(self, count: int) -> _Integrand:
        """The integrand of the gradient in the first leaves, of which the last is the cotangent."""

        def tensors(x: float, leaves: tuple[Any, ...]) -> Any:
            with _enable_grad():
                wanted = tracked(leaves[:count])
                return pulled(self.tensors(x, (*wanted, *leaves[count:-1])), leaves[-1], wanted)

        def numbers(x: float, leaves: tuple[Any, ...]) -> Any:
            return tensors(x, tuple(map(wrap, leaves))).detach().numpy()

        return _Integrand(numbers, tensors, self.of or (self.tensors, count))


class _Integral(Function):
    """``apply(integrand, solve, a, b, *leaves)``: ``solve(f, a, b)`` is SciPy's, of a function of x alone."""

    @staticmethod
    def forward(ctx: Any, integrand: Any, solve: Any, a: Any, b: Any, *leaves: Any) -> Any:
        ctx.save_for_backward(a, b, *leaves)
        ctx.integrand, ctx.solve = integrand, solve
        numbers = numbers_in(leaves)
        return wrap(np.asarray(solve(lambda x: integrand.numbers(x, numbers), a.item(), b.item())))

    @staticmethod
    @calls_again
    def backward(ctx: Any, g: Any) -> Any:
        a, b, *leaves = ctx.saved_tensors
        _, _, at_a, at_b, *wanted = ctx.needs_input_grad
        integrand, solve = ctx.integrand, ctx.solve
        start, end = (v.detach().item() for v in (a, b))
        da, db = (
            (sign * g * _at_limit(integrand, v, other, leaves)).sum() if asked else None
            for sign, v, other, asked in ((-1.0, a, end, at_a), (1.0, b, start, at_b))
        )
        if not any(wanted):
            return None, None, da, db, *[None for _ in leaves]
        cotangents = g.detach().numpy()
        if not np.isfinite(cotangents).all():
            return None, None, da, db, *[wrap(np.full(tuple(v.shape), np.nan)) for v in leaves]
        if integrand.kinks is None:
            known = start, end, numbers_in(leaves)
            integrand.kinks = _kinks(integrand, *known)
            if integrand.of is not None:
                _tell_of_kinks(integrand, *known, integrand.kinks)
        at = [_inside(start, end, (low + high) / 2) for low, high, _ in integrand.kinks]
        size = float(np.abs(cotangents).max()) or 1.0  # error bounds are for cotangents of size 1
        flat = _Integral.apply(integrand.pulled_back(len(leaves)), _strict(solve, at), a, b, *leaves, g / size) * size
        return None, None, da, db, *shaped(flat, leaves)


_PLACES = bound(24)
"""Parts of an integral's range in which it is looked for a kink of the integrand."""
_NEAR = 1e-11
"""How near a kink its sides are, in parts of the range: a kink that moves by a thousandth of a leaf is beyond."""


def _kinks(integrand: Any, a: float, b: float, leaves: tuple[np.ndarray, ...]) -> list[tuple[float, float, Any]]:
    """Places in the range, as parts of it, between which the user's function changes sides, and its operations."""

    def sides(t: float) -> Any:
        return _sides(integrand, _inside(a, b, t), leaves)

    if a == b or (integrand.of is None and all(slopes is None for _, slopes in sides(0.5))):
        return []  # a first derivative misses the points of a branch, as SciPy does
    end = _NEAR if np.isfinite([a, b]).all() else 0.5 / _PLACES
    places = np.linspace(end, 1 - end, _PLACES)
    known, found = [sides(t) for t in places], []
    for k in np.flatnonzero([x != y for x, y in pairwise(known)]):
        low, high = places[k], places[k + 1]
        while high - low > _NEAR:
            middle = (low + high) / 2
            low, high = (middle, high) if sides(middle) == known[k] else (low, middle)
        found.append((low, high, known[k]))
    return found


def _tell_of_kinks(integrand: Any, a: float, b: float, leaves: tuple[np.ndarray, ...], kinks: list[Any]) -> None:
    """Warn where a derivative of the integrand jumps at a place that moves: the next one lacks what the jump adds."""
    rng = np.random.default_rng(0)
    moved = tuple(v + 1e-3 * (np.abs(v) + 1e-3) * rng.choice([-1.0, 1.0], v.shape) for v in leaves)
    of = integrand.numbers
    for *ends, known in kinks:
        at = [_inside(a, b, t) for t in ends]
        around = [of(_inside(a, b, t), leaves) for t in (np.arange(_PLACES) + 0.5) / _PLACES]
        size = np.abs(around).max(initial=0.0)
        jump = np.abs(np.subtract(*(of(x, leaves) for x in at))).max(initial=0.0)
        before, after = ([_sides(integrand, x, v) for x in at] for v in (leaves, moved))
        if jump > 1e-3 * size and before != after:
            bent = [name for name, _ in known if name in BENT]
            warn_caller(
                f"The second derivative of an integral lacks a part: the integrand has a kink at {at[0]:.4g}, which "
                f"moves with what is differentiated ({why_zero(bent) if bent else 'it branches on a value'}).\nDivide "
                "the integral there, for limits are differentiated: quad(f, a, kink)[0] + quad(f, kink, b)[0].",
                StructurallyZeroWarning,
            )
            return


def _inside(a: float, b: float, t: float) -> float:
    """A place in a range that may be infinite, of a number between 0 and 1."""
    if np.isfinite([a, b]).all():
        return a + (b - a) * t
    return a + t / (1 - t) if np.isfinite(a) else b - (1 - t) / t if np.isfinite(b) else (t - 0.5) / (t * (1 - t))


def _sides(integrand: Any, x: float, leaves: Any) -> tuple[tuple[Any, ...], ...]:
    """On which sides of its kinks the user's function runs at x: its operations, with the slopes of bent ones."""
    base, count = integrand.of or (integrand.tensors, len(leaves))
    with _enable_grad():
        y = base(x, tuple(tracked(map(wrap, leaves[:count]))))
    nodes = reachable([edge(y)])[0] if y.requires_grad else []
    known = [(n.op.name, _slopes(n) if n.op.name in BENT else None) for n in nodes if n.op is not None]
    return (*known, *(("integral", _within(n)) for n in nodes if isinstance(getattr(n, "integrand", None), _Integrand)))


def _within(n: Any) -> tuple[Any, ...] | None:
    """The sides of the kinks within an integral that the function takes; None where it has none."""
    a, b, *leaves = [v.detach() for v in n.saved_tensors]
    given = a.item(), b.item(), numbers_in(leaves)
    if n.integrand.kinks is None:
        n.integrand.kinks = _kinks(n.integrand, *given)
    between = _sides(n.integrand, _inside(*given[:2], 0.5), given[2])
    if all(slopes is None for _, slopes in between):
        return None
    return tuple(known for *_, known in n.integrand.kinks) or between


def _slopes(n: Any) -> tuple[bytes, ...]:
    own = [input_gradient(n, i, np.ones(()), False) for i, parent in enumerate(n.parents) if parent is not None]
    return tuple(np.asarray(d).tobytes() for d in own)


def _at_limit(integrand: _Integrand, limit: Any, other: float, leaves: Any) -> Any:
    """The integrand at a limit; where there is a kink or a jump, from inside the range."""
    at = limit.detach().item()
    if not np.isfinite(at):
        raise GradientError("an integral has no derivative in an infinite limit", f"It is {at}.",
                            "Write np.inf itself.")  # fmt: skip
    inside = at + _NEAR * (other - at if np.isfinite(other) else np.copysign(1 + abs(at), other))
    if _sides(integrand, at, numbers_in(leaves)) != _sides(integrand, inside, numbers_in(leaves)):
        limit = limit + (inside - at)
    return integrand.tensors(limit, tuple(leaves))


def _strict(solve: Any, kinks: list[float]) -> Any:
    """The same, which raises where it does not converge, and takes its steps from kink to kink."""
    return functools.partial(solve.func, *solve.args, **{**solve.keywords, "strict": True, "kinks": kinks})


def _with_points(options: dict[str, Any], kinks: Any, a: float, b: float) -> dict[str, Any]:
    """SciPy's options with these points too, where its method takes any: QUADPACK's have a limit of their own."""
    if not kinks or not np.isfinite([a, b]).all() or options.get("weight") is not None:
        return options
    given = options.get("points")
    every = [*([] if given is None else given), *kinks]
    return {**options, "points": every} if len(every) < options["limit"] // 2 else options


def _failed(message: str) -> GradientError:
    return GradientError(
        "the integral of a derivative did not converge", f"SciPy says: {' '.join(message.split())}",
        "Divide the range where the integrand is not smooth (points=), or ask for less (epsabs, epsrel).",
    )  # fmt: skip


def _solved(callback: Callback, solve: Any, a: Any, b: Any) -> Any:
    limits = [to_tensors(v) for v in (a, b)]
    limits = [v if hasattr(v, "requires_grad") else wrap(np.asarray(floating(v), np.float64)) for v in limits]
    for v in limits:
        if math.prod(v.shape) != 1:
            raise ShapeError("the limits of an integral are numbers", f"One has the shape {tuple(v.shape)}.",
                             "Integrate up to each: sg.vmap(lambda b: quad(f, 0, b)[0])(limits).")  # fmt: skip
    limits = [v.reshape(()) if len(v.shape) else v for v in limits]
    integrand = _Integrand(
        lambda x, leaves: callback.of_numbers((x,), leaves), lambda x, leaves: callback.of_tensors((x,), leaves)
    )
    found = _Integral.apply(integrand, solve, *limits, *callback.leaves)
    callback.keep()
    return found


# ------------------------------------------------------------------------------------------------------- the rules


def _by_entries(
    f: Callable[[float], Any], a: float, b: float, options: dict[str, Any], notes: list[Any], strict: bool = False,
    kinks: Any = (),
) -> Any:  # fmt: skip
    """`scipy.integrate.quad` of each entry; all are computed at once and kept, as most points are asked for again."""
    known: dict[float, np.ndarray] = {}

    def values(x: float) -> np.ndarray:
        if x not in known:
            known[x] = np.asarray(f(x))
        return known[x]

    with Task("an integral", unit="evaluations") as task:
        f = task.counting(f)
        if not strict:
            found = _scipy.quad(lambda x: f(x).item(), a, b, **options)
            notes[:] = found[1:]
            return found[0]
        options = _with_points(options, kinks, a, b) | {"full_output": 1}
        out = np.empty(values(0.5 * (max(min(a, b), -1e3) + min(max(a, b), 1e3))).shape)
        for at in np.ndindex(*out.shape):
            out[at], _, *rest = _scipy.quad(lambda x, at=at: values(x)[at], a, b, **options)
            if len(rest) > 1:
                raise _failed(rest[1])
        return out


@called_as(_scipy.quad)
def quad(
    func: Any, a: Any, b: Any, args: Any, points: Any, weight: Any, wvar: Any, complex_func: bool, **further: Any
) -> Any:
    """Return the integral of a function of one number from a to b, and an estimate of its error.

    Parameters are those of `scipy.integrate.quad`.

    Parameters
    ----------
    func : ``func(x, *args)``, a number
    a, b : limits; differentiable where finite
    args : differentiable, and so are tensors that func sees where it is written

    Raises
    ------
    GradientError : an integral of a derivative does not converge, with SciPy's message; func depends on a tensor that
        is found neither in args nor among its variables
    NotDifferentiableError : ``complex_func``; a differentiated ``wvar``, or limits of an integral with a weight

    Notes
    -----
    One integral for each parameter, with the error bounds that are given, from kink to kink of func. Where func jumps
    at a place that depends on a parameter, the jump is not seen, nor is a kink in second derivatives, which warn of it
    (`StructurallyZeroWarning`): divide the integral there.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def moment(p):  # 1/p
    ...     return sp.integrate.quad(lambda x: np.exp(-p * x), 0, np.inf)[0]
    >>> sg.grad(moment)(2.0).round(9), sg.hessian(moment)(2.0).round(9)
    (np.float64(-0.25), np.float64(0.25))
    """
    callback = Callback("integrate.quad", func, args, (a, b))
    for name, value in (("points", points), ("wvar", wvar)):
        parts = value if isinstance(value, (list, tuple)) else (value,)
        if any(map(is_differentiated, parts)):
            raise refused(f"integrate.quad in {name}=", "It is not written.", "detach() it if it is a constant.")
    if not callback.is_differentiated:
        return NotImplemented
    if complex_func:
        raise refused("integrate.quad with complex_func=True", "", "Integrate real and imaginary part.")
    if weight is not None and any(map(is_differentiated, (a, b))):
        raise refused("integrate.quad with a weight, in its limits", "", "Write the weight into func.")
    notes: list[Any] = []
    options = further | {"points": points, "weight": weight, "wvar": wvar}
    found = _solved(callback, functools.partial(_by_entries, options=options, notes=notes), a, b)
    return (callback.as_asked(found), *notes)


def _by_vectors(
    f: Callable[[float], Any], a: float, b: float, options: dict[str, Any], notes: list[Any], strict: bool = False,
    kinks: Any = (),
) -> Any:  # fmt: skip
    options = _with_points(options, kinks, a, b)
    with Task("an integral", unit="evaluations") as task:
        given = options | {"full_output": strict or options["full_output"], "workers": 1}
        found, *rest = _scipy.quad_vec(task.counting(f), a, b, **given)
    if strict and not rest[1].success:
        raise _failed(rest[1].message)
    if not strict:
        notes[:] = rest
    return found


@called_as(_scipy.quad_vec)
def quad_vec(f: Any, a: Any, b: Any, args: Any, **options: Any) -> Any:
    """Return the integral of an array-valued function of one number from a to b, and an estimate of its error.

    Parameters are those of `scipy.integrate.quad_vec`; ``workers`` means nothing where a derivative is taken.

    Raises
    ------
    GradientError : as of `quad`

    Notes
    -----
    A gradient is one integral, of a vector of all parameters.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda p: sp.integrate.quad_vec(lambda x: x * p, 0, 2)[0].sum())(np.ones(3)).round(9)
    array([2., 2., 2.])
    """
    callback = Callback("integrate.quad_vec", f, args, (a, b))
    if not callback.is_differentiated:
        return NotImplemented
    notes: list[Any] = []
    found = _solved(callback, functools.partial(_by_vectors, options=options, notes=notes), a, b)
    return (callback.as_asked(found), *notes)


@functools.cache
def _nodes(n: int) -> tuple[np.ndarray, np.ndarray]:
    x, w = roots_legendre(n)
    return np.real(x), w


def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: int = 5) -> Any:
    """Return the integral of a function from a to b by Gauss's rule of n points, and None.

    Parameters are those of `scipy.integrate.fixed_quad`.

    Notes
    -----
    The sum itself is differentiated: its derivatives are as exact as the rule is for the function's derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda b: sp.integrate.fixed_quad(lambda x: x**2, 0.0, b)[0])(3.0).round(9)
    np.float64(9.0)
    """
    x, w = _nodes(n)
    for v in (a, b):
        if not is_differentiated(v) and np.isinf(numbers_of(to_tensors(v))).any():
            raise ValueError("Gaussian quadrature is only available for finite limits.")
    y = (b - a) * (x + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(w * func(y, *args), axis=-1), None


# ----------------------------------------- Integrals over several variables under SciPy's names: one inside the other

# The idea to hold: the integrand of the outer integral is a function whose value is an integral. So Leibniz' rule of
# one variable, as `quad` has it, is used at each level; limits that move with the outer variables are like all others.


class _Notes:
    """What SciPy says of all the integrals together: the largest error, and how often the function was called."""

    __slots__ = ("count", "error")  # nothing of the user's: who looks for what a function keeps passes it by

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
    return float(numbers_of(to_tensors(value)))


@called_as(_scipy.nquad)
def nquad(func: Any, ranges: Any, args: Any, opts: Any, full_output: bool) -> Any:
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
        return NotImplemented
    value = whole(*given)
    return (value, notes.error, {"neval": notes.count}) if full_output else (value, notes.error)


def _between(low: Any, high: Any) -> Callable[..., Any]:
    """The limits of a variable, numbers or functions of the outermost one, as `nquad` takes them."""
    return lambda x, *_: (_given(low, x), _given(high, x))


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
    return nquad(func, [_between(gfun, hfun), (a, b)], args, {"epsabs": epsabs, "epsrel": epsrel})


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

    def inner(y: Any, x: Any, *_: Any) -> Any:
        return _given(qfun, x, y), _given(rfun, x, y)

    return nquad(func, [inner, _between(gfun, hfun), (a, b)], args, {"epsabs": epsabs, "epsrel": epsrel})
