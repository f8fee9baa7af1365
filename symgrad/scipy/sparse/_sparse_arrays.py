"""Sparse arrays whose entries are differentiated, and products with constant ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as _scipy

from ..._array import ARRAYS, to_arrays, to_tensors
from ..._errors import NotDifferentiableError, ShapeError
from ..._limits import bound
from ...autograd import Function
from ...core import Symbol, Tensor, tensor_around, wrap
from .._mirrored import Remembering, floating, refused

# --------------------------------------------- Products with constant sparse arrays: a tensor on either side of ``@``

# The idea to hold: the product is linear, and its transpose a product with the transposed array. So rules of all orders
# are the operation itself. Formulas have the array's entries: there it is dense.


def fitted(g: Any, dtype: Any) -> Any:
    """A gradient of the kind of what it is the gradient of: real, or of fewer digits."""
    if g.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        g = g.real
    return g if g.dtype == dtype else g.to(dtype)


class _Product(Function):
    """``apply(x, A)``: A @ x, for x of one axis or two."""

    @staticmethod
    def forward(ctx: Any, x: Any, A: Any) -> Any:
        ctx.A, ctx.dtype = A, x._data.dtype
        return wrap(np.asarray(A @ x._data))

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return fitted(_Product.apply(g, ctx.A.conj().T), ctx.dtype), None

    @staticmethod
    def jvp(ctx: Any, dx: Any, _: Any) -> Any:
        return _Product.apply(dx, ctx.A)

    @staticmethod
    def vmap(info: Any, in_dims: Any, x: Any, A: Any) -> Any:
        x = np.moveaxis(x, in_dims[0], -1)
        n, count = x.shape[0], x.shape[-1]
        found = _Product.apply(x.reshape((n, -1)), A)
        return found.reshape((found.shape[0], *x.shape[1:-1], count)), x.ndim - 1

    @staticmethod
    def connects(ctx: Any, shape: tuple[int, ...]) -> Any:
        """Which entries of the result depend on which of x: for the patterns of sparse Hessians and Jacobians."""
        from scipy.sparse import csr_array, eye_array, kron

        places = csr_array(ctx.A != 0)
        return places if len(shape) == 1 else csr_array(kron(places, eye_array(shape[1], dtype=bool)))


def product(a: Any, b: Any) -> Any:
    """``a @ b``, of which one is a sparse array of SciPy's and the other a tensor."""
    if not _scipy.issparse(a):
        if len(a.shape) > 1:
            return product(b.T, a.mT).mT
        return product(b.T, a)
    shape = tuple(b.shape)
    if a.ndim != 2 or len(shape) not in (1, 2) or shape[0] != a.shape[1]:
        raise ShapeError(
            "a product with a sparse array takes vectors and matrices whose sizes fit",
            f"The sparse array has the shape {tuple(a.shape)}, the tensor {shape}.",
            "Give A @ x an x of as many rows as A has columns, x @ A one of as many columns as A has rows.",
        )  # fmt: skip
    if type(b) is Symbol:
        return _dense(a) @ b
    return _Product.apply(b, a.tocsr(copy=True))


def operation(sign: str, a: Any, b: Any) -> Any:
    """``a * b`` and its kind, of which one is a sparse array, SciPy's or ours, and the other a tensor or an array.

    SciPy's own operators are asked first where its array stands on the left: they leave only products ``@``, sums and
    differences to the right side.
    """
    if sign not in _OPERATORS:
        raise refused(f"sparse: {sign} of a sparse array", "It is not written.", "Write A.toarray().")
    name = _OPERATORS[sign]
    if hasattr(type(b), "_multiplies_tensors"):
        return getattr(b, f"__r{name}__")(a)
    if hasattr(type(a), "_multiplies_tensors"):
        return getattr(a, f"__{name}__")(b)
    if sign == "@":
        found = product(*[v if _scipy.issparse(v) else to_tensors(v) for v in (a, b)])
        return to_arrays(found) if type(a) in ARRAYS or type(b) in ARRAYS else found
    if _scipy.issparse(b):
        return getattr(SparseArray.of(b), f"__r{name}__")(a)
    return getattr(SparseArray.of(a), f"__{name}__")(b)


