"""Schur's factorisation under SciPy's name."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as _scipy

from ...ops._dims import kind_of
from ...ops.entries._copy import cast
from ...ops.linalg._linalg import expect_matrix
from ...ops.linalg._schur import schur_row
from .._mirrored import mirrored, refused


@mirrored(_scipy.schur, "a")
def schur(
    a: Any, output: str = "real", lwork: Any = None, overwrite_a: bool = False, sort: Any = None,
    check_finite: bool = True,
) -> Any:  # fmt: skip
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


__all__ = ["schur"]
