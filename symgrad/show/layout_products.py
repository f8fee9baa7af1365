"""From products over indices to matrix notation, and to scalars: inner products, squared norms, traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ..core import TABLE
from .functions import SELECTIONS, array_of, axis_by_axis, images, run_operations
from .layout import (
    Note,
    chain,
    diagonal_matrix,
    factors_of,
    filled,
    hadamard,
    is_divisor,
    number,
    order,
    power,
    product,
    size,
    transpose,
    transposes,
)

# ------------------------------------- Scalars made of arrays: sums of entries, inner products, squared norms, traces

# The idea to hold: of the ways to write one, ``xᵀAᵀy`` or ``yᵀAx``, the one with fewer transposes is taken.


_FREE = ("name", "map", "call", "index", "add", "lin")


def total(note: Note) -> Note:
    """The sum of all entries."""
    root = _root_of_square(note)
    if root is not None:
        return Note("square", (root,), None, ())
    if note.kind == "had" and note.rank == 1:
        return _dotted(note.parts)
    if note.kind == "chain" and note.parts[-1].kind == "ones":
        return total(chain(*note.parts[:-1]))
    if note.rank == 2:
        note = min(note, transpose(note), key=transposes)
    return Note("sum", (note,), None, ())


def _root_of_square(note: Note) -> Note | None:
    """What an array is the square of, entry by entry: c ⊙ x of c² ⊙ x², x/u of x²/u²; None if it is none."""
    if note.kind == "pow" and note.info == 2:
        return note.parts[0]
    if note.rank != 1 or note.kind not in ("had", "map"):
        return None
    roots = [square_root(p) for p in (note.parts if note.kind == "had" else (note,)) if p.rank]
    return hadamard(*[root for root in roots if root is not None]) if None not in roots else None


def square_root(factor: Note) -> Note | None:
    """The root of x², of 1/x², of exp(2x); that of a fourth power, a square, says no more."""
    if factor.kind == "pow" and factor.info in (2, -2):
        return factor.parts[0] if factor.info == 2 else power(factor.parts[0], -1)
    inside = factor.parts[0] if factor.kind == "map" and factor.info[0].name == "exp" else None
    if inside is None or inside.kind != "product" or not isinstance(inside.info[0], int) or inside.info[0] % 2:
        return None
    coef, scalars, body = factors_of(inside)
    return factor._replace(parts=(product(coef // 2, scalars, body),))


def inner(a: Note, b: Note) -> Note:
    """The sum of the entry-wise product of two arrays of one shape."""
    if a == b:
        return _of_inverse(a) or Note("square", (a,), None, ())
    if a.rank == 1:
        return total(hadamard(a, b))
    if a.rank == 2 and "chain" in (a.kind, b.kind):
        return trace(chain(a, transpose(b)))
    if a.rank > 2 or is_divisor(a) or is_divisor(b):
        return Note("sum", (hadamard(a, b),), None, ())
    if "T" in (a.kind, b.kind):  # ⟨A, Bᵀ⟩ is the trace of AB
        return trace(chain(a, transpose(b)))
    return Note("inner", tuple(sorted((a, b), key=order)), None, ())


def _of_inverse(vector: Note) -> Note | None:
    """The squared norm of a symmetric inverse times a symbol: bᵀA⁻²b for ‖A⁻¹b‖²."""
    matrix, *others = vector.parts if vector.kind == "chain" else (vector,)
    if [p.kind for p in others] != ["name"] or matrix.kind != "inv" or transpose(matrix) != matrix:
        return None
    return Note("dot", (*others, chain(matrix, matrix, *others)), None, ())


def _dotted(parts: Sequence[Note]) -> Note:
    """The sum of the entries of a product of vectors: uᵀv, uᵀ(v ⊙ w), or written with its sum where that is shorter."""
    if len(parts) == 2 and "pow" not in (parts[0].kind, parts[1].kind):
        # the second of them is written as it is, the first with its transpose
        first, second = sorted(parts, key=lambda n: (n.kind == "chain", transposes(n), order(n)))
        if second.kind == "chain" and first.kind != "chain":  # xᵀAᵀBᵀy is yᵀBAx
            turned = chain(*[transpose(p) for p in reversed(second.parts[:-1])], first)
            first, second = min((first, second), (second.parts[-1], turned), key=lambda pair: transposes(pair[1]))
        elif first.kind == "chain" and transpose(first.parts[0]) == second.parts[0]:  # (Ab)ᵀA²b is bᵀA³b
            first, second = first.parts[-1], chain(*[transpose(p) for p in reversed(first.parts[:-1])], second)
        return Note("dot", (first, second), None, ())
    parts = sorted(parts, key=order)
    lying = next((k for k, p in enumerate(parts) if p.kind in _FREE), None)
    if lying is not None:
        rest = [p for k, p in enumerate(parts) if k != lying]
        if not all(is_divisor(p) for p in rest):
            return Note("dot", (parts[lying], hadamard(*rest)), None, ())
    return Note("sum", (hadamard(*parts),), None, ())


def trace(matrix: Note) -> Note:
    """The trace, of the matrix or its transpose, whichever is shorter."""
    if matrix.kind == "eye":
        return size(matrix.shape[0])
    if matrix.kind == "chain" and len(matrix.parts) == 2 and matrix.parts[0] == transpose(matrix.parts[1]):
        return Note("square", (min(matrix.parts, key=transposes),), None, ())
    best = min(matrix, transpose(matrix), key=transposes)
    return Note("trace", (best,), None, ())


# ---------------------------------------------------------------------- From products over indices to matrix notation

# The idea to hold: indices are the vertices of a graph, vectors hang on one vertex, matrices join two. Rules that each
# replace one or two factors by one are tried in a fixed order, most preferred first, until one factor remains that has
# the output's indices. Where they get stuck, the product is written with its indices.


Indices = tuple[int, ...]
Item = tuple[Note, Indices]


class IndexGraph:
    """A product being reduced: ``items`` are its factors, by number; indices below ``rank`` are the output's.

    ``operand`` makes of a note without matrix notation one that may be what an operation is applied to; code, which has
    a way to write any, has none.

    Attributes
    ----------
    at : by index, the numbers of the factors that read it
    vectors : by index, the numbers of the vectors on it
    diagonals : by index, the numbers of the matrices that are read at it twice
    alike : by indices, the numbers of the arrays that have these, a matrix as it is or transposed
    chains : products of matrices that may be written, by the index between them and the factors' numbers
    """

    def __init__(
        self, items: list[Item], dims: list[int], rank: int, operand: Callable[[Note], Note] | None
    ) -> None:  # fmt: skip
        self.name = operand
        self.dims = dims
        self.rank = rank
        self.coef: Any = 1
        self.scalars: list[Note] = [n for n, s in items if not s]
        self.items: dict[int, Item] = {}
        self.at: dict[int, list[int]] = {}
        self.vectors: dict[int, list[int]] = {}
        self.diagonals: dict[int, list[int]] = {}
        self.alike: dict[Indices, list[int]] = {}
        self.chains: dict[Indices, tuple[int, Note, Indices] | None] = {}
        self._last = 0
        for item in self._without_identities([item for item in items if item[1]]):
            self._put(*item)

    def note(self, coef: Any) -> Note:
        """The notation for it."""
        if "linear" in [n.kind for n, _ in self.items.values()]:
            while any(rule(self) for rule in SELECTIONS):
                pass
            run_operations(self)
            if self.name is not None:
                if apart := self._axis_by_axis():
                    return apart.note(coef * self.coef)
                while any(_kron_of_units(self, k) for k in self.items):
                    pass
                self._name_arrays()
        while not self._is_one_array():
            for rule in _RULES:
                if rule(self):
                    break
            else:
                break
        return product(coef * self.coef, self.scalars, self._join())

    def operand(self, note: Note) -> Note:
        """A note as what an operation is applied to."""
        return note if self.name is None else self.name(note)

    def _axis_by_axis(self) -> IndexGraph | None:
        """The same with a matrix for each axis that an operation runs along, where one was not applied; else None."""
        found = {k: axis_by_axis(n, s) for k, (n, s) in self.items.items() if n.kind == "linear"}
        if not any(found.values()):
            return None
        items = [part for k, item in self.items.items() for part in found.get(k) or [item]]
        return IndexGraph([*[(n, ()) for n in self.scalars], *items], self.dims, self.rank, self.name)

    def _name_arrays(self) -> None:
        """Name the arrays of operations that were not applied and have no notation, unless there is nothing else."""
        for k, (note, s) in [*self.items.items()]:
            if note.kind not in ("linear", "images"):
                continue
            array = array_of(note) if note.kind == "linear" else note
            whole = len(self.items) == 1 and s == tuple(range(self.rank))
            self.replace((k,), array if whole else self.operand(array), s)

    def _is_one_array(self) -> bool:
        """Whether one factor remains that has indices of the output, each once: no rule has anything to do."""
        if len(self.items) != 1:
            return not self.items
        ((_, s),) = self.items.values()
        return max(s) < self.rank and len(set(s)) == len(s)

    def replace(self, old: Sequence[int], note: Note, indices: Indices) -> bool:
        """Put a factor in the place of others; True, as every rule returns that did something."""
        for k in tuple(old):
            _, s = self.items.pop(k)
            for i in set(s):
                self.at[i].remove(k)
            group, key = self._group(s)
            if k in (same := group.get(key, [])):
                same.remove(k)
                if not same:
                    del group[key]
        if indices:
            self._put(note, indices)
        else:
            self.scalars.append(note)
        return True

    def _put(self, note: Note, s: Indices) -> None:
        self._last = k = self._last + 1
        self.items[k] = note, s
        for i in set(s):
            self.at.setdefault(i, []).append(k)
        group, key = self._group(s)
        if note.kind != "eye" or group is self.diagonals:
            group.setdefault(key, []).append(k)

    def _group(self, s: Indices) -> tuple[dict[Any, list[int]], Any]:
        """Where the numbers of factors with these indices are, and the key; in none that stays if one comes again."""
        if len(s) == 1:
            return self.vectors, s[0]
        if len(set(s)) == len(s):
            return self.alike, s[::-1] if len(s) == 2 and s[0] > s[1] else s
        return (self.diagonals, s[0]) if len(s) == 2 else ({}, s)

    def _without_identities(self, items: list[Item]) -> list[Item]:
        """Identity matrices rename indices; ones go where another factor has their index."""
        k = 0
        while k < len(items):
            note, s = items[k]
            if note.kind == "eye" and s[0] != s[1]:
                kept, gone = sorted(s)
                items = [
                    item if m == k else (item[0], tuple([kept if i == gone else i for i in item[1]]))
                    for m, item in enumerate(items)
                ]
                if gone >= self.rank:
                    items[k] = (filled("ones", note.shape[:1]), (kept,))
                    k = -1
            k += 1
        if not any(n.kind == "ones" for n, _ in items):
            return items
        counts = Counter([i for _, s in items for i in set(s)])
        kept_items: list[Item] = []
        for note, s in items:
            if note.kind == "ones" and (counts[s[0]] > 1 or s[0] >= self.rank):
                if counts[s[0]] == 1:
                    self.scalars.append(size(self.dims[s[0]]))
                counts[s[0]] -= 1
            else:
                kept_items.append((note, s))
        return kept_items

    def _join(self) -> Note | None:
        """What is left as one array with the output's axes."""
        if not self.rank and not self.items:
            return None
        items = sorted(self.items.values(), key=lambda item: item[1])
        shape = tuple(self.dims[: self.rank])
        found = self._one(items, shape)
        if found is None and self.rank in _HIGHER:
            found = _HIGHER[self.rank]([(n, tuple(sorted(s)) if n.kind == "eye" else s) for n, s in items])
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


