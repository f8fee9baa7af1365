"""`func`: functions in, functions out."""

import math

import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0])


# grad


def test_grad_of_a_number():
    assert_allclose(grad(sg.sin)(sg.tensor(1.0)).item(), math.cos(1))


def test_grad_nests():
    f = sg.sin
    for expected in (math.cos, lambda t: -math.sin(t), lambda t: -math.cos(t), math.sin):
        f = grad(f)
        assert_allclose(f(sg.tensor(1.0)).item(), expected(1.0))


def test_grad_of_a_sum(x):
    g = grad(lambda t: (t**3).sum())(x)
    assert g.tolist() == [3.0, 12.0]
    assert not g.requires_grad
    assert not x.requires_grad


def test_argnums_choose_the_input():
    f = lambda a, b: a**2 * b
    a, b = sg.tensor(3.0), sg.tensor(5.0)
    assert grad(f)(a, b).item() == 30.0
    assert grad(f, argnums=1)(a, b).item() == 9.0
    ga, gb = grad(f, argnums=(0, 1))(a, b)
    assert (ga.item(), gb.item()) == (30.0, 9.0)
    (gb,) = grad(f, argnums=(1,))(a, b)
    assert gb.item() == 9.0


def test_has_aux_passes_something_through():
    g, aux = grad(lambda t: (t**2, {"cube": t**3}), has_aux=True)(sg.tensor(2.0))
    assert g.item() == 4.0
    assert aux["cube"].item() == 8.0


def test_grad_and_value(x):
    g, value = grad_and_value(lambda t: (t**2).sum())(x)
    assert g.tolist() == [2.0, 4.0]
    assert value.item() == 5.0


def test_grad_and_value_with_aux(x):
    g, (value, aux) = grad_and_value(lambda t: ((t**2).sum(), t + 1), has_aux=True)(x)
    assert (g.tolist(), value.item(), aux.tolist()) == ([2.0, 4.0], 5.0, [2.0, 3.0])


def test_grad_of_a_dictionary():
    parameters = {"w": sg.tensor([1.0, 2.0]), "b": sg.tensor(3.0)}
    g = grad(lambda p: (p["w"] ** 2).sum() * p["b"])(parameters)
    assert sorted(g) == ["b", "w"]
    assert g["w"].tolist() == [6.0, 12.0]
    assert g["b"].item() == 5.0


def test_grad_of_nested_containers():
    g = grad(lambda p: p[0][0] * p[1]["k"])(((sg.tensor(2.0),), {"k": sg.tensor(3.0)}))
    assert g[0][0].item() == 3.0
    assert g[1]["k"].item() == 2.0


def test_keyword_arguments_are_passed_on():
    assert grad(lambda t, power=2: t**power)(sg.tensor(2.0), power=3).item() == 12.0


def test_grad_needs_one_number(x):
    with pytest.raises(RuntimeError, match="scalar|single"):
        grad(lambda t: t**2)(x)


def test_grad_of_an_unused_input_is_zero():
    ga, gb = grad(lambda a, b: a**2, argnums=(0, 1))(sg.tensor(3.0), sg.tensor(5.0))
    assert (ga.item(), gb.item()) == (6.0, 0.0)


def test_inner_and_outer_derivatives_are_not_confused():
    inner = lambda a: grad(lambda b: a + b)(sg.tensor(1.0))
    assert grad(lambda a: a * inner(a))(sg.tensor(1.0)).item() == 1.0


def test_grad_of_a_function_that_uses_control_flow():
    f = lambda t: t**2 if t > 0 else -t
    assert grad(f)(sg.tensor(3.0)).item() == 6.0
    assert grad(f)(sg.tensor(-3.0)).item() == -1.0


def test_grad_of_a_function_of_a_tensor_that_requires_grad_is_differentiated():
    w = sg.tensor(3.0, requires_grad=True)
    g = grad(lambda t: w * t**2)(sg.tensor(2.0))
    assert g.item() == 12.0
    g.backward()
    assert w.grad.item() == 4.0


