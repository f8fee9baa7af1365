"""Subclasses of NumPy's array: those that mean something else by their operators are refused, others are arrays."""

import numpy as np
import pytest
import scipy.sparse

import symgrad as sg

X = np.array([1.0, 2.0, 3.0])
A = np.arange(9.0).reshape(3, 3) + np.eye(3)


class Unit(np.ndarray):
    """An array with operators of its own."""

    def __mul__(self, other):
        return np.asarray(self) * other * 1000.0


FOREIGN = {
    "matrix": np.matrix(A), "masked": np.ma.array(A, mask=A > 5), "masked at no place": np.ma.array(A),
    "unit": A.view(Unit),
}  # fmt: skip
IN_A_FUNCTION = {
    "x * K": lambda x, K: x * K, "x - K": lambda x, K: x - K, "x ** K": lambda x, K: x**K, "x @ K": lambda x, K: x @ K,
    "K * x": lambda x, K: K * x, "K + x": lambda x, K: K + x, "K - x": lambda x, K: K - x, "K / x": lambda x, K: K / x,
    "K ** x": lambda x, K: K**x, "K @ x": lambda x, K: K @ x, "K > x": lambda x, K: np.where(K > x, x, 2 * x),  # noqa: SIM300
    "np.multiply(K, x)": lambda x, K: np.multiply(K, x), "np.multiply(x, K)": lambda x, K: np.multiply(x, K),
    "np.logaddexp": lambda x, K: np.logaddexp(K, x), "np.dot": lambda x, K: np.dot(K, x),
    "np.einsum": lambda x, K: np.einsum("ij,j->", K, x), "np.stack": lambda x, K: np.stack([K, x * A]),
    "np.concatenate": lambda x, K: np.concatenate([x[None], K]), "np.where": lambda x, K: np.where(K > 0, x, 2 * x),
    "where=": lambda x, K: np.sum(x * A, where=K > 0), "np.outer": lambda x, K: np.outer(K, x),
    "np.clip": lambda x, K: np.clip(x, K, 2.0), "np.linalg.solve": lambda x, K: np.linalg.solve(K, x),
    "np.average": lambda x, K: np.average(x * A, weights=K), "an index": lambda x, K: x[K[0].astype(int) % 3],
    "a mask": lambda x, K: (x * A)[K > 3], "x[...] = K": lambda x, K: written(x * A, K),
    "x += K": lambda x, K: added_to(x * A, K), "sg.mul": lambda x, K: sg.mul(x, K), "x.mul": lambda x, K: x.mul(K),
    "sg.where": lambda x, K: sg.where(K == K, x, K), "sg.addcmul": lambda x, K: sg.addcmul(x * A, K, x),
    "sg.cat": lambda x, K: sg.cat([x * A, K]), "sg.tensor": lambda x, K: sg.tensor(K) * x,
    "sg.as_tensor": lambda x, K: sg.as_tensor(K) * x, "sg.from_numpy": lambda x, K: sg.from_numpy(K) * x,
    "sg.asarray": lambda x, K: sg.asarray(K) * x, "a list": lambda x, K: sg.tensor([K, K]) * x,
    "returned": lambda x, K: K,
}  # fmt: skip


def written(y, K):
    y[...] = K
    return y * y


def added_to(y, K):
    y += K
    return y * y


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", IN_A_FUNCTION)
@pytest.mark.parametrize("transform", [sg.grad, sg.hessian])
def test_an_array_with_operators_of_its_own_is_refused_by_name(transform, name, kind):
    K, f = FOREIGN[kind], IN_A_FUNCTION[name]
    if kind == "unit" and name == "K * x":  # its own product is asked first, and computes with tensors
        assert sg.grad(lambda x: f(x, K).sum())(X).tolist() == (A.sum(0) * 1000).tolist()
        return
    if kind == "matrix" and name == "K ** x":
        with pytest.raises(TypeError, match="exponent must be an integer"):  # NumPy's, of matrices alone
            f(sg.tensor(X), K)
        return
    with pytest.raises(sg.DTypeError, match=rf"do not compute with .*\.{type(K).__name__}\n"):
        transform(lambda x: f(x, K) if name == "returned" else f(x, K).sum())(X)


