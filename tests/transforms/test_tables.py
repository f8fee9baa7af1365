"""pandas' Series and DataFrames: arguments with labels, and constants beside tensors."""

import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg

pd = pytest.importorskip("pandas")

s = pd.Series([1.0, 2.0], index=["a", "b"], name="w")
df = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=["r", "q"], columns=["u", "v"])
X = np.array([1.0, 2.0])


def cubes(x):
    return (x**3).sum()


def first_times_cubes(x):
    return (x**3).sum() * x[0]


LIKE_THE_ARGUMENT = {
    "grad": (lambda x: sg.grad(cubes)(x), 3 * X**2), "vjp": (lambda x: sg.vjp(cubes, x)[1](1.0)[0], 3 * X**2),
    "value_and_grad": (lambda x: sg.value_and_grad(cubes)(x)[1], 3 * X**2),
    "has_aux": (lambda x: sg.grad(lambda x: (cubes(x), 1), has_aux=True)(x)[0], 3 * X**2),
    "jacobian": (lambda x: sg.jacobian(cubes)(x), 3 * X**2), "jacrev": (lambda x: sg.jacrev(cubes)(x), 3 * X**2),
    "hvp": (lambda x: sg.hvp(cubes, x, x), 6 * X**2), "vhp": (lambda x: sg.vhp(cubes, x, X), 6 * X**2),
    "diag_hessian": (lambda x: sg.diag_hessian(cubes, x), 6 * X), "nested": (
        lambda x: sg.grad(lambda x: sg.grad(cubes)(x).sum())(x), 6 * X),
    "two arguments": (lambda x: sg.grad(lambda a, b: cubes(a) * b, (1, 0))(x, 1.0)[1], 3 * X**2),
    "a container": (lambda x: sg.grad(lambda p: cubes(p["x"]) + p["k"])({"x": x, "k": 1.0})["x"], 3 * X**2),
}  # fmt: skip


@pytest.mark.parametrize("name", LIKE_THE_ARGUMENT)
def test_what_is_like_a_series_is_a_series_with_its_index(name):
    call, expected = LIKE_THE_ARGUMENT[name]
    pd.testing.assert_series_equal(call(s), pd.Series(expected, index=s.index, name="w"))


def test_what_is_like_a_data_frame_is_one_and_all_else_is_an_array():
    pd.testing.assert_frame_equal(sg.grad(cubes)(df), 3 * df**2)
    assert type(sg.jacobian(lambda x: x**2)(s)) is np.ndarray
    assert sg.jvp(cubes, (s,), (s,)) == (9.0, 27.0) and sg.linearize(cubes, s)[1](s) == 27.0
    assert sg.laplacian(cubes, s) == 18.0 and sg.taylor(cubes, s, 1).tolist() == [9.0, 15.0]
    assert sg.vmap(lambda row: row.sum())(df).tolist() == [3.0, 7.0]
    assert sg.compile(cubes, "g")(s).tolist() == [3.0, 12.0]
    assert str(sg.formula(cubes, s)) == "sum(x³)" and str(sg.grad(cubes).formula(s)) == "3x²"
    t = sg.grad(lambda w, k: (w * k).sum())(s, sg.tensor([1.0, 2.0]))
    assert isinstance(t, sg.Tensor) and t.tolist() == [1.0, 2.0]


def test_labels_of_a_hessian_follow_the_index():
    H = sg.hessian(first_times_cubes)(s)
    assert H.labels == ["a", "b"] and np.allclose(H.matrix, sg.hessian(first_times_cubes)(X))
    assert "largest at a" in str(sg.hessian(first_times_cubes).report(s))
    assert sg.hessian(cubes)(df).labels == ["r, u", "r, v", "q, u", "q, v"]
    both = sg.hessian(lambda p: cubes(p["s"]) * p["k"].sum())({"s": s, "k": X})
    assert both.labels == ["s['a']", "s['b']", "k[0]", "k[1]"]
    assert sg.hessian(lambda a, b: cubes(a) * b, (0, 1))(s, 2.0).labels == ["a['a']", "a['b']", "b"]
    assert sg.hessian(cubes, format="csr")(s).labels == ["a", "b"]


