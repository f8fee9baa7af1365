"""Large arrays: element-wise work in blocks that stay in cache, shared between threads.

A chain of NumPy calls makes a pass through memory per call, on one processor. An element-wise function may be
applied block by block instead, its temporaries never leaving the cache, and NumPy lets go of the interpreter
lock while it computes, so that two threads do twice the work.

The idea to hold: parts of the work are taken, by whoever comes first, and the caller takes what nobody has taken. So it
is done where no other thread can be had: the main one has ended, or the system allows no more.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .._limits import BLOCK

_pool: Any = None


@cache
def _threads() -> int:
    """How many threads share the work, the caller's among them."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, 8)


def _executor() -> Any:
    """The worker threads, started on first use (and anew in a forked process)."""
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(max(1, _threads() - 1), thread_name_prefix="symgrad")
    return _pool


def _after_fork() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def blockable(arrays: Sequence[Any], shape: tuple[int, ...]) -> bool:
    """Whether the arrays can be cut where a result of ``shape`` is: numbers, and contiguous arrays of that shape."""
    return all(a.shape == shape and a.flags.c_contiguous for a in arrays if isinstance(a, np.ndarray))


def run(fn: Callable[..., Any], arrays: Sequence[Any], out: np.ndarray, block: int = BLOCK) -> np.ndarray:
    """Fill ``out`` with ``fn(*arrays, out=…)`` block by block; ``fn(*slices, out)`` writes its slice."""
    if not out.flags.c_contiguous:
        raise ValueError("blocks are written to contiguous memory")  # a flattened copy would be filled, and lost
    flat = [a.reshape(-1) if isinstance(a, np.ndarray) else a for a in arrays]
    target = out.reshape(-1)
    size = target.size
    state: Any = {**np.geterr(), "call": np.geterrcall()}

    def part(start: int, stop: int) -> None:
        with np.errstate(**state):  # a worker thread has its own floating-point settings
            for lo in range(start, stop, block):
                hi = min(lo + block, stop)
                fn(*(a[lo:hi] if isinstance(a, np.ndarray) else a for a in flat), target[lo:hi])

    count = _threads()
    parts = deque((size * i // count, size * (i + 1) // count) for i in range(count))

    def work() -> None:
        while parts:
            try:
                taken = parts.popleft()
            except IndexError:  # by somebody else meanwhile
                return
            part(*taken)

    jobs: list[Any] = []
    try:
        for _ in range(count - 1):
            jobs.append(_executor().submit(work))
    except RuntimeError:  # there is no thread to be had
        pass
    try:
        work()
    finally:
        for job in jobs:
            if not job.cancel():
                job.result()
        flat.clear()  # what was cancelled lies in the queue until a thread comes by, and holds no memory there
        target = np.empty(0)
    return out
