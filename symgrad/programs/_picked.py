"""One entry of each row, as a product with zeros and ones: what a likelihood of classes reads.

The idea to hold: `p[arange(n), y]` reads along a row only. As a product with a mask and a sum along the rows it stays
a product of rows, and its derivatives do too; as an operation on the whole array it has a Jacobian that links
everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calculus import lift, run_forward
from ..core import TABLE, plain
from ..show._parameters import index_of
from ..terms import Data, Ein, Expr, Lin, add, ein
from ._read_at import read_at
from ._terms import components, entries, sizes

PICKS = frozenset(["gather", "index"])
"""Rows that read the entries that arrays of numbers name."""


def simpler(term: Expr, dtype: Any) -> Expr:
    """A term in which picks along rows are products with masks, reads of pairs are pushed down to what they read of,
    and differences are those of slices."""
    if not isinstance(term, Ein):
        return term
    for place, (lin, labels) in enumerate(term.factors):
        if not isinstance(lin, Lin) or not (lin.op.name == "diff" or _reads_by_numbers(lin)):
            continue
        out, inside = labels[: lin.out_rank], labels[lin.out_rank :]
        rest = [f for k, f in enumerate(term.factors) if k != place]
        mine = [f for part in components(rest) if any(set(s) & set(inside) for _, s in part) for f in part]
        if any(k < term.rank for k in inside) or any(k < term.rank or k in out for _, s in mine for k in s):
            continue  # it is read the other way, or reads another array for each of its entries
        if len(set(inside)) < len(inside):
            continue  # it reads a diagonal matrix, of which only the diagonal is there
        x = simpler(ein(1, mine, inside, {k: term.dims[k] for k in inside}), dtype)
        if lin.op.name == "diff":
            found: Expr | None = difference(x, int(lin.params[0]))
        else:
            found = _read(lin, x, dtype)
        if found is not None:
            kept = [f for f in rest if f not in mine]
            made = ein(term.coef, [*kept, (found, out)], tuple(range(term.rank)), dict(enumerate(term.shape)))
            return simpler(made, dtype)
    return term


def _reads_by_numbers(lin: Lin) -> bool:
    """Whether a linear operation reads the entries that arrays of numbers name."""
    if lin.op.name == "getitem":
        return any(isinstance(i, np.ndarray) for i in index_of(lin.op, plain(lin.params)) or ())
    return lin.op.name in PICKS


def _read(lin: Lin, x: Expr, dtype: Any) -> Expr | None:
    """What a read by numbers is without reading a whole array; None where it is best left as it is."""
    inside, shape = sizes(x.shape), sizes(lin.out_shape)
    if x.kind == "var" or not entries(inside) or not entries(shape):
        return None
    places = run_forward(lin.op, [np.arange(float(entries(inside))).reshape(inside)], lin.params)
    along = np.unravel_index(np.asarray(places).astype(np.int64), inside)
    found = picked(x, dtype, along, shape) if lin.op.name in PICKS else None
    return read_at(x, along, shape) if found is None else found


def picked(x: Expr, dtype: Any, along: Any, shape: tuple[int, ...]) -> Expr | None:
    """The product with a mask that a read is; None where it does not read along rows."""
    inside = sizes(x.shape)
    aligned = _aligned(along, inside, shape)
    rest = [k for k in range(len(inside)) if k not in aligned]
    if not aligned or not rest or entries(n for k, n in enumerate(shape) if k not in aligned.values()) > 1:
        return None
    mask = np.zeros(inside, dtype)
    mask[along] = 1.0
    constant = [k for k in aligned if (mask == mask.take([0], k)).all()]
    mask = mask[tuple([0 if k in constant else slice(None) for k in range(len(inside))])]
    free = iter(range(len(shape), len(shape) + len(rest)))
    labels = tuple([aligned[k] if k in aligned else next(free) for k in range(len(inside))])
    kept = tuple([label for k, label in enumerate(labels) if k not in constant])
    out = tuple(range(len(shape)))
    return ein(1, [(x, labels), (Data(mask), kept)], out, dict(enumerate(shape)))


def _aligned(along: Any, inside: tuple[int, ...], shape: tuple[int, ...]) -> dict[int, int]:
    """The axes of an array that the result's axes run along, place by place."""
    pairs: dict[int, int] = {}
    for k, n in enumerate(shape):
        steps = np.arange(n).reshape([-1 if j == k else 1 for j in range(len(shape))])
        for axis, m in enumerate(inside):
            if n == m > 1 and axis not in pairs and bool((along[axis] == steps).all()):
                pairs[axis] = k
                break
    return pairs


def difference(x: Expr, dim: int) -> Expr:
    """Neighbours' differences as one slice less another: slices only move entries."""
    axis = dim % x.rank
    every = tuple(range(x.rank))
    shape = tuple([n - (k == axis) for k, n in enumerate(x.shape)])
    parts = []
    for c, part in ((1, slice(1, None)), (-1, slice(None, -1))):
        index = tuple([part if k == axis else slice(None) for k in every])
        parts.append((c, lift(TABLE["getitem"], [x], (index,), shape), every))
    return add(parts, every)
