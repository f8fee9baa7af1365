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
from . import (  # importing them fills the table
    adjoints,
    contract,
    decompositions,
    determinants_and_norms,
    fused,
    linear_systems,
)
from .contract import contract_many, in_letters, matmul
from .decompositions import (
    Undecided,
    diagonal_entries,
    eig,
    eig_row,
    eigh,
    eigh_row,
    eigvals,
    eigvalsh,
    expect_diagonalizable,
    expect_no_zero,
    linalg_qr,
    linalg_svd,
    mark_degenerate_tangents,
    over_gaps,
    qr_row,
    svd_row,
    svdvals,
)
from .determinants_and_norms import (
    cond,
    det,
    linalg_norm,
    linalg_slogdet,
    lstsq,
    matrix_exp,
    matrix_exp_row,
    matrix_norm,
    matrix_rank,
    pinv,
)
from .fused import affine, bilinear, linalg_cross, linalg_vander, multi_dot
from .linear_systems import (
    LinAlgError,
    adjoint,
    as_column,
    cholesky_row,
    cholesky_solve_row,
    conj,
    expect_matrix,
    hermitian,
    householder_product,
    inv,
    inv_row,
    is_complex,
    linalg_cholesky,
    linalg_lu_solve,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_row,
    matrix_power,
    solve,
    solve_row,
    solve_triangular,
    solve_vector_row,
    triangle,
    triangular_row,
)

for _module, _names in {
    "special_systems": "solve_banded solve_toeplitz ldl block_recurrence from_triangle",
    "matrix_equations": """
solve_sylvester solve_continuous_are solve_discrete_are matrix_log_rate matrix_log matrix_sqrt schur_turns schur
eigen_pair""",
}.items():
    TABLE.later(f"{__name__}.{_module}", _names)
