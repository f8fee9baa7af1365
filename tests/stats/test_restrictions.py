"""Wald's test of equations, and the likelihood ratio of two fits: by hand, how they are written, and what is refused.

The idea to hold: of one parameter the statistic is z squared; a restriction that is solved for a parameter gives a fit
whose likelihood is nearly what Wald's test says.
"""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint
from scipy.stats import chi2, f

import symgrad as sg
from symgrad.stats import FitError

from ._likelihoods import DAMAGE, T, logit

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(4)
N = 120
NAMES = ["const", "age", "age2", "C(town)[T.2]", "a-b", "log"]
X = pd.DataFrame(RNG.normal(size=(N, 6)), columns=NAMES).assign(const=1.0)
Y = (X.to_numpy() @ [0.3, 0.8, 0.6, -0.4, 0.1, 0.5] + RNG.logistic(size=N) > 0) * 1.0


def binary(b, X, y):
    z = X @ b
    return np.logaddexp(0, z) - y * z


FIT = sg.minimize(binary, pd.Series(0.0, X.columns), X, Y)
B, C = FIT.x.to_numpy(), FIT.covariance().matrix

EQUATIONS = {
    "age = 0": [(B[1], {1: 1})], "age": [(B[1], {1: 1})], "age = age2": [(B[1] - B[2], {1: 1, 2: -1})],
    "age == age2": [(B[1] - B[2], {1: 1, 2: -1})], "age = age2 = 0": [(B[1] - B[2], {1: 1, 2: -1}), (B[2], {2: 1})],
    "age = age2, C(town)[T.2] = 0": [(B[1] - B[2], {1: 1, 2: -1}), (B[3], {3: 1})],
    "a-b = 2*age": [(B[4] - 2 * B[1], {4: 1, 1: -2})],  # the name goes first
    '"a-b" − "age" = 1e-1': [(B[4] - B[1] - 0.1, {4: 1, 1: -1})],
    "age·age2 = 1/2": [(B[1] * B[2] - 0.5, {1: B[2], 2: B[1]})],
    "age*age2 = .5": [(B[1] * B[2] - 0.5, {1: B[2], 2: B[1]})],
    "age^2 = age2**3": [(B[1] ** 2 - B[2] ** 3, {1: 2 * B[1], 2: -3 * B[2] ** 2})],
    "-age^2 = -1": [(1 - B[1] ** 2, {1: -2 * B[1]})],
    "age/(1 - age2) = exp(const)": [(B[1] / (1 - B[2]) - np.exp(B[0]),
                                     {1: 1 / (1 - B[2]), 2: B[1] / (1 - B[2]) ** 2, 0: -np.exp(B[0])})],
    "log(age) = log": [(np.log(B[1]) - B[5], {1: 1 / B[1], 5: -1})],
    "sqrt(age) = 1": [(np.sqrt(B[1]) - 1, {1: 0.5 / np.sqrt(B[1])})],
}  # fmt: skip


@pytest.mark.parametrize("text", EQUATIONS)
def test_the_statistic_is_the_quadratic_form_of_the_restrictions(text):
    value = np.array([v for v, _ in EQUATIONS[text]])
    J = np.array([[d.get(k, 0.0) for k in range(6)] for _, d in EQUATIONS[text]])
    truth = value @ np.linalg.solve(J @ C @ J.T, value)
    test = FIT.test(text)
    assert test.df == len(value) and test.statistic == pytest.approx(truth, rel=1e-8)
    assert test.pvalue == pytest.approx(chi2.sf(truth, len(value)), rel=1e-8)
    by_f = FIT.test(text, residual_df=N - 6)
    assert by_f.statistic == pytest.approx(truth / len(value), rel=1e-8)
    assert by_f.pvalue == pytest.approx(f.sf(truth / len(value), len(value), N - 6), rel=1e-8)


@pytest.mark.parametrize("kind", ["hessian", "opg", "sandwich"])
def test_of_one_parameter_the_statistic_is_z_squared(kind):
    test = FIT.test("age = 0", kind=kind)
    assert test.statistic == pytest.approx(FIT.z(kind)["age"] ** 2)
    assert test.pvalue == pytest.approx(FIT.pvalues(kind)["age"])
    groups = np.arange(N) % 12
    assert FIT.test("age = 0", kind="cluster", clusters=groups).statistic == pytest.approx(
        FIT.z("cluster", groups)["age"] ** 2
    )


def test_what_a_test_prints():
    lines = str(FIT.test("age = age2, log = 0")).splitlines()
    assert lines[0].startswith("Wald test: χ²(2) = ") and ", p = " in lines[0]
    assert lines[1:] == ["restrictions: age = age2, log = 0", "standard errors: inverse Hessian"]
    assert str(FIT.test("age", residual_df=114)).startswith("Wald test: F(1, 114) = ")


