"""Faults on a cluster of processes: a run completes, or it raises and names chunk and cause. Nothing hangs, and no part
of a sum is taken for the sum.

The idea to hold: faults are real here (processes are killed, memory runs out); the truth is the sum of this machine.
"""

import asyncio
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits

pd = pytest.importorskip("pandas", reason='python -m pip install -e ".[test]"')
distributed = pytest.importorskip("distributed", reason='python -m pip install "symgrad[dask]"')
import dask.array  # noqa: E402

RNG = np.random.default_rng(0)
K = 3
PARTS = [RNG.normal(size=(40 + k, K)) for k in range(12)]
B = RNG.normal(size=K)
X = np.concatenate(PARTS)
pytestmark = pytest.mark.filterwarnings("ignore")  # of sockets and processes that faults leave behind


def squares(b, X):
    return (X @ b) ** 2 + np.log1p((X @ b) ** 2)


TRUTH = sg.hessian(lambda b: squares(b, X).sum())(B)


@pytest.fixture(scope="module")
def cluster():
    with dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.admin.log-length": 0}):
        settings = dict(n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit="700MB")
        with distributed.LocalCluster(silence_logs=50, **settings) as made:
            yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


@dask.delayed
def slow(part, seconds=0.25):
    time.sleep(seconds)
    return part


def later(seconds, act):
    timer = threading.Timer(seconds, act)
    timer.start()
    return timer


def close(found, truth=TRUTH):
    np.testing.assert_allclose(found, truth, rtol=1e-10, atol=1e-10 * np.abs(truth).max())


def test_a_cluster_gives_the_numbers_of_one_process(client):
    total = sg.distributed.sum_over(squares)
    found = total.hessian(B, PARTS)
    close(found)


@pytest.mark.slow
def test_the_sum_is_the_same_to_the_last_bit_whoever_computes(client):
    found = sg.distributed.sum_over(squares).hessian(B, PARTS)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=3, dashboard_address=":0") as other:
        with distributed.Client(other, set_as_default=False) as alone:
            again = sg.distributed.sum_over(squares, client=alone).hessian(B, PARTS)
    np.testing.assert_array_equal(found, again)
    np.testing.assert_array_equal(found, sg.distributed.sum_over(squares).hessian(B, PARTS))


def test_data_that_stay_on_the_workers(client):
    """Persisted collections have no tasks left: what their keys stand for lies on the workers."""
    array = dask.array.from_array(X, chunks=(90, K)).persist()
    truth = sg.distributed.sum_over(squares).hessian(B, PARTS)
    close(sg.distributed.sum_over(squares).hessian(B, array), truth)
    close(sg.distributed.sum_over(squares).hessian(B, array), truth)
    frame = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame({"a": X[:, 0]}), npartitions=3).persist()
    total = sg.distributed.sum_over(lambda b, rows: (b * rows["a"]) ** 2)
    close(total.hessian(1.0, frame), 2 * (X[:, 0] ** 2).sum())
    assert len(array.compute()) == len(X)


def test_names_in_the_dashboard_are_readable(client):
    def names(dask_scheduler):
        return sorted(dask_scheduler.task_prefixes)

    sg.distributed.sum_over(squares).hessian(B, PARTS)
    assert {"hessian-squares", "sum-hessian-squares"} <= set(client.run_on_scheduler(names))


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced(client):
    parts = [slow(p) for p in PARTS]
    total = sg.distributed.sum_over(squares)
    total.value(B, parts)
    victims = list(client.run(os.getpid).values())
    timer = later(0.5, lambda: os.kill(victims[0], signal.SIGKILL))
    with dask.config.set({"distributed.scheduler.allowed-failures": 3}):
        close(total.hessian(B, parts))
    assert not timer.is_alive()
    assert set(client.run(os.getpid).values()) != set(victims)


def branching(b, X):
    """Run as it is by the workers, for it branches; one chunk ends its process."""
    if float(X[0, 0]) == 77.0:
        os._exit(1)
    if float(X[0, 0]) == 78.0:
        raise ValueError("no such thing")
    return (X @ b) ** 2 if (X @ b).sum() > 1e9 else (X @ b) ** 2 + 0.0


def marked(place, value):
    parts = [p.copy() for p in PARTS]
    parts[place][0, 0] = value
    return parts


@pytest.mark.slow
def test_a_chunk_that_ends_its_worker_each_time_is_named(client):
    with pytest.raises(sg.distributed.ChunkError, match=r"chunk \d+ failed\nThe workers that ran it, or"):
        sg.distributed.sum_over(branching, over="chunks").hessian(B, marked(4, 77.0))


