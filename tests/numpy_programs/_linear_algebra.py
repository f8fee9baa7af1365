"""Linear algebra, by NumPy's functions and by hand."""

from ._judge import Case

CASES = [
    Case(
        "gp log marginal",
        """
        ell, sf, sn = np.exp(x)
        K = sf ** 2 * np.exp(-0.5 * (X[:, None] - X[None, :]) ** 2 / ell ** 2) + sn ** 2 * np.eye(len(X))
        L = np.linalg.cholesky(K)
        alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
        return 0.5 * y @ alpha + np.log(np.diag(L)).sum() + 0.5 * len(X) * np.log(2 * np.pi)
        """,
        x="np.array([.1,-.4,.3])",
        given="""
        X = np.array([0., .5, 1.1, 1.8, 2.6])
        y = np.array([.2, .7, .4, -.5, -.9])
        """,
    ),
    Case(
        "gaussian nll precision",
        """
        P = x.T @ x + 0.1 * np.identity(3)
        sign, logdet = np.linalg.slogdet(P)
        return np.trace(S @ P) - sign * logdet + np.linalg.inv(P)[0, 2]
        """,
        x="np.array([[2.,.3,-.2],[.1,1.5,.4],[0.,-.3,1.]])",
        given="S = np.array([[1., .2, .1], [.2, 2., -.3], [.1, -.3, .7]])",
    ),
    Case(
        "graph laplacian fiedler",
        """
        Lap = E.T @ np.diag(x) @ E
        w, v = np.linalg.eigh(Lap)
        return w[1] + 0.3 * w[-1] + (v[:, -1] ** 4).sum()
        """,
        x="np.array([1.,.5,2.,.8,1.3])",
        given="""
        edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
        E = np.zeros((5, 4))
        for k, (i, j) in enumerate(edges):
            E[k, i], E[k, j] = 1, -1
        """,
    ),
    Case(
        "von neumann entropy",
        """
        rho = x.T @ x
        rho = rho / np.trace(rho)
        lam = np.linalg.eigvalsh(rho)
        return -np.sum(lam * np.log(lam))
        """,
        x="np.array([[1.,.3],[-.4,.8],[.2,.6]])",
    ),
    Case(
        "svd truncation",
        """
        U, s, Vt = np.linalg.svd(x, full_matrices=False)
        low = (U[:, :2] * s[:2]) @ Vt[:2]
        return ((x - low) ** 2).sum() + np.linalg.norm(x, 'nuc') + np.abs(low).sum() * 0.1
        """,
        x="np.array([[2.,.3,.1,-.4],[.5,1.4,-.2,.7],[.1,.9,.6,.3]])",
    ),
    Case(
        "ridge pinv lstsq",
        """
        b = np.linalg.pinv(x) @ y
        c, res, rank, sv = np.linalg.lstsq(x, y, rcond=None)
        return (b ** 2).sum() + c[0] * c[1] + res.sum()
        """,
        x="np.array([[1.,.2],[.4,1.3],[2.,-.5],[.7,.9]])",
        given="y = np.array([1., .3, 2.2, .8])",
    ),
    Case(
        "qr loglik",
        """
        Q, R = np.linalg.qr(x)
        fit = Q @ (Q.T @ y)
        return ((y - fit) ** 2).sum() + np.log(np.abs(np.diag(R))).sum()
        """,
        x="np.array([[1.,.5],[.3,1.7],[.9,-.6]])",
        given="y = np.array([.4, 1.1, -.3])",
    ),
    Case(
        "norms of all kinds",
        """
        n = np.linalg.norm
        return n(x) + n(x, 1) + n(x, np.inf) + n(x, 2) + n(x, axis=1).prod() + n(x[0], 3) + n(x, ord=1, axis=0).max()
        """,
        x="np.array([[1.,-2.,.5],[.3,4.,-1.1]])",
    ),
    Case(
        "markov matrix power",
        """
        P = np.exp(x)
        P = P / P.sum(axis=1)[:, np.newaxis]
        P8 = np.linalg.matrix_power(P, 5)
        cost = np.array([1., 5., 2.])
        return np.linalg.multi_dot([np.array([1., 0, 0]), P8, P, cost])
        """,
        x="np.array([[.2,1.,-.3],[.5,-.1,.8],[0.,.4,.6]])",
    ),
    Case(
        "matrix exponential taylor",
        """
        E = expm(x)
        return np.log(np.linalg.det(E)) ** 2 + E[0, 1] * E[1, 0] + np.linalg.cond(E)
        """,
        x="np.array([[.1,-.4],[.7,.2]])",
        given="""
        def expm(A, terms=18):
            out = np.eye(len(A))
            term = np.eye(len(A))
            for k in range(1, terms):
                term = term @ A / k
                out = out + term
            return out
        """,
    ),
    Case(
        "discrete lyapunov kron",
        """
        n = x.shape[0]
        v = np.linalg.solve(np.eye(n * n) - np.kron(x, x), Q.reshape(-1))
        S = v.reshape(n, n)
        return np.trace(S) + np.max(np.abs(np.linalg.eigvals(x)))
        """,
        x="np.array([[.5,.2],[-.3,.4]])",
        given="Q = np.array([[1., .2], [.2, .5]])",
    ),
    Case(
        "companion var filled",
        """
        p = len(x)
        F = np.zeros((p, p))
        F[0, :] = x
        F[1:, :-1] = np.eye(p - 1)
        ev = np.linalg.eigvals(F)
        return np.max(np.abs(ev)) + np.linalg.inv(np.eye(p) - F)[0, 0]
        """,
        x="np.array([.5,-.3,.2])",
        plain=False,
    ),
    Case(
        "tight binding bands",
        """
        t1, t2, m = x
        N = 6
        H = np.zeros((N, N))
        for i in range(N - 1):
            H[i, i + 1] = H[i + 1, i] = t1 if i % 2 == 0 else t2
        for i in range(N):
            H[i, i] = m * (-1) ** i
        e = np.linalg.eigvalsh(H)
        return e[:3].sum() + (e[3] - e[2]) ** 2
        """,
        x="np.array([1.,.6,.3])",
        plain=False,
        by_jacobian=True,
    ),
]
