"""A term with other terms in the place of some symbols, in normal form again."""

from __future__ import annotations

from typing import Any

from .._postorder import postorder
from ._add import shaped_sum
from ._ein import shaped
from ._lift_linalg import inverse
from ._map import map_
from ._node import Call, Expr, Jac


def rebuilt(term: Any, children: Any) -> Expr:
    """A term on other operands (of the same shapes), by the builders."""
    if term.kind == "ein":
        return shaped(term.shape, term.coef, [(children(f), s) for f, s in term.factors])
    if term.kind == "add":
        return shaped_sum(term.shape, [(c, children(t), s) for c, t, s in term.terms])
    if term.kind == "map":
        return map_(term.op, [(children(a), s) for a, s in term.args], term.params, tuple(range(term.rank)))
    if term.kind == "call":
        args = tuple([children(a) for a in term.args])
        return inverse(args[0]) if term.op.name == "inv" else Call(term.op, args, term.params, term.shape, term.out)
    if term.kind == "jac":
        call = children(term.call)
        return Jac(call, term.wrt) if call.kind == "call" else term
    return term


def substitute(root: Expr, given: dict[Expr, Expr]) -> Expr:
    """``root`` with each term of ``given`` replaced."""
    done: dict[int, Expr] = {}
    for term in postorder(root):
        if term in given:
            done[id(term)] = given[term]
        elif term.children and any(done[id(c)] is not c for c in term.children):
            done[id(term)] = rebuilt(term, lambda c: done[id(c)])
        else:
            done[id(term)] = term
    return done[id(root)]
