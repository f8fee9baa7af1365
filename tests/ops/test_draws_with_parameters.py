"""Draws from binomial and gamma distributions: their distributions, and the derivative of a draw in its parameter."""

import numpy as np
import pytest
from scipy import special, stats

import symgrad as sg

SHAPES = [0.01, 0.1, 0.5, 1.0, 3.0, 50.0, 1e4]


@pytest.mark.parametrize("shape", SHAPES)
def test_gamma_draws_are_of_the_gamma_distribution(shape):
    sg.manual_seed(7)
    draws = sg._standard_gamma(sg.full((4000,), shape)).numpy()
    assert (draws > 0).all() and stats.kstest(np.log(draws), stats.loggamma(shape).cdf).pvalue > 1e-3


@pytest.mark.parametrize("shape", SHAPES)
def test_a_gamma_draw_moves_with_its_shape_as_the_quantile_does(shape):
    """Against differences of SciPy's quantile function at the level that was drawn, at first and second order."""
    sg.manual_seed(3)
    a = sg.full((30,), shape, requires_grad=True)
    x = sg._standard_gamma(a)
    (slope,) = sg.autograd.grad(x.sum(), a, create_graph=True)
    (bend,) = sg.autograd.grad(slope.sum(), a)
    level, h = special.gammainc(shape, x.detach().numpy()), 1e-3 * shape * min(1, 10 * shape)
    inside = (level > 1e-3) & (level < 0.999) & (x.detach().numpy() > 1e-250)  # where digits are left to compare
    at = lambda k: special.gammaincinv(shape + k * h, level)
    first = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    second = (16 * (at(1) + at(-1)) - (at(2) + at(-2)) - 30 * at(0)) / (12 * h**2)
    scale = np.abs(at(0)) / shape
    np.testing.assert_allclose((slope.detach().numpy() / scale)[inside], (first / scale)[inside], rtol=1e-6, atol=1e-6)
    scale = scale / shape * max(1, 1 / shape)
    np.testing.assert_allclose((bend.numpy() / scale)[inside], (second / scale)[inside], rtol=1e-4, atol=1e-4)


def test_the_smallest_gamma_draws_have_derivatives():
    a = sg.full((200,), 1e-3, requires_grad=True)
    x = sg._standard_gamma(a)
    x.sum().backward()
    assert (x > 0).all() and x.min() < 1e-300 and np.isfinite(a.grad.numpy()).all()


def test_binomial_draws_are_of_the_binomial_distribution():
    sg.manual_seed(5)
    draws = sg.binomial(sg.full((4000, 1), 12.0), sg.tensor([0.0, 0.3, 1.0])).numpy()
    assert (draws[:, 0] == 0).all() and (draws[:, 2] == 12).all()
    counts = np.bincount(draws[:, 1].astype(int), minlength=13)
    expected = 4000 * stats.binom(12, 0.3).pmf(np.arange(13))
    kept = expected > 5
    assert stats.chisquare(counts[kept], expected[kept] * counts[kept].sum() / expected[kept].sum()).pvalue > 1e-3


def test_draws_repeat_with_their_generator():
    def draws():
        generator = sg.Generator().manual_seed(4)
        n, p = sg.full((3,), 9.0), sg.full((3,), 0.5)
        return sg.binomial(n, p, generator).tolist(), sg._standard_gamma(n, generator).tolist()

    assert draws() == draws()


def test_what_is_no_parameter_is_said():
    p = sg.tensor([0.5], requires_grad=True)
    with pytest.raises(sg.NotDifferentiableError, match="'binomial'"):
        sg.binomial(sg.tensor([10.0]), p)
    with sg.no_grad():
        assert 0 <= sg.binomial(sg.tensor([10.0]), p) <= 10
    for count, prob in ((10.0, 1.5), (10.0, np.nan), (np.inf, 0.5)):
        with pytest.raises(ValueError, match="finite counts, and probabilities"):
            sg.binomial(sg.tensor([count]), sg.tensor([prob]))
    for shape in (0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="positive shape"):
            sg._standard_gamma(sg.tensor([shape]))
    with pytest.raises(TypeError, match="floating-point dtypes for count"):
        sg.binomial(sg.tensor([10]), sg.tensor([0.5]))
