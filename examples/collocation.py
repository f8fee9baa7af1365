"""The brachistochrone by direct collocation: optimal control as a problem with constraints, with exact derivatives.

A bead slides without friction along a path that is steered, from rest at (0, 0) to (2, 1), in the least time. States
and steering at each node are the unknowns; that neighbours obey the equation of motion are the constraints.
"""

import numpy as np
import scipy.optimize

import symgrad as sg
import symgrad.scipy as sp

NODES = 12


def change(z):
    """Across, down and speed, with the angle from the vertical behind them."""
    _, _, speed, angle, g = z
    return np.stack([speed * np.sin(angle), speed * np.cos(angle), g * np.cos(angle)])


def parts(u):
    """The states (3, nodes), the angles and the time."""
    table = u[:-1].reshape((4, NODES))
    return table[:3], table[3], u[-1]


def defects(u, end, g=9.81):
    """How far neighbours are from Simpson's rule with Hermite's middle, and the ends from where they should be."""
    y, angle, time = parts(u)
    h = time / (NODES - 1)
    f = change([*y, angle, g])
    middle = (y[:, 1:] + y[:, :-1]) / 2 - h / 8 * np.diff(f)
    f_middle = change([*middle, (angle[1:] + angle[:-1]) / 2, g])
    simpson = np.diff(y) - h / 6 * (f[:, 1:] + 4 * f_middle + f[:, :-1])
    return np.concatenate([simpson.ravel(), y[:, 0], y[:2, -1] - end])


def fastest(end, g=9.81):
    """SciPy's result: the least time and all unknowns, differentiable in where to go and in gravity."""
    line = np.linspace(0, 1, NODES)
    start = np.concatenate([2 * line, line, 4 * line, 0.2 + 1.3 * line, [0.8]])
    holds = scipy.optimize.NonlinearConstraint(lambda u: defects(u, end, g), 0, 0)
    exactly = {"maxiter": 200, "ftol": 1e-12}
    return sp.optimize.minimize(lambda u: u[-1], start, method="SLSQP", constraints=holds, options=exactly)


def exact(end, g=9.81):
    """On a cycloid, x = r (s − sin s) and y = r (1 − cos s), after the time s √(r/g)."""
    s = sp.optimize.brentq(lambda s: (s - np.sin(s)) / (1 - np.cos(s)) - end[0] / end[1], 0.1, 6.2)
    return s * np.sqrt(end[1] / (1 - np.cos(s)) / g)


def main():
    end = np.array([2.0, 1.0])
    found = fastest(end)
    (x, y, speed), _, time = parts(found.x)
    print(f"time {time:.7f}, exact {exact(end):.7f}, with {NODES} nodes, after {found.nit} steps")
    assert abs(time / exact(end) - 1) < 1e-6
    assert np.allclose(speed, np.sqrt(2 * 9.81 * y), atol=1e-4), "energy is conserved"

    # what a little more of each would cost: derivatives of the minimum, beside those of the cycloid
    of_end, of_gravity = sg.grad(lambda end, g: fastest(end, g).fun, argnums=(0, 1))(end, 9.81)
    print(f"its derivatives by the end {of_end}, exact {sg.grad(exact)(end)}")
    print(f"and by gravity {of_gravity:.6f}, exact {-exact(end) / (2 * 9.81):.6f}")
    assert np.allclose(of_end, sg.grad(exact)(end), atol=1e-5) and np.isclose(of_gravity, -exact(end) / (2 * 9.81))
    curvature = sg.hessian(lambda end: fastest(end).fun)(end)
    by_hand = sg.hessian(exact)(end)
    print(f"second derivatives by the end\n{curvature.round(5)}, exact\n{by_hand.round(5)}")
    assert np.allclose(curvature, by_hand, atol=1e-4)

    print("\n  x      y      the bead")
    for k in range(NODES):
        print(f"{x[k]:6.3f} {y[k]:6.3f}  {' ' * round(30 * x[k])}o")


if __name__ == "__main__":
    main()
