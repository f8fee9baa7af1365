"""Indices of a batch: places of an example are the same places behind the batch.

The idea to hold: an index that is the same for all examples stays as it is, one axis behind (the rows say so). One that
is each example's own counts the examples too: it picks of the batch's axis and of its own together.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._batch_rules import (
    BATCH,
    Batched,
    Unbatchable,
    as_tensor,
    example_shape,
    flat,
    fronted,
    rank_of,
    row,
    rule,
    spread,
)


def _fronted(t: Any, axes: range, back: bool = False) -> Any:
    """The batch and some axes in front of the others; ``back`` undoes it."""
    order = (0, *axes, *[d for d in range(1, t._data.ndim) if d not in axes])
    if order == tuple(range(t._data.ndim)):
        return t
    return row("permute", t, tuple(np.argsort(order).tolist()) if back else order)


def _counted(run: Any, places: Any, count: int) -> Any:
    """Places of each example as places of the batch's axis and ``count`` more: one more row of them in front."""
    if type(run.size) is not int:
        raise Unbatchable(f"{run.name} picks by an array, and the batch's size {run.size} is no number")
    t = places.tensor
    rows = [t] if count == 1 else row("unbind", t, 1)
    shape = rows[0]._data.shape
    examples = np.broadcast_to(np.arange(run.size).reshape(-1, *(1,) * (len(shape) - 1)), shape)
    return row("stack", [as_tensor(examples), *rows], 0)


def _own(places: Any) -> bool:
    return type(places) is Batched and places.tensor._data.dtype != bool


@rule("index")
def _taken(run: Any, args: list[Any], params: Any) -> Any:
    (x, places), (dim, count) = args, params
    if not _own(places):
        return NotImplemented
    if type(x) is not Batched:
        found = row("index", as_tensor(x), _together(places, count), dim, count)
        return row("permute", found, (dim, *[d for d in range(found._data.ndim) if d != dim])) if dim else found
    front = _fronted(x.tensor, range(1 + dim, 1 + dim + count))
    found = row("index", front, _counted(run, places, count), 0, count + 1)
    return _fronted(found, range(1 + dim, 1 + dim + places.rank - (count > 1)), True) if dim else found


def _together(places: Any, count: int) -> Any:
    """Each example's places as places of one array."""
    t = places.tensor
    return t if count == 1 else row("permute", t, (1, 0, *range(2, t._data.ndim)))


@rule("index_accumulate")
def _accumulated(run: Any, args: list[Any], params: Any) -> Any:
    (g, places), (dim, count, size) = args, params
    if not _own(places):
        return NotImplemented
    rank = places.rank - (count > 1)
    front = _fronted(spread(g, run.size), range(1 + dim, 1 + dim + rank))
    picked, others = size[dim : dim + count], (*size[:dim], *size[dim + count :])
    found = row("index_accumulate", front, _counted(run, places, count), 0, count + 1, (run.size, *picked, *others))
    return _fronted(found, range(1 + dim, 1 + dim + count), True)


@rule("index_select")
def _selected(run: Any, args: list[Any], params: Any) -> Any:
    (x, places), (dim,) = args, params
    if not _own(places):
        return NotImplemented
    shape = example_shape(x)
    return _taken(run, [x, Batched(row("within", places.tensor, shape[dim]))], (dim, 1))


@rule("masked_select")
def _masked(run: Any, args: list[Any], params: Any) -> Any:
    x, mask = args
    if type(mask) is Batched:
        raise Unbatchable("a mask picks as many elements as each example has")
    return row("index", x.tensor, as_tensor(mask), 1, x.rank)


@rule("take")
def _taken_flat(run: Any, args: list[Any], params: Any) -> Any:
    x, places = args
    lines = Batched(flat(x, run.size)) if type(x) is Batched else row("view", as_tensor(x), (-1,))
    if type(places) is Batched:
        return _taken(run, [lines, places], (0, 1))
    count = math.prod(x.shape)
    return row("index", lines.tensor, as_tensor(places) % count if count else as_tensor(places), 1, 1)


@rule("index_put")
def _put(run: Any, args: list[Any], params: Any) -> Any:
    (x, values, places), (dim, count, accumulate) = args, params
    if type(places) is Batched:
        return NotImplemented
    t = as_tensor(places)
    rank = 1 if t._data.dtype == bool else t._data.ndim - (count > 1)
    rank = rank_of(x) - count + rank
    return row("index_put", spread(x, run.size), fronted(values, rank), t, dim + 1, count, accumulate)


__all__ = ["BATCH"]
