"""Hessians as objects: every way to read their matrix, and what they say of a point at any scale and size."""

import collections
import dataclasses
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg  # noqa: F401  (sp.linalg)
from hypothesis import given
from hypothesis import strategies as st

import symgrad as sg
from symgrad import _limits
from symgrad._errors import GradientError, ShapeError, SymgradError
from symgrad.transforms.calls.tree import LEAF, flatten, flatten_values, tree_paths, unflatten
from symgrad.transforms.matrix import HessianMatrix, UnknownParameterError
from symgrad.transforms.report import SPECTRUM_RESTARTS, asymmetry, combination, is_positive_definite, report, short

from ..helpers.examples import examples

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Layer:
    W: object
    b: object


NET = {"layers": [{"W": np.zeros((2, 3)), "b": np.zeros(2)}, {"W": np.zeros((1, 2)), "b": 0.0}], "scale": 1.0}
CONTAINERS = {
    "dictionary": {"a": 1.0, "b": np.zeros(4), "W": np.zeros((2, 3))},
    "ordered dictionary": collections.OrderedDict(z=np.zeros(2), a=1.0),
    "dictionary with default": collections.defaultdict(list, k=np.zeros(2)),
    "tuple": (np.zeros(2), np.zeros((1, 2))),
    "list": [1.0, np.zeros(3)],
    "deque": collections.deque([np.zeros(2), 1.0]),
    "named tuple": Pair(np.zeros(2), [1.0]),
    "dataclass": Layer(np.zeros((2, 2)), np.zeros(2)),
    "nested": NET,
    "dictionary in a named tuple in a list": [Pair({"u": 1.0}, np.zeros(2)), np.zeros(1)],
    "with empty containers": {"none": (), "a": np.zeros(2), "also": {}},
    "with an empty array": {"e": np.zeros((0, 3)), "a": np.zeros(2)},
    "with None": {"a": np.zeros(2), "b": None, "c": [None, 1.0]},
    "keys that are numbers": {3: np.zeros(2), 1: 1.0},
}


