"""A hundred ways in which what a function reads can change between calls: a derivative of many calls follows each.

The idea to hold: every row is a function c·Σx³ that gets its c in some way, 2 up to the row's ``yield`` and 5 after it.
Its derivatives are known by themselves, whether a program computes them or the function is run.
"""

import collections
import dataclasses
import typing

import numpy as np
import pytest

import symgrad as sg
from symgrad import _limits

from ...helpers.cases import one_in
from . import _what_is_read_outside  # noqa: F401  (more rows)
from ._what_is_read import ROWS, cubes

CALLS = 4
X = np.array([1.0, -2.0, 0.5])
SCALE = 2.0


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    monkeypatch.setattr(_limits, "REPEATED", CALLS)


@pytest.fixture
def follow(monkeypatch, tmp_path):
    """The function of a row, and what changes it; in the end it is as it was."""
    generators = []

    def begin(name):
        make = ROWS[name]
        generators.append(make(monkeypatch, tmp_path) if "path" in make.__code__.co_varnames[:2] else make(monkeypatch))
        return next(generators[0]), lambda: next(generators[0], None)

    yield begin
    for generator in generators:
        next(generator, None)


FORMS = {
    "grad": (sg.grad, lambda f: f, X, lambda g: g),
    "value_and_grad": (sg.value_and_grad, lambda f: f, X, lambda found: found[1] if np.isfinite(found[0]) else None),
    "hessian": (sg.hessian, lambda f: f, X, lambda h: h @ X / 2),
    "a tensor": (sg.grad, lambda f: f, sg.tensor(X), lambda g: g.numpy()),
    "a container": (sg.grad, lambda f: lambda p: f(p["x"][0]), {"x": (X,)}, lambda g: g["x"][0]),
}
"""A transform, a function made of a row's, what it is asked at, and the gradient 3·c·x² by the result."""


@one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ROWS)
def test_a_derivative_of_many_calls_follows(name, form, follow):
    transform, made_of, x, slopes = FORMS[form]
    f, change = follow(name)
    derivative = transform(made_of(f))
    del f
    for c in (2.0, 5.0):
        for _ in range(4 * CALLS):
            np.testing.assert_allclose(slopes(derivative(x)), 3 * c * X**2, rtol=1e-12)
        change()


def arguments():
    """Per kind of an argument a function 2·Σx³ of it, how it is made of x, and how x is taken from it; what is called
    of it, or done with it, is of its own class, which reads the SCALE."""

    class Tuple(typing.NamedTuple):
        w: object

        def sum(self):
            return SCALE * cubes(self[0])

        @property
        def size(self):
            return SCALE

        def __add__(self, other):
            return SCALE * cubes(self[0])

    @dataclasses.dataclass
    class Data:
        w: object

        def dot(self, other):
            return SCALE * cubes(self.w)

        def __getitem__(self, k):
            return SCALE * cubes(self.w)

        def __len__(self):
            return int(SCALE)

        def __iter__(self):
            return iter([SCALE * cubes(self.w)])

    class Key(str):
        def __mul__(self, other):
            return SCALE * other

        __hash__ = str.__hash__

    return {
        "a method of a named tuple": (lambda p: p.sum(), Tuple, lambda g: g[0]),
        "a property of a named tuple": (lambda p: p.size * cubes(p[0]), Tuple, lambda g: g[0]),
        "an operator of a named tuple": (lambda p: p + 1, Tuple, lambda g: g[0]),
        "a method of a dataclass": (lambda p: p.dot(1), Data, lambda g: g.w),
        "an element of a dataclass": (lambda p: p[0], Data, lambda g: g.w),
        "an iterator of a dataclass": (lambda p: sum(p), Data, lambda g: g.w),
        "a dataclass in a list": (lambda p: p[0][0], lambda x: [Data(x)], lambda g: g[0].w),
        "a dictionary with a default": (
            lambda p: p["c"] * cubes(p["x"]), lambda x: collections.defaultdict(lambda: SCALE, x=x), lambda g: g["x"],
        ),
        "a key of a dictionary": (
            lambda p: sum([k * cubes(v) for k, v in p.items()]), lambda x: {Key("c"): x}, lambda g: g["c"],
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", arguments())
@pytest.mark.parametrize("transform", [sg.grad, lambda f: sg.grad(f, argnums=(0,))])
def test_what_the_class_of_an_argument_reads(name, transform, monkeypatch):
    f, made, taken = arguments()[name]
    derivative = transform(f)
    for c in (2.0, 5.0):
        monkeypatch.setitem(globals(), "SCALE", c)
        for _ in range(4 * CALLS):
            found = derivative(made(X))
            found = found if transform is sg.grad else found[0]
            np.testing.assert_allclose(taken(found), 3 * c * X**2, rtol=1e-12)


@pytest.mark.parametrize("name", ["a_global", "an_array", "lists_in_a_dictionary_in_a_tuple", "a_default"])
@pytest.mark.parametrize("form", FORMS)
def test_there_are_programs_that_would_be_stale(name, form, follow):
    transform, made_of, x, _ = FORMS[form]
    derivative = transform(made_of(follow(name)[0]))
    for _ in range(4 * CALLS):
        derivative(x)
    assert derivative._repeated._ready is not None


def test_there_are_a_hundred_rows():
    assert len(ROWS) >= 100
