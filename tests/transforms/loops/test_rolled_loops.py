"""Loops in Python whose second derivatives take them as one operation: found on the tape, and right, or left alone."""

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp
from symgrad import _limits
from symgrad.core import reachable
from symgrad.transforms import products, tape_route
from symgrad.transforms.loops import recurrences

from ...helpers.cases import one_in

RNG = np.random.default_rng(5)
N = 40
RETURNS = RNG.normal(size=N) * 0.1
SERIES = np.cumsum(RNG.normal(size=N))


def garch(p):
    w, a, b = p[0], p[1], p[2]
    s, loss = 0.01, 0.0
    for e in RETURNS:
        loss = loss + np.log(s) + e * e / s
        s = w + a * e * e + b * s
    return loss


def kalman(p):
    a, P, loss = 0.0, np.exp(p[0]), 0.0
    for y in SERIES:
        P = P + np.exp(p[0])
        F = P + np.exp(p[1])
        K, e = P / F, y - a
        loss = loss + 0.5 * (np.log(F) + e * e / F)
        a, P = a + K * e, P * (1 - K)
    return loss


def collected(p):
    h, hs = 0.1, []
    for t in range(N):
        h = np.tanh(p[0] * h + RETURNS[t] * p[1])
        hs.append(h)
    return (np.stack(hs) ** 2).sum() + hs[3] * hs[-1]


def of_entries(p):
    c, loss = 0.3, 0.0
    for t in range(N):
        c = np.sin(c) * 0.8 + p[t]
        loss = loss + c * c * SERIES[t]
    return loss


def vectors(p):
    W, h = p.reshape(3, 3), np.zeros(3)
    for t in range(N):
        h = np.tanh(W @ h + np.cos(t * np.arange(3.0)))
    return (h**2).sum()


def matrices(p):
    A, P, loss = np.array([[0.9, 0.2], [-0.1, 0.8]]) * p[0], np.eye(2), 0.0
    for q in RETURNS**2:
        P = A @ P @ A.T + (q + p[1]) * np.eye(2)
        loss = loss + np.log(P[0, 0] * P[1, 1] - P[0, 1] * P[1, 0])
    return loss


def by_where(p):
    x, loss = p[2], 0.0
    for _ in range(N):
        x = np.where(x > 0.5, p[0] * x * (1 - x), p[1] * x)
        loss = loss + x * x
    return loss


def newton(p):
    x = p[0]
    for _ in range(N):
        x = x - 0.3 * (np.exp(x) - p[1]) / (1 + np.exp(x))
    return x**3


def two_loops(p):
    s, m = 0.1, 0.2
    for e in RETURNS:
        s = p[0] * s + p[1] * e
    for e in RETURNS:
        m = np.sin(m) * p[2] + s * e
    return m * s


def around_and_after(p):
    z = np.exp(np.sin(p) * 2 - 1).sum()
    c = z
    for e in RETURNS:
        c = c * p[0] + np.cos(c) * e
    return np.log1p(c**2) + (p * c).prod()


def pieces(p):  # an array of objects, of which each is squared, and added to the others
    hs = [p[2]]
    for e in RETURNS:
        hs.append(np.tanh(p[0] * hs[-1] + p[1] * e))
    return (np.array(hs) ** 2).sum()


def two_columns(p):
    X = snp.zeros((N, 2))
    X[0] = p[:2]
    for t in range(1, N):
        X[t, 0] = np.tanh(p[2] * X[t - 1, 1] + RETURNS[t])
        X[t, 1] = np.sin(p[0] * X[t - 1, 0])
    return (X[:, 0] * X[:, 1] ** 2).sum() + X[-1, 0]


def rows(p):
    X, A = snp.zeros((N, 2)), p.reshape(2, 2)
    X[0] = p[:2]
    for t in range(1, N):
        X[t] = np.tanh(A @ X[t - 1] + RETURNS[t])
    return (X**2).sum()


def with_a_condition(p):  # on data; and the last round ends within a sum
    s, h, loss = 0.3, 0.2, 0.0
    for e in RETURNS:
        s = np.tanh(s * p[0]) - np.tanh(h * p[1])
        loss = loss - np.exp(-(h**2)) * s
        loss = loss + s**2 * e
        s = np.where(e > 0, s, s * p[2])
        h = 0.7 * s + 0.1 * h
    return s + loss


def rounds_of_their_own(p):
    every = [np.exp(p[0] * e) + np.sin(p[1] + e) for e in RETURNS]
    total = 0.0
    for k in range(1, N):
        total = total + every[k] * every[k - 1] ** 2
    return total


