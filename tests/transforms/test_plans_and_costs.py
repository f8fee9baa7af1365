"""What Hessians say of themselves: plan, code, structure, report and cost; and the limits of memory and of numbers."""

import inspect
import json
import re
import runpy
import shutil
import subprocess
import sys
import tracemalloc
import types
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad._progress import Task, wanted
from symgrad.programs import program
from symgrad.scipy.signal import lfilter
from symgrad.transforms import tape_route
from symgrad.transforms.calls import run

from ..helpers.cases import one_in

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
W = np.array([0.5, -0.3, 0.8])
U = np.array([1.1, 0.7, -0.4])


@pytest.fixture(autouse=True)
def mistakes_are_raised(monkeypatch):
    """A mistake in making a program is an error here, and no reason to take the tape."""
    monkeypatch.setattr(program, "STRICT", True)


def logistic(w):
    return sg.log1p(sg.exp(X @ w)).sum()


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def running(x):
    """A function without a program."""
    return (lfilter([1.0], [1.0, -0.5], x) ** 3).sum()


# Plans, structures, code ----------------------------------------------------------------------------------------------


def test_a_plan_says_what_will_run_and_whether_it_was_compared_with_the_tape():
    hessian = sg.hessian(lambda w: sg.log1p(sg.exp(X @ w)).sum() + 0.731 * (w**4).sum())
    before = hessian.plan(W)
    assert "3 variables, dense" in before and "a program runs" in before and "to be compared with the tape" in before
    hessian(W)
    assert "compared with the tape;" in hessian.plan(W)


@pytest.mark.parametrize(("f", "reason"), [
    (running, "no formula"), (lambda x: 3.0, "does not depend on it"),
    (lambda x: (x.double() * X[0]).sum() ** 2, "float32, float64|float64, float32"),
])  # fmt: skip
def test_a_plan_says_why_the_tape_runs(f, reason):
    x = W.astype(np.float32) if "float32" in reason else W
    text = sg.hessian(f).plan(x)
    assert "the tape runs" in text and re.search(reason, text)
    with pytest.raises(sg.GradientError, match=rf"(?s)has no program here.*({reason})"):
        sg.hessian(f).code(x)


def test_a_plan_of_a_refused_program_gives_the_reason(monkeypatch):
    f = lambda w: sg.log1p(sg.exp(X @ w)).sum() + 0.377 * (w**4).sum()
    hessian = sg.hessian(f)
    truth = hessian(W)
    monkeypatch.setattr(hessian._recorded((W,), {})[1].program, "refused", "its program was wrong")
    assert "the tape runs" in hessian.plan(W) and "its program was wrong" in hessian.plan(W)
    np.testing.assert_allclose(hessian(W), truth, rtol=1e-10)


@pytest.mark.parametrize(("f", "x", "format", "words"), [
    (logistic, W, "dense", "Gram matrix"), (lambda x: (x**4).sum(), W, "dense", "diagonals"),
    (rosenbrock, np.ones(6), "csr", "single entries of 36"), (lambda x: x.sum(), W, "dense", "zero, 3×3"),
    (running, W, "dense", "as far as is known"),
])  # fmt: skip
def test_the_structure_is_said_in_a_few_words(f, x, format, words):
    assert words in sg.hessian(f, format=format).structure(x)


def test_plans_need_arrays_and_say_so():
    for say in ("plan", "code", "structure"):
        with pytest.raises(sg.GradientError, match="symbols"):
            getattr(sg.hessian(rosenbrock), say)(sg.symbol("x", "n"))


NAMES = """
w H np x x0 x1 v0 v1 v3 v10 data flat D T A B k0_ t0 t1 i lambda_ F g0 c0 c1 c2 p0 op_sort scipy hessian float zip out
"""
BODIES = [
    "({0} * z).sum() ** 2 * sg.exp({0}).sum() + sg.lgamma(1 + z**2).sum()",
    "sg.log1p(sg.exp(S @ {0})).sum() + (z**3).sum()",
    "((sg.outer({0}, z) @ sg.outer(z, {0})) ** 2).sum() + sg.logsumexp({0} * z, 0)",
]


