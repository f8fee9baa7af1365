"""Values, first and second derivatives of SciPy's functions beside mpmath's at 50 digits."""

import json

import numpy as np
import pytest
from mpmath import mp

import symgrad as sg

from ..helpers.cases import one_in
from ._measured import errors, read
from ._oracle import CASES, OPEN, truths

TRUTHS = read(OPEN)


@one_in(6)
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_those_of_mpmath(name):
    assert len(TRUTHS[name]) == len(CASES[name].points[::2])
    for row, (value, first, second) in zip(TRUTHS[name], errors(name, TRUTHS[name]), strict=True):
        assert max(value, *first, *second, 0.0) <= CASES[name].within, (
            f"{name}{tuple(row[0])}: {value}, {first}, {second}"
        )


@pytest.mark.parametrize("name", ["gammainc", "ellipkinc", "struve", "stdtr", "betaincinv"])
def test_the_file_of_truths_is_what_mpmath_says(name):
    rows = truths(CASES[name], CASES[name].points[:3])
    assert json.loads(json.dumps(rows[::2])) == TRUTHS[name][:2]


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize(("name", "truth"), [("struve", mp.struveh), ("modstruve", mp.struvel)])
def test_struves_functions_at_0_have_derivatives_of_every_order(name, truth, order):
    def f(x):
        return getattr(sg.scipy.special, name)(order, x)

    for k, coefficient in enumerate(mp.taylor(lambda x: truth(order, x), 0, 4)):
        np.testing.assert_allclose(f(np.array(0.0)), float(coefficient * mp.factorial(k)), atol=1e-9)
        f = sg.grad(f)
