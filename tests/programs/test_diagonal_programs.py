"""`sg.diag_hessian` and `sg.laplacian`: the diagonal of the dense Hessian and its sum, by programs of their own."""

import tracemalloc

import numpy as np
import pytest

import symgrad as sg
from symgrad.programs import program
from symgrad.transforms.routes import route_of

from ..helpers.user_defined import Cube

F = sg.nn.functional
RNG = np.random.default_rng(0)
N = 12
POINT = RNG.normal(size=N)
DATA = RNG.normal(size=(5, N))
GRID = RNG.normal(size=(4, 3))
A, B = RNG.integers(0, N, 30), RNG.integers(0, N, 30)
SMOOTH = RNG.normal(size=(N, 4))


@pytest.fixture(autouse=True)
def mistakes_are_raised(monkeypatch):
    """A mistake in making a program is an error here, and no reason to take the tape."""
    monkeypatch.setattr(program, "STRICT", True)


FUNCTIONS = {
    "Rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "logistic": lambda x: sg.log1p(sg.exp(DATA @ x)).sum(),
    "network": lambda x: sg.tanh(sg.tanh(x @ SMOOTH) @ SMOOTH[:4] + 0.3).sum(),
    "power of a sum": lambda x: x.sum() ** 3,
    "product": lambda x: x.prod() ** 2,
    "norm": lambda x: x.norm() + 1 / (1 + x @ x),
    "edges": lambda x: ((x[A] - x[B]) ** 4).sum() + sg.sin(x[A] * x[B]).sum(),
    "slices": lambda x: (x[:6] * x[6:] ** 2).sum() + x[3] ** 3 * x[-1],
    "reversed": lambda x: (x * x.flip(0) ** 2).sum() + (np.roll(x, 1) * x**2).sum(),
    "softmax": lambda x: sg.log_softmax(x, 0)[2] * sg.logsumexp(x, 0),
    "pairs": lambda x: sg.exp(-((x[:, None] - x) ** 2)).sum(),
    "determinant": lambda x: sg.logdet(sg.outer(x, x) + 2 * sg.eye(N)),
    "matrix": lambda x: ((x.reshape(4, 3) @ x.reshape(3, 4)) ** 2).sum() + sg.trace(x.reshape(4, 3) @ GRID.T) ** 3,
    "choice": lambda x: sg.where(x > 0, x**3, x**2).sum() + (sg.relu(x) ** 3).sum(),
    "larger of two": lambda x: (sg.maximum(x[1:], x[:-1]) ** 3).sum(),
    "special": lambda x: (sg.lgamma(1 + x**2) * sg.erf(x)).sum(),
    "convolution": lambda x: (F.conv1d(x[None, None], sg.tensor([[[1.0, -2.0, 1.0]]])) ** 4).sum(),
    "running sums": lambda x: (sg.cumsum(x, 0) ** 3).sum(),
    "running products": lambda x: sg.cumprod(x[:5], 0).sum() + (x**3).sum(),
    "sorted": lambda x: (sg.sort(x)[0] ** 3 * np.arange(N)).sum(),
    "linear": lambda x: (DATA @ x).sum(),
    "constant": lambda x: 3.0,
    "loop": lambda x: sum(x[k] * x[k - 1] ** k for k in range(4)),
}  # fmt: skip
TAPED = {"running products", "constant", "convolution", "matrix"}


def tape(f, x):
    """The whole matrix by sweeps."""
    t = sg.tensor(x)
    found = sg.func.hessian(lambda u: f(u) + 0 * u.sum())(t)
    return found.detach().numpy().reshape(x.size, x.size)


def recorded(f, x):
    """The route of the diagonal at a point."""
    t = sg.tensor(x, requires_grad=True)
    return route_of(f(t), [t], "diagonal")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_diagonal_and_its_sum_are_those_of_the_matrix(name):
    f = FUNCTIONS[name]
    for x in (POINT, -1.3 * POINT, POINT[::-1].copy(), np.repeat(POINT, 2)[::2]):
        truth = tape(f, x)
        scale = np.abs(truth).max(initial=1)
        np.testing.assert_allclose(sg.diag_hessian(f, x), np.diag(truth), rtol=1e-9, atol=1e-10 * scale)
        np.testing.assert_allclose(sg.laplacian(f, x), np.trace(truth), rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - TAPED))
