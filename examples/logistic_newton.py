"""Fit a logistic regression by Newton's method, with standard errors from the Hessian.

The data are the 23 shuttle flights before 51-L: temperature at launch, and whether an O-ring was damaged.
"""

from importlib.resources import files

import numpy as np

import symgrad as sg


def load():
    with (files("symgrad") / "data" / "challenger.csv").open() as file:
        temperature, failure = np.loadtxt(file, delimiter=",", skiprows=1, unpack=True)
    return sg.tensor(np.column_stack([np.ones_like(temperature), temperature])), sg.tensor(failure)


def negative_log_likelihood(w, X, y):
    z = X @ w
    return (sg.logaddexp(sg.zeros_like(z), z) - y * z).sum()


def derivatives(w, X, y):
    """The value, the gradient and the Hessian at w, as NumPy arrays."""
    value = negative_log_likelihood(w, X, y)
    (gradient,) = sg.autograd.grad(value, w, create_graph=True)
    rows = [sg.autograd.grad(entry, w, retain_graph=True)[0] for entry in gradient]
    return value.item(), gradient.detach().numpy(), sg.stack(rows).numpy()


def main():
    X, y = load()
    w = sg.zeros(2, requires_grad=True)
    for step in range(1, 26):
        value, gradient, hessian = derivatives(w, X, y)
        print(f"step {step}: negative log-likelihood {value:.6f}, |gradient| {np.linalg.norm(gradient):.1e}")
        if np.linalg.norm(gradient) < 1e-8:
            break
        with sg.no_grad():
            w -= sg.tensor(np.linalg.solve(hessian, gradient))

    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
    print("\n             estimate   standard error")
    for name, estimate, error in zip(("intercept", "temperature"), w.tolist(), errors, strict=True):
        print(f"{name:12} {estimate:8.4f}   {error:8.4f}")
    assert np.allclose(w.tolist(), [15.0429, -0.2322], atol=1e-4), "the published estimates"
    assert np.allclose(errors, [7.3786, 0.1082], atol=1e-4), "the published standard errors"


if __name__ == "__main__":
    main()
