"""Sparse arrays beside tensors, sparse arrays of tensors, sparse systems: against dense arrays, and against SciPy."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.numeric import gradient, slope
from ._oracle import assert_scipys, cases_of
from ._sparse_cases import CASES

S, L = sp.sparse, sp.sparse.linalg
RNG = np.random.default_rng(18)
A = scipy.sparse.random_array((5, 4), density=0.5, rng=RNG)
SQUARE = scipy.sparse.csc_array(scipy.sparse.random_array((6, 6), density=0.3, rng=RNG) + 4 * scipy.sparse.eye_array(6))
POSITIVE = scipy.sparse.csr_array(SQUARE @ SQUARE.T)
ROWS, COLS = (
    np.array([0, 1, 2, 3, 4, 5, 0, 2, 5, 5]),
    np.array([0, 1, 2, 3, 4, 5, 3, 1, 0, 0]),
)  # the last is twice there
X, M = RNG.normal(size=4), RNG.normal(size=(4, 3))
B, R = RNG.normal(size=6), RNG.normal(size=(6, 2))
DATA = np.concatenate([3 + RNG.uniform(size=6), RNG.normal(size=4)])


def curved(y):
    return (y**3 + y).sum()


def assert_derivatives(f, dense, x):
    """Value, gradient and second derivatives of f by arrays and by tensors are those of the same with dense arrays."""
    assert f(x) == pytest.approx(dense(x), rel=1e-10)
    want = sg.grad(dense)(x)
    np.testing.assert_allclose(sg.grad(f)(x), want, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(want, gradient(dense, x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.asarray(sg.hessian(f)(x)), np.asarray(sg.hessian(dense)(x)), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(sg.jacfwd(f)(x), want, rtol=1e-8, atol=1e-10)
    t = sg.tensor(x, requires_grad=True)
    y = f(t)
    assert type(y) is sg.Tensor
    y.backward()
    np.testing.assert_allclose(t.grad.numpy(), want, rtol=1e-8, atol=1e-10)


FORMATS = ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("make", [lambda a: a, scipy.sparse.csr_matrix], ids=["array", "matrix"])
def test_constant_arrays_of_each_format_on_either_side(format, make):
    a = make(A).asformat(format)
    D = A.toarray()
    assert_derivatives(lambda x: curved(a @ x), lambda x: curved(D @ x), X)
    assert_derivatives(lambda x: curved(a @ x), lambda x: curved(D @ x), M)
    assert_derivatives(lambda x: curved(x @ a.T), lambda x: curved(x @ D.T), X)
    assert_derivatives(lambda x: curved(x.T @ a.T), lambda x: curved(x.T @ D.T), M)
    if format != "coo":  # whose dot makes an array of what it is given
        assert_derivatives(lambda x: curved(a.dot(x)), lambda x: curved(D @ x), X)


@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


def test_duplicates_and_unsorted_indices_count_as_scipy_has_them():
    twice = scipy.sparse.coo_array((np.arange(1.0, 5), ([1, 0, 1, 1], [1, 1, 0, 1])), shape=(2, 2))
    unsorted = scipy.sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 2, 3])))
    for a in (twice, unsorted):
        assert_derivatives(lambda x, a=a: curved(a @ x), lambda x, a=a: curved(a.toarray() @ x), X[:2])


def test_complex_numbers_and_other_dtypes():
    C = A + 1j * A.multiply(A)
    assert_derivatives(
        lambda x: np.abs(C @ x + 1).sum(), lambda x: np.abs(C.toarray() @ x + 1).sum(), X
    )  # fmt: skip
    x = sg.tensor(X.astype(np.float32), requires_grad=True)
    (A @ x).sum().backward()
    assert x.grad.dtype == sg.float32
    np.testing.assert_allclose(x.grad.numpy(), A.toarray().sum(0), rtol=1e-6)


def test_a_tensor_without_history_gives_a_tensor():
    y = A @ sg.tensor(X)
    assert type(y) is sg.Tensor and not y.requires_grad
    np.testing.assert_allclose(y.numpy(), A @ X)


def test_an_array_that_changes_later_was_what_it_was():
    a = A.tocsr()
    x = sg.tensor(X, requires_grad=True)
    y = (a @ x).sum()
    a.data[:] = 0
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), A.toarray().sum(0))


def test_batches_and_formulas():
    many = RNG.normal(size=(7, 4))
    np.testing.assert_allclose(sg.vmap(lambda x: A @ x)(sg.tensor(many)).numpy(), many @ A.toarray().T)
    slopes = sg.vmap(sg.func.grad(lambda x: curved(A @ x)))(sg.tensor(many))
    np.testing.assert_allclose(slopes[2].numpy(), sg.grad(lambda x: curved(A @ x))(many[2]))
    f = sg.formula(lambda x: curved(A @ x), X)
    np.testing.assert_allclose(f.grad("x")(), sg.grad(lambda x: curved(A @ x))(X))
    compiled = sg.compile(lambda x: curved(A @ x), "fgh")
    np.testing.assert_allclose(compiled(X)[1], sg.grad(lambda x: curved(A @ x))(X))


def test_arrays_of_one_pattern_are_two_in_formulas():
    """Their texts are one: what tells them apart are their entries."""
    dense = np.triu(RNG.normal(size=(4, 4)))
    first, second, x = scipy.sparse.csr_array(dense), scipy.sparse.csr_array(dense.T), RNG.normal(size=4)
    f = sg.formula(lambda x: curved(first @ x) - curved(second @ x), x)
    np.testing.assert_allclose(f(), curved(dense @ x) - curved(dense.T @ x))
    np.testing.assert_allclose(f.grad("x")(), sg.grad(lambda x: curved(dense @ x) - curved(dense.T @ x))(x))


def test_a_formula_of_a_large_sparse_array_is_refused_and_its_numbers_are_not():
    n = 400
    large = scipy.sparse.diags_array([np.ones(n - 1), -2 * np.ones(n)], offsets=[1, 0], format="csr")
    f = lambda x: (np.sin(large @ x)).sum()
    with pytest.raises(sg.NotDifferentiableError, match="400 × 400"):
        sg.grad(f)(sg.symbol("x", n))
    x = np.linspace(0, 1, n)
    np.testing.assert_allclose(sg.grad(f)(x), large.T @ np.cos(large @ x))
    H = sg.hessian(f)(x)
    np.testing.assert_allclose(np.asarray(H), large.T @ np.diag(-np.sin(large @ x)) @ large.toarray(), atol=1e-12)


def test_the_pattern_of_a_hessian_passes_through_a_sparse_product():
    n = 30
    laplace = scipy.sparse.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(n, n), format="csr")
    f = lambda x: ((laplace @ x) ** 4).sum()
    x = np.linspace(0.5, 1, n)
    pattern = sg.sparsity(f, x)
    want = (laplace.T @ laplace).toarray() != 0
    np.testing.assert_array_equal(pattern.toarray(), want)
    np.testing.assert_allclose(sg.hessian(f, format="csr")(x).toarray(), np.asarray(sg.hessian(f)(x)), atol=1e-10)


# --------------------------------------------------------------------------------------------- entries that move


def built(d, home=S):
    return home.csc_array((d, (ROWS, COLS)), shape=(6, 6))


def dense(d):
    a = np.zeros((6, 6))
    for k in range(len(ROWS)):
        a = a + d[k] * np.outer(np.eye(6)[ROWS[k]], np.eye(6)[COLS[k]])
    return a


ENTRIES = {
    "product": (lambda a: a @ B, lambda a: a @ B),
    "product of a matrix": (lambda a: a @ R, lambda a: a @ R),
    "from the right": (lambda a: B @ a, lambda a: B @ a),
    "of a matrix from the right": (lambda a: R.T @ a, lambda a: R.T @ a),
    "transpose": (lambda a: a.T @ B, lambda a: a.T @ B),
    "sum": (lambda a: (2 * a - a.T + SQUARE) @ B, lambda a: (2 * a - a.T + SQUARE.toarray()) @ B),
    "dense": (lambda a: a.toarray(), lambda a: a),
    "diagonal": (lambda a: a.diagonal(), lambda a: np.diag(a)),
    "twice": (lambda a: a @ (a @ B) / 3, lambda a: a @ (a @ B) / 3),
    "solution": (lambda a: L.spsolve(a, B), lambda a: np.linalg.solve(a, B)),
    "solution of a matrix": (lambda a: L.spsolve(a, R), lambda a: np.linalg.solve(a, R)),
    "splu": (lambda a: L.splu(a).solve(B), lambda a: np.linalg.solve(a, B)),
    "splu of the transpose": (lambda a: L.splu(a).solve(B, "T"), lambda a: np.linalg.solve(a.T, B)),
    "factorized": (lambda a: L.factorized(a)(B), lambda a: np.linalg.solve(a, B)),
    "gmres": (lambda a: L.gmres(a, B, rtol=1e-13)[0], lambda a: np.linalg.solve(a, B)),
}


@pytest.mark.parametrize("case", ENTRIES)
def test_what_is_computed_of_the_entries(case):
    ours, plain = ENTRIES[case]
    assert_derivatives(lambda d: curved(ours(built(sg.as_tensor(d) if isinstance(d, sg.Tensor) else d))) * 1.0,
                       lambda d: curved(plain(dense(d))), DATA)  # fmt: skip


SINGLE = {k: f for k, (f, _) in ENTRIES.items() if k not in ("sum", "gmres")} | {
    "diagonals": lambda a: S.diags_array([a.data[:6], a.data[:1]], offsets=[0, 2], shape=(6, 6)) @ B,
    "sums": lambda a: a.sum(0) + a.sum(1), "products": lambda a: (a @ a) @ B + a.power(2) @ B,
}  # fmt: skip


@pytest.mark.parametrize("case", SINGLE)
def test_single_numbers_stay_single(case, monkeypatch):
    monkeypatch.setitem(globals(), "B", B.astype(np.float32))
    monkeypatch.setitem(globals(), "R", R.astype(np.float32))
    f, single = SINGLE[case], DATA.astype(np.float32)
    value, _ = sg.vjp(lambda d: f(built(d)), single)
    slope = sg.grad(lambda d: curved(f(built(d))))(single)
    assert value.dtype == f(built(single, scipy.sparse)).dtype == slope.dtype == np.float32
    np.testing.assert_allclose(slope, sg.grad(lambda d: curved(f(built(d))))(DATA), rtol=1e-3, atol=1e-3)


def test_single_and_double_numbers_solve_in_double():
    f = lambda d: L.spsolve(built(d), B)
    value, _ = sg.vjp(f, DATA.astype(np.float32))
    assert value.dtype == np.float64
    np.testing.assert_allclose(value, f(DATA), rtol=1e-6)


def test_compressed_formats_and_diagonals():
    csr = scipy.sparse.csr_array(built(DATA, scipy.sparse))
    f = lambda d: curved(S.csr_array((d, csr.indices, csr.indptr), shape=(6, 6)) @ B)
    np.testing.assert_allclose(f(csr.data), curved(csr @ B))
    np.testing.assert_allclose(sg.grad(f)(csr.data), gradient(f, csr.data), rtol=1e-6)
    csc = csr.tocsc()
    g = lambda d: curved(S.csc_array((d, csc.indices, csc.indptr), shape=(6, 6)) @ B)
    np.testing.assert_allclose(sg.grad(g)(csc.data), gradient(g, csc.data), rtol=1e-6)
    h = lambda z: curved(S.diags_array([z[:5], z[0] * z[5], z[:4]], offsets=[-1, 0, 2], shape=(6, 6)) @ B)
    np.testing.assert_allclose(sg.grad(h)(B), gradient(h, B), rtol=1e-6)


def test_numbers_alone_are_scipys_own():
    assert type(S.csr_array((DATA, (ROWS, COLS)))) is scipy.sparse.csr_array
    np.testing.assert_array_equal(L.spsolve(SQUARE, B), scipy.sparse.linalg.spsolve(SQUARE, B))
    assert L.cg(POSITIVE, B)[1] == 0 and type(L.cg(POSITIVE, B)[0]) is np.ndarray
    np.testing.assert_array_equal(L.splu(SQUARE).solve(R), scipy.sparse.linalg.splu(SQUARE).solve(R))
    assert L.splu(SQUARE).shape == (6, 6)


# ------------------------------------------------------------------------------------------------- right sides


RIGHT = {
    "spsolve": (lambda b: L.spsolve(SQUARE, b), SQUARE),
    "splu": (lambda b: L.splu(SQUARE).solve(b), SQUARE),
    "splu, transposed": (lambda b: L.splu(SQUARE).solve(b, "T"), SQUARE.T),
    "cg": (lambda b: L.cg(POSITIVE, b, rtol=1e-13)[0], POSITIVE),
    "minres": (lambda b: L.minres(POSITIVE, b, rtol=1e-13)[0], POSITIVE),
    "gmres": (lambda b: L.gmres(SQUARE, b, rtol=1e-13)[0], SQUARE),
    "gmres, preconditioned": (lambda b: L.gmres(SQUARE, b, rtol=1e-13, M=scipy.sparse.linalg.aslinearoperator(
        scipy.sparse.diags_array(1 / SQUARE.diagonal())))[0], SQUARE),
    "an operator": (lambda b: L.gmres(scipy.sparse.linalg.aslinearoperator(SQUARE), b, rtol=1e-13)[0], SQUARE),
}  # fmt: skip


@pytest.mark.parametrize("case", RIGHT)
def test_solutions_in_the_right_side(case):
    f, matrix = RIGHT[case]
    assert_derivatives(lambda b: curved(f(b)), lambda b: curved(np.linalg.solve(matrix.toarray(), b)), B)


def test_a_dense_matrix_that_moves():
    D = POSITIVE.toarray()
    f = lambda a: curved(L.cg(a, B, rtol=1e-13)[0])
    want = sg.grad(lambda a: curved(np.linalg.solve(a, B)))(D)
    np.testing.assert_allclose(sg.grad(f)(D), want, rtol=1e-7, atol=1e-9)


def test_bicgstab_which_breaks_down_where_nothing_is_left_to_do():
    f, g = (lambda b: curved(L.bicgstab(SQUARE, b, rtol=1e-9)[0])), (lambda b: curved(L.spsolve(SQUARE, b)))
    np.testing.assert_allclose(sg.grad(f)(B), sg.grad(g)(B), rtol=1e-6)


@pytest.mark.parametrize("name", ["cg", "gmres", "bicgstab"])
def test_an_absolute_tolerance_is_for_the_right_side_that_is_given_and_not_for_a_small_gradient(name):
    f = lambda b: 1e-12 * getattr(L, name)(POSITIVE, b, rtol=0.0, atol=1e-9)[0].sum()
    want = np.linalg.solve(POSITIVE.toarray(), np.ones(6))
    np.testing.assert_allclose(sg.grad(f)(B), 1e-12 * want, rtol=1e-7)


def test_complex_systems():
    C = scipy.sparse.csc_array(SQUARE + 1j * scipy.sparse.eye_array(6))
    f = lambda t: (np.abs(L.spsolve(C, t * B + 1j * t**2)) ** 2).sum()
    g = lambda t: (np.abs(np.linalg.solve(C.toarray(), t * B + 1j * t**2)) ** 2).sum()
    assert sg.grad(f)(0.7) == pytest.approx(slope(lambda t: g(0.7 + t)), rel=1e-6)
    h = lambda t: (np.abs(L.spsolve(SQUARE, t * B + 1j * t**2)) ** 2).sum()
    k = lambda t: (np.abs(np.linalg.solve(SQUARE.toarray(), t * B + 1j * t**2)) ** 2).sum()
    assert sg.grad(h)(0.7) == pytest.approx(slope(lambda t: k(0.7 + t)), rel=1e-6)


# -------------------------------------------------------------------------------------------------------- errors


def test_what_does_not_fit_or_is_not_written_says_so():
    x = sg.tensor(X, requires_grad=True)
    with pytest.raises(sg.ShapeError, match=r"\(5, 4\), the tensor \(3,\)"):
        A @ x[:3]
    with pytest.raises(sg.ShapeError, match="as many rows"):
        S.coo_array((x, ([0, 1], [0, 1])))
    with pytest.raises(sg.NotDifferentiableError, match="Its pattern would hang on its values"):
        S.csr_array(x.reshape((2, 2)))
    moving = S.coo_array((x, ([0, 1, 2, 3], [0, 1, 2, 3])))
    with pytest.raises(sg.ShapeError, match=r"\(4, 4\) and \(5, 4\)"):
        moving @ A
    with pytest.raises(sg.ShapeError, match="different shapes"):
        moving + A
    with pytest.raises(sg.NotDifferentiableError, match="sum with a number"):
        moving + 1.0
    with pytest.raises(sg.NotDifferentiableError, match="writing to a sparse array"):
        moving[0, 0] = 1.0
    with pytest.raises(sg.NotDifferentiableError, match="sparse: maximum of differentiated entries"):
        moving.maximum(0)
    with pytest.raises(sg.NotDifferentiableError, match=r"sparse.linalg.norm has no derivative rule"):
        L.norm(moving)
    with pytest.raises(AttributeError, match="'SparseArray' object has no attribute 'nonsense'"):
        moving.nonsense
    with pytest.raises(ValueError, match="negative|index"):
        S.coo_array((x, ([0, 1, 2, -3], [0, 1, 2, 3])), shape=(4, 4))


def test_an_iteration_that_did_not_converge_has_no_derivative():
    def early(b):
        x, info = L.gmres(SQUARE, b, rtol=1e-12, restart=1, maxiter=1)
        assert info != 0
        return x.sum()

    with pytest.raises(sg.GradientError, match="gmres has not found a solution"):
        sg.grad(early)(B)


def test_a_singular_matrix_is_scipys_error():
    with pytest.raises(RuntimeError, match="singular"):
        sg.grad(lambda b: L.splu(scipy.sparse.csc_array(np.diag([1.0, 0.0]))).solve(b).sum())(np.ones(2))


# ----------------------------------------------------------------------- expressions of numbers and sparse matrices

DIFFERENCES = {
    "array": scipy.sparse.diags_array([1.0, -2.0, 1.0], offsets=[0, 1, 2], shape=(4, 6), format="csr"),
    "matrix": scipy.sparse.diags([1.0, -2.0, 1.0], [0, 1, 2], shape=(4, 6), format="csr"),
}
W, N = RNG.normal(size=(4, 6)), RNG.normal(size=36)
EXPRESSIONS = {
    "penalty": lambda D, t: L.spsolve(S.eye(6) + t * D.T @ D, B),
    "penalty, bracketed": lambda D, t: L.spsolve(t * (D.T @ D) + S.eye(6), B),
    "factors": lambda D, t: L.splu(S.eye(6, format="csc") + t * D.T @ D).solve(B),
    "both factors": lambda D, t: (t * D).T @ (t * D) @ B,
    "dot": lambda D, t: (t * D).dot(D.T).dot(B[:4]),
    "from the left": lambda D, t: D @ (t * D.T) @ B[:4],
    "difference": lambda D, t: (D - t * D) @ B + (t * D - D) @ B,
    "quotient": lambda D, t: ((t * D) / t**3) @ B + (-(t * D)) @ B,
    "entries": lambda D, t: (t * D).multiply(W) @ B + (t * D).multiply(D) @ B + (t * D + t * t * D).power(2) @ B,
    "dense": lambda D, t: (t * W + D) @ B + (D + t * W) @ B + (W - t * D) @ B,
    "rows": lambda D, t: (t * D)[1:3] @ B,
    "columns": lambda D, t: ((t * D)[:, [0, 2, 5]])[[1, 1, 0]] @ B[:3],
    "one entry": lambda D, t: (t * D)[1, 2] * B + (t * D)[0, 5],
    "some entries": lambda D, t: np.ravel((t * D)[[0, 1, 3], [2, 0, 5]]) * B[:3],
    "sums": lambda D, t: np.ravel((t * D).sum(0)) * B + (t * D).sum() + (t * D).T.sum(1).sum() + (t * D).trace(),
    "diagonals": lambda D, t: (t * D.T @ D).diagonal(1) * B[:5],
    "blocks": lambda D, t: S.bmat([[t * D, None], [D, S.eye(4)]]) @ N[:10],
    "rows of blocks": lambda D, t: S.vstack([D, t * D, W]) @ B,
    "columns of blocks": lambda D, t: S.hstack([t * D, D]) @ N[:12],
    "blocks of a dtype": lambda D, t: S.vstack([D, t * D], dtype=np.float64) @ B,
    "along the diagonal": lambda D, t: S.block_diag([t * D, D, 2.0]) @ N[:13],
    "triangles": lambda D, t: S.tril(t * D.T @ D, -1) @ B + S.triu(t * D.T @ D) @ B,
    "kron": lambda D, t: S.kron(S.eye(2), t * D) @ N[:12] + S.kron(t * D, D[:2]) @ N,
    "kronsum": lambda D, t: S.kronsum(t * D[:, :4], S.eye(2)) @ N[:8],
    "of diagonals": lambda D, t: (D @ S.diags(t * B) @ D.T + S.spdiags(np.stack([t * B, B]), [0, 1], 4, 4)) @ B[:4],
    "columns of diagonals": lambda D, t: S.dia_matrix((t * W, [0, -1, 1, 2]), shape=(6, 6)) @ B,
}


def _as_dense(a):
    return a.toarray() if S.issparse(a) else a


@pytest.mark.parametrize("kind", DIFFERENCES)
@pytest.mark.parametrize("case", EXPRESSIONS)
def test_expressions_of_a_number_and_sparse_matrices(case, kind):
    D, f = DIFFERENCES[kind], EXPRESSIONS[case]
    g = lambda t: curved(f(D, t))
    plain = lambda t: float(np.asarray(curved(np.asarray(_as_dense(f(D, t))))))
    assert sg.grad(g)(0.7) == pytest.approx(slope(lambda s: plain(0.7 + s)), rel=1e-7)
    assert sg.hessian(g)(0.7) == pytest.approx(slope(lambda s: sg.grad(g)(0.7 + s)), rel=1e-7)
    assert sg.jacfwd(g)(0.7) == pytest.approx(sg.grad(g)(0.7), rel=1e-12)
    t = sg.tensor(0.7, requires_grad=True)
    g(t).backward()
    assert t.grad.item() == pytest.approx(float(sg.grad(g)(0.7)), rel=1e-12)


def test_a_star_between_matrices_is_their_product_and_between_arrays_that_of_entries():
    t = sg.tensor(2.0, requires_grad=True)
    D, E = DIFFERENCES["matrix"], DIFFERENCES["array"]
    np.testing.assert_allclose(((t * D) * B).detach().numpy(), 2 * D @ B)
    np.testing.assert_allclose((D * (t * D.T)).toarray().detach().numpy(), 2 * (D @ D.T).toarray())
    np.testing.assert_allclose(((t * E) * W).toarray().detach().numpy(), 2 * E.toarray() * W)


def test_expressions_stay_sparse():
    n = 20_000
    D = S.diags([1.0, -2.0, 1.0], [0, 1, 2], shape=(n - 2, n))
    y = np.sin(np.arange(n))

    def f(t):
        A = S.eye(n) + t * D.T @ D
        assert isinstance(A, S.SparseArray) and A.nnz < 7 * n
        return (L.spsolve(A.tocsc(), y) ** 2).sum()

    plain = lambda t: (scipy.sparse.linalg.spsolve((scipy.sparse.eye(n) + t * D.T @ D).tocsc(), y) ** 2).sum()
    assert sg.grad(f)(2.0) == pytest.approx(slope(lambda s: plain(2.0 + s)), rel=1e-6)


def test_a_sparse_array_before_the_number_says_what_to_write():
    for D in DIFFERENCES.values():
        with pytest.raises(sg.GradientError, match=r"stands behind a number that is differentiated, lam \* A"):
            sg.grad(lambda t, D=D: ((D * t) @ B).sum())(2.0)


def test_scipys_classes_are_asked_what_is_one_of_them():
    assert isinstance(scipy.sparse.eye(3, format="csr"), S.csr_matrix) and not isinstance(np.eye(3), S.csr_array)
    assert issubclass(scipy.sparse.csc_array, S.csc_array) and S.issparse(sg.tensor(1.0) * S.eye(2))
    assert type(S.csr_matrix(np.eye(2))) is scipy.sparse.csr_matrix and S.eye(2).nnz == 2
