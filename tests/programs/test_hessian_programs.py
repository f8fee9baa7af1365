"""What `sg.hessian` promises of compiled programs: never a stale one, symmetry to the last bit, memory of its own."""

import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import symgrad as sg

from ..helpers.user_defined import pointwise

X = np.random.default_rng(0).normal(size=(20, 3))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, 1.0, -1.0)
W = np.array([0.5, -0.3, 0.8])


def tape(f, *points, argnums=0):
    """The matrix row by row through sweeps, which know nothing of programs."""
    found = sg.func.hessian(f, argnums)(*[sg.tensor(x) for x in points])
    return found.detach().numpy() if argnums == 0 else [[block.detach().numpy() for block in row] for row in found]


def agree(f, x, tolerance=1e-10):
    """Compare with the tape; returns the matrix."""
    expected, got = tape(f, x), sg.hessian(f)(x)
    assert got.shape == expected.shape and got.dtype == expected.dtype
    scale = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale)
    return got


def runs_a_program(f, x):
    return "a program runs" in sg.hessian(f).plan(x)


def logistic(w):
    return sg.log1p(sg.exp(-Y * (X @ w))).sum()


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


MODELS = {
    "logistic": logistic,
    "rosenbrock": rosenbrock,
    "Poisson": lambda w: (sg.exp(X @ w) - Y * (X @ w)).sum(),
    "least squares": lambda w: ((X @ w - Y) ** 2).sum(),
    "softmax": lambda w: -sg.log_softmax(X @ w, 0)[3],
    "product": lambda w: w.prod() ** 2,
    "norm": lambda w: w.norm(),
    "pairs": lambda w: sg.exp(-((w[:, None] - w) ** 2)).sum(),
    "Gaussian process": lambda w: sg.logdet(sg.outer(w, w) + sg.eye(3)) + W @ sg.linalg.solve(
        sg.outer(w, w) + 2 * sg.eye(3), sg.tensor(W)
    ),
    "written with NumPy": lambda w: np.sum(np.tanh(X @ w) ** 2) + np.logaddexp(0, w).sum(),
    "a loop": lambda w: sum(w[k] * w[k - 1] ** k for k in range(3)),
    "a shift": lambda w: (np.roll(w, 1) * w**2).sum(),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_program_runs_and_gives_the_numbers_of_the_tape(name):
    assert runs_a_program(MODELS[name], W)
    for x in (W, -W, 3 * W, W[::-1]):
        agree(MODELS[name], x)


@pytest.mark.parametrize("name", MODELS)
def test_the_matrix_is_symmetric_to_the_last_bit(name):
    wide = np.repeat(W, 2)[::2]
    for x in (W, 1.7 * W, wide):
        got = sg.hessian(MODELS[name])(x)
        np.testing.assert_array_equal(got, got.T)


def test_symmetry_does_not_depend_on_the_layout_of_the_arrays():
    f = lambda x: ((x @ x + 2) ** -2.0).sum() + sg.exp(x @ x.T).sum()
    x = np.random.default_rng(1).normal(size=(4, 4))
    for layout in (x, np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2], x[::-1, ::-1]):
        got = agree(f, layout).reshape(16, 16)
        np.testing.assert_array_equal(got, got.T)


# Never a stale program ------------------------------------------------------------------------------------------------


def through(f, values, x=W):
    """The function's Hessian for each value of a number or array in its closure, twice each, in turn."""
    closure = [None]
    g = lambda w: f(w, closure[0])
    hessian = sg.hessian(g)
    for closure[0] in [*values, *values]:
        np.testing.assert_allclose(hessian(x), tape(g, x), rtol=1e-10, atol=1e-12)


def test_a_branch_on_values_is_taken_at_each_call():
    f = lambda w: (w**3).sum() if w.sum() > 0 else (w**4).sum()
    for x in (W, -W, W, 2 * W):
        agree(f, x)


def test_a_changed_shape_makes_a_program_of_its_own():
    f = lambda w: (w[1:] * w[:-1] ** 2).sum() + sg.logsumexp(w.flatten(), 0) if len(w) > 1 else w.prod() ** 3
    for shape in ((2,), (1,), (5,), (3, 2), (2, 3), (5,), (2, 1, 2)):
        agree(f, np.random.default_rng(0).normal(size=shape))


