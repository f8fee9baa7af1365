"""``sg.compile`` of functions that read at places found from values: a sort, a quantile, a running maximum.

Every target against the tape, at points whose order differs and where entries tie: nothing of the point that a program
was made at may stay in it.
"""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore:.*compiled by Numba:RuntimeWarning")]

L, T = sg, sg.as_tensor
W = np.arange(6.0) + 1
ROWS = np.array([0, 2, 1, 2, 0, 1])


@pytest.fixture(params=["numpy", "numba", "jax", "torch"])
def target(request):
    if request.param != "numpy":
        pytest.importorskip(request.param)
    if request.param == "jax":
        request.getfixturevalue("jax")
    return request.param


def _scattered(x):
    places = np.argsort(x)
    return (L.scatter_add(T(x) * 0.5, 0, places, T(x) ** 2) ** 3 * W).sum()


def _rows_by_norm(x):
    rows = x.reshape(3, 2)
    return (rows[np.argsort((rows**2).sum(1))] ** 3 * W.reshape(3, 2)).sum()


READS = {
    "sort": lambda x: (np.sort(x) ** 3 * W).sum(),
    "sort of rows": lambda x: (np.sort(x.reshape(2, 3), axis=1) ** 3 * W.reshape(2, 3)).sum(),
    "sort of columns": lambda x: (np.sort(x.reshape(2, 3), axis=0) ** 3 * W.reshape(2, 3)).sum(),
    "descending": lambda x: (L.sort(T(x), descending=True)[0] ** 3 * W).sum(),
    "sort of a product": lambda x: (np.sort(x * x[::-1]) ** 2 * W).sum() + np.exp(np.sort(x) @ x),
    "argsort": lambda x: (x[np.argsort(x)] ** 3 * W).sum(),
    "sorted by another": lambda x: (np.take_along_axis(x**2, np.argsort(np.sin(3 * x)), 0) ** 3 * W).sum(),
    "rows by norm": _rows_by_norm,
    "take": lambda x: (np.take(x.reshape(2, 3), np.argsort(x)[:3]) ** 3 * W[:3]).sum(),
    "x[argmax]": lambda x: x[np.argmax(x)] ** 3,
    "before the least": lambda x: x[np.argmin(x) - 1] ** 3,
    "max": lambda x: (L.max(T(x).reshape(2, 3), 0)[0] ** 3).sum(),
    "min": lambda x: (L.min(T(x).reshape(2, 3), 1, keepdim=True)[0] ** 3).sum(),
    "topk": lambda x: (L.topk(T(x), 3)[0] ** 3 * W[:3]).sum(),
    "least k": lambda x: (L.topk(T(x).reshape(2, 3), 2, largest=False)[0] ** 3).sum(),
    "kthvalue": lambda x: L.kthvalue(T(x), 3)[0] ** 3,
    "np.median": lambda x: np.median(x) ** 3,
    "median of rows": lambda x: (np.median(x.reshape(2, 3), axis=1) ** 3).sum(),
    "sg.median": lambda x: (L.median(T(x).reshape(2, 3), 0)[0] ** 3).sum() + L.median(T(x)) ** 2,
    "nanmedian": lambda x: (L.nanmedian(T(x).reshape(2, 3), 1)[0] ** 3).sum(),
    "quantile": lambda x: np.quantile(x, 0.3) ** 3,
    "percentiles of rows": lambda x: (np.percentile(x.reshape(2, 3), [10, 50, 90], axis=1) ** 3).sum(),
    "range between quartiles": lambda x: (np.quantile(x, 0.75) - np.quantile(x, 0.25)) ** 2,
    "cummax": lambda x: (L.cummax(T(x), 0)[0] ** 3 * W).sum(),
    "cummin of rows": lambda x: (L.cummin(T(x).reshape(2, 3), 1)[0] ** 3 * W.reshape(2, 3)).sum(),
    "maximum.accumulate": lambda x: (np.maximum.accumulate(x) ** 3 * W).sum(),
    "max_pool": lambda x: (L.nn.functional.max_pool1d(T(x).reshape(1, 1, 6), 2) ** 3).sum(),
    "trimmed mean": lambda x: np.mean(np.sort(x)[1:-1]) ** 3,
    "added at found places": _scattered,
    "sg.quantile": lambda x: L.quantile(T(x), 0.4) ** 3,
}  # fmt: skip

