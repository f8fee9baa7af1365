"""`vmap` runs the batch at once, in groups or in a loop, and says which and why."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, vmap


@pytest.fixture
def rows():
    return sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def counted(f):
    calls = []

    def g(*args):
        calls.append(1)
        return f(*args)

    return g, calls


def test_a_function_runs_a_few_times_however_many_examples_there_are():
    f, calls = counted(lambda row: sg.sin(row).sum() * row)
    x = sg.tensor(np.random.default_rng(0).normal(size=(100, 3)))
    assert_allclose(vmap(f)(x).tolist(), (sg.sin(x).sum(1, keepdim=True) * x).tolist())
    assert len(calls) <= 4


def test_the_plan_says_what_runs_at_once_and_what_does_not(rows):
    assert vmap(lambda row: sg.exp(row).sum()).plan(rows) == "batched: 2 operations"
    assert vmap(lambda row: sg.kron(row, row) + 1).plan(rows) == "batched: 2 operations, 1 in a loop: kron"
    assert vmap(lambda row: row.sum(), chunk_size=1).plan(rows) == "in 2 chunks, batched: 1 operation"


@pytest.mark.parametrize(
    ("f", "why"),
    [
        (lambda row: row if row.sum() > 20 else -row, "it needs a value, at test_vmap_routes.py:"),
        (lambda row: row * row.sum().item(), "item() asked for the value"),
        (lambda row: row * float(row[0]), "float() asked for the value"),
        (lambda row: row[row > 0], "which elements an index picks"),
        (lambda row: sg.tensor(math.sin(row[0])), "it needs a value"),
        (lambda row: row.clone().mul_(2.0), "it writes in place"),
        (lambda row: filled(row), "it writes in place"),
        (lambda row: Sign.apply(row) * row, "it applies Sign, an autograd.Function"),
        (lambda row: row + (Sign.apply(row) - row).detach(), "it applies Sign, an autograd.Function"),
        (lambda row: row * next(NUMBERS), "run for itself gives another result"),
    ],
    ids=[
        "if",
        "item",
        "float",
        "mask",
        "math",
        "in place",
        "buffer",
        "Function",
        "detached Function",
        "not a function",
    ],
)
def test_what_cannot_be_sure_runs_in_a_loop_and_the_plan_says_why(f, why, rows):
    plan = vmap(f).plan(rows)
    assert plan.startswith("loop: ")
    assert why in plan


NUMBERS = itertools.count(1)


def filled(row):
    buffer = sg.zeros(3)
    buffer[1] = row[0]
    return buffer * row


class Sign(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return sg.sign(x)

    @staticmethod
    def backward(ctx, g):
        return g


def test_writes_and_functions_of_ones_own_give_what_a_loop_gives():
    x = sg.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0], [1.0, 1.0, -1.0]])
    for f in (filled, lambda row: row + (Sign.apply(row) - row).detach(), lambda row: row.clone().mul_(row[0])):
        assert vmap(f)(x).tolist() == sg.stack([f(row) for row in x]).tolist()


def test_large_data_that_the_function_catches_or_makes_are_kept():
    A = np.random.default_rng(0).normal(size=(120, 100))
    w = sg.tensor(np.random.default_rng(1).normal(size=(5, 100)))
    for f in (lambda v: (A @ v).sum(), grad(lambda v: sg.sin(A @ v).sum()), lambda v: sg.tensor(A) @ v):
        assert "loop" not in vmap(f).plan(w)
        assert_allclose(vmap(f)(w).tolist(), sg.stack([f(v) for v in w]).tolist())


def test_a_module_on_each_example_and_its_gradients():
    sg.manual_seed(0)
    model = sg.nn.Sequential(sg.nn.Linear(3, 8), sg.nn.Tanh(), sg.nn.LayerNorm(8), sg.nn.Linear(8, 2))
    x, y = sg.randn(6, 3), sg.randn(6, 2)
    assert vmap(model).plan(x).startswith("batched: ")
    assert_allclose(vmap(model)(x).tolist(), model(x).tolist())
    parameters = dict(model.named_parameters())
    loss = lambda p, a, b: ((sg.func.functional_call(model, p, (a,)) - b) ** 2).sum()
    per_example = vmap(grad(loss), in_dims=(None, 0, 0))
    assert per_example.plan(parameters, x, y).startswith("batched: ")
    found = per_example(parameters, x, y)
    for k in range(6):
        for name, g in grad(loss)(parameters, x[k], y[k]).items():
            assert_allclose(found[name][k].tolist(), g.tolist(), rtol=1e-9, atol=1e-12)


def test_a_wrong_number_is_noticed_at_the_examples_run_for_themselves(rows):
    hidden = lambda row: row * row._data.sum()  # nobody may look there
    assert vmap(hidden).plan(rows) == "loop: example 1 run for itself gives another result than in the batch"
    assert vmap(hidden)(rows).tolist() == sg.stack([hidden(row) for row in rows]).tolist()


def test_the_error_of_an_example_is_the_error_of_the_loop():
    A = sg.tensor([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]])
    with pytest.raises(RuntimeError, match="singular"):
        vmap(sg.linalg.inv)(A)
    with pytest.raises(sg.ShapeError, match="size"):
        vmap(lambda r: r @ sg.ones(4))(sg.ones(2, 3))


def test_examples_with_equal_whole_numbers_run_together():
    x, y = sg.tensor(np.random.default_rng(0).normal(size=(20, 3))), sg.arange(20) % 3
    f, calls = counted(lambda v, k: sg.nn.functional.cross_entropy(v[None], sg.tensor([int(k)])))
    g = vmap(f)
    assert g.plan(x, y) == "in 3 groups of examples with equal whole numbers, batched: 7 operations"
    calls.clear()
    assert_allclose(g(x, y).tolist(), [f(v, k).item() for v, k in zip(x, y, strict=True)])
    assert g(x, y).shape == (20,)


def test_groups_keep_the_order_of_the_examples_wherever_the_batch_goes():
    x, y = sg.tensor(np.arange(24.0).reshape(8, 3)), sg.tensor([1, 0, 1, 2, 0, 1, 2, 0])
    table = sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    f = lambda v, k: {"a": v * table[int(k)], "b": (k * 2, v.sum() + table[int(k)])}
    g = vmap(f, out_dims={"a": 1, "b": (0, -1)})
    assert g.plan(x, y).startswith("in 3 groups")
    result = g(x, y)
    assert result["a"].tolist() == (x * table[y]).t().tolist()
    assert result["b"][0].tolist() == (y * 2).tolist()
    assert result["b"][1].tolist() == (x.sum(1, keepdim=True) + table[y]).t().tolist()
