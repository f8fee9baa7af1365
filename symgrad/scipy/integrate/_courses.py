"""Sensitivities along a solution that SciPy has found: linear equations, of all its steps at once.

The idea to hold: along a known y(t) the sensitivities ``S' = J S + ∂f/∂p`` and the second derivatives
``T' = J T + Vᵀ H V`` are linear, and Newton's method makes the solution's own equation linear too. By collocation at a
few places of each step (Radau IIA), whose coefficients are computed in one batch, a step is one linear map of what it
begins with; the maps are applied one after the other. Steps are SciPy's; where the last Legendre coefficient of a slope
is above the tolerances, a step is cut.

Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer (1996), sections IV.5 and IV.8.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise, starmap
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from ... import _limits
from ..._errors import refusal
from ...autograd import enable_grad as _enable_grad
from ...autograd import grad as _grad
from ...core import edge, wrap
from ...sweep import Push, many_tangents
from ...transforms import MappedCall, VmapSettings

PLACES = 7
"""In each step: its error is of order 14, what is estimated of order 7."""
_NEAR = 0.5
"""A solution is known when Newton's last step is this part of the tolerances: the next would be about its square."""


class Scheme:
    """Collocation at the places ``c`` of (0, 1], the last of which is 1.

    Attributes
    ----------
    A : (places, places), by which slopes at the places become what a step has added there
    last : (places,), by which they become the last Legendre coefficient of their polynomial
    """

    def __init__(self, places: int) -> None:
        x = np.sort(np.real(legendre.legroots([*[0.0] * (places - 1), -1.0, 1.0])))
        x[-1] = 1.0
        self._to_coefficients = np.linalg.inv(legendre.legvander(x, places - 1))
        self.c = (x + 1) / 2
        self.A = self.within(self.c)
        self.last = self._to_coefficients[-1]

    def within(self, x: np.ndarray) -> np.ndarray:
        """The same as A at parts x of a step, (len(x), places)."""
        places = len(self._to_coefficients)
        P = legendre.legvander(2 * x - 1, places)
        integrals = [x, *[(P[:, r + 1] - P[:, r - 1]) / (4 * r + 2) for r in range(1, places)]]
        return np.asarray(np.stack(integrals, 1) @ self._to_coefficients)


SCHEME = Scheme(PLACES)


class StepPolynomials:
    """A function of time (rows, columns), as a polynomial in each step between ``edges``."""

    def __init__(self, edges: np.ndarray, starts: np.ndarray, slopes: np.ndarray) -> None:
        self.edges, self.starts, self.slopes = edges, starts, slopes
        self.h = np.diff(edges)[:, None, None]

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """The values (T, rows, columns)."""
        way = np.sign(self.edges[-1] - self.edges[0])
        k = np.searchsorted(way * self.edges, way * times, side="right") - 1
        k = np.clip(k, 0, len(self.h) - 1)
        weights = SCHEME.within((times - self.edges[k]) / self.h[k, 0, 0])
        return np.asarray(self.starts[k] + self.h[k] * np.einsum("ts,tsab->tab", weights, self.slopes[k]))

    def reaches(self, times: np.ndarray) -> bool:
        """Whether the times lie within the steps."""
        low, high = sorted((self.edges[0], self.edges[-1]))
        room = 1e-12 * (high - low)
        return bool((times >= low - room).all() and (times <= high + room).all())

    @property
    def at_places(self) -> np.ndarray:
        """The values (steps, places, rows, columns) where they were asked for."""
        return np.asarray(self.starts[:-1, None] + self.h[:, None] * np.einsum("ij,mjab->miab", SCHEME.A, self.slopes))

    def errors(self, rtol: Any, atol: Any) -> np.ndarray:
        """For each step what is estimated, as a multiple of the tolerances, as SciPy's solvers have it."""
        error = self.h * np.einsum("j,mjab->mab", SCHEME.last, self.slopes)
        size = np.maximum(np.abs(self.starts[1:]), np.abs(self.starts[:-1]))
        return _norms(error, size, rtol, atol)


