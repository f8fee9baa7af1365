"""Hooks on tensors and on nodes: order, removal, replacement, what they see and when."""

import numpy as np
import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_hook_of_a_leaf_sees_the_gradient_of_this_backward(x):
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    (x * 3).sum().backward()
    (x * 4).sum().backward()
    assert seen == [[3.0, 3.0], [4.0, 4.0]]
    assert x.grad.tolist() == [7.0, 7.0]


def test_hook_of_a_leaf_runs_once_with_the_sum(x):
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    (x * 3 + x * x + x).sum().backward()
    assert seen == [[6.0, 8.0]]


def test_hook_of_a_non_leaf_runs_once_with_the_sum(x):
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y * 3 + y * y + y).sum().backward()
    assert seen == [[8.0, 12.0]]


def test_hooks_run_in_the_order_of_registration(x):
    y = x * 2
    order = []
    for k in range(3):
        y.register_hook(lambda g, k=k: order.append(k))
    y.sum().backward()
    assert order == [0, 1, 2]


def test_each_hook_sees_what_the_one_before_returned(x):
    y = x * 2
    seen = []
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.register_hook(lambda g: g + 1)
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.sum().backward()
    assert seen == [[10.0, 10.0], [11.0, 11.0]]
    assert x.grad.tolist() == [22.0, 22.0]


def test_replacement_on_a_leaf_is_what_accumulates(x):
    x.register_hook(lambda g: g * 0 + 7)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_removed_hook_does_not_run(x):
    y = x * 2
    order = []
    handle = y.register_hook(lambda g: order.append("first"))
    y.register_hook(lambda g: order.append("second"))
    handle.remove()
    handle.remove()
    y.sum().backward()
    assert order == ["second"]


def test_hook_handle_is_a_context_manager(x):
    calls = []
    y = (x * 2).sum()
    with x.register_hook(lambda g: calls.append(1)):
        y.backward(retain_graph=True)
    y.backward()
    assert calls == [1]


def test_a_hook_may_remove_itself(x):
    calls = []

    def once(g):
        calls.append(1)
        handle.remove()

    handle = x.register_hook(once)
    x.sum().backward()
    x.sum().backward()
    assert calls == [1]


def test_hook_on_what_needs_no_gradient_is_refused():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        sg.ones(2).register_hook(print)


def test_hook_that_raises_stops_backward_and_leaves_the_leaf(x):
    y = x * 2

    def fail(g):
        raise ValueError("from the hook")

    y.register_hook(fail)
    with pytest.raises(ValueError, match="from the hook"):
        y.sum().backward()
    assert x.grad is None


def test_hook_of_another_type_than_a_tensor_is_refused(x):
    y = x * 2
    y.register_hook(lambda g: "no tensor")
    with pytest.raises((TypeError, RuntimeError), match="(?i)hook|Tensor"):
        y.sum().backward()
    assert x.grad is None


def test_hook_of_another_shape_is_refused(x):
    y = x * 2
    y.register_hook(lambda g: sg.ones(5))
    with pytest.raises(RuntimeError, match="hook"):
        y.sum().backward()
    assert x.grad is None


def test_hooks_run_from_the_output_to_the_leaves(x):
    order = []
    y = x * 2
    z = y.sin()
    w = z.sum()
    for name, tensor in (("x", x), ("y", y), ("z", z), ("w", w)):
        tensor.register_hook(lambda g, name=name: order.append(name))
    w.backward()
    assert order == ["w", "z", "y", "x"]


def test_hook_across_layers_runs_before_the_earlier_layer(x):
    first, second = sg.nn.Linear(2, 3), sg.nn.Linear(3, 1)
    order = []
    hidden = first(x)
    hidden.register_hook(lambda g: order.append("hidden"))
    second.weight.register_hook(lambda g: order.append("second"))
    first.weight.register_hook(lambda g: order.append("first"))
    second(hidden).sum().backward()
    assert order.index("hidden") < order.index("first")
    assert sorted(order) == ["first", "hidden", "second"]


@pytest.mark.parametrize("retain_first", [True, False])
def test_retained_grad_is_what_the_hooks_made_of_it(retain_first, x):
    y = x * 2
    if retain_first:
        y.retain_grad()
    y.register_hook(lambda g: g * 10)
    if not retain_first:
        y.retain_grad()
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert y.grad.tolist() == [11.0, 11.0]
    assert x.grad.tolist() == [22.0, 22.0]


def test_autograd_grad_returns_what_the_hook_made_of_it(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    loss = y.sum()
    (gy,) = sg.autograd.grad(loss, y, retain_graph=True)
    assert gy.tolist() == [10.0, 10.0]
    (gx,) = sg.autograd.grad(loss, x)
    assert gx.tolist() == [21.0, 21.0]
    assert x.grad is None


def test_hooks_not_on_the_way_do_not_run(x):
    calls = []
    y = x * 2
    z = y * 3
    y.register_hook(lambda g: calls.append("y"))
    x.register_hook(lambda g: calls.append("x"))
    sg.autograd.grad(z.sum(), y)
    assert calls == ["y"]


def test_hook_with_create_graph_is_differentiated_through(x):
    y = x * 2
    y.register_hook(lambda g: g * x)
    (gradient,) = sg.autograd.grad((y**2).sum(), x, create_graph=True)
    (second,) = sg.autograd.grad(gradient.sum(), x)
    assert gradient.tolist() == [8.0, 32.0]
    # The second walk runs the hook too: its factor x weighs the half that came through y.
    assert second.tolist() == [16.0, 48.0]


def test_post_accumulate_hook_sees_the_filled_leaf(x):
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append((p is x, p.grad.tolist())))
    (x * 3).sum().backward()
    (x * 3).sum().backward()
    assert seen == [(True, [3.0, 3.0]), (True, [6.0, 6.0])]


