"""What people bring from SciPy, statsmodels and pandas to a fit: it works, or the error says what to write.

The idea to hold: a mistake that everybody makes is part of the interface; so is what is said about it.
"""

import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.stats import FitError
from symgrad.stats._fit import ATTRIBUTES

from ._likelihoods import DAMAGE, T, logit

pd = pytest.importorskip("pandas")

N = 60
AGE, KIDS = np.arange(N) % 7 / 3 - 1.0, np.arange(N) % 3
VISITS = np.arange(N) * 7 % 5
NAMES = ["const", "age", "kids"]
TABLE = pd.DataFrame({"const": 1.0, "age": AGE, "kids": KIDS})


def poisson(b, X, y):
    z = X @ b
    return np.exp(z) - y * z


def fitted(**options):
    return sg.minimize(poisson, pd.Series(0.0, index=NAMES), TABLE, VISITS, **options)


# --------------------------------------------------------------------------------------------------- pandas' tables


def test_columns_of_truth_values_beside_numbers_are_numbers():
    table = TABLE.assign(female=np.arange(N) % 4 == 0)
    start = pd.Series(0.0, index=table.columns)
    assert np.asarray(table).dtype == object  # pandas' own conversion
    fit = sg.minimize(poisson, start, table, VISITS)
    exact = sg.minimize(poisson, np.zeros(4), table.to_numpy(float), VISITS)
    np.testing.assert_allclose(fit.x.to_numpy(), exact.x, rtol=1e-10)
    total = lambda b, X, y: poisson(b, X, y).sum()
    gradient = sg.grad(total)(start, table, VISITS)
    assert list(gradient.index) == list(table.columns)
    np.testing.assert_allclose(gradient, table.to_numpy(float).T @ (1.0 - VISITS))


def test_whole_numbers_that_are_missing_are_nan_and_named():
    gaps = pd.Series(VISITS).astype("Int64")
    gaps[5] = pd.NA
    with pytest.raises(FitError, match="nan in observation 5\ny is nan at"):
        sg.minimize(poisson, np.zeros(3), TABLE, gaps)


