"""A network that solves Burgers' equation u_t + u u_x = ν u_xx: it is trained on what is left of the equation.

The residual contains derivatives of the network; training by Levenberg's and Marquardt's method differentiates it once
more, in the weights. Two fronts that merge solve the equation exactly, after Cole and Hopf, so the error is known.
"""

import numpy as np

import symgrad as sg

VISCOSITY, UNITS = 0.1, 12


def network(t, x, a, w, b, c):
    """The value at one time and place: a layer of units, and their weighted sum."""
    return c @ np.tanh(t * a + x * w + b)


def residual(u, t, x, nu, *weights):
    """What Burgers' equation leaves of the function u, at one time and place."""
    u_t, u_x = sg.grad(u, argnums=(0, 1))(t, x, *weights)
    u_xx = sg.grad(sg.grad(u, argnums=1), argnums=1)(t, x, *weights)
    return u_t + u(t, x, *weights) * u_x - nu * u_xx


def exact(t, x):
    """Cole's and Hopf's solution -2ν φ_x/φ, of three exponentials: steps from 1.5 to 0.5 to 0."""
    nu, heights = VISCOSITY, ((1.5, -3.5), (0.5, 0.5), (0.0, 0.0))
    parts = [np.exp(-k * x / (2 * nu) + k**2 * t / (4 * nu) + shift) for k, shift in heights]
    return sum(k * part for (k, _), part in zip(heights, parts, strict=True)) / sum(parts)


def misfits(p, inside, border):
    """The residuals at points inside, and the errors at the start and at both ends, as one vector."""
    weights = p.reshape(4, UNITS)
    left = sg.vmap(lambda t, x: residual(network, t, x, VISCOSITY, *weights))(*inside)
    u = sg.vmap(lambda t, x: network(t, x, *weights))(*border)
    return np.concatenate([left, 10 * (u - exact(*border))])


def train(p, inside, border, steps=100):
    """Levenberg's and Marquardt's method: Gauss-Newton, more careful after every step that does not help."""
    jacobian, care = sg.jacobian(misfits), 1e-2
    r = misfits(p, inside, border)
    for n in range(steps):
        J = jacobian(p, inside, border)
        if n % 20 == 0:
            print(f"step {n:3}: sum of squares {r @ r:.2e}")
        while care < 1e8:
            tried = p - np.linalg.solve(J.T @ J + care * np.eye(len(p)), J.T @ r)
            r_tried = misfits(tried, inside, border)
            if r_tried @ r_tried < r @ r:
                p, r, care = tried, r_tried, care / 4
                break
            care *= 4
    return p


def main():
    t, x, nu = sg.symbols("t x nu")
    weights = [sg.symbol(name, "k") for name in "awbc"]
    left = sg.formula(residual, network, t, x, nu, *weights)
    print(f"network:  {sg.formula(network, t, x, *weights)}")
    print(f"residual: {str(left).replace(chr(10), chr(10) + 10 * ' ')}\n")
    # by hand, with tanh' = 1 - tanh² and tanh'' = -2 tanh (1 - tanh²)
    by_hand = "c @ ((1 - h**2) * (a + (c @ h) * w + 2 * nu * h * w**2))".replace("h", "tanh(t*a + x*w + b)")
    assert left.equals(sg.parse(by_hand, nu=(), t=(), x=(), **dict.fromkeys("awbc", "k")))

    rng = np.random.default_rng(2)
    inside = rng.uniform(0, 2, 250), rng.uniform(-2, 3, 250)
    assert max(abs(residual(exact, *point, VISCOSITY)) for point in zip(*inside)) < 1e-12
    line, moments = np.linspace(-2, 3, 40), np.linspace(0, 2, 15)
    border = np.concatenate([0 * line, moments, moments]), np.concatenate([line, 0 * moments - 2, 0 * moments + 3])
    one = np.ones(UNITS)  # to begin with: a row of steps down, at random places and speeds
    start = [-rng.uniform(0, 2, UNITS), 2 * one, 3 * rng.uniform(-1, 1, UNITS), -one / UNITS]
    p = train(np.concatenate(start), inside, border)

    places = np.linspace(-2, 3, 101)
    print("\ntwo fronts, and the faster one catches up (* the network, · the exact solution where they differ):")
    worst = 0.0
    for time in (0.0, 1.0, 2.0):
        u = np.array([network(time, place, *p.reshape(4, UNITS)) for place in places])
        worst = max(worst, np.abs(u - exact(time, places)).max())
        print(f"t = {time:.0f}")
        rows = np.round(4 * u).astype(int), np.round(4 * exact(time, places)).astype(int)
        for level in range(6, -1, -1):
            print("  " + "".join("*" if a == level else "·" if b == level else " " for a, b in zip(*rows, strict=True)))
    print(f"\nlargest error: {worst:.1e}")
    assert worst < 0.01, "the exact solution"


if __name__ == "__main__":
    main()