ARGUMENTS = {
    "grad": lambda K: sg.grad(lambda x: (x * x).sum())(K), "hessian": lambda K: sg.hessian(lambda x: (x * x).sum())(K),
    "jacobian": lambda K: sg.jacobian(lambda x: x * x)(K), "vjp": lambda K: sg.vjp(lambda x: x * x, K),
    "jvp": lambda K: sg.jvp(lambda x: x * x, (K,), (A,)), "tangent": lambda K: sg.jvp(lambda x: x * x, (A,), (K,)),
    "hvp": lambda K: sg.hvp(lambda x: (x**3).sum(), A, K), "vmap": lambda K: sg.vmap(lambda x: x * x)(K),
    "compile": lambda K: sg.compile(lambda x: (x * x).sum())(K), "formula": lambda K: sg.formula(lambda x: x * x, K),
    "beside": lambda K: sg.grad(lambda x, k: (x * k).sum())(X, K), "Parameter": lambda K: sg.nn.Parameter(K),
    "Function": lambda K: sg.sin(K) * sg.tensor(A), "Tensor": lambda K: sg.Tensor(K),
    "a formula": lambda K: sg.formula(lambda x: x * x, A)(x=K),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_with_operators_of_its_own_is_refused_by_name(name, kind):
    with pytest.raises(sg.DTypeError, match="do not compute with"):
        ARGUMENTS[name](FOREIGN[kind])


def test_the_error_says_what_to_write():
    for K, words in ((FOREIGN["matrix"], "np.asarray(K)"), (FOREIGN["masked"], "K.filled(0.0)")):
        with pytest.raises(sg.DTypeError) as caught:
            sg.tensor(X) * K
        assert words in str(caught.value)


def kept(tmp_path, values):
    mapped = np.memmap(tmp_path / "values", dtype=float, mode="w+", shape=values.shape)
    mapped[...] = values
    return mapped


@pytest.mark.parametrize("name", [n for n in IN_A_FUNCTION if n not in ("a list", "returned")])
def test_a_memory_map_and_a_record_array_are_arrays(tmp_path, name):
    f = IN_A_FUNCTION[name]
    expected = sg.grad(lambda x: f(x, A).sum())(X)
    for K in (kept(tmp_path, A), A.view(np.recarray)):
        np.testing.assert_array_equal(sg.grad(lambda x, K=K: f(x, K).sum())(X), expected)


def test_a_memory_map_is_an_argument(tmp_path):
    K = kept(tmp_path, X)
    np.testing.assert_array_equal(sg.grad(lambda x: (x**2).sum())(K), 2 * X)
    np.testing.assert_array_equal(sg.hessian(lambda x: (x**3).sum())(K), np.diag(6 * X))


SPARSE = {
    "A * x": lambda x, A: A * x, "x * A": lambda x, A: x * A,
    "A + x": lambda x, A: A + x, "np.dot": lambda x, A: np.dot(A, x), "np.multiply": lambda x, A: np.multiply(A, x),
    "A.multiply": lambda x, A: A.multiply(x), "np.matmul": lambda x, A: np.matmul(A, x),
    "sg.as_tensor": lambda x, A: sg.as_tensor(A) * x, "np.outer": lambda x, A: np.outer(A, x),
    "np.einsum": lambda x, A: np.einsum("ij,j->i", A, x), "np.tensordot": lambda x, A: np.tensordot(A, x, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_a_sparse_matrix_beside_a_tensor_is_an_error_but_in_products(kind, name):
    with pytest.raises((sg.DTypeError, sg.GradientError)):
        sg.grad(lambda x: SPARSE[name](x, kind(A)).sum())(X)


RETURNED = {
    "jacobian": sg.jacobian, "jacfwd": sg.jacfwd, "vjp": lambda f: lambda x: sg.vjp(f, x), "vmap": sg.vmap,
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (x,)), "linearize": lambda f: lambda x: sg.linearize(f, x),
    "formula": lambda f: lambda x: sg.formula(f, x), "a container": lambda f: sg.jacobian(lambda x: [x * 2, f(x)]),
    "taylor": lambda f: lambda x: sg.taylor(f, x, 1),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("name", RETURNED)
def test_a_result_with_operators_of_its_own_is_refused_by_name(name, kind):
    with pytest.raises(sg.DTypeError, match="do not compute with"):
        RETURNED[name](lambda x: FOREIGN[kind])(A)


def test_a_batch_of_plain_arrays_computes_with_numpys_own():
    K = np.ma.array(X, mask=[False, True, False])
    assert sg.vmap(lambda x: np.sum(K * x))(A).tolist() == [(K * row).sum() for row in A]


NO_NUMBERS = {
    "objects": np.array([1.0, 2.0, 3.0], object), "text": np.array(["1", "2", "3"]),
    "points in time": X.astype("M8[s]"), "spans of time": X.astype("m8[s]"),
    "records": np.rec.fromarrays([X, X], names="a,b"),
}  # fmt: skip


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize(
    "name",
    ["x * K", "K * x", "x - K", "K / x", "x ** K", "K @ x", "x @ K", "np.multiply(K, x)", "np.dot", "np.concatenate",
     "sg.mul", "x.mul", "sg.where", "np.outer", "np.clip", "x[...] = K", "x += K", "sg.as_tensor"],
)  # fmt: skip
def test_an_array_of_no_numbers_is_refused_beside_a_tensor(name, kind):
    f, K = IN_A_FUNCTION[name], NO_NUMBERS[kind]
    f = {"x[...] = K": lambda x, K: written(x * 1, K), "x += K": lambda x, K: added_to(x * 1, K)}.get(name, f)
    if name == "np.concatenate":
        f = lambda x, K: np.concatenate([x, K])
    with pytest.raises((sg.DTypeError, TypeError)):
        sg.grad(lambda x: f(x, K).sum())(X)


def test_arrays_of_objects_are_refused_with_what_to_write():
    with pytest.raises(sg.DTypeError, match=r"arrays of objects \(dtype object\)(.|\n)*K.astype\(float\)"):
        sg.grad(lambda x: (x * NO_NUMBERS["objects"]).sum())(X)


@pytest.mark.parametrize("seed", [np.matrix([[1.0, 2.0]]), np.ma.array([[1.0, 2.0]], mask=[[True, False]])])
def test_seeds_are_refused_by_name(seed):
    x = sg.ones(1, 2, requires_grad=True)
    with pytest.raises(sg.DTypeError, match=r"np\.(matrix|ma\.MaskedArray)"):
        (x * 2).backward(seed)
    assert x.grad is None
