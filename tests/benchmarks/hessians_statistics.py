"""Likelihoods whose dense Hessians `hessians.py` times: what a statistician or an econometrician writes.

The idea to hold: these are the functions whose Hessians become standard errors; several of them loop over time steps in
Python, as users' code does.
"""

import numpy as np
from _dense_problems import problem


@problem("Cox partial likelihood {m}×{n}", m=400, n=40, tiny=dict(m=15, n=3))
def cox(rng, m, n):
    def f(xp, w, X, event):
        eta = X @ w  # rows by falling time, so that the risk set of row i is the rows up to i
        return -(event * (eta - xp.log(xp.cumsum(xp.exp(eta), 0)))).sum()

    return f, 0.2 * rng.standard_normal(n), (rng.standard_normal((m, n)), (rng.random(m) < 0.7).astype(float))


@problem("negative binomial regression {m}×{n}, log dispersion", m=1000, n=50, tiny=dict(m=20, n=3))
def negative_binomial(rng, m, n):
    def f(xp, theta, X, y):
        eta, r = X @ theta[:n], xp.exp(theta[n])
        mu = xp.exp(eta)
        return -(xp.lgamma(y + r) - xp.lgamma(r) + r * xp.log(r) + y * eta - (y + r) * xp.log(r + mu)).sum()

    return f, 0.1 * rng.standard_normal(n + 1), (rng.standard_normal((m, n)), rng.poisson(2.0, m).astype(float))


@problem("beta regression {m}×{n}, log precision", m=500, n=20, tiny=dict(m=20, n=3))
def beta_regression(rng, m, n):
    def f(xp, theta, X, y):
        mu, phi = 1 / (1 + xp.exp(-(X @ theta[:n]))), xp.exp(theta[n])
        a, b = mu * phi, (1 - mu) * phi
        return -(xp.lgamma(phi) - xp.lgamma(a) - xp.lgamma(b) + (a - 1) * xp.log(y) + (b - 1) * xp.log(1 - y)).sum()

    return f, 0.2 + 0.1 * rng.standard_normal(n + 1), (rng.standard_normal((m, n)), rng.uniform(0.05, 0.95, m))


@problem("Student t regression {m}×{n}, log scale", m=1000, n=30, tiny=dict(m=20, n=3))
def student(rng, m, n):
    def f(xp, theta, X, y):
        r = (y - X @ theta[:n]) * xp.exp(-theta[n])
        return m * theta[n] + 2.5 * xp.log1p(r**2 / 4).sum()

    return f, 0.1 * rng.standard_normal(n + 1), (rng.standard_normal((m, n)), rng.standard_t(4, m))


@problem("mixture of {k} Gaussians, {m} points", m=500, k=3, tiny=dict(m=15, k=2))
def mixture(rng, m, k):
    def f(xp, theta, x):
        logits, mean, log_sd = theta[:k], theta[k : 2 * k], theta[2 * k :]
        z = (x[:, None] - mean) * xp.exp(-log_sd)
        return -(xp.logsumexp(logits - xp.logsumexp(logits, 0) - log_sd - 0.5 * z**2, 1)).sum()

    return f, rng.standard_normal(3 * k) * 0.5, (3 * rng.standard_normal(m),)


@problem("GARCH(1, 1), loop of {m} steps", m=50, tiny=dict(m=6))
def garch(rng, m):
    def f(xp, theta, r):
        h, total = 1.0, 0.0
        for t in range(m):
            h = theta[0] + theta[1] * r[t] ** 2 + theta[2] * h
            total = total + xp.log(h) + r[t + 1] ** 2 / h
        return total

    return f, np.array([0.1, 0.15, 0.7]), (rng.standard_normal(m + 1),)


@problem("AR(2) with mean and log σ, {m} points", m=1000, tiny=dict(m=12))
def autoregression(rng, m):
    def f(xp, theta, y):
        e = (y[2:] - theta[0] - theta[1] * y[1:-1] - theta[2] * y[:-2]) * xp.exp(-theta[3])
        return (m - 2) * theta[3] + 0.5 * (e**2).sum()

    return f, np.array([0.1, 0.5, -0.2, 0.3]), (rng.standard_normal(m),)


