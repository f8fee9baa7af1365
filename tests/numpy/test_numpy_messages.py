"""What NumPy and SciPy can do and a tensor cannot is said with its true name, and with what to write instead."""

import re

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.sparse as sparse
import scipy.special as sc

import symgrad as sg

POINT = np.array([0.52, 0.87, 0.33, 0.71, 0.95, 0.26, 0.64, 0.45, 0.78, 0.17, 0.58, 0.39])


def message(run):
    with pytest.raises(Exception) as caught:
        run(sg.tensor(POINT[:4], requires_grad=True), sg.tensor(POINT.reshape(3, 4), requires_grad=True))
    return caught.type, str(caught.value)


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (lambda x, A: sc.wright_bessel(1.0, 2.0, x), "scipy.special.wright_bessel"),
        (lambda x, A: sc.kelvin(x), "scipy.special.kelvin"),
        (lambda x, A: np.savetxt("x.txt", x), "np.savetxt"),
        (lambda x, A: np.divmod.outer(x, x), "np.divmod.outer"),
        (lambda x, A: sc.agm.reduce(x), "scipy.special.agm.reduce"),
        (lambda x, A: sc.zeta(x + 2), "_riemann_zeta, which a function of scipy.special calls,"),
    ],
)
def test_a_function_without_a_row_is_named_truly(run, name):
    kind, text = message(run)
    assert kind is sg.NotDifferentiableError
    assert text.startswith(f"{name} on a tensor that requires grad has no derivative rule\n")


def test_the_nearest_rows_are_named():
    assert "scipy.special.zeta" in message(lambda x, A: sc.zetac(x))[1]
    assert "scipy.special.struve" in message(lambda x, A: sc.itstruve0(x))[1]
    assert "Near" not in message(lambda x, A: np.savetxt("x.txt", x))[1]


def test_an_argument_that_a_row_does_not_take_is_named():
    kind, text = message(lambda x, A: np.exp(x, out=np.zeros(4)))
    assert kind is sg.NotDifferentiableError
    assert re.match(r"np\.exp with out= on a tensor .*\n.*has a row for it", text)
    a = np.zeros(4)
    kind, text = message(lambda x, A: a.__iadd__(x))
    assert kind is sg.NotDifferentiableError and "Write a = a + x where it says a += x" in text


@pytest.mark.parametrize(
    "use",
    [
        lambda x: x.sum() / x.size, lambda x: x.size / 2, lambda x: 2 * x.size, lambda x: range(x.size),
        lambda x: x.size > 3, lambda x: x.size == 4, lambda x: np.float64(2.0) / x.size, lambda x: -x.size,
        lambda x: np.ones(x.size), lambda x: np.zeros((x.size, 2)), lambda x: np.arange(x.size), lambda x: bool(x.size),
        lambda x: x.reshape(x.size), lambda x: x * x.size,
    ],
)  # fmt: skip
def test_a_size_that_is_computed_with_says_that_it_is_a_method(use):
    for x in (sg.tensor(POINT, requires_grad=True), sg.tensor(POINT), sg.symbol("x", "n")):
        with pytest.raises((sg.SymgradError, TypeError), match=r"x\.numel\(\) or np\.size\(x\)"):
            use(x)


def test_size_is_still_a_method():
    x = sg.ones(2, 3)
    assert x.size() == (2, 3) and x.size(0) == 2 and x.size(dim=-1) == 3 and sg.Tensor.size(x, 1) == 3
    assert callable(x.size) and "x.numel()" in repr(x.size) and sg.Tensor.size.__doc__.startswith("Return the shape")
    s = sg.symbol("x", ("m", "n"))
    assert str(s.size(0)) == "m" and s.size() == s.shape
    assert np.size(x) == 6 and np.size(x, 1) == 3 and np.size(x, (0, 1)) == 6


def test_a_pair_of_values_and_indices_says_what_it_is():
    kind, text = message(lambda x, A: A.max(axis=1).sum())
    assert kind is AttributeError
    assert "values, indices" in text and "np.max(A, axis=…)" in text and "sg.amax" in text
    assert "np.min" in message(lambda x, A: A.min(axis=1).mean())[1]
    assert "svd" in message(lambda x, A: sg.svd(A).sum())[1]
    pair = sg.ones(2, 2).max(1)
    assert not hasattr(pair, "nonsense") and not hasattr(pair, "__array__") and pair.values.tolist() == [1, 1]
    values, indices = pair
    assert values is pair[0] and indices is pair.indices