_OPERATORS = {"@": "matmul", "*": "mul", "+": "add", "-": "sub", "/": "truediv"}


DENSE = bound(1 << 16)
"""Places of a constant sparse array up to which a formula has it as a dense one."""


def _dense(A: Any) -> np.ndarray:
    """The entries of a sparse array, for a formula."""
    if A.shape[0] * A.shape[1] > DENSE:
        raise NotDifferentiableError(
            "a formula has no sparse arrays",
            f"The array is {A.shape[0]} × {A.shape[1]}, and its entries are too many to stand in one.",
            "Call grad, jacobian or hessian on numbers, or take a smaller one.",
        )  # fmt: skip
    return np.asarray(A.toarray())


# -------------------- Sparse arrays whose entries are differentiated: numbers of SciPy's format, and where they stand

# The idea to hold: the pattern is constant, the entries are one vector. A product's gradient in an entry is a product
# of two numbers, so that nothing dense is ever made.


class SparsityPattern:
    """Where the entries stand, and of which size the array is."""

    rows: np.ndarray
    cols: np.ndarray
    shape: tuple[int, int]

    def __init__(self, rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> None:
        self.rows, self.cols, self.shape = np.asarray(rows, np.intp), np.asarray(cols, np.intp), shape

    @property
    def turned(self) -> SparsityPattern:
        """That of the transpose."""
        return SparsityPattern(self.cols, self.rows, self.shape[::-1])

    @property
    def places(self) -> np.ndarray:
        """Where the entries stand, counted row by row."""
        return self.rows * self.shape[1] + self.cols

    def in_order(self) -> tuple[SparsityPattern, np.ndarray]:
        """The pattern with one entry in each place, row by row, and of each entry which of them it is."""
        places, entry = np.unique(self.places, return_inverse=True)
        return SparsityPattern(*divmod(places, max(self.shape[1], 1)), self.shape), entry

    def filled(self, data: np.ndarray) -> Any:
        """SciPy's array of these entries; those that stand in one place are added."""
        return _scipy.csr_array((data, (self.rows, self.cols)), shape=self.shape)

    def of_products(self, left: Any, right: Any) -> Any:
        """The entries of ``left @ right.T``, at the places of the pattern only."""
        found = left[self.rows] * right[self.cols]
        return found if len(left.shape) == 1 else found.sum(-1)


class _Weighted(Function):
    """``apply(data, x, pattern)``: the product of the array of these entries with x, of one axis or two."""

    @staticmethod
    def forward(ctx: Any, data: Any, x: Any, pattern: SparsityPattern) -> Any:
        ctx.save_for_backward(data, x)
        ctx.pattern = pattern
        return wrap(np.asarray(pattern.filled(data._data) @ x._data))

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        data, x = ctx.saved_tensors
        of_data, of_x, _ = ctx.needs_input_grad
        pattern = ctx.pattern
        d_data = fitted(pattern.of_products(g, x.conj()), data.dtype) if of_data else None
        d_x = fitted(_Weighted.apply(data.conj(), g, pattern.turned), x.dtype) if of_x else None
        return d_data, d_x, None

    @staticmethod
    def jvp(ctx: Any, d_data: Any, dx: Any, _: Any) -> Any:
        data, x = ctx.saved_tensors
        parts = [] if d_data is None else [_Weighted.apply(d_data, x, ctx.pattern)]
        parts += [] if dx is None else [_Weighted.apply(data, dx, ctx.pattern)]
        return sum(parts[1:], parts[0])


class SparseArray(Remembering):
    """A sparse matrix of differentiated entries: what `coo_array` and its kind return for tensors, and ``lam * A``.

    Sums, differences and products of sparse arrays and numbers, ``A @ x`` and ``x @ A``, ``A.T``, ``multiply``,
    ``A[i]``, ``sum``, ``diagonal()``, ``toarray()``; solutions of systems are in `symgrad.scipy.sparse.linalg`. Entries
    that stand in one place count as their sum. There is one format, so that ``tocsc()`` is the array itself. Of SciPy's
    matrices (`csr_matrix`, `eye`) it is one: then ``A * B`` is the product ``A @ B``.

    Attributes
    ----------
    data : the entries, a tensor or an array
    coords : their rows and their columns
    shape, dtype, ndim, nnz : as of SciPy's arrays
    """

    __array_ufunc__ = None  # NumPy's arrays leave products to the methods here
    __array_priority__: float = 20.0
    ndim = 2
    format = "coo"
    _multiplies_tensors = True

    data: Any

    def __init__(self, data: Any, pattern: SparsityPattern, matrix: bool = False) -> None:
        self.data, self._pattern, self._matrix = data, pattern, matrix

    @classmethod
    def of(cls, a: Any) -> SparseArray:
        """What is sparse, or a dense matrix, as one of these."""
        if isinstance(a, SparseArray):
            return a
        if _scipy.issparse(a):
            coo = a.tocoo()
            entries = np.asarray(floating(coo.data))
            return cls(entries, SparsityPattern(coo.row, coo.col, coo.shape), isinstance(a, _scipy.spmatrix))
        own = a if isinstance(a, Tensor) or type(a) in ARRAYS else floating(a)
        n, m = np.shape(to_tensors(own))
        rows, cols = np.indices((n, m))
        places = SparsityPattern(rows.reshape(-1), cols.reshape(-1), (n, m))
        return cls(own.reshape((-1,)), places)

    def _with(self, data: Any, pattern: SparsityPattern | None = None) -> SparseArray:
        return SparseArray(data, pattern or self._pattern, self._matrix)

    @property
    def coords(self) -> tuple[np.ndarray, np.ndarray]:
        return self._pattern.rows, self._pattern.cols

    @property
    def shape(self) -> tuple[int, int]:
        return self._pattern.shape

    @property
    def nnz(self) -> int:
        return len(self._pattern.rows)

    @property
    def dtype(self) -> Any:
        return to_tensors(self.data).dtype

    @property
    def _numbers(self) -> np.dtype[Any]:
        """The dtype as NumPy's: of the ones that entries are multiplied with."""
        return np.dtype(self.dtype)

    @property
    def T(self) -> SparseArray:
        return self._with(self.data, self._pattern.turned)

    def transpose(self) -> SparseArray:
        """The rows as columns."""
        return self.T

    def conj(self) -> SparseArray:
        """The conjugate entries."""
        return self._with(np.conj(self.data))

    def copy(self) -> SparseArray:
        """The array itself: it is never written to."""
        return self

    tocsr = copy
    tocsc = copy
    tocoo = copy
    tolil = copy
    todok = copy
    todia = copy
    tobsr = copy

    def asformat(self, format: Any, copy: bool = False) -> SparseArray:
        """The array itself, whichever format is asked for."""
        return self

    def __repr__(self) -> str:
        return f"<SparseArray of {self.nnz} entries, {self.shape[0]} × {self.shape[1]}, {self.dtype}>"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(_scipy.csr_array, name):
            raise refused(f"sparse: {name} of differentiated entries", "It is not written.", "Write A.toarray().")
        raise AttributeError(f"'SparseArray' object has no attribute {name!r}", name=name, obj=self)

    def toarray(self) -> Any:
        """All entries, differentiable: a dense array or tensor."""
        return self @ np.eye(self.shape[1], dtype=self._numbers)

    todense = toarray

    def diagonal(self, k: int = 0) -> Any:
        """The k-th diagonal, differentiable."""
        rows, cols = self.coords
        on = np.flatnonzero(cols - rows == k)
        count = max(min(self.shape[0] + min(k, 0), self.shape[1] - max(k, 0)), 0)
        places = SparsityPattern(rows[on] + min(k, 0), np.zeros(len(on), int), (count, 1))
        return self._with(self.data[on], places) @ np.ones(1, self._numbers)

    def trace(self) -> Any:
        """The sum of the diagonal."""
        return self.diagonal().sum()

    def sum(self, axis: int | None = None) -> Any:
        """The sum of all entries, or of those of each column (axis 0) or row; of a matrix it keeps two axes."""
        if axis is None:
            return self.data.sum()
        by_rows = axis % 2 == 1
        along = self if by_rows else self.T
        found = along @ np.ones(along.shape[1], self._numbers)
        return found.reshape((-1, 1) if by_rows else (1, -1)) if self._matrix else found

    def __getitem__(self, key: Any) -> Any:
        own = summed(self)
        numbers = _scipy.csr_array((np.arange(own.nnz) + 1, own.coords), shape=self.shape)[key]
        if not _scipy.issparse(numbers):  # one entry, or some by their places
            at = np.atleast_2d(numbers) if self._matrix and np.ndim(numbers) else np.asarray(numbers)
            return np.concatenate([np.zeros(1, self._numbers), own.data])[at]
        flat = numbers.ndim == 1
        coo = numbers.reshape((1, -1)).tocoo() if flat else numbers.tocoo()
        found = self._with(own.data[coo.data - 1], SparsityPattern(coo.row, coo.col, coo.shape))
        return found.toarray()[0] if flat and not self._matrix else found

    def __setitem__(self, key: Any, value: Any) -> None:
        raise refused("sparse: writing to a sparse array", "", "Give all entries to coo_array, or add one: A + B.")

    # ------------------------------------------------------------------------------------------ products and sums

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, SparseArray) or _scipy.issparse(x):
            return _sparse_product(self, SparseArray.of(x))
        data, operand = tensor_around(to_tensors(self.data)), tensor_around(floating(to_tensors(x)))
        if len(operand.shape) not in (1, 2) or operand.shape[0] != self.shape[1]:
            raise ShapeError(
                "a product with a sparse array takes vectors and matrices whose sizes fit",
                f"The sparse array is {self.shape[0]} × {self.shape[1]}, the other {tuple(operand.shape)}.",
                "Give the other as many rows as the sparse array has columns.",
            )  # fmt: skip
        found = _Weighted.apply(data, operand, self._pattern)
        return to_arrays(found) if type(self.data) in ARRAYS or type(x) in ARRAYS else found

    def dot(self, x: Any) -> Any:
        """``A @ x``, of a number ``A * x``."""
        return self * x if _is_number(x) else self @ x

    def __rmatmul__(self, x: Any) -> Any:
        if _scipy.issparse(x):
            return SparseArray.of(x) @ self
        if np.ndim(to_tensors(x)) < 2:
            return self.T @ x
        found = self.T @ np.swapaxes(x, -1, -2)
        return np.swapaxes(found, -1, -2)

    def multiply(self, other: Any) -> SparseArray:
        """The products of entries with a number, with what broadcasts to this shape, or with another sparse array."""
        if _is_sparse(other):
            return _entry_products(self, SparseArray.of(other))
        if not np.ndim(to_tensors(other)):
            return self._with(self.data * other)
        rows, cols = self.coords
        return self._with(self.data * np.broadcast_to(other, self.shape)[rows, cols])

    def __mul__(self, other: Any) -> Any:
        return self @ other if self._matrix and not _is_number(other) else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return other @ self if self._matrix and not _is_number(other) else self.multiply(other)

    def __rtruediv__(self, other: Any) -> SparseArray:
        raise refused("sparse: a quotient by a sparse array", "Outside the entries it is x/0.", "Write A.toarray().")

    def __truediv__(self, other: Any) -> SparseArray:
        if _is_sparse(other):
            raise refused("sparse: quotients of sparse arrays", "Outside the entries is 0/0.", "Write A.toarray().")
        return self.multiply(1 / other)

    def power(self, n: Any) -> SparseArray:
        """The entries' powers; n is a number other than 0."""
        own = summed(self)
        return own._with(own.data**n)

    def __neg__(self) -> SparseArray:
        return self._with(-self.data)

    def __pos__(self) -> SparseArray:
        return self

    def __add__(self, other: Any) -> Any:
        if not _is_sparse(other):
            if not np.ndim(to_tensors(other)) and not np.any(other):  # the start of Python's sum
                return self
            return self.toarray() + self._dense_summand(other)
        other = SparseArray.of(other)
        if other.shape != self.shape:
            raise ShapeError(
                "sparse arrays of different shapes are added", f"They are {self.shape}, {other.shape}.",
                "Make both with one shape=.",
            )  # fmt: skip
        p, q = self._pattern, other._pattern
        places = SparsityPattern(np.concatenate([p.rows, q.rows]), np.concatenate([p.cols, q.cols]), self.shape)
        return self._with(np.concatenate([self.data, other.data]), places)

    __radd__ = __add__

    def _dense_summand(self, other: Any) -> Any:
        if np.ndim(to_tensors(other)):
            return other
        raise refused("sparse: a sum with a number", "It would be in all places.", "Write A.toarray() + c.")

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other