@one_in(3)
@pytest.mark.parametrize("name", NAMES.split())
def test_the_code_computes_the_matrix_whatever_the_parameters_are_called(name):
    for body in BODIES:
        f = eval(f"lambda {name}, z: {body.format(name)}", {"sg": sg, "S": X})
        module = types.ModuleType("program")
        exec(sg.hessian(f, (0, 1)).code(W, U), module.__dict__)
        parameters = inspect.signature(module.hessian).parameters
        own = next(p for p in parameters if p.rstrip("_") == name.rstrip("_"))
        assert "z" in parameters
        given = {p: W if p == own else U if p == "z" else X for p in parameters}
        np.testing.assert_allclose(module.hessian(**given), sg.hessian(f, (0, 1))(W, U).matrix, rtol=1e-9)


def test_the_code_of_a_container_has_the_names_of_its_entries():
    f = lambda p: (sg.tanh(X @ p["W"] + p["b"]) ** 2).sum()
    p = {"W": RNG.normal(size=(3, 2)), "b": np.ones(2)}
    text = sg.hessian(f).code(p)
    assert "p_W" in text and "p_b" in text
    module = types.ModuleType("program")
    exec(text, module.__dict__)
    values = {"p_W": p["W"], "p_b": p["b"]}
    given = {k: values.get(k, X) for k in inspect.signature(module.hessian).parameters}
    np.testing.assert_allclose(module.hessian(**given), sg.hessian(f)(p).matrix, rtol=1e-9)


# Reports --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["dense", "csr", "structured"])
def test_a_report_is_the_same_in_every_format(format):
    for f, x, kind in (
        (rosenbrock, np.ones(6), "minimum"), (lambda x: x[0] ** 2 - x[1] ** 2 + x[2] ** 2, np.zeros(3), "saddle"),
        (lambda x: -(x**2).sum(), np.zeros(3), "maximum"), (lambda x: sg.sqrt(x).sum(), np.zeros(3), "not finite"),
    ):  # fmt: skip
        found, dense = sg.hessian(f, format=format).report(x), sg.hessian(f).report(x)
        assert kind in found.kind and found.kind == dense.kind and str(found) and found.kind in str(found)


# Cost -----------------------------------------------------------------------------------------------------------------


def test_a_cost_is_counted_and_nothing_is_computed():
    runs = []

    def f(x):
        runs.append(1)
        return (x**4).sum()

    cost = sg.cost(f, np.ones(10**6))
    assert len(runs) == 1 and cost.size == 10**6 and cost.result_bytes == 8e12 and cost.peak_bytes >= 8e12
    assert 0 < cost.value < cost.gradient < cost.hessian
    sparse = sg.cost(f, np.ones(10**6), format="csr")
    assert sparse.result_bytes == 8e6 and sparse.hessian < 1e8


def test_a_cost_grows_as_the_operations_do():
    for n in (10, 100, 1000):
        data = np.ones((n, 5))
        cost = sg.cost(lambda w, data=data: ((data @ w) ** 4).sum(), np.ones(5))
        assert 2 * n * 5 <= cost.value <= 4 * n * 5 and cost.hessian - cost.gradient >= n * 5
        assert cost.result_bytes == 200 and cost.route == "a program"


def test_a_cost_by_the_tape_says_so_and_counts_every_column():
    few, many = sg.cost(running, np.ones(10)), sg.cost(running, np.ones(100))
    assert "the tape" in few.route and "no formula" in few.route
    assert many.hessian > 50 * few.hessian and many.result_bytes == 80_000


def test_a_cost_prints_as_a_table_and_knows_argnums():
    f = lambda a, b: (a**3).sum() + (b**2).sum()
    text = str(sg.cost(f, np.ones(3), np.ones(4), argnums=(0, 1)))
    assert [line.split()[0] for line in text.splitlines()] == ["f", "∇f", "Hessian", "by"] and "7 × 7" in text
    assert sg.cost(f, np.ones(3), np.ones(4), argnums="b").size == 4
    assert sg.cost(lambda a: 3.0, np.ones(3)).result_bytes == 72