SUMS = {
    "scatter_add": lambda x: (L.scatter_add(L.zeros(3), 0, T(ROWS), T(x)) ** 3).sum(),
    "scatter_add to x": lambda x: (L.scatter_add(T(x) ** 2, 0, T(ROWS), T(x)) ** 3).sum(),
    "scatter_add of rows": lambda x: (
        L.scatter_add(T(x).reshape(2, 3), 1, T(ROWS[:4].reshape(2, 2)), T(x[:4]).reshape(2, 2)) ** 3
    ).sum(),
    "index_add": lambda x: (L.index_add(L.zeros(3), 0, T(ROWS), T(x), alpha=-2.0) ** 3).sum(),
    "index_add of rows": lambda x: (L.index_add(L.ones(4, 2), 0, T(ROWS[1:4]), T(x).reshape(3, 2)) ** 3).sum(),
    "scatter_reduce sum": lambda x: (L.scatter_reduce(T(x[:3]), 0, T(ROWS), T(x), "sum") ** 3).sum(),
    "scatter_reduce mean": lambda x: (
        L.scatter_reduce(T(x[:3]), 0, T(ROWS), T(x) ** 2, "mean", include_self=False) ** 3
    ).sum(),
    "index_put": lambda x: (L.index_put(L.zeros(3), (T(ROWS),), T(x), accumulate=True) ** 3).sum(),
    "index_put spread": lambda x: (
        L.index_put(L.zeros(3, 2), (T(ROWS[:4]),), T(x[:2]), accumulate=True) ** 3
    ).sum(),
    "put": lambda x: (L.put(L.zeros(2, 3), T(ROWS), T(x), True) ** 3 * W.reshape(2, 3)).sum(),
}  # fmt: skip

B = np.array([[3.0, 0.5], [0.2, 2.0]])

WORDS = {
    "cumprod": lambda x: (np.cumprod(x) ** 2 * W).sum(),
    "cumprod of columns": lambda x: (np.cumprod(x.reshape(3, 2), axis=0) ** 2).sum(),
    "prod of rows": lambda x: (np.prod(x.reshape(2, 3), axis=1) ** 2).sum(),
    "prod of columns": lambda x: (np.prod(x.reshape(2, 3), axis=0, keepdims=True) ** 2).sum(),
    "logcumsumexp": lambda x: (L.logcumsumexp(T(x), 0) ** 2 * W).sum(),
    "logcumsumexp far apart": lambda x: (L.logcumsumexp(T(x * 900).reshape(2, 3), 1) ** 2).sum(),
    "cross": lambda x: (np.cross(x[:3], x[3:]) ** 3).sum(),
    "cross of columns": lambda x: (L.linalg.cross(T(x).reshape(3, 2), T(W).reshape(3, 2), dim=0) ** 3).sum(),
    "solve_triangular": lambda x: (
        L.linalg.solve_triangular(T(B) + T(x[:4]).reshape(2, 2), T(x[4:]).reshape(2, 1), upper=True) ** 2
    ).sum(),
    "solve_triangular from the right": lambda x: (
        L.linalg.solve_triangular(
            T(x[:4]).reshape(2, 2), T(x[2:]).reshape(2, 2), upper=False, left=False, unitriangular=True
        ) ** 2
    ).sum(),
    "cholesky_solve": lambda x: (L.cholesky_solve(T(x[4:]).reshape(2, 1), T(B) + T(x[:4]).reshape(2, 2)) ** 2).sum(),
    "cholesky_inverse": lambda x: (L.cholesky_inverse(T(B) + T(x[:4]).reshape(2, 2), upper=True) ** 2).sum(),
    "nansum": lambda x: np.nansum(x**3) + np.nanmean(x) ** 2,
    "nanmax": lambda x: np.nanmax(x**3),
    "extreme of groups": lambda x: (
        L.scatter_reduce(L.zeros(3), 0, T(ROWS), T(x), "amax", include_self=False) ** 3
    ).sum(),
    "least of groups": lambda x: (L.scatter_reduce(T(x[:3]) * 1.0, 0, T(ROWS), T(x), "amin") ** 3).sum(),
    "singular values": lambda x: (np.linalg.svd(x.reshape(2, 3) + np.eye(2, 3), compute_uv=False) ** 3).sum(),
    "nuclear norm": lambda x: np.linalg.norm(x.reshape(2, 3) + np.eye(2, 3), "nuc") ** 2,
    "lstsq": lambda x: (np.linalg.lstsq(x.reshape(3, 2) + np.eye(3, 2), W[:3])[0] ** 2).sum(),
    "block_diag": lambda x: (L.block_diag(T(x[:4]).reshape(2, 2), T(x[4:]).reshape(1, 2)) ** 3).sum(),
    "log_ndtr": lambda x: L.special.log_ndtr(T(x) * 9).sum(),
}  # fmt: skip

