"""`vmap`: batches in arguments and results, a loop's values, derivatives and errors, and by which way and why."""

import functools
import itertools
import math
import types

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, hessian, jacfwd, jacrev, jvp, vmap
from symgrad.transforms.vmap import TracedExample


@pytest.fixture
def rows():
    return sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.fixture
def signs():
    return sg.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0], [7.0, -8.0, -9.0], [-1.0, -2.0, -3.0]])


def test_vmap_runs_over_the_first_dimension(rows):
    assert vmap(lambda row: row.sum())(rows).tolist() == [6.0, 15.0]
    assert vmap(lambda row: row * 2)(rows).tolist() == (rows * 2).tolist()


def test_the_function_sees_one_example(rows):
    shapes = []

    def look(row):
        shapes.append(tuple(row.shape))
        return row

    vmap(look)(rows)
    assert set(shapes) == {(3,)}


def test_in_dims_choose_the_dimension(rows):
    assert vmap(lambda column: column.sum(), in_dims=1)(rows).tolist() == [5.0, 7.0, 9.0]
    assert vmap(lambda column: column.sum(), in_dims=-1)(rows).tolist() == [5.0, 7.0, 9.0]


def test_in_dims_per_argument(rows):
    weights = sg.tensor([1.0, 10.0, 100.0])
    assert vmap(lambda row, w: row @ w, in_dims=(0, None))(rows, weights).tolist() == [321.0, 654.0]
    assert vmap(lambda row, w: row.sum() * w, in_dims=(1, 0))(rows, weights).tolist() == [5.0, 70.0, 900.0]


def test_in_dims_of_a_dictionary(rows):
    f = lambda batch: batch["x"].sum() + batch["shift"]
    result = vmap(f, in_dims=({"x": 0, "shift": None},))({"x": rows, "shift": sg.tensor(0.5)})
    assert result.tolist() == [6.5, 15.5]


def test_out_dims_choose_where_the_batch_goes(rows):
    assert vmap(lambda row: row * 2, out_dims=1)(rows).tolist() == (rows * 2).t().tolist()
    assert vmap(lambda row: row * 2, out_dims=-1)(rows).tolist() == (rows * 2).t().tolist()


def test_several_outputs_and_their_out_dims(rows):
    total, double = vmap(lambda row: (row.sum(), row * 2), out_dims=(0, 1))(rows)
    assert total.tolist() == [6.0, 15.0]
    assert double.tolist() == (rows * 2).t().tolist()


def test_outputs_in_a_dictionary(rows):
    result = vmap(lambda row: {"sum": row.sum(), "first": row[0]})(rows)
    assert result["sum"].tolist() == [6.0, 15.0]
    assert result["first"].tolist() == [1.0, 4.0]


