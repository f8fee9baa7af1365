"""Arrays that are put together from pieces: lists of numbers and arrays, stacks, blocks and grids."""

from ._judge import Case

CASES = [
    Case(
        "a rotation matrix fitted to points",
        """
        angle, scale, *shift = x
        c, s = np.cos(angle), np.sin(angle)
        R = np.array([[c, -s], [s, c]])
        moved = scale * (points @ R.T) + np.array(shift)
        return ((moved - target) ** 2).sum()
        """,
        given="points = rng.normal(size=(5, 2)); target = rng.normal(size=(5, 2))",
        x="np.array([0.4, 1.2, 0.1, -0.3])",
    ),
    Case(
        "comprehensions over an array",
        """
        squares = np.array([t**2 for t in x])
        waves = np.array(list(map(np.sin, x)))
        table = np.array([[t**k for k in range(3)] for t in x[:2]])
        return squares.sum() * waves.sum() + (table @ weights).prod() + np.sum([t * u for t, u in zip(x, squares)])
        """,
        given="weights = np.array([1.0, -0.5, 0.25])",
        x="rng.normal(size=3)",
    ),
    Case(
        "reductions of lists",
        """
        a, b, c = x
        total = np.sum([a, b]) * np.sum((b, c, 2.0)) + np.prod([a, b, c])
        return total + np.max([a**2, b**2]) + np.min((c, 10.0)) + np.dot([1.0, 2.0], [a, c]) + max(a, b) * min(b, c)
        """,
        x="rng.normal(size=3)",
    ),
    Case(
        "parameters joined with constants",
        """
        theta = np.hstack([x, [1.0, 2.0]])
        padded = np.concatenate([[0.5], x**2, np.zeros(2)])
        longer = np.append(np.insert(x, 1, x[0] * x[2]), 1.0)
        lags = (padded[1:] * padded[:-1]).sum()
        return (theta * weights).sum() + lags + (longer**2).sum() + np.delete(theta, 3).prod()
        """,
        given="weights = np.arange(5.0)",
        x="rng.normal(size=3)",
    ),
    Case(
        "a function that makes sure of an array",
        """
        y = np.asarray(x)
        z = np.array(x)
        z[0] = 1.0
        return (np.atleast_1d(y[0]) * y).sum() + np.ascontiguousarray(x)[-1] * np.asanyarray(y).max() + (z**2).sum()
        """,
        x="rng.normal(size=4)",
    ),
    Case(
        "a function that makes sure of floats",
        """
        y = np.asarray(x, dtype=float)
        z = np.array(y, dtype=np.float64, copy=True, ndmin=2)
        z -= z.mean(axis=1, keepdims=True)
        return np.logaddexp(y[:-1], y[1:]).sum() + np.linalg.norm(z)
        """,
        x="rng.normal(size=3)",
        plain=False,
    ),
    Case(
        "full of one value",
        """
        sigma = np.full(3, x[0])
        K = np.full((2, 2), x[1]) + np.full_like(x[:2], x[2]) * np.eye(2)
        return (np.array([1.0, 2.0, 3.0]) ** 2 / sigma**2).sum() + (K * K.T).sum() * K[0, 0] + 3 * np.log(sigma[0])
        """,
        x="np.array([0.7, 0.3, 1.4])",
    ),
    Case(
        "rows and columns by r_ and c_",
        """
        w = np.r_[1.0, x]
        X = np.c_[np.ones(4), t, x[0] * t**2]
        ends = np.r_[x[:1], 0, 0, x[1:], 1:3]
        return ((X @ w[:3] - y) ** 2).sum() + (ends[::-1] * ends).sum() + (np.c_[x, x**2].T @ x).prod()
        """,
        given="t = np.linspace(0, 1, 4); y = np.cos(t)",
        x="rng.normal(size=3)",
    ),
    Case(
        "a KKT system in blocks",
        """
        KKT = np.block([[Q + np.diag(x[:3] ** 2), A.T], [A, np.zeros((1, 1))]])
        solution = np.linalg.solve(KKT, np.concatenate([-c * x[3], [1.0]]))
        return solution[:3] @ Q @ solution[:3] + solution[3]
        """,
        given="Q = np.diag([1.0, 2.0, 3.0]); A = np.ones((1, 3)); c = np.array([0.5, -1.0, 0.2])",
        x="rng.normal(size=4)",
    ),
    Case(
        "design matrices by stack and column_stack",
        """
        X = np.column_stack([np.ones(5), x, x**2])
        beta = np.linalg.lstsq(X, y, rcond=None)[0]
        curve = np.stack([x, np.sin(x)], axis=-1)
        image = np.dstack([np.vstack([x, y]), np.vstack((y, 2 * x))])
        return beta @ beta + np.linalg.norm(np.diff(curve, axis=0), axis=1).sum() + (image[0] * image[1]).sum()
        """,
        given="y = np.array([1.0, 0.5, -0.3, 0.8, 2.0])",
        x="np.array([-1.0, -0.4, 0.3, 0.9, 1.7])",
    ),
    Case(
        "the arm of a robot and its manipulability",
        """
        q1, q2, q3 = q
        a, b, c = q1, q1 + q2, q1 + q2 + q3
        tip = np.array([np.cos(a) + 0.8 * np.cos(b) + 0.5 * np.cos(c), np.sin(a) + 0.8 * np.sin(b) + 0.5 * np.sin(c)])
        J = np.array([
            [-np.sin(a) - 0.8 * np.sin(b) - 0.5 * np.sin(c), -0.8 * np.sin(b) - 0.5 * np.sin(c), -0.5 * np.sin(c)],
            [np.cos(a) + 0.8 * np.cos(b) + 0.5 * np.cos(c), 0.8 * np.cos(b) + 0.5 * np.cos(c), 0.5 * np.cos(c)],
        ])
        return np.sqrt(np.linalg.det(J @ J.T)) + np.linalg.norm(tip - [1.0, 0.5]) ** 2
        """,
        x="np.array([0.3, 0.9, -0.5])",
        arg="q",
        plain=False,
    ),
    Case(
        "Denavit-Hartenberg transforms in a chain",
        """
        T = np.eye(4)
        for theta, (d, a, alpha) in zip(q, links):
            ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
            T = T @ np.array([
                [ct, -st * ca, st * sa, a * ct],
                [st, ct * ca, -ct * sa, a * st],
                [0, sa, ca, d],
                [0, 0, 0, 1],
            ])
        error = T[:3, 3] - np.array([0.4, 0.2, 0.6])
        return error @ error + np.trace(T[:3, :3])
        """,
        given="links = [(0.3, 0.0, np.pi / 2), (0.0, 0.5, 0.0), (0.1, 0.4, -0.7)]",
        x="np.array([0.2, -0.6, 1.1])",
        arg="q",
    ),
    Case(
        "a history kept in a list",
        """
        level, history = x[0], []
        for shock in x[1:]:
            level = 0.8 * level + np.tanh(shock)
            history.append(level)
        path = np.array(history)
        halves = np.mean([path[0], path[1]]) * np.mean([path[2], path[3], 1.0])
        return np.mean(path**2) + np.diff(path).prod() + np.std(path) + np.cumsum(path)[-2] + halves
        """,
        x="rng.normal(size=5)",
        plain=False,
    ),
    Case(
        "an average of outer products from a list of arrays",
        """
        scatter = np.array([np.outer(row, row) for row in X - X.mean(axis=0)]).mean(axis=0)
        stacked = np.array([X, X**2, np.ones_like(X)])
        size = sum(row @ row for row in X)
        return (scatter**2).sum() + (stacked.sum(axis=1) * weights).sum() + sum(X).prod() * size
        """,
        given="weights = rng.normal(size=(3, 2))",
        x="rng.normal(size=(4, 2))",
        arg="X",
    ),
    Case(
        "a covariance from standard deviations and a correlation",
        """
        s1, s2, rho = np.exp(x[0]), np.exp(x[1]), np.tanh(x[2])
        D = np.diag([s1, s2])
        S = D @ np.array([[1, rho], [rho, 1]]) @ D
        L = np.linalg.cholesky(S)
        z = np.linalg.solve(L, data.T)
        return 0.5 * (z**2).sum() + data.shape[0] * np.log(np.diag(L)).sum()
        """,
        given="data = rng.normal(size=(6, 2))",
        x="np.array([0.1, -0.2, 0.4])",
        plain=False,
    ),
    Case(
        "polynomials of coefficients in a list",
        """
        a, b, c = x
        values = np.polyval([a, b, c, 1.0], t)
        slope = np.polyval(np.polyder([a, b, c]), t)
        product = np.polymul([1.0, a], [b, c])
        return (values**2).mean() + slope @ slope + np.polyval(product, a)
        """,
        given="t = np.linspace(-1, 1, 5)",
        x="rng.normal(size=3)",
    ),
    Case(
        "principal stresses of a stress tensor",
        """
        sxx, syy, szz, txy, tyz, tzx = x
        stress = np.array([[sxx, txy, tzx], [txy, syy, tyz], [tzx, tyz, szz]])
        s3, s2, s1 = np.linalg.eigvalsh(stress)
        von_mises = np.sqrt(0.5 * ((s1 - s2) ** 2 + (s2 - s3) ** 2 + (s3 - s1) ** 2))
        return von_mises + (s1 - s3) / 2 + np.linalg.norm([txy, tyz, tzx])
        """,
        x="np.array([3.0, 1.0, -1.0, 0.5, 0.2, -0.4])",
        plain=False,
        by_jacobian=True,
    ),
    Case(
        "the length of a curve given by two formulas",
        """
        a, b = x
        curve = np.array((a * np.cos(t), b * np.sin(t)))
        steps = np.diff(curve, axis=1)
        area = 0.5 * np.sum(curve[0, :-1] * steps[1] - curve[1, :-1] * steps[0])
        return np.sqrt((steps**2).sum(axis=0)).sum() / area
        """,
        given="t = np.linspace(0, 2 * np.pi, 9)",
        x="np.array([1.5, 0.8])",
    ),
    Case(
        "grids made of parameters",
        """
        t = np.linspace(x[0], x[1], 4)
        r = np.geomspace(x[2], 2.0, 3) + np.arange(3) * x[0]
        T, R = np.meshgrid(t, r, indexing="ij")
        return (np.sin(T) * R**2).sum() + np.tile(x, (2, 1))[1].prod() + np.broadcast_to(x[1], (2, 2)).sum() * t.mean()
        """,
        x="np.array([0.2, 1.3, 0.7])",
    ),
    Case(
        "a spline through heights in a list",
        """
        left, middle, right = x
        heights = np.interp(t, [0.0, 0.5, 1.0], [left, middle, right])
        turn = np.cross([left, middle, 1.0], [right, 0.5, middle])
        return np.trapezoid(heights**2, t) + np.linalg.norm(turn)
        """,
        given="t = np.linspace(0, 1, 7)",
        x="rng.normal(size=3)",
        plain=False,
    ),
    Case(
        "rotate points",
        """
        c, s = np.cos(theta), np.sin(theta)
        R = np.array([[c, -s], [s, c]])
        return np.sum((P @ R.T - Q) ** 2)
        """,
        x="0.7",
        given="""
        P = np.array([[1., 0.], [.5, 2.], [-1., .3]])
        Q = np.array([[.8, .6], [-.9, 1.9], [-1., -.2]])
        """,
        arg="theta",
    ),
    Case(
        "dh forward kinematics",
        """
        T = np.eye(3)
        for q, l in zip(x, a):
            T = T @ link(q, l)
        tip = T[:2, 2]
        return np.sum((tip - np.array([1.2, 0.9])) ** 2)
        """,
        x="np.array([.4,-.7,1.1])",
        given="""
        a = [1.0, 0.8, 0.5]

        def link(q, length):
            return np.array([[np.cos(q), -np.sin(q), length * np.cos(q)],
                             [np.sin(q), np.cos(q), length * np.sin(q)],
                             [0.0, 0.0, 1.0]])
        """,
    ),
    Case(
        "lotka volterra euler",
        """
        a, b, c, d = x
        z = np.array([10.0, 5.0])
        dt = 0.01
        for _ in range(40):
            dz = np.array([a * z[0] - b * z[0] * z[1], d * z[0] * z[1] - c * z[1]])
            z = z + dt * dz
        return z[0] * 0.3 + z[1] ** 2
        """,
        x="np.array([1.1,.4,.4,.1])",
    ),
    Case(
        "stacked features",
        """
        Phi = np.stack([x, x ** 2, np.tanh(x)], axis=-1)
        low = np.vstack((x, np.cos(x)))
        cube = np.dstack((x, x ** 2))
        return ((Phi @ B) ** 2).sum() + (low[0] * low[1]).sum() + cube.mean()
        """,
        x="np.array([.3,-1.,.8,1.9])",
        given="B = np.array([.5, -1.2, .3])",
    ),
    Case(
        "hstack scalars lists",
        """
        beta = np.hstack([1.0, x, x[0] * x[1]])
        knots = np.concatenate([[0.0], np.cumsum(np.exp(x)), [10.0]])
        return (beta**2).sum() + np.diff(knots).prod()
        """,
        x="np.array([.7,1.4,-.2])",
    ),
    Case(
        "r and c builders",
        """
        full = np.r_[1.0, x, x[::-1] ** 2]
        M = np.c_[x, np.ones(3), np.sqrt(x)]
        return full @ np.arange(7) + (M.T @ M).sum()
        """,
        x="np.array([.5,1.5,2.5])",
    ),
    Case(
        "bordered block matrix",
        """
        K = np.block([[A, x[:, None]], [x[None, :], -np.ones((1, 1))]])
        rhs = np.concatenate([x ** 2, [1.0]])
        return np.linalg.solve(K, rhs).sum()
        """,
        x="np.array([.3,-.8])",
        given="A = np.array([[3., 1.], [1., 2.]])",
    ),
    Case(
        "full of a parameter",
        """
        level = np.full(5, x[0])
        trend = x[1] * np.arange(5)
        y = np.array([1., 2.1, 4.3, 5.8, 7.7])
        return np.sum((y - level - trend) ** 2)
        """,
        x="np.array([.6,1.8])",
    ),
    Case(
        "list of kernel rows",
        """
        ell, sig = x
        K = np.array([[sig ** 2 * np.exp(-0.5 * ((a - b) / ell) ** 2) for b in pts] for a in pts])
        y = np.array([.3, -.1, .7, .2])
        return y @ K @ y + K.sum()
        """,
        x="np.array([.5,1.3])",
        given="pts = [0.0, 0.4, 1.1, 1.9]",
    ),
    Case(
        "gp marginal from lists",
        """
        ell, sig, noise = x
        K = np.array([[sig ** 2 * np.exp(-0.5 * ((a - b) / ell) ** 2) + (noise if a == b else 0.0) for b in pts]
                      for a in pts])
        return 0.5 * y @ np.linalg.solve(K, y) + 0.5 * np.log(np.linalg.det(K))
        """,
        x="np.array([.5,1.3,.2])",
        given="""
        pts = [0.0, 0.4, 1.1, 1.9]
        y = np.array([.3, -.1, .7, .2])
        """,
        plain=False,
    ),
    Case(
        "bivariate normal cov",
        """
        s1, s2, rho, m1, m2 = x
        S = np.array([[s1 ** 2, rho * s1 * s2], [rho * s1 * s2, s2 ** 2]])
        Si = np.linalg.inv(S)
        d = data - np.array([m1, m2])
        return 0.5 * np.einsum('ij,jk,ik->', d, Si, d) + 0.5 * len(d) * np.log(np.linalg.det(S))
        """,
        x="np.array([1.2,.7,.3,.1,-.2])",
        given="data = np.array([[.5, .1], [-1.2, .4], [.8, -.9], [1.6, .2]])",
        plain=False,
    ),
    Case(
        "forced float dtype",
        """
        p = np.array([x[0], x[1] ** 2, 1 - x[2]], dtype=float)
        q = np.asarray([v * 2 for v in x], dtype=np.float64)
        return p.dot(q) + np.fromiter((np.sin(v) for v in x), dtype=float).sum()
        """,
        x="np.array([.4,2.,1.1])",
        plain=False,
    ),
    Case(
        "abcd ray optics",
        """
        d1, fl, d2 = x
        free = lambda d: np.array([[1.0, d], [0.0, 1.0]])
        lens = np.array([[1.0, 0.0], [-1 / fl, 1.0]])
        M = reduce(np.dot, [free(d2), lens, free(d1)])
        ray = M.dot([0.01, 0.02])
        return 1e3 * (ray ** 2).sum() + (M[0, 0] + M[1, 1]) / 2
        """,
        x="np.array([.1,.25,.4])",
        given="from functools import reduce",
    ),
    Case(
        "boxed identity edit",
        """
        L = np.eye(3)
        L[1, 0] = x[0]
        L[2, :2] = x[1:]
        S = L @ np.diag([1.0, 2.0, 0.5]) @ L.T
        r = np.array([1.0, -1.0, 2.0])
        return r @ np.linalg.inv(S) @ r
        """,
        x="np.array([.3,-.4,.6])",
        plain=False,
    ),
]
