"""Bounds and linear constraints of a fit: as they are given, and which of them hold a parameter at the optimum.

The idea to hold: what is active at the optimum is a set of rows a with a·x = const. The estimates can vary only along
the null space of these rows; a parameter that cannot vary at all has no standard error.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr
from scipy.optimize import Bounds, LinearConstraint

from .._limits import bound
from ..transforms.matrix import TreeNode
from ..transforms.report import short
from ._likelihood import FitError, Likelihood, listed

CONVERGED = 1e-4
"""The fit has converged if the optimum is within so many standard errors; a bound as near holds a parameter."""


def bounds_of(given: Any, model: Likelihood) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest value of each parameter, flat; what these hold fixed starts there."""
    n = model.start.size
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    if isinstance(given, Bounds):
        try:
            lower[:], upper[:] = given.lb, given.ub
        except ValueError:
            shapes = f"{np.shape(given.lb)} and {np.shape(given.ub)}"
            raise _misfit(model, f"Bounds(lb, ub) holds arrays of shapes {shapes}.") from None
    elif given is not None:
        numbers = np.arange(n)
        for chosen, pair in _pairs(model.skeleton._root, given, model, numbers):
            lower[chosen], upper[chosen] = pair
    for k in np.flatnonzero(~(lower <= upper)):
        raise FitError(f"the bounds of {model.labels[k]} are ({lower[k]}, {upper[k]})", "No number lies between them.",
                       "Give (lowest, highest); None where there is none.")  # fmt: skip
    model.start = np.where(lower == upper, lower, model.start)
    for k in np.flatnonzero((model.start < lower) | (model.start > upper)):
        raise FitError(
            f"{model.labels[k]} starts at {model.start[k]:.6g}, outside its bounds ({lower[k]:.6g}, {upper[k]:.6g})",
            "", "Start within them.",
        )  # fmt: skip
    return lower, upper


def _misfit(model: Likelihood, evidence: str) -> FitError:
    return FitError(
        "bounds do not fit the parameters",
        f"{evidence}\nThe parameters are {repr(model.skeleton).partition(': ')[2]}.",
        "Give a container like the parameters with (lowest, highest) in place of arrays, or a dictionary of those that "
        'have bounds: {"sigma": (0, None)}.',
    )  # fmt: skip


def _pairs(place: TreeNode, given: Any, model: Likelihood, numbers: np.ndarray) -> Any:
    """Yield (numbers of the entries, (lowest, highest)) for all that is given at a place of the parameters."""
    if given is None:
        return
    if isinstance(given, dict):
        for key, value in given.items():
            below = place.reach(key)
            if below is not None:
                yield from _pairs(below, value, model, numbers)
            elif key == ".".join(map(str, place.path or model.skeleton.names[0])) and place.entries is None:
                yield from _pairs(place, value, model, numbers)
            elif key in model.labels:
                yield _pair(np.array(model.labels.index(key)), value, model, key)
            else:
                raise _misfit(model, f"There is no parameter {key!r}.")
        return
    starts = model.skeleton._starts
    mine = numbers[starts[place.start] : starts[place.stop]]
    if place.entries is None:
        mine = mine.reshape(model.shapes[place.start])
        name = ".".join(map(str, model.skeleton.names[place.start]))
        pairs = getattr(given, "ndim", 0) == 2 or (
            isinstance(given, (list, tuple)) and all(isinstance(pair, (list, tuple)) for pair in given)
        )
        if mine.ndim == 1 and pairs:
            if len(given) != len(mine):
                raise _misfit(model, f"{name} has {len(mine)} entries, and {len(given)} pairs of bounds.")
            for k, pair in zip(mine, given, strict=True):
                yield _pair(np.array(k), pair, model, model.labels[k])
        else:
            yield _pair(mine, given, model, name)
        return
    if not isinstance(given, (list, tuple)) or len(given) != len(place.entries) or place.keyed:
        raise _misfit(model, f"They are {given!r}.")
    for below, value in zip(place.entries.values(), given, strict=True):
        yield from _pairs(below, value, model, numbers)


