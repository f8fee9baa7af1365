"""Fits and their statistics: published figures, closed forms, and what is refused.

The idea to hold: a likelihood whose estimates and covariances can be written down by hand says what every figure is.
"""

import collections
import dataclasses
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint

import symgrad as sg
from symgrad import _limits
from symgrad.stats import Fit, FitError
from symgrad.stats._minimize import METHODS

from ._likelihoods import COUNTS, DAMAGE, T, Y, fit_normal, logit, normal, poisson

pd = pytest.importorskip("pandas")

# ------------------------------------------------------------------------------------------------- known figures


@pytest.mark.parametrize("method", [None, *(m for m in METHODS if m not in ("CG", "COBYLA", "TNC"))])
def test_every_method_finds_the_published_figures(method):
    """Standard errors of the report on the Challenger: 15.0429 (7.3786), −0.2322 (0.1082)."""
    tol = None if method is None else 1e-9
    fit = sg.minimize(logit, {"intercept": 0.0, "slope": 0.0}, T, DAMAGE, method=method, tol=tol)
    assert fit.converged
    errors = fit.standard_errors()
    assert (round(fit.x["intercept"], 4), round(errors["intercept"], 4)) == (15.0429, 7.3786)
    assert (round(fit.x["slope"], 4), round(errors["slope"], 4)) == (-0.2322, 0.1082)
    assert round(fit.loglik, 3) == -10.158 and fit.observations == 23


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_a_minimum(method):
    fit = fit_normal(method=method, tol=1e-9)
    assert fit.converged and fit.method == method
    assert fit.standard_errors() == pytest.approx({"mean": np.sqrt(6 / 5), "sd": np.sqrt(6 / 10)}, rel=1e-4)


@pytest.mark.parametrize("method", ["newton", "trust-exact", "trust-ncg", "dogleg", "trust-krylov", "lbfgs", "SLSQP"])
def test_a_method_that_is_named_goes_as_far_as_the_one_that_is_chosen(method):
    own, named = (
        sg.minimize(logit, {"intercept": 0.0, "slope": 0.0}, T, DAMAGE, **o) for o in ({}, {"method": method})
    )
    assert named.converged and max(abs(own.x[k] / named.x[k] - 1) for k in own.x) < 1e-6
    if method == "newton":
        assert own.x == named.x and own.nit == named.nit


@pytest.mark.parametrize("options", [{}, {"method": "newton"}, {"bounds": {"sd": (1e-3, None)}}])
def test_a_tolerance_that_is_given_counts(options):
    assert fit_normal(tol=10.0, **options).nit < fit_normal(**options).nit


@pytest.mark.parametrize("steps", [6, 80])
def test_a_long_simulation_that_writes_into_an_array_is_fitted(steps):
    """Of many steps the Hessian is the tape's; parameters with names are tensors of their own."""

    def rod(p, n=steps):
        T = sg.numpy.zeros(5)
        for _ in range(n):
            T[0] = p["warmth"]
            T[1:-1] = T[1:-1] + p["rate"] * (T[2:] - 2 * T[1:-1] + T[:-2])
        return T

    seen = np.asarray(rod({"warmth": 2.0, "rate": 0.3 / steps}))
    fit = sg.minimize(lambda p: ((rod(p) - seen) ** 2).sum(), {"warmth": 1.0, "rate": 0.2 / steps})
    assert fit.x == pytest.approx({"warmth": 2.0, "rate": 0.3 / steps}, rel=1e-5)


def test_the_normal_distribution():
    n, mean, sd, r = len(Y), Y.mean(), Y.std(), Y - Y.mean()
    fit = fit_normal()
    assert fit.x == pytest.approx({"mean": mean, "sd": sd}, rel=1e-7)
    assert fit.success
    lost = fit_normal(method="trust-exact", tol=1e-20)  # its last step is rounding, says SciPy
    assert lost.success and lost.message.startswith("Converged: the gradient is at rounding level")
    stopped = fit_normal(method="Nelder-Mead", options={"maxiter": 50, "xatol": 0.0, "fatol": 0.0})
    assert stopped.success and "(Maximum number of iterations has been exceeded)" in stopped.message
    assert np.allclose(fit.covariance().matrix, np.diag([sd**2 / n, sd**2 / (2 * n)]), rtol=1e-7, atol=1e-8)
    G = np.stack([-r / sd**2, 1 / sd - r**2 / sd**3], 1)
    H = np.diag([n / sd**2, 2 * n / sd**2])
    assert np.allclose(fit.covariance("opg").matrix, np.linalg.inv(G.T @ G), rtol=1e-7)
    bread = np.linalg.inv(H)
    assert np.allclose(fit.covariance("sandwich").matrix, bread @ G.T @ G @ bread, rtol=1e-7)
    assert np.sqrt(fit.covariance("sandwich")["mean", "mean"]) == pytest.approx(sd / np.sqrt(n), rel=1e-8)
    skew = (r**3).sum() / np.sqrt((r**2).sum() * (r**4 - sd**4).sum())
    assert fit.correlation("sandwich")["mean", "sd"] == pytest.approx(skew, rel=1e-7)
    assert np.allclose(fit.correlation().diagonal(), 1)


