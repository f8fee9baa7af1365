"""Forward mode: tangents pushed through a recorded graph, oldest node first.

The idea to hold: a node's tangent follows from what its row declares already (see `_forward_rules.py`), and a node is
younger than its parents, so in the order of birth every tangent is complete when its node's turn comes. On arrays the
walk gives numbers; on tensors the same rules record, and give a graph of the derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import (
    FAILS,
    FREED,
    MASKS,
    Freed,
    Node,
    OutputNode,
    Symbol,
    Tensor,
    depending_on,
    modes,
    params_of,
    reachable,
    saved_values,
    storage,
    unpacked,
    wrap,
)
from ._forward_emit import quick_tangent
from ._forward_rules import RULES, NoForwardRule, elementwise, forward, multilinear, saved, with_symbols
from ._forward_transposed import eig_tangents, function_tangents, pair_tangents, svd_tangents, transposed
from ._unspoilt import check_unspoilt


def node_tangent(n: Any, ts: Sequence[Any], graph: bool, exact: bool, memo: dict[Any, Any]) -> Any:
    """The tangent of a node's output for the tangents of its inputs, None where these do not move.

    Several outputs give a list, in which a function stands for what is computed for those who ask for it only.
    ``exact``: what does not move gives 0, however steep the operation is there (in graphs that choose among branches).
    """
    if graph and n.op is not None and any(type(t) is Symbol for t in ts):
        with with_symbols(n, ts) as copy:
            return plain_tangent(copy, ts, True, exact, {})
    return plain_tangent(n, ts, graph, exact, memo)


def plain_tangent(n: Any, ts: Sequence[Any], graph: bool, exact: bool, memo: dict[Any, Any]) -> Any:
    """As `node_tangent`, for a node whose saved values are as its rules want them."""
    op = n.op
    if op is None:
        return function_tangents(n, ts, graph, memo)
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(n, ts, graph)
    if op.kind == "elementwise" and (op.holomorphic or op.real_only):
        return elementwise(n, ts, graph, exact)
    if op.kind == "linear":
        return forward(op, (ts[0], *[saved(n, name, graph) for name in op.inputs[1:]]), params_of(n), graph)
    if op.kind == "multilinear":
        return multilinear(n, ts, graph)
    return _OF_VECTORS.get(op.name, transposed)(n, ts, graph, memo)


_OF_VECTORS = {"svd": svd_tangents, "eig": eig_tangents, "eigen_pair": pair_tangents}


class Push:
    """The map t ↦ J t of recorded outputs, for any number of tangents.

    Parameters
    ----------
    outputs : edges of the outputs; None for an output without history
    inputs : edges of the inputs

    Raises
    ------
    NoForwardRule : a hook of the user's changes gradients on the way, or a constant that is needed is gone
    """

    def __init__(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> None:
        self.outputs, self.inputs = list(outputs), list(inputs)
        nodes, _, traits, _ = reachable([o for o in outputs if o is not None])
        self.exact = bool(traits & MASKS)
        self.nodes = depending_on(self.inputs, nodes)
        self.memo: dict[Any, Any] = {}  # what rules keep between tangents
        if traits & FAILS:
            refuse_hooks([*self.nodes, *(edge for edge in self.inputs if edge is not None)])
        if traits & FREED or (self.nodes and storage.written_since(self.nodes[0].seq)):
            check(self.nodes)

    def __call__(self, tangents: Sequence[Any], graph: bool, rule: Any = node_tangent) -> list[Any]:
        """Per output its tangent (None where it does not move), of the carrier of the inputs' ``tangents``.

        ``graph``: the tangents are tensors, and the result can be differentiated again; else arrays. ``rule`` is
        `many_tangents` for arrays with several directions along their first axis.
        """
        found: dict[Any, Any] = {}
        for edge, t in zip(self.inputs, tangents, strict=True):
            if edge is not None and t is not None:
                found[edge] = found[edge] + t if edge in found else t
        previous = modes.mode.set(modes.on_value() if graph else modes.OFF)
        try:
            with np.errstate(all="ignore"):  # infinities in a derivative are a result, not a surprise
                if graph or self.exact or rule is not node_tangent:
                    for node in self.nodes:
                        self._visit(node, found, graph, rule)
                else:
                    self._walk(found)
        finally:
            modes.mode.reset(previous)
        return [None if o is None else found.get(o) for o in self.outputs]

    def _walk(self, found: dict[Any, Any]) -> None:
        """As `_visit` for each node, on arrays; written out for the common case, where a decision would show."""
        for node in self.nodes:
            op = node.op
            if op is not None and node.fit is None and node.meta is None:
                quick = quick_tangent(op)
                if quick is not None:
                    t = quick(node, found)
                    if t is not None:
                        found[node] = t
                    continue
            self._visit(node, found, False, node_tangent)

    def _visit(self, node: Node, found: dict[Any, Any], graph: bool, rule: Any) -> None:
        if type(node) is OutputNode:
            several = found.get(node.parents[0]) or [None] * (node.index + 1)
            t = several[node.index]
            if callable(t):  # computed for those who use it: it may have no derivative
                t = several[node.index] = t()
        else:
            ts = [found.get(p) for p in node.parents]  # the parent None is nobody's
            if all(t is None for t in ts):
                return
            saved = node.saved
            packed = node.meta is not None and node.meta.packed
            if packed:
                node.saved = unpacked(saved)
            try:
                t = rule(node, ts, graph, self.exact, self.memo)
            finally:
                if packed:
                    node.saved = saved
        if t is not None:
            found[node] = t


def refuse_hooks(nodes: Sequence[Any]) -> None:
    """Raise where hooks of the user's change gradients on their way."""
    for node in nodes:
        bag = node.meta
        if bag is not None and (bag.tensor_hooks or bag.pre_hooks or bag.hooks):
            raise NoForwardRule(
                f"{node.name()} has hooks, which change gradients",
                "What they do to derivatives of higher order is not defined.",
                "Remove them, or nest sg.grad.",
            )


def check(nodes: Sequence[Node]) -> None:
    """Raise if a saved value is gone or spoilt."""
    for node in nodes:
        saved = node.saved
        if type(saved) is Freed:
            raise saved.error(node)
        if saved is not None:
            check_unspoilt(node, saved_values(node))


def push(outputs: Sequence[Tensor], inputs: Sequence[Tensor], tangents: Sequence[Tensor], graph: bool) -> list[Any]:
    """Per output its tangent as a tensor, None where it does not move; inputs and tangents as tensors."""
    run = Push([o._node for o in outputs], [x._node for x in inputs])
    given = list(tangents) if graph else [t._data for t in tangents]
    return [t if t is None or isinstance(t, Tensor) else wrap(np.asarray(t)) for t in run(given, graph)]


__all__ = ["NoForwardRule", "Push", "check", "node_tangent", "plain_tangent", "push", "refuse_hooks"]