# Memory, chunks, progress ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [
    lambda f, x: sg.hessian(f)(x), lambda f, x: sg.hessian(f).report(x), lambda f, x: sg.compile(f, "h")(x),
    lambda f, x: sg.hessian(lambda a, b: f(a) + f(b), (0, 1))(x, x),
    lambda f, x: sg.hessian(lambda p: f(p["a"]))({"a": x}),
])  # fmt: skip
def test_a_dense_matrix_that_does_not_fit_is_refused_before_it_is_made(ask):
    with pytest.raises(MemoryError, match=r"(?s)variables takes \d+ TB.*csr.*hessian_operator.*diag_hessian") as caught:
        ask(lambda x: (x**4).sum(), np.ones(10**6))
    assert type(caught.value) is sg.TooLargeError


def test_what_fits_depends_on_what_memory_there_is(monkeypatch):
    monkeypatch.setattr(run, "available", lambda: 8 * 50 * 50)
    assert sg.hessian(running)(np.ones(50)).shape == (50, 50)
    with pytest.raises(sg.TooLargeError, match="51 variables takes 20.8 kB, and 20 kB are free"):
        sg.hessian(running)(np.ones(51))
    with pytest.raises(sg.TooLargeError, match="5,000 variables takes 200 MB, and 20 kB are free"):
        sg.hessian(rosenbrock)(np.ones(5000))
    assert sg.hessian(rosenbrock, format="csr")(np.ones(5000)).nnz == 14998


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 100, None])
def test_a_chunk_does_not_change_the_numbers(chunk):
    x = RNG.normal(size=7)
    truth = sg.func.hessian(running)(sg.tensor(x)).numpy()
    np.testing.assert_allclose(sg.hessian(running, chunk=chunk)(x), truth, rtol=1e-10, atol=1e-10)
    two = sg.hessian(lambda a, b: running(a) * running(b), (0, 1), chunk=chunk)(x[:4], x[4:])
    np.testing.assert_allclose(two.matrix, sg.hessian(lambda c: running(c[:4]) * running(c[4:]))(x), rtol=1e-9)


@pytest.mark.parametrize("chunk", [0, -1, 1.5, "a", True])
def test_a_chunk_is_a_whole_number_of_rows(chunk):
    with pytest.raises(sg.GradientError, match="chunk must be a number of rows, got"):
        sg.hessian(running, chunk=chunk)


@pytest.mark.parametrize("progress", [True, False, None])
def test_progress_counts_the_steps_of_the_tape(monkeypatch, progress):
    tasks, enter = [], Task.__enter__
    monkeypatch.setattr(Task, "__enter__", lambda self: tasks.append((self, wanted.get())) or enter(self))
    x = RNG.normal(size=7)
    sparse = lambda x: running(x[:2]) + (x**3).sum()
    for f, options, unit in ((running, {"chunk": 2}, "chunks of columns"), (sparse, {"format": "csr"}, "colours")):
        found = sg.hessian(f, progress=progress, **options)(x)
        dense = found if isinstance(found, np.ndarray) else found.toarray()
        last = [(task, said) for task, said in tasks if task.unit == unit][-1]
        assert last[0].count == last[0].total > 0 and last[1] is progress
        np.testing.assert_allclose(dense, sg.hessian(f)(x), rtol=1e-9, atol=1e-9)


# Warnings -------------------------------------------------------------------------------------------------------------

TRANSFORMS = {
    "grad": lambda f: sg.grad(f)(W), "hessian": lambda f: sg.hessian(f)(W), "hvp": lambda f: sg.hvp(f, W, W),
    "csr": lambda f: sg.hessian(f, format="csr")(W), "laplacian": lambda f: sg.laplacian(f, W),
    "value_and_grad": lambda f: sg.value_and_grad(f)(W), "jacobian": lambda f: sg.jacobian(f)(W),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMS)
def test_float_of_what_is_differentiated_is_refused_inside_every_transform(name):
    with pytest.raises(sg.GradientError, match=r"float\(\) takes .* of test_plans_and_costs.py"):
        TRANSFORMS[name](lambda x: float(x.sum()) * (x**2).sum())
    TRANSFORMS[name](lambda x: float(x.detach().sum()) * (x**2).sum())  # on purpose: nothing to say (as it should be)
    TRANSFORMS[name](lambda x: (x**2).sum() if x.sum() > 0 else (x**3).sum())


