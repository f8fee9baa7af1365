"""The diagonal and the trace of a matrix of second derivatives, without the matrix.

The idea to hold: an entry of the diagonal is the matrix's sum of products with both sets of indices the same. What the
products are made of is opened where it is read at an index twice, so that nothing is computed off the diagonal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from ..core import TABLE
from ..terms import Ein, Expr, Lin, One, Var, add, constant_of, ein, number, zeros
from ._builder import Builder
from ._grid import on_grid
from ._survey import Unprogrammable
from ._terms import as_product, entries


def diagonal(builder: Builder, terms: list[Ein], shape: tuple[int, ...], trace: bool) -> Expr:
    """The diagonal of a sum of products whose axes are those of ``shape`` twice; its sum, for the trace."""
    q = len(shape)
    kept = () if trace else tuple(range(q))
    dims = dict(enumerate(shape))
    parts = []
    for t in terms:
        if any(f.kind == "lin" for f, _ in t.factors):
            found = _at_places(builder, t, shape, trace)
            if found is not None:
                parts += [(1, part, kept) for part in found]
                continue
        same = {k + q: k for k in range(q)}
        factors = [(f, tuple([same.get(k, k) for k in s])) for f, s in t.factors]
        covered = {k for _, s in factors for k in s}
        factors += [(One(shape[k]), (k,)) for k in range(q) if k not in covered]
        for coef, opened in _opened(builder, t.coef, factors, _limits.OPENED):
            sizes = {k: dims[k] for k in kept}
            parts.append((1, builder.atom(ein(coef, opened, kept, sizes)), kept))
    result_shape = () if trace else shape
    every = tuple(range(len(result_shape)))
    if not parts:
        return zeros(result_shape)
    return builder.atom(add(parts, every, dict(enumerate(result_shape))))


def _at_places(builder: Builder, term: Ein, shape: tuple[int, ...], trace: bool) -> list[Expr] | None:
    """The diagonal of a product with slices, from those of its entries that lie there; None if they are not known."""
    try:
        entry = on_grid(builder, term, len(shape))
    except Unprogrammable:
        return None
    on = (entry.rows == entry.columns) & (entry.rows >= 0)
    if not on.any():
        return []
    rows = entry.rows[on]
    value = builder.whole(entry.values)
    same = constant_of(entry.values)
    if same is not None:
        count = np.bincount(rows, minlength=entries(shape)) * float(same * entry.coef)
        return [number(float(count.sum())) if trace else builder.constant(count.reshape(shape))]
    if not isinstance(value, Var) or not value.rank:
        return None
    taken = builder.taken(value, np.nonzero(on))
    if trace:
        return [builder.atom(ein(entry.coef, [(taken, (0,))], ()))]
    index = tuple(np.unravel_index(rows, shape))
    place = Lin(TABLE["getitem"], (index,), (len(rows),), shape)
    out = tuple(range(1, 1 + len(shape)))
    return [builder.atom(ein(entry.coef, [(place, (0, *out)), (taken, (0,))], out))]


def _opened(builder: Builder, coef: Any, factors: list[Any], depth: int) -> list[tuple[Any, list[Any]]]:
    """A product with the definitions of what it reads at an index twice in the place of their names."""
    for place, (f, s) in enumerate(factors):
        if not (isinstance(f, Var) and len(set(s)) < len(s) and f.name in builder.terms and depth):
            continue
        rest = [*factors[:place], *factors[place + 1 :]]
        term = builder.terms[f.name]
        if isinstance(term, Ein):
            return _opened(builder, *_in_place(coef, rest, term, s), depth - 1)
        if term.kind == "add":
            found = []
            for c, t, i in term.terms:  # type: ignore[attr-defined]
                inner = as_product(ein(c, [(t, i)], tuple(range(term.rank)), dict(enumerate(term.shape))))
                found += _opened(builder, *_in_place(coef, rest, inner, s), depth - 1)
            return found
    return [(coef, factors)]


def _in_place(coef: Any, rest: list[Any], term: Ein, labels: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """A product with the factors of a definition that is read at ``labels``."""
    fresh = max([k for _, s in rest for k in s] + list(labels), default=-1) + 1
    names = {**dict(enumerate(labels)), **{k: fresh + k for k in range(term.rank, len(term.dims))}}
    inner = [(f, tuple([names[k] for k in s])) for f, s in term.factors]
    return coef * term.coef, [*rest, *inner]
