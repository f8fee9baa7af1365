"""stdtrit where SciPy's own is another number: at 0, in far tails, in the middle."""

import mpmath as mp
import numpy as np
import pytest
import scipy.special as sc

import symgrad as sg
import symgrad.scipy as sp


def quantile(n, p):
    """The SciPy function on a tensor that is differentiated."""
    return sc.stdtrit(n, sg.tensor(p, requires_grad=True)).detach().numpy()


def test_the_ends_are_infinite_with_their_signs_and_outside_is_nan():
    p = np.array([0.0, 1.0, 0.5, -0.1, 1.5, np.nan])
    for n in (0.3, 3.0, 1e9, np.inf):
        np.testing.assert_array_equal(quantile(n, p), [-np.inf, np.inf, 0.0, np.nan, np.nan, np.nan])
        assert sc.stdtrit(n, 0.0) == np.inf  # SciPy's own
    for n in (0.0, -1.0, np.nan):
        assert np.isnan(quantile(n, p)).all()
    assert sp.stats.t.isf(sg.tensor([0.0, 1.0], requires_grad=True), 3.0).tolist() == [np.inf, -np.inf]


def test_plain_arrays_and_recorded_ones_have_the_same_quantiles():
    n, p = np.meshgrid([0.3, 3.0, 1e9, np.inf, 0.0, -1.0], [0.0, 1e-320, 1e-200, 0.3, 0.5, 1.0, -0.1, 1.5, np.nan])
    plain = sp.special.stdtrit(n, p)
    assert type(plain) is np.ndarray
    np.testing.assert_array_equal(plain, quantile(n, p))
    assert type(sp.special.stdtrit(3, 0.0)) is np.float64
    assert sp.special.stdtrit(3, 0.0) == -np.inf
    np.testing.assert_array_equal(plain[0, :4], [-np.inf] * 4)


def log_quantile(n, p):
    """log(-t) by secants on the logarithm of the tail, which is that of I(n/(n + t²); n/2, 1/2)/2."""
    n, p = mp.mpf(n), mp.mpf(p)
    half = n / 2

    def above(size):
        z = n / (n + mp.exp(2 * size))
        return mp.log(mp.betainc(half, mp.mpf(1) / 2, 0, z, regularized=True) / 2 / p)

    start = (mp.log(n) - (mp.log(2 * p) + mp.log(half) + mp.log(mp.beta(half, mp.mpf(1) / 2))) / half) / 2
    if 2 * start - mp.log(n) > 100:
        return start
    near = mp.log(-mp.mpf(float(sc.stdtrit(float(n), float(max(p, mp.mpf(1e-150)))))))
    return mp.findroot(above, (near, near + mp.mpf(1e-6)), tol=mp.mpf(10) ** -60, verify=False)


@pytest.mark.parametrize(
    ("n", "p"), [
        (0.02, 1e-3), (0.1, 1e-20), (0.5, 1e-100), (1.0, 1e-300), (2.0, 1e-310), (3.0, 1e-200), (3.0, 1e-320),
        (7.0, 1e-300), (30.0, 1e-320), (1000.0, 1e-320), (3.0, 0.4999999), (7.0, 0.4999999), (1.0, 0.499),
        (30.0, 0.3), (1.5, 1e-12),
    ],
)  # fmt: skip
def test_quantiles_in_far_tails_and_in_the_middle_agree_with_40_digits(n, p):
    with mp.workdps(40):
        want = -float(mp.exp(log_quantile(n, p)))
    assert float(quantile(n, p)) == pytest.approx(want, rel=1e-12)
    if p > 1e-17:
        assert float(quantile(n, 1 - p)) == pytest.approx(-float(quantile(n, 1 - (1 - p))), rel=1e-14)


def test_slopes_and_printed_code_go_by_the_right_values():
    x = sg.tensor(1e-80, requires_grad=True)
    y = sc.stdtrit(0.5, x)
    (slope,) = sg.autograd.grad(y, x)
    assert slope.item() == pytest.approx(-y.item() / (0.5 * 1e-80), rel=1e-12)  # far out it is a power, p**-2
    formula = sg.formula(lambda p: sc.stdtrit(3.0, p), sg.symbol("p"))
    space = {}
    exec(formula.code(), space)
    program = sg.compile(lambda p: sc.stdtrit(3.0, p).sum(), "f")
    assert formula(p=0.0) == space["f"](0.0) == program(np.array([0.0])) == -np.inf
