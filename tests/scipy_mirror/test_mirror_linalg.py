"""symgrad.scipy.linalg: SciPy's values, exact derivatives of first and second order, its errors."""

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp

from ._linalg_cases import CASES
from ._oracle import assert_scipys, cases_of


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


def test_a_complex_and_a_real_matrix_of_sylvesters_equation_give_what_solves_it():
    rng = np.random.default_rng(176)
    a, q = rng.normal(size=(2, 3, 3)) + 1j * rng.normal(size=(2, 3, 3))
    b = np.array([[3.0, 2, 0], [-2, 3, 0], [0, 1, 4]])  # two of its eigenvalues are complex
    for left, right in ((a, b), (b, a)):
        X = (
            sp.linalg.solve_sylvester(sg.tensor(left, requires_grad=True), sg.tensor(right), sg.tensor(q))
            .detach()
            .numpy()
        )
        np.testing.assert_allclose(left @ X + X @ right, q, atol=1e-12)


def test_the_gradient_of_a_banded_solution_times_infinity_is_not_finite_and_no_error():
    ab = np.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
    for solve, bands in ((lambda ab, b: sp.linalg.solve_banded((1, 1), ab, b), ab), (sp.linalg.solveh_banded, ab[:2])):
        assert not np.isfinite(sg.grad(lambda b: np.inf * solve(bands, b).sum())(np.ones(3))).any()  # noqa: B023
        with pytest.raises(ValueError, match="infs or NaNs"):
            sg.grad(lambda b: solve(bands, b).sum())(np.array([1.0, np.nan, 1.0]))  # noqa: B023