def test_the_plan_tells_of_a_loop():
    p = np.array([0.001, 0.1, 0.8])
    assert "rounds of a loop are one operation: 354 that were recorded become" in sg.hessian(garch).plan(p)
    assert "rounds" not in sg.hessian(lambda p: (p**3).sum()).plan(p)


CASES = {
    "garch": (garch, [0.001, 0.1, 0.8]), "kalman": (kalman, [0.1, -0.3]), "collected": (collected, [0.9, 0.4]),
    "entries": (of_entries, RNG.normal(size=N) * 0.3), "vectors": (vectors, RNG.normal(size=9) * 0.4),
    "matrices": (matrices, [0.9, 0.2]), "where": (by_where, [3.6, 1.4, 0.3]), "newton": (newton, [0.5, 2.0]),
    "pieces": (pieces, [0.9, 0.4, 0.2]), "two columns": (two_columns, [0.7, 0.4, 0.5]),
    "rows": (rows, [0.7, 0.4, 0.5, 0.3]), "a condition": (with_a_condition, [0.7, 0.4, 0.5]),
    "rounds of their own": (rounds_of_their_own, [0.7, 0.4]),
    "two loops": (two_loops, [0.7, 0.4, 0.5]), "around": (around_and_after, [0.7, 0.4, 0.5]),
}  # fmt: skip
WAYS = {
    "hessian": lambda f, x: sg.hessian(f)(x),
    "hvp": lambda f, x: sg.hvp(f, x, np.cos(np.arange(x.size))),
    "hvp of a hvp": lambda f, x: sg.hvp(lambda x: sg.hvp(f, x, np.ones(x.size)).sum(), x, np.cos(np.arange(x.size))),
}


def rolled_or_not(f, monkeypatch):
    """The result where loops are looked for (and what was found), and where they are not."""
    found = []

    def spied(output):
        made = recurrences.rolled(output)
        found.append((None if made is output else made, output))
        return made

    for limit, value in (("NODES", 0), ("PRODUCT_NODES", 0), ("ROLLED", 20), ("ROUNDS", 4)):
        monkeypatch.setattr(_limits, limit, value)
    for module in (tape_route, products):
        monkeypatch.setattr(module, "rolled", spied)
    ours = np.asarray(f())
    for module in (tape_route, products):
        monkeypatch.setattr(module, "rolled", lambda output: output)
    return ours, np.asarray(f()), found


