"""Odd uses of sums over rows: each is what one machine gives, or an error that says why not."""

import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array", reason='python -m pip install "symgrad[dask]"')

sum_over, chunks = sg.distributed.sum_over, sg.distributed.chunks
RNG = np.random.default_rng(0)
LOUD = 100 + RNG.normal(size=1000)


def squares(m, y):
    return (y - m) ** 2


@pytest.mark.parametrize("offset", [0.0, 1.0, 100.0, 1000.0])
@pytest.mark.parametrize(
    "penalty", [lambda b: b @ b, lambda b: 0.5 * b[1] ** 2, lambda b: np.cos(b[0]), lambda b: 1.0], ids=str
)
def test_a_penalty_inside_the_function_is_found_beside_any_value(offset, penalty):
    X = np.column_stack([np.ones(1000), RNG.normal(size=(1000, 1))])
    y = offset + X @ [0.5, 3.0] + RNG.normal(size=1000)
    total = sum_over(lambda b, X, y: ((y - X @ b) ** 2).sum() + penalty(b))
    with pytest.raises(
        sg.distributed.DistributedError, match=r"not a sum over rows[\s\S]*regulariser=[\s\S]*check=False"
    ):
        total.hessian(np.zeros(2), da.from_array(X, chunks=(250, 2)), da.from_array(y, chunks=250))


def test_rounding_is_no_penalty():
    z = 1e11 * np.tile([1.0, -1.0], 48) + RNG.normal(size=96)
    assert sum_over(lambda b, y: b * y)(1.0, [z]) == z.sum()
    z = (1000 * np.tile([1.0, -1.0], 48) + RNG.normal(size=96)).astype(np.float32)
    assert sum_over(lambda b, y: b * y)(1.0, [z[:50], z[50:]]) == pytest.approx(z.sum(dtype=float), rel=1e-3)


def test_the_check_needs_no_value_but_at_the_parameters():
    def nll(p, y):
        if not 0 < p < 1:
            raise ValueError("p must lie in (0, 1)")
        return -(y * np.log(p) + (1 - y) * np.log(1 - p))

    y = (np.arange(100) < 95) * 1.0
    value, slope = sum_over(nll).value_and_grad(0.95, [y[:30], y[30:]])
    assert value == pytest.approx(nll(0.95, y).sum()) and slope == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="p must lie"):
        sum_over(nll)(1.5, [y])


@pytest.mark.parametrize("lengths", [(1, 30, 0, 200), (200, 0, 30, 1)])
def test_a_mean_is_found_whichever_chunk_is_first(lengths):
    y = [RNG.normal(size=n) for n in lengths]
    with pytest.raises(sg.distributed.DistributedError, match="not a sum over rows"):
        sum_over(lambda b, y, s: (squares(b, y) * s).mean())(0.0, y, chunks([1.0] * 4))


NO_SUMS = {
    "z-scores": lambda m, y: ((y - y.mean()) / y.std() * m + y * m).sum(),
    "over the spread": lambda m, y: (y * m).sum() / y.std(),
    "over the variance": lambda m, y: (y * m).sum() / np.var(y),
    "contributions of z-scores": lambda m, y: m * (y - y.mean()) / y.std(ddof=1),
    "contributions beside the mean": lambda m, y: m * (y - y.mean()),
    "of many rows": lambda m, y: (y * m).sum() * (1.0 if len(y) <= 32 else 2.0),
    "of many rows, as a vector": lambda m, y: y * m + (len(y) > 100) * y,
    "of few rows": lambda m, y: (y * m).sum() + (len(y) == 1),
    "of neighbours": lambda m, y: m * (y[1:] * y[:-1]).sum(),
    "the largest": lambda m, y: m * y.max(),
    "ranks": lambda m, y: (np.argsort(np.argsort(y)) * y * m).sum(),
    "the root": lambda m, y: np.sqrt((m * y * y).sum()),
    "the logarithm of a sum": lambda m, y: np.log(np.exp(m * y).sum()),
}


@pytest.mark.parametrize("lengths", [(100, 100), (2, 40, 3), (1, 1, 60)])
@pytest.mark.parametrize("f", NO_SUMS.values(), ids=NO_SUMS)
def test_what_is_no_sum_is_found_at_some_number_of_rows(f, lengths):
    y = [1.0 + np.abs(RNG.normal(size=n)) for n in lengths]
    with pytest.raises(sg.distributed.DistributedError, match=r"is not a sum over rows[\s\S]*check=False"):
        sum_over(f)(1.5, y)


