"""Loops of a function that is traced for a compiled program: each is one symbol, which stands for all its values.

The idea to hold: outside the loop, the function is a term in its arguments and in the loop's values; inside, the loop
has a program of its own step. The chain rule puts the two together (`_compiled_loops.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from .._array._protocols import unpacked
from .._errors import GradientError
from ..core import Carrier, Facts, Symbol, Tensor, edge, is_leaf_node, make_symbol, next_seq, reachable, wrap
from ..sweep._part import NoForwardRule, Part
from ._caught import Found, remembered, replaced
from ._scan_program import Used
from ._scan_step import FlatStep


class Loops:
    """The loops that a function has run through.

    Parameters
    ----------
    arguments : symbols, by name
    variables : the names of those that are differentiated
    are_kept : whether loops are left loops, or all are written out

    Attributes
    ----------
    found : per loop the symbol of its values, and what it is made of
    """

    def __init__(self, arguments: dict[str, Symbol], variables: set[str], are_kept: bool = True) -> None:
        self.are_kept = are_kept
        self._arguments = {edge(v): name for name, v in arguments.items()}
        self._given = {e: name for e, name in self._arguments.items() if name not in variables}
        self.found: list[tuple[Symbol, Used]] = []

    def within(self, output: Tensor) -> list[tuple[Symbol, Used]]:
        """Those that a result rests on: a function may be run more than once for its trace."""
        root = edge(output)
        leaves = set() if root is None else {root} if is_leaf_node(root) else set(reachable([root])[1])
        return [(values, used) for values, used in self.found if edge(values) in leaves]

    def moves(self, value: Any) -> bool:
        """Whether a value depends on the arguments (or on another loop)."""
        root = edge(t) if isinstance(t := unpacked(value), Tensor) and t._node is not None else None
        if root is None:
            return False
        leaves = {root} if is_leaf_node(root) else set(reachable([root])[1])
        return bool(leaves & {*self._arguments, *[edge(v) for v, _ in self.found]})

    def given(self, x: Any) -> str | None:
        """The name of the argument that is run along, if it is one, which is not differentiated."""
        return self._given.get(edge(t)) if isinstance(t := unpacked(x), Tensor) else None

    def take(self, loop: Any) -> Any:
        """The loop's results, as parts of a symbol; None where it is to be written out."""
        names = [self.given(x) for x in loop.xs]
        moving = [self.moves(x) for x, name in zip(loop.xs, names, strict=True) if name is None]
        found = Found()
        found.search(loop.step)
        if not any(moving) and not any(map(self.moves, (*loop.leaves, *found.values))):
            return None
        if loop.length < _limits.SCAN_STEPS or any(moving) or not self.are_kept:
            _require_short(loop, "what it runs along moves" if any(moving) else "here all loops are written out")
            return None
        step = replaced(loop.step, found, tuple(map(self._plain, found.values)), {})
        own = loop.of(step, list(map(self._plain, loop.leaves)), [_numbers(x) for x in loop.xs])
        own.of_arrays = any(isinstance(v, Carrier) for v in (*loop.leaves, *loop.xs, *found.values))
        known, born = (remembered(step), own.kept()), next_seq()
        carry, y = own.advance(own.carry, own.order()[0])
        used = None if known != (remembered(step), own.kept()) else self._used(own, carry, y, born)
        if used is None or not used.fits:
            _require_short(loop, "its step has no program of its own")
            return own.step_by_step(carry, [y])
        used.names = names
        if not all(x.dtype == np.float64 for x in used.xs):  # numbers that wrap around do it in NumPy
            _require_short(loop, "its xs are not float64")
            return own.step_by_step(carry, [y])
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


def _require_short(loop: Any, reason: str) -> None:
    """Refuse a loop that is too long to be written out."""
    if loop.length > _limits.LOOP_WRITTEN:
        raise GradientError(
            f"sg.compile writes a loop of {loop.length} steps out, for {reason}", "That takes minutes.",
            f"Use sg.hessian or sg.grad, which run the loop, or a series of up to {_limits.LOOP_WRITTEN} steps.",
        )  # fmt: skip


def _numbers(value: Any) -> np.ndarray:
    t = unpacked(value)
    return t._data if isinstance(t, Tensor) else np.asarray(t)


__all__ = ["Loops"]
