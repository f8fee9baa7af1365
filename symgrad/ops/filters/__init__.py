"""Filters: convolution, recursion, splines."""

from . import _recursions, _sliding_products, _spline_coefficients  # noqa: F401  (importing them fills the table)
