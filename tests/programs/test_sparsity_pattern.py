"""The pattern of the second derivatives: it misses nothing, and holds little else."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import TABLE, edge, multilinear
from symgrad.programs.sparsity.pattern import TooDense, hessian_pattern, probed
from symgrad.programs.survey import Unprogrammable

from ..helpers.cases import one_in
from ..helpers.examples import seeds
from ..helpers.rows import DEAR, ONCE, RECORDED, call, leaves_of, rows, sample, tensors, wanted, weights
from ..helpers.work import calls
from ..properties._programs import differentiated, program_of


def true_hessian(loss, leaves):
    """The matrix of second derivatives by two reverse sweeps."""
    first = sg.autograd.grad(loss, leaves, create_graph=True, materialize_grads=True)
    whole = []
    for g in first:
        for k in range(g.numel()):
            if g.requires_grad:
                parts = sg.autograd.grad(g.reshape(-1)[k], leaves, retain_graph=True, materialize_grads=True)
                whole.append(np.concatenate([p.numpy().reshape(-1) for p in parts]))
            else:
                whole.append(np.zeros(sum(x.numel() for x in leaves)))
    return np.array(whole)


def assert_covers(loss, leaves):
    """The pattern is symmetric, sorted, all true, and holds every second derivative; returns both as dense arrays."""
    pattern = hessian_pattern(edge(loss), leaves)
    assert pattern.dtype == bool and pattern.data.all() and pattern.has_canonical_format
    dense = pattern.toarray()
    assert np.array_equal(dense, dense.T)
    hessian = true_hessian(loss, leaves)
    missing = (hessian != 0) & np.isfinite(hessian) & ~dense
    assert not missing.any(), np.argwhere(missing)
    return dense, hessian


def pattern_of(f, *arrays):
    leaves = [sg.tensor(np.asarray(a, float), requires_grad=True) for a in arrays]
    dense, hessian = assert_covers(f(*leaves), leaves)
    return dense, hessian != 0


def is_real(op):
    operands, _ = sample(op)
    ts = tensors(operands, wanted(op, operands))
    return all(t._data.dtype.kind == "f" for t in leaves_of(ts))


REAL = [op for op in RECORDED if is_real(op) and op.name not in ONCE]


@one_in(4)
@rows(REAL, slow=DEAR)
def test_no_second_derivative_of_any_row_is_missed(op):
    operands, params = sample(op)
    leaves, outs = observed(op, operands, params)
    if not outs:
        return
    assert_covers(weighted(outs), leaves)
    leaves, outs = observed(op, operands, params)
    assert_covers(weighted([o * o for o in outs]), leaves)


def observed(op, operands, params):
    """The row's leaves and real outputs, with what is complex as its real and imaginary part."""
    ts = tensors(operands, wanted(op, operands))
    outs = [o for o in call(op, ts, params) if o.requires_grad]
    outs = [part for o in outs for part in ([o.real, o.imag] if o._data.dtype.kind == "c" else [o])]
    return leaves_of(ts), outs


def weighted(outs):
    return sum((o * sg.tensor(w)).sum() for o, w in zip(outs, weights([o._data for o in outs])))


@seeds(60)
def test_no_second_derivative_of_a_random_program_is_missed(seed):
    program = program_of(seed, smooth=seed % 2 == 0, inplace=seed % 4 < 2, most=8)
    leaves = [sg.tensor(a, requires_grad=True) for a in program.leaves]
    found = differentiated(program, leaves, create_graph=True)
    if found:
        assert_covers(found[0], leaves)


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def test_the_pattern_of_a_chain_is_tridiagonal():
    dense, true = pattern_of(rosenbrock, np.linspace(0.5, 1.5, 9))
    assert np.array_equal(dense, true)
    assert dense.sum() == 3 * 9 - 2


def test_a_sum_over_the_edges_of_a_graph_has_the_pattern_of_the_graph():
    edges = np.array([[0, 3], [1, 4], [2, 4], [0, 5], [3, 5]])
    dense, true = pattern_of(lambda x: sg.cosh(x[edges[:, 0]] - x[edges[:, 1]]).sum(), np.arange(7.0) / 3)
    expected = np.zeros((7, 7), bool)
    for i, j in edges:
        expected[[i, j, i, j], [i, j, j, i]] = True
    assert np.array_equal(dense, expected) and np.array_equal(dense, true)


