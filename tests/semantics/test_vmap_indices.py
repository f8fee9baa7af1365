"""`vmap`: whole numbers of an example as indices run on the batch at once.

The idea to hold: the check at examples that are run for themselves is switched off here, because it would hide an
index that was frozen into the graph.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, vmap
from symgrad.transforms.vmap import TracedExample

EXAMPLES = 6
rng = np.random.default_rng(0)
TABLE = sg.tensor(rng.normal(size=(5, 4, 3)))
TABLES = sg.tensor(rng.normal(size=(EXAMPLES, 5, 4, 3)))
NUMBER = sg.tensor(rng.integers(-4, 4, size=EXAMPLES))
VECTOR = sg.tensor(rng.integers(-3, 3, size=(EXAMPLES, 2)))
FIXED, COLUMN = sg.tensor([1, 0]), sg.tensor([[1], [0]])


@pytest.fixture(autouse=True)
def unchecked(monkeypatch):
    monkeypatch.setattr(TracedExample, "check", lambda self: None)


INDEXED = {
    "x[i]": lambda x, i, v: x[i],
    "x[:, i]": lambda x, i, v: x[:, i],
    "x[..., i % 3]": lambda x, i, v: x[..., i % 3],
    "x[i, :, i % 3]": lambda x, i, v: x[i, :, i % 3],
    "x[v]": lambda x, i, v: x[v],
    "x[:, v]": lambda x, i, v: x[:, v],
    "x[:, :, v]": lambda x, i, v: x[:, :, v],
    "x[:, v, v]": lambda x, i, v: x[:, v, v],
    "x[v, :, v]": lambda x, i, v: x[v, :, v],
    "x[v, :, fixed]": lambda x, i, v: x[v, :, FIXED],
    "x[:, v, column]": lambda x, i, v: x[:, v, COLUMN],
    "x[i, :, v]": lambda x, i, v: x[i, :, v],
    "x[v, i]": lambda x, i, v: x[v, i],
    "x[1:4, v]": lambda x, i, v: x[1:4, v],
    "x[None, v]": lambda x, i, v: x[None, v],
    "x[v, None, 1:]": lambda x, i, v: x[v, None, 1:],
    "x[1, :, v]": lambda x, i, v: x[1, :, v],
    "a matrix of places": lambda x, i, v: x[:, v[None] * 0 + v[:, None]],
    "twice": lambda x, i, v: x[v][:, v][:, :, i % 3],
    "index_select": lambda x, i, v: x.index_select(1, v % 3),
    "gather": lambda x, i, v: sg.gather(x.sum(2), 1, (v % 4).expand(5, 2)),
    "gather of a vector": lambda x, i, v: x[0, 0].gather(0, v % 3),
    "the place of the largest": lambda x, i, v: x[(x * v[0]).sum((1, 2)).argmax()],
    "the order": lambda x, i, v: x[(x * i).sum((1, 2)).argsort()],
    "log-probability of a class": lambda x, i, v: -sg.log_softmax(x.sum((1, 2)), 0)[i],
}


def loop(f, x, d):
    return sg.stack([f(x if d is None else x[b], NUMBER[b], VECTOR[b]) for b in range(EXAMPLES)])


def assert_batched(f, x, d, want):
    run = vmap(f, in_dims=(d, 0, 0))
    assert run.plan(x, NUMBER, VECTOR).startswith("batched: ")
    assert "loop" not in run.plan(x, NUMBER, VECTOR)
    got = run(x, NUMBER, VECTOR)
    assert got.shape == want.shape and got.dtype == want.dtype
    assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=1e-9, atol=1e-10)
    return got


SHARED = pytest.mark.parametrize(("x", "d"), [(TABLES, 0), (TABLE, None)], ids=["of its own", "shared"])


@SHARED
@pytest.mark.parametrize("name", INDEXED)
def test_an_index_is_each_examples_own_and_its_gradient_too(name, x, d):
    f, x = INDEXED[name], x.clone().requires_grad_()
    want = loop(f, x, d)
    got = assert_batched(f, x, d, want)
    w = sg.tensor(np.random.default_rng(1).normal(size=tuple(want.shape)))
    ours, theirs = (sg.autograd.grad((w * r**2).sum(), x)[0] for r in (got, want))
    assert_allclose(ours.tolist(), theirs.tolist(), rtol=1e-9, atol=1e-10)


@SHARED
@pytest.mark.parametrize("name", INDEXED)
def test_derivatives_inside_are_taken_at_each_examples_own_places(name, x, d):
    f = INDEXED[name]
    of_sum = grad(lambda x, i, v: f(x, i, v).sum())
    first = grad(lambda x, i, v: (f(x, i, v) ** 3).sum())
    second = grad(lambda x, i, v: (first(x, i, v) ** 2).sum())
    for g in (of_sum, first, second):
        assert_batched(g, x, d, loop(g, x, d))


@SHARED
@pytest.mark.parametrize("name", INDEXED)
def test_a_batch_of_batches_is_indexed_alike(name, x, d):
    f = INDEXED[name]
    first = grad(lambda x, i, v: (f(x, i, v) ** 3).sum())
    args = (x.reshape(2, 3, *x.shape[1:]) if d == 0 else x, NUMBER.reshape(2, 3), VECTOR.reshape(2, 3, 2))
    for g in (f, first):
        inner, plans = vmap(g, in_dims=(d, 0, 0)), []

        def observed(*one, inner=inner, plans=plans):
            plans.append(inner.plan(*one))
            return inner(*one)

        nested = vmap(observed, in_dims=(d, 0, 0))
        assert nested.plan(*args).startswith("batched: ")
        assert plans and all(plan.startswith("batched: ") and "loop" not in plan for plan in plans)
        want = loop(g, x, d)
        assert_allclose(nested(*args).reshape(want.shape).tolist(), want.tolist(), rtol=1e-9, atol=1e-10)


BEYOND = {
    "x[i]": (lambda x, i: x[i], [0, 1, 5]),
    "x[:, v]": (lambda x, i: x[:, i[None]], [0, -4, -5]),
    "gather from the end": (lambda x, i: x[0, 0].gather(0, i[None]), [0, 1, -1]),
    "index_select from the end": (lambda x, i: x.index_select(0, i[None]), [0, 1, -1]),
}


@pytest.mark.parametrize("name", BEYOND)
def test_a_place_that_is_not_there_raises_as_in_a_loop_in_batches_of_batches_too(name):
    f, places = BEYOND[name]
    run = vmap(f, in_dims=(None, 0))
    with pytest.raises(IndexError):
        run(TABLE, sg.tensor(places))
    with pytest.raises(IndexError):
        vmap(run, in_dims=(None, 0))(TABLE, sg.tensor([[0, 0, 0], places]))


def test_an_index_hides_its_value_from_what_is_computed_with_what_it_picked():
    odd = sg.tensor([1.0, -2.0, 3.0])
    f = vmap(lambda i: odd[i] if odd[i] > 0 else -odd[i])
    assert f.plan(sg.tensor([0, 1, 2])).startswith("loop: it needs a value")
    assert f(sg.tensor([0, 1, 2])).tolist() == [1.0, 2.0, 3.0]


def test_a_list_of_an_examples_numbers_as_an_index_is_looked_up_in_each():
    table = sg.tensor([10.0, 20.0, 30.0])
    assert vmap(lambda i, k: table[[i, k]])(sg.tensor([0, 1]), sg.tensor([2, 0])).tolist() == [[10, 30], [20, 10]]


def test_arrays_of_whole_numbers_are_each_examples_own():
    i = np.array([2, 0, 1])
    table = np.arange(12.0).reshape(4, 3)
    assert sg.vmap(lambda k: sg.tensor(table)[k]).plan(i) == "batched: 1 operation"
    for f in (lambda k: sg.tensor(table)[k], lambda k: table[k], lambda k: k * 2.0):
        assert sg.vmap(f)(i).tolist() == np.stack([np.asarray(f(k)) for k in i]).tolist()


def test_the_gradient_in_what_all_share_holds_what_is_detached_of_each():
    w, rows = sg.tensor([1.0, 2.0]), sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    g = grad(lambda w, r: (w**2 * r.detach()).sum())
    assert vmap(g, in_dims=(None, 0)).plan(w, rows).startswith("batched: ")
    assert vmap(g, in_dims=(None, 0))(w, rows).tolist() == [[2.0, 8.0], [6.0, 16.0]]


def test_the_formula_of_a_batch_that_is_indexed_by_numbers():
    X, i = sg.symbol("X", (3, 4)), sg.tensor([2, 0, 1])
    values = np.arange(12.0).reshape(3, 4)
    picked = sg.vmap(lambda x, k: x[k] ** 2)(X, i)
    assert_allclose(picked.formula()(X=values), values[np.arange(3), i.tolist()] ** 2)


def test_an_index_that_is_computed_from_a_declared_symbol_is_part_of_the_formula():
    x = sg.symbol("x", 3)
    picked = (TABLE[x.argmax()] * 2)[0].sum().formula()
    for there in ([1.0, 3.0, 2.0], [1.0, 0.0, 2.0]):
        assert_allclose(picked(x=there), 2 * TABLE[int(np.argmax(there)), 0].sum().item())
    with pytest.raises(sg.SymbolicBranchError, match="which elements an index picks"):
        TABLE[:3][x > 0]


INSIDE = {
    "index": lambda i, r: r[i] * 2,
    "index of what all share": lambda i, r: TABLE[0, 0, i % 3] * r,
    "gather": lambda i, r: r.gather(0, (i % 3)[None]),
    "index_select": lambda i, r: r.index_select(0, (i % 3)[None]),
    "two indices": lambda i, r: r[r.argmax()] * r[i] + TABLE[:, i][0],
    "gradient": lambda i, r: grad(lambda r: r[i] ** 3)(r),
}


@pytest.mark.parametrize("name", INSIDE)
def test_an_index_of_the_outer_batch_is_no_constant_of_the_inner(name):
    f, rows, places = INSIDE[name], sg.tensor(np.random.default_rng(3).normal(size=(4, 3))), sg.tensor([1, 0, -1, 2, 2])
    want = sg.stack([sg.stack([f(i, r) for r in rows]) for i in places])
    assert_allclose(vmap(lambda i: vmap(lambda r: f(i, r))(rows))(places).tolist(), want.tolist())
    both = vmap(vmap(lambda i, r: f(i, r), in_dims=(None, 0)), in_dims=(0, None))
    assert_allclose(both(places, rows).tolist(), want.tolist())


def test_a_sweep_of_the_inner_batch_through_an_index_of_the_outer():
    seeds, places = sg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), sg.tensor([[0, 1], [3, 3], [2, 0]])
    w = sg.tensor([0.5, 1.5, 2.5, 3.5], requires_grad=True)
    pull = lambda y, s: sg.autograd.grad(y, w, s, retain_graph=True)[0]
    pulled = lambda y: vmap(lambda s: pull(y, s))(seeds)
    for pick in (lambda p: w[p] ** 2, lambda p: (w * 2).gather(0, p), lambda p: w.index_select(0, p)):
        want = sg.stack([sg.stack([pull(pick(p), s) for s in seeds]) for p in places])
        assert_allclose(vmap(lambda p, pick=pick: pulled(pick(p)))(places).tolist(), want.tolist())
