"""`backward` and `autograd.grad`: what they need, what they return, what they free."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg

SECOND_TIME = "Trying to backward through the graph a second time"


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_backward_of_a_non_scalar_needs_a_gradient(x):
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * 2).backward()
    assert x.grad is None


def test_backward_of_one_element_of_any_shape_needs_none():
    x = sg.ones(1, 1, 1, requires_grad=True)
    (x * 3).backward()
    assert x.grad.tolist() == [[[3.0]]]


def test_backward_of_a_non_scalar_weighs_by_its_gradient(x):
    (x**2).backward(sg.tensor([1.0, 10.0, 100.0]))
    assert x.grad.tolist() == [2.0, 40.0, 600.0]


def test_gradient_keyword_is_the_first_argument(x):
    (x**2).backward(gradient=sg.ones(3))
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_gradient_of_another_shape_is_refused(x):
    y = x * 2
    with pytest.raises(RuntimeError, match="(?i)mismatch in shape"):
        y.backward(sg.ones(2))
    assert x.grad is None


def test_backward_of_what_needs_no_gradient_is_refused():
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        sg.ones(()).backward()


def test_backward_of_a_leaf_is_its_seed():
    x = sg.tensor(3.0, requires_grad=True)
    x.backward()
    x.backward()
    assert x.grad.item() == 2.0


def test_autograd_backward_takes_several_outputs(x):
    sg.autograd.backward([x.sum(), (x**2).sum()])
    assert x.grad.tolist() == [3.0, 5.0, 7.0]


def test_autograd_backward_takes_seeds(x):
    y = x**2
    sg.autograd.backward((y, x.sum()), grad_tensors=(sg.tensor([1.0, 0.0, 2.0]), None))
    assert x.grad.tolist() == [3.0, 1.0, 13.0]


def test_backward_with_inputs_fills_only_these(x):
    y = sg.tensor([4.0, 5.0, 6.0], requires_grad=True)
    (x * y).sum().backward(inputs=[x])
    assert x.grad.tolist() == [4.0, 5.0, 6.0]
    assert y.grad is None


def test_backward_with_inputs_fills_a_non_leaf_too(x):
    y = x * 2
    (y**2).sum().backward(inputs=[y])
    assert x.grad is None
    assert y.grad.tolist() == [4.0, 8.0, 12.0]


def test_backward_with_no_inputs_is_refused(x):
    with pytest.raises(RuntimeError, match="cannot be empty"):
        x.sum().backward(inputs=[])


def test_grad_returns_a_tuple_and_touches_no_grad(x):
    result = sg.autograd.grad((x**2).sum(), x)
    assert isinstance(result, tuple) and len(result) == 1
    assert result[0].tolist() == [2.0, 4.0, 6.0]
    assert x.grad is None


def test_grad_keeps_what_was_in_grad(x):
    x.sum().backward()
    sg.autograd.grad((x**2).sum(), x)
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_grad_of_several_inputs_keeps_their_order(x):
    y = sg.tensor(10.0, requires_grad=True)
    gy, gx = sg.autograd.grad((x * y).sum(), (y, x))
    assert gy.item() == 6.0
    assert gx.tolist() == [10.0, 10.0, 10.0]


def test_grad_of_several_outputs_adds(x):
    (g,) = sg.autograd.grad([x.sum(), (x * 2).sum()], [x])
    assert g.tolist() == [3.0, 3.0, 3.0]


def test_grad_of_the_same_input_twice_gives_it_twice(x):
    first, second = sg.autograd.grad((x**2).sum(), (x, x))
    assert first.tolist() == second.tolist() == [2.0, 4.0, 6.0]


def test_grad_outputs_weigh_each_output(x):
    (g,) = sg.autograd.grad((x**2, x.sum()), x, grad_outputs=(sg.tensor([1.0, 0.0, 2.0]), sg.tensor(5.0)))
    assert g.tolist() == [7.0, 5.0, 17.0]


def test_grad_of_a_non_leaf(x):
    y = x * 2
    z = y**2
    gx, gy = sg.autograd.grad(z.sum(), (x, y))
    assert gy.tolist() == [4.0, 8.0, 12.0]
    assert gx.tolist() == [8.0, 16.0, 24.0]


def test_grad_of_an_output_with_respect_to_itself_is_the_seed(x):
    y = (x**2).sum()
    (g,) = sg.autograd.grad(y, y)
    assert g.item() == 1.0


def test_unused_input_is_refused(x):
    unused = sg.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph.*allow_unused"):
        sg.autograd.grad(x.sum(), (x, unused))


def test_unused_input_is_none_when_allowed(x):
    unused = sg.tensor(1.0, requires_grad=True)
    gx, gu = sg.autograd.grad(x.sum(), (x, unused), allow_unused=True)
    assert gx.tolist() == [1.0, 1.0, 1.0]
    assert gu is None


def test_unused_input_is_zero_when_materialized(x):
    unused = sg.ones(2, 2, requires_grad=True)
    _, gu = sg.autograd.grad(x.sum(), (x, unused), materialize_grads=True)
    assert gu.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_materialized_grads_need_allow_unused(x):
    with pytest.raises(ValueError, match="allow_unused"):
        sg.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


def test_input_that_needs_no_gradient_is_refused(x):
    constant = sg.ones(3)
    with pytest.raises(RuntimeError, match="does not require grad"):
        sg.autograd.grad((x * constant).sum(), constant)


def test_graph_is_freed_by_default(x):
    y = (x**2).sum()
    y.backward()
    with pytest.raises(RuntimeError, match=SECOND_TIME):
        y.backward()
    with pytest.raises(RuntimeError, match=SECOND_TIME):
        sg.autograd.grad(y, x)
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_grad_frees_the_graph_too(x):
    y = (x**2).sum()
    sg.autograd.grad(y, x)
    with pytest.raises(RuntimeError, match=SECOND_TIME):
        y.backward()


def test_grad_frees_only_what_it_walks(x):
    y = x**2
    z = y**2
    sg.autograd.grad(z.sum(), y)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_retained_graph_can_be_walked_any_number_of_times(x):
    y = (x**2).sum()
    for _ in range(4):
        y.backward(retain_graph=True)
    assert x.grad.tolist() == [8.0, 16.0, 24.0]


def test_create_graph_with_retain_graph_false_frees(x):
    y = (x**2).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match=SECOND_TIME):
        y.backward()
    assert g.requires_grad


def test_values_outlive_their_graph(x):
    y = x**2
    z = y.sum()
    z.backward()
    assert y.tolist() == [1.0, 4.0, 9.0]
    assert z.item() == 14.0


SAVE_NOTHING = {
    "add": lambda x: x + x + 1,
    "sub": lambda x: 1 - x,
    "neg": lambda x: -x,
    "sum": lambda x: x.sum(),
    "sum along": lambda x: x.reshape(1, 3).sum(1),
    "mean": lambda x: x.mean(),
    "reshape": lambda x: x.reshape(3, 1),
    "transpose": lambda x: x.reshape(1, 3).t(),
    "expand": lambda x: x.expand(2, 3),
    "cat": lambda x: sg.cat([x, x]),
    "stack": lambda x: sg.stack([x, x]),
    "select": lambda x: x[0],
    "slice": lambda x: x[1:],
    "clone": lambda x: x.clone(),
    "cumsum": lambda x: x.cumsum(0),
    "flip": lambda x: x.flip(0),
    "roll": lambda x: x.roll(1),
    "pad": lambda x: sg.nn.functional.pad(x, (1, 1)),
    "repeat": lambda x: x.repeat(2),
    "tril": lambda x: x.expand(3, 3).tril(),
    "diag": lambda x: x.diag(),
    "trace": lambda x: x.expand(3, 3).trace(),
    "cast": lambda x: x.float(),
    "floor": lambda x: x.floor(),
    "sign": lambda x: x.sign(),
    "round": lambda x: x.round(),
}

SAVE_SOMETHING = {
    "mul": lambda x: x * x,
    "mul by constant": lambda x: x * sg.ones(3),
    "div": lambda x: 1 / x,
    "pow": lambda x: x**2,
    "sin": lambda x: x.sin(),
    "exp": lambda x: x.exp(),
    "sqrt": lambda x: x.sqrt(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: x.relu(),
    "abs": lambda x: x.abs(),
    "clamp": lambda x: x.clamp(0, 1),
    "where": lambda x: sg.where(x > 0, x, 1.0),
    "maximum": lambda x: sg.maximum(x, sg.ones(3)),
    "prod": lambda x: x.prod(),
    "var": lambda x: x.var(),
    "max": lambda x: x.max(),
    "max along": lambda x: x.max(0)[0],
    "logsumexp": lambda x: x.logsumexp(0),
    "log_softmax": lambda x: x.log_softmax(0),
    "cumprod": lambda x: x.cumprod(0),
    "sort": lambda x: x.sort()[0],
    "norm": lambda x: x.norm(),
    "gather": lambda x: x.gather(0, sg.tensor([0])),
    "index": lambda x: x[[0, 2]],
    "masked_fill": lambda x: x.masked_fill(x > 2, 0.0),
    "dot": lambda x: x.dot(sg.ones(3)),
    "mv": lambda x: sg.ones(2, 3) @ x,
    "mm": lambda x: x.reshape(1, 3) @ sg.ones(3, 2),
}


@pytest.mark.parametrize("name", SAVE_NOTHING)
def test_operation_that_saves_nothing_can_be_walked_twice(name, x):
    y = SAVE_NOTHING[name](x)
    y.backward(sg.ones_like(y))
    once = x.grad.clone()
    y.backward(sg.ones_like(y))
    assert x.grad.tolist() == (2 * once).tolist()


@pytest.mark.parametrize("name", SAVE_SOMETHING)
def test_operation_that_saves_something_can_be_walked_once(name, x):
    y = SAVE_SOMETHING[name](x)
    y.backward(sg.ones_like(y))
    once = x.grad.tolist()
    with pytest.raises(RuntimeError, match=SECOND_TIME):
        y.backward(sg.ones_like(y))
    assert x.grad.tolist() == once


def test_third_derivatives(x):
    y = (x**4 + sg.sin(x)).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    (h,) = sg.autograd.grad(g.sum(), x, create_graph=True)
    (t,) = sg.autograd.grad(h.sum(), x)
    c = [0.5403023058681398, -0.4161468365471424, -0.9899924966004454]
    assert_allclose(t.tolist(), [24 - c[0], 48 - c[1], 72 - c[2]])
    assert not t.requires_grad


def test_mixed_second_derivatives():
    a = sg.tensor(2.0, requires_grad=True)
    b = sg.tensor(3.0, requires_grad=True)
    y = a**2 * b**3
    ga, gb = sg.autograd.grad(y, (a, b), create_graph=True)
    (gab,) = sg.autograd.grad(ga, b, retain_graph=True)
    (gba,) = sg.autograd.grad(gb, a)
    assert gab.item() == gba.item() == 108.0


def test_backward_through_a_gradient_reaches_the_leaves(x):
    (g,) = sg.autograd.grad((x**3).sum(), x, create_graph=True)
    (g**2).sum().backward()
    assert x.grad.tolist() == [36.0, 288.0, 972.0]


def test_backward_accumulates_into_the_same_tensor(x):
    x.sum().backward()
    held = x.grad
    x.sum().backward()
    assert x.grad is held
    assert held.tolist() == [2.0, 2.0, 2.0]


def test_backward_with_create_graph_leaves_the_old_tensor_alone(x):
    x.sum().backward()
    held = x.grad
    (x**2).sum().backward(create_graph=True)  # no warning of a reference cycle: there is none
    assert held.tolist() == [1.0, 1.0, 1.0]
    assert x.grad.tolist() == [3.0, 5.0, 7.0]
    assert x.grad.requires_grad
    x.grad = None


def test_the_seed_is_not_shared_with_grad():
    x = sg.ones(3, requires_grad=True)
    seed = sg.tensor([1.0, 2.0, 3.0])
    (x + 0).backward(seed)
    (x + 0).backward(seed)
    assert seed.tolist() == [1.0, 2.0, 3.0]
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_two_leaves_do_not_share_a_gradient():
    a = sg.ones(2, requires_grad=True)
    b = sg.ones(2, requires_grad=True)
    (a + b).sum().backward()
    a.grad.mul_(10)
    assert b.grad.tolist() == [1.0, 1.0]


def test_gradient_of_a_broadcast_operand_is_summed_to_its_shape():
    a = sg.ones(3, 1, requires_grad=True)
    b = sg.ones(4, requires_grad=True)
    (a * b * 2).sum().backward()
    assert a.grad.tolist() == [[8.0], [8.0], [8.0]]
    assert b.grad.tolist() == [6.0, 6.0, 6.0, 6.0]


def test_a_diamond_is_walked_once(x):
    y = x * 2
    calls = []
    y.register_hook(lambda g: calls.append(1))
    (y * y + y.sin() + y).sum().backward()
    assert len(calls) == 1


def test_deep_graphs_do_not_recurse():
    x = sg.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1.0


# Batches of seeds


def two(x):
    return [(x**2).sum(), x**3]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_seed_may_be_none_among_batched_ones(x, create_graph):
    seeds = sg.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
    (g,) = sg.autograd.grad(two(x), x, [None, seeds], is_grads_batched=True, create_graph=create_graph)
    assert_allclose(g.detach().numpy(), 2 * x.detach().numpy() + 3 * seeds.numpy() * x.detach().numpy() ** 2)
    assert g.requires_grad is create_graph


@pytest.mark.parametrize("create_graph", [False, True])
def test_no_examples_give_gradients_of_no_examples(x, create_graph):
    z = sg.ones(2, 2, requires_grad=True)
    options = {"is_grads_batched": True, "create_graph": create_graph}
    g, unused = sg.autograd.grad(x**2, [x, z], sg.ones(0, 3), allow_unused=True, **options)
    assert tuple(g.shape) == (0, 3) and unused is None and g.requires_grad is create_graph
    g, zeros = sg.autograd.grad(x**2, [x, z], sg.ones(0, 3), materialize_grads=True, **options)
    assert tuple(g.shape) == (0, 3) and tuple(zeros.shape) == (0, 2, 2)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        sg.autograd.grad(x**2, [x, z], sg.ones(0, 3), **options)


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        (None, "with examples along a first dimension: got 0 for 2"),
        ([None, None], "with examples along a first dimension: got 0 for 2"),
        ([sg.ones(2)], "with examples along a first dimension: got 1 for 2"),
        ([sg.tensor(1.0), None], "with examples along a first dimension"),
        ([None, sg.ones(2, 4)], r"grad_output\[1\] has a shape of \[2, 4\] and output\[1\] has a shape of \[3\]"),
        ([sg.ones(2), sg.ones(4, 3)], r"grad_output\[1\] has a shape of \[4, 3\]"),
    ],
)
def test_batched_seeds_that_do_not_fit_are_told(x, seeds, words):
    with pytest.raises(RuntimeError, match=words):
        sg.autograd.grad(two(x), x, seeds, is_grads_batched=True)


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 9])
def test_a_batch_of_seeds_gives_what_they_give_one_by_one(count, retain):
    rng = np.random.default_rng(0)
    x, w = (sg.tensor(rng.normal(size=s), requires_grad=True) for s in ((4, 3), (3, 3)))
    unused = sg.ones(2, requires_grad=True)
    hidden = sg.tanh(x @ w)
    outs = [sg.softmax(hidden, -1).cumsum(0) * x[:, :1], hidden.sum()]
    seeds = [sg.tensor(rng.normal(size=(count, 4, 3))), None]
    wanted = [x, w, hidden, unused]  # hidden lies on the way to x and w

    def grads(some, **options):
        return sg.autograd.grad(outs, wanted, some, allow_unused=True, **options)

    each = [grads([seeds[0][k], None], retain_graph=True) for k in range(count)]
    found = grads(seeds, is_grads_batched=True, retain_graph=retain)
    assert found[3] is None
    for k in range(3):
        assert_allclose(found[k].numpy(), np.stack([one[k].numpy() for one in each]), rtol=1e-13, atol=1e-14)
    assert found[0].shape == (count, 4, 3)
    if not retain:
        with pytest.raises(sg.GraphFreedError, match="a second time"):
            grads([seeds[0][0], None])
    else:
        grads([seeds[0][0], None])


@pytest.mark.parametrize("batched", [False, True])
def test_a_seed_may_be_an_array(x, batched):
    seed = np.ones((2, 3)) if batched else np.ones(3)
    (g,) = sg.autograd.grad(x**2, x, seed, is_grads_batched=batched)
    assert g.tolist() == (2 * x * seed).tolist()


# What a gradient says of itself


@pytest.mark.parametrize("ask", ["backward", "grad", "sg.grad"])
def test_a_gradient_without_a_graph_says_that_it_has_no_formula(x, ask):
    if ask == "backward":
        (x**2).sum().backward()
        g = x.grad
    else:
        f = lambda x: (x**2).sum()
        g = sg.autograd.grad(f(x), x)[0] if ask == "grad" else sg.grad(f)(x.detach())
    with pytest.raises(sg.FormulaError, match="numbers only: .*\n.*\n.*create_graph=True"):
        g.formula()


def test_numbers_that_are_a_formula_stay_one(x):
    x.name = "x"
    assert str(sg.tensor([1.0, 2.0]).formula()) == "[1, 2]"
    (g,) = sg.autograd.grad((x * 2).sum(), x, create_graph=True)  # a constant, and its formula says so
    assert str(g.formula()) == "2𝟏"
    (x**2).sum().backward()
    x.grad.name = "g"
    assert str(x.grad.formula()) == "g"
    assert str((x * x.grad).sum().formula()) == "gᵀx"
    x.grad = None
    (x**2).sum().backward(create_graph=True)
    assert str(x.grad.formula()) == "2x"
