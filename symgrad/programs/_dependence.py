"""Which entries of the variables an array's entries depend on: matrices of truth values, and what is done with them.

The idea to hold: an operation that moves entries, adds them up or repeats them is itself such a matrix, found by
running it on the numbers of the places; and a product or an entrywise operation is one by the labels of its axes, as
in einsum.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _limits
from ._survey import Unprogrammable


class TooDense(Unprogrammable):
    """The pattern has so many entries that a sparse matrix is no use."""


def choice(places: np.ndarray, n: int) -> Any:
    """The matrix whose row k has its one entry at ``places[k]``, none where that is negative."""
    from scipy.sparse import csr_array

    places = places.reshape(-1)
    there = places >= 0
    starts = np.concatenate([[0], np.cumsum(there)])
    columns = places[there]
    return csr_array((np.ones(columns.size, bool), columns, starts), (places.size, n))


def times(J: Any, G: Any) -> Any:
    """Per row of ``J`` the union of the rows of ``G`` that it names."""
    if int(np.diff(G.indptr)[J.indices].sum()) > _limits.DEPENDENCE:
        raise TooDense(f"what its entries depend on is more than {_limits.DEPENDENCE} entries")
    return J @ G


def stacked(parts: Sequence[Any]) -> Any:
    """Rows below each other."""
    from scipy.sparse import vstack

    return parts[0] if len(parts) == 1 else vstack(list(parts), "csr")


def either(parts: Sequence[Any]) -> Any:
    """What is in one of the matrices."""
    found = parts[0]
    for G in parts[1:]:
        found = found + G
    return found


def united(G: Any, places: np.ndarray, count: int) -> Any:
    """Rows of ``G`` united: row k goes to row ``places[k]`` of ``count``."""
    return times(choice(places, count).T.tocsr(), G)


class Rows:
    """What the entries of one operand depend on: rows ``G``, and per axis of the operand a label."""

    def __init__(self, G: Any, shape: Sequence[int], labels: Sequence[Any], sizes: dict[Any, int]) -> None:
        axes = [k for k, label in enumerate(labels) if shape[k] == sizes[label]]  # others are broadcast: size 1
        self.labels = tuple([labels[k] for k in axes])
        self.sizes = sizes
        self.G = G
        if len(set(self.labels)) < len(self.labels):  # a diagonal
            own = tuple(dict.fromkeys(self.labels))
            self.G = G[_numbers(self.labels, own, sizes)]
            self.labels = own

    def kept(self, labels: Sequence[Any]) -> Rows:
        """The union over all labels but these."""
        keep = tuple([label for label in labels if label in self.labels])
        if keep == self.labels:
            return self
        count = math.prod([self.sizes[label] for label in keep])
        return self._of(united(self.G, _numbers(keep, self.labels, self.sizes), count), keep)

    def over(self, labels: Sequence[Any]) -> Any:
        """A row per entry of an array with these labels."""
        rows = self.kept([label for label in labels if label in self.labels])
        if rows.labels == tuple(labels):
            return rows.G
        places = _numbers(rows.labels, labels, self.sizes)
        if int(np.diff(rows.G.indptr)[places].sum()) > _limits.DEPENDENCE:
            raise TooDense(f"what its entries depend on is more than {_limits.DEPENDENCE} entries")
        return rows.G[places]

    def _of(self, G: Any, labels: tuple[Any, ...]) -> Rows:
        new = object.__new__(Rows)
        new.G, new.labels, new.sizes = G, labels, self.sizes
        return new


def _numbers(labels: Sequence[Any], among: Sequence[Any], sizes: dict[Any, int]) -> np.ndarray:
    """Per entry of an array with labels ``among`` its flat place in one with ``labels``."""
    total = np.zeros([sizes[label] for label in among], np.int64)
    for label in labels:
        axis = list(among).index(label)
        total = total * sizes[label] + np.arange(sizes[label]).reshape([-1] + [1] * (len(among) - axis - 1))
    return total.reshape(-1)


def spread_by(constant: Any, labels: Sequence[Any], rows: Rows, result: Sequence[Any]) -> Any:
    """What the entries of a product depend on where one factor is ``constant``: only what its zeros leave.

    None where all is left, or where the labels of the constant repeat: there the labels alone say as much.
    """
    if constant is None or not np.ndim(constant) or len(set(labels)) < len(labels):
        return None
    sizes, constant = rows.sizes, np.asarray(constant)
    kept = [k for k, label in enumerate(labels) if constant.shape[k] == sizes[label]]
    mine = [labels[k] for k in kept]
    there = np.nonzero(constant.reshape([constant.shape[k] for k in kept]))
    free = [label for label in dict.fromkeys([*rows.labels, *result]) if label not in mine]
    others = math.prod([sizes[label] for label in free])
    count = len(there[0]) if there else 1
    if count == constant.size or count * others > _limits.DEPENDENCE:
        return None
    place = {label: p[:, None] for label, p in zip(mine, there, strict=True)}
    if free:
        grid = np.indices([sizes[label] for label in free]).reshape(len(free), -1)
        place.update({label: g[None, :] for label, g in zip(free, grid, strict=True)})

    def flat(wanted: Sequence[Any]) -> np.ndarray:
        total = np.zeros((count, others), np.int64)
        for label in wanted:
            total = total * sizes[label] + place[label]
        return total.reshape(-1)

    from scipy.sparse import csr_array

    shape = (math.prod([sizes[label] for label in result]), rows.G.shape[0])
    J = csr_array((np.ones(count * others, bool), (flat(result), flat(rows.labels))), shape)
    return times(J, rows.G)


def distinct(G: Any) -> Any:
    """The rows without those that are empty or there already."""
    G = G[np.diff(G.indptr) > 0]
    G.sort_indices()
    marks = np.random.default_rng(0).integers(1 << 62, size=G.shape[1], dtype=np.uint64)
    lengths = np.diff(G.indptr)
    if not lengths.size:
        return G
    mark = np.add.reduceat(marks[G.indices], G.indptr[:-1]) + lengths.astype(np.uint64)
    _, first, which = np.unique(mark, return_index=True, return_inverse=True)
    twins = G[first[which]]  # equal marks do not prove equal rows
    if np.array_equal(np.diff(twins.indptr), lengths) and np.array_equal(twins.indices, G.indices):
        return G[first]
    return G


def meetings(A: Any, B: Any) -> Any:
    """AᵀB as truth values."""
    from scipy.sparse import csr_array

    n, work = A.shape[1], int((np.diff(A.indptr) * np.diff(B.indptr)).sum())
    if n <= _limits.DENSE_PATTERN and work > n * n:
        return csr_array((A.astype(np.float32).toarray().T @ B.astype(np.float32).toarray()) > 0)
    if work > _limits.MEETINGS:
        raise TooDense(f"about {work} pairs of entries meet")
    return A.T.tocsr() @ B


def probed(run: Callable[[np.ndarray], Any], n: int) -> np.ndarray | None:
    """Per entry of ``run(x)`` the entry of ``x`` that it is a multiple of, -1 where it is constant; None if it is more
    than that. Found by running it on the numbers of the places, and on others to be sure: the last of them are of all
    sizes, and once more with small and large exchanged, so that a small part of another entry shows."""
    rng = np.random.default_rng(n)
    zero = run(np.zeros(n))
    kind = np.finfo(zero.dtype) if zero.dtype.kind == "f" else np.finfo(float)
    zero = np.where(np.isfinite(zero), zero, 0.0)

    def moving(x: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            out = run(x)
        return np.where(np.isfinite(out), out - zero, 0.0)  # what is infinite is a constant: a margin, say

    scale = moving(np.ones(n))
    moved = scale != 0
    counted = moving(np.arange(n) + 1.0)
    with np.errstate(all="ignore"):
        place = np.where(moved, np.rint(counted / np.where(moved, scale, 1)) - 1, -1).astype(np.int64)
    if n == 0 or bool((place >= n).any()) or bool((place[moved] < 0).any()):
        return None
    sizes = rng.uniform(-kind.maxexp / 4, kind.maxexp / 4, n)
    for exponents in (0, sizes, -sizes):
        probe = rng.uniform(0.5, 1.5, n) * 2.0**exponents
        seen = moving(probe)
        if seen[~moved].any():
            return None
        expected = probe[place[moved]]
        rounding = 32 * float(kind.eps) * (np.abs(expected) + np.abs(zero[moved] / scale[moved]))
        if not (np.abs(seen[moved] / scale[moved] - expected) <= rounding).all():
            return None
    return place
