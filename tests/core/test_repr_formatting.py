"""The text of tensors, against literal strings that PyTorch 2.13 printed (default dtype float64)."""

import numpy as np
import pytest

from symgrad._tensor.repr import format_tensor, get_printoptions, printoptions, set_printoptions

inf, nan = np.inf, np.nan


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (6.0, "tensor(6.)"),
        (2.5, "tensor(2.5000)"),
        (3, "tensor(3)"),
        (True, "tensor(True)"),
        (1 - 1j, "tensor(1.-1.j)"),
        ([1, -20, 300], "tensor([  1, -20, 300])"),
        ([True, False], "tensor([ True, False])"),
        ([1 + 2j, -0.5 - 1j], "tensor([ 1.0000+2.j, -0.5000-1.j])"),
        ([1.0, 2.0, nan], "tensor([1., 2., nan])"),
        ([1.5, nan, inf, -inf], "tensor([1.5000,    nan,    inf,   -inf])"),
        ([nan, inf], "tensor([nan, inf])"),
        ([0.0, -0.0], "tensor([0., -0.])"),
        ([[4.5, 4.5], [4.5, 4.5]], "tensor([[4.5000, 4.5000],\n        [4.5000, 4.5000]])"),
    ],
)
def test_small_tensors(values, expected):
    assert format_tensor(np.array(values)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1e-5, 1.0], "tensor([1.0000e-05, 1.0000e+00])"),
        ([1.0, 1001.0], "tensor([1.0000e+00, 1.0010e+03])"),
        ([1.0, 1000.0], "tensor([   1., 1000.])"),
        ([1e8, 1e8], "tensor([100000000., 100000000.])"),
        ([1e9], "tensor([1.0000e+09])"),
        ([1e-4, 0.00099], "tensor([0.0001, 0.0010])"),
        ([0.99e-4], "tensor([9.9000e-05])"),
    ],
)
def test_exponents_appear_when_numbers_are_large_small_or_far_apart(values, expected):
    assert format_tensor(np.array(values)) == expected


def test_unusual_dtypes_are_named():
    assert format_tensor(np.array([1.5], "float32")) == "tensor([1.5000], dtype=symgrad.float32)"
    assert format_tensor(np.array([1], "int32")) == "tensor([1], dtype=symgrad.int32)"
    assert format_tensor(np.array([1 + 2j], "complex64")) == "tensor([1.+2.j], dtype=symgrad.complex64)"


def test_default_float_decides_which_dtypes_go_without_saying():
    assert format_tensor(np.array([1.5], "float32"), default_float=np.float32) == "tensor([1.5000])"
    assert format_tensor(np.array([1j], "complex64"), default_float=np.float32) == "tensor([0.+1.j])"
    assert format_tensor(np.array([1.5]), default_float=np.float32) == "tensor([1.5000], dtype=symgrad.float64)"
    assert format_tensor(np.array([1j]), default_float="float32") == "tensor([0.+1.j], dtype=symgrad.complex128)"


def test_empty_tensors_tell_shape_and_dtype():
    assert format_tensor(np.zeros(0)) == "tensor([])"
    assert format_tensor(np.zeros((0, 3))) == "tensor([], size=(0, 3))"
    assert format_tensor(np.zeros(0, "int64")) == "tensor([], dtype=symgrad.int64)"
    assert format_tensor(np.zeros((2, 0), bool)) == "tensor([], size=(2, 0), dtype=symgrad.bool)"


def test_blocks_of_a_three_dimensional_tensor_are_separated_by_a_blank_line():
    assert format_tensor(np.arange(24.0).reshape(2, 3, 4)) == (
        "tensor([[[ 0.,  1.,  2.,  3.],\n"
        "         [ 4.,  5.,  6.,  7.],\n"
        "         [ 8.,  9., 10., 11.]],\n"
        "\n"
        "        [[12., 13., 14., 15.],\n"
        "         [16., 17., 18., 19.],\n"
        "         [20., 21., 22., 23.]]])"
    )


