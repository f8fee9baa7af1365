"""Derivatives of operations that are not element-wise: the ones with a textbook form, and the table's own for the rest.

The textbook forms (Petersen and Pedersen, The Matrix Cookbook, sections 2 and 9) are Jacobians in index notation:
the call's axes, then the operand's.
"""

from __future__ import annotations

from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from .. import _limits
from .._postorder import postorder
from ._add import add
from ._ein import ein, row, shaped
from ._lift_linalg import inverse
from ._lift_reductions import axes
from ._map import map_, pow_
from ._node import Call, Delta, Ein, Expr, Jac, Lin, Var
from ._partials import vjp

Values = dict[str, Any]


def jacobian(term: Call, i: int, values: Values) -> Expr:
    """The Jacobian of a call in its operand ``i``."""
    key = ("jacobian", i)
    known = term.memo.get(key)
    if known is None:
        rule = JACOBIANS.get(term.op.name)
        known = rule(term, i) if rule is not None else None
        if known is None:
            known = _from_table(term, i, values)
        term.memo[key] = known
    return known


def pullback(term: Call, i: int, g: Expr, values: Values) -> Expr:
    """The gradient of operand ``i`` under the incoming gradient ``g``."""
    rule = JACOBIANS.get(term.op.name)
    j = rule(term, i) if rule is not None else None
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


def _inv(term: Call, i: int) -> Expr | None:
    if term.rank != 2:
        return None
    y = term  # dY[i,j] = -Y[i,k] dX[k,l] Y[l,j]
    return ein(-1, [(y, (0, 2)), (y, (3, 1))], (0, 1, 2, 3))


def _det(term: Call, i: int) -> Expr | None:
    x = term.args[0]
    return ein(1, [(term, ()), (inverse(x), (1, 0))], (0, 1)) if x.rank == 2 else None


def _slogdet(term: Call, i: int) -> Expr | None:
    x = term.args[0]
    return ein(1, [(inverse(x), (1, 0))], (0, 1)) if term.out == 1 and x.rank == 2 else None


def _softmax(term: Call, i: int) -> Expr | None:
    """diag(p) - p pᵀ along the axis, one such matrix for each of the other axes."""
    n, d = term.rank, _axis(term)
    here, out = tuple(range(n)), tuple(range(2 * n))
    there = tuple([n + d if k == d else k for k in here])
    others = [(Delta(term.shape[k]), (k, n + k)) for k in here if k != d]
    diagonal = ein(1, [(term, here), (Delta(term.shape[d]), (d, n + d)), *others], out)
    return add([(1, diagonal, out), (-1, ein(1, [(term, here), (term, there), *others], out), out)], out)


def _axis(term: Call) -> int:
    dim = term.params[0]
    return int(dim[0] if isinstance(dim, tuple) else dim) % max(term.rank, 1)


def _log_softmax(term: Call, i: int) -> Expr | None:
    """I - 1 pᵀ along the axis."""
    n, d = term.rank, _axis(term)
    here, out = tuple(range(n)), tuple(range(2 * n))
    there = tuple([n + d if k == d else k for k in here])
    p = Call(row("softmax"), term.args, term.params, term.shape)
    others = [(Delta(term.shape[k]), (k, n + k)) for k in here if k != d]
    identity = ein(1, [(Delta(term.shape[d]), (d, n + d)), *others], out)
    mean = ein(1, [(p, there), *others], out, {d: term.shape[d]})
    return add([(1, identity, out), (-1, mean, out)], out)


def _logsumexp(term: Call, i: int) -> Expr | None:
    dim, keepdim = term.params
    x = term.args[0]
    over = axes(dim, x.rank)
    if keepdim or len(over) not in (1, x.rank):
        return None
    if len(over) == 1:
        p: Expr = Call(row("softmax"), (x,), (over,), x.shape)
    else:
        spread = shaped(x.shape, -1, [(term, ())])
        every = tuple(range(x.rank))
        p = map_(row("exp"), [(add([(1, x, every), (1, spread, every)], every), every)], (), every)
    n = x.rank
    rest = [k for k in range(n) if k not in over]
    identities = [(Delta(x.shape[k]), (k, n + k)) for k in rest]
    inside = tuple([n + k if k in rest else k for k in range(n)])
    return ein(1, [(p, tuple(range(n))), *identities], (*rest, *inside))


def _prod(term: Call, i: int) -> Expr | None:
    """prod(x)/x (where no entry is zero)."""
    x = term.args[0]
    every = tuple(range(x.rank))
    return ein(1, [(term, ()), (pow_(x, -1), every)], every) if not term.params else None


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
    place = Lin(row("getitem"), ((part,),), (term.args[i].shape[d],), (term.shape[d],))
    others = [(Delta(term.shape[k]), (k, n + k)) for k in range(n) if k != d]
    return ein(1, [(place, (n + d, d)), *others], tuple(range(2 * n)))


JACOBIANS: dict[str, Any] = {
    "inv": _inv, "det": _det, "slogdet": _slogdet, "softmax": _softmax, "log_softmax": _log_softmax, "prod": _prod,
    "cat": _cat, "logsumexp": _logsumexp,
}  # fmt: skip