def symmetric(n, definite=False, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A @ A.T + np.eye(n) if definite else A + A.T


def built(params, matrix=None, definite=False):
    leaves, spec = flatten_values(params)
    paths = [path for path, leaf in zip(tree_paths(params), flatten(params)[0], strict=True) if leaf is not None]
    shapes = [np.shape(leaf) for leaf in leaves]
    n = sum(np.size(leaf) for leaf in leaves)
    return HessianMatrix(symmetric(n, definite) if matrix is None else matrix, spec, shapes, paths, False)


def expected(H, i, j):
    sizes = [int(np.prod(s)) for s in H.shapes]
    starts = np.cumsum([0, *sizes])
    cut = np.asarray(H)[starts[i] : starts[i] + sizes[i], starts[j] : starts[j] + sizes[j]]
    return cut.reshape(H.shapes[i] + H.shapes[j])


@pytest.fixture(params=list(CONTAINERS))
def container(request):
    return CONTAINERS[request.param]


def test_each_block_is_read_by_two_paths_and_step_by_step(container):
    H = built(container)
    for (i, a), (j, b) in itertools.product(enumerate(H.names), repeat=2):
        truth = expected(H, i, j)
        assert np.array_equal(H[a, b], truth) and np.shape(H[a, b]) == truth.shape
        step = H
        for key in (*a, *b):
            step = step[key]
        assert np.array_equal(step, truth)


def test_paths_with_dots_lead_where_tuples_lead(container):
    H = built(container)
    dotted = [".".join(map(str, name)) for name in H.names]
    for (i, a), (j, b) in itertools.product(enumerate(dotted), repeat=2):
        assert np.array_equal(H[a, b], expected(H, i, j))


def test_blocks_have_the_containers_of_the_parameters_twice(container):
    H = built(container)
    rows, outer = flatten_values(container)
    blocks = H.blocks()
    assert type(blocks) is type(container)
    found, spec = flatten_values(blocks)
    assert len(found) == len(rows) ** 2
    for k, block in enumerate(found):
        assert np.array_equal(block, expected(H, k // len(rows), k % len(rows)))
    nested = unflatten(outer, [unflatten(outer, [0.0] * len(rows)) for _ in rows])
    assert spec == flatten_values(nested)[1]


def test_labels_say_which_number_each_row_is(container):
    H = built(container)
    assert len(H.labels) == H.shape[0] == len(set(H.labels))


def test_labels_are_written_as_the_paths_with_places():
    H = built({"a": 1.0, "b": np.zeros(2), "layers": [{"W": np.zeros((1, 2))}]})
    assert H.labels == ["a", "b[0]", "b[1]", "layers.0.W[0, 0]", "layers.0.W[0, 1]"]
    assert built((1.0, np.zeros(2), {"W": np.zeros(1)})).labels == ["x[0]", "x[1][0]", "x[1][1]", "x[2].W[0]"]


def test_arguments_are_read_by_position_and_by_name():
    spec = flatten((np.zeros(2), {"W": np.zeros((1, 2))}))[1]
    H = HessianMatrix(symmetric(4), spec, [(2,), (1, 2)], [("x",), ("params", "W")], True)
    assert H.labels == ["x[0]", "x[1]", "params.W[0, 0]", "params.W[0, 1]"]
    assert H.keys() == ["x", "params"]
    for key in [("x", "params.W"), (0, ("params", "W")), (-2, "params.W"), (np.int64(0), (1, "W"))]:
        assert np.array_equal(H[key], expected(H, 0, 1))
    first, second = H
    assert np.array_equal(first[1]["W"], H["x", "params.W"]) and np.array_equal(second["W"][0], H["params.W", 0])
    assert type(H.blocks()) is tuple
    for v in ((np.ones(2), {"W": np.ones((1, 2))}), [np.ones(2), {"W": np.ones((1, 2))}]):
        assert type(H @ v) is tuple and np.allclose((H @ v)[0], np.asarray(H)[:2].sum(1))


def test_a_tuple_unpacks_and_a_dictionary_iterates_over_its_keys():
    a, b = built((np.zeros(2), 1.0))
    (aa, ab), (ba, bb) = a, b
    assert np.shape(aa) == (2, 2) and np.array_equal(ab, ba) and np.shape(bb) == ()
    H = built({"u": 1.0, "v": np.zeros(2)})
    assert list(H) == H.keys() == ["u", "v"] and len(H) == 2 and "u" in H and "w" not in H
    assert {k: np.shape(v) for k, v in H["v"].items()} == {"u": (2,), "v": (2, 2)}
    assert np.array_equal(dict(H.items())["v"]["u"], H["v", "u"])
    assert built(Pair(1.0, 2.0))["first"].keys() == ["first", "second"]


def test_a_row_and_a_container_of_columns_are_read_on():
    H = built(NET)
    some = H["scale", "layers"]
    assert np.array_equal(some[1]["W"], H["scale", "layers.1.W"])
    assert np.array_equal(H["layers", "scale"][0]["b"], H["layers.0.b", "scale"])
    assert H["layers"].blocks()[0]["b"]["scale"].shape == (2,)
    assert built({"a": np.zeros(2), "none": None})["none"] is None
    assert built({"a": np.zeros(2), "none": None})["a"]["none"] is None


def test_one_array_is_read_by_its_name_and_by_numbers():
    H = HessianMatrix(symmetric(6), LEAF, [(2, 3)], [("W",)], False)
    block = np.asarray(H).reshape(2, 3, 2, 3)
    assert all(np.array_equal(b, block) for b in (H["W"], H["W", "W"], H[()], H.blocks(), list(H)))
    assert H[0, 1, 1, 2] == block[0, 1, 1, 2] and len(H) == 2 and H.labels[-1] == "W[1, 2]"
    v = np.arange(6.0)
    assert np.allclose((H @ v.reshape(2, 3)).reshape(-1), H @ v)
    scalar = HessianMatrix(np.array([[2.0]]), LEAF, [()], [()], False)
    assert scalar.labels == ["x"] and scalar[()] == 2 and scalar @ 3.0 == 6
    with pytest.raises(KeyError, match="no parameter 'V'"):
        H["V"]


@pytest.mark.parametrize(
    "key, text",
    [
        ("lays", "Did you mean 'layers'"),
        ("Scale", "Did you mean 'scale'"),
        (("layers.0.w", "scale"), r"Did you mean 'layers.0.W'"),
        (("layers", 0), r"A path is one key: H\[\('layers', 0\), …\]"),
        (("layers", 0, "W"), "A path is one key"),
        (("scale", "scale", "scale"), "one key for the rows and one for the columns"),
        (slice(2), "H.matrix"),
        (7, "H.names"),
        ((("layers", 5), "scale"), "no parameter"),
    ],
)
def test_an_unknown_name_is_answered_with_the_names_there_are(key, text):
    with pytest.raises(UnknownParameterError, match=text) as caught:
        built(NET)[key]
    assert isinstance(caught.value, KeyError) and isinstance(caught.value, SymgradError)
    assert "The names here: layers, scale." in str(caught.value) and "\\n" not in str(caught.value)


def test_an_unknown_name_deeper_down_says_where():
    with pytest.raises(KeyError, match=r"'w' in layers.0\nThe names in layers.0: W, b\.\nDid you mean 'W'"):
        built(NET)["layers"][0]["w"]
    with pytest.raises(IndexError):
        built((1.0, 2.0))[2]


def test_a_key_with_a_dot_goes_before_a_path():
    H = built({"a.b": np.zeros(2), "a": {"b": 1.0}})
    assert np.shape(H["a.b", "a.b"]) == (2, 2) and np.shape(H[("a", "b"), ("a", "b")]) == ()


# -------------------------------------------------------------------------------------------------- products, solutions


def values_like(container, seed):
    leaves, spec = flatten_values(container)
    rng = np.random.default_rng(seed)
    parts = [rng.standard_normal(np.shape(leaf)) for leaf in leaves]
    return unflatten(spec, parts), np.concatenate([p.reshape(-1) for p in parts])


def same_values(found, flat, container):
    leaves, spec = flatten_values(found)
    assert spec == flatten_values(container)[1]
    assert np.allclose(np.concatenate([np.reshape(leaf, -1) for leaf in leaves]), flat)


def test_products_and_solutions_take_the_form_of_what_they_are_given(container):
    H = built(container, definite=True)
    A = np.asarray(H)
    v, flat = values_like(container, 1)
    same_values(H @ v, A @ flat, container)
    same_values(H.solve(v), np.linalg.solve(A, flat), container)
    same_values(H.unflatten(flat), flat, container)
    assert np.array_equal(H.flatten(v), flat)
    assert np.allclose(H @ flat, A @ flat) and np.allclose(flat @ H, flat @ A)
    assert np.allclose(H.solve(flat), np.linalg.solve(A, flat))
    assert np.allclose(H @ np.stack([flat, -flat], 1), A @ np.stack([flat, -flat], 1))


def test_a_list_of_numbers_is_a_flat_vector():
    H = built({"a": 1.0, "b": np.zeros(2)})
    assert np.allclose(H @ [1, 2, 3.0], np.asarray(H) @ [1, 2, 3])


@pytest.mark.parametrize(
    "wrong, text",
    [
        ({"a": 1.0, "b": np.zeros(3)}, r"parameters\['b'\] is of shape \(2,\), given\['b'\] is of shape \(3,\)"),
        ({"a": 1.0}, r"parameters\['b'\] has no counterpart"),
        (np.zeros(4), "flat vector of 3 numbers"),
        ([1.0, np.zeros(2)], "flat vector of 3 numbers"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_place(wrong, text):
    H = built({"a": 1.0, "b": np.zeros(2)})
    for use in (H.__matmul__, H.solve, H.flatten, lambda v: H.report(gradient=v)):
        with pytest.raises(ShapeError, match=text):
            use(wrong)


def test_indefinite_systems_are_solved_too():
    A = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -2.0]])
    H = built({"a": 1.0, "b": np.zeros(2)}, A)
    assert np.allclose(H.solve([1.0, 2.0, 3.0]), [2, 1, -1.5])


def test_units_do_not_make_a_matrix_singular():
    S = np.array([[2.0, 1.0], [1.0, 2.0]])
    d = np.array([1e-12, 1e12])
    H = built({"a": 1.0, "b": 1.0}, S * d * d[:, None])
    x = np.array([3.0, 5.0]) / d
    assert np.allclose(H.solve(np.asarray(H) @ x) / x, 1)
    inverse = np.linalg.inv(S) / d / d[:, None]
    assert np.allclose(np.asarray(H.covariance()) / inverse, 1)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_singular_matrices_are_refused_with_their_directions(make):
    H = built({"slope": 1.0, "shift": 1.0, "c": 1.0}, make(np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]])))
    text = r"is singular.*\neigenvalue 0 within rounding along 0\.707·slope − 0\.707·shift"
    for solve in (lambda: H.solve(np.ones(3)), H.covariance):
        with pytest.raises(np.linalg.LinAlgError, match=text if solve != H.covariance else text[13:]):
            solve()


