"""A user's own operation: the form with `setup_context`, and what a wrong one is told."""

import pytest

import symgrad as sg
from symgrad.autograd import Function, gradcheck, gradgradcheck


@pytest.fixture
def x():
    return sg.tensor([0.5, 1.0], requires_grad=True)


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
