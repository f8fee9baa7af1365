"""Programs of what is read: the parts of a flat vector that is taken apart, and pairs out of all pairs.

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


# Pairs ----------------------------------------------------------------------------------------------------------------

# The idea to hold: the truth is the tape's, at random functions and random ways to read; that nothing is computed of
# all pairs is seen from the work and the lines of the program.


RNG_OF_PAIRS = np.random.default_rng(5)


def of_all(read):
    """A Lennard-Jones energy over what is read of the array of all squared distances."""

    def f(X):
        d = X[:, None] - X[None]
        r = read((d**2).sum(-1))
        return (r**-6 - r**-3).sum()

    return f


def of_pairs(i, j):
    def f(X):
        d = X[i] - X[j]
        r = (d**2).sum(-1)
        return (r**-6 - r**-3).sum()

    return f


FIRST, SECOND = np.triu_indices(9, 1)
MASK = np.triu(np.ones((9, 9), bool), 1)
ATOMS = 2 * RNG_OF_PAIRS.normal(size=(9, 3))


@pytest.mark.parametrize("read", [
    lambda r: r[np.triu_indices(9, 1)], lambda r: r[SECOND, FIRST], lambda r: r[MASK], lambda r: r[FIRST - 9, SECOND],
    lambda r: np.sqrt(r + np.eye(9))[FIRST, SECOND] ** 2, lambda r: (r + 3 * np.eye(9))[FIRST, SECOND],
    lambda r: r[FIRST][np.arange(36), SECOND], lambda r: (r * r / (r + np.eye(9)))[FIRST, SECOND],
])  # fmt: skip
def test_what_is_read_of_all_pairs_is_made_of_those_pairs(read):
    H, pairs = sg.hessian(of_all(read)), sg.hessian(of_pairs(FIRST, SECOND))
    np.testing.assert_allclose(H(ATOMS), pairs(ATOMS), rtol=1e-9, atol=1e-9 * np.abs(pairs(ATOMS)).max())
    np.testing.assert_allclose(H(ATOMS), by_tape(of_all(read), ATOMS), atol=1e-9 * np.abs(pairs(ATOMS)).max())


def test_both_ways_of_writing_an_energy_are_one_program():
    work = [
        sg.cost(f, ATOMS).hessian
        for f in (of_all(lambda r: r[FIRST, SECOND]), of_all(lambda r: r[MASK]), of_pairs(FIRST, SECOND))
    ]
    assert work[0] == work[1] < 1.1 * work[2]
    code = sg.hessian(of_all(lambda r: r[FIRST, SECOND])).code(ATOMS)
    assert "v0 = X[" in code and "None" not in code[code.index("v0 =") : code.index("v4 =")]


def _random_read(rng, shape):
    """Places of an array of three axes, all along one new axis, two of them, or in a table."""
    kind = rng.integers(4)
    if kind == 0:
        places = tuple([rng.integers(-n, n, 5) for n in shape])
        return lambda x: x[places]
    if kind == 1:
        i, k = rng.integers(0, shape[0], 4), rng.integers(0, shape[2], 4)
        return lambda x: x[i, :, k]
    if kind == 2:
        i, j = rng.integers(0, shape[0], (3, 2)), rng.integers(0, shape[1], (1, 2))
        return lambda x: x[i, j]
    mask = rng.random(shape[:2]) < 0.5
    mask[0, 0] = True
    return lambda x: x[mask]


@one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_random_reads_of_random_functions_have_the_tapes_hessian(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.permutation([2, 3, 4]))
    read, A, w = _random_read(rng, shape), rng.normal(size=shape), rng.normal(size=shape[2])
    cut = np.cumsum(shape)[:-1]

    def f(x):
        a, b, c = np.split(x, cut)
        parts = [
            lambda: a[:, None, None] * b[:, None] - c, lambda: np.sin(a[:, None, None] + b[:, None]) * A + c**2,
            lambda: np.exp(0.3 * (a[:, None] - b))[:, :, None] * w + np.eye(*shape[:2])[:, :, None] * c,
            lambda: (a[:, None, None] * b[:, None] * c) ** 3 + 1.5,
            lambda: np.tanh(np.outer(a, b))[:, :, None] + np.cosh(c * w),
        ]  # fmt: skip
        whole = parts[seed % len(parts)]()
        return (read(whole) ** 2).sum() + (np.cos(read(whole)[..., None] * x)).sum()

    x = rng.normal(size=sum(shape))
    for format in ("dense", "csr", "structured"):
        found = sg.hessian(f, format=format)(x)
        found = found.toarray() if format == "csr" else found.todense() if hasattr(found, "todense") else found
        np.testing.assert_allclose(found, by_tape(f, x), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sg.compile(f, "h")(x), by_tape(f, x), rtol=1e-8, atol=1e-8)


def test_a_whole_array_that_is_smaller_than_what_is_read_of_it_is_computed_first():
    where = np.abs(np.arange(12)[:, None] - np.arange(12))
    H = sg.hessian(lambda c: (np.exp(c)[where] ** 2).sum())
    assert "np.exp(c)" in H.code(RNG_OF_PAIRS.normal(size=12))


def test_a_distance_of_zero_that_nobody_reads_is_the_tapes_still():
    f = lambda X: (np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))[FIRST, SECOND]).sum()
    np.testing.assert_array_equal(np.isnan(sg.hessian(f)(ATOMS)), np.isnan(by_tape(f, ATOMS)))


MATRICES = {
    "a product of factors": lambda x: x[:12].reshape(4, 3) @ x[12:].reshape(4, 3).T,
    "a Gram matrix": lambda x: np.tanh(x.reshape(4, 6) @ x.reshape(4, 6).T),
    "an inverse": lambda x: np.linalg.inv(np.outer(x[:4], x[4:8]) + 9 * np.eye(4)) ** 2,
    "running sums": lambda x: np.outer(np.roll(x[:4], 1), np.cumsum(x[4:8])) + np.exp(x[8:12])[:, None],
    "sums of moved sums": lambda x: (x[:4, None, None] * np.diff(x[4:8])[:, None] * x[None, 8:12][:, None]).sum(1),
    "a padded array": lambda x: np.pad(x[:2], 1)[:, None] * x[4:8] + 2 * np.eye(4) * x[5],
    "a transpose": lambda x: (x[:16].reshape(4, 4) * x[8:24].reshape(4, 4).T) @ np.diag(x[:4]),
    "numbers": lambda x: 3.0 * (np.arange(16.0).reshape(4, 4) * x[3] + np.ones((4, 4)) * x[:4]),
}


@one_in(6)
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("places", [np.triu_indices(4), np.tril_indices(4, -1), ([0, 1, 3], [1, 1, -1]), ([2], [1])])
def test_reads_of_matrices_have_the_tapes_hessian(name, places):
    f = lambda x: (np.sin(MATRICES[name](x)[places]) ** 2).sum() * x[0]
    x = 0.5 * np.random.default_rng(len(name)).normal(size=24)
    np.testing.assert_allclose(sg.hessian(f)(x), by_tape(f, x), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(sg.compile(f, "h")(x), by_tape(f, x), rtol=1e-8, atol=1e-9)


def test_a_few_entries_of_a_product_are_products_of_rows_and_many_are_read_of_it():
    left, right = np.array([0, 3, 9]), np.array([1, 1, 5])
    f = lambda x: (((x[:60].reshape(20, 3) @ x[60:].reshape(20, 3).T)[left, right] - 1) ** 2).sum()
    assert "@" not in sg.hessian(f).code(np.ones(120)) and sg.cost(f, np.ones(120)).hessian < 20 * 20 * 3
    every = np.triu_indices(20)
    g = lambda x: np.tanh((x.reshape(20, 20) @ x.reshape(20, 20).T)[every]).sum()
    assert " @ " in sg.hessian(g).code(np.ones(400) / 9)
