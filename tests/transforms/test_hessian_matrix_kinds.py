"""Hessians of several parameters whose matrix is sparse, structured or a tensor."""

import numpy as np
import pytest
import scipy.sparse as sp

import symgrad as sg
from symgrad._errors import GradientError
from symgrad.transforms.matrix import HessianMatrix

from .test_hessian_matrix import built, symmetric


class Sum:
    """A structured matrix: a diagonal and an outer product, known by its dense form alone."""

    def __init__(self, d, u):
        self.d, self.u, self.shape = d, u, (len(d), len(d))

    def todense(self):
        return np.diag(self.d) + np.outer(self.u, self.u)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.dia_array, sp.bsr_matrix])
def test_sparse_matrices_stay_sparse_and_read_the_same(make):
    A = np.diag([2.0, 3, 4, 5]) + np.diag([1.0, 0, 1], 1) + np.diag([1.0, 0, 1], -1)
    params = {"a": 1.0, "W": np.zeros((1, 3))}
    H, dense = built(params, make(A)), built(params, A)
    assert sp.issparse(H.matrix) and np.array_equal(np.asarray(H), A)
    assert np.array_equal(H["a", "W"], dense["a", "W"]) and H["W", "W"].shape == (1, 3, 1, 3)
    assert type(H["a", "a"]) is type(dense["a", "a"])
    assert np.allclose(H @ np.ones(4), A @ np.ones(4)) and np.allclose(A @ H.solve(np.ones(4)), 1)
    assert np.array_equal(H.diagonal(), np.diag(A)) and H.symmetry_error == 0
    assert np.allclose(H.eigh().values, np.linalg.eigvalsh(A))
    assert np.allclose(np.asarray(H.covariance()), np.linalg.inv(A))
    assert H.report().kind == "minimum" and "<table>" in H._repr_html_()


def test_large_sparse_systems_are_solved_without_a_dense_matrix(monkeypatch):
    n = 5000
    A = sp.diags([np.full(n - 1, -1.0), np.full(n, 2.5), np.full(n - 1, -1.0)], [-1, 0, 1]).tocsr()
    H = built({"u": np.zeros(n)}, A)
    monkeypatch.setattr(HessianMatrix, "_dense", property(lambda self: pytest.fail("made dense")))
    x = H.solve(np.ones(n))
    assert np.allclose(A @ x, 1) and H.symmetry_error == 0 and len(H.labels) == n
    flat = sp.diags([np.full(n - 1, -1.0), np.r_[1.0, np.full(n - 2, 2.0), 1.0], np.full(n - 1, -1.0)], [-1, 0, 1])
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        built({"u": np.zeros(n)}, flat.tocsr()).solve(np.ones(n))


def test_a_structured_matrix_needs_no_more_than_its_dense_form():
    S = Sum(np.array([1.0, 2, 3]), np.array([1.0, 1, 0]))
    H = built({"a": 1.0, "b": np.zeros(2)}, S)
    assert H.matrix is S and np.array_equal(H["a", "b"], [1, 0])
    assert np.allclose(H @ H.solve(np.ones(3)), 1) and np.array_equal(H.diagonal(), [2, 3, 3])
    assert H.report().kind == "minimum" and H.symmetry_error == 0


def test_a_large_structured_matrix_solves_in_its_own_way(monkeypatch):
    n = 3000
    f = lambda p: ((p["u"][1:] - p["u"][:-1]) ** 2).sum() + (p["u"] ** 4).sum()
    H = sg.hessian(f, format="structured")({"u": np.ones(n)})
    with monkeypatch.context() as patched:
        patched.setattr(HessianMatrix, "_dense", property(lambda self: pytest.fail("made dense")))
        x = H.solve({"u": np.ones(n)})["u"]
        assert np.allclose(H @ x, 1) and H.report().kind == "minimum"
    assert not isinstance(H.matrix, np.ndarray) and np.allclose(np.asarray(H) @ x, 1)


def test_blocks_products_and_solutions_of_tensors_have_a_history():
    t = sg.tensor(2.0, requires_grad=True)
    A = symmetric(3, definite=True)
    params = {"a": 1.0, "b": np.zeros(2)}
    H = built(params, t * sg.tensor(A))
    x = np.array([1.0, 2.0, 3.0])
    results = {
        "block": (H["a", "b"].sum(), A[0, 1:].sum()),
        "nested block": (H["b"]["b"].sum(), A[1:, 1:].sum()),
        "product": ((H @ x).sum(), (A @ x).sum()),
        "container": ((H @ {"a": 1.0, "b": x[1:]})["b"].sum(), (A @ x)[1:].sum()),
        "solution": (H.solve(x).sum(), -np.linalg.solve(A, x).sum() / 4),
        "solution in a container": (H.solve({"a": 1.0, "b": x[1:]})["a"], -np.linalg.solve(A, x)[0] / 4),
        "diagonal": (H.diagonal().sum(), np.trace(A)),
        "eigenvalues": (H.eigh().values.sum(), np.trace(A)),
        "covariance": (H.covariance()["a", "a"], -np.linalg.inv(A)[0, 0] / 4),
    }
    for name, (result, truth) in results.items():
        (slope,) = sg.autograd.grad(result, t, retain_graph=True)
        assert np.allclose(slope.detach().numpy(), truth), name
    assert isinstance(H.blocks()["a"]["b"], sg.Tensor) and H.report().kind == "minimum"
    for loses in (np.asarray, lambda H: x @ H):
        with pytest.raises(GradientError, match=r"no history.*\n.*\nUse H.matrix"):
            loses(H)
    assert np.array_equal(np.asarray(built(params, sg.tensor(A))), A)


def test_numbers_times_a_tensor_give_a_tensor():
    A = symmetric(3, definite=True)
    v = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for make in (np.asarray, sp.csr_matrix):
        H = built({"a": 1.0, "b": np.zeros(2)}, make(A))
        (slope,) = sg.autograd.grad((H @ v).sum(), v)
        assert np.allclose(slope.numpy(), A.sum(0))
        (slope,) = sg.autograd.grad(H.solve({"a": v[0], "b": v[1:]})["a"], v)
        assert np.allclose(slope.numpy(), np.linalg.inv(A)[0])
