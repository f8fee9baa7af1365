"""A sum over all chunks, by a tree: as tasks of Dask, on whatever runs them.

The idea to hold: the tree is laid out by the numbers of the chunks alone, so that the sum does not depend on who
computes what, and when. Its root says how many chunks it is of; whatever happens before, there is no sum.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from .. import _limits
from .._progress import Task
from ._chunked_data import Parts
from ._cluster_errors import ChunkError, DistributedError, cause_of, listed, require_dask
from ._own_tasks import Calls, Value, calls_of
from ._worker_orders import Order, Partial, add_up, run_chunks

LOOK = 3
"""Seconds after which it is looked whether there are workers still."""

_PER_WORKER = 4
"""Tasks that each worker is to have at least: then they end at about the same time."""


def _workers(client: Any) -> int:
    """How many workers there are."""
    client = client_of(client)
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
    order: Order, first: tuple[Any, ...], found: Calls, label: str, at_once: int = 1
) -> tuple[dict[Any, Any], list[Any], Any]:
    """The tasks of all chunks, their keys, and the token that tells one pass from another.

    With ``at_once`` the chunks that the tree adds up first are one task: the same sums in the same order, and fewer
    tasks for the scheduler.
    """
    token = uuid4().hex[:12]
    said, at = f"program-{label}-{token}", f"parameters-{token}"
    graph: dict[Any, Any] = {**found.graph, said: Value(order), at: Value(first)}
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


def total(order: Order, first: tuple[Any, ...], data: list[Parts], client: Any, label: str, progress: Any) -> Partial:
    """The sum over all chunks.

    Raises
    ------
    ChunkError : a chunk failed, or its result is no number
    DistributedError : the cluster did not finish
    """
    words, enough = data[0].words, _PER_WORKER * _workers(client)
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
    keys = [(f"{label}-{token}", k) for k in range(len(calls))]
    graph = {**(graph or {}), **dict(zip(keys, calls, strict=True))}
    graph[f"all-{label}-{token}"] = (_listed, *keys)
    return list(computed(graph, f"all-{label}-{token}", client, progress, title))


def _listed(*values: Any) -> list[Any]:
    return list(values)


__all__ = ["client_of", "computed", "laid_out", "listed", "require_running", "run_all", "total"]
