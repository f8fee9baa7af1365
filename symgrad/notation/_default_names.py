"""What a name means where nobody declared it: a number, a function, or by its first letter a matrix or a vector."""

from __future__ import annotations

import difflib
import keyword
import math
import unicodedata
from collections.abc import Iterable

from ..show._greek import GREEK

CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e, "inf": math.inf}
"""Names that are numbers unless declared otherwise."""

MODULES = frozenset(
    {"np", "numpy", "sg", "symgrad", "torch", "jnp", "scipy", "math", "linalg", "special", "F", "nn", "functional"}
)  # fmt: skip
"""What may stand before a point: ``np.exp``, ``np.linalg.inv``."""

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


def close_to(name: str, others: Iterable[str]) -> list[str]:
    """The names among ``others`` that a mistyped name may have meant."""
    others = sorted(others)
    return difflib.get_close_matches(name, others, n=3, cutoff=0.6) or [
        o for o in others if len(o) > 2 and o.lower() == name.lower()
    ]


def is_name(text: str) -> bool:
    """Whether a text may be the name of a symbol: an identifier that Python does not keep for itself."""
    return text.isidentifier() and not keyword.iskeyword(text)
