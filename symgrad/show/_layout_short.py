"""Shorter ways to write what is laid out: 1 − H ⊙ H, diag(XᵀSX), yyᵀ ⊙ K.

The idea to hold: these are no other terms, only other signs for the same ones; each is taken where it has fewer.
"""

from __future__ import annotations

import itertools

from ._layout import Note, chain, hadamard, in_order, length, once, transpose
from ._layout_sums import tokens


@once
def _may_be_shortened(note: Note) -> bool:
    """Whether it has something in it that such forms are for; it is looked for all of them at once."""
    here = _is_scaled(note) or _is_diagonal(note) or _is_square(note)
    return here or True in [_may_be_shortened(part) for part in note.parts]


def shortened(note: Note) -> Note:
    """A note in forms that are looked for in what is laid out."""
    if not _may_be_shortened(note):
        return note
    note = _with_squares(_with_diagonals(note), False)
    scaled = _with_scalings(note)
    return scaled if scaled is not note and tokens(scaled) < tokens(note) else note


@once
def _has_squares(note: Note) -> bool:
    """Whether somewhere in it the entries of a matrix with a name are squared."""
    return _is_square(note) or True in [_has_squares(part) for part in note.parts]


def _is_square(note: Note) -> bool:
    return note.kind == "pow" and note.info == 2 and note.rank == 2 and note.parts[0].kind == "name"


def _with_squares(note: Note, beside: bool) -> Note:
    """A note with 1 − H ⊙ H for 1 − H^∘2, and wherever else the square is ``beside`` others entry by entry."""
    if not _has_squares(note):
        return note
    if beside and _is_square(note):
        return Note("had", note.parts * 2, None, note.shape)
    beside = note.kind in ("add", "had") or (beside and note.kind == "product")
    parts = tuple([_with_squares(part, beside) for part in note.parts])
    return hadamard(*parts) if note.kind == "had" else note._replace(parts=parts)


@once
def _has_scalings(note: Note) -> bool:
    """Whether somewhere in it both rows and columns are scaled."""
    return _is_scaled(note) or True in [_has_scalings(part) for part in note.parts]


def _is_scaled(note: Note) -> bool:
    return note.kind == "chain" and sum([p.kind == "diag" for p in note.parts]) > 1


def _with_scalings(note: Note) -> Note:
    """A note in which rows and columns are scaled at once: yyᵀ ⊙ K for diag(y) K diag(y)."""
    if not _has_scalings(note):
        return note
    parts = tuple([_with_scalings(part) for part in note.parts])
    note = Note(note.kind, parts, note.info, note.shape)
    at = [k for k, p in enumerate(parts) if p.kind == "diag"] if note.kind == "chain" else []
    between = next(((i, j) for i, j in itertools.pairwise(at) if j > i + 1), None)
    if between is None:
        return note
    i, j = between
    matrix = chain(*parts[i + 1 : j])
    rows, columns = parts[i].parts[0], parts[j].parts[0]
    scaled = hadamard(Note("outer", (rows, columns), None, matrix.shape), matrix)
    return chain(*parts[:i], scaled, *parts[j + 1 :])


@once
def _has_diagonals(note: Note) -> bool:
    """Whether somewhere in it there is the diagonal of a product, or the rows of one matrix are summed."""
    return _is_diagonal(note) or True in [_has_diagonals(part) for part in note.parts]


def _is_diagonal(note: Note) -> bool:
    return note.kind == "diagpart" or (note.kind == "chain" and len(note.parts) == 2 and note.parts[1].kind == "ones")


def _with_diagonals(note: Note) -> Note:
    """A note in which diagonals of products are written so where that is shorter: diag(XᵀSX) for (X ⊙ SX)ᵀ𝟏.

    With a diagonal matrix between them they are not: diag(A diag(x) B) is (A ⊙ Bᵀ)x.
    """
    if not _has_diagonals(note):
        return note
    if note.kind == "diag":  # diag(diag(AB)) is hard to read
        return note
    parts = tuple([_with_diagonals(part) for part in note.parts])
    note = note if parts == note.parts else Note(note.kind, parts, note.info, note.shape)
    if note.kind == "add":
        return _one_diagonal(note)
    if note.kind == "diagpart":
        return _without_diagonal(note)
    matrix = parts[-2] if note.kind == "chain" and len(parts) == 2 and parts[1].kind == "ones" else None
    turned = matrix is not None and matrix.kind == "T"
    inner = matrix.parts[0] if turned and matrix is not None else matrix
    if inner is None or inner.rank != 2:
        return note
    factors = inner.parts * 2 if inner.kind == "pow" and inner.info == 2 else inner.parts
    if inner.kind not in ("had", "pow") or len(factors) != 2:
        return note
    a, b = [transpose(p) if turned else p for p in factors]
    best = min((chain(a, transpose(b)), chain(b, transpose(a))), key=length)
    found = _without_diagonal(Note("diagpart", (best,), None, note.shape))
    return found if length(found) < length(note) or tokens(found) < tokens(note) else note


def _without_diagonal(note: Note) -> Note:
    """The diagonal of a product with a diagonal matrix in it as a matrix times a vector, where that is shorter."""
    inner = note.parts[0].parts if note.parts[0].kind == "chain" else ()
    at = [k for k, p in enumerate(inner) if p.kind == "diag"]
    if len(at) != 1 or at[0] in (0, len(inner) - 1):
        return note
    left, right = chain(*inner[: at[0]]), chain(*inner[at[0] + 1 :])
    found = chain(hadamard(left, transpose(right)), inner[at[0]].parts[0])
    return found if tokens(found) < tokens(note) else note


def _one_diagonal(note: Note) -> Note:
    """A sum of diagonals as the diagonal of a sum: diag(P − PSP)."""
    split = [p.parts if p.kind == "diagpart" else () for p in note.parts]
    if sum(map(len, split)) < 2:
        return note
    there = [(sign < 0, *p) for sign, p in zip(note.info, split) if p]
    matrix = in_order(there, there[0][1].shape)
    whole = Note("diagpart", (matrix,), None, note.shape)
    rest = [(sign < 0, p) for sign, p, inside in zip(note.info, note.parts, split) if not inside]
    found = in_order([*rest, (False, whole)], note.shape) if rest else whole
    return found if tokens(found) < tokens(note) else note
