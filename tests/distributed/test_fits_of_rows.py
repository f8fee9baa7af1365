"""Fits whose data lie in chunks are those of one machine: estimates, standard errors, tables.

The idea to hold: the same call with the data in one piece is the truth.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad import _progress

from ..helpers.cases import one_in

pd = pytest.importorskip("pandas", reason='python -m pip install -e ".[test]"')
da = pytest.importorskip("dask.array", reason='python -m pip install "symgrad[dask]"')

N = 400
RNG = np.random.default_rng(1)
X = np.column_stack([np.ones(N), RNG.normal(size=(N, 2))])
Y = (X @ [-0.5, 1.0, 0.3] + RNG.logistic(size=N) > 0).astype(float)
TOWN = np.repeat(np.arange(40), 10)
NAMES = ["constant", "income", "age"]
KINDS = ["hessian", "opg", "sandwich", "cluster"]


def logit(b, X, y):
    z = X @ b
    return np.logaddexp(0, z) - y * z


def of_table(p, rows):
    z = p["a"] + rows["x"] * p["b"] + rows["z"] * p["c"]
    return np.logaddexp(0, z) - rows["y"] * z


def in_chunks(*arrays, rows=90):
    return [da.from_array(a, chunks=(rows, *a.shape[1:])) for a in arrays]


@one_in(6)
@pytest.mark.parametrize("method", [None, "newton", "newton-cg", "lbfgs", "trust-exact", "trust-krylov", "BFGS"])
def test_a_fit_is_that_of_one_machine(method):
    start = pd.Series(0.0, index=NAMES)
    one = sg.minimize(logit, start, X, Y)
    fit = sg.minimize(logit, start, *in_chunks(X, Y), method=method)
    assert fit.converged and fit.observations == N
    np.testing.assert_allclose(fit.x, one.x, atol=2e-5)
    assert list(fit.x.index) == NAMES
    np.testing.assert_allclose(fit.loglik, one.loglik, rtol=1e-9)
    for kind in KINDS:
        mine, truth = [(kind, c) if kind == "cluster" else (kind,) for c in (da.from_array(TOWN, chunks=90), TOWN)]
        np.testing.assert_allclose(fit.standard_errors(*mine), one.standard_errors(*truth), rtol=1e-4)
    if method in (None, "newton"):
        by_the_same_method = sg.minimize(logit, start, X, Y, method=method)
        np.testing.assert_allclose(fit.x, by_the_same_method.x, rtol=1e-10)
        assert str(fit.summary()).splitlines()[:4] == str(one.summary()).splitlines()[:4]
        clustered = str(fit.summary("cluster", da.from_array(TOWN, chunks=90)))
        assert "summed within 40 clusters" in clustered
        assert fit.aic == pytest.approx(one.aic) and fit.bic == pytest.approx(one.bic)


def test_named_parameters_bounds_and_the_delta_method():
    table = {"x": X[:, 1], "z": X[:, 2], "y": Y}
    parts = [{k: v[a:b] for k, v in table.items()} for a, b in ((0, 10), (10, 10), (10, 400))]
    start = {"a": 0.0, "b": 0.0, "c": 0.0}
    one = sg.minimize(of_table, start, table, bounds={"b": (None, 0.9)})
    fit = sg.minimize(of_table, start, sg.distributed.chunks(parts), bounds={"b": (None, 0.9)})
    assert "b" in fit.x and fit.x["b"] == 0.9
    np.testing.assert_allclose(list(fit.x.values()), list(one.x.values()), atol=1e-6)
    np.testing.assert_allclose(fit.covariance("sandwich").matrix, one.covariance("sandwich").matrix, rtol=1e-6)
    ratio = sg.stats.delta(lambda p: p["c"] / p["a"], fit)
    assert float(ratio.value) == pytest.approx(one.x["c"] / one.x["a"], abs=1e-5)


def test_a_log_likelihood_is_maximised():
    fit = sg.minimize(lambda b, X, y: -logit(b, X, y), np.zeros(3), *in_chunks(X, Y), objective="loglik")
    np.testing.assert_allclose(fit.x, sg.minimize(logit, np.zeros(3), X, Y).x, atol=1e-8)


def test_the_start_must_be_in_the_domain():
    holed = X.copy()
    holed[300, 1] = np.nan
    with pytest.raises(sg.stats.FitError, match="chunk 3: X is nan in row 30"):
        sg.minimize(logit, np.zeros(3), *in_chunks(holed, Y))
    f = lambda s, y: np.log(s) + y**2 / s
    wide = sg.minimize(f, 20.0, *in_chunks(X[:, 1]), method="newton")  # steps leave the domain on the way
    np.testing.assert_allclose(wide.x, (X[:, 1] ** 2).mean(), rtol=1e-7)


def test_a_singular_matrix_on_the_way_is_outside_of_the_domain():
    """As on one machine: the minimiser sees an infinite value, and goes back."""
    y = RNG.normal(size=(200, 2)) @ [[1.0, 0.0], [0.5, 0.7]]

    def normal(c, y):
        L = np.linalg.cholesky(np.stack([np.stack([c[0], c[1]]), np.stack([c[1], c[2]])]))
        z = np.linalg.solve(L, y.T)
        return 0.5 * (z**2).sum(0) + np.log(L[0, 0]) + np.log(L[1, 1])

    fit = sg.minimize(normal, np.array([20.0, 0.0, 20.0]), *in_chunks(y), method="newton")
    truth = (y.T @ y / 200)[np.triu_indices(2)]
    np.testing.assert_allclose(fit.x, truth, rtol=1e-6)
    with pytest.raises(np.linalg.LinAlgError):  # the user's own, before the run
        sg.distributed.sum_over(normal).hessian(np.array([1.0, 2.0, 1.0]), *in_chunks(y))


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "fit.npz"
    data = in_chunks(X, Y)
    early = sg.minimize(logit, np.zeros(3), *data, method="newton", options={"maxiter": 2}, checkpoint=path)
    assert not early.converged
    np.testing.assert_array_equal(np.load(path)["x"], early.x)
    fit = sg.minimize(logit, np.zeros(3), *data, method="newton", checkpoint=path)
    assert fit.converged and fit.nit < 4
    np.testing.assert_allclose(fit.x, sg.minimize(logit, np.zeros(3), X, Y).x, atol=1e-7)
    assert [p.name for p in tmp_path.iterdir()] == ["fit.npz"]
    with pytest.raises(sg.stats.FitError, match="checkpoint of another fit"):
        sg.minimize(logit, pd.Series(0.0, index=NAMES), *data, checkpoint=path)
    path.write_text("nothing")
    with pytest.raises(sg.stats.FitError, match="no checkpoint of a fit"):
        sg.minimize(logit, np.zeros(3), *data, checkpoint=path)


@pytest.mark.parametrize("method", [None, "newton-cg", "trust-krylov"])
def test_with_many_parameters_the_matrix_is_only_multiplied_by(method, monkeypatch):
    monkeypatch.setattr(sg._limits, "FITTED_DENSE", 0)
    monkeypatch.setattr(sg.distributed.SumOver, "hessian", None)
    fit = sg.minimize(logit, np.zeros(3), *in_chunks(X, Y), method=method)
    np.testing.assert_allclose(fit.x, sg.minimize(logit, np.zeros(3), X, Y).x, atol=1e-5)


def test_one_pass_for_each_point_of_newtons(monkeypatch):
    from symgrad.distributed import _total

    asked = []
    plain = _total.total
    monkeypatch.setattr(_total, "total", lambda order, *a: asked.append(order.title) or plain(order, *a))
    fit = sg.minimize(logit, np.zeros(3), *in_chunks(X, Y), method="newton")
    fit.standard_errors()
    assert len(asked) <= fit.nfev + 1  # one for each point, and one to come back where the last was not better
    fit.standard_errors("sandwich")
    assert len(asked) <= fit.nfev + 2


def test_columns_clients_and_progress_of_a_fit(tmp_path, capsys, monkeypatch):
    """A column of texts that nothing uses is not read; one that is used is an error that names it."""
    pytest.importorskip("pyarrow", reason='python -m pip install "symgrad[dask]"')
    table = pd.DataFrame({"x": X[:, 1], "z": X[:, 2], "y": Y, "town": ["a town"] * N})
    table.to_parquet(tmp_path / "rows.parquet", row_group_size=90)
    data, start = sg.distributed.chunks([tmp_path / "rows.parquet"]), {"a": 0.0, "b": 0.0, "c": 0.0}
    with pytest.raises(sg.distributed.ChunkError, match=r"rows\['town'\] holds no numbers(?s:.*)columns="):
        sg.minimize(of_table, start, data)
    fit = sg.minimize(of_table, start, data, columns=["x", "z", "y"])
    one = sg.minimize(of_table, start, {"x": X[:, 1], "z": X[:, 2], "y": Y})
    np.testing.assert_allclose(list(fit.x.values()), list(one.x.values()), atol=1e-6)
    monkeypatch.setattr(_progress, "EACH", 0.001)
    assert capsys.readouterr() == ("", "")
    sg.minimize(of_table, start, data, columns=["x", "z", "y"], progress=True)
    out, err = capsys.readouterr()
    assert out == "" and "sg.minimize" in err and "fit of of_table" in err
    with pytest.raises(sg.distributed.DistributedError, match="client is a int"):
        sg.minimize(of_table, start, data, columns=["x", "z", "y"], client=3)
    with pytest.raises(sg.stats.FitError, match="takes columns= for data in chunks only"):
        sg.minimize(logit, np.zeros(3), X, Y, columns=["x"])