def test_matrices_that_are_not_finite_are_refused_by_name():
    A = np.eye(3)
    A[1, 1] = np.nan
    H = built({"a": 1.0, "b": np.zeros(2)}, A)
    for use in (lambda: H.solve(np.ones(3)), H.covariance):
        with pytest.raises(np.linalg.LinAlgError, match=r"not finite.*\n.*\n.*b\[0\]"):
            use()


def test_covariance_is_the_inverse_read_by_the_same_names():
    H = built({"a": 1.0, "b": np.zeros(2)}, definite=True)
    C = H.covariance()
    assert np.allclose(np.asarray(C) @ np.asarray(H), np.eye(3)) and C.symmetry_error == 0
    assert np.shape(C["a", "b"]) == (2,) and C.labels == H.labels and "covariance" in repr(C)
    assert np.allclose(H.unflatten(np.sqrt(C.diagonal()))["b"] ** 2, np.diag(C["b", "b"]))


@pytest.mark.parametrize(
    "diagonal, text",
    [
        ([1.0, -2.0, 3.0], r"eigenvalue −2 along b\[0\]\nIs the point a minimum"),
        ([1.0, 2.0, 0.0], r"eigenvalue 0 within rounding along b\[1\]\nIs the point a minimum"),
        ([-1.0, -2.0, -3.0], r"eigenvalue −1 along a\n.*minus the log-likelihood"),
    ],
)
def test_no_covariance_without_a_minimum(diagonal, text):
    with pytest.raises(np.linalg.LinAlgError, match=r"not positive definite.*\n" + text):
        built({"a": 1.0, "b": np.zeros(2)}, np.diag(diagonal)).covariance()


