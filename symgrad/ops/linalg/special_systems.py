"""Systems of special matrices: banded, Toeplitz, LDL, recurrences; those that say where they failed."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ..._limits import BANDED
from ...core import fallible, general, row_function
from ..arguments import many_dims, ndarray_of, rank, sizes
from ..create.creation import make
from ..entries.elementwise import where
from ..public import dims
from ..reduce.sums import sum
from ..results import result
from ..samples import positive, sampled
from ..shape.joins import constant_pad
from ..shape.moves import diagonal
from ..shape.shapes import movedim, reshape
from .contract import einsum, fit
from .linear_systems import (
    LinAlgError,
    _bad_minor,
    _zero_pivot,
    conj,
    hermitian,
    inv,
    linalg_cholesky,
    side_by_side,
    solve,
    solve_row,
)

# ------------------------ Systems with few diagonals: the matrix is kept as its bands, ``ab[u + i - j, j] = A[i, j]``

# The idea to hold: the rule of ``A x = b`` asks for a solve with the transpose and for products ``w[i] x[j]``; both are
# needed on the bands only, so that a gradient costs what a solve costs.


# ------------------------------------------------------------------------------------------------------- bands


def _padded(x: Any, axis: int, before: int, behind: int) -> Any:
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, behind)
    return constant_pad(x, tuple(widths), 0)


def transposed_bands(ab: Any, lower: int, upper: int) -> Any:
    """The bands of the transpose: ``upper`` of them are now below its diagonal."""
    n = int(ab.shape[-1])
    wide = _padded(ab, ab.ndim - 1, lower, upper)
    return np.stack([wide[..., lower + upper - r, r : r + n] for r in range(lower + upper + 1)], ab.ndim - 2)


def _on_bands(w: Any, x: Any, lower: int, upper: int) -> Any:
    """The bands of ``w x^T``."""
    n = int(x.shape[-2])
    wide = _padded(w, w.ndim - 2, upper, lower)
    return np.stack([(wide[..., r : r + n, :] * x).sum(-1) for r in range(lower + upper + 1)], x.ndim - 2)


# ----------------------------------------------------------------------------------------------------- the system


def _solve_one(ab: np.ndarray, b: np.ndarray, lower: int, upper: int, definite: bool) -> np.ndarray:
    from scipy.linalg import solve_banded, solveh_banded

    if definite:  # unchecked: the gradient of what is NaN is NaN and no error
        return np.asarray(solveh_banded(ab[upper:], b, lower=True, check_finite=False))
    return np.asarray(solve_banded((lower, upper), ab, b, check_finite=False))


def _solve(ab: np.ndarray, b: np.ndarray, lower: int, upper: int, definite: bool) -> np.ndarray:
    lead, (matrices, sides) = side_by_side(ab, b)
    out = np.empty(sides.shape, np.result_type(ab, b))
    for at in np.ndindex(*lead):
        try:
            out[at] = _solve_one(matrices[at], sides[at], lower, upper, definite) if out.size else 0
        except np.linalg.LinAlgError as error:
            raise LinAlgError(
                f"{'solveh_banded' if definite else 'solve_banded'}: {error}", f"Its bands have shape {ab.shape}."
            ) from None
    return out


def _rule_of_bands(g: Any, ab: Any, y: Any, lower: Any, upper: Any, definite: Any, shape: Any) -> Any:
    w = banded_row(transposed_bands(ab, lower, upper), g, upper, lower, definite)
    return fit(-_on_bands(w, y, lower, upper), shape)


def _rule_of_sides(g: Any, ab: Any, lower: Any, upper: Any, definite: Any, shape: Any) -> Any:
    return fit(banded_row(transposed_bands(ab, lower, upper), g, upper, lower, definite), shape)


def _sample(rng: Any) -> Any:
    return (rng.normal(size=(3, 4)) + np.array([[0.0], [5.0], [0.0]]), rng.normal(size=(4, 2))), (1, 1, False)


banded_row = fallible(
    "solve_banded", _solve, _rule_of_bands, _rule_of_sides,
    means="option option option", last=2, sample=_sample,
    doc="the solution X of A X = B for a matrix A that is given by its bands",
)  # fmt: skip
"""``banded_row(bands, B, below, above, definite)``: so many bands below and above the diagonal."""


def both_sides(ab: Any, lower: bool, conj: Any) -> Any:
    """All bands of a Hermitian matrix, of those on one side of its diagonal and the diagonal."""
    n, count = int(ab.shape[-1]), int(ab.shape[-2]) - 1
    axis = ab.ndim - 2
    given = [ab[..., k, :] for k in range(count + 1)]
    if lower:  # A[j - k, j] = conj(A[j, j - k])
        others = [conj(_padded(ab[..., k, : n - k], axis, k, 0)) for k in range(count, 0, -1)]
        return np.stack([*others, *given], axis)
    others = [conj(_padded(ab[..., count - k, k:], axis, 0, k)) for k in range(1, count + 1)]
    return np.stack([*given, *others], axis)


# ------------------- Systems whose matrix has equal entries along its diagonals: by Levinson's recursion, in n² steps


def _solve_toeplitz(c: np.ndarray, r: np.ndarray, b: np.ndarray) -> np.ndarray:
    from scipy.linalg import solve_toeplitz

    lead = np.broadcast_shapes(c.shape[:-1], r.shape[:-1], b.shape[:-2])
    out = np.empty((*lead, *b.shape[-2:]), np.result_type(c, r, b))
    columns, rows = (np.broadcast_to(x, (*lead, x.shape[-1])) for x in (c, r))
    sides = np.broadcast_to(b, (*lead, *b.shape[-2:]))
    for at in np.ndindex(*lead):
        lost = ~np.isfinite(sides[at]).all(0)  # columns that SciPy refuses: what is not finite makes them so
        if not (np.isfinite(columns[at]).all() and np.isfinite(rows[at]).all()):
            lost[:] = True
        out[at][:, lost] = np.nan
        if lost.all():
            continue
        try:
            out[at][:, ~lost] = solve_toeplitz((columns[at], rows[at]), sides[at][:, ~lost]) if out.size else 0
        except np.linalg.LinAlgError as error:
            raise LinAlgError(
                f"solve_toeplitz: {error}", "Levinson's recursion needs all leading minors.",
                "linalg.solve(linalg.toeplitz(c, r), b) pivots.",
            ) from None  # fmt: skip
    return out


def _turned(g: Any, c: Any, r: Any) -> Any:
    """The solution for the transposed matrix."""
    if c.shape != r.shape:
        c, r = np.broadcast_arrays(c, r)
    return toeplitz_row(row_function("cat")([c[..., :1], r[..., 1:]], c.ndim - 1), c, g)


def _along(a: Any, b: Any) -> Any:
    """``sum(a[j + k] * b[j])`` for every k."""
    n = int(a.shape[-2])
    places = np.arange(n)[:, None] + np.arange(n)
    return (_padded(a, a.ndim - 2, 0, n)[..., places, :] * b[..., None, :, :]).sum((-2, -1))


def _rule_of_row(g: Any, c: Any, r: Any, y: Any, shape_r: Any) -> Any:
    n = int(y.shape[-2])
    return fit(-_along(y, _turned(g, c, r)) * (np.arange(n) > 0), shape_r)  # the first is the column's


toeplitz_row = fallible(
    "solve_toeplitz", _solve_toeplitz,
    lambda g, c, r, y, shape_c: fit(-_along(_turned(g, c, r), y), shape_c), _rule_of_row,
    lambda g, c, r, shape_b: fit(_turned(g, c, r), shape_b),
    inputs=("c", "r", "b"),
    sample=lambda rng: ((rng.normal(size=4) + [6, 0, 0, 0], rng.normal(size=4), rng.normal(size=(4, 2))), ()),
    doc="the solution X of T X = B, T having the first column c and the first row r",
)  # fmt: skip


# ------------------------ The factorisation ``A = L D L^T`` of a symmetric matrix, D having blocks of one or two rows

# The idea to hold: which blocks there are and the order of rows are constant. What is below the blocks of
# ``L^-1 dA L^-T`` belongs to L, what is on them to D.


def _blocks(d: np.ndarray) -> np.ndarray:
    """1 at the places of D's blocks."""
    n = d.shape[-1]
    places = np.eye(n, dtype=d.dtype)
    pairs = np.nonzero(np.diagonal(d, -1) != 0)[0]
    places[pairs + 1, pairs] = places[pairs, pairs + 1] = 1
    return places


