"""Dtypes: what is made by default, what an operation keeps, what can have a gradient."""

import pytest

import symgrad as sg


@pytest.fixture
def single():
    return sg.tensor([1.0, 2.0, 3.0], dtype=sg.float32)


CREATED = [
    ("sg.tensor([1.0])", "float64"),
    ("sg.tensor([1, 2])", "int64"),
    ("sg.tensor([True])", "bool"),
    ("sg.tensor([1j])", "complex128"),
    ("sg.tensor([1, 2.5])", "float64"),
    ("sg.tensor(3)", "int64"),
    ("sg.Tensor([1, 2])", "float64"),
    ("sg.as_tensor([1, 2])", "int64"),
    ("sg.ones(2)", "float64"),
    ("sg.zeros(2)", "float64"),
    ("sg.eye(2)", "float64"),
    ("sg.randn(2)", "float64"),
    ("sg.rand(2)", "float64"),
    ("sg.randint(3, (2,))", "int64"),
    ("sg.arange(3)", "int64"),
    ("sg.arange(3.0)", "float64"),
    ("sg.arange(0, 1, 0.5)", "float64"),
    ("sg.linspace(0, 1, 2)", "float64"),
    ("sg.full((2,), 1)", "int64"),
    ("sg.full((2,), 1.0)", "float64"),
    ("sg.full((2,), True)", "bool"),
    ("sg.nn.Linear(2, 1).weight", "float64"),
    ("sg.zeros_like(i)", "int64"),
    ("sg.ones_like(f)", "float32"),
    ("f.new_zeros(2)", "float32"),
    ("sg.ones(2, dtype=sg.float32)", "float32"),
    ("sg.arange(3, dtype=sg.float32)", "float32"),
]

RESULTS = [
    ("f * 2.5", "float32"),
    ("2.5 * f", "float32"),
    ("f + 1", "float32"),
    ("1 - f", "float32"),
    ("f / 3", "float32"),
    ("1 / f", "float32"),
    ("f ** 2", "float32"),
    ("f ** 0.5", "float32"),
    ("2 ** f", "float32"),
    ("f % 2.5", "float32"),
    ("f.sum()", "float32"),
    ("f.mean()", "float32"),
    ("f.std()", "float32"),
    ("f @ f", "float32"),
    ("sg.exp(f)", "float32"),
    ("sg.lgamma(f)", "float32"),
    ("f.softmax(0)", "float32"),
    ("f.clamp(0.5, 2.5)", "float32"),
    ("sg.where(f > 1, f, 0.0)", "float32"),
    ("sg.nn.functional.gelu(f)", "float32"),
    ("f.norm()", "float32"),
    ("f[0] * 2.5", "float32"),
    ("f.double()", "float64"),
    ("f * sg.ones(3)", "float64"),
    ("sg.cat([f, sg.ones(1)])", "float64"),
    ("sg.ones(3, dtype=sg.float16) * 2", "float16"),
    ("i + 1", "int64"),
    ("i * i", "int64"),
    ("i ** 2", "int64"),
    ("i // 2", "int64"),
    ("i % 2", "int64"),
    ("i / 2", "float64"),
    ("i / i", "float64"),
    ("i @ i", "int64"),
    ("i.sum()", "int64"),
    ("i.prod()", "int64"),
    ("i.cumsum(0)", "int64"),
    ("i.abs()", "int64"),
    ("i.clamp(1, 2)", "int64"),
    ("i.argmax()", "int64"),
    ("f.argmax()", "int64"),
    ("f.argsort()", "int64"),
    ("f.sort()[1]", "int64"),
    ("f.max(0)[1]", "int64"),
    ("f.topk(1)[1]", "int64"),
    ("sg.sin(i)", "float64"),
    ("sg.sqrt(i)", "float64"),
    ("sg.sigmoid(i)", "float64"),
    ("i.float()", "float32"),
    ("i.to(sg.float32)", "float32"),
    ("i.bool()", "bool"),
    ("f.long()", "int64"),
    ("f.int()", "int32"),
    ("f.half()", "float16"),
    ("i > 1", "bool"),
    ("f == 1", "bool"),
    ("f != f", "bool"),
    ("f.isnan()", "bool"),
    ("~(f > 1)", "bool"),
    ("(f > 1) & (f < 3)", "bool"),
    ("(f > 1).sum()", "int64"),
    ("(f > 1) + 1", "int64"),
    ("sg.logical_and(i, i)", "bool"),
    ("f.all()", "bool"),
    ("z * 2", "complex128"),
    ("z.abs()", "float64"),
    ("z.real", "float64"),
    ("z.angle()", "float64"),
    ("z * f[:1]", "complex128"),
    ("sg.where(i > 1, 1, 0)", "int64"),
    ("sg.where(i > 1, 1.0, 0.0)", "float64"),
]


