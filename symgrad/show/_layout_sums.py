"""Sums: their terms in the order of reading, numbers multiplied out where that is shorter; how long a formula is.

The idea to hold: terms keep the rational content of a sum in front, which is best for computing; a reader wants
``12x² − 4`` rather than ``4(3x² − 1)``. Of two forms the one with fewer names, numbers and signs is written, counted
in what the Unicode writer makes of them, which alone knows where parentheses stand; on a tie the number stays in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ._layout import Note, diagonal_matrix, in_order, is_negative, negated, number, product, transpose, transposes
from ._signs import LETTERS, Piece
from ._unicode import Writer

Shape = tuple[int, ...]
_SIGNS = re.compile(
    r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ]+|\d+(?:\.\d+)?(?:e[-−]?\d+)?|[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ](?:[^\W⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ])*|[^\w\s,]"
)


class _Spaced(Writer):
    """Writes factors apart, so that each is one piece; what is part of several layouts is written once.

    (Which letters indices have, and which names are alike, does not matter here.)
    """

    def __init__(self) -> None:
        self.taken, self.alike, self.shown = frozenset(), set(), set()
        self.words, self.letters = [], [*LETTERS]
        self.lent, self.explained, self.written = set(), {}, {}

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
    known: dict[Any, int] = note.__dict__  # it stays with its note
    key = f"tokens of {label}"
    if key not in known:
        known[key] = len(_SIGNS.findall(_Spaced().text(note, label)))
    return known[key]


def tokens_of_entry(note: Note) -> int:
    """How many an entry of it has, at indices that are letters."""
    writer = _Spaced()
    return len(_SIGNS.findall(writer.entry(note, tuple(writer.borrow(note.rank))).text))


def times(c: Any, note: Note) -> Note:
    """A number times a note."""
    if note.kind == "number":
        return number(c * note.info)
    return product(c, [], note) if note.shape else product(c, [note], None)


def signed(note: Note) -> tuple[bool, Note]:
    """Whether a note has a minus in front, and the note without it."""
    if note.kind == "number" and is_negative(note.info):
        return True, number(-note.info)
    if note.kind == "product" and is_negative(note.info[0]):
        scalars = list(note.parts[: len(note.parts) - note.info[1]])
        return True, product(-note.info[0], scalars, note.parts[-1] if note.info[1] else None)
    return False, note


def parts_of(note: Note) -> list[Note]:
    """The terms of a sum, with their signs; any other note is the only one."""
    return [times(sign, p) for sign, p in zip(note.info, note.parts)] if note.kind == "add" else [note]


def summed(notes: list[Note], shape: Shape) -> Note:
    """A sum in the order of reading."""
    notes = [_with_sign_outside(note) for note in _one_diagonal(notes, shape)]
    if len(notes) == 1 and notes[0].shape == shape:
        return notes[0]
    found = in_order(map(signed, notes), shape)
    if len(shape) == 2 and transposes(found) and all(n.shape == shape for n in notes):  # BᵀXᵀ + XᵀBᵀ is (BX + XB)ᵀ
        turned = transpose(in_order([signed(transpose(n)) for n in notes], shape[::-1]))
        return turned if turned.kind == "T" and tokens(turned) < tokens(found) else found
    return found


def _with_sign_outside(note: Note) -> Note:
    """The diagonal matrix of a sum of nothing but negative terms with one minus in front: −diag(a + b)."""
    inside = note.parts[0] if note.kind == "diag" else note
    if inside is note or inside.kind != "add" or set(inside.info) != {-1}:
        return note
    return product(-1, [], diagonal_matrix(negated(inside)))


def multiplied_out(note: Note) -> Note:
    """A number times a sum, or a diagonal matrix: in front of it, or of each of its terms where that is shorter."""
    if note.kind != "product":
        return note
    coef, last = note.info[0], note.parts[-1]
    if last.kind == "diag":
        out = diagonal_matrix(multiplied_out(product(coef, list(note.parts[:-1]), last.parts[0])))
    elif last.kind == "full":
        out = last._replace(parts=(multiplied_out(product(coef, list(note.parts[:-1]), last.parts[0])),))
    elif last.kind == "add" and (len(note.parts) == 1 or isinstance(coef, Fraction)):
        out = product(1, list(note.parts[:-1]), _multiple(coef, last))
    elif last.kind in ("chain", "kron") and isinstance(coef, Fraction):  # A(2B − c)/2 is A(B − c/2)
        place = next((k for k, p in enumerate(last.parts) if p.kind == "add"), None)
        if place is None:
            return note
        inside = _multiple(coef, last.parts[place])
        body = last._replace(parts=(*last.parts[:place], inside, *last.parts[place + 1 :]))
        out = product(1, list(note.parts[:-1]), body)
    else:
        return note
    return out if tokens(out) < tokens(note) else note


def _multiple(c: Any, total: Note) -> Note:
    """A number times each term of a sum."""
    return summed([times(c, p) for p in parts_of(total)], total.shape)


def _one_diagonal(notes: list[Note], shape: Shape) -> list[Note]:
    """``6 diag(x²) − 16I`` as ``diag(6x² − 16)``."""
    split = [_diagonal(n) if len(shape) == 2 else None for n in notes]
    entries = [e for e in split if e is not None]
    if len(entries) < 2 or not any(e.shape for e in entries):
        return notes
    joined = diagonal_matrix(summed(entries, shape[:1]))
    apart = in_order([signed(n) for n, e in zip(notes, split) if e is not None], shape)
    if tokens(joined) >= tokens(apart):
        return notes
    return [*[n for n, e in zip(notes, split) if e is None], joined]


def _diagonal(note: Note) -> Note | None:
    """The entries of a diagonal matrix: a vector, or a number if it is a multiple of the identity."""
    coef, scalars, core = 1, [], note
    if note.kind == "product" and note.info[1]:
        coef, scalars, core = note.info[0], list(note.parts[:-1]), note.parts[-1]
    if core.kind == "eye":
        return product(coef, scalars, None)
    return product(coef, scalars, core.parts[0]) if core.kind == "diag" else None
