"""Rewrites of exponentials: logsumexp, softmax, sigmoids of opposite arguments."""

from __future__ import annotations

from typing import Any

from ._add import add, shaped_sum
from ._ein import constant_of, ein, row, shaped
from ._map import map_
from ._node import Add, Call, Ein, Expr, Map, One


def log_sum_exp(term: Map) -> Expr | None:
    """log Σ exp(u) = logsumexp(u), over any of u's axes."""
    if term.op.name != "log" or len(term.args) != 1:
        return None
    total, s = term.args[0]
    found = _sum_of_exp(total)
    if found is None:
        return None
    u, over = found
    call = Call(row("logsumexp"), (u,), (over, False), total.shape)
    return ein(1, [(call, s)], tuple(range(term.rank)))


def _sum_of_exp(total: Expr) -> tuple[Expr, tuple[int, ...]] | None:
    """The u and the axes of ``Σ exp(u)``, the axes that stay being in order."""
    if not isinstance(total, Ein) or total.coef != 1 or len(total.factors) != 1:
        return None
    f, labels = total.factors[0]
    if not (isinstance(f, Map) and f.op.name == "exp") or len(set(labels)) < len(labels):
        return None
    over = tuple([i for i, k in enumerate(labels) if k >= total.rank])
    if not over or [k for k in labels if k < total.rank] != list(range(total.rank)):
        return None
    u, t = f.args[0]
    return (u, over) if t == tuple(range(f.rank)) else None


def exp_over_sum(term: Ein) -> Expr | None:
    """exp(u)/Σ exp(u) = softmax(u)."""
    for place, (f, s) in enumerate(term.factors):
        if not (isinstance(f, Map) and f.op.name == "pow_scalar" and f.params[0] == -1):
            continue
        found = _sum_of_exp(f.args[0][0])
        if found is None or len(found[1]) != 1:
            continue
        u, (axis,) = found
        for other, (g, t) in enumerate(term.factors):
            same = isinstance(g, Map) and g.op.name == "exp" and g.args[0][0] is u
            if same and tuple([k for i, k in enumerate(t) if i != axis]) == s:
                p = Call(row("softmax"), (u,), ((axis,),), u.shape)
                rest = [x for i, x in enumerate(term.factors) if i not in (place, other)]
                return shaped(term.shape, term.coef, [*rest, (p, t)])
    return None


def exp_times_exp(term: Ein) -> Expr | None:
    """exp(u) exp(v) = exp(u + v), where terms of u and v meet: exp(a) exp(−2a) = exp(−a)."""
    found = [(i, f, s) for i, (f, s) in enumerate(term.factors) if isinstance(f, Map) and f.op.name == "exp"]
    for i, f, s in found:
        for j, g, t in found:
            if i == j or not set(t) <= set(s) or len(set(s)) < len(s) or len(set(t)) < len(t):
                continue
            every = tuple(range(f.rank))
            u, (v, labels) = f.args[0], g.args[0]
            total = shaped_sum(f.shape, [(1, *u), (1, v, tuple([s.index(t[k]) for k in labels]))])
            if _count(total) < _count(u[0]) + _count(v):
                rest = [x for k, x in enumerate(term.factors) if k not in (i, j)]
                joined = map_(f.op, [(total, every)], (), every)
                return shaped(term.shape, term.coef, [*rest, (joined, s)])
    return None


def _count(u: Expr) -> int:
    """The number of terms of a sum."""
    if isinstance(u, Ein) and len(u.factors) == 1 and isinstance(u.factors[0][0], Add):  # a number times a sum
        return len(u.factors[0][0].terms)
    return len(u.terms) if isinstance(u, Add) else 0 if constant_of(u) == 0 else 1


def exp_of_log_softmax(term: Map) -> Expr | None:
    """exp(u − logsumexp(u)) = softmax(u)."""
    if term.op.name != "exp":
        return None
    inner, s = term.args[0]
    total: Any
    if isinstance(inner, Ein) and inner.coef == -1 and len(inner.factors) == 1 and isinstance(inner.factors[0][0], Add):
        sign, (total, t) = -1, inner.factors[0]
        if t != tuple(range(inner.rank)):
            return None
    elif isinstance(inner, Add):
        sign, total = 1, inner
    else:
        return None
    if len(total.terms) != 2:
        return None
    for (c, u, i), (d, lse, j) in (total.terms, total.terms[::-1]):
        if not (isinstance(lse, Call) and lse.op.name == "logsumexp" and lse.args[0] is u and (c, d) == (sign, -sign)):
            continue
        over = lse.params[0]
        rest = tuple([k for place, k in enumerate(i) if place not in over])
        if len(over) == 1 and rest == j and not lse.params[1]:
            p = Call(row("softmax"), (u,), (tuple(over),), u.shape)
            return ein(1, [(p, tuple([s[k] for k in i]))], tuple(range(term.rank)))
    return None


