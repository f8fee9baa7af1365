"""Check gradients that were derived by hand: proved, agreeing, or refuted, with the mistake by name.

A logistic regression with a penalty, as a student hands it in: three gradients and a Hessian, one of each right.
"""

import numpy as np

import symgrad as sg


def loss(w, X, y, lam):
    z = X @ w
    return (np.logaddexp(0, z) - y * z).mean() + lam / 2 * (w @ w)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def right(w, X, y, lam):
    return X.T @ (sigmoid(X @ w) - y) / X.shape[0] + lam * w


def without_the_mean(w, X, y, lam):
    return X.T @ (sigmoid(X @ w) - y) + lam * w


def without_the_penalty(w, X, y, lam):
    return X.T @ (sigmoid(X @ w) - y) / X.shape[0]


def hessian(w, X, y, lam):
    p = sigmoid(X @ w)
    return X.T @ np.diag(p * (1 - p)) @ X / X.shape[0] + lam * np.diag(np.ones_like(w))


def main():
    names = {"w": "n", "X": ("m", "n"), "y": "m", "lam": ()}
    verdicts = []
    for claim in (right, without_the_mean, without_the_penalty):
        found = sg.verify(loss, grad=claim, **names)
        print(f"{claim.__name__}\n{found}\n")
        verdicts.append(found.verdict)
    found = sg.verify(loss, hess=hessian, **names)
    print(f"hessian: {found.verdict}, {len(found.steps)} lines")
    verdicts.append(found.verdict)
    assert verdicts == ["PROVED", "REFUTED", "REFUTED", "PROVED"], verdicts


if __name__ == "__main__":
    main()
