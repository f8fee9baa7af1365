"""What a name means where nobody declared it: a number, a function, or by its first letter a matrix or a vector."""

from __future__ import annotations

import keyword
import math
import unicodedata

from ..show._greek import GREEK

CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e, "inf": math.inf}
"""Names that are numbers unless declared otherwise."""

SCALAR_LETTERS = frozenset("αγδεηκλμνρστω")
SCALAR_WORDS = frozenset({GREEK[c] for c in SCALAR_LETTERS} | {"eps", "lam", "lamda"})
"""Greek letters that are numbers. The others (beta, theta, xi…) are as often vectors, and follow their case."""

GREEK_WORDS = SCALAR_WORDS.union(GREEK.values())

COUNTS = frozenset({"m", "n", "N"})
"""Undeclared, these count something: they are numbers, not a vector or a matrix."""


def is_greek_word(word: str) -> bool:
    return word.lower() in GREEK_WORDS


def rank_by_letter(name: str) -> int:
    """The rank of an undeclared name: 2 for a capital, 0 for `SCALAR_LETTERS` and `COUNTS`, else 1."""
    stem = name.rstrip("0123456789_")
    if stem in SCALAR_LETTERS or stem in SCALAR_WORDS or name in COUNTS:
        return 0
    first = name.lstrip("_")[:1]
    return 2 if unicodedata.category(first or "a") == "Lu" else 1


def is_name(text: str) -> bool:
    """Whether a text may be the name of a symbol: an identifier that Python does not keep for itself."""
    return text.isidentifier() and not keyword.iskeyword(text)
