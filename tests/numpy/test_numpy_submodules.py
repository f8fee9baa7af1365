"""numpy.linalg, numpy.fft and NumPy's polynomials as their users write them: its values, exact derivatives.

A case is an expression in ``L``, numpy.linalg, and in matrices made of one vector.
"""

import warnings

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.numeric import gradient, slope
from ..helpers.versions import cases_of
from .test_numpy_idioms import POINT as POSITIVE
from .test_numpy_idioms import assert_derivatives, assert_recorded
from .test_numpy_idioms import parts as parts_of_few

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


@pytest.mark.parametrize("product", [np.linalg.multi_dot, sg.linalg.multi_dot])
def test_a_chain_of_named_sizes_is_the_product_in_the_order_written(product):
    x, A, B = sg.symbol("x", "n"), sg.symbol("A", ("n", "n")), sg.symbol("B", ("n", 3))
    for chain, written in (([x, A, A, x], x @ A @ A @ x), ([A, B, B.T], A @ B @ B.T), ([x, B], x @ B)):
        found = product(chain)
        assert found.shape == written.shape and found.formula().equals(written.formula())
    with pytest.raises(sg.ShapeError, match="cannot be multiplied"):
        product([A, B, A])


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


# Polynomials, differentiated in coefficients, points and roots --------------------------------------------------------


POLYNOMIALS = """
np.poly(v) | np.poly(N) | np.poly(C[0]) | np.poly(S) | np.poly(z[:1]) | np.poly([1.0, 2.0]) * s | np.poly(C[0, :2])
np.polyval(v, s) | np.polyval(v, A) | np.polyval([1.0, 2.0], v) | np.polyval(p=v, x=2.0) | np.polyval(C[0], v)
np.polyval(np.poly1d([1.0, 2.0, 3.0]), v) | np.poly1d([1.0, -2.0])(v) | np.polyfit(v, w, 2)
np.polyfit([0.0, 1.0, 2.0, 3.0], v, 1) | np.polyfit(x=np.arange(4.0), y=v, deg=3)
np.polyfit(v, w, 1, w=[1.0, 2.0, 1.0, 0.5]) | np.polyfit(v, w, 1, w=w ** 2) | np.polyfit(np.arange(3.0), A, 1)
np.polyfit(v, w, 1, full=True)[:4] | np.polyfit(v, w, 1, cov=True) | np.polyfit(v, w, 1, cov="unscaled")
np.polyfit(np.arange(3.0), A, 1, cov=True) | np.polyfit(np.arange(3.0), A, 1, w=u)
np.polyfit(v, [1.0, 2.0, 0.0, 1.0], 2) | np.polyfit(v, w, 0) | np.polyder(v) | np.polyder(v, 2) | np.polyder(v, m=0)
np.polyder(v, 3) | np.polyder(v, 5) | np.polyint(v) | np.polyint(v, 2) | np.polyint(v, 2, k=[1.0, 2.0])
np.polyint(v, k=s) | np.polyint(v, 3, k=s) | np.polyint(v, m=0) | np.polyder(C[0]) | np.polyint(C[0])
np.polymul(v, u) | np.polymul(v, [1.0, 2.0]) | np.polymul([0.0, 1.0, 2.0], v) | np.polymul(v, 2.0)
np.polymul(C[0], v) | np.polyadd(v, u) | np.polyadd([1.0, 2.0], v) | np.polyadd(v, 3.0) | np.polyadd(a1=u, a2=v)
np.polysub(v, u) | np.polysub([1.0, 2.0], v) | np.polysub(1.0, v) | np.polydiv(v, u) | np.polydiv(v, z[:2])
np.polydiv(v, [1.0, 2.0]) | np.polydiv([1.0, 3.0, 2.0], z[:2]) | np.polydiv(u, v)[1] | np.polydiv(v, v)
np.polydiv(v, 2.0) | np.polydiv(v, C[0, :2]) | np.polydiv(v, z[3:6]) | np.polydiv(z[:8], u) | np.polydiv(v, s)
np.polydiv(np.polymul(v, u), v) | np.roots(v) | np.roots(u) | np.roots(z[:2]) | np.roots(z[:6])
np.roots(np.stack([s, s * 0.3, s * 0.02])) | np.roots(C[0]) | np.roots(np.concatenate([[0.0], v]))
np.roots(np.concatenate([v, [0.0]])) | np.roots([1.0, -3.0, 2.0]) * s | np.roots(np.array([1.0, 0.0, -1.0]) * s)
np.roots(z[:1]) | np.vander(v) | np.vander(v, 3) | np.vander(v, N=2, increasing=True) | np.vander(C[0], 3)
np.vander(v, 0) | np.vander(v, 1) | np.polynomial.polynomial.polyval(v, [1.0, 2.0, 3.0])
np.polynomial.chebyshev.chebval(A, [1.0, 2.0, 3.0, 4.0]) | np.polynomial.legendre.legval(v, [1.0, 2.0, 3.0, 4.0])
np.polynomial.hermite.hermval(v, [1.0, 2.0, 3.0, 4.0]) | np.polynomial.hermite_e.hermeval(v, [1.0, 2.0, 3.0, 4.0])
np.polynomial.laguerre.lagval(v, [1.0, 2.0, 3.0]) | np.polynomial.legendre.legval(s, [1.0, 2.0])
"""
POLYNOMIAL_NAMES = [c.strip() for line in POLYNOMIALS.strip().splitlines() for c in line.split(" | ")]


