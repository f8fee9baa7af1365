"""Columns or rows of one colour never meet, and every entry is recovered from their sums; the colours are few."""

import numpy as np
import pytest
import scipy.sparse

import symgrad as sg
from symgrad.programs.sparsity.colours import ColouringError, Grouping, best_grouping, column_colours


def random_pattern(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(0, 30, 2)
    return scipy.sparse.csr_array(rng.random((m, n)) < rng.choice([0.02, 0.1, 0.4]), dtype=float)


@pytest.mark.parametrize("seed", range(60))
def test_every_entry_is_recovered_from_sums_of_columns_or_rows(seed):
    pattern = random_pattern(seed)
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
