"""Indices of a batch: places of an example are the same places behind the batch.

The idea to hold: arrays of indices among a row's parameters are the same for all examples (what depends on an example
is an operand), except two kinds, of which notes were taken (core/_notes.py): those of sorting and picking, which were
found from the example's values, are found anew; those that are the example's own whole numbers count the examples too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import TABLE, Symbol, places, run_symbolic
from ..ops.index._scatter import along
from ._batch_rules import (
    BATCH,
    FULL,
    Batched,
    Unbatchable,
    as_tensor,
    flat,
    fronted,
    rank_of,
    row,
    rule,
    shifted,
    spread,
)

# -------------------------------------------------------------------------------------------- basic indices


# ---------------------------------------------------------------------------------------------- index arrays


def _behind(index: Any) -> Any:
    """An index of arrays behind the batch; None where NumPy would put its result before it."""
    places = [k for k, part in enumerate(index) if isinstance(part, np.ndarray)]
    together = not places or places[-1] - places[0] + 1 == len(places)
    return (FULL, *index) if together else None


@rule("index", "clear")
def _taken(run: Any, args: list[Any], params: Any) -> Any:
    if run.notes.knows(params):
        return _taken_at_own(run, args[0], params[0])
    index = _behind(params[0])
    return NotImplemented if index is None else row(run.name, args[0].tensor, index)


@rule("index_accumulate")
def _accumulated(run: Any, args: list[Any], params: Any) -> Any:
    size, index = params
    if run.notes.knows(params):
        return _accumulated_at_own(run, args[0], size, index)
    behind = _behind(index)
    if behind is None:
        return NotImplemented
    if any(isinstance(k, np.ndarray) and k.dtype == bool for k in index):
        return NotImplemented
    return row("index_accumulate", args[0].tensor, (run.size, *size), behind)


@rule("index_put")
def _put(run: Any, args: list[Any], params: Any) -> Any:
    (x, values), (index, accumulate) = args, params
    behind = _behind(index)
    if behind is None or any(isinstance(k, np.ndarray) and k.dtype == bool for k in index):
        return NotImplemented
    shape = tuple(x.shape if type(x) is Batched else as_tensor(x)._data.shape)
    rank = np.empty(shape, bool)[index].ndim
    return row("index_put", spread(x, run.size), fronted(values, rank), behind, accumulate)


@rule("masked_select")
def _masked(run: Any, args: list[Any], params: Any) -> Any:
    mask = params[0].reshape(-1)
    return row("index", flat(args[0], run.size), (FULL, np.flatnonzero(mask)))


@rule("take")
def _taken_flat(run: Any, args: list[Any], params: Any) -> Any:
    count = math.prod(args[0].shape)
    return row("index", flat(args[0], run.size), (FULL, params[0] % count if count else params[0]))


# ------------------------------------------------------------------------------- at places that are an example's own


class _Own:
    """An index of arrays, some of them an example's own: what NumPy makes of it, and where it puts the dimensions.

    Attributes
    ----------
    parts : the index, each own array with the batch in front
    rank : the number of dimensions of the arrays together (of one example)
    lead : how many dimensions come before these in an example's result
    some : whether any of the places differ between examples
    symbolic : whether the places are symbols again, of a trace around this one
    """

    def __init__(self, run: Any, index: tuple[Any, ...]) -> None:
        _need_number(run)
        where = [i for i, k in enumerate(index) if isinstance(k, np.ndarray)]
        if any(index[i].dtype == bool for i in where):
            raise Unbatchable("a mask picks beside places that are an example's own")
        own = {i: value for i in where if (value := run.own_places(index[i])) is not None}
        self.rank = max(np.ndim(index[i]) for i in where)
        together = where[-1] - where[0] + 1 == len(where)
        self.lead = where[0] if together else 0
        found = {i: fronted(value, self.rank) for i, value in own.items()}
        self.symbolic = any(type(t) is Symbol for t in found.values())
        self.some = any(type(value) is Batched for value in own.values())
        self.parts = tuple([_array(found[i]) if i in found else k for i, k in enumerate(index)])

    def counted(self, size: int) -> tuple[Any, ...]:
        """The index behind a batch, whose examples it counts."""
        return (np.arange(size).reshape(size, *(1,) * self.rank), *self.parts)

    def run(self, name: str, x: Any, *params: Any) -> Any:
        """A row of the table at these places."""
        return run_symbolic(TABLE[name], (x,), params) if self.symbolic else row(name, x, *params)


def _array(t: Any) -> np.ndarray:
    found = places(t)
    if type(found) is Symbol:
        raise Unbatchable("an index depends on the values of a symbol")
    return found if isinstance(found, np.ndarray) else found._data


def _turned(t: Any, first: int, second: int) -> Any:
    """Two groups of dimensions behind the batch, of these lengths, changed round."""
    if not first or not second:
        return t
    rest = range(1 + first + second, t._data.ndim)
    return row("permute", t, (0, *range(1 + first, 1 + first + second), *range(1, 1 + first), *rest))


def _taken_at_own(run: Any, x: Any, index: tuple[Any, ...]) -> Any:
    own = _Own(run, index)
    if type(x) is Batched:
        return _turned(own.run("index", x.tensor, own.counted(run.size)), own.rank, own.lead)
    out = own.run("index", as_tensor(x), own.parts)
    if not own.some:
        return spread(out, run.size)
    return row("permute", out, (own.lead, *[d for d in range(out._data.ndim) if d != own.lead])) if own.lead else out


def _accumulated_at_own(run: Any, g: Any, size: tuple[int, ...], index: tuple[Any, ...]) -> Any:
    own = _Own(run, index)
    g = _turned(spread(g, run.size), own.lead, own.rank)
    return own.run("index_accumulate", g, (run.size, *size), own.counted(run.size))


def _gathered_at_own(run: Any, x: Any, dim: int, index: np.ndarray) -> Any:
    if type(run.own_places(index)) is not Batched or type(x) is not Batched or not index.ndim:
        return _taken_at_own(run, x, along(index, dim))
    own = _Own(run, (index,))
    return own.run("gather", x.tensor, dim + 1, own.parts[0])


# ------------------------------------------------------------------------------------------ along one dimension


def _repeated(index: np.ndarray, size: Any) -> np.ndarray:
    return np.broadcast_to(index, (int(size), *index.shape))


@rule("gather", "scatter", "scatter_value", "scatter_add", "scatter_sum", "scatter_extreme")
def _along(run: Any, args: list[Any], params: Any) -> Any:
    dim, index, *rest = params
    if run.notes.knows(params):
        return _gathered_at_own(run, args[0], dim, index)
    if not rank_of(args[0]) or not index.ndim:
        return NotImplemented
    _need_number(run)
    operands = [spread(a, run.size) for a in args]
    return row(run.name, *operands, shifted(dim, rank_of(args[0])), _repeated(index, run.size), *rest)


@rule("index_select", "index_add", "index_copy", "index_fill")
def _slices(run: Any, args: list[Any], params: Any) -> Any:
    if run.notes.knows(params):
        dim, index = params
        return _taken_at_own(run, args[0], (FULL,) * dim + (index,))
    if not all(map(rank_of, args)):
        return NotImplemented
    operands = [spread(a, run.size) for a in args]
    return row(run.name, *operands, shifted(params[0], rank_of(args[0])), *params[1:])


def _need_number(run: Any) -> None:
    if type(run.size) is not int:
        raise Unbatchable(f"{run.name} picks by an array, and the batch's size {run.size} is no number")


OWN_PLACES = frozenset(["index", "index_accumulate", "index_select", "gather"])
"""Rows whose rules know what to do with places of which notes were taken."""

__all__ = ["BATCH", "OWN_PLACES"]
