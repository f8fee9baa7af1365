"""`scipy.linalg` with derivatives of every order: its names, signatures and values, for batches too."""

from ...ops import set_public_names as _settle
from ...ops.linalg import LinAlgError
from .._passed_on import passing_on as _passing_on
from ._factors import eig, eigh, eigvals, eigvalsh, ldl, lu, lu_factor, lu_solve, qr, schur, svd, svdvals
from ._inverses import cho_factor, cho_solve, cholesky, det, inv, lstsq, pinv, pinvh
from ._matrix_equations import (
    block_diag,
    circulant,
    expm,
    hankel,
    khatri_rao,
    logm,
    norm,
    solve_continuous_are,
    solve_continuous_lyapunov,
    solve_discrete_are,
    solve_discrete_lyapunov,
    solve_sylvester,
    sqrtm,
    toeplitz,
)
from ._solvers import solve, solve_banded, solve_toeplitz, solve_triangular, solveh_banded

__all__ = [
    "LinAlgError", "block_diag", "cho_factor", "cho_solve", "cholesky", "circulant", "det", "eig", "eigh", "eigvals",
    "eigvalsh", "expm", "hankel", "inv", "khatri_rao", "ldl", "logm", "lstsq", "lu", "lu_factor", "lu_solve", "norm",
    "pinv", "pinvh", "qr", "schur", "solve", "solve_banded", "solve_continuous_are", "solve_continuous_lyapunov",
    "solve_discrete_are", "solve_discrete_lyapunov", "solve_sylvester", "solve_toeplitz", "solve_triangular",
    "solveh_banded", "sqrtm", "svd", "svdvals", "toeplitz",
]  # fmt: skip


__getattr__, __dir__ = _passing_on("linalg")


_settle(__name__, globals(), __all__[1:])  # the error is symgrad.linalg's
