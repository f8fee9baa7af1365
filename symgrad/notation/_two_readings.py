"""A text whose ``*`` may be the matrix product as well as the product entry by entry: it is read in both ways.

The idea to hold: signs that only one notation has settle what ``*`` is. Where there are none, one reading must be left:
because only one fits together, or because both are the same formula. Else the text is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._errors import FormulaError
from ..syntax import ParseError

if TYPE_CHECKING:
    from ._parse import Reader


def settled(first: Reader, another: Callable[[], Reader]) -> Reader:
    """The one reading of a text: ``first``, or the one in which ``*`` is the other product."""
    failure: ParseError | None = None
    try:
        first.work()
    except ParseError as error:
        failure = error
    if failure is None and (not first.reading.stars or first.reading.inverts):
        return first
    other = another()
    try:
        other.work()
    except FormulaError:
        if failure is not None:
            raise failure from None
        return first
    if failure is not None:
        if other.reading.stars:
            return other
        raise failure
    if first.formula.equals(other.formula):
        return first
    star = first.reading.stars[0]
    a, b = (first.reading.source(child, 12) for child in star.children)
    step = f'Write {a} @ {b} or {a} .* {b}, or say how it is meant: dialect="matrix" or dialect="numpy".'
    raise first.reading.problem(star, "'*' may be the matrix product, and the product entry by entry", step)