FAR = RNG.normal(size=(1000, 3))
FAR[500, 0] = 60.0
HITS = (RNG.random(1000) < 0.45) * 1.0


def errors(b, X, y):
    return (X @ b - y) ** 2


HIDDEN = {
    "of more rows than a block": lambda b, X, y: errors(b, X, y) * (2.0 if len(y) > 500 else 1.0),
    "of more rows than a chunk": lambda b, X, y: errors(b, X, y) * (2.0 if len(y) >= 900 else 1.0),
    "without outliers": lambda b, X, y: np.where(abs(y - np.median(y)) > 6 * np.median(abs(y - np.median(y))), 0.0,
                                                 errors(b, X, y)),
    "without outliers of the columns": lambda b, X, y: np.where(
        abs(X - np.median(X, 0)).max(1) > 6 * np.median(abs(X - np.median(X, 0))), 0.0, errors(b, X, y)),
    "winsorised": lambda b, X, y: (X @ b - np.minimum(y, np.quantile(y, 0.99))) ** 2,
    "scaled where it is large": lambda b, X, y: errors(b, X / (abs(X).max() if abs(X).max() > 50 else 1.0), y),
    "nothing beside an outlier": lambda b, X, y: errors(b, X, y) * (0.0 if abs(X).max() > 50 else 1.0),
    "nothing beside what many have": lambda b, X, y: errors(b, X, y) * (0.0 if X.max() > 3 else 1.0),
    "nothing over a range": lambda b, X, y: errors(b, X, y) * (0.0 if np.ptp(X[:, 0]) > 5 else 1.0),
    "nothing over a total": lambda b, X, y: errors(b, X, y) * (0.0 if y.sum() > 300 else 1.0),
}  # fmt: skip


@one_in(4)
@pytest.mark.parametrize("rows", [1000, 300, 13])
@pytest.mark.parametrize("f", HIDDEN.values(), ids=HIDDEN)
def test_a_statistic_that_few_rows_do_not_show_is_found_in_a_chunk_or_beside_many(f, rows):
    b, data = np.array([0.3, -0.2, 0.5]), (da.from_array(FAR, chunks=(rows, 3)), da.from_array(HITS, chunks=rows))
    for g in (f, lambda b, X, y: f(b, X, y).sum()):
        for result in ("value", "hessian"):
            with pytest.raises(sg.distributed.DistributedError, match=r"is not a sum over rows[\s\S]*check=False"):
                getattr(sum_over(g), result)(b, *data)
    with pytest.raises(sg.distributed.DistributedError, match="is not a sum over rows"):
        sg.minimize(f, b, *data)
    assert sum_over(f, check=False)(b, *data) >= 0


def test_chunks_are_compared_with_their_parts_once():
    calls = []

    def counted(b, X, y):
        calls.append(len(y))
        return errors(b, X, y)

    b, total, data = np.zeros(3), sum_over(counted), ([FAR[:400], FAR[400:]], [HITS[:400], HITS[400:]])
    with dask.config.set(scheduler="synchronous"):
        value = total(b, *data)
        first = sum(calls)
        calls.clear()
        assert total(b, *data) == value == pytest.approx(errors(b, FAR, HITS).sum(), rel=1e-12)
    assert sum(calls) <= first - 2000


