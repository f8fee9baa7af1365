"""The edges of `autograd.Function` against PyTorch: views, writes in place, arguments and outputs, vmap."""

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
