"""numpy.linalg as its users write it: NumPy's values, fields and names of arguments, exact derivatives.

A case is an expression in ``L``, numpy.linalg, and in matrices made of one vector.
"""

import warnings

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.numeric import gradient, slope
from ..helpers.versions import cases_of

CASES = """
L.lstsq(T, v, 1)[0] | L.lstsq(T, v, 0.0) | L.lstsq(T, T[:, :2])
L.lstsq(T, v) | L.lstsq(T, v, rcond=None)[0] | L.lstsq(T, B[:, :, :2].reshape(4, 3))[0] | L.lstsq(A, u)[0]
L.lstsq(a=T, b=v, rcond=-1)[0] | L.lstsq(T, v, rcond=1e-10)[1] | L.lstsq(C, u)[0] | L.lstsq(C.T, v)[0]
L.lstsq(A, A)[0]
L.cond(S) | L.cond(A) | L.cond(S, 2) | L.cond(S, -2) | L.cond(S, 1) | L.cond(S, -1)
L.cond(S, inf) | L.cond(S, -inf) | L.cond(S, "fro") | L.cond(S, "nuc") | L.cond(Q) | L.cond(Q, 1)
L.cond(x=S, p="fro") | L.cond(B) | L.cond(K) | L.cond(T, -2)
L.tensorsolve(X.reshape(6, 2, 2)[:4].reshape(2,2,2,2), v.reshape(2,2))
L.tensorsolve(W.reshape(2, 2, 4), v.reshape(2,2)) | L.tensorsolve(W.reshape(2,4,2), v.reshape(2,2), axes=(1,))
L.tensorinv(W.reshape(2, 2, 4)) | L.tensorinv(W.reshape(4, 2, 2), ind=1) | L.tensorinv(a=W.reshape(2,2,2,2), ind=2)
L.eig(S + np.diag([0, 3., 6])) | L.eigvals(S) | L.eigvals(N) | L.eig(N)[0] | L.eig(N).eigenvalues | L.eigvals(Q)
L.eigvals(K) | L.eig(K)[0] | abs(L.eig(N)[1]) ** 2 | L.eigvals(N).real | L.eigvals(W) | L.norm(v) | L.norm(A)
L.norm(B) | L.norm(A, axis=(0,)) | L.norm(A, axis=0) | L.norm(A, 1, axis=(0,)) | L.norm(A, axis=(0, 1))
L.norm(A, "nuc", axis=(0, 1)) | L.norm(A, 2, axis=(0, 1)) | L.norm(A, -2, (0, 1)) | L.norm(A, "fro", axis=(1, 0))
L.norm(A, "fro") | L.norm(A, "nuc") | L.norm(A, 2) | L.norm(A, -2) | L.norm(A, 1) | L.norm(A, -1) | L.norm(A, inf)
L.norm(A, -inf) | L.norm(B, axis=(1, 2)) | L.norm(B, "nuc", axis=(2, 0)) | L.norm(B, 2, axis=(0, 2), keepdims=True)
L.norm(B, 1, axis=(2, 1), keepdims=True) | L.norm(B, -inf, axis=(-1, 0)) | L.norm(B, axis=1, keepdims=True)
L.norm(A, keepdims=True) | L.norm(B, keepdims=True) | L.norm(A, "nuc", keepdims=True) | L.norm(v, keepdims=True)
L.norm(v, 0) | L.norm(v, inf) | L.norm(v, -inf) | L.norm(v, 0.5) | L.norm(v, 3) | L.norm(v, -1) | L.norm(v, -2.5)
L.norm(v, 1) | L.norm(A, 0, axis=1) | L.norm(A, 2.5, axis=1) | L.norm(A, inf, axis=0)
L.norm(A, -inf, axis=-1, keepdims=True) | L.norm(v, ord=None) | L.norm(v, ord=2) | L.norm(x=v, ord=2, axis=0)
L.norm(s) | L.norm(C) | L.norm(C, 2) | L.norm(C, "nuc") | L.norm(C, 1) | L.norm(C[0], 3) | L.norm(C, inf, axis=0)
L.norm(B, axis=None) | L.norm(v, -1, axis=(0,)) | L.norm(A, ord="f") | L.norm(B, 2, axis=(-2, -1))
L.norm(A, np.inf, axis=np.int64(1)) | L.slogdet(S) | L.slogdet(Q) | L.slogdet(S).logabsdet | L.det(Q) | L.det(S)
L.det(K) | L.slogdet(K)[1] | L.slogdet(Q).sign | L.det(-S) | L.slogdet(-S) | L.det(S[:0, :0]) + s | L.det(S[None])
L.inv(Q) | L.inv(K) | L.inv(a=S) | L.pinv(A) | L.pinv(A, 1e-10) | L.pinv(A, rcond=1e-10) | L.pinv(H, hermitian=True)
L.pinv(H, 1e-12, True) | L.pinv(B) | L.pinv(C) | L.pinv(A, rtol=1e-9) | L.pinv(B, rcond=np.array([1e-9, 1e-8]))
L.pinv(T) | L.pinv(P, hermitian=True) | L.matrix_power(S, 3) | L.matrix_power(S, -2) | L.matrix_power(S, 0)
L.matrix_power(Q, -1) | L.matrix_power(Q, 2) | L.matrix_power(a=S, n=5) | L.matrix_power(S, 1) | L.matrix_power(K, -3)
L.matrix_power(Q, 0) | L.multi_dot([u, A, v]) | L.multi_dot([A, T, A]) | L.multi_dot([u, A]) | L.multi_dot([A, v])
L.multi_dot((S, A, T, S)) | L.multi_dot([u, A, T, u]) | L.multi_dot([A, T]) | L.multi_dot(arrays=[S, A])
L.multi_dot([u, u]) | L.qr(S) | L.qr(T) | L.qr(A) | L.qr(T, "reduced") | L.qr(T, mode="r") | L.qr(A, mode="r")
L.qr(S, "complete") | L.qr(A, "complete") | L.qr(B) | L.qr(B, mode="r") | L.qr(T).R | abs(L.qr(K)[1]) | L.qr(Q)
L.svd(S) | L.svd(A, full_matrices=False) | L.svd(T, False) | L.svd(A)[1] | L.svd(A, compute_uv=False)
L.svd(A, True, False) | L.svd(B, compute_uv=False) | L.svd(A, full_matrices=False).S | L.svd(H, hermitian=True)[1]
L.svd(H, compute_uv=False, hermitian=True) | L.svdvals(A) | L.svdvals(B) | L.svd(C)[1] | L.svd(B, full_matrices=False)
L.svd(A)[0] | L.svd(a=A, full_matrices=False)[2] | L.svd(P, hermitian=True) | L.eigh(H) | L.eigh(H, "U")
L.eigh(H, UPLO="L") | L.eigvalsh(H, "U") | L.eigh(R) | L.eigvalsh(R) | L.eigh(H).eigenvectors | L.eigvalsh(a=H)
L.cholesky(P) | L.cholesky(P, upper=True) | L.cholesky(R) | L.cholesky(R, upper=True) | np.cross(u, z[3:6])
np.cross(A[:, :3], u) | np.cross(A[:, :3], A[:, 1:], axis=0) | np.cross(A[:, :3], T[:3], axisa=0, axisb=-1)
np.cross(A[:, :2], A[:, 2:]) | np.cross(z[:2], z[2:4]) | np.cross(z[:2], u) | np.cross(u, z[:2])
np.cross(X, X[:, ::-1], axis=0) | np.cross(B, B[::-1], 1, 1, 2) | np.cross(B, B[::-1] * 2, axisa=1, axisb=1, axisc=0)
np.cross(u, [1.0, 2.0, 3.0]) | np.cross([1.0, 2.0, 3.0], u) | np.cross(u, np.ones((2, 3))) | np.cross(B[:, :, 0], u)
L.cross(u, z[3:6]) | L.cross(A[:, :3], A[:, 1:]) | L.cross(A, A[::-1] * 2, axis=0) | np.cross(A[:, :2], u)
L.cross(B, B[::-1], axis=1) | np.vecdot(A, v) | np.vecdot(C, C) | np.vecdot(A, A, axis=0) | L.vecdot(B, v)
np.vecdot(A, u, axis=0) | L.vecdot(u, A, axis=0) | np.vecdot(B, B[:, 0], axis=0) | L.vecdot(u, A[:, :, None], axis=0)
L.vecdot(C, v, axis=-1) | np.vecdot(C, A, axis=0) | L.matrix_norm(A) | L.matrix_norm(B, ord="nuc")
L.matrix_norm(B, keepdims=True) | L.matrix_norm(B, ord=-1, keepdims=True) | L.matrix_norm(B, ord=2, keepdims=True)
L.matrix_norm(C) | L.vector_norm(B) | L.vector_norm(B, axis=(0, 2)) | L.vector_norm(B, axis=1, keepdims=True)
L.vector_norm(B, keepdims=True) | L.vector_norm(B, ord=0) | L.vector_norm(B, axis=(0, 2), ord=1, keepdims=True)
L.vector_norm(v, ord=inf) | L.vector_norm(v, ord=-1) | L.vector_norm(C, ord=3, axis=0)
L.vector_norm(A, axis=-1, ord=0.5) | L.vector_norm(B, axis=(2, 0), ord=-inf) | L.solve(S, u) | L.solve(S, A)
L.solve(Q, u) | L.solve(Q, B) | L.solve(K, u) | L.solve(a=S, b=A) | L.solve(S, Q) | L.diagonal(B, offset=1)
L.trace(B, offset=-1) | L.trace(B) | L.outer(u, v) | L.outer(C[0], v) | L.matmul(A, T) | L.matrix_transpose(B)
L.tensordot(A, T, axes=1) | L.tensordot(B, B, axes=((0, 1), (0, 1))) | np.kron(A, S) | np.kron(v, B) | np.trace(A)
np.trace(B, 1, 1, 2) | np.diag(v) | np.diag(A, 1) | np.diagflat(A) | np.tril(B, -1) | np.triu(A, 1) | np.vander(v)
np.vander(v, 3) | np.vander(v, N=2, increasing=True) | np.vander(x=v, increasing=True) | np.inner(A, A)
np.inner(B, v) | np.dot(B, T) | np.vdot(C, C) | np.vdot(C, A) | np.einsum("ij,kj->ik", A, A)
np.einsum("ij->j", A, optimize=True) | np.matvec(S, u) | np.vecmat(u, A)
"""
NAMES = cases_of(CASES)
POINT = np.random.default_rng(0).normal(size=24)