def test_vmap_nests(rows):
    outer = vmap(vmap(lambda a, b: a * b, in_dims=(None, 0)), in_dims=(0, None))
    assert outer(sg.tensor([1.0, 10.0]), sg.tensor([1.0, 2.0, 3.0])).tolist() == [[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]


def test_a_result_that_does_not_depend_on_the_batch_is_repeated(rows):
    assert vmap(lambda row: sg.tensor(7.0))(rows).tolist() == [7.0, 7.0]


def test_vmap_keeps_the_dtype():
    assert vmap(lambda r: r * 2.0)(sg.ones(2, 3, dtype=sg.float32)).dtype == sg.float32


def test_batches_of_different_sizes_are_refused(rows):
    with pytest.raises(ValueError, match="(?i)inconsistent|same size"):
        vmap(lambda a, b: a.sum() + b)(rows, sg.ones(3))


def test_in_dims_out_of_range_is_refused(rows):
    with pytest.raises(ValueError, match="(?i)in_dim"):
        vmap(lambda r: r, in_dims=5)(rows)


def test_in_dims_that_do_not_fit_the_arguments_are_refused(rows):
    with pytest.raises(ValueError, match="in_dims"):
        vmap(lambda r: r, in_dims=(0, 0))(rows)


def test_nothing_to_map_over_is_refused(rows):
    with pytest.raises(ValueError, match="at least one|Nothing|no mapped|inputs"):
        vmap(lambda r: r, in_dims=(None,))(rows)


def test_chunk_size_changes_no_result(rows):
    f = lambda row: row.sum()
    assert vmap(f, chunk_size=1)(rows).tolist() == vmap(f)(rows).tolist()


# ---------------------------------------------------------------------------------------------- containers and arrays


def test_arrays_in_arrays_out():
    x = np.arange(6.0).reshape(2, 3)
    total, parts = sg.vmap(lambda row: (np.exp(row).sum(), {"first": row[0]}))(x)
    assert type(total) is np.ndarray
    assert_allclose(total, np.exp(x).sum(1))
    assert parts["first"].tolist() == [0.0, 3.0]
    assert_allclose(sg.vmap(sg.grad(lambda row: (row**3).sum()))(x), 3 * x**2)
    assert sg.vmap(lambda row: row * 2)(x.astype(np.float32)).dtype == np.float32


def test_results_have_memory_of_their_own(rows):
    for f in (lambda r: r, lambda r: r[:2], lambda r: (r, r)[1], lambda r: r.t()):
        result = vmap(f)(rows)
        result.mul_(0.0)
        assert rows.sum().item() == 21.0
    one, two = vmap(lambda r: [r.exp()] * 2)(rows)
    one.zero_()
    assert two.sum().item() > 0
    shared = sg.ones(2)
    vmap(lambda r: shared)(rows).zero_()
    assert shared.tolist() == [1.0, 1.0]


def test_batches_without_examples_have_the_shape_of_their_results():
    assert tuple(vmap(lambda r: sg.outer(r, r))(sg.zeros(0, 3)).shape) == (0, 3, 3)
    assert tuple(vmap(grad(lambda r: r.sum()), out_dims=1)(sg.zeros(0, 3)).shape) == (3, 0)


@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 9])
def test_chunks_go_together_along_the_right_dimension(chunk, signs):
    f = lambda r, k: (r * k, r.sum())
    whole = vmap(f, in_dims=(0, None), out_dims=(1, 0))(signs, sg.tensor(2.0))
    parts = vmap(f, in_dims=(0, None), out_dims=(1, 0), chunk_size=chunk)(signs, sg.tensor(2.0))
    assert [p.tolist() for p in parts] == [w.tolist() for w in whole]


def test_no_more_examples_than_a_chunk_run_at_once():
    x = sg.ones(7, 3, requires_grad=True)
    node = sg.vmap(lambda r: r * 2, chunk_size=3)(x).grad_fn
    assert len(node.next_functions) == 3  # three pieces were joined


# What a loop gives ----------------------------------------------------------------------------------------------------


