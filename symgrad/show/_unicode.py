"""Notes as Unicode text, and the fold that LaTeX shares with it.

The idea to hold: one method per kind of note gives a `Piece`. All signs are attributes of the writer or small methods
(`_signs`), which is where LaTeX differs.
"""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from typing import Any

from .. import _limits
from ._elements import Entries
from ._layout import Note, above_and_below, by_entries, is_divisor, is_negative, product, size, transpose, transposes
from ._parameters import chosen
from ._signs import ADD, ATOM, BIG, CHAIN, MUL, Piece

_WORDS = re.compile(r"[^\W_]+")


class Writer(Entries):
    """Writes notes as Unicode text."""

    swap = ""  # the matrix that exchanges two axes, once it is needed

    def text(self, note: Note, label: str = "", entries: bool = False) -> str:
        """The text of a formula, or of its entries at i, j, …; with a ``label``, of the equation that defines it."""
        if note.kind == "zeros" and note.shape and not (label or entries):
            return self.call("zeros", self._sizes(note)).text
        if note.kind == "table" and not entries:
            return self.table_text(note, label)
        if not note.shape or not (self.has_entries(note) if entries else by_entries(note)):
            return self.equation(self.word(label), self.piece(note)) if label else self.piece(note).text
        at = tuple(self.borrow(note.rank))
        piece = self.entry(note, at)
        self.give_back(at)
        if label:
            return self.equation(self.item(self.word(label), at), piece)
        return piece.text if entries else self._at_each(piece, at, note).text

    def _at_each(self, piece: Piece, at: tuple[str, ...], note: Note) -> Piece:
        """An entry at all indices of its array: times a one at those that nothing else in it tells of."""
        told = set(_WORDS.findall(piece.text))
        ones = [self.call("ones", [n]) for n in self._sizes(note)]
        return self.times([piece, *[self.item(one, (i,)) for one, i in zip(ones, at) if i not in told]])

    def _sizes(self, note: Note) -> list[str]:
        return [self.piece(size(n)).text for n in note.shape]

    def _loop(self, note: Note) -> Piece:
        letter, first, last = note.info
        steps = self.equation(self.word(letter), Piece(f"{first} {self.dots} {last}"))
        return Piece(f"{self.piece(note.parts[0]).text}{self.for_all}{steps}", BIG)

    def _series(self, note: Note) -> Piece:
        return Piece(self.sum_of_steps(*note.info) + self.inside(note.parts[0], ADD + 1).text, BIG)

    def table_text(self, note: Note, label: str) -> str:
        """A table that stands alone: a matrix that is too long for a line has one for each row."""
        left = f"{self.word(label).text} = " if label else ""
        rows = [self.piece(p).text for p in note.parts]
        text = f"{left}[{', '.join(rows)}]"
        if note.rank < 2 or len(text) <= _limits.TABLE_WIDTH:
            return text
        return f"{left}[" + (",\n" + " " * (len(left) + 1 + 6 * bool(label))).join(rows) + "]"  # 6: "where "

    def equation(self, left: Piece, right: Piece) -> str:
        """A definition."""
        return f"{left.text} = {self.fenced(right, ADD).text}"

    def _index(self, note: Note) -> Piece:
        if not note.shape and note.parts[0].kind == "name":
            return self.number_in(note.parts[0].info[0], note.info)
        base = self.inside(note.parts[0], ATOM)
        return Piece(f"{base.text}[{chosen(note)}]", ATOM, base.left, True)

    def number_in(self, name: str, place: tuple[int, ...]) -> Piece:
        """An entry of a symbol, below its name unless another symbol is shown so."""
        piece = self.word(f"{name}[{', '.join(map(str, place))}]")
        below = piece.text not in self.shown or f"{name}[{', '.join(map(str, place))}]" in self.taken
        return piece if below else Piece(f"{self.word(name).text}[{', '.join(map(str, place))}]", right=True)

    def _name(self, note: Note) -> Piece:
        return self.word(note.info[0])

    def _number(self, note: Note) -> Piece:
        return self.scaled(note.info, [], None)

    def _data(self, note: Note) -> Piece:
        return Piece(self.written_out(note.info.value.tolist()), ATOM)

    def _table(self, note: Note) -> Piece:
        return Piece(f"[{', '.join([self.piece(p).text for p in note.parts])}]", ATOM, right=True)

    def written_out(self, value: Any) -> str:
        """Nested lists of numbers."""
        if isinstance(value, list):
            return "[" + ", ".join(map(self.written_out, value)) + "]"
        return self.figures(value)

    def _sign(self, note: Note) -> Piece:
        return note.info

    def _zeros(self, note: Note) -> Piece:
        return Piece("0")

    def _ones(self, note: Note) -> Piece:
        return Piece(self.one)

    def _eye(self, note: Note) -> Piece:
        return self.identity(note.shape[0])

    def _T(self, note: Note) -> Piece:
        (matrix,) = note.parts
        if matrix.kind == "inv":
            return self.inverse(self.piece(self.as_matrix(matrix.parts[0])), True)
        return self.transposed(self.piece(matrix))

    def _inv(self, note: Note) -> Piece:
        (matrix,) = note.parts
        base = matrix.parts[0] if matrix.kind == "T" else matrix
        return self.inverse(self.piece(self.as_matrix(base)), matrix.kind == "T")

    def _chain(self, note: Note) -> Piece:
        runs = [(part, len(list(run))) for part, run in itertools.groupby(note.parts)]
        return self.beside([piece for part, k in runs for piece in self._times_itself(part, k)])

    def _times_itself(self, matrix: Note, k: int) -> list[Piece]:
        """A matrix k times: X³, P⁻²; AᵀAᵀ stays, which is shorter than (Aᵀ)²."""
        turned = matrix.kind == "T" or (matrix.kind == "inv" and matrix.parts[0].kind == "T")
        if k == 1 or (turned and k == 2) or not self.entrywise:
            return [self.inside(self.as_matrix(matrix), CHAIN)] * k
        inverse = matrix.kind == "inv" and not turned
        base = matrix.parts[0] if inverse else matrix
        return [self.raised(self.piece(self.as_matrix(base)), f"-{k}" if inverse else str(k))]

    def _dot(self, note: Note) -> Piece:
        u, v = note.parts
        piece = self.beside([*self._row(u), self.inside(v, CHAIN)])
        return Piece(piece.text, piece.level, piece.left, True)  # xᵀAx Bx: a space after the number

    def _row(self, vector: Note) -> list[Piece]:
        """A vector lying down: uᵀ, and uᵀM for what is Mᵀu standing."""
        if vector.kind == "chain":
            matrices = [transpose(p) for p in reversed(vector.parts[:-1])]
            if sum(map(transposes, matrices)) <= transposes(vector) + 1:
                return [*self._row(vector.parts[-1]), *[self.inside(p, CHAIN) for p in matrices]]
        return [self.transposed(self.piece(vector))]

    def _outer(self, note: Note) -> Piece:
        u, v = note.parts
        return self.beside([self.inside(u, CHAIN), *self._row(v)])

    def _bcast(self, note: Note) -> Piece:
        if note.rank > 2:
            return self.item(self.piece(note.parts[0]), (self.dots,))
        ones = Note("ones", (), None, ())
        return self._outer(
            Note("outer", (*note.parts, ones) if note.info == (0,) else (ones, *note.parts), None, note.shape)
        )

    def _full(self, note: Note) -> Piece:
        (part,) = note.parts
        if part.rank:
            return self.piece(part)
        if note.rank > 2:
            ones = Note("sign", (), self.call("ones", self._sizes(note)), note.shape)
            return self.piece(product(1, [part], ones))
        along = [Note("ones", (), None, (n,)) for n in note.shape]
        return self.piece(
            _everywhere(part, Note("outer", tuple(along), None, note.shape) if note.rank > 1 else along[0])
        )

    def _square(self, note: Note) -> Piece:
        return self.raised(self.mark("norm", self.piece(note.parts[0]).text), "2")

    def _sum(self, note: Note) -> Piece:
        along = [] if note.info is None else [("dim", note.info)]
        return self.call("sum", [self.piece(note.parts[0]).text, *self.named(along)])

    def _add(self, note: Note) -> Piece:
        parts = note.parts
        if note.rank == 2 and any(
            _core(p).kind in ("eye", "diag") for p in parts
        ):  # a number beside I is every entry's
            ones = Note("ones", (), None, ())
            every = Note("outer", (ones, ones), None, note.shape)
            parts = tuple([p if p.shape else _everywhere(p, every) for p in parts])
        return self.sum([self.piece(p) for p in parts], note.info)

    def _had(self, note: Note) -> Piece:
        return self._quotient(1, [], note)

    def _product(self, note: Note) -> Piece:
        coef, has_body = note.info
        scalars, body = (list(note.parts[:-1]), note.parts[-1]) if has_body else (list(note.parts), None)
        if body is not None and body.kind == "kron" and self.on_one_line and isinstance(coef, (int, Fraction)):
            return self._scaled_kron(coef, scalars, body)
        return self._quotient(coef, scalars, body)

    def _pow(self, note: Note) -> Piece:
        if is_negative(note.info):
            return self._quotient(1, [], note)
        base = note.parts[0]
        if base.kind == "square":
            return self._norm_power(base, note.info * 2)
        return self.powered(self.piece(base), note.info, self.entrywise if note.rank == 2 else "")

    def _norm_power(self, base: Note, exponent: Any) -> Piece:
        norm = self.mark("norm", self.piece(base.parts[0]).text)
        text = str(exponent) if isinstance(exponent, (int, Fraction)) else self.figures(exponent)
        return norm if exponent == 1 else self.raised(norm, text)

    def _quotient(self, coef: Any, scalars: list[Note], body: Note | None) -> Piece:
        """Numerator over denominator: negative powers go below."""
        parts = [] if body is None else list(body.parts) if body.kind == "had" else [body]
        above, below = above_and_below(parts)
        over = self._hadamard(above) if above else None
        under = self._hadamard(below) if below else None
        return self.scaled(coef, scalars, over, under)

    def _hadamard(self, parts: list[Note]) -> Piece:
        if len(parts) == 1:
            return self.piece(parts[0])
        if not parts[0].shape:
            return self.beside([self.inside(p, CHAIN) for p in parts])
        pieces = [self.inside(p, MUL + 1) for p in parts]
        out = Piece(self.had.join([p.text for p in pieces]), MUL, pieces[0].left, pieces[-1].right)
        out.divided = pieces[-1].divided
        return out

    # Third and fourth order as matrices: pairs of axes are read row by row, so that most of what derivatives make is a
    # Kronecker product. ⊗ binds looser than ⊙: 2XᵀX ⊗ I/n needs no parentheses.

    def remarks(self, lines: list[str]) -> list[str]:
        """What is to be said after the definitions, of what occurs in the lines."""
        found = {self.word(self.swap).text: "exchanges the last two axes"} if self.swap else {}
        for call, words in self.explained.items():
            if any(call.partition("(")[0] in line for line in lines):
                found[call] = f"is {words}"
        return [self.mark("remark", symbol, words).text for symbol, words in found.items()]

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

    def _einsum(self, note: Note) -> Piece:
        """Products with indices inside other notation, which layouts avoid."""
        at = tuple(self.borrow(note.rank))
        piece = self._at_each(self.entry_einsum(note, at), at, note)
        self.give_back(at)
        return Piece(f"[{piece.text}]") if at else piece


def _core(note: Note) -> Note:
    """What a coefficient and scalars stand before."""
    return note.parts[-1] if note.kind == "product" and note.info[1] else note


def _everywhere(note: Note, every: Note) -> Note:
    """A number as a matrix that has it at every place."""
    return product(note.info, [], every) if note.kind == "number" else product(1, [note], every)
