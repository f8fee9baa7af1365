"""From the sum of products that a second derivative is, to what its matrix, diagonal or trace is made of."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..core import TABLE
from ..terms import Ein, Expr, Lin, One, Var, add, constant_of, ein, number, sources, zeros
from .builder import Builder
from .graph_terms import (
    PATTERNS,
    as_product,
    but_kinds,
    entries_of,
    every_name,
    flops,
    identified,
    label_set,
    named,
    of_kinds,
    relabelled,
)
from .linear import Grid, Lower, Slots, on_grid
from .survey import Unprogrammable
from .sweeps import stripped

# ---------------------------- From the sum of products that a second derivative is, to the lines that fill the matrix

# The idea to hold: a matrix of second derivatives is symmetric, so each of its terms may be replaced by half the sum of
# itself and its transpose. That leaves the sum as it is, makes the result symmetric to the last bit, and halves the
# work: ``Aᵀ D A`` is one triangular product, a product of pairs needs each pair once, and of a pattern's entries only
# those below the diagonal.


class GramProduct(NamedTuple):
    """A[s, i] A[s, k] N[s]: ``shared`` are those of the indices ``over`` that N has; without an N a number."""

    A: Expr
    N: Expr | None
    over: tuple[int, ...]
    shared: tuple[int, ...]
    coef: Any


class Pairs(NamedTuple):
    """A[s, i] A[s, k] N[s, j, l]: i are the axes ``inner``, j the axes ``outer`` of the variable."""

    A: Expr
    N: Expr
    over: tuple[int, ...]
    inner: tuple[int, ...]
    outer: tuple[int, ...]


class Diagonals(NamedTuple):
    """An array on the diagonals that identities single out: ``labels`` says at which of its indices each of the
    block's axes is read, ``kept`` what its own are, ``swapped`` what each is in the transpose."""

    value: Expr
    same: bool
    labels: list[int]
    kept: tuple[int, ...]
    swapped: dict[int, int]


class SingleRow(NamedTuple):
    """A row of a small matrix, or an entry: the place along each axis that has one."""

    value: Expr
    places: dict[int, int]


class DenseProduct(NamedTuple):
    """A product that fills the block, and its transpose if ``mirrored``; the first ``q`` axes are the rows'."""

    value: Expr
    coef: Any
    mirrored: bool
    q: int


BlockPart = GramProduct | Pairs | Diagonals | SingleRow | DenseProduct

_WORDS = {
    GramProduct: "Gram matrix Aᵀ D A", Pairs: "a sum over pairs, Σ A[s,i] A[s,k] N[s,j,l]",
    Diagonals: "diagonals (an identity times an array)", DenseProduct: "dense product", SingleRow: "single rows",
}  # fmt: skip


class NotSparse(Unprogrammable):
    """The matrix has no pattern that is sparse in structure."""


