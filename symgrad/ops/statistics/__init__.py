"""Quantiles, histograms, differences, distances.

domains    parameters that make sense in an interval only: NaN outside it, and with them what they are parameters of
summaries  quantiles, covariances, histograms; integrals and derivatives of what was sampled; distances between rows
"""

from ...core import TABLE
from . import summaries  # importing them fills the table

TABLE.later(f"{__name__}.domains", "in_domain with_domain")
