"""A term with other terms in the place of some symbols, in normal form again."""

from __future__ import annotations

from typing import Any

from ._add import add
from ._ein import ein
from ._lift import linear
from ._lift_linalg import inverse
from ._map import map_
from ._node import Call, Expr, Jac, postorder


def rebuilt(term: Any, children: Any) -> Expr:
    """A term on other operands (of the same shapes), by the builders."""
    every = tuple(range(term.rank))
    dims = dict(enumerate(term.shape))
    if term.kind == "ein":
        return ein(term.coef, [(children(f), s) for f, s in term.factors], every, dims)
    if term.kind == "add":
        return add([(c, children(t), s) for c, t, s in term.terms], every, dims)
    if term.kind == "map":
        made = map_(term.op, [(children(a), s) for a, s in term.args], term.params, every)
        return made
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


__all__ = ["linear", "rebuilt", "substitute"]
