"""From how many rows on two workers win over one process: of data in memory, and of data on disk.

    OMP_NUM_THREADS=1 python tests/benchmarks/distributed_crossover.py      # five minutes at most; a gigabyte on disk

Value, gradient and Hessian of a logistic regression with ten columns. One process computes what is in memory with
`sg.compile`, what is on disk group by group (`distributed_rows.by_hand`); two workers get the same arrays as Dask's, in
eight chunks or more, or the same files. A figure is the least of several runs in turns.
"""

from __future__ import annotations

import tempfile
import warnings
from functools import partial
from pathlib import Path

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from distributed_rows import GROUP, TRUTH, K, by_hand, in_turns, logit, made
from pyarrow import dataset

import symgrad as sg

ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
IN_MEMORY = 1_000_000


def of_arrays(b, X, y):
    z = X @ b
    return np.logaddexp(0, z) - y * z


def main() -> None:
    folder, b = Path(tempfile.gettempdir()) / "symgrad-rows", np.full(K, 0.1)
    here = sg.compile(lambda b, X, y: of_arrays(b, X, y).sum())
    warnings.simplefilter("ignore")  # of large graphs: what is sent is in memory
    print(" ".join([f"{w:>12}" for w in ("rows", "memory: one", "two, sent", "two, kept", "disk: one", "two")]))
    settings = dict(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="4GB")
    with LocalCluster(**settings) as cluster, Client(cluster):
        for rows in ROWS:
            calls = {}
            if rows <= IN_MEMORY:
                rng = np.random.default_rng(0)
                X = rng.normal(size=(rows, K))
                y = (X @ TRUTH + rng.logistic(size=rows) > 0).astype(float)
                chunk = min(GROUP, -(-rows // 8))
                parts = da.from_array(X, chunks=(chunk, K)), da.from_array(y, chunks=chunk)
                kept = tuple([p.persist() for p in parts])
                calls["one"] = partial(here, b, X, y)
                total = sg.distributed.sum_over(of_arrays)
                calls["sent"] = partial(total.value_grad_hessian, b, *parts)
                calls["kept"] = partial(sg.distributed.sum_over(of_arrays).value_grad_hessian, b, *kept)
            data = dataset.dataset(str(made(folder, rows)))
            groups = [g for f in data.get_fragments() for g in f.split_by_row_group()]
            calls["disk one"] = partial(by_hand, groups, b)
            calls["disk two"] = partial(sg.distributed.sum_over(logit).value_grad_hessian, b, data)
            for call in calls.values():
                call()
            took = in_turns(calls, 5 if rows < 10**6 else 3)
            columns = [f"{took[name]:12.4f}" if name in took else f"{'–':>12}"
                       for name in ("one", "sent", "kept", "disk one", "disk two")]  # fmt: skip
            print(f"{rows:12,} {' '.join(columns)}", flush=True)


if __name__ == "__main__":
    main()