def test_a_zero_matrix_names_what_has_no_second_derivative():
    for f, words in (
        (lambda x: sg.relu(x).sum(), "relu has no second derivative"), (lambda x: x.abs().sum(), "abs"),
        (lambda x: (X @ x).sum(), "it is linear"), (lambda x: 3.0, "does not depend on it"),
        (lambda x: sg.maximum(x, 0.1).sum() + sg.floor(x).sum(), "floor and maximum"),
    ):  # fmt: skip
        for _ in range(2):
            with pytest.warns(UserWarning, match=rf"^hessian\(<lambda>\) is zero wherever .*: .*({words})"):
                assert not sg.hessian(f)(W).any()
    for f in (lambda x: sg.relu(x).sum(), lambda x: (X @ x).sum()):  # these do not warn: a warning is an error here
        assert not sg.hvp(f, W, W).any() and not sg.diag_hessian(f, W).any() and not sg.compile(f, "h")(W).any()


# Files --------------------------------------------------------------------------------------------------------------

BIG = RNG.normal(size=(50, 3))
SMALL, Y = X[:5], np.array([1.0, 0.0, 1.0, 1.0, 0.0])
SAVED = {
    "all": (lambda w, X, y: (np.logaddexp(0, X @ w) - y**2 * (X @ w)).sum(), "fgh", 0, (W, SMALL, Y)),
    "value": (lambda w, k: (k * w**3).sum(), "f", 0, (W, U)), "turned": (lambda w: (w**3).prod(), "hgf", 0, (W,)),
    "gradients": (lambda w, k: (k * w**3).sum(), "g", (0, 1), (W, U)),
    "whole": (lambda w, k, z: (k * w**3).sum() * z.sum(), "hg", (2, 0), (W, U, W)),
    "unused": (lambda w, k, u: (u * w**3).sum() + k.sum(), "h", 0, (W, U, U)),
    "linear": (lambda w: w.sum(), "gh", 0, (W,)), "constant": (lambda w: 3.0, "fg", 0, (W,)),
    "large": (lambda w: sg.tanh(BIG @ w).sum() ** 2, "fgh", 0, (W,)),
    "chain": (rosenbrock, "fgh", 0, (np.ones(80) / 3,)),
    "special": (lambda w: sg.lgamma(1 + w**2).sum() + sg.erf(w).sum(), "fgh", 0, (W,)),
    "float32": (lambda w: (w**4).sum(), "fgh", 0, (np.float32([0.5, 0.25, 2.0]),)),
    "softmax": (lambda w: sg.logsumexp(w, 0) * sg.softmax(w, 0)[0], "fgh", 0, (W,)),
    "infinite": (lambda w: sg.where(w > -9, w**2, np.inf).sum(), "fgh", 0, (W,)),
    "matrices": (lambda w: sg.logdet(sg.outer(w, w) + 2 * sg.eye(3)), "fgh", 0, (W,)),
    "number": (lambda s, n: s**n * sg.exp(s), "fgh", 0, (2.0, 3)),
}  # fmt: skip


def flat(found):
    """Numbers of a result: of several gradients, of a matrix with labels."""
    found = getattr(found, "matrix", found)
    return np.concatenate([np.ravel(g) for g in found]) if isinstance(found, tuple) else np.ravel(found)


ALONE = """
import contextlib, io, json, runpy, sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "symgrad":
            raise ImportError("there is no symgrad here")
sys.meta_path.insert(0, Without())
said = {}
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        try:
            runpy.run_path(path, run_name="__main__")
        except Exception as error:
            print(type(error).__name__)
    said[path] = text.getvalue()
print(json.dumps(said))
"""


