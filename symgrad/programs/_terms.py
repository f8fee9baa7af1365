"""Looking at terms as programs see them: sums of products of names and constant patterns.

The idea to hold: a *name* is an array that a program computes; a *pattern* is an identity or the array of a linear
operation, which is carried along unmultiplied. All sizes in programs are whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .._postorder import postorder
from ..core import plain
from ..terms import Ein, Expr, Var

Factor = tuple[Expr, tuple[int, ...]]

PATTERNS = ("delta", "lin")
"""Kinds of the factors that are patterns."""


def entries(shape: Iterable[Any]) -> int:
    """How many entries an array of this shape has."""
    return math.prod(map(int, shape))


def sizes(shape: Iterable[Any]) -> tuple[int, ...]:
    """A shape as it is written out."""
    return tuple(map(int, shape))


def as_product(term: Expr) -> Ein:
    """A term as a product, of one factor if need be."""
    if isinstance(term, Ein):
        return term
    return Ein(1, ((term, tuple(range(term.rank))),), tuple(term.shape), term.rank)


def named(atom: Expr) -> list[str]:
    """The names in an atom (a name, or a number and constant patterns times some)."""
    if isinstance(atom, Var):
        return [atom.name]
    return [f.name for f, _ in atom.factors if isinstance(f, Var)] if isinstance(atom, Ein) else []


def every_name(term: Expr) -> tuple[str, ...]:
    """The names anywhere in a term."""
    known: tuple[str, ...] | None = term.memo.get("names")
    if known is None:
        known = term.memo["names"] = tuple([t.name for t in postorder(term) if isinstance(t, Var)])
    return known


def components(factors: Iterable[Factor]) -> list[list[Factor]]:
    """Factors in groups that share no index."""
    groups: list[tuple[set[int], list[Factor]]] = []
    for f, s in factors:
        labels, members = set(s), [(f, s)]
        rest = []
        for known, part in groups:
            if known & labels:
                labels, members = labels | known, part + members
            else:
                rest.append((known, part))
        groups = [*rest, (labels, members)]
    return [part for _, part in groups]


def identified(factors: Iterable[Factor], every: Iterable[int]) -> dict[int, int]:
    """Per index the first of those that the identities among factors make equal to it."""
    group = {k: k for k in every}
    for f, pair in factors:
        if f.kind == "delta":
            low, high = sorted(group[k] for k in pair)
            group = {k: low if g == high else g for k, g in group.items()}
    return group


def parameters(term: Any) -> dict[str, Any]:
    """The parameters of an operation's term, by name."""
    return dict(term.op.named(plain(term.params)))


def flops(term: Any) -> float:
    """The floating-point operations of one definition."""
    size = entries(term.shape)
    if term.kind == "ein":
        if any(f.kind == "lin" for f, _ in term.factors):  # run, not multiplied out
            return float(size + sum([entries(f.shape) for f, _ in term.factors if f.kind == "var"]))
        arrays = [f for f, _ in term.factors if f.kind not in ("one", "delta")]
        summed = len(term.dims) > term.rank
        return float(entries(term.dims) * (2 if summed and len(arrays) > 1 else 1))
    if term.kind == "add":
        return float(size * len(term.terms))
    if term.kind == "call":
        n = 1 if term.op.variadic else max([int(a.shape[-1]) for a in term.args if a.rank] or [1])
        return float(size * n)
    return float(size)