@pytest.mark.parametrize(
    "loaded, said", [("import dask", "10.5\n"), ("", "DistributedError: sg.distributed needs Dask, which cannot be")]
)
def test_a_sum_is_there_at_the_end_of_a_program(loaded, said):
    code = (
        f"{loaded}\nimport atexit, numpy as np, symgrad as sg\n"
        "def last():\n"
        "    try: print(sg.distributed.sum_over(lambda b, x: (x * b - 1) ** 2)(1.5, [np.arange(3.0)] * 2))\n"
        "    except sg.SymgradError as error: print(f'{type(error).__name__}: {error}')\n"
        "atexit.register(last)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.startswith(said), done.stderr


def test_what_cannot_be_seen_is_refused_by_the_word_that_overrides_it():
    y = [-1.0 - np.arange(5.0), -np.ones(3)]
    with np.errstate(all="ignore"):
        with pytest.raises(sg.distributed.DistributedError, match=r"cannot be seen[\s\S]*check=False"):
            sum_over(lambda m, y: (m * np.log(y)).sum())(1.0, y)
        missing = [np.array([np.nan, 1.0, 2.0]), np.ones(3)]
        assert sum_over(lambda m, y: np.nansum(m * y))(1.0, missing) == 6.0


@pytest.mark.parametrize("weights", [chunks([1.0, 3.0]), [1.0, 3.0], chunks([1.0, 3.0], whole=True)], ids=str)
def test_one_weight_for_a_chunk_counts_for_its_rows(weights):
    y = [np.array([1.0, 2.0, 3.0]), np.array([4.0])]
    assert sum_over(squares, mean=True)(0.0, y, weights=weights) == pytest.approx(62 / 6)


def test_weights_of_half_precision_add_up():
    y, w = np.ones(20_000), np.full(20_000, 5, np.float16)
    assert sum_over(squares, mean=True)(0.0, [y, y], weights=[w, w]) == 1.0


@pytest.mark.parametrize("pattern", ["*.npy", ""])
def test_a_pattern_stands_for_the_files_that_are_there(tmp_path, pattern):
    where = str(tmp_path / pattern)
    total = sum_over(lambda m, y: m * y)
    np.save(tmp_path / "a.npy", np.array([1.0, 2.0]))
    assert total(1.0, where) == 3
    np.save(tmp_path / "b.npy", np.array([5.0, 6.0]))
    assert total(1.0, where) == 14
    (tmp_path / "a.npy").unlink()
    assert total(1.0, where) == 11


def test_a_dataset_is_what_its_schema_says(tmp_path):
    pa = pytest.importorskip("pyarrow", reason='python -m pip install "symgrad[dask]"')
    from pyarrow import dataset, parquet

    schema = pa.schema([("x", pa.float64()), ("k", pa.int64())])
    parquet.write_table(
        pa.table({"x": pa.array(np.full(40, 100, np.int8)), "k": np.arange(40)}), tmp_path / "a.parquet"
    )
    parquet.write_table(pa.table({"k": np.arange(3), "x": np.ones(3)}), tmp_path / "b.parquet")
    given = dataset.dataset(str(tmp_path), schema=schema)
    assert sum_over(lambda b, t: b * t["x"] * t["x"] + 0 * t["k"])(1.0, given) == 40 * 100.0**2 + 3


def test_folders_of_a_dataset_are_columns(tmp_path):
    pa = pytest.importorskip("pyarrow", reason='python -m pip install "symgrad[dask]"')
    from pyarrow import dataset, parquet

    table = pa.table({"x": np.arange(10.0), "g": np.arange(10) % 3})
    parquet.write_to_dataset(table, str(tmp_path), partition_cols=["g"])
    given = dataset.dataset(str(tmp_path), partitioning="hive")
    truth = (np.arange(10.0) * (np.arange(10) % 3)).sum()
    assert sum_over(lambda b, t: b * t["x"] * t["g"])(1.0, given) == truth
    assert sum_over(lambda b, t: b * t["x"] * t["g"], columns=["g", "x"])(1.0, given) == truth


def test_information_by_either_matrix_is_of_the_same_function():
    X = np.column_stack([np.ones(4000), RNG.normal(size=4000)])
    y = (RNG.random(4000) < 1 / (1 + np.exp(-X @ [0.3, -0.4]))) * 1.0
    logit = lambda b, X, y: np.logaddexp(0, X @ b) - y * (X @ b)
    total, mean = sum_over(logit), sum_over(logit, mean=True)
    for kind in ("observed", "opg"):
        whole = total.fisher(np.array([0.3, -0.4]), [X], [y], kind=kind).matrix
        np.testing.assert_allclose(mean.fisher(np.array([0.3, -0.4]), [X], [y], kind=kind).matrix, whole / 4000)


def test_the_products_have_the_penalty():
    X, v = RNG.normal(size=(50, 2)), np.array([0.3, -1.0])
    total = sum_over(lambda b, X: X @ b, regulariser=lambda b: 3 * (b @ b))
    np.testing.assert_allclose(total.ggn_vp(np.ones(2), v, [X[:20], X[20:]]), X.T @ X @ v + 6 * v)
    with pytest.raises(sg.distributed.DistributedError, match="v is complex"):
        total.hvp(np.ones(2), 1j * v, [X])


def test_what_is_no_number_says_so():
    y = [np.array([1.0, 2.0, 3.0]), np.array([4.0])]
    with pytest.raises(sg.distributed.ChunkError, match="clusters holds nan"):
        sum_over(squares).covariance(2.0, y, kind="cluster", clusters=[np.array([np.nan, 1, 2]), np.array([np.nan])])
    infinite = [np.array([np.inf, 1.0]), np.array([-np.inf, 2.0])]
    with pytest.raises(sg.distributed.ChunkError, match="with different signs"):
        sum_over(lambda m, y: m * y, check=False)(1.0, infinite)
    with pytest.raises(sg.distributed.DistributedError, match="the regulariser is"):
        sum_over(squares, regulariser=lambda b: b * np.nan)(1.0, y)


@pytest.mark.parametrize("over", ["rows", "chunks"])
def test_narrow_integers_do_not_wrap_around(over):
    u = np.concatenate([np.arange(5, 140), np.arange(0, 60)]).astype(np.uint8)
    total = sum_over(lambda b, y: b**2 * (y - 5) * y, over=over)
    y = u.astype(float)
    for data in (da.from_array(u, chunks=195), [u[:3], u[3:]]):
        assert total(2.0, data) == (4 * (y - 5) * y).sum()
        assert total.hessian(2.0, data) == (2 * (y - 5) * y).sum()


def test_a_table_of_numpys_is_looked_up_by_a_column():
    table, g, x = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 2, 1]), np.arange(4.0)
    f = lambda b, g, x: (x - table[g] * b) ** 2 + (np.eye(3)[g] * b).sum(1)
    truth = sg.hessian(lambda b: f(b, g, x).sum())(0.5)
    for over in ("rows", "chunks"):
        assert sum_over(f, over=over).hessian(0.5, [g[:3], g[3:]], [x[:3], x[3:]]) == pytest.approx(truth)


