"""What a graph saved: looked at, packed one by one, written over with leave; and where a checkpoint stops."""

import sys

import numpy as np
import pytest

import symgrad as sg
from symgrad.autograd.graph import allow_mutation_on_saved_tensors
from symgrad.utils.checkpoint import checkpoint, set_checkpoint_early_stop

from ..helpers.user_defined import Cube


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0, 3.0], requires_grad=True)


# _saved_… -------------------------------------------------------------------------------------------------------------


def test_a_node_shows_what_it_saved_under_pytorchs_names(x):
    y = x**2
    assert y.grad_fn._saved_self is x and y.grad_fn._saved_exponent == 2
    e = x.exp()
    result = e.grad_fn._saved_result
    assert result is not e and result.grad_fn is e.grad_fn and result.tolist() == e.tolist()
    m = sg.ones(2, 3) @ sg.ones(3, 2, requires_grad=True)
    assert m.grad_fn._saved_mat2 is None and m.grad_fn._saved_self.shape == (2, 3)
    s = sg.ones(2, 3, requires_grad=True).sum(1)
    assert (s.grad_fn._saved_dim, s.grad_fn._saved_keepdim, s.grad_fn._saved_self_sym_sizes) == ((1,), False, (2, 3))
    assert sg.sort(x, descending=True)[0].grad_fn._saved_indices.tolist() == [2, 1, 0]
    assert [k for k in dir(y.grad_fn) if "saved_" in k] == ["_raw_saved_self", "_saved_exponent", "_saved_self"]
    with pytest.raises(AttributeError, match="'PowBackward0' object has no attribute '_saved_other'"):
        y.grad_fn._saved_other


def test_several_outputs_have_names_of_their_own():
    a = sg.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)
    w, v = sg.linalg.eigh(a)
    assert w.grad_fn._saved_eigenvalues.tolist() == w.tolist()
    assert w.grad_fn._saved_eigenvectors.tolist() == v.tolist()


def test_a_saved_value_has_its_history(x):
    y = (x * 2).exp().sin()
    inner = y.grad_fn._saved_self
    assert inner.grad_fn.name() == "ExpBackward0"
    assert sg.autograd.grad(inner.sum(), x)[0].tolist() == (2 * sg.exp(2 * x)).tolist()


def test_what_is_gone_or_spoilt_is_not_shown(x):
    y = x.exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="directly access saved tensors after they have already been freed"):
        y.grad_fn._saved_result
    a = x.clone()
    y = a.sin()
    a.mul_(2)
    with pytest.raises(sg.InplaceError, match="has been modified by an inplace operation"):
        y.grad_fn._saved_self


# One value packed -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["_raw_saved_self", "_raw_saved_tensors"])
def test_one_saved_value_can_have_hooks_of_its_own(place, x):
    seen = []
    y = Cube.apply(x) if place.endswith("tensors") else x**3
    raw = getattr(y.grad_fn, place)
    raw = raw[0] if isinstance(raw, tuple) else raw

    def pack(t):
        seen.append("pack")
        return t.numpy().tolist()

    def unpack(values):
        seen.append("unpack")
        return sg.tensor(values)

    raw.register_hooks(pack, unpack)
    assert seen == ["pack"]
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        raw.register_hooks(pack, unpack)
    (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    assert g.tolist() == [3.0, 12.0, 27.0] and set(seen[1:]) == {"unpack"}
    assert sg.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0, 18.0]
    y.sum().backward()
    with pytest.raises(RuntimeError, match="after it has been freed"):
        raw.register_hooks(pack, unpack)


def test_hooks_want_a_value_and_two_functions(x):
    y = x * 3.0
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(TypeError, match="must be functions"):
        x.exp().grad_fn._raw_saved_result.register_hooks(None, None)
    with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
        (x * x).grad_fn._raw_saved_self.register_hooks(lambda t: t.detach().mul_(2), lambda t: t)


# Written over ---------------------------------------------------------------------------------------------------------

