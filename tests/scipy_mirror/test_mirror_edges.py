"""Tails, borders, points outside, parameters that make no sense, transforms, signatures, refusals; what is copied."""

import collections
import dataclasses
import functools
import inspect
import subprocess
import sys
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
import scipy.special
import scipy.stats

import symgrad as sg
import symgrad.scipy as sp
from symgrad.autograd import forward_ad
from symgrad.scipy import _mirrored

from ..helpers.numeric import slope
from .test_mirror_optimize import SOLVERS, Held

mp = mpmath.mp
D, L = sp.stats, sp.linalg


def derivatives(f, x):
    """Value, first and second derivative of a function of one number."""
    x = sg.tensor(float(x), requires_grad=True)
    y = f(x)
    (first,) = sg.autograd.grad(y, x, create_graph=True)
    second = sg.autograd.grad(first, x, allow_unused=True)[0] if first.requires_grad else None
    return float(y.item()), float(first.item()), 0.0 if second is None else float(second.item())


# ------------------------------------------------------------------------------------------- against 50 digits

LAWS = {
    "norm.logcdf": (D.norm.logcdf, lambda x: mpmath.log(mpmath.ncdf(x)), (-38.0, -8.0, 0.0, 3.0, 9.0)),
    "norm.logsf": (D.norm.logsf, lambda x: mpmath.log(mpmath.ncdf(-x)), (-9.0, 0.0, 8.0, 38.0)),
    "norm.sf": (D.norm.sf, lambda x: mpmath.ncdf(-x), (-3.0, 5.0, 20.0, 35.0)),
    "norm.logpdf": (lambda x: D.norm.logpdf(x, 1, 3), lambda x: -((x - 1) / 3) ** 2 / 2 - mpmath.log(3)
                    - mpmath.log(2 * mp.pi) / 2, (-1e8, -3.0, 1e8)),
    "logistic.logcdf": (D.logistic.logcdf, lambda x: -mpmath.log(1 + mpmath.exp(-x)), (-600.0, -2.0, 40.0)),
    "logistic.logpdf": (D.logistic.logpdf, lambda x: -x - 2 * mpmath.log(1 + mpmath.exp(-x)), (-3.0, 0.5, 3.0)),
    "cauchy.cdf": (D.cauchy.cdf, lambda x: mpmath.acot(-x) / mp.pi if x < 0 else 1 - mpmath.acot(x) / mp.pi,
                   (-1e8, -2.0, 3.0)),
    "cauchy.sf": (D.cauchy.sf, lambda x: mpmath.atan2(1, x) / mp.pi, (1e8, 2.0, -3.0)),
    "expon.cdf": (D.expon.cdf, lambda x: -mpmath.expm1(-x), (1e-12, 1.0, 30.0)),
    "weibull.cdf": (lambda x: D.weibull_min.cdf(x, 2.5), lambda x: -mpmath.expm1(-(x**2.5)), (1e-4, 1.0)),
    "pareto.sf": (lambda x: D.pareto.sf(x, 2.5), lambda x: x**-2.5, (1.5, 1e10)),
    "gumbel.sf": (D.gumbel_r.sf, lambda x: -mpmath.expm1(-mpmath.exp(-x)), (-2.0, 5.0, 40.0)),
    "t.logpdf": (lambda x: D.t.logpdf(x, 2.5), lambda x: mpmath.log(mpmath.gamma(1.75) / mpmath.gamma(1.25)
                 / mpmath.sqrt(2.5 * mp.pi)) - 1.75 * mpmath.log1p(x**2 / 2.5), (0.0, 1e-6, 1e8)),
    "t.logpdf in df": (lambda df: D.t.logpdf(1.5, df), lambda n: mpmath.log(mpmath.gamma((n + 1) / 2)
                       / mpmath.gamma(n / 2) / mpmath.sqrt(n * mp.pi)) - (n + 1) / 2 * mpmath.log1p(2.25 / n),
                       (0.01, 1.0, 300.0)),
    "gamma.logpdf in a": (lambda a: D.gamma.logpdf(2.0, a), lambda a: (a - 1) * mpmath.log(2) - 2
                          - mpmath.loggamma(a), (1e-3, 1.0, 500.0)),
    "beta.logpdf in a": (lambda a: D.beta.logpdf(0.3, a, 0.5), lambda a: (a - 1) * mpmath.log(0.3) - 0.5
                         * mpmath.log(0.7) - mpmath.log(mpmath.beta(a, 0.5)), (0.1, 1.0, 40.0)),
    "vonmises.logpdf in kappa": (lambda k: D.vonmises.logpdf(1.0, k), lambda k: k * mpmath.cos(1)
                                 - mpmath.log(2 * mp.pi * mpmath.besseli(0, k)), (1e-3, 2.0, 600.0)),
    "skewnorm.logpdf": (lambda x: D.skewnorm.logpdf(x, 3.0), lambda x: mpmath.log(2 * mpmath.npdf(x)
                        * mpmath.ncdf(3 * x)), (-12.0, -1.0, 4.0)),
    "truncnorm.logpdf in a": (lambda a: D.truncnorm.logpdf(31.0, a, np.inf), lambda a: mpmath.log(mpmath.npdf(31)
                              / mpmath.ncdf(-a)), (30.0, -2.0)),
    "truncnorm.logcdf": (lambda x: D.truncnorm.logcdf(x, 8.0, 9.0), lambda x: mpmath.log((mpmath.ncdf(-8)
                         - mpmath.ncdf(-x)) / (mpmath.ncdf(-8) - mpmath.ncdf(-9))), (8.01, 8.5, 8.99)),
    "poisson.logpmf in mu": (lambda mu: D.poisson.logpmf(7, mu), lambda mu: 7 * mpmath.log(mu) - mu
                             - mpmath.loggamma(8), (1e-8, 6.5, 1e6)),
    "binom.logpmf in p": (lambda p: D.binom.logpmf(3, 10, p), lambda p: mpmath.log(120) + 3 * mpmath.log(p)
                          + 7 * mpmath.log(1 - p), (1e-9, 0.25, 0.999)),
    "nbinom.logpmf in n": (lambda n: D.nbinom.logpmf(4, n, 0.3), lambda n: mpmath.loggamma(n + 4) - mpmath.loggamma(5)
                           - mpmath.loggamma(n) + n * mpmath.log(0.3) + 4 * mpmath.log(0.7), (0.1, 2.0, 50.0)),
    "lognorm.logsf": (lambda x: D.lognorm.logsf(x, 0.5), lambda x: mpmath.log(mpmath.ncdf(-mpmath.log(x) / 0.5)),
                      (1e-3, 1.0, 1e4)),
    "laplace.logcdf": (D.laplace.logcdf, lambda x: x - mpmath.log(2) if x < 0 else mpmath.log1p(-mpmath.exp(-x) / 2),
                       (-700.0, -1.0, 2.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_tails_and_parameters_agree_with_50_digits(name):
    f, truth, places = LAWS[name]
    for x in places:
        with mpmath.workdps(60):
            wanted = [float(mpmath.diff(truth, mpmath.mpf(x), k, h=mpmath.mpf(10) ** -16 * max(1e-3, abs(x))))
                      if k else float(truth(mpmath.mpf(x))) for k in range(3)]  # fmt: skip
        for found, want, order in zip(derivatives(f, x), wanted, range(3), strict=True):
            assert found == pytest.approx(want, rel=2e-9, abs=1e-290), (x, order)


def test_what_is_nan_outside_its_domain_prints_as_itself_and_stays_nan_in_every_form():
    x, s = sg.symbols("x s")
    f = sg.formula(lambda s: D.norm.cdf(x, 0, s), s)
    assert str(f) == "Φ(x/s)" and f(x=1.0, s=2.0) == pytest.approx(0.6914624612740131)
    assert np.isnan(f(x=1.0, s=-2.0)) and "in_domain" not in str(f.sympy())
    space = {}
    exec(f.code(), space)
    assert np.isnan(space["f"](-2.0, 1.0))
    compiled = sg.compile(lambda s: D.norm.cdf(1.0, 0.0, s), "fg")
    assert compiled(2.0)[0] == pytest.approx(0.6914624612740131) and np.isnan(compiled(-2.0)).all()
    assert np.isnan(D.norm.cdf(1.0, 0.0, sg.tensor(-1.0, requires_grad=True)).item())


def test_the_normal_density_has_the_textbooks_derivatives():
    x, m, s = 1.3, 0.4, 2.1
    H = sg.hessian(lambda t: D.norm.logpdf(x, t[0], t[1]))(np.array([m, s]))
    r = x - m
    np.testing.assert_allclose(H, [[-1 / s**2, -2 * r / s**3], [-2 * r / s**3, 1 / s**2 - 3 * r**2 / s**4]])


# ------------------------------------------------------------------------------------- outside, on borders, NaN

OUTSIDE = {
    "gamma": ((2.5,), -1.0), "expon": ((), -0.5), "beta": ((2.0, 3.0), 1.5), "lognorm": ((0.5,), -2.0),
    "weibull_min": ((1.5,), -1.0), "pareto": ((2.0,), 0.5), "chi2": ((3.0,), -1.0), "f": ((3.0, 4.0), -1.0),
    "uniform": ((), 2.0), "truncnorm": ((-1.0, 2.0), 3.0),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
@pytest.mark.parametrize("name", OUTSIDE)
def test_points_outside_the_support_move_nothing_in_any_way(name):
    shapes, x = OUTSIDE[name]
    ours, theirs = getattr(D, name), getattr(scipy.stats, name)
    for method in ("logpdf", "pdf"):

        def f(p, method=method):
            return getattr(ours, method)(x, *p[:-1], 0.0, p[-1])

        point = np.array([*shapes, 1.25 if name != "uniform" else 1.0])
        t = sg.tensor(point, requires_grad=True)
        value = f(t)
        assert value.item() == getattr(theirs, method)(x, *shapes, 0.0, point[-1])
        (first,) = sg.autograd.grad(value, t, create_graph=True)
        assert first.tolist() == [0.0] * point.size
        assert np.array_equal(sg.hessian(f)(point), np.zeros((point.size,) * 2))
        moved = sg.func.jvp(f, (sg.tensor(point),), (sg.tensor(np.ones(point.size)),))[1]
        assert moved.item() == 0
        with forward_ad.dual_level():
            tangent = forward_ad.unpack_dual(f(forward_ad.make_dual(sg.tensor(point), sg.tensor(np.ones_like(point)))))
        assert tangent.tangent is None or tangent.tangent.item() == 0


BORDERS = [
    ("expon", (), [0.0, np.inf]), ("gamma", (1.0,), [0.0]), ("gamma", (2.0,), [0.0]), ("gamma", (0.5,), [0.0]),
    ("beta", (1.0, 1.0), [0.0, 1.0]), ("beta", (2.0, 0.5), [0.0, 1.0]), ("uniform", (), [0.0, 1.0]),
    ("weibull_min", (1.0,), [0.0]), ("weibull_min", (2.0,), [0.0]), ("lognorm", (1.0,), [0.0]),
    ("pareto", (2.0,), [1.0]),
    ("truncnorm", (-1.0, 2.0), [-1.0, 2.0]), ("norm", (), [np.inf, -np.inf, np.nan]),
    ("t", (3.0,), [np.nan]), ("t", (np.inf,), [1.0, -30.0]),
    ("chi2", (2.0,), [0.0]), ("f", (2.0, 3.0), [0.0]), ("laplace", (), [0.0, np.inf]), ("vonmises", (0.0,), [1.0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes", "places"), BORDERS)
def test_values_on_borders_are_scipys(name, shapes, places):
    for method in ("logpdf", "pdf"):
        got = getattr(getattr(D, name), method)(sg.tensor(places, requires_grad=True), *shapes)
        want = getattr(getattr(scipy.stats, name), method)(places, *shapes)
        np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-12)


SENSELESS = [
    ("norm", (0.0, -1.0)), ("norm", (0.0, 0.0)), ("gamma", (-0.5,)), ("gamma", (2.0, 0.0, -1.0)), ("t", (-3.0,)),
    ("beta", (0.0, 1.0)), ("expon", (0.0, -2.0)), ("weibull_min", (-1.0,)), ("truncnorm", (2.0, 1.0)),
    ("vonmises", (-1.0,)), ("pareto", (-2.0,)), ("lognorm", (-1.0,)), ("uniform", (0.0, -1.0)), ("cauchy", (0.0, -1.0)),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero")  # SciPy's own
@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(("name", "parameters"), SENSELESS)
def test_parameters_that_make_no_sense_give_nan_and_gradients_that_are(name, parameters):
    for x in (-0.5, 0.5, 1.5):
        for method in ("logpdf", "pdf", "cdf"):
            if getattr(D, name)._law.cdf is None and method == "cdf":
                continue
            if (name, method) in (("t", "cdf"), ("beta", "cdf"), ("gamma", "cdf")):
                continue  # special functions that may have no derivative there
            assert np.isnan(getattr(getattr(scipy.stats, name), method)(x, *parameters))
            t = sg.tensor(parameters, requires_grad=True)
            value = getattr(getattr(D, name), method)(x, *t)
            assert np.isnan(value.item()), (x, method)
            (g,) = sg.autograd.grad(value, t)
            assert np.isnan(g.numpy()).any(), (x, method)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [("poisson", (2.5,)), ("binom", (5, 0.3)), ("nbinom", (2.5, 0.3)), ("geom", (0.4,)), ("betabinom", (5, 1.5, 2.0))],
)
def test_counts_between_and_outside_have_no_probability_also_in_a_batch(name, shapes):
    k = np.array([0.0, 1.5, 3.0, -1.0, 5.0, 6.0])
    want = getattr(scipy.stats, name).logpmf(k, *shapes)
    ours, last = getattr(D, name), sg.tensor(shapes[-1], requires_grad=True)
    np.testing.assert_allclose(ours.logpmf(k, *shapes[:-1], last).detach().numpy(), want, rtol=1e-11, atol=1e-13)
    batched = sg.vmap(lambda k: ours.logpmf(k, *shapes[:-1], last.detach()))(sg.tensor(k))
    np.testing.assert_allclose(batched.numpy(), want, rtol=1e-11, atol=1e-13)


def test_a_count_has_no_derivative():
    with pytest.raises(sg.NotDifferentiableError, match="no derivative in k"):
        sg.grad(lambda k: D.poisson.logpmf(k, 2.0))(1.0)
    with pytest.raises(sg.NotDifferentiableError, match="binom.logpmf has no derivative in n"):
        sg.grad(lambda n: D.binom.logpmf(2, n, 0.3))(5.0)
    with pytest.raises(sg.NotDifferentiableError, match="no derivative in x"):
        sg.grad(lambda x: D.multinomial.logpmf(x, 3, np.array([0.5, 0.5])))(np.array([1.0, 2.0]))


@pytest.mark.parametrize("points", [[], [1.0]])
def test_a_density_is_estimated_from_two_points_or_more(points):
    with pytest.raises(ValueError, match="multiple elements"):
        sg.grad(lambda data: D.gaussian_kde(data)(0.5)[0])(np.array(points))


def test_probabilities_of_classes_that_do_not_add_up_are_nan():
    p = sg.tensor([0.5, 0.4], requires_grad=True)
    assert np.isnan(D.multinomial.logpmf([1, 1], 2, p).item())
    assert np.isnan(sg.grad(lambda p: D.multinomial.logpmf([1, 1], 2, p))(p.detach().numpy())).all()
    shares = np.array([0.1, 0.7, 0.2], np.float32)  # they add up to 1 but for their own rounding
    got = sg.grad(lambda p: D.multinomial.logpmf([1, 2, 4], 7, p))(shares)
    np.testing.assert_allclose(got, [1, 2, 4] / shares, rtol=1e-6)
    p = sg.tensor([0.5, 0.5], requires_grad=True)
    assert D.multinomial.logpmf([[2, 1], [1, 1]], 2, p).tolist() == [-np.inf, np.log(0.5)]


OF_SPECIAL_FUNCTIONS = {
    "gamma.cdf a": (lambda S, t: S.gamma.cdf(1.3, t), 2.5), "gamma.logsf x": (lambda S, t: S.gamma.logsf(t, 2.5), 1.3),
    "chi2.cdf df": (lambda S, t: S.chi2.cdf(1.3, t), 2.5), "beta.cdf x": (lambda S, t: S.beta.cdf(t, 2.0, 3.0), 0.4),
    "beta.cdf a": (lambda S, t: S.beta.cdf(0.4, t, 3.0), 2.2), "beta.sf b": (lambda S, t: S.beta.sf(0.4, 2.0, t), 2.2),
    "t.cdf x": (lambda S, t: S.t.cdf(t, 3.0), 0.4), "t.cdf df": (lambda S, t: S.t.cdf(0.8, t), 3.0),
    "t.sf 0": (lambda S, t: S.t.sf(t, 3.0), 0.0), "f.cdf x": (lambda S, t: S.f.cdf(t, 3.0, 4.0), 0.4),
    "f.cdf dfn": (lambda S, t: S.f.cdf(1.4, t, 4.0), 3.0), "f.sf dfd": (lambda S, t: S.f.sf(1.4, 3.0, t), 3.0),
    "poisson.sf mu": (lambda S, t: S.poisson.sf(3, t), 2.5), "binom.cdf p": (lambda S, t: S.binom.cdf(3, 7, t), 0.4),
    "binom.sf p": (lambda S, t: S.binom.sf(3, 7, t), 0.4), "nbinom.cdf n": (lambda S, t: S.nbinom.cdf(3, t, 0.3), 2.4),
    "nbinom.sf p": (lambda S, t: S.nbinom.sf(3, 2.5, t), 0.4),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_SPECIAL_FUNCTIONS)
def test_a_distribution_function_is_right_or_names_the_special_function_that_has_no_derivative(name):
    f, x = OF_SPECIAL_FUNCTIONS[name]
    try:
        found = sg.grad(lambda t: f(D, t))(x)
    except sg.NotDifferentiableError as error:
        assert any(word in str(error) for word in ("igamma", "betainc", "stdtr", "gammainc"))
        return
    assert found == pytest.approx(slope(lambda h: float(f(scipy.stats, x + h))), rel=1e-7)
    curvature = slope(lambda h: float(sg.grad(lambda t: f(D, t))(x + h)))
    assert float(sg.hessian(lambda t: f(D, t))(x)) == pytest.approx(curvature, rel=1e-6, abs=1e-9)


# ------------------------------------------------------------------------------------------------- linear algebra


def test_repeated_eigenvalues_have_a_gradient_where_no_gap_is_divided_by():
    twice = np.diag([2.0, 2.0, 5.0])
    np.testing.assert_allclose(sg.grad(lambda a: L.eigvalsh(a)[:2].sum())(twice), np.diag([1.0, 1, 0]), atol=1e-12)
    with pytest.raises(sg.GradientError, match="gap between the values 0 and 1"):
        sg.grad(lambda a: L.eigh(a)[1].sum())(twice)
    with pytest.raises(sg.GradientError, match="gap between the values 0 and 1"):
        sg.grad(lambda a: L.eigh(a, np.eye(3))[1].sum())(twice)
    np.testing.assert_allclose(sg.grad(lambda b: L.eigh(twice, b)[0].sum())(np.eye(3)), -twice, atol=1e-12)


def test_gradients_of_a_pair_are_in_the_dtype_of_each():
    real = np.diag([2.0, 3.0])
    hermitian = real + np.array([[0, 0.5j], [-0.5j, 0]])
    of_real = sg.grad(lambda a: L.eigvalsh(a, hermitian).sum())(real)
    assert of_real.dtype == np.float64
    np.testing.assert_allclose(of_real, np.linalg.inv(hermitian).real, atol=1e-12)
    assert sg.grad(lambda b: L.eigvalsh(real, b).sum())(real.astype(np.float32)).dtype == np.float32


ERRORS = [
    (lambda a: L.solve(a, np.ones(2)), np.zeros((2, 2)), "singular"),
    (lambda a: L.solve(a, np.ones(2), assume_a="pos"), -np.eye(2), "positive"),
    (lambda a: L.cho_factor(a)[0], np.array([[1.0, 2], [2, 1]]), "positive"),
    (lambda a: L.solve_triangular(a, np.ones(2)), np.array([[1.0, 2], [0, 0]]), "diagonal 1"),
    (lambda a: L.logm(a), np.diag([1.0, 0]), "singular"),
    (lambda a: L.logm(a), np.diag([1.0, -1]), "no real principal logarithm"),
    (lambda a: L.sqrtm(a), np.diag([1.0, -1]), "no real principal square root"),
    (lambda a: L.solve_continuous_lyapunov(a, np.eye(2)), np.diag([1.0, -1]), "the gap is 0"),
    (lambda a: L.solve_banded((0, 0), a[:1], np.ones(2)), np.zeros((2, 2)), "solve_banded"),
    (lambda a: L.solveh_banded(a, np.ones(2)), np.array([[0.0, 3], [1, 1]]), "solveh_banded"),
    (lambda a: L.eigh(np.eye(2), a)[0], -np.eye(2), "positive definite"),
    (lambda a: L.lu_factor(a)[0], np.zeros((2, 2)), "zero"),
]


@pytest.mark.parametrize(("f", "a", "words"), ERRORS)
def test_singular_matrices_raise_and_say_where(f, a, words):
    with pytest.raises(np.linalg.LinAlgError, match=words) as caught:
        f(sg.tensor(a, requires_grad=True))
    assert isinstance(caught.value, sg.SymgradError)


def test_a_singular_matrix_has_a_root_and_no_derivative():
    x = sg.tensor(np.diag([4.0, 0.0]), requires_grad=True)
    np.testing.assert_allclose(L.sqrtm(x).detach().numpy(), np.diag([2.0, 0]))
    with pytest.raises(np.linalg.LinAlgError, match="the gap is 0"):
        L.sqrtm(x).sum().backward()


def test_infinite_entries_are_refused_as_scipy_does():
    with pytest.raises(ValueError, match="must not contain infs or NaNs: b"):
        L.solve(np.eye(2), sg.tensor([1.0, np.nan], requires_grad=True))
    assert np.isnan(L.solve(np.eye(2), sg.tensor([1.0, np.nan], requires_grad=True), check_finite=False)[1].item())


def test_only_the_named_triangle_is_read():
    a = np.array([[4.0, 1, 0], [9, 5, 2], [7, 8, 6]])
    t = sg.tensor(a, requires_grad=True)
    for options in ({"assume_a": "pos"}, {"assume_a": "sym"}, {"assume_a": "her"}):
        for lower in (False, True):
            b = a.T if lower else a
            got = L.solve(t.T if lower else t, np.ones(3), lower=lower, **options).detach().numpy()
            np.testing.assert_allclose(got, scipy.linalg.solve(b, np.ones(3), lower=lower, **options))
    np.testing.assert_allclose(L.cholesky(t).detach().numpy(), scipy.linalg.cholesky(a), atol=1e-14)
    np.testing.assert_allclose(L.eigvalsh(t, lower=False).detach().numpy(), scipy.linalg.eigvalsh(a, lower=False))
    np.testing.assert_allclose(L.eigvalsh(t.T, t.T @ t.T.T).detach().numpy(), scipy.linalg.eigvalsh(a.T, a.T @ a))


def test_in_a_batch_each_matrix_is_read_by_its_triangle():
    a = np.stack([np.array([[4.0, 1], [1, 3]]), np.array([[4.0, 1], [9, 3]])])  # the second is not symmetric
    want = [scipy.linalg.solve(m, np.ones(2), assume_a="sym") for m in a]
    np.testing.assert_allclose(sg.vmap(lambda m: L.solve(m, np.ones(2), assume_a="sym"))(a), want)
    compiled = sg.compile(lambda m: L.solve(m, np.ones(2), assume_a="sym").sum(), "f")
    np.testing.assert_allclose([compiled(m) for m in a], np.sum(want, -1))


FACTORED = {
    "lu": lambda a: L.lu(a)[2], "lu_solve": lambda a: L.lu_solve(L.lu_factor(a), np.array([1.0, 2.0])),
    "ldl": lambda a: L.ldl((a + a.T) / 2)[1], "ldl, in order": lambda a: (lambda f, d, p: f[p])(*L.ldl((a + a.T) / 2)),
    "lstsq": lambda a: L.lstsq(a, np.array([1.0, 2.0]))[0],
}  # fmt: skip


@pytest.mark.parametrize("name", FACTORED)
def test_the_hessian_at_one_order_of_rows_is_not_that_of_another(name):
    f = FACTORED[name]
    g, H = (make(lambda a: (f(a) ** 2).sum()) for make in (sg.grad, sg.hessian))
    step = np.random.default_rng(0).normal(size=(2, 2))
    for a in ([[4.0, 1], [1, 3]], [[1.0, 4], [3, 1]], [[0.1, 4.2], [3.3, 0.2]], [[4.5, 1], [1.2, 3]]):
        want = slope(lambda t, a=a: g(np.array(a) + t * step))
        np.testing.assert_allclose(np.tensordot(H(np.array(a)), step, 2), want, atol=1e-6 * (1 + np.abs(want).max()))


def test_whole_numbers_and_lists_are_operands_too():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    assert L.solve([[2, 0], [0, 4]], x).tolist() == [0.5, 0.5]
    assert L.block_diag(1, [2, 3], x).shape == (3, 5)
    assert L.toeplitz([1, 2], x).tolist() == [[1.0, 2.0], [2.0, 1.0]]


# --------------------------------------------------------------------------------- whose functions, whose signatures


OURS = {"LinAlgError", "SparseArray", "linalg", "problem", "sph_harm_y"}
"""Names in the mirror that are no functions of SciPy's, and one of which SciPy's has no signature."""


def mirrors():
    for module, own, other in (
        ("linalg", L, scipy.linalg), ("fft", sp.fft, scipy.fft), ("stats", D, scipy.stats),
        ("interpolate", sp.interpolate, scipy.interpolate), ("integrate", sp.integrate, scipy.integrate),
        ("special", sp.special, scipy.special), ("signal", sp.signal, scipy.signal),
        ("ndimage", sp.ndimage, scipy.ndimage), ("optimize", sp.optimize, scipy.optimize),
        ("sparse", sp.sparse, scipy.sparse), ("sparse.linalg", sp.sparse.linalg, scipy.sparse.linalg),
    ):  # fmt: skip
        for name in own.__all__:
            if name in OURS:
                continue
            ours, theirs = getattr(own, name), getattr(other, name)
            if callable(ours) and not hasattr(ours, "logpdf") and not hasattr(ours, "logpmf"):
                yield pytest.param(ours, theirs, id=f"{module}.{name}")
                continue
            for method in ("logpdf", "pdf", "logpmf", "pmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "entropy"):
                if hasattr(type(ours), method) and hasattr(theirs, method):
                    yield pytest.param(getattr(ours, method), getattr(theirs, method), id=f"{module}.{name}.{method}")


def parameters(function):
    found = list(inspect.signature(function).parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in found):  # which may have any names
        return [p.kind for p in found]
    return [(p.name, p.kind, "?" if type(p.default) is object else p.default) for p in found]


@pytest.mark.parametrize(("ours", "theirs"), list(mirrors()))
def test_signatures_are_scipys(ours, theirs):
    assert parameters(ours) == parameters(theirs)


def test_arguments_of_another_scipy_are_bound_as_its_are():
    """One that is new may be left out, or be overwritten; one that is gone, or stands elsewhere, is as there."""

    def followed(a, overwrite_b=False, scale=1.0, *, fast=False):
        return a

    @_mirrored.mirrored(followed, "a")
    def followed(a, scale=1.0, flag=True):
        return a * scale if flag else None

    x = sg.tensor([1.0, 2.0], requires_grad=True)
    assert followed(x, True, 3.0).tolist() == followed(x, scale=3.0).tolist() == [3.0, 6.0]
    assert followed(x, fast=False).tolist() == [1.0, 2.0]
    with pytest.raises(sg.NotDifferentiableError, match=r"followed with fast= has no derivative rule\nIt is new in"):
        followed(x, fast=True)
    with pytest.raises(TypeError, match="flag"):
        followed(x, flag=False)


@pytest.mark.parametrize("y", [[3.0, 1.0], [3.0, 3.0]])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.filterwarnings("ignore:An input array is constant")
def test_a_correlation_of_two_points_has_the_p_value_of_scipy(y, alternative):
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    got = D.pearsonr(x, np.array(y), alternative=alternative)
    want = scipy.stats.pearsonr([1.0, 2.0], y, alternative=alternative)
    np.testing.assert_equal([v.item() for v in got], list(want))


def test_plain_arrays_go_to_scipy_itself():
    a = np.array([[2.0, 1], [1, 3]])
    assert type(L.solve(a, np.ones(2))) is np.ndarray
    assert type(D.norm.logpdf(1.0)) is np.float64
    assert isinstance(D.pearsonr([1, 2, 3.0], [1, 2, 4.0]), type(scipy.stats.pearsonr([1, 2, 3.0], [1, 2, 4.0])))
    np.testing.assert_array_equal(D.gamma(2.0, scale=3.0).pdf(a), scipy.stats.gamma(2.0, scale=3.0).pdf(a))


def test_an_import_of_symgrad_does_not_load_it():
    code = "import sys, symgrad; print([m for m in sys.modules if m.startswith(('scipy', 'symgrad.scipy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_scipys_own_functions_name_their_mirror():
    x = sg.tensor(np.eye(2), requires_grad=True)
    for call, name in (
        (lambda: scipy.linalg.expm(x), "linalg.expm"), (lambda: scipy.fft.dct(x), "fft.dct"),
        (lambda: scipy.stats.norm.logpdf(x), "stats.norm.logpdf"), (lambda: scipy.stats.t(3).pdf(x), "stats.t.pdf"),
        (lambda: scipy.stats.multivariate_normal.logpdf(x), "stats.multivariate_normal.logpdf"),
    ):  # fmt: skip
        with pytest.raises(sg.GradientError, match=rf"Use symgrad\.scipy\.{name}, which takes tensors"):
            call()
    with pytest.raises(sg.GradientError) as caught:
        scipy.linalg.cosm(x)
    assert "symgrad.scipy" not in str(caught.value)


REFUSED = [
    (lambda x: L.qr(x, pivoting=True), "pivoting=True"), (lambda x: L.eig(x, left=True), "left=True"),
    (lambda x: L.eigh(x, subset_by_value=[0, 1]), "subset_by_value"), (lambda x: L.pinv(x, atol=1, rtol=1), "atol"),
    (lambda x: L.eig(x, x), "vectors of a pair"),
    *[(lambda x: L.logm(x, disp=False), "disp=False")] * ("disp" in inspect.signature(scipy.linalg.logm).parameters),
    (lambda x: D.multivariate_normal.cdf(x, lower_limit=[0, 0]), "lower_limit"),
    (lambda x: D.multivariate_normal.logpdf(x, allow_singular=True, mean=[0, 0]), "allow_singular"),
    (lambda x: D.zscore(x, nan_policy="omit"), "nan_policy='omit'"), (lambda x: D.pearsonr(x, x, method=3), "method="),
]  # fmt: skip


@pytest.mark.parametrize(("f", "words"), REFUSED)
def test_what_is_not_mirrored_is_refused_by_name(f, words):
    with pytest.raises(sg.NotDifferentiableError) as caught:
        f(sg.tensor(np.eye(2) * 2, requires_grad=True))
    assert words in str(caught.value) and str(caught.value).startswith("symgrad.scipy.")


def test_a_wrong_argument_is_refused_as_by_scipy():
    x = sg.tensor(1.0, requires_grad=True)
    for call in (lambda: D.norm.logpdf(x, 1, 2, 3), lambda: D.gamma.logpdf(x), lambda: D.norm.logpdf(x, sigma=2)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(sg.DTypeError, match="complex"):
        D.norm.logpdf(sg.tensor(1j, requires_grad=True))


IN_LISTS = {
    "a matrix": (
        lambda p: sp.stats.multivariate_normal.logpdf([0.1, 0.2], [p[0], 0], [[1 + p[0] ** 2, p[1]], [p[1], 2.0]]),
        lambda p: sp.stats.multivariate_normal.logpdf(
            np.array([0.1, 0.2]), np.stack([p[0], 0.0]),
            np.stack([np.stack([1 + p[0] ** 2, p[1]]), np.stack([p[1], 2.0])]),
        ),
    ),
    "parameters": (
        lambda p: sp.stats.norm.logpdf([1, 2], [p[0], 0], [1, np.exp(p[1])]).sum(),
        lambda p: sp.stats.norm.logpdf(1, p[0]) + sp.stats.norm.logpdf(2, 0, np.exp(p[1])),
    ),
    "both sides of a system": (
        lambda p: sp.linalg.solve([[p[0], 1], [1, p[1]]], [1, 2 * p[0]])[0],
        lambda p: (p[1] - 2 * p[0]) / (p[0] * p[1] - 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_LISTS)
def test_lists_of_numbers_and_of_what_is_differentiated_are_arrays(case):
    in_lists, stacked = IN_LISTS[case]
    p = np.array([1.7, 0.9])
    np.testing.assert_allclose(in_lists(p), stacked(p), rtol=1e-12)
    np.testing.assert_allclose(sg.grad(in_lists)(p), sg.grad(stacked)(p), rtol=1e-10)
    np.testing.assert_allclose(sg.hessian(in_lists)(p), sg.hessian(stacked)(p), rtol=1e-9, atol=1e-12)


# ----------------------------------------------- what a derivative reads: copies of all that a solver's function read


class Slotted:
    __slots__ = ("k",)
    __getitem__, __setitem__ = Held.__getitem__, Held.__setitem__


class Labelled(np.ndarray):
    """An array with a number in an attribute."""

    __getitem__, __setitem__ = Held.__getitem__, Held.__setitem__


class Module(sg.nn.Module):
    __getitem__, __setitem__ = Held.__getitem__, Held.__setitem__

    def forward(self, x):
        return self.k * x


class Within:
    """What asks another object for its number."""

    def __init__(self, held, ask):
        self.held, self.ask = held, ask

    def __getitem__(self, _):
        return self.ask()

    def __setitem__(self, _, k):
        self.held[0] = k


class Keyed(dict):
    """A table with names as attributes, and objects as keys."""

    __getattr__ = dict.__getitem__

    def __init__(self):
        self.key = self["key"] = Held()
        self[self.key] = [0.0]

    def __getitem__(self, _):
        return self.get(self.key)[0]

    def __setitem__(self, name, k):
        super().__setitem__(name, k) if name else self.get(self.key).__setitem__(0, k)


class Constructed(Held):
    """One whose class asks for more than a copy gives."""

    def __new__(cls, _):
        return super().__new__(cls)

    def __init__(self, _):
        super().__init__()


def asked(held, ask):
    return Within(held, ask(held))


OTHERS = {
    "a deque": lambda: collections.deque([0.0]), "counts": lambda: collections.Counter({0: 0.0}),
    "a dictionary of the user's": lambda: collections.UserDict({0: 0.0}), "slots": Slotted,
    "a constructor with arguments": lambda: Constructed(1),
    "a dictionary by objects": Keyed, "an array's attribute": lambda: np.zeros(1).view(Labelled), "a module": Module,
    "a module's layer": lambda: asked(Module(), lambda m: functools.partial(sg.nn.Sequential(m), 1.0)),
    "a list's method": lambda: asked([0.0], lambda w: functools.partial(w.__getitem__, 0)),
    "a derivative": lambda: asked([0.0], lambda w: functools.partial(sg.grad(lambda x: x * w[0]), 1.0)),
}  # fmt: skip


@pytest.mark.parametrize("solver", ["quad", "solve_ivp", "root"])
@pytest.mark.parametrize("held", OTHERS)
def test_what_a_derivative_reads_is_copied_whatever_its_class(solver, held):
    def total(a):
        w, s = OTHERS[held](), 0.0
        for k in (1.0, 2.0):
            w[0] = k
            s = s + SOLVERS[solver](lambda x: a * w[0] * x)
        w[0] = 9.0
        return s

    expected = lambda a: sum(SOLVERS[solver](lambda x: a * k * x) for k in (1.0, 2.0))  # noqa: B023
    np.testing.assert_allclose(sg.grad(total)(0.8), sg.grad(expected)(0.8), rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_cannot_be_copied_and_has_changed_raises(solver):
    class Settings:
        k = 1.0

    def f(a, later):
        Settings.k = 1.0
        found = SOLVERS[solver](lambda x: a * Settings.k * x)
        Settings.k = later
        return found

    expected = sg.grad(lambda a: SOLVERS[solver](lambda x: a * x))(0.8)
    np.testing.assert_allclose(sg.grad(f)(0.8, 1.0), expected, rtol=1e-9)
    with pytest.raises(sg.GradientError, match="has changed since|not found a solution"):
        sg.grad(f)(0.8, 2.0)


class Pair(NamedTuple):
    first: float
    second: float = 1.0

    def product(self):
        return self.first * self.second


class OneOf(collections.namedtuple("OneOf", "first second")):
    def __new__(cls, first):
        return super().__new__(cls, first, 1.0)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    first: float
    second: float = 1.0

    def product(self):
        return self.first * self.second


class Numbers(list):
    def __init__(self, first, factor):
        super().__init__([first])
        self.factor = factor


class Named(dict):
    __getattr__ = dict.__getitem__


def moved(a):
    table = collections.OrderedDict(a=a, b=1.0)
    return lambda: table.move_to_end("a") or table["a"]


HOLDERS = {
    "an ordered dictionary": moved,
    "a dictionary with defaults": lambda a: (lambda d: lambda: d["a"] * d[1])(collections.defaultdict(lambda: 1, a=a)),
    "a dictionary with attributes": lambda a: (lambda d: lambda: d.a)(Named(a=a)),
    "a list with an attribute": lambda a: (lambda n: lambda: n[0] * n.factor)(Numbers(a, 1.0)),
    "a deque": lambda a: (lambda d: lambda: d[-1])(collections.deque([a], 2)),
    "a named tuple": lambda a: Pair(a).product,
    "a named tuple with a constructor": lambda a: (lambda n: lambda: n.first * n.second)(OneOf(a)),
    "a dataclass": lambda a: Frozen(a).product,
    "a derivative": lambda a: functools.partial(sg.grad(lambda x: a * x), 1.0),
    "a derivative in a list": lambda a: (lambda g: lambda: g[0](1.0)[0])([sg.jacobian(lambda x: np.stack([a * x]))]),
    "a dictionary's method": lambda a: functools.partial({"a": a}.get, "a"),
    "a partial function's attribute": lambda a: (lambda p: setattr(p, "a", a) or (lambda: p.a))(functools.partial(abs)),
}  # fmt: skip


@pytest.mark.parametrize("solver", ["quad", "solve_ivp", "root", "implicit"])
@pytest.mark.parametrize("holder", HOLDERS)
def test_containers_that_hold_what_is_differentiated_stay_of_their_class(solver, holder):
    def f(a):
        get = HOLDERS[holder](a)
        return SOLVERS[solver](lambda x: get() * x)

    np.testing.assert_allclose(sg.grad(f)(0.8), sg.grad(lambda a: SOLVERS[solver](lambda x: a * x))(0.8), rtol=1e-9)


@dataclasses.dataclass
class Counted:
    a: float
    calls: int = 0
    seen: list = dataclasses.field(default_factory=list)

    def residual(self, x):
        self.calls += 1
        self.seen.append(self.calls)
        return x**2 - self.a


def in_a_list(a):
    state = [a, 0]

    def residual(x):
        state[1] += 1
        state.append(state[1])
        return x**2 - state[0]

    return residual, lambda: (state[0] is a, state[1:])


def in_a_dictionary(a):
    state = Named(a=a, calls=0)

    def residual(x):
        state["calls"] += 1
        state[state.calls] = 1
        return x**2 - state.a

    return residual, lambda: (state.a is a, list(state))


def in_an_object(a):
    problem = Counted(a)
    return problem.residual, lambda: (problem.a is a, problem.calls, problem.seen)


@pytest.mark.parametrize("kept", [in_a_list, in_a_dictionary, in_an_object])
@pytest.mark.parametrize("name", ["brentq", "newton"])
def test_accounts_that_a_function_keeps_beside_what_is_differentiated_are_those_of_scipys_calls(name, kept):
    bounds = (0.0, 5.0) if name == "brentq" else (1.0,)
    residual, accounts = kept(2.0)
    getattr(scipy.optimize, name)(residual, *bounds)
    found = []

    def root(a):
        residual, of_a = kept(a)
        x = getattr(sp.optimize, name)(residual, *bounds)
        found.append(of_a())
        return x

    assert sg.grad(root)(2.0) == pytest.approx(0.125**0.5)
    assert found == [accounts()]


IN_A_PROGRAM = {
    "optimize.brentq": lambda S, a: S.optimize.brentq(lambda z: z**3 - a[0], 0, 5),
    "optimize.root": lambda S, a: S.optimize.root(lambda z: z**3 - a, np.ones(2)).x.sum(),
    "optimize.newton": lambda S, a: S.optimize.newton(lambda z: z**3 - a[0], 1.0),
    "optimize.minimize": lambda S, a: S.optimize.minimize(lambda z: ((z - a) ** 2).sum(), np.ones(2)).x.sum(),
    "integrate.quad": lambda S, a: S.integrate.quad(lambda z: z * a[0], 0, 1)[0],
    "integrate.solve_ivp": lambda S, a: S.integrate.solve_ivp(lambda t, y: -a[0] * y, (0, 1), [1.0]).y[0, -1],
    "interpolate.CubicSpline": lambda S, a: S.interpolate.CubicSpline(np.arange(2.0), a)(0.5),
    "interpolate.interp1d": lambda S, a: S.interpolate.interp1d(np.arange(2.0), a)(0.5) + 0,
    "sparse.linalg.spsolve": lambda S, a: S.sparse.linalg.spsolve(scipy.sparse.eye(2).tocsc(), a).sum(),
}


@pytest.mark.parametrize("name", IN_A_PROGRAM)
def test_a_program_of_what_needs_numbers_is_refused_as_that_and_the_next_step_works(name):
    def f(a):
        return IN_A_PROGRAM[name](sg.scipy, a)

    at = np.array([2.0, 1.5])
    with pytest.raises(sg.NotDifferentiableError) as caught:
        sg.compile(f)(at)
    first, *_, last = str(caught.value).splitlines()
    assert first == f"sg.compile makes no program of symgrad.scipy.{name}" and last.startswith("Use sg.grad")
    assert np.isfinite(sg.grad(f)(at)).all()
