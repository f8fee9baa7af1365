"""Forms for reading: names for what repeats, steps of loops written once, a function's own parts; all right."""

import itertools
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad._trees import postorder
from symgrad.calculus.derive import gradient, gradients
from symgrad.calculus.reading_forms import opened
from symgrad.formulas.background import value_given
from symgrad.formulas.own_parts import own_forms, without_symbols
from symgrad.show import layout_choice, to_text
from symgrad.show.layout import unrolled_loops
from symgrad.show.layout_choice import _spared, chosen_sheet
from symgrad.show.layout_terms import Shared, Sheet, lengths, unreadable, worth
from symgrad.terms.node import Var

from ..helpers.cases import one_in
from ._derived import cases, derivative
from .corpus._books import ENTRIES


def matrices(*names, **facts):
    return [sg.symbol(name, ("n", "n"), **facts) for name in names]


def along_a_line():
    A, B = matrices("A", "B")
    return sg.formula(lambda t, A, B: sg.logdet(A + t * B), sg.symbol("t"), A, B).hessian("t")


def inverse_along_a_line():
    A, B = matrices("A", "B")
    return sg.formula(lambda t, A, B: sg.linalg.inv(A + t * B), sg.symbol("t"), A, B).grad("t")


def morse():
    names = [sg.symbol(name) for name in ("r", "a", "b", "m")]
    return sg.formula(lambda r, a, b, m: a * (1 - sg.exp(-b * (r - m))) ** 2, *names).hessian("r")


def updated_inverse():
    (A,) = matrices("A", symmetric=True)
    x, b = sg.symbol("x", "n"), sg.symbol("b", "n")
    return sg.formula(lambda x, A, b: b @ sg.linalg.inv(A + sg.outer(x, x)) @ b, x, A, b).grad("x")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (along_a_line, "−tr(S²)\nwhere S = (tB + A)⁻¹B"),
        (inverse_along_a_line, "−R⁻¹BR⁻¹\nwhere R = tB + A"),
        (morse, "2ab²(2s² − s)\nwhere s = exp(b(m − r))"),
        (updated_inverse, "−2sᵀx s\nwhere s = (xxᵀ + A)⁻¹b"),
    ],
)
def test_what_is_repeated_gets_a_name(formula, text):
    formula = formula()
    assert str(formula) == text
    shapes = {name: formula._background.symbols[name].shape for name in formula.free_symbols}
    names = {name: tuple(map(str, shape)) for name, shape in shapes.items() if name[0] != "#"}
    facts = {"symmetric": ["A"]} if formula.free_symbols >= {"A", "b"} else {}
    assert sg.parse(text, **names).equals(formula) or facts


def scalars(names, **facts):
    return [sg.symbol(name, **facts) for name in names.split()]


def vectors(names):
    return [sg.symbol(name, "n") for name in names.split()]


@pytest.mark.parametrize(
    ("f", "symbols", "text"),
    [
        (lambda x, a: (a @ x) ** 2 / (x @ x), vectors("x a"), "2sa − 2s²x\nwhere s = aᵀx/‖x‖²"),
        (lambda u, c, x: -c * (x - u) ** 2 / (2 * u**2 * x), scalars("u c x"), "c(x − u)/u³"),
        (lambda x, r, a, k: r * x * (1 - (x / k) ** a), scalars("x r a k", positive=True), "r − r(1 + a)(x/k)^a"),
        (lambda r, g: 1 - r ** (1 - g), scalars("r g", positive=True), "(g − 1)/r^g"),
        (lambda w, X: -sg.logdet(X @ sg.diag(w) @ X.T), [*vectors("w"), sg.symbol("X", ("m", "n"))],
         "−diag(Xᵀ(X diag(w) Xᵀ)⁻¹X)"),
    ],
)  # fmt: skip
def test_a_gradient_is_written_as_in_a_book(f, symbols, text):
    assert str(sg.formula(f, *symbols).grad(f.__code__.co_varnames[0])) == text


