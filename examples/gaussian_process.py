"""A Gaussian process whose hyper-parameters are found by Newton's steps on the marginal likelihood, with their errors.

The derivatives go through a Cholesky factor; nobody writes them down. Positive numbers are fitted as logarithms, and
the delta method brings their errors back.
"""

import numpy as np
from scipy.stats import multivariate_normal

import symgrad as sg

TRUTH = {"amplitude": 1.5, "length": 0.7, "noise": 0.2}


def kernel(p, s, t):
    """The covariance of the function at the points s and t."""
    away = (s[:, None] - t[None, :]) / np.exp(p["length"])
    return np.exp(2 * p["amplitude"]) * np.exp(-0.5 * away**2)


def negative_log_likelihood(p, t, y):
    K = kernel(p, t, t) + (np.exp(2 * p["noise"]) + 1e-10) * np.eye(len(t))
    L = np.linalg.cholesky(K)
    white = np.linalg.solve(L, y)
    return 0.5 * (white @ white) + np.log(np.diagonal(L)).sum() + 0.5 * len(t) * np.log(2 * np.pi)


def predict(p, t, y, at):
    """Mean and standard deviation of the function between the data."""
    K = kernel(p, t, t) + np.exp(2 * p["noise"]) * np.eye(len(t))
    cross = kernel(p, at, t)
    variance = np.diag(kernel(p, at, at)) - np.einsum("ij,ji->i", cross, np.linalg.solve(K, cross.T))
    return cross @ np.linalg.solve(K, y), np.sqrt(variance)


def main():
    rng = np.random.default_rng(5)
    t = np.sort(rng.uniform(0, 10, 60))
    truth = {name: np.log(value) for name, value in TRUTH.items()}
    K = kernel(truth, t, t) + TRUTH["noise"] ** 2 * np.eye(60)
    y = np.linalg.cholesky(K) @ rng.standard_normal(60)

    fit = sg.minimize(negative_log_likelihood, dict.fromkeys(TRUTH, 0.0), t, y)
    print(f"logarithms of the hyper-parameters\n{fit.summary()}\n")
    for name, value in TRUTH.items():
        found = sg.stats.delta(lambda p, name=name: np.exp(p[name]), fit)
        print(f"{name:9} {found}   truth {value}")
        assert abs(np.log(value) - fit.x[name]) < 3 * fit.standard_errors()[name], "the truth is within three errors"
    print(f"correlation of amplitude and length: {fit.correlation()['amplitude', 'length']:.2f}\n")

    at = np.linspace(0, 10, 41)
    mean, deviation = predict(fit.x, t, y, at)
    for k, point in enumerate(at):
        line = [" "] * 61
        marks = [(mean[k] - 2 * deviation[k], "·"), (mean[k] + 2 * deviation[k], "·")]
        for value, mark in [*marks, *((v, "o") for v in y[np.abs(t - point) < 0.125]), (mean[k], "*")]:
            line[int(np.clip(round(30 + 8 * value), 0, 60))] = mark
        print(f"{point:5.2f} {''.join(line).rstrip()}")

    other = sg.minimize(negative_log_likelihood, dict.fromkeys(TRUTH, -0.5), t, y, method="BFGS")
    print(f"\nNewton's steps: {fit.nit}; BFGS, which only sees gradients: {other.nit}")
    assert abs(other.fun - fit.fun) < 1e-6 and fit.converged
    covariance = kernel(fit.x, t, t) + np.exp(2 * fit.x["noise"]) * np.eye(60)
    assert np.isclose(fit.loglik, multivariate_normal(cov=covariance).logpdf(y), rtol=1e-7), "SciPy's likelihood"


if __name__ == "__main__":
    main()
