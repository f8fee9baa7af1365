"""Indices of a batch: places of an example are the same places behind the batch.

The idea to hold: arrays of indices among a row's parameters are the same for all examples (what depends on an example
is an operand), except those of sorting and picking, which were found from the example's values: these are found anew.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core import Node, Tensor
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


@rule("getitem", "getitem_slice", "getitem_new", "getitem_all")
def _part(run: Any, args: list[Any], params: Any) -> Any:
    return row(run.name, args[0].tensor, (FULL, *params[0]))


@rule("embed")
def _embedded(run: Any, args: list[Any], params: Any) -> Any:
    size, index = params
    return row("embed", args[0].tensor, (run.size, *size), (FULL, *index))


@rule("select_scatter", "slice_scatter")
def _replaced(run: Any, args: list[Any], params: Any) -> Any:
    x, src = args
    return row(run.name, spread(x, run.size), spread(src, run.size), (FULL, *params[0]))


# ---------------------------------------------------------------------------------------------- index arrays


def _behind(index: Any) -> Any:
    """An index of arrays behind the batch; None where NumPy would put its result before it."""
    places = [k for k, part in enumerate(index) if isinstance(part, np.ndarray)]
    together = not places or places[-1] - places[0] + 1 == len(places)
    return (FULL, *index) if together else None


@rule("index", "clear")
def _taken(run: Any, args: list[Any], params: Any) -> Any:
    index = _behind(params[0])
    return NotImplemented if index is None else row(run.name, args[0].tensor, index)


@rule("index_accumulate")
def _accumulated(run: Any, args: list[Any], params: Any) -> Any:
    size, index = params
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


# ------------------------------------------------------------------------------------------ along one dimension


def _repeated(index: np.ndarray, size: Any) -> np.ndarray:
    return np.broadcast_to(index, (int(size), *index.shape))


@rule("gather", "scatter", "scatter_value", "scatter_add", "scatter_sum", "scatter_extreme")
def _along(run: Any, args: list[Any], params: Any) -> Any:
    dim, index, *rest = params
    if not rank_of(args[0]) or not index.ndim:
        return NotImplemented
    _need_number(run)
    operands = [spread(a, run.size) for a in args]
    return row(run.name, *operands, shifted(dim, rank_of(args[0])), _repeated(index, run.size), *rest)


@rule("index_select", "index_add", "index_copy", "index_fill")
def _slices(run: Any, args: list[Any], params: Any) -> Any:
    if not all(map(rank_of, args)):
        return NotImplemented
    operands = [spread(a, run.size) for a in args]
    return row(run.name, *operands, shifted(params[0], rank_of(args[0])), *params[1:])


def _need_number(run: Any) -> None:
    if type(run.size) is not int:
        raise Unbatchable(f"{run.name} picks by an array, and the batch's size {run.size} is no number")


# ---------------------------------------------------------------------------------------- sorting and choosing


def _is_first(index: np.ndarray, found: Tensor) -> bool:
    """Whether the traced example, which is the batch's first, gives this index."""
    return found._data.shape[1:] == index.shape and bool(np.array_equal(found._data[0], index))


def _orders(t: Tensor, dim: int) -> list[Tensor]:
    return [row("argsort", t, dim, False), row("argsort", t, dim, True)]


def _found(name: str, t: Tensor, dim: int, index: np.ndarray, axis: int) -> list[Any]:
    """The ways in which a row's index may have been found (the parameters of finding are not the row's)."""
    one: Any = {
        "max_dim": ("argmax", True), "min_dim": ("argmin", True), "median_dim": ("argmedian", False),
        "nanmedian_dim": ("argmedian", True), "mode_dim": ("argmode",), "cummax_dim": ("argcummax",),
        "cummin_dim": ("argcummin",),
    }.get(name)  # fmt: skip
    if one is not None:
        return [row(one[0], t, dim, *one[1:])]
    if name in ("sort_dim", "stable_sort_dim"):
        return _orders(t, dim)
    if name == "topk_dim":
        return [row("argtop", t, dim, index.shape[axis], largest) for largest in (True, False)]
    return [row("argkth", t, dim, k + 1) for k in range(t._data.shape[dim])]


@rule(
    "max_dim", "min_dim", "median_dim", "nanmedian_dim", "mode_dim", "kthvalue_dim", "topk_dim", "sort_dim",
    "stable_sort_dim", "cummax_dim", "cummin_dim",
)  # fmt: skip
def _chosen(run: Any, args: list[Any], params: Any) -> Any:
    (x,), (index, axis, keepdim) = args, params
    if not x.rank:
        return row("clone", x.tensor, "K")
    _need_number(run)
    dim = shifted(axis, x.rank)
    return row(run.name, x.tensor, _places(run.name, x, index, axis)._data, dim, keepdim)


def _places(name: str, x: Batched, index: np.ndarray, axis: int) -> Tensor:
    """The indices that a row of sorting or choosing finds in each example."""
    found = [f for f in _found(name, x.tensor, shifted(axis, x.rank), index, axis) if _is_first(index, f)]
    word = name.removesuffix("_dim")
    if not found:
        raise Unbatchable(f"{word} picks what cannot be found again")
    if any(not np.array_equal(f._data, found[0]._data) for f in found[1:]):
        raise Unbatchable(f"{word} does not say which way it sorted: in the first example both ways agree")
    return found[0]


@rule("pick", "unpick")
def _picked(run: Any, args: list[Any], params: Any) -> Any:
    index, axis, keepdim, *rest = params
    known = run.notes.picks.get(id(index))
    if known is None:
        raise Unbatchable("it takes elements at places that it does not say how it found")
    _, name, source = known
    x = run.values[source if isinstance(source, Node) else id(source)]
    if type(x) is not Batched:
        places = np.broadcast_to(index, (run.size, *index.shape))
    elif not x.rank:
        raise Unbatchable(f"{name.removesuffix('_dim')} of a number without dimensions")
    else:
        places = _places(name, x, index, axis)._data
    rest = [(run.size, *rest[0]), rest[1]] if rest else []
    return row(run.name, spread(args[0], run.size), places, axis + 1, keepdim, *rest)


__all__ = ["BATCH"]
