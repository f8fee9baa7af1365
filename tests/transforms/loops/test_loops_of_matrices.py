"""Loops whose rounds solve small systems, and loops that carry many numbers: programs of a round, beside the tape.

The idea to hold: the truth is the tape with no loop found, and where a matrix is singular the error is the tape's.
"""

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp
from symgrad import _limits
from symgrad.programs.loops.scalars import BINARY, FUNCTIONS, TRUTHS, NotScalar, Steps, run

RNG = np.random.default_rng(11)
N = 60
SEEN = RNG.normal(size=(N, 2))
P = np.array([0.1, 0.9, -1.0, -0.5])


def filtered(p, update):
    F = np.array([[1.0, p[0]], [0.0, p[1]]])
    Q, R = np.exp(p[2]) * np.eye(2), np.exp(p[3]) * np.eye(2)
    m, V, total = np.zeros(2), np.eye(2), 0.0
    for y in SEEN:
        m, V = F @ m, F @ V @ F.T + Q
        K, term = update(V + R, V, y - m)
        total = total - term
        m, V = m + K @ (y - m), V - K @ V
    return -total


def by_inverses(S, V, v):
    return V @ np.linalg.inv(S), 0.5 * (np.log(np.linalg.det(S)) + v @ np.linalg.solve(S, v))


def by_logarithms(S, V, v):
    inverse = np.linalg.inv(S)
    return V @ inverse, 0.5 * (np.linalg.slogdet(S)[1] + v @ inverse @ v)


def by_factors(S, V, v):
    L = np.linalg.cholesky(S)
    return np.linalg.solve(S, V).T, np.log(np.diag(L)).sum() + 0.5 * v @ np.linalg.solve(S, v)


def rod(p):  # of 40 numbers
    u = np.exp(-p[0] * np.linspace(-0.5, 0.5, 40) ** 2)
    for _ in range(30):
        u = u + 0.2 * p[1] * np.concatenate([[0.0], u[2:] - 2 * u[1:-1] + u[:-2], [0.0]]) + 0.01 * u * (p[2] - u)
    return ((u - 0.3) ** 2).sum()


FILTERS = {update.__name__: update for update in (by_inverses, by_logarithms, by_factors)}


@pytest.mark.parametrize("update", FILTERS)
def test_a_filter_of_two_numbers_is_a_loop(update):
    def f(p):
        return filtered(p, FILTERS[update])

    truth = sg.hessian(f).by_recording((P,), {})
    compiled = sg.compile(f, "h")
    np.testing.assert_allclose(compiled(P), truth, rtol=1e-9, atol=1e-9 * np.abs(truth).max())
    assert "def steps_loop0" in compiled.code(P) and len(compiled.code(P).splitlines()) < 6000
    elsewhere = P + 0.1
    truth = sg.hessian(f).by_recording((elsewhere,), {})
    np.testing.assert_allclose(compiled(elsewhere), truth, rtol=1e-9, atol=1e-9 * np.abs(truth).max())


def test_a_function_that_is_asked_again_has_the_program_of_a_wide_loop(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", 4)
    x, H = np.array([30.0, 0.9, 1.0]), sg.hessian(rod)
    truth, runs = H.by_recording((x,), {}), []
    watched = sg.hessian(lambda p: (runs.append(0), rod(p))[1])  # runs that leave something behind stay runs
    for _ in range(8):
        found = H(x)
        watched(x)
    assert len(runs) == 8
    assert H._repeated._ready is not None
    np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-12)


