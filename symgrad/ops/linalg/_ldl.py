"""The factorisation ``A = L D L^T`` of a symmetric matrix, D having blocks of one or two rows.

The idea to hold: which blocks there are and the order of rows are constant. What is below the blocks of
``L^-1 dA L^-T`` belongs to L, what is on them to D.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible
from ._cholesky import _positive
from ._linalg import hermitian, solve_row


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
    outside = np.tri(n, n, -1, dtype=d.dtype) if lower else np.tri(n, n, -1, dtype=d.dtype).T
    inner = of_l * outside * (1 - on) + gd * on
    left = solve_row(triangle.mT, inner)
    return order.mT @ hermitian(solve_row(triangle.mT, left.mT).mT) @ order


ldl_row = fallible(
    "ldl", _ldl, _ldl_rule, outputs=True, real_only=True,
    sample=lambda rng: ([_positive(rng)], (True,)),
    doc="L and D with A = L D L^T, the order of rows in which L is triangular, as a matrix, and where D has blocks",
)  # fmt: skip
