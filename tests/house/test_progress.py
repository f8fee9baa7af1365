"""What takes long says so where a person looks, and nowhere else; when it is done, or fails, the line is gone.

The idea to hold: programs run in processes whose stderr is a pseudo-terminal, or a pipe, and what they wrote there is
read as a terminal would show it.
"""

import contextlib
import inspect
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import symgrad as sg
from symgrad import _progress
from symgrad._progress import RARELY, Task, rare_collections

from ..helpers.user_defined import pointwise

pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")  # there are none on Windows

WITHOUT_TQDM = "import sys; sys.modules['tqdm'] = None\n"
SOON = "import symgrad._progress as P; P.AFTER, P.EACH = 0.1, 0.02\nimport time, numpy as np, symgrad as sg\n"


def run(code, terminal=True, **more):
    """The exit status, what came on stdout, and all that came on stderr."""
    env = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"} | more
    ours, theirs = pty.openpty() if terminal else os.pipe()
    if terminal:
        termios.tcsetwinsize(theirs, (24, 80))
    seen = []

    def read():
        with contextlib.suppress(OSError):  # a pseudo-terminal ends with an error
            while piece := os.read(ours, 4096):
                seen.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [sys.executable, "-c", SOON + code], stdout=subprocess.PIPE, stderr=theirs, env=env, text=True
    )
    os.close(theirs)
    reader.join()
    os.close(ours)
    return done.returncode, done.stdout, b"".join(seen).decode()


def shown(text):
    """The lines that a terminal shows at the end: what is written after a carriage return replaces."""
    lines = []
    for line in text.replace("\r\n", "\n").replace("\x1b[A", "").split("\n"):
        signs = ""
        for part in line.split("\r"):
            signs = part + signs[len(part) :]
        lines.append(signs.rstrip())
    return [line for line in lines if line]


