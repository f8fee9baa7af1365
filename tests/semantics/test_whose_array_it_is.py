"""What the library gives away nobody else has, and what it was given it does not change."""

import itertools
import pathlib

import numpy as np
import pytest

import symgrad as sg

from ..helpers.user_defined import Identity

N = 70_001  # above the size that is worked on in blocks
SIZES = {"large": N, "middling": 5_000, "small": 6}

PASSING_ON = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "reshape": lambda a, b: a.reshape(1, -1) + b.reshape(1, -1),
    "views": lambda a, b: a[None].squeeze(0) + b.view(-1),
    "expand": lambda a, b: a.expand(3, -1) + b.expand(3, -1),
    "cat": lambda a, b: sg.cat([a, b, a]),
    "stack": lambda a, b: sg.stack([a, b]),
    "clone": lambda a, b: a.clone() + b.clone(),
    "an identity": lambda a, b: Identity.apply(a) + Identity.apply(b),
    "transposed": lambda a, b: a.reshape(1, -1).t() + b.reshape(-1, 1),
    "flipped": lambda a, b: a.flip(0) + b,
    "one alone": lambda a, b: a + b.detach() + 0 * b,
}


def leaves(n):
    x = np.linspace(0.1, 1.0, n)
    return sg.tensor(x, requires_grad=True), sg.tensor(x[::-1].copy(), requires_grad=True)


def none_share(arrays):
    arrays = [a.detach().numpy() if isinstance(a, sg.Tensor) else a for a in arrays]
    return not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))


@pytest.mark.parametrize("size", SIZES)
def test_a_gradient_that_two_parents_share_is_not_written_twice(size):
    a, b = leaves(SIZES[size])
    ((a**2).sum() + ((a + b) ** 2).sum()).backward()
    x, y = a.detach().numpy(), b.detach().numpy()
    np.testing.assert_allclose(a.grad.numpy(), 2 * x + 2 * (x + y), rtol=1e-14)
    np.testing.assert_allclose(b.grad.numpy(), 2 * (x + y), rtol=1e-14)


@pytest.mark.parametrize("size", SIZES)
def test_gradients_of_shared_terms_of_a_function(size):
    x = np.linspace(0.1, 1.0, SIZES[size])
    s, c, e = np.sin(x), np.cos(x), np.exp(x)
    g = sg.grad(lambda x: (np.sin(x) ** 2).sum() + ((np.sin(x) + np.exp(x)) ** 2).sum())(x)
    np.testing.assert_allclose(g, 2 * s * c + 2 * (s + e) * (c + e), rtol=1e-13)


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("program", PASSING_ON)
def test_grads_share_no_memory_with_each_other_or_the_seed(program, size, create_graph):
    a, b = leaves(SIZES[size])
    y = PASSING_ON[program](a, b)
    seed = sg.full(y.shape, 2.0, requires_grad=create_graph)
    y.retain_grad()
    y.backward(seed, create_graph=create_graph)
    assert none_share([a.grad, b.grad, y.grad, seed, a, b])
    expected = [a.grad.detach().numpy().copy(), b.grad.detach().numpy().copy()]
    found = sg.autograd.grad(PASSING_ON[program](a, b), [a, b], seed, create_graph=create_graph)
    assert none_share([*found, seed, a, b])
    for g, e in zip(found, expected):
        np.testing.assert_array_equal(g.detach().numpy(), e)
        assert g.requires_grad == create_graph
    assert (seed.detach().numpy() == 2).all()


@pytest.mark.parametrize("size", SIZES)
def test_results_for_an_input_named_twice_and_for_what_is_on_the_way_are_apart(size):
    a, b = leaves(SIZES[size])
    y = a * b
    z = y + a
    seed = sg.ones(SIZES[size])
    found = sg.autograd.grad(z, [a, a, y, z, b], seed)
    assert none_share([*found, seed, a, b])
    np.testing.assert_array_equal(found[0].numpy(), (b + 1).detach().numpy())
    np.testing.assert_array_equal(found[0].numpy(), found[1].numpy())
    assert (found[2].numpy() == 1).all() and (found[3].numpy() == 1).all()


@pytest.mark.parametrize("size", SIZES)
def test_what_was_given_may_be_written_to(size):
    a, b = leaves(SIZES[size])
    y = sg.exp(a) + a + b
    loss = (y * y).sum()

    def gradients():
        return [g.numpy() for g in sg.autograd.grad(loss, [a, b, y], retain_graph=True)]

    first = gradients()
    expected = [g.copy() for g in first]
    for g in first:
        g[...] = np.nan
    for g, e in zip(gradients(), expected):
        np.testing.assert_array_equal(g, e)


