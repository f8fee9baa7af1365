"""Which rules can fit a term: what must occur in it, and what it must sum over.

The idea to hold: a match is looked for only where it is possible. What a pattern needs is worked out when the rule is
made ready, what a term has stays with the term, and both are compared as sets of names, without any matching.
"""

from __future__ import annotations

from typing import Any

from ._index_notation import Entrywise, Hole, Product, Same, Sum, Whole, parts_of
from ._matching import ROWS, row_of
from ._node import Ein, Expr

TWICE = " twice"
"""Follows the name of an operation that two operands have."""


def _loose(p: Any) -> bool:
    """Whether a pattern also fits what has another name."""
    return isinstance(p, Entrywise) and (p.name in ("gt", "ge") or (p.params != () and type(p.params[0]) is str))


def needs_of(pattern: Any) -> frozenset[str]:
    """What a pattern's matches are made of, at their surface."""
    names: set[str] = set()
    tops = [pattern, *(parts_of(pattern) if isinstance(pattern, (Product, Sum)) else ())]
    below = [
        a for t in tops if isinstance(t, Entrywise) for a in t.args if not isinstance(a, Whole)
    ]  # a diagonal hides it
    for p in (*tops, *below):
        if isinstance(p, Sum) and p in tops:
            names.add("+")
        elif isinstance(p, (Entrywise, Whole)) and row_of(p.name) is not None and not _loose(p):
            names.add(ROWS.get(p.name, p.name))
    heads = [ROWS.get(p.name, p.name) for p in tops[1:] if isinstance(p, Entrywise) and not _loose(p)]
    names.update([name + TWICE for name in heads if heads.count(name) > 1])
    return frozenset(names)


def signature(term: Expr) -> frozenset[str]:
    """What a term is made of at its surface: names of operations, "+" for sums, "?" for conditions, what was declared.

    An element-wise operation that two operands have stands there a second time, "exp twice".
    """
    known = term.memo.get("signature")
    if known is None:
        names: set[str] = set()
        there = {term, *term.children}
        for t in term.children:
            if t.kind == "map" or (t.kind == "ein" and term.kind == "add"):
                there.update(t.children)
        for t in there:
            _note(t, names)
        heads = [t.op.name for t in term.children if t.kind == "map"]  # type: ignore[attr-defined]
        if len(heads) > 1:
            names.update([name + TWICE for name in heads if heads.count(name) > 1])
        term.memo["signature"] = known = frozenset(names)
    return known


def _note(t: Any, names: set[str]) -> None:
    if t.kind == "add":
        names.add("+")
    elif t.kind == "var":
        if t.properties:
            names.update(["declared " + p for p in t.properties])
    elif t.kind in ("map", "call", "lin"):
        names.add(t.op.name)
        if t.op.kind == "constant":
            names.add("?")


def readers_of(pattern: Any) -> list[int]:
    """How many factors of a product are read at each of its summed indices, at least."""
    if not isinstance(pattern, Product):
        return []
    read_at = [_indices(f) for f in pattern.factors]
    return [sum([k in there for there in read_at]) for k in pattern.summed]


def _indices(pattern: Any) -> set[str]:
    """The indices that an operand has in every match."""
    if isinstance(pattern, (Hole, Whole, Same)):
        return set(pattern.at or ())
    inner = set(pattern.summed) if isinstance(pattern, Product) else set()
    return {k for part in parts_of(pattern) for k in _indices(part)} - inner


def sums_like(term: Ein, readers: list[int], most: int) -> bool:
    """Whether for each summed index of a pattern of ``most`` factors a label is summed that enough of them may have."""
    if len(term.dims) == len(term.shape):
        return False
    counts = [0] * len(term.dims)
    for _, s in term.factors:
        for k in {*s}:
            counts[k] += 1
    summed = counts[len(term.shape) :]
    return all(any(least <= n <= most for n in summed) for least in readers)
