"""Where symgrad is deliberately better than the library whose interface it follows.

Everything else in this directory holds for both; the rows here hold for symgrad.
"""

import gc
import math
import warnings
import weakref

import numpy as np
import pytest

import symgrad as sg
from symgrad.func import grad, hessian

# A branch not taken contributes an exact zero


BRANCHES = {
    "log": (lambda x: sg.where(x > 0, sg.log(x), 0.0), [0.0, 2.0], [0.0, 0.5], [0.0, -0.25]),
    "sqrt": (lambda x: sg.where(x > 0, sg.sqrt(x), 0.0), [0.0, 4.0], [0.0, 0.25], [0.0, -0.03125]),
    "division": (lambda x: sg.where(x != 0, 1 / x, 0.0), [0.0, 2.0], [0.0, -0.25], [0.0, 0.25]),
    "power": (lambda x: sg.where(x > 0, x**0.5, x), [0.0, 4.0], [1.0, 0.25], [0.0, -0.03125]),
    "overflow": (lambda x: sg.where(x < 100, sg.exp(x), x), [0.0, 1000.0], [1.0, 1.0], [1.0, 0.0]),
    "nested": (
        lambda x: sg.where(x > 0, sg.where(x > 1, sg.log(x - 1), sg.log(x)), 0.0),
        [0.0, 1.0, 3.0],
        [0.0, 1.0, 0.5],
        [0.0, -1.0, -0.25],
    ),
    "two steps": (lambda x: sg.where(x > 0, sg.log(x) * sg.sqrt(x), 0.0), [0.0, 1.0], [0.0, 1.0], [0.0, 0.0]),
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branch_not_taken_has_a_zero_gradient(name):
    function, point, expected, _ = BRANCHES[name]
    x = sg.tensor(point, requires_grad=True)
    function(x).sum().backward()
    assert x.grad.tolist() == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", BRANCHES)
def test_branch_not_taken_has_a_zero_second_derivative(name):
    function, point, _, expected = BRANCHES[name]
    x = sg.tensor(point, requires_grad=True)
    (g,) = sg.autograd.grad(function(x).sum(), x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x)
    assert h.tolist() == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("f", [
    lambda x: np.where(x > 0, x**1.5, x**2).sum(), lambda x: np.where(x > 0, x * np.sqrt(x), x**2).sum(),
])  # fmt: skip
def test_a_hessian_knows_the_branch_not_taken_as_two_sweeps_do(f):
    """The slope √x moves infinitely fast at 0, where it is multiplied by the zero of its branch."""
    x = np.array([0.0, -1.0, 4.0])
    for found in (sg.hessian(f)(x), sg.jacobian(sg.grad(f))(x)):
        np.testing.assert_allclose(found, np.diag([2, 2, 0.375]))


def test_clip_cuts_an_infinite_gradient():
    x = sg.tensor([0.0, 4.0], requires_grad=True)
    sg.clip(sg.log(x), -1.0, 2.0).sum().backward()
    assert x.grad.tolist() == [0.0, 0.25]


# Python scalars never change a dtype


@pytest.mark.parametrize(
    "function",
    [
        lambda t: t * 2.5,
        lambda t: 2.5 + t,
        lambda t: t / 3,
        lambda t: t**0.5,
        lambda t: sg.where(t > 0, t, 1.5),
        lambda t: sg.maximum(t, sg.zeros_like(t)) * 1e-3,
    ],
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_python_numbers_never_change_a_dtype(function, dtype):
    dtype = getattr(sg, dtype)
    assert function(sg.ones(2, dtype=dtype)).dtype == dtype
    assert function(sg.ones((), dtype=dtype)).dtype == dtype


def test_float_dtypes_promote_as_numpys_do():
    single, double = sg.ones(2, 2, dtype=sg.float32), sg.ones(2, 2)
    assert (single @ double).dtype == sg.float64
    assert (single + sg.tensor(1.0)).dtype == sg.float64


# Zeros, not None


def test_gradient_of_unused_input_is_zero():
    g = grad(lambda a, b: a**2, argnums=1)(sg.tensor(3.0), sg.tensor([1.0, 2.0]))
    assert g.tolist() == [0.0, 0.0]


def test_second_derivative_of_unused_input_is_zero():
    h = hessian(lambda a, b: a**2, argnums=(0, 1))(sg.tensor(3.0), sg.tensor(5.0))
    assert [[block.item() for block in row] for row in h] == [[2.0, 0.0], [0.0, 0.0]]
    assert grad(grad(lambda a: 3.0 * a))(sg.tensor(1.0)).item() == 0.0
    assert grad(grad(lambda a: sg.tensor(3.0)))(sg.tensor(1.0)).item() == 0.0


# Never silently wrong at second order


def test_once_differentiable_raises_even_where_another_term_has_a_second_derivative():
    class Cube(sg.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a**3

        @staticmethod
        @sg.autograd.function.once_differentiable
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return 3 * a**2 * g

    x = sg.tensor(2.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        (g,) = sg.autograd.grad(Cube.apply(x) + x**2, x, create_graph=True)
        sg.autograd.grad(g, x)


# Errors that say which node, and what to do


def test_error_of_a_freed_graph_names_the_node_and_a_fix():
    x = sg.tensor(2.0, requires_grad=True)
    y = sg.sin(x)
    y.backward()
    with pytest.raises(RuntimeError) as error:
        y.backward()
    message = str(error.value)
    assert "Trying to backward through the graph a second time" in message
    assert "Sin" in message
    assert "retain_graph=True" in message


def test_error_of_a_freed_graph_names_the_node_inside_a_shared_part():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    shared = sg.exp(x)
    (shared + 1).sum().backward()
    with pytest.raises(RuntimeError, match="Exp"):
        (shared * 2).sum().backward()


@pytest.mark.filterwarnings("ignore")
def test_anomaly_mode_names_operation_line_element_and_formula():
    x = sg.tensor([1.0, 0.0], requires_grad=True)
    with sg.autograd.detect_anomaly():
        loss = (sg.sqrt(x) * 0).sum()
        with pytest.raises(RuntimeError) as error:
            loss.backward()
    message = str(error.value)
    assert "SqrtBackward0" in message
    assert "returned nan values in its 0th output" in message
    assert "test_better_than_pytorch.py" in message
    assert "[1]" in message
    assert any(formula in message for formula in ("√", "1/(2", "1 / (2", "0.5/", "0.5 /"))


# The silent (n,) against (n, 1)


def test_a_loss_of_unlike_shapes_warns_once():
    prediction = sg.ones(3, 1, requires_grad=True)
    target = sg.zeros(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            sg.nn.functional.mse_loss(prediction, target)
    assert len([w for w in caught if issubclass(w.category, UserWarning)]) == 1


def test_a_loss_of_like_shapes_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sg.nn.functional.mse_loss(sg.ones(3), sg.zeros(3)).item() == 1.0


# Other promises of the design


def of_a_leaf():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    return x, x.grad


def of_an_intermediate_result():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    (y**3).sum().backward(create_graph=True, inputs=[y])
    return y, y.grad


def of_a_retained_result_with_hooks():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y[0].exp().backward(create_graph=True)
    return y, y.grad


def of_a_module():
    net = sg.nn.Linear(2, 1)
    net(sg.ones(3, 2)).square().sum().backward(create_graph=True)
    return net.weight, net.weight.grad


def twice_in_place():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    for _ in range(2):
        (x * 1).mul_(x).sum().backward(create_graph=True)
    return x, x.grad


@pytest.mark.parametrize(
    "made", [of_a_leaf, of_an_intermediate_result, of_a_retained_result_with_hooks, of_a_module, twice_in_place]
)
def test_create_graph_leaves_no_cycle_and_does_not_warn(made):
    """PyTorch warns of one; here the gradient's graph does not hold the tensor, and dies with it."""
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            t, gradient = made()
        assert gradient.requires_grad
        alive = [weakref.ref(o) for o in (t, gradient, gradient.grad_fn)]
        del t, gradient
        assert [ref() for ref in alive] == [None, None, None]
    finally:
        gc.enable()


def test_cuda_is_a_clear_error():
    with pytest.raises((RuntimeError, AssertionError), match="(?i)cpu"):
        sg.ones(2).cuda()
    assert sg.ones(2).to("cpu").tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("masked", "order"),
    [
        (lambda x: sg.where(x > 0, x**1.5, 0.0), 3),
        (lambda x: sg.where(x > 0, x**2.5, 0.0), 4),
        (lambda x: (x**1.5).clamp(min=0.1), 2),
        (lambda x: (x**1.5).masked_fill(x <= 0, 0.0), 2),
    ],
)
def test_zero_of_the_branch_not_taken_is_kept_at_every_order(masked, order):
    x = sg.tensor([0.0, 0.37], requires_grad=True)
    y = masked(x)
    for _ in range(order):
        (y,) = sg.autograd.grad(y.sum(), x, create_graph=True)
        assert y[0].item() == 0.0


def test_derivatives_of_sinc_near_zero_are_exact_to_high_order():
    x = sg.tensor(1e-4, requires_grad=True)
    y = sg.sinc(x)
    for _ in range(3):
        (y,) = sg.autograd.grad(y, x, create_graph=True)
    # d³/dx³ of the power series: pi⁴ x / 5 to first order
    assert y.item() == pytest.approx(math.pi**4 * 1e-4 / 5, rel=1e-6)


def test_atan2_of_tiny_operands_does_not_underflow():
    a, b = sg.tensor(1e-200, requires_grad=True), sg.tensor(0.0, requires_grad=True)
    assert [g.item() for g in sg.autograd.grad(sg.atan2(a, b), (a, b))] == [0.0, -1e200]
