"""Compiled functions of few numbers run on single numbers: the results are those of the arrays, and of the tape."""

import math
import warnings

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.programs.loops.scalars import NotScalar, Scalar, Steps
from symgrad.programs.loops.steps import ArrayText

from ..helpers.cases import one_in
from ..properties._hessian_functions import function_of

pytestmark = pytest.mark.skipif("ways" in _limits.LOW, reason="at low limits every program is one of arrays")

T = np.linspace(0, 3, 8)
A = np.random.default_rng(0).normal(size=(5, 5))
NAN, INF = math.nan, math.inf


def beale(x):
    return (1.5 - x[0] + x[0] * x[1]) ** 2 + (2.25 - x[0] + x[0] * x[1] ** 2) ** 2


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


FUNCTIONS = {
    "a number": (lambda x: np.sin(x) * np.exp(-(x**2)), np.array(0.7)),
    "Beale": (beale, np.array([0.3, -1.2])),
    "Rosenbrock": (rosenbrock, np.linspace(-1, 1, 7)),
    "a rate": (lambda p: ((p[0] * np.exp(-p[1] * T) - T) ** 2).sum(), np.array([1.0, 0.5])),
    "log of sums": (lambda x: np.log(np.exp(x).sum()), np.array([0.1, 2.0, -1.0])),
    "softplus": (lambda x: np.logaddexp(0, 3 * x).sum(), np.array([0.1, 2.0, -1.0])),
    "quartic": (lambda x: ((A @ x) ** 4).sum(), np.linspace(0.3, 1.2, 5)),
    "product": (lambda x: np.prod(np.cos(x)) + ((1 + x**2) ** 1.25).sum(), np.array([0.1, 0.2, 0.4])),
    "kinks": (lambda x: np.where(x > 0.2, x**3, np.abs(x)).sum() + np.maximum(x, x**2).sum(), np.array([0.1, -0.5])),
    "a matrix": (lambda x: ((x @ x.T) ** 2).sum() + np.hypot(x, 1).sum(), np.array([[0.1, 0.2, 0.4], [1.0, 2.0, -1]])),
    "linear": (lambda x: 3 * x.sum(), np.array([0.1, 0.2, 0.4])),
}


def made_of(compiled):
    return compiled._programs[-1]


def by_tape(f, x):
    h = sg.func.hessian(f)(sg.tensor(x)).detach().numpy()[()]
    return f(x), sg.grad(f)(x), h


def same(found, truth, rtol=1e-12):
    for a, b in zip(found, truth, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * max(1, np.abs(b).max(initial=0)))
        assert type(a) is type(b) and np.shape(a) == np.shape(b)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_one_by_one_are_those_of_the_arrays(name):
    f, x = FUNCTIONS[name]
    compiled = sg.compile(f)
    rng = np.random.default_rng(1)
    compiled(x)
    made = made_of(compiled)
    assert made.quick is not None and made.quick.whole
    for _ in range(5):
        x = np.asarray(x + 0.1 * rng.standard_normal(x.shape))
        same(compiled(x), made.form(made.program.run(made.values([x]))))
        same(compiled(x), by_tape(f, x), 1e-9)
        assert getattr(compiled._last, "way", compiled._last) is made.quick and compiled._last.function(x) is not None


@pytest.mark.parametrize("outputs", ["f", "g", "h", "hf", "gh", "hgf"])
def test_results_come_as_they_were_asked_for(outputs):
    f, x = FUNCTIONS["Beale"]
    truth = dict(zip("fgh", by_tape(f, x), strict=True))
    compiled = sg.compile(f, outputs)
    for _ in range(2):
        found = compiled(x)
        same(found if len(outputs) > 1 else (found,), [truth[letter] for letter in outputs], 1e-9)


def test_arrays_that_come_out_are_their_owners():
    f, x = FUNCTIONS["Rosenbrock"]
    compiled = sg.compile(f)
    compiled(x)
    _, g, h = compiled(x)
    g[...], h[...] = 1, 2
    same(compiled(x), by_tape(f, x), 1e-9)
    assert (g == 1).all() and (h == 2).all()


