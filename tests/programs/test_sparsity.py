"""Patterns of derivatives miss nothing and hold little else; their colourings are valid, few, and recovered exactly."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_array, csr_array, eye_array, kron

import symgrad as sg
from symgrad.core import TABLE, edge, multilinear
from symgrad.programs.sparsity import colours as _colour
from symgrad.programs.sparsity.colours import (
    ColouringError,
    Grouping,
    Recovery,
    best_grouping,
    column_colours,
    star_colours,
)
from symgrad.programs.sparsity.pattern import TooDense, hessian_pattern, probed
from symgrad.programs.survey import Unprogrammable

from ..helpers.cases import one_in
from ..helpers.examples import examples, seeds
from ..helpers.rows import DEAR, ONCE, RECORDED, call, leaves_of, rows, sample, tensors, wanted, weights
from ..helpers.versions import random_sparse
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


# Star colourings ------------------------------------------------------------------------------------------------------


def band(n, b):
    offsets = np.arange(n)[:, None] - np.arange(n)
    return csr_array((np.abs(offsets) <= b).astype(float))


def chain(n):
    rows = np.concatenate([np.arange(n), np.arange(n - 1), np.arange(1, n)])
    columns = np.concatenate([np.arange(n), np.arange(1, n), np.arange(n - 1)])
    return csr_array((np.ones(3 * n - 2), (rows, columns)), (n, n))


def arrow(n, hub):
    k = np.arange(n)
    rest = k[k != hub]
    rows = np.concatenate([k, rest, np.full(n - 1, hub)])
    columns = np.concatenate([k, np.full(n - 1, hub), rest])
    return csr_array((np.ones(3 * n - 2), (rows, columns)), (n, n))


def grid(a, b, corners=False):
    line = lambda n: chain(n)
    if corners:
        return csr_array(kron(line(a), line(b)))
    return csr_array(kron(line(a) - eye_array(a), eye_array(b)) + kron(eye_array(a), line(b)))


def random_pattern(n, density, diagonal, seed):
    rng = np.random.default_rng(seed)
    A = random_sparse(n, density, rng)
    A = A + A.T
    if diagonal:
        A = A + eye_array(n)
    A = csr_array(A)
    A.eliminate_zeros()
    return A


def violations(A, colours):
    """By the definition: neighbours of one colour, and paths of four vertices with two colours."""
    A = A.toarray() != 0
    np.fill_diagonal(A, False)
    near = [np.flatnonzero(row).tolist() for row in A]
    c = colours.tolist()
    found = [(v, w) for v in range(len(c)) for w in near[v] if c[v] == c[w]]
    for w, x in np.argwhere(A).tolist():
        ends = [v for v in near[w] if v != x and c[v] == c[x]]
        others = [y for y in near[x] if y != w and c[y] == c[w]]
        found += [(v, w, x, y) for v in ends for y in others if v != y]
    return found


def recovered_exactly(A, seed=0):
    """Fill the pattern with a random symmetric matrix, compress and recover it; returns the number of colours."""
    colours = star_colours(A)
    recovery = Recovery(A, colours)
    H = csr_array(A, dtype=float, copy=True)
    H.sum_duplicates()
    values = np.random.default_rng(seed).integers(-(2**20), 2**20, (A.shape[0], 1)).astype(float)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(H.indptr))
    H.data = values[rows, 0] * values[H.indices, 0]
    found = recovery.matrix(H @ recovery.seeds())
    assert np.array_equal(found.indices, H.indices) and np.array_equal(found.data, H.data)
    assert (found != found.T).nnz == 0
    return recovery.count


@examples(40)
@given(st.integers(1, 25), st.floats(0, 1), st.booleans(), st.integers(0, 2**32 - 1))
def test_random_patterns_are_coloured_and_recovered(n, density, diagonal, seed):
    A = random_pattern(n, density**2, diagonal, seed)
    assert violations(A, star_colours(A)) == []
    recovered_exactly(A, seed)


@examples(20)
@given(st.integers(2, 20), st.floats(0, 0.5), st.integers(0, 2**32 - 1))
def test_only_star_colourings_are_recovered_from(n, density, seed):
    A = random_pattern(n, density, True, seed)
    colours = np.random.default_rng(seed).integers(0, 3, n)
    if violations(A, colours):
        with pytest.raises(ColouringError, match=r"entry \(\d+, \d+\) cannot be recovered"):
            Recovery(A, colours)
    else:
        Recovery(A, colours)


@pytest.mark.parametrize(
    ("pattern", "most"),
    [
        (csr_array((4, 4)), 1),
        (csr_array(eye_array(50)), 1),
        (csr_array(np.eye(6, k=2) + np.eye(6, k=-2)), 3),
        (chain(2), 2),
        (chain(100), 3),
        (arrow(60, 0), 2),
        (arrow(60, 59), 2),
        (arrow(60, 31), 2),
        (csr_array(arrow(60, 20) + chain(60)), 5),
        (band(100, 2), 5),
        (band(100, 4), 9),
        (csr_array(np.ones((6, 6))), 6),
        (csr_array(kron(eye_array(20), np.ones((4, 4)))), 4),
        (grid(10, 10), 6),
        (grid(13, 17), 6),
        (grid(20, 25), 6),
        (grid(12, 15, corners=True), 12),
    ],
)
def test_known_families_take_few_colours(pattern, most):
    assert violations(pattern, star_colours(pattern)) == []
    assert recovered_exactly(pattern) <= most


def test_colours_chosen_one_by_one_are_as_few_as_a_period():
    for pattern in (chain(200), band(200, 3), csr_array(kron(eye_array(20), np.ones((4, 4))))):
        found = np.array(_colour._one_by_one(_colour._Pattern(pattern)))
        assert violations(pattern, found) == []
        assert found.max() == star_colours(pattern).max()


def test_a_period_is_taken_only_where_it_is_valid():
    A = csr_array(chain(30) + arrow(30, 3) * 0)
    shuffled = np.random.default_rng(0).permutation(30)
    B = csr_array(A[shuffled][:, shuffled])
    assert violations(B, star_colours(B)) == []
    assert recovered_exactly(B) <= 4


def test_patterns_beside_each_other_share_colours():
    A = csr_array(block_array([[arrow(30, 0), None], [None, chain(40)]]))
    assert recovered_exactly(A) == 3


def test_stored_zeros_and_unsorted_columns_count_as_entries():
    A = csr_array((np.zeros(4), np.array([1, 0, 1, 0]), np.array([0, 2, 4])), (2, 2))
    recovery = Recovery(A, star_colours(A))
    H = np.array([[1.0, 2.0], [2.0, 3.0]])
    assert np.array_equal(recovery.matrix(H @ recovery.seeds()).toarray(), H)


@one_in(6)
@pytest.mark.parametrize("hub", [0, 50_000, 99_999])
def test_a_large_arrow_is_coloured_in_work_of_its_size(hub):
    A = arrow(100_000, hub)
    assert recovered_exactly(A) == 2
    assert calls(lambda: star_colours(A)) < 30 * 100_000


def test_a_large_chain_is_coloured_at_once():
    A = chain(10_000)
    assert recovered_exactly(A) == 3
    assert calls(lambda: star_colours(A)) < 1_000  # no loop over its rows
    shuffled = np.random.default_rng(0).permutation(10_000)
    B = csr_array(A[shuffled][:, shuffled])
    assert recovered_exactly(B) <= 4
    assert calls(lambda: star_colours(B)) < 30 * 10_000


def test_a_dense_pattern_is_given_up_in_time():
    full = lambda n: csr_array(np.ones((n, n)) - np.eye(n)[::-1])
    assert recovered_exactly(full(1000)) == 1000
    A = full(2000)
    colours = []
    assert calls(lambda: colours.append(star_colours(A))) < 1_000 * 2000  # of four million entries
    assert len(np.unique(colours)) == 2000


def test_patterns_that_are_not_symmetric_or_square_are_refused():
    with pytest.raises(sg.ShapeError, match="symmetric"):
        star_colours(csr_array(np.array([[1.0, 1.0], [0.0, 1.0]])))
    with pytest.raises(sg.ShapeError, match="symmetric"):
        star_colours(csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])))
    with pytest.raises(sg.ShapeError, match="square"):
        star_colours(csr_array((2, 3)))


def test_colours_and_products_of_the_wrong_shape_are_refused():
    A = chain(4)
    with pytest.raises(sg.ShapeError, match="one colour per column"):
        Recovery(A, [0, 1, 2])
    with pytest.raises(sg.ShapeError, match="3 seeds"):
        Recovery(A, star_colours(A)).matrix(np.zeros((4, 2)))


def test_an_empty_pattern_has_no_colours():
    A = csr_array((0, 0))
    assert star_colours(A).shape == (0,)
    recovery = Recovery(A, star_colours(A))
    assert recovery.matrix(np.zeros((0, 0))).shape == (0, 0)


# Colours of columns and rows ------------------------------------------------------------------------------------------


def random_rectangle(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(0, 30, 2)
    return scipy.sparse.csr_array(rng.random((m, n)) < rng.choice([0.02, 0.1, 0.4]), dtype=float)


@pytest.mark.parametrize("seed", range(60))
def test_every_entry_is_recovered_from_sums_of_columns_or_rows(seed):
    pattern = random_rectangle(seed)
    J = pattern.toarray() * np.random.default_rng(seed).normal(size=pattern.shape)
    for by_rows in (None, False, True):
        groups = best_grouping(pattern, by_rows)
        data = np.zeros(pattern.nnz)
        for k in range(groups.count):  # one at a time, as where memory is short
            seeds = groups.seeds(range(k, k + 1))
            groups.read(data, seeds @ J if groups.by_rows else seeds @ J.T, range(k, k + 1))
        assert np.array_equal(groups.matrix(data).toarray(), J)
    assert best_grouping(pattern).count <= min(best_grouping(pattern, False).count, best_grouping(pattern, True).count)


def test_columns_that_meet_are_never_added_up():
    with pytest.raises(ColouringError):
        Grouping(scipy.sparse.csr_array(np.ones((1, 2))), [0, 0])
    with pytest.raises(sg.ShapeError):
        Grouping(scipy.sparse.csr_array(np.ones((1, 2))), [0])


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        (np.eye(9) + np.eye(9, k=1) + np.eye(9, k=-1), 3),
        (np.kron(np.eye(6), np.ones((3, 2))), 2),
        (np.ones((4, 7)), 7),
        (np.zeros((4, 7)), 1),
    ],
)
def test_simple_patterns_have_few_colours(pattern, count):
    assert column_colours(scipy.sparse.csr_array(pattern)).max() + 1 == count


def test_grids_and_fields_on_a_line_need_no_more_than_their_fullest_row():
    line = lambda n: scipy.sparse.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1])
    grid = scipy.sparse.csr_array(scipy.sparse.kron(np.eye(31), line(17)) + scipy.sparse.kron(line(31), np.eye(17)))
    assert best_grouping(grid).count == 5
    fields = scipy.sparse.block_array([[line(200), np.eye(200)], [np.eye(200), line(200)]]).tocsr()
    assert best_grouping(fields).count == 4