# ------------------------------------------------------------------------------------------------------------- printing


def test_the_repr_has_names_and_sizes_and_no_numbers():
    assert repr(built({"a": 1.0, "W": np.zeros((20, 30))})) == "HessianMatrix 601 × 601: a (number), W (20 × 30)"
    assert repr(built({f"p{k}": 1.0 for k in range(50)})).endswith("p7 (number), … 42 more")
    assert repr(built({"a": 1.0, "b": np.zeros(2)})["a"]) == "<blocks of a Hessian: a (number) by a (number), b (2)>"


def test_what_is_printed_of_a_small_one_is_its_table():
    rows = [["", "a", "b[0]", "b[1]"], ["a", "2", "3", "0"], ["b[0]", "3", "−1.5", "0"], ["b[1]", "0", "0", "4"]]
    H = built({"a": 1.0, "b": np.zeros(2)}, np.array([[2.0, 3.0, 0.0], [3.0, -1.5, 0.0], [0.0, 0.0, 4.0]]))
    assert [line.split() for line in str(H).splitlines()[1:]] == [[c for c in row if c] for row in rows]
    assert str(H).splitlines()[0] == repr(H)
    assert str(built({"W": np.zeros((20, 30))})) == "HessianMatrix 600 × 600: W (20 × 30)"


def test_the_table_is_capped_and_escaped():
    text = built({"<b>": np.zeros(300)})._repr_html_()
    assert text.count("<tr>") == 14 and len(text) < 8000 and "&lt;b&gt;[0]" in text and "<b>" not in text
    assert built({"a": 1.0})._repr_html_().count("<td>") == 1


def test_an_array_is_made_in_the_dtype_asked_for():
    H = built({"a": 1.0, "b": 2.0})
    assert np.asarray(H) is np.asarray(H) and np.asarray(H, dtype=np.float32).dtype == np.float32
    assert np.array(H) is not np.asarray(H) and H.shape == (2, 2) and H.ndim == 2 and H.dtype == np.float64
    assert np.allclose(np.linalg.norm(H), np.linalg.norm(H.matrix)) and np.allclose(np.ones((2, 2)) - H, 1 - H.matrix)


def test_the_symmetry_error_is_relative():
    H = built({"a": 1.0, "b": 2.0}, np.array([[1.0, 1e6], [1e6 + 1, 2.0]]))
    assert H.symmetry_error == pytest.approx(1e-6)


def test_shapes_that_do_not_add_up_are_refused():
    with pytest.raises(ShapeError, match="a matrix of 2 × 2"):
        HessianMatrix(np.eye(3), flatten({"a": 1.0, "b": 1.0})[1], [(), ()], [("a",), ("b",)], False)
    with pytest.raises(ShapeError, match="1 names"):
        HessianMatrix(np.eye(2), flatten({"a": 1.0, "b": 1.0})[1], [(), ()], [("a",)], False)


