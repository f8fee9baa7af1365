"""The programs of `numpy_programs.py`: functions of a namespace `xp`, of what is differentiated, and of data.

The idea to hold: what every peer can run is written without writing to arrays; `WRITTEN` has the same programs as one
writes them in NumPy, for those that can run these.
"""

from dataclasses import dataclass, field

import numpy as np

SIZE = 24


@dataclass
class Program:
    """A function, where it is taken, and whether it makes arrays of what is differentiated (`xp.array([a, b])`)."""

    key: str
    title: str
    function: object
    at: object
    data: tuple = ()
    makes_arrays: bool = False
    written: object = field(default=None)


# Functions that every peer runs.


def tanh(xp, x):
    up, down = xp.exp(x), xp.exp(-x)
    return (up - down) / (up + down)


def logistic(xp, p, X, y):
    chance = 1 / (1 + xp.exp(-(X @ p["weights"] + p["bias"])))
    return -(y * xp.log(chance) + (1 - y) * xp.log(1 - chance)).mean() + 0.01 * (p["weights"] ** 2).sum()


def incompressible(xp, v0, v1, sweeps=8):
    inflow = (xp.roll(v0, 1, 0) - xp.roll(v0, -1, 0) + xp.roll(v1, 1, 1) - xp.roll(v1, -1, 1)) / 2
    pressure = inflow / 4
    for _ in range(sweeps):
        around = xp.roll(pressure, 1, 0) + xp.roll(pressure, -1, 0) + xp.roll(pressure, 1, 1) + xp.roll(pressure, -1, 1)
        pressure = (inflow + around) / 4
    v0 = v0 - (xp.roll(pressure, -1, 0) - xp.roll(pressure, 1, 0)) / 2
    v1 = v1 - (xp.roll(pressure, -1, 1) - xp.roll(pressure, 1, 1)) / 2
    return v0, v1


def carried(xp, grid, v0, v1, u):
    row, column = grid[0] - v0, grid[1] - v1
    top, left = xp.floor(row), xp.floor(column)
    down, right = row - top, column - left
    i, j = top.astype(int) % SIZE, left.astype(int) % SIZE
    i1, j1 = (i + 1) % SIZE, (j + 1) % SIZE
    above = (1 - right) * u[i, j] + right * u[i, j1]
    below = (1 - right) * u[i1, j] + right * u[i1, j1]
    return (1 - down) * above + down * below


def fluid(xp, v, grid, smoke, wanted):
    v0, v1 = v[0], v[1]
    for _ in range(4):
        v0, v1 = incompressible(xp, v0, v1)
        v0, v1, smoke = (carried(xp, grid, v0, v1, u) for u in (v0, v1, smoke))
    return ((smoke - wanted) ** 2).sum()


def recurrent(xp, p, text):
    rows = np.arange(len(text))
    state, total = np.zeros((len(text), 40)), 0.0
    for t in range(text.shape[1] - 1):
        state = xp.tanh(p["from letter"][text[:, t]] + state @ p["from state"] + p["offset"])
        scores = state @ p["to letter"]
        scores = scores - scores.max(axis=1, keepdims=True)
        total = total + (xp.log(xp.exp(scores).sum(axis=1)) - scores[rows, text[:, t + 1]]).mean()
    return total


def mixture(xp, free, points):
    scores, means, free_factors = free[:3], free[3:9].reshape(3, 2), free[9:].reshape(3, 2, 2)
    factors = free_factors * np.tri(2, k=-1) + xp.exp(free_factors * np.eye(2)) * np.eye(2)
    log_shares = scores - xp.log(xp.exp(scores).sum())
    white = xp.linalg.solve(factors, xp.transpose(points[:, None] - means, (1, 2, 0)))
    log_size = (free_factors * np.eye(2)).sum(axis=(1, 2))
    z = (log_shares - log_size)[:, None] - 0.5 * (white**2).sum(axis=1)
    top = z.max(axis=0)
    return -(top + xp.log(xp.exp(z - top).sum(axis=0))).mean()


def change(xp, p, animals):
    hares, lynxes = animals[0], animals[1]
    return xp.array([p[0] * hares - p[1] * hares * lynxes, p[3] * hares * lynxes - p[2] * lynxes])