@one_in(8)
@pytest.mark.parametrize("case", POLYNOMIAL_NAMES)
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
def test_a_function_of_polynomials_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    assert_numpys(case)


def test_roots_move_by_their_coefficients_over_the_slope():
    p = np.poly([1.0, -2.0, 0.5])
    for k, r in enumerate(np.roots(p)):
        slope = np.polyval(np.polyder(p), r)
        found = sg.grad(lambda p, k=k: np.roots(p)[k])(p)
        np.testing.assert_allclose(found, [-(r**j) / slope for j in (3, 2, 1, 0)], rtol=1e-10)
    np.testing.assert_allclose(
        sg.jacobian(lambda p: np.poly(np.roots(p)))(p), np.eye(4) - np.outer(p, [1, 0, 0, 0]), atol=1e-12
    )
    y, dy = sg.jvp(np.roots, (p,), (np.array([0.0, 0.0, 0.0, 1.0]),))
    np.testing.assert_allclose(dy, -1 / np.polyval(np.polyder(p), y), rtol=1e-10)


def test_roots_may_be_complex_and_multiple_ones_are_refused():
    p = np.array([1.0, 0.4, 2.0])
    f = lambda p: np.roots(p)[0].imag + abs(np.roots(p)[1])
    np.testing.assert_allclose(sg.grad(f)(p), gradient(f, p), rtol=1e-8)
    with pytest.raises(
        sg.GradientError, match="np.roots: a multiple root has no derivative: the gap between the root 1"
    ):
        sg.grad(lambda p: np.roots(p)[1].real)(np.poly([1.0, 1.0, 3.0]))
    assert np.roots(sg.tensor([0.0, 0.0])).shape == np.roots([0.0, 0.0]).shape == (0,)
    assert np.roots(sg.tensor([2, -6, 4])).tolist() == [2.0, 1.0]
    wilkinson = np.poly(np.arange(1.0, 21.0))
    assert np.isfinite(sg.grad(lambda p: np.roots(p).real.sum())(wilkinson)).all()


def test_the_characteristic_polynomial_has_the_trace_and_the_determinant():
    A = POINT[:9].reshape(3, 3)
    np.testing.assert_allclose(sg.grad(lambda A: np.poly(A)[1])(A), -np.eye(3), atol=1e-12)
    np.testing.assert_allclose(sg.grad(lambda A: -np.poly(A)[3])(A), np.linalg.det(A) * np.linalg.inv(A).T, rtol=1e-10)


