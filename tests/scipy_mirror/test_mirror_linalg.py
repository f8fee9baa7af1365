"""symgrad.scipy.linalg: SciPy's values, exact derivatives of first and second order, its errors."""

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ._linalg_cases import CASES
from ._oracle import assert_scipys, cases_of


@one_in(10)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


def test_a_complex_and_a_real_matrix_of_sylvesters_equation_give_what_solves_it():
    rng = np.random.default_rng(176)
    a, q = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    b = np.array([[3.0, 2, 0], [-2, 3, 0], [0, 1, 4]])  # two of its eigenvalues are complex
    for left, right in ((a, b), (b, a)):
        tensors = sg.tensor(left, requires_grad=True), sg.tensor(right), sg.tensor(q)
        for X in (sp.linalg.solve_sylvester(left, right, q), sp.linalg.solve_sylvester(*tensors).detach().numpy()):
            np.testing.assert_allclose(left @ X + X @ right, q, atol=1e-12)


def test_the_gradient_of_a_banded_solution_times_infinity_is_not_finite_and_no_error():
    ab = np.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
    for solve, bands in ((lambda ab, b: sp.linalg.solve_banded((1, 1), ab, b), ab), (sp.linalg.solveh_banded, ab[:2])):
        assert not np.isfinite(sg.grad(lambda b: np.inf * solve(bands, b).sum())(np.ones(3))).any()  # noqa: B023
        with pytest.raises(ValueError, match="infs or NaNs"):
            sg.grad(lambda b: solve(bands, b).sum())(np.array([1.0, np.nan, 1.0]))  # noqa: B023


def test_schurs_factors_have_no_derivative_at_equal_eigenvalues_in_real_blocks_or_by_their_phases():
    schur = sp.linalg.schur
    twice, turn = np.diag([2.0, 2.0, 5.0]), np.array([[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(sg.GradientError, match="the gap between the values 0 and 1 is 0.0e"):
        sg.grad(lambda a: schur(a)[1][:, 0] @ np.array([1.0, 2.0, 3.0]))(twice)
    np.testing.assert_allclose(sg.grad(lambda a: np.diagonal(schur(a)[0]).sum())(twice), np.eye(3), atol=1e-12)
    t, z = schur(sg.tensor(turn, requires_grad=True))
    np.testing.assert_allclose((z @ t @ z.T).detach().numpy(), turn, atol=1e-14)
    with pytest.raises(sg.GradientError, match="output='complex'"):
        t.sum().backward()
    g = sg.grad(lambda a: np.diagonal(schur(a, "complex")[0]).imag[0] ** 2)(turn)
    np.testing.assert_allclose(g, turn, atol=1e-12)  # det(a) is its square, where the trace is 0
    with pytest.raises(sg.GradientError, match="e\\^\\(i phi\\)"):
        sg.grad(lambda a: schur(a, output="complex")[1].real.sum())(np.array([[0.0, 1.0], [-2.0, 0.5]]))
    with pytest.raises(sg.NotDifferentiableError, match="schur with sort="):
        schur(sg.tensor(turn, requires_grad=True), sort="lhp")


def test_schurs_factors_of_a_large_matrix_and_of_a_batch():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(2, 12, 12)) + np.diag(np.arange(0.0, 120.0, 10))
    w = rng.normal(size=(12, 12))

    def f(a):
        t, z = sp.linalg.schur(a)
        return (t * w).sum() + ((z * z) @ w).sum()

    both = sg.grad(f)(a)
    h = rng.normal(size=a.shape)
    for k in range(2):
        np.testing.assert_allclose(both[k], sg.grad(f)(a[k]), rtol=1e-12, atol=1e-12)
    by_differences = (f(a + 1e-5 * h) - f(a - 1e-5 * h)) / 2e-5
    assert (both * h).sum() == pytest.approx(by_differences, rel=1e-7)


@pytest.mark.parametrize("factor", [np.nan, np.inf])
def test_what_is_not_finite_behind_a_function_is_not_finite_in_its_gradient_and_no_error(factor):
    a = np.eye(3) + 0.1 * np.random.default_rng(0).normal(size=(3, 3))
    c = np.array([3.0, 1.0, 0.5])
    both = np.array([1.0, factor])  # of two matrices, and of two right sides, one is behind it
    with np.errstate(invalid="ignore"):
        g = sg.grad(lambda a: (both[:, None, None] * sp.linalg.logm(a)).sum())(np.stack([a, a]))
        np.testing.assert_allclose(g[0], sg.grad(lambda a: sp.linalg.logm(a).sum())(a), rtol=1e-12)
        assert not np.isfinite(g[1]).any()
        second = sg.hessian(lambda a: factor * sp.linalg.logm(a).sum())(a)
        assert not np.isfinite(second).any()
        g = sg.grad(lambda b: (both * sp.linalg.solve_toeplitz(c, b)).sum())(np.ones((3, 2)))
        alone = sg.grad(lambda b: sp.linalg.solve_toeplitz(c, b).sum())(np.ones(3))
        np.testing.assert_allclose(g[:, 0], alone, rtol=1e-12)
        assert not np.isfinite(g[:, 1]).any()
        assert not np.isfinite(sg.grad(lambda c: factor * sp.linalg.solve_toeplitz(c, np.ones(3)).sum())(c)).any()