def test_long_rows_wrap_at_eighty_columns():
    assert format_tensor(np.arange(30.0) / 7) == (
        "tensor([0.0000, 0.1429, 0.2857, 0.4286, 0.5714, 0.7143, 0.8571, 1.0000, 1.1429,\n"
        "        1.2857, 1.4286, 1.5714, 1.7143, 1.8571, 2.0000, 2.1429, 2.2857, 2.4286,\n"
        "        2.5714, 2.7143, 2.8571, 3.0000, 3.1429, 3.2857, 3.4286, 3.5714, 3.7143,\n"
        "        3.8571, 4.0000, 4.1429])"
    )


def test_more_than_a_thousand_elements_are_summarised():
    assert format_tensor(np.arange(1001.0)) == "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"
    assert format_tensor(np.zeros((1100, 2), "float32"), grad_fn_name="MulBackward0") == (
        "tensor([[0., 0.],\n"
        "        [0., 0.],\n"
        "        [0., 0.],\n"
        "        ...,\n"
        "        [0., 0.],\n"
        "        [0., 0.],\n"
        "        [0., 0.]], dtype=symgrad.float32, grad_fn=<MulBackward0>)"
    )
    assert "..." not in format_tensor(np.arange(1000.0))


def test_grad_fn_replaces_requires_grad():
    assert format_tensor(np.array(6.0), requires_grad=True) == "tensor(6., requires_grad=True)"
    assert format_tensor(np.array(6.0), requires_grad=True, grad_fn_name="MulBackward0") == (
        "tensor(6., grad_fn=<MulBackward0>)"
    )


def test_name_stands_before_the_gradient():
    assert format_tensor(np.array(2.5), name="loss", grad_fn_name="LogBackward0") == (
        "tensor(2.5000, name='loss', grad_fn=<LogBackward0>)"
    )
    assert format_tensor(np.array([1, 2], "int8"), name="it's", requires_grad=True) == (
        """tensor([1, 2], dtype=symgrad.int8, name="it's", requires_grad=True)"""
    )


def test_suffixes_move_to_a_new_line_when_the_last_one_is_full():
    assert format_tensor(np.arange(10.0) / 7, requires_grad=True, grad_fn_name="MulBackward0") == (
        "tensor([0.0000, 0.1429, 0.2857, 0.4286, 0.5714, 0.7143, 0.8571, 1.0000, 1.1429,\n"
        "        1.2857], grad_fn=<MulBackward0>)"
    )
    assert format_tensor(np.arange(8.0) / 7, requires_grad=True) == (
        "tensor([0.0000, 0.1429, 0.2857, 0.4286, 0.5714, 0.7143, 0.8571, 1.0000],\n       requires_grad=True)"
    )


def test_print_options_change_the_text_and_come_back():
    with printoptions(precision=2, threshold=5, edgeitems=1, linewidth=20):
        assert format_tensor(np.arange(1.0, 9.0) / 7) == "tensor([0.14,  ...,\n        1.14])"
        assert format_tensor(np.arange(4.0) / 7) == "tensor([0.00, 0.14,\n        0.29, 0.43])"
    with printoptions(sci_mode=True):
        assert format_tensor(np.array([1.0])) == "tensor([1.0000e+00])"
    with printoptions(sci_mode=False):
        assert format_tensor(np.array([1e-7])) == "tensor([0.0000])"
    with printoptions(profile="short"):
        assert get_printoptions()["precision"] == 2
    with printoptions(profile="full"):
        assert "..." not in format_tensor(np.arange(2000))
    assert format_tensor(np.array([1.12345])) == "tensor([1.1235])"


def test_elided_elements_leave_the_size():
    with printoptions(threshold=0, edgeitems=0):
        assert format_tensor(np.arange(6.0).reshape(2, 3)) == "tensor([...], size=(2, 3))"


def test_sci_mode_returns_to_automatic_with_each_call_as_in_torch():
    with printoptions():
        set_printoptions(sci_mode=True)
        set_printoptions(precision=1)
        assert format_tensor(np.array([1.25])) == "tensor([1.2])"


def test_unknown_profile_is_named_with_the_choices():
    with pytest.raises(ValueError, match="'tiny'.*'short'"):
        set_printoptions(profile="tiny")


def test_extreme_numbers_print_without_warnings():
    assert format_tensor(np.array([5e-324, 1e308])) == "tensor([4.9407e-324, 1.0000e+308])"
    assert format_tensor(np.array([65504.0, 0.5], "float16")) == (
        "tensor([6.5504e+04, 5.0000e-01], dtype=symgrad.float16)"
    )
