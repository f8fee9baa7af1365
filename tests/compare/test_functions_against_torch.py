"""The edges of `autograd.Function` against PyTorch: arguments, outputs, what is saved, views, writes, vmap."""

import contextlib
import warnings

import numpy as np
import pytest

from ..helpers.user_defined import exp_in_place, times_saved
from ._edges import check_edge

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def function(L, forward, backward, **more):
    class Own(L.autograd.Function):
        pass

    for name, fn in {"forward": forward, "backward": backward, **more}.items():
        setattr(Own, name, staticmethod(fn) if callable(fn) else fn)
    return Own.apply


def triple_of(L, shares):
    return function(L, lambda ctx, a: shares(a), lambda ctx, g: g * 3)


def leaf(L):
    return L.tensor([0.5, 1.0], requires_grad=True)


# ------------------------------------------------------------------------------------- views and writes in place


def write_to_result(shares):
    def run(L, F):
        x = leaf(L)
        a = x * 1
        triple_of(L, shares)(a).mul_(2)

    return run


def write_to_base(shares):
    def run(L, F):
        x = leaf(L)
        a = x * 1
        y = triple_of(L, shares)(a)
        a.mul_(2)
        (y.sum() + a.sum()).backward()

    return run


for name, shares in {
    "itself": lambda a: a, "view": lambda a: a.view(2), "part": lambda a: a[:1], "new view": lambda a: (a * 1).view(2),
}.items():  # fmt: skip
    CASES[f"write to result, {name}"] = write_to_result(shares)
    if name != "new view":
        CASES[f"write to base, {name}"] = write_to_base(shares)


@case
def input_returned_as_it_is(L, F):
    x = leaf(L)
    a = x * 1
    y = triple_of(L, lambda a: a)(a)
    y.sum().backward()
    with L.no_grad():
        z = triple_of(L, lambda a: a)(a)
    return y is a, y._base is a, z is a, z.requires_grad, x.grad


@case
def input_marked_non_differentiable(L, F):
    def forward(ctx, a, w):
        ctx.mark_non_differentiable(a)
        return a, w * 2

    x, w = leaf(L), leaf(L)
    y, z = function(L, forward, lambda ctx, g, h: (None, h * 2))(x, w)
    return y is x, y.requires_grad, x.requires_grad, z.requires_grad


@case
def in_place_and_saved(L, F):
    x = leaf(L)
    a = x * 2
    y = function(L, exp_in_place, times_saved)(a)
    (g,) = L.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = L.autograd.grad(g.sum(), x, create_graph=True)
    return y is a, y._version, g, h, L.autograd.grad(h.sum(), x)


@case
def in_place_on_a_view(L, F):
    x = leaf(L)
    a = x * 2
    y = function(L, exp_in_place, times_saved)(a[:1])
    (a * a).sum().backward()
    return x.grad, y, a


@case
def dirty_and_not_returned(L, F):
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2) * 2

    function(L, forward, lambda ctx, g: g)(leaf(L) * 1)


@case
def dirty_and_no_input(L, F):
    def forward(ctx, a):
        y = a * 2
        ctx.mark_dirty(y)
        return y

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        x = leaf(L)
        y = function(L, forward, lambda ctx, g: g * 2)(x)
    y.sum().backward()
    return [str(w.message)[:80] for w in found], x.grad


@case
def pack_hook_in_place(L, F):
    a = leaf(L) * 1
    with L.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
        return a * a


# --------------------------------------------------------------------------------------- arguments and outputs


def outputs(materialize):
    def run(L, F):
        got = []

        def forward(ctx, a):
            ctx.set_materialize_grads(materialize)
            floor = a.floor()
            ctx.mark_non_differentiable(floor)
            return 7, a * 2, "text", floor, a.long(), None, a * 3

        def backward(ctx, *grads):
            got.append(grads)
            return grads[1] * 2

        x = leaf(L)
        result = function(L, forward, backward)(x)
        result[1].sum().backward()
        return got, x.grad, [r.requires_grad for r in result if hasattr(r, "shape")]

    return run


