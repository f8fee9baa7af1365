"""What a loop's states are to everything that the loop used: one equation for all steps, and its derivatives.

The idea to hold: a change of the states is what changes in the steps, all at once, carried on from step to step by the
steps' Jacobians: a linear recurrence, forwards for tangents and backwards for gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import FormulaError
from .._function import Function
from ..core import Tensor, edge, modes, next_seq, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..ops.linalg._block_recurrence import block_recurrence
from ..sweep.calls import Part


class Body:
    """One step on all states at once, recorded, and what its derivatives are to the states'."""

    states: Any  # the node of the states
    before: Any  # the edge of the states before each step
    part: Part
    _slopes: Any

    def record(self, S: Tensor, first: Tensor, steps: Callable[[Tensor], tuple[Any, Any]]) -> Any:
        """Record all steps from ``S``, their own results; returns these again, and what is collected."""
        before = FUNCTIONS["cat"]([METHODS["reshape"](first, (1, -1)), S[:-1]], 0)
        born = next_seq()
        after, ys = steps(before)
        self.before, self._slopes = edge(before), None
        self.shape = S._data.shape
        self.part = Part(after, born)
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
        moved = self.part.push([self.before, *self.edges], given, graph)
        if moved is None:
            return None
        A = self.slopes(graph)
        return block_recurrence(moved if graph else wrap(np.asarray(moved)), A if graph else wrap(A), False)


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


__all__ = ["Body", "States", "no_formula"]
