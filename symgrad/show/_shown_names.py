"""How the name of a symbol is shown: ``beta_0`` is β₀, ``x_hat`` is x̂, the entry ``x[0]`` is x₀.

The idea to hold: a name has a stem, perhaps an accent, what stands below it, and the place of an entry. Which names
would be shown alike is asked of all of them at once (`_signs`): these are spelled as they are.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from .. import _limits
from ..syntax import ACCENTS, GREEK

SPELLED_LETTERS = {word: letter for letter, word in GREEK.items()} | {"lam": "λ", "lamda": "λ", "eps": "ε"}
"""Names that are Greek letters."""
_BELOW = str.maketrans("0123456789tknml+-", "₀₁₂₃₄₅₆₇₈₉ₜₖₙₘₗ₊₋")
_ABOVE_OR_BELOW = frozenset("₀₁₂₃₄₅₆₇₈₉ₜₖₙₘₗ₊₋" + "".join(ACCENTS.values()))


class Name(NamedTuple):
    """A name taken apart; ``stem`` is a Greek letter where it spells one."""

    stem: str
    accent: str
    below: list[str]
    place: list[str]


def taken_apart(text: str) -> Name:
    """The parts of a name: ``beta_hat_0[1, 2]`` is β, hat, below it 0, at 1 and 2."""
    name, _, place = text.partition("[")
    stem, *below = name.split("_") if name.strip("_") == name else [name]
    accent = below.pop(0) if below and below[0] in ACCENTS else ""
    letters = stem.rstrip("0123456789")
    if letters in SPELLED_LETTERS and letters != stem:
        stem, below = letters, [stem[len(letters) :], *below]
    return Name(SPELLED_LETTERS.get(stem, stem), accent, below, place.rstrip("]").split(", ") if place else [])


@lru_cache(maxsize=_limits.SHOWN_NAMES)
def in_unicode(text: str) -> str:
    """A name with Greek letters, accents and digits below; π is the number, so that ``pi`` is spelled."""
    stem, accent, below, place = taken_apart(text)
    if (accent and len(stem) > 1) or stem == "π":
        name = text.partition("[")[0]
    elif all(part.isdigit() for part in below) and len(below) < 2:
        name = stem + (ACCENTS[accent] if accent else "") + "".join(below).translate(_BELOW)
    else:
        name = "_".join([stem + (ACCENTS[accent] if accent else ""), *below])
    name = unicodedata.normalize("NFC", name)  # ŷ is one letter
    return entry(name, place) if place else name


def entry(name: str, place: list[str]) -> str:
    """An entry of an array by its places, below the name where they are read off and nothing else stands there."""
    below = "".join(place).translate(_BELOW)
    if 1 in (len(place), max(map(len, place))) and _ABOVE_OR_BELOW.issuperset(below) and not name[-1].isdigit():
        return name + below
    return f"{name}[{', '.join(place)}]"


@lru_cache(maxsize=_limits.SHOWN_NAMES)
def is_letter(shown: str) -> bool:
    """Whether what is shown is one letter, but for what stands above and below it."""
    return len([c for c in shown if c not in _ABOVE_OR_BELOW]) == 1