def parts(z):
    """The arrays (or tensors) of a case: all of them are made of one vector."""
    A, N, S, Q = z[:12].reshape(3, 4), z[:9].reshape(3, 3), *(z[:n].reshape(-1, 3, 3) + 3 * np.eye(3) for n in (9, 18))
    S = S[0]
    return {
        "z": z, "A": A, "T": A.T, "N": N, "S": S, "Q": Q, "P": S @ S.T, "H": N + N.T, "B": z.reshape(2, 3, 4),
        "W": z[:16].reshape(4, 4), "X": z.reshape(2, 3, 2, 2), "C": A + 1j * z[12:].reshape(3, 4),
        "K": S + 1j * z[9:18].reshape(3, 3), "R": np.stack([S @ S.T, (S + 1) @ (S + 1).T]), "v": z[:4],
        "w": z[4:8], "u": z[:3], "s": z[5],
    }  # fmt: skip


def run(case, z):
    return eval(case, {"np": np, "L": np.linalg, "inf": np.inf, **parts(z)})


def leaves(result):
    return [leaf for part in result for leaf in leaves(part)] if isinstance(result, (list, tuple)) else [result]


def total(case, z):
    """A real number made of a case's results, curved in each entry."""
    found = 0.0
    for p in leaves(run(case, z)):
        kind = p.dtype.kind
        if kind == "c":
            found = found + (p.real**3 + p.real * p.imag + p.imag**2).sum()
        elif kind == "f":
            found = found + (p**3 + p).sum()
    return found


