"""Tangents pushed through what a function recorded: J t, for any number of directions t.

The idea to hold: tangents are arrays where nobody could differentiate the result again, else tensors. They go forwards,
node by node (`sweep._dual`). Where that cannot be (hooks change gradients), the reverse mode is run twice: v ↦ Jᵀ v is
linear, so it is recorded once, at v = 0, and its own reverse is J.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..core import LEAF, Symbol, Tensor, edge, sizes_of, symbolic, table, wrap
from ..sweep.directions import NoForwardRule, Push, many_tangents
from ._tree import difference, flatten_like, flatten_values, leaf_shape
from ._variables import as_variable, nobodys, pull, recording


class Pushforward:
    """The map t ↦ J t of recorded outputs, kept for any number of tangents.

    Parameters
    ----------
    outputs, variables : tensors; the outputs were computed from the variables
    inputs : what the variables stand for, where that is something else
    """

    def __init__(
        self, outputs: Sequence[Tensor], variables: Sequence[Tensor], inputs: Sequence[Tensor] | None = None
    ) -> None:
        self.outputs, self.variables, self.inputs = outputs, variables, variables if inputs is None else inputs
        self._push: Any = None

    def __call__(self, tangents: Sequence[Any], graph: bool) -> list[Any]:
        """Per output its tangent (None where it does not move); tensors if ``graph``, else arrays, as those given."""
        return self._by(lambda: self._push(tangents, graph))

    def many(self, k: int, units: np.ndarray) -> list[Any]:
        """Per output its tangents as input ``k`` moves along each of ``units``, stacked in front; None if it stays."""
        before, after = [None] * k, [None] * (len(self.inputs) - k - 1)
        return self.together([*before, units, *after], len(units))

    def together(self, units: Sequence[Any], count: int) -> list[Any]:
        """Per output its tangents for ``count`` directions at once, stacked in front, as ``units`` are per input (None
        where it stays)."""

        def pushed() -> list[Any]:
            if isinstance(self._push, Push):
                return self._push(units, False, many_tangents)
            each = [[None if u is None else u[i] for u in units] for i in range(count)]
            rows = [self._push(tangents, False) for tangents in each]
            return [None if any(t is None for t in column) else np.stack(column) for column in zip(*rows, strict=True)]

        return self._by(pushed)

    def _by(self, pushed: Callable[[], list[Any]]) -> list[Any]:
        """What is pushed forwards, or, where a rule for that is missing, by the reverse mode."""
        try:
            if self._push is None:
                self._push = Push([edge(o) for o in self.outputs], [edge(x) for x in self.variables])
            return pushed()
        except NoForwardRule:
            self._push = self._transposed()
            return pushed()

    def _transposed(self) -> Callable[[Sequence[Any], bool], list[Any]]:
        """Forward mode by reverse mode, twice: slower, and possible wherever that is."""
        linear, inputs = _Linearized(self.outputs, self.variables), self.inputs

        def push(tangents: Sequence[Any], graph: bool) -> list[Any]:
            given = [
                wrap(np.zeros_like(x._data)) if t is None else t if isinstance(t, Tensor) else wrap(np.asarray(t))
                for t, x in zip(tangents, inputs, strict=True)
            ]
            with recording(graph):
                found = linear(given, graph)
            return found if graph else [None if t is None else t._data for t in found]

        return push

    def along(self, tangents: Sequence[Tensor], graph: bool) -> list[Any]:
        """Per output its derivative along ``tangents``, a tensor in memory of its own; None where it does not move."""
        with recording(graph):
            given = [tangent_for(x, t, graph) for x, t in zip(self.inputs, tangents, strict=True)]
            found = self(given if graph else [t._data for t in given], graph)
        mine = {id(t._data) for t in given}
        return [t if graph or t is None else _own(np.asarray(t), mine, tangents) for t in found]


class _Linearized:
    """The map t ↦ J t of recorded outputs, by the reverse mode."""

    def __init__(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
        self.outputs = outputs
        self.seeds = [wrap(np.zeros_like(o._data), LEAF) for o in outputs]
        nobodys.update(edge(s) for s in self.seeds)
        with recording():
            grads = pull(outputs, inputs, self.seeds, True, True)
        self.live = [k for k, g in enumerate(grads) if g is not None and g._node is not None]
        self.grads = [grads[k] for k in self.live]

    def __call__(self, tangents: Sequence[Tensor], graph: bool) -> list[Any]:
        """Per output its tangent; None where it is independent of the inputs."""
        if not self.live:
            return [None] * len(self.outputs)
        return pull(self.grads, self.seeds, [tangents[k] for k in self.live], graph, True)


def _own(t: np.ndarray, seen: set[int], given: Sequence[Tensor]) -> Tensor:
    """A result in memory of its own: not that of the caller's tangents, nor of another result."""
    shared = id(t) in seen or t.base is not None or any(np.may_share_memory(t, v._data) for v in given)
    t = t.copy() if shared else t
    seen.add(id(t))
    return wrap(t)


def still(o: Tensor, lead: tuple[int, ...]) -> Tensor:
    """The derivative of an output that does not move."""
    dtype = o._data.dtype if o._data.dtype.kind in "fc" else np.dtype(np.float64)
    zero = wrap(np.zeros(o._data.shape + lead, dtype))
    return symbolic(zero, sizes_of(o)) if type(o) is Symbol else zero


def tangent_for(x: Tensor, t: Tensor, graph: bool) -> Tensor:
    """A tangent in the dtype of its input; a symbol's as a symbol, which makes symbols of all that follows."""
    if t._data.dtype.kind == "c" and x._data.dtype.kind != "c":
        raise DTypeError(
            "a real argument moves in a real direction",
            f"The argument has dtype {x._data.dtype}, its tangent {t._data.dtype}.",
            "Take the tangent's real part, or make the argument complex.",
        )
    if t._data.dtype != x._data.dtype:
        t = table("cast")(t, x._data.dtype) if graph else wrap(t._data.astype(x._data.dtype))
    if type(x) is Symbol and type(t) is Tensor:
        return symbolic(wrap(t._data, t._node), sizes_of(x))
    return t


def tangents_like(
    what: str, primals: Any, tangents: Any, inputs: Sequence[Tensor], name: str = "primals", other: str = "tangents"
) -> list[Tensor]:
    """The arrays of ``tangents`` in the order of those of ``primals``, as tensors; raises where they do not fit."""
    spec = flatten_values(primals)[1]
    leaves = flatten_like(spec, tangents)
    if leaves is None or any(leaf_shape(t) != x._data.shape for t, x in zip(leaves, inputs)):
        raise ShapeError(
            f"{what} takes {other} like {name}",
            str(difference(primals, tangents, name, other)),
            "A tangent is a direction in which an argument moves: give it the argument's structure and shapes.",
        )
    found = []
    for t, x in zip(leaves, inputs, strict=True):
        try:
            found.append(as_variable(np.asarray(t, x._data.dtype) if isinstance(t, (bool, np.bool_)) else t))
        except ValueError:
            raise DTypeError(
                f"{what} takes numbers as tangents, got {type(t).__name__!r}", "", "Pass arrays like the primals.",
            ) from None  # fmt: skip
    return found


__all__ = ["Pushforward", "still", "tangent_for", "tangents_like"]
