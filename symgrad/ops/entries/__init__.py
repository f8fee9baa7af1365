"""Entry by entry: the table of functions of one to three numbers, and the operators."""

from . import (  # noqa: F401  (importing them fills the table)
    _activations,
    _arithmetic,
    _bessel,
    _bits,
    _complex,
    _copy,
    _cumulative,
    _divide,
    _elementwise,
    _elliptic,
    _entropies,
    _error_functions,
    _gammas,
    _hypergeometric,
    _normal_orthants,
    _probabilities,
)
