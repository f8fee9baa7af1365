"""Sums, norms, scans.

scans  scans along a dimension (sums, products, log-sum-exps of all that came before), and the softmax family
sums   sums and what is made of them: mean, variance, counting, norms; and broadcasting
"""

from . import scans, sums  # noqa: F401  (importing them fills the table)