def run_alone(folder):
    """What each file in a folder prints last when it is run where there is no symgrad."""
    paths = [str(folder / f"{name}.py") for name in SAVED]
    ran = subprocess.run([sys.executable, "-I", "-c", ALONE, *paths], capture_output=True, text=True, env={})
    assert ran.returncode == 0, ran.stderr
    return {Path(p).stem: text.splitlines()[-1] for p, text in json.loads(ran.stdout).items()}, ran.stderr


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of the saved files, what they say when they are run alone, and what with one digit more."""
    folder = tmp_path_factory.mktemp("saved")
    for name, (f, outputs, argnums, args) in SAVED.items():
        sg.compile(f, outputs, argnums).save(folder / f"{name}.py", *args)
    said, warnings = run_alone(folder)
    assert warnings == ""
    changed = tmp_path_factory.mktemp("changed") / "saved"
    shutil.copytree(folder, changed)
    for name in SAVED:
        path = changed / f"{name}.py"
        text = path.read_text()
        results = text.index("def _results")
        digit = next(re.finditer(r"\d\.", text[results:])).start() + results
        path.write_text(text[:digit] + "7" + text[digit:])
    return folder, said, run_alone(changed)[0]


def simulated(steps, paths):
    """A loop over arrays that is too long for a program: the tape has its few columns at once."""
    draws = np.random.default_rng(1).standard_normal((steps, paths))

    def f(p):
        v = p[0] * np.ones(paths)
        for z in draws:
            v = np.where(v > 1e-3, v, 1e-3)
            v = v + p[1] * (p[2] - v) * 0.02 + p[0] * np.sqrt(v) * 0.1 * z
        return np.exp(v).mean()

    return f


def test_a_plan_says_what_columns_by_the_tape_take_on_the_way_and_it_is_about_what_they_take():
    f, p = simulated(120, 5_000), np.array([0.3, 0.7, 0.4])
    H = sg.hessian(f)
    assert "the tape runs, with a tangent for each column" in H.plan(p)
    said = re.search(r"about ([\d.]+) MB on the way", H.plan(p))
    H(p)
    tracemalloc.start()
    try:
        found = H(p)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.3 < peak / sg.cost(f, p).peak_bytes < 1.5
    assert abs(float(said[1]) * 1e6 / sg.cost(f, p).peak_bytes - 1) < 0.1
    np.testing.assert_allclose(found, sg.jacrev(sg.grad(f))(p), rtol=1e-9, atol=1e-12)


def test_so_many_columns_are_pushed_at_once_as_the_largest_array_of_the_graph_allows(monkeypatch):
    f, p = simulated(120, 1_000), np.array([0.3, 0.7, 0.4])
    want, alone = sg.hessian(f)(p), sg.cost(f, p)
    pushed = []
    own = tape_route.unit_vectors
    monkeypatch.setattr(tape_route, "unit_vectors", lambda x, chosen: pushed.append(len(chosen)) or own(x, chosen))
    monkeypatch.setattr("symgrad._limits.AT_ONCE", 2_000)
    np.testing.assert_allclose(sg.hessian(f)(p), want, rtol=1e-12)
    assert pushed == [2, 1]
    assert sg.cost(f, p).peak_bytes < alone.peak_bytes


@one_in(3)
@pytest.mark.parametrize("name", SAVED)
def test_a_saved_file_tests_itself_without_symgrad_and_notices_a_changed_number(name, saved):
    f, outputs, argnums, args = SAVED[name]
    folder, said, said_when_changed = saved
    path, compiled = folder / f"{name}.py", sg.compile(f, outputs, argnums)
    text = path.read_text()
    assert "symgrad" not in text.replace("written by symgrad", "")
    assert path.with_suffix(".npz").exists() == (name in ("large", "chain"))
    assert said[name].endswith("as it should be")
    assert said_when_changed[name] == "AssertionError"
    function = runpy.run_path(str(path))[{"f": "value", "g": "gradient", "h": "hessian"}.get(outputs, "derivatives")]
    known = [p for p, a in zip(inspect.signature(f).parameters, args, strict=True) if type(a) is not int]
    assert list(inspect.signature(function).parameters) == known  # a whole number is part of the program
    moved = (1.25 * args[0], *args[1:])
    found, truth = function(*moved[: len(known)]), compiled(*moved)
    for a, b in zip(found if len(outputs) > 1 else [found], truth if len(outputs) > 1 else [truth], strict=True):
        np.testing.assert_allclose(flat(a), flat(b), rtol=1e-6)


@pytest.mark.parametrize(("f", "format", "words"), [
    (lambda x: sg.linalg.eigvalsh(sg.outer(x, x) + sg.eye(3)).prod(), "dense", "eigh"), (rosenbrock, "csr", "sparse"),
])  # fmt: skip
def test_what_a_file_cannot_hold_is_refused_by_name(f, format, words, tmp_path):
    with pytest.raises(sg.GradientError, match=rf"(?s)(cannot be written|has no program).*{words}"):
        sg.compile(f, format=format).save(tmp_path / "program.py", W)
    assert not list(tmp_path.iterdir())
