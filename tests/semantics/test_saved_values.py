"""What a graph saved: looked at, packed and unpacked, written over with leave, or computed again at a checkpoint."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
import symgrad.numpy as snp
from symgrad.autograd.graph import allow_mutation_on_saved_tensors
from symgrad.utils.checkpoint import checkpoint, checkpoint_sequential, set_checkpoint_early_stop

from ..helpers.user_defined import Cube, pointwise


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


# `saved_tensors_hooks`: what is saved passes through pack, what is read through unpack --------------------------------


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
def pair():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_each_saved_tensor_is_packed_once_and_unpacked_once(pair):
    counter = Counter()
    y = sg.tensor([3.0, 4.0], requires_grad=True)
    with counter.hooks():
        z = pair * y
    assert sorted(counter.packed) == [[1.0, 2.0], [3.0, 4.0]]
    assert counter.unpacked == 0
    z.sum().backward()
    assert counter.unpacked == 2
    assert pair.grad.tolist() == [3.0, 4.0]


def test_a_tensor_saved_twice_is_packed_twice(pair):
    counter = Counter()
    with counter.hooks():
        pair * pair
    assert counter.packed == [[1.0, 2.0], [1.0, 2.0]]


def test_only_what_is_needed_is_packed(pair):
    counter = Counter()
    with counter.hooks():
        pair * sg.tensor([5.0, 6.0])
    assert counter.packed == [[5.0, 6.0]]


def test_operation_that_saves_nothing_packs_nothing(pair):
    counter = Counter()
    with counter.hooks():
        (pair + 1 - pair).reshape(2, 1).sum()
    assert counter.packed == []


def test_without_gradients_nothing_is_packed(pair):
    counter = Counter()
    with counter.hooks(), sg.no_grad():
        pair.exp()
    with counter.hooks():
        sg.ones(2).exp()
    assert counter.packed == []


def test_output_is_packed_where_the_rule_asks_for_it(pair):
    counter = Counter()
    with counter.hooks():
        y = pair.exp()
    assert counter.packed == [y.tolist()]


def test_what_unpack_returns_is_what_backward_uses(pair):
    counter = Counter(change=lambda t: t * 10)
    with counter.hooks():
        y = pair**2
    y.sum().backward()
    assert pair.grad.tolist() == [20.0, 40.0]


def test_hooks_hold_only_inside_their_block(pair):
    counter = Counter()
    with counter.hooks():
        pass
    (pair**2).sum().backward()
    assert counter.packed == []
    assert counter.unpacked == 0


def test_unpack_runs_outside_the_block(pair):
    counter = Counter()
    with counter.hooks():
        y = (pair**2).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert (len(counter.packed), counter.unpacked) == (1, 2)


def test_the_innermost_hooks_are_used(pair):
    outer, inner = Counter(), Counter()
    with outer.hooks():
        with inner.hooks():
            pair**2
        pair**3
    assert (len(inner.packed), len(outer.packed)) == (1, 1)


def test_anything_may_be_packed(pair):
    store = []

    def pack(tensor):
        store.append(tensor.detach().clone())
        return len(store) - 1

    with sg.autograd.graph.saved_tensors_hooks(pack, lambda k: store[k]):
        y = (pair.sin() * pair).sum()
    y.backward()
    assert len(store) == 3
    assert [round(g, 6) for g in pair.grad.tolist()] == [1.381773, 0.077004]


def test_save_for_backward_of_a_function_is_packed_too(pair):
    counter = Counter()
    with counter.hooks():
        y = pointwise(sg, "Square", lambda a: a * a, lambda a, g: 2 * a * g).apply(pair)
    assert counter.packed == [[1.0, 2.0]]
    y.sum().backward()
    assert counter.unpacked == 1
    assert pair.grad.tolist() == [2.0, 4.0]


def test_error_in_pack_reaches_the_caller(pair):
    def fail(tensor):
        raise ValueError("from pack")

    with sg.autograd.graph.saved_tensors_hooks(fail, lambda t: t):
        with pytest.raises(ValueError, match="from pack"):
            pair.exp()
    assert (pair * 2).requires_grad


def test_unpack_must_return_a_tensor(pair):
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: "no tensor"):
        y = pair.exp().sum()
    with pytest.raises(TypeError, match="(?i)tensor"):
        y.backward()
    assert pair.grad is None


def test_save_on_cpu_changes_no_gradient(pair):
    with sg.autograd.graph.save_on_cpu():
        y = (pair**3).sum()
    y.backward()
    assert pair.grad.tolist() == [3.0, 12.0]


def test_saved_tensor_hooks_can_be_disabled(pair):
    with sg.autograd.graph.disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"):
            with sg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
    assert (pair**2).requires_grad


def in_place(tensor):
    return tensor.mul_(2)


def part_in_place(tensor):
    tensor[:1].zero_()
    return tensor


@pytest.mark.parametrize("pack", [in_place, part_in_place])
@pytest.mark.parametrize("mode", [sg.enable_grad, sg.no_grad])
def test_a_pack_hook_must_not_write_to_what_it_gets(pack, mode, pair):
    def hook(tensor):
        with mode():
            return pack(tensor)

    a = pair * 1
    with sg.autograd.graph.saved_tensors_hooks(hook, lambda t: t):
        with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
            a * a
    assert a.tolist() == pair.tolist()


def test_a_pack_hook_that_writes_past_its_input_is_found(pair):
    a = pair * 1
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.detach().mul_(2), lambda t: t):
        with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"):
            a * a


def test_a_pack_hook_may_write_to_a_clone(pair):
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.clone().mul_(2), lambda t: t / 2):
        y = (pair * pair).sum()
    y.backward()
    assert pair.grad.tolist() == (2 * pair).tolist()


def test_what_a_pack_hook_keeps_may_be_written_to_afterwards(pair):
    kept = []
    with sg.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t.clone(), lambda t: t):
        y = (pair * pair).sum()
    before = pair.tolist()
    kept[0].zero_()
    y.backward()
    assert pair.tolist() == [0.0, 0.0] and pair.grad.tolist() == [2 * v for v in before]


# `utils.checkpoint`: values are computed again in backward instead of kept --------------------------------------------


both = pytest.mark.parametrize("use_reentrant", [False, True])


@pytest.fixture
def halves():
    return sg.tensor([0.5, 1.5], requires_grad=True)


class Counted:
    "x ↦ sin(x)·x, counting its calls."

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return sg.sin(x) * x


@both
def test_checkpoint_changes_no_value_and_no_gradient(use_reentrant, halves):
    expected = Counted()(halves)
    (gradient,) = sg.autograd.grad(expected.sum(), halves)
    y = checkpoint(Counted(), halves, use_reentrant=use_reentrant)
    assert y.tolist() == expected.tolist()
    y.sum().backward()
    assert_allclose(halves.grad.tolist(), gradient.tolist())


@both
def test_function_runs_once_forward_and_once_in_backward(use_reentrant, halves):
    f = Counted()
    y = checkpoint(f, halves, use_reentrant=use_reentrant).sum()
    assert f.calls == 1
    y.backward()
    assert f.calls == 2


@both
def test_checkpoint_under_no_grad_records_nothing(use_reentrant, halves):
    f = Counted()
    with sg.no_grad():
        y = checkpoint(f, halves, use_reentrant=use_reentrant)
    assert f.calls == 1
    assert not y.requires_grad


@both
def test_checkpoints_follow_each_other(use_reentrant, halves):
    f = Counted()
    y = halves
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
    assert_allclose(halves.grad.tolist(), z.grad.tolist())


@both
def test_parameters_captured_by_the_function_get_gradients(use_reentrant, halves):
    linear = sg.nn.Linear(2, 1)
    checkpoint(linear, halves, use_reentrant=use_reentrant).sum().backward()
    assert linear.weight.grad.tolist() == [[0.5, 1.5]]
    assert linear.bias.grad.tolist() == [1.0]
    assert_allclose(halves.grad.tolist(), linear.weight.tolist()[0])


@both
def test_several_inputs_and_outputs(use_reentrant, halves):
    y = sg.tensor([2.0, 3.0], requires_grad=True)
    product, total = checkpoint(lambda a, b, k: (a * b, a + k * b), halves, y, 10, use_reentrant=use_reentrant)
    (product + total).sum().backward()
    assert halves.grad.tolist() == [3.0, 4.0]
    assert y.grad.tolist() == [10.5, 11.5]


def test_keyword_arguments_are_passed_on(halves):
    y = checkpoint(lambda a, power: a**power, halves, power=2, use_reentrant=False)
    y.sum().backward()
    assert halves.grad.tolist() == [1.0, 3.0]


@pytest.mark.parametrize("second", [sg.func.hessian, sg.hessian, lambda f: sg.func.jacrev(sg.func.jacrev(f))])
def test_what_a_function_of_its_own_rule_found_again_is_differentiated_twice(second):
    root = lambda x: sg.scipy.optimize.brentq(lambda y: y**2 - x[0] * x[1], 0.0, 9.0, xtol=1e-14)
    found = second(lambda x: checkpoint(root, x, use_reentrant=False))(sg.tensor([1.0, 4.0]))
    assert_allclose(found.numpy(), [[-0.5, 0.125], [0.125, -0.03125]], rtol=1e-9)


@pytest.mark.parametrize("derivative", [sg.jacfwd, sg.hessian, lambda f: sg.jacfwd(sg.grad(f))])
def test_forward_mode_reads_what_was_packed(derivative):
    f = lambda q: np.linalg.solve(np.outer(q, q) + np.eye(2), q).sum()
    q = np.array([0.5, 2.0])
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t.detach().numpy().copy(), sg.tensor):
        found = derivative(f)(q)
    assert_allclose(found, derivative(f)(q), rtol=1e-12)


@pytest.mark.parametrize("hessian", [sg.func.hessian, lambda f: lambda x: sg.autograd.functional.hessian(f, x)])
def test_rows_of_a_hessian_of_numbers_that_are_computed_again(hessian):
    """Which shape a number had is told without unpacking what was computed of it."""
    f = lambda x: checkpoint(lambda x: x[0] ** 3 * x[1], x, use_reentrant=False)
    found = hessian(f)(sg.tensor([1.0, 2.0]))
    np.testing.assert_array_equal(found.numpy(), [[12.0, 3.0], [3.0, 0.0]])


def test_autograd_grad_works_without_reentry(halves):
    f = Counted()
    (g,) = sg.autograd.grad(checkpoint(f, halves, use_reentrant=False).sum(), halves)
    assert f.calls == 2
    (expected,) = sg.autograd.grad(Counted()(halves).sum(), halves)
    assert_allclose(g.tolist(), expected.tolist())


def test_autograd_grad_is_refused_with_reentry(halves):
    y = checkpoint(Counted(), halves, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match="(?i)checkpoint"):
        sg.autograd.grad(y, halves)
    assert halves.grad is None


def test_second_derivative_without_reentry(halves):
    (g,) = sg.autograd.grad(checkpoint(lambda t: t**3, halves, use_reentrant=False).sum(), halves, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), halves)
    assert h.tolist() == [3.0, 9.0]


def test_the_second_run_of_a_function_of_arrays_makes_arrays_as_the_first_did():
    def f(x):
        a = snp.zeros(3)
        for k in range(3):
            a[k] = np.sin(a[k - 1] * x[1]) + x[0]
        return (a**2).sum()

    x = np.array([0.4, 0.6])
    again = lambda x: checkpoint(f, x, use_reentrant=False)
    assert_allclose(sg.grad(again)(x), sg.grad(f)(x))
    assert_allclose(sg.hessian(again)(x), sg.hessian(f)(x))


def test_a_graph_retained_is_computed_again_each_time(halves):
    f = Counted()
    y = checkpoint(f, halves, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    once = halves.grad.clone()
    y.backward()
    assert_allclose(halves.grad.tolist(), (2 * once).tolist())
    assert f.calls >= 2


def test_checkpoint_saves_only_what_the_function_is_given(halves):
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor

    with sg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = checkpoint(lambda t: t.sin().exp().sin().exp(), halves, use_reentrant=False)
    assert len(packed) <= 1
    y.sum().backward()
    assert halves.grad is not None


def test_random_numbers_are_the_same_the_second_time(halves):
    masks = []

    def f(t):
        masks.append(sg.rand(2).tolist())
        return t * sg.tensor(masks[-1])

    checkpoint(f, halves, use_reentrant=False).sum().backward()
    assert masks[0] == masks[1]
    assert halves.grad.tolist() == masks[0]


def test_error_in_the_function_reaches_the_caller(halves):
    def fail(t):
        raise ValueError("from the function")

    with pytest.raises(ValueError, match="from the function"):
        checkpoint(fail, halves, use_reentrant=False)


def test_use_reentrant_should_be_given(halves):
    with pytest.warns(UserWarning, match="use_reentrant"):
        checkpoint(Counted(), halves)


def test_checkpoint_sequential_runs_its_segments(halves):
    functions = [Counted() for _ in range(4)]
    y = checkpoint_sequential(functions, 2, halves, use_reentrant=False)
    expected = halves
    for _ in range(4):
        expected = sg.sin(expected) * expected
    assert y.tolist() == expected.tolist()
    y.sum().backward()
    assert functions[0].calls == 2
    assert functions[3].calls <= 2
