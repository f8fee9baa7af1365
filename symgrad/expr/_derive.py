"""Derivatives of terms: forward (any term, the variable's axes last), and reverse for scalars.

Forward: a product is differentiated factor by factor, an element-wise operation through its partials, any other
operation through its Jacobian. Reverse: one adjoint per shared term, which is what makes gradients read as in a
textbook. The Hessian is the forward derivative of the reverse one. Each answer is kept on the term it is about.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from .. import _limits
from .._errors import FormulaError
from .._postorder import postorder
from ._add import add, inner_sum, shaped_sum
from ._call_derivatives import jacobian, pullback
from ._ein import ein, is_zero, number, row, zeros
from ._lift import is_safe
from ._map import map_
from ._node import Add, Call, Delta, Expr, Indices, One, Var
from ._partials import partial
from ._simplify import simplify

Values = dict[str, Any]


def depends(root: Expr, x: Var) -> bool:
    """Whether ``x`` occurs in a term. (Leaves remember nothing: some of them outlive every formula.)"""
    if not root.children:
        return root is x
    key = ("depends", x)
    known = root.memo.get(key)
    if known is None:
        for term in postorder(root):
            if term.children and key not in term.memo:
                term.memo[key] = any(c.memo[key] if c.children else c is x for c in term.children)
        known = root.memo[key]
    return bool(known)


def derivative(root: Expr, x: Var, values: Values) -> Expr:
    """The derivative of any term: its shape, then the shape of ``x``."""
    if not depends(root, x):
        return zeros((*root.shape, *x.shape))
    key = ("derivative", x)
    for term in postorder(root):
        if depends(term, x) and key not in term.memo:
            term.memo[key] = _FORWARD[term.kind](term, x, values)
    return root.memo[key]


def _rate(term: Expr, x: Var) -> Expr | None:
    """The derivative worked out before; None for a zero."""
    known = term.memo.get(("derivative", x))
    return None if known is None or is_zero(known) else known


def _forward_var(term: Any, x: Var, values: Values) -> Expr:
    n = x.rank
    if n == 0:
        return number(1)
    return ein(1, [(Delta(d), (i, n + i)) for i, d in enumerate(x.shape)], tuple(range(2 * n)))


def _forward_ein(term: Any, x: Var, values: Values) -> Expr:
    rank, last = len(term.shape), len(term.dims)
    new = tuple(range(last, last + x.rank))
    out = (*range(rank), *new)
    dims = {**dict(enumerate(term.shape)), **dict(zip(new, x.shape, strict=True))}
    terms = []
    for place, (f, s) in enumerate(term.factors):
        rate = _rate(f, x)
        if rate is not None:
            factors = [*term.factors[:place], (rate, (*s, *new)), *term.factors[place + 1 :]]
            terms.append((1, product(term.coef, factors, out, dims), tuple(range(len(out)))))
    return _sum(terms, term, x)


def product(coef: Any, factors: list[Any], out: Indices, dims: dict[int, int]) -> Expr:
    """The product, distributed over a sum with identities among its terms: there it makes terms vanish or shrink."""
    for place, (f, s) in enumerate(factors):
        inner, scale, order = inner_sum(f) if f.kind in ("add", "ein") else (None, 1, ())
        if inner is not None and _has_identity(inner) and len(inner.terms) * len(factors) < _limits.DISTRIBUTED:
            terms = []
            labels = [s[k] for k in order]
            for c, t, i in inner.terms:
                part = (t, tuple([labels[k] for k in i]))
                loose = [(One(f.shape[k]), (s[k],)) for k in range(f.rank) if s[k] not in part[1]]
                rest = [*factors[:place], part, *loose, *factors[place + 1 :]]
                terms.append((c, product(coef * scale, rest, out, dims), tuple(range(len(out)))))
            return add(terms, tuple(range(len(out))), {k: dims[label] for k, label in enumerate(out) if label in dims})
    return ein(coef, factors, out, dims)


def _has_identity(f: Add) -> bool:
    known = f.memo.get("identity")
    if known is None:
        known = any(isinstance(g, Delta) for _, t, _ in f.terms for g in (t, *t.children))
        f.memo["identity"] = known
    return known


def _sum(terms: list[Any], term: Expr, x: Var) -> Expr:
    shape = (*term.shape, *x.shape)
    return shaped_sum(shape, terms) if terms else zeros(shape)


def _forward_add(term: Any, x: Var, values: Values) -> Expr:
    new = tuple(range(term.rank, term.rank + x.rank))
    terms = []
    for c, t, s in term.terms:
        rate = _rate(t, x)
        if rate is not None:
            terms.append((c, rate, (*s, *new)))
    return _sum(terms, term, x)


def _forward_map(term: Any, x: Var, values: Values) -> Expr:
    every = tuple(range(term.rank))
    new = tuple(range(term.rank, term.rank + x.rank))
    out = (*every, *new)
    dims = {**dict(enumerate(term.shape)), **dict(zip(new, x.shape, strict=True))}
    terms = []
    for i, (a, s) in enumerate(term.args):
        rate = _rate(a, x)
        if rate is not None:
            slope = partial(term, i)
            if not is_zero(slope):
                terms.append((1, chained(slope, every, rate, (*s, *new), out, dims, term), tuple(range(len(out)))))
    return _sum(terms, term, x)


def chained(slope: Expr, s: Indices, rate: Expr, t: Indices, out: Indices, dims: dict[int, int], term: Any) -> Expr:
    """``slope * rate``; behind a choice only where it was chosen, so that what was not taken cannot spoil it."""
    if term.op.name == "where" and not is_safe(rate):
        labels = tuple([k for k in out if k in s or k in t])
        chosen = map_(row("where"), [(slope, s), (rate, t), (number(0), ())], (), labels)
        return ein(1, [(chosen, labels)], out, dims)
    return product(1, [(slope, s), (rate, t)], out, dims)


def _forward_call(term: Any, x: Var, values: Values) -> Expr:
    if term.op.name in ("matrix_exp", "matrix_exp_rate") and not x.rank:
        return _along_exponential(term, x)
    n = term.rank
    terms = []
    for i, a in enumerate(term.args):
        rate = _rate(a, x)
        if rate is None:
            continue
        inside = tuple(range(n, n + a.rank))
        new = tuple(range(n + a.rank, n + a.rank + x.rank))
        j = jacobian(term, i, values)
        out = (*range(n), *new)
        dims = {**dict(enumerate(term.shape)), **dict(zip(new, x.shape, strict=True))}
        factors = [(j, (*range(n), *inside)), (rate, (*inside, *new))]
        terms.append((1, product(1, factors, out, dims), tuple(range(len(out)))))
    return _sum(terms, term, x)


def _along_exponential(term: Any, x: Var) -> Expr:
    """The rate of the matrix exponential, or of its rate, along those of its operands."""
    every = tuple(range(term.rank))
    rates = [_rate(a, x) for a in term.args]
    terms = []
    for k, rate in enumerate(rates):
        if rate is not None:
            args = (*term.args, rate) if k == 0 else (*term.args[:k], rate, *term.args[k + 1 :])
            terms.append((1, Call(row("matrix_exp_rate"), args, (), term.shape), every))
    return _sum(terms, term, x)


def _forward_jac(term: Any, x: Var, values: Values) -> Expr:
    raise _numbers_only(term)


def _numbers_only(term: Any) -> FormulaError:
    return FormulaError(
        f"the second derivative of '{term.call.op.label}' has no formula", "Its Jacobian is known as numbers only.",
        "Use the tape: a gradient made with create_graph=True can be differentiated again.",
    )  # fmt: skip


_FORWARD: dict[str, Any] = {
    "var": _forward_var, "ein": _forward_ein, "add": _forward_add, "map": _forward_map, "call": _forward_call,
    "jac": _forward_jac,
}  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- reverse


def gradient(root: Expr, x: Var, values: Values) -> Expr:
    """The gradient of a scalar term, of the shape of ``x``."""
    (found,) = gradients(root, [x], values)
    return found


def gradients(root: Expr, wrt: Sequence[Var], values: Values) -> list[Expr]:
    """The gradients of a scalar term in some variables: what lies between them and the term is gone through once."""
    if root.rank:
        return [derivative(root, x, values) for x in wrt]
    if not root.children:
        return [number(1) if root is x else zeros(x.shape) for x in wrt]
    known = root.memo
    if new := [x for x in wrt if ("gradient", x) not in known]:
        found = _swept(root, new, values)
        known.update({("gradient", x): found[x] if x in found else zeros(x.shape) for x in new})
    return [known["gradient", x] for x in wrt]


def _swept(root: Expr, wrt: list[Var], values: Values) -> dict[Expr, Expr]:
    """The adjoints of the variables that anything arrives at."""
    order, needed, found = [], set[Expr](wrt), dict[Expr, Expr]()
    for term in postorder(root):
        if term in needed or not needed.isdisjoint(term.children):
            needed.add(term)
            order.append(term)
    parts: dict[int, list[Any]] = {id(root): [(1, number(1), ())]}
    for term in reversed(order):
        incoming = parts.pop(id(term), None)
        if incoming is None:
            continue
        adjoint = shaped_sum(term.shape, incoming)
        if not term.children:
            found[term] = adjoint
        elif not is_zero(adjoint):
            _REVERSE[term.kind](term, adjoint, needed, values, parts)
    return found


def _give(parts: dict[int, list[Any]], to: Expr, value: Expr) -> None:
    parts.setdefault(id(to), []).append((1, value, tuple(range(to.rank))))


def onto(coef: Any, factors: list[Any], target: Indices, shape: tuple[int, ...]) -> Expr:
    """The product as the adjoint of an operand read at ``target``: a label that occurs twice there is a diagonal."""
    out: list[int] = []
    extra: list[Any] = []
    fresh = 1 + max([k for _, s in factors for k in s] + list(target), default=-1)
    for label, n in zip(target, shape, strict=True):
        if label in out:
            out.append(fresh)
            extra.append((Delta(n), (label, fresh)))
            fresh += 1
        else:
            out.append(label)
    return product(coef, [*factors, *extra], tuple(out), dict(zip(out, shape, strict=True)))


def _reverse_ein(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    rank = len(term.shape)
    for place, (f, s) in enumerate(term.factors):
        if f not in needed:
            continue
        rest = [(g, tuple(range(rank))), *term.factors[:place], *term.factors[place + 1 :]]
        covered = {k for _, t in rest for k in t}
        loose = [(One(term.dims[k]), (k,)) for k in dict.fromkeys(s) if k not in covered]
        _give(parts, f, onto(term.coef, [*rest, *loose], s, f.shape))


def _reverse_add(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    for c, t, s in term.terms:
        if t in needed:
            _give(parts, t, onto(c, [(g, tuple(range(term.rank)))], s, t.shape))


def _reverse_map(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    every = tuple(range(term.rank))
    for i, (a, s) in enumerate(term.args):
        if a not in needed:
            continue
        slope = partial(term, i)
        if is_zero(slope):
            continue
        whole = chained(slope, every, g, every, every, dict(enumerate(term.shape)), term)
        _give(parts, a, onto(1, [(whole, every)], s, a.shape))


def _reverse_call(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    for i, a in enumerate(term.args):
        if a in needed:
            _give(parts, a, pullback(term, i, g, values))


def _reverse_jac(term: Any, g: Expr, needed: Set[Expr], values: Values, parts: Any) -> None:
    raise _numbers_only(term)


_REVERSE: dict[str, Any] = {
    "ein": _reverse_ein, "add": _reverse_add, "map": _reverse_map, "call": _reverse_call, "jac": _reverse_jac,
}  # fmt: skip


def hessian(root: Expr, x: Var, values: Values) -> Expr:
    """The Hessian of a scalar term: the shape of ``x`` twice."""
    return derivative(simplify(gradient(root, x, values)), x, values)
