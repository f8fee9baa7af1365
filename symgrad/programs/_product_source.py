"""Products of arrays over shared indices, as source.

The idea to hold: two at a time, the cheapest first; what is summed over is ``@`` or a batched ``matmul``, what is not
is ``*``. Products come here with two arrays as a rule, ordered by `_plan`; with more only where nothing is summed.
"""

from __future__ import annotations

import itertools
from typing import Any

from .. import _limits
from ._dialects import NUMPY
from ._source_text import align, atom, permuted, subscripts, times
from ._terms import entries

Part = tuple[str, tuple[int, ...]]


def contraction(source: Any, coef: Any, arrays: list[Any], out: tuple[int, ...], dims: Any) -> str:
    """The product of a number and arrays, with the axes ``out``; what more than two need are lines of their own."""
    parts = [
        _own_axes(source, f, s, out, dims, [t for j, (_, t) in enumerate(arrays) if j != i])
        for i, (f, s) in enumerate(arrays)
    ]
    while len(parts) > 2:
        i, j, kept = _next_pair(parts, out, dims)
        name = source.fresh()
        source.lines.append(f"{name} = {_pair(1, parts[i], parts[j], kept, dims)}")
        parts = [(name, kept), *[p for k, p in enumerate(parts) if k not in (i, j)]]
    if len(parts) == 1:
        text, labels = parts[0]
        return times(coef, permuted(text, labels, out))
    return _pair(coef, parts[0], parts[1], out, dims, source.by_columns and _is_narrow([int(dims[k]) for k in out]))


def _is_narrow(shape: list[int]) -> bool:
    """Whether an array of a shape is many rows of few entries."""
    return len(shape) > 2 and shape[-1] <= _limits.NARROW // 2 and shape[-2] > shape[-1] * 4


def _next_pair(parts: list[Part], out: tuple[int, ...], dims: Any) -> tuple[int, int, tuple[int, ...]]:
    """The pair whose product costs least, and the axes that it must keep."""
    found = []
    for i, j in itertools.combinations(range(len(parts)), 2):
        both = {*parts[i][1], *parts[j][1]}
        needed = {*out, *[k for n, (_, s) in enumerate(parts) if n not in (i, j) for k in s]}
        kept = tuple(sorted(both & needed))
        cost = entries([dims[k] for k in both]), entries([dims[k] for k in kept])
        found.append((cost, i, j, kept))
    _, i, j, kept = min(found)
    return i, j, kept


def _pair(coef: Any, left: Part, right: Part, out: tuple[int, ...], dims: Any, by_columns: bool = False) -> str:
    """The product of two arrays and a number, which the smallest array on the way is multiplied with: but a product of
    an array with itself is to be symmetric to the last bit."""
    (a, la), (b, lb) = left, right
    small, large = sorted([left, right], key=lambda part: entries([dims[k] for k in part[1]]))
    if coef != 1 and a != b and entries([dims[k] for k in small[1]]) < entries([dims[k] for k in out]):
        left, right = (f"({times(coef, small[0])})", small[1]), large
        return _pair(1, left, right, out, dims, by_columns)
    if (set(la) & set(lb)) - set(out):
        return times(coef, _product(a, la, b, lb, out, dims))
    places = {k: i for i, k in enumerate(out)}
    texts = [align(t, [places[k] for k in s], len(out)) for t, s in (left, right)]
    return times(coef, f"_by_columns({', '.join(texts)})" if by_columns else " * ".join(texts))


