"""All special functions, for those who ask which of SciPy's there are."""

from . import (  # noqa: F401  (importing them fills the list)
    _bessel,
    _cumulative,
    _elliptic,
    _error_functions,
    _gammas,
    _hypergeometric,
)
from ._named import SCIPY_NAMES

__all__ = ["SCIPY_NAMES"]
