"""The formula of one branch has no value where Python would take another."""

import pickle

import numpy as np
import pytest

import symgrad as sg


def doubled(x):
    return x * 2 if x > 0 else x * 3


def kinds():
    formula = sg.formula(doubled, np.array(1.0))
    return {
        "itself": formula,
        "its derivative": formula.grad("x"),
        "pickled": pickle.loads(pickle.dumps(formula)),
        "beside a sum": sg.formula(lambda x: doubled(x) + x**2, np.array(2.0)),
    }


@pytest.mark.parametrize("kind", kinds())
def test_a_formula_is_refused_where_its_branch_is_not_taken(kind):
    formula = kinds()[kind]
    assert formula.conditions == ["x > 0"]
    assert np.isfinite(formula(x=0.5)) and np.isfinite(formula())
    for elsewhere in (-1.0, 0.0):
        with pytest.raises(sg.FormulaError, match="holds where x > 0, which is not so here"):
            formula(x=elsewhere)


def test_a_branch_is_looked_at_where_a_symbol_is_replaced():
    formula = sg.formula(doubled, np.array(1.0))
    assert formula.subs(x=3.0)() == 6 and formula.subs(x=3.0).conditions == []
    with pytest.raises(sg.FormulaError, match="which is not so here"):
        formula.subs(x=-3.0)
    assert formula.subs(x="y").conditions == ["y > 0"]
    with pytest.raises(sg.FormulaError, match="holds where y > 0"):
        formula.subs(x="y")(y=-1.0)
    of_square = formula.subs(x=sg.parse("y**2 - 2", y=()))
    assert of_square.conditions == ["y² > 2"] and of_square(y=3.0) == 14
    with pytest.raises(sg.FormulaError, match="holds where y² > 2"):
        of_square(y=1.0)
    large = formula.subs(x=sg.formula(lambda z: z - 5, np.array(1.0)))
    with pytest.raises(sg.FormulaError, match="holds where z > 5"):
        large()


def test_each_branch_counts_and_so_do_those_on_other_symbols():
    def f(x, t):
        if t > 1:
            x = x * 2
        while (x**2).sum() < 100:
            x = x * 2
        return x.sum()

    formula = sg.formula(f, np.array([3.0, 4.0]), np.array(2.0))
    assert formula(x=[4.0, 3.0]) == 14
    for other in (dict(t=0.5), dict(x=[0.3, 0.4]), dict(x=[30.0, 40.0], t=0.0)):
        with pytest.raises(sg.FormulaError, match="which is not so here"):
            formula(**other)
    assert formula(x=[30.0, 40.0]) == f(np.array([30.0, 40.0]), 2.0)


def test_where_it_is_no_number_is_another_branch():
    formula = sg.formula(lambda t: t**2 if np.log(t) < 1 else t, np.array(4.0))
    assert formula(t=5.0) == 5 and formula(t=-1.0) == -1  # not(log(t) < 1), as Python has it
    with pytest.raises(sg.FormulaError, match="log"):
        formula(t=1.0)


def test_a_named_size_that_is_compared_is_a_branch():
    f = sg.formula(lambda x: x.sum() * min(x.shape[0], 36), sg.symbol("x", "n"))
    assert f.conditions == f.grad("x").conditions == ["n ≤ 36"]
    assert f(x=np.ones(30)) == 900
    for formula in (f, f.grad("x")):
        with pytest.raises(sg.FormulaError, match="n ≤ 36"):
            formula(x=np.ones(100))


def test_sizes_compared_with_each_other_are_branches_and_equal_ones_are_none():
    def wide_or_tall(A, x):
        assert A.shape[1] == x.shape[0]  # it is, whatever the sizes are
        return (A @ x).sum() if A.shape[0] >= A.shape[1] else (A @ x).prod()

    f = sg.formula(wide_or_tall, sg.symbol("A", ("m", "n")), sg.symbol("x", "n"))
    (condition,) = f.conditions
    assert condition in ("m ≥ n", "m < n")
    tall = condition == "m ≥ n"
    A = np.ones((3, 2) if tall else (2, 3))
    assert f(A=A, x=np.ones(A.shape[1])) == (A @ np.ones(A.shape[1])).sum()
    with pytest.raises(sg.FormulaError, match="m"):
        f(A=A.T, x=np.ones(A.shape[0]))


def test_comparisons_of_sizes_in_libraries_are_no_branches():
    f = sg.formula(lambda x: np.linalg.norm(np.concatenate([x, x])) + np.mean(x[1:] * x[:-1]), sg.symbol("x", "n"))
    assert not any(c.startswith("n ") for c in f.conditions), f.conditions


OF_SIZES = {
    "n > 36": lambda A: A.sum() if A.shape[1] > 36 else (A**2).sum(),
    "np.greater": lambda A: A.sum() if np.greater(A.shape[1], 36) else (A**2).sum(),
    "36 < n, by NumPy": lambda A: A.sum() if np.less(36, A.shape[1]) else (A**2).sum(),
    "a decimal": lambda A: A.sum() if A.shape[1] > 36.0 else (A**2).sum(),
    "NumPy's number": lambda A: A.sum() if A.shape[1] > np.int64(36) else (A**2).sum(),
}


@pytest.mark.parametrize("case", OF_SIZES)
def test_a_size_compared_with_a_number_is_a_branch(case):
    formula = sg.formula(OF_SIZES[case], sg.symbol("A", ("m", "n")))
    assert formula.conditions == ["n ≤ 36"]
    for found in (formula, formula.grad("A"), 2 * formula, pickle.loads(pickle.dumps(formula.grad("A")))):
        assert np.isfinite(found(A=np.ones((2, 36)))).all()
        with pytest.raises(sg.FormulaError, match="holds where n ≤ 36, which is not so here"):
            found(A=np.ones((2, 37)))


SIZES_EQUAL = {
    "sizes": lambda A: A.sum() if A.shape[0] == A.shape[1] else (A**2).sum(),
    "shapes": lambda A: (A**2).sum() if A.shape != A.T.shape else A.sum(),
}


@pytest.mark.parametrize("case", SIZES_EQUAL)
def test_sizes_of_two_names_are_different_where_a_function_asked(case):
    formula = sg.formula(SIZES_EQUAL[case], sg.symbol("A", ("m", "n")))
    assert formula.conditions == ["m ≠ n"] and formula(A=np.full((2, 3), 2.0)) == 24
    with pytest.raises(sg.FormulaError, match="holds where m ≠ n, which is not so here"):
        formula(A=np.full((3, 3), 2.0))


def test_whether_there_are_any_entries_is_a_branch():
    mean = sg.formula(lambda x: x.sum() / x.shape[0] if x.shape[0] else x.sum(), sg.symbol("x", "n"))
    assert mean.conditions == ["n ≠ 0"] and mean(x=np.arange(4.0)) == 1.5
    with pytest.raises(sg.FormulaError, match="holds where n ≠ 0"):
        mean(x=np.ones(0))


def test_what_always_holds_of_sizes_is_no_branch():
    A, x = sg.symbol("A", ("m", "n")), sg.symbol("x", "n")
    f = lambda A, x: (A @ x).sum() + x[1:].sum() if A.shape[1:] == x.shape and x[1:].shape[0] == x.shape[0] - 1 else 0
    assert sg.formula(f, A, x).conditions == []
