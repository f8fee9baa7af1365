"""Hessians of several parameters: every way to read them, against plain NumPy."""

import collections
import dataclasses
import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from symgrad._errors import ShapeError, SymgradError
from symgrad.transforms.calls.tree import LEAF, flatten, flatten_values, tree_paths, unflatten
from symgrad.transforms.matrix import HessianMatrix, UnknownParameterError

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
