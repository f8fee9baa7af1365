"""Recursive filters: each entry of the result takes earlier ones back in.

The idea to hold: the result solves a triangular system with equal diagonals, so that the gradient of the signal is the
same filter run backwards, and that of the coefficients a correlation with the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import general
from ..linalg._contract import fit
from ..linalg._linalg import LinAlgError
from ..shape._pad import constant_pad
from ._sliding_products import CORRELATE


def _recursed(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    from scipy.signal import lfilter

    if a.ndim == 1:
        if a.size and a[0] == 0:
            raise LinAlgError(
                "the filter's first coefficient is 0", "a[0] y[t] + a[1] y[t-1] + … = x[t] leaves y[t] open.",
                "Leave out what begins with zeros, or delay the output.",
            )  # fmt: skip
        return np.asarray(lfilter(np.ones(1, a.dtype), a, x)) if x.size else x.astype(np.result_type(a, x))
    lead = np.broadcast_shapes(a.shape[:-1], x.shape[:-1])
    out = np.empty((*lead, x.shape[-1]), np.result_type(a, x))
    filters, signals = np.broadcast_to(a, (*lead, a.shape[-1])), np.broadcast_to(x, out.shape)
    for at in np.ndindex(*lead):
        out[at] = _recursed(filters[at], signals[at])
    return out


def _backwards(g: Any, a: Any) -> Any:
    return np.flip(recursive_row(a, np.flip(g, -1)), -1)


def _rule_of_coefficients(g: Any, a: Any, y: Any, shape_a: Any) -> Any:
    w = _backwards(g, a)
    widths = [(0, 0)] * (w.ndim - 1) + [(0, int(shape_a[-1]) - 1)]
    return fit(-CORRELATE[1](constant_pad(w, tuple(widths), 0), y, False), shape_a)


recursive_row: Any = general(
    "recursive_filter", _recursed, _rule_of_coefficients, lambda g, a, shape_x: fit(_backwards(g, a), shape_x),
    inputs=("a", "x"), last=1,
    sample=lambda rng: ([np.array([2.0, 0.5, -0.3]) + 0.1 * rng.normal(size=3), rng.normal(size=(2, 5))], ()),
    doc="the y with a[0] y[t] + a[1] y[t-1] + … = x[t], along the last axis",
)  # fmt: skip