def test_a_fit_of_lists_weights_and_too_few_points_is_numpys():
    x, y = np.arange(5.0), POINT[:5]
    t = sg.tensor(y, requires_grad=True)
    *ours, rcond = np.polyfit(x, t, 1, full=True)
    *theirs, expected = np.polyfit(x, y, 1, full=True)
    assert rcond == expected
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a.detach() if isinstance(a, sg.Tensor) else a, b)
    with pytest.warns(np.exceptions.RankWarning):
        np.polyfit(x * 0 + 1, t, 1)
    # the coefficients are linear in y: their slopes are the fit of each unit vector
    np.testing.assert_allclose(sg.jacobian(lambda y: np.polyfit(x, y, 2))(y), np.polyfit(x, np.eye(5), 2), atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex64])
@pytest.mark.parametrize("name", ["polyadd", "polysub", "polymul", "polydiv"])
def test_dtypes_and_strides_are_numpys(name, dtype):
    a, b = (np.array([3, 0, 1, 2, 7, 1])[::-2].astype(dtype), np.array([2, 1]).astype(dtype))
    f = getattr(np, name)
    ours, theirs = f(sg.tensor(a), sg.tensor(b)), f(a, b)
    for u, v in zip(*[r if isinstance(r, tuple) else (r,) for r in (ours, theirs)], strict=True):
        np.testing.assert_allclose(u.numpy(), v, rtol=1e-6)
        assert u.dtype == v.dtype


TRIMS = """
np.polymul(p, q)[-1] | np.polymul(p[:2], q).sum() | np.polymul(q, p).sum() | np.polyval(np.polymul(p * q[0], q), 2.0)
np.polymul(np.sin(p), q).sum() | np.polymul(p ** 2, q).sum() | np.poly1d(p)(2.0) | (np.poly1d(q) * np.poly1d(p))(2.0)
np.polyval(np.polymul(np.poly1d(p), q), 2.0) | (np.poly1d(p) + np.poly1d(q))(2.0) | np.trim_zeros(p).sum()
np.trim_zeros(p[::-1]).sum() | np.trim_zeros(p * 2, "f").sum() | np.polydiv(c1, [1.0, 0.0, 1.5])[1].sum()
np.polyval(np.polydiv(c1, np.concatenate([c1[:1], p[:1], q[:1] / 2]))[1], 2.0)
np.polymul(np.stack([p[0], q[0]]), q).sum() | np.polymul(np.linalg.solve(np.eye(3), p), q).sum()
"""
STAYS = """
np.polymul(np.concatenate([[0.0, 0.0], q]), p[1:]).sum() | np.polymul(np.polysub(c1, c2), q).sum()
np.poly1d(np.concatenate([[0.0], q]))(2.0) | np.polymul(np.pad(q, (1, 0)), q).sum() | np.polymul([0.0, 2.0], q).sum()
np.polydiv(np.polymul(q, p[1:]), q)[1].sum() | np.polydiv(c1, c1[:3])[1].sum()
np.trim_zeros(np.pad(q, (2, 3))).sum() | np.polymul(0.0, q).sum()
np.polydiv(np.polymul(q, p[1:]), p[1:])[0].sum() | np.polymul(np.where([False, True, True], q, 0.0), q).sum()
"""


def _of_pieces(case):
    """A function of six numbers: ``p`` leads with a zero, and ``c1 - c2`` with one that is no number's."""

    def f(x):
        p, q, one = x[:3], x[3:], np.ones(1)
        names = {"p": p, "q": q, "c1": np.concatenate([one, p]), "c2": np.concatenate([one, 2 * p + q])}
        return eval(case.strip(), {"np": np}, names)

    return f