def test_a_program_computes_it(name):
    sg.diag_hessian(FUNCTIONS[name], POINT)
    route = recorded(FUNCTIONS[name], POINT)
    assert route.program is not None and not route.program.refused, route.reason


@pytest.mark.parametrize("name", ["logistic", "edges", "choice", "norm"])
def test_it_agrees_with_differences_of_the_gradient(name):
    f, eps = FUNCTIONS[name], 1e-6
    slope = sg.grad(f)
    steps = eps * np.eye(N)
    second = [(slope(POINT + s) - slope(POINT - s))[k] / (2 * eps) for k, s in enumerate(steps)]
    np.testing.assert_allclose(sg.diag_hessian(f, POINT), second, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["larger of two", "choice", "edges", "sorted", "norm"])
def test_kinks_and_ties_give_what_the_matrix_gives(name):
    f = FUNCTIONS[name]
    for x in (np.zeros(N), np.ones(N)):
        sg.diag_hessian(f, POINT)
        truth = np.diag(tape(f, x))
        np.testing.assert_allclose(sg.diag_hessian(f, x), truth, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sg.laplacian(f, x), truth.sum(), rtol=1e-9, atol=1e-9)


def test_where_a_number_is_not_finite_the_rest_is_still_right():
    f = lambda x: sg.log(x).sum() + (x**3).sum()
    sg.diag_hessian(f, np.ones(3))
    np.testing.assert_allclose(sg.diag_hessian(f, np.array([0.0, 1.0, 2.0])), [-np.inf, 5, 11.75])
    np.testing.assert_allclose(sg.diag_hessian(f, np.array([np.nan, 1.0, 2.0])), [np.nan, 5, 11.75])
    assert sg.laplacian(f, np.array([0.0, 1.0, 2.0])) == -np.inf
    assert np.isnan(sg.laplacian(f, np.array([np.nan, 1.0])))


def test_containers_keep_their_structure():
    f = lambda p: (sg.tanh(GRID @ p["W"] + p["b"]) ** 2).sum()
    p = {"W": RNG.normal(size=(3, 2)), "b": np.array([0.1, -0.2])}
    found, whole = sg.diag_hessian(f, p), sg.hessian(f)(p)
    assert list(found) == ["W", "b"] and found["W"].shape == (3, 2)
    np.testing.assert_allclose(np.concatenate([found["W"].ravel(), found["b"]]), np.diag(whole.matrix), rtol=1e-9)
    np.testing.assert_allclose(sg.laplacian(f, p), np.trace(whole.matrix), rtol=1e-9)
    half = sg.diag_hessian(lambda q: (q[0] ** 3).sum(), [p["b"], p["b"]])
    np.testing.assert_allclose(half, [6 * p["b"], 0 * p["b"]])
    missing = sg.diag_hessian(lambda q: (q["a"] ** 3).sum(), {"a": p["b"], "b": None})
    assert missing["b"] is None


@pytest.mark.parametrize("x", [
    2.0, np.array(2.0), np.float32(2), POINT.astype(np.float32), np.array([1, 2]), GRID, np.asfortranarray(GRID),
    np.zeros(0), np.zeros((0, 3)), POINT[::2], np.ones((2, 1, 2)),
])  # fmt: skip
def test_shapes_and_dtypes_are_those_of_the_argument(x):
    f = lambda x: sg.sum(sg.exp(x) * x**2)
    found, expected = sg.diag_hessian(f, x), np.exp(x) * (np.square(x) + 4 * np.asarray(x) + 2)
    dtype = np.float32 if np.asarray(x).dtype == np.float32 else np.float64
    assert np.shape(found) == np.shape(x) and found.dtype == dtype and sg.laplacian(f, x).dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype is np.float32 else 1e-9)
    np.testing.assert_allclose(sg.laplacian(f, x), np.sum(expected), rtol=1e-4)