@pytest.mark.slow
def test_blocks_are_those_of_jax():
    jax = pytest.importorskip("jax", reason="pip install jax")
    from jax.flatten_util import ravel_pytree

    with jax.enable_x64(True):
        f = lambda p: jax.numpy.sum(jax.numpy.sin(p["W"] @ p["v"][0]) * p["v"][1])
        rng = np.random.default_rng(0)
        p = {"W": rng.standard_normal((2, 3)), "v": (rng.standard_normal(3), rng.standard_normal(2))}
        theirs = jax.hessian(f)(p)
        flat, back = ravel_pytree(p)
        H = built(p, np.asarray(jax.hessian(lambda x: f(back(x)))(flat)))
    for a, b in itertools.product(H.names, repeat=2):
        block = theirs
        for key in (*a, *b):
            block = block[key]
        assert np.allclose(H[a, b], block)


# Sparse, structured, tensors ------------------------------------------------------------------------------------------


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


# What it says of a point ----------------------------------------------------------------------------------------------


def names(n):
    return [f"w[{k}]" for k in range(n)]


def turned(eigenvalues, seed=0):
    """A matrix of these eigenvalues, and its eigenvectors in columns."""
    n = len(eigenvalues)
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    A = Q * np.asarray(eigenvalues, dtype=float) @ Q.T
    return 0.5 * (A + A.T), Q


KINDS = [
    ([1.0, 2.0, 30.0], "minimum"),
    ([-1.0, -2.0, -30.0], "maximum"),
    ([1.0, -2.0, 30.0], "saddle"),
    ([0.0, 2.0, 30.0], "flat"),
    ([0.0, -2.0, -30.0], "flat"),
    ([0.0, 2.0, -30.0], "saddle"),
    ([0.0, 0.0, 0.0], "flat"),
    ([5.0], "minimum"),
]


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150])
@pytest.mark.parametrize("eigenvalues, kind", KINDS)
def test_the_signs_of_the_eigenvalues_make_the_kind_at_any_scale(eigenvalues, kind, scale):
    A, _ = turned(eigenvalues)
    found = report(scale * A, names(len(A)))
    assert found.kind == kind and str(found).startswith(kind) and found.complete
    assert np.allclose(found.eigenvalues / scale, sorted(eigenvalues))
    assert found.rank == np.count_nonzero(eigenvalues)


@examples(12)
@given(st.lists(st.sampled_from([-9.0, -1.0, -0.01, 0.0, 0.01, 1.0, 9.0]), min_size=1, max_size=7), st.integers(0, 99))
def test_numbers_are_those_of_numpy(eigenvalues, seed):
    A, _ = turned(eigenvalues, seed)
    found = report(A, names(len(A)))
    size = np.abs(eigenvalues)
    assert found.rank == np.count_nonzero(size)
    assert found.condition == pytest.approx(size.max() / size.min() if size.min() else np.inf)
    assert len(found.flat_directions) == min(3, (size == 0).sum())
    lows = sorted(v for v in eigenvalues if v < 0)[:3] if found.kind != "maximum" else []
    assert np.allclose([v for v, _ in found.negative_directions], lows)
    assert abs(found.weak_directions[0][0]) == pytest.approx(size.min(), abs=found.tolerance)


def test_directions_are_eigenvectors_largest_weight_first_and_positive():
    A, Q = turned([0.31, 5.0, 880.0])
    ((value, weights),) = report(A, names(3)).weak_directions[:1]
    assert value == pytest.approx(0.31)
    got = dict(weights)
    truth = Q[:, 0] * np.sign(Q[np.argmax(np.abs(Q[:, 0])), 0])
    assert all(got[f"w[{k}]"] == pytest.approx(truth[k]) for k in range(3) if abs(truth[k]) > 0.05)
    assert weights[0][1] == max(abs(w) for _, w in weights)


def test_the_text_is_in_the_names_of_the_parameters():
    c, s = 0.93, -np.sqrt(1 - 0.93**2)
    Q = np.array([[c, s], [-s, c]]).T
    found = report(Q * [0.32, 880.0] @ Q.T, ["W[0, 1]", "b"], gradient=np.zeros(2), value=1.5)
    assert str(found).splitlines() == [
        "minimum: all 2 eigenvalues positive (0.32 … 880)",
        "condition 2.75e3, rank 2 of 2; symmetric to 0",
        "weakest direction, as a step of length 1:",
        "  0.93·W[0, 1] − 0.368·b (eigenvalue 0.32): raises f by 0.16 only",
        "the gradient counts as 0: it is 0 long (limit: 1e-5 of the largest eigenvalue)",
        "f = 1.5",
        "eigenvalues within ±2.8e-12 count as 0 (rounding: 3.1e-15 of the largest)",
    ]
    assert repr(found) == str(found)


