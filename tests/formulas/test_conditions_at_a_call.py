"""Where a formula is called, its conditions are looked at: an error, a warning, or nothing, as the caller chooses."""

import warnings

import numpy as np
import pytest

import symgrad as sg

N = ("n", "n")
t, x, a, A, v = sg.symbol("t"), sg.symbol("x", "n"), sg.symbol("a"), sg.symbol("A", N), sg.symbol("v", "n")
masked = sg.tensor([3.0, 1.0, 2.0], requires_grad=True, name="u")

CASES = {
    "divided out": (sg.formula(lambda t: t * sg.sin(t) / t, t), dict(t=0.0), dict(t=2.0), "t ≠ 0"),
    "an entry": (sg.formula(lambda x: (x * x / x).sum(), x), dict(x=[1.0, 0.0]), dict(x=[1.0, 2.0]), "x ≠ 0"),
    "a root": (sg.formula(lambda x: sg.sqrt(x) ** 2, x), dict(x=[1.0, -1.0]), dict(x=[1.0, 0.0]), "x ≥ 0"),
    "a power": (sg.formula(lambda a, t: a**t * a**2, a, t), dict(a=-2.0, t=0.5), dict(a=2.0, t=0.5), "a > 0"),
    "an inverse": (
        sg.formula(lambda A, v: sg.linalg.inv(A) @ (A @ v), A, v), dict(A=np.ones((2, 2)), v=np.ones(2)),
        dict(A=np.eye(2), v=np.ones(2)), "det(A) ≠ 0",
    ),
    "a determinant": (sg.parse("logdet(A)", A=N), dict(A=-np.eye(3)), dict(A=np.eye(3)), "det(A) > 0"),
    "a function's domain": (
        sg.formula(lambda x: sg.logit(x) - sg.logit(x), x), dict(x=[2.0]), dict(x=[0.5]), "0 < x < 1"
    ),
    "a pole": (sg.formula(lambda x: sg.lgamma(x) * 0, x), dict(x=[-2.0]), dict(x=[-2.5]), "no whole number below 1"),
    "a logarithm": (sg.formula(lambda x: sg.log1p(x) - sg.log1p(x), x), dict(x=[-1.0]), dict(x=[0.0]), "x > −1"),
    "a declaration": (
        sg.formula(lambda p: sg.sqrt(p**2), sg.symbol("p", positive=True)), dict(p=-3.0), dict(p=3.0), "positive"
    ),
    "a declared matrix": (
        sg.formula(lambda S: S + S.T, sg.symbol("S", N, symmetric=True)), dict(S=np.triu(np.ones((2, 2)))),
        dict(S=np.eye(2)), "symmetric",
    ),
    "a branch": (sg.formula(lambda t: t**2 if t > 0 else -t, -2.0), dict(t=3.0), dict(t=-1.0), "t ≤ 0"),
    "places that were found": (masked[masked > 1.5].formula(), dict(u=[1.0, 2.0, 3.0]), {}, "places were found"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_condition_that_does_not_hold_is_an_error_a_warning_or_nothing(name):
    formula, outside, inside, condition = CASES[name]
    assert any(condition in c for c in formula.conditions)
    with pytest.raises(sg.FormulaError) as error:
        formula(**outside)
    assert condition in str(error.value) and str(error.value).count("\n") == 2
    with pytest.warns(UserWarning) as said:
        warned = formula(**outside, conditions="warn")
    assert condition in str(said[0].message) and said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(formula(**outside, conditions="ignore"), warned)
        formula(**inside, conditions="warn")


def test_conditions_of_derivatives_are_looked_at_too():
    gradient = CASES["a root"][0].jacobian("x")
    with pytest.raises(sg.FormulaError, match="holds where x ≥ 0"):
        gradient(x=[-1.0, 2.0])
    np.testing.assert_array_equal(gradient(x=[1.0, 2.0]), np.eye(2))


def test_conditions_are_looked_at_at_the_sizes_of_the_call():
    formula = CASES["an inverse"][0]
    for n in (1, 2, 5):
        with pytest.raises(sg.FormulaError, match=r"det\(A\) ≠ 0"):
            formula(A=np.zeros((n, n)), v=np.ones(n))
        np.testing.assert_array_equal(formula(A=2 * np.eye(n), v=np.ones(n)), np.ones(n))


def test_sizes_that_the_conditions_exclude_are_refused_in_every_mode():
    weighted = sg.formula(lambda x: (x * np.arange(11.0)).sum(), x)  # eleven stand in for n
    for f in (weighted, weighted + 1, weighted.grad("x") * 2, weighted.subs(x="z")):
        assert any("sizes are those of the stand-ins" in c for c in f.conditions)
        for mode in ("raise", "warn", "ignore"):
            with pytest.raises(sg.ShapeError, match="sizes that it was made with only"):
                f(**{s: np.ones(4) for s in f.free_symbols & {"x", "z"}}, n=4, conditions=mode)


def test_the_argument_is_checked_and_no_symbols_name():
    f = sg.parse("t", t=())
    with pytest.raises(sg.FormulaError, match="conditions='maybe'(.|\n)*raise, warn, ignore"):
        f(t=1.0, conditions="maybe")
    named = sg.formula(lambda conditions: 2 * conditions, sg.symbol("conditions"))
    with pytest.raises(sg.FormulaError, match="a symbol is named 'conditions'"):
        named(conditions=3.0)
    assert named.subs(conditions="c")(c=3.0) == 6
    assert sg.formula(lambda self: 2 * self, sg.symbol("self"))(self=3.0) == 6


def test_a_condition_of_a_symbol_without_a_value_is_not_decided_by_what_stands_in_for_it():
    Q = sg.symbol("Q", N, orthogonal=True)
    f = sg.formula(lambda Q, A: sg.slogdet(Q @ A)[1], Q, A).grad("Q")
    assert str(f) == "Q" and "det(QA) ≠ 0" in f.conditions
    for n in (1, 3):
        np.testing.assert_array_equal(f(Q=np.eye(n)), np.eye(n))
        np.testing.assert_array_equal(f(Q=np.eye(n), A=2 * np.eye(n)), np.eye(n))
        with pytest.raises(sg.FormulaError, match=r"det\(QA\) ≠ 0"):
            f(Q=np.eye(n), A=np.zeros((n, n)))
    zero = sg.formula(lambda x, v: (x / v).sum(), x, v).hessian("x")
    assert zero(n=2).shape == (2, 2)
