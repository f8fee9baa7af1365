"""Scalars made of arrays: sums of entries, inner products, squared norms, traces.

The idea to hold: of the ways to write one, ``xᵀAᵀy`` or ``yᵀAx``, the one with fewer transposes is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from ._layout import Note, chain, hadamard, is_divisor, order, power, product, size, transpose, transposes

_FREE = ("name", "map", "call", "index", "add", "lin")


def total(note: Note) -> Note:
    """The sum of all entries."""
    root = _root_of_square(note)
    if root is not None:
        return Note("square", (root,), None, ())
    if note.kind == "had" and note.rank == 1:
        return _dotted(note.parts)
    if note.kind == "had" and len(note.parts) == 2:
        return inner(*note.parts)
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
    coef, has_body = inside.info
    scalars, body = (list(inside.parts[:-1]), inside.parts[-1]) if has_body else (list(inside.parts), None)
    return factor._replace(parts=(product(coef // 2, scalars, body),))


def inner(a: Note, b: Note) -> Note:
    """The sum of the entry-wise product of two arrays of one shape."""
    if a == b:
        return _of_inverse(a) or Note("square", (a,), None, ())
    root = _root_of_square(hadamard(a, b)) if a.rank == 1 else None
    if root is not None:
        return Note("square", (root,), None, ())
    rank = a.rank
    if rank == 1:
        return _dotted([q for p in (a, b) for q in (p.parts if p.kind == "had" else (p,))])
    if rank == 2 and "chain" in (a.kind, b.kind):
        return trace(chain(a, transpose(b)))
    if rank > 2 or is_divisor(a) or is_divisor(b):
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
