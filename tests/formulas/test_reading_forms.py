"""Forms for reading, and the rules beside them: each is shorter than what stood there, and has its value.

The idea to hold: a text is read back and evaluated, and its function is differentiated on the tape; both agree.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad.expr._reading_forms import opened

TEXTS = {
    "double angle": (lambda t, a: a * sg.cos(t) ** 2, dict(t=(), a=()), "t", "−a sin(2t)"),
    "area tangent": (lambda m: (1 + m) * sg.log((1 + m) / 2) + (1 - m) * sg.log((1 - m) / 2), dict(m=()), "m",
                     "2 atanh(m)"),
    "area tangent with a factor": (lambda m, a: a * sg.log(1 + m) - a * sg.log(1 - m) - m**2, dict(m=(), a=()), "m",
                                   "2a/(1 − m²) − 2m"),
    "powers meet": (lambda x, a: ((x**2 - a) ** 2).sum() / 4, dict(x=(3,), a=()), "x", "x³ − ax"),
    "matrices meet": (lambda X, A: sg.trace(X @ X @ A @ X), dict(X=(3, 3), A=(3, 3)), "X", "(AX² + XAX + X²A)ᵀ"),
    "what cancels beside another sum": (lambda x, y, d: (sg.linalg.norm(x - y) - d) ** 2 / 2,
                                        dict(x=(3,), y=(3,), d=()), "x", "(1 − d/‖r‖)r\nwhere r = x − y"),
    "an inverse goes in": (lambda x, A, b: ((sg.linalg.inv(A) @ (A @ x - b)) ** 2).sum() / 2,
                           dict(x=(3,), A=(3, 3), b=(3,)), "x", "x − A⁻¹b"),
    "a symmetric sum with a diagonal": (lambda W, v: sg.linalg.slogdet(W @ W.T + sg.diag(v))[1],
                                        dict(W=(3, 2), v=(3,)), "W", "2(WWᵀ + diag(v))⁻¹W"),
    "rows and columns scaled": (lambda X, a, b: ((a[:, None] * X * b) ** 2).sum() / 2, dict(X=(3, 2), a=(3,), b=(2,)),
                                "X", "X ⊙ a²(b²)ᵀ"),
    "a fraction goes in": (lambda S, W, d, w: ((S.T @ W @ S).trace() - ((d @ S) ** 2).sum() / (2 * w)) / (2 * w),
                           dict(S=(3, 2), W=(3, 3), d=(3,), w=()), "S", None),
    "a quotient along rows": (lambda W, a: (W**2).sum() / 2 - a * sg.log(W.sum(1)).sum(), dict(W=(3, 3), a=()), "W",
                              "W − a/(W𝟏𝟏ᵀ)"),
    "each over it by itself": (lambda x, a: sg.log(1 + (a @ x) ** 2) / 2, dict(x=(3,), a=(3,)), "x", None),
    "what all share, though no lighter": (lambda w, X, y: (y * (X @ w) - sg.log(X @ w)).sum(),
                                          dict(w=(3,), X=(4, 3), y=(4,)), "w", "Xᵀ(y − 1/(Xw))"),
    "roots of 3 meet": (lambda r, h: (1 + 3**0.5 * r / h) * sg.exp(-(3**0.5) * r / h), dict(r=(), h=()), "h",
                        "3r² exp(−√3 r/h)/h³"),
    "multiples of π meet": (lambda r, h: (1 + sg.pi * r / h) * sg.exp(-sg.pi * r / h), dict(r=(), h=()), "r",
                            "−π² r exp(−π r/h)/h²"),
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS)
def test_the_form_is_short_and_has_the_value_of_the_derivative(case):
    f, shapes, wrt, text = TEXTS[case]
    gradient = sg.formula(f, *[sg.symbol(name, shape) for name, shape in shapes.items()]).grad(wrt)
    assert text is None or str(gradient) == text
    rng = np.random.default_rng(3)
    point = {name: rng.uniform(0.3, 0.9, shape) for name, shape in shapes.items()}
    point |= {name: value + 2 * np.eye(3) for name, value in point.items() if np.shape(value) == (3, 3)}
    x = sg.tensor(point[wrt], requires_grad=True)
    f(**{name: sg.tensor(value) for name, value in point.items()} | {wrt: x}).backward()
    again = sg.parse(str(gradient), dialect="matrix", **shapes)
    np.testing.assert_allclose(gradient(**point), x.grad.numpy(), rtol=1e-9)
    needed = {name: value for name, value in point.items() if name in again.free_symbols}
    np.testing.assert_allclose(np.broadcast_to(again(**needed), x.shape), x.grad.numpy(), rtol=1e-9)


@pytest.mark.parametrize("text", ["p*(1 - p)", "tanh(p)*(1 - tanh(p)^2)", "a*(p - 1)"])
def test_factors_that_say_more_stay(text):
    term = sg.parse(text, p=(), a=()).term
    assert opened(term) is None


def test_orthogonal_matrices_meet_their_transposes_in_a_sum():
    x, Q, R, b = (sg.symbol("x", "n"), sg.symbol("Q", ("n", "n"), orthogonal=True), sg.symbol("R", ("n", "n")),
                  sg.symbol("b", "n"))  # fmt: skip
    f = sg.formula(lambda x, Q, R, b: ((Q @ (R @ x) - b) ** 2).sum() / 2, x, Q, R, b)
    assert str(f.grad("x")) == "Rᵀ(Rx − Qᵀb)"
    rng = np.random.default_rng(0)
    point = {"x": rng.normal(size=4), "Q": np.linalg.qr(rng.normal(size=(4, 4)))[0], "R": rng.normal(size=(4, 4)),
             "b": rng.normal(size=4)}  # fmt: skip
    expected = point["R"].T @ point["Q"].T @ (point["Q"] @ point["R"] @ point["x"] - point["b"])
    np.testing.assert_allclose(f.grad("x")(**point), expected)