WRITES = {
    "in place": lambda a: a.mul_(100.0),
    "setitem": lambda a: a.__setitem__(0, 7.0),
    "a view": lambda a: a[1:].zero_(),
    "no_grad": sg.no_grad()(lambda a: a.add_(1.0)),
    "data": lambda a: a.data.fill_(9.0),
}
READERS = {
    "operand": lambda a: (a**2).sum(),
    "result": lambda a: a.exp_().sum(),
    "view": lambda a: (a.view(3, 1) * a[None]).sum(),
    "function": lambda a: Cube.apply(a).sum(),
    "two": lambda a: (a.sin() * a.cos()).sum(),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("read", READERS)
def test_saved_values_may_be_written_over_where_that_is_allowed(write, read, x):
    (want,) = sg.autograd.grad(READERS[read](x.clone()), x)
    with allow_mutation_on_saved_tensors():
        a = x.clone()
        y = READERS[read](a)
        WRITES[write](a)
        (g,) = sg.autograd.grad(y, x, create_graph=True)
        assert g.tolist() == want.tolist()
        WRITES[write](a)
    assert sg.autograd.grad(y, x)[0].tolist() == want.tolist()  # and later: the copies are the graph's


def test_a_leaf_may_be_written_over_too(x):
    with allow_mutation_on_saved_tensors():
        y = (x**3).sum()
        with sg.no_grad():
            x.mul_(10.0)
        (g,) = sg.autograd.grad(y, x, create_graph=True)
        assert g.tolist() == [3.0, 12.0, 27.0]
        assert sg.autograd.grad(g.sum(), x)[0].tolist() == [6.0, 12.0, 18.0]


def test_only_what_was_recorded_in_the_block_is_protected(x):
    a = x.clone()
    before = (a**2).sum()
    with allow_mutation_on_saved_tensors() as context:
        inside = (a**2).sum()
        a.mul_(2.0)
        inside.backward()
        with pytest.raises(sg.InplaceError):
            before.backward()
        b = x.clone()
        forgotten = (b**2).sum()
        context.clear()
        b.mul_(2.0)
        with pytest.raises(sg.InplaceError):
            forgotten.backward()
        with pytest.raises(RuntimeError, match="contexts cannot be nested"), allow_mutation_on_saved_tensors():
            pass
    c = x.clone()
    after = (c**2).sum()
    c.mul_(2.0)
    with pytest.raises(sg.InplaceError):
        after.backward()


def test_what_is_not_written_to_is_not_copied(x):
    with allow_mutation_on_saved_tensors():
        a, b = x.clone(), x.clone()
        y, z = a**2, b**2
        a.mul_(2.0)
        assert np.shares_memory(z.grad_fn._saved_self.detach().numpy(), b.detach().numpy())
        assert not np.shares_memory(y.grad_fn._saved_self.detach().numpy(), a.detach().numpy())


# Inference tensors, checkpoints ---------------------------------------------------------------------------------------


def test_inference_tensors_say_so():
    with sg.inference_mode():
        x = sg.ones(2) * 2
    assert sg.is_inference(x) and x.is_inference()
    assert not sg.is_inference(x.clone()) and not sg.ones(1).is_inference()


@pytest.mark.parametrize("enable", [True, False])
def test_a_checkpoint_stops_early_or_not_as_the_block_says(enable, x):
    ends = []

    def f(x):
        y = x.exp()
        ends.append(1)
        return y

    with set_checkpoint_early_stop(enable):
        y = checkpoint(f, x, use_reentrant=False, early_stop=not enable)
    y.sum().backward()
    assert x.grad.tolist() == sg.exp(x).tolist()
    assert len(ends) == (1 if enable else 2)


@pytest.mark.parametrize(("take", "expected"), [
    (lambda x: x[1], {"dim": 0, "index": 1}), (lambda x: x[:, 2], {"dim": 1, "index": 2}),
    (lambda x: x[1:3], {"dim": 0, "start": 1, "end": 3, "step": 1}), (lambda x: x[..., 1], {"dim": 2, "index": 1}),
    (lambda x: x[1, ::2], {"dim": 0, "start": 0, "end": sys.maxsize, "step": 2}),
    (lambda x: x[0, :, 3], {"dim": 1, "index": 3}),
])  # fmt: skip
def test_nodes_of_slices_say_what_was_taken_of_which_dimension(take, expected):
    node = take(sg.ones(4, 5, 6, requires_grad=True)).grad_fn
    found = {n.removeprefix("_saved_"): getattr(node, n) for n in dir(node) if n.startswith("_saved_")}
    assert found == {**expected, "self_sym_sizes": (4, 5, 6)}


def test_nodes_say_numbers_that_are_the_same_for_all_or_follow_from_shapes():
    x = sg.ones(2, 3, requires_grad=True)
    assert (x + x).grad_fn._saved_alpha == (x - x).grad_fn._saved_alpha == 1
    assert x.mean().grad_fn._saved_self_sym_numel == x.mean(1).grad_fn._saved_self_sym_numel == 6
    assert x.tril(1).grad_fn._saved_diagonal == 1
    assert sg.nn.functional.leaky_relu(x, 0.2).grad_fn._saved_negative_slope == 0.2