def test_no_grad_inside_a_function_holds():
    def f(t):
        with sg.no_grad():
            shift = t**2
        return t**2 - shift

    assert grad(f)(sg.tensor(3.0)).item() == 6.0


def test_no_grad_outside_does_not_reach_in():
    with sg.no_grad():
        assert grad(lambda t: t**2)(sg.tensor(3.0)).item() == 6.0


# vjp and jvp


def test_vjp_returns_a_function(x):
    output, pull = vjp(lambda t: t**2, x)
    assert output.tolist() == [1.0, 4.0]
    (g,) = pull(sg.tensor([1.0, 10.0]))
    assert g.tolist() == [2.0, 40.0]
    assert pull(sg.tensor([0.0, 1.0]))[0].tolist() == [0.0, 4.0]


def test_vjp_of_several_inputs_and_outputs():
    a, b = sg.tensor(2.0), sg.tensor(3.0)
    output, pull = vjp(lambda a, b: (a * b, a + b), a, b)
    assert [t.item() for t in output] == [6.0, 5.0]
    ga, gb = pull((sg.tensor(1.0), sg.tensor(10.0)))
    assert (ga.item(), gb.item()) == (13.0, 12.0)


def test_vjp_has_aux(x):
    output, _, aux = vjp(lambda t: (t**2, t + 1), x, has_aux=True)
    assert (output.tolist(), aux.tolist()) == ([1.0, 4.0], [2.0, 3.0])


def test_jvp_returns_value_and_tangent(x):
    value, tangent = jvp(lambda t: t**2, (x,), (sg.tensor([1.0, 10.0]),))
    assert value.tolist() == [1.0, 4.0]
    assert tangent.tolist() == [2.0, 40.0]


def test_jvp_of_several_inputs():
    value, tangent = jvp(lambda a, b: a**2 * b, (sg.tensor(3.0), sg.tensor(5.0)), (sg.tensor(1.0), sg.tensor(10.0)))
    assert (value.item(), tangent.item()) == (45.0, 120.0)


def test_jvp_over_grad_is_the_hessian_vector_product(x):
    gradient, product = jvp(grad(lambda t: (t**3).sum()), (x,), (sg.tensor([1.0, 10.0]),))
    assert gradient.tolist() == [3.0, 12.0]
    assert product.tolist() == [6.0, 120.0]


def test_jvp_has_aux(x):
    value, tangent, aux = jvp(lambda t: (t**2, t + 1), (x,), (sg.ones(2),), has_aux=True)
    assert (value.tolist(), tangent.tolist(), aux.tolist()) == ([1.0, 4.0], [2.0, 4.0], [2.0, 3.0])


