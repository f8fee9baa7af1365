"""Programs of functions that fill arrays in place, read them entry by entry, and step through time.

The idea to hold: each function is run on plain NumPy arrays too, where nothing is recorded, and the Hessian is compared
with finite differences of that, at two points: what happens to agree at one point does not at both.
"""

import functools

import numpy as np
import pytest

import symgrad as sg
from symgrad.terms import normal_form

from ..helpers.cases import one_in

POINTS = [np.array([0.3, -0.7, 1.1, 0.6]), np.array([-0.9, 0.4, 0.25, 1.3])]
LABELS = np.array([2, 0, 1, 2])


def by_differences(f, x, step=1e-3):
    """The Hessian of a NumPy function by central differences of the fourth order."""
    n, unit = x.size, step * np.eye(x.size)
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}

    def gradient(at):
        return np.array([sum(w * float(f(at + k * unit[i])) for k, w in weights.items()) / step for i in range(n)])

    return np.array([sum(w * gradient(x + k * unit[i]) for k, w in weights.items()) / step for i in range(n)])


def compiled_agrees(f):
    """Value, gradient and Hessian of a compiled function at both points."""
    compiled = sg.compile(f)
    for x in POINTS:
        value, gradient, matrix = compiled(x)
        truth = by_differences(f, x)
        np.testing.assert_allclose(value, f(x), rtol=1e-12)
        np.testing.assert_allclose(gradient, sg.grad(f)(x), rtol=0, atol=1e-11 * (1 + np.abs(gradient).max()))
        np.testing.assert_allclose(matrix, truth, rtol=0, atol=1e-7 * (1 + np.abs(truth).max()))


def like(x, shape):
    """Zeros to be filled: a tensor while symgrad runs the function, an array while NumPy does."""
    return np.zeros(shape) if isinstance(x, np.ndarray) else sg.zeros(shape, dtype=sg.float64)


def fill_one_by_one(x):
    out = like(x, 4)
    for i in range(4):
        out[i] = x[i] ** 2 * x[(i + 1) % 4]
    return np.exp(0.1 * out).sum()


def write_then_scale(x):
    y = np.copy(x)
    y[0] = np.sin(x[1])
    y[1:] *= 2
    return (y**3).sum()


def write_into_a_view(x):
    y = np.copy(x).reshape(2, 2)
    y[:, 0] += x[:2] ** 2
    y.T[1] = x[2:] * x[0]
    return (y @ y).sum()


def overwrite_what_was_read(x):
    y = x**2
    z = y * x
    y = np.copy(y)
    y[1:3] = z[:2]
    return (y * z).sum()


def sum_of_neighbours(x):
    return np.sin(sum(x[k] * x[k - 1] for k in range(4)))


def chain_of_entries(x):
    s = x[0]
    for k in range(1, 4):
        s = np.tanh(s * x[k]) + x[k]
    return s**2


def stack_of_entries(x):
    return (np.stack([np.tanh(x[k] * x[(k + 1) % 4]) for k in range(4)]) ** 2).sum()


def stack_with_plain_numbers(x):
    return (np.stack([x[0], x[1] * x[2], x[3] * 0 + 2.5, x[0] + 1.0]) ** 3).prod()


def heat(x):
    u = x
    for _ in range(3):
        u = np.concatenate([u[:1], u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) + 0.05 * u[1:-1] ** 3, u[-1:]])
    return (u**2).sum()


def leapfrog(x):
    q, p = x[:2], x[2:]
    for _ in range(3):
        p = p - 0.1 * np.sin(q)
        q = q + 0.1 * p
    return q @ q + np.cos(p).sum()


def recurrence_over_data(x):
    h, total = x[0] ** 2, 0.0
    for y in (0.3, -1.2, 0.7, 0.1):
        h = np.exp(x[1]) + 0.1 * y**2 + np.tanh(x[2]) ** 2 * h
        total = total + 0.5 * (np.log(h) + (y - x[3]) ** 2 / h)
    return total


def rows_picked_by_class(x):
    scores = np.outer(x, np.array([1.0, -0.5, 0.2])) + x[:, None] ** 2 * np.array([0.1, 0.3, -0.2])
    p = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    return -np.log(p[np.arange(4), LABELS]).sum()


def rows_picked_along_an_axis(x):
    table = np.sin(np.outer(x, x))
    return (np.take_along_axis(table, LABELS[:, None], 1) ** 2).sum()