CASES["outputs, zeros"], CASES["outputs, None"] = outputs(True), outputs(False)


def power(call):
    def run(L, F):
        seen = []

        def setup_context(ctx, inputs, output):
            seen.append((inputs[1:], ctx.needs_input_grad))
            ctx.save_for_backward(inputs[0])
            ctx.k = inputs[1]

        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return ctx.k * a ** (ctx.k - 1) * g, None

        x = leaf(L)
        call(function(L, lambda a, k=3: a**k, backward, setup_context=setup_context), x).sum().backward()
        return seen, x.grad

    return run


CASES["setup_context, default"] = power(lambda f, x: f(x))
CASES["setup_context, position"] = power(lambda f, x: f(x, 2))
CASES["setup_context, name"] = power(lambda f, x: f(x, k=2))


def scaled(call):
    def run(L, F):
        seen = []

        def forward(ctx, a, k=2):
            seen.append(ctx.needs_input_grad)
            return a * k

        x = leaf(L)
        call(function(L, forward, lambda ctx, g: (g * 2, None)[: len(ctx.needs_input_grad)]), x).sum().backward()
        return seen, x.grad

    return run


CASES["forward, default"], CASES["forward, name"] = scaled(lambda f, x: f(x)), scaled(lambda f, x: f(x, k=2))


@case
def gradient_for_no_tensor(L, F):
    function(L, lambda ctx, a, k: a * k, lambda ctx, g: (g, g))(leaf(L), 3).sum().backward()


@case
def two_gradients_for_one(L, F):
    function(L, lambda ctx, a: a * 2, lambda ctx, g: (g, g))(leaf(L)).sum().backward()


