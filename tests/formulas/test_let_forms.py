"""Names for what a formula repeats without its being a term; names that mean something else are not given."""

import numpy as np
import pytest

import symgrad as sg


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
        (lambda x, a, L: ((x + a * (L @ x)) ** 2).sum() / 2,
         [*vectors("x"), *scalars("a"), *matrices("L", symmetric=True)], "(aL + I)²x"),
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


def test_polynomials_in_a_matrix_that_is_not_symmetric_and_between_others():
    A, B = matrices("A", "B")
    a, x = sg.symbol("a"), sg.symbol("x", "n")
    f = sg.formula(lambda a, A, B, x: B.T @ (A @ A @ x + 2 * a * A @ x + a**2 * x), a, A, B, x)
    assert str(f) == "Bᵀ(aI + A)²x"
    g = sg.formula(lambda a, A, B, x: A @ A @ x + a * A.T @ x + x, a, A, B, x)
    assert "²" in str(g) and "(" not in str(g)  # A and Aᵀ do not commute


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
    from symgrad.calculus.passes import rate_along_itself
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
    np.testing.assert_allclose(evaluate(rate_along_itself(term), point), evaluate(term, point), rtol=1e-10)


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
        dict(x=(), k=(), r=(), T=(), s=()), "s", None, "φ(t)(√T − t/s)\nwhere t = (log(x/k) + Ts²/2 + Tr)/(s√T)"),
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
    from symgrad.formulas.own_parts import expanded
    from symgrad.terms.evaluation import evaluate

    shapes = dict(S=(), K=(), r=(), T=(), s=())
    u = "(log(S/K) + (r + s^2/2)*T)/(s*sqrt(T))"
    term = sg.parse(f"S*sin({u}) + K*tanh({u} - s*sqrt(T))", **shapes).term
    forms = [form for form in let_forms(term) if any(symbol.name.endswith("~") for symbol, _ in form[1])]
    rng = np.random.default_rng(2)
    point = {name: rng.uniform(0.5, 1.5) for name in shapes}
    assert len(forms) == 1
    np.testing.assert_allclose(evaluate(expanded(forms[0]), point), evaluate(term, point), rtol=1e-12)