XLA = {"jax": "XLA compiles the unrolled loop for minutes, in gigabytes: 3 s for 14 steps, 30 s for 32"}


@problem("Kalman filter of a local level, loop of {m} steps", m=50, tiny=dict(m=5), without=XLA)
@problem("Kalman filter of a local level, loop of {m} steps", key="kalman15", m=15, tiny=dict(m=4))
def kalman(rng, m):
    def f(xp, theta, y):
        q, r = xp.exp(theta[0]), xp.exp(theta[1])
        mean, variance, total = 0.0, 1.0, 0.0
        for t in range(m):
            variance = variance + q
            s, e = variance + r, y[t] - mean
            total = total + xp.log(s) + e**2 / s
            mean, variance = mean + variance / s * e, variance * r / s
        return 0.5 * total

    return f, np.array([-0.5, 0.2]), (np.cumsum(rng.standard_normal(m)),)


@problem("exponential decay, 4 parameters, {m} points", m=1000, tiny=dict(m=12))
def decay(rng, m):
    def f(xp, theta, t, y):
        r = theta[0] * xp.exp(-theta[1] * t) + theta[2] + theta[3] * t - y
        return (r**2).sum()

    t = np.linspace(0, 3, m)
    return f, np.array([2.0, 1.3, 0.5, 0.1]), (t, 2.2 * np.exp(-1.1 * t) + 0.1 * rng.standard_normal(m))


@problem("Michaelis–Menten, {m} points", m=200, tiny=dict(m=8))
def michaelis(rng, m):
    def f(xp, theta, s, v):
        return ((theta[0] * s / (theta[1] + s) - v) ** 2).sum()

    s = rng.uniform(0.1, 5, m)
    return f, np.array([2.0, 0.8]), (s, 2.1 * s / (0.7 + s) + 0.05 * rng.standard_normal(m))


@problem("Gaussian likelihood in the Cholesky factor, {m}×{n}", m=200, n=16, tiny=dict(m=8, n=3))
def cholesky_likelihood(rng, m, n):
    def f(xp, L, X):
        L = xp.tril(L)
        return m * xp.log(xp.diag(L)).sum() + 0.5 * (xp.linalg.solve(L, X.T) ** 2).sum()

    return f, np.eye(n) + 0.2 * np.tril(rng.standard_normal((n, n))) * (1 - np.eye(n)), (rng.standard_normal((m, n)),)


@problem("Gaussian process, {n} points, 3 hyper-parameters, solve and slogdet", n=200, tiny=dict(n=8))
def gaussian_process(rng, n):
    def f(xp, theta, D, eye, y):
        K = xp.exp(theta[0]) * xp.exp(-D * xp.exp(-theta[1])) + xp.exp(theta[2]) * eye
        return 0.5 * (y @ xp.linalg.solve(K, y)) + 0.5 * xp.linalg.slogdet(K)[1]

    t = np.sort(rng.uniform(0, 5, n))
    return f, np.array([0.3, -0.2, -1.0]), ((t[:, None] - t) ** 2, np.eye(n), np.sin(t) + 0.3 * rng.standard_normal(n))


@problem("Gaussian likelihood in mean and precision, {m}×{n}", m=300, n=15, tiny=dict(m=8, n=3))
def precision_likelihood(rng, m, n):
    def f(xp, theta, X):
        R, P = X - theta[:n], theta[n:].reshape(n, n)
        return 0.5 * ((R @ P) * R).sum() - 0.5 * m * xp.linalg.slogdet(P)[1]

    G = 0.1 * rng.standard_normal((n, n))
    theta = np.concatenate([0.1 * rng.standard_normal(n), (np.eye(n) + G @ G.T).ravel()])
    return f, theta, (rng.standard_normal((m, n)),)
