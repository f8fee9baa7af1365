"""Changes of shape of a batch: the same change of each example, behind the batch.

The idea to hold: a size or a dimension of the example keeps its meaning; the batch stands before it.
"""

from __future__ import annotations

from typing import Any

from ._batch_rules import BATCH, fronted, rank_of, resized, row, rule, shifted, spread

# --------------------------------------------------------------------------------------------------- broadcasting


@rule("expand")
def _expanded(run: Any, args: list[Any], params: Any) -> Any:
    shape = params[0]
    return row("expand", fronted(args[0], len(shape)), (run.size, *shape))


@rule("sum_to")
def _summed(run: Any, args: list[Any], params: Any) -> Any:
    x, shape = args[0], params[0]
    t, lead = fronted(x, len(shape)), x.rank - len(shape)
    if lead > 0:
        t = row("sum_dim", t, tuple(range(1, lead + 1)), False)
    return row("sum_to", t, (run.size, *shape))


# ---------------------------------------------------------------------------------------------------------- shapes


@rule("view", "reshape_alias", "reshape_copy")
def _reshaped(run: Any, args: list[Any], params: Any) -> Any:
    return resized(args[0].tensor, run.size, *params[0])


@rule("squeeze", "squeeze_dim", "squeeze_dims")
def _squeezed(run: Any, args: list[Any], params: Any) -> Any:
    x = args[0]
    drop = range(x.rank) if not params else params[0] if isinstance(params[0], tuple) else (params[0],)
    gone = {d % x.rank for d in drop} if x.rank else set()
    kept = [n for d, n in enumerate(x.shape) if d not in gone or x.tensor._data.shape[d + 1] != 1]
    return resized(x.tensor, run.size, *kept)


@rule("unsqueeze")
def _unsqueezed(run: Any, args: list[Any], params: Any) -> Any:
    return row("unsqueeze", args[0].tensor, shifted(params[0], args[0].rank + 1))


@rule("transpose")
def _swapped(run: Any, args: list[Any], params: Any) -> Any:
    rank = args[0].rank
    return row("transpose", args[0].tensor, shifted(params[0], rank), shifted(params[1], rank)) if rank else args[0]


@rule("t")
def _turned(run: Any, args: list[Any], params: Any) -> Any:
    return row("transpose", args[0].tensor, 1, 2) if args[0].rank == 2 else args[0]


@rule("permute")
def _permuted(run: Any, args: list[Any], params: Any) -> Any:
    return row("permute", args[0].tensor, (0, *shifted(tuple(params[0]), args[0].rank)))


@rule("tril", "triu")
def _triangle(run: Any, args: list[Any], params: Any) -> Any:
    return row(run.name, args[0].tensor, *params)


@rule("repeat")
def _repeated(run: Any, args: list[Any], params: Any) -> Any:
    repeats = tuple(params[0])
    return row("repeat", fronted(args[0], len(repeats)), (1, *repeats))


@rule("repeat_interleave")
def _repeated_each(run: Any, args: list[Any], params: Any) -> Any:
    return row(run.name, args[0].tensor, params[0], params[1] + 1) if args[0].rank else NotImplemented


@rule("unfold")
def _windows(run: Any, args: list[Any], params: Any) -> Any:
    return row("unfold", args[0].tensor, params[0] + 1, *params[1:]) if args[0].rank else NotImplemented


@rule("overlay")
def _overlaid(run: Any, args: list[Any], params: Any) -> Any:
    total, dim, size, step = params
    return row("overlay", args[0].tensor, (run.size, *total), dim + 1, size, step) if total else NotImplemented


@rule("constant_pad")
def _padded(run: Any, args: list[Any], params: Any) -> Any:
    return row("constant_pad", args[0].tensor, ((0, 0), *params[0]), params[1])


@rule("border_pad")
def _bordered(run: Any, args: list[Any], params: Any) -> Any:
    return row(run.name, args[0].tensor, (None, *params[0]))


@rule("diagonal", "diagonal_copy")
def _diagonal(run: Any, args: list[Any], params: Any) -> Any:
    offset, first, second = params
    rank = args[0].rank
    return row(run.name, args[0].tensor, offset, shifted(first, rank), shifted(second, rank))


@rule("diag_embed")
def _embedded(run: Any, args: list[Any], params: Any) -> Any:
    offset, first, second = params
    rank = args[0].rank + 1
    return row("diag_embed", args[0].tensor, offset, shifted(first, rank), shifted(second, rank))


@rule("diagonal_put")
def _put_on_diagonal(run: Any, args: list[Any], params: Any) -> Any:
    size, offset, first, second = params
    rank = len(size)
    return row(run.name, args[0].tensor, (run.size, *size), offset, shifted(first, rank), shifted(second, rank))


@rule("trace")
def _traced(run: Any, args: list[Any], params: Any) -> Any:
    return row("sum_dim", row("diagonal", args[0].tensor, 0, 1, 2), (1,), False)


# ------------------------------------------------------------------------------------------- joining and taking apart


@rule("cat")
def _joined(run: Any, args: list[Any], params: Any) -> Any:
    rank = max(map(rank_of, args))
    parts = [a for a in args if rank_of(a) == rank]  # an empty vector joins anything
    return row("cat", [spread(a, run.size) for a in parts], shifted(params[0], rank))


@rule("stack")
def _stacked(run: Any, args: list[Any], params: Any) -> Any:
    return row("stack", [spread(a, run.size) for a in args], shifted(params[0], rank_of(args[0]) + 1))


@rule("split", "unbind")
def _taken_apart(run: Any, args: list[Any], params: Any) -> Any:
    return row(run.name, args[0].tensor, *params[:-1], shifted(params[-1], args[0].rank))


__all__ = ["BATCH"]
