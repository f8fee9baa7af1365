"""symgrad.scipy.interpolate: SciPy's values, exact derivatives in data and points, its errors."""

import numpy as np
import pytest
import scipy.interpolate

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ._interpolate_cases import CASES
from ._oracle import assert_scipys, cases_of

I = sp.interpolate  # noqa: E741


@one_in(4)
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


def test_a_table_of_one_point_has_its_value_there():
    f = lambda y: I.interp1d([2.0], y, bounds_error=False)([2.0, 2.5])
    np.testing.assert_array_equal(sg.vjp(f, np.array([3.0]))[0], [3.0, np.nan])
    np.testing.assert_array_equal(sg.jacobian(f)(np.array([3.0])), [[1.0], [0.0]])


X = np.arange(6.0)


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda v: I.RegularGridInterpolator((X[:1], X[:5]), v[None])([[0.0, 0.5]]).sum(), "one point"),
        (lambda v: I.PPoly(v[:4].reshape(2, 2), np.array([2.0, 1.0, 0.0]))(0.5), "decreasing breakpoints"),
    ],
)
def test_what_is_not_written_is_refused_by_name(f, words):
    with pytest.raises(sg.NotDifferentiableError, match=f"^symgrad.scipy.interpolate.*{words}"):
        sg.grad(f)(np.array([1.0, 2.0, 0.0, 3.0, 1.0]))


def test_scipys_words_on_wrong_data():
    with pytest.raises(ValueError, match="strictly increasing"):
        sg.grad(lambda x: I.CubicSpline(x, np.ones(3))(0.5))(np.array([0.0, 2.0, 1.0]))
    with pytest.raises(AttributeError, match="CubicSpline has no 'root'\nThere is roots"):
        I.CubicSpline(np.arange(3.0), np.arange(3.0)).root()


def test_symbols_are_refused():
    with pytest.raises(sg.NotDifferentiableError, match="depends on numbers"):
        I.CubicSpline(np.arange(3.0), np.arange(3.0))(sg.symbol("v"))


@pytest.mark.parametrize("bc_type", ["not-a-knot", "natural", "periodic"])
def test_what_is_nan_outside_a_cubic_spline_has_a_gradient_of_nan_in_the_data(bc_type):
    """The gradient solves a banded system of which the right side is NaN."""
    x, y = np.arange(5.0), np.array([0.0, 1.0, 4.0, 2.0, 0.0])
    outside = sg.grad(lambda y: sp.interpolate.CubicSpline(x, y, bc_type=bc_type, extrapolate=False)(9.0))(y)
    assert np.isnan(outside[1:-1]).all()


def test_a_spline_near_data_whose_pieces_are_of_very_different_lengths_is_scipys():
    """The normal equations alone would lose half of the digits."""
    x = np.sort(np.random.default_rng(0).uniform(0, 1, 200)) ** 4
    t = np.concatenate([np.zeros(4), np.logspace(-6, -0.5, 12), np.full(4, x[-1])])
    t[:4] = x[0]
    t = t[(t <= x[0]) | (t >= x[10])]
    y = np.sin(9 * x) / (0.01 + x)
    want = scipy.interpolate.make_lsq_spline(x, y, t)
    got = I.make_lsq_spline(x, sg.tensor(y, requires_grad=True), t)
    np.testing.assert_allclose(got(x).detach().numpy(), want(x), rtol=1e-9, atol=1e-9 * np.abs(y).max())


def test_a_grid_of_splines_through_scipys_own_solver_is_near():
    x, y = np.linspace(0, 1, 7), np.linspace(0, 2, 8)
    values, at = np.exp(np.outer(x, y)), np.array([[0.31, 1.7], [0.9, 0.2]])
    plain = I.RegularGridInterpolator((x, y), values, method="cubic")(at)
    got = I.RegularGridInterpolator((x, y), sg.tensor(values, requires_grad=True), method="cubic")(at)
    np.testing.assert_allclose(got.detach().numpy(), plain, rtol=1e-4)


ITSELF = {
    "CubicSpline": lambda m, v: m.CubicSpline(X, v)(0.5),
    "PchipInterpolator": lambda m, v: m.PchipInterpolator(X, v)(0.5),
    "Akima1DInterpolator": lambda m, v: m.Akima1DInterpolator(X, v)(0.5),
    "CubicHermiteSpline": lambda m, v: m.CubicHermiteSpline(X, v, v)(0.5),
    "PPoly": lambda m, v: m.PPoly(v.reshape(2, 3), X[:4])(0.5),
    "BSpline": lambda m, v: m.BSpline(np.array([0.0, 0, 0, 1, 1, 1]), v[:3], 2)(0.5),
    "interp1d": lambda m, v: m.interp1d(X, v)(0.5),
    "RegularGridInterpolator": lambda m, v: m.RegularGridInterpolator((X,), v)(np.array([[0.5]])).sum(),
    "make_lsq_spline": lambda m, v: m.make_lsq_spline(X, v, np.array([0.0, 0, 5, 5]), 1)(0.5),
}


@pytest.mark.parametrize("name", ITSELF)
def test_scipys_own_class_refuses_tensors_and_names_the_mirror(name):
    words = f"Use symgrad.scipy.interpolate.{name}, which takes "
    with pytest.raises(sg.GradientError, match=f"{words}tensors"):
        ITSELF[name](scipy.interpolate, sg.tensor(X**2, requires_grad=True))
    with pytest.raises(sg.GradientError, match=f"{words}arrays"):
        sg.grad(lambda v: ITSELF[name](scipy.interpolate, v))(X**2)
    assert sg.grad(lambda v: ITSELF[name](I, v))(X**2).shape == X.shape


def test_scipys_own_class_refuses_points_that_are_differentiated():
    with pytest.raises(sg.GradientError, match="Use symgrad.scipy.interpolate.CubicSpline, which takes arrays"):
        sg.grad(lambda v: scipy.interpolate.CubicSpline(X, X)(v))(0.5)


def test_a_spline_of_more_knots_than_the_data_determine_is_an_error_that_says_so():
    x, t = np.linspace(0, 1, 9), np.array([0.0, 0, 0, 0.01, 0.02, 0.03, 0.04, 1, 1, 1])
    with pytest.raises(np.linalg.LinAlgError, match="make_lsq_spline: the data do not determine the spline"):
        sg.grad(lambda y: I.make_lsq_spline(x, y, t, 2)(0.5))(x)
