"""`gradcheck` and `gradgradcheck`: true for right rules, an error or False for wrong ones."""

import pytest

import symgrad as sg
from symgrad.autograd import GradcheckError, gradcheck, gradgradcheck

from ..helpers.user_defined import pointwise


@pytest.fixture
def x():
    return sg.tensor([0.3, 0.7, 1.1], requires_grad=True)


def wrong_by(factor):
    return pointwise(sg, "Square", lambda a: a**2, lambda a, g: factor * 2 * a * g).apply


WrongSecond = pointwise(sg, "WrongSecond", lambda a: a.sin(), lambda a, g: g * a.detach().cos())
"""sin with a right first derivative, hidden from the graph of the second."""


GOOD = {
    "square": lambda x: x**2,
    "several steps": lambda x: (sg.sin(x) * x.sum()).exp(),
    "scalar": lambda x: x.prod(),
    "several outputs": lambda x: (x.sin(), x.sum() * x),
    "matrix": lambda x: sg.linalg.inv(sg.outer(x, x) + sg.eye(3)),
    "where": lambda x: sg.where(x > 0.5, x**2, x**3),
    "linear": lambda x: x * 2,
    "softmax": lambda x: sg.softmax(x, 0),
}


@pytest.mark.parametrize("name", GOOD)
def test_gradcheck_is_true_for_a_right_rule(name, x):
    assert gradcheck(GOOD[name], (x,)) is True


@pytest.mark.parametrize("name", GOOD)
def test_gradgradcheck_is_true_for_a_right_rule(name, x):
    assert gradgradcheck(GOOD[name], (x,)) is True


def test_gradcheck_of_several_inputs(x):
    y = sg.tensor([[1.0], [2.0]], requires_grad=True)
    constant = sg.ones(3)
    assert gradcheck(lambda x, y, c: x * y + c, (x, y, constant))
    assert gradgradcheck(lambda x, y, c: x**2 * y + c, (x, y, constant))


def test_gradcheck_raises_for_a_wrong_rule(x):
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(wrong_by(1.01), (x,))


def test_gradcheck_returns_false_where_it_must_not_raise(x):
    assert gradcheck(wrong_by(1.01), (x,), raise_exception=False) is False
    assert gradcheck(wrong_by(1.0), (x,), raise_exception=False) is True


def test_tolerances_decide(x):
    assert gradcheck(wrong_by(1.01), (x,), rtol=0.1)
    assert not gradcheck(wrong_by(1.2), (x,), rtol=0.1, raise_exception=False)


def test_gradgradcheck_finds_a_missing_second_derivative(x):
    assert gradcheck(WrongSecond.apply, (x,))
    with pytest.raises(RuntimeError, match="(?i)mismatch|second|differentiated"):
        gradgradcheck(WrongSecond.apply, (x,))
    assert gradgradcheck(WrongSecond.apply, (x,), raise_exception=False) is False


def test_gradcheck_needs_an_input_that_requires_grad():
    with pytest.raises(ValueError, match="at least one.*requires_grad|require grad"):
        gradcheck(lambda x: x**2, (sg.ones(3),))


def test_gradcheck_leaves_no_trace(x):
    before = x.tolist()
    gradcheck(lambda x: x**2, (x,))
    gradgradcheck(lambda x: x**2, (x,))
    assert x.tolist() == before
    assert x.grad is None
    assert x.requires_grad and x.is_leaf


def test_gradcheck_in_fast_mode(x):
    assert gradcheck(lambda x: x**2, (x,), fast_mode=True)
    assert not gradcheck(wrong_by(2.0), (x,), fast_mode=True, raise_exception=False)


def test_gradcheck_sees_a_gradient_of_the_wrong_sign(x):
    assert not gradcheck(wrong_by(-1.0), (x,), raise_exception=False)


def test_gradcheck_of_what_ignores_its_input(x):
    assert gradcheck(lambda x: x * 0 + 1, (x,))


def test_gradcheck_warns_about_single_precision():
    x = sg.ones(2, dtype=sg.float32, requires_grad=True)
    with pytest.warns(UserWarning, match="double precision"):
        gradcheck(lambda x: x * 2, (x,), eps=1e-2, atol=1e-2)


class WrongForward(sg.autograd.Function):
    "x² with a right backward and a wrong jvp."

    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a**2

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return 2 * a * g

    @staticmethod
    def jvp(ctx, t):
        (a,) = ctx.saved_tensors
        return 5 * a * t


def test_forward_mode_of_a_function_is_its_own_jvp(x):
    assert gradcheck(WrongForward.apply, x)
    with pytest.raises(GradcheckError, match="computed with forward mode mismatch for output 0"):
        gradcheck(WrongForward.apply, x, check_forward_ad=True)


@pytest.mark.parametrize("f", [lambda z: z.abs(), lambda z: z * z, lambda z: (z.exp().real * z.abs()).sum()])
def test_forward_mode_agrees_for_complex_inputs(f):
    z = sg.tensor([1.0 + 2.0j, 0.5 - 1.0j], requires_grad=True)
    assert gradcheck(f, z, check_forward_ad=True, check_backward_ad=False)
