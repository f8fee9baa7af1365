"""Triangular systems, and the Cholesky factorisation, which is solved with them.

The idea to hold: the derivative of a triangular factor is triangular, so each gradient is cut back to its triangle.
Source: I. Murray, Differentiation of the Cholesky decomposition (2016).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _config
from ..._errors import ShapeError
from ...core import fallible, recorded_as
from .._dims import sizes
from .._public import public
from .._results import result
from ..entries._elementwise import where
from ._contract import fit
from ._linalg import LinAlgError, _regular, adjoint, expect_matrix, failing, hermitian

# ---------------------------------------------------------------------------------------- triangular systems


def _triangular(a: np.ndarray, b: np.ndarray, upper: bool, left: bool, unitriangular: bool) -> np.ndarray:
    from scipy.linalg import blas

    if not left:
        return _triangular(a.mT, b.mT, not upper, True, unitriangular).mT
    dtype = np.result_type(a, b)
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    n, k = b.shape[-2:]
    out = np.empty((*lead, n, k), dtype)
    if out.size == 0:
        return out
    trsm = blas.get_blas_funcs("trsm", dtype=dtype)
    matrices = np.broadcast_to(a, (*lead, n, n)).reshape((-1, n, n))
    sides = np.broadcast_to(b, (*lead, n, k)).reshape((-1, n, k))
    for target, matrix, side in zip(out.reshape((-1, n, k)), matrices, sides, strict=True):
        target[...] = trsm(1.0, matrix, side, lower=not upper, diag=unitriangular)
    return out


def _triangle(x: Any, upper: bool, unitriangular: bool) -> Any:
    """The part of a matrix that a triangular solve reads."""
    n = int(x.shape[-1])
    kept = np.tri(n, n, -1 if unitriangular else 0, dtype=bool)
    return where(kept.T if upper else kept, x, 0.0)


def _triangular_sides(g: Any, a: Any, upper: Any, left: Any, unitriangular: Any, shape: Any) -> Any:
    return fit(triangular_row(a.mT, g, not upper, left, unitriangular), shape)


def _triangular_matrix(g: Any, a: Any, y: Any, upper: Any, left: Any, unitriangular: Any, shape: Any) -> Any:
    d = triangular_row(a.mT, g, not upper, left, unitriangular)
    product = d @ y.mT if left else y.mT @ d
    return _triangle(fit(-product, shape), upper, unitriangular)


triangular_row = fallible(
    "solve_triangular", _triangular, _triangular_matrix, _triangular_sides,
    means="option option option", last=2,
    sample=lambda rng: (_regular(rng, (3, 2)), (False, True, False)),
    doc="the solution X of A X = B for a triangular A (the other triangle is not read)",
)  # fmt: skip


def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """Return the solution of ``A @ X = B`` (or ``X @ A = B``) for a triangular matrix; its other triangle is not read.

    A zero on the diagonal gives infinities, not an error.
    """
    expect_matrix(A, "linalg.solve_triangular")
    expect_matrix(B, "linalg.solve_triangular", square=False, name="B")
    a, b = sizes(A), sizes(B)
    if a[-1] != b[-2 if left else -1]:
        raise ShapeError(
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})", "", "B has as many rows as A.",
        )  # fmt: skip
    return triangular_row(A, B, bool(upper), bool(left), bool(unitriangular))


_TriangularSolve = result("triangular_solve", "solution", "cloned_coefficient")


@public()
def triangular_solve(b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """Return ``(X, A)`` with ``A @ X = b`` for a triangular A: the older form of `linalg.solve_triangular`."""
    expect_matrix(A, "triangular_solve")
    expect_matrix(b, "triangular_solve", square=False, name="b")
    matrix = A.mT if transpose else A
    X = triangular_row(matrix, b, bool(upper) != bool(transpose), True, bool(unitriangular))
    return _TriangularSolve(recorded_as(X, "triangular_solve"), A)


# ------------------------------------------------------------------------------------------------- Cholesky


def _cholesky(x: np.ndarray, upper: bool) -> np.ndarray:
    try:
        y = np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        place, _ = failing(x, _bad_minor)
        raise LinAlgError(
            f"linalg.cholesky: {place}The factorization could not be completed because the input is not "
            "positive-definite.",
            f"The matrix has shape {x.shape}.", "Add a small multiple of the identity, or use linalg.eigh.",
        ) from None  # fmt: skip
    return adjoint(y) if upper else y


def _cholesky_rule(g: Any, y: Any, upper: Any) -> Any:
    """``L^-H phi(L^H g) L^-1`` made Hermitian; phi keeps the lower triangle, and half the diagonal."""
    if upper:
        g, y = adjoint(g), adjoint(y)
    inner = adjoint(y) @ g
    n = int(inner.shape[-1])
    keep = np.tri(n, n, -1, dtype=_config.real_of(inner.dtype)) + 0.5 * np.eye(n, dtype=_config.real_of(inner.dtype))
    half = triangular_row(adjoint(y), inner * keep, True, True, False)
    return hermitian(triangular_row(y, half, False, False, False))


def _bad_minor(A: np.ndarray) -> int:
    from scipy.linalg import lapack

    return int(lapack.get_lapack_funcs("potrf", (A,))(A, lower=True)[1])


def _positive(rng: Any) -> Any:
    a = rng.normal(size=(3, 3))
    return a @ a.T + np.eye(3)


cholesky_row = fallible(
    "linalg_cholesky", _cholesky, _cholesky_rule, holomorphic=False,
    means="option", last=2, sample=lambda rng: ([_positive(rng)], (False,)),
    label="cholesky", doc="the triangular L with L L^H = A",
)  # fmt: skip


def linalg_cholesky(A: Any, *, upper: bool = False) -> Any:
    """Return the lower triangular L with ``L @ L.mH = A`` (or the upper ``L.mH``); only A's lower triangle is read.

    The gradient is Hermitian: that of a function of Hermitian matrices.

    Raises
    ------
    LinAlgError : a matrix is not positive definite

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.cholesky(sg.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    expect_matrix(A, "linalg.cholesky")
    return cholesky_row(A, bool(upper))


@public()
def cholesky(input: Any, upper: bool = False) -> Any:
    """Return the Cholesky factor, as `linalg.cholesky` does."""
    expect_matrix(input, "cholesky")
    return recorded_as(cholesky_row(input, bool(upper)), "cholesky")


def _cholesky_solve(a: np.ndarray, b: np.ndarray, upper: bool) -> np.ndarray:
    lower = adjoint(b) if upper else b
    return _triangular(adjoint(lower), _triangular(lower, a, False, True, False), True, True, False)


def _cholesky_solve_factor(g: Any, b: Any, y: Any, upper: Any, shape: Any) -> Any:
    # X = inv(L L^H) B, so the gradient of L L^H is -(inv(L L^H) g) X^H
    d = cholesky_solve_row(g, b, upper) @ adjoint(y)
    both, b = d + adjoint(d), _triangle(b, upper, False)  # only that part is read
    return _triangle(fit(-(b @ both) if upper else -(both @ b), shape), upper, False)


cholesky_solve_row: Any = fallible(
    "cholesky_solve", _cholesky_solve,
    lambda g, b, upper, shape: fit(cholesky_solve_row(g, b, upper), shape), _cholesky_solve_factor,
    holomorphic=False, means="option", last=2,
    sample=lambda rng: ([rng.normal(size=(3, 2)), np.linalg.cholesky(_positive(rng))], (False,)),
    doc="the solution X of L L^H X = B",
)  # fmt: skip


@public()
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """Return the solution of ``A @ X = B`` for the matrix whose Cholesky factor ``L`` is (upper if ``upper``)."""
    expect_matrix(L, "cholesky_solve", name="L")
    expect_matrix(B, "cholesky_solve", square=False, name="B")
    return cholesky_solve_row(B, L, bool(upper))


def _cholesky_inverse_rule(g: Any, x: Any, y: Any, upper: Any) -> Any:
    both, x = y @ (g + adjoint(g)) @ y, _triangle(x, upper, False)  # only that part is read
    return _triangle(-(x @ both) if upper else -(both @ x), upper, False)


cholesky_inverse_row = fallible(
    "cholesky_inverse", lambda x, upper: _cholesky_solve(np.eye(x.shape[-1], dtype=x.dtype), x, upper),
    _cholesky_inverse_rule,
    holomorphic=False, means="option", last=2, sample=lambda rng: ([np.linalg.cholesky(_positive(rng))], (False,)),
    doc="the inverse of L L^H",
)  # fmt: skip


@public()
def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """Return the inverse of the matrix whose Cholesky factor ``L`` is."""
    expect_matrix(L, "cholesky_inverse", name="L")
    return cholesky_inverse_row(L, bool(upper))
