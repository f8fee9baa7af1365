"""Sparse and structured Hessians: the same matrix as the tape's, in canonical form, symmetric to the last bit."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse

import symgrad as sg
from symgrad.programs import program

from ..helpers.user_defined import Cube

F = sg.nn.functional
RNG = np.random.default_rng(0)
N = 12
POINT = RNG.normal(size=N)
GRID = RNG.normal(size=(4, 3))
A, B, V = RNG.integers(0, N, 30), RNG.integers(0, N, 30), RNG.normal(size=30)
B[:4], A[5], B[5] = A[:4], A[6], B[6]  # edges from a node to itself, and two between the same nodes
WIDE, TALL = RNG.normal(size=(5, N)), RNG.normal(size=(6, 4))
SPARSE = np.where(RNG.random((8, N)) < 0.2, RNG.normal(size=(8, N)), 0)
ELEMENTS = np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6], [9, 10, 11]])


@pytest.fixture(autouse=True)
def mistakes_are_raised(monkeypatch):
    """A mistake in making a program is an error here, and no reason to take the tape."""
    monkeypatch.setattr(program, "STRICT", True)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


PROGRAMMED = {
    "Rosenbrock": rosenbrock,
    "edges": lambda x: (V * (x[A] - x[B]) ** 4).sum(),
    "edges, sine": lambda x: (V * sg.sin(x[A] * x[B])).sum(),
    "edges, bilinear": lambda x: (V * x[A] * x[B]).sum(),
    "elements": lambda x: (x[ELEMENTS[:, 0]] * x[ELEMENTS[:, 1]] * x[ELEMENTS[:, 2]]).sum(),
    "elements, exp": lambda x: sg.exp(x[ELEMENTS].sum(1)).sum(),
    "elements, norm": lambda x: x[ELEMENTS].norm(dim=1).sum(),
    "elements, logsumexp": lambda x: sg.logsumexp(x[ELEMENTS], 1).sum(),
    "block products": lambda x: ((x.reshape(4, 3) @ GRID.T) ** 3).sum(),
    "diagonal": lambda x: (x**4).sum(),
    "constant diagonal": lambda x: (x**2).sum(),
    "one entry": lambda x: x[-1] ** 3 * x[0],
    "slices": lambda x: (x[:6] * x[6:] ** 2).sum(),
    "strides": lambda x: (x[::2] * x[1::2] ** 2).sum() + (x[::3] ** 3).sum(),
    "strides, by column": lambda x: (sg.sin(x[1::3]) * x[::3] * x[2::3]).sum(),
    "places": lambda x: (x[[0, 2]] * x[[1, 3]] ** 2).sum() + (x[[5, -1]] ** 3).sum(),
    "places, twice": lambda x: (x[[0, 2, 0, 4]] ** 3 * x[[1, 1, 3, 5]]).sum(),
    "reversed": lambda x: (x * x.flip(0) ** 2).sum(),
    "rolled": lambda x: (np.roll(x, 2) * x**2).sum(),
    "arrow": lambda x: (x[0] * x[1:] ** 2).sum() + (x**3).sum(),
    "choice": lambda x: sg.where(x[1:] > x[:-1], (x[1:] - x[:-1]) ** 3, x[1:] ** 2).sum(),
    "larger of two": lambda x: (sg.maximum(x[1:], x[:-1]) ** 3).sum(),
    "loop": lambda x: sum((x[k + 1] - x[k] ** 2) ** 2 for k in range(N - 1)),
    "joined": lambda x: (sg.cat([x[3:], x[:3]]) * x**2).sum(),
    "entry by entry": lambda x: sg.lgamma(1 + x**2).sum() + sg.erf(x).sum() + (x.abs() ** 3).sum(),
    "powers": lambda x: ((x[1:].abs() + 1) ** x[:-1]).sum(),
    "expanded": lambda x: (x.expand(3, N) ** 3 * sg.arange(3)[:, None]).sum(),
    "sparse data": lambda x: (sg.tanh(SPARSE @ x) ** 2).sum(),
    "mask": lambda x: (x[x > 0] ** 3).sum(),
    "differences": lambda x: (np.diff(x) ** 4).sum(),
    "Huber": lambda x: F.huber_loss(x[1:], x[:-1], reduction="sum"),
    "clamped": lambda x: (sg.clamp(x, -0.5, 0.5) ** 3).sum(),
}  # fmt: skip
MIXED = {
    "dense": lambda x: x.sum() ** 3,
    "dense and diagonal": lambda x: (x**4).sum() + x.sum() ** 3,
    "low rank and diagonal": lambda x: (x**4).sum() + ((WIDE @ x) ** 4).sum(),
    "a dense block": lambda x: x[:4].sum() ** 3 + (x[4:] ** 3).sum(),
    "a product and a diagonal": lambda x: x[:4].prod() ** 2 + (x**2).sum(),
    "logistic": lambda x: sg.log1p(sg.exp(WIDE @ x)).sum(),
    "running sums": lambda x: (sg.cumsum(x, 0) ** 3).sum(),
    "running products": lambda x: sg.cumprod(x[:5], 0).sum() + (x**3).sum(),
    "sorted": lambda x: (sg.sort(x)[0] ** 3 * np.arange(N)).sum(),
    "gaps of the sorted": lambda x: (sg.diff(sg.sort(x)[0]) ** 4).sum(),
    "convolution": lambda x: (F.conv1d(x[None, None], sg.tensor([[[1.0, -2.0, 1.0]]])) ** 4).sum(),
    "windows": lambda x: (x.unfold(0, 3, 1).prod(-1) ** 2).sum(),
    "scattered": lambda x: (sg.zeros(N).scatter_add(0, sg.tensor(A[:N]), x) ** 3).sum(),
    "own operation": lambda x: (Cube.apply(x[1:]) * x[:-1]).sum(),
}  # fmt: skip
SHAPED = {
    "grid": (lambda g: ((g[1:] - g[:-1]) ** 4).sum() + sg.exp(g[:, 1:] - g[:, :-1]).sum(), GRID),
    "rows": (lambda g: (g.sum(1) ** 3).sum(), GRID),
    "columns": (lambda g: (g.sum(0) ** 3).sum(), GRID),
    "least squares": (lambda g: ((TALL @ g) ** 2).sum(), GRID),
    "network": (lambda g: (sg.tanh(TALL @ g) ** 2).sum(), GRID),
    "entries": (lambda g: (g[np.array([0, 0, 3]), np.array([1, 1, 2])] ** 3).sum(), GRID),
    "Fortran order": (lambda g: ((g[1:] - g[:-1]) ** 4).sum(), np.asfortranarray(GRID)),
    "batch": (lambda t: ((t @ t) ** 2).sum() + sg.logdet(t @ t.mT + sg.eye(2)).sum(), RNG.normal(size=(3, 2, 2))),
    "a number": (lambda s: s**3, np.array(1.3)),
    "one entry": (lambda s: (s**3).sum(), np.array([1.3])),
    "no entry": (lambda s: (s**3).sum(), np.zeros(0)),
    "strided": (lambda x: (x[1:] * x[:-1] ** 2).sum(), np.repeat(POINT, 2)[::2]),
}  # fmt: skip
CASES = {k: (f, POINT) for k, f in {**PROGRAMMED, **MIXED}.items()} | {f"{k} (shaped)": c for k, c in SHAPED.items()}


def tape(f, x):
    """The matrix by sweeps, which know nothing of programs and patterns."""
    return sg.func.hessian(f)(sg.tensor(x)).detach().numpy().reshape(x.size, x.size)


def points(x):
    """Points to ask at, the first of which the program is made at."""
    return [x, -1.7 * x, x[::-1].copy() if x.ndim else 0.5 * x]


def near(found, truth):
    np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-10 * np.abs(truth).max(initial=1))


def canonical(matrix):
    """The dense form of a sparse matrix whose form is checked: sorted, no entry twice, symmetric to the last bit."""
    assert isinstance(matrix, csr_array) and matrix.indices.dtype == matrix.indptr.dtype
    assert matrix.has_sorted_indices and matrix.has_canonical_format
    assert len(matrix.indptr) == matrix.shape[0] + 1 and matrix.indptr[-1] == len(matrix.indices) == len(matrix.data)
    for row in np.split(matrix.indices, matrix.indptr[1:-1]):
        assert (np.diff(row) > 0).all()
    dense = matrix.toarray()
    np.testing.assert_array_equal(dense, dense.T)
    return dense


@pytest.mark.parametrize("name", CASES)
def test_a_sparse_hessian_is_that_of_the_tape_in_canonical_form(name):
    f, at = CASES[name]
    hessian = sg.hessian(f, format="csr")
    for x in points(at):
        near(canonical(hessian(x)), tape(f, x))


@pytest.mark.parametrize(
    "f",
    [
        lambda x, A, d: ((A @ x) ** 2).sum(),
        lambda x, A, d: (d * (A.T @ x) ** 2).sum(),
        lambda x, A, d: (d @ x) ** 2,
        lambda x, A, d: ((A @ x) ** 2).sum() + (d @ x) ** 2 + (d * x**2).sum(),
    ],
)
def test_a_structured_hessian_keeps_no_array_of_its_callers(f):
    x, A, d = np.ones(120), np.random.default_rng(0).normal(size=(120, 120)), np.arange(120.0)
    H = sg.hessian(f, format="structured")(x, A, d)
    before = H @ x
    A[:], d[:] = 5, 5
    np.testing.assert_array_equal(H @ x, before)


@pytest.mark.parametrize("name", CASES)
def test_a_structured_hessian_is_that_of_the_tape(name):
    f, at = CASES[name]
    hessian = sg.hessian(f, format="structured")
    for x in points(at):
        truth, found = tape(f, x), hessian(x)
        dense = np.reshape(np.asarray(found), truth.shape)
        near(dense, truth)
        np.testing.assert_array_equal(dense, dense.T)
        if not isinstance(found, np.ndarray | np.floating):
            near(found.diagonal(), np.diag(truth))
            v = RNG.normal(size=x.size)
            np.testing.assert_allclose(found @ v, truth @ v, rtol=1e-8, atol=1e-9 * np.abs(truth).max(initial=1))


@pytest.mark.parametrize("name", PROGRAMMED)
def test_these_have_programs_and_few_entries(name):
    text = sg.hessian(PROGRAMMED[name], format="csr").plan(POINT)
    assert "a program runs" in text or name in ("sparse data", "differences")


@pytest.mark.parametrize("name", CASES)
def test_the_pattern_covers_every_second_derivative(name):
    f, at = CASES[name]
    if name == "own operation":
        with pytest.raises(sg.GradientError, match=r"(?s)pattern.*Cube.*user-defined"):
            sg.sparsity(f, at)
        return
    for x in points(at):
        pattern = sg.sparsity(f, x)
        assert pattern.dtype == bool
        covered = canonical(pattern.astype(float)) != 0
        assert not tape(f, x)[~covered].any()


def test_a_pattern_has_no_more_than_it_needs():
    assert sg.sparsity(rosenbrock, POINT).nnz == 3 * N - 2
    edges = sg.sparsity(PROGRAMMED["edges"], POINT).toarray()
    allowed = np.zeros((N, N), bool)
    for i, j in zip(A, B, strict=True):
        allowed[np.ix_([i, j], [i, j])] = True
    assert not (edges & ~allowed).any()
    assert sg.sparsity(lambda x: (x**3).sum(), np.ones(10**5)).nnz == 10**5


@pytest.mark.parametrize("f", [
    lambda x: (WIDE @ x).sum(), lambda x: 3.0, lambda x: (0 * x**2).sum(), lambda x: sg.relu(x).sum(),
    lambda x: x.abs().sum() + sg.floor(x).sum(),
])  # fmt: skip
@pytest.mark.parametrize("format", ["dense", "csr", "structured"])
def test_a_zero_matrix_is_a_warning_that_says_why(f, format):
    with pytest.warns(UserWarning, match=r"hessian\(<lambda>\) is zero wherever the function is smooth: \w+") as caught:
        found = sg.hessian(f, format=format)(POINT)
    assert found.shape == (N, N) and caught[0].filename == __file__ and len(caught) == 1
    assert not (found.toarray() if issparse(found) else np.asarray(found)).any()


def test_a_matrix_that_is_zero_at_a_point_alone_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not sg.hessian(lambda x: (x**3).sum(), format="csr")(np.zeros(3)).toarray().any()


KINKED = ["Rosenbrock", "edges", "elements, norm", "choice", "larger of two", "entry by entry", "Huber", "clamped"]


@pytest.mark.parametrize("name", [*KINKED, "sorted"])
@pytest.mark.parametrize("x", [np.zeros(N), np.ones(N), np.full(N, 0.5)], ids=["zeros", "ones", "halves"])
def test_kinks_and_ties_give_the_tapes_side(name, x):
    f = CASES[name][0]
    truth = tape(f, x)
    for format in ("csr", "structured"):
        hessian = sg.hessian(f, format=format)
        hessian(POINT)
        found = hessian(x)
        dense = found.toarray() if issparse(found) else np.asarray(found)
        np.testing.assert_allclose(dense, truth, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("format", ["csr", "structured"])
def test_where_a_number_is_not_finite_all_that_is_finite_is_right(format):
    f = lambda x: sg.log(x).sum() + (x[1:] * x[:-1] ** 1.5).sum()
    for x in (np.ones(4), np.array([1.0, 0.0, 2.0, 1.0]), np.array([1.0, np.nan, 2.0, 3.0]), np.full(4, -1.0)):
        found, truth = sg.hessian(f, format=format)(x), sg.hessian(f)(x)
        dense = found.toarray() if issparse(found) else np.asarray(found)
        here = np.isfinite(dense)  # products spread a NaN along their rows
        np.testing.assert_allclose(dense[here], truth[here], rtol=1e-9, atol=1e-12)
        assert here.all() == np.isfinite(truth).all() and (here | (dense != 0)).all()


@pytest.mark.parametrize("format", ["csr", "structured"])
@pytest.mark.parametrize("name", ["Rosenbrock", "edges, bilinear", "diagonal", "constant diagonal", "one entry",
                                  "choice", "a dense block", "running products", "own operation"])  # fmt: skip
def test_float32_stays_float32(name, format):
    f, x = CASES[name][0], POINT.astype(np.float32)
    found = sg.hessian(f, format=format)(x)
    assert found.dtype == np.float32
    dense = found.toarray() if issparse(found) else np.asarray(found)
    np.testing.assert_allclose(dense, tape(f, POINT), rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("format", ["csr", "structured"])
def test_several_arguments_and_containers_give_the_dense_matrix_and_its_labels(format):
    network = lambda p: (sg.tanh(TALL @ p["W"] + p["b"]) ** 2).sum()
    spring = lambda a, b: (a**3).sum() + ((a[1:] - b[:-1]) ** 4).sum()
    a, b = POINT[:5], POINT[5:10]
    for f, args, argnums in (
        (network, ({"W": GRID, "b": np.ones(3)},), 0), (lambda q: (q[0] * q[1] ** 2).sum(), ([a, b],), 0),
        (spring, (a, b), (0, 1)), (spring, (a, b), (1, 0)), (spring, (a, b), "b"), (spring, (a, a), ("a", "b")),
    ):  # fmt: skip
        found, dense = sg.hessian(f, argnums, format)(*args), sg.hessian(f, argnums)(*args)
        assert getattr(found, "labels", None) == getattr(dense, "labels", None)
        found, dense = getattr(found, "matrix", found), getattr(dense, "matrix", dense)
        near(canonical(found) if issparse(found) else np.asarray(found), dense)


def test_a_users_own_operation_falls_back_to_the_dense_matrix_only_where_it_is_small():
    f = lambda x: (Cube.apply(x) * x).sum()
    near(canonical(sg.hessian(f, format="csr")(POINT)), np.diag(12 * POINT**2))
    with pytest.raises(sg.GradientError, match=r"(?s)pattern.*Cube.*sg\.hvp"):
        sg.hessian(f, format="csr")(np.ones(3000))


def test_large_sparse_matrices_take_time_and_memory_in_proportion_to_their_entries():
    x = np.linspace(0, 1, 20_000)
    for f, count in ((rosenbrock, 59_998), (lambda x: (x**2 * (1 + x)).sum(), 20_000)):
        found = sg.hessian(f, format="csr")(x)
        assert found.nnz == count
        v = np.cos(x)
        np.testing.assert_allclose(found @ v, sg.hvp(f, x, v), rtol=1e-9)


def test_a_large_dense_matrix_in_disguise_is_refused_with_a_reason():
    for f in (lambda x: x.prod() ** 2 + (x**4).sum(), lambda x: sg.exp(x.sum()), lambda x: sg.cumprod(x, 0).sum()):
        with pytest.raises(sg.SymgradError, match=r"sg\.hvp|sg\.hessian_operator") as caught:
            sg.hessian(f, format="csr")(np.full(10**5, 1e-6))
        assert "program: ." not in str(caught.value)


def test_what_has_no_structure_is_an_ordinary_array_and_what_has_keeps_it_at_any_size():
    pairs = lambda x: sg.exp(-((x[:, None] - x) ** 2)).sum() * x[0]
    x = np.linspace(0, 1, 200)
    found = sg.hessian(pairs, format="structured")(x)
    assert type(found) is np.ndarray
    near(found, sg.hessian(pairs)(x))
    for n in (5, 500, 10**5):
        for f, diagonal in (
            (lambda x: x.norm() + (x**4).sum(), n**-0.5 - n**-1.5 + 12),
            (lambda x: x.prod() ** 2, 2),
            (rosenbrock, [802.0, *[1002.0] * (n - 2), 200.0]),
        ):
            found = sg.hessian(f, format="structured")(np.ones(n))
            assert not isinstance(found, np.ndarray) and found.nbytes < 100 * n
            np.testing.assert_allclose(found.diagonal(), diagonal, rtol=1e-9)


def test_a_result_owns_its_memory():
    f = lambda x: (x[1:] * x[:-1] ** 2).sum()
    hessian, x = sg.hessian(f, format="csr"), POINT.copy()
    first = hessian(x)
    kept = first.copy()
    first.data[:] = np.nan
    x[:] = np.nan
    np.testing.assert_array_equal(hessian(POINT).toarray(), kept.toarray())


def test_other_formats_are_refused():
    with pytest.raises(sg.GradientError, match=r"(?s)no format 'coo'.*'csr'"):
        sg.hessian(rosenbrock, format="coo")


@pytest.mark.parametrize("format", ["dense", "csr", "structured"])
def test_has_aux_carries_what_else_the_function_returns(format):
    hessian = sg.hessian(lambda x: ((x**3).sum(), {"twice": 2 * x, "n": 2}), format=format, has_aux=True)
    matrix, aux = hessian(np.array([1.0, 2.0]))
    np.testing.assert_allclose(np.asarray(matrix.toarray() if format == "csr" else matrix), np.diag([6.0, 12.0]))
    assert type(aux["twice"]) is np.ndarray and aux["twice"].tolist() == [2, 4] and aux["n"] == 2
    assert "a program runs" in hessian.plan(np.ones(2))
    formula, aux = hessian(sg.symbol("x", "n"))
    assert (str(formula), str(aux["twice"])) == ("6 diag(x)", "2x")
    with pytest.raises(sg.GradientError, match="has_aux"):
        sg.hessian(lambda x: (x**3).sum(), has_aux=True)(np.ones(2))


def test_a_function_of_something_else_is_told():
    """Its value has a graph, but not to the argument: that of a module's parameter, taken for the argument."""
    net, X = sg.nn.Linear(2, 1), sg.ones(3, 2)
    loss = lambda W: net(X).square().sum()
    for argument in (net.weight, np.ones((1, 2))):
        with pytest.warns(sg.StructurallyZeroWarning, match="does not depend on it"):
            found = sg.hessian(loss)(argument)
        assert not np.asarray(found.detach() if isinstance(found, sg.Tensor) else found).any()
    assert "tensors from outside" in sg.hessian(loss).plan(net.weight)
    both = sg.hessian(lambda W: (W**2).sum() + net(X).square().sum())(net.weight)
    np.testing.assert_allclose(both.detach().numpy().reshape(2, 2), 2 * np.eye(2))


def test_zeros_of_the_tape_are_told_where_the_function_has_only_kinks():
    def many_kinks(x):
        y = x
        for k in range(600):
            y = np.maximum(0.9 * y, x - k)
        return y.sum()

    for options in ({}, {"format": "csr"}):
        H = sg.hessian(many_kinks, **options)
        with pytest.warns(sg.StructurallyZeroWarning, match="maximum has no second derivative, only kinks"):
            H(np.ones(2))
        assert "the tape runs" in H.plan(np.ones(2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not sg.hessian(lambda x: many_kinks(x) + (x**3).sum())(np.zeros(2)).any()  # it is zero here only


def test_a_structured_hessian_of_a_constant_is_structured():
    hessian = sg.hessian(lambda x: 1.0, format="structured")
    with pytest.warns(sg.StructurallyZeroWarning):
        found = hessian(np.ones(3))
    np.testing.assert_array_equal(found.todense(), np.zeros((3, 3)))
