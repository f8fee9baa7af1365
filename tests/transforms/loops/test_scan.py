"""`sg.scan`: a loop as one operation is the loop as Python runs it, to every order, or is left to Python."""

import gc
import weakref

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.transforms.loops import scan, scan_course

from ...helpers.cases import one_in

RNG = np.random.default_rng(3)
RETURNS = RNG.normal(size=24) * 0.1
SERIES = np.cumsum(RNG.normal(size=24))
INPUTS = RNG.normal(size=(24, 2))


def garch(p):
    def step(s, e):
        s = p[0] + p[1] * e * e + p[2] * s
        return s, np.log(s) + e * e / s

    return sg.scan(step, 0.01, RETURNS)[1].sum()


def kalman(p):
    def step(state, y):
        a, P = state
        P = P + np.exp(p[0])
        F = P + np.exp(p[1])
        K = P / F
        return (a + K * (y - a), P * (1 - K)), np.log(F) + (y - a) ** 2 / F

    (a, P), terms = sg.scan(step, (p[2], np.exp(p[0])), SERIES)
    return terms.sum() + a * P


def network(p):
    W, U = p[:4].reshape(2, 2), p[4:8].reshape(2, 2)
    h, hs = sg.scan(lambda h, x: ((h2 := np.tanh(W @ h + U @ x)), h2), p[8:], INPUTS)
    return (hs**2).sum() + h[0] * h[1]


def matrix_state(p):
    A = np.array([[0.9, 0.1], [-0.2, 0.8]]) * p[0]
    P, logs = sg.scan(
        lambda P, q: ((N := A @ P @ A.T + q * p[1] * np.eye(2)), np.log(np.trace(N))), np.eye(2), RETURNS**2 + 1
    )
    return logs.sum() + P[0, 1]


def chosen(p):  # a branch on values, by where
    return sg.scan(lambda x, _: (np.where(x > 0.5, p[0] * x * (1 - x), p[1] * x), x * x), p[2], length=20)[1].sum()


def branches(p):  # ... and by Python
    return sg.scan(lambda x, e: ((p[0] * x if e > 0 else np.sin(p[1] * x) + 0.1), x), p[2], RETURNS)[1].sum()


def backwards(p):
    carry, ys = sg.scan(lambda c, x: (c * p[0] + x["a"] * x["b"], c), p[1], {"a": RETURNS, "b": SERIES}, reverse=True)
    return carry**2 + (ys * np.arange(24)).sum()


def by_data(p):  # what is differentiated comes in slices
    return sg.scan(lambda c, x: (np.tanh(c + x), c * x), 0.3, p)[1].sum() ** 2


def of_attribute(p):
    class Model:
        gain = p[0]

        def step(self, c, x):
            return self.gain * c + x, np.sin(c)

    return sg.scan(Model().step, p[1], RETURNS)[1].sum()


def twice(p):  # one loop feeds another
    _, first = sg.scan(lambda c, x: (p[0] * c + x, c), 0.1, RETURNS)
    c, second = sg.scan(lambda c, x: (p[1] * c * c + x, c * x), p[2] * first[-1], first)
    return second.sum() + c


def only_last(p):
    return sg.scan(lambda c, x: (np.sin(p[0] * c) + p[1] * x, None), 0.2, RETURNS)[0]


CASES = {
    "garch": (garch, [0.001, 0.1, 0.8]), "kalman": (kalman, [0.1, -0.3, 0.5]),
    "network": (network, RNG.normal(size=10) * 0.4), "matrix state": (matrix_state, [0.9, 0.4]),
    "where": (chosen, [3.6, 1.4, 0.3]), "branches": (branches, [0.9, 1.1, 0.4]), "backwards": (backwards, [0.9, 0.2]),
    "by data": (by_data, RNG.normal(size=24)), "attribute": (of_attribute, [0.8, 0.3]),
    "twice": (twice, [0.7, 0.4, 0.5]), "only the last": (only_last, [0.9, 0.3]),
}  # fmt: skip
WAYS = {
    "value": lambda f: lambda x: f(x),
    "grad": sg.grad,
    "hessian": sg.hessian,
    "hvp": lambda f: lambda x: sg.hvp(f, x, np.cos(np.arange(x.size))),
    "jvp": lambda f: lambda x: sg.jvp(f, (x,), (np.cos(np.arange(x.size)),))[1],
    "jacfwd of jacrev": lambda f: sg.jacfwd(sg.jacrev(f)),
    "third": lambda f: lambda x: sg.grad(lambda x: (sg.grad(lambda x: (sg.grad(f)(x) ** 2).sum())(x)).sum())(x),
    "taylor": lambda f: lambda x: sg.taylor(lambda t: f(x + t * 0.1), 0.0, 3),
}  # fmt: skip


