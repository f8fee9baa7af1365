"""One large function, column by column on workers, and many points: the numbers of one process."""

import threading

import numpy as np
import pytest

import symgrad as sg

distributed = pytest.importorskip("distributed", reason='python -m pip install "symgrad[dask]"')

pytestmark = pytest.mark.filterwarnings("ignore")  # of sockets that processes leave behind

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as made:
        with distributed.Client(made) as client:
            yield client


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def of_two(p, A):
    return np.tanh(A @ p["x"]).sum() * p["c"] + (p["x"] ** 4).sum()


def test_columns_of_a_hessian_are_shared_out(client):
    x, A = RNG.normal(size=31), RNG.normal(size=(5, 4))
    np.testing.assert_allclose(sg.hessian(rosenbrock, client=client)(x), sg.hessian(rosenbrock)(x), rtol=1e-12)
    found = sg.hessian(rosenbrock, client=client, format="csr")(x)
    assert found.format == "csr" and found.nnz == 3 * 31 - 2
    np.testing.assert_allclose(found.toarray(), sg.hessian(rosenbrock)(x), rtol=1e-12)
    p = {"x": RNG.normal(size=4), "c": 2.0}
    mine, truth = sg.hessian(of_two, client=client, chunk=2)(p, A), sg.hessian(of_two)(p, A)
    assert mine.labels == truth.labels
    np.testing.assert_allclose(mine.matrix, truth.matrix, rtol=1e-12, atol=1e-14)
    assert not client.futures or all(f.status == "finished" for f in client.futures.values())


def test_what_columns_cannot_be(client):
    for settings in ({"format": "structured"}, {"has_aux": True}):
        with pytest.raises(sg.GradientError, match="client="):
            sg.hessian(rosenbrock, client=client, **settings)(np.ones(3))
    lock = threading.Lock()
    with pytest.raises(sg.GradientError, match="cannot be sent to workers"):
        sg.hessian(lambda x: rosenbrock(x) * (1 - lock.locked()), client=client)(np.ones(3))


def test_many_points(client):
    points = RNG.normal(size=(50, 3))
    truth = np.stack([sg.hessian(rosenbrock)(x) for x in points])
    np.testing.assert_allclose(sg.map(sg.hessian(rosenbrock), points, client=client), truth)
    np.testing.assert_allclose(sg.map(sg.hessian(rosenbrock), points, client=client, batch=7), truth)
    values, gradients = sg.map(sg.value_and_grad(rosenbrock), list(points))
    assert values.shape == (50,) and gradients.shape == (50, 3)
    of_each = [{"x": RNG.normal(size=4), "c": float(c)} for c in range(5)]
    A = RNG.normal(size=(5, 4))
    found = sg.map(sg.grad(of_two), of_each, A)
    np.testing.assert_allclose(found["x"][3], sg.grad(of_two)(of_each[3], A)["x"])
    assert found["c"].shape == (5,)
    ragged = sg.map(lambda x: x[: int(abs(x[0]))], [np.array([2.0, 1.0]), np.array([1.0, 1.0])])
    assert [len(r) for r in ragged] == [2, 1]


@pytest.mark.slow
def test_a_point_that_fails_is_named(client):
    def f(x):
        if x[0] == 7.0:
            raise ValueError("no such point")
        return x.sum()

    with pytest.raises(sg.distributed.ChunkError, match="point 7 failed\nValueError: no such point"):
        sg.map(f, np.arange(20.0)[:, None], batch=3)
    with pytest.raises(sg.distributed.DistributedError, match="no points"):
        sg.map(f, [])


def of_rows(b, X, y):
    z = X @ b
    return np.logaddexp(0, z) - y * z


@pytest.mark.parametrize("target", ["numba", "jax", "torch"])
@pytest.mark.compare
@pytest.mark.slow
def test_worker_processes_run_other_libraries(client, target):
    """The client's process needs no setting of theirs, and what they compile is kept from chunk to chunk."""
    pytest.importorskip(target)
    X, y, b = RNG.normal(size=(120, 3)), (RNG.random(120) < 0.5) * 1.0, RNG.normal(size=3)
    total = sg.distributed.sum_over(of_rows, target=target, client=client)
    found = total.value_grad_hessian(b, [X[:50], X[50:]], [y[:50], y[50:]])
    whole = lambda b: of_rows(b, X, y).sum()
    for mine, truth in zip(found, (whole(b), sg.grad(whole)(b), sg.hessian(whole)(b)), strict=True):
        np.testing.assert_allclose(mine, truth, rtol=1e-10, atol=1e-12)
