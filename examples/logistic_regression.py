"""Logistic regression in NumPy, trained by gradient descent; the loss is an ordinary function of arrays.

The data are made up: two clouds of points, one label each, and a few labels that were written down wrong.
"""

import numpy as np

import symgrad as sg


def make_data(rng, n=200):
    labels = rng.integers(0, 2, n).astype(float)
    points = rng.normal(size=(n, 2)) + np.where(labels[:, None] == 1, [1.0, 0.5], [-1.0, -0.5])
    wrong = rng.random(n) < 0.03
    return points, np.where(wrong, 1 - labels, labels)


def probability(params, points):
    return 1 / (1 + np.exp(-(points @ params["weights"] + params["bias"])))


def loss(params, points, labels):
    """Mean cross entropy, and a little to keep the weights small."""
    p = probability(params, points)
    fit = labels * np.log(p) + (1 - labels) * np.log(1 - p)
    return -fit.mean() + 0.01 * (params["weights"] ** 2).sum()


def main():
    points, labels = make_data(np.random.default_rng(0))
    params = {"weights": np.zeros(2), "bias": 0.0}
    step = sg.value_and_grad(loss)
    for n in range(101):
        value, gradient = step(params, points, labels)
        if n % 20 == 0:
            right = ((probability(params, points) > 0.5) == labels).mean()
            print(f"step {n:3}: loss {value:.4f}, {right:.0%} of the labels right")
        params = {name: params[name] - 0.5 * gradient[name] for name in params}

    size = np.sqrt(sum((np.asarray(g) ** 2).sum() for g in gradient.values()))
    print(f"weights {params['weights'].round(3)}, bias {params['bias']:.3f}, |gradient| {size:.1e}")

    w, X, y = sg.symbol("w", "n"), sg.symbol("X", ("m", "n")), sg.symbol("y", "m")
    formula = sg.grad(lambda w, X, y: loss({"weights": w, "bias": 0.0}, X, y))(w, X, y)
    print("\nthe gradient in the weights, for data of any size and without bias:", formula, sep="\n")
    assert size < 1e-3


if __name__ == "__main__":
    main()