STEP_BY_STEP = {"branches", "attribute"}  # a course that hangs on values, and what a class remembers


def in_both_ways(f, monkeypatch):
    """What a function gives where loops are one operation (and how many were), and step by step; by programs of their
    steps, where there are any, it gives the same."""
    count, record = [], scan_course.Body.record
    with monkeypatch.context() as patched:
        patched.setattr(_limits, "SCAN_STEPS", 2)
        patched.setattr(_limits, "SCAN_PROGRAMMED", 0)
        patched.setattr(scan, "_known", {})
        by_programs = f()

    def counted(*args):
        found = record(*args)
        count.append(found)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(_limits, "SCAN_STEPS", 2)
        patched.setattr(_limits, "SCAN_PROGRAMMED", 10**9)
        patched.setattr(scan, "_known", {})
        patched.setattr(_limits, "ROLLED", 10**9)  # what goes step by step is not to be found again and counted
        patched.setattr(scan_course.Body, "record", counted)
        rolled = f()
    np.testing.assert_allclose(by_programs, rolled, rtol=1e-8, atol=1e-10)
    with monkeypatch.context() as patched:
        patched.setattr(_limits, "SCAN_STEPS", 10**9)
        return rolled, f(), count


@one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
def test_a_loop_as_one_operation_is_the_loop_step_by_step(case, way, monkeypatch):
    f, x = CASES[case]
    x = np.asarray(x, float)
    rolled, by_steps, count = in_both_ways(lambda: np.asarray(WAYS[way](f)(x)), monkeypatch)
    np.testing.assert_allclose(rolled, by_steps, rtol=1e-8, atol=1e-10)
    assert (way == "value" or case in STEP_BY_STEP) == (not count)


