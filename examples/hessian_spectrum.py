"""The eigenvalues of a network's Hessian: the outermost by Lanczos' method, from products with vectors alone.

For a network of this size the whole matrix can be had as well, so everything is compared with it. A few eigenvalues are
large, most are near zero and some are negative, as is found in large networks.
"""

import numpy as np
from scipy.sparse.linalg import eigsh

import symgrad as sg

UNITS = 24


def make_data(rng, n=60):
    """Two arms of a spiral."""
    turn, arm = rng.uniform(0.3, 2.2, 2 * n), np.repeat([0, 1], n)
    angle = 2.5 * turn + np.pi * arm
    points = turn * np.stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.standard_normal((2, 2 * n))
    return points.T, arm.astype(float)


def loss(p, x, arm):
    h = np.tanh(np.tanh(x @ p["W1"] + p["b1"]) @ p["W2"] + p["b2"])
    z = h @ p["w3"] + p["b3"]
    decay = sum((p[name] ** 2).sum() for name in ("W1", "W2", "w3"))
    return (np.logaddexp(0, z) - arm * z).mean() + 1e-4 * decay


def histogram(eigenvalues):
    """How many there are of each sign and size."""
    for sign, orders in ((-1, range(-3, -8, -1)), (1, range(-7, 1))):
        for order in orders:
            size = np.floor(np.log10(np.maximum(np.abs(eigenvalues), 1e-7)))
            count = ((np.sign(eigenvalues) == sign) & (size == order)).sum()
            print(f"  {'-' if sign < 0 else '+'}1e{order:+03d} {'#' * -(-count // 10):60} {count or ''}".rstrip())


def main():
    rng = np.random.default_rng(0)
    x, arm = make_data(rng)
    shapes = {"W1": (2, UNITS), "b1": (UNITS,), "W2": (UNITS, UNITS), "b2": (UNITS,), "w3": (UNITS,)}
    start = {name: rng.standard_normal(shape) / np.sqrt(shape[0]) for name, shape in shapes.items()} | {"b3": 0.0}
    fit = sg.minimize(loss, start, x, arm, method="L-BFGS-B", options={"maxiter": 60})
    z = np.tanh(np.tanh(x @ fit.x["W1"] + fit.x["b1"]) @ fit.x["W2"] + fit.x["b2"]) @ fit.x["w3"] + fit.x["b3"]
    right = ((z > 0) == arm).mean()
    print(f"loss {loss(start, x, arm):.4f} before, {fit.fun:.4f} after; {right:.0%} of the points on the right side")

    # by products: no matrix is formed
    operator = sg.hessian_operator(sg.fix(loss, x=x, arm=arm), fit.x)
    values, vectors = eigsh(operator, k=6)
    lowest = np.sort(eigsh(operator, k=2, which="SA", return_eigenvectors=False))
    signs = rng.choice([-1.0, 1.0], size=(operator.shape[0], 50))
    samples = (signs * (operator @ signs)).sum(axis=0)
    trace, error = samples.mean(), samples.std(ddof=1) / np.sqrt(50)

    # by the matrix
    H = sg.hessian(loss)(fit.x, x, arm)
    dense = np.linalg.eigvalsh(H.matrix)
    print(f"\n{len(dense)} eigenvalues\n             by products     by the matrix")
    for k in range(1, 7):
        print(f"{k:2} from above {values[-k]:11.8f}     {dense[-k]:11.8f}")
    for k in range(2):
        print(f"{k + 1:2} from below {lowest[k]:11.8f}     {dense[k]:11.8f}")
    print(f"trace         {trace:.4f} ± {error:.4f}  {np.trace(H.matrix):11.8f}")
    assert np.allclose(values, dense[-6:], rtol=1e-8) and np.allclose(lowest, dense[:2], rtol=1e-6)
    assert abs(trace - np.trace(H.matrix)) < 4 * error

    parts = operator.unflatten(vectors[:, -1])
    shares = ", ".join(f"{name} {np.sum(part**2):.0%}" for name, part in parts.items())
    print(f"the steepest direction is made of {shares}")
    print("\nof what size they are (# stands for up to ten)")
    histogram(dense)


if __name__ == "__main__":
    main()