def test_covariances_by_clusters():
    fit = sg.minimize(poisson, 1.0, COUNTS)
    groups = np.array(["a", "b", "a", "c", "b", "a"])
    r = COUNTS - COUNTS.mean()
    meat = sum(r[groups == g].sum() ** 2 for g in "abc")
    assert fit.standard_errors("cluster", groups) ** 2 == pytest.approx(meat / len(r) ** 2, rel=1e-7)
    own = fit.standard_errors("cluster", np.arange(6))
    assert own == pytest.approx(fit.standard_errors("sandwich"), rel=1e-12)
    assert fit.standard_errors("sandwich") == pytest.approx(np.sqrt((r**2).sum()) / 6, rel=1e-7)


def test_intervals_and_p_values():
    fit = sg.minimize(poisson, 1.0, COUNTS)
    error = np.sqrt(COUNTS.mean() / len(COUNTS))
    low, high = fit.confint()
    assert (high - low) / 2 == pytest.approx(1.959963984540054 * error, rel=1e-7)
    assert fit.confint(0.6826894921370859).lower == pytest.approx(COUNTS.mean() - error, rel=1e-7)
    assert fit.z() == pytest.approx(COUNTS.mean() / error, rel=1e-7)
    assert sg.minimize(lambda m, y: (y - m) ** 2 / 2, 0.0, np.array([1.96])).pvalues() == pytest.approx(
        0.04999579029644087, rel=1e-7
    )


def test_a_log_likelihood_is_maximised():
    fit = sg.minimize(lambda p, y: -normal(p, y), {"mean": 5.0, "sd": 1.0}, Y, objective="loglik")
    same = fit_normal()
    assert fit.x == pytest.approx(same.x) and fit.loglik == pytest.approx(same.loglik) and fit.fun == same.fun
    for kind in ("hessian", "opg", "sandwich"):
        assert np.allclose(fit.covariance(kind).matrix, same.covariance(kind).matrix)
    assert "f is a log-likelihood" in str(fit.summary())
    assert "f is a negative log-likelihood" in str(same.summary())
    with pytest.raises(FitError, match='not converged(.|\n)*objective="loglik"'):
        sg.minimize(lambda r, y: -poisson(r, y), 1.0, COUNTS).standard_errors()
    with pytest.raises(FitError, match='no optimum: it is -.* at r = (.|\n)*objective="loglik"'):
        sg.minimize(lambda r: -np.exp(r), 1.0)


# ------------------------------------------------------------------------------------------------- containers


Pair = collections.namedtuple("Pair", "mean sd")


@dataclasses.dataclass
class Model:
    pair: object
    unit: str = dataclasses.field(default="m", metadata={"static": True})


CONTAINERS = {
    "array": (np.array([5.0, 1.0]), lambda p: (p[0], p[1]), ["p[0]", "p[1]"]),
    "list": ([5, 1], lambda p: p, ["x[0]", "x[1]"]), "named tuple": (Pair(5.0, 1.0), lambda p: p, ["mean", "sd"]),
    "nested": ({"a": (5.0, {"b": np.array([[1.0]])}), "c": None}, lambda p: (p["a"][0], p["a"][1]["b"][0, 0]),
               ["a.0", "a.1.b[0, 0]"]),
    "dataclass": (Model(Pair(5.0, 1.0)), lambda p: p.pair, ["pair.mean", "pair.sd"]),
    "tensor": (sg.tensor([5.0, 1.0]), lambda p: (p[0], p[1]), ["p[0]", "p[1]"]),
    "series": (pd.Series([5.0, 1.0], index=["mu", "sigma"]), lambda p: (p[0], p[1]), ["mu", "sigma"]),
    "frame": (pd.DataFrame([[5.0, 1.0]], index=["r"], columns=["u", "v"]), lambda p: (p[0, 0], p[0, 1]),
              ["r, u", "r, v"]),
    "series within": ({"w": pd.Series([5.0, 1.0], index=["mu", "sigma"])}, lambda p: (p["w"][0], p["w"][1]),
                      ["mu", "sigma"]),
}  # fmt: skip


def numbers(tree):
    from symgrad.transforms.calls.tree import leaves_of

    return np.concatenate(
        [np.ravel(a.numpy() if isinstance(a, sg.Tensor) else a) for a in leaves_of(tree) if a is not None]
    )


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_come_back_as_they_were_given(name):
    start, parts, labels = CONTAINERS[name]

    def f(p, y):
        mean, sd = parts(p)
        return normal({"mean": mean, "sd": sd}, y)

    fit = sg.minimize(f, start, Y)
    assert fit.labels == labels == fit.covariance().labels
    estimates, errors = [Y.mean(), Y.std()], [Y.std() / np.sqrt(5), Y.std() / np.sqrt(10)]
    for found, truth in ((fit.x, estimates), (fit.standard_errors(), errors)):
        assert type(found) is type(start) and np.allclose(numbers(found), truth)
    if name in ("series", "frame"):
        assert fit.x.index.equals(start.index) and fit.confint().lower.index.equals(start.index)
    assert [row.name for row in fit.summary().rows] == labels