def test_a_step_along_a_direction_changes_the_quadratic_as_the_text_says():
    A, Q = turned([-4.0, 0.5, 9.0])
    found = report(A, names(3))
    assert "lowers f by 2" in found.text.split("weakest")[0] and "raises f by 0.25" in found.text.split("weakest")[1]
    x = Q[:, 0]
    assert 0.5 * x @ A @ x == pytest.approx(-2.0)


def test_a_screen_is_enough_for_many_parameters():
    A, _ = turned(np.linspace(-3, 50, 300))
    text = str(report(A, [f"layers.0.W[{k}, 0]" for k in range(300)], np.ones(300), 2.0))
    assert len(text.splitlines()) <= 16 and max(map(len, text.splitlines())) < 200


# ---------------------------------------------------------------------------------------------------------- gradient


def test_a_gradient_that_is_not_zero_is_named_with_its_largest_entry():
    A, g = np.diag([2.0, 4.0]), np.array([1.0, -3.0])
    found = report(A, ["a", "b"], g)
    assert found.kind == "not a stationary point" and found.gradient_norm == pytest.approx(np.sqrt(10))
    assert "largest at b: −3" in found.text and "curvature: minimum" in found.text
    step = np.linalg.solve(A, g)
    long, change = short(np.linalg.norm(step)), short(g @ step / 2)
    assert f"a Newton step is {long} long and changes f by about {change}" in found.text


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_gradients_are_judged_by_the_scale_of_the_function(scale):
    A = scale * np.diag([2.0, 4.0])
    value = 10 * scale
    assert report(A, ["a", "b"], scale * np.array([1e-7, 1e-7]), value).kind == "minimum"
    assert report(A, ["a", "b"], scale * np.array([1.0, 0.0]), value).kind == "not a stationary point"


def test_a_small_gradient_along_a_weak_direction_is_not_zero():
    A = np.diag([1.0, 1e-8])
    assert report(A, ["a", "b"], np.array([1e-6, 0.0])).kind == "minimum"
    found = report(A, ["a", "b"], np.array([0.0, 1e-6]))
    assert found.kind == "not a stationary point" and "a Newton step is 100 long" in found.text


def test_without_a_gradient_the_text_says_so():
    assert "no gradient given" in str(report(np.eye(2), ["a", "b"])) and report(np.eye(2), "ab").gradient_norm is None


def test_gradients_and_values_may_be_tensors():
    found = report(sg.tensor(np.eye(2)), ["a", "b"], sg.tensor([0.0, 3.0]), sg.tensor(2.0))
    assert found.gradient_norm == 3 and "f = 2" in found.text


# ------------------------------------------------------------------------------------------------------------- units


def test_units_make_no_direction_flat():
    d = np.array([1e-9, 1.0, 1e9])
    for base, kind in (([1.0, 2, 3], "minimum"), ([-1.0, -2, -3], "maximum"), ([-1.0, 2, 3], "saddle")):
        S, _ = turned(base, 3)
        found = report(S * d * d[:, None], ["a", "b", "c"])
        assert found.kind == kind and found.rank == 3 and not found.flat_directions
        assert "measured in 1/√|Hᵢᵢ|" in found.text and np.isfinite(found.condition)


def test_a_direction_that_is_flat_in_any_units_stays_flat():
    d = np.array([1e-6, 1.0, 1e6])
    S, _ = turned([0.0, 2.0, 3.0])
    assert report(S * d * d[:, None], ["a", "b", "c"]).kind == "flat"


def test_the_weakest_direction_of_a_badly_scaled_matrix_is_a_curvature_of_it():
    A = np.array([[1e16, 1.0], [1.0, 1e-3]])
    found = report(A, ["a", "b"])
    assert found.weak_directions == [(pytest.approx(1e-3), [("b", pytest.approx(1.0))])]
    assert "most of the condition is units" in found.text


# -------------------------------------------------------------------------------------------------------- not finite


def test_entries_that_are_not_finite_are_named():
    A = np.eye(4)
    A[1, :] = A[:, 1] = np.nan
    A[2, 2] = np.inf
    found = report(A, ["a", "b", "c", "d"])
    assert found.kind == "not finite" and found.non_finite_count == 8 and found.symmetry_error == 0
    assert ("c", "c", np.inf) in found.non_finite and len(found.eigenvalues) == 0 and found.rank is None
    assert str(found).splitlines()[:2] == [
        "not finite: 8 of 16 entries of the Hessian are NaN or infinite",
        "all of them are in rows and columns of b, c",
    ]


