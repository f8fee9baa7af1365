"""Every row of the table on a batch: `vmap` equals a loop, in values and derivatives, for every choice of operands."""

import itertools
import zlib

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.core import TABLE, Tensor
from symgrad.func import grad
from symgrad.transforms.vmap import TracedExample

from ..helpers.cases import one_in
from ..helpers.rows import DEAR, ONCE, RECORDED, SAMPLED, call, is_float, rows, sample, wanted, weights

EXAMPLES = 4

ONE_BY_ONE = frozenset([
    "addr", "addbmm", "copy_slices", "dist", "index_fill_tensor", "put", "block_diag",
    "masked_scatter", "lstsq", "searchsorted",
    "kron", "add_flat", "argwhere", "median", "nanmedian", "roots", "ldl", "solve_continuous_are", "solve_discrete_are",
    "solve_toeplitz", "block_recurrence", "mark_degenerate_gradient", "mark_degenerate_tangents", "normal_orthant",
])  # fmt: skip
"""Rows that run once per example, inside a batched run."""


def batch(op, examples=EXAMPLES):
    """Operands of a row with the examples in front, and its parameters."""
    seeds = [zlib.crc32(op.name.encode()) + k for k in range(examples)]
    samples = [sample(op, rng=np.random.default_rng(seed)) for seed in seeds]
    columns = zip(*[operands for operands, _ in samples], strict=True)
    return [np.stack(c) if isinstance(c[0], np.ndarray) else c[0] for c in columns], samples[0][1]


def choices(operands):
    """Every choice of operands that have a batch."""
    arrays = [i for i, a in enumerate(operands) if isinstance(a, np.ndarray)]
    return [c for n in range(1, len(arrays) + 1) for c in itertools.combinations(arrays, n)]


def as_function(op, params):
    return lambda *operands: call(op, list(operands), params) if op.outputs else call(op, list(operands), params)[0]


def tuple_of(result):
    return result if isinstance(result, tuple) else (result,)


def looped(f, operands, mapped, examples=EXAMPLES):
    each = [tuple_of(f(*[t[b] if i in mapped else t for i, t in enumerate(operands)])) for b in range(examples)]
    return tuple(sg.stack(list(column)) for column in zip(*each, strict=True))


def assert_same(got, want):
    for g, w in zip(tuple_of(got), tuple_of(want), strict=True):
        assert g.shape == w.shape
        assert g.dtype == w.dtype
        assert type(g) is Tensor
        assert_allclose(g.detach().numpy(), w.detach().numpy(), rtol=1e-9, atol=1e-10)


