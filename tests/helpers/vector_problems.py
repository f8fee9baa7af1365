"""Functions of many variables that return many numbers: a reaction on a line, and constraints of optimal control."""

import numpy as np


def brusselator(z):
    """∂u/∂t = 1 + u²v − 4u + α ∂²u/∂x², ∂v/∂t = 3u − u²v + α ∂²v/∂x² by the method of lines; z is u, then v."""
    u, v = np.split(z, 2)
    n = len(u)
    alpha = 0.02 * (n + 1) ** 2
    U, V = np.concatenate([[1.0], u, [1.0]]), np.concatenate([[3.0], v, [3.0]])
    spread = lambda w: alpha * (w[2:] - 2 * w[1:-1] + w[:-2])
    return np.concatenate([1 + u**2 * v - 4 * u + spread(U), 3 * u - u**2 * v + spread(V)])


def brusselator_start(n):
    x = np.arange(1, n + 1) / (n + 1)
    return np.concatenate([1 + np.sin(2 * np.pi * x), 3 * np.ones(n)])


def collocation(p):
    """Constraints of a pendulum that is swung up: Hermite–Simpson collocation on a grid, and both ends."""
    angle, speed, torque, end = p["angle"], p["speed"], p["torque"], p["end"]
    h = end / (len(angle) - 1)

    def slope(angle, speed, torque):
        return np.stack([speed, torque - np.sin(angle) - 0.1 * speed])

    y = np.stack([angle, speed])
    s = slope(angle, speed, torque)
    middle = (y[:, 1:] + y[:, :-1]) / 2 - h / 8 * (s[:, 1:] - s[:, :-1])
    inside = slope(middle[0], middle[1], (torque[1:] + torque[:-1]) / 2)
    defects = y[:, 1:] - y[:, :-1] - h / 6 * (s[:, 1:] + 4 * inside + s[:, :-1])
    return np.concatenate([defects.reshape(-1), y[:, 0], y[:, -1] - np.array([np.pi, 0.0])])


def collocation_point(n):
    rng = np.random.default_rng(2)
    return {name: rng.normal(size=n) for name in ("angle", "speed", "torque")} | {"end": 3.0}