class Assembly:
    """What one symmetric matrix is made of, block by block; `fill` writes it.

    With ``rows``, a shape, it is a Jacobian: its rows are the entries of an array of that shape, variable 0 here, its
    columns those of the ``shapes``, variables 1, 2, …; only blocks of the two are planned, and nothing is mirrored.

    Attributes
    ----------
    shapes, starts : of the variables, and of the parts of them that blocks are about
    dense : parts with the numbers of the shapes that are their rows and columns
    entries : products with patterns, and their weights
    averaged : whether the matrix is made symmetric at the end
    letter : what the matrix is called in the source
    symmetric, height, width, left : whether it is, its size, and the number of its first column among all variables
    """

    builder: Builder
    sparse: bool
    symmetric: bool
    left: int
    height: int
    width: int

    def __init__(
        self, builder: Builder, shapes: list[tuple[int, ...]], sparse: bool, rows: tuple[int, ...] | None = None
    ) -> None:
        self.builder, self.sparse = builder, sparse
        self.rows_apart = True  # whether single rows may be written, and averaged at the end
        self.shapes: list[tuple[int, ...]] = [*([] if rows is None else [rows]), *shapes]
        self.sizes: list[int] = [entries_of(s) for s in self.shapes]
        self.starts: list[int] = [sum(self.sizes[:k]) for k in range(len(self.shapes))]
        self.total: int = sum(self.sizes)
        self.letter = "H" if rows is None else "J"
        self.symmetric, self.left = rows is None, 0 if rows is None else self.sizes[0]
        self.height, self.width = self.total if rows is None else self.left, self.total - self.left
        self.entries: list[tuple[Grid, int, int, float]] = []
        self.dense: list[tuple[int, int, BlockPart]] = []
        self.averaged: bool = False

    # ------------------------------------------------------------------------------------------------- planning

    def block(self, a: int, b: int, terms: list[Ein]) -> None:
        """Plan the block of variables ``a`` and ``b`` (a ≤ b): what it needs is defined from here on."""
        if self.sparse or not self.rows_apart:
            self._one_block(a, b, terms)
            return
        parts: dict[tuple[int, int], list[Ein]] = {}
        for term in self._without_rows(a, b, terms):
            rows, columns, short = stripped(term, (self.shapes[a], self.shapes[b]))
            parts.setdefault((self.part(a, *rows), self.part(b, *columns)), []).append(short)
        apart = a != b or (not self.averaged and self._apart({k for pair in parts for k in pair}))
        for (i, j), group in parts.items():
            if a != b and i == j:  # of two overlapping parts of a variable: a block of its own has no mirror image
                self._one_block(i, j, [*group, *[_mirror(t, len(self.shapes[i])) for t in group]])
            elif not apart:  # half of each term, and half of its mirror image
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
        if a != b or q != 1 or self.total > _limits.AVERAGED:
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

    def part(self, variable: int, start: int, shape: tuple[int, ...]) -> int:
        """The number of a part of a variable among the blocks' rows."""
        start += self.starts[variable]
        for k in range(len(self.shapes)):
            if self.starts[k] == start and self.shapes[k] == shape:
                return k
        self.shapes.append(shape)
        self.sizes.append(entries_of(shape))
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
                self.dense.append(self._with_same_places(a, b, plan))
                return
        if patterns:
            self._patterned(a, b, term, weight, q)
            return
        if self.sparse:
            raise NotSparse(f"a term of it fills the whole block of shape {(self.sizes[a], self.sizes[b])}")
        self.dense.append((a, b, self._dense(a, term, weight, q, a == b)))

    def _patterned(self, a: int, b: int, term: Ein, weight: float, q: int) -> None:
        """A product with patterns: entry by entry, or multiplied out where there are more entries than work then."""
        whole = None
        try:
            entry = on_grid(self.builder, term, q)
        except Unprogrammable:
            lins = of_kinds(term.factors, "lin")
            if not lins or self.sparse or entries_of(term.shape) > _limits.BLOCK_FORMED:
                raise
            whole = self._general(term, weight, a == b, q)
        else:
            if not self.sparse and entry.rows.size > entries_of(term.shape):  # several for each of the block's
                whole = self._with_less_work(a, b, term, weight, q, _limits.PLACED_ENTRY * entry.rows.size)
        if whole is not None:
            self.dense.append((a, b, whole))
            return
        self.entries.append((entry, a, b, weight))

    def _with_less_work(self, a: int, b: int, term: Ein, weight: float, q: int, work: int) -> DenseProduct | None:
        """A product multiplied out; None where that takes no less than so much work."""
        before = len(self.builder.names)
        try:
            whole = self._general(term, weight, a == b, q)
        except Unprogrammable:
            return None
        new = [self.builder.terms[v.name] for v in self.builder.names[before:]]
        return whole if sum(map(flops, [*new, whole.value])) < work else None

    def _row(self, term: Ein, weight: float) -> SingleRow | None:
        """A product with a unit vector: a row of the matrix or an entry, averaged with its column at the end."""
        lins = of_kinds(term.factors, "lin")
        if any(len(s) != 1 or f.out_rank for f, s in lins):
            return None
        found = {s[0]: sources(f) for f, s in lins}
        if any(k > 1 or p is None or p[0] < 0 for k, p in found.items()):
            return None
        kept = tuple([k for k in (0, 1) if k not in found])
        rest = but_kinds(term.factors, "lin")
        if any(k in found for _, s in rest for k in s) or len(found) < len(lins):
            return None
        value = self._operand(ein(term.coef * weight, rest, kept, dict(enumerate(term.shape))))
        return SingleRow(value, {k: int(p[0]) for k, p in found.items() if p is not None})

    def _diagonal(self, term: Ein, weight: float, q: int, symmetric: bool) -> Diagonals | None:
        """A product with identities, as an array that is written onto the diagonals they single out."""
        rank = term.rank
        group = identified(term.factors, range(len(term.dims)))
        kept = tuple(sorted({group[k] for k in range(rank)}))
        swapped = {group[k]: group[(k + q) % rank] if symmetric else group[k] for k in range(rank)}
        if symmetric and any(swapped[group[k]] != group[(k + q) % rank] for k in range(rank)):
            return None
        rest = relabelled(but_kinds(term.factors, "delta"), group)
        dims = {k: int(term.dims[k]) for k in kept}
        value = self._operand(ein(term.coef * weight, rest, kept, dims))
        same = all(swapped[k] == k for k in kept)
        return Diagonals(value, same, [group[k] for k in range(rank)], kept, swapped)

    @cached_property
    def lower(self) -> Slots:
        """Where the entries of products with patterns go."""
        found = [(grid, self.starts[a], self.starts[b] - self.left, w, a == b) for grid, a, b, w in self.entries]
        return Lower((self.height, self.width), found) if self.symmetric else Slots((self.height, self.width), found)

    def describe(self) -> str:
        """The parts of the matrix, in a few words."""
        words: dict[str, int] = {}
        for _, _, plan in self.dense:
            word = _WORDS[type(plan)]
            words[word] = words.get(word, 0) + 1
        if self.entries:
            count = sum([e.rows.size for e, *_ in self.entries])
            words[f"{count:,} single entries of {self.height * self.width:,}"] = 1
        if not words:
            return f"zero, {self.height}×{self.width}"
        parts = " + ".join(f"{n} × {word}" if n > 1 else word for word, n in words.items())
        return f"{self.height}×{self.width}: {parts}"

    def pieces(self) -> list[str]:
        """The names of the arrays that enter the last products: if they are finite, so is the matrix."""
        atoms = [entry.values for entry, *_ in self.entries]
        atoms += [part for _, _, plan in self.dense for part in plan if isinstance(part, Expr)]
        return list(dict.fromkeys([f.name for atom in atoms for f in (atom, *atom.children) if isinstance(f, Var)]))

    def names(self) -> list[str]:
        """The names that the parts are made of."""
        found = [name for entry, *_ in self.entries for name in named(entry.values)]
        parts = [part for _, _, plan in self.dense for part in plan if isinstance(part, Expr)]
        return found + [name for part in parts for name in every_name(part)]

    def _dense(self, a: int, term: Ein, weight: float, q: int, diagonal: bool) -> BlockPart:
        if diagonal:
            found = self._as_gram(term, weight, q)
            if found is not None:
                return self._with_alike(a, found)
        return self._general(term, weight, diagonal, q)

    def _with_alike(self, a: int, part: GramProduct | Pairs) -> BlockPart:
        """A Gram matrix together with those of the same array that are planned already: their weights add up."""
        for place, (i, j, other) in enumerate(self.dense):
            if type(other) is not type(part) or not i == j == a or other.N is None or part.N is None:
                continue
            if other == part._replace(N=other.N):
                del self.dense[place]
                every = part.N.axes
                total = self.builder.atom(add([(1, other.N, every), (1, part.N, every)], every))
                return part._replace(N=total)
        return part

    def _with_same_places(self, a: int, b: int, part: Diagonals) -> tuple[int, int, Diagonals]:
        """An array on diagonals together with what is planned for the same places already: the arrays add up."""
        if a > b and self.symmetric:  # both are written: it and its mirror image
            q = len(self.shapes[a])
            a, b, part = b, a, part._replace(labels=[*part.labels[q:], *part.labels[:q]])
        for place, (i, j, other) in enumerate(self.dense):
            if not isinstance(other, Diagonals) or (i, j) != (a, b) or other != part._replace(value=other.value):
                continue
            if part.same or not any(f.kind == "one" for t in (part.value, other.value) for f in t.children):
                del self.dense[place]
                every = part.value.axes
                total = self.builder.atom(add([(1, other.value, every), (1, part.value, every)], every))
                return a, b, part._replace(value=total)
        return a, b, part

    def _as_gram(self, term: Ein, weight: float, q: int) -> GramProduct | Pairs | None:
        """The term as A[s, i] A[s, k] N[s, j, l], if that is what it is."""
        rank = term.rank
        factors = but_kinds(term.factors, "one")
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
        over = tuple(sorted(label_set(pairs) & summed))
        if not over:
            return None
        dims = dict(enumerate(term.dims))
        free = tuple([k for _, s in rest for k in s if k in over])
        if outer and any(k not in free for k in over):
            return None
        shared = tuple([k for k in over if k in free])
        labels = (*shared, *outer, *[k + q for k in outer])
        A = self.builder.atom(ein(1, pairs, (*over, *inner), {}))
        N = self.builder.atom(ein(term.coef * weight, rest, labels, {k: dims[k] for k in labels})) if rest else None
        if N is None:
            return GramProduct(A, N, over, shared, term.coef * weight)
        return Pairs(A, N, over, inner, outer) if outer else GramProduct(A, N, over, shared, 1)

    def _general(self, term: Ein, weight: float, diagonal: bool, q: int) -> DenseProduct:
        """Any other term: multiplied out, its transpose added to it."""
        half = weight / 2 if diagonal else weight
        every = term.axes
        plain = ein(1, term.factors, every, dict(enumerate(term.shape)))
        atom = self._operand(plain)
        alike = any(isinstance(t, Ein) and _mirror(t, q) is t and _commutes(t) for t in (term, atom))
        own = diagonal and (alike or not term.rank)
        return DenseProduct(atom, term.coef * (weight if own else half), diagonal and not own, q)

    def _operand(self, plain: Expr) -> Expr:
        """A product kept as at most two names, multiplied where it is used."""
        if not isinstance(plain, Ein):
            return self.builder.atom(plain)
        factors = [(self.builder.atom(f), s) for f, s in plain.factors]
        every = plain.axes
        short = as_product(ein(plain.coef, factors, every, dict(enumerate(plain.shape))))
        return self.builder.simple(short)


