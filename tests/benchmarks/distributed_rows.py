"""Logistic regression on Parquet files that need not fit into memory: passes, fits, memory; beside NumPy by hand and
statsmodels.

    export OMP_NUM_THREADS=1                                          # as the workers have it
    python tests/benchmarks/distributed_rows.py                       # two million rows, a minute or two
    python tests/benchmarks/distributed_rows.py --rows 20_000_000     # twenty million: 1.7 GB on disk
    python tests/benchmarks/distributed_rows.py --chunks 2000         # what a chunk costs, and a task

All of it on local clusters of processes with a thread each. "By hand" is one process that reads the same groups of rows
and computes the same sums with NumPy. A figure is the least of several runs; ratios are of one run of the script.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

import dask
import numpy as np
import pyarrow as pa
from distributed import Client, LocalCluster
from pyarrow import dataset, parquet

import symgrad as sg

K, GROUP, FILES = 10, 250_000, 8
COLUMNS = [f"x{k}" for k in range(K)]
TRUTH = np.linspace(-0.5, 0.5, K)


def made(folder: Path, rows: int) -> Path:
    """The data, in files, made once."""
    folder = folder / f"logit-{rows}"
    if folder.is_dir():
        return folder
    folder.mkdir(parents=True)
    per_file = -(-rows // FILES)
    for k in range(FILES):
        rng, left = np.random.default_rng(k), min(per_file, rows - k * per_file)
        with parquet.ParquetWriter(folder / f"part{k}.parquet", schema(), compression="none") as writer:
            while left > 0:
                n = min(left, GROUP)
                X = rng.normal(size=(n, K))
                y = (X @ TRUTH + rng.logistic(size=n) > 0).astype(float)
                writer.write_table(pa.table([*X.T.copy(), y], schema=schema()), row_group_size=GROUP)
                left -= n
    return folder


def schema() -> pa.Schema:
    return pa.schema([(name, pa.float64()) for name in (*COLUMNS, "y")])


def logit(b, rows):
    z = np.stack([rows[name] for name in COLUMNS], axis=1) @ b
    return np.logaddexp(0, z) - rows["y"] * z


def by_hand(groups, b, read_only=False):
    """Value, gradient and Hessian with NumPy, group by group."""
    value, gradient, matrix = 0.0, np.zeros(K), np.zeros((K, K))
    for group in groups:
        table = group.to_table(batch_size=GROUP, use_threads=False)
        columns = [table.column(name).to_numpy() for name in COLUMNS]
        y = table.column("y").to_numpy()
        if read_only:
            continue
        X = np.stack(columns, axis=1)
        z = X @ b
        p = 1 / (1 + np.exp(-z))
        value += (np.logaddexp(0, z) - y * z).sum()
        gradient += X.T @ (p - y)
        matrix += (X * (p * (1 - p))[:, None]).T @ X
    return value, gradient, matrix


def best(f, times=3):
    runs = []
    for _ in range(times):
        begin = time.perf_counter()
        found = f()
        runs.append(time.perf_counter() - begin)
    return min(runs), found


def resident() -> int:
    """The memory of this process that is in use, in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "symgrad-rows")
    parser.add_argument("--chunks", type=int, default=0)
    given = parser.parse_args()
    if given.chunks:
        return of_chunks(given.chunks)
    folder = made(given.folder, given.rows)
    data = dataset.dataset(str(folder))
    groups = [g for f in data.get_fragments() for g in f.split_by_row_group()]
    b = np.full(K, 0.1)
    reading, _ = best(lambda: by_hand(groups, b, True))
    hand, truth = best(lambda: by_hand(groups, b))
    print(f"{given.rows:,} rows × {K} columns, {len(groups)} groups of rows")
    print(f"reading alone            {reading:8.2f} s")
    print(f"by hand, one process     {hand:8.2f} s")
    total = sg.distributed.sum_over(logit)
    with dask.config.set(scheduler="synchronous"):
        total.value_grad_hessian(b, data)
        here, _ = best(lambda: total.value_grad_hessian(b, data))
    print(f"a pass in this process   {here:8.2f} s, {here / hand:.2f} times by hand")
    passes = {}
    for workers in (1, 2):
        with LocalCluster(workers, threads_per_worker=1, dashboard_address=":0", memory_limit="1.5GB") as made_here:
            with Client(made_here) as client:
                total = sg.distributed.sum_over(logit)
                begin = time.perf_counter()
                total.value_grad_hessian(b, data)
                first = time.perf_counter() - begin
                passes[workers], found = best(partial(total.value_grad_hessian, b, data))
                before = sum(client.run(time.process_time).values())
                total.value_grad_hessian(b, data)
                busy = sum(client.run(time.process_time).values()) - before
                for mine, theirs in zip(found, truth, strict=True):
                    np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())
                begin = time.perf_counter()
                fit = sg.minimize(logit, np.zeros(K), data, method="newton")
                errors = fit.standard_errors("sandwich")
                took = time.perf_counter() - begin
                peak = max(client.run(resident).values())
        of_them = f"the first {first:.2f}, {busy:.2f} s of their processors"
        print(f"pass, {workers} worker{'s' * (workers > 1)}          {passes[workers]:8.2f} s ({of_them})")
        print(f"Newton and standard errors {took:6.2f} s, {fit.nit} iterations, converged: {fit.converged}")
        print(f"peak memory of a worker  {peak / 1e9:8.2f} GB")
    print(f"1 worker / by hand {passes[1] / hand:.2f}, 1 worker / 2 workers {passes[1] / passes[2]:.2f}")
    print(f"largest error of the estimates in standard errors: {np.abs((fit.x - TRUTH) / errors).max():.2f}")
    beside_statsmodels(data, given.rows)


