"""Which columns (or rows) of a sparse matrix can be computed together: those of which no two meet in a row.

The idea to hold: columns of one colour are added up, and the matrix is multiplied by the sums only. If no two of them
have an entry in the same row, every entry stands alone in its product, and is read off there. Rows are the columns of
the transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from .._errors import ShapeError
from ._colour import ColouringError


def column_colours(pattern: Any) -> np.ndarray:
    """Colour the columns of a pattern so that no two of one colour have an entry in the same row.

    Parameters
    ----------
    pattern : m×n ``scipy.sparse`` matrix; what is stored counts, whatever its value

    Returns
    -------
    n whole numbers from 0 on.

    Notes
    -----
    Cost: for bands, a few passes over the entries; else time in proportion to entries times colours / 64. The fullest
    row needs as many colours as it has entries; a few more than that are tried in turn, which is best for grids and
    for several fields on one line. Columns else get the first colour that is free, in their order or by the number of
    their entries, whichever is better. The idea is that of Curtis, Powell and Reid, *On the estimation of
    sparse Jacobian matrices*, J. Inst. Maths Applics 13 (1974).

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> column_colours(csr_array(np.tri(5, k=1) * np.tri(5, k=1).T))
    array([0, 1, 2, 0, 1])
    """
    rows, columns, (m, n) = _places(pattern)
    if not rows.size:
        return np.zeros(n, np.int64)
    least = fullest(rows)
    best = _periodic(rows, columns, n, least)
    if best is not None and (best.max() < least or rows.size > _limits.PERIOD_TAKEN):
        return best
    if rows.size * least > _limits.COLOUR_BITS:
        return np.arange(n) if best is None else best
    order = np.argsort(columns, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=n))])
    in_column = rows[order].tolist()
    turns = [np.arange(n), np.argsort(-np.diff(starts), kind="stable")]
    tried = [_first_free(turn.tolist(), in_column, starts.tolist(), m) for turn in turns]
    tried += [] if best is None else [best]
    best = min(tried, key=np.max)
    for count in range(least, min(least + _limits.PERIODS, int(best.max()) + 1)):
        found = _next_free(in_column, starts.tolist(), m, count)
        if found is not None:
            return found
    return best


def fullest(lines: np.ndarray) -> int:
    """How many entries the fullest line has: so many colours are needed at least."""
    return int(np.bincount(lines).max()) if lines.size else 0


def _places(pattern: Any) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Rows and columns of the entries, each once."""
    form = pattern.tocsr()
    if not form.has_canonical_format:
        form = form.copy()
        form.sum_duplicates()
    m, n = form.shape
    return np.repeat(np.arange(m), np.diff(form.indptr)), form.indices.astype(np.int64), (m, n)


def _alone(rows: np.ndarray, columns: np.ndarray, colours: np.ndarray, count: int) -> bool:
    """Whether no two columns of one colour meet in a row."""
    key = np.sort(rows * count + colours[columns])
    return not bool((key[1:] == key[:-1]).any())


def _periodic(rows: np.ndarray, columns: np.ndarray, n: int, least: int) -> np.ndarray | None:
    """Colours that repeat with the shortest period that will do."""
    if least <= _limits.PERIOD:
        for period in range(least, least + _limits.PERIODS):
            colours = np.arange(n) % period
            if _alone(rows, columns, colours, period):
                return colours
    return None


def _first_free(order: list[int], in_column: list[int], starts: list[int], m: int) -> np.ndarray:
    """Give each column in turn the first colour that its rows do not have yet; a row has its colours in the bits of a
    number."""
    used = [0] * m
    colours = [0] * len(order)
    for v in order:
        near = in_column[starts[v] : starts[v + 1]]
        taken = 0
        for r in near:
            taken |= used[r]
        free = ~taken & (taken + 1)
        colours[v] = free.bit_length() - 1
        for r in near:
            used[r] |= free
    return np.array(colours, np.int64)


def _next_free(in_column: list[int], starts: list[int], m: int, count: int) -> np.ndarray | None:
    """Give each column the next colour, of so many in turn, that its rows do not have yet; None if there is none."""
    used = [0] * m
    colours = []
    whole, last = (1 << count) - 1, count - 1
    for v in range(len(starts) - 1):
        near = in_column[starts[v] : starts[v + 1]]
        taken = 0
        for r in near:
            taken |= used[r]
        free = whole & ~taken
        if not free:
            return None
        free = (free >> last + 1 << last + 1) or free
        free &= -free
        last = free.bit_length() - 1
        colours.append(last)
        for r in near:
            used[r] |= free
    return np.array(colours, np.int64)


