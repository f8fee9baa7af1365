"""From products over indices to matrix notation.

The idea to hold: indices are the vertices of a graph, vectors hang on one vertex, matrices join two. Rules that each
replace one or two factors by one are tried in a fixed order, most preferred first, until one factor remains that has
the output's indices. Where they get stuck, the product is written with its indices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._layout import (
    Note,
    chain,
    diagonal_matrix,
    hadamard,
    number,
    product,
    size,
    transpose,
    transposes,
)
from ._layout_lin import SELECTIONS, run_operations
from ._layout_scalars import inner, total, trace

Indices = tuple[int, ...]
Item = tuple[Note, Indices]


class Product:
    """A product being reduced: ``items`` are its factors, indices below ``rank`` are the output's.

    ``operand`` makes of a note without matrix notation one that may be what an operation is applied to.
    """

    def __init__(self, items: list[Item], dims: list[int], rank: int, operand: Callable[[Note], Note]) -> None:
        self.items = items
        self.operand = operand
        self.dims = dims
        self.rank = rank
        self.coef: Any = 1
        self.scalars: list[Note] = []
        self._counted: tuple[Any, dict[int, int]] = None, {}

    def note(self, coef: Any) -> Note:
        """The notation for it."""
        self.scalars += [n for n, s in self.items if not s]
        self.items = [(n, s) for n, s in self.items if s]
        self._identities()
        while any(rule(self) for rule in SELECTIONS):
            pass
        run_operations(self)
        while any(rule(self) for rule in _RULES):
            pass
        return product(coef * self.coef, self.scalars, self._join())

    def counts(self) -> dict[int, int]:
        """By how many factors each index is read (asked by rule after rule, of the same factors)."""
        if self._counted[0] is not self.items:
            found: dict[int, int] = {}
            for _, s in self.items:
                for i in set(s):
                    found[i] = found.get(i, 0) + 1
            self._counted = self.items, found
        return self._counted[1]

    def replace(self, old: tuple[int, ...], note: Note, indices: tuple[int, ...]) -> bool:
        """Put a factor in the place of others; True, as every rule returns that did something."""
        self.items = [item for k, item in enumerate(self.items) if k not in old]
        if indices:
            self.items.append((note, indices))
        else:
            self.scalars.append(note)
        return True

    def _identities(self) -> None:
        """Identity matrices rename indices; ones go where another factor has their index."""
        k = 0
        while k < len(self.items):
            note, s = self.items[k]
            if note.kind == "eye" and s[0] != s[1]:
                kept, gone = sorted(s)
                self._rename(k, gone, kept)
                if gone >= self.rank:
                    self.items[k] = (Note("ones", (), None, note.shape[:1]), (kept,))
                    k = -1
            k += 1
        counts = dict(self.counts())
        kept_items: list[Item] = []
        for note, s in self.items:
            if note.kind == "ones" and (counts[s[0]] > 1 or s[0] >= self.rank):
                if counts[s[0]] == 1:
                    self.scalars.append(size(self.dims[s[0]]))
                counts[s[0]] -= 1
            else:
                kept_items.append((note, s))
        self.items = kept_items

    def _rename(self, k: int, gone: int, kept: int) -> None:
        """Let every factor but number ``k`` read one index where it read another."""
        self.items = [
            item if m == k else (item[0], tuple([kept if i == gone else i for i in item[1]]))
            for m, item in enumerate(self.items)
        ]

    def _join(self) -> Note | None:
        """What is left as one array with the output's axes."""
        if not self.rank and not self.items:
            return None
        items = sorted(self.items, key=lambda item: item[1])
        shape = tuple(self.dims[: self.rank])
        found = self._one(items, shape)
        if found is None and self.rank > 2:
            found = {3: _third_order, 4: _fourth_order}.get(self.rank, _no_order)(items)
        if found is None and all(n.kind == "ones" for n, _ in items):
            return Note("full", (number(1),), None, shape)
        if found is not None:
            return found
        return Note("einsum", tuple([n for n, _ in items]), (tuple([s for _, s in items]), self.rank), shape)

    def _one(self, items: list[Item], shape: tuple[int, ...]) -> Note | None:
        if len(items) == 1:
            note, s = items[0]
            if s == tuple(range(self.rank)):
                return note
            return transpose(note) if s == (1, 0) else None
        if len(items) == 2 and self.rank == 2 and items[0][1] == (0,) and items[1][1] == (1,):
            return Note("outer", (items[0][0], items[1][0]), None, shape)
        return None


def _no_order(items: list[Item]) -> None:
    """Notation for higher orders: there is none."""


