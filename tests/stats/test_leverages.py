"""Robust covariances for small samples: the leverages that are found in contributions are those of least squares.

The idea to hold: HC1 to HC3 of a linear model are one formula of its matrix, however its likelihood is written. A model
with another kind of contributions has HC1, whose factor needs no leverages, and is refused the others.
"""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint

import symgrad as sg
from symgrad.stats import FitError, _leverages
from symgrad.stats._leverages import contribution_hessians

RNG = np.random.default_rng(6)
N = 30
X = np.column_stack([np.ones(N), RNG.normal(size=(N, 2))])
Y = X @ [1.0, 2.0, 3.0] + RNG.normal(size=N) * (0.2 + np.abs(X[:, 1]))
KINDS = ["HC1", "HC2", "HC3"]


def truth(X, y, kind, w=1.0):
    """MacKinnon and White (1985), of least squares."""
    roots = np.sqrt(w) * np.ones(len(y))
    X, y = X * roots[:, None], y * roots
    bread, k = np.linalg.inv(X.T @ X), X.shape[1]
    h, r = np.einsum("ij,jk,ik->i", X, bread, X), y - X @ bread @ X.T @ y
    omega = {"HC1": r**2 * len(y) / (len(y) - k), "HC2": r**2 / (1 - h), "HC3": r**2 / (1 - h) ** 2}[kind]
    return bread @ (X.T * omega) @ X @ bread


WRITTEN = {
    "squares": (lambda s: lambda p, X, y: (y - X @ p["b"]) ** 2, None),
    "a deviation": (lambda s: lambda p, X, y: 0.5 * ((y - X @ p["b"]) / p["s"]) ** 2 + np.log(p["s"]), 1.0),
    "a log deviation": (lambda s: lambda p, X, y: 0.5 * ((y - X @ p["b"]) * np.exp(-p["s"])) ** 2 + p["s"], 0.0),
    "a variance": (lambda s: lambda p, X, y: 0.5 * (y - X @ p["b"]) ** 2 / p["s"] + 0.5 * np.log(p["s"]), 1.0),
    "a precision": (lambda s: lambda p, X, y: 0.5 * (y - X @ p["b"]) ** 2 * p["s"] - 0.5 * np.log(p["s"]), 1.0),
}  # fmt: skip
DESIGNS = {
    "columns": X, "orthogonal columns": np.linalg.qr(X)[0] * 4.0, "a constant": X[:, :1], "no constant": X[:, 1:2],
    "groups": np.kron(np.eye(3), np.ones((10, 1))), "units": X * [1.0, 1e4, 1e-4],
}  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("way", WRITTEN)
def test_a_linear_model_has_its_covariances_however_it_is_written(way, design):
    make, spread = WRITTEN[way]
    Z = DESIGNS[design]
    start = {"b": np.linalg.lstsq(Z, Y, rcond=None)[0]} | ({} if spread is None else {"s": spread})
    fit = sg.minimize(make(spread), start, Z, Y)
    for kind in KINDS:
        expected = truth(Z, Y, kind)
        np.testing.assert_allclose(
            fit.covariance(kind)["b", "b"], expected, rtol=1e-5, atol=1e-7 * np.abs(expected).max()
        )


