"""A chain of 10,000 coupled pendulums: a Hessian that would take 0.8 GB, as a sparse matrix and as an operator.

Which entries can be other than zero is found from plain array code.
"""

import numpy as np
from scipy.sparse.linalg import cg, eigsh, spsolve

import symgrad as sg

N = 10_000


def energy(angle):
    """Each pendulum has its weight, each pair of neighbours a spring, and a wind pushes at all of them."""
    weight = (1 - np.cos(angle)).sum()
    springs = ((angle[1:] - angle[:-1]) ** 2).sum() * 5
    wind = 0.3 * np.sin(np.linspace(0, 20, N))
    return weight + springs - wind @ angle


def equilibrium():
    """Newton's method with a sparse solver."""
    gradient, hessian = sg.grad(energy), sg.hessian(energy, format="csr")
    angle = np.zeros(N)
    for step in range(1, 20):
        g = gradient(angle)
        print(f"step {step}: energy {energy(angle):.6f}, |gradient| {np.linalg.norm(g):.1e}")
        if np.linalg.norm(g) < 1e-9:
            break
        angle = angle - spsolve(hessian(angle).tocsc(), g)
    return angle


def main():
    cost = sg.cost(energy, np.zeros(N), format="csr")
    print(f"the sparse matrix will take {cost.result_bytes / 1e3:.0f} kB, a dense one {8 * N * N / 1e9:.1f} GB")
    pattern = sg.sparsity(energy, np.zeros(N))
    print(f"{pattern.nnz:,} of {N * N:,} second derivatives can be other than zero\n")

    angle = equilibrium()

    # the stiffest vibration, by products alone: no matrix is formed
    operator = sg.hessian_operator(energy, angle)
    stiffest = eigsh(operator, k=1, tol=1e-4, return_eigenvectors=False)
    print(f"\nlargest eigenvalue, by products: {stiffest[0]:.2f}")

    # how the chain answers to a push at its middle
    push = np.zeros(N)
    push[N // 2] = 1.0
    by_products, info = cg(operator, push, rtol=1e-10)
    sparse = sg.hessian(energy, format="structured")(angle)
    by_factors = sparse.solve(push)
    print(f"{sparse}")
    print(f"a push of 1 turns the middle by {by_factors[N // 2]:.4f}, its neighbour by {by_factors[N // 2 + 1]:.4f}")
    assert info == 0 and np.allclose(by_products, by_factors, atol=1e-8)
    print(f"the equilibrium is stable: log det H = {sparse.logdet():.1f}")


if __name__ == "__main__":
    main()
