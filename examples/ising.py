"""The Ising model's energy and specific heat: first and second derivative of a logarithm, through an eigenvalue.

A transfer matrix sums over all states of a strip that is endless and some spins wide; the logarithm of its largest
eigenvalue is the partition function. Kaufman solved such strips by hand (1949), Onsager the whole plane (1944).
"""

import mpmath
import numpy as np
from scipy.special import ellipe, ellipk

import symgrad as sg

CRITICAL = np.log(1 + np.sqrt(2)) / 2


def strip(width):
    """The logarithm of the partition function for each spin, as a function of the inverse temperature."""
    spins = 1 - 2 * ((np.arange(2**width)[:, None] >> np.arange(width)) & 1)
    along, around = spins @ spins.T, (spins * np.roll(spins, 1, axis=1)).sum(axis=1)

    def log_partition(beta):
        half = np.exp(beta * around / 2)
        matrix = half[:, None] * np.exp(beta * along) * half
        return np.log(np.linalg.eigvalsh(matrix)[-1]) / width

    return log_partition


def kaufman(width, beta, order):
    """The same in closed form, and its derivatives by differences of 30 digits."""

    def log_partition(b):
        waves = [(2 * r - 1) * mpmath.pi / width for r in range(1, width + 1)]
        gammas = [mpmath.acosh(mpmath.cosh(2 * b) * mpmath.coth(2 * b) - mpmath.cos(wave)) for wave in waves]
        return mpmath.log(2 * mpmath.sinh(2 * b)) / 2 + sum(gammas) / (2 * width)

    with mpmath.workdps(30):
        return float(mpmath.diff(log_partition, mpmath.mpf(float(beta)), order))


def onsager(beta):
    """Energy and specific heat for each spin of the plane."""
    k1, t = 2 * np.tanh(2 * beta) ** 2 - 1, 1 / np.tanh(2 * beta)
    m = (2 * np.sinh(2 * beta) / np.cosh(2 * beta) ** 2) ** 2
    K, E = ellipk(m), ellipe(m)
    heat = 4 / np.pi * (beta * t) ** 2 * (K - E - (1 - np.tanh(2 * beta) ** 2) * (np.pi / 2 + k1 * K))
    return -t * (1 + 2 / np.pi * k1 * K), heat


def main():
    f = strip(8)
    first, second = sg.grad(f), sg.grad(sg.grad(f))
    print("                   strip of 8                plane")
    print("  beta        energy          heat     energy    heat   heat of the strip")
    for beta in np.arange(0.1, 0.81, 0.05):
        energy, heat = -first(beta), beta**2 * second(beta)
        plane = onsager(beta)
        print(f"{beta:6.2f} {energy:13.8f} {heat:13.8f}   {plane[0]:8.4f} {plane[1]:7.4f}   {'#' * round(25 * heat)}")
        assert np.isclose(energy, -kaufman(8, beta, 1), rtol=1e-12)
        assert np.isclose(heat, beta**2 * kaufman(8, beta, 2), rtol=1e-9)

    print("\nbeta = 0.35: the wider the strip, the more it is like the plane")
    for width in (2, 4, 6, 8):
        g = strip(width)
        away = -sg.grad(g)(0.35) - onsager(0.35)[0]
        print(f"  width {width}: energy off by {away:9.6f}")
    assert abs(away) < 0.02

    energy = -first(CRITICAL)
    print(f"\nat the critical point, {CRITICAL:.6f}, the energy is {energy:.12f}: -√2, for strips of every width")
    assert np.isclose(energy, -np.sqrt(2), rtol=1e-12), "Kramers and Wannier (1941)"


if __name__ == "__main__":
    main()
