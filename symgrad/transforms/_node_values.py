"""The numbers of a recorded graph's nodes: a graph keeps operations, and what they need to be differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._function_node import FunctionNode
from ..core import OutputNode, Tensor, computed, is_leaf_node, params_of, wrap
from ..sweep.replay import all_operands


class NoValue(Exception):
    """A node does not say what it computed."""


class NodeValues:
    """What the nodes of a graph computed, found again where it is asked for."""

    def __init__(self) -> None:
        self.operands: dict[Any, list[Any]] = {}
        self.values: dict[Any, Any] = {}

    def of(self, node: Any) -> list[Any]:
        known = self.operands.get(node)
        if known is None:
            known = self.operands[node] = all_operands(node)
        return known

    def value(self, node: Any) -> Any:
        """The numbers of a node, computed again, with all that they rest on."""
        stack = [node]
        while stack:
            node = stack[-1]
            if node in self.values:
                stack.pop()
                continue
            needed = node.parents if node.op is None else [a for a in self.of(node) if is_edge(a)]
            missing = [a for a in needed if not is_leaf_node(a) and a not in self.values]
            stack += missing
            if not missing:
                self.values[stack.pop()] = self._computed(node)
        return self.values[node]

    def _computed(self, node: Any) -> Any:
        if type(node) is OutputNode:
            return self.values[node.parents[0]][node.index]
        if node.op is None:
            if not isinstance(node, FunctionNode) or not hasattr(node, "values"):
                raise NoValue
            return node.values
        return computed(node.op, [self.number_of(a) for a in self.of(node)], params_of(node))

    def number_of(self, a: Any) -> Any:
        if is_edge(a):
            return a.data if is_leaf_node(a) else self.value(a)
        return a._data if isinstance(a, Tensor) else a

    def tensor(self, a: Any) -> Tensor:
        """A value from outside, with its history."""
        if not is_edge(a):
            return a if isinstance(a, Tensor) else wrap(np.asarray(a))
        value = a.data if is_leaf_node(a) else self.value(a)
        leaf = a.ref() if is_leaf_node(a) else None
        return leaf if leaf is not None and leaf._data is value else wrap(value, a)


def is_edge(a: Any) -> bool:
    return hasattr(a, "parents")


__all__ = ["NoValue", "NodeValues", "is_edge"]
