"""A mixture of three Gaussians found by gradient descent on its log-likelihood, and no algorithm made for mixtures.

The parameters are free numbers: covariances are LLᵀ, where the diagonal of L holds exponentials, and shares add up to
one because they are a softmax.
"""

import numpy as np

import symgrad as sg

CLUSTERS = 3
SHARES = np.array([0.5, 0.3, 0.2])
MEANS = np.array([[-2.0, 0.0], [2.0, 1.5], [1.0, -2.0]])
FACTORS = np.array([[[0.6, 0.0], [0.5, 0.4]], [[0.9, 0.0], [-0.6, 0.3]], [[0.4, 0.0], [0.0, 0.7]]])


def make_data(rng, n=500):
    cluster = rng.choice(CLUSTERS, n, p=SHARES)
    return MEANS[cluster] + np.einsum("nij,nj->ni", FACTORS[cluster], rng.normal(size=(n, 2)))


def unpack(free):
    """Logarithms of the shares, the means, and triangular factors of the covariances, from a flat array of numbers."""
    scores, means, factors = free[:3], free[3:9].reshape(3, 2), np.tril(free[9:].reshape(3, 2, 2))
    diagonal = np.arange(2)
    factors[:, diagonal, diagonal] = np.exp(factors[:, diagonal, diagonal])
    return scores - np.logaddexp.reduce(scores), means, factors


def log_densities(free, points):
    """The logarithm of share times density, a row for each point and a column for each cluster."""
    log_shares, means, factors = unpack(free)
    from_mean = np.swapaxes(points[:, None] - means, 0, 1)  # cluster, point, coordinate
    white = np.linalg.solve(factors, np.swapaxes(from_mean, 1, 2))
    log_size = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    return log_shares - log_size - 0.5 * (white**2).sum(axis=1).T - np.log(2 * np.pi)


def loss(free, points):
    """Minus the mean log-likelihood of a point."""
    return -np.logaddexp.reduce(log_densities(free, points), axis=1).mean()


def main():
    rng = np.random.default_rng(2)
    points = make_data(rng)
    free = np.concatenate([np.zeros(3), rng.choice(points, CLUSTERS, replace=False).ravel(), np.zeros(12)])

    step = sg.value_and_grad(loss)
    for n in range(161):
        value, gradient = step(free, points)
        if n % 40 == 0:
            print(f"step {n:3}: {value:.4f}, |gradient| {np.linalg.norm(gradient):.1e}")
        free = free - 0.2 * gradient

    log_shares, means, factors = unpack(free)
    covariances = factors @ np.swapaxes(factors, 1, 2)
    print("\nshare         mean             deviations     correlation")
    for k in np.argsort(-log_shares):
        spread = np.sqrt(np.diag(covariances[k]))
        correlation = covariances[k, 0, 1] / spread.prod()
        share, (x, y), (dx, dy) = np.exp(log_shares[k]), means[k], spread
        print(f"{share:5.3f}   ({x:6.3f}, {y:6.3f})   {dx:6.3f} {dy:6.3f}   {correlation:6.3f}")
    assert np.allclose(np.sort(np.exp(log_shares)), np.sort(SHARES), atol=0.05)


if __name__ == "__main__":
    main()
