"""Systems with few diagonals: the matrix is kept as its bands, ``ab[u + i - j, j] = A[i, j]``.

The idea to hold: the rule of ``A x = b`` asks for a solve with the transpose and for products ``w[i] x[j]``; both are
needed on the bands only, so that a gradient costs what a solve costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible
from ..shape._pad import constant_pad
from ._contract import fit
from ._linalg import LinAlgError

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
    lead = np.broadcast_shapes(ab.shape[:-2], b.shape[:-2])
    out = np.empty((*lead, *b.shape[-2:]), np.result_type(ab, b))
    matrices, sides = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (ab, b))
    for at in np.ndindex(*lead):
        try:
            out[at] = _solve_one(matrices[at], sides[at], lower, upper, definite) if out.size else 0
        except np.linalg.LinAlgError as error:
            raise LinAlgError(
                f"{'solveh_banded' if definite else 'solve_banded'}: {error}", f"Its bands have shape {ab.shape}.", ""
            ) from None
    return out


def _rule_of_bands(g: Any, ab: Any, y: Any, lower: Any, upper: Any, definite: Any, shape: Any) -> Any:
    w = banded_row(transposed_bands(ab, lower, upper), g, upper, lower, definite)
    return fit(-_on_bands(w, y, lower, upper), shape)


def _rule_of_sides(g: Any, ab: Any, lower: Any, upper: Any, definite: Any, shape: Any) -> Any:
    return fit(banded_row(transposed_bands(ab, lower, upper), g, upper, lower, definite), shape)


def _sample(rng: Any) -> Any:
    return (rng.normal(size=(3, 4)) + np.array([[0.0], [5.0], [0.0]]), rng.normal(size=(4, 2))), (1, 1, False)


banded_row: Any = fallible(
    "solve_banded", _solve, _rule_of_bands, _rule_of_sides,
    means="option option option", last=2, sample=_sample,
    doc="the solution X of A X = B for a matrix A that is given by its bands",
)  # fmt: skip
"""``banded_row(bands, B, below, above, definite)``: so many bands below and above the diagonal."""


def both_sides(ab: Any, lower: bool, conj: Any) -> Any:
    """All bands of a Hermitian matrix, of those on one side of its diagonal and the diagonal."""
    n, count = int(ab.shape[-1]), int(ab.shape[-2]) - 1
    axis = ab.ndim - 1
    if lower:  # A[j - k, j] = conj(A[j, j - k])
        others = [conj(_padded(ab[..., k, : n - k], axis - 1, k, 0)) for k in range(count, 0, -1)]
        given = [ab[..., k, :] for k in range(count + 1)]
        return np.stack([*others, *given], axis - 1)
    others = [conj(_padded(ab[..., count - k, k:], axis - 1, 0, k)) for k in range(1, count + 1)]
    given = [ab[..., k, :] for k in range(count + 1)]
    return np.stack([*given, *others], axis - 1)
