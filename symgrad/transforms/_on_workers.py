"""A Hessian whose columns are worked out by the workers of a cluster: ``sg.hessian(f, client=client)``.

The idea to hold: every worker records the gradient of the function once, and answers for some of the columns, or of the
colours of a sparse pattern. The function runs on each worker, the matrix is put together here.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

import numpy as np

from .. import _limits
from .._errors import GradientError, SymgradError
from .._progress import Task
from ._arguments import Arguments
from ._by_tape import through
from ._memory import require_memory
from ._recurrences import rolled
from ._run import Run
from ._sparse import pattern_of
from ._variables import pull

_RECORDED: dict[str, tuple[Any, Any]] = {}
"""The gradient that this process has recorded last, by what it was asked with."""

_ONE = threading.Lock()
"""Threads of one worker share a recorded graph: one at a time walks it, or replaces it."""


def by_workers(hessian: Any, args: Any, kwargs: Any) -> Any:
    """The matrix in the form of the arguments, by products that workers compute."""
    if hessian.format == "structured":
        raise GradientError("sg.hessian(…, client=…) has no format 'structured'", "", "Choose 'dense' or 'csr'.")
    if hessian.has_aux or hessian.holomorphic:
        raise GradientError(
            "sg.hessian(…, client=…) takes no has_aux= or holomorphic=", "", "Leave them out, or the client."
        )
    _require_running(hessian.client)
    run = Run("hessian", Arguments(hessian.function, args, kwargs, hessian.argnums))
    tensors, output = run.variables.tensors, run.output
    n = sum(t._data.size for t in tensors)
    packed = _packed(hessian, args, kwargs)
    if hessian.format == "csr":
        matrix = _sparse(hessian, run, packed)
    else:
        require_memory(n, output._data.dtype)
        rows = _products(hessian, packed, n, [("columns", k) for k in range(n)])
        matrix = np.asarray(0.5 * (rows + rows.T))
    return hessian._formed(run, matrix)


def _packed(hessian: Any, args: Any, kwargs: Any) -> bytes:
    """The function and its arguments, as they travel."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps((hessian.function, args, kwargs, hessian.argnums)))
    except Exception as error:
        raise GradientError(
            f"{hessian.__name__} cannot be sent to workers", f"{type(error).__name__}: {error}.",
            "Let the function close over arrays and numbers only: no open files, locks or connections.",
        ) from None  # fmt: skip


