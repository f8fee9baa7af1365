"""symgrad.scipy.stats: SciPy's values, exact derivatives; many digits of quantiles, tails and normal orthants."""

import mpmath
import numpy as np
import pytest
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp
from symgrad.ops.entries.distributions import _bivariate

from ..helpers.cases import one_in
from ..helpers.numeric import gradient, slope
from ._oracle import assert_scipys, cases_of
from ._stats_cases import CASES
from .test_mirror_edges import derivatives


@one_in(6)
@pytest.mark.parametrize("case", cases_of(CASES))
def test_values_are_scipys_and_derivatives_those_of_differences(case):
    assert_scipys(case)


# Quantiles, and distribution functions that are sums and integrals ----------------------------------------------------


mp = mpmath.mp
D = sp.stats


def root(f, start):
    """The place where a function of 60 digits is 0, by secants from a double nearby."""
    before, x = mpmath.mpf(start) * (1 - mpmath.mpf(1e-9)), mpmath.mpf(start)
    low, high = f(before), f(x)
    for _ in range(12):
        if high == low or abs(x - before) < mpmath.mpf(10) ** -62 * abs(x):
            return x
        before, x, low = x, x - high * (x - before) / (high - low), high
        high = f(x)
    raise ArithmeticError("the secants do not converge")


def student(x, n):
    below = mpmath.betainc(n / 2, mpmath.mpf("0.5"), 0, n / (n + x * x), regularized=True) / 2
    return below if x < 0 else 1 - below


def fisher_above(x, n, m):
    return mpmath.betainc(m / 2, n / 2, 0, m / (m + n * x), regularized=True)


def skewed(x, a):
    """∫ exp(-x²/(2 cos² t)) dt/π from atan(a) to π/2 for x < 0, which is T(x, ∞) - T(x, a), twice."""
    if x > 0:
        return 1 - skewed(-x, -a)
    low = mpmath.atan(a)
    ends = [low, *(low + s for s in (0.003, 0.01, 0.03, 0.1, 0.3) if low + s < 1.5), mp.pi / 2]
    return mpmath.quad(lambda t: mpmath.exp(-x * x / (2 * mpmath.cos(t) ** 2)), ends) / mp.pi


def vonmises(x, k):
    width = 1 / (1 + mpmath.sqrt(k))
    ends = [-mp.pi, *(e for e in (x - s * width for s in (40, 20, 10, 5, 2, 0.7, 0.2)) if e > -3.14), x]
    size = 2 * mp.pi * mpmath.besseli(0, k) * mpmath.exp(-k)
    return mpmath.quad(lambda t: mpmath.exp(-2 * k * mpmath.sin(t / 2) ** 2), ends) / size


def beta_binomial(j, n, a, b):
    return mpmath.binomial(n, j) * mpmath.beta(j + a, n - j + b) / mpmath.beta(a, b)


def entropy_of(terms):
    return -mpmath.fsum(p * mpmath.log(p) for p in terms)


def poisson_entropy(mu):
    reach = int(mu + 30 * mpmath.sqrt(mu) + 60)
    logs = [j * mpmath.log(mu) - mu - mpmath.loggamma(j + 1) for j in range(max(0, int(2 * mu) - reach), reach)]
    return -mpmath.fsum(mpmath.exp(v) * v for v in logs)


def nbinom_entropy(n, p):
    log = n * mpmath.log(p)
    found, j = 0, 0
    while log > -100 or j < n / p:
        found -= mpmath.exp(log) * log
        log += mpmath.log((n + j) / (j + 1) * (1 - p))
        j += 1
    return found


def skewed_entropy(a):
    def term(x):
        p = 2 * mpmath.npdf(x) * mpmath.ncdf(a * x)
        return -p * mpmath.log(p)

    width = 1 / (1 + abs(a))
    return mpmath.quad(term, sorted([-13, -5, -2, 13, 5, 2, *(s * c * width for s in (-1, 1) for c in (0, 1, 3))]))


def value_and_slopes(f, x, step):
    """Value, first and second derivative by three values of many digits."""
    below, at, above = f(x - step), f(x), f(x + step)
    return float(at), float((above - below) / (2 * step)), float((above - 2 * at + below) / step**2)


def normal_share(x, a, b):
    """The share of [a, b] below x, from the nearer tail."""
    side = 1 if a > 0 else -1
    a, b, x = (mpmath.erfc(side * v / mpmath.sqrt(2)) for v in (a, b, x))
    return (a - x) / (a - b)


