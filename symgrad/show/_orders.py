"""Third and fourth order as matrices: ``P ⊗ Q``, ``vec(P) vec(Q)ᵀ``, the matrix K that exchanges two axes.

The idea to hold: pairs of axes are read row by row, so that an array of fourth order is a matrix, and most of those
that derivatives make are a Kronecker product. ⊗ binds looser than ⊙: ``2XᵀX ⊗ I/n`` needs no parentheses.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from ._layout import Note, is_divisor, is_negative, product
from ._signs import ADD, MUL, Piece, Signs


class Orders(Signs):
    """The part of a writer that writes third and fourth order."""

    swap = ""  # the matrix that exchanges two axes, once it is needed

    def remarks(self, lines: list[str]) -> list[str]:
        """What is to be said after the definitions, of what occurs in the lines."""
        found = [self.remark(self.word(self.swap).text, "exchanges the last two axes")] if self.swap else []
        used = {
            call: words for call, words in self.explained.items() if any(call.partition("(")[0] in x for x in lines)
        }
        return found + [self.remark(call, f"is {words}") for call, words in used.items()]

    def remark(self, symbol: str, words: str) -> str:
        """What a symbol does, in words."""
        return f"{symbol} {words}"

    def _kron(self, note: Note) -> Piece:
        first, second = [self.inside(p, MUL + 1) for p in note.parts]
        return Piece(first.text + self.kron + second.text, MUL, first.left, second.right)

    def _kronswap(self, note: Note) -> Piece:
        if not self.swap:
            names = itertools.chain(("K", "Π"), (f"K{i}" for i in itertools.count(1)))
            self.swap = next(k for k in names if k not in self.shown)
        return self.beside([Piece(self.parenthesis(self._kron(note).text)), self.word(self.swap)])

    def _scaled_kron(self, coef: Any, scalars: list[Note], body: Note) -> Piece:
        """``c P ⊗ Q/d``: what is multiplied with stands before the first factor, what is divided by after the last."""
        above, below = [s for s in scalars if not is_divisor(s)], [s for s in scalars if is_divisor(s)]
        size = abs(coef)
        top, bottom = (size.numerator, size.denominator) if isinstance(size, Fraction) else (size, 1)
        first, second = body.parts
        parts = product(top, above, first), product(Fraction(1, bottom) if bottom > 1 else 1, below, second)
        piece = self._kron(Note("kron", parts, None, body.shape))
        return Piece(self.minus + piece.text, ADD, False, piece.right) if is_negative(coef) else piece

    def _kronvec(self, note: Note) -> Piece:
        first, second = note.parts
        left = self.inside(first, MUL + 1)
        right = self.transposed(self.piece(second)) if note.info[0][1] == (2,) else self.inside(second, MUL + 1)
        return Piece(left.text + self.kron + right.text, MUL, left.left, right.right)

    def _vecvec(self, note: Note) -> Piece:
        vectors = [self.call("vec", [self.piece(p).text]) for p in note.parts]
        return self.beside([vectors[0], self.transposed(vectors[1])])

    def _diagvec(self, note: Note) -> Piece:
        return self.call("diag", [self.call("vec", [self.piece(note.parts[0]).text]).text])
