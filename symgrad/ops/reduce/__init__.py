"""Sums, norms, scans.

scans  scans along a dimension (sums, products, log-sum-exps of all that came before), and the softmax family
sums   sums and what is made of them: mean, variance, counting, norms; and broadcasting
"""

from . import scans, sums  # importing them fills the table
from .scans import log_softmax_dim, logsumexp_dim, softmax_dim, upright
from .sums import vector_norm
