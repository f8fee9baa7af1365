"""Hares and lynxes: a differential equation fitted to data, by differentiating the integrator.

The integrator is the classical Runge-Kutta method as anyone writes it: a loop that fills rows of an array. For arrays
made inside a function that is differentiated, NumPy is imported from symgrad; everything else is as before.
"""

import symgrad as sg
import symgrad.numpy as np

YEARS = np.arange(0.0, 20.5, 0.5)
TRUTH = {"growth": 0.9, "hunting": 0.10, "death": 0.6, "feeding": 0.04, "start": np.array([20.0, 5.0])}


def change(p, animals):
    hares, lynxes = animals
    return np.array([
        p["growth"] * hares - p["hunting"] * hares * lynxes,
        p["feeding"] * hares * lynxes - p["death"] * lynxes,
    ])  # fmt: skip


def integrate(rhs, start, times, p, steps=2):
    """The states at `times`, a row for each: Runge's and Kutta's method with so many steps between two times."""
    states = np.empty((len(times), len(start)))
    states[0] = start
    for n in range(len(times) - 1):
        y, h = states[n], (times[n + 1] - times[n]) / steps
        for _ in range(steps):
            k1 = rhs(p, y)
            k2 = rhs(p, y + h / 2 * k1)
            k3 = rhs(p, y + h / 2 * k2)
            k4 = rhs(p, y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states[n + 1] = y
    return states


def residuals(p, seen):
    """How far the logarithms of the numbers are from the model's."""
    return (np.log(integrate(change, p["start"], YEARS, p)) - np.log(seen)).ravel()


def parts_of(flat, p):
    """The parts of a flat array that belong to the parameters, by name and in their shapes."""
    ends = np.cumsum([np.size(value) for value in p.values()])[:-1]
    return {name: part.reshape(np.shape(p[name])) for name, part in zip(p, np.split(flat, ends), strict=True)}


def fit(p, seen, steps=12):
    """Levenberg's and Marquardt's method: Gauss-Newton, more careful after every step that does not help."""
    jacobian, care = sg.jacrev(residuals), 1.0
    r = residuals(p, seen)
    for n in range(steps):
        print(f"step {n:2}: sum of squares {r @ r:8.4f}")
        J = np.column_stack([block.reshape(len(r), -1) for block in jacobian(p, seen).values()])
        normal = J.T @ J
        while care < 1e12:
            move = parts_of(np.linalg.solve(normal + care * np.diag(np.diag(normal)), J.T @ r), p)
            tried = {name: p[name] - move[name] for name in p}
            fair = all(np.all(value > 0) for value in tried.values())
            r_tried = residuals(tried, seen) if fair else np.inf * np.ones(1)
            if r_tried @ r_tried <= r @ r:
                p, r, care = tried, r_tried, care / 10
                break
            care *= 10
        if all(np.all(np.abs(move[name]) < 1e-5 * p[name]) for name in p):
            break
    variance = np.diag(np.linalg.inv(normal)) * (r @ r) / (len(r) - len(normal))
    return p, parts_of(np.sqrt(variance), p)


def main():
    rng = np.random.default_rng(3)
    seen = integrate(change, TRUTH["start"], YEARS, TRUTH)
    seen = seen * np.exp(0.05 * rng.normal(size=seen.shape))

    begin = {"growth": 1.1, "hunting": 0.12, "death": 0.5, "feeding": 0.03, "start": np.array([25.0, 6.0])}
    found, errors = fit(begin, seen)
    print("\n          estimate   standard error   truth")
    for name, truth in TRUTH.items():
        for estimate, error, value in zip(np.ravel(found[name]), np.ravel(errors[name]), np.ravel(truth), strict=True):
            print(f"{name:8}  {estimate:8.4f}   {error:14.4f}   {value:5.2f}")
            assert abs(estimate - value) < 4 * error, "the truth is within four standard errors"


if __name__ == "__main__":
    main()
