"""Whole objectives, as papers and textbooks have them, many with parameters in dictionaries, lists and tuples."""

from ._judge import Case

CASES = [
    Case(
        "a logistic regression with an intercept and a penalty",
        """
        z = params["intercept"] + X @ params["beta"]
        nll = np.sum(np.logaddexp(0, z) - y * z)
        return nll + 0.5 * np.linalg.norm(params["beta"]) ** 2
        """,
        given="X = rng.normal(size=(8, 2)); y = (X[:, 0] + rng.normal(size=8) > 0).astype(float)",
        x="""{"intercept": 0.2, "beta": np.array([0.5, -0.7])}""",
        arg="params",
    ),
    Case(
        "Weibull survival times with censoring",
        """
        shape, scale = np.exp(params[0]), np.exp(Z @ params[1])
        hazard = np.log(shape) - np.log(scale) + (shape - 1) * (np.log(times) - np.log(scale))
        return -(hazard[died].sum() - ((times / scale) ** shape).sum())
        """,
        given="""
        times = rng.weibull(1.5, size=7)
        died = np.array([True, True, False, True, False, True, True])
        Z = np.column_stack([np.ones(7), rng.normal(size=7)])
        """,
        x="(0.3, np.array([0.1, -0.4]))",
        arg="params",
    ),
    Case(
        "Cox's partial likelihood",
        """
        order = np.argsort(-times)
        eta = (Z @ beta)[order]
        shift = eta.max()
        log_risk = np.log(np.cumsum(np.exp(eta - shift))) + shift
        return -np.sum((eta - log_risk)[died[order]])
        """,
        given="times = rng.exponential(size=8); died = rng.uniform(size=8) < 0.7; Z = rng.normal(size=(8, 3))",
        x="rng.normal(size=3)",
        arg="beta",
    ),
    Case(
        "a mixture of Gaussians",
        """
        log_weights, means, factors = params["log proportions"], params["means"], params["lower triangles"]
        log_weights = log_weights - np.logaddexp.reduce(log_weights)
        scores = []
        for log_weight, mean, factor in zip(log_weights, means, factors):
            z = (data - mean) @ factor.T
            scores.append(log_weight + np.linalg.slogdet(factor)[1] - 0.5 * np.sum(z**2, axis=1))
        return -np.sum(np.logaddexp.reduce(np.vstack(scores), axis=0))
        """,
        given="data = rng.normal(size=(6, 2))",
        x="""{
            "log proportions": np.array([0.1, -0.3]),
            "means": rng.normal(size=(2, 2)),
            "lower triangles": np.tril(0.3 * rng.normal(size=(2, 2, 2))) + np.eye(2),
        }""",
        arg="params",
    ),
    Case(
        "the marginal likelihood of a Gaussian process",
        """
        amplitude, lengthscale, noise = np.exp(theta)
        r2 = (X[:, None] - X[None, :]) ** 2
        K = amplitude * (1 + np.sqrt(5 * r2) / lengthscale + 5 * r2 / (3 * lengthscale**2))
        K = K * np.exp(-np.sqrt(5 * r2) / lengthscale)
        K[np.diag_indices_from(K)] += noise
        L = np.linalg.cholesky(K)
        alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
        return 0.5 * y.dot(alpha) + np.log(np.diag(L)).sum() + 0.5 * len(y) * np.log(2 * np.pi)
        """,
        given="X = np.sort(rng.uniform(0, 3, size=6)); y = np.sin(X)",
        x="np.array([0.1, -0.2, -2.0])",
        arg="theta",
    ),
    Case(
        "an ordered probit",
        """
        beta, cuts = theta[:2], np.cumsum(np.r_[theta[2], np.exp(theta[3:])])
        edges = np.concatenate([[-np.inf], cuts, [np.inf]])
        eta = X @ beta
        p = sc.ndtr(edges[y + 1] - eta) - sc.ndtr(edges[y] - eta)
        return -np.log(p).sum()
        """,
        given="X = rng.normal(size=(7, 2)); y = np.array([0, 2, 1, 3, 1, 2, 0])",
        x="np.array([0.4, -0.3, -0.8, 0.1, -0.2])",
        arg="theta",
    ),
    Case(
        "a neural network with a list of layers",
        """
        h = inputs
        for W, b in layers[:-1]:
            h = np.tanh(np.dot(h, W) + b)
        W, b = layers[-1]
        logits = np.dot(h, W) + b
        logits -= logits.max(axis=1, keepdims=True)
        log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        l2 = sum(np.sum(W**2) for W, _ in layers)
        return -np.mean(log_p[range(len(labels)), labels]) + 0.01 * l2
        """,
        given="inputs = rng.normal(size=(5, 2)); labels = np.array([0, 1, 2, 1, 0])",
        x="""[
            (rng.normal(size=(2, 2)), np.zeros(2)),
            (rng.normal(size=(2, 3)), 0.1 * np.arange(3)),
        ]""",
        arg="layers",
    ),
    Case(
        "a convolutional layer, pooling and batch normalisation",
        """
        height = width = 4
        maps = np.empty((len(images), height, width))
        for i in range(height):
            for j in range(width):
                maps[:, i, j] = np.sum(images[:, i : i + 3, j : j + 3] * kernel, axis=(1, 2))
        maps = (maps - maps.mean()) / np.sqrt(maps.var() + 1e-5)
        pooled = maps.reshape(-1, 2, 2, 2, 2).max(axis=(2, 4))
        return np.sum(np.maximum(pooled, 0) ** 2)
        """,
        given="images = rng.normal(size=(2, 6, 6))",
        x="rng.normal(size=(3, 3))",
        arg="kernel",
        plain=False,
    ),
    Case(
        "the evidence bound of a variational autoencoder",
        """
        encoder, decoder = params
        h = np.maximum(0, data @ encoder["W"])
        mu, log_sigma = np.split(h @ encoder["heads"], 2, axis=1)
        z = mu + np.exp(log_sigma) * noise
        logits = z @ decoder
        kl = -0.5 * np.sum(1 + 2 * log_sigma - mu**2 - np.exp(2 * log_sigma))
        return kl + np.sum(np.log1p(np.exp(logits)) - (data > 0) * logits)
        """,
        given="data = rng.normal(size=(4, 3)); noise = rng.normal(size=(4, 1))",
        x="""({"W": rng.normal(size=(3, 2)), "heads": 0.5 * rng.normal(size=(2, 2))}, rng.normal(size=(1, 3)))""",
        arg="params",
    ),
    Case(
        "a cluster of Lennard-Jones atoms in a periodic box",
        """
        energy, n = 0.0, len(positions)
        for i in range(n - 1):
            r = positions[i + 1 :] - positions[i]
            r -= box * np.round(r / box)
            inverse6 = 1 / (r**2).sum(axis=1) ** 3
            energy += 4 * np.sum(inverse6**2 - inverse6)
        return energy
        """,
        given="box = 4.0",
        x="np.array([[0.1, 0.2], [1.2, 0.1], [0.3, 1.3], [2.8, 2.6]])",
        arg="positions",
    ),
    Case(
        "a truss by finite elements",
        """
        n = len(nodes)
        K = np.zeros((2 * n, 2 * n))
        for a, (i, j) in zip(areas, bars):
            d = nodes[j] - nodes[i]
            length = np.sqrt(d @ d)
            c, s = d / length
            k = a / length * np.outer([-c, -s, c, s], [-c, -s, c, s])
            dofs = [2 * i, 2 * i + 1, 2 * j, 2 * j + 1]
            K[np.ix_(dofs, dofs)] += k
        free = np.arange(4, 2 * n)
        u = np.zeros(2 * n)
        u[free] = np.linalg.solve(K[np.ix_(free, free)], load)
        return load @ u[free] + 0.1 * areas.sum()
        """,
        given="""
        nodes = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        bars = [(0, 2), (1, 3), (0, 3), (1, 2), (2, 3)]
        load = np.array([0.0, -1.0, 0.2, -0.5])
        """,
        x="np.array([1.0, 0.8, 1.2, 0.6, 1.1])",
        arg="areas",
        plain=False,
    ),
    Case(
        "a step of an incompressible fluid",
        """
        def project(vx, vy):
            p = np.zeros(vx.shape)
            div = -0.5 * (np.roll(vx, -1, axis=1) - np.roll(vx, 1, axis=1))
            div = div - 0.5 * (np.roll(vy, -1, axis=0) - np.roll(vy, 1, axis=0))
            for _ in range(4):
                sides = np.roll(p, 1, axis=1) + np.roll(p, -1, axis=1)
                p = (div + sides + np.roll(p, 1, axis=0) + np.roll(p, -1, axis=0)) / 4
            vx = vx - 0.5 * (np.roll(p, -1, axis=1) - np.roll(p, 1, axis=1))
            return vx, vy - 0.5 * (np.roll(p, -1, axis=0) - np.roll(p, 1, axis=0))

        def advect(f, vx, vy):
            rows, cols = f.shape
            cell_xs, cell_ys = np.meshgrid(np.arange(cols), np.arange(rows))
            center_xs, center_ys = (cell_xs - vx).ravel(), (cell_ys - vy).ravel()
            left, top = np.floor(center_xs).astype(int), np.floor(center_ys).astype(int)
            rw, bw = center_xs - left, center_ys - top
            left, right, top, bottom = left % cols, (left + 1) % cols, top % rows, (top + 1) % rows
            flat = (1 - rw) * ((1 - bw) * f[top, left] + bw * f[bottom, left])
            flat = flat + rw * ((1 - bw) * f[top, right] + bw * f[bottom, right])
            return np.reshape(flat, (rows, cols))

        vx, vy = project(*v)
        smoke = advect(smoke0, vx, vy)
        return np.mean((smoke - target) ** 2) + np.sum(advect(vx, vx, vy) ** 2)
        """,
        given="smoke0 = rng.uniform(size=(3, 3)); target = rng.uniform(size=(3, 3))",
        x="0.4 * rng.normal(size=(2, 3, 3))",
        arg="v",
        by_jacobian=True,
    ),
    Case(
        "a wave packet by split steps",
        """
        k = 2 * np.pi * np.fft.fftfreq(len(grid), d=0.5)
        psi = np.exp(-(grid**2) + 1j * x[0] * grid)
        psi /= np.sqrt(np.sum(np.abs(psi) ** 2))
        half = np.exp(-0.05j * x[1] * grid**2)
        for _ in range(3):
            psi = half * np.fft.ifft(np.exp(-0.05j * k**2) * np.fft.fft(half * psi))
        density = (psi.conj() * psi).real
        current = np.imag(np.conj(psi[1:-1]) * (psi[2:] - psi[:-2]))
        return density @ grid + density @ grid**2 + current.sum() * x[2]
        """,
        given="grid = 0.5 * (np.arange(8) - 4)",
        x="np.array([0.7, 0.4, 1.2])",
    ),
    Case(
        "Black and Scholes, implied volatility and vega",
        """
        S, sigma, r = x
        d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
        call = S * sc.ndtr(d1) - K * np.exp(-r * T) * sc.ndtr(d1 - sigma * np.sqrt(T))
        market, guess = call + 0.01 * np.arange(3), np.full_like(call, 0.25)
        for _ in range(6):
            d = (np.log(S / K) + (r + 0.5 * guess**2) * T) / (guess * np.sqrt(T))
            price = S * sc.ndtr(d) - K * np.exp(-r * T) * sc.ndtr(d - guess * np.sqrt(T))
            guess -= (price - market) / (S * np.sqrt(T / (2 * np.pi)) * np.exp(-0.5 * d**2))
        return call.sum() + (guess**2).sum()
        """,
        given="K = np.array([0.9, 1.0, 1.1]); T = np.array([0.5, 1.0, 2.0])",
        x="np.array([1.02, 0.2, 0.03])",
    ),
    Case(
        "Heston's prices from a characteristic function",
        """
        kappa, theta, xi, rho, v0 = x
        u = np.linspace(0.05, 12, 25)
        beta = kappa - 1j * rho * xi * u
        d = np.sqrt(beta**2 + xi**2 * (u**2 + 1j * u))
        g = (beta - d) / (beta + d)
        decay = np.exp(-d)
        C = kappa * theta / xi**2 * (beta - d - 2 * np.log((1 - g * decay) / (1 - g)))
        D = (beta - d) / xi**2 * (1 - decay) / (1 - g * decay)
        phi = np.exp(C + D * v0)
        strikes = np.log(np.array([[0.9], [1.1]]))
        return np.trapezoid((np.exp(-1j * u * strikes) * phi / (1j * u)).real, u, axis=1) @ np.array([1.0, -0.5])
        """,
        x="np.array([1.5, 0.09, 0.5, -0.6, 0.12])",
    ),
    Case(
        "a yield curve of Nelson and Siegel",
        """
        level, slope, curvature, tau = params["level"], params["slope"], params["curvature"], params["tau"]
        m = maturities / tau
        loading = -np.expm1(-m) / m
        y = level + slope * loading + curvature * (loading - np.exp(-m))
        discount = np.exp(-y * maturities)
        prices = [coupon * np.sum(discount[: k + 1]) + discount[k] for k, coupon in bonds]
        return np.sum((np.array(prices) - 1) ** 2) * 100 + np.max(np.abs(np.diff(y)))
        """,
        given="maturities = np.array([0.5, 1.0, 2.0, 5.0]); bonds = [(1, 0.02), (2, 0.025), (3, 0.03)]",
        x="""{"level": 0.04, "slope": -0.02, "curvature": 0.01, "tau": 1.5}""",
        arg="params",
    ),
    Case(
        "cameras and points of a bundle adjustment",
        """
        residuals = []
        for w, t, f in zip(scene["rotation"], scene["position"], scene["focal"]):
            theta = np.sqrt(np.sum(w**2))
            k = w / theta
            P = scene["points"]
            turned = P * np.cos(theta) + np.cross(k, P) * np.sin(theta) + np.outer(P @ k, k) * (1 - np.cos(theta)) + t
            xy = -turned[:, :2] / turned[:, 2:]
            r2 = np.sum(xy**2, axis=1, keepdims=True)
            residuals.append((f * (1 + 0.1 * r2) * xy - seen).ravel())
        r = np.concatenate(residuals)
        return np.sum(np.log1p(r**2))
        """,
        given="seen = rng.normal(size=(2, 2))",
        x="""{
            "rotation": 0.3 * rng.normal(size=(2, 3)),
            "position": 0.1 * rng.normal(size=(2, 3)) + [0, 0, 4],
            "focal": np.array([1.0, 1.2]),
            "points": rng.normal(size=(2, 3)),
        }""",
        arg="scene",
    ),
    Case(
        "total variation and the corners of an image",
        """
        gy, gx = np.gradient(img)
        tv = np.sqrt(gx**2 + gy**2 + 1e-3).sum()
        blur = np.array([0.25, 0.5, 0.25])
        smooth = lambda a: np.apply_along_axis(np.convolve, 0, a, blur, mode="same")
        Sxx, Syy, Sxy = smooth(gx * gx), smooth(gy * gy), smooth(gx * gy)
        response = Sxx * Syy - Sxy**2 - 0.05 * (Sxx + Syy) ** 2
        strongest = np.sort(response, axis=None)[-3:]
        return 0.5 * ((img - noisy) ** 2).sum() + 0.1 * tv + strongest.sum()
        """,
        given="noisy = rng.normal(size=(4, 4))",
        x="rng.normal(size=(4, 4))",
        arg="img",
    ),
    Case(
        "directions of arrival by a steered array",
        """
        angles, powers = theta[:2], np.exp(theta[2:])
        steering = np.exp(1j * np.pi * np.arange(3)[:, None] * np.sin(angles))
        R = (steering * powers) @ steering.conj().T + 0.1 * np.eye(3)
        sign, logdet = np.linalg.slogdet(R)
        capon = 1 / np.real(look.conj() @ np.linalg.solve(R, look))
        return logdet.real + np.trace(np.linalg.solve(R, sample)).real + capon + np.linalg.eigvalsh(R)[0]
        """,
        given="""
        snapshots = rng.normal(size=(3, 6)) + 1j * rng.normal(size=(3, 6))
        sample = snapshots @ snapshots.conj().T / 6
        look = np.exp(1j * np.pi * np.arange(3) * 0.2)
        """,
        x="np.array([0.3, -0.6, 0.1, 0.4])",
        arg="theta",
    ),
    Case(
        "a pendulum on a cart, driven through soft limits",
        """
        state, cost = np.array([0.0, 0.3, 0.0, 0.0]), 0.0
        for u in np.clip(controls, -2, 2):
            position, angle, velocity, rate = state
            s, c = np.sin(angle), np.cos(angle)
            force = 2 * np.tanh(u)
            acceleration = (force + s * (0.5 * rate**2 - 9.8 * c)) / (1 + s**2)
            spin = (9.8 * 2 * s - c * (force + 0.5 * rate**2 * s)) / (0.5 * (1 + s**2))
            state = state + 0.05 * np.array([velocity, rate, acceleration, spin])
            cost += state @ np.diag([1.0, 10.0, 0.1, 0.1]) @ state + 0.01 * u**2
        return cost - 0.1 * np.log(2 - controls).sum()
        """,
        x="rng.normal(size=4)",
        arg="controls",
    ),
]
