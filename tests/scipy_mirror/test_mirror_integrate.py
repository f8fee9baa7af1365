"""symgrad.scipy.integrate: SciPy's values, exact derivatives of samples, parameters and limits, its errors."""

import pytest

from ._integrate_cases import CASES
from ._oracle import assert_scipys, cases_of


@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)