def test_an_energy_on_a_grid_has_its_stencil():
    def five(u):
        return (sg.cosh(u[1:] - u[:-1])).sum() + sg.cosh(u[:, 1:] - u[:, :-1]).sum() + (u**4).sum()

    def area(u):
        across, down = u[1:, :-1] - u[:-1, :-1], u[:-1, 1:] - u[:-1, :-1]
        return sg.sqrt(1 + across**2 + down**2).sum()

    u = np.random.default_rng(0).normal(size=(5, 6))
    dense, true = pattern_of(five, u)
    assert np.array_equal(dense, true) and dense.sum(1).max() == 5
    dense, true = pattern_of(area, u)
    assert np.array_equal(dense, true) and dense.sum(1).max() == 7


def test_products_couple_only_the_factors():
    dense, true = pattern_of(lambda a, b: (a * b).sum(), [1.0, 2.0], [3.0, 4.0])
    assert np.array_equal(dense, true)
    assert np.array_equal(dense, np.kron([[0, 1], [1, 0]], np.eye(2)).astype(bool))


@pytest.mark.parametrize(
    "f",
    [
        lambda U, V: (U @ V.T).sum(),
        lambda U, V: ((U @ V.T) * sg.tensor((np.arange(12.0) + 1).reshape(3, 4))).sum(),
        lambda U, V: sg.einsum("ik,jk->k", U, V).sum(),
        lambda U, V: sg.einsum("ii,ij->j", U[:2], V[:2]).sum(),
        lambda U, V: sg.exp(U).sum() + (V[:, 0] * V[:, 1]).sum(),
        lambda U, V: sg.logsumexp(U, 1).sum() + sg.log_softmax(V, 0)[0].sum(),
        lambda U, V: (sg.cat([U, V], 0) ** 3).sum(),
        lambda U, V: U.mean(0).exp().sum() + sg.relu(V).sum(),
        lambda U, V: (U[:, None, :] * V[None, :, :]).sum(),
        lambda U, V: (sg.stack([U[0], V[1]]).square().prod(0)).sum(),
        lambda U, V: sum((a**3).sum() for a in U.unbind(0)) + V.diff(dim=0).square().sum(),
        lambda U, V: sg.linalg.inv(sg.stack([U[:2], V[:2]]) + sg.tensor(np.eye(2))).sum(),
        lambda U, V: sg.where(U > 0, U, 2 * U).sum() + sg.maximum(V, -V).sum(),
    ],
)
def test_the_pattern_holds_nothing_that_vanishes_everywhere(f):
    rng = np.random.default_rng(3)
    dense, true = pattern_of(f, rng.normal(size=(3, 2)), rng.normal(size=(4, 2)))
    assert np.array_equal(dense, true)


def test_linear_functions_have_an_empty_pattern():
    A = np.random.default_rng(0).normal(size=(3, 4))
    dense, _ = pattern_of(lambda x: (sg.tensor(A) @ x).cumsum(0).flip(0)[1:].mean() * 3 - x[0] / 2, np.ones(4))
    assert not dense.any()


def test_variables_the_result_does_not_depend_on_have_empty_rows():
    x, y = (sg.tensor(np.ones(2), requires_grad=True) for _ in range(2))
    pattern = hessian_pattern(edge((y**2).sum()), [x, y]).toarray()
    assert np.array_equal(pattern, np.diag([False, False, True, True]))


def test_leaves_that_are_no_variables_are_constants():
    x, y = (sg.tensor(np.ones(2), requires_grad=True) for _ in range(2))
    assert hessian_pattern(edge((x * y).sum()), [x]).nnz == 0


def test_what_a_variable_was_computed_from_does_not_count():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = sg.exp(x)
    loss = (y * sg.tensor([2.0, 3.0]) + y[0] * y[1]).sum()
    assert np.array_equal(hessian_pattern(edge(loss), [y]).toarray(), [[False, True], [True, False]])
    assert np.array_equal(hessian_pattern(edge(loss), [x, y]).toarray()[:2], np.zeros((2, 4), bool))


def test_what_moves_entries_is_told_from_what_mixes_them():
    assert probed(lambda x: 3 * x[[2, 0, 0]], 3).tolist() == [2, 0, 0]
    assert probed(lambda x: np.r_[5.0, x[1] + 7, np.inf], 2).tolist() == [-1, 1, -1]
    for mixes in (np.cumsum, np.diff, lambda x: x[0] - x[1:], lambda x: np.r_[x[:1], x[1:].sum()]):
        assert probed(mixes, 4) is None


def test_small_factors_hide_nothing():
    def f(x):
        return (sg.tensor(np.zeros(4)).index_add(0, sg.tensor([0, 0, 1]), x[:3], alpha=1e-9) ** 2).sum()

    dense, _ = pattern_of(f, [1.0, 2.0, 3.0, 4.0])
    assert np.array_equal(dense, np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]], bool))


