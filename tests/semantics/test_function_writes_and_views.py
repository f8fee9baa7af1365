"""A user's own operation and memory: results that share it, writes in place, and gradients that nobody else sees."""

import pytest

import symgrad as sg
from symgrad.autograd import Function, grad
from symgrad.utils.checkpoint import checkpoint

from ..helpers.user_defined import exp_in_place, times_saved


def function(forward, backward):
    class Own(Function):
        pass

    Own.forward, Own.backward = staticmethod(forward), staticmethod(backward)
    return Own.apply


@pytest.fixture
def x():
    return sg.tensor([0.5, 1.0], requires_grad=True)


# ------------------------------------------------------------------------------------- results that share memory


def triple_of(shares):
    return function(lambda ctx, a: shares(a), lambda ctx, g: 3 * sg.cat([g, sg.zeros(2 - len(g))]))


SHARES = [
    lambda a: a, lambda a: a.view(2), lambda a: a[:1], lambda a: a.detach(), lambda a: sg.from_numpy(a.numpy()),
    lambda a: (a * 1).view(2),
]  # fmt: skip
NAMES = ["itself", "view", "part", "detached", "array", "view of a new one"]


@pytest.mark.parametrize("shares", SHARES, ids=NAMES)
def test_a_result_that_is_a_view_cannot_be_written_to(shares, x):
    a = x * 1
    y = triple_of(shares)(a)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace.*custom Function"):
        y.mul_(2)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace.*custom Function"):
        y[:1].zero_()
    assert a.tolist() == [0.5, 1.0]
    (y.sum() + a.sum()).backward()
    assert x.grad[0].item() == 4.0


@pytest.mark.parametrize("shares", SHARES[:-1], ids=NAMES[:-1])
def test_a_write_to_the_base_of_a_result_is_told_at_the_backward(shares, x):
    a = x * 1
    y = triple_of(shares)(a)
    z = (a * 2).sum()
    a.mul_(2)
    with pytest.raises(RuntimeError, match="Output 0 of Own is a view and its base or another view of its base"):
        (y.sum() + z).backward()
    with pytest.raises(RuntimeError, match="has been modified inplace"):
        grad(y.sum(), x)
    assert x.grad is None
    (a.sum() + z).backward()
    assert x.grad.tolist() == [4.0, 4.0]


CONSTANTS = [
    lambda d: d.mul_(2), lambda d: d.zero_(), lambda d: d.fill_(4.0), lambda d: d.__setitem__(0, 5.0),
    lambda d: d.__setitem__(slice(None), sg.zeros(2)), lambda d: d.copy_(sg.zeros(2)), lambda d: d[:1].zero_(),
    lambda d: d[1:].add_(1), lambda d: d.__setitem__([1, 0], 7.0),
]  # fmt: skip


@pytest.mark.parametrize("write", CONSTANTS)
def test_a_constant_that_is_a_base_is_written_to(write):
    data, w = sg.ones(2), sg.ones(2, requires_grad=True)
    keep = function(lambda ctx, d, w: d, lambda ctx, g: (None, g * 3))
    y, z = keep(data, w), keep(data * 1, w)
    write(data)
    with pytest.raises(RuntimeError, match="has been modified inplace"):
        y.sum().backward()
    z.sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


def test_a_result_of_a_result_hears_of_the_write_too(x):
    a = x * 1
    triple = triple_of(lambda a: a)
    y = triple(triple(a)[:])
    a[0] = 7.0
    with pytest.raises(RuntimeError, match="has been modified inplace"):
        y.sum().backward()


def test_an_input_returned_as_it_is_is_a_view_of_it(x):
    a = x * 1
    y = triple_of(lambda a: a)(a)
    assert y is not a and y._base is a
    with sg.no_grad():
        z = triple_of(lambda a: a)(a)
    assert z is not a and z._base is a and not z.requires_grad


def test_a_base_that_becomes_a_leaf_was_not_written_to():
    data, w = sg.ones(2), sg.ones(2, requires_grad=True)
    y = function(lambda ctx, d, w: d, lambda ctx, g: (None, g * 3))(data, w)
    data.requires_grad_()
    y.sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


