"""The norms of matrices, the norms that are of vectors or of matrices, and what follows from them."""

from __future__ import annotations

import math
from typing import Any

from ..._errors import DTypeError, ShapeError
from .._dims import axis_of, sizes
from .._public import dims, public
from ..arrange._order import amax, amin
from ..entries._arithmetic import abs
from ..entries._copy import cast
from ..reduce._norm import vector_norm
from ..reduce._reduce import sum
from ..shape._shape import movedim, unsqueeze
from ._decompose import svdvals
from ._linalg import expect_matrix, inv


def _two_dims(dim: Any, ndim: int) -> tuple[int, int]:
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ShapeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}",
            "",
            "The two dimensions of the matrix.",
        )
    first, second = (axis_of(d, ndim) for d in dim)
    if first == second:
        raise ShapeError(f"linalg.matrix_norm: dims must be different. Got {tuple(dim)}", "", "Name two dimensions.")
    return first, second


def _sums(A: Any, ord: float, dim: tuple[int, int], keepdim: bool) -> Any:
    """The largest (smallest) sum of absolute values along a dimension."""
    along, over = dim if abs(ord) == 1 else dim[::-1]
    sums = sum(abs(A), along, keepdim)
    return (amax if ord > 0 else amin)(sums, over - (not keepdim and over > along), keepdim)


def _spectral(A: Any, ord: Any, dim: tuple[int, int], keepdim: bool) -> Any:
    n = len(sizes(A))
    values = svdvals(A if dim == (n - 2, n - 1) else movedim(A, dim, (-2, -1)))
    y = (sum if ord == "nuc" else amax if ord > 0 else amin)(values, -1)
    if keepdim:
        for d in sorted(dim):
            y = unsqueeze(y, d)
    return y


@dims
def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of matrices.

    Parameters
    ----------
    ord : 'fro' (root of the sum of squares), 'nuc' (sum of singular values), 2 and -2 (largest and smallest singular
        value), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's)
    dim : the two dimensions of the matrix

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> sg.linalg.matrix_norm(A), sg.linalg.matrix_norm(A, 1), sg.linalg.matrix_norm(A, "nuc")
    (tensor(5.), tensor(4.), tensor(7.))
    """
    expect_matrix(A, "linalg.matrix_norm", square=False)
    A, dim = cast(A, dtype), _two_dims(dim, len(sizes(A)))
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim)
    if ord in (1, -1, math.inf, -math.inf):
        return _sums(A, ord, dim, keepdim)
    if ord in ("nuc", 2, -2):
        return _spectral(A, ord, dim, keepdim)
    raise DTypeError(
        f"linalg.matrix_norm: Order {ord} not supported.",
        "",
        "Use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.",
    )


@dims
def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of a vector (one dimension, or no ``ord``) or of a matrix (two dimensions)."""
    n = len(sizes(A))
    count = 1 if isinstance(dim, int) else n if dim is None else len(dim)
    if ord is None or (count == 1 and not isinstance(ord, str)):
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    if count != 2:
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {n}D."
            if dim is None else f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}",
            f"The shape is {sizes(A)}.", "linalg.vector_norm takes any dimensions.",
        )  # fmt: skip
    return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)


def cond(A: Any, p: Any = None) -> Any:
    """Return the condition number: the norm of ``A`` times that of its inverse (default: the 2-norm)."""
    if p is None or p in (2, -2):
        values = svdvals(A)
        return values[..., 0] / values[..., -1] if p != -2 else values[..., -1] / values[..., 0]
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


@public()
@dims
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of all elements, or along ``dim``: the vector norm of order ``p`` (default 2).

    Parameters
    ----------
    p : any number, infinite too; 'fro' for 2; 'nuc' for the sum of a matrix's singular values
    dim : a dimension or several; None for all
    keepdim : keep the dimensions, with size 1

    Notes
    -----
    At zero the gradient is taken as zero.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 0.0], requires_grad=True)
    >>> x.norm().backward()
    >>> x.grad
    tensor([0., 0.])
    """
    if p is None or p == "fro":
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    if p == "nuc":
        return matrix_norm(cast(input, dtype), "nuc", (-2, -1) if dim is None else dim, keepdim)
    if isinstance(p, str):
        raise DTypeError(f"linalg.matrix_norm: Order {p} not supported.", "", "Use a number, 'fro' or 'nuc'.")
    return vector_norm(input, p, dim, keepdim, dtype=dtype)