def _products(hessian: Any, packed: bytes, n: int, seeds: list[Any]) -> np.ndarray:
    """A product with the matrix for each seed, as rows, in order."""
    client, name = hessian.client, getattr(hessian.function, "__name__", "f").strip("<>")
    token = hashlib.sha256(packed).hexdigest()
    workers = max(len(client.scheduler_info().get("workers", ())), 1)
    at_once = hessian.chunk or max(1, -(-len(seeds) // (4 * workers)))
    parts = [seeds[k : k + at_once] for k in range(0, len(seeds), at_once)]
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):  # the function is to travel
        given = client.submit(bytes, packed, key=f"hessian-{name}-{uuid4().hex}")  # a task: who loses it gets it again
    futures = client.map(
        lambda part, given: _worked_out(token, given, part), parts, given=given, key=f"columns-of-hessian-{name}",
        pure=False,
    )  # fmt: skip
    try:
        with Task("second derivatives by workers", hessian.progress, len(futures), "chunks of columns") as task:
            for future in futures:
                future.add_done_callback(task.done)
            return np.concatenate(_gathered(client, futures)) if futures else np.zeros((0, n))
    except BaseException as error:
        with suppress(Exception):  # the client may be closed
            client.cancel(futures)
        if isinstance(error, Exception) and not isinstance(error, SymgradError):
            raise _told(error) from error
        raise


def _told(error: Exception) -> GradientError:
    """What went wrong, in words."""
    kind, said = type(error).__name__, f"{type(error).__name__}: {error}".strip(" :\n.")
    if kind == "KilledWorker":
        return GradientError(f"{_WHAT}: the workers that ran it died", f"{said}. The matrix was not finished.",
                             "Is it too large for a worker's memory? Give them more, or chunk=1.")  # fmt: skip
    if "Cancelled" in kind or "Closed" in kind:
        return GradientError(f"{_WHAT}: the run was cancelled", f"{said}. The matrix was not finished.",
                             "Run it again; if the client is closed, or the scheduler gone, connect anew.")  # fmt: skip
    return GradientError(f"{_WHAT}: it raised on a worker, and does not here", f"{said}.",
                         "Workers need the packages and files that the function uses.")  # fmt: skip


def _gathered(client: Any, futures: list[Any]) -> list[Any]:
    """The results; an error where nobody is left to compute them."""
    from distributed import wait

    alone: float | None = None
    while True:
        try:
            wait(futures, timeout=_LOOK)
            return list(client.gather(futures))
        except TimeoutError:
            _require_running(client)
            alone = None if client.scheduler_info().get("workers") else alone or time.monotonic()
            if alone is not None and time.monotonic() - alone > _limits.DISTRIBUTED_PATIENCE:
                raise GradientError(
                    f"{_WHAT}: there has been no worker for {_limits.DISTRIBUTED_PATIENCE} seconds",
                    "The matrix was not finished.", "Start workers: client.cluster.scale(2), say.",
                ) from None  # fmt: skip


_WHAT = "sg.hessian(…, client=…)"
_LOOK = 3
"""Seconds after which it is looked whether there are workers still."""


def _require_running(client: Any) -> None:
    """Raise where the client is none, or not connected."""
    if not hasattr(client, "scatter") or not hasattr(client, "scheduler_info"):
        raise GradientError(f"client is a {type(client).__name__}", "", "Pass a dask.distributed.Client.")
    if client.status not in ("running", "connecting"):
        raise GradientError(
            f"{_WHAT}: the client is {client.status}", "There is no matrix.", "Connect anew: Client(…)."
        )
    if client.asynchronous:
        raise GradientError(f"{_WHAT}: the client is asynchronous", "It cannot be waited for within its event loop.",
                            "Make one outside of it: Client(…), without asynchronous=True.")  # fmt: skip


def _worked_out(token: str, packed: bytes, seeds: list[Any]) -> np.ndarray:
    """Products on a worker: with unit vectors, or with vectors."""
    with _ONE:
        return _worked_out_alone(token, packed, seeds)


def _worked_out_alone(token: str, packed: bytes, seeds: list[Any]) -> np.ndarray:
    if token not in _RECORDED:
        f, args, kwargs, argnums = pickle.loads(packed)
        run = Run("hessian", Arguments(f, args, kwargs, argnums))
        output = rolled(run.output)
        tensors = run.variables.tensors
        first = pull([output], tensors, [None], True, True) if output._node is not None else []
        _RECORDED.clear()
        _RECORDED[token] = first, run
    first, run = _RECORDED[token]
    tensors = run.variables.tensors
    n = sum(t._data.size for t in tensors)
    if not first:
        return np.zeros((len(seeds), n))
    with np.errstate(all="ignore"):
        return np.stack([through(first, tensors, _vector(seed, n)) for seed in seeds])


def _vector(seed: Any, n: int) -> np.ndarray:
    kind, value = seed
    if kind == "vector":
        found: np.ndarray = value
        return found
    unit = np.zeros(n)
    unit[value] = 1.0
    return unit


def _sparse(hessian: Any, run: Run, packed: bytes) -> Any:
    """The matrix in CSR: a product for each colour of its pattern."""
    from scipy.sparse import csr_array

    from ..programs._colour import Recovery, star_colours

    tensors, output = run.variables.tensors, run.output
    n = sum(t._data.size for t in tensors)
    if output._node is None:
        return csr_array((n, n))
    pattern = pattern_of(output, tensors, "")
    recovery = Recovery(pattern, star_colours(pattern))
    seeds = recovery.seeds()
    vectors = [("vector", np.asarray(seeds[:, k])) for k in range(seeds.shape[1])]
    return recovery.matrix(_products(hessian, packed, n, vectors).T.copy())


__all__ = ["by_workers"]
