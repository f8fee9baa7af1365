"""Models of counts, Poisson and negative binomial: what a wrong variance does to the errors; and odds ratios.

The data are made up: visits to a doctor, more spread out than a Poisson variable is. The parameters are one of pandas'
Series where pandas is installed, so that the tables name regressors; else an array.
"""

import numpy as np
from scipy.stats import nbinom

import symgrad as sg

REGRESSORS = ["constant", "age", "insured"]
TRUTH, SPREAD = np.array([0.4, 0.3, 0.5]), 0.8


def make_data(rng, n=2000):
    X = np.column_stack([np.ones(n), rng.standard_normal(n), rng.integers(0, 2, n)])
    mean = np.exp(X @ TRUTH)
    visits = rng.poisson(mean * rng.gamma(1 / SPREAD, SPREAD, n))
    return X, visits.astype(float)


def poisson(p, X, y):
    z = X @ p["beta"]
    return np.exp(z) - y * z + sg.special.gammaln(y + 1)


def negative_binomial(p, X, y):
    """Minus the log-likelihood where the variance is mean + alpha · mean²."""
    mean, r = np.exp(X @ p["beta"]), 1 / p["alpha"]
    ways = sg.special.gammaln(y + r) - sg.special.gammaln(r) - sg.special.gammaln(y + 1)
    return -ways - r * np.log(r / (r + mean)) - y * np.log(mean / (r + mean))


def logistic(p, X, some):
    """Minus the log-likelihood of at least one visit."""
    z = X @ p["beta"]
    return np.logaddexp(0, z) - some * z


def start():
    try:
        import pandas
    except ImportError:
        return np.zeros(3)
    return pandas.Series(0.0, index=REGRESSORS)


def main():
    X, visits = make_data(np.random.default_rng(3))
    simple = sg.minimize(poisson, {"beta": start()}, X, visits)
    wide = sg.minimize(negative_binomial, {"beta": start(), "alpha": 1.0}, X, visits, bounds={"alpha": (1e-8, None)})

    print(f"Poisson\n{simple.summary()}\n")
    print(f"Poisson, robust to a wrong variance\n{simple.summary('sandwich')}\n")
    print(f"negative binomial\n{wide.summary()}\n")
    ratio = 2 * (wide.loglik - simple.loglik)
    print(f"twice the difference of the log-likelihoods: {ratio:.1f}\n")
    names = dict(zip(wide.labels, ["Constant", "Age", "Insured", r"$\alpha$"], strict=True))
    print(wide.summary().latex(names, caption="Visits to a doctor", label="tab:visits"))

    any_visit = sg.minimize(logistic, {"beta": start()}, X, (visits > 0).astype(float))
    ratios, ends = np.exp(np.asarray(any_visit.x["beta"])), any_visit.confint()
    print("\nat least one visit: odds ratios of a logistic regression, with 95% intervals")
    for name, ratio, low, high in zip(REGRESSORS, ratios, ends.lower["beta"], ends.upper["beta"], strict=True):
        print(f"{name:9} {ratio:7.4f}   {np.exp(low):7.4f} … {np.exp(high):7.4f}")

    naive, robust = (np.asarray(simple.standard_errors(kind)["beta"]) for kind in ("hessian", "sandwich"))
    assert (robust > 1.3 * naive).all(), "the Poisson model's own errors are too small"
    errors = np.append(np.asarray(wide.standard_errors()["beta"]), wide.standard_errors()["alpha"])
    estimates = np.append(np.asarray(wide.x["beta"]), wide.x["alpha"])
    assert (np.abs(estimates - np.append(TRUTH, SPREAD)) < 3 * errors).all(), "the truth is within three errors"
    mean, r = np.exp(X @ estimates[:3]), 1 / estimates[3]
    assert np.isclose(wide.loglik, nbinom(r, r / (r + mean)).logpmf(visits).sum(), rtol=1e-10), "SciPy's likelihood"
    # a second source for the odds: with one yes-or-no regressor, the ratio is that of the table of counts
    table = sg.minimize(logistic, {"beta": np.zeros(2)}, X[:, [0, 2]], (visits > 0).astype(float))
    (a, b), (c, d) = ([((X[:, 2] == k) & (yes == (visits > 0))).sum() for yes in (0, 1)] for k in (0, 1))
    assert np.isclose(np.exp(table.x["beta"][1]), d * a / (b * c), rtol=1e-6)
    assert np.isclose(table.standard_errors()["beta"][1], np.sqrt(1 / a + 1 / b + 1 / c + 1 / d), rtol=1e-6), "Woolf"
    rest = X.T @ (visits - np.exp(X @ np.asarray(simple.x["beta"])))
    assert np.abs(rest).max() < 1e-4, "the Poisson equations X'(y - mean) = 0"


if __name__ == "__main__":
    main()
