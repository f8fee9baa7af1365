"""Functions whose sparse Hessians `hessians.py --sparse` prepares and times.

The idea to hold: each is written once over a namespace `xp` that has sum, sqrt and exp: symgrad, torch, or CasADi's SX.
A maker takes the number of variables (rounded to a square for a grid) and returns (f, x, data), as a dense problem.
"""

import numpy as np

rng = np.random.default_rng


def rosenbrock(n):
    def f(xp, x):
        return xp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return f, rng(0).standard_normal(n), ()


def broyden(n):
    """The sum of squares of Broyden's tridiagonal equations: five diagonals."""

    def f(xp, x):
        a = (3 - 2 * x) * x + 1
        inner = a[1:-1] - x[:-2] - 2 * x[2:]
        return xp.sum(inner**2) + (a[0] - 2 * x[1]) ** 2 + (a[-1] - x[-2]) ** 2

    return f, rng(0).standard_normal(n), ()


def minimal_surface(n):
    """The area of a graph over a grid, and a potential: seven entries per row."""
    side = round(n**0.5)

    def f(xp, u):
        right, down = u[:-1, 1:] - u[:-1, :-1], u[1:, :-1] - u[:-1, :-1]
        return xp.sum(xp.sqrt(1 + right**2 + down**2)) + 0.25 * xp.sum(u**4)

    return f, rng(0).standard_normal((side, side)), ()


def bratu(n):
    """The energy of −Δu = λ exp(u) on a grid: five entries per row."""
    side = round(n**0.5)

    def f(xp, u):
        right, down = u[:, 1:] - u[:, :-1], u[1:, :] - u[:-1, :]
        return 0.5 * xp.sum(right**2) + 0.5 * xp.sum(down**2) - (2 / side**2) * xp.sum(xp.exp(u))

    return f, rng(0).standard_normal((side, side)), ()


def network(n):
    """n edges between n / 2 nodes, ends drawn at random; no edge from a node to itself."""
    nodes = max(n // 2, 2)
    src = rng(0).integers(0, nodes, n)
    dst = (src + rng(1).integers(1, nodes, n)) % nodes
    return rng(2).standard_normal(nodes), src, dst


def network_flow(n):
    x, src, dst = network(n)

    def f(xp, x, src, dst):
        return xp.sum(xp.sqrt(1 + (x[src] - x[dst]) ** 2)) + 0.5 * xp.sum(x**2)

    return f, x, (src, dst)


def network_exponential(n):
    x, src, dst = network(n)

    def f(xp, x, src, dst):
        return xp.sum(xp.exp(x[src] - x[dst]))

    return f, x, (src, dst)


SPARSE = {
    "rosenbrock": ("Rosenbrock", rosenbrock),
    "broyden": ("Broyden tridiagonal", broyden),
    "minimal-surface": ("minimal surface on a grid", minimal_surface),
    "bratu": ("Bratu energy on a grid", bratu),
    "network-flow": ("Σ √(1 + (x[src] − x[dst])²) over edges", network_flow),
    "network-exp": ("Σ exp(x[src] − x[dst]) over edges", network_exponential),
}
