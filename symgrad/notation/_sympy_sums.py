"""SymPy's sums over the entries of matrices, ``Sum(A[i, j]*v[j, 0], (i, 0, m - 1), (j, 0, n - 1))``.

The idea to hold: every bound index is an axis. An entry is its matrix with those axes in place, the others of length
one; what is between the entries then works by broadcasting, and the sum is one over all axes.
"""

from __future__ import annotations

from typing import Any

from .._errors import FormulaError
from ..ops import FUNCTIONS
from ._entries import laid
from ._literals import as_tensor


def summed(walk: Any, expr: Any) -> Any:
    """The value of a Sum whose indices run over whole axes."""
    import sympy
    from sympy.matrices.expressions.matexpr import MatrixElement

    body, limits = expr.function, list(expr.limits)
    while isinstance(body, sympy.Sum):
        limits, body = [*limits, *body.limits], body.function
    indices = [limit[0] for limit in limits]
    entries = [e for e in body.atoms(MatrixElement) if e.free_symbols & set(indices)]
    dummies = {entry: sympy.Dummy() for entry in entries}
    rest = body.xreplace(dummies)
    if rest.free_symbols & set(indices) or rest.has(sympy.MatrixExpr, sympy.Sum) or len(set(indices)) < len(indices):
        raise _refusal(expr)
    sizes: dict[Any, Any] = {}
    for index, first, last in limits:
        if first != 0:
            raise _refusal(expr)
        sizes[index] = sympy.simplify(last + 1)
    values = [_entry(walk, entry, indices, sizes, expr) for entry in entries]
    value = walk.substituted(sympy.Lambda(tuple(dummies.values()), rest), values)
    return _total(walk, as_tensor(value), indices, sizes, {s for e in entries for s in e.free_symbols})


def _refusal(expr: Any) -> FormulaError:
    return FormulaError(
        f"the sum is not over whole axes of matrices: {expr}", "An index may stand alone in an entry only, A[i, j].",
        "Write it with matrix expressions, or with numbers as its limits.",
    )  # fmt: skip


def _entry(walk: Any, entry: Any, indices: list[Any], sizes: dict[Any, Any], expr: Any) -> Any:
    """The matrix of an entry with its bound indices as axes, in the order of ``indices``."""
    matrix, *places = entry.args
    if matrix.has(*indices):
        raise _refusal(expr)
    value = walk.value(matrix)
    picks: list[Any] = []
    labels: list[Any] = []
    for place, size in zip(places, matrix.shape, strict=True):
        if place in sizes:
            if sizes[place] != size:
                raise _refusal(expr)
            labels.append(place)
        elif not place.is_Integer:
            raise _refusal(expr)
        if size != 1:
            picks.append(slice(None) if place in sizes else int(place))
    if len(labels) != sum(isinstance(p, slice) for p in picks):
        raise _refusal(expr)  # an index of an axis with one entry
    value = value[tuple(picks)]
    if len(labels) == 2 and labels[0] == labels[1]:
        value, labels = FUNCTIONS["diagonal"](value), labels[:1]
    return laid(value, labels, indices)


def _total(walk: Any, value: Any, indices: list[Any], sizes: dict[Any, Any], used: set[Any]) -> Any:
    """The sum over all axes; an index that occurs nowhere counts its terms."""
    total = value.sum()
    for index in indices:
        if index not in used:
            size = walk.size(sizes[index])
            total = total * (size if type(size) is int else size.number())
    return total
