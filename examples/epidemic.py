"""Influenza at a boarding school: an epidemic's differential equation fitted to counts, with standard errors.

763 boys, of whom so many lay in bed on each of fourteen days. SciPy's `solve_ivp` solves the equation; gradients of the
likelihood go through it, and so do second derivatives.
"""

import numpy as np
import scipy.integrate
import scipy.optimize
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp

BOYS = 763
IN_BED = np.array([3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4])
"""From 22 January 1978, the day after the first (British Medical Journal, 4 March 1978): the column ``in_bed`` of
``influenza_england_1978_school``, of R's package outbreaks."""
DAYS = np.arange(1.0, 15.0)


def change(t, y, infection, recovery):
    """Of the logarithms of the healthy and of the ill."""
    healthy, ill = np.exp(y)
    return np.stack([-infection * ill / BOYS, infection * healthy / BOYS - recovery])


def ill(p, integrate=sp.integrate):
    """How many are ill on the days, of one on day 0."""
    start, rates = np.log([BOYS - 1, 1]), (p["infection"], p["recovery"])
    return np.exp(integrate.solve_ivp(change, (0, 14), start, t_eval=DAYS, args=rates, rtol=1e-6, atol=1e-6).y[1])


def contributions(p, seen, integrate=sp.integrate, stats=sp.stats):
    """Minus the log-likelihood, day by day: counts around the mean m, whose variance is m + extra m²."""
    mean, size = ill(p, integrate), np.exp(-p["log_extra"])
    return -stats.nbinom.logpmf(seen, size, size / (size + mean))


def by_differences(f, x, h=1e-3):
    """The Hessian of a function of a vector, by central differences."""
    E = h * np.eye(len(x))
    return np.array([[f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b) for a in E] for b in E]) / (4 * h * h)


def left(p):
    """How many are never ill: the root of an equation, which has derivatives too."""
    rate = p["infection"] / p["recovery"]
    return sp.optimize.brentq(lambda s: np.log(s / (BOYS - 1)) + rate * (1 - s / BOYS), 1e-6, 0.5 * BOYS)


def main():
    # second derivatives of a solution cost much more than first ones: BFGS does without, and errors need one Hessian
    fit = sg.minimize(contributions, {"infection": 1.5, "recovery": 0.5, "log_extra": -1.0}, IN_BED, method="BFGS")
    print(f"{fit.summary()}\n")
    for name, g in (
        ("infected by one boy, R₀", lambda p: p["infection"] / p["recovery"]),
        ("days in bed", lambda p: 1 / p["recovery"]),
        ("ill on day 6", lambda p: ill(p)[5]),
        ("never ill", left),
    ):
        print(f"{name:25} {sg.stats.delta(g, fit)}")

    found, errors = np.array(list(fit.x.values())), np.array(list(fit.standard_errors().values()))
    # the posterior of "Bayesian workflow for disease transmission modeling" (Grinsztajn et al. 2021): 1.73, 0.54
    assert np.abs(found[:2] - [1.73, 0.54]).max() < 0.01 and np.abs(errors[:2] - [0.05, 0.05]).max() < 0.02

    # a second source: SciPy's own functions, a method without derivatives, and differences
    def plain(x):
        return contributions(dict(zip(fit.x, x, strict=True)), IN_BED, scipy.integrate, scipy.stats).sum()

    other = scipy.optimize.minimize(plain, 1.1 * found, method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-8})
    assert np.allclose(found, other.x, rtol=1e-5), "the same minimum"
    assert np.allclose(errors, np.sqrt(np.linalg.inv(by_differences(plain, found)).diagonal()), rtol=1e-3)

    print("\nday   in bed (o), fitted (*)")
    for day, seen, mean in zip(DAYS, IN_BED, ill(fit.x), strict=True):
        line = [" "] * 76
        line[round(mean / 4.5)], line[round(seen / 4.5)] = "*", "o"
        print(f"{day:3.0f}  {''.join(line).rstrip()}")


if __name__ == "__main__":
    main()
