"""`repr` of a tensor: four digits, aligned columns, and where it came from in the graph.

Each row is an expression and the exact text it prints with float64 as the default dtype.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad._tensor.repr import format_tensor, printoptions, set_printoptions

VALUES = [
    ("sg.tensor(6.0)", "tensor(6.)"),
    ("sg.tensor(1.5)", "tensor(1.5000)"),
    ("sg.tensor(-0.0)", "tensor(-0.)"),
    ("sg.tensor(3)", "tensor(3)"),
    ("sg.tensor(True)", "tensor(True)"),
    ("sg.tensor([])", "tensor([])"),
    ("sg.tensor([1.0, 2.0])", "tensor([1., 2.])"),
    ("sg.tensor([1.0, 2.5])", "tensor([1.0000, 2.5000])"),
    ("sg.tensor([1, 2, 3])", "tensor([1, 2, 3])"),
    ("sg.tensor([1, -20, 300])", "tensor([  1, -20, 300])"),
    ("sg.tensor([True, False])", "tensor([ True, False])"),
    (
        "sg.tensor([[1.0, 2.0], [3.0, 4.0]])",
        "tensor([[1., 2.],\n        [3., 4.]])",
    ),
    (
        "sg.tensor([[0.1, 22.5], [-3.0, 4.0]])",
        "tensor([[ 0.1000, 22.5000],\n        [-3.0000,  4.0000]])",
    ),
    (
        "sg.tensor([[1, 2], [30, 4]])",
        "tensor([[ 1,  2],\n        [30,  4]])",
    ),
    (
        "sg.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])",
        "tensor([[[1., 2.],\n         [3., 4.]],\n\n        [[5., 6.],\n         [7., 8.]]])",
    ),
    (
        "sg.ones(2, 1, 2, 1)",
        "tensor([[[[1.],\n          [1.]]],\n\n\n        [[[1.],\n          [1.]]]])",
    ),
    ("sg.tensor(3.141592653589793)", "tensor(3.1416)"),
    ("sg.tensor([3.141592653589793, -2.718281828459045])", "tensor([ 3.1416, -2.7183])"),
    ("sg.tensor([1e-5, 1.0])", "tensor([1.0000e-05, 1.0000e+00])"),
    ("sg.tensor([1e-5, 1000.0])", "tensor([1.0000e-05, 1.0000e+03])"),
    ("sg.tensor([1e8, 1.0])", "tensor([1.0000e+08, 1.0000e+00])"),
    ("sg.tensor([1e8, 2.5])", "tensor([1.0000e+08, 2.5000e+00])"),
    ("sg.tensor(1e-10)", "tensor(1.0000e-10)"),
    ("sg.tensor(1e10)", "tensor(1.0000e+10)"),
    ("sg.tensor(123456789.0)", "tensor(1.2346e+08)"),
    ("sg.tensor(1e9)", "tensor(1.0000e+09)"),
    ("sg.tensor([100000.5])", "tensor([100000.5000])"),
    ("sg.tensor([0.5, 99999.0])", "tensor([5.0000e-01, 9.9999e+04])"),
    ("sg.tensor([1e-3, 1e3])", "tensor([1.0000e-03, 1.0000e+03])"),
    ("sg.tensor([0.001, 1.001])", "tensor([1.0000e-03, 1.0010e+00])"),
    ("sg.tensor(0.0001)", "tensor(0.0001)"),
    ("sg.tensor(0.00009)", "tensor(9.0000e-05)"),
    ('sg.tensor([float("nan"), 1.0])', "tensor([nan, 1.])"),
    ('sg.tensor([float("inf"), -float("inf"), 1.5])', "tensor([   inf,   -inf, 1.5000])"),
    ('sg.tensor(float("nan"))', "tensor(nan)"),
    ('sg.tensor(-float("inf"))', "tensor(-inf)"),
    ('sg.tensor([float("nan"), float("nan")])', "tensor([nan, nan])"),
    ('sg.tensor([float("inf"), 1.0])', "tensor([inf, 1.])"),
    ("sg.zeros(0)", "tensor([])"),
    ("sg.zeros(2, 0)", "tensor([], size=(2, 0))"),
    ("sg.zeros(0, 3, requires_grad=True)", "tensor([], size=(0, 3), requires_grad=True)"),
    (
        "sg.zeros(2, 3)",
        "tensor([[0., 0., 0.],\n        [0., 0., 0.]])",
    ),
    ("sg.zeros(0, dtype=sg.int64)", "tensor([], dtype=symgrad.int64)"),
    ("sg.arange(10)", "tensor([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])"),
    ("sg.arange(10.0)", "tensor([0., 1., 2., 3., 4., 5., 6., 7., 8., 9.])"),
    (
        "sg.arange(30)",
        "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
        "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])",
    ),
    (
        "sg.arange(30.0)",
        "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
        "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27.,\n"
        "        28., 29.])",
    ),
    (
        "sg.arange(0, 1, 0.1)",
        "tensor([0.0000, 0.1000, 0.2000, 0.3000, 0.4000, 0.5000, 0.6000, 0.7000, 0.8000,\n        0.9000])",
    ),
    ("sg.linspace(0, 1, 5)", "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])"),
    (
        "sg.eye(3)",
        "tensor([[1., 0., 0.],\n        [0., 1., 0.],\n        [0., 0., 1.]])",
    ),
    (
        "sg.full((2, 2), 7)",
        "tensor([[7, 7],\n        [7, 7]])",
    ),
    (
        "sg.tensor([[1.0], [2.0]])",
        "tensor([[1.],\n        [2.]])",
    ),
    ("sg.tensor([-1.0, 1.0])", "tensor([-1.,  1.])"),
    ("sg.tensor([-1.5, 10.25])", "tensor([-1.5000, 10.2500])"),
    ("sg.tensor([0.0, -0.0])", "tensor([0., -0.])"),
    ("sg.tensor(2 / 3)", "tensor(0.6667)"),
    ("sg.tensor([2 / 3, 200 / 3])", "tensor([ 0.6667, 66.6667])"),
    ("sg.tensor([1 / 3, 1e5 / 3])", "tensor([3.3333e-01, 3.3333e+04])"),
    ("sg.tensor([1.0, 0.33333])", "tensor([1.0000, 0.3333])"),
    ("sg.tensor(12345.678)", "tensor(12345.6780)"),
    ("sg.tensor([12345678.0])", "tensor([12345678.])"),
    (
        "sg.tensor([[-0.8323, 0.4161], [10.0, 100.0]])",
        "tensor([[ -0.8323,   0.4161],\n        [ 10.0000, 100.0000]])",
    ),
]

DTYPES = [
    ("sg.tensor([1.0, 2.0], dtype=sg.float32)", "tensor([1., 2.], dtype=symgrad.float32)"),
    ("sg.tensor(1.5, dtype=sg.float16)", "tensor(1.5000, dtype=symgrad.float16)"),
    ("sg.tensor([1, 2], dtype=sg.int32)", "tensor([1, 2], dtype=symgrad.int32)"),
    ("sg.tensor([1, 2], dtype=sg.uint8)", "tensor([1, 2], dtype=symgrad.uint8)"),
    ("sg.tensor([1, 2], dtype=sg.int64)", "tensor([1, 2])"),
    ("sg.tensor([1.0], dtype=sg.float64)", "tensor([1.])"),
    ("sg.tensor([1 + 2j])", "tensor([1.+2.j])"),
    ("sg.tensor([1 + 2j, -3.5 - 0.25j])", "tensor([ 1.0000+2.0000j, -3.5000-0.2500j])"),
    ("sg.tensor(1j)", "tensor(0.+1.j)"),
    ("sg.tensor([1 + 2j], dtype=sg.complex64)", "tensor([1.+2.j], dtype=symgrad.complex64)"),
    ("sg.tensor([1 + 2j], requires_grad=True)", "tensor([1.+2.j], requires_grad=True)"),
    (
        "sg.tensor([1.0], dtype=sg.float32, requires_grad=True)",
        "tensor([1.], dtype=symgrad.float32, requires_grad=True)",
    ),
    ("sg.zeros(2, 0, dtype=sg.float32)", "tensor([], size=(2, 0), dtype=symgrad.float32)"),
    ("sg.tensor([], dtype=sg.int64)", "tensor([], dtype=symgrad.int64)"),
    ("sg.tensor([0, 1], dtype=sg.bool)", "tensor([False,  True])"),
]

GRAPHS = [
    ("sg.tensor(6.0, requires_grad=True)", "tensor(6., requires_grad=True)"),
    ("sg.tensor([1.0, 2.0], requires_grad=True)", "tensor([1., 2.], requires_grad=True)"),
    (
        "sg.ones(2, 2, requires_grad=True)",
        "tensor([[1., 1.],\n        [1., 1.]], requires_grad=True)",
    ),
    ("sg.tensor(2.0, requires_grad=True) * 3", "tensor(6., grad_fn=<MulBackward0>)"),
    (
        "sg.ones(2, 2, requires_grad=True) + 2",
        "tensor([[3., 3.],\n        [3., 3.]], grad_fn=<AddBackward0>)",
    ),
    ("sg.ones(2, 2, requires_grad=True).mean()", "tensor(1., grad_fn=<MeanBackward0>)"),
    ("sg.ones(2, 2, requires_grad=True).sum()", "tensor(4., grad_fn=<SumBackward0>)"),
    ("sg.ones(2, 2, requires_grad=True).sum(0)", "tensor([2., 2.], grad_fn=<SumBackward1>)"),
    (
        "sg.ones(2, 2, requires_grad=True).t()",
        "tensor([[1., 1.],\n        [1., 1.]], grad_fn=<TBackward0>)",
    ),
    ("sg.ones(3, requires_grad=True)[0]", "tensor(1., grad_fn=<SelectBackward0>)"),
    ("sg.ones(3, requires_grad=True)[1:]", "tensor([1., 1.], grad_fn=<SliceBackward0>)"),
    ("sg.ones(3, requires_grad=True).unbind()[1]", "tensor(1., grad_fn=<UnbindBackward0>)"),
    (
        "sg.ones(3, requires_grad=True).sin()",
        "tensor([0.8415, 0.8415, 0.8415], grad_fn=<SinBackward0>)",
    ),
    (
        "sg.ones(3, requires_grad=True).log1p()",
        "tensor([0.6931, 0.6931, 0.6931], grad_fn=<Log1PBackward0>)",
    ),
    ("sg.ones(3, requires_grad=True).detach()", "tensor([1., 1., 1.])"),
    ("sg.ones(3, requires_grad=True) ** 2", "tensor([1., 1., 1.], grad_fn=<PowBackward0>)"),
    (
        "sg.ones(3, requires_grad=True).float()",
        "tensor([1., 1., 1.], dtype=symgrad.float32, grad_fn=<ToCopyBackward0>)",
    ),
    ("sg.ones(3, requires_grad=True).clone()", "tensor([1., 1., 1.], grad_fn=<CloneBackward0>)"),
    (
        "(sg.ones(3, requires_grad=True) * 2).detach().requires_grad_()",
        "tensor([2., 2., 2.], requires_grad=True)",
    ),
    ("sg.ones(3, requires_grad=True) > 0", "tensor([True, True, True])"),
    ("sg.ones(3, requires_grad=True).argmax()", "tensor(0)"),
    ("sg.ones(2, 3, requires_grad=True) @ sg.ones(3)", "tensor([3., 3.], grad_fn=<MvBackward0>)"),
    ("sg.ones(2, 0, requires_grad=True) * 2", "tensor([], size=(2, 0), grad_fn=<MulBackward0>)"),
    (
        "sg.arange(20.0, requires_grad=True) * 2",
        "tensor([ 0.,  2.,  4.,  6.,  8., 10., 12., 14., 16., 18., 20., 22., 24., 26.,\n"
        "        28., 30., 32., 34., 36., 38.], grad_fn=<MulBackward0>)",
    ),
    (
        "sg.full((10,), 1234.5, requires_grad=True) * 1",
        "tensor([1234.5000, 1234.5000, 1234.5000, 1234.5000, 1234.5000, 1234.5000,\n"
        "        1234.5000, 1234.5000, 1234.5000, 1234.5000], grad_fn=<MulBackward0>)",
    ),
    (
        "sg.ones(4, 9, requires_grad=True) * 100.125",
        "tensor([[100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250,\n"
        "         100.1250, 100.1250],\n"
        "        [100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250,\n"
        "         100.1250, 100.1250],\n"
        "        [100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250,\n"
        "         100.1250, 100.1250],\n"
        "        [100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250, 100.1250,\n"
        "         100.1250, 100.1250]], grad_fn=<MulBackward0>)",
    ),
    (
        "sg.nn.Parameter(sg.ones(2))",
        "Parameter containing:\ntensor([1., 1.], requires_grad=True)",
    ),
    (
        "sg.nn.Parameter(sg.ones(2), requires_grad=False)",
        "Parameter containing:\ntensor([1., 1.])",
    ),
]

LONG = [
    ("sg.arange(1001)", "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    ("sg.arange(1001.0)", "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])"),
    (
        "sg.zeros(40, 40)",
        "tensor([[0., 0., 0.,  ..., 0., 0., 0.],\n"
        "        [0., 0., 0.,  ..., 0., 0., 0.],\n"
        "        [0., 0., 0.,  ..., 0., 0., 0.],\n"
        "        ...,\n"
        "        [0., 0., 0.,  ..., 0., 0., 0.],\n"
        "        [0., 0., 0.,  ..., 0., 0., 0.],\n"
        "        [0., 0., 0.,  ..., 0., 0., 0.]])",
    ),
    (
        "sg.zeros(2, 600)",
        "tensor([[0., 0., 0.,  ..., 0., 0., 0.],\n        [0., 0., 0.,  ..., 0., 0., 0.]])",
    ),
    (
        "sg.zeros(600, 2)",
        "tensor([[0., 0.],\n"
        "        [0., 0.],\n"
        "        [0., 0.],\n"
        "        ...,\n"
        "        [0., 0.],\n"
        "        [0., 0.],\n"
        "        [0., 0.]])",
    ),
    (
        "sg.arange(1001.0, requires_grad=True) * 1",
        "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.],\n       grad_fn=<MulBackward0>)",
    ),
    (
        "sg.ones(2, 2, 300)",
        "tensor([[[1., 1., 1.,  ..., 1., 1., 1.],\n"
        "         [1., 1., 1.,  ..., 1., 1., 1.]],\n"
        "\n"
        "        [[1., 1., 1.,  ..., 1., 1., 1.],\n"
        "         [1., 1., 1.,  ..., 1., 1., 1.]]])",
    ),
]


@pytest.mark.parametrize(("expression", "text"), VALUES)
def test_repr_of_values(expression, text):
    assert repr(eval(expression)) == text


@pytest.mark.parametrize(("expression", "text"), DTYPES)
def test_repr_names_a_dtype_that_is_not_the_default(expression, text):
    assert repr(eval(expression)) == text


@pytest.mark.parametrize(("expression", "text"), GRAPHS)
def test_repr_says_leaf_or_grad_fn(expression, text):
    assert repr(eval(expression)) == text


@pytest.mark.parametrize(("expression", "text"), LONG)
def test_repr_of_more_than_a_thousand_elements_is_summarized(expression, text):
    assert repr(eval(expression)) == text


@pytest.mark.parametrize(("expression", "text"), VALUES + DTYPES)
def test_str_is_repr(expression, text):
    assert str(eval(expression)) == text


def test_printing_a_gradient_shows_no_graph():
    x = sg.ones(2, 2, requires_grad=True)
    ((x + 2) ** 2 * 3).mean().backward()
    assert repr(x.grad) == "tensor([[4.5000, 4.5000],\n        [4.5000, 4.5000]])"


def test_printing_a_gradient_made_with_create_graph_shows_its_graph():
    x = sg.tensor(2.0, requires_grad=True)
    (gradient,) = sg.autograd.grad(x**3, x, create_graph=True)
    assert repr(gradient) == "tensor(12., grad_fn=<MulBackward0>)"


def test_repr_inside_no_grad_still_says_requires_grad():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    with sg.no_grad():
        assert repr(x) == "tensor([1., 2.], requires_grad=True)"
        assert repr(x * 2) == "tensor([2., 4.])"


def test_repr_of_a_node_names_its_class():
    x = sg.tensor(2.0, requires_grad=True)
    assert repr((x * x).grad_fn).startswith("<MulBackward0 object at 0x")
    assert repr((x * x).grad_fn.next_functions[0][0]).startswith("<AccumulateGrad object at 0x")


def test_repr_does_not_change_the_tensor():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    version = y._version
    repr(y), str(y), f"{y}"
    assert y._version == version
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_format_of_one_element_formats_the_number():
    assert f"{sg.tensor(3.14159):.2f}" == "3.14"
    assert f"{sg.tensor(2.0)}" == "2.0"
    assert f"{sg.tensor(3)}" == "3"


def test_format_of_several_elements_is_the_repr():
    assert f"{sg.tensor([1.0, 2.0])}" == "tensor([1., 2.])"


# Literal strings that PyTorch 2.13 printed (default dtype float64) ----------------------------------------------------


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
        assert format_tensor(np.array([1.12345])) == "tensor([1.12])"
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