def _kron_of_units(p: IndexGraph, k: int) -> bool:
    """A Kronecker product along one of its factors: with a unit matrix in the place of that, E ⊗ B."""
    note, s = p.items[k]
    if note.kind != "linear" or note.info.op.name != "reshape_copy" or len(set(s)) < len(s):
        return False
    out = note.info.out_rank
    four, two, at, to = (note.shape[:4], note.shape[4:], s[:4], s[4:]) if out == 4 else (
        note.shape[2:], note.shape[:2], s[2:], s[:2])  # fmt: skip
    if len(four) != 4 or len(two) != 2 or two != (four[0] * four[1], four[2] * four[3]):
        return False
    for place, unit in ((1, at[::2]), (0, at[1::2])):
        summed = at[1::2] if place else at[::2]
        others = [m for i in summed for m in p.at[i] if m != k]
        if len(set(others)) != 1 or len(others) != 2 or any(i < p.rank for i in summed):
            continue
        other, t = p.items[others[0]]
        if sorted(t) == sorted(summed):
            zero = filled("zeros", (four[1 - place], four[3 - place]))
            factor = other if t == summed else transpose(other)
            parts = (zero, factor) if place else (factor, zero)
            made = Note("call", parts, (TABLE["kron"], (), None), two)
            return p.replace((k, others[0]), images(made, 1 - place), (*to, *unit))
    return False


