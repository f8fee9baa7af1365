"""Linear recurrences of vectors, ``y[t] = A[t] y[t-1] + b[t]``: the derivative is the same, run backwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import general, table
from ._einsum import einsum


def _solved(b: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Forwards: the solution of a triangular system in a band, which LAPACK finds in one call."""
    from scipy.linalg import get_lapack_funcs, lapack

    steps, d = b.shape[:2]
    band = np.zeros((2 * d, steps, d), A.dtype)
    if d < 4:  # a selection takes longer than so many of its parts
        for i, j in np.ndindex(d, d):
            band[d + i - j, :-1, j] = -A[1:, i, j]  # np.negative with out= is wrong for some strides (NumPy 2.4.6)
    else:
        i, j = np.indices((d, d)).reshape(2, -1)
        band[d + i - j, :-1, j] = -A[1:, i, j].T
    # to look it up takes ten microseconds
    solve = lapack.dtbtrs if b.dtype == np.float64 else get_lapack_funcs("tbtrs", (band, b))
    y, info = solve(band.reshape(2 * d, -1), b.reshape(steps * d, -1), uplo="L", diag="U")
    return y.reshape(b.shape) if info == 0 and np.isfinite(y).all() else _by_steps(b, A)


def _by_steps(b: np.ndarray, A: np.ndarray) -> np.ndarray:
    """The same step by step: where a number is infinite, the zeros beside a block of the band are not to meet it."""
    y = np.array(b)
    for t in range(1, len(y)):
        y[t] += A[t] @ y[t - 1]
    return y


def recurrence(b: np.ndarray, A: np.ndarray, reverse: bool) -> np.ndarray:
    """The solution y of y[t] = b[t] + A[t] y[t-1] (y[t+1] if reverse): vectors, or matrices of many columns."""
    dtype = np.result_type(A, b)
    b, A = b.astype(dtype, copy=False), A.astype(dtype, copy=False)
    if len(b) < 2 or not b.size:
        return b.copy()
    return _solved(b[::-1], A[::-1])[::-1] if reverse else _solved(b, A)


RECURRENCE = _solved, _by_steps, recurrence
"""The functions that find it, which stand in the source of saved loops."""


def _beside(x: Any, reverse: bool) -> Any:
    """Per step what ``x`` is one step before (after, if reverse); 0 at the end."""
    zero = x[:1] * 0.0
    return table("cat")([x[1:], zero] if reverse else [zero, x[:-1]], 0)


def _pulled(g: Any, A: Any, reverse: bool) -> Any:
    """The cotangents of what is added at each step."""
    return block_recurrence(g, _beside(einsum("tij->tji", A), not reverse), not reverse)


block_recurrence: Any = general(
    "block_recurrence", recurrence,
    lambda g, A, reverse: _pulled(g, A, reverse),
    lambda g, A, y, reverse: einsum("ti,tj->tij", _pulled(g, A, reverse), _beside(y, reverse)),
    sample=lambda rng: ((rng.normal(size=(4, 2)), rng.normal(size=(4, 2, 2))), (False,)),
    doc="the solution of y[t] = b[t] + A[t] y[t-1] (y[t+1] if reverse), vectors y and b, matrices A",
)  # fmt: skip
