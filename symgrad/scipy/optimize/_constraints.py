"""Constraints of `minimize`: what SciPy is given, and which of them hold with equality at the minimum.

The idea to hold: every constraint is a vector function c(x), of which entries are 0 there (`Active`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as _scipy

from ..._errors import GradientError
from ...core import wrap
from .._callbacks import is_differentiated, rows, tracked
from .._mirrored import refused
from ._roots import Solved

CLOSE = 1e-6
"""How near to 0 a constraint's value is, relative to 1 + its size, that holds with equality."""


class Constraint:
    """``low ≤ fun(x) ≤ high``; its leaves stand at ``place`` among all of a problem's."""

    def __init__(self, what: str, fun: Any, args: Any, low: Any, high: Any, given: Any) -> None:
        self._solved = Solved("minimize", fun, args)
        self._low, self._high, self.given = low, high, given
        self.is_ours = hasattr(given, "_made")
        self.leaves = self._solved.leaves
        self.place = slice(0, 0)

    def of_tensors(self, x: Any, leaves: Any) -> Any:
        return self._solved.of_tensors(x, leaves[self.place]).reshape((-1,))

    def _numbers(self, x: Any) -> np.ndarray:
        return np.atleast_1d(np.asarray(self._solved.of_numbers(x), np.float64))

    def _jacobian(self, x: Any) -> np.ndarray:
        return self._solved.jacobian(x)

    def _hessian(self, x: Any, v: Any) -> np.ndarray:
        (at,) = tracked([wrap(np.asarray(x, np.float64))])
        found = self._solved.of_tensors(at, [t.detach() for t in self.leaves]).reshape((-1,))
        moved = (wrap(np.asarray(v, np.float64)) * found).sum()
        if not moved.requires_grad:
            return np.zeros((at.numel(), at.numel()))
        return rows(rows(moved.reshape((1,)), [at]).reshape((-1,)), [at]).detach().numpy()

    def for_scipy(self, curved: bool) -> Any:
        """The same of plain numbers, with exact derivatives (``curved``: second ones) where none were given."""
        given = self.given
        if isinstance(given, _scipy.LinearConstraint):
            return given
        if isinstance(given, dict):
            own = given.get("jac")
            jac = self._jacobian if own is None else self._solved.also(own, tuple(given.get("args", ())))
            return {"type": given["type"], "fun": self._numbers, "jac": jac}
        ours = getattr(given, "_made", (False, False))  # derivatives that `NonlinearConstraint` of this package made
        jac = self._solved.also(given.jac, ()) if callable(given.jac) and not ours[0] else self._jacobian
        hess = given.hess if not ours[1] else _scipy.BFGS()
        hess = self._solved.also(hess, ()) if callable(hess) else self._hessian if curved else hess
        return _scipy.NonlinearConstraint(self._numbers, given.lb, given.ub, jac, hess, given.keep_feasible)

    def active(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places of the entries that hold with equality, and the limit of each."""
        value = self._numbers(x)
        low, high = (np.broadcast_to(np.asarray(v, np.float64), value.shape) for v in (self._low, self._high))
        gaps = np.where(np.abs(value - low) <= np.abs(value - high), low, high)
        near = np.isfinite(gaps) & (np.abs(value - np.where(np.isfinite(gaps), gaps, 0)) <= CLOSE * (1 + np.abs(value)))
        places = np.flatnonzero(near | (low == high))
        return places, gaps[places]

    def is_equality(self, places: np.ndarray, count: int) -> np.ndarray:
        low, high = (np.broadcast_to(np.asarray(v, np.float64), (count,)) for v in (self._low, self._high))
        return (low == high)[places]


def constraints_of(what: str, given: Any, size: int) -> list[Constraint]:
    """SciPy's constraints of any kind, one or several."""
    if isinstance(given, (dict, _scipy.LinearConstraint, _scipy.NonlinearConstraint)):
        given = [given]
    found = []
    for c in given:
        if isinstance(c, dict):
            kind = str(c.get("type", "")).lower()
            if kind not in ("eq", "ineq") or "fun" not in c:
                raise ValueError(f"a constraint is {{'type': 'eq' or 'ineq', 'fun': …}}, and not {c!r}")
            args = tuple(c.get("args", ()))
            found.append(Constraint(what, c["fun"], args, 0.0, 0.0 if kind == "eq" else np.inf, c))
        elif isinstance(c, _scipy.LinearConstraint):
            if any(map(is_differentiated, (c.A, c.lb, c.ub))):
                raise refused(
                    "optimize.minimize in a LinearConstraint", "Its matrix and its limits are constants.",
                    "Write it as {'type': 'eq' or 'ineq', 'fun': lambda x: A @ x - b}.",
                )  # fmt: skip
            A = np.atleast_2d(c.A.toarray() if hasattr(c.A, "toarray") else c.A)
            found.append(Constraint(what, lambda x, A=A: A @ x, (), c.lb, c.ub, c))
        elif isinstance(c, _scipy.NonlinearConstraint):
            found.append(Constraint(what, c.fun, (), c.lb, c.ub, c))
        else:
            raise refused("optimize.minimize with this constraint", f"It is {type(c).__name__}.", "")
    return found


def expect_constant(name: str, bounds: Any, step: str = "") -> None:
    """Refuse bounds that are differentiated: which variables are held is known, and not how far they would move."""
    ends = (bounds.lb, bounds.ub) if isinstance(bounds, _scipy.Bounds) else bounds
    if _moves(ends):
        raise refused(f"optimize.{name} in its bounds", "They are constants.", step)


def _moves(value: Any) -> bool:
    return any(map(_moves, value)) if isinstance(value, (list, tuple)) else is_differentiated(value)


class Active:
    """What holds with equality at a minimum: ``held`` variables at bounds ``at``, and entries of constraints.

    A solver that stops ``reach`` before a bound is held by it where the slope says that it would go on.
    """

    def __init__(
        self, what: str, x: np.ndarray, constraints: list[Constraint], bounds: Any, slope: np.ndarray, reach: float = 0
    ) -> None:
        self.what, self.size = what, x.size
        flat, slope = x.reshape(-1), slope.reshape(-1)
        low, high = _limits(bounds, flat.size)
        near, least = [], CLOSE * (1 + np.abs(slope).max(initial=0))
        for b, goes_on in ((low, slope > least), (high, slope < -least)):
            far = np.abs(flat - np.where(np.isfinite(b), b, 0))
            close = (far <= CLOSE * (1 + np.abs(flat))) | (goes_on & (far <= reach * (1 + np.abs(flat))))
            near.append(np.isfinite(b) & close)
        self.held = near[0] | near[1]
        self._free = self.held & (low != high)
        self.at = flat.copy()
        self._parts: list[tuple[Constraint, np.ndarray, np.ndarray]] = []
        gradients, signs = [], []
        for c in constraints:
            places, limits = c.active(x)
            if not len(places):
                continue
            self._parts.append((c, places, limits))
            J = c._jacobian(x)
            gradients.append(J[places])
            sign = np.where(np.isclose(limits, np.broadcast_to(c._low, J.shape[:1])[places]), 1.0, -1.0)
            signs.append(np.where(c.is_equality(places, len(J)), 0.0, sign))
        A = np.concatenate(gradients) if gradients else np.zeros((0, flat.size))
        self.multipliers = np.linalg.lstsq(A[:, ~self.held].T, slope[~self.held], rcond=None)[0]
        self._expect_strict(np.concatenate(signs) if signs else np.zeros(0), slope - self.multipliers @ A)

    def _expect_strict(self, signs: np.ndarray, slope: np.ndarray) -> None:
        """Multipliers are not 0: else the constraint stops to matter nearby, and the minimum has a kink."""
        size = CLOSE * (1 + np.abs(slope).max(initial=0) + np.abs(self.multipliers).max(initial=0))
        self.kinks = [
            *(f"x[{k}] is at its bound" for k in np.flatnonzero(self._free & (np.abs(slope) <= size))),
            *(f"constraint {k} is met" for k in np.flatnonzero((signs != 0) & (signs * self.multipliers <= size))),
        ]

    def values(self, x: Any, leaves: Any) -> Any:
        """The active entries as one vector, 0 at the minimum; None if there is none."""
        if self.kinks:
            raise GradientError(
                f"{self.what}: the minimum has no derivative: it has a kink here",
                f"{'; '.join(self.kinks[:3])}, but its multiplier is 0: it holds the minimum on one side alone.",
                "Leave the constraint out if it should not hold.",
            )  # fmt: skip
        if not self._parts:
            return None
        return np.concatenate([c.of_tensors(x, leaves)[places] - wrap(limits) for c, places, limits in self._parts])


def _limits(bounds: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    if bounds is None:
        return np.full(size, -np.inf), np.full(size, np.inf)
    if isinstance(bounds, _scipy.Bounds):
        return tuple(np.broadcast_to(np.asarray(b, np.float64), (size,)) for b in (bounds.lb, bounds.ub))  # type: ignore[return-value]
    ends = [
        [default if v is None else v for v, default in zip(pair, (-np.inf, np.inf), strict=True)] for pair in bounds
    ]
    low, high = np.asarray(ends, np.float64).T
    return low, high
