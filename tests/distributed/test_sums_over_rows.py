"""Sums over the rows of data in chunks are those of one machine, with all their derivatives, however the data are cut.

The idea to hold: the truth is the same function of all rows at once, by symgrad's transforms in this process.
"""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in

pd = pytest.importorskip("pandas", reason='python -m pip install -e ".[test]"')
da = pytest.importorskip("dask.array", reason='python -m pip install "symgrad[dask]"')

N, K = 203, 3
RNG = np.random.default_rng(0)
X, Y, W = RNG.normal(size=(N, K)), (RNG.random(N) < 0.5) * 1.0, RNG.random(N)
B, V = RNG.normal(size=K) * 0.3, RNG.normal(size=K)
TOWN = RNG.integers(0, 9, N)


def logit(b, X, y):
    z = X @ b
    return np.logaddexp(0, z) - y * z


def whole(f):
    return lambda *args: f(*args).sum()


def close(found, truth):
    found, truth = np.asarray(found), np.asarray(truth)
    assert found.shape == truth.shape
    np.testing.assert_allclose(found, truth, rtol=1e-10, atol=1e-10 * np.abs(truth).max(initial=0))


def cut(array, ends):
    return np.split(array, sorted(ends))


CUTS = [[], [1], [100], [7, 7, 50, 202], list(range(0, N, 13)), [0, 64, 128]]


@one_in(4)
@pytest.mark.parametrize("ends", CUTS)
def test_the_sum_does_not_depend_on_the_chunks(ends):
    total, chunks, one = sg.distributed.sum_over(logit), (cut(X, ends), cut(Y, ends)), whole(logit)
    value, gradient = total.value_and_grad(B, *chunks)
    close(value, one(B, X, Y))
    close(total(B, *chunks), value)
    close(gradient, sg.grad(one)(B, X, Y))
    close(total.grad(B, *chunks), gradient)
    close(total.hessian(B, *chunks), sg.hessian(one)(B, X, Y))
    close(total.hvp(B, V, *chunks), sg.hessian(one)(B, X, Y) @ V)
    scores = sg.jacobian(logit)(B, X, Y)
    close(total.fisher(B, *chunks, kind="opg").matrix, scores.T @ scores)
    close(total.scores(B, *chunks).compute(), scores)


def test_a_function_that_returns_its_sum_is_the_same():
    total = sg.distributed.sum_over(whole(logit))
    f, g, H = total.value_grad_hessian(B, da.from_array(X, chunks=50), da.from_array(Y, chunks=50))
    truth = sg.compile(whole(logit))(B, X, Y)
    for a, b in zip((f, g, H), truth, strict=True):
        close(a, b)


def test_dask_arrays_are_cut_alike_and_columns_put_together():
    total = sg.distributed.sum_over(logit)
    one = sg.hessian(whole(logit))(B, X, Y)
    close(total.hessian(B, da.from_array(X, chunks=(40, 2)), da.from_array(Y, chunks=61)), one)
    unknown = da.from_array(X, chunks=(40, K))[da.from_array(W, chunks=40) > 0.5]
    of_them = da.from_array(Y, chunks=40)[da.from_array(W, chunks=40) > 0.5]
    close(total.value(B, unknown, of_them), whole(logit)(B, X[W > 0.5], Y[W > 0.5]))
    with pytest.raises(sg.distributed.DistributedError, match="y has 100 rows, X has 203"):
        total.value(B, da.from_array(X, chunks=50), da.from_array(Y[:100], chunks=50))


TABLE = pd.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "y": Y, "count": RNG.integers(0, 5, N)})


def of_table(p, rows):
    z = rows["x0"] * p["slope"] + rows["x1"] * p["other"] + p["constant"]
    return np.logaddexp(0, z) - rows["y"] * z + p["constant"] ** 2 * rows["count"]


P = {"slope": 0.3, "other": -0.2, "constant": 0.1}


def written(tmp_path, ending):
    names = []
    for k, part in enumerate(np.array_split(np.arange(N), 3)):
        names.append(tmp_path / f"part{k}.{ending}")
        part = TABLE.iloc[part]
        if ending == "csv":
            part.to_csv(names[-1], index=False)
        elif ending == "npz":
            np.savez(names[-1], **{c: part[c].to_numpy() for c in part})
        else:
            part.to_parquet(names[-1], row_group_size=30) if ending == "parquet" else part.to_feather(names[-1])
    return names


