"""Draws: their moments, their derivatives against mpmath, what has none, and where a draw must not get to."""

import mpmath
import numpy as np
import pytest

import symgrad as sg
from symgrad import distributions as D

from ._families import CASES, CONTINUOUS, FAMILIES, IDS

MANY = 20_000


def made(name, given, grad=False):
    return getattr(D, name)(**{k: sg.tensor(v, dtype=sg.float64, requires_grad=grad) for k, v in given.items()})


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_moments_of_draws(case):
    """Means and variances within five standard errors, those of the variance by the fourth moment of the draws."""
    name, (given, _) = case
    if name == "StudentT":
        given = dict(given, df=[5.0, 9.0, 60.0])
    d = made(name, given)
    if name == "Categorical":
        d = D.OneHotCategorical(**{k: sg.tensor(v) for k, v in given.items()})
    x = d.sample((MANY,)).numpy()
    assert not d.sample().requires_grad
    mean, variance = d.mean.numpy(), d.variance.numpy()
    assert (np.abs(x.mean(0) - mean) <= 5 * np.sqrt(variance / MANY) + 1e-12).all()
    fourth = ((x - mean) ** 4).mean(0)
    error = np.sqrt(np.maximum(fourth - variance**2, 0) / MANY)
    if name in ("Bernoulli", "Categorical", "OneHotCategorical"):  # what is rare may not be among them
        error = np.sqrt(variance / MANY)
    heavy = name in ("LogNormal", "StudentT")  # whose sixth moments are large, or none
    assert (
        np.abs(((x - mean) ** 2).mean(0) - variance) <= (12 if heavy else 6) * error + 10 / MANY * variance + 1e-12
    ).all()


@pytest.mark.parametrize("name", CONTINUOUS)
def test_draws_are_uniform_in_their_distribution_function(name):
    d = made(name, FAMILIES[name][0])
    if not hasattr(d, "_law") and name != "LogNormal":
        return
    levels = np.sort(d.cdf(d.sample((MANY,))).numpy(), 0)
    apart = np.abs(levels - (np.arange(MANY)[:, None] + 0.5) / MANY).max(0)
    assert (apart < 2.2 / np.sqrt(MANY)).all()  # Kolmogorov: beyond it with the probability 2 exp(-2 · 2.2²) = 1.3e-4


def test_the_covariance_of_draws():
    given = FAMILIES["MultivariateNormal"][0]
    x = made("MultivariateNormal", given).sample((MANY,)).numpy()[:, 0]
    assert np.abs(np.cov(x.T) - given["covariance_matrix"]).max() < 5 * 2 * np.sqrt(2 / MANY)


def test_draws_come_from_symgrads_generator():
    for name, (given, _) in FAMILIES.items():
        d = made(name, given)
        draws = []
        for _ in range(2):
            sg.manual_seed(7)
            draws.append(d.sample((3,)).tolist())
        assert draws[0] == draws[1] != d.sample((3,)).tolist()
    sg.manual_seed(1)
    x = D.Normal(2.0, 3.0).sample((4,))
    sg.manual_seed(1)
    np.testing.assert_allclose(x, 2 + 3 * sg.randn(4))


# Derivatives of draws ------------------------------------------------------------------------------------------------


def _gamma(x, a):
    below = mpmath.gammainc(a, 0, x, regularized=True)
    return below if x < a else 1 - mpmath.gammainc(a, x, mpmath.inf, regularized=True)


def _gamma_density(x, a):
    return mpmath.exp((a - 1) * mpmath.log(x) - x - mpmath.loggamma(a))


def _beta(x, a, b):
    return mpmath.betainc(a, b, 0, x, regularized=True)


def _beta_density(x, a, b):
    return x ** (a - 1) * (1 - x) ** (b - 1) / mpmath.beta(a, b)