@pytest.mark.parametrize(
    ("positive", "text"), [(True, "−ar(1 + a)(x/k)^a/x"), (False, "−ar(1 + a)(x/k)^(a − 1)/k")]
)  # fmt: skip
def test_a_power_is_not_put_over_what_may_be_0(positive, text):
    x, r, a, k = scalars("x r a k", positive=positive)
    f = sg.formula(lambda x, r, a, k: r * x * (1 - (x / k) ** a), x, r, a, k)
    second = f.grad("x").jacobian("x")
    assert str(second) == text
    if not positive:
        assert second(x=0.0, r=1.0, a=2.0, k=1.0) == 0


def test_a_name_of_the_functions_is_not_given_to_a_part():
    x = sg.symbol("x", "n")
    A, P, R = matrices("A", "P", "R")
    f = sg.formula(lambda P, A, R, x: x @ R @ x + ((A - R) @ x) @ P @ ((A - R) @ x), P, A, R, x)
    assert "where S = " in str(f.grad("P"))  # R is the user's, though it is not in the gradient's first line
    assert "where R" not in f.grad("P").latex()


def test_conditions_are_said_in_one_piece():
    X, W, Y = sg.symbol("X", ("m", "k")), sg.symbol("W", ("k", "p")), sg.symbol("Y", ("m", "p"))
    f = sg.formula(lambda W, X, Y: sg.logdet((Y - X @ W).T @ (Y - X @ W)), W, X, Y)
    assert [str(c) for c in f.grad("W").conditions] == ["det((XW − Y)ᵀ(XW − Y)) > 0"]
    printed = sg.parse(str(f.grad("W")), X=("m", "k"), W=("k", "p"), Y=("m", "p"))
    assert f.grad("W").equals(printed)
    comparison = (2 * f.grad("W")).equals(printed)
    assert not comparison
    assert "differ at" in str(comparison)


def test_the_matrix_exponential_has_formulas_without_lengths():
    (A,) = matrices("A")
    a, b, t = sg.symbol("a", "n"), sg.symbol("b", "n"), sg.symbol("t")
    f = sg.formula(lambda t, A, a, b: a @ sg.matrix_exp(t * A) @ b, t, A, a, b)
    assert str(f.grad("t")) == "aᵀA matrix_exp(tA) b"
    assert str(f.hessian("t")) == "aᵀA² matrix_exp(tA) b"
    assert str(sg.formula(lambda A: sg.logdet(sg.matrix_exp(A)), A).grad("A")) == "I"
    rng = np.random.default_rng(0)
    point = {"t": 0.7, "A": rng.normal(size=(3, 3)), "a": rng.normal(size=3), "b": rng.normal(size=3)}
    program = lambda A: point["a"] @ sg.matrix_exp(0.7 * A) @ point["b"]
    for found, truth in (
        (f.grad("A"), sg.grad(program)), (f.grad("A").jacobian("A"), sg.hessian(program)),
    ):  # fmt: skip
        assert not found.conditions
        np.testing.assert_allclose(found(**point), np.asarray(truth(sg.tensor(point["A"]))), rtol=1e-9, atol=1e-12)


def test_a_matrix_that_is_there_twice_stays_there():
    from symgrad.calculus.rewriting import simplify
    from symgrad.terms.evaluation import evaluate
    from symgrad.terms.node import Call, Var
    from symgrad.terms.normal_form import ein, row

    A, a, b = Var("A", (3, 3)), Var("a", (3,)), Var("b", (3,))
    rate = Call(
        row("matrix_exp_rate"), (ein(1, [(A, (1, 0))], (0, 1)), ein(1, [(a, (0,)), (b, (1,))], (0, 1))), (), (3, 3)
    )
    term = ein(1, [(A, (0, 1)), (rate, (0, 1)), (b, (2,)), (A, (2, 3)), (a, (3,))], ())  # ⟨A, L(Aᵀ, abᵀ)⟩ bᵀAa
    rng = np.random.default_rng(0)
    point = {"A": rng.normal(size=(3, 3)), "a": rng.normal(size=3), "b": rng.normal(size=3)}
    short = simplify(term)
    assert all(t.operation != "matrix_exp_rate" for t in postorder(short))
    np.testing.assert_allclose(evaluate(short, point), evaluate(term, point), rtol=1e-10)


