"""An index that reads an array at pairs of places, pushed down to what the array is made of.

The idea to hold: an index is an index. What is read at (i, j) of ``x[:, None] - x`` is ``x[i] - x[j]``, and what is
read of a sum, a product or a function of entries is the sum, the product, the function of what is read. So a function
of all pairs of which half are wanted is the function of those pairs, whichever way it was written, and no array of all
pairs is left to differentiate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ..calculus import linear
from ..core import TABLE
from ..terms import Add, Data, Ein, Expr, Indices, Lin, Map, One, add, connected, ein, map_, zeros
from ._terms import Factor, entries, sizes


class Along(NamedTuple):
    """Where an axis is read: at the places of an array that has the result's axes ``labels``; ``plain`` if it is read
    from its first entry to its last along one of them."""

    labels: Indices
    places: np.ndarray
    plain: bool


def read_at(x: Expr, along: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> Expr | None:
    """The entries of a term at places (per axis an array of the result's shape), each part of the term read by itself.

    None where no two axes are read together, or where more would be computed than the whole term has entries.
    """
    if x.kind not in ("ein", "add", "map", "data") or not entries(shape) or entries(shape) > entries(x.shape):
        return None
    axes = tuple([_reduced(places, n) for places, n in zip(along, sizes(x.shape), strict=True)])
    if not _meet(axes):
        return None
    reader = _Reader(len(shape))
    term, labels = reader.read(x, axes, _limits.READ_DEPTH)
    if not reader.apart or reader.dear:
        return None
    return ein(1, [(term, labels)], tuple(range(len(shape))), dict(enumerate(shape)))


def _meet(axes: Iterable[Along]) -> bool:
    """Whether two axes are read along one of the result's."""
    every = [label for a in axes for label in a.labels]
    return len(set(every)) < len(every)


def _reduced(places: np.ndarray, n: int) -> Along:
    """An array of places without the axes along which it stays the same."""
    kept = [k for k in range(places.ndim) if not (places == places.take([0], k)).all()]
    short = places[tuple([slice(None) if k in kept else 0 for k in range(places.ndim)])]
    return Along(tuple(kept), short, len(kept) == 1 and np.array_equal(short, np.arange(n)))


class _Reader:
    """Reads terms at places; ``fresh`` is the first label that is no axis of a result, and ``apart`` says whether
    anything came apart; it is ``dear`` if a product of matrices did that is better computed whole."""

    def __init__(self, fresh: int) -> None:
        self.fresh = fresh
        self.apart = self.dear = False
        self.known: dict[Any, tuple[Expr, Indices]] = {}
        self._kept: list[Any] = []  # what the ids belong to

    def read(self, x: Expr, axes: tuple[Along, ...], depth: int) -> tuple[Expr, Indices]:
        """A term at places, and the labels of its axes (ascending)."""
        key = (id(x), tuple(map(id, axes)))
        if key not in self.known:
            self._kept += [x, axes]
            self.known[key] = self._read(x, axes, depth)
        return self.known[key]

    def _read(self, x: Expr, axes: tuple[Along, ...], depth: int) -> tuple[Expr, Indices]:
        out = tuple(sorted({label for a in axes for label in a.labels}))
        dims = {label: n for a in axes for label, n in zip(a.labels, a.places.shape, strict=True)}
        if isinstance(x, Data):
            return Data(x.value[_aligned(axes, out)]), out
        if depth and _meet(axes):
            if isinstance(x, Ein):
                groups = _groups(x)
                if len(groups) > 1:
                    self.apart = True
                    self.dear = self.dear or _is_matrix_product(x, groups, entries(dims.values()))
                if len(groups) > 1 or (len(groups) == 1 and groups[0][0].kind in ("map", "add", "data")):
                    return self._product(x, groups, axes, out, dims, depth), out
            if isinstance(x, Add):
                self.apart = True
                parts = [(c, *self.read(t, tuple([axes[k] for k in s]), depth - 1)) for c, t, s in x.terms]
                return add(parts, out, dims), out
            if isinstance(x, Map):
                self.apart = True
                args = [self.read(a, tuple([axes[k] for k in s]), depth - 1) for a, s in x.args]
                covered = tuple([k for k in out if any(k in s for _, s in args)])
                return ein(1, [(map_(x.op, args, x.params, covered), covered)], out, dims), out
        return _taken(x, axes, out)

    def _product(
        self, x: Ein, groups: list[Factor], axes: tuple[Along, ...], out: Indices, dims: dict[int, int], depth: int
    ) -> Expr:
        """A product at places: its summed indices become axes of their own, which are read from end to end."""
        inner = []
        for n in sizes(x.dims[x.rank :]):
            inner.append(Along((self.fresh,), np.arange(n), True))
            self.fresh += 1
        whole = (*axes, *inner)
        factors: list[Any] = []
        for f, s in groups:
            if f.kind == "delta":
                i, j = (whole[k] for k in s)
                both = tuple(sorted({*i.labels, *j.labels}))
                same = np.equal(*[np.asarray(places) for places in _aligned((i, j), both)])
                if not same.any():
                    return zeros(tuple([dims[k] for k in out]))
                factors += [(f, (*i.labels, *j.labels))] if i.plain and j.plain else [(Data(same * 1.0), both)]
            elif f.kind != "one":
                factors.append(self.read(f, tuple([whole[k] for k in s]), depth - 1))
        held = {k for _, s in factors for k in s}
        alone = {k for f, s in groups if f.kind == "one" for k in s if k >= x.rank}  # summed over: it counts
        factors += [(One(whole[k].places.size), whole[k].labels) for k in alone if whole[k].labels[0] not in held]
        return ein(x.coef, factors, out, dims)


def _groups(x: Ein) -> list[Factor]:
    """The factors of a product, a linear operation as one with what it is applied to; none if it is transposed."""
    hidden = {k for f, s in x.factors if isinstance(f, Lin) for k in s[f.out_rank :]}
    if not hidden:
        return list(x.factors)
    found = []
    for part in connected([(f, s) for f, s in x.factors], fixed=set(range(len(x.dims))) - hidden):
        if len(part) == 1:
            found += part
        elif any(k < x.rank for _, s in part for k in s if k in hidden):
            return []  # it is read from the other side
        else:
            outside = {k for _, s in x.factors for k in s if (_, s) not in part}
            kept = tuple(sorted({k for _, s in part for k in s if k < x.rank or k in outside}))
            found.append((ein(1, part, kept), kept))
    return found


def _is_matrix_product(x: Ein, groups: list[Factor], wanted: int) -> bool:
    """Whether a product is better computed whole, as one of matrices, than at as many places as are wanted."""
    summed = [k for k in range(x.rank, len(x.dims)) if sum([k in s for _, s in groups]) > 1]
    terms = entries(x.dims[k] for k in summed)
    whole = entries(x.shape)
    return bool(summed) and wanted * terms * _limits.MATRIX_FLOP > whole * (terms + _limits.MATRIX_FLOP)


def _aligned(axes: Iterable[Along], out: Indices) -> tuple[np.ndarray, ...]:
    """The places of axes as arrays that broadcast to the labels ``out``."""
    return tuple([a.places[tuple([slice(None) if k in a.labels else None for k in out])] for a in axes])


def _taken(x: Expr, axes: tuple[Along, ...], out: Indices) -> tuple[Expr, Indices]:
    """A term that stays as it is, read at places: by renaming its axes, or by one index."""
    every = [label for a in axes for label in a.labels]
    if all(a.plain for a in axes) and len(set(every)) == len(every):
        return ein(1, [(x, tuple(every))], out), out
    apart = [k for k, a in enumerate(axes) if a.plain and every.count(a.labels[0]) == 1]  # these stay slices
    arrays = [a for k, a in enumerate(axes) if k not in apart]
    together = tuple(sorted({label for a in arrays for label in a.labels}))
    places = iter(_aligned(arrays, together))
    index = [slice(None) if k in apart else next(places) for k in range(len(axes))]
    while index and isinstance(index[-1], slice):
        index.pop()
    found = np.empty(sizes(x.shape), bool)[tuple(index)].shape
    first = next(k for k in range(len(axes)) if k not in apart)
    gap = any(k in apart for k in range(first, len(index)))  # arrays with a slice between: their axes come first
    before = [] if gap else [axes[k].labels[0] for k in apart if k < first]
    after = [axes[k].labels[0] for k in apart if gap or k > first]
    labels = (*before, *together, *after)
    term = linear(TABLE["getitem"], x, (tuple(index),), found)
    return ein(1, [(term, labels)], out), out
