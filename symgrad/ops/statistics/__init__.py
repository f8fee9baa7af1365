"""Quantiles, histograms, differences, distances."""

from . import _calculus, _distances, _domains, _statistics  # noqa: F401  (importing them fills the table)
