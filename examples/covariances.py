"""The geometry of covariance matrices: distances, geodesics and means, through functions of matrices.

The distance |log(A^-½ B A^-½)| between covariance matrices does not depend on units (Rao 1945). What is known of it by
hand is found again by differentiating `sqrtm`, `logm`, `expm` and `eigh`; then the mean of twelve matrices is computed.
"""

import numpy as np
import scipy.linalg
import scipy.optimize

import symgrad as sg
import symgrad.scipy as sp


def square_of_distance(A, B):
    back = np.linalg.inv(sp.linalg.sqrtm(A))
    return (sp.linalg.logm(back @ B @ back) ** 2).sum()


def by_eigenvalues(A, B):
    return (np.log(sp.linalg.eigh(B, A, eigvals_only=True)) ** 2).sum()


def geodesic(t, A, B):
    root = sp.linalg.sqrtm(A)
    back = np.linalg.inv(root)
    return root @ sp.linalg.expm(t * sp.linalg.logm(back @ B @ back)) @ root


def draw(rng, n=3):
    X = rng.normal(size=(n, 2 * n))
    return X @ X.T / (2 * n)


def symmetric(s):
    """The symmetric matrix of six numbers."""
    return s[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]


def main():
    rng = np.random.default_rng(0)
    A, B = draw(rng), draw(rng)
    square = square_of_distance(A, B)
    print(f"squares of the distance: {square:.10f} by sqrtm and logm, {by_eigenvalues(A, B):.10f} by eigenvalues")
    by_hand = 2 * scipy.linalg.logm(np.linalg.solve(B, A)) @ np.linalg.inv(A)
    for distance in (square_of_distance, by_eigenvalues):
        assert np.isclose(distance(A, B), square) and np.allclose(sg.grad(distance)(A, B), by_hand), "Moakher (2005)"
    H = sg.hessian(square_of_distance)(A, A)
    inverse = np.linalg.inv(A)
    for D in (B, B @ B):  # where the distance is 0, half of the second derivatives is Fisher's metric of the normal law
        assert np.isclose(np.einsum("ij,ijkl,kl", D, H, D), 2 * np.trace(inverse @ D @ inverse @ D))

    X, Y = sg.symbol("X", ("n", "n"), pd=True), sg.symbol("Y", ("n", "n"), pd=True)
    print(f"its gradient as a formula: {sg.grad(lambda X: by_eigenvalues(X, Y))(X)}")

    print("\n  t  det    speed²     left over of the geodesic's equation")
    for t in (0.0, 0.25, 0.5, 0.75, 1.0):
        G, speed = geodesic(t, A, B), sg.jacobian(geodesic)(t, A, B)
        turn = np.linalg.solve(G, speed)
        rest = np.abs(sg.jacobian(sg.jacobian(geodesic))(t, A, B) - speed @ turn).max()  # G'' = G' G⁻¹ G'
        print(f"{t:4} {np.linalg.det(G):.4f} {np.trace(turn @ turn):.8f} {rest:.1e}")
        assert np.isclose(np.trace(turn @ turn), square) and rest < 1e-9

    matrices = [draw(rng) for _ in range(12)]

    def scatter(s):
        return sum(square_of_distance(sp.linalg.expm(symmetric(s)), M) for M in matrices)

    found = scipy.optimize.minimize(**sp.optimize.problem(scatter, np.zeros(6), method="BFGS"))
    mean = scipy.linalg.expm(symmetric(found.x))
    balance = sum(scipy.linalg.logm(np.linalg.solve(mean, M)) for M in matrices)
    print(f"\nthe mean of 12 matrices, after {found.nit} steps of BFGS:\n{mean}")
    print(f"its determinant {np.linalg.det(mean):.8f}")
    logs = [np.linalg.slogdet(M)[1] for M in matrices]
    assert np.abs(balance).max() < 1e-3 and np.isclose(np.linalg.det(mean), np.exp(np.mean(logs)), rtol=1e-5)
    print(f"{'the means of determinants (geometric)':38} {np.exp(np.mean(logs)):.8f}")


if __name__ == "__main__":
    main()
