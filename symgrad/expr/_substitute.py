"""A term with other terms in the place of some symbols, in normal form again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .._postorder import postorder
from ._add import shaped_sum
from ._ein import shaped
from ._lift_linalg import inverse
from ._map import map_
from ._node import Call, Expr, Jac


def rebuilt(term: Any, done: Mapping[int, Expr]) -> Expr:
    """A term on what ``done`` has for its operands (of the same shapes), by the builders; itself where none is new."""
    for c in term.children:
        if done[id(c)] is not c:
            break
    else:
        return term

    def children(c: Expr) -> Expr:
        return done[id(c)]

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
        return Jac(_same_operation(term.call, done), term.wrt)
    return term


def _same_operation(call: Call, done: Mapping[int, Expr]) -> Call:
    """A call that is differentiated on what ``done`` has for its operands: what equals it has other operands."""
    new: Any = done[id(call)]
    if new.kind == "call" and new.op is call.op:
        return new
    return Call(call.op, tuple([done.get(id(a), a) for a in call.args]), call.params, call.shape, call.out)


def changed(root: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """``root`` with every term changed, after its operands."""
    done: dict[int, Expr] = {}
    same = True  # so far: most changes are looked for in vain
    for term in postorder(root):
        done[id(term)] = new = change(term if same else rebuilt(term, done))
        same = same and new is term
    return done[id(root)]


def substitute(root: Expr, given: dict[Expr, Expr]) -> Expr:
    """``root`` with each term of ``given`` replaced."""
    done: dict[int, Expr] = {}
    same = True
    for term in postorder(root):
        done[id(term)] = new = given[term] if term in given else term if same else rebuilt(term, done)
        same = same and new is term
    return done[id(root)]
