"""symgrad.scipy.linalg: SciPy's values, exact derivatives of first and second order, its errors."""

import pytest

from ._linalg_cases import CASES
from ._oracle import assert_scipys, cases_of


@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)
