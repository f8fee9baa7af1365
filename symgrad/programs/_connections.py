"""How the entries of an operation's operands and results are connected, as far as its row of the table says so.

The idea to hold: entrywise operations and products are labels of axes, as in einsum; of others it is known which axes
they keep apart, whether they leave every entry in its place, and in which operands they bend.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ..core import params_of

_FUSED = {
    "addmm": ("ik", "kj", "ij"), "addmv": ("ik", "k", "i"), "addr": ("i", "j", "ij"), "baddbmm": ("bik", "bkj", "bij"),
    "addbmm": ("bik", "bkj", "ij"), "vdot": ("k", "k", ""),
}  # fmt: skip


def labels_of_axes(node: Any, shapes: list[Any], out: tuple[int, ...]) -> Any:
    """The labels of an entrywise operation's or a product's operands and result; None for other operations."""
    op, name = node.op, node.op.name
    if op.kind == "elementwise":
        return [None if s is None else range(-len(s), 0) for s in shapes], range(-len(out), 0)
    ranks = [len(s) for s in shapes]
    if op.kind != "linear" and (op.equation or "equation" in (op.meanings or ())):
        return op.labels(ranks, params_of(node))
    if name in _FUSED:
        *terms, result = _FUSED[name]
        return [*([] if len(ranks) == 2 else [result[len(result) - ranks[0] :]]), *terms], result
    if name == "kron":
        pairs = [(k, s) for k in range(-len(out), 0) for s in "ab"]
        return [[(k, s) for k in range(-r, 0)] for r, s in zip(ranks, "ab", strict=True)], pairs
    if name == "linalg_cross":
        dim = params_of(node)[0] % len(out) - len(out)
        sides = [[s if k == dim else k for k in range(-r, 0)] for r, s in zip(ranks, "ab", strict=True)]
        return sides, ["y" if k == dim else k for k in range(-len(out), 0)]
    return None


def factors(op: Any) -> bool:
    """Whether each operand is multiplied by the others, along the labels of the axes."""
    return (op.kind == "multilinear" or op.name == "einsum") and op.name != "kron"


def in_place(op: Any) -> bool:
    """Whether an operation leaves every entry in its place (or pairs real with complex numbers)."""
    return len(op.inputs) == 1 and (op.last == 0 or op.reshapes or op.name == "view_as_complex")


def apart_axes(op: Any, params: tuple[Any, ...], rank: int) -> tuple[int, ...]:
    """The axes that an operation of one operand keeps apart from each other: those along which it does not act."""
    if op.last is not None:
        return tuple(range(rank - op.last))
    if not op.along:
        return ()
    taken: set[int] = set()
    for value, meaning in zip(params, op.meanings, strict=True):
        if meaning != "option":
            dims = range(rank) if value in (None, ()) else value if isinstance(value, tuple | list) else (value,)
            taken |= {d % rank for d in dims} if rank else set()
    return tuple([k for k in range(rank) if k not in taken])


def bent_pairs(op: Any, count: int) -> list[tuple[int, int]]:
    """The pairs of operands (or an operand with itself) in which the operation has second derivatives."""
    if op.kind == "multilinear" or op.name == "einsum":
        return list(combinations(range(count), 2))
    if op.name in _FUSED:
        return [(1, 2)]
    if op.kind == "linear" or op.affine or op.pieces:
        return []
    if op.kind != "elementwise":
        return [(i, j) for j in range(count) for i in range(j + 1)]
    asks = [set(op.inputs) if "y" in args else set(args) for args in op.rule_args]
    return [
        (i, j) for j in range(count) for i in range(j + 1) if op.inputs[j] in asks[i] and op.inputs[i] in asks[j]
    ]  # fmt: skip


__all__ = ["apart_axes", "bent_pairs", "factors", "in_place", "labels_of_axes"]