def test_a_small_factor_beside_a_variable_hides_nothing():
    places = sg.tensor([0, 1, 2])

    def f(x):
        return (x[:3].index_add(0, places, x[3:], alpha=1e-9) ** 2).sum()

    dense, true = pattern_of(f, np.arange(1.0, 7))
    assert np.array_equal(dense, true) and dense.sum() == 12
    for small in (1e-6, 1e-9, 1e-13):  # of one operand too
        assert probed(lambda x, small=small: x[:1] + small * x[1:], 2) is None


def test_the_pattern_does_not_depend_on_the_numbers():
    zero, some = np.zeros(5), np.random.default_rng(0).normal(size=5)
    f = lambda x: (x * x[::1] * sg.tensor(np.array([0.0, 1, 0, 1, 0])) * (x[0] - x)).sum()
    leaves = [sg.tensor(a, requires_grad=True) for a in (zero, some)]
    first, second = [hessian_pattern(edge(f(x)), [x]).toarray() for x in leaves]
    assert np.array_equal(first, second)


def test_float32_places_are_counted_exactly():
    n = 70_000
    x = sg.tensor(np.ones(n, np.float32), requires_grad=True)
    pattern = hessian_pattern(edge((x[: n // 2] * x[n // 2 :].flip(0)).sum()), [x]).tocoo()
    assert np.array_equal(np.sort(pattern.row), np.arange(n))
    assert np.array_equal(pattern.row + pattern.col, np.full(n, n - 1))


def test_a_large_chain_takes_no_loop_over_its_numbers():
    x = sg.tensor(np.linspace(0.5, 1.5, 10_000), requires_grad=True)
    loss = rosenbrock(x)
    assert hessian_pattern(edge(loss), [x]).nnz == 29_998
    assert calls(lambda: hessian_pattern(edge(loss), [x])) < 10_000


def test_a_pattern_that_is_too_dense_is_refused():
    x = sg.tensor(np.ones(200_000), requires_grad=True)
    with pytest.raises(TooDense, match="entries"):
        hessian_pattern(edge(sg.log(x.sum())), [x])


def test_many_equal_rows_cost_no_more_than_one():
    W = sg.tensor(np.random.default_rng(0).normal(size=(30, 30)), requires_grad=True)
    X = sg.tensor(np.random.default_rng(1).normal(size=(500, 30)))
    pattern = hessian_pattern(edge(sg.tanh(X @ W).sum()), [W])
    assert pattern.nnz == 30 * 30 * 30


def test_hooks_and_functions_of_the_users_own_are_refused():
    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = sg.tensor([1.0], requires_grad=True)
    with pytest.raises(Unprogrammable, match="user-defined"):
        hessian_pattern(edge((Double.apply(x) ** 2).sum()), [x])
    y = x**2
    y.register_hook(lambda g: g * g)
    with pytest.raises(Unprogrammable, match="hooks"):
        hessian_pattern(edge((y**2).sum()), [x])


def test_a_graph_that_was_used_up_is_refused():
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    loss = (x**2).sum()
    loss.backward()
    with pytest.raises(sg.GraphFreedError):
        hessian_pattern(edge(loss), [x])


def test_large_constants_need_not_be_there_any_more():
    x = sg.tensor(np.ones(300), requires_grad=True)
    loss = (sg.tensor(np.ones((400, 300))) @ x * sg.tensor(np.ones(400))).sum() + (x**2).sum()
    assert np.array_equal(hessian_pattern(edge(loss), [x]).toarray(), np.eye(300, dtype=bool))


def test_a_product_that_does_not_say_what_it_is_may_be_any():
    name = "rowwise_for_this_test"
    times = multilinear(name, lambda a, b: a * b, lambda g, b: g * b, lambda g, a: g * a, doc="a * b")
    try:
        n = 4
        found, true = pattern_of(
            lambda x: (times(x[: n * n].reshape(n, n), x[n * n :].reshape(n, n))).sum(), np.arange(2.0 * n * n) + 1
        )
        assert true.sum() == 2 * n * n and found[true].all()
    finally:
        del TABLE[name]


def test_the_pattern_of_a_product_follows_its_equation():
    rng = np.random.default_rng(0)
    weight = rng.normal(size=(2, 3, 3))

    def loss(x):
        return sg.nn.functional.bilinear(x, x, sg.tensor(weight)).sum()

    found, true = pattern_of(loss, rng.normal(size=(4, 3)))
    assert np.array_equal(found, true) and true.sum() == 4 * 3 * 3