@one_in(4)
@rows(SAMPLED, slow=DEAR)
def test_vmap_of_a_row_equals_a_loop_in_values_and_gradients(op):
    arrays, params = batch(op)
    f = as_function(op, params)
    for mapped in choices(arrays):
        operands = [
            sg.tensor(a if i in mapped else a[0], requires_grad=is_float(a)) if isinstance(a, np.ndarray) else a
            for i, a in enumerate(arrays)
        ]
        got = tuple_of(sg.vmap(f, in_dims=tuple(0 if i in mapped else None for i in range(len(operands))))(*operands))
        want = looped(f, operands, mapped)
        assert_same(got, want)
        assert [g.requires_grad for g in got] == [w.requires_grad for w in want]
        live = [k for k, g in enumerate(got) if g.requires_grad]
        if not live or None in op.rules:
            continue
        leaves = [t for t in operands if isinstance(t, Tensor) and t.requires_grad]
        seeds = [sg.tensor(w) for w in weights([got[k].detach().numpy() for k in live])]
        options = dict(grad_outputs=seeds, allow_unused=True)
        ours = sg.autograd.grad([got[k] for k in live], leaves, **options)
        theirs = sg.autograd.grad([want[k] for k in live], leaves, **options)
        for a, b in zip(ours, theirs, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert_same(a, b)


@rows([op for op in SAMPLED if len(op.shared) < len(op.inputs)])
def test_a_row_runs_on_the_batch_at_once_unless_it_is_listed(op):
    arrays, params = batch(op)
    operands = [
        sg.tensor(a[0] if k in op.shared else a) if isinstance(a, np.ndarray) else a for k, a in enumerate(arrays)
    ]
    in_dims = tuple(0 if isinstance(a, np.ndarray) and k not in op.shared else None for k, a in enumerate(arrays))
    plan = sg.vmap(as_function(op, params), in_dims=in_dims).plan(*operands)
    assert plan.startswith("batched: 1 operation")
    assert (op.name in ONE_BY_ONE) == ("in a loop" in plan)


def energy(op, params):
    """A number whose first and second derivatives depend on everything."""

    def f(*operands):
        total = 0.0
        for k, o in enumerate(call(op, list(operands), params)):
            if o.dtype.kind in "fc":
                w = sg.tensor(np.random.default_rng(k).normal(size=tuple(o.shape)))
                real = o.real if o.dtype.kind == "c" else o
                total = total + (w * real * real).sum() + ((w * o.imag).sum() if o.dtype.kind == "c" else 0.0)
        return total

    return f


def derivative(op, params, leaves, order):
    first = grad(energy(op, params), argnums=leaves)
    if order == 1:
        return first
    return grad(lambda *o: sum(((g.real if g.dtype.kind == "c" else g) ** 3).sum() for g in first(*o)), argnums=leaves)


DIFFERENTIABLE = [op for op in RECORDED if not op.name.startswith("masked_fill")]


@one_in(8)
@pytest.mark.parametrize(
    ("op", "order"), [pytest.param(op, k, id=f"{op.name}-{k}") for op in DIFFERENTIABLE for k in (1, 2)
                      if k == 1 or op.name not in ONCE]
)  # fmt: skip
def test_vmap_of_a_derivative_of_a_row_equals_a_loop_without_the_check(op, order, monkeypatch):
    # the check at examples run for themselves would hide a value that was frozen into the graph
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    arrays, params = batch(op)
    operands = [sg.tensor(a) if isinstance(a, np.ndarray) else a for a in arrays]
    mapped = [i for i, a in enumerate(arrays) if isinstance(a, np.ndarray)]
    f = derivative(op, params, tuple(wanted(op, sample(op)[0])), order)
    in_dims = tuple(0 if i in mapped else None for i in range(len(operands)))
    got, want = sg.vmap(f, in_dims=in_dims)(*operands), looped(f, operands, mapped)
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        scale = float(np.abs(w.numpy()).max(initial=1.0))
        assert_allclose(g.numpy(), w.numpy(), rtol=1e-7, atol=1e-9 * scale)


@rows(SAMPLED, slow=DEAR)
def test_vmap_of_vmap_of_a_row_equals_two_loops(op):
    arrays, params = batch(op, 6)
    f = as_function(op, params)
    mapped = [i for i, a in enumerate(arrays) if isinstance(a, np.ndarray)]
    operands = [sg.tensor(a.reshape(2, 3, *a.shape[1:])) if i in mapped else a for i, a in enumerate(arrays)]
    in_dims = tuple(0 if i in mapped else None for i in range(len(operands)))
    got = tuple_of(sg.vmap(sg.vmap(f, in_dims=in_dims), in_dims=in_dims)(*operands))
    flat = [sg.tensor(a) if i in mapped else a for i, a in enumerate(arrays)]
    want = [w.reshape(2, 3, *w.shape[1:]) for w in looped(f, flat, mapped, 6)]
    assert_same(got, tuple(want))


BINARY = ["add", "mul", "div", "pow_tensor", "where", "maximum", "eq", "lerp"]


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shapes", [((), (3,)), ((3,), (2, 3)), ((2, 1), (3,)), ((2, 3), ()), ((1,), (2, 2, 1))])
def test_examples_of_different_numbers_of_dimensions_broadcast_behind_the_batch(name, shapes):
    op, rng = TABLE[name], np.random.default_rng(0)
    three = (shapes[0], *shapes) if len(op.inputs) == 3 else shapes
    arrays = [np.abs(rng.normal(size=(EXAMPLES, *s))) + 0.1 for s in three]
    if name == "where":
        arrays[0] = arrays[0] > 0.7
    for mapped in choices(arrays):
        operands = [sg.tensor(a if i in mapped else a[0]) for i, a in enumerate(arrays)]
        f = sg.vmap(op.apply, in_dims=tuple(0 if i in mapped else None for i in range(len(arrays))))
        assert f.plan(*operands) == "batched: 1 operation"
        assert_same(f(*operands), looped(op.apply, operands, mapped))


MATRICES = [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
            ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4))]  # fmt: skip


