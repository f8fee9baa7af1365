"""Linear systems of tensors, and functions of matrices that say in a number where they failed instead of raising."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from .._dims import array, many_dims, sizes
from .._public import dims
from .._results import result
from ..create._create import make
from ..entries._elementwise import where
from ..reduce._reduce import sum
from ..shape._diagonal import diagonal
from ..shape._shape import movedim, reshape
from ._cholesky import _bad_minor, linalg_cholesky
from ._linalg import _zero_pivot, conj, inv, solve

# ------------------------------------------------------------------------------------------------------ tensors


@dims
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """Return the products of the vectors along ``dim``, ``sum(conj(x) * y)``; the other dimensions broadcast."""
    return sum(conj(x) * y, dim)


def linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return a view of the diagonals of matrices: `diagonal`, of the last two dimensions by default."""
    return diagonal(A, offset, dim1, dim2)


def tensorinv(A: Any, ind: int = 2) -> Any:
    """Return the tensor B with ``tensordot(A, tensordot(B, C, ind), C.ndim) == C``, ``ind`` counting A's first dims."""
    shape = sizes(A)
    if ind <= 0:
        raise ShapeError("Expected a strictly positive integer for 'ind'", f"It is {ind}.", "Count the dimensions.")
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise ShapeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}", f"The shape is {shape}, ind is {ind}.", "It must be a square matrix in disguise.",
        )  # fmt: skip
    return reshape(inv(reshape(A, (rows, rows))), (*shape[ind:], *shape[:ind]))


def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:
    """Return the solution X of ``tensordot(A, X, X.ndim) == B``; the dimensions ``dims`` of A are moved to its end."""
    if dims is not None:
        moved = many_dims(dims, len(sizes(A)))
        A = movedim(A, moved, tuple(range(-len(moved), 0)))
    shape, size = sizes(A)[len(sizes(B)) :], math.prod(sizes(B))
    if math.prod(shape) != size:
        raise ShapeError(
            f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {math.prod(shape)} != {size}", f"The shapes are {sizes(A)} and {sizes(B)}.", "Check dims.",
        )  # fmt: skip
    return reshape(solve(reshape(A, (size, size)), reshape(B, (size,))), shape)


# ------------------------------------------------------------------------------------------------- without raising


def _reported(fn: Callable[..., Any], A: Any, fails: Callable[[np.ndarray], int], check: bool) -> tuple[Any, Any]:
    """``fn(A)``, NaN for the matrices of which ``fails`` says where, and what it says."""
    matrices = array(A)
    *batch, n, _ = matrices.shape
    info = np.zeros(batch, np.int32)
    for at in np.ndindex(*batch):
        info[at] = fails(matrices[at]) if n else 0
    if check or not info.any():
        return fn(A), make(info)
    bad = (info > 0)[..., None, None]
    found = fn(where(bad, np.eye(n, dtype=matrices.dtype), A))
    return where(bad if len(sizes(found)) > len(batch) + 1 else bad[..., 0], math.nan, found), make(info)


_InvEx, _SolveEx, _CholeskyEx = (
    result(f"linalg_{name}", field, "info")
    for name, field in (("inv_ex", "inverse"), ("solve_ex", "result"), ("cholesky_ex", "L"))
)


def inv_ex(A: Any, *, check_errors: bool = False) -> Any:
    """Return ``(inverse, info)``: as `linalg.inv`, but a singular matrix gives NaN, and in ``info`` a place in U."""
    return _InvEx(*_reported(inv, A, _zero_pivot, check_errors))


def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """Return ``(result, info)``: as `linalg.solve`, but a singular matrix gives NaN, and in ``info`` a place in U."""
    return _SolveEx(*_reported(lambda a: solve(a, B, left=left), A, _zero_pivot, check_errors))


def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return ``(L, info)``: as `linalg.cholesky`, but a matrix that is not positive definite gives NaN.

    ``info`` has the order of the leading minor that is not.
    """
    return _CholeskyEx(*_reported(lambda a: linalg_cholesky(a, upper=upper), A, _bad_minor, check_errors))