@case
def vjp_in_place_of_backward(L, F):
    class Own(L.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 3

        @staticmethod
        def vjp(ctx, g):
            return g * 3

    x = leaf(L)
    Own.apply(x).sum().backward()
    return x.grad


@case
def vjp_beside_backward(L, F):
    x = leaf(L)
    function(L, lambda ctx, a: a * 3, lambda ctx, g: g * 3, vjp=lambda ctx, g: g * 3)(x).sum().backward()


@case
def arrays_inside(L, F):
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return L.from_numpy(np.exp(a.numpy()))

    def backward(ctx, g):
        return L.from_numpy(g.numpy() * np.exp(ctx.saved_tensors[0].numpy()))

    x = leaf(L)
    function(L, forward, backward)(x * 1).sum().backward()
    with L.no_grad():
        return x.grad, x.numpy().tolist(), np.asarray(x).tolist()


@case
def arrays_inside_recorded(L, F):
    x = leaf(L)
    y = function(L, lambda ctx, a: a * 2, lambda ctx, g: L.from_numpy(g.numpy() * 2))(x)
    return L.autograd.grad((y * y).sum(), x, create_graph=True)


# ------------------------------------------------------------------------------------------------------- edges


@case
def edges_by_hand(L, F):
    edge = L.autograd.graph.GradientEdge
    x = L.ones(4, requires_grad=True)
    y, z = (x * 2).chunk(2)
    out = (y * z * z).sum()
    at = edge(y.grad_fn.next_functions[0][0], 0)
    inner = L.autograd.grad(out, [edge(y.grad_fn, 0), edge(z.grad_fn, 1), at], retain_graph=True)
    outer = L.autograd.grad(edge(out.grad_fn, 0), x, retain_graph=True)
    weighted = L.autograd.grad(at, x, grad_outputs=L.ones(4) * 3, retain_graph=True)
    L.autograd.backward(out, inputs=[edge(y.grad_fn, 0)])
    return inner, outer, weighted, x.grad


@case
def edge_that_is_unused(L, F):
    x = L.ones(2, requires_grad=True)
    edge = L.autograd.graph.GradientEdge((x * 2).grad_fn, 0)
    return L.autograd.grad(x.sum(), edge, allow_unused=True)


@case
def zeros_again(L, F):
    x, w = leaf(L), leaf(L)
    (zeros,) = L.autograd.grad((w * w).sum(), x, create_graph=True, materialize_grads=True)
    return zeros, L.autograd.grad(zeros.sum(), x, materialize_grads=True)


@case
def gradient_of_an_output_by_what_was_saved(L, F):
    x = L.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    values, vectors = L.linalg.eigh(x)
    (g,) = L.autograd.grad((values**2).sum(), x, create_graph=True)
    return [t.abs() for t in L.autograd.grad((g**2).sum(), (values, vectors))]


# ----------------------------------------------------------------------------------------------- func transforms


def weighted(L, own):
    calls = []

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
        ctx.save_for_forward(*inputs[:2])
        ctx.k = inputs[2]

    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return (g * y).sum() * ctx.k * L.ones_like(x), g * x.sum() * ctx.k, None

    def jvp(ctx, tx, ty, none):
        x, y = ctx.saved_tensors
        return (tx.sum() * y + (0 if ty is None else x.sum() * ty)) * ctx.k

    def vmap(info, in_dims, x, y, k):
        calls.append((info.batch_size, info.randomness, in_dims))
        x = x.sum(1)[:, None] if in_dims[0] == 0 else x.sum()
        return x * y * k, 0

    more = {"vmap": vmap} if own else {"generate_vmap_rule": True}
    f = function(L, lambda x, y, k: x.sum() * y * k, backward, setup_context=setup_context, jvp=jvp, **more)
    return (lambda x, y: f(x, y, 2)), calls


def rows(L):
    return L.tensor([[1.0, 2.0], [3.0, 4.0]]), L.tensor([[5.0, 6.0], [7.0, 8.0]])


for own in (True, False):

    def mapped(L, F, own=own):
        f, calls = weighted(L, own)
        x, y = rows(L)
        return F.vmap(f)(x, y), F.vmap(f, (0, None))(x, y[0]), F.vmap(f, (None, 0), randomness="same")(x[0], y), calls

    def differentiated(L, F, own=own):
        f, _ = weighted(L, own)
        x, y = (t.requires_grad_() for t in rows(L))
        (F.vmap(f)(x, y) ** 2).sum().backward()
        per_row = F.vmap(F.grad(lambda x, y: (f(x, y) ** 2).sum()))(x.detach(), y.detach())
        return x.grad, y.grad, per_row

    def forwards(L, F, own=own):
        f, _ = weighted(L, own)
        x, y = rows(L)
        return F.jacfwd(f)(x[0], y[0]), F.jvp(f, (x[0], y[0]), (y[0], x[1])), F.hessian(lambda x: f(x, x).sum())(x[0])

    for run in (mapped, differentiated, forwards):
        CASES[f"{run.__name__}, {'own' if own else 'generated'}"] = run


def one(L, more):
    f = function(L, lambda x: x * 2, lambda ctx, g: g * 2, setup_context=lambda ctx, inputs, output: None, **more)
    return L.func.vmap(f)(L.ones(3, 2))


@case
def vmap_of_one_value(L, F):
    return one(L, {"vmap": lambda info, in_dims, x: x * 2})


@case
def vmap_with_one_dim_for_all(L, F):
    return one(L, {"vmap": lambda info, in_dims, x: ((x * 2), 0)})


@case
def vmap_of_what_is_the_same_for_all(L, F):
    return one(L, {"vmap": lambda info, in_dims, x: (L.full((2,), 2.0), None)})


@case
def vmap_and_a_generated_one(L, F):
    return one(L, {"vmap": lambda info, in_dims, x: (x * 2, 0), "generate_vmap_rule": True})


@pytest.mark.parametrize("run", CASES.values(), ids=CASES)
def test_like_pytorch(run):
    check_edge(run)


# What a Function may return, save and mark, and edges of the graph ----------------------------------------------------


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