def _pair(chosen: np.ndarray, pair: Any, model: Likelihood, name: str) -> tuple[np.ndarray, tuple[Any, Any]]:
    try:
        low, high = pair
        ends = [np.broadcast_to(np.asarray(none if end is None else end, float), chosen.shape)
                for end, none in ((low, -np.inf), (high, np.inf))]  # fmt: skip
    except (TypeError, ValueError):
        raise _misfit(model, f"The bounds of {name} are {pair!r}.") from None
    return chosen, (ends[0], ends[1])


class ConstraintRows(NamedTuple):
    """Linear constraints: ``low <= matrix @ x <= high``."""

    matrix: np.ndarray
    low: np.ndarray
    high: np.ndarray


def rows_of(given: Any, model: Likelihood) -> tuple[list[ConstraintRows], ConstraintRows]:
    """The constraints one by one, and all of them as one set of rows."""
    n = model.start.size
    several = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    parts = [ConstraintRows(np.zeros((0, n)), np.zeros(0), np.zeros(0))]
    for one in several:
        if not isinstance(one, LinearConstraint):
            raise FitError("constraints are linear: scipy.optimize.LinearConstraint(A, lb, ub), or a list of them",
                           f"One is a {type(one).__name__}.",
                           "Where others are needed, write the parameters as functions of free ones.")  # fmt: skip
        matrix = np.atleast_2d(np.asarray(one.A.toarray() if hasattr(one.A, "toarray") else one.A, float))
        if matrix.shape[1] != n:
            raise FitError(f"a constraint has {matrix.shape[1]} columns, and there are {n} parameters",
                           f"They are {listed(model.labels)}.",
                           "Give A a column for each, in this order.")  # fmt: skip
        parts.append(ConstraintRows(matrix, *(np.broadcast_to(end, len(matrix)) for end in (one.lb, one.ub))))
    return parts[1:], ConstraintRows(*map(np.concatenate, zip(*parts, strict=True)))


class Free(NamedTuple):
    """Along what the estimates can vary.

    ``basis`` is an (N, m) matrix: a step t in the parameters numbered ``own`` is a step ``basis @ t`` in all. ``held``
    marks the parameters that cannot vary, ``ends`` says of those at a bound at which: 'lower', 'upper' or 'fixed'.
    ``outside`` is how many standard errors the point lies outside what is allowed, ``binding`` has the linear
    constraints that hold with equality, by number, and what they are equal to.
    """

    basis: np.ndarray
    own: np.ndarray
    held: np.ndarray
    ends: dict[int, str]
    outside: float
    binding: dict[int, float]

    def reduced(self, matrix: np.ndarray) -> np.ndarray:
        """The quadratic form in the steps t."""
        if self._is_own:
            return matrix if len(self.own) == len(matrix) else matrix[np.ix_(self.own, self.own)]
        return self.basis.T @ matrix @ self.basis

    def spread(self, matrix: np.ndarray) -> np.ndarray:
        """A matrix of the steps t as one of all parameters, with zeros for those that are held."""
        if self._is_own and len(self.own) == len(self.held):
            return matrix
        return self.basis @ matrix @ self.basis.T

    @property
    def _is_own(self) -> bool:
        """Whether each step is one of a parameter's own."""
        k = self.own.size
        return np.count_nonzero(self.basis) == k and bool((self.basis[self.own, range(k)] == 1).all())


