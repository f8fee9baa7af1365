"""Views: an in-place operation through one rewrites the graph of its base, and the other way round."""

import numpy as np
import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_in_place_on_a_view_changes_its_base_and_its_graph(x):
    y = x * 1
    v = y[0]
    v.mul_(2)
    assert y.tolist() == [2.0, 2.0, 3.0]
    assert type(y.grad_fn).__name__ == "CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 1.0, 1.0]


def test_view_written_in_place_is_still_a_view_of_its_base(x):
    y = x * 1
    v = y[:2]
    v.mul_(2)
    assert v.grad_fn.next_functions[0][0] is y.grad_fn
    v.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 0.0]


def test_in_place_on_the_base_is_seen_by_its_views(x):
    y = x * 1
    v = y[0]
    w = y.view(3, 1)
    before = v.grad_fn
    y.mul_(3)
    assert v.grad_fn is not before
    assert v.grad_fn.next_functions[0][0] is y.grad_fn
    assert w.tolist() == [[3.0], [6.0], [9.0]]
    (v + w.sum()).backward()
    assert x.grad.tolist() == [6.0, 3.0, 3.0]


def test_view_of_a_base_modified_in_place_is_the_view_of_the_new_value(x):
    y = x * 1
    v = y[0]
    assert v.grad_fn.name() == "SelectBackward0"
    y.mul_(3)
    # PyTorch calls this node AsStridedBackward0; here the view keeps its own name, which a formula can show
    assert v.grad_fn.name() == "SelectBackward0"
    assert v.grad_fn.next_functions[0][0] is y.grad_fn


def test_view_and_base_written_in_turn(x):
    y = x * 1
    v = y[:2]
    y.add_(1)
    v.mul_(2)
    y.mul_(10)
    y.sum().backward()
    assert y.tolist() == [40.0, 60.0, 40.0]
    assert x.grad.tolist() == [20.0, 20.0, 10.0]


def test_view_of_a_view(x):
    y = (x * 1).view(3, 1)
    y[1:][0].mul_(7)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 7.0, 1.0]


def test_slices_augmented(x):
    y = x * 1
    y[:2] *= 5
    assert type(y.grad_fn).__name__ == "CopySlices"
    y.sum().backward()
    assert y.tolist() == [5.0, 10.0, 3.0]
    assert x.grad.tolist() == [5.0, 5.0, 1.0]


def test_setting_an_item_puts_it_into_the_graph():
    w = sg.tensor(2.0, requires_grad=True)
    t = sg.zeros(3)
    t[1] = w * 3
    assert t.tolist() == [0.0, 6.0, 0.0]
    assert type(t.grad_fn).__name__ == "CopySlices"
    assert not t.is_leaf and t._version == 1
    (t * sg.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert w.grad.item() == 30.0


def test_setting_an_item_overwrites_the_gradient(x):
    y = x * 1
    y[0] = 7.0
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0]


def test_setting_by_mask_and_by_index(x):
    y = x * 1
    y[x > 2] = 0.0
    assert y.grad_fn.name() == "IndexPutBackward0"
    y[[0]] = sg.tensor([5.0])
    y.sum().backward()
    assert y.tolist() == [5.0, 2.0, 0.0]
    assert x.grad.tolist() == [0.0, 1.0, 0.0]


def test_setting_a_broadcast_value_sums_its_gradient():
    w = sg.tensor(2.0, requires_grad=True)
    t = sg.zeros(2, 3)
    t[:, 1:] = w
    t.sum().backward()
    assert w.grad.item() == 4.0


def test_transposed_view_written_in_place():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = x * 1
    y.t()[0].mul_(10)
    assert y.tolist() == [[10.0, 2.0], [30.0, 4.0]]
    y.sum().backward()
    assert x.grad.tolist() == [[10.0, 1.0], [10.0, 1.0]]


def test_expanded_tensor_written_in_place_is_refused():
    t = sg.ones(1).expand(3)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        t.add_(1)
    assert t.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("views", "name"),
    [(lambda y: y.unbind(), "Unbind"), (lambda y: y.split(1), "Split"), (lambda y: y.chunk(3), "Split")],
    ids=["unbind", "split", "chunk"],
)
def test_one_of_several_views_in_place_is_refused(views, name, x):
    y = x * 1
    with pytest.raises(RuntimeError, match=f"Output 0 of {name}.*is a view and is being modified inplace"):
        views(y)[0].mul_(2)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_view_made_under_no_grad_in_place_outside_is_refused(x):
    y = x * 1
    with sg.no_grad():
        v = y[0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        v.mul_(2)


def test_view_made_and_written_under_no_grad_is_not_recorded(x):
    y = x * 1
    with sg.no_grad():
        y[0].mul_(2)
    y.sum().backward()
    assert y.tolist() == [2.0, 2.0, 3.0]
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_unsqueeze_in_place_has_a_name_of_its_own(x):
    y = (x * 1).unsqueeze_(0)
    assert tuple(y.shape) == (1, 3)
    assert y.grad_fn.name() == "UnsqueezeBackward1"


def test_requires_grad_of_a_result_cannot_change(x):
    y = x * 1
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False
    assert y.requires_grad_() is y
    y.detach().requires_grad_()
    assert x.requires_grad


def test_clone_is_no_view(x):
    y = x * 1
    y.clone().zero_()
    assert y.tolist() == [1.0, 2.0, 3.0]
    assert y._version == 0


@pytest.mark.parametrize("n", [3, 35001])
def test_writes_through_complex_views_of_real_memory_are_differentiated(n):
    v = np.random.default_rng(0).normal(size=(n, 2))
    x = sg.tensor(v, requires_grad=True)
    y = x * 1.0
    z = sg.view_as_real(sg.view_as_complex(y))
    z[0] = z[0].clone() ** 2
    y.sum().backward()
    assert x.grad[0].tolist() == (2 * v[0]).tolist() and (x.grad[1:] == 1).all()


def test_writes_through_complex_views_reach_memory_in_any_order():
    x = sg.ones(3, 4, 2, requires_grad=True)
    y = x.permute(2, 1, 0) * 1.0  # lies in memory as x does
    z = sg.view_as_complex(y.permute(2, 1, 0))
    z[1:].imag.fill_(0.0)
    y.sum().backward()
    assert (x.grad[..., 0] == 1).all() and (x.grad[0] == 1).all() and (x.grad[1:, :, 1] == 0).all()


def test_view_as_complex_of_parts_that_are_apart_is_an_error_as_in_pytorch():
    x = sg.ones(2, 3)
    with pytest.raises(sg.ShapeError, match="last dimension with stride 1"):
        sg.view_as_complex(x.T)
    assert sg.view_as_complex(x.T.contiguous()).shape == (3,)
