"""Functions of matrices, matrices that solve an equation or are built of others, and norms, under SciPy's names."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
import scipy.linalg as _scipy

from ..._errors import ShapeError
from ..._limits import DIRECT_LYAPUNOV
from ...core import Symbol, row_function
from ...ops import ndarray_of, rank, sizes
from ...ops.linalg import adjoint, conj, expect_matrix, inv_row, matrix_exp_row, solve_vector_row
from ...ops.linalg.matrix_equations import (
    continuous_row,
    discrete_row,
    logm_row,
    sqrtm_row,
    sylvester_row,
    sylvester_solution,
)
from .._mirrored import floating, mirrored, one_by_one, refused

# ------------------------------------ Functions of matrices, and matrices that solve an equation, under SciPy's names


@mirrored(_scipy.expm, "A")
def expm(A: Any) -> Any:
    """Return the exponential of a square matrix (…, n, n): the sum of ``A**k / k!``.

    Parameters are those of `scipy.linalg.expm`.

    Notes
    -----
    A gradient is the exponential of a matrix of twice the size.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.expm(a)[0, 1])(np.zeros((2, 2)))
    array([[0., 1.],
           [0., 0.]])
    >>> sg.grad(lambda a: sp.linalg.expm(a).trace())(sg.symbol("A", ("n", "n")))
    matrix_exp(A)ᵀ
    """
    expect_matrix(A, "scipy.linalg.expm")
    return matrix_exp_row(A)


@mirrored(_scipy.logm, "A")
def logm(A: Any, disp: Any = None) -> Any:
    """Return the principal logarithm of a square matrix (…, n, n).

    Parameters are those of `scipy.linalg.logm`.

    Raises
    ------
    LinAlgError : the matrix is singular; or it is real and has a negative eigenvalue: cast it to complex numbers

    Notes
    -----
    A gradient is the logarithm of a matrix of twice the size.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: np.trace(sp.linalg.logm(a)))(np.diag([2.0, 4.0])).round(4)
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    expect_matrix(A, "scipy.linalg.logm")
    _expect_no_report("logm", disp)
    return logm_row(A)


@mirrored(_scipy.sqrtm, "A")
def sqrtm(A: Any, disp: Any = None) -> Any:
    """Return the principal square root of a square matrix (…, n, n).

    Parameters are those of `scipy.linalg.sqrtm`.

    Raises
    ------
    LinAlgError : the matrix is real and has a negative eigenvalue: cast it to complex numbers; in backward, when two
        eigenvalues of the root add up to zero, as they do at a singular matrix

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: np.trace(sp.linalg.sqrtm(a)))(np.diag([4.0, 16.0]))
    array([[0.25 , 0.   ],
           [0.   , 0.125]])
    """
    expect_matrix(A, "scipy.linalg.sqrtm")
    _expect_no_report("sqrtm", disp)
    return sqrtm_row(A)


def _expect_no_report(name: str, disp: Any) -> None:
    if disp is False:
        raise refused(f"linalg.{name} with disp=False", "The estimate of the error has none.", "Leave disp out.")


@wraps(_scipy.solve_sylvester)
def _solution(a: Any, b: Any, q: Any) -> Any:
    return sylvester_solution(a, b, q)


@mirrored(_solution, "a b q")
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """Return the solution X (…, m, n) of ``a @ X + X @ b = q``.

    Parameters are those of `scipy.linalg.solve_sylvester`.

    Raises
    ------
    LinAlgError : an eigenvalue of a and one of -b coincide; it tells the gap

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> a, b = np.array([[1.0]]), np.array([[3.0]])
    >>> sg.grad(lambda a: sp.linalg.solve_sylvester(a, b, np.array([[8.0]]))[0, 0])(a)
    array([[-0.5]])
    """
    expect_matrix(a, "scipy.linalg.solve_sylvester", name="a")
    expect_matrix(b, "scipy.linalg.solve_sylvester", name="b")
    if sizes(q)[-2:] != (sizes(a)[-1], sizes(b)[-1]):
        raise ShapeError(f"solve_sylvester: q has shape {sizes(q)}", f"a is {sizes(a)} and b {sizes(b)}.", "")
    return sylvester_row(a, b, q)


@mirrored(_scipy.solve_continuous_lyapunov, "a q")
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """Return the solution X (…, n, n) of ``a @ X + X @ a.conj().T = q``.

    Parameters are those of `scipy.linalg.solve_continuous_lyapunov`.

    Raises
    ------
    LinAlgError : two eigenvalues of a add up to zero

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.solve_continuous_lyapunov(a, np.array([[8.0]]))[0, 0])(np.array([[2.0]]))
    array([[-1.]])
    """
    return solve_sylvester(a, adjoint(a), q)


