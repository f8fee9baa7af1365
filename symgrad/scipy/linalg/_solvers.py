"""Linear systems under SciPy's names: dense, triangular, banded and Toeplitz matrices, and those that were factored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as _scipy

from ..._errors import ShapeError
from ...core import Symbol
from ...ops._dims import array, sizes
from ...ops.linalg._banded import banded_row, both_sides
from ...ops.linalg._cholesky import cholesky_row, cholesky_solve_row, triangular_row
from ...ops.linalg._determinant import det as _det
from ...ops.linalg._linalg import LinAlgError, adjoint, as_column, conj, expect_matrix, is_complex
from ...ops.linalg._linalg import inv as _inv
from ...ops.linalg._linalg import solve_row
from ...ops.linalg._pseudo import lstsq as _lstsq
from ...ops.linalg._pseudo import pinv as _pinv
from ...ops.linalg._toeplitz import toeplitz_row
from ...ops.linalg._triangles import from_triangle
from .._mirrored import floating, mirrored, refused


def _on_columns(solve: Callable[[Any], Any], b: Any, rows: int, what: str) -> Any:
    """The solution for a right side that is one vector, or has its vectors in columns."""
    shape = sizes(b)
    if not shape or shape[0 if len(shape) == 1 else -2] != rows:
        raise ShapeError(
            f"{what}: incompatible shapes of the matrix and b", f"The matrix has {rows} rows, b has shape {shape}.",
            "b is a vector, or has its vectors in columns.",
        )  # fmt: skip
    if len(shape) > 1:
        return solve(b)
    found = solve(as_column(b))
    return found.reshape(tuple(found.shape[:-1]))


def _plain(x: Any) -> bool:
    return not isinstance(x, Symbol)


def of_triangle(a: Any, lower: bool) -> Any:
    """The Hermitian matrix of which one triangle is read; a symbol that is declared symmetric, itself."""
    if isinstance(a, Symbol) and np.array_equal(a._data, np.swapaxes(a._data, -1, -2).conj()):
        return a
    return from_triangle(a, bool(lower))


_KINDS = {
    "diagonal": "diagonal", "tridiagonal": "general", "banded": "general", "upper triangular": "upper",
    "lower triangular": "lower", "symmetric": "sym", "sym": "sym", "hermitian": "her", "her": "her",
    "positive definite": "pos", "pos": "pos", "general": "general", "gen": "general", None: "general",
}  # fmt: skip


@mirrored(_scipy.solve, "a b")
def solve(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: str | None = None, transposed: bool = False,
) -> Any:  # fmt: skip
    """Return the solution x of ``a @ x = b``, as `scipy.linalg.solve`: by what ``assume_a`` says of the matrix.

    Parameters
    ----------
    a : (…, n, n)
    b : (n,) or (…, n, k)
    assume_a : 'gen', 'diagonal', 'tridiagonal', 'banded', 'upper triangular', 'lower triangular'; 'sym', 'her' and
        'pos', of which one triangle is read (the lower if ``lower``) and the gradient is Hermitian

    Raises
    ------
    LinAlgError : the matrix is singular, or not positive definite with 'pos'

    Notes
    -----
    n³ steps. A matrix that is said to be banded is solved as any other: `solve_banded` takes its bands.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> a = np.array([[2.0, 0.0], [0.0, 4.0]])
    >>> sg.grad(lambda b: sp.linalg.solve(a, b, assume_a="pos").sum())(np.ones(2))
    array([0.5 , 0.25])
    >>> A, b = sg.symbol("A", ("n", "n")), sg.symbol("b", "n")
    >>> sg.grad(lambda b: sp.linalg.solve(A, b).sum())(b)
    A⁻ᵀ𝟏
    """
    if assume_a not in _KINDS:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    expect_matrix(a, "scipy.linalg.solve", name="a")
    kind = _KINDS[assume_a]
    if transposed and is_complex(a):
        raise refused("linalg.solve with transposed=True and a complex matrix", "SciPy refuses it too.", "Pass a.T.")
    n = sizes(a)[-1]
    if kind in ("upper", "lower"):
        low = kind == "lower"
        _expect_regular_diagonal(a, "solve")
        matrix, low = (a.mT, not low) if transposed else (a, low)
        return _on_columns(lambda c: triangular_row(matrix, c, not low, True, False), b, n, "scipy.linalg.solve")
    if kind == "diagonal":
        d = np.einsum("...ii->...i", a)
        if _plain(d) and (array(d) == 0).any():
            raise LinAlgError("solve: A singular matrix detected: its diagonal has a zero.", "", "")
        return _on_columns(lambda c: c / as_column(d), b, n, "scipy.linalg.solve")
    if kind == "pos":
        factor = cholesky_row(a if lower else adjoint(a), not lower)
        return _on_columns(lambda c: cholesky_solve_row(c, factor, not lower), b, n, "scipy.linalg.solve")
    if kind == "her" or (kind == "sym" and not is_complex(a)):
        matrix = of_triangle(a, lower)
    elif kind == "sym":
        strict = np.tril(a, -1) if lower else np.triu(a, 1)
        matrix = (np.tril(a) if lower else np.triu(a)) + strict.mT
    else:
        matrix = a
    matrix = matrix.mT if transposed else matrix
    return _on_columns(lambda c: solve_row(matrix, c), b, n, "scipy.linalg.solve")


def _expect_regular_diagonal(a: Any, what: str) -> None:
    if not _plain(a):
        return
    zero = np.einsum("...ii->...i", array(a)) == 0
    if zero.any():
        k = int(np.nonzero(zero)[-1][0])
        raise LinAlgError(f"{what}: singular matrix: resolution failed at diagonal {k}", "It is zero there.", "")


@mirrored(_scipy.solve_triangular, "a b")
def solve_triangular(
    a: Any, b: Any, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False,
    overwrite_b: bool = False, check_finite: bool = True,
) -> Any:  # fmt: skip
    """Return the solution x of ``a @ x = b`` for a triangular matrix, whose other triangle is not read.

    Parameters
    ----------
    a : (…, n, n)
    b : (n,) or (…, n, k)
    trans : 0 or 'N', 1 or 'T' (``a.T @ x = b``), 2 or 'C' (``a.conj().T @ x = b``)

    Raises
    ------
    LinAlgError : the diagonal has a zero

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> a = np.array([[2.0, 1.0], [0.0, 4.0]])
    >>> sg.grad(lambda a: sp.linalg.solve_triangular(a, np.ones(2)).sum())(a)
    array([[-0.1875 , -0.125  ],
           [ 0.     , -0.03125]])
    """
    expect_matrix(a, "scipy.linalg.solve_triangular", name="a")
    way = {"N": 0, "T": 1, "C": 2}.get(trans, trans) if isinstance(trans, str) else trans
    if not unit_diagonal:
        _expect_regular_diagonal(a, "solve_triangular")
    matrix = a.mT if way == 1 else adjoint(a) if way == 2 else a
    upper = bool(lower) if way else not lower
    return _on_columns(
        lambda c: triangular_row(matrix, c, upper, True, bool(unit_diagonal)), b, sizes(a)[-1], "solve_triangular"
    )


@mirrored(_scipy.solve_banded, "ab b")
def solve_banded(
    l_and_u: tuple[int, int], ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Return the solution x of ``a @ x = b`` for a matrix that is given by its diagonals.

    Parameters
    ----------
    l_and_u : how many diagonals there are below and above the main one
    ab : (…, l + u + 1, n), ``ab[u + i - j, j] = a[i, j]``; entries outside the matrix are not read
    b : (n,) or (…, n, k)

    Raises
    ------
    LinAlgError : the matrix is singular

    Notes
    -----
    A gradient costs as much as a solve: n times the square of the number of diagonals.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> ab = np.array([[0.0, 1, 1], [4, 4, 4], [1, 1, 0]])
    >>> sg.grad(lambda b: sp.linalg.solve_banded((1, 1), ab, b)[0])(np.ones(3)).round(4)
    array([ 0.2679, -0.0714,  0.0179])
    """
    below, above = (int(k) for k in l_and_u)
    shape = sizes(ab)
    if len(shape) < 2 or shape[-2] != below + above + 1:
        raise ValueError(
            f"invalid values for the number of lower and upper diagonals: l+u+1 ({below + above + 1}) does not equal "
            f"ab.shape[0] ({shape[-2] if len(shape) > 1 else shape})"
        )
    return _on_columns(lambda c: banded_row(ab, c, below, above, False), b, shape[-1], "solve_banded")