@pytest.mark.slow
def test_a_chunk_that_raises_is_named(client):
    with pytest.raises(sg.distributed.ChunkError, match=r"chunk 4 failed\nValueError: no such thing"):
        sg.distributed.sum_over(branching, over="chunks").hessian(B, marked(4, 78.0))


@pytest.mark.slow
def test_nan_in_a_chunk_is_named(client):
    holed = marked(7, np.nan)
    with pytest.raises(sg.distributed.ChunkError, match="chunk 7: X is nan in row 0"):
        sg.distributed.sum_over(squares).hessian(B, holed)


def test_a_file_that_goes_is_named(client, tmp_path):
    names = [tmp_path / f"rows{k}.npy" for k in range(12)]
    for name, part in zip(names, PARTS, strict=True):
        np.save(name, part)
    total = sg.distributed.sum_over(squares)
    close(total.hessian(B, names))
    names[3].unlink()
    with pytest.raises(sg.distributed.ChunkError, match=r"(?s)chunk 3 .*rows3.npy.*FileNotFoundError"):
        total.hessian(B, names)


@dask.delayed
def too_large(part):
    held = [np.ones(8_000_000) for _ in range(40)]  # 2.5 GB where 0.7 are allowed
    time.sleep(20)
    return part + len(held) * 0


@pytest.mark.slow
def test_a_worker_out_of_memory():
    parts = [slow(p, 0.0) for p in PARTS]
    parts[5] = too_large(PARTS[5])
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        settings = dict(threads_per_worker=1, dashboard_address=":0", memory_limit="700MB", silence_logs=50)
        with distributed.LocalCluster(n_workers=1, **settings) as made, distributed.Client(made):
            with pytest.raises(sg.distributed.ChunkError, match=r"chunk \d+ failed\nThe workers that ran it, or"):
                sg.distributed.sum_over(squares).hessian(B, parts)


def left(dask_scheduler):
    """What is still to be done, or under way."""
    return [t.key for t in dask_scheduler.tasks.values() if t.state not in ("memory", "erred", "released")]


