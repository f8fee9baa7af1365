"""Fit a growth curve, and read off its Hessian the standard errors, a correlation, and what is badly determined.

The parameters are a dictionary, and the matrix keeps their names. The data are made up from a known curve.
"""

import numpy as np
from scipy.optimize import minimize

import symgrad as sg

TRUTH = {"capacity": 10.0, "rate": np.array([0.8, 1.3]), "midpoint": 4.0}
"""Two groups grow toward one capacity, at rates of their own."""


def curve(p, t):
    """The size at times t, one row for each group."""
    return p["capacity"] / (1 + np.exp(-p["rate"].reshape(2, 1) * (t - p["midpoint"])))


def negative_log_likelihood(p, t, sizes):
    """Minus the log-likelihood of normal errors with standard deviation 0.2, but for a constant."""
    return (((curve(p, t) - sizes) / 0.2) ** 2).sum() / 2


def fit(start, t, sizes):
    """The estimates, by SciPy with the exact Hessian.

    SciPy's parameters are one flat vector, in the order of the Hessian's rows: `flatten` and `unflatten` translate.
    """
    hessian = sg.hessian(negative_log_likelihood)
    value_and_grad = sg.value_and_grad(negative_log_likelihood)
    shape = hessian(start, t, sizes)

    def objective(flat):
        value, gradient = value_and_grad(shape.unflatten(flat), t, sizes)
        return value, shape.flatten(gradient)

    found = minimize(
        objective, shape.flatten(start), jac=True, method="trust-exact",
        hess=lambda flat: hessian(shape.unflatten(flat), t, sizes).matrix,
    )  # fmt: skip
    return shape.unflatten(found.x), found.nit


def main():
    rng = np.random.default_rng(1)
    t = np.linspace(0, 8, 25)
    sizes = curve(TRUTH, t) + 0.2 * rng.standard_normal((2, 25))

    start = {"capacity": 8.0, "rate": np.array([1.0, 1.0]), "midpoint": 3.0}
    estimates, steps = fit(start, t, sizes)
    H = sg.hessian(negative_log_likelihood)(estimates, t, sizes)
    print(f"{H}, after {steps} steps\n")

    C = H.covariance()
    errors = np.sqrt(C.diagonal())
    print("            estimate   standard error")
    for label, estimate, error in zip(H.labels, H.flatten(estimates), errors, strict=True):
        print(f"{label:10} {estimate:9.3f}   {error:9.3f}")

    correlation = C["capacity", "midpoint"] / np.sqrt(C["capacity", "capacity"] * C["midpoint", "midpoint"])
    print(f"\ncorrelation of capacity and midpoint: {correlation:.2f}")
    print(f"\n{sg.hessian(negative_log_likelihood).report(estimates, t, sizes)}")

    # the model is curved in its rates; Gauss-Newton leaves that out, and needs products only
    model = sg.fix(lambda p, t: curve(p, t) / 0.2, t=t)
    unit = {"capacity": 0.0, "rate": np.array([1.0, 0.0]), "midpoint": 0.0}
    exact, gauss_newton = (H @ unit)["rate"][0], sg.ggn_vp(model, estimates, unit)["rate"][0]
    print(f"\ncurvature in the first rate: {exact:.0f}; by Gauss-Newton: {gauss_newton:.0f}")
    off = np.abs(H.flatten(estimates) - H.flatten(TRUTH)) / errors
    assert off.max() < 4, "the truth is within four standard errors"


if __name__ == "__main__":
    main()
