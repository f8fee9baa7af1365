"""A Hermitian matrix of which one triangle is read."""

from __future__ import annotations

import numpy as np

from ...core import general
from ._linalg import hermitian


def _whole(x: np.ndarray, lower: bool) -> np.ndarray:
    strict = np.tril(x, -1) if lower else np.triu(x, 1)
    diagonal = np.einsum("...ii->...i", x)
    out = strict + np.swapaxes(strict, -1, -2).conj()
    np.einsum("...ii->...i", out)[...] = diagonal.real
    return out


from_triangle = general(
    "from_triangle", _whole, lambda g: hermitian(g), holomorphic=False, means="option", last=2, label="hermitian",
    sample=lambda rng: ([rng.normal(size=(3, 3))], (True,)),
    doc="the Hermitian matrix of a triangle; its gradient is that of a function of Hermitian matrices",
)  # fmt: skip
"""``from_triangle(A, lower)``: what LAPACK makes of a matrix that is said to be Hermitian."""
