"""`symgrad.testing`: what is close, what the error says where it is not, and rows that are wrong."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE, elementwise, linear
from symgrad.testing import assert_close, check_row, gradcheck, gradgradcheck

CLOSE = {
    "rounding": (sg.tensor([0.1, 0.2]) * 3, [0.3, 0.6]),
    "float32": (sg.tensor([1.0, 1e-6], dtype=sg.float32), np.array([1.000001, 0.0], np.float32)),
    "infinities": ([np.inf, -np.inf], [np.inf, -np.inf]),
    "integers": (sg.tensor([2**53 + 1]), np.array([2**53 + 1])),
    "nothing": (sg.zeros(0, 3), np.zeros((0, 3))),
    "containers": ({"a": [1.0, None], "b": (sg.ones(2),)}, {"b": [sg.ones(2)], "a": (1.0, None)}),
    "a gradient": (sg.ones(2, requires_grad=True) * 2, 2 * np.ones(2)),
    "complex": (sg.tensor(1 + 1e-9j), 1.0 + 0j),
}
FAR = {
    "entry": (sg.tensor([1.0, 2.0]), np.array([1.0, 2.5]), r"1 / 2 \(50.0%\)\nGreatest .* 0.5 at index \(1,\)"),
    "shape": (sg.ones(2), np.ones(1), r"'shape' do not match: \(2,\) != \(1,\)"),
    "no broadcasting": (sg.ones(2), 1.0, "'shape'"),
    "dtype": (sg.ones(2), sg.ones(2).float(), "'dtype' do not match: float64 != float32"),
    "large integers": (2**53, 2**53 + 1, "Scalars are not equal"),
    "nan": (np.nan, np.nan, "Scalars are not close"),
    "one infinity": (1e300, np.inf, "Scalars are not close"),
    "opposite infinities": (-np.inf, np.inf, "Scalars are not close"),
    "place": ({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}, r"item \['a'\]\[1\]"),
    "keys": ({"a": 1.0}, {"b": 1.0}, r"Missing keys in the actual mapping: \['b'\]"),
    "length": ([1.0], [1.0, 2.0], "1 != 2"),
    "None": (None, 1.0, "None is not 1.0"),
    "truth": (sg.tensor(True), sg.tensor(False), "Expected False but got True"),
    "imaginary part": (sg.tensor(1 + 1e-3j), sg.tensor(1 + 0j), "Scalars are not close"),
}


@pytest.mark.parametrize("case", CLOSE)
def test_close_is_close(case):
    actual, expected = CLOSE[case]
    assert_close(actual, expected)


@pytest.mark.parametrize("case", FAR)
def test_what_differs_is_said(case):
    actual, expected, words = FAR[case]
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected)


def test_options_say_what_counts():
    assert_close(np.nan, np.nan, equal_nan=True)
    assert_close(sg.ones(2), sg.ones(2).float(), check_dtype=False)
    assert_close(1.0, 1.1, rtol=0, atol=0.2)
    with pytest.raises(ValueError, match="got no atol"):
        assert_close(1.0, 1.0, rtol=0.1)
    with pytest.raises(AssertionError, match="^mine: Scalars"):
        assert_close(1.0, 2.0, msg=lambda text: f"mine: {text}")
    with pytest.raises(TypeError, match="a str and a str"):
        assert_close("a", "a")
    with pytest.raises(sg.SymbolicBranchError):
        assert_close(sg.symbol("x"), 1.0)


def test_gradcheck_is_autograds():
    assert gradcheck is sg.autograd.gradcheck and gradgradcheck is sg.autograd.gradgradcheck


def test_right_rows_pass():
    check_row(sg.mul, [0.5, 2.0], [[1.5], [0.3]])
    check_row(sg.sin, 0.3)
    check_row(TABLE["pow_scalar"].apply, [0.5, 2.0], params=(2.5,))


ROWS = {
    "a gradient": lambda: elementwise("wrong_row", np.sin, lambda x: np.sin(x), doc="sin"),
    "a twin": lambda: elementwise("wrong_row", np.sin, lambda x: np.cos(x), sympy="cos(x)", doc="sin"),
    "a transpose": lambda: linear("wrong_row", lambda x: 2 * x, lambda g: g, doc="2x"),
    "a second derivative": lambda: elementwise(
        "wrong_row", np.exp, lambda x: np.exp(x.detach() if isinstance(x, sg.Tensor) else x), doc="exp"
    ),
}


@pytest.mark.parametrize("wrong", ROWS)
def test_wrong_rows_do_not(wrong):
    row = ROWS[wrong]()
    try:
        with pytest.raises((sg.autograd.GradcheckError, sg.FormulaError)):
            check_row(row, [0.5, 1.0])
    finally:
        del TABLE["wrong_row"]
