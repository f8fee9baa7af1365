"""Inverses, least squares and Cholesky factors under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as _scipy

from ...ops import ndarray_of, sizes
from ...ops.linalg import adjoint, cholesky_row, cholesky_solve_row, expect_matrix
from ...ops.linalg import det as _det
from ...ops.linalg import inv as _inv
from ...ops.linalg import lstsq as _lstsq
from ...ops.linalg import pinv as _pinv
from .._mirrored import mirrored, one_by_one, refused
from ._factors import svdvals
from ._solvers import KINDS, of_triangle, on_columns, solve


@mirrored(_scipy.inv, "a")
def inv(a: Any, assume_a: str | None = None, lower: bool = False) -> Any:
    """Return the inverse of a square matrix, (…, n, n).

    Parameters are those of `scipy.linalg.inv`.

    Raises
    ------
    LinAlgError : the matrix is singular

    Examples
    --------
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.inv(a).trace())(sg.symbol("A", ("n", "n")))
    −A⁻ᵀA⁻ᵀ
    """
    if KINDS.get(assume_a, "?") != "general":
        one = np.broadcast_to(np.eye(sizes(a)[-1]), sizes(a))
        return solve(a, one, lower=lower, assume_a=assume_a, check_finite=False)
    return _inv(a)


@mirrored(_scipy.det, "a")
def det(a: Any) -> Any:
    """Return the determinant of a square matrix, (…, n, n).

    Parameters are those of `scipy.linalg.det`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(sp.linalg.det)(np.array([[2.0, 1.0], [0.0, 4.0]]))
    array([[ 4.,  0.],
           [-1.,  2.]])
    """
    return _det(a)


@mirrored(_scipy.pinv, "a")
def pinv(a: Any, atol: Any, rtol: Any, return_rank: bool) -> Any:
    """Return the pseudo-inverse of a matrix; singular values up to ``atol + rtol * largest`` count as zero.

    Parameters are those of `scipy.linalg.pinv`.

    The gradient is right where the rank stays the same. ``atol`` and ``rtol`` are not taken together.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.pinv(a)[0, 0])(np.array([[2.0], [0.0]]))
    array([[-0.25],
           [ 0.  ]])
    """
    return _pseudo("pinv", a, atol, rtol, return_rank, False)


@mirrored(_scipy.pinvh, "a")
def pinvh(a: Any, atol: Any, rtol: Any, lower: bool, return_rank: bool) -> Any:
    """Return the pseudo-inverse of a Hermitian matrix, of which one triangle is read; its gradient is Hermitian.

    Parameters are those of `scipy.linalg.pinvh`.
    """
    return _pseudo("pinvh", of_triangle(a, lower), atol, rtol, return_rank, True)


def _pseudo(name: str, a: Any, atol: Any, rtol: Any, return_rank: bool, hermitian: bool) -> Any:
    if len(sizes(a)) < 2:
        raise ValueError(f"{name}: a matrix has two dimensions, not {len(sizes(a))}")
    if atol and rtol:
        raise refused(f"linalg.{name} with both atol= and rtol=", f"They are {atol} and {rtol}.", "Give one of them.")
    found = _pinv(a, atol=atol, rtol=rtol, hermitian=hermitian)
    if not return_rank:
        return found
    plain = ndarray_of(a)
    options = {"atol": atol, "rtol": rtol, "return_rank": True}
    return found, (_scipy.pinvh if hermitian else _scipy.pinv)(plain, **options)[1]


@mirrored(_scipy.lstsq, "a b")
def lstsq(a: Any, b: Any, cond: Any, lapack_driver: str | None) -> Any:
    """Return ``(x, residues, rank, s)`` of the x that makes ``a @ x - b`` smallest, and is the smallest such.

    Parameters are those of `scipy.linalg.lstsq`.

    ``x``, ``residues`` (the sums of squares, where a has more rows than columns and full rank) and the singular values
    ``s`` have derivatives, at constant ``rank``. Of a batch, (…, m, n) or (…, m, k), there is one of each per matrix.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda b: sp.linalg.lstsq(np.ones((4, 1)), b)[1])(np.array([1.0, 2.0, 3.0, 6.0]))
    array([-4., -2.,  0.,  6.])
    """
    x, residues, count, values = one_by_one(lambda a, b: _least_squares(a, b, cond), a, b)
    if lapack_driver != "gelsy":
        return x, residues, count, values
    lead = np.shape(count)
    return x, np.empty((*lead, 0)), count, np.full(lead, None) if lead else None


def _least_squares(a: Any, b: Any, cond: Any) -> tuple[Any, ...]:
    """The results of one matrix: there are no residues where it leaves none, or where they are not unique."""
    x, _, rank, _ = _lstsq(a, b, cond)
    m, n = sizes(a)
    count = int(ndarray_of(rank))
    full = m > n and count == n
    return x, (np.abs(a @ x - b) ** 2).sum(0) if full else np.empty((0,)), count, svdvals(a)


# -------------------------------------------------------------------------------------------------- factored matrices


@mirrored(_scipy.cholesky, "a")
def cholesky(a: Any, lower: bool) -> Any:
    """Return the triangular factor of a positive definite matrix (…, n, n): ``a = U.conj().T @ U``, or ``L @ L^H``.

    Parameters are those of `scipy.linalg.cholesky`.

    One triangle is read, the one that the factor has; the gradient is Hermitian.

    Raises
    ------
    LinAlgError : the matrix is not positive definite

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: np.log(np.diag(sp.linalg.cholesky(a))).sum())(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[ 0.15625, -0.0625 ],
           [-0.0625 ,  0.125  ]])
    """
    expect_matrix(a, "scipy.linalg.cholesky", name="a")
    return cholesky_row(a if lower else adjoint(a), not lower)


@mirrored(_scipy.cho_factor, "a")
def cho_factor(a: Any, lower: bool) -> Any:
    """Return ``(c, lower)`` for `cho_solve`: a Cholesky factor, whose other triangle is zero here and random in SciPy.

    Parameters are those of `scipy.linalg.cho_factor`.

    Raises
    ------
    LinAlgError : the matrix is not positive definite

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> a = np.array([[4.0, 2.0], [2.0, 5.0]])
    >>> sg.grad(lambda b: sp.linalg.cho_solve(sp.linalg.cho_factor(a), b) @ b)(np.array([1.0, 0.0]))
    array([ 0.625, -0.25 ])
    """
    return cholesky(a, lower, check_finite=False), bool(lower)


@mirrored(_scipy.cho_solve, "c_and_lower b")
def cho_solve(c_and_lower: Any, b: Any) -> Any:
    """Return the solution x of ``a @ x = b`` for a matrix that `cho_factor` factored.

    Parameters are those of `scipy.linalg.cho_solve`.

    Only the triangle that ``lower`` names is read, and has a gradient.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> c = sp.linalg.cho_factor(np.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> sg.jacobian(lambda b: sp.linalg.cho_solve(c, b))(np.ones(2))
    array([[ 0.3125, -0.125 ],
           [-0.125 ,  0.25  ]])
    """
    c, lower = c_and_lower
    expect_matrix(c, "scipy.linalg.cho_solve", name="c")
    return on_columns(lambda s: cholesky_solve_row(s, c, not lower), b, sizes(c)[-1], "cho_solve")