def assert_numpys(case):
    """NumPy's values, fields and dtypes; first and second derivatives of finite differences."""
    want, got = run(case, POINT), run(case, sg.tensor(POINT, requires_grad=True))
    for field in getattr(want, "_fields", ()):
        assert hasattr(got, field)
    assert len(leaves(got)) == len(leaves(want))
    for ours, theirs in zip(leaves(got), map(np.asarray, leaves(want)), strict=True):
        assert ours.shape == theirs.shape and (ours.dtype == theirs.dtype or theirs.dtype.kind == "i")
        assert ours.requires_grad or theirs.dtype.kind == "i" or not theirs.size
        np.testing.assert_allclose(ours.detach().numpy(), theirs, rtol=1e-11, atol=1e-12)
    g = sg.grad(lambda z: total(case, z))
    expected, found = gradient(lambda z: total(case, z), POINT), g(POINT)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * (1 + np.abs(expected).max()))
    direction = np.linspace(0.5, -0.8, POINT.size)
    curvature = slope(lambda t: g(POINT + t * direction))
    second = sg.hessian(lambda z: total(case, z))(POINT) @ direction
    np.testing.assert_allclose(second, curvature, rtol=1e-5, atol=1e-5 * (1 + np.abs(curvature).max()))


@one_in(20)
@pytest.mark.parametrize("case", NAMES)
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors are deprecated")
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
def test_linear_algebra_has_numpys_values_and_the_derivatives_of_finite_differences(case):
    assert_numpys(case)