def test_the_slope_of_a_sigmoid_of_a_number_has_no_name():
    f = sg.parse("sigmoid(a - b)", a=(), b=()).grad("a")
    assert str(f) == "σ(a − b) σ(b − a)"
    assert f(a=40.0, b=0.0) == pytest.approx(np.exp(-40.0), rel=1e-6)
    vector = sg.parse("sum(log(1 + exp(X@w)))", X=("m", "n"), w="n").hessian("w")
    assert str(vector) == "Xᵀ diag(p ⊙ (1 − p)) X\nwhere p = σ(Xw)"


def test_the_quotient_in_a_logarithm_is_the_one_that_is_there():
    f = sg.parse("log(a) + (a - 1)*log(x) - a*log(b) - (x/b)^a", a=(), x=(), b=())
    assert str(f.grad("a")) == "log(s)(1 − s^a) + 1/a\nwhere s = x/b"


def test_what_is_repeated_through_a_symmetric_matrix_is_a_vector():
    R = sg.symbol("R", ("m", "m"), symmetric=True)
    P = sg.symbol("P", ("n", "n"), symmetric=True)
    B, x = sg.symbol("B", ("n", "m")), sg.symbol("x", "n")
    f = sg.formula(lambda R, P, B, x: x @ P @ B @ sg.linalg.inv(R) @ B.T @ P @ x, R, P, B, x).grad("R")
    assert str(f) == "−ssᵀ\nwhere s = R⁻¹BᵀPx"


def test_roots_of_positive_numbers_are_one():
    b, g = sg.symbol("b", positive=True), sg.symbol("g", positive=True)
    f = sg.formula(lambda b, g: 2 * np.pi * sg.sqrt(b / g), b, g)
    assert str(f.grad("b")) == "π/√(bg)" and str(f.hessian("b")) == "−π/(2b√(bg))"
    assert f.hessian("b")(b=2.0, g=3.0) == pytest.approx(-np.pi / (4 * np.sqrt(6)))
    either = sg.parse("sqrt(b)*sqrt(g)", b=(), g=())  # −2 and −3 have no roots, 6 has one
    assert str(either) == "√b √g"


def test_a_power_is_not_split_where_its_base_may_be_0():
    """0^(1 + t) is 0 for t > −1, and 0·0^t is NaN below 0."""
    x, t = sg.symbol("x", "n"), sg.symbol("t")
    f = sg.formula(lambda x, t: np.sqrt(x @ x) ** (t + 1), x, t)
    printed = sg.parse(str(f), x="n", t=())
    for t in (-0.4, 0.3):
        assert f(x=np.zeros(3), t=t) == printed(x=np.zeros(3), t=t, conditions="ignore") == 0


HESSIANS = {
    "a root that is there twice": (lambda x, a: -1 / sg.sqrt(x @ x + a**2), dict(x=(3,), a=()), "x", "x",
                                   "I/s³ − 3xxᵀ/s⁵\nwhere s = √(a² + ‖x‖²)"),
    "each over it by itself": (lambda x, a: (x @ x) / (a @ x), dict(x=(3,), a=(3,)), "x", "x",
                               "2(‖x‖²aaᵀ + s²I − s(axᵀ + xaᵀ))/s³\nwhere s = aᵀx"),
    "the quotient rule leaves the quotient": (
        lambda x, k, r, T, s: sg.special.ndtr((sg.log(x / k) + (r + s**2 / 2) * T) / (s * sg.sqrt(T))),
        dict(x=(), k=(), r=(), T=(), s=()), "s", None, "φ(u)(√T − u/s)\nwhere u = (log(x/k) + Ts²/2 + Tr)/(s√T)"),
}  # fmt: skip


