"""What NumPy and SciPy can do and a tensor cannot is said with its true name, and with what to write instead."""

import re

import numpy as np
import pytest
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
        (lambda x, A: sc.gammainc(2.0, x), "scipy.special.gammainc"),
        (lambda x, A: sc.i0(x), "scipy.special.i0"),
        (lambda x, A: np.fft.fft(x), "np.fft.fft"),
        (lambda x, A: np.nanmedian(x), "np.nanmedian"),
        (lambda x, A: np.linalg.eig(A), "np.linalg.eig"),
        (lambda x, A: np.spacing(x), "np.spacing"),
        (lambda x, A: np.logaddexp.reduce(x), "np.logaddexp.reduce"),
        (lambda x, A: np.add.reduceat(x, [0, 2]), "np.add.reduceat"),
        (lambda x, A: sc.zeta(x + 2), "_riemann_zeta, which a function of scipy.special calls,"),
    ],
)
def test_a_function_without_a_row_is_named_truly(run, name):
    kind, text = message(run)
    assert kind is sg.NotDifferentiableError
    assert text.startswith(f"{name} on a tensor that requires grad has no derivative rule\n")


def test_the_nearest_rows_are_named():
    assert "Near it in name: sg.nanmedian, np.nanmean." in message(lambda x, A: np.nanmedian(x))[1]
    assert "np.linalg.eigh" in message(lambda x, A: np.linalg.eig(A))[1]
    assert "Near" not in message(lambda x, A: np.i0(x))[1]


def test_an_argument_that_a_row_does_not_take_is_named():
    kind, text = message(lambda x, A: np.exp(x, where=np.array([True])))
    assert kind is sg.NotDifferentiableError
    assert re.match(r"np\.exp with where= on a tensor .*\n.*has a row for it", text)
    assert "where" in message(lambda x, A: np.mean(x, where=x > 0))[1]


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
