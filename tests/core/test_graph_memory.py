"""A graph holds the arrays that its rules ask for, and backward lets them go."""

import gc
import tracemalloc

import numpy as np
import pytest

import symgrad as sg
from symgrad.core import edge, reachable, saved_values
from symgrad.sweep.directions import Push, many_tangents

from ..helpers.cases import one_in
from .test_graph_lifetime import chain

SIZE = 10**5


def held_bytes(build):
    """How many bytes a graph holds beyond its leaf and its result, and the result itself."""
    x = sg.tensor(np.full(SIZE, 0.5), requires_grad=True)
    build(x).sum().backward()  # whatever is made once
    gc.collect()
    tracemalloc.start()
    try:
        y = build(x)
        return tracemalloc.get_traced_memory()[0] / (8 * SIZE) - 1, y, x
    finally:
        tracemalloc.stop()


CHAINS = {
    "add a number": (lambda y: y + 1.0, 0),
    "times a number": (lambda y: y * 0.5, 0),
    "negative": (lambda y: -y, 0),
    "tanh saves its result": (sg.tanh, 99),  # the last one is the chain's result, which is there anyway
    "sin saves its input": (sg.sin, 99),  # the first one is the leaf
    "exp and sin share one array": (lambda y: sg.sin(sg.exp(y)), 100),
    "sin of exp of a sum": (lambda y: sg.exp(y + 1.0), 99),
    "division by a number": (lambda y: y / 2.0, 0),
    "reshape": (lambda y: y.reshape(-1, 10).reshape(-1), 0),
}


@one_in(3)
@pytest.mark.parametrize("step, arrays", CHAINS.values(), ids=CHAINS)
def test_a_chain_of_100_holds_what_its_rules_ask_for(step, arrays):
    held, y, _ = held_bytes(lambda x: chain(x, 100, step))
    if step(sg.ones(10))._data.base is not None:
        held += 1  # a view: the result is the leaf's memory
    assert held == pytest.approx(arrays, abs=1.2)
    saved = [v for n in reachable([edge(y)])[0] for v in saved_values(n) if isinstance(v, np.ndarray)]
    owners = {id(v) for v in saved if v.size == SIZE}
    assert arrays <= len(owners) <= arrays + 1


def test_backward_needs_a_few_arrays_beyond_the_graph():
    _, y, x = held_bytes(lambda x: chain(x, 100, sg.tanh))
    loss = y.sum()
    del y
    tracemalloc.start()
    try:
        loss.backward()
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak / (8 * SIZE) < 8
    assert now / (8 * SIZE) < 1.5  # the gradient of the leaf
    assert x.grad.shape == (SIZE,)


def test_a_retained_graph_keeps_its_memory_and_a_freed_one_does_not():
    _, y, _ = held_bytes(lambda x: chain(x, 10, sg.tanh))
    nodes = reachable([edge(y)])[0]
    y.backward(sg.ones_like(y), retain_graph=True)
    assert all(saved_values(n) for n in nodes)
    y.backward(sg.ones_like(y))
    assert not any(saved_values(n) for n in nodes)


def test_tangents_are_let_go_after_their_last_use():
    """Of a long chain few are alive at a time, however long it is, and the results are those that are asked for."""
    x, count = sg.tensor(np.full(SIZE, 0.5), requires_grad=True), 60
    y = middle = x * 1.0
    for k in range(count):
        y = y.sin() * 1.01
        middle = y if k == count // 2 else middle
    push = Push([edge(middle), edge(y)], [edge(x)])
    tangents = [np.ones((2, SIZE))]
    expected = [push([t], False)[k][0] for t in (np.ones(SIZE),) for k in (0, 1)]
    tracemalloc.start()
    try:
        found = push(tangents, False, many_tangents)
        peak = tracemalloc.get_traced_memory()[1] / tangents[0].nbytes
    finally:
        tracemalloc.stop()
    assert peak < 10
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine[:, 0], [theirs, theirs], rtol=1e-12)
