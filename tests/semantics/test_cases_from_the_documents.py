"""The eleven cases of the documents, each with the right numbers.

The documents describe leaves, hooks, `retain_grad`, `retain_graph` and accumulation. Where one of
them is wrong, the mathematics decides, and the test says so.
"""

import math

import pytest
from numpy.testing import assert_allclose

import symgrad as sg


def mean_of_three_squares():
    x = sg.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    return x, y, z.mean()


def test_case_1_hook_sees_the_gradient_of_its_tensor():
    x, y, out = mean_of_three_squares()
    seen = []
    y.register_hook(lambda grad: seen.append(repr(grad)))
    out.backward()
    assert seen == ["tensor([[4.5000, 4.5000],\n        [4.5000, 4.5000]])"]
    assert x.grad.tolist() == [[4.5, 4.5], [4.5, 4.5]]


def test_case_1_hook_that_prints_prints_the_gradient(capsys):
    _, y, out = mean_of_three_squares()
    y.register_hook(print)
    out.backward()
    assert capsys.readouterr().out == "tensor([[4.5000, 4.5000],\n        [4.5000, 4.5000]])\n"


def test_case_1_retain_grad_holds_what_the_hook_sees():
    _, y, out = mean_of_three_squares()
    y.retain_grad()
    out.backward()
    assert y.grad.tolist() == [[4.5, 4.5], [4.5, 4.5]]


def test_case_1_hook_keeps_no_gradient():
    _, y, out = mean_of_three_squares()
    y.register_hook(lambda grad: None)
    out.backward()
    with pytest.warns(UserWarning, match="retain_grad"):
        assert y.grad is None


def test_case_1_hook_may_replace_the_gradient_of_one_layer():
    x, y, out = mean_of_three_squares()
    y.register_hook(lambda grad: grad * 10)
    out.backward()
    assert x.grad.tolist() == [[45.0, 45.0], [45.0, 45.0]]


def test_case_1_hook_runs_whenever_the_gradient_is_computed():
    _, y, out = mean_of_three_squares()
    seen = []
    y.register_hook(seen.append)
    out.backward(retain_graph=True)
    out.backward()
    assert [g.tolist() for g in seen] == [[[4.5, 4.5], [4.5, 4.5]]] * 2


def test_case_2_the_graph_can_be_walked():
    w = sg.tensor(2.0, requires_grad=True)
    x = sg.tensor(3.0, requires_grad=True)
    b = sg.tensor(1.0, requires_grad=True)
    y = w * x
    z = y + b
    assert repr(z.grad_fn).startswith("<AddBackward0")
    (to_y, index_y), (to_b, index_b) = z.grad_fn.next_functions
    assert (index_y, index_b) == (0, 0)
    assert to_y.name() == "MulBackward0"
    assert to_y is y.grad_fn
    assert type(to_b).__name__ == "AccumulateGrad"
    assert to_b.variable is b
    assert isinstance(z.grad_fn.next_functions, tuple)
    assert [n.variable for n, _ in y.grad_fn.next_functions] == [w, x]


def test_case_2_is_leaf_is_an_attribute():
    w = sg.tensor(2.0, requires_grad=True)
    y = w * 3
    assert w.is_leaf is True
    assert y.is_leaf is False


def test_case_3_gradients_accumulate():
    x = sg.tensor(2.0, requires_grad=True)
    y = x * 3
    y.backward(retain_graph=True)
    assert x.grad.item() == 3.0
    y.backward()
    assert x.grad.item() == 6.0


def test_case_3_gradients_accumulate_over_graphs_too():
    x = sg.tensor(2.0, requires_grad=True)
    for expected in (3.0, 6.0, 9.0):
        (x * 3).backward()
        assert x.grad.item() == expected


def test_case_3_three_ways_to_start_from_zero():
    x = sg.tensor(2.0, requires_grad=True)
    optimizer = sg.optim.SGD([x], lr=0.1)
    (x * 3).backward()
    x.grad.zero_()
    assert x.grad.item() == 0.0
    (x * 3).backward()
    assert x.grad.item() == 3.0
    x.grad = None
    (x * 3).backward()
    assert x.grad.item() == 3.0
    optimizer.zero_grad()
    assert x.grad is None
    (x * 3).backward()
    assert x.grad.item() == 3.0
    optimizer.zero_grad(set_to_none=False)
    assert x.grad.item() == 0.0