def test_post_accumulate_hook_may_step_and_clear(x):
    def step(p):
        with sg.no_grad():
            p.sub_(p.grad)
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 0.5).sum().backward()
    assert x.tolist() == [0.5, 1.5]
    assert x.grad is None
    handle.remove()
    (x * 0.5).sum().backward()
    assert x.grad.tolist() == [0.5, 0.5]


def test_post_accumulate_hooks_run_after_hooks_and_in_order(x):
    order = []
    x.register_post_accumulate_grad_hook(lambda p: order.append("post 1"))
    x.register_hook(lambda g: order.append("pre"))
    x.register_post_accumulate_grad_hook(lambda p: order.append("post 2"))
    x.sum().backward()
    assert order == ["pre", "post 1", "post 2"]


def test_post_accumulate_hook_of_a_non_leaf_is_refused(x):
    with pytest.raises(RuntimeError, match="leaf"):
        (x * 2).register_post_accumulate_grad_hook(print)


def test_post_accumulate_hook_does_not_run_for_autograd_grad(x):
    calls = []
    x.register_post_accumulate_grad_hook(calls.append)
    sg.autograd.grad(x.sum(), x)
    assert calls == []


def test_node_hook_sees_gradients_of_inputs_and_of_outputs(x):
    y = x * sg.tensor([5.0, 6.0])
    seen = []

    def hook(grad_inputs, grad_outputs):
        seen.append(([None if g is None else g.tolist() for g in grad_inputs], [g.tolist() for g in grad_outputs]))

    y.grad_fn.register_hook(hook)
    (y * 2).sum().backward()
    assert seen == [([[10.0, 12.0], None], [[2.0, 2.0]])]


def test_node_hook_may_replace_the_gradients_of_inputs(x):
    y = sg.sin(x)
    y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (grad_inputs[0] * 0 + 5,))
    y.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_node_prehook_may_replace_the_gradients_of_outputs(x):
    y = x * 3
    seen = []

    def prehook(grad_outputs):
        seen.append([g.tolist() for g in grad_outputs])
        return (grad_outputs[0] * 100,)

    y.grad_fn.register_prehook(prehook)
    y.sum().backward()
    assert seen == [[[1.0, 1.0]]]
    assert x.grad.tolist() == [300.0, 300.0]


def test_node_hooks_can_be_removed(x):
    y = x * 3
    calls = []
    one = y.grad_fn.register_hook(lambda gi, go: calls.append("hook"))
    two = y.grad_fn.register_prehook(lambda go: calls.append("prehook"))
    one.remove()
    two.remove()
    y.sum().backward()
    assert calls == []
    assert x.grad.tolist() == [3.0, 3.0]


def test_order_of_the_hooks_of_one_tensor_and_its_node(x):
    y = x * 3
    order = []
    y.grad_fn.register_hook(lambda gi, go: order.append("node hook"))
    y.grad_fn.register_prehook(lambda go: order.append("node prehook"))
    y.register_hook(lambda g: order.append("tensor hook"))
    y.sum().backward()
    assert order == ["tensor hook", "node prehook", "node hook"]


def test_hook_on_one_of_several_outputs_sees_only_its_gradient():
    x = sg.ones(2, 2, requires_grad=True)
    first, second = x.unbind()
    seen = []
    second.register_hook(lambda g: seen.append(g.tolist()))
    (first * 2 + second * 3).sum().backward()
    assert seen == [[3.0, 3.0]]


def test_hook_before_an_in_place_operation_sees_the_gradient_before_it(x):
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(("before", g.tolist())))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("after", g.tolist())))
    y.sum().backward()
    assert seen == [("after", [1.0, 1.0]), ("before", [3.0, 3.0])]


