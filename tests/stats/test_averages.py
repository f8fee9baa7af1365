"""A likelihood that is an average in place of a sum: the table of its fit says so, and of no sum.

The idea to hold: each likelihood is written once as contributions of rows, and then summed and averaged in the ways
that people write. A false alarm is worse than a silence, so what cannot be seen is silent.
"""

import warnings

import numpy as np
import pytest

import symgrad as sg

RNG = np.random.default_rng(5)
N = 90
X = np.column_stack([np.ones(N), RNG.normal(size=(N, 2))])
Y = X @ [1.0, -1.0, 0.5] + RNG.normal(size=N)
COUNTS = RNG.poisson(2.0, N).astype(float)
HITS = (RNG.random(N) < 0.4).astype(float)
W = RNG.uniform(0.5, 2.0, N)
SIDES = RNG.gamma(2.0, 1.0, N)


def normal(p, X, y):
    return 0.5 * (y - X @ p[:3]) ** 2 * np.exp(-2 * p[3]) + p[3]


def poisson(b, X, y):
    return np.exp(X @ b) - y * (X @ b)


def logit(b, X, y):
    return np.logaddexp(0.0, X @ b) - y * (X @ b)


def exponential(b, y):
    return y * np.exp(-b) + b


def cauchy(p, X, y):
    return np.log1p((y - X @ p) ** 2)


ROWS = {
    "normal": (normal, np.zeros(4), (X, Y)), "poisson": (poisson, np.zeros(3), (X, COUNTS)),
    "logit": (logit, np.zeros(3), (X, HITS)), "exponential": (exponential, 0.1, (SIDES,)),
    "cauchy": (cauchy, np.array([1.0, -1.0, 0.5]), (X, Y)),
}  # fmt: skip

SUMS = {
    "sum": lambda rows: lambda p, *d: rows(p, *d).sum(),
    "minus np.sum": lambda rows: lambda p, *d: -np.sum(-rows(p, *d)),
    "penalised": lambda rows: lambda p, *d: rows(p, *d).sum() + 5.0 * (p**2).sum(),
    "penalised by a mean": lambda rows: lambda p, *d: rows(p, *d).sum() + np.mean(p**2),
    "contributions": lambda rows: rows,
    "the mean times the count": lambda rows: lambda p, *d: rows(p, *d).mean() * len(d[-1]),
}  # fmt: skip
MEANS = {
    "mean": lambda rows: lambda p, *d: rows(p, *d).mean(),
    "np.mean, penalised": lambda rows: lambda p, *d: np.mean(rows(p, *d)) + 0.1 * (p**2).sum(),
    "sum by len": lambda rows: lambda p, *d: rows(p, *d).sum() / len(d[-1]),
    "np.average with weights": lambda rows: lambda p, *d: np.average(rows(p, *d), weights=1.0 + d[-1] ** 2),
    "a count from outside": lambda rows, n=N: (lambda p, *d: rows(p, *d).sum() / n),
    "contributions by their count": lambda rows: lambda p, *d: rows(p, *d) / len(d[-1]),
}  # fmt: skip


def said(f, start, data, kind="hessian", **options):
    fit = sg.minimize(f, start, *data, **options)
    assert fit.converged
    return [note for note in fit.summary(kind).notes if "averages" in note or "divides" in note]


@pytest.mark.parametrize("way", SUMS)
@pytest.mark.parametrize("name", ROWS)
def test_a_sum_is_not_called_an_average(name, way):
    rows, start, data = ROWS[name]
    assert said(SUMS[way](rows), start, data) == []


@pytest.mark.parametrize("way", MEANS)
@pytest.mark.parametrize("name", ROWS)
def test_an_average_is_called_one_and_its_errors_are_as_said(name, way):
    rows, start, data = ROWS[name]
    (note,) = said(MEANS[way](rows), start, data)
    assert note.startswith("f averages over its 90 rows: these errors are √90 ≈ 9.49 times those of the sum")
    if way == "mean":
        errors = [np.ravel(sg.minimize(f, start, *data).standard_errors()) for f in (MEANS[way](rows), rows)]
        np.testing.assert_allclose(errors[0], errors[1] * np.sqrt(N), rtol=1e-5)


