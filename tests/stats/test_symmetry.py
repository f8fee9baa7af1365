"""A Hessian that is flat because of a symmetry says so, with what to hold; and nothing is said that is not so.

The idea to hold: a symmetry that is found is tried: what is held leaves a fit with standard errors, at the same
likelihood. A function that only nearly has it, or whose data are at fault elsewhere, is not accused.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import symgrad as sg
from symgrad.stats import FitError
from symgrad.stats._symmetry import symmetries

RNG = np.random.default_rng(8)
ROWS = RNG.normal(size=4)[:, None] + RNG.normal(size=3) + 0.1 * RNG.normal(size=(4, 3))
PLACES = RNG.normal(size=(5, 2))
APART = ((PLACES[:, None] - PLACES) ** 2).sum(-1) + 0.05 * RNG.normal(size=(5, 5))
FACTORS = RNG.normal(size=(5, 2)) @ RNG.normal(size=(2, 4)) + 0.05 * RNG.normal(size=(5, 4))
RANK_ONE = np.outer([1.0, 2.0, 3.0], [2.0, 1.0]) + 0.05 * RNG.normal(size=(3, 2))
WON, LOST = np.array([0, 1, 2, 0, 1, 2, 3, 3]), np.array([1, 2, 0, 3, 3, 3, 0, 1])
SEX = np.kron(np.eye(2), np.ones((10, 1)))
TIMES = RNG.normal(size=20)


def distances(P):
    return 0.5 * (((((P[:, None] - P) ** 2).sum(-1) - APART) ** 2) * (1 - np.eye(5))).sum()


def probit(p, x, y):
    return -sg.special.log_ndtr((2 * y - 1) * (p["a"] + p["b"] * x) / p["s"])


CASES = {
    "effects of rows and columns": (
        lambda p: 0.5 * ((ROWS - p["row"][:, None] - p["col"]) ** 2).sum(), {"row": np.zeros(4), "col": np.zeros(3)},
        (), ["a number is added to all of row and it is taken from all of col"], {"row[0]": 0.0}),
    "strengths": (lambda s: np.log1p(np.exp(s[LOST] - s[WON])).sum(), np.zeros(4), (),
                  ["a number is added to all of s"], {"s[0]": 0.0}),
    "logits": (lambda z, c: -(c * (z - np.log(np.exp(z).sum()))).sum(), np.zeros(3), (np.array([3.0, 4, 5]),),
               ["a number is added to all of z"], {"z[0]": 0.0}),
    "too many dummies": (lambda b, X, y: 0.5 * (y - X @ b) ** 2, np.zeros(3),
                         (np.column_stack([np.ones(20), SEX]), TIMES),
                         ["a number is added to b[0] and it is taken from b[1] and b[2]"], {"b[0]": 0.0}),
    "a column that is a sum": (
        lambda b, X, y: 0.5 * (y - X @ b) ** 2, np.zeros(3),
        (np.column_stack([np.ones(20), TIMES, 2 * TIMES + 1]), np.sin(TIMES)),
        ["a number is added to b[0] and 2 times it is added to b[1] and it is taken from b[2]"], {"b[0]": 0.0}),
    "one that is not used": (lambda p: (p["a"] - 1) ** 2 + 0 * p["b"], {"a": 0.0, "b": 0.0}, (),
                             ["b changes: f does not depend on it"], {"b": 0.0}),
    "a level and effects": (lambda p, y: 0.5 * (y - p["mu"] - p["u"][np.arange(20) % 3]) ** 2,
                            {"mu": 0.0, "u": np.zeros(3)}, (TIMES,),
                            ["a number is added to mu and it is taken from all of u"], {"mu": 0.0}),
    "a product": (lambda p: (p["a"] * p["b"] - 2) ** 2, {"a": 1.0, "b": 1.0}, (),
                  ["a is multiplied by a number and b is divided by it"], {"a": 1.0}),
    "factors of rank one": (
        lambda p: 0.5 * ((RANK_ONE - p["u"][:, None] * p["v"]) ** 2).sum(), {"u": np.ones(3), "v": np.ones(2)}, (),
        ["all of u are multiplied by a number and all of v are divided by it"], {"u[0]": 1.0}),
    "a scale of a probit": (probit, {"a": 0.1, "b": 0.1, "s": 1.0}, (TIMES, (np.arange(20) % 3 == 0) * 1.0),
                            ["a and b and s are multiplied by a number"], {"s": 1.0}),
    "a power": (lambda p: (p["a"] * p["b"] ** 2 - 3) ** 2, {"a": 1.0, "b": 1.0}, (),
                ["a is multiplied by a number and b is divided by it to the power 0.5"], {"a": 1.0}),
    "factors": (lambda p: 0.5 * ((FACTORS - p["U"] @ p["V"]) ** 2).sum(),
                {"U": RNG.normal(size=(5, 2)), "V": RNG.normal(size=(2, 4))}, (),
                ["U is multiplied by an invertible matrix and V by what undoes it"],
                {"U[0, 0]": 1.0, "U[0, 1]": 0.0, "U[1, 0]": 0.0, "U[1, 1]": 1.0}),
    "rigid motions": (distances, PLACES + 0.05 * RNG.normal(size=(5, 2)), (),
                      ["a number is added to all of P[:, 0]", "a number is added to all of P[:, 1]",
                       "the rows of P are rotated"], {"P[0, 0]": 0.0, "P[0, 1]": 0.0, "P[1, 1]": 0.0}),
    "a Gram matrix": (lambda U: 0.25 * ((U @ U.T - PLACES @ PLACES.T) ** 2).sum(), RNG.normal(size=(5, 2)), (),
                      ["the rows of U are rotated"], {"U[1, 1]": 0.0}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_symmetry_is_told_with_what_to_hold(name):
    f, start, data, whats, _ = CASES[name]
    fit = sg.minimize(f, start, *data)
    assert not fit.converged
    with pytest.raises(np.linalg.LinAlgError) as caught:
        fit.standard_errors()
    lines = str(caught.value).splitlines()
    assert [line for line in lines if "stays the same" in line] == [f"f stays the same when {w}." for w in whats]
    assert lines[-2:][0] == "So there are many minima, of which fit.x is one."
    assert lines[-1].startswith("Hold parameters fixed, by bounds=: ")
    assert repr(fit).endswith("one of many minima: it has no standard errors, and converged is False")
    assert f"f stays the same when {whats[0]}" in str(fit.summary()) and f"when {whats[0]}" in repr(fit)


@pytest.mark.filterwarnings("ignore:standard errors of sg.minimize. f is a sum of squares")
@pytest.mark.parametrize("name", [n for n in CASES if n not in ("factors", "rigid motions", "a Gram matrix")])
def test_what_is_held_leaves_a_fit_of_the_same_likelihood(name):
    f, start, data, _, held = CASES[name]
    free = sg.minimize(f, start, *data)
    fit = sg.minimize(f, start, *data, bounds={k: (v, v) for k, v in held.items()})
    assert fit.converged and fit.loglik == pytest.approx(free.loglik, rel=1e-6, abs=1e-6)
    errors = np.concatenate([np.ravel(e) for e in _leaves(fit.standard_errors())])
    assert np.isnan(errors).sum() == len(held)


def _leaves(tree):
    return list(tree.values()) if isinstance(tree, dict) else [tree]


def test_tangents_span_what_is_flat():
    for name, (f, start, data, _, held) in CASES.items():
        fit = sg.minimize(f, start, *data)
        tangents = np.column_stack([s.tangents for s in symmetries(fit._model, fit._flat, fit._hessian)])
        assert np.linalg.matrix_rank(tangents, tol=1e-6) == len(held), name
        size = np.abs(fit._hessian).max() * np.linalg.norm(tangents, axis=0)
        assert (np.linalg.norm(fit._hessian @ tangents, axis=0) <= 1e-4 * size).all(), name


def test_rotations_are_rotations():
    """By hand: the distances of rotated and shifted places are the same."""
    turned = PLACES @ expm(np.array([[0.0, 0.7], [-0.7, 0.0]])) + [3.0, -1.0]
    assert distances(turned) == pytest.approx(distances(PLACES))


NONE = {
    "a saddle": (lambda p: p["a"] ** 2 - p["b"] ** 2, {"a": 0.0, "b": 0.0}, {"method": "BFGS"}),
    "flat to second order only": (lambda p: (p["a"] - 1) ** 2 + (p["b"] - 1) ** 4 * 1e-9, {"a": 0.0, "b": 1.0}, {}),
    "nearly a symmetry": (lambda p: (p["a"] + p["b"] - 1) ** 2 + 1e-9 * (p["a"] - p["b"]) ** 4,
                          {"a": 0.5, "b": 0.5}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", NONE)
def test_no_symmetry_is_claimed_where_there_is_none(name):
    f, start, options = NONE[name]
    fit = sg.minimize(f, start, **options)
    try:
        fit.standard_errors()
    except (np.linalg.LinAlgError, FitError) as error:
        assert "stays the same" not in str(error) and "Is the point a minimum" in str(error)
    assert "stays the same" not in repr(fit)


def test_equal_components_are_told_to_start_apart():
    y = np.array([-2.0, -1.9, 2.0, 2.1, 2.2])

    def mixture(p, y):
        shares = np.exp(p["w"]) / np.exp(p["w"]).sum()
        return -np.log((shares * np.exp(-0.5 * (y[:, None] - p["m"]) ** 2)).sum(1))

    fit = sg.minimize(mixture, {"m": np.zeros(2), "w": np.zeros(2)}, y, method="BFGS")
    with pytest.raises(np.linalg.LinAlgError) as caught:
        fit.standard_errors()
    assert "f stays the same when a number is added to all of w." in str(caught.value)
    assert "0 and 1 of m and w change places; here they are equal.\nStart them apart." in str(caught.value)
    assert "many minima" not in str(caught.value)
    apart = sg.minimize(mixture, {"m": np.array([-1.0, 1.0]), "w": np.zeros(2)}, y, bounds={"w[0]": (0, 0)})
    assert apart.converged and apart.loglik > fit.loglik


def test_a_function_that_raises_elsewhere_or_takes_long_is_left_alone(monkeypatch):
    def touchy(p):
        if abs(p["a"] - 1) > 0.1 or abs(p["b"] - 1) > 0.1:
            raise ValueError("not here")
        return (p["a"] + p["b"] - 2) ** 2

    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        sg.minimize(touchy, {"a": 1.0, "b": 1.0}).standard_errors()
    monkeypatch.setattr("symgrad.stats._symmetry.PATIENCE", 0.0)
    f, start, data, *_ = CASES["a product"]
    assert "stays the same" not in str(sg.minimize(f, start, *data).summary())


def test_many_ways_are_counted_and_many_parameters_left_alone():
    f = lambda p: 0.5 * ((p["a"] - p["b"] - 1) ** 2).sum()
    fit = sg.minimize(f, {"a": np.zeros(9), "b": np.zeros(9)})
    assert "… and in 5 more ways" in str(fit.summary())
    long = sg.minimize(f, {"a": np.zeros(90), "b": np.zeros(90)})
    assert "stays the same" not in str(long.summary()) and "not positive definite" in str(long.summary())