def _commutes(term: Ein) -> bool:
    """Whether a product that is its own transpose is so to the last bit: at most two arrays, nothing summed."""
    return len(term.factors) <= 2 and len(term.dims) == term.rank


def _mirror(t: Ein, q: int) -> Ein:
    """The product with its first ``q`` axes last."""
    every = t.axes
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


# ----------------------------------- The diagonal and the trace of a matrix of second derivatives, without the matrix

# The idea to hold: an entry of the diagonal is the matrix's sum of products with both sets of indices the same. What
# the products are made of is opened where it is read at an index twice, so that nothing is computed off the diagonal.


def diagonal(builder: Builder, terms: list[Ein], shape: tuple[int, ...], trace: bool) -> Expr:
    """The diagonal of a sum of products whose axes are those of ``shape`` twice; its sum, for the trace."""
    q = len(shape)
    kept = () if trace else tuple(range(q))
    dims = dict(enumerate(shape))
    parts = []
    for t in terms:
        if of_kinds(t.factors, "lin"):
            found = _at_places(builder, t, shape, trace)
            if found is not None:
                parts += [(1, part, kept) for part in found]
                continue
        same = {k + q: k for k in range(q)}
        factors = relabelled(t.factors, same)
        covered = label_set(factors)
        factors += [(One(shape[k]), (k,)) for k in range(q) if k not in covered]
        for coef, opened in _opened(builder, t.coef, factors, _limits.OPENED):
            sizes = {k: dims[k] for k in kept}
            parts.append((1, builder.atom(ein(coef, opened, kept, sizes)), kept))
    result_shape = () if trace else shape
    every = tuple(range(len(result_shape)))
    if not parts:
        return zeros(result_shape)
    return builder.atom(add(parts, every, dict(enumerate(result_shape))))


