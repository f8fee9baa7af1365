"""Dense Hessians in NumPy, as a person with paper, patience and this one function would write them.

The idea to hold: these are the floor to compare with, so they use the structure that calculus shows (AᵀDA, blocks,
bands, low rank) and write straight into the result. A function is named as its problem and takes (x, *data).
"""

import numpy as np


def _gram(X, d):
    """Xᵀ diag(d) X for d ≥ 0; NumPy calls the symmetric product of BLAS for AᵀA."""
    S = X * np.sqrt(d)[:, None]
    return S.T @ S


def _block_diagonal(blocks):
    """(m, k, k) → (m, k, m, k)."""
    m, k, _ = blocks.shape
    H = np.zeros((m, k, m, k))
    i = np.arange(m)
    H[i, :, i, :] = blocks
    return H


def _tridiagonal(main, off):
    H = np.diag(main)
    n = len(main)
    H.reshape(-1)[1 :: n + 1] = off
    H.reshape(-1)[n :: n + 1] = off
    return H


def logistic(w, X, y):
    p = 1 / (1 + np.exp(y * (X @ w)))
    return _gram(X, p * (1 - p))


def poisson(w, X, y):
    return _gram(X, np.exp(X @ w))


def _softmax(Z):
    E = np.exp(Z - Z.max(1, keepdims=True))
    return E / E.sum(1, keepdims=True)


def softmax_regression(W, X, Y):
    (m, n), k = X.shape, W.shape[1]
    P = _softmax(X @ W)
    Z = (X[:, :, None] * P[:, None, :]).reshape(m, n * k)
    H = np.negative(Z.T @ Z).reshape(n, k, n, k)
    for a in range(k):
        H[:, a, :, a] += _gram(X, P[:, a])
    return H


def factorisation(U, T, V):
    return _block_diagonal(np.broadcast_to(2 * (V.T @ V), (len(U), *V.shape[1:] * 2)))


def quadratic(x, A):
    return A + A.T


def log_sum_exp(x, A, b):
    z = A @ x + b
    p = np.exp(z - z.max())
    p /= p.sum()
    g = A.T @ p
    return _gram(A, p) - g[:, None] * g


def network(W1, X, W2, W3, Y):
    h1 = np.tanh(X @ W1)
    h2 = np.tanh(h1 @ W2)
    h3 = np.tanh(h2 @ W3)
    d1, d2, d3, r = 1 - h1**2, 1 - h2**2, 1 - h3**2, 2 * (h3 - Y)
    g2 = (r * d3) @ W3.T
    g1 = (g2 * d2) @ W2.T
    (m, n), k = X.shape, len(W2)
    i = np.arange(k)
    M = (W3 * (2 * d3**2 - 2 * r * h3 * d3)[:, None, :]) @ W3.T
    M *= d2[:, :, None] * d2[:, None, :]
    M[:, i, i] -= 2 * g2 * h2 * d2
    M = W2 @ M @ W2.T
    M *= d1[:, :, None] * d1[:, None, :]
    M[:, i, i] -= 2 * g1 * h1 * d1
    XX = (X[:, :, None] * X[:, None, :]).reshape(m, n * n)
    return np.ascontiguousarray((XX.T @ M.reshape(m, k * k)).reshape(n, n, k, k).transpose(0, 2, 1, 3))


def kernel_svm(alpha, K, y):
    p = 1 / (1 + np.exp(-4 * (1 - y * (K @ alpha))))
    return 0.1 * K + _gram(K, 4 * p * (1 - p) / len(y))


def robust_pca(U, M, V):
    D = (1 + (M - U @ V.T) ** 2) ** -1.5
    k = V.shape[1]
    return _block_diagonal((D @ (V[:, :, None] * V[:, None, :]).reshape(len(V), k * k)).reshape(-1, k, k))


def attention(Q, K, V, T):
    d = Q.shape[1]
    P = _softmax(Q @ K.T / d**0.5)
    Y = P @ V
    r = 2 * (Y - T)
    s = r @ V.T  # row by row: f as a function of P has gradient s and second derivative 2VVᵀ
    G = 2 * (V @ V.T)
    J = P[:, :, None] * np.eye(len(K)) - P[:, :, None] * P[:, None, :]
    c = s - (P * s).sum(1, keepdims=True)
    M = J @ G @ J
    i = np.arange(len(K))
    M[:, i, i] += P * c
    pc = P * c
    M -= pc[:, :, None] * P[:, None, :] + P[:, :, None] * pc[:, None, :]
    return _block_diagonal(K.T @ M @ K / d)


