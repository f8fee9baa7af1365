"""Fits with bounds and linear constraints: along what the estimates can vary, and what is left out.

The idea to hold: a constraint is as good as fewer parameters. What is known of those says what must come out.
"""

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import Bounds, LinearConstraint

import symgrad as sg
from symgrad.stats import FitError

from ._likelihoods import Y, fit_normal, normal


@pytest.mark.parametrize("method", [None, "trust-constr"])
def test_shares_that_sum_to_one(method):
    """A multinomial has the covariance (diag(p) − ppᵀ)/n, which is singular: the constraint takes a direction away."""
    counts = np.array([20.0, 30.0, 50.0])
    fit = sg.minimize(
        lambda p, c: -(c * np.log(p)).sum(), np.array([0.2, 0.4, 0.4]), counts, method=method, tol=1e-12,
        bounds=[(1e-6, 1)] * 3, constraints=LinearConstraint(np.ones((1, 3)), 1, 1),
    )  # fmt: skip
    p = counts / 100
    assert np.allclose(fit.x, p, atol=1e-6)
    assert np.allclose(fit.covariance().matrix, (np.diag(p) - np.outer(p, p)) / 100, rtol=1e-4)
    assert fit.covariance().labels == ["p[0]", "p[1]", "p[2]"] == fit.labels


def test_a_constraint_that_is_not_active_changes_nothing():
    free = fit_normal()
    fit = fit_normal(constraints=LinearConstraint([[1.0, 1.0]], -100, 100), bounds={"sd": (0.1, None)})
    assert fit.x == pytest.approx(free.x, rel=1e-6)
    assert fit.standard_errors() == pytest.approx(free.standard_errors(), rel=1e-6)


def test_an_inequality_that_is_active_holds_a_combination():
    fit = fit_normal(constraints=[LinearConstraint([[1.0, -1.0]], -np.inf, 3.0)])
    assert fit.converged and fit.x["mean"] - fit.x["sd"] == pytest.approx(3.0, abs=1e-8)
    assert np.allclose(fit.correlation().matrix, 1)  # both move as one


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (LinearConstraint([[1.0, -1.0]], -np.inf, 3.0), "constraint with equality: mean − sd = 3"),
        (LinearConstraint([[-1.0, 2.5]], -0.97, -0.97), "constraint with equality: −mean + 2.5·sd = −0.97"),
        (LinearConstraint([[1.0, 1.0]], -100.0, 100.0), ""),
    ],
)
def test_which_constraint_holds_with_equality_is_said(rows, line):
    fit = fit_normal(constraints=rows)
    notes = sg.stats.table(fit, fit_normal()).notes
    assert [n for n in fit.summary().notes if "constraint" in n] == [line] * bool(line)
    assert [n for n in notes if "constraint" in n] == [f"(1): {line}"] * bool(line)


GROUPS = np.array([0, 1, 0, 2, 1])
KINDS = [("hessian", None), ("opg", None), ("sandwich", None), ("cluster", GROUPS)]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_constraint_is_as_good_as_fewer_parameters(kind):
    fit = sg.minimize(normal, {"mean": 5.0, "sd": 2.0}, Y, constraints=LinearConstraint([[1.0, -2.0]], 1, 1))
    fewer = sg.minimize(lambda p, y: normal({"mean": 1 + 2 * p["sd"], "sd": p["sd"]}, y), {"sd": 2.0}, Y)
    assert fit.x["sd"] == pytest.approx(fewer.x["sd"], rel=1e-6)
    error = fewer.standard_errors(*kind)["sd"]
    assert fit.standard_errors(*kind) == pytest.approx({"mean": 2 * error, "sd": error}, rel=1e-5)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_bound_is_as_good_as_a_parameter_held(kind):
    fit = fit_normal(bounds={"sd": (0.1, 2.0)})
    held = sg.minimize(sg.fix(normal, {("p", "sd"): 2.0}), {"mean": 5.0}, Y)
    assert fit.x["sd"] == 2.0 and fit.covariance(*kind).labels == ["mean"]
    assert fit.standard_errors(*kind)["mean"] == pytest.approx(held.standard_errors(*kind)["mean"], rel=1e-6)


@pytest.mark.parametrize("seed", range(9))
def test_covariances_are_those_of_the_null_space(seed):
    """By hand: the derivatives of a logit model, and SciPy's own basis of what the constraint leaves free."""
    rng, n, groups = np.random.default_rng(seed), 60, np.arange(60) % 15
    X = rng.standard_normal((n, 4)) * rng.choice([0.1, 1, 30], 4)
    y = (rng.logistic(size=n) > 0).astype(float)
    A = rng.standard_normal((1, 4)) * np.abs(X).mean(0)
    ends = [(-np.inf, rng.normal()), (rng.normal(), np.inf), (0.2, 0.2)][seed % 3]

    def f(p, X, y):
        z = X[:, :2] @ p["a"] + X[:, 2:] @ p["b"]
        return np.logaddexp(0, z) - y * z

    fit = sg.minimize(f, {"a": np.zeros(2), "b": np.zeros(2)}, X, y, constraints=LinearConstraint(A, *ends))
    x = np.concatenate([fit.x["a"], fit.x["b"]])
    p = 1 / (1 + np.exp(-X @ x))
    H, G = X.T @ (X * (p * (1 - p))[:, None]), X * (p - y)[:, None]
    S = np.stack([G[groups == g].sum(0) for g in range(15)])
    Z = null_space(A) if min(abs(A @ x - end)[0] for end in ends) < 1e-6 else np.eye(4)
    bread, opg = (Z @ np.linalg.inv(Z.T @ M @ Z) @ Z.T for M in (H, G.T @ G))
    truth = {"hessian": bread, "opg": opg, "sandwich": bread @ G.T @ G @ bread, "cluster": bread @ S.T @ S @ bread}
    for kind, C in truth.items():
        found = fit.covariance(kind, groups if kind == "cluster" else None).matrix
        assert np.abs(found - C).max() < 1e-8 * np.abs(C).max()


