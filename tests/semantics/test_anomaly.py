"""Anomaly mode: a gradient that is nan is an error that names the backward that made it."""

import warnings

import pytest

import symgrad as sg

NAN = "returned nan values in its 0th output"


@pytest.fixture(autouse=True)
def quiet():
    "Anomaly mode announces itself and prints the forward traceback as warnings."
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def nan_from_sqrt(x):
    return (sg.sqrt(x) * 0).sum()


@pytest.fixture
def zero():
    return sg.tensor([0.0, 1.0], requires_grad=True)


def test_without_it_nan_flows_on(zero):
    nan_from_sqrt(zero).backward()
    assert zero.grad.isnan().tolist() == [True, False]


def test_detect_anomaly_raises_on_nan_and_names_the_backward(zero):
    with sg.autograd.detect_anomaly():
        with pytest.raises(RuntimeError, match=f"SqrtBackward0.*{NAN}"):
            nan_from_sqrt(zero).backward()
    assert zero.grad is None


def test_detect_anomaly_around_backward_only(zero):
    loss = nan_from_sqrt(zero)
    with sg.autograd.detect_anomaly():
        with pytest.raises(RuntimeError, match=f"SqrtBackward0.*{NAN}"):
            loss.backward()


def test_autograd_grad_is_checked_too(zero):
    with sg.autograd.detect_anomaly():
        with pytest.raises(RuntimeError, match=NAN):
            sg.autograd.grad(nan_from_sqrt(zero), zero)


@pytest.mark.parametrize(
    ("function", "node"),
    [
        (lambda x: (x / x).sum(), "DivBackward0"),
        (lambda x: (sg.log(x) * 0).sum(), "LogBackward0"),
        (lambda x: (x**0.5 * 0).sum(), "PowBackward0"),
        (lambda x: (sg.rsqrt(x) * 0).sum(), "RsqrtBackward0"),
    ],
    ids=["div", "log", "pow", "rsqrt"],
)
def test_the_node_that_made_nan_is_named(function, node, zero):
    with sg.autograd.detect_anomaly():
        with pytest.raises(RuntimeError, match=f"{node}.*returned nan values"):
            function(zero).backward()


def test_nan_in_a_custom_function_names_it():
    class Bad(sg.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a.clone()

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    x = sg.ones(2, requires_grad=True)
    with sg.autograd.detect_anomaly():
        with pytest.raises(RuntimeError, match=f"BadBackward.*{NAN}"):
            Bad.apply(x).sum().backward()


def test_infinite_gradients_pass(zero):
    with sg.autograd.detect_anomaly():
        sg.sqrt(zero).sum().backward()
    assert zero.grad.tolist() == [float("inf"), 0.5]


def test_good_gradients_pass(zero):
    with sg.autograd.detect_anomaly():
        (zero**2).sum().backward()
    assert zero.grad.tolist() == [0.0, 2.0]


def test_check_nan_can_be_turned_off(zero):
    with sg.autograd.detect_anomaly(check_nan=False):
        assert sg.is_anomaly_enabled()
        assert not sg.is_anomaly_check_nan_enabled()
        nan_from_sqrt(zero).backward()
    assert zero.grad.isnan().tolist() == [True, False]


def test_mode_is_restored():
    assert not sg.is_anomaly_enabled()
    with sg.autograd.detect_anomaly():
        assert sg.is_anomaly_enabled()
        with sg.autograd.set_detect_anomaly(False):
            assert not sg.is_anomaly_enabled()
        assert sg.is_anomaly_enabled()
    assert not sg.is_anomaly_enabled()


def test_mode_is_restored_after_its_error(zero):
    with pytest.raises(RuntimeError, match=NAN), sg.autograd.detect_anomaly():
        nan_from_sqrt(zero).backward()
    assert not sg.is_anomaly_enabled()


def test_set_detect_anomaly_as_a_context_manager(zero):
    with sg.autograd.set_detect_anomaly(True):
        with pytest.raises(RuntimeError, match=NAN):
            nan_from_sqrt(zero).backward()
    assert not sg.is_anomaly_enabled()


def test_set_detect_anomaly_as_a_function(zero):
    sg.autograd.set_detect_anomaly(True)
    try:
        with pytest.raises(RuntimeError, match=NAN):
            nan_from_sqrt(zero).backward()
    finally:
        sg.autograd.set_detect_anomaly(False)
    assert not sg.is_anomaly_enabled()


def test_nan_in_forward_alone_is_no_anomaly():
    x = sg.tensor([-1.0], requires_grad=True)
    with sg.autograd.detect_anomaly():
        y = sg.sqrt(x)
        assert y.isnan().all()
        (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0]


def test_error_of_a_modified_tensor_survives_the_mode(zero):
    with sg.autograd.detect_anomaly():
        y = zero.exp()
        y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()


def test_a_block_may_be_entered_again_inside_itself():
    block = sg.autograd.detect_anomaly()
    with block:
        with block:
            assert sg.is_anomaly_enabled()
        assert sg.is_anomaly_enabled()
    assert not sg.is_anomaly_enabled()