def _third_order(items: list[Item]) -> Note | None:
    """A matrix and a vector, read as a matrix row by row: ``P ⊗ vᵀ`` where the vector has the last axis."""
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
    items = _paired(items)
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


_HIGHER = {3: _third_order, 4: _fourth_order}
"""Notation for orders beyond that of a matrix, of factors whose identities have their indices in order."""


def _paired(items: list[Item]) -> list[Item]:
    """Two vectors as a matrix uvᵀ: those on the indices that a matrix leaves over, else on 0 and 2 and on 1 and 3."""
    vectors = {s[0]: n for n, s in items if len(s) == 1}
    rest = [item for item in items if len(item[1]) != 1]
    pairs = [tuple(sorted(vectors))] if len(vectors) == 2 else [(0, 2), (1, 3)] if set(vectors) == {0, 1, 2, 3} else []
    for i, j in pairs:
        u, v = vectors.pop(i), vectors.pop(j)
        rest.append((Note("outer", (u, v), None, u.shape + v.shape), (i, j)))
    return rest + [(n, (i,)) for i, n in vectors.items()]


Rule = Callable[[IndexGraph], bool]


def _vectors(p: IndexGraph) -> bool:
    """Vectors on one index: uᵀv where nothing else has it and it is summed, else u ⊙ v; one alone is summed."""
    for i, places in p.vectors.items():
        if i >= p.rank and len(p.at[i]) == len(places):
            notes = [p.items[k][0] for k in places]
            return p.replace(places, inner(*notes) if len(notes) == 2 else total(hadamard(*notes)), ())
        if len(places) > 1:
            return p.replace(places, hadamard(*[p.items[k][0] for k in places]), (i,))
    return False


