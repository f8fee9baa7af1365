"""Products and matrices.

adjoints                transposes as properties: ``T``, ``mT``, ``H``, ``mH``, and `adjoint`
contract                products of vectors, matrices and batches of them, and products by index notation
decompositions          decompositions: eigenvalues, singular values, QR
determinants_and_norms  determinants, pseudo-inverse, least squares, condition number, exponential
fused                   products with something more: added to a tensor, of three vectors, chained, affine
linear_systems          linear systems: inverse, solve, powers; triangular systems with Cholesky's factors, and LU's
matrix_equations        equations and functions of matrices: Sylvester's, Riccati's, logarithm and root, Schur
special_systems         systems of special matrices: banded, Toeplitz, LDL, recurrences
"""

from ...core import TABLE
from . import (  # noqa: F401  (importing them fills the table)
    adjoints,
    contract,
    decompositions,
    determinants_and_norms,
    fused,
    linear_systems,
)

for _module, _names in {
    "special_systems": "solve_banded solve_toeplitz ldl block_recurrence from_triangle",
    "matrix_equations": """
solve_sylvester solve_continuous_are solve_discrete_are matrix_log_rate matrix_log matrix_sqrt schur_turns schur
eigen_pair""",
}.items():
    TABLE.later(f"{__name__}.{_module}", _names)