def test_rounds_found_in_the_middle_of_one_take_in_the_last(monkeypatch):
    def f(p):
        a, s = p[0], 0.0
        for e in SEEN[:, 0]:
            s = s - np.log(1 + a * a) * e
            a = np.sin(a) * p[1] + e
            s = 1.0 - s * p[2]
        return s

    compiled, x = sg.compile(f, "fgh"), np.array([0.3, 0.8, 0.9])
    value, slope, H = compiled(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(slope, sg.grad(f).by_recording((x,), {}), rtol=1e-9)
    np.testing.assert_allclose(H, sg.hessian(f).by_recording((x,), {}), rtol=1e-9, atol=1e-12)
    assert f"range({N})" not in compiled.code(x) and "steps_loop0" in compiled.code(x)


def test_the_last_rounds_lack_what_nobody_reads():
    def f(p):  # a season of twelve, of which the last rounds set what no round reads
        level, seasons, total = p[0], list(p[2:14]), 0.0
        for t, y in enumerate(SEEN[:, 0]):
            total = total + (y - level - seasons[t % 12]) ** 2
            level = level + p[1] * (y - seasons[t % 12])
            seasons[t % 12] = 0.3 * (y - level) + np.tanh(seasons[t % 12])
        return total

    compiled, x = sg.compile(f, "fgh"), RNG.normal(size=14) * 0.3
    value, slope, H = compiled(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(slope, sg.grad(f).by_recording((x,), {}), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(H, sg.hessian(f).by_recording((x,), {}), rtol=1e-9, atol=1e-11)
    assert "steps_loop0" in compiled.code(x) and len(compiled.code(x).splitlines()) < 1000


def test_a_round_with_a_singular_matrix_is_the_tapes_error():
    def f(p):
        a, total = p[0], 0.0
        for e in SEEN[:, 0]:
            A = np.block([[a, 1.0], [p[1], 1.0]])
            total = total + (np.linalg.inv(A) @ np.array([1.0, e])).sum()
            a = a + p[2]
        return total

    compiled, x = sg.compile(f, "h"), np.array([5.0, 3.0, 0.1])
    np.testing.assert_allclose(compiled(x), sg.hessian(f).by_recording((x,), {}), rtol=1e-8)
    singular = np.array([5.0, 5.0 + 7 * 0.125, 0.125])
    with pytest.raises(np.linalg.LinAlgError, match="(?i)singular"):
        compiled(singular)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("line", [
    "B = np.linalg.inv(A)", "B = np.linalg.solve(A, b)", "B = np.linalg.det(A)", "B = np.linalg.slogdet(A)[1]",
    "B = np.linalg.slogdet(A)[0]", "B = np.linalg.cholesky(A @ A.T)", "B = np.linalg.inv(np.stack([A, A.T]))",
])  # fmt: skip
def test_small_matrices_number_by_number(n, line):
    A, b = RNG.normal(size=(n, n)), RNG.normal(size=n)
    truth = {"np": np, "A": A, "b": b}
    exec(line, truth)
    steps = Steps()
    symbols = {"A": np.empty((n, n), object), "b": np.empty(n, object)}
    values = {}
    for name, array in (("A", A), ("b", b)):
        for place, number in np.ndenumerate(array):
            made = symbols[name][place] = steps.input(f"{name}{place}")
            values[made.number] = number
    (found,) = run([line], steps, symbols, ["B"])
    for step in steps.every:
        if step.number not in values:
            values[step.number] = float(computed(step, values))
    got = [values[v.number] if hasattr(v, "number") else v for v in np.asarray(found, object).reshape(-1)]
    np.testing.assert_allclose(np.reshape(got, np.shape(truth["B"])), truth["B"], rtol=1e-10, atol=1e-12)


def computed(step, values):
    args = [values[a.number] if hasattr(a, "number") else a for a in step.args]
    known = {"neg": lambda a: -a, **{sign: row[2] for sign, row in BINARY.items()}}
    known |= {name: row[1] for name, row in (*FUNCTIONS.items(), *TRUTHS.items())}
    return known[step.op](*args)


@pytest.mark.parametrize("small", [1e-2, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8])
def test_digits_that_cofactors_lose_are_the_tapes(small):
    """Two small eigenvalues: a determinant by its terms has lost the square of what pivots lose."""

    def f(p):
        total = 0.0
        for e in SEEN[:, 0]:
            S = p[1] * np.ones((3, 3)) + p[0] * np.eye(3)
            total = total + np.linalg.slogdet(S)[1] * e**2
        return total

    compiled = sg.compile(f, "fg")
    compiled(np.array([0.5, 1.0]))
    value, slope = compiled(np.array([small, 1.0]))
    weight, rtol = (SEEN[:, 0] ** 2).sum(), 1e-12 + 4 * 2**-52 * 3 / small  # some roundings times the condition
    np.testing.assert_allclose(value, weight * (2 * np.log(small) + np.log(small + 3)), rtol=rtol)
    np.testing.assert_allclose(slope, weight * np.array([2 / small + 1 / (small + 3), 3 / (small + 3)]), rtol=rtol)


@pytest.mark.parametrize("outputs", ["f", "fg"])
@pytest.mark.parametrize("small", [1e-4, 1e-6, 1e-7])
def test_small_determinants_have_the_digits_of_pivots(outputs, small):
    compiled = sg.compile(lambda p: np.linalg.det(p[1] * np.ones((3, 3)) + p[0] * np.eye(3)), outputs)
    compiled(np.array([0.5, 1.0]))
    found = compiled(np.array([small, 1.0]))
    rtol = 1e-12 + 4 * 2**-52 * 3 / small
    np.testing.assert_allclose(found if outputs == "f" else found[0], small**2 * (small + 3), rtol=rtol)
    if outputs == "fg":
        np.testing.assert_allclose(found[1], [3 * small**2 + 6 * small, 3 * small**2], rtol=rtol)


@pytest.mark.parametrize("outputs", ["f", "fgh"])
def test_signs_and_factors_that_there_are_not_are_numpys(outputs):
    def sign(p):
        return np.linalg.slogdet(snp.array([[p[0], p[1]], [p[1], p[2]]]))[0] * p[0]

    compiled = sg.compile(sign, outputs)
    for x in ([1.0, 0.2, 1.0], [1.0, 1.0, 1.0], [1.0, 2.0, 1.0]):
        found = compiled(np.array(x))
        assert (found if outputs == "f" else found[0]) == sign(np.array(x))

    def factor(p):
        return np.linalg.cholesky(snp.array([[p[0], p[1]], [p[1], p[2]]]))[1, 0]

    compiled = sg.compile(factor, outputs)
    compiled(np.array([1.0, 0.2, 1.0]))
    for x in ([1.0, 2.0, 1.0], [1.0, 1.0, 1.0], [1.0, 0.1, -1.0]):
        with pytest.raises(np.linalg.LinAlgError):
            compiled(np.array(x))


def test_determinants_near_the_least_floats_are_the_tapes():
    def f(p):
        return sum(np.linalg.slogdet(p[0] * np.array([[2.0, 1.0], [1.0, e + 4]]))[1] for e in SEEN[:, 0])

    compiled = sg.compile(f, "fg")
    compiled(np.array([1.0]))
    for small in (1e-140, 1e-150, 1e-160):
        x = np.array([small])
        np.testing.assert_allclose(compiled(x)[0], f(x), rtol=1e-13)
        np.testing.assert_allclose(compiled(x)[1], [2 * N / small], rtol=1e-12)


def test_larger_matrices_are_not_known_number_by_number():
    steps = Steps()
    A = np.empty((4, 4), object)
    for place in np.ndindex(A.shape):
        A[place] = steps.input(f"a{place}")
    for line in ("B = np.linalg.inv(A)", "B = np.linalg.eigh(A)"):
        with pytest.raises(NotScalar):
            run([line], steps, {"A": A}, ["B"])