@pytest.mark.parametrize("shapes", MATRICES)
def test_products_of_examples_of_any_number_of_dimensions(shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(EXAMPLES, *s)) for s in shapes]
    f = lambda a, b: (a @ b, *grad(lambda a, b: ((a @ b) ** 2).sum(), argnums=(0, 1))(a, b))
    for mapped in choices(arrays):
        operands = [sg.tensor(a if i in mapped else a[0]) for i, a in enumerate(arrays)]
        g = sg.vmap(f, in_dims=tuple(0 if i in mapped else None for i in range(2)))
        assert g.plan(*operands).startswith("batched: ")
        assert "loop" not in g.plan(*operands)
        assert_same(g(*operands), looped(f, operands, mapped))


@pytest.mark.parametrize("name", ["sort", "topk", "median", "max", "min", "cummax", "cummin", "mode", "kthvalue"])
@pytest.mark.parametrize("shape", [(4,), (3, 4)])
def test_what_was_found_in_one_example_is_found_anew_in_each(name, shape):
    rng = np.random.default_rng(0)
    x = sg.tensor(rng.permuted(np.arange(8 * np.prod(shape)).reshape(8, *shape), axis=None) / 7)
    rest = (2,) if name in ("topk", "kthvalue") else ()
    pick = lambda v: getattr(sg, name)(v, *rest, dim=-1)
    for f in (
        lambda v: pick(v)[0], lambda v: pick(v)[1], lambda v: (pick(v)[0] ** 2).sum(),
        grad(lambda v: (pick(v)[0] ** 2).sum()), grad(lambda v: pick(v)[0].sum()),
    ):  # fmt: skip
        assert "batched" in sg.vmap(f).plan(x)
        assert_same(sg.vmap(f)(x), looped(f, [x], [0], 8))


def test_each_example_is_sorted_as_it_was_said_also_where_all_entries_of_the_first_tie():
    x = sg.tensor([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 1.0]])
    down = lambda v: sg.sort(v, descending=True)[0]
    assert sg.vmap(down)(x).tolist() == [[3.0, 2.0, 1.0]] * 3
    equal = sg.tensor([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0], [2.0, 3.0, 1.0]])
    assert sg.vmap(down).plan(equal).startswith("batched")
    assert sg.vmap(down)(equal).tolist() == [[1.0, 1.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]]


def test_gradients_of_choices_that_were_added_up_go_to_the_loop(monkeypatch):
    # with the check off: the two examples' sums of one-hot gradients must not be taken for constants
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    x = sg.tensor([[1.0, 2.0], [2.0, 1.0], [5.0, 4.0]])
    y = sg.tensor([[2.0, 1.0], [2.0, 1.0], [1.0, 9.0]])
    f = grad(lambda a, b: (a + 0 * b).max(0)[0] + (b + a - a).max(0)[0], argnums=(0, 1))
    got, want = sg.vmap(f)(x, y), looped(f, [x, y], [0, 1], 3)
    assert_same(got, want)


def test_parts_of_truth_values_and_whole_numbers_are_no_constants(monkeypatch):
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    x = sg.tensor([[1.0, 2.0], [-2.0, 1.0], [5.0, -4.0]])
    k = sg.tensor([[0, 1], [1, 1], [3, 0]])
    for f in (
        lambda v, i: sum(m * 1.0 for m in (v > 0)), lambda v, i: sum(j * 0.5 for j in i),
        lambda v, i: v * i.split(1)[0] * 2.0, lambda v, i: v.detach().unbind(0)[0] * v,
    ):  # fmt: skip
        assert_same(sg.vmap(f)(x, k), looped(f, [x, k], [0, 1], 3))


def test_an_index_out_of_range_is_noticed_in_every_example(monkeypatch):
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    f = sg.vmap(lambda x, i: x[i])
    assert f.plan(sg.ones(3, 2), sg.tensor([0, -2, 1])).startswith("batched: ")
    with pytest.raises(IndexError):
        f(sg.ones(3, 2), sg.tensor([0, 2, 1]))


DETACHED = {
    "grad of what is detached": lambda x: grad(lambda z: (z**3).sum())(x.detach()),
    "sg.grad of what is detached": lambda x: sg.grad(lambda z: (z**3).sum())(x.detach() * 2) * x,
    "a leaf of its own": lambda x: sg.autograd.grad((square := x.detach().requires_grad_()).pow(3).sum(), square)[0],
    "a leaf of a result": lambda x: sg.autograd.grad((twice := (x * 2).detach().requires_grad_()).prod(), twice)[0],
    "functional.jacobian": lambda x: sg.autograd.functional.jacobian(lambda z: z**2, x),
    "functional.hessian": lambda x: sg.autograd.functional.hessian(lambda z: (z**3).sum(), x),
    "functional.hvp": lambda x: sg.autograd.functional.hvp(lambda z: (z**3).sum(), x, x)[1],
    "jvp": lambda x: sg.func.jvp(sg.sin, (x,), (x * 2,))[1],
    "vjp": lambda x: sg.func.vjp(sg.sin, x)[1](x)[0],
}


