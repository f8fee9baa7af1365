"""Kronecker products without their layout: the gradient of ‖A ⊗ X‖² in X is 2‖A‖²X, (A ⊗ B)⁻¹ is A⁻¹ ⊗ B⁻¹.

The idea to hold: an axis of a Kronecker product is a pair of axes, laid out as one. Where a reshape lays them apart
again, or another product's axis meets them, the pair is read instead of the layout.
"""

from __future__ import annotations

from typing import Any

from ._ein import ein, row, shaped
from ._lift_linalg import inverse
from ._node import Call, Delta, Expr, Lin


def _is_kron(t: Any) -> bool:
    return isinstance(t, Call) and t.op.name == "kron" and all(a.rank == 2 for a in t.args)


def _is_layout(t: Any) -> bool:
    """Whether a term is the array of a reshape."""
    return isinstance(t, Lin) and t.op.name == "reshape_copy"


def _without(term: Any, gone: set[int], new: list[Any]) -> Expr:
    """A product with some of its factors replaced."""
    return shaped(term.shape, term.coef, [*[f for i, f in enumerate(term.factors) if i not in gone], *new])


def _only_there(term: Any, labels: Any, places: set[int]) -> bool:
    """Whether labels are summed, and occur in some factors only."""
    others = {k for i, (_, s) in enumerate(term.factors) if i not in places for k in s}
    return all(k >= term.rank and k not in others for k in labels)


def inverse_of_kron(term: Any) -> Expr | None:
    """(A ⊗ B)⁻¹ = A⁻¹ ⊗ B⁻¹ of square matrices."""
    inner = term.args[0]
    if not _is_square_kron(inner):
        return None
    return Call(row("kron"), tuple(inverse(a) for a in inner.args), (), term.shape)


def _is_square_kron(t: Any) -> bool:
    return _is_kron(t) and all(a.shape[0] == a.shape[1] for a in t.args)


def apart(term: Any) -> Expr | None:
    """A Kronecker product whose two axes a reshape lays apart: A[i,j]·B[k,l]."""
    for i, (f, s) in enumerate(term.factors):
        for j, (g, t) in enumerate(term.factors):
            if _is_layout(f) and _is_kron(g) and f.out_rank == 4 and set(s[4:]) == set(t) and _fits(f, g, s, t):
                if not _only_there(term, t, {i, j}) or len(set(t)) < 2:
                    continue
                at = {label: (s[2 * k], s[2 * k + 1]) for k, label in enumerate(s[4:])}
                a, b = ((x, tuple([at[label][k] for label in t])) for k, x in enumerate(g.args))
                return _without(term, {i, j}, [a, b])
    return None


def _fits(layout: Lin, kron: Call, s: Any, t: Any) -> bool:
    """Whether the pairs of axes that a reshape gives are those of a Kronecker product."""
    pairs = {label: tuple(layout.shape[2 * k : 2 * k + 2]) for k, label in enumerate(s[4:])}
    return all(pairs[label] == tuple([a.shape[k] for a in kron.args]) for k, label in enumerate(t))


def past(term: Any) -> Expr | None:
    """(A ⊗ B) vec(V) = vec(A V Bᵀ), row by row: the layout moves past the product, from one axis of it to the other."""
    for i, (f, s) in enumerate(term.factors):
        if not _is_layout(f) or len(s) != 3:
            continue
        flat, pair = (s[0], s[1:]) if f.out_rank == 1 else (s[2], s[:2])
        lengths = f.shape[1:] if f.out_rank == 1 else f.shape[:2]
        for j, (g, t) in enumerate(term.factors):
            if not _is_kron(g) or t.count(flat) != 1 or not _only_there(term, [flat], {i, j}):
                continue
            axis = t.index(flat)
            if lengths == tuple([a.shape[axis] for a in g.args]):
                ends, other = (len(term.dims), len(term.dims) + 1), t[1 - axis]
                lengths = tuple([a.shape[1 - axis] for a in g.args])
                layout = Lin(f.op, ((g.shape[1 - axis],),), (g.shape[1 - axis],), lengths)
                parts = [(a, (e, k) if axis else (k, e)) for a, e, k in zip(g.args, ends, pair, strict=True)]
                return _without(term, {i, j}, [(layout, (other, *ends)), *parts])
    return None


def layouts(term: Any) -> Expr | None:
    """Two reshapes of the same lengths that meet in the axes they lay out are identities."""
    there = [(i, f, s) for i, (f, s) in enumerate(term.factors) if _is_layout(f)]
    for n, (i, f, s) in enumerate(there):
        for j, g, t in there[n + 1 :]:
            for ours, theirs in (
                (slice(f.out_rank, None), slice(g.out_rank, None)),
                (slice(f.out_rank), slice(g.out_rank)),
            ):
                left, right = _rest(s, ours), _rest(t, theirs)
                shapes = _rest(f.shape, ours), _rest(g.shape, theirs)
                if s[ours] == t[theirs] and shapes[0] == shapes[1] and _only_there(term, s[ours], {i, j}):
                    new = [(Delta(n), (a, b)) for n, a, b in zip(shapes[0], left, right, strict=True)]
                    return _without(term, {i, j}, new)
    return None


def _rest(x: Any, part: slice) -> Any:
    return x[part.stop :] if part.start is None else x[: part.start]


def product_of_krons(term: Any) -> Expr | None:
    """(A ⊗ B)(C ⊗ D) = AC ⊗ BD, whichever axes meet."""
    there = [(i, f, s) for i, (f, s) in enumerate(term.factors) if _is_kron(f)]
    for n, (i, f, s) in enumerate(there):
        for j, g, t in there[n + 1 :]:
            for k in set(s) & set(t):
                p, q = s.index(k), t.index(k)
                meet = all(a.shape[p] == b.shape[q] for a, b in zip(f.args, g.args, strict=True))
                if not meet or s.count(k) + t.count(k) > 2 or not _only_there(term, [k], {i, j}):
                    continue
                parts = [
                    ein(1, [(a, (0, 2) if p else (2, 0)), (b, (2, 1) if not q else (1, 2))], (0, 1))
                    for a, b in zip(f.args, g.args, strict=True)
                ]
                shape = (f.shape[1 - p], g.shape[1 - q])
                whole = Call(row("kron"), tuple(parts), (), shape)
                return _without(term, {i, j}, [(whole, (s[1 - p], t[1 - q]))])
    return None