def test_many_entries_that_are_not_finite_are_counted_and_a_few_shown():
    found = report(np.full((50, 50), np.nan), names(50))
    assert found.non_finite_count == 2500 and len(found.non_finite) == 100 and len(str(found)) < 600
    assert "most are in those of w[0], w[1]" in str(found)


def test_a_gradient_that_is_not_finite_is_told_by_name():
    found = report(np.eye(2), ["a", "b"], [0.0, np.nan])
    assert found.kind == "not finite" and "the gradient is not finite at b" in str(found)


def test_an_entry_that_is_nan_on_one_side_only_is_not_symmetric():
    A = np.eye(2)
    A[0, 1] = np.nan
    assert asymmetry(A) == np.inf == asymmetry(sp.csr_matrix(A))
    A[1, 0] = np.nan
    assert asymmetry(A) == 0 == asymmetry(sp.csr_matrix(A))


# ------------------------------------------------------------------------------------------------------------- edges


def test_nothing_and_zeros_are_flat():
    assert str(report(np.zeros((0, 0)), [])) == "flat: there are no parameters"
    assert str(report(np.zeros((2, 2)), "ab")).startswith("flat: the Hessian is 0")


def test_what_is_not_symmetric_widens_the_tolerance_and_is_told():
    A = np.diag([1.0, 1e-9]) + np.array([[0.0, 1e-4], [0.0, 0.0]])
    found = report(A, ["a", "b"])
    assert found.symmetry_error == pytest.approx(1e-4) and found.kind == "flat"
    assert "as far as the matrix is from symmetric" in found.text and "symmetric to 0.0001" in found.text


def test_single_precision_has_its_own_tolerance():
    A = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-6]])
    assert report(A, "ab").kind == "minimum" and report(A.astype(np.float32), "ab").kind == "flat"
    assert report(np.eye(2, dtype=np.float32), "ab", [1e-4, 0]).kind == "minimum"


def test_labels_and_gradients_must_fit():
    with pytest.raises(ShapeError, match="there are 1 labels"):
        report(np.eye(2), ["a"])
    with pytest.raises(ShapeError, match="3 entries and the matrix 2 rows"):
        report(np.eye(2), "ab", np.zeros(3))


def test_numbers_are_written_as_on_paper():
    assert [short(x) for x in (0.31, 880.0, 2800.0, -1.0, 1e-12, np.inf, -np.inf)] == [
        "0.31", "880", "2.8e3", "−1", "1e-12", "∞", "−∞",
    ]  # fmt: skip
    assert combination((1.0, [("a", 0.6), ("b", -0.5)])) == "0.6·a − 0.5·b + …"


# ------------------------------------------------------------------------------------------------------------- large

N = 2500


def chain(diagonal, n=N):
    return sp.diags([np.full(n - 1, -1.0), np.broadcast_to(diagonal, n), np.full(n - 1, -1.0)], [-1, 0, 1]).tocsr()


def chain_eigenvalues(shift):
    return np.sort(shift - 2 * np.cos(np.arange(1, N + 1) * np.pi / (N + 1)))


@pytest.mark.parametrize(
    "shift, sign, kind", [(2.0, 1, "minimum"), (2.0, -1, "maximum"), (1.3, 1, "saddle"), (1.3, -1, "saddle")]
)
def test_large_sparse_matrices_are_judged_by_a_few_eigenvalues(shift, sign, kind):
    A, truth = sign * chain(shift), sign * chain_eigenvalues(shift)
    found = report(A, names(N), gradient=np.zeros(N))
    assert found.kind == kind and not found.complete and len(found.eigenvalues) < 10
    least = np.abs(truth).min()
    assert abs(found.weak_directions[0][0]) == pytest.approx(least, rel=1e-6)
    assert found.condition == pytest.approx(np.abs(truth).max() / least, rel=1e-4)
    assert found.rank == N and "only eigenvalues from the ends" in found.text
    if kind == "saddle":
        assert found.eigenvalues[0] == pytest.approx(truth.min(), rel=1e-2)
        assert found.eigenvalues[-1] == pytest.approx(truth.max(), rel=1e-2)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_large_sparse_matrix_with_a_flat_direction_is_flat(sign):
    ends = np.r_[1.0, np.full(N - 2, 2.0), 1.0]
    found = report(sign * chain(ends), names(N))
    assert found.kind == "flat" and found.condition == np.inf and found.rank == N - 1
    assert len(found.flat_directions) == 1