def polynomial(c, t, y):
    A = np.vander(t, len(c), increasing=True)
    return 2 * (A.T @ A)


def huber(w, X, y):
    H = _gram(X, (1 + (y - X @ w) ** 2) ** -1.5)
    H.reshape(-1)[:: len(w) + 1] += 1 + 0.1 * 1e-2 * (w**2 + 1e-2) ** -1.5
    return H


def cox(w, X, event):
    e = np.exp(X @ w)
    S = np.cumsum(e)
    mean = np.cumsum(e[:, None] * X, 0) / S[:, None]
    return _gram(X, e * np.cumsum((event / S)[::-1])[::-1]) - _gram(mean, event)


def student(theta, X, y):
    scale = np.exp(-theta[-1])
    r = (y - X @ theta[:-1]) * scale
    u = 1 + r**2 / 4
    first, second = 1.25 * r / u, 1.25 * (1 - r**2 / 4) / u**2
    H = np.empty((len(theta),) * 2)
    H[:-1, :-1] = X.T @ (X * (scale**2 * second)[:, None])
    H[-1, :-1] = H[:-1, -1] = scale * (X.T @ (first + r * second))
    H[-1, -1] = (r * first + r**2 * second).sum()
    return H


def autoregression(theta, y):
    scale = np.exp(-theta[3])
    A = np.stack([np.ones(len(y) - 2), y[1:-1], y[:-2]], 1)
    e = y[2:] - A @ theta[:3]
    H = np.empty((4, 4))
    H[:3, :3] = scale**2 * (A.T @ A)
    H[3, :3] = H[:3, 3] = 2 * scale**2 * (A.T @ e)
    H[3, 3] = 2 * scale**2 * (e @ e)
    return H


def decay(theta, t, y):
    E = np.exp(-theta[1] * t)
    aE = theta[0] * E
    r = aE + theta[2] + theta[3] * t - y
    J = np.stack([E, -t * aE, np.ones_like(t), t], 1)
    H = J.T @ J
    H[0, 1] = H[1, 0] = H[0, 1] - r @ (t * E)
    H[1, 1] += r @ (t * t * aE)
    return 2 * H


def michaelis(theta, s, v):
    q = 1 / (theta[1] + s)
    m = s * q
    r = theta[0] * m - v
    b = theta[0] * m * q
    ab = -2 * (m @ b + r @ (m * q))
    return np.array([[2 * (m @ m), ab], [ab, 2 * (b @ b) + 4 * (r @ (b * q))]])


def garch(theta, r):
    h, dh, ddh, H = 1.0, np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for t in range(len(r) - 1):
        ddh = theta[2] * ddh
        ddh[2] += dh
        ddh[:, 2] += dh
        dh = theta[2] * dh + (1.0, r[t] ** 2, h)
        h = theta[0] + theta[1] * r[t] ** 2 + theta[2] * h
        q = r[t + 1] ** 2 / h
        H += (1 - q) / h * ddh + (2 * q - 1) / h**2 * (dh[:, None] * dh)
    return H


def gaussian_process(theta, D, eye, y):
    scaled = D * np.exp(-theta[1])
    K0 = np.exp(theta[0] - scaled)
    K1 = scaled * K0
    P = np.linalg.inv(K0 + np.exp(theta[2]) * eye)
    a = P @ y
    first = (K0, K1, np.exp(theta[2]) * eye)
    A = [P @ K for K in first[:2]] + [np.exp(theta[2]) * P]
    u = [K @ a for K in first[:2]] + [np.exp(theta[2]) * a]
    second = {(0, 0): K0, (0, 1): K1, (1, 1): scaled * K1 - K1}
    H = np.empty((3, 3))
    for i in range(3):
        for j in range(i, 3):
            value = u[i] @ P @ u[j] - 0.5 * np.vdot(A[i], A[j].T)
            if (i, j) in second:
                value += 0.5 * (np.vdot(P, second[i, j]) - a @ second[i, j] @ a)
            elif i == j:
                value += 0.5 * np.exp(theta[2]) * (np.trace(P) - a @ a)
            H[i, j] = H[j, i] = value
    return H


