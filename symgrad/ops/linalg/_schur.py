"""Schur's factors ``A = Z T Z^H`` of a square matrix: T upper triangular, Z unitary.

The idea to hold: a change of A turns Z by a skew-Hermitian matrix, of which the part below the diagonal keeps T
triangular. That part solves a Sylvester-like equation with T alone, one subdiagonal after the other, divided by gaps
between eigenvalues. The gradient solves the adjoint equation, and its gradient again the first one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import GradientError
from ...core import fallible, table
from .._dims import array
from ._decompose import _diagonal, _diverged, _expect_no_phase
from ._linalg import adjoint, is_complex


def _below(x: Any) -> Any:
    """The part below the diagonal."""
    return np.tril(x, -1) if isinstance(x, np.ndarray) else table("tril")(x, -1)


def _above(x: Any) -> Any:
    """The diagonal and what is above."""
    return np.triu(x) if isinstance(x, np.ndarray) else table("triu")(x, 0)


def _expect_apart(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Where eigenvalues coincide; what would be divided by their gap must be 0."""
    values = np.diagonal(t, axis1=-2, axis2=-1)
    gap, eps = values[..., None, :] - values[..., :, None], np.finfo(t.dtype).eps
    closed = np.abs(gap) <= eps * t.shape[-1] * np.abs(t).max(initial=0)
    wanted = closed & (np.abs(x) > 1e4 * eps * np.abs(x).max(initial=0))
    if wanted.any():
        *batch, i, j = (int(k[0]) for k in np.nonzero(wanted))
        ours = values[tuple(batch)]
        raise GradientError(
            f"linalg.schur: the factors have no derivative where eigenvalues coincide: the gap between the values {j} "
            f"and {i} is {abs(ours[i] - ours[j]):.1e}.",
            f"The values are {np.array2string(ours, precision=6)}.",
            "Differentiate what is symmetric in them, or move the matrix off the degenerate point.",
        )  # fmt: skip
    return closed


def _turns(t: np.ndarray, x: np.ndarray, projected: bool) -> np.ndarray:
    """The strictly lower L with L T - T L = X below the diagonal, for an upper triangular T if ``projected``; else for
    a lower triangular one, where nothing is left above it."""
    n = t.shape[-1]
    x = np.tril(x, -1)
    closed = _expect_apart(t, x)
    lead = np.broadcast_shapes(t.shape[:-2], x.shape[:-2])
    out = np.zeros((*lead, n, n), np.result_type(t, x))
    for d in range(n - 1, 0, -1) if projected else range(1, n):
        for j in range(n - d):
            i = j + d
            left, right = (slice(0, j), slice(i + 1, n)) if projected else (slice(j + 1, i), slice(j + 1, i))
            rest = (
                x[..., i, j]
                - (out[..., i, left] * t[..., left, j]).sum(-1)
                + (t[..., i, right] * out[..., right, j]).sum(-1)
            )
            gap = t[..., j, j] - t[..., i, i]
            out[..., i, j] = np.where(closed[..., i, j], 0.0, rest / np.where(closed[..., i, j], 1.0, gap))
    return out


def _turns_by_factor(g: Any, t: Any, y: Any, projected: bool) -> Any:
    other = turns_row(adjoint(t), g, not projected)
    found = adjoint(y) @ other - other @ adjoint(y)
    return -(_above(found) if projected else adjoint(_above(adjoint(found))))


def _triangular(rng: Any) -> Any:
    return [np.triu(rng.normal(size=(3, 3))) + np.diag([0.0, 4.0, 8.0]), np.tril(rng.normal(size=(3, 3)), -1)], (True,)


turns_row: Any = fallible(
    "schur_turns", _turns, _turns_by_factor,
    lambda g, t, projected: turns_row(adjoint(t), g, not projected),
    inputs=("t", "x"), holomorphic=False, last=2, means="option", sample=_triangular, explained=True,
    doc="the strictly lower L of which L T - T L is X below the diagonal",
)  # fmt: skip


def _schur(x: np.ndarray) -> Any:
    from scipy.linalg import schur

    t, z = np.empty_like(x), np.empty_like(x)
    for at in np.ndindex(*x.shape[:-2]):
        try:
            t[at], z[at] = schur(x[at], output="complex" if x.dtype.kind == "c" else "real")
        except np.linalg.LinAlgError as error:
            raise _diverged("linalg.schur", error) from None
    return t, z


def _schur_rule(g: Any, y: Any) -> Any:
    (gt, gz), (t, z) = g, y
    if np.tril(array(t), -1).any():
        raise GradientError(
            "linalg.schur: real factors have no derivative rule where eigenvalues are complex.",
            "T has blocks of two rows on its diagonal.", "Pass output='complex'.",
        )  # fmt: skip
    gt = _above(gt)
    turned = adjoint(z) @ gz - (gt @ adjoint(t) - adjoint(t) @ gt)
    if is_complex(z):
        _expect_no_phase(_diagonal(turned), "linalg.schur")
    return z @ (gt + turns_row(adjoint(t), _below(turned - adjoint(turned)), False)) @ adjoint(z)


schur_row = fallible(
    "schur", _schur, _schur_rule, outputs=True, holomorphic=False, last=2,
    # of two rows: their signs LAPACK chooses alike in both precisions
    sample=lambda rng: ([0.5 * rng.normal(size=(2, 2)) + np.diag([0.0, 4.0])], ()),
    doc="Schur's factors T, upper triangular, and Z, unitary, with A = Z T Z^H",
)  # fmt: skip
