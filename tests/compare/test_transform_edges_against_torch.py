"""The edges of transforms, checkpoints and gradcheck against PyTorch: one small call per line of behaviour.

The one idea: a case is a function of the library (and its `func`); both must return the same structure, values and
flags, or raise errors of one class that begin with the same words.
"""

import collections
import importlib
import random

import numpy as np
import pytest

import symgrad as sg

torch = pytest.importorskip("torch", reason="pip install torch==2.13.0 to compare with PyTorch")

importlib.import_module("torch.utils.checkpoint")  # torch does not import it by itself

pytestmark = [pytest.mark.compare, pytest.mark.filterwarnings("ignore")]

NT = collections.namedtuple("NT", "a b")
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


@case
def identity(L, F):
    return (
        F.grad(lambda x: x)(L.tensor(2.0)),
        F.vjp(lambda x: x, L.ones(2))[0],
        F.jacrev(lambda x: x)(L.ones(2)),
        F.jvp(lambda x: (x, x), (L.ones(2),), (L.ones(2) * 3,)),
    )


@case
def inplace_on_clone(L, F):
    return (
        F.grad(lambda x: x.clone().mul_(3).sum())(L.ones(2)),
        F.grad(F.grad(lambda x: (x.clone().mul_(x) * x).sum()))(L.tensor(2.0)),
        F.jacfwd(lambda x: x.clone().mul_(x))(L.ones(2)),
    )


@case
def inplace_on_input(L, F):
    return F.grad(lambda x: x.mul_(3).sum())(L.ones(2))


@case
def namedtuple(L, F):
    g = F.grad(lambda t: (t.a * t.b).sum())(NT(L.ones(2), L.ones(2) * 2))
    return g


@case
def nt_out(L, F):
    return F.jacrev(lambda x: NT(x * 2, x.sum()))(L.ones(2))


@case
def nested(L, F):
    return F.grad(lambda p: (p["l"][0] * p["l"][1][0]).sum())({"l": [L.ones(2), (L.ones(2) * 2,)]})


@case
def none_leaf(L, F):
    return F.grad(lambda p: p[0].sum())((L.ones(2), None))


@case
def closure_kw(L, F):
    return F.grad(lambda x, *, k: (x * k).sum())(L.ones(2), k=L.ones(2) * 3)


@case
def nested_kw(L, F):
    return F.grad(lambda a: F.grad(lambda x, *, k: (x * x * k).sum())(L.ones(2), k=a).sum())(L.ones(2))


@case
def vjp_kw(L, F):
    return F.vjp(lambda x, s=4.0: x * s, L.ones(2))[1](L.ones(2))


@case
def detach_inside(L, F):
    return F.grad(lambda x: (x.detach() * x).sum())(L.ones(2)), F.grad(F.grad(lambda x: x.detach() * x * x))(
        L.tensor(3.0)
    )


@case
def no_grad_nested(L, F):
    def f(x):
        with L.no_grad():
            g = F.grad(lambda y: (y**3).sum())(x)
        return (g * x).sum()

    return F.grad(f)(L.ones(2))


@case
def autograd_grad_inside(L, F):
    def f(x):
        y = (x**3).sum()
        (g,) = L.autograd.grad(y, x, create_graph=True)
        return (g**2).sum()

    return F.grad(f)(L.ones(2) * 2)


@case
def value_flag(L, F):
    w = L.ones(2).requires_grad_()
    g, v = F.grad_and_value(lambda x: (x * w).sum())(L.ones(2))
    return g, v, g.requires_grad, v.requires_grad


@case
def value_flag2(L, F):
    w = L.ones(2).requires_grad_()
    g, v = F.grad_and_value(lambda x: (x * x).sum() + w.sum())(L.ones(2))
    return g, v


@case
def under_no_grad(L, F):
    w = L.ones(2).requires_grad_()
    with L.no_grad():
        return (
            F.grad_and_value(lambda x: (x * w).sum())(w),
            F.hessian(lambda x: (x * w * x).sum())(w),
            F.vjp(lambda x: x * w, w)[1](w),
            F.jvp(lambda x: x * w, (w,), (w,)),
        )


