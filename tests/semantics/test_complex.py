"""Complex gradients: of a real result, the gradient is the conjugate Wirtinger derivative.

For L(x + iy) that is ∂L/∂x + i ∂L/∂y, the direction of steepest ascent.
"""

import math

import pytest
from numpy.testing import assert_allclose

import symgrad as sg

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