def test_pandas_data_and_parameters():
    data = pd.DataFrame({"one": 1.0, "t": T})
    start = pd.Series(0.0, index=data.columns)
    fit = sg.minimize(lambda w, X, y: np.logaddexp(0, X @ w) - y * (X @ w), start, data, pd.Series(DAMAGE))
    assert fit.standard_errors().round(4).to_dict() == {"one": 7.3786, "t": 0.1082}
    assert fit.pvalues()["t"] == pytest.approx(0.032, abs=1e-4)


def test_a_fit_is_pickled():
    fit = sg.minimize(sg.cosh, np.ones(3))  # a function that is found by its name
    again = pickle.loads(pickle.dumps(fit))
    assert isinstance(again, Fit) and np.allclose(again.standard_errors(), 1)
    assert {"covariance", "x", "loglik"} <= set(dir(again))


@pytest.mark.parametrize("most", [1, 500])
def test_many_parameters_are_fitted_by_products(most, monkeypatch):
    monkeypatch.setattr(_limits, "FITTED_DENSE", most)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 6))
    y = rng.poisson(np.exp(0.3 * X.sum(1))).astype(float)
    fit = sg.minimize(lambda w, X, y: np.exp(X @ w) - y * (X @ w), np.zeros(6), X, y)
    assert fit.method == ("trust-krylov" if most == 1 else "trust-exact")
    assert fit.converged and np.allclose(X.T @ (np.exp(X @ fit.x) - y), 0, atol=1e-6)
    constrained = sg.minimize(
        lambda w, X, y: np.exp(X @ w) - y * (X @ w), np.zeros(6), X, y, method="trust-constr", tol=1e-10
    )
    assert np.allclose(constrained.x, fit.x, atol=1e-6)


# ------------------------------------------------------------------------------------------------- no statistics


def test_what_the_data_do_not_determine_is_named():
    fit = sg.minimize(lambda p: ((p["a"] + p["b"] - Y) ** 2) / 2 + p["c"] ** 2, {"a": 1.0, "b": 0.0, "c": 1.0})
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite(.|\n)*along 0.707·a − 0.707·b"):
        fit.standard_errors()
    assert not fit.converged
    X = np.stack([np.ones(23), T, 2 * T], 1)  # SciPy's last step is lost in rounding
    with pytest.raises(np.linalg.LinAlgError, match=r"not positive definite(.|\n)*along 0\.894·w\[1\] − 0\.447·w\[2\]"):
        sg.minimize(lambda w: np.logaddexp(0, X @ w) - DAMAGE * (X @ w), np.zeros(3)).covariance()
    text = str(fit.summary())
    assert "no standard errors: the Hessian is not positive definite" in text and "0.707·a − 0.707·b" in text
    assert "0.707·a − 0.707·b" in fit.summary()._repr_html_()


def test_no_standard_errors_before_the_minimum():
    fit = fit_normal(options={"maxiter": 1})
    assert not fit.converged and not fit.success
    for statistic in (fit.standard_errors, fit.covariance, fit.confint, fit.z, fit.pvalues, fit.correlation):
        with pytest.raises(FitError, match=r"has not converged(.|\n)*standard errors away(.|\n)*fit\.x"):
            statistic()
    assert "no standard errors: the fit has not converged" in str(fit.summary())
    with pytest.raises(FitError, match="has not converged"):
        sg.stats.delta(lambda p: p["mean"], fit)


def test_a_minimiser_that_stops_early_without_a_word_is_found_out():
    fit = fit_normal(method="BFGS", tol=1e-1)
    assert fit.success and not fit.converged
    with pytest.raises(FitError, match="has not converged"):
        fit.standard_errors()
    assert sg.minimize(normal, fit.x, Y).converged


def test_a_saddle_point_is_no_minimum():
    fit = sg.minimize(lambda p: p["a"] ** 2 - p["b"] ** 2, {"a": 0.0, "b": 0.0}, method="BFGS")
    with pytest.raises(np.linalg.LinAlgError, match="eigenvalue −2 along b"):
        fit.covariance()


def test_outside_the_domain_the_minimiser_turns_back():
    """A step to a negative deviation gives nan, and one to a matrix without a Cholesky factor an error."""
    fit = sg.minimize(normal, {"mean": 0.0, "sd": 30.0}, Y, method="trust-ncg", tol=1e-8)
    assert fit.converged and fit.x["sd"] == pytest.approx(Y.std())
    S = np.array([[2.0, 0.5], [0.5, 1.0]])

    def wishart(v, S):
        A = np.stack([np.stack([v[0], v[1]]), np.stack([v[1], v[2]])])
        L = np.linalg.cholesky(A)
        return 2 * np.log(np.diag(L)).sum() + np.trace(np.linalg.solve(A, S))

    found = sg.minimize(wishart, np.array([0.3, 0.2, 0.3]), S)
    assert np.allclose(found.x, [2.0, 0.5, 1.0])


