"""Loops through time and tables that are filled step by step."""

from ._judge import Case

CASES = [
    Case(
        "GARCH(1,1) with variances filled into zeros",
        """
        mu, omega, alpha, beta = x
        e = returns - mu
        T = len(e)
        h = np.zeros(T)
        h[0] = e.var()
        for t in range(1, T):
            h[t] = omega + alpha * e[t - 1] ** 2 + beta * h[t - 1]
        return 0.5 * np.sum(np.log(2 * np.pi) + np.log(h) + e**2 / h)
        """,
        given="returns = rng.normal(size=12)",
        x="np.array([0.05, 0.1, 0.15, 0.7])",
        plain=False,
    ),
    Case(
        "an exponential GARCH with its variances in a list",
        """
        omega, alpha, gamma, beta = x
        log_h = [np.log(np.mean(returns**2))]
        for r in returns[:-1]:
            z = r / np.exp(0.5 * log_h[-1])
            log_h.append(omega + alpha * (abs(z) - np.sqrt(2 / np.pi)) + gamma * z + beta * log_h[-1])
        log_h = np.array(log_h)
        return 0.5 * (log_h + returns**2 / np.exp(log_h)).sum()
        """,
        given="returns = rng.normal(size=10)",
        x="np.array([0.02, 0.2, -0.1, 0.9])",
        plain=False,
    ),
    Case(
        "innovations of an ARMA process",
        """
        phi, theta, sigma = x[:2], x[2], np.exp(x[3])
        e = np.zeros_like(series)
        for t in range(2, len(series)):
            e[t] = series[t] - phi @ series[t - 2 : t][::-1] - theta * e[t - 1]
        return 0.5 * np.sum(e[2:] ** 2) / sigma**2 + len(e[2:]) * np.log(sigma)
        """,
        given="series = np.cumsum(rng.normal(size=9))",
        x="np.array([0.6, 0.2, 0.3, 0.1])",
        plain=False,
    ),
    Case(
        "a Kalman filter of a local level",
        """
        q, r = np.exp(x)
        m, P, loglik = 0.0, 10.0, 0.0
        for y in observations:
            P = P + q
            S = P + r
            loglik += -0.5 * (np.log(2 * np.pi * S) + (y - m) ** 2 / S)
            K = P / S
            m += K * (y - m)
            P *= 1 - K
        return -loglik
        """,
        given="observations = np.cumsum(rng.normal(size=8)) + 0.3 * rng.normal(size=8)",
        x="np.array([-0.2, -1.0])",
    ),
    Case(
        "a Kalman filter with matrices",
        """
        F = np.array([[1.0, 1.0], [0.0, x[0]]])
        Q = np.diag(np.exp(x[1:3]))
        H, R = np.array([[1.0, 0.0]]), np.exp(x[3:4])[:, None]
        m, P, nll = np.zeros(2), 5 * np.eye(2), 0.0
        for y in observations:
            m, P = F @ m, F @ P @ F.T + Q
            v, S = y - H @ m, H @ P @ H.T + R
            K = P @ H.T @ np.linalg.inv(S)
            nll += 0.5 * (np.linalg.slogdet(S)[1] + v @ np.linalg.solve(S, v))
            m, P = m + K @ v, (np.eye(2) - K @ H) @ P
        return nll
        """,
        given="observations = np.cumsum(rng.normal(size=6))",
        x="np.array([0.9, -1.0, -2.0, -0.5])",
    ),
    Case(
        "Runge-Kutta steps of van der Pol",
        """
        def rk4(f, y, t, h):
            k1 = f(y, t)
            k2 = f(y + h / 2 * k1, t + h / 2)
            k3 = f(y + h / 2 * k2, t + h / 2)
            k4 = f(y + h * k3, t + h)
            return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

        def oscillator(y, t):
            return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0] + force * np.cos(t)])

        mu, force, start = x
        y, loss = np.array([start, 0.0]), 0.0
        for k in range(4):
            y = rk4(oscillator, y, 0.2 * k, 0.2)
            loss += (y[0] - 0.5 * k) ** 2
        return loss
        """,
        x="np.array([0.8, 0.4, 1.1])",
    ),
    Case(
        "leapfrog on a Kepler orbit, in place",
        """
        def acceleration(q):
            return -q / np.sum(q**2) ** 1.5

        q, p = x[:2].copy(), x[2:].copy()
        dt = 0.1
        p += 0.5 * dt * acceleration(q)
        for _ in range(5):
            q += dt * p
            p += dt * acceleration(q)
        p -= 0.5 * dt * acceleration(q)
        energy = 0.5 * p @ p - 1 / np.linalg.norm(q)
        return energy**2 + np.cross(np.append(q, 0), np.append(p, 0))[2] + q[0]
        """,
        x="np.array([1.0, 0.1, -0.2, 0.9])",
    ),
    Case(
        "the forward algorithm of a hidden Markov model",
        """
        transition = np.exp(x[:2]) / np.exp(x[:2]).sum(axis=1, keepdims=True)
        means, T = x[2], len(observed)
        density = np.exp(-0.5 * (observed[:, None] - means) ** 2) / np.sqrt(2 * np.pi)
        alpha, scale = np.zeros((T, 2)), np.zeros(T)
        alpha[0] = 0.5 * density[0]
        scale[0] = alpha[0].sum()
        alpha[0] /= scale[0]
        for t in range(1, T):
            alpha[t] = alpha[t - 1] @ transition * density[t]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        return -np.log(scale).sum() + alpha[-1, 0]
        """,
        given="observed = rng.normal(size=5)",
        x="rng.normal(size=(3, 2))",
        plain=False,
    ),
    Case(
        "Viterbi and forward scores in the log domain",
        """
        log_A = x[:2] - np.logaddexp.reduce(x[:2], axis=1)[:, None]
        emission = -0.5 * (observed[:, np.newaxis] - x[2]) ** 2
        forward = best = emission[0] - np.log(2)
        for e in emission[1:]:
            forward = np.logaddexp.reduce(forward[:, None] + log_A, axis=0) + e
            best = np.max(best[:, None] + log_A, axis=0) + e
        return np.logaddexp.reduce(forward) - best.max()
        """,
        given="observed = rng.normal(size=5)",
        x="rng.normal(size=(3, 2))",
    ),
    Case(
        "dynamic time warping in a table of infinities",
        """
        n, m = len(x), len(y)
        D = np.full((n + 1, m + 1), np.inf)
        D[0, 0] = 0.0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                D[i, j] = (x[i - 1] - y[j - 1]) ** 2 + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
        return np.sqrt(D[n, m])
        """,
        given="y = rng.normal(size=5)",
        x="rng.normal(size=4)",
        plain=False,
    ),
    Case(
        "Thomas' algorithm, and the bending of a beam",
        """
        n = len(x)
        c, d = np.empty_like(x), np.empty_like(x)
        diagonal = 2 + x**2
        c[0], d[0] = -1 / diagonal[0], x[0] / diagonal[0]
        for i in range(1, n):
            pivot = diagonal[i] + c[i - 1]
            c[i] = -1 / pivot
            d[i] = (x[i] + d[i - 1]) / pivot
        for i in range(n - 2, -1, -1):
            d[i] -= c[i] * d[i + 1]
        return (d**2).sum()
        """,
        x="rng.normal(size=5)",
    ),
    Case(
        "a recurrent network that predicts the next value",
        """
        h, loss = np.zeros(2), 0.0
        for now, following in zip(inputs[:-1], inputs[1:]):
            h = np.tanh(params["Wx"] * now + params["Wh"] @ h + params["b"])
            loss += (params["out"] @ h - following) ** 2
        return loss / (len(inputs) - 1)
        """,
        given="inputs = np.sin(np.arange(6.0))",
        x="""{
            "Wx": rng.normal(size=2),
            "Wh": rng.normal(size=(2, 2)),
            "b": rng.normal(size=2),
            "out": rng.normal(size=2),
        }""",
        arg="params",
    ),
    Case(
        "Holt and Winters with a season",
        """
        alpha, beta, gamma = sc.expit(x[:3])
        level, trend, season = x[3], x[4], [0.1, -0.1, 0.2]
        sse = 0.0
        for t, y in enumerate(demand):
            s = season[t % 3]
            error = y - (level + trend + s)
            sse += error**2
            previous, level = level, alpha * (y - s) + (1 - alpha) * (level + trend)
            trend = beta * (level - previous) + (1 - beta) * trend
            season[t % 3] = gamma * (y - level) + (1 - gamma) * s
        return np.sqrt(sse / demand.size)
        """,
        given="demand = 3 + rng.normal(size=9)",
        x="np.array([0.1, -0.4, 0.2, 3.0, 0.1])",
    ),
    Case(
        "an American put on a binomial tree",
        """
        S0, sigma, r = x
        n, dt, K = 6, 1 / 6, 1.0
        up = np.exp(sigma * np.sqrt(dt))
        q = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
        j = np.arange(n + 1)
        value = np.maximum(K - S0 * up ** (2.0 * j - n), 0)
        for step in range(n - 1, -1, -1):
            spot = S0 * up ** (2.0 * j[: step + 1] - step)
            value = np.exp(-r * dt) * (q * value[1:] + (1 - q) * value[:-1])
            value = np.maximum(value, K - spot)
        return value[0]
        """,
        x="np.array([0.94, 0.3, 0.05])",
    ),
    Case(
        "value iteration and the policy it ends in",
        """
        V = np.zeros(3)
        for _ in range(6):
            Q = reward + 0.9 * P @ V
            V = Q.max(axis=1)
        policy = Q.argmax(axis=1)
        return V @ np.array([0.2, 0.3, 0.5]) + Q[np.arange(3), policy].var() + np.log(np.exp(Q).sum(axis=-1)).mean()
        """,
        given="P = rng.dirichlet(np.ones(3), size=(3, 2))",
        x="rng.normal(size=(3, 2))",
        arg="reward",
    ),
    Case(
        "Kepler's equation by Newton's steps",
        """
        e, M = x[0], x[1:]
        E = M.copy()
        while True:
            step = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
            E -= step
            if np.abs(step).max() < 1e-12:
                break
        nu = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(E / 2), np.sqrt(1 - e) * np.cos(E / 2))
        return nu.sum() + (1 - e * np.cos(E)).prod()
        """,
        x="np.array([0.3, 0.7, 2.0])",
    ),
    Case(
        "an epidemic fitted to counts",
        """
        beta, gamma = np.exp(x[0]), np.exp(x[1])
        S, I = np.zeros((2, len(cases) + 1))
        S[0], I[0] = 1 - 0.01, 0.01 * sc.expit(x[2])
        for t in range(len(cases)):
            infections = beta * S[t] * I[t]
            S[t + 1] = S[t] - infections
            I[t + 1] = I[t] + infections - gamma * I[t]
        expected = 1000 * (S[:-1] - S[1:])
        return np.sum(expected - cases * np.log(expected))
        """,
        given="cases = np.array([3.0, 5.0, 9.0, 14.0, 20.0])",
        x="np.array([-0.3, -1.2, 0.5])",
        plain=False,
    ),
    Case(
        "Levinson's and Durbin's recursion",
        """
        r = np.array([np.dot(x[: len(x) - k], x[k:]) for k in range(4)])
        a, error = np.zeros(4), r[0]
        a[0] = 1.0
        for i in range(1, 4):
            k = -(a[:i] @ r[i:0:-1]) / error
            a[1 : i + 1] += k * a[i - 1 :: -1][:i]
            error *= 1 - k**2
        return np.log(error) + (a * np.arange(4)).sum()
        """,
        x="rng.normal(size=7)",
        plain=False,
    ),
    Case(
        "conjugate gradients in place",
        """
        A = B @ B.T + np.eye(len(B))
        s = np.zeros_like(B[0])
        r = B[0] - A @ s
        p, rho = r.copy(), r @ r
        for _ in range(2):
            Ap = A @ p
            alpha = rho / (p @ Ap)
            s += alpha * p
            r -= alpha * Ap
            rho, old = r @ r, rho
            p *= rho / old
            p += r
        return s @ s + rho
        """,
        x="rng.normal(size=(4, 4))",
        arg="B",
    ),
    Case(
        "a discrete Riccati recursion and the cost of its controller",
        """
        A, B = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.0], [0.1]])
        Q, R = np.diag(x[:2] ** 2), x[2:, None] ** 2
        P, gains = Q, []
        for _ in range(4):
            K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A)
            P = Q + A.T @ P @ (A - B @ K)
            gains.append(K)
        state, cost = np.array([1.0, 0.0]), 0.0
        for K in gains[::-1]:
            u = -K @ state
            cost += state @ state + 0.1 * u @ u
            state = A @ state + B @ u
        return cost + P[0, 0]
        """,
        x="np.array([1.0, 0.5, 0.3])",
    ),
    Case(
        "garch 11 nll",
        """
        omega, alpha, beta = x
        T = len(r)
        h = np.zeros(T)
        h[0] = omega / (1 - alpha - beta)
        for t in range(1, T):
            h[t] = omega + alpha * r[t - 1] ** 2 + beta * h[t - 1]
        return 0.5 * np.sum(np.log(2 * np.pi * h) + r ** 2 / h)
        """,
        x="np.array([.1,.15,.7])",
        given="r = np.array([.3, -1.1, .8, .2, -.6, 1.9, -.4, .5])",
        plain=False,
    ),
    Case(
        "local level kalman",
        """
        q, r = np.exp(x)
        m, P, ll = 0.0, 10.0, 0.0
        for obs in y:
            P = P + q
            S = P + r
            v = obs - m
            ll += -0.5 * (np.log(2 * np.pi * S) + v ** 2 / S)
            K = P / S
            m = m + K * v
            P = (1 - K) * P
        return -ll
        """,
        x="np.array([-.5,.3])",
        given="y = np.array([1.1, .9, 1.6, 2.2, 1.8, 2.5])",
    ),
    Case(
        "kalman constant velocity",
        """
        q, r, damp = np.exp(x[0]), np.exp(x[1]), x[2]
        F = np.array([[1.0, 1.0], [0.0, 1.0 - damp]])
        Q = q * np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])
        H = np.array([[1.0, 0.0]])
        m, P = np.zeros(2), np.eye(2)
        nll = 0.0
        for z in zs:
            m, P = F @ m, F @ P @ F.T + Q
            S = H @ P @ H.T + r
            K = P @ H.T @ np.linalg.inv(S)
            e = z - H @ m
            nll += 0.5 * (np.log(np.linalg.det(S)) + e @ np.linalg.solve(S, e))
            m = m + K @ e
            P = (np.eye(2) - K @ H) @ P
        return nll
        """,
        x="np.array([.4,-.6,.2])",
        given="zs = [0.1, 1.3, 1.9, 3.2, 4.4]",
        plain=False,
    ),
    Case(
        "rk4 van der pol",
        """
        mu = x[2]

        def rhs(z):
            return np.stack([z[1], mu * (1 - z[0] ** 2) * z[1] - z[0]])

        z, h = x[:2], 0.1
        for _ in range(10):
            k1 = rhs(z)
            k2 = rhs(z + h / 2 * k1)
            k3 = rhs(z + h / 2 * k2)
            k4 = rhs(z + h * k3)
            z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return z[0] ** 2 + 3 * z[1]
        """,
        x="np.array([1.2,-.4,.9])",
    ),
    Case(
        "leapfrog hmc energy",
        """
        q, p, eps = x.copy(), np.array([.3, .8]), 0.1
        p = p - 0.5 * eps * grad_U(q)
        for i in range(6):
            q += eps * p
            if i < 5:
                p -= eps * grad_U(q)
        p -= 0.5 * eps * grad_U(q)
        return 0.5 * p @ p + 0.5 * q @ A @ q + np.sum(q ** 4) / 4 + q[0]
        """,
        x="np.array([.6,-1.1])",
        given="""
        A = np.array([[2., .5], [.5, 1.]])

        def grad_U(q):
            return A @ q + q ** 3
        """,
    ),
    Case(
        "hmm forward log",
        """
        logA = x - np.logaddexp.reduce(x, axis=1, keepdims=True)
        alpha = np.log(np.ones(3) / 3) + B[:, obs[0]]
        for o in obs[1:]:
            alpha = np.logaddexp.reduce(alpha[:, None] + logA, axis=0) + B[:, o]
        return -np.logaddexp.reduce(alpha)
        """,
        x="np.array([[.5,-.2,.1],[.3,.8,-.6],[-.4,.2,.9]])",
        given="""
        obs = [0, 2, 1, 1, 0]
        B = np.log(np.array([[.7, .2, .1], [.1, .6, .3], [.3, .3, .4]]))
        """,
    ),
    Case(
        "hmm scaled table",
        """
        A = np.exp(x)
        A /= A.sum(axis=1, keepdims=True)
        T, K = lik.shape
        fwd, scale = np.zeros((T, K)), np.zeros(T)
        fwd[0] = np.array([.5, .5]) * lik[0]
        for t in range(T):
            if t > 0:
                fwd[t] = fwd[t - 1] @ A * lik[t]
            scale[t] = fwd[t].sum()
            fwd[t] /= scale[t]
        return np.log(scale).sum() + fwd[-1, 0] ** 2
        """,
        x="np.array([[.2,.9],[1.1,-.3]])",
        given="lik = np.array([[.8, .2], [.3, .6], [.5, .5], [.1, .7]])",
        plain=False,
    ),
    Case(
        "thomas on copies",
        """
        u = thomas(-x[1:] ** 2, 3 + x ** 2, -x[:-1], np.sin(x))
        return np.sum(u ** 2) + u[1]
        """,
        x="np.array([1.,2.,-.5,.8])",
        given="""
        def thomas(a, b, c, d):
            b, d = b.copy(), d.copy()
            n = len(d)
            for i in range(1, n):
                w = a[i - 1] / b[i - 1]
                b[i] -= w * c[i - 1]
                d[i] -= w * d[i - 1]
            u = np.zeros_like(d)
            u[-1] = d[-1] / b[-1]
            for i in range(n - 2, -1, -1):
                u[i] = (d[i] - c[i] * u[i + 1]) / b[i]
            return u
        """,
    ),
    Case(
        "soft dtw table",
        """
        n, m, gamma = len(x), len(ref), 0.5
        R = np.full((n + 1, m + 1), 1e6)
        R[0, 0] = 0.0
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                cost = (x[i - 1] - ref[j - 1]) ** 2
                prev = np.array([R[i - 1, j], R[i, j - 1], R[i - 1, j - 1]])
                z = -prev / gamma
                zm = np.max(z)
                R[i, j] = cost - gamma * (zm + np.log(np.sum(np.exp(z - zm))))
        return R[n, m]
        """,
        x="np.array([.2,1.1,.7,1.9])",
        given="ref = np.array([.1, .9, 1.5])",
        plain=False,
        by_jacobian=True,
    ),
    Case(
        "sinkhorn transport",
        """
        K = np.exp(-x / 0.5)
        u = np.ones_like(a)
        for _ in range(15):
            v = b / (K.T @ u)
            u = a / (K @ v)
        P = u[:, None] * K * v[None, :]
        return np.sum(P * x)
        """,
        x="np.array([[.2,1.4,.9],[.8,.3,1.7]])",
        given="a, b = np.array([.4, .6]), np.array([.3, .3, .4])",
    ),
    Case(
        "modified gram schmidt",
        """
        V = x.copy()
        n = V.shape[1]
        R = np.zeros_like(x)
        for k in range(n):
            R[k, k] = np.sqrt(np.sum(V[:, k] ** 2))
            V[:, k] /= R[k, k]
            for j in range(k + 1, n):
                R[k, j] = V[:, k] @ V[:, j]
                V[:, j] -= R[k, j] * V[:, k]
        return np.log(np.diag(R)).sum() + (V * np.arange(9).reshape(3, 3)).sum() + R[0, 2]
        """,
        x="np.array([[1.,.4,.2],[.3,1.5,-.6],[-.5,.7,1.1]])",
        by_jacobian=True,
    ),
    Case(
        "conjugate gradient steps",
        """
        b = x ** 2 - 1
        u = np.zeros_like(b)
        r = b - M @ u
        p = r.copy()
        rs = r @ r
        for _ in range(3):
            Ap = M @ p
            al = rs / (p @ Ap)
            u = u + al * p
            r = r - al * Ap
            rs_new = r @ r
            p = r + (rs_new / rs) * p
            rs = rs_new
        return np.sum(u ** 3) + r @ r
        """,
        x="np.array([.8,-.3,1.2,.5])",
        given="M = np.array([[4., 1., 0., 0.], [1., 3., 1., 0.], [0., 1., 5., 1.], [0., 0., 1., 2.]])",
    ),
    Case(
        "levinson durbin",
        """
        p = len(x) - 1
        a = np.zeros(p + 1)
        a[0] = 1.0
        err = x[0]
        for i in range(1, p + 1):
            acc = x[i]
            for j in range(1, i):
                acc += a[j] * x[i - j]
            k = -acc / err
            new = a.copy()
            new[i] = k
            new[1:i] += k * a[i - 1:0:-1]
            a = new
            err *= 1 - k ** 2
        return np.log(err) + np.sum(a ** 2)
        """,
        x="np.array([2.,1.1,.5,-.2])",
        plain=False,
    ),
    Case(
        "sir epidemic table",
        """
        beta, gamma, i0 = x
        T = 6
        S, I, R = np.empty(T), np.empty(T), np.empty(T)
        S[0], I[0], R[0] = 1 - i0, i0, 0.0
        for t in range(T - 1):
            inf = beta * S[t] * I[t]
            S[t + 1] = S[t] - inf
            I[t + 1] = I[t] + inf - gamma * I[t]
            R[t + 1] = R[t] + gamma * I[t]
        return 100 * np.sum((I + R - cases) ** 2)
        """,
        x="np.array([.4,.12,.02])",
        given="cases = np.array([.03, .05, .06, .07, .09, .1])",
        plain=False,
    ),
    Case(
        "maxplus assembly line",
        """
        fast, slow = x[0], x[3]
        for k in range(1, 3):
            fast, slow = (np.minimum(fast, slow + 0.4) + x[k], np.minimum(slow, fast + 0.3) + x[k + 3])
        late = np.maximum(0, fast - 2) ** 2
        # soft value iteration on the same costs
        v = np.zeros(3)
        for _ in range(6):
            v = np.logaddexp(-x[:3] + 0.9 * v, -x[3:] + 0.9 * v[::-1])
        return late + np.minimum(fast, slow) + v.sum()
        """,
        x="np.array([2.,1.5,3.,.7,1.1,2.4])",
    ),
]
