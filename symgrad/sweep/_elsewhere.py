"""Symbols at other sizes: what was computed of them, computed again with other lengths behind their named sizes.

The idea to hold: what stands in for a named size is seen by no formula that is the same at two sets of stand-ins. While
something is computed elsewhere, every symbol and every named size that an operation meets is exchanged for what it is
there, also those that a function caught from its surroundings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, permutations
from typing import Any

import numpy as np

from ..core import (
    Dim,
    Node,
    Symbol,
    Tensor,
    applied,
    at_sizes,
    constant_from,
    edge,
    is_leaf_node,
    modes,
    named_shape,
    reachable,
    recorded,
    resized,
    sizes_of,
    symbolic,
    wrap,
)
from ._rerun import CannotRunAgain, rerun


def other_lengths(sizes: dict[str, int], turn: int = 0) -> dict[str, int]:
    """For each named size another length than the one that stands in: half as many more, even, and in the same order.

    With a ``turn`` they are in another order, the opposite one first; nothing where there are no more orders.
    """
    found: dict[str, int] = {}
    for name, length in sorted(sizes.items(), key=lambda item: item[1]):
        other = length + length // 2
        other += other % 2
        while other in found.values() or other in sizes.values():
            other += 2
        found[name] = other
    orders = permutations(sorted(found.values(), reverse=True)) if turn else iter([tuple(found.values())])
    order = next(islice(orders, max(turn - 1, 0), None), ())
    return dict(zip(found, order))


def names_in(sizes: dict[int, Any]) -> dict[str, int]:
    """The named sizes in a table of sizes, with what stands in for each."""
    atoms = {name: n for d in sizes.values() if type(d) is Dim for name, n in d.atoms.items()}
    return {name: n for name, n in atoms.items() if name.isidentifier()}


class Elsewhere:
    """The same symbols with ``lengths`` behind their named sizes.

    Attributes
    ----------
    leaves : the leaf's node of each symbol that was met, here and there
    """

    def __init__(self, lengths: dict[str, int]) -> None:
        self.lengths = lengths
        self.leaves: dict[Any, Any] = {}
        self._known: dict[Any, Any] = {}  # by edge, or by the identity of a constant
        self._keep: list[Any] = []

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Inside, every operation meets the symbols and the sizes as they are there."""
        token = modes.elsewhere.set(self.of)
        try:
            yield
        finally:
            modes.elsewhere.reset(token)

    @recorded
    def again(self, t: Tensor) -> Tensor:
        """The tensor that the graph of ``t`` gives there.

        Raises
        ------
        CannotRunAgain : the graph does not hold all that it was computed from
        """
        with self.computing():
            return self._constant(t) if edge(t) is None else self._computed(edge(t))

    def of(self, value: Any) -> Any:
        """An operand or a parameter as it is there."""
        if type(value) is Dim:
            return resized(value, self.lengths)
        if type(value) is tuple or type(value) is list:
            return type(value)(map(self.of, value))
        if type(value) is slice:
            return slice(self.of(value.start), self.of(value.stop), self.of(value.step))
        if type(value) is Symbol and self._is_old(value):
            return self._constant(value) if edge(value) is None else self._computed(edge(value))
        return value

    def _is_old(self, t: Symbol) -> bool:
        return any(self.lengths.get(name, n) != n for name, n in names_in(sizes_of(t)).items())

    def _computed(self, root: Any) -> Tensor:
        found: Tensor | None = self._known.get(root)
        if found is None:
            for leaf in [root] if is_leaf_node(root) else reachable([root])[1]:
                if leaf not in self._known:
                    self._known[leaf] = self._leaf(leaf)
            found = self._known[root] = rerun(root, self._known, exchanged=self.of)
        return found

    def _leaf(self, node: Any) -> Tensor:
        t: Tensor = wrap(node.data, node) if node.facts is None else at_sizes(node.label, node.facts, self.lengths)
        self.leaves[node] = edge(t)
        return t

    def _constant(self, t: Tensor) -> Any:
        """A symbol without a history of its own: what it says that it was computed from, there."""
        found = self._known.get(id(t))
        if found is None:
            self._keep.append(t)
            found = self._known[id(t)] = self._from_origin(t)
        return found

    def _from_origin(self, t: Tensor) -> Any:
        origin = None if t._extra is None else t._extra.origin
        if origin is not None and origin[0] is not None:
            op, operands, params, *_ = origin
            there = [self._computed(a) if isinstance(a, Node) else self.of(a) for a in operands]
            new = tuple(map(self.of, params))
            out = applied(op, there, new)
            if type(out) is Symbol:
                return out.detach()
            shape = [resized(n, self.lengths) for n in named_shape(t)]
            return constant_from(op, symbolic(wrap(out._data), sizes_of(shape)), tuple(there), new)
        data = t._data
        if data.size and bool((data == data.reshape(-1)[0]).all()):  # zeros that no one gave a history, or a seed
            shape = [resized(n, self.lengths) for n in named_shape(t)]
            return symbolic(wrap(np.full(tuple(map(int, shape)), data.reshape(-1)[0])), sizes_of(shape))
        raise CannotRunAgain("a symbol does not say what it was computed from")


__all__ = ["CannotRunAgain", "Elsewhere", "names_in", "other_lengths"]