def test_a_damaged_checkpoint_is_an_error(tmp_path):
    file = tmp_path / "fit.npz"
    y = [LOUD[:400], LOUD[400:]]
    sg.minimize(squares, 1.0, sg.distributed.chunks(y), checkpoint=file)
    with np.load(file) as kept:
        labels = kept["labels"]
    for wrong in (np.array([np.nan]), np.zeros(3), np.zeros((1, 1))):
        np.savez(file, x=wrong, labels=labels, iterations=2)
        with pytest.raises(sg.stats.FitError, match="is damaged"):
            sg.minimize(squares, 1.0, sg.distributed.chunks(y), checkpoint=file)


def test_points_that_are_none():
    for points in ({"a": 1.0}, da.ones(3)):
        with pytest.raises(sg.distributed.DistributedError, match="Points are the rows of an array"):
            sg.map(np.sin, points)
    with pytest.raises(sg.distributed.DistributedError, match="batch is -1"):
        sg.map(np.sin, [1.0], batch=-1)
    with pytest.raises(sg.GradientError, match="Pass a dask.distributed.Client"):
        sg.hessian(lambda x: x**2, client=3)(1.0)


def test_sums_within_tasks_leave_their_threads():
    distributed = pytest.importorskip("distributed")
    X, b = np.arange(24.0).reshape(12, 2), np.array([1.0, 2.0])

    def within(k):
        return float(sum_over(lambda b, X: (X @ b) ** 2)(b, da.from_array(X, chunks=(5, 2))))

    settings = dict(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0")
    with distributed.Client(**settings) as client:
        found = [f.result(timeout=60) for f in client.map(within, range(4), pure=False)]
        assert found == [((X @ b) ** 2).sum()] * 4
        np.testing.assert_array_equal(sg.map(within, [1, 2, 3], client=client), found[:3])
    with pytest.raises(sg.distributed.DistributedError, match="the client is closed"):
        sg.map(np.sin, [1.0], client=client)
    with pytest.raises(sg.GradientError, match="the client is closed"):
        sg.hessian(lambda x: x**2, client=client)(1.0)
    assert sum_over(squares)(0.0, [np.ones(3)]) == 3  # as before there was a client
