"""Extreme parameters and the ends of supports: against mpmath, and PyTorch where it says what happens there."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
import scipy.stats as st
from scipy import integrate

import symgrad as sg
from symgrad import distributions as D

KL = D.kl_divergence


def agrees(made, truth, at, rtol=1e-12, orders=2):
    """Value, first and second derivatives by each of the numbers, against differences with 2,000 digits."""
    given = [sg.tensor(v, requires_grad=True) for v in at]
    found = {(): made(*given)}
    for i, slope in enumerate(sg.autograd.grad(found[()], given, create_graph=True, allow_unused=True)):
        found[i,] = slope
        if orders == 2 and slope is not None and slope.requires_grad:
            bends = sg.autograd.grad(slope, given, retain_graph=True, allow_unused=True)
            found.update({(i, j): bend for j, bend in enumerate(bends)})
    with mp.workdps(2000):
        at = [mp.mpf(v) for v in at]
        for order, value in found.items():
            f = truth
            for i in order:
                f = _slope(f, i)
            want, value = f(*at), 0.0 if value is None else value.item()
            if abs(want) < mp.mpf("1e-300"):  # differences of what does not hang on a number have 1e-400
                assert abs(value) <= 1e-300, (order, value)
            elif abs(want) > mp.mpf("1.7e308"):
                assert value == math.copysign(math.inf, want), (order, value)
            else:
                assert abs(value - want) <= rtol * abs(want), (order, value, float(want))


def _slope(f, i):
    return lambda *a: mp.diff(lambda v: f(*a[:i], v, *a[i + 1 :]), a[i], h=(abs(a[i]) or 1) * mp.mpf(10) ** -400)


# Moments -------------------------------------------------------------------------------------------------------------

SIZES = (1e-200, 1e-8, 1.7, 1e8, 1e200)


@pytest.mark.parametrize("s", SIZES)
def test_standard_deviations_where_variances_are_too_large_or_too_small(s):
    agrees(lambda s: D.Laplace(0.0, s).stddev, lambda s: mp.sqrt(2) * s, [s])
    agrees(lambda s: D.Uniform(-s, s).stddev, lambda s: s / mp.sqrt(3), [s])
    agrees(lambda s: D.StudentT(3.0, 0.0, s).stddev, lambda s: s * mp.sqrt(3), [s])
    agrees(lambda r: D.Gamma(2.5, r).stddev, lambda r: mp.sqrt(2.5) / r, [s], orders=1)
    agrees(lambda m: D.LogNormal(m, 0.5).stddev, lambda m: mp.sqrt(mp.expm1(0.25)) * mp.exp(m + 0.125), [math.log(s)])


def test_moments_of_large_and_small_parameters():
    assert float(D.Uniform(-1e300, 1e300).stddev) == pytest.approx(5.773502691896258e299, rel=1e-15)
    assert float(D.Uniform(1.6e308, 1.7e308).mean) == pytest.approx(1.65e308, rel=1e-15)
    assert float(D.Beta(1e-300, 1e-300).variance) == 0.25
    assert float(D.Beta(1e200, 1e200).stddev) == pytest.approx(math.sqrt(1 / 8) * 1e-100, rel=1e-14)
    assert float(D.Gamma(1e300, 1e200).variance) == pytest.approx(1e-100, rel=1e-14)
    d = D.StudentT(sg.tensor([0.5, 1.0, 1.5, 2.0, math.inf]))
    np.testing.assert_array_equal(d.variance, [np.nan, np.nan, np.inf, np.inf, 1.0])
    np.testing.assert_array_equal(d.stddev, [np.nan, np.nan, np.inf, np.inf, 1.0])
    for z in (-700.0, -40.0, 0.3, 40.0, 700.0):

        def one(z):
            return 1 / (1 + mp.exp(z)) / (1 + mp.exp(-z))

        agrees(lambda z: D.Bernoulli(logits=z).variance, one, [z])
        agrees(lambda z: D.Binomial(7.0, logits=z).variance, lambda z: 7 * one(z), [z])


# Outside the support, and at its ends --------------------------------------------------------------------------------


def test_a_log_normal_number_is_not_below_0():
    d = D.LogNormal(0.0, 1.0)
    assert float(d.cdf(sg.tensor(0.0))) == 0
    for ask in (
        lambda: d.cdf(sg.tensor(-1.0)),
        lambda: d.log_prob(sg.tensor(0.0)),
        lambda: d.log_prob(sg.tensor(-1.0)),
    ):
        with pytest.raises(ValueError, match=r"(?s)support \(GreaterThan\(lower_bound=0.0\)\).*\nIt is"):
            ask()
    d = D.LogNormal(0.0, 1.0, validate_args=False)
    x = sg.tensor([-1.0, 0.0, 1.0, math.inf])
    assert d.cdf(x).tolist() == [0, 0, 0.5, 1]
    assert d.log_prob(x[:3]).tolist()[:2] == [-math.inf, -math.inf]


def test_a_transformed_one_says_what_pytorch_says():
    torch = pytest.importorskip("torch")
    makers = [
        lambda d, t, p: d.TransformedDistribution(d.Normal(t(0.0), t(1.0)), [p.ExpTransform()]),
        lambda d, t, p: d.TransformedDistribution(d.Uniform(t(0.0), t(1.0)), [p.AffineTransform(0.0, 2.0)]),
        lambda d, t, p: d.TransformedDistribution(d.Exponential(t(1.0)), [p.AffineTransform(0.0, -2.0)]),
        lambda d, t, p: d.TransformedDistribution(d.Normal(t(0.0), t(1.0)), [p.TanhTransform()]),
        lambda d, t, p: d.LogNormal(t(0.0), t(1.0)),
    ]
    for make, method, x in itertools.product(makers, ("cdf", "log_prob"), (-3.0, -1.0, -0.5, 0.0, 0.5, 1.5, 3.0)):
        answers = []
        for library, tensor in ((D, sg.tensor), (torch.distributions, lambda v: torch.tensor(v, dtype=torch.float64))):
            try:
                answers.append(float(getattr(make(library, tensor, library.transforms), method)(tensor(x))))
            except ValueError:
                answers.append("ValueError")
        assert answers[0] == answers[1] or answers[0] == pytest.approx(answers[1], nan_ok=True), (method, x, answers)


def test_a_missing_value_has_no_density():
    d = D.LogNormal(0.0, 1.0, validate_args=False)
    np.testing.assert_array_equal(d.log_prob(sg.tensor([math.nan, -1.0])), [np.nan, -np.inf])
    np.testing.assert_array_equal(sg.grad(lambda x: d.log_prob(x).sum())(np.array([math.nan, -1.0])), [np.nan, 0.0])
    base = D.Independent(D.Normal(sg.zeros(2), 1.0, validate_args=False), 1, validate_args=False)
    pair = D.TransformedDistribution(base, [D.ExpTransform()], validate_args=False)
    np.testing.assert_array_equal(pair.log_prob(sg.tensor([[1.0, math.nan], [1.0, -1.0]])), [np.nan, -np.inf])


def test_asked_anywhere_a_density_is_0_outside_and_a_probability_0_or_1():
    """With validate_args=False; derivatives there are 0."""
    for d, points in (
        (D.Exponential(2.0, validate_args=False), [-1.0]), (D.Gamma(2.5, 1.0, validate_args=False), [-1.0]),
        (D.Beta(2.0, 3.0, validate_args=False), [-0.5, 1.5]), (D.Uniform(2.0, 3.0, validate_args=False), [1.0, 3.5]),
    ):  # fmt: skip
        x = sg.tensor(points, requires_grad=True)
        for found, want in ((d.log_prob(x), [-math.inf, -math.inf]), (d.cdf(x), [0.0, 1.0])):
            assert found.tolist() == want[: len(points)]
            assert sg.autograd.grad(found.sum(), x)[0].tolist() == [0] * len(points)
    base = D.Exponential(1.0, validate_args=False)
    d = D.TransformedDistribution(base, [D.PowerTransform(2.0)], validate_args=False)
    assert d.cdf(sg.tensor(-1.0)) == 0 and d.log_prob(sg.tensor(-1.0)) == -math.inf
    with pytest.raises(ValueError, match="support"):
        D.Exponential(2.0).cdf(sg.tensor(-1.0))


def test_what_is_no_probability_has_no_quantile():
    levels = sg.tensor([-0.1, 1.5, math.nan])
    for d in (D.Normal(0.0, 1.0), D.Laplace(0.0, 1.0), D.Uniform(0.0, 1.0), D.Exponential(1.0), D.Gamma(2.0, 1.0),
              D.Beta(2.0, 3.0), D.StudentT(3.0), D.LogNormal(0.0, 1.0)):  # fmt: skip
        assert np.isnan(d.icdf(levels)).all()
        ends = d.icdf(sg.tensor([0.0, 1.0]))
        assert d.cdf(sg.tensor([0.5])).shape == (1,) and not np.isnan(ends).any()


# Few and many --------------------------------------------------------------------------------------------------------


def softplus(z):
    return mp.log1p(mp.exp(z))


def share(z):
    return 1 / (1 + mp.exp(-z))


@pytest.mark.parametrize("z", [-700.0, -40.0, -1.0, 0.5, 40.0, 700.0])
def test_nothing_is_lost_of_logits(z):
    for x in (0.0, 1.0):
        agrees(
            lambda z, x=x: D.Bernoulli(logits=z).log_prob(sg.tensor(x)),
            lambda z, x=x: x * z - softplus(z),
            [z],
            orders=1,
        )
    for k in (0.0, 3.0, 7.0):
        agrees(
            lambda z, k=k: D.Binomial(7.0, logits=z).log_prob(sg.tensor(k)),
            lambda z, k=k: k * z - 7 * softplus(z) + mp.log(mp.binomial(7, k)), [z], orders=1,
        )  # fmt: skip
    agrees(lambda z: D.Bernoulli(logits=z).entropy(), lambda z: softplus(z) - z * share(z), [z])
    for w in (-39.0, 0.25, 41.0):
        agrees(
            lambda z, w: KL(D.Bernoulli(logits=z), D.Bernoulli(logits=w)),
            lambda z, w: share(z) * (z - w) + softplus(w) - softplus(z), [z, w], orders=1,
        )  # fmt: skip


def test_infinite_logits_are_the_probabilities_0_and_1():
    z, q = sg.tensor([math.inf, -math.inf], requires_grad=True), sg.tensor([1.0, 0.0])
    d = D.Bernoulli(logits=z)
    for x in (0.0, 1.0):
        np.testing.assert_array_equal(d.log_prob(sg.tensor(x)).detach(), D.Bernoulli(q).log_prob(sg.tensor(x)))
    assert d.entropy().tolist() == d.variance.tolist() == [0, 0]
    assert sg.autograd.grad(d.log_prob(q).sum(), z)[0].tolist() == [0, 0]
    assert D.Binomial(3, logits=z).log_prob(3 * q).tolist() == [0, 0]


@pytest.mark.parametrize("p", [1e-300, 1e-20, 1e-8, 0.3])
def test_small_probabilities_are_not_lost_beside_1(p):
    def entropy(p):
        return -p * mp.log(p) - (1 - p) * mp.log(1 - p)

    agrees(lambda p: D.Bernoulli(p).entropy(), entropy, [p])
    for q in (1e-280, 2e-20, 1e-8, 0.25):
        agrees(
            lambda p, q: KL(D.Bernoulli(p), D.Bernoulli(q)),
            lambda p, q: p * mp.log(p / q) + (1 - p) * mp.log((1 - p) / (1 - q)), [p, q], 1e-7 if p == q else 1e-11,
        )  # fmt: skip


def test_of_many_trials_the_number_of_choices_keeps_its_digits():
    for n, k in ((7, 3), (1000, 999), (10**6, 3), (10**6, 500_000), (10**8, 10**8 - 3), (10**15, 1), (10**15, 10**15)):
        with mp.workdps(60):
            p = mp.mpf(k + 1) / (n + 2)
            p = mp.mpf(float(p))
            choices = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
            want = choices + k * mp.log(p) + (n - k) * mp.log1p(-p)
        found = D.Binomial(float(n), float(p)).log_prob(sg.tensor(float(k)))
        assert abs(found.item() - want) <= 1e-15 * (1 + choices + abs(k * mp.log(p)) + abs((n - k) * mp.log1p(-p)))
    nothing = D.Binomial(3.0, 0.5, validate_args=False).log_prob(sg.tensor([-1.0, 4.0]))
    assert nothing.tolist() == [-math.inf, -math.inf]
    n = sg.tensor(5.0, requires_grad=True)  # is asked for as PyTorch's is
    (slope,) = sg.autograd.grad(D.Binomial(n, 0.25).log_prob(sg.tensor(2.0)), n)
    assert slope.item() == pytest.approx(float(mp.digamma(6) - mp.digamma(4)) + math.log(0.75))


# Divergences ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (D.Normal(0.3, 1.5), D.Laplace(1.0, 2.0)), (D.Normal(5.0, 0.1), D.Laplace(-1.0, 0.5)),
        (D.Uniform(0.25, 0.75), D.Beta(2.0, 3.5)), (D.Uniform(0.0, 1.0), D.Beta(0.5, 3.5)),
    ],
)  # fmt: skip
def test_a_divergence_between_families_is_its_integral(p, q):
    def of(x):
        x = sg.tensor(x)
        return float(p.log_prob(x).exp() * (p.log_prob(x) - q.log_prob(x)))

    low, high = (float(p.icdf(sg.tensor(level))) for level in (1e-15, 1 - 1e-15))
    found, _ = integrate.quad(of, low, high, limit=200, points=[max(low, min(high, float(q.mean)))])
    assert float(KL(p, q)) == pytest.approx(found, rel=1e-6)


def test_a_normal_beside_a_laplace():
    def truth(m, s, n, t):
        away = s * mp.sqrt(2 / mp.pi) * mp.exp(-(((m - n) / s) ** 2) / 2) + (m - n) * mp.erf((m - n) / s / mp.sqrt(2))
        return mp.log(2 * t) + away / t - mp.log(s) - (1 + mp.log(2 * mp.pi)) / 2

    for at in ((0.0, 1.0, 0.5, 1.0), (0.0, 1e-8, 1.0, 2.0), (30.0, 1.0, 0.0, 0.5)):
        agrees(lambda m, s, n, t: KL(D.Normal(m, s), D.Laplace(n, t)), truth, at, 1e-11, orders=1)
    mu, s, m, b = sg.symbols("mu sigma m b")
    f = sg.formula(lambda mu: KL(D.Normal(mu, s), D.Laplace(m, b)), mu)
    with mp.workdps(30):
        assert f(mu=0.5, sigma=1.5, m=0.25, b=2.0) == pytest.approx(float(truth(0.5, 1.5, 0.25, 2.0)), rel=1e-14)
    assert str(f.grad("mu")) == "(2 Φ((μ − m)/σ) − 1)/b"


def test_of_a_class_of_ones_own_the_divergence_is_that_of_what_it_derives_from():
    class Same(D.Normal):
        pass

    assert KL(Same(0.0, 1.0), D.Gamma(1.0, 1.0)) == math.inf
    assert KL(D.Exponential(1.0), Same(0.0, 1.0)) == KL(D.Exponential(1.0), D.Normal(0.0, 1.0))


def test_divergences_of_counts_are_pytorchs_or_what_is_right():
    p, q = D.Bernoulli(sg.tensor([0.0, 0.3, 1.0])), D.Poisson(2.5)
    want = [2.5, 2.5 - 0.3 * math.log(2.5) - st.bernoulli(0.3).entropy(), 2.5 - math.log(2.5)]
    np.testing.assert_allclose(KL(p, q), want, rtol=1e-14)
    assert KL(D.Poisson(2.0), p).tolist() == [math.inf] * 3 and KL(D.Poisson(2.0), D.Binomial(3, 0.5)) == math.inf
    np.testing.assert_allclose(KL(D.Poisson(0.0), D.Binomial(3.0, 0.25)), -3 * math.log(0.75))  # there is only 0
    rates = sg.tensor([0.0, 2.0])
    np.testing.assert_array_equal(KL(D.Poisson(rates.unsqueeze(1)), D.Poisson(rates)), [[0.0, 2.0], [math.inf, 0.0]])
    assert KL(D.Poisson(1e8), D.Poisson(1e8 + 1)).item() == pytest.approx(4.9999999833e-9, rel=1e-7)
    sure = D.Bernoulli(sg.tensor([0.0, 1.0]))
    np.testing.assert_allclose(
        KL(sure, D.Bernoulli(logits=0.3)), [math.log1p(math.exp(0.3)), math.log1p(math.exp(-0.3))]
    )
    assert KL(sure, sure).tolist() == [0, 0] and repr(sure.entropy()) == "tensor([0., 0.])"


@pytest.mark.parametrize("given", [("probs", "probs"), ("probs", "logits"), ("logits", "probs"), ("logits", "logits")])
@pytest.mark.parametrize("trials", [1, 6])
def test_a_divergence_does_not_hang_on_how_probabilities_were_given(given, trials):
    """It is the mean of log p(k)/q(k); of six trials it once had the entropy of six for that of one."""
    a, b = np.array([0.3, 0.9, 0.5]), np.array([0.5, 0.8, 0.5])
    k = np.arange(trials + 1)[:, None]
    law, other = st.binom(trials, a), st.binom(trials, b)
    want = (law.pmf(k) * (law.logpmf(k) - other.logpmf(k))).sum(0)
    shares = [sg.tensor(v) if way == "probs" else sg.tensor(v).logit() for v, way in zip((a, b), given, strict=True)]
    kinds = [D.Bernoulli] * (trials == 1) + [lambda **p: D.Binomial(trials, **p)]
    for make in kinds:
        p, q = (make(**{way: v}) for v, way in zip(shares, given, strict=True))
        np.testing.assert_allclose(KL(p, q), want, rtol=1e-12, atol=1e-15)


def test_numbers_of_classes_are_no_vectors():
    numbers, vectors = D.Categorical(sg.ones(3)), D.OneHotCategorical(sg.ones(3))
    assert KL(numbers, numbers) == KL(vectors, vectors) == 0
    for p, q in ((numbers, vectors), (vectors, numbers)):
        with pytest.raises(NotImplementedError, match="numbers and classes as vectors"):
            KL(p, q)


def test_the_second_derivative_of_two_laplaces_at_one_place():
    """It is 1/(bc), Fisher's information where b = c: the kink of |x| is not one of the divergence."""
    for b, c in ((1.0, 1.0), (0.5, 3.0)):
        at = sg.tensor([0.25, 0.25])
        H = sg.autograd.functional.hessian(lambda m, b=b, c=c: KL(D.Laplace(m[0], b), D.Laplace(m[1], c)), at)
        np.testing.assert_allclose(H, np.array([[1, -1], [-1, 1]]) / (b * c))