def steps_of_runge_kutta(xp, p, y, n, h=0.5):
    for _ in range(n):
        k1 = change(xp, p, y)
        k2 = change(xp, p, y + h / 2 * k1)
        k3 = change(xp, p, y + h / 2 * k2)
        k4 = change(xp, p, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        yield y


def ode(xp, p, seen):
    states = xp.stack([p[4:], *steps_of_runge_kutta(xp, p, p[4:], len(seen) - 1)])
    return ((xp.log(states) - seen) ** 2).sum()


# The same, as they are written where arrays can be written to.


def fluid_written(xp, v, grid, smoke, wanted):
    for _ in range(4):
        inflow = (xp.roll(v[0], 1, 0) - xp.roll(v[0], -1, 0) + xp.roll(v[1], 1, 1) - xp.roll(v[1], -1, 1)) / 2
        pressure = inflow / 4
        for _ in range(8):
            around = sum(xp.roll(pressure, shift, axis) for axis in (0, 1) for shift in (1, -1))
            pressure = (inflow + around) / 4
        for axis in (0, 1):
            v[axis] -= (xp.roll(pressure, -1, axis) - xp.roll(pressure, 1, axis)) / 2
        fields = xp.concatenate([v, smoke[None]])
        source = grid - v
        corner = xp.floor(source)
        down, right = source - corner
        (i, j), (i1, j1) = (corner.astype(int) + k for k in (0, 1))
        i, j, i1, j1 = (k % SIZE for k in (i, j, i1, j1))
        above = (1 - right) * fields[:, i, j] + right * fields[:, i, j1]
        below = (1 - right) * fields[:, i1, j] + right * fields[:, i1, j1]
        fields = (1 - down) * above + down * below
        v, smoke = fields[:2], fields[2]
    return ((smoke - wanted) ** 2).sum()


def recurrent_written(xp, p, text):
    rows = xp.arange(len(text))
    state, total = xp.zeros((len(text), 40)), 0.0
    for t in range(text.shape[1] - 1):
        state = state @ p["from state"]
        state += p["from letter"][text[:, t]]
        state += p["offset"]
        state = xp.tanh(state)
        scores = state @ p["to letter"]
        scores -= scores.max(axis=1, keepdims=True)
        total += (xp.log(xp.exp(scores).sum(axis=1)) - scores[rows, text[:, t + 1]]).mean()
    return total


def mixture_written(xp, free, points):
    scores, means, factors = free[:3], free[3:9].reshape(3, 2), xp.tril(free[9:].reshape(3, 2, 2))
    diagonal = xp.arange(2)
    factors[:, diagonal, diagonal] = xp.exp(factors[:, diagonal, diagonal])
    white = xp.linalg.solve(factors, xp.transpose(points[:, None] - means, (1, 2, 0)))
    log_size = xp.log(factors[:, diagonal, diagonal]).sum(axis=1)
    z = (scores - xp.logaddexp.reduce(scores) - log_size)[:, None] - 0.5 * (white**2).sum(axis=1)
    return -xp.logaddexp.reduce(z, axis=0).mean()


def ode_written(xp, p, seen):
    states = xp.empty(seen.shape)
    states[0] = p[4:]
    for n, y in enumerate(steps_of_runge_kutta(xp, p, states[0], len(seen) - 1)):
        states[n + 1] = y
    return ((xp.log(states) - seen) ** 2).sum()


# Loops over numbers.


def garch(xp, p, r):
    """Minus the log-likelihood of returns whose variance follows a GARCH(1, 1), in a loop that fills it."""
    h = xp.zeros(len(r))
    h[0] = r.var()
    for t in range(1, len(r)):
        h[t] = p[0] + p[1] * r[t - 1] ** 2 + p[2] * h[t - 1]
    return 0.5 * (xp.log(h) + r**2 / h).sum()


def garch_in_list(xp, p, r):
    """The same, for a library whose arrays cannot be filled."""
    h = [r.var()]
    for t in range(1, len(r)):
        h.append(p[0] + p[1] * r[t - 1] ** 2 + p[2] * h[t - 1])
    h = xp.array(h)
    return 0.5 * (xp.log(h) + r**2 / h).sum()


def garch_by_scan(xp, p, r):
    """The same, for JAX, whose compiler unrolls loops of Python."""
    from jax import lax

    def step(h, r_before):
        h = p[0] + p[1] * r_before**2 + p[2] * h
        return h, h

    first = r.var()
    _, rest = lax.scan(step, first, r[:-1])
    h = xp.concatenate([first[None], rest])
    return 0.5 * (xp.log(h) + r**2 / h).sum()


def writes(xp, x, n):
    """So many scalar writes to an array, each of what was read from it before."""
    y = xp.zeros(n)
    y[0] = x[0]
    for k in range(1, n):
        y[k] = x[1] * y[k - 1] + x[0]
    return y.sum()


def programs():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 1000).astype(float)
    smoke, wanted = rng.random((2, SIZE, SIZE))
    grid = np.mgrid[:SIZE, :SIZE].astype(float)
    letters = {"from letter": (26, 40), "from state": (40, 40), "offset": (40,), "to letter": (40, 26)}
    free = np.concatenate([np.zeros(3), 2 * rng.normal(size=6), 0.1 * rng.normal(size=12)])
    animals = np.array([0.9, 0.10, 0.6, 0.04, 20.0, 5.0])
    seen = np.log(np.array([animals[4:], *steps_of_runge_kutta(np, animals, animals[4:], 20)]))
    return [
        Program(
            "logistic", "logistic regression, 1000×20", logistic,
            {"weights": 0.1 * rng.normal(size=20), "bias": 0.1}, (rng.normal(size=(1000, 20)), labels),
        ),
        Program(
            "fluid", "fluid, 4 steps on 24×24", fluid, 0.5 * rng.normal(size=(2, SIZE, SIZE)), (grid, smoke, wanted),
            written=fluid_written,
        ),
        Program(
            "recurrent", "recurrent network, 20 letters, batch 16, 40 wide", recurrent,
            {name: 0.2 * rng.normal(size=shape) for name, shape in letters.items()}, (rng.integers(0, 26, (16, 21)),),
            written=recurrent_written,
        ),
        Program(
            "mixture", "mixture of 3 Gaussians, 500 points", mixture, free, (rng.normal(size=(500, 2)),),
            written=mixture_written,
        ),
        Program(
            "ode", "Lotka–Volterra, 20 steps of Runge–Kutta", ode, 1.1 * animals, (seen,), makes_arrays=True,
            written=ode_written,
        ),
    ]  # fmt: skip
