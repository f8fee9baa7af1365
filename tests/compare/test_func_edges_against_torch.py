"""The edges of `func` and `functional_call` against PyTorch."""

import collections

import pytest

from ._edges import check_edge

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


def tied(L):
    """A module that has one parameter under two names."""

    class M(L.nn.Module):
        def __init__(s):
            super().__init__()
            s.a = L.nn.Parameter(L.ones(1))
            s.b = s.a

        def forward(s, x):
            return s.a * x + s.b

    return M()


@case
def fc_tied(L, F):
    m = tied(L)
    return F.functional_call(m, {"a": L.ones(1) * 3}, L.ones(1)), F.functional_call(
        m, {"a": L.ones(1) * 3}, L.ones(1), tie_weights=False
    )


@case
def fc_tied2(L, F):
    return F.functional_call(tied(L), {"a": L.ones(1) * 3, "b": L.ones(1)}, L.ones(1))


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


@pytest.mark.parametrize("name", CASES)
def test_edge_agrees(name):
    check_edge(CASES[name])
