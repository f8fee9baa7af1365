"""What a worker is told, what it does with a chunk, and the sum over all chunks, by a tree."""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from .. import _limits
from .._errors import listed
from .._limits import bound
from .._progress import Task
from ..transforms.calls import flatten, tree_map
from ._chunks import (
    Chunk,
    ChunkCall,
    ChunkCalls,
    ChunkedArgument,
    ChunkError,
    DistributedError,
    Kind,
    NoSumError,
    Value,
    aligned,
    calls_of,
    cause_of,
    read_chunk,
    require_dask,
)
from ._jobs import OnWorker, Shipped, are_equal, blocks, cuts, returned, summed_within

# -------------------------------------------------------------------------------------------------------------------
# Memory that is used again while a task runs, where Dask tells processes to give all of it back at once

# The idea to hold: workers run with ``MALLOC_TRIM_THRESHOLD_``, so that what is freed goes to the system and comes back
# page by page, for each temporary of each block. While a task runs it is kept; afterwards it goes back, as Dask wants
# it.


_TRIM, _MAP = -1, -3
"""Numbers of ``mallopt``'s settings in glibc."""

_MAPPED = 1 << 17
"""Above so many bytes glibc asks the system for memory by default."""

_ALONE = threading.Lock()
_running = 0


@cache
def _libc() -> Any:
    """The C library, where it is glibc and was told to trim; else nothing."""
    if not os.environ.get("MALLOC_TRIM_THRESHOLD_", "").isdigit():
        return None
    try:
        library = ctypes.CDLL(None)
        return library if library.gnu_get_libc_version and library.mallopt else None
    except (OSError, AttributeError, TypeError):
        return None


def _set(trim: int, mapped: int) -> None:
    _libc().mallopt(_TRIM, trim)
    _libc().mallopt(_MAP, mapped)


