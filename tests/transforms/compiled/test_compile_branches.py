"""`sg.compile` of functions in which Python branches on values: each way through the function has a program."""

import random

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.transforms.compiled.with_loops import ProgramWithLoops

from ...helpers.cases import one_in


def newton(p):
    x = p[0]
    while abs(x * x - p[1]) > 1e-10:
        x = x - (x * x - p[1]) / (2 * x)
    return x * p[0]


def until_it_is_small(p):
    h, total = p[0], 0.0
    for _ in range(300):
        h = p[1] * np.sin(h) + 1e-3
        total = total + h * h
        if h * h < 1e-5:
            break
    return total


def two_conditions(p):
    total = p[0] * p[1]
    if p[0] > 0:
        total = total + p[0] ** 2
    if p[1] > 0:
        total = total + p[1] ** 3 * p[0]
    return total


def of_arrays(p):
    if np.all(p > 0) and not np.any(p > 1.5):
        return (p**2).sum()
    if (p[0] > 1) & (p[1] < 0) | (p[0] == 0.5):
        return (p**3).sum()
    return (p**4).sum() if abs(p[0]) != 0.25 else p.sum()


def of_a_number(p):
    return p[0] * p[1] ** 2 if p[0] else p[1] ** 3


def the_greatest(p):
    return max(p[0], p[1] ** 2) * min(p) + sorted(p)[1] ** 2


def chained(p):
    return (p**2).sum() if -0.5 < p[0] < 0.5 else np.exp(p).sum()


def counted(p):
    count = 0
    for v in p:
        if v > 0:
            count += 1
    return count * (p**2).sum()


def helped(p):
    def inner(x):
        return x if x > 0 else 0.1 * x

    return sum([inner(p[0] * v) ** 2 for v in (p[1], p[0] + p[1])])


def alike(p):
    if (p[0] > 0) == (p[1] > 0):
        return (p**2).sum()
    return (p**3).sum() if (p[0] < 0.5) != (p[1] < 0.5) else p[0] * p[1]


WAYS = [
    alike,
    newton,
    until_it_is_small,
    two_conditions,
    of_arrays,
    of_a_number,
    the_greatest,
    chained,
    counted,
    helped,
]


