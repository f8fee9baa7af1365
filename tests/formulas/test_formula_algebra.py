"""Formulas added, multiplied, indexed, expanded, compared: each result is that of the same operation on numbers."""

import operator
import pickle
import re

import numpy as np
import pytest

import symgrad as sg

rng = np.random.default_rng(5)
N = ("n", "n")
A, b, x = sg.symbol("A", ("m", "n")), sg.symbol("b", "m"), sg.symbol("x", "n")
VALUES = {"A": rng.normal(size=(4, 3)), "b": rng.normal(size=4), "x": rng.normal(size=3)}
square = sg.formula(lambda A, x, b: ((A @ x - b) ** 2).sum(), A, x, b)
norm = sg.formula(lambda x: sg.sqrt(x @ x), x)
residual = sg.formula(lambda A, x, b: A @ x - b, A, x, b)
matrix = sg.formula(lambda A: sg.exp(A), A)

OPERATIONS = {
    "sum": (operator.add, square, norm),
    "difference": (operator.sub, square, norm),
    "product": (operator.mul, residual, norm),
    "quotient": (operator.truediv, residual, norm),
    "power of a formula": (operator.pow, norm, square),
    "matrix and vector": (operator.matmul, matrix.T, residual),
    "matrices": (operator.matmul, matrix, matrix.T),
    "entry by entry, broadcast": (operator.mul, matrix.T, residual),
    "number before": (lambda f: 3 - f, square),
    "number below": (lambda f: 2 / f, norm),
    "number to the power": (lambda f: 2**f, norm),
    "square": (lambda f: f**2, residual),
    "root": (lambda f: f**0.5, square),
    "negative": (operator.neg, residual),
    "transpose": (lambda f: f.T, matrix),
    "entry": (lambda f: f[1], residual),
    "slice": (lambda f: f[1:], residual),
    "row": (lambda f: f[0], matrix),
    "column and a new axis": (lambda f: f[..., 1, None], matrix),
    "an array before": (lambda f: np.array([[1.0], [2.0]]) * f, norm),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_on_formulas_is_that_on_their_values(name):
    operation, *operands = OPERATIONS[name]
    made = operation(*operands)
    assert made.checked is True
    numbers = [f(**{k: VALUES[k] for k in f.free_symbols}) for f in operands]
    np.testing.assert_allclose(made(**{k: VALUES[k] for k in made.free_symbols}), operation(*numbers), rtol=1e-9)


@pytest.mark.parametrize("name", OPERATIONS)
def test_derivatives_of_what_was_made_are_checked_by_the_tape(name):
    operation, *operands = OPERATIONS[name]
    derivative = operation(*operands).jacobian("A" if "x" not in operands[0].free_symbols else "x")
    assert derivative.checked is True


def test_gradients_combine_and_are_checked_too():
    made = square.grad("x") + 2 * (norm**2).grad("x")
    assert str(made) == "2Aᵀ(Ax − b) + 4x" and made.checked is True
    assert str(made.jacobian("x")) == "2AᵀA + 4I" and made.jacobian("x").checked is True


def test_a_wrong_combination_is_found_and_asks_for_a_report(monkeypatch):
    from symgrad.formulas import algebra

    right = algebra.lift
    monkeypatch.setattr(algebra, "lift", lambda op, args, params, shape: right(op, args[::-1], params, shape))
    with pytest.raises(sg.FormulaError, match="report this as a bug"):
        square - norm


one, scalar = np.ones(3), sg.parse("t", t=())
REFUSED = {
    "another shape": (lambda: norm + sg.formula(lambda x: x @ x, sg.symbol("x", "m")), "'x'(.|\n)*shape is n and m"),
    "a value and none": (lambda: norm + sg.formula(lambda x: x @ x, one), "'x'(.|\n)*shape is n and 3"),
    "other values": (
        lambda: sg.formula(lambda x: x @ x, one) + sg.formula(lambda x: x @ x, 2 * one), "'x'(.|\n)*other values"
    ),
    "another declaration": (
        lambda: norm + sg.formula(lambda x: x.sum(), sg.symbol("x", "n", positive=True)), "'x'(.|\n)*positive"
    ),
    "tensors without names": (
        lambda: sg.ones(2, requires_grad=True).sum().formula() + sg.ones(2, requires_grad=True).sum().formula(),
        "'x0'(.|\n)*without a name",
    ),
    "sizes": (lambda: residual + norm.grad("x"), "'\\+' between a formula of shape m and one of n"),
    "a length that stands in": (lambda: norm.grad("x") + np.arange(11.0), "is no formula|not the same"),
    "inner sizes": (lambda: matrix @ residual, "'@' between"),
    "entry": (lambda: norm[0], "no entry 0"),
    "index": (lambda: residual[1.5], "indexed with 1.5"),
    "text": (lambda: norm + "a", "'a' is no formula"),
    "conditions": (lambda: sg.parse("x", x=()).simplify(assume="x >= 0"), "'x >= 0' is no assumption"),
    "property": (lambda: scalar.simplify(assume={"t": "nice"}), "assumed 'nice'"),
    "no such symbol": (lambda: scalar.simplify(assume="s > 0"), "no symbol 's'"),
    "no square": (lambda: matrix.simplify(assume="A is symmetric"), "'A' cannot be symmetric"),
    "a value that is not so": (lambda: sg.formula(lambda x: -x, -one).simplify(assume="x > 0"), "'x'(.|\n)*positive"),
    "too many terms": (lambda: sg.parse("(a + b + c)**99", a=(), b=(), c=()).expand(), "more than 1000 terms"),
    "a part that is not there": (lambda: norm.collect(sg.parse("sin(x)", x="n")), "has no part sin"),
    "no text": (lambda: norm.simplify(assume=5), "5 is no assumption"),
    "nothing": (lambda: norm + None, "None is no formula"),
    "a truth value": (lambda: norm**True, "True is no formula"),
    "collected in nothing": (lambda: norm.collect("q"), "no symbol 'q'"),
    "a size replaced": (lambda: sg.formula(lambda x: x.mean(), x).subs(n=3), "size"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_by_name(name):
    make, message = REFUSED[name]
    with pytest.raises(sg.SymgradError, match=message):
        make()


def test_conditions_and_branches_of_both_operands_come_along():
    divided = sg.parse("t*sin(t)/t", t=())
    taken = sg.formula(lambda u: u * 2 if u > 0 else u * 3, np.array(1.0))
    both = divided + taken
    assert both.conditions == ["t ≠ 0", "u > 0"] == both.grad("u").conditions == (both * 2).conditions
    with pytest.raises(sg.FormulaError, match="holds where u > 0"):
        both(t=1.0, u=-1.0)
    used = sg.formula(lambda a, t: a**t * a**2, sg.symbol("a"), sg.symbol("t"))
    for f in (used, used.grad("t"), used + 1, pickle.loads(pickle.dumps(used.grad("t"))), used.subs(t="s")):
        assert f.conditions == ["a > 0"]
    assert used.subs(a="c").conditions == ["c > 0"] and divided.subs(t="s").conditions == ["s ≠ 0"]
    assert (1 / (norm - norm + scalar) * scalar).conditions == ["t ≠ 0"] == (0 / scalar).conditions


def test_definitions_of_both_operands_come_along():
    w = sg.tensor([1.0, 2.0], requires_grad=True, name="w")
    r = 3 * w - 1
    r.name = "r"
    f, g = (r**2).sum().formula(stop_at=[r]), sg.exp(r).sum().formula(stop_at=[r])
    assert str(f + g) == "sum(exp(r)) + ‖r‖²\nwhere r = 3w − 1"
    assert (f + g).grad("w").checked is True


def test_formulas_are_equal_by_their_form():
    again = sg.parse("sqrt(x'*x)", x="n")
    assert norm == again and hash(norm) == hash(again) and norm != norm**2
    assert sg.parse("t*t/t", t=()) == sg.parse("t", t=())  # where they hold is another matter
    assert (scalar + 1) ** 2 != ((scalar + 1) ** 2).expand() == scalar**2 + 2 * scalar + 1


ANSWERS = {
    "form": (scalar + scalar, 2 * scalar, True, "same form"),
    "value": ((scalar + 1) ** 2, scalar**2 + 2 * scalar + 1, True, "agree at 18 points to 1e-8"),
    "some of the points": (
        sg.parse("log(t**2)/2", t=()), sg.parse("log(t)", t=()), True, r"agree at \d+ points .*; at \d+ only one"
    ),
    "a point": (scalar**2, scalar, False, r"differ at t = [\d.]+: [\d.]+ and [\d.]+"),
    "one side only": (sg.parse("abs(t)", t=()), scalar, False, "differ at t = -"),
    "shapes": (residual, norm, False, r"differ: their shapes are m and \(\)"),
    "symbols": (norm, sg.parse("sqrt(x'*x)", x=2), False, "differ: x has the shapes n and 2"),
    "stand-in": (sg.parse("sum(x)/11", x="n"), sg.parse("mean(x)", x="n"), False, "differ at .*n = 16"),
    "zero alone": (sg.parse("sign(t)**2", t=()), sg.parse("1"), False, "differ at t = 0: 0 and 1"),
    "nowhere": (sg.parse("log(-1 - t**2)", t=()), sg.parse("sqrt(-1 - t**2)", t=()), False, "not known"),
}  # fmt: skip


CANCELLING = [
    ("S@X - sum(S, axis=1)[:, None]*X where S = exp(-{X}@{X}.T)",
     "einsum('ij,ijk->ik', exp(-{X}@{X}.T), X[None] - X[:, None])"),
    ("sum({x}**2)/n - (sum({x})/n)**2", "sum(({x} - sum({x})/n)**2)/n"),
    ("(1 + {x})**7 - {x}**7", "1 + 7*{x} + 21*{x}**2 + 35*{x}**3 + 35*{x}**4 + 21*{x}**5 + 7*{x}**6"),
]  # fmt: skip


@pytest.mark.parametrize("far", ["1", "1e2", "1e4", "1e6"])
@pytest.mark.parametrize(("one", "two"), CANCELLING)
def test_what_rounding_alone_decides_is_no_difference(one, two, far):
    shapes = {"X": ("n", "k")} if "X" in one else {"x": "n"}
    moved = {name: f"({name} + {far})" for name in "xX"}
    f, g = (sg.parse(text.format(**moved), **shapes) for text in (one, two))
    answer = f.equals(g)
    assert answer or "not known" in repr(answer), answer


@pytest.mark.parametrize("name", ANSWERS)
def test_equals_says_how_it_was_found(name):
    f, g, equal, how = ANSWERS[name]
    answer = f.equals(g)
    assert bool(answer) is equal and answer == equal
    assert re.match(how, repr(answer))


ALIKE_NEAR_ZERO = {
    "a period": (lambda t: np.arcsin(np.sin(t)), "differ at t"),
    "another": (lambda t: np.arctan(np.tan(t)), "differ at t"),
    "a choice": (lambda t: np.where(t > 5, t**2, t), "differ at t"),
    "a choice far away": (lambda t: np.where(2 * t > 10_000, t**2, t), r"differ at t = 5\.\d+e\+03"),
    "a choice below": (lambda t: np.where(t < -3000, 0, t), r"differ at t = -3\.\d+e\+03"),
    "bounds": (lambda t: np.clip(t, -700, 700), r"differ at t = -?70\d"),
    "the larger": (lambda t: np.maximum(t, -200), r"differ at t = -20\d"),
}


@pytest.mark.parametrize("name", ALIKE_NEAR_ZERO)
def test_formulas_that_are_alike_near_zero_alone_differ(name):
    f, how = ALIKE_NEAR_ZERO[name]
    answer = sg.formula(f, t=np.array(0.3)).equals(sg.formula(lambda t: t * 1.0, t=np.array(0.3)))
    assert not answer
    assert re.match(how, repr(answer))
    positive = sg.formula(lambda t: np.where(t > 30, t**2, t), sg.symbol("t", positive=True))
    assert not positive.equals(sg.formula(lambda t: t * 1.0, sg.symbol("t", positive=True)))


SAME_BUT_FOR_ROUNDING = {
    "what cancels": (lambda t: np.cosh(t) ** 2 - np.sinh(t) ** 2 + t - t, lambda t: np.cos(t) ** 2 + np.sin(t) ** 2),
    "what saturates": (lambda t: 1 - 1 / (1 + np.exp(-t)), lambda t: 1 / (1 + np.exp(t))),
    "a difference": (lambda t: np.sqrt(t**2 + 1) - t, lambda t: 1 / (np.sqrt(t**2 + 1) + t)),
    "a quotient": (lambda t: (np.exp(2 * t) - 1) / (np.exp(2 * t) + 1), lambda t: np.tanh(t)),
    "a logarithm": (lambda t: np.log(np.cosh(t)), lambda t: t + np.log1p(np.exp(-2 * t)) - np.log(2)),
    "a narrow choice": (lambda t: np.where(t > 900, t, t + 1), lambda t: t + np.where(t > 900, 0, 1)),
}


@pytest.mark.parametrize("name", SAME_BUT_FOR_ROUNDING)
def test_points_where_only_rounding_tells_do_not_count(name):
    f, g = SAME_BUT_FOR_ROUNDING[name]
    assert sg.formula(f, t=np.array(0.3)).equals(sg.formula(g, t=np.array(0.3)))


def test_data_without_a_name_are_numbers():
    """Both are named c0 in their formula, and are other numbers."""
    u = sg.symbol("u", 10)
    f, g, again = [sg.formula(lambda u: u * sg.arange(10.0) ** k, u) for k in (1, 2, 1)]  # noqa: B023
    assert str(f) == str(g) == "c0 ⊙ u" and f != g and f == again and f.equals(again)
    assert repr(f.equals(g)) == "differ: c0 in each is an array without a name, and not the same"
    identity = sg.formula(lambda u: u * 2, u).jacobian("u")
    assert sg.formula(lambda u: sg.tensor(2 * np.eye(10)) @ u, u).jacobian("u").equals(identity)


EXPANDED = {
    "square": ("(x + 1)**2", "1 + 2x + x²"),
    "under a function": ("exp((x + 1)*2)*(1 + x)", "sx + s\nwhere s = exp(2 + 2x)"),
    "norm": ("sum((A@x - b)**2)", "‖Ax‖² + ‖b‖² − 2bᵀAx"),
    "matrices": ("A@(x + y)", "Ax + Ay"),
    "power": ("(x + y)**3/(x + y)", "2xy + x² + y²"),
}


@pytest.mark.parametrize("name", EXPANDED)
def test_products_are_multiplied_out(name):
    text, expanded = EXPANDED[name]
    f = sg.parse(text, A=("m", "n"), x="n", y="n", b="m") if "A" in text else sg.parse(text, x=(), y=())
    made = f.expand()
    assert str(made) == expanded and made.equals(f)
    assert made.grad("x") == f.grad("x") and pickle.loads(pickle.dumps(made)) == made


COLLECTED = {
    "a number": ("(a*x + 1)**2 + b*x", "x", "1 + x(2a + b) + a²x²"),
    "another": ("(a*x + 1)**2 + b*x", "a", "1 + a²x² + 2ax + bx"),
    "a vector": ("A@x + B@x", "x", "(A + B)x"),
    "a form": ("x@A@x + x@B@x", "x", "xᵀ(A + B)x"),
    "entries": ("a*x**2 + b*x**2 + x", "x", "x²(a + b) + x"),
}


@pytest.mark.parametrize("name", COLLECTED)
def test_powers_are_collected(name):
    text, symbol, collected = COLLECTED[name]
    shapes = dict(A=N, B=N, x="n") if "A" in text else dict(a=(), b=(), x=())
    f = sg.parse(text, **shapes)
    assert str(f.collect(symbol)) == collected and f.collect(symbol).equals(f)


def test_a_part_is_collected():
    f, sine = sg.parse("sin(x)**2*a + sin(x)*(1 + b*sin(x))", x=(), a=(), b=()), sg.parse("sin(x)", x=())
    assert str(f.collect(sine)) == "(a + b) sin(x)² + sin(x)"


def test_assumptions_are_used_and_said():
    root = sg.parse("sqrt(x**2)", x=())
    assumed = root.simplify(assume="x > 0")
    assert (str(assumed), assumed.conditions, assumed.checked) == ("x", ["x is positive"], True)
    assert assumed.grad("x").conditions == ["x is positive"]
    with pytest.raises(sg.FormulaError, match="'x' was declared positive"):
        assumed(x=-1.0)
    S = sg.symbol("S", N)
    form = sg.formula(lambda x, S: x @ S @ x, x, S).simplify(assume={"S": "symmetric"})
    assert str(form.grad("x")) == "2Sx" and form.grad("x").conditions == ["S is symmetric"]
    turned = sg.formula(lambda x, S: S.T @ (S @ x), x, S).simplify(assume="S is orthogonal")
    assert str(turned) == "x"
    with pytest.raises(sg.FormulaError, match="'S' was declared symmetric"):
        form(S=np.array([[1.0, 2.0], [0.0, 1.0]]), x=np.ones(2))
    array = sg.formula(lambda x: sg.sqrt(x**2), one).simplify(assume=["x > 0"])
    assert str(array) == "x" and array().tolist() == [1, 1, 1]  # it keeps its values


def test_what_takes_a_declared_symbols_place_must_be_so():
    f = sg.formula(lambda p: sg.sqrt(p**2), sg.symbol("p", positive=True))
    assert f.subs(p=sg.parse("q", q=())).conditions == ["q > 0"]
    assert f.subs(p=sg.parse("exp(q)", q=())).conditions == []
    with pytest.raises(sg.FormulaError, match="'p' was declared positive, and what takes its place is not"):
        f.subs(p=sg.parse("q - 5", q=()))
    with pytest.raises(sg.FormulaError, match="holds where q > 0"):
        f.subs(p=sg.parse("q", q=()))(q=-1.0)
    K = sg.symbol("K", N, pd=True)
    factor = sg.formula(lambda K: sg.linalg.cholesky(K) @ sg.linalg.cholesky(K).T, K)
    with pytest.raises(sg.FormulaError, match="'K' was declared pd"):
        factor.subs(K=sg.parse("B", B=N))
    with pytest.raises(sg.FormulaError, match="holds where 0 ≠ 0"):
        sg.parse("t*sin(t)/t", t=()).subs(t=0)