POINTS = [
    np.array([0.3, -0.4, 0.5, 1.2, -0.1, 0.8]), np.array([-0.9, 0.7, 0.2, -0.3, 1.1, 0.1]),
    np.array([0.5, 0.5, -0.2, 0.5, -0.2, 0.1]), np.array([0.4, 0.4, 0.4, 0.4, 0.4, 0.4]),
]  # fmt: skip
"""Two orders, entries that tie, and all alike."""


def given(target, x):
    return importlib.import_module("torch").tensor(x) if target == "torch" else x


def assert_is_the_tapes(compiled, f, x, target):
    """Value, gradient and Hessian of a compiled function, against the tape."""
    found = [np.asarray(a) for a in compiled(given(target, x))]
    truth = [*map(np.asarray, sg.value_and_grad(f)(x)), np.asarray(sg.func.hessian(f)(x))]
    for a, b in zip(found, truth, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * (1 + np.abs(b).max()))


@pytest.mark.parametrize("name", [*READS, *SUMS])
def test_programs_follow_the_order_of_the_entries(name, target):
    f = {**READS, **SUMS}[name]
    compiled = sg.compile(f, target=target)
    for x in POINTS:
        assert_is_the_tapes(compiled, f, x, target)
    for x in POINTS:  # and again: the program of the first is the program of all
        assert_is_the_tapes(compiled, f, x, target)
    if target in ("numpy", "numba"):
        made = compiled._known((POINTS[0],), {})[0]
        assert not made.program.refused and made.program.checked
        assert made.program.run(made.values([POINTS[0]])) is not None


