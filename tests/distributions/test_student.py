"""Student's distribution of few degrees of freedom and of many, against mpmath."""

import mpmath as mp
import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp
from symgrad import distributions as D
from symgrad.ops.entries import distributions as rows

FREEDOM = (0.01, 0.5, 1.0, 3.0, 19.9, 20.1, 300.0, 1e5, 1e6, 1e8, 1e12)
POINTS = (0.0, 1e-8, 0.3, 1.3, 2.5, 40.0, 1e8)


def log_density(n, x, loc, scale):
    y = (x - loc) / scale
    size = mp.loggamma((n + 1) / 2) - mp.loggamma(n / 2) - mp.log(n * mp.pi) / 2
    return size - (n + 1) / 2 * mp.log1p(y * y / n) - mp.log(scale)


def derivative(f, at, order):
    return mp.diff(f, at, order, h=abs(at) * mp.mpf(10) ** -35) if order else f(at)


@pytest.mark.parametrize("n", FREEDOM)
@pytest.mark.parametrize("x", POINTS)
def test_the_density_and_its_slopes_have_all_their_digits(n, x):
    """Value, slopes by each parameter, second slope by the degrees of freedom and mixed ones."""
    given = [sg.tensor(v, requires_grad=True) for v in (n, 0.25, 1.5)]
    value = D.StudentT(*given).log_prob(sg.tensor(x))
    slopes = sg.autograd.grad(value, given, create_graph=True)
    bends = sg.autograd.grad(slopes[0], given)
    with mp.workdps(140):
        at = [mp.mpf(v) for v in (n, x, 0.25, 1.5)]

        def of(i, orders=1, f=log_density):
            return derivative(lambda v: f(*at[:i], v, *at[i + 1 :]), at[i], orders)

        def by_freedom(*at):
            return derivative(lambda v: log_density(v, *at[1:]), at[0], 1)

        wanted = [log_density(*at), of(0), of(2), of(3), of(0, 2), of(2, f=by_freedom), of(3, f=by_freedom)]
        for found, want in zip([value, *slopes, *bends], wanted, strict=True):
            assert abs(found.item() - want) <= 1e-13 * abs(want)


@pytest.mark.parametrize("n", FREEDOM)
def test_the_entropy_and_its_slopes_have_all_their_digits(n):
    df = sg.tensor(n, requires_grad=True)
    value = D.StudentT(df).entropy()
    (slope,) = sg.autograd.grad(value, df, create_graph=True)
    (bend,) = sg.autograd.grad(slope, df)

    def entropy(m):
        more = mp.psi(0, (m + 1) / 2) - mp.psi(0, m / 2)
        return (m + 1) / 2 * more + mp.log(m) / 2 + mp.log(mp.beta(m / 2, mp.mpf(1) / 2))

    with mp.workdps(120):
        for order, found in enumerate((value, slope, bend)):
            want = derivative(entropy, mp.mpf(n), order)
            assert abs(found.item() - want) <= 1e-13 * abs(want)


@pytest.mark.parametrize("n", (0.5, 3.0, 19.9, 20.1, 150.0, 3e3))
@pytest.mark.parametrize("t", (-1e-3, -0.5, -1.6, -8.0))
def test_the_distribution_function_by_its_freedom(n, t):
    def below(m):
        return mp.betainc(m / 2, mp.mpf(1) / 2, 0, m / (m + mp.mpf(t) ** 2), regularized=True) / 2

    with mp.workdps(150):
        for order, row in ((1, rows.stdtr_by_n), (2, rows.stdtr_by_nn)):
            want = derivative(below, mp.mpf(n), order)
            for sign in (1, -1):
                assert abs(row(np.array(n), np.array(sign * t)) * sign - want) <= 1e-12 * abs(want)


@pytest.mark.parametrize("n", (1e6, 1e8, 1e12))
def test_draws_of_many_degrees_of_freedom_move_as_the_normals_do_in_the_limit(n):
    """The quantile is z + (z³ + z)/(4n) + … (Abramowitz and Stegun, 26.7.5), z being the normal's."""
    sg.manual_seed(3)
    df = sg.tensor(n, requires_grad=True)
    x = D.StudentT(df).rsample((20,))
    slopes = np.array([sg.autograd.grad(part, df, retain_graph=True)[0].item() for part in x])
    z = x.detach().numpy()
    np.testing.assert_allclose(slopes, -(z**3 + z) / (4 * n**2), rtol=100 / n + 1e-12)


def test_at_the_ends():
    x = sg.tensor([0.0, 1e160, 1e300])  # whose squares are infinite
    loc, scale = (sg.tensor(v, requires_grad=True) for v in (0.0, 2.0))
    value = D.StudentT(3.0, loc, scale).log_prob(x)
    by_loc, by_scale = (sg.func.jacrev(lambda v, k=k: D.StudentT(3.0, *((v, scale), (loc, v))[k]).log_prob(x))(p)
                        for k, p in enumerate((loc, scale)))  # fmt: skip
    np.testing.assert_allclose(by_loc.detach(), [0.0, 4e-160, 4e-300], rtol=1e-14)
    np.testing.assert_allclose(by_scale.detach(), [-0.5, 1.5, 1.5], rtol=1e-14)
    with mp.workdps(50):
        np.testing.assert_allclose(
            value.detach(), [float(log_density(mp.mpf(3), mp.mpf(v), 0, 2)) for v in x.tolist()], rtol=1e-14
        )
    df = sg.tensor(np.inf, requires_grad=True)
    np.testing.assert_allclose(D.StudentT(df).log_prob(x[:1]).detach(), D.Normal(0.0, 1.0).log_prob(x[:1]), rtol=1e-15)
    df = sg.tensor([0.0, -1.0, np.nan], requires_grad=True)
    found = sp.stats.t.logpdf(1.0, df)
    assert np.isnan(found.detach()).all() and np.isnan(sg.autograd.grad(found.sum(), df)[0]).all()
    single = sg.tensor([1e6], dtype=sg.float32, requires_grad=True)
    found = D.StudentT(single).log_prob(sg.tensor([2.5], dtype=sg.float32))
    (slope,) = sg.autograd.grad(found.sum(), single)
    assert found.dtype == slope.dtype == sg.float32 and abs(slope.item() * 4e12 + 25.5625) < 1e-3
    assert D.StudentT(sg.zeros(0), 0.0, 1.0).log_prob(sg.zeros(2, 0)).shape == (2, 0)
