"""A loss of one's own, its gradient and Hessian as formulas; exported to NumPy and compared with numbers; and LaTeX."""

from pathlib import Path

import numpy as np

import symgrad as sg


def loss(w, X, y):
    """Poisson regression: the negative log-likelihood, without the terms that do not depend on w."""
    eta = X @ w
    return (sg.exp(eta) - y * eta).sum()


def show(title, formula):
    print(f"{title:9}", str(formula).replace("\n", "\n" + 10 * " "))


def exported(formula, name):
    """The formula as a NumPy function: what `code` returns is a module that stands alone."""
    namespace = {}
    exec(formula.code("numpy", name=name), namespace)
    return namespace[name]


def newton(X, y, gradient, hessian, steps=20):
    """Newton's method, with functions that know nothing of symgrad."""
    w = np.zeros(X.shape[1])
    for _ in range(steps):
        step = np.linalg.solve(hessian(X, w), gradient(X, w, y))
        w = w - step
        if np.linalg.norm(step) < 1e-10:
            break
    return w


def main():
    # the formulas, for data of any size
    f = sg.formula(loss, sg.symbol("w", "n"), sg.symbol("X", ("m", "n")), sg.symbol("y", "m"))
    g, H = f.grad("w"), f.hessian("w")
    show("loss", f)
    show("gradient", g)
    show("Hessian", H)
    print("\n" + g.code("numpy", name="gradient"))

    # the same by sweeps over the recorded graph, at data
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(50), rng.normal(size=50)])
    y = rng.poisson(np.exp(X @ [0.5, 0.8])).astype(float)
    gradient, hessian = exported(g, "gradient"), exported(H, "hessian")
    w = np.array([0.2, 0.3])
    assert np.allclose(gradient(X, w, y), sg.grad(loss)(w, X, y))
    assert np.allclose(hessian(X, w), sg.hessian(loss)(w, X, y))

    # a derivation by hand, held against it; and one with a slip
    assert g.equals(sg.parse("X.T @ (exp(X@w) - y)"))
    assert not g.equals(sg.parse("X.T @ (exp(X@w) + y)"))

    w = newton(X, y, gradient, hessian)
    errors = np.sqrt(np.diag(np.linalg.inv(hessian(X, w))))
    for name, estimate, error in zip(("constant", "slope"), w, errors, strict=True):
        print(f"{name:9} {estimate:7.4f}   standard error {error:.4f}")

    Path("derivatives.tex").write_text(
        f"\\begin{{align*}}\n\\nabla f &= {g.latex()} \\\\\n\\nabla^2 f &= {H.latex()}\n\\end{{align*}}\n",
        encoding="utf-8",
    )
    print("\nwritten: derivatives.tex")


if __name__ == "__main__":
    main()