def test_case_4_gradient_of_a_non_leaf_is_freed_and_reading_it_warns():
    x, y, out = mean_of_three_squares()
    out.backward()
    with pytest.warns(UserWarning, match="not a leaf.*retain_grad"):
        assert y.grad is None
    assert x.grad is not None


def test_case_4_autograd_grad_reaches_a_non_leaf():
    x, y, out = mean_of_three_squares()
    (gradient,) = sg.autograd.grad(out, y)
    assert gradient.tolist() == [[4.5, 4.5], [4.5, 4.5]]
    assert x.grad is None


def sine_of_product():
    a = sg.tensor([1.0], requires_grad=True)
    b = sg.tensor([2.0], requires_grad=True)
    c = a * b
    return a, b, c, sg.sin(c)


def test_case_5_numbers():
    a, b, c, d = sine_of_product()
    c.retain_grad()
    d.backward()
    assert_allclose(a.grad.tolist(), [2 * math.cos(2)])
    assert_allclose(b.grad.tolist(), [math.cos(2)])
    assert_allclose(c.grad.tolist(), [math.cos(2)])
    assert repr(a.grad) == "tensor([-0.8323])"
    assert repr(b.grad) == "tensor([-0.4161])"


@pytest.mark.parametrize("retained", ["", "a", "b", "c", "d", "ab", "cd", "abcd"])
def test_case_5_retain_grad_never_changes_a_gradient(retained):
    tensors = dict(zip("abcd", sine_of_product(), strict=True))
    for name in retained:
        tensors[name].retain_grad()
    tensors["d"].backward()
    assert_allclose(tensors["a"].grad.tolist(), [2 * math.cos(2)])
    assert_allclose(tensors["b"].grad.tolist(), [math.cos(2)])
    for name in set(retained) & set("cd"):
        assert_allclose(tensors[name].grad.tolist(), [math.cos(2) if name == "c" else 1.0])


def test_case_5_retain_grad_on_a_leaf_does_nothing():
    a, _, _, d = sine_of_product()
    a.retain_grad()
    assert a.retains_grad is False
    d.backward()
    assert_allclose(a.grad.tolist(), [2 * math.cos(2)])


def test_case_5_retain_grad_twice_counts_once():
    _, _, c, d = sine_of_product()
    c.retain_grad()
    c.retain_grad()
    assert c.retains_grad is True
    d.backward()
    assert_allclose(c.grad.tolist(), [math.cos(2)])


def test_case_5_gradients_are_not_zeroed_at_each_backward():
    a, _, c, d = sine_of_product()
    c.retain_grad()
    d.backward(retain_graph=True)
    d.backward()
    assert_allclose(a.grad.tolist(), [4 * math.cos(2)])
    assert_allclose(c.grad.tolist(), [2 * math.cos(2)])


def two_losses():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x**2
    z = 4 * y
    return x, z.mean(), z.sum()


def test_case_6_a_shared_graph_is_freed_by_the_first_backward():
    x, l1, l2 = two_losses()
    l1.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        l2.backward()
    assert x.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert (l1.item(), l2.item()) == (30.0, 120.0)


def test_case_6_retained_graph_is_walked_twice_and_adds_up():
    x, l1, l2 = two_losses()
    l1.backward(retain_graph=True)
    l2.backward()
    assert x.grad.tolist() == [[10.0, 20.0], [30.0, 40.0]]


def test_case_6_retain_graph_defaults_to_create_graph():
    x = sg.tensor(3.0, requires_grad=True)
    y = x**2
    sg.autograd.grad(y, x, create_graph=True)
    (again,) = sg.autograd.grad(y, x)
    assert again.item() == 6.0


def test_case_6_pure_additions_can_be_walked_again():
    x = sg.tensor(3.0, requires_grad=True)
    y = x + x + 1
    y.backward()
    y.backward()
    assert x.grad.item() == 4.0


def test_case_7_create_graph_gives_every_order():
    x = sg.tensor(2.0, requires_grad=True)
    y = x**5
    found = []
    for _ in range(6):
        (y,) = sg.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    assert found == [80.0, 160.0, 240.0, 240.0, 120.0, 0.0]


