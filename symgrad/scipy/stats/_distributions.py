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
from ...ops.statistics.domains import in_domain, inside, with_domain
from .._mirrored import mirrored, refused, together

# -------------------------------------------------------------------------------------------------------------------
# What a distribution's method is given: numbers of one precision, NaN where they make no sense, counts as constants

# The idea to hold: a formula never sees an argument that its distribution has not: outside its interval a parameter is
# NaN before anything is computed of it, and so is all that follows.


DOMAINS: dict[str, tuple[float, float, bool]] = {
    "positive": (0.0, np.inf, False), "nonnegative": (0.0, np.inf, True), "count": (0.0, np.inf, True),
    "share": (0.0, 1.0, True), "nonzero_share": (0.0, 1.0, False),
}  # fmt: skip
"""Intervals of parameters, and whether the lower end belongs to them; outside everything is NaN."""


def number(value: Any, name: str) -> Any:
    """A parameter or a point as a float64 tensor or array: as in SciPy, whatever precision it came in."""
    value = together(value)
    if not isinstance(value, Tensor):
        value = np.asarray(value)
    if kind_of(value) == "c":
        raise DTypeError(f"{name} has complex numbers", "Densities are functions of real ones.", "Take .real or abs.")
    if isinstance(value, Tensor):
        return cast(value, np.float64)
    return value.astype(np.float64)


def chosen(where: Any, value: Any, other: Any) -> Any:
    """``np.where``, left out where it is known to choose nothing else."""
    if not isinstance(where, Tensor) and np.all(where):
        return value
    return np.where(where, value, other)


