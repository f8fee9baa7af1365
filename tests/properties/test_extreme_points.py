"""Compiled Hessians at points of size up to 1e160, beside mpmath: wherever the tape is right, they are.

The square of a reciprocal underflows long before a number overflows: 1/u² is 0 at u = 1e170, and a product that brings
it back to size 1 is finite and wrong. No look at results sees that; the programs look at their denominators.

Not here: arguments of 1e-40 and less, whose powers underflow in numerators (docs/decisions/0087).
"""

import random
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest

import symgrad as sg

NUMPY = SimpleNamespace(log=np.log, sqrt=np.sqrt, atan=np.arctan)
DIGITS, STEP = 900, -150  # of a difference of second order, whose terms may be 1e640 apart


def _source(rng: random.Random) -> str:
    """A function of three numbers: logarithms, roots and quotients of polynomials."""

    def linear() -> str:
        a, b = rng.sample(range(3), 2)
        c = rng.choice(["0.2", "1.5", "0.7"])
        return rng.choice([f"p[{a}]", f"p[{a}]*p[{b}]", f"(p[{a}]*p[{b}]+{c})", f"(p[{a}]-{c}*p[{b}])", f"{c}*p[{a}]"])

    def positive() -> str:
        u, v = linear(), linear()
        return rng.choice([f"({u}**2+0.1)", f"({u}**2+{v}**2+0.3)", f"({u}**2+{v}**2)", f"({u}**2*{v}**2+1.0)"])

    def term() -> str:
        u, v, w = linear(), linear(), positive()
        return rng.choice([
            f"m.log({w})", f"m.sqrt({w})", f"{u}/{w}", f"1.0/{w}", f"{u}/m.sqrt({w})", f"{u}**2/{w}", f"m.log({w})*{u}",
            f"{u}*{v}/{w}", f"{w}**-1.5", f"{u}/({u}+{v})", f"m.atan({u})",
        ])  # fmt: skip

    text = term()
    for _ in range(rng.randrange(3)):
        text = rng.choice([f"{text}+{term()}", f"{text}*{linear()}", f"m.log(({text})**2+1.0)", f"({text})*({term()})"])
    return text


def _truth(text: str, point: np.ndarray) -> tuple[Any, list[Any], list[list[Any]]]:
    """Value, gradient and Hessian times the point's entries, by differences of so many digits."""
    f = eval(f"lambda p, m: {text}")
    x = [mpmath.mpf(float(v)) for v in point]
    h = mpmath.mpf(10) ** STEP

    def at(*moves: tuple[int, int]) -> Any:
        p = list(x)
        for k, sign in moves:
            p[k] += sign * h * abs(x[k])
        return f(p, mpmath)

    signs = [-1 if v < 0 else 1 for v in point]
    here, n = at(), range(len(x))
    up, down = [at((k, 1)) for k in n], [at((k, -1)) for k in n]
    slopes = [s * (a - b) / (2 * h) for s, a, b in zip(signs, up, down, strict=True)]
    second = [[(up[i] - 2 * here + down[i]) / h**2] * len(x) for i in n]
    for i in n:
        for j in range(i):
            four = at((i, 1), (j, 1)) - at((i, 1), (j, -1)) - at((i, -1), (j, 1)) + at((i, -1), (j, -1))
            second[i][j] = second[j][i] = signs[i] * signs[j] * four / (4 * h**2)
    second = [[second[i][j] if i != j else (up[i] - 2 * here + down[i]) / h**2 for j in n] for i in n]
    return here, slopes, second


def _is_right(found: np.ndarray, point: np.ndarray, truth: tuple[Any, list[Any], list[list[Any]]]) -> bool:
    """Whether a Hessian is right to six digits of its rows, or to the rounding of the value and of the gradient."""
    value, slopes, second = truth
    rounding = mpmath.mpf("1e-12") * max(abs(value), *map(abs, slopes))
    x = [mpmath.mpf(float(v)) for v in point]
    for i, j in np.ndindex(found.shape):
        size = max(abs(second[i][i]), abs(second[j][j]), abs(second[i][j]))
        error = abs(mpmath.mpf(float(found[i, j])) * x[i] * x[j] - second[i][j])
        tiny = mpmath.mpf("1e-290") * abs(x[i] * x[j])  # where a double has few digits, or none
        if error > mpmath.mpf("1e-6") * size + rounding + tiny:
            return False
    return True


def _tape(f: Any, point: np.ndarray) -> np.ndarray:
    x = sg.tensor(point, requires_grad=True)
    (slopes,) = sg.autograd.grad([f(x)], [x], create_graph=True)
    rows = [sg.autograd.grad([slopes[k]], [x], retain_graph=True, allow_unused=True)[0] for k in range(len(point))]
    return np.array([np.zeros(len(point)) if r is None else r.numpy() for r in rows])


def _search(seeds: range) -> tuple[int, list[str]]:
    """How many points were looked at where the tape is right, and those where the program is finite and wrong."""
    right, wrong = 0, []
    for seed in seeds:
        rng = random.Random(seed)
        text = _source(rng)
        f = eval(f"lambda p: {text}", {"m": NUMPY})
        compiled = sg.compile(f, "h")
        compiled(np.array([0.7, 1.3, -0.4]))
        for _ in range(4):
            exponents = [rng.choice([rng.uniform(-2, 2), rng.uniform(40, 160)]) for _ in "xyz"]
            point = np.array([rng.choice([-1, 1]) * 10**e for e in exponents])
            with mpmath.workdps(DIGITS):
                truth = _truth(text, point)
                on_tape = _tape(f, point)
                if not np.isfinite(on_tape).all() or not _is_right(on_tape, point, truth):
                    continue
                right += 1
                found = compiled(point)
                if np.isfinite(found).all() and not _is_right(found, point, truth):
                    wrong.append(f"seed {seed}: {text} at {point.tolist()}: {found.tolist()}")
    return right, wrong


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 150), marks=pytest.mark.slow)])
def test_a_program_is_right_wherever_the_tape_is(seeds):
    with np.errstate(all="ignore"):
        right, wrong = _search(seeds)
    assert right > 1.5 * len(seeds) and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("size", [1e80, 1e100, 1e120, 1e150])
def test_a_logarithm_of_what_is_large_has_its_second_slopes(size):
    f = sg.compile(lambda p: np.log((p[1] * p[0] + 0.2) ** 2 + 0.1), "h")
    f(np.array([1.0, 1.0]))
    assert np.isclose(f(np.array([size, 1.0]))[1, 1], -2, rtol=1e-12, atol=0)


def test_a_loop_that_grows_has_its_second_slopes():
    def f(p):
        h = p[0]
        for _ in range(40):
            h = p[1] * h + 0.2
        return np.log(h * h + 0.1)

    compiled = sg.compile(f, "h")
    compiled(np.array([0.7, 0.4]))
    right = np.array([[-2 / 9, 4.4444e-08], [4.4444e-08, -8e-05]])
    assert np.allclose(compiled(np.array([3.0, 1e3])), right, rtol=2e-3, atol=1e-10)


def test_a_loop_of_many_rounds_that_grows_has_its_second_slopes():
    def f(p):
        h, total = p[0], 0.0
        for _ in range(400):
            h = p[1] * h + 0.2
            total = total + np.log(h * h + 0.1)
        return total

    compiled = sg.compile(f, "h")
    compiled(np.array([0.7, 0.4, 0.5]))
    point = np.array([0.7, 1.8, 0.5])
    assert np.allclose(compiled(point), _tape(f, point), rtol=1e-6)
