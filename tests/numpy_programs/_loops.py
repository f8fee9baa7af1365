"""Loops, conditions and functions within functions."""

from ._judge import Case

CASES = [
    Case(
        "lennard jones pairs",
        """
        E = 0.0
        n = len(x)
        for i in range(n):
            for j in range(i + 1, n):
                rij = x[i] - x[j]
                r = np.sqrt(np.dot(rij, rij))
                E += 4.0 * ((1 / r) ** 12 - (1 / r) ** 6)
        return E
        """,
        x="np.array([[0.,0.,0.],[1.1,.1,.2],[.3,1.2,-.1],[.9,.8,1.]])",
    ),
    Case(
        "rosenbrock generator",
        """
        return sum(100.0 * (b - a ** 2) ** 2 + (1 - a) ** 2 for a, b in zip(x[:-1], x[1:]))
        """,
        x="np.array([-.9,1.1,.6,.4])",
    ),
    Case(
        "binomial tree put",
        """
        S, sigma, r = x
        K, T, n = 105.0, 0.5, 12
        dt = T / n
        u = np.exp(sigma * np.sqrt(dt))
        p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
        j = np.arange(n + 1)
        v = np.maximum(K - S * u ** (n - 2.0 * j), 0)
        for i in range(n - 1, -1, -1):
            v = np.exp(-r * dt) * (p * v[:-1] + (1 - p) * v[1:])
            s = S * u ** (i - 2.0 * np.arange(i + 1))
            v = np.maximum(v, K - s)
        return v[0]
        """,
        x="np.array([100.,.25,.03])",
    ),
    Case(
        "monte carlo asian",
        """
        s0, vol, mu = x
        payoff = np.zeros(len(Z))
        for i, z in enumerate(Z):
            s = s0
            path = []
            for e in z:
                s = s * np.exp((mu - vol ** 2 / 2) * 0.25 + vol * 0.5 * e)
                path.append(s)
            payoff[i] = max(np.mean(path) - 0.9, 0)
        return payoff.mean()
        """,
        x="np.array([1.,.3,.02])",
        given="Z = np.random.default_rng(3).standard_normal((6, 4))",
        plain=False,
    ),
    Case(
        "newton kepler",
        """
        ecc, M = x
        E = M
        for _ in range(8):
            E = E - (E - ecc * np.sin(E) - M) / (1 - ecc * np.cos(E))
        nu = 2 * np.arctan(np.sqrt((1 + ecc) / (1 - ecc)) * np.tan(E / 2))
        return nu ** 2 + E
        """,
        x="np.array([.7,1.3])",
    ),
    Case(
        "while until converged",
        """
        a, g = 1.0, x
        it = 0
        while abs(a - g) > 1e-12 and it < 50:
            a, g = (a + g) / 2, np.sqrt(a * g)
            it += 1
        return np.pi / (2 * a)
        """,
        x="2.7",
    ),
    Case(
        "pairwise distance matrix",
        """
        n = x.shape[0]
        D = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                D[i, j] = np.sum((x[i] - x[j]) ** 2)
        J = np.eye(n) - 1.0 / n
        B = -0.5 * J @ D @ J
        return np.linalg.eigvalsh(B)[-1] + np.median(D[np.triu_indices(n, 1)])
        """,
        x="np.array([[.1,.5],[1.3,.2],[.8,1.9]])",
        plain=False,
        by_jacobian=True,
    ),
    Case(
        "convolve2d by hand",
        """
        kh, kw = x.shape
        out = np.zeros((img.shape[0] - kh + 1, img.shape[1] - kw + 1))
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = np.sum(img[i:i + kh, j:j + kw] * x)
        pooled = out[:2, :4].reshape(1, 2, 2, 2).max(axis=(1, 3))
        return (out ** 2).mean() + pooled.sum()
        """,
        x="np.array([[.2,-.5,.1],[.7,1.,-.3],[.4,.6,-.8]])",
        given="img = np.cos(np.arange(30.0)).reshape(5, 6)",
        plain=False,
    ),
    Case(
        "cubic bspline basis",
        """
        t = np.arange(-3, 6, dtype=float)
        grid = [0.2, 0.8, 1.5]
        out = np.empty(len(grid))
        for m, u in enumerate(grid):
            k = int(np.floor(u)) + 3
            d = [x[j + k - 3] for j in range(4)]
            for r in range(1, 4):
                for j in range(3, r - 1, -1):
                    al = (u - t[j + k - 3]) / (t[j + 1 + k - r] - t[j + k - 3])
                    d[j] = (1 - al) * d[j - 1] + al * d[j]
            out[m] = d[3]
        return np.sum(out ** 2) + out[0] * out[2]
        """,
        x="np.array([.2,.7,1.4,.9,.3])",
        plain=False,
    ),
    Case(
        "kmeans one step",
        """
        centres = x[[0, 2]]
        for _ in range(3):
            lab = np.array([np.argmin([np.sum((p - c) ** 2) for c in centres]) for p in x])
            centres = np.array([x[lab == k].mean(axis=0) for k in range(2)])
        return sum(np.sum((p - centres[l]) ** 2) for p, l in zip(x, lab))
        """,
        x="np.array([[.1,.2],[.3,-.1],[2.,1.8],[2.2,2.1],[1.9,2.3]])",
    ),
    Case(
        "ndenumerate reduce",
        """
        s = 0
        for (i, j), v in np.ndenumerate(x):
            s += (i + 2 * j + 1) * v ** 2
        run = list(accumulate(x.ravel(), lambda a, b: 0.5 * a + b))
        prod = reduce(lambda a, b: a * b, x[0])
        return s + run[-1] ** 3 + prod + max(x[:, 1]) - min(x[1]) + sorted(x.ravel())[2]
        """,
        x="np.array([[.4,1.2],[-.6,.9]])",
        given="""
        from functools import reduce
        from itertools import accumulate
        """,
    ),
    Case(
        "branch on values",
        """
        if not np.all(np.isfinite(x)):
            return np.inf
        total = 0.0
        for k, v in enumerate(x):
            if v > 1 and k % 2 == 1:
                total += np.log(v)
            elif v < 0:
                total -= v ** 3
            else:
                total += v / (1 + abs(v))
        return total * np.linalg.norm(x)
        """,
        x="np.array([.6,1.7,-.9])",
    ),
]