CONSTANTS = {
    "x * s": (lambda x: x * s, lambda x: x * s.to_numpy()), "s * x": (lambda x: s * x, lambda x: s.to_numpy() * x),
    "s ** x": (lambda x: s**x, lambda x: s.to_numpy() ** x), "s / x": (lambda x: s / x, lambda x: s.to_numpy() / x),
    "df * x": (lambda x: df * x, lambda x: df.to_numpy() * x),
    "x @ df": (lambda x: x @ df, lambda x: x @ df.to_numpy()),
    "x @ s": (lambda x: x @ s, lambda x: x @ s.to_numpy()),
    "a column": (lambda x: df["u"] * x, lambda x: X * [1, 1.5] * x),
    "np.multiply": (lambda x: np.multiply(df, x), lambda x: df.to_numpy() * x), "where": (
        lambda x: np.where(s > 1, x, 2 * x), lambda x: np.where(s.to_numpy() > 1, x, 2 * x)),
    "np.dot": (lambda x: np.dot(df, x), lambda x: df.to_numpy() @ x),
    "concatenate": (lambda x: np.concatenate([s, x]), lambda x: np.concatenate([s.to_numpy(), x])),
    "x - s": (lambda x: np.linalg.norm(x - 2 * s), lambda x: np.linalg.norm(x - 2 * s.to_numpy())),
    "x[mask]": (lambda x: x[s > 1], lambda x: x[np.array([False, True])]),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_table_beside_a_tensor_is_the_array_of_its_values(name):
    f, g = CONSTANTS[name]
    for transform in (sg.grad, sg.hessian):
        found, expected = (np.asarray(transform(lambda x, h=h: (h(x) ** 2).sum())(X)) for h in (f, g))
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("f", [lambda x: df @ x, lambda x: s @ x, lambda x: df.dot(x), lambda x: np.matmul(df, x)])
def test_where_pandas_asks_for_an_array_it_is_told_to_give_its_own(f):
    with pytest.raises(sg.GradientError, match=r"by pandas(.|\n)*df.to_numpy\(\) in place of df"):
        sg.grad(lambda x: f(x).sum())(X)


TEXT = [pd.Series(["a", "b"]), pd.DataFrame({"a": [1.0], "b": ["x"]}), pd.Series(["a", "b"], dtype="category")]


@pytest.mark.parametrize("table", [*TEXT, pd.Series(pd.date_range("2020", periods=2)), pd.Series([True, False])])
def test_tables_of_no_numbers_are_refused(table):
    with pytest.raises(
        sg.DTypeError, match="sg.grad cannot differentiate with respect to x\n(It holds truth|x holds other)"
    ):
        sg.grad(cubes)(table)
    if "bool" not in str(table.dtypes):
        with pytest.raises((sg.DTypeError, TypeError)):
            sg.grad(lambda x: (x * table).sum())(X)


def test_pandas_is_not_imported():
    code = "import sys, numpy as np, symgrad as sg; sg.grad(lambda x: (x**2).sum())({'a': 1.0}['a']); "
    code += "sg.hessian(lambda p: p['a'] ** 2)({'a': 1.0}); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


@pytest.mark.parametrize("transform", [sg.grad, sg.value_and_grad, sg.hessian, sg.compile])
@pytest.mark.parametrize(("labels", "said"), [("cba", "the same labels in different orders"), ("abd", "in common")])
def test_labels_that_pandas_would_put_in_order_are_refused(transform, labels, said):
    w, S = pd.Series([0.5, 0.3, 0.2], list("abc")), pd.DataFrame(np.eye(3), list("abc"), list(labels))
    with pytest.raises(sg.ShapeError, match=said):
        transform(lambda w, S: w @ S @ w)(w, S)
    transform(lambda w, S: w @ S @ w)(w, S.to_numpy())


@pytest.mark.parametrize("labels", ["ba", "ac"])
@pytest.mark.parametrize(
    "ask", [lambda f, x: sg.value_and_grad(f)(x), lambda f, x: sg.hessian(f)(x), sg.formula, sg.minimize]
)
def test_so_are_those_of_tables_that_the_function_reads_from_outside(ask, labels):
    outside, start = pd.Series([1.0, 2.0], list(labels)), pd.Series(0.0, list("ab"))
    with pytest.raises(sg.SymgradError, match="labels in|one value of pandas' tables"):
        ask(lambda w: ((w - outside) ** 2).sum(), start)


x, R, gap = pd.Series([1.0, 2.0, 4.0]), pd.DataFrame([[1.0, 2.0], [3.0, 4.0]]), pd.Series([1.0, np.nan, 3.0])
BESIDE_A_NUMBER = {
    "ddof": (lambda a, x: (a * x).std(), 2.0, x), "columns": (lambda a, R: (a * R).max().sum(), 0.0, R),
    "NaN": (lambda a, y: (a * y).sum(), 1.0, gap),
    "labels": (lambda w, s: (w * s.set_axis(list("xyz"))).sum(), x, x),
}  # fmt: skip
ALONE = {
    "ddof": (lambda a, x: np.log(a) + x.var() / a**2, 1.0, x), "columns": (lambda a, R: (a * R.sum()).max(), 1.0, R),
    "order": (lambda a, x: (a * x * x[::-1]).sum(), 1.0, x),
}  # fmt: skip
REFUSED = pytest.raises(sg.GradientError, match=r"one value of pandas' tables and another(.|\n)*to_numpy")


@pytest.mark.parametrize("name", BESIDE_A_NUMBER)
def test_what_means_something_else_of_tables_from_outside_is_refused(name):
    f, at, table = BESIDE_A_NUMBER[name]
    for transform in (sg.grad, sg.hessian):
        with REFUSED:
            transform(lambda a: f(a, table))(at)


@pytest.mark.parametrize("name", ALONE)
def test_what_means_something_else_of_tables_that_are_given_is_refused(name):
    f, at, table = ALONE[name]
    for ask in (sg.grad(f), sg.hessian(f), sg.compile(f, "g"), lambda *a, f=f: sg.minimize(f, *a, method="Powell")):
        with REFUSED:
            ask(at, table)
    with REFUSED:
        sg.hvp(lambda x: x.std(), x, x)


def test_what_is_the_same_of_tables_is_differentiated():
    given = sg.grad(lambda a, x: np.std(a * x, ddof=1) + np.nansum(a * x))
    assert given(2.0, x) == given(2.0, x.to_numpy()) and sg.grad(lambda a: (a * R).max(axis=0).sum())(1.0) == 7.0
    assert np.isclose(sg.grad(lambda a: (a * x.std()) ** 2)(1.0), 2 * x.std() ** 2)  # which pandas computes
