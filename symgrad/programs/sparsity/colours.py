"""Colourings: which columns (or rows) of a sparse matrix can be computed together, and taken apart again."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _limits
from ..._errors import ShapeError, SymgradError

# -------------------------------------------------------------------------------------------------------------------
# Star colourings: which columns of a sparse symmetric matrix can be computed together, and taken apart again

# The idea to hold: columns of one colour are added up, and the matrix is multiplied by the sums only. An entry (i, j)
# can be read off if j is the only column of its colour in row i, or i the only one of its colour in row j. A colouring
# of which that is true everywhere is a star colouring: what makes it valid also tells where to read.


class ColouringError(SymgradError, ValueError):
    """Two entries of a matrix cannot be told apart by the colours of its columns."""


class _Pattern:
    """A symmetric pattern: rows and columns of its entries, in CSR order, and which entry mirrors which."""

    def __init__(self, pattern: Any) -> None:
        from scipy.sparse import csr_array

        if pattern.ndim != 2 or pattern.shape[0] != pattern.shape[1]:
            raise ShapeError(
                "a pattern of second derivatives is square", f"Its shape is {pattern.shape}.",
                "Pass an n×n matrix of scipy.sparse.",
            )  # fmt: skip
        form = csr_array((np.ones(pattern.nnz, bool), pattern.indices, pattern.indptr), pattern.shape, copy=True)
        form.sum_duplicates()
        self.n = form.shape[0]
        self.indptr, self.indices = form.indptr, form.indices
        self.rows = np.repeat(np.arange(self.n), np.diff(form.indptr))
        self.columns = form.indices.astype(np.int64)
        numbered = csr_array((np.arange(form.nnz), form.indices, form.indptr), form.shape).tocsc()
        self.mirror = numbered.data
        if not (np.array_equal(numbered.indptr, form.indptr) and np.array_equal(numbered.indices, form.indices)):
            k = np.flatnonzero((self.rows[self.mirror] != self.columns) | (self.columns[self.mirror] != self.rows))[0]
            raise ShapeError(
                "a pattern of second derivatives is symmetric",
                f"Near entry ({self.rows[k]}, {self.columns[k]}) there is an entry without its mirror image.",
                "Pass pattern + pattern.T.",
            )  # fmt: skip

    def alone(self, colours: np.ndarray, count: int) -> np.ndarray:
        """Per entry whether its column is the only one of its colour in its row."""
        key = self.rows * count + colours[self.columns]
        if self.n * count <= _limits.COUNTED_COLOURS * key.size + _limits.TABLE_ROOM:
            return np.bincount(key, minlength=self.n * count)[key] == 1
        _, which, times = np.unique(key, return_inverse=True, return_counts=True)
        return times[which] == 1

    def readable(self, colours: np.ndarray, count: int) -> np.ndarray:
        """Per entry whether it can be read off, in its row or in its mirror image's."""
        alone = self.alone(colours, count)
        proper = (self.rows == self.columns) | (colours[self.rows] != colours[self.columns])
        return (alone | alone[self.mirror]) & proper


def star_colours(pattern: Any) -> np.ndarray:
    """Colour the columns of a symmetric pattern so that its entries can be recovered from sums of columns.

    Parameters
    ----------
    pattern : n×n ``scipy.sparse`` matrix in CSR form, symmetric; what is stored counts, whatever its value

    Returns
    -------
    n whole numbers from 0 on: two columns that meet in an entry differ, and on every path of four there are three
    colours.

    Raises
    ------
    ShapeError : the pattern is not square or not symmetric

    Notes
    -----
    Cost: for bands, blocks and some grids, whose colours repeat with a period, a few passes over the entries; else time
    in proportion to entries times colours, also where a row is full (an arrow takes two colours). Patterns so dense
    that this would take seconds get a colour per column. The rule is that of
    Gebremedhin, Tarafdar, Manne and Pothen, *New acyclic and star coloring algorithms with application to computing
    Hessians*, SIAM J. Sci. Comput. 29 (2007); the bookkeeping, by counts of neighbours of a colour, is not.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> star_colours(csr_array(np.tri(7, k=1) * np.tri(7, k=1).T))
    array([0, 1, 2, 0, 1, 2, 0])
    """
    p = _Pattern(pattern)
    if not p.n:
        return np.zeros(0, np.int64)
    periodic, narrowest = _periodic(p)
    if periodic is not None and (narrowest or p.rows.size > _limits.PERIOD_TAKEN):
        return periodic
    chosen = np.array(_one_by_one(p), np.int64)
    return chosen if periodic is None or chosen.max() <= periodic.max() else periodic


