"""Methods and attributes of arrays, with NumPy's meaning."""

from ._judge import Case

CASES = [
    Case(
        "softmax by hand",
        """
        x = x - x.max(axis=1, keepdims=True)
        p = np.exp(x)
        p /= p.sum(axis=1, keepdims=True)
        return -np.log(p[:, 0]).sum()
        """,
        x="rng.normal(size=(4, 3))",
    ),
    Case(
        "skewness and kurtosis of columns",
        """
        z = (X - X.mean(axis=0)) / X.std(axis=0)
        return (z**3).mean(axis=0).sum() + (z**4).mean(axis=0).max() - 3
        """,
        x="rng.normal(size=(5, 2))",
        arg="X",
    ),
    Case(
        "Welch's t statistic",
        """
        n1, n2 = len(a), b.size
        se = np.sqrt(a.var(ddof=1) / n1 + b.var(ddof=1) / n2)
        return (a.mean() - b.mean()) / se
        """,
        given="b = np.array([0.3, -0.2, 0.9, 0.1])",
        x="rng.normal(size=6)",
        arg="a",
    ),
    Case(
        "rows scaled to the unit interval",
        """
        low = A.min(1, keepdims=True)
        scaled = (A - low) / (A.max(1, keepdims=True) - low)
        return (scaled**2).sum() + A.max(axis=0).prod()
        """,
        x="rng.normal(size=(3, 4))",
        arg="A",
    ),
    Case(
        "ridge regression by dot",
        """
        r = y - X.dot(w)
        return r.dot(r) / r.size + 0.1 * w.dot(w)
        """,
        given="X = rng.normal(size=(7, 3)); y = rng.normal(size=7)",
        x="rng.normal(size=3)",
        arg="w",
    ),
    Case(
        "image to channels first",
        """
        chw = img.transpose(2, 0, 1)
        c, h, w = chw.shape
        means = chw.reshape(c, h * w).mean(axis=1)
        swapped = img[:, :, 0].transpose(1, 0)
        return (chw.std(axis=(1, 2)) / means).sum() + (swapped[0] * weights).sum()
        """,
        given="weights = np.array([1.0, 2.0])",
        x="rng.uniform(0.2, 1, size=(2, 3, 2))",
        arg="img",
    ),
    Case(
        "nearest neighbour upsampling by repeat",
        """
        up = img.repeat(2, axis=0).repeat(2, axis=1)
        return ((up - target) ** 2).mean() + (img.repeat(3) * np.arange(12.0)).sum() + img[0].repeat([1, 3]).std()
        """,
        given="target = rng.normal(size=(4, 4))",
        x="rng.normal(size=(2, 2))",
        arg="img",
    ),
    Case(
        "the Gini coefficient",
        """
        y = x.copy()
        y.sort()
        n = y.size
        return (2 * np.arange(1, n + 1) - n - 1).dot(y) / (n * y.sum())
        """,
        x="rng.lognormal(size=6)",
    ),
    Case(
        "neighbours on a ring by take",
        """
        n = x.shape[1]
        right = x.take(np.arange(1, n + 1), axis=1, mode="wrap")
        left = x.take(range(-1, n - 1), axis=1)
        return (x * right).sum() + ((right - left) ** 2).sum() * x.take(3)
        """,
        x="rng.normal(size=(2, 4))",
    ),
    Case(
        "fill and flat",
        """
        y = np.empty_like(A)
        y.fill(0)
        y.flat[::4] = A.diagonal()
        y[2].fill(A[0, 1])
        return sum((i + 1) * v**2 for i, v in enumerate(y.flat)) + A.flat[5] * A.flat[1:3].sum()
        """,
        x="rng.normal(size=(3, 3))",
        arg="A",
    ),
    Case(
        "nonzero entries of a thresholded matrix",
        """
        kept = np.where(np.abs(A) > 0.4, A, 0.0)
        rows, cols = kept.nonzero()
        return (kept[rows, cols] ** 2 * (rows + 2 * cols)).sum() / np.count_nonzero(kept)
        """,
        x="rng.normal(size=(3, 3))",
        arg="A",
    ),
    Case(
        "least trimmed squares by partition",
        """
        r2 = (y - X @ w) ** 2
        smallest = r2.argpartition(4)[:4]
        trimmed = r2.copy()
        trimmed.partition(4)
        return trimmed[:4].sum() + np.sqrt(r2[smallest].sum())
        """,
        given="X = rng.normal(size=(8, 2)); y = rng.normal(size=8)",
        x="rng.normal(size=2)",
        arg="w",
    ),
    Case(
        "quantisation error and rounding",
        """
        error = x - x.round(1)
        return (error**2).sum() * 100 + x[0] * round(x[1], 1) + (x * np.rint(x)).sum()
        """,
        x="np.array([0.33, -1.28, 2.07, 0.71])",
    ),
    Case(
        "divmod and remainders of phases",
        """
        turns, phase = divmod(x, 2 * np.pi)
        quotient, rest = divmod(x[0], 0.7)
        return (turns * np.sin(phase / 2)).sum() + rest * (quotient + 1) + (x % 1.5 * (x // 1.5)).sum()
        """,
        x="np.array([7.1, -2.2, 13.9, 4.0])",
    ),
    Case(
        "views have a base and flags",
        """
        view, copied = A.T, A.copy()
        scale = 2.0 if view.base is not None and copied.base is None else 100.0
        if view.flags.f_contiguous and A.flags["C_CONTIGUOUS"] and copied.flags.owndata:
            scale *= 1 + copied.flags.writeable
        return scale * (view**2)[0].sum() + A[1].prod() * A.nbytes / A.itemsize + A.strides[0] / A.strides[1] * A[0, 2]
        """,
        x="rng.normal(size=(2, 3))",
        arg="A",
    ),
    Case(
        "len, in, abs, and loops over rows",
        """
        total = 0.0
        for k, row in enumerate(A):
            total += abs(row).sum() / len(row) * (k + 1)
            if 2.5 not in row:
                total += max(row) * min(row)
        first, *rest = A[0]
        return total + first * sum(rest) + sorted(A[1])[0]
        """,
        x="rng.normal(size=(2, 3))",
        arg="A",
    ),
    Case(
        "maximum drawdown and compound growth",
        """
        wealth = (1 + r).cumprod()
        log_wealth = np.log1p(r).cumsum()
        peak = np.maximum.accumulate(wealth)
        return (1 - wealth / peak).max() + (1 + r).prod() ** (1 / r.size) + log_wealth.mean()
        """,
        x="np.array([0.05, -0.1, 0.03, -0.08, 0.11])",
        arg="r",
    ),
    Case(
        "invariants of a deformation gradient",
        """
        C = F.T.dot(F)
        I1 = C.trace()
        I2 = 0.5 * (I1**2 - C.dot(C).trace())
        J = np.linalg.det(F)
        shear = F.diagonal(1).sum() - F.diagonal(offset=-1).sum()
        return 0.5 * (I1 - 3) + 0.1 * (I2 - 3) + (J - 1) ** 2 + shear * F.clip(-0.05, 1.0).sum()
        """,
        x="np.eye(3) + 0.2 * rng.normal(size=(3, 3))",
        arg="F",
    ),
    Case(
        "shapes in every order",
        """
        a = x.reshape(2, -1).swapaxes(0, 1)
        b = x.reshape((3, 2), order="F")
        c = x[np.newaxis, :, np.newaxis].squeeze()
        d = b.ravel(order="F") * c
        return (a * b).sum() + (d * weights).sum() + (a.ravel("F") * b.flatten()).dot(weights) + (b.mT @ a).trace()
        """,
        given="weights = np.arange(6.0)",
        x="rng.normal(size=6)",
    ),
    Case(
        "sums, means and maxima with where and initial",
        """
        positive = x > 0
        gains, losses = x.sum(where=positive), -x.sum(where=~positive)
        if not positive.any() or positive.all():
            return gains
        ratio = x.mean(axis=0, where=np.array([[True], [True], [False]])).sum()
        return gains / losses + ratio * x.max(initial=0.1) + x.max(axis=1, initial=-5.0).sum() + x.prod(where=positive)
        """,
        x="rng.normal(size=(3, 2))",
    ),
    Case(
        "dtypes and sizes",
        """
        assert x.dtype == np.float64 and np.issubdtype(x.dtype, np.floating) and x.dtype.kind == "f"
        eps = np.finfo(x.dtype).eps
        y = x.astype(float, copy=True)
        weights = np.arange(y.size, dtype=y.dtype).reshape(y.shape) / y.ndim
        return (weights * y**2).sum(dtype=float) + np.log(y + eps).mean(axis=-1).sum() + len(y.shape) * y[-1].max()
        """,
        x="rng.uniform(1, 2, size=(2, 3))",
    ),
    Case(
        "a weighted median by searchsorted",
        """
        order = x.argsort()
        cumulative = w[order].cumsum()
        k = cumulative.searchsorted(0.5 * cumulative[-1])
        spread = abs(x - x[order[k]]).dot(w) / w.sum()
        return spread + x.compress(x > 0).sum() * x.real.conj().max()
        """,
        given="w = np.array([0.2, 0.5, 0.1, 0.4, 0.3])",
        x="rng.normal(size=5)",
    ),
    Case(
        "participation ratio trace",
        """
        S = x.transpose(1, 0).dot(x) / x.shape[0]
        return S.trace() ** 2 / S.dot(S).trace()
        """,
        x="np.array([[1.,.3,-.5],[.2,-1.2,.9],[.7,.1,.4],[-1.5,.6,.8]])",
    ),
    Case(
        "haar level",
        """
        pairs = x.reshape(-1, 2)
        a = pairs.sum(axis=1) / np.sqrt(2)
        d = (pairs[:, 0] - pairs[:, 1]) / np.sqrt(2)
        return (d ** 2).sum() / x.size + 0.1 * (a.reshape((2, 2)).prod(axis=-1)).sum()
        """,
        x="np.array([1.,3.,-2.,.5,.4,2.2,1.7,-.9])",
    ),
    Case(
        "gini sorted copy",
        """
        y = x.copy()
        y.sort()
        n = y.size
        i = np.arange(1, n + 1)
        return ((2 * i - n - 1) * y).sum() / (n * y.sum())
        """,
        x="np.array([3.2,1.1,7.5,2.4,5.9])",
    ),
    Case(
        "upsample repeat",
        """
        big = x.repeat(2, axis=0).repeat([1, 2, 3], axis=1)
        return ((big - target) ** 2).sum()
        """,
        x="np.array([[.1,.9,.4],[.7,.2,.5]])",
        given="target = np.linspace(0, 1, 24).reshape(4, 6)",
    ),
    Case(
        "take swap compress",
        """
        a = x.take([0, 2, 2], axis=1)
        b = x.swapaxes(0, 1)
        c = x.compress([True, False, True], axis=0)
        d = x.take([1, 5])
        return (a * b).sum() + c.prod() + d.sum() ** 2
        """,
        x="np.array([[1.,2.,3.],[.5,-1.,4.],[2.,.1,-.7]])",
    ),
    Case(
        "flat iteration",
        """
        total = 0.0
        for i, v in enumerate(x.flat):
            total += (i + 1) * np.sin(v)
        return total + (x.flat[::2] ** 2).sum() * x.flat[4]
        """,
        x="np.array([[.3,1.2,-.4],[2.,.8,1.1]])",
    ),
    Case(
        "tone map clip",
        """
        y = x.clip(0, 1) ** 2.2
        z = x.clip(max=1.0)
        return (y * np.arange(1, 6)).sum() + 0.3 * z.clip(-0.1, None).sum()
        """,
        x="np.array([-.3,.2,.45,.8,1.4])",
    ),
    Case(
        "dcg by argsort",
        """
        order = x.argsort()[::-1]
        disc = 1 / np.log2(np.arange(2, len(x) + 2))
        return (x[order] * disc).sum() / x.max()
        """,
        x="np.array([.9,2.4,-.3,1.6,.2])",
    ),
    Case(
        "rescaled range",
        """
        y = (x - x.mean()).cumsum()
        r = y.max() - y.min()
        s = x.std(ddof=1)
        return np.log(r / s) / np.log(x.shape[0] / 2)
        """,
        x="np.array([.4,-1.2,2.1,.3,-.8,1.5,.9,-.6])",
    ),
    Case(
        "phase fold divmod",
        """
        P, t0, amp = x
        cycle, phase = divmod((t - t0) / P, 1.0)
        model = amp * phase * (1 - phase) + 0.01 * cycle
        return ((mag - model) ** 2).sum()
        """,
        x="np.array([2.37,.31,1.2])",
        given="""
        t = np.array([0.4, 1.9, 3.3, 5.8, 8.1, 12.7])
        mag = np.array([.3, .9, .1, .6, .8, .2])
        """,
    ),
    Case(
        "minimum image round",
        """
        L = 5.0
        d = x[:, None, :] - x[None, :, :]
        d = d - L * (d / L).round()
        r2 = (d * d).sum(-1)
        i, j = np.triu_indices(len(x), 1)
        s6 = 1 / r2[i, j] ** 3
        return (4 * (s6 ** 2 - s6)).sum()
        """,
        x="np.array([[.2,.5],[4.6,1.1],[2.3,4.4],[3.1,2.0]])",
    ),
    Case(
        "fortran order vec",
        """
        v = x.ravel(order='F')
        u = x.flatten()
        return (v * w).sum() * (u @ w[::-1]) + x.diagonal(offset=1).sum() ** 3 + x[:, :1].squeeze().prod()
        """,
        x="np.array([[1.,.2,-.3],[.4,1.5,.6],[-.7,.8,2.]])",
        given="w = np.linspace(-1, 1, 9)",
    ),
    Case(
        "reductions with where",
        """
        m = x.mean(where=mask)
        s = (x ** 2).sum(axis=0, where=mask)
        top = x.max(initial=-10.0, where=mask)
        return m * s.sum() + top ** 2
        """,
        x="np.array([[1.2,.4,-2.],[.9,3.1,.7]])",
        given="mask = np.array([[True, False, True], [True, True, False]])",
    ),
    Case(
        "horner with the coefficients of an array",
        """
        acc = 0.0
        for c in x.ravel():
            acc = acc * 1.7 + c
        return acc * x[1]
        """,
        x="np.array([.5,-1.5,2.])",
    ),
]