@pytest.mark.parametrize("case", [c for line in TRIMS.strip().splitlines() for c in line.split(" | ")])
def test_a_zero_that_is_trimmed_off_and_would_move_is_refused_by_name(case):
    f, x = _of_pieces(case), np.array([0.0, 1.5, -2.0, 3.0, 0.5, 2.0])
    assert np.isfinite(f(x)).all()
    run = {
        "grad": lambda: sg.grad(f)(x),
        "hessian": lambda: sg.hessian(f)(x),
        "jvp": lambda: sg.jvp(f, (x,), (np.ones(6),)),
        "tensors": lambda: f(sg.tensor(x, requires_grad=True)).sum().backward(),
    }
    for how, call in run.items():
        with pytest.raises(sg.NotDifferentiableError, match=r"np\.(polymul|polydiv|trim_zeros)") as caught:
            call()
        assert "leaves out" in str(caught.value), how
    f(sg.tensor(x))  # without derivatives, NumPy's


@pytest.mark.parametrize("case", [c for line in STAYS.strip().splitlines() for c in line.split(" | ")])
def test_a_zero_that_is_trimmed_off_and_never_moves_costs_no_slope(case):
    f, x = _of_pieces(case), np.array([0.0, 1.5, -2.0, 3.0, 0.5, 2.0])
    np.testing.assert_allclose(sg.grad(f)(x), gradient(f, x), rtol=1e-7, atol=1e-9)
    t = np.arange(1.0, 7)
    np.testing.assert_allclose(sg.jvp(f, (x,), (t,))[1], gradient(f, x) @ t, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda x: np.polyfit(x, x, -1), ValueError, "np.polyfit: expected deg >= 0"),
        (lambda x: np.polyfit(x, x[:2], 1), TypeError, "np.polyfit: expected x and y to have same length"),
        (lambda x: np.polyfit(x, x, 1, w=x[:2]), TypeError, "np.polyfit: expected a 1-d array for weights"),
        (lambda x: np.polyfit(x, x, 3, cov=True), ValueError, "np.polyfit: the number of data points must exceed"),
        (lambda x: np.polyder(x, -1), ValueError, "np.polyder: Order of derivative must be positive"),
        (lambda x: np.polyint(x, -1), ValueError, "np.polyint: Order of integral must be positive"),
        (lambda x: np.polyint(x, 3, k=[1.0, 2.0]), ValueError, "np.polyint: k must be"),
        (lambda x: np.poly(x.reshape(2, 2)[:1]), ValueError, "np.poly: input must be 1d or non-empty square 2d"),
        (lambda x: np.roots(x.reshape(2, 2)), ValueError, "np.roots: Input must be a rank-1 array."),
        (lambda x: np.polynomial.polynomial.polyval(2.0, x), sg.GradientError, "numpy.polynomial (polyval())"),
        (lambda x: np.polynomial.Polynomial(x), sg.GradientError, "numpy.polynomial (as_series())"),
    ],
)  # fmt: skip
def test_what_polynomials_do_not_take_is_refused_by_name(run, error, words):
    with pytest.raises(error) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True))
    assert words in str(caught.value)


# Fourier transforms ---------------------------------------------------------------------------------------------------


