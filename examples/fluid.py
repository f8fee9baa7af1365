"""Find the wind that blows a cloud of smoke into a ring: a fluid simulation in NumPy, differentiated as it stands.

Every step lets the fluid carry its velocity and the smoke along, and makes the velocity free of divergence by a few
sweeps of Jacobi's method. SciPy then looks for the velocity at the start after which the smoke ends as wanted.
"""

import numpy as np
from scipy.optimize import minimize

import symgrad as sg

SIZE, STEPS, SWEEPS = 22, 6, 6
SHADES = " .:-=+*#%@"


def make_incompressible(v):
    """Take from the velocity the gradient of a pressure, so that as much flows into a cell as out of it."""
    into = [np.roll(v[axis], 1, axis) - np.roll(v[axis], -1, axis) for axis in (0, 1)]
    inflow = (into[0] + into[1]) / 2
    pressure = np.zeros((SIZE, SIZE))
    for _ in range(SWEEPS):
        around = sum(np.roll(pressure, shift, axis) for axis in (0, 1) for shift in (1, -1))
        pressure = (inflow + around) / 4
    v = v.copy()
    for axis in (0, 1):
        v[axis] -= (np.roll(pressure, -1, axis) - np.roll(pressure, 1, axis)) / 2
    return v


def carry(fields, v):
    """What each cell holds after a step: what was where the wind now there came from, between four cells."""
    source = np.mgrid[:SIZE, :SIZE] - v
    corner = np.floor(source).astype(int)
    down, right = source - corner
    (i, j), (i1, j1) = corner % SIZE, (corner + 1) % SIZE
    above = (1 - right) * fields[:, i, j] + right * fields[:, i, j1]
    below = (1 - right) * fields[:, i1, j] + right * fields[:, i1, j1]
    return (1 - down) * above + down * below


def simulate(v, smoke):
    """The smoke after all steps."""
    for _ in range(STEPS):
        v = make_incompressible(v)
        carried = carry(np.concatenate([v, smoke[None]]), v)
        v, smoke = carried[:2], carried[2]
    return smoke


def distance(flat, smoke, wanted):
    """How far the smoke is from where it should be, and a little to keep the wind gentle."""
    v = flat.reshape(2, SIZE, SIZE)
    return ((simulate(v, smoke) - wanted) ** 2).sum() + 1e-4 * (v**2).sum()


def picture(smoke):
    shade = np.clip(smoke * len(SHADES), 0, len(SHADES) - 1).astype(int)
    return ["".join(2 * SHADES[s] for s in row) for row in shade[3:-3, 3:-3]]


def main():
    y, x = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2
    smoke = np.exp(-((x**2 + y**2) / 20))
    wanted = np.exp(-(((np.hypot(x, y) - 5) / 1.6) ** 2))
    wanted *= smoke.sum() / wanted.sum()  # wind makes no smoke

    start = 0.01 * np.random.default_rng(0).normal(size=2 * SIZE**2)
    found = minimize(
        sg.value_and_grad(distance), start, args=(smoke, wanted), jac=True, method="L-BFGS-B", options={"maxiter": 40}
    )
    before, after = distance(start, smoke, wanted), found.fun
    print(f"{found.nfev} simulations and their gradients in {start.size} numbers: {before:.1f} down to {after:.2f}\n")
    end = simulate(found.x.reshape(2, SIZE, SIZE), smoke)
    for rows in zip(picture(smoke), picture(end), picture(wanted), strict=True):
        print("|".join(rows).rstrip())
    print("\nthe smoke before, after, and as wanted")
    assert after < before / 4


if __name__ == "__main__":
    main()
