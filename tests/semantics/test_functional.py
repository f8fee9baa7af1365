"""`autograd.functional`: jacobian, hessian, vjp, jvp, vhp, hvp of functions of tensors."""

import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def product(a, b):
    "(2,), (2,) to (2,): the gradient of one depends on the other."
    return a**2 * b


def energy(a, b):
    "(2,), (2,) to a number."
    return (a**2 * b).sum()


A, B = [1.0, 2.0], [3.0, 5.0]


@pytest.fixture
def a():
    return sg.tensor(A)


@pytest.fixture
def b():
    return sg.tensor(B)


# jacobian


def test_jacobian_has_shape_of_output_then_input():
    j = jacobian(lambda x: x.reshape(2, 1) * sg.tensor([1.0, 10.0, 100.0]), sg.tensor([1.0, 2.0]))
    assert tuple(j.shape) == (2, 3, 2)
    assert j.tolist() == [[[1.0, 0.0], [10.0, 0.0], [100.0, 0.0]], [[0.0, 1.0], [0.0, 10.0], [0.0, 100.0]]]


def test_jacobian_of_one_input(a):
    j = jacobian(lambda x: x**2, a)
    assert j.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert not j.requires_grad
    assert not a.requires_grad


def test_jacobian_of_several_inputs_is_a_tuple(a, b):
    j = jacobian(product, (a, b))
    assert isinstance(j, tuple)
    assert j[0].tolist() == [[6.0, 0.0], [0.0, 20.0]]
    assert j[1].tolist() == [[1.0, 0.0], [0.0, 4.0]]


def test_jacobian_of_several_outputs_is_a_tuple_of_tuples(a, b):
    j = jacobian(lambda a, b: (a * b, b.sum()), (a, b))
    assert j[0][0].tolist() == [[3.0, 0.0], [0.0, 5.0]]
    assert j[0][1].tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert j[1][0].tolist() == [0.0, 0.0]
    assert j[1][1].tolist() == [1.0, 1.0]


def test_jacobian_of_several_outputs_of_one_input(a):
    j = jacobian(lambda a: (a * 2, a.sum()), a)
    assert [t.tolist() for t in j] == [[[2.0, 0.0], [0.0, 2.0]], [1.0, 1.0]]


@pytest.mark.parametrize("options", [{}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}])
def test_ways_to_compute_a_jacobian_agree(options, a, b):
    j = jacobian(product, (a, b), **options)
    assert j[0].tolist() == [[6.0, 0.0], [0.0, 20.0]]
    assert j[1].tolist() == [[1.0, 0.0], [0.0, 4.0]]


def test_jacobian_with_create_graph_is_differentiated(a):
    a.requires_grad_()
    j = jacobian(lambda x: x**3, a, create_graph=True)
    assert j.requires_grad
    j.sum().backward()
    assert a.grad.tolist() == [6.0, 12.0]


def test_jacobian_leaves_grad_alone(a):
    a.requires_grad_()
    jacobian(lambda x: x**3, a)
    assert a.grad is None
    assert a.requires_grad


