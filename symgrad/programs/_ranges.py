"""Parts of a flat variable: blocks of the matrix in the place of products with slices and reshapes.

The idea to hold: the function may take ``w = x[:1000].reshape(50, 20)`` of a flat ``x``. A derivative in w is then a
product with the array of that slice; read as a block of the matrix, at the slice's place and in the slice's shape, the
product needs no such array.
"""

from __future__ import annotations

import numpy as np

from ..terms import Delta, Ein, ein
from ._linear import sources
from ._terms import as_product, sizes

Range = tuple[int, tuple[int, ...]]
"""Where a part starts in its variable, and the shape it has."""


def stripped(term: Ein, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[Range, Range, Ein]:
    """A product with axes of two variables as one of parts of them: the parts, and the product without their slices."""
    q = len(shapes[0])
    sides = [tuple(range(q)), tuple(range(q, term.rank))]
    parts = [_part(term, side) for side in sides]
    if parts[0] is None and parts[1] is None:
        return (0, shapes[0]), (0, shapes[1]), term
    gone = [k for p in parts if p is not None for k in p[0]]
    rest = [(f, s) for k, (f, s) in enumerate(term.factors) if k not in gone]
    dims = dict(enumerate(term.dims))
    labels: list[tuple[int, ...]] = []
    ranges: list[Range] = []
    for part, side, shape in zip(parts, sides, shapes, strict=True):
        labels.append(side if part is None else part[1])
        ranges.append((0, shape) if part is None else part[2])
    fresh = max(dims, default=-1) + 1
    columns = []
    for k in labels[1]:
        if k in labels[0]:  # both parts are read at one index: their diagonal
            rest.append((Delta(int(dims[k])), (k, fresh)))
            dims[fresh] = dims[k]
            columns.append(fresh)
            fresh += 1
        else:
            columns.append(k)
    out = (*labels[0], *columns)
    return ranges[0], ranges[1], as_product(ein(term.coef, rest, out, {k: dims[k] for k in out}))


def _part(term: Ein, side: tuple[int, ...]) -> tuple[list[int], tuple[int, ...], Range] | None:
    """The slices and reshapes that all indices of a side go into, one after the other: their places, the last one's own
    indices, and the range."""
    places: list[int] = []
    start = 0
    shape: tuple[int, ...] = ()
    while True:
        found = _step(term, side, places)
        if found is None:
            return (places, side, (start, shape)) if places else None
        place, side, (first, shape) = found
        places.append(place)
        start += first


def _step(term: Ein, side: tuple[int, ...], taken: list[int]) -> tuple[int, tuple[int, ...], Range] | None:
    if not side:
        return None
    users = [(k, f, s) for k, (f, s) in enumerate(term.factors) if k not in taken and set(s) & set(side)]
    if len(users) != 1 or users[0][1].kind != "lin":
        return None
    place, lin, s = users[0]
    out, inside = s[: lin.out_rank], s[lin.out_rank :]  # type: ignore[attr-defined]
    if inside != side or len(set(out)) < len(out) or set(out) & set(range(term.rank)):
        return None
    places = sources(lin)
    if places is None or not len(places) or places[0] < 0 or bool((np.diff(places) != 1).any()):
        return None
    return place, out, (int(places[0]), sizes(lin.out_shape))  # type: ignore[attr-defined]
