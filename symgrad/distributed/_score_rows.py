"""Gradients of contributions as a Dask array: too many rows to be fetched, so they stay where the data are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._cluster_errors import require_dask
from ._own_tasks import calls_of
from ._tree_sum import laid_out
from ._worker_orders import Order, Partial


def rows_of(found: Partial, size: int) -> np.ndarray:
    """The rows of one chunk."""
    return found.sums[0] if found.sums else np.zeros((0, size))


def score_rows(order: Order, ready: Any) -> Any:
    """The array, in chunks like the data."""
    require_dask("sg.distributed")
    import dask.array as da

    data = ready.located.data
    graph, keys, token = laid_out(order, (ready.at.value,), calls_of(data, own=False), "scores")
    name = f"scores-rows-{token}"
    graph |= {(name, k, 0): (rows_of, key, order.size) for k, key in enumerate(keys)}
    lengths = tuple([np.nan if n is None else n for n in data[0].lengths])
    return da.Array(graph, name, (lengths, (order.size,)), dtype=np.float64)


__all__ = ["score_rows"]
