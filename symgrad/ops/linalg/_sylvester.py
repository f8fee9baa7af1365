"""Sylvester's equation ``A X + X B = Q``: linear in X, so that its adjoint is the equation of the transposes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible
from ._contract import fit
from ._linalg import LinAlgError, _regular


def _expect_apart(a: np.ndarray, b: np.ndarray) -> None:
    left, right = np.linalg.eigvals(a), np.linalg.eigvals(b)
    gaps = np.abs(left[..., :, None] + right[..., None, :])
    if not gaps.size:
        return
    size = np.abs(left).max() + np.abs(right).max()
    if not gaps.min() > 4 * max(a.shape[-1], b.shape[-1]) * np.finfo(gaps.dtype).eps * size:
        *batch, _, _ = np.unravel_index(np.nanargmin(gaps), gaps.shape)
        lead = gaps.shape[:-2]
        mine, other = (np.broadcast_to(w, (*lead, w.shape[-1]))[tuple(batch)] for w in (left, right))
        raise LinAlgError(
            "solve_sylvester: the equation A X + X B = Q is singular: an eigenvalue of A and one of -B coincide, the "
            f"gap is {gaps.min():.1e}.",
            f"Those of A are {np.array2string(mine, precision=6)}, those of B {np.array2string(other, precision=6)}.",
            "Move A or B off that point.",
        )


def _sylvester(a: np.ndarray, b: np.ndarray, q: np.ndarray) -> np.ndarray:
    from scipy.linalg import solve_sylvester

    _expect_apart(a, b)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], q.shape[:-2])
    out = np.empty((*lead, *q.shape[-2:]), np.result_type(a, b, q))
    # in one dtype: of a complex matrix and a real one SciPy (1.17) takes the real Schur form, and gives a wrong X
    whole = [np.broadcast_to(x.astype(out.dtype, copy=False), (*lead, *x.shape[-2:])) for x in (a, b, q)]
    for at in np.ndindex(*lead):
        out[at] = solve_sylvester(*(x[at] for x in whole)) if out.size else 0
    return out


sylvester_row: Any = fallible(
    "solve_sylvester", _sylvester,
    lambda g, a, b, y, shape_a: fit(-(sylvester_row(a.mT, b.mT, g) @ y.mT), shape_a),
    lambda g, a, b, y, shape_b: fit(-(y.mT @ sylvester_row(a.mT, b.mT, g)), shape_b),
    lambda g, a, b, shape_q: fit(sylvester_row(a.mT, b.mT, g), shape_q),
    inputs=("a", "b", "q"), last=2,
    sample=lambda rng: ([*_regular(rng), rng.normal(size=(2, 2)) + 3 * np.eye(2), rng.normal(size=(3, 2))], ()),
    doc="the solution X of A X + X B = Q",
)  # fmt: skip
"""``sylvester_row(A, B, Q)``; Lyapunov's equation is the one with the adjoint of A for B."""
