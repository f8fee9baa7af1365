"""The LU factorisation, systems solved with it, and products of Householder reflections.

The idea to hold: L and U are triangular, and so is each one's derivative, after it was multiplied by the inverse of the
matrix itself: what is below the diagonal of ``L^-1 dA U^-1`` belongs to L, the rest to U. The order of rows is
constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _config
from ..._errors import NotDifferentiableError, ShapeError
from ...core import Tensor, fallible, table
from .._dims import array, known, sizes
from .._public import public
from .._results import result
from ..create._create import make
from ..entries._elementwise import where
from ..shape._move import tril, triu
from ..shape._pad import pad
from ._cholesky import triangular_row
from ._contract import matmul
from ._linalg import LinAlgError, _regular, adjoint, as_scalars, conj, expect_matrix

# ---------------------------------------------------------------------------------------------------------- LU


def _order_of(pivots: np.ndarray, n: int) -> np.ndarray:
    """The order of rows that exchanges in turn (LAPACK's, counted from 0) make."""
    order = np.arange(n)
    for i, j in enumerate(pivots.tolist()):
        order[[i, j]] = order[[j, i]]
    return order


def _lu(x: np.ndarray) -> tuple[np.ndarray, ...]:
    from scipy.linalg import lapack

    *batch, m, n = x.shape
    k = min(m, n)
    P, L, U = (np.zeros((*batch, *shape), x.dtype) for shape in ((m, m), (m, k), (k, n)))
    for at in np.ndindex(*batch):
        packed, pivots, _ = lapack.get_lapack_funcs("getrf", (x,))(x[at]) if k else (x[at], np.arange(0), 0)
        P[at][_order_of(pivots, m), np.arange(m)] = 1
        L[at], U[at] = np.tril(packed[:, :k], -1) + np.eye(m, k), np.triu(packed[:k])
    return P, L, U


def _lu_rule(g: Any, y: Any) -> Any:
    (_, gl, gu), (p, lower, upper) = g, y
    k = lower.shape[-1]
    below, right = lower.shape[-2] > k, upper.shape[-1] > k
    l1, u1, gl1, gu1 = lower[..., :k, :], upper[..., :k], gl[..., :k, :], gu[..., :k]
    strict = np.tri(k, k, -1, dtype=_config.real_of(lower.dtype))
    of_l, of_u = adjoint(l1) @ gl1, gu1 @ adjoint(u1)
    if right:  # U's further columns are L^-1 of A's
        of_l = of_l - gu[..., k:] @ adjoint(upper[..., k:])
    if below:  # L's further rows are A's times U^-1
        of_u = of_u - adjoint(lower[..., k:, :]) @ gl[..., k:, :]
    middle = of_l * strict + of_u * (1 - strict)
    d = triangular_row(adjoint(u1), middle, False, False, False)
    if below:
        d = table("cat")([d, triangular_row(adjoint(u1), gl[..., k:, :], False, False, False)], d.ndim - 2)
        top = triangular_row(adjoint(l1), d[..., :k, :], True, True, True)
        return p @ table("cat")([top, d[..., k:, :]], d.ndim - 2)
    d = triangular_row(adjoint(l1), d, True, True, True)
    if right:
        d = table("cat")([d, triangular_row(adjoint(l1), gu[..., k:], True, True, True)], d.ndim - 1)
    return p @ d


lu_row = fallible(
    "lu", _lu, _lu_rule, outputs=True, holomorphic=False,
    sample=lambda rng: (_regular(rng), ()), last=2,
    doc="P, L and U with A = P L U: an order of rows, unit lower and upper triangular",
)  # fmt: skip
_Lu = result("linalg_lu", "P", "L", "U")
_Factor = result("linalg_lu_factor", "LU", "pivots")
_FactorEx = result("linalg_lu_factor_ex", "LU", "pivots", "info")
_Unpacked = result("lu_unpack", "P", "L", "U")


def lu(A: Any, *, pivot: bool = True) -> Any:
    """Return ``(P, L, U)`` with ``A = P @ L @ U``: an order of rows, a unit lower and an upper triangular matrix.

    ``P`` is constant: the derivatives are those at one order of rows.

    Examples
    --------
    >>> import symgrad as sg
    >>> P, L, U = sg.linalg.lu(sg.tensor([[1.0, 2.0], [2.0, 0.0]]))
    >>> L, U
    (tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]]), tensor([[2., 0.],
            [0., 2.]]))
    """
    expect_matrix(A, "linalg.lu", square=False)
    if not pivot:
        raise ShapeError(
            "linalg.lu: LU without pivoting is not implemented on the CPU", "It divides by what may be zero.",
            "Leave pivot=False out.",
        )  # fmt: skip
    P, L, U = lu_row(A)
    return _Lu(P.detach() if isinstance(P, Tensor) else P, L, U)


def _exchanges(P: np.ndarray, count: int) -> np.ndarray:
    """LAPACK's pivots, counted from 1, of matrices that put rows in an order."""
    out = np.empty((*P.shape[:-2], count), np.int32)
    for at in np.ndindex(*P.shape[:-2]):
        now, order = list(range(P.shape[-1])), P[at].real.argmax(0).tolist()
        for i in range(count):
            j = now.index(order[i], i)
            now[i], now[j] = now[j], now[i]
            out[at][i] = j + 1
    return out


def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return ``(LU, pivots, info)``: L and U in one matrix, the exchanges of rows, and where U's diagonal is zero."""
    P, L, U = lu(A, pivot=pivot)
    m, n = sizes(A)[-2:]
    k = min(m, n)
    strict, upper = tril(L, -1), U
    if n > k:
        strict = pad(strict, (0, n - k))
    if m > k:
        upper = pad(upper, (0, 0, 0, m - k))
    pivots = _exchanges(known(P, "the order of rows"), k)
    zero = np.diagonal(array(U), axis1=-2, axis2=-1) == 0
    info = np.where(zero.any(-1), zero.argmax(-1) + 1, 0) if k else np.zeros(sizes(A)[:-2])
    if check_errors and info.any():
        raise LinAlgError(
            f"linalg.lu_factor: U[{int(info.max())},{int(info.max())}] is zero and using it on lu_solve would result "
            "in a division by zero.", "The matrix is singular.", "linalg.lu_factor_ex does not check.",
        )  # fmt: skip
    return _FactorEx(strict + upper, make(pivots), make(info.astype(np.int32)))


def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """Return ``(LU, pivots)``: L (but for its ones) and U in one matrix, and the exchanges of rows.

    Raises
    ------
    LinAlgError : a matrix is singular
    """
    return _Factor(*lu_factor_ex(A, pivot=pivot, check_errors=True)[:2])


@public(method=False)
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return ``(P, L, U)`` of what `linalg.lu_factor` packed."""
    m, n = sizes(LU_data)[-2:]
    k, real = min(m, n), _config.real_of(LU_data.dtype)
    empty = make(np.empty(0, LU_data.dtype))
    P = make(_order_matrix(LU_pivots, m).astype(LU_data.dtype)) if unpack_pivots else empty
    if not unpack_data:
        return _Unpacked(P, empty, empty)
    return _Unpacked(P, tril(LU_data[..., :k], -1) + np.eye(m, k, dtype=real), triu(LU_data[..., :k, :]))


def _order_matrix(pivots: Any, n: int) -> np.ndarray:
    found = known(pivots, "the order of rows")
    out = np.zeros((*found.shape[:-1], n, n))
    for at in np.ndindex(*found.shape[:-1]):
        out[at][_order_of(found[at] - 1, n), np.arange(n)] = 1
    return out


def linalg_lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """Return the solution of ``A @ X = B`` (``X @ A = B``; of ``A.mH`` if ``adjoint``) for an A that was factored.

    ``LU`` and ``pivots`` are what `linalg.lu_factor` returns.
    """
    if not left:
        return _adjoint(linalg_lu_solve(LU, pivots, _adjoint(B), adjoint=not adjoint))
    expect_matrix(LU, "linalg.lu_solve", name="LU")
    expect_matrix(B, "linalg.lu_solve", square=False, name="B")
    P = _order_matrix(pivots, sizes(LU)[-1]).astype(_config.real_of(LU.dtype))
    if adjoint:
        inner = triangular_row(_adjoint(LU), B, False, True, False)
        return matmul(P, triangular_row(_adjoint(LU), inner, True, True, True))
    return triangular_row(LU, triangular_row(LU, matmul(P.mT, B), False, True, True), True, True, False)


_adjoint = adjoint


@public()
def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Return the solution of ``A @ X = b``: `linalg.lu_solve` with its arguments in another order."""
    return linalg_lu_solve(LU_data, LU_pivots, b)


def _old_lu(A: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    """Return ``(LU, pivots)`` as `linalg.lu_factor` does, with ``get_infos`` the third of `linalg.lu_factor_ex` too."""
    found = lu_factor_ex(A, pivot=pivot, check_errors=not get_infos)
    return tuple(found) if get_infos else tuple(found[:2])


_old_lu.__name__ = _old_lu.__qualname__ = "lu"
public()(_old_lu)

# ------------------------------------------------------------------------------------------------- reflections


def _reflected(A: Any, tau: Any, C: Any, forward: bool) -> Any:
    """``H_1 … H_k C`` for reflections whose vectors are A's columns below the diagonal; ``forward``: the adjoint."""
    m = sizes(A)[-2]
    places = np.arange(m)[:, None]
    tau = conj(tau) if forward else tau
    for i in range(sizes(tau)[-1])[:: 1 if forward else -1]:
        v = where(places > i, A[..., i : i + 1], (places == i).astype(A.dtype))
        C = C - as_scalars(tau[..., i]) * (v @ (adjoint(v) @ C))
    return C


@public("orgqr")
def householder_product(input: Any, tau: Any) -> Any:
    """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns.

    Above the diagonal the columns are not read, and count as 0; on it they count as 1.
    """
    expect_matrix(input, "torch.linalg.householder_product", square=False)
    m, n = sizes(input)[-2:]
    if m < n or sizes(tau)[-1] > n:
        raise ShapeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
            if m < n else
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]",
            f"The shapes are {sizes(input)} and {sizes(tau)}.", "Each column is one vector.",
        )  # fmt: skip
    one = np.broadcast_to(np.eye(m, n, dtype=input.dtype), sizes(input))
    return _reflected(input, tau, make(one.copy()) if isinstance(input, Tensor) else one, False)


@public()
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """Return the product of `householder_product`'s whole matrix (its adjoint if ``transpose``) with ``other``."""
    if left:
        return _reflected(input, tau, other, transpose)
    return adjoint(_reflected(input, tau, adjoint(other), not transpose))


_Geqrf = result("geqrf", "a", "tau")


@public()
def geqrf(input: Any) -> Any:
    """Return the QR factorisation as LAPACK keeps it: R with the vectors of reflections below it, and their factors."""
    expect_matrix(input, "geqrf", square=False)
    if isinstance(input, Tensor) and input.requires_grad:
        raise NotDifferentiableError(
            "geqrf on a tensor that requires grad has no derivative rule", "It is LAPACK's own form.",
            "linalg.qr has one, to every order.",
        )  # fmt: skip
    packed, tau = np.linalg.qr(known(input, "geqrf"), mode="raw")
    return _Geqrf(make(np.ascontiguousarray(packed.mT)), make(tau))
