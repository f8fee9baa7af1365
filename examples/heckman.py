"""Wages of those who work: Heckman's selection model in two steps and by maximum likelihood.

Who works is no sample of all. The second step's regressor comes of the first step, so that its errors need the
derivative of the second step in the first one's estimates: a Jacobian through `lstsq`.
"""

import numpy as np
import scipy.integrate
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp

TRUTH = {"wage": np.array([1.0, 0.5]), "work": np.array([0.3, 0.8, -0.7]), "sigma": 1.2, "rho": 0.6}
norm = sp.stats.norm


def simulate(rng, n=1500):
    """Regressors of the wage and of the work, wages (0 where there is none), and who works. The data are made up."""
    schooling, children = rng.normal(size=n), rng.poisson(0.8, size=n)
    X = np.stack([np.ones(n), schooling], -1)
    Z = np.stack([np.ones(n), schooling, children], -1)
    u = rng.normal(size=n)
    e = TRUTH["rho"] * u + np.sqrt(1 - TRUTH["rho"] ** 2) * rng.normal(size=n)
    works = Z @ TRUTH["work"] + u > 0
    return X, Z, np.where(works, X @ TRUTH["wage"] + TRUTH["sigma"] * e, 0.0), works


def likelihood(p, X, Z, wage, works):
    """Minus the log-likelihood, person by person; ρ = tanh(atanh_rho)."""
    sigma, rho = np.exp(p["log_sigma"]), np.tanh(p["atanh_rho"])
    index, rest = Z @ p["work"], (wage - X @ p["wage"]) / sigma
    seen = norm.logpdf(rest) - p["log_sigma"] + norm.logcdf((index + rho * rest) * np.cosh(p["atanh_rho"]))
    return -np.where(works, seen, norm.logsf(index))


def probit(work, Z, works):
    return -norm.logcdf(np.where(works, 1, -1) * (Z @ work))


def mills(z):
    return np.exp(norm.logpdf(z) - norm.logcdf(z))


def second_step(work, X, Z, wage):
    """Least squares of the wage on X and Mills' ratio, of those who work."""
    W = np.column_stack([X, mills(Z @ work)])
    return sp.linalg.lstsq(W, wage)[0]


def two_steps(X, Z, wage, works):
    """The estimates, their covariance (Heckman 1979), and the first step: noise of two variances, and of that step."""
    first = sg.minimize(probit, np.zeros(3), Z, works)
    X, Z, wage = X[works], Z[works], wage[works]
    index = Z @ first.x
    W, slopes = np.column_stack([X, mills(index)]), sg.grad(lambda z: mills(z).sum())(index)
    found = second_step(first.x, X, Z, wage)
    variance = ((wage - W @ found) ** 2).mean() - found[-1] ** 2 * slopes.mean()
    bread = np.linalg.inv(W.T @ W)
    J = sg.jacobian(second_step)(first.x, X, Z, W @ found)
    assert np.allclose(J, -found[-1] * bread @ (W.T * slopes) @ Z), "as derived by hand"
    noise = bread @ (W.T * (variance + found[-1] ** 2 * slopes)) @ W @ bread
    return found, noise + J @ np.asarray(first.covariance()) @ J.T, first.x, variance


def main():
    data = X, Z, wage, works = simulate(np.random.default_rng(1))
    steps, covariance, work, variance = two_steps(*data)
    rho = steps[-1] / np.sqrt(variance)
    start = {"wage": steps[:2], "work": work, "log_sigma": np.log(variance) / 2, "atanh_rho": np.arctanh(rho)}
    fit = sg.minimize(likelihood, start, *data)
    errors = fit.standard_errors()["wage"]
    plain, square, *_ = np.linalg.lstsq(X[works], wage[works])
    naive = np.sqrt(square / works.sum() * np.linalg.inv(X[works].T @ X[works]).diagonal())
    print(f"wage = a + b schooling, of {works.sum()} who work among {len(works)}\n{'':20}       a                  b")
    rows = (("least squares", plain, naive), ("two steps", steps, np.sqrt(covariance.diagonal())),
            ("maximum likelihood", fit.x["wage"], errors))  # fmt: skip
    for name, found, error in rows:
        print(f"{name:20}", *(f"{v:8.4f} ± {e:.4f}" for v, e in zip(found[:2], error, strict=False)))
    print(f"{'truth':20} {TRUTH['wage'][0]:8.4f}          {TRUTH['wage'][1]:8.4f}")
    print(
        f"\nρ: {sg.stats.delta(lambda p: np.tanh(p['atanh_rho']), fit)}, by the steps {rho:.3f}, truth {TRUTH['rho']}"
    )

    z = sg.symbol("z")
    print(
        f"\nMills' ratio λ(z) is {sg.formula(lambda z: norm.pdf(z) / norm.cdf(z), z)}, and λ'(z) = {sg.grad(mills)(z)}"
    )

    # second sources: the density as an integral over who works, and differences of the likelihood of plain SciPy
    sigma, rho = np.exp(fit.x["log_sigma"]), np.tanh(fit.x["atanh_rho"])
    joint = scipy.stats.multivariate_normal(cov=[[1, rho * sigma], [rho * sigma, sigma**2]])
    for i in np.flatnonzero(works)[:3]:
        rest = wage[i] - X[i] @ fit.x["wage"]
        density, _ = scipy.integrate.quad(lambda u, rest=rest: joint.pdf([u, rest]), -Z[i] @ fit.x["work"], 10)
        assert np.isclose(-np.log(density), likelihood(fit.x, *data)[i], rtol=1e-8)
    slope = sg.grad(lambda w: likelihood({**fit.x, "wage": w}, *data).sum())
    ends = [likelihood({**fit.x, "wage": fit.x["wage"] + step}, *data).sum() for step in ([0, 1e-3], [0, -1e-3])]
    assert abs(ends[0] - ends[1]) < 1e-6, "a minimum"
    assert np.isclose((sum(ends) - 2 * fit.fun) / 1e-6, sg.jacobian(slope)(fit.x["wage"])[1, 1], rtol=1e-4)
    far = np.abs(np.array([plain, steps[:2], fit.x["wage"]]) - TRUTH["wage"]) > 2.5 * errors
    assert far.tolist() == [[True, True], [False, False], [False, False]], "least squares alone is far off"


if __name__ == "__main__":
    main()
