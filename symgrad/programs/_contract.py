"""Products of arrays over shared indices, as source: two at a time, the smallest result first."""

from __future__ import annotations

import itertools
import math
from typing import Any

from ..expr._node import Var
from ._text import align, permuted, product_of_two

Part = tuple[str, tuple[int, ...]]


def contraction(source: Any, arrays: list[Any], out: tuple[int, ...], dims: Any, rank: int) -> str:
    """The product of arrays, with the axes ``out``; what more than two need on the way are lines of their own."""
    parts = [
        _own_axes(source, f, s, out, [t for j, (_, t) in enumerate(arrays) if j != i])
        for i, (f, s) in enumerate(arrays)
    ]
    while len(parts) > 2:
        i, j, kept = _next_pair(parts, out, dims)
        name = f"t{len(source.lines)}"
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
        cost = math.prod([int(dims[k]) for k in both]), math.prod([int(dims[k]) for k in kept])
        found.append((cost, i, j, kept))
    _, i, j, kept = min(found)
    return i, j, kept


def _pair(left: Part, right: Part, out: tuple[int, ...], dims: Any) -> str:
    (a, la), (b, lb) = left, right
    summed = (set(la) & set(lb)) - set(out)
    if summed:
        return product_of_two(a, la, b, lb, out, dims)
    places = {k: i for i, k in enumerate(out)}
    texts = [
        align(permuted(t, s, tuple(sorted(s, key=out.index))), tuple(sorted([places[k] for k in s])), len(out))
        for t, s in (left, right)
    ]
    return " * ".join(texts)


def _own_axes(source: Any, f: Any, s: tuple[int, ...], out: Any, others: Any) -> Part:
    """An array with its diagonals taken and what only it is summed over summed up."""
    text = source.name(f) if isinstance(f, Var) else f"({source.expression(f, '')})"
    if len(set(s)) < len(s):
        letters = {k: chr(97 + i) for i, k in enumerate(dict.fromkeys(s))}
        kept = tuple(dict.fromkeys(s))
        text = f"np.einsum('{''.join(letters[k] for k in s)}->{''.join(letters[k] for k in kept)}', {text})"
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
