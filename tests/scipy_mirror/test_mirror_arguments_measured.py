"""Every real argument of every function of the mirror is differentiated in a case, or it is said why in none.

What is differentiated is measured, by a gradient that is not 0 in that argument alone. That the derivatives are right,
entry by entry, is the matter of the tests of each module and of test_mirror_second_derivatives.py.
"""

import functools

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from . import (
    _fft_cases,
    _integrate_cases,
    _interpolate_cases,
    _linalg_cases,
    _ndimage_cases,
    _signal_cases,
    _sparse_cases,
)
from ._oracle import MODULES, POINT, cases_of, total
from ._undifferentiated import BY_FUNCTION, BY_MODULE, BY_NAME, FUNCTIONS
from ._watched import Watch, parameters, public
from .test_mirror_optimize import CASES as SOLVED
from .test_mirror_optimize import Q

TEXTS = {
    "linalg": _linalg_cases, "fft": _fft_cases, "signal": _signal_cases, "ndimage": _ndimage_cases,
    "interpolate": _interpolate_cases, "integrate": _integrate_cases, "sparse": _sparse_cases,
}  # fmt: skip
HERE = [m for m in MODULES.values() if m not in ("special", "stats")] + ["optimize"]
"""What test_mirror_every_argument.py does not go through."""


def watched(home):
    """The arguments in which the cases of a module have a gradient."""
    texts = TEXTS[home]
    for case in cases_of(texts.CASES + texts.SET_ASIDE):
        watch = Watch()
        yield watch, functools.partial(total, case, sg.tensor(POINT, requires_grad=True), watch.module)


def solved():
    for f in SOLVED.values():
        watch = Watch()
        yield watch, functools.partial(_weighed, f, watch)


def _weighed(f, watch):
    y = f(watch.module("optimize"), sg.tensor(Q, requires_grad=True))
    return (y * np.cos(np.arange(np.size(y))).reshape(np.shape(y))).sum()


@functools.cache
def moved(home):
    found = set()
    for watch, number in solved() if home == "optimize" else watched(home):
        found |= watch.moved(number())
    return found


NOWHERE = {p: why for why, names in BY_NAME.items() for p in names.split()}
HARMLESS = {(key.split()[0], p) for key in BY_FUNCTION for p in key.split()[1:]}


@one_in(4)
@pytest.mark.parametrize("module", HERE)
def test_every_real_argument_has_a_gradient_in_a_case_or_a_reason_for_none(module):
    found = moved(module.partition(".")[0])
    left = [
        f"{name}({p})"
        for name, fn in public(module)
        if name not in FUNCTIONS
        for p in parameters(fn)
        if (name, p) not in found | HARMLESS and p not in NOWHERE and f"{module} {p}" not in BY_MODULE
    ]
    assert not left, "in no case differentiated, and no reason is said: " + ", ".join(left)


@pytest.mark.slow
def test_what_is_said_to_have_no_derivative_has_none_and_is_there():
    functions = {name: fn for module in HERE for name, fn in public(module)}
    there = {(name, p) for name, fn in functions.items() for p in parameters(fn)}
    assert functions.keys() >= FUNCTIONS.keys()
    assert there >= HARMLESS
    assert {p for _, p in there} >= NOWHERE.keys(), NOWHERE.keys() - {p for _, p in there}
    everywhere = set().union(*(moved(module) for module in {m.partition(".")[0] for m in HERE}))
    assert not everywhere & HARMLESS
    assert not sorted((p, name) for name, p in everywhere if p in NOWHERE)