def test_equal_bounds_hold_a_parameter_wherever_it_starts():
    held = fit_normal(bounds={"sd": (3.0, 3.0)})
    assert held.x == pytest.approx({"mean": Y.mean(), "sd": 3.0})
    told = fit_normal(bounds=Bounds([-np.inf, 3.0], [np.inf, 3.0]))
    assert str(held.standard_errors()) == str(told.standard_errors())


def test_a_point_outside_the_constraints_is_no_fit():
    """SLSQP gives up on rows that say the same twice, where it starts: at the best b, and a wrong a."""
    rows = LinearConstraint([[1.0, 0.0], [2.0, 0.0]], [3.0, 6.0], [3.0, 6.0])
    f = lambda p: (p["a"] - 1) ** 2 + (p["b"] - 1) ** 2
    fit = sg.minimize(f, {"a": 5.0, "b": 1.0}, constraints=rows)
    assert fit.x["a"] == 5.0 and not fit.converged
    with pytest.raises(FitError, match="has not converged"):
        fit.standard_errors()
    found = sg.minimize(f, {"a": 5.0, "b": 2.0}, constraints=LinearConstraint([[1.0, 0.0]], 3.0, 3.0))
    assert found.standard_errors() == pytest.approx({"a": np.nan, "b": np.sqrt(0.5)}, nan_ok=True)


FORMS = {
    "a dictionary": {"sd": (4.0, None)}, "like the parameters": {"mean": None, "sd": (4, np.inf)},
    "SciPy's": Bounds([-np.inf, 4.0], np.inf), "both": {"mean": (-100, 100), "sd": (4.0, 9.0)},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("method", [None, "trust-constr", "SLSQP", "TNC", "Nelder-Mead", "Powell", "COBYQA"])
def test_a_parameter_at_its_bound_is_left_out(form, method):
    options = {"xatol": 1e-10, "fatol": 1e-14} if method == "Nelder-Mead" else None
    tol = None if method is None or options else 1e-12
    fit = sg.minimize(normal, {"mean": 5.0, "sd": 5.0}, Y, bounds=FORMS[form], method=method, tol=tol, options=options)
    assert fit.x == pytest.approx({"mean": 7.0, "sd": 4.0}, rel=1e-5)
    assert fit.standard_errors() == pytest.approx({"mean": 4 / np.sqrt(5), "sd": np.nan}, rel=1e-5, nan_ok=True)
    assert fit.covariance().labels == ["mean"] and fit.covariance("sandwich").shape == (1, 1)
    assert fit.covariance()["mean", "mean"] == pytest.approx(16 / 5, rel=1e-5)
    text = str(fit.summary())
    assert "at its lower bound" in text and "held fixed: sd" in text


def test_bounds_of_entries_by_label_and_of_arrays_by_pairs():
    f = lambda w: ((w - np.array([1.0, 2.0, 3.0])) ** 2).sum() / 2
    truth = [1.0, 1.5, 3.0]
    ways = ({"w[1]": (None, 1.5)}, [(None, None), (None, 1.5), (0, 5)], (None, np.array([9.0, 1.5, 9.0])),
            {"w": (np.full(3, -9), [9, 1.5, 9])})  # fmt: skip
    for bounds in (*ways, np.array([[-9, 9], [-9, 1.5], [-9, 9]])):
        fit = sg.minimize(f, np.zeros(3), bounds=bounds)
        assert np.allclose(fit.x, truth) and fit.covariance().labels == ["w[0]", "w[2]"]
        assert fit.covariance()["w[0]", "w[0]"] == pytest.approx(1.0)
    held = sg.minimize(f, np.zeros(3), bounds={"w": (0, 0)})
    assert held.covariance().shape == (0, 0) and "fixed" in str(held.summary()) and held.converged


def test_deeper_parameters_have_bounds_by_structure_or_by_path():
    f = lambda p: (p["a"][0] - 3) ** 2 + (p["a"][1]["b"] - 4) ** 2
    start = {"a": (0.0, {"b": 0.0})}
    for bounds in ({"a": (None, {"b": (0, 1)})}, {"a.1.b": (0, 1)}, {"a": [None, {"b": (0, 1)}]}):
        assert sg.minimize(f, start, bounds=bounds).x["a"][1]["b"] == pytest.approx(1.0)


def test_a_start_at_a_bound_is_no_fit_there():
    """The gradient pulls away from the bound, so the parameter is not held by it."""
    fit = fit_normal(method="L-BFGS-B", bounds={"mean": (5.0, None)}, options={"maxiter": 0})
    assert not fit.converged and fit._free.ends == {}
