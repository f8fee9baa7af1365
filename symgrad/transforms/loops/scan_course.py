"""A loop by the program of its step: values, gradient, second derivatives, by one equation for all steps."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..._array import to_arrays
from ..._errors import FormulaError
from ..._function import Function
from ...core import TABLE, Symbol, Tensor, applied, edge, modes, next_seq, wrap
from ...ops import FUNCTIONS, METHODS
from ...ops.linalg.special_systems import block_recurrence, recurrence
from ...programs import helpers as chain
from ...programs.loops import StepProgram
from ...sweep import Subgraph
from ..calls.tree import Spec, flatten_like, flatten_values, unflatten
from ..calls.variables import as_variable, recording

# -------------------------------------------------------------------------------------------------------------------
# What a loop's states are to everything that the loop used: one equation for all steps, and its derivatives

# The idea to hold: a change of the states is what changes in the steps, all at once, carried on from step to step by
# the steps' Jacobians: a linear recurrence, forwards for tangents and backwards for gradients.


class Body:
    """One step on all states at once, recorded, and what its derivatives are to the states'."""

    states: Any  # the node of the states
    before: Any  # the edge of the states before each step
    part: Subgraph
    _slopes: Any
    shape: tuple[int, ...]
    edges: list[Any]

    def record(self, S: Tensor, first: Tensor, steps: Callable[[Tensor], tuple[Any, Any]]) -> Any:
        """Record all steps from ``S``, their own results; returns these again, and what is collected."""
        before = FUNCTIONS["cat"]([METHODS["reshape"](first, (1, -1)), S[:-1]], 0)
        born = next_seq()
        after, ys = steps(before)
        self.before, self._slopes = edge(before), None
        self.shape = S._data.shape
        self.part = Subgraph(after, born)
        ones = np.ones_like(S._data)
        others = [e for e in self.part.edges if e is not self.before]
        pairs = zip(others, self.part.pull(ones, others, False), strict=True)
        self.edges, found = [], []
        for e, g in pairs:
            if g is not None:
                self.edges.append(e)
                found.append(g)
        node = self.states
        node.parents = (*node.parents, *self.edges)
        node.consts = None if node.consts is None else (*node.consts, *[None] * len(found))
        node._fits = (*node._fits, *[(g.shape, g.dtype) for g in found])
        node.needs_input_grad = (*node.needs_input_grad, *[True] * len(found))
        return after, ys

    def slopes(self, graph: bool) -> Any:
        """The Jacobians of each step in the state before it: (steps, state, state)."""
        if not graph and self._slopes is not None:
            return self._slopes
        rows = []
        for i in range(self.shape[1]):
            unit = np.zeros(self.shape)
            unit[:, i] = 1
            (row,) = self.part.pull(wrap(unit) if graph else unit, [self.before], graph)
            zero = np.zeros(self.shape)
            rows.append((wrap(zero) if graph else zero) if row is None else row)
        if graph:
            return FUNCTIONS["stack"](rows, 1)
        self._slopes = np.stack(rows, 1)
        return self._slopes

    def cotangents(self, g: Tensor, graph: bool) -> list[Any]:
        """The gradients of the first state, and of all else that the steps use."""
        A = self.slopes(graph)
        A = A if graph else wrap(A)
        added = block_recurrence(g, _later(METHODS["transpose"](A, 1, 2)), True)
        found = self.part.pull(added if graph else added._data, [self.before, *self.edges], graph)
        found = [g if g is None or isinstance(g, Tensor) else wrap(g) for g in found]
        return [None if found[0] is None else found[0][0], *found[1:]]

    def tangents(self, first: Any, others: list[Any], graph: bool) -> Any:
        """The tangents of the states."""
        start = None
        if first is not None:
            rest = wrap(np.zeros((self.shape[0] - 1, self.shape[1])))
            start = FUNCTIONS["cat"]([METHODS["reshape"](first, (1, -1)), rest], 0)
        given = [t if t is None or graph else t._data for t in (start, *others)]
        tangents = self.part.push([self.before, *self.edges], given, graph)
        if tangents is None:
            return None
        A = self.slopes(graph)
        return block_recurrence(tangents if graph else wrap(np.asarray(tangents)), A if graph else wrap(A), False)