S, LAST = scipy.stats, sg.tensor(12.0, requires_grad=True)
QUANTILES = {
    "t.ppf": (lambda q: D.t.ppf(q, 2.5), lambda x, q: student(x, mpmath.mpf("2.5")) - q,
              lambda q: S.t.ppf(q, 2.5), (1e-20, 0.3, 0.9)),
    "t.ppf in df": (lambda n: D.t.ppf(0.01, n), lambda x, n: student(x, n) - mpmath.mpf(0.01),
                    lambda n: S.t.ppf(0.01, n), (0.7, 3.0, 90.0)),
    "gamma.ppf in a": (lambda a: D.gamma.ppf(1e-12, a), lambda x, a: mpmath.gammainc(a, 0, x, regularized=True)
                       - mpmath.mpf(1e-12), lambda a: S.gamma.ppf(1e-12, a), (0.4, 2.5, 60.0)),
    "gamma.isf in a": (lambda a: D.gamma.isf(1e-30, a), lambda x, a: -mpmath.log(mpmath.gammainc(a, x,
                       regularized=True) / mpmath.mpf(1e-30)), lambda a: S.gamma.isf(1e-30, a), (0.4, 2.5, 60.0)),
    "chi2.isf in df": (lambda n: D.chi2.isf(0.05, n), lambda x, n: mpmath.mpf(0.05) - mpmath.gammainc(n / 2, x / 2,
                       regularized=True), lambda n: S.chi2.isf(0.05, n), (0.5, 4.0, 200.0)),
    "chi2.ppf": (lambda q: D.chi2.ppf(q, 3), lambda x, q: mpmath.gammainc(1.5, 0, x / 2, regularized=True) - q,
                 lambda q: S.chi2.ppf(q, 3), (1e-9, 0.2, 0.99)),
    "beta.ppf in a": (lambda a: D.beta.ppf(0.2, a, 3.0), lambda x, a: mpmath.betainc(a, 3, 0, x, regularized=True)
                      - mpmath.mpf(0.2), lambda a: S.beta.ppf(0.2, a, 3.0), (0.3, 2.0, 40.0)),
    "beta.isf in b": (lambda b: D.beta.isf(1e-9, 2.0, b), lambda x, b: mpmath.mpf(1e-9) - mpmath.betainc(b, 2, 0,
                      1 - x, regularized=True), lambda b: S.beta.isf(1e-9, 2.0, b), (1.5, 4.0, 30.0)),
    "f.isf": (lambda q: D.f.isf(q, 3, 4), lambda x, q: mpmath.log(q / fisher_above(x, mpmath.mpf(3), mpmath.mpf(4))),
              lambda q: D.f.isf(sg.tensor(q, requires_grad=True), 3, 4).item(), (1e-20, 0.3, 0.999)),
    "f.isf in dfd": (lambda m: D.f.isf(0.01, 3, m), lambda x, m: mpmath.mpf(0.01) - fisher_above(x, mpmath.mpf(3), m),
                     lambda m: S.f.isf(0.01, 3, m), (1.5, 6.0, 80.0)),
    "f.ppf in dfn": (lambda n: D.f.ppf(0.1, n, 7.0), lambda x, n: mpmath.mpf("1") - mpmath.mpf(0.1)
                     - fisher_above(x, n, mpmath.mpf(7)), lambda n: S.f.ppf(0.1, n, 7.0), (1.5, 6.0, 80.0)),
    "truncnorm.ppf": (lambda q: D.truncnorm.ppf(q, -1, 2.5), lambda x, q: normal_share(x, -1, 2.5) - q,
                      lambda q: S.truncnorm.ppf(q, -1, 2.5), (1e-6, 0.4, 0.999)),
    "truncnorm.ppf in a": (lambda a: D.truncnorm.ppf(0.3, a, 31), lambda x, a: normal_share(x, a, 31)
                           - mpmath.mpf(0.3), lambda a: S.truncnorm.ppf(0.3, a, 31), (-3.0, -0.5, 1.0, 30.0)),
    "truncnorm.isf in a": (lambda a: D.truncnorm.isf(1e-9, a, 12), lambda x, a: mpmath.mpf(1e-9)
                           - normal_share(-x, -12, -a), lambda a: D.truncnorm(a, LAST).isf(1e-9).item(),
                           (-8.0, 0.3, 3.0)),
    "skewnorm.ppf": (lambda q: D.skewnorm.ppf(q, 1.7), lambda x, q: mpmath.log(skewed(x, mpmath.mpf(1.7)) / q),
                     lambda q: D.skewnorm.ppf(q, LAST * 0 + 1.7).item(), (1e-20, 0.4)),
    "skewnorm.ppf in a": (lambda a: D.skewnorm.ppf(0.03, a), lambda x, a: skewed(x, a) - mpmath.mpf(0.03),
                          lambda a: D.skewnorm.ppf(0.03, LAST * 0 + a).item(), (30.0,)),
    "skewnorm.isf in a": (lambda a: D.skewnorm.isf(1e-9, a), lambda x, a: mpmath.log(skewed(-x, -a)
                          / mpmath.mpf(1e-9)), lambda a: D.skewnorm.isf(1e-9, LAST * 0 + a).item(), (1.5,)),
    "vonmises.ppf": (lambda q: D.vonmises.ppf(q, 2.5), lambda x, q: vonmises(x, mpmath.mpf(2.5)) - q,
                     lambda q: D.vonmises.ppf(q, LAST * 0 + 2.5).item(), (1e-4, 0.8)),
    "vonmises.ppf in kappa": (lambda k: D.vonmises.ppf(0.01, k), lambda x, k: vonmises(x, k) - mpmath.mpf(0.01),
                              lambda k: D.vonmises.ppf(0.01, LAST * 0 + k).item(), (0.3, 70.0)),
    "vonmises.isf in kappa": (lambda k: D.vonmises.isf(0.01, k), lambda x, k: vonmises(-x, k) - mpmath.mpf(0.01),
                              lambda k: D.vonmises.isf(0.01, LAST * 0 + k).item(), (3.0,)),
    "truncnorm.isf in b": (lambda b: D.truncnorm.isf(0.2, -np.inf, b), lambda x, b: mpmath.mpf(0.8) - mpmath.ncdf(x)
                           / mpmath.ncdf(b), lambda b: S.truncnorm.isf(0.2, -np.inf, b), (-9.0, 0.3, 2.0)),
}  # fmt: skip