def test_a_function_is_a_restriction_too():
    fit = sg.minimize(logit, {"intercept": 0.0, "slope": 0.0}, T, DAMAGE)
    by_text, by_function = fit.test("intercept/slope = -65"), fit.test(lambda p: p["intercept"] / p["slope"] + 65)
    assert by_text.statistic == pytest.approx(by_function.statistic, rel=1e-6)
    several = fit.test(lambda p: np.stack([p["intercept"] - 1, p["slope"]]))
    assert several.statistic == pytest.approx(fit.test("intercept = 1, slope = 0").statistic)


def test_names_of_parts_and_of_entries():
    start = {"count": pd.Series([0.1, 0.1], ["const", "age"]), "zero": pd.Series([0.1], ["const"]), "w": np.zeros(2)}
    g = lambda p: ((p["count"] - 1) ** 2).sum() + (p["zero"][0] - 2) ** 2 + ((p["w"] - 3) ** 2).sum()
    fit = sg.minimize(lambda p: g(p) / 2, start)
    assert fit.labels == ["count: const", "count: age", "zero: const", "w[0]", "w[1]"] == fit.covariance().labels
    assert [row.name for row in fit.summary().rows] == fit.labels
    assert fit.test("count: const = zero: const").statistic == pytest.approx(0.5)
    assert fit.test("age = 1").statistic == fit.test("count: age = 1").statistic  # which one parameter alone is called
    with pytest.raises(sg.stats.FitError, match="no parameter 'const'"):
        fit.test("const = 1")
    assert fit.test("w[0] = 0, w[1] = 0").statistic == pytest.approx(18.0)
    bounded = sg.minimize(lambda p: g(p) / 2, start, bounds={"count: age": (0.0, 0.5)})
    assert bounded.x["count"]["age"] == pytest.approx(0.5)
    numbered = sg.minimize(lambda b: ((b - 1) ** 2).sum() / 2, pd.Series([0.0, 0.0]))
    assert numbered.test("'0' = 0").statistic == pytest.approx(1.0)
    frame = sg.minimize(lambda b: ((b - 1) ** 2).sum() / 2, pd.DataFrame([[0.0, 0.0]], ["r"], ["u", "v"]))
    assert frame.test("r, u = 0, r, v = 1").statistic == pytest.approx(1.0)


UNREAD = {
    "2 age = 1": "is no equation", "age = = 1": "is no equation", "age)": "is no equation",
    "((age": "A bracket is open", "age = 3 3": "is no equation", "2(age) = 1": "is no equation",
    "age(age2) = 1": "a product a sign", "exp() = age": "needs an argument",
    "(age, age2) = 0": "',' is within brackets", "age < 1": "'<' is no sign of equality", "": "An equation is empty",
    "age = 1,": "An equation is empty", "1 = 1": "names no parameter", "agee = 1": "no parameter 'agee'",
    "age.real = 0": r"no parameter '\.real'", "__import__('os')": "no parameter '__import__'",
    "9**9**9**9 = age": "cannot be read", "1/0 = age": "division by zero", "(-1)^0.5 = age": "complex",
    "age = 0, 2*age = 0": "the same twice", "age = 0, age = 1": "contradict", "age = age": "cannot be tested",
    "sqrt(age - 10) = 0": "not defined at the estimates", "age = 1e999": "not defined at the estimates",
}  # fmt: skip


@pytest.mark.parametrize("text", UNREAD)
def test_what_cannot_be_tested_is_said(text):
    with pytest.raises(FitError, match=UNREAD[text]):
        FIT.test(text)


def test_a_test_takes_text_or_a_function_and_a_number_of_residuals():
    with pytest.raises(FitError, match="got a list"):
        FIT.test(["age = 0"])
    with pytest.raises(FitError, match=r"fit\.likelihood_ratio\(restricted\)"):
        FIT.test(FIT)
    with pytest.raises(FitError, match="residual_df is -1"):
        FIT.test("age", residual_df=-1)
    held = sg.minimize(binary, np.zeros(6), X, Y, bounds={"b[1]": (0, 0)})
    with pytest.raises(FitError, match=r"b\[1\] is held at its bound"):
        held.test("b[1] = 0")


# --------------------------------------------------------------------------------------------------- likelihood ratios


def smaller(columns, y=Y, f=binary, rows=slice(None), **options):
    return sg.minimize(f, np.zeros(len(columns)), X[columns][rows], y[rows], **options)


