"""Reading a recorded graph: what a node is made of, and which nodes there are.

The idea to hold: a node keeps its parts in the tersest form (see `Node`), which only the code that makes nodes and this
module know. Walks go through the graph without recursion, and give nodes in the order of birth: a node is younger than
its parents.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import numpy as np

from . import storage
from ._graph import FAILS, FREED, MASKS, AccumulateGrad, Freed, Node, held

_new = object.__new__
_by_seq = attrgetter("seq")


# ---------------------------------------------------------------------------------------------------- one node


def params_of(node: Node) -> tuple[Any, ...]:
    """The parameters of the operation that a node recorded: what it got beside its operands."""
    op = node.op
    return node.consts[1] if op is not None and op.packs else ()


def shapes_of(node: Node) -> tuple[Any, ...]:
    """The shapes of the operands, in named sizes where they had them; () where no rule asks for them."""
    op = node.op
    return node.consts[2] if op is not None and op.packs else ()


def constants_of(node: Node) -> tuple[Any, ...]:
    """Per operand what the node keeps of it (see `held`), None where gradients flow."""
    op = node.op
    kept = node.consts[0] if op is not None and op.packs else node.consts
    return (None,) * len(node.parents) if kept is None else kept


def operands_of(node: Node) -> list[Any]:
    """Per operand its edge, or the constant that it was; None for a constant that is gone."""
    return [p if p is not None else held(c) for p, c in zip(node.parents, constants_of(node), strict=True)]


def saved_values(node: Node) -> tuple[Any, ...]:
    """What a node saved, in the order of its operation's ``saved``, however it is kept."""
    saved = node.saved
    if saved is None or type(saved) is Freed:
        return ()
    return (saved,) if node.op is not None and node.op.bare else saved


def saved_value(node: Any, name: str) -> Any:
    """What a node saved under a name of its operation's; None if nothing."""
    saved, op = node.saved, node.op
    return saved if op.bare or saved is None else saved[op.saved.index(name)]


def saved_arrays(values: Iterable[Any]) -> Iterable[np.ndarray]:
    """The arrays among saved values, also of an operand that is several."""
    for v in values:
        if type(v) is tuple:
            yield from saved_arrays(v)
        elif isinstance(v, np.ndarray):
            yield v


def keep_saved(node: Node, values: tuple[Any, ...]) -> None:
    """Let a node have saved other values than it had."""
    node.saved = values[0] if node.op is not None and node.op.bare else values


def saved_operand(node: Any, i: int) -> Any:
    """An array that the node held weakly and that is gone, from what its rules saved; None if they did not, or if it
    was written since."""
    op = node.op
    if op.variadic or op.inputs[i] not in op.saved or type(node.saved) is Freed or (node.meta and node.meta.packed):
        return None
    value = saved_value(node, op.inputs[i])
    return value if isinstance(value, np.ndarray) and storage.spoilt(value, node.seq) is None else None


def copy_of(node: Node, parents: tuple[Any, ...], saved: Any) -> Any:
    """The same operation with other parents and saved values, unwatched: for rules to run on."""
    copy = _new(type(node))
    copy.parents, copy.saved, copy.meta = parents, saved, None
    copy.consts, copy.fit, copy.seq = node.consts, node.fit, node.seq
    return copy


# -------------------------------------------------------------------------------------------------------- walks


def reachable(roots: list[Any]) -> tuple[list[Node], list[AccumulateGrad], int, set[Any]]:
    """Collect what a sweep from ``roots`` (edges) visits.

    Returns
    -------
    nodes, newest first; the leaves' nodes; the nodes' traits together (FAILS if there are hooks); all edges found.
    """
    seen: set[Any] = {None}
    nodes: list[Any] = []
    stack: list[Any] = []
    traits = 0
    for root in roots:
        if root not in seen:
            seen.add(root)
            stack.append(root)
    pop, push, add, keep = stack.pop, stack.append, seen.add, nodes.append
    while stack:
        node = pop()
        keep(node)
        if node.traits:
            traits |= node.traits
        if node.meta is not None:
            traits |= FAILS | MASKS if node.meta.exact else FAILS
        if type(node.saved) is Freed:
            traits |= FREED
        for p in node.parents:
            if p not in seen:
                add(p)
                push(p)
    nodes.sort(key=_by_seq, reverse=True)
    leaves: list[AccumulateGrad] = []
    while nodes and nodes[-1].seq == 0:  # leaves were never born: they come last
        leaves.append(nodes.pop())
    return nodes, leaves, traits, seen


def recorded_since(roots: Iterable[Any], mark: int, known: Any = ()) -> list[Node]:
    """The nodes younger than ``mark`` that ``roots`` (edges) rest on, oldest first; those ``known`` are not entered."""
    seen: set[Any] = {None}
    stack, nodes = list(roots), []
    while stack:
        node = stack.pop()
        if node in seen or node in known or node.seq <= mark:
            continue
        seen.add(node)
        nodes.append(node)
        stack.extend(node.parents)
    nodes.sort(key=_by_seq)
    return nodes


def depending_on(edges: Iterable[Any], nodes: list[Node]) -> list[Node]:
    """Those of ``nodes`` (newest first) that were computed from one of ``edges``, oldest first."""
    moved = {edge for edge in edges if edge is not None}
    given = frozenset(moved)
    found = []
    for node in reversed(nodes):
        if node not in given and any(p in moved for p in node.parents):
            moved.add(node)
            found.append(node)
    return found
