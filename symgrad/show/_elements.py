"""Formulas by their entries: ``Σₖ A[i,k]·B[k,j]`` for whatever has no matrix notation.

The idea to hold: a note read at given indices. Sums over indices, products and functions pass the indices on to their
parts; what has matrix notation of its own is written in it and indexed, ``(AB)[i,j]``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ._functions_text import Functions
from ._layout import Note, above_and_below, by_entries, chain, inverted, is_divisor
from ._signs import BIG, Piece

_PLACES: dict[str, Sequence[Sequence[int]]] = {
    "ones": (), "eye": (), "T": ((1, 0),), "diag": ((0,),), "diagpart": ((0, 0),), "outer": ((0,), (1,)),
    "kron": ((0, 2), (1, 3)), "kronswap": ((0, 3), (1, 2)), "vecvec": ((0, 1), (2, 3)), "diagvec": ((0, 1),),
}  # fmt: skip
"""Notes whose entry is the product of their parts' entries: at which of its places."""
_DELTAS = {"eye": ((0, 1),), "diag": ((0, 1),), "diagvec": ((0, 2), (1, 3))}
"""Places that must be equal for it not to be 0."""


def _places(note: Note) -> Sequence[Sequence[int]] | None:
    if note.kind == "kronvec":
        return note.info[0]
    if note.kind in ("bcast", "full"):
        return (note.info or range(note.rank),)
    return _PLACES.get(note.kind)


class Entries(Functions):
    """The part of a writer that writes entries."""

    def entry(self, note: Note, at: tuple[str, ...]) -> Piece:
        """The entry of a note at indices."""
        if not note.shape:
            return self.entry_einsum(note, at) if note.kind == "einsum" else self.piece(note)
        places = _places(note)
        if places is not None:
            deltas = [self.entry_of_identity(note.shape[k], (at[k], at[m])) for k, m in _DELTAS.get(note.kind, ())]
            entries = [self.entry(p, tuple([at[i] for i in s])) for p, s in zip(note.parts, places)]
            return self.times(deltas + entries)
        rule = getattr(self, "entry_" + note.kind, None)
        return self.item(self.piece(note), at) if rule is None else rule(note, at)

    def has_entries(self, note: Note) -> bool:
        """Whether its entries can be said in those of its parts."""
        return _places(note) is not None or hasattr(self, "entry_" + note.kind)

    def entry_zeros(self, note: Note, at: tuple[str, ...]) -> Piece:
        return Piece("0")

    def entry_chain(self, note: Note, at: tuple[str, ...]) -> Piece:
        first, *rest = note.parts
        if first.kind == "diag":
            return self.times([self.entry(first.parts[0], at[:1]), self.entry(chain(*rest), at)])
        if note.parts[-1].kind == "diag":
            return self.times([self.entry(chain(*note.parts[:-1]), at), self.entry(note.parts[-1].parts[0], at[1:])])
        return self.item(self.piece(note), at)

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
        divisors = [factor for factor in factors if is_divisor(factor[0])]
        if not divisors:
            return self.times([self.entry(p, at) for p, at in factors])
        above = self.times([self.entry(*factor) for factor in factors if factor not in divisors])
        return self.fraction(above, self.times([self.entry(inverted(p), at) for p, at in divisors]))

    def entry_pow(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.powered(self.entry(note.parts[0], at), note.info)

    def entry_map(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.function(note, [self.entry(p, at) for p in note.parts])

    def entry_iverson(self, note: Note, at: tuple[str, ...]) -> Piece:
        return self.mark("iverson", self.entry(note.parts[0], at).text)

    def entry_sum(self, note: Note, at: tuple[str, ...]) -> Piece:
        (part,) = note.parts
        if not by_entries(part):
            return self.item(self.piece(note), at)
        fresh, kept = self.borrow(len(note.info), at), iter(at)
        summed = dict(zip(note.info, fresh))
        body = self.entry(part, tuple([summed[k] if k in summed else next(kept) for k in range(part.rank)]))
        self.give_back(fresh)
        return self.big(fresh, body)

    def entry_einsum(self, note: Note, at: tuple[str, ...]) -> Piece:
        indices, rank = note.info
        inner = sorted({i for s in indices for i in s if i >= rank})
        fresh = self.borrow(len(inner), at)
        name = {**dict(enumerate(at)), **dict(zip(inner, fresh))}
        items = sorted(zip(note.parts, indices), key=lambda item: (item[0].kind == "add", item[0].kind == "map"))
        body = self.quotient([(p, tuple([name[i] for i in s])) for p, s in items])
        self.give_back(fresh)
        return self.big(fresh, body) if fresh else body

    def big(self, letters: list[str], body: Piece) -> Piece:
        """A sum over indices."""
        return Piece(f"{self.big_sum(letters)}{self.fenced(body, BIG).text}", BIG)