def test_tensors_give_tensors_which_can_be_differentiated_again():
    x = sg.tensor(POINT, requires_grad=True)
    total = sg.laplacian(lambda x: (x**4).sum() * 1.0, x)
    np.testing.assert_allclose(sg.autograd.grad(total, x)[0].numpy(), 24 * POINT)
    entries = sg.diag_hessian(lambda x: (x**4).sum(), x)
    np.testing.assert_allclose(sg.autograd.grad(entries.sum(), x)[0].numpy(), 24 * POINT)
    assert not sg.diag_hessian(lambda x: (x**4).sum(), sg.tensor(POINT)).requires_grad
    nested = sg.grad(lambda x: sg.laplacian(lambda u: (u**4).sum(), x))(POINT)
    np.testing.assert_allclose(nested, 24 * POINT)


def test_a_batch_of_laplacians_is_that_of_each():
    wave = lambda x: np.sin(x[0]) * np.cos(2 * x[1]) * x[2] ** 3
    points = RNG.normal(size=(5, 3))
    found = sg.vmap(lambda x: sg.laplacian(wave, x))(points)
    np.testing.assert_allclose(found, [np.trace(tape(wave, x)) for x in points], rtol=1e-9)


def test_what_the_function_catches_may_change_between_calls():
    data, number = DATA.copy(), [2.0]
    f = lambda x: sg.exp(data @ x).sum() * number[0] + (x**4).sum()
    for scale, value in ((1, 2.0), (-0.5, 2.0), (2, 3.0), (1, -1.0)):
        data *= scale
        number[0] = value
        truth = np.diag(tape(f, POINT))
        np.testing.assert_allclose(sg.diag_hessian(f, POINT), truth, rtol=1e-9)
        np.testing.assert_allclose(sg.laplacian(f, POINT), truth.sum(), rtol=1e-9)


def test_results_own_their_memory():
    f = lambda x: (x**4).sum()
    first = sg.diag_hessian(f, POINT)
    first[:] = np.nan
    np.testing.assert_allclose(sg.diag_hessian(f, POINT), 12 * POINT**2)


def test_the_whole_matrix_is_never_formed():
    x = np.linspace(0.1, 1, 100_000)
    for f in (FUNCTIONS["Rosenbrock"], lambda x: (x**4).sum() + x.sum() ** 3, lambda x: x.norm()):
        sg.diag_hessian(f, x), sg.laplacian(f, x)
        tracemalloc.start()
        sg.diag_hessian(f, x), sg.laplacian(f, x)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 60 * x.nbytes
    np.testing.assert_allclose(sg.laplacian(lambda x: x.norm(), x), (x.size - 1) / np.linalg.norm(x), rtol=1e-9)


def test_a_users_own_operation_and_a_branch_are_no_obstacle():
    np.testing.assert_allclose(sg.diag_hessian(lambda x: Cube.apply(x).sum(), POINT), 6 * POINT)
    branch = lambda x: (x**2).sum() if x[0] > 0 else (x**4).sum()
    for x in (np.ones(2), -np.ones(2), np.ones(2)):
        np.testing.assert_allclose(sg.diag_hessian(branch, x), 2 if x[0] > 0 else 12)


@pytest.mark.parametrize("f", [lambda x: (x * x).mean(), lambda x: x.max() * x[0], lambda x: x.sum(), np.prod])
def test_entries_that_are_numbers_of_the_program_have_the_dtype_of_the_argument(f):
    assert sg.diag_hessian(f, POINT.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("transform", [sg.diag_hessian, sg.laplacian])
def test_what_has_no_one_diagonal_is_refused_by_name(transform):
    with pytest.raises(sg.ShapeError, match=f"{transform.__name__}.*one number"):
        transform(lambda x: x**2, POINT)
    with pytest.raises(sg.GradientError, match=f"{transform.__name__} takes real arguments"):
        transform(lambda x: (x**2).abs().sum(), POINT + 1j)