@pytest.mark.parametrize("unit", [1e-8, 1e8])
def test_large_and_small_units(unit):
    for bounds in (None, {"sd": (0, None)}):  # 1e-8 away from its bound is far away
        fit = sg.minimize(normal, {"mean": 5 * unit, "sd": 2 * unit}, Y * unit, bounds=bounds)
        errors = fit.standard_errors()
        assert errors["mean"] / unit == pytest.approx(np.sqrt(6 / 5), rel=1e-5)
        assert errors["sd"] / unit == pytest.approx(np.sqrt(6 / 10), rel=1e-5)


# ------------------------------------------------------------------------------------------------- delta, fisher


def test_the_delta_method():
    fit = fit_normal()
    m, s, n = Y.mean(), Y.std(), len(Y)
    ratio = sg.stats.delta(lambda p: p["sd"] / p["mean"], fit)
    error = np.sqrt(s**2 / (2 * n) / m**2 + s**2 / n * s**2 / m**4)
    assert ratio.value == pytest.approx(s / m, rel=1e-7) and ratio.standard_error == pytest.approx(error, rel=1e-7)
    assert (ratio.upper - ratio.lower) / 2 == pytest.approx(1.959963984540054 * error, rel=1e-7)
    assert {k: str(v) for k, v in ratio.formula.items()} == {"mean": "−sd/mean²", "sd": "1/mean"}
    both = sg.stats.delta(lambda p: np.stack([p["sd"] / p["mean"], p["mean"]]), fit, level=0.9)
    assert both.covariance.shape == (2, 2) and both.standard_error[0] == pytest.approx(error, rel=1e-7)
    assert both.covariance[0, 1] == pytest.approx(-s / m**2 * s**2 / n, rel=1e-7)
    assert len(str(both).splitlines()) == 2 and "90% interval" in str(both)
    large = sg.stats.delta(lambda p: p["mean"] * 1e4, fit)
    assert large.standard_error > 1e3 and f"± {large.standard_error:.0f} (" in str(large), "digits, not 1.23e4"
    robust = sg.stats.delta(lambda p: p["mean"] * 2, fit, kind="sandwich")
    assert robust.standard_error == pytest.approx(2 * fit.standard_errors("sandwich")["mean"])


def test_errors_of_measured_numbers_are_propagated():
    """By hand: var(x y) = y² var(x) + x² var(y) + 2 x y cov(x, y), to first order."""
    x, y, covariance = 2.0, 3.0, np.array([[0.04, 0.01], [0.01, 0.09]])
    truth = y**2 * 0.04 + x**2 * 0.09 + 2 * x * y * 0.01
    for numbers, product in ((np.array([x, y]), lambda p: p[0] * p[1]), ({"x": x, "y": y}, lambda p: p["x"] * p["y"])):
        found = sg.stats.delta(product, (numbers, covariance))
        assert found.value == 6.0 and found.standard_error**2 == pytest.approx(truth, rel=1e-12)
    assert sg.stats.delta(lambda x: x**2, (x, 0.01)).standard_error == pytest.approx(0.4)


def test_a_table_of_covariances_has_the_order_of_its_labels():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame([[0.04, 0.0], [0.0, 0.01]], ["b", "a"], ["b", "a"])
    for x in (pd.Series([2.0, 3.0], ["a", "b"]), {"a": 2.0, "b": 3.0}):
        product = (lambda q: q["a"] * q["b"]) if isinstance(x, dict) else (lambda q: q[0] * q[1])
        assert sg.stats.delta(product, (x, table)).standard_error == pytest.approx(0.5)
        with pytest.raises(sg.stats.FitError, match="other labels"):
            sg.stats.delta(product, (x, table.rename(columns={"a": "c"}, index={"a": "c"})))


@pytest.mark.parametrize(
    ("covariance", "words"),
    [
        ([0.1, 0.2], r"covariance of 2 numbers has shape \(2,\)\nOf errors s"), (-np.eye(2), "no covariance"),
        ([[1.0, 0.5], [0.0, 1.0]], "not symmetric"), ([[np.nan, 0], [0, 1]], "no covariance"),
        (np.eye(3), "Give it n × n"), ([[0.01, 0.5], [0.5, 0.04]], "within ±1"), (-np.eye(2), "in some direction"),
    ],
)  # fmt: skip
def test_what_is_no_covariance_is_refused(covariance, words):
    with pytest.raises(sg.stats.FitError, match=words):
        sg.stats.delta(lambda p: p.sum(), (np.ones(2), covariance))


