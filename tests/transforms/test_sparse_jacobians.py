"""Sparse Jacobians are the dense ones, from as few sweeps as their columns or rows have colours."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from scipy.integrate import solve_ivp

import symgrad as sg
from symgrad.core import edge
from symgrad.programs.sparsity.pattern import jacobian_pattern

from ..helpers.cases import one_in
from ..helpers.examples import seeds
from ..helpers.rows import DEAR, rows, sample
from ..helpers.vector_problems import brusselator, brusselator_start, collocation, collocation_point
from ..programs.test_sparsity import REAL, observed
from ..properties._programs import differentiated, program_of

RNG = np.random.default_rng(0)
N = 10
DIFFERENCES = np.eye(N - 1, N, 1) - np.eye(N - 1, N)
BANDS = np.eye(5) * 2 - np.eye(5, k=1) - np.eye(5, k=-1)
PLACES = RNG.integers(0, N, 15)
FULL = RNG.normal(size=(4, N))
EDGES = np.array([[0, 3, 5, 7, 9, 2], [1, 4, 4, 0, 8, 2]])


def filled(x):
    y = np.zeros_like(x)
    y[2:5] = x[:3] ** 2
    y[::2] += x[1::2]
    return y


def written(x):
    y = x * 1.0
    y[1:] *= x[:-1]
    y[3] = 2.0
    return y


def scattered(x):
    return sg.as_tensor(np.zeros(6)).index_add(0, sg.tensor(PLACES[:N] % 6), sg.as_tensor(x) ** 2)


def scattered_small(x):
    x = sg.as_tensor(x)
    return x[:3].index_add(0, sg.tensor([0, 2, 2]), x[3:6], alpha=1e-20)


def looped(x):
    for _ in range(3):
        x = np.concatenate([x[:1], (x[1:] + x[:-1]) * x[1:] / 2])
    return x


def chosen(x):
    return x**2 if x[0] > 0 else x[::-1] * x[0]


FUNCTIONS = {
    "stencil": lambda x: x[2:] * x[:-2] - np.sin(x[1:-1]),
    "a wider stencil": lambda x: np.roll(x, 1) * x - 2 * np.roll(x, -2) ** 2,
    "gather": lambda x: x[PLACES] ** 2,
    "gather and one entry": lambda x: x[PLACES] * x[0],
    "scatter": scattered,
    "scatter of small numbers": scattered_small,
    "edges": lambda x: np.tanh(x[EDGES[0]] - x[EDGES[1]]),
    "sort": lambda x: np.sort(x) ** 2,
    "sort of rows": lambda x: np.sort(x.reshape(5, 2), axis=1)[:, 0],
    "argsort": lambda x: (x**3)[np.argsort(x)[:4]],
    "partition": lambda x: np.partition(x, 3)[:5],
    "median": lambda x: np.median(x.reshape(2, 5), axis=0),
    "largest of rows": lambda x: x.reshape(5, 2).max(1) * x[:5],
    "mask": lambda x: x[np.array([1, 0, 1, 1, 0] * 2, bool)] ** 2,
    "mask by value": lambda x: x[x > 0] ** 2,
    "where": lambda x: np.where(x > 0, x**2, x[::-1]),
    "maximum": lambda x: np.maximum(x, x[::-1] * 2),
    "clip": lambda x: np.clip(x, -0.5, 0.5) * 3,
    "sums": lambda x: x.reshape(2, 5).sum(0) ** 2,
    "means": lambda x: np.exp(x.reshape(5, 2).mean(1)),
    "variance of rows": lambda x: x.reshape(5, 2).var(1),
    "norm": lambda x: x / np.linalg.norm(x),
    "norms of rows": lambda x: np.linalg.norm(x.reshape(5, 2), axis=1),
    "softmax of rows": lambda x: sg.softmax(sg.as_tensor(x).reshape(5, 2), 1),
    "running sum": lambda x: np.cumsum(x**2),
    "running sums of rows": lambda x: np.cumsum(x.reshape(5, 2), axis=1) ** 2,
    "products of rows": lambda x: x.reshape(5, 2).prod(1),
    "join": lambda x: np.concatenate([x[:3] ** 2, x[5:] * 2, [1.0]]),
    "stack": lambda x: np.stack([x[:5], x[5:] ** 2, x[:5] * x[5:]]),
    "views": lambda x: x.reshape(2, 5).T[1:, ::-1][:, 0] * x[::3],
    "padded": lambda x: np.pad(x**2, (1, 2)),
    "differences": lambda x: np.diff(x**2, 2),
    "gradient": lambda x: np.gradient(np.sin(x)),
    "convolution": lambda x: np.convolve(x, [1.0, -2.0, 1.0]),
    "interpolation": lambda x: np.interp(np.linspace(0, 9, 7), np.arange(10.0), x),
    "banded matrix": lambda x: np.tanh(DIFFERENCES @ x) ** 2,
    "from the right": lambda x: (x**2) @ DIFFERENCES.T,
    "of the rows": lambda x: BANDS @ x.reshape(5, 2) ** 3,
    "of the columns": lambda x: x.reshape(2, 5) @ BANDS,
    "from both sides": lambda x: BANDS @ np.outer(x[:5], x[5:]) @ BANDS,
    "batch of products": lambda x: np.eye(2)[None] @ x.reshape(5, 2, 1),
    "einsum": lambda x: np.einsum("ij,jk->ki", BANDS, x.reshape(5, 2)),
    "einsum along a diagonal": lambda x: np.einsum("ii,i->i", np.eye(N) * x, x),
    "einsum of three": lambda x: np.einsum("ij,j,i->i", BANDS, x[:5], x[5:]),
    "full matrix": lambda x: np.exp(FULL @ x / 10),
    "outer product": lambda x: np.outer(x[:3], x[3:]),
    "kron": lambda x: np.kron(np.eye(2), x.reshape(2, 5)),
    "cross product": lambda x: np.cross(x[:3], x[3:6]),
    "Fourier": lambda x: np.abs(np.fft.rfft(x[:4])) ** 2 * x[0],
    "spectra of rows": lambda x: np.fft.irfft(x.reshape(2, 5)) ** 2,
    "spectra of columns": lambda x: np.abs(np.fft.rfft(np.outer(x[:5], x[5:]), axis=0)) ** 2,
    "longer rows": lambda x: np.fft.irfft(x.reshape(5, 2), n=5) @ FULL[0, :5],
    "complex": lambda x: np.exp(1j * x) * x[0],
    "solution": lambda x: np.linalg.solve(BANDS, x[:5] * x[5:]),
    "singular values": lambda x: np.linalg.svd(x.reshape(2, 5), compute_uv=False),
    "in place": filled,
    "written over": written,
    "loop": looped,
    "branch": chosen,
    "itself": lambda x: x,
    "the same twice": lambda x: (x, x * 2, x),
    "constant": lambda x: np.ones(3),
    "partly constant": lambda x: (np.ones(2), x[:2] ** 2, 3.0),
    "number": lambda x: x[0] * x[1],
    "of one entry": lambda x: x[3:4] ** 2,
    "nothing": lambda x: x[:0],
    "containers": lambda x: (x[:2] ** 2, {"a": x[3], "b": [x.sum(), x.reshape(5, 2)]}),
}  # fmt: skip


def whole(tree, n=N):
    """The blocks of one argument below each other, as a dense array."""
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, tuple | list):
        return np.concatenate([whole(t, n) for t in tree])
    return tree.toarray() if scipy.sparse.issparse(tree) else np.asarray(tree).reshape(-1, n)


def assert_is_dense(found, dense, exact=1e-13):
    """Where the dense numbers are finite the sparse ones are the same; the others may be zero by structure."""
    assert found.shape == dense.shape
    finite = np.isfinite(dense)
    np.testing.assert_allclose(found[finite], dense[finite], rtol=exact, atol=exact)


@one_in(6)
@pytest.mark.parametrize("kind", ["jacobian", "jacfwd", "jacrev"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sparse_jacobian_is_the_dense_one(name, kind):
    f, rng = FUNCTIONS[name], np.random.default_rng(5)
    if (name, kind) == ("complex", "jacrev"):
        with pytest.raises(sg.GradientError, match="real numbers"):
            sg.jacrev(f, format="csr")(np.ones(N))
        return
    J = getattr(sg, kind)(f, format="csr")  # one for all points: what it remembers must not be taken for another graph
    for x in (rng.normal(size=N), rng.normal(size=N), -np.sort(rng.normal(size=N)), np.arange(1.0, N + 1)):
        dense = whole(sg.jacobian(f)(x))
        assert_is_dense(whole(J(x)), dense)
        if name != "number":
            pattern = sg.sparsity(f, x)
            assert pattern.dtype == bool and pattern.has_canonical_format and pattern.data.all()
            assert not ((dense != 0) & ~pattern.toarray()).any()


SHARP = [
    "stencil", "a wider stencil", "gather", "gather and one entry", "scatter", "sort", "argsort", "partition",
    "mask", "scatter of small numbers", "mask by value", "sums", "means", "norms of rows", "products of rows",
    "join", "stack", "views", "padded", "differences", "convolution", "banded matrix", "from the right",
    "of the rows", "of the columns", "from both sides", "batch of products", "einsum", "einsum of three",
    "outer product", "itself", "the same twice", "constant", "nothing",
]  # fmt: skip


@pytest.mark.parametrize("name", SHARP)
def test_the_pattern_holds_nothing_that_is_zero_everywhere(name):
    x = np.random.default_rng(1).normal(size=N)
    assert np.array_equal(sg.sparsity(FUNCTIONS[name], x).toarray(), whole(sg.jacobian(FUNCTIONS[name])(x)) != 0)


@rows(REAL, slow=DEAR)
def test_no_derivative_of_any_row_is_missed(op):
    leaves, outs = observed(op, *sample(op))
    if not outs:
        return
    true = np.concatenate([gradients_of(o, leaves) for o in outs])
    for constants in (False, True):
        pattern = jacobian_pattern([(edge(o), o.shape) for o in outs], leaves, constants).toarray()
        missing = (true != 0) & np.isfinite(true) & ~pattern
        assert not missing.any(), np.argwhere(missing)


def gradients_of(output, leaves):
    """The Jacobian of one output, a reverse sweep for each row."""
    whole = []
    for k in range(output.numel()):
        unit = np.zeros(output.numel())
        unit[k] = 1
        seed = sg.tensor(unit.reshape(output.shape))
        found = sg.autograd.grad(output, leaves, seed, retain_graph=True, materialize_grads=True)
        whole.append(np.concatenate([g.numpy().reshape(-1) for g in found]))
    return np.array(whole).reshape(output.numel(), sum(x.numel() for x in leaves))


@seeds(30)
def test_the_sparse_jacobian_of_a_random_program_is_the_dense_one(seed):
    program = program_of(seed, smooth=seed % 2 == 0, inplace=seed % 4 < 2, most=8)
    last = [name for name in program.shapes if name.startswith("v")][-2:]

    def f(*leaves):
        scope = program.run(sg, leaves, upto=-1)
        return [scope[name] for name in last] or leaves[0]

    if differentiated(program, [sg.tensor(a, requires_grad=True) for a in program.leaves]) is None:
        return
    every = tuple(range(len(program.leaves)))
    leaves = [sg.tensor(a) for a in program.leaves]
    try:
        dense = sg.jacrev(f, argnums=every)(*leaves)
    except sg.DTypeError:  # it ends in whole numbers
        return
    for transform in (sg.jacobian, sg.jacfwd, sg.jacrev):
        sparse = transform(f, argnums=every, format="csr")(*leaves)
        for row, expected in zip(as_rows(sparse), as_rows(dense), strict=True):
            for block, d, a in zip(row, expected, program.leaves, strict=True):
                assert_is_dense(block.toarray(), np.asarray(d).reshape(-1, a.size), 1e-10)


def as_rows(blocks):
    return blocks if isinstance(blocks, list) else [blocks]


# ------------------------------------------------------------------------------------------------ what goes in and out


def test_several_arguments_and_containers_give_containers_of_matrices():
    def f(p, t):
        return {"flow": p["a"] * t, "rest": [p["b"].sum() * t[:2], p["a"][:1] ** 2]}

    p, t = {"a": np.array([1.0, 2.0, 3.0]), "b": np.ones((2, 2))}, np.array([4.0, 5.0, 6.0])
    sparse, dense = (sg.jacobian(f, argnums=("p", "t"), format=form)(p, t) for form in ("csr", "dense"))
    for way, size in (((0, "a"), 3), ((0, "b"), 4), ((1,), 3)):
        for out in (("flow",), ("rest", 0), ("rest", 1)):
            a, b = sparse, dense
            for step in (*out, *way):
                a, b = a[step], b[step]
            assert isinstance(a, scipy.sparse.csr_array) and np.array_equal(a.toarray(), b.reshape(-1, size))
    assert sg.sparsity(f, p, t, argnums=("p", "t")).shape == (6, 10)


def test_shapes_are_flattened():
    X = RNG.normal(size=(3, 4))
    J = sg.jacobian(lambda X: np.sin(X).T, format="csr")(X)
    assert isinstance(J, scipy.sparse.csr_array) and J.shape == (12, 12) and J.nnz == 12
    assert np.array_equal(J.toarray(), sg.jacobian(lambda X: np.sin(X).T)(X).reshape(12, 12))
    assert sg.jacobian(lambda t: np.array([1.0, 2.0]) * t, format="csr")(2.0).toarray().tolist() == [[1.0], [2.0]]
    assert sg.jacobian(lambda x: x * 2, format="csr")(np.ones(0)).shape == (0, 0)


def test_the_dtype_is_that_of_argument_and_output():
    x = np.linspace(0, 1, N).astype(np.float32)
    assert sg.jacobian(FUNCTIONS["stencil"], format="csr")(x).dtype == np.float32
    assert sg.jacobian(FUNCTIONS["complex"], format="csr")(np.ones(N)).dtype == complex


def test_tensors_aux_and_pickles():
    f = lambda x: (x[1:] * x[:-1], {"sum": x.sum()})
    J, aux = sg.jacobian(f, has_aux=True, format="csr")(sg.tensor([1.0, 2.0, 3.0]))
    assert J.toarray().tolist() == [[2, 1, 0], [0, 3, 2]] and aux["sum"].item() == 6
    made = sg.jacobian(np.cumsum, format="csr")
    made(np.ones(3))
    assert np.array_equal(pickle.loads(pickle.dumps(made))(np.ones(3)).toarray(), np.tri(3))


def test_a_result_is_its_owners():
    J = sg.jacobian(FUNCTIONS["stencil"], format="csr")
    x = RNG.normal(size=N)
    first = J(x)
    first.data[:], first.indices[:] = 7, 0
    assert np.array_equal(J(x).toarray(), sg.jacobian(FUNCTIONS["stencil"])(x))


def test_what_has_changed_is_seen():
    """Indices, zeros of constants and branches belong to the graph of a call, not to the function."""
    places, factor = np.array([0, 1, 2]), np.eye(4)
    J = sg.jacobian(lambda x: np.concatenate([x[places] ** 2, factor @ x]), format="csr")
    D = sg.jacobian(lambda x: np.concatenate([x[places] ** 2, factor @ x]))
    x = np.arange(1.0, 5.0)
    assert np.array_equal(J(x).toarray(), D(x))
    places[:] = [3, 3, 0]
    assert np.array_equal(J(x).toarray(), D(x))
    factor[0, 3] = 5
    assert np.array_equal(J(x).toarray(), D(x)) and J(x)[3, 3] == 5
    f = lambda x: scipy.sparse.csr_array(factor) @ x
    sparse = sg.jacobian(f, format="csr")
    for factor in (np.eye(4), np.eye(4)[::-1], np.ones((4, 4)), np.tri(4)):
        assert np.array_equal(sparse(x).toarray(), factor)
    factor = np.zeros((4, 4))
    assert np.array_equal(J(x).toarray(), D(x)) and J(x).nnz == 3


def test_symbols_give_the_formula_whatever_the_format():
    assert str(sg.jacobian(np.sin, format="csr")(sg.symbol("x", "n"))) == "diag(cos(x))"
    assert str(sg.jacobian(np.sin, format="csr").formula(np.ones(3))) == "diag(cos(x))"


class Twice(sg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_a_pattern_that_is_not_known_is_full_or_an_error():
    x = RNG.normal(size=N)
    assert np.array_equal(sg.jacobian(Twice.apply, format="csr")(sg.tensor(x)).toarray(), 2 * np.eye(N))
    with pytest.raises(sg.GradientError, match=r"pattern of this Jacobian.*\n.*user-defined"):
        sg.jacobian(Twice.apply, format="csr")(sg.ones(1100))
    with pytest.raises(sg.GradientError, match="pattern of this Jacobian"):
        sg.sparsity(Twice.apply, sg.ones(3))


def test_what_has_no_sparse_jacobian_is_refused():
    with pytest.raises(sg.GradientError, match="no format 'coo'"):
        sg.jacobian(np.sin, format="coo")
    with pytest.raises(sg.GradientError, match="holomorphic"):
        sg.jacfwd(np.sin, holomorphic=True, format="csr")
    with pytest.raises(sg.DTypeError, match="real arguments"):
        sg.jacobian(np.sin, format="csr")(np.ones(2) + 1j)
    with pytest.raises(sg.DTypeError, match="whole numbers"):
        sg.jacobian(np.argsort, format="csr")(np.ones(2))


def test_a_result_that_is_to_be_differentiated_is_refused_and_no_constant():
    with pytest.raises(sg.GradientError, match="differentiated again"):
        sg.grad(lambda x: sg.jacobian(lambda y: y**2, format="csr")(x).sum())(np.ones(3))
    x = sg.ones(3, requires_grad=True)
    with pytest.raises(sg.GradientError, match="no_grad"):
        sg.jacobian(lambda y: y**2, format="csr")(x)
    with sg.no_grad():
        assert sg.jacobian(lambda y: y**2, format="csr")(x).toarray().tolist() == (2 * np.eye(3)).tolist()


def test_a_number_still_has_the_pattern_of_its_hessian():
    f = lambda x: (x[1:] * x[:-1]).sum()
    assert np.array_equal(sg.sparsity(f, np.ones(4)).toarray(), (np.eye(4, k=1) + np.eye(4, k=-1)).astype(bool))
    assert sg.sparsity(lambda x: f(x)[None], np.ones(4)).shape == (1, 4)
    with pytest.raises(sg.GradientError, match="complex"):
        sg.sparsity(lambda x: x.sum() * 1j, np.ones(2))


def test_what_is_not_finite_spoils_no_other_entry():
    def f(x):
        r = np.sqrt(x)  # its slope at 0 is infinite, and 0 · ∞ is NaN
        return np.concatenate([r[1:] * r[:-1] + x[1:], DIFFERENCES @ r])

    x = np.arange(float(N))
    J = sg.jacobian(f, format="csr")
    true = sg.jacobian(f)(x + 0.0)
    for point in (x, x[::-1].copy(), np.where(x == 4, np.nan, x)):
        true, found = sg.jacrev(f)(point), J(point).toarray()
        assert_is_dense(found, true)
        assert np.isfinite(found).sum() >= np.isfinite(true).sum()
        assert np.array_equal(J(point).indices, J(x + 1).indices)


def test_large_jacobians_are_never_dense():
    n = 100_000
    x = np.linspace(0, 1, n)
    J = sg.jacobian(lambda x: x[2:] * x[:-2] - np.sin(x[1:-1]), format="csr")
    assert J(x).nnz == 3 * (n - 2)
    found = sg.jacobian(lambda x: (x**2, x.sum()), format="csr")(x)
    assert found[1].nnz == n and np.array_equal(found[0].diagonal(), 2 * x)


def test_a_pattern_too_dense_says_what_else_to_ask_for():
    with pytest.raises(sg.GradientError, match=r"sg\.jvp"):
        sg.jacobian(lambda x: np.cumsum(x), format="csr")(np.ones(100_000))


# ------------------------------------------------------------------------------------------------------ worked problems


def test_the_jacobian_of_a_brusselator_drives_an_implicit_solver():
    z = brusselator_start(200)
    sparse, dense = sg.jacobian(brusselator, format="csr"), sg.jacobian(brusselator)
    for at in (z, z + 0.1 * RNG.normal(size=400)):
        assert np.array_equal(sparse(at).toarray(), dense(at))
    assert sparse(z).nnz == 400 * 4 - 4
    solve = lambda jac, method: solve_ivp(
        lambda t, z: brusselator(z), (0, 0.5), z, method=method, jac=lambda t, z: jac(z), rtol=1e-6, atol=1e-8
    )
    for method in ("BDF", "Radau"):
        found, expected = solve(sparse, method), solve(dense, method)
        assert found.success and found.t.shape == expected.t.shape
        np.testing.assert_allclose(found.y, expected.y, rtol=1e-8)


def test_collocation_constraints_have_banded_blocks():
    point = collocation_point(60)
    sparse, dense = sg.jacobian(collocation, format="csr")(point), sg.jacobian(collocation)(point)
    for name in point:
        np.testing.assert_allclose(sparse[name].toarray(), dense[name].reshape(122, -1), rtol=1e-13, atol=1e-15)
    assert np.diff(sparse["angle"].indptr).max() == 2


@pytest.mark.parametrize(
    ("f", "x", "count", "by_rows"),
    [
        (FUNCTIONS["stencil"], np.ones(1000), 3, False),
        (lambda x: np.concatenate([x**2, x.sum()[None]]), np.ones(1000), 2, True),  # a full row has 1000 columns
        (brusselator, brusselator_start(200), 4, False),
        (collocation, collocation_point(60), 7, False),  # two neighbours of each of three fields, and the end of time
    ],
)
def test_sweeps_are_as_few_as_can_be(f, x, count, by_rows):
    J = sg.jacobian(f, format="csr")
    J(x)
    assert (J._known.groups.count, J._known.groups.by_rows) == (count, by_rows)
