"""What transforms promise beside their values: arrays give arrays, results carry no needless history, nothing stays
behind; and what may be done with the graph itself."""

import weakref

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.autograd import functional
from symgrad.autograd.graph import GradientEdge, get_gradient_edge, increment_version, register_multi_grad_hook
from symgrad.core import content
from symgrad.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from symgrad.utils.checkpoint import CheckpointError, checkpoint


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0])


def cubes(t):
    return (t**3).sum()


# arrays in, arrays out


def test_arrays_give_arrays():
    a = np.array([1.0, 2.0])
    assert type(grad(lambda t: np.sum(t**3))(a)) is np.ndarray
    assert grad(lambda t: np.sum(np.sin(t) * t))(a).shape == (2,)
    assert type(hessian(cubes)(a)) is np.ndarray
    value, tangent = jvp(lambda t: t * t, (a,), (a,))
    assert (type(value), tangent.tolist()) == (np.ndarray, [2.0, 8.0])
    assert vmap(np.sum)(np.ones((3, 2))).tolist() == [2.0, 2.0, 2.0]


def test_numbers_give_numbers():
    assert grad(np.sin)(0.0) == 1.0
    assert isinstance(grad(grad(lambda t: t**3))(2), float)


def test_arrays_that_are_not_differentiated_pass_through(x):
    seen = []

    def f(t, data):
        seen.append(type(data))
        return (t * data).sum()

    assert grad(f)(x, np.array([3.0, 4.0])).tolist() == [3.0, 4.0]
    assert seen == [np.ndarray]


def test_whole_numbers_cannot_be_differentiated_at():
    with pytest.raises(RuntimeError, match="floating point"):
        grad(cubes)(np.array([1, 2]))


# history


def test_a_captured_leaf_makes_results_differentiable_only_where_they_depend_on_it(x):
    w = sg.ones(2, requires_grad=True)
    assert grad(lambda t: (w * t).sum())(x).requires_grad
    assert not grad(lambda t: (t * t + w).sum())(x).requires_grad
    assert not grad(lambda t: (t * t).sum() * w.detach().sum())(x).requires_grad


def test_inner_transform_closes_over_the_outer_variable(x):
    f = lambda a: (a * grad(lambda b: (a**2 * b**3).sum())(x)).sum()
    assert_allclose(grad(f)(x).tolist(), [9.0, 12.0 * 12.0])
    assert not grad(f)(x).requires_grad


def test_formula_of_a_transform_names_the_input():
    t = sg.tensor(2.0, requires_grad=True, name="t")
    assert str(grad(grad(lambda t: t**4))(t).formula()) == "12t²"


def test_pull_function_may_be_called_again_and_be_differentiated(x):
    c = sg.ones(2, requires_grad=True)
    _, pull = vjp(lambda t: t**2, x)
    (g,) = pull(c)
    (second,) = pull(c * 2)
    assert second.tolist() == [4.0, 8.0]
    assert sg.autograd.grad(g.sum(), c)[0].tolist() == [2.0, 4.0]


def test_pushed_tangents_are_differentiable_in_the_tangent(x):
    t = sg.ones(2, requires_grad=True)
    _, push = linearize(lambda a: a**2, x)
    assert sg.autograd.grad(push(t).sum(), t)[0].tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    "transform",
    [
        lambda f, t: grad(f)(t),
        lambda f, t: hessian(f)(t),
        lambda f, t: jacfwd(jacrev(f))(t),
        lambda f, t: vjp(f, t),
        lambda f, t: jvp(grad(f), (t,), (t,)),
        lambda f, t: vmap(grad(f))(t.reshape(1, 2)),
        lambda f, t: functional.hessian(f, t),
        lambda f, t: functional.hvp(f, t, t),
        lambda f, t: checkpoint(f, t.requires_grad_(), use_reentrant=False).backward(),
        lambda f, t: checkpoint(f, t.requires_grad_(), use_reentrant=True).backward(),
    ],
    ids=["grad", "hessian", "jacfwd", "vjp", "jvp", "vmap", "functional hessian", "hvp", "checkpoint", "reentrant"],
)
def test_graph_dies_without_the_garbage_collector(transform, x, no_collector):
    arrays = []

    def f(t):
        y = t.exp()
        arrays.append(weakref.ref(content(y)._data))
        return (y * y.sin()).sum()

    transform(f, x)
    assert [r() for r in arrays] == [None] * len(arrays)


def test_an_error_inside_leaves_the_mode_as_it_was(x):
    def fail(t):
        raise ValueError("inside")

    with sg.no_grad():
        with pytest.raises(ValueError, match="inside"):
            grad(fail)(x)
        assert not sg.is_grad_enabled()


def test_functional_call_restores_the_module_after_an_error():
    linear = sg.nn.Linear(2, 1)
    own = linear.weight
    with pytest.raises(RuntimeError):
        functional_call(linear, {"weight": sg.ones(1, 2)}, (sg.ones(3),))
    assert linear.weight is own


# what a function writes to and that outlives it


