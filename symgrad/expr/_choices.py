"""Choices: masks that guard, branches that meet."""

from __future__ import annotations

from typing import Any

from ._add import shaped_sum
from ._ein import constant_of, ein, number, row, shaped
from ._lift import is_product, negated
from ._map import is_condition, map_
from ._node import Add, Ein, Expr, Map


def guarded(term: Ein) -> Expr | None:
    """[c]·u = where(c, u, 0), if u may be infinite where c does not hold: what was not taken must not spoil it."""
    for i, (c, s) in enumerate(term.factors):
        if not is_condition(c) or not s or len(set(s)) < len(s):
            continue
        beside = [(j, f) for j, (f, t) in enumerate(term.factors) if j != i and t and set(t) <= set(s)]
        unsafe = [j for j, f in beside if not is_product(c, f)]
        if unsafe:
            parts = [term.factors[j] for j in unsafe]
            labels = tuple(sorted(set(s)))
            sizes = dict(zip(s, c.shape, strict=True))
            inner = ein(1, parts, labels, sizes)
            chosen = map_(row("where"), [(c, s), (inner, labels), (number(0), ())], (), labels)
            rest = [x for j, x in enumerate(term.factors) if j != i and j not in unsafe]
            return shaped(term.shape, term.coef, [*rest, (chosen, labels)])
    return None


def both_branches(term: Add) -> Expr | None:
    """[c]·a + [not c]·b = where(c, a, b)."""
    every = tuple(range(term.rank))
    parts = [_masked(c, t, s, term) for c, t, s in term.terms]
    for i, a in enumerate(parts):
        for j, b in enumerate(parts):
            if a is None or b is None or i == j or a[1] != b[1] or negated(a[0]) is not b[0]:
                continue
            if not _comes_first(a[0], b[0]):
                continue
            rest = [t for k, t in enumerate(term.terms) if k not in (i, j)]
            chosen = map_(row("where"), [(a[0], a[1]), (a[2], every), (b[2], every)], (), every)
            return add_back(rest, chosen, term)
    return None


def add_back(rest: Any, extra: Expr, term: Add) -> Expr:
    """The sum of terms and one more."""
    every = tuple(range(term.rank))
    return shaped_sum(term.shape, [*rest, (1, extra, every)])


_FIRST = {"gt", "lt", "ge", "le", "eq"}


def _comes_first(a: Expr, b: Expr) -> bool:
    return (isinstance(a, Map) and a.op.name in ("lt", "le", "eq")) or not isinstance(b, Map) or b.op.name not in _FIRST


def _masked(c: Any, t: Expr, s: Any, whole: Add) -> Any:
    """A term as (condition, its labels, the rest) if it is masked."""
    if isinstance(t, Map) and t.op.name == "where":
        condition, x, zero = t.args
        if constant_of(zero[0]) == 0:
            rest = shaped(whole.shape, c, [(x[0], tuple([s[k] for k in x[1]]))])
            return condition[0], tuple([s[k] for k in condition[1]]), rest
    if isinstance(t, Ein):
        for place, (f, labels) in enumerate(t.factors):
            if is_condition(f) and all(k < t.rank for k in labels):
                others = [x for i, x in enumerate(t.factors) if i != place]
                names = {k: s[k] for k in range(t.rank)}
                inner = [(g, tuple([names.get(k, 1000 + k) for k in u])) for g, u in others]
                return f, tuple([s[k] for k in labels]), shaped(whole.shape, c * t.coef, inner)
    elif is_condition(t):
        return t, s, shaped(whole.shape, c, [])
    return None