def _at_places(builder: Builder, term: Ein, shape: tuple[int, ...], trace: bool) -> list[Expr] | None:
    """The diagonal of a product with slices, from those of its entries that lie there; None if they are not known."""
    try:
        entry = on_grid(builder, term, len(shape))
    except Unprogrammable:
        return None
    on = (entry.rows == entry.columns) & (entry.rows >= 0)
    if not on.any():
        return []
    rows = entry.rows[on]
    value = builder.whole(entry.values)
    same = constant_of(entry.values)
    if same is not None:
        count = np.bincount(rows, minlength=entries_of(shape)) * float(same * entry.coef)
        return [number(float(count.sum())) if trace else builder.constant(count.reshape(shape))]
    if not isinstance(value, Var) or not value.rank:
        return None
    taken = builder.taken(value, np.nonzero(on))
    if trace:
        return [builder.atom(ein(entry.coef, [(taken, (0,))], ()))]
    index = tuple(np.unravel_index(rows, shape))
    place = Lin(TABLE["getitem"], (index,), (len(rows),), shape)
    out = tuple(range(1, 1 + len(shape)))
    return [builder.atom(ein(entry.coef, [(place, (0, *out)), (taken, (0,))], out))]


def _opened(builder: Builder, coef: Any, factors: list[Any], depth: int) -> list[tuple[Any, list[Any]]]:
    """A product with the definitions of what it reads at an index twice in the place of their names."""
    for place, (f, s) in enumerate(factors):
        if not (isinstance(f, Var) and len(set(s)) < len(s) and f.name in builder.terms and depth):
            continue
        rest = [*factors[:place], *factors[place + 1 :]]
        term = builder.terms[f.name]
        if isinstance(term, Ein):
            return _opened(builder, *_in_place(coef, rest, term, s), depth - 1)
        if term.kind == "add":
            found = []
            for c, t, i in term.terms:  # type: ignore[attr-defined]
                inner = as_product(ein(c, [(t, i)], term.axes, dict(enumerate(term.shape))))
                found += _opened(builder, *_in_place(coef, rest, inner, s), depth - 1)
            return found
    return [(coef, factors)]


