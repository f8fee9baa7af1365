"""Survival with censoring: Weibull's accelerated failure times and Cox's partial likelihood, on the trial of 6-MP.

A patient who is still well at the last visit counts with the survival function, the others with the density. Cox's
likelihood compares each patient who falls ill with all who could have; Efron's form shares out equal times.
"""

import numpy as np
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp

DRUG = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"
"""Weeks of remission of 42 children with leukaemia, + for those still well (Freireich et al., Blood 21, 1963).

Entry by entry the table ``gehan`` of R's package MASS, as lifelines has it too.
"""


def load():
    entries = DRUG.split() + PLACEBO.split()
    weeks = np.array([float(entry.rstrip("+")) for entry in entries])
    ill = np.array([not entry.endswith("+") for entry in entries])
    return weeks, ill, np.repeat([0.0, 1.0], [21, 21])


def life(p, placebo):
    """SciPy's parameters: log T = intercept + slope · placebo + scale · noise."""
    return {"c": np.exp(-p["log_scale"]), "scale": np.exp(p["intercept"] + p["placebo"] * placebo)}


def weibull(p, weeks, ill, placebo):
    """Minus the log-likelihood, patient by patient."""
    law = sp.stats.weibull_min(**life(p, placebo))
    return -np.where(ill, law.logpdf(weeks), law.logsf(weeks))


def cox(beta, weeks, ill, placebo, ties="efron"):
    """Minus the log of the partial likelihood."""
    risk, total = beta * placebo, 0.0
    for week in np.unique(weeks[ill]):
        falls = ill & (weeks == week)
        among = sp.special.logsumexp(risk[weeks >= week])
        share = np.exp(sp.special.logsumexp(risk[falls]) - among)
        left = np.arange(falls.sum()) / falls.sum() if ties == "efron" else np.zeros(falls.sum())
        total = total + (among + np.log1p(-left * share)).sum() - risk[falls].sum()
    return total


def main():
    weeks, ill, placebo = load()
    fit = sg.minimize(weibull, {"intercept": 2.0, "placebo": 0.0, "log_scale": 0.0}, weeks, ill, placebo)
    print(f"Weibull\n{fit.summary()}\n")
    errors = fit.standard_errors()
    assert np.allclose(list(fit.x.values()), [3.516, -1.267, -0.312], atol=6e-4), "Venables and Ripley, MASS, 13.2"
    assert np.allclose(list(errors.values()), [0.252, 0.311, 0.147], atol=6e-4) and abs(fit.loglik + 106.6) < 0.05

    for name, group in (("6-MP", 0.0), ("placebo", 1.0)):
        half = sg.stats.delta(lambda p, group=group: sp.stats.weibull_min.ppf(0.5, **life(p, group)), fit)
        print(f"weeks until half are ill again, {name:8} {half}")

    print("\nCox's log hazard ratio of placebo")
    for ties, published, error in (("breslow", 1.5092, 0.4096), ("efron", 1.5721, 0.4124)):
        fit = sg.minimize(lambda beta, ties=ties: cox(beta, weeks, ill, placebo, ties), 0.0)
        found = fit.standard_errors()
        low, high = np.exp(fit.confint())
        print(f"{ties:8} {fit.x:7.4f} ± {found:.4f}   hazard ratio {np.exp(fit.x):5.2f} ({low:.2f} … {high:.2f})")
        assert np.allclose([fit.x, found], [published, error], atol=1e-4), "R's coxph"

    # a second source, without a model: the score test at 0 of Cox's likelihood is the log-rank test, but for ties
    score, curvature = sg.grad(cox)(0.0, weeks, ill, placebo), sg.hessian(cox)(0.0, weeks, ill, placebo)
    groups = [scipy.stats.CensoredData.right_censored(weeks[g], ~ill[g]) for g in (placebo == 1, placebo == 0)]
    assert abs(score**2 / curvature - 17.25) < 0.005, "R's coxph"
    print(f"\nscore test: {score**2 / curvature:.2f}, log-rank test: {scipy.stats.logrank(*groups).statistic ** 2:.2f}")


if __name__ == "__main__":
    main()
