"""Logistic regression on Parquet files that need not fit into memory: passes, fits, memory; beside NumPy by hand and
statsmodels.

    export OMP_NUM_THREADS=1                                          # as the workers have it
    python tests/benchmarks/distributed_rows.py                       # two million rows, two minutes
    python tests/benchmarks/distributed_rows.py --fit                 # fits too, beside statsmodels
    python tests/benchmarks/distributed_rows.py --rows 20_000_000     # twenty million: 1.7 GB on disk

All of it on local clusters of processes with a thread each. "By hand" is one process that reads the same groups of rows
and computes the same sums with NumPy. A figure is the least of several runs in turns; ratios are of one run of the
script.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

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
    whole = folder / f"logit-{rows}"
    if whole.is_dir():
        return whole
    folder = folder / f"logit-{rows}-{os.getpid()}"  # so that what a stopped run leaves is not taken for all
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
    return folder.rename(whole)


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


def in_turns(calls, times):
    """The least time of each call, one after the other several times."""
    least = dict.fromkeys(calls, np.inf)
    for _ in range(times):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - begin)
    return least


def called(workers: int) -> str:
    return f"{workers} worker{'s' * (workers > 1)}"


@contextmanager
def clusters(**settings):
    """A client of one worker, and one of two."""
    with ExitStack() as stack:
        found = {}
        for workers in (1, 2):
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", **settings)
            found[workers] = stack.enter_context(Client(stack.enter_context(cluster), set_as_default=False))
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "symgrad-rows")
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    folder = made(given.folder, given.rows)
    data = dataset.dataset(str(folder))
    groups = [g for f in data.get_fragments() for g in f.split_by_row_group()]
    b = np.full(K, 0.1)
    truth = by_hand(groups, b)
    print(f"{given.rows:,} rows × {K} columns, {len(groups)} groups of rows; the least of {given.times} turns")
    with clusters(memory_limit="1.5GB") as clients:
        calls = {"reading": lambda: by_hand(groups, b, True), "by hand": lambda: by_hand(groups, b)}
        for workers, client in clients.items():
            total = sg.distributed.sum_over(logit, client=client)
            for mine, theirs in zip(total.value_grad_hessian(b, data), truth, strict=True):
                np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())
            calls[called(workers)] = partial(total.value_grad_hessian, b, data)
        took = in_turns(calls, given.times)
        for name, seconds in took.items():
            print(f"{name:28} {seconds:8.3f} s")
        print(f"{'1 worker / by hand':28} {took['1 worker'] / took['by hand']:8.2f}")
        print(f"{'1 worker / 2 workers':28} {took['1 worker'] / took['2 workers']:8.2f}")
        for workers, client in clients.items():
            before = sum(client.run(time.process_time).values())
            calls[called(workers)]()
            busy = sum(client.run(time.process_time).values()) - before
            peak = max(client.run(resident).values())
            print(f"{called(workers)}: {busy:.2f} s of their processors, at most {peak / 1e9:.2f} GB")
    if given.fit:
        fitted(data)
        beside_statsmodels(data, given.rows)
    of_chunks(given.chunks, given.folder)


def fitted(data) -> None:
    settings = dict(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="1.5GB")
    with LocalCluster(**settings) as cluster, Client(cluster):
        begin = time.perf_counter()
        fit = sg.minimize(logit, np.zeros(K), data, method="newton")
        errors = fit.standard_errors("sandwich")
        print(f"Newton and standard errors, 2 workers {time.perf_counter() - begin:.2f} s, {fit.nit} iterations")
    print(f"largest error of the estimates in standard errors: {np.abs((fit.x - TRUTH) / errors).max():.2f}")


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


def little(b, X):
    return (X @ b) ** 2 + np.log1p((X @ b) ** 2)


def of_a_table(b, rows):
    return little(b, np.stack([rows["u"], rows["v"], rows["w"]], 1))


def of_chunks(count: int, folder: Path) -> None:
    """What a chunk costs where there is next to nothing to compute: of Dask arrays, groups of Parquet, a list."""
    import dask.array as da

    b, n = np.ones(3), min(count, 1000)
    X = np.random.default_rng(0).normal(size=(5 * count, 3))
    file = folder / "chunks-100.parquet"
    if not file.exists():
        parquet.write_table(pa.table(dict(zip("uvw", X[:500].T, strict=True))), file, row_group_size=5)
    kinds = {
        "Dask arrays": (little, da.from_array(X[: 5 * n], chunks=(5, 3)), n),
        "Dask arrays, few": (little, da.from_array(X[:500], chunks=(5, 3)), 100),
        "Parquet": (of_a_table, dataset.dataset(str(file)), 100),
        "lists": (little, [X[5 * k : 5 * k + 5] for k in range(n)], n),
        "lists, all": (little, [X[5 * k : 5 * k + 5] for k in range(count)], count),
    }
    with clusters() as clients:
        for workers, client in clients.items():
            calls = {}
            for kind, (f, data, _) in kinds.items():
                total = sg.distributed.sum_over(f, client=client)
                total.hessian(b, data)
                calls[kind] = partial(total.hessian, b, data)
            for kind, seconds in in_turns(calls, 2).items():
                of = kinds[kind][2]
                print(f"{kind:20} {of:6,} chunks, {called(workers):9} {1e3 * seconds / of:8.2f} ms each")


if __name__ == "__main__":
    main()