TRANSFORMS = {
    "grad": lambda f, t: grad(f)(t),
    "grad of an array": lambda f, t: sg.grad(f)(t.numpy()),
    "value and grad": lambda f, t: sg.value_and_grad(f)(t),
    "vjp": lambda f, t: vjp(f, t),
    "jvp": lambda f, t: jvp(f, (t,), (t,)),
    "hessian": lambda f, t: hessian(f)(t),
    "jacrev": lambda f, t: jacrev(f)(t),
    "jacfwd": lambda f, t: jacfwd(f)(t),
    "linearize": lambda f, t: linearize(f, t),
    "vmap": lambda f, t: vmap(f)(t.reshape(1, 2)),
    "vmap of grad": lambda f, t: vmap(grad(f))(t.reshape(1, 2)),
    "grad of grad": lambda f, t: grad(lambda t: grad(f)(t).sum())(t),
}
WRITES = {
    "in place": lambda c, t: c.add_(t),
    "index": lambda c, t: c.__setitem__(slice(None), t * 1),
    "view": lambda c, t: c[:1].copy_(t[:1]),
    "copy": lambda c, t: c.copy_(t),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("result", [cubes, lambda t: sg.ones(())], ids=["depends", "does not"])
def test_what_a_function_catches_and_writes_to_keeps_a_value_only(transform, write, result, x):
    caught, view = [sg.zeros(2)], None
    view = caught[0][:1]

    def f(t):
        write(caught[0], t)
        return result(t)

    transform(f, x)
    (c,) = caught
    assert type(c) is sg.Tensor and not c.requires_grad and c.grad_fn is None
    assert not view.requires_grad
    assert c[0].item() >= 1.0
    c.requires_grad_()
    assert sg.autograd.grad((c * c).sum(), c)[0].tolist() == (2 * c.detach()).tolist()


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_no_graph_stays_in_what_a_function_catches(transform, x, no_collector):
    arrays, c = [], sg.zeros(2)

    def f(t):
        y = t.exp()
        arrays.append(weakref.ref(content(y)._data))
        c.add_(y)
        return (y * y.sin()).sum()

    transform(f, x)
    assert [r() for r in arrays] == [None] * len(arrays)


def test_what_a_function_catches_writes_to_and_returns_has_its_derivative(x):
    c = sg.zeros(2)

    def f(t):
        c.copy_(t)
        c.mul_(t)
        return c, c[:1]

    first, second = jacrev(f)(x)
    assert first.tolist() == [[2.0, 0.0], [0.0, 4.0]] and second.tolist() == [[2.0, 0.0]]
    assert c.tolist() == [1.0, 4.0] and not c.requires_grad
    _, pull = vjp(f, x)
    assert pull((sg.ones(2), sg.zeros(1)))[0].tolist() == [2.0, 4.0]


def test_what_somebody_outside_can_differentiate_keeps_its_history(x):
    w, c = sg.tensor([3.0, 5.0], requires_grad=True), sg.zeros(2)

    def f(t):
        c.add_(w * t)
        return cubes(t)

    grad(f)(x)
    assert sg.autograd.grad(c.sum(), w)[0].tolist() == x.tolist()


def test_an_inner_function_writes_to_what_the_outer_one_made(x):
    def outer(t):
        made = sg.zeros(2)

        def inner(u):
            made.add_(u * t)
            return cubes(u)

        grad(inner)(t)
        return (made * t).sum()

    assert grad(outer)(x).tolist() == (3 * x**2).tolist()


def test_an_error_in_a_function_leaves_a_value_too(x):
    c = sg.zeros(2)

    def fail(t):
        c.add_(t)
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        grad(fail)(x)
    assert c.tolist() == [1.0, 2.0] and not c.requires_grad


# checkpoints


def test_checkpoint_keeps_nothing_between_forward_and_backward():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    alive = []

    def f(t):
        y = t.exp()
        z = y.sin()
        alive.extend(weakref.ref(content(v)._data) for v in (y, z))
        return (z * y).sum()

    out = checkpoint(f, x, use_reentrant=False)
    assert [r() for r in alive] == [None, None]
    out.backward()
    assert len(alive) == 4
    assert [r() for r in alive] == [None] * 4


def test_nested_checkpoints_run_once_more_each():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    calls = []

    def inner(t):
        calls.append("inner")
        return t.sin().exp()

    def outer(t):
        calls.append("outer")
        return checkpoint(inner, t.cos(), use_reentrant=False).tanh()

    checkpoint(outer, x, use_reentrant=False).sum().backward()
    assert calls.count("outer") == 2
    assert calls.count("inner") <= 3
    expected = sg.autograd.grad(x.cos().sin().exp().tanh().sum(), x)[0]
    assert_allclose(x.grad.tolist(), expected.tolist())


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (lambda t: t * 1.0, "A different number of tensors was saved"),
        (lambda t: t[:1].sin().exp().sin(), "different metadata"),
    ],
)
def test_a_function_that_changes_is_found(second, words):
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    calls = []

    def f(t):
        calls.append(1)
        return t.sin().exp().sin().sum() if len(calls) == 1 else second(t).sum()

    y = checkpoint(f, x, use_reentrant=False)
    with pytest.raises(CheckpointError, match=words):
        y.backward()


