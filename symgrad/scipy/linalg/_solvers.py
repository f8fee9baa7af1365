"""Linear systems under SciPy's names: dense, triangular, banded and Toeplitz matrices, and those that were factored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as _scipy

from ..._errors import ShapeError
from ...core import Symbol, facts_of
from ...ops import ndarray_of, sizes
from ...ops.linalg import (
    LinAlgError,
    adjoint,
    as_column,
    cholesky_row,
    cholesky_solve_row,
    conj,
    expect_matrix,
    is_complex,
    solve_row,
    triangular_row,
)
from ...ops.linalg.special_systems import banded_row, both_sides, from_triangle, toeplitz_row
from .._mirrored import floating, mirrored, refused


def on_columns(solve: Callable[[Any], Any], b: Any, rows: int, what: str) -> Any:
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
    if isinstance(a, Symbol) and "symmetric" in getattr(facts_of(a), "properties", ()):
        return a
    return from_triangle(a, bool(lower))


KINDS = {
    "diagonal": "diagonal", "tridiagonal": "general", "banded": "general", "upper triangular": "upper",
    "lower triangular": "lower", "symmetric": "sym", "sym": "sym", "hermitian": "her", "her": "her",
    "positive definite": "pos", "pos": "pos", "general": "general", "gen": "general", None: "general",
}  # fmt: skip


@mirrored(_scipy.solve, "a b")
def solve(a: Any, b: Any, lower: bool, assume_a: str | None, transposed: bool) -> Any:
    """Return the solution x of ``a @ x = b``, as `scipy.linalg.solve`: by what ``assume_a`` says of the matrix.

    Parameters are those of `scipy.linalg.solve`.

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
    if assume_a not in KINDS:
        raise ValueError(f"{assume_a} is not a recognized matrix structure")
    expect_matrix(a, "scipy.linalg.solve", name="a")
    kind = KINDS[assume_a]
    if transposed and is_complex(a):
        raise refused("linalg.solve with transposed=True and a complex matrix", "SciPy refuses it too.", "Pass a.T.")
    n = sizes(a)[-1]
    if kind in ("upper", "lower"):
        low = kind == "lower"
        _expect_regular_diagonal(a, "solve")
        matrix, low = (a.mT, not low) if transposed else (a, low)
        return on_columns(lambda c: triangular_row(matrix, c, not low, True, False), b, n, "scipy.linalg.solve")
    if kind == "diagonal":
        d = np.einsum("...ii->...i", a)
        if _plain(d) and (ndarray_of(d) == 0).any():
            raise LinAlgError("solve: A singular matrix detected: its diagonal has a zero.", "", "")
        return on_columns(lambda c: c / as_column(d), b, n, "scipy.linalg.solve")
    if kind == "pos":
        factor = cholesky_row(a if lower else adjoint(a), not lower)
        return on_columns(lambda c: cholesky_solve_row(c, factor, not lower), b, n, "scipy.linalg.solve")
    if kind == "her" or (kind == "sym" and not is_complex(a)):
        matrix = of_triangle(a, lower)
    elif kind == "sym":
        strict = np.tril(a, -1) if lower else np.triu(a, 1)
        matrix = (np.tril(a) if lower else np.triu(a)) + strict.mT
    else:
        matrix = a
    matrix = matrix.mT if transposed else matrix
    return on_columns(lambda c: solve_row(matrix, c), b, n, "scipy.linalg.solve")


def _expect_regular_diagonal(a: Any, what: str) -> None:
    if not _plain(a):
        return
    zero = np.einsum("...ii->...i", ndarray_of(a)) == 0
    if zero.any():
        k = int(np.nonzero(zero)[-1][0])
        raise LinAlgError(f"{what}: singular matrix: resolution failed at diagonal {k}", "It is zero there.", "")


@mirrored(_scipy.solve_triangular, "a b")
def solve_triangular(a: Any, b: Any, trans: int | str, lower: bool, unit_diagonal: bool) -> Any:
    """Return the solution x of ``a @ x = b`` for a triangular matrix, whose other triangle is not read.

    Parameters are those of `scipy.linalg.solve_triangular`.

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
    return on_columns(
        lambda c: triangular_row(matrix, c, upper, True, bool(unit_diagonal)), b, sizes(a)[-1], "solve_triangular"
    )


@mirrored(_scipy.solve_banded, "ab b")
def solve_banded(l_and_u: tuple[int, int], ab: Any, b: Any) -> Any:
    """Return the solution x of ``a @ x = b`` for a matrix that is given by its diagonals.

    Parameters are those of `scipy.linalg.solve_banded`.

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
    return on_columns(lambda c: banded_row(ab, c, below, above, False), b, shape[-1], "solve_banded")


@mirrored(_scipy.solveh_banded, "ab b")
def solveh_banded(ab: Any, b: Any, lower: bool) -> Any:
    """Return the solution x of ``a @ x = b`` for a positive definite matrix that is given by half of its diagonals.

    Parameters are those of `scipy.linalg.solveh_banded`.

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
    return on_columns(lambda c: banded_row(full, c, count, count, True), b, sizes(ab)[-1], "solveh_banded")


def column_and_row(c_or_cr: Any) -> tuple[Any, Any]:
    """The first column and the first row of a Toeplitz matrix."""
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return floating(c), floating(r)
    c = floating(c_or_cr)
    return c, conj(c)


@mirrored(_scipy.solve_toeplitz, "b")
def solve_toeplitz(c_or_cr: Any, b: Any) -> Any:
    """Return the solution x of ``toeplitz(c, r) @ x = b``, by Levinson's recursion.

    Parameters are those of `scipy.linalg.solve_toeplitz`.

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
    return on_columns(lambda s: toeplitz_row(c, r, s), b, n, "solve_toeplitz")
