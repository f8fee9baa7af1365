"""Derivatives in the parts that a function was written with: each form is the derivative, and the shortest is shown."""

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad._trees import postorder
from symgrad.calculus.derive import gradient, gradients
from symgrad.formulas.background import value_of
from symgrad.formulas.own_parts import expanded, own_forms
from symgrad.terms.node import Var

from ._derived import cases, derivative
from .corpus._books import ENTRIES

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
    monkeypatch.setattr(_limits, "OWN_WEIGHT", 20)
    for what, _ in entry.textbook():
        formula = derivative(entry, what)
        point = {name: np.asarray(value, float) for name, value in entry.sample().items()}
        for form in [*holding(formula), *formula.term.let_forms]:
            found = value_of(expanded(form), formula._background, point, [], "ignore")
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
        found = value_of(expanded(form), hessian._background, point, [], "ignore")
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