@case
def scalar1(L, F):
    return F.grad(lambda x: x.sum().reshape(1))(L.ones(2))


@case
def zero_size(L, F):
    return F.jacrev(lambda x: x * 2)(L.ones(0)), F.jacfwd(lambda x: x.sum())(L.ones(0))


@case
def zero_size2(L, F):
    return F.jacrev(lambda x: x.sum())(L.ones(0)), F.hessian(lambda x: x.sum())(L.ones(0))


@case
def vmap0(L, F):
    return (F.vmap(lambda x: x * 2)(L.ones(0, 3)),)


@case
def vmap_out(L, F):
    return (
        F.vmap(lambda x: (x, x.sum()), out_dims=(-1, 0))(L.ones(2, 3)),
        F.vmap(lambda x: {"a": x.outer(x)}, out_dims=1)(L.ones(2, 3)),
        F.vmap(lambda x: [x, (x,)], out_dims=[0, (1,)])(L.ones(2, 3)),
    )


@case
def vmap_outdim_range(L, F):
    return F.vmap(lambda x: x, out_dims=3)(L.ones(2, 3))


@case
def vmap_none_out(L, F):
    return F.vmap(lambda x: (x, 3), out_dims=(0, None))(L.ones(2, 3))


@case
def vmap_none_out2(L, F):
    return F.vmap(lambda x: x, out_dims=None)(L.arange(6.0).reshape(2, 3))


@case
def vmap_none_out3(L, F):
    return F.vmap(lambda x: L.ones(2), out_dims=None)(L.arange(6.0).reshape(2, 3))


@case
def vmap_int(L, F):
    return F.vmap(lambda x: x + 1)(L.arange(3))


@case
def vmap_nonetree(L, F):
    return F.vmap(lambda x, y: x * y["a"], in_dims=(0, {"a": None}))(L.ones(2, 3), {"a": L.ones(3) * 2})


@case
def vmap_kwargs(L, F):
    return F.vmap(lambda x, k=1: x * k)(L.ones(2, 3), k=5)


@case
def vmap_same(L, F):
    r = F.vmap(lambda x: x * 0 + L.randn(3), randomness="same")(L.ones(2, 3))
    return bool((r[0] == r[1]).all())


@case
def vmap_diff(L, F):
    r = F.vmap(lambda x: x * 0 + L.randn(3), randomness="different")(L.ones(2, 3))
    return bool((r[0] == r[1]).all())


@case
def vmap_0d(L, F):
    return F.vmap(lambda x: x)(L.tensor(1.0))


@case
def complex_grad(L, F):
    return F.grad(lambda z: z.abs().sum())(L.tensor([1 + 2j, 3 - 1j], dtype=L.complex128)), F.vjp(
        lambda z: z * z, L.tensor([1 + 2j], dtype=L.complex128)
    )[1](L.tensor([1j], dtype=L.complex128))


@case
def complex_out(L, F):
    return F.grad(lambda z: z.sum())(L.tensor([1 + 2j], dtype=L.complex128))


@case
def complex_jvp(L, F):
    return F.jvp(lambda z: z * z, (L.tensor([1 + 2j], dtype=L.complex128),), (L.tensor([1j], dtype=L.complex128),))


@case
def complex_jvp2(L, F):
    return F.jvp(
        lambda z: z.conj() * z.abs(),
        (L.tensor([1 + 2j], dtype=L.complex128),),
        (L.tensor([1 + 1j], dtype=L.complex128),),
    )


@case
def complex_fjvp(L, F):
    return L.autograd.functional.jvp(
        lambda z: z * z, L.tensor([1 + 2j], dtype=L.complex128), L.tensor([1j], dtype=L.complex128)
    )


@case
def complex_jac(L, F):
    return L.autograd.functional.jacobian(lambda z: (z * z).real, L.tensor([1 + 2j], dtype=L.complex128))


@case
def jvp_shape(L, F):
    return F.jvp(lambda x: x, (L.ones(2),), (L.ones(3),))


@case
def jvp_none(L, F):
    return F.jvp(lambda x: None, (L.ones(2),), (L.ones(2),))


