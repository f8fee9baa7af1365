"""SciPy's special functions in likelihoods and integrals."""

from ._judge import Case

CASES = [
    Case(
        "logistic ridge",
        """
        p = expit(X @ x)
        return -np.sum(y * np.log(p) + (1 - y) * np.log1p(-p)) + 0.5 * x @ x
        """,
        x="np.array([.3,-.8,.5])",
        given="""
        from scipy.special import expit
        X = np.array([[1., .5, 2.], [1., -1.2, .3], [1., .9, -.7], [1., .1, 1.4]])
        y = np.array([1., 0., 0., 1.])
        """,
    ),
    Case(
        "negative binomial nll",
        """
        mu, r = np.exp(x)
        ll = gammaln(k + r) - gammaln(r) - gammaln(k + 1) + r * np.log(r / (r + mu)) + k * np.log(mu / (r + mu))
        return -ll.sum()
        """,
        x="np.array([.8,.4])",
        given="""
        from scipy.special import gammaln
        k = np.array([0, 3, 1, 7, 2])
        """,
    ),
    Case(
        "black scholes erf",
        """
        S, sig, r = x
        K = np.array([90., 100., 110.])
        T = 0.75
        N = lambda d: 0.5 * (1 + special.erf(d / np.sqrt(2)))
        d1 = (np.log(S / K) + (r + sig ** 2 / 2) * T) / (sig * np.sqrt(T))
        d2 = d1 - sig * np.sqrt(T)
        return np.sum(S * N(d1) - K * np.exp(-r * T) * N(d2))
        """,
        x="np.array([100.,.2,.03])",
        given="from scipy import special",
    ),
    Case(
        "beta binomial digamma",
        """
        a, b = x
        ll = sp.betaln(k + a, n - k + b) - sp.betaln(a, b)
        kl = sp.gammaln(a + b) - sp.gammaln(a) - sp.gammaln(b) + (a - 1) * (sp.digamma(a) - sp.psi(a + b))
        return -ll.sum() + kl
        """,
        x="np.array([1.7,2.4])",
        given="""
        import scipy.special as sp
        n, k = np.array([10, 12, 8]), np.array([3, 7, 2])
        """,
    ),
    Case(
        "von mises bessel",
        """
        mu, kappa = x
        nll = len(th) * (np.log(2 * np.pi * i0e(kappa)) + kappa) - kappa * np.cos(th - mu).sum()
        return nll + i1e(kappa) / i0e(kappa)
        """,
        x="np.array([.5,1.8])",
        given="""
        from scipy.special import i0e, i1e
        th = np.array([.1, .7, 1.2, -.3])
        """,
    ),
    Case(
        "information measures",
        """
        e = np.exp(x - x.max())
        p = e / e.sum()
        m = 0.5 * (p + q)
        js = 0.5 * (rel_entr(p, m) + rel_entr(q, m)).sum()
        return js + entr(p).sum() - xlogy(q, p).sum()
        """,
        x="np.array([.2,.9,-.4,.5])",
        given="""
        from scipy.special import softmax, xlogy, rel_entr, entr
        q = np.array([.1, .4, .3, .2])
        """,
    ),
    Case(
        "poisson filled loglik",
        """
        lam = np.zeros(4)
        lam[0] = np.exp(x[0])
        for t in range(1, 4):
            lam[t] = np.exp(x[0] + x[2]) + expit(x[1]) * lam[t - 1]
        return np.sum(lam - obs * np.log(lam) + gammaln(obs + 1))
        """,
        x="np.array([.3,.5,-.2])",
        given="""
        from scipy.special import gammaln, expit
        obs = np.array([2., 0., 5., 3.])
        """,
        plain=False,
    ),
    Case(
        "ordered probit cells",
        """
        b, c0, dlog = x[0], x[1], x[2:]
        cuts = np.array([c0, c0 + np.exp(dlog[0]) + np.exp(dlog[1])])
        P = ndtr(cuts[None, :] - b * z[:, None])
        probs = np.column_stack([P[:, 0], P[:, 1] - P[:, 0], 1 - P[:, 1]])
        return -np.log(probs[np.arange(4), y]).sum()
        """,
        x="np.array([.4,-.5,.2,-.3])",
        given="""
        from scipy.special import ndtr
        z = np.array([.3, -1., 1.4, .1])
        y = np.array([0, 1, 2, 1])
        """,
        plain=False,
    ),
    Case(
        "mixture by logaddexp",
        """
        logits = np.append(x[:2], 0.0)
        mu, logs = x[2:5], x[5:]
        lw = logits - np.logaddexp.reduce(logits)
        lp = lw - 0.5 * ((data[:, None] - mu) / np.exp(logs)) ** 2 - logs - 0.5 * np.log(2 * np.pi)
        return -np.logaddexp.reduce(lp, axis=1).sum()
        """,
        given="data = np.array([-1.3, .2, .4, 2.1, 2.9])",
        x="np.array([.2,-.5,1.,-1.,2.5,.1,-.3,.4])",
    ),
    Case(
        "probit truncated",
        """
        eta = Z @ x
        return -sc.log_ndtr(s * eta).sum() + sc.ndtr(eta).mean()
        """,
        given="""
        Z = np.array([[1., .2, .5], [1., 1.1, -.8], [1., -.4, .3], [1., .7, 1.9]])
        s = np.array([1, -1, 1, -1])
        """,
        x="np.array([.4,.9,-.6])",
    ),
    Case(
        "boxcox profile",
        """
        z = (y**lam - 1) / lam
        return 0.5 * len(y) * np.log(z.var()) - (lam - 1) * np.log(y).sum() + sc.logit(lam)
        """,
        given="y = np.array([.5, 1.2, 2.8, .9, 4.1])",
        x="0.4",
        arg="lam",
    ),
]
