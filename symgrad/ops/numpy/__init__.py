"""NumPy's own functions on tensors, with its arguments."""

from ...core import NUMPY
from . import (  # noqa: F401  (importing them fills the table)
    _numpy,
    _numpy_constants,
    _numpy_cross,
    _numpy_emath,
    _numpy_fourier,
    _numpy_functions,
    _numpy_histograms,
    _numpy_linalg,
    _numpy_moves,
    _numpy_orders,
    _numpy_pads,
    _numpy_pieces,
    _numpy_polynomials,
    _numpy_quantiles,
    _numpy_reductions,
    _numpy_ufuncs,
    _numpy_writes,
)

NUMPY.module = ""  # all is declared
