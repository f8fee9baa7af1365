"""Entries read, or added up, at places that are found at every run: of a sort, a quantile, a running maximum.

The idea to hold: where the places are has no derivative, and once they are found, reading is linear. Its Jacobian is
one where the place of the result is the place of the entry, ``1[p[i] = k]``, and zero elsewhere; adding up is its
transpose. Values and gradients read and add at the places themselves, second derivatives multiply with the ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calculus import squeezed
from ..core import TABLE
from ..terms import Call, Data, Delta, Expr, Indices, ein, map_, number
from ._terms import entries, sizes

PICKS = frozenset([
    "pick", "max_dim", "min_dim", "median_dim", "nanmedian_dim", "mode_dim", "kthvalue_dim", "topk_dim", "sort_dim",
    "cummax_dim", "cummin_dim", "gather",
])  # fmt: skip
"""Rows that read along one axis at an index of as many axes."""
READS = frozenset(["index", "index_select", "take"])
"""Rows that read whole slices at an index, or entries of the flat array."""
ADDS = {"unpick": "pick", "index_accumulate": "index", "add_flat": "take"}
"""Rows that add up what they are given at places of zeros, and what they are the transposes of."""
INTO = {"scatter_add": "gather", "index_add": "index_select"}
"""Rows that add their second operand up at places of the first."""
FINITE = "finite"
"""Beside the edges of operations: a term that was put in order, which NaN has not."""


def selection(term: Call, i: int) -> Expr | None:
    """The Jacobian of a call in its operand ``i``, where the call reads or adds at places; None if that is not all."""
    name = term.op.name
    if name in INTO:
        if i == 0:
            every = tuple(range(2 * term.rank))
            deltas = [(Delta(d), (k, term.rank + k)) for k, d in enumerate(term.shape)]
            return ein(1, deltas, every) if term.rank else number(1)
        factor = term.params[1] if name == "index_add" else 1
        ones = _ones(INTO[name], term.args[2], term.params[0], term.shape, term.args[1].shape)
        return None if ones is None else _turned(ones, term.args[1].rank, factor)
    if i != 0 or name not in PICKS | READS | ADDS.keys():
        return None
    x, places = term.args
    dim = term.params[0] if name not in ("take", "add_flat") else 0
    if name in ("index", "index_accumulate") and term.params[1] != 1:
        return None
    if name in ADDS:
        found = _ones(ADDS[name], places, dim, term.shape, x.shape)
        return None if found is None else _turned(found, x.rank)
    return _ones(name, places, dim, x.shape, term.shape)


def pulled_back(term: Call, i: int, g: Expr) -> Expr | None:
    """The gradient of operand ``i`` of such a call: reads add up what comes in, and what adds up reads it."""
    if selection(term, i) is None:
        return None
    name, params, shape, places = term.op.name, term.params, term.args[i].shape, term.args[1]
    if name in INTO:
        read = TABLE[INTO[name]]
        found: Expr = Call(read, (g, term.args[2]), params[:1], shape) if i else g
        every = tuple(range(found.rank))
        return ein(params[1], [(found, every)], every) if i and name == "index_add" else found
    if name in ADDS:
        others = params[:-2] if name == "unpick" else params[:-1]
    elif name in PICKS:
        if name == "gather":  # of places that a user gives; others were found, and are counted from the front
            places = _counted(places, sizes(shape)[params[0]])
        name, others = "unpick", (params[0], name == "gather" or params[1], sizes(shape), False)
    elif name == "take":
        name, others = "add_flat", (sizes(shape),)
    else:
        name, others = "index_accumulate", (params[0], 1, sizes(shape))
    return Call(TABLE[ADDS[name] if term.op.name in ADDS else name], (g, places), others, shape)


def reads_at_run_time(op: Any, args: list[Expr], values: list[Any], params: Any) -> bool:
    """Whether a row can read, or add up, at places that are terms of the variables."""
    if op.name not in PICKS | READS | INTO.keys() or np.asarray(values[op.places[0]]).dtype.kind not in "iu":
        return False
    term = Call(op, tuple(args), params, np.shape(op.forward(*values, *params)))
    return args[0].rank > 0 and all(selection(term, i) is not None for i in range(op.places[0]))


def _turned(ones: Expr, rank: int, factor: Any = 1) -> Expr:
    """The transpose of an array whose first axes are ``rank``."""
    every = tuple(range(ones.rank))
    return ein(factor, [(ones, every)], (*every[rank:], *every[:rank]))


def _ones(name: str, places: Expr, dim: int, inside: Any, out: Any) -> Expr | None:
    """The array that reads ``out`` of ``inside`` at places: the axes of both, those of what is read last."""
    inside, out = sizes(inside), sizes(out)
    if name == "take":
        flat = Data(np.arange(float(entries(inside))).reshape(inside))
        every = tuple(range(len(out) + len(inside)))
        place = _counted(places, entries(inside))
        return map_(TABLE["eq"], [(place, every[: len(out)]), (flat, every[len(out) :])], (), every)
    along = tuple(range(len(out)))
    if name in READS:
        whole = (*inside[:dim], *sizes(places.shape), *inside[dim + 1 :])
        rest = {d: d if d < dim else d - 1 + places.rank for d in range(len(inside)) if d != dim}
        labels = along[dim : dim + places.rank]
        places = _counted(places, inside[dim])
    else:
        if places.rank != len(inside) or any(n != m for d, (n, m) in enumerate(zip(places.shape, inside)) if d != dim):
            return None
        kept = len(out) == len(inside)
        whole = tuple([n for d, n in enumerate(sizes(places.shape)) if kept or d != dim])
        rest = {d: d if kept or d < dim else d - 1 for d in range(len(inside)) if d != dim}
        labels = along
        places = _counted(places, inside[dim]) if name == "gather" else places
        places = places if kept else squeezed(places, [dim])
    if whole != out:
        return None
    steps, n = Data(np.arange(float(inside[dim]))), len(out)
    own = (*labels, n + dim)
    short = tuple(range(len(own)))
    ones = map_(TABLE["eq"], [(places, short[:-1]), (steps, short[-1:])], (), short)
    deltas: list[tuple[Expr, Indices]] = [(Delta(inside[d]), (label, n + d)) for d, label in rest.items()]
    return ein(1, [(ones, own), *deltas], tuple(range(n + len(inside))))


def _counted(places: Expr, n: int) -> Expr:
    """Places counted from the front: what is read there of the numbers from 0 to n, which have no place beyond."""
    return Call(TABLE["take"], (Data(np.arange(float(n))), places), (), places.shape)
