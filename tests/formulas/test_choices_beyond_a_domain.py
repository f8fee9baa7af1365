"""Choices where what is compared is no number: neither a > b nor a ≤ b holds there, and the tape says what is taken."""

import numpy as np
import pytest

import symgrad as sg

CHOICES = {
    "greater": lambda x: sg.where(sg.sqrt(x) > 1, x, x**2),
    "at most": lambda x: sg.where(sg.sqrt(x) <= 1, x, x**2),
    "equal": lambda x: sg.where(sg.sqrt(x) == 1, x, x**2),
    "unequal": lambda x: sg.where(sg.sqrt(x) != 1, x, x**2),
    "not greater": lambda x: sg.where(~(sg.sqrt(x) > 1), x**2, x),
    "not less": lambda x: sg.where(~(sg.log(x) < 1), x, x**2),
    "twice not": lambda x: sg.where(~~(sg.sqrt(x) > 1), x, x**2),
    "not both": lambda x: sg.where(~((sg.sqrt(x) > 1) & (x < 5)), x, x**2),
    "nothing first": lambda x: sg.where(sg.sqrt(x) > 1, 0.0, x**2),
    "nothing second": lambda x: sg.where(sg.sqrt(x) > 1, x**2, 0.0),
    "masks": lambda x: (sg.sqrt(x) > 1) * x + (sg.sqrt(x) <= 1) * x**2,
    "inside another": lambda x: sg.where(sg.sqrt(x) > 1, x, sg.where(sg.sqrt(x) > 1, x**3, x**2)),
    "inside the opposite": lambda x: sg.where(sg.sqrt(x) > 1, x, sg.where(sg.sqrt(x) <= 1, x**3, x**2)),
    "of a size": lambda x: sg.where(sg.abs(sg.log(x)) > 1, x, x**2),
    "scaled": lambda x: sg.where(2 * sg.sqrt(x) - 1 > 0, x**3, x**2),
    "of a difference": lambda x: sg.where(x**1.5 > 1 - sg.acos(x), x**3, x**2),
}


@pytest.mark.parametrize("case", CHOICES)
def test_the_formula_chooses_as_the_tape_does(case):
    def f(x):
        return CHOICES[case](x).sum()

    formula = sg.formula(f, sg.symbol("x", "n"))
    points = np.array([-3.0, 0.25, 4.0, 7.3, -0.5])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(formula(x=points), float(f(sg.tensor(points))))
        np.testing.assert_allclose(formula.grad("x")(x=points), sg.grad(f)(points))
        scope = {}
        exec(formula.grad("x").code(), scope)
        np.testing.assert_allclose(scope["f"](points), sg.grad(f)(points))
        np.testing.assert_allclose(np.diag(formula.hessian("x")(x=points)), np.diag(sg.hessian(f)(points)))


def test_what_is_always_a_number_has_an_opposite():
    x = sg.symbol("x", "n")
    assert str(sg.formula(lambda x: sg.where(x > 0.5, x, x**2).sum(), x).grad("x")) == "where(x ≤ 1/2, 2x, 1)"
    assert str(sg.formula(lambda x: sg.where(sg.sqrt(x) > 1, x, x**2).sum(), x).grad("x")) == "where(√x > 1, 1, 2x)"


def test_an_opposite_in_sympy_is_a_choice():
    f = sg.formula(lambda x: sg.where(sg.sqrt(x) > 1, 0.0, x**2), np.array(4.0))
    x = f.sympy().free_symbols.pop()
    assert [f.sympy().subs(x, v) for v in (4, 0.25)] == [0, 0.0625]
