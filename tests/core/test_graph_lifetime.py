"""Graphs are as deep as you like, hold what rules ask for, and die with their last tensor, without a collector."""

import gc
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE, edge, reachable, saved_values
from symgrad.sweep.directions import Push, many_tangents

from ..helpers.cases import one_in

# Depth ----------------------------------------------------------------------------------------------------------------


def chain(x, length, step):
    y = x
    for _ in range(length):
        y = step(y)
    return y


def test_a_chain_of_100_000_operations_is_recorded_walked_and_freed():
    x = sg.tensor(0.5, requires_grad=True)
    y = chain(x, 100_000, lambda y: y * 0.99999)
    y.backward()
    assert x.grad.item() == pytest.approx(0.99999**100_000)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_a_chain_that_was_never_walked_is_freed():
    y = chain(sg.tensor(0.5, requires_grad=True), 100_000, sg.sin)
    first = weakref.ref(reachable([edge(y)])[0][-1])
    del y
    assert first() is None


def test_the_gradients_graph_of_20_000_operations_is_walked_and_freed():
    x = sg.tensor(0.5, requires_grad=True)
    y = chain(x, 20_000, lambda y: y * 0.9999)
    (g,) = sg.autograd.grad(y * y, x, create_graph=True)
    (h,) = sg.autograd.grad(g, x)
    assert h.item() == pytest.approx(2 * 0.9999**40_000)
    node = weakref.ref(g.grad_fn)
    del g, y
    assert node() is None


def test_a_deep_chain_of_writes_to_a_view_is_freed():
    x = sg.ones(3, requires_grad=True)
    y = x * 1
    for _ in range(5_000):
        y[0].mul_(0.999)
    y.sum().backward()
    assert x.grad[0].item() == pytest.approx(0.999**5_000)
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


# Work -----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pulls(monkeypatch):
    """Counts how often a row's nodes are asked for their gradients."""
    counts = {}

    def count(name):
        node = TABLE[name].node
        x = sg.tensor(1.0, requires_grad=True)
        TABLE[name].apply(*[x] * len(TABLE[name].inputs)).backward()  # writes the row's pull
        pull, counts[name] = node.pull, 0

        def counted(n, g, grads):
            counts[name] += 1
            pull(n, g, grads)

        monkeypatch.setattr(node, "pull", counted)
        return counts

    return count


def test_every_node_is_visited_once(pulls):
    counts = pulls("neg")
    chain(sg.tensor(1.0, requires_grad=True), 1_000, lambda y: -y).backward()
    assert counts["neg"] == 1_000


def test_shared_nodes_are_visited_once(pulls):
    counts = pulls("add")
    x = sg.tensor(1.0, requires_grad=True)
    chain(x, 60, lambda y: y + y).backward()  # 2**60 paths
    assert counts["add"] == 60
    assert x.grad.item() == 2.0**60


def _calls_of_backward(length):
    """How many functions, Python's own and C's, one backward through a chain calls: a clock that does not flake."""
    x = sg.tensor(1.0, requires_grad=True)
    y = chain(x, length, lambda y: y + 1.0)
    calls = 0

    def count(frame, event, arg):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        y.backward()
    finally:
        sys.setprofile(None)
    assert x.grad.item() == 1.0
    return calls


def test_the_work_of_backward_is_linear_in_the_nodes():
    small, large = _calls_of_backward(1_000), _calls_of_backward(100_000)
    assert large < 101 * small


# Death ----------------------------------------------------------------------------------------------------------------


class Square(sg.autograd.Function):
    """Saves its input and its output, which PyTorch's users get wrong most."""

    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * 2 * x + 0 * y


class Halves(sg.autograd.Function):
    """Two outputs, both saved."""

    @staticmethod
    def forward(ctx, x):
        a, b = x / 2, x / 3
        ctx.save_for_backward(a, b)
        ctx.note = "an attribute"
        return a, b

    @staticmethod
    def backward(ctx, g, h):
        return g / 2 + h / 3


def polynomial(x):
    return (x * x + sg.sin(x)).sum()


def after_backward(x):
    y = polynomial(x)
    y.backward()
    return y


def after_backward_with_a_graph(x):
    y = polynomial(x)
    y.backward(create_graph=True)
    x.grad = None
    return y


def with_the_gradients_graph_kept_in_grad(x):
    y = polynomial(x)
    y.backward(create_graph=True)
    return y, x.grad


def with_second_derivatives(x):
    y = polynomial(x)
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x, create_graph=True)
    return y, g, h


def with_hooks(x):
    y = x * 2
    z = y.sin().sum()
    x.register_hook(lambda g: g + 1)
    y.register_hook(lambda g: g * 2)
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.grad_fn.register_prehook(lambda outputs: None)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    z.backward()
    return y, z


def with_retained_gradients(x):
    y = x * 2
    y.retain_grad()
    z = (y * y).sum()
    z.backward(create_graph=True)
    y.grad = None
    return y, z


def with_views_and_writes(x):
    y = x * 2
    row, whole = y[0], y.view(-1)
    row.mul_(3)
    whole.add_(1)
    y[1] = y[0] * 2
    z = (whole * y.T.reshape(-1)).sum()
    z.backward()
    return y, row, whole, z


