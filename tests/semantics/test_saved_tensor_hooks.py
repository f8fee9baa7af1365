"""`graph.saved_tensors_hooks`: what is saved passes through pack, what is read through unpack."""

import pytest

import symgrad as sg

from ..helpers.user_defined import pointwise


class Counter:
    "Pack and unpack that count, and change what they hold by `change`."

    def __init__(self, change=lambda t: t):
        self.packed, self.unpacked, self.change = [], 0, change

    def pack(self, tensor):
        self.packed.append(tensor.tolist())
        return tensor.detach().clone()

    def unpack(self, packed):
        self.unpacked += 1
        return self.change(packed)

    def hooks(self):
        return sg.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_each_saved_tensor_is_packed_once_and_unpacked_once(x):
    counter = Counter()
    y = sg.tensor([3.0, 4.0], requires_grad=True)
    with counter.hooks():
        z = x * y
    assert sorted(counter.packed) == [[1.0, 2.0], [3.0, 4.0]]
    assert counter.unpacked == 0
    z.sum().backward()
    assert counter.unpacked == 2
    assert x.grad.tolist() == [3.0, 4.0]


def test_a_tensor_saved_twice_is_packed_twice(x):
    counter = Counter()
    with counter.hooks():
        x * x
    assert counter.packed == [[1.0, 2.0], [1.0, 2.0]]


def test_only_what_is_needed_is_packed(x):
    counter = Counter()
    with counter.hooks():
        x * sg.tensor([5.0, 6.0])
    assert counter.packed == [[5.0, 6.0]]


def test_operation_that_saves_nothing_packs_nothing(x):
    counter = Counter()
    with counter.hooks():
        (x + 1 - x).reshape(2, 1).sum()
    assert counter.packed == []


def test_without_gradients_nothing_is_packed(x):
    counter = Counter()
    with counter.hooks(), sg.no_grad():
        x.exp()
    with counter.hooks():
        sg.ones(2).exp()
    assert counter.packed == []


def test_output_is_packed_where_the_rule_asks_for_it(x):
    counter = Counter()
    with counter.hooks():
        y = x.exp()
    assert counter.packed == [y.tolist()]


def test_what_unpack_returns_is_what_backward_uses(x):
    counter = Counter(change=lambda t: t * 10)
    with counter.hooks():
        y = x**2
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]


def test_hooks_hold_only_inside_their_block(x):
    counter = Counter()
    with counter.hooks():
        pass
    (x**2).sum().backward()
    assert counter.packed == []
    assert counter.unpacked == 0


def test_unpack_runs_outside_the_block(x):
    counter = Counter()
    with counter.hooks():
        y = (x**2).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert (len(counter.packed), counter.unpacked) == (1, 2)


def test_the_innermost_hooks_are_used(x):
    outer, inner = Counter(), Counter()
    with outer.hooks():
        with inner.hooks():
            x**2
        x**3
    assert (len(inner.packed), len(outer.packed)) == (1, 1)


def test_anything_may_be_packed(x):
    store = []

    def pack(tensor):
        store.append(tensor.detach().clone())
        return len(store) - 1

    with sg.autograd.graph.saved_tensors_hooks(pack, lambda k: store[k]):
        y = (x.sin() * x).sum()
    y.backward()
    assert len(store) == 3
    assert [round(g, 6) for g in x.grad.tolist()] == [1.381773, 0.077004]


def test_save_for_backward_of_a_function_is_packed_too(x):
    counter = Counter()
    with counter.hooks():
        y = pointwise(sg, "Square", lambda a: a * a, lambda a, g: 2 * a * g).apply(x)
    assert counter.packed == [[1.0, 2.0]]
    y.sum().backward()
    assert counter.unpacked == 1
    assert x.grad.tolist() == [2.0, 4.0]


def test_error_in_pack_reaches_the_caller(x):
    def fail(tensor):
        raise ValueError("from pack")

    with sg.autograd.graph.saved_tensors_hooks(fail, lambda t: t):
        with pytest.raises(ValueError, match="from pack"):
            x.exp()
    assert (x * 2).requires_grad


def test_unpack_must_return_a_tensor(x):
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: "no tensor"):
        y = x.exp().sum()
    with pytest.raises(TypeError, match="(?i)tensor"):
        y.backward()
    assert x.grad is None


def test_save_on_cpu_changes_no_gradient(x):
    with sg.autograd.graph.save_on_cpu():
        y = (x**3).sum()
    y.backward()
    assert x.grad.tolist() == [3.0, 12.0]


def test_saved_tensor_hooks_can_be_disabled(x):
    with sg.autograd.graph.disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"):
            with sg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
    assert (x**2).requires_grad


def in_place(tensor):
    return tensor.mul_(2)


def part_in_place(tensor):
    tensor[:1].zero_()
    return tensor


@pytest.mark.parametrize("pack", [in_place, part_in_place])
@pytest.mark.parametrize("mode", [sg.enable_grad, sg.no_grad])
def test_a_pack_hook_must_not_write_to_what_it_gets(pack, mode, x):
    def hook(tensor):
        with mode():
            return pack(tensor)

    a = x * 1
    with sg.autograd.graph.saved_tensors_hooks(hook, lambda t: t):
        with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
            a * a
    assert a.tolist() == x.tolist()


def test_a_pack_hook_that_writes_past_its_input_is_found(x):
    a = x * 1
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.detach().mul_(2), lambda t: t):
        with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
            a * a


def test_a_pack_hook_may_write_to_a_clone(x):
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.clone().mul_(2), lambda t: t / 2):
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == (2 * x).tolist()


def test_what_a_pack_hook_keeps_may_be_written_to_afterwards(x):
    kept = []
    with sg.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t.clone(), lambda t: t):
        y = (x * x).sum()
    before = x.tolist()
    kept[0].zero_()
    y.backward()
    assert x.tolist() == [0.0, 0.0] and x.grad.tolist() == [2 * v for v in before]