LONG = {
    "minimize": ("sg.minimize(lambda p, y: time.sleep(0.1) or ((y - p) ** 2), np.zeros(3), np.ones(3), method='BFGS')",
                 "sg.minimize"),
    "gradcheck": ("sg.autograd.gradcheck(lambda x: time.sleep(0.02) or (x * x).sum(), sg.ones(20, requires_grad=True))",
                  "finite differences"),
    "compile": ("sg.compile(lambda x: time.sleep(0.4) or (x ** 2).sum())(np.ones(3))", "making its program"),
    "verify": ("sg.verify(lambda x: time.sleep(0.01) or x ** 2, grad=lambda x: 2 * x, x=())", "sg.verify"),
    "quad": ("sg.grad(lambda k: sg.scipy.integrate.quad(lambda y: time.sleep(0.05) or np.exp(-k * y), 0, 1)[0])(2.0)",
             "an integral"),
    "ode": ("sg.grad(lambda k: sg.scipy.integrate.solve_ivp(lambda t, y: time.sleep(0.02) or -k * y, (0, 1), [1.0])"
            ".y[0, -1])(2.0)", "solve_ivp"),
    "sum_over": ("sg.distributed.sum_over(lambda w, y: time.sleep(0.1) or (y - w) ** 2)"
                 ".grad(1.0, [np.ones(3)] * 8)", "gradient of <lambda>"),
    "tape": ("import symgrad.transforms.tape_route as tape\nunits = tape.unit_vectors\n"
             "tape.unit_vectors = lambda *a: time.sleep(0.05) or units(*a)\n"
             "sg.hessian(slow, chunk=1)(np.linspace(1, 2, 9))",
             "second derivatives by the tape"),
    "covariance": ("fit = sg.minimize(lambda p: ((p - 1) ** 2).sum() / 2, np.zeros(3))\n"
                   "type(fit)._inverse = property(lambda fit: time.sleep(0.4) or np.eye(3))\nfit.standard_errors()",
                   "the covariance of 3 estimates"),
    "jacobian": ("sg.jacrev(slow_rows)(np.ones(30))", "a Jacobian by rows"),
    "formula": ("import symgrad.formulas.formula as m\nshort = m.simplify\n"
                "m.simplify = lambda *a: time.sleep(0.4) or short(*a)\nsg.parse('t*t', t=())", "simplifying a formula"),
    "derivative": ("import symgrad.formulas.formula as m\nslope = m.gradient\n"
                   "m.gradient = lambda *a: time.sleep(0.4) or slope(*a)\nsg.parse('t*t', t=()).grad('t')",
                   "the derivative in t"),
    "text": ("from symgrad import show\nwrite = show.to_text\n"
             "show.to_text = lambda *a, **k: time.sleep(0.4) or write(*a, **k)\nstr(sg.parse('t*t', t=()))",
             "writing a formula"),
}  # fmt: skip
SLOW = f"""
{inspect.getsource(pointwise)}
Slow = pointwise(sg, "Slow", lambda x: x * x, lambda x, g: time.sleep(0.02) or 2 * g * x)
slow = lambda x: Slow.apply(x * 1.0).sum()
slow_rows = lambda x: Slow.apply(x * 1.0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name, way", [*((name, "text") for name in LONG), *(
    ("tape", way) for way in ("tqdm", "pipe", "off", "pytest")), ("verify", "tqdm"), ("minimize", "pipe")])  # fmt: skip
def test_what_takes_long_says_so_where_a_person_looks(name, way):
    code, title = LONG[name]
    more = {"off": {"SYMGRAD_PROGRESS": "0"}, "pytest": {"PYTEST_CURRENT_TEST": "x"}}.get(way, {})
    before = WITHOUT_TQDM if way == "text" else "import tqdm\n" if way == "tqdm" else ""
    status, out, err = run(before + SLOW + code + "\nprint('done')", terminal=way != "pipe", **more)
    assert (status, out) == (0, "done\n"), err
    if way in ("tqdm", "text"):
        assert title in err and shown(err) == []
    else:
        assert err == ""


FAILS = """
def f(p, y, calls=[]):
    calls.append(p)
    time.sleep(0.05)
    if len(calls) > 12:
        raise OSError("gone")
    return (y - p) ** 2