def _periodic(p: _Pattern) -> tuple[np.ndarray | None, bool]:
    """Colours that repeat with the shortest period that will do, and whether that is as short as most rows are wide."""
    near = np.bincount(p.rows[p.rows != p.columns], minlength=p.n)
    width = int(near.max()) + 1
    if width <= _limits.PERIOD:
        for period in range(width, width + _limits.PERIODS):
            colours = np.arange(p.n) % period
            if p.readable(colours, period).all():
                return colours, period == width and 2 * np.count_nonzero(near == width - 1) >= p.n
    return None, False


def _one_by_one(p: _Pattern) -> list[int]:
    """Give each column in turn the first colour that keeps the colouring a star colouring.

    Per column w: ``count[w]`` says which colours its neighbours have, and which neighbour has it (-1: several);
    ``barred[w]`` are the colours of neighbours x that themselves have several neighbours of w's colour. No neighbour of
    w may take such a colour: it would be the end of a path w', x, w, v of two colours. A column with two neighbours of
    one colour is inside such paths, and must avoid all the colours around those two.
    """
    apart = p.rows != p.columns
    starts = np.concatenate([[0], np.cumsum(np.bincount(p.rows[apart], minlength=p.n))]).tolist()
    neighbours = p.columns[apart].tolist()
    colour = [-1] * p.n
    count: list[dict[int, int]] = [{} for _ in range(p.n)]
    barred: dict[int, set[int]] = {}
    used = steps = 0
    for v in range(p.n):
        near = neighbours[starts[v] : starts[v + 1]]
        k = colour[v] = _first_colour(near, colour, count, barred)
        used, steps = max(used, k + 1), steps + len(near) * used
        if used > _limits.COLOURS and steps > _limits.COLOUR_STEPS:
            return list(range(p.n))
        several = {c for c, z in count[v].items() if z < 0}
        if several:  # v's colour is known from now on
            for z in near:
                if colour[z] in several:
                    barred.setdefault(z, set()).add(k)
        for w in near:
            around = count[w]
            z = around.get(k)
            if z is None:
                around[k] = v
                continue
            around[k] = -1
            if colour[w] >= 0:
                barred.setdefault(v, set()).add(colour[w])
                if z >= 0:
                    barred.setdefault(z, set()).add(colour[w])
    return colour


def _first_colour(
    near: list[int], colour: list[int], count: list[dict[int, int]], barred: dict[int, set[int]]
) -> int:  # fmt: skip
    out: set[int] = set()
    first: dict[int, int] = {}
    for w in near:
        c = colour[w]
        if c < 0:
            continue
        out.add(c)
        if w in barred:
            out |= barred[w]
        u = first.setdefault(c, w)
        if u != w:
            out.update(count[w])
            out.update(count[u])
    k = 0
    while k in out:
        k += 1
    return k


