"""Functions that a search of random ones found: their programs were refused by the comparison, or did not run."""

import numpy as np
import pytest

import symgrad as sg

L, T = sg, sg.as_tensor
MASK = np.array([[True, False], [True, True]])
X, Y = np.array([0.7, 1.3]), np.array([1.118, -0.207, -0.671, 1.027])


def diagonal(x):
    return L.diag_embed(L.diagonal(L.outer(T(x), T(x)) + 2 * L.eye(2)))


def masked_rows(x):
    v = T(x).reshape(2, 2)
    v = L.masked_fill(v * v, ~MASK, -1.0)[np.array([0, 1, 0])]
    return (v * v).sum() * v[0, 0]


FOUND = {
    "a column and its sums along one place": (lambda x: np.exp(((x + L.cumsum(T(x), 1)) ** 2).sum()), X[:, None]),
    "a row that is flipped": (lambda x: ((1.5 + L.sin(L.flip(T(x), [-2]))) ** L.maximum(x, L.flip(T(x), [-2]))).sum(),
                              X[None]),
    "a mask of a diagonal matrix": (lambda x: diagonal(x)[MASK].sum() ** 2, X),
    "a mask of it times it": (lambda x: (diagonal(x)[MASK].sum() * diagonal(x)).sum(), X),
    "two reads that name a place twice": (
        lambda x: (lambda v: (v[MASK].sum() * v).sum())(np.square(np.outer(x, x))), X,
    ),
    "the greater of a number and entries": (lambda x: np.fmax(2 * x[0] * x[0], x).sum(), Y),
    "a mask read at places": (masked_rows, Y),
    "a median alone": (lambda x: L.median(T(x), 0)[0] + L.kthvalue(T(x), 2)[0] ** 2, Y),
    "a log-sum-exp of one number": (lambda x: L.logsumexp((T(x) ** 2).sum(), 0) ** 2, X),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_the_program_of_a_found_function_is_the_tapes(name):
    f, x = FOUND[name]
    compiled = sg.compile(f)
    made = compiled._known((x,), {})[0]
    for point in (x, x * 0.9, x + 0.3):
        value, gradient, matrix = made.program.run(made.values([point]))  # before anything is compared
        truth = np.asarray(sg.func.hessian(f)(point)).reshape(x.size, x.size)
        np.testing.assert_allclose(value, np.asarray(f(point)), rtol=1e-12)
        np.testing.assert_allclose(gradient, sg.grad(f)(point), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(np.reshape(matrix, truth.shape), truth, rtol=1e-10, atol=1e-9)
    compiled(x)
    assert made.program.checked and not made.program.refused


def test_what_is_cut_in_place_is_no_constant():
    def f(x):
        v = L.sin(T(x))
        v.detach_()
        return (v * v).sum()

    with pytest.raises(sg.SymbolicBranchError, match="found at the point"):
        sg.compile(f)(X)