def test_the_likelihood_ratio():
    restricted = smaller(NAMES[:4])
    test = FIT.likelihood_ratio(restricted)
    truth = 2 * (FIT.loglik - restricted.loglik)
    assert test.df == 2 and test.statistic == pytest.approx(truth) and test.pvalue == pytest.approx(chi2.sf(truth, 2))
    assert str(test).startswith("likelihood ratio test: χ²(2) = ")
    held = sg.minimize(binary, np.zeros(6), X, Y, bounds={"b[4]": (0, 0), "b[5]": (0, 0)})
    assert FIT.likelihood_ratio(held).statistic == pytest.approx(truth, rel=1e-5)
    both = X.assign(both=X["age"] + X["age2"])[["const", "both", *NAMES[3:]]]  # age = age2
    same = sg.minimize(binary, np.zeros(5), both, Y)
    assert FIT.likelihood_ratio(same).df == 1


BAD = {
    "swapped": (lambda: smaller(NAMES[:4]).likelihood_ratio(FIT), "other way round"),
    "as many": (lambda: FIT.likelihood_ratio(FIT), "not nested this way: 6 free parameters, and 6"),
    "other outcomes": (lambda: FIT.likelihood_ratio(smaller(NAMES[:2], 1 - Y)), "of other data: y\n120 entries differ"),
    "other rows": (lambda: FIT.likelihood_ratio(smaller(NAMES[:2], rows=slice(100))), "120 and 100 observations"),
    "other columns": (lambda: FIT.likelihood_ratio(sg.minimize(binary, np.zeros(2), X[["const", "age"]] ** 2, Y)),
                      "not nested: X of the restricted one has columns .*\nThey are age"),
    "an average": (lambda: FIT.likelihood_ratio(smaller(NAMES[:2], f=lambda b, X, y: binary(b, X, y).mean())),
                   "is an average over its rows"),
    "a better one": (lambda: FIT.likelihood_ratio(smaller(NAMES[:2], f=lambda b, X, y: binary(b, X, y) - 9.0)),
                     "the restricted fit has the higher likelihood"),
    "no fit": (lambda: FIT.likelihood_ratio({}), "takes a fit, got a dict"),
    "unfinished": (lambda: FIT.likelihood_ratio(smaller(NAMES[:1], options={"maxiter": 0})),
                   "has not converged"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_fits_that_are_not_nested_are_refused(name):
    call, words = BAD[name]
    with pytest.raises(FitError, match=words):
        call()


def test_contributions_of_groups_are_compared_with_sums_within_groups():
    group, nodes, weights = np.arange(N) % 40, *np.polynomial.hermite.hermgauss(7)

    def mixed(p, X, y, group):
        z = (X @ p["b"])[:, None] + np.sqrt(2) * np.exp(p["s"]) * nodes
        each = np.stack([np.bincount(group, column) for column in (y[:, None] * z - np.logaddexp(0, z)).T])
        return -np.log((np.exp(each.T) * weights).sum(1) / np.sqrt(np.pi))

    few, one = X[["const", "age"]].to_numpy(), X[["const"]].to_numpy()
    outcome = (few @ [0.3, 0.8] + RNG.normal(size=40)[group] * 1.5 + RNG.logistic(size=N) > 0) * 1.0
    fit = sg.minimize(mixed, {"b": np.zeros(2), "s": 0.0}, few, outcome, group)
    pooled = sg.minimize(binary, np.zeros(2), few, outcome)
    with pytest.raises(FitError, match=r"return 40 and 120 contributions\n(.|\n)*np\.bincount\(group, "):
        fit.likelihood_ratio(sg.minimize(binary, np.zeros(1), one, outcome))
    summed = sg.minimize(lambda b, X, y, group: np.bincount(group, binary(b, X, y)), np.zeros(2), few, outcome, group)
    assert fit.likelihood_ratio(summed).statistic == pytest.approx(2 * (fit.loglik - pooled.loglik))


def test_a_parameter_at_its_bound_is_told():
    normal = lambda p, y, m: 0.5 * (y - m) ** 2 / p["v"] + 0.5 * np.log(p["v"])
    line, bounds, x = (lambda p, y, x: normal(p, y, p["a"] + p["b"] * x)), {"v": (1.0, None)}, X["age"]
    fit = sg.minimize(line, {"a": 0.0, "b": 0.0, "v": 2.0}, Y, x, bounds=bounds)
    level = sg.minimize(lambda p, y: normal(p, y, p["a"]), {"a": 0.0, "v": 2.0}, Y, bounds=bounds)
    assert "v: at a bound" in str(fit.likelihood_ratio(level))
    below = LinearConstraint([[0, 1, 1, 0, 0, 0]], -np.inf, 0.5)
    held = sg.minimize(binary, np.zeros(6), X, Y, constraints=below)
    told = str(held.likelihood_ratio(sg.minimize(binary, np.zeros(1), X[["const"]], Y)))
    assert "b[1] + b[2] = 0.5: at a bound, where the law" in told
