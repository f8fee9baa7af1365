"""Derivatives through a part of a graph: what was recorded since a time, up to the edges of what is older.

The idea to hold: they are partial. An older value is a variable of its own here, whatever it was computed from, so a
sweep ends at it and does not go on to what it shares with others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core import MASKS, Node, edge, gradients, is_leaf_node, storage
from ._pushforward import NoForwardRule, Push, check, refuse_hooks
from ._reverse import Sweep


class Part:
    """What leads from older edges to a tensor.

    Attributes
    ----------
    nodes : recorded since ``born``, the youngest first
    edges : the older ones that they rest on

    Raises
    ------
    NoForwardRule : hooks of the user's change gradients on the way
    """

    def __init__(self, output: Any, born: int) -> None:
        self.output = edge(output)
        self.nodes: list[Node] = []
        found: dict[Any, None] = {}
        stack, seen = [self.output], {self.output}
        while stack:
            node = stack.pop()
            if is_leaf_node(node) or node.seq <= born:
                found[node] = None
                continue
            self.nodes.append(node)
            for p in node.parents:
                if p is not None and p not in seen:
                    seen.add(p)
                    stack.append(p)
        self.nodes.sort(key=lambda node: -node.seq)
        self.edges = list(found)
        self._saved = [node.saved for node in self.nodes]
        self.exact = any(node.traits & MASKS for node in self.nodes)
        refuse_hooks(self.nodes)

    def pull(self, g: Any, edges: Sequence[Any], graph: bool) -> list[Any]:
        """Per edge the partial gradient for the incoming ``g``, of its carrier; None where nothing arrives."""
        sweep = Sweep(graph, True)
        sweep.grads = gradients() | {self.output: g}
        with self._whole():
            for node in self.nodes:
                arrived = sweep.grads.pop(node, None)
                if arrived is not None:
                    if self.exact:
                        sweep.pull_exact(node, arrived)
                    else:
                        (node.pull_graph if graph else node.pull)(arrived, sweep.grads)  # type: ignore[attr-defined]
        return [sweep.grads.get(e) for e in edges]

    def push(self, edges: Sequence[Any], tangents: Sequence[Any], graph: bool) -> Any:
        """The output's tangent for those of edges (None where they stay), of their carrier; None if it stays."""
        with self._whole():
            run = Push([self.output], edges)
            own = set(self.nodes)
            run.nodes = [node for node in run.nodes if node in own]
            return run(tangents, graph)[0]

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """With what the nodes saved, which a sweep that shares them may have let go."""
        before = [node.saved for node in self.nodes]
        for node, saved in zip(self.nodes, self._saved, strict=True):
            node.saved = saved
        try:
            if self.nodes and storage.written_since(self.nodes[-1].seq):
                check(self.nodes)
            yield
        finally:
            for node, saved in zip(self.nodes, before, strict=True):
                node.saved = saved


__all__ = ["NoForwardRule", "Part"]
