"""GARCH(1, 1) by maximum likelihood: a loop over time, differentiated twice, with standard errors of three kinds.

The variance of each day follows from the day before (Bollerslev 1986); it begins with the mean of the squares, the
convention of Fiorentini, Calzolari and Panattoni (1996). The returns are made up, from known parameters.
"""

import numpy as np
from scipy.optimize import minimize

import symgrad as sg

TRUTH = {"mu": 0.03, "omega": 0.10, "alpha": 0.15, "beta": 0.75}


def simulate(rng, n=400):
    returns, variance = np.empty(n), TRUTH["omega"] / (1 - TRUTH["alpha"] - TRUTH["beta"])
    for day in range(n):
        shock = np.sqrt(variance) * rng.standard_normal()
        returns[day] = TRUTH["mu"] + shock
        variance = TRUTH["omega"] + TRUTH["alpha"] * shock**2 + TRUTH["beta"] * variance
    return returns


def variances(p, squares):
    """The variance of each day, and of the day after the last."""
    variance = square = squares.mean()
    path = []
    for day in range(len(squares) + 1):
        variance = p["omega"] + p["alpha"] * square + p["beta"] * variance
        path.append(variance)
        square = squares[day] if day < len(squares) else None
    return np.stack(path)


def contributions(p, returns):
    """Minus the log-likelihood, day by day."""
    squares = (returns - p["mu"]) ** 2
    h = variances(p, squares)[:-1]
    return 0.5 * (np.log(2 * np.pi) + np.log(h) + squares / h)


def by_differences(f, x, h=1e-4):
    """The Hessian of a function of a vector by central differences: the second source."""
    E = h * np.diag(np.maximum(np.abs(x), 0.05))
    steps = E.diagonal()
    H = [[f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b) for a in E] for b in E]
    return np.array(H) / (4 * np.outer(steps, steps))


def main():
    returns = simulate(np.random.default_rng(4))
    fit = sg.minimize(contributions, {"mu": 0.0, "omega": 0.1, "alpha": 0.1, "beta": 0.8}, returns)
    print(fit.summary())
    print("\nstandard errors     ", *(f"{name:>8}" for name in TRUTH))
    for kind in ("hessian", "opg", "sandwich"):
        print(f"{kind:20}", *(f"{error:8.4f}" for error in fit.standard_errors(kind).values()))

    lasting = sg.stats.delta(lambda p: p["omega"] / (1 - p["alpha"] - p["beta"]), fit)
    print(f"\nvariance in the long run: {lasting}")
    print("its gradient:", *(f"\n  in {name:6} {formula}" for name, formula in lasting.formula.items()))
    tomorrow = sg.stats.delta(lambda p: np.sqrt(variances(p, (returns - p["mu"]) ** 2)[-1]), fit)
    print(f"standard deviation of the next day: {tomorrow}")

    path = np.sqrt(variances(fit.x, (returns - fit.x["mu"]) ** 2))
    print("\ndays       |return| and, as |, the standard deviation (means of 20 days)")
    for first in range(0, len(returns), 20):
        line = list("=" * round(20 * np.abs(returns[first : first + 20]).mean()) + " " * 60)
        line[round(20 * path[first : first + 20].mean())] = "|"
        print(f"{first:4}-{first + 19:<4} {''.join(line).rstrip()}")

    # a second source: the same function without derivatives, minimised by the simplex of Nelder and Mead
    def plain(x):
        value = contributions(dict(zip(TRUTH, x, strict=True)), returns).sum()
        return value if np.isfinite(value) else np.inf

    with np.errstate(invalid="ignore"):
        other = minimize(plain, list(TRUTH.values()), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    x, errors = np.array(list(fit.x.values())), np.array(list(fit.standard_errors().values()))
    assert np.abs(other.x - x).max() < 1e-4 and fit.fun <= other.fun + 1e-9, "the same minimum"
    numeric = np.sqrt(np.diag(np.linalg.inv(by_differences(plain, x))))
    assert np.allclose(errors, numeric, rtol=1e-3), "the same errors"
    assert (np.abs(x - list(TRUTH.values())) < 3 * errors).all(), "the truth is within three standard errors"


if __name__ == "__main__":
    main()
