"""symgrad.scipy.integrate: SciPy's values, exact derivatives of samples, parameters and limits, its errors."""

import warnings

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp

from ._integrate_cases import CASES
from ._oracle import assert_scipys, cases_of

G = sp.integrate


@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


def test_second_derivatives_of_a_solution_are_those_of_the_closed_form():
    def end(q, solve=True):
        if not solve:
            return q[2] * np.exp(-q[0] * q[1])
        return G.solve_ivp(lambda t, y: -q[0] * y, (0, q[1]), [q[2]], rtol=1e-9, atol=1e-9).y[0, -1]

    q = np.array([2.0, 1.0, 3.0])
    for make in (sg.grad, sg.hessian, sg.jacfwd):
        np.testing.assert_allclose(make(end)(q), make(lambda q: end(q, False))(q), rtol=1e-6, atol=1e-7)


def test_an_integral_in_limits_and_parameters_that_depend_on_each_other():
    f = sg.hessian(lambda p: G.quad(lambda x: np.exp(p * x) * p, p, 2 * p)[0])  # of exp(2p²) - exp(p²)
    want = sg.hessian(lambda p: np.exp(2 * p * p) - np.exp(p * p))
    assert f(0.7) == pytest.approx(want(0.7), rel=1e-8)


class Holder:
    def __init__(self, p):
        self.p = p


def test_a_tensor_that_is_not_found_is_an_error_and_no_zero():
    def hidden(p):
        held = Holder(p)
        return G.quad(lambda x, q: held.p * x * q, 0, 1, args=(p,))[0]

    with pytest.raises(sg.GradientError, match="neither among args nor"):
        sg.grad(hidden)(2.0)


def test_an_integral_of_a_derivative_that_diverges_says_what_scipy_says():
    with warnings.catch_warnings(), pytest.raises(sg.GradientError, match="SciPy says"):
        warnings.simplefilter("ignore")
        sg.grad(lambda p: G.quad(lambda x: x ** (p - 1), 0, 1, limit=5)[0])(0.05)


def test_what_is_not_written_is_refused_by_name():
    for options, words in (({"dense_output": True}, "dense_output"), ({"events": lambda t, y: y[0]}, "events")):
        with pytest.raises(sg.NotDifferentiableError, match=words):
            sg.grad(lambda y, o=options: G.solve_ivp(lambda t, y: -y, (0, 1), y, **o).y.sum())(np.ones(1))
    with pytest.raises(sg.NotDifferentiableError, match="symbol"):
        G.quad(lambda x, a: a * x, 0, 1, args=(sg.symbol("a"),))


def test_samples_of_symbols_are_formulas():
    y = sg.symbol("y", 3)
    assert sg.grad(lambda y: G.trapezoid(y))(y).shape == (3,)