@one_in(12)
@pytest.mark.parametrize("name", QUANTILES)
def test_quantiles_and_their_derivatives_agree_with_50_digits(name):
    f, condition, start, places = QUANTILES[name]
    for p in places:
        with mpmath.workdps(70):

            def truth(t, near=p, condition=condition):
                return root(lambda x: condition(x, t), float(start(near)))

            wanted = value_and_slopes(truth, mpmath.mpf(p), mpmath.mpf(10) ** -16 * abs(mpmath.mpf(p)))
        for found, want, order in zip(derivatives(f, p), wanted, range(3), strict=True):
            assert found == pytest.approx(want, rel=3e-9, abs=1e-11 * (order == 2)), (p, order)


PROBABILITIES = {
    "skewnorm.cdf": (lambda x: D.skewnorm.cdf(x, 1.7), lambda x: skewed(x, 1.7), (-9.0, -2.0, -0.1, 0.0, 3.0)),
    "skewnorm.cdf left of 0": (lambda x: D.skewnorm.cdf(x, 400.0), lambda x: skewed(x, 400), (-0.02, -0.009, -1e-5)),
    "skewnorm.sf": (lambda x: D.skewnorm.sf(x, -40.0), lambda x: skewed(-x, 40), (-1.0, 0.001, 0.2)),
    "skewnorm.cdf in a": (lambda a: D.skewnorm.cdf(-1.5, a), lambda a: skewed(-1.5, a), (-3.0, 0.0, 0.4, 6.0)),
    "skewnorm.logcdf in a": (lambda a: D.skewnorm.logcdf(-1e-4, a), lambda a: mpmath.log(skewed(-1e-4, a)),
                             (1.0, 3000.0)),
    "vonmises.cdf": (lambda x: D.vonmises.cdf(x, 2.5), lambda x: vonmises(x, 2.5), (-3.1, -1.0, 0.0, 1.5, 3.0)),
    "vonmises.cdf, narrow": (lambda x: D.vonmises.cdf(x, 400.0), lambda x: vonmises(x, 400), (-1.0, -0.2, 0.01)),
    "vonmises.cdf in kappa": (lambda k: D.vonmises.cdf(-0.7, k), lambda k: vonmises(-0.7, k), (1e-3, 1.0, 60.0, 900.0)),
    "vonmises.sf in kappa": (lambda k: D.vonmises.sf(2.5, k), lambda k: vonmises(-2.5, k), (0.5, 20.0)),
    "betabinom.cdf in a": (lambda a: D.betabinom.cdf(2, 9, a, 1.5), lambda a: mpmath.fsum(
                           beta_binomial(j, 9, a, 1.5) for j in range(3)), (0.02, 1.0, 30.0)),
    "betabinom.sf in b": (lambda b: D.betabinom.sf(7, 9, 0.5, b), lambda b: mpmath.fsum(
                          beta_binomial(j, 9, 0.5, b) for j in (8, 9)), (0.02, 1.0, 300.0)),
    "betabinom.entropy in a": (lambda a: D.betabinom.entropy(6, a, 1.5), lambda a: entropy_of(
                               [beta_binomial(j, 6, a, 1.5) for j in range(7)]), (0.1, 1.0, 50.0)),
    "binom.entropy in p": (lambda p: D.binom.entropy(6, p), lambda p: entropy_of(
                           [mpmath.binomial(6, j) * p**j * (1 - p) ** (6 - j) for j in range(7)]), (1e-6, 0.3, 0.9)),
    "skewnorm.cdf near 0": (lambda x: D.skewnorm.cdf(x, 1e6), lambda x: skewed(x, 1e6),
                            (1e-8, 3e-6)),
    "skewnorm.entropy in a": (D.skewnorm.entropy, skewed_entropy, (-3.0, 20.0)),
    "poisson.entropy in mu": (D.poisson.entropy, poisson_entropy, (1e-6, 0.7, 30.0, 400.0)),
    "nbinom.entropy in n": (lambda n: D.nbinom.entropy(n, 0.3), lambda n: nbinom_entropy(n, mpmath.mpf(0.3)),
                            (0.01, 1.0, 40.0)),
    "nbinom.entropy in p": (lambda p: D.nbinom.entropy(2.5, p), lambda p: nbinom_entropy(2.5, p), (0.2, 0.999)),
    "f.entropy in dfd": (lambda m: D.f.entropy(3, m), lambda m: mpmath.log(m / 3) + mpmath.log(mpmath.beta(1.5, m / 2))
                         - mpmath.psi(0, 1.5) / 2 - (1 + m / 2) * mpmath.psi(0, m / 2)
                         + (3 + m) / 2 * mpmath.psi(0, (3 + m) / 2), (0.5, 4.0, 40.0)),
}  # fmt: skip


