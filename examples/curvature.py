"""The curvature of space around a black hole: second derivatives of a metric, through its inverse, and nothing by hand.

Any metric can be put in. Schwarzschild's has no Ricci curvature, which is Einstein's equation for empty space, and its
Kretschmann scalar is 48 M²/r⁶: finite where the metric is singular, at r = 2M.
"""

import numpy as np

import symgrad as sg


def schwarzschild(x, mass):
    """The metric at time, radius and two angles."""
    r, polar = x[1], x[2]
    f = 1 - 2 * mass / r
    return np.diag(np.stack([-f, 1 / f, r**2, (r * np.sin(polar)) ** 2]))


def painleve(x, mass):
    """The same space in the time of somebody who falls (Painlevé and Gullstrand): not diagonal, and regular at 2M."""
    r, polar = x[1], x[2]
    flow = np.sqrt(2 * mass / r)
    rows = [[flow**2 - 1, flow, 0, 0], [flow, 1, 0, 0], [0, 0, r**2, 0], [0, 0, 0, (r * np.sin(polar)) ** 2]]
    return np.stack([np.stack([entry + 0 * r for entry in row]) for row in rows])


def sphere(x, radius):
    return np.diag(np.stack([radius**2 + 0 * x[0], (radius * np.sin(x[0])) ** 2]))


def christoffel(metric, x, *params):
    """Γ, its first index up: g⁻¹ (∂ₖ gᵢⱼ + ∂ⱼ gᵢₖ - ∂ᵢ gⱼₖ) / 2."""
    d = sg.jacobian(metric)(x, *params)
    lower = (d + np.einsum("ikj->ijk", d) - np.einsum("jki->ijk", d)) / 2
    return np.einsum("ai,ijk->ajk", np.linalg.inv(metric(x, *params)), lower)


def riemann(metric, x, *params):
    """Riemann's tensor, its first index up."""
    gamma = christoffel(metric, x, *params)
    d = sg.jacobian(lambda x: christoffel(metric, x, *params))(x)
    half = np.einsum("ajlk->ajkl", d) + np.einsum("akm,mlj->ajkl", gamma, gamma)
    return half - np.einsum("ajlk->ajkl", half)


def scalars(metric, x, *params):
    """The largest entry of the Ricci tensor, the curvature scalar, and Kretschmann's."""
    g, R = metric(x, *params), riemann(metric, x, *params)
    up = np.linalg.inv(g)
    ricci = np.einsum("ajal->jl", R)
    lowered, raised = np.einsum("ia,ajkl->ijkl", g, R), np.einsum("ajkl,bj,ck,dl->abcd", R, up, up, up)
    return np.abs(ricci).max(), (up * ricci).sum(), (lowered * raised).sum()


def main():
    _, scalar, _ = scalars(sphere, np.array([0.7, 0.2]), 2.0)
    print(f"sphere of radius 2: curvature scalar {scalar:.12f}, by the book 2/R² = 0.5")
    assert np.isclose(scalar, 0.5, rtol=1e-13)

    mass = 1.0
    print("\nblack hole of mass 1   Kretschmann scalar                    Ricci")
    print("   r    Schwarzschild      Painlevé         48 M²/r⁶      largest entry")
    for r in (0.5, 1.0, 1.9, 2.0, 2.1, 3.0, 6.0):
        x, known = np.array([0.0, r, 1.0, 0.5]), 48 * mass**2 / r**6
        ricci, _, falling = scalars(painleve, x, mass)
        if r == 2.0:
            far = "(singular)"
        else:
            ricci_far, _, kretschmann = scalars(schwarzschild, x, mass)
            ricci, far = max(ricci, ricci_far), f"{kretschmann:.10g}"
            assert np.isclose(kretschmann, known, rtol=1e-10)
        print(f"{r:5.1f}   {far:>14}   {falling:14.10g}   {known:14.10g}   {ricci:.0e}")
        assert np.isclose(falling, known, rtol=1e-10) and ricci < 1e-9 * known


if __name__ == "__main__":
    main()