# jacobians


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobian_has_shape_of_output_then_input(jacobian, x):
    j = jacobian(lambda t: sg.stack([t.sum(), t.prod(), (t**2).sum()]))(x)
    assert j.tolist() == [[1.0, 1.0], [2.0, 1.0], [2.0, 4.0]]


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobian_by_argnums(jacobian, x):
    f = lambda a, b: a * b
    y = sg.tensor([3.0, 5.0])
    assert jacobian(f, argnums=1)(x, y).tolist() == [[1.0, 0.0], [0.0, 2.0]]
    ja, jb = jacobian(f, argnums=(0, 1))(x, y)
    assert ja.tolist() == [[3.0, 0.0], [0.0, 5.0]]
    assert jb.tolist() == [[1.0, 0.0], [0.0, 2.0]]


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobian_of_a_matrix_function(jacobian):
    j = jacobian(lambda m: m @ m)(sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert tuple(j.shape) == (2, 2, 2, 2)
    assert j.reshape(4, 4).tolist() == [[2, 3, 2, 0], [2, 5, 0, 2], [3, 0, 5, 3], [0, 3, 2, 8]]


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_jacobian_has_aux(jacobian, x):
    j, aux = jacobian(lambda t: (t**2, t + 1), has_aux=True)(x)
    assert j.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert aux.tolist() == [2.0, 3.0]


def test_jacrev_of_a_dictionary_output(x):
    j = jacrev(lambda t: {"square": t**2, "sum": t.sum()})(x)
    assert j["square"].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert j["sum"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("outer", [jacrev, jacfwd])
@pytest.mark.parametrize("inner", [jacrev, jacfwd])
def test_jacobians_nest(outer, inner, x):
    h = outer(inner(lambda t: t.prod() ** 2))(x)
    assert h.tolist() == [[8.0, 8.0], [8.0, 2.0]]


def test_hessian_of_a_number(x):
    assert hessian(lambda t: t.prod() ** 2)(x).tolist() == [[8.0, 8.0], [8.0, 2.0]]


def test_hessian_by_argnums(x):
    f = lambda a, b: (a**2 * b).sum()
    h = hessian(f, argnums=(0, 1))(x, sg.tensor([3.0, 5.0]))
    assert h[0][0].tolist() == [[6.0, 0.0], [0.0, 10.0]]
    assert h[0][1].tolist() == h[1][0].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert h[1][1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


# functional_call


def test_functional_call_takes_the_parameters_from_a_dictionary():
    linear = sg.nn.Linear(2, 1)
    kept = linear.weight.detach().clone()
    parameters = {"weight": sg.tensor([[1.0, 10.0]]), "bias": sg.tensor([100.0])}
    assert functional_call(linear, parameters, (sg.tensor([[2.0, 3.0]]),)).tolist() == [[132.0]]
    assert linear.weight.tolist() == kept.tolist()


def test_functional_call_keeps_what_is_not_replaced():
    linear = sg.nn.Linear(2, 1)
    result = functional_call(linear, {"weight": sg.zeros(1, 2)}, (sg.ones(1, 2),))
    assert_allclose(result.tolist(), [linear.bias.tolist()])


def test_grad_with_respect_to_parameters():
    linear = sg.nn.Linear(2, 1)
    parameters = {name: p.detach() for name, p in linear.named_parameters()}
    data = sg.tensor([[2.0, 3.0], [4.0, 5.0]])
    g = grad(lambda p: functional_call(linear, p, (data,)).sum())(parameters)
    assert g["weight"].tolist() == [[6.0, 8.0]]
    assert g["bias"].tolist() == [2.0]
    assert linear.weight.grad is None


def test_gradients_per_sample():
    linear = sg.nn.Linear(2, 1)
    parameters = {name: p.detach() for name, p in linear.named_parameters()}
    data = sg.tensor([[2.0, 3.0], [4.0, 5.0]])
    loss = lambda p, row: functional_call(linear, p, (row,)).sum()
    g = vmap(grad(loss), in_dims=(None, 0))(parameters, data)
    assert g["weight"].tolist() == [[[2.0, 3.0]], [[4.0, 5.0]]]
    assert g["bias"].tolist() == [[1.0], [1.0]]


def test_forward_mode_uses_the_jvp_of_a_function():
    class Sin(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return sg.sin(x)

        @staticmethod
        def backward(ctx, g):
            raise AssertionError("reverse mode")

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return t * sg.cos(x)

    x, t = sg.tensor([0.0, 1.0]), sg.tensor([1.0, 2.0])
    slope = [1.0, math.cos(1.0)]
    assert_allclose(jvp(Sin.apply, (x,), (t,))[1].tolist(), [slope[0], 2 * slope[1]])
    assert_allclose(linearize(Sin.apply, x)[1](t).tolist(), [slope[0], 2 * slope[1]])
    assert_allclose(jacfwd(Sin.apply)(x).tolist(), [[slope[0], 0.0], [0.0, slope[1]]])
    assert_allclose(sg.jacobian(lambda s: Sin.apply(s * sg.ones(2)))(1.0), [slope[1]] * 2)
