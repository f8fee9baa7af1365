"""Sparse arrays whose entries are differentiated, and products with constant ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as _scipy

from ..._array import ARRAYS, to_arrays, to_tensors
from ..._errors import NotDifferentiableError, ShapeError
from ..._limits import bound
from ...autograd import Function
from ...core import Symbol, Tensor, wrap
from ...ops import named
from .._mirrored import called_as, floating, is_differentiated, refused

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
    from scipy.sparse import issparse

    if hasattr(type(a), "_multiplies_tensors"):
        return a @ b
    if hasattr(type(b), "_multiplies_tensors"):
        return b.__rmatmul__(a)
    if not issparse(a):
        if len(a.shape) > 1:
            return product(b.T, a.mT).mT
        return product(b.T, a)
    shape = tuple(b.shape)
    if a.ndim != 2 or len(shape) not in (1, 2) or shape[0] != a.shape[1]:
        raise ShapeError(
            "a product with a sparse array takes vectors and matrices whose sizes fit",
            f"The sparse array has the shape {tuple(a.shape)}, the tensor {shape}.",
            "",
        )  # fmt: skip
    if type(b) is Symbol:
        return _dense(a) @ b
    return _Product.apply(b, a.tocsr(copy=True))


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


class Pattern:
    """Where the entries stand, and of which size the array is."""

    def __init__(self, rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> None:
        self.rows, self.cols, self.shape = np.asarray(rows, np.intp), np.asarray(cols, np.intp), shape

    @property
    def turned(self) -> Pattern:
        """That of the transpose."""
        return Pattern(self.cols, self.rows, self.shape[::-1])

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
    def forward(ctx: Any, data: Any, x: Any, pattern: Pattern) -> Any:
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


class SparseArray:
    """A sparse matrix of differentiated entries: what `coo_array` and its kind return for tensors.

    ``A @ x`` and ``x @ A``, sums, multiples, ``A.T``, ``toarray()``, ``diagonal()``; solutions of systems are in
    `symgrad.scipy.sparse.linalg`. Entries that stand in one place count as their sum.

    Attributes
    ----------
    data : the entries, a tensor or an array
    coords : their rows and their columns
    shape, dtype, ndim, nnz : as of SciPy's arrays
    """

    __array_ufunc__ = None  # NumPy's arrays leave products to the methods here
    __array_priority__ = 20.0
    ndim = 2
    _multiplies_tensors = True

    def __init__(self, data: Any, pattern: Pattern) -> None:
        self.data, self._pattern = data, pattern

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
    def T(self) -> SparseArray:
        return SparseArray(self.data, self._pattern.turned)

    def transpose(self) -> SparseArray:
        """The rows as columns."""
        return self.T

    def __repr__(self) -> str:
        return f"<SparseArray of {self.nnz} entries, {self.shape[0]} × {self.shape[1]}, {self.dtype}>"

    def toarray(self) -> Any:
        """All entries, differentiable: a dense array or tensor."""
        return self @ np.eye(self.shape[1])

    def diagonal(self) -> Any:
        """The diagonal, differentiable."""
        on = np.flatnonzero(self._pattern.rows == self._pattern.cols)
        n = min(self.shape)
        places = Pattern(self._pattern.rows[on], np.zeros(len(on), int), (n, 1))
        return SparseArray(self.data[on], places) @ np.ones(1)

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, SparseArray) or _scipy.issparse(x):
            raise refused("sparse: products of two sparse arrays", "", "Multiply vectors: A @ (B @ x).")
        data, operand = to_tensors(self.data), to_tensors(x)
        operand = operand if isinstance(operand, Tensor) else wrap(np.asarray(floating(operand)))
        if len(operand.shape) not in (1, 2) or operand.shape[0] != self.shape[1]:
            raise ShapeError(
                "a product with a sparse array takes vectors and matrices whose sizes fit",
                f"The sparse array is {self.shape[0]} × {self.shape[1]}, the other {tuple(operand.shape)}.", "",
            )  # fmt: skip
        found = _Weighted.apply(data, operand, self._pattern)
        return to_arrays(found) if type(self.data) in ARRAYS or type(x) in ARRAYS else found

    def dot(self, x: Any) -> Any:
        """``A @ x``."""
        return self @ x

    def __rmatmul__(self, x: Any) -> Any:
        if np.ndim(to_tensors(x)) < 2:
            return self.T @ x
        found = self.T @ np.swapaxes(x, -1, -2)
        return np.swapaxes(found, -1, -2)

    def __mul__(self, c: Any) -> SparseArray:
        if np.ndim(to_tensors(c)):
            raise refused("sparse: products of entries", "", "Multiply with a number, or change the entries first.")
        return SparseArray(self.data * c, self._pattern)

    __rmul__ = __mul__

    def __truediv__(self, c: Any) -> SparseArray:
        return self * (1 / c)

    def __neg__(self) -> SparseArray:
        return self * -1.0

    def __add__(self, other: Any) -> SparseArray:
        if _scipy.issparse(other):
            coo = other.tocoo()
            other = SparseArray(np.asarray(floating(coo.data)), Pattern(coo.row, coo.col, coo.shape))
        if not isinstance(other, SparseArray):
            raise refused("sparse: sums with dense arrays", "", "Write A.toarray() + B.")
        if other.shape != self.shape:
            raise ShapeError(
                "sparse arrays of different shapes are added", f"They are {self.shape}, {other.shape}.", ""
            )
        p, q = self._pattern, other._pattern
        places = Pattern(np.concatenate([p.rows, q.rows]), np.concatenate([p.cols, q.cols]), self.shape)
        return SparseArray(np.concatenate([self.data, other.data]), places)

    __radd__ = __add__

    def __sub__(self, other: Any) -> SparseArray:
        return self + other * -1.0

    def __rsub__(self, other: Any) -> SparseArray:
        return -self + other


# --------------------------------------------------------------------------------------------------- SciPy's names


def _made(kind: str, arg1: Any, shape: Any) -> Any:
    parts = arg1 if isinstance(arg1, tuple) else (arg1,)
    if isinstance(arg1, SparseArray):
        return arg1
    if not any(is_differentiated(v) for v in parts):
        return NotImplemented
    if not isinstance(arg1, tuple):
        raise refused(
            f"sparse.{kind} of a dense array", "Its pattern would hang on its values.", "Pass (data, (i, j))."
        )
    if len(arg1) == 3:
        data, indices, starts = arg1
        outer = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        rows, cols = (outer, np.asarray(indices)) if kind == "csr_array" else (np.asarray(indices), outer)
    else:
        data, (rows, cols) = arg1
        rows, cols = np.asarray(rows), np.asarray(cols)
    _expect_places(kind, to_tensors(data), rows, cols)
    if shape is None:
        shape = tuple(int(p.max(initial=-1)) + 1 for p in (rows, cols))
    pattern = Pattern(rows, cols, tuple(map(int, shape)))  # type: ignore[arg-type]
    pattern.filled(np.zeros(len(rows)))  # SciPy says what is wrong with the places
    return SparseArray(data, pattern)


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
    arg1 : ``(data, (rows, columns))``{more}; data is differentiable, places are constants. Without a
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
    ...     return (sp.sparse.{name}((d, ([0, 1, 1], [0, 0, 1]))) @ np.array([1.0, 2.0])).sum()
    >>> sg.grad(f)(np.ones(3))
    array([1., 1., 2.])
    """


def _array_of(kind: str, more: str) -> Callable[..., Any]:
    def array(arg1: Any, shape: Any, **further: Any) -> Any:
        return _made(kind, arg1, shape)

    return called_as(getattr(_scipy, kind))(named(array, kind, _DOC.format(name=kind, more=more)))


coo_array = _array_of("coo_array", "")
csr_array = _array_of("csr_array", " or ``(data, columns, starts)``")
csc_array = _array_of("csc_array", " or ``(data, rows, starts)``")


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
        data.append(d * np.ones(count))
        rows.append(np.arange(count) + max(-k, 0))
        cols.append(np.arange(count) + max(k, 0))
    pattern = Pattern(np.concatenate(rows), np.concatenate(cols), (int(shape[0]), int(shape[1])))
    return SparseArray(np.concatenate(data), pattern)
