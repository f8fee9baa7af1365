"""Terms in their stable forms: what overflows is replaced by what does not; nothing is rewritten for the eye.

The idea to hold: formulas are simplified to be read, programs to be run. Of the table of rewrites a program takes those
that name a function known to be computed well (softplus, logsumexp, softmax, logdet), and leaves common factors,
quotients and powers as the function has them: they are shared by name, which is worth more.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .. import _limits
from .._postorder import postorder
from ..expr._node import Expr
from ..expr._rewrites import TABLE, rules, signature
from ..expr._substitute import rebuilt

STABLE = (
    "log(sum(exp(u)))", "exp(u)/sum(exp(u))", "exp(u - logsumexp(u))", "sum(softmax(u))", "log(det(X))",
    "sum(log(diag(cholesky(K))))", "1[c] a + 1[not c] b", "relu(x) 1[x > 0]", "1[c] u → where",
)  # fmt: skip
"""How the rewrites that programs take begin, beside those of the table of functions."""


@cache
def _taken() -> dict[str, list[Any]]:
    table: dict[str, list[Any]] = {}
    for place, rule in enumerate(rules()):
        if place < len(TABLE) or rule.text.startswith(STABLE):
            table.setdefault(rule.kind, []).append(rule)
    return table


def stable(root: Expr, done: dict[int, Expr] | None = None) -> Expr:
    """The term in stable form; ``done`` is given the form of every term below it, by identity."""
    done = {} if done is None else done
    kept: list[Expr] = []
    for term in postorder(root):
        short = term
        if term.children and any(done[id(c)] is not c for c in term.children):
            short = rebuilt(term, lambda c: done[id(c)])
        done[id(term)] = short = _rewritten(short)
        kept.append(short)
    return done[id(root)]


def _rewritten(term: Expr) -> Expr:
    for _ in range(_limits.REWRITES):
        there = signature(term)
        for rule in _taken().get(term.kind, ()):
            if rule.needs <= there:
                after = rule.apply(term)
                if after is not None and after is not term:
                    term = after
                    break
        else:
            return term
    return term
