"""Arrays written to in part: which entry of which term stands at each place, before any of it becomes a term.

The idea to hold: a write makes no new numbers. What is read again at the same places is the term that was written
there, so a loop that fills an array in place has the same term as one that stacks its results.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..calculus import adjoint, fill, lift, linear, run_forward
from ..core import TABLE
from ..terms import Call, Data, Ein, Expr, add, zeros
from ._picked import simpler
from ._taken_apart import taken_apart
from ._terms import entries, sizes

WRITES = frozenset([
    "constant_pad", "copy_slices", "diagonal_scatter", "index_copy", "index_fill", "index_fill_tensor", "index_put",
    "masked_scatter", "put", "scatter", "scatter_value", "select_scatter", "slice_scatter",
])  # fmt: skip
"""Rows that put entries of their operands somewhere."""
READS = frozenset(["getitem", "index", "t", "transpose", "permute", "diagonal", "flip"])
"""Rows that read an array's entries, one at each place."""


class Placed:
    """An array put together of terms.

    Attributes
    ----------
    pieces : the terms
    places : per entry 1 + the number of the entry it is, counted through all pieces; 0 for a constant
    constant : the constants, where there are any besides zero
    """

    __slots__ = ("constant", "pieces", "places")

    def __init__(self, pieces: list[Expr], places: np.ndarray, constant: np.ndarray | None) -> None:
        self.pieces, self.places, self.constant = pieces, places, constant

    def term(self) -> Expr:
        """The sum of the pieces, each at its places."""
        shape = self.places.shape
        every = tuple(range(len(shape)))
        parts: list[Any] = []
        start = 0
        flat = self.places.reshape(-1) - 1
        for piece in self.pieces:
            size = entries(piece.shape)
            there = np.flatnonzero((flat >= start) & (flat < start + size))
            if len(there):
                parts.append((1, _embedded(piece, flat[there] - start, there, shape), every))
            start += size
        if self.constant is not None:
            parts.append((1, Data(self.constant), every))
        return add(parts, every, dict(enumerate(shape))) if parts else zeros(shape)


def moved(term: Expr, dtype: Any) -> Expr:
    """A term of a formula as programs take it: writes as sums of their pieces, picks along rows as products."""
    if isinstance(term, Ein):
        return simpler(term, dtype)
    total = taken_apart(term)
    if total is not None:
        return total
    if isinstance(term, Call) and term.op.name in WRITES:
        values = [a.value if isinstance(a, Data) else np.empty(sizes(a.shape)) for a in term.args]
        if any(not isinstance(term.args[k], Data) for k in term.op.places):
            return term
        found = placed(term.op, list(term.args), values, term.params)
        if found is not None:
            return found.term() if isinstance(found, Placed) else found
    return term


def placed(op: Any, args: list[Any], values: list[Any], params: Any) -> Placed | Expr | None:
    """What a row that only moves entries makes of terms and placed arrays; None if it does something else."""
    fixed = {k: values[k] for k in op.places}
    args, values = ([a for k, a in enumerate(row) if k not in fixed] for row in (args, values))
    shapes = [np.shape(v) for v in values]
    starts = [0, *itertools.accumulate(entries(s) for s in shapes)]
    numbers = np.arange(1.0, starts[-1] + 1)
    probe = numbers * 0.618033988749895 % 1.0 + 0.5

    def run(x: np.ndarray) -> Any:
        operands = [x[a:b].reshape(s) for a, b, s in zip(starts, starts[1:], shapes, strict=False)]
        for k, value in sorted(fixed.items()):
            operands.insert(k, value)
        return np.asarray(run_forward(op, operands, params))

    constant = run(np.zeros(starts[-1]))
    places = run(numbers)
    moved = np.where(places == constant, 0, places).astype(np.int64)
    if bool(((moved < 0) | (moved > starts[-1])).any()):
        return None
    if not np.array_equal(run(probe), np.where(moved > 0, np.append(probe, 0.0)[moved - 1], constant)):
        return None
    constant = np.where(moved > 0, 0.0, constant)
    return _merged(args, starts, moved, constant if constant.any() else None)


