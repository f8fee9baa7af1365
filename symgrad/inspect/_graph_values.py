"""What a recorded graph's nodes computed: shapes and dtypes, and values as far as they are still those.

The idea to hold: the graph is run again, on what it still holds. Where a leaf or a constant is gone, was written since,
or is a symbol, something of its shape stands in: then shapes are known below, and values are not.
"""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..core import (
    Dim,
    Node,
    OutputNode,
    Symbol,
    Tensor,
    computed,
    constants_of,
    operands_of,
    params_of,
    saved_operand,
    shapes_of,
    spoilt,
)


class Found(NamedTuple):
    """What is known of a node's result: an array of its shape, and whether the numbers and the dtype are right."""

    array: Any
    known: bool
    untyped: bool = False


def living(nodes: set[Any]) -> dict[Any, Tensor]:
    """The tensors of nodes that are still there, named ones first: a node does not know its tensor."""
    found: dict[Any, Tensor] = {}
    for t in gc.get_objects():
        if issubclass(type(t), Tensor) and getattr(t, "_node", None) in nodes:
            other = found.get(t._node)
            if other is None or (_name(other) is None and _name(t) is not None):
                found[t._node] = t
    return found


def _name(t: Tensor) -> str | None:
    return None if t._extra is None else t._extra.name


class Values:
    """The results of ``nodes`` (oldest first) and ``leaves``, by node; `sizes` are the named sizes by stand-in."""

    def __init__(self, nodes: list[Any], leaves: list[Any], tensors: dict[Any, Tensor]) -> None:
        self.of: dict[Any, Found] = {}
        self.sizes: dict[int, Any] = {}
        self.written: set[Any] = set()  # leaves that were written since they were used
        self.room = _limits.GRAPH_ENTRIES
        first: dict[Any, int] = {}
        for node in nodes:
            for p in node.parents:
                first.setdefault(p, node.seq)
        for leaf in leaves:
            facts, changed = leaf.facts, spoilt(leaf.data, first.get(leaf, 1 << 62)) is not None
            if changed:
                self.written.add(leaf)
            for n in () if facts is None else facts.shape:
                if type(n) is Dim:
                    self.sizes |= {standin: Dim(name, standin) for name, standin in n.atoms.items()} | {int(n): n}
            self.of[leaf] = Found(leaf.data, facts is None and not changed)
        for node in nodes:
            t = tensors.get(node)
            if t is not None and type(t) is not Symbol and spoilt(t._data, node.seq) is None:
                self.of[node] = Found(t._data, True)
            else:
                found = self._again(node) or (None if t is None else Found(t._data, False))
                if found is not None:
                    self.of[node] = found
        for node in nodes:
            self._from_its_use(node)

    def _again(self, node: Any) -> Found | None:
        """The operation run once more; None where that cannot be."""
        if type(node) is OutputNode:
            origin = self.of.get(node.parents[0])
            if origin is not None and isinstance(origin.array, tuple):
                return Found(np.asarray(origin.array[node.index]), origin.known)
            fit = node.parents[0].fit
            return Found(_stand_in(*fit[node.index]), False) if fit else None
        if node.op is None:  # a user's code is not run for a picture
            return None
        operands = self.operands(node)
        if operands is None or sum(np.size(o.array) for o in operands) > self.room:
            return None
        try:
            with np.errstate(all="ignore"):
                out = computed(node.op, [o.array for o in operands], params_of(node))
        except Exception:  # of what stands in for operands that are gone
            return None
        if not isinstance(out, tuple):
            out = np.asarray(out)
            if out.dtype.kind not in "fc":
                return None
        self.room -= sum(np.size(o) for o in (out if isinstance(out, tuple) else (out,)))
        return Found(out, all(o.known for o in operands), any(o.untyped for o in operands))

    def operands(self, node: Any) -> list[Found] | None:
        """The values of a node's operands; None if one of them is gone without a trace."""
        found: list[Found] = []
        shapes = shapes_of(node)
        for i, (operand, kept) in enumerate(zip(operands_of(node), constants_of(node), strict=True)):
            operand = saved_operand(node, i) if operand is None and kept is not None else operand
            if isinstance(operand, Node):
                if operand not in self.of:
                    return None
                found.append(self.of[operand])
            elif operand is None and kept is not None:
                if i >= len(shapes):
                    return None
                found.append(Found(_stand_in(tuple(map(int, shapes[i])), float), False, True))
            else:
                value = operand._data if isinstance(operand, Tensor) else operand
                hidden = type(operand) is Symbol or spoilt(value, node.seq) is not None
                found.append(Found(value, not hidden))
        return found

    def _from_its_use(self, node: Any) -> None:
        """What a node says of the operands of which nothing else does."""
        for p, shape in zip(node.parents, shapes_of(node), strict=False):
            if p is not None and p not in self.of:
                self.of[p] = Found(_stand_in(tuple(map(int, shape)), float), False, True)

    def shape(self, array: Any) -> str:
        """The shape as it prints, in named sizes."""
        return "×".join([str(self.sizes.get(n, n)) for n in np.shape(array)]) or "number"


def _stand_in(shape: Any, dtype: Any) -> np.ndarray:
    return np.broadcast_to(np.asarray(0.5, dtype), shape)


def brief(value: Any) -> str:
    """An array in a few signs: its numbers if they are few, else from where to where they go."""
    array = np.asarray(value)
    if array.dtype.kind not in "bifcu":
        return ""
    if array.size <= _limits.GRAPH_NUMBERS:
        return _listed(array.tolist())
    if array.dtype.kind == "c":
        return ""
    bad = int((~np.isfinite(array)).sum()) if array.dtype.kind == "f" else 0
    return f"{bad} of {array.size} not finite" if bad else f"{array.min():.4g} … {array.max():.4g}"


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return str(value) if isinstance(value, bool) else f"{value + 0:.4g}"