def beside_statsmodels(data, rows, most=500_000) -> None:
    try:
        import statsmodels.api as sm
    except ImportError:
        return print("statsmodels: python -m pip install statsmodels")
    table = data.head(min(rows, most))
    X = np.stack([table.column(name).to_numpy() for name in COLUMNS], axis=1)
    y = table.column("y").to_numpy()
    theirs, model = best(lambda: sm.Logit(y, X).fit(disp=False, method="newton"), 2)
    columns = {name: table.column(name).to_numpy() for name in (*COLUMNS, "y")}
    here, _ = best(lambda: sg.minimize(logit, np.zeros(K), columns), 2)
    parts = [{name: c[k : k + GROUP] for name, c in columns.items()} for k in range(0, len(y), GROUP)]
    chunked, fit = best(lambda: sg.minimize(logit, np.zeros(K), sg.distributed.chunks(parts)), 2)
    np.testing.assert_allclose(fit.x, model.params, rtol=1e-6)
    np.testing.assert_allclose(fit.standard_errors(), model.bse, rtol=1e-5)
    print(f"{len(y):,} rows in memory: statsmodels {theirs:.2f} s, sg.minimize {here:.2f} s, in chunks {chunked:.2f} s")


def of_chunks(count: int) -> None:
    """What a chunk costs where there is next to nothing to compute."""
    X = np.random.default_rng(0).normal(size=(400, 3))
    parts = [X[k % 395 : k % 395 + 5] for k in range(count)]
    total = sg.distributed.sum_over(lambda b, X: (X @ b) ** 2 + np.log1p((X @ b) ** 2))
    b = np.ones(3)
    alone, _ = best(lambda: total.hessian(b, parts))
    print(f"{count:,} chunks, Dask's threads: {1e3 * alone / count:.2f} ms each")
    for workers in (1, 2):
        with LocalCluster(workers, threads_per_worker=1, dashboard_address=":0") as made_here, Client(made_here):
            took, _ = best(lambda: total.hessian(b, parts))
            print(f"{count:,} chunks, {workers} workers: {1e3 * took / count:.2f} ms each")


if __name__ == "__main__":
    main()