def _repeated(p: IndexGraph) -> bool:
    """A matrix read at one index twice: its trace, or its diagonal as a vector."""
    for i, places in p.diagonals.items():
        note = p.items[places[0]][0]
        if i >= p.rank and len(p.at[i]) == 1:
            return p.replace(places[:1], trace(note), ())
        return p.replace(places[:1], diagonal(note), (i,))
    return False


def diagonal(matrix: Note) -> Note:
    """The diagonal of a matrix, as a vector."""
    if matrix.kind == "eye":
        return filled("ones", matrix.shape[:1])
    if matrix.kind == "diag":
        return matrix.parts[0]
    if matrix.kind == "pow":  # 1/diag(X), where 1/X might be an inverse
        return matrix._replace(parts=(diagonal(matrix.parts[0]),), shape=matrix.shape[:1])
    best = min(matrix, transpose(matrix), key=transposes)
    return Note("diagpart", (best,), None, matrix.shape[:1])


def _pairs(p: IndexGraph) -> bool:
    """Two arrays on the same indices: their inner product if nothing else has these and they are summed, else A ⊙ B."""
    found = [places[:2] for s, places in p.alike.items() if len(places) > 1]
    if not found:
        return False
    places = min(found, key=lambda pair: pair[1])
    first, second, indices = _aligned(p.items[places[0]], p.items[places[1]])
    if all(i >= p.rank and len(p.at[i]) == 2 for i in indices):
        return p.replace(places, inner(first, second), ())
    return p.replace(places, hadamard(first, second), indices)


def _aligned(a: Item, b: Item) -> tuple[Note, Note, Indices]:
    """Two arrays on the same indices, read in one order, with few transposes."""
    (first, s), (second, t) = a, b
    if len(s) != 2:
        return first, second, s
    straight, turned = (second, transpose(second))[:: 1 if s == t else -1]
    ways = (first, straight, s), (transpose(first), turned, s[::-1])
    return min(ways, key=lambda way: transposes(way[0]) + transposes(way[1]))


