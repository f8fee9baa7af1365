"""``sg.map``: a function, or a transform of one, at many points, by the workers of a cluster.

The idea to hold: points travel in batches, each with its place; results come back in order, and the function is sent
once.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _limits
from ..core import is_table
from ..transforms.calls import flatten, require_callable, unflatten
from ._chunks import ChunkError, DistributedError, Value, cause_of, require_dask
from ._orders import pickled
from ._workers import client_of, require_running, run_all, worker_count

_FUNCTIONS: dict[bytes, Any] = {}


class Sent:
    """A function, pickled; each process makes it once of its bytes."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    @property
    def function(self) -> Any:
        """The function."""
        if self.packed not in _FUNCTIONS:
            _FUNCTIONS.clear()
            _FUNCTIONS[self.packed] = pickle.loads(self.packed)
        return _FUNCTIONS[self.packed]


def run_points(sent: Sent, first: int, points: Value) -> list[Any]:
    """The function at some points."""
    f, found = sent.function, []
    for k, point in enumerate(points.value):
        try:
            found.append(f(*point))
        except Exception as error:
            raise ChunkError(f"sg.map: point {first + k} failed", cause_of(error)) from error
    return found


def map(
    f: Callable[..., Any], points: Iterable[Any], *more: Any, client: Any = None, batch: int | None = None,
    progress: Any = None,
) -> Any:  # fmt: skip
    """Return a function at many points, worked out by a cluster.

    Parameters
    ----------
    f : a function, or a transform of one: ``sg.hessian(f)``
    points : its first argument: an array, whose rows are the points, or a list
    more : further arguments, the same at all points
    client : a ``dask.distributed.Client``; by default the current one, and Dask's threads where there is none
    batch : how many points travel together
    progress : whether a line says how far it is: as of `distributed.sum_over`

    Returns
    -------
    The results, stacked along a new first axis where they are arrays or containers of arrays of equal shapes; else in a
    list.

    Raises
    ------
    ChunkError : the function failed at a point; the error names it
    DistributedError : the function does not pickle, or there is no scheduler

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.map(sg.hessian(lambda x: (x ** 3).sum()), np.array([[1.0, 2.0], [0.0, 1.0]]))
    array([[[ 6.,  0.],
            [ 0., 12.]],
    <BLANKLINE>
           [[ 0.,  0.],
            [ 0.,  6.]]])
    """
    require_dask("sg.map")
    require_callable(f, "sg.map")
    client = client_of(client)
    require_running(client)
    if isinstance(points, dict) or is_table(points) or hasattr(points, "__dask_graph__"):
        raise DistributedError(f"sg.map: points is a {type(points).__name__}", "Points are the rows of an array.",
                               "Pass an array, df.to_numpy(), x.compute(), or a list.")  # fmt: skip
    if batch is not None and batch < 1:
        raise DistributedError(f"sg.map: batch is {batch}", "", "At least one point travels at a time.")
    rows = [(p, *more) for p in points]
    if not rows:
        raise DistributedError("sg.map has no points", "", "Pass an array of points, or a list.")
    name = getattr(f, "__name__", type(f).__name__)
    sent = Sent(pickled(f, getattr(f, "function", f), f"sg.map({name})"))
    size = batch or max(1, min(_limits.DISTRIBUTED_ROWS, -(-len(rows) // (8 * worker_count(client)))))
    calls = [(run_points, sent, k, Value(rows[k : k + size])) for k in range(0, len(rows), size)]
    label = f"map-{name}".replace("<lambda>", "lambda").replace("(", "-").replace(")", "")
    found = [result for part in run_all(calls, label, client, progress, f"sg.map({name})") for result in part]
    return stacked(found)


def stacked(found: list[Any]) -> Any:
    """Results as one, if they are alike."""
    leaves, spec = flatten(found[0])
    several = [flatten(r) for r in found]
    shapes = [np.shape(leaf) for leaf in leaves]
    numbers = all(isinstance(leaf, np.ndarray | np.generic | float | int) for leaf in leaves)
    if not numbers or any(s != spec or [np.shape(leaf) for leaf in mine] != shapes for mine, s in several):
        return found
    return unflatten(spec, [np.stack([mine[k] for mine, _ in several]) for k in range(len(leaves))])