def test_concatenation_by_brackets_names_concatenate():
    for name, run in {"np.r_": lambda x, A: np.r_[0.0, x], "np.c_": lambda x, A: np.c_[x, x]}.items():
        kind, text = message(run)
        assert kind is sg.NotDifferentiableError and text.startswith(f"{name}[…] on a tensor")
    assert "np.concatenate" in message(lambda x, A: np.r_[x, x])[1]
    assert "np.column_stack" in message(lambda x, A: np.c_[x, 2 * x])[1]
    np.testing.assert_array_equal(np.r_[0.0, sg.tensor([1.0, 2.0])], [0, 1, 2])  # nothing to be lost


def test_a_dot_of_matrices_names_the_operator():
    kind, text = message(lambda x, A: A.dot(A.T))
    assert kind is sg.ShapeError
    assert text.startswith("1D tensors expected, but got 2D and 2D tensors") and "A @ B" in text


@pytest.mark.parametrize(
    ("function", "instead"),
    [
        (lambda x, A: sl.cho_factor(A), "symgrad.scipy.linalg.cho_factor,"),
        (lambda x, A: sl.cholesky(A), "symgrad.scipy.linalg.cholesky,"),
        (lambda x, A: sl.cho_solve((np.eye(3), True), A[:, 0]), "symgrad.scipy.linalg.cho_solve,"),
        (lambda x, A: sl.solve_triangular(A, np.ones(3)), "symgrad.scipy.linalg.solve_triangular"),
        (lambda x, A: sl.solve(A, np.ones(3)), "symgrad.scipy.linalg.solve,"),
        (lambda x, A: sl.inv(A), "symgrad.scipy.linalg.inv,"),
        (lambda x, A: sl.det(A), "symgrad.scipy.linalg.det,"),
        (lambda x, A: sl.expm(A), "symgrad.scipy.linalg.expm"),
        (lambda x, A: sc.logsumexp(x), "symgrad.scipy.special.logsumexp"),
        (lambda x, A: sc.softmax(x), "symgrad.scipy.special.softmax"),
        (lambda x, A: sc.log_softmax(x), "symgrad.scipy.special.log_softmax"),
        (lambda x, A: sparse.eye(4, format="csr").multiply(x), "A sparse array is a factor, A @ x"),
    ],
)
def test_scipys_functions_of_arrays_name_what_takes_tensors(function, instead):
    kind, text = message(lambda x, A: function(x, A[:, :3] @ A[:, :3].T))
    assert kind is sg.GradientError and instead in text, text
    assert "in line" in text and "of test_numpy_messages.py" in text


def test_what_is_named_instead_exists():
    from symgrad._tensor.values import _INSTEAD

    for text in _INSTEAD.values():
        for path in re.findall(r"\b(?:np|sg)(?:\.\w+)+", text):
            place = {"np": np, "sg": sg}[path.split(".")[0]]
            for part in path.split(".")[1:]:
                place = getattr(place, part)
            assert callable(place)


def test_a_table_of_pandas_is_named_with_the_users_line():
    pd = pytest.importorskip("pandas", reason="pip install pandas")
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [0.0, 1.0, 1.0]})
    for function in (lambda w: (table @ w).sum(), lambda w: table.dot(w).sum()):
        with pytest.raises(sg.GradientError) as caught:
            sg.grad(function)(np.ones(2))
        text = str(caught.value)
        assert "an array by pandas" in text and "of test_numpy_messages.py" in text and "df.to_numpy()" in text
    with pytest.raises(sg.SymbolicBranchError, match=r"pandas .*df\.to_numpy\(\)"):
        sg.compile(lambda w: (table @ w).sum())(np.ones(2))


def test_a_list_is_refused_by_operators_and_taken_by_functions():
    for use in (lambda x, A: A @ [1.0, 2.0, 3.0, 4.0], lambda x, A: x + [1.0, 2.0, 3.0, 4.0], lambda x, A: [2.0] * x):
        kind, text = message(use)
        assert issubclass(kind, TypeError) and "Pass tensors, NumPy arrays" in text
    x = sg.tensor(POINT[:2], requires_grad=True)
    assert np.add([1.0, 2.0], x).requires_grad and np.matmul(x, [1.0, 2.0]).requires_grad
    assert np.multiply((1.0, 2.0), x).tolist() == [POINT[0], 2 * POINT[1]]