def test_replacements_along_a_path_multiply(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = y * 3
    z.register_hook(lambda g: g * 2)
    z.sum().backward()
    assert x.grad.tolist() == [120.0, 120.0]


def test_multi_grad_hook_runs_once_all_are_there(x):
    y = sg.ones(2, requires_grad=True)
    seen = []
    handle = sg.autograd.graph.register_multi_grad_hook(
        (x, y), lambda grads: seen.append([None if g is None else g.tolist() for g in grads])
    )
    (x * y * 2).sum().backward()
    assert seen == [[[2.0, 2.0], [2.0, 4.0]]]
    handle.remove()
    (x * y).sum().backward()
    assert len(seen) == 1


def test_module_hooks_see_calls_and_gradients():
    linear = sg.nn.Linear(2, 1)
    order = []
    linear.register_forward_pre_hook(lambda module, args: order.append("pre"))
    linear.register_forward_hook(lambda module, args, output: order.append("forward"))
    linear.register_full_backward_hook(lambda module, gi, go: order.append(("backward", go[0].tolist())))
    linear(sg.ones(1, 2, requires_grad=True)).sum().backward()
    assert order == ["pre", "forward", ("backward", [[1.0]])]


def test_hooks_of_nodes_that_only_move_entries_in_a_graph_with_a_choice():
    """Zeros of branches not taken are kept by operations that have a slope, and by no others."""
    moves = [lambda x: x[::2], lambda x: x.t(), lambda x: x.flip(0), lambda x: sg.cat([x, x]), lambda x: x.mean(-1)]
    for move in moves:
        grads = []
        for hooked in (False, True):
            x = sg.tensor([[1.0, -2.0], [0.0, 3.0], [5.0, -1.0]], requires_grad=True)
            v, w = move(x), sg.where(x > 0, x, x * x)
            if hooked:
                v.grad_fn.register_hook(lambda inputs, outputs: None)
            (v.sum() + w.sum()).backward()
            grads.append(x.grad.tolist())
        assert grads[0] == grads[1]


def test_under_is_grads_batched_hooks_run_once_per_example_on_its_gradient():
    x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y, seen = x**2, []
    y.register_hook(lambda g: seen.append(("tensor", g.tolist())) or g * g.sum().item())
    y.grad_fn.register_prehook(lambda go: seen.append(("before", go[0].shape)))
    y.grad_fn.register_hook(lambda gi, go: seen.append(("after", gi[0].shape)))
    x.register_hook(lambda g: seen.append(("leaf", g.tolist())))
    (found,) = sg.autograd.grad(y, x, 2 * sg.eye(3), is_grads_batched=True)
    assert found.tolist() == [[8.0, 0.0, 0.0], [0.0, 16.0, 0.0], [0.0, 0.0, 24.0]]
    expected = []
    for seed, g in zip(2 * sg.eye(3), found, strict=True):
        expected += [("tensor", seed.tolist()), ("before", (3,)), ("after", (3,)), ("leaf", g.tolist())]
    assert seen == expected


def _writes(g):
    g *= 3


HOOKS_OF_ARRAYS = {"returned": lambda g: 3 * g, "from NumPy": lambda g: np.multiply(3, g), "written": _writes}
OF_NUMBERS = ["returned", "from NumPy"]


@pytest.mark.parametrize(("part", "hook"), [(0, h) for h in OF_NUMBERS] + [(slice(None), h) for h in HOOKS_OF_ARRAYS])
def test_a_hook_of_an_array_gets_an_array_and_may_write_to_it(part, hook):
    def f(x):
        y = x[part] ** 2
        y.register_hook(HOOKS_OF_ARRAYS[hook])
        return (y * x).sum()

    x = np.array([1.0, 2.0])
    through = np.array([2 * x[0] * x.sum(), 0.0]) if part == 0 else 2 * x * x
    assert np.allclose(sg.grad(f)(x), x[part] ** 2 + 3 * through)


@pytest.mark.parametrize("outputs", ["g", "fgh"])
def test_a_function_with_hooks_has_neither_a_program_nor_a_formula_of_its_derivative(outputs):
    def f(x):
        y = x**2
        y.register_hook(lambda g: np.clip(g, -1, 1))  # nothing, at a first small point
        return (y * y).sum()

    with pytest.raises(sg.GradientError, match="no program(.|\n)*There are hooks on PowBackward0"):
        sg.compile(f, outputs)(np.array([0.1, 0.2]))
    for formula in (sg.grad(f).formula, sg.hessian(f)):
        with pytest.raises(sg.GradientError, match="no formula(.|\n)*There are hooks on PowBackward0"):
            formula(sg.symbol("x", "n"))
    x = np.array([1.0, 2.0])
    assert sg.compile(f, "f")(x) == 17.0
    assert sg.grad(f)(x).tolist() == [2.0, 4.0]


@pytest.mark.parametrize("old", [None, 5.0])
@pytest.mark.parametrize("graph", [False, True], ids=["numbers", "graph"])
def test_what_a_post_accumulate_hook_wrote_before_it_raised_is_undone(old, graph, x):
    def hook(leaf):
        with sg.no_grad():
            leaf.grad.mul_(2)
        raise ZeroDivisionError

    x.grad = None if old is None else sg.full((2,), old)
    x.register_post_accumulate_grad_hook(hook)
    with pytest.raises(ZeroDivisionError):
        (x * 3).sum().backward(create_graph=graph)
    assert x.grad is None if old is None else x.grad.tolist() == [old, old]


def test_what_a_backward_inside_a_hook_added_stays_when_the_hook_raises(x):
    def hook(leaf):
        handle.remove()
        with sg.enable_grad():
            (leaf * 10).sum().backward()
        raise ZeroDivisionError

    handle = x.register_post_accumulate_grad_hook(hook)
    with pytest.raises(ZeroDivisionError):
        (x * 3).sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]