@mirrored(_scipy.solve_discrete_lyapunov, "a q")
def solve_discrete_lyapunov(a: Any, q: Any, method: str | None) -> Any:
    """Return the solution X (…, n, n) of ``a @ X @ a.conj().T - X + q = 0``.

    Parameters are those of `scipy.linalg.solve_discrete_lyapunov`.

    Parameters
    ----------
    method : 'direct' (n⁶ steps; for fewer than 10 rows, if nothing is said), or 'bilinear'

    Raises
    ------
    LinAlgError : the product of two eigenvalues of a is 1; with 'bilinear', or one of them is -1

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.solve_discrete_lyapunov(a, np.array([[3.0]]))[0, 0])(np.array([[0.5]]))
    array([[5.33333333]])
    """
    expect_matrix(a, "scipy.linalg.solve_discrete_lyapunov", name="a")
    if sizes(q)[-2:] != sizes(a)[-2:]:
        raise ShapeError(f"solve_discrete_lyapunov: the shapes are {sizes(a)} and {sizes(q)}", "", "Both are n by n.")
    if method not in (None, "direct", "bilinear"):
        raise ValueError(f'Unknown solver: "{method}"')
    return one_by_one(lambda a, q: _discrete_lyapunov(a, q, method), a, q)


def _discrete_lyapunov(a: Any, q: Any, method: str | None) -> Any:
    n = sizes(a)[-1]
    if method == "direct" or (method is None and n < DIRECT_LYAPUNOV):
        left = np.eye(n * n, dtype=a.dtype) - np.kron(a, conj(a))
        return solve_vector_row(left, q.reshape((n * n,))).reshape((n, n))
    one = np.eye(n, dtype=a.dtype)
    inverse = inv_row(a + one)
    b = (a - one) @ inverse
    return sylvester_row(b, adjoint(b), -2 * (inverse @ q @ adjoint(inverse)))