@one_in(3)
@pytest.mark.parametrize("at", [
    [0.0, 0.0], [INF, 1.0], [NAN, 1.0], [1e200, 1.0], [-1.0, 2.0], [800.0, 1.0], [-800.0, 0.0], [1e-320, 1.0],
    [-0.0, 0.0],
])  # fmt: skip
@pytest.mark.parametrize("f", [
    lambda x: np.log(x).sum(), lambda x: np.exp(x).sum(), lambda x: (1 / x).sum(), lambda x: np.sqrt(x).sum(),
    lambda x: x[0] / x[1], lambda x: (x**2.5).sum(), lambda x: np.where(x > 0, np.log(x), x).sum(),
    lambda x: 1 / (1 + np.exp(-x)).sum(), lambda x: np.abs(x).sum() + np.sign(x).sum(), lambda x: np.sin(x).sum(),
    lambda x: np.hypot(x[0], x[1]), lambda x: np.maximum(x[0], x[1]) ** 2, lambda x: np.log(np.exp(x).sum()),
])  # fmt: skip
def test_where_numbers_are_not_finite_or_python_raises_the_arrays_decide(f, at):
    x, compiled = np.array(at), sg.compile(f)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        compiled(np.array([0.7, 1.9]))
        found = compiled(x)
        made = made_of(compiled)
        truth = made.program.run(made.values([x]))
        truth = compiled._eagerly((x,), {}) if truth is None or made.program.refused else made.form(truth)
    for a, b in zip(found, truth, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_arguments_of_every_kind_get_their_own_way():
    f = lambda x, k: (x**3).sum() * k
    compiled = sg.compile(f, "g")
    x = np.array([1.0, 2.0])
    for _ in range(2):
        for point in (x, x.astype(np.float32), x[::-1], np.array([1, 2]), np.ones(3), sg.tensor(x), x.reshape(1, 2)):
            for k in (2.0, np.array(2.0), 3):
                found = compiled(point, k)
                values = 3 * np.asarray(point, float) ** 2 * float(k)
                np.testing.assert_allclose(np.asarray(found), values)
                assert type(found) is type(sg.grad(f)(point, k)) and found.dtype == sg.grad(f)(point, k).dtype


def test_python_floats_and_several_variables_are_arguments_too():
    f = lambda a, b: a**2 * (b**3).sum()
    compiled = sg.compile(f, "fgh", (0, 1))
    b = np.array([1.0, 2.0])
    for a in (0.5, 0.7, 0.9):
        value, (ga, gb), h = compiled(a, b)
        np.testing.assert_allclose(value, a**2 * 9)
        np.testing.assert_allclose(ga, 18 * a)
        np.testing.assert_allclose(gb, 3 * a**2 * b**2)
        np.testing.assert_allclose(h.matrix, sg.hessian(f, (0, 1))(a, b).matrix)
    assert made_of(compiled).quick is not None
    number = sg.compile(lambda t: t**3, "fgh")
    assert [number(t)[2] for t in (1.0, 2.0, 3.0)] == [6.0, 12.0, 18.0]


def test_a_wrong_step_is_seen_and_arrays_are_taken(monkeypatch):
    f, x = FUNCTIONS["Beale"]
    compiled = sg.compile(f)
    made, _ = compiled._find((x,), {})
    right = made.quick.function
    made.quick.function = lambda x: (lambda v, g, h: (v, g + 1e-3, h))(*right(x))
    with pytest.warns(RuntimeWarning, match="single numbers"):
        same(compiled(x), by_tape(f, x), 1e-9)
    assert made.quick is None and made.program.checked


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_random_programs_have_the_same_numbers():
    compared = 0
    for seed in range(30):
        function = function_of(seed, most=6)
        points = [np.asarray(x) for x in function.leaves]
        try:
            compiled = sg.compile(function.compiled(), "fgh", 0 if len(points) == 1 else tuple(range(len(points))))
            compiled(*points)
        except Exception:
            continue
        made = made_of(compiled)
        mine = None if made.quick is None else made.quick(points)
        if mine is None:
            continue
        compared += 1
        for a, b in zip(mine, made.program.run(made.values(points)), strict=True):
            for p, q in zip(a, b, strict=True) if isinstance(b, tuple) else [(a, b)]:
                q = np.asarray(q)
                np.testing.assert_allclose(np.reshape(p, q.shape), q, rtol=1e-10, atol=1e-10 * np.abs(q).max(initial=1))
    assert compared >= 8


def test_steps_are_shortened_only_where_no_bit_changes():
    steps = Steps()
    a, b = steps.input("a"), steps.input("b")
    assert a + 0.0 is a and 0.0 + a is a and 1.0 * a is a and a - 0.0 is a and -1.0 * -a is a
    assert a + b is b + a and a * b is b * a and a - b is not b - a
    assert 0.5 * (3.0 * a) is 1.5 * a and 0.3 * (3.0 * a) is not 0.9 * a
    assert a + a is 2.0 * a and a + -b is a - b and (-a) * b is -(a * b) and a**2 is a * a
    assert not steps.dropped and 0.0 * b == 0.0 and list(steps.dropped.values()) == [b]
    with pytest.raises(NotScalar):
        bool(steps.of("<", a, b))


OF_ONE = ["neg", "exp", "log", "sqrt", "tanh", "sin", "cosh", "atan", "abs", "log1p", "expm1", "sign", "asinh"]


@pytest.mark.parametrize("seed", range(150))
def test_where_the_sum_is_finite_all_numbers_are_that_must_be(seed):
    """Numbers that are seen to be finite where others are, which rest on them, are left out of the sum."""
    rng = np.random.default_rng(seed)
    steps = Steps(10_000)
    numbers = [steps.input(name) for name in "abc"]
    for _ in range(25):
        first, second = rng.choice(len(numbers), 2)
        op = rng.choice([*OF_ONE, "+", "-", "*", "/", "*", "/", "maximum", "hypot", "where"])
        args = [numbers[first]] if op in OF_ONE else [numbers[first], numbers[second]]
        args = [steps.of("<", *args), *args] if op == "where" else args
        made = steps.negative(args[0]) if op == "neg" else steps.of(str(op), *args)
        numbers += [made] if isinstance(made, Scalar) else []
    wanted = [numbers[k] for k in rng.choice(len(numbers), 12)]
    text, whole = ArrayText(steps, wanted, []), ArrayText(steps, numbers, [])
    assert len(text.checked) <= len(wanted) + len(steps.dropped)
    points = np.array([0.0, -0.0, 1.5, -2.0, 1e-200, 1e200, -1e200, 800.0, np.inf, -np.inf, np.nan])
    space = dict(zip("abc", map(np.ravel, np.meshgrid(points, points, points)), strict=True))
    with np.errstate(all="ignore"):
        every = dict(space)
        exec("\n".join(["import numpy as np", *whole.lines]), every)
        needed = [eval(whole.text(a), every) for a in (*wanted, *steps.dropped.values())]
        exec("\n".join(["import numpy as np", *text.lines, *text.finite()]), space)
    np.testing.assert_array_equal(np.isfinite(space["finite"] * np.ones(len(points) ** 3)), np.isfinite(needed).all(0))
