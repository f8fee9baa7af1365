"""Cases of scipy.linalg. The second text was set aside while the mirror was written."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

CASES = """
L.solve(S, u) | L.solve(P, A, assume_a="pos") | L.solve(H, u, assume_a="sym") | L.solve(Q, u)
L.solve(np.tril(S), u, assume_a="lower triangular") | L.solve(K, u)
L.solve_triangular(S, A) | L.solve_triangular(S, u, lower=True) | L.solve_triangular(S, u, trans=1)
L.solve_triangular(K, A, trans=2, lower=True) | L.solve_triangular(S, u, unit_diagonal=True)
L.solve_banded((1, 1), b3, u) | L.solve_banded((1, 2), b4, W) | L.solve_banded((1, 1), b3 + 1j * G, A)
L.solveh_banded(b3[1:] + 3 * np.array([[1.0], [0.0]]), u, lower=True)
L.solve_toeplitz(p + np.array([6, 0, 0, 0]), v) | L.solve_toeplitz((p + np.array([6, 0, 0, 0]), w), W)
np.tril(L.cho_factor(P, lower=True)[0]) | np.triu(L.cho_factor(P)[0]) | L.cho_solve(L.cho_factor(P), u)
L.cho_solve((S, True), A) | L.cho_solve(L.cho_factor(J), u) | L.cholesky(P) | L.cholesky(P, lower=True)
L.lu(S) | L.lu(A) | L.lu(T, permute_l=True) | L.lu(S, p_indices=True)
L.lu_factor(S)[0] | L.lu_solve(L.lu_factor(S), u) | L.lu_solve(L.lu_factor(K), u, trans=2)
L.qr(S) | L.qr(T, mode="economic") | L.qr(A) | L.svd(S) | L.svd(T, full_matrices=False)
L.svd(A, compute_uv=False) | L.svdvals(T) | L.eigh(H)[1] ** 2 | L.eigh(H, M)[1] ** 2 | L.eigh(H, M)[0] | L.eigvalsh(H) | L.eigh(H, eigvals_only=True)
L.eigh(H, M, subset_by_index=[1, 2])[1] ** 2 | L.eigvals(K) | L.eig(S)[0] | np.abs(L.eig(K)[1])
L.expm(N) | L.expm(0.1 * Q) | L.expm(K) | L.expm(np.zeros((2, 2)) + z[0])
L.logm(P) | L.logm(L.expm(0.3 * N)) | L.logm(K) | L.sqrtm(P) | L.sqrtm(K)
L.solve_sylvester(S, G + 5 * np.eye(3), A[:, :3]) | L.solve_sylvester(K, G + (4 + 0j) * np.eye(3), R) | L.solve_continuous_lyapunov(S, G)
L.solve_discrete_lyapunov(0.2 * S, G) | L.solve_continuous_are(N, G, P, M) | L.solve_discrete_are(0.4 * N, G, P, M)
L.block_diag(A, S, u) | L.toeplitz(u) | L.toeplitz(u, v) | L.toeplitz(C[0], C[1]) | L.khatri_rao(A, W)
L.norm(A) | L.norm(S, 2) | L.norm(S, "nuc") | L.norm(B, axis=(0, 2)) | L.norm(u, 1) | L.norm(v, 3, keepdims=True)
L.lstsq(T, v)[0] | L.lstsq(T, W)[:2] | L.lstsq(T, v)[3] | L.lstsq(T, B[:, :, :3].transpose(0, 2, 1)[:, [0, 1, 2, 0]])[:2] | L.pinv(A) | L.pinv(T) | L.pinvh(P) | L.inv(S) | L.inv(Q) | L.det(S) | L.det(Q)
L.schur(S + np.diag([0.0, 6, 12])) | np.abs(L.schur(K)[1]) | np.abs(L.schur(S, output="complex")[0]) | L.schur(P)
L.ldl(P)[:2] | L.ldl(P, lower=False)[:2]
L.ldl(QP)[:2] | L.solve_discrete_lyapunov(0.2 * Q, G) | L.solve_continuous_are(N, G, QP, M) | L.block_diag(Q, A)
L.solve_continuous_lyapunov(Q, QP) | L.solve_sylvester(Q, M, G) | L.toeplitz(A) | L.expm(0.1 * Q.reshape(2, 1, 3, 3))
L.solve_banded((1, 1), np.stack([b3, 2 * b3]), u) | L.solve_toeplitz(p + np.array([6, 0, 0, 0]), W) | L.khatri_rao(Q, G)
L.eig(S, M, right=False) | L.eigvals(S, M) | L.eigvals(K, M) | L.eigvals(Q, M) | L.eigvals(N, K) | L.solve_continuous_are(0.1 * N, 0.3 * G, M, P + np.eye(3), e=np.eye(3) + 0.1 * R, s=0.1 * G) | L.solve_continuous_are(N, G, M, P, e=np.eye(3) + 0.1 * R, balanced=False)
L.solve_discrete_are(0.4 * N, G, P + 9 * np.eye(3), M, e=np.eye(3) + 0.1 * R, balanced=False) | L.solve_discrete_are(np.stack([0.4 * N, 0.3 * N]), G, P + 9 * np.eye(3), M, e=np.eye(3) + 0.1 * R, s=0.1 * G, balanced=False)
"""

SET_ASIDE = """
L.solve(S, A) | L.solve(P, u, assume_a="pos", lower=True) | L.solve(J, u, assume_a="her") | L.solve(Q, B[:, :, :2])
L.solve(np.triu(S), A, assume_a="upper triangular") | L.solve(S, u, transposed=True) | L.solve(K, C)
L.solve_triangular(Q, u) | L.solve_triangular(K, u, trans=1) | L.solve_triangular(S, A, lower=True, unit_diagonal=True)
L.solve_banded((2, 1), b4[[0, 1, 2, 3]] + 5 * np.eye(4)[:, [1]], w) | L.solve_banded((0, 2), b3 + 9 * np.eye(3)[:, [2]], A)
L.solve_banded((0, 0), b3[1:2], u) | L.solveh_banded(b3[:2] + 3 * np.array([[0.0], [1.0]]), A)
L.solve_toeplitz(np.array([6.0, 0, 0, 0]) + C[0], w) | L.solve_toeplitz((p + np.array([6, 0, 0, 0]), 1j * w), v)
L.cho_solve(L.cho_factor(QP), u) | L.cho_solve((S, False), u) | L.cho_solve((K, True), A) | L.cholesky(J)
L.cholesky(QP, lower=True) | L.lu(T) | L.lu(K) | L.lu(Q) | L.lu(A, permute_l=True)
L.lu_solve(L.lu_factor(S), A, trans=1) | L.lu_solve(L.lu_factor(Q), B) | L.lu_solve(L.lu_factor(K), A, trans=1)
L.qr(A, mode="economic") | L.qr(Q) | L.svd(A, full_matrices=False) | L.svdvals(Q) | L.eigh(H, lower=False)[1] ** 2
L.eigh(QP)[1] ** 2 | np.abs(L.eigh(J)[1]) ** 2 | L.eigvalsh(H, M) | L.eigvalsh(P, subset_by_index=[0, 1]) | L.eigh(P, subset_by_index=[0, 0])[1] ** 2
L.eig(S + np.diag([0.0, 3, 6])) | L.eigvals(Q) | L.expm(S) | L.expm(A[:, :3] * 5)
L.expm(np.diag(u)) | L.logm(S @ S) | L.logm(QP) | L.sqrtm(S @ S) | L.sqrtm(QP) | L.sqrtm(J)
L.solve_sylvester(P, W @ W.T, A) | L.solve_sylvester(S + 0j, K, C[:, :3]) | L.solve_continuous_lyapunov(K, G)
L.solve_discrete_lyapunov(0.2 * K, G) | L.solve_discrete_lyapunov(0.2 * S, G, method="bilinear")
L.solve_continuous_are(N, G[:, :2], P, M[:2, :2]) | L.solve_discrete_are(0.4 * N, G[:, :1], P, M[:1, :1])
L.solve_continuous_are(N, G, P + 9 * np.eye(3), M, s=0.1 * S) | L.solve_discrete_are(0.4 * N, G, P + 9 * np.eye(3), M, s=0.1 * S)
L.block_diag(s, C, [1.0, 2.0]) | L.toeplitz(C[0]) | L.toeplitz(u, np.array([9.0, 1.0, 2.0])) | L.khatri_rao(S, A[:, :3])
L.norm(A, "fro") | L.norm(S, -2) | L.norm(S, inf) | L.norm(C) | L.norm(A, 1, axis=1) | L.norm(S, 1, keepdims=True)
L.lstsq(A, u)[0] | L.lstsq(T, u @ A)[:2] | L.pinv(C) | L.pinv(A, rtol=1e-9) | L.inv(K) | L.det(K)
L.schur(W @ W.T + np.diag([0.0, 20, 40, 60])) | L.schur(QP) | np.abs(L.schur(K)[0]) | L.schur(0.2 * A[:, :3] + np.diag([9.0, 0, -9]))[0]
np.abs(L.schur(Q, "complex")[1]) | L.ldl(H + 9 * np.eye(3))[:2] | L.circulant(u) | L.hankel(u, v)
"""