def by_root(rows):
    return lambda p, *d: rows(p, *d).sum() / np.sqrt(len(d[-1]))


DIVIDED = {
    "by the root": (by_root, 0.5),
    "a mean by the root": (lambda rows: lambda p, *d: by_root(rows)(p, *d) / len(d[-1]), 1.5),
    "contributions by the root": (lambda rows: lambda p, *d: rows(p, *d) / len(d[-1]) ** 0.5, 0.5),
    "a count from outside": (lambda rows, n=N: lambda p, *d: rows(p, *d).sum() / n**0.5, 0.5),
    "by another power": (lambda rows: lambda p, *d: rows(p, *d).mean() * len(d[-1]) ** 0.25, 0.75),
    "by the square": (lambda rows: lambda p, *d: rows(p, *d).mean() / len(d[-1]), 2.0),
}  # fmt: skip


@pytest.mark.parametrize("way", DIVIDED)
@pytest.mark.parametrize("name", ROWS)
def test_a_sum_by_another_power_of_the_count_is_called_that(name, way):
    rows, start, data = ROWS[name]
    make, power = DIVIDED[way]
    (note,) = said(make(rows), start, data)
    times = N ** (power / 2)
    assert "divides the sum over its 90 rows by " in note
    assert f"{'' if power == 2 else '≈ '}{times:.3g} times those of the sum" in note
    if way == "by the root":
        errors = [np.ravel(sg.minimize(f, start, *data).standard_errors()) for f in (make(rows), rows)]
        np.testing.assert_allclose(errors[0], errors[1] * times, rtol=1e-4)


OTHER_SUMS = {
    "the root of a sum": (lambda b, X, y: ((y - X @ b) ** 2).sum() ** 0.5, np.zeros(3), (X, Y)),
    "a caught sum by a number": (lambda b: logit(b, X, HITS).sum() / 9.5, np.zeros(3), ()),
    "weighted": (lambda b, X, y, w: (w * logit(b, X, y)).sum(), np.zeros(3), (X, HITS, W)),
    "weights that add up to the count": (lambda b, X, y, w: (w / w.sum() * len(w) * logit(b, X, y)).sum(), np.zeros(3),
                                         (X, HITS, W)),
    "the matrix product": (lambda b, X, y: 0.5 * (y - X @ b) @ (y - X @ b), np.zeros(3), (X, Y)),
    "profile": (lambda b, X, y: 0.5 * len(y) * np.log(((y - X @ b) ** 2).mean()), np.zeros(3), (X, Y)),
    "sufficient numbers": (lambda p, y, n: n * (p + np.exp(-p) * y.mean()), 0.1, (SIDES, N)),
    "a series": (lambda a, y: 0.5 * ((y[1:] - a * y[:-1]) ** 2).sum(), 0.1, (Y,)),
    "an effect of every row": (lambda p, X, y: (0.5 * (y - X @ p[:3] - p[3:]) ** 2).sum() + (p**2).sum(),
                               np.zeros(3 + N), (X, Y)),
    "groups": (lambda m, y, g: 0.5 * ((y - m[g]) ** 2).sum(), np.zeros(3), (Y, np.arange(N) % 3)),
    "no data": (lambda p: 0.5 * ((Y - p) ** 2).sum() + np.mean(np.exp(p) ** 2), 0.1, ()),
    "a known variance": (lambda p: ((Y - p) ** 2).sum() / (2 * 1.3**2), 0.1, ()),
    "the mean of what is no data": (lambda p: ((p - 1.0) ** 2).mean(), np.zeros(5), ()),
    "a profile of what is caught": (lambda p: 0.5 * N * np.log(((Y - p) ** 2).mean()), 0.1, ()),
    "a mean times the count": (lambda p: N * ((Y - p) ** 2).mean() / 2, 0.1, ()),
    "a sum beside a mean": (lambda p: ((Y - p) ** 2).sum() + ((SIDES - p) ** 2).mean(), 0.1, ()),
    "simulated, of draws": (lambda m, u: -sum_of_logs(m, u), 0.1, (RNG.normal(size=400),)),
    "data and draws": (lambda m, y, u: -np.log(np.exp(-0.5 * (y[:, None] - m - u) ** 2).mean(1)).sum(), 0.1,
                       (Y, RNG.normal(size=40))),
    "a covariance matrix": (lambda m, y, K: 0.5 * (y - m) @ K @ (y - m), 0.1, (Y, np.eye(N))),
    "a bag": (lambda p, d: normal(p, d["X"], d["y"]).sum(), np.zeros(4), ({"X": X, "y": Y},)),
}  # fmt: skip