def dtype_of(expression):
    names = {
        "sg": sg,
        "f": sg.tensor([1.0, 2.0, 3.0], dtype=sg.float32),
        "i": sg.tensor([1, 2, 3]),
        "z": sg.tensor([1 + 2j]),
    }
    return eval(expression, names).dtype


@pytest.mark.parametrize(("expression", "dtype"), CREATED)
def test_dtype_of_a_new_tensor(expression, dtype):
    assert dtype_of(expression) == getattr(sg, dtype)


@pytest.mark.parametrize(("expression", "dtype"), RESULTS)
def test_dtype_of_a_result(expression, dtype):
    assert dtype_of(expression) == getattr(sg, dtype)


def test_default_dtype_is_float64_and_can_be_set():
    assert sg.get_default_dtype() == sg.float64
    try:
        sg.set_default_dtype(sg.float32)
        assert sg.tensor([1.0]).dtype == sg.ones(2).dtype == sg.float32
        assert (sg.tensor([1, 2]) / 2).dtype == sg.float32
        assert sg.tensor([1j]).dtype == sg.complex64
        assert sg.tensor([1, 2]).dtype == sg.int64
        assert repr(sg.ones(1)) == "tensor([1.])"
    finally:
        sg.set_default_dtype(sg.float64)
    assert sg.ones(2).dtype == sg.float64


def test_default_dtype_must_be_a_floating_point_type():
    with pytest.raises(TypeError, match="floating"):
        sg.set_default_dtype(sg.int64)
    assert sg.get_default_dtype() == sg.float64


def test_floats_stay_single_through_backward(single):
    x = single.requires_grad_()
    y = (sg.exp(-x * 0.5) * 3 + x**2 / 7 + x.mean() * 1.5).sum()
    assert y.dtype == sg.float32
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x)
    assert g.dtype == h.dtype == sg.float32


def test_gradient_has_the_dtype_of_its_leaf():
    a = sg.ones(3, dtype=sg.float32, requires_grad=True)
    b = sg.ones(3, dtype=sg.float64, requires_grad=True)
    product = a * b
    assert product.dtype == sg.float64
    product.sum().backward()
    assert a.grad.dtype == sg.float32
    assert b.grad.dtype == sg.float64


def test_casts_are_differentiated():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x.to(sg.float32)
    assert y.dtype == sg.float32 and not y.is_leaf
    (y * y).sum().backward()
    assert x.grad.dtype == sg.float64
    assert x.grad.tolist() == [2.0, 4.0]


def test_cast_to_an_integer_cuts_the_graph():
    x = sg.tensor([1.5, 2.5], requires_grad=True)
    assert x.long().tolist() == [1, 2]
    assert not x.long().requires_grad
    assert x.long().grad_fn is None


def test_cast_to_its_own_dtype_is_the_tensor_itself(single):
    assert single.float() is single
    assert single.to(sg.float32) is single


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_only_floats_and_complex_numbers_require_grad(dtype):
    words = "(?i)only Tensors of floating point (and complex )?dtype can require gradients"
    with pytest.raises(RuntimeError, match=words):
        sg.ones(2, dtype=getattr(sg, dtype), requires_grad=True)
    t = sg.ones(2, dtype=getattr(sg, dtype))
    with pytest.raises(RuntimeError, match=words):
        t.requires_grad_()
    with pytest.raises(RuntimeError, match=words):
        t.requires_grad = True
    assert not t.requires_grad


def test_predicates():
    assert sg.ones(1).is_floating_point()
    assert not sg.tensor(1).is_floating_point()
    assert sg.is_complex(sg.tensor(1j))
    assert sg.is_floating_point(sg.ones(1)) and not sg.is_floating_point(sg.tensor(1j))


def test_integers_times_a_leaf_keep_the_leafs_gradient():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    (x * sg.tensor([3, 4])).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    assert x.grad.dtype == sg.float64


def test_item_and_tolist_give_python_numbers():
    assert type(sg.tensor(1.5).item()) is float
    assert type(sg.tensor(3).item()) is int
    assert type(sg.tensor(True).item()) is bool
    assert type(sg.tensor(1j).item()) is complex
    assert type(sg.tensor([3]).tolist()[0]) is int
    assert float(sg.tensor([1.5])) == 1.5
    assert int(sg.tensor(3.7)) == 3
    assert bool(sg.tensor([0.0])) is False