def _points(f, count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        p = rng.normal(size=2)
        yield np.abs(p) + 0.1 if f is newton else np.array([1.0, 0.5]) * p if f is until_it_is_small else p


def _expect(compiled, f, p, rtol=1e-8):
    value, gradient, hessian = compiled(p)
    assert np.isclose(value, f(p), rtol=1e-12)
    assert np.allclose(gradient, sg.grad(f)(p), rtol=rtol, atol=1e-9)
    assert np.allclose(hessian, sg.hessian(f)(p), rtol=rtol, atol=1e-9)


@pytest.mark.parametrize("f", WAYS, ids=lambda f: f.__name__)
def test_each_way_has_a_program(f):
    compiled = sg.compile(f)
    for p in _points(f, 5 if f is until_it_is_small else 20):
        _expect(compiled, f, p)
    assert compiled._programs and all(m.decided is not None and not m.program.refused for m in compiled._programs)


def test_a_loop_that_is_left_is_a_loop():
    compiled = sg.compile(until_it_is_small)
    _expect(compiled, until_it_is_small, np.array([1.0, 0.95]))
    (made,) = compiled._programs
    assert isinstance(made.program, ProgramWithLoops) and len(made.decided) > _limits.SCAN_STEPS


def test_numba_takes_the_same_ways(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(_limits, "WAY_MS", 1e6)
    compiled = sg.compile(two_conditions, target="numba")
    for p in _points(two_conditions, 12):
        _expect(compiled, two_conditions, p)
    assert len(compiled._programs) == 4


@pytest.mark.parametrize("at", [1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0)])
@pytest.mark.parametrize("f", [
    lambda x: x[0] ** 2 if x[0] > 1 else x[0] ** 3, lambda x: x[0] ** 2 if x[0] >= 1 else x[0] ** 3,
    lambda x: x[0] ** 2 if x[0] == 1 else x[0] ** 3, lambda x: x[0] ** 2 if not x[0] < 1 else x[0] ** 3,
    lambda x: x[0] ** 2 if x[0] - 1 > 0 or x[0] > 5 else x[0] ** 3,
])  # fmt: skip
def test_a_tie_is_decided_as_python_decides_it(f, at):
    compiled = sg.compile(f, "g")
    for first in (0.5, 2.0):
        compiled(np.array([first]))
    assert compiled(np.array([at])) == sg.grad(f)(np.array([at]))


def test_a_derivative_that_is_asked_for_again_follows_python():
    H = sg.hessian(two_conditions)
    for p in _points(two_conditions, 150):
        assert np.allclose(H(p), sg.hessian(two_conditions)(p), rtol=1e-10)
    assert H._repeated._ready is not None


def test_a_loop_that_ends_here_alone_is_not_run_elsewhere():
    def f(x):
        calls.append(1)
        s = x[0]
        while s != 4.0 * x[0]:  # which ends for numbers that are doubled exactly
            s = 2.0 * s
            if len(calls) > 50:
                raise AssertionError("it does not end")
        return s * x[0]

    calls: list[int] = []
    assert sg.compile(f)(np.array([1.5]))[1] == 12.0


def test_ways_that_never_come_again_are_left_to_the_tape(monkeypatch):
    def f(x):
        total = 0.0
        for v in x:
            total = total + (v * v if v > 0 else v**3)
        return total

    compiled = sg.compile(f, "g")
    rng = np.random.default_rng(0)
    for _ in range(60):
        x = rng.normal(size=12)
        assert np.allclose(compiled(x), sg.grad(f)(x), rtol=1e-12)
    assert len(compiled._programs) <= _limits.WAYS and compiled._programs[0].program.refused


def test_a_way_that_has_no_program_is_the_tapes():
    f = lambda x: (x**2).sum() if x[0] > 0 else (x[x < 0] ** 3).sum()  # a mask that is computed
    compiled = sg.compile(f, "g")
    for x in (np.array([1.0, -2.0]), np.array([-1.0, 2.0]), np.array([2.0, -2.0])):
        assert np.array_equal(compiled(x), sg.grad(f)(x))


def test_a_truth_value_is_a_number_beside_one():
    f = lambda x, k: (x**2).sum() if k > x[0] else (x**3).sum()
    compiled = sg.compile(f, "g")
    for x, k in (([1.0, 3.0], True), ([0.1, 3.0], True), ([0.1, 3.0], False)):
        assert np.allclose(compiled(np.array(x), k), sg.grad(f)(np.array(x), k))


@pytest.mark.parametrize("decompose", [np.linalg.cholesky, np.linalg.inv])
def test_an_error_that_is_caught_is_no_program(decompose):
    """Where it is not raised Python goes another way, of which nothing was traced."""

    def f(x):
        M = np.stack([np.stack([x[0] * 0 + 1, x[0]]), np.stack([x[0], x[0] * 0 + 1])])
        try:
            L = decompose(M)
        except np.linalg.LinAlgError:
            return x[0] ** 2
        return L[1, 1] * x[0]

    for first in (2.0, 1.0):
        compiled, there = sg.compile(f, "g"), np.array([0.5])
        try:
            compiled(np.array([first]))
        except sg.SymbolicBranchError as error:
            assert "an operation raised here" in str(error)
        assert np.allclose(compiled(there), sg.grad(f)(there))


@pytest.mark.parametrize("f", [
    lambda M: np.linalg.eigvals(M)[0] * M[0, 1], lambda M: np.abs(np.linalg.eigvals(M)).max() ** 2 * M[0, 1],
])  # fmt: skip
def test_eigenvalues_without_a_derivative_have_none_by_a_program_either(f):
    defective, compiled, again = np.array([[1.0, 1.0], [0.0, 1.0]]), sg.compile(f, "g"), sg.grad(f)
    if not ALWAYS_COMPLEX:
        compiled(REAL)
        for _ in range(120):
            again(REAL)
    for derivative in (compiled, again):
        with pytest.raises(sg.SymgradError):
            derivative(defective)


def test_a_step_of_scan_that_branches_is_right():
    def f(p):
        def step(h, e):
            h = p[0] * h + e
            return (h if h > 0 else p[1] * h), h * h

        return sg.scan(step, p[1], np.linspace(-1, 1, 40))[1].sum()

    compiled = sg.compile(f)
    for p in ([0.5, 0.3], [0.9, -0.3], [-0.4, 0.8]):
        _expect(compiled, f, np.array(p))


def test_whole_numbers_that_are_arguments_decide_nothing():
    f = lambda x, k: (x**2).sum() if k[0] > 1 else x.sum()
    with pytest.raises(sg.SymbolicBranchError, match="whole numbers that are arguments"):
        sg.compile(f)(np.ones(2), np.array([1, 2]))


def test_what_cannot_ask_the_tape_has_no_ways(tmp_path):
    compiled = sg.compile(chained)
    compiled(np.array([0.1, 0.2]))
    with pytest.raises(sg.SymbolicBranchError, match=r"one way.*(?s:.*)sg\.where"):
        compiled.save(tmp_path / "saved.py", np.array([0.1, 0.2]))


def _random_function(seed):
    """A function with conditions in it, some in a loop that may be left."""
    rng = random.Random(seed)

    def number():
        return rng.choice(["p[0]", "p[1]", "s", "s*p[0]", "p[0]*p[1]", "np.sin(s)", "(p[0]-p[1])", "0.3", "abs(s)"])

    def condition():
        sign = rng.choice(["<", ">", "<=", ">="])
        one = f"{number()} {sign} {number()}"
        return rng.choice([one, one, f"not {one}", f"({one}) & ({number()} > {number()})", f"np.any(p > {number()})",
                           f"np.all(p*s < {number()})", f"{number()} < s < {number()}"])  # fmt: skip

    def update():
        return rng.choice(["s = s + p[0]*p[1]", "s = 0.7*s + p[1]", "s = np.tanh(s)*p[0]", "s = s - p[0]**2"])

    lines = ["def f(p):", "    s = p[0] * 0.5", "    total = 0.0 * s"]
    for _ in range(rng.randrange(1, 3)):
        if rng.random() < 0.5:
            lines += [f"    if {condition()}:", f"        {update()}", "    else:", f"        {update()}"]
        else:
            lines += [
                f"    for _ in range({rng.choice([3, 9, 40])}):",
                f"        {update()}",
                "        total = total + s*s",
            ]
            leave = rng.choice(["break", "break", update()])
            lines += [f"        if {condition()}:", f"            {leave}"]
    lines.append("    return total + s * p[1]")
    space = {"np": np}
    exec("\n".join(lines), space)
    return space["f"], "\n".join(lines)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@one_in(5)
@pytest.mark.parametrize("seed", range(25))
def test_random_ways(seed):
    f, text = _random_function(seed)
    compiled = sg.compile(f)
    for p in np.random.default_rng(seed).normal(size=(6, 2)):
        found, value = compiled(p), f(p)
        right = value, sg.grad(f)(p), sg.hessian(f)(p)
        for mine, truth in zip(found, right, strict=True):
            size = np.abs(truth).max()
            assert np.allclose(mine, truth, rtol=1e-7, atol=1e-9 * (1 + size), equal_nan=True), f"{text}\n{p}"


ALWAYS_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"  # since NumPy 2.5
REAL, COMPLEX = np.array([[2.0, 1.0], [0.5, 1.0]]), np.array([[0.0, 1.0], [-2.0, 0.1]])
OF_EIGENVALUES = [
    lambda M: np.abs(np.linalg.eigvals(M)).max(), lambda M: (np.linalg.eigvals(M).real ** 2).sum(),
    lambda M: np.linalg.eigvals(M).imag.max() + M[0, 0], lambda M: (np.abs(np.linalg.eig(M)[1]) ** 4).sum(),
    lambda M: np.isreal(np.linalg.eigvals(M)).sum() * M.sum(), lambda M: (np.linalg.eigvals(M) ** 2).sum().real,
    lambda M: (M**2).sum() if np.iscomplexobj(np.linalg.eigvals(M)) else (M**3).sum(),
    lambda M: (M**2).sum() if np.linalg.eigvals(M).dtype == complex else (M**3).sum(),
    lambda M: (np.poly(M) ** 2).sum(),
]  # fmt: skip


@one_in(4, "f")
@pytest.mark.parametrize("make", [
    sg.grad, sg.hessian, sg.value_and_grad, *[lambda f, letter=letter: sg.compile(f, letter) for letter in "fgh"],
], ids=["grad", "hessian", "value_and_grad", "f", "g", "h"])  # fmt: skip
@pytest.mark.filterwarnings("ignore::symgrad.StructurallyZeroWarning")
@pytest.mark.parametrize("f", OF_EIGENVALUES)
def test_a_dtype_that_hangs_on_values_is_a_decision(f, make):
    """Eigenvalues are real where all of them are: a program of real numbers has none where they are complex."""
    derivative = make(f)
    if ALWAYS_COMPLEX and isinstance(derivative, type(sg.compile(f))):
        return  # programs are of real numbers
    for _ in range(110 if make in (sg.grad, sg.hessian, sg.value_and_grad) else 2):
        derivative(REAL)
    if make in (sg.grad, sg.hessian, sg.value_and_grad):
        right = make(f)
    else:
        right = {"f": f, "g": sg.grad(f), "h": sg.hessian(f)}[derivative.outputs]
    for M in (COMPLEX, REAL):
        found, truth = derivative(M), right(M)
        for mine, theirs in zip(found, truth, strict=True) if isinstance(truth, tuple) else [(found, truth)]:
            assert np.allclose(mine, theirs, rtol=1e-9, atol=1e-9)


def test_a_program_made_under_no_grad_goes_the_ways_that_python_goes():
    """What is compared is no variable: its margin alone says that the program is that of another way."""

    def rate(t, y):
        return (-1.3 * y if t < 0.5 else -1.7 * y).sum()

    fast = sg.compile(rate, "fg", argnums=1)
    y = np.array([2.0])
    with sg.no_grad():
        for t in (0.1, 0.9, 0.2, 0.8):
            value, slope = fast(np.asarray(t), y)
            assert value == pytest.approx(rate(t, y))
            assert slope == pytest.approx(rate(t, np.ones(1)))


SOME = np.random.default_rng(1).normal(size=24)


def rounds_of_squares(p):
    s = t = 0.0
    for y in (0.5, -1.0, 2.0):
        s = abs(p[0]) * y + 0.5 * s
        t = t + s**2
    return t


def distances(p):
    s = t = 0.0
    for i in range(20):
        s = abs(s - p[1] * p[2]) if i % 3 == 1 else abs(s - p[0])
        t = t + np.log(1 + s**2)
    return t


def squares_beside(p):
    s, t = p[0], 0.0
    for i, y in enumerate(SOME[12:]):
        s = np.sin(s) / (1 + abs(p[1]) ** 2) + y if i % 2 else s * p[0] + abs(p[1]) * y
        t = t + s
    return t


@pytest.mark.parametrize(("f", "x"), [
    (rounds_of_squares, [0.0]), (distances, [0.5] * 4), (squares_beside, [0.3, 0.0]),
])  # fmt: skip
def test_an_edge_that_is_lost_in_one_place_and_kept_in_another_is_the_tapes(f, x):
    """|u|² is u² where |u| is left beside it: the tape's second derivative at u = 0 is neither's."""
    x = np.array(x)
    truth = sg.jacrev(sg.grad(f))(x)
    for found in (sg.hessian(f)(x), sg.compile(f, "h")(x)):
        np.testing.assert_allclose(found, truth, rtol=1e-10, atol=1e-12)
    beside = x + 1e-3
    np.testing.assert_allclose(sg.compile(f, "h")(beside), sg.jacrev(sg.grad(f))(beside), rtol=1e-8)
