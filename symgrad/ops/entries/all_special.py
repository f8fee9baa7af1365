"""All special functions, for those who ask which of SciPy's there are."""

from . import bessel, distributions, gammas, integrals  # noqa: F401  (importing them fills the list)
from .gammas import SCIPY_NAMES  # noqa: F401  (full once these are loaded)