KINDS = ["table", "csv", "npz", "parquet", "feather", "pattern", "dataset", "of dask", "texts"]


@one_in(6)
@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_dictionaries_of_their_columns(kind, tmp_path):
    if kind not in ("npz",):
        pytest.importorskip("pyarrow", reason='python -m pip install "symgrad[dask]"')
    names = written(tmp_path, kind if kind in ("csv", "npz", "feather") else "parquet")
    if kind == "table":
        data = pytest.importorskip("dask.dataframe").from_pandas(TABLE, npartitions=4)
    elif kind == "dataset":
        data = pytest.importorskip("pyarrow.dataset").dataset([str(n) for n in names])
    elif kind == "of dask":
        data = pytest.importorskip("dask.dataframe").read_parquet(str(tmp_path))
    else:
        data = {"pattern": str(tmp_path / "part*.parquet"), "texts": [str(n) for n in names]}.get(kind, names)
    total, columns = sg.distributed.sum_over(of_table), {c: TABLE[c].to_numpy() for c in TABLE}
    one = whole(of_table)
    value, gradient = total.value_and_grad(P, data)
    close(value, one(P, columns))
    truth = sg.grad(one)(P, columns)
    assert list(gradient) == list(truth)
    close(list(gradient.values()), list(truth.values()))
    matrix, expected = total.hessian(P, data), sg.hessian(one)(P, columns)
    assert matrix.labels == expected.labels
    close(matrix.matrix, expected.matrix)
    close(list(total.hvp(P, {"slope": 1.0, "other": 2.0, "constant": 3.0}, data).values()), expected.matrix @ [1, 2, 3])


def test_weights_means_and_penalties():
    chunks = cut(X, [90, 120]), cut(Y, [90, 120])
    weights = cut(W, [90, 120])
    ridge = lambda b: 0.5 * (b @ b) + b[0] ** 4
    one = lambda b: (W * logit(b, X, Y)).sum() / W.sum() + ridge(b)
    total = sg.distributed.sum_over(logit, mean=True, regulariser=ridge)
    value, gradient, matrix = total.value_grad_hessian(B, *chunks, weights=weights)
    close(value, one(B))
    close(gradient, sg.grad(one)(B))
    close(matrix, sg.hessian(one)(B))
    close(total.hvp(B, V, *chunks, weights=weights), sg.hvp(one, B, V))
    close(total.value(B, *chunks), logit(B, X, Y).mean() + ridge(B))


def test_arguments_that_all_share_and_those_of_each_chunk():
    f = lambda b, X, y, scale, power, shift: scale * (np.abs(X @ b - y + shift.sum()) ** power)
    total = sg.distributed.sum_over(f)
    shift = np.array([0.5, 0.25])
    scales = [1.0, 2.0, 0.5]
    ends = [60, 130]
    each = np.repeat(scales, [60, 70, N - 130])
    for power in (2.0, 4.0):
        found = total.hessian(B, cut(X, ends), cut(Y, ends), sg.distributed.chunks(scales), power, shift)
        close(found, sg.hessian(whole(f))(B, X, Y, each, power, shift))


def test_what_a_function_closes_over_is_never_old():
    factor, matrix = [2.0], np.ones(K)
    total = sg.distributed.sum_over(lambda b, X: factor[0] * (X @ (b * matrix)) ** 2)
    chunks = cut(X, [50])
    first = total.hessian(B, chunks)
    close(first, 2 * 2 * X.T @ X)
    factor[0] = 3.0
    close(total.hessian(B, chunks), 3 * 2 * X.T @ X)
    matrix *= 2.0
    close(total.hessian(B, chunks), 3 * 8 * X.T @ X)
    chunks.append(X[:10])
    close(total.hessian(B, chunks), 3 * 8 * (X.T @ X + X[:10].T @ X[:10]))


SCALE = 2.0


def of_a_global(b, X):
    return SCALE * (X @ b) ** 2


def test_globals_are_those_of_now(monkeypatch):
    total = sg.distributed.sum_over(of_a_global)
    close(total.hessian(B, cut(X, [50])), 4 * X.T @ X)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    close(total.hessian(B, cut(X, [50])), 10 * X.T @ X)