FFTS = """
fft(v) | fft(A) | fft(A, axis=0) | fft(v, 3) | fft(v, n=7) | fft(v, norm="ortho") | fft(v, norm="forward") | fft(v[::-1])
fft(A, 5, 0, "ortho") | fft(C) | fft(C, 3) | fft(C, n=6, axis=0, norm="forward") | fft(v[:1]) | fft(np.stack([s, s, v[0]]))
ifft(v) | ifft(C) | ifft(C, 6) | ifft(A, 2, axis=0) | ifft(C, norm="ortho") | ifft(C, norm="forward") | ifft(v[:3])
rfft(v) | rfft(v[:3]) | rfft(A, axis=0) | rfft(v, 3) | rfft(v, n=7) | rfft(v, 6, norm="ortho") | rfft(v[:1])
rfft(A, None, 0, "forward") | rfft(A.T, axis=-2) | rfft(v, 2) | rfft(v[:2]) | rfft(v, norm="backward")
irfft(v) | irfft(C) | irfft(C, 7) | irfft(C, 6, axis=0) | irfft(C, n=5, norm="ortho") | irfft(C, norm="forward")
irfft(C, 3) | irfft(C, 2) | irfft(C, 1) | irfft(v[:2]) | irfft(C, axis=0) | irfft(rfft(v) ** 2) | irfft(rfft(v[:3]), 3)
hfft(v) | hfft(C) | hfft(C, 7) | hfft(C, n=5, axis=0, norm="ortho") | hfft(C, norm="forward")
ihfft(v) | ihfft(v, 3) | ihfft(A, n=5, axis=0, norm="ortho") | ihfft(v, norm="forward") | hfft(ihfft(v) ** 2)
fft2(A) | fft2(C, (2, 5)) | fft2(B, axes=(0, 2)) | fft2(B, s=(3, 2), axes=(2, 1), norm="ortho") | fft2(A, s=(-1, 3))
ifft2(A) | ifft2(C, (2, 5)) | ifft2(B, axes=(0, 1), norm="forward") | rfft2(A) | rfft2(A, (4, 3)) | rfft2(B, axes=(0, 2))
rfft2(A, s=(2, 5), norm="ortho") | irfft2(C) | irfft2(C, (3, 5)) | irfft2(C, s=(2, 6), axes=(1, 0)) | irfft2(rfft2(A) ** 2)
fftn(A) | fftn(B) | fftn(B, axes=(1,)) | fftn(A, axes=(0, 0)) | fftn(A, (2, 3), axes=(1, 0)) | fftn(A, (2, 3), (0, 1))
ifftn(C) | ifftn(B, axes=(2, 0), norm="ortho") | rfftn(B) | rfftn(A, (2, 5), axes=(0, 1)) | rfftn(B, axes=(2, 1))
rfftn(A, axes=(0, 0)) | rfftn(A, axes=(1, 0, 1)) | rfft2(B, axes=(1, 1)) | rfftn(A, (5, 3), axes=(1, 1)) | irfftn(C, axes=(1, 1))
irfftn(C) | irfftn(C, axes=(0,)) | irfftn(C, (3, 5), axes=(0, 1), norm="forward") | irfftn(C, s=(-1, -1), axes=(0, 1))
irfftn(rfftn(B) ** 2) | fftn(B, axes=()) | fftshift(v) | fftshift(v[:3]) | fftshift(A) | fftshift(A, 0) | fftshift(C, axes=(1,))
ifftshift(v[:3]) | ifftshift(A, axes=(0, 1)) | fftfreq(4, s) * v | rfftfreq(5, d=s)
fft(v) * fft(v[::-1]) | abs(fft(v)) ** 2 | ifft(fft(v) * fft([1.0, 2.0, 0.5, 0.0])).real | np.angle(fft(v)[1])
"""  # noqa: E501
FFT_NAMES = [c.strip() for line in FFTS.strip().splitlines() for c in line.split(" | ")]
NUMPYS = {name: getattr(np.fft, name) for name in dir(np.fft) if "fft" in name and not name.startswith("_")}


def evaluate(case, z):
    rows = parts_of_few(z)
    return eval(case, {**NUMPYS, "np": np, "C": rows["A"] + 1j * rows["A"][::-1, ::-1] ** 2, **rows})


def total_of_fft(case, z):
    """A real number made of a case's result, curved in each entry."""
    y = evaluate(case, z)
    u, v = y.real, y.imag if np.iscomplexobj(y) else 0.0
    return (u**3 + u * v + v**2 * 0.5 - v).sum()


