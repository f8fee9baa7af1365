"""Compiled functions with loops in them: each loop by a program of its step, the rest by programs around it."""

import functools
import importlib.util
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import symgrad as sg
import symgrad.numpy as snp
from symgrad import _limits
from symgrad.transforms import repeated as repeated_module
from symgrad.transforms.compiled.with_loops import ProgramWithLoops
from tests.transforms.loops.test_scan import CASES, RETURNS, SERIES
from tests.transforms.loops.test_scan_programs import random_step

from ...helpers.cases import one_in

RNG = np.random.default_rng(8)
X = np.array([0.7, 0.4, 0.5])
TARGETS = ["numpy"]
if importlib.util.find_spec("numba"):
    TARGETS.append(pytest.param("numba", marks=pytest.mark.slow))


@pytest.fixture(autouse=True)
def short_loops(monkeypatch):
    monkeypatch.setattr(_limits, "SCAN_STEPS", 6)


def written_out(f, x, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(_limits, "SCAN_STEPS", 10**9)
        patched.setattr(_limits, "ROLLED", 10**9)
        return f(x), sg.grad(f)(x), sg.hessian(f)(x)


def looped(compiled):
    return [isinstance(made.program, ProgramWithLoops) for made in compiled._programs]


def curved_inside(p):  # what the loop uses is bent, and so is what is made of it
    a, b = np.exp(p[0]) * 0.3, np.sin(p[1] * p[2])
    s, ys = sg.scan(lambda s, e: (np.tanh(a * s + e), s * b), p[2] ** 2, RETURNS)
    return (ys**2).mean() * np.log(1 + s * s) + p[0] * ys[3] + np.exp(p).sum()


def two_loops(p):
    first = sg.scan(lambda s, e: (s * p[0] + e, s * s), 0.1, RETURNS)[1]
    second = sg.scan(lambda s, e: (np.sin(s * p[1]) + e, s), p[2], SERIES, reverse=True)[1]
    return (first * second).sum()


def one_feeds_the_other(p):
    first = sg.scan(lambda s, e: (s * p[0] + e, s * s), 0.1, RETURNS)[0]
    return sg.scan(lambda s, e: (np.sin(s * first) + e * p[1], s), p[2], SERIES)[1].sum()


def smoothed(p):
    state, ys = sg.scan(lambda s, e: (np.tanh(s * p[0] + e), s * s), p[2], RETURNS)
    xs = [ys * p[2], np.exp(ys)]
    back = sg.scan(lambda s, e: (s * p[1] + np.sin(e[0]) * e[1], s * e[0]), state, xs, reverse=True)
    return (back[1] ** 2).sum() * state + sg.scan(lambda s, y: (s * y + back[0], s), 0.1, ys)[1].sum()


def only_a_value(p):
    return sg.scan(lambda s, e: (s * 0.9 + e, s), 0.1, RETURNS)[1].sum() * p[0] ** 2 + p[1] * p[2]


def short(p):
    return sg.scan(lambda s, e: (s * p[0] + e, s), 0.1, RETURNS[:4])[1].sum() * p[1] * p[2]


def in_slices(p):
    return sg.scan(lambda s, e: (s * 0.5 + e * p[0], s * s), 0.1, p[1] * RETURNS)[1].sum() * p[2]


def of_a_dictionary(p):
    def step(s, x):
        new = {"level": s["level"] + s["slope"] * p[0], "slope": s["slope"] * p[1] + x["e"]}
        return new, {"fit": s["level"], "gap": (x["y"] - s["level"]) ** 2}

    last, ys = sg.scan(step, {"level": p[2], "slope": 0.1}, {"e": RETURNS, "y": SERIES})
    return ys["gap"].sum() + ys["fit"][-1] * last["level"]


def no_state(p):
    return (sg.scan(lambda s, e: (s, np.sin(p[0] * e) * p[1]), (), RETURNS)[1] ** 2).sum() * p[2]


LOOPED = {
    "in slices": in_slices,
    "curved inside": curved_inside,
    "two loops": two_loops,
    "a dictionary": of_a_dictionary,
    "no state": no_state,
}
WRITTEN_OUT = {"only a value": only_a_value, "short": short}
OF_SCANS = {name: CASES[name] for name in CASES if name not in ("branches", "attribute")}


def function_and_point(case, k):
    """A case and the k-th of its points."""
    f, x = (LOOPED[case], X) if case in LOOPED else OF_SCANS[case]
    return f, np.asarray(x, float) * (1 - 0.1 * k)


@functools.cache
def truth_of(case, k):
    """What is there where no loop is one operation: the same for every target."""
    with pytest.MonkeyPatch.context() as patched:
        return written_out(*function_and_point(case, k), patched)


@one_in(4)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", [*OF_SCANS, *LOOPED])
def test_value_gradient_and_matrix(case, target):
    fgh = sg.compile(function_and_point(case, 0)[0], target=target)
    for k in range(3):
        for mine, truth in zip(fgh(function_and_point(case, k)[1]), truth_of(case, k), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-8, atol=1e-10)
    assert looped(fgh) == [True]


@one_in(4)
@pytest.mark.parametrize(("unrolled", "variables"), [(10**9, 2), (0, 10**9), (0, 0)])
@pytest.mark.parametrize("case", [*LOOPED, *OF_SCANS])
def test_the_loops_for_numba_are_right_as_python(case, unrolled, variables, monkeypatch):
    """The same source, run by Python: with second derivatives entry by entry, and in loops, added up in either way."""
    monkeypatch.setitem(sys.modules, "numba", types.SimpleNamespace(njit=lambda **_: lambda f: f, __version__="none"))
    monkeypatch.setattr(_limits, "LOOP_UNROLLED", unrolled)
    monkeypatch.setattr(_limits, "LOOP_VARIABLES", variables)
    fgh = sg.compile(function_and_point(case, 0)[0], target="numba")
    for k in range(2):
        for mine, truth in zip(fgh(function_and_point(case, k)[1]), truth_of(case, k), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", WRITTEN_OUT)
def test_other_loops_are_written_out(case, monkeypatch):
    fgh = sg.compile(WRITTEN_OUT[case])
    for mine, truth in zip(fgh(X), written_out(WRITTEN_OUT[case], X, monkeypatch), strict=True):
        np.testing.assert_allclose(mine, truth, rtol=1e-8, atol=1e-10)
    assert looped(fgh) == [False]


@one_in(3)
@pytest.mark.parametrize("outputs", ["f", "g", "h", "fg", "gf", "hf", "hgf"])
def test_outputs_in_any_order(outputs):
    truth = dict(zip("fgh", sg.compile(curved_inside)(X), strict=True))
    compiled = sg.compile(curved_inside, outputs)
    found = compiled(X)
    assert looped(compiled) == [True]
    for letter, mine in zip(outputs, found if len(outputs) > 1 else [found], strict=True):
        np.testing.assert_allclose(mine, truth[letter], rtol=1e-12)


def test_several_arguments_containers_and_sparse_matrices(monkeypatch):
    def f(p, start, *, xs):
        ys = sg.scan(lambda s, e: (s * p["a"] + e * p["b"].sum(), s * s), start, xs)[1]
        return ys.sum()

    p, xs = {"a": np.array(0.5), "b": np.array([0.3, -0.2])}, RNG.normal(size=12)
    compiled = sg.compile(f, argnums=(0, 1))
    f_, g, h = compiled(p, 0.4, xs=xs)
    assert looped(compiled) == [True]
    np.testing.assert_allclose(f_, f(p, 0.4, xs=xs))
    truth = sg.grad(f, argnums=(0, 1))(p, 0.4, xs=xs)
    np.testing.assert_allclose(g[0]["b"], truth[0]["b"])
    np.testing.assert_allclose(g[1], truth[1])
    second = sg.hessian(f, argnums=(0, 1))(p, 0.4, xs=xs)
    np.testing.assert_allclose(h.matrix, second.matrix, rtol=1e-9)
    sparse = sg.compile(curved_inside, "h", format="csr")(X)
    np.testing.assert_allclose(sparse.toarray(), sg.compile(curved_inside, "h")(X), rtol=1e-12)


def test_a_loop_may_run_along_an_argument():

    def f(p, xs):
        return sg.scan(lambda s, e: (s * p[0] + e, s * s * p[1]), 0.3, xs)[1].sum()

    compiled = sg.compile(f, "h")
    for n in (12, 12, 15):
        xs = RNG.normal(size=n)
        np.testing.assert_allclose(compiled(X, xs), sg.hessian(f)(X, xs), rtol=1e-8)
    assert looped(compiled) == [True, True]


def _of_both(p, y, w):  # slices of what is differentiated beside those of data, which come first, last, or bent
    h, total = p[0], 0.0
    z = np.sin(y) + w.sum()
    for t in range(70):
        h = p[1] * h + np.cos(h * p[t % 2 + 1]) * z[t] + np.tanh(y[t + 1] * p[2] * h)
        total = total + h * h * w[t % 3]
    return total


OF_DATA = {
    "for": (_of_both, (RNG.normal(size=71), RNG.normal(size=3))),
    "scan": (
        lambda p, y, w: sg.scan(
            lambda s, e: (s * p[0] + e[0] * e[1], s * s * e[2]), p[1], (np.cos(y), y * p[2], w), reverse=True
        )[1].sum(),
        (RNG.normal(size=20), RNG.normal(size=20)),
    ),
    "one feeds the other": (
        lambda p, y, w: sg.scan(
            lambda s, e: (s * p[2] + e[0] * e[1], np.sin(s)), p[1],
            (2 * y, sg.scan(lambda s, e: (s * p[0] + e, s * s), 0.1, y * w)[1]),
        )[1].sum(),
        (RNG.normal(size=20), RNG.normal(size=20)),
    ),
    "one of data alone feeds the other": (
        lambda p, y, w: sg.scan(
            lambda s, e: (s * p[0] + np.tanh(e[0] * s), s * s * e[1] * p[2]), p[1],
            (sg.scan(lambda s, e: (s / 2 + e, s * e), 0.3, w * y)[1], sg.scan(lambda s, e: (s / 2, s + e), 0.1, y)[1]),
        )[1].sum(),
        (RNG.normal(size=50), RNG.normal(size=50)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", OF_DATA)
def test_slices_of_data_are_no_variables(name, target, monkeypatch, tmp_path):
    f, data = OF_DATA[name]
    compiled, x = sg.compile(f, "fgh", target=target), np.array([0.4, 0.3, -0.2])
    for given in (data, tuple(np.roll(d, 1) for d in data)):
        found = compiled(x, *given)
        truth = written_out(lambda p, given=given: f(p, *given), x, monkeypatch)
        for a, b in zip(found, truth, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
    assert looped(compiled) == [True]
    assert all(loop.size < 40 for made in compiled._programs for loop in made.program.inner)  # with y it would be 90
    compiled.save(tmp_path / "saved.py", x, *data)
    spec = importlib.util.spec_from_file_location("saved_loop", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for a, b in zip(module.derivatives(x, *given), found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


def test_what_is_not_finite_is_the_tapes(monkeypatch):
    def f(p):
        return sg.scan(lambda s, e: (np.exp(p[0] * s) - 1 + e, np.sqrt(s) * p[1]), 0.5, RETURNS)[1].sum()

    fgh = sg.compile(f, "fg")
    with np.errstate(all="ignore"):
        assert np.isfinite(fgh(np.array([0.1, 1.0]))[1]).all() == np.isfinite(sg.grad(f)(np.array([0.1, 1.0]))).all()
        np.testing.assert_array_equal(np.isnan(fgh(np.array([900.0, 1.0]))[0]), np.isnan(f(np.array([900.0, 1.0]))))


LONG = np.sin(np.arange(3000.0))
SHOWN = {
    **LOOPED,
    "user's names": lambda loop0: sg.scan(lambda row, H: (row * loop0[0] + H, row * row), 0.3, RETURNS[:8])[1].sum(),
    "around it bent": lambda p: np.exp(-sg.scan(lambda s, e: (s * p[0] + e, s * s), 0.3, RETURNS[:9])[1]).sum() * p[1],
    "two loops": lambda p: sg.scan(lambda s, e: (np.tanh(s * p[0] + e), s), p[1], RETURNS[:9])[0]
    * sg.scan(lambda s, e: (s * p[2] + e, s * s), 0.1, RETURNS[:7], reverse=True)[1].sum(),
    "a large array": lambda p: sg.scan(lambda s, e: (s * p[0] + e, s * s), 0.3, LONG)[1].sum() * p[1],
}  # fmt: skip


@one_in(3)
@pytest.mark.parametrize("outputs", ["fgh", "g", "f"])
@pytest.mark.parametrize("name", SHOWN)
def test_source_has_the_loops(name, outputs, tmp_path):
    compiled = sg.compile(SHOWN[name], outputs)
    found = compiled(X)
    assert looped(compiled) == [True]
    assert re.search(r"^    for .* in rows:$", compiled.code(X), re.MULTILINE)
    compiled.save(tmp_path / "saved.py", X)
    spec = importlib.util.spec_from_file_location("saved_loop", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    again = getattr(module, {"g": "gradient", "f": "value"}.get(outputs, "derivatives"))(X)
    for a, b in zip(again, found, strict=True) if outputs == "fgh" else [(again, found)]:
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    module._test()


@pytest.mark.parametrize("given", [lambda s: s, lambda s: 1 / (1 + np.exp(s))])
def test_a_saved_loop_has_numpys_numbers_where_they_are_not_finite(given, tmp_path):
    def f(p):
        return sg.scan(lambda s, e: (s * p[0] + e, given(s)), 0.1, np.ones(200))[1].sum() * p[1]

    x, far = np.array([0.5, 1.0]), np.array([1e3, 1.0])
    compiled = sg.compile(f, "fg")
    compiled.save(tmp_path / "saved.py", x)
    spec = importlib.util.spec_from_file_location("saved_loop", tmp_path / "saved.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(module.derivatives(far)[0], f(far))


@pytest.mark.slow
def test_a_saved_loop_of_numba_runs(tmp_path):
    pytest.importorskip("numba")
    compiled = sg.compile(SHOWN["around it bent"], "fgh", target="numba")
    compiled(X)
    compiled.save(tmp_path / "saved.py", X)
    assert "@numba.njit" in (tmp_path / "saved.py").read_text()
    run = subprocess.run([sys.executable, tmp_path / "saved.py"], capture_output=True, text=True, check=True)
    assert run.stdout == "derivatives: as it should be\n" and not run.stderr


def _sampled(p):
    h, rows = p[0], []
    for e in DRIVE:
        h = p[1] * h + np.tanh(e * p[2])
        rows.append(np.exp(0.1 * h))
    return np.array(rows)


def _filled(p):
    h, rows = p[0], np.zeros((len(DRIVE), 2)) * p[0]
    for t in range(len(DRIVE)):
        h = p[1] * h + 0.3 * DRIVE[t]
        rows[t, 0], rows[t, 1] = h, h * h * p[2]
    return rows


def _fed(p):
    a, b, h, g = [], [], p[0], p[2]
    for e in DRIVE:
        h = p[1] * h + 0.3 * e
        a.append(h)
    for v in a:
        g = 0.5 * g + np.sin(v) * p[1]
        b.append(g)
    return np.stack([np.stack(a), np.stack(b)], 1) * p[2]


DRIVE = np.sin(np.arange(70.0))
ARRAYS = {
    "sampled": _sampled,
    "filled": _filled,
    "fed": _fed,
    "scan": lambda p: sg.scan(lambda s, e: (s * p[0] + e, s * s * p[1]), p[2], DRIVE)[1],
    "its end": lambda p: np.stack([sg.scan(lambda s, e: (s * p[0] + e, s), p[1], DRIVE)[1][-1], p[2]]),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ARRAYS)
def test_a_jacobian_of_loops(name, target, tmp_path):
    f, p = ARRAYS[name], np.array([0.4, 0.7, -0.3])
    compiled = sg.compile(f, "fj", target=target)
    for x in (p, -0.5 * p):
        value, jacobian = compiled(x)
        assert np.allclose(value, f(x), rtol=1e-12)
        assert np.allclose(jacobian, sg.jacobian(f)(x), rtol=1e-9, atol=1e-12)
    assert looped(compiled) == [True]
    assert np.allclose(sg.compile(f, "f", target=target)(p), f(p), rtol=1e-12)
    if target == "numpy":
        sparse = sg.compile(f, "j", format="csr")
        assert np.allclose(sparse(p).toarray(), compiled(p)[1].reshape(-1, 3))
        compiled.save(tmp_path / "saved.py", p)
        run = subprocess.run([sys.executable, tmp_path / "saved.py"], capture_output=True, text=True, check=True)
        assert run.stdout == "derivatives: as it should be\n" and not run.stderr


def test_loops_that_are_too_long_to_be_written_out_are_refused():
    many = lambda p: sg.scan(lambda s, e: (s * p[0] + e, None), np.zeros(200) + p[1], np.ones(400))[0].sum()
    with pytest.raises(sg.GradientError, match="its step has no program of its own"):
        sg.compile(many)(X)


@one_in(4)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", range(4))
def test_random_steps(seed, target, monkeypatch):
    step, xs = random_step(seed + 20), RNG.normal(size=9)

    def f(p):
        (a, b), (u, v) = sg.scan(lambda s, x: step(s, x, p), (p[0], 0.3), xs)
        return (u * np.arange(9)).sum() + (v**2).mean() + a * b

    fgh = sg.compile(f, target=target)
    for k in range(2):
        p = np.random.default_rng(seed + k).normal(size=3)
        for mine, truth in zip(fgh(p), written_out(f, p, monkeypatch), strict=True):
            np.testing.assert_allclose(mine, truth, rtol=1e-7, atol=1e-9)
    assert looped(fgh) == [True]


# ------------------------------------------------------------------------------- what is found from values, not at them


def rounds(step, first=lambda x: x[0]):
    """A loop of 20 rounds in Python."""

    def f(x):
        s = first(x)
        for t in range(20):
            s = step(s, x, t)
        return s

    return f


def scanned(step, first=lambda x: x[0], of=lambda x: 0.0):
    """The same by sg.scan; what is ``of`` x is found before."""

    def f(x):
        m = of(x)
        return sg.scan(lambda s, e: (step(s, x, e, m), s), first(x), np.linspace(-1, 1, 20))[0]

    return f


def along_a_mask(x):
    return sg.scan(lambda s, e: (np.sin(s) * x[1] + 0.1 * e, s), x[0], (x[0] > np.linspace(-1, 1, 20)) * 1.0)[0]


FOUND = {
    "a mask of the state": rounds(lambda s, x, t: np.sin(s) * x[1] + (s > 0.5) * 0.3),
    "a mask of an argument": rounds(lambda s, x, t: np.sin(s) * x[1] + (x[0] > 0.5) * 0.3),
    "one in each round": rounds(lambda s, x, t: np.sin(s) * x[1] + (x[0] > 0.1 * t - 1.05) * 0.3),
    "a condition": rounds(lambda s, x, t: np.where(x[0] > 0.5, np.sin(s) * x[1], 0.3 * s + x[0])),
    "as numbers": rounds(lambda s, x, t: np.sin(s) * x[1] + (s > 0.5).astype(float) * 0.3),
    "a place": rounds(lambda s, x, t: np.sin(s) * x[1] + np.argmax(x * s) * 0.3),
    "a count": rounds(lambda s, x, t: np.sin(s) * x[1] + np.sum(x > s) * 0.3),
    "the first state": rounds(lambda s, x, t: np.sin(s) * x[1] + 0.1 * x[0], lambda x: (x[0] > 0.5) * 1.0),
    "the first state of a scan": scanned(lambda s, x, e, m: np.sin(s) * x[1] + e * x[0], lambda x: (x[0] > 0.5) * 1.0),
    "a mask that a scan catches": scanned(lambda s, x, e, m: np.sin(s) * x[1] + m + e, of=lambda x: (x[0] > 0.5) * 0.1),
    "one in a list": scanned(lambda s, x, e, m: np.sin(s) * x[1] + m[0] + e, of=lambda x: [(x[0] > 0.5) * 0.1]),
    "a condition that it catches": scanned(
        lambda s, x, e, m: np.where(m, np.sin(s) * x[1], 0.3 * s) + e, of=lambda x: x[0] > 0.5
    ),
    "a mask in the step of a scan": scanned(lambda s, x, e, m: np.sin(s) * x[1] + (s > 0.5) * 0.1 + e),
    "what a scan runs along": along_a_mask,
}  # fmt: skip


@pytest.mark.parametrize("made", [np.array, sg.tensor])
@pytest.mark.parametrize("name", FOUND)
def test_what_is_found_from_values_is_found_at_each_point(name, made, monkeypatch):
    f = FOUND[name]
    monkeypatch.setattr(_limits, "ROLLED", 20)
    compiled = sg.compile(f, "fg")
    for x in ([0.4, 0.8], [0.9, -0.5], [0.2, 1.3]):
        value, gradient = map(np.asarray, compiled(made(np.array(x))))
        step = 1e-6 * np.eye(2)
        slopes = [(f(x + h) - f(x - h)) / 2e-6 for h in step]
        np.testing.assert_allclose(value, f(np.array(x)), rtol=1e-12)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)


SIGNS = np.sin(np.arange(20.0))


def with_a_condition_on_data(x):
    s, total = x[0], 0.0
    for r in SIGNS:
        s = np.tanh(x[1] * s + r * (r < 0))
        total = total + s * s * np.where(r > 0.5, 2.0, 1.0)
    return total


def test_what_is_found_from_data_is_data(monkeypatch):
    monkeypatch.setattr(_limits, "ROLLED", 20)
    compiled, x = sg.compile(with_a_condition_on_data), np.array([0.4, 0.8])
    for found, truth in zip(compiled(x), written_out(with_a_condition_on_data, x, monkeypatch), strict=True):
        np.testing.assert_allclose(found, truth, rtol=1e-9)
    assert looped(compiled) == [True]


# --------------------------------------------- Rounds that read, and write to, other places, and multiply by counts

ROUNDS = 60
CHOICES, STATES, COUNTS = RNG.integers(0, 3, ROUNDS), RNG.integers(0, 2, ROUNDS), RNG.poisson(3, ROUNDS)
REWARDS = RNG.normal(size=ROUNDS)


def learner(p):  # of three values one is looked at and moved
    Q, loss = snp.zeros(3), 0.0
    for a, r in zip(CHOICES, REWARDS, strict=True):
        loss = loss - p[1] * Q[a] + np.log(np.sum(np.exp(p[1] * Q)))
        Q[a] += p[0] * (r - Q[a])
    return loss


def learner_of_a_table(p):
    Q, loss = snp.zeros((2, 3)), 0.0
    for t in range(ROUNDS - 1):
        s, a = STATES[t], CHOICES[t]
        loss = loss + (REWARDS[t] - Q[s, a] - p[2]) ** 2
        Q[s, a] += p[0] * (REWARDS[t] + p[1] * np.sum(Q[STATES[t + 1]] ** 2) - Q[s, a])
    return loss


def learner_by_marks(p):
    Q, loss = np.zeros(3), 0.0
    for t in range(ROUNDS):
        loss = loss - np.log((np.exp(p[1] * Q) / np.exp(p[1] * Q).sum())[CHOICES[t]])
        Q = Q + p[0] * (COUNTS[t] - Q[CHOICES[t]]) * (np.arange(3) == CHOICES[t])
    return loss


def counted(p):
    rate, loss = 3.0, 0.0
    for t in range(1, ROUNDS):
        rate = p[0] + p[1] * COUNTS[t - 1] + p[2] * rate
        loss = loss + rate - COUNTS[t] * np.log(rate)
    return loss


def choosing_by_what_is_there(p):
    Q, loss = snp.ones(3), 0.0
    for a, r in zip(CHOICES, REWARDS, strict=True):
        step = np.where(Q[a] > r, p[0], p[1])
        Q[-1 - a] += step * (r - Q[a])
        loss = loss + Q[a] ** 2
    return loss


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "f", [learner, learner_of_a_table, learner_by_marks, counted, choosing_by_what_is_there], ids=lambda f: f.__name__
)
def test_rounds_may_choose_places_and_count(f, target, monkeypatch):
    x = np.array([0.3, 0.2, 0.4])
    value, g, h = written_out(f, x, monkeypatch)
    compiled = sg.compile(f, "fgh", target=target)
    for at, wanted in zip(compiled(x), (value, g, h), strict=True):
        np.testing.assert_allclose(at, wanted, rtol=1e-9, atol=1e-11)
    assert looped(compiled) == [True]
    steps = 1e-6 * np.eye(3)
    np.testing.assert_allclose(g, [(f(x + s) - f(x - s)) / 2e-6 for s in steps], rtol=1e-6, atol=1e-6)
    y = x * 1.1
    np.testing.assert_allclose(compiled(y)[1], [(f(y + s) - f(y - s)) / 2e-6 for s in steps], rtol=1e-6, atol=1e-6)


def rated(p, home, away, won):
    R, loss = snp.zeros(4), 0.0
    for i, j, s in zip(home, away, won, strict=True):
        expected = 1 / (1 + np.exp(-(R[i] - R[j] + p[1])))
        loss = loss + (s - expected) ** 2
        R[i] += p[0] * (s - expected)
        R[j] -= p[0] * (s - expected)
    return loss


def test_arguments_that_choose_are_a_part_of_a_repeated_program(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", 4)
    H = sg.hessian(rated)
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        home = rng.integers(0, 4, ROUNDS)
        games = home, (home + rng.integers(1, 4, ROUNDS)) % 4, rng.normal(size=ROUNDS)
        for _ in range(12):
            x = rng.normal(size=2) * 0.3
            wanted = sg.hessian(lambda p, *data: rated(p, *data))(x, *games)
            np.testing.assert_allclose(H(x, *games), wanted, rtol=1e-8, atol=1e-10)
        assert H._repeated._ready is not None
        games[0][3] = (games[1][3] + 1) % 4  # of one that is written to there is another program
        x = np.array([0.2, 0.1])
        wanted = sg.hessian(lambda p, *data: rated(p, *data))(x, *games)
        np.testing.assert_allclose(H(x, *games), wanted, rtol=1e-8, atol=1e-10)


FIRST = """
import numpy as np, symgrad as sg, symgrad.numpy as snp
places, rewards = np.arange(80) * 7 % 5 % 3, np.sin(np.arange(80.0))
def learner(p):
    Q, loss = snp.zeros(3), 0.0
    for a, r in zip(places, rewards):
        loss = loss + (r - Q[a]) ** 2
        Q[a] += p[0] * (r - Q[a])
    return loss + p[1]
compiled = sg.compile(learner, "fgh")
compiled(np.array([0.3, 0.2]))
print(type(compiled._programs[0].program).__name__, len(compiled.code(np.array([0.3, 0.2])).splitlines()))
"""


def test_a_loop_is_one_where_its_operations_were_never_used_before():
    # what the rows of the table find out when they are first asked for is nothing that a step leaves behind
    words = [subprocess.run([sys.executable, "-c", FIRST + again], capture_output=True, text=True, check=True).stdout
             for again in ("", FIRST)]  # fmt: skip
    assert words[1] == 2 * words[0] and words[0].startswith("ProgramWithLoops")


def test_a_loop_of_too_long_a_step_is_not_written_out_for_calls(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", 4)
    monkeypatch.setattr(repeated_module, "REPEATED_STEPS", 60)
    x, wanted = np.array([0.3, 0.2, 0.4]), sg.hessian(learner)(np.array([0.3, 0.2, 0.4]))
    for cost, is_made in ((_limits.SCAN_COST, True), (1, False)):
        monkeypatch.setattr(_limits, "SCAN_COST", cost)
        H = sg.hessian(lambda p: learner(p))
        for _ in range(8):
            np.testing.assert_allclose(H(x), wanted, rtol=1e-9, atol=1e-11)
        assert (H._repeated._ready is not None) == is_made
