"""What a distribution is: a record of formulas, a class that moves and stretches it, and what its methods are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.stats as _scipy

from ..._errors import DTypeError, NotDifferentiableError
from ...core import Tensor
from ...ops import kind_of
from ...ops.entries import cast
from ...ops.entries.distributions import in_domain, inside, with_domain
from ...transforms.calls import FoundValues
from .._mirrored import by_scipy, floating, mirrored
from .._passed_on import member

# -------------------------------------------------------------------------------------------------------------------
# What a distribution's method is given: numbers of one precision, NaN where they make no sense, counts as constants

# The idea to hold: a formula never sees an argument that its distribution has not: outside its interval a parameter is
# NaN before anything is computed of it, and so is all that follows.


def number(value: Any, name: str) -> Any:
    """A parameter or a point as a float64 tensor or array: as in SciPy, whatever precision it came in."""
    value = floating(value)
    if kind_of(value) == "c":
        raise DTypeError(f"{name} has complex numbers", "Densities are functions of real ones.", "Take .real or abs.")
    return cast(value, np.float64)


def chosen(where: Any, value: Any, other: Any) -> Any:
    """``np.where``, left out where it is known to choose nothing else."""
    if not isinstance(where, Tensor) and np.all(where):
        return value
    return np.where(where, value, other)


def within(value: Any, domain: str) -> Any:
    """A parameter, NaN where it is outside its interval."""
    domain = "nonnegative" if domain == "count" else domain
    if domain not in inside:
        return value
    return in_domain[domain](value) if isinstance(value, Tensor) else chosen(inside[domain](value), value, np.nan)


def count(k: Any, what: str, name: str) -> None:
    """Raise where a derivative is asked for in a count."""
    if type(k) is Tensor and k.requires_grad:
        raise NotDifferentiableError(
            f"symgrad.scipy.stats.{what} has no derivative in {name}", f"{name} is a count: between them is nothing.",
            f"Pass {name} without requires_grad.",
        )  # fmt: skip


# -------------------------------------------------------------------------------------------------------------------
# What a distribution is: a record of formulas of the standard one, and a class that moves and stretches it

# The idea to hold: each fact stands once. A record says the logarithm of the density at location 0 and scale 1, where
# it lives, and its distribution function in special functions; the density, location and scale, points outside and
# parameters that make no sense are the class's business.


Formula = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class Law:
    """The formulas of a distribution. Each takes a point (or a probability) and the shape parameters.

    ``domains`` has a word of `in_domain` for each shape parameter, or "count"; ``valid`` is
    what their relation must be.
    """

    log: Formula
    cdf: Formula
    sf: Formula
    ppf: Formula
    isf: Formula
    entropy: Formula
    logcdf: Formula | None = None
    logsf: Formula | None = None
    shapes: str = ""
    domains: str = ""
    valid: Formula | None = None
    support: Formula | None = None


ENDS = {
    "logpdf": (-np.inf, -np.inf), "cdf": (0.0, 1.0), "sf": (1.0, 0.0), "logcdf": (-np.inf, 0.0),
    "logsf": (0.0, -np.inf),
}  # fmt: skip
"""Values below the support, and above it."""


def _method(original: Callable[..., Any], says: str) -> Callable[..., Any]:
    name, signature = original.__name__, inspect.signature(original)

    def method(self: UnivariateDistribution, *args: Any, **kwds: Any) -> Any:
        bound = signature.bind(self, *args, **kwds)
        return self._calls[name](*bound.args[1:], **bound.kwargs)

    method.__name__, method.__doc__ = name, says
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method


class Named:
    """A distribution under SciPy's name: called, it is one whose parameters are given; what it has not, SciPy's has."""

    _name = ""
    _scipy: Any = None

    def __call__(self, *args: Any, **kwds: Any) -> FrozenDistribution:
        return FrozenDistribution(self, args, kwds)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return member(self._scipy, f"stats.{self._name}", name)

    def __repr__(self) -> str:
        return f"<symgrad.scipy.stats.{self._name}>"


class UnivariateDistribution(Named):
    """A distribution of numbers under SciPy's name."""

    _original: Any = None
    _says: dict[str, str] = {}  # noqa: RUF012  (never written to)
    _moved: dict[str, Any] = {"loc": 0, "scale": 1}  # noqa: RUF012

    def __init_subclass__(cls) -> None:
        cls._says = cls._says | {
            "ppf": "Return the point up to which the probability is q.",
            "isf": "Return the point above which the probability is q.",
            "entropy": "Return the differential entropy (of counts, the entropy), in nats.",
        }
        for name, says in cls._says.items():
            method = _method(getattr(cls._original, name), says)
            method.__qualname__ = f"{cls.__name__}.{name}"
            setattr(cls, name, method)

    def __init__(self, name: str, law: Law) -> None:
        self._name, self._law, self._scipy = name, law, getattr(_scipy, name)
        self._shapes = law.shapes.split()
        takes = ", ".join([*self._shapes, *(f"{k}={v}" for k, v in self._moved.items())])
        self.__doc__ = (
            f"SciPy's {name}, with derivatives in its argument and its parameters.\n\n"
            f"Parameters are {takes}; methods {', '.join(self._says)}."
        )
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(s, kind) for s in self._shapes]
        parameters += [inspect.Parameter(k, kind, default=v) for k, v in self._moved.items()]
        self._signature = inspect.Signature(parameters)
        self._calls = {n: mirrored(self._of_scipy(n))(partial(self._differentiated, n)) for n in self._says}

    def _of_scipy(self, method: str) -> Callable[..., Any]:
        """What computes a method where nothing is differentiated."""
        return getattr(self._scipy, method)

    def _differentiated(self, method: str, *args: Any, **kwds: Any) -> Any:
        first = () if method == "entropy" else (number(args[0], "x"),)
        bound = self._signature.bind(*args[len(first) :], **kwds)
        bound.apply_defaults()
        values = [number(v, k) for k, v in bound.arguments.items()]
        domains = self._law.domains.split() or ["real"] * len(self._shapes)
        for name, value, domain in zip(self._shapes, values, domains):
            if domain == "count":
                count(value, f"{self._name}.{method}", name)
        shapes = list(map(within, values, domains))
        moved = [within(v, "positive") if k == "scale" else v for k, v in zip(self._moved, values[len(shapes) :])]
        return self._computed(method, *first, shapes, *moved)

    def _computed(self, method: str, *given: Any) -> Any:
        """A method's value, of a point (or a probability; entropy has none), shapes, location and scale."""
        if method in ("logpdf", "logpmf"):
            return self._log_density(*given)
        if method in ("pdf", "pmf"):
            return np.exp(self._log_density(*given))
        if method in ("ppf", "isf"):
            return self._quantile(method, *given)
        return self._entropy(*given) if method == "entropy" else self._probability(method, *given)

    def _probability(self, method: str, *given: Any) -> Any:
        formula = getattr(self._law, method)
        if formula is None:
            return np.log(self._probability(method.removeprefix("log"), *given))
        return self._of_formula(method, formula, *given)

    def _entropy(self, shapes: Any, loc: Any, scale: Any = None) -> Any:
        value = self._law.entropy(*shapes)
        value = self._valid(value if scale is None else value + np.log(scale), shapes)
        return np.broadcast_to(value, np.broadcast_shapes(np.shape(value), np.shape(loc)))

    def _valid(self, value: Any, shapes: Any) -> Any:
        """The value, NaN where the shape parameters make no sense."""
        if self._law.valid is None:
            return value
        valid = self._law.valid(*shapes)
        if not isinstance(valid, Tensor) and np.all(valid):
            return value
        return value * np.where(valid, 1.0, np.nan)  # a factor, so that derivatives are NaN too

    def _standing(self, x: Any, loc: Any, shapes: Any) -> Any:
        """The point less the location; outside the support, too, senseless shape parameters make it NaN."""
        y = x if not isinstance(loc, Tensor) and not loc.any() else x - loc
        if self._law.support is None:
            return y
        for parameter in shapes if self._law.domains else ():
            if isinstance(parameter, Tensor) or np.isnan(parameter).any():
                y = with_domain(y, parameter)
        if self._law.valid is not None:
            y = with_domain(y, np.where(self._law.valid(*shapes), 0.0, np.nan))
        return y


