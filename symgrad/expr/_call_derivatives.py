"""Derivatives of operations that are not element-wise: the ones with a textbook form, and the table's own for the rest.

The textbook forms are records (`JACOBIANS` in `_identities`); Jacobians have the call's axes, then the operand's.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from typing import Any

from .. import _limits
from .._postorder import postorder
from ..core import TABLE
from ._ein import ein
from ._identities import JACOBIANS, Jacobian
from ._index_notation import read
from ._matching import build, matches, row_of
from ._node import Call, Delta, Ein, Expr, Jac, Lin, Var
from ._partials import vjp

Values = dict[str, Any]


def jacobian(term: Call, i: int, values: Values) -> Expr:
    """The Jacobian of a call in its operand ``i``."""
    key = ("jacobian", i)
    known = term.memo.get(key)
    if known is None:
        known = textbook(term, i)
        if known is None:
            known = _from_table(term, i, values)
        term.memo[key] = known
    return known


def pullback(term: Call, i: int, g: Expr, values: Values) -> Expr:
    """The gradient of operand ``i`` under the incoming gradient ``g``."""
    j = textbook(term, i)
    n = term.rank
    inside = tuple(range(n, n + term.args[i].rank))
    if j is None and term.op.name == "matrix_exp" and _is_multiple_of_identity(g):
        return ein(1, [(term, (1, 2)), (g, (0, 2))], (0, 1))  # what commutes with X may be moved out of the integral
    if j is None:
        name = Var(_fresh(term), term.shape)
        rows = _vjp(term, i, name, values)
        if rows is not None:
            from ._substitute import substitute

            return substitute(rows, {name: g})
        j = jacobian(term, i, values)
    from ._derive import product

    dims = dict(zip(inside, term.args[i].shape, strict=True))
    return product(1, [(j, (*range(n), *inside)), (g, tuple(range(n)))], inside, dims)


def _is_multiple_of_identity(g: Expr) -> bool:
    return isinstance(g, Delta) or (
        isinstance(g, Ein) and all(isinstance(f, Delta) or not s for f, s in g.factors) and g.rank == 2
    )


def _fresh(term: Call) -> str:
    return f"cotangent of {term.op.name}"  # no name of a user's has a blank


def _vjp(term: Call, i: int, g: Var, values: Values) -> Expr | None:
    key = ("vjp", i)
    if key not in term.memo:
        term.memo[key] = None  # a rule that asks for itself gets none
        with suppress(ValueError):  # the rule computes lengths from arrays, and these are stand-ins
            term.memo[key] = vjp(term, i, g, values)
    return term.memo[key]


_depth: ContextVar[int] = ContextVar("depth of rules that ask for rules", default=0)


def _from_table(term: Call, i: int, values: Values) -> Expr:
    """The Jacobian as the derivative of the rule in the incoming gradient, in which it is linear."""
    if _depth.get() >= _limits.RULE_DEPTH:  # rules may ask for each other without end
        return Jac(term, i)
    token = _depth.set(_depth.get() + 1)
    try:
        return _derived_rule(term, i, values)
    finally:
        _depth.reset(token)


def _derived_rule(term: Call, i: int, values: Values) -> Expr:
    from ._derive import depends, derivative
    from ._evaluate import evaluate

    g = Var(_fresh(term), term.shape)
    rows = _vjp(term, i, g, values)
    if rows is None:
        return Jac(term, i)
    j = derivative(rows, g, {**values, g.name: evaluate(term, values) * 0 + 1.0})
    if depends(j, g) or any(isinstance(t, Jac) for t in postorder(j)):  # not plainly linear in it
        return Jac(term, i)
    n = term.args[i].rank
    return ein(1, [(j, tuple(range(j.rank)))], (*range(n, j.rank), *range(n)))


# ------------------------------------------------------------------------------------------------- textbook forms


@cache
def _written(name: str) -> Jacobian | None:
    """The record of an operation's derivative."""
    return next((j for j in JACOBIANS if row_of(j.of.partition("(")[0]).name == name), None)


def textbook(term: Call, i: int) -> Expr | None:
    """The Jacobian of a call in its operand ``i`` as the record of its operation has it; None if it has none."""
    if term.op.name == "cat":
        return _cat(term, i)
    record = _written(term.op.name)
    if record is None:
        return None
    x, n = term.args[i], term.rank
    pattern, wrt = read(record.of), read(record.wrt)
    bound = next(matches(pattern, (term, tuple(range(n))), {}), None)
    if bound is None or wrt.name + "[" not in bound:
        return None
    own = bound.get(wrt.name + ",", () if "…" in wrt.at else range(x.rank))
    if "…" in wrt.at and len(wrt.at) == 1:
        own, bound["…]"] = range(x.rank), tuple(range(n, n + x.rank))
    named = [k for k in wrt.at if k != "…"]
    inside = [n + k for k in own]
    bound.update({k + "]": tuple(inside) if "…" in wrt.at else (label,) for k, label in zip(named, inside)})
    dims = {**dict(enumerate(term.shape)), **{n + k: d for k, d in enumerate(x.shape)}}
    result = build(read(record.slope), {**bound, "sizes": dims})
    others = [k for k in range(x.rank) if k not in own]
    deltas = [(Delta(x.shape[k]), (label, n + k)) for label, k in zip(bound.get("…]", ()), others)]
    from ._derive import product

    return product(1, [result, *deltas], tuple(range(n + x.rank)), dims)


def _cat(term: Call, i: int) -> Expr | None:
    """The identity between an operand and its place in the result."""
    n = term.rank
    if not n or term.args[i].rank != n:
        return None
    d = int(term.params[0]) % n
    start: Any = 0
    for a in term.args[:i]:
        start = start + a.shape[d]
    part = slice(start, start + term.args[i].shape[d])
    place = Lin(TABLE["getitem"], ((part,),), (term.args[i].shape[d],), (term.shape[d],))
    others = [(Delta(term.shape[k]), (k, n + k)) for k in range(n) if k != d]
    return ein(1, [(place, (n + d, d)), *others], tuple(range(2 * n)))
