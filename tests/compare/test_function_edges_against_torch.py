"""What a Function may return, save and mark, and edges of the graph, against PyTorch: values, flags, or errors."""

import contextlib

import pytest

from ._edges import check_edge
from .test_functions_against_torch import function, leaf

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]


def copied(ctx, x):
    return x * 1


def saves(ctx, x):
    ctx.save_for_backward(x)
    return x * 1


def pair(ctx, x):
    return x * 1, x * 2


def twice(L, y):
    y.backward(L.ones(2))
    y.backward(L.ones(2))


# ------------------------------------------------------------------------------------------- what backward returns

RETURNED = {
    "too many": lambda L, g: (g, g),
    "one None more": lambda L, g: (g, None, None),
    "None": lambda L, g: None,
    "another shape": lambda L, g: L.ones(3),
    "one that is broadcast": lambda L, g: L.ones(4, 2),
    "one that is too small": lambda L, g: L.ones(1),
    "one without dimensions": lambda L, g: L.tensor(1.0),
    "whole numbers": lambda L, g: L.tensor([1, 2]),
    "other precision": lambda L, g: g.float(),
}


@pytest.mark.parametrize("name", RETURNED)
def test_a_gradient_is_taken_or_refused(name):
    def run(L, F):
        x = leaf(L)
        function(L, copied, lambda ctx, g: RETURNED[name](L, g))(x).sum().backward()
        return x.grad, None if x.grad is None else str(x.grad.dtype).rpartition(".")[2]

    check_edge(run)


@pytest.mark.parametrize("options", [{}, {"allow_unused": True}, {"materialize_grads": True}])
def test_a_gradient_that_is_none_is_one_of_an_unused_input(options):
    def run(L, F):
        x = leaf(L)
        try:
            return L.autograd.grad(function(L, copied, lambda ctx, g: None)(x).sum(), x, **options)
        except RuntimeError as error:
            return "appears to not have been used in the graph" in str(error)

    check_edge(run)


@pytest.mark.parametrize("other", ["number", "constant", "whole numbers", "too few"])
def test_gradients_of_other_arguments(other):
    def run(L, F):
        x, given = leaf(L), {"number": 3.0, "constant": L.ones(2), "whole numbers": L.tensor([1, 2])}.get(other)
        backward = (lambda ctx, g: g) if other == "too few" else (lambda ctx, g: (g, g))
        function(L, lambda ctx, a, b: a * b, backward)(x, x if given is None else given).sum().backward()
        return x.grad

    check_edge(run)


# --------------------------------------------------------------------------------------------- what forward returns

