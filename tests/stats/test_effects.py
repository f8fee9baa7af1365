"""Marginal effects of fits: by hand, of outcomes in several columns, and what is refused.

The idea to hold: an effect is a derivative of the prediction, so differences of the prediction know it; and its error
is that of any function of the estimates.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad.stats import FitError

from ._likelihoods import DAMAGE, T

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(3)
N = 80
X = pd.DataFrame({"const": 1.0, "age": RNG.normal(size=N), "member": (RNG.random(N) < 0.4) * 1.0})
Y = (X.to_numpy() @ [0.2, 0.7, -0.5] + RNG.logistic(size=N) > 0) * 1.0


def logit(b, X, y):
    z = X @ b
    return np.logaddexp(0, z) - y * z


def probability(b, X):
    return 1 / (1 + np.exp(-(X @ b)))


def fitted(start=None):
    return sg.minimize(logit, pd.Series(0.0, X.columns) if start is None else start, X, Y)


def by_hand(mean_effect, fit, kind="hessian"):
    """The effect and its error, by differences in the parameters."""
    b, h = np.asarray(fit.x), 1e-5
    J = np.array([(mean_effect(b + h * e) - mean_effect(b - h * e)) / (2 * h) for e in np.eye(len(b))])
    return mean_effect(b), np.sqrt(J @ fit.covariance(kind).matrix @ J)


def slope(b, rows, k, h=1e-5):
    """The mean derivative of the probability in column k, by differences in the data."""
    step = h * np.eye(rows.shape[1])[k]
    return ((probability(b, rows + step) - probability(b, rows - step)) / (2 * h)).mean()


AT = {"average": X.to_numpy(), "means": X.to_numpy().mean(0)[None], "member": X.assign(member=1.0).to_numpy()}


@pytest.mark.parametrize("kind", ["hessian", "sandwich"])
@pytest.mark.parametrize("at", AT)
def test_effects_are_differences_of_the_prediction(at, kind):
    fit, rows = fitted(), AT[at]
    effects = fit.effects(probability, at={"member": 1} if at == "member" else at, kind=kind)
    assert effects.labels == ["age", "member"]  # the constant does not vary
    for k, column in enumerate((1, 2)):
        value, error = by_hand(lambda b, c=column: slope(b, rows, c), fit, kind)
        assert effects.value[k] == pytest.approx(value, rel=1e-6)
        assert effects.standard_error[k] == pytest.approx(error, rel=1e-4)
    assert np.allclose(effects.covariance.diagonal(), effects.standard_error**2)
    assert np.allclose(effects.upper - effects.lower, 2 * 1.959963984540054 * effects.standard_error)


@pytest.mark.parametrize("boolean", [False, True])
def test_a_column_of_two_values_changes_from_one_to_the_other(boolean):
    fit = fitted()
    on, off = (X.assign(member=v).to_numpy() for v in (1.0, 0.0))
    value, error = by_hand(lambda b: (probability(b, on) - probability(b, off)).mean(), fit)
    data = X.assign(member=X["member"] > 0) if boolean else X
    effects = fit.effects(probability, data, discrete=() if boolean else ["member"])
    assert effects.value[1] == pytest.approx(value) and effects.standard_error[1] == pytest.approx(error, rel=1e-5)
    assert "differences, in place of derivatives: member" in str(effects)
    once = fit.effects(probability, discrete="age")  # of many values: one more
    more, _ = by_hand(
        lambda b: (probability(b, X.assign(age=X["age"] + 1).to_numpy()) - probability(b, X.to_numpy())).mean(), fit
    )
    assert once.value[0] == pytest.approx(more)


def test_a_square_is_part_of_the_prediction():
    def index(p, d):
        return p["a"] + p["t"] * d["t"] + p["t2"] * d["t"] ** 2

    f = lambda p, d: np.logaddexp(0, index(p, d)) - d["y"] * index(p, d)
    t = (T - 70) / 10
    fit = sg.minimize(f, {"a": 0.0, "t": 0.0, "t2": 0.0}, {"t": t, "y": DAMAGE})
    effects = fit.effects(lambda p, d: index(p, d))
    truth = sg.stats.delta(lambda p: p["t"] + 2 * p["t2"] * t.mean(), fit)
    assert effects.labels == ["t"]  # y is no part of the prediction
    assert effects.value[0] == pytest.approx(truth.value)
    assert effects.standard_error[0] == pytest.approx(truth.standard_error)


def test_several_outcomes_have_effects_that_add_up_to_nothing():
    def shares(B, X):
        z = np.concatenate([np.zeros((len(X), 1)), X @ B], 1)
        return np.exp(z) / np.exp(z).sum(1, keepdims=True)

    y = RNG.integers(0, 3, N)
    f = lambda B, X, y: -np.log((shares(B, X) * (y[:, None] == np.arange(3))).sum(1))
    effects = sg.minimize(f, np.zeros((3, 2)), X, y).effects(shares)
    assert effects.labels == ["0: age", "0: member", "1: age", "1: member", "2: age", "2: member"]
    assert np.allclose(effects.value.reshape(3, 2).sum(0), 0) and (effects.standard_error > 0).all()


def test_whole_numbers_that_are_places_have_no_effect():
    group, x = np.arange(N) % 4, X["age"].to_numpy()
    f = lambda p, group, x, y: 0.5 * (y - p["level"][group] - p["slope"] * x) ** 2
    fit = sg.minimize(f, {"level": np.zeros(4), "slope": 0.0}, group, x, Y)
    effects = fit.effects(lambda p, group, x: p["level"][group] + p["slope"] * x)
    assert effects.labels == ["x"] and effects.value[0] == pytest.approx(fit.x["slope"])
    assert "left out: group (places)" in str(effects)
    counted = sg.minimize(lambda p, x, y: 0.5 * (y - p["slope"] * x) ** 2, {"slope": 0.0}, group, Y)
    assert counted.effects(lambda p, x: p["slope"] * x).value[0] == pytest.approx(counted.x["slope"])


def test_columns_are_chosen_and_what_is_left_out_is_said():
    fit = fitted()
    whole, one = fit.effects(probability), fit.effects(probability, columns="member", at={"age": 0.5})
    assert fit.effects(probability, columns=["member", "age"]).labels == ["member", "age"]
    assert one.labels == ["member"] and one.value == fit.effects(probability, at={"age": 0.5}).value[1]
    assert "left out" not in str(whole)
    deep = lambda b, X, Z: probability(b, X) + Z[:, 0, 0] * b[0]
    assert "left out: Z (3 axes)" in str(fit.effects(deep, X, np.ones((N, 2, 2))))
    with pytest.raises(FitError, match="no effect of const\nIt does not vary"):
        fit.effects(probability, columns=["age", "const"])
    with pytest.raises(FitError, match="no column 'sex'"):
        fit.effects(probability, columns=["sex"])


def test_effects_side_by_side_are_a_frame():
    one = fitted().effects(probability)
    with pytest.raises(FitError, match=r"takes fits, got an Effects\n.*dict\(zip\(e\.labels, e\.value\)\)"):
        sg.stats.table(one, one)


def test_rows_in_chunks_are_given():
    chunks = lambda a: sg.distributed.chunks([a[:30], a[30:]])
    fit = sg.minimize(logit, np.zeros(3), chunks(X.to_numpy()), chunks(Y))
    with pytest.raises(FitError, match="data of the fit are in chunks"):
        fit.effects(probability)
    np.testing.assert_allclose(fit.effects(probability, X).value, fitted().effects(probability).value, rtol=1e-5)


def test_data_are_those_of_the_fit_of_the_same_name_or_given():
    fit = fitted(np.zeros(3))
    own, other = fit.effects(probability), fit.effects(lambda b, Z: probability(b, Z), X.to_numpy(np.float32))
    assert other.labels == ["Z[1]", "Z[2]"] and np.allclose(own.value, other.value, rtol=1e-6)
    tensors = sg.minimize(logit, np.zeros(3), sg.tensor(X.to_numpy()), sg.tensor(Y)).effects(probability)
    assert np.allclose(own.value, tensors.value) and np.allclose(own.standard_error, tensors.standard_error)


def test_effects_are_a_table():
    effects = fitted().effects(probability, level=0.9)
    assert "90% interval" in str(effects) and "effects on the prediction, average over 80 rows" in str(effects)
    assert "<th>member</th>" in effects._repr_html_()
    assert "Age & $" in effects.latex({"age": "Age"}, caption="Effects")


BAD = {
    "centered": (lambda b, X: probability(b, X - X.mean(0)), (), {}, "prediction of a row depends on .* other rows"),
    "a mean": (lambda b, X: probability(b, X).mean(), (), {}, r"predict returned an array of shape \(\)"),
    "another name": (lambda b, Z: probability(b, Z), (), {}, "predict takes Z, and f has no data of that name"),
    "no data": (lambda b: b, (), {}, "takes parameters only"),
    "no function": ("p", (), {}, "got a str"),
    "complex": (lambda b, X: 1j * probability(b, X), (), {}, "dtype complex128"),
    "one row": (probability, (X[:1],), {}, "no column of the data varies"),
    "columns in another order": (probability, (X[list(X.columns)[::-1]],), {}, "the same labels in different orders"),
    "holes": (probability, (X.where(X > -1),), {}, "not finite everywhere"),
    "no such column": (probability, (), {"at": {"sex": 1}}, "no column 'sex'\nThey have const, age, member"),
    "no number": (probability, (), {"at": {"age": "old"}}, "at= has 'old' for age"),
    "their word": (probability, (), {"at": "overall"}, "'average' is that"),
    "numbered categories": (probability, (X.assign(member=pd.Series([1, 2] * 40, dtype="category")),), {},
                            "Categories are names"),
    "complex columns": (lambda b, X: (X @ b).real, (X.to_numpy() * (1 + 1j),), {}, "no column of numbers with a row"),
    "no such step": (probability, (), {"discrete": ["sex"]}, "no column 'sex'"),
    "nothing of the data": (lambda b, X: b[0] + 0 * X[:, 0], (), {}, "depends on no column"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_has_no_effects_is_refused(name):
    predict, data, options, words = BAD[name]
    with pytest.raises(FitError, match=words):
        fitted().effects(predict, *data, **options)


def test_groups_are_those_of_the_rows():
    fit, groups = fitted(), pd.Series(np.arange(len(X)) % 9, index=X.index)
    fit.standard_errors("cluster", groups)
    with pytest.raises(FitError, match="clusters have the same labels in different orders"):
        fit.standard_errors("cluster", groups[::-1])
    with pytest.raises(FitError, match="takes no clusters="):
        sg.stats.table(fit, clusters=groups)