def _third_order(items: list[Item]) -> Note | None:
    """A matrix and a vector, read as a matrix row by row: ``P ⊗ vᵀ`` where the vector has the last axis."""
    items = [(n, tuple(sorted(s)) if n.kind == "eye" else s) for n, s in items]
    if len(items) != 2 or sorted(i for _, s in items for i in s) != [0, 1, 2]:
        return None
    vector = next(n for n, s in items if len(s) == 1)
    items = [(n, s) if len(s) < 2 or s[0] < s[1] else (transpose(n), s[::-1]) for n, s in items]
    (p, s), (q, t) = sorted(items, key=lambda item: item[1])
    shape = {i: n for note, places in ((p, s), (q, t)) for i, n in zip(places, note.shape)}
    if vector.kind == "ones":
        return None
    return Note("kronvec", (p, q), ((s, t), 3), (shape[0], shape[1], shape[2]))


_FOURTH: dict[Indices, str] = {(0, 2, 1, 3): "kron", (0, 3, 1, 2): "kronswap", (0, 1, 2, 3): "vecvec"}


def _fourth_order(items: list[Item]) -> Note | None:
    """Two matrices side by side, read as a matrix from pairs (c, d) of axes to pairs (a, b)."""
    items = _paired([(n, tuple(sorted(s)) if n.kind == "eye" else s) for n, s in items])
    if any(len(s) != 2 for _, s in items):
        return None
    if len(items) == 3:
        eyes = sorted([s for n, s in items if n.kind == "eye"])
        (matrix, s), *others = [item for item in items if item[0].kind != "eye"] or [(items[0][0], (0, 0))]
        if others or eyes != [(0, 2), (1, 3)] or sorted(s) != [0, 1]:
            return None
        matrix = matrix if s == (0, 1) else transpose(matrix)
        return Note("diagvec", (matrix,), None, matrix.shape * 2)
    if len(items) != 2:
        return None
    (p, s), (q, t) = sorted(items, key=lambda item: min(item[1]))
    kind = _FOURTH.get((*sorted(s), *sorted(t)))
    if kind is None:
        return None
    p, q = (p if s[0] < s[1] else transpose(p)), (q if t[0] < t[1] else transpose(q))
    (a, b), (c, d) = p.shape, q.shape
    shape = {"kron": (a, c, b, d), "kronswap": (a, c, d, b), "vecvec": (a, b, c, d)}[kind]
    return Note(kind, (p, q), None, shape)


def _paired(items: list[Item]) -> list[Item]:
    """Two vectors as a matrix uvᵀ: those on the indices that a matrix leaves over, else on 0 and 2 and on 1 and 3."""
    vectors = {s[0]: n for n, s in items if len(s) == 1}
    rest = [item for item in items if len(item[1]) != 1]
    pairs = [tuple(sorted(vectors))] if len(vectors) == 2 else [(0, 2), (1, 3)] if set(vectors) == {0, 1, 2, 3} else []
    for i, j in pairs:
        u, v = vectors.pop(i), vectors.pop(j)
        rest.append((Note("outer", (u, v), None, u.shape + v.shape), (i, j)))
    return rest + [(n, (i,)) for i, n in vectors.items()]


Rule = Callable[[Product], bool]


def _vectors(p: Product) -> bool:
    """Vectors on one index: uᵀv where nothing else has it and it is summed, else u ⊙ v; one alone is summed."""
    at: dict[int, list[int]] = {}
    for k, (_, s) in enumerate(p.items):
        if len(s) == 1:
            at.setdefault(s[0], []).append(k)
    counts = p.counts() if at else {}
    for i, places in at.items():
        notes = [p.items[k][0] for k in places]
        if i >= p.rank and counts[i] == len(places):
            if len(notes) == 2:
                return p.replace(tuple(places), inner(*notes), ())
            return p.replace(tuple(places), total(hadamard(*notes)), ())
        if len(notes) > 1:
            return p.replace(tuple(places), hadamard(*notes), (i,))
    return False


def _repeated(p: Product) -> bool:
    """A matrix read at one index twice: its trace, or its diagonal as a vector."""
    counts = p.counts()
    for k, (note, s) in enumerate(p.items):
        if len(s) == 2 and s[0] == s[1]:
            if s[0] >= p.rank and counts[s[0]] == 1:
                return p.replace((k,), trace(note), ())
            return p.replace((k,), diagonal(note), s[:1])
    return False


def diagonal(matrix: Note) -> Note:
    """The diagonal of a matrix, as a vector."""
    if matrix.kind == "eye":
        return Note("ones", (), None, matrix.shape[:1])
    if matrix.kind == "diag":
        return matrix.parts[0]
    best = min(matrix, transpose(matrix), key=transposes)
    return Note("diagpart", (best,), None, matrix.shape[:1])


def _pairs(p: Product) -> bool:
    """Two arrays on the same indices: their inner product if nothing else has these and they are summed, else A ⊙ B."""
    seen: dict[Any, int] = {}
    for k, (note, s) in enumerate(p.items):
        if len(s) < 2 or len(set(s)) < len(s) or note.kind == "eye":
            continue
        key = frozenset(s) if len(s) == 2 else s
        other = seen.setdefault(key, k)
        if other == k:
            continue
        a, t = p.items[other]
        counts = p.counts()
        scalar = all(i >= p.rank and counts[i] == 2 for i in s)
        if scalar:
            return p.replace((other, k), inner(*_aligned((a, t), (note, s))), ())
        b = note if s == t else transpose(note)
        turned = transpose(a) if len(s) == 2 else a
        if len(s) == 2 and transposes(turned) + transposes(transpose(b)) < transposes(a) + transposes(b):
            return p.replace((other, k), hadamard(turned, transpose(b)), t[::-1])
        return p.replace((other, k), hadamard(a, b), t)
    return False


