"""Functions of a flat vector that they take apart: each part is a variable of the program.

The idea to hold: the truth is the tape's, at random ways to take a vector apart; that the parts are apart is seen from
the program's work, which is that of the same function of several arguments.
"""

from itertools import pairwise

import numpy as np
import pytest

import symgrad as sg
from symgrad.programs import program

from ..helpers.cases import one_in

RNG = np.random.default_rng(7)
DATA, TARGET = RNG.normal(size=(30, 6)), RNG.normal(size=30)
LABELS = RNG.integers(0, 4, 30)


@pytest.fixture(autouse=True)
def mistakes_are_raised(monkeypatch):
    monkeypatch.setattr(program, "STRICT", True)


def by_tape(f, x):
    return sg.func.hessian(f)(sg.tensor(x)).detach().numpy()


def network(W, b, V, c, loss):
    return loss(np.tanh(DATA @ W + b) @ V + c)


def cross_entropy(z):
    return -sg.log_softmax(z, 1)[np.arange(30), LABELS].mean()


def log_of_softmax(z):
    return -np.log(sg.softmax(z, 1))[np.arange(30), LABELS].mean()


def with_logsumexp(z):
    return (sg.logsumexp(z, 1) - z[np.arange(30), LABELS]).mean()


def squares(z):
    return ((z[:, 0] - TARGET) ** 2).mean() + (z[:, 1:] ** 2).sum()


def apart(p):
    return p[:30].reshape(6, 5), p[30:35], p[35:55].reshape(5, 4), p[55:]


LOSSES = [cross_entropy, log_of_softmax, with_logsumexp, squares]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_packed_network_has_the_hessian_of_one_with_arguments(loss):
    p = 0.4 * RNG.normal(size=59)
    f = lambda p: network(*apart(p), loss)
    g = lambda W, b, V, c: network(W, b, V, c, loss)
    packed, several = sg.hessian(f)(p), sg.hessian(g, argnums=(0, 1, 2, 3))(*apart(p))
    np.testing.assert_allclose(packed, several.matrix, atol=1e-10)
    np.testing.assert_allclose(packed, by_tape(f, p), atol=1e-10)
    np.testing.assert_array_equal(packed, packed.T)
    assert "a program runs" in sg.hessian(f).plan(p)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_packed_network_takes_no_more_work_than_one_with_arguments(loss):
    p = 0.4 * RNG.normal(size=59)
    packed = sg.cost(lambda p: network(*apart(p), loss), p)
    several = sg.cost(lambda W, b, V, c: network(W, b, V, c, loss), *apart(p), argnums=(0, 1, 2, 3))
    assert packed.hessian < 1.1 * several.hessian
    with_lse = sg.cost(lambda p: network(*apart(p), with_logsumexp), p)
    assert loss is squares or packed.hessian < 1.2 * with_lse.hessian  # all three ways to write it are one


def test_value_gradient_and_matrix_of_a_packed_function_come_from_one_program():
    f = lambda p: network(*apart(p), cross_entropy) + 0.1 * (p**2).sum()
    p = 0.4 * RNG.normal(size=59)
    value, gradient, matrix = sg.compile(f)(p)
    np.testing.assert_allclose(value, f(p))
    np.testing.assert_allclose(gradient, sg.grad(f)(p), atol=1e-12)
    np.testing.assert_allclose(matrix, by_tape(f, p), atol=1e-10)
    for x in (p, sg.tensor(p)):
        np.testing.assert_allclose(np.asarray(sg.hessian(f)(x)), matrix, atol=1e-10)


@one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_random_parts_and_other_reads_beside_them_have_the_tapes_hessian(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 20))
    ends = np.unique(np.concatenate([[0, n], rng.integers(0, n, rng.integers(1, 5))]))
    whole, single, overlap, order = rng.random(4) < [0.5, 0.5, 0.25, 0.3]
    turn = rng.permutation(n)

    def f(x):
        parts = [x[a:b] for a, b in pairwise(ends)]
        if overlap:
            parts.append(x[1 : n // 2])
        if order:
            parts.append(x[turn[: n // 2]])
        total = 1.0
        for k, p in enumerate(parts):
            p = p.reshape(2, -1) if p.shape[0] % 2 == 0 and k % 2 else p
            total = total * (1.1 + np.sin(p).mean()) + (p**2).sum() * 0.1
        if whole:
            total = total * np.cos(0.1 * x @ x) + (x**3).sum()
        return total * (x[-1] + 2) if single else total

    x = rng.normal(size=n)
    for given in (f, lambda x: f(x.reshape(-1))):
        point = x if given is f or n % 2 else x.reshape(2, -1)
        np.testing.assert_allclose(sg.hessian(given)(point), by_tape(given, point), rtol=1e-9, atol=1e-9)
    _, g, h = sg.compile(f)(x)
    np.testing.assert_allclose(g, sg.grad(f)(x), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(h, by_tape(f, x), rtol=1e-9, atol=1e-9)


def test_parts_of_several_arguments_and_of_single_precision():
    f = lambda p, q: (np.outer(np.tanh(p[:4]), np.exp(p[4:])) * (q[:3] + q[3:] ** 2)).sum() ** 2
    p, q = RNG.normal(size=7), RNG.normal(size=6)
    both = sg.hessian(f, argnums=(0, 1))(p, q).matrix
    joined = lambda x: f(x[:7], x[7:])
    np.testing.assert_allclose(both, by_tape(joined, np.concatenate([p, q])), rtol=1e-9, atol=1e-9)
    single = sg.hessian(joined)(np.concatenate([p, q]).astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, both, rtol=1e-3, atol=1e-3 * np.abs(both).max())


# Constants in patterns ------------------------------------------------------------------------------------------------

ROWS, COLUMNS = np.indices((7, 7))
SIDE = RNG.normal(size=7)
READS = [np.abs(ROWS - COLUMNS), ROWS + COLUMNS, (ROWS * 3 + COLUMNS) % 7, np.minimum(ROWS, COLUMNS)]


@pytest.mark.parametrize("places", READS, ids=["toeplitz", "hankel", "circulant", "least"])
def test_structured_matrices_in_solutions_and_determinants(places):
    n = places.max() + 1

    def f(c):
        A = c[places] + 6 * np.eye(7)
        return SIDE @ np.linalg.solve(A, SIDE) + np.linalg.slogdet(A)[1]

    c = 0.3 * RNG.normal(size=n)
    np.testing.assert_allclose(sg.hessian(f)(c), by_tape(f, c), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(sg.compile(f, "h")(c), by_tape(f, c), rtol=1e-8, atol=1e-10)


def test_a_solution_with_windows_is_multiplied_out():
    b = RNG.normal(size=20)
    f = lambda c: b @ np.linalg.solve(sg.as_tensor(c).unfold(0, 20, 1) + 5 * np.eye(20), b)
    c = 0.1 * RNG.normal(size=39)
    assert sg.cost(f, c).hessian < 20 * 20 * 39 * 20  # entry by entry it is 20⁴ for each of two terms
    assert "single entries" not in sg.hessian(f).structure(c)
    np.testing.assert_allclose(sg.hessian(f)(c), by_tape(f, c), rtol=1e-8, atol=1e-10)
