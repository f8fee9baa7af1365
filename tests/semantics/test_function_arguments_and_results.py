"""A user's own operation: what `apply`, `setup_context`, `backward` and `jvp` are given, and under which names."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.autograd import Function, grad


@pytest.fixture
def x():
    return sg.tensor([0.5, 1.0], requires_grad=True)


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
