"""``vec(P) vec(Q)ᵀ`` beside ``P ⊗ Q``: as symgrad prints arrays of four axes, a pair of axes being one of a matrix.

The idea to hold: such a product has four axes where it is added to what has, or where the result is asked to have them;
elsewhere it is the matrix that it looks like.
"""

from __future__ import annotations

from ..syntax import Node

_PRODUCTS = frozenset({"juxt", "*", "·"})
_LINEAR = _PRODUCTS | {"+", "-", "/"}


def with_pairs(root: Node, rank: int) -> None:
    """Let the products ``vec(P) vec(Q)ᵀ`` of a sum have four axes, if it has; ``rank`` is what was asked for."""
    found: list[Node] = []
    four = rank == 4
    stack = [root]
    while stack:
        node = stack.pop()
        four = four or (node.kind == "binary" and node.value == "⊗")
        if node.kind == "binary" and node.value in _PRODUCTS and _is_row_of_pairs(node.children[1]):
            found.append(node)
        elif node.kind in ("binary", "unary") and node.value in _LINEAR:
            stack += node.children
    for node in found if four else ():
        left, right = node.children
        (last,) = right.children[0].children
        if _is_vec(left):
            node.kind, node.value, node.children = "pairs", None, (left.children[0], last)
        elif left.kind == "binary" and left.value in _PRODUCTS and _is_vec(left.children[1]):
            (first,) = left.children[1].children
            pair = Node("pairs", None, (first, last), left.children[1].start, node.end)
            node.children = (left.children[0], pair)


def _is_vec(node: Node) -> bool:
    return node.kind == "call" and node.value == ("vec", ())


def _is_row_of_pairs(node: Node) -> bool:
    return node.kind == "unary" and node.value == "T" and _is_vec(node.children[0])
