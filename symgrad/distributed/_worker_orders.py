"""What a worker is told, and what it does with a chunk.

The idea to hold: the order is the same for all chunks, and goes to each worker once. A result is a sum with what it is
a sum of (how many chunks, how many rows), so that a part can never be taken for the whole.
"""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..transforms._tree import flatten, tree_map
from ._chunk_sources import Chunk, Kind, aligned, read_chunk
from ._cluster_errors import ChunkError, NoSumError, cause_of, listed
from ._jobs import Job, are_equal, pieces, returned
from ._kept_memory import kept_memory
from ._own_tasks import Call, Value
from ._shipped import OnWorker, Shipped, blocks


class Partial(NamedTuple):
    """Sums over some chunks."""

    chunks: int
    rows: int
    weight: float
    sums: list[np.ndarray]
    groups: np.ndarray | None  # of what is summed by groups, their names in ascending order
    bad: list[str]  # chunks whose sums are no numbers
    bad_count: int


class Order(NamedTuple):
    """What is to be computed of every chunk.

    Attributes
    ----------
    title : what it is called where something goes wrong
    token : tells functions from each other
    function : the job, pickled
    template : per argument of the user's ('shared', value) or ('chunk', number)
    names, whole, columns, kind : of the arguments that are cut
    sizes, programs : how many rows at a time, and the programs for these; nothing where a chunk is taken whole
    target : which library runs
    size : how many parameters there are
    after : 'sum', or 'outer' and 'groups' of the Jacobian's rows; 'rows' leaves them
    """

    title: str
    token: str
    function: bytes
    template: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    whole: tuple[bool, ...]
    columns: Any
    kind: Kind | None
    sizes: list[int]
    programs: dict[int, Shipped]
    target: str
    size: int
    after: str
    weighted: bool
    grouped: bool
    look: bool = False  # whether the function of each chunk is compared with that of parts

    def arguments(self, first: tuple[Any, ...], chunk: Chunk, start: int, stop: int) -> list[Any]:
        """The job's arguments for some rows of a chunk."""
        cut = chunk.between(start, stop)
        own = [cut[value] if kind == "chunk" else tree_map(aligned, value) for kind, value in self.template]
        return [*first, *own]


NAMED = 3
"""Chunks that an error knows by name."""

_KEPT: OrderedDict[str, OnWorker] = OrderedDict()
"""By token what this process runs itself."""

_ONE_AT_A_TIME = threading.Lock()


def _on_worker(order: Order) -> OnWorker:
    with _ONE_AT_A_TIME:
        found = _KEPT.get(order.token)
        if found is None:
            job: Job = pickle.loads(order.function)
            found = _KEPT[order.token] = OnWorker(job, order.target)
            while len(_KEPT) > _limits.PLANS:
                _KEPT.popitem(last=False)
        return found


def run_chunks(order: Value, first: Value, calls: Value, keys: Value, *values: Any) -> Partial:
    """Work out chunks one after the other, and add them up as the tree does; ``values`` are of keys that they share."""
    given = dict(zip(keys.value, values, strict=True))
    with kept_memory():
        return add_up(*[_run_chunk(order.value, first.value, call, given) for call in calls.value])


def _run_chunk(order: Order, first: tuple[Any, ...], call: Call, given: dict[Any, Any]) -> Partial:
    """Read a chunk and work it out."""
    try:
        chunk = read_chunk(call.values(given), order.names, order.whole, order.columns)
        if order.kind is not None:
            apart = order.kind.difference(chunk.kind)
            if apart:
                raise ChunkError("it is not like the first", f"{apart}.", "Chunks have the same columns and dtypes.")
        return _worked_out(order, tree_map(aligned, first), call.word, chunk)
    except NoSumError:
        raise
    except Exception as error:
        raise ChunkError(f"{order.title}: {call.word} failed", cause_of(error)) from error


def _worked_out(order: Order, first: tuple[Any, ...], word: str, chunk: Chunk) -> Partial:
    n, groups = order.size, None
    if order.grouped:  # the last argument that is cut says which group a row is of, and is not the function's
        groups, chunk = _split(chunk)
    if not chunk.rows:
        return Partial(1, 0, 0.0, [], None, [], 0)
    weight = _weight(chunk.arrays[-1], chunk.rows) if order.weighted else float(chunk.rows)
    results: list[Any] = []
    if order.look:
        _require_sum(order, first[0], word, chunk)
    with np.errstate(all="ignore"):
        for start, stop in blocks(chunk.rows, order.sizes) or [(0, chunk.rows)]:
            args = order.arguments(first, chunk, start, stop)
            try:
                found = _block(order, args, stop - start)
            except np.linalg.LinAlgError as error:  # outside the domain of the function: there is no number
                return Partial(1, chunk.rows, weight, [], None, [f"{word}: {cause_of(error)}"], 1)
            if order.after != "sum":
                results.append(found[0].reshape(stop - start, n))
            else:
                found = [np.asarray(a, np.float64) for a in found]
                results = found if not results else [a + b for a, b in zip(results, found, strict=True)]
    if order.after == "sum":
        sums = results
    else:
        rows = np.concatenate(results) if len(results) > 1 else results[0]
        if order.after == "outer":
            sums = [rows.T @ rows]
        elif order.after == "groups":
            groups, numbers = np.unique(np.asarray(groups), return_inverse=True)
            summed = np.zeros((len(groups), n))
            np.add.at(summed, numbers.reshape(-1), rows)
            sums = [summed]
        else:
            sums = [rows]
    bad = [] if not any(np.isnan(a).any() for a in sums) else [_why_nan(word, chunk)]
    return Partial(1, chunk.rows, weight, sums, groups, bad, len(bad))


