"""Simplification: every rewrite of the table, bottom up, until none applies; then common factors pulled out.

The builders keep terms in normal form all the time; this is for what costs more and is wanted once. Values stay what
they are (but for the conditions that some rewrites state, which `steps` collects). The result simplified again is
itself, and does not depend on the order in which operands were written.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from .. import _limits
from .._postorder import postorder
from ._node import Expr
from ._rewrites import Rewrite, rules, signature
from ._substitute import rebuilt


class Step(NamedTuple):
    """One rewrite as it was applied."""

    rule: str
    before: Expr
    after: Expr
    condition: str


@cache
def _by_kind() -> dict[str, list[Rewrite]]:
    table: dict[str, list[Rewrite]] = {}
    for rule in rules():
        table.setdefault(rule.kind, []).append(rule)
    return table


def simplify(root: Expr, steps: list[Step] | None = None) -> Expr:
    """The simplified term; ``steps``, a list, is given every rewrite in order (nothing remembered is used then)."""
    done: dict[int, Expr] = {}
    keep = []  # what the ids belong to
    for term in postorder(root):
        known = term.memo.get("simple") if steps is None else None
        if known is None:
            short = term
            if term.children and any(done[id(c)] is not c for c in term.children):
                short = rebuilt(term, lambda c: done[id(c)])
                if short.kind != term.kind and short.children:  # a sum may come back as a number times a sum
                    short = _with_simple_operands(short, steps)
            known = _rewritten(short, steps)
            if steps is None:
                term.memo["simple"] = True if known is term else known
                if known is not term:
                    known.memo["simple"] = True
        keep.append(known)
        done[id(term)] = term if known is True else known
    return done[id(root)]


def _with_simple_operands(term: Expr, steps: Any) -> Expr:
    for _ in range(3):
        simple = {id(c): simplify(c, steps) for c in term.children}
        if all(simple[id(c)] is c for c in term.children):
            return term
        before, term = term.kind, rebuilt(term, lambda c, simple=simple: simple[id(c)])
        if term.kind == before:
            return term
    return term


def _rewritten(term: Expr, steps: Any) -> Expr:
    for _ in range(_limits.REWRITES):
        there = signature(term)
        for rule in _by_kind().get(term.kind, ()):
            if not rule.needs <= there:
                continue
            after = rule.apply(term)
            if after is not None and after is not term:
                if steps is not None:
                    steps.append(
                        Step(rule.text, term, after, rule.condition(term) if rule.condition is not None else "")
                    )
                term = _with_simple_operands(after, steps)
                break
        else:
            return term
    return term
