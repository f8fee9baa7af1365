"""The coefficients of the spline through the entries of the last axis.

The idea to hold: the coefficients solve a system of few diagonals. It is symmetric but for the ends of a signal that is
mirrored there, which have no mirror image: they count once, and all others twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import linear


def _coefficients(x: np.ndarray, order: int, mode: str) -> np.ndarray:
    from scipy.ndimage import spline_filter1d

    if x.shape[-1] < 2 or not x.size:
        return x.copy()
    dtype = np.result_type(x.dtype, np.float64)
    return np.asarray(spline_filter1d(x.astype(dtype), order, -1, dtype, mode)).astype(x.dtype)


_POLES = {2: 8**0.5 - 3, 3: 3**0.5 - 2}


def _transposed(g: Any, order: int, mode: str) -> Any:
    n = int(g.shape[-1])
    if mode == "reflect" and _POLES[order] ** (2 * n) > np.finfo(float).eps:  # SciPy's start is cut off too early
        return g @ _coefficients(np.eye(n), order, mode).T.astype(np.empty(0, g.dtype).real.dtype)
    if mode != "mirror" or n < 2:
        return spline_row(g, order, mode)
    counts = np.ones(n, np.empty(0, g.dtype).real.dtype)
    counts[0] = counts[-1] = 2
    return spline_row(g * counts, order, mode) / counts


spline_row: Any = linear(
    "spline_coefficients", _coefficients, lambda g, order, mode: _transposed(g, order, mode),
    means="option option", last=1, sample=lambda rng: ([rng.normal(size=(2, 6))], (3, "mirror")),
    doc="the coefficients of the B-splines of an order through the entries of the last axis",
)  # fmt: skip
"""``spline_row(x, order, mode)``; the modes are mirror, reflect and grid-wrap."""
