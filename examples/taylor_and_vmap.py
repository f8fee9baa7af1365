"""High derivatives by one run, and derivatives per example: series, Laplacians, robust errors."""

from importlib.resources import files

import numpy as np

import symgrad as sg


def series():
    """The series of tan, to an order that nested gradients would not reach."""
    c = sg.taylor(np.tan, 0.0, order=21)
    print("tan t =", " + ".join(f"{c[k]:.5f} t^{k}" for k in (1, 3, 5, 7)), "+ …")
    pole = np.sqrt(c[19] / c[21])
    print(f"its pole, from the ratio of late coefficients: {pole:.10f}; π/2 = {np.pi / 2:.10f}")
    t = sg.symbol("t")
    print("exp(−t²/2) =", *sg.taylor(lambda t: sg.exp(-t * t / 2), t, order=2), sep="\n    ")


def along_a_line():
    """A line search for nothing: the function along a direction, from one run."""

    def f(x):
        return np.log(np.exp(x).sum())

    x, direction = np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.0, -1.0])
    c = sg.taylor(f, x, order=6, direction=direction)
    h = 0.3
    print(f"f(x + {h}·d): {f(x + h * direction):.8f}, by the series {np.polyval(c[::-1], h):.8f}")
    assert np.isclose(c[2], direction @ sg.hvp(f, x, direction) / 2)


def laplacians():
    """The Laplacian of a function at 1,000 points at once, beside the one on paper: (r² − 3) exp(−r²/2)."""

    def bump(x):
        return np.exp(-(x @ x) / 2)

    points = np.random.default_rng(0).standard_normal((1000, 3))
    at_all = sg.vmap(lambda x: sg.laplacian(bump, x))
    r2 = (points**2).sum(1)
    error = abs(at_all(points) - (r2 - 3) * np.exp(-r2 / 2)).max()
    print(f"1,000 Laplacians, {at_all.plan(points)}: off by {error:.0e} at the most")
    assert error < 1e-12


def loss(w, x, y):
    """Minus the log-likelihood of one flight."""
    return np.logaddexp(0, x @ w) - y * (x @ w)


def robust_errors():
    """A gradient for each flight; with their spread, standard errors that do not rest on the model (the sandwich)."""
    with (files("symgrad") / "data" / "challenger.csv").open() as file:
        temperature, damage = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    X, w = np.column_stack([np.ones_like(temperature), temperature]), np.array([15.042902, -0.232163])
    scores = sg.vmap(sg.grad(loss), in_dims=(None, 0, 0))(w, X, damage)
    hessians = sg.vmap(sg.hessian(loss), in_dims=(None, 0, 0))(w, X, damage)
    inverse = np.linalg.inv(hessians.sum(0))
    assert np.allclose(inverse @ scores.sum(0), 0, atol=1e-5), "the estimate: a Newton step leads nowhere"
    robust = inverse @ (scores.T @ scores) @ inverse
    print("standard errors:", np.sqrt(np.diag(inverse)).round(4), "robust:", np.sqrt(np.diag(robust)).round(4))
    influence = np.linalg.norm(scores @ inverse, axis=1)
    most = influence.argmax()
    outcome = "damaged" if damage[most] else "not damaged"
    print(f"the flight with most influence: number {most + 1}, {outcome} at {temperature[most]:.0f} °F")


def main():
    series()
    along_a_line()
    laplacians()
    robust_errors()


if __name__ == "__main__":
    main()
