"""What stands in compiled programs: a textbook's structure, in lines that pass over memory seldom."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.special

import symgrad as sg
from symgrad import _limits
from symgrad.programs.helpers import HELPERS
from symgrad.programs.linear import bare, by_powers

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=(200, 12)), RNG.normal(size=200)
K = np.exp(-(np.subtract.outer(np.arange(70) / 7, np.arange(70) / 7) ** 2))
SIGNS = np.where(RNG.normal(size=70) > 0, 1.0, -1.0)
LABELS = RNG.integers(0, 4, 200)


def by_tape(f, x):
    return sg.func.hessian(f)(sg.tensor(x)).detach().numpy()


def student(theta):
    r = (Y - X @ theta[:12]) * np.exp(-theta[12])
    return 200 * theta[12] + 2.5 * np.log1p(r**2 / 4).sum()


def kernel_machine(alpha):
    scores = K @ alpha
    return 0.05 * (alpha @ scores) + np.log1p(np.exp(4 * (1 - SIGNS * scores))).mean()


def log_partition(x):
    return sg.logsumexp(sg.tensor(X) @ x, 0)


def mixture(theta):
    logits, mean, log_sd = theta[:3], theta[3:6], theta[6:]
    z = (Y[:, None] - mean) * np.exp(-log_sd)
    return -sg.logsumexp(logits - sg.logsumexp(logits, 0) - log_sd - 0.5 * z**2, 1).sum()


def softmax_regression(w):
    p = sg.softmax(sg.tensor(X) @ w.reshape(12, 4), 1)
    return -np.log(p[np.arange(200), LABELS]).sum()


def softmax_over_rows(w):
    p = sg.softmax(w.reshape(3, 4), 0)
    return (p * p).sum() + 3 * p.sum() ** 2 * (w**3).sum()


MODELS = [
    (student, 13), (kernel_machine, 70), (log_partition, 12), (mixture, 9), (softmax_regression, 48),
    (softmax_over_rows, 12),
]  # fmt: skip


@pytest.mark.parametrize(("f", "n"), MODELS, ids=lambda v: getattr(v, "__name__", ""))
def test_models_agree_with_the_tape_at_two_points(f, n):
    H = sg.hessian(f)
    assert "a program runs" in H.plan(np.full(n, 0.1))
    for seed in (0, 1):
        x = 0.3 * np.random.default_rng(seed).normal(size=n)
        got, truth = H(x), by_tape(f, x)
        np.testing.assert_allclose(got, truth, rtol=0, atol=1e-12 * np.abs(truth).max())
        assert np.array_equal(got, got.T)


@pytest.mark.parametrize(("f", "n"), [(student, 13), (kernel_machine, 70), (log_partition, 12)])
def test_regressions_are_gram_matrices(f, n):
    assert "Gram matrix" in sg.hessian(f).structure(np.full(n, 0.1))


def test_probabilities_sum_to_one():
    code = sg.hessian(lambda x: 2 * sg.softmax(x, 0).sum() + (x**4).sum()).code(np.linspace(-1, 1, 5))
    assert "softmax" not in code
    H = sg.hessian(lambda x: sg.softmax(x, 0).sum() * (x**2).sum())
    np.testing.assert_allclose(H(np.linspace(-1, 1, 5)), 2 * np.eye(5), atol=1e-15)


def test_products_of_mixed_sign_are_symmetric_to_the_last_bit():
    for n in (12, 5):
        A = X[:, :n]
        H = sg.hessian(lambda w, A=A: np.sin(A @ w).sum())(np.linspace(-1, 1, n))
        assert np.array_equal(H, H.T)
        np.testing.assert_allclose(H, A.T @ (-np.sin(A @ np.linspace(-1, 1, n))[:, None] * A), atol=1e-12)


def test_index_arrays_that_change_in_place_are_seen():
    groups = np.array([0, 1, 1, 2, 0])

    def f(u):
        return (u[groups] ** 3).sum()

    u, H = np.array([1.0, 2.0, 3.0]), sg.hessian(f)
    np.testing.assert_allclose(H(u), np.diag([12.0, 24.0, 18.0]))
    np.testing.assert_allclose(H(u), np.diag([12.0, 24.0, 18.0]))
    groups[:] = 2
    np.testing.assert_allclose(H(u), np.diag([0.0, 0.0, 90.0]))


def test_transposed_constants_that_change_are_seen():
    A = np.arange(6.0).reshape(2, 3)

    def f(x):
        return ((A.T @ (A @ x)) ** 2).sum()

    x, H = np.ones(3), sg.hessian(f)
    for _ in range(2):
        np.testing.assert_allclose(H(x), 2 * np.linalg.matrix_power(A.T @ A, 2))
    A[0, 0] = 7.0
    np.testing.assert_allclose(H(x), 2 * np.linalg.matrix_power(A.T @ A, 2))
    A = A[:, ::-1]
    np.testing.assert_allclose(H(x), 2 * np.linalg.matrix_power(A.T @ A, 2))


def test_parts_of_one_matrix_keep_their_own_arrays():
    def f(x):
        y = sg.cat([x, x])
        return (y * y).mean() + (x[0] * x[1]).sum()

    for shape in ((9, 10), (70,), (4, 3)):
        x = np.random.default_rng(0).normal(size=shape)
        np.testing.assert_allclose(sg.hessian(f)(x), by_tape(f, x), atol=1e-15)
        assert "a program runs" in sg.hessian(f).plan(x)


def test_a_row_of_one_of_several_variables_stands_in_its_own_block():
    x, y = np.arange(5.0) + 1, np.array([0.5, -1.0, 2.0])
    hessian = sg.hessian(lambda x, y: (x[1] * x).sum() + (y[2] * y).sum() ** 2, (0, 1))
    (first, mixed), (_, last) = hessian(x, y)
    row = np.outer(np.eye(5)[1], np.ones(5))
    np.testing.assert_array_equal(first, row + row.T)
    np.testing.assert_array_equal(mixed, np.zeros((5, 3)))
    np.testing.assert_allclose(last, by_tape(lambda y: (y[2] * y).sum() ** 2, y), atol=1e-15)
    assert "a program runs" in hessian.plan(x, y)


def test_a_wrong_program_is_found_out_where_the_value_is_infinite(monkeypatch):
    from symgrad.programs import program

    def f(x):
        y = np.copy(x) * np.tanh(x)
        y[0] = 0.0
        return (1 / y).sum()

    run = program.Program.run
    wrong = lambda *args, **kwargs: (2 * run(*args, **kwargs)[0],) if run(*args, **kwargs) is not None else None
    x = np.array([0.5, 0.7, -0.3])
    truth = by_tape(f, x)
    with np.errstate(divide="ignore"):
        assert np.isfinite(truth).all() and not np.isfinite(f(x))
    monkeypatch.setattr(program.Program, "run", wrong)
    np.testing.assert_allclose(sg.hessian(f)(x), truth)


@pytest.mark.parametrize("format", ["dense", "csr", "structured"])
@pytest.mark.parametrize("body", [
    lambda x: (x**3).sum(), lambda x: (sg.linalg.eigvalsh(sg.outer(x, x) + sg.eye(3, dtype=sg.float64)) ** 2).sum(),
], ids=["program", "tape"])  # fmt: skip
def test_a_function_runs_once_per_call(body, format):
    runs = []

    def f(x):
        runs.append(len(runs))
        return body(x)

    H = sg.hessian(f, format=format)
    for calls in (1, 2, 3):
        H(np.array([0.5, 1.0, 2.0]))
        assert len(runs) == calls


def test_a_warning_names_the_line_of_the_call():
    H = sg.hessian(lambda x: (3 * x).sum())
    with pytest.warns(sg.StructurallyZeroWarning) as caught:
        H(np.ones(2))
    assert caught[0].filename == __file__


def test_numbers_that_a_choice_leaves_need_not_be_finite():
    def f(w):  # logdet is where(sign < 0, nan, …)
        return sg.logdet(sg.outer(w, w) + sg.eye(4, dtype=sg.float64))

    H, w = sg.hessian(f), np.array([0.5, -1.0, 0.3, 2.0])
    np.testing.assert_allclose(H(w), by_tape(f, w), atol=1e-14)
    assert "a program runs" in H.plan(w) and H._last is not None
    g = lambda w: sg.logdet(sg.diag(w))
    for w in (np.array([1.0, 2.0]), np.array([-1.0, 2.0])):
        np.testing.assert_allclose(sg.hessian(g)(w), by_tape(g, w))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_constants_of_less_precision_are_not_multiplied_in_it(dtype):
    A = (200 * np.random.default_rng(0).normal(size=(50, 4))).astype(dtype)
    c = np.float64(3.0) * np.random.default_rng(1).random(50).astype(dtype)

    def f(x):
        return ((A @ x) ** 2 * c).sum() + ((A.T @ (A @ x)) ** 2).sum() * 1e-3

    x = np.linspace(0.1, 0.4, 4)
    truth = by_tape(f, x)
    np.testing.assert_allclose(sg.hessian(f)(x), truth, rtol=1e-12)
    np.testing.assert_allclose(sg.diag_hessian(f, x), np.diag(truth), rtol=1e-12)
    np.testing.assert_allclose(sg.compile(f, "h")(x), truth, rtol=1e-12)


def test_sparse_results_share_nothing():
    H = sg.hessian(lambda x: (x[1:] ** 2 * x[:-1]).sum(), format="csr")
    x = np.array([0.0, 1.0, 2.0, 0.0, 3.0])
    first = H(x)
    before = first.toarray()
    first.eliminate_zeros()
    first.indices[:] = 0
    np.testing.assert_array_equal(H(x).toarray(), before)


def test_a_hook_on_the_argument_is_seen_whatever_ran_before():
    hooked = [False]

    def f(x):
        if hooked[0]:
            x.register_hook(lambda g: 2 * g)
        return (x**3).sum()

    H, x = sg.hessian(f), np.array([0.5, 1.0])
    np.testing.assert_allclose(H(x), np.diag(6 * x))
    np.testing.assert_allclose(H(x), np.diag(6 * x))
    hooked[0] = True
    np.testing.assert_allclose(H(x), by_tape(f, x))


def test_the_same_memory_read_as_another_type_is_another_array():
    A = np.arange(1.0, 7.0).reshape(2, 3)
    f = lambda x, B: ((A @ x) ** 2).sum() + ((B @ np.ones(2)) * x**2).sum()
    H, x = sg.hessian(f), np.ones(3)
    for B in (A.T, A.view(np.int64).T, A.T):
        fresh = np.array(B)
        np.testing.assert_allclose(H(x, B), 2 * A.T @ A + np.diag(2 * (fresh @ np.ones(2))))


def test_a_hessian_can_be_pickled_before_and_after_its_first_call():
    import pickle

    H, x = sg.hessian(np.linalg.norm), np.array([3.0, 4.0])
    expected = H(x)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(H))(x), expected)


def test_a_program_that_computes_much_more_than_the_tape_is_not_used(monkeypatch):
    monkeypatch.setattr(_limits, "FLOP", 10**5)
    monkeypatch.setattr(_limits, "TIMES_TAPE", 1)
    rng = np.random.default_rng(0)
    A, labels = rng.normal(size=(60, 15)), sg.tensor(rng.integers(0, 9, 60))

    def f(x):
        z = A @ x[:135].reshape((15, 9)) + x[5:14]  # what is read twice is no variable of its own
        return sg.nn.functional.cross_entropy(z, labels) + (sg.softmax(z, 0) ** 2).sum()

    x = rng.normal(size=144)
    assert "flop, the tape about" in sg.hessian(f).plan(x)
    np.testing.assert_allclose(sg.hessian(f)(x), by_tape(f, x), atol=1e-12)


def test_structures_with_large_constants_and_several_outputs_are_recognised():
    from symgrad.transforms.routes import known_route

    rng = np.random.default_rng(0)
    J, A = rng.normal(size=(120, 120)), rng.normal(size=(4, 9))
    functions = [
        (lambda x: x @ J @ x + np.cos(x).sum(), 120),
        (lambda x: np.linalg.slogdet(A @ np.diag(np.exp(x)) @ A.T)[1], 9),
        (lambda x: (np.linalg.eigh(np.outer(x, x) + np.eye(9))[0] * 0).sum() + (x**3).sum(), 9),
    ]
    for f, n in functions:
        H, x = sg.hessian(f), 0.1 * rng.normal(size=n)
        for _ in range(3):
            np.testing.assert_allclose(H(x), by_tape(f, x), atol=1e-12)
            x = x + 0.05
        leaf = sg.tensor(x, requires_grad=True)
        if H._last is not None:  # the last one has no program
            assert known_route(H._last, f(leaf), leaf) is not None
    J[0, 0] = 50.0  # seen, as is another array in its place
    f, n = functions[0]
    H = sg.hessian(f)
    for _ in range(2):
        np.testing.assert_allclose(H(np.zeros(n)), by_tape(f, np.zeros(n)), atol=1e-12)
        J = J + 1.0
    either = lambda x, k: np.linalg.slogdet(A @ np.diag(np.exp(x)) @ A.T)[k] * (x**2).sum()
    H, x = sg.hessian(either), np.zeros(9)
    for k in (1, 1, 0, 1, 0):
        np.testing.assert_allclose(H(x, k), by_tape(lambda x, k=k: either(x, k), x), atol=1e-12)


# Lines ----------------------------------------------------------------------------------------------------------------


T = np.linspace(0.1, 2.0, 40)
RNG_OF_LINES = np.random.default_rng(0)


def helper(name):
    space = {"np": np, "scipy": scipy}
    exec(HELPERS[name], space)
    return space[name]


def code_of(f, x):
    """The source of the compiled matrix, after it has been compared with the tape at two points."""
    compiled = sg.compile(f, "h")
    for point in (x, 1.1 * x):
        expected = by_tape(f, point)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(compiled(point), expected, rtol=0, atol=1e-10 * scale)
    return compiled.code(x)


# ------------------------------------------------------------------------------------------------------------- helpers


@pytest.mark.parametrize(("s", "n", "h"), [(7, 1, 1), (1, 4, 3), (30, 25, 4), (5, 3, 9)])
def test_sums_over_pairs_are_right_and_symmetric_to_the_last_bit(s, n, h):
    A, N = RNG_OF_LINES.normal(size=(s, n)), RNG_OF_LINES.normal(size=(s, h, h))
    H = np.full((n * h, n * h), np.nan)
    helper("_pairs")(A, N, H.reshape(n, h, n, h))
    even = 0.5 * (N + N.transpose(0, 2, 1))
    expected = np.einsum("si,sk,sjl->ijkl", A, A, even).reshape(n * h, n * h)
    np.testing.assert_allclose(H, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(H, H.T)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_a_matrix_and_its_transpose_are_added_block_by_block(n):
    A = RNG_OF_LINES.normal(size=(n, n))
    np.testing.assert_array_equal(helper("_mirrored")(A), A + A.T)


@pytest.mark.parametrize("shapes", [((9, 8, 1), (9, 8, 3)), ((2, 1, 7, 3), (2, 5, 7, 1)), ((6, 2), (1, 2))])
def test_columns_one_by_one_are_the_product(shapes):
    A, B = (RNG_OF_LINES.normal(size=shape) for shape in shapes)
    np.testing.assert_array_equal(helper("_by_columns")(A, B), A * B)


def test_trigamma_is_as_exact_as_scipys_and_the_same_at_the_edges():
    x = np.concatenate(
        [10.0 ** RNG_OF_LINES.uniform(-150, 150, 200), RNG_OF_LINES.uniform(0, 30, 300), np.arange(1, 40) / 2]
    )
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(helper("_polygamma")(1, x), scipy.special.polygamma(1, x), rtol=2e-15)
        for edge in (np.array([0.0, np.inf, 1.0]), np.array([np.nan, 2.0]), np.array([-0.5, 3.0]), np.float64(0.7)):
            np.testing.assert_allclose(helper("_polygamma")(1, edge), scipy.special.polygamma(1, edge), rtol=2e-15)
        np.testing.assert_array_equal(helper("_polygamma")(2, x), scipy.special.polygamma(2, x))


# --------------------------------------------------------------------------------------------------------------- texts


def test_powers_are_made_from_each_other():
    half = Fraction(1, 2)
    assert by_powers("v", -2, {-1: "a"}) == "np.square(a)"
    assert by_powers("v", -3, {-1: "a", -2: "b"}) == "a * b"
    assert by_powers("v", -half, {half: "root"}) == "1 / root"
    assert by_powers("v", -3 * half, {-half: "a"}) == "a / v"
    assert by_powers("v", 3, {2: "s"}) == "s * v"
    assert by_powers("v", -2, {}) == by_powers("v", 4, {3: "c", 5: "e"}).replace("c * v", "") == ""


def test_powers_of_the_other_sign_and_roots_are_no_factors_of_whole_powers():
    half = Fraction(1, 2)
    assert by_powers("v", -1, {-half: "a"}) == ""  # of a negative number there is no root
    assert by_powers("v", -1, {-3: "a", 2: "b"}) == ""  # 0 times infinity
    assert by_powers("v", 2, {3: "a", -1: "b"}) == "np.square(v)"


def test_parentheses_around_all_of_a_text_are_left_out():
    assert [bare(t) for t in ("(a + b)", "(a) + (b)", "(a @ b).reshape(c)", "a", "((a))")] == [
        "a + b", "(a) + (b)", "(a @ b).reshape(c)", "a", "(a)",
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- lines


def test_a_sum_begins_with_what_is_not_subtracted():
    code = code_of(lambda x: (np.tanh(x) ** 3).sum(), np.array([0.3, -0.5, 0.9]))
    assert "v2 = 1 - v1" in code


def test_a_few_single_entries_are_variables_of_their_own():
    code = code_of(lambda p: ((p[0] * np.exp(-p[1] * T) - 1) ** 2).sum(), np.array([1.2, 0.4]))
    assert "(40, 2)" not in code and "H[1, 0] = T" in code
    f = lambda p: ((p[0] * np.exp(-p[1] * T) - 1) ** 2).sum() + (p**4).sum()  # all of it beside its entries
    code_of(f, np.array([1.2, 0.4]))


@pytest.mark.parametrize("outputs", ["fgh", "gh"])
def test_gradients_of_single_entries_are_put_together(outputs):
    f, p = lambda p: ((p[0] * np.exp(-p[2] * T) - p[1]) ** 2).sum(), np.array([1.2, 0.4, 0.3])
    gradient = sg.compile(f, outputs)(p)[-2]
    np.testing.assert_allclose(gradient, sg.grad(f)(p), rtol=1e-12)


def test_entries_that_another_part_has_are_no_parts():
    M = RNG_OF_LINES.normal(size=(3, 3))
    f = lambda x: (np.tanh(x.reshape(3, 3) @ M) ** 2).sum() * x[0]
    code_of(f, 0.3 * RNG_OF_LINES.normal(size=9))


def test_what_lands_on_one_diagonal_is_written_once():
    A = RNG_OF_LINES.normal(size=(6, 6))
    f = lambda m: -0.5 * m @ A @ m + ((1 + m) * np.log(1 + m) + (1 - m) * np.log(1 - m)).sum()
    code = code_of(f, np.linspace(-0.5, 0.5, 6))
    assert code.count("einsum") == 1 and "np.zeros" not in code


def test_several_products_of_two_vectors_are_one_matrix_product():
    A = RNG_OF_LINES.normal(size=(120, 120))
    code = code_of(lambda x: (x @ A @ x) / (x @ x), RNG_OF_LINES.normal(size=120))
    assert "np.stack" in code and "T -=" not in code


def test_large_products_of_short_rows_go_by_columns_and_truth_values_are_their_own_squares():
    same = np.eye(20, dtype=bool)

    def f(x):
        x = x.reshape(20, 3)
        return np.where(same, 0.0, 1 / np.where(same, 1.0, ((x[:, None] - x) ** 2).sum(2))).sum()

    code = code_of(f, RNG_OF_LINES.normal(size=60))
    assert "_by_columns" in code and "* 1.0))" not in code


def test_sums_along_an_axis_are_products_with_ones():
    A = RNG_OF_LINES.normal(size=(30, 4))
    assert "np.ones" in code_of(lambda x: (np.exp(A * x).sum(1) ** 2).sum(), RNG_OF_LINES.normal(size=4) / 4)
    f = lambda x: (np.exp(A[:, :, None] * x).sum(1) ** 2).sum() + (np.sin(A[:, :, None] * x).sum(0) ** 2).sum()
    code_of(f, RNG_OF_LINES.normal(size=3) / 4)


# --------------------------------------------------------------------------------------------------------------- calls


def test_a_compiled_function_takes_other_shapes_and_dtypes_in_turn():
    f = sg.compile(lambda x, y: (np.exp(x) * y).sum(), "h")
    for n, dtype in ((30, float), (30, float), (40, float), (30, np.float32), (30, float)):
        x, y = RNG_OF_LINES.normal(size=n).astype(dtype), RNG_OF_LINES.normal(size=n).astype(dtype)
        found = f(x, y)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, np.diag(np.exp(x) * y), rtol=1e-5 if dtype is np.float32 else 1e-12)
        np.testing.assert_allclose(f(x, y=y), found)
    np.testing.assert_array_equal(f(np.zeros(40), np.arange(40)), np.diag(np.arange(40.0)))
    with pytest.raises(TypeError):
        f(np.zeros(40))


def test_where_a_number_is_not_finite_the_tape_is_asked_at_every_call():
    function = lambda x: (np.abs(x) ** 2.5).sum() + np.log(x[0])
    f, x = sg.compile(function, "h"), np.linspace(1.0, 2.0, 30)
    regular = f(x)
    for _ in range(2):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(f(0 * x), sg.hessian(function)(0 * x))
        np.testing.assert_array_equal(f(x), regular)


@pytest.mark.parametrize(
    "f",
    [lambda C: np.diag(C)[0], lambda C: 2 * np.diag(C)[1:].sum(), lambda C: (C**2).sum() - np.diag(C)[[0, 2, 2]].sum()],
)
def test_some_entries_of_a_diagonal_have_a_program(f):
    C = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(sg.compile(f, "g")(C), sg.grad(f)(C))