def _has_a_derivative(f, x):
    return all(np.isfinite(np.asarray(a)).all() for a in (sg.grad(f)(x), sg.func.hessian(f)(x)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", WORDS)
def test_programs_say_it_in_the_words_of_each_library(name, target):
    f = WORDS[name]
    points = [*POINTS[:3], np.array([0.3, 0.0, 0.5, 0.0, -0.1, 0.8])]  # zeros are no special case
    compiled = sg.compile(f, target=target)
    for x in points:
        try:
            defined = _has_a_derivative(f, x)
        except sg.SymgradError:  # singular values that meet
            continue
        if defined:
            assert_is_the_tapes(compiled, f, x, target)


@pytest.mark.parametrize("made_at", range(len(POINTS)))
def test_a_program_made_where_entries_tie_is_right_where_they_do_not(made_at, target):
    for f in (READS["sort"], READS["median of rows"], READS["cummax"]):
        compiled = sg.compile(f, target=target)
        for x in [POINTS[made_at], *POINTS]:
            assert_is_the_tapes(compiled, f, x, target)


@pytest.mark.parametrize("name", ["sort", "np.median", "quantile", "cummax", "topk"])
def test_where_there_is_no_number_there_is_no_order(name, target):
    f = READS[name]
    compiled = sg.compile(f, "fg", target=target)
    assert np.isfinite(np.asarray(compiled(given(target, POINTS[0]))[0]))
    for place in range(6):
        x = POINTS[0].copy()
        x[place] = np.nan
        value = np.asarray(compiled(given(target, x))[0])
        if target in ("numpy", "numba"):
            np.testing.assert_array_equal(value, np.asarray(f(x)))
        else:
            assert np.isnan(value)


def test_places_of_many_entries_are_read_not_multiplied():
    x = np.random.default_rng(0).normal(size=20_000)
    weights = np.arange(20_000.0)
    f = lambda x: (np.sort(x) ** 3 * weights).sum()
    gradient = sg.compile(f, "g")(x)
    np.testing.assert_allclose(gradient, sg.grad(f)(x))
    with pytest.raises(sg.GradientError, match="would be formed"):
        sg.compile(f, "h")(x)


@pytest.mark.parametrize("name", ["sort of rows", "descending", "np.median", "cummax", "rows by norm", "topk"])
def test_a_saved_program_needs_no_symgrad(name, target, tmp_path):
    compiled = sg.compile(READS[name], target=target)
    compiled.save(tmp_path / "saved.py", given(target, POINTS[0]))
    text = (tmp_path / "saved.py").read_text()
    assert "import symgrad" not in text
    subprocess.run([sys.executable, tmp_path / "saved.py"], check=True)


@pytest.mark.parametrize("name", ["sort", "quantile", "rows by norm", "added at found places", "cummax"])
def test_a_batch_is_its_points(name, request):
    for target in ("jax", "torch"):
        library = request.getfixturevalue(target)
        vmap = library.vmap if target == "jax" else library.func.vmap
        mapped = vmap(sg.compile(READS[name], target=target))(given(target, np.stack(POINTS)))
        for k, x in enumerate(POINTS):
            for a, b in zip(mapped, sg.compile(READS[name])(x), strict=True):
                np.testing.assert_allclose(np.asarray(a[k]), b, rtol=0, atol=1e-9 * (1 + np.abs(b).max()))


def test_what_has_no_words_says_which_dialect_has():
    pytest.importorskip("torch")
    f = lambda x: (L.mode(T(x).reshape(2, 3), 1)[0] ** 3).sum()
    assert_is_the_tapes(sg.compile(f), f, POINTS[2], "numpy")
    with pytest.raises(sg.GradientError, match=r"'argmode' has no name in torch.*\n.*NumPy has it"):
        sg.compile(f, target="torch")(given("torch", POINTS[2]))


def test_places_are_arguments_like_others(target):
    def f(x, i):
        return (x[i + 1] ** 3 * W[:2]).sum() + (x[np.argmax(x) - i] ** 2).sum()

    compiled = sg.compile(f, target=target)
    for x in POINTS[:2]:
        for i in (np.array([0, 2]), np.array([3, -1]), np.array([1, 1])):
            if not (np.argmax(x) - i < 6).all():
                continue
            found = [np.asarray(a) for a in compiled(given(target, x), given(target, i))]
            np.testing.assert_allclose(found[1], sg.grad(f)(x, i), atol=1e-12)
            np.testing.assert_allclose(found[2], sg.func.hessian(lambda x, i=i: f(x, i))(x), atol=1e-12)


def test_how_many_entries_there_are_cannot_hang_on_values():
    with pytest.raises(sg.SymbolicBranchError, match="depends on the values"):
        sg.compile(lambda x: (x[x > 0] ** 2).sum())(POINTS[0])
