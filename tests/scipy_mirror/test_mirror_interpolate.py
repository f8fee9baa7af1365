"""symgrad.scipy.interpolate: SciPy's values, exact derivatives in data and points, its errors."""

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp

from ._interpolate_cases import CASES
from ._oracle import assert_scipys, cases_of

I = sp.interpolate  # noqa: E741


@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


def test_a_point_outside_is_nan_and_so_is_its_derivative():
    x = np.arange(5.0)
    for made in (I.CubicSpline(x, x**2, extrapolate=False), I.Akima1DInterpolator(x, x**2)):
        assert np.isnan(made(-1.0)) and np.isnan(sg.grad(made)(-1.0))
    with pytest.raises(ValueError, match="below the interpolation range"):
        sg.grad(I.interp1d(x, x))(-1.0)
    with pytest.raises(ValueError, match="out of bounds in dimension 0"):
        sg.grad(lambda v: I.RegularGridInterpolator((x,), x)(v)[0])(np.array([9.0]))


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda v: I.make_interp_spline(np.arange(5.0), v, bc_type="periodic")(0.5), "bc_type='periodic'"),
        (lambda v: I.RegularGridInterpolator((np.arange(5.0),), v, method="cubic")([[0.5]]).sum(), "method='cubic'"),
        (lambda v: I.PPoly(v[:4].reshape(2, 2), np.array([2.0, 1.0, 0.0]))(0.5), "decreasing breakpoints"),
    ],
)
def test_what_is_not_written_is_refused_by_name(f, words):
    with pytest.raises(sg.NotDifferentiableError, match=f"^symgrad.scipy.interpolate.*{words}"):
        sg.grad(f)(np.array([1.0, 2.0, 0.0, 3.0, 1.0]))


def test_scipys_words_on_wrong_data():
    with pytest.raises(ValueError, match="strictly increasing"):
        sg.grad(lambda x: I.CubicSpline(x, np.ones(3))(0.5))(np.array([0.0, 2.0, 1.0]))
    with pytest.raises(AttributeError, match="CubicSpline.roots has no mirror"):
        I.CubicSpline(np.arange(3.0), np.arange(3.0)).roots()


def test_symbols_are_refused():
    with pytest.raises(sg.NotDifferentiableError, match="depends on numbers"):
        I.CubicSpline(np.arange(3.0), np.arange(3.0))(sg.symbol("v"))


@pytest.mark.parametrize("bc_type", ["not-a-knot", "natural", "periodic"])
def test_what_is_nan_outside_a_cubic_spline_has_a_gradient_of_nan_in_the_data(bc_type):
    """The gradient solves a banded system of which the right side is NaN."""
    x, y = np.arange(5.0), np.array([0.0, 1.0, 4.0, 2.0, 0.0])
    outside = sg.grad(lambda y: sp.interpolate.CubicSpline(x, y, bc_type=bc_type, extrapolate=False)(9.0))(y)
    assert np.isnan(outside[1:-1]).all()
