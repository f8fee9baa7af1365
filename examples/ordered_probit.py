"""Ordered probit and logit: the bitterness of wine, in five classes, by temperature and contact with the skins.

Between two cut points lies a class. Change the distribution, and the probit is a logit: `sp.stats.norm` or
`sp.stats.logistic`. What one wants to know in the end, effects on probabilities, has standard errors too.
"""

import numpy as np
import scipy.optimize
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp

WARM = np.array([0, 0, 1, 1])
CONTACT = np.array([0, 1, 0, 1])
COUNTS = np.array([[4, 9, 5, 0, 0], [1, 7, 8, 2, 0], [0, 5, 8, 3, 2], [0, 1, 5, 7, 5]])
"""Tastings by class of bitterness, of 72 (Randall, Biometrical Journal 31, 1989): counts of ``wine``, of R's package
ordinal, by temperature and contact."""


def cuts(p):
    """In order: the first, and the logarithms of the steps."""
    return p["first"] + np.concatenate([np.zeros(1), np.cumsum(np.exp(p["log_steps"]))])


def probabilities(p, law, warm, contact):
    """Of the five classes, in the last axis."""
    below = law.cdf(cuts(p) - (p["warm"] * warm + p["contact"] * contact)[..., None])
    ends = np.zeros((*np.shape(warm), 1))
    return np.diff(np.concatenate([ends, below, ends + 1], -1), axis=-1)


def negative_log_likelihood(p, law):
    return -sp.special.xlogy(COUNTS, probabilities(p, law, WARM, CONTACT)).sum()


def effect_of_warmth(p):
    return np.diff(probabilities(p, sp.stats.norm, np.array([0, 1]), np.ones(2)), axis=0)[0]


def main():
    fits, start = {}, {"warm": 0.0, "contact": 0.0, "first": -1.0, "log_steps": np.zeros(3)}
    for name, law in (("probit", sp.stats.norm), ("logit", sp.stats.logistic)):
        fit = fits[name] = sg.minimize(lambda p, law=law: negative_log_likelihood(p, law), start)
        errors, at = fit.standard_errors(), sg.stats.delta(cuts, fit)
        print(f"{name}: log-likelihood {fit.loglik:.3f}")
        for key in ("warm", "contact"):
            print(f"  {key:7} {fit.x[key]:8.4f} ± {errors[key]:.4f}")
        print("  cuts   ", *(f"{c:8.4f} ± {e:.4f}" for c, e in zip(at.value, at.standard_error, strict=True)))

    # the logit's numbers are published: Christensen, "Cumulative link models for ordinal regression with R"
    assert np.allclose([fit.x["warm"], fit.x["contact"]], [2.503, 1.528], atol=6e-4) and abs(fit.loglik + 86.49) < 6e-3
    assert np.allclose([errors["warm"], errors["contact"]], [0.529, 0.477], atol=6e-4)
    assert np.allclose(at.value, [-1.344, 1.251, 3.467, 5.006], atol=6e-4)
    # the probit's second source: SciPy's own distribution, and no derivatives at all
    fit = fits["probit"]

    def plain(x):
        return negative_log_likelihood({**dict(zip(start, x[:3], strict=False)), "log_steps": x[3:]}, scipy.stats.norm)

    exact = {"xatol": 1e-7, "fatol": 1e-11, "adaptive": True, "maxfev": 5000}
    other = scipy.optimize.minimize(plain, np.zeros(6), method="Nelder-Mead", options=exact)
    assert np.allclose(other.x, [*list(fit.x.values())[:3], *fit.x["log_steps"]], atol=1e-5)

    effect = sg.stats.delta(effect_of_warmth, fit)
    print("\nwhat warmth does to the probabilities, with contact (probit)")
    for k, (value, error) in enumerate(zip(effect.value, effect.standard_error, strict=True)):
        print(f"  class {k + 1}: {value:7.4f} ± {error:.4f}")
    assert abs(effect.value.sum()) < 1e-12, "probabilities sum to 1"


if __name__ == "__main__":
    main()
