"""Whether two formulas are one: `equals`, `verify` and the check beside the tape give the same answer."""

from functools import partial

import numpy as np
import pytest

import symgrad as sg
from symgrad.formulas import tolerance, verdict
from symgrad.terms import evaluate

SAME = {
    "a square": ("(x + 1)**2", "x**2 + 2*x + 1"),
    "a kink": ("abs(x)", "maximum(x, -x)"),
    "a sign": ("abs(x)", "x*sign(x)"),
    "a choice": ("where(x > 0, x, -x)", "abs(x)"),
    "where a root was": ("sqrt(x)*sqrt(x)", "abs(x)"),  # it has no value below 0
    "where a square was": ("sqrt(1 - x)**2", "sqrt((1 - x)**2)"),
    "a domain that is wider": ("log(x)", "log(x**2)/2"),
    "differences": ("1 - 1/(1 + exp(-x))", "1/(1 + exp(x))"),
}
OTHER = {
    "a value at a corner": ("sign(x)**2", "1", 0.0),
    "one side": ("abs(x)", "x", -1.3),
    "another side": ("sqrt(x**2)", "x", -1.3),
    "a place far away": ("minimum(2*x, 1e12)", "2*x", 7e11),
    "steps": ("floor(x)", "x", 1.5),
    "a factor of nearly one": ("x*(1 + 3e-7)", "x", 0.3),
    "a small factor": ("x*1e-9", "0", 0.3),
}


def shapes(*texts):
    known = {"x": (), "v": "n"}
    return {name: shape for name, shape in known.items() if any(name in text for text in texts)}


def parsed(text):
    return sg.parse(text, **shapes(text))


def checked(f, g, **point):
    """What the check beside the tape says of a formula, where the number is that of another."""
    f, g = parsed(f), parsed(g)
    at = {**g.point, **f.point, **{name: np.asarray(value) for name, value in point.items()}}
    number = np.asarray(evaluate(f.term, at)) * 1.0
    return verdict(partial(evaluate, g.term), at, number, tolerance([number.dtype]))


@pytest.mark.parametrize(("f", "g"), SAME.values(), ids=SAME)
def test_what_is_the_same_is_so_for_all_who_ask(f, g):
    assert parsed(f).equals(parsed(g)) and parsed(g).equals(parsed(f))
    assert sg.verify(f, equals=g, **shapes(f, g))
    assert checked(f, g) is True


@pytest.mark.parametrize(("f", "g", "x"), OTHER.values(), ids=OTHER)
def test_what_is_another_is_so_for_all_who_ask(f, g, x):
    assert not parsed(f).equals(parsed(g)) and not parsed(g).equals(parsed(f))
    assert sg.verify(f, equals=g, **shapes(f, g)).verdict == "REFUTED"
    assert checked(f, g, x=x) is None


def test_what_is_left_where_large_numbers_cancel_is_no_difference():
    """No check is here: at one point nothing tells a number that rounding made from another one."""
    f, g = "sum((v + 1e6)**2)/n - (sum(v + 1e6)/n)**2", "sum((v + 1e6 - sum(v + 1e6)/n)**2)/n"
    assert parsed(f).equals(parsed(g)) and sg.verify(f, equals=g, v="n").verdict == "PROVED"


def test_a_size_that_stands_alone_has_other_lengths_too():
    f = sg.formula(lambda x: sg.ones(x.shape[0]).sum(), sg.symbol("x", "n"))
    assert not f.equals(int(f.point["#n"]))


def test_a_positive_parameter_is_positive_for_all_who_ask():
    x = sg.symbol("x", (), positive=True)
    for f, g in (("sqrt(x**2)", "x"), ("log(x**2)", "2*log(x)"), ("exp(2*log(x))", "x**2"), ("abs(x)", "x")):
        one, two = (sg.parse(text, x=x) for text in (f, g))
        assert one.equals(two) and sg.verify(one, equals=two)
        assert verdict(partial(evaluate, two.term), one.point, evaluate(one.term, one.point), 1e-7) is True


def test_what_is_the_same_where_both_have_values_is_conditional_where_the_function_has_more():
    """`equals` asks where both have values, `verify` wherever the function has one; both know where that is."""
    f, g = parsed("x**2/x"), parsed("x")
    assert f.equals(g) and g.equals(f)
    assert sg.verify("x**2/x", equals="x", x=()).verdict == "PROVED"
    assert sg.verify("x", equals="x**2/x", x=()).only == ["x ≠ 0"]
    assert "only one has all its values" in repr(parsed("log(x**2)/2").equals(parsed("log(x)")))


def test_the_check_beside_the_tape_proves_nothing(monkeypatch):
    """It compares numbers, which takes no time; a proof may take seconds."""
    from symgrad.formulas import proof

    def refused(*args, **kwargs):
        raise AssertionError("a proof was looked for")

    monkeypatch.setattr(proof.Zero, "found", refused)
    x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    assert (sg.exp(x) ** 2).sum().formula().grad("x").checked is True


@pytest.mark.parametrize(
    ("f", "g"),
    [
        ("(x^a)^b", "x^(a b)"),  # (x²)^½ is |x|
        ("(x^a y)^b", "x^(a b) y^b"),
        ("round(x)", "floor(x + 1/2)"),  # halves to even
        ("round(2x)", "floor(2x + 1/2)"),
        ("floor(x) + 1", "ceil(x)"),
    ],
)
def test_what_differs_at_jumps_or_for_some_exponents_only_is_found(f, g):
    x = {n: () for n in "xyab" if n in f}
    found = sg.verify(f, equals=g, **x)
    assert found.verdict == "REFUTED" and not parsed(f).equals(parsed(g))
    point = {n: float(v) for n, v in found.point.items()}
    assert sg.parse(f, **x)(**point) != sg.parse(g, **x)(**point)


