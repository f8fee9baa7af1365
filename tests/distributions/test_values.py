"""Densities, entropies, moments, divergences and shapes: against SciPy and integrals, and against PyTorch."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats as st
from scipy import integrate

import symgrad as sg
from symgrad import distributions as D

from ._families import CASES, FAMILIES, IDS, SIGMA

# Against SciPy -------------------------------------------------------------------------------------------------------

SCIPY = {
    "Normal": lambda loc, scale: st.norm(loc, scale), "Laplace": lambda loc, scale: st.laplace(loc, scale),
    "StudentT": lambda df, loc, scale: st.t(df, loc, scale), "Uniform": lambda low, high: st.uniform(low, high - low),
    "Exponential": lambda rate: st.expon(scale=1 / rate),
    "Gamma": lambda concentration, rate: st.gamma(concentration, scale=1 / rate),
    "Beta": lambda concentration1, concentration0: st.beta(concentration1, concentration0),
    "LogNormal": lambda loc, scale: st.lognorm(scale, scale=np.exp(loc)),
    "Bernoulli": lambda probs: st.bernoulli(probs),
    "Binomial": lambda total_count, probs: st.binom(total_count, probs), "Poisson": lambda rate: st.poisson(rate),
}  # fmt: skip


def made(name, given, grad=False):
    tensors = {k: sg.tensor(v, dtype=sg.float64, requires_grad=grad) for k, v in given.items()}
    return getattr(D, name)(**tensors), tensors


@pytest.mark.parametrize("name", SCIPY)
def test_functions_are_scipys(name):
    given, value = FAMILIES[name]
    d, _ = made(name, given)
    other = SCIPY[name](**{k: np.array(v) for k, v in given.items()})
    log = (
        other.logpdf
        if hasattr(other, "logpdf") and other.dist.__class__.__module__.endswith("continuous_distns")
        else other.logpmf
    )
    np.testing.assert_allclose(d.log_prob(sg.tensor(value)), log(value), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(d.entropy(), other.entropy(), rtol=1e-9)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(d.variance, np.where(np.isfinite(other.var()), other.var(), d.variance), rtol=1e-11)
        np.testing.assert_allclose(d.mean, np.where(np.isfinite(other.mean()), other.mean(), d.mean), rtol=1e-12)
    np.testing.assert_allclose(d.stddev, d.variance**0.5)
    if d.has_rsample:
        np.testing.assert_allclose(d.cdf(sg.tensor(value)), other.cdf(value), rtol=1e-11)
        np.testing.assert_allclose(d.icdf(sg.tensor([0.1, 0.5, 0.999])), other.ppf([0.1, 0.5, 0.999]), rtol=1e-9)


def test_vectors_are_scipys():
    given, value = FAMILIES["MultivariateNormal"]
    d, _ = made("MultivariateNormal", given)
    for k in range(2):
        other = st.multivariate_normal(given["loc"][k], SIGMA)
        np.testing.assert_allclose(d.log_prob(sg.tensor(value))[k], other.logpdf(value[k]), rtol=1e-12)
        np.testing.assert_allclose(d.entropy()[k], other.entropy(), rtol=1e-12)
    given, value = FAMILIES["Dirichlet"]
    d, _ = made("Dirichlet", given)
    for k in range(2):
        other = st.dirichlet(given["concentration"][k])
        np.testing.assert_allclose(d.log_prob(sg.tensor(value))[k], other.logpdf(value[k]), rtol=1e-12)
        np.testing.assert_allclose(d.entropy()[k], other.entropy(), rtol=1e-12)
        np.testing.assert_allclose(d.variance[k], other.var(), rtol=1e-12)
    p = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(D.Categorical(sg.tensor(7 * p)).entropy(), st.entropy(p), rtol=1e-13)
    q = D.OneHotCategorical(logits=sg.zeros(3))
    np.testing.assert_allclose(D.kl_divergence(D.OneHotCategorical(sg.tensor(p)), q), st.entropy(p, p * 0 + 1 / 3))


def test_one_covariance_in_three_ways():
    S, m, x = sg.tensor(SIGMA), sg.zeros(3), sg.tensor([0.3, -1.0, 2.0])
    ways = [
        D.MultivariateNormal(m, S), D.MultivariateNormal(m, precision_matrix=sg.linalg.inv(S)),
        D.MultivariateNormal(m, scale_tril=sg.linalg.cholesky(S)),
    ]  # fmt: skip
    for d in ways:
        np.testing.assert_allclose(d.log_prob(x), st.multivariate_normal(np.zeros(3), SIGMA).logpdf(x), rtol=1e-12)
        np.testing.assert_allclose(d.covariance_matrix, SIGMA, rtol=1e-12)
        np.testing.assert_allclose(d.precision_matrix @ S, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(d.scale_tril @ d.scale_tril.mT, SIGMA, rtol=1e-12)
        np.testing.assert_allclose(d.variance, SIGMA.diagonal(), rtol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_slopes_of_densities_are_those_of_differences(case):
    name, (given, value) = case
    d, tensors = made(name, given, grad=True)
    free = [t for k, t in tensors.items() if k != "total_count"]
    value, _ = sg.tensor(value), d
    found = sg.autograd.grad(made_of(name, tensors).log_prob(value).sum(), free)
    for tensor, slope in zip(free, found, strict=True):
        at, h = tensor.detach().numpy().copy(), 1e-6
        for k in np.ndindex(at.shape):
            step = h * max(abs(at[k]), 1e-3)
            ends = []
            for sign in (1, -1):
                moved = at.copy()
                moved[k] += sign * step
                if name == "MultivariateNormal" and moved.shape == (3, 3):
                    moved = (moved + moved.T) / 2
                others = {n: sg.tensor(moved) if t is tensor else t.detach() for n, t in tensors.items()}
                ends.append(float(made_of(name, others).log_prob(value).sum()))
            scale = max(abs(ends[0]), 1.0) / step * 1e-15
            np.testing.assert_allclose(slope[k].item(), (ends[0] - ends[1]) / 2 / step, rtol=1e-5, atol=20 * scale)


def made_of(name, tensors):
    return getattr(D, name)(**tensors)


# Divergences against integrals and sums ------------------------------------------------------------------------------

PAIRS = [
    (D.Normal(0.3, 1.0), D.Normal(1.0, 2.0)), (D.Laplace(0.0, 1.0), D.Laplace(1.0, 2.0)),
    (D.Gamma(2.0, 3.0), D.Gamma(3.0, 1.5)), (D.Beta(2.0, 3.0), D.Beta(1.5, 2.0)),
    (D.Exponential(2.0), D.Exponential(0.5)), (D.Uniform(0.0, 3.0), D.Uniform(-1.0, 4.0)),
    (D.LogNormal(0.0, 1.0), D.LogNormal(0.5, 2.0)), (D.Gamma(2.0, 3.0), D.Normal(1.0, 2.0)),
    (D.Uniform(0.5, 3.0), D.Normal(1.0, 2.0)), (D.Exponential(2.0), D.Normal(1.0, 2.0)),
    (D.Laplace(0.0, 1.0), D.Normal(1.0, 2.0)), (D.Beta(2.0, 3.0), D.Normal(1.0, 2.0)),
    (D.Uniform(0.5, 3.0), D.Exponential(2.0)), (D.Beta(2.0, 3.0), D.Exponential(2.0)),
    (D.Gamma(2.0, 3.0), D.Exponential(2.0)), (D.Exponential(2.0), D.Gamma(2.0, 3.0)),
    (D.Uniform(0.5, 3.0), D.Gamma(2.5, 3.0)), (D.Beta(2.0, 3.0), D.Gamma(2.5, 3.0)),
    (D.Beta(2.0, 3.0), D.Uniform(-1.0, 2.0)),
]  # fmt: skip


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_a_divergence_is_its_integral(p, q):
    def of(x):
        x = sg.tensor(x)
        return float(p.log_prob(x).exp() * (p.log_prob(x) - q.log_prob(x)))

    ends = [float(p.icdf(sg.tensor(level))) for level in (1e-14, 0.3, 0.7, 1 - 1e-13)]
    found = sum(
        integrate.quad(of, low, high, limit=200, points=[0.0] if low < 0 < high else None)[0]
        for low, high in itertools.pairwise(ends)
    )
    assert abs(float(D.kl_divergence(p, q)) - found) < 1e-7 * max(1, found)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (D.Poisson(4.0), D.Poisson(2.0)), (D.Binomial(7, 0.3), D.Binomial(7, 0.6)),
        (D.Binomial(7, logits=0.3), D.Binomial(7, logits=-1.0)), (D.Bernoulli(0.3), D.Bernoulli(0.6)),
        (D.Bernoulli(logits=0.3), D.Bernoulli(0.6)),
    ],
)  # fmt: skip
def test_a_divergence_of_counts_is_its_sum(p, q):
    top = {D.Poisson: 120, D.Binomial: 7, D.Bernoulli: 1}[type(p)]
    k = sg.arange(top + 1.0)
    found = (p.log_prob(k).exp() * (p.log_prob(k) - q.log_prob(k))).sum()
    np.testing.assert_allclose(D.kl_divergence(p, q), found, rtol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_of_two_equals_the_divergence_is_0(case):
    name, (given, _) = case
    if name == "StudentT":
        return
    (p, _), (q, _) = made(name, given), made(name, given)
    np.testing.assert_allclose(D.kl_divergence(p, q), 0.0, atol=1e-13)


def test_what_q_cannot_have_makes_a_divergence_infinite():
    for p, q in (
        (D.Normal(0.0, 1.0), D.Gamma(1.0, 1.0)), (D.Normal(0.0, 1.0), D.Uniform(0.0, 1.0)),
        (D.Uniform(-1.0, 1.0), D.Exponential(1.0)), (D.Uniform(0.0, 2.0), D.Uniform(0.0, 1.0)),
        (D.Laplace(0.0, 1.0), D.Exponential(1.0)), (D.Bernoulli(0.5), D.Bernoulli(1.0)),
        (D.Categorical(sg.ones(2)), D.Categorical(sg.tensor([1.0, 0.0]))), (D.Binomial(6, 0.5), D.Binomial(5, 0.5)),
        (D.Poisson(1.0), D.Poisson(0.0)),
    ):  # fmt: skip
        assert float(D.kl_divergence(p, q)) == math.inf, (p, q)
    never = D.Categorical(logits=sg.tensor([0.0, -math.inf]))
    np.testing.assert_allclose(D.kl_divergence(never, D.Categorical(sg.ones(2))), math.log(2))
    assert float(never.entropy()) == 0 and never.log_prob(sg.tensor([0, 1])).tolist() == [0, -math.inf]


def test_divergences_of_what_is_made_of_others():
    p, q = D.Normal(sg.zeros(2, 3), 1.0), D.Normal(sg.ones(2, 3), 2.0)
    each = D.kl_divergence(p, q)
    of_rows = D.kl_divergence(D.Independent(p, 1), D.Independent(q, 1))
    np.testing.assert_allclose(of_rows, each.sum(-1))
    exp = D.transforms.ExpTransform()
    moved = [D.TransformedDistribution(d, [exp]) for d in (p, q)]
    np.testing.assert_allclose(D.kl_divergence(*moved), each)
    with pytest.raises(NotImplementedError, match="different ways"):
        D.kl_divergence(moved[0], D.TransformedDistribution(q, [exp, exp]))
    with pytest.raises(NotImplementedError, match="(?s)StudentT and q type Normal.*register_kl"):
        D.kl_divergence(D.StudentT(1.0), D.Normal(0.0, 1.0))


def test_the_mode_of_a_density_with_several_infinite_ends_is_the_most_infinite():
    beta, x = D.Beta(0.3, 0.5), 1e-9
    assert beta.log_prob(sg.tensor(x)) > beta.log_prob(sg.tensor(1 - x))
    assert float(beta.mode) == 0.0 and float(D.Beta(0.5, 0.3).mode) == 1.0
    assert D.Dirichlet(sg.tensor([0.3, 0.5, 0.2])).mode.tolist() == [0.0, 1.0, 0.0]


# Shapes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_shapes(case):
    name, (given, value) = case
    d, _ = made(name, given)
    wide = d.expand((4, *d.batch_shape))
    for one in (d, wide):
        draws = one.sample((5, 6))
        assert draws.shape == (5, 6, *one.batch_shape, *one.event_shape)
        assert one.log_prob(draws).shape == (5, 6, *one.batch_shape)
        assert one.entropy().shape == one.batch_shape
        assert one.mean.shape == one.batch_shape + (one.event_shape if name != "Categorical" else ())
        assert one.sample().shape == one.batch_shape + one.event_shape
        assert one.sample((0,)).shape == (0, *one.batch_shape, *one.event_shape)
    np.testing.assert_array_equal(wide.log_prob(sg.tensor(value))[3], d.log_prob(sg.tensor(value)))
    assert D.Independent(d, 1).event_shape == d.batch_shape[-1:] + d.event_shape
    assert D.Independent(wide, 1).log_prob(wide.sample((5,))).shape == (5, 4)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_float32_stays_float32(case):
    name, (given, value) = case
    d = getattr(D, name)(**{k: sg.tensor(v, dtype=sg.float32) for k, v in given.items()})
    found = [d.entropy(), d.mean, d.variance, d.log_prob(sg.tensor(value).to(sg.float32))]
    found += [d.sample()] if name != "Categorical" else []
    assert {str(x.dtype) for x in found} == {"symgrad.float32"}


@pytest.mark.parametrize("name", ["Bernoulli", "Binomial", "Categorical", "OneHotCategorical"])
def test_all_values_have_the_probability_1(name):
    given = dict(FAMILIES[name][0], **({"total_count": [7.0, 7.0, 7.0]} if name == "Binomial" else {}))
    d, _ = made(name, given)
    assert d.has_enumerate_support
    values = d.enumerate_support()
    np.testing.assert_allclose(d.log_prob(values).exp().sum(0), 1.0)
    np.testing.assert_allclose(d.log_prob(d.enumerate_support(expand=False)), d.log_prob(values))


# Against PyTorch -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch():
    found = pytest.importorskip("torch")
    pytest.importorskip("torch.distributions")
    return found


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_values_and_slopes_are_pytorchs(case, torch):
    name, (given, value) = case
    own, tensors = made(name, given, grad=True)
    theirs = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in given.items()}
    other = getattr(torch.distributions, name)(**theirs)
    assert tuple(own.batch_shape) == tuple(other.batch_shape) and tuple(own.event_shape) == tuple(other.event_shape)
    assert (own.has_rsample, own.has_enumerate_support) == (other.has_rsample, other.has_enumerate_support)
    of_value = [own.log_prob(sg.tensor(value)), other.log_prob(torch.tensor(np.array(value)))]
    questions = [of_value, [own.mean, other.mean], [own.variance, other.variance], [own.stddev, other.stddev]]
    questions += [[own.mode, other.mode]] if name != "Beta" else [[own.mode[1:], other.mode[1:]]]
    differentiated = [of_value]
    if name not in ("Poisson", "Binomial"):
        differentiated.append([own.entropy(), other.entropy()])
        questions += differentiated[1:]
    for mine, wanted in questions:
        np.testing.assert_allclose(mine.detach(), wanted.detach().numpy(), rtol=1e-10, atol=1e-12)
    for mine, wanted in differentiated:
        if wanted.requires_grad:
            _same_slopes(mine, tensors, wanted, theirs, torch)


def _same_slopes(mine, tensors, wanted, theirs, torch):
    own = sg.autograd.grad(mine.sum(), list(tensors.values()), allow_unused=True, retain_graph=True)
    other = torch.autograd.grad(wanted.sum(), list(theirs.values()), allow_unused=True, retain_graph=True)
    for g, h in zip(own, other, strict=True):
        if h is not None and g is not None:
            g, h = g.numpy(), h.numpy()
            symmetric = g.shape[-2:] == (3, 3)  # of a covariance half of the slope may stand on either side
            g, h = (v + v.swapaxes(-1, -2) if symmetric else v for v in (g, h))
            np.testing.assert_allclose(g, h, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_divergences_are_pytorchs(case, torch):
    name, (given, _) = case
    if name == "StudentT":
        return
    other = {
        k: np.roll(v, 1, -1).tolist() if k not in ("covariance_matrix", "total_count") else v for k, v in given.items()
    }
    if name == "Uniform":
        other = {"low": [-1.0, -3.0, 0.0], "high": [2.0, 0.0, 49.0]}
    (p, tensors), (q, _) = made(name, given, grad=True), made(name, other)
    theirs = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in given.items()}
    a = getattr(torch.distributions, name)(**theirs)
    b = getattr(torch.distributions, name)(**{k: torch.tensor(v, dtype=torch.float64) for k, v in other.items()})
    mine, wanted = D.kl_divergence(p, q), torch.distributions.kl_divergence(a, b)
    np.testing.assert_allclose(mine.detach(), wanted.detach().numpy(), rtol=1e-9)
    finite = np.isfinite(wanted.detach().numpy())
    _same_slopes(mine[finite], tensors, wanted[torch.tensor(finite)], theirs, torch)