@pytest.mark.parametrize("name", DETACHED)
def test_a_derivative_at_what_was_detached_is_each_examples_own(name, monkeypatch):
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    x = sg.tensor(np.random.default_rng(0).normal(size=(EXAMPLES, 3)))
    assert sg.vmap(DETACHED[name]).plan(x).startswith("batched: ")
    assert_same(sg.vmap(DETACHED[name])(x), looped(DETACHED[name], [x], [0]))


def test_a_derivative_under_no_grad_is_each_examples_own(monkeypatch):
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    x = sg.tensor(np.random.default_rng(0).normal(size=(EXAMPLES, 3)))
    f = sg.no_grad()(lambda v: sg.func.jacfwd(lambda z: z**3)(v))
    assert sg.vmap(f).plan(x) == "loop: it differentiates under no_grad"
    assert_same(sg.vmap(f)(x), looped(f, [x], [0]))


@pytest.mark.parametrize("w", [2.0, np.ones(3), np.ones((2, 3))[1], sg.ones(3), np.float64(2.0)])
def test_the_gradient_in_what_all_examples_share(w):
    x = np.random.default_rng(0).normal(size=(EXAMPLES, 3))
    x = sg.tensor(x) if isinstance(w, (sg.Tensor, float)) else x
    f = grad(lambda w, x: (w**2 * x).sum())
    g = sg.vmap(f, in_dims=(None, 0))
    assert g.plan(w, x).startswith("batched: ")
    assert_allclose(np.asarray(g(w, x)), np.stack([np.asarray(f(w, row)) for row in x]))


def test_each_example_is_factored_with_rows_exchanged_of_its_own():
    matrices = np.array([[[0.1, 2.0], [3.0, 1.0]], [[4.0, 1.0], [1.0, 3.0]], [[0.2, 5.0], [2.0, 1.0]]])
    found = sg.vmap(lambda A: sg.lu_solve(A, *sg.linalg.lu_factor(A)))(sg.tensor(matrices))
    assert_allclose(found.numpy(), np.stack([np.eye(2)] * 3), atol=1e-12)


ONE_SIDED = {
    "log": lambda p: np.where(p[0] < p[2], 0.0, p[1] * np.log(p[0] - p[2])),
    "root": lambda p: np.where(p[0] < p[2], 0.0, p[1] * np.sqrt(p[0] - p[2])),
    "power": lambda p: np.where(p[0] > p[2], (p[0] - p[2]) ** p[1], 0.0),
}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning", "ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", ONE_SIDED)
@pytest.mark.parametrize("first", [0, 1])
def test_the_branch_that_the_first_example_takes_is_not_that_of_the_others(name, first, monkeypatch):
    """The zeros of branches not taken are each example's own; the check, which looks at a few, is off."""
    monkeypatch.setattr(TracedExample, "check", lambda self: None)
    points = np.array([[-1.0, 2.0, 0.5], [2.0, 3.0, 0.5], [-2.0, 1.0, 1.0], [3.0, 2.0, 1.0]])[[first, 1 - first, 2, 3]]
    slope = sg.grad(ONE_SIDED[name])
    assert "batched" in sg.vmap(slope).plan(points)
    assert_allclose(sg.vmap(slope)(points), [slope(p) for p in points], rtol=1e-12)


@pytest.mark.parametrize("chunk", [None, 1, 2, 3, 4, 9])
def test_the_same_random_numbers_are_the_same_in_all_chunks(chunk):
    drawn = sg.vmap(lambda x: x + sg.rand(2), randomness="same", chunk_size=chunk)(sg.zeros(4, 2))
    assert (drawn == drawn[0]).all()


@pytest.mark.parametrize("options", [{}, {"generator": sg.Generator()}], ids=["default", "own"])
def test_no_random_number_is_drawn_in_error_mode(options):
    for draw in (lambda: sg.rand(2, **options), lambda: sg.randn(2, **options), lambda: sg.randperm(2, **options)):
        with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
            sg.vmap(lambda x, draw=draw: x + draw())(sg.zeros(4, 2))
    assert sg.vmap(lambda x: 2 * x)(sg.zeros(4, 2)).shape == (4, 2)