def no_formula() -> FormulaError:
    """What is said where a recorded loop is to be computed again, of symbols or of other numbers."""
    return FormulaError(
        "a loop that was recorded as one operation has no formula", "It was computed by sg.scan.",
        "Ask for the formula of the function at symbols, sg.formula(f, sg.symbol(…)): there it is written out.",
    )  # fmt: skip


class States(Function):
    """``apply(body, first, states)``: the numbers that a loop went through, as a function of all that it used."""

    @staticmethod
    def forward(ctx: Any, body: Body, first: Any, states: np.ndarray, *others: Any) -> Any:
        if others:  # computed again, elsewhere
            raise no_formula()
        ctx.body, body.states, ctx.values = body, ctx, (states,)
        ctx.save_for_backward(first)
        return wrap(states)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        _ = ctx.saved_tensors  # says so if the graph was freed
        first, *others = ctx.body.cotangents(g, modes.grad_enabled())
        return None, first, None, *others

    @staticmethod
    def jvp(ctx: Any, body: Any, first: Any, states: Any, *others: Any) -> Any:
        return ctx.body.tangents(first, list(others), modes.grad_enabled())


def _later(A: Tensor) -> Any:
    """The matrices one step later, 0 after the last."""
    return FUNCTIONS["cat"]([A[1:], A[:1] * 0.0], 0)


# ----------------------------------------------------- A step of a loop as a function of its state's numbers in a row

# The idea to hold: one row is all that a state is to what differentiates it, whatever container the user keeps it in.


TRACED: ContextVar[Any] = ContextVar("symgrad_traced_loops", default=None)
"""The loops of the function that is traced for a program here; None elsewhere."""


class FlatStep:
    """A step, of a state's numbers in a row: what is looked through for the tensors that the step catches is small."""

    step: Any
    spec: Any
    of_arrays: Any
    collected: Spec

    def __init__(self, loop: Any) -> None:
        self.step, self.spec, self.of_arrays = loop.step, loop.spec, loop.of_arrays
        self.shapes: list[tuple[int, ...]] = [shape_of(leaf) for leaf in loop.leaves]
        self.traced: list[Any] = []  # the stand-ins that were passed

    def is_kept(self) -> bool:
        """Whether something outside holds on to what was computed from a stand-in."""
        if all(ref() is None for ref in self.traced):
            return False
        gc.collect()
        return any(ref() is not None for ref in self.traced)

    def __call__(self, row: Any, x: Any = None) -> tuple[Any, ...]:
        stand_ins = [getattr(v, "_t", v) for v in (row, *flatten_values(x)[0])]
        self.traced += [weakref.ref(v._node) for v in stand_ins if isinstance(v, Symbol) and v._node is not None]
        carry, y = self.step(self.state(row), x)
        leaves = flatten_like(self.spec, carry) or ()
        collected, self.collected = flatten_values(y)
        flat = [METHODS["reshape"](as_variable(leaf), (-1,)) for leaf in leaves]
        row = FUNCTIONS["cat"](flat, 0) if flat else row[:0]
        return row, *map(as_variable, collected)

    def state(self, row: Any, dtypes: Any = None) -> Any:
        """A state, as the user's step knows it, of its numbers; of these ``dtypes``, or of the row's."""
        leaves, at = list[Any](), 0
        for shape in self.shapes:
            size = int(np.prod(shape))
            part = row[at] if not shape else METHODS["reshape"](row[at : at + size], shape)
            part = part if dtypes is None else of_dtype(part, dtypes[len(leaves)])
            leaves.append(to_arrays(part) if self.of_arrays else part)
            at += size
        return unflatten(self.spec, leaves)


def of_dtype(t: Any, dtype: Any) -> Any:
    """A tensor in a dtype."""
    return t if t._data.dtype == dtype else applied(TABLE["cast"], [t], [dtype])


def shape_of(value: Any) -> tuple[int, ...]:
    """A leaf's shape."""
    return tuple(value.shape) if hasattr(value, "shape") else np.shape(value)


def collected_by_none(step: Any, carry: Any, xs: list[Any], spec: Any) -> Any:
    """What no rounds of a loop collect: arrays of no rows, of the shapes that a step on zeros collects."""
    slices = [np.zeros(x.shape[1:], x.dtype) for x in xs]
    token = modes.mode.set(modes.OFF)
    try:
        with np.errstate(all="ignore"):
            _, y = step(carry, unflatten(spec, slices) if slices else None)
    finally:
        modes.mode.reset(token)
    leaves, made = flatten_values(y)
    kinds = [v.dtype if hasattr(v, "dtype") else np.asarray(v).dtype for v in leaves]
    empty = [np.zeros((0, *shape_of(v)), kind) for v, kind in zip(leaves, kinds, strict=True)]
    return unflatten(made, [wrap(e) if isinstance(v, Tensor) else e for e, v in zip(empty, leaves, strict=True)])


