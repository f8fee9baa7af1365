"""Calls that programs take apart: additions at known places, cross products, solutions of triangular systems.

The idea to hold: what is added at places is the transpose of a read at them. As such it is a pattern, which a second
derivative goes through without being multiplied; and what is a sum of products needs no words of its own in any
library, nor a derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calculus import adjoint, matmul
from ..core import TABLE
from ..terms import Call, Data, Delta, Expr, add, ein, inverse, shaped
from ._terms import sizes


def _scatter_add(x: Expr, src: Expr, index: np.ndarray, dim: int) -> Expr:
    return _sum((1, x), (1, adjoint(TABLE["gather"], src, (index, dim), x.shape)))


def _index_add(x: Expr, src: Expr, index: np.ndarray, dim: int, alpha: Any) -> Expr:
    return _sum((1, x), (alpha, adjoint(TABLE["index_select"], src, (index, dim), x.shape)))


def _index_put(x: Expr, values: Expr, index: np.ndarray, dim: int, count: int, accumulate: bool) -> Expr | None:
    if not accumulate:
        return None
    read = TABLE["index"].forward(np.empty(sizes(x.shape)), index, dim, count).shape
    rest = len(read) - values.rank
    labels = [k + rest for k in range(values.rank) if values.shape[k] == read[k + rest]]
    if len(labels) < values.rank:  # an axis of one that is spread
        kept = [k for k in range(values.rank) if values.shape[k] == read[k + rest]]
        values = ein(1, [(values, tuple(range(values.rank)))], tuple(kept))
    spread = shaped(read, 1, [(values, tuple(labels))])
    return _sum((1, x), (1, adjoint(TABLE["index"], spread, (index, dim, count), x.shape)))


def _put(x: Expr, source: Expr, index: np.ndarray, accumulate: bool) -> Expr | None:
    if not accumulate or sizes(source.shape) != index.shape:
        return None
    return _sum((1, x), (1, adjoint(TABLE["take"], source, (index,), x.shape)))


def _scatter_sum(x: Expr, src: Expr, index: np.ndarray, dim: int, mean: bool, include_self: bool) -> Expr:
    every, shape = tuple(range(x.rank)), sizes(x.shape)
    sent = adjoint(TABLE["gather"], src, (index, dim), x.shape)
    if not include_self:
        kept = TABLE["scatter_value"].forward(np.ones(shape), index, dim, 0.0)
        x = ein(1, [(x, every), (Data(kept), every)], every)
    if not mean:
        return _sum((1, x), (1, sent))
    counts = Data(1.0 / TABLE["scatter_count"].forward(index, dim, shape, include_self))
    return ein(1, [(_sum((1, x), (1, sent)), every), (counts, every)], every)


_SIGNS = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    _SIGNS[_i, _j, _k], _SIGNS[_i, _k, _j] = 1.0, -1.0


def _cross(a: Expr, b: Expr, dim: int) -> Expr | None:
    """The sum over j and k of ε[i, j, k] a[j] b[k]."""
    if a.shape != b.shape:
        return None
    out, dim = tuple(range(a.rank)), dim % a.rank
    first, second = (tuple([n if k == dim else k for k in out]) for n in (a.rank, a.rank + 1))
    return ein(1, [(Data(_SIGNS), (dim, a.rank, a.rank + 1)), (a, first), (b, second)], out)


def _triangle(a: Expr, upper: bool, unit: bool = False) -> Expr:
    """The triangle of a matrix, with ones on the diagonal if ``unit``."""
    kept = np.tri(int(a.shape[0]), k=-1 if unit else 0)
    part = ein(1, [(a, (0, 1)), (Data(kept.T.copy() if upper else kept), (0, 1))], (0, 1))
    return _sum((1, part), (1, Delta(a.shape[0]))) if unit else part


def _solve_triangular(a: Expr, b: Expr, upper: bool, left: bool, unitriangular: bool) -> Expr | None:
    if a.rank != 2 or b.rank != 2:
        return None
    inverted = inverse(_triangle(a, upper, unitriangular))
    return matmul([inverted, b] if left else [b, inverted], b.shape)


def _cholesky_inverse(factor: Expr, upper: bool) -> Expr | None:
    if factor.rank != 2:
        return None
    inverted = inverse(_triangle(factor, upper))
    sides = ((0, 2), (1, 2)) if upper else ((2, 0), (2, 1))
    return ein(1, [(inverted, s) for s in sides], (0, 1))


def _cholesky_solve(b: Expr, factor: Expr, upper: bool) -> Expr | None:
    inverted = _cholesky_inverse(factor, upper)
    return None if inverted is None or b.rank != 2 else matmul([inverted, b], b.shape)


_AT_PLACES: dict[str, Any] = {
    "scatter_add": _scatter_add, "index_add": _index_add, "index_put": _index_put, "put": _put,
    "scatter_sum": _scatter_sum,
}  # fmt: skip
_OTHERS: dict[str, Any] = {
    "linalg_cross": _cross, "solve_triangular": _solve_triangular, "cholesky_solve": _cholesky_solve,
    "cholesky_inverse": _cholesky_inverse,
}  # fmt: skip


def taken_apart(term: Expr) -> Expr | None:
    """What a call is as a sum of products; None for a call that is none, and for any other term."""
    if not isinstance(term, Call) or not term.rank:
        return None
    found: Expr | None = None
    if term.op.name in _OTHERS:
        found = _OTHERS[term.op.name](*term.args, *term.params)
    elif term.op.name in _AT_PLACES and isinstance(term.args[2], Data) and term.args[2].value.dtype.kind in "iu":
        found = _AT_PLACES[term.op.name](*term.args[:2], term.args[2].value, *term.params)
    return found


def _sum(*parts: tuple[Any, Expr]) -> Expr:
    every = tuple(range(parts[0][1].rank))
    return add([(c, t, every) for c, t in parts], every, dict(enumerate(parts[0][1].shape)))