RESULTS = {
    "one in a tuple": lambda L, x: (x * 1,),
    "list": lambda L, x: [x * 1, x * 2],
    "dictionary": lambda L, x: {"a": x * 1},
    "number": lambda L, x: 3.0,
    "nothing": lambda L, x: None,
    "no results": lambda L, x: (),
    "constant": lambda L, x: L.ones(2),
    "and None": lambda L, x: (x * 1, None),
    "and text": lambda L, x: (x * 1, "text"),
    "and whole numbers": lambda L, x: (x * 1, L.tensor([1, 2])),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_what_it_is_and_backward_gets_one_gradient_for_each(name):
    def run(L, F):
        x, seen = leaf(L), []

        def backward(ctx, *gs):
            seen.extend(g is None for g in gs)
            return gs[0]

        y = function(L, lambda ctx, x: RESULTS[name](L, x), backward)(x)
        first = y[0] if isinstance(y, tuple) and y else y
        flows = hasattr(first, "requires_grad") and first.requires_grad
        if flows:
            first.sum().backward()
        return type(y).__name__, flows, seen, x.grad

    check_edge(run)


def mark(*places):
    """Results of which those at some places are marked, one call for each."""

    def forward(ctx, x):
        outputs = pair(ctx, x)
        for k in places:
            ctx.mark_non_differentiable(outputs[k])
        return outputs

    return forward


@pytest.mark.parametrize("places", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("materialize", [True, False])
def test_marked_results_carry_no_gradient(places, materialize):
    def run(L, F):
        x, seen = leaf(L), []

        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return mark(*places)(ctx, x)

        def backward(ctx, g, h):
            seen.append((g, h))
            return g if h is None else h if g is None else g + h

        ys = function(L, forward, backward)(x)
        sum(y.sum() for y in ys if y.requires_grad).backward()
        return [(y.requires_grad, y.is_leaf) for y in ys], seen, x.grad

    check_edge(run)


# ----------------------------------------------------------------------------------------------- what ctx remembers

SAVED = {
    "no tensor": lambda ctx, x: ctx.save_for_backward(3),
    "with None": lambda ctx, x: ctx.save_for_backward(None, x),
    "nothing": lambda ctx, x: None,
    "the last call counts": lambda ctx, x: [ctx.save_for_backward(x), ctx.save_for_backward(x, x)],
    "an intermediate": lambda ctx, x: ctx.save_for_backward(x * 2),
}


@pytest.mark.parametrize("name", SAVED)
def test_what_is_saved_is_there(name):
    def run(L, F):
        x, seen = leaf(L), []

        def forward(ctx, x):
            SAVED[name](ctx, x)
            return x * 1

        def backward(ctx, g):
            seen.append([None if t is None else (t is x, t.requires_grad, t) for t in ctx.saved_tensors])
            return g

        y = function(L, forward, backward)(x)
        y.sum().backward()
        return seen

    check_edge(run)


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("then", ["written to", "walked twice"])
def test_what_was_saved_is_asked_for_when_it_is_read(reads, then):
    def run(L, F):
        x = leaf(L)
        a = x * 1
        y = function(L, saves, lambda ctx, g: g * ctx.saved_tensors[0] if reads else g)(x if "twice" in then else a)
        if then == "written to":
            a.mul_(2)
            y.sum().backward()
        else:
            twice(L, y)
        return x.grad

    check_edge(run)


def test_an_inference_tensor_is_not_saved():
    def run(L, F):
        with L.inference_mode():
            t = L.ones(2)

        def forward(ctx, a, b):
            ctx.save_for_backward(b)
            return a * b

        return function(L, forward, lambda ctx, g: (g, None))(leaf(L), t)

    check_edge(run)


def test_needs_input_grad_everywhere():
    def run(L, F):
        x, y, seen = leaf(L), leaf(L), []

        def forward(ctx, a, k, b):
            seen.append(ctx.needs_input_grad)
            return a * b

        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            return g, None, g

        op = function(L, forward, backward)
        L.autograd.grad(op(x, 2, y).sum(), y)
        op(x, 2, L.ones(2)).sum().backward()
        with L.no_grad():
            op(x, 2, y)
        op(L.ones(2), 2, L.ones(2))
        return seen

    check_edge(run)


# -------------------------------------------------------------------------------------------- hooks, edges, functions


def node_hooks(L, F):
    x, seen = leaf(L), []
    y = function(L, lambda ctx, a, k, b: a * b, lambda ctx, g: (g * 2, None, None))(x, 3, L.ones(2))
    y.grad_fn.register_hook(lambda gi, go: seen.append((gi, go)))
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.sum().backward()
    return seen, [n is None or n.variable is x for n, _ in y.grad_fn.next_functions], x.grad


def hooks_of_results(L, F):
    x = leaf(L)
    a, b = function(L, pair, lambda ctx, g, h: g + h)(x)
    a.register_hook(lambda g: g * 10)
    b.retain_grad()
    (a * b).sum().backward()
    return x.grad, b.grad


def gradients_at_results(L, F):
    x = leaf(L)
    a, b = function(L, pair, lambda ctx, g, h: g + h)(x)
    edge = L.autograd.graph.get_gradient_edge(b)
    return edge.output_nr, L.autograd.grad((a * b).sum(), [a, b, x, edge])


def edges(L, F):
    x = leaf(L)
    y = x**2
    edge, same = (L.autograd.graph.get_gradient_edge(y) for _ in range(2))
    found = [L.autograd.grad(edge, x, L.ones(2), retain_graph=True)]
    z = (y * 3).sum()
    del y
    found.append(L.autograd.grad(z, L.autograd.graph.GradientEdge(edge.node, 0), retain_graph=True))
    L.autograd.backward(edge, L.ones(2), retain_graph=True)
    z.backward(inputs=(L.autograd.graph.get_gradient_edge(x),))
    return edge.node is same.node, edge[:2] == same[:2], found, x.grad


def edge_of_a_constant(L, F):
    return L.autograd.graph.get_gradient_edge(L.ones(2))


def edge_of_several_elements(L, F):
    return L.autograd.grad(L.autograd.graph.get_gradient_edge(leaf(L) ** 2), leaf(L))


def once_in_the_graph(L, F):
    x, seen = leaf(L), []

    def backward(ctx, g):
        seen.append(L.is_grad_enabled())
        return g * 2, None

    for rule in (backward, L.autograd.function.once_differentiable(backward)):
        op = function(L, lambda ctx, x, k: x * k, rule)
        for graph in (True, False):
            op(x, 3).sum().backward(create_graph=graph)
    (g,) = L.autograd.grad(op(x, 3), x, L.ones(2, requires_grad=True), create_graph=True)
    return seen, g


def rules_and_modes_after_an_error(L, F):
    x = leaf(L)

    def fails(ctx, *args):
        raise KeyError("mine")

    for forward, backward in ((fails, copied), (copied, fails)):
        with contextlib.suppress(KeyError):
            function(L, forward, backward)(x).sum().backward()
    return x.grad, L.is_grad_enabled()


def rules_of_a_base_class(L, F):
    class Base(L.autograd.Function):
        forward = staticmethod(copied)
        backward = staticmethod(lambda ctx, g: g * 2)

    class Derived(Base):
        backward = staticmethod(lambda ctx, g: g * 7)

    x = leaf(L)
    y = Derived.apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn.name()


def attributes_of_ctx(L, F):
    x = leaf(L)

    def forward(ctx, x):
        ctx.k = x
        return x * 1

    y = function(L, forward, lambda ctx, g: g * ctx.k)(x)
    y.sum().backward(create_graph=True)
    return y.grad_fn.k is x, x.grad


def an_attribute_that_is_missing(L, F):
    function(L, copied, lambda ctx, g: g * ctx.k)(leaf(L)).sum().backward()


def one_gradient_for_two_inputs(L, F):
    x, w = leaf(L), leaf(L)
    function(L, lambda ctx, a, b: a + b, lambda ctx, g: (g, g))(x, w).sum().backward()
    x.grad.mul_(5)
    return x.grad, w.grad


def nothing_to_call(L, F):
    class Empty(L.autograd.Function):
        pass

    return Empty.apply(leaf(L))


def no_backward(L, F):
    class Half(L.autograd.Function):
        forward = staticmethod(copied)

    Half.apply(leaf(L)).sum().backward()


SCENES = [
    node_hooks, hooks_of_results, gradients_at_results, edges, edge_of_a_constant, edge_of_several_elements,
    once_in_the_graph, rules_and_modes_after_an_error, rules_of_a_base_class, attributes_of_ctx,
    an_attribute_that_is_missing, one_gradient_for_two_inputs, nothing_to_call, no_backward,
]  # fmt: skip


@pytest.mark.parametrize("run", SCENES, ids=lambda run: run.__name__)
def test_scene(run):
    check_edge(run)
