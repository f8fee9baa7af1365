"""Changes of shape of a batch: the same change of each example, behind the batch.

The idea to hold: a size or a dimension of the example keeps its meaning; the batch stands before it.
"""

from __future__ import annotations

import math
from typing import Any

from ._batch_rules import BATCH, fronted, rank_of, resized, row, rule, shifted, spread

# --------------------------------------------------------------------------------------------------- broadcasting


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
    return resized(args[0].tensor, run.size, *params[0])  # a view where the batch allows it


@rule("squeeze")
def _squeezed(run: Any, args: list[Any], params: Any) -> Any:
    x = args[0]
    return resized(x.tensor, run.size, *[n for n, k in zip(x.shape, x.tensor._data.shape[1:], strict=True) if k != 1])


@rule("t", "t_")
def _turned(run: Any, args: list[Any], params: Any) -> Any:
    return row("transpose", args[0].tensor, 1, 2) if args[0].rank == 2 else args[0]


@rule("trace")
def _traced(run: Any, args: list[Any], params: Any) -> Any:
    return row("sum_dim", row("diagonal", args[0].tensor, 0, 1, 2), (1,), False)


# ------------------------------------------------------------------------------------------- joining and taking apart


@rule("cat")
def _joined(run: Any, args: list[Any], params: Any) -> Any:
    rank = max(map(rank_of, args))
    parts = [a for a in args if rank_of(a) == rank]  # an empty vector joins anything
    return row("cat", [spread(a, run.size) for a in parts], shifted(params[0], rank))


__all__ = ["BATCH"]


@rule("as_strided", "as_strided_")
def _strided(run: Any, args: list[Any], params: Any) -> Any:
    (x,), (size, stride, start, layout) = args, params
    n = math.prod(x.shape)
    last = start + sum((k - 1) * s for k, s in zip(size, stride, strict=True))
    if 0 in size or last >= n or layout != tuple(math.prod(x.shape[k + 1 :]) for k in range(x.rank)):
        return NotImplemented  # the examples lie otherwise in the batch
    together = resized(x.tensor, run.size, *x.shape)
    return row("as_strided", together, (run.size, *size), (n, *stride), start, (n, *layout))
