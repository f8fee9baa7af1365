"""Random functions: the compiled Hessian is the tape's, at every point and whatever changes between two calls."""

import random
import re

import numpy as np
import pytest

import symgrad as sg

from ..helpers.examples import seeds
from ._hessian_functions import function_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")

HUGE = 1e10
"""Matrices with such entries are all rounding."""


def positions(points):
    return 0 if len(points) == 1 else tuple(range(len(points)))


def by_tape(f, points):
    """The whole matrix row by row; None where the function or the tape raises."""
    sizes = [x.size for x in points]
    try:
        found = sg.func.hessian(f, positions(points))(*[sg.tensor(x) for x in points])
    except (sg.SymgradError, RuntimeError, ValueError, IndexError, TypeError, ZeroDivisionError, np.linalg.LinAlgError):
        return None
    rows = ((found,),) if len(points) == 1 else found
    return np.block([
        [rows[i][j].detach().numpy().reshape(sizes[i], sizes[j]) for j in range(len(sizes))] for i in range(len(sizes))
    ])  # fmt: skip


def by_program(f, points, format="dense"):
    found = sg.hessian(f, positions(points), format=format)(*points)
    matrix = getattr(found, "matrix", found)
    n = sum(x.size for x in points)
    return matrix.toarray() if format == "csr" else np.asarray(matrix).reshape(n, n)


def agree(f, points, format="dense"):
    """Compare with the tape; whether there was anything to compare."""
    expected = by_tape(f, points)
    if expected is None:
        return False
    got = by_program(f, points, format)
    finite = np.isfinite(expected)
    if not finite.all():  # a program may leave out what is not finite, and then is right
        return False
    scale = np.abs(expected).max(initial=0)
    if scale > HUGE:
        return False
    np.testing.assert_array_equal(got, got.T)
    nearby = by_tape(f, [x * (1 + 1e-15) for x in points])
    noise = 0 if nearby is None else 1e3 * np.abs(nearby - expected).max(initial=0)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-8 * scale + 1e-12 + noise)
    return True


def elsewhere(points, rng):
    return [rng.uniform(-1.4, 1.4, x.shape) for x in points]


@seeds(12)
def test_the_matrix_is_the_tapes_at_every_point(seed):
    function, rng = function_of(seed, most=8), np.random.default_rng(seed)
    f = function.compiled()
    if not agree(f, function.leaves):
        return
    for _ in range(2):
        agree(f, elsewhere(function.leaves, rng))
    agree(f, [np.asfortranarray(x)[::-1] for x in function.leaves])
    agree(f, function.leaves)


@seeds(12)
def test_a_sparse_matrix_has_the_entries_of_the_dense_one(seed):
    function, rng = function_of(seed, most=6), np.random.default_rng(seed)
    f = function.compiled()
    if agree(f, function.leaves, "csr"):
        agree(f, elsewhere(function.leaves, rng), "csr")


def changed(value, rng):
    """Another constant of the same kind and shape."""
    if isinstance(value, int | float):
        return rng.choice([0.5, 1.5, 3.0, 0.3, 2.0]).item() if rng.random() < 0.7 else int(rng.integers(1, 4))
    if isinstance(value, sg.Tensor):
        return sg.tensor(rng.uniform(-1.4, 1.4, value.shape))
    if value.dtype.kind == "f":
        return rng.uniform(-1.4, 1.4, value.shape)
    return rng.permutation(value.reshape(-1)).reshape(value.shape)


@seeds(12)
def test_a_changed_constant_is_never_taken_for_the_old_one(seed):
    function, rng = function_of(seed, most=6), np.random.default_rng(seed)
    f = function.compiled()
    used = [name for name in function.constants if re.search(rf"\b{name}\b", function.source)]
    if not (used and agree(f, function.leaves)):
        return
    for name in used:
        value = f.__globals__[name]
        new = changed(value, rng)
        if isinstance(value, np.ndarray) and rng.random() < 0.5:
            value[...] = new  # in place: the same object as before
        else:
            f.__globals__[name] = new
        agree(f, function.leaves)


NUMBER = re.compile(r"(?<![\w.])\d+(\.\d+)?(?![\w.])")


@seeds(12)
def test_a_changed_number_in_the_text_is_never_taken_for_the_old_one(seed):
    function, r = function_of(seed, most=5), random.Random(seed + 1)
    places = list(NUMBER.finditer(function.source))
    for _ in range(4) if places and agree(function.compiled(), function.leaves) else ():
        place = r.choice(places)
        new = r.choice(["0", "1", "2", "3", "0.5", "1.5"])
        agree(
            function.compiled(function.source[: place.start()] + new + function.source[place.end() :]), function.leaves
        )


@seeds(6)
def test_the_matrix_is_the_derivative_of_the_gradient(seed):
    function = function_of(seed, most=5, kinks=False)
    f, points = function.compiled(), function.leaves
    if "detach" in function.source or not agree(f, points):  # differences do not know what is cut
        return
    got = by_program(f, points)
    if np.abs(got).max(initial=0) >= 1e4:
        return
    slope = sg.grad(f, positions(points))

    def gradient(t):
        found = slope(*[x + t * v for x, v in zip(points, direction, strict=True)])
        return np.concatenate([np.ravel(g) for g in (found if isinstance(found, tuple) else (found,))])

    rng = np.random.default_rng(0)
    direction = [rng.normal(size=x.shape) for x in points]
    step = 1e-4
    fine, coarse = ((gradient(s) - gradient(-s)) / (2 * s) for s in (step, 2 * step))
    expected = (4 * fine - coarse) / 3
    if np.abs(fine - coarse).max() > 1e-4 * (1 + np.abs(fine).max()):  # a kink is near
        return
    v = np.concatenate([np.ravel(d) for d in direction])
    np.testing.assert_allclose(got @ v, expected, rtol=0, atol=1e-5 * (1 + np.abs(expected).max()))


def test_there_is_something_to_compare_for_most_functions():
    functions = [function_of(seed, most=6) for seed in range(20)]
    assert sum(agree(function.compiled(), function.leaves) for function in functions) >= 15


@pytest.mark.slow
def test_most_functions_have_a_program():
    asked, programs = 0, 0
    for seed in range(60):
        function = function_of(seed, most=8)
        f = function.compiled()
        if by_tape(f, function.leaves) is None:
            continue
        asked += 1
        plan = sg.hessian(f, positions(function.leaves)).plan(*function.leaves)
        programs += "a program runs" in plan
    assert asked > 50
    assert programs >= 0.85 * asked


def test_a_function_of_a_number_is_always_the_same():
    assert repr(function_of(7)) == repr(function_of(7))
