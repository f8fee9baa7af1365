"""symgrad.scipy.ndimage: SciPy's values, and derivatives."""

import numpy as np
import pytest
import scipy.ndimage

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ._ndimage_cases import CASES
from ._oracle import assert_scipys, cases_of


@one_in(4)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


MODES = ["reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(4))
def test_points_anywhere_are_read_as_by_scipy(mode, order):
    rng = np.random.default_rng(order)
    for n in (1, 2, 3, 5, 17, 40):
        x, edges = rng.normal(size=n), [0, n - 1, -1, n, 0.5, -0.5, n - 0.5, -1e-16, n - 1 + 1e-15]
        points = [np.r_[rng.uniform(-3 * n, 4 * n, 40), edges]]
        for prefilter in (True, False):
            options = {"order": order, "mode": mode, "cval": 0.3, "prefilter": prefilter}
            want = scipy.ndimage.map_coordinates(x, points, **options)
            got = sp.ndimage.map_coordinates(sg.tensor(x, requires_grad=True), points, **options)
            np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [2, 3])
def test_the_transpose_of_the_spline_is_that_of_scipys_matrix(mode, order):
    for n in (1, 2, 3, 4, 6, 8, 11, 14, 20, 60):  # SciPy's is not symmetric where it should be, for small n
        matrix = scipy.ndimage.spline_filter1d(np.eye(n), order, 0, mode=mode)
        found = sg.jacobian(lambda x: sp.ndimage.spline_filter1d(x, order, mode=mode))(np.ones(n))
        np.testing.assert_allclose(found, matrix, rtol=1e-9, atol=1e-13)
        x = sg.tensor(np.ones(n), requires_grad=True)
        g = sg.autograd.grad(sp.ndimage.spline_filter1d(x, order, mode=mode)[0], x)[0]
        np.testing.assert_allclose(g.numpy(), matrix[0], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_windows_of_every_length_and_origin_read_beyond_the_border_as_scipys(mode):
    rng = np.random.default_rng(0)
    x = rng.normal(size=5)
    for k in range(1, 13):
        w = rng.normal(size=k)
        for origin in range(-(k // 2), (k - 1) // 2 + 1):
            for name in ("correlate1d", "convolve1d"):
                options = {"mode": mode, "cval": 0.3}
                options["origin"] = origin if name == "correlate1d" else -origin - (k % 2 == 0)
                if not -(k // 2) <= options["origin"] <= (k - 1) // 2:
                    continue
                want = getattr(scipy.ndimage, name)(x, w, **options)
                got = getattr(sp.ndimage, name)(sg.tensor(x, requires_grad=True), w, **options)
                np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-11, atol=1e-12)


REFUSED = {
    "map_coordinates(order=5)": lambda n, x: n.map_coordinates(x, [[0.5]], order=5),
    "correlate(output=…)": lambda n, x: n.correlate(x, x, output=np.zeros(3)),
    "gaussian_filter(output=…)": lambda n, x: n.gaussian_filter(x, 1.0, output=np.float32),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_rule_is_refused_by_name(name):
    with pytest.raises(sg.NotDifferentiableError) as caught:
        REFUSED[name](sp.ndimage, sg.tensor(np.ones(3), requires_grad=True))
    assert str(caught.value).startswith(f"symgrad.scipy.ndimage.{name} has no derivative rule")


def test_a_wrong_mode_or_origin_is_refused_as_by_scipy():
    x = sg.tensor(np.ones(3), requires_grad=True)
    with pytest.raises(RuntimeError, match="boundary mode not supported"):
        sp.ndimage.correlate(x, np.ones(3), mode="beyond")
    with pytest.raises(ValueError, match="invalid origin"):
        sp.ndimage.correlate(x, np.ones(3), origin=2)