def _student(t, n):
    tail = mpmath.betainc(n / 2, mpmath.mpf(1) / 2, 0, n / (n + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def _student_density(t, n):
    size = mpmath.gamma((n + 1) / 2) / mpmath.sqrt(n * mpmath.pi) / mpmath.gamma(n / 2)
    return size * (1 + t * t / n) ** (-(n + 1) / 2)


def _of_one(function, at, given, i):
    return lambda v: function(at, *[v if j == i else a for j, a in enumerate(given)])


IMPLICIT = [
    *[(lambda a: D.Gamma(a, 1.0), (a,), _gamma, _gamma_density) for a in (0.01, 0.3, 1.0, 2.5, 40.0, 300.0)],
    *[
        (D.Beta, shapes, _beta, _beta_density)
        for shapes in ((0.1, 0.2), (0.5, 2.0), (1.0, 1.0), (3.0, 30.0), (100.0, 200.0))
    ],
    *[(D.StudentT, (n,), _student, _student_density) for n in (0.3, 1.0, 2.5, 10.0, 100.0)],
]


@pytest.mark.parametrize("case", IMPLICIT, ids=[f"{case[2].__name__[1:]}{case[1]}" for case in IMPLICIT])
def test_a_draw_moves_with_its_shape_so_that_its_level_stays(case):
    """dF = 0: the derivative is −(∂F/∂a)/f, at what was drawn."""
    make, shapes, function, density = case
    tensors = [sg.full((2,), a, requires_grad=True) for a in shapes]
    x = make(*tensors).rsample()
    slopes = sg.autograd.grad(x.sum(), tensors)
    with mpmath.workdps(50):
        for k, at in enumerate(x.tolist()):
            for i, slope in enumerate(slopes):
                given = [mpmath.mpf(a) for a in shapes]
                moved = _of_one(function, mpmath.mpf(at), given, i)
                wanted = -mpmath.diff(moved, given[i]) / density(mpmath.mpf(at), *given)
                assert abs(slope[k].item() - wanted) < 1e-10 * abs(wanted)


@pytest.mark.parametrize("name", [name for name in CONTINUOUS if name != "Uniform"])  # whose support moves
def test_a_mean_of_slopes_of_draws_is_the_slope_of_the_mean(name):
    """Of the mean of a bounded function of a draw: against the score function's estimate, which needs no rsample."""
    given = {k: sg.tensor(v, requires_grad=True) for k, v in FAMILIES[name][0].items()}
    d = getattr(D, name)(**given)
    x = d.rsample((MANY,))
    centre, width = d.mean.detach().nan_to_num(0.0), d.stddev.detach().nan_to_num(1.0, posinf=1.0)
    f = ((x - centre) / width).tanh()
    found = sg.autograd.grad(f.mean(0).sum(), list(given.values()))
    draw = d.sample((MANY,))
    weights = ((draw - centre) / width).tanh()
    weights = weights.sum(-1) if d.event_shape else weights
    for (key, tensor), slope in zip(given.items(), found, strict=True):
        each = []
        for part in range(8):  # whose scatter says how far off the mean of them is
            rows = slice(part * MANY // 8, (part + 1) * MANY // 8)
            weighted = ((weights[rows] - weights.mean(0)) * getattr(D, name)(**given).log_prob(draw[rows])).mean(0)
            (g,) = sg.autograd.grad(weighted.sum(), tensor)
            each.append(g.numpy() + (g.mT.numpy() if key == "covariance_matrix" else 0))
        each, slope = np.array(each), slope.numpy() + (slope.mT.numpy() if key == "covariance_matrix" else 0)
        error = each.std(0) / np.sqrt(8) + 0.02 * np.abs(slope) + 1e-3 / np.sqrt(MANY)
        assert (np.abs(each.mean(0) - slope) < 8 * error).all(), key


def test_draws_are_differentiated_twice():
    sg.manual_seed(0)
    second = sg.autograd.functional.hessian(lambda a: D.Gamma(a, 2.0).rsample(), sg.tensor(2.0)).item()
    slopes = []
    for a in (2.0 - 1e-5, 2.0 + 1e-5):
        sg.manual_seed(0)
        t = sg.tensor(a, requires_grad=True)
        slopes += [g.item() for g in sg.autograd.grad(D.Gamma(t, 2.0).rsample(), t)]
    assert abs(second - (slopes[1] - slopes[0]) / 2e-5) < 1e-6


@pytest.mark.parametrize("name", ["Bernoulli", "Binomial", "Poisson", "Categorical", "OneHotCategorical"])
def test_what_has_no_derivative_says_so_by_name(name):
    d = made(name, FAMILIES[name][0], grad=True)
    assert not d.has_rsample and not d.sample().requires_grad
    with pytest.raises(sg.NotDifferentiableError, match=f"(?s){name} has no rsample.*log_prob"):
        d.rsample()
    with pytest.raises(NotImplementedError):
        D.Independent(d, 1).rsample()


def test_draws_stay_inside_an_open_support():
    for dtype in (sg.float32, sg.float64):
        small = sg.tensor([1e-3, 0.01, 0.1], dtype=dtype)
        for d in (D.Gamma(small, 1.0), D.Beta(small, small), D.Beta(small, 3.0), D.Dirichlet(small.expand(4, 3))):
            x = d.sample((2000,))
            assert x.dtype == dtype and (x > 0).all() and (x < np.inf).all()
            assert np.isfinite(d.log_prob(x)).all()
            if isinstance(d, D.Beta):
                assert (x < 1).all()


def test_what_is_drawn_first_does_not_lose_the_gradient_of_what_is_asked_later():
    logits = sg.zeros(3, requires_grad=True)
    d = D.Categorical(logits=logits)
    d.sample()
    assert d.probs.requires_grad
    probs = sg.tensor([0.2, 0.8], requires_grad=True)
    d = D.Bernoulli(probs)
    with sg.no_grad():
        assert d.logits.shape == (2,)
    assert d.logits.requires_grad


def test_a_mixture_draws_its_components():
    sg.manual_seed(0)
    d = D.MixtureSameFamily(
        D.Categorical(sg.tensor([0.2, 0.8])), D.Independent(D.Normal(sg.tensor([[-5.0, 1.0], [5.0, 2.0]]), 0.5), 1)
    )
    x = d.sample((MANY,)).numpy()
    assert x.shape == (MANY, 2) and d.sample((3, 4)).shape == (3, 4, 2)
    assert np.abs(x.mean(0) - d.mean.numpy()).max() < 5 * 4 / np.sqrt(MANY)
    np.testing.assert_allclose(x.var(0), d.variance, rtol=0.05)
    np.testing.assert_allclose((x[:, 0] < 0).mean(), 0.2, atol=0.01)
