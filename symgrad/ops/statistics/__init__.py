"""Quantiles, histograms, differences, distances."""

from ...core import TABLE
from . import _calculus, _distances, _statistics  # noqa: F401  (importing them fills the table)

TABLE.later(f"{__name__}._domains", "in_domain with_domain")
