"""Forms that tables of derivatives and papers on layouts of points have: each is as printed, with the tape's value.

The idea to hold: as in `test_reading_forms`, a function is differentiated on symbols and on the tape at one point.
"""

import numpy as np
import pytest

import symgrad as sg


def squared_distances(X):
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(2)


POSITIVE = {"a", "b", "c", "e", "t", "n"}
"""The numbers that are declared positive."""

FIRST = {
    "stress of points": (lambda X, W: ((squared_distances(X) - W) ** 2).sum() / 8, "X",
                         "diag(R𝟏) X − RX\nwhere R[i,j] = Σₖ (X[i,k] − X[j,k])² − W[i,j]"),
    "bells between points": (lambda X, W: (W * sg.exp(-squared_distances(X) / 2)).sum() / 2, "X", None),
    "springs between points": (lambda X, W, a: (W * sg.sqrt(a + squared_distances(X))).sum() / 2, "X",
                               "diag((W/√R)𝟏) X − (W/√R)X\nwhere R[i,j] = Σₖ (X[i,k] − X[j,k])² + a"),
    "an odd function of points": (lambda X, W: (sg.tanh(X[:, None, :] - X[None, :, :]).sum(2) * W).sum() + X.sum(),
                                  "X", None),
    "a name with a number": (lambda x, a, b, c: a * sg.exp(-b * sg.exp(-c * x)), "x",
                             "acs exp(−s)\nwhere s = b exp(−cx)"),
    "an inverse squared": (lambda t, M, u: u @ sg.linalg.solve(M + t * sg.eye(3), u), "t", "−uᵀ(tI + M)⁻²u"),
    "a residual beside its multiple": (lambda v, W: (v @ W @ v) / 2 - sg.log(v @ v), "v", "Wv − 2v/‖v‖²"),
    "a minus in front of a diagonal": (lambda u, M, b: u @ M @ u - b * (u**3).sum(), "u", None),
    "a minus into a product": (lambda x, u, a: -(u @ (1 - 2 * sg.sigmoid(x * u))) * a, "x", None),
    "squares of a symbol": (lambda X, a: (X - X**3 / 3 + a * X).sum(), "X", None),
    "a hyperbolic tangent": (lambda x: 1 / sg.cosh(x), "x", "−tanh(x)/cosh(x)"),
    "a circle": (lambda x, a: x * sg.sqrt(4 * a**2 - x**2) / 2 + 2 * a**2 * sg.arcsin(x / (2 * a)), "x", "√(4a² − x²)"),
    "a quotient of roots": (lambda a, b, x: 2 * sg.sqrt(a * b) * sg.cos(x), "a", None),
}  # fmt: skip
SECOND = {
    "exponentials in one another": (lambda x, a, b, c: a * sg.exp(-b * sg.exp(-c * x)), "x",
                                    "ac²s(s − 1) exp(−s)\nwhere s = b exp(−cx)"),
    "a tangent": (lambda x: sg.log((1 + sg.sin(x)) / sg.cos(x)), "x", "tan(x)/cos(x)"),
    "a square in a sum": (lambda t, n: t**n * sg.exp(-t), "t", "exp(−t) t^(n − 2)((n − t)² − n)"),
    "a root over another": (lambda a, b, x: 2 * sg.sqrt(a * b) * sg.cos(x), "a", "−cos(x) √(b/a)/(2a)"),
    "signs turned in a bracket": (lambda x, a, b: sg.exp(-a * x) * sg.sin(b * x), "x",
                                  "exp(−ax)(sin(bx)(a² − b²) − 2ab cos(bx))"),
    "a partial likelihood": (lambda u, Z, R, d: d @ sg.log(R @ sg.exp(Z @ u)), "u",
                             "Zᵀ(diag(Rᵀ(d/v)) − diag(s) Rᵀ diag(d/v²) R) diag(s) Z\nwhere s = exp(Zu)\n      v = Rs"),
    "an array beside itself": (lambda u, v, w: sg.softplus(-(u * v * w).sum()), "u",
                               "p(1 − p)ssᵀ\nwhere s = v ⊙ w\n      p = σ(sᵀu)"),
    "couplings that saturate": (lambda u, W: (W * sg.log(sg.cosh(u[:, None] - u[None, :]))).sum() / 2, "u", None),
    "a fourth power of differences": (lambda u, W: (W * (u[:, None] - u[None, :]) ** 4).sum() / 4, "u",
                                      "6 diag(S𝟏) − 6S\nwhere S = W ⊙ (u𝟏ᵀ − 𝟏uᵀ)^∘2"),
    "curvature of bells": (lambda X, W: (W * sg.exp(-squared_distances(X) / 2)).sum() / 2, "X", None),
}  # fmt: skip
SHAPES = {"X": (3, 2), "Z": (4, 3), "R": (4, 4), "d": (4,), "u": (3,), "v": (3,), "w": (3,), "W": (3, 3), "M": (3, 3)}


def compared(f, wrt, text, derivative, truth):
    rng = np.random.default_rng(3)
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    point = {name: rng.uniform(0.3, 1.1, SHAPES.get(name, ())) for name in names}
    symbols = []
    for name in names:
        symmetric = name in "WM"
        point[name] = point[name] @ point[name].T + np.eye(3) if symmetric else point[name]
        positive = {"positive": True} if name in POSITIVE else {}
        symbols.append(sg.symbol(name, SHAPES.get(name, ()), **({"symmetric": True} if symmetric else positive)))
    found = derivative(sg.formula(f, *symbols))
    assert text is None or str(found) == text
    true = truth(lambda x: f(**{**point, wrt: x}))(sg.tensor(point[wrt]))
    value = np.broadcast_to(found(**point), np.shape(true))
    np.testing.assert_allclose(value, np.asarray(true), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", FIRST)
def test_a_gradient_has_the_form_and_the_value(case):
    f, wrt, text = FIRST[case]
    compared(f, wrt, text, lambda formula: formula.grad(wrt), sg.func.grad)


@pytest.mark.parametrize("case", SECOND)
def test_a_second_derivative_has_the_form_and_the_value(case):
    f, wrt, text = SECOND[case]
    compared(f, wrt, text, lambda formula: formula.hessian(wrt), sg.hessian)


def test_what_was_multiplied_out_stays_so():
    square = sg.parse("(x + y)²", x=(), y=())
    assert str(square) == "(x + y)²" and str(square.expand()) == "2xy + x² + y²"


def test_a_norm_keeps_its_form_unless_an_inverse_is_in_it():
    S, b = sg.symbol("S", ("n", "n"), symmetric=True), sg.symbol("b", "n")
    assert str(sg.formula(lambda S, b: ((S @ b) ** 2).sum(), S, b)) == "‖Sb‖²"
    f = sg.formula(lambda S, b: b @ sg.linalg.inv(S) @ sg.linalg.inv(S) @ b, S, b)
    assert str(f) == "bᵀS⁻²b"
