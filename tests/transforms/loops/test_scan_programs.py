"""Loops whose step is a program: they follow all that the step reads, and are left where a program does not do."""

import functools
import gc
import math
import sys
import types
import weakref

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.transforms.calls.reads import FoundValues, NoKey, function_key
from symgrad.transforms.loops import scan, scan_course
from tests.transforms.loops.test_scan import CASES, RETURNS

from ...helpers.cases import one_in

RNG = np.random.default_rng(5)
X = np.array([0.7, 0.4])
TABLE: dict = {}
RATE, RATES = 0.9, np.array([0.9, 0.8])


class Model:
    rate = 0.5


class Number(float):
    rate = 1.0


@pytest.fixture(autouse=True)
def programs(monkeypatch):
    """Programs from the first meeting on; what the test gets is a list of the loops that had one."""
    used, init = [], scan_course.LoopCourse.__init__

    def noted(self, *args):
        used.append(weakref.ref(self))
        init(self, *args)

    monkeypatch.setattr(_limits, "SCAN_STEPS", 2)
    monkeypatch.setattr(_limits, "SCAN_PROGRAMMED", 0)
    monkeypatch.setattr(scan, "_known", {})
    monkeypatch.setattr(scan_course.LoopCourse, "__init__", noted)
    return used


def by_steps(f, monkeypatch):
    """The same where no loop is one operation."""
    with monkeypatch.context() as patched:
        patched.setattr(_limits, "SCAN_STEPS", 10**9)
        patched.setattr(_limits, "ROLLED", 10**9)
        return f()


NO_PROGRAM = {"branches", "attribute"}  # a branch on a value; what an object remembers


@pytest.mark.parametrize("case", CASES)
def test_steps_of_few_numbers_become_programs(case, programs):
    f, x = CASES[case]
    sg.grad(f)(np.asarray(x, float))
    assert bool(programs) == (case not in NO_PROGRAM)


def test_a_program_is_made_when_a_loop_is_met_again(programs, monkeypatch):
    monkeypatch.setattr(_limits, "SCAN_PROGRAMMED", 2)
    f, x = CASES["garch"]
    found = [sg.grad(f)(np.asarray(x)) for _ in range(2)]
    assert not programs
    found += [sg.grad(f)(np.asarray(x)) for _ in range(2)]
    assert len(programs) == 3  # the first time beside a run of the user's step
    np.testing.assert_allclose(found[1:], found[:-1], rtol=1e-12)