@case
def vjp_none(L, F):
    return F.vjp(lambda x: None, L.ones(2))


@case
def vjp_float(L, F):
    return F.vjp(lambda x: (x, 3.0), L.ones(2))


@case
def grad_notensor(L, F):
    return F.grad(lambda s: 1)("no")


@case
def argnum_list(L, F):
    return F.grad(lambda x: x.sum(), argnums=[0])(L.ones(2))


@case
def argnum_str(L, F):
    return F.jacrev(lambda x: x.sum(), argnums="a")(L.ones(2))


@case
def fc(L, F):
    m = L.nn.Linear(2, 1)
    L.nn.init.ones_(m.weight)
    L.nn.init.zeros_(m.bias)
    return F.functional_call(m, {"weight": L.ones(1, 2) * 3}, L.ones(1, 2)), F.functional_call(
        m, ({"weight": L.ones(1, 2) * 3}, {"bias": L.ones(1)}), (L.ones(1, 2),)
    )


@case
def fc_bad(L, F):
    m = L.nn.Linear(2, 1)
    return F.functional_call(m, {"weigh": L.ones(1, 2) * 3}, L.ones(1, 2), strict=True)


@case
def fc_bad2(L, F):
    m = L.nn.Linear(2, 1)
    return F.functional_call(m, ({"weight": L.ones(1, 2) * 3}, {"weight": L.ones(1, 2)}), L.ones(1, 2))


@case
def fc_bad3(L, F):
    m = L.nn.Linear(2, 1)
    return F.functional_call(m, 3, L.ones(1, 2))


@case
def fc_tied(L, F):
    class M(L.nn.Module):
        def __init__(s):
            super().__init__()
            s.a = L.nn.Parameter(L.ones(1))
            s.b = s.a

        def forward(s, x):
            return s.a * x + s.b

    m = M()
    return F.functional_call(m, {"a": L.ones(1) * 3}, L.ones(1)), F.functional_call(
        m, {"a": L.ones(1) * 3}, L.ones(1), tie_weights=False
    )


@case
def fc_tied2(L, F):
    class M(L.nn.Module):
        def __init__(s):
            super().__init__()
            s.a = L.nn.Parameter(L.ones(1))
            s.b = s.a

        def forward(s, x):
            return s.a * x + s.b

    return F.functional_call(M(), {"a": L.ones(1) * 3, "b": L.ones(1)}, L.ones(1))


@case
def fc_buffer(L, F):
    m = L.nn.BatchNorm1d(2)
    d = {k: v.clone() for k, v in m.named_buffers()}
    F.functional_call(m, d, L.arange(6.0).reshape(3, 2))
    return d["running_mean"], m.running_mean, d["num_batches_tracked"], m.num_batches_tracked


@case
def stack_state(L, F):
    ms = [L.nn.Linear(2, 1) for _ in range(3)]
    p, b = F.stack_module_state(ms)
    return {k: v.is_leaf and v.requires_grad for k, v in p.items()}, b


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
    a = L.rand(1).item()
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


def described(result):
    if isinstance(result, (sg.Tensor, torch.Tensor)):
        return tuple(result.shape), result.requires_grad, np.round(result.detach().numpy(), 8).tolist()
    if isinstance(result, (tuple, list)):
        return type(result).__name__, [described(r) for r in result]
    if isinstance(result, dict):
        return {k: described(v) for k, v in result.items()}
    return result


def outcome(L, name):
    try:
        return described(CASES[name](L, L.func)), None
    except Exception as error:
        return None, error


@pytest.fixture
def doubles():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("name", CASES)
def test_edge_agrees(name, doubles):
    ours, our_error = outcome(sg, name)
    theirs, their_error = outcome(torch, name)
    assert (our_error is None) == (their_error is None), (our_error, their_error)
    assert ours == theirs
    if their_error is not None:
        assert isinstance(our_error, type(their_error)) or type(our_error).__name__ == type(their_error).__name__
        words = [str(e).split("\n")[0].replace("torch.", "").rstrip(".")[:50] for e in (our_error, their_error)]
        assert words[0] == words[1]
