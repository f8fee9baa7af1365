"""The same at points that were set aside while the rules were written."""

import pytest

from ._measured import errors, read
from ._oracle import CASES, HELD_OUT

TRUTHS = read(HELD_OUT)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_values_and_derivatives_are_those_of_mpmath(name):
    assert len(TRUTHS[name]) == len(CASES[name].points[1::2])
    for row, (value, first, second) in zip(TRUTHS[name], errors(name, TRUTHS[name]), strict=True):
        assert max(value, *first, *second, 0.0) <= CASES[name].within, (
            f"{name}{tuple(row[0])}: {value}, {first}, {second}"
        )
