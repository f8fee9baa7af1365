"""Forms for reading, and the rules beside them: each is shorter than what stood there, and has its value.

The idea to hold: a text is read back and evaluated, and its function is differentiated on the tape; both agree.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad.calculus.reading_forms import opened

from ..helpers.cases import one_in

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
    "multiplied into an array": (lambda x, a: (x @ x) / 2 + a / sg.linalg.norm(x), dict(x=(3,), a=()), "x",
                                 "x − ax/‖x‖³"),
    "a function stays in front": (lambda w, x, b: sg.sigmoid(w @ x + b), dict(w=(3,), x=(3,), b=()), "w",
                                  "p(1 − p)x\nwhere p = σ(wᵀx + b)"),
    "powers meet in a product with a name": (lambda w, X: (((X @ w) ** 2 - 1) ** 2).sum() / 4,
                                             dict(w=(3,), X=(4, 3)), "w", "Xᵀs³ − Xᵀs\nwhere s = Xw"),
    "each over it by itself": (lambda x, a: sg.log(1 + (a @ x) ** 2) / 2, dict(x=(3,), a=(3,)), "x", None),
    "what all share, though no lighter": (lambda w, X, y: (y * (X @ w) - sg.log(X @ w)).sum(),
                                          dict(w=(3,), X=(4, 3), y=(4,)), "w", "Xᵀ(y − 1/(Xw))"),
    "roots of 3 meet": (lambda r, h: (1 + 3**0.5 * r / h) * sg.exp(-(3**0.5) * r / h), dict(r=(), h=()), "h",
                        "3r² exp(−√3 r/h)/h³"),
    "multiples of π meet": (lambda r, h: (1 + sg.pi * r / h) * sg.exp(-sg.pi * r / h), dict(r=(), h=()), "r",
                            "−π² r exp(−π r/h)/h²"),
    "constant along the rows": (lambda x, y, A: ((A - x[:, None] - y) ** 2).sum() / 2,
                                dict(x=(3,), y=(2,), A=(3, 2)), "x", None),
    "what cancels between brackets": (lambda q, p: ((p - q) ** 2 / q).sum(), dict(q=(3,), p=(3,)), "q", "1 − p²/q²"),
    "an exponential of rows and columns": (lambda x, y, A: (sg.exp(x[:, None] + y) - A * (x[:, None] + y)).sum(),
                                           dict(x=(3,), y=(2,), A=(3, 2)), "x", "(exp(x) exp(y)ᵀ − A)𝟏"),
    "a logarithm turned over": (lambda x, y: (x * sg.log(x) - (x + y) * sg.log((x + y) / 2)).sum(),
                                dict(x=(3,), y=(3,)), "x", "log(2x/(x + y))"),
    "what stands beside a function": (lambda w, X, c: sg.log((c * sg.exp(X @ w)).sum()),
                                      dict(w=(3,), X=(2, 3), c=(2,)), "w", "Xᵀs/sum(s)\nwhere s = c ⊙ exp(Xw)"),
    "a diagonal without one": (lambda x, A, B: ((A @ sg.diag(x) @ B) ** 2).sum() / 2,
                               dict(x=(3,), A=(2, 3), B=(3, 4)), "x", "(AᵀA ⊙ BBᵀ)x"),
    "a diagonal of a sum": (lambda d, A, S: sg.linalg.slogdet(A + sg.diag(d))[1]
                            + sg.trace(sg.linalg.solve(A + sg.diag(d), S)),
                            dict(d=(3,), A=(3, 3), S=(3, 3)), "d", None),
    "inverses meet": (lambda X, A: sg.trace(A @ sg.linalg.inv(X) @ sg.linalg.inv(X)), dict(X=(3, 3), A=(3, 3)), "X",
                      None),
    "a whole power of a base that the sum has, too": (lambda x: x ** sg.sin(x), dict(x=()), "x", None),
    "odd functions of differences": (lambda x, A: (A * sg.cos(x[:, None] - x)).sum(), dict(x=(3,), A=(3, 3)), "x",
                                     None),
    "a minus goes into a bracket": (lambda x, A, b: -((A @ x - b) @ (sg.diag(b) - sg.outer(b, b)) @ (A @ x - b)) / 2,
                                    dict(x=(3,), A=(2, 3), b=(2,)), "x", None),
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


SECOND = {
    "a dot product with a sum": (lambda b, E: sg.logsumexp(-b * E, 0), dict(b=(), E=(3,)), "b",
                                 "pᵀE² − (Eᵀp)²\nwhere p = softmax(−bE)"),
    "probabilities": (lambda z: sg.log(1 + sg.exp(z).sum()), dict(z=(3,)), "z",
                      "diag(s) − ssᵀ\nwhere s = exp(z)/(1 + sum(exp(z)))"),
    "weighted probabilities": (lambda w, X, c: sg.log((c * sg.exp(X @ w)).sum()), dict(w=(3,), X=(2, 3), c=(2,)), "w",
                               "Xᵀ(diag(u) − uuᵀ)X\nwhere s = c ⊙ exp(Xw)\n      u = s/sum(s)"),
    "what stands beside a function": (lambda w, X, h, v: sg.log(1 + v * h * sg.exp(X @ w)).sum() / v,
                                      dict(w=(3,), X=(2, 3), h=(2,), v=()), "w",
                                      "Xᵀ diag(s/(1 + vs)²) X\nwhere s = h ⊙ exp(Xw)"),
    "a matrix beside a function": (lambda x, A: (A * sg.exp(x[:, None] - x)).sum(), dict(x=(3,), A=(3, 3)), "x",
                                   "diag(S𝟏 + Sᵀ𝟏) − S − Sᵀ\nwhere S = A ⊙ exp(x𝟏ᵀ − 𝟏xᵀ)"),
    "a function the other way round": (lambda x, d, T: (sg.softplus(x[:, None] - d) - T * (x[:, None] - d)).sum(),
                                       dict(x=(3,), d=(2,), T=(3, 2)), "x", None),
    "an inverse with the other sign": (lambda c, W, a, b: a @ sg.linalg.solve(sg.eye(3) - c * W, b),
                                       dict(c=(), W=(3, 3), a=(3,), b=(3,)), "c", None),
    "odd powers of a difference": (lambda v, a, b: a / (v + 2 - b) - a / v**2, dict(v=(), a=(), b=()), "v", None),
    "probabilities beside others": (lambda z, a: sg.log(a + sg.exp(z).sum()) + (z**2).sum() * a, dict(z=(3,), a=()),
                                    "z", "diag(2a + s) − ssᵀ\nwhere s = exp(z)/(sum(exp(z)) + a)"),
    "quotients of entries": (lambda w, X: -sg.log(sg.special.ndtr(X @ w)).sum(), dict(w=(3,), X=(2, 3)), "w", None),
    "the base of a square": (lambda w, X, y: sg.log(1 + (y - X @ w) ** 2).sum(), dict(w=(3,), X=(2, 3), y=(2,)), "w",
                             "2Xᵀ diag((1 − r²)/(1 + r²)²) X\nwhere r = Xw − y"),
    "a squared product": (lambda c, A, B: sg.logdet(A @ A.T + sg.eye(2) + B.T @ sg.diag(c) @ B),
                          dict(c=(4,), A=(2, 3), B=(4, 2)), "c", None),
    "an array beside its transpose": (lambda x, c: sg.linalg.norm(c * x), dict(x=(3,), c=(3,)), "x",
                                      "diag(c²)/t − ssᵀ/t³\nwhere s = c² ⊙ x\n      t = ‖c ⊙ x‖"),
    "the same, brackets opened": (lambda x, a, t: -sg.logsumexp(-t * x / a, 0) / t, dict(x=(3,), a=(3,), t=()), "x",
                                  None),
    "the same between matrices": (lambda w, A: -sg.log(sg.sigmoid(A @ w).sum()), dict(w=(3,), A=(2, 3)), "w", None),
    "over each power of a sum": (lambda x, a, b: (a @ x) / (1 + b @ x), dict(x=(3,), a=(3,), b=(3,)), "x",
                                 "2aᵀx bbᵀ/s³ − (abᵀ + baᵀ)/s²\nwhere s = 1 + bᵀx"),
    "over each power of a root": (lambda x, u: (u @ x) / sg.sqrt(1 + (x**4).sum()), dict(x=(3,), u=(3,)), "x", None),
    "a number flattened in products": (lambda x, a, b: (a @ x) / (b @ x), dict(x=(3,), a=(3,), b=(3,)), "x",
                                       None),
    "what a name makes meet": (lambda x, B: (sg.abs(B @ x) ** 3).sum() / 3, dict(x=(3,), B=(2, 3)), "x",
                               "2Bᵀ diag(|Bx|) B"),
    "σ of opposites": (lambda w, X, a, b: -sg.log(sg.sigmoid(b + 2 - X @ w) - sg.sigmoid(a - X @ w)).sum(),
                       dict(w=(3,), X=(2, 3), a=(), b=()), "w", None),
    "a norm of a quotient": (lambda v, y, x, c: ((y - v * x / (c + x)) ** 2).sum() / 2,
                             dict(v=(), y=(3,), x=(3,), c=()), "v", "‖x/(c + x)‖²"),
    "a norm of exponentials": (lambda a, y, t, k: ((y - a * sg.exp(-k * t)) ** 2).sum() / 2,
                               dict(a=(), y=(3,), t=(3,), k=()), "a", "‖exp(−kt)‖²"),
    "a symbol's power below": (lambda x, p, g: p @ x ** (1 - g) / (1 - g), dict(x=(3,), p=(3,), g=()), "x",
                               "−g diag(p/x^(1 + g))"),
    "a number meets others in a sum of matrices": (lambda x, A: sg.softplus(x @ (A + A.T) @ x / 2),
                                                   dict(x=(3,), A=(3, 3)), "x", None),
    "even functions of differences": (lambda x, A: (A * sg.cos(x[:, None] - x)).sum(), dict(x=(3,), A=(3, 3)), "x",
                                      None),
    "bells of differences": (lambda x, A: (A * sg.exp(-((x[:, None] - x) ** 2))).sum(), dict(x=(3,), A=(3, 3)), "x",
                             None),
    "a norm and its cube": (lambda x, k: sg.exp(-k * sg.linalg.norm(x)) / sg.linalg.norm(x), dict(x=(3,), k=()), "x",
                            None),
}  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("case", SECOND)
def test_the_form_is_short_and_has_the_value_of_the_second_derivative(case):
    """The truth is the tape's, at other points than that at which a formula is checked."""
    f, shapes, wrt, text = SECOND[case]
    hessian = sg.formula(f, *[sg.symbol(name, shape) for name, shape in shapes.items()]).hessian(wrt)
    assert text is None or str(hessian) == text
    rng = np.random.default_rng(4)
    point = {name: rng.uniform(0.3, 0.9, shape) for name, shape in shapes.items()}
    rest = {name: sg.tensor(value) for name, value in point.items() if name != wrt}
    truth = np.asarray(sg.hessian(lambda x: f(**rest, **{wrt: x}))(sg.tensor(point[wrt])))
    again = sg.parse(str(hessian), dialect="matrix", shape=hessian.shape, **shapes)
    needed = {name: value for name, value in point.items() if name in again.free_symbols}
    np.testing.assert_allclose(again(**needed), truth, rtol=1e-8, atol=1e-10)


