"""The factorisation ``A = L D L^T`` of a symmetric matrix, D having blocks of one or two rows.

The idea to hold: which blocks there are and the order of rows are constant. What is below the blocks of
``L^-1 dA L^-T`` belongs to L, what is on them to D.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible
from .._dims import array
from ._cholesky import _positive
from ._linalg import hermitian, solve_row


def _blocks(d: np.ndarray) -> np.ndarray:
    """The places of D's blocks."""
    n = d.shape[-1]
    places = np.eye(n, dtype=bool)
    pairs = np.nonzero(np.diagonal(d, -1) != 0)[0]
    places[pairs + 1, pairs] = places[pairs, pairs + 1] = True
    return places


def _ldl(x: np.ndarray, lower: bool) -> tuple[np.ndarray, ...]:
    from scipy.linalg import ldl

    factor, d, order = ldl(hermitian(x), lower=lower)
    return factor, d, np.asarray(order, d.dtype)


def _ldl_rule(g: Any, y: Any, lower: Any) -> Any:
    (gl, gd, _), (factor, d, places) = g, y
    order = array(places).astype(int)
    n, on = int(d.shape[-1]), _blocks(array(d))
    beside = (np.tri(n, n, -1, dtype=bool) if lower else ~np.tri(n, n, dtype=bool)) & ~on
    triangle = factor[order]
    of_l = solve_row(d, gl[order].mT @ triangle).mT  # L^T gL D^-1
    inner = of_l * beside + gd * on
    left = solve_row(triangle.mT, inner)
    back = np.argsort(order)
    return hermitian(solve_row(triangle.mT, left.mT).mT)[back][:, back]


ldl_row = fallible(
    "ldl", _ldl, _ldl_rule, outputs=True, real_only=True,
    sample=lambda rng: ([_positive(rng)], (True,)),
    doc="L, D and the order of rows in which L is triangular, with A = L D L^T",
)  # fmt: skip
