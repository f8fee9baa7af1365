"""A double pendulum from its Lagrangian alone: its equations of motion as formulas, then ten seconds of chaos.

`python double_pendulum.py path.svg` also draws the way of the lower weight into that file.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import symgrad as sg

MASSES, LENGTHS, GRAVITY = np.array([1.0, 1.0]), np.array([1.0, 1.0]), 9.81
START = np.array([2.0, 2.5, 0.0, 0.0])
"""Two angles from below, in radians, and their velocities."""


def lagrangian(q, v, m, r, g):
    """Kinetic less potential energy, at angles q (measured from below) and angular velocities v; r are the lengths."""
    across = r[0] * v[0] * np.cos(q[0]), r[0] * v[0] * np.cos(q[0]) + r[1] * v[1] * np.cos(q[1])
    upward = r[0] * v[0] * np.sin(q[0]), r[0] * v[0] * np.sin(q[0]) + r[1] * v[1] * np.sin(q[1])
    height = -r[0] * np.cos(q[0]), -r[0] * np.cos(q[0]) - r[1] * np.cos(q[1])
    return sum(m[k] * (across[k] ** 2 + upward[k] ** 2) / 2 - g * m[k] * height[k] for k in range(2))


def equations():
    """Lagrange's equations, d/dt ∂L/∂v = ∂L/∂q, written out: mass · acceleration + coriolis · v = force."""
    symbols = [sg.symbol(name, 2) for name in "qvmr"]
    L = sg.formula(lagrangian, *symbols, sg.symbol("g"))
    return {"mass": L.hessian("v"), "coriolis": L.grad("v").jacobian("q"), "force": L.grad("q")}


def exported(formula, name):
    """The formula as a NumPy function; its arguments are the symbols in alphabetical order."""
    namespace = {}
    exec(formula.code("numpy", name=name), namespace)
    return namespace[name]


def textbook(q, v):
    """The accelerations as they are found in books, for equal masses and lengths of 1."""
    d, g = q[0] - q[1], GRAVITY
    below = 3 - np.cos(2 * d)
    first = -3 * g * np.sin(q[0]) - g * np.sin(q[0] - 2 * q[1]) - 2 * np.sin(d) * (v[1] ** 2 + v[0] ** 2 * np.cos(d))
    second = 2 * np.sin(d) * (2 * v[0] ** 2 + 2 * g * np.cos(q[0]) + v[1] ** 2 * np.cos(d))
    return np.array([first, second]) / below


def energy(q, v):
    """Kinetic and potential energy: v ∂L/∂v - L."""
    momentum = sg.grad(lagrangian, argnums="v")(q, v, MASSES, LENGTHS, GRAVITY)
    return v @ momentum - lagrangian(q, v, MASSES, LENGTHS, GRAVITY)


def draw(path, x, y):
    points = " ".join(f"{200 + 90 * a:.1f},{200 - 90 * b:.1f}" for a, b in zip(x, y, strict=True))
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400"><rect width="400" height="400" fill="white"/>'
        f'<polyline points="{points}" fill="none" stroke="#357" stroke-width="0.8"/>'
        '<circle cx="200" cy="200" r="3"/></svg>',
        encoding="utf-8",
    )


def main():
    formulas = equations()
    for name, formula in formulas.items():
        print(f"{name:9} {str(formula).replace(chr(10), chr(10) + 10 * ' ')}")
    mass, coriolis, force = (exported(formula, name) for name, formula in formulas.items())

    def motion(_, state):
        q, v = state[:2], state[2:]
        pull = force(GRAVITY, MASSES, q, LENGTHS, v) - coriolis(MASSES, q, LENGTHS, v) @ v
        return np.concatenate([v, np.linalg.solve(mass(MASSES, q, LENGTHS), pull)])

    rng = np.random.default_rng(0)
    for q, v in rng.normal(size=(20, 2, 2)):
        assert np.allclose(motion(0, np.concatenate([q, v]))[2:], textbook(q, v), rtol=1e-11)

    times = np.linspace(0, 10, 1001)
    states = solve_ivp(motion, (0, 10), START, "DOP853", times, rtol=1e-11, atol=1e-11).y.T
    x, y = np.cumsum(np.sin(states[:, :2]), axis=1)[:, 1], -np.cumsum(np.cos(states[:, :2]), axis=1)[:, 1]
    energies = [energy(state[:2], state[2:]) for state in states[::100]]
    print("\n time   lower weight at        energy")
    for n in range(0, 1001, 100):
        print(f"{times[n]:5.1f}   {x[n]:7.4f} {y[n]:7.4f}   {energies[n // 100]:.9f}")
    drift = np.ptp(energies)
    print(f"the energy drifts by {drift:.0e}")
    assert drift < 1e-8, "energy is conserved"

    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]), x, y)
        print(f"written: {sys.argv[1]}")


if __name__ == "__main__":
    main()
