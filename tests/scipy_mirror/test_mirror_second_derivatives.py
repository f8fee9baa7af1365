"""Second derivatives entry by entry, where `_oracle.assert_scipys` looks along one direction."""

import numpy as np
import pytest

import symgrad as sg

from .._numeric import STEP, slope
from . import (
    _fft_cases,
    _integrate_cases,
    _interpolate_cases,
    _linalg_cases,
    _ndimage_cases,
    _signal_cases,
    _sparse_cases,
)
from ._oracle import MIRROR, POINT, cases_of, total

MODULES = (
    _fft_cases, _integrate_cases, _interpolate_cases, _linalg_cases, _ndimage_cases, _signal_cases, _sparse_cases,
)  # fmt: skip
CASES = [c for m in MODULES for text in (m.CASES, m.SET_ASIDE) for c in cases_of(text)]


@pytest.mark.sampled(40)
@pytest.mark.parametrize("case", CASES)
def test_every_second_derivative_is_that_of_differences_of_the_gradient(case):
    gradient = sg.grad(lambda z: total(case, z, MIRROR))
    at = np.flatnonzero(gradient(POINT))  # the other entries are not among the case's
    assert at.size, "the case has no derivative at all: it tests nothing"
    unit = np.eye(POINT.size)  # along which points move more than along the oracle's direction: half of its step
    truth = np.stack([slope(lambda t: gradient(POINT + t * unit[k]), STEP / 2) for k in at])[:, at]  # noqa: B023
    found = np.asarray(sg.jacrev(gradient)(POINT))[at]
    size = 1 + np.abs(truth).max()
    np.testing.assert_allclose(found[:, at], truth, rtol=1e-5, atol=2e-6 * size)
    rest = np.delete(np.arange(POINT.size), at)
    assert np.abs(found[:, rest]).max(initial=0) <= 1e-9 * size
    np.testing.assert_allclose(found[:, at], found[:, at].T, rtol=1e-6, atol=1e-7 * size)