def test_a_size_that_is_called_like_a_symbol_does_not_come_into_a_formula():
    m, X = sg.symbol("m", "n"), sg.symbol("X", ("m", "n"))
    gradient = sg.formula(lambda m, X: ((X - m) ** 2).sum() / 2, m, X).grad("m")
    assert "sum" in str(gradient) or "𝟏" in str(gradient)
    assert str(gradient).count("m") == 1


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


@pytest.mark.parametrize(
    ("f", "gradient", "hessian"),
    [
        (lambda x, A: -(A * sg.cos(x[:, None] - x)).sum() / 2, "diag(A sin(𝟏xᵀ − x𝟏ᵀ))",
         "diag(S𝟏) − S\nwhere S = A ⊙ cos(x𝟏ᵀ − 𝟏xᵀ)"),
        (lambda x, A: (A * sg.exp(-((x[:, None] - x) ** 2))).sum(),
         "4(A ⊙ R ⊙ exp(−R^∘2))𝟏\nwhere R = 𝟏xᵀ − x𝟏ᵀ", None),
        (lambda x, A: (A * sg.sinh(x[:, None] - x) ** 2).sum(), None, None),
        (lambda x, A: (A * sg.abs(x[:, None] - x) ** 3).sum(), None, None),
        (lambda x, A: (A * (x[:, None] - x)).sum() + (x**3).sum(), "3x²", "6 diag(x)"),
        (lambda x, A: sg.linalg.slogdet(sg.eye(3) + A * sg.exp(-((x[:, None] - x) ** 2)))[1], None, None),
        (lambda x, A: ((A @ sg.tanh(x[:, None] - x)) ** 2).sum(), None, None),
    ],
    ids=["cosine", "bell", "square of an odd function", "cube", "sums to nought", "within a determinant", "odd twice"],
)  # fmt: skip
def test_functions_of_differences_know_their_transposes(f, gradient, hessian):
    x, A = sg.symbol("x", (3,)), sg.symbol("A", (3, 3), symmetric=True)
    formula = sg.formula(f, x, A)
    rng = np.random.default_rng(7)
    point = rng.normal(size=3)
    matrix = rng.normal(size=(3, 3))
    matrix = (matrix + matrix.T) / 2

    def numbers(x):
        return f(x, sg.tensor(matrix))

    for found, text, truth in (
        (formula.grad("x"), gradient, sg.func.grad(numbers)(sg.tensor(point))),
        (formula.hessian("x"), hessian, sg.hessian(numbers)(sg.tensor(point))),
    ):
        assert text is None or str(found) == text
        value = np.broadcast_to(found(x=point, A=matrix), np.shape(truth))
        np.testing.assert_allclose(value, np.asarray(truth), rtol=1e-8, atol=1e-10)


def test_what_says_more_stays_in_front_of_matrices():
    k, A, B = sg.symbol("k", ()), sg.symbol("A", ("n", "n")), sg.symbol("B", ("n", "n"))
    assert str(sg.formula(lambda k, A, B: k * (A - B), k, A, B)) == "k(A − B)"
