"""Quantiles, histograms, differences, distances.

summaries  quantiles, covariances, histograms; integrals and derivatives of what was sampled; distances between rows
"""

from . import summaries  # importing them fills the table
from .summaries import strips
