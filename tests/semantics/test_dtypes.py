"""Dtypes: what is made by default, what an operation keeps, what can have a gradient; those of complex numbers."""

import math

import pytest
from numpy.testing import assert_allclose

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


@pytest.mark.parametrize("name", ["eval_legendre", "struve", "spherical_jn", "shichi"])
def test_gradient_has_the_dtype_of_its_leaf_where_scipys_slope_is_double(name):
    special = sg.scipy.special
    f = (lambda x: special.shichi(x)[0]) if name == "shichi" else (lambda x: getattr(special, name)(2, x))
    x = sg.tensor([0.5, 1.5], dtype=sg.float32, requires_grad=True)
    f(x).sum().backward()
    (g,) = sg.autograd.grad(f(x).sum(), x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x)
    assert x.grad.dtype == g.dtype == h.dtype == sg.float32
    wide = sg.grad(lambda x: f(x).sum())
    assert_allclose(x.grad.numpy(), wide(sg.tensor([0.5, 1.5])).numpy(), rtol=1e-5)


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


# Gradients of complex numbers -----------------------------------------------------------------------------------------

# For L(x + iy) that is ∂L/∂x + i ∂L/∂y, the direction of steepest ascent.


GRADIENTS = {
    "real": (lambda z: z.real, [3 + 4j], [1]),
    "imag": (lambda z: z.imag, [3 + 4j], [1j]),
    "conj, real": (lambda z: z.conj().real, [3 + 4j], [1]),
    "conj, imag": (lambda z: z.conj().imag, [3 + 4j], [-1j]),
    "abs": (sg.abs, [3 + 4j, -5j], [0.6 + 0.8j, -1j]),
    "abs at 0": (sg.abs, [0j], [0j]),
    "abs squared": (lambda z: z.abs() ** 2, [3 + 4j, 0j], [6 + 8j, 0j]),
    "z times its conjugate": (lambda z: (z * z.conj()).real, [3 + 4j], [6 + 8j]),
    "angle": (sg.angle, [1 + 1j], [-0.5 + 0.5j]),
    "angle at 0": (sg.angle, [0j], [0j]),
    "square, real": (lambda z: (z * z).real, [1 + 2j], [2 - 4j]),
    "square, imag": (lambda z: (z * z).imag, [1 + 2j], [4 + 2j]),
    "pow": (lambda z: (z**2).imag, [1 + 2j], [4 + 2j]),
    "exp": (lambda z: z.exp().real, [1j], [complex(math.cos(1), -math.sin(1))]),
    "log": (lambda z: z.log().real, [1 + 1j], [0.5 + 0.5j]),
    "sin": (lambda z: z.sin().real, [1j], [math.cosh(1)]),
    "sqrt": (lambda z: z.sqrt().real, [2j], [0.25 + 0.25j]),
    "reciprocal": (lambda z: (1 / z).real, [1 + 1j], [-0.5j]),
    "scaled": (lambda z: (z * (2 - 3j)).real, [1 + 1j], [2 + 3j]),
    "sum": (lambda z: z.sum().abs(), [3 + 1j, 3j], [0.6 + 0.8j, 0.6 + 0.8j]),
    "mean": (lambda z: z.mean().real, [3 + 1j, 3j], [0.5, 0.5]),
    "view_as_real": (sg.view_as_real, [3 + 4j], [1 + 1j]),
    "index": (lambda z: z[0].imag, [3 + 4j, 1j], [1j, 0]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_complex_gradient(name):
    function, point, expected = GRADIENTS[name]
    z = sg.tensor(point, requires_grad=True)
    result = function(z)
    assert not sg.is_complex(result)
    result.sum().backward()
    assert z.grad.dtype == sg.complex128
    assert_allclose(z.grad.tolist(), expected, atol=1e-15)


TWO = {
    "mul, real": (lambda a, b: (a * b).real, [1 + 2j], [3 - 1j], [3 + 1j], [1 - 2j]),
    "mul, imag": (lambda a, b: (a * b).imag, [1 + 2j], [3 - 1j], [-1 + 3j], [2 + 1j]),
    "add": (lambda a, b: (a + 2 * b).imag, [1 + 2j], [3 - 1j], [1j], [2j]),
    "div": (lambda a, b: (a / b).real, [1 + 2j], [1 + 1j], [0.5 + 0.5j], [-1 - 0.5j]),
    "matmul": (
        lambda a, b: (a @ b).real,
        [[1 + 1j, 2 + 0j]],
        [[1j], [1 - 1j]],
        [[-1j, 1 + 1j]],
        [[1 - 1j], [2]],
    ),
    "dot": (lambda a, b: (a @ b).imag, [1j, 2 + 0j], [3 + 0j, 1j], [3j, 1], [1, 2j]),
    "where": (lambda a, b: sg.where(sg.tensor([True, False]), a, b).imag, [1j, 2j], [3j, 4j], [1j, 0], [0, 1j]),
}


@pytest.mark.parametrize("name", TWO)
def test_complex_gradient_of_two_inputs(name):
    function, a, b, expected_a, expected_b = TWO[name]
    a, b = sg.tensor(a, requires_grad=True), sg.tensor(b, requires_grad=True)
    function(a, b).sum().backward()
    assert_allclose(a.grad.tolist(), expected_a, atol=1e-15)
    assert_allclose(b.grad.tolist(), expected_b, atol=1e-15)


def test_a_real_factor_of_a_complex_product_has_a_real_gradient():
    x = sg.tensor([2.0], requires_grad=True)
    z = sg.tensor([3 - 4j], requires_grad=True)
    (x * z).abs().sum().backward()
    assert x.grad.dtype == sg.float64
    assert_allclose(x.grad.tolist(), [5.0])
    assert_allclose(z.grad.tolist(), [1.2 - 1.6j])


def test_complex_from_two_reals():
    a, b = sg.tensor([3.0], requires_grad=True), sg.tensor([4.0], requires_grad=True)
    sg.complex(a, b).abs().sum().backward()
    assert_allclose(a.grad.tolist(), [0.6])
    assert_allclose(b.grad.tolist(), [0.8])


def test_backward_of_a_complex_number_needs_a_gradient():
    z = sg.tensor(1 + 2j, requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs"):
        (z * z).backward()
    assert z.grad is None


def test_a_complex_seed_is_multiplied_by_the_conjugate_of_the_derivative():
    z = sg.tensor([1 + 2j], requires_grad=True)
    (z * z).backward(sg.tensor([1j]))
    assert z.grad.tolist() == [1j * (2 - 4j)]


def test_second_derivative_of_abs_squared():
    z = sg.tensor([3 + 4j], requires_grad=True)
    (g,) = sg.autograd.grad((z.abs() ** 2).sum(), z, create_graph=True)
    assert_allclose(g.tolist(), [6 + 8j])
    (h,) = sg.autograd.grad(g.real.sum(), z)
    assert_allclose(h.tolist(), [2 + 0j], atol=1e-15)


def test_conjugate_of_a_real_tensor_is_itself():
    x = sg.tensor([1.0], requires_grad=True)
    assert sg.conj(x) is x
    assert sg.tensor([1.0]).real.tolist() == [1.0]


def test_gradient_descent_with_complex_numbers_finds_the_minimum():
    z = sg.tensor(0j, requires_grad=True)
    target = 3 - 2j
    for _ in range(60):
        (z - target).abs().pow(2).backward()
        with sg.no_grad():
            z -= 0.25 * z.grad
        z.grad = None
    assert_allclose(z.item(), target)


def test_gradcheck_of_complex_functions():
    z = sg.tensor([1 + 2j, -0.5 + 1j], requires_grad=True)
    for f in (sg.exp, lambda z: z * z.conj(), sg.abs, lambda z: 1 / z, lambda z: z.real * z.imag):
        assert sg.autograd.gradcheck(f, z)