def _matrix_vector(p: IndexGraph) -> bool:
    """A vector on a summed index that one matrix reads too: Mv, or Mᵀv where there is no other."""
    found = []
    for i, places in p.vectors.items():
        if i < p.rank or len(readers := p.at[i]) != 2:
            continue
        (k,) = [k for k in readers if k != places[0]]
        note, t = p.items[k]
        if len(t) == 2 and t[0] != t[1]:
            turned = t[0] == i
            matrix = transpose(note) if turned else note
            found.append((transposes(matrix), k, turned, matrix, places[0], t[turned]))
    if not found:
        return False
    _, k, _, matrix, v, outside = min(found, key=lambda f: f[:3])
    return p.replace((k, v), chain(matrix, p.items[v][0]), (outside,))


def _lone(p: IndexGraph) -> bool:
    """An index that one factor alone has, and which is summed: A𝟏, sum(A), or a sum over axes."""
    alone = [readers[0] for i, readers in p.at.items() if len(readers) == 1 and i >= p.rank]
    for k in sorted(alone):
        note, s = p.items[k]
        axes = tuple([a for a, i in enumerate(s) if i >= p.rank and len(p.at[i]) == 1 and s.count(i) == 1])
        if not axes or len(s) < 2:
            continue
        if len(axes) == len(s):
            return p.replace((k,), total(note), ())
        rest = tuple([i for a, i in enumerate(s) if a not in axes])
        if len(s) == 2:
            matrix = note if axes == (1,) else transpose(note)
            return p.replace((k,), chain(matrix, filled("ones", matrix.shape[1:])), rest)
        shape = tuple([n for a, n in enumerate(note.shape) if a not in axes])
        return p.replace((k,), Note("sum", (note,), axes, shape), rest)
    return False


def _matrix_matrix(p: IndexGraph) -> bool:
    """Two matrices on a summed index that nothing else has, but perhaps a vector: AB, or A diag(v) B."""
    found = []
    for i, places in p.at.items():
        if i < p.rank or not 2 <= len(places) <= 3:
            continue
        key = i, *places
        if key not in p.chains:
            p.chains[key] = _chain_at(p, i, places)
        if (way := p.chains[key]) is not None:
            found.append((way[0], places[0], i, way))
    if not found:
        return False
    *_, i, (_, note, ends) = min(found, key=lambda f: f[:3])
    return p.replace(p.at[i], note, ends)


def _chain_at(p: IndexGraph, i: int, places: list[int]) -> tuple[int, Note, Indices] | None:
    """The product of two matrices on an index, and of a vector between them: its transposes, itself and its indices."""
    factors = [p.items[k] for k in places]
    matrices = [(n, s) for n, s in factors if len(s) == 2 and s[0] != s[1]]
    middle = [diagonal_matrix(n) for n, s in factors if len(s) == 1]
    if len(matrices) != 2 or len(middle) != len(places) - 2:
        return None
    (a, s), (b, t) = matrices
    left, start = (a, s[0]) if s[1] == i else (transpose(a), s[1])
    right, end = (b, t[1]) if t[0] == i else (transpose(b), t[0])
    note, ends = chain(left, *middle, right), (start, end)
    back = transpose(note)
    if (transposes(back), end) < (transposes(note), start):
        note, ends = back, (end, start)
    return transposes(note), note, ends


def _scaling(p: IndexGraph) -> bool:
    """A vector on an output index that one matrix reads too: diag(v) M, M diag(v); with an identity diag(v) itself."""
    for i, places in p.vectors.items():
        if i >= p.rank or len(p.at[i]) != 2:
            continue
        v = places[0]
        for k in p.at[i]:
            note, t = p.items[k]
            if len(t) == 2 and t[0] != t[1]:
                matrix = diagonal_matrix(p.items[v][0])
                return p.replace((v, k), chain(*((matrix, note) if t[0] == i else (note, matrix))), t)
    return False


_RULES: tuple[Rule, ...] = (_vectors, _repeated, _pairs, _matrix_vector, _lone, _matrix_matrix, _scaling)