def test_transforms_that_meet_while_they_are_differentiated_are_two():
    """N(a, 1) from N(b + 1, 1) is (a − b − 1)²/2, whose slope by a is −1 at a = b: the bases alone have none."""
    a, b = (sg.tensor(0.3, requires_grad=True) for _ in "ab")
    moved = lambda mean, by: D.TransformedDistribution(D.Normal(mean, 1.0), D.AffineTransform(by, 1.0))
    with pytest.raises(NotImplementedError, match="different ways"):
        KL(moved(0.0, a), moved(1.0, b))
    assert KL(moved(0.0, a), moved(1.0, a)) == KL(moved(0.0, 0.3), moved(1.0, sg.tensor(0.3))) == 0.5
    assert D.AffineTransform(sg.zeros(2), 1.0) != D.AffineTransform(sg.zeros(3), 1.0)


def test_a_uniform_number_far_from_0_beside_a_gamma():
    """The mean of log x over [10⁸, 10⁸ + 1], where x log x at both ends are nearly the same."""
    with mp.workdps(60):
        low, high = mp.mpf(10) ** 8, mp.mpf(10) ** 8 + 1
        log = (high * mp.log(high) - low * mp.log(low)) / (high - low) - 1
        want = (low + high) / 2 * 3 - log - 2 * mp.log(3)
    assert KL(D.Uniform(1e8, 1e8 + 1), D.Gamma(2.0, 3.0)).item() == pytest.approx(float(want), rel=1e-15)


