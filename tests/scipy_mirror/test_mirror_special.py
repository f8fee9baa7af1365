"""symgrad.scipy.special: SciPy's values, and derivatives."""

import numpy as np
import pytest
import scipy.special

import symgrad as sg
import symgrad.scipy as sp
from symgrad.ops.numpy.entry_points import names_of_functions

from ._oracle import assert_scipys, cases_of
from ._special_cases import CASES


@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


def test_every_ufunc_that_has_a_derivative_is_there_and_is_scipys_own():
    known = {n.removeprefix("scipy.special.") for n in names_of_functions() if n.startswith("scipy.special.")}
    assert known <= set(sp.special.__all__)
    for name in sp.special.__all__:
        theirs = getattr(scipy.special, name)
        if isinstance(theirs, np.ufunc) and name != "stdtrit":  # of which SciPy's value at 0 is wrong
            assert getattr(sp.special, name) is theirs
            assert theirs.__name__ in known, name


def test_logsumexp_with_weights_is_scipys_at_zeros_infinities_and_negative_sums():
    a, b = np.array([1.0, 800.0, -np.inf, 2.0]), np.array([0.5, 0.0, 1.0, -2.0])
    for weights in (b, np.abs(b)):
        want = scipy.special.logsumexp(a, b=weights, return_sign=True)
        got = sp.special.logsumexp(sg.tensor(a, requires_grad=True), b=weights, return_sign=True)
        assert [v.item() for v in got] == pytest.approx([float(v) for v in want])
    assert np.isnan(sp.special.logsumexp(sg.tensor(a, requires_grad=True), b=b).item())
    assert sp.special.logsumexp(sg.tensor([-np.inf], requires_grad=True), b=[1.0]).item() == -np.inf
    slope = sg.grad(lambda b: sp.special.logsumexp(np.zeros(2), b=b))(np.array([0.0, 2.0]))
    assert slope.tolist() == [0.5, 0.5]  # what counts 0 times may begin to count


def test_orders_and_keywords_without_a_rule_are_refused_by_name():
    x = sg.tensor(1.5, requires_grad=True)
    for call, words in (
        (lambda: sp.special.polygamma(x, 1.0), "symgrad.scipy.special.polygamma"),
        (lambda: sp.special.spherical_jn(x, 1.0), "symgrad.scipy.special.spherical_jn"),
        (lambda: sp.special.softplus(x, where=True), "special.softplus(where=…)"),
        (lambda: sp.special.logsumexp(sg.tensor(1j, requires_grad=True)), "special.logsumexp"),
    ):
        with pytest.raises(sg.NotDifferentiableError) as caught:
            call()
        assert words in str(caught.value)


def test_spherical_harmonics_have_derivatives_at_the_poles_and_scipys_values_beyond():
    theta = np.array([0.0, np.pi, -0.4, 4.0, 11.0])
    for n, m in ((1, 1), (2, -1), (2, 0), (3, 2), (2, 3), (4, -4)):
        x = sg.tensor(theta, requires_grad=True)
        found = sp.special.sph_harm_y(n, m, x, 0.6)
        np.testing.assert_allclose(found.detach().numpy(), scipy.special.sph_harm_y(n, m, theta, 0.6), atol=1e-14)
        g = sg.grad(lambda t, n=n, m=m: sp.special.sph_harm_y(n, m, t, 0.6).real)
        _, slopes = scipy.special.sph_harm_y(n, m, np.array([1e-9, np.pi - 1e-9]), 0.6, diff_n=1)
        at_poles = [g(0.0), g(np.pi)]  # from the inside
        np.testing.assert_allclose(at_poles, slopes[:, 0].real, atol=1e-7)
        for t in theta[2:]:
            differences = (
                scipy.special.sph_harm_y(n, m, t + 1e-6, 0.6) - scipy.special.sph_harm_y(n, m, t - 1e-6, 0.6)
            ).real
            np.testing.assert_allclose(g(t), differences / 2e-6, atol=1e-8)
    with pytest.raises(sg.NotDifferentiableError, match="Its order is a whole number"):
        sp.special.sph_harm_y(2, sg.tensor(1.0, requires_grad=True), 0.3, 0.2)
    with pytest.raises(sg.NotDifferentiableError, match="diff_n"):
        sp.special.sph_harm_y(2, 1, sg.tensor(1.0, requires_grad=True), 0.2, diff_n=1)
