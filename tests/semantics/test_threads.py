"""Several threads at once: no addition is lost, and who comes second to a graph is told so."""

import gc
import json
import subprocess
import sys
import threading

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits
from symgrad._trees import parsed
from symgrad.core import record
from symgrad.terms.node import Data


@pytest.fixture
def hasty():
    """Threads that take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work, threads=4):
    """What ``work(k)`` gives (or raises) in so many threads that begin together."""
    outcomes, start = [None] * threads, threading.Barrier(threads)

    def run(k):
        start.wait()
        try:
            outcomes[k] = work(k)
        except Exception as error:
            outcomes[k] = error

    every = [threading.Thread(target=run, args=(k,)) for k in range(threads)]
    for t in every:
        t.start()
    for t in every:
        t.join()
    return outcomes


@pytest.mark.parametrize("n", [6, 5_000, 300_000])
def test_sweeps_into_one_leaf_lose_nothing(n):
    x = sg.ones(n, requires_grad=True)
    rounds, threads = 12, 4

    def work(k):
        for _ in range(rounds):
            (x * 2.0).sum().backward()

    assert at_once(work, threads) == [None] * threads
    assert (x.grad.numpy() == 2.0 * rounds * threads).all()


@pytest.mark.parametrize("hooked", [False, True])
def test_who_finds_a_graph_used_up_on_the_way_gets_its_error(hooked, hasty):
    """The threads go through two thousand nodes at once."""
    refused = 0
    for _ in range(10):
        x = sg.full((3,), 0.5, requires_grad=True)
        y = x
        for _ in range(1000):
            y = sg.sin(y) * 1.001
        if hooked:
            y.register_hook(lambda g: None)
        loss = y.sum()
        outcomes = at_once(lambda k, loss=loss, x=x: sg.autograd.grad(loss, x)[0].numpy(), 3)
        errors = [o for o in outcomes if isinstance(o, Exception)]
        assert all(type(e) is sg.GraphFreedError for e in errors), errors
        found = [o for o in outcomes if not isinstance(o, Exception)]
        assert found and all((f == found[0]).all() for f in found)
        refused += len(errors)
    assert refused


def test_a_sweep_that_fails_takes_back_its_own_additions_alone():
    w, x = sg.ones(3, requires_grad=True), sg.ones(3, requires_grad=True)
    y = x * 2
    arrived, go = threading.Event(), threading.Event()

    def hook(g):
        arrived.set()
        go.wait(10)
        raise ValueError

    y.register_hook(hook)
    loss = y.sum() + (w * 7).sum()  # w has its gradient before the hook runs

    def failing():
        with pytest.raises(ValueError):
            loss.backward()

    for before in (None, 11.0):
        w.grad = None if before is None else sg.full((3,), before)
        arrived.clear()
        go.clear()
        t = threading.Thread(target=failing)
        t.start()
        arrived.wait(10)
        (w * 5).sum().backward()
        go.set()
        t.join()
        assert w.grad.tolist() == [5.0 + (before or 0)] * 3 and x.grad is None


@pytest.mark.parametrize("n", [6, 70_001])
def test_retained_gradients_lose_nothing(n, hasty):
    x = sg.ones(n, requires_grad=True)
    y = x * 3
    y.retain_grad()
    loss = y.sum()

    def work(k):
        for _ in range(10):
            loss.backward(retain_graph=True)

    assert at_once(work) == [None] * 4
    assert (y.grad.numpy() == 40).all() and (x.grad.numpy() == 120).all()


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


@pytest.mark.parametrize(
    "make",
    [
        lambda: sg.grad(rosenbrock),
        lambda: sg.hessian(rosenbrock),
        lambda: sg.compile(rosenbrock, "g"),
        lambda: lambda x: sg.hvp(rosenbrock, x, np.ones_like(x)),
        lambda: lambda x: str(sg.formula(rosenbrock, sg.symbol("x", x.size))),
        lambda: lambda x: sg.vmap(sg.grad(rosenbrock))(np.stack([x, 2 * x])),
    ],
    ids=["grad", "hessian", "compile", "hvp", "formula", "vmap"],
)
def test_functions_made_once_are_called_by_all(make, hasty):
    points = [np.linspace(0.1, 1.0 + k, 7 + 2 * k) for k in range(4)]
    call = make()
    found = at_once(lambda k: [call(x) for x in (*points[k:], *points[:k])])
    alone = make()
    for k, results in enumerate(found):
        assert isinstance(results, list), results
        for x, result in zip((*points[k:], *points[:k]), results, strict=True):
            if isinstance(result, str):
                assert result == alone(x)
            else:  # by the tape, or by a program made meanwhile
                np.testing.assert_allclose(result, alone(x), rtol=1e-12)


def test_sources_are_parsed_at_once_whatever_the_collector_calls(hasty):
    text = "\n".join(f"x{i} = np.exp(a{i} * (b + {i})) + f(c[{i}:], k={i})" for i in range(60))
    called, before = [], gc.get_threshold()
    gc.callbacks.append(lambda *_: called.extend([0] * 50))  # Python's own, amid a tree, as a finalizer would be
    gc.set_threshold(50)
    try:
        found = at_once(lambda k: [len(parsed(text).body) for _ in range(100)])
    finally:
        gc.set_threshold(*before)
        gc.callbacks.pop()
    # where threads have no lock in common, the collector does not run after so many objects
    locked = sys.version_info < (3, 13) or sys._is_gil_enabled()
    assert (called or not locked) and found == [[60] * 100] * 4


def test_terms_made_at_once_are_one_term_and_whole(hasty):
    def work(k):
        terms = [Data(np.array([1.0, 2.0, i])) for i in range(2000)]
        assert all(t.value[2] == i for i, t in enumerate(terms))
        return terms

    for made in zip(*at_once(work), strict=True):
        assert all(t is made[0] for t in made)


AT_THE_END = """
import atexit, json, sys, threading
import symgrad as sg