def _merged(args: list[Any], starts: list[int], places: np.ndarray, constant: Any) -> Placed | Expr:
    """Placed arrays among the operands are taken apart into their pieces."""
    pieces: list[Expr] = []
    first: dict[Expr, int] = {}
    numbers = np.zeros(starts[-1] + 1, np.int64)
    count = 0
    for x, start, stop in zip(args, starts, starts[1:], strict=False):
        inner, inside = ([x], np.arange(1, stop - start + 1)) if isinstance(x, Expr) else (
            x.pieces, x.places.reshape(-1)
        )  # fmt: skip
        renumbered = [np.zeros(1, np.int64)]
        for piece in inner:
            size = entries(piece.shape)
            if piece not in first:
                first[piece] = count
                pieces.append(piece)
                count += size
            renumbered.append(first[piece] + np.arange(1, size + 1))
        numbers[start + 1 : stop + 1] = np.concatenate(renumbered)[inside]
        if not isinstance(x, Expr) and x.constant is not None:
            values = np.append(0.0, np.zeros(starts[-1]))
            values[start + 1 : stop + 1] = x.constant.reshape(-1)
            constant = values[places] + (0.0 if constant is None else constant)
    return _alone(pieces, numbers[places], constant)


def _alone(pieces: list[Expr], places: np.ndarray, constant: Any) -> Placed | Expr:
    """Without pieces that are nowhere; one piece as it is, is the term itself."""
    kept, start, stop = [], 0, 0
    new = np.zeros_like(places)
    for piece in pieces:
        size = entries(piece.shape)
        here = (places > start) & (places <= start + size)
        if here.any():
            new[here] = places[here] - start + stop
            kept.append(piece)
            stop += size
        start += size
    alone = len(kept) == 1 and constant is None and kept[0].shape == places.shape
    if alone and np.array_equal(new.reshape(-1), np.arange(1, places.size + 1)):
        return kept[0]
    return Placed(kept, new, constant)


def _embedded(piece: Expr, source: np.ndarray, target: np.ndarray, shape: Any) -> Expr:
    """Zeros of a shape with the piece's entries at `source` put at `target` (flat places, target ascending)."""
    inside = sizes(piece.shape)
    taken, put = _box(source, inside), _box(target, shape)
    if taken is not None and put is not None and _lengths(taken) == _lengths(put):
        part = lift(TABLE["getitem"], [piece], (taken,), _lengths(taken)) if inside else piece
        return lift(TABLE["embed"], [part], (tuple(shape), put), tuple(shape)) if shape else part
    if not inside:
        part = fill(piece, (len(source),))
    else:
        part = linear(TABLE["take"], piece, (source,), (len(source),))
    return adjoint(TABLE["take"], part, (target,), tuple(shape))


def _lengths(index: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple([len(range(i.start, i.stop, i.step)) for i in index if isinstance(i, slice)])


def _box(flat: np.ndarray, shape: Any) -> tuple[Any, ...] | None:
    """Places as one index of integers and slices that reads them in order, if there is one."""
    index: list[Any] = []
    count = 1
    for along in np.unravel_index(flat, shape) if shape else ():
        seen = np.unique(along)
        step = int(seen[1] - seen[0]) if len(seen) > 1 else 1
        if len(seen) > 1 and bool((np.diff(seen) != step).any()):
            return None
        index.append(int(seen[0]) if len(seen) == 1 else slice(int(seen[0]), int(seen[-1]) + 1, step))
        count *= len(seen)
    if count != len(flat):
        return None
    places = np.arange(entries(shape)).reshape(shape)[tuple(index)]
    return tuple(index) if np.array_equal(places.reshape(-1), flat) else None
