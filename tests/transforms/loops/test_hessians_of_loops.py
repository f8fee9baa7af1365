"""Hessians of loops that write into arrays: what making their programs takes, and when the tape runs instead.

The idea to hold: the work is counted (lines and products of a program in the making), not timed, and has to grow as the
loop does; the numbers are those of the tape, or of finite differences.
"""

import pytest
from numpy import testing

import symgrad as sg
import symgrad.numpy as np
from symgrad import _limits
from symgrad.programs import builder, program
from symgrad.programs.builder import Builder
from symgrad.terms.canonical import is_nonnegative
from symgrad.terms.node import Var
from symgrad.terms.normal_form import add, pow_

from ...helpers.cases import one_in
from ...programs.test_programs_of_loops_and_writes import by_differences


@pytest.fixture(autouse=True)
def programs_are_made_at_the_first_call(request, monkeypatch):
    """What is looked at here is the making of programs, but for the test of when they are made."""
    if "when_the_tape" not in request.node.name:
        monkeypatch.setattr(_limits, "WAITED", 0)


def diffusion(size, steps, boundary=True):
    """A rod that is warmed at one end, and cools (or not) at the other, step by step in place."""

    def f(p):
        T = np.zeros(size)
        for _ in range(steps):
            T[0] = p[0]
            T[1:-1] = T[1:-1] + p[1] * (T[2:] - 2 * T[1:-1] + T[:-2])
            if boundary:
                T[-1] = T[-2] * p[2]
        return (T**2).sum()

    return f


def tangled(steps):
    """Steps each of which reads all that the last one wrote: making a program takes much more than the tape."""

    def f(p):
        T = np.zeros(5)
        for _ in range(steps):
            T[1:] = np.sin(T[:-1] * p[0]) + p[1] * T[1:]
            T[::2] = T[::2] * p[2] + T[-1]
            T[0] = np.exp(-T[1])
        return (T**2).sum()

    return f


WARM = np.array([1.0, 0.2, 0.5])


def by_the_tape(f, x, monkeypatch):
    with monkeypatch.context() as low:
        low.setattr(_limits, "NODES", 0)
        program.clear()
        found = sg.hessian(f)(x)
        assert "the tape runs" in sg.hessian(f).plan(x)
    program.clear()
    return found


@one_in(4)
@pytest.mark.parametrize("boundary", [True, False])
@pytest.mark.parametrize("size", [4, 30])
def test_making_a_program_of_slices_written_in_a_loop_takes_as_many_steps_as_the_loop(size, boundary, monkeypatch):
    steps = {}
    for n in (6, 12, 24):
        f = diffusion(size, n, boundary)
        H = sg.hessian(f)
        found = H(WARM)
        steps[n] = H._last.builder.steps
        testing.assert_allclose(found, by_the_tape(f, WARM, monkeypatch), rtol=1e-10, atol=1e-12)
    assert steps[24] - steps[12] < 2.4 * (steps[12] - steps[6])  # as much for each further step of the loop
    assert steps[24] < _limits.STEPS


def test_a_loop_whose_arrays_are_longer_than_its_parameters_is_filled_in_too():
    steps = []
    size = min(2000, _limits.MERGED // 4)
    for n in (6, 12):
        H = sg.hessian(diffusion(size, n))
        H(WARM)
        steps.append(H._last.builder.steps)
    assert steps[1] < 2.4 * steps[0]


def test_a_program_that_takes_dozens_of_tapes_to_make_is_given_up_when_that_is_reckoned(monkeypatch):
    makers, begin = [], Builder.__init__

    def watched(self, *given):
        begin(self, *given)
        makers.append(self)

    monkeypatch.setattr(Builder, "__init__", watched)
    f = tangled(20)
    whole = sg.hessian(f)
    monkeypatch.setattr(_limits, "STEPS", 1000)
    monkeypatch.setattr(_limits, "STEPS_EACH", 8)
    program.clear()
    assert "takes more than" in whole.plan(WARM) and "the tape runs" in whole.plan(WARM)
    (maker,) = makers  # once given up, it is not tried again
    assert 0 < maker.steps < maker.most
    truth = by_differences(f, WARM)
    testing.assert_allclose(whole(WARM), truth, atol=1e-6 * np.abs(truth).max())


def test_the_program_of_a_loop_is_made_when_the_tape_has_run_often(monkeypatch):
    monkeypatch.setattr(_limits, "WAITED", 3)
    monkeypatch.setattr(_limits, "REPEATED_MS", 10**9)  # else a slow machine has had enough of three calls
    makers, begin = [], Builder.__init__

    def watched(self, *given):
        begin(self, *given)
        makers.append(self)

    monkeypatch.setattr(Builder, "__init__", watched)
    program.clear()
    f = diffusion(4, 20)
    for format in ("dense", "csr"):
        H = sg.hessian(f, format=format)
        before = len(makers)
        for k in range(3):
            plan = H.plan(WARM)  # saying what would run is no run
            assert "the tape runs" in plan and "when the tape has run 3 times" in plan, k
            H(WARM)
        if format == "dense":
            assert len(makers) == before
            assert "a program runs" in H.plan(WARM)
            testing.assert_allclose(H(WARM), by_differences(f, WARM), atol=1e-5)
    program.clear()
    assert "def hessian" in sg.hessian(f).code(WARM)  # who wants to see it need not wait
    assert "a program runs" in sg.hessian(f).plan(WARM)
    small = sg.hessian(diffusion(4, 3))
    assert "a program runs" in small.plan(WARM)  # short graphs have theirs at once


def test_values_of_names_are_asked_for_without_recursion(monkeypatch):
    """A loop of a few hundred steps has names that are made of a thousand others."""

    def f(p):
        T = np.zeros(3)
        for _ in range(10):
            T[::2] = T[::2] * p[2] + p[0] * T[1]
            T[1] = np.tanh(T[0] + p[1])
        return (T**2).sum()

    inside, deepest, evaluate = [0], [0], builder.evaluate

    def watched(*given):
        inside[0] += 1
        deepest[0] = max(deepest[0], inside[0])
        try:
            return evaluate(*given)
        finally:
            inside[0] -= 1

    monkeypatch.setattr(builder, "evaluate", watched)
    program.clear()
    found = sg.hessian(f)(WARM)
    assert deepest[0] == 1
    testing.assert_allclose(found, by_the_tape(f, WARM, monkeypatch), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("steps", [5, 300])
def test_parameters_with_names_may_be_written_into_a_long_loop(steps):
    def named(p):
        T = np.zeros(4)
        for _ in range(steps):
            T[0] = p["a"]
            T[1:-1] = T[1:-1] * p["b"] + T[:-2]
        return (T**2).sum()

    H = sg.hessian(named)({"a": 2.0, "b": 0.5})
    truth = by_differences(lambda x: named({"a": float(x[0]), "b": float(x[1])}), np.array([2.0, 0.5]))
    testing.assert_allclose(np.asarray(H), truth, atol=1e-7 * np.abs(truth).max())


def test_the_sign_of_a_state_is_found_once_for_each_step():
    state = Var("x", (), frozenset(["positive"]))
    for _ in range(60):  # two ways to the step before: 2⁶⁰ ways to the first
        state = add([(1, state, ()), (1, pow_(state, -1), ())], ())
    assert is_nonnegative(state)