def _ldl(x: np.ndarray, lower: bool) -> tuple[np.ndarray, ...]:
    from scipy.linalg import ldl

    factor, d, order = ldl(hermitian(x), lower=lower)
    # the order and the blocks are results: a rule that looked them up would keep those of one matrix for all
    return factor, d, np.eye(len(d), dtype=d.dtype)[np.asarray(order, int)], _blocks(d)


def _ldl_rule(g: Any, y: Any, lower: Any) -> Any:
    (gl, gd, _, _), (factor, d, order, on) = g, y
    n = int(d.shape[-1])
    triangle = order @ factor
    of_l = solve_row(d, (order @ gl).mT @ triangle).mT  # L^T gL D^-1
    below = np.tri(n, n, -1, dtype=d.dtype)
    inner = of_l * (below if lower else below.T) * (1 - on) + gd * on
    left = solve_row(triangle.mT, inner)
    return order.mT @ hermitian(solve_row(triangle.mT, left.mT).mT) @ order


ldl_row = fallible(
    "ldl", _ldl, _ldl_rule, outputs=True, real_only=True,
    sample=sampled(True, of=[positive]),
    doc="L and D with A = L D L^T, the order of rows in which L is triangular, as a matrix, and where D has blocks",
)  # fmt: skip


# -------------------------------------------------------------------------------------------------------------------
# Linear systems of tensors, and functions of matrices that say in a number where they failed instead of raising


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
        moved = many_dims(dims, rank(A))
        A = movedim(A, moved, tuple(range(-len(moved), 0)))
    shape, size = sizes(A)[rank(B) :], math.prod(sizes(B))
    if math.prod(shape) != size:
        raise ShapeError(
            f"Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {math.prod(shape)} != {size}", f"The shapes are {sizes(A)} and {sizes(B)}.", "Check dims.",
        )  # fmt: skip
    return reshape(solve(reshape(A, (size, size)), reshape(B, (size,))), shape)