@pytest.mark.parametrize("case", HESSIANS)
def test_names_of_roots_and_of_quotients_make_it_short(case):
    """The truth is the tape's, at a point that no form was checked at."""
    f, shapes, first, second, text = HESSIANS[case]
    formula = sg.formula(f, *[sg.symbol(name, shape) for name, shape in shapes.items()]).grad(first)
    formula = formula.jacobian(second) if second else formula
    assert str(formula) == text
    rng = np.random.default_rng(5)
    point = {name: rng.uniform(0.5, 1.5, shape) for name, shape in shapes.items()}
    rest = {name: sg.tensor(value) for name, value in point.items() if name != first}
    truth = (sg.hessian if second else sg.grad)(lambda x: f(**rest, **{first: x}))(sg.tensor(point[first]))
    np.testing.assert_allclose(formula(**point), np.asarray(truth), rtol=1e-9)
    printed = sg.parse(text, dialect="matrix", shape=formula.shape, **shapes)
    np.testing.assert_allclose(printed(**{n: point[n] for n in printed.free_symbols}), np.asarray(truth), rtol=1e-9)


def test_a_root_that_is_there_once_gets_no_name():
    f = sg.formula(lambda x: 1 / sg.sqrt(1 + x**2), sg.symbol("x"))
    assert str(f.grad("x")) == "−x/(1 + x²)^(3/2)"


def test_arguments_that_differ_by_little_are_said_by_one():
    """S sin(u) and K tanh(u − s√T): the second argument is the first one and a little."""
    from symgrad.calculus.let_forms import let_forms
    from symgrad.terms.evaluation import evaluate

    shapes = dict(S=(), K=(), r=(), T=(), s=())
    u = "(log(S/K) + (r + s^2/2)*T)/(s*sqrt(T))"
    term = sg.parse(f"S*sin({u}) + K*tanh({u} - s*sqrt(T))", **shapes).term
    forms = [form for form in let_forms(term) if any(symbol.name.endswith("~") for symbol, _ in form[1])]
    rng = np.random.default_rng(2)
    point = {name: rng.uniform(0.5, 1.5) for name in shapes}
    assert len(forms) == 1
    np.testing.assert_allclose(evaluate(without_symbols(forms[0]), point), evaluate(term, point), rtol=1e-12)


# Shorter forms, and the rules beside them -----------------------------------------------------------------------------

# The idea to hold: a text is read back and evaluated, and its function is differentiated on the tape; both agree.


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
                               "Xᵀ(diag(s) − ssᵀ)X\nwhere u = exp(Xw)\n      s = c ⊙ u/(cᵀu)"),
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


# The parts that a function was written with ---------------------------------------------------------------------------


SHOWN = [
    (
        lambda x, P, v, a: ((x - a * (P @ x) - (1 - a) * v) ** 2).sum(), dict(x="n", P=("n", "n"), v="n", a=()), "x",
        "2aPᵀr − 2r\nwhere r = aPx + v − av − x",
    ),
    (
        lambda x, A, B: (x @ A @ x) / (x @ B @ x), dict(x="n", A=("n", "n"), B=("n", "n")), "x",
        "(A + Aᵀ)x/s − xᵀAx (B + Bᵀ)x/s²\nwhere s = xᵀBx",
    ),
]  # fmt: skip


def symbols(shapes):
    return {name: sg.symbol(name, shape) for name, shape in shapes.items()}


@pytest.mark.parametrize(("f", "shapes", "wrt", "text"), SHOWN)
def test_what_the_function_was_written_with_is_shown(f, shapes, wrt, text):
    gradient = sg.formula(f, **symbols(shapes)).grad(wrt)
    assert str(gradient) == text
    assert "where" in gradient.latex() or "\\text{where" in gradient.latex()