sg.minimize(f, np.zeros(3), np.ones(3), method="Nelder-Mead")
"""


@pytest.mark.slow
@pytest.mark.parametrize("before", ["import tqdm", WITHOUT_TQDM])
def test_an_error_leaves_no_line_behind(before):
    code = (
        before + SLOW + "def f(p, y):\n    f.n = getattr(f, 'n', 0) + 1\n    time.sleep(0.05)\n    if f.n > 12: raise "
    )
    code += "OSError('gone')\n    return (y - p) ** 2\nsg.minimize(f, np.zeros(3), np.ones(3), method='Nelder-Mead')"
    status, _, err = run(code)
    assert status == 1 and "sg.minimize:" in err
    assert shown(err)[0].startswith("Traceback") and shown(err)[-1] == "OSError: gone"


@pytest.mark.slow
def test_progress_is_said_at_once_or_never_as_it_is_asked():
    code = "sg.minimize(lambda p, y: time.sleep(0.03) or ((y - p) ** 2), np.zeros(3), np.ones(3), progress={})"
    late = "P.AFTER = 99.0\n"
    assert "sg.minimize" in run(late + code.format(True))[2] and run(late + code.format(None))[2] == ""
    assert run(code.format(False))[2] == "" and "sg.minimize" in run(code.format(True), terminal=False)[2]
    tape = SLOW + LONG["tape"][0]
    never, always = (tape.replace("chunk=1", f"chunk=1, progress={asked}") for asked in (False, True))
    assert run(never)[2] == "" and "by the tape" in run(always, terminal=False)[2]


class Terminal:
    """A stderr that is looked at, and what was written to it."""

    def __init__(self):
        self.written = []

    def write(self, text):
        self.written.append(text)

    def flush(self):
        pass


@pytest.fixture
def soon(monkeypatch):
    """Somebody looks, and lines are drawn at once, without tqdm."""
    monkeypatch.setattr(_progress, "somebody_looks", lambda: True)
    monkeypatch.setattr(_progress, "_tqdm", lambda: None)
    monkeypatch.setattr(_progress, "AFTER", 0.02)
    monkeypatch.setattr(_progress, "EACH", 0.005)


@contextlib.contextmanager
def looked_at(terminal=None):
    with contextlib.redirect_stderr(terminal or Terminal()) as found:
        yield found
        time.sleep(0.05)


def test_work_in_work_is_one_line_and_counts(soon):
    with looked_at() as found, Task("outer", total=3, unit="passes") as task:
        for _ in task.each(range(3)):
            with Task("inner"):
                time.sleep(0.08)
    assert any("outer: 1 of 3 passes, 0 s · inner: 0 s" in text for text in found.written)
    assert shown("".join(found.written)) == [] and not _progress._tasks


def test_of_several_threads_the_first_has_the_line_and_none_is_left(soon):
    def work(k):
        for _ in range(20):
            with contextlib.suppress(ZeroDivisionError), Task(f"work {k}"):
                time.sleep(0.01 * (k + 1))
                1 / 0

    with looked_at() as found:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    assert any("work" in text for text in found.written) and not any(t.count("work") > 1 for t in found.written)
    assert shown("".join(found.written)) == [] and _progress._watcher is None


def test_a_terminal_that_is_gone_is_no_reason_to_fail(soon):
    class Gone(Terminal):
        def write(self, text):
            raise OSError("Input/output error")

    with looked_at(Gone()), Task("work"):
        time.sleep(0.1)
    assert not _progress._tasks


def test_what_is_quick_draws_nothing_and_costs_nothing(soon):
    started = time.perf_counter()
    with looked_at() as found:
        for _ in range(1000):
            with Task("quick"):
                pass
    assert found.written == [] and time.perf_counter() - started < 0.5  # some microseconds each
    H, x = sg.hessian(lambda x: (x**3).sum()), np.ones(3)
    H(x)
    entered = []
    _progress_enter = Task.__enter__
    try:
        Task.__enter__ = lambda self: entered.append(self.title) or _progress_enter(self)
        H(x)
        (sg.ones(3) * 2).sum()
    finally:
        Task.__enter__ = _progress_enter
    assert entered == []  # neither a repeated H(x) nor an operation comes by


FORKED = """
import os
with P.Task("parent"):
    time.sleep(0.3)
    assert P._tasks and P._watcher is not None
    child = os.fork()
    if not child:
        os._exit(len(P._tasks) + (P._watcher is not None))
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_process_that_is_forked_has_no_lines_of_its_parents():
    # in a process of its own: what else this one has loaded, JAX say, may warn of forks
    assert run(FORKED)[0] == 0


def test_the_collector_looks_seldom_only_while_programs_are_made():
    import gc

    seen = []

    def f(x):
        seen.append(gc.get_threshold())
        return (x * x).sum()

    before = gc.get_threshold()
    gc.set_threshold(701, 11, 9)
    try:
        sg.compile(f, "h")(np.ones(3))
        assert seen[0] == (RARELY, 11, 9) and gc.get_threshold() == (701, 11, 9)
        with rare_collections(), rare_collections():
            assert gc.get_threshold()[0] == RARELY
        with pytest.raises(ZeroDivisionError), rare_collections():
            _ = 1 / 0
        assert gc.get_threshold() == (701, 11, 9)
        with rare_collections():
            gc.set_threshold(5, 5, 5)  # whoever sets it meanwhile is right
        assert gc.get_threshold() == (5, 5, 5)
        gc.set_threshold(0)
        with rare_collections():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