def test_a_new_result_may_be_written_to(x):
    def forward(ctx, a):
        y = a * 2
        ctx.first = y[:1].item()  # a view of it was taken in between
        return y

    y = function(forward, lambda ctx, g: g * 2)(x)
    y.mul_(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def two(forward):
    return function(lambda ctx, a: forward(a * 1), lambda ctx, g, h: g * 2 + h * 3)


def test_two_results_of_one_memory_get_a_gradient_each(x):
    y, z = two(lambda t: (t, t))(x)
    (5 * y + 7 * z).sum().backward()
    assert x.grad.tolist() == [31.0, 31.0]


@pytest.mark.parametrize("second", [lambda t: t, lambda t: t.view(2), lambda t: t.detach()])
def test_a_write_to_one_of_two_results_of_one_memory_is_told(second, x):
    y, z = two(lambda t: (t, second(t)))(x)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        z.mul_(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="has been modified inplace"):
        (y + z).sum().backward()
    assert x.grad is None


def test_an_input_marked_non_differentiable_is_cut_off(x):
    def forward(ctx, a, w):
        ctx.mark_non_differentiable(a)
        return a, w * 2

    w = sg.ones(2, requires_grad=True)
    y, z = function(forward, lambda ctx, g, h: (None, h * 2))(x, w)
    assert y is not x and not y.requires_grad and x.requires_grad and z.requires_grad


# ---------------------------------------------------------------------------------------------- writes in place


def test_what_was_written_in_place_may_be_saved_at_every_order(x):
    a = x * 2
    y = function(exp_in_place, times_saved)(a)
    assert y is a
    (g,) = grad(y.sum(), x, create_graph=True)
    (h,) = grad(g.sum(), x, create_graph=True)
    (k,) = grad(h.sum(), x)
    e = (x * 2).exp()
    for found, factor in ((g, 2), (h, 4), (k, 8)):
        assert sg.allclose(found, factor * e)


def test_what_was_written_in_place_by_numpy_may_be_saved(x):
    import numpy as np

    def forward(ctx, a):
        ctx.mark_dirty(a)
        np.exp(a.numpy(), out=a.numpy())
        ctx.save_for_backward(a)
        return a

    b = x * 1
    early = (b * b).sum()
    y = function(forward, times_saved)(b)
    y.sum().backward()
    assert sg.allclose(x.grad, x.exp())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        early.backward()


def test_what_was_written_in_place_may_be_saved_in_a_checkpoint(x):
    own = function(exp_in_place, times_saved)
    y = checkpoint(lambda t: own(t * t).sum(), x, use_reentrant=False)
    (g,) = grad(y, x)
    assert sg.allclose(g, 2 * x * (x * x).exp())
    again = lambda t: checkpoint(lambda t: own(t * t).sum(), t, use_reentrant=False)
    assert sg.allclose(sg.func.jvp(again, (x.detach(),), (sg.ones(2),))[1], g.sum())


def test_a_view_written_in_place_changes_its_base(x):
    a = x * 2
    function(exp_in_place, times_saved)(a[:1])
    a.sum().backward()
    assert sg.allclose(x.grad, sg.tensor([2.0 * sg.exp(sg.tensor(1.0)).item(), 2.0]))


def test_a_leaf_is_not_written_to_where_the_mark_comes_first(x):
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad.*in-place"):
        function(exp_in_place, times_saved)(x)
    assert x.tolist() == [0.5, 1.0] and x._version == 0


def test_what_is_marked_as_written_must_be_returned(x):
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2) * 2

    with pytest.raises(RuntimeError, match="marked as dirty during the forward method were not returned"):
        function(forward, lambda ctx, g: g)(x * 1)


def test_marking_what_is_no_input_warns(x):
    def forward(ctx, a):
        y = a * 2
        ctx.mark_dirty(y)
        return y

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        y = function(forward, lambda ctx, g: g * 2)(x)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("mark", ["mark_dirty", "mark_non_differentiable", "save_for_backward", "save_for_forward"])
def test_marks_are_for_tensors(mark, x):
    def forward(ctx, a):
        getattr(ctx, mark)(3)
        return a * 2

    with pytest.raises((TypeError, RuntimeError), match=f"{mark}.*int"):
        function(forward, lambda ctx, g: g)(x)


# ---------------------------------------------------------------------------------- gradients are the user's own


def write(ctx, g):
    return g.mul_(2)


def write_array(ctx, g):
    g.numpy()[...] *= 2
    return g


def write_view(ctx, g):
    g.detach()[...] *= 2
    return g


@pytest.mark.parametrize("backward", [write, write_array, write_view])
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_backward_may_write_to_its_gradient(backward, create_graph, x):
    w, seed = sg.ones(2, requires_grad=True), sg.ones(2)
    y = function(lambda ctx, a: a * 2, backward)(x)
    seen = []
    y.register_hook(seen.append)
    (y + w).backward(seed, create_graph=create_graph)
    assert x.grad.tolist() == [2.0, 2.0]
    assert w.grad.tolist() == seed.tolist() == seen[0].tolist() == [1.0, 1.0]


def test_a_gradient_on_two_ways_is_written_on_one(x):
    twice = function(lambda ctx, a: a * 2, write)
    y = twice(x)
    (twice(y) + y).backward(sg.ones(2))
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_gradient_returned_for_two_inputs_is_two(x):
    w = sg.ones(2, requires_grad=True)
    function(lambda ctx, a, b: a + b, lambda ctx, g: (g, g))(x, w).sum().backward()
    x.grad.mul_(10)
    assert w.grad.tolist() == [1.0, 1.0]


def test_a_saved_tensor_returned_as_gradient_is_not_given_away(x):
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        return a * b

    w = sg.ones(2, requires_grad=True)
    function(forward, lambda ctx, g: (ctx.saved_tensors[0], ctx.saved_tensors[0]))(x, w).sum().backward()
    x.grad.mul_(10)
    assert x.tolist() == w.grad.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("keep", [lambda t: t, lambda t: t[:], lambda t: t.detach(), lambda t: t.numpy()])
@pytest.mark.parametrize("which", ["given", "returned"])
def test_what_a_backward_keeps_is_nobody_elses(keep, which, x):
    kept = []

    def backward(ctx, g):
        r = g * 2
        kept.append(keep(g if which == "given" else r))
        return g if which == "given" else r

    y = function(lambda ctx, a: a * 2, backward)
    (y(x) * 3).sum().backward()
    before, values = x.grad.tolist(), kept[0].tolist()
    kept[0][...] = 0.0
    assert x.grad.tolist() == before
    kept[0][...] = 5.0
    (y(x) * 3).sum().backward()
    assert kept[0].tolist() == [5.0, 5.0] != values
    (g,) = grad((y(x) * 3).sum(), x)
    kept[2][...] = 0.0
    assert g.tolist() == before
