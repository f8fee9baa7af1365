"""Where the entries of a product with patterns go: its rows and columns in the matrix, as whole numbers.

The idea to hold: an identity or a moving operation makes one index a function of others. What no pattern determines are
the free indices; on their grid the product is an ordinary array of values, and the matrix's row and column are known
arrays of whole numbers. They depend on the structure alone, and are worked out once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..terms import Ein, Expr, One, Var, ein
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
        _determine(lin, s, determined, absent, dims)
    free = sorted({same.get(k, k) for k in dims} - set(determined))
    arrays = [_gathered(builder, f, s, determined, dims) for f, s in arrays]
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


def _determine(lin: Any, s: Any, determined: Any, absent: Any, dims: dict[int, int]) -> None:
    """The operand's indices of a moving operation as functions of its result's."""
    places = sources(lin)
    if places is None:
        raise Unprogrammable(f"{operation(lin)} does more than move entries")
    out_side, in_side = s[: lin.out_rank], s[lin.out_rank :]
    if set(in_side) & set(out_side):
        raise Unprogrammable(f"entries that {operation(lin)} moves are moved to where they come from")
    out_shape, in_shape = sizes(lin.out_shape), sizes(lin.in_shape)
    whole = places.reshape(out_shape)
    over: tuple[int, ...] = tuple(dict.fromkeys(out_side))
    if len(over) < len(out_side):  # a diagonal of the result
        whole = np.einsum(subscripts([out_side], over), whole)
        out_side, out_shape = over, whole.shape
    if any(k in determined for k in out_side):
        over, found = _joined(out_side, determined, dims)
        flat = np.ravel_multi_index([np.maximum(v, 0) for v in found], out_shape)
        bad = np.logical_or.reduce([v < 0 for v in found])
        whole = np.where(bad, -1, whole.reshape(-1)[flat])
    if bool((whole < 0).any()):
        absent.append((over, whole < 0))
    parts = np.unravel_index(np.maximum(whole, 0), in_shape) if in_shape else ()
    for n, part in enumerate(parts, 1):
        determined[-n] = over, np.where(whole < 0, -1, part)
    for n, k in enumerate(in_side, 1):
        found = determined.pop(-n)
        if k in determined:
            _meet(determined[k], found, determined, absent, dims)
        else:
            determined[k] = found


def _meet(known: Any, found: Any, determined: Any, absent: Any, dims: dict[int, int]) -> None:
    """An index is two functions of free indices: there are entries only where both are equal."""
    over = tuple(dict.fromkeys((*known[0], *found[0])))
    if len(over) > max(len(known[0]), len(found[0])):
        if set(known[0]) & set(found[0]):
            raise Unprogrammable("entries are moved in two ways at once that have an index in common")
        _match(known, found, determined, absent, dims)
        return
    shape = tuple([dims[i] for i in over])
    mine, theirs = (np.broadcast_to(_spread(values, own, over, dims), shape) for own, values in (known, found))
    absent.append((over, mine != theirs))


def _match(one: Any, other: Any, determined: Any, absent: Any, dims: dict[int, int]) -> None:
    """Free indices of two functions become functions of one new index, which counts the places where both are equal."""
    (over, f), (beside, g) = one, other
    f, g = f.reshape(-1), g.reshape(-1)
    order = np.argsort(g, kind="stable")
    first, last = (np.searchsorted(g[order], f, side) for side in ("left", "right"))
    counts = np.where(f < 0, 0, last - first)
    ends = np.cumsum(counts)
    n = int(ends[-1]) if len(ends) else 0
    if n > _limits.GRID:
        raise Unprogrammable(f"the matrix would be added up from {n:,} entries")
    mine = np.repeat(np.arange(len(f)), counts)
    theirs = order[np.arange(n) - np.repeat(ends - counts - first, counts)]
    new = max(dims) + 1
    dims[new] = max(n, 1)
    if not n:  # no entry at all
        mine = theirs = np.zeros(1, np.intp)
        absent.append(((new,), np.ones(1, bool)))
    places: dict[int, np.ndarray] = {}
    for own, flat in ((over, mine), (beside, theirs)):
        places.update(zip(own, np.unravel_index(flat, [dims[i] for i in own]), strict=True))
    for k, (own, values) in determined.items():
        determined[k] = _reread(own, values, places, new)
    absent[:] = [_reread(own, bad, places, new) for own, bad in absent]
    determined.update({i: ((new,), p) for i, p in places.items()})


def _reread(
    own: Any, values: np.ndarray, places: dict[int, np.ndarray], new: int
) -> tuple[tuple[int, ...], np.ndarray]:
    """A function of free indices, some of which are functions of a new one."""
    if not any(i in places for i in own):
        return own, values
    kept = [i for i in own if i not in places]
    index = []
    for axis, i in enumerate(own):
        along = places.get(i, np.arange(values.shape[axis]))
        at = 0 if i in places else 1 + kept.index(i)
        index.append(along.reshape([-1 if k == at else 1 for k in range(1 + len(kept))]))
    return (new, *kept), values[tuple(index)]


def _gathered(builder: Any, f: Expr, s: tuple[int, ...], determined: Any, dims: dict[int, int]) -> Factor:
    """An array read at free indices only."""
    if not any(k in determined for k in s):
        return f, s
    if not isinstance(f, Var):
        raise Unprogrammable("a product that has no name is read where its entries were moved to")
    over, found = _joined(s, determined, dims)
    return builder.taken(f, tuple([np.maximum(v, 0) for v in found])), over


def _joined(indices: Any, determined: Any, dims: dict[int, int]) -> tuple[tuple[int, ...], list[np.ndarray[Any, Any]]]:
    """Indices as functions of free ones, all of the same: a free index is itself."""
    found = [determined.get(k) or ((k,), np.arange(dims[k])) for k in indices]
    over = tuple(dict.fromkeys(i for own, _ in found for i in own))
    shape = tuple([dims[i] for i in over])
    if entries(shape) > _limits.GRID:
        raise Unprogrammable(f"the matrix would be added up from {entries(shape):,} entries")
    return over, [np.broadcast_to(_spread(values, own, over, dims), shape) for own, values in found]


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