def test_the_delta_method_says_where_it_says_nothing():
    fit = fit_normal()
    with pytest.raises(FitError, match="gradient of g is 0"):
        sg.stats.delta(lambda p: p["mean"] * 0 + 1, fit)
    with pytest.raises(FitError, match="gradient of entry 1 of g is 0"):
        sg.stats.delta(lambda p: np.stack([p["sd"], 0 * p["sd"]]), fit)
    with pytest.raises(FitError, match="takes a fit, got a dict"):
        sg.stats.delta(lambda p: p, {})


def test_fisher_information():
    point = {"mean": 6.0, "sd": 2.0}
    r = Y - 6.0
    observed = sg.stats.fisher(normal, point, Y)
    truth = [[5 / 4, 2 * r.sum() / 8], [2 * r.sum() / 8, 3 * (r**2).sum() / 16 - 5 / 4]]
    assert np.allclose(observed.matrix, truth) and observed.labels == ["mean", "sd"]
    assert "Fisher information" in repr(observed)
    G = np.stack([-r / 4, 0.5 - r**2 / 8], 1)
    assert np.allclose(sg.stats.fisher(normal, point, Y, kind="opg").matrix, G.T @ G)
    inverse = observed.covariance()
    assert "covariance" in repr(inverse) and np.allclose(inverse.matrix @ observed.matrix, np.eye(2))
    up = sg.stats.fisher(lambda p, y: -normal(p, y), point, Y, objective="loglik")
    assert np.allclose(up.matrix, observed.matrix)


# ------------------------------------------------------------------------------------------------- tables


def test_a_summary_as_text_html_and_latex():
    summary = sg.minimize(logit, {"intercept": 0.0, "slope": 0.0}, T, DAMAGE).summary()
    assert str(summary).splitlines()[:3] == [
        "           estimate  std. error      z       p    [95% interval]",
        "intercept   15.0429      7.3786   2.04  0.0415   0.5810  29.5048",
        "slope       -0.2322      0.1082  -2.14  0.0320  -0.4443  -0.0200",
    ]
    assert "<tr><th>slope</th><td>-0.2322</td><td>0.1082</td>" in summary._repr_html_()
    text = summary.latex(names={"slope": r"$\beta_1$"}, caption="Damage", label="tab:damage")
    assert r"\toprule" in text and r"\bottomrule" in text and r"95\% interval" in text
    assert r"$\beta_1$ & $-0.2322$ & $0.1082$ & $-2.14$ & $0.0320$ & $-0.4443$ & $-0.0200$ \\" in text.splitlines()
    assert text.startswith("\\begin{table}\n\\centering\n\\caption{Damage}\n\\label{tab:damage}\n")
    with pytest.raises(FitError, match="no parameter 'b' to name"):
        summary.latex({"b": "x"})


def test_names_and_small_numbers_in_latex():
    f = lambda p: (((p["a_b"] - 3e-7) * 1e9) ** 2 + (p["<k>"] + 1e7) ** 2) / 2
    text = sg.minimize(f, {"a_b": 3e-7, "<k>": -1e7}).summary().latex()
    assert r"a\_b & $3.000 \times 10^{-7}$ & $1.000 \times 10^{-9}$ & $300.00$ & $< 0.0001$" in text
    assert r"$<$k$>$ & $-1.000 \times 10^{7}$" in text


# ------------------------------------------------------------------------------------------------- bad input


HOLED = np.array([1.0, 2.0, np.nan, 3.0, np.nan])


def ordered(p, x, y):
    cuts = np.concatenate([[-np.inf], p["c"], [np.inf]])
    below = lambda z: 1 / (1 + np.exp(-z))
    return -np.log(below(cuts[y + 1] - p["b"] * x) - below(cuts[y] - p["b"] * x))