def _is_sparse(a: Any) -> bool:
    return isinstance(a, SparseArray) or bool(_scipy.issparse(a))


def _is_number(a: Any) -> bool:
    return not _is_sparse(a) and not np.ndim(to_tensors(a))


def _is_constant(a: SparseArray) -> bool:
    return type(a.data) is np.ndarray


def summed(a: SparseArray) -> SparseArray:
    """The same array with one entry in each place, row by row."""
    pattern, entry = a._pattern.in_order()
    count = len(pattern.rows)
    if count == a.nnz:
        return a._with(a.data[np.argsort(entry)], pattern)
    sums = _scipy.csr_array((np.ones(a.nnz, a._numbers), (entry, np.arange(a.nnz))), shape=(count, a.nnz))
    return a._with(sums @ a.data, pattern)


def _sparse_product(a: SparseArray, b: SparseArray) -> SparseArray:
    """The product of two: an entry of each for every place of the sum, added where they land in one place.

    With one of them constant it is linear in the other's entries: a product with a constant array.
    """
    if a.shape[1] != b.shape[0]:
        raise ShapeError("a product of sparse arrays takes sizes that fit", f"They are {a.shape} and {b.shape}.",
                         "Give the second as many rows as the first has columns.")  # fmt: skip
    (rows, inner), (inner_b, cols) = a.coords, b.coords
    order = np.argsort(inner_b, kind="stable")
    counts = np.bincount(inner_b, minlength=b.shape[0])
    starts, each = np.cumsum(counts) - counts, counts[inner]
    of_a = np.repeat(np.arange(a.nnz), each)
    of_b = order[np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each) + starts[inner[of_a]]]
    every = SparsityPattern(rows[of_a], cols[of_b], (a.shape[0], b.shape[1]))
    if not (_is_constant(a) or _is_constant(b)):
        return summed(a._with(a.data[of_a] * b.data[of_b], every))
    pattern, entry = every.in_order()
    known, at, other, of_other = (a, of_a, b, of_b) if _is_constant(a) else (b, of_b, a, of_a)
    sums = _scipy.csr_array((known.data[at], (entry, of_other)), shape=(len(pattern.rows), other.nnz))
    return a._with(sums @ other.data, pattern)


def _entry_products(a: SparseArray, b: SparseArray) -> SparseArray:
    """The products of entries that stand in one place."""
    if a.shape != b.shape:
        raise ShapeError("products of entries take arrays of one shape", f"They are {a.shape} and {b.shape}.",
                         "Make both with one shape=.")  # fmt: skip
    a, b = summed(a), summed(b)
    _, of_a, of_b = np.intersect1d(a._pattern.places, b._pattern.places, assume_unique=True, return_indices=True)
    rows, cols = a.coords
    return a._with(a.data[of_a] * b.data[of_b], SparsityPattern(rows[of_a], cols[of_a], a.shape))