def test_what_is_right_at_jumps_and_for_all_exponents_is_not_refuted():
    for f, g in (("ceil(x)", "-floor(-x)"), ("x^a/x^b", "x^(a - b)"), ("round(-x)", "-round(x)"), ("(x/3)*3", "x")):
        assert sg.verify(f, equals=g, x=()).verdict != "REFUTED"
    assert sg.verify(lambda x: np.round(x), equals=lambda x: np.floor(x + 0.5), x=()).verdict == "REFUTED"


def test_an_array_of_many_numbers_is_a_claim():
    w, A = np.linspace(0.1, 0.9, 8), np.random.default_rng(0).normal(size=(3, 3))
    f = lambda v: np.exp(v).sum()
    assert sg.verify(f, grad=np.exp(w), at={"v": w}).verdict == "AGREES"
    assert sg.verify(f, grad=np.exp(w) + np.eye(8)[2], at={"v": w}).verdict == "REFUTED"
    assert sg.verify(lambda x: x @ A @ x, hess=A + A.T, x=3).verdict == "AGREES"
    assert sg.verify(lambda x: x @ A @ x, hess=(A + A.T).tolist(), x=3).verdict == "AGREES"
    assert sg.verify(lambda x: x @ A @ x, hess=2 * A, x=3).verdict == "REFUTED"


@pytest.mark.parametrize("count", [3, 4, 6])
def test_long_numbers_are_compared_and_put_over_no_common_denominator(count):
    f = lambda a: sum(np.log(1 + a * 0.3**k) for k in range(count))
    right = lambda a: sum(0.3**k / (1 + a * 0.3**k) for k in range(count))
    assert sg.verify(f, grad=right, a=()).verdict in ("PROVED", "AGREES")
    assert str(sg.formula(f, sg.symbol("a")).grad("a")).count("/") == count


@pytest.mark.parametrize("below", ["/(S*v*sqrt(T))", "/(v*sqrt(T))/S", "/(S*sqrt(T))/v"])
def test_how_a_denominator_is_written_is_no_condition(below):
    numbers = dict(S=(), K=(), v=(), T=())
    f, density = "ndtr(log(S/K)/(v*sqrt(T)))", "normal_pdf(log(S/K)/(v*sqrt(T)))"
    assert sg.verify(f, grad=density + below, wrt="S", **numbers).verdict == "PROVED"
    assert (
        sg.verify("log(x^2 T)", grad="2/(x*sqrt(T)) * sqrt(T)", wrt="x", x=(), T=()).verdict == "CONDITIONAL"
    )  # T < 0


X = sg.symbol("x", positive=True)
CANCEL = {
    "a square": (lambda x: (x + 1) ** 2 - x**2 - 2 * x - 1, ()),
    "twice the angle": (lambda x: np.sin(2 * x) - 2 * np.sin(x) * np.cos(x), ()),
    "a mean": (lambda x: (x - x.mean()).sum(), "n"),
    "sums of squares": (lambda x: ((x - x.mean()) ** 2).sum() - x @ x + len(x) * x.mean() ** 2, "n"),
    "shares": (lambda x: (np.exp(x) / np.exp(x).sum()).sum() - 1, "n"),
    "tenths": (lambda x: x * 0.7 - x * 0.2 - x * 0.5, ()),
    "logarithms": (lambda x: np.log(x * x) - 2 * np.log(x), X),
    "an inverse": (lambda x: x @ np.linalg.inv(x) - np.eye(3), (3, 3)),
    "an equation of Hermite": (lambda x: 48 * x - 2 * x * (24 * x**2 - 12) + 6 * (8 * x**3 - 12 * x), ()),
}


@pytest.mark.parametrize("name", CANCEL)
def test_what_cancels_is_nothing_and_what_is_small_is_something(name):
    f, x = CANCEL[name]
    zero = "0" if name != "an inverse" else lambda x: 0 * x
    found = sg.verify(f, equals=zero, x=x)
    assert found.verdict == ("AGREES" if name in ("sums of squares", "logarithms") else "PROVED"), found
    if isinstance(zero, str):
        assert sg.verify(zero, equals=f, x=x).verdict in ("PROVED", "AGREES")
    for small in (1e-7, 1e-9):
        assert sg.verify(_above(f, small), equals=zero, x=x).verdict == "REFUTED"


def _above(f, small):
    return lambda x: f(x) + small


@pytest.mark.parametrize(("f", "claim"), [
    (lambda x: 1e-20 * x**2, lambda x: 2e-20 * x**2), (lambda x: 1e-20 * x**2, "0"),
    (lambda x: np.exp(-x * x - 40), "0"), (lambda x: 6.6e-34 * np.sin(x), lambda x: 6.6e-34 * np.cos(x)),
    (lambda x: np.round(x), lambda x: np.floor(x + 0.5)), (CANCEL["a square"][0], "2^(-30)"),
])  # fmt: skip
def test_small_numbers_that_are_no_rounding_count(f, claim):
    assert sg.verify(f, equals=claim, x=()).verdict == "REFUTED"