def with_number(c):
    return lambda p: sg.scan(lambda s, e: (c * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_array(c):
    weights = np.array([c, 1.0])
    return lambda p: sg.scan(lambda s, e: (weights[0] * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_default(c):
    def step(s, e, p, c=c):
        return c * s * p[0] + e, s * p[1]

    return lambda p: sg.scan(lambda s, e: step(s, e, p), 0.3, RETURNS)[1].sum()


def with_global_number(c):
    global RATE
    RATE = c
    return lambda p: sg.scan(lambda s, e: (RATE * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_global_array(c):
    RATES[0] = c
    return lambda p: sg.scan(lambda s, e: (RATES[0] * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_attribute(c):
    model = Model()
    model.rate = c
    return lambda p: sg.scan(lambda s, e: (model.rate * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_class(c):
    Model.rate = c
    return lambda p: sg.scan(lambda s, e: (Model.rate * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_function(c):
    inner = (lambda s: c * s) if c < 1 else (lambda s: c * s + 0)
    return lambda p: sg.scan(lambda s, e: (inner(s) * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_dictionary(c):
    options = {"rate": {"of": [c]}}
    return lambda p: sg.scan(lambda s, e: (options["rate"]["of"][0] * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_tensor(c):
    rate = sg.tensor(c)
    return lambda p: sg.scan(lambda s, e: (rate * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()


def with_base_class(c):
    class Base:
        rate = c

    class Own(Base):
        pass

    model = Own()
    return lambda p: sg.scan(lambda s, e: (model.rate * s * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_function_attribute(c):
    def helper(s):
        return helper.rate * s

    helper.rate = c
    return lambda p: sg.scan(lambda s, e: (helper(s) * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_import(c):
    module = sys.modules.setdefault("symgrad_test_rates", types.ModuleType("symgrad_test_rates"))
    module.rate = c

    def step(s, e, p):
        from symgrad_test_rates import rate

        return rate * s * p[0] + e, s * p[1]

    return lambda p: sg.scan(lambda s, e: step(s, e, p), 0.0, RETURNS)[1].sum()


def with_module(c):
    module = types.ModuleType("rates")
    module.rate = c
    return lambda p: sg.scan(lambda s, e: (module.rate * s * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_names_looked_up(c):
    global RATE
    RATE = c
    return lambda p: sg.scan(lambda s, e: (globals()["RATE"] * s * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_bound_method(c):
    TABLE["rate"] = c
    get = TABLE.get
    return lambda p: sg.scan(lambda s, e: (get("rate") * s * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_false_name(c):
    @functools.wraps(np.linalg.norm)
    def times(s):
        return c * s

    return lambda p: sg.scan(lambda s, e: (times(s) * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_polynomial(c):
    q = np.polynomial.Polynomial([0.0, c])
    return lambda p: sg.scan(lambda s, e: (q(s) * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_vectorized(c):
    times = np.vectorize(lambda s: RATES[0] * s)
    RATES[0] = c
    return lambda p: sg.scan(lambda s, e: (s * p[0] + times(e), s * p[1]), 0.0, RETURNS)[1].sum()


def with_number_of_a_class(c):
    Number.rate = c
    one = Number(1.0)
    return lambda p: sg.scan(lambda s, e: (one.rate * s * p[0] + e, s * p[1]), 0.0, RETURNS)[1].sum()


def with_partial(c):
    step = functools.partial(lambda c, p, s, e: (c * s * p[0] + e, s * p[1]), c)
    return lambda p: sg.scan(functools.partial(step, p), 0.3, RETURNS)[1].sum()


READ = [with_number, with_array, with_default, with_global_number, with_global_array, with_function, with_dictionary,
        with_tensor, with_partial]  # fmt: skip
NOT_READ = [with_attribute, with_class, with_base_class, with_function_attribute, with_import, with_module,
            with_names_looked_up, with_bound_method, with_false_name, with_polynomial, with_vectorized,
            with_number_of_a_class]  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("make", [*READ, *NOT_READ])
def test_what_a_step_reads_is_never_stale(make, programs, monkeypatch):
    for c in (0.9, 0.5, 1.1, 0.9, -0.0, 0.0):
        f = make(c)
        for way in (sg.grad, sg.hessian):
            found = np.asarray(way(f)(X))
            np.testing.assert_allclose(found, by_steps(lambda way=way, f=f: way(f)(X), monkeypatch), atol=1e-12)
    assert bool(programs) == (make in READ)


def test_what_is_changed_in_place_is_seen(monkeypatch):
    weights = np.array([0.9, 1.0])
    f = lambda p: sg.scan(lambda s, e: (weights[0] * s * p[0] + e, s * p[1]), 0.3, RETURNS)[1].sum()
    for c in (0.9, 0.4):
        weights[0] = c
        np.testing.assert_allclose(sg.hessian(f)(X), by_steps(lambda: sg.hessian(f)(X), monkeypatch), rtol=1e-10)


def test_other_lengths_starts_and_inputs_share_a_program(programs, monkeypatch):
    def f(p, start, xs):
        return sg.scan(lambda s, e: (s * p[0] + np.sin(e), s * s * p[1]), start, xs)[1].sum()

    for n, start in ((20, 0.1), (31, -0.4), (7, 0.0)):
        xs = RNG.normal(size=n)
        found = sg.hessian(f)(X, start, xs)
        np.testing.assert_allclose(found, by_steps(lambda a=(X, start, xs): sg.hessian(f)(*a), monkeypatch), rtol=1e-9)
    assert [type(v).__name__ for v in scan._known.values()] == ["ScanProgram"]


def test_a_chaotic_loop_goes_the_same_course_differentiated_or_not(programs):
    def f(r):
        return sg.scan(lambda x, _: (r * x * (1 - x), x), 0.3, length=400)[1][-1]

    sg.grad(f)(2.0)
    assert len(programs) == 2  # at 2.0 roundings die out: the program's values, beside a first run of the user's step
    sg.grad(f)(2.1)
    assert len(programs) == 3
    for r in (3.9, 3.99):
        assert sg.value_and_grad(f)(r)[0] == f(r)
    assert len(programs) == 7


def test_tensors_and_their_graphs(programs, monkeypatch):
    def loss(a, b):
        s, ys = sg.scan(lambda s, x: (sg.tanh(a * s + x), (s * b).sum()), sg.zeros(2, dtype=sg.float64), xs)
        return ys.sum() + s[0] * s[1]

    xs = sg.tensor(RNG.normal(size=(20, 2)))
    a, b = (sg.tensor(v, requires_grad=True) for v in (RNG.normal(size=2), np.array(0.7)))
    value = loss(a, b)
    assert programs
    value.backward()
    mine = a.grad.numpy().copy(), float(b.grad)
    a.grad = b.grad = None
    by_steps(lambda: loss(a, b).backward(), monkeypatch)
    np.testing.assert_allclose(mine[0], a.grad.numpy(), rtol=1e-10)
    np.testing.assert_allclose(mine[1], float(b.grad), rtol=1e-10)
    with pytest.raises(RuntimeError, match="second time"):
        value.backward()
    value = loss(a, b)
    with sg.no_grad():
        a.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        value.backward()


def test_a_gradient_of_a_gradient_may_be_freed_or_kept(programs):
    a = sg.tensor(np.array(0.6), requires_grad=True)
    value = sg.scan(lambda s, x: (sg.sin(a * s) + x, s), 0.2, RETURNS)[1].sum()
    (g,) = sg.autograd.grad(value, a, create_graph=True)
    first = sg.autograd.grad(g, a, retain_graph=True)[0]
    again = sg.autograd.grad(g, a, create_graph=True)[0]
    assert float(first) == pytest.approx(float(again), rel=1e-9)
    third = sg.autograd.grad(again, a)[0]
    h = 1e-4
    near = [sg.hessian(lambda a: sg.scan(lambda s, x: (np.sin(a * s) + x, s), 0.2, RETURNS)[1].sum())(0.6 + d)
            for d in (-h, h)]  # fmt: skip
    assert float(third) == pytest.approx((near[1] - near[0]) / (2 * h), rel=1e-6)
    assert programs


@pytest.mark.parametrize("p", [[800.0, 1.0], [0.0, 1.0], [-1.0, 1.0]])
def test_what_is_not_finite_is_as_step_by_step(p, monkeypatch):
    def f(p):
        return sg.scan(lambda s, e: (np.exp(p[0] * s) - 1 + e, np.sqrt(s) * np.log(p[0]) * p[1]), 0.5, RETURNS)[1].sum()

    with np.errstate(all="ignore"):
        for way in (lambda f: f, sg.grad, sg.hessian):
            found, truth = way(f)(np.array(p)), by_steps(lambda way=way: way(f)(np.array(p)), monkeypatch)
            np.testing.assert_allclose(found, truth, rtol=1e-9)


@pytest.mark.parametrize("change", ["a name", "an array that is caught", "the slices"])
def test_what_is_changed_after_the_loop_is_not_read_again(change, programs):
    a, weights, xs, c = sg.tensor(np.array(0.7), requires_grad=True), np.ones(1), RETURNS.copy(), 0.5

    def f(a):
        return sg.scan(lambda s, e: (0.5 * s * s * a + e * a * a, s), 0.1, RETURNS)[1].sum()

    value = sg.scan(lambda s, e: (c * s * s * a + e * a * a * weights[0], s), 0.1, xs)[1].sum()
    (g,) = sg.autograd.grad(value, a, create_graph=True)
    if change == "a name":
        c = 0.9
    elif change == "the slices":
        xs *= 2
    else:
        weights *= 2
        with pytest.raises(sg.GradientError, match="changed since the loop ran"):
            sg.autograd.grad(g, a, create_graph=True)
        return
    (second,) = sg.autograd.grad(g, a, create_graph=True)
    (third,) = sg.autograd.grad(second, a)
    assert float(third) == pytest.approx(float(sg.jacfwd(sg.hessian(f))(0.7)), rel=1e-8)
    assert programs and c


def test_small_integers_wrap_around_as_numpys_do(monkeypatch):
    for xs in (np.zeros(24, np.uint8), np.arange(0, 240, 10, dtype=np.uint8), np.arange(24) > 3):
        f = lambda p, xs=xs: sg.scan(lambda s, e: (s * p[0] + (e + e), s * p[1]), 0.0, xs)[1].sum()
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(sg.grad(f)(X), by_steps(lambda f=f: sg.grad(f)(X), monkeypatch), rtol=1e-10)


def test_derivatives_that_vanish_are_zeros():
    f = lambda p: sg.scan(lambda s, e: (p * e, s), 0.1, RETURNS)[1].sum()
    for _ in range(2):
        assert sg.grad(sg.grad(sg.grad(f)))(0.5) == 0
        assert sg.jacfwd(sg.hessian(f))(0.5) == 0


def test_a_recorded_loop_has_no_formula(programs):
    p = sg.tensor(X, requires_grad=True)
    value = sg.scan(lambda s, e: (s * p[0] + e, s * p[1]), 0.1, RETURNS)[1].sum()
    (g,) = sg.autograd.grad(value, p, create_graph=True)
    assert programs
    for t in (value, g):
        with pytest.raises(sg.FormulaError, match="recorded as one operation"):
            t.formula()


def test_integers_and_truth_values_may_be_run_along(programs, monkeypatch):
    seen = np.arange(24) % 3 > 0

    def f(p):
        xs = {"t": np.arange(24), "seen": seen, "y": RETURNS}

        def step(s, x):
            after = np.where(x["seen"], s * p[0] + x["y"], s)
            return after, after * p[1] ** x["t"]

        return sg.scan(step, 0.3, xs)[1].sum()

    for way in (sg.grad, sg.hessian):
        np.testing.assert_allclose(way(f)(X), by_steps(lambda way=way: way(f)(X), monkeypatch), rtol=1e-9)
    assert programs


def test_the_first_state_and_a_name_may_be_one_tensor(programs, monkeypatch):
    def f(p):
        return sg.scan(lambda s, x: (s * p + x, s.sum()), p, np.stack([RETURNS, RETURNS], 1))[1].sum()

    for way in (sg.grad, sg.hessian, lambda f: sg.jacfwd(sg.jacfwd(sg.jacfwd(f)))):
        np.testing.assert_allclose(way(f)(X), by_steps(lambda way=way: way(f)(X), monkeypatch), rtol=1e-9)
    assert programs


def test_generators_and_counters_have_no_program(programs):
    def drawn(p):
        rng = np.random.default_rng(0)
        return sg.scan(lambda s, x: (s * p[0] + x * rng.normal(), s * p[1]), 0.1, RETURNS)[1].sum()

    with pytest.raises(sg.GradientError, match="other numbers when it is called again"):
        sg.grad(drawn)(X)
    assert not programs


def test_programs_do_not_hold_what_a_loop_was_given(programs):
    def held():
        a = sg.tensor(np.array(0.5), requires_grad=True)
        sg.scan(lambda s, x: (a * s + x, s), 0.1, np.ones(24))[0].backward()
        return weakref.ref(a)

    a = held()
    gc.collect()
    assert programs and a() is None


def test_no_more_loops_are_known_than_are_kept(monkeypatch):
    monkeypatch.setattr("symgrad.transforms.loops.scan.SCANS_KEPT", 3)
    for c in range(6):
        sg.grad(with_number(0.1 * c))(X)
    assert len(scan._known) == 3


def random_step(seed):
    """A step of two states, an input and three parameters, of operations drawn at random."""
    rng = np.random.default_rng(seed)
    unary = [np.tanh, np.sin, lambda v: np.exp(-(v**2)), lambda v: np.sqrt(1 + v * v), lambda v: 1 / (1 + np.exp(-v)),
             lambda v: np.log1p(v * v), lambda v: np.where(v > 0, v, 0.1 * v), lambda v: np.maximum(v, -0.5),
             lambda v: np.arctan2(v, 2.0), abs]  # fmt: skip
    drawn = [(rng.integers(len(unary)), rng.integers(6, size=2), rng.integers(3), rng.normal()) for _ in range(7)]

    def step(s, x, p):
        pool = [s[0], s[1], x, p[0], p[1], p[2]]
        for which, (i, j), how, c in drawn:
            a, b = pool[-1 - i], pool[-1 - j]
            value = a * b if how == 0 else a + c * b if how == 1 else a / (1.5 + b * b)
            pool.append(unary[which](value))
        return (np.tanh(pool[-1]) * 0.9, pool[-2] * p[1] * 0.1 + x), (pool[-1] * pool[-3], pool[-2] + s[0])

    return step


@one_in(6)
@pytest.mark.parametrize("seed", range(12))
def test_random_steps(seed, programs, monkeypatch):
    step, xs = random_step(seed), RNG.normal(size=9)

    def f(p):
        (a, b), (u, v) = sg.scan(lambda s, x: step(s, x, p), (p[0], 0.3), xs)
        return (u * np.arange(9)).sum() + (v**2).mean() + a * b

    p = np.random.default_rng(seed).normal(size=3)
    for way in (lambda f: f, sg.grad, sg.hessian, lambda f: sg.jacrev(sg.jacfwd(f))):
        found, truth = way(f)(p), by_steps(lambda way=way: way(f)(p), monkeypatch)
        np.testing.assert_allclose(found, truth, rtol=1e-7, atol=1e-9)
    assert programs


def test_keys_tell_functions_apart_by_all_that_they_read():
    def key(function):
        return function_key(function, FoundValues())

    def of(c):
        return lambda s: s * c

    assert key(of(1.0)) == key(of(1.0))
    assert key(of(math.nan)) == key(of(math.nan))
    for a, b in ((1.0, 2.0), (0.0, -0.0), (1, 1.0), (1, True), (np.ones(2), np.ones(3)), ([1], (1,)), ("a", "b"),
                 (np.sin, np.cos), (math.sin, math.cos)):  # fmt: skip
        assert key(of(a)) != key(of(b))
    for value in (np.random.default_rng(0), iter([1]), object(), np.array([object()]), Model(), Model, sys, {}.get):
        with pytest.raises(NoKey):
            key(of(value))
