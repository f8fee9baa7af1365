"""Structured matrices do what their dense twins do, in less memory, and say so when they cannot."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.linalg import cg, eigsh

import symgrad as sg
from symgrad.programs.matrices import (
    BlockDiagonal,
    Diagonal,
    DiagPlusLowRank,
    Gram,
    Kronecker,
    LowRank,
    Sparse,
    Sum,
)
from symgrad.programs.matrices import symmetric as _solving

from ..helpers.examples import examples
from ..helpers.versions import random_sparse


def symmetric(rng, *shape):
    a = rng.normal(size=shape)
    return (a + a.swapaxes(-1, -2)) / 2


def signs(rng, n):
    """Numbers of both signs, none near zero."""
    return rng.uniform(0.5, 2, n) * rng.choice([-1, 1], n)


def sparse_symmetric(rng, n, density=0.2, strength=3):
    A = random_sparse(n, density, rng)
    return sparse.csr_array(A + A.T + sparse.diags_array(signs(rng, n) * strength))


def band(rng, n, b, strength=4):
    S = symmetric(rng, n, n) + np.diag(signs(rng, n) * strength)
    return sparse.csr_array(np.triu(np.tril(S, b), -b))


def kronecker(rng, n):
    m = [k for k in range(1, n + 1) if n % k == 0]
    m = int(rng.choice(m))
    k, regular = n // m, lambda size: symmetric(rng, size, size) + np.diag(signs(rng, size) * 4)
    choice = rng.integers(4)
    if choice == 0:
        return Kronecker(m, regular(k)), lambda H: np.kron(np.eye(m), H.factors[1])
    if choice == 1:
        return Kronecker(regular(m), k), lambda H: np.kron(H.factors[0], np.eye(k))
    if choice == 2:
        return Kronecker(Diagonal(signs(rng, m)), Sparse(sparse.csr_array(regular(k)))), lambda H: np.kron(
            np.diag(H.factors[0].d), H.factors[1].csr.toarray()
        )
    return Kronecker(regular(m), regular(k)), lambda H: np.kron(*H.factors)


def blocks(rng, n):
    m = int(rng.choice([k for k in range(1, n + 1) if n % k == 0]))
    B = symmetric(rng, n // m, m, m) + 4 * np.eye(m) * signs(rng, n // m)[:, None, None]
    dense = np.zeros((n, n))
    for k in range(n // m):
        dense[k * m : (k + 1) * m, k * m : (k + 1) * m] = B[k]
    return BlockDiagonal(B), dense


KINDS = [
    "diagonal", "gram", "weighted gram", "indefinite gram", "low rank", "diagonal plus low rank",
    "diagonal with zeros plus low rank", "kronecker", "blocks", "sparse", "band", "sum of diagonal and gram",
    "sum of sparse ones", "sum of everything",
]  # fmt: skip


def example(kind, n, seed):
    """A structured matrix of size n and the dense one that it is, from the same numbers."""
    rng = np.random.default_rng(seed)
    A, d, m = rng.normal(size=(n + 3, n)), signs(rng, n), n + 3
    k = int(rng.integers(0, n + 1))
    U, c = rng.normal(size=(n, k)), signs(rng, k)
    if kind == "diagonal":
        return Diagonal(d), np.diag(d)
    if kind == "gram":
        return Gram(A), A.T @ A
    if kind == "weighted gram":
        w = rng.uniform(0.1, 2, m)
        return Gram(A, w), A.T @ np.diag(w) @ A
    if kind == "indefinite gram":
        w = signs(rng, m)
        return Gram(A, w), A.T @ np.diag(w) @ A
    if kind == "low rank":
        U, c = rng.normal(size=(n, m)), rng.uniform(0.1, 2, m)
        return LowRank(U, c), U @ np.diag(c) @ U.T
    if kind == "diagonal plus low rank":
        return DiagPlusLowRank(d, U, c), np.diag(d) + U @ np.diag(c) @ U.T
    if kind == "diagonal with zeros plus low rank":
        d = np.abs(d) * (np.arange(n) > 0)
        U = np.hstack([U, np.eye(n)[:, :1]])
        return DiagPlusLowRank(d, U), np.diag(d) + U @ U.T
    if kind == "kronecker":
        H, dense = kronecker(rng, n)
        return H, dense(H)
    if kind == "blocks":
        return blocks(rng, n)
    if kind == "sparse":
        S = sparse_symmetric(rng, n)
        return Sparse(S), S.toarray()
    if kind == "band":
        S = band(rng, n, min(2, n - 1))
        return Sparse(S), S.toarray()
    if kind == "sum of diagonal and gram":
        d = np.abs(d)
        return Diagonal(d) + Gram(U.T, np.abs(c)), np.diag(d) + U @ np.diag(np.abs(c)) @ U.T
    if kind == "sum of sparse ones":
        S = band(rng, n, min(1, n - 1))
        H, dense = blocks(rng, n)
        return Sum(Sparse(S), H, Diagonal(20 * np.abs(d))), S.toarray() + dense + np.diag(20 * np.abs(d))
    H, dense = blocks(rng, n)
    whole = dense + A.T @ A + np.diag(d) + U @ U.T
    return Sum(H, Gram(A), DiagPlusLowRank(d, U)), whole


def of_any_kind(test):
    return examples(50)(given(st.sampled_from(KINDS), st.integers(1, 9), st.integers(0, 2**32 - 1))(test))


def close(a, b, scale=None):
    scale = max(1.0, np.abs(b).max(initial=0)) if scale is None else scale
    assert np.shape(a) == np.shape(b)
    assert np.abs(a - b).max(initial=0) <= 1e-11 * scale


@of_any_kind
def test_a_structured_matrix_is_its_dense_twin(kind, n, seed):
    H, dense = example(kind, n, seed)
    assert H.shape == dense.shape == (n, n) and H.ndim == 2 and H.dtype == dense.dtype
    whole = H.todense()
    assert type(whole) is np.ndarray and np.array_equal(whole, whole.T)
    close(whole, dense)
    close(np.asarray(H), dense)
    close(H.tocsr().toarray(), dense)
    close(H.diagonal(), np.diag(dense))
    close(H.trace(), np.trace(dense), np.abs(dense).sum() + 1)
    assert H.T is H


@of_any_kind
def test_products_are_those_of_the_dense_matrix(kind, n, seed):
    H, dense = example(kind, n, seed)
    rng = np.random.default_rng(seed)
    x, X = rng.normal(size=n), rng.normal(size=(n, 3))
    close(H @ x, dense @ x)
    close(x @ H, x @ dense)
    close(H @ X, dense @ X)
    close(X.T @ H, X.T @ dense)
    close(H @ (x + 1j * X[:, 0]), dense @ (x + 1j * X[:, 0]))
    close(H @ X[:, :0], dense @ X[:, :0])
    close(H @ H, dense @ dense)
    close(H @ np.arange(n), dense @ np.arange(n))
    close(H.as_linear_operator() @ X, dense @ X)


@of_any_kind
def test_solving_undoes_the_product(kind, n, seed):
    H, dense = example(kind, n, seed)
    condition = np.linalg.cond(dense)
    if condition > 1e7:
        return
    rng = np.random.default_rng(seed)
    x, X = rng.normal(size=n), rng.normal(size=(n, 2))
    for y in (x, X, x + 1j * X[:, 0]):
        found = H.solve(dense @ y)
        assert found.shape == y.shape
        assert np.abs(found - y).max() <= 1e-12 * condition * max(1, np.abs(y).max())


@of_any_kind
def test_the_determinant_is_that_of_the_dense_matrix(kind, n, seed):
    H, dense = example(kind, n, seed)
    sign, log = np.linalg.slogdet(dense)
    if np.linalg.cond(dense) > 1e7:
        return
    if sign > 0:
        assert H.logdet() == pytest.approx(log, abs=1e-8)
    else:
        with pytest.raises(np.linalg.LinAlgError, match="negative"):
            H.logdet()


@of_any_kind
def test_sums_and_multiples_are_those_of_the_dense_matrices(kind, n, seed):
    H, dense = example(kind, n, seed)
    other, twin = example(KINDS[seed % len(KINDS)], n, seed + 1)
    both = np.abs(dense).max() + np.abs(twin).max() + 1
    close((H + other).todense(), dense + twin, both)
    close((H - other).todense(), dense - twin, both)
    close((2 * H).todense(), 2 * dense)
    close((H * np.float64(-0.5)).todense(), -0.5 * dense)
    close((H / 4).todense(), dense / 4)
    close((-H).todense(), -dense)
    close(H + dense, 2 * dense)
    close(dense - H, 0 * dense, both)
    x = np.random.default_rng(seed).normal(size=n)
    close((H + other) @ x, (dense + twin) @ x, both * 10)


@of_any_kind
def test_a_repr_is_one_line_with_structure_and_sizes(kind, n, seed):
    H, _ = example(kind, n, seed)
    text = repr(H)
    assert "\n" not in text and f"{n}×{n}" in text and "instead of" in text
    assert text.startswith(type(H).__name__)


def test_structure_survives_sums_and_multiples():
    d = Diagonal([1.0, 2.0])
    low = DiagPlusLowRank([1.0, 2.0], np.ones((2, 1)))
    S = Sparse(sparse.csr_array(np.eye(2)))
    assert type(d + d) is Diagonal and type(3 * d) is Diagonal
    assert type(d + low) is DiagPlusLowRank and type(low + d) is DiagPlusLowRank
    assert type(S + d) is Sparse and type(d + S) is Sparse and type(S + S) is Sparse
    assert type(2 * Gram(np.eye(2))) is Gram and type(-LowRank(np.eye(2))) is LowRank
    assert type(Kronecker(2, 3) * 2) is Kronecker
    total = d + Gram(np.eye(2)) + Kronecker(1, np.eye(2)) + d
    assert [type(p) for p in total.parts] == [Diagonal, Gram, Kronecker]


def test_large_matrices_are_never_written_out():
    n, rng = 200_000, np.random.default_rng(0)
    d, U, x = rng.uniform(1, 2, n), rng.normal(size=(n, 3)), rng.normal(size=n)
    tridiagonal = sparse.diags_array([np.ones(n - 1), np.full(n, -2.5), np.ones(n - 1)], offsets=[-1, 0, 1])
    for H in (
        Diagonal(d), DiagPlusLowRank(d, U), Diagonal(d) + Gram(U.T, [1.0, 2.0, 3.0]), Sparse(tridiagonal),
        Kronecker(n // 4, symmetric(rng, 4, 4) + 5 * np.eye(4)), Sparse(tridiagonal) - 9.0 * Diagonal(d),
        BlockDiagonal(symmetric(rng, n // 4, 4, 4) + 8 * np.eye(4)),
    ):  # fmt: skip
        assert np.abs(H.solve(H @ x) - x).max() < 1e-9
        assert np.isfinite(H.trace()) and H.nbytes < 30 * 8 * n


def test_scipy_works_with_the_linear_operator():
    rng = np.random.default_rng(0)
    H = Diagonal(np.arange(1.0, 31)) + Gram(rng.normal(size=(4, 30)))
    b = rng.normal(size=30)
    x, info = cg(H.as_linear_operator(), b, rtol=1e-12)
    assert info == 0
    close(x, H.solve(b), 1e3)
    close(eigsh(H.as_linear_operator(), 1)[0], np.linalg.eigvalsh(H.todense())[-1:])


def test_ill_conditioned_gram_matrices_keep_their_digits():
    A = np.vander(np.linspace(0, 1, 60), 9)  # squared its condition number is 1e11
    x = np.ones(9)
    found = Gram(A).solve(A.T @ (A @ x))
    assert np.abs(found - x).max() < 1e-4
    rng = np.random.default_rng(0)
    A = np.linalg.qr(rng.normal(size=(50, 4)))[0] @ np.diag([1, 1, 1, 1e-7]) @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
    assert np.isfinite(Gram(A).solve(np.ones(4))).all()


def test_odd_units_do_not_make_a_matrix_singular():
    d = np.array([1e-200, 1.0, 1e30])
    units = np.diag([1e-20, 1.0, 1e15])
    S = units @ (np.ones((3, 3)) + np.eye(3)) @ units
    S = (S + S.T) / 2
    assert np.array_equal(Diagonal(d).solve(d), np.ones(3))
    for H in (Sparse(sparse.csr_array(S)), BlockDiagonal(S[None]), Kronecker(S, 1), Gram(np.linalg.cholesky(S).T)):
        assert np.abs(H.solve(S @ np.linalg.inv(units) @ np.ones(3)) @ units - 1).max() < 1e-9


def laplacian(n, edges):
    """Of a graph: its rows add up to zero."""
    L = np.zeros((n, n))
    for i, j in edges:
        L[[i, j], [j, i]] -= 1
    return Sparse(sparse.csr_array(L - np.diag(L.sum(0))))


SINGULAR = {
    "d\\[1\\] is 0": Diagonal([1.0, 0.0]),
    "d\\[1\\] is nan": Diagonal([1.0, np.nan]),
    "1 rows has rank 1 at most, of 2": Gram([[1.0, 2.0]]),
    "Column 1 of the array is a combination": Gram([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]),
    "1 numbers other than zero": Gram(np.ones((3, 2)), [0.0, -1.0, 0.0]),
    "Row 1 is zero": Gram([[1.0, 0.0], [1.0, 0.0]]),
    "(?s)LowRank.*rank 1 at most": LowRank(np.ones((3, 1))),
    "cancel": DiagPlusLowRank([1.0, 1.0], np.array([[0.6], [0.8]]), [-1.0]),
    "(?s)second factor of Kronecker: I\\(3\\) ⊗ 2×2.*singular": Kronecker(3, np.ones((2, 2))),
    "Block 1 has no inverse": BlockDiagonal(np.array([np.eye(2), [[0.1, 0.3], [0.3, 0.9]]])),
    "Row 1 of block 0": BlockDiagonal(np.array([[[1.0, 0.0], [0.0, 0.0]]])),
    "Row 2 is zero": Sparse(sparse.csr_array(np.diag([1.0, 2.0, 0.0]))),
    "(?s)Sparse: 34 entries.*(Pivot|condition number)": laplacian(12, [(k, k + 1) for k in range(11)]),
    "(?s)Sparse: 88 entries.*(Pivot|exactly singular|condition number)": laplacian(30, [(0, k) for k in range(1, 30)]),
    "(?s)Sum: Diagonal \\+ Gram.*cancel": Sum(Diagonal(np.ones(3)), Gram(np.ones((1, 3)) / np.sqrt(3), [-1.0])),
}


NO_LOGARITHM = [([1.0, 0.0], "zero"), ([1.0, -2.0], "negative"), ([1.0, np.nan], "not a number")]


@pytest.mark.parametrize(("d", "said"), NO_LOGARITHM)
def test_a_determinant_without_a_logarithm_is_called_what_it_is(d, said):
    with pytest.raises(np.linalg.LinAlgError, match=f"is {said}"):
        Diagonal(d).logdet()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("strength", [0.01, 3])
def test_sparse_matrices_are_solved_whatever_their_pivots(seed, strength):
    rng = np.random.default_rng(seed)
    for S in (sparse_symmetric(rng, 60, 0.05, strength), band(rng, 60, 2, strength)):
        dense, x = S.toarray(), rng.normal(size=(60, 2))
        close(Sparse(S).solve(dense @ x), x, np.linalg.cond(dense))
        sign, log = _solving.SparseFactors(S, "").slogdet()
        true = np.linalg.slogdet(dense)
        assert sign == true[0] and log == pytest.approx(true[1])


def test_large_singular_graphs_are_noticed():
    rng = np.random.default_rng(0)
    for n in (1000, 20_000):
        w = rng.uniform(0.1, 3, n - 1)
        d = np.r_[w, 0] + np.r_[0, w]
        H = Sparse(sparse.diags_array([-w, d, -w], offsets=[-1, 0, 1]))
        with pytest.raises(np.linalg.LinAlgError, match="Pivot|condition number"):
            H.solve(rng.normal(size=n))
        assert np.abs((H + Diagonal(np.full(n, 1e-6))).solve(np.ones(n)) - 1e6).max() < 1


@pytest.mark.parametrize("evidence", SINGULAR)
def test_singular_matrices_are_refused_with_the_evidence_and_a_next_step(evidence):
    H = SINGULAR[evidence]
    with pytest.raises(sg.linalg.LinAlgError, match=evidence) as caught:
        H.solve(np.ones(H.shape[0]))
    assert isinstance(caught.value, np.linalg.LinAlgError) and isinstance(caught.value, sg.SymgradError)
    assert type(H).__name__ in str(caught.value) and "Diagonal(np.full(n, 1e-6))" in str(caught.value)
    if "nan" not in evidence:
        with pytest.raises(np.linalg.LinAlgError, match="zero"):
            H.logdet()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Diagonal(np.ones((2, 2))), "1 dimensions"),
        (lambda: Gram(np.ones((2, 3)), np.ones(3)), "a number per row"),
        (lambda: LowRank(np.ones((3, 2)), np.ones(3)), "a number per column"),
        (lambda: DiagPlusLowRank(np.ones(2), np.ones((3, 1))), "a row per entry"),
        (lambda: Kronecker(2, np.ones((2, 3))), "square"),
        (lambda: BlockDiagonal(np.ones((2, 2, 3))), "blocks have shape"),
        (lambda: Sparse(sparse.csr_array((2, 3))), "square"),
        (lambda: Sum(Diagonal(np.ones(2)), Diagonal(np.ones(3))), "one shape"),
        (lambda: Diagonal(np.ones(2)) @ np.ones(3), r"shape \(2, 2\)"),
        (lambda: Diagonal(np.ones(2)).solve(np.ones((3, 1))), r"shape \(2, 2\)"),
        (lambda: np.ones((2, 3)) @ Diagonal(np.ones(2)), r"shape \(2, 2\)"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(make, message):
    with pytest.raises(sg.ShapeError, match=message):
        make()


def test_what_is_not_symmetric_or_not_real_is_refused():
    lopsided = np.array([[1.0, 2.0], [3.0, 4.0]])
    for make in (
        lambda: Kronecker(2, lopsided),
        lambda: BlockDiagonal(lopsided[None]),
        lambda: Sparse(sparse.csr_array(lopsided)),
        lambda: Sparse(sparse.csr_array(np.triu(lopsided))),
    ):
        with pytest.raises(np.linalg.LinAlgError, match="not symmetric"):
            make()
    for make in (lambda: Diagonal([1j]), lambda: Sparse(sparse.csr_array(np.eye(2) * 1j)), lambda: Sum(np.eye(2))):
        with pytest.raises(sg.DTypeError):
            make()
    with pytest.raises(TypeError):
        Diagonal([1.0]) * np.ones(1)


def test_float32_stays_float32():
    one = np.ones(2, np.float32)
    S = sparse.csr_array(np.eye(2, dtype=np.float32))
    for H in (Diagonal(one), Gram(np.eye(2, dtype=np.float32)), DiagPlusLowRank(one, one[:, None]), Sparse(S),
              Kronecker(1, np.eye(2, dtype=np.float32)), BlockDiagonal(np.eye(2, dtype=np.float32)[None])):  # fmt: skip
        for found in (H, H @ one, H.solve(one), H.todense(), H.diagonal(), H * 2, H + H):
            assert found.dtype == np.float32


def test_an_array_without_a_copy_is_refused():
    assert np.asarray(Diagonal([1.0, 2.0]), dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="written out"):
        np.array(Diagonal([1.0]), copy=False)


def test_matrices_without_entries_work():
    for H in (
        Diagonal([]),
        Gram(np.zeros((2, 0))),
        BlockDiagonal(np.zeros((0, 2, 2))),
        DiagPlusLowRank([], np.ones((0, 1))),
    ):
        assert (H @ np.zeros(0)).shape == (0,) and H.solve(np.zeros(0)).shape == (0,)
        assert H.logdet() == 0 and H.trace() == 0 and H.todense().shape == (0, 0)


def test_importing_the_module_does_not_load_scipy():
    modules = "_structured, _colour, _pattern"
    code = f"import sys; from symgrad.programs import {modules}; assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