class Grouping:
    """Columns or rows of a sparse matrix in groups of one colour, and where its entries stand in the products.

    Parameters
    ----------
    pattern : m×n ``scipy.sparse.csr_array``, canonical
    colours : one per column, or per row if ``by_rows``

    Attributes
    ----------
    count : the number of colours
    by_rows : whether rows are added up: the products are then with the transpose

    Raises
    ------
    ColouringError : two columns (rows) of one colour meet

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> J = np.array([[1.0, 2, 0, 0], [0, 3, 4, 0], [0, 0, 5, 6]])
    >>> groups = Grouping(csr_array(J), column_colours(csr_array(J)))
    >>> groups.seeds(range(groups.count))
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.]])
    >>> data = np.zeros(6)
    >>> groups.read(data, groups.seeds(range(2)) @ J.T, range(2))
    >>> data
    array([1., 2., 3., 4., 5., 6.])
    """

    def __init__(self, pattern: Any, colours: Any, by_rows: bool = False) -> None:
        rows, columns, (m, n) = _places(pattern)
        self.pattern, self.by_rows, self.colours = pattern, by_rows, np.asarray(colours, np.int64)
        added, self._across = (rows, columns) if by_rows else (columns, rows)
        if self.colours.shape != (m if by_rows else n,) or (self.colours.size and self.colours.min() < 0):
            raise ShapeError(
                f"there is one colour per {'row' if by_rows else 'column'}, a whole number from 0 on",
                f"The pattern is {m}×{n}, the colours have shape {self.colours.shape}.",
                "Use column_colours(pattern), or that of its transpose.",
            )  # fmt: skip
        self.count = int(self.colours.max()) + 1 if rows.size else 0
        if not _alone(self._across, added, self.colours, self.count):
            raise ColouringError(
                "an entry cannot be told apart from others of its colour",
                f"Two {'rows' if by_rows else 'columns'} of one colour meet.",
                "Use column_colours(pattern), or that of its transpose.",
            )  # fmt: skip
        self._colour = self.colours[added]
        self._order = np.argsort(self._colour, kind="stable")
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(self._colour, minlength=self.count))])

    def seeds(self, chosen: range, dtype: Any = float) -> np.ndarray:
        """The sums of unit vectors for a range of colours, one below the other."""
        return (self.colours == np.arange(chosen.start, chosen.stop)[:, None]).astype(dtype)

    def read(self, data: np.ndarray, products: np.ndarray, chosen: range) -> None:
        """Put the entries of a range of colours, from their products (one per row), at their places in CSR order."""
        here = self._order[self._starts[chosen.start] : self._starts[chosen.stop]]
        data[here] = products[self._colour[here] - chosen.start, self._across[here]]

    def matrix(self, data: np.ndarray) -> Any:
        """The matrix with these entries."""
        from scipy.sparse import csr_array

        p = self.pattern
        return csr_array((data, p.indices.copy(), p.indptr.copy()), p.shape)


def grouping(pattern: Any, by_rows: bool | None = None) -> Grouping:
    """Return the grouping with fewer colours: of the columns (also where both are the same) or of the rows.

    Parameters
    ----------
    pattern : m×n ``scipy.sparse.csr_array``, canonical
    by_rows : which of them, if it is not to be chosen
    """
    if by_rows is not None:
        return Grouping(pattern, column_colours(pattern.T if by_rows else pattern), by_rows)
    rows, columns, _ = _places(pattern)
    narrow, wide = fullest(rows), fullest(columns)
    if wide < narrow:  # the rows may do with fewer
        across = column_colours(pattern.T)
        if across.max() < narrow:
            return Grouping(pattern, across, True)
        along = column_colours(pattern)
    else:
        along = column_colours(pattern)
        if not rows.size or along.max() < wide:
            return Grouping(pattern, along)
        across = column_colours(pattern.T)
    by_rows = bool(across.max() < along.max())
    return Grouping(pattern, across if by_rows else along, by_rows)


__all__ = ["Grouping", "column_colours", "fullest", "grouping"]
