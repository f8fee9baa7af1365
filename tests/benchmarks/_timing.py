"""Timing side by side: peers take turns, and each keeps its best run.

The idea to hold: on a busy machine a mean measures the neighbours. The minimum of many short runs, with the peers
interleaved so that a slow second hits all of them, measures the code. The garbage collector stays on, as for users.
"""

import os
import platform
from collections.abc import Callable
from time import perf_counter, sleep

# Seconds until the worker threads of the peer before (OpenMP, OpenBLAS) have stopped spinning for work; without the
# pause they take the processor from the next peer.
SETTLE = 0.05


def loops_for(call: Callable[[], object], at_least: float, clock: Callable[[], float] = perf_counter) -> int:
    """How often to run `call`, after one run to warm up, so that one timing lasts `at_least` seconds."""
    call()
    loops = 1
    while True:
        took = timed(call, loops, clock)
        if took >= at_least:
            return loops
        loops = max(loops + 1, int(loops * min(10.0, 1.2 * at_least / max(took, 1e-9))))


def timed(call: Callable[[], object], loops: int, clock: Callable[[], float] = perf_counter) -> float:
    start = clock()
    for _ in range(loops):
        call()
    return clock() - start


class Race:
    """The least milliseconds per call of each peer, kept over any number of rounds in which every peer runs once.

    `at_least` is the length of one run in seconds. Every run follows a pause and an untimed call; the order of the
    peers is turned round after every round. On a shared machine, `clock` may be the processor's (`process_time`).
    """

    def __init__(
        self,
        calls: dict[str, Callable[[], object]],
        at_least: float = 0.01,
        clock: Callable[[], float] = perf_counter,
    ):
        self.calls, self.clock = calls, clock
        self.loops = {name: loops_for(call, at_least, clock) for name, call in calls.items()}
        self.best = dict.fromkeys(calls, float("inf"))
        self.order = list(calls)

    def run(self, rounds: int) -> None:
        for _ in range(rounds):
            for name in self.order:
                sleep(SETTLE)
                self.calls[name]()
                per_call = timed(self.calls[name], self.loops[name], self.clock) / self.loops[name]
                self.best[name] = min(self.best[name], 1000 * per_call)
            self.order.reverse()


def machine() -> str:
    """Say where a figure was measured: processor, CPUs usable by this process, system, Python."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{processor()}, {cpus} CPUs, {platform.system()}, Python {platform.python_version()}"


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
