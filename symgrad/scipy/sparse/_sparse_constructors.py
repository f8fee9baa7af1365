"""Sparse arrays of differentiated entries under SciPy's names: how they are given, and put together of others.

The idea to hold: what only moves entries is SciPy's function, of arrays that have the entries' numbers in their places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as _scipy

from ..._array import to_tensors
from ..._errors import ShapeError
from ...ops import named
from ...ops.entries import cast
from .._mirrored import called_as, is_differentiated, refused
from ._sparse_arrays import SparseArray, SparsityPattern, summed

# ------------------------------------------------------------------------------------- given by entries and places


def _made(kind: str, arg1: Any, shape: Any) -> Any:
    matrix = kind.endswith("_matrix")
    if isinstance(arg1, SparseArray):
        return SparseArray(arg1.data, arg1._pattern, matrix)
    parts = arg1 if isinstance(arg1, tuple) else (arg1,)
    if not any(is_differentiated(v) for v in parts):
        return NotImplemented
    if not isinstance(arg1, tuple):
        raise refused(
            f"sparse.{kind} of a dense array", "Its pattern would hang on its values.", "Pass (data, (i, j))."
        )
    if kind.startswith("dia_"):
        if shape is None:
            raise ValueError("expected a shape argument")  # as SciPy
        return _of_columns(arg1[0], arg1[1], shape, matrix)
    if len(arg1) == 3:
        data, indices, starts = arg1
        outer = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        rows, cols = (outer, np.asarray(indices)) if kind.startswith("csr_") else (np.asarray(indices), outer)
    else:
        data, (rows, cols) = arg1
        rows, cols = np.asarray(rows), np.asarray(cols)
    _expect_places(kind, to_tensors(data), rows, cols)
    if shape is None:
        shape = tuple(int(p.max(initial=-1)) + 1 for p in (rows, cols))
    pattern = SparsityPattern(rows, cols, tuple(map(int, shape)))  # type: ignore[arg-type]
    pattern.filled(np.zeros(len(rows)))  # SciPy says what is wrong with the places
    return SparseArray(data, pattern, matrix)


def _expect_places(kind: str, data: Any, rows: Any, cols: Any) -> None:
    if tuple(data.shape) != rows.shape or rows.shape != cols.shape or rows.ndim != 1:
        raise ShapeError(
            f"{kind}: as many rows and columns as entries are needed",
            f"There are {tuple(data.shape)} entries, {rows.shape} rows and {cols.shape} columns.", "",
        )  # fmt: skip


_DOC = """Return a sparse array, as `scipy.sparse.{name}`; of differentiated entries a `SparseArray`.

    Parameters are those of `scipy.sparse.{name}`.

    Parameters
    ----------
    arg1 : {more}; data is differentiable, places are constants. Without a
        differentiated part: whatever SciPy takes
    shape : default: as small as the places allow

    Raises
    ------
    ShapeError : not as many places as entries
    NotDifferentiableError : a dense array that is differentiated

    Notes
    -----
    Cost: products and gradients take as many steps as there are entries.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> def f(d):
    ...     return (sp.sparse.{name}((d, {places}), shape=(2, 2)) @ np.array([1.0, 2.0])).sum()
    >>> sg.grad(f)(np.ones(2))
    array([1., 2.])
    """


class _Made(type):
    """A class under the name of SciPy's, called with what is differentiated too: what is of its kind, SciPy's says."""

    _of: Callable[..., Any]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._of(*args, **kwargs)

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, getattr(_scipy, cls.__name__))

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, getattr(_scipy, cls.__name__))


def _array_of(kind: str, more: str) -> Any:
    scipys = getattr(_scipy, kind)

    @called_as(scipys)
    def array(arg1: Any, shape: Any, **further: Any) -> Any:
        return _made(kind, arg1, shape)

    found = _Made(kind, (), {"_of": staticmethod(array)})
    places = "[0]" if kind.startswith("dia_") else "([0, 1], [0, 1])"
    found.__signature__ = array.__signature__  # type: ignore[attr-defined]
    found.__module__, found.__doc__ = __name__, _DOC.format(name=kind, more=more, places=places)
    return found


_PLACES = "``(data, (rows, columns))``"
coo_array: Any
coo_matrix: Any
csr_array: Any
csr_matrix: Any
csc_array: Any
csc_matrix: Any
dia_array: Any
dia_matrix: Any

coo_array, coo_matrix = (_array_of(f"coo_{kind}", _PLACES) for kind in ("array", "matrix"))
csr_array, csr_matrix = (
    _array_of(f"csr_{kind}", f"{_PLACES} or ``(data, columns, starts)``") for kind in ("array", "matrix")
)
csc_array, csc_matrix = (
    _array_of(f"csc_{kind}", f"{_PLACES} or ``(data, rows, starts)``") for kind in ("array", "matrix")
)
dia_array, dia_matrix = (_array_of(f"dia_{kind}", "``(data, offsets)``") for kind in ("array", "matrix"))


# ------------------------------------------------------------------------------------------------------- diagonals


def _diagonals(diagonals: Any, offsets: Any, shape: Any, matrix: bool) -> Any:
    single = np.ndim(offsets) == 0
    given = [diagonals] if single and np.ndim(to_tensors(diagonals)) <= 1 else list(diagonals)
    if not any(map(is_differentiated, given)):
        return NotImplemented
    places = [int(k) for k in np.atleast_1d(offsets)]
    if shape is None:
        n = np.size(to_tensors(given[0])) + abs(places[0])
        shape = (n, n)
    data, rows, cols = [], [], []
    for k, d in zip(places, given, strict=True):
        count = min(shape[0] + min(k, 0), shape[1] - max(k, 0))
        size = np.size(to_tensors(d))
        if size not in (1, count):
            raise ValueError(f"the diagonal at {k} has {size} entries, and {count} places in an array of {shape}")
        data.append(np.broadcast_to(d, (count,)))
        rows.append(np.arange(count) + max(-k, 0))
        cols.append(np.arange(count) + max(k, 0))
    pattern = SparsityPattern(np.concatenate(rows), np.concatenate(cols), (int(shape[0]), int(shape[1])))
    return SparseArray(np.concatenate(data), pattern, matrix)


@called_as(_scipy.diags_array)
def diags_array(diagonals: Any, offsets: Any, shape: Any, **further: Any) -> Any:
    """Return a sparse array of diagonals, as `scipy.sparse.diags_array`; of differentiated ones a `SparseArray`.

    Parameters are those of `scipy.sparse.diags_array`.

    Parameters
    ----------
    diagonals : one vector for each of the offsets, or one for a single offset; differentiable. A single number fills
        its diagonal

    Raises
    ------
    ValueError : a diagonal of another length than its place

    Notes
    -----
    Cost: that of the entries.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> second = lambda h: sp.sparse.diags_array([1 / h**2, -2 / h**2, 1 / h**2], offsets=[-1, 0, 1], shape=(3, 3))
    >>> sg.grad(lambda h: (second(h) @ np.array([0.0, 1.0, 0.0])).sum())(1.0)
    np.float64(0.0)
    """
    return _diagonals(diagonals, offsets, shape, False)


@called_as(_scipy.diags)
def diags(diagonals: Any, offsets: Any, shape: Any, **further: Any) -> Any:
    """Return a sparse matrix of diagonals, as `scipy.sparse.diags`; of differentiated ones a `SparseArray`.

    It is `diags_array`, but for what ``*`` means: parameters, errors and cost are those. Parameters are those of
    `scipy.sparse.diags`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda w: (sp.sparse.diags(w) @ np.array([1.0, 2.0])).sum())(np.ones(2))
    array([1., 2.])
    """
    return _diagonals(diagonals, offsets, shape, True)


def _of_columns(data: Any, offsets: Any, shape: Any, matrix: bool) -> SparseArray:
    """The array whose entry (j - k, j) is the j-th of the row of data at the offset k."""
    own = data if np.ndim(to_tensors(data)) == 2 else np.stack([data])
    offsets = np.atleast_1d(offsets)
    k, j = np.indices(np.shape(to_tensors(own)))
    rows = j - offsets[k]
    there = (rows >= 0) & (rows < shape[0]) & (j < shape[1])
    pattern = SparsityPattern(rows[there], j[there], (int(shape[0]), int(shape[1])))
    return SparseArray(own[k[there], j[there]], pattern, matrix)


@called_as(_scipy.spdiags)
def spdiags(data: Any, diags: Any, m: Any, n: Any, **further: Any) -> Any:
    """Return a sparse matrix of diagonals in rows, as `scipy.sparse.spdiags`; of differentiated ones a `SparseArray`.

    Parameters are those of `scipy.sparse.spdiags`.

    Parameters
    ----------
    data : (k, n), differentiable: the j-th entry of a row stands in column j

    Notes
    -----
    Cost: that of the entries.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda w: (sp.sparse.spdiags(w, 0, 2, 2) @ np.array([1.0, 2.0])).sum())(np.ones(2))
    array([1., 2.])
    """
    if not is_differentiated(data):
        return NotImplemented
    if m is None and n is None:
        m = n = np.shape(to_tensors(data))[-1]
    return _of_columns(data, diags, (m, n) if n is not None else m, True)


# -------------------------------------------------------------------------------------------------- made of others


def _moves(value: Any) -> bool:
    """Whether there is something differentiated in a block, or in rows of blocks."""
    if isinstance(value, (list, tuple)):
        return any(map(_moves, value))
    return isinstance(value, SparseArray) or is_differentiated(value)


def _rearranged(move: Callable[[Any], Any], blocks: Any, dtype: Any = None) -> Any:
    """What SciPy's function makes of blocks: of their entries' numbers, which say where each came from."""
    parts: list[SparseArray] = []

    def numbered(block: Any) -> Any:
        if block is None:
            return None
        if isinstance(block, (list, tuple)) or (isinstance(block, np.ndarray) and block.dtype == object):
            return [numbered(b) for b in block]
        own = block if _scipy.issparse(block) or isinstance(block, SparseArray) else np.atleast_2d(block)
        part = summed(SparseArray.of(own))
        start = 1 + sum(p.nnz for p in parts)
        parts.append(part)
        kind = _scipy.coo_matrix if part._matrix else _scipy.coo_array
        return kind((np.arange(part.nnz) + start, part.coords), shape=part.shape)

    found = move(numbered(blocks))
    coo = found.tocoo()
    data = cast(np.concatenate([p.data for p in parts])[coo.data - 1], dtype)
    return SparseArray(data, SparsityPattern(coo.row, coo.col, coo.shape), isinstance(found, _scipy.spmatrix))


_MADE_DOC = """Return {says}, as `scipy.sparse.{name}`; of differentiated ones a `SparseArray`.

    Parameters are those of `scipy.sparse.{name}`.

    Raises
    ------
    ValueError : shapes that do not fit, SciPy's

    Notes
    -----
    Entries are moved, and so are their derivatives. Cost: that of the entries.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> eye = sp.sparse.eye(2)
    >>> sg.grad(lambda t: {example}.sum())(3.0)
    np.float64(2.0)
    """


def _made_of(name: str, says: str, example: str) -> Callable[..., Any]:
    original = getattr(_scipy, name)

    def function(**given: Any) -> Any:
        first, *further = given
        if not _moves(given[first]):
            return NotImplemented
        keywords = {k: given[k] for k in further if k != "dtype"}
        return _rearranged(lambda blocks: original(blocks, **keywords), given[first], given.get("dtype"))

    return called_as(original)(named(function, name, _MADE_DOC.format(name=name, says=says, example=example)))


vstack: Callable[..., Any] = _made_of("vstack", "sparse blocks below each other", "sp.sparse.vstack([eye, t * eye])")
hstack: Callable[..., Any] = _made_of("hstack", "sparse blocks beside each other", "sp.sparse.hstack([eye, t * eye])")
bmat: Callable[..., Any] = _made_of(
    "bmat", "a sparse matrix of blocks in rows", "sp.sparse.bmat([[eye, t * eye], [None, eye]])"
)
block_array: Callable[..., Any] = _made_of(
    "block_array", "a sparse array of blocks in rows", "sp.sparse.block_array([[eye, t * eye]])"
)
block_diag: Callable[..., Any] = _made_of(
    "block_diag", "blocks along the diagonal", "sp.sparse.block_diag([eye, t * eye])"
)
tril: Callable[..., Any] = _made_of("tril", "the lower triangle", "sp.sparse.tril(t * eye)")
triu: Callable[..., Any] = _made_of("triu", "the upper triangle", "sp.sparse.triu(t * eye)")


def _kron(A: Any, B: Any) -> SparseArray:
    a, b = SparseArray.of(A), SparseArray.of(B)
    (rows_a, cols_a), (rows_b, cols_b) = a.coords, b.coords
    rows = (rows_a[:, None] * b.shape[0] + rows_b).reshape(-1)
    cols = (cols_a[:, None] * b.shape[1] + cols_b).reshape(-1)
    of_a, of_b = np.indices((a.nnz, b.nnz)).reshape(2, -1)
    shape = a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
    return SparseArray(a.data[of_a] * b.data[of_b], SparsityPattern(rows, cols, shape), a._matrix and b._matrix)


@called_as(_scipy.kron)
def kron(A: Any, B: Any, **further: Any) -> Any:
    """Return the Kronecker product of sparse arrays, as `scipy.sparse.kron`; of differentiated ones a `SparseArray`.

    Parameters are those of `scipy.sparse.kron`.

    Notes
    -----
    Cost: the product of the numbers of entries.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda t: sp.sparse.kron(t * sp.sparse.eye(2), sp.sparse.eye(3)).sum())(1.0)
    np.float64(6.0)
    """
    return _kron(A, B) if _moves([A, B]) else NotImplemented


@called_as(_scipy.kronsum)
def kronsum(A: Any, B: Any, **further: Any) -> Any:
    """Return ``kron(I, A) + kron(B, I)``, as `scipy.sparse.kronsum`; of differentiated ones a `SparseArray`.

    Parameters are those of `scipy.sparse.kronsum`.

    Raises
    ------
    ShapeError : one that is not square

    Notes
    -----
    Cost: that of the entries of the result.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda t: sp.sparse.kronsum(t * sp.sparse.eye(2), sp.sparse.eye(3)).sum())(1.0)
    np.float64(6.0)
    """
    if not _moves([A, B]):
        return NotImplemented
    a, b = SparseArray.of(A), SparseArray.of(B)
    if a.shape[0] != a.shape[1] or b.shape[0] != b.shape[1]:
        raise ShapeError("kronsum takes square arrays", f"They are {a.shape} and {b.shape}.", "")
    return _kron(_scipy.eye(b.shape[0]), a) + _kron(b, _scipy.eye(a.shape[0]))


@called_as(_scipy.issparse)
def issparse(x: Any) -> Any:
    """Return whether a value is a sparse array, SciPy's or a `SparseArray`.

    Parameters are those of `scipy.sparse.issparse`.

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sp.sparse.issparse(sg.tensor(2.0) * sp.sparse.eye(2)), sp.sparse.issparse([1.0])
    (True, False)
    """
    return True if isinstance(x, SparseArray) else NotImplemented