def free_directions(
    x: np.ndarray, gradient: np.ndarray, hessian: np.ndarray, lower: np.ndarray, upper: np.ndarray, rows: ConstraintRows
) -> Free:
    """Along what a minimum can vary.

    A row is active where it holds with equality and the gradient does not pull away; and where equality is nearer than
    counts as converged, as interior methods leave it, and the gradient pushes there. All of it in standard errors.
    """
    n = x.size
    if is_unlimited(lower, upper, rows):
        return Free(np.eye(n), np.arange(n), np.zeros(n, bool), {}, 0.0, {})
    every = ConstraintRows(np.vstack([np.eye(n), rows.matrix]), np.append(lower, rows.low), np.append(upper, rows.high))
    value, square = every.matrix @ x, np.maximum((every.matrix**2).sum(1), 1e-300)
    unit = np.sqrt(np.abs(((every.matrix @ hessian) * every.matrix).sum(1))) / square  # 1 / standard error
    away, equal = [value - every.low, every.high - value], every.low == every.high
    with np.errstate(invalid="ignore"):  # no bound and no curvature: nan is not near
        near = [(d <= 0) | (d * unit <= CONVERGED) for d in away]
    active = np.flatnonzero(near[0] | near[1] | equal)
    if active.size:
        multipliers = np.linalg.lstsq(every.matrix[active].T, gradient, rcond=None)[0]
        low = near[0][active]
        push, gap = np.where(low, multipliers, -multipliers), np.where(low, away[0][active], away[1][active])
        least = CONVERGED * unit[active]
        kept = np.where(gap <= 0, push >= -least, (push > least) & (push * gap <= CONVERGED))
        active = active[kept | equal[active]]
    ends = {int(k): "fixed" if equal[k] else "lower" if near[0][k] else "upper" for k in active if k < n}
    outside = float((np.maximum(-np.minimum(*away), 0) * unit).max())
    loose = np.array([k for k in range(n) if k not in ends], int)
    A = every.matrix[active[active >= n]][:, loose]
    basis, own = _null_space(A)
    whole = np.zeros((n, basis.shape[1]))
    whole[loose] = basis
    binding = {int(k) - n: float((every.low if near[0][k] else every.high)[k]) for k in active if k >= n}
    return Free(whole, loose[own], np.asarray(~whole.any(1)), ends, outside, binding)


def equations(rows: ConstraintRows, binding: dict[int, float], labels: list[str]) -> list[str]:
    """Linear constraints that hold with equality, as one writes them: b1 − 2·b2 = 0."""
    return [f"{_combination(rows.matrix[k], labels)} = {short(value, 6)}" for k, value in binding.items()]


def _combination(row: np.ndarray, labels: list[str]) -> str:
    chosen, text = np.flatnonzero(row), ""
    for k in chosen[:TERMS]:
        times = "" if abs(row[k]) == 1 else f"{short(abs(row[k]), 6)}·"
        text += f" {'−' if row[k] < 0 else '+'} {times}{labels[k]}"
    return (f"−{text[3:]}" if text.startswith(" −") else text[3:]) + " + …" * (len(chosen) > TERMS)


TERMS = bound(8)
"""Terms of a constraint that are written."""


def allows(x: np.ndarray, lower: np.ndarray, upper: np.ndarray, rows: ConstraintRows) -> bool:
    """Whether a point is within the bounds and the constraints."""
    several = rows.matrix @ x
    return bool(((lower <= x) & (x <= upper)).all() and ((rows.low <= several) & (several <= rows.high)).all())


def is_unlimited(lower: np.ndarray, upper: np.ndarray, rows: ConstraintRows) -> bool:
    """Whether there are neither bounds nor rows."""
    return not len(rows.matrix) and not np.isfinite(lower).any() and not np.isfinite(upper).any()


def _null_space(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The null space of A in coordinates of its own: (basis, columns that are free; the others follow from them)."""
    n = A.shape[1]
    if not len(A):
        return np.eye(n), np.arange(n)
    R, order = qr(A, mode="r", pivoting=True)[0:2]
    diagonal = np.abs(np.diagonal(R))
    rank = int((diagonal > 1e-12 * diagonal.max(initial=0)).sum())
    basis = np.zeros((n, n - rank))
    basis[order[rank:]] = np.eye(n - rank)
    follow = -np.linalg.solve(R[:rank, :rank], R[:rank, rank:])
    basis[order[:rank]] = np.where(np.abs(follow) < 1e-14, 0.0, follow)
    return basis, order[rank:]