def _aligned(a: Item, b: Item) -> tuple[Note, Note]:
    """Two arrays on the same indices, read in one order, with few transposes."""
    if a[1] == b[1]:
        straight, turned = (a[0], b[0]), None
        if len(a[1]) == 2:
            turned = (transpose(a[0]), transpose(b[0]))
    else:
        straight, turned = (a[0], transpose(b[0])), (transpose(a[0]), b[0])
    if turned is not None and transposes(turned[0]) + transposes(turned[1]) < transposes(straight[0]) + transposes(
        straight[1]
    ):
        return turned
    return straight


def _matrix_vector(p: Product) -> bool:
    """A vector on a summed index that one matrix reads too: Mv, or Mᵀv where there is no other."""
    counts = p.counts()
    vectors = {s[0]: k for k, (_, s) in enumerate(p.items) if len(s) == 1 and s[0] >= p.rank and counts[s[0]] == 2}
    best: tuple[int, int, Note, int] | None = None
    for k, (note, s) in enumerate(p.items):
        if len(s) != 2 or s[0] == s[1]:
            continue
        for inside, outside in ((s[1], s[0]), (s[0], s[1])):
            if inside in vectors:
                matrix = note if inside == s[1] else transpose(note)
                if best is None or transposes(matrix) < transposes(best[2]):
                    best = (k, vectors[inside], matrix, outside)
    if best is None:
        return False
    k, v, matrix, outside = best
    return p.replace((k, v), chain(matrix, p.items[v][0]), (outside,))


def _lone(p: Product) -> bool:
    """An index that one factor alone has, and which is summed: A𝟏, sum(A), or a sum over axes."""
    counts = p.counts()
    for k, (note, s) in enumerate(p.items):
        axes = tuple([a for a, i in enumerate(s) if i >= p.rank and counts[i] == 1 and s.count(i) == 1])
        if not axes or len(s) < 2:
            continue
        if len(axes) == len(s):
            return p.replace((k,), total(note), ())
        rest = tuple([i for a, i in enumerate(s) if a not in axes])
        if len(s) == 2:
            matrix = note if axes == (1,) else transpose(note)
            return p.replace((k,), chain(matrix, Note("ones", (), None, matrix.shape[1:])), rest)
        shape = tuple([n for a, n in enumerate(note.shape) if a not in axes])
        return p.replace((k,), Note("sum", (note,), axes, shape), rest)
    return False


def _matrix_matrix(p: Product) -> bool:
    """Two matrices on a summed index that nothing else has, but perhaps a vector: AB, or A diag(v) B."""
    at: dict[int, list[int]] = {}
    for k, (_, s) in enumerate(p.items):
        for i in set(s):
            at.setdefault(i, []).append(k)
    best: tuple[int, tuple[int, ...], Note, tuple[int, int]] | None = None
    for i, places in at.items():
        matrices = [k for k in places if len(p.items[k][1]) == 2 and len(set(p.items[k][1])) == 2]
        vectors = [k for k in places if len(p.items[k][1]) == 1]
        if i < p.rank or len(matrices) != 2 or len(vectors) > 1 or len(matrices) + len(vectors) != len(places):
            continue
        (a, s), (b, t) = p.items[matrices[0]], p.items[matrices[1]]
        middle = [diagonal_matrix(p.items[k][0]) for k in vectors]
        left, start = (a, s[0]) if s[1] == i else (transpose(a), s[1])
        right, end = (b, t[1]) if t[0] == i else (transpose(b), t[0])
        note, ends = chain(left, *middle, right), (start, end)
        back = transpose(note)
        if (transposes(back), end) < (transposes(note), start):
            note, ends = back, (end, start)
        if best is None or transposes(note) < best[0]:
            best = (transposes(note), tuple(places), note, ends)
    return best is not None and p.replace(*best[1:])


def _scaling(p: Product) -> bool:
    """A vector on an output index that one matrix reads too: diag(v) M, M diag(v); with an identity diag(v) itself."""
    counts = p.counts()
    for v, (vector, (i, *_)) in enumerate(p.items):
        if vector.rank != 1 or i >= p.rank or counts[i] != 2:
            continue
        for k, (note, s) in enumerate(p.items):
            if len(s) == 2 and s[0] != s[1] and i in s:
                matrix = diagonal_matrix(vector)
                parts = (matrix, note) if s[0] == i else (note, matrix)
                return p.replace((v, k), chain(*parts), s)
    return False


_RULES: tuple[Rule, ...] = (_vectors, _repeated, _pairs, _matrix_vector, _lone, _matrix_matrix, _scaling)
