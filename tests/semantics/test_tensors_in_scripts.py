"""What scripts do to tensors besides computing: attributes, saving, flat parameters, restricted backward."""

import copy
import io
import pickle

import numpy as np
import pytest

import symgrad as sg


def test_tensors_take_attributes_of_ones_own_that_survive_copies():
    p = sg.nn.Parameter(sg.ones(2))
    p.no_weight_decay = True
    assert copy.deepcopy(p).no_weight_decay
    assert pickle.loads(pickle.dumps(p)).no_weight_decay


def test_a_non_leaf_can_be_saved_and_comes_back_as_a_leaf():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    file = io.BytesIO()
    sg.save({"loss": (x * 2).sum()}, file)
    file.seek(0)
    loss = sg.load(file)["loss"]
    assert loss.item() == 6.0
    assert loss.is_leaf


def test_views_follow_a_base_that_becomes_a_leaf_later():
    flat = sg.arange(6.0)
    a, b = flat[:2], flat[2:].view(2, 2)
    flat.requires_grad_()
    assert a.requires_grad and b.requires_grad
    (a.sum() * b.sum()).backward()
    assert flat.grad.tolist() == [14.0, 14.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("watch", ["nothing", "leaf hook", "retain_grad", "anomaly mode"])
def test_backward_with_inputs_leaves_the_other_leaves_alone(watch):
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    w = sg.ones(2, requires_grad=True)
    seen = []
    w.register_hook(seen.append)
    if watch == "leaf hook":
        x.register_hook(lambda g: None)
    with sg.autograd.set_detect_anomaly(watch == "anomaly mode"):
        y = x * w
        if watch == "retain_grad":
            y.retain_grad()
        y.sum().backward(inputs=[x])
    assert x.grad.tolist() == [1.0, 1.0]
    assert w.grad is None
    assert seen == []


def test_a_non_leaf_named_in_inputs_keeps_its_gradient_once_and_from_then_on():
    x = sg.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.sum().backward(inputs=[y], retain_graph=True)
    assert y.grad.tolist() == [1.0, 1.0]
    y.sum().backward()
    assert y.grad.tolist() == [2.0, 2.0]


def test_a_change_of_shape_in_place_under_no_grad_keeps_the_gradients_shape():
    x = sg.zeros(2, 3, requires_grad=True)
    y = x * 2
    with sg.no_grad():
        y.unsqueeze_(0)
    y.sum().backward()
    assert tuple(x.grad.shape) == (2, 3)


def test_data_of_a_leaf_that_requires_grad_must_be_floating_point():
    x = sg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="must be floating point or complex"):
        x.data = sg.tensor([1, 2])
    assert x.dtype == sg.float64


def test_writing_to_a_read_only_array_says_that_it_is_read_only():
    a = np.arange(4.0)
    a.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        sg.from_numpy(a).add_(1)


def test_arrays_of_the_other_byte_order_are_refused_or_converted():
    foreign = np.arange(3, dtype=">f8" if np.little_endian else "<f8")
    with pytest.raises(ValueError, match="byte order"):
        sg.from_numpy(foreign)
    assert sg.tensor(foreign).dtype == sg.float64


def test_parts_of_a_complex_tensor_can_be_assigned():
    z = sg.tensor([1 + 2j, 3 + 4j])
    z.imag = sg.tensor([0.0, 1.0])
    z.real = 5.0
    assert z.tolist() == [5 + 0j, 5 + 1j]


def test_a_complex_gradient_of_a_real_input_is_refused():
    class Wrong(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 1j

    x = sg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="invalid gradient at index 0"):
        Wrong.apply(x).sum().backward()
    assert x.grad is None


def test_a_view_made_a_leaf_stays_one_when_its_base_is_written():
    x = sg.tensor([1.0, 2.0])
    v = x[:1]
    v.requires_grad_()
    x.mul_(2)
    (v * 3).sum().backward()
    assert v.grad.tolist() == [3.0]


def test_views_of_data_follow_what_is_written_to_it():
    x = sg.tensor([1.0, 2.0])
    d = x.data
    v = d[:1]
    d.mul_(sg.tensor([3.0, 4.0], requires_grad=True))
    assert v.requires_grad and not x.requires_grad


def test_reciprocal_of_whole_numbers_is_a_float():
    assert sg.reciprocal(sg.tensor([2, 4])).tolist() == [0.5, 0.25]
