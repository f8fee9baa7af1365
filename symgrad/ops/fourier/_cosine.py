"""Cosine and sine transforms: one linear row, in SciPy's scale without norm.

The idea to hold: types 1 and 4 have symmetric matrices and types 2 and 3 are each other's transposes, but that the ends
of a signal, which have no mirror image, are counted once and all others twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import linear


def _transform(x: np.ndarray, kind: str, type: int) -> np.ndarray:
    from scipy import fft

    found: np.ndarray = (fft.dct if kind == "dct" else fft.dst)(x, type)
    return found


def _counts(n: int, kind: str, type: int, dtype: Any) -> np.ndarray:
    """How often each entry of a signal counts, in halves of the others."""
    counts = np.full(n, 2.0, np.empty(0, dtype).real.dtype)
    if kind == "dct" and type in (1, 3):
        counts[0] = 1
    if (kind == "dct" and type == 1) or (kind == "dst" and type == 3):
        counts[-1] = 1
    return counts


def _transpose(g: Any, kind: str, type: int) -> Any:
    n = int(g.shape[-1])
    if type == 1:
        counts = _counts(n, kind, 1, g.dtype)
        return cosine_row(g / counts, kind, 1) * counts
    if type == 2:
        return cosine_row(g * (2 / _counts(n, kind, 3, g.dtype)), kind, 3)
    if type == 3:
        return cosine_row(g, kind, 2) * (_counts(n, kind, 3, g.dtype) / 2)
    return cosine_row(g, kind, 4)


cosine_row: Any = linear(
    "cosine_transform", _transform, lambda g, kind, type: _transpose(g, kind, type),
    means="option option", last=1, sample=lambda rng: ((rng.normal(size=(2, 5)),), ("dct", 2)),
    doc="the cosine ('dct') or sine ('dst') transform of a type, along the last axis",
)  # fmt: skip
