"""In-place operations and views: versions, leaves, graphs that are rewritten, and the errors that keep them honest."""

import numpy as np
import pytest

import symgrad as sg

MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace operation"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation"
LEAF_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation"


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0, 3.0], requires_grad=True)


# Versions


def test_version_counts_in_place_operations():
    t = sg.ones(2)
    assert t._version == 0
    t.add_(1)
    t += 1
    t[0] = 5.0
    t.zero_()
    assert t._version == 4


def test_reading_does_not_count():
    t = sg.ones(2)
    _ = t + 1, t[0], t.sum(), t.clone(), t.tolist(), repr(t)
    t.requires_grad_()
    assert t._version == 0


def test_result_of_an_operation_starts_at_zero(x):
    y = x * 2
    y.add_(1)
    assert (y + 1)._version == 0
    assert y.clone()._version == 0


def test_views_share_their_version(x):
    y = x * 1
    v = y[0]
    v.mul_(2)
    assert (y._version, v._version) == (1, 1)
    y.add_(1)
    assert (y._version, v._version) == (2, 2)


def test_detach_shares_data_and_version(x):
    y = x.detach()
    y.mul_(2)
    assert x.tolist() == [2.0, 4.0, 6.0]
    assert (x._version, y._version) == (1, 1)


def test_data_shares_data_but_not_version(x):
    x.data.mul_(2)
    assert x.tolist() == [2.0, 4.0, 6.0]
    assert x._version == 0


# What was saved must not change


def test_saved_input_modified_before_backward_is_refused(x):
    y = x * 1
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED):
        z.sum().backward()
    assert x.grad is None


def test_saved_output_modified_before_backward_is_refused(x):
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.sum().backward()
    assert x.grad is None


def test_the_error_names_the_operation_and_the_versions(x):
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="output 0 of Exp.*is at version 1; expected version 0 instead"):
        y.sum().backward()


def test_output_not_saved_may_be_modified(x):
    y = x.sin()
    y.mul_(3)
    y.sum().backward()
    assert [round(g, 6) for g in x.grad.tolist()] == [1.620907, -1.248441, -2.969977]


def test_operation_that_saves_nothing_does_not_mind(x):
    y = x * 1
    z = y + y
    y.zero_()
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("modify", ["view", "detach", "no_grad"])
def test_every_way_to_change_a_saved_value_is_seen(modify, x):
    y = x * 1
    z = y * y
    if modify == "view":
        y[0].zero_()
    elif modify == "detach":
        y.detach().zero_()
    else:
        with sg.no_grad():
            y.zero_()
    with pytest.raises(RuntimeError, match=MODIFIED):
        z.sum().backward()


def test_data_is_the_way_around_the_check(x):
    z = x * x
    x.data.mul_(2)
    z.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_constant_factor_modified_is_refused(x):
    c = sg.ones(3)
    y = x * c
    c.add_(1)
    with pytest.raises(RuntimeError, match=MODIFIED):
        y.sum().backward()


# Leaves


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.mul_(2),
        lambda x: x.zero_(),
        lambda x: x.add_(1),
        lambda x: x.copy_(sg.zeros(3)),
        lambda x: x.clamp_(0, 1),
        lambda x: x.__iadd__(1),
    ],
    ids=["mul_", "zero_", "add_", "copy_", "clamp_", "+="],
)
def test_leaf_in_place_is_refused(change, x):
    with pytest.raises(RuntimeError, match=LEAF):
        change(x)
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert x._version == 0


@pytest.mark.parametrize(
    "view",
    [lambda x: x[0], lambda x: x[1:], lambda x: x.view(3, 1), lambda x: x.reshape(3, 1), lambda x: x.unsqueeze(0)],
    ids=["select", "slice", "view", "reshape", "unsqueeze"],
)
def test_view_of_a_leaf_in_place_is_refused(view, x):
    with pytest.raises(RuntimeError, match=LEAF_VIEW):
        view(x).mul_(2)
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_setting_an_item_of_a_leaf_is_refused(x):
    with pytest.raises(RuntimeError, match=LEAF_VIEW):
        x[0] = 5.0
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_leaf_in_place_under_no_grad_updates_it(x):
    with sg.no_grad():
        x.mul_(2)
        x[0] = 10.0
    assert x.tolist() == [10.0, 4.0, 6.0]
    assert x.is_leaf and x.requires_grad and x.grad_fn is None
    (x * x).sum().backward()
    assert x.grad.tolist() == [20.0, 8.0, 12.0]


