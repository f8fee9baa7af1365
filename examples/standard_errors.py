"""What a fit is worth: standard errors of several kinds, intervals, and the error of a prediction, on the shuttle data.

The 23 flights before 51-L: temperature at launch, and whether an O-ring was damaged. On the day of the accident it was
31 °F, colder than at any flight before.
"""

from importlib.resources import files

import numpy as np

import symgrad as sg


def load():
    path = files("symgrad") / "data" / "challenger.csv"
    return np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)


def contributions(p, temperature, damage):
    """Minus the log-likelihood of a logistic regression, flight by flight."""
    z = p["intercept"] + p["slope"] * temperature
    return np.logaddexp(0, z) - damage * z


def main():
    temperature, damage = load()
    fit = sg.minimize(contributions, {"intercept": 0.0, "slope": 0.0}, temperature, damage)
    print(fit.summary())

    print("\nstandard errors      intercept     slope")
    for kind in ("hessian", "opg", "sandwich"):
        errors = fit.standard_errors(kind)
        print(f"{kind:20} {errors['intercept']:9.4f} {errors['slope']:9.4f}")
    print(f"\ncorrelation of the two: {fit.correlation()['intercept', 'slope']:.4f}")

    ratio = sg.stats.delta(lambda p: np.exp(-10 * p["slope"]), fit)
    interval = fit.confint()
    low, high = (np.exp(-10 * bound["slope"]) for bound in (interval.upper, interval.lower))
    print("\nodds ratio of damage, for 10 °F less:")
    print(f"  {ratio.value:.2f} ± {ratio.standard_error:.2f}, by the gradient {ratio.formula['slope']} in the slope")
    print(f"  95% interval, by that of the slope: {low:.2f} … {high:.2f}")

    half = sg.stats.delta(lambda p: -p["intercept"] / p["slope"], fit)
    print(f"\nthe temperature at which damage is as likely as not:\n  {half}")
    print("its gradient:", *(f"\n  in {name:9}  {formula}" for name, formula in half.formula.items()))

    cold = sg.stats.delta(lambda p: p["intercept"] + 31 * p["slope"], fit)
    low, middle, high = (1 / (1 + np.exp(-z)) for z in (cold.lower, cold.value, cold.upper))
    print(f"\nprobability of damage at 31 °F: {middle:.4f}, 95% interval {low:.3f} … {high:.6f}")
    for t in range(80, 25, -5):
        p = 1 / (1 + np.exp(-(fit.x["intercept"] + t * fit.x["slope"])))
        flights = "".join("×" if d else "o" for d in damage[np.abs(temperature - t) <= 2])
        print(f"  {t} °F |{'#' * round(40 * p):40}| {flights}")

    errors = fit.standard_errors()
    assert np.allclose([fit.x["intercept"], fit.x["slope"]], [15.0429, -0.2322], atol=1e-4), "the published estimates"
    assert np.allclose([errors["intercept"], errors["slope"]], [7.3786, 0.1082], atol=1e-4), "and standard errors"


if __name__ == "__main__":
    main()