def precision_likelihood(theta, X):
    m, n = X.shape
    R, P = X - theta[:n], theta[n:].reshape(n, n)
    H = np.empty((n + n * n,) * 2)
    H[:n, :n] = 0.5 * m * (P + P.T)
    total = R.sum(0)
    cross = np.zeros((n, n, n))
    i = np.arange(n)
    cross[i, i, :] -= 0.5 * total
    cross[i, :, i] -= 0.5 * total
    H[:n, n:] = cross.reshape(n, n * n)
    H[n:, :n] = H[:n, n:].T
    C = np.linalg.inv(P)
    H[n:, n:] = (0.5 * m * C.T[:, None, None, :] * C[None, :, :, None]).reshape(n * n, n * n)
    return H


def rosenbrock(x):
    n = len(x)
    main = np.zeros(n)
    main[:-1] = 1200 * x[:-1] ** 2 - 400 * x[1:] + 2
    main[1:] += 200
    return _tridiagonal(main, -400 * x[:-1])


def chain(x):
    y, d, dd = x, np.ones_like(x), np.zeros_like(x)
    for _ in range(40):
        s, c, e = np.sin(y), np.cos(y), np.exp(-y)
        p = c * x - e
        dd = (e - s * x) * d * d + p * dd + 2 * c * d
        d = p * d + s
        y = s * x + e
    return np.diag(dd)


def _pairs(d, first, second):
    """Hessian of ½ Σᵢⱼ V(|xᵢ − xⱼ|²) from V′ and V″ (n, n), zero on the diagonals."""
    n = len(d)
    B = 4 * second[:, :, None, None] * d[:, :, :, None] * d[:, :, None, :]
    B[:, :, [0, 1, 2], [0, 1, 2]] += 2 * first[:, :, None]
    H = np.empty((n, 3, n, 3))
    np.negative(B.transpose(0, 2, 1, 3), out=H)
    i = np.arange(n)
    H[i, :, i, :] = B.sum(1)
    return H


def lennard_jones(x, same):
    d = x[:, None, :] - x
    q = 1 / np.where(same, 1.0, (d**2).sum(2))
    s = np.where(same, 0.0, q**3)
    return _pairs(d, q * (12 * s - 24 * s * s), q * q * (168 * s * s - 48 * s))


def springs(x, eye):
    d = x[:, None, :] - x
    q = 1 / np.sqrt((d**2).sum(2) + eye)
    q1 = q * (1 - eye)
    return _pairs(d, (1 - eye - q1) / 2, q1 * q * q / 4)


def pendulum(q):
    a, b, u, v = q
    c, s = np.cos(a - b), np.sin(a - b)
    w = u * v * c
    return np.array([[-w - 19.62 * np.cos(a), w, -v * s, -u * s], [w, -w - 9.81 * np.cos(b), v * s, u * s],
                     [-v * s, v * s, 2.0, c], [-u * s, u * s, c, 1.0]])  # fmt: skip


def ising(m, J, h):
    H = -0.5 * (J + J.T)
    H.reshape(-1)[:: len(m) + 1] += 1 / (1 - m * m)
    return H


def total_variation(x, y):
    w = 0.01 * ((x[1:] - x[:-1]) ** 2 + 0.01) ** -1.5
    main = np.ones_like(x)
    main[1:] += w
    main[:-1] += w
    return _tridiagonal(main, -w)


def barrier(x, A, b, c):
    S = A / (b - A @ x)[:, None]
    return S.T @ S


def transport(u, C, a, b):
    n = len(a)
    E = 2 * np.exp((u[:n, None] + u[n:] - C) / 0.5)
    H = np.zeros((2 * n, 2 * n))
    H[:n, n:] = E
    H[n:, :n] = E.T
    H.reshape(-1)[:: 2 * n + 1] = np.concatenate([E.sum(1), E.sum(0)])
    return H


def d_optimal(x, A):
    return (A.T @ np.linalg.solve((A * x) @ A.T, A)) ** 2


def a_optimal(x, A):
    B = np.linalg.solve((A * x) @ A.T, A)
    return 2 * (A.T @ B) * (B.T @ B)


def solve_form(x, A, b):
    P = np.linalg.inv(A + np.diag(x))
    u = P @ b
    return 2 * P * (u[:, None] * u)


def rayleigh(x, A):
    s = 1 / (x @ x)
    Ax = A @ x
    q = (x @ Ax) * s
    g = 2 * s * (Ax - q * x)
    H = 2 * s * A - 2 * s * (g[:, None] * x + x[:, None] * g)
    H.reshape(-1)[:: len(x) + 1] -= 2 * s * q
    return H


def himmelblau(x):
    a, b = x
    return np.array([[12 * a * a + 4 * b - 42, 4 * (a + b)], [4 * (a + b), 4 * a + 12 * b * b - 26]])


def styblinski(x):
    return np.diag(6 * x * x - 16)
