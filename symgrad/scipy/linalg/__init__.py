"""`scipy.linalg` with derivatives of every order: its names, signatures and values, for batches too."""

from typing import Any as _Any

from ...ops._public import settle as _settle
from ...ops.linalg._linalg import LinAlgError
from ._built_matrices import block_diag, circulant, hankel, khatri_rao, norm, toeplitz
from ._factors import eig, eigh, eigvals, eigvalsh, ldl, lu, lu_factor, lu_solve, qr, svd, svdvals
from ._inverses import cho_factor, cho_solve, cholesky, det, inv, lstsq, pinv, pinvh
from ._matrix_equations import (
    expm,
    logm,
    solve_continuous_are,
    solve_continuous_lyapunov,
    solve_discrete_are,
    solve_discrete_lyapunov,
    solve_sylvester,
    sqrtm,
)
from ._schur_factors import schur
from ._solvers import solve, solve_banded, solve_toeplitz, solve_triangular, solveh_banded

__all__ = [
    "LinAlgError", "block_diag", "cho_factor", "cho_solve", "cholesky", "circulant", "det", "eig", "eigh", "eigvals",
    "eigvalsh", "expm", "hankel", "inv", "khatri_rao", "ldl", "logm", "lstsq", "lu", "lu_factor", "lu_solve", "norm",
    "pinv", "pinvh", "qr", "schur", "solve", "solve_banded", "solve_continuous_are", "solve_continuous_lyapunov",
    "solve_discrete_are", "solve_discrete_lyapunov", "solve_sylvester", "solve_toeplitz", "solve_triangular",
    "solveh_banded", "sqrtm", "svd", "svdvals", "toeplitz",
]  # fmt: skip


def __getattr__(name: str) -> _Any:
    from .._mirrored import missing

    raise missing("linalg", name)


_settle(__name__, globals(), __all__[1:])  # the error is symgrad.linalg's