def sum_of_softmax(term: Ein) -> Expr | None:
    """The entries of a softmax sum to one."""
    for place, (f, s) in enumerate(term.factors):
        if isinstance(f, Call) and f.op.name == "softmax" and f.rank:
            dim = f.params[0]
            k = s[(dim[0] if isinstance(dim, tuple) else dim) % f.rank]
            if k >= term.rank and uses(term, k) == 1:
                rest = [x for i, x in enumerate(term.factors) if i != place]
                ones = [(One(n), (i,)) for i, n in zip(s, f.shape, strict=True) if i != k]
                return shaped(term.shape, term.coef, [*rest, *ones])
    return None


def uses(term: Ein, label: int) -> int:
    """How often a label occurs among the factors."""
    return sum([k == label for _, s in term.factors for k in s])


def _is_negative(u: Expr) -> bool:
    return isinstance(u, Ein) and not isinstance(u.coef, complex) and u.coef < 0


def _opposite(f: Map) -> Map:
    """σ(−u) of σ(u)."""
    u, s = f.args[0]
    every = tuple(range(u.rank))
    return map_(f.op, [(ein(-1, [(u, every)], every), s)], (), tuple(range(f.rank)))  # type: ignore[return-value]


def sigmoid_pair(term: Ein) -> Expr | None:
    """σ(−u)(1 − σ(−u)) = σ(u)(1 − σ(u)), in which u has no sign."""
    for i, (f, s) in enumerate(term.factors):
        if not (isinstance(f, Map) and f.op.name == "sigmoid" and _is_negative(f.args[0][0])):
            continue
        for j, (g, t) in enumerate(term.factors):
            if isinstance(g, Add) and t == s and _is_one_minus(g, f):
                new = _opposite(f)
                every = tuple(range(g.rank))
                less = add([(1, shaped(g.shape, 1, []), every), (-1, new, every)], every)
                rest = [x for k, x in enumerate(term.factors) if k not in (i, j)]
                return shaped(term.shape, term.coef, [*rest, (new, s), (less, s)])
    return None


def _is_one_minus(g: Add, f: Expr) -> bool:
    if len(g.terms) != 2:
        return False
    return {(c, id(t)) if t.rank or t is f else (c, 1) for c, t, _ in g.terms} == {(-1, id(f)), (1, 1)} and any(
        constant_of(t) == 1 for _, t, _ in g.terms
    )


def opposite_sigmoids(term: Add) -> Expr | None:
    """σ(−u) = 1 − σ(u), where σ(u) is there too and the sum gets shorter."""
    rows = [(t, s, _in_sum(t, s)) for _, t, s in term.terms]
    found = {(f, at) for *_, factors in rows for f, at in factors if isinstance(f, Map) and f.op.name == "sigmoid"}
    for f, at in sorted(found, key=lambda x: (x[0].digest, x[1])):
        if _is_negative(f.args[0][0]):
            positive = _opposite(f)
            if (positive, at) in found:
                result = _one_sigmoid(term, rows, f, positive, at)
                if result.weight < term.weight:
                    return result
    return None


def _in_sum(t: Expr, s: Any) -> list[Any]:
    """The factors of an element-wise term at the sum's labels."""
    if isinstance(t, Ein):
        if len(t.dims) > t.rank:
            return []
        return [(f, tuple([s[k] for k in labels])) for f, labels in t.factors]
    return [(t, s)]


def _one_sigmoid(term: Add, rows: Any, f: Expr, positive: Expr, at: Any) -> Expr:
    """The sum with ``1 − positive`` for ``f``, what multiplies ``positive`` collected."""
    whole, dims = tuple(range(term.rank)), dict(enumerate(term.shape))
    terms: list[Any] = []
    slopes: list[Any] = []
    for (c, t, s), (*_, factors) in zip(term.terms, rows, strict=True):
        which = next((x for x in factors if x in ((f, at), (positive, at))), None)
        if which is None:
            terms.append((c, t, s))
            continue
        rest = list(factors)
        rest.remove(which)
        left = ein(t.coef if isinstance(t, Ein) else 1, rest, whole, dims)
        slopes.append((c if which[0] is positive else -c, left, whole))
        if which[0] is f:
            terms.append((c, left, whole))
    slope = add(slopes, whole, dims)
    return add([*terms, (1, ein(1, [(slope, whole), (positive, at)], whole, dims), whole)], whole, dims)