def test_a_tensor_goes_through_a_loop_and_back():
    a = sg.tensor(0.9, requires_grad=True, name="a")
    x = sg.tensor(RETURNS, requires_grad=True)
    last, ys = sg.scan(lambda c, e: (a * c + e, c * c), sg.tensor(0.1, requires_grad=True), x)
    assert isinstance(last, sg.Tensor) and tuple(ys.shape) == (24,)
    loss = last**2 + ys.sum()
    loss.backward(retain_graph=True)
    first = a.grad.clone(), x.grad.clone()
    loss.backward()
    np.testing.assert_allclose(a.grad, 2 * first[0])
    np.testing.assert_allclose(x.grad, 2 * first[1])
    with pytest.raises(sg.GraphFreedError):
        loss.backward()
    assert sg.autograd.gradcheck(lambda a, x: sg.scan(lambda c, e: (a * c + e, c * c), 0.1, x), (a, x))
    assert sg.autograd.gradgradcheck(lambda a, x: sg.scan(lambda c, e: (a.sin() * c + e, c * c), 0.1, x), (a, x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_stay(dtype):
    a = sg.tensor(0.9, requires_grad=True, dtype=dtype)
    last, ys = sg.scan(lambda c, e: (a * c + e, c * c), np.asarray(0.1, dtype), RETURNS.astype(dtype))
    assert last.dtype == ys.dtype == dtype
    (last + ys.sum()).backward()
    assert a.grad.dtype == dtype


def test_a_long_loop_is_a_short_graph():
    a = sg.tensor(0.5, requires_grad=True)
    nodes = []
    for n in (20, 200):
        last, _ = sg.scan(lambda c, e: (a * c + e, None), 0.0, np.ones(n))
        todo, seen = [last.grad_fn], set()
        while todo:
            node = todo.pop()
            if node is not None and node not in seen:
                seen.add(node)
                todo += [p for p, _ in node.next_functions]
        nodes.append(len(seen))
    assert nodes[0] == nodes[1] < 20


def test_the_loop_is_let_go():
    def made():
        a = sg.tensor(np.ones(3), requires_grad=True)
        last, _ = sg.scan(lambda c, e: (a * c + e, None), np.zeros(3), np.ones((20, 3)))
        last.sum().backward()
        return weakref.ref(a)

    ref = made()
    gc.collect()
    assert ref() is None


def test_plain_numbers_stay_plain():
    last, ys = sg.scan(lambda c, x: (c + x, {"before": c, "x": x}), 0.0, np.arange(4.0))
    assert type(last) is np.float64 and last == 6
    assert type(ys["before"]) is np.ndarray and ys["before"].tolist() == [0, 0, 1, 3]
    assert sg.scan(lambda c, x: (c, None), 1.0, np.zeros(0)) == (1.0, None)
    assert sg.scan(lambda n, _: (n + 1, n), 0, length=30)[1].tolist() == list(range(30))


def test_a_step_that_counts_its_calls_is_an_error():
    def f(p):
        calls = iter(range(1000))
        return sg.scan(lambda c, e: (p * c + e * next(calls), None), 0.1, RETURNS)[0]

    with pytest.raises(sg.GradientError, match="other numbers when it is called again"):
        sg.grad(f)(0.9)


def test_a_step_that_draws_is_recorded_step_by_step():
    def f(p):
        sg.manual_seed(5)
        return sg.scan(lambda c, e: (p * c + sg.rand(()) * e, None), sg.tensor(0.1), sg.tensor(RETURNS))[0]

    at, h = sg.tensor(0.9), 1e-6
    assert float(sg.grad(f)(at)) == pytest.approx(float(f(at + h) - f(at - h)) / (2 * h), rel=1e-6)


def test_hooks_inside_see_each_step():
    seen = []

    def f(p):
        def step(c, e):
            after = p * c + e
            after.register_hook(lambda g: seen.append(1))
            return after, None

        return sg.scan(step, sg.tensor(0.1), sg.tensor(RETURNS))[0]

    a = sg.tensor(0.9, requires_grad=True)
    f(a).backward()
    assert len(seen) == len(RETURNS)


@pytest.mark.parametrize("at", [np.nan, np.inf])
def test_nan_and_infinity_reach_who_uses_them(at):
    def f(p):
        x = RETURNS.copy()
        x[5] = at
        return sg.scan(lambda c, e: (p * c + e, c), 0.1, x)[1]

    forward, reverse = sg.jacfwd(f)(0.9), sg.jacrev(f)(0.9)
    assert np.isfinite(forward[:6]).all()
    assert not np.isfinite(forward[7:]).any()
    assert not np.isfinite(reverse[7:]).any()


def test_loops_inside_loops_and_batches():
    def inner(p):
        def step(c, e):
            last, _ = sg.scan(lambda d, k: (d * p[0] + k * e, None), c, np.arange(18.0) / 100)
            return np.tanh(last), c

        return sg.scan(step, 0.2, RETURNS)[1].sum()

    x = np.array([0.9])
    h = 1e-5
    assert sg.grad(inner)(x)[0] == pytest.approx((inner(x + h) - inner(x - h)) / (2 * h), rel=1e-6)
    points = np.array([[0.001, 0.1, 0.8], [0.002, 0.2, 0.7]])
    many = sg.vmap(sg.grad(garch))(points)
    np.testing.assert_allclose(many, [sg.grad(garch)(p) for p in points], rtol=1e-9)


def test_symbols_are_written_out():
    a = sg.symbol("a")
    f = lambda p: sg.scan(lambda c, x: (c * p[0] + x, c), p[1], np.ones(18))[0]
    assert "p" in str(sg.formula(f, np.array([0.7, 0.4])))
    recorded = f(sg.tensor([0.7, 0.4], requires_grad=True))
    with pytest.raises(sg.FormulaError, match="recorded as one operation"):
        recorded.formula()
    assert str(sg.formula(lambda a: sg.scan(lambda y, _: (a * y, None), 2.0, length=3)[0], a).grad("a")) == "6a²"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sg.scan(lambda c, x: (c, None), 0.0), "length="),
        (lambda: sg.scan(lambda c, x: (c, None), 0.0, np.zeros(3), 4), r"shapes \(3,\), length is 4"),
        (lambda: sg.scan(lambda c, x: (c, None), 0.0, [np.zeros(3), np.zeros(4)]), r"shapes \(3,\), \(4,\)"),
        (lambda: sg.scan(lambda c, x: (c, None), 0.0, 1.0), r"shapes \(\)"),
        (lambda: sg.scan(lambda c, x: c, 0.0, np.zeros(3)), "as a pair"),
        (lambda: sg.scan(lambda c, x: (c + np.ones(2), None), 0.0, np.zeros(3)), r"step 0 returned shapes \(2,\)"),
        (lambda: sg.scan(lambda c, x: ((c, c), None), 0.0, np.zeros(3)), "another structure"),
    ],
)
def test_errors_say_what_does_not_fit(call, words):
    with pytest.raises(sg.ShapeError, match=words):
        call()


def leaves_a_list(p):
    out = []

    def step(c, x):
        out.append(c * p[1])
        return c * p[0] + x, None

    sg.scan(step, 0.5, RETURNS)
    return sum(v * v for v in out)