def sum_of_logs(m, u):
    return np.log(np.exp(-0.5 * (Y[:, None] - m - u) ** 2).mean(1)).sum()


@pytest.mark.parametrize("name", OTHER_SUMS)
def test_sums_of_other_kinds_are_not_called_averages(name):
    f, start, data = OTHER_SUMS[name]
    assert said(f, start, data) == []


CAUGHT = {
    "a mean": lambda rows: rows.mean(), "np.mean": np.mean, "by a literal": lambda rows: rows.sum() / 90,
    "by len": lambda rows: -np.sum(-rows) / len(Y), "times one over": lambda rows: (1 / N) * rows.sum(),
    "half of it": lambda rows: 0.5 * rows.mean(), "penalised": lambda rows: rows.mean() + 0.0 * 3,
}  # fmt: skip


def test_a_sum_by_the_root_of_the_count_is_seen_in_what_a_function_catches():
    (note,) = said(lambda b: logit(b, X, HITS).sum() / np.sqrt(N), np.zeros(3), ())
    assert note.startswith("f divides the sum over its 90 rows by √90 ≈ 9.49: these errors are 90^0.25 ≈ 3.08 times")
    assert "√90 ≈ 9.49 times" in said(DIVIDED["contributions by the root"][0](logit), np.zeros(3), (X, HITS), "opg")[0]
    few = slice(64)  # 8 may be another number
    assert said(lambda b: logit(b, X[few], HITS[few]).sum() / 8, np.zeros(3), ()) == []


@pytest.mark.parametrize("way", CAUGHT)
def test_an_average_over_rows_that_the_function_catches_is_called_one(way):
    end = CAUGHT[way]
    for f in (lambda b: end(logit(b, X, HITS)), lambda b: end(logit(b, X, HITS)) + 0.01 * (b**2).sum()):
        (note,) = said(f, np.zeros(3), ())
        assert note.startswith("f averages over its 90 rows: these errors are √90")
    (note,) = said(lambda b, X, y: logit(b, X, y).sum() / 90, np.zeros(3), (X, HITS))
    assert "90 rows" in note


def test_what_is_robust_to_the_scale_is_not_spoken_of():
    rows, start, data = ROWS["logit"]
    contributions = MEANS["contributions by their count"](rows)
    assert said(contributions, start, data, "sandwich") == []
    assert "90 times" in said(contributions, start, data, "opg")[0]
    assert said(lambda p, d: normal(p, d["X"], d["y"]).mean(), np.zeros(4), ({"X": X, "y": Y},)) != []
    f = eval("lambda m, y: ((y - m) ** 2).mean()", {"mean": Y})  # an attribute is no name of a global
    assert said(f, 0.0, (Y,)) != []
    minus = lambda b, X, y: -logit(b, X, y).mean()
    assert said(minus, np.zeros(3), (X, HITS), objective="loglik") != []


def test_what_a_function_is_of_other_rows_gives_no_warnings():
    """Of one row in each group a conditional logit is log 1 = 0, which an average is not divided by in silence."""
    m = sg._limits.DISTRIBUTED_SAMPLE
    group, few = np.arange(4 * m) // 4, np.linspace(0, 4 * m - 1, m).astype(int)
    x, chosen = np.random.default_rng(0).normal(size=4 * m), (np.arange(4 * m) % 4 == np.arange(4 * m) // 4 % 4) * 1.0
    x[few] = 0.0

    def conditional(b, x, chosen, group):
        return chosen * (np.log(np.bincount(group, np.exp(b * x))[group]) - b * x)

    fit = sg.minimize(conditional, 0.1, x, chosen, group)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "averages" not in str(fit.summary())
