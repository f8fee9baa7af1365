"""symgrad.scipy.stats: SciPy's values, exact derivatives of first and second order in data and parameters."""

import pytest

from ..helpers.cases import one_in
from ._oracle import assert_scipys, cases_of
from ._stats_cases import CASES


@one_in(6)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)