BAD = {
    "no floats": (lambda: sg.minimize(poisson, "a", COUNTS), "cannot differentiate with respect to rate"),
    "nothing": (lambda: sg.minimize(poisson, {}, COUNTS), "sg.minimize has nothing(.|\n)*at least one number"),
    "truths": (lambda: sg.minimize(poisson, {"a": True}, COUNTS), r"with respect to rate\['a'\]"),
    "complex": (lambda: sg.minimize(poisson, 1j, COUNTS), "takes real parameters"),
    "a symbol": (lambda: sg.minimize(poisson, sg.symbol("r"), COUNTS), "takes numbers to start from"),
    "inside": (lambda: sg.grad(lambda r: sg.minimize(poisson, r, COUNTS).x)(1.0), "not differentiated through"),
    "caught": (lambda: sg.grad(lambda r: sg.minimize(lambda a: (a - r) ** 2, 1.0).x)(1.0), "differentiated around it"),
    "no function": (lambda: sg.minimize(1.0, 1.0), "sg.minimize takes a function"),
    "nan": (lambda: sg.minimize(poisson, 1.0, HOLED), r"nan in observations 2, 4\ny is nan at \[2\], \[4\]"),
    "nan, summed": (lambda: sg.minimize(lambda r, y: poisson(r, y).sum(), 1.0, HOLED), r"f is nan\ny is nan at \[2\]"),
    "nan of pandas": (lambda: sg.minimize(poisson, 1.0, pd.Series(HOLED)), r"y is nan at \[2\], \[4\]"),
    "start": (lambda: sg.minimize(poisson, -1.0, COUNTS), "f is nan in observations 0(.|\n)*the start is rate = -1"),
    "a vertical slope": (lambda: sg.minimize(lambda r: np.sqrt(r), 0.0),
                         r"gradient is not finite along r\n.*To blame is sqrt, .*\n.*\nCause: .*1/\(2√0\) = ∞"),
    "ends at infinity": (lambda: sg.minimize(ordered, {"b": 0.0, "c": np.array([-1.0, 1.0])}, Y - 6, np.arange(5) % 3),
                         r"(?s)finite along b\n.*cuts = np\.concatenate.*not finite from the beginning.*expit\(z\)"),
    "a matrix": (lambda: sg.minimize(poisson, np.ones((6, 1)), COUNTS), r"shape \(6, 6\)(.|\n)*A column beside a row"),
    "text": (lambda: sg.minimize(lambda r: "a", 1.0), "f returned a str"),
    "complex value": (lambda: sg.minimize(lambda r: 1j * r, 1.0), "numbers of dtype complex128"),
    "a tuple": (lambda: sg.minimize(lambda r: (r, r), 1.0), "f returned a tuple"),
    "method": (lambda: sg.minimize(poisson, 1.0, COUNTS, method="newto"), "method is 'newto'\nChoose one of 'Nelder"),
    "objective": (lambda: sg.minimize(poisson, 1.0, COUNTS, objective="ll"), "objective is 'll'\nChoose one of 'nll'"),
    "no bounds": (lambda: sg.minimize(poisson, 1.0, COUNTS, method="BFGS", bounds=(0, 9)), "takes no bounds\nThese do"),
    "no rows": (lambda: sg.minimize(poisson, 1.0, COUNTS, method="L-BFGS-B", constraints=LinearConstraint([[1]], 0, 9)),
                "takes no constraints\nThese do: COBYLA"),
    "bounds of another": (lambda: fit_normal(bounds={"sigma": (0, 1)}), "There is no parameter 'sigma'"),
    "bounds of another kind": (lambda: fit_normal(bounds=[(0, 1), (0, 1)]), "bounds do not fit the parameters"),
    "no pair": (lambda: fit_normal(bounds={"sd": 0.0}), "The bounds of sd are 0.0"),
    "a triple": (lambda: fit_normal(bounds={"sd": (0, 1, 2)}), "The bounds of sd are"),
    "too few pairs": (lambda: sg.minimize(lambda w: w @ w, np.ones(3), bounds=[(0, 2), (0, 2)]), "3 entries, and 2"),
    "Bounds": (lambda: fit_normal(bounds=Bounds([0.0] * 3, 1)), r"arrays of shapes \(3,\)"),
    "crossed": (lambda: fit_normal(bounds={"sd": (2, 1)}), r"the bounds of sd are \(2.0, 1.0\)"),
    "outside": (lambda: fit_normal(bounds={"sd": (2, 9)}), "sd starts at 1, outside its bounds"),
    "no entries": (lambda: sg.minimize(lambda w: 1.0, np.zeros(0)), "has nothing to fit"),
    "a container of g": (lambda: sg.stats.delta(lambda p: (p["sd"],), fit_normal()), "g returned \\("),
    "no constraint": (lambda: fit_normal(constraints={"type": "eq"}), "constraints are linear"),
    "columns": (lambda: fit_normal(constraints=LinearConstraint(np.ones((1, 3)), 0, 1)), "3 columns, and there are 2"),
    "kind": (lambda: fit_normal().covariance("QML"), "kind is 'QML'\n'sandwich' is that.\nChoose one of 'hessian'"),
    "kind of a summary": (lambda: fit_normal().summary("robust"), "kind is 'robust'"),
    "kind of fisher": (lambda: sg.stats.fisher(poisson, 1.0, Y, kind="expected"), "'observed', 'opg'"),
    "level": (lambda: fit_normal().confint(95), "level is 95\nIt is a probability"),
    "no clusters": (lambda: fit_normal().covariance("cluster"), "needs clusters="),
    "clusters": (lambda: fit_normal().covariance(clusters=[1, 2]), "takes no clusters="),
    "few clusters": (lambda: fit_normal().covariance("cluster", [1, 2]), r"shape \(2,\), 2 in all, and there are 5"),
    "one contribution": (lambda: sg.minimize(lambda w: (w - 1) ** 2, np.ones(1)).covariance("sandwich"),
                         "returns one contribution only"),
    "one cluster": (lambda: fit_normal().covariance("cluster", [1] * 5), "one group only"),
    "nan cluster": (lambda: fit_normal().covariance("cluster", [1, 2, np.nan, 1, 2]), "nan or None"),
    "no contributions": (lambda: sg.minimize(lambda r, y: poisson(r, y).sum(), 1.0, Y).covariance("opg"),
                         r"contribution of every observation(.|\n)*leave its .sum\(\) out"),
    "columns in another order": (
        lambda: sg.minimize(lambda w, X, y: (y - X @ w) ** 2, pd.Series(0.0, ["b", "a"]),
                            pd.DataFrame({"a": Y, "b": 1.0}), Y),
        "the index of w and the columns of X have the same labels in different orders\nb, a; a, b"),
    "rows in another order": (
        lambda: sg.minimize(lambda w, x, y: (y - x * w) ** 2, 0.0, pd.Series(Y), pd.Series(Y)[::-1]),
        "the index of x and the index of y have the same labels"),
    "one label twice": (lambda: sg.minimize(lambda w: w @ w, pd.Series([1.0, 2.0], ["a", "a"])), "are called 'a'"),
}  # fmt: skip


