"""What the operations inside a choice ask for: no more than where their branch is taken.

The idea to hold: ``where(c, a, b)`` has values wherever a has, of c, and b elsewhere. So what a asks of x it asks of
``where(c, x, k)``, k being a number that asks for nothing: that is a condition like any other, and is looked at like
any other. What c itself says is asked no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .. import show
from .._postorder import postorder
from ..core import reachable
from ._ein import constant_of, number, row
from ._lift import negated, operand, plus
from ._map import map_
from ._node import Add, Ein, Expr, Map

Choices = frozenset[tuple[Expr, bool]]
"""Conditions, each with how it came out where a branch is taken."""

_SIGNS = {"gt": (1, "> 0"), "lt": (-1, "> 0"), "ge": (1, "≥ 0"), "le": (-1, "≥ 0"), "ne": (1, "≠ 0")}
_IMPLIED = {"> 0": ("> 0", "≥ 0", "≠ 0"), "≥ 0": ("≥ 0",), "≠ 0": ("≠ 0",)}


def choices_of(root: Any, conditions: dict[Any, Expr], shapes: Any) -> dict[Any, Choices]:
    """Per node below a root, under which choices alone its value is used.

    Parameters
    ----------
    conditions : the condition of each node that chooses, ``where(c, a, b)``
    shapes : a function that gives the shape of a node's value

    An operation by entries asks for an entry of its operand where that entry is used; any other one for all of it, so
    that below it a condition counts which is one number.
    """
    found: dict[Any, Choices] = {root: frozenset()}
    for node in reachable([root])[0]:  # newest first: all that uses a node came before
        own = found.get(node, frozenset())
        for place, parent in enumerate(node.parents):
            if parent is None:
                continue
            here = own | ({(conditions[node], place == 1)} if node in conditions and place else set())
            op = getattr(node, "op", None)
            if op is None or op.kind != "elementwise" or shapes(parent) != shapes(node):
                here = _of_numbers(here)
            found[parent] = here if parent not in found else found[parent] & here
    return found


def choices_in(root: Expr) -> dict[Expr, Choices]:
    """The same for the terms that one is made of."""
    found: dict[Expr, Choices] = {root: frozenset()}
    for term in reversed([*postorder(root)]):
        every, own = tuple(range(term.rank)), found[term]
        operands: list[Any] = [(c, None) for c in term.children]
        if isinstance(term, Map):
            operands = list(term.args)
        elif isinstance(term, Add):
            operands = [(t, s) for _, t, s in term.terms]
        elif isinstance(term, Ein) and len(term.dims) == term.rank:
            operands = list(term.factors)
        for place, (part, s) in enumerate(operands):
            here = own
            if isinstance(term, Map) and term.op.name == "where" and place:
                c, at = term.args[0]
                here = own | ({(c, place == 1)} if at in ((), every) else set())
            here = here if s == every else _of_numbers(here)
            found[part] = here if part not in found else found[part] & here
    return found


def _of_numbers(choices: Choices) -> Choices:
    return frozenset([choice for choice in choices if not choice[0].rank])


def only_where(choices: Choices, base: Expr, kind: str) -> Expr | None:
    """What is asked of a term where choices came out as they did; None if that says it."""
    if not choices or kind.endswith(("inverse", "symmetric")):
        return base
    choices = frozenset([(c, came) for c, came in choices if not c.rank or c.shape == base.shape])
    taken = sorted([c if came else negated(c) for c, came in choices], key=lambda c: c.digest)
    taken = [c for c in taken if not (isinstance(c, Map) and c.op.name == "logical_not")]  # of NaN it says nothing
    if any(_implies(known, sign, base, kind) for c in taken for known, sign in _signs_in(c)):
        return None
    for c in taken:
        every = tuple(range(base.rank))
        args = [operand(c, base.shape), (base, every), (number(_harmless(kind)), ())]
        base = map_(row("where"), args, (), every)
    return base


def _harmless(kind: str) -> Any:
    """A number of which a condition of a kind holds."""
    return 2 if kind == "{} ≥ 1" else Fraction(1, 2) if "{}" in kind else 1


def _signs_in(c: Expr) -> Iterable[tuple[Expr, str]]:
    """What a condition says of signs."""
    if isinstance(c, Map) and c.op.name == "logical_and":
        for part, _ in c.args:
            yield from _signs_in(part) if part.shape == c.shape else ()
    elif isinstance(c, Map) and c.op.name in _SIGNS and not c.params:
        (a, s), (b, t) = c.args
        turn, sign = _SIGNS[c.op.name]
        if {len(s), len(t)} <= {0, c.rank}:
            yield plus(c.shape, (turn, a), (-turn, b)), sign


def _implies(known: Expr, sign: str, base: Expr, kind: str) -> bool:
    """Whether the sign of one term says that of another, from which it differs by a number."""
    if known.shape != base.shape:
        return False
    for turn in (1, -1) if kind == "≠ 0" else (1,):
        more = constant_of(plus(base.shape, (1, base), (-turn, known)))
        if more is not None and not isinstance(more, complex):
            if more == 0:
                return kind in _IMPLIED[sign]
            if more * turn > 0 and sign != "≠ 0" and kind in _IMPLIED["> 0"]:
                return True
    return False


def apart(base: Expr) -> tuple[Expr, list[Expr]]:
    """What a condition is about, and where alone it is asked."""
    conditions = []
    while isinstance(base, Map) and base.op.name == "where" and constant_of(base.args[2][0]) is not None:
        conditions.append(base.args[0][0])
        base = base.args[1][0]
    return base, conditions


def words(base: Expr, kind: str) -> str:
    """A condition in words."""
    inner, conditions = apart(base)
    text = show.in_one_piece(inner)
    said = kind.format(text) if "{}" in kind else f"{text} {kind}"
    where = [show.in_one_piece(c).removeprefix("1[").removesuffix("]") for c in conditions]
    return f"{said} (if {' and '.join(where)})" if where else said