def test_programs_travel(monkeypatch):
    """Where there is a program it is what runs: nothing is recorded, or made, in a chunk."""
    from symgrad.distributed import _workers

    total = sg.distributed.sum_over(logit)
    chunks = cut(X, [50, 120]), cut(Y, [50, 120])

    def results():
        return total.value(B, *chunks), total.hessian(B, *chunks), total.hvp(B, V, *chunks), total.grad(B, *chunks)

    truth = results()
    monkeypatch.setattr(_workers, "_on_worker", None)
    for a, b in zip(truth, results(), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def branching(b, X):
    z = X @ b
    return (z**2).sum() if z.sum() > 1e9 else (z**2).sum() + 0.0


def test_functions_without_a_program_are_the_same():
    total = sg.distributed.sum_over(branching)
    close(total.hessian(B, cut(X, [50])), 2 * X.T @ X)
    close(total.value_and_grad(B, cut(X, [50]))[1], 2 * X.T @ X @ B)
    close(total.hvp(B, V, cut(X, [50])), 2 * X.T @ (X @ V))


def test_sums_over_chunks_that_must_not_be_cut():
    series = [RNG.normal(size=n) for n in (30, 41, 30)]

    def moving(p, e):
        return ((e[1:] - p["a"] * e[:-1]) ** 2).sum() / p["s"] + len(e) * np.log(p["s"])

    p = {"a": 0.3, "s": 1.2}
    with pytest.raises(sg.distributed.DistributedError, match="not a sum over rows"):
        sg.distributed.sum_over(moving).value(p, series)
    total = sg.distributed.sum_over(moving, over="chunks")
    one = lambda p: sum(moving(p, e) for e in series)
    close(total.hessian(p, series).matrix, sg.hessian(one)(p).matrix)
    close(total.value(p, series), one(p))


def test_gauss_newton_products():
    model = lambda p, X, y: np.tanh(X @ p["W"]) @ p["c"]
    loss = lambda z, X, y: np.logaddexp(0, z) - y * z
    p = {"W": RNG.normal(size=(K, 2)), "c": RNG.normal(size=2)}
    v = {"W": RNG.normal(size=(K, 2)), "c": RNG.normal(size=2)}
    total = sg.distributed.sum_over(model)
    for mine in (None, loss):
        found = total.ggn_vp(p, v, cut(X, [50, 60]), cut(Y, [50, 60]), loss=mine)
        truth = sg.ggn_vp(lambda p: model(p, X, Y), p, v, None if mine is None else lambda z: loss(z, X, Y).sum())
        close(found["W"], truth["W"])
        close(found["c"], truth["c"])


@pytest.mark.parametrize("kind", ["hessian", "opg", "sandwich", "cluster"])
def test_covariances_are_those_of_a_fit(kind):
    fit = sg.minimize(logit, np.zeros(K), X, Y)
    total, ends = sg.distributed.sum_over(logit), [10, 99]
    more = {"clusters": cut(TOWN, ends)} if kind == "cluster" else {}
    found = total.covariance(fit.x, cut(X, ends), cut(Y, ends), kind=kind, **more)
    close(found.matrix, fit.covariance(kind, TOWN if kind == "cluster" else None).matrix)
    averaged = sg.distributed.sum_over(logit, mean=True)
    close(averaged.covariance(fit.x, cut(X, ends), cut(Y, ends), kind=kind, **more).matrix, found.matrix)


def test_float32_data_are_summed_in_float64():
    short = X.astype(np.float32), Y.astype(np.float32)
    total = sg.distributed.sum_over(logit)
    found = total.value_and_grad(B, cut(short[0], [50]), cut(short[1], [50]))
    close(found[1], sg.grad(whole(logit))(B, *short))


@pytest.mark.parametrize("target", ["numba", "jax", "torch"])
@pytest.mark.compare
@pytest.mark.slow
def test_other_libraries_may_run_on_the_workers(target, request):
    library = pytest.importorskip(target)
    if target == "jax":
        refused("jax_enable_x64 is off", logit, B, cut(X, [50]), cut(Y, [50]), target="jax")
        kept = library.config.jax_enable_x64
        request.addfinalizer(lambda: library.config.update("jax_enable_x64", kept))
        library.config.update("jax_enable_x64", True)
    total, one = sg.distributed.sum_over(logit, target=target), whole(logit)
    chunks = cut(X, [64, 128]), cut(Y, [64, 128])
    value, gradient, matrix = total.value_grad_hessian(B, *chunks)
    close(value, one(B, X, Y))
    close(gradient, sg.grad(one)(B, X, Y))
    close(matrix, sg.hessian(one)(B, X, Y))
    if target != "numba":
        parts = [TABLE[:80], TABLE[80:]]
        found = sg.distributed.sum_over(of_table, target=target).hessian(P, parts)
        close(found.matrix, sg.hessian(whole(of_table))(P, {c: TABLE[c].to_numpy() for c in TABLE}).matrix)


# -------------------------------------------------------------------------------------------------------- bad input


def refused(match, f, *args, kind=sg.distributed.DistributedError, **settings):
    with pytest.raises(kind, match=match) as caught:
        sg.distributed.sum_over(f, **settings).value_and_grad(*args)
    return str(caught.value)


def test_a_mean_is_no_sum():
    refused("not a sum over rows", lambda b, X, y: logit(b, X, y).mean(), B, cut(X, [50]), cut(Y, [50]))


def test_a_penalty_that_is_zero_at_the_start_is_found():
    f = lambda b, X, y: logit(b, X, y).sum() + (b**2).sum()
    assert "regulariser=" in refused("not a sum over rows", f, np.zeros(K), cut(X, [50]), cut(Y, [50]))


@pytest.mark.parametrize("spread", [np.var, lambda y: y.std() ** 2])
def test_what_is_not_finite_on_single_rows_is_no_sum(spread):
    X, y = [np.array([[1.0, 2.0]]), np.array([[0.0, 1.0]]), np.array([[2.0, 1.0]])], [[1.0], [2.0], [4.0]]
    f = lambda b, X, y: ((y - X @ b) ** 2).sum() / spread(y)
    refused("not a sum over rows", f, np.array([3.0, 1.0]), X, list(map(np.array, y)))


def test_an_error_on_some_of_the_rows_is_that_of_a_chunk():
    def f(b, X):
        if X.max() > 4.5:
            raise ValueError("too large")
        return (X @ b).sum()

    chunks = [np.ones((5, 2)) * k for k in range(6)]
    assert "ValueError: too large" in refused("raises on some of the rows", f, np.ones(2), chunks)


def test_chunks_that_are_not_alike_are_named():
    kind = sg.distributed.ChunkError
    f = lambda b, X: (X @ b) ** 2
    refused(r"X has rows of shape \(2,\), and \(3,\) in the first", f, B, [X, X[:, :2]], kind=kind)
    refused("X has dtype <f4, and <f8 in the first", f, B, [X, X.astype("f")], kind=kind)
    many = [X[k : k + 5] for k in range(0, 200, 5)]
    many[7] = many[7].astype("f")
    assert "chunk 7 failed" in refused("X has dtype <f4", f, B, many, kind=kind)
    tables = [TABLE[:50], TABLE[50:100].drop(columns="x1"), TABLE[100:]]
    refused(r"it lacks rows\['x1'\]", of_table, P, tables, kind=kind)


def test_empty_chunks_add_nothing_and_no_rows_are_an_error():
    f = lambda b, X: (X @ b) ** 2
    total = sg.distributed.sum_over(f)
    close(total.hessian(B, [X[:0], X[:50], X[:0], X[50:], X[:0]]), 2 * X.T @ X)
    refused("there are no rows", f, B, [X[:0], X[:0]])
    refused("The list is empty", f, B, [])


def test_a_function_that_does_not_pickle():
    import threading

    lock = threading.Lock()

    def f(b, X):
        with lock:
            return (X @ b) ** 2

    assert "locks" in refused("cannot be sent to workers", f, B, cut(X, [50]))


def test_nan_in_one_chunk_names_it():
    holed = [a.copy() for a in cut(X, [50, 100, 150])]
    holed[2][7, 1] = np.nan
    text = refused("nan in 1 of 4 chunks", logit, B, holed, cut(Y, [50, 100, 150]), kind=sg.distributed.ChunkError)
    assert "chunk 2: X is nan in row 7" in text


def test_a_chunk_that_raises_is_named():
    def f(b, X):
        if X[0, 0] == 77.0:
            raise KeyError("such a thing")
        return (X @ b) ** 2

    parts = [X[k : k + 20].copy() for k in range(0, 200, 20)]
    parts[4][0, 0] = 77.0
    text = refused("chunk 4 failed", f, B, parts, kind=sg.distributed.ChunkError, over="chunks")
    assert "KeyError: 'such a thing'" in text


def test_missing_files_and_other_kinds_of_files(tmp_path):
    pytest.importorskip("pyarrow", reason='python -m pip install "symgrad[dask]"')
    names = written(tmp_path, "parquet")
    names[1].unlink()
    text = refused("cannot start", of_table, P, names, kind=sg.distributed.ChunkError)
    assert "part1.parquet" in text and "FileNotFoundError" in text
    refused("no file of arrays or tables", of_table, P, ["a.xlsx"])
    refused("there is no file", of_table, P, str(tmp_path / "none*.parquet"))


def test_arguments_that_do_not_fit():
    refused("none of the arguments is cut", logit, B, X, Y)
    refused("y has 3 chunks, X has 2", logit, B, cut(X, [50]), cut(Y, [50, 60]))
    refused("different numbers of rows", logit, B, cut(X, [50]), cut(Y, [60]), kind=sg.distributed.ChunkError)
    refused("array of shape", lambda b, X: X * 2, B, cut(X, [50]))
    texts = [TABLE.assign(name="a")]
    assert "columns=" in refused("holds no numbers", of_table, P, texts, kind=sg.distributed.ChunkError)
    assert sg.distributed.sum_over(of_table, columns=["x0", "x1", "y", "count"]).value(P, texts) > 0
    with pytest.raises(sg.distributed.DistributedError, match="v is not like the parameters"):
        sg.distributed.sum_over(logit).hvp(B, np.ones(2), cut(X, [50]), cut(Y, [50]))
    with pytest.raises(sg.distributed.DistributedError, match="contribution of every row"):
        sg.distributed.sum_over(whole(logit)).value(B, cut(X, [50]), cut(Y, [50]), weights=cut(W, [50]))
    for settings in ({"over": "row"}, {"target": "fortran"}):
        with pytest.raises(sg.distributed.DistributedError, match="Choose one of"):
            sg.distributed.sum_over(logit, **settings)


def test_what_has_no_sum_says_why():
    f = lambda b, X: (X @ b) ** 2
    chunks = cut(X, [50])
    refused("is nan, for a parameter is", f, np.array([np.nan, 1.0, 1.0]), chunks)
    refused("X is a masked array", f, B, [np.ma.masked_array(X, X > 0)], kind=sg.distributed.ChunkError)
    with pytest.raises(sg.distributed.DistributedError, match="the weights add up to 0"):
        sg.distributed.sum_over(f, mean=True).value(B, chunks, weights=[np.zeros(50), np.zeros(N - 50)])
    refused("holds no numbers", f, B, [X.astype(object)], kind=sg.distributed.ChunkError)
    refused("Return real numbers", f, B, [X + 1j])
    for tensor in (sg.tensor(B), sg.symbol("b")):
        refused("takes arrays and numbers as parameters", f, tensor, chunks)
    total = sg.distributed.sum_over(f)
    with pytest.raises(sg.distributed.DistributedError, match="takes arrays and numbers as parameters"):
        sg.hessian(lambda b: total.value(b, chunks))(B)


def test_kinds_of_numbers_and_of_parameters():
    f = lambda b, X: (X @ b) ** 2
    total = sg.distributed.sum_over(f)
    whole_numbers = np.round(X * 3).astype(int)
    close(total.hessian(B, cut(whole_numbers, [50])), 2 * whole_numbers.T @ whole_numbers)
    close(total.hessian(B, [X > 0]), 2 * (X > 0).astype(float).T @ (X > 0).astype(float))
    close(total.grad(np.array([1, 2, 3]), cut(X, [50])), 2 * X.T @ X @ [1, 2, 3])
    held = sg.tensor(np.array([1.0, 2.0, 3.0]), requires_grad=True)
    found = sg.distributed.sum_over(lambda b, X: (X @ (b * held)) ** 2).hessian(B, cut(X, [50]))
    close(found, 2 * np.outer([1, 2, 3], [1, 2, 3]) * (X.T @ X))
    nested = {"a": [np.array(1.0)], "b": {"c": B}}
    g = lambda p, X: (X @ p["b"]["c"] - p["a"][0]) ** 2
    mine, truth = sg.distributed.sum_over(g).grad(nested, cut(X, [50])), sg.grad(whole(g))(nested, X)
    close(mine["a"][0], truth["a"][0])
    close(mine["b"]["c"], truth["b"]["c"])


def test_a_matrix_that_does_not_fit_is_refused_before_the_run(monkeypatch):
    from symgrad.distributed import _total

    monkeypatch.setattr(_total, "total", None)
    f = lambda b, X: X * (b**2).sum()
    with pytest.raises(sg.TooLargeError, match=r"in 3,000,000 variables takes 72 TB(?s:.*)sg.hessian_operator"):
        sg.distributed.sum_over(f).hessian(np.ones(3_000_000), [X[:, 0]])