def test_covariances_show_their_numbers_and_intervals_are_read_by_name():
    fit = fit_normal()
    lines = repr(fit.correlation()).splitlines()
    assert lines[0] == "HessianMatrix (correlation) 2 × 2: mean (number), sd (number)"
    assert lines[1].split() == ["mean", "sd"] and lines[2].split()[:2] == ["mean", "1"]
    lower, upper = fit.confint()
    assert fit.confint()["sd"] == (lower["sd"], upper["sd"]) == (fit.confint()[0]["sd"], fit.confint().upper["sd"])
    wide = repr(sg.stats.fisher(lambda b, y: (b - y) ** 2, np.zeros(40), np.arange(40.0)))
    assert wide.count("\n") == 14 and wide.endswith("\n…")


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_the_users_names(name):
    call, words = BAD[name]
    with pytest.raises(sg.SymgradError, match=words):
        call()


def test_scipy_is_asked_for_by_its_install_line():
    code = "import sys; sys.modules['scipy'] = None; import symgrad; symgrad.minimize"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.endswith("sg.minimize and sg.stats need SciPy\npython -m pip install scipy\n")


def test_of_many_parameters_nobody_waits_for_a_matrix_that_was_not_asked_for(monkeypatch):
    """Far below the minimum, at it, and at a saddle products say what the whole matrix says."""
    n = 60
    chain = lambda x, y: 0.5 * ((y - x) ** 2).sum() + 2.0 * ((x[1:] - x[:-1]) ** 2).sum() + 0.1 * (x**4).sum()
    wells = lambda x, y: ((x**2 - 1) ** 2 + 0.3 * x**2).sum() + 0.01 * ((x[1:] - x[:-1]) ** 2).sum()
    y = np.sin(np.arange(n))
    cases = [(chain, np.zeros(n), {}), (chain, np.zeros(n), {"options": {"maxiter": 1}}),
             (wells, np.zeros(n), {"options": {"maxiter": 0}}), (wells, np.full(n, 0.9), {})]  # fmt: skip
    whole = [sg.minimize(f, start, y, **options) for f, start, options in cases]
    expected = [(fit.converged, fit.x, fit.aic if fit.converged else None) for fit in whole]
    assert [e[0] for e in expected] == [True, False, False, True]
    monkeypatch.setattr(sg._limits, "FITTED_ERRORS", 10)
    for (f, start, options), (converged, x, aic) in zip(cases, expected, strict=True):
        fit = sg.minimize(f, start, y, **options)
        monkeypatch.setattr(type(fit._model), "hessian", None)  # is not asked for
        assert fit.converged is converged and np.allclose(fit.x, x)
        assert "no standard errors" in str(fit.summary()) and "nan" not in str(fit.summary())
        assert ("not computed beyond 10" in str(fit.summary())) is converged
        assert not converged or fit.aic == aic
        monkeypatch.undo()
        monkeypatch.setattr(sg._limits, "FITTED_ERRORS", 10)
    np.testing.assert_allclose(fit.standard_errors(), whole[-1].standard_errors(), rtol=1e-6)
    assert "std. error" in str(fit.summary()) and "not computed" not in str(fit.summary())


def test_a_fit_of_many_parameters_begins_at_once():
    def seconds(n):
        began = time.process_time()
        sg.minimize(lambda x, y: ((x - y) ** 2).sum(), np.zeros(n), np.ones(n), method="L-BFGS-B")
        return time.process_time() - began

    few, many = seconds(1000), seconds(16_000)
    assert many < 1 + 60 * few  # a look at each pair of labels would take 250 times as long


def test_the_text_of_a_fit_of_many_parameters_is_short_and_says_whether_it_converged():
    target = np.linspace(-1, 1, 600)
    bowl = lambda x: ((x - target) ** 2).sum() + 0.1 * (x**4).sum()
    fit = sg.minimize(bowl, np.zeros(600), method="Newton-CG")
    assert fit.success and fit.converged and len(repr(fit)) < 2000 and "'…'" in repr(fit)
    assert len(fit.labels) == 600
    coarse = sg.minimize(bowl, np.zeros(600), method="Newton-CG", options={"xtol": 1.0})
    assert coarse.success and not coarse.converged and "not converged, whatever success says" in repr(coarse)