def test_tensor_without_gradient_joins_the_graph_in_place(x):
    t = sg.ones(3)
    t.mul_(x)
    assert t.requires_grad and not t.is_leaf
    assert t.grad_fn.name() == "MulBackward0"
    t.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_gradient_can_be_zeroed_in_place(x):
    (x * 3).sum().backward()
    held = x.grad
    x.grad.zero_()
    (x * 2).sum().backward()
    assert x.grad is held
    assert held.tolist() == [2.0, 2.0, 2.0]


def test_gradient_descent_in_place(x):
    for _ in range(3):
        (x**2).sum().backward()
        with sg.no_grad():
            x -= 0.25 * x.grad
        x.grad = None
    assert x.tolist() == [0.125, 0.25, 0.375]


# Non-leaves


@pytest.mark.parametrize(
    ("change", "gradient", "name"),
    [
        (lambda y: y.add_(1), [1.0, 1.0, 1.0], "AddBackward0"),
        (lambda y: y.mul_(3), [3.0, 3.0, 3.0], "MulBackward0"),
        (lambda y: y.sub_(1), [1.0, 1.0, 1.0], "SubBackward0"),
        (lambda y: y.div_(2), [0.5, 0.5, 0.5], "DivBackward0"),
        (lambda y: y.neg_(), [-1.0, -1.0, -1.0], "NegBackward0"),
        (lambda y: y.pow_(2), [2.0, 4.0, 6.0], "PowBackward0"),
        (lambda y: y.zero_(), [0.0, 0.0, 0.0], "ZeroBackward0"),
        (lambda y: y.clamp_(0, 2), [1.0, 1.0, 0.0], "ClampBackward1"),
        (lambda y: y.relu_(), [1.0, 1.0, 1.0], "ReluBackward0"),
        (lambda y: y.masked_fill_(y.detach() > 2, 0.0), [1.0, 1.0, 0.0], "MaskedFillBackward0"),
        (lambda y: y.copy_(sg.ones(3)), [0.0, 0.0, 0.0], "CopyBackwards"),
    ],
    ids=["add_", "mul_", "sub_", "div_", "neg_", "pow_", "zero_", "clamp_", "relu_", "masked_fill_", "copy_"],
)
def test_in_place_operations_have_their_gradient(change, gradient, name, x):
    y = x * 1
    assert change(y) is y
    assert type(y.grad_fn).__name__ == name
    y.sum().backward()
    assert x.grad.tolist() == gradient


def test_augmented_assignment_keeps_the_object(x):
    y = x * 1
    held = y
    y += 1
    y *= 2
    y -= 3
    y /= 4
    assert y is held
    assert y.tolist() == [0.25, 0.75, 1.25]
    y.sum().backward()
    assert x.grad.tolist() == [0.5, 0.5, 0.5]


def test_in_place_result_must_fit():
    t = sg.ones(2)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        t.add_(sg.ones(3, 2))
    assert t._version == 0
    integers = sg.ones(2, dtype=sg.int64)
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        integers.add_(1.5)
    assert integers.tolist() == [1, 1]


# What is kept on the way is the gradient in what the tensor is at the end


@pytest.mark.parametrize("asked", ["before", "between", "after"])
@pytest.mark.parametrize(
    "writes",
    [
        [lambda y: y.mul_(2)],
        [lambda y: y.mul_(2), lambda y: y.mul_(5)],
        [lambda y: y[:2].mul_(7)],
        [lambda y: y.mul_(2), lambda y: y[1:].mul_(3), lambda y: y.add_(1)],
    ],
    ids=["one", "two", "through a view", "both"],
)
def test_retain_grad_follows_writes(x, writes, asked):
    weights = sg.tensor([1.0, 10.0, 100.0])
    y = x * 1
    if asked == "before":
        y.retain_grad()
    for k, write in enumerate(writes):
        write(y)
        if asked == "between" and k == 0:
            y.retain_grad()
    if asked == "after":
        y.retain_grad()
    (y * weights).sum().backward()
    assert y.grad.tolist() == weights.tolist()
    moved = [sg.tensor(p) for p in ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])]  # every write is affine, entry by entry
    for t in moved:
        for write in writes:
            write(t)
    assert x.grad.tolist() == ((moved[1] - moved[0]) * weights).tolist()


def test_a_gradient_that_was_saved_is_not_used_after_the_next_backward(x):
    """`backward` adds to `.grad` in place: what was computed from it before would be wrong."""
    (x * x).sum().backward()
    v = sg.tensor([1.0, 1.0, 1.0], requires_grad=True)
    z = (v * v * x.grad).sum()
    (x * 2).sum().backward()
    with pytest.raises(RuntimeError, match=MODIFIED):
        z.backward()
    assert v.grad is None


