"""multivariate_normal.cdf: many digits in one and two dimensions, Plackett's identity, three and more."""

import mpmath
import numpy as np
import pytest
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp
from symgrad.ops.entries.distributions import _bivariate

from ..helpers.cases import one_in
from ..helpers.numeric import gradient

mp = mpmath.mp
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
