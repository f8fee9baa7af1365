"""Simplification: every rewrite of the table, bottom up, until none applies; then common factors pulled out.

The builders keep terms in normal form all the time; this is for what costs more and is wanted once. Values stay what
they are (but for the conditions that some rewrites state, which `steps` collects). The result simplified again is
itself, and does not depend on the order in which operands were written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from .. import _limits
from .._errors import FormulaError
from .._postorder import postorder
from ._identities import RULES, Rule
from ._node import Expr, living
from ._reals import is_real
from ._rule_index import signature
from ._rulebook import Condition, Rewrite, compiled, passes, said
from ._substitute import rebuilt
from ._taken import Choices, choices_in, only_where


class Step(NamedTuple):
    """One rewrite as it was applied, why it holds, and where."""

    rule: str
    before: Expr
    after: Expr
    conditions: tuple[Condition, ...]
    why: str
    reason: str

    def only_where(self, choices: Choices) -> Step:
        """The same step inside a choice."""
        found = [(only_where(choices, base, kind), kind) for base, kind in self.conditions]
        return self._replace(conditions=tuple([(base, kind) for base, kind in found if base is not None]))

    @property
    def condition(self) -> str:
        """Where it holds, in words."""
        return said(self.conditions)


@cache
def rules(tag: str) -> dict[str, list[Rewrite]]:
    """The rules with a tag, by the kind of terms they are for."""
    table: dict[str, list[Rewrite]] = {}
    for rule in [*map(compiled, RULES), *passes()]:
        if tag in rule.tags.split():
            table.setdefault(rule.kind, []).append(rule)
    return table


def declare(rule: Rule) -> None:
    """Use a rule from now on, before all others.

    Raises
    ------
    FormulaError : it is no rule (see `check`), or another rule undoes it
    """
    from ._sampling import check, instance

    check(rule)
    RULES.insert(0, rule)
    _forget()
    steps: list[Step] = []
    text = compiled(rule).text
    try:
        simplify(instance(rule), steps)
        endless = len(steps) >= _limits.REWRITES
    except RecursionError:  # what it leads to is read as what it replaces, one level further in
        endless = True
    if endless:
        withdraw(rule)
        other = next((s.rule for s in steps if s.rule != text), text)
        raise FormulaError(f"the rule '{text}' is undone", f"'{other}' leads back.", "Turn it round, or leave it out.")


def withdraw(rule: Rule) -> None:
    """Use a rule no longer.

    Parameters
    ----------
    rule : what `rule` gave, one of `RULES`

    Raises
    ------
    FormulaError : it is none of them, withdrawn before, say
    """
    if rule not in RULES:
        raise FormulaError(f"the rule '{compiled(rule).text}' is not in use", "", "See symgrad.extend.RULES.")
    RULES.remove(rule)
    _forget()


def _forget() -> None:
    rules.cache_clear()
    for term in living():
        term.memo.pop("simple", None)


def simplify(root: Expr, steps: list[Step] | None = None) -> Expr:
    """The simplified term; ``steps``, a list, is given every rewrite in order.

    Then of what is remembered only that a term is simple is used, which takes no rewrite.
    """
    done: dict[int, Expr] = {}
    keep = []  # what the ids belong to
    origins = dict[Expr, tuple[int, int]]()  # which of the steps are those of a term of the root
    for term in postorder(root):
        before = len(steps or ())
        known = term.memo.get("simple")
        if known is None or (steps is not None and known is not True):
            short = rebuilt(term, done)
            if short.kind != term.kind and short.children:  # a sum may come back as a number times a sum
                short = _with_simple_operands(short, steps)
            known = _rewritten(short, steps)
            term.memo["simple"] = True if known is term else known
            if known is not term:
                known.memo["simple"] = True
        keep.append(known)
        done[id(term)] = term if known is True else known
        if steps and any(s.conditions for s in steps[before:]):
            origins[term] = before, len(steps)
    if steps and origins:
        choices = choices_in(root)
        for term, (first, last) in origins.items():
            steps[first:last] = [s.only_where(choices[term]) for s in steps[first:last]]
    return done[id(root)]


def _with_simple_operands(term: Expr, steps: Any) -> Expr:
    for _ in range(3):
        simple = {id(c): simplify(c, steps) for c in term.children}
        before, term = term.kind, rebuilt(term, simple)
        if term.kind == before:
            return term
    return term


def _rewritten(term: Expr, steps: Any) -> Expr:
    for _ in range(_limits.REWRITES):
        for rule, after, conditions in fitting(term, "short"):
            if steps is not None:
                steps.append(Step(rule.text, term, after, conditions, rule.why, rule.reason))
            term = _with_simple_operands(after, steps)
            break
        else:
            return term
    return term


def fitting(term: Expr, tag: str) -> Iterator[tuple[Rewrite, Expr, tuple[Condition, ...]]]:
    """The rules with a tag that fit a term, each with what it gives and where that holds."""
    there = signature(term)
    for rule in rules(tag).get(term.kind, ()):
        if rule.needs <= there:
            result = rule.apply(term)
            if result is not None and result[0] is not term and ("real" not in rule.tags or is_real(term)):
                yield rule, *result
