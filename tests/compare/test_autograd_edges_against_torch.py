"""The edges of checkpoints, gradcheck and `autograd.functional` against PyTorch; which hooks run, and what they see."""

import itertools
import random

import pytest

import symgrad as sg

from ._answers import answer
from ._edges import check_edge

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


@case
def ckpt_kw(L, F):
    return L.utils.checkpoint.checkpoint(lambda x: x, L.ones(2), use_reentrant=True, foo=1)


@case
def ckpt_ctx(L, F):
    return L.utils.checkpoint.checkpoint(lambda x: x, L.ones(2), use_reentrant=True, context_fn=lambda: 1)


@case
def ckpt_det(L, F):
    return L.utils.checkpoint.checkpoint(lambda x: x, L.ones(2), use_reentrant=False, determinism_check="no")


@case
def ckpt_none(L, F):
    x = L.ones(2)
    y = L.utils.checkpoint.checkpoint(lambda x: x * x, x, use_reentrant=True)
    return y


@case
def ckpt_noneout(L, F):
    x = L.ones(2, requires_grad=True)
    y = L.utils.checkpoint.checkpoint(lambda x: x.detach(), x, use_reentrant=True)
    return y.requires_grad, y.sum().backward()


@case
def ckpt_freed(L, F):
    x = L.ones(2, requires_grad=True)
    y = L.utils.checkpoint.checkpoint(lambda x: x * x, x, use_reentrant=False).sum()
    y.backward()
    y.backward()


@case
def ckpt_rngr(L, F):
    x = L.ones(3, requires_grad=True)
    seen = []

    def f(x):
        m = L.rand(3)
        seen.append(m.tolist())
        return x * m

    for r in (True, False):
        L.utils.checkpoint.checkpoint(f, x, use_reentrant=r).sum().backward()
    L.rand(1).item()
    return seen[0] == seen[1], seen[2] == seen[3], seen[0] == seen[2]


@case
def ckpt_graph_inside(L, F):
    x = L.ones(3, requires_grad=True)

    def f(x):
        y = x**3
        (g,) = L.autograd.grad(y.sum(), x, retain_graph=True)
        return y * g

    L.utils.checkpoint.checkpoint(f, x, use_reentrant=False).sum().backward()
    return x.grad


@case
def ckpt_seq(L, F):
    x = L.ones(3, requires_grad=True)
    n = [0, 0, 0, 0, 0]

    def mk(i):
        def f(t):
            n[i] += 1
            return t.sin()

        return f

    y = L.utils.checkpoint.checkpoint_sequential([mk(i) for i in range(5)], 2, x, use_reentrant=False)
    y.sum().backward()
    return n, x.grad


@case
def ckpt_seq_bad(L, F):
    return L.utils.checkpoint.checkpoint_sequential([lambda t: t], 1, L.ones(2), use_reentrant=False, foo=1)


@case
def ckpt_nested_counts(L, F):
    x = L.ones(3, requires_grad=True)
    n = [0, 0]
    C = L.utils.checkpoint.checkpoint

    def inner(t):
        n[0] += 1
        return t.sin().exp()

    def outer(t):
        n[1] += 1
        return C(inner, t.cos(), use_reentrant=False).tanh()

    C(outer, x, use_reentrant=False).sum().backward()
    return n, x.grad


@case
def hooks_order(L, F):
    x = L.ones(2, requires_grad=True)
    seen = []
    with L.autograd.graph.saved_tensors_hooks(lambda t: (seen.append("p"), t)[1], lambda t: (seen.append("u"), t)[1]):
        y = (x.sin() * x).sum()
    y.backward()
    return seen


@case
def disable_active(L, F):
    with L.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        with L.autograd.graph.disable_saved_tensors_hooks("msg"):
            pass


@case
def multi(L, F):
    a = L.ones(2, requires_grad=True)
    b = L.ones(2, requires_grad=True)
    c = a * b
    d = a * b
    seen = []
    L.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda gs: seen.append([g is not None for g in gs]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c + d).sum().backward()
    return seen


@case
def multi_any(L, F):
    a = L.ones(2, requires_grad=True)
    b = L.ones(2, requires_grad=True)
    c = a * b
    d = a * b
    seen = []
    h = L.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda g: seen.append(g.tolist()), mode="any")
    c.sum().backward(retain_graph=True)
    c.sum().backward(retain_graph=True)
    h.remove()
    (c + d).sum().backward()
    return seen


@case
def multi_bad(L, F):
    return L.autograd.graph.register_multi_grad_hook((), print, mode="no")


@case
def gedge_bad(L, F):
    return L.autograd.graph.get_gradient_edge(L.ones(2))


@case
def gc_dtype(L, F):
    return L.autograd.gradcheck(
        lambda x: x * 2, L.ones(2, requires_grad=True), check_grad_dtypes=True
    ), L.autograd.gradcheck(lambda x: x * 2, [L.ones(2, requires_grad=True)], check_forward_ad=True)