@one_in(6)
@pytest.mark.parametrize("case", FFT_NAMES)
def test_a_transform_has_numpys_value_and_the_derivatives_of_finite_differences(case):
    want = evaluate(case, POSITIVE)
    assert_recorded(evaluate(case, sg.tensor(POSITIVE, requires_grad=True)), want)
    assert_derivatives(lambda z: total_of_fft(case, z))


@pytest.mark.parametrize("name", NUMPYS)
def test_torchs_names_take_dim_and_numpys_axis(name):
    ours = getattr(sg.fft, name)
    if name.endswith("freq"):
        np.testing.assert_array_equal(ours(5, 0.5).numpy(), NUMPYS[name](5, 0.5))
        return
    x = sg.tensor(POSITIVE.reshape(3, 4), requires_grad=True)
    along = {"fft": "n", "2": "s"}.get(name[-3:] if name.endswith("fft") else name[-1])
    dim = (0, 1) if along == "s" or name.endswith("n") else 0
    axes = {"axis" if along == "n" else "axes": dim}
    want = NUMPYS[name](POSITIVE.reshape(3, 4), **axes)
    for found in (ours(x, dim=dim), ours(x, axis=dim), ours(input=x, dim=dim)):
        assert_recorded(found, want)


def test_hermitian_transforms_along_several_dimensions_are_real_ones_the_other_way_round():
    x, z = POSITIVE.reshape(3, 4), POSITIVE.reshape(3, 4) * (1 + 0.5j)
    for n, dims in (("2", (0, 1)), ("n", (1, 0))):
        forth = np.fft.irfftn(z.conj(), axes=dims, norm="forward")
        np.testing.assert_allclose(getattr(sg.fft, f"hfft{n}")(z, dim=dims), forth)
        np.testing.assert_allclose(getattr(sg.fft, f"ihfft{n}")(x, dim=dims), np.fft.rfftn(x, axes=dims).conj() / 12)


@pytest.mark.parametrize(
    "case", ["fft(z)", "ifft(z, 5)", "irfft(z)", "irfft(z, 5)", "hfft(z, 4)", "fft2(z.reshape(2, 2))"]
)
def test_the_gradient_by_a_complex_signal_is_pytorchs(case):
    def loss(z):
        y = eval(case, NUMPYS, {"z": z})
        return (abs(y) ** 2 * np.arange(1.0, np.size(y) + 1).reshape(y.shape)).sum()

    z = np.array([0.5 + 1j, -0.3, 0.2 - 0.7j, 1.1j])
    np.testing.assert_allclose(sg.grad(loss)(z), gradient(loss, z), rtol=1e-8, atol=1e-8)  # d/dRe + i d/dIm


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "irfft2", "rfftn"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int64])
def test_dtypes_are_numpys_and_gradients_have_the_signals(name, dtype):
    a = np.arange(12.0).reshape(3, 4).astype(dtype)
    if dtype is np.complex64 and name in ("rfft", "ihfft", "rfftn"):
        with pytest.raises(sg.DTypeError, match="expects a real input tensor, but got ComplexFloat"):
            NUMPYS[name](sg.tensor(a))
        return
    x = sg.tensor(a, requires_grad=dtype is not np.int64)
    y = NUMPYS[name](x)
    np.testing.assert_allclose(y.detach().numpy(), NUMPYS[name](a), rtol=1e-5, atol=1e-5)
    assert y.dtype == NUMPYS[name](a).dtype
    if dtype is not np.int64:
        y.abs().sum().backward()
        assert x.grad.dtype == x.dtype


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_transforms_run_on_a_batch_at_once_and_in_forward_mode(name, dim):
    rng = np.random.default_rng(0)
    xs, v = rng.normal(size=(2, 3, 4, 5)), rng.normal(size=(2, 3, 4, 5))[0]
    f = lambda x: getattr(sg.fft, name)(x, dim=dim)
    mapped = sg.vmap(f)
    np.testing.assert_allclose(mapped(xs), np.stack([f(x) for x in xs]), atol=1e-15)
    assert "one by one" not in mapped.plan(xs)
    y, dy = sg.jvp(f, (xs[0],), (v,))
    np.testing.assert_allclose(y, f(xs[0]), atol=1e-15)
    np.testing.assert_allclose(dy, f(v), atol=1e-15)


