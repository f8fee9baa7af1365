"""What is twice as long takes some twice the work: sums, products, quotients, lists and their derivatives, by counts.

The idea to hold: a user writes a loop and waits. How long is a matter of the machine; how it grows is not.
"""

import functools
import operator

import numpy as np
import pytest
import sympy as sp

import symgrad as sg
from symgrad import _limits
from symgrad.calculus.rational import RationalFunction
from symgrad.terms import evaluate, shaped_sum

from ..helpers.work import calls

NUMBERS = [sg.symbol(f"a{k}", ()) for k in range(400)]
X = sg.symbol("x", ())


def total(n):
    return lambda: sg.formula(lambda *a: functools.reduce(operator.add, a), *NUMBERS[:n])


def slope_of_product(n):
    f = sg.formula(lambda x: functools.reduce(operator.mul, [x + k for k in range(n)]), X)
    return lambda: f.grad("x")


GROWTH = {  # what, how long it is at first, and by what the work of twice as much is more at most
    "a sum of numbers": (total, 100, 3.0),
    "the gradient of a product": (slope_of_product, 6, 16.0),  # n² groups of n terms, some of them simplified
}


@pytest.mark.parametrize("what", GROWTH)
def test_twice_as_long_is_no_more_than_so_many_times_the_work(what):
    made, n, most = GROWTH[what]
    made(3)()  # what is imported and remembered at first
    once, twice = calls(made(n)), calls(made(2 * n))
    assert twice < most * once, twice / once


def test_a_sum_that_grows_is_the_sum_at_once():
    terms = [sg.formula(f, *NUMBERS[:3], X).term for f in (
        lambda a, b, c, x: a, lambda a, b, c, x: b * x, lambda a, b, c, x: -2 * a, lambda a, b, c, x: sg.sin(c),
        lambda a, b, c, x: -b * x, lambda a, b, c, x: a + x, lambda a, b, c, x: 2 * (a - c), lambda a, b, c, x: a,
        lambda a, b, c, x: x**2 - c, lambda a, b, c, x: 3, lambda a, b, c, x: -3 * x,
    )]  # fmt: skip
    point = {v.name: 0.5 + 0.25 * k for k, v in enumerate([*NUMBERS[:3], X])}
    at_once = evaluate(shaped_sum((), [(1, t, ()) for t in terms]), point)
    for turn in range(len(terms)):
        order = [*terms[turn:], *terms[:turn]]
        grown = functools.reduce(lambda s, t: shaped_sum((), [(1, s, ()), (1, t, ())]), order)
        assert np.isclose(evaluate(grown, point), at_once)
        backwards = functools.reduce(lambda s, t: shaped_sum((), [(1, t, ()), (1, s, ())]), order)
        assert backwards is grown


def test_a_sum_that_grows_past_what_one_sum_holds_has_its_number():
    a = NUMBERS[: _limits.SUM_TERMS // 3]
    f = sg.formula(lambda *a: functools.reduce(operator.add, [*a, *[v * v for v in a], *a, *[-v for v in a]]), *a)
    point = {v.name: 1.0 + k / 8 for k, v in enumerate(a)}
    assert np.isclose(float(f(**point)), sum([v + v * v for v in point.values()]))
    assert np.isclose(float(f.grad("a1")(**point)), 1 + 2 * point["a1"])


def test_terms_that_cancel_in_a_sum_that_grows_are_gone():
    f = sg.formula(lambda a, b, x: a + b + x - b + x - a - 2 * x, *NUMBERS[:2], X)
    assert str(f) == "0"


def test_the_place_of_a_tensor_in_a_stack_is_known():
    u, A = sg.symbol("u", "n"), sg.symbol("A", ("m", "n"))
    for made, wrt, shown in [
        (lambda u: sg.stack([u, u * u, sg.exp(u)])[1], u, "2 diag(u)"),
        (lambda u: (sg.stack([u * u, u], 1) @ sg.tensor([1.0, 3.0])).sum(), u, None),
        (lambda A: (sg.stack([A, A * A], -1) ** 2).sum(), A, None),
        (lambda A: (sg.stack([A * A, A], 1) ** 3).sum(), A, None),
    ]:
        f = sg.formula(made, wrt)
        g = f.grad(wrt.name)
        assert g.checked is True and (shown is None or str(g) == shown)


def test_a_tower_of_powers_is_written_by_steps_that_sum_over_steps():
    x = sg.symbol("x", (), positive=True)
    f = sg.formula(lambda x: functools.reduce(lambda y, _: x**y, range(6), x), x)
    g = f.grad("x")
    assert "hₜ = x^hₜ₋₁" in str(g) and g.latex()
    around = [float(f(x=1.2 + h)) for h in (1e-6, -1e-6)]
    assert np.isclose(float(g(x=1.2)), (around[0] - around[1]) / 2e-6, rtol=1e-6)


QUOTIENTS = [
    "(x**2 + 1)/(x - 1)**2 - 2*x/(x - 1)", "a/(x + a) + x/(x + a)", "1/(x*(x + 1)*(x + 2)**2)", "(x**3 - a**3)/(x - a)",
    "x/(x**2 - a**2) - 1/(x + a)/2", "((x + a)/(x - a) - 1)/(x*a + 1)", "a**2/(b*x + a)**2 + b/(b*x + a)",
    "(x/2 + 1/3)/(x/4 - 1/6)", "1/(1/(1/x + 1) + a)", "(sqrt(x) + 1)**2/(x + 2*sqrt(x) + 1)", "(x - a)**2/(a - x)**3",
]  # fmt: skip


@pytest.mark.parametrize("text", QUOTIENTS)
def test_a_quotient_has_lowest_terms_and_partial_fractions(text):
    found = RationalFunction(sg.parse(text, **{name: () for name in "abx" if name in text})._raw, frozenset())
    forms = found.forms()
    roots = {root.symbol: root.inside ** sp.Rational(1, root.order) for root in found.roots.values()}
    assert all(sp.simplify((form - found.whole).subs(roots)) == 0 for form in forms)
    whole = sp.cancel(sp.together(found.whole))
    if roots or not whole.free_symbols:
        return
    symbols, below = sorted(whole.free_symbols, key=str), sp.fraction(whole)[1]
    degrees = [sp.Poly(sp.fraction(form)[1], *symbols).total_degree() for form in (forms[0], whole)]
    assert degrees[0] == degrees[1]
    for g in below.free_symbols if len(below.free_symbols) < 3 else ():
        assert any(sp.expand(form - sp.apart(whole, g)) == 0 for form in forms)
