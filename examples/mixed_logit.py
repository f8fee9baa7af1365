"""Mixed logit by simulation: tastes differ between people, and the likelihood is an integral over them.

Each of 200 people chooses six times among three trips by price and time; how much each minds the time is normal among
people, and how much the price lognormal. The integral is a mean over Halton's points (Train 2009).
"""

import numpy as np
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp

PEOPLE, CHOICES, TRIPS, DRAWS = 200, 6, 3, 64
TRUTH = {"price": 0.0, "price_spread": 0.5, "time": -1.0, "time_spread": 0.8}


def utilities(p, normals, price, time):
    """Of trips (..., people, choices, trips) for tastes (..., people) made of two standard normal numbers."""
    dear = -np.exp(p["price"] + p["price_spread"] * normals[0])
    slow = p["time"] + p["time_spread"] * normals[1]
    return dear[..., None, None] * price + slow[..., None, None] * time


def contributions(p, normals, weights, price, time, chosen):
    """Minus the log-likelihood, person by person: the weighed mean over tastes of the probability of all choices."""
    logs = sp.special.log_softmax(utilities(p, normals, price, time), axis=-1)
    of_all = np.where(chosen, logs, 0.0).sum((-1, -2))
    return -sp.special.logsumexp(of_all, axis=0, b=weights)


def simulate(rng):
    """Price and time of trips, and which was chosen. The data are made up."""
    price, time = rng.uniform(0.5, 3, (2, PEOPLE, CHOICES, TRIPS))
    felt = utilities(TRUTH, rng.normal(size=(2, PEOPLE)), price, time) + rng.gumbel(size=price.shape)
    return price, time, felt == felt.max(-1, keepdims=True)


def main():
    data = simulate(np.random.default_rng(0))
    halton = scipy.stats.qmc.Halton(2, rng=1).random(DRAWS * PEOPLE)
    normals = scipy.stats.norm.ppf(halton).T.reshape((2, PEOPLE, DRAWS)).mT  # neighbours are one person's
    start = {"price": -0.5, "price_spread": 0.3, "time": -0.5, "time_spread": 0.3}
    fit = sg.minimize(contributions, start, normals, 1 / DRAWS, *data)
    print(fit.summary())
    print("\nstandard errors ", *(f"{name:>13}" for name in start))
    for kind in ("hessian", "opg", "sandwich"):
        print(f"{kind:16}", *(f"{error:13.4f}" for error in fit.standard_errors(kind).values()))

    worth = sg.stats.delta(lambda p: p["time"] / -np.exp(p["price"]), fit)
    print(f"\na person in the middle pays for an hour: {worth}")
    bothered = sg.stats.delta(lambda p: sp.stats.norm.cdf(-p["time"] / p["time_spread"]), fit)
    print(f"share of people who mind time: {bothered}, truth {scipy.stats.norm.cdf(1 / 0.8):.3f}")

    # a second source: the integral by Gauss and Hermite, which is exact to five digits here
    node, weight = np.polynomial.hermite_e.hermegauss(10)
    grid = np.stack([axis.reshape((-1, 1)) * np.ones(PEOPLE) for axis in np.meshgrid(node, node)])
    exact = sg.minimize(contributions, fit.x, grid, np.outer(weight, weight).reshape((-1, 1)) / (2 * np.pi), *data)
    print(f"\nlog-likelihood {fit.loglik:.2f}, without simulation {exact.loglik:.2f}")
    for name, error in exact.standard_errors().items():
        assert abs(fit.x[name] - exact.x[name]) < 0.1 * error, "simulation moves estimates by less than a tenth"
        assert abs(fit.standard_errors()[name] / error - 1) < 0.05
        assert abs(exact.x[name] - TRUTH[name]) < 3 * error

    def along(time):
        return contributions({**fit.x, "time": time}, normals, 1 / DRAWS, *data).sum()

    # and differences of the value
    low, high = (along(fit.x["time"] + h) for h in (-1e-3, 1e-3))
    assert np.isclose((low + high - 2 * fit.fun) / 1e-6, sg.hessian(along)(fit.x["time"]), rtol=1e-5)


if __name__ == "__main__":
    main()
