"""Energies and objectives whose dense Hessians `hessians.py` times: physics, optimisation, test functions.

The idea to hold: here Hessians are small or structured (diagonal, banded, blocks), where the overhead of a call or the
choice of an algorithm decides, and not the speed of a matrix product.
"""

import numpy as np
from _dense_problems import problem


@problem("Rosenbrock, n = {n}", n=1000, tiny=dict(n=7))
def rosenbrock(rng, n):
    def f(xp, x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    return f, rng.standard_normal(n), ()


@problem("element-wise chain of 40×5 operations, n = {n}", n=200, tiny=dict(n=5))
def chain(rng, n):
    def f(xp, x):
        y = x
        for _ in range(40):
            y = xp.sin(y) * x + xp.exp(-y)
        return y.sum()

    return f, 0.1 * rng.standard_normal(n), ()


def lattice(rng, n):
    """Positions of `n` particles in space, none too near another."""
    side = round(n ** (1 / 3) + 0.49)
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:n]
    return 1.1 * grid + 0.1 * rng.standard_normal((n, 3))


@problem("Lennard-Jones energy of {n} particles", n=40, tiny=dict(n=4))
def lennard_jones(rng, n):
    def f(xp, x, same):
        d = x[:, None, :] - x[None, :, :]
        r2 = xp.where(same, 1.0, (d**2).sum(2))
        s = 1 / r2**3
        return 2 * xp.where(same, 0.0, s * s - s).sum()

    return f, lattice(rng, n), (np.eye(n, dtype=bool),)


@problem("springs between all pairs of {n} particles", n=60, tiny=dict(n=4))
def springs(rng, n):
    def f(xp, x, eye):
        d = x[:, None, :] - x[None, :, :]
        r = xp.sqrt((d**2).sum(2) + eye)
        return 0.25 * ((1 - eye) * (r - 1) ** 2).sum()

    return f, lattice(rng, n), (np.eye(n),)


@problem("Lagrangian of the double pendulum, 4 variables")
def pendulum(rng):
    def f(xp, q):
        a, b, u, v = q[0], q[1], q[2], q[3]
        return u**2 + 0.5 * v**2 + u * v * xp.cos(a - b) + 9.81 * (2 * xp.cos(a) + xp.cos(b))

    return f, np.array([0.3, -0.7, 1.1, 0.4]), ()


@problem("Ising mean field, {n} spins", n=200, tiny=dict(n=5))
def ising(rng, n):
    def f(xp, m, J, h):
        p, q = (1 + m) / 2, (1 - m) / 2
        return -0.5 * (m @ J @ m) - h @ m + (p * xp.log(p) + q * xp.log(q)).sum()

    J = rng.standard_normal((n, n)) / n
    return f, rng.uniform(-0.8, 0.8, n), (J + J.T, rng.standard_normal(n))


@problem("total variation, smooth, 1-D, {n} points", n=500, tiny=dict(n=7))
def total_variation(rng, n):
    def f(xp, x, y):
        return 0.5 * ((x - y) ** 2).sum() + xp.sqrt((x[1:] - x[:-1]) ** 2 + 0.01).sum()

    return f, rng.standard_normal(n), (rng.standard_normal(n),)


@problem("total variation, smooth, 2-D, {n}×{n}", n=24, tiny=dict(n=4))
def total_variation_2d(rng, n):
    def f(xp, x, y):
        down, right = x[1:, :-1] - x[:-1, :-1], x[:-1, 1:] - x[:-1, :-1]
        return 0.5 * ((x - y) ** 2).sum() + xp.sqrt(down**2 + right**2 + 0.01).sum()

    return f, rng.standard_normal((n, n)), (rng.standard_normal((n, n)),)


@problem("log barrier of a linear programme, {m}×{n}", m=500, n=100, tiny=dict(m=12, n=4))
def barrier(rng, m, n):
    def f(xp, x, A, b, c):
        return 10 * (c @ x) - xp.log(b - A @ x).sum()

    A, x = rng.standard_normal((m, n)), 0.1 * rng.standard_normal(n)
    return f, x, (A, A @ x + rng.uniform(0.5, 2, m), rng.standard_normal(n))


@problem("entropic transport, dual, {n}+{n}", n=60, tiny=dict(n=4))
def transport(rng, n):
    def f(xp, u, C, a, b):
        p, q = u[:n], u[n:]
        return 0.5 * xp.exp((p[:, None] + q - C) / 0.5).sum() - a @ p - b @ q

    return f, 0.1 * rng.standard_normal(2 * n), (rng.random((n, n)), np.full(n, 1 / n), np.full(n, 1 / n))


@problem("−log det(A diag(x) Aᵀ), {m}×{n}", m=20, n=100, tiny=dict(m=3, n=6))
def d_optimal(rng, m, n):
    def f(xp, x, A):
        return -xp.linalg.slogdet((A * x) @ A.T)[1]

    return f, rng.uniform(0.5, 1.5, n), (rng.standard_normal((m, n)),)


@problem("tr (A diag(x) Aᵀ)⁻¹, {m}×{n}", m=20, n=100, tiny=dict(m=3, n=8))
def a_optimal(rng, m, n):
    def f(xp, x, A):
        return xp.trace(xp.linalg.inv((A * x) @ A.T))

    return f, rng.uniform(0.5, 1.5, n), (rng.standard_normal((m, n)),)


@problem("bᵀ(A + diag(x))⁻¹b by solve, n = {n}", n=80, tiny=dict(n=5))
def solve_form(rng, n):
    def f(xp, x, A, b):
        return b @ xp.linalg.solve(A + xp.diag(x), b)

    G = rng.standard_normal((n, n))
    return f, rng.uniform(0.5, 1.5, n), (G @ G.T / n + np.eye(n), rng.standard_normal(n))


@problem("Rayleigh quotient, n = {n}", n=200, tiny=dict(n=6))
def rayleigh(rng, n):
    def f(xp, x, A):
        return (x @ A @ x) / (x @ x)

    G = rng.standard_normal((n, n))
    return f, rng.standard_normal(n), (G + G.T,)


@problem("Himmelblau, 2 variables")
def himmelblau(rng):
    def f(xp, x):
        return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2

    return f, np.array([1.2, -0.7]), ()


@problem("Beale, 2 variables")
def beale(rng):
    def f(xp, x):
        a, b = x[0], x[1]
        return (1.5 - a + a * b) ** 2 + (2.25 - a + a * b**2) ** 2 + (2.625 - a + a * b**3) ** 2

    return f, np.array([1.5, 0.4]), ()


@problem("Ackley, n = {n}", n=50, tiny=dict(n=4))
def ackley(rng, n):
    def f(xp, x):
        return -20 * xp.exp(-0.2 * xp.sqrt((x**2).mean())) - xp.exp(xp.cos(2 * np.pi * x).mean()) + 20 + np.e

    return f, rng.standard_normal(n), ()


@problem("Styblinski–Tang, n = {n}", n=20, tiny=dict(n=3))
def styblinski(rng, n):
    def f(xp, x):
        return 0.5 * (x**4 - 16 * x**2 + 5 * x).sum()

    return f, rng.standard_normal(n), ()
