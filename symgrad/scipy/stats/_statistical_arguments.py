"""What a distribution's method is given: numbers of one precision, NaN where they make no sense, counts as constants.

The idea to hold: a formula never sees an argument that its distribution has not: outside its interval a parameter is
NaN before anything is computed of it, and so is all that follows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DTypeError, NotDifferentiableError
from ...core import Tensor
from ...ops._dims import kind_of
from ...ops.entries._copy import cast
from ...ops.statistics._domains import in_domain, inside
from .._mirrored import together

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


__all__ = ["DOMAINS", "chosen", "count", "number", "within"]