@mirrored(_scipy.solveh_banded, "ab b")
def solveh_banded(
    ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Return the solution x of ``a @ x = b`` for a positive definite matrix that is given by half of its diagonals.

    Parameters
    ----------
    ab : (…, u + 1, n), ``ab[u + i - j, j] = a[i, j]`` for ``i <= j``; if ``lower``, ``ab[i - j, j]`` for ``i >= j``
    b : (n,) or (…, n, k)

    Raises
    ------
    LinAlgError : the matrix is not positive definite

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> ab = np.array([[4.0, 4, 4], [1, 1, 0]])
    >>> sg.grad(lambda b: sp.linalg.solveh_banded(ab, b, lower=True)[0])(np.ones(3)).round(4)
    array([ 0.2679, -0.0714,  0.0179])
    """
    if len(sizes(ab)) < 2:
        raise ValueError(f"solveh_banded: ab has shape {sizes(ab)}; its rows are diagonals")
    count = sizes(ab)[-2] - 1
    full = both_sides(ab, bool(lower), conj)
    if is_complex(ab):  # of the diagonal the real part is read
        full = np.stack(
            [full[..., k, :].real + 0j if k == count else full[..., k, :] for k in range(2 * count + 1)], full.ndim - 2
        )
    return _on_columns(lambda c: banded_row(full, c, count, count, True), b, sizes(ab)[-1], "solveh_banded")


def column_and_row(c_or_cr: Any) -> tuple[Any, Any]:
    """The first column and the first row of a Toeplitz matrix."""
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return floating(c), floating(r)
    c = floating(c_or_cr)
    return c, conj(c)


@mirrored(_scipy.solve_toeplitz, "b")
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """Return the solution x of ``toeplitz(c, r) @ x = b``, by Levinson's recursion.

    Parameters
    ----------
    c_or_cr : c, or ``(c, r)``: the first column (…, n) and the first row, ``conj(c)`` if it is not given
    b : (n,) or (…, n, k)

    Raises
    ------
    LinAlgError : a leading minor is singular, which the recursion needs

    Notes
    -----
    n² steps, as many for a gradient.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> c = np.array([4.0, 1.0, 0.0])
    >>> sg.grad(lambda c: sp.linalg.solve_toeplitz(c, np.ones(3)).sum())(c).round(4)
    array([-0.1122, -0.1224, -0.0918])
    """
    c, r = column_and_row(c_or_cr)
    n = sizes(c)[-1]
    if sizes(r)[-1] != n:
        raise ValueError(f"incompatible dimensions: the first column has {n} entries, the first row {sizes(r)[-1]}")
    return _on_columns(lambda s: toeplitz_row(c, r, s), b, n, "solve_toeplitz")


@mirrored(_scipy.inv, "a")
def inv(
    a: Any, overwrite_a: bool = False, check_finite: bool = True, *, assume_a: str | None = None, lower: bool = False
) -> Any:
    """Return the inverse of a square matrix, (…, n, n).

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
    if _KINDS.get(assume_a, "?") != "general":
        one = np.broadcast_to(np.eye(sizes(a)[-1]), sizes(a))
        return solve.__wrapped__(a, one, lower=lower, assume_a=assume_a)  # type: ignore[attr-defined]
    return _inv(a)


@mirrored(_scipy.det, "a")
def det(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the determinant of a square matrix, (…, n, n).

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
def pinv(
    a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False, check_finite: bool = True
) -> Any:
    """Return the pseudo-inverse of a matrix; singular values up to ``atol + rtol * largest`` count as zero.

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
def pinvh(
    a: Any, atol: Any = None, rtol: Any = None, lower: bool = True, return_rank: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """Return the pseudo-inverse of a Hermitian matrix, of which one triangle is read; its gradient is Hermitian."""
    return _pseudo("pinvh", of_triangle(a, lower), atol, rtol, return_rank, True)


def _pseudo(name: str, a: Any, atol: Any, rtol: Any, return_rank: bool, hermitian: bool) -> Any:
    if len(sizes(a)) < 2:
        raise ValueError(f"{name}: a matrix has two dimensions, not {len(sizes(a))}")
    if atol and rtol:
        raise refused(f"linalg.{name} with both atol= and rtol=", f"They are {atol} and {rtol}.", "Give one of them.")
    found = _pinv(a, atol=atol, rtol=rtol, hermitian=hermitian)
    if not return_rank:
        return found
    plain = array(a)
    options = {"atol": atol, "rtol": rtol, "return_rank": True}
    return found, (_scipy.pinvh if hermitian else _scipy.pinv)(plain, **options)[1]


@mirrored(_scipy.lstsq, "a b")
def lstsq(
    a: Any, b: Any, cond: Any = None, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, lapack_driver: str | None = None,
) -> Any:  # fmt: skip
    """Return ``(x, residues, rank, s)`` of the x that makes ``a @ x - b`` smallest, and is the smallest such.

    ``x`` and ``residues`` (the sums of squares, where a has more rows than columns and full rank) have derivatives, at
    constant rank; ``rank`` and the singular values ``s`` are constants.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda b: sp.linalg.lstsq(np.ones((4, 1)), b)[1])(np.array([1.0, 2.0, 3.0, 6.0]))
    array([-4., -2.,  0.,  6.])
    """
    if len(sizes(a)) != 2:
        raise refused("linalg.lstsq of a batch", f"a has shape {sizes(a)}.", "Take it in sg.vmap.")
    x, _, rank, values = _lstsq(a, b, cond)
    m, n = sizes(a)
    residues: Any = np.empty((0,))
    count = int(array(rank))
    if m > n and count == n:
        rest = a @ x - b
        residues = (np.abs(rest) ** 2).sum(0)
    if lapack_driver == "gelsy":
        return x, np.empty((0,)), count, None
    return x, residues, count, values


# -------------------------------------------------------------------------------------------------- factored matrices


@mirrored(_scipy.cholesky, "a")
def cholesky(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return the triangular factor of a positive definite matrix (…, n, n): ``a = U.conj().T @ U``, or ``L @ L^H``.

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
def cho_factor(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """Return ``(c, lower)`` for `cho_solve`: a Cholesky factor, whose other triangle is zero here and random in SciPy.

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
    return cholesky.__wrapped__(a, lower), bool(lower)  # type: ignore[attr-defined]


@mirrored(_scipy.cho_solve, "c_and_lower b")
def cho_solve(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """Return the solution x of ``a @ x = b`` for a matrix that `cho_factor` factored.

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
    return _on_columns(lambda s: cholesky_solve_row(s, c, not lower), b, sizes(c)[-1], "cho_solve")


__all__ = [
    "cho_factor", "cho_solve", "cholesky", "det", "inv", "lstsq", "pinv", "pinvh", "solve", "solve_banded",
    "solve_toeplitz", "solve_triangular", "solveh_banded",
]  # fmt: skip