def within(value: Any, domain: str) -> Any:
    """A parameter, NaN where it is outside its interval."""
    if domain not in DOMAINS:
        return value
    bounds = DOMAINS[domain]
    return in_domain(value, *bounds) if isinstance(value, Tensor) else chosen(inside(value, *bounds), value, np.nan)


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

    ``domains`` has a word of `DOMAINS` (_statistical_arguments.py) for each shape parameter, or "count"; ``valid`` is
    what their relation must be.
    """

    shapes: str = ""
    domains: str = ""
    valid: Formula | None = None
    support: Formula | None = None
    log: Formula | None = None
    cdf: Formula | None = None
    sf: Formula | None = None
    logcdf: Formula | None = None
    logsf: Formula | None = None
    ppf: Formula | None = None
    isf: Formula | None = None
    entropy: Formula | None = None


class Distribution:
    """A distribution of numbers under SciPy's name."""

    _of_densities: tuple[str, ...] = ()
    _further: tuple[str, ...] = ()

    def __init__(self, name: str, law: Law) -> None:
        self._name, self._law, self._scipy = name, law, getattr(_scipy, name)
        takes = ", ".join([*law.shapes.split(), *(f"{k}={v}" for k, v in self._moved.items())])
        further = [m for m in ("cdf", "sf", "ppf", "isf", "entropy") if getattr(law, m) is not None]
        further[1:1] = ["logcdf", "logsf"] if "cdf" in further else []
        self.__doc__ = (
            f"SciPy's {name}, with derivatives in its argument and its parameters.\n\n"
            f"Parameters are {takes}; methods {', '.join([*self._of_densities, *further])}."
        )
        parameters = [
            *(inspect.Parameter(s, inspect.Parameter.POSITIONAL_OR_KEYWORD) for s in law.shapes.split()),
            *(inspect.Parameter(k, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=v) for k, v in self._moved.items()),
        ]
        self._signature = inspect.Signature(parameters)
        names = (*self._of_densities, "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "entropy")
        self._calls = {n: mirrored(self._of_scipy(n))(partial(self._differentiated, n)) for n in names}

    def _of_scipy(self, method: str) -> Callable[..., Any]:
        """What computes a method where nothing is differentiated."""
        found: Callable[..., Any] = getattr(self._scipy, method)
        return found

    _moved: dict[str, Any] = {"loc": 0, "scale": 1}  # noqa: RUF012  (never written to)
    _ends: dict[str, tuple[float, float]] = {}  # noqa: RUF012  (probabilities, at -inf and at inf)

    def _differentiated(self, method: str, *args: Any, **kwds: Any) -> Any:
        x: Any = None if method == "entropy" else number(args[0], "x")
        first = () if x is None else (x,)
        bound = self._signature.bind(*args[len(first) :], **kwds)
        bound.apply_defaults()
        values = [number(v, k) for k, v in bound.arguments.items()]
        of_shape = len(self._law.shapes.split())
        domains = self._law.domains.split() or ["real"] * of_shape
        for name, value, domain in zip(self._law.shapes.split(), values, domains):
            if domain == "count":
                count(value, f"{self._name}.{method}", name)
        shapes = [within(v, domain) for v, domain in zip(values, domains)]
        moved = [within(v, "positive") if k == "scale" else v for k, v in zip(self._moved, values[of_shape:])]
        compute = getattr(self, f"_of_{method}")
        if method not in self._ends or isinstance(x, Tensor) or not np.isinf(x).any():
            return compute(*first, shapes, *moved)
        return self._with_ends(compute, self._ends[method], x, shapes, moved)

    def _with_ends(self, compute: Any, ends: tuple[float, float], x: Any, shapes: Any, moved: Any) -> Any:
        """A probability at points of which some are infinite, as bounds of data are: no parameter moves it there."""
        value = compute(np.where(np.isinf(x), 1.0, x), shapes, *moved)
        for at, end in zip((-np.inf, np.inf), ends, strict=True):
            value = np.where(x == at, with_domain(end, value), value)  # senseless parameters give NaN there, too
        return value

    def _point(self, name: str, q: Any, shapes: Any) -> Any:
        """The quantile of the standard distribution."""
        value = self._formula(name)(within(q, "share"), *shapes)
        if self._law.support is None or isinstance(q, Tensor):
            return value
        ends = self._law.support(
            *shapes
        )  # where q is 0 or 1 whatever the shapes, the point moves with the support only
        for at, end in zip((0, 1), ends if name == "ppf" else ends[::-1]):
            if (q == at).any():
                for parameter in shapes:  # senseless ones give NaN at the ends too
                    end = with_domain(end, parameter)
                value = np.where(q == at, end, value)
        return value

    def _formula(self, name: str) -> Formula:
        found: Formula | None = getattr(self._law, name)
        if found is None:
            raise refused(
                f"stats.{self._name}.{name}", "It is not written.", f"scipy.stats.{self._name} has its values."
            )
        return found

    def _valid(self, value: Any, shapes: Any) -> Any:
        """The value, NaN where the shape parameters make no sense."""
        if self._law.valid is None:
            return value
        valid = self._law.valid(*shapes)
        if not isinstance(valid, Tensor) and np.all(valid):
            return value
        return value * np.where(valid, 1.0, np.nan)  # a factor, so that derivatives are NaN too

    def __call__(self, *args: Any, **kwds: Any) -> Frozen:
        return Frozen(self, args, kwds)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(self._scipy, name):
            raise AttributeError(
                f"symgrad.scipy.stats.{self._name} has no {name!r}\nscipy.stats.{self._name}.{name} has no mirror with "
                f"derivatives.\nCall it on plain arrays.", name=name, obj=self,
            )  # fmt: skip
        raise AttributeError(f"symgrad.scipy.stats.{self._name} has no {name!r}", name=name, obj=self)

    def __repr__(self) -> str:
        return f"<symgrad.scipy.stats.{self._name}>"

    def ppf(self, q: Any, *args: Any, **kwds: Any) -> Any:
        """Return the point up to which the probability is q."""
        return self._calls["ppf"](q, *args, **kwds)

    def isf(self, q: Any, *args: Any, **kwds: Any) -> Any:
        """Return the point above which the probability is q."""
        return self._calls["isf"](q, *args, **kwds)

    def entropy(self, *args: Any, **kwds: Any) -> Any:
        """Return the differential entropy (of counts, the entropy), in nats."""
        return self._calls["entropy"](*args, **kwds)


class Frozen:
    """A distribution whose parameters are given: ``norm(0, sigma).logpdf(x)``."""

    def __init__(self, dist: Distribution, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        return lambda *first: method(*first, *self.args, **self.kwds)


# ------------------------------------------------------------------------------------------------------ continuous


class Continuous(Distribution):
    """A distribution with a density: its methods take x, the shape parameters, ``loc=0`` and ``scale=1``."""

    _of_densities = ("logpdf", "pdf")
    _ends = {"cdf": (0.0, 1.0), "sf": (1.0, 0.0), "logcdf": (-np.inf, 0.0), "logsf": (0.0, -np.inf)}  # noqa: RUF012

    def logpdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Return the logarithm of the density."""
        return self._calls["logpdf"](x, *args, **kwds)

    def pdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Return the density."""
        return self._calls["pdf"](x, *args, **kwds)

    def cdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Return the probability of values up to x."""
        return self._calls["cdf"](x, *args, **kwds)

    def sf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Return the probability of values above x, without cancellation."""
        return self._calls["sf"](x, *args, **kwds)

    def logcdf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Return the logarithm of the probability of values up to x."""
        return self._calls["logcdf"](x, *args, **kwds)

    def logsf(self, x: Any, *args: Any, **kwds: Any) -> Any:
        """Return the logarithm of the probability of values above x."""
        return self._calls["logsf"](x, *args, **kwds)

    def _placed(self, x: Any, shapes: Any, loc: Any, scale: Any) -> tuple[Any, Any, Any]:
        """The point of the standard distribution, and whether it lies below the support, and above."""
        y = x if not isinstance(loc, Tensor) and not loc.any() else x - loc
        y = y if not isinstance(scale, Tensor) and (scale == 1).all() else y / scale
        if self._law.support is None:
            return y, None, None
        for parameter in shapes if self._law.domains else ():  # outside the support, too, senseless ones give NaN
            if isinstance(parameter, Tensor) or np.isnan(parameter).any():
                y = with_domain(y, parameter)
        if self._law.valid is not None:
            y = with_domain(y, np.where(self._law.valid(*shapes), 0.0, np.nan))
        low, high = self._law.support(*shapes)
        below, above = (None if _is_infinite(low) else y < low), (None if _is_infinite(high) else y > high)
        return y, below, above

    def _of_logpdf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        y, below, above = self._placed(x, shapes, loc, scale)
        value = self._formula("log")(y, *shapes)
        if isinstance(scale, Tensor) or (scale != 1).any():
            value = value - np.log(scale)
        for outside in (below, above):
            value = _beyond(outside, -np.inf, value)
        return self._valid(value, shapes)

    def _of_pdf(self, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return np.exp(self._of_logpdf(x, shapes, loc, scale))

    def _of_probability(self, name: str, ends: tuple[float, float], *given: Any) -> Any:
        """``cdf`` and its kind, which are ``ends`` below the support and above it."""
        x, shapes, loc, scale = given
        y, below, above = self._placed(x, shapes, loc, scale)
        value = self._formula(name)(y, *shapes)
        for outside, end in ((below, ends[0]), (above, ends[1])):
            value = _beyond(outside, end, value)
        return self._valid(value, shapes)

    def _of_cdf(self, *given: Any) -> Any:
        return self._of_probability("cdf", (0.0, 1.0), *given)

    def _of_sf(self, *given: Any) -> Any:
        return self._of_probability("sf", (1.0, 0.0), *given)

    def _of_logcdf(self, *given: Any) -> Any:
        if self._law.logcdf is None:
            return np.log(self._of_cdf(*given))
        return self._of_probability("logcdf", (-np.inf, 0.0), *given)

    def _of_logsf(self, *given: Any) -> Any:
        if self._law.logsf is None:
            return np.log(self._of_sf(*given))
        return self._of_probability("logsf", (0.0, -np.inf), *given)

    def _of_point(self, name: str, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        return self._valid(loc + scale * self._point(name, q, shapes), shapes)

    def _of_ppf(self, *given: Any) -> Any:
        return self._of_point("ppf", *given)

    def _of_isf(self, *given: Any) -> Any:
        return self._of_point("isf", *given)

    def _of_entropy(self, shapes: Any, loc: Any, scale: Any) -> Any:
        value = self._valid(self._formula("entropy")(*shapes) + np.log(scale), shapes)
        return np.broadcast_to(value, np.broadcast_shapes(np.shape(value), np.shape(loc)))


def _beyond(outside: Any, end: float, value: Any) -> Any:
    """``end`` outside the support. What stands in the other branch there has no part in any derivative."""
    if outside is None or not (isinstance(outside, Tensor) or np.any(outside)):
        return value
    return np.where(outside, end, value)


def _is_infinite(end: Any) -> bool:
    return not isinstance(end, Tensor) and bool(np.isinf(end).all())


# -------------------------------------------------------------------------------------------------------- discrete


class Discrete(Distribution):
    """A distribution of counts: its methods take k, the shape parameters and ``loc=0``; k has no derivative."""

    _of_densities = ("logpmf", "pmf")
    _moved = {"loc": 0}  # noqa: RUF012  (never written to)

    def _of_scipy(self, method: str) -> Callable[..., Any]:
        """SciPy's method; its ``logcdf`` beyond the support is 0 where parameters make no sense, and its cdf is NaN."""
        if method != "logcdf":
            return super()._of_scipy(method)

        def logcdf(*args: Any, **kwds: Any) -> Any:
            return np.where(np.isnan(self._scipy.cdf(*args, **kwds)), np.nan, self._scipy.logcdf(*args, **kwds))[()]

        return logcdf

    def logpmf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Return the logarithm of the probability of k."""
        return self._calls["logpmf"](k, *args, **kwds)

    def pmf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Return the probability of k."""
        return self._calls["pmf"](k, *args, **kwds)

    def cdf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Return the probability of counts up to k."""
        return self._calls["cdf"](k, *args, **kwds)

    def sf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Return the probability of counts above k."""
        return self._calls["sf"](k, *args, **kwds)

    def logcdf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Return the logarithm of the probability of counts up to k."""
        return self._calls["logcdf"](k, *args, **kwds)

    def logsf(self, k: Any, *args: Any, **kwds: Any) -> Any:
        """Return the logarithm of the probability of counts above k."""
        return self._calls["logsf"](k, *args, **kwds)

    def _of_logpmf(self, k: Any, shapes: Any, loc: Any) -> Any:
        formula = self._formula("log")
        count(k, f"{self._name}.logpmf", "k")
        y = at = k if not isinstance(loc, Tensor) and not loc.any() else k - loc
        for parameter in shapes:
            if isinstance(parameter, Tensor) or np.isnan(parameter).any():
                y = with_domain(y, parameter)
        if self._law.valid is not None:
            y = with_domain(y, np.where(self._law.valid(*shapes), 0.0, np.nan))
        assert self._law.support is not None
        low, high = self._law.support(*shapes)

        def nowhere(y: Any) -> Any:
            outside = (y < low) | (np.floor(y) < y)
            return outside if _is_infinite(high) else outside | (y > high)

        value, outside = formula(y, *shapes), nowhere(at)
        if isinstance(outside, Tensor) or np.any(outside):  # nor is a slope that is not finite made 0 by a choice
            value = np.where(nowhere(y), -np.inf, value)
        return self._valid(value, shapes)

    def _of_pmf(self, *given: Any) -> Any:
        return np.exp(self._of_logpmf(*given))

    def _of_probability(self, name: str, ends: tuple[float, float], k: Any, shapes: Any, loc: Any) -> Any:
        formula = self._formula(name)
        count(k, f"{self._name}.{name}", "k")
        assert self._law.support is not None
        low, high = self._law.support(*shapes)
        y = np.floor(k - loc)
        value = formula(y, *shapes)
        for outside, end in ((y < low, ends[0]), (y >= high, ends[1])):
            if isinstance(outside, Tensor) or np.any(outside):
                for parameter in shapes:  # outside the support, too, senseless ones give NaN
                    end = with_domain(end, parameter)
                value = np.where(outside, end, value)
        return self._valid(value, shapes)

    _of_cdf, _of_sf = Continuous._of_cdf, Continuous._of_sf
    _of_logcdf, _of_logsf = Continuous._of_logcdf, Continuous._of_logsf

    def _of_point(self, name: str, q: Any, shapes: Any, loc: Any) -> Any:
        return self._valid(loc + self._formula(name)(within(q, "share"), *shapes), shapes)

    _of_ppf, _of_isf = Continuous._of_ppf, Continuous._of_isf

    def _of_entropy(self, shapes: Any, loc: Any) -> Any:
        value = self._valid(self._formula("entropy")(*shapes), shapes)
        return np.broadcast_to(value, np.broadcast_shapes(np.shape(value), np.shape(loc)))


__all__ = ["DOMAINS", "chosen", "count", "number", "within", "Continuous", "Discrete", "Distribution", "Frozen", "Law"]
