"""`utils.checkpoint`: values are computed again in backward instead of kept."""

import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.utils.checkpoint import checkpoint, checkpoint_sequential

both = pytest.mark.parametrize("use_reentrant", [False, True])


@pytest.fixture
def x():
    return sg.tensor([0.5, 1.5], requires_grad=True)


class Counted:
    "x ↦ sin(x)·x, counting its calls."

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return sg.sin(x) * x


@both
def test_checkpoint_changes_no_value_and_no_gradient(use_reentrant, x):
    expected = Counted()(x)
    (gradient,) = sg.autograd.grad(expected.sum(), x)
    y = checkpoint(Counted(), x, use_reentrant=use_reentrant)
    assert y.tolist() == expected.tolist()
    y.sum().backward()
    assert_allclose(x.grad.tolist(), gradient.tolist())


@both
def test_function_runs_once_forward_and_once_in_backward(use_reentrant, x):
    f = Counted()
    y = checkpoint(f, x, use_reentrant=use_reentrant).sum()
    assert f.calls == 1
    y.backward()
    assert f.calls == 2


@both
def test_checkpoint_under_no_grad_records_nothing(use_reentrant, x):
    f = Counted()
    with sg.no_grad():
        y = checkpoint(f, x, use_reentrant=use_reentrant)
    assert f.calls == 1
    assert not y.requires_grad


@both
def test_checkpoints_follow_each_other(use_reentrant, x):
    f = Counted()
    y = x
    for _ in range(3):
        y = checkpoint(f, y, use_reentrant=use_reentrant)
    assert f.calls == 3
    y.sum().backward()
    assert f.calls == 6
    z = sg.tensor([0.5, 1.5], requires_grad=True)
    w = z
    for _ in range(3):
        w = sg.sin(w) * w
    w.sum().backward()
    assert_allclose(x.grad.tolist(), z.grad.tolist())


@both
def test_parameters_captured_by_the_function_get_gradients(use_reentrant, x):
    linear = sg.nn.Linear(2, 1)
    checkpoint(linear, x, use_reentrant=use_reentrant).sum().backward()
    assert linear.weight.grad.tolist() == [[0.5, 1.5]]
    assert linear.bias.grad.tolist() == [1.0]
    assert_allclose(x.grad.tolist(), linear.weight.tolist()[0])


@both
def test_several_inputs_and_outputs(use_reentrant, x):
    y = sg.tensor([2.0, 3.0], requires_grad=True)
    product, total = checkpoint(lambda a, b, k: (a * b, a + k * b), x, y, 10, use_reentrant=use_reentrant)
    (product + total).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    assert y.grad.tolist() == [10.5, 11.5]


def test_keyword_arguments_are_passed_on(x):
    y = checkpoint(lambda a, power: a**power, x, power=2, use_reentrant=False)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 3.0]


def test_autograd_grad_works_without_reentry(x):
    f = Counted()
    (g,) = sg.autograd.grad(checkpoint(f, x, use_reentrant=False).sum(), x)
    assert f.calls == 2
    (expected,) = sg.autograd.grad(Counted()(x).sum(), x)
    assert_allclose(g.tolist(), expected.tolist())


def test_autograd_grad_is_refused_with_reentry(x):
    y = checkpoint(Counted(), x, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match="(?i)checkpoint"):
        sg.autograd.grad(y, x)
    assert x.grad is None


def test_second_derivative_without_reentry(x):
    (g,) = sg.autograd.grad(checkpoint(lambda t: t**3, x, use_reentrant=False).sum(), x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x)
    assert h.tolist() == [3.0, 9.0]


def test_a_graph_retained_is_computed_again_each_time(x):
    f = Counted()
    y = checkpoint(f, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    once = x.grad.clone()
    y.backward()
    assert_allclose(x.grad.tolist(), (2 * once).tolist())
    assert f.calls >= 2


def test_checkpoint_saves_only_what_the_function_is_given(x):
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor

    with sg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = checkpoint(lambda t: t.sin().exp().sin().exp(), x, use_reentrant=False)
    assert len(packed) <= 1
    y.sum().backward()
    assert x.grad is not None


def test_random_numbers_are_the_same_the_second_time(x):
    masks = []

    def f(t):
        masks.append(sg.rand(2).tolist())
        return t * sg.tensor(masks[-1])

    checkpoint(f, x, use_reentrant=False).sum().backward()
    assert masks[0] == masks[1]
    assert x.grad.tolist() == masks[0]


def test_error_in_the_function_reaches_the_caller(x):
    def fail(t):
        raise ValueError("from the function")

    with pytest.raises(ValueError, match="from the function"):
        checkpoint(fail, x, use_reentrant=False)


def test_use_reentrant_should_be_given(x):
    with pytest.warns(UserWarning, match="use_reentrant"):
        checkpoint(Counted(), x)


def test_checkpoint_sequential_runs_its_segments(x):
    functions = [Counted() for _ in range(4)]
    y = checkpoint_sequential(functions, 2, x, use_reentrant=False)
    expected = x
    for _ in range(4):
        expected = sg.sin(expected) * expected
    assert y.tolist() == expected.tolist()
    y.sum().backward()
    assert functions[0].calls == 2
    assert functions[3].calls <= 2
