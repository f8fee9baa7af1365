"""A recorded graph run again on other leaves: what the function would have recorded there if it did nothing else.

The idea to hold: the operations of a graph are functions of their operands, so they can be run again and record. That
is all a second opinion on a formula or a program needs: the user's function is not called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..core import Node, OutputNode, Symbol, Tensor, applied, is_leaf_node, operands_of, params_of, reachable, wrap


class CannotRunAgain(Exception):
    """A graph that does not hold all that it was computed from; the message says what it lacks."""


def rerun(
    root: Any, leaves: Mapping[Any, Tensor], moved: bool = True, exchanged: Callable[[Any], Any] | None = None
) -> Tensor:
    """The tensor at the edge ``root``, computed again.

    Parameters
    ----------
    leaves : per edge what it is now; leaves that are not among them are constants, with the values that they have
    moved : whether these have other values, so that elements that were chosen by their values are chosen anew

    exchanged : for symbols at other sizes, what gives a constant as it is there

    Raises
    ------
    CannotRunAgain : a large constant is gone, or elements were chosen in a way that the graph does not tell
    """
    known: dict[Any, Any] = dict(leaves)
    for node in reversed(reachable([root])[0]):
        if type(node) is OutputNode:
            known[node] = known[node.parents[0]][node.index]
        elif node not in known:
            known[node] = _again(node, [_operand(a, known, moved, exchanged) for a in _all_operands(node)])
    result: Tensor = known[root]
    return result


def _all_operands(node: Node) -> list[Any]:
    operands = operands_of(node)
    if node.op is not None and any(a is None for a in operands):
        raise CannotRunAgain(f"a large constant operand of {node.name()} is gone")
    return operands


def _operand(a: Any, known: Mapping[Any, Any], moved: bool, exchanged: Callable[[Any], Any] | None = None) -> Any:
    if isinstance(a, Node):
        return wrap(a.data) if is_leaf_node(a) and a not in known else known[a]
    if not isinstance(a, Tensor):
        return a
    if exchanged is not None and type(a) is Symbol:
        if a._node is not None:
            raise CannotRunAgain("a constant became something else by a write since")
        return exchanged(a)
    origin = None if a._extra is None else a._extra.origin
    if origin is None or not moved or a._data.dtype.kind not in "iu":
        return wrap(a._data)  # it was a constant then
    op, operands, params, *_ = origin
    if op is None:
        raise CannotRunAgain("elements were chosen at the point in a way that the graph does not tell")
    if any(isinstance(b, Node) and b not in known and not is_leaf_node(b) for b in operands):
        return wrap(a._data)
    return applied(op, [_operand(b, known, moved) for b in operands], params)


def _again(node: Any, operands: list[Any]) -> Any:
    if node.op is None:
        out = node._function.apply(*operands)
        return tuple([o for o in out if isinstance(o, Tensor)]) if isinstance(out, tuple) else (out,)
    return applied(node.op, operands, params_of(node))


__all__ = ["CannotRunAgain", "rerun"]
