# ruff: noqa: E501  (a loop is a line)
"""Loops in Python whose rounds choose, by a condition of the state or because Python branches, and loops of float32:
they are loops in each target, and what the tape says."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad.transforms.compiled.with_loops import ProgramWithLoops

from ...helpers.cases import one_in

RNG = np.random.default_rng(92)
DATA = RNG.normal(size=40)
KINDS = RNG.integers(0, 3, size=40)
X = np.array([0.3, 0.5, 0.4])
TARGETS = [
    "numpy",
    *[pytest.param(t, marks=pytest.mark.slow) for t in ("numba", "jax", "torch") if importlib.util.find_spec(t)],
]


@pytest.fixture(autouse=True)
def short_loops(monkeypatch):
    monkeypatch.setattr(_limits, "ROLLED", 40)


def rounds(body, first="x[0]", after="total + (s * s).sum()", data=DATA, **names):
    """A function of three numbers with a loop of this body, over ``e`` of data at round ``t``, with a state ``s``."""
    lines = [f"    s, total, ys = {first}, 0.0 * x[0], []", "    for t, e in enumerate(d):"]
    lines += [f"        {line}" for line in body.split("\n")] + [f"    return {after}"]
    space = {"np": np, "d": data, "k": KINDS, "T": len(data), **names}
    exec("\n".join(["def f(x):", *lines]), space)
    return space["f"]


CONDITIONS = {
    "where": rounds("s = np.where(s > 0, x[1] * s + e, x[2] * s - e)\ntotal = total + s * s"),
    "the other operand": rounds("s = np.where(e < s, np.sin(s), x[1] * s) + x[2] * e"),
    "of two": rounds("s = np.where((s > 0.1) & ~(s > x[1]), x[1] * s + e, np.tanh(s) * x[2] - e)"),
    "a factor": rounds("s = x[1] * s + (s > 0.2) * x[2] + e\ntotal = total + s * (s < e)"),
    "extremes": rounds("s = np.maximum(s * x[1], e) + np.minimum(s, x[2]) * np.abs(s) * 0.5 + np.clip(s, -1, 0.8) * 0.3"),
    "a vector": rounds("s = np.where(s > e, x[1] * s + e, np.roll(s, 1) * x[2])", "np.ones(3) * x"),
    "a state that is compared only": rounds("s = np.sin(s) * x[1] + e\ntotal = total * x[2] + (s > 0) * x[1]", after="total"),
    "after the loop": rounds("s = x[1] * s + e\nys.append(s)", after="np.where(s > 0, s, x[2] * s) + np.where(np.stack(ys) > x[2], 1.0, x[1]).sum()"),
    "a sign": rounds("s = x[1] * s + np.sign(s - x[2]) * x[0] + e"),
}  # fmt: skip
BRANCHES = {
    "two kinds": rounds("if e > 0:\n    s = x[1] * s + e\nelse:\n    s = x[2] * s - e\ntotal = total + s * s"),
    "three kinds": rounds("if e > 0.5:\n    s = np.tanh(x[1] * s) + e\nelif k[t] == 1:\n    s = x[2] * s * s - e\ntotal = total + s * s"),
    "a vector": rounds("if e > 0:\n    s = x * np.sin(s) + e\nelse:\n    s = np.roll(s, 1) * x[2] - e", "np.ones(3) * x"),
    "two states": rounds("if e > 0:\n    s, total = total + x[1] * s, np.sin(s)\nelse:\n    s = s * x[2]\n    total = total * 0.5 + e"),
    "a round in the middle": rounds("s = np.sin(s * x[1]) if t == 17 else x[2] * s + e\ntotal = total + s * s"),
    "what is kept": rounds("s = x[1] * s + e\nif e > 0:\n    s = np.sin(s)\n    ys.append(s * x[2])\nelse:\n    ys.append(s)", after="(np.stack(ys) ** 2).sum() + ys[3] * ys[-2]"),
    "entries": rounds("if e > 0:\n    s = s * x[k[t]] + e\nelse:\n    s = np.cos(s) * x[2] + x[k[t] - 1] * e"),
    "with conditions": rounds("if e > 0:\n    s = np.where(s > 0, s * x[1], e)\nelse:\n    s = np.maximum(s, x[2]) * 0.5 - e\ntotal = total + s * s"),
}  # fmt: skip
LAST = {
    "the first round": rounds("s = np.exp(x[1]) * e if t == 0 else x[2] * np.sin(s) * s - e\ntotal = total + s * s"),
    "the last round": rounds(
        "s = np.exp(-s * s) * x[1] if t == T - 1 else x[2] * s * np.sin(s) - e\ntotal = total + s * s"
    ),
}
FROM, TO = RNG.integers(0, 3, size=(2, 40))  # some of them the same in one round
ROW, TABLE = "x + 0 * x[0]", "x[:, None] * np.arange(1.0, 4)"
PICKS = {
    "two entries": rounds("a, b = i[t], j[t]\ns[a], s[b] = s[b] * x[1] + e, np.sin(s[a] + x[2])\ntotal = total + s[a] * s[b]", ROW, i=FROM, j=TO),
    "a list of entries": rounds("q = [i[t], j[t]]\ns[q] = x[1] * np.sin(s[q] + e) + s[q[::-1]] * 0.9", ROW, i=FROM, j=TO),
    "rows": rounds("q = [i[t], j[t]]\ns[q] = np.tanh(x[1] * e + s[q][::-1]) * x[2]", TABLE, i=FROM, j=TO),
    "columns": rounds("q = [i[t], j[t]]\ns[:, q] = np.tanh(x[1] * e + s[:, q][:, ::-1]) * x[2]", TABLE, i=FROM, j=TO),
    "pairs": rounds("q, r = [i[t], j[t]], [j[t], 0]\ns[q, r] = np.sin(s[q, r] * x[1] + e)", TABLE, i=FROM, j=TO),
    "a block": rounds("q = np.ix_([i[t], 2], [j[t], 0])\ns[q] = np.sin(s[q] * x[1] + e)", TABLE, i=FROM, j=TO),
}  # fmt: skip
EVERY = {**PICKS, **CONDITIONS, **{f"{name} of rounds": f for name, f in BRANCHES.items()}, **LAST}


def written_out(f, x, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(_limits, "ROLLED", 10**9)
        return f(x), sg.grad(f)(x), sg.hessian(f)(x)


def expect(found, right, rtol):
    for mine, truth in zip(map(np.asarray, found), right, strict=True):
        np.testing.assert_allclose(mine, truth, rtol=rtol, atol=rtol * np.abs(truth).max())


def expect_a_loop(compiled):
    programs = getattr(compiled, "_compiled", compiled)._programs
    assert [isinstance(made.program, ProgramWithLoops) and not made.program.refused for made in programs] == [True]


def given(target, x):
    if target == "jax":
        jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
    return pytest.importorskip("torch").from_numpy(x) if target == "torch" else x


@one_in(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EVERY)
def test_rounds_that_choose_are_a_loop(name, target, monkeypatch, tmp_path):
    f = EVERY[name]
    compiled = sg.compile(f, target=target)
    for x in (X, X * 0.8, -0.7 * X):
        expect(compiled(given(target, x)), written_out(f, x, monkeypatch), 1e-9)
    expect_a_loop(compiled)
    if target == "numpy":
        compiled.save(tmp_path / "saved.py", X)
        subprocess.run([sys.executable, tmp_path / "saved.py"], check=True)


@one_in(3)
@pytest.mark.parametrize("first", ["0.0 * x[0]", "x[0] - x[0]", "x[0] * 0 + x[2]"])
@pytest.mark.parametrize("body", [
    "s = np.where(s > 0, s * x[1], s * x[2])", "s = np.maximum(s, 0.0) * x[1]", "s = np.minimum(s, x[2]) * x[1] ** 0",
    "s = np.abs(s) * x[1]", "s = np.clip(s, 0.0, x[2]) * x[1]", "s = np.where(s >= x[2], x[1] * s, s)",
])  # fmt: skip
def test_at_a_kink_it_is_the_tapes(body, first, monkeypatch):
    f = rounds(f"{body}\ntotal = total + x[0] * s")
    g = rounds(f"{body}\ntotal = total + x[0] * s", first)
    for function in (f, g):
        compiled = sg.compile(function)
        for x in (X, np.array([0.0, 0.5, 0.0]), np.array([0.0, 0.5, 0.4])):
            expect(compiled(x), written_out(function, x, monkeypatch), 1e-9)


def test_what_another_kind_of_rounds_cannot_compute_does_not_count(monkeypatch):
    """The logarithm of a negative state, in rounds in which Python does not take it."""
    d = np.tile([1.0, -1.0], 20)
    f = rounds("if e > 0:\n    s = -np.log(1.5 + s) * x[1] - 2\nelse:\n    s = s * s * 0.1 * x[2] + e * 0.1", data=d)
    compiled = sg.compile(f)
    for x in (X, 2 * X):
        expect(compiled(x), written_out(f, x, monkeypatch), 1e-9)


def test_each_way_through_a_loop_that_branches_on_its_state_is_a_loop(monkeypatch):
    f = rounds("s = x[1] * s + e\nif s > 0.5:\n    s = x[2] * s\ntotal = total + s * s")
    compiled = sg.compile(f)
    monkeypatch.setattr(_limits, "WAY_MS", 1e6)
    for scale in (1.0, 1.7, 0.3, 1.0):
        expect(compiled(scale * X), written_out(f, scale * X, monkeypatch), 1e-9)
    assert len(compiled._programs) > 1 and all(isinstance(m.program, ProgramWithLoops) for m in compiled._programs)


SINGLE = {
    "all": rounds("s = np.tanh(s * x[1] + e)\ntotal = total + s * s", data=DATA.astype(np.float32)),
    "data in double": rounds("s = np.tanh(s * x[1] + e)\ntotal = total + s * s"),
    "the total in double": rounds("s = np.tanh(s * x[1])\ntotal = total + s * e", "x[0]"),
    "conditions": rounds("s = np.where(s > 0, s * x[1], x[2]) * 0.9 + e", data=DATA.astype(np.float32)),
    "kinds": rounds("if e > 0:\n    s = s * x[1] + e\nelse:\n    s = np.sin(s) * x[2] - e", data=DATA.astype(np.float32)),
    "a vector": rounds("s = np.sin(s) * x + e", "x * x[1]", data=DATA.astype(np.float32)),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SINGLE)
def test_a_loop_of_float32_is_a_loop(name, target, monkeypatch, tmp_path):
    f, x = SINGLE[name], X.astype(np.float32)
    compiled = sg.compile(f, target=target)
    for point in (x, -x):
        found, right = compiled(given(target, point)), written_out(f, point, monkeypatch)
        expect(found, right, 3e-6)
        assert [np.asarray(a).dtype for a in found] == [a.dtype for a in right]
    expect_a_loop(compiled)
    if target == "numpy":
        compiled.save(tmp_path / "saved.py", x)
        subprocess.run([sys.executable, tmp_path / "saved.py"], check=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "body", ["s = s * s * x[1]", "s = 1 / np.exp(s * s * x[1] * 9)", "s = np.exp(9 * s) / np.exp(8 * s)"]
)
def test_what_is_too_large_for_float32_is_so_in_a_program(body, monkeypatch):
    f = rounds(f"{body}\ntotal = total + 1 / (1 + s)", data=DATA.astype(np.float32))
    compiled = sg.compile(f)
    for scale in (0.1, 2.0, 20.0, 60.0):
        x = (scale * X).astype(np.float32)
        found, right = compiled(x), written_out(f, x, monkeypatch)
        assert np.isfinite(found[0]) == np.isfinite(right[0])
        for mine, truth in zip(map(np.asarray, found), right, strict=True):
            finite = np.isfinite(truth)  # where a quotient of infinities has a derivative the program may know it
            np.testing.assert_allclose(mine[finite], truth[finite], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("count", [12, 20])
def test_short_loops_are_loops_for_jax(count):
    pytest.importorskip("jax")
    f = rounds("s = np.tanh(s * x[1] + e)\ntotal = total + s * s", data=DATA[:count])
    compiled = sg.compile(f, target="jax")
    expect(compiled(given("jax", X)), sg.compile(f)(X), 1e-9)
    expect_a_loop(compiled)
