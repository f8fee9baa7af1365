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
]