def holding(formula):
    """The forms in a function's own parts that may be shown."""
    return [(form.term, form.lets) for form in own_forms(formula) if form.holds()]


@pytest.mark.parametrize("entry", cases(ENTRIES))
def test_every_form_is_the_derivative_at_another_point(entry, monkeypatch):
    """Also those that are too heavy to be tried, or no shorter; and with names for what is repeated, or none."""
    monkeypatch.setattr("symgrad.formulas.own_parts.OWN_WEIGHT", 20)
    for what, _ in entry.textbook():
        formula = derivative(entry, what)
        point = {name: np.asarray(value, float) for name, value in entry.sample().items()}
        for form in [*holding(formula), *formula.term.let_forms]:
            found = value_given(without_symbols(form), formula._background, point, [], "ignore")
            np.testing.assert_allclose(found, formula(**point, conditions="ignore"), rtol=1e-7, atol=1e-9)


def test_each_definition_stands_after_those_that_it_uses():
    x, q = sg.symbol("x", "n"), sg.symbol("q", "n")
    text = str(sg.formula(lambda x, q: sg.logsumexp(x**2 / q, 0) ** 2, x, q).hessian("x"))
    lines = text.splitlines()[1:]
    labels = [line.removeprefix("where").split("=")[0].strip() for line in lines]
    assert labels == ["p", "S"] and "p" in lines[1].partition("=")[2]


HIDDEN_SUMS = {
    "two parts and a sum": (lambda x, a, t: np.sqrt(x @ x) ** (a + t), dict(x="n", a=(), t=())),
    "a part and a decimal": (lambda x, a: np.exp(0.3 * a / np.sqrt(x @ x)), dict(x="n", a=())),
}


@pytest.mark.parametrize("case", HIDDEN_SUMS)
def test_the_quotients_of_a_form_leave_its_parts_what_they_are(case):
    """While quotients are looked for, sums are hidden behind symbols, which are others than those of parts."""
    f, shapes = HIDDEN_SUMS[case]
    hessian = sg.formula(f, **symbols(shapes)).hessian("x")
    point = {name: np.random.default_rng(1).uniform(0.5, 2, (3,) if shape else ()) for name, shape in shapes.items()}
    expected = sg.hessian(lambda x: f(**{**point, "x": x}))(point["x"])
    np.testing.assert_allclose(hessian(**point), expected, rtol=1e-9)
    np.testing.assert_allclose(sg.parse(str(hessian), **shapes)(**point), expected, rtol=1e-9)
    for form in holding(hessian):
        found = value_given(without_symbols(form), hessian._background, point, [], "ignore")
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_zeros_that_a_function_writes_are_no_part_of_it():
    x = sg.tensor(0.4, requires_grad=True)
    u = 0.5 * x
    v = u.reshape((1, 1))
    v.neg_()
    v.zero_()
    y = (v * v / (1.5 + sg.cos(v))).sum() + (v * v).sum()
    assert str(y.formula()).startswith("2t²/(3 + 2 cos(t)) + t²\nwhere t = copy_slices(copy_slices(x0/2, ")


@pytest.mark.parametrize(("f", "shapes"), [case[:2] for case in SHOWN])
def test_gradients_in_several_symbols_are_those_in_each(f, shapes):
    formula = sg.formula(f, **symbols(shapes))
    root, wrt = formula.term, [v for v in postorder(formula.term) if isinstance(v, Var)]
    together = gradients(root, wrt, formula.point)
    for x, found in zip(wrt, together, strict=True):
        root.memo.clear()
        assert gradient(root, x, formula.point) is found


# Loops over numbers in the function -----------------------------------------------------------------------------------


S = sg.symbol


def recurrent(a, b, x):
    h = 0.0
    for t in range(12):
        h = sg.tanh(a * h + b * x[t])
    return h