@one_in(10)
@pytest.mark.parametrize("name", PROBABILITIES)
def test_sums_and_integrals_and_their_derivatives_agree_with_40_digits(name):
    f, truth, places = PROBABILITIES[name]
    for x in places:
        with mpmath.workdps(50):
            wanted = value_and_slopes(truth, mpmath.mpf(x), mpmath.mpf(10) ** -9 * (abs(x) or 1))
        for found, want, order in zip(derivatives(f, x), wanted, range(3), strict=True):
            assert found == pytest.approx(want, rel=3e-9, abs=1e-25 * abs(wanted[0])), (x, order)


ENDS = [
    ("gamma", (2.5,)), ("chi2", (3.0,)), ("beta", (2.0, 0.5)), ("f", (3.0, 4.0)), ("truncnorm", (-1.0, 2.0)),
    ("truncnorm", (1.0, np.inf)), ("pareto", (2.0,)), ("expon", ()), ("t", (3.0,)), ("lognorm", (0.5,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes"), ENDS)
def test_quantiles_at_0_and_1_are_the_ends_of_the_support_and_move_with_it(name, shapes):
    ours, theirs = getattr(D, name), getattr(S, name)
    q = np.array([0.0, 1.0, -0.1, 1.1, np.nan, 0.5])
    for method in ("ppf", "isf"):
        want = getattr(theirs, method)(q, *shapes, 0.5)
        got = getattr(ours, method)(q, *shapes, sg.tensor(0.5, requires_grad=True)).detach().numpy()
        np.testing.assert_allclose(got, want, rtol=1e-12)
        got = getattr(ours, method)(sg.tensor(q, requires_grad=True), *shapes, 0.5).detach().numpy()
        np.testing.assert_allclose(got, want, rtol=1e-12)
    for k in range(len(shapes)):
        if name == "t" or np.isinf(shapes[k]):
            continue

        def end(s, k=k):
            return ours.ppf(0.0, *shapes[:k], s, *shapes[k + 1 :])

        s = sg.tensor(shapes[k], requires_grad=True)
        value = end(s)
        moved = sg.autograd.grad(value, s)[0].item() if value.requires_grad else 0.0
        assert moved == (1.0 if name == "truncnorm" and k == 0 else 0.0)


COUNTED = [
    ("poisson", (2.5,)), ("binom", (5, 0.3)), ("nbinom", (2.5, 0.3)), ("geom", (0.4,)), ("betabinom", (5, 1.5, 2.0))
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
@pytest.mark.parametrize(("name", "shapes"), COUNTED)
def test_quantiles_of_counts_are_scipys_and_constant_but_for_jumps(name, shapes):
    q = np.array([0.0, 1e-9, 0.2, 0.55, 0.999, 1.0, 1.5, np.nan])
    ours, theirs = getattr(D, name), getattr(S, name)
    for method in ("ppf", "isf"):
        last = sg.tensor(shapes[-1], requires_grad=True)
        got = getattr(ours, method)(q, *shapes[:-1], last, 3)
        np.testing.assert_array_equal(got.detach().numpy(), getattr(theirs, method)(q, *shapes, 3))

        def one(p, method=method):
            return getattr(ours, method)(0.5, *shapes[:-1], p[0], p[1])

        point = np.array([shapes[-1], 3.0])
        assert sg.grad(one)(point).tolist() == [0.0, 1.0]
        assert slope(lambda h, m=method: float(getattr(theirs, m)(0.5, *shapes[:-1], shapes[-1] + h))) == 0.0
        batched = sg.vmap(lambda q, m=method: getattr(ours, m)(q, *shapes[:-1], sg.tensor(shapes[-1]), 3))(sg.tensor(q))
        np.testing.assert_array_equal(batched.numpy(), got.detach().numpy())
    with pytest.raises(sg.NotDifferentiableError, match="no derivative in n") as caught:
        D.binom.ppf(0.5, sg.tensor(5.0, requires_grad=True), 0.3)
    assert "count" in str(caught.value)


def test_entropies_where_scipys_sums_do_not_converge_and_at_ends():
    mu = sg.tensor([0.0, 1e7, 1e300, -1.0, np.nan, 50.0], requires_grad=True)
    far = [0.5 * np.log(2 * np.pi * np.e * v) for v in (1e7, 1e300)]
    got = D.poisson.entropy(mu)
    (slopes,) = sg.autograd.grad(got.sum(), mu)
    np.testing.assert_allclose(
        got.detach().numpy(), [0.0, far[0] - 1 / 12e7, far[1], np.nan, np.nan, S.poisson.entropy(50.0)], rtol=1e-13
    )
    np.testing.assert_allclose(slopes.numpy()[:3], [np.inf, 0.5e-7 * (1 + 1 / 6e7), 5e-301], rtol=1e-13)
    near = [D.poisson.entropy(sg.tensor(v, requires_grad=True)).item() for v in (1e6, np.nextafter(1e6, 2e6))]
    assert near[0] == pytest.approx(near[1], rel=1e-14)
    n = sg.tensor([2.5, 2.5, -1.0, 2.5, 1e9], requires_grad=True)
    got = D.nbinom.entropy(n, [0.5, 1.0, 0.5, 1.5, 0.5]).detach().numpy()  # far above, what cancels is not given
    np.testing.assert_allclose(got, [S.nbinom.entropy(2.5, 0.5), 0.0, np.nan, np.nan, np.nan], rtol=1e-12)
    a = sg.tensor([0.0, np.inf, -np.inf, np.nan], requires_grad=True)
    got = D.skewnorm.entropy(a, 3.0, 2.0).detach().numpy() - np.log(2.0)
    half = 0.5 * np.log(np.pi * np.e / 2)
    np.testing.assert_allclose(got, [half + np.log(2.0), half, half, np.nan], rtol=1e-14)


def test_quantiles_of_many_are_those_of_each():
    q = np.array([[1e-30, 0.02, 0.5], [0.6, 0.97, 1.0]])
    for law, shapes in ((D.skewnorm, [-3.0, 0.0, 80.0]), (D.vonmises, [0.0, 2.0, 900.0])):
        given = sg.tensor(shapes, requires_grad=True)
        for method, below in (("ppf", law.cdf), ("isf", law.sf)):
            found = getattr(law, method)(q, given)
            one = [[getattr(law, method)(v, c).item() for v, c in zip(row, given)] for row in q]
            np.testing.assert_array_equal(found.detach().numpy(), one)
            np.testing.assert_allclose(below(found, given).detach().numpy(), q, rtol=2e-13, atol=1e-16)


def test_whole_turns_of_an_angle_count_as_in_scipy():
    x = np.array([-9.0, -np.pi, 0.0, np.pi, 4.0, 9.0, 30.0, np.inf, -np.inf, np.nan])
    for kappa in (0.0, 2.0, 45.0):
        k = sg.tensor(kappa, requires_grad=True)
        for method in ("cdf", "sf"):
            got = getattr(D.vonmises, method)(x, k).detach().numpy()
            np.testing.assert_allclose(got, getattr(S.vonmises, method)(x, kappa), rtol=1e-11, atol=2e-13)
    assert np.isnan(D.vonmises.cdf(1.0, sg.tensor(-1.0, requires_grad=True)).item())


def test_above_kappa_50_scipys_normal_approximation_is_not_followed():
    with mpmath.workdps(30):
        truth = float(vonmises(-0.2, 51))
    assert D.vonmises.cdf(-0.2, sg.tensor(51.0)).item() != truth  # a constant is SciPy's
    assert D.vonmises.cdf(-0.2, sg.tensor(51.0, requires_grad=True)).item() == pytest.approx(truth, rel=1e-13)


def test_counts_of_different_n_are_summed_each_to_its_own():
    n, k = np.array([2, 5, 9]), np.array([1, 4, 2])
    a = sg.tensor([1.5, 0.4, 3.0], requires_grad=True)
    for method in ("cdf", "sf", "logcdf"):
        got = getattr(D.betabinom, method)(k, n, a, 2.0).detach().numpy()
        np.testing.assert_allclose(got, getattr(S.betabinom, method)(k, n, a.detach().numpy(), 2.0), rtol=1e-11)
    want = [S.betabinom.entropy(m, v, 2.0) for m, v in zip(n, a.tolist())]
    np.testing.assert_allclose(D.betabinom.entropy(n, a, 2.0).detach().numpy(), want, rtol=1e-11)
    assert np.isnan(D.betabinom.cdf(1, 2.5, a[0], 2.0).item())
    with pytest.raises(sg.SymbolicBranchError, match="the number of terms, n"):
        D.betabinom.cdf(1, sg.symbol("n"), 1.0, 2.0)


SENSELESS = [
    ("gamma", (-1.0,)), ("t", (-1.0,)), ("f", (2.0, -1.0)), ("beta", (0.0, 1.0)), ("chi2", (0.0,)),
    ("truncnorm", (2.0, 2.0)), ("gamma", (np.nan,)), ("pareto", (-2.0,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes"), SENSELESS)
def test_quantiles_of_parameters_that_make_no_sense_are_nan_at_the_ends_too(name, shapes):
    for method in ("ppf", "isf"):
        q = np.array([0.0, 0.3, 1.0])
        assert np.isnan(getattr(getattr(S, name), method)(q, *shapes)).all()
        given = sg.tensor(np.array(shapes), requires_grad=True)
        assert np.isnan(getattr(getattr(D, name), method)(q, *given).detach().numpy()).all()


def test_probabilities_at_infinity_at_nan_and_outside_are_scipys():
    x = np.array([-np.inf, -40.0, 0.0, 3.0, 40.0, np.inf, np.nan])
    for a in (2.0, -2.0, 0.0, np.inf, np.nan):
        given = sg.tensor(a, requires_grad=True)
        for method in ("cdf", "sf"):
            got = getattr(D.skewnorm, method)(x, given).detach().numpy()
            np.testing.assert_allclose(
                got, getattr(S.skewnorm, method)(x, a), rtol=1e-8, atol=1e-300
            )  # SciPy integrates tails
    k = np.array([-1.0, 0.0, 2.5, 5.0, 7.0, np.nan])
    for a in (2.0, -2.0):
        given = sg.tensor(a, requires_grad=True)
        for method in ("cdf", "sf"):
            got = getattr(D.betabinom, method)(k, 5, given, 1.0).detach().numpy()
            np.testing.assert_allclose(got, getattr(S.betabinom, method)(k, 5, a, 1.0), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "shapes"), [("poisson", (-1.0,)), ("binom", (5, 1.5)), ("nbinom", (2.0, -0.1)), ("geom", (2.0,))]
)
def test_counts_outside_have_no_probability_where_parameters_make_no_sense(name, shapes):
    k = np.array([-1.0, 2.0, 9.0])
    last = sg.tensor(shapes[-1], requires_grad=True)
    for method in ("cdf", "sf"):
        assert np.isnan(getattr(getattr(S, name), method)(k, *shapes)).all()
        assert np.isnan(getattr(getattr(D, name), method)(k, *shapes[:-1], last).detach().numpy()).all()


def test_formulas_of_probabilities_have_no_branch_that_is_known():
    mu = sg.symbol("mu")
    assert str(sg.formula(lambda mu: D.poisson.cdf(2, mu), mu)) == "Q(3, μ)"


# multivariate_normal.cdf: Plackett's identity in two dimensions, three and more ---------------------------------------


normal = sp.stats.multivariate_normal


def moving(value):
    return sg.tensor(value, requires_grad=True)


def matrix(d, seed=1):
    """A positive definite matrix."""
    a = np.random.default_rng(seed).normal(size=(d, d))
    return a @ a.T + np.eye(d)


def share(h, k, r):
    """∫ φ(x) Φ((k - rx)/s) dx up to the smaller limit, of the distance from it."""
    h, k, r = sorted([mpmath.mpf(h), mpmath.mpf(k)]) + [mpmath.mpf(r)]
    s = mpmath.sqrt(1 - r * r)
    u, c = (k - r * h) / s, r / s
    edges = [-u / c + w / abs(c) for w in (-12, -6, -3, -1, 0, 1, 3, 6, 12)] if r else []
    near = [w / abs(c) for w in (0.1, 0.3, 1, 3, 6, 12, 24)] if r else []
    ends = sorted({mpmath.mpf(0), *(e for e in (*edges, *near, 0.01, 0.1, 0.3, 1, 2, 4, 8, 16, 30) if 0 < e < 31)})
    return mpmath.quad(lambda d: mpmath.npdf(h - d) * mpmath.ncdf(u + c * d), ends)


PAIRS = [
    (0.0, 0.0, 0.5), (0.0, 0.0, -0.999999), (1.0, -2.0, 0.3), (-5.0, -6.0, 0.5), (2.0, 3.0, -0.95),
    (0.1, 0.1000001, 0.9999999), (-8.0, -8.0, 0.99), (4.0, 5.0, 0.2), (1.0, -0.999, -0.9999999), (-3.0, 2.0, 0.9999),
    (0.5, 8.0, -0.3), (-20.0, -25.0, 0.7), (0.001, -2.0, 0.0),
]  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("point", PAIRS)
def test_two_dimensions_have_14_digits_in_tails_and_at_strong_correlation(point):
    with mpmath.workdps(25):
        want = float(share(*point))
    assert float(_bivariate(*point)) == pytest.approx(want, rel=1e-13 if want > 1e-100 else 1e-9)
    h, k, r = point
    assert float(_bivariate(k, h, r)) == float(_bivariate(h, k, r))


def test_two_dimensions_add_up_and_have_known_values():
    rng = np.random.default_rng(0)
    h, k, r = rng.normal(size=300) * 2, rng.normal(size=300) * 2, rng.uniform(-1, 1, 300)
    np.testing.assert_allclose(
        _bivariate(h, k, r) + _bivariate(h, -k, -r), scipy.special.ndtr(h), rtol=2e-14
    )  # k and beyond
    np.testing.assert_allclose(_bivariate(0 * r, 0 * r, r), 0.25 + np.arcsin(r) / (2 * np.pi), rtol=2e-14)
    each = [float(_bivariate(*v)) for v in zip(h, k, r)]
    np.testing.assert_array_equal(_bivariate(h, k, r), each)
    edges = _bivariate([np.inf, np.inf, -np.inf, 0.3, 1, 1, np.nan, 0], [1, np.inf, 1, 0.2, -0.5, 0.5, 0, 0],
                       [0.3, 0.2, 0.1, 1, -1, 1.1, 0, np.nan])  # fmt: skip
    ndtr = scipy.special.ndtr
    np.testing.assert_allclose(edges, [ndtr(1), 1, 0, ndtr(0.2), ndtr(1) - ndtr(0.5), np.nan, np.nan, np.nan])


def test_slopes_by_every_entry_are_those_of_differences():
    x, m, C = np.array([0.3, -0.4]), np.array([0.1, 0.2]), matrix(2)
    for method in ("cdf", "logcdf"):
        f, theirs = getattr(normal, method), getattr(scipy.stats.multivariate_normal, method)
        assert f(moving(x), m, C).item() == pytest.approx(theirs(x, m, C), rel=1e-13)
        for k, at in enumerate((x, m)):
            given = lambda v, k=k: (v, m, C) if k == 0 else (x, v, C)
            want = gradient(lambda v, g=given, t=theirs: float(t(*g(v))), at)
            np.testing.assert_allclose(sg.grad(lambda v, g=given, f=f: f(*g(v)))(at), want, rtol=1e-8)
        for unit in ([[1, 0], [0, 0]], [[0, 0.5], [0.5, 0]], [[0, 0], [0, 1]]):
            along = np.array(unit, float)
            want = gradient(lambda t, a=along, g=theirs: float(g(x, m, C + t[0] * a)), np.zeros(1))[0]
            found = sg.grad(lambda S, f=f: f(x, m, S))(C)
            np.testing.assert_allclose(found, found.T, rtol=1e-14)
            assert (found * along).sum() == pytest.approx(want, rel=1e-8)


@one_in(3)
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_slope_by_cov_is_half_the_second_slope_by_x(d):
    x, C = np.linspace(-0.6, 0.8, d), matrix(d)
    H = sg.hessian(lambda x: normal.cdf(x, None, C).sum())(x)
    by_cov = sg.grad(lambda S: normal.cdf(x, None, S).sum())(C)
    # five dimensions: slopes by x, once more differentiated, need three of them, which SciPy integrates
    np.testing.assert_allclose(by_cov, H / 2, rtol=1e-4 if d == 5 else 1e-12)


def test_second_slopes_by_cov_are_those_of_differences():
    x, C = np.array([0.3, -0.4, 0.7]), matrix(3)
    g = sg.grad(lambda S: normal.cdf(x, None, S))
    V = np.diag([0.3, -0.2, 0.5]) + np.array([[0, 1, 0.4], [1, 0, -0.3], [0.4, -0.3, 0]])
    along = gradient(lambda t: float((g(C + t[0] * V) * V).sum()), np.zeros(1))[0]
    second = sg.grad(lambda S: (g(S) * V).sum())(C)
    assert (second * V).sum() == pytest.approx(along, rel=1e-8)


def test_three_dimensions_are_scipys_integral_the_same_each_time():
    C, x = matrix(3), np.array([[0.3, -0.4, 0.8], [1.0, 0.5, -1.0]])
    first, again = (normal.cdf(moving(x), None, C).detach().numpy() for _ in range(2))
    np.testing.assert_array_equal(first, again)
    corr = C / np.sqrt(np.outer(np.diag(C), np.diag(C)))
    exact = 1 / 8 + (np.arcsin(corr[0, 1]) + np.arcsin(corr[0, 2]) + np.arcsin(corr[1, 2])) / (4 * np.pi)
    assert normal.cdf(moving(np.zeros(3)), None, C).item() == pytest.approx(exact, abs=1e-5)
    np.testing.assert_allclose(first, scipy.stats.multivariate_normal.cdf(x, None, C), atol=2e-5)
    slope = sg.grad(lambda t: normal.cdf(t * np.ones(3), None, C))(0.0)  # of two dimensions each: all digits
    want = sum(
        scipy.stats.norm.pdf(0, scale=np.sqrt(C[i, i])) * (0.25 + np.arcsin(
            (corr[j, k] - corr[i, j] * corr[i, k]) / np.sqrt((1 - corr[i, j] ** 2) * (1 - corr[i, k] ** 2))
        ) / (2 * np.pi)) for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1))
    )  # fmt: skip
    assert slope == pytest.approx(want, rel=1e-13)


def test_batches_shapes_formulas_and_programs():
    C, x = matrix(2), np.array([[0.3, 0.4], [1.0, 2.0], [-3.0, -4.0]])
    want = scipy.stats.multivariate_normal.cdf(x, [0.1, 0.2], C)
    np.testing.assert_allclose(normal.cdf(moving(x), [0.1, 0.2], C).detach().numpy(), want, rtol=1e-12, atol=1e-16)
    batched = sg.vmap(lambda x: normal.cdf(x, np.array([0.1, 0.2]), C))(moving(x))
    np.testing.assert_allclose(batched.detach().numpy(), want, rtol=1e-12, atol=1e-16)
    assert normal.cdf(moving(0.3), 0.1, 2.0).item() == pytest.approx(scipy.stats.norm.cdf(0.2 / np.sqrt(2)))
    h, k, r = sg.symbols("h k r")
    f = sg.formula(lambda r: normal.cdf([h, k], cov=[[1.0, r], [r, 1.0]]), r)
    assert str(f) == "Φ₂(h, k, r)"
    assert f.grad("r")(h=0.3, k=-0.2, r=0.4) == pytest.approx(
        scipy.stats.multivariate_normal.pdf([0.3, -0.2], cov=[[1, 0.4], [0.4, 1]])
    )
    program = sg.compile(lambda x: normal.cdf(x, np.zeros(2), C), "fgh")
    value, _, bend = program(x[0])
    assert value == pytest.approx(scipy.stats.multivariate_normal.cdf(x[0], np.zeros(2), C), rel=1e-12)
    np.testing.assert_allclose(bend, sg.hessian(lambda x: normal.cdf(x, np.zeros(2), C))(x[0]), rtol=1e-12)


def test_what_it_does_not_do_is_refused_by_name():
    x, C = moving(np.array([0.3, 0.4])), matrix(2)
    for options, words in (({"lower_limit": [-1, -1]}, "lower_limit"), ({"allow_singular": True}, "allow_singular")):
        with pytest.raises(sg.NotDifferentiableError, match=words):
            normal.cdf(x, None, C, **options)
    with pytest.raises(np.linalg.LinAlgError, match="positive-definite"):
        normal.cdf(x, None, np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(sg.ShapeError, match="points of 2 entries"):
        normal.cdf(x, None, matrix(3))


@pytest.mark.parametrize(
    "call", [
        lambda x: scipy.stats.gaussian_kde(x)(1.0), lambda x: scipy.stats.gaussian_kde([1.0, 2.0, 4.0])(x),
        lambda x: scipy.stats.multivariate_normal(x).logpdf([1.0, 2.0, 3.0]),
        lambda x: scipy.stats.dirichlet(x).logpdf([0.2, 0.3, 0.5]),
        lambda x: scipy.stats.multinomial(3, x).logpmf([1, 1, 1]),
    ],
)  # fmt: skip
def test_scipys_own_classes_refuse_tensors_and_name_the_mirrors(call):
    name = call.__code__.co_names[2]
    with pytest.raises(sg.GradientError, match=rf"Use symgrad\.scipy\.stats\.{name}"):
        sg.grad(lambda x: call(x).sum())(np.array([0.2, 0.3, 0.5]))


def test_logcdf_of_counts_is_nan_where_the_probability_is():
    for name, shapes in (("binom", (5, -0.1)), ("binom", (2.5, 0.3)), ("poisson", (-1.0,)), ("betabinom", (5, -1, 2))):
        theirs, ours = getattr(scipy.stats, name), getattr(sp.stats, name)
        assert theirs.logcdf(np.inf, *shapes) == 0.0 and np.isnan(theirs.cdf(np.inf, *shapes))  # SciPy's own
        last = sg.tensor(float(shapes[-1]))
        for k in (2, 7, np.inf):
            assert np.isnan(ours.logcdf(k, *shapes))
            assert np.isnan(ours.logcdf(k, *shapes[:-1], last).item())
            assert np.isnan(ours.logcdf(k, *shapes[:-1], moving(float(shapes[-1]))).item())
    assert sp.stats.binom.logcdf(2, 5, 0.3) == scipy.stats.binom.logcdf(2, 5, 0.3)