def test_a_jacobian_is_the_matrix_of_the_transform():
    F = np.fft.fft(np.eye(5))
    np.testing.assert_allclose(sg.jacobian(lambda x: np.fft.fft(x).real)(np.ones(5)), F.real, atol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(lambda x: np.fft.rfft(x).imag)(np.ones(5)), F.imag[:3], atol=1e-12)


def test_the_hessian_of_a_spectrums_energy_is_parsevals():
    x, energy, fourth = POSITIVE[:5], *(lambda x, p=p: (abs(np.fft.fft(x)) ** p).sum() for p in (2, 4))
    np.testing.assert_allclose(sg.hessian(energy)(x), 10 * np.eye(5), atol=1e-12)
    np.testing.assert_allclose(sg.hvp(fourth, x, x), 3 * sg.grad(fourth)(x))  # Euler's theorem


def test_formulas_name_transforms_and_their_gradients():
    x = sg.tensor(POSITIVE[:4], requires_grad=True, name="x")
    assert str(sg.fft.rfft(x).formula()) == "rfft(x, norm='backward')"
    y = (abs(sg.fft.rfft(x)) ** 2).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    np.testing.assert_allclose(g.formula()(), g.detach().numpy())
    assert "fft(x" in str(sg.formula(lambda x: abs(sg.fft.fft(x)), sg.symbol("x", "n")))


@pytest.mark.parametrize(
    ("run", "error", "words"),
    [
        (lambda x: np.fft.fft(x, 0), ValueError, "Invalid number of data points (0) specified"),
        (lambda x: np.fft.irfft(x[:1]), ValueError, "irfft: Invalid number of data points (0)"),
        (lambda x: np.fft.fft(x[:0]), ValueError, "fft: Invalid number of data points (0)"),
        (lambda x: np.fft.fft(x, norm="no"), ValueError, "fft: the norm is 'backward', 'ortho' or 'forward', not 'no'"),
        (lambda x: np.fft.fft(x, axis=1), IndexError, "Dimension out of range"),
        (lambda x: np.fft.fft(x.sum()), sg.ShapeError, "fft is along a dimension, and a number has none"),
        (lambda x: np.fft.fft2(x), IndexError, "Dimension out of range"),
        (lambda x: np.fft.fftn(x, s=(2, 3), axes=(0,)), ValueError, "fftn: Shape and axes have different lengths."),
        (lambda x: np.fft.rfftn(x, axes=()), ValueError, "rfftn: at least 1 axis must be transformed"),
        (lambda x: np.fft.fft(x, out=np.zeros(4, complex)), TypeError, "np.fft.fft on tensors does not take out="),
    ],
)  # fmt: skip
def test_what_cannot_be_transformed_is_refused_in_words(run, error, words):
    with pytest.raises(error) as caught:
        run(sg.tensor(POSITIVE[:4], requires_grad=True))
    assert words in str(caught.value)


def test_transforms_of_torchs_write_to_out():
    out = sg.zeros(4, dtype=sg.complex128)
    assert sg.fft.fft(sg.arange(4.0), out=out) is out
    np.testing.assert_array_equal(out.numpy(), np.fft.fft(np.arange(4.0)))


def test_memory_layout_and_large_arrays_do_not_matter():
    a = np.random.default_rng(0).normal(size=(300, 400))
    for view in (a[::-1, ::2], a.T, a[:, ::-3]):
        assert_recorded(np.fft.fft2(sg.asarray(view, requires_grad=True)), np.fft.fft2(view))
