"""Parameters in dictionaries, lists and tuples."""

from ._judge import Case

CASES = [
    Case(
        "mlp dict",
        """
        h = np.tanh(X @ params['W1'] + params['b1'])
        out = h @ params['w2'] + params['b2']
        return np.mean((out - y) ** 2)
        """,
        x="{'W1':np.array([[.1,-.4,.3],[.5,.2,-.6]]),'b1':np.array([.1,0.,-.2]),'w2':np.array([.7,-.3,.4]),'b2':.05}",
        given="""
        X = np.array([[0., 1.], [1., 1.], [1., 0.], [-1., .5]])
        y = np.array([1., 0., 1., .5])
        """,
        arg="params",
    ),
    Case(
        "layers list of tuples",
        """
        a = X
        for W, b in params[:-1]:
            a = np.maximum(a @ W + b, 0)
        W, b = params[-1]
        l2 = sum((w ** 2).sum() for w, _ in params)
        return np.log1p(np.exp(a @ W + b)).sum() + 0.01 * l2
        """,
        x="[(np.array([[.3,-.2],[.1,.8]]),np.array([.1,-.1])),(np.array([[.5],[-.7]]),np.array([.2]))]",
        given="X = np.array([[.2, 1.], [1.5, -.3], [-.4, .6]])",
        arg="params",
    ),
    Case(
        "linear mixed effects",
        """
        mu = X @ p['beta'] + p['u'][g]
        s = np.exp(p['log_sigma'])
        return (0.5 * ((y - mu) / s) ** 2 + p['log_sigma']).sum() + 0.5 * (p['u'] ** 2).sum()
        """,
        x="{'beta':np.array([1.,-.5]),'u':np.array([.2,-.1,.4]),'log_sigma':-.3}",
        given="""
        X = np.array([[1., .2], [1., .9], [1., 1.5], [1., -.4], [1., .6]])
        g = np.array([0, 1, 1, 2, 0])
        y = np.array([1.3, .2, .4, 1.9, .8])
        """,
        arg="p",
    ),
    Case(
        "lstm cell",
        """
        h, c = np.zeros(2), np.zeros(2)
        for u in seq:
            z = np.concatenate([[u], h]) @ p['W'] + p['b']
            i, fg, o, g = np.split(z, 4)
            c = sigmoid(fg) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        return np.sum(h ** 2) + c[0]
        """,
        x="{'W':0.3*np.sin(np.arange(24.)).reshape(3,8),'b':0.1*np.cos(np.arange(8.))}",
        given="""
        seq = np.array([.5, -1., .8, .2])

        def sigmoid(z):
            return 1 / (1 + np.exp(-z))
        """,
        arg="p",
    ),
    Case(
        "state tuple rk2",
        """
        q, v = state
        dt = 0.05
        for _ in range(10):
            qm, vm = q + 0.5 * dt * v, v + 0.5 * dt * acc(q)
            q, v = q + dt * vm, v + dt * acc(qm)
        return 0.5 * v @ v - 1 / np.sqrt(q @ q) + q[0]
        """,
        x="(np.array([1.,.2]),np.array([0.,.9]))",
        given="""
        def acc(q):
            return -q / np.linalg.norm(q) ** 3
        """,
        arg="state",
    ),
    Case(
        "nested dict attention",
        """
        Q, K, V = X @ p['q']['W'], X @ p['k']['W'], X @ p['v']
        s = Q @ K.T / np.sqrt(Q.shape[-1])
        s -= s.max(axis=-1, keepdims=True)
        a = np.exp(s)
        a /= a.sum(-1, keepdims=True)
        return np.square(a @ V).sum()
        """,
        x="{'q':{'W':np.array([[.2,.5],[-.3,.8]])},'k':{'W':np.array([[.6,-.1],[.4,.3]])},'v':np.array([[1.,0.],[.2,-.5]])}",
        given="X = np.array([[.1, 1.], [.9, -.4], [-.7, .3]])",
        arg="p",
    ),
    Case(
        "update all leaves",
        """
        new = {k: v * 0.9 for k, v in p.items()}
        new['b'] = new['b'] + np.outer(new['a'], new['a'])
        vec = np.concatenate([v.ravel() for v in new.values()])
        return np.dot(vec, vec) * vec.max() + sum(np.size(v) * np.mean(v) for v in new.values())
        """,
        x="{'a':np.array([.5,1.5]),'b':np.array([[1.,-.2],[.3,.8]])}",
        arg="p",
    ),
    Case(
        "holt filled states",
        """
        n = len(y)
        level, trend = np.zeros(n + 1), np.zeros(n + 1)
        level[0], trend[0] = p['init']
        sse = 0.0
        for t in range(n):
            sse += (y[t] - level[t] - trend[t]) ** 2
            level[t + 1] = p['alpha'] * y[t] + (1 - p['alpha']) * (level[t] + trend[t])
            trend[t + 1] = p['beta'] * (level[t + 1] - level[t]) + (1 - p['beta']) * trend[t]
        return sse
        """,
        x="{'alpha':.4,'beta':.2,'init':np.array([1.,.3])}",
        given="y = np.array([1.2, 1.9, 2.1, 2.8, 3.6, 3.5])",
        arg="p",
        plain=False,
    ),
    Case(
        "neural ode trajectory",
        """
        steps, dt = 12, 0.1
        traj = np.empty((steps + 1, 2))
        traj[0] = p['x0']
        for k in range(steps):
            traj[k + 1] = traj[k] + dt * np.tanh(p['A'] @ traj[k])
        return np.sum((traj[::4] - 0.3) ** 2)
        """,
        x="{'A':np.array([[-.2,1.],[-1.,-.1]]),'x0':np.array([1.,.5])}",
        arg="p",
        plain=False,
    ),
    Case(
        "cholesky param unpacked",
        """
        logd, off = params
        L = np.zeros((3, 3))
        L[np.diag_indices(3)] = np.exp(logd)
        L[np.tril_indices(3, -1)] = off
        z = np.linalg.solve(L, D.T)
        return 0.5 * (z ** 2).sum() + len(D) * logd.sum()
        """,
        x="(np.array([.2,-.1,.4]),np.array([.3,-.5,.1]))",
        given="D = np.array([[.5, 1., -.2], [-.7, .3, .9], [1.1, -.4, .6], [.2, .8, -1.3]])",
        arg="params",
        plain=False,
    ),
    Case(
        "ratings factorisation",
        """
        err = 0
        for u, i, r in ratings:
            err += (r - P['mu'] - P['U'][u] @ P['V'][i]) ** 2
        return err / len(ratings) + 0.05 * (np.sum(P['U'] ** 2) + np.sum(P['V'] ** 2))
        """,
        x="{'U':np.array([[.3,.8],[1.,-.2],[.5,.4]]),'V':np.array([[.7,.1],[-.6,.9]]),'mu':3.2}",
        given="ratings = [(0, 0, 4.0), (0, 1, 3.0), (1, 0, 5.0), (2, 1, 2.0), (2, 0, 3.5)]",
        arg="P",
    ),
]