WHOLE = np.arange(9).reshape(3, 3) + 5 * np.eye(3, dtype=int)
F = (POINT[:9].reshape(3, 3) + 4 * np.eye(3)).astype(np.float32)
KINDS = {
    "whole numbers": WHOLE, "float32": F, "complex64": F.astype(np.complex64), "an empty batch": np.zeros((0, 3, 3)),
    "no rows": np.zeros((0, 0)), "negative strides": np.arange(48.0).reshape(6, 8)[::-2, ::-2][:3, :3] ** 2 % 7,
}  # fmt: skip
OF_A_MATRIX = """
inv det slogdet eig eigvals svd svdvals qr cond norm matrix_rank pinv matrix_norm vector_norm trace diagonal eigh
eigvalsh cholesky
""".split()  # noqa: SIM905


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OF_A_MATRIX)
def test_dtypes_and_edges_are_numpys(name, kind):
    f, a = getattr(np.linalg, name), KINDS[kind]
    a = a @ np.swapaxes(a, -1, -2).conj() if name in ("cholesky", "eigh", "eigvalsh") else a
    floats = a.dtype.kind in "fc"
    x = sg.tensor(a, requires_grad=floats)
    try:
        want = leaves(f(a))
    except Exception:
        with pytest.raises((ValueError, sg.SymgradError)):
            f(x)
        return
    got = leaves(f(x))
    for ours, theirs in zip(got, map(np.asarray, want), strict=True):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        tolerance = 1e-4 if theirs.dtype in (np.float32, np.complex64) else 1e-10
        np.testing.assert_allclose(ours.detach().numpy(), theirs, rtol=tolerance, atol=tolerance)
    recorded = [t for t in got if t.requires_grad]
    assert bool(recorded) == (floats and name != "matrix_rank")
    if recorded:
        sum(t.abs().sum() for t in recorded).backward()
        assert x.grad.dtype == x.dtype and x.grad.shape == x.shape


@pytest.mark.parametrize(
    "options", [{}, {"tol": 0.5}, {"tol": np.array([0.5, 90.0])}, {"rtol": 1e-3}, {"hermitian": True}]
)
def test_a_rank_is_a_constant(options):
    a = np.stack([WHOLE, WHOLE * 0]) * 1.0
    x = sg.tensor(a, requires_grad=True)
    found = np.linalg.matrix_rank(x, **options)
    assert not found.requires_grad
    np.testing.assert_array_equal(found.numpy(), np.linalg.matrix_rank(a, **options))
    assert np.linalg.matrix_rank(x[0, 0]).item() == 1
    np.testing.assert_allclose(sg.grad(lambda a: (np.linalg.matrix_rank(a) * a[:, 0, 0]).sum())(a)[:, 0, 0], [3, 0])


def test_powers_of_whole_numbers_are_whole_and_inverses_are_not():
    for n in (0, 1, 5, -2):
        found = np.linalg.matrix_power(sg.tensor(WHOLE), n)
        np.testing.assert_allclose(found.numpy(), np.linalg.matrix_power(WHOLE, n))
        assert found.dtype == np.linalg.matrix_power(WHOLE, n).dtype


def test_cholesky_upper_reads_the_upper_triangle():
    a = np.array([[4.0, 1.0], [9.0, 5.0]])
    for upper in (False, True):
        x = sg.tensor(a if upper else a.T)
        np.testing.assert_allclose(
            np.linalg.cholesky(x, upper=upper).numpy(), np.linalg.cholesky(x.numpy(), upper=upper)
        )


