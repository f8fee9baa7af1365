"""Notes as Unicode text, and the fold that LaTeX shares with it.

The idea to hold: one method per kind of note gives a `Piece`: text, how tightly it holds together, and whether its ends
are words. All signs are attributes of the writer or small methods (a superscript, a fraction, a norm), which is where
LaTeX differs.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from fractions import Fraction
from typing import Any, ClassVar

from ._elements import ADD, ATOM, BIG, CHAIN, LETTERS, MUL, POW, Entries, Piece
from ._functions_text import Functions
from ._layout import Note, by_entries, inverted, is_divisor, is_negative, product, transpose, transposes
from ._numbers import digits, fractured, powers_of_ten
from ._orders import Orders
from ._parameters import chosen

_DIGITS = tuple("0123456789")
_SUPERSCRIPTS = str.maketrans("0123456789-+()n/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾ⁿᐟ")
_SUBSCRIPTS = dict(zip(LETTERS + "0123456789", "ᵢⱼₖₗₘₙₚᵣₛₜᵤᵥₕₒₐₓₑ₀₁₂₃₄₅₆₇₈₉"))


class Writer(Functions, Orders, Entries):
    """Writes notes as Unicode text."""

    minus = "−"
    had = " ⊙ "
    dot = "·"
    before_sum = " "
    dots = "…"
    top = "ᵀ"
    delta = "δ"
    one = "𝟏"
    on_one_line = True  # whether a/b has its parts beside each other, and not one above the other
    eye = "I"
    functions: ClassVar[dict[str, str]] = {
        "sigmoid": "σ", "normal_pdf": "φ", "ndtr": "Φ", "digamma": "ψ", "lgamma": "logΓ",
        "softplus_unit": "softplus", "slogdet": "logdet", "amax": "max", "amin": "min",
    }  # fmt: skip
    constants: ClassVar[dict[str, str]] = {
        "pi": "π", "sqrt2": "√2", "sqrtpi": "√π", "sqrt2overpi": "√(2/π)", "sqrt2pi": "√(2π)", "ln2": "ln(2)",
        "ln10": "ln(10)", "pi2": "π²", "ln2pi": "ln(2π)", "sqrt3": "√3",
    }  # fmt: skip

    def __init__(self, taken: Collection[str]) -> None:
        self.taken = frozenset(taken)
        self.letters = [c for c in LETTERS if c not in taken]
        self.lent = set()

    def text(self, note: Note, label: str = "", entries: bool = False) -> str:
        """The text of a formula, or of its entries at i, j, …; with a ``label``, of the equation that defines it."""
        if not note.shape or not (self.has_entries(note) if entries else by_entries(note)):
            return self.equation(self.word(label), self.piece(note)) if label else self.piece(note).text
        at = tuple(self.borrow(note.rank))
        piece = self.entry(note, at)
        self.give_back(at)
        return self.equation(self.item(self.word(label), at), piece) if label else piece.text

    def equation(self, left: Piece, right: Piece) -> str:
        """A definition."""
        return f"{left.text} = {self.fenced(right, ADD).text}"

    def piece(self, note: Note) -> Piece:
        """The text of a note."""
        return getattr(self, "_" + note.kind)(note)

    def inside(self, note: Note, level: int) -> Piece:
        """The text of a note, in parentheses if it holds together less tightly than that."""
        return self.fenced(self.piece(note), level)

    def fenced(self, piece: Piece, level: int) -> Piece:
        """A piece, in parentheses if it holds together less tightly than that."""
        return piece if piece.level >= level else Piece(self.parenthesis(piece.text))

    def parenthesis(self, text: str) -> str:
        """Text in parentheses."""
        return f"({text})"

    def beside(self, pieces: list[Piece], level: int = CHAIN) -> Piece:
        """Factors side by side, with a space where one of the two ends that meet is a word."""
        text = pieces[0].text
        for before, after in itertools.pairwise(pieces):
            text += self.gap(before, after) + after.text
        return Piece(text, level, pieces[0].left, pieces[-1].right) if len(pieces) > 1 else pieces[0]

    def gap(self, before: Piece, after: Piece) -> str:
        """What stands between two factors."""
        digits_meet = after.text[:1] in _DIGITS and (before.text[-1:] in _DIGITS or not after.left)  # t·2^x is not t2
        digits_meet = digits_meet or after.text[:1] == "["  # 2·[1, 3] is no index
        brackets_meet = before.text[-1:] == ")" and after.text[:1] == "("
        return "·" if digits_meet else " " if (before.right or after.left) and not brackets_meet else ""

    def raised(self, base: Piece, exponent: str) -> Piece:
        """A base with a superscript."""
        base = self.fenced(base, ATOM)
        plain = all(ord(c) in _SUPERSCRIPTS for c in exponent) and "/" not in exponent
        if plain:
            return Piece(base.text + exponent.translate(_SUPERSCRIPTS), POW + 1, base.left, base.right)
        exponent = exponent.replace("-", self.minus)
        return Piece(f"{base.text}^{exponent if exponent.isalnum() else f'({exponent})'}", POW, base.left, True)

    def inverse(self, base: Piece, transposed: bool) -> Piece:
        """The inverse of a matrix, perhaps of its transpose."""
        base = self.fenced(base, ATOM)
        return Piece(base.text + ("⁻ᵀ" if transposed else "⁻¹"), POW, base.left, base.right)

    def root(self, base: Piece) -> Piece:
        """A square root."""
        base = base if len(base.text) == 1 else self.fenced(base, ATOM)
        if base.left:
            base = Piece(self.parenthesis(base.text))
        return Piece(f"√{base.text}", POW, right=True)

    def fraction(self, top: Piece, bottom: Piece) -> Piece:
        """A quotient."""
        top = self.fenced(top, MUL)  # a ⊙ b/c is the same read either way
        top = Piece(self.parenthesis(top.text)) if top.divided else top
        level = MUL if top.level < CHAIN else MUL + 1
        out = Piece(f"{top.text}/{self.fenced(bottom, POW).text}", level, top.left, bottom.right)
        out.divided = True
        return out

    def norm(self, inner: str, sub: str = "") -> Piece:
        """A norm."""
        return Piece(f"‖{inner}‖{sub.translate(str.maketrans('0123456789', '₀₁₂₃₄₅₆₇₈₉'))}")

    def call(self, function: str, args: list[str]) -> Piece:
        """A function of arguments."""
        return Piece(f"{function}({', '.join(args)})", ATOM, left=True, right=True)

    def transposed(self, base: Piece) -> Piece:
        """A transpose."""
        base = self.fenced(base, ATOM)
        return Piece(base.text + self.top, POW, base.left, base.right)

    def item(self, array: Piece, at: tuple[str, ...]) -> Piece:
        """An entry of an array."""
        return Piece(f"{self.fenced(array, ATOM).text}[{','.join(at)}]")

    def big_sum(self, letters: list[str]) -> str:
        """The sign of a sum over indices."""
        small = "".join([_SUBSCRIPTS.get(c, c) for letter in letters for c in letter])
        return f"Σ{small} "

    def word(self, text: str) -> Piece:
        """A symbol."""
        word = len(text) > 1
        return Piece(text, ATOM, word, word)

    # ---- one method per kind

    def _index(self, note: Note) -> Piece:
        base = self.inside(note.parts[0], ATOM)
        return Piece(f"{base.text}[{chosen(note)}]", ATOM, base.left, True)

    def _name(self, note: Note) -> Piece:
        return self.word(note.info[0])

    def _number(self, note: Note) -> Piece:
        return self.scaled(note.info, [], None)

    def _data(self, note: Note) -> Piece:
        return Piece(self.written_out(note.info.value.tolist()), ATOM)

    def written_out(self, value: Any) -> str:
        """Nested lists of numbers."""
        if isinstance(value, list):
            return "[" + ", ".join(map(self.written_out, value)) + "]"
        return self.figures(value)

    def figures(self, value: Any) -> str:
        """A number in digits; ``6.3·10⁻⁶`` where `repr` has ``6.3e-06``, which reads as a difference."""
        text = value if isinstance(value, str) else str(digits(value))
        found = powers_of_ten(text)
        return text.replace("-", self.minus) if found is None else self.scientific(*found)

    def scientific(self, mantissa: str, exponent: int) -> str:
        """A number times a power of ten."""
        power = f"10{str(exponent).translate(_SUPERSCRIPTS)}"
        if mantissa in ("1", "-1"):
            return mantissa[:-1].replace("-", self.minus) + power
        return f"{mantissa.replace('-', self.minus)}·{power}"

    def _zeros(self, note: Note) -> Piece:
        return Piece("0")

    def _ones(self, note: Note) -> Piece:
        return Piece(self.one)

    def _eye(self, note: Note) -> Piece:
        return Piece(self.eye)

    def _T(self, note: Note) -> Piece:
        (matrix,) = note.parts
        if matrix.kind == "inv":
            return self.inverse(self.piece(matrix.parts[0]), True)
        return self.transposed(self.piece(matrix))

    def _inv(self, note: Note) -> Piece:
        (matrix,) = note.parts
        return self.inverse(self.piece(matrix.parts[0] if matrix.kind == "T" else matrix), matrix.kind == "T")

    def _chain(self, note: Note) -> Piece:
        return self.beside([self.inside(self.as_matrix(p), CHAIN) for p in note.parts])

    def as_matrix(self, note: Note) -> Note:
        """A factor of a matrix product: a number added to each entry is a multiple of 𝟏𝟏ᵀ, not of I."""
        if note.kind != "add" or note.rank != 2:
            return note
        parts = [p if p.shape else Note("full", (p,), None, note.shape) for p in note.parts]
        return note._replace(parts=tuple(parts))

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
        if part.rank or note.rank > 2:
            return self.piece(part)
        ones = [Note("ones", (), None, (n,)) for n in note.shape]
        return self.piece(_everywhere(part, Note("outer", tuple(ones), None, note.shape) if note.rank > 1 else ones[0]))

    def _inner(self, note: Note) -> Piece:
        return self.angles([self.piece(p).text for p in note.parts])

    def angles(self, parts: list[str]) -> Piece:
        """An inner product."""
        return Piece(f"⟨{', '.join(parts)}⟩")

    def _square(self, note: Note) -> Piece:
        return self.raised(self.norm(self.piece(note.parts[0]).text), "2")

    def _trace(self, note: Note) -> Piece:
        return self.call("tr", [self.piece(note.parts[0]).text])

    def _sum(self, note: Note) -> Piece:
        along = [] if note.info is None else [("dim", note.info)]
        return self.call("sum", [self.piece(note.parts[0]).text, *self.named(along)])

    def _diag(self, note: Note) -> Piece:
        return self.call("diag", [self.piece(note.parts[0]).text])

    _diagpart = _diag

    def _add(self, note: Note) -> Piece:
        parts = note.parts
        if note.rank == 2 and any(
            _core(p).kind in ("eye", "diag") for p in parts
        ):  # a number beside I is every entry's
            ones = Note("ones", (), None, ())
            every = Note("outer", (ones, ones), None, note.shape)
            parts = tuple([p if p.shape else _everywhere(p, every) for p in parts])
        return self.sum([self.piece(p) for p in parts], note.info)

    def sum(self, pieces: list[Piece], signs: Any) -> Piece:
        text = ""
        for piece, sign in zip(pieces, signs):
            piece = self.fenced(piece, ADD + 1)
            between = (f" {self.minus} " if sign < 0 else " + ") if text else (self.minus if sign < 0 else "")
            text += between + piece.text
        return Piece(text, ADD)

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
        return self.powered(self.piece(base), note.info)

    def _norm_power(self, base: Note, exponent: Any) -> Piece:
        norm = self.norm(self.piece(base.parts[0]).text)
        return norm if exponent == 1 else self.raised(norm, str(exponent))

    def powered(self, base: Piece, exponent: Any) -> Piece:
        """A power."""
        if exponent == Fraction(1, 2):
            return self.root(base)
        if is_negative(exponent):
            return self.fraction(Piece("1"), base if exponent == -1 else self.powered(base, -exponent))
        return self.raised(base, str(exponent) if isinstance(exponent, (int, Fraction)) else self.figures(exponent))

    def _quotient(self, coef: Any, scalars: list[Note], body: Note | None) -> Piece:
        """Numerator over denominator: negative powers go below."""
        parts = [] if body is None else list(body.parts) if body.kind == "had" else [body]
        above = [p for p in parts if not is_divisor(p)]
        below = [inverted(p) for p in parts if is_divisor(p)]
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

    def scaled(self, coef: Any, scalars: list[Note], body: Piece | None, under: Piece | None = None) -> Piece:
        """A coefficient and scalars before an array, and what both are divided by."""
        if body is not None and body.level == BIG and under is None and not (coef == 1 and not scalars):
            factor = self.scaled(coef, scalars, None)
            front = self.minus if factor.text == self.minus + "1" else factor.text + self.before_sum
            if not factor.divided:  # 1/2 Σ x might be 1/(2 Σ x)
                return Piece(front + body.text, min(factor.level, BIG))
        negative = is_negative(coef)
        number = fractured(-coef if negative else coef)
        above = [self._count(number.top)] if number.top != 1 else []
        above += [Piece(self.constants[number.over], POW, number.over.startswith("ln"), True)] if number.over else []
        below = [self._count(number.bottom)] if number.bottom != 1 else []
        below += [Piece(self.constants[number.under], POW)] if number.under else []
        for s in scalars:
            if is_divisor(s):
                below.append(self.piece(inverted(s)))
            else:
                above.append(self.inside(s, CHAIN))
        divided = bool(below) or under is not None
        if body is not None:
            bare = not above and (not self.on_one_line if divided else not negative)
            above.append(body if bare else self.fenced(body, MUL))
        if under is not None:
            below.append(under)
        if self.on_one_line or len(below) > 1:
            below = [self.fenced(p, CHAIN) for p in below] if len(below) > 1 or under is None else below
        out = self._together(above) if above else Piece("1")
        if below:
            out = self.fraction(out, self._together(below))
        out = Piece(self.minus + out.text, ADD, False, out.right) if negative else out
        out.divided = out.divided or (bool(below) and self.on_one_line)
        return out

    def _together(self, pieces: list[Piece]) -> Piece:
        if len(pieces) == 1:
            return pieces[0]
        out = self.beside(pieces, min(CHAIN, *[p.level for p in pieces]))
        out.divided = pieces[-1].divided
        return out

    def _count(self, value: int | str) -> Piece:
        text = str(value)
        level = ATOM if text.isdigit() else CHAIN if text[:1].isdigit() else ADD
        return Piece(self.figures(value), level, right="e" in text)

    def times(self, pieces: list[Piece]) -> Piece:
        pieces = [p for p in pieces if p.text != "1"]
        if len(pieces) < 2:
            return pieces[0] if pieces else Piece("1")
        pieces = [Piece(self.parenthesis(p.text)) if p.divided else p for p in pieces[:-1]] + pieces[-1:]
        out = Piece(self.dot.join([self.fenced(p, MUL).text for p in pieces]), MUL)
        out.divided = pieces[-1].divided
        return out

    def _einsum(self, note: Note) -> Piece:
        """Products with indices inside other notation, which layouts avoid."""
        at = tuple(self.borrow(note.rank))
        piece = self.entry_einsum(note, at)
        self.give_back(at)
        return Piece(f"[{piece.text}]") if at else piece


def _core(note: Note) -> Note:
    """What a coefficient and scalars stand before."""
    return note.parts[-1] if note.kind == "product" and note.info[1] else note


def _everywhere(note: Note, every: Note) -> Note:
    """A number as a matrix that has it at every place."""
    return product(note.info, [], every) if note.kind == "number" else product(1, [note], every)