def test_case_8_leaf_rules():
    x = sg.tensor([2.0])
    assert x.is_leaf and x.grad_fn is None and not x.requires_grad
    assert (x * 2).is_leaf
    w = sg.tensor([2.0], requires_grad=True)
    assert w.is_leaf and w.grad_fn is None
    for result in (w * 2, w.reshape(1, 1), w.to(sg.float32), w[0], w.clone()):
        assert not result.is_leaf
        assert result.requires_grad
        assert result.grad_fn is not None


def test_case_8_only_leaves_that_require_grad_are_filled():
    x = sg.tensor(2.0, requires_grad=True)
    constant = sg.tensor(5.0)
    y = x**2
    z = y * constant + 1
    z.backward()
    assert x.grad.item() == 20.0
    assert constant.grad is None
    with pytest.warns(UserWarning, match="retain_grad"):
        assert y.grad is None


def test_case_8_numbers():
    x = sg.tensor(2.0, requires_grad=True)
    y = x**2
    (y + 1).backward()
    assert x.grad.item() == 4.0
    with pytest.warns(UserWarning, match="retain_grad"):
        assert y.grad is None


def test_case_9_numbers():
    a = sg.Tensor([1, 2]).requires_grad_()
    b = sg.Tensor([3, 4]).requires_grad_()
    d = sg.Tensor([2]).requires_grad_()
    c = a + b
    e = c * d
    o = e.sum()
    o.backward()
    assert a.grad.tolist() == [2.0, 2.0]
    assert b.grad.tolist() == [2.0, 2.0]
    assert d.grad.tolist() == [10.0]
    for tensor in (c, e, o):
        with pytest.warns(UserWarning, match="retain_grad"):
            assert tensor.grad is None


def test_case_10_reshaped_leaves_are_not_leaves():
    x = sg.arange(10, dtype=sg.float32, requires_grad=True).reshape(10, 1)
    w = sg.arange(10, dtype=sg.float32, requires_grad=True).reshape(1, 10)
    y = w @ x
    assert not x.is_leaf and not w.is_leaf
    x.retain_grad()
    w.retain_grad()
    y.backward()
    assert x.grad.tolist() == [[float(k)] for k in range(10)]
    assert w.grad.tolist() == [[float(k) for k in range(10)]]
    assert x.grad.dtype == w.grad.dtype == sg.float32


def test_case_11_detach_cuts_and_shares():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    cut = y.detach()
    assert cut.is_leaf and not cut.requires_grad and cut.grad_fn is None
    cut[0] = 100.0
    assert y.tolist() == [100.0, 6.0]
    assert (x + cut).grad_fn.next_functions[1][0] is None


def test_case_11_constructors_exist_and_take_requires_grad():
    assert sg.autograd.Variable(sg.ones(2), requires_grad=True).requires_grad
    assert sg.Tensor([1.0, 2.0]).tolist() == [1.0, 2.0]
    for tensor in (
        sg.tensor([1.0], requires_grad=True),
        sg.ones(2, 3, requires_grad=True),
        sg.zeros(2, 3, requires_grad=True),
        sg.randn(2, 3, requires_grad=True),
        sg.rand(2, 3, requires_grad=True),
        sg.arange(3.0, requires_grad=True),
        sg.full((2,), 1.5, requires_grad=True),
        sg.eye(2, requires_grad=True),
        sg.linspace(0, 1, 3, requires_grad=True),
    ):
        assert tensor.is_leaf and tensor.requires_grad


def test_case_11_layers_have_parameters_that_get_gradients():
    linear = sg.nn.Linear(3, 2)
    linear(sg.ones(4, 3)).sum().backward()
    assert linear.weight.grad.tolist() == [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    assert linear.bias.grad.tolist() == [4.0, 4.0]
    conv = sg.nn.Conv2d(1, 1, kernel_size=2)
    conv(sg.ones(1, 1, 3, 3)).sum().backward()
    assert conv.weight.grad.tolist() == [[[[4.0, 4.0], [4.0, 4.0]]]]
    assert conv.bias.grad.tolist() == [4.0]


def test_case_11_step_updates_leaves_from_grad():
    w = sg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = sg.optim.SGD([w], lr=0.5)
    (w * sg.tensor([2.0, 4.0])).sum().backward()
    optimizer.step()
    assert w.tolist() == [0.0, 0.0]
    assert w.is_leaf and w.requires_grad
    assert w.grad.tolist() == [2.0, 4.0]
