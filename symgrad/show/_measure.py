"""How long a formula is, counted as a reader does: names, functions, numbers and signs.

The idea to hold: layouts that say the same are compared by what the Unicode writer makes of them, so that nothing but
that writer knows where parentheses stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ._layout import Note
from ._signs import Piece
from ._unicode import Writer

_SIGNS = re.compile(
    r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ]+|\d+(?:\.\d+)?(?:e[-−]?\d+)?|[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ](?:[^\W⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ])*|[^\w\s,]"
)


class _Spaced(Writer):
    """Writes factors apart, so that each is one piece; what is part of several layouts is written once.

    (Which letters indices have does not matter here.)
    """

    def piece(self, note: Note) -> Piece:
        return _kept(note, "piece", super().piece)

    def entry(self, note: Note, at: tuple[str, ...]) -> Piece:
        return _kept(note, at, super().entry, at)

    def gap(self, before: Piece, after: Piece) -> str:
        return " "


def _kept(note: Note, key: Any, write: Callable[..., Piece], *args: Any) -> Piece:
    """A piece, which stays with its note."""
    known: dict[Any, Piece] = note.__dict__
    if key not in known:
        known[key] = write(note, *args)
    return known[key]


def tokens(note: Note, label: str = "") -> int:
    """How many names, numbers and signs a formula, or the equation that defines a ``label``, has."""
    return len(_SIGNS.findall(_Spaced(frozenset()).text(note, label)))