def _norms(error: np.ndarray, size: np.ndarray, rtol: Any, atol: Any) -> np.ndarray:
    found = np.sqrt(np.mean((error / (np.reshape(atol, (-1, 1)) + rtol * size)) ** 2, axis=(-2, -1)))
    return np.asarray(found)


class SolutionCourse:
    """A solution between its steps, and the derivatives along it.

    Parameters
    ----------
    tensors : the right side f(t, y, leaves)
    leaves : numbers
    dense : gives SciPy's dense solution, whose times are later by ``shift``
    rtol, atol : those of the solution
    """

    def __init__(
        self, tensors: Callable[..., Any], leaves: tuple[np.ndarray, ...], dense: Callable[[], Any], shift: float,
        rtol: Any, atol: Any,
    ) -> None:  # fmt: skip
        self._leaves, self._dense, self._shift = tuple(map(np.asarray, leaves)), dense, shift
        self.right_side = RightSide(tensors, self._leaves)
        self._rtol, self._atol = rtol, atol
        self._first: dict[int, Any] = {}

    def along(self, n: int, start: int, times: np.ndarray) -> tuple[np.ndarray, Any] | None:
        """The derivatives (T, n, columns) of n states in the first ``start`` of what it starts with and in the leaves,
        and what those of the next order are found along; None where they are not found within the tolerances."""
        if start not in self._first:
            found = _First(self, n, start)
            self._first[start] = found if _succeeds(found) else None
        first = self._first[start]
        return None if first is None or not first.of.reaches(times) else (first.of(times), first)


def _succeeds(found: Any) -> bool:
    refused = refusal.get()
    try:
        return bool(found.solve())
    except Exception:  # whatever is the matter with the function, the sensitivities' own equation runs it, and says it
        refusal.set(refused)
        return False


class _First:
    """Derivatives of first order along a course: ``of`` is a function of time, (n, columns)."""

    def __init__(self, course: SolutionCourse, n: int, start: int) -> None:
        self._course, self._n, self._start = course, n, start
        self.columns = start + sum(v.size for v in course._leaves)
        self.y: Any = None
        self.of: Any = None

    def along(self, n: int, start: int, times: np.ndarray) -> tuple[np.ndarray, Any] | None:
        """As that of the course, of the states and their derivatives."""
        if start != self._start or self._second is None:
            return None
        found = self._second(times).reshape(len(times), -1, self.columns)
        return np.concatenate([self.of(times), found], 1), None

    @cached_property
    def _second(self) -> StepPolynomials | None:
        found = _Bent(self)
        return found.of if _succeeds(found) else None

    def solve(self) -> bool:
        """Whether it is found within the tolerances."""
        course = self._course
        sol = course._dense()
        if sol is None:
            return False
        self.edges = np.asarray(sol.ts) - course._shift
        if not np.diff(self.edges).all():  # it ends where it begins
            return False
        t = self.times
        self.y = StepPolynomials(
            self.edges, sol(self.edges + course._shift).T[..., None], np.zeros((*t.shape, self._n, 1))
        )
        guess = sol(t.reshape(-1) + course._shift).T.reshape(*t.shape, self._n, 1)
        for _ in range(_limits.COURSE_PASSES):
            if not self._is_small(self.columns + 1):
                return False
            off, errors = self.improve(guess)
            if not (np.isfinite(off) and np.isfinite(errors).all()):
                return False
            if off <= _NEAR and (errors <= 1).all():
                return True
            self.cut(errors)
            guess = self.y(self.times.reshape(-1)).reshape(*self.times.shape, self._n, 1)
        return False

    @property
    def times(self) -> np.ndarray:
        return np.asarray(self.edges[:-1, None] + np.diff(self.edges)[:, None] * SCHEME.c)

    def _is_small(self, columns: int) -> bool:
        rows, steps = PLACES * self._n, len(self.edges) - 1
        return bool(rows <= _limits.COURSE_ROWS and steps * rows * (rows + columns) <= _limits.COURSE_ENTRIES)

    def cut(self, errors: np.ndarray) -> None:
        """Cut the steps whose errors are too large into as many as bring them below the tolerances."""
        parts = np.clip(np.ceil(1.2 * errors ** (1 / PLACES)), 1, 8).astype(int)
        parts[errors <= 1] = 1
        edges = [np.linspace(a, b, k + 1)[:-1] for (a, b), k in zip(pairwise(self.edges), parts, strict=True)]
        self.edges = np.concatenate([*edges, self.edges[-1:]])

    def improve(self, guess: np.ndarray) -> tuple[float, np.ndarray]:
        """Solve along a guess of the states at the places: how far it was off, and what is estimated, in tolerances."""
        n, start, course = self._n, self._start, self._course
        batch = course.right_side.at(self.times, guess[..., 0], False)
        self.J, J = batch.jacobian[..., :n], batch.jacobian
        added = np.zeros((*self.J.shape[:-1], self.columns + 1))
        added[..., start:-1] = J[..., n:]
        added[..., -1:] = batch.values[..., None] - self.J @ guess  # Newton's method: y' = f + J (y - guess)
        begin = np.zeros((n, self.columns + 1))
        begin[:start, :start] = np.eye(start)
        begin[:, -1:] = self.y.starts[0]
        whole = solved(self.edges, self.J, added, begin)
        self.of, self.y = (StepPolynomials(self.edges, whole.starts[..., k], whole.slopes[..., k]) for k in _SPLIT)
        rtol, atol = course._rtol, course._atol
        y = self.y.at_places
        off = _norms(y - guess, np.abs(y), rtol, atol).max(initial=0.0)
        return float(off), np.maximum(self.y.errors(rtol, atol), self.of.errors(rtol, np.min(atol)))