@case
def gc_nonleaf(L, F):
    x = L.ones(2, 3, requires_grad=True).t()
    return L.autograd.gradcheck(lambda x: x * x, x), L.autograd.gradgradcheck(lambda x: x * x, x)


@case
def gc_expand(L, F):
    return L.autograd.gradcheck(lambda x: x * x, L.ones(1, requires_grad=True).expand(3))


@case
def gc_nodiff(L, F):
    return L.autograd.gradcheck(lambda x: x.detach() * 2, L.ones(2, requires_grad=True))


@case
def gc_nodiff2(L, F):
    return L.autograd.gradcheck(lambda x: L.ones(2), L.ones(2, requires_grad=True))


@case
def gc_noraise_value(L, F):
    return L.autograd.gradcheck(lambda x: x, L.ones(2), raise_exception=False)


@case
def gc_undefined(L, F):
    class Fn(L.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    return L.autograd.gradcheck(lambda x: Fn.apply(x), L.ones(2, requires_grad=True))


@case
def gc_nondet(L, F):
    class Fn(L.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, a):
            return a * (2 + 1e-7 * random.random())

    return L.autograd.gradcheck(lambda x: Fn.apply(x), L.ones(2, requires_grad=True))


@case
def gc_bias(L, F):
    class Fn(L.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, a):
            return L.ones(2) * 2

    return L.autograd.gradcheck(lambda x: Fn.apply(x), L.ones(2, requires_grad=True))


@case
def fvjp_int(L, F):
    return L.autograd.functional.vjp(lambda x: x.long(), L.tensor(2.0))


@case
def fjac_list(L, F):
    return L.autograd.functional.jacobian(lambda x: [x, x], L.ones(2))


@case
def fjac_inputs_list(L, F):
    return L.autograd.functional.jacobian(lambda x: x, [L.ones(2)])


@case
def fjac_captured(L, F):
    x = L.ones(2, requires_grad=True)
    return L.autograd.functional.jacobian(lambda y: x * y, x), L.autograd.functional.jacobian(
        lambda y: x * y, x, create_graph=True
    )


@case
def fhess_captured(L, F):
    x = L.ones(2, requires_grad=True)
    return L.autograd.functional.hessian(lambda y: (x * y * y).sum(), x)


@case
def fhess_1(L, F):
    return L.autograd.functional.hessian(lambda x: x.sum().reshape(1, 1) ** 2, (L.ones(2),))


@case
def fvhp_default(L, F):
    return L.autograd.functional.vhp(lambda x: x**3, L.tensor(2.0)), L.autograd.functional.hvp(
        lambda x: x**3, L.tensor([2.0])
    )


@case
def fcreate(L, F):
    x = L.ones(2)
    j = L.autograd.functional.jacobian(lambda x: x**3, x, create_graph=True)
    return j


@case
def fvjp_unused(L, F):
    return (
        L.autograd.functional.vjp(lambda x, y: x * 2, (L.ones(2), L.ones(3)), L.ones(2)),
        L.autograd.functional.jvp(lambda x: L.ones(3), L.ones(2), L.ones(2)),
        L.autograd.functional.hvp(lambda x, y: (x * x).sum(), (L.ones(2), L.ones(3)), (L.ones(2), L.ones(3))),
        L.autograd.functional.vhp(lambda x, y: y.sum(), (L.ones(2), L.ones(3)), (L.ones(2), L.ones(3))),
    )


@case
def fhvp_const(L, F):
    return L.autograd.functional.hvp(lambda x: L.ones(()), L.ones(2), L.ones(2))


@case
def fvhp_two(L, F):
    return L.autograd.functional.vhp(lambda x: (x.sum(), x.sum()), L.ones(2), L.ones(2))


@case
def hess_vec(L, F):
    return F.hessian(lambda x: x**2)(L.ones(2))


@case
def func_function(L, F):
    class Sq(L.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    return F.grad(lambda x: Sq.apply(x).sum())(L.ones(2)), F.hessian(lambda x: Sq.apply(x).sum())(
        L.ones(2)
    ) if L is sg else F.jacrev(F.jacrev(lambda x: Sq.apply(x).sum()))(L.ones(2))


@case
def float32(L, F):
    return (
        F.grad(lambda x: (x * 2).sum())(L.ones(2, dtype=L.float32)).dtype is L.float32,
        F.jacrev(lambda x: x * 2)(L.ones(2, dtype=L.float32)).dtype == L.float32,
        F.jacfwd(lambda x: x * 2)(L.ones(2, dtype=L.float32)).dtype == L.float32,
    )


@case
def mixed(L, F):
    return (
        str(F.jacrev(lambda x: x.to(L.float32))(L.ones(2)).dtype).split(".")[-1],
        str(F.jacfwd(lambda x: x.to(L.float32))(L.ones(2)).dtype).split(".")[-1],
        str(L.autograd.functional.jacobian(lambda x: x.to(L.float32), L.ones(2)).dtype).split(".")[-1],
    )


def _saved(node, *names):
    return {n: (lambda v: tuple(v) if n.endswith("sizes") else v)(getattr(node, f"_saved_{n}")) for n in names}


@case
def saved_slices(L, F):
    x = L.ones(4, 5, 6).requires_grad_()
    places = [_saved(y.grad_fn, "dim", "index") for y in (x[1], x[:, 2], x[..., 1], x[0, :, 3])]
    return places, [_saved(y.grad_fn, "dim", "start", "end", "step") for y in (x[1:3], x[1, 2:], x[:, 1:4:2])]


@case
def saved_numbers(L, F):
    x = L.ones(2, 3).requires_grad_()
    sums = [_saved(y.grad_fn, "alpha") for y in (x + x, x - x)]
    means = [_saved(y.grad_fn, "self_sym_numel", "self_sym_sizes") for y in (x.mean(), x.mean(1))]
    leaky = L.nn.functional.leaky_relu(x, 0.2)
    return sums, means, _saved(x.tril(1).grad_fn, "diagonal"), _saved(leaky.grad_fn, "negative_slope")


@case
def hooks_under_is_grads_batched(L, F):
    x = L.tensor([1.0, 2.0, 3.0]).requires_grad_()
    y = x**2
    y.register_hook(lambda g: 2 * g)
    x.register_hook(lambda g: g + 1)
    return L.autograd.grad(y.sin(), x, L.eye(3), is_grads_batched=True)


def second_derivatives_of_remainders(name):
    def case(L, F):
        a = L.tensor([0.0, 1.0, -1.0, 2.5, 1.0, -1.0, 3.0], dtype=L.float64, requires_grad=True)
        b = L.tensor([0.0, 0.0, 2.0, -0.5, -float("inf"), float("inf"), 0.1], dtype=L.float64, requires_grad=True)
        first = L.autograd.grad(getattr(L, name)(a, b).sum(), (a, b), create_graph=True)
        return [L.nan_to_num(g) for g in first], L.autograd.grad(first[1].sum(), (a, b))

    return case


CASES |= {f"second derivatives of {name}": second_derivatives_of_remainders(name) for name in ("remainder", "fmod")}


@pytest.mark.parametrize("name", CASES)
def test_edge_agrees(name):
    check_edge(CASES[name])


# Hooks where gradients of some tensors are asked for ------------------------------------------------------------------

# Each tensor and each node of one graph has hooks of every kind; asked for is each set of at most three of its tensors,
# among them one that the graph does not use.


NAMES = ("a", "b", "c", "d", "e", "out", "unused")
SETS = [wanted for k in (1, 2, 3) for wanted in itertools.combinations(NAMES, k)]


def numbers(g):
    return [numbers(x) for x in g] if isinstance(g, (tuple, list)) else None if g is None else g.detach().tolist()


def graph(L, log, of_nodes):
    """Three leaves, one of them unused, and four results, with hooks that write to ``log``."""
    a, b = L.tensor([1.0, 2.0], requires_grad=True), L.tensor([3.0, 0.5], requires_grad=True)
    c = a * b
    d = c * 2
    e = c * a
    found = dict(zip(NAMES, (a, b, c, d, e, (d * e).sum(), L.ones(2, requires_grad=True)), strict=True))
    for name, t in found.items():
        node = L.autograd.graph.get_gradient_edge(t).node
        t.register_hook(lambda g, name=name: log.append(("tensor", name, numbers(g))))
        if of_nodes:
            node.register_prehook(lambda gs, name=name: log.append(("before", name, numbers(gs))))
            node.register_hook(lambda ds, gs, name=name: log.append(("after", name, numbers(ds), numbers(gs))))
        if t.is_leaf:
            t.register_post_accumulate_grad_hook(lambda t, name=name: log.append(("grad", name, numbers(t.grad))))
    return found


@pytest.mark.parametrize("of_nodes", [False, True], ids=["", "of_nodes"])
@pytest.mark.parametrize("retain", [False, True], ids=["", "retain"])
@pytest.mark.parametrize("create_graph", [False, True], ids=["", "create_graph"])
@pytest.mark.parametrize("how", ["backward", "grad"])
def test_hooks_are_those_of_pytorch(how, create_graph, retain, of_nodes):
    def run(L):
        seen = {}
        for wanted in SETS:
            log = []
            tensors = graph(L, log, of_nodes)
            for name in "cde" if retain else ():
                tensors[name].retain_grad()
            inputs, options = [tensors[name] for name in wanted], {"create_graph": create_graph}
            if how == "backward":
                tensors["out"].backward(inputs=inputs, **options)
            else:
                log.append(numbers(L.autograd.grad(tensors["out"], inputs, allow_unused=True, **options)))
            log.append({name: numbers(t.grad) for name, t in tensors.items()})
            seen[" ".join(wanted)] = log
        return seen

    ours, theirs = run(sg), answer("torch", run)
    for wanted in theirs:
        assert ours[wanted] == theirs[wanted], wanted
