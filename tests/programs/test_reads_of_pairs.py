"""Functions of pairs written as arrays of all pairs of which some are read: their programs are those of the pairs.

The idea to hold: the truth is the tape's, at random functions and random ways to read; that nothing is computed of all
pairs is seen from the work and the lines of the program.
"""

import numpy as np
import pytest

import symgrad as sg
from symgrad.programs import program

from ..helpers.cases import one_in

RNG = np.random.default_rng(5)


@pytest.fixture(autouse=True)
def mistakes_are_raised(monkeypatch):
    monkeypatch.setattr(program, "STRICT", True)


def by_tape(f, x):
    return sg.func.hessian(f)(sg.tensor(x)).detach().numpy()


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
ATOMS = 2 * RNG.normal(size=(9, 3))


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
    assert "np.exp(c)" in H.code(RNG.normal(size=12))


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