def _require_sum(order: Order, theta: Any, word: str, chunk: Chunk) -> None:
    """Raise where the function of rows of a chunk is not the sum of that of parts: of small and large ones, and of each
    row that has the largest or the smallest number. What a statistic of many rows does, it does not do of one."""
    f = _on_worker(order).job.rows.contributions
    cut = [bool(a.ndim) and not w for a, w in zip(chunk.arrays, chunk.whole, strict=True)]
    columns = [a.reshape(chunk.rows, -1) for a, c in zip(chunk.arrays, cut, strict=True) if c and a.size]
    found = dict.fromkeys([k for a in columns if a.dtype.kind in "fiu" for k in _far_rows(a)])
    far = np.array(list(found)[: _limits.DISTRIBUTED_SAMPLE], int)
    rows = np.append(np.setdiff1d(np.arange(min(chunk.rows, _limits.DISTRIBUTED_ROWS)), far), far)
    looked_at = chunk._replace(arrays=[a[rows] if c else a for a, c in zip(chunk.arrays, cut, strict=True)])
    ends = [0, *pieces(len(rows), len(far)), len(rows)]
    try:
        whole, *apart = [
            returned(f, theta, order.arguments((), looked_at, *part)) for part in ((0, len(rows)), *pairwise(ends))
        ]
    except np.linalg.LinAlgError:  # outside of the function's domain it says nothing
        return
    kinds = [a.dtype for a in chunk.arrays]
    are_equal(order.title, f"rows of {word}", kinds, whole, np.concatenate(list(map(np.ravel, apart))), len(apart))


def _far_rows(a: np.ndarray) -> list[int]:
    """Where the columns have their largest and smallest numbers; some rows at a time, for they lie across memory."""
    each, few = np.arange(a.shape[1]), _limits.DISTRIBUTED_ROWS
    blocks = ((k, np.ascontiguousarray(a[k : k + few].T)) for k in range(0, len(a), few))
    high, low = np.array([(k + b.argmax(1), k + b.argmin(1)) for k, b in blocks]).transpose(1, 0, 2)
    return [*high[a[high, each].argmax(0), each].tolist(), *low[a[low, each].argmin(0), each].tolist()]


def _weight(weights: np.ndarray, rows: int) -> float:
    """The sum of the weights of the rows, which may be one number for all."""
    return float(weights.sum(dtype=np.float64)) * (1 if weights.ndim else rows)


def _split(chunk: Chunk) -> tuple[np.ndarray, Chunk]:
    """The groups of the rows, and the chunk without them."""
    groups = chunk.arrays[-1]
    if groups.dtype.kind == "f" and np.isnan(groups).any():
        raise ChunkError("clusters holds nan", "", "Give every row a group.")
    if groups.shape != (chunk.rows,):
        raise ChunkError(f"clusters has the shape {groups.shape} for {chunk.rows} rows", "", "Give every row a group.")
    spec = chunk.spec._replace(parts=chunk.spec.parts[:-1])
    return groups, chunk._replace(arrays=chunk.arrays[:-1], whole=chunk.whole[:-1], spec=spec)


def _block(order: Order, args: list[Any], rows: int) -> list[np.ndarray]:
    program = order.programs.get(rows)
    if program is not None:
        found = program.run(flatten((tuple(args), ()))[0])
        if found is not None:
            return found
        return _on_worker(order).job.by_tape(*args)
    return _on_worker(order).run(args)


def _why_nan(word: str, chunk: Chunk) -> str:
    """Where a chunk that gives NaN has NaN itself."""
    for array, path in zip(chunk.arrays, chunk.kind.paths, strict=False):
        if array.dtype.kind in "fc" and np.isnan(array).any():
            place = np.argwhere(np.isnan(array))
            rows = sorted({int(p[0]) if len(p) else 0 for p in place})
            return f"{word}: {path} is nan in row{'s' * (len(rows) > 1)} {listed(rows)}"
    return f"{word}: its data hold no nan"


def add_up(*several: Partial) -> Partial:
    """The sum of sums, in the order in which they stand."""
    full = [p for p in several if p.sums]
    chunks, rows = sum([p.chunks for p in several]), sum([p.rows for p in several])
    weight = float(sum([p.weight for p in several]))
    bad = [word for p in several for word in p.bad][:NAMED]
    count = sum(p.bad_count for p in several)
    if not full:
        return Partial(chunks, rows, weight, [], None, bad, count)
    if full[0].groups is not None:
        names, numbers = np.unique(np.concatenate([p.groups for p in full]), return_inverse=True)
        summed = np.zeros((len(names), *full[0].sums[0].shape[1:]))
        np.add.at(summed, numbers.reshape(-1), np.concatenate([p.sums[0] for p in full]))
        return Partial(chunks, rows, weight, [summed], names, bad, count)
    sums = list(full[0].sums)
    with np.errstate(all="ignore"):  # of inf and -inf: the sum is looked at
        for p in full[1:]:
            sums = [a + b for a, b in zip(sums, p.sums, strict=True)]
    return Partial(chunks, rows, weight, sums, None, bad, count)


__all__ = ["Order", "Partial", "add_up", "run_chunks"]
