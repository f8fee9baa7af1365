"""Symmetric linear systems whose unknowns may be measured in very different units.

The idea to hold: a matrix is first scaled, from both sides by the same powers of two, to a diagonal near 1. What is
singular then is singular in any units; and powers of two round nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits


class SingularError(Exception):
    """The matrix is singular within rounding, or not finite."""


def rounding(n: int, dtype: Any) -> float:
    """Eigenvalues below this part of the largest are rounding: ten times √n units in the last place."""
    kind = np.dtype(dtype)
    eps = np.finfo(kind if kind.kind == "f" else np.float64).eps
    return float(10 * np.sqrt(max(n, 1)) * eps)


def scales(matrix: Any) -> np.ndarray:
    """Powers of two d, of shape (N,), such that ``matrix / d / d[:, None]`` has a diagonal near 1."""
    size = abs(matrix)
    diagonal = np.asarray(size.diagonal(), dtype=float)
    largest = size.max(axis=1)
    largest = np.asarray(largest.todense() if hasattr(largest, "todense") else largest, dtype=float).reshape(-1)
    chosen = np.where(diagonal > 0, diagonal, largest)
    chosen[chosen <= 0] = 1.0
    return np.exp2(np.round(0.5 * np.log2(chosen)))


def scaled(matrix: Any, d: np.ndarray) -> Any:
    """``matrix / d / d[:, None]``, sparse if it was."""
    if isinstance(matrix, np.ndarray):
        d = d.astype(np.result_type(matrix.dtype, np.float32))
        return matrix / d / d[:, None]
    from scipy.sparse import diags

    inverse = diags(1 / d)
    return (inverse @ matrix @ inverse).tocsc()


def solved(matrix: Any, rhs: np.ndarray) -> np.ndarray:
    """The solution X of ``matrix @ X = rhs``, of shape (N,) or (N, k); SingularError if there is none."""
    if not isinstance(matrix, np.ndarray) and matrix.shape[0] < _limits.SPARSE_ROWS:
        matrix = np.asarray(matrix.toarray())
    n = matrix.shape[0]
    dtype = np.result_type(matrix.dtype, rhs.dtype, np.float32)
    if not n:
        return np.zeros(rhs.shape, dtype)
    if not np.isfinite(matrix if isinstance(matrix, np.ndarray) else matrix.tocsr().data).all():
        raise SingularError
    matrix = matrix.astype(dtype)
    d = scales(matrix)
    steps = d.astype(dtype).reshape(-1, *[1] * (rhs.ndim - 1))
    method = _dense if isinstance(matrix, np.ndarray) else _sparse
    return method(scaled(matrix, d), np.asarray(rhs, dtype) / steps) / steps


def own_solution(matrix: Any, rhs: np.ndarray) -> np.ndarray | None:
    """The solution by a large structured matrix's own method; None if it has none, or is not exact enough."""
    if matrix.shape[0] < _limits.SPARSE_ROWS or not hasattr(matrix, "solve"):
        return None
    try:
        found = np.asarray(matrix.solve(rhs))
    except np.linalg.LinAlgError:  # said again in the parameters' names, after a second opinion
        return None
    error = np.abs(np.asarray(matrix @ found) - rhs).max(initial=0)
    return found if error <= 1e-8 * np.abs(rhs).max(initial=0) else None


def _dense(matrix: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    from scipy.linalg import get_lapack_funcs

    potrf, pocon, potrs, sysv, sycon = get_lapack_funcs(("potrf", "pocon", "potrs", "sysv", "sycon"), (matrix, rhs))
    least = rounding(len(matrix), matrix.dtype)
    norm = np.abs(matrix).sum(0).max()
    columns = rhs.reshape(len(matrix), -1)
    factor, info = potrf(matrix, lower=True)
    if info == 0:
        rcond, _ = pocon(factor, norm, uplo="L")
        found = potrs(factor, columns, lower=True)[0] if rcond > least else None
    else:
        factor, pivots, found, info = sysv(matrix, columns, lower=True)
        rcond = sycon(factor, pivots, norm, lower=True)[0] if info == 0 else 0.0
        found = found if rcond > least else None
    if found is None:
        raise SingularError
    return np.ascontiguousarray(found).reshape(rhs.shape)


def _sparse(matrix: Any, rhs: np.ndarray) -> np.ndarray:
    from scipy.sparse.linalg import LinearOperator, norm, onenormest, splu

    try:
        factor = splu(matrix)
    except RuntimeError:  # SuperLU: a pivot is exactly 0
        raise SingularError from None
    inverse = LinearOperator(matrix.shape, factor.solve, rmatvec=lambda v: factor.solve(v, "T"), dtype=matrix.dtype)
    size = onenormest(inverse) * norm(matrix, 1)
    if not size * rounding(matrix.shape[0], matrix.dtype) < 1:
        raise SingularError
    return np.asarray(factor.solve(rhs))


def is_positive_definite(matrix: Any) -> bool:
    """Whether all eigenvalues are positive, by one factorisation."""
    if isinstance(matrix, np.ndarray):
        try:
            np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            return False
        return True
    from scipy.sparse.linalg import splu

    try:
        symmetric = {"SymmetricMode": True}
        factor = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    except RuntimeError:
        return False
    # without exchanged rows, positive pivots are positive leading minors of the permuted matrix
    return bool((factor.perm_r == factor.perm_c).all() and (factor.U.diagonal() > 0).all())


__all__ = ["SingularError", "is_positive_definite", "own_solution", "rounding", "scaled", "scales", "solved"]
