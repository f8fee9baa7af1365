"""Products of arrays over shared indices, as source.

The idea to hold: two at a time, the cheapest first; what is summed over is ``@`` or a batched ``matmul``, what is not
is ``*``. Products come here with two arrays as a rule, ordered by `_plan`; with more only where nothing is summed.
"""

from __future__ import annotations

import itertools
from typing import Any

from ._source_text import align, permuted, subscripts
from ._terms import entries

Part = tuple[str, tuple[int, ...]]


def contraction(source: Any, arrays: list[Any], out: tuple[int, ...], dims: Any) -> str:
    """The product of arrays, with the axes ``out``; what more than two need on the way are lines of their own."""
    parts = [
        _own_axes(source, f, s, out, [t for j, (_, t) in enumerate(arrays) if j != i])
        for i, (f, s) in enumerate(arrays)
    ]
    while len(parts) > 2:
        i, j, kept = _next_pair(parts, out, dims)
        name = source.fresh()
        source.lines.append(f"{name} = {_pair(parts[i], parts[j], kept, dims)}")
        parts = [(name, kept), *[p for k, p in enumerate(parts) if k not in (i, j)]]
    if len(parts) == 1:
        text, labels = parts[0]
        return permuted(text, labels, out)
    return _pair(parts[0], parts[1], out, dims)


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


def _pair(left: Part, right: Part, out: tuple[int, ...], dims: Any) -> str:
    (a, la), (b, lb) = left, right
    summed = (set(la) & set(lb)) - set(out)
    if summed:
        return _product(a, la, b, lb, out, dims)
    places = {k: i for i, k in enumerate(out)}
    return " * ".join([align(t, [places[k] for k in s], len(out)) for t, s in (left, right)])


def _product(a: str, la: Any, b: str, lb: Any, out: Any, dims: Any) -> str:
    """A product with summed indices as ``@``, or as a batched one where an index stays that both have."""
    summed = [k for k in la if k in lb and k not in out]
    batch = [k for k in out if k in la and k in lb]
    rows, columns = [k for k in out if k in la and k not in lb], [k for k in out if k in lb and k not in la]
    if columns and rows and out.index(columns[0]) < out.index(rows[0]):
        return _product(b, lb, a, la, out, dims)
    if batch and not rows and not columns:
        return f"np.einsum('{subscripts([la, lb], out)}', {a}, {b})"
    if not batch and len(summed) == 1 and len(rows) <= 1 and len(columns) <= 1:
        return f"{permuted(a, la, (*rows, *summed))} @ {permuted(b, lb, (*summed, *columns))}"
    if not batch:
        la2, lb2 = [la.index(k) for k in summed], [lb.index(k) for k in summed]
        got = (*[k for k in la if k not in summed], *[k for k in lb if k not in summed])
        return permuted(f"np.tensordot({a}, {b}, ({la2}, {lb2}))", got, out)
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


def _own_axes(source: Any, f: Any, s: tuple[int, ...], out: Any, others: Any) -> Part:
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
        else:
            text = f"np.add.reduce({text}, axis={axes[0] if len(axes) == 1 else axes})"
        s = tuple([k for k in s if k not in private])
    return text, s
