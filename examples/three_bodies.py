"""Planets whose forces are the gradient of one potential: Kepler's third law, the figure of eight, and its sensitivity.

The integrator is symplectic, so energy does not drift; and its Jacobian, which is found by differentiating all its
steps, is a symplectic matrix. `python three_bodies.py path.svg` draws the figure of eight into that file.
"""

import sys
from pathlib import Path

import numpy as np

import symgrad as sg

EIGHT = np.array([[0.97000436, -0.24308753], [-0.97000436, 0.24308753], [0.0, 0.0]])
EIGHT_VELOCITY = np.array([[0.46620369, 0.43236573], [0.46620369, 0.43236573], [-0.93240737, -0.86473146]])
EIGHT_PERIOD = 6.32591398
"""Chenciner and Montgomery (2000): three equal masses chase each other along one curve."""


def potential(x, masses):
    """Newton's, with a gravitational constant of 1; x has a row for each body."""
    i, j = np.triu_indices(len(masses), 1)
    return -(masses[i] * masses[j] / np.sqrt(((x[i] - x[j]) ** 2).sum(axis=1))).sum()


def energy(x, v, masses):
    return (masses * (v**2).sum(axis=1)).sum() / 2 + potential(x, masses)


force = sg.compile(lambda x, masses: -potential(x, masses), "g")

CUBE = 2 ** (1 / 3)
STEPS = [1 / (2 - CUBE), -CUBE / (2 - CUBE), 1 / (2 - CUBE)]
"""Yoshida: three steps of leapfrog, one of them back, make a method of fourth order."""


def motion(x, v, masses, time, steps):
    """The positions and velocities after a time, and the positions on the way."""
    way = [x]
    for _ in range(steps):
        for part in STEPS:
            h = part * time / steps
            x = x + h / 2 * v
            v = v + h * force(x, masses) / masses[:, None]
            x = x + h / 2 * v
        way.append(x)
    return x, v, way


def two_bodies():
    """The time between two passages of the point nearest to the sun, for ellipses of several sizes."""
    print("  a        period    2π √(a³ / total mass)")
    masses = np.array([1.0, 0.01])
    for a, e in ((0.5, 0.1), (1.0, 0.3), (2.0, 0.6)):
        speed = np.sqrt(masses.sum() / a * (1 + e) / (1 - e))  # of one body as the other sees it, at its nearest
        share = masses[::-1, None] / masses.sum() * np.array([[-1], [1]])
        x, v = share * np.array([a * (1 - e), 0]), share * np.array([0, speed])
        law = 2 * np.pi * np.sqrt(a**3 / masses.sum())
        x1, v1, _ = motion(x, v, masses, law, 500)
        # the apsis is where distance and velocity are at right angles: Newton's step from the expected time
        d, w = x1[1] - x1[0], v1[1] - v1[0]
        period = law - (d @ w) / (w @ w - masses.sum() / np.sqrt(d @ d))
        print(f"{a:4.1f}   {period:11.7f}   {law:11.7f}")
        assert abs(period - law) < 1e-5 * law, "Kepler's third law"


def main():
    two_bodies()
    masses = np.ones(3)
    x, v, way = motion(EIGHT, EIGHT_VELOCITY, masses, EIGHT_PERIOD, 250)
    drift = energy(x, v, masses) - energy(EIGHT, EIGHT_VELOCITY, masses)
    print(f"\nfigure of eight: after one period the bodies are {np.abs(x - EIGHT).max():.0e} from where they began,")
    print(f"and their energy is off by {drift:.0e}")
    assert np.abs(x - EIGHT).max() < 1e-5, "the published period"

    def final(x, v):
        x, v, _ = motion(x, v, masses, EIGHT_PERIOD, 100)
        return np.concatenate([x.reshape(6), v.reshape(6)])

    blocks = sg.jacfwd(final, argnums=(0, 1))(EIGHT, EIGHT_VELOCITY)
    M = np.hstack([block.reshape(12, 6) for block in blocks])
    J = np.kron([[0, 1], [-1, 0]], np.eye(6))
    print(f"\nsensitivity to the start: {np.abs(M.T @ J @ M - J).max():.0e} from a symplectic matrix")
    print("d(position of body 0) / d(its velocity at the start):")
    print(np.array2string(M[:2, 6:8], precision=5, prefix=""))
    multipliers = np.linalg.eigvals(M)
    print("absolute values of its eigenvalues:", *np.sort(np.abs(multipliers)).round(2))
    assert np.abs(np.abs(multipliers) - 1).max() < 0.02, (
        "all on the unit circle: the eight is stable, as Simó (2001) found"
    )
    assert np.abs(M.T @ J @ M - J).max() < 1e-8, "Jacobians of a symplectic method are symplectic"

    # a second source: differences
    h, aside = 1e-5, np.zeros((3, 2))
    aside[0, 0] = h
    column = (final(EIGHT, EIGHT_VELOCITY + aside) - final(EIGHT, EIGHT_VELOCITY - aside)) / (2 * h)
    assert np.allclose(M[:, 6], column, rtol=1e-5, atol=1e-5)

    if len(sys.argv) > 1:
        curve = " ".join(f"{200 + 150 * p[0, 0]:.1f},{100 - 150 * p[0, 1]:.1f}" for p in way)
        dots = "".join(
            f'<circle cx="{200 + 150 * a:.1f}" cy="{100 - 150 * b:.1f}" r="6" fill="#c33"/>' for a, b in EIGHT
        )
        Path(sys.argv[1]).write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200">'
            f'<polyline points="{curve}" fill="none" stroke="#357"/>{dots}</svg>',
            encoding="utf-8",
        )
        print(f"written: {sys.argv[1]}")


if __name__ == "__main__":
    main()
