"""A user's own operation: `autograd.Function`."""

import math

import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.autograd import Function, gradcheck, gradgradcheck
from symgrad.autograd.function import once_differentiable


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class MulAdd(Function):
    "a * b + k, with k a plain number."

    @staticmethod
    def forward(ctx, a, b, k):
        ctx.save_for_backward(a, b)
        ctx.needed = ctx.needs_input_grad
        MulAdd.last = ctx
        return a * b + k

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a, None


@pytest.fixture
def x():
    return sg.tensor([0.5, 1.0], requires_grad=True)


def test_apply_gives_value_and_gradient(x):
    y = Exp.apply(x)
    assert_allclose(y.tolist(), [math.exp(0.5), math.e])
    y.sum().backward()
    assert_allclose(x.grad.tolist(), [math.exp(0.5), math.e])


def test_grad_fn_is_named_after_the_function(x):
    y = Exp.apply(x)
    assert y.grad_fn.name() == "ExpBackward"
    assert repr(y).endswith("grad_fn=<ExpBackward>)")
    assert y.grad_fn.next_functions[0][0].variable is x
    assert not y.is_leaf


def test_forward_runs_without_recording(x):
    seen = []

    class Look(Function):
        @staticmethod
        def forward(ctx, a):
            seen.append(sg.is_grad_enabled())
            b = a * 2
            seen.append(b.requires_grad)
            return b

        @staticmethod
        def backward(ctx, g):
            seen.append(sg.is_grad_enabled())
            return 2 * g

    Look.apply(x).sum().backward()
    assert seen == [False, False, False]


def test_needs_input_grad_says_which(x):
    b = sg.ones(2)
    y = MulAdd.apply(x, b, 3)
    assert MulAdd.last.needed == (True, False, False)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    assert b.grad is None


def test_arguments_that_are_no_tensors_get_none(x):
    b = sg.tensor([2.0, 3.0], requires_grad=True)
    y = MulAdd.apply(x, b, 10)
    assert y.tolist() == [11.0, 13.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 3.0]
    assert b.grad.tolist() == [0.5, 1.0]


def test_result_needs_no_gradient_when_no_input_does():
    y = Exp.apply(sg.ones(2))
    assert not y.requires_grad and y.is_leaf


def test_result_needs_no_gradient_under_no_grad(x):
    with sg.no_grad():
        assert not Exp.apply(x).requires_grad


def test_function_is_differentiated_again(x):
    (g,) = sg.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x, create_graph=True)
    (t,) = sg.autograd.grad(h.sum(), x)
    assert_allclose(t.tolist(), [math.exp(0.5), math.e])
    assert gradcheck(Exp.apply, x)
    assert gradgradcheck(Exp.apply, x)


def test_saved_tensors_are_freed(x):
    y = Exp.apply(x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward()
    assert_allclose(x.grad.tolist(), [math.exp(0.5), math.e])


def test_function_that_saves_nothing_can_be_walked_twice(x):
    class Double(Function):
        @staticmethod
        def forward(ctx, a):
            return 2 * a

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    y = Double.apply(x).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_saved_tensor_modified_in_place_is_refused(x):
    y = Exp.apply(x * 1)
    with sg.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    assert x.grad is None


def test_attributes_of_ctx_reach_backward(x):
    class Scale(Function):
        @staticmethod
        def forward(ctx, a, factor):
            ctx.factor = factor
            return a * factor

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None

    Scale.apply(x, 7).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_several_outputs(x):
    class SinCos(Function):
        @staticmethod
        def forward(ctx, a):
            s, c = a.sin(), a.cos()
            ctx.save_for_backward(s, c)
            return s, c

        @staticmethod
        def backward(ctx, gs, gc):
            s, c = ctx.saved_tensors
            return gs * c - gc * s

    s, c = SinCos.apply(x)
    assert s.grad_fn is c.grad_fn
    (s * 2 + c * 3).sum().backward()
    assert_allclose(x.grad.tolist(), [2 * math.cos(v) - 3 * math.sin(v) for v in (0.5, 1.0)])
    assert gradgradcheck(SinCos.apply, x)


class TwoOutputs(Function):
    "Twice and three times its input; remembers what backward received."

    materialize = True

    @staticmethod
    def forward(ctx, a):
        ctx.set_materialize_grads(TwoOutputs.materialize)
        return 2 * a, 3 * a

    @staticmethod
    def backward(ctx, g2, g3):
        TwoOutputs.received = (g2, g3)
        return 2 * g2 if g3 is None else 2 * g2 + 3 * g3


def test_gradient_of_an_unused_output_is_zeros(x, monkeypatch):
    monkeypatch.setattr(TwoOutputs, "materialize", True)
    TwoOutputs.apply(x)[0].sum().backward()
    assert TwoOutputs.received[1].tolist() == [0.0, 0.0]
    assert x.grad.tolist() == [2.0, 2.0]


def test_gradient_of_an_unused_output_is_none_where_not_materialized(x, monkeypatch):
    monkeypatch.setattr(TwoOutputs, "materialize", False)
    TwoOutputs.apply(x)[0].sum().backward()
    assert TwoOutputs.received[1] is None
    assert x.grad.tolist() == [2.0, 2.0]


def test_mark_non_differentiable(x):
    class SortWithIndices(Function):
        @staticmethod
        def forward(ctx, a):
            values, indices = a.sort()
            floors = values.floor()
            ctx.mark_non_differentiable(indices, floors)
            ctx.save_for_backward(indices)
            return values, indices, floors

        @staticmethod
        def backward(ctx, g, g_indices, g_floors):
            (indices,) = ctx.saved_tensors
            return sg.zeros_like(g).scatter(0, indices, g)

    values, indices, floors = SortWithIndices.apply(x)
    assert values.requires_grad
    assert not indices.requires_grad
    assert not floors.requires_grad and floors.grad_fn is None
    (values * sg.tensor([1.0, 2.0])).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0]