def test_jacobian_of_an_independent_input_is_zero(a, b):
    j = jacobian(lambda a, b: a * 2, (a, b))
    assert j[1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_strict_jacobian_refuses_an_independent_input(a, b):
    with pytest.raises(RuntimeError, match="independent of input 1"):
        jacobian(lambda a, b: a * 2, (a, b), strict=True)


def test_strict_jacobian_refuses_a_constant_output(a):
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function"):
        jacobian(lambda a: sg.ones(2), a, strict=True)
    assert jacobian(lambda a: sg.ones(2), a).tolist() == [[0.0, 0.0], [0.0, 0.0]]


# hessian


def test_hessian_of_one_input(a):
    h = hessian(lambda x: (x**3).sum(), a)
    assert h.tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert not h.requires_grad


def test_hessian_of_several_inputs_is_blocks(a, b):
    h = hessian(energy, (a, b))
    assert h[0][0].tolist() == [[6.0, 0.0], [0.0, 10.0]]
    assert h[0][1].tolist() == h[1][0].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert h[1][1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_hessian_has_the_shape_of_its_input_twice():
    h = hessian(lambda m: (m @ m).sum(), sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert tuple(h.shape) == (2, 2, 2, 2)
    assert h.reshape(4, 4).tolist() == [[2.0, 1, 1, 0], [1, 0, 2, 1], [1, 2, 0, 1], [0, 1, 1, 2]]


def test_hessian_needs_one_number(a):
    with pytest.raises(RuntimeError, match="single element"):
        hessian(lambda x: x**2, a)


def test_hessian_with_create_graph_is_differentiated(a):
    a.requires_grad_()
    hessian(lambda x: (x**4).sum(), a, create_graph=True).sum().backward()
    assert a.grad.tolist() == [24.0, 48.0]


def test_strict_hessian_refuses_a_linear_input(a):
    with pytest.raises(RuntimeError, match="independent of|independent"):
        hessian(lambda x: (x * 2).sum(), a, strict=True)
    assert hessian(lambda x: (x * 2).sum(), a).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_vectorized_hessian_agrees(a, b):
    loop, vectorized = hessian(energy, (a, b)), hessian(energy, (a, b), vectorize=True)
    for i in range(2):
        for j in range(2):
            assert_allclose(vectorized[i][j].tolist(), loop[i][j].tolist())


def test_outer_jacobian_strategy_of_hessian_agrees(a):
    h = hessian(lambda x: (x**3).sum(), a, vectorize=True, outer_jacobian_strategy="forward-mode")
    assert h.tolist() == [[6.0, 0.0], [0.0, 12.0]]


# products


def test_vjp_returns_output_and_product(a, b):
    output, (ga, gb) = vjp(product, (a, b), sg.tensor([1.0, 10.0]))
    assert output.tolist() == [3.0, 20.0]
    assert ga.tolist() == [6.0, 200.0]
    assert gb.tolist() == [1.0, 40.0]
    assert not output.requires_grad and not ga.requires_grad


def test_vjp_of_a_number_needs_no_vector(a, b):
    output, (ga, gb) = vjp(energy, (a, b))
    assert output.item() == 23.0
    assert (ga.tolist(), gb.tolist()) == ([6.0, 20.0], [1.0, 4.0])


def test_vjp_of_several_numbers_needs_a_vector(a, b):
    with pytest.raises(RuntimeError, match="vector v can only be None if the user-provided function returns"):
        vjp(product, (a, b))


def test_vector_of_another_size_is_refused(a):
    with pytest.raises(RuntimeError, match="v has invalid size"):
        vjp(lambda x: x**2, a, sg.ones(3))


def test_jvp_returns_output_and_product(a, b):
    output, tangent = jvp(product, (a, b), (sg.tensor([1.0, 0.0]), sg.tensor([0.0, 1.0])))
    assert output.tolist() == [3.0, 20.0]
    assert tangent.tolist() == [6.0, 4.0]


def test_jvp_of_several_outputs(a):
    output, tangent = jvp(lambda x: (x**2, x.sum()), a, sg.tensor([1.0, 10.0]))
    assert [t.tolist() for t in output] == [[1.0, 4.0], 3.0]
    assert [t.tolist() for t in tangent] == [[2.0, 40.0], 11.0]


def test_jvp_of_one_number_needs_no_vector():
    output, tangent = jvp(lambda x: x**3, sg.tensor(2.0))
    assert (output.item(), tangent.item()) == (8.0, 12.0)


def test_jvp_of_several_numbers_needs_a_vector(a):
    with pytest.raises(RuntimeError, match="vector v can only be None if the input"):
        jvp(lambda x: x**2, a)


@pytest.mark.parametrize("product_with", [hvp, vhp], ids=["hvp", "vhp"])
def test_products_with_the_hessian(product_with, a, b):
    v = (sg.tensor([1.0, 10.0]), sg.tensor([100.0, 1000.0]))
    output, (ha, hb) = product_with(energy, (a, b), v)
    assert output.item() == 23.0
    assert ha.tolist() == [206.0, 4100.0]
    assert hb.tolist() == [2.0, 40.0]


@pytest.mark.parametrize("product_with", [hvp, vhp], ids=["hvp", "vhp"])
def test_product_with_the_hessian_of_one_input_is_a_tensor(product_with, a):
    output, h = product_with(lambda x: (x**3).sum(), a, sg.tensor([1.0, 10.0]))
    assert output.item() == 9.0
    assert h.tolist() == [6.0, 120.0]


@pytest.mark.parametrize("product_with", [hvp, vhp], ids=["hvp", "vhp"])
def test_product_with_the_hessian_of_a_linear_function_is_zero(product_with, a):
    assert product_with(lambda x: (x * 2).sum(), a, sg.ones(2))[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("product_with", [hvp, vhp], ids=["hvp", "vhp"])
def test_strict_product_refuses_a_linear_function(product_with, a):
    with pytest.raises(RuntimeError, match="independent of"):
        product_with(lambda x: (x * 2).sum(), a, sg.ones(2), strict=True)


def test_strict_products_refuse_an_independent_input(a, b):
    with pytest.raises(RuntimeError, match="independent of"):
        vjp(lambda a, b: a * 2, (a, b), sg.ones(2), strict=True)
    with pytest.raises(RuntimeError, match="independent"):
        jvp(lambda a, b: a * 2, (a, b), (sg.ones(2), sg.ones(2)), strict=True)


@pytest.mark.parametrize("product_with", [vjp, jvp], ids=["vjp", "jvp"])
def test_first_order_products_with_create_graph_are_differentiated(product_with, a):
    a.requires_grad_()
    output, p = product_with(lambda x: x**3, a, sg.ones(2), create_graph=True)
    assert output.requires_grad
    p.sum().backward()
    assert a.grad.tolist() == [6.0, 12.0]


@pytest.mark.parametrize("product_with", [hvp, vhp], ids=["hvp", "vhp"])
def test_second_order_products_with_create_graph_are_differentiated(product_with, a):
    a.requires_grad_()
    product_with(lambda x: (x**4).sum(), a, sg.ones(2), create_graph=True)[1].sum().backward()
    assert a.grad.tolist() == [24.0, 48.0]


def test_a_function_that_returns_no_tensor_is_refused(a):
    with pytest.raises(TypeError, match="must be (either )?a Tensor or a tuple of Tensors|tuple of Tensors"):
        jacobian(lambda x: 3.0, a)


def test_inputs_must_be_tensors():
    with pytest.raises(TypeError, match="Tensor"):
        jacobian(lambda x: x, 3.0)


def test_functions_work_under_no_grad(a):
    with sg.no_grad():
        assert jacobian(lambda x: x**2, a).tolist() == [[2.0, 0.0], [0.0, 4.0]]
        assert hessian(lambda x: (x**2).sum(), a).tolist() == [[2.0, 0.0], [0.0, 2.0]]
