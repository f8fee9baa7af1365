"""Linear algebra under `torch.linalg`'s names: differentiable, any number of times, and for batches of matrices.

Functions that return several tensors return named tuples; a singular matrix raises `LinAlgError`.
"""

from typing import Any as _Any

from ..core import taking_carriers as _opened
from ..ops import LINALG_NAMES as _NAMES
from ..ops import set_public_names as _settle
from ..ops import with_further_names as _taking
from ..ops.linalg import (
    LinAlgError,
    cond,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    householder_product,
    inv,
    lstsq,
    lu,
    lu_factor,
    lu_factor_ex,
    matmul,
    matrix_exp,
    matrix_norm,
    matrix_power,
    matrix_rank,
    multi_dot,
    pinv,
    solve,
    solve_triangular,
    svdvals,
)
from ..ops.linalg import linalg_cholesky as cholesky
from ..ops.linalg import linalg_cross as cross
from ..ops.linalg import linalg_lu_solve as lu_solve
from ..ops.linalg import linalg_norm as norm
from ..ops.linalg import linalg_qr as qr
from ..ops.linalg import linalg_slogdet as slogdet
from ..ops.linalg import linalg_svd as svd
from ..ops.linalg import linalg_vander as vander
from ..ops.linalg.special_systems import cholesky_ex, inv_ex, solve_ex, tensorinv, tensorsolve, vecdot
from ..ops.linalg.special_systems import linalg_diagonal as diagonal
from ..ops.reduce import vector_norm

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals",
    "eigvalsh", "householder_product", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve",
    "matmul", "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet",
    "solve", "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot",
    "vector_norm",
]  # fmt: skip

_fn: _Any
for _name in __all__:
    if _name not in ("LinAlgError", "diagonal", "vander"):
        _fn = globals()[_name]
        globals()[_name] = _opened(_taking(_fn, _NAMES.get(_name), out=True))

_settle(__name__, globals(), __all__)
