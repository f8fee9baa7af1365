"""NumPy's own functions on tensors, with its arguments."""

from . import (  # noqa: F401  (importing them fills the table)
    _numpy,
    _numpy_cross,
    _numpy_fourier,
    _numpy_functions,
    _numpy_linalg,
    _numpy_moves,
    _numpy_polynomials,
    _numpy_reductions,
    _numpy_writes,
)
