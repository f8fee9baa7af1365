"""Jacobians that only programs want: in a formula they would be no answer.

The idea to hold: a decomposition has a differential that is made of products, so a program can go through it in both
directions. Source: Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, equation 8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _limits
from ..calculus import apply, jacobian, pullback
from ..core import TABLE
from ..terms import Call, Data, Delta, Expr, add, ein, inverse, map_, number, zeros
from ._selections import pulled_back, selection
from ._survey import Unprogrammable


def _cholesky(term: Call) -> list[Expr] | None:
    """dL = L Φ(L⁻¹ dA L⁻ᵀ), where Φ takes the lower triangle and half the diagonal; dA is read as symmetric."""
    if term.rank != 2 or any(term.params):
        return None
    n = int(term.shape[0])
    half = Data(np.tril(np.ones((n, n))) - 0.5 * np.eye(n))
    inner = inverse(term)
    return [
        ein(0.5, [(term, (0, 4)), (half, (4, 1)), (inner, (4, k)), (inner, (1, m))], (0, 1, 2, 3))
        for k, m in ((2, 3), (3, 2))
    ]


def _length(x: Expr, dim: int) -> int:
    """How long an axis is, of which a square of constants is formed."""
    n = int(x.shape[dim])
    if n * n > _limits.CONSTANT_FORMED:
        raise Unprogrammable(f"a constant array of {n:,} × {n:,} would be formed")
    return n


def _without_each(x: Expr, dim: int) -> Expr:
    """Copies of an array along a new last axis: in the k-th the entries k along ``dim`` are one."""
    n, rank = _length(x, dim), x.rank
    one = Data(np.eye(n, dtype=bool)), (dim, rank)
    every = tuple(range(rank + 1))
    return map_(TABLE["where"], [one, (number(1), ()), (x, every[:-1])], (), every)


def _line_by_line(rate: Expr, labels: tuple[int, ...], x: Expr, dim: int, axes: dict[int, int], n: int) -> list[Expr]:
    """The Jacobian of what works along ``dim``: ``rate`` has the labels of the result, ``n`` axes, and last that of
    ``dim``; ``axes`` says which of the result's axes is which other of the operand's."""
    deltas = [(Delta(x.shape[d]), (k, n + d)) for d, k in axes.items()]
    return [ein(1, [(rate, labels), *deltas], tuple(range(n + x.rank)))]


def _cumprod(term: Call) -> list[Expr] | None:
    """The product of all up to here but one: no quotient, so zeros are no special case."""
    (x,), dim, n = term.args, term.params[0], term.rank
    if not n:
        return None
    each = Call(term.op, (_without_each(x, dim),), (dim,), (*x.shape, x.shape[dim]))
    every = tuple(range(n + 1))
    rate = ein(1, [(each, every), (Data(np.tri(_length(x, dim))), (dim, n))], every)
    return _line_by_line(rate, (*range(n), n + dim), x, dim, {d: d for d in range(n) if d != dim}, n)


def _prod_dim(term: Call) -> list[Expr] | None:
    """The product of all the others."""
    (x,), (dims, keepdim) = term.args, term.params
    if len(dims) != 1 or keepdim or not x.rank:
        return None
    dim, n = dims[0], term.rank
    rate = Call(term.op, (_without_each(x, dim),), (dims, False), (*term.shape, x.shape[dim]))
    others = [d for d in range(x.rank) if d != dim]
    return _line_by_line(rate, (*range(n), n + dim), x, dim, dict(zip(others, range(n), strict=True)), n)


def _logcumsumexp(term: Call) -> list[Expr] | None:
    """exp(x[k] − y[i]) for k up to i."""
    (x,), dim, n = term.args, term.params[0], term.rank
    if not n:
        return None
    every = tuple(range(n + 1))
    before = np.tri(_length(x, dim))
    apart = add([(1, x, tuple([n if d == dim else d for d in range(n)])), (-1, term, every[:-1])], every)
    apart = map_(TABLE["where"], [(Data(before > 0), (dim, n)), (apart, every), (number(0), ())], (), every)
    rate = ein(1, [(map_(TABLE["exp"], [(apart, every)], (), every), every), (Data(before), (dim, n))], every)
    return _line_by_line(rate, (*range(n), n + dim), x, dim, {d: d for d in range(n) if d != dim}, n)


def _sinc(term: Call) -> list[Expr]:
    """(cos(πx) − sinc(x))/x, and near 0, where that has no digits, its power series."""
    x, shape, every = term.args[0], term.shape, tuple(range(term.rank))
    small = apply("lt", shape, apply("abs", shape, x), number(0.3))
    near, far = apply("where", shape, small, x, number(0)), apply("where", shape, small, number(1), x)
    square = ein(1, [(near, every), (near, every)], every)
    series = ein(0, [(square, every)], every)
    for k in range(11, 0, -1):
        one = (-1) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1)
        series = add([(1, ein(1, [(series, every), (square, every)], every), every), (1, number(one), ())], every)
    turned = apply("cos", shape, ein(math.pi, [(far, every)], every))
    above = add([(1, turned, every), (-1, apply("sinc", shape, far), every)], every)
    quotient = ein(1, [(above, every), (apply("reciprocal", shape, far), every)], every)
    slope = apply("where", shape, small, ein(1, [(series, every), (near, every)], every), quotient)
    n = term.rank
    deltas = [(Delta(d), (k, n + k)) for k, d in enumerate(shape)]
    return [ein(1, [(slope, every), *deltas], tuple(range(2 * n)))]


DIFFERENTIALS: dict[str, Any] = {
    "linalg_cholesky": _cholesky, "cumprod": _cumprod, "prod_dim": _prod_dim, "logcumsumexp": _logcumsumexp,
    "sinc": _sinc,
}  # fmt: skip
"""The Jacobian of a row in its operand."""


def slopes(term: Call, i: int, values: Any) -> list[Expr]:
    """The Jacobian of a call in its operand ``i``: terms that are better not added up."""
    if i in term.op.places or term.op.kind == "constant":
        return []
    rule = DIFFERENTIALS.get(term.op.name)
    found: list[Expr] | None = rule(term) if rule is not None else None
    if found is not None:
        return found
    read = selection(term, i)
    return [jacobian(term, i, values) if read is None else read]


def pulled(term: Call, i: int, g: Expr, values: Any) -> Expr:
    """The gradient of operand ``i`` of a call under the incoming gradient ``g``."""
    if i in term.op.places or term.op.kind == "constant":
        return zeros(term.args[i].shape)
    rule = DIFFERENTIALS.get(term.op.name)
    found = rule(term) if rule is not None else None
    if found is None:
        read = pulled_back(term, i, g)
        return pullback(term, i, g, values) if read is None else read
    n, rank = term.rank, term.args[i].rank
    inside, every = tuple(range(n, n + rank)), tuple(range(rank))
    parts = [ein(1, [(j, (*range(n), *inside)), (g, tuple(range(n)))], inside) for j in found]
    return add([(1, part, every) for part in parts], every)


__all__ = ["pulled", "slopes"]
