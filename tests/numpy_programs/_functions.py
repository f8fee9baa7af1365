"""The wider namespace: transforms, fits, filters, statistics, linear algebra, ufuncs and special functions."""

from ._judge import Case

CASES = [
    Case(
        "the centroid of a windowed spectrum",
        """
        power = np.abs(np.fft.rfft(x * np.hanning(len(x)))) ** 2
        frequency = np.fft.rfftfreq(len(x), d=0.1)
        p = power / power.sum()
        return (frequency * p).sum() - (p * np.log(p)).sum()
        """,
        x="rng.normal(size=8)",
    ),
    Case(
        "a low-pass filter in the frequency domain",
        """
        X = np.fft.fft(x)
        X[3:-2] = 0
        X *= np.exp(-1j * np.pi * np.fft.fftfreq(x.size))
        smooth = np.fft.ifft(X).real
        return ((x - smooth) ** 2).mean() + np.fft.irfft(np.fft.rfft(x)[:3], n=4).prod()
        """,
        x="rng.normal(size=8)",
    ),
    Case(
        "what a fitted parabola leaves",
        """
        c = np.polyfit(t, y, 2)
        trend = np.polyval(c, t)
        vertex = -c[1] / (2 * c[0])
        area = np.diff(np.polyval(np.polyint(c), [0.0, 1.0]))[0]
        return ((y - trend) ** 2).sum() + vertex + area + np.polyder(c) @ np.array([1.0, 2.0])
        """,
        given="t = np.linspace(0, 1, 6)",
        x="np.array([1.9, 1.2, 0.8, 1.1, 1.5, 2.6])",
        arg="y",
    ),
    Case(
        "interpolation in a table, at moving points and with moving heights",
        """
        at = np.interp(x, grid, table)
        warped = np.interp(grid, grid + 0.1 * np.sin(x), x**2)
        outside = np.interp(x + 5, grid, x, left=0.0, right=x[0])
        return (at**2).sum() + (warped * np.arange(4)).sum() + outside.prod()
        """,
        given="grid = np.array([0.0, 1.0, 2.0, 3.0]); table = np.array([1.0, 0.2, 0.5, 2.0])",
        x="np.array([0.35, 1.72, 0.83, 2.41])",
    ),
    Case(
        "the action of a path",
        """
        v = np.gradient(q, t, edge_order=2)
        a = np.gradient(v, t)
        lagrangian = 0.5 * v**2 - 0.5 * q**2
        bending = 0.01 * np.trapezoid(a**2, dx=0.25)
        return np.trapezoid(lagrangian, t) + bending + np.gradient(np.outer(q, q), axis=1)[1, 2]
        """,
        given="t = np.array([0.0, 0.2, 0.5, 0.7, 1.1])",
        x="rng.normal(size=5)",
        arg="q",
    ),
    Case(
        "convolutions and correlations of every mode",
        """
        smooth = np.convolve(x, [0.25, 0.5, 0.25], mode="same")
        full = np.convolve(x, x[:3])
        r = np.correlate(x, x, mode="full")[len(x) - 1 :] / (x @ x)
        valid = np.convolve(x, x[::-1], "valid")
        return (smooth**2).sum() + (full * np.arange(8)).sum() + (r[1:3] ** 2).sum() + valid[0]
        """,
        x="rng.normal(size=6)",
    ),
    Case(
        "quantiles by all conventions",
        """
        methods = ["linear", "hazen", "weibull", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf"]
        total = sum(np.quantile(x, 0.3, method=m) ** (k + 1) for k, m in enumerate(methods))
        total += np.quantile(x, 0.6, method="lower") * np.percentile(x, 60, method="nearest")
        q25, q50, q75 = np.percentile(x, [25, 50, 75])
        total += np.median(x.reshape(2, 4), axis=1).prod() + np.quantile(x, [[0.1], [0.9]]).sum()
        return total + (q75 - q25) / q50
        """,
        x="rng.normal(size=8)",
    ),
    Case(
        "borders of every kind",
        """
        total = 0.0
        for mode in ["edge", "reflect", "symmetric", "wrap", "mean", "maximum"]:
            total += np.diff(np.pad(img, 1, mode=mode), axis=0).var()
        ramp = np.pad(img[0], (2, 1), "linear_ramp", end_values=0.5)
        framed = np.pad(img, ((0, 1), (2, 0)), mode="constant", constant_values=0.3)
        return total + (ramp**2).sum() + (framed @ framed.T).prod()
        """,
        x="rng.normal(size=(3, 3))",
        arg="img",
    ),
    Case(
        "risk and correlation of a portfolio",
        """
        S = np.cov(R, rowvar=False)
        risk = np.sqrt(w @ S @ w)
        C = np.corrcoef(R.T)
        weighted = np.cov(R[:, 0], R[:, 1], aweights=[1.0, 2.0, 1.0, 3.0, 2.0])[0, 1]
        sharpe = np.average(R, axis=0, weights=np.arange(1, 6)) @ w / risk
        return sharpe + C[0, 1] * C[1, 2] + weighted
        """,
        given="w = np.array([0.5, 0.3, 0.2])",
        x="rng.normal(size=(5, 3))",
        arg="R",
    ),
    Case(
        "attention by einsum",
        """
        q, k, v = x
        scores = np.einsum("bqd,bkd->bqk", q, k) / np.sqrt(q.shape[-1])
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out = np.einsum("bqk,bkd->bqd", e / e.sum(axis=-1, keepdims=True), v)
        return (out**2).sum() + np.einsum("bii->", scores) + np.einsum("bij,bij->b", q, v).prod()
        """,
        x="rng.normal(size=(3, 2, 2, 2))",
    ),
    Case(
        "Kronecker, outer, inner and tensor products",
        """
        K = np.kron(A, np.eye(2)) + np.kron(np.eye(2), B)
        T = np.tensordot(A, K.reshape(2, 2, 2, 2), axes=([1], [2]))
        w = np.outer(A[0], B[1]).ravel()
        products = np.inner(A, B).trace() + np.multiply.outer(A, B).max()
        return np.linalg.slogdet(K)[1] + np.log(np.vdot(T, T)) + products + np.log(w @ K @ w)
        """,
        given="B = np.array([[2.0, 0.5], [-0.3, 3.0]])",
        x="np.array([[2.0, 0.3], [-0.4, 1.5]])",
        arg="A",
    ),
    Case(
        "areas, normals and the volume of a triangle mesh",
        """
        a, b, c = vertices[faces[:, 0]], vertices[faces[:, 1]], vertices[faces[:, 2]]
        n = np.cross(b - a, c - a)
        area = 0.5 * np.linalg.norm(n, axis=1)
        unit = n / np.linalg.norm(n, axis=-1, keepdims=True)
        volume = np.sum(a * np.cross(b, c)) / 6
        return np.abs(volume) ** (2 / 3) / area.sum() + (unit @ unit.T)[0, 1] + np.arccos(unit[0] @ unit[2])
        """,
        given="faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])",
        x="np.vstack([np.zeros(3), np.eye(3)]) + 0.2 * rng.normal(size=(4, 3))",
        arg="vertices",
    ),
    Case(
        "an unwrapped phase",
        """
        signal = np.exp(1j * np.cumsum(x))
        phase = np.unwrap(np.angle(signal))
        slope = np.sum((t - t.mean()) * phase) / np.sum((t - t.mean()) ** 2)
        return slope + np.ptp(phase) * np.abs(signal.mean()) ** 2 + np.ediff1d(phase, to_end=x[0]).std()
        """,
        given="t = np.arange(6.0)",
        x="rng.uniform(0.9, 2, size=6)",
    ),
    Case(
        "a spline kernel by piecewise, and functions along axes",
        """
        kernel = np.piecewise(x, [x < 0.5, x >= 1], [lambda u: 1 - 6 * u**2 * (1 - u), 0.0, lambda u: 2 * (1 - u) ** 3])
        spread = np.apply_along_axis(lambda row: np.sort(row)[-1] - row.mean(), 1, x)
        huber = np.vectorize(lambda u: u**2 / 2 if u < 0.9 else 0.9 * (u - 0.45))
        return (kernel**2).sum() + spread.prod() + np.apply_along_axis(np.cumsum, 0, x).var() + huber(x).sum() * x[0, 0]
        """,
        x="rng.uniform(0.1, 1.4, size=(3, 3))",
    ),
    Case(
        "a log-likelihood of a normal distribution with precision",
        """
        S = A @ A.T + np.eye(3)
        sign, logdet = np.linalg.slogdet(S)
        mahalanobis = np.einsum("ni,in->n", data, np.linalg.solve(S, data.T))
        Q = np.linalg.inv(S)
        partial = -Q[0, 1] / np.sqrt(Q[0, 0] * Q[1, 1])
        return 0.5 * (sign * logdet + mahalanobis).sum() + partial + np.trace(np.linalg.matrix_power(S, 2)) / 9
        """,
        given="data = rng.normal(size=(4, 3))",
        x="rng.normal(size=(3, 3))",
        arg="A",
    ),
    Case(
        "singular values: nuclear norm, condition and the best rotation",
        """
        U, s, Vt = np.linalg.svd(A.T @ B)
        R = U @ Vt
        return s.sum() + s[0] / s[-1] + np.linalg.norm(A, "nuc") + np.linalg.norm(A @ R - B) ** 2 + np.linalg.norm(A, 2)
        """,
        given="B = rng.normal(size=(4, 2))",
        x="rng.normal(size=(4, 2))",
        arg="A",
    ),
    Case(
        "principal components and the variance they explain",
        """
        centred = X - X.mean(axis=0)
        values, vectors = np.linalg.eigh(centred.T @ centred / (len(X) - 1))
        scores = centred @ vectors[:, ::-1][:, :1]
        explained = values[::-1].cumsum() / values.sum()
        return explained[0] + (scores**4).mean() + np.linalg.eigvalsh(centred.T @ centred)[0]
        """,
        x="rng.normal(size=(5, 3)) * [3, 1.5, 0.5]",
        arg="X",
    ),
    Case(
        "least squares by QR, pseudo-inverse and normal equations",
        """
        Q, R = np.linalg.qr(X)
        beta = np.linalg.solve(R, Q.T @ y)
        hat = X @ np.linalg.pinv(X)
        r = y - hat @ y
        return beta @ beta + (r**2 / (1 - np.diag(hat)) ** 2).mean() + np.linalg.multi_dot([y, X, X.T, y]) / 10
        """,
        given="y = rng.normal(size=5)",
        x="rng.normal(size=(5, 2))",
        arg="X",
    ),
    Case(
        "means of what is not missing",
        """
        y = np.where(missing, np.nan, x)
        z = (y - np.nanmean(y, axis=0)) / np.nanstd(y, axis=0, ddof=1)
        total = np.nansum(z**3) + np.nanmax(y) * np.nanmin(y, axis=1).sum() + np.nanmedian(y) + np.nanvar(y[:, 1])
        filled = np.nan_to_num(y, nan=0.5)
        return total + filled.prod() + np.nanpercentile(y, 40) + np.nancumsum(y, axis=1)[0, -1]
        """,
        given="missing = np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)",
        x="rng.normal(size=(4, 3))",
    ),
    Case(
        "Laplacians by rolls and differences",
        """
        ring = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4 * u
        curvature = np.diff(u, n=2, axis=1, prepend=0.0)
        turned = np.rot90(u) + np.fliplr(u) - np.flipud(u)
        shifted = np.roll(u, (1, 2), axis=(0, 1))
        return 0.5 * (ring**2).sum() + np.abs(curvature).sum() + (turned * np.tri(3)).sum() ** 2 + shifted[0, 0]
        """,
        x="rng.normal(size=(3, 3))",
        arg="u",
    ),
    Case(
        "group means, histograms and bins",
        """
        counts = np.bincount(group, minlength=4)
        means = np.bincount(group, weights=x, minlength=4) / np.maximum(counts, 1)
        within = ((x - means[group]) ** 2).sum()
        heights, _ = np.histogram(where, bins=3, range=(0, 3), weights=x**2)
        edges = np.cumsum(np.exp(x[:3]))
        bins = np.digitize(where, [0.7, 1.5]) + np.searchsorted(edges, where)
        return within + (heights * means[:3]).sum() + (bins * x).sum() + edges[1]
        """,
        given="group = np.array([0, 2, 1, 0, 2, 2]); where = np.array([0.2, 2.5, 1.1, 0.9, 1.6, 2.9])",
        x="rng.normal(size=6)",
    ),
    Case(
        "methods of ufuncs",
        """
        distance = np.subtract.outer(x, x)
        totals = np.add.reduceat(x, [0, 2, 3])
        running = np.maximum.accumulate(x) + np.multiply.accumulate(x) + np.add.accumulate(np.exp(x))
        log_total = np.logaddexp.reduce(x)
        product = np.multiply.reduce(np.hypot.outer(x[:2], totals), axis=1)
        y = np.zeros_like(x)
        np.add.at(y, [0, 0, 2], totals)
        return (distance**3)[1].sum() + running.var() + log_total * product.sum() + np.maximum.reduce(y)
        """,
        x="rng.normal(size=5)",
    ),
    Case(
        "where, initial and dtype of ufuncs and reductions",
        """
        positive = x > 0
        logs = np.log(x, out=np.zeros_like(x), where=positive)
        share = np.divide(x, x.sum(), where=positive, out=np.full_like(x, 0.1))
        total = np.sum(logs, where=positive, initial=2.0) + np.add(x, 1, dtype=float).prod()
        extremes = np.max(x, initial=-2.0, where=~positive) * np.min(x, axis=0, initial=9)
        return total + extremes + (share**2).sum(dtype=np.float64)
        """,
        x="np.array([0.4, -0.8, 1.3, 0.2])",
    ),
    Case(
        "count and duration models by special functions",
        """
        mu, r, a = np.exp(x[:3])
        negbin = sc.gammaln(y + r) - sc.gammaln(r) - sc.gammaln(y + 1)
        negbin += r * np.log(r / (r + mu)) + sc.xlogy(y, mu / (r + mu))
        beta = sc.xlogy(a - 1, p) + sc.xlog1py(r - 1, -p) - sc.betaln(a, r)
        probit = sc.log_ndtr(x[3] * p) + np.log(sc.ndtr(-x[3])) + sc.erf(x[3] * p) + sc.expit(x[3]) * sc.erfc(p)
        return negbin.sum() + beta.mean() + probit.sum() + sc.digamma(a) * sc.j0(r) + sc.i0e(mu) + sc.gammainc(2.5, a)
        """,
        given="y = np.array([0.0, 2.0, 5.0]); p = np.array([0.2, 0.5, 0.9])",
        x="np.array([0.3, -0.2, 0.4, 0.7])",
    ),
    Case(
        "an alternating current through complex impedances",
        """
        R, L, C = x
        omega = 2 * np.pi * frequency
        Z = R + 1j * omega * L + 1 / (1j * omega * C)
        gain = 20 * np.log10(np.abs(R / Z))
        phase = np.angle(Z, deg=True)
        power = 0.5 * np.real(np.conj(1 / Z))
        return gain.mean() + np.deg2rad(phase).prod() + power.max() + np.sinc(x).sum() + np.sqrt(Z).imag.sum()
        """,
        given="frequency = np.array([0.1, 0.2, 0.4])",
        x="np.array([0.8, 0.5, 1.1])",
    ),
]
