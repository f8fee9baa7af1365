"""Algebra of formulas: operations are those on numbers; products have one order, quotients lowest terms."""

import operator
import pickle
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad._trees import postorder
from symgrad.calculus import factor
from symgrad.calculus.rational import lowest_terms, polynomial
from symgrad.terms.canonical import _digest, _in_order, symmetry
from symgrad.terms.node import Ein
from symgrad.terms.normal_form import ein

from ..helpers.cases import one_in

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


def stack(*shape):
    return sg.symbol(f"S{shape[0]}", shape).formula()


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
    "sizes of stacks": (lambda: stack(2, 3, 4) @ stack(5, 4, 2), "'@' between a formula of shape 2 and one of 5"),
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
    "complex numbers": (lambda: scalar.subs(t=2j), "'t' stands for real numbers"),
    "derivatives in arrays side by side": (lambda: norm.grad(("x", "t")), "'x' has the shape|no symbol 't'"),
    "derivatives in nothing": (lambda: norm.grad([]), "no symbol is given"),
    "a size replaced": (lambda: sg.formula(lambda x: x.mean(), x).subs(n=3), "size"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_by_name(name):
    make, message = REFUSED[name]
    with pytest.raises(sg.SymgradError, match=message):
        make()


def test_derivatives_in_several_numbers_stand_side_by_side():
    a, b, x = sg.symbol("a"), sg.symbol("b"), sg.symbol("x", "n")
    curve = sg.formula(lambda a, b, x: a * sg.exp(-b * x), a, b, x)
    loss = sg.formula(lambda a, b, x: (a * sg.exp(-b * x)).sum(), a, b, x)
    at = {"a": 1.5, "b": 0.3, "x": np.array([1.0, 2.0, 4.0])}

    def f(p):
        return (p[0] * np.exp(-p[1] * at["x"])).sum()

    p = np.array([at["a"], at["b"]])
    np.testing.assert_allclose(loss.grad(("a", "b"))(**at), sg.grad(f)(p), rtol=1e-12)
    np.testing.assert_allclose(loss.hessian(["a", "b"])(**at), sg.hessian(f)(p), rtol=1e-12)
    truth = sg.jacobian(lambda p: p[0] * np.exp(-p[1] * at["x"]))(p)
    np.testing.assert_allclose(curve.jacobian(("a", "b"))(**at), truth, rtol=1e-12)
    assert loss.hessian(("a", "b")).checked is True
    assert str(loss.hessian(("a", "b"))) == "[[0, −sᵀx], [−sᵀx, asᵀx²]]\nwhere s = exp(−bx)"
    assert str(sg.parse("x*y").grad(("y", "x"))) == "[x, y]" and str(sg.parse("x*y").hessian(("x",))) == "[[0]]"


def test_conditions_are_reckoned_with_as_numbers():
    c, d, v = sg.parse("x > 0", x=()), sg.parse("x < 3", x=()), sg.parse("x > 0", x="n")
    assert [float(f(x=1.0)) for f in (c + d, c - d, -c, c + c)] == [2, 0, -1, 2]
    assert float((v @ v)(x=[1.0, 2.0, -1.0])) == 2 and c.equals(c * 1) and not c.equals(d)


def test_whole_numbers_do_not_go_round():
    product, byte = sg.parse("x*y", x=(), y=()), np.array(200, np.uint8)
    assert product(x=byte, y=byte) == 40_000 and product(x=2**40, y=2**40) == 2.0**80
    square, large = sg.parse("sum(x*x)", x=20), np.full(20, 200, np.uint8)
    assert square.subs(x=large)() == square(x=large) == 800_000


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
    "value": ((scalar + 1) ** 2, scalar**2 + 2 * scalar + 1, True, "proved: multiplied out"),
    "some of the points": (
        sg.parse("log(t**2)/2", t=()), sg.parse("log(t)", t=()), True, r"agree at \d+ points .*; at \d+ only one"
    ),
    "a point": (scalar**2, scalar, False, r"differ at t = [\d.]+: [\d.]+ and [\d.]+"),
    "one side only": (sg.parse("abs(t)", t=()), scalar, False, "differ at t = -"),
    "shapes": (residual, norm, False, r"differ: their shapes are m and \(\)"),
    "symbols": (norm, sg.parse("sqrt(x'*x)", x=2), False, "differ: x has the shapes n and 2"),
    "stand-in": (sg.parse("sum(x)/11", x="n"), sg.parse("mean(x)", x="n"), False, r"differ at .*n = \d+"),
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
    "a choice far away": (lambda t: np.where(2 * t > 10_000, t**2, t), r"differ at t = [5-9]\d\d\d"),
    "a choice below": (lambda t: np.where(t < -3000, 0, t), r"differ at t = -[3-9]\d\d\d"),
    "bounds": (lambda t: np.clip(t, -700, 700), r"differ at t = -?(7\d\d|1\d\d\d)"),
    "the larger": (lambda t: np.maximum(t, -200), r"differ at t = -[23]\d\d"),
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
    f, g, again = [sg.formula(lambda u: u * sg.arange(10.0) ** k, u) for k in (3, 2, 3)]  # noqa: B023
    assert str(f) == str(g) == "c0 ⊙ u" and f != g and f == again and f.equals(again)
    assert repr(f.equals(g)) == "differ: c0 in each is an array without a name, and not the same"
    identity = sg.formula(lambda u: u * 2, u).jacobian("u")
    assert sg.formula(lambda u: sg.tensor(2 * np.eye(10)) @ u, u).jacobian("u").equals(identity)


EXPANDED = {
    "square": ("(x + 1)**2", "x² + 2x + 1"),
    "under a function": ("exp((x + 1)*2)*(1 + x)", "sx + s\nwhere s = exp(2 + 2x)"),
    "norm": ("sum((A@x - b)**2)", "‖Ax‖² + ‖b‖² − 2bᵀAx"),
    "matrices": ("A@(x + y)", "Ax + Ay"),
    "power": ("(x + y)**3/(x + y)", "2xy + x² + y²"),
    "in a row": ("(x + y)*(x - y)*(x + y)", "x²y + x³ − xy² − y³"),
    "in a row, added up": ("sum(A@x*0) + (x + y)@((x - y)*(x + 2*y))", "2yᵀx² + sum(x³) − xᵀy² − 2 sum(y³)"),
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
    assert str(root.simplify(assume=["x > 0", "x is integer"])) == "x"  # one does not take the place of the other
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


# Lowest terms, and polynomials in a function --------------------------------------------------------------------------


rng_of_quotients = np.random.default_rng(0)


def scalars(names):
    return [sg.symbol(name) for name in names]


@one_in(10)
@pytest.mark.parametrize(
    ("f", "gradient", "hessian"),
    [
        (lambda t: (t * t + 1) / (t - 1), "1 − 2/(1 − t)²", "4/(t − 1)³"),
        (lambda x: sg.log(x + sg.sqrt(1 + x * x)), "1/√(1 + x²)", "−x/(1 + x²)^(3/2)"),
        (lambda x: (x**2 - 1) / (x**2 + 1), "4x/(1 + x²)²", "4(1 − 3x²)/(1 + x²)³"),
        (lambda x, y: x * y / (x + y), "y²/(x + y)²", "−2y²/(x + y)³"),
        (lambda x: x * sg.sigmoid(x), "σ(x)(1 + x − x σ(x))", "p(1 − p)(2 + x − 2px)\nwhere p = σ(x)"),
        (lambda x, k: sg.sigmoid(k * x), "k σ(−kx) σ(kx)", "k²p(1 − p)(1 − 2p)\nwhere p = σ(kx)"),
        (lambda x: sg.log((1 + x) / (1 - x)) / 2, "1/(1 − x²)", "2x/(1 − x²)²"),
        (lambda x: x * sg.exp(-x), "exp(−x)(1 − x)", "exp(−x)(x − 2)"),
        (
            lambda x, y, a, r: (a * x**r + (1 - a) * y**r) ** (1 / r),
            "ax^(r − 1)(y^r (1 − a) + ax^r)^(1/r − 1)",
            "asy^r (r − 1)x^(r − 2)(ax^r + sy^r)^(1/r − 2)\nwhere s = 1 − a",
        ),
        (
            lambda x, n: x**n / (1 + x**n),
            "nx^(n − 1)/(1 + x^n)²",
            "nx^(n − 2)(n − ns − s − 1)/(1 + s)³\nwhere s = x^n",
        ),
    ],
)
def test_derivatives_as_an_algebra_book_has_them(f, gradient, hessian):
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    formula = sg.formula(f, *scalars(names))
    assert str(formula.grad(names[0])) == gradient
    assert str(formula.hessian(names[0])) == hessian


@pytest.mark.parametrize("what", ["a/r² − b/r³", "cos(x)/x − sin(x)/x²", "(x − y)²/k"])
def test_what_no_sum_divides_stays_as_it_is(what):
    forms = {
        "a/r² − b/r³": lambda a, b, r: a / r**2 - b / r**3,
        "cos(x)/x − sin(x)/x²": lambda x: sg.cos(x) / x - sg.sin(x) / x**2,
        "(x − y)²/k": lambda x, y, k: (x - y) ** 2 / k,
    }
    f = forms[what]
    assert str(sg.formula(f, *scalars(f.__code__.co_varnames))) == what


def random_quotient(rng, atoms, depth=3):
    """A sum, product or quotient of what there is, at random."""
    if depth == 0 or rng.random() < 0.2:
        return atoms[rng.integers(len(atoms))]
    a, b = (random_quotient(rng, atoms, depth - 1) for _ in range(2))
    how = rng.integers(6)
    if how < 2:
        return lambda v: a(v) + b(v) * int(how + 1)
    if how < 4:
        return lambda v: a(v) * b(v)
    return (lambda v: a(v) / (1 + b(v) ** 2)) if how == 4 else (lambda v: a(v) * sg.sqrt(1 + b(v) ** 2))


ATOMS = [
    lambda v: v[0], lambda v: v[1], lambda v: sg.sigmoid(v[0]), lambda v: v[0] - v[1], lambda v: sg.exp(v[1]),
    lambda v: 1 - sg.sigmoid(v[0]), lambda v: v[0] * 0.5 + 3,
]  # fmt: skip


@one_in(40)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("vector", [False, True])
def test_values_are_kept_at_other_points(seed, vector):
    rng = np.random.default_rng(seed)
    f = random_quotient(rng, ATOMS)
    program = lambda x, y: (f((x, y)) * (y if vector else 1) + x * y).sum()
    size = "n" if vector else ()
    formula = sg.formula(program, sg.symbol("x", size), sg.symbol("y", size))
    gradient = formula.grad("x")
    x, y = rng.normal(size=(2, 3)) if vector else rng.normal(size=2)
    np.testing.assert_allclose(formula(x=x, y=y), np.asarray(program(sg.tensor(x), sg.tensor(y))), rtol=1e-9)
    np.testing.assert_allclose(gradient(x=x, y=y), sg.grad(program)(x, y), rtol=1e-8, atol=1e-9)


POWERS = [
    lambda v: v[0], lambda v: v[0] ** v[1], lambda v: v[0] ** (2 * v[1] - 1), lambda v: sg.exp(2 * v[1] - 3),
    lambda v: (1 + v[0] ** v[1]) ** (1 / v[1]), lambda v: sg.exp(-v[1]), lambda v: (v[0] + 2) ** (-v[1]),
]  # fmt: skip


@one_in(16)
@pytest.mark.parametrize("seed", range(30))
def test_symbols_in_exponents_keep_their_values(seed):
    rng = np.random.default_rng(seed)
    f = random_quotient(rng, POWERS)
    program = lambda x, y: f((x, y)) + x * y
    gradient = sg.formula(program, sg.symbol("x"), sg.symbol("y")).grad("x")
    for x, y in ((rng.uniform(0.3, 2), rng.normal()), (-1.3, 2.0), (-0.6, 3.0)):
        value = gradient(x=x, y=y, conditions="ignore")
        np.testing.assert_allclose(value, sg.grad(program)(x, y), rtol=1e-8, atol=1e-9)


def test_what_was_cancelled_is_a_condition():
    x, a = scalars("xa")
    formula = sg.formula(lambda x, a: (x * x - a * a) / (x - a), x, a)
    assert str(formula) == "a + x"
    assert any("≠ 0" in c for c in formula.conditions)


def test_simplified_again_it_is_itself():
    x, y = scalars("xy")
    for f in (lambda x, y: (x / (x + y) + y / (x - y)) * x, lambda x, y: sg.sigmoid(x) ** 3 - sg.sigmoid(x) * y):
        term = sg.formula(f, x, y).grad("x").term
        assert term.kind in ("add", "ein") and lowest_terms(term) is None
        assert term.kind != "add" or polynomial(term) is None


# ------------------------------------------------------------------------------------------------------ exponentials


def _call(S, K, r, s, T):
    d = (sg.log(S / K) + (r + s**2 / 2) * T) / (s * sg.sqrt(T))
    return S * sg.special.ndtr(d) - K * sg.exp(-r * T) * sg.special.ndtr(d - s * sg.sqrt(T))


MARKET = {"S": 100.0, "K": 95.0, "r": 0.03, "s": 0.2, "T": 0.75}
GREEKS = {"S": "S", "s": "S√T φ", "r": "KT exp(−Tr) Φ", "K": "−exp(−Tr) Φ"}


@pytest.mark.parametrize("name", MARKET)
def test_exponentials_that_differ_by_a_power_are_one(name):
    symbols = [sg.symbol(k, positive=k != "r") for k in MARKET]
    f = sg.formula(_call, *symbols).grad(name)
    assert f.checked is True
    assert str(f).count("φ") == (name in "sT")  # S φ(d₁) = K e⁻ʳᵀ φ(d₂)
    value = sg.grad(_call, list(MARKET).index(name))(*MARKET.values())
    np.testing.assert_allclose(float(f(**MARKET)), float(value), rtol=1e-10)


def test_exponentials_that_differ_otherwise_stay_apart():
    x, a = sg.symbol("x"), sg.symbol("a")
    f = sg.formula(lambda x, a: a * sg.exp(x) + sg.exp(x * a), x, a)
    assert str(f).count("exp") == 2
    g = sg.formula(lambda x: sg.exp(2 * sg.log(x) - x) + sg.exp(-x), sg.symbol("x", positive=True))
    np.testing.assert_allclose(float(g(x=1.5)), 1.5**2 * np.exp(-1.5) + np.exp(-1.5))


def test_the_determinant_of_the_identity_and_a_rank_one_matrix():
    x, y, A = sg.symbol("x", "n"), sg.symbol("y", "n"), sg.symbol("A", ("n", "n"))
    eye = lambda x: sg.eye(x.shape[0])
    for f, symbols, text, gradient in (
        (lambda x, y: sg.linalg.det(sg.outer(x, y) + eye(x)), (x, y), "1 + xᵀy", "y"),
        (lambda x, y: sg.linalg.det(eye(x) - 2 * sg.outer(x, y)), (x, y), "1 − 2xᵀy", "−2y"),
        (lambda x, A: sg.linalg.det(eye(x) + sg.outer(A @ x, x)), (x, A), "1 + xᵀAx", "Ax + Aᵀx"),
        (lambda x: sg.linalg.det(eye(x) + sg.diag(x)), (x,), "det(diag(x) + I)", None),
        (lambda x, A: sg.linalg.det(eye(x) + A * sg.outer(x, x)), (x, A), "det(A ⊙ xxᵀ + I)", None),
    ):
        formula = sg.formula(f, *symbols)
        assert str(formula) == text and gradient in (None, str(formula.grad("x")))
        rng = np.random.default_rng(0)
        at = {s.name: rng.normal(size=(3,) * s.ndim) for s in symbols}
        np.testing.assert_allclose(formula(**at), f(*[sg.tensor(a) for a in at.values()]).item(), rtol=1e-12)


def test_the_density_that_is_written_out_and_the_one_that_is_named_cancel():
    """Bachelier's price of a call: the derivative of the distribution function against the density by hand."""

    def price(S, K, s):
        z = (S - K) / s
        return (S - K) * sg.special.ndtr(z) + s * sg.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)

    f = sg.formula(price, sg.symbol("S"), sg.symbol("K"), sg.symbol("s", positive=True))
    assert str(f.grad("S")) == "Φ((S − K)/s)" and str(f.hessian("S")) == "φ((K − S)/s)/s"
    assert f.hessian("S")(S=3.0, K=2.0, s=0.5) == pytest.approx(np.exp(-2.0) / np.sqrt(2 * np.pi) / 0.5, rel=1e-14)


def test_groups_of_groups_are_tried_once(monkeypatch):
    counts = []
    tried = factor._Pull
    monkeypatch.setattr(factor, "_Pull", lambda *args: counts.append(1) or tried(*args))
    for depth in (8, 16):
        counts.append(0)
        sg.parse("sin(" * depth + "x" + ")" * depth, x=()).hessian("x")
    assert sum(counts[counts.index(0, 1) :]) < 20 * sum(counts[: counts.index(0, 1)])


# The order of factors, and names of summed indices --------------------------------------------------------------------


def network(X, Y, V, W):
    return ((sg.tanh(sg.tanh(X @ V) @ W) - Y) ** 2).sum()


def attention(X, Y, V, W):
    return ((sg.softmax(X @ W @ X.T, -1) @ X @ V - Y) ** 2).sum()


def products(function, wrt, **facts):
    shapes = {"X": ("b", "n"), "Y": ("b", "n"), "V": ("n", "n"), "W": ("n", "n")}
    f = sg.formula(function, *[sg.symbol(name, shape, **facts.get(name, {})) for name, shape in shapes.items()])
    g = f.grad(wrt)
    terms = postorder(f.term, g.term, g.jacobian(wrt).term)
    return [t for t in terms if isinstance(t, Ein) and len(t.factors) > 1]


EACH = pytest.mark.parametrize(
    ("function", "facts"),
    [(network, {}), (network, {"V": {"symmetric": True}}), (attention, {}), (attention, {"W": {"symmetric": True}})],
)


@EACH
@pytest.mark.parametrize("wrt", ["V", "W"])
def test_a_product_is_one_term_in_any_order_and_with_any_names(function, facts, wrt):
    rng = np.random.default_rng(0)
    for term in products(function, wrt, **facts):
        names = [*range(term.rank), *(100 + rng.permutation(len(term.dims) - term.rank))]
        shuffled = [term.factors[k] for k in rng.permutation(len(term.factors))]
        factors = [(f, tuple([int(names[k]) for k in s])) for f, s in shuffled]
        assert ein(term.coef, factors, tuple(range(term.rank)), dict(enumerate(term.shape))) is term


@EACH
def test_colours_of_indices_say_nothing_where_no_factors_are_alike(function, facts):
    seen = 0
    for term in products(function, "V", **facts):
        factors, out = list(term.factors), tuple(range(term.rank))
        signs = [symmetry(f) if len(s) == 2 else 0 for f, s in factors]
        if not any(signs) and len({f.digest for f, _ in factors}) == len(factors):
            seen += 1
            assert _in_order(factors, out, signs) == (1, sorted(factors, key=_digest))
    assert seen


# Beside symbols and tensors, and under functions ----------------------------------------------------------------------


def test_a_symbol_behind_a_formula_multiplies_it():
    f, d = sg.parse("exp(-x**2/t)", x=(), t=()), sg.symbol("D", ())
    assert str(f * d) == "D exp(−x²/t)"
    assert float((f * d)(x=1.0, t=2.0, D=3.0)) == pytest.approx(3 * np.exp(-0.5))


@pytest.mark.parametrize(
    "apply",
    [
        lambda f: sg.symbol("D", ()) * f, lambda f: sg.symbol("D", ()) / f, lambda f: sg.tensor(2.0) * f,
        lambda f: sg.sin(f), lambda f: sg.symbol("D", ()) + f,
    ],
)  # fmt: skip
def test_elsewhere_it_is_said_what_to_write(apply):
    with pytest.raises(sg.DTypeError, match=r"(?s)Formula exp\(x\).*Write the formula first, f \* x"):
        apply(sg.parse("exp(x)", x=()))


def test_a_function_of_a_formula_as_the_error_says():
    f = sg.parse("sin(u)", u=()).subs(u=sg.parse("x**2", x=()))
    assert str(f) == "sin(x²)"


# ------------------------------------------------------------------------------------------- spellings of one name


def test_a_name_is_what_it_is_shown_as():
    f = sg.parse("sigma*x**2 + theta_dot", x=(), sigma=(), theta_dot=())
    assert str(f.grad("σ")) == "x²" and str(f.hessian("x")) == "2σ" and str(f.grad("θ̇")) == "1"
    assert str(f.grad(r"\sigma")) == "x²" and str(f.grad(r"\dot{\theta}")) == str(f.grad(r"\dot \theta")) == "1"
    assert f(σ=2.0, x=3.0, θ̇=1.0) == f(sigma=2.0, x=3.0, theta_dot=1.0) == 19.0
    assert f.subs(σ=2).free_symbols == {"x", "theta_dot"}
    g = sg.parse("σ*x**2 + θ̇", x=(), σ=(), θ̇=())
    assert f.equals(g) and (f + g).free_symbols == f.free_symbols and str(f - g) == "0"
    assert sg.parse("lam*x + λ*x + lambda*x").free_symbols == {"lam", "x"}
    assert sg.parse("beta_0 + β₀ + beta_0", dialect="matrix").free_symbols == {"beta_0"}


def test_two_spellings_that_were_both_declared_are_two_names():
    f = sg.parse("sigma*x - σ*x", x=(), sigma=(), σ=())
    assert f.free_symbols == {"sigma", "σ", "x"} and str(f.grad("σ")) == "−x" and str(f.grad("sigma")) == "x"
    assert (f + sg.parse("σ", σ=())).free_symbols == f.free_symbols
    with pytest.raises(sg.FormulaError, match="no symbol 's'"):
        f.grad("s")


F = sg.parse("x^2*y + y^3", x=(), y=())
MISTAKEN = {
    "a formula as a function": (lambda: sg.hessian(F), "takes a function, got a formula"),
    "… minimized": (lambda: sg.minimize(F, 1.0), "Its derivatives are f.grad"),
    "a text as a function": (lambda: sg.minimize("x^2", 1.0), "what is called is a function"),
    "a text as a formula": (lambda: F.equals("x^2"), r"sg.parse\('x\^2'\)"),
    "differentiated through": (lambda: sg.grad(lambda x: F(x=x, y=1.0))(2.0), r'formulas, too: f.grad\("x"\)'),
    "expanded through": (lambda: sg.taylor(lambda x: F(x=x, y=1.0), 0.0, 2), "nothing is differentiated through"),
    "which of two": (lambda: F.grad(), 'has the variables x, y\nSay which: "x"'),
    "… of none": (lambda: sg.parse("3").hessian(), r"the variables \(none\)"),
}


@pytest.mark.parametrize("mistake", MISTAKEN)
def test_what_is_mistaken_for_something_else_is_told_what_it_is(mistake):
    run, said = MISTAKEN[mistake]
    with pytest.raises(sg.FormulaError, match=said):
        run()


def test_what_is_made_of_a_comparison_is_one_and_has_no_derivative():
    f = sg.parse("x^2 + y^2 < 1", x=(), y=())
    for g in (f, f.subs(y="z"), f.simplify(assume="y > 0"), f.expand(), pickle.loads(pickle.dumps(f))):
        with pytest.raises(sg.FormulaError, match="a comparison has no derivative"):
            g.grad("x")


def test_the_only_symbol_need_not_be_said():
    f = sg.parse("x^3", x=())
    assert (str(f.grad()), str(f.jacobian()), str(f.hessian())) == ("3x²", "3x²", "6x")


@pytest.mark.parametrize("write", [
    lambda f: f.text(style="latex"), lambda f: f.text(level="entries"), lambda f: f"{f:code}"])  # fmt: skip
def test_a_text_of_no_style_is_refused(write):
    with pytest.raises(ValueError, match="choose"):
        write(sg.parse("2*t", t=()))
