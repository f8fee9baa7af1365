"""Star colourings are valid, use few colours, and what is compressed by them is recovered exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import block_array, csr_array, eye_array, kron

import symgrad as sg
from symgrad.programs.sparsity import colours as _colour
from symgrad.programs.sparsity.colours import ColouringError, Recovery, star_colours

from ..helpers.cases import one_in
from ..helpers.examples import examples
from ..helpers.versions import random_sparse
from ..helpers.work import calls


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
