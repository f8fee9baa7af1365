"""Estimates, standard errors and robust covariances are those of statsmodels, on data made by a seeded generator."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import gammaln

import symgrad as sg
import symgrad.scipy as sp

from ._answers import answer

pytestmark = pytest.mark.compare

RNG = np.random.default_rng(7)
N = 300
X = np.column_stack([np.ones(N), RNG.standard_normal((N, 2)), RNG.uniform(0, 2, N)])
INDEX = X @ np.array([0.3, -0.5, 0.4, 0.2])
GROUPS = RNG.integers(0, 25, N)
LINEAR = INDEX + RNG.standard_normal(N) * (0.5 + X[:, 3])
BINARY = (INDEX + RNG.logistic(size=N) > 0).astype(float)
COUNTS = RNG.poisson(np.exp(INDEX)).astype(float)
SPREAD = RNG.negative_binomial(2, 2 / (2 + np.exp(INDEX))).astype(float)


def ols(p, X, y):
    return 0.5 * ((y - X @ p["beta"]) / p["sigma"]) ** 2 + np.log(p["sigma"]) + 0.5 * np.log(2 * np.pi)


def logit(beta, X, y):
    return np.logaddexp(0, X @ beta) - y * (X @ beta)


def probit(beta, X, y):
    return -sg.special.log_ndtr((2 * y - 1) * (X @ beta))


def poisson(beta, X, y):
    return np.exp(X @ beta) - y * (X @ beta) + gammaln(y + 1)


def negative_binomial(p, X, y):
    r, mu = 1 / p["alpha"], np.exp(X @ p["beta"])
    known = sg.special.gammaln(r) - sg.special.gammaln(y + r)
    return known + gammaln(y + 1) - r * np.log(r / (r + mu)) - y * np.log(mu / (r + mu))


MODELS = {
    "logit": (logit, np.zeros(4), BINARY, "Logit"),
    "probit": (probit, np.zeros(4), BINARY, "Probit"),
    "Poisson": (poisson, np.zeros(4), COUNTS, "Poisson"),
    "negative binomial": (negative_binomial, {"beta": np.zeros(4), "alpha": 1.0}, SPREAD,
                          "NegativeBinomial"),
}  # fmt: skip
KINDS = {
    "hessian": ({}, None), "sandwich": ({"cov_type": "HC0"}, None),
    "cluster": ({"cov_type": "cluster", "cov_kwds": {"groups": GROUPS, "use_correction": False}}, GROUPS),
}  # fmt: skip


def fitted(name, y, options, how):
    """What statsmodels finds for one of its models."""

    def run(statsmodels):
        other = getattr(importlib.import_module("statsmodels.api"), name)(y, X).fit(**how, **options)
        names = ("params", "llf", "bse", "tvalues", "pvalues")
        found = {n: getattr(other, n) for n in names}
        return found | {"cov_params": other.cov_params(), "conf_int": other.conf_int(0.1)}

    return SimpleNamespace(**answer("statsmodels", run))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_likelihoods_of_discrete_outcomes(name, kind):
    f, start, y, model = MODELS[name]
    options, clusters = KINDS[kind]
    fit = sg.minimize(f, start, X, y, bounds={"alpha": (1e-6, None)} if name == "negative binomial" else None)
    other = fitted(model, y, options, {"disp": False, "method": "newton", "maxiter": 100, "tol": 1e-12})
    assert np.allclose(fit._flat, other.params, rtol=1e-6, atol=1e-6)
    assert fit.loglik == pytest.approx(other.llf, rel=1e-9)
    assert np.allclose(fit.covariance(kind, clusters).matrix, other.cov_params, rtol=1e-6, atol=1e-9)
    assert np.allclose(fit._errors(kind, clusters), other.bse, rtol=1e-6)
    low, high = fit._model.skeleton.flatten(fit.confint(0.9, kind, clusters).lower), other.conf_int[:, 0]
    assert np.allclose(low, high, rtol=1e-4, atol=1e-5)
    table = np.array([[row.z, row.p] for row in fit.summary(kind, clusters).rows])
    assert np.allclose(table, np.stack([other.tvalues, other.pvalues], 1), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_least_squares(kind):
    """With the variance as a parameter: their errors divide by n − k, the likelihood by n; the robust ones do not."""
    options, clusters = KINDS[kind]
    fit = sg.minimize(ols, {"beta": np.zeros(4), "sigma": 1.0}, X, LINEAR)
    other = fitted("OLS", LINEAR, options, {})
    scale = (N - 4) / N if kind == "hessian" else 1.0
    assert np.allclose(fit.x["beta"], other.params, rtol=1e-6)
    assert np.allclose(fit.covariance(kind, clusters)["beta", "beta"], scale * other.cov_params, rtol=1e-6, atol=1e-9)
    assert fit.loglik == pytest.approx(other.llf, rel=1e-10)


@pytest.mark.parametrize("kind", ["HC1", "HC2", "HC3"])
@pytest.mark.parametrize("columns", [4, 1])
def test_robust_covariances_for_small_samples(kind, columns):
    few = slice(25)
    data = X[few, :columns], LINEAR[few]
    fits = [sg.minimize(ols, {"beta": np.zeros(columns), "sigma": 1.0}, *data),
            sg.minimize(lambda beta, X, y: (y - X @ beta) ** 2, np.zeros(columns), *data)]  # fmt: skip

    def run(statsmodels):
        return importlib.import_module("statsmodels.api").OLS(data[1], data[0]).fit(cov_type=kind).cov_params()

    truth = answer("statsmodels", run)
    np.testing.assert_allclose(fits[0].covariance(kind)["beta", "beta"], truth, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(fits[1].covariance(kind).matrix, truth, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("name", ["logit", "Poisson"])
def test_leverages_of_generalised_linear_models(name):
    f, start, y, _ = MODELS[name]
    few = slice(40)
    fit = sg.minimize(f, start, X[few], y[few])

    def run(statsmodels):
        api = importlib.import_module("statsmodels.api")
        family = {"logit": api.families.Binomial(), "Poisson": api.families.Poisson()}[name]
        other = api.GLM(y[few], X[few], family=family).fit(tol=1e-14, maxiter=100)
        return other.get_influence().hat_matrix_diag, other.fittedvalues, other.cov_params()

    leverages, fitted, bread = answer("statsmodels", run, near=1e-7)
    for kind, power in (("HC2", 0.5), ("HC3", 1.0)):
        scores = X[few] * ((fitted - y[few]) / (1 - leverages) ** power)[:, None]
        truth = bread @ scores.T @ scores @ bread
        np.testing.assert_allclose(fit.covariance(kind).matrix, truth, rtol=1e-5, atol=1e-9)


def test_an_average_effect_by_the_delta_method():
    """The average marginal effect of a logit model, whose standard error they find by the same method."""
    fit = sg.minimize(logit, np.zeros(4), X, BINARY)
    effect = sg.stats.delta(lambda b: (sg.sigmoid(X @ b) * (1 - sg.sigmoid(X @ b))).mean() * b[1:], fit)

    def run(statsmodels):
        other = importlib.import_module("statsmodels.api").Logit(BINARY, X).fit(disp=False).get_margeff()
        return other.margeff, other.margeff_se

    value, error = answer("statsmodels", run)
    assert np.allclose(effect.value, value, rtol=1e-6)
    assert np.allclose(effect.standard_error, error, rtol=1e-5)


PREDICTED = {
    "logit": lambda b, X: 1 / (1 + np.exp(-(X @ b))), "probit": lambda b, X: sg.special.ndtr(X @ b),
    "Poisson": lambda b, X: np.exp(X @ b),
}  # fmt: skip
WITH_A_DUMMY = np.column_stack([X[:, :3], X[:, 3] > 1.2])


@pytest.mark.parametrize("at", ["average", "means"])
@pytest.mark.parametrize("dummy", [False, True])
@pytest.mark.parametrize("name", PREDICTED)
def test_marginal_effects(name, dummy, at):
    f, start, y, model = MODELS[name]
    fit = sg.minimize(f, start, WITH_A_DUMMY, y)
    effects = fit.effects(PREDICTED[name], at=at, discrete=["X[3]"] if dummy else [])

    def run(statsmodels):
        other = getattr(importlib.import_module("statsmodels.api"), model)(y, WITH_A_DUMMY).fit(disp=False)
        found = other.get_margeff(at={"average": "overall", "means": "mean"}[at], dummy=dummy)
        return found.margeff, found.margeff_se

    value, error = answer("statsmodels", run)
    assert np.allclose(effects.value, value, rtol=1e-5)
    assert np.allclose(effects.standard_error, error, rtol=1e-5)


NAMES = ("const", "x1", "x2", "x3")
HYPOTHESES = ("x1 = x2", "x1 = -0.5, x2 = x3", "x1 + 2*x2 = 0.3*const, x3 = 0.2")


@pytest.mark.parametrize("hypothesis", HYPOTHESES)
@pytest.mark.parametrize("name", ["logit", "Poisson"])
def test_wald_tests(name, hypothesis):
    f, _, y, model = MODELS[name]
    fit = sg.minimize(lambda p, X, y: f(np.stack([p[name] for name in NAMES]), X, y), dict.fromkeys(NAMES, 0.0), X, y)
    for kind in ("hessian", "sandwich"):

        def run(statsmodels, how=KINDS[kind][0]):
            other = getattr(importlib.import_module("statsmodels.api"), model)(y, X).fit(disp=False, **how)
            found = other.wald_test(hypothesis, scalar=True)
            return found.statistic, found.pvalue

        test = fit.test(hypothesis, kind=kind)
        np.testing.assert_allclose([test.statistic, test.pvalue], answer("statsmodels", run), rtol=1e-5)


@pytest.mark.parametrize("hypothesis", HYPOTHESES)
def test_f_tests(hypothesis):
    """Theirs divide the variance by n − k."""
    by_name = lambda p, X, y: ols({"beta": np.stack([p[name] for name in NAMES]), "sigma": p["sigma"]}, X, y)
    fit = sg.minimize(by_name, {**dict.fromkeys(NAMES, 0.0), "sigma": 1.0}, X, LINEAR)

    def run(statsmodels):
        other = importlib.import_module("statsmodels.api").OLS(LINEAR, X).fit(cov_type="HC0")
        plain = importlib.import_module("statsmodels.api").OLS(LINEAR, X).fit().f_test(hypothesis)
        found = other.f_test(hypothesis)
        return float(found.statistic), float(found.pvalue), float(plain.statistic)

    test = fit.test(hypothesis, residual_df=N - 4, kind="sandwich")
    plain = fit.test(hypothesis, residual_df=N - 4).statistic * (N - 4) / N
    np.testing.assert_allclose([test.statistic, test.pvalue, plain], answer("statsmodels", run), rtol=1e-6)


def test_likelihood_ratios():
    fits = [sg.minimize(ols, {"beta": np.zeros(k), "sigma": 1.0}, X[:, :k], LINEAR) for k in (4, 2)]
    test = fits[0].likelihood_ratio(fits[1])

    def run(statsmodels):
        api = importlib.import_module("statsmodels.api")
        return api.OLS(LINEAR, X).fit().compare_lr_test(api.OLS(LINEAR, X[:, :2]).fit())

    np.testing.assert_allclose([test.statistic, test.pvalue, test.df], answer("statsmodels", run), rtol=1e-7)


# Models of the examples ----------------------------------------------------------------------------------------------

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("ties", ["breslow", "efron"])
def test_the_cox_model(ties):
    survival = example("survival")
    weeks, ill, placebo = survival.load()
    fit = sg.minimize(lambda beta: survival.cox(beta, weeks, ill, placebo, ties), 0.0)

    def run(statsmodels):
        PHReg = importlib.import_module("statsmodels.duration.api").PHReg
        theirs = PHReg(weeks, placebo[:, None], status=ill, ties=ties).fit(disp=False)
        return [theirs.params[0], theirs.bse[0]]

    np.testing.assert_allclose([fit.x, fit.standard_errors()], answer("statsmodels", run), rtol=1e-5)


@pytest.mark.parametrize("name", ["probit", "logit"])
def test_the_ordered_model(name):
    wine = example("ordered_probit")
    start = {"warm": 0.0, "contact": 0.0, "first": -1.0, "log_steps": np.zeros(3)}
    law = {"probit": sp.stats.norm, "logit": sp.stats.logistic}[name]
    fit = sg.minimize(lambda p: wine.negative_log_likelihood(p, law), start)
    tasted = np.repeat(np.stack([wine.WARM, wine.CONTACT], -1), wine.COUNTS.sum(1), axis=0)
    classes = np.concatenate([np.repeat(np.arange(5), row) for row in wine.COUNTS])

    def run(statsmodels):
        models = importlib.import_module("statsmodels.miscmodels.ordinal_model")
        theirs = models.OrderedModel(classes, tasted, distr=name).fit(method="newton", disp=False)
        return theirs.params, theirs.bse

    params, errors = answer("statsmodels", run, near=5e-6)
    np.testing.assert_allclose([*list(fit.x.values())[:3], *fit.x["log_steps"]], params, atol=1e-5)
    ours = fit.standard_errors()
    np.testing.assert_allclose([ours["warm"], ours["contact"]], errors[:2], rtol=1e-4)