DISTRIBUTED_HEAP = bound(1 << 25)
"""Bytes of an array up to which its memory is used again while a task of a worker runs (the most that glibc
takes)."""


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep freed memory until this ends, and what else runs in this process at the same time."""
    global _running
    if _libc() is None:
        yield
        return
    with _ALONE:
        _running += 1
        if _running == 1:
            _set(2 * DISTRIBUTED_HEAP, DISTRIBUTED_HEAP)
    try:
        yield
    finally:
        with _ALONE:
            _running -= 1
            if not _running:
                _set(int(os.environ["MALLOC_TRIM_THRESHOLD_"]), _MAPPED)
                _libc().malloc_trim(0)


# --------------------------------------------------------------- What a worker is told, and what it does with a chunk

# The idea to hold: the order is the same for all chunks, and goes to each worker once. A result is a sum with what it
# is a sum of (how many chunks, how many rows), so that a part can never be taken for the whole.


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
        return kept(_KEPT, order.token, lambda: OnWorker(pickle.loads(order.function), order.target))


def kept(made: OrderedDict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    """What was made for a key before, or is made now; the oldest is forgotten where there are too many."""
    found = made.get(key)
    if found is None:
        found = made[key] = make()
        while len(made) > _limits.PLANS:
            made.popitem(last=False)
    return found


def run_chunks(order: Value, first: Value, calls: Value, keys: Value, *values: Any) -> Partial:
    """Work out chunks one after the other, and add them up as the tree does; ``values`` are of keys that they share."""
    given = dict(zip(keys.value, values, strict=True))
    with kept_memory():
        return add_up(*[_run_chunk(order.value, first.value, call, given) for call in calls.value])


def _run_chunk(order: Order, first: tuple[Any, ...], call: ChunkCall, given: dict[Any, Any]) -> Partial:
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
    results = []
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
            groups, summed = summed_within(np.asarray(groups), rows)
            sums = [summed]
        else:
            sums = [rows]
    bad = [_why_nan(word, chunk)] if has_nan(sums) else []
    return Partial(1, chunk.rows, weight, sums, groups, bad, len(bad))


def _require_sum(order: Order, theta: Any, word: str, chunk: Chunk) -> None:
    """Raise where the function of rows of a chunk is not the sum of that of parts: of small and large ones, and of each
    row that has the largest or the smallest number. What a statistic of many rows does, it does not do of one."""
    f = _on_worker(order).job.rows.contributions
    columns = [a.reshape(chunk.rows, -1) for a, c in zip(chunk.arrays, chunk.cut, strict=True) if c and a.size]
    found = dict.fromkeys([k for a in columns if a.dtype.kind in "fiu" for k in _far_rows(a)])
    far = np.array(list(found)[: _limits.DISTRIBUTED_SAMPLE], int)
    rows = np.append(np.setdiff1d(np.arange(min(chunk.rows, _limits.DISTRIBUTED_ROWS)), far), far)
    looked_at = chunk.each(lambda a: a[rows])
    ends = [0, *cuts(len(rows), len(far)), len(rows)]
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


def has_nan(sums: list[np.ndarray]) -> bool:
    """Whether one of several arrays holds nan."""
    return any(np.isnan(a).any() for a in sums)


def _why_nan(word: str, chunk: Chunk) -> str:
    """Where a chunk that gives NaN has NaN itself."""
    for array, path in zip(chunk.arrays, chunk.kind.paths, strict=False):
        if array.dtype.kind in "fc" and np.isnan(array).any():
            place = np.argwhere(np.isnan(array))
            rows = sorted({int(p[0]) if len(p) else 0 for p in place})
            return f"{word}: {path} is nan in row{'s' * (len(rows) > 1)} {listed(rows, 3)}"
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
        every = np.concatenate([p.groups for p in full])
        names, summed = summed_within(every, np.concatenate([p.sums[0] for p in full]))
        return Partial(chunks, rows, weight, [summed], names, bad, count)
    sums = list(full[0].sums)
    with np.errstate(all="ignore"):  # of inf and -inf: the sum is looked at
        for p in full[1:]:
            sums = [a + b for a, b in zip(sums, p.sums, strict=True)]
    return Partial(chunks, rows, weight, sums, None, bad, count)


# ------------------------------------------ A sum over all chunks, by a tree: as tasks of Dask, on whatever runs them

# The idea to hold: the tree is laid out by the numbers of the chunks alone, so that the sum does not depend on who
# computes what, and when. Its root says how many chunks it is of; whatever happens before, there is no sum.


LOOK = 3
"""Seconds after which it is looked whether there are workers still."""

_PER_WORKER = 4
"""Tasks that each worker is to have at least: then they end at about the same time."""


def worker_count(client: Any) -> int:
    """How many workers a client has; 1 where Dask runs in this process."""
    return max(1, len(client.scheduler_info().get("workers", ())) if client is not None else 1)


def client_of(given: Any) -> Any:
    """The client to work with: the one given, or the one that is current; None where Dask runs in this process."""
    if given is not None:
        if not hasattr(given, "compute") or not hasattr(given, "submit"):
            raise DistributedError(f"client is a {type(given).__name__}", "", "Pass a dask.distributed.Client.")
        return _synchronous(given)
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    try:
        client = default_client()
    except ValueError:
        return None
    return _synchronous(client)


def _synchronous(client: Any) -> Any:
    """A client that can be waited for; an error where it is an event loop's."""
    if getattr(client, "asynchronous", False):
        raise DistributedError("the client is asynchronous", "Its results cannot be waited for within its event loop.",
                               "Make one outside of it: Client(…), without asynchronous=True.")  # fmt: skip
    return client


def require_running(client: Any) -> None:
    """Raise where there is no scheduler at the other end."""
    if client is not None and getattr(client, "status", "running") != "running":
        raise DistributedError(
            f"the client is {client.status}", f"Its scheduler was {getattr(client.scheduler, 'address', 'none')}."
            if getattr(client, "scheduler", None) is not None else "", "Connect anew: Client(…).",
        )  # fmt: skip


def chunk_keys(label: str, token: str, count: int) -> list[tuple[str, int]]:
    """The keys of the chunks' tasks: as the dashboard shows them, and no others."""
    return [(f"{label}-{token}", k) for k in range(count)]