# Draws, shapes -------------------------------------------------------------------------------------------------------


def test_n_draws_by_the_old_name():
    sg.manual_seed(5)
    with pytest.warns(FutureWarning, match="sample_n"):
        found = D.Normal(sg.zeros(2), 1.0).sample_n(3)
    sg.manual_seed(5)
    assert found.tolist() == D.Normal(sg.zeros(2), 1.0).sample((3,)).tolist()


@pytest.mark.parametrize("make", [
    lambda v: D.Normal(v, 1.0), lambda v: D.Laplace(v, 1.0), lambda v: D.Uniform(v, 2.0), lambda v: D.Exponential(v),
    lambda v: D.Gamma(v, 1.0), lambda v: D.Beta(v, 1.0), lambda v: D.StudentT(v), lambda v: D.LogNormal(v, 1.0),
])  # fmt: skip
def test_empty_batches_have_empty_answers(make):
    for dtype in (sg.float32, sg.float64):
        d = make(sg.zeros(0, 2, dtype=dtype))
        x = d.rsample((3,))
        found = [x, d.log_prob(x), d.cdf(x), d.icdf(x), d.entropy(), d.mean, d.variance, d.stddev]
        assert [tuple(v.shape) for v in found] == [(3, 0, 2)] * 4 + [(0, 2)] * 4
        assert {v.dtype for v in found} == {dtype}