def test_complex_eigenvalues_of_a_real_matrix_have_real_gradients():
    turn = np.array([[0.3, -1.2], [0.9, 0.1]])
    for f in (lambda A: np.linalg.eigvals(A)[0].imag, lambda A: abs(np.linalg.eigvals(A)[0])):
        np.testing.assert_allclose(sg.grad(f)(turn), gradient(f, turn), rtol=1e-8)
        curvature = slope(lambda t, f=f: sg.grad(f)(turn + t * turn.T))
        np.testing.assert_allclose(sg.hvp(f, turn, turn.T), curvature, rtol=1e-6)


COINCIDING = np.diag([1.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("f", "at", "words"),
    [
        (lambda A: np.linalg.eigh(A)[1][0, 1], COINCIDING, "linalg.eigh: the vectors have no derivative where values "
         "coincide: the gap between the values 0 and 1 is 0.0e[+]00"),
        (lambda A: (np.linalg.eig(A)[1][0, 1] * 3 + np.linalg.eig(A)[1][1, 0]).real, COINCIDING,
         "linalg.eig: the vectors"),
        (lambda A: np.linalg.svd(A)[0][0, 1], COINCIDING, "linalg.svd: the vectors have no derivative"),
        (lambda A: np.linalg.eigvals(A)[0].real, np.array([[3.0, 1.0], [-1.0, 1.0]]), "linalg.eig: the eigenvalues "
         "have no derivative where two of them coincide and have one vector: the gap between the values 0 and 1 is"),
        (lambda A: np.linalg.qr(A, "complete")[0].sum(), np.ones((3, 2)) + np.eye(3, 2), "not differentiable when "
         "mode='complete'"),
    ],
)  # fmt: skip
def test_what_has_no_derivative_is_refused_with_the_gap(f, at, words):
    with pytest.raises(sg.GradientError, match=words):
        sg.grad(f)(at)


def test_sums_of_coinciding_eigenvalues_have_a_derivative():
    trace = sg.grad(lambda A: np.linalg.eigvals(A).sum().real)
    np.testing.assert_allclose(trace(COINCIDING), np.eye(len(COINCIDING)), atol=1e-7)


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda A, v: np.linalg.qr(A, "raw"), sg.NotDifferentiableError, "np.linalg.qr with mode='raw'"),
        (lambda A, v: np.linalg.norm(v, "fro"), ValueError, "Invalid norm order 'fro' for vectors"),
        (lambda A, v: np.linalg.norm(A, "nuc", axis=0), ValueError, "Invalid norm order 'nuc' for vectors"),
        (lambda A, v: np.linalg.norm(A[None], 2), ValueError, "Improper number of dimensions to norm"),
        (lambda A, v: np.linalg.norm(A, 7), sg.DTypeError, "Order 7 not supported"),
        (lambda A, v: np.linalg.lstsq(A[None], v), sg.ShapeError, "np.linalg.lstsq takes a matrix"),
        (lambda A, v: np.linalg.inv(A[:2]), ValueError, "linalg.inv: A must be batches of square matrices"),
        (lambda A, v: np.linalg.inv(A * 0), np.linalg.LinAlgError, "the input matrix is singular"),
        (lambda A, v: np.cross(np.concatenate([v, v]), v), sg.ShapeError, "np.cross: incompatible dimensions"),
        (lambda A, v: np.linalg.cross(v[:2], v[:2]), ValueError, "np.linalg.cross: incompatible dimensions"),
        (lambda A, v: np.vecdot(A, v, out=np.zeros(3)), sg.NotDifferentiableError, "np.vecdot with out="),
    ],
)  # fmt: skip
def test_what_is_not_there_is_refused_in_words(run, error, words):
    with warnings.catch_warnings(), pytest.raises(error) as caught:
        warnings.simplefilter("ignore")
        run(sg.tensor(F.astype(float), requires_grad=True), sg.tensor(POINT[:3], requires_grad=True))
    assert words in str(caught.value)


DEPENDENT = [
    np.diag([1.0, 0.0]), np.ones((3, 2)), np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]), np.zeros((2, 2)),
    np.stack([np.eye(2), np.ones((2, 2))]),
]  # fmt: skip


@pytest.mark.parametrize("A", DEPENDENT)
@pytest.mark.parametrize("part", [0, 1])
def test_qr_of_columns_that_depend_on_each_other_says_so(A, part):
    for derivative in (sg.grad, lambda f: lambda A: sg.jvp(f, (A,), (np.ones_like(A),))[1]):
        with pytest.raises(sg.GradientError, match=r"columns depend[\s\S]*Column \d is a combination"):
            derivative(lambda A: np.linalg.qr(A)[part].sum())(A)
