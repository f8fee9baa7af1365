"""Pseudo-inverse, least squares, condition number, exponential, and the norms of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..core import NUMPY, Tensor, fallible, table, wrap
from ._arithmetic import abs
from ._contract import fit
from ._copy import cast
from ._decompose import svdvals
from ._dims import array, axis_of, data, sizes
from ._linalg import _regular, adjoint, expect_matrix, inv
from ._norm import vector_norm
from ._order import amax, amin
from ._public import dims, public
from ._reduce import sum
from ._results import result
from ._shape import movedim, unsqueeze

# ------------------------------------------------------------------------------------- pseudo-inverse, least squares


def _pinv_rule(g: Any, x: Any, y: Any) -> Any:
    """From the four equations that define the pseudo-inverse (Golub and Pereyra 1973), at constant rank."""
    yh, gh = adjoint(y), adjoint(g)
    rows = gh @ y @ yh
    columns = yh @ y @ gh
    return rows - x @ (y @ rows) + columns - (columns @ y) @ x - yh @ g @ yh


pinv_row = fallible(
    "pinv", lambda x, rtol, hermitian: np.linalg.pinv(x, rtol, hermitian), _pinv_rule, holomorphic=False,
    grad_name="LinalgPinvBackward0", sample=lambda rng: ([rng.normal(size=(3, 2))], (1e-15, False)),
    doc="the pseudo-inverse",
)  # fmt: skip


def pinv(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverse; singular values up to ``max(atol, rtol * the largest)`` count as zero.

    The gradient is right where the rank stays the same.
    """
    expect_matrix(A, "linalg.pinv", square=hermitian)
    plain = array(A)
    if rtol is None:
        rtol = 0.0 if atol else _tolerance(plain)
    if atol and plain.size:
        largest = np.linalg.norm(plain, 2, (-2, -1))
        rtol = np.maximum(rtol, atol / np.where(largest == 0, 1, largest))
    return pinv_row(A, rtol, bool(hermitian))


@public()
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """Return the pseudo-inverse, as `linalg.pinv` does."""
    return pinv(input, rtol=rcond)


NUMPY[np.linalg.pinv] = lambda a, rcond=None, hermitian=False, *, rtol=None: pinv(
    a, rtol=rcond if rtol is None else rtol, hermitian=hermitian
)


def _lstsq_rule(g: Any, a: Any, b: Any, shape: Any) -> Any:
    inverse = pinv_row(a, _tolerance(a), False)
    return fit(_pinv_rule(g @ adjoint(b), a, inverse), shape)


def _tolerance(a: Any) -> float:
    return int(max(a.shape[-2:])) * float(np.finfo(a.dtype).eps)


lstsq_row = fallible(
    "lstsq", lambda a, b: np.linalg.pinv(a, _tolerance(a)) @ b, _lstsq_rule,
    lambda g, a, shape: fit(adjoint(pinv_row(a, _tolerance(a), False)) @ g, shape), holomorphic=False,
    grad_name="LinalgLstsqBackward0", sample=lambda rng: ([rng.normal(size=(4, 2)), rng.normal(size=(4, 2))], ()),
    doc="the X that makes A X - B smallest",
)  # fmt: skip
_Lstsq = result("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """Return ``(solution, residuals, rank, singular_values)`` of the X that makes ``A @ X - B`` smallest.

    Of several such X it is the smallest. Only the solution is differentiable.
    """
    expect_matrix(A, "linalg.lstsq", square=False)
    a, b = sizes(A), sizes(B)
    vector = len(b) == len(a) - 1
    if b[-1 if vector else -2] != a[-2]:
        raise ShapeError(
            "linalg.lstsq: input.size(-2) should match other.size(-2)",
            f"The shapes are {a} and {b}.",
            "Transpose A.",
        )
    x = lstsq_row(A, B.reshape((*b, 1)) if vector else B)
    x = x.reshape(tuple(x.shape[:-1])) if vector else x
    plain, right, solution = data(A), data(B), data(x)
    values = np.linalg.svd(plain, compute_uv=False)
    rank = (values > values.max(-1, keepdims=True, initial=0) * (_tolerance(A) if rcond is None else rcond)).sum(-1)
    column = (..., None) if vector else ...
    rest = np.square(np.abs(plain @ solution[column] - right[column])).sum(-2)
    if a[-2] <= a[-1] or np.any(rank < a[-1]):
        rest = np.empty((0,), rest.dtype)
    return _Lstsq(x, *(_like(A, v) for v in (rest, rank.astype(np.int64), values)))


def _like(A: Any, value: np.ndarray) -> Any:
    return wrap(np.asarray(value)) if isinstance(A, Tensor) else value


# -------------------------------------------------------------------------------------------------- exponential


def _expm(x: np.ndarray) -> np.ndarray:
    from scipy.linalg import expm

    return np.asarray(expm(x)).astype(x.dtype, copy=False) if x.size else np.zeros_like(x)


def _expm_rule(g: Any, x: Any) -> Any:
    """The corner of the exponential of ``[[A^T, G], [0, A^T]]`` (Mathias 1996)."""
    n, cat, last = x.shape[-1], table("cat"), x.ndim - 1
    top, bottom = cat([x.mT, g], last), cat([g * 0, x.mT], last)
    return matrix_exp_row(cat([top, bottom], last - 1))[..., :n, n:]


matrix_exp_row = fallible(
    "matrix_exp", _expm, _expm_rule, grad_name="LinalgMatrixExpBackward0",
    sample=lambda rng: (_regular(rng), ()), doc="the matrix exponential",
)  # fmt: skip


@public()
def matrix_exp(A: Any) -> Any:
    """Return the exponential of a square matrix: the sum of ``A**k / k!``."""
    expect_matrix(A, "linalg.matrix_exp")
    return matrix_exp_row(A)


# --------------------------------------------------------------------------------------------------------- norms


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


def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return how many singular values are above ``max(atol, rtol * the largest)``."""
    plain = array(A)
    values = np.abs(np.linalg.eigvalsh(plain)) if hermitian else np.linalg.svd(plain, compute_uv=False)
    rtol = (0.0 if atol else _tolerance(plain)) if rtol is None else rtol
    bound = np.maximum(0.0 if atol is None else atol, rtol * values.max(-1, keepdims=True, initial=0))
    return _like(A, (values > bound).sum(-1).astype(np.int64))


NUMPY[np.linalg.cond] = cond