def laid_out(
    order: Order, first: tuple[Any, ...], found: ChunkCalls, label: str, at_once: int = 1
) -> tuple[dict[Any, Any], list[Any], Any]:
    """The tasks of all chunks, their keys, and the token that tells one pass from another.

    With ``at_once`` the chunks that the tree adds up first are one task: the same sums in the same order, and fewer
    tasks for the scheduler.
    """
    token = uuid4().hex[:12]
    said, at = f"program-{label}-{token}", f"parameters-{token}"
    graph = {**found.graph, said: Value(order), at: Value(first)}
    starts = range(0, len(found.calls), at_once)
    keys = chunk_keys(label, token, len(starts))
    for key, k in zip(keys, starts, strict=True):
        shared = tuple(dict.fromkeys([s for several in found.shared[k : k + at_once] for s in several]))
        graph[key] = (run_chunks, said, at, Value(found.calls[k : k + at_once]), Value(shared), *shared)
    return graph, keys, token


def with_tree(graph: dict[Any, Any], keys: list[Any], label: str, token: str) -> Any:
    """Add the tasks that add up; return the key of the root."""
    level = 0
    while len(keys) > 1 or not level:
        groups = [keys[k : k + _limits.DISTRIBUTED_FAN] for k in range(0, len(keys), _limits.DISTRIBUTED_FAN)]
        above = [(f"sum-{label}-{token}", level, k) for k in range(len(groups))]
        graph.update({key: (add_up, *group) for key, group in zip(above, groups, strict=True)})
        keys, level = above, level + 1
    return keys[0]


def total(
    order: Order, first: tuple[Any, ...], data: list[ChunkedArgument], client: Any, label: str, progress: Any
) -> Partial:
    """The sum over all chunks.

    Raises
    ------
    ChunkError : a chunk failed, or its result is no number
    DistributedError : the cluster did not finish
    """
    words, enough = data[0].words, _PER_WORKER * worker_count(client_of(client))
    chunks = calls_of(data, own=len(words) >= enough)
    alike = len({frozenset(keys) for keys in chunks.shared}) == 1  # else what they get lies in many places
    at_once = _limits.DISTRIBUTED_FAN if alike and len(words) >= _limits.DISTRIBUTED_FAN * enough else 1
    graph, keys, token = laid_out(order, first, chunks, label, at_once)
    root = with_tree(graph, keys, label, token) if len(keys) > 1 or at_once == 1 else keys[0]
    named = {str(part): word for p in data if p.keyed for part, word in zip(p.parts, words, strict=True)}
    if at_once > 1:
        words = [f"{word}, or one of the next {at_once}," for word in words[::at_once]]
    named |= {str(key): word for key, word in zip(keys, words, strict=True)}
    found: Partial = computed(graph, root, client, progress, order.title, named)
    if found.chunks != len(data[0].parts):
        raise DistributedError(f"{order.title}: {found.chunks} of {len(data[0].parts)} chunks were summed", "", "")
    return found


def computed(graph: dict[Any, Any], key: Any, client: Any, progress: Any, title: str, named: Any = None) -> Any:
    """The value of a key of a graph; ``named`` says which chunk a key is of."""
    from dask.delayed import Delayed

    client = client_of(client)
    require_running(client)
    whole = Delayed(key, graph)
    if client is None:
        return _computed_here(whole, progress, title)
    try:
        future = client.compute(whole, optimize_graph=False)
    except Exception as error:
        raise DistributedError(
            f"{title}: the data cannot be sent to workers", f"{cause_of(_first(error))}.",
            "Let them hold arrays, numbers and text only: no open files, locks, or what another client keeps.",
        ) from error  # fmt: skip
    try:
        if progress:
            _shown(future, progress)
        with Task(title, False if progress else progress), _place_given_up():
            return _awaited(future, client, title)
    except DistributedError:
        _cancelled(future)
        raise
    except BaseException as error:  # Ctrl-C too: what was asked for is asked for no more
        _cancelled(future)
        if isinstance(error, Exception):
            raise _told(title, error, named or {}) from error
        raise


def _first(error: BaseException) -> BaseException:
    """What an error began with."""
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return error


