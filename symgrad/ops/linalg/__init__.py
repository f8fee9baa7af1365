"""Products and matrices."""

from ...core import TABLE
from . import (  # noqa: F401  (importing them fills the table)
    _adjoint,
    _cholesky,
    _contract,
    _decompose,
    _determinant,
    _einsum,
    _fused,
    _linalg,
    _lu,
    _matrix_norms,
    _partial_svd,
    _pseudo,
    _tensordot,
)

for _module, _names in {
    "_banded": "solve_banded", "_block_recurrence": "block_recurrence", "_eigen_pairs": "eigen_pair", "_ldl": "ldl",
    "_matrix_functions": "matrix_log_rate matrix_log matrix_sqrt", "_schur": "schur_turns schur",
    "_riccati": "solve_continuous_are solve_discrete_are", "_sylvester": "solve_sylvester",
    "_toeplitz": "solve_toeplitz", "_triangles": "from_triangle",
}.items():  # fmt: skip
    TABLE.later(f"{__name__}.{_module}", _names)
