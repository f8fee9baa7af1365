"""Formulas by their entries: ``Σₖ A[i,k]·B[k,j]`` for whatever has no matrix notation.

The idea to hold: a note read at given indices. Sums over indices, products and functions pass the indices on to their
parts; what has matrix notation of its own is written in it and indexed, ``(AB)[i,j]``.
"""

from __future__ import annotations

from ._functions_text import Functions
from ._layout import Note, above_and_below, chain, inverted, is_divisor
from ._signs import BIG, Piece


class Entries(Functions):
    """The part of a writer that writes entries."""

    def entry(self, note: Note, at: tuple[str, ...]) -> Piece:
        """The entry of a note at indices."""
        if not note.shape:
            return self.entry_einsum(note, at) if note.kind == "einsum" else self.piece(note)
        rule = getattr(self, "entry_" + note.kind, None)
        return self._indexed(note, at) if rule is None else rule(note, at)

    def has_entries(self, note: Note) -> bool:
        """Whether its entries can be said in those of its parts."""
        return hasattr(self, "entry_" + note.kind)

    def _indexed(self, note: Note, at: tuple[str, ...]) -> Piece:
        piece = self.piece(note)
        return self.item(piece, at)

    def entry_T(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.entry(note.parts[0], at[::-1])

    def entry_ones(self, note: Note, at: tuple[str, ...]) -> Piece:
        return Piece("1")

    def entry_eye(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.entry_of_identity(note.shape[0], at)

    def entry_diag(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.times([self.entry_of_identity(note.shape[0], at), self.entry(note.parts[0], at[:1])])

    def entry_diagpart(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.entry(note.parts[0], at * 2)

    def entry_outer(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.times([self.entry(p, (i,)) for p, i in zip(note.parts, at)])

    def entry_chain(self, note: Note, at: tuple[str, ...]) -> Piece:
        first, *rest = note.parts
        if first.kind == "diag":
            return self.times([self.entry(first.parts[0], at[:1]), self.entry(chain(*rest), at)])
        if note.parts[-1].kind == "diag":
            return self.times([self.entry(chain(*note.parts[:-1]), at), self.entry(note.parts[-1].parts[0], at[1:])])
        return self._indexed(note, at)

    def entry_zeros(self, note: Note, at: tuple[str, ...]) -> Piece:
        return Piece("0")

    def entry_kron(self, note: Note, at: tuple[str, ...]) -> Piece:
        places = {"kron": (0, 2, 1, 3), "kronswap": (0, 3, 1, 2), "vecvec": (0, 1, 2, 3)}[note.kind]
        a, b, c, d = [at[k] for k in places]
        return self.times([self.entry(note.parts[0], (a, b)), self.entry(note.parts[1], (c, d))])

    entry_kronswap = entry_vecvec = entry_kron

    def entry_kronvec(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.times([self.entry(p, tuple([at[i] for i in s])) for p, s in zip(note.parts, note.info[0])])

    def entry_diagvec(self, note: Note, at: tuple[str, ...]) -> Piece:
        deltas = [self.entry_of_identity(note.shape[k], (at[k], at[k + 2])) for k in (0, 1)]
        return self.times([*deltas, self.entry(note.parts[0], at[:2])])

    def entry_bcast(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.entry(note.parts[0], tuple([at[i] for i in note.info]))

    def entry_full(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.entry(note.parts[0], at)

    def entry_add(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.sum([self.entry(p, at) for p in note.parts], note.info)

    def entry_product(self, note: Note, at: tuple[str, ...]) -> Piece:
        coef, has_body = note.info
        if not has_body:
            return self.scaled(coef, list(note.parts), self.entry(note.parts[-1], at))
        body = note.parts[-1]
        above, below = above_and_below(body.parts if body.kind == "had" else [body])
        over, under = (self.times([self.entry(p, at) for p in found]) if found else None for found in (above, below))
        return self.scaled(coef, list(note.parts[:-1]), over, under)

    def entry_had(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.quotient([(p, at) for p in note.parts])

    def quotient(self, factors: list[tuple[Note, tuple[str, ...]]]) -> Piece:
        """A product of entries, negative powers below."""
        above = self.times([self.entry(p, at) for p, at in factors if not is_divisor(p)])
        below = [self.entry(inverted(p), at) for p, at in factors if is_divisor(p)]
        return self.fraction(above, self.times(below)) if below else above

    def entry_pow(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.powered(self.entry(note.parts[0], at), note.info)

    def entry_map(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.function(note, [self.entry(p, at) for p in note.parts])

    def entry_iverson(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.indicator(self.entry(note.parts[0], at))

    def entry_einsum(self, note: Note, at: tuple[str, ...]) -> Piece:
        indices, rank = note.info
        inner = sorted({i for s in indices for i in s if i >= rank})
        fresh = self.borrow(len(inner), at)
        name = {**dict(enumerate(at)), **dict(zip(inner, fresh))}
        items = sorted(zip(note.parts, indices), key=lambda item: (item[0].kind == "add", item[0].kind == "map"))
        body = self.quotient([(p, tuple([name[i] for i in s])) for p, s in items])
        self.give_back(fresh)
        return Piece(f"{self.big_sum(fresh)}{self.fenced(body, BIG).text}", BIG) if fresh else body