_SPLIT = slice(None, -1), slice(-1, None)


class _Bent:
    """Derivatives of second order along those of first order."""

    def __init__(self, first: _First) -> None:
        self._first = first
        self.of: Any = None

    def solve(self) -> bool:
        """Whether they are found within the tolerances."""
        first, course = self._first, self._first._course
        n, c = first._n, first.columns
        below = np.eye(c)[first._start :]
        for _ in range(_limits.COURSE_PASSES):
            t, S = first.times, first.of.at_places
            if not first._is_small(c * (c + n)) or t.size * n * c * (n + len(below)) > _limits.COURSE_ENTRIES:
                return False
            batch = course.right_side.at(t, first.y.at_places[..., 0], True)
            V = np.concatenate([S, np.broadcast_to(below, (*t.shape, *below.shape))], -2)
            added = np.einsum("amsij,msjb->msiab", batch.second(V), V).reshape(*t.shape, n, c * c)
            self.of = solved(first.edges, first.J, added, np.zeros((n, c * c)))
            errors = self.of.errors(course._rtol, np.min(course._atol))
            if not np.isfinite(errors).all():
                return False
            if (errors <= 1).all():
                return True
            first.cut(errors)
            first.improve(first.y(first.times.reshape(-1)).reshape(*first.times.shape, n, 1))
        return False


def solved(edges: np.ndarray, J: np.ndarray, added: np.ndarray, begin: np.ndarray) -> StepPolynomials:
    """The solution (n, k) of ``S' = J S + added``; J is (steps, places, n, n), added (steps, places, n, k)."""
    steps, places, n, k = added.shape
    h = np.diff(edges)
    system = -np.einsum("m,ij,miab->miajb", h, SCHEME.A, J)
    system = system.reshape(steps, places * n, places * n) + np.eye(places * n)
    sides = np.concatenate([J, added], -1).reshape(steps, places * n, n + k)
    X = np.linalg.solve(system, sides).reshape(steps, places, n, n + k)
    maps = h[:, None, None] * np.einsum("j,mjab->mab", SCHEME.A[-1], X)  # the last place is the end of the step
    maps[:, :, :n] += np.eye(n)
    starts = np.empty((steps + 1, n, k))
    starts[0] = begin
    for m in range(steps):
        starts[m + 1] = maps[m, :, :n] @ starts[m] + maps[m, :, n:]
    return StepPolynomials(edges, starts, X[..., :n] @ starts[:-1, None] + X[..., n:])


