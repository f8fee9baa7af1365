"""The cases that were set aside while the mirror was written."""

import pytest

from . import (
    _fft_cases,
    _integrate_cases,
    _interpolate_cases,
    _linalg_cases,
    _ndimage_cases,
    _signal_cases,
    _special_cases,
    _stats_cases,
)
from ._oracle import assert_scipys, cases_of

MODULES = (
    _linalg_cases, _stats_cases, _fft_cases, _interpolate_cases, _integrate_cases, _special_cases, _signal_cases,
    _ndimage_cases,
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for m in MODULES for c in cases_of(m.SET_ASIDE)])
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)