def with_a_function(x):
    y = Square.apply(x)
    z = Square.apply(y).sum()
    z.backward(create_graph=True)
    x.grad = None
    return y, z


def with_a_function_of_two_outputs(x):
    a, b = Halves.apply(x)
    z = (a * b).sum()
    (g,) = sg.autograd.grad(z, x, create_graph=True)
    return a, b, z, g


def with_split_outputs(x):
    a, b = sg.split(x * 1, 1)
    c, d = sg.unbind(x * 2)
    z = (a + b * c + d).sum()
    z.backward(retain_graph=True)
    return a, b, c, d, z


def with_several_outputs(x):
    values, _ = sg.max(x, 1)
    low, _ = sg.sort(x * 2, 0)
    z = values.sum() + low.sum() + sg.linalg.eigh(x.T @ x)[0].sum()
    z.backward(retain_graph=True)
    return values, low, z


def with_next_functions_read(x):
    y = polynomial(x)
    stack = [y.grad_fn]
    while stack:
        stack += [f for f, _ in stack.pop().next_functions if f is not None]
    return y


def with_the_formula_asked_for(x):
    y = polynomial(x)
    str(y.formula())
    return y


def with_saved_tensor_hooks(x):
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy().copy(), sg.tensor):
        y = polynomial(x)
    y.backward()
    return y


def with_anomaly_mode(x):
    with sg.autograd.detect_anomaly(check_nan=True):
        y = polynomial(x)
        y.backward()
    return y


def with_an_error_in_backward(x):
    y = polynomial(x)
    y.backward()
    with pytest.raises(sg.GraphFreedError):
        y.backward()
    return y


def with_a_join(x):
    y = sg.cat([x, x * 2, sg.stack([x[0], x[1]])]).sum() + sg.einsum("ij,kj->ik", x, x).sum()
    y.backward(retain_graph=True)
    return y


BUILDERS = [
    polynomial,
    after_backward,
    after_backward_with_a_graph,
    with_the_gradients_graph_kept_in_grad,
    with_second_derivatives,
    with_hooks,
    with_retained_gradients,
    with_views_and_writes,
    with_a_function,
    with_a_function_of_two_outputs,
    with_split_outputs,
    with_several_outputs,
    with_next_functions_read,
    with_the_formula_asked_for,
    with_saved_tensor_hooks,
    with_anomaly_mode,
    with_an_error_in_backward,
    with_a_join,
]


def watch(tensors, but=()):
    """Weak references to tensors, their nodes and their arrays."""
    nodes, leaves, *_ = reachable([e for e in map(edge, tensors) if e is not None])
    saved = [v for n in nodes for v in saved_values(n) if isinstance(v, np.ndarray)]
    found = [*tensors, *nodes, *(t._data for t in tensors), *saved, *leaves]
    kept = {id(o) for o in but}
    return [weakref.ref(o) for o in found if id(o) not in kept]


def alive(references):
    return [r() for r in references if r() is not None]


@pytest.mark.parametrize("build", BUILDERS, ids=lambda f: f.__name__)
def test_a_graph_dies_with_its_last_tensor(build, no_collector):
    x = sg.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    made = build(x)
    made = list(made) if isinstance(made, tuple) else [made]
    references = watch(made)
    assert references
    del made, x
    assert not alive(references)


@pytest.mark.parametrize(
    "build", [b for b in BUILDERS if b is not with_the_gradients_graph_kept_in_grad], ids=lambda f: f.__name__
)
def test_a_leaf_outlives_its_graphs_and_does_not_keep_them(build, no_collector):
    x = sg.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    made = build(x)
    made = list(made) if isinstance(made, tuple) else [made]
    references = watch(made, but=[x, x._data, x.grad_fn, edge(x)])
    x.grad = None
    del made
    assert not alive(references)


def test_a_leaf_does_not_keep_the_nodes_that_used_it(no_collector):
    x = sg.ones(2, requires_grad=True)
    for _ in range(100):
        (x * x).sum().backward()
    # what a training loop leaves behind: the leaf, its gradient, and nothing else
    before = len(gc.get_objects())
    for _ in range(100):
        (x * x).sum().backward()
    assert len(gc.get_objects()) - before < 20


def test_transforms_leave_nothing_behind(no_collector):
    seen = []

    def f(x):
        y = (x * x).sin().sum()
        seen.extend([weakref.ref(x), weakref.ref(y)])
        return y

    x = sg.tensor([1.0, 2.0])
    for transform in (sg.func.grad, sg.func.hessian, sg.func.jacrev, sg.func.jacfwd):
        transform(f)(x)
        assert not alive(seen), transform
        seen.clear()


def test_the_graph_below_a_tensor_lives_as_long_as_the_tensor(no_collector):
    x = sg.tensor(0.5, requires_grad=True)
    y = x.sin()
    z = y * 2
    middle = weakref.ref(y.grad_fn)
    del y
    assert middle() is not None
    z.backward()
    assert x.grad.item() == pytest.approx(2 * np.cos(0.5))