@contextmanager
def _place_given_up() -> Iterator[None]:
    """Within a task of a worker: leave its thread to others while this waits, who else would wait for it."""
    from distributed import rejoin, secede
    from distributed.threadpoolexecutor import thread_state

    if not getattr(thread_state, "proceed", False):  # no worker's thread, or one that has given it up
        yield
        return
    secede()
    try:
        yield
    finally:
        rejoin()


def _cancelled(future: Any) -> None:
    """Let the cluster forget a run, if it is there still."""
    with suppress(Exception):
        future.cancel()
        future.release()


def _computed_here(whole: Any, progress: Any, title: str) -> Any:
    """By threads or processes of Dask's, as its configuration says."""
    from dask.callbacks import Callback

    # at the end of a program there are no new threads: this one does all
    ending = {} if threading.main_thread().is_alive() else {"scheduler": "synchronous"}
    try:
        with Task(title, progress, len(whole.dask), "tasks") as task, Callback(posttask=task.done):
            return whole.compute(optimize_graph=False, **ending)
    except DistributedError:
        raise
    except Exception as error:
        raise _told(title, error, {}) from error


def _shown(future: Any, progress: Any) -> None:
    from distributed import progress as bar

    if callable(progress):
        progress(future)
    else:
        bar(future, notebook=False)
        print()


def _awaited(future: Any, client: Any, title: str) -> Any:
    """The result; an error where nobody is left to compute it."""
    alone = None
    while True:
        try:
            return future.result(timeout=LOOK)
        except TimeoutError:
            if future.done():
                return future.result()
        if client.status not in ("running", "connecting"):
            raise DistributedError(f"{title}: the client is {client.status}", "There is no sum.", "Start again.")
        if client.scheduler_info().get("workers"):
            alone = None
        else:
            alone = alone or time.monotonic()
            if time.monotonic() - alone > _limits.DISTRIBUTED_PATIENCE:
                raise DistributedError(
                    f"{title}: there has been no worker for {_limits.DISTRIBUTED_PATIENCE} seconds",
                    "The sum was not finished.", "Start workers: client.cluster.scale(2), say.",
                )  # fmt: skip


def _told(title: str, error: Exception, named: dict[str, str]) -> DistributedError:
    """What went wrong, in words that say which chunk."""
    if type(error).__name__ == "KilledWorker":
        task = str(getattr(error, "task", ""))
        return ChunkError(
            f"{title}: {named.get(task, task)} failed",
            f"The workers that ran it, or had it next, died several times: {cause_of(error).splitlines()[0]}",
            "Is it too large for a worker's memory? Cut smaller chunks.",
        )
    cause = f"{cause_of(error).rstrip('.')}. There is no sum."
    if any(words in cause for words in _LOST):
        return DistributedError(
            f"{title}: data that workers kept are not there", cause,
            "They went with a worker, or lie on another cluster: load or persist them again.",
        )  # fmt: skip
    if "Cancelled" in type(error).__name__:
        return DistributedError(
            f"{title}: the run was cancelled", cause,
            "Run it again; if the client is closed, or the scheduler gone, connect anew.",
        )  # fmt: skip
    return DistributedError(f"{title}: the run failed", cause, "It is an error of what makes or reads the data.")


_LOST = ("lost dependencies", "Missing dependency")
"""What Dask says, with workers and without, where a task needs what nobody has and nobody can make."""


def run_all(
    calls: list[tuple[Any, ...]], label: str, client: Any, progress: Any, title: str, graph: Any = None
) -> list[Any]:
    """The results of calls, in order: tasks ``(function, argument, …)``, which may mention keys of a graph."""
    require_dask("sg.distributed")
    token = uuid4().hex[:12]
    keys = chunk_keys(label, token, len(calls))
    graph = {**(graph or {}), **dict(zip(keys, calls, strict=True))}
    graph[f"all-{label}-{token}"] = (_listed, *keys)
    return list(computed(graph, f"all-{label}-{token}", client, progress, title))


def _listed(*values: Any) -> list[Any]:
    return list(values)
