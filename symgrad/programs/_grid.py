"""Where the entries of a product with patterns go: its rows and columns in the matrix, as whole numbers.

The idea to hold: an identity or a moving operation makes one index a function of others. What no pattern determines are
the free indices; on their grid the product is an ordinary array of values, and the matrix's row and column are known
arrays of whole numbers. They depend on the structure alone, and are worked out once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..expr._ein import ein
from ..expr._node import Ein, Expr, One, Var
from ._linear import operation, sources
from ._source_text import subscripts
from ._survey import Unprogrammable
from ._terms import Factor, entries, identified, sizes


class Grid(NamedTuple):
    """A product as values on a grid: ``values`` is an atom with the grid's axes; row and column per entry, -1 where
    there is none."""

    values: Expr
    coef: Any
    rows: np.ndarray
    columns: np.ndarray


def on_grid(builder: Any, term: Ein, q: int) -> Grid:
    """The product as values on a grid, with rows from its first ``q`` axes and columns from the others."""
    dims = {k: int(n) for k, n in enumerate(term.dims)}
    rank = term.rank
    lins = [(f, s) for f, s in term.factors if f.kind == "lin"]
    same = identified(term.factors, range(len(term.dims)))
    arrays = [(f, tuple([same[k] for k in s])) for f, s in term.factors if f.kind not in ("lin", "delta", "one")]
    relations = [(f, tuple([same[k] for k in s])) for f, s in lins]
    determined: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}
    absent: list[tuple[tuple[int, ...], np.ndarray]] = []  # where an operation puts zeros
    for lin, s in _ordered(relations):
        _determine(lin, s, determined, absent)
    free = sorted({same[k] for k in range(len(dims))} - set(determined))
    arrays = [_gathered(builder, f, s, determined) for f, s in arrays]
    rows_from, columns_from = [same[k] for k in range(q)], [same[k] for k in range(q, rank)]
    needed = set()
    for k in (*rows_from, *columns_from):
        needed |= set(determined[k][0]) if k in determined else {k}
    for over, _ in absent:
        needed |= set(over)
    grid = tuple([k for k in free if k in needed])
    shape = tuple([dims[k] for k in grid])
    if entries(shape) > _limits.GRID:
        raise Unprogrammable(f"the matrix would be added up from {entries(shape):,} entries")
    held = {k for _, s in arrays for k in s} | set(grid)
    loose = [(One(dims[k]), (k,)) for k in free if k not in held]  # summed over: it counts
    value = builder.atom(ein(1, [*arrays, *loose], grid, {k: dims[k] for k in grid}))
    rows = _flat(rows_from, determined, grid, dims, term.shape[:q])
    columns = _flat(columns_from, determined, grid, dims, term.shape[q:])
    for over, bad in absent:
        gone = _spread(bad, over, grid, dims)
        rows, columns = np.where(gone, -1, rows), np.where(gone, -1, columns)
    shape_of_grid = shape or (1,)
    return Grid(value, term.coef, np.broadcast_to(rows, shape_of_grid), np.broadcast_to(columns, shape_of_grid))


def _ordered(relations: list[Any]) -> list[Any]:
    """Relations in an order in which what determines an index comes before what it determines in turn."""
    rest, done = list(relations), []
    while rest:
        made = [set(s[f.out_rank :]) for f, s in rest]
        for i, (f, s) in enumerate(rest):
            if not any(set(s[: f.out_rank]) & m for j, m in enumerate(made) if j != i):
                done.append(rest.pop(i))
                break
        else:
            labels = " and ".join(dict.fromkeys([operation(f) for f, _ in rest]))
            raise Unprogrammable(f"where {labels} put entries depends on one another")
    return done


def _determine(lin: Any, s: Any, determined: Any, absent: Any) -> None:
    """The operand's indices of a moving operation as functions of its result's."""
    places = sources(lin)
    if places is None:
        raise Unprogrammable(f"{operation(lin)} does more than move entries")
    out_side, in_side = s[: lin.out_rank], s[lin.out_rank :]
    if any(k in determined for k in in_side) or len(set(in_side)) < len(in_side) or set(in_side) & set(out_side):
        raise Unprogrammable(f"entries that {operation(lin)} moves are moved in a second way at once")
    out_shape, in_shape = sizes(lin.out_shape), sizes(lin.in_shape)
    whole = places.reshape(out_shape)
    over: tuple[int, ...] = tuple(dict.fromkeys(out_side))
    if len(over) < len(out_side):  # a diagonal of the result
        whole = np.einsum(subscripts([out_side], over), whole)
        out_side, out_shape = over, whole.shape
    if any(k in determined for k in out_side):
        if not all(k in determined for k in out_side):
            raise Unprogrammable(f"{operation(lin)} moves entries some of whose axes were moved before")
        over = determined[out_side[0]][0]
        if any(determined[k][0] != over for k in out_side):
            raise Unprogrammable(f"{operation(lin)} moves entries whose axes were moved in different ways before")
        flat = np.ravel_multi_index([np.maximum(determined[k][1], 0) for k in out_side], out_shape)
        bad = np.logical_or.reduce([determined[k][1] < 0 for k in out_side])
        whole = np.where(bad, -1, whole.reshape(-1)[flat])
    if len(set(over)) < len(over):
        raise Unprogrammable(f"{operation(lin)} moves entries of a diagonal that were moved before")
    if bool((whole < 0).any()):
        absent.append((over, whole < 0))
    parts = np.unravel_index(np.maximum(whole, 0), in_shape) if in_shape else ()
    for k, part in zip(in_side, parts, strict=True):
        determined[k] = over, np.where(whole < 0, -1, part)


def _gathered(builder: Any, f: Expr, s: tuple[int, ...], determined: Any) -> Factor:
    """An array read at free indices only."""
    fixed = [k for k in dict.fromkeys(s) if k in determined]
    if not fixed:
        return f, s
    if len(fixed) != len(set(s)) or len({determined[k][0] for k in fixed}) != 1 or not isinstance(f, Var):
        raise Unprogrammable("an array is multiplied with entries that were moved along some of its axes only")
    index = tuple([np.maximum(determined[k][1], 0) for k in s])
    return builder.taken(f, index), determined[fixed[0]][0]


def _spread(values: np.ndarray, over: Any, grid: Any, dims: Any) -> np.ndarray:
    order = sorted(range(len(over)), key=lambda i: grid.index(over[i]))
    values = np.transpose(values, order)
    places = [over[i] for i in order]
    return values.reshape([dims[k] if k in places else 1 for k in grid])


def _flat(indices: Any, determined: Any, grid: Any, dims: Any, shape: Any) -> np.ndarray:
    """Rows or columns in flat order, over the grid."""
    total = np.zeros((1,) * len(grid), np.int64)
    for k, n in zip(indices, shape, strict=True):
        if k in determined:
            over, values = determined[k]
            part = _spread(values, over, grid, dims)
        else:
            part = _spread(np.arange(dims[k]), (k,), grid, dims)
        total = total * int(n) + part
    return np.asarray(total)