FUNCTIONS = {
    "arithmetic": lambda r: (r + 1) * r / 2 - r**2,
    "elementwise": lambda r: sg.sin(r) + sg.exp(-r) + sg.sqrt(r),
    "mean": lambda r: r.mean(),
    "sum along": lambda r: r.sum(0),
    "prod": lambda r: r.prod(),
    "max": lambda r: r.max(),
    "amax": lambda r: r.amax(),
    "logsumexp": lambda r: sg.logsumexp(r, 0),
    "softmax": lambda r: sg.softmax(r, 0),
    "cumsum": lambda r: r.cumsum(0),
    "outer": lambda r: sg.outer(r, r),
    "dot": lambda r: r @ r,
    "matrix times row": lambda r: sg.ones(2, 3) @ r,
    "einsum": lambda r: sg.einsum("i,j->ij", r, r),
    "reshape": lambda r: r.reshape(3, 1),
    "unsqueeze": lambda r: r.unsqueeze(0) * r.unsqueeze(1),
    "index": lambda r: r[0] + r[-1],
    "slice": lambda r: r[1:],
    "reverse": lambda r: r.flip(0),
    "cat": lambda r: sg.cat([r, r]),
    "stack": lambda r: sg.stack([r, r]),
    "where": lambda r: sg.where(r > 2, r, -r),
    "clamp": lambda r: r.clamp(2.0, 5.0),
    "norm": lambda r: r.norm(),
    "var": lambda r: r.var(),
    "diag": lambda r: sg.diag(r),
    "triu": lambda r: sg.triu(sg.outer(r, r)),
    "sort": lambda r: r.sort()[0],
    "expand": lambda r: r.expand(2, 3),
    "closure": lambda r: r * sg.tensor([1.0, 10.0, 100.0]),
    "solve": lambda r: sg.linalg.solve(sg.diag(r), sg.ones(3)),
    "det": lambda r: sg.linalg.det(sg.diag(r) + 1),
    "new tensor": lambda r: sg.zeros_like(r) + r,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vmap_equals_a_loop(name, rows):
    f = FUNCTIONS[name]
    expected = sg.stack([f(row) for row in rows])
    result = vmap(f)(rows)
    assert result.shape == expected.shape
    assert_allclose(result.tolist(), expected.tolist())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vmap_of_grad_equals_a_loop(name, rows):
    g = grad(lambda row: (FUNCTIONS[name](row) ** 2).sum())
    expected = sg.stack([g(row) for row in rows])
    assert_allclose(vmap(g)(rows).tolist(), expected.tolist(), rtol=1e-9, atol=1e-12)


def test_vmap_of_hessian_equals_a_loop(rows):
    h = hessian(lambda row: (row**3).sum() * row.prod())
    assert_allclose(vmap(h)(rows).tolist(), sg.stack([h(row) for row in rows]).tolist())


def test_vmap_of_jvp_equals_a_loop(rows):
    tangents = rows * 10
    push = lambda row, t: jvp(lambda r: r**2, (row,), (t,))[1]
    assert vmap(push)(rows, tangents).tolist() == (2 * rows * tangents).tolist()


def test_jacobian_of_vmap(rows):
    j = jacrev(vmap(lambda row: row.sum() ** 2))(rows)
    assert tuple(j.shape) == (2, 2, 3)
    assert j.tolist() == [[[12.0] * 3, [0.0] * 3], [[0.0] * 3, [30.0] * 3]]


def test_vmap_of_what_requires_grad_can_be_walked_back():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = sg.tensor([10.0, 100.0], requires_grad=True)
    vmap(lambda row: (row * w).sum())(x).sum().backward()
    assert x.grad.tolist() == [[10.0, 100.0], [10.0, 100.0]]
    assert w.grad.tolist() == [4.0, 6.0]


def test_each_example_may_take_its_own_branch():
    rows = sg.tensor([[1.0, 2.0], [-3.0, 1.0]])
    assert vmap(lambda r: r if r.sum() > 0 else -r)(rows).tolist() == [[1.0, 2.0], [3.0, -1.0]]


# Derivatives, inside and outside --------------------------------------------------------------------------------------


def test_vmap_of_a_gradient_of_many_parameters_in_a_dictionary():
    rng = np.random.default_rng(0)
    p = {"W": sg.tensor(rng.normal(size=(3, 4))), "b": sg.tensor(rng.normal(size=4))}
    x, y = sg.tensor(rng.normal(size=(5, 3))), sg.tensor(rng.normal(size=(5, 4)))
    loss = lambda p, x, y: ((sg.tanh(x @ p["W"] + p["b"]) - y) ** 2).sum()
    per_example = vmap(grad(loss), in_dims=(None, 0, 0))
    assert per_example.plan(p, x, y).startswith("batched: ")
    got = per_example(p, x, y)
    for b in range(5):
        want = grad(loss)(p, x[b], y[b])
        assert_allclose(got["W"][b].tolist(), want["W"].tolist())
        assert_allclose(got["b"][b].tolist(), want["b"].tolist())
    assert not got["W"].requires_grad


@pytest.mark.parametrize("transform", [grad, sg.grad, hessian, sg.hessian, jacrev, jacfwd])
def test_every_derivative_inside_is_batched(transform, signs):
    f = lambda r: sg.sin(r).prod() + (r**3).sum()
    g = transform(f)
    assert "batched: " in vmap(g).plan(signs)
    assert_allclose(vmap(g)(signs).tolist(), sg.stack([g(r) for r in signs]).tolist())


@pytest.mark.parametrize("transform", [grad, sg.grad, hessian, sg.hessian])
def test_a_vmap_inside_a_derivative(transform, signs):
    w = sg.tensor([0.1, -0.2, 0.3])
    batched = lambda w: sg.vmap(lambda r: sg.sin(r @ w))(signs).sum()
    plain = lambda w: sg.sin(signs @ w).sum()
    assert_allclose(transform(batched)(w).tolist(), transform(plain)(w).tolist())


def test_derivatives_of_vmap_of_derivatives(signs):
    w = sg.tensor([0.1, -0.2, 0.3], requires_grad=True)
    loss = lambda w, r: sg.sin(r @ w) ** 2
    squared = (vmap(grad(loss), in_dims=(None, 0))(w, signs) ** 2).sum()
    loops = sum((grad(loss)(w, r) ** 2).sum() for r in signs)
    (first,) = sg.autograd.grad(squared, w, create_graph=True)
    (expected,) = sg.autograd.grad(loops, w, create_graph=True)
    assert_allclose(first.tolist(), expected.tolist())
    (second,) = sg.autograd.grad(first.sum(), w)
    assert_allclose(second.tolist(), sg.autograd.grad(expected.sum(), w)[0].tolist())


def test_a_tensor_with_a_history_that_the_function_catches_is_reached(signs):
    w = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = w * 2

    model = types.SimpleNamespace(weights={"h": h})

    def call(r, model):
        return (r * model.weights["h"]).sum()

    for f in (lambda r: (h * r).sum(), functools.partial(lambda k, r: (k * r).sum(), h), lambda r: call(r, model)):
        out = vmap(f)(signs)
        assert_allclose(sg.autograd.grad(out.sum(), h, retain_graph=True)[0].tolist(), signs.sum(0).tolist())
    assert vmap(lambda r: (h * r).sum()).plan(signs) == "batched: 2 operations"
    out = vmap(lambda r, k: (k * r).sum(), in_dims=(0, None))(signs, h)
    assert_allclose(sg.autograd.grad(out.sum(), h)[0].tolist(), signs.sum(0).tolist())


def test_no_history_is_made_where_there_was_none(signs):
    assert not vmap(grad(lambda r: (r**3).sum()))(signs).requires_grad
    w = sg.ones(3, requires_grad=True)
    with sg.no_grad():
        assert not vmap(lambda r: r @ w)(signs).requires_grad
        assert vmap(grad(lambda r: sg.sin(r @ w)))(signs).shape == (4, 3)


def test_what_is_detached_inside_gets_no_gradient():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    vmap(lambda r: (r * r.detach()).sum())(x).sum().backward()
    assert x.grad.tolist() == x.tolist()


def test_three_nested_batches():
    a, b, c = sg.arange(2.0), sg.arange(3.0), sg.arange(4.0)
    f = vmap(vmap(vmap(lambda x, y, z: sg.sin(x + y * z), (None, None, 0)), (None, 0, None)), (0, None, None))
    expected = sg.sin(a[:, None, None] + b[:, None] * c)
    assert_allclose(f(a, b, c).tolist(), expected.tolist())
    assert f.plan(a, b, c).startswith("batched: ")


def test_a_function_of_rows_that_uses_the_whole_batch(signs):
    f = lambda r: sg.vmap(lambda s: ((r - s) ** 2).sum())(signs)
    expected = ((signs[:, None] - signs) ** 2).sum(-1)
    assert_allclose(sg.vmap(f)(signs).tolist(), expected.tolist())


# At once, in groups or in a loop --------------------------------------------------------------------------------------


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
        (lambda row: row if row.sum() > 20 else -row, "it needs a value, at test_vmap.py:"),
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


# What is computed from an example's values ----------------------------------------------------------------------------


CHOICES = {
    "where": lambda r: sg.where(r > 0, r, -r * 10),
    "mask": lambda r: (r > 0) * r,
    "mask of a mask": lambda r: sg.logical_and(r > 0, ~(r > 5)).double() + r,
    "detached": lambda r: r * r.detach() + r.data,
    "count": lambda r: (r > 0).sum() * r,
    "argmax": lambda r: r.argmax(),
    "element at argmax": lambda r: r[r.argmax()],
    "gather at argmax": lambda r: r.gather(0, r.argmax(0, keepdim=True)),
    "sort": lambda r: r.sort()[0] * r.sort()[1],
    "order": lambda r: r[r.argsort()],
    "ranks": lambda r: r.argsort().argsort() + r,
    "one hot": lambda r: (sg.arange(3) == r.argmax()).double(),
    "sign": lambda r: r.sign() * 2 + r.round(),
    "largest": lambda r: r.max(0)[0] - r.min(0)[0] + r.amax() - r.median(),
    "clamp": lambda r: r.clamp(-1.5, r.mean()),
    "masked fill": lambda r: r.masked_fill(r > 0, 0.5),
    "no grad": lambda r: r * sg.no_grad()(lambda: r * 2)(),
    "unbind": lambda r: sum((k + 1) * v for k, v in enumerate(r)),
    "any": lambda r: sg.where((r > 5).any(), r, -r),
}


@pytest.mark.parametrize("name", CHOICES)
def test_choices_are_made_anew_in_each_example(name, signs):
    f = CHOICES[name]
    got, want = vmap(f)(signs), sg.stack([f(r) for r in signs])
    assert got.tolist() == want.tolist()
    assert got.dtype == want.dtype


@pytest.mark.parametrize("name", [n for n in CHOICES if n not in ("argmax", "one hot")])
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives_of_choices_are_taken_in_each_example(name, order, signs):
    f = lambda r: (CHOICES[name](r) ** 3).sum()
    g = grad(f) if order == 1 else hessian(f)
    assert_allclose(vmap(g)(signs).tolist(), sg.stack([g(r) for r in signs]).tolist(), rtol=1e-10, atol=1e-9)


def test_masks_that_pick_different_numbers_of_elements_have_no_common_shape(signs):
    with pytest.raises(sg.ShapeError, match="equal size"):
        vmap(lambda r: r[r > 0])(signs)


INDEXED = {
    "row of a table": lambda table, x, i: table[i],
    "element": lambda table, x, i: x[i],
    "from the end": lambda table, x, i: x[i - 3],
    "loss": lambda table, x, i: -sg.log_softmax(x, 0)[i],
    "cross entropy": lambda table, x, i: sg.nn.functional.cross_entropy(x[None], i[None]),
    "one hot": lambda table, x, i: sg.nn.functional.one_hot(i, 3) * x,
    "select": lambda table, x, i: table.index_select(0, i[None]),
    "arithmetic": lambda table, x, i: x * i / 2 + i // 2,
    "full": lambda table, x, i: sg.full((2,), i) * x[0],
}


@pytest.mark.parametrize("name", INDEXED)
def test_whole_numbers_of_an_example_index_and_count(name, signs):
    table = sg.tensor(np.arange(12.0).reshape(3, 4), requires_grad=True)
    i = sg.tensor([0, 2, 2, 1])
    f = lambda x, k: INDEXED[name](table, x, k)
    got, want = vmap(f)(signs, i), sg.stack([f(x, k) for x, k in zip(signs, i, strict=True)])
    assert got.tolist() == want.tolist()
    assert got.dtype == want.dtype
    if want.requires_grad:
        assert sg.autograd.grad(got.sum(), table)[0].tolist() == sg.autograd.grad(want.sum(), table)[0].tolist()


def test_an_index_out_of_range_in_any_example_raises():
    with pytest.raises(IndexError):
        vmap(lambda x, i: x[i])(sg.ones(3, 2), sg.tensor([0, 1, 2]))


def test_whole_numbers_divided_by_zero_in_any_example_raise():
    with pytest.raises(sg.DTypeError, match="ZeroDivision"):
        vmap(lambda i: 7 // i)(sg.tensor([1, 2, 0]))


# Random numbers, and symbols ------------------------------------------------------------------------------------------


def test_random_numbers_are_refused_different_or_the_same(rows):
    f = lambda r: r * 0 + sg.rand(3)
    with pytest.raises(RuntimeError, match="random"):
        vmap(f)(rows)
    sg.manual_seed(0)
    different = vmap(f, randomness="different")(rows)
    assert different[0].tolist() != different[1].tolist()
    sg.manual_seed(0)
    same = vmap(f, randomness="same")(rows)
    assert same[0].tolist() == same[1].tolist() == different[0].tolist()
    sg.manual_seed(0)
    sg.rand(3)
    after = sg.rand(1).item()
    sg.manual_seed(0)
    vmap(f, randomness="same")(rows)
    assert sg.rand(1).item() == after


def test_a_loop_after_a_trace_draws_what_a_loop_would_have_drawn(rows):
    f = lambda r: r * 0 + sg.rand(3) if r.sum() > 10 else sg.rand(3)
    sg.manual_seed(0)
    expected = sg.stack([f(r) for r in rows]).tolist()
    sg.manual_seed(0)
    assert vmap(f, randomness="different")(rows).tolist() == expected


# ------------------------------------------------------------------------------------------------------------ formulas


def test_a_formula_of_a_batch_holds_for_every_size():
    X, w = sg.symbol("X", ("N", "n")), sg.symbol("w", "n")
    data, weights = np.random.default_rng(0).normal(size=(5, 4)), np.arange(4.0)
    losses = sg.vmap(lambda x: sg.log1p(sg.exp(x @ w)))(X)
    assert str(losses.shape) == "symgrad.Size([N])"
    assert_allclose(losses.formula()(X=data, w=weights), np.log1p(np.exp(data @ weights)))
    means = sg.vmap(lambda x: (x**2).sum() / x.shape[0])(X)
    assert_allclose(means.formula()(X=data), (data**2).mean(1))
    gradients = sg.vmap(sg.grad(lambda x: (x**3).sum()))(X)
    assert str(gradients.formula()) == "3X^∘2"


def test_a_formula_of_a_function_with_a_vmap_inside():
    f = lambda X: sg.vmap(lambda x: sg.exp(x).sum())(X).sum()
    assert str(sg.formula(f, sg.symbol("X", ("N", "n")))) == "sum(exp(X))"
    assert str(sg.grad(f)(sg.symbol("X", ("N", "n")))) == "exp(X)"
    x = sg.tensor([[0.1, 0.2]], requires_grad=True, name="x")
    assert str(sg.vmap(lambda r: (r**2).sum())(x).sum().formula()) == "‖x‖²"


def test_a_loop_over_a_size_without_a_number_is_refused():
    X = sg.symbol("X", ("N", "n"))
    with pytest.raises(sg.SymbolicBranchError):
        vmap(lambda x: x if x.sum() > 0 else -x)(X)


GENERATED = {
    "rand": lambda g: sg.rand(6, generator=g), "normal_": lambda g: sg.zeros(6).normal_(generator=g),
    "randperm": lambda g: sg.randperm(6, generator=g), "randint": lambda g: sg.randint(0, 99, (6,), generator=g),
    "bernoulli": lambda g: sg.bernoulli(sg.full((6,), 0.5), generator=g),
    "both": lambda g: sg.rand(6) + sg.rand(6, generator=g),
}  # fmt: skip


@pytest.mark.parametrize("chunk_size", [None, 3])
@pytest.mark.parametrize("name", GENERATED)
def test_a_generator_of_ones_own_is_as_random_as_it_is_said(name, chunk_size):
    def seeded():
        sg.manual_seed(1)
        return sg.Generator().manual_seed(3)

    draw, g = GENERATED[name], seeded()
    first, second = draw(g), draw(g)
    g = seeded()
    found = sg.vmap(lambda a: a * draw(g), randomness="same", chunk_size=chunk_size)(sg.ones(4, 6))
    assert (found == first).all() and (draw(g) == second).all()
    g = seeded()
    found = sg.vmap(lambda a: a * draw(g), randomness="different", chunk_size=chunk_size)(sg.ones(4, 6))
    assert len(set(map(tuple, found.tolist()))) == 4 or name == "bernoulli"


# Classes that are each example's own ----------------------------------------------------------------------------------


F = sg.nn.functional
rng = np.random.default_rng(0)
LOGITS, CLASSES = sg.tensor(rng.normal(size=(40, 20))), sg.tensor(rng.integers(0, 20, size=40))
WEIGHTS = sg.tensor(rng.uniform(0.5, 2.0, size=20))

LOSSES = {
    "cross entropy": lambda x, k: F.cross_entropy(x[None], k[None]),
    "cross entropy of one row": lambda x, k: F.cross_entropy(x, k),
    "its gradient": grad(lambda x, k: F.cross_entropy(x, k)),
    "weighted": lambda x, k: F.cross_entropy(x[None], k[None], weight=WEIGHTS),
    "smoothed": lambda x, k: F.cross_entropy(x[None], k[None], label_smoothing=0.1, reduction="none"),
    "with classes that do not count": lambda x, k: F.cross_entropy(
        x.reshape(2, 10), sg.stack([k % 10, k % 3]), ignore_index=1, reduction="sum"
    ),
    "nll": lambda x, k: F.nll_loss(x, k),
    "gradient of a weighted nll": grad(lambda x, k: F.nll_loss(sg.log_softmax(x[None], 1), k[None], WEIGHTS)),
    "one hot": lambda x, k: F.one_hot(k, 20) * x,
}


@pytest.mark.parametrize("name", LOSSES)
def test_classes_are_each_examples_own(name, monkeypatch):
    f = LOSSES[name]
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    assert vmap(f).plan(LOGITS, CLASSES).startswith("batched: ")
    got = vmap(f)(LOGITS, CLASSES)
    want = sg.stack([f(x, k) for x, k in zip(LOGITS, CLASSES, strict=True)])
    assert got.shape == want.shape and got.dtype == want.dtype
    assert_allclose(got.tolist(), want.tolist(), rtol=1e-10)


@pytest.mark.parametrize("wrong", [20, -1])
def test_a_class_that_is_none_raises_in_a_batch_as_in_a_loop(wrong):
    classes = sg.tensor([0, 1, wrong])
    with pytest.raises(RuntimeError, match="Class values"):
        vmap(lambda k: F.one_hot(k, 20))(classes)
    with pytest.raises(IndexError, match=f"Target {wrong} is out of bounds"):
        vmap(lambda k: F.nll_loss(LOGITS[0], k))(classes)


def test_as_many_classes_as_the_largest_number_needs_is_found_one_by_one():
    assert vmap(lambda k: F.one_hot(k))(sg.tensor([[1, 0], [1, 1]])).tolist() == [[[0, 1], [1, 0]], [[0, 1], [0, 1]]]