def _product(a: str, la: Any, b: str, lb: Any, out: Any, dims: Any) -> str:
    """A product with summed indices as ``@``, or as a batched one where an index stays that both have."""
    summed = [k for k in la if k in lb and k not in out]
    batch = [k for k in out if k in la and k in lb]
    rows, columns = [k for k in out if k in la and k not in lb], [k for k in out if k in lb and k not in la]
    if columns and rows and out.index(columns[0]) < out.index(rows[0]):
        return _product(b, lb, a, la, out, dims)
    if batch and not rows and not columns:
        return f"np.einsum('{subscripts([la, lb], out)}', {a}, {b})"
    if not batch:
        rows, columns = [k for k in la if k in rows], [k for k in lb if k in columns]
        if entries([dims[k] for k in lb]) > entries([dims[k] for k in la]):  # the larger one stays as it is
            summed = [k for k in lb if k in summed]
        text = f"{_matrix(a, la, rows, summed, dims)} @ {_matrix(b, lb, summed, columns, dims)}"
        if len(rows) > 1 or len(columns) > 1:
            text = f"({text}).reshape({tuple([int(dims[k]) for k in (*rows, *columns)])})"
        return permuted(text, (*rows, *columns), out)
    n, m, s = (entries([dims[k] for k in g]) for g in (rows, columns, summed))
    left = permuted(a, la, (*batch, *rows, *summed))
    right = permuted(b, lb, (*batch, *summed, *columns))
    lead = tuple([int(dims[k]) for k in batch])
    if len(rows) != 1 or len(summed) != 1:
        left = f"{left}.reshape({(*lead, n, s)})"
    if len(columns) != 1 or len(summed) != 1:
        right = f"{right}.reshape({(*lead, s, m)})"
    text = f"np.matmul({left}, {right})"
    if len(rows) != 1 or len(columns) != 1:
        text = f"{text}.reshape({(*lead, *[int(dims[k]) for k in rows], *[int(dims[k]) for k in columns])})"
    return permuted(text, (*batch, *rows, *columns), out)


def _matrix(text: str, labels: Any, first: Any, second: Any, dims: Any) -> str:
    """An array as a matrix with these axes as its rows and columns; one with axes of only one kind as a vector."""
    if len(first) <= 1 and len(second) <= 1:
        return permuted(text, labels, (*first, *second))
    shape = tuple([entries([dims[k] for k in group]) for group in (first, second) if group])
    if first and second and tuple(labels) == (*second, *first):
        return f"{atom(text)}.reshape({shape[::-1]}).T"
    return f"{atom(permuted(text, labels, (*first, *second)))}.reshape({shape})"


def _sum(text: str, labels: Any, axis: int, dims: Any) -> str:
    """A sum along the first or one of the last two axes, as a product with ones: NumPy adds up row by row."""
    n = int(dims[labels[axis]])
    kept = [k for k in labels if k != labels[axis]]
    if axis == len(labels) - 2:
        return f"np.ones({n}) @ {text}"
    if axis == 0:
        summed = f"np.ones({n}) @ {_matrix(text, labels, labels[:1], kept, dims)}"
    else:
        summed = f"{_matrix(text, labels, kept, labels[-1:], dims)} @ np.ones({n})"
    return summed if len(kept) == 1 else f"({summed}).reshape({tuple([int(dims[k]) for k in kept])})"


def _own_axes(source: Any, f: Any, s: tuple[int, ...], out: Any, dims: Any, others: Any) -> Part:
    """An array with its diagonals taken and what only it is summed over summed up."""
    text = source.name(f)
    if len(set(s)) < len(s):
        kept = tuple(dict.fromkeys(s))
        text = f"np.einsum('{subscripts([s], kept)}', {text})"
        s = kept
    private = [k for k in s if k not in out and all(k not in t for t in others)]
    if private:
        axes = tuple([s.index(k) for k in private])
        if len(axes) == len(s):
            text = f"np.add.reduce({text}, axis=None)"
        elif source.dialect is NUMPY and axes in ((0,), (len(s) - 2,), (len(s) - 1,)):
            text = f"({_sum(text, s, axes[0], dims)})"
        else:
            text = f"np.add.reduce({text}, axis={axes[0] if len(axes) == 1 else axes})"
        s = tuple([k for k in s if k not in private])
    return text, s