class FrozenDistribution:
    """A distribution whose parameters are given: ``norm(0, sigma).logpdf(x)``."""

    dist: Named
    args: tuple[Any, ...]
    kwds: dict[str, Any]

    def __init__(self, dist: Named, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if hasattr(type(self.dist), name) or FoundValues().search((self.args, self.kwds)):
            return lambda *first: method(*first, *self.args, **self.kwds)
        return member(by_scipy(self.dist._scipy, self.args, self.kwds), f"stats.{self.dist._name}", name)


# ------------------------------------------------------------------------------------------------------ continuous


class Continuous(UnivariateDistribution):
    """A distribution with a density: its methods take x, the shape parameters, ``loc=0`` and ``scale=1``."""

    _original = _scipy.rv_continuous
    _says = {  # noqa: RUF012
        "logpdf": "Return the logarithm of the density.",
        "pdf": "Return the density.",
        "cdf": "Return the probability of values up to x.",
        "logcdf": "Return the logarithm of the probability of values up to x.",
        "logsf": "Return the logarithm of the probability of values above x.",
        "sf": "Return the probability of values above x, without cancellation.",
    }

    def _placed(self, x: Any, shapes: Any, loc: Any, scale: Any) -> tuple[Any, Any, Any]:
        """The point of the standard distribution, and whether it lies below the support, and above."""
        y = self._standing(x, loc, shapes)
        y = y if not isinstance(scale, Tensor) and (scale == 1).all() else y / scale
        return (y, None, None) if self._law.support is None else (y, *outside(y, *self._law.support(*shapes)))

    def _log_density(self, x: Any, *given: Any) -> Any:
        return self._of_formula("logpdf", self._law.log, x, *given)

    def _of_formula(self, method: str, formula: Formula, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        """The value at the point of the standard distribution, and what it is below the support and above."""
        y, below, above = self._placed(x, shapes, loc, scale)
        value = formula(y, *shapes)
        if method == "logpdf" and (isinstance(scale, Tensor) or (scale != 1).any()):
            value = value - np.log(scale)
        return self._valid(with_ends(method, value, below, above), shapes)

    def _probability(self, method: str, x: Any, *given: Any) -> Any:
        if isinstance(x, Tensor) or not np.isinf(x).any():
            return super()._probability(method, x, *given)
        # At points of which some are infinite, as bounds of data are: no parameter moves it there.
        value = super()._probability(method, np.where(np.isinf(x), 1.0, x), *given)
        for at, end in zip((-np.inf, np.inf), ENDS[method], strict=True):
            value = np.where(x == at, with_domain(end, value), value)  # senseless parameters give NaN there, too
        return value

    def _quantile(self, method: str, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        value = getattr(self._law, method)(within(q, "share"), *shapes)
        if self._law.support is not None and not isinstance(q, Tensor):
            ends = self._law.support(*shapes)
            # where q is 0 or 1 whatever the shapes, the point moves with the support only
            for at, end in zip((0, 1), ends if method == "ppf" else ends[::-1], strict=True):
                if (q == at).any():
                    value = np.where(q == at, _senseless_too(end, shapes), value)
        return self._valid(loc + scale * value, shapes)


def _senseless_too(value: Any, shapes: Any) -> Any:
    """A value that no parameter moves; NaN where one makes no sense."""
    for parameter in shapes:
        value = with_domain(value, parameter)
    return value


def outside(y: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Whether points lie below the support, and above; None where it has no end."""
    return (None if _is_infinite(low) else y < low), (None if _is_infinite(high) else y > high)


def with_ends(method: str, value: Any, below: Any, above: Any, shapes: Any = ()) -> Any:
    """A method's value, and what it is outside the support. The other branch has no part in any derivative there."""
    for there, end in zip((below, above), ENDS[method], strict=True):
        if isinstance(there, Tensor) or np.any(there):
            value = np.where(there, _senseless_too(end, shapes), value)
    return value


def _is_infinite(end: Any) -> bool:
    return not isinstance(end, Tensor) and bool(np.isinf(end).all())


# -------------------------------------------------------------------------------------------------------- discrete


class Discrete(UnivariateDistribution):
    """A distribution of counts: its methods take k, the shape parameters and ``loc=0``; k has no derivative."""

    _original = _scipy.rv_discrete
    _says = {  # noqa: RUF012
        "logpmf": "Return the logarithm of the probability of k.",
        "pmf": "Return the probability of k.",
        "cdf": "Return the probability of counts up to k.",
        "logcdf": "Return the logarithm of the probability of counts up to k.",
        "logsf": "Return the logarithm of the probability of counts above k.",
        "sf": "Return the probability of counts above k.",
    }
    _moved = {"loc": 0}  # noqa: RUF012

    def _of_scipy(self, method: str) -> Callable[..., Any]:
        """SciPy's method; its ``logcdf`` beyond the support is 0 where parameters make no sense, and its cdf is NaN."""
        if method != "logcdf":
            return super()._of_scipy(method)

        def logcdf(*args: Any, **kwds: Any) -> Any:
            return np.where(np.isnan(self._scipy.cdf(*args, **kwds)), np.nan, self._scipy.logcdf(*args, **kwds))[()]

        return logcdf

    def _log_density(self, k: Any, shapes: Any, loc: Any) -> Any:
        count(k, f"{self._name}.logpmf", "k")
        at, y = k - loc, self._standing(k, loc, shapes)
        assert self._law.support is not None
        low, high = self._law.support(*shapes)

        def nowhere(y: Any) -> Any:
            outside = (y < low) | (np.floor(y) < y)
            return outside if _is_infinite(high) else outside | (y > high)

        value, outside = self._law.log(y, *shapes), nowhere(at)
        if isinstance(outside, Tensor) or np.any(outside):  # nor is a slope that is not finite made 0 by a choice
            value = np.where(nowhere(y), -np.inf, value)
        return self._valid(value, shapes)

    def _of_formula(self, method: str, formula: Formula, k: Any, shapes: Any, loc: Any) -> Any:
        count(k, f"{self._name}.{method}", "k")
        assert self._law.support is not None
        low, high = self._law.support(*shapes)
        y = np.floor(k - loc)
        return self._valid(with_ends(method, formula(y, *shapes), y < low, y >= high, shapes), shapes)

    def _quantile(self, method: str, q: Any, shapes: Any, loc: Any) -> Any:
        return self._valid(loc + getattr(self._law, method)(within(q, "share"), *shapes), shapes)
