"""symgrad.scipy.fft: SciPy's values, and derivatives."""

import pytest

from ..helpers.cases import one_in
from ._fft_cases import CASES
from ._oracle import assert_scipys, cases_of


@one_in(6)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)