TAKEN = {
    "an entry": lambda x: x[0], "a reshape": lambda x: x.view(-1), "a transpose": lambda x: x.t(),
    "a view of a view": lambda x: x[0][1:], "a diagonal": lambda x: x.diagonal(),
}  # fmt: skip


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("write", [lambda v: v.add_(1), lambda v: v.zero_(), lambda v: v.__setitem__(..., 5.0)])
def test_a_leaf_that_is_a_view_of_a_constant_is_not_written_through_its_own_views(taken, write):
    x = sg.arange(6.0).reshape(2, 3).requires_grad_()
    with pytest.raises(sg.InplaceError, match=LEAF_VIEW):
        write(TAKEN[taken](x))
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and x._version == 0
    with sg.no_grad():
        write(TAKEN[taken](x))
    write(TAKEN[taken](x.detach()))
    assert x._version == 2


# Views: a write through one rewrites the graph of its base, and the other way round -----------------------------------


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


@pytest.mark.parametrize(
    "write",
    [
        lambda p, w: p[0:].mul_(w), lambda p, w: p.mul_(w), lambda p, w: p.copy_(w), lambda p, w: p.fill_(w),
        lambda p, w: p.__setitem__(0, w), lambda p, w: p.__setitem__([0], w), lambda p, w: p.lerp_(p, weight=w),
    ],
    ids=["slice", "mul", "copy", "fill", "set", "put", "keyword"],
)  # fmt: skip
@pytest.mark.parametrize("base", [lambda: sg.ones(2), lambda: sg.ones(2, requires_grad=True).detach()])
def test_one_of_several_views_of_a_constant_takes_no_history(base, write):
    a, w = base(), sg.tensor(2.0, requires_grad=True)
    p = a.split(1)[0]
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view and is being modified inplace"):
        write(p, w)
    assert a.tolist() == [1.0, 1.0] and not a.requires_grad and a._version == 0
    p.mul_(3)
    assert a.tolist() == [3.0, 1.0]


SEVERAL_STEPS = {
    "renorm": (lambda y, s: y.renorm_(2, 0, 1.0), [[-0.045818, 0.051546], [1.0, 1.0]], None),
    "logit": (lambda y, s: y.logit_(0.1), [[11.111111, 6.25], [4.761905, 6.25]], None),
    "scatter": (
        lambda y, s: y.scatter_reduce_(0, sg.zeros(2, 2, dtype=sg.int64), s * 2, "prod"),
        [[4.0, 4.0], [1.0, 1.0]], [[3.6, 3.2], [3.6, 3.2]],
    ),
    "index": (
        lambda y, s: y.index_reduce_(0, sg.tensor([0, 0]), s * 2, "prod"),
        [[4.0, 4.0], [1.0, 1.0]], [[3.6, 3.2], [3.6, 3.2]],
    ),
    "view": (lambda y, s: y.mul_(y[:1]), [[2.1, 1.8], [0.9, 0.8]], None),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL_STEPS)
def test_an_in_place_method_of_several_steps_keeps_what_its_steps_need(name):
    write, expected, of_s = SEVERAL_STEPS[name]
    x = sg.tensor([[0.9, 0.8], [0.3, 0.2]], requires_grad=True)
    s = sg.ones(2, 2, requires_grad=True)
    y = x * 1
    write(y, s)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, atol=1e-6)
    if of_s is not None:
        np.testing.assert_allclose(s.grad.numpy(), of_s, atol=1e-6)


@pytest.mark.parametrize("name", ["gt", "eq", "not_equal", "less", "logical_and", "logical_xor", "logical_not"])
def test_a_comparison_in_place_has_a_gradient_of_zeros(name, x):
    y = x * 1
    others = () if name == "logical_not" else (sg.ones(3),)
    getattr(y, f"{name}_")(*others)
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]
    z = x * 1
    getattr(z[1:], f"{name}_")(*(o[1:] for o in others))
    assert sg.autograd.grad(z.sum(), x)[0].tolist() == [1.0, 0.0, 0.0]


def test_views_whose_entries_lie_apart_can_be_written_to(x):
    for view in (lambda y: y.unfold(0, 3, 1), lambda y: y.expand(1, 1, 3), lambda y: y.unfold(0, 1, 1)):
        y = x * 1
        view(y).mul_(4)
        assert y.tolist() == (4 * x).tolist()
        assert sg.autograd.grad(y.sum(), x)[0].tolist() == [4.0, 4.0, 4.0]
    with pytest.raises(RuntimeError):
        (x * 1).unfold(0, 2, 1).mul_(4)