def test_a_seed_that_is_a_leafs_gradient_is_what_it_was():
    x, y = sg.ones(3, requires_grad=True), sg.ones(3, requires_grad=True)
    v = x + y
    v.sum().backward(retain_graph=True)
    v.backward(x.grad)
    assert x.grad.tolist() == [2.0, 2.0, 2.0] and y.grad.tolist() == [2.0, 2.0, 2.0]


# Hooks ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_a_hook_may_keep_and_overwrite_what_it_is_shown(size):
    n = SIZES[size]
    a, b = leaves(n)
    kept = []

    def doubled(g):
        kept.append(g)
        return g.mul_(2)

    y = a + b  # passes the same gradient to both
    a.register_hook(doubled)
    y.sum().backward()
    assert (a.grad.numpy() == 2).all() and (b.grad.numpy() == 1).all()
    assert none_share([a.grad, b.grad, *kept])
    kept[0].fill_(7)
    assert (a.grad.numpy() == 2).all()


@pytest.mark.parametrize("size", SIZES)
def test_a_hook_that_writes_and_returns_nothing_changes_the_gradient_of_its_tensor_alone(size):
    a, b = leaves(SIZES[size])

    def hook(g):
        g.zero_()

    a.register_hook(hook)
    (a + b).sum().backward()
    assert (a.grad.numpy() == 0).all() and (b.grad.numpy() == 1).all()


@pytest.mark.parametrize("size", SIZES)
def test_hooks_may_return_one_buffer_again_and_again(size):
    n = SIZES[size]
    a, b = leaves(n)
    buffer = sg.zeros(n)

    def through(factor):
        def hook(g):
            with sg.no_grad():
                buffer.copy_(g)
                buffer.mul_(factor)
            return buffer

        return hook

    a.register_hook(through(2.0))
    b.register_hook(through(3.0))
    (a + b).sum().backward()
    assert (a.grad.numpy() == 2).all() and (b.grad.numpy() == 3).all()
    assert none_share([a.grad, b.grad, buffer])


@pytest.mark.parametrize("size", SIZES)
def test_hooks_of_nodes_see_copies(size):
    a, b = leaves(SIZES[size])
    kept = []

    def hook(inputs, outputs):
        kept.extend([*inputs, *outputs])
        for g in (*inputs, *outputs):
            g.mul_(0)
        return tuple(sg.full_like(g, 5.0) for g in inputs)

    y = a + b
    z = y * 1.0
    y.grad_fn.register_hook(hook)
    z.grad_fn.register_prehook(lambda gs: kept.extend(gs))
    (z + y).sum().backward()
    assert (a.grad.numpy() == 5).all() and (b.grad.numpy() == 5).all()
    assert none_share([a.grad, b.grad, *kept])


@pytest.mark.parametrize("size", SIZES)
def test_hooks_under_create_graph_write_to_tensors_of_their_own(size):
    a, b = leaves(SIZES[size])
    y = a * a
    z = y + b * 1.0
    y.register_hook(lambda g: g.mul_(3.0))
    ga, gb = sg.autograd.grad((z**2).sum(), [a, b], create_graph=True)
    x, w = a.detach().numpy(), b.detach().numpy()
    np.testing.assert_allclose(ga.detach().numpy(), 3 * 2 * (x * x + w) * 2 * x, rtol=1e-13)
    np.testing.assert_allclose(gb.detach().numpy(), 2 * (x * x + w), rtol=1e-13)
    (h,) = sg.autograd.grad(ga.sum(), a)
    # 12x(x² + w), and the hook again on the way through y
    np.testing.assert_allclose(h.numpy(), 12 * (x * x + w) + 3 * 24 * x * x, rtol=1e-13)


def test_a_retained_gradient_and_what_follows_are_apart():
    a, b = leaves(N)
    y = a + b
    y.retain_grad()
    y.sum().backward()
    y.grad.fill_(9.0)
    assert (a.grad.numpy() == 1).all() and (b.grad.numpy() == 1).all()


def test_no_decision_rests_on_counted_references():
    """Later Pythons, and those without the lock, do not count every holder."""
    package = pathlib.Path(sg.__file__).parent
    assert not [p for p in package.rglob("*.py") if "getrefcount" in p.read_text()]
