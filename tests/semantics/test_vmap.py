"""`func.vmap`: a function of one example, run on a batch."""

import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, hessian, jacrev, jvp, vmap


@pytest.fixture
def rows():
    return sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


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


def test_each_example_may_take_its_own_branch():
    rows = sg.tensor([[1.0, 2.0], [-3.0, 1.0]])
    assert vmap(lambda r: r if r.sum() > 0 else -r)(rows).tolist() == [[1.0, 2.0], [3.0, -1.0]]


def test_chunk_size_changes_no_result(rows):
    f = lambda row: row.sum()
    assert vmap(f, chunk_size=1)(rows).tolist() == vmap(f)(rows).tolist()
