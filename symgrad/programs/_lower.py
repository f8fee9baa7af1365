"""The entries of a matrix that is filled entry by entry, and the sparse matrix they make.

The idea to hold: a matrix of second derivatives is symmetric, so an entry and its mirror image share one slot of the
array that a program fills; a Jacobian is not. The slots depend on the structure alone, and are worked out once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ._grid import Grid


class Landing(NamedTuple):
    """Where the entries of a grid go: which of them are in the matrix, the slot of each of these and whether it counts
    once (off the diagonal), and its weight then (on the diagonal it is twice that)."""

    valid: np.ndarray
    slots: np.ndarray
    off: np.ndarray
    weight: float


class Slots:
    """The slots of a matrix that grids fill, each entry its own.

    Attributes
    ----------
    shape : of the matrix
    slots : flat places, ascending
    landings : per grid where its entries go
    """

    mirrored = False

    def __init__(self, shape: tuple[int, int], grids: Iterable[tuple[Grid, int, int, float, bool]]) -> None:
        """``grids`` come with their first row and column, their weight, and whether rows and columns are the same
        variables."""
        self.shape = shape
        found = []
        for grid, row, column, weight, same in grids:
            rows, columns = grid.rows.reshape(-1), grid.columns.reshape(-1)
            valid = (rows >= 0) & (columns >= 0)
            places, off = self._places(rows[valid] + row, columns[valid] + column)
            found.append((valid, places, off, weight / 2 if same else weight))
        self.slots = distinct(np.concatenate([places for _, places, *_ in found] or [np.zeros(0, np.int64)]))
        self.landings = [Landing(v, np.searchsorted(self.slots, places), off, w) for v, places, off, w in found]

    def _places(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The flat places, and which entries count once."""
        return rows * self.shape[1] + columns, np.ones(len(rows), bool)


class Lower(Slots):
    """The slots on and below the diagonal of a symmetric matrix: an entry and its mirror image share one.

    On the diagonal an entry counts twice; off it, one of the same variables stands for two, of which each gets half.
    """

    mirrored = True

    def _places(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.maximum(rows, columns) * self.shape[1] + np.minimum(rows, columns), rows != columns


def distinct(values: np.ndarray) -> np.ndarray:
    """The different values in ascending order. (NumPy's `unique` takes ten times as long on millions of numbers.)"""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


class Pattern:
    """Where the entries of a sparse matrix are, and which of those computed (below the diagonal, of a symmetric one)
    goes where."""

    def __init__(self, lower: Slots) -> None:
        (m, n), slots = lower.shape, lower.slots
        rows, columns = slots // n, slots % n
        off = np.flatnonzero(rows != columns) if lower.mirrored else np.zeros(0, np.intp)
        every_row = np.concatenate([rows, columns[off]])
        every_column = np.concatenate([columns, rows[off]])
        source = np.concatenate([np.arange(len(slots)), off])
        order = np.argsort(every_row * n + every_column, kind="stable")
        kind = np.int32 if max(m, n, len(order)) < 2**31 else np.int64
        self.shape = (m, n)
        self.indices = every_column[order].astype(kind)
        self.gather = source[order].astype(np.intp)
        self.indptr = np.concatenate([[0], np.cumsum(np.bincount(every_row, minlength=m))]).astype(kind)

    @classmethod
    def of(cls, shape: tuple[int, int], indices: np.ndarray, gather: np.ndarray, indptr: np.ndarray) -> Pattern:
        """The same from its parts."""
        self = cls.__new__(cls)
        self.shape, self.indices, self.gather, self.indptr = shape, indices, gather, indptr
        return self

    def matrix(self, data: np.ndarray) -> Any:
        """The CSR matrix with these values on and below the diagonal; its arrays are nobody else's."""
        from scipy.sparse import csr_array

        arrays = data[self.gather], self.indices.copy(), self.indptr.copy()
        found = csr_array(arrays, shape=self.shape, copy=False)
        found.has_sorted_indices = found.has_canonical_format = True
        return found
