"""`vmap` gives what a loop gives, in values and in derivatives."""

import pytest
from numpy.testing import assert_allclose

import symgrad as sg
from symgrad.func import grad, hessian, jacrev, jvp, vmap


@pytest.fixture
def rows():
    return sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


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
