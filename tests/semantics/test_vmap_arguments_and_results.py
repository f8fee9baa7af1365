"""`vmap`: where the batch is in the arguments, and where it goes in the results."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, vmap


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