@pytest.mark.parametrize("n", [400, pytest.param(2000, marks=pytest.mark.slow)])
def test_a_large_dense_matrix_is_judged_as_a_sparse_one(n, monkeypatch):
    monkeypatch.setattr(_limits, "SPARSE_ROWS", n)
    A = chain(2.5, n)  # the smallest of which not all eigenvalues are computed
    dense, sparse = report(A.toarray(), names(n)), report(A, names(n))
    assert not dense.complete
    assert dense.kind == sparse.kind == "minimum"
    assert dense.condition == pytest.approx(sparse.condition, rel=1e-4)


def test_units_make_no_large_matrix_flat():
    d = sp.diags(np.exp2(np.linspace(-30, 30, N)))
    found = report((d @ chain(4.0) @ d).tocsr(), names(N))
    assert found.kind == "minimum" and found.rank == N and not found.flat_directions


def test_large_zeros_and_nans_are_told():
    zero = sp.csr_matrix((N, N))
    assert report(zero, names(N)).kind == "flat" and report(zero, names(N)).rank == 0
    bad = chain(2.0)
    bad[7, 7] = np.nan
    found = report(bad, names(N))
    assert found.non_finite == [("w[7]", "w[7]", pytest.approx(np.nan, nan_ok=True))]


@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
@pytest.mark.parametrize("eigenvalues, kind", KINDS)
def test_definiteness_by_factorisation_agrees_with_the_eigenvalues(eigenvalues, kind, make):
    A, _ = turned(eigenvalues, 5)
    assert is_positive_definite(make(A + 1e-9 * np.eye(len(A)))) == (min(eigenvalues) >= 0)
    assert is_positive_definite(make(A - 1e-9 * np.eye(len(A)))) == (kind == "minimum")


def test_many_eigenvalues_close_together_are_found_roughly_after_a_while(monkeypatch):
    """Those of a chain, which are known: as many are within a hundredth of the smallest as take ARPACK a minute."""
    from symgrad.transforms.report import spectrum_of

    n = 20_000
    chain = sp.diags_array([np.full(n, 5.0), *[np.full(n - 1, -2.0)] * 2], offsets=[0, 1, -1]).tocsc()
    asked, plain = [], sp.linalg.eigsh
    monkeypatch.setattr(
        sp.linalg, "eigsh", lambda *args, **given: asked.append((given.get("tol"), given.get("maxiter")))
        or plain(*args, **given),
    )  # fmt: skip
    found = spectrum_of(chain)
    assert (1e-3, None) in asked and (1e-6, SPECTRUM_RESTARTS) in asked
    known = 5 - 4 * np.cos(np.pi * np.arange(1, 4) / (n + 1))
    np.testing.assert_allclose(found.weak_values, known, rtol=5e-3)
    assert found.kind == "minimum" and found.condition == pytest.approx(9, rel=5e-3)


READINGS = {
    "solve": lambda H: H.solve(np.arange(4.0)).sum(),
    "solve of a container": lambda H: H.solve({"a": np.ones(3), "b": 2.0})["a"].sum(),
    "block": lambda H: (H["a", "b"] ** 2).sum() + H["b"]["b"],
    "blocks": lambda H: H.blocks()["a"]["b"].sum(),
    "eigh": lambda H: H.eigh().values[0],
    "covariance": lambda H: H.covariance()["a", "b"].sum(),
    "product": lambda H: (H @ {"a": np.ones(3), "b": 2.0})["b"],
    "as an operand of NumPy's": lambda H: np.trace(H),
}


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_what_is_read_of_a_matrix_with_names_is_differentiated_in_a_function_of_arrays(reading):
    def f(t):
        loss = lambda p: t * (p["a"] ** 4).sum() + (p["a"][0] - p["b"]) ** 2 + p["b"] ** 2 + t * p["a"] @ p["a"]
        return reading(sg.hessian(loss)({"a": np.array([0.5, -0.3, 0.8]), "b": 0.3}))

    slope = (f(0.5 + 1e-6) - f(0.5 - 1e-6)) / 2e-6
    np.testing.assert_allclose(sg.grad(f)(0.5), slope, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sg.jvp(f, (0.5,), (1.0,))[1], slope, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sg.vmap(f)(np.array([0.5, 0.7])), [f(0.5), f(0.7)])


def test_a_system_with_names_is_differentiated_in_what_is_given():
    H = sg.hessian(lambda p: (p["a"] ** 2).sum() + p["a"][0] * p["b"] + p["b"] ** 2)({"a": np.ones(2), "b": 1.0})
    np.testing.assert_allclose(sg.grad(lambda v: H.solve(v)[2])(np.ones(3)), np.linalg.inv(H.matrix)[2])
