"""Functions whose dense Hessians `hessians.py` times: the register, and the problems of machine learning.

The idea to hold: a problem is a factory of (f, x, data); `f(xp, x, *data)` is written once over a namespace `xp`
(symgrad, torch, or jax.numpy under torch's names), and its sizes are the factory's keywords, so that `--tiny` shrinks
them. A function of the same name in `hessians_by_hand.py` is its Hessian in NumPy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Problem:
    """A function to differentiate twice, not made yet."""

    key: str
    template: str
    factory: Callable[..., Any]
    sizes: dict[str, int]
    tiny: dict[str, int]
    without: dict[str, str]
    """Peers that cannot, at full size, and why."""

    def title(self, tiny=False):
        return self.template.format(**(self.tiny if tiny else self.sizes))

    @property
    def by_hand(self):
        """The name of the Hessian in `hessians_by_hand.py`, if it is there."""
        return self.factory.__name__

    def make(self, tiny=False):
        """Return the function, where to differentiate it, and its data."""
        return self.factory(np.random.default_rng(0), **(self.tiny if tiny else self.sizes))


PROBLEMS: dict[str, Problem] = {}


def problem(title, *, tiny=None, key=None, without=None, **sizes):
    """Register the decorated factory; `title` may name its sizes."""

    def register(factory):
        name = key or factory.__name__.replace("_", "-")
        PROBLEMS[name] = Problem(name, title, factory, sizes, {**sizes, **(tiny or {})}, without or {})
        return factory

    return register


def signs(rng, m):
    return np.where(rng.random(m) < 0.5, -1.0, 1.0)


@problem("logistic regression {m}×{n}", m=4000, n=500, tiny=dict(m=30, n=5))
def logistic(rng, m, n):
    def f(xp, w, X, y):
        return xp.log1p(xp.exp(-y * (X @ w))).sum()

    return f, 0.1 * rng.standard_normal(n), (rng.standard_normal((m, n)), signs(rng, m))


@problem("Poisson regression {m}×{n}", m=2000, n=300, tiny=dict(m=30, n=5))
def poisson(rng, m, n):
    def f(xp, w, X, y):
        eta = X @ w
        return (xp.exp(eta) - y * eta).sum()

    return f, 0.03 * rng.standard_normal(n), (rng.standard_normal((m, n)), rng.poisson(1.0, m).astype(float))


@problem("softmax regression {m}×{n}×{k}", m=400, n=20, k=8, tiny=dict(m=12, n=3, k=4))
def softmax_regression(rng, m, n, k):
    def f(xp, W, X, Y):
        Z = X @ W
        return (xp.logsumexp(Z, 1) - (Y * Z).sum(1)).sum()

    labels = np.eye(k)[rng.integers(0, k, m)]
    return f, 0.3 * rng.standard_normal((n, k)), (rng.standard_normal((m, n)), labels)


@problem("‖T − UVᵀ‖² in U, {m}×{n}, rank {k}", m=100, n=100, k=5, tiny=dict(m=6, n=5, k=2))
def factorisation(rng, m, n, k):
    def f(xp, U, T, V):
        return ((T - U @ V.T) ** 2).sum()

    return f, rng.standard_normal((m, k)), (rng.standard_normal((m, n)), rng.standard_normal((n, k)))


@problem("xᵀAx, n = {n}", n=1024, tiny=dict(n=7))
def quadratic(rng, n):
    def f(xp, x, A):
        return x @ A @ x

    return f, rng.standard_normal(n), (rng.standard_normal((n, n)),)


@problem("log Σ exp(Ax + b), {m}×{n}", m=500, n=200, tiny=dict(m=12, n=5))
def log_sum_exp(rng, m, n):
    def f(xp, x, A, b):
        return xp.logsumexp(A @ x + b, 0)

    return f, 0.1 * rng.standard_normal(n), (rng.standard_normal((m, n)), rng.standard_normal(m))


@problem("tanh network, widths {n}, batch {m}, in W₁", key="mlp50", n=50, m=100, tiny=dict(n=3, m=5))
@problem("tanh network, widths {n}, batch {m}, in W₁", key="mlp30", n=30, m=100, tiny=dict(n=4, m=6))
def network(rng, n, m):
    def f(xp, W1, X, W2, W3, Y):
        h = xp.tanh(xp.tanh(xp.tanh(X @ W1) @ W2) @ W3)
        return ((h - Y) ** 2).sum()

    W1, W2, W3 = (rng.standard_normal((n, n)) / n**0.5 for _ in range(3))
    return f, W1, (rng.standard_normal((m, n)), W2, W3, rng.standard_normal((m, n)))


@problem("autoencoder with tied weights, {m}×{n}×{k}", m=60, n=12, k=5, tiny=dict(m=6, n=4, k=2))
def autoencoder(rng, m, n, k):
    def f(xp, W, X):
        return ((X - xp.tanh(X @ W) @ W.T) ** 2).sum()

    return f, 0.5 * rng.standard_normal((n, k)), (rng.standard_normal((m, n)),)


@problem("attention in Q, {m} queries, {k} keys, {d}-D", m=16, k=24, d=8, tiny=dict(m=3, k=4, d=2))
def attention(rng, m, k, d):
    def f(xp, Q, K, V, T):
        return ((xp.softmax(Q @ K.T / d**0.5, 1) @ V - T) ** 2).sum()

    Q, K, V, T = (rng.standard_normal((rows, d)) for rows in (m, k, k, m))
    return f, Q, (K, V, T)


@problem("support vector machine, RBF kernel, smooth hinge, {m}", m=300, tiny=dict(m=9))
def kernel_svm(rng, m):
    def f(xp, alpha, K, y):
        Ka = K @ alpha
        return 0.05 * (alpha @ Ka) + xp.log1p(xp.exp(4 * (1 - y * Ka))).mean() / 4

    points = rng.standard_normal((m, 2))
    K = np.exp(-((points[:, None] - points[None]) ** 2).sum(2))
    return f, 0.1 * rng.standard_normal(m), (K, signs(rng, m))


@problem("robust PCA Σ √(1 + (M − UVᵀ)²) in U, {m}×{n}, rank {k}", m=60, n=50, k=4, tiny=dict(m=5, n=6, k=2))
def robust_pca(rng, m, n, k):
    def f(xp, U, M, V):
        return xp.sqrt(1 + (M - U @ V.T) ** 2).sum()

    return f, rng.standard_normal((m, k)), (3 * rng.standard_normal((m, n)), rng.standard_normal((n, k)))


@problem("polynomial least squares by Horner, degree {k}, {m} points", m=500, k=8, tiny=dict(m=20, k=4))
def polynomial(rng, m, k):
    def f(xp, c, t, y):
        p = c[k]
        for i in range(k - 1, -1, -1):
            p = p * t + c[i]
        return ((p - y) ** 2).sum()

    return f, rng.standard_normal(k + 1), (rng.uniform(-1, 1, m), rng.standard_normal(m))


@problem("pseudo-Huber regression with smooth elastic net, {m}×{n}", m=1000, n=100, tiny=dict(m=20, n=4))
def huber(rng, m, n):
    def f(xp, w, X, y):
        r = y - X @ w
        return (xp.sqrt(1 + r**2) - 1).sum() + 0.5 * (w**2).sum() + 0.1 * xp.sqrt(w**2 + 1e-2).sum()

    return f, rng.standard_normal(n), (rng.standard_normal((m, n)), 3 * rng.standard_normal(m))
