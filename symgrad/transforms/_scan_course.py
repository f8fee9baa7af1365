"""A loop by the program of its step, to be differentiated: its values, their gradient, and second derivatives.

The idea to hold: each step's Jacobian and its second derivatives, weighed by the gradients that arrive, are all that a
loop's derivatives need. Linear recurrences carry them from step to step. What is beyond second order, or not finite, is
the same loop's in operations.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._function import Function
from ..core import Tensor, edge, modes, next_seq, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..ops.linalg._block_recurrence import recurrence
from ..programs import _loop_chain as chain
from ..programs._step_program import StepProgram
from ..sweep.calls import Part
from ._scan_body import no_formula
from ._variables import recording

_NEAR, _EPS = 1e-9, float(np.finfo(np.float64).eps)


def near(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are the same but for what operations in another order round."""
    return bool((np.abs(a - b) <= _NEAR * (np.abs(b) + np.abs(b).mean(0))).all())


class Course:
    """One run of a loop: its values, and its derivatives by the program of its step.

    n numbers are variables: the first state, then what comes from outside, then what is differentiated of each slice.

    Attributes
    ----------
    values : (steps, state + collected)
    """

    def __init__(self, program: StepProgram, used: Any, values: np.ndarray) -> None:
        self.program, self.values = program, values
        self.k, self.places = program.sizes.state, used.places
        self.rows, first, outer = used.rows, used.first, used.numbers
        before = np.concatenate([first[None], values[:-1, : self.k]])
        self.point = before, outer
        self.outer = len(first) + len(outer)
        self.recorded = used.recorded
        self._sizes = self.k, self.outer, self.places, int(self.places.max(initial=self.outer - 1)) + 1
        self._jacobian: Any = None
        self._walked: Any = None
        self._known: Any = None

    @property
    def jacobian(self) -> np.ndarray:
        """(steps, state + collected, state + outer + moving): of each step, in what it gets."""
        if self._jacobian is None:
            self._jacobian = self.program.jacobian(self.point, self.rows)
        return self._jacobian

    def is_smooth(self) -> bool:
        """Whether every Jacobian is known."""
        return self.jacobian is not None

    def is_steady(self) -> bool:
        """Whether a rounding in every step, carried on, stays small."""
        across = np.ascontiguousarray(self.jacobian[:, : self.k, : self.k])
        if np.abs(across).sum(2).max(initial=0) <= 1:
            return True
        states = np.abs(self.values[:, : self.k])
        sizes = states + states.mean(0)
        grown = recurrence(_EPS * sizes, across, False)
        return bool((np.abs(grown) <= _NEAR * sizes).all())

    def weights(self, g: np.ndarray) -> np.ndarray:
        """The gradients in what each step gives, if ``g`` are those in all values: the adjoint recurrence."""
        return self._pulled(g)[1]

    def pulled(self, g: np.ndarray) -> np.ndarray:
        """The gradient in the variables, (n,), of gradients in all values."""
        return self._pulled(g)[0]

    def _pulled(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._known is None or not np.array_equal(self._known[0], g):
            self._known = g.copy(), chain.pulled(self.jacobian, *self._sizes, g)
        found: tuple[np.ndarray, np.ndarray] = self._known[1]
        return found

    def pulled_of_many(self, g: np.ndarray) -> np.ndarray:
        """The same of many at once, (steps, state + collected, m): (n, m)."""
        each = chain.times(self.jacobian.transpose(0, 2, 1), chain.weights(self.jacobian, self.k, g))
        return chain.variables(each, *self._sizes)

    def _along(self, directions: np.ndarray) -> np.ndarray:
        """How what each step gets moves in some directions of the variables, (n, m)."""
        if self._walked is None or self._walked[0] is not directions:
            self._walked = directions, chain.along(self.jacobian, self.k, self.outer, self.places, directions)
        found: np.ndarray = self._walked[1]
        return found

    def moved(self, directions: np.ndarray) -> np.ndarray:
        """How all values move in some directions of the variables, (n, m): (steps, state + collected, m)."""
        return chain.times(self.jacobian, self._along(directions))

    def bent(self, g: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        """The second derivatives along the directions, (m, m), of all values times ``g``."""
        second = self.program.second(self.weights(g), self.point, self.rows)
        return None if second is None else chain.bent(second, self._along(directions))

    def gradient_moved(self, g: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        """How the gradient in the variables of all values times ``g`` moves in some directions: (n, m)."""
        second = self.program.second(self.weights(g), self.point, self.rows)
        if second is None:
            return None
        k, turned = self.k, chain.times(second, self._along(directions))
        arrived = np.concatenate([turned[1:, :k], np.zeros_like(turned[:1, :k])])
        turned += chain.times(self.jacobian[:, :k].transpose(0, 2, 1), chain.back(self.jacobian, k, arrived))
        return chain.variables(turned, *self._sizes)


class Once:
    """A course that is entered into a graph once; elsewhere, of symbols or other numbers, it would be another one."""

    def __init__(self, course: Course) -> None:
        self._course: Course | None = course

    def take(self) -> Course:
        """The course, the first time."""
        course, self._course = self._course, None
        if course is None:
            raise no_formula()
        return course


class Values(Function):
    """``apply(Once(course), *used)``: all values of a loop, as a function of the first state and of what it used."""

    @staticmethod
    def forward(ctx: Any, once: Once, *used: Any) -> Any:
        ctx.course = course = once.take()
        ctx.save_for_backward(*used)
        return wrap(course.values)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        used = ctx.saved_tensors
        if modes.grad_enabled():
            return None, *split(ValuesGradient.apply(Once(ctx.course), g, *used), [t._data.shape for t in used])
        return None, *_apart(ctx.course.pulled(g._data), used)

    @staticmethod
    def jvp(ctx: Any, course: Any, *tangents: Any) -> Any:
        if not modes.grad_enabled():
            return _one(Values.jvps(ctx, None, *tangents))
        return _Recorded(ctx.course, ctx.saved_tensors).moved(tangents)

    @staticmethod
    def jvps(ctx: Any, course: Any, *tangents: Any) -> np.ndarray:
        """Many tangents at once, of arrays with the directions in front."""
        return ctx.course.moved(_together(ctx.saved_tensors, tangents).T).transpose(2, 0, 1)


class ValuesGradient(Function):
    """``apply(Once(course), g, *used)``: the gradients in what a loop used of all its values times g, in a row."""

    @staticmethod
    def forward(ctx: Any, once: Once, g: Any, *used: Any) -> Any:
        ctx.course = once.take()
        ctx.save_for_backward(g, *used)
        return wrap(ctx.course.pulled(g._data))

    @staticmethod
    def backward(ctx: Any, v: Any) -> Any:
        g, *used = ctx.saved_tensors
        direction = v._data[:, None]
        found = None if modes.grad_enabled() else ctx.course.gradient_moved(g._data, direction)
        if found is None:
            return None, *_Recorded(ctx.course, used, g).pulled(v)
        return None, wrap(ctx.course.moved(direction)[:, :, 0]), *_apart(found[:, 0], used)

    @staticmethod
    def jvp(ctx: Any, course: Any, *tangents: Any) -> Any:
        found = None if modes.grad_enabled() else ValuesGradient.jvps(ctx, None, *tangents)
        if found is not None:
            return _one(found)
        g, *used = ctx.saved_tensors
        return _Recorded(ctx.course, used, g).moved(tangents)

    @staticmethod
    def jvps(ctx: Any, course: Any, g_moved: Any, *tangents: Any) -> Any:
        """Many tangents at once, of arrays with the directions in front; None where the program does not do."""
        g, *used = ctx.saved_tensors
        moved: Any = 0.0
        if any(t is not None for t in tangents):
            moved = ctx.course.gradient_moved(g._data, _together(used, tangents).T)
        if moved is None:
            return None
        moved = moved if np.isscalar(moved) else moved.T
        if g_moved is None:
            return moved
        return moved + ctx.course.pulled_of_many(_numbers(g_moved).transpose(1, 2, 0)).T


def _apart(row: np.ndarray, used: Any) -> list[Any]:
    """The numbers of a row in the shapes of what was used."""
    ends = np.cumsum([t._data.size for t in used])[:-1]
    return [wrap(part.reshape(t._data.shape)) for part, t in zip(np.split(row, ends), used, strict=True)]


def _together(used: Any, tangents: Any) -> np.ndarray:
    """Tangents of all directions in a matrix of one row each, 0 for what stays."""
    count = next(len(_numbers(t)) for t in tangents if t is not None)
    rows = [
        np.zeros((count, u._data.size)) if t is None else _numbers(t).reshape(count, -1)
        for u, t in zip(used, tangents, strict=True)
    ]
    return np.concatenate(rows, 1)


def _numbers(t: Any) -> np.ndarray:
    """A tangent's numbers; a tensor is one direction."""
    return t._data[None] if isinstance(t, Tensor) else t


def _one(found: np.ndarray) -> Tensor:
    return wrap(found[0])


class _Recorded:
    """The same loop in operations, for derivatives that the program does not have: a part of a graph from copies of
    what the loop used; with the gradients in all values its gradient too."""

    def __init__(self, course: Course, used: Any, g: Any = None) -> None:
        self.is_graph = modes.grad_enabled()
        with recording():
            self.copies = [METHODS["clone"](t) for t in used]
            given = None if g is None else METHODS["clone"](g)
            born = next_seq()
            self.part: Any = Part(course.recorded(self.copies), born)
            self.edges = [edge(t) for t in self.copies]
            if given is not None:
                found = self.part.pull(given, self.edges, True)
                rows = [t * 0.0 if d is None else d for t, d in zip(self.copies, found, strict=True)]
                gradient = FUNCTIONS["cat"]([METHODS["reshape"](row, (-1,)) for row in rows], 0)
                self.part = None if gradient._node is None else Part(gradient, born)  # None: it stays
                self.edges.insert(0, edge(given))

    def _given(self, t: Any) -> Any:
        return t if t is None or self.is_graph else t._data

    def _returned(self, t: Any) -> Any:
        return t if t is None or self.is_graph else wrap(np.asarray(t))

    def moved(self, tangents: Any) -> Any:
        """The tangent of the part's result."""
        if self.part is None:
            return None
        return self._returned(self.part.push(self.edges, [self._given(t) for t in tangents], self.is_graph))

    def pulled(self, v: Any) -> list[Any]:
        """The gradients in what the part begins with."""
        if self.part is None:
            return [None] * len(self.edges)
        return [self._returned(t) for t in self.part.pull(self._given(v), self.edges, self.is_graph)]


def row_of(tensors: list[Any]) -> np.ndarray:
    return np.concatenate([t._data.reshape(-1) for t in tensors] or [np.zeros(0)])


def split(row: Any, shapes: list[Any]) -> list[Any]:
    """The tensors of these shapes whose numbers are in a row."""
    parts, at = [], 0
    for shape in shapes:
        size = math.prod(shape)
        parts.append(METHODS["reshape"](row[at : at + size], tuple(shape)))
        at += size
    return parts


__all__ = ["Course", "Values", "Once", "near", "row_of", "split"]