class Recovery:
    """Where each entry of a symmetric sparse matrix stands among the matrix's products with sums of columns.

    Parameters
    ----------
    pattern : n×n ``scipy.sparse`` matrix in CSR form, symmetric
    colours : n whole numbers from 0 on, a star colouring of it

    Attributes
    ----------
    count : the number of colours c
    gather : per entry of the pattern, in CSR order, its place in the products (n×c) read row by row
    indices, indptr : the pattern, its columns in order and each once

    Raises
    ------
    ColouringError : an entry cannot be told apart from others

    Notes
    -----
    Cost: a few passes over the entries, once; then one indexing step per matrix. An entry and its mirror image are read
    from one place, so the matrix is exactly symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> H = np.array([[4.0, 1, 2, 3], [1, 5, 0, 0], [2, 0, 6, 0], [3, 0, 0, 7]])
    >>> recovery = Recovery(csr_array(H), star_colours(csr_array(H)))
    >>> recovery.seeds()
    array([[1., 0.],
           [0., 1.],
           [0., 1.],
           [0., 1.]])
    >>> recovery.matrix(H @ recovery.seeds()).toarray()
    array([[4., 1., 2., 3.],
           [1., 5., 0., 0.],
           [2., 0., 6., 0.],
           [3., 0., 0., 7.]])
    """

    colours: np.ndarray
    count: int
    indices: np.ndarray
    indptr: np.ndarray

    def __init__(self, pattern: Any, colours: Any) -> None:
        p = _Pattern(pattern)
        colours = np.asarray(colours, np.int64)
        if colours.shape != (p.n,) or (p.n and colours.min() < 0):
            raise ShapeError(
                "there is one colour per column, a whole number from 0 on",
                f"The pattern has {p.n} columns, the colours have shape {colours.shape}.", "Use star_colours(pattern).",
            )  # fmt: skip
        self.colours, self.count = colours, int(colours.max()) + 1 if p.n else 0
        self.indices, self.indptr = p.indices, p.indptr
        alone = p.alone(colours, self.count)
        lost = ~(alone | alone[p.mirror])
        if lost.any():
            k = int(np.argmax(lost))
            raise ColouringError(
                f"entry ({p.rows[k]}, {p.columns[k]}) cannot be recovered from sums of columns of one colour",
                f"There are other columns of colour {colours[p.columns[k]]} in row {p.rows[k]}, and of colour "
                f"{colours[p.rows[k]]} in row {p.columns[k]}.",
                "Use star_colours(pattern).",
            )
        own = p.rows * self.count + colours[p.columns]
        best = np.where(alone, own, own[p.mirror])
        self.gather: np.ndarray = np.where(p.rows <= p.columns, best, best[p.mirror])

    def seeds(self, dtype: Any = float) -> np.ndarray:
        """The sums of unit vectors to multiply the matrix by: an n×c array, column k for colour k."""
        return (self.colours[:, None] == np.arange(self.count)).astype(dtype)

    def data(self, products: np.ndarray) -> np.ndarray:
        """The entries in CSR order, from the products with the seeds: an n×c array."""
        n = self.colours.size
        if products.shape != (n, self.count):
            raise ShapeError(
                f"the products with {self.count} seeds are an array of shape {(n, self.count)}",
                f"It has shape {products.shape}.", "Pass H @ recovery.seeds(), one column per colour.",
            )  # fmt: skip
        return np.asarray(products).reshape(-1)[self.gather]

    def matrix(self, products: np.ndarray) -> Any:
        """The matrix as a ``scipy.sparse.csr_array``, from the products with the seeds."""
        from scipy.sparse import csr_array

        n = self.colours.size
        return csr_array((self.data(products), self.indices, self.indptr), (n, n))


# -------------------------------------------------------------------------------------------------------------------
# Which columns (or rows) of a sparse matrix can be computed together: those of which no two meet in a row

# The idea to hold: columns of one colour are added up, and the matrix is multiplied by the sums only. If no two of them
# have an entry in the same row, every entry stands alone in its product, and is read off there. Rows are the columns of
# the transpose.


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
    best = _periodic_columns(rows, columns, n, least)
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


def _periodic_columns(rows: np.ndarray, columns: np.ndarray, n: int, least: int) -> np.ndarray | None:
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

    pattern: Any
    by_rows: bool
    colours: np.ndarray

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
        self.count: int = int(self.colours.max()) + 1 if rows.size else 0
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


def best_grouping(pattern: Any, by_rows: bool | None = None) -> Grouping:
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
