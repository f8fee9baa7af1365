"""Cases of scipy.sparse: arrays of nine entries that move, and what is computed of them."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

A = "spa.csc_array((np.concatenate([3 + p, 3 + q[:1], z[:4]]), ([0, 1, 2, 3, 4, 0, 2, 4, 4], [0, 1, 2, 3, 4, 3, 1, 0, 0])), shape=(5, 5))"
SYMMETRIC = "spa.coo_array((np.concatenate([3 + p, u, u]), ([0, 1, 2, 3, 0, 0, 1, 1, 2, 3], [0, 1, 2, 3, 1, 2, 3, 0, 0, 1])), shape=(4, 4))"

CASES = """
spa.coo_array((v, ([0, 1, 2, 0], [1, 0, 2, 1])), shape=(3, 4)) @ w | ARRAY @ z[:5] | ARRAY @ z[:10].reshape(5, 2) | z[:5] @ ARRAY | ARRAY.T @ z[:5] | ARRAY.transpose() @ z[3:8]
spa.csr_array((v, [1, 0, 2, 3], [0, 1, 3, 4]), shape=(3, 4)) @ w | spa.csr_array((v, ([0, 1, 2, 0], [1, 0, 2, 1]))).toarray() | spa.diags_array([v, u], offsets=[0, 1]) @ w | spa.diags_array([v[:1], w], offsets=[3, 0], shape=(4, 4)).toarray()
ARRAY.toarray() | ARRAY.diagonal() | ARRAY.dot(z[2:7]) | ARRAY.dot(z[:10].reshape(5, 2)) | (2 * ARRAY - ARRAY.T) @ z[:5]
spl.spsolve(ARRAY, z[:5]) | spl.spsolve(ARRAY, z[:10].reshape(5, 2)) | spl.splu(ARRAY).solve(z[:5]) | spl.splu(ARRAY).solve(z[5:10], "T") | spl.factorized(ARRAY)(z[:5])
spl.cg(SYMMETRIC, w, rtol=1e-13)[0] | spl.minres(SYMMETRIC, w, rtol=1e-13)[0] | spl.gmres(ARRAY, z[:5], rtol=1e-13)[0] | spl.cg(np.diag(p) + 9 * np.eye(4), w, rtol=1e-13)[0]
(s * ARRAY) @ (z[0] * ARRAY.T) @ z[:5] | ARRAY.copy().asformat("csr").conj() @ z[3:8] | ARRAY.multiply(z[:5]).sum(0) | (s * ARRAY).multiply(ARRAY).sum(1) | ARRAY.power(2) @ z[:5] | (ARRAY @ ARRAY).trace() + ARRAY.sum()
spa.diags(v) @ w | spa.diags([v, u], [0, 1]) @ w | spa.spdiags(z[:12].reshape(3, 4), [0, 1, -1], 4, 4) @ w | spa.dia_array((z[:12].reshape(3, 4), [0, 1, -1]), shape=(4, 4)) @ w | spa.dia_matrix((z[4:16].reshape(3, 4), [0, 2, -1]), shape=(4, 4)) @ w
spa.coo_matrix((v, ([0, 1, 2, 0], [1, 0, 2, 1])), shape=(3, 4)) @ w | spa.csr_matrix((v, [1, 0, 2, 3], [0, 1, 3, 4]), shape=(3, 4)) @ w | spa.csc_matrix((v, ([0, 1, 2, 0], [1, 0, 2, 1])), shape=(3, 4)) @ w
spa.vstack([ARRAY, s * ARRAY]) @ z[:5] | spa.hstack([ARRAY, s * ARRAY]) @ z[:10] | spa.bmat([[ARRAY, None], [spa.diags(z[:5]), ARRAY]]) @ z[:10] | spa.block_array([[ARRAY, s * ARRAY]]) @ z[:10] | spa.block_diag([ARRAY, ARRAY.T]) @ z[:10]
spa.tril(ARRAY, -1) @ z[:5] | spa.triu(ARRAY) @ z[:5] | spa.kron(ARRAY, spa.diags(u)) @ z[:15] | spa.kronsum(ARRAY, spa.diags(u)) @ z[:15]
""".replace("ARRAY", A).replace("SYMMETRIC", SYMMETRIC)

SET_ASIDE = ""
