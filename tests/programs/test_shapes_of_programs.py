"""What programs make of models that people write: the structure is the one of the textbook, and the numbers agree."""

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits

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
    from symgrad.transforms.routes import recalled

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
            assert recalled(H._last, f(leaf), leaf) is not None
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
