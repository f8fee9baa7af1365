"""Numbers as one would write them: exact fractions, and the constants that floats stand for.

The idea to hold: a number is printed as a fraction of digits and constants only if that very float (or its neighbour)
is what the fraction computes; every other float is printed with all its digits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from .. import _limits


class Fractured(NamedTuple):
    """A number as numerator and denominator: integers, and the name of a constant in either."""

    top: int | str
    over: str
    bottom: int
    under: str


_CONSTANTS = (
    # value, constant above, constant below
    (math.pi, "pi", ""),
    (math.sqrt(2), "sqrt2", ""),
    (1 / math.sqrt(2), "", "sqrt2"),
    (math.sqrt(math.pi), "sqrtpi", ""),
    (1 / math.sqrt(math.pi), "", "sqrtpi"),
    (math.sqrt(2 / math.pi), "sqrt2overpi", ""),
    (1 / math.sqrt(2 * math.pi), "", "sqrt2pi"),
    (math.sqrt(2 * math.pi), "sqrt2pi", ""),
    (1 / math.pi, "", "pi"),
    (math.log(2), "ln2", ""),
    (1 / math.log(2), "", "ln2"),
    (math.log(10), "ln10", ""),
    (1 / math.log(10), "", "ln10"),
    (math.pi**2, "pi2", ""),
    (math.log(2 * math.pi), "ln2pi", ""),
    (math.sqrt(3), "sqrt3", ""),
)
_BOTTOMS = (1, 2, 3, 4, 6, 8, 12, 16)


def fractured(value: Any, named: bool = True) -> Fractured:
    """A number in its parts; a minus is in ``top``. ``named`` says whether constants may be written by their names."""
    if isinstance(value, Fraction):
        return Fractured(value.numerator, "", value.denominator, "")
    if named and isinstance(value, float):
        found = _named(abs(value))
        if found is not None:
            return found._replace(top=-found.top) if value < 0 else found  # type: ignore[operator]
    return Fractured(digits(value), "", 1, "")


@lru_cache(maxsize=_limits.FRACTIONS)
def _named(value: float) -> Fractured | None:
    if not 1e-3 < value < 1e3 or len(repr(value)) < 12:
        return None
    found = []
    for constant, over, under in _CONSTANTS:
        ratio = value / constant
        for bottom in _BOTTOMS:
            top = round(ratio * bottom)
            if (
                1 <= top <= _limits.MULTIPLE
                and math.gcd(top, bottom) == 1
                and abs(constant * top / bottom - value) <= 2 * math.ulp(value)
            ):
                found.append(Fractured(top, over, bottom, under))
    return min(found, key=lambda f: (f.top * f.bottom, len(f.over + f.under)), default=None)


def powers_of_ten(text: str) -> tuple[str, int] | None:
    """``6.3e-06`` as ("6.3", −6); None if a number is not written like that."""
    mantissa, e, exponent = text.partition("e")
    plain = bool(e) and mantissa.lstrip("-").replace(".", "", 1).isdigit()
    return (mantissa, int(exponent)) if plain and exponent.lstrip("+-").isdigit() else None


def digits(value: Any) -> int | str:
    """A number in digits: 2.0 as 2, an int as itself."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e16 else repr(value)
    return repr(value.item() if hasattr(value, "item") else value)