def test_an_overwritten_value_is_found_in_the_second_run():
    def f(t):
        y = t * 1
        y.mul_(t)
        y.add_(y * t)
        return (y * y).sum()

    y = checkpoint(f, sg.tensor([1.0, 2.0], requires_grad=True), use_reentrant=False)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_second_derivative_with_reentry_is_refused():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    checkpoint(cubes, x, use_reentrant=True).backward(create_graph=True)
    assert x.grad.tolist() == [3.0, 12.0]
    with pytest.raises(RuntimeError, match="differentiate twice"):
        x.grad.sum().backward()


# the graph itself


def test_multi_grad_hook_waits_only_for_what_this_backward_computes():
    a, b = sg.ones(2, requires_grad=True), sg.ones(2, requires_grad=True)
    c, d = a * b, a * b
    seen = []
    register_multi_grad_hook((a, b, c, d), lambda grads: seen.append([g is not None for g in grads]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c + d).sum().backward()
    assert seen == [[True, True, True, False], [True, False, True, False], [True, True, True, True]]


def test_multi_grad_hook_in_any_mode_runs_once_per_backward():
    a, b = sg.ones(2, requires_grad=True), sg.ones(2, requires_grad=True)
    seen = []
    with register_multi_grad_hook((a, b), lambda g: seen.append(g.tolist()), mode="any"):
        (a * b).sum().backward()
        (a * b * 2).sum().backward()
    (a * b).sum().backward()
    assert seen == [[1.0, 1.0], [2.0, 2.0]]


def test_multi_grad_hook_keeps_no_graph_alive(no_collector):
    a = sg.ones(2, requires_grad=True)
    b = a * 2
    node = weakref.ref(b.grad_fn)
    register_multi_grad_hook((a, b), print)
    del b
    assert node() is None


def test_gradient_edge_names_node_and_output():
    a = sg.ones(2, requires_grad=True)
    b = a * 3
    assert get_gradient_edge(b)[:2] == (b.grad_fn, 0)
    assert get_gradient_edge(a).node is b.grad_fn.next_functions[0][0]
    with pytest.raises(RuntimeError, match="does not require gradients"):
        get_gradient_edge(sg.ones(2))


@pytest.mark.parametrize("several", [False, True])
def test_an_edge_made_by_hand_is_as_good(several):
    x = sg.ones(4, requires_grad=True)
    y, nr = ((x * 2).chunk(2)[1], 1) if several else ((x * 2)[2:], 0)
    z = (y**3).sum()
    edge, leaf = GradientEdge(y.grad_fn, nr), GradientEdge(get_gradient_edge(x).node, 0)
    assert [g.tolist() for g in sg.autograd.grad(z, (edge, leaf), retain_graph=True)] == [[12.0, 12.0], [0, 0, 24, 24]]
    assert sg.autograd.grad(GradientEdge(z.grad_fn, 0), x, retain_graph=True)[0].tolist() == [0, 0, 24, 24]
    (g,) = sg.autograd.grad(edge, x, grad_outputs=sg.ones(2), retain_graph=True)
    assert g.tolist() == [0, 0, 2, 2]
    z.backward(inputs=[edge, leaf])
    assert x.grad.tolist() == [0, 0, 24, 24]


def test_an_edge_made_by_hand_of_an_unused_node_is_unused():
    x = sg.ones(2, requires_grad=True)
    edge, z = GradientEdge((x * 2).grad_fn, 0), (x * 3).sum()
    assert sg.autograd.grad(z, edge, allow_unused=True, retain_graph=True) == (None,)
    assert sg.autograd.grad(z, edge, materialize_grads=True, retain_graph=True)[0].tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="not have been used"):
        sg.autograd.grad(z, edge)


def test_an_edge_needs_a_node_that_has_such_an_output():
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match="expects a node"):
        GradientEdge(x * 2, 0)
    for nr in (1, -1):
        with pytest.raises(RuntimeError, match="has 1 output"):
            GradientEdge((x * 2).grad_fn, nr)


def test_materialized_zeros_are_differentiated_again():
    x, w = sg.ones(2, requires_grad=True), sg.ones(2, requires_grad=True)
    (zeros,) = sg.autograd.grad((w * w).sum(), x, create_graph=True, materialize_grads=True)
    assert sg.autograd.grad(zeros.sum(), x, materialize_grads=True)[0].tolist() == [0.0, 0.0]
    assert sg.autograd.grad(zeros.sum(), x, allow_unused=True) == (None,)
    assert not sg.autograd.grad((w * w).sum(), x, materialize_grads=True)[0].requires_grad


def test_increment_version_tells_a_backward_of_a_write():
    a = sg.ones(2, requires_grad=True)
    k = sg.ones(2)
    y = (a * k).sum()
    k.numpy()[0] = 5.0
    increment_version(k)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()