class RightSide:
    """f(t, y, leaves) at many times and states at once; it is run at the first of them, and recorded."""

    def __init__(self, tensors: Callable[..., Any], leaves: tuple[np.ndarray, ...]) -> None:
        self._tensors, self._leaves = tensors, leaves
        self._recorded: Any = None

    def at(self, t: np.ndarray, y: np.ndarray, second: bool) -> Batch:
        """At times of any shape, states (*times, n); ``second``: with second derivatives."""
        count, n = t.size, y.shape[-1]
        each = [np.broadcast_to(v, (count, *v.shape)) for v in self._leaves]
        with _enable_grad():
            of = [wrap(v.copy()).requires_grad_() for v in (y.reshape(count, n), *each)]
            return Batch(t.shape, of, self._values((wrap(t.reshape(-1)), *of)), second)

    def _values(self, args: tuple[Any, ...]) -> Any:
        if self._recorded is not None:
            return self._recorded.at_others(args)

        def slope(t: Any, y: Any, *leaves: Any) -> Any:
            return self._tensors(t, y, leaves).reshape((y.shape[0],))

        self._recorded = MappedCall(slope, VmapSettings(0, 0, "error", None), args, {})
        return self._recorded.at_once(keep=True)


class Batch:
    """f, its Jacobian and its second derivatives at many places.

    Attributes
    ----------
    values : (*times, n)
    jacobian : (*times, n, N), in y and the leaves
    """

    def __init__(self, shape: tuple[int, ...], of: list[Any], values: Any, second: bool) -> None:
        self._shape, self._of, (count, n) = shape, of, values.shape
        self.values = values.detach().numpy().reshape(*shape, n)
        self._rows: list[Any] = [None] * len(of)
        if values.requires_grad:
            units = wrap(np.broadcast_to(np.eye(n)[:, None], (n, count, n)).copy())
            found = _grad(values, of, units, create_graph=second, allow_unused=True, is_grads_batched=True)
            self._rows = list(found)
        parts = [
            np.zeros((n, count, v.numel() // count)) if d is None else d.detach().numpy().reshape(n, count, -1)
            for v, d in zip(of, self._rows, strict=True)
        ]
        self.jacobian = np.moveaxis(np.concatenate(parts, -1), 0, 1).reshape(*shape, n, -1)

    def second(self, V: np.ndarray) -> np.ndarray:
        """The Jacobian's derivatives along the columns of V (*times, N, c): (c, *times, n, N)."""
        count, n = self.values.size // self.values.shape[-1], self.values.shape[-1]
        along = np.moveaxis(V.reshape(count, *V.shape[-2:]), -1, 0)
        ends = np.cumsum([0, *[v.numel() // count for v in self._of]])
        roots = [None if d is None or not d.requires_grad else edge(d) for d in self._rows]
        found = [None] * len(roots)
        if any(root is not None for root in roots):
            spans = list(starmap(slice, pairwise(ends)))
            given = [along[..., s].reshape(len(along), *v.shape) for s, v in zip(spans, self._of, strict=True)]
            found = Push(roots, [edge(v) for v in self._of])(given, False, many_tangents)
        parts = [
            np.zeros((len(along), n, count, b - a)) if d is None else np.reshape(d, (len(along), n, count, b - a))
            for d, (a, b) in zip(found, pairwise(ends), strict=True)
        ]
        moved = np.moveaxis(np.concatenate(parts, -1), 1, 2)
        return moved.reshape(len(along), *self._shape, *moved.shape[-2:])