x = sg.full((200_000,), 0.5, requires_grad=True)

def work():
    try:
        y = sg.exp(sg.tanh(x * 2.0))
        (g,) = sg.autograd.grad((y * x).sum(), x)
        print(json.dumps([float(y.detach().numpy()[7]), float(g.numpy()[-7])]))
    except BaseException as error:
        print(json.dumps(repr(error)))

def late():
    threading.main_thread().join()
    work()

if sys.argv[1] == "before too":
    work()
atexit.register(work)
threading.Thread(target=late).start()
"""


@pytest.mark.parametrize("when", ["before too", "only then"])
def test_threads_that_outlive_the_main_one_and_functions_at_exit_have_the_same_numbers(when):
    found = subprocess.run([sys.executable, "-c", AT_THE_END, when], capture_output=True, text=True, timeout=120)
    assert found.stderr == ""
    y = np.exp(np.tanh(1.0))
    truth = [y, y + 0.5 * y * 2 / np.cosh(1.0) ** 2]
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(lines) == (3 if when == "before too" else 2)
    for line in lines:
        np.testing.assert_allclose(line, truth, rtol=1e-12)


def nested(levels):
    """The gradient of 2 x, by a sweep inside a sweep inside …"""
    with sg.enable_grad():
        x = sg.tensor(1.0, requires_grad=True)
        y = x * 2
        if levels:
            y.register_hook(lambda g: g * nested(levels - 1) / 2)
        y.backward()
    return x.grad


def test_where_no_thread_can_be_started_the_numbers_are_the_same_now_and_later(monkeypatch):
    """As where a user has as many processes as the system allows."""

    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(record, "_pool", None)
    a = np.linspace(-1, 1, 200_000)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        x = sg.tensor(a)
        np.testing.assert_allclose(x.exp_().numpy(), np.exp(a))
        assert nested(_limits.NESTED + 1) == 2.0
    y = sg.tensor(a)
    for _ in range(3):
        y.mul_(2.0)  # what waits since then must not write a second time
    np.testing.assert_allclose(y.numpy(), 8 * a)
    np.testing.assert_allclose(x.numpy(), np.exp(a))
