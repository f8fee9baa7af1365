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
    Case(
        "polyfit extrapolate",
        """
        c = np.polyfit(t, x, 2)
        return np.polyval(c, 6.0) ** 2 + np.polyval(np.polyder(c), 2.0)
        """,
        x="np.array([1.,1.8,3.5,5.9,9.2])",
        given="t = np.arange(5.0)",
    ),
    Case(
        "roots of polynomial",
        """
        r = np.roots(x)
        return np.sum(np.abs(r) ** 3)
        """,
        x="np.array([1.,-6.1,11.3,-6.4])",
    ),
    Case(
        "yield curve interp",
        """
        r = np.interp(times, knots, x)
        cash = np.where(times == 12.0, 105.0, 5.0)
        return np.sum(cash * np.exp(-r * times))
        """,
        x="np.array([.01,.015,.022,.027])",
        given="""
        knots = np.array([0.5, 2.0, 5.0, 10.0])
        times = np.array([1.0, 2.5, 3.5, 4.5, 7.0, 12.0])
        """,
    ),
    Case(
        "total variation gradient",
        """
        gy, gx = np.gradient(x)
        g1 = np.gradient(x, 0.5, axis=1, edge_order=2)
        return np.sqrt(gx ** 2 + gy ** 2 + 1e-2).sum() + (g1 ** 2).mean()
        """,
        x="np.array([[.1,.9,.4,.7],[.5,.2,1.3,.3],[.8,.6,.1,1.1]])",
    ),
    Case(
        "trapezoid convolve",
        """
        smooth = np.convolve(x, k, mode='same')
        t = np.array([0., .1, .3, .6, 1., 1.5, 2.1])
        lag = np.correlate(x, smooth[1:4], mode='valid')
        return np.trapezoid(smooth ** 2, t) + np.trapezoid(x, dx=0.2) + (lag ** 2).sum()
        """,
        x="np.array([.4,1.1,-.6,.9,2.,.1,.7])",
        given="k = np.array([.25, .5, .25])",
    ),
    Case(
        "weighted histogram",
        """
        h, edges = np.histogram(e, bins=4, range=(0, 1), weights=x)
        b = np.bincount([0, 1, 1, 3, 0, 3], weights=x, minlength=5)
        return (h ** 2 * np.diff(edges)).sum() + np.exp(-b).sum()
        """,
        x="np.array([.5,1.,2.,.7,1.4,.9])",
        given="e = np.array([.12, .55, .61, .87, .31, .95])",
    ),
    Case(
        "quantile methods",
        """
        q = np.quantile(x, [0.1, 0.35, 0.8], method='hazen')
        iqr = np.subtract(*np.percentile(x, [75, 30]))
        mad = np.median(np.abs(x - np.median(x)))
        return q @ np.array([1., 2., 3.]) + iqr ** 2 / (1 + mad) + np.percentile(x, 33, method='lower')
        """,
        x="np.array([3.1,.4,2.2,5.7,1.3,4.8,2.9])",
    ),
    Case(
        "pad modes filter",
        """
        a = np.pad(x, 2, mode='reflect')
        b = np.pad(x, (1, 3), mode='edge')
        c = np.pad(x, 2, mode='wrap')
        d = np.pad(x, (2, 2), 'constant', constant_values=(0.5, -0.5))
        return (a * b * c).sum() + (d[1:] * d[:-1]).sum()
        """,
        x="np.array([.3,1.5,-.7,.8,.2])",
    ),
    Case(
        "cov corrcoef",
        """
        C = np.cov(x)
        R = np.corrcoef(x[0], x[1:])
        w = np.array([.2, .5, .3])
        return np.sqrt(w @ C @ w) + R[0, 1] * R[0, 2] + np.cov(x[0], x[1], bias=True)[0, 1]
        """,
        x="np.array([[1.,2.2,.4,3.1,1.9],[.5,1.7,.9,2.8,.2],[2.,.3,1.2,.8,1.5]])",
    ),
    Case(
        "einsum tensordot kron",
        """
        q = np.einsum('ij,ijk,kl->l', x, T, x)
        g = np.tensordot(x, T, axes=([0, 1], [0, 1]))
        k = np.kron(x, np.eye(2))
        return (q ** 2).sum() + g.sum() + (k @ np.arange(6.0)).prod() * 1e-2 + np.einsum('ij,ij', x, x)
        """,
        x="np.array([[.5,-1.,.3],[.8,.2,1.1]])",
        given="T = np.arange(12.0).reshape(2, 3, 2) / 10",
    ),
    Case(
        "triangle mesh area",
        """
        a, b, c = x[tri[:, 0]], x[tri[:, 1]], x[tri[:, 2]]
        n = np.cross(b - a, c - a)
        area = 0.5 * np.linalg.norm(n, axis=1)
        return area.sum() + np.dot(np.cross(a[0], b[0]), c[0]) / 6
        """,
        x="np.array([[0.,.1,.2],[1.,0.,.3],[.2,1.1,.1],[.9,1.,.7]])",
        given="tri = np.array([[0, 1, 2], [1, 3, 2], [0, 1, 3]])",
    ),
    Case(
        "unwrap phase",
        """
        ph = np.unwrap(x)
        freq = np.diff(ph) / (2 * np.pi * 0.1)
        return freq.var() + ph[-1] ** 2
        """,
        x="np.array([.1,1.9,-2.6,-.9,1.,2.9,-1.4])",
    ),
    Case(
        "piecewise select",
        """
        huber = np.piecewise(x, [np.abs(x) <= 1, x > 1], [lambda r: r**2 / 2, lambda r: r - 0.5, lambda r: -r - 0.5])
        tar = np.select([x < -1, x < 1], [0.3 * x, x ** 3], default=np.log(np.abs(x) + 1))
        return huber.sum() + (tar * np.arange(5)).sum()
        """,
        x="np.array([-2.3,-.4,.6,1.7,3.2])",
    ),
    Case(
        "along axis and vectorize",
        """
        g = np.apply_along_axis(gini, 1, x)
        h = np.vectorize(act)(x)
        return g.sum() + h.sum() * g[0]
        """,
        x="np.array([[1.4,.5,2.],[.7,1.8,.2]])",
        given="""
        def gini(v):
            v = np.sort(v)
            n = len(v)
            return np.sum((2 * np.arange(1, n + 1) - n - 1) * v) / (n * np.sum(v))

        def act(u):
            if u > 1:
                return np.log(u)
            return u ** 2 - 1
        """,
    ),
    Case(
        "nan functions missing data",
        """
        y = np.where(miss, np.nan, x)
        mu = np.nanmean(y, axis=0)
        sd = np.nanstd(y, axis=1)
        filled = np.where(np.isnan(y), mu, y)
        return (sd ** 2).sum() + np.nansum(y * filled) + np.nanmax(y) * np.nanmedian(y)
        """,
        x="np.array([[1.2,.5,2.2],[.8,-.3,1.9],[.4,1.1,.6]])",
        given="miss = np.array([[False, True, False], [False, False, True], [True, False, False]])",
    ),
    Case(
        "roll tile flip",
        """
        adv = x - 0.4 * (x - np.roll(x, 1))
        board = np.tile(adv, (2, 2))
        d = np.ediff1d(x, to_begin=x[0], to_end=0.0)
        return (board * np.flip(board, axis=1)).sum() + (d ** 3).sum() + np.rot90(np.outer(x, adv))[0].sum()
        """,
        x="np.array([.2,1.4,-.5,.9])",
    ),
    Case(
        "ufunc methods",
        """
        lse = np.logaddexp.reduce(x)
        run = np.logaddexp.accumulate(x)
        surv = np.multiply.accumulate(1 - 0.1 * x ** 2)
        D = np.subtract.outer(x, x)
        seg = np.add.reduceat(x ** 2, [0, 2, 3])
        return lse * run.sum() + np.add.reduce(np.exp(-D ** 2), axis=None) + surv[-1] + np.maximum.reduce(seg)
        """,
        x="np.array([.3,1.6,.8,-.4,1.1])",
    ),
    Case(
        "special elementwise",
        """
        a = np.hypot(x, 1.5) + np.arctan2(x, 0.7) + np.cbrt(x) + np.expm1(-x)
        b = np.sinc(x) + np.i0(x) + np.exp2(x) - np.log10(x) + np.deg2rad(90 * x)
        frac, whole = np.modf(x)
        c = np.copysign(x, -1.0) * np.heaviside(x - 1, 0.5) + np.float_power(x, 1.5) + np.fmod(x, 0.9)
        return (a * b).sum() + (c * frac).sum() + whole.sum()
        """,
        x="np.array([.35,1.27,2.6])",
    ),
    Case(
        "meshgrid groups partition",
        """
        gx, gy = np.meshgrid(x[:3], x[2:], indexing='ij')
        surf = np.exp(-(gx - gy) ** 2).sum()
        names, inv, cnt = np.unique(site, return_inverse=True, return_counts=True)
        means = np.bincount(inv, weights=x) / cnt
        within = ((x - means[inv]) ** 2).sum()
        small = np.partition(x, 2)[:2].sum()
        k = np.searchsorted([0.0, 1.0, 2.0], x)
        slope = np.array([0., 1., -1., 2.])[k]
        return surf + within * small + np.sum(slope * x) + np.ptp(np.unique(x))
        """,
        x="np.array([.4,1.3,2.2,-.6,.9])",
        given="site = np.array(['b', 'a', 'c', 'a', 'b'])",
    ),
    Case(
        "transforms of comprehensions",
        """
        sig = np.array([x[0] * np.sin(x[2] * ti) + np.exp(-x[1] * ti) for ti in t])
        P = np.abs(np.fft.rfft(sig)) ** 2
        mid = np.interp([0.15, 0.6], t, [v ** 2 for v in sig])
        return np.log(P).sum() + mid.prod()
        """,
        x="np.array([1.3,.4,2.])",
        given="t = np.linspace(0, 1, 8, endpoint=False)",
        plain=False,
    ),
]