@pytest.mark.parametrize("f", [
    lambda w, c: (w * c).exp().sum(), lambda w, c: (w**c).sum(), lambda w, c: (c - w).pow(3).sum(),
    lambda w, c: sg.clamp(w, max=c).pow(2).sum(), lambda w, c: sg.where(w > c, w**2, w**3).sum(),
    lambda w, c: sg.nn.functional.softplus(w, beta=c).sum(),
    lambda w, c: sg.nn.functional.leaky_relu(w**2 - 0.2, c).sum(),
    lambda w, c: (w**2).sum() * c, lambda w, c: c ** (w**2).sum(),
    lambda w, c: sg.add(w, w**2, alpha=c).exp().sum(),
])  # fmt: skip
def test_a_changed_number_changes_the_matrix(f):
    through(f, [2.0, 0.5, 3, -1, 0.25], np.abs(W))


def test_minus_zero_is_another_number_than_zero():
    through(lambda w, c: (sg.copysign(w, c) ** 3).sum(), [0.0, -0.0])
    through(lambda w, c: (sg.atan2(sg.tensor(c), w) * w**2).sum(), [-0.0, 0.0])


def test_a_number_that_is_nan_does_not_stay():
    f = lambda w: (w**2).sum() * c
    for c in (1.0, np.nan, 2.0):
        assert np.isnan(sg.hessian(f)(W)).any() == np.isnan(c)
    np.testing.assert_array_equal(sg.hessian(f)(W), 4 * np.eye(3))


@pytest.mark.parametrize(
    "index", [np.array([0, 1]), np.array([2, 2]), [1, 0], np.array([True, False, True]), np.array([False, True, True])]
)
def test_a_changed_index_array_changes_the_matrix(index):
    through(lambda w, i: (w[i] ** 3).sum() + w[i].prod(), [np.array([1, 2]), index, np.array([-1, 0])])


@pytest.mark.parametrize("index", [0, -1, np.int64(1), slice(0, 2), slice(None, None, 2), slice(1, None)])
def test_a_changed_index_changes_the_matrix(index):
    through(lambda w, i: (w[i] ** 3).sum() * w[0], [2, index, slice(1, 3)])


def test_an_index_array_that_is_written_to_is_read_anew():
    places, mask = np.array([0, 1]), np.array([True, True, False])
    f = lambda w: (w[places] ** 3).sum() + w[mask].prod() + sg.where(mask, w**4, w).sum()
    agree(f, W)
    places[:] = [2, 0]
    mask[:] = [False, True, True]
    agree(f, W)


def test_a_closure_array_that_is_written_to_is_read_anew():
    data, weights = X.copy(), sg.tensor(np.abs(Y))
    f = lambda w: (weights * sg.exp(data @ w)).sum()
    agree(f, W)
    data *= -0.5
    weights.mul_(3)
    agree(f, W)


def test_arrays_that_are_the_same_once_may_differ_later():
    a, b = np.diag([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3)
    through(lambda w, p: ((p[0] @ w) @ (p[1] @ w)) ** 2, [(a, a), (a, b), (b, b.T), (b, a.T), (b, b[::-1].T)])
    v = np.arange(12.0)
    through(lambda w, p: ((w - p[0]) ** 3 * p[1]).sum(), [(v[:3], v[:3]), (v[:3], v[3:6]), (v[:6:2], v[:3])])


def test_large_constants_made_inside_the_function_are_read_anew():
    big = np.random.default_rng(0).normal(size=(9000, 3))
    through(lambda w, c: sg.sigmoid(sg.tensor(big * c) @ w).sum(), [0.1, 0.2, -0.3])


@pytest.mark.parametrize("f", [
    lambda w: (sg.sort(w)[0] * sg.arange(3)).sum() ** 2, lambda w: w[sg.argmax(w)] ** 3,
    lambda w: sg.max(w, 0)[0] ** 2,
    lambda w: sg.topk(w, 2)[0].prod(), lambda w: sg.median(w, 0)[0] ** 2, lambda w: (sg.cummax(w, 0)[0] ** 2).sum(),
    lambda w: (w[w > 0] ** 3).sum(), lambda w: sg.amax(w) ** 2, lambda w: sg.relu(w).pow(3).sum(),
    lambda w: (w**2).sum() * w[0].detach().item(), lambda w: (w.detach() * w**2).sum(),
    lambda w: sg.kthvalue(w, 2)[0] ** 2,
])  # fmt: skip
def test_choices_among_entries_are_made_at_each_point(f):
    for x in (W, -W, W[::-1].copy(), np.array([-0.1, 0.2, 0.3]), W):
        agree(f, x)


def test_what_is_recorded_decides_and_not_the_functions_name():
    constant = [False]

    def f(w):
        if constant[0]:
            with sg.no_grad():
                y = w * w
        else:
            y = w * w
        return (y * w * w).sum()

    for constant[0] in (False, True, False):
        agree(f, W)


def test_a_hook_changes_the_matrix_as_it_changes_the_tapes():
    hooked = [False]

    def f(w):
        y = w * w
        if hooked[0]:
            y.register_hook(lambda g: 2 * g)
        return (y * y).sum()

    for hooked[0] in (False, True, False):
        agree(f, W)


def test_a_users_own_operation_is_asked_for_its_derivative():
    Cube = pointwise(sg, "Cube", lambda x: x**3, lambda x, g: 30 * g * x**2)
    through(lambda w, own: (Cube.apply(w) if own else w**3).sum(), [False, True])


def test_threads_get_their_own_matrices():
    def work(k):
        points = [np.random.default_rng(i + k).normal(size=2 + (i + k) % 4) for i in range(20)]
        f = lambda w: sg.exp((k + 1) * w).sum() * w.prod()
        return all(np.allclose(sg.hessian(f)(x), tape(f, x), rtol=1e-9) for x in points)

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(work, range(6)))


