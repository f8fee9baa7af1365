"""Where a sum over 10⁸ or 10¹⁰ rows stops scaling, and how many sums a task of the tree should add up: by simulation.

    python tests/benchmarks/distributed_scaling.py            # with the constants below
    python tests/benchmarks/distributed_scaling.py --measure  # measures them here first, on a local cluster

A pass is: the client builds the graph, the scheduler hands out one task after the other, workers compute and send
their sums on. The simulation is of these events: each task waits for the scheduler, a free worker and the sums that it
adds up. Constants are of one chunk (reading and computing a row), of one task (scheduler, worker) and of one message.
"""

from __future__ import annotations

import argparse
import heapq
import time
from typing import NamedTuple

import numpy as np

import symgrad as sg


class Costs(NamedTuple):
    """Seconds."""

    row: float = 3.5e-7  # ten columns read from Parquet, value, gradient and Hessian
    scheduler: float = 2.2e-4  # of the scheduler's own time for a task, from submission to memory
    task: float = 5.2e-4  # of a worker's, beside computing
    message: float = 1e-3  # until a sum is where it is added, its latency
    number: float = 8 / 1e9  # for each number of it
    client: float = 5e-5  # for each task of the graph


def simulated(rows: float, chunk: int, workers: int, fan: int, numbers: int, costs: Costs) -> float:
    """Seconds of one pass."""
    count = max(1, int(np.ceil(rows / chunk)))
    now = costs.client * count * (1 + 1 / (fan - 1))  # the graph is built and sent
    free = [now] * workers
    ready, clock = [], now
    for _ in range(count):  # in the order in which the scheduler gets to them
        clock = max(clock + costs.scheduler, now)
        begin = max(clock, heapq.heappop(free)) + costs.task
        end = begin + costs.row * chunk
        heapq.heappush(free, end)
        ready.append(end)
    while len(ready) > 1:
        above = []
        for k in range(0, len(ready), fan):
            group = ready[k : k + fan]
            clock = max(clock, max(group)) + costs.scheduler if max(group) > clock else clock + costs.scheduler
            begin = max(max(group), heapq.heappop(free)) + costs.task + costs.scheduler
            end = begin + costs.message + len(group) * numbers * costs.number * 2
            heapq.heappush(free, end)
            above.append(end)
        ready = above
    return ready[0]


def measured() -> Costs:
    """The constants of this machine: of tasks and messages."""
    from distributed import Client, LocalCluster

    def passes(count: int) -> float:
        parts = [np.ones((5, 3)) * (k % 7) for k in range(count)]
        runs = []
        for _ in range(3):
            begin = time.perf_counter()
            total.hessian(np.ones(3), parts)
            runs.append(time.perf_counter() - begin)
        return min(runs)

    total = sg.distributed.sum_over(lambda b, X: (X @ b) ** 2)
    of_a_task = []
    for workers in (1, 2):
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as made, Client(made):
            passes(10)
            of_a_task.append((passes(1010) - passes(10)) / 1000)
    one, two = of_a_task  # worker + scheduler where they take turns; with two workers the larger of both counts
    print(f"a chunk of nothing: {1e3 * one:.2f} ms with one worker, {1e3 * two:.2f} ms with two")
    return Costs(scheduler=min(two, one) / 2, task=max(one - min(two, one) / 2, 1e-4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true")
    costs = measured() if parser.parse_args().measure else Costs()
    print(costs)
    print("rows    chunk  workers    pass s   efficiency")
    for rows, chunk in ((1e8, 250_000), (1e8, 1_000_000), (1e10, 1_000_000), (1e10, 10_000_000)):
        for workers in (10, 100, 1000):
            took = simulated(rows, chunk, workers, 16, 111, costs)
            print(
                f"1e{np.log10(rows):.0f} {chunk:9,} {workers:8,} {took:9.1f} {rows * costs.row / workers / took:9.0%}"
            )
    print("fan-in of the tree, 10,000 chunks of 1,000,000 rows, 100 workers, seconds of a pass")
    for size in (10, 100, 1000):
        line = [f"{simulated(1e10, 1_000_000, 100, fan, size * size, costs):.1f}" for fan in (2, 4, 8, 16, 32, 128)]
        print(f"{size:5} parameters, fan-in 2 4 8 16 32 128: {' '.join(line)}")
    line = [f"{simulated(2.5e7, 250_000, 100, fan, 10**6, costs):.2f}" for fan in (2, 4, 8, 16, 32, 128)]
    print(f"100 chunks on 100 workers, 1000 parameters:  {' '.join(line)}")


if __name__ == "__main__":
    main()
