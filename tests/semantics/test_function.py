"""A user's own operation, `autograd.Function`: its forms, what its methods are given, what a wrong one is told."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.autograd import Function, grad, gradcheck, gradgradcheck
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


class CubeTimes(Function):
    "x**3 * y, whose rule is a transform of the saved x, in which y is seen."

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x**3 * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * sg.func.grad(lambda a: (a**3 * y).sum())(x), g * sg.func.jvp(lambda b: x**3 * b, (y,), (y * 0 + 1,))[
            1
        ]


@pytest.mark.parametrize(
    "second", [sg.hessian, sg.func.hessian, lambda f: sg.jacrev(sg.grad(f)), lambda f: sg.jacfwd(sg.grad(f))]
)
def test_a_transform_in_a_rule_is_differentiated_again(second):
    """At the leaf of a transform that has run its function, which is the one that its sweep is about."""
    found = second(lambda t: CubeTimes.apply(t[0], t[1]))(sg.tensor([0.5, 2.0]))
    assert_allclose(found.detach().numpy(), [[6.0, 0.75], [0.75, 0.0]])


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


# What methods are given, and under which names ------------------------------------------------------------------------


# ---------------------------------------------------------------------------------------- outputs of other kinds


def many(materialize, got):
    class Many(Function):
        @staticmethod
        def forward(ctx, a):
            ctx.set_materialize_grads(materialize)
            floor = a.floor()
            ctx.mark_non_differentiable(floor)
            return 7, a * 2, "text", floor, a.long(), None, a * 3

        @staticmethod
        def backward(ctx, *grads):
            got.extend(grads)
            return grads[1] * 2

    return Many.apply


@pytest.mark.parametrize("materialize", [True, False])
def test_backward_gets_an_argument_for_each_output(materialize, x):
    got = []
    number, y, text, floor, whole, none, z = many(materialize, got)(x)
    assert (number, text, none) == (7, "text", None)
    assert [t.requires_grad for t in (y, floor, whole, z)] == [True, False, False, True]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    zeros = [0.0, 0.0] if materialize else None
    assert [g if g is None else g.tolist() for g in got] == [None, [1.0, 1.0], None, zeros, zeros, None, zeros]


def test_a_gradient_for_what_is_no_tensor_is_refused(x):
    class Scale(Function):
        @staticmethod
        def forward(ctx, a, k):
            return a * k

        @staticmethod
        def backward(ctx, g):
            return g * 2, g

    with pytest.raises(RuntimeError, match="gradient different than None at position 2"):
        Scale.apply(x, 2).sum().backward()
    assert x.grad is None


# --------------------------------------------------------------------------------------------------- arguments


class Power(Function):
    @staticmethod
    def forward(a, k=3):
        return a**k

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, ctx.k = inputs
        ctx.needed = ctx.needs_input_grad
        ctx.save_for_backward(a)

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        assert ctx.needed == ctx.needs_input_grad == (True, False)
        return ctx.k * a ** (ctx.k - 1) * g, None


@pytest.mark.parametrize(
    ("apply", "k"),
    [
        (Power.apply, 3), (lambda a: Power.apply(a, 2), 2), (lambda a: Power.apply(a, k=2), 2),
        (lambda a: Power.apply(k=4, a=a), 4),
    ],
)  # fmt: skip
def test_setup_context_gets_defaults_and_names(apply, k, x):
    apply(x).sum().backward()
    assert sg.allclose(x.grad, k * x ** (k - 1))


class Scale(Function):
    @staticmethod
    def forward(ctx, a, k=2, *, other=1):
        ctx.k = k
        return a * k

    @staticmethod
    def backward(ctx, g, *rest):
        return (g * ctx.k, *[None for _ in ctx.needs_input_grad[1:]])


def test_apply_passes_names_on_by_position(x):
    Scale.apply(x, k=5).sum().backward()
    Scale.apply(x).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        Scale.apply(x, other=2)
    with pytest.raises(TypeError, match="'what'"):
        Scale.apply(x, what=2)


def test_arrays_and_lists_are_arguments(x):
    class Weigh(Function):
        @staticmethod
        def forward(ctx, a, weights, factors):
            ctx.weights = sg.from_numpy(weights) * factors[0]
            return a * ctx.weights

        @staticmethod
        def backward(ctx, g):
            return g * ctx.weights, None, None

    Weigh.apply(x, np.array([1.0, 2.0]), [10.0]).sum().backward()
    assert x.grad.tolist() == [10.0, 20.0]


# ------------------------------------------------------------------------------------------------ vjp, backward


class Triple(Function):
    @staticmethod
    def forward(ctx, a):
        return a * 3

    @staticmethod
    def vjp(ctx, g):
        return g * 3


def test_vjp_is_another_name_of_backward(x):
    (g,) = grad((Triple.apply(x) ** 2).sum(), x, create_graph=True)
    assert sg.allclose(g, 18 * x)
    assert grad(g.sum(), x)[0].tolist() == [18.0, 18.0]


def test_backward_and_vjp_together_are_refused(x):
    class Both(Triple):
        @staticmethod
        def backward(ctx, g):
            return g * 3

    y = Both.apply(x)
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        y.sum().backward()


def test_a_subclass_inherits_what_it_does_not_define(x):
    class Six(Triple):
        @staticmethod
        def forward(ctx, a):
            return Triple.forward(ctx, a) * 2

    class Seven(Six):
        @staticmethod
        def vjp(ctx, g):
            return g * 7

    y = Seven.apply(x)
    (Six.apply(x) + y).sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]
    assert y.grad_fn.name() == "SevenBackward"


# --------------------------------------------------------------------------------------------------------- arrays


def test_forward_and_backward_may_take_the_arrays_of_their_tensors(x):
    class Exp(Function):
        @staticmethod
        def forward(ctx, a):
            y = sg.from_numpy(np.exp(a.numpy()))
            ctx.save_for_backward(a, y)
            return y

        @staticmethod
        def backward(ctx, g):
            a, y = ctx.saved_tensors
            assert np.asarray(a).shape == (2,)
            return sg.from_numpy(g.numpy() * y.numpy())

    Exp.apply(x * 1).sum().backward()
    assert sg.allclose(x.grad, x.exp())
    with pytest.raises(RuntimeError, match="Can't call numpy"):  # a backward of arrays has no derivative
        grad(Exp.apply(x).sum(), x, create_graph=True)


def test_under_no_grad_every_tensor_has_an_array(x):
    with sg.no_grad():
        assert x.numpy().tolist() == np.asarray(x).tolist() == [0.5, 1.0]
        assert (x * 2).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        x.numpy()
    with sg.no_grad(), pytest.raises(TypeError):
        sg.symbol("s", 2).numpy()


# --------------------------------------------------------------------------------------------------- forward mode


def pushed(calls, for_forward):
    class Cube(Function):
        @staticmethod
        def forward(a, k):
            return k, a**3, a.floor()

        @staticmethod
        def setup_context(ctx, inputs, output):
            getattr(ctx, "save_for_forward" if for_forward else "save_for_backward")(inputs[0])
            ctx.mark_non_differentiable(output[2])

        @staticmethod
        def backward(ctx, none, g, zeros):
            raise AssertionError("forward mode is not to ask for it")

        @staticmethod
        def jvp(ctx, t, none):
            assert none is None
            calls.append(t.tolist())
            (a,) = ctx.saved_tensors
            return None, 3 * a**2 * t, None

    return lambda a: Cube.apply(a, "k")[1]


@pytest.mark.parametrize("for_forward", [True, False])
def test_forward_mode_calls_jvp(for_forward):
    a, t, calls = sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]), []
    cube = pushed(calls, for_forward)
    assert sg.jvp(cube, (a,), (t,))[1].tolist() == [3.0, 120.0]
    assert sg.func.jacfwd(cube)(a).tolist() == [[3.0, 0.0], [0.0, 12.0]]
    assert [1.0, 10.0] in calls and len(calls) >= 3
    second = sg.jvp(lambda a: sg.jvp(cube, (a,), (t,))[1], (a,), (t,))[1]
    assert second.tolist() == [6.0, 1200.0]


def test_a_jvp_may_write_to_its_tangent():
    class Double(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def jvp(ctx, t):
            return t.mul_(2)

    a, t = sg.ones(2), sg.ones(2)
    assert sg.jvp(lambda a: Double.apply(a) + a, (a,), (t,))[1].tolist() == [3.0, 3.0]
    assert t.tolist() == [1.0, 1.0]


def test_a_gradient_of_an_output_comes_by_what_was_saved_too(x):
    class Exp(Function):
        @staticmethod
        def forward(ctx, a):
            y = a.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    y = Exp.apply(x)
    (g,) = grad(y.sum(), x, create_graph=True)
    assert grad(g.sum(), y, retain_graph=True)[0].tolist() == [1.0, 1.0]
    values, vectors = sg.linalg.eigh(sg.diag(x))
    (g,) = grad((values**2).sum(), x, create_graph=True)
    assert grad(g.sum(), vectors)[0].abs().sum() > 1


class CubeSum(Function):
    @staticmethod
    def forward(ctx, x, k=3):
        ctx.save_for_backward(x)
        ctx.k = k
        return (x**k).sum()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.k * x ** (ctx.k - 1), None


def test_apply_is_a_function_of_the_parameters_of_forward():
    a = np.array([1.0, 2.0])
    assert sg.jacrev(CubeSum.apply)(a).tolist() == sg.jacfwd(CubeSum.apply)(a).tolist() == [3.0, 12.0]
    assert sg.grad(CubeSum.apply, argnums="x")(a, 2).tolist() == [2.0, 4.0]
    assert str(sg.formula(CubeSum.apply, sg.symbol("x", "n"))) == "CubeSum(x)"
    assert str(sg.hessian(CubeSum.apply)(sg.symbol("x", "n"))) == "6 diag(x)"


# The form with `setup_context`, and what a wrong one is told ----------------------------------------------------------


class CubeInParts(Function):
    "The form with `setup_context`, which `func` needs."

    @staticmethod
    def forward(a, power):
        return a**power

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, power = inputs
        ctx.save_for_backward(a)
        ctx.save_for_forward(a)
        ctx.power = power
        CubeInParts.output = output

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return ctx.power * a ** (ctx.power - 1) * g, None

    @staticmethod
    def jvp(ctx, t, _):
        (a,) = ctx.saved_tensors
        return ctx.power * a ** (ctx.power - 1) * t

    generate_vmap_rule = True


def test_setup_context_form(x):
    y = CubeInParts.apply(x, 3)
    assert CubeInParts.output.tolist() == y.tolist() == [0.125, 1.0]
    y.sum().backward()
    assert x.grad.tolist() == [0.75, 3.0]
    assert gradgradcheck(lambda a: CubeInParts.apply(a, 3), x)


def test_setup_context_form_under_func():
    a = sg.tensor(2.0)
    cube = lambda a: CubeInParts.apply(a, 3)
    assert sg.func.grad(cube)(a).item() == 12.0
    assert sg.func.grad(sg.func.grad(cube))(a).item() == 12.0


def test_jvp_of_a_function_gives_forward_mode():
    a, t = sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0])
    value, tangent = sg.func.jvp(lambda a: CubeInParts.apply(a, 3), (a,), (t,))
    assert value.tolist() == [1.0, 8.0]
    assert tangent.tolist() == [3.0, 120.0]


def test_vmap_of_a_function():
    a = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    cubes = sg.func.vmap(lambda row: CubeInParts.apply(row, 3))(a)
    assert cubes.tolist() == [[1.0, 8.0], [27.0, 64.0]]


def broken(result):
    class Broken(Function):
        @staticmethod
        def forward(ctx, a):
            return a.clone()

        @staticmethod
        def backward(ctx, g):
            return result(g)

    return Broken.apply


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        (lambda g: (g, g), RuntimeError, "returned an incorrect number of gradients"),
        (lambda g: (), RuntimeError, "returned an incorrect number of gradients"),
        (lambda g: sg.ones(3), RuntimeError, "returned an invalid gradient at index 0 - got .*3.* but expected shape"),
        (lambda g: 5.0, (RuntimeError, TypeError), "(?i)expected.*(Variable|Tensor)"),
    ],
    ids=["too many", "too few", "another shape", "no tensor"],
)
def test_wrong_backward_is_refused(result, error, words, x):
    with pytest.raises(error, match=words):
        broken(result)(x).sum().backward()
    assert x.grad is None


def test_extra_gradients_may_be_none(x):
    broken(lambda g: (g, None, None))(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_gradient_none_is_no_gradient(x):
    broken(lambda g: None)(x).sum().backward()
    assert x.grad is None


def test_a_function_without_backward_says_so(x):
    class ForwardOnly(Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

    y = ForwardOnly.apply(x)
    with pytest.raises(NotImplementedError, match="(?i)implement.*backward"):
        y.sum().backward()


def test_error_in_backward_reaches_the_caller(x):
    def fail(g):
        raise ZeroDivisionError("from backward")

    with pytest.raises(ZeroDivisionError, match="from backward"):
        broken(fail)(x).sum().backward()


def test_function_with_a_wrong_rule_fails_gradcheck(x):
    with pytest.raises(RuntimeError, match="Jacobian mismatch"):
        gradcheck(broken(lambda g: 2 * g), x)


class Swish(Function):
    """Saves the sigmoid that it computed."""

    @staticmethod
    def forward(ctx, x):
        s = 1 / (1 + (-x).exp())
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s = ctx.saved_tensors
        return g * (s + x * s * (1 - s))


class ScaledBy(Function):
    """Keeps an array that it made, as an attribute."""

    @staticmethod
    def forward(ctx, x, is_constant):
        ctx.mask = sg.tensor([2.0, 0.0])
        if is_constant:
            ctx.mark_non_differentiable(ctx.mask)
        return x * ctx.mask

    @staticmethod
    def backward(ctx, g):
        return g * ctx.mask, None


def test_a_second_derivative_warns_of_what_forward_computed():
    x = sg.tensor([0.5, 1.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.autograd.grad(Swish.apply(x).sum(), x)  # once it is right
        sg.autograd.grad(ScaledBy.apply(x, True).sum(), x, create_graph=True)
        once = type("Once", (Swish,), {"backward": staticmethod(once_differentiable(Swish.backward))})
        sg.autograd.grad(once.apply(x).sum(), x, create_graph=True)  # a second one raises
    with pytest.warns(UserWarning, match=r"Swish.forward computed: a tensor of shape \(2,\), saved"):
        sg.autograd.grad(Swish.apply(x).sum(), x, create_graph=True)
    with pytest.warns(UserWarning, match=r"kept as ctx.mask[\s\S]*ctx.mark_non_differentiable"):
        sg.autograd.grad(ScaledBy.apply(x, False).sum(), x, create_graph=True)


class Hidden(sg.autograd.Function):
    """x times what forward computed of it, kept in one of several ways."""

    @staticmethod
    def forward(ctx, x, how, c):
        s = float(x.sum())
        ctx.kept = {"number": s, "list": [x * 2.0], "dictionary": {"s": (x.sum(),)}, "numpy": x.numpy().sum(),
                    "argument": c, "written": 0.25}[how]  # fmt: skip
        return x * s

    @staticmethod
    def backward(ctx, g):
        return g, None, None


@pytest.mark.parametrize("how", ["number", "list", "dictionary", "numpy"])
def test_what_forward_computed_is_told_however_it_is_kept(how):
    x = sg.tensor([0.5, 1.0], requires_grad=True)
    with pytest.warns(
        UserWarning, match=r"Hidden.forward computed: (the number 1.5|a tensor of shape .*), kept as ctx"
    ):
        sg.autograd.grad(Hidden.apply(x, how, 3.0).sum(), x, create_graph=True)


@pytest.mark.parametrize("how", ["argument", "written"])
def test_a_number_that_was_given_or_is_written_in_the_code_is_a_constant(how):
    x = sg.tensor([0.5, 1.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.autograd.grad(Hidden.apply(x, how, 3.0).sum(), x, create_graph=True)


def test_a_formula_takes_no_numbers_that_forward_computed():
    f = sg.formula(lambda x: Swish.apply(x).sum(), np.array([0.5, 1.0]))
    assert str(f.grad("x")) == "(∂Swish(x)/∂x)ᵀ𝟏"
    with pytest.raises(sg.FormulaError, match="the second derivative of 'Swish' has no formula"):
        f.hessian("x")


@pytest.mark.parametrize("second", [
    lambda f, x: sg.hessian(f, format="csr")(x), lambda f, x: sg.taylor(f, x, 2, direction=x),
    lambda f, x: sg.hessian(f)(x), lambda f, x: sg.hvp(f, x, x), lambda f, x: sg.jvp(f, (x,), (x,)),
])  # fmt: skip
def test_a_gradient_that_is_numbers_alone_is_told_of_by_every_derivative_of_it(second):
    slope = lambda x: sg.grad(lambda y: CubeOnce.apply(y * y).sum())(x).sum()
    with pytest.raises(sg.NotDifferentiableError, match="once_differentiable"):
        second(slope, np.array([0.3, 0.7]))