# ------------------------------------------------------------------------------------------------- without raising


def _reported(fn: Callable[..., Any], A: Any, fails: Callable[[np.ndarray], int], check: bool) -> tuple[Any, Any]:
    """``fn(A)``, NaN for the matrices of which ``fails`` says where, and what it says."""
    matrices = ndarray_of(A)
    *batch, n, _ = matrices.shape
    info = np.zeros(batch, np.int32)
    for at in np.ndindex(*batch):
        info[at] = fails(matrices[at]) if n else 0
    if check or not info.any():
        return fn(A), make(info)
    bad = (info > 0)[..., None, None]
    found = fn(where(bad, np.eye(n, dtype=matrices.dtype), A))
    return where(bad if rank(found) > len(batch) + 1 else bad[..., 0], math.nan, found), make(info)


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


# -------------------------------------------------------------------------------------------------------------------
# Linear recurrences of vectors, ``y[t] = A[t] y[t-1] + b[t]``: the derivative is the same, run backwards


def _solved(b: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Forwards: the solution of a triangular system in a band, which LAPACK finds in one call."""
    from scipy.linalg import get_lapack_funcs, lapack

    steps, d = b.shape[:2]
    band = np.zeros((2 * d, steps, d), A.dtype)
    if d < 4:  # a selection takes longer than so many of its parts
        for i in range(d):
            for j in range(d):
                band[d + i - j, :-1, j] = -A[:, i, j]  # np.negative with out= is wrong for some strides (NumPy 2.4.6)
    else:
        rows, columns = np.indices((d, d)).reshape(2, -1)
        band[d + rows - columns, :-1, columns] = -A[:, rows, columns].T
    # to look it up takes ten microseconds
    solve = lapack.dtbtrs if b.dtype == np.float64 else get_lapack_funcs("tbtrs", (band, b))
    y, info = solve(band.reshape(2 * d, -1), b.reshape(steps * d, -1), uplo="L", diag="U")
    return y.reshape(b.shape) if info == 0 and np.isfinite(y).all() else _by_steps(b, A)


def _by_steps(b: np.ndarray, A: np.ndarray) -> np.ndarray:
    """The same step by step: where a number is infinite, the zeros beside a block of the band are not to meet it."""
    y = np.array(b)
    for t in range(1, len(y)):
        y[t] += A[t - 1] @ y[t - 1]
    return y


def carried(b: np.ndarray, A: np.ndarray, reverse: bool) -> np.ndarray:
    """The solution y of y[t] = b[t] + A[t-1] y[t-1] (A[t] y[t+1] if reverse): vectors, or matrices of many columns;
    A are the matrices between the steps."""
    dtype = np.result_type(A, b)
    b, A = b.astype(dtype, copy=False), A.astype(dtype, copy=False)
    if len(b) < 2 or not b.size:
        return b.copy()
    if reverse:
        b, A = b[::-1], A[::-1]
    entries = A[0].size + b[0].size
    y = _solved(b, A) if entries <= BANDED else _by_steps(b, A)
    return y[::-1] if reverse else y


CARRIED = _solved, _by_steps, carried
"""The functions that find it, which stand in the source of saved loops."""


def recurrence(b: np.ndarray, A: np.ndarray, reverse: bool) -> np.ndarray:
    """The solution y of y[t] = b[t] + A[t] y[t-1] (y[t+1] if reverse): there is a matrix for every step."""
    return carried(b, A[:-1] if reverse else A[1:], reverse)


def _beside(x: Any, reverse: bool) -> Any:
    """Per step what ``x`` is one step before (after, if reverse); 0 at the end."""
    zero = x[:1] * 0.0
    return row_function("cat")([x[1:], zero] if reverse else [zero, x[:-1]], 0)


def _pulled(g: Any, A: Any, reverse: bool) -> Any:
    """The cotangents of what is added at each step."""
    return block_recurrence(g, _beside(einsum("tij->tji", A), not reverse), not reverse)


block_recurrence = general(
    "block_recurrence", recurrence,
    _pulled,
    lambda g, A, y, reverse: einsum("ti,tj->tij", _pulled(g, A, reverse), _beside(y, reverse)),
    sample=sampled(False, of=[(4, 2), (4, 2, 2)]),
    doc="the solution of y[t] = b[t] + A[t] y[t-1] (y[t+1] if reverse), vectors y and b, matrices A",
)  # fmt: skip


# ------------------------------------------------------------------- A Hermitian matrix of which one triangle is read


def _whole(x: np.ndarray, lower: bool) -> np.ndarray:
    strict = np.tril(x, -1) if lower else np.triu(x, 1)
    diagonal = np.einsum("...ii->...i", x)
    out = strict + np.swapaxes(strict, -1, -2).conj()
    np.einsum("...ii->...i", out)[...] = diagonal.real
    return out


from_triangle = general(
    "from_triangle", _whole, lambda g: hermitian(g), holomorphic=False, means="option", last=2, label="hermitian",
    sample=sampled(True, of=[(3, 3)]),
    doc="the Hermitian matrix of a triangle; its gradient is that of a function of Hermitian matrices",
)  # fmt: skip
"""``from_triangle(A, lower)``: what LAPACK makes of a matrix that is said to be Hermitian."""