# -------------------------------------------------------------------------------------------------------------------
# A loop by the program of its step, to be differentiated: its values, their gradient, and second derivatives

# The idea to hold: each step's Jacobian and its second derivatives, weighed by the gradients that arrive, are all that
# a loop's derivatives need. Linear recurrences carry them from step to step. What is beyond second order, or not
# finite, is the same loop's in operations.


_NEAR, _EPS = 1e-9, float(np.finfo(np.float64).eps)


def near(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are the same but for what operations in another order round."""
    return bool((np.abs(a - b) <= _NEAR * (np.abs(b) + np.abs(b).mean(0))).all())


class LoopCourse:
    """One run of a loop: its values, and its derivatives by the program of its step.

    n numbers are variables: the first state, then what comes from outside, then what is differentiated of each slice.

    Attributes
    ----------
    values : (steps, state + collected)
    """

    program: StepProgram
    values: np.ndarray
    k: int
    places: Any
    rows: Any

    def __init__(self, program: StepProgram, used: Any, values: np.ndarray) -> None:
        self.program, self.values = program, values
        self.k, self.places = program.sizes.state, used.places
        self.rows, first, outer = used.rows, used.first, used.numbers
        before = np.concatenate([first[None], values[:-1, : self.k]])
        self.point: tuple[np.ndarray, Any] = before, outer
        self.outer: int = len(first) + len(outer)
        self.recorded: Any = used.recorded
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
        return self._vjp(g)[1]

    def vjp(self, g: np.ndarray) -> np.ndarray:
        """The gradient in the variables, (n,), of gradients in all values."""
        return self._vjp(g)[0]

    def _vjp(self, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._known is None or not np.array_equal(self._known[0], g):
            self._known = g.copy(), chain.vjp(self.jacobian, *self._sizes, g)
        found: tuple[np.ndarray, np.ndarray] = self._known[1]
        return found

    def vjp_of_many(self, g: np.ndarray) -> np.ndarray:
        """The same of many at once, (steps, state + collected, m): (n, m)."""
        each = self.jacobian.transpose(0, 2, 1) @ chain.weights(self.jacobian, self.k, g)
        return chain.variables(each, *self._sizes)

    def _tangents(self, directions: np.ndarray) -> np.ndarray:
        """How what each step gets moves in some directions of the variables, (n, m)."""
        if self._walked is None or self._walked[0] is not directions:
            self._walked = directions, chain.tangents(self.jacobian, self.k, self.outer, self.places, directions)
        found: np.ndarray = self._walked[1]
        return found

    def jvp(self, directions: np.ndarray) -> np.ndarray:
        """How all values move in some directions of the variables, (n, m): (steps, state + collected, m)."""
        return np.asarray(self.jacobian @ self._tangents(directions))

    def curvature(self, g: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        """The second derivatives along the directions, (m, m), of all values times ``g``."""
        second = self.program.second(self.weights(g), self.point, self.rows)
        return None if second is None else chain.curvature(second, self._tangents(directions))

    def gradient_jvp(self, g: np.ndarray, directions: np.ndarray) -> np.ndarray | None:
        """How the gradient in the variables of all values times ``g`` moves in some directions: (n, m)."""
        second = self.program.second(self.weights(g), self.point, self.rows)
        if second is None:
            return None
        k, turned = self.k, second @ self._tangents(directions)
        arrived = np.concatenate([turned[1:, :k], np.zeros_like(turned[:1, :k])])
        turned += self.jacobian[:, :k].transpose(0, 2, 1) @ chain.adjoints(self.jacobian, k, arrived)
        return chain.variables(turned, *self._sizes)


class SingleUse:
    """A course that is entered into a graph once; elsewhere, of symbols or other numbers, it would be another one."""

    def __init__(self, course: LoopCourse) -> None:
        self._course: LoopCourse | None = course

    def take(self) -> LoopCourse:
        """The course, the first time."""
        course, self._course = self._course, None
        if course is None:
            raise no_formula()
        return course


class LoopValues(Function):
    """``apply(SingleUse(course), *used)``: all values of a loop, in its first state and what it used."""

    @staticmethod
    def forward(ctx: Any, once: SingleUse, *used: Any) -> Any:
        ctx.course = course = once.take()
        ctx.save_for_backward(*used)
        return wrap(course.values)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        used = ctx.saved_tensors
        if modes.grad_enabled():
            return None, *split(ValuesGradient.apply(SingleUse(ctx.course), g, *used), [t._data.shape for t in used])
        return None, *_apart(ctx.course.vjp(g._data), used)

    @staticmethod
    def jvp(ctx: Any, course: Any, *tangents: Any) -> Any:
        if not modes.grad_enabled():
            return _one(LoopValues.jvps(ctx, None, *tangents))
        return _RecordedLoop(ctx.course, ctx.saved_tensors).jvp(tangents)

    @staticmethod
    def jvps(ctx: Any, course: Any, *tangents: Any) -> np.ndarray:
        """Many tangents at once, of arrays with the directions in front."""
        return ctx.course.jvp(_together(ctx.saved_tensors, tangents).T).transpose(2, 0, 1)


class ValuesGradient(Function):
    """``apply(SingleUse(course), g, *used)``: the gradients in what a loop used of all its values times g, in a row."""

    @staticmethod
    def forward(ctx: Any, once: SingleUse, g: Any, *used: Any) -> Any:
        ctx.course = once.take()
        ctx.save_for_backward(g, *used)
        return wrap(ctx.course.vjp(g._data))

    @staticmethod
    def backward(ctx: Any, v: Any) -> Any:
        g, *used = ctx.saved_tensors
        direction = v._data[:, None]
        found = None if modes.grad_enabled() else ctx.course.gradient_jvp(g._data, direction)
        if found is None:
            return None, *_RecordedLoop(ctx.course, used, g).vjp(v)
        return None, wrap(ctx.course.jvp(direction)[:, :, 0]), *_apart(found[:, 0], used)

    @staticmethod
    def jvp(ctx: Any, course: Any, *tangents: Any) -> Any:
        found = None if modes.grad_enabled() else ValuesGradient.jvps(ctx, None, *tangents)
        if found is not None:
            return _one(found)
        g, *used = ctx.saved_tensors
        return _RecordedLoop(ctx.course, used, g).jvp(tangents)

    @staticmethod
    def jvps(ctx: Any, course: Any, g_tangent: Any, *tangents: Any) -> Any:
        """Many tangents at once, of arrays with the directions in front; None where the program does not do."""
        g, *used = ctx.saved_tensors
        found: Any = 0.0
        if any(t is not None for t in tangents):
            found = ctx.course.gradient_jvp(g._data, _together(used, tangents).T)
        if found is None:
            return None
        found = found if np.isscalar(found) else found.T
        if g_tangent is None:
            return found
        return found + ctx.course.vjp_of_many(_numbers(g_tangent).transpose(1, 2, 0)).T


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


class _RecordedLoop:
    """The same loop in operations, for derivatives that the program does not have: a part of a graph from copies of
    what the loop used; with the gradients in all values its gradient too."""

    def __init__(self, course: LoopCourse, used: Any, g: Any = None) -> None:
        self.is_graph = modes.grad_enabled()
        with recording():
            self.copies = [METHODS["clone"](t) for t in used]
            given = None if g is None else METHODS["clone"](g)
            born = next_seq()
            self.part: Any = Subgraph(course.recorded(self.copies), born)
            self.edges = [edge(t) for t in self.copies]
            if given is not None:
                found = self.part.pull(given, self.edges, True)
                rows = [t * 0.0 if d is None else d for t, d in zip(self.copies, found, strict=True)]
                gradient = FUNCTIONS["cat"]([METHODS["reshape"](row, (-1,)) for row in rows], 0)
                self.part = None if gradient._node is None else Subgraph(gradient, born)  # None: it stays
                self.edges.insert(0, edge(given))

    def _given(self, t: Any) -> Any:
        return t if t is None or self.is_graph else t._data

    def _returned(self, t: Any) -> Any:
        return t if t is None or self.is_graph else wrap(np.asarray(t))

    def jvp(self, tangents: Any) -> Any:
        """The tangent of the part's result."""
        if self.part is None:
            return None
        return self._returned(self.part.push(self.edges, [self._given(t) for t in tangents], self.is_graph))

    def vjp(self, v: Any) -> list[Any]:
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