def test_mark_dirty_returns_its_input(x):
    class DoubleInPlace(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.mark_dirty(a)
            a.mul_(2)
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 2

    y = x * 1
    z = DoubleInPlace.apply(y)
    assert z is y
    assert y._version > 0
    assert y.grad_fn.name() == "DoubleInPlaceBackward"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        DoubleInPlace.apply(x)


def test_returning_an_input_unchanged_gives_another_tensor(x):
    class Identity(Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 3

    y = Identity.apply(x)
    assert y is not x
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


class CubeOnce(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a**3

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        assert not sg.is_grad_enabled()
        (a,) = ctx.saved_tensors
        return 3 * a**2 * g


def test_once_differentiable_gives_the_first_order(x):
    CubeOnce.apply(x).sum().backward()
    assert x.grad.tolist() == [0.75, 3.0]


def test_once_differentiable_raises_at_second_order(x):
    (g,) = sg.autograd.grad((CubeOnce.apply(x) * x).sum(), x, create_graph=True)
    assert g.tolist() == [0.5, 4.0]
    with pytest.raises(RuntimeError, match="trying to differentiate twice.*once_differentiable"):
        g.sum().backward()


def test_once_differentiable_alone_raises_at_second_order(x):
    (g,) = sg.autograd.grad(CubeOnce.apply(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError):
        g.sum().backward()
    assert x.grad is None


# Backwards inside backwards


def nest(depth, step):
    """A Function whose backward runs a backward of its own, ``depth`` times inside each other."""

    class Inner(Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.k = k
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if ctx.k == 0:
                return g * 2, None
            with sg.enable_grad():
                t = ctx.saved_tensors[0].detach().requires_grad_()
                return g * step(lambda: Inner.apply(t, ctx.k - 1).sum(), t), None

    x = sg.ones(2, requires_grad=True)
    Inner.apply(x, depth).sum().backward()
    return x.grad.tolist()


def by_backward(inner, t):
    inner().backward()
    return t.grad


def by_graph(inner, t):
    return sg.autograd.grad(inner(), t, create_graph=True)[0].detach()


@pytest.mark.parametrize("step", [by_backward, by_graph])
@pytest.mark.parametrize("depth", [1, 150, 400])
def test_backwards_may_run_inside_backwards_to_any_depth(step, depth):
    assert nest(depth, step) == [2.0, 2.0]


@pytest.mark.parametrize("kind", ["tensor", "node", "leaf"])
def test_backwards_may_run_inside_hooks_to_any_depth(kind):
    t, runs = sg.ones(2, requires_grad=True), []

    @sg.enable_grad()
    def down(*_):
        if len(runs) < 300:
            runs.append(1)
            own = sg.ones(2, requires_grad=True)
            y = own * 2
            if kind == "leaf":
                own.register_post_accumulate_grad_hook(down)
            else:
                (y if kind == "tensor" else y.grad_fn).register_hook(down)
            (y * t).sum().backward()

    down()
    assert t.grad.tolist() == [600.0, 600.0]


def test_an_error_deep_inside_comes_out_as_it_is():
    def fail(inner, t):
        if len(calls) > 100:
            raise KeyError("mine")
        calls.append(1)
        return by_backward(inner, t)

    calls = []
    with pytest.raises(KeyError, match="mine"):
        nest(200, fail)


def test_modes_and_the_running_sweep_are_known_deep_inside():
    from symgrad.utils.checkpoint import checkpoint

    modes = []

    def look(inner, t):
        modes.append(sg.is_grad_enabled())
        y = checkpoint(lambda t: inner(), t, use_reentrant=True)
        with pytest.raises(RuntimeError, match="incompatible with .grad()"):
            sg.autograd.grad(y, t)
        return by_backward(inner, t)

    assert nest(70, look) == [2.0, 2.0] and all(modes)