@pytest.mark.slow
def test_ctrl_c_leaves_the_cluster_clean(client):
    parts = [slow(p, 0.5) for p in PARTS]
    total = sg.distributed.sum_over(squares)
    total.hessian(B, PARTS)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # processes of pytest-xdist ignore it
    try:
        timer = later(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            total.hessian(B, parts)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    deadline = time.monotonic() + 10
    while client.run_on_scheduler(left) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not client.run_on_scheduler(left)
    close(total.hessian(B, PARTS))


@pytest.mark.slow
@pytest.mark.parametrize("what", ["client", "cluster", "workers"])
def test_what_goes_in_the_middle(what, monkeypatch):
    monkeypatch.setattr(_limits, "DISTRIBUTED_PATIENCE", 2)
    parts = [slow(p, 1.0) for p in PARTS]
    total = sg.distributed.sum_over(squares)
    made = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    client = distributed.Client(made)
    act = {"client": client.close, "cluster": made.close, "workers": lambda: made.scale(0)}[what]
    try:
        timer = later(5.0, act)
        with pytest.raises(sg.distributed.DistributedError, match="There is no sum|was not finished|was cancelled"):
            total.hessian(B, parts)
        timer.join()
        if what == "client":
            with pytest.raises(sg.distributed.DistributedError, match="the client is closed"):
                sg.distributed.sum_over(squares, client=client).hessian(B, PARTS)
    finally:
        client.close()
        made.close()


@pytest.mark.slow
def test_ten_thousand_chunks_are_few_tasks(monkeypatch):
    """What a task costs is in tests/benchmarks; here is that there are few, whatever the data are."""
    from symgrad.distributed import _workers

    parts, laid_out = [X[k : k + 5] for k in range(0, 400, 2)], []
    plain = _workers.computed
    monkeypatch.setattr(_workers, "computed", lambda graph, *a: laid_out.append(len(graph)) or plain(graph, *a))
    total = sg.distributed.sum_over(squares)
    found = total.hessian(B, parts)
    assert laid_out[-1] < len(parts) / _limits.DISTRIBUTED_FAN * 2.1 + 4
    monkeypatch.setattr(_workers, "_PER_WORKER", 1000)
    np.testing.assert_array_equal(total.hessian(B, parts), found)
    assert len(parts) < laid_out[-1] < len(parts) * 2.1 + 4


@pytest.mark.slow
def test_a_chunk_of_many_is_named_too():
    parts = [X[k : k + 5].copy() for k in range(0, 400, 2)]
    parts[133][0, 0] = 78.0
    with pytest.raises(sg.distributed.ChunkError, match=r"chunk 133 failed\nValueError: no such thing"):
        sg.distributed.sum_over(branching, over="chunks").hessian(B, parts)


def quartic(x, place):
    """A function whose first worker ends where a file is not there yet; 'never' is no file."""
    if multiprocessing.parent_process() is not None and not os.path.exists(place):
        if place != "never":
            open(place, "x").close()
        os._exit(1)
    return (x[1:] * x[:-1] ** 3).sum()


@pytest.fixture
def alone():
    """A cluster of one worker: what it holds nobody else has."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.admin.log-length": 0}):
        settings = dict(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
        with distributed.LocalCluster(**settings) as made, distributed.Client(made) as client:
            yield client


@pytest.mark.slow
@pytest.mark.parametrize("format", ["dense", "csr"])
def test_a_function_that_goes_with_its_worker_is_sent_again(alone, format, tmp_path):
    x = np.linspace(0.5, 1, 9)
    found = sg.hessian(quartic, client=alone, format=format)(x, str(tmp_path / "ended"))
    assert (tmp_path / "ended").exists()
    close(found.toarray() if format == "csr" else found, sg.hessian(quartic)(x, ""))


def elsewhere(x, here):
    if os.getpid() != here:
        raise KeyError("no such thing there")
    return (x**3).sum()


def tells(error):
    """What an error of symgrad's says: what, with what evidence, and a next step."""
    assert isinstance(error, sg.SymgradError), repr(error)
    lines = str(error).splitlines()
    assert len(lines) >= 3 and all(lines), str(error)
    return str(error)


def restarted(client):
    later(2.0, client.restart)
    return client


def closed(client):
    later(2.0, client.close)
    return client


def sleepy(x, here):
    if os.getpid() != here:
        time.sleep(5)
    return (x**3).sum()


HESSIANS = {
    "each worker ends": (quartic, "never", lambda c: c, "died"),
    "it raises there": (elsewhere, os.getpid(), lambda c: c, "KeyError: 'no such thing there'"),
    "the scheduler starts anew": (sleepy, os.getpid(), restarted, "cancelled"),
    "the client is closed": (sleepy, os.getpid(), closed, "cancelled|client is clos"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HESSIANS)
def test_whatever_a_hessian_on_workers_meets_is_told(alone, what):
    f, place, act, message = HESSIANS[what]
    with pytest.raises(sg.SymgradError, match=message) as caught:
        sg.hessian(f, client=act(alone))(np.ones(4), place)
    tells(caught.value)


def test_data_that_do_not_travel_are_told(client):
    lock, total = threading.Lock(), sg.distributed.sum_over(squares)
    locked = [dask.delayed(lambda part, lock: part)(p, lock) for p in PARTS]
    for parts in (locked, [{"X": p, "lock": lock} for p in PARTS]):
        for ask in (
            lambda parts=parts: total.hessian(B, parts),
            lambda parts=parts: sg.map(lambda x, y: x, [1.0], parts),
        ):
            with pytest.raises(sg.SymgradError, match="cannot be sent to workers[\\s\\S]*lock") as caught:
                ask()
            tells(caught.value)


def test_data_of_another_cluster_are_told(client):
    settings = dict(n_workers=1, processes=False, dashboard_address=":0", set_as_default=False)
    with distributed.Client(**settings) as other:
        array = dask.array.from_array(X, chunks=(90, K))
        kept = other.persist(array)
        total = sg.distributed.sum_over(squares)
        with pytest.raises(sg.distributed.DistributedError, match="another cluster") as caught:
            total.hessian(B, kept)
        tells(caught.value)
    with pytest.raises(sg.distributed.DistributedError, match="another cluster") as caught:
        total.hessian(B, kept)
    tells(caught.value)


def test_an_asynchronous_client_is_refused():
    async def ask():
        async with distributed.Client(processes=False, asynchronous=True, dashboard_address=":0") as client:
            for call in (
                lambda: sg.distributed.sum_over(squares, client=client).hessian(B, PARTS),
                lambda: sg.hessian(lambda x: (x**2).sum(), client=client)(B),
                lambda: sg.map(np.sin, [1.0], client=client),
            ):
                with pytest.raises(sg.SymgradError, match="asynchronous") as caught:
                    call()
                tells(caught.value)

    asyncio.run(ask())