# Numbers at the edges -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", [
    lambda z: sg.log1p(sg.exp(-z)), lambda z: sg.log(1 + sg.exp(-z)), lambda z: np.logaddexp(0, -z),
    lambda z: sg.nn.functional.softplus(-z), lambda z: -sg.log(sg.sigmoid(z)),
    lambda z: -sg.nn.functional.logsigmoid(z),
])  # fmt: skip
@pytest.mark.parametrize("at", [-1000.0, -40.0, 0.0, 40.0, 1000.0])
def test_the_logistic_loss_is_right_where_exp_overflows(loss, at):
    for x in (1.0, at):  # made at one point, asked for at the other
        e = np.exp(-abs(x))
        got = sg.hessian(lambda z: loss(z).sum())(np.array([x]))
        np.testing.assert_allclose(got, [[e / (1 + e) ** 2]], rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize("f", [
    lambda x: sg.abs(x * x).sum(), lambda x: sg.linalg.vector_norm(x * x, 1), lambda x: sg.dist(x * x, sg.zeros(1), 1),
    lambda x: sg.cdist((x * x).reshape(2, 1), sg.zeros(1, 1), 1.0).sum(),
])  # fmt: skip
def test_at_a_kink_that_simplification_has_lost_the_number_is_the_tapes(f):
    for x in (W[:2], np.array([0.0, 1.0])):  # made at one point, asked for at the other
        agree(f, x)
        np.testing.assert_allclose(sg.compile(f, "h")(x), tape(f, x), atol=1e-12)


def test_nan_in_the_data_gives_what_the_tape_gives():
    data = X.copy()
    f = lambda w: sg.exp(data @ w).sum()
    agree(f, W)
    data[2, 1] = np.nan
    np.testing.assert_array_equal(sg.hessian(f)(W), tape(f, W))
    assert np.isnan(sg.hessian(f)(W)).all()


def test_what_a_choice_leaves_out_cannot_spoil_the_matrix():
    data = X.copy()
    data[2, 1] = np.nan
    finite = np.isfinite(data)
    agree(lambda w: sg.exp(sg.where(finite, data, 0.0) @ w).sum(), W)
    agree(lambda w: sg.where(w > 0, sg.sqrt(sg.where(w > 0, w, 1.0)), w**2).sum(), np.array([0.0, 2.0, -1.0]))


@pytest.mark.parametrize("f", [
    lambda w: w.prod(), lambda w: w.norm(), lambda w: (w**3).sum(), lambda w: (w**2.0).sum(),
    lambda w: sg.relu(w).pow(2).sum(),
    lambda w: sg.amax(w) ** 2, lambda w: (sg.maximum(w, w.flip(0)) ** 2).sum(),
    lambda w: (sg.clamp(w, 0, 1) ** 2).sum(),
    lambda w: (w.abs() ** 3).sum(), lambda w: sg.sinc(w).sum(), lambda w: sg.where(w > 0, w**2, w**3).sum(),
])  # fmt: skip
@pytest.mark.parametrize("x", [np.zeros(3), np.array([0.0, 0.0, 2.0]), np.array([1.0, 1.0, -1.0])])
def test_zeros_and_ties_give_what_the_tape_gives(f, x):
    sg.hessian(f)(W)
    np.testing.assert_allclose(sg.hessian(f)(x), tape(f, x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("c", [0, 0.0, -1.0])
@pytest.mark.parametrize("f", [lambda w, c: (c**w).sum(), lambda w, c: sg.sin(w / c).sum()])
def test_a_number_without_a_logarithm_or_a_reciprocal_is_no_error(f, c):
    g = lambda w: f(w, c)
    got, expected = sg.hessian(g)(W), tape(g, W)
    np.testing.assert_allclose(np.diag(got), np.diag(expected), rtol=1e-12)


# Shapes, dtypes, memory -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (1, 1), (2, 3), (2, 1, 2)])
def test_the_matrix_has_the_shape_of_the_argument_twice(shape):
    x = np.full(shape, 0.5)
    got = agree(lambda w: (w**3).sum() + w.sum() ** 2, x)
    assert np.shape(got) == shape + shape


@pytest.mark.parametrize("f", [
    lambda w: (sg.cat([w[3:], w]) ** 2).sum(), lambda w: sg.log_softmax(sg.log_softmax(w, 0)[2:], -1).sum(),
    lambda w: sg.lgamma(2 + w[np.array([True, False, False])][0]),
    lambda w: sg.cumsum(w[:1], 0).var(correction=0) ** 2,
    lambda w: (sg.tile(w[:1], (2,)) ** 2).sum(), lambda w: (w[:, None][:, np.array([0])] ** 3).sum(),
])  # fmt: skip
def test_arrays_of_no_entry_or_one_on_the_way_are_no_error(f):
    agree(f, W)


def test_float32_stays_float32():
    x = W.astype(np.float32)
    for f in (lambda w: (w**3).sum() + sg.exp(w).sum(), logistic, lambda w: (W * w**3).sum()):
        got = sg.hessian(f)(x)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, sg.hessian(f)(x.astype(float)), rtol=1e-4, atol=1e-5)


def test_a_read_only_or_strided_argument_will_do_and_is_not_written_to():
    x = np.repeat(W, 2)[::2]
    x.setflags(write=False)
    agree(logistic, x)
    np.testing.assert_array_equal(x, W)


@pytest.mark.parametrize("f", [logistic, rosenbrock, lambda w: w @ w, lambda w: (X @ w) @ (X @ w), lambda w: w.prod()])
def test_the_result_owns_its_memory(f):
    hessian, x = sg.hessian(f), W.copy()
    first = hessian(x)
    kept = first.copy()
    second = hessian(x)
    assert not np.shares_memory(first, second)
    first[...] = np.nan
    np.testing.assert_array_equal(second, kept)
    np.testing.assert_array_equal(hessian(x), kept)
    x[...] = np.nan
    np.testing.assert_array_equal(second, kept)


def test_whole_numbers_are_taken_as_floats():
    np.testing.assert_array_equal(sg.hessian(lambda w: (w**3).sum())(np.array([1, 2])), [[6.0, 0.0], [0.0, 12.0]])


def test_unused_arguments_give_zeros():
    f = lambda a, b: (a**3).sum()
    a, b = np.array([1.0, 2.0]), np.ones((2, 2))
    found = sg.hessian(f, argnums=(0, 1))(a, b)
    np.testing.assert_array_equal(found[0, 0], np.diag([6.0, 12.0]))
    assert found[1, 1].shape == (2, 2, 2, 2) and found[0, 1].shape == (2, 2, 2)
    assert not found[1, 1].any() and not found[0, 1].any() and not found[1, 0].any()
    with pytest.warns(UserWarning, match="does not depend on it"):
        assert not sg.hessian(f, argnums=1)(a, b).any()


def test_several_arguments_give_the_blocks_of_the_tape():
    f = lambda a, b, c: sg.tanh(a @ b).sum() ** 2 + (c * b.sum()) ** 2 + a.prod()
    rng = np.random.default_rng(0)
    for _ in range(2):
        points = rng.normal(size=(2, 3)), rng.normal(size=3), rng.normal(size=())
        expected, got = tape(f, *points, argnums=(0, 1, 2)), sg.hessian(f, argnums=(0, 1, 2))(*points)
        for i in range(3):
            for j in range(3):
                np.testing.assert_allclose(got[i, j], expected[i][j], rtol=1e-10, atol=1e-12)
        np.testing.assert_array_equal(got.matrix, got.matrix.T)


def test_a_dictionary_of_parameters_gives_blocks_by_name():
    f = lambda p: sg.tanh(X @ p["W"] + p["b"]).sum() ** 2
    p = {"W": np.random.default_rng(0).normal(size=(3, 2)), "b": np.array([0.1, -0.2])}
    expected = tape(lambda a, b: f({"W": a, "b": b}), p["W"], p["b"], argnums=(0, 1))
    for _ in range(2):
        got = sg.hessian(f)(p)
        for i, a in enumerate("Wb"):
            for j, b in enumerate("Wb"):
                np.testing.assert_allclose(got[a, b], expected[i][j], rtol=1e-10, atol=1e-12)


def peak(run):
    """Bytes at most in use while ``run`` runs."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["logistic", "rosenbrock"])
def test_a_dense_matrix_takes_at_most_twice_its_own_memory(name):
    n = 1000
    data = np.random.default_rng(0).normal(size=(n // 5, n))
    f = {"logistic": lambda w: sg.log1p(sg.exp(data @ w)).sum(), "rosenbrock": rosenbrock}[name]
    x = np.linspace(-0.01, 0.01, n)
    hessian = sg.hessian(f)
    for _ in range(8):  # its programs are made, that for many calls too, where these are few
        hessian(x)
    graph = peak(lambda: f(sg.tensor(x, requires_grad=True)))
    assert min(peak(lambda: hessian(x)) for _ in range(3)) - graph <= 2 * 8 * n * n  # one call may make the program


# Functions that a search found: their programs were refused by the comparison, or did not run -------------------------


L, T = sg, sg.as_tensor
MASK = np.array([[True, False], [True, True]])
FOUND_X, FOUND_Y = np.array([0.7, 1.3]), np.array([1.118, -0.207, -0.671, 1.027])


def diagonal(x):
    return L.diag_embed(L.diagonal(L.outer(T(x), T(x)) + 2 * L.eye(2)))


def masked_rows(x):
    v = T(x).reshape(2, 2)
    v = L.masked_fill(v * v, ~MASK, -1.0)[np.array([0, 1, 0])]
    return (v * v).sum() * v[0, 0]


FOUND = {
    "a column and its sums along one place": (lambda x: np.exp(((x + L.cumsum(T(x), 1)) ** 2).sum()), FOUND_X[:, None]),
    "a row that is flipped": (lambda x: ((1.5 + L.sin(L.flip(T(x), [-2]))) ** L.maximum(x, L.flip(T(x), [-2]))).sum(),
                              FOUND_X[None]),
    "a mask of a diagonal matrix": (lambda x: diagonal(x)[MASK].sum() ** 2, FOUND_X),
    "a mask of it times it": (lambda x: (diagonal(x)[MASK].sum() * diagonal(x)).sum(), FOUND_X),
    "two reads that name a place twice": (
        lambda x: (lambda v: (v[MASK].sum() * v).sum())(np.square(np.outer(x, x))), FOUND_X,
    ),
    "the greater of a number and entries": (lambda x: np.fmax(2 * x[0] * x[0], x).sum(), FOUND_Y),
    "a mask read at places": (masked_rows, FOUND_Y),
    "a median alone": (lambda x: L.median(T(x), 0)[0] + L.kthvalue(T(x), 2)[0] ** 2, FOUND_Y),
    "a log-sum-exp of one number": (lambda x: L.logsumexp((T(x) ** 2).sum(), 0) ** 2, FOUND_X),
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
        sg.compile(f)(FOUND_X)


def test_what_raises_for_want_of_a_factor_raises_though_no_factor_is_left():
    def squares(p):
        return (np.linalg.cholesky(np.diag(p)) ** 2).sum() + (p**2).sum()

    compiled, H = sg.compile(squares, "fgh"), sg.hessian(squares)
    good, bad = np.array([0.5, 2.0]), np.array([-1.0, 2.0])
    np.testing.assert_allclose(compiled(good)[2], agree(squares, good))
    for f in (squares, compiled, H):
        f(good)
        with pytest.raises(np.linalg.LinAlgError):
            f(bad)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x.reshape(-1)[:2] * (x[0, 0] + x).reshape(-1)[:2]).sum(),
        lambda x: (np.sin(x.reshape(-1)[:3]) * np.cos((x.sum() + x).reshape(-1)[:3])).sum(),
        lambda x: (x.reshape(-1)[1:] * np.exp(x.T.reshape(-1)[:3] * x[0, 0])).sum(),
    ],
)
def test_parts_of_a_variable_may_overlap(f):
    """Two views of the same entries make a block that has no mirror image beside it."""
    x = np.random.default_rng(2).uniform(0.2, 1.0, (2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the program and the tape are compared
        found = sg.compile(f, "h")(x)
    assert np.allclose(found.reshape(4, 4), sg.jacobian(sg.grad(lambda v: f(v.reshape(2, 2))))(x.reshape(-1)))
