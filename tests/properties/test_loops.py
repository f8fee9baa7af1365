"""Random loops in Python: what is compiled, saved, repeated and differentiated by a loop is what the tape does."""

import importlib.util

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits

from ..helpers.cases import one_in
from ._loops import ChoosingLoop, RandomLoop, WildLoop

SEEDS = range(100)


def truth(loop, x, monkeypatch):
    """Value, gradient and Hessian where no loop is looked for."""
    with monkeypatch.context() as patch:
        patch.setattr(_limits, "ROLLED", 10**9)
        return sg.value_and_grad(loop.f)(x), sg.hessian(loop.f)(x)


def assert_same(found, right, text):
    for mine, other in zip(found, right, strict=True):
        size = np.abs(other).max(initial=0) + 1e-3
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-8 * size, err_msg=text)


@one_in(10)
@pytest.mark.parametrize("seed", SEEDS)
def test_loops_are_what_the_tape_says(seed, monkeypatch, tmp_path):
    loop = RandomLoop(seed)
    monkeypatch.setattr(_limits, "ROLLED", 20)
    monkeypatch.setattr(_limits, "SCAN_PROGRAMMED", 0)
    fgh = sg.compile(loop.f)
    for step in (1.0, 0.8, -0.5):
        x = loop.x * step
        (value, gradient), matrix = truth(loop, x, monkeypatch)
        assert_same(fgh(x), (value, gradient, matrix), loop.text)
        assert_same((sg.grad(loop.f)(x), sg.hessian(loop.f)(x)), (gradient, matrix), loop.text)
        v = np.cos(np.arange(x.size))
        assert_same((sg.hvp(loop.f, x, v),), (matrix @ v,), loop.text)
    (made,) = fgh._programs
    assert not made.program.refused, loop.text
    fgh.save(tmp_path / "saved.py", x)
    spec = importlib.util.spec_from_file_location("saved_random_loop", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert_same(module.derivatives(x), (value, gradient, matrix), loop.text)


def everything(loop, x):
    """Value, gradient and Hessian, or the kind of the error."""
    try:
        return (*sg.value_and_grad(loop.f)(x), sg.hessian(loop.f)(x))
    except Exception as error:
        return type(error)


@one_in(10)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_wild_loops_are_what_the_tape_says(seed, monkeypatch):
    loop = WildLoop(seed)
    for name, value in (("ROLLED", 20), ("ROUNDS", 4), ("SCAN_STEPS", 4), ("SCAN_PROGRAMMED", 0)):
        monkeypatch.setattr(_limits, name, value)
    compiled = sg.compile(loop.f)
    for step in (1.0, -0.6):
        x = (loop.x * step).astype(loop.x.dtype)
        with np.errstate(all="ignore"):
            found = everything(loop, x)
            with monkeypatch.context() as patch:
                patch.setattr(_limits, "ROLLED", 10**9)
                right = everything(loop, x)
            if isinstance(right, type) or isinstance(found, type):
                assert found is right, loop.text
                continue
            again = compiled(x)
        for one in (found, again):
            assert_near(one, right, 1e-7 if x.dtype == float else 2e-3, loop.text)


def assert_near(found, right, rtol, text):
    for mine, other in zip(map(np.asarray, found), map(np.asarray, right), strict=True):
        assert mine.dtype == other.dtype and (np.isfinite(mine) == np.isfinite(other)).all(), text
        size = np.abs(other[np.isfinite(other)]).max(initial=0) + 1e-3
        np.testing.assert_allclose(mine, other, rtol=rtol, atol=0.1 * rtol * size, err_msg=text)


@one_in(10)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
def test_loops_that_choose_are_what_the_tape_says(seed, monkeypatch):
    loop = ChoosingLoop(seed)
    monkeypatch.setattr(_limits, "ROLLED", 20)
    monkeypatch.setattr(_limits, "SCAN_PROGRAMMED", 0)
    compiled = sg.compile(loop.f)
    for step in (1.0, 0.7, -0.5):
        x = (loop.x * step).astype(loop.x.dtype)
        with np.errstate(all="ignore"):
            with monkeypatch.context() as patch:
                patch.setattr(_limits, "ROLLED", 10**9)
                right = everything(loop, x)
            found = everything(loop, x)
            if isinstance(right, type):
                assert found is right, loop.text
                continue
            for one in (found, compiled(x)):
                assert_near(one, right, 1e-7 if x.dtype == float else 2e-3, loop.text)


def test_they_are_loops(monkeypatch):
    monkeypatch.setattr(_limits, "ROLLED", 20)
    for seed in range(12):
        loop = RandomLoop(seed)
        if "if e" in loop.text:  # rounds of other operations
            continue
        compiled = sg.compile(loop.f, "g")
        compiled(loop.x)
        assert [type(made.program).__name__ for made in compiled._programs] == ["LoopedProgram"], loop.text
