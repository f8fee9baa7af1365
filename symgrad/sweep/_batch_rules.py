"""How each operation of the table runs on a batch: the rules that `_replay.py` replays a recorded graph with.

The idea to hold: a batched value carries the batch in front, so a rule only says where the example's own dimensions
went: one behind. An operation without a rule runs once per example. Rules are written in the table's operations, so
what they compute can be differentiated, batched again and shown as a formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..core import (
    TABLE,
    CannotTravel,
    Dim,
    Tensor,
    applied,
    rank_needed,
    shape_of,
    shifted,
    travelled,
    wrap,
)

FULL = slice(None)
Rule = Callable[[Any, list[Any], tuple[Any, ...]], Any]  # (run, operands, parameters) -> tensor or tensors
BATCH: dict[str, Rule] = {}
"""The rule of each row that has one; rows of kind 'elementwise' need none."""


class Unbatchable(Exception):
    """A graph that cannot be run on a batch; the message says why, in words that follow 'loop: '."""


class Batched:
    """A value per example: a tensor with the batch in front. It never leaves the replay."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @property
    def rank(self) -> int:
        """The number of dimensions of one example."""
        return self.tensor._data.ndim - 1

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of one example, in named sizes where it has them."""
        return tuple(shape_of(self.tensor))[1:]


def row(name: str, *args: Any) -> Any:
    """A row of the table, run on tensors."""
    return TABLE[name].apply(*args)


_Any = TypeVar("_Any", bound=Rule)


def rule(*names: str) -> Callable[[_Any], _Any]:
    """Decorate the rule of rows."""

    def register(fn: _Any) -> _Any:
        BATCH.update(dict.fromkeys(names, fn))
        return fn

    return register


# ------------------------------------------------------------------------------------------------------- operands


def rank_of(value: Any) -> int:
    """The number of dimensions of one example of any operand."""
    return value.rank if type(value) is Batched else np.ndim(value._data if isinstance(value, Tensor) else value)


def example_shape(value: Any) -> tuple[Any, ...]:
    """The shape of one example of any operand."""
    return value.shape if type(value) is Batched else tuple(shape_of(value))


def fronted(value: Any, rank: int) -> Any:
    """A batched value's tensor with new dimensions behind the batch, so that examples have ``rank`` of them.

    What is not batched broadcasts as it is.
    """
    if type(value) is not Batched:
        return value
    missing = rank - value.rank
    return value.tensor if missing <= 0 else row("getitem", value.tensor, (FULL, *(None,) * missing, ...))


def as_tensor(value: Any) -> Any:
    """An operand that is no tensor as one."""
    return value if isinstance(value, Tensor) else wrap(np.asarray(value))


def spread(value: Any, size: Any, rank: int | None = None) -> Any:
    """Any operand with the batch in front, repeated if it is the same for all; ``rank`` as in `fronted`."""
    rank = rank_of(value) if rank is None else rank
    if type(value) is Batched:
        return fronted(value, rank)
    t = as_tensor(value)
    shape = tuple(shape_of(t))
    return row("expand", t, (size, *(1,) * (rank - len(shape)), *shape))


def resized(t: Any, *size: Any) -> Any:
    """A tensor under another shape."""
    return row("view" if t._data.flags.c_contiguous else "reshape_copy", t, tuple(size))


def flat(value: Batched, size: Any) -> Any:
    """Each example as one row of numbers."""
    return resized(value.tensor, size, _product(value.shape))


def _product(shape: tuple[Any, ...]) -> Any:
    return math.prod(shape)


# ------------------------------------------------------------------------------------------- the general rules


def entrywise(run: Any, args: list[Any], params: tuple[Any, ...], op: Any) -> Any:
    """Operations that act entry by entry: examples of fewer dimensions get new ones behind the batch."""
    rank = max(map(rank_of, args))
    return op.apply(*[fronted(a, rank) for a in args], *params)


def by_meaning(run: Any, args: list[Any], params: tuple[Any, ...], op: Any) -> Any:
    """Operations that say how their axes travel: the same on the batch, its parameters one axis behind."""
    if any(type(args[k]) is Batched for k in op.shared):
        return NotImplemented
    ranks = list(map(rank_of, args))
    rank = ranks[0] if op.last is None else max(ranks)
    try:
        params = travelled(op, params, rank, run.size)
    except CannotTravel:
        return NotImplemented
    if len(args) == 1:
        return applied(op, [fronted(args[0], rank_needed(op, params, rank + 1) - 1)], params)
    spare = None if op.last is None else rank
    args = [as_tensor(a) if k in op.shared else spread(a, run.size, spare) for k, a in enumerate(args)]
    return applied(op, args, params)


def one_by_one(run: Any, args: list[Any], params: tuple[Any, ...], op: Any) -> Any:
    """Any operation: run per example, and stack."""
    if isinstance(run.size, Dim):
        raise Unbatchable(f"{op.label} has no rule for batches, and the batch's size {run.size} is no number")
    run.looped[op.label] = run.looped.get(op.label, 0) + 1
    columns = [row("unbind", a.tensor, 0) if type(a) is Batched else [a] * run.size for a in args]
    examples = list(zip(*columns, strict=True))
    results = [applied(op, e, params) for e in examples]
    if op.outputs:
        return tuple(row("stack", list(column), 0) for column in zip(*results, strict=True))
    return row("stack", results, 0)


@rule("fill_tensor", "copy_from")
def _into_first(run: Any, args: list[Any], params: Any) -> Any:
    x, value = args
    rank = rank_of(x)
    if rank_of(value) > rank:
        return NotImplemented
    return row(run.name, spread(x, run.size), fronted(value, rank))


@rule("floor_divide", "remainder", "fmod", "div_floor", "div_trunc")
def _divided(run: Any, args: list[Any], params: Any) -> Any:
    b = args[1].tensor if type(args[1]) is Batched else as_tensor(args[1])
    if b._data.dtype.kind in "biu" and not b._data.all():
        raise Unbatchable("whole numbers are divided by zero in an example")
    return entrywise(run, args, params, TABLE[run.name])


# ------------------------------------------------------------------------------------------------ reductions


@rule("roll")
def _rolled(run: Any, args: list[Any], params: Any) -> Any:
    shifts, dims = params
    if dims is not None:
        return NotImplemented
    return resized(row("roll", flat(args[0], run.size), (shifts,), (1,)), run.size, *args[0].shape)


@rule("sum", "mean")
def _reduced(run: Any, args: list[Any], params: Any) -> Any:
    return row(f"{run.name}_dim", args[0].tensor, shifted(None, args[0].rank), False)


@rule("prod")
def _multiplied(run: Any, args: list[Any], params: Any) -> Any:
    return row("prod_dim", flat(args[0], run.size), (1,), False)


@rule("max", "min")
def _extreme(run: Any, args: list[Any], params: Any) -> Any:
    x = args[0].tensor
    if x._data.dtype.kind in "fc" and np.isnan(x._data).any():  # the gradient goes to the NaN: only the row knows how
        return NotImplemented
    return row(f"a{run.name}", x, shifted(None, args[0].rank), False)


@rule("argmax", "argmin")
def _place(run: Any, args: list[Any], params: Any) -> Any:
    (x,), (dim, keepdim) = args, params
    if dim is not None:
        return NotImplemented
    place = row(run.name, flat(x, run.size), 1, False)
    return resized(place, run.size, *(1,) * x.rank) if keepdim else place


@rule("cumsum", "cumprod", "cumprod_before", "shift", "recurrence", "logcumsumexp")
def _scanned(run: Any, args: list[Any], params: Any) -> Any:
    """Rows along one dimension, or (None, or a number's) along all elements in order."""
    dim, rest, first = params[0], params[1:], args[0]
    if dim is not None and rank_of(first):
        return NotImplemented
    lines = [resized(spread(a, run.size), run.size, _product(example_shape(a))) for a in args]
    return resized(row(run.name, *lines, 1, *rest), run.size, *example_shape(first))


__all__ = [
    "BATCH", "FULL", "Batched", "Unbatchable", "as_tensor", "by_meaning", "entrywise", "example_shape", "flat",
    "fronted", "one_by_one", "rank_of", "resized", "row", "rule", "shifted", "spread",
]  # fmt: skip
