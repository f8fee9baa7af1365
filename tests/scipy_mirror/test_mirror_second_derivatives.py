"""Second derivatives by any two entries, along directions that move all; `_oracle.assert_scipys` has one of few."""

import re

import numpy as np
import pytest

import symgrad as sg
import symgrad.scipy as sp

from ..helpers.cases import one_in
from ..helpers.numeric import STEP, slope
from ..scipy._oracle import CASES as ORACLE
from . import _special_cases
from ._oracle import MIRROR, POINT, cases_of, total
from ._oracle import called as first_function
from ._undifferentiated import FUNCTIONS
from ._watched import Watch, public
from .test_mirror_arguments_measured import HERE, TEXTS, solved

BY_TRUTHS = {name.partition("[")[0] for name, of in ORACLE.items() if of.seconds}
"""Functions of special whose second derivatives are held against mpmath's (tests/scipy)."""
CASES = [
    c
    for m in (*TEXTS.values(), _special_cases)
    for c in cases_of(m.CASES + m.SET_ASIDE)
    if first_function(c) not in {f"sc.{name}" for name in BY_TRUTHS}
]


@one_in(160)
@pytest.mark.parametrize("case", CASES)
def test_every_second_derivative_is_that_of_differences_of_the_gradient(case):
    gradient = sg.grad(lambda z: total(case, z, MIRROR))
    at = gradient(POINT) != 0  # the other entries are not among the case's, and have no second derivative with any
    assert at.any(), "the case has no derivative at all: it tests nothing"
    rng = np.random.default_rng(len(case))
    for _ in range(2):  # half of the oracle's step, since all entries move as far as its largest
        direction = rng.uniform(0.5, 1, POINT.size) * rng.choice([-1, 1], POINT.size)
        truth = slope(lambda t: gradient(POINT + t * at * direction), STEP / 2)  # noqa: B023
        found = sg.grad(lambda z: (gradient(z) * direction).sum())(POINT)  # noqa: B023
        np.testing.assert_allclose(found, truth, rtol=1e-5, atol=2e-6 * (1 + np.abs(truth).max()))


ELSEWHERE = {
    "special.round": "It has none: its slope is 0.",
    "optimize.NonlinearConstraint": "test_mirror_optimize.py, by itself and in minimize.",
}
"""Functions of which no case is among these, and where their second derivatives are looked at."""


def called():
    """The functions that are called in cases whose second derivatives are compared, entry by entry."""
    z, found = sg.tensor(POINT, requires_grad=True), set()
    for case in {tuple(re.findall(r"[\w.]+\(", case)): case for case in CASES}.values():  # others call the same
        watch = Watch()
        total(case, z, watch.module)
        found |= watch.called
    for watch, number in solved():
        number()
        found |= watch.called
    return found | {f"special.{n}" for n in BY_TRUTHS}


def test_every_function_has_a_case_with_second_derivatives_entry_by_entry():
    """Those of stats: test_mirror_every_argument.py, with a test that they are all of them."""
    names = [n for module in HERE for n, _ in public(module)] + [f"special.{n}" for n in sp.special.__all__]
    seen = called()
    left = [n for n in dict.fromkeys(names) if n not in seen | FUNCTIONS.keys() | ELSEWHERE.keys()]
    assert not left, "of no case are second derivatives looked at: " + ", ".join(left)
    assert not seen & ELSEWHERE.keys()