FOREIGN = {
    "object": (["f", "m"] * (N // 2), "object", "pd.get_dummies(X['c'], dtype=float)"),
    "category": (["f", "m"] * (N // 2), "category", "pd.get_dummies(X['c'], dtype=float)"),
    "string": (["f", "m"] * (N // 2), "string", "pd.get_dummies(X['c'], dtype=float)"),
    "numbers as objects": (list(map(float, range(N))), "object", "X['c'].astype(float)"),
    "datetime": (list(range(N)), "datetime64[ns]", "(X['c'] - X['c'].min()) / pd.Timedelta(days=1)"),
    "timedelta": (list(range(N)), "timedelta64[ns]", "X['c'] / pd.Timedelta(days=1)"),
}  # fmt: skip
FOREIGN_USES = {
    "a fit": lambda table: sg.minimize(poisson, np.zeros(4), table, VISITS),
    "a fit that NumPy can start": lambda table: sg.minimize(lambda b, X: ((X @ b) ** 2).sum(), np.zeros(4), table),
    "data of a function": lambda table: sg.grad(lambda b, X: (X @ b).sum())(np.zeros(4), table),
    "what is differentiated in": lambda table: sg.grad(lambda X: (X**2).sum())(table),
}


def told(error):
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


@pytest.mark.parametrize("use", FOREIGN_USES)
@pytest.mark.parametrize("name", FOREIGN)
def test_a_column_of_no_numbers_is_named_with_its_kind_and_a_step(name, use):
    values, dtype, step = FOREIGN[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        FOREIGN_USES[use](TABLE.assign(c=pd.Series(values).astype(dtype)))
    text = told(caught.value)
    assert f"X holds other things than numbers, in 'c' ({dtype.partition('[')[0]}" in text and step in text
    assert "'age'" not in text


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "bool", "boolean"])
def test_columns_of_every_kind_of_number_are_numbers_everywhere(dtype):
    table, b = TABLE.assign(c=pd.Series(np.arange(N) % 2).astype(dtype)), np.ones(4)
    array, times = table.to_numpy(float), lambda b, X: (X @ b).sum()
    np.testing.assert_array_equal(sg.grad(times)(b, table), sg.grad(times)(b, array))
    np.testing.assert_array_equal(sg.grad(lambda X: (X**2).sum())(table), 2 * array)
    np.testing.assert_array_equal((sg.ones(N, 4) * table).numpy(), array)
    exact = sg.minimize(poisson, np.zeros(4), array, VISITS).x
    np.testing.assert_allclose(sg.minimize(poisson, np.zeros(4), table, VISITS).x, exact)


SEX, REGION = pd.Series(["f", "m"] * (N // 2), dtype="category"), pd.Series(np.arange(N) % 3 + 1, dtype="category")
PLAIN = TABLE[["const", "age"]]
squares = lambda b, X, y: (y - X @ b) ** 2
TEXTS = {
    "a column": (lambda: sg.minimize(poisson, np.zeros(3), PLAIN.assign(c=SEX), VISITS), "X", "in 'c' (category)",
                 "pd.get_dummies(X['c'], dtype=float)"),
    "a table in a dictionary": (lambda: sg.minimize(lambda b, d: poisson(b, d["X"], d["y"]), np.zeros(3),
                                {"X": PLAIN.assign(c=SEX), "y": VISITS}), "d['X']", "in 'c' (category)",
                                "pd.get_dummies(d['X']['c'], dtype=float)"),
    "a dictionary of columns": (lambda: sg.minimize(lambda b, d: (d["y"] - b * d["c"]) ** 2, 0.0,
                                dict(pd.DataFrame({"y": VISITS, "c": SEX}))), "d['c']", "of dtype category",
                                "(d['c'] == 'm').astype(float)"),
    "the outcome": (lambda: sg.minimize(squares, np.zeros(2), PLAIN, SEX), "y", "of dtype category",
                    "(y == 'm').astype(float)"),
    "pandas' array": (lambda: sg.minimize(squares, np.zeros(2), PLAIN, SEX.array), "y", "of dtype category", "'m'"),
    "NumPy's text": (lambda: sg.minimize(squares, np.zeros(2), PLAIN, np.array(SEX, str)), "y", "of dtype <U1", "'m'"),
    "NumPy's objects": (lambda: sg.minimize(poisson, np.zeros(3), PLAIN.assign(c=SEX).to_numpy(), VISITS), "X",
                        "of dtype object", "pd.get_dummies"),
    "places": (lambda: sg.minimize(lambda m, g, y: (y - m[g]) ** 2, np.zeros(2), SEX, VISITS), "g", "of dtype category",
               "g.cat.codes, which numbers the categories in their order, from 0, and −1 where one is missing."),
    "places of text": (lambda: sg.minimize(lambda m, g, y: (y - m[g]) ** 2, np.zeros(2), SEX.astype(object), VISITS),
                       "g", "of dtype object", "g.astype('category').cat.codes, "),
    "places of NumPy's text": (lambda: sg.minimize(lambda m, g, y: (y - m[g]) ** 2, np.zeros(2), np.array(SEX, str),
                               VISITS), "g", "of dtype <U1", "pd.Categorical(g).codes, "),
    "places, some missing": (lambda: sg.minimize(lambda m, g, y: (y - m[g]) ** 2, np.zeros(2), SEX.where(SEX.index > 4),
                             VISITS), "g", "of dtype category", "g.cat.codes, which numbers the categories in their "
                             "order, from 0, and the 5 that are missing −1: leave these out."),
    "numbers as names": (lambda: sg.minimize(poisson, np.zeros(3), PLAIN.assign(c=REGION), VISITS), "X",
                         "in 'c' (category)", "pd.get_dummies(X['c'], dtype=float)"),
    "only numbers as names": (lambda: sg.minimize(squares, np.zeros(1), pd.DataFrame({"c": REGION}), VISITS), "X",
                              "in 'c' (category)", "pd.get_dummies(X['c'], dtype=float)"),
    "numbers as names, alone": (lambda: sg.minimize(lambda m, g, y: (y - m[g]) ** 2, np.zeros(4), REGION, VISITS), "g",
                                "of dtype category", "g.cat.codes"),
    "information": (lambda: sg.stats.fisher(poisson, np.zeros(3), PLAIN.assign(c=SEX), VISITS), "X",
                    "in 'c' (category)", "pd.get_dummies(X['c'], dtype=float)"),
}  # fmt: skip


@pytest.mark.parametrize("way", TEXTS)
def test_text_in_the_data_of_a_fit_is_named_in_the_error_with_one_step(way):
    call, name, where, step = TEXTS[way]
    with pytest.raises(FitError) as caught:
        call()
    what, *_, last = str(caught.value).splitlines()
    assert what.startswith(f"{name} holds other things than numbers") and where in what and step in last


def test_codes_of_what_is_missing_are_not_the_last_group():
    level = lambda m, g, y: (y - m[g]) ** 2
    codes = REGION.where(REGION.index > 4).cat.codes
    with pytest.raises(FitError, match=r"g numbers groups −1 and 2, which f reads as one.*\n.*0, 1, 2, .*\n.*write 2"):
        sg.minimize(level, np.zeros(3), codes, VISITS)
    fit = sg.minimize(level, np.zeros(4), codes, VISITS)  # a group of its own, counted from the end
    assert fit.x[3] == pytest.approx(VISITS[:5].mean())
    sg.minimize(lambda m, g, y: (y - np.where(g < 0, 0, m[g])) ** 2, np.zeros(3), codes, VISITS)
    sg.minimize(lambda m, g, y: (y - m[g]) ** 2, np.zeros(N), np.arange(N) - 1, VISITS)  # round and round
    sg.minimize(lambda b, g, y: (y - b * g) ** 2, 0.0, codes, VISITS)  # a number
    sg.minimize(lambda b, g: (b - g / 1e15) ** 2, 0.0, np.array([-1, 3, 3, 10**15]))  # numbers, not counted one by one


def test_text_that_a_function_catches_is_noted():
    X = PLAIN.assign(c=SEX)
    with pytest.raises(TypeError) as caught:
        sg.minimize(lambda b: poisson(b, X, VISITS), np.zeros(3))
    assert "f reads X. X holds other things than numbers, in 'c' (category)" in told(caught.value)


def test_text_is_not_blamed_for_another_mistake():
    with pytest.raises(TypeError, match="NoneType"):
        sg.minimize(lambda b, c: None * b * (c == "m"), 0.0, SEX)


def test_complex_numbers_beside_text_are_numbers():
    table = TABLE.assign(z=1j * np.arange(N), sex=["f", "m"] * (N // 2))
    with pytest.raises((TypeError, ValueError)) as caught:
        sg.grad(lambda X: (X**2).sum())(table)
    assert "'sex'" in told(caught.value) and "'z'" not in told(caught.value)


def test_a_column_of_text_is_not_blamed_for_shapes_that_do_not_fit():
    table = TABLE.assign(sex=["f", "m"] * (N // 2))
    for use in (lambda: sg.minimize(poisson, np.zeros(3), table, VISITS),
                lambda: sg.minimize(lambda b, X, y: b + X[:, 0] - y, np.zeros(3), table, VISITS)):  # fmt: skip
        with pytest.raises(ValueError) as caught:
            use()
        assert "other things than numbers" not in told(caught.value)


def test_text_that_the_function_compares_is_data():
    sex = pd.Series(["f", "m"] * (N // 2))
    fit = sg.minimize(lambda p, y, sex: (y - p["mean"] * (sex == "m")) ** 2, {"mean": 1.0}, VISITS, sex)
    assert fit.x["mean"] == pytest.approx(VISITS[1::2].mean())


def test_shapes_that_do_not_fit_are_said_with_their_names():
    with pytest.raises(ValueError, match="size 4 is different from 3") as caught:
        sg.minimize(poisson, np.zeros(4), TABLE.to_numpy(), VISITS)
    assert caught.value.__notes__ == [
        "sg.minimize called f with b of shape (4,), X of shape (60, 3), y of shape (60,)."
    ]


@pytest.mark.parametrize("g", [lambda b: b["age"], lambda b: b.age], ids=["item", "attribute"])
def test_labels_inside_the_function_are_told_to_be_places(g):
    fit, words = fitted(), "fit.x[1] is the entry 'age', fit.x[2] is the entry 'kids'. For labels start sg.minimize"
    for use in (lambda: sg.stats.delta(g, fit), lambda: fit.test(g), lambda: fit.effects(lambda b, X: g(b) * X[:, 0])):
        with pytest.raises((IndexError, AttributeError)) as caught:
            use()
        assert words in told(caught.value) and "valid indices" not in told(caught.value)
    with pytest.raises((IndexError, AttributeError)) as caught:
        sg.minimize(lambda b, X, y: g(b) * X.sum(), pd.Series(0.0, index=NAMES), TABLE, VISITS)
    assert "For labels pass a dictionary: dict(b)." in told(caught.value)
    with pytest.raises((IndexError, AttributeError)) as caught:
        sg.minimize(lambda b, d: b * g(d), 0.0, TABLE)
    assert "d[:, 1] is the column 'age', " in told(caught.value) and "dict(d)" in told(caught.value)


def test_a_dictionary_made_of_a_series_has_the_labels():
    def by_name(b, X, y):
        return poisson(np.stack([b["const"], b["age"], b["kids"]]), X, y)

    fit = sg.minimize(by_name, dict(pd.Series(0.0, index=NAMES)), TABLE, VISITS)
    assert sg.stats.delta(lambda b: b["age"], fit).value == pytest.approx(fitted().x["age"])


# --------------------------------------------------------------------------------------------------- words of others


def test_attributes_of_other_packages_say_what_to_write():
    fit = fitted()
    for name, instead in ATTRIBUTES.items():
        assert not hasattr(fit, name)
        with pytest.raises(AttributeError, match=re.escape(f"Write {instead}.")):
            getattr(fit, name)
        if instead.startswith("fit.") and " " not in instead:
            assert eval(instead, {"fit": fit}) is not None  # what is recommended is there
    with pytest.raises(AttributeError, match="^nonsense$"):
        _ = fit.nonsense


def test_what_scipy_put_in_a_result_stays_readable():
    fit = fitted(method="BFGS")
    assert fit.hess_inv.shape == (3, 3)


@pytest.mark.parametrize(
    ("call", "step"),
    [
        (lambda: sg.minimize(poisson, np.zeros(3), args=(TABLE, VISITS)), "Data follow the parameters"),
        (lambda: sg.minimize(poisson, np.zeros(3), TABLE, VISITS, maxiter=5), r"options=\{'maxiter': …\}"),
        (lambda: sg.minimize(poisson, np.zeros(3), TABLE, VISITS, jac=True), "leave it out"),
        (lambda: sg.minimize(poisson, np.zeros(3), TABLE, VISITS, what=1), "It takes f, params, method, bounds"),
        (lambda: fitted().summary(cov_type="HC1"), "It is kind="),
        (lambda: fitted().confint(alpha=0.05), "level=0.95 for alpha=0.05"),
        (lambda: fitted().confint(beta=0.05), "It takes level, kind, clusters"),
        (lambda: fitted().standard_errors(groups=KIDS), "clusters="),
    ],
)
def test_keywords_of_other_packages_say_what_to_write(call, step):
    with pytest.raises(TypeError, match=step):
        call()


def test_data_that_are_forgotten_are_asked_for():
    with pytest.raises(TypeError, match="'X'") as caught:
        sg.minimize(poisson, np.zeros(3))
    assert caught.value.__notes__ == ["Data of f follow the parameters: sg.minimize(f, params, X, y)."]


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        ("HAC", r"(?s)neighbouring times.*clusters=time // span.*fit\.bootstrap"),
        ("nonrobust", "'hessian' is that"),
        ("x", "Choose one"),
    ],
)
def test_kinds_of_other_packages_are_told(kind, found):
    with pytest.raises(FitError, match=found):
        fitted().standard_errors(kind)


def test_hc0_is_the_sandwich_and_kinds_are_written_in_any_case():
    fit = fitted()
    for word, kind in (("HC0", "sandwich"), ("hc1", "HC1"), ("hc3", "HC3"), ("Hessian", "hessian")):
        for told in (lambda k: fit.summary(k), lambda k: sg.stats.table(fit, kind=k), lambda k: fit.test("age", kind=k),
                     lambda k: fit.effects(lambda b, X: X @ b, kind=k)):  # fmt: skip
            assert str(told(word)) == str(told(kind))


def test_what_is_said_of_a_bootstrap_and_a_profile_runs():
    fit, rng, n = fitted(), np.random.default_rng(1), N
    draws, found = re.match("(.*), n the.*\n(.*);", ATTRIBUTES["bootstrap"]).groups()
    space = {"sg": sg, "rng": rng, "n": n, "f": poisson, "fit": fit, "X": TABLE.to_numpy(), "y": VISITS}
    exec(draws.replace("999", "2"), space)
    assert [list(x.index) for x in eval(found, space)] == [NAMES, NAMES]
    lower, top = eval(ATTRIBUTES["profile"].rpartition(",")[0], space | {"name": "age", "values": [0.9, fit.x["age"]]})
    assert lower < top == pytest.approx(fit.loglik)


def test_a_text_is_no_function_of_estimates():
    with pytest.raises(FitError, match="takes a function of the parameters, got a str\nWrite it as Python"):
        sg.stats.delta("b", fitted())


# --------------------------------------------------------------------------------------------------- criteria


def test_the_criteria_are_those_of_the_likelihood():
    fit = fitted()
    assert fit.aic == pytest.approx(6 - 2 * fit.loglik)
    assert fit.bic == pytest.approx(3 * np.log(N) - 2 * fit.loglik)


def test_the_criteria_of_the_published_fit():
    """R's glm and statsmodels' Logit print 24.32 and 26.59 for the flights."""
    fit = sg.minimize(logit, {"intercept": 0.0, "slope": 0.0}, T, DAMAGE)
    assert round(fit.aic, 2) == 24.32 and round(fit.bic, 2) == 26.59


def test_a_parameter_at_its_bound_is_not_counted():
    fit = sg.minimize(lambda p, y: (y - p["mean"]) ** 2 / p["var"] + np.log(p["var"]), {"mean": 1.0, "var": 5.0},
                      VISITS.astype(float), bounds={"var": (4.0, None)})  # fmt: skip
    assert fit.aic == pytest.approx(2 - 2 * fit.loglik)


def test_the_criterion_of_bayes_needs_the_number_of_observations():
    fit = sg.minimize(lambda b, X, y: poisson(b, X, y).sum(), np.zeros(3), TABLE.to_numpy(), VISITS)
    assert np.isfinite(fit.aic)
    with pytest.raises(FitError, match=r"leave its \.sum\(\) out"):
        _ = fit.bic


def test_no_criterion_before_the_minimum():
    with pytest.raises(FitError, match="has not converged"):
        _ = fitted(options={"maxiter": 1}).aic


# --------------------------------------------------------------------------------------------------- no minimum


def test_a_log_likelihood_that_is_minimised_is_told():
    """Its gradient overflows where it does not: the minimiser goes back, and the fit says what is wrong."""
    fit = sg.minimize(lambda b, X, y: -poisson(b, X, y), np.zeros(3), TABLE.to_numpy(), VISITS)
    assert not fit.converged
    with pytest.raises(FitError, match='objective="loglik"'):
        fit.standard_errors()


def _separated_in_part(scale):
    """A logit in which nobody with d = 1 has another outcome than 1: the likelihood has no maximum along d alone."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=100)
    d = (rng.random(100) < 0.05).astype(float)
    y = (0.3 + 0.8 * x + rng.logistic(size=100) > 0).astype(float)
    y[d == 1] = 1
    return np.column_stack([np.ones(100), x, scale * d]), y


def _logit(b, X, y):
    return np.logaddexp(0, X @ b) - y * (X @ b)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("method", [None, "BFGS", "trust-ncg", "Nelder-Mead", "L-BFGS-B", "trust-exact", "SLSQP"])
def test_outcomes_that_are_separated_along_one_estimate_are_told(method, scale):
    X, y = _separated_in_part(scale)
    fit = sg.minimize(_logit, np.zeros(3), X, y, **({} if method is None else {"method": method}))
    assert not fit.converged
    with pytest.raises((FitError, np.linalg.LinAlgError)) as caught:
        fit.standard_errors()
    if method is None:
        assert "f is flat along b[2]" in str(caught.value) and "run off there" in str(caught.value)


def test_separated_outcomes_beside_bounds():
    X, y = _separated_in_part(1.0)
    assert not sg.minimize(_logit, np.zeros(3), X, y, bounds=[(-5, 5), (None, None), (-1e9, None)]).converged
    held = sg.minimize(_logit, np.zeros(3), X, y, bounds=[(None, None), (None, None), (None, 10)])
    assert held.converged and np.isfinite(held.standard_errors()[:2]).all()


@pytest.mark.parametrize("small", [1.0, 1e-6, 1e-12])
def test_estimates_that_are_lost_in_their_errors_are_not_separated(small):
    """Errors larger than the estimates, units far apart, and a function that is straight within its errors."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)) * [1.0, 1e5, 1e-5]
    for y in (rng.normal(size=60), rng.standard_t(2, 60)):
        for loss in (lambda r: r**2 / 2, lambda r: np.log(np.cosh(r)), lambda r: np.log1p(r**2)):
            assert sg.minimize(lambda b, X, y, loss=loss: small * loss(y - X @ b), np.zeros(3), X, y).converged


def test_outcomes_that_are_separated_are_told():
    x, y = np.arange(6.0), np.array([0, 0, 0, 1, 1, 1.0])
    logit = lambda b, x, y: np.logaddexp(0, b[0] + b[1] * x) - y * (b[0] + b[1] * x)
    fit = sg.minimize(logit, np.zeros(2), x, y)
    assert fit.success and repr(fit).endswith("not converged, whatever success says: fit.summary() says why")
    with pytest.raises(FitError, match="separate the outcomes perfectly"):
        fit.standard_errors()


def test_a_start_in_other_units_is_not_taken_for_that():
    """The Hessian is a millionth of that at the start there, too."""
    normal = lambda p, y: 0.5 * ((y - p["mean"]) / p["sd"]) ** 2 + np.log(p["sd"])
    fit = sg.minimize(normal, {"mean": 1.0, "sd": 1e-3}, VISITS.astype(float), options={"maxiter": 40})
    fit._flat = fit._flat * [1.0, 1.01]  # near the minimum, and not there
    for name in ("_hessian", "_free", "_inverse", "_distance"):
        fit.__dict__.pop(name, None)
    with pytest.raises(FitError, match="has not converged") as caught:
        fit.standard_errors()
    assert "separate" not in str(caught.value)


# --------------------------------------------------------------------------------------------------- transforms


@pytest.mark.parametrize("key", ["age", ["age", "kids"]], ids=["label", "labels"])
def test_a_label_of_a_table_is_no_place_of_its_array(key):
    with pytest.raises(IndexError, match=r"(?s)It got .*'age'.*Pass dict\(table\) in place of the table"):
        sg.grad(lambda d: (d[key] ** 2).sum())(TABLE)
    found = sg.grad(lambda d: (d["age"] ** 2).sum())(dict(TABLE[["age"]]))
    np.testing.assert_allclose(found["age"], 2 * AGE)
