"""Dask's tasks run once, with the chunk that alone needs them, or for all that need them; the numbers are Dask's.

The idea to hold: every task counts how often it ran, and Dask itself says what the rows are.
"""

import collections
import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.distributed import _workers

pd = pytest.importorskip("pandas", reason='python -m pip install -e ".[test]"')
dask = pytest.importorskip("dask", reason='python -m pip install "symgrad[dask]"')
import dask.array as da  # noqa: E402

RAN, ALONE = collections.Counter(), threading.Lock()


def counted(name, *parts):
    """Rows made of others; the task counts itself."""
    with ALONE:
        RAN[name] += 1
    return np.concatenate([np.full((2, 2), float(name % 7)), *[p[:3] * 0.5 + 1 for p in parts]])


def squares(b, X):
    return (X @ b) ** 2 + (X @ b) ** 4


def products(b, X, y):
    return squares(b, X) * (1 + y**2)


B = np.array([0.3, -0.2])


@pytest.fixture
def sizes(monkeypatch):
    """How many tasks each run was."""
    found, plain = [], _workers.computed
    monkeypatch.setattr(_workers, "computed", lambda graph, *a: found.append(len(graph)) or plain(graph, *a))
    return found


def once(total, *data):
    """The Hessian by a pass over data that were looked at before, and how often each task ran in it."""
    with dask.config.set(scheduler="threads"):
        total.value(B, *data)
        RAN.clear()
        found = total.hessian(B, *data)
    return found, dict(RAN)


def whole(total, *rows):
    return sg.hessian(lambda b: total.function(b, *rows).sum())(B)


def test_reading_and_computing_are_one_task(sizes):
    X = da.random.default_rng(0).normal(size=(60, 2), chunks=(3, 2)) + 1
    y = X[:, 0] * 2
    total = sg.distributed.sum_over(products)
    found = total.hessian(B, X, y)
    assert sizes[-1] <= 20 + 2 + 3  # program and parameters; the tree
    rows, answers = dask.compute(X, y)
    np.testing.assert_allclose(found, whole(total, rows, answers), rtol=1e-12)
    many = da.random.default_rng(0).normal(size=(600, 2), chunks=(3, 2))
    total.hessian(B, many, many[:, 1])
    assert sizes[-1] < 40  # as of lists: those that the tree adds up first are one task


def test_a_task_that_two_chunks_need_runs_once():
    total, task = sg.distributed.sum_over(squares), dask.delayed(counted, pure=False)
    base = task(0)
    blocks = [task(k, base) for k in range(1, 30)]
    found, ran = once(total, blocks)
    assert ran == dict.fromkeys(range(30), 1)
    np.testing.assert_allclose(found, whole(total, np.concatenate(dask.compute(*blocks))), rtol=1e-12)


def test_what_two_arguments_of_a_chunk_are_made_of_is_read_once():
    total, task = sg.distributed.sum_over(products), dask.delayed(counted, pure=False)
    read = [task(k) for k in range(12)]
    X, y = [task(100 + k, r) for k, r in enumerate(read)], [r[:, 1].repeat(2) for r in read]
    y = [dask.delayed(np.resize)(v, 5) for v in y]
    X = [dask.delayed(np.resize)(v, (5, 2)) for v in X]
    found, ran = once(total, X, y)
    assert set(ran.values()) == {1} and len(ran) == 24
    rows, answers = [np.concatenate(v) for v in dask.compute(X, y)]
    np.testing.assert_allclose(found, whole(total, rows, answers), rtol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_every_task_of_any_graph_runs_once(seed):
    rng, task = np.random.default_rng(seed), dask.delayed(counted, pure=False)
    made = []
    for k in range(60):
        needs = rng.choice(k, size=min(k, int(rng.integers(0, 4))), replace=False) if k else []
        made.append(task(k, *[made[n] for n in needs]))
    ends = [made[k] for k in rng.choice(60, size=25, replace=False)]
    total = sg.distributed.sum_over(squares)
    found, ran = once(total, ends)
    RAN.clear()
    rows = dask.compute(*ends, scheduler="synchronous")
    assert ran == dict(RAN)
    np.testing.assert_allclose(found, whole(total, np.concatenate(rows)), rtol=1e-12)


def test_a_chunk_of_very_many_tasks_leaves_them_to_dask(sizes):
    task = dask.delayed(counted, pure=False)
    deep = []
    for k in range(8):
        end = task(100 * k)
        for j in range(1, _limits.DISTRIBUTED_OWN_TASKS + 2):
            end = task(100 * k + j, end)
        deep.append(end)
    total = sg.distributed.sum_over(squares)
    found, ran = once(total, deep)
    assert set(ran.values()) == {1} and sizes[-1] > 8 * _limits.DISTRIBUTED_OWN_TASKS
    np.testing.assert_allclose(found, whole(total, np.concatenate(dask.compute(*deep))), rtol=1e-12)


def test_few_chunks_leave_their_tasks_to_dask(sizes):
    """Where there are fewer than a worker or two can be kept busy with, what each is made of runs side by side."""
    task = dask.delayed(counted, pure=False)
    total = sg.distributed.sum_over(squares)
    _, ran = once(total, [task(2, task(0), task(1)), task(3)])
    assert ran == dict.fromkeys(range(4), 1) and sizes[-1] >= 4 + 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of sockets that processes leave behind
def test_what_lies_on_workers_and_what_they_exchange():
    distributed = pytest.importorskip("distributed")
    frames = pytest.importorskip("dask.dataframe", reason='python -m pip install "symgrad[dask]"')
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    total = sg.distributed.sum_over(squares)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as made:
        with distributed.Client(made) as client:
            kept = da.from_array(X, chunks=(10, 2)).persist()
            np.testing.assert_allclose(total.hessian(B, kept + 1), whole(total, X + 1), rtol=1e-12)
            futures = client.map(lambda k: X[10 * k : 10 * k + 10], range(20))
            made_of = [dask.delayed(np.multiply)(f, 2.0) for f in futures]
            np.testing.assert_allclose(total.hessian(B, made_of), whole(total, 2 * X), rtol=1e-12)
            cut = da.from_array(X, chunks=(7, 1)).rechunk((10, 2), method="p2p")
            np.testing.assert_allclose(total.hessian(B, cut), whole(total, X), rtol=1e-12)
            table = pd.DataFrame({"a": X[:, 0], "town": rng.integers(0, 9, 200)})
            moved = frames.from_pandas(table, npartitions=12).shuffle("town")
            of_table = sg.distributed.sum_over(lambda b, rows: b**2 * rows["a"] ** 2)
            np.testing.assert_allclose(of_table.hessian(1.0, moved), 2 * (X[:, 0] ** 2).sum(), rtol=1e-12)
