"""From the sum of products that a second derivative is, to the lines that fill the matrix.

The idea to hold: a matrix of second derivatives is symmetric, so each of its terms may be replaced by half the sum of
itself and its transpose. That leaves the sum as it is, makes the result symmetric to the last bit, and halves the work:
``Aᵀ D A`` is one triangular product, a product of pairs needs each pair once, and of a pattern's entries only those
below the diagonal.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..expr._add import add
from ..expr._ein import ein
from ..expr._node import Ein, Expr, Var
from ._builder import Builder
from ._linear import sources
from ._places import Placed, placed
from ._plan import binary
from ._ranges import Range, stripped
from ._survey import Unprogrammable
from ._terms import PATTERNS, as_product, entries, every_name, identified, named

MOST_AVERAGED = 64
"""Rows of a matrix that is made symmetric at the end, as a whole."""


_WORDS = {
    "gram": "Gram matrix Aᵀ D A", "diagonal": "diagonals (an identity times an array)", "whole": "dense product",
    "row": "single rows",
}  # fmt: skip


class NotSparse(Unprogrammable):
    """The matrix has no pattern that is sparse in structure."""


class Planning:
    """What one symmetric matrix is made of, block by block; `Assembly` writes it.

    Attributes
    ----------
    pieces : names of the arrays that enter the last products: if they are finite, so is the matrix
    """

    def __init__(self, builder: Builder, shapes: list[tuple[int, ...]], sparse: bool) -> None:
        self.builder, self.sparse = builder, sparse
        self.rows_apart = True  # whether single rows may be written, and averaged at the end
        self.shapes = list(shapes)
        self.sizes = [entries(s) for s in shapes]
        self.starts = [sum(self.sizes[:k]) for k in range(len(shapes))]
        self.total = sum(self.sizes)
        self.entries: list[tuple[Placed, int, int, float]] = []  # with the block's offset and the weight
        self.dense: list[tuple[int, int, Any]] = []
        self.slots = np.zeros(0, np.int64)
        self.pieces: list[str] = []
        self.averaged = False

    # ------------------------------------------------------------------------------------------------- planning

    def block(self, a: int, b: int, terms: list[Ein]) -> None:
        """Plan the block of variables ``a`` and ``b`` (a ≤ b): what it needs is defined from here on."""
        if self.sparse or not self.rows_apart:
            self._one_block(a, b, terms)
            return
        parts: dict[tuple[int, int], list[Ein]] = {}
        for term in self._without_rows(a, b, terms):
            rows, columns, short = stripped(term, (self.shapes[a], self.shapes[b]))
            parts.setdefault((self._range(a, rows), self._range(b, columns)), []).append(short)
        apart = a != b or (not self.averaged and self._apart({k for pair in parts for k in pair}))
        for (i, j), group in parts.items():
            if not apart:  # half of each term, and half of its mirror image
                self._one_block(i, j, group, 1.0 if i == j else 0.5)
            elif a != b or i <= j or (j, i) not in parts:  # the mirror image is written with its original
                self._one_block(i, j, group)

    def _apart(self, parts: set[int]) -> bool:
        """Whether parts of a variable are the same or have nothing in common: then blocks are blocks of the matrix."""
        spans = sorted({(self.starts[k], self.starts[k] + self.sizes[k]) for k in parts})
        shapes = {(self.starts[k], self.shapes[k]) for k in parts}
        return len(shapes) == len(spans) and all(a[1] <= b[0] for a, b in pairwise(spans))

    def _without_rows(self, a: int, b: int, terms: list[Ein]) -> list[Ein]:
        """The terms that are no single rows of a small matrix; those are planned here."""
        q = len(self.shapes[a])
        if a != b or q != 1 or self.total > MOST_AVERAGED:
            return terms
        found = []
        for term, weight in _folded(terms, q):
            plan = self._row(term, weight) if {f.kind for f, _ in term.factors} >= {"lin"} else None
            if plan is not None:
                self.dense.append((a, b, plan))
                self.averaged = True
            else:
                found += [term] if weight == 1 else [term, _mirror(term, q)]
        return found

    def _range(self, variable: int, part: Range) -> int:
        """The number of a part of a variable among the blocks' rows."""
        start, shape = self.starts[variable] + part[0], part[1]
        for k in range(len(self.shapes)):
            if self.starts[k] == start and self.shapes[k] == shape:
                return k
        self.shapes.append(shape)
        self.sizes.append(entries(shape))
        self.starts.append(start)
        return len(self.shapes) - 1

    def _one_block(self, a: int, b: int, terms: list[Ein], share: float = 1.0) -> None:
        q = len(self.shapes[a])
        for term, weight in _folded(terms, q) if a == b else [(t, share) for t in terms]:
            self._term(a, b, term, weight, q)

    def _term(self, a: int, b: int, term: Ein, weight: float, q: int) -> None:
        patterns = {f.kind for f, _ in term.factors if f.kind in PATTERNS}
        if patterns == {"delta"} and not self.sparse and len(self.shapes[a]) == len(self.shapes[b]):
            plan = self._diagonal(term, weight, q, a == b)
            if plan is not None:
                self.dense.append((a, b, plan))
                return
        if patterns:
            try:
                entry = placed(self.builder, term, q)
            except Unprogrammable:
                if "lin" in patterns and not self.sparse and entries(term.shape) <= 1 << 24:
                    self.dense.append((a, b, self._general(term, weight, a == b, q)))
                    return
                raise
            self.entries.append((entry, a, b, weight))
            self._note(entry.values)
            return
        if self.sparse:
            raise NotSparse(f"a term of it fills the whole block of shape {(self.sizes[a], self.sizes[b])}")
        self.dense.append((a, b, self._dense(a, term, weight, q, a == b)))

    def _row(self, term: Ein, weight: float) -> Any:
        """A product with a unit vector: a row of the matrix or an entry, averaged with its column at the end."""
        lins = [(f, s) for f, s in term.factors if f.kind == "lin"]
        if any(len(s) != 1 or f.out_rank for f, s in lins):  # type: ignore[attr-defined]
            return None
        found = {s[0]: sources(f) for f, s in lins}
        if any(k > 1 or p is None or p[0] < 0 for k, p in found.items()):
            return None
        kept = tuple([k for k in (0, 1) if k not in found])
        rest = [(f, s) for f, s in term.factors if f.kind != "lin"]
        if any(k in found for _, s in rest for k in s) or len(found) < len(lins):
            return None
        value = self._operand(ein(term.coef * weight, rest, kept, dict(enumerate(term.shape))))
        for atom in (value, *value.children):
            self._note(atom)
        return "row", value, {k: int(p[0]) for k, p in found.items() if p is not None}

    def _diagonal(self, term: Ein, weight: float, q: int, symmetric: bool) -> Any:
        """A product with identities, as an array that is written onto the diagonals they single out."""
        rank = term.rank
        group = identified(term.factors, range(len(term.dims)))
        kept = tuple(sorted({group[k] for k in range(rank)}))
        swapped = {group[k]: group[(k + q) % rank] if symmetric else group[k] for k in range(rank)}
        if symmetric and any(swapped[group[k]] != group[(k + q) % rank] for k in range(rank)):
            return None
        rest = [(f, tuple([group[k] for k in s])) for f, s in term.factors if f.kind != "delta"]
        dims = {k: int(term.dims[k]) for k in kept}
        value = self._operand(ein(term.coef * weight, rest, kept, dims))
        same = all(swapped[k] == k for k in kept)
        for atom in (value, *value.children):
            self._note(atom)
        return "diagonal", value, same, [group[k] for k in range(rank)], kept, swapped

    def describe(self) -> str:
        """The parts of the matrix, in a few words."""
        words: dict[str, int] = {}
        for _, _, plan in self.dense:
            word = _WORDS[plan[0]] if plan[0] != "gram" or not plan[5] else "a sum over pairs, Σ A[s,i] A[s,k] N[s,j,l]"
            words[word] = words.get(word, 0) + 1
        if self.entries:
            count = sum([e.rows.size for e, *_ in self.entries])
            words[f"{count:,} single entries of {self.total**2:,}"] = 1
        if not words:
            return f"zero, {self.total}×{self.total}"
        parts = " + ".join(f"{n} × {word}" if n > 1 else word for word, n in words.items())
        return f"{self.total}×{self.total}: {parts}"

    def names(self) -> list[str]:
        """The names that the parts are made of."""
        found = [name for entry, *_ in self.entries for name in named(entry.values)]
        parts = [part for _, _, plan in self.dense for part in plan if isinstance(part, Expr)]
        return found + [name for part in parts for name in every_name(part)]

    def _note(self, atom: Expr) -> None:
        for f in (atom, *atom.children):
            if isinstance(f, Var) and f.name not in self.pieces:
                self.pieces.append(f.name)

    def _dense(self, a: int, term: Ein, weight: float, q: int, diagonal: bool) -> Any:
        if diagonal:
            found = self._gram(term, weight, q)
            if found is not None:
                return self._with_alike(a, found)
        return self._general(term, weight, diagonal, q)

    def _with_alike(self, a: int, plan: Any) -> Any:
        """A Gram matrix together with those of the same array that are planned already: their weights add up."""
        for place, (i, j, other) in enumerate(self.dense):
            same = other[0] == "gram" and i == j == a and all(other[k] == plan[k] for k in (1, 3, 4, 5, 6))
            if same and other[2] is not None and plan[2] is not None:
                del self.dense[place]
                every = tuple(range(plan[2].rank))
                total = self.builder.atom(add([(1, other[2], every), (1, plan[2], every)], every))
                self._note(total)
                return "gram", plan[1], total, *plan[3:]
        return plan

    def _gram(self, term: Ein, weight: float, q: int) -> Any:
        """The term as A[s, i] A[s, k] N[s, j, l], if that is what it is."""
        rank = term.rank
        factors = [(f, s) for f, s in term.factors if f.kind != "one"]
        if len(factors) < len(term.factors):
            return None
        first = [(f, s) for f, s in factors if any(k < q for k in s) and not any(q <= k < rank for k in s)]
        summed = set(range(rank, len(term.dims)))
        pairs = []
        rest = list(factors)
        for f, s in first:
            mirror = (f, tuple([k + q if k < q else k for k in s]))
            if mirror in rest and (f, s) in rest and any(k in summed for k in s):
                pairs.append((f, s))
                rest.remove((f, s))
                rest.remove(mirror)
        if not pairs:
            return None
        inner = tuple(sorted({k for _, s in pairs for k in s if k < q}))
        outer = tuple([k for k in range(q) if k not in inner])
        if any(k in inner or k - q in inner for _, s in rest for k in s if k < rank):
            return None
        over = tuple(sorted({k for _, s in pairs for k in s if k in summed}))
        if not over:
            return None
        dims = dict(enumerate(term.dims))
        wide = ein(1, pairs, (*over, *inner), {})
        A = self.builder.atom(wide)
        free = tuple([k for _, s in rest for k in s if k in over])
        labels = (*[k for k in over if k in free], *outer, *[k + q for k in outer])
        N = self.builder.atom(ein(term.coef * weight, rest, labels, {k: dims[k] for k in labels})) if rest else None
        for atom in (A, N):
            if atom is not None:
                self._note(atom)
        if outer and (N is None or any(k not in free for k in over)):
            return None
        return "gram", A, N, over, inner, outer, tuple([k for k in over if k in free]), term.coef * weight

    def _general(self, term: Ein, weight: float, diagonal: bool, q: int) -> Any:
        """Any other term: multiplied out, its transpose added to it."""
        half = weight / 2 if diagonal else weight
        every = tuple(range(term.rank))
        plain = ein(1, term.factors, every, dict(enumerate(term.shape)))
        atom = self._operand(plain)
        own = diagonal and any(isinstance(t, Ein) and _mirror(t, q) is t and _commutes(t) for t in (term, atom))
        self._note(atom)
        for f in atom.children:
            self._note(f)
        return "whole", atom, term.coef * (weight if own else half), diagonal and not own, q

    def _operand(self, plain: Expr) -> Expr:
        """A product kept as at most two names, multiplied where it is used."""
        if not isinstance(plain, Ein):
            return self.builder.atom(plain)
        factors = [(self.builder.atom(f), s) for f, s in plain.factors]
        every = tuple(range(plain.rank))
        short = as_product(ein(plain.coef, factors, every, dict(enumerate(plain.shape))))
        return self.builder.simple(binary(self.builder, short))


def _commutes(term: Ein) -> bool:
    """Whether a product that is its own transpose is so to the last bit: at most two arrays, nothing summed."""
    return len(term.factors) <= 2 and len(term.dims) == term.rank


def _mirror(t: Ein, q: int) -> Ein:
    """The product with its first ``q`` axes last."""
    every = tuple(range(t.rank))
    return as_product(ein(t.coef, t.factors, (*every[q:], *every[:q])))


def _folded(terms: list[Ein], q: int) -> list[tuple[Ein, float]]:
    """Terms with their weights: of two that are each other's transposes one, twice."""
    rest = list(terms)
    found = []
    while rest:
        t = rest.pop(0)
        mirror = _mirror(t, q)
        if mirror is not t and mirror in rest:
            rest.remove(mirror)
            found.append((t, 2.0))
        else:
            found.append((t, 1.0))
    return found


__all__ = ["NotSparse", "Planning"]