def ordinal(x):
    cuts = np.stack([x[0], x[0] + np.exp(x[1])])
    eta = np.array([0.2, -0.4, 1.0, 0.5]) * x[2] + x[3]
    c = 1 / (1 + np.exp(-(cuts - eta[:, None])))
    p = np.stack([c[:, 0], c[:, 1] - c[:, 0], 1 - c[:, 1]], axis=1)
    return -np.log(p[np.arange(4), LABELS]).sum()


FUNCTIONS = [
    fill_one_by_one, write_then_scale, write_into_a_view, overwrite_what_was_read, sum_of_neighbours, chain_of_entries,
    stack_of_entries, stack_with_plain_numbers, heat, leapfrog, recurrence_over_data, rows_picked_by_class,
    rows_picked_along_an_axis, ordinal,
]  # fmt: skip


@one_in(6)
@pytest.mark.parametrize("format", ["dense", "csr", "structured"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_loops_and_writes_have_right_hessians_at_two_points(f, format):
    H = sg.hessian(f, format=format)
    for x in POINTS:
        matrix = H(x)
        matrix = matrix.toarray() if format == "csr" else np.asarray(matrix)
        truth = by_differences(f, x)
        np.testing.assert_allclose(matrix, truth, rtol=0, atol=1e-7 * (1 + np.abs(truth).max()))


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_loops_and_writes_run_by_a_program(f):
    assert "a program runs" in sg.hessian(f).plan(POINTS[0])


@one_in(2)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_compiled_loops_and_writes_agree_with_the_function(f):
    compiled_agrees(f)


def test_a_constant_that_is_written_after_its_use_is_left_to_the_tape():
    def f(x):
        c = sg.ones(4, dtype=sg.float64)
        y = x + c
        c.mul_(5.0)
        return (y**3).sum()

    x = POINTS[0]
    assert "written after it was used" in sg.hessian(f).plan(x)
    np.testing.assert_allclose(sg.hessian(f)(x), np.diag(6 * (x + 1)))


def test_a_numpy_constant_that_is_written_after_its_use_is_not_read_again():
    def f(x):
        c = np.ones(4)
        y = x + c
        c *= 5.0
        return (y**3).sum()

    for x in POINTS:
        np.testing.assert_allclose(sg.hessian(f)(x), np.diag(6 * (x + 1)))


def test_entries_of_entries_leave_only_the_lines_they_need():
    def f(x):
        return sum(x[k] * x[k + 1] ** 2 for k in range(len(x) - 1))

    x = np.linspace(0.1, 1.0, 60)
    H = sg.hessian(f, format="csr")(x)
    assert H.nnz <= 60 + 2 * 59
    np.testing.assert_allclose(H.toarray(), sg.hessian(f)(x))


def test_picked_rows_cost_as_much_as_the_rows():
    def f(w, rows):
        X = np.ones((rows, 3)) * np.arange(rows)[:, None] / rows
        p = np.log1p(np.exp(X @ w.reshape(3, 3)))
        return p[np.arange(rows), np.arange(rows) % 3].sum()

    w = np.linspace(-1, 1, 9)
    few, many = (sg.cost(f, w, rows).hessian for rows in (100, 1000))
    assert many < 12 * few


def test_long_loops_are_left_to_the_tape_and_say_so():
    def f(x):
        s = x[0]
        for _ in range(3000):
            s = s * 0.999 + x[1]
        return s**2

    H = sg.hessian(f)
    x = np.array([1.0, 0.5])
    assert "operations" in H.plan(x)
    a, b = 0.999**3000, (1 - 0.999**3000) / (1 - 0.999)
    np.testing.assert_allclose(H(x), 2 * np.outer([a, b], [a, b]), rtol=1e-9)


@pytest.mark.slow
def test_a_long_loop_on_few_numbers_gets_no_program_and_one_on_many_does():
    def decay(x):
        for _ in range(250):  # some 750 operations
            x = x - 0.01 * x**3
        return (x**2).sum()

    few, many = np.linspace(0.1, 1, 3), np.linspace(0.1, 1, 600)
    assert "on few numbers" in sg.hessian(decay).plan(few)
    np.testing.assert_allclose(sg.hessian(decay)(few), by_differences(decay, few), atol=1e-6)
    assert "a program runs" in sg.hessian(decay, format="csr").plan(many)


def test_differences_along_an_axis_are_slices_for_compiled_functions_too(tmp_path):
    def energy(x, y):
        dx, dy = np.diff(x, axis=0), np.diff(x, axis=1, n=2)
        return 0.5 * ((x - y) ** 2).sum() + np.sqrt(dx**2 + 1e-3).sum() + np.sqrt(dy**2 + 1e-3).sum()

    x, y = np.random.default_rng(0).random((2, 6, 7))
    truth = sg.func.hessian(lambda x: energy(x, y))(sg.tensor(x)).numpy().reshape(42, 42)
    for compiled in (sg.compile(energy, "h"), sg.compile(energy, "h", format="csr")):
        found = compiled(x, y)
        found = found.toarray() if hasattr(found, "toarray") else found.reshape(42, 42)
        np.testing.assert_allclose(found, truth, atol=1e-9)
    sg.compile(energy, "h").save(tmp_path / "energy.py", x, y)


def test_a_compiled_gradient_in_sparse_format_is_a_gradient():
    value, gradient = sg.compile(lambda x: (x**3).sum(), "fg", format="csr")(np.array([1.0, 2.0]))
    assert value == 9.0
    np.testing.assert_allclose(gradient, [3.0, 12.0])


def test_cyclic_shifts_are_saved_as_plain_numpy(tmp_path):
    def f(x):
        return ((np.roll(x, 1, 0) + np.roll(x, -1, 1) - 2 * x) ** 4).sum()

    x = np.random.default_rng(0).random((4, 5))
    np.testing.assert_allclose(
        sg.hessian(f)(x).reshape(20, 20), sg.func.hessian(f)(sg.tensor(x)).numpy().reshape(20, 20), atol=1e-9
    )
    sg.compile(f).save(tmp_path / "shifts.py", x)


@pytest.mark.parametrize("solve", ["solve", "triangular"])
def test_likelihoods_with_a_cholesky_factor_have_programs(solve):
    rng = np.random.default_rng(0)
    t, y = np.sort(rng.random(12)), rng.normal(size=12)
    D = (t[:, None] - t) ** 2

    def gaussian_process(p):
        K = np.exp(p[0]) * np.exp(-D * np.exp(p[1])) + np.exp(p[2]) * np.eye(12)
        L = np.linalg.cholesky(K)
        if solve == "triangular" and not isinstance(L, np.ndarray):
            a = sg.linalg.solve_triangular(L, sg.tensor(y)[:, None], upper=False)[:, 0]
        else:
            a = np.linalg.solve(L, y)
        return 0.5 * (a @ a) + np.log(np.diagonal(L)).sum()

    H = sg.hessian(gaussian_process)
    for p in (np.array([0.1, 2.0, -1.0]), np.array([0.5, 1.0, 0.3])):
        np.testing.assert_allclose(H(p), by_differences(gaussian_process, p), atol=1e-6)
        np.testing.assert_allclose(sg.hvp(gaussian_process, p, p), H(p) @ p, rtol=1e-8)
    assert "a program runs" in H.plan(p)


def test_entries_of_a_cholesky_factor_have_right_hessians():
    def f(x):
        L = np.linalg.cholesky(np.outer(x, x) + 2 * np.eye(4))
        return (L**3).sum() + L[2, 0] * L[1, 1] - np.log(L[3, 3])

    H = sg.hessian(f)
    for x in POINTS:
        np.testing.assert_allclose(H(x), by_differences(f, x), atol=1e-6)
    assert "a program runs" in H.plan(x)


def begin_with_zeros_and_add(x):
    a = like(x, 4)
    a += x * x
    a[0] += x.sum()
    return (a**3).sum()


def read_what_was_written_and_what_was_not(x):
    a = like(x, 4) + 0.5
    a[0] = x.sum()
    a[1:3] -= np.sin(x[:2])
    a[3] += np.sin(x[3])
    return (a**3).sum() + (a[1:] * a[:-1]).prod()


@pytest.mark.parametrize("f", [begin_with_zeros_and_add, read_what_was_written_and_what_was_not])
def test_constants_that_are_written_to_are_what_they_were_where_they_were_used(f):
    formula = sg.formula(f, sg.symbol("x", 4))
    compiled_agrees(f)
    for x in POINTS:
        truth = by_differences(f, x)
        np.testing.assert_allclose(sg.compile(f, "g")(x), sg.grad(f)(x), rtol=1e-10)
        np.testing.assert_allclose(formula(x=x), f(x), rtol=1e-12)
        np.testing.assert_allclose(sg.hessian(f)(x), truth, atol=1e-7 * (1 + np.abs(truth).max()))
    assert "a program runs" in sg.hessian(f).plan(POINTS[0])


def test_a_formula_of_a_constant_that_was_written_after_its_use_is_refused():
    def f(x):
        c = sg.ones(4, dtype=sg.float64)
        y = x + c
        c.mul_(5.0)
        return (y**3).sum()

    for ask in (lambda: sg.formula(f, sg.symbol("x", 4)), lambda: sg.grad(f).formula(POINTS[0])):
        with pytest.raises(sg.FormulaError, match="written after it was used"):
            ask()


def matrices(rounds):
    """A loop in which each matrix is read in two places, one of which wants it transposed."""

    def f(x):
        s, u = np.array([[1.0, 0.5], [0.2, 0.8]]) * x[1], np.array([[1.0, 0.5], [0.2, 0.8]])
        h = s * s
        for _ in range(rounds):
            s = np.log1p(u**2) + np.tanh(h)
            u = np.log1p((h * x[0]) ** 2) + np.log1p((h * 0.3) ** 2)
            h = s * 0.7 + 0.1 * h
        return s.sum() + h.sum()

    return f


def test_what_is_read_in_many_places_is_turned_once(monkeypatch):
    calls, own = [], normal_form.ascending
    monkeypatch.setattr(normal_form, "ascending", lambda *args: calls.append(1) or own(*args))
    counts = []
    for rounds in (4, 8):
        calls.clear()
        f, x = matrices(rounds), np.array([0.3, 0.7])
        np.testing.assert_allclose(sg.compile(f, "h")(x), sg.hessian(f)(x), rtol=1e-9)
        counts.append(len(calls))
    assert counts[1] < 3 * counts[0]


def test_an_identity_that_a_sum_has_alone_and_beside_a_unit_vector_is_written():
    def function(x):
        v = x.reshape(2, 2) * 1
        v[1:] *= x.reshape(2, 2)[:-1]
        spread = v.var(0)
        return (spread * spread).mean() + np.log(np.exp(v).sum(0)).sum() ** 2

    compiled_agrees(function)
    compiled_agrees(lambda x: (np.stack([x[:2], x[:2] * x[2:]]).var(0) ** 2).sum())


def added_at(x):
    sums, table = np.zeros_like(x[:3]), x * 0.0
    np.add.at(sums, LABELS, x**2)
    np.subtract.at(sums, (np.array([1, 1]),), np.sin(x[:2]))
    np.add.at(table, np.array([True, False, True, True]), x[1:])
    np.add.at(table, [0, 0], 2.0)
    np.add.at(table, np.array([], int), x[:0])
    return (sums**3).sum() + (table**2 * x).sum()


def groups_step_by_step(x):
    sums = x[:3] * 0.0
    for step in range(20):
        np.add.at(sums, [step % 3, (step + 1) % 3], 0.3 * x[:2] * np.sin(sums[step % 3] + x[2]))
    return (sums**2).sum()


@pytest.mark.parametrize("f", [added_at, groups_step_by_step])
def test_what_is_added_at_places_in_place_has_a_program(f):
    compiled_agrees(f)


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply])
def test_places_that_depend_on_values_are_no_constants_of_a_program(ufunc):
    def function(x, places=None):
        sums = np.ones_like(x) * x[0]
        ufunc.at(sums, np.argsort(x)[:2] if places is None else places, x[:2] ** 2)
        return (sums * np.arange(1.0, 5.0)).sum()

    with pytest.raises(sg.SymbolicBranchError, match=f"the places of np.{ufunc.__name__}.at"):
        sg.compile(function)(POINTS[0])
    hessian, gradient = sg.hessian(function), sg.grad(function)
    for x in np.random.default_rng(0).normal(size=(150, 4)):  # again and again: it may not be run from what was found
        fixed = functools.partial(function, places=np.argsort(x)[:2])
        np.testing.assert_allclose(hessian(x), sg.hessian(fixed)(x), atol=1e-12)
        np.testing.assert_allclose(gradient(x), sg.grad(fixed)(x), atol=1e-12)