def _in_place(coef: Any, rest: list[Any], term: Ein, labels: tuple[int, ...]) -> tuple[Any, list[Any]]:
    """A product with the factors of a definition that is read at ``labels``."""
    fresh = max([k for _, s in rest for k in s] + list(labels), default=-1) + 1
    names = {**dict(enumerate(labels)), **{k: fresh + k for k in range(term.rank, len(term.dims))}}
    inner = relabelled(term.factors, names)
    return coef * term.coef, [*rest, *inner]


# -------------------------------------------------- How much work a program is: multiplications, by what they are for

# The idea to hold: every definition is one operation on arrays of known shapes, so its work is a product of sizes. An
# element-wise function counts as one operation per entry, whichever it is.


class Work(NamedTuple):
    """Floating-point operations for the value, for the gradient in addition, for the second derivatives in addition;
    and bytes: of the matrix, and of the largest array on the way to it."""

    value: float
    gradient: float
    hessian: float
    result: float
    largest: float


def work_of(program: Any) -> Work:
    """The work of a program."""
    builder, module = program.builder, program.module
    first, second = program.steps
    parts = [0.0, 0.0, 0.0]
    largest = 0
    for place, var in enumerate(builder.names):
        term = builder.terms[var.name]
        part = 0 if place < first else 1 if place < second else 2
        parts[part] += flops(term)
        if var.name in program.live:
            largest = max(largest, entries_of(var.shape))
    parts[2] += sum(_of_part(part, program.total) for _, _, part in program.assembly.dense)
    parts[2] += sum(entry.rows.size for entry, *_ in program.assembly.entries)
    stored = len(module.pattern.indices) if program.sparse else program.total**2
    if module.structured is not None:
        atoms = [field for _, _, part in program.assembly.dense for field in part if isinstance(field, Expr)]
        stored = sum([_stored(a) for a in atoms]) + 2 * len(program.assembly.lower.slots)
    return Work(parts[0], parts[1], parts[2], 8.0 * stored, 8.0 * largest)


def _stored(atom: Any) -> int:
    """Numbers that are kept of a part: products are not multiplied out."""
    arrays = [f for f, _ in atom.factors if f.kind != "one"] if atom.kind == "ein" else [atom]
    return sum([entries_of(a.shape) for a in arrays])


def _of_part(part: Any, n: int) -> float:
    if not isinstance(part, GramProduct | Pairs):
        return flops(part.value) + n
    inner = entries_of(part.A.shape[len(part.over) :])
    if isinstance(part, GramProduct):
        return float(entries_of(part.A.shape) * (inner + 1))
    pairs = entries_of(part.N.shape[len(part.over) :])
    return float(entries_of(part.A.shape) * (inner + 1) * ((pairs + 1) // 2))
