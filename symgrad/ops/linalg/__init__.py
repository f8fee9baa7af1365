"""Products and matrices."""

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
    _systems,
    _tensordot,
)
