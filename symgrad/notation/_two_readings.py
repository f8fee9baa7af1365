"""A text whose ``*`` may be the matrix product as well as the product entry by entry: it is read in both ways.

The idea to hold: signs that only one notation has settle what ``*`` is. Where there are none, one reading must be left:
because only one fits together, or because both are the same formula. Else the text is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .._errors import FormulaError
from ..syntax import ParseError
from ._operators import SQUARE

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
    a, b = map(first.reading.operand, star.children)
    step = f'Write {a} @ {b} or {a} .* {b}, or say how it is meant: dialect="matrix" or dialect="numpy".'
    raise first.reading.problem(star, "'*' may be the matrix product, and the product entry by entry", step)


def refuse_determinants(found: Reader, another: Callable[[frozenset[int]], Reader]) -> None:
    """Refuse ``|X|`` of a matrix that may be square, unless a determinant would not fit at its place.

    Raises
    ------
    ParseError : some of the bars may be determinants
    """
    bars = [node for node, shape in found.reading.bars if found.may_be_square(shape)]
    for some in [*({node.start} for node in bars), {node.start for node in bars}] if bars else []:
        try:
            if len(bars) < 3:  # else there are more ways to choose among them than are tried
                another(frozenset(some)).work()
        except FormulaError:
            continue
        source = found.reading.source(bars[0].children[0], 12)
        what = f"|{source}| of {SQUARE} may be read in two ways"
        raise found.reading.problem(bars[0], what, f"Write abs({source}), or det({source}).")
