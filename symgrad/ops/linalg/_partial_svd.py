"""Singular values, the largest of them: what PyTorch finds by random projections is cut from the whole here."""

from __future__ import annotations

from typing import Any

from ..._errors import ShapeError
from .._dims import sizes
from .._public import public
from ..reduce._reduce import mean
from ._decompose import linalg_svd
from ._linalg import adjoint


@public(method=False)
def svd_lowrank(A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None) -> Any:
    """Return ``(U, S, V)``, the ``q`` largest singular values of ``A`` (less ``M``) with their vectors: exactly.

    ``niter`` is not needed. The derivatives of the vectors are those of `linalg.svd`.
    """
    U, S, Vh = linalg_svd(A if M is None else A - M, False)
    q = 6 if q is None else q
    return U[..., :q], S[..., :q], adjoint(Vh)[..., :q]


@public(method=False)
def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> Any:
    """Return ``(U, S, V)``: `svd_lowrank` of the rows of ``A`` less their mean; V has the principal directions."""
    m, n = sizes(A)[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ShapeError(f"niter(={niter}) must be non-negative integer", "", "")
    return svd_lowrank(A, q, niter, mean(A, -2, True) if center else None)
