"""The values that a text is computed with: written numbers, kept exact, and tensors."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from .._symbol import symbol
from ..calculus import scalar
from ..core import Dim, Tensor, modes
from ..ops import FUNCTIONS
from ..terms import number

CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}
"""Names that are numbers unless declared otherwise."""


def lift(value: Any) -> Any:
    """A value to compute with: fractions as floats, conditions as 0 and 1."""
    if isinstance(value, Fraction | int) and not isinstance(value, bool):
        return _rounded(value)
    return value * 1.0 if isinstance(value, Tensor) and value.dtype == bool else value


def _rounded(value: int | Fraction) -> int | float:
    """A written number as it is computed with; what is another number in a formula is noted while a claim is proved."""
    numerals = modes.numerals.get()
    if numerals is not None and numerals.exactly and scalar(float(value)) is not number(value):
        numerals.rounded.append(f"a number of the text is computed with as {float(value)!r}")
    return float(value) if isinstance(value, Fraction) else value


def as_numbers(value: Any) -> Any:
    return as_tensor(lift(value))


def as_tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else FUNCTIONS["tensor"](np.array(float(value)))


def as_truth(value: Any) -> Any:
    """A condition that a function is given: of numbers, where they are not 0."""
    value = as_tensor(value)
    return value if value.dtype == bool else FUNCTIONS["ne"](value, 0)


def times(x: Any, y: Any) -> Any:
    """A product; a fraction is kept exact as two operations, p·x/q."""
    if isinstance(y, Fraction):
        x, y = y, x
    if isinstance(x, Fraction):
        return (_rounded(x.numerator) * y if x.numerator != 1 else y) / _rounded(x.denominator)
    return x * y


def ones(*sizes: Any) -> Any:
    """An array of ones that knows its named sizes: a constant of symgrad would have the lengths that stand in."""
    if not any(type(size) is Dim for size in sizes):
        return FUNCTIONS["ones"](*sizes)
    array = symbol("any", sizes)
    return array**0


def identity(size: Any) -> Any:
    """An identity matrix, see `ones`."""
    return FUNCTIONS["diag"](ones(size)) if type(size) is Dim else FUNCTIONS["eye"](size)