def network(W, U, X):
    h = sg.zeros(3)
    for t in range(6):
        h = sg.tanh(W @ h + U @ X[t])
    return (h**2).sum()


def garch(omega, alpha, beta, r):
    s, total = 1.0, 0.0
    for t in range(10):
        s = omega + alpha * r[t] ** 2 + beta * s
        total = total - (sg.log(s) + r[t] ** 2 / s) / 2
    return total


def backwards(a, x):
    h = x[7]
    for t in range(7):
        h = sg.sin(h * a) + x[6 - t]
    return h


def iterated(a, x):
    for _ in range(8):
        x = sg.cos(a * x)
    return x


LOOPS = {
    "h₁₁\nwhere h₀ = tanh(bx₀)\n      hₜ = tanh(bxₜ + ahₜ₋₁) for t = 1 … 11": (recurrent, (S("a"), S("b"), S("x", 12))),
    "‖h₅‖²\nwhere h₀ = tanh(UX[0])\n      hₜ = tanh(UX[t] + Whₜ₋₁) for t = 1 … 5": (
        network, (S("W", (3, 3)), S("U", (3, 2)), S("X", (6, 2)))),
    "−(Σₜ₌₀⁹ (rₜ²/hₜ + log(hₜ)))/2\nwhere h₀ = αr₀² + β + ω\n      hₜ = αrₜ² + βhₜ₋₁ + ω for t = 1 … 9": (
        garch, (*[S(name, positive=True) for name in ("omega", "alpha", "beta")], S("r", 10))),
    "x₀ + h₆\nwhere h₀ = sin(ax₇)\n      hₜ = sin(ax₇₋ₜ + ahₜ₋₁) for t = 1 … 6": (backwards, (S("a"), S("x", 8))),
    "h₇\nwhere h₀ = cos(at)\n      hₖ = cos(ahₖ₋₁) for k = 1 … 7": (iterated, (S("a"), S("t"))),
}  # fmt: skip


@pytest.mark.parametrize("text", LOOPS)
def test_the_steps_of_a_loop_are_written_once(text):
    function, symbols = LOOPS[text]
    assert str(sg.formula(function, *symbols)) == text


def test_in_latex_too():
    function, symbols = LOOPS[next(iter(LOOPS))]
    latex = sg.formula(function, *symbols).latex()
    assert latex.endswith(r"h_{t} = \tanh(b x_{t} + a h_{t-1}) \quad \text{for } t = 1 \ldots 11 \end{aligned}")
    function, symbols = list(LOOPS.values())[2]
    assert (
        r"\sum_{t=0}^{9} \left(\frac{r_{t}^{2}}{h_{t}} + \log(h_{t})\right)" in sg.formula(function, *symbols).latex()
    )


_SIGNS = re.compile(r"[a-z]\[[^\]]*\]|tanh|sin|cos|[a-z]|[0-9]+|[-+*/()]")


def spelled(text):
    """What symgrad prints of numbers as Python."""
    subscripts = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ₜₖ−", "0123456789+-tk-")
    text = re.sub("[₀-₉₊₋ₜₖ]+", lambda m: f"[{m[0].translate(subscripts)}]", text).translate(subscripts)
    signs = _SIGNS.findall(text)
    meet = [
        re.match(r"[\w)]", a[-1].replace("]", ")")) and re.match(r"[a-z(]", b) for a, b in itertools.pairwise(signs)
    ]
    meet = [found and a not in PYTHON for found, a in zip(meet, signs)]
    return "".join([a + "*" * bool(m) for a, m in zip(signs, [*meet, None])])


PYTHON = {"tanh": np.tanh, "sin": np.sin, "cos": np.cos}