@one_in(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_a_loop_in_python_is_one_operation(case, way, monkeypatch):
    f, x = CASES[case]
    x = np.asarray(x, float)
    ours, tape, found = rolled_or_not(lambda: WAYS[way](f, x), monkeypatch)
    np.testing.assert_allclose(ours, tape, rtol=1e-8, atol=1e-10 * np.abs(tape).max())
    made, output = next((made, output) for made, output in found if made is not None)
    assert len(reachable([made._node])[0]) < len(reachable([output._node])[0])


def test_the_graph_grows_with_the_round_and_not_with_their_number():
    sizes = []
    for n in (100, 400):
        p = sg.tensor([0.9, 0.1], requires_grad=True)
        c, loss = 0.1, 0.0
        for e in np.resize(RETURNS, n):
            c = p[0] * c + p[1] * e
            loss = loss + sg.exp(c)
        sizes.append(len(reachable([recurrences.rolled(loss)._node])[0]))
    assert sizes[0] == sizes[1] < 60


def reads_two_back(p):
    a, b = 0.1, 0.2
    for e in RETURNS:
        a, b = b, p[0] * b + p[1] * a + e * np.sin(a)
    return b**2


def changes_its_mind(p):
    x, loss = p[0], 0.0
    for t in range(N):
        x = np.sin(x * p[1]) if t % 3 else np.cos(x + p[1])
        loss = loss + x
    return loss


def grows(p):
    xs = [p[0]]
    for _ in range(N):
        xs.append(np.sin(sum(xs[-3:]) * p[1]))
    return np.stack(xs).sum()


def wide(p):
    x = np.linspace(0, 1, 50) * p[0]
    for e in RETURNS:
        x = np.tanh(x * p[1] + e)
    return x.sum()


def counted(p):
    x = p[0]
    for t in range(N):
        x = (x * p[1]) ** (1 + t % 2) + t * 0.01
    return x


def widens(p):
    x, total = np.sin(np.outer(np.linspace(-1, 1, N), p)).sum(1), 0.0
    for t in range(1, N):
        total = total + np.tanh(x[:t].sum() + total * 0.1)
    return total


def chooses_entries(p):
    s = np.linspace(-1, 1, 6) * p[0]
    for e in RETURNS:
        s = np.tanh(s * p[1] + e) + s[s > 0].sum() * 0.1
    return s.sum()


def lengthens(p):
    s = np.ones(1) * p[0]
    for _ in range(N):
        s = np.concatenate([s, s[:1] * p[1]]) * p[0]
    return s.sum()


@pytest.mark.parametrize(
    "f", [widens, chooses_entries, lengthens, reads_two_back, changes_its_mind, grows, wide, counted]
)
def test_what_is_no_simple_recurrence_has_the_same_numbers(f, monkeypatch):
    x = np.array([0.4, 0.7])
    ours, tape, _ = rolled_or_not(lambda: sg.hessian(f)(x), monkeypatch)
    np.testing.assert_allclose(ours, tape, rtol=1e-8, atol=1e-10 * np.abs(tape).max())


def test_hooks_in_a_loop_stop_it_from_being_taken_for_one(monkeypatch):
    for limit, value in (("ROLLED", 20), ("ROUNDS", 4)):
        monkeypatch.setattr(_limits, limit, value)
    p, c = sg.tensor(0.9, requires_grad=True), sg.tensor(0.1)
    for e in RETURNS:
        c = p * c + sg.sin(c) * e
    assert recurrences.rolled(c) is not c
    d = p * c
    d.register_hook(lambda g: 2 * g)
    assert recurrences.rolled(d) is d


def test_what_was_written_to_is_left_to_the_tape():
    x = sg.tensor(np.full(4, 0.5), requires_grad=True)
    c = x * 1
    for e in np.resize(RETURNS, 200):
        c = c * x + e
    loss = c.sum()
    assert recurrences.rolled(loss) is not None
    with sg.no_grad():
        x.mul_(2.0)
    assert recurrences.rolled(loss) is loss


@one_in(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_recurrences(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    unary = [np.sin, np.tanh, lambda v: np.exp(-v * v), lambda v: v / (1 + v * v), np.cos, lambda v: 0.5 * v]
    size, numbers = int(rng.integers(1, 4)), rng.normal(size=(N, 3))
    plan = [
        (int(rng.integers(6)), int(rng.integers(size)), int(rng.integers(3)), int(rng.integers(3))) for _ in range(4)
    ]

    def f(p):
        state, loss = [0.1 * (k + 1) for k in range(size)], 0.0
        for row in numbers:
            for u, k, j, i in plan:
                state[k] = unary[u](state[k] * p[j] + row[i] * state[(k + 1) % size])
            loss = loss + state[0] * row[0]
        return loss + state[-1]

    x = rng.normal(size=3) * 0.5
    ours, tape, _ = rolled_or_not(lambda: sg.hessian(f)(x), monkeypatch)
    np.testing.assert_allclose(ours, tape, rtol=1e-7, atol=1e-9 * np.abs(tape).max())


@pytest.mark.parametrize("zero", [True, False])
def test_a_loop_is_found_whatever_its_loss_is(zero, monkeypatch):
    """A tensor is asked for nothing: one of value 0 is false."""
    for limit, value in (("NODES", 0), ("PRODUCT_NODES", 0), ("ROLLED", 20), ("ROUNDS", 4)):
        monkeypatch.setattr(_limits, limit, value)
    seen = []
    for module in (tape_route, products):
        monkeypatch.setattr(module, "rolled", lambda output: seen.append(recurrences.rolled(output)) or seen[-1])

    def f(x):
        c = x[0] * 0
        for e in RETURNS:
            c = c * x[0] + e * x[1]
        return (c - c * (1 if zero else 0.5)) * x[1]

    x = np.array([0.9, 0.1])
    sg.hessian(f)(x), sg.hvp(f, x, np.ones(2))
    assert seen and all(len(reachable([made._node])[0]) < 60 for made in seen)


@pytest.mark.parametrize("length", [0, 3])
def test_a_scan_of_no_rounds_collects_arrays_of_no_rows(length):
    def step(c, row):
        return c + row.sum(), {"each": row * c, "sum": row.sum()}

    last, got = sg.scan(step, np.array(1.0), np.ones((length, 2)))
    assert last == 1.0 + 2 * length
    assert got["each"].shape == (length, 2) and got["sum"].shape == (length,)
    assert sg.grad(lambda c: sg.scan(step, c, np.ones((length, 2)))[0] * 3)(np.array(1.0)) == 3.0
    assert sg.scan(lambda c, _: (c, None), 1.0, length=0) == (1.0, None)


@pytest.mark.parametrize(
    "collect", [lambda c, x: c > 0, lambda c, x: 3, lambda c, x: c, lambda c, x: x, lambda c, x: 1j]
)
def test_what_no_rounds_collect_has_the_dtype_of_what_rounds_collect(collect):
    step = lambda c, x: (c, collect(c, x))
    none, one = [np.asarray(sg.scan(step, 0.7, np.zeros(n))[1]) for n in (0, 1)]
    assert none.dtype == one.dtype and none.shape == (0,)