def test_a_sum_of_squares_says_which_likelihood_it_is():
    squares = lambda b, y: (y - b[0]) ** 2
    likelihood = lambda b, y: (y - b[0]) ** 2 / (2 * np.exp(2 * b[1])) + b[1]
    for f, start, said in [
        (squares, [0.0], True), (lambda b, y: squares(b, y).sum(), [0.0], True), (likelihood, [0.0, 0.0], False),
    ]:  # fmt: skip
        assert ("a likelihood of variance 1/2" in str(sg.minimize(f, np.array(start), Y).summary())) == said


@pytest.mark.parametrize("unit", [1.0, 1.6e-19])
def test_newton_goes_on_from_maxima_and_saddles_whatever_the_units_of_f(unit):
    for f, start, least in (
        (lambda x: unit * (x - 2) ** 2, 0.0, 2.0),
        (lambda x: unit * (x**2 - 1) ** 2, 0.0, 1.0),
        (lambda p: unit * (p[0] ** 2 + (p[1] ** 2 - 1) ** 2), np.zeros(2), np.array([0.0, 1.0])),
    ):
        fit = sg.minimize(f, start)
        assert fit.success and np.abs(fit.x) == pytest.approx(least, abs=1e-7) and fit.fun == pytest.approx(f(fit.x))
    wells = sg.minimize(lambda x: unit * (x**2 - 1) ** 2, 0.0, options={"maxiter": 0})
    assert not wells.success and wells.message.startswith("No minimum")


@pytest.mark.parametrize("left", [None, 3e-16, 1e-18, -1e-17])
def test_a_minimum_along_a_line_is_found_where_the_gradient_is_at_rounding_level(left):
    fit = sg.minimize(lambda a: (a[0] ** 2 + 2 * a[1] ** 2) / (a @ a), np.array([0.3, 0.1]))
    assert fit.success and "rounding level" in fit.message and fit.fun == pytest.approx(1.0)
    if left is not None:  # what some machine's rounding leaves of the curvature along the line
        fit.__dict__["_hessian"] = np.diag([left, 2.0])
    fit.__dict__.pop("_distance", None)
    assert not fit.converged
    with pytest.raises(np.linalg.LinAlgError, match="f stays the same when all of a are multiplied"):
        fit.standard_errors()


def test_errors_of_a_sum_of_squares_say_what_they_take_it_for():
    y = np.array([1.0, 3.0, 2.0, 4.0])
    fit = sg.minimize(lambda p: ((y - p[0]) ** 2).sum(), np.zeros(1))
    with pytest.warns(UserWarning, match="f is a sum of squares r², a likelihood of variance 1/2") as found:
        fit.standard_errors()
        fit.covariance()
    assert len(found) == 1 and found[0].filename == __file__
    proper = sg.minimize(lambda p: 2 * np.log(((y - p[0]) ** 2).sum()), np.ones(1))
    assert proper.standard_errors()[0] == pytest.approx(np.std(y) / 2)


def test_of_a_function_that_is_known_the_hessian_is_compiled_as_it_is_fitted():
    def prey(p):
        u, loss = np.array([10.0, 5.0]), 0.0
        for _ in range(12):
            u = u + 0.05 * np.stack([p[0] * u[0] - p[1] * u[0] * u[1], p[2] * u[0] * u[1] - p[3] * u[1]])
            loss = loss + ((u - np.array([8.0, 6.0])) ** 2).sum()
        return loss

    ran = 0

    def count(frame, event, _):
        nonlocal ran
        ran += event == "call" and frame.f_code is prey.__code__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        fit = sg.minimize(prey, np.array([0.5, 0.1, 0.05, 0.5]), method="newton", options={"maxiter": 20})
    finally:
        sys.setprofile(before)
    assert ran < fit.nfev + fit.nhev


def naive(b, X, y):
    z = X @ b
    return (np.log(1 + np.exp(z)) - y * z).sum()


def root(p):
    return (np.linalg.cholesky(p[0] * np.eye(2))[0, 0] ** 2 + 1) ** 2 + (p[1] - 1) ** 2


@pytest.mark.parametrize("method", [None, "BFGS"])
def test_a_fit_says_the_same_when_its_function_has_been_fitted_often(method):
    rng = np.random.default_rng(0)
    X = np.c_[np.ones(60), rng.normal(size=60)]
    y = (rng.random(60) < 0.5).astype(float)
    Z, v = X.copy(), y.copy()
    Z[0, 1], v[0] = 900.0, 1.0  # where the function overflows it has no minimum
    first = sg.minimize(naive, np.zeros(2), Z, v, method=method)
    for k in range(30):
        sg.minimize(naive, np.zeros(2) + 0.01 * k, X, y, method=method)
    again = sg.minimize(naive, np.zeros(2), Z, v, method=method)
    assert (first.fun, first.converged) == (again.fun, again.converged)
    for k in range(10):  # and where it raises
        fit = sg.minimize(root, np.array([0.5, 0.3 + 0.02 * k]), method=method)
        assert fit.fun == root(fit.x)
