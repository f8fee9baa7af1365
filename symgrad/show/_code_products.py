"""Products, sums and powers as Python source.

The idea to hold: ``*``, ``/`` and ``@`` bind alike in Python, so products are kept apart by kind and one inside another
is in parentheses. Matrices are applied to a vector from the right; a diagonal matrix scales rows or columns.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ._expressions import LETTERS, MATMUL, UNARY, Expressions, Selection, Text
from ._layout import Note, above_and_below, chain, inverted, is_negative, transpose
from ._signs import ADD, ATOM, COMPARED, MUL, POW


class Products(Expressions):
    """The part of a code writer that writes products."""

    def _chain(self, note: Note) -> Text:
        parts = list(note.parts)
        if parts[-1].rank == 1:
            return self._on_vector(parts)
        for k, p in enumerate(parts[:-1]):
            if _inverse(p) is not None:
                rest = self._solve(p, self.text(chain(*parts[k + 1 :])))
                if not k:
                    return rest, ATOM
                left = self._times_matrices(parts[:k])
                return f"{left[0] if left[1] == MATMUL else self.fenced(left, UNARY)} @ {rest}", MATMUL
        return self._times_matrices(parts)

    def _times_matrices(self, parts: list[Note]) -> Text:
        """Matrices from the left; a diagonal one scales the rows of what follows or the columns of what precedes."""
        if parts[0].kind == "diag" and len(parts) > 1:
            rest = self.fenced(self._times_matrices(parts[1:]), UNARY)
            return f"{self.text(parts[0].parts[0], ATOM)}[:, None]*{rest}", MUL
        found = self.selection(parts[0]) if len(parts) > 1 else None
        if found is not None:
            return self._rows(found, self._times_matrices(parts[1:]), parts[-1].shape[1:]), ATOM
        product = self.written(parts[0])
        for p in parts[1:]:
            found = self.selection(p)
            if found is not None and found.transposed:
                product = self.read(self.fenced(product, ATOM), (slice(None), found.index)), ATOM
            elif found is not None:
                product = self.at(product[0], (parts[0].shape[0], found.size), (slice(None), found.index)), ATOM
            elif p.kind == "diag":
                product = f"{self.fenced(product, UNARY)}*{self.text(p.parts[0], UNARY)}", MUL
            else:
                left = product[0] if product[1] == MATMUL else self.fenced(product, UNARY)
                product = f"{left} @ {self.text(p, UNARY)}", MATMUL
        return product

    def _rows(self, found: Selection, product: Text, rest: tuple[int, ...]) -> str:
        """A selection of the rows of a product, or its rows put where they were selected."""
        if found.transposed:
            return self.at(product[0], (found.size, *rest), (found.index,))
        return self.read(self.fenced(product, ATOM), (found.index,))

    def _on_vector(self, parts: list[Note]) -> Text:
        """Matrices applied to a vector, the last one first."""
        if parts[-1].kind == "ones":
            parts, product = parts[:-2], self._row_sums(parts[-2])
        else:
            parts, product = parts[:-1], self.written(parts[-1])
        for p in reversed(parts):
            found = self.selection(p)
            if found is not None:
                product = self._rows(found, product, ()), ATOM
            elif p.kind == "diag":
                product = f"{self.text(p.parts[0], UNARY)}*{self.fenced(product, UNARY)}", MUL
            elif _inverse(p) is not None:
                product = self._solve(p, product[0]), ATOM
            else:
                product = f"{self.text(p, UNARY)} @ {self.fenced(product, UNARY)}", MATMUL
        return product

    def _row_sums(self, matrix: Note) -> Text:
        if matrix.kind == "T":
            return f"{self.text(matrix.parts[0], ATOM)}.sum(axis=0)", ATOM
        if matrix.kind == "diag":
            return self.written(matrix.parts[0])
        return f"{self.text(matrix, ATOM)}.sum(axis=1)", ATOM

    def _solve(self, inverse: Note, right: str) -> str:
        matrix = _inverse(inverse)
        assert matrix is not None
        return self.function("linalg.solve", self.text(matrix), right)

    def _outer(self, note: Note) -> Text:
        u, v = note.parts
        if v.kind == "ones" or u.kind == "ones":
            other = v if u.kind == "ones" else u
            if other.kind == "ones":
                return self.new("ones", self.shape(note.shape)), ATOM
            column = "[:, None]" if v.kind == "ones" else ""
            return self.function(
                "broadcast_to", self.text(other, ATOM if column else COMPARED) + column, self.shape(note.shape)
            ), ATOM
        return self.function("outer", self.text(u), self.text(v)), ATOM

    def _sum(self, note: Note) -> Text:
        (part,) = note.parts
        axis = [] if note.info is None else [f"axis={note.info[0] if len(note.info) == 1 else note.info}"]
        if part.kind == "chain" and part.rank == 2 and not axis:  # A @ B.sum(axis=1) takes fewer steps than A @ B
            part = chain(part, Note("ones", (), None, part.shape[1:]))
        return self.function("sum", self.text(part), *axis), ATOM

    def _diagvec(self, note: Note) -> Text:
        flat = f"{self.text(note.parts[0], ATOM)}.reshape(-1)"
        return f"{self.function('diag', flat)}.reshape({self.shape(note.shape)})", ATOM

    def _einsum(self, note: Note) -> Text:
        indices, rank = note.info
        stacked = _stacked(*zip(note.parts, indices), rank=rank) if len(indices) == 2 else None
        if stacked is not None:
            return " @ ".join([self.text(p, UNARY) for p in stacked]), MATMUL
        inner = any(i >= rank for s in indices for i in s)
        if inner or any(len(set(s)) < len(s) for s in indices) or "eye" in [p.kind for p in note.parts]:
            spec = ",".join(["".join([LETTERS[i] for i in s]) for s in indices]) + "->" + LETTERS[:rank]
            return self.function("einsum", f"'{spec}'", *[self.text(p) for p in note.parts]), ATOM
        factors = [self.aligned(p, s, rank) for p, s in zip(note.parts, indices) if p.kind != "ones"]
        if not factors:
            return self.new("ones", self.shape(note.shape)), ATOM
        text, own = (
            factors[0] if len(factors) == 1 else ("*".join([t if o > MUL else f"({t})" for t, o in factors]), MUL)
        )
        covered = {i for p, s in zip(note.parts, indices) for i in s if p.kind != "ones"}
        return (
            (text, own) if len(covered) == rank else (self.function("broadcast_to", text, self.shape(note.shape)), ATOM)
        )

    def _kronvec(self, note: Note) -> Text:
        return self.written(note._replace(kind="einsum"))

    def aligned(self, note: Note, indices: tuple[int, ...], rank: int) -> Text:
        """An array with axes of length 1 where the result has others."""
        text, own = self.written(note)
        turned = tuple(sorted(range(len(indices)), key=indices.__getitem__))
        if turned != tuple(range(len(indices))):
            text, own = self.permuted(text, turned), ATOM
        first = min(indices, default=rank)
        if all(i in indices for i in range(first, rank)):
            return text, own
        slots = [":" if i in indices else "None" for i in range(first, rank)]
        return f"{text if own == ATOM else f'({text})'}[{', '.join(slots)}]", ATOM

    def permuted(self, text: str, axes: tuple[int, ...]) -> str:
        """An array with its axes in another order."""
        return self.function("transpose", text, str(axes))

    def _bcast(self, note: Note) -> Text:
        return self.aligned(note.parts[0], note.info, note.rank)

    def _had(self, note: Note) -> Text:
        return self._quotient(1, list(note.parts))

    def _product(self, note: Note) -> Text:
        coef, has_body = note.info
        body = note.parts[-1] if has_body else None
        parts = (
            list(note.parts[:-1]) + list(body.parts) if body is not None and body.kind == "had" else list(note.parts)
        )
        return self._quotient(coef, parts)

    def _quotient(self, coef: Any, parts: list[Note]) -> Text:
        """Numerator over denominator: negative powers go below."""
        negative = is_negative(coef)
        coef = -coef if negative else coef
        top, bottom = (coef.numerator, coef.denominator) if isinstance(coef, Fraction) else (coef, 1)
        above, below = above_and_below(parts)
        if below or bottom != 1:
            texts = [self.text(p, UNARY) for p in above]
        else:
            last = MATMUL if not any(p.shape for p in above[:-1]) else UNARY  # numbers may stand before A @ x
            texts = [self.text(p, last if p is above[-1] else UNARY) for p in above]
        if top != 1 or not texts:
            number, own = self.number(top)
            texts = [number if own > MUL else f"({number})", *texts]
        text = "*".join(texts)
        divisors = ([str(bottom)] if bottom != 1 else []) + [self.text(p, UNARY) for p in below]
        if divisors:
            text += "/" + (divisors[0] if len(divisors) == 1 else "(" + "*".join(divisors) + ")")
        own = MATMUL if above and above[-1].kind in ("chain", "dot") and not divisors else MUL
        return (f"-{text}", ADD) if negative else (text, own)

    def _pow(self, note: Note) -> Text:
        (base,) = note.parts
        if is_negative(note.info):
            return f"1/{self.text(inverted(note), UNARY)}", MUL
        if note.info == Fraction(1, 2):
            if base.kind == "square":
                return self.function("linalg.norm", self.text(base.parts[0])), ATOM
            return self.function("sqrt", self.text(base)), ATOM
        exponent, own = self.number(note.info)
        return f"{self.text(base, ATOM)}**{exponent if own == ATOM else f'({exponent})'}", POW

    def _add(self, note: Note) -> Text:
        text = ""
        for part, sign in zip(note.parts, note.info):
            between = (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
            text += between + self.text(part, MATMUL)
        return text, ADD


def _stacked(*factors: tuple[Note, tuple[int, ...]], rank: int) -> tuple[Note, Note] | None:
    """The factors of a product of stacks of matrices, one for each index of the axes in front; None if it is none."""
    for (a, s), (b, t) in (factors, factors[::-1]):
        summed = s[-1]
        rows, batch_a = (s[-2:-1], s[:-2]) if len(s) > 1 else ((), ())
        columns, batch_b = (t[-1:], t[:-2]) if len(t) > 1 else ((), ())
        batch = max(batch_a, batch_b, key=len)
        fits = all(batch[len(batch) - len(own) :] == own for own in (batch_a, batch_b))
        meet = summed >= rank and summed == t[-1 - len(columns)]
        if fits and meet and (*batch, *rows, *columns) == tuple(range(rank)):
            return a, b
    return None


def _inverse(note: Note) -> Note | None:
    """The matrix whose inverse a note is."""
    if note.kind == "inv":
        return note.parts[0]
    return transpose(note.parts[0].parts[0]) if note.kind == "T" and note.parts[0].kind == "inv" else None
