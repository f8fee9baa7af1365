"""Numbers in formulas: exact where they are exact (1/2 stays 1/2), floats as they come otherwise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from .. import _limits
from ..core import modes
from ._node import Number

_EXACT = 2**53
_LONGEST = 2**63


def exact(value: Any) -> Number | None:
    """A number in its exact form: 2.0 as 2, 0.5 as 1/2, 1/3 as 1/3; other floats as they are.

    None for what must not be folded into a coefficient: infinities, NaN, and magnitudes whose products overflow.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if isinstance(value, complex):
        if value.imag != 0 or not math.isfinite(value.real):
            return value if np.isfinite(value) else None
        return exact(value.real)
    if not math.isfinite(value) or (value != 0 and not 1e-100 < abs(value) < 1e100):
        return None
    if value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return _fraction(value)


def _fraction(value: float) -> Number:
    """The fraction that a float stands for, if it evidently stands for one."""
    scaled = value * 64
    if scaled.is_integer() and abs(scaled) < _EXACT:
        return Fraction(int(scaled), 64)
    if len(repr(value).lstrip("-0.").replace(".", "")) > 12:  # a short decimal was written as one
        near = Fraction(value).limit_denominator(2000)
        if near.numerator and near.numerator / near.denominator == value:
            return near
    numerals = modes.numerals.get()
    if numerals is not None:
        numerals.seen.append(value)
    return Fraction(repr(value)) if numerals is not None and numerals.exactly else value


def tidy(value: Number) -> Number:
    """A whole fraction as an int, a float without the last digits that adding short decimals leaves (1.2 - 0.9).

    Fractions that no double holds exactly become floats: long products of decimals would grow without bound.
    """
    if type(value) is Fraction:
        if value.denominator == 1:
            return tidy(value.numerator)
        is_short = abs(value.numerator) < _EXACT and value.denominator < _EXACT
        return value if is_short or _stays(value) else float(value)
    if type(value) is float and value and len(repr(value)) > 15:
        short = float(f"{value:.15g}")
        if len(repr(short)) < len(repr(value)) - 3 and abs(short - value) <= 4 * math.ulp(value):
            return exact(short) or short
    if type(value) is int and _LONGEST <= abs(value) < 1 << 1000 and not _stays(value):
        return float(value)
    return value


def _stays(value: int | Fraction) -> bool:
    """Whether a number of more digits than a double has stays as it is."""
    numerals = modes.numerals.get()
    if numerals is not None:
        numerals.seen.append(value)
    return numerals is not None and numerals.exactly


def simple_fraction(value: float) -> Fraction | None:
    """The fraction of small numbers that a float is the nearest to, within the last digit."""
    near = Fraction(value).limit_denominator(_limits.SIMPLE_FRACTION) if math.isfinite(value) else Fraction(0)
    small = 0 < abs(near.numerator) <= _limits.SIMPLE_FRACTION
    return near if small and abs(float(near) - value) <= 2 * math.ulp(value) else None


def surd(value: float) -> tuple[Fraction, int] | None:
    """A float as a fraction times the root of a whole number without squares in it: √12 as (2, 3)."""
    near = Fraction(value * value).limit_denominator(_limits.SIMPLE_FRACTION) if abs(value) < 1e100 else Fraction(0)
    small = 0 < near.numerator <= _limits.SIMPLE_FRACTION
    if not small or abs(math.sqrt(near) - abs(value)) > 2 * math.ulp(value):
        return None
    kernel, square = near.numerator * near.denominator, 1
    for d in range(2, math.isqrt(kernel) + 1):
        while kernel % (d * d) == 0:
            kernel, square = kernel // (d * d), square * d
    return Fraction(square, near.denominator) * (1 if value > 0 else -1), kernel


def power(base: Number, exponent: Number) -> Number | None:
    """``base**exponent`` where the result is exact, else None."""
    if isinstance(base, complex) or isinstance(exponent, complex) or base == 0:
        return None
    if isinstance(exponent, int) and abs(exponent) <= _limits.POWER:
        if isinstance(base, float):
            return base**exponent if 1e-100 < abs(base) ** exponent < 1e100 else None
        return tidy(Fraction(base) ** exponent)
    if isinstance(base, float) or base < 0 or not isinstance(exponent, Fraction) or exponent.denominator != 2:
        return None
    fraction = Fraction(base)
    top, bottom = math.isqrt(fraction.numerator), math.isqrt(fraction.denominator)
    if top * top != fraction.numerator or bottom * bottom != fraction.denominator:
        return None
    return tidy(Fraction(top, bottom) ** exponent.numerator)