def run(text, at):
    """The value of a text with a loop of numbers, read as it says: a second implementation of what it means."""
    body, first, step, letter, start, last = re.fullmatch(
        r"(.*)\nwhere h₀ = (.*)\n +h. = (.*) for (.) = (\d+) … (\d+)", text
    ).groups()
    names = {**PYTHON, **at, "h": {}}
    names["h"][0] = eval(spelled(first), names)
    for k in range(int(start), int(last) + 1):
        names["h"][k] = eval(spelled(step), {**names, letter: k})
    return eval(spelled(body), names)


@pytest.mark.parametrize("text", [t for t in LOOPS if "Σ" not in t and "‖" not in t])
def test_the_text_of_a_loop_means_the_formula(text):
    function, symbols = LOOPS[text]
    rng = np.random.default_rng(0)
    names = ("a", "b", "x") if len(symbols) == 3 else ("a", symbols[1]._extra.name)
    at = {n: rng.uniform(0.5, 1.5, tuple(map(int, s.shape))) for n, s in zip(names, symbols, strict=True)}
    formula = sg.formula(function, *symbols)
    np.testing.assert_allclose(run(str(formula), at), formula(**at))


def test_steps_that_differ_in_more_than_places_are_written_one_by_one():
    def uneven(a, x):
        for t in range(8):
            x = sg.cos(a * x) if t % 2 else sg.cos(x + a)
        return x

    assert "for t" not in str(sg.formula(uneven, S("a"), S("x")))

    def jumping(a, x):
        h = x[0]
        for t in (3, 1, 4, 2, 5, 0):
            h = sg.cos(a * h) + x[t]
        return h

    assert "for t" not in str(sg.formula(jumping, S("a"), S("x", 6)))


def test_a_formula_may_have_two_loops():
    two = sg.formula(lambda a, b, x: recurrent(a, b, x) * iterated(a, b), S("a"), S("b"), S("x", 12))
    lines = str(two).split("\n")
    assert len(re.findall("for t = ", str(two))) == 2 and len(lines) == 5, lines


def test_code_keeps_the_steps():
    function, symbols = LOOPS[next(iter(LOOPS))]
    formula = sg.formula(function, *symbols)
    names = {}
    exec(formula.code(), names)
    at = {"a": 0.3, "b": 0.7, "x": np.linspace(-1, 1, 12)}
    np.testing.assert_allclose(names["f"](**at), formula(**at))
    assert "for" not in format(formula, "ascii")


def test_a_line_of_terms_is_found_whatever_stands_beside_it():
    formula = sg.formula(recurrent, S("a"), S("b"), S("x", 12))
    (line,) = unrolled_loops(list(postorder(formula.term)))[:1]
    assert len(line) == 12 and line[-1] is formula.term
    assert [label for label, _ in chosen_sheet(formula.term).definitions] == ["h[0]", "h[t]"]


# What is reckoned of names saves trials, and changes no text ----------------------------------------------------------


EACH = pytest.mark.parametrize("entry", cases(ENTRIES))


@EACH
def test_a_name_spares_at_least_what_is_reckoned(entry):
    """The truth is the same formula laid out without it."""
    for what, _ in entry.textbook():
        root = derivative(entry, what).term
        terms, roots = [*postorder(root)], {id(root)}
        shared, needed = Shared(root, (), terms, True), unreadable(terms, roots, set())
        without = Sheet(shared, needed).length[0]
        for term in worth(terms, lengths(terms, set()), roots, 2):
            laid = Sheet(shared, needed | {id(term)})
            spared = _spared(laid, laid.names[id(term)])
            assert spared < 0 or without - laid.length[0] >= spared


@EACH
def test_what_is_not_tried_would_change_no_text(entry, monkeypatch):
    """The truth is what is printed where every name is tried in earnest."""
    terms = [derivative(entry, what).term for what, _ in entry.textbook()]
    texts = [to_text(term) for term in terms]
    monkeypatch.setattr(layout_choice, "_spared", lambda laid, label: -1)
    assert [to_text(term) for term in terms] == texts