def leaves_a_sum(p):
    s = [0.0]

    def step(c, x):
        s[0] = s[0] + c * x
        return c * p[0] + p[1], c

    return sg.scan(step, 0.5, RETURNS)[1].sum() + s[0]


def leaves_a_nonlocal(p):
    total = 0.0

    def step(c, x):
        nonlocal total
        total = total + c * p[1]
        return c * p[0] + x, None

    sg.scan(step, 0.5, RETURNS)
    return total


def writes_to_its_state(p):
    def step(s, x):
        s["a"] = s["a"] * p[1] + x * s["b"]
        s["b"] = np.sin(s["a"])
        return s, s["a"]

    return sg.scan(step, {"a": p[0], "b": p[1]}, RETURNS)[1].sum()


def writes_to_an_array(p):
    def step(c, x):
        c[0] = c[0] * 0.9 + x
        return c, c.sum() * p[0] * p[1]

    return sg.scan(step, np.array([0.1, 0.2]), RETURNS)[1].sum()


def counts_on_an_object(p):
    class Counter:
        n = 0

        def step(self, c, x):
            self.n += 1
            return c * p[0] + x * self.n, c * p[1]

    return sg.scan(Counter().step, 0.1, RETURNS)[1].sum()


@pytest.mark.parametrize(
    "f",
    [leaves_a_list, leaves_a_sum, leaves_a_nonlocal, writes_to_its_state, writes_to_an_array, counts_on_an_object],
)
def test_a_step_that_leaves_something_behind_is_taken_step_by_step(f, monkeypatch):
    x = np.array([0.7, 0.4])
    for way in (lambda f: f, sg.grad, sg.hessian):
        rolled, by_steps, count = in_both_ways(lambda: np.asarray(way(f)(x)), monkeypatch)  # noqa: B023
        np.testing.assert_allclose(rolled, by_steps, rtol=1e-9)
        assert not count


def test_what_only_a_collected_value_hangs_on_is_seen_too():
    def f(p):
        rng = np.random.default_rng(0)
        return sg.scan(lambda c, x: (c * p[0] + x, c * rng.normal()), p[1], RETURNS)[1].sum()

    with pytest.raises(sg.GradientError, match="other numbers when it is called again"):
        sg.grad(f)(np.array([0.7, 0.4]))


def test_buffers_that_a_step_moves_are_moved_once():
    bn = sg.nn.BatchNorm1d(3)
    W = sg.tensor(RNG.normal(size=(3, 3)), requires_grad=True)
    xs = sg.tensor(RNG.normal(size=(24, 4, 3)))
    sg.scan(lambda h, x: (sg.tanh(bn(h @ W.float() + x.float())), None), sg.zeros(4, 3), xs)
    assert int(bn.num_batches_tracked) == 24


def test_values_of_other_kinds_are_collected():
    last, ys = sg.scan(
        lambda c, x: (c * 0.5 + x, {"c": c, "up": True, "n": 3}), sg.tensor(0.1, requires_grad=True), RETURNS
    )
    assert ys["up"].tolist() == [True] * 24
    assert ys["n"].tolist() == [3] * 24
    assert last.requires_grad


def test_what_watches_the_tape_sees_each_step():
    w = sg.tensor(0.9, requires_grad=True)

    def f(w):
        return sg.scan(lambda c, x: (c * w + x, None), sg.tensor(0.1), sg.tensor(RETURNS))[0]

    sg.utils.checkpoint.checkpoint(f, w, use_reentrant=False).backward()
    found = w.grad.clone()
    w.grad = None
    f(w).backward()
    np.testing.assert_allclose(found, w.grad)


class Decay(sg.autograd.Function):
    """exp(-x), by a method that tensors have and numbers have not."""

    @staticmethod
    def forward(ctx, x):
        y = (-x).exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        return -g * ctx.saved_tensors[0]


def test_a_step_may_apply_what_takes_tensors_alone():
    def f(p):
        return sg.scan(lambda c, x: (p[0] * Decay.apply(c) + x, c), p[1], RETURNS)[1].sum()

    def plain(p):
        return sg.scan(lambda c, x: (p[0] * np.exp(-c) + x, c), p[1], RETURNS)[1].sum()

    x = np.array([0.7, 0.4])
    np.testing.assert_allclose(sg.hessian(f)(x), sg.hessian(plain)(x))
    with pytest.raises(sg.GradientError, match="Decay is a user-defined function"):
        sg.compile(f)(x)