def test_weights_constraints_and_containers():
    w, squares = RNG.uniform(0.5, 2.0, N), lambda b, X, y: (y - X @ b) ** 2
    weighted = sg.minimize(lambda b, X, y, w: w * (y - X @ b) ** 2, np.zeros(3), X, Y, w)
    held = sg.minimize(squares, np.zeros(3), X, Y, bounds={"b[1]": (0.0, 0.0)})
    equal = sg.minimize(squares, np.zeros(3), X, Y, constraints=LinearConstraint([[0.0, 1.0, -1.0]], 0.0, 0.0))
    upwards = sg.minimize(lambda b, X, y: -squares(b, X, y), np.zeros(3), X, Y, objective="loglik")
    tensors = sg.minimize(squares, sg.tensor(np.zeros(3)), X, Y)
    for kind in KINDS:
        np.testing.assert_allclose(weighted.covariance(kind).matrix, truth(X, Y, kind, w), rtol=1e-6)
        np.testing.assert_allclose(held.covariance(kind).matrix, truth(X[:, [0, 2]], Y, kind), rtol=1e-6)
        both = np.column_stack([X[:, 0], X[:, 1] + X[:, 2]])
        np.testing.assert_allclose(equal.covariance(kind).matrix[:2, :2], truth(both, Y, kind), rtol=1e-6)
        for fit in (upwards, tensors):
            np.testing.assert_allclose(fit.covariance(kind).matrix, truth(X, Y, kind), rtol=1e-6)
    assert "over 1 − h, h their leverages" in str(tensors.summary("HC3"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_leverages_of_a_logit_are_those_of_its_weights(kind):
    y = (Y + 4 * np.random.default_rng(1).normal(size=N) > 1) * 1.0
    fit = sg.minimize(lambda b, X, y: np.logaddexp(0, X @ b) - y * (X @ b), np.zeros(3), X, y)
    p = 1 / (1 + np.exp(-X @ fit.x))
    bread = np.linalg.inv((X.T * (p * (1 - p))) @ X)
    h = p * (1 - p) * np.einsum("ij,jk,ik->i", X, bread, X)
    factor = {"HC1": N / (N - 3), "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}[kind]
    expected = bread @ (X.T * (factor * (y - p) ** 2)) @ X @ bread
    np.testing.assert_allclose(fit.covariance(kind).matrix, expected, rtol=1e-6)


ALONE = np.where(np.arange(N) == 7, 1.0, 0.0)
NOT_DEFINED = {
    "Student's t": (lambda p, X, y: 2 * np.log1p(((y - X @ p["b"]) / p["s"]) ** 2 / 3) + np.log(p["s"]),
                    {"b": np.zeros(3), "s": 1.0}, X, "no leverages"),
    "a varying spread": (lambda p, X, y: 0.5 * (y - X @ p["b"]) ** 2 * np.exp(-2 * X[:, 1] * p["t"]) + X[:, 1] * p["t"],
                         {"b": np.zeros(3), "t": 0.1}, X, "more than one linear index"),
    "a curve": (lambda p, X, y: (y - p["a"] * np.exp(p["b"] * X[:, 1])) ** 2, {"a": 1.0, "b": 0.1}, X, "no leverages"),
    "an observation of its own": (lambda b, X, y: (y - X @ b) ** 2, np.zeros(2), np.column_stack([X[:, 0], ALONE]),
                                  "the leverage of observation 7 is 1"),
    "few rows": (lambda b, X, y: (y - X[:4] @ b) ** 2, np.zeros(3), X, "4 observations and 3 parameters"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_DEFINED)
def test_where_there_are_no_leverages_the_error_says_which_and_why(name):
    f, start, Z, words = NOT_DEFINED[name]
    y = Y[:4] if name == "few rows" else Y
    with pytest.raises(FitError, match=f"HC3 is not defined(.|\n)*{words}|HC3 is not defined.*{words}"):
        sg.minimize(f, start, Z, y).standard_errors("HC3")


@pytest.mark.parametrize("name", ["Student's t", "a varying spread", "a curve", "an observation of its own"])
def test_hc1_is_the_sandwich_with_one_factor_whatever_the_model(name):
    f, start, Z, _ = NOT_DEFINED[name]
    fit = sg.minimize(f, start, Z, Y)
    k = len(fit.labels)
    np.testing.assert_allclose(fit.covariance("HC1").matrix, N / (N - k) * fit.covariance("sandwich").matrix)


@pytest.mark.parametrize("caught", [False, True])
def test_of_many_rows_hc1_asks_a_few_which_are_coefficients(caught, monkeypatch):
    """A column of which three rows in 3,000 have something is one, a deviation is none; rows that cannot be cut too."""
    rng, n = np.random.default_rng(2), 3000
    Z = np.column_stack([np.ones(n), rng.normal(size=n), np.isin(np.arange(n), [1001, 1502, 2003])])
    y = Z @ [1.0, 2.0, 3.0] + rng.normal(size=n)

    def f(p, y):
        return 0.5 * ((y - Z @ p["b"]) * np.exp(-p["s"])) ** 2 + p["s"]

    def own(p, Z, y):
        return 0.5 * ((y - Z @ p["b"]) * np.exp(-p["s"])) ** 2 + p["s"]

    start = {"b": np.zeros(3), "s": 0.0}
    fit = sg.minimize(f, start, y) if caught else sg.minimize(own, start, Z, y)
    asked = []
    monkeypatch.setattr(
        _leverages, "contribution_hessians", lambda *given: asked.append(given) or contribution_hessians(*given)
    )
    ratio = fit.covariance("HC1").matrix / fit.covariance("sandwich").matrix
    np.testing.assert_allclose(ratio, n / (n - 3), rtol=1e-9)
    assert len(asked) == 1 and len(asked[0][3]) < 200
    fit.covariance("HC1"), fit.covariance("HC2"), fit.covariance("HC3"), fit.standard_errors("HC2")
    assert len(asked) == 3  # a few again, then all; nothing twice


def test_rows_in_chunks_and_sums_have_none():
    pytest.importorskip("dask")
    squares = lambda b, X, y: (y - X @ b) ** 2
    chunked = sg.minimize(squares, np.zeros(3), sg.distributed.chunks([X[:20], X[20:]]),
                          sg.distributed.chunks([Y[:20], Y[20:]]))  # fmt: skip
    with pytest.raises(FitError, match="not computed of rows in chunks"):
        chunked.standard_errors("HC3")
    np.testing.assert_allclose(chunked.covariance("HC1").matrix, truth(X, Y, "HC1"), rtol=1e-6)
    with pytest.raises(FitError, match=r"leave its \.sum\(\) out"):
        sg.minimize(lambda b, X, y: squares(b, X, y).sum(), np.zeros(3), X, Y).standard_errors("HC1")
