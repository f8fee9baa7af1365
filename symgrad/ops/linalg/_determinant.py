"""Determinants: exact derivatives at singular matrices too.

The idea to hold: a determinant is a polynomial, so its derivatives exist everywhere, though ``det(A) inv(A).T`` does
not. The first is the cofactor matrix and the second is bilinear; both are read off the singular value decomposition,
where products *leave out* one or two singular values instead of dividing by them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import GradientError
from ...core import fallible
from .._public import public
from .._results import result
from ..entries import _elementwise as e
from ._einsum import einsum
from ._linalg import LinAlgError, _regular, adjoint, as_scalars, expect_matrix, inv_row, is_complex

# ----------------------------------------------------------------------------------- products that leave some out


def _all_but_one(s: np.ndarray) -> np.ndarray:
    """``out[i]``: the product of all entries but the i-th."""
    ones = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([ones, s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def _all_but_two(s: np.ndarray) -> np.ndarray:
    """``out[i, j]``: the product of all entries but the i-th and the j-th; 0 where i = j."""
    n = s.shape[-1]
    out = np.zeros((*s.shape, n), s.dtype)
    for i in range(n):
        rest = np.concatenate([s[..., :i], s[..., i + 1 :]], -1)
        if n > 1:
            others = [j for j in range(n) if j != i]
            out[..., i, others] = _all_but_one(rest)
    return out


def _frame(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Singular vectors and values, and the factor that the vectors' own determinants contribute."""
    finite = np.isfinite(x).all((-1, -2))  # LAPACK does not return from a matrix with an infinity
    u, s, vh = np.linalg.svd(np.where(as_scalars(finite), x, 0))
    s = np.where(finite[..., None], s, np.nan)
    return u, s, vh, np.linalg.det(u) * np.linalg.det(vh)


def _cofactor(x: np.ndarray) -> np.ndarray:
    if x.size == 0:
        return np.zeros_like(x)
    quick = _quick_cofactor(x)
    if quick is not None:
        return quick
    u, s, vh, factor = _frame(x)
    return as_scalars(factor) * (np.conj(u) * _all_but_one(s)[..., None, :]) @ np.conj(vh)


def _quick_cofactor(x: np.ndarray) -> np.ndarray | None:
    """``det(x) inv(x).T``, where no matrix is near singular."""
    try:
        inverse = np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return None
    det = np.linalg.det(x)
    condition = np.abs(x).max((-1, -2)) * np.abs(inverse).max((-1, -2))
    fine = np.isfinite(det).all() and (det != 0).all() and (condition * np.finfo(x.dtype).eps < 1e-9).all()
    return as_scalars(det) * inverse.mT if fine else None


def _second(x: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The derivative of the cofactor matrix at ``x`` along ``e``."""
    if x.size == 0:
        return np.zeros_like(e)
    u, s, vh, factor = _frame(x)
    inner = adjoint(u) @ e @ adjoint(vh)  # in the singular vectors x is the diagonal s
    two = _all_but_two(s)
    d = -two * inner.mT
    diagonal = np.einsum("...ij,...jj->...i", two, inner)
    i = np.arange(s.shape[-1])
    d[..., i, i] = diagonal
    return as_scalars(factor) * (np.conj(u) @ d @ np.conj(vh))


# ------------------------------------------------------------------------------------------------------ rows


def _third(g: Any, x: Any, e: Any) -> Any:
    """The derivative of ``sum(g * second(x, e))`` in ``x``, where the inverse exists."""
    try:
        b = inv_row(x)
    except LinAlgError:
        raise GradientError(
            "the third derivative of det is not implemented at singular matrices",
            f"The matrix has shape {tuple(x.shape)}; the first and the second derivative are.",
            "Move off the singular point.",
        ) from None  # fmt: skip
    det, be, bg = as_scalars(det_row(x)), b @ e, b @ g
    te, tg = as_scalars(_trace(be)), as_scalars(_trace(bg))
    f = te * tg - as_scalars(_trace(be @ bg))
    inner = be @ b * tg + bg @ b * te - be @ bg @ b - bg @ be @ b
    return det * (f * b - inner).mT


def _trace(x: Any) -> Any:
    return einsum("...ii->...", x)


def _pair(rng: Any) -> Any:
    return [rng.normal(size=(3, 3)), rng.normal(size=(3, 3))], ()


det_second_row: Any = fallible(
    "det_second", _second, _third, lambda g, x: det_second_row(x, g), last=2, sample=_pair,
    doc="the derivative of the cofactor matrix of x along e",
)  # fmt: skip
cofactor_row = fallible(
    "cofactor", _cofactor, lambda g, x: det_second_row(x, g),
    last=2, sample=lambda rng: (_regular(rng), ()), doc="the matrix of cofactors, det(A) inv(A)^T",
)  # fmt: skip
det_row = fallible(
    "det", lambda x: np.linalg.det(x), lambda g, x: as_scalars(g) * cofactor_row(x),
    last=2, sample=lambda rng: (_regular(rng), ()), doc="the determinant",
)  # fmt: skip


def _slogdet_rule(g: Any, x: Any, y: Any) -> Any:
    if not is_complex(x):
        return as_scalars(g[1]) * inv_row(x).mT  # the sign is constant
    # sign = exp(i Im log det): its part of the gradient is i Im(g conj(sign))
    turn = e.imag(g[0] * e.conj(y[0]))
    return as_scalars(g[1] + turn * 1j) * adjoint(inv_row(x))


slogdet_row = fallible(
    "slogdet", lambda x: tuple(np.linalg.slogdet(x)), _slogdet_rule, outputs=True, holomorphic=False, own_dtype=True,
    last=2, sample=lambda rng: (_regular(rng), ()),
    doc="the sign of the determinant, and the logarithm of its absolute value",
)  # fmt: skip


@public()
def det(A: Any) -> Any:
    """Return the determinant of a matrix, or of each matrix of a batch.

    Its first and second derivative are exact at singular matrices too.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> sg.linalg.det(A).backward()
    >>> A.grad.round()
    tensor([[ 4., -2.],
            [-2.,  1.]])
    """
    expect_matrix(A, "linalg.det")
    return det_row(A)


_Slogdet = result("slogdet", "sign", "logabsdet")
_LinalgSlogdet = result("linalg_slogdet", "sign", "logabsdet")


def linalg_slogdet(A: Any) -> Any:
    """Return ``(sign, logabsdet)``: ``det(A) = sign * exp(logabsdet)``, without overflow.

    The gradient of ``logabsdet`` is ``inv(A).mH``; at a singular matrix there is none.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.slogdet(sg.eye(2) * -3)
    symgrad.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(2.1972))
    """
    expect_matrix(A, "linalg.slogdet")
    return _LinalgSlogdet(*slogdet_row(A))


@public()
def slogdet(input: Any) -> Any:
    """Return ``(sign, logabsdet)``, as `linalg.slogdet` does."""
    return _Slogdet(*linalg_slogdet(input))


@public()
def logdet(input: Any) -> Any:
    """Return the logarithm of the determinant: NaN where that is negative, minus infinity where it is zero."""
    expect_matrix(input, "logdet")
    sign, logabsdet = slogdet_row(input)
    if is_complex(input):
        return e.log(sign) + logabsdet
    return e.where(sign == -1, float("nan"), logabsdet)