def test_saved_arrays_are_let_go_as_backward_goes(no_collector):
    x = sg.ones(3, requires_grad=True)
    y = x.exp()
    z = y.sum()
    saved = weakref.ref(y._data)
    del y
    assert saved() is not None
    z.backward()
    assert saved() is None


@pytest.mark.parametrize(
    "metric",
    [
        lambda z: (z.argmax(1) == sg.tensor([0, 1, 2])).double().mean(),
        lambda z: ((z > 1) == sg.ones(3, 4).bool()).double().mean(),
        lambda z: (z > 1).sum(),
    ],
)
def test_a_metric_that_outlives_its_graph_does_not_keep_it(metric):
    x = sg.randn(3, 4, requires_grad=True)
    z = (x * 2).exp()
    node = weakref.ref(z.grad_fn)
    kept = metric(z)
    del z
    assert node() is None
    assert kept.item() >= 0.0


def test_a_graph_does_not_keep_large_constants_that_no_rule_asked_for():
    x = sg.ones(20_000, requires_grad=True)
    batch = sg.rand(20_000, name="batch")
    y = x + batch
    assert str(y.formula()) == "batch + x0"
    gone = weakref.ref(batch)
    del batch
    assert gone() is None
    with pytest.raises(sg.FormulaError, match="large constant"):
        y.formula()
    y.sum().backward()
    assert x.grad[0].item() == 1.0


# What a graph holds ---------------------------------------------------------------------------------------------------


SIZE = 10**5


def held_bytes(build):
    """How many bytes a graph holds beyond its leaf and its result, and the result itself."""
    x = sg.tensor(np.full(SIZE, 0.5), requires_grad=True)
    build(x).sum().backward()  # whatever is made once
    gc.collect()
    tracemalloc.start()
    try:
        y = build(x)
        return tracemalloc.get_traced_memory()[0] / (8 * SIZE) - 1, y, x
    finally:
        tracemalloc.stop()


CHAINS = {
    "add a number": (lambda y: y + 1.0, 0),
    "times a number": (lambda y: y * 0.5, 0),
    "negative": (lambda y: -y, 0),
    "tanh saves its result": (sg.tanh, 99),  # the last one is the chain's result, which is there anyway
    "sin saves its input": (sg.sin, 99),  # the first one is the leaf
    "exp and sin share one array": (lambda y: sg.sin(sg.exp(y)), 100),
    "sin of exp of a sum": (lambda y: sg.exp(y + 1.0), 99),
    "division by a number": (lambda y: y / 2.0, 0),
    "reshape": (lambda y: y.reshape(-1, 10).reshape(-1), 0),
}


@one_in(3)
@pytest.mark.parametrize("step, arrays", CHAINS.values(), ids=CHAINS)
def test_a_chain_of_100_holds_what_its_rules_ask_for(step, arrays):
    held, y, _ = held_bytes(lambda x: chain(x, 100, step))
    if step(sg.ones(10))._data.base is not None:
        held += 1  # a view: the result is the leaf's memory
    assert held == pytest.approx(arrays, abs=1.2)
    saved = [v for n in reachable([edge(y)])[0] for v in saved_values(n) if isinstance(v, np.ndarray)]
    owners = {id(v) for v in saved if v.size == SIZE}
    assert arrays <= len(owners) <= arrays + 1


def test_backward_needs_a_few_arrays_beyond_the_graph():
    _, y, x = held_bytes(lambda x: chain(x, 100, sg.tanh))
    loss = y.sum()
    del y
    tracemalloc.start()
    try:
        loss.backward()
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak / (8 * SIZE) < 8
    assert now / (8 * SIZE) < 1.5  # the gradient of the leaf
    assert x.grad.shape == (SIZE,)


def test_a_retained_graph_keeps_its_memory_and_a_freed_one_does_not():
    _, y, _ = held_bytes(lambda x: chain(x, 10, sg.tanh))
    nodes = reachable([edge(y)])[0]
    y.backward(sg.ones_like(y), retain_graph=True)
    assert all(saved_values(n) for n in nodes)
    y.backward(sg.ones_like(y))
    assert not any(saved_values(n) for n in nodes)


def test_tangents_are_let_go_after_their_last_use():
    """Of a long chain few are alive at a time, however long it is, and the results are those that are asked for."""
    x, count = sg.tensor(np.full(SIZE, 0.5), requires_grad=True), 60
    y = middle = x * 1.0
    for k in range(count):
        y = y.sin() * 1.01
        middle = y if k == count // 2 else middle
    push = Push([edge(middle), edge(y)], [edge(x)])
    tangents = [np.ones((2, SIZE))]
    expected = [push([t], False)[k][0] for t in (np.ones(SIZE),) for k in (0, 1)]
    tracemalloc.start()
    try:
        found = push(tangents, False, many_tangents)
        peak = tracemalloc.get_traced_memory()[1] / tangents[0].nbytes
    finally:
        tracemalloc.stop()
    assert peak < 10
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine[:, 0], [theirs, theirs], rtol=1e-12)
