"""Indices: integers, slices, lists, masks and new axes, for reading and for writing, with NumPy's layout."""

from ._judge import Case

CASES = [
    Case(
        "an integer, a slice and a list in one index",
        """
        a = x[0, :, [0, 2]]
        b = x[:, 1, [0, 2]]
        c = x[[0, 1], :, [1, 2]]
        d = x[:, [0, 1], [1, 2]]
        return (a * weights).sum() + (a @ b).prod() + (c * d[:, :1]).sum() + a[:, 0] @ d[1]
        """,
        given="weights = np.array([[1.0, 2.0], [3.0, 5.0]])",
        x="rng.normal(size=(2, 2, 3))",
    ),
    Case(
        "writes at an integer, a slice and a list",
        """
        y = x.copy()
        y[0, :, [0, 2]] = x[1, :, :2]
        y[1, 0, [1, 2]] *= x[0, 1, 1]
        y[:, 1, [0, 1]] -= x[:, 0, 1:]
        return (y**2 * np.arange(12.0).reshape(2, 2, 3)).sum()
        """,
        x="rng.normal(size=(2, 2, 3))",
    ),
    Case(
        "masks of entries, rows and both",
        """
        inliers = np.abs(x[:, 0]) < 1.5
        good = x[inliers]
        corner = x[inliers, 1] * x[np.ix_(inliers, [0, 2])].sum(axis=1)
        return (good - good.mean(axis=0)).std() + x[x > 0].sum() ** 2 + corner @ corner + x[~(x > 0) & (x > -1)].prod()
        """,
        x="rng.normal(size=(4, 3))",
    ),
    Case(
        "a conditional covariance by ix_",
        """
        S = A @ A.T + np.eye(4)
        known, unknown = [0, 3], [1, 2]
        K = S[np.ix_(unknown, known)] @ np.linalg.inv(S[np.ix_(known, known)])
        conditional = S[np.ix_(unknown, unknown)] - K @ S[np.ix_(known, unknown)]
        S[np.ix_(known, unknown)] *= 0.5
        return np.linalg.det(conditional) + (K @ np.array([1.0, -0.5])).sum() + S[0].prod()
        """,
        x="rng.normal(size=(4, 2))",
        arg="A",
    ),
    Case(
        "negative steps and lags",
        """
        centred = x - x.mean()
        acf = [(centred[k:] * centred[: len(x) - k]).sum() / (centred @ centred) for k in range(1, 4)]
        palindrome = x - x[::-1]
        return sum(r**2 for r in acf) + (palindrome[:3] ** 3).sum() + x[-1:0:-2] @ x[-2::-2] + x[4:1:-1].prod()
        """,
        x="rng.normal(size=6)",
    ),
    Case(
        "pairwise distances by new axes",
        """
        d2 = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=-1)
        i, j = np.triu_indices(len(x), k=1)
        r = np.sqrt(d2[i, j])
        affinity = np.exp(-d2 / np.median(r) ** 2)
        weights = x[..., np.newaxis, 0]
        return (1 / r).sum() + (affinity @ weights).sum() + r[np.argmin(r)]
        """,
        x="rng.normal(size=(4, 2))",
    ),
    Case(
        "discounted gain of a ranking",
        """
        order = np.argsort(scores)[::-1]
        rank = np.empty(len(scores), dtype=int)
        rank[order] = np.arange(len(scores))
        gain = np.sort(scores)[::-1] * relevance[order] / np.log2(np.arange(len(scores)) + 2)
        margin = scores[order[0]] - scores[order[1:]]
        return gain.sum() + np.logaddexp(0, -margin).sum() + (rank * scores**2).sum()
        """,
        given="relevance = np.array([3.0, 1.0, 0.0, 2.0, 1.0])",
        x="rng.normal(size=5)",
        arg="scores",
    ),
    Case(
        "best and second best by take_along_axis",
        """
        order = np.argsort(x, axis=1)
        best = np.take_along_axis(x, order[:, -2:], axis=1)
        top = np.take_along_axis(x, np.argmax(x, axis=1, keepdims=True), 1)
        worst = np.take_along_axis(x, np.expand_dims(x.argmin(axis=0), 0), axis=0)
        masked = x.copy()
        np.put_along_axis(masked, order[:, :1], 0.0, axis=1)
        return ((best[:, 1] - best[:, 0]) ** 2).sum() + (top * worst).sum() + (masked**2).sum()
        """,
        x="rng.normal(size=(3, 4))",
    ),
    Case(
        "choose, select, compress and extract",
        """
        branch = np.choose([0, 1, 2, 1, 0], [x, x**2, np.exp(x)])
        tax = np.select([x < -0.5, x < 0.5], [0.1 * x, 0.2 * x**2], default=0.3 * x**3)
        kept = np.compress([True, False, True, False, True], x)
        return (branch * tax).sum() + np.extract(x > 0, x).prod() * kept.sum() + np.choose([2, 0, 1], kept).sum()
        """,
        x="rng.normal(size=5)",
    ),
    Case(
        "the log-Cholesky parameters of a covariance",
        """
        L = np.zeros((3, 3))
        L[np.tril_indices(3)] = x
        L[np.diag_indices(3)] = np.exp(L[np.diag_indices(3)])
        S = L @ L.T
        upper = S[np.triu_indices_from(S, k=1)]
        return 2 * np.trace(np.log(L, where=np.eye(3) > 0, out=np.zeros((3, 3)))) + (S @ y) @ y + upper.prod()
        """,
        given="y = np.array([1.0, -0.5, 0.3])",
        x="0.5 * rng.normal(size=6)",
        plain=False,
    ),
    Case(
        "a skew-symmetric matrix from a vector",
        """
        W = np.zeros((3, 3))
        W[0, 1], W[0, 2], W[1, 2] = -w[2], w[1], -w[0]
        W -= W.T
        theta = np.sqrt(w @ w)
        R = np.eye(3) + np.sin(theta) / theta * W + (1 - np.cos(theta)) / theta**2 * W @ W
        return ((R @ p - q) ** 2).sum() + R[0, 1:].prod()
        """,
        given="p = np.array([1.0, 2.0, 0.5]); q = np.array([0.5, 1.0, 2.0])",
        x="np.array([0.3, -0.5, 0.8])",
        arg="w",
        plain=False,
    ),
    Case(
        "slices by an axis that is a parameter",
        """
        def variation(y, axis):
            later, earlier = [slice(None)] * y.ndim, [slice(None)] * y.ndim
            later[axis], earlier[axis] = slice(1, None), slice(None, -1)
            return np.sqrt((y[tuple(later)] - y[tuple(earlier)]) ** 2 + 0.01).sum()

        inner = x[np.s_[..., 1:-1]]
        y = x.copy()
        y[..., ::2] = x[..., 0, np.newaxis]
        return sum(variation(x, axis) for axis in range(3)) + (inner**3).sum() + y[..., 2].prod() + y[-1, ..., 1].sum()
        """,
        x="rng.normal(size=(2, 2, 3))",
    ),
    Case(
        "word vectors with words that come again",
        """
        sentence = E[tokens]
        context = sentence[:-1] + 0.5 * E[tokens[1:]]
        logits = context @ E.T
        logits = logits - logits.max(axis=1, keepdims=True)
        nll = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(4), tokens[1:]]
        return nll.mean() + sentence[[-1, 0]].sum()
        """,
        given="tokens = np.array([2, 0, 2, 1, 2])",
        x="rng.normal(size=(3, 2))",
        arg="E",
    ),
    Case(
        "writes at places that come again",
        """
        y = np.ones_like(x)
        y[[0, 0, 1]] += x[:3]
        y[[2, 2]] = x[[3, 1]]
        y[[3, 3, 3]] *= 2 * x[0]
        return (y**2).sum() * y[2]
        """,
        x="rng.normal(size=4)",
    ),
    Case(
        "the centre of the brightest spot",
        """
        i, j = np.unravel_index(np.argmax(img), img.shape)
        patch = img[i - 1 : i + 2, j - 1 : j + 2]
        rows, columns = np.mgrid[-1:2, -1:2]
        flux = patch.sum()
        return i + (rows * patch).sum() / flux + (j + (columns * patch).sum() / flux) ** 2 + img.ravel()[5 * i + j]
        """,
        x="rng.uniform(0.1, 1, size=(4, 5)) + 2 * np.outer([0, 0, 1, 0], [0, 1, 0, 0, 0])",
        arg="img",
    ),
    Case(
        "places by where, flatnonzero and argwhere",
        """
        up = np.where(x > 0)[0]
        down = np.flatnonzero(x < 0)
        crossings = np.flatnonzero(np.sign(x[:-1]) != np.sign(x[1:]))
        zeros = crossings - x[crossings] / (x[crossings + 1] - x[crossings])
        products = sum(x[i] * x[j] for i, j in np.argwhere(np.abs(np.subtract.outer(x, x)) < 0.5))
        return x[up].sum() * (x[down] ** 2).mean() + np.diff(zeros).sum() + products
        """,
        x="np.array([0.5, -0.3, -0.7, 0.9, 0.6, -0.25])",
    ),
    Case(
        "windows that slide, and pooling by reshape",
        """
        windows = np.lib.stride_tricks.sliding_window_view(x, 3)
        z = (x[2:] - windows.mean(axis=1)) / windows.std(axis=-1)
        pooled = x.reshape(-1, 2).max(axis=1)
        hankel = x[np.arange(3)[:, None] + np.arange(4)]
        return (z**2).sum() + pooled.prod() + np.linalg.norm(hankel @ hankel.T)
        """,
        x="rng.normal(size=6)",
    ),
    Case(
        "an image sampled between pixels",
        """
        row, column = 1.4 + 0.3 * x[:, 0], 1.6 + 0.4 * x[:, 1]
        i, j = np.floor(row).astype(int), np.floor(column).astype(np.intp)
        u, v = row - i, column - j
        value = (1 - u) * (1 - v) * img[i, j] + (1 - u) * v * img[i, j + 1]
        value += u * (1 - v) * img[i + 1, j] + u * v * img[i + 1, j + 1]
        return ((value - 0.5) ** 2).sum()
        """,
        given="img = rng.normal(size=(4, 4))",
        x="rng.uniform(-1, 0.8, size=(3, 2))",
    ),
    Case(
        "group means through unique and splits",
        """
        names, inverse, counts = np.unique(labels, return_inverse=True, return_counts=True)
        means = np.array([x[inverse == k].mean() for k in range(len(names))])
        first, second, third = np.split(x, [2, 5])
        parts = np.array_split(x, 4)
        between = counts @ (means - x.mean()) ** 2 + (means[inverse] * x).sum()
        return between + first.prod() * second.max() * third[-1] + sum(p.mean() ** 2 for p in parts)
        """,
        given="labels = np.array(['b', 'a', 'b', 'c', 'a', 'b', 'a'])",
        x="rng.normal(size=7)",
    ),
    Case(
        "a polygon by indices around a ring",
        """
        n = len(xy)
        following = (np.arange(n) + 1) % n
        x, y = xy[:, 0], xy[:, 1]
        area = 0.5 * np.sum(x * y[following] - x[following] * y)
        edges = xy[following] - xy[:]
        x_wrapped = x[np.arange(-1, n + 1) % n]
        return area**2 / np.sqrt((edges**2).sum(1)).sum() + np.diff(x_wrapped, 2).max() + xy[-1, -1] * xy[-2][0]
        """,
        x="np.array([[0.0, 0.1], [1.2, 0.0], [1.5, 1.1], [0.2, 0.9]])",
        arg="xy",
    ),
    Case(
        "separated advanced indices",
        """
        a = x.reshape(2, 4, 3)
        u = a[0, :, [0, 2]]             # (2, 4): advanced axes go first
        v = a[:, [1, 3], 1]             # (2, 2)
        w = a[[0, 1], 1:, [2, 0]]       # (2, 3)
        return (u * W).sum() ** 2 + (v ** 2 * np.array([[1, 2], [3, 4]])).sum() + (w * np.arange(6).reshape(2, 3)).sum()
        """,
        x="np.arange(24.).reshape(4,6)/10+.1*np.sin(np.arange(24.)).reshape(4,6)",
        given="W = np.arange(8.0).reshape(2, 4) - 3",
    ),
    Case(
        "pairwise newaxis",
        """
        d2 = ((x[:, np.newaxis] - Y[None, ...]) ** 2).sum(axis=-1)
        K = np.exp(-d2)
        return K.mean() + (x[..., 0][:, None] * x[:, 1][None]).sum()
        """,
        x="np.array([[.1,.9],[1.4,.3],[.6,1.8]])",
        given="Y = np.array([[0., 0.], [1., 1.], [2., .5], [.3, .2]])",
    ),
    Case(
        "masks mixed with slices",
        """
        a = x[:, cols]
        b = x[rows, 1:]
        c = x[x > 0.35]
        d = x[rows][:, cols[::-1]]
        return (a[1:] * b).sum() + np.log(c).sum() + (d ** 2).sum() + x[rows, [0, 3]].prod()
        """,
        x="np.array([[.5,-1.,2.,.3],[1.1,.7,-.6,.9],[-.2,1.6,.4,-1.3]])",
        given="""
        cols = np.array([True, False, True, True])
        rows = np.array([False, True, True])
        """,
    ),
    Case(
        "negative steps",
        """
        y = x[::-1]
        z = x[-2::-2]
        w = x[4:0:-1]
        return (x * y * np.arange(6)).sum() + (z ** 2 * np.arange(1, 4)).sum() + w[0] * w[-1] - x[-3:-1].sum()
        """,
        x="np.array([.3,1.,-.8,2.,.6,1.4])",
    ),
    Case(
        "open mesh submatrix",
        """
        Soo = x[np.ix_(obs, obs)]
        Smo = x[np.ix_(mis, obs)]
        Smm = x[mis][:, mis]
        cond = Smm - Smo @ np.linalg.solve(Soo, Smo.T)
        return np.linalg.det(cond) + cond[0, 1]
        """,
        x="np.array([[1.,.2,.5,.3],[.2,2.,.1,.4],[.5,.1,3.,.6],[.3,.4,.6,1.5]])",
        given="obs, mis = [0, 2], [1, 3]",
    ),
    Case(
        "argmax take along",
        """
        k = np.argmax(x, axis=1)
        best = np.take_along_axis(x, k[:, None], axis=1).ravel()
        order = np.argsort(x, axis=0)
        s = np.take_along_axis(x, order, axis=0)
        rest = np.delete(x[0], k[0])
        return (best ** 2).sum() + (s * np.arange(9).reshape(3, 3)).sum() + rest.prod()
        """,
        x="np.array([[.5,2.,1.1],[3.,.2,.7],[.9,.4,1.8]])",
    ),
    Case(
        "triangle unpack",
        """
        iu = np.triu_indices(3, 1)
        il = np.tril_indices_from(x)
        di = np.diag_indices(3)
        return np.sum(x[iu] ** 2) + np.prod(x[il]) + np.log(x[di]).sum() + np.triu(x, 1).sum() * np.tril(x).trace()
        """,
        x="np.array([[1.,.3,-.4],[.7,2.,.6],[.1,.9,1.5]])",
    ),
    Case(
        "bilinear sampling",
        """
        i = np.floor(x).astype(int)
        fr = x - i
        r, c = i[:, 0], i[:, 1]
        a, b = fr[:, 0], fr[:, 1]
        v = (img[r, c] * (1 - a) * (1 - b) + img[r + 1, c] * a * (1 - b)
             + img[r, c + 1] * (1 - a) * b + img[r + 1, c + 1] * a * b)
        return (v ** 2).sum()
        """,
        x="np.array([[.4,1.3],[1.7,.6],[2.2,1.9]])",
        given="img = np.add.outer(np.arange(4.0) ** 2, 3 * np.arange(4.0)) * np.array([1, -1, 2, .5])",
    ),
    Case(
        "embedding lookup",
        """
        e = x[tokens]                   # (2, 3, 2)
        bag = e.mean(axis=1)
        return np.tanh(bag @ x.T)[np.arange(2), [1, 3]].sum() + e[..., -1].max(axis=1).sum()
        """,
        x="np.array([[.2,-.5],[1.1,.3],[-.7,.9],[.4,.6]])",
        given="tokens = np.array([[0, 2, 2], [3, 1, 0]])",
    ),
    Case(
        "symmetric from vech",
        """
        A = np.zeros((3, 3))
        A[np.tril_indices(3)] = x
        A = A + np.tril(A, -1).T
        return np.linalg.slogdet(A)[1] + A[1, 2] * A[0, 0]
        """,
        x="np.array([1.5,.3,2.,-.2,.4,1.2])",
        plain=False,
    ),
    Case(
        "scatter image by fancy",
        """
        img = np.zeros((3, 3))
        img[rr, cc] = x
        img[1] += img[2] * 0.5
        img[:, ::-1][0] *= 2
        return (img ** 2).sum() + np.abs(np.diff(img, axis=1)).sum()
        """,
        x="np.array([.9,-.3,1.4,.6])",
        given="rr, cc = np.array([0, 2, 1, 2]), np.array([1, 0, 2, 2])",
        plain=False,
    ),
    Case(
        "where nonzero unravel",
        """
        i, j = np.where(x > 0)
        pos = x[i, j]
        k = np.unravel_index(x.argmax(), x.shape)
        neg = x[np.nonzero(x < 0)]
        t = tuple(np.argwhere(x < -0.5)[0])
        return np.sqrt(pos).sum() + x[k] ** 2 + neg.prod() + x[t]
        """,
        x="np.array([[.3,1.8,-.2],[2.4,-.9,.5]])",
    ),
    Case(
        "lagged regressors",
        """
        p = 2
        n = len(x)
        idx = np.arange(p, n)[:, None] - np.arange(1, p + 1)[None, :]
        X = x[idx]
        y = x[p:]
        b = np.linalg.solve(X.T @ X, X.T @ y)
        return np.sum((y - X @ b) ** 2) + b[0]
        """,
        x="np.array([.5,1.2,.9,1.6,2.4,2.,2.7,3.1])",
    ),
    Case(
        "choose extract slices",
        """
        sel = slice(None, None, 2)
        a = np.choose([0, 1, 2, 0, 1], [x, x ** 2, x ** 3])
        b = np.extract(x > 0.5, x)
        g = x[np.argsort(x)][1:-1]
        c = x[np.array(2)] * x[()][1]
        return a.sum() + b.prod() + (g ** 2).mean() + x[sel].sum() * c
        """,
        x="np.array([.7,-.2,1.9,.4,1.1])",
    ),
]
