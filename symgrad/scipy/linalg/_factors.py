"""Factorisations and spectra under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as _scipy
from scipy.optimize import linear_sum_assignment

from ..._errors import ShapeError
from ...ops import kind_of, known_values, ndarray_of, sizes
from ...ops.entries import cast
from ...ops.linalg import (
    LinAlgError,
    conj,
    eig_row,
    eigh_row,
    expect_matrix,
    is_complex,
    linalg_lu_solve,
    lu_row,
    qr_row,
    solve_row,
    svd_row,
)
from ...ops.linalg import eig as _eig
from ...ops.linalg import lu_factor as _lu_factor
from ...ops.linalg.matrix_equations import pair_row, schur_row
from ...ops.linalg.special_systems import ldl_row
from .._mirrored import mirrored, one_by_one, refused
from ._solvers import of_triangle, on_columns

# --------------------------------------------------------------------- Factorisations and spectra under SciPy's names

# The idea to hold: vectors that belong to equal values have no derivative, values do. So nothing here refuses a
# repeated eigenvalue by itself: the rule does, naming the gap, where a gradient divides by it.


@mirrored(_scipy.lu, "a")
def lu(a: Any, permute_l: bool, p_indices: bool) -> Any:
    """Return ``(p, l, u)`` with ``a = p @ l @ u``, for a matrix (…, m, n): an order of rows, unit lower and upper.

    Parameters are those of `scipy.linalg.lu`.

    The order of rows is constant: derivatives are those at that order.

    Parameters
    ----------
    permute_l : return ``(p @ l, u)``
    p_indices : return the order as indices: ``a = l[p, :] @ u``

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.lu(a)[2][1, 1])(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[ 0.25, -0.5 ],
           [-0.5 ,  1.  ]])
    """
    expect_matrix(a, "scipy.linalg.lu", square=False, name="a")
    p, lower, upper = lu_row(a)
    p = (p.detach() if hasattr(p, "detach") else p).real
    if permute_l:
        return p @ lower, upper
    if p_indices:
        order = known_values(p, "the order of rows")
        return np.argmax(order.real, -1).astype(np.int32), lower, upper
    return p, lower, upper


@mirrored(_scipy.lu_factor, "a")
def lu_factor(a: Any) -> Any:
    """Return ``(lu, piv)`` for `lu_solve`: both factors in one matrix, and the rows that were exchanged, from 0.

    Parameters are those of `scipy.linalg.lu_factor`.

    Raises
    ------
    LinAlgError : the matrix is singular (SciPy warns, and gives what cannot be solved with)

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> f = lambda a: sp.linalg.lu_solve(sp.linalg.lu_factor(a), np.ones(2)).sum()
    >>> sg.grad(f)(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[-0.25  , -0.125 ],
           [-0.125 , -0.0625]])
    """
    expect_matrix(a, "scipy.linalg.lu_factor", square=False, name="a")
    packed, pivots = _lu_factor(a)
    return packed, (ndarray_of(pivots) - 1).astype(np.int32)


@mirrored(_scipy.lu_solve, "b")
def lu_solve(lu_and_piv: Any, b: Any, trans: int) -> Any:
    """Return the solution x of ``a @ x = b`` for a matrix that `lu_factor` factored.

    Parameters are those of `scipy.linalg.lu_solve`.

    Parameters
    ----------
    trans : 0, 1 (of ``a.T``) or 2 (of ``a.conj().T``)

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> f = sp.linalg.lu_factor(np.array([[2.0, 1.0], [0.0, 4.0]]))
    >>> sg.jacobian(lambda b: sp.linalg.lu_solve(f, b))(np.ones(2))
    array([[ 0.5  , -0.125],
           [ 0.   ,  0.25 ]])
    """
    packed, piv = lu_and_piv
    pivots = known_values(piv, "the order of rows") + 1
    n = sizes(packed)[-1]
    if trans == 1:
        return conj(on_columns(lambda c: linalg_lu_solve(packed, pivots, c, adjoint=True), conj(b), n, "lu_solve"))
    return on_columns(lambda c: linalg_lu_solve(packed, pivots, c, adjoint=trans == 2), b, n, "lu_solve")


@mirrored(_scipy.ldl, "A")
def ldl(A: Any, lower: bool) -> Any:
    """Return ``(lu, d, perm)`` with ``A = lu @ d @ lu.T``, for a real symmetric matrix of which one triangle is read.

    Parameters are those of `scipy.linalg.ldl`.

    ``lu[perm]`` is triangular, ``d`` has blocks of one and two rows. Which rows are exchanged, and which blocks there
    are, is constant; the gradient is symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.ldl(a)[1][1, 1])(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[ 0.25, -0.5 ],
           [-0.5 ,  1.  ]])
    """
    if is_complex(A):
        raise refused("linalg.ldl of a complex matrix", f"Its shape is {sizes(A)}.", "Use cholesky or lu.")
    expect_matrix(A, "scipy.linalg.ldl")
    return one_by_one(lambda a: _ldl(a, bool(lower)), A)


def _ldl(A: Any, lower: bool) -> Any:
    factor, d, order, _ = ldl_row(of_triangle(A, lower), lower)
    plain = known_values(order.detach() if hasattr(order, "detach") else order, "the order of rows")
    return factor, d, np.argmax(plain, -1)


@mirrored(_scipy.qr, "a")
def qr(a: Any, mode: str, pivoting: bool) -> Any:
    """Return ``(q, r)`` with ``a = q @ r``, for a matrix (…, m, n): orthonormal columns, and an upper triangle.

    Parameters are those of `scipy.linalg.qr`.

    Parameters
    ----------
    mode : 'full' (of a matrix that has more rows than columns, q has columns without derivatives: backward raises),
        'r' (``(r,)``), or 'economic'

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.qr(a, mode="economic")[1][0, 0])(np.array([[3.0], [4.0]]))
    array([[-0.6],
           [-0.8]])
    """
    if mode not in ("full", "qr", "r", "economic", "raw"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic', 'raw']")
    if pivoting or mode == "raw":
        said = "pivoting=True" if pivoting else "mode='raw'"
        raise refused(f"linalg.qr with {said}", "Which column comes first depends on values.", "Leave it out.")
    expect_matrix(a, "scipy.linalg.qr", square=False, name="a")
    if mode == "r":
        m, n = sizes(a)[-2:]
        r = qr_row(a, "reduced")[1]
        if m > n:
            r = np.concatenate([r, np.zeros((*sizes(a)[:-2], m - n, n), r.dtype)], -2)
        return (r,)
    return tuple(qr_row(a, "reduced" if mode == "economic" else "complete"))


@mirrored(_scipy.svd, "a")
def svd(a: Any, full_matrices: bool, compute_uv: bool, lapack_driver: str) -> Any:
    """Return ``(U, s, Vh)`` with ``a = U @ diag(s) @ Vh``, for a matrix (…, m, n), s descending; or s alone.

    Parameters are those of `scipy.linalg.svd`.

    The further columns that ``full_matrices`` adds have no derivative of their own.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two singular values coincide

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.svd(a, compute_uv=False)[0])(np.diag([3.0, 2.0]))
    array([[1., 0.],
           [0., 0.]])
    """
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f'lapack_driver must be "gesdd" or "gesvd", not "{lapack_driver}"')
    expect_matrix(a, "scipy.linalg.svd", square=False, name="a")
    u, s, vh = svd_row(a, bool(full_matrices and compute_uv))
    return (u, s, vh) if compute_uv else s


@mirrored(_scipy.svdvals, "a")
def svdvals(a: Any) -> Any:
    """Return the singular values of a matrix (…, m, n), descending; also repeated ones have a gradient.

    Parameters are those of `scipy.linalg.svdvals`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.svdvals(a).sum())(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    return svd(a, compute_uv=False, check_finite=False)


@mirrored(_scipy.eig, "a b")
def eig(a: Any, b: Any, left: bool, right: bool, homogeneous_eigvals: bool) -> Any:
    """Return ``(w, vr)``, eigenvalues and vectors of a square matrix (…, n, n); w alone with ``right=False``.

    Parameters are those of `scipy.linalg.eig`.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two eigenvalues coincide, when it is
        that of a function which depends on their phases, or when the matrix is defective

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.eig(a)[0].real.max())(np.array([[1.0, 1.0], [0.0, 3.0]]))
    array([[0. , 0. ],
           [0.5, 1. ]])
    """
    if left or homogeneous_eigvals:
        said = "left=True" if left else "homogeneous_eigvals=True"
        raise refused(f"linalg.eig with {said}", "It is not written.", "Leave it out.")
    expect_matrix(a, "scipy.linalg.eig", name="a")
    if b is not None:
        if right:
            raise refused(
                "linalg.eig with vectors of a pair", "How long they are hangs on which entry is the largest.",
                "Take eigvals(a, b), or eig(solve(b, a)); eigh takes a pair of symmetric matrices.",
            )  # fmt: skip
        return _values_of_pair(a, b)
    if not right:
        return _eig(a)[0]
    return _eig(a)[0], eig_row(a)[1]


def _values_of_pair(a: Any, b: Any) -> Any:
    """Those of the inverse of b times a, in the order in which SciPy finds them."""
    expect_matrix(b, "scipy.linalg.eig", name="b")
    theirs = _scipy.eigvals(known_values(a, "eigvals of a pair"), known_values(b, "eigvals of a pair"))
    if not np.isfinite(theirs).all():
        raise LinAlgError("eigvals: an eigenvalue of the pair is not finite", "The second matrix is singular.", "")
    ours = _eig(solve_row(b, a))[0]
    order = np.empty(theirs.shape, np.intp)
    for at in np.ndindex(*theirs.shape[:-1]):
        order[at] = linear_sum_assignment(np.abs(theirs[at][:, None] - ndarray_of(ours)[at]))[1]
    return np.take_along_axis(ours, order, -1)


@mirrored(_scipy.eigvals, "a b")
def eigvals(a: Any, b: Any, homogeneous_eigvals: bool) -> Any:
    """Return the eigenvalues of a square matrix (…, n, n), complex and in no order.

    Parameters are those of `scipy.linalg.eigvals`. With b they are those of a pair, ``a v = w b v``; b is not singular.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.eigvals(a).real.max())(np.array([[1.0, 1.0], [0.0, 3.0]]))
    array([[0. , 0. ],
           [0.5, 1. ]])
    """
    return eig(a, b, right=False, homogeneous_eigvals=homogeneous_eigvals, check_finite=False)


def _eigen(a: Any, b: Any, lower: bool, type: int, subset_by_index: Any, subset_by_value: Any, what: str) -> Any:
    expect_matrix(a, f"scipy.linalg.{what}", name="a")
    if subset_by_value is not None:
        raise refused(f"linalg.{what} with subset_by_value=", "How many there are depends on values.",
                      "Use subset_by_index=, or choose by np.where.")  # fmt: skip
    if type != 1:
        raise refused(f"linalg.{what} with type={type}", "It is not written.", "Take type=1 of another pair.")
    matrix = of_triangle(a, lower)
    if b is None:
        w, v = eigh_row(matrix, "L")
    else:
        expect_matrix(b, f"scipy.linalg.{what}", name="b")
        if sizes(a)[-2:] != sizes(b)[-2:]:
            raise ShapeError(f"{what}: wrong b dims {sizes(b)}", f"a should have the same, {sizes(a)}.", "")
        shape = np.broadcast_shapes(sizes(a), sizes(b))
        both, dtype = (matrix, of_triangle(b, lower)), np.result_type(a, b)
        w, v = pair_row(*(np.broadcast_to(cast(m, dtype), shape) for m in both))  # gradients come back in their own
    if subset_by_index is None:
        return w, v
    low, high = (int(k) for k in subset_by_index)
    if not 0 <= low <= high < sizes(a)[-1]:
        raise ValueError(f"Requested eigenvalue indices are not valid. Valid range is [0, {sizes(a)[-1] - 1}]")
    return w[..., low : high + 1], v[..., low : high + 1]


@mirrored(_scipy.eigh, "a b")
def eigh(a: Any, b: Any, lower: bool, eigvals_only: bool, type: int, subset_by_index: Any, subset_by_value: Any) -> Any:
    """Return ``(w, v)``, eigenvalues, ascending, and vectors of a Hermitian matrix, or of a pair: ``a v = w b v``.

    Parameters are those of `scipy.linalg.eigh`.

    Parameters
    ----------
    a : (…, n, n), of which one triangle is read; the gradient is Hermitian
    b : positive definite, (…, n, n); ``v.conj().T @ b @ v = 1``
    subset_by_index : ``(first, last)``: only these are returned (all are computed)

    Raises
    ------
    LinAlgError : b is not positive definite
    GradientError : in backward, when the vectors' derivative is asked for and two eigenvalues coincide

    Notes
    -----
    ``driver`` is LAPACK's choice on plain arrays. Vectors are known up to their sign, which may be another there.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> K, M = np.diag([6.0, 2.0]), np.diag([2.0, 1.0])
    >>> sg.grad(lambda M: sp.linalg.eigh(K, M)[0][1])(M)
    array([[-1.5, -0. ],
           [-0. , -0. ]])
    """
    w, v = _eigen(a, b, lower, type, subset_by_index, subset_by_value, "eigh")
    return w if eigvals_only else (w, v)


@mirrored(_scipy.eigvalsh, "a b")
def eigvalsh(a: Any, b: Any, lower: bool, type: int, subset_by_index: Any, subset_by_value: Any) -> Any:
    """Return the eigenvalues, ascending, of a Hermitian matrix or of a pair: the first result of `eigh`.

    Parameters are those of `scipy.linalg.eigvalsh`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.eigvalsh(a).sum())(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    return _eigen(a, b, lower, type, subset_by_index, subset_by_value, "eigvalsh")[0]


# --------------------------------------------------------------------------- Schur's factorisation under SciPy's name


@mirrored(_scipy.schur, "a")
def schur(a: Any, output: str, sort: Any) -> Any:
    """Return ``(t, z)`` with ``a = z @ t @ z.conj().T``, for a matrix (…, n, n): t upper triangular, z unitary.

    Parameters are those of `scipy.linalg.schur`; the eigenvalues stand on the diagonal of t.

    A gradient takes n³ steps, of which n²/2 are Python's.

    Parameters
    ----------
    output : "real" or "complex"; real factors have a derivative where all eigenvalues are real
    sort : None; another order is refused

    Raises
    ------
    GradientError : in backward, where two eigenvalues coincide, where real factors have blocks (of complex
        eigenvalues), or when a loss depends on the phases of the complex columns of z

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.schur(a)[0][1, 1])(np.array([[1.0, 2.0], [0.0, 5.0]]))
    array([[0. , 0. ],
           [0.5, 1. ]])
    """
    expect_matrix(a, "scipy.linalg.schur", name="a")
    if output not in ("real", "complex", "r", "c"):
        raise ValueError("argument must be 'real', or 'complex'")
    if sort is not None:
        raise refused("linalg.schur with sort=", "It is not written.", "Leave the order to LAPACK.")
    if output in ("complex", "c") and kind_of(a) != "c":
        a = cast(a, np.complex128)
    t, z = schur_row(a)
    return t, z
