"""Loops of a function that is traced for a compiled program: each is one symbol, which stands for all its values.

The idea to hold: outside the loop, the function is a term in its arguments and in the loop's values; inside, the loop
has a program of its own step. The chain rule puts the two together (`_compiled_loops.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _limits
from .._array._protocols import unpacked
from .._errors import GradientError
from ..core import (
    Carrier,
    Facts,
    Symbol,
    Tensor,
    edge,
    found_from_values,
    is_leaf_node,
    make_symbol,
    modes,
    next_seq,
    reachable,
    wrap,
)
from ..sweep.calls import NoForwardRule, Part
from ._caught import Found, remembered, replaced
from ._scan_program import FLOATS, Used
from ._scan_step import FlatStep
from ._vmap_trace import caught


class Loops:
    """The loops that a function has run through.

    Parameters
    ----------
    arguments : symbols, by name
    variables : the names of those that are differentiated
    are_kept : whether loops are left loops, or all are written out
    least : steps of the shortest that are left

    Attributes
    ----------
    found : per loop the symbol of its values, and what it is made of
    """

    def __init__(self, arguments: dict[str, Symbol], variables: set[str], are_kept: bool, least: int) -> None:
        self.are_kept, self._least = are_kept, least
        self._arguments = {edge(v): name for name, v in arguments.items()}
        self._given = {e: name for e, name in self._arguments.items() if name not in variables}
        self.found: list[tuple[Symbol, Used]] = []
        self._moving, self._still = set[Any](), set[Any]()  # what rests on the arguments, or on loops; and what not

    def within(self, output: Tensor) -> list[tuple[Symbol, Used]]:
        """Those that a result rests on: a function may be run more than once for its trace."""
        leaves, within = _leaves([output]), list[tuple[Symbol, Used]]()
        for values, used in reversed(self.found):
            if edge(values) in leaves:
                within.insert(0, (values, used))
                leaves |= _leaves(used.variables)  # one may feed another
        return within

    def moves(self, value: Any) -> bool:
        """Whether a value depends on the arguments (or on another loop)."""
        t = unpacked(value)
        return isinstance(t, Tensor) and t._node is not None and self._moves(edge(t))

    def _moves(self, root: Any) -> bool:
        """The same of an edge; what was seen on the way is kept, for a loop asks about each of its rounds."""
        ends = {*self._arguments, *[edge(v) for v, _ in self.found]}
        path = [(root, iter(root.parents))]
        while path and root not in self._moving:
            node, parents = path[-1]
            below = next((a for a in parents if a is not None and a not in self._still), None)
            if node in ends or node in self._moving:
                self._moving.update([above for above, _ in path])  # each rests on the next
            elif below is not None:
                path.append((below, iter(below.parents)))
            else:
                self._still.add(node)
                path.pop()
        return root in self._moving

    def is_found(self, value: Any) -> bool:
        """Whether a value has no history, but is computed from the arguments (or from another loop): by comparing, say.
        What is found from data that the function reads is the same at every point."""
        t = unpacked(value)
        if not isinstance(t, Tensor) or t._node is not None or not found_from_values(t):
            return False
        operands = t._extra.origin[1]
        return not operands or any(self.is_found(a) or (hasattr(a, "parents") and self._moves(a)) for a in operands)

    def given(self, x: Any) -> str | None:
        """The name of the argument that is run along, if it is one, which is not differentiated."""
        return self._given.get(edge(t)) if isinstance(t := unpacked(x), Tensor) else None

    def take(self, loop: Any) -> Any:
        """The loop's results, as parts of a symbol; None where it is to be written out."""
        try:
            return self.taken(loop)
        except WrittenOut as why:
            if loop.length > _limits.LOOP_WRITTEN and why.reason:
                raise GradientError(
                    f"sg.compile writes a loop of {loop.length} steps out, for {why.reason}", "That takes minutes.",
                    "Use sg.hessian or sg.grad, which run the loop, or a series of up to "
                    f"{_limits.LOOP_WRITTEN} steps.",
                ) from None  # fmt: skip
            return why.results()

    def taken(self, loop: Any) -> Any:
        """The loop's results, as parts of a symbol.

        Raises
        ------
        WrittenOut : it has no program of its own
        """
        names = [self.given(x) for x in loop.xs]
        moving = [name is None and self.moves(x) for x, name in zip(loop.xs, names, strict=True)]
        found = Found()
        found.search(loop.step)
        if not any(moving) and not any(map(self.moves, (*loop.leaves, *found.values))):
            raise WrittenOut("")
        if not self.are_kept or loop.length < self._least:
            raise WrittenOut("here all loops are written out")
        if any(map(self.is_found, (*loop.leaves, *loop.xs, *caught(loop.step)))):
            raise WrittenOut("it uses what a comparison found, say, which is another at another point")
        step = replaced(loop.step, found, tuple(map(self._plain, found.values)), {})
        xs = [x if moves else _numbers(x) for x, moves in zip(loop.xs, moving, strict=True)]
        own = loop.of(step, list(map(self._plain, loop.leaves)), xs)
        own.tables = loop.tables
        own.of_arrays = any(isinstance(v, Carrier) for v in (*loop.leaves, *loop.xs, *found.values))
        known, born, branches = (remembered(step), own.kept()), next_seq(), len(modes.tracing.get() or ())
        carry, y = own.advance(own.carry, own.order()[0])
        if len(modes.tracing.get() or ()) > branches:
            raise WrittenOut("its step branches on a value", lambda: own.step_by_step(carry, [y]))
        used = None if known != (remembered(step), own.kept()) else self._used(own, carry, y, born)
        if used is None or not used.fits:
            raise WrittenOut("its step has no program of its own", lambda: own.step_by_step(carry, [y]))
        used.names = [name for name, moves in zip(names, moving, strict=True) if not moves]
        if not all(x is None or x.dtype in FLOATS for x in used.xs):  # numbers that wrap around do it in NumPy
            raise WrittenOut("its xs are no floats", lambda: own.step_by_step(carry, [y]))
        values = own.values()
        name = f"loop{len(self.found)}"
        while name in self._arguments.values():
            name += "_"
        symbol = make_symbol(name, values, Facts(values.shape))
        self.found.append((symbol, used))
        return own.results(symbol, used, y)

    def _plain(self, value: Any) -> Any:
        """A value that does not move as its numbers."""
        if self.moves(value):
            return value
        if isinstance(value, Carrier):
            return _numbers(value)[()]
        return wrap(value._data) if isinstance(value, Tensor) else value

    def _used(self, loop: Any, carry: Any, y: Any, born: int) -> Used | None:
        ends = [t for t in loop.tensors(carry, y) if t._node is not None]
        try:
            edges = {e for t in ends for e in Part(t, born).edges}
        except NoForwardRule:
            return None
        return Used(loop, FlatStep(loop), y, edges)


class WrittenOut(Exception):
    """A loop has no program of its own, for a reason; ``results`` goes on with it where its first step was run."""

    def __init__(self, reason: str, results: Callable[[], Any] = lambda: None) -> None:
        self.reason, self.results = reason, results


def _leaves(tensors: Iterable[Tensor]) -> set[Any]:
    """The leaves of what some tensors were computed from."""
    roots = [t._node for t in tensors if t._node is not None]
    found = set(filter(is_leaf_node, roots))
    inner = [root for root in roots if root not in found]
    return found | set(reachable(inner)[1]) if inner else found


def _numbers(value: Any) -> np.ndarray:
    t = unpacked(value)
    return t._data if isinstance(t, Tensor) else np.asarray(t)


__all__ = ["Loops", "WrittenOut"]
