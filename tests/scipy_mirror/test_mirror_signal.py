"""symgrad.scipy.signal: SciPy's values, and derivatives."""

import numpy as np
import pytest
import scipy.signal

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ._oracle import assert_scipys, cases_of
from ._signal_cases import CASES


@one_in(4)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_of_every_length_are_scipys(mode):
    rng = np.random.default_rng(0)
    for n in range(1, 8):
        for k in range(1, 8):
            x, w = rng.normal(size=n), rng.normal(size=k)
            for name in ("convolve", "correlate", "fftconvolve", "oaconvolve"):
                want = getattr(scipy.signal, name)(x, w, mode)
                got = getattr(sp.signal, name)(sg.tensor(x, requires_grad=True), w, mode)
                np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-9, atol=1e-12)
            for boundary in ("fill", "pad", "wrap", "circular", "symm", "symmetric"):
                if boundary not in ("fill", "pad") and k > n:
                    continue
                for name in ("convolve2d", "correlate2d"):
                    a, b = np.outer(x, x), np.outer(w, w)
                    want = getattr(scipy.signal, name)(a, b, mode, boundary, 0.3)
                    got = getattr(sp.signal, name)(sg.tensor(a, requires_grad=True), b, mode, boundary, 0.3)
                    np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("orders", [(1, 1), (1, 4), (4, 1), (3, 5), (5, 2), (9, 9)])
def test_states_pass_from_one_piece_of_a_signal_to_the_next(orders):
    rng = np.random.default_rng(1)
    b, a = rng.normal(size=orders[0]), 0.1 * rng.normal(size=orders[1]) + 2 * np.eye(orders[1])[0]
    x = sg.tensor(rng.normal(size=12), requires_grad=True)
    state, pieces = np.zeros(max(orders) - 1), []
    for start, stop in ((0, 1), (1, 4), (4, 12)):
        y, state = sp.signal.lfilter(b, a, x[start:stop], zi=state)
        pieces.append(y)
    whole = sp.signal.lfilter(b, a, x)
    np.testing.assert_allclose(np.concatenate(pieces).detach().numpy(), whole.detach().numpy(), rtol=1e-11, atol=1e-12)
    one, other = (sg.autograd.grad((v**2).sum(), x)[0] for v in (np.concatenate(pieces), whole))
    np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-10, atol=1e-11)


def test_the_gradient_of_a_long_signal_is_that_of_a_difference():
    rng = np.random.default_rng(2)
    b, a = scipy.signal.butter(4, 0.1)
    x, d = rng.normal(size=20000), rng.normal(size=5)
    f = lambda a: (sp.signal.lfilter(b, a, x) ** 2).mean()
    step = 1e-6
    want = (f(a + step * d) - f(a - step * d)) / (2 * step)
    assert sg.grad(f)(a) @ d == pytest.approx(want, rel=1e-5)


def test_what_has_no_rule_is_refused_by_name():
    x = sg.tensor(np.ones(8), requires_grad=True)
    with pytest.raises(sg.NotDifferentiableError, match=r"symgrad\.scipy\.signal\.filtfilt\(method='gust'\)"):
        sp.signal.filtfilt([1.0], [1.0, 0.5], x, method="gust")
    with pytest.raises(sg.NotDifferentiableError, match="convolve along 4 axes"):
        sp.signal.convolve(sg.tensor(np.ones((1, 1, 1, 1)), requires_grad=True), np.ones((1, 1, 1, 1)))
    with pytest.raises(ValueError, match=r"a\[0\] must not be 0"):
        sp.signal.lfilter([1.0], [0.0, 1.0], x)
    with pytest.raises(ValueError, match="sos\\[:, 3\\] should be all ones"):
        sp.signal.sosfilt(np.full((1, 6), 2.0), x)
    with pytest.raises(ValueError, match="expected \\(1,\\), found \\(2,\\)"):
        sp.signal.lfilter([1.0], [1.0, 0.5], x, zi=np.zeros(2))


def test_spectra_refuse_by_name_what_has_no_rule_and_say_what_scipy_says():
    x = sg.tensor(np.arange(8.0), requires_grad=True)
    s = sp.signal
    for f, words in (
        (lambda: s.periodogram(sg.symbol("x", 8)), "periodogram of a symbol"),
        (lambda: s.istft(sg.symbol("x", (3, 8))), "istft of a symbol"),
    ):
        with pytest.raises(sg.NotDifferentiableError, match=f"^symgrad.scipy.signal.{words}"):
            f()
    with pytest.raises(ValueError, match="noverlap=4 must be less than nperseg=4"):
        s.welch(x, nperseg=4, noverlap=4)
    with pytest.warns(UserWarning, match="nperseg=256 is greater than signal length"):
        s.welch(x)


def test_the_power_in_a_spectrum_is_that_of_the_signal():
    """Parseval: the density of all frequencies together is the mean square, and so are their gradients."""
    x = np.random.default_rng(3).normal(size=32)
    whole = lambda x: sp.signal.periodogram(x, detrend=False)[1].sum() / 32
    np.testing.assert_allclose(sg.grad(whole)(x), x / 16, atol=1e-14)
    np.testing.assert_allclose(np.asarray(sg.hessian(whole)(x)), np.eye(32) / 16, atol=1e-13)