def _riccati(row: Any, name: str, a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    for matrix, called in ((a, "a"), (q, "q"), (r, "r"), (e, "e")):
        if matrix is not None:
            expect_matrix(matrix, f"scipy.linalg.{name}", name=called)
    if any(len(sizes(m)) > 2 for m in (a, b, q, r, e, s) if m is not None):
        return one_by_one(lambda *of_one: _riccati(row, name, *of_one), a, b, q, r, e, s)
    n, k = sizes(a)[-1], sizes(r)[-1]
    sides = (a, "a", (n, n)), (b, "b", (n, k)), (q, "q", (n, n)), (e, "e", (n, n)), (s, "s", (n, k))
    for matrix, called, wanted in sides:
        if matrix is not None and sizes(matrix) != wanted:
            raise ShapeError(
                f"{name}: {called} has shape {sizes(matrix)}, not {wanted}", f"a is {sizes(a)}, r is {sizes(r)}.", ""
            )
    for matrix, called in ((q, "q"), (r, "r")):
        if isinstance(matrix, Symbol):
            continue
        plain = ndarray_of(matrix)
        if np.linalg.norm(plain - np.swapaxes(plain, -1, -2).conj(), 1) > np.spacing(np.linalg.norm(plain, 1)) * 100:
            raise ValueError(f"Matrix {called} should be symmetric/hermitian.")
    s = np.zeros(sizes(b)) if s is None else s
    if e is not None:  # the equation times the inverse of e, on the right and, transposed, on the left
        inverse = inv_row(e)
        a, q, s = a @ inverse, inverse.T @ q @ inverse, inverse.T @ s
        q = 0.5 * (q + q.T)
    return row(a, b, q, r, s)


@mirrored(_scipy.solve_continuous_are, "a b q r e s")
def solve_continuous_are(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    """Return the stabilizing X (…, n, n) of ``a.T X + X a - (X b + s) inv(r) (b.T X + s.T) + q = 0``.

    Parameters are those of `scipy.linalg.solve_continuous_are`.

    Real matrices: a (n, n), b (n, k), q (n, n) and r (k, k) symmetric, s (n, k). Gradients in q and r are symmetric.
    With e (n, n), which is inverted, the equation is that of SciPy's page.

    Raises
    ------
    LinAlgError : there is no stabilizing solution

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> one = np.ones((1, 1))
    >>> sg.grad(lambda q: sp.linalg.solve_continuous_are(0 * one, one, q, one)[0, 0])(4 * one)  # X = √q
    array([[0.25]])
    """
    return _riccati(continuous_row, "solve_continuous_are", a, b, q, r, e, s)


@mirrored(_scipy.solve_discrete_are, "a b q r e s")
def solve_discrete_are(a: Any, b: Any, q: Any, r: Any, e: Any, s: Any) -> Any:
    """Return the stabilizing X (…, n, n) of ``a.T X a - X - (a.T X b + s) inv(r + b.T X b) (b.T X a + s.T) + q = 0``.

    Parameters are those of `scipy.linalg.solve_discrete_are`.

    Real matrices: a (n, n), b (n, k), q (n, n) and r (k, k) symmetric, s (n, k). Gradients in q and r are symmetric.
    With e (n, n), which is inverted, the equation is that of SciPy's page.

    Raises
    ------
    LinAlgError : there is no stabilizing solution

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> one = np.ones((1, 1))
    >>> sg.grad(lambda q: sp.linalg.solve_discrete_are(0 * one, one, q, one)[0, 0])(4 * one)  # X = q
    array([[1.]])
    """
    return _riccati(discrete_row, "solve_discrete_are", a, b, q, r, e, s)


# -------------------------------------------------- Matrices that are built of others, and norms, under SciPy's names


@mirrored(_scipy.block_diag)
def block_diag(*arrs: Any) -> Any:
    """Return the matrix with these matrices along its diagonal; a vector is a row, a number a 1×1 matrix.

    Parameters are those of `scipy.linalg.block_diag`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda x: sp.linalg.block_diag(x, np.eye(2), x**2).trace())(5.0)
    np.float64(11.0)
    """
    blocks = [np.atleast_2d(floating(a)) for a in arrs]
    lead = np.broadcast_shapes(*[sizes(b)[:-2] for b in blocks])
    total = sum(sizes(b)[-1] for b in blocks)
    rows, before = [], 0
    for b in blocks:
        n = sizes(b)[-1]
        whole = np.broadcast_to(b, (*lead, *sizes(b)[-2:]))
        rows.append(np.pad(whole, [*[(0, 0)] * (len(lead) + 1), (before, total - before - n)]))
        before += n
    return np.concatenate(rows, -2)


@mirrored(_scipy.toeplitz, "c r")
def toeplitz(c: Any, r: Any) -> Any:
    """Return the matrix (…, m, n) with equal entries along its diagonals: first column c, first row r (``conj(c)``).

    Parameters are those of `scipy.linalg.toeplitz`.

    ``r[0]`` is not read.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda c: sp.linalg.toeplitz(c).sum())(np.array([1.0, 2.0, 3.0]))
    array([3., 4., 2.])
    """
    c, r = np.atleast_1d(c), np.atleast_1d(conj(c) if r is None else r)
    m, n = sizes(c)[-1], sizes(r)[-1]
    lead = np.broadcast_shapes(sizes(c)[:-1], sizes(r)[:-1])
    c, r = np.broadcast_to(c, (*lead, m)), np.broadcast_to(r, (*lead, n))
    both = row_function("cat")([np.flip(c, -1), r[..., 1:]], len(lead))
    return both[..., np.arange(m - 1, -1, -1)[:, None] + np.arange(n)]


@mirrored(_scipy.circulant, "c")
def circulant(c: Any) -> Any:
    """Return the circulant matrix (…, n, n) of a first column.

    Parameters are those of `scipy.linalg.circulant`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda c: sp.linalg.circulant(c).sum())(np.array([1.0, 2.0]))
    array([2., 2.])
    """
    c = np.atleast_1d(c)
    n = sizes(c)[-1]
    return c[..., (np.arange(n)[:, None] - np.arange(n)) % n]


@mirrored(_scipy.hankel, "c r")
def hankel(c: Any, r: Any) -> Any:
    """Return the matrix with equal entries along the other diagonals: first column c, last row r (zeros).

    Parameters are those of `scipy.linalg.hankel`.

    ``r[0]`` is not read.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda c: sp.linalg.hankel(c).sum())(np.array([1.0, 2.0]))
    array([1., 2.])
    """
    c = np.ravel(c)
    r = np.zeros(sizes(c), c.dtype) if r is None else np.ravel(r)
    m, n = sizes(c)[0], sizes(r)[0]
    return np.concatenate([c, r[1:]], 0)[..., np.arange(m)[:, None] + np.arange(n)]


@mirrored(_scipy.khatri_rao, "a b")
def khatri_rao(a: Any, b: Any) -> Any:
    """Return the Kronecker products of the columns of a (m, n) and b (k, n), as the columns of a matrix (m k, n).

    Parameters are those of `scipy.linalg.khatri_rao`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.khatri_rao(a, np.ones((3, 2))).sum())(np.eye(2))
    array([[3., 3.],
           [3., 3.]])
    """
    if rank(a) < 2 or rank(b) < 2 or sizes(a)[-1] != sizes(b)[-1]:
        raise ValueError(f"The number of columns for both arrays should be equal: {sizes(a)} and {sizes(b)}")
    product = a[..., :, None, :] * b[..., None, :, :]
    return product.reshape((*sizes(product)[:-3], sizes(a)[-2] * sizes(b)[-2], sizes(a)[-1]))


@mirrored(_scipy.norm, "a")
def norm(a: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    """Return the norm of a vector or a matrix, as `numpy.linalg.norm`; its gradient at 0 is 0.

    Parameters are those of `scipy.linalg.norm`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(sp.linalg.norm)(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """
    return np.linalg.norm(a, ord, axis, keepdims)
