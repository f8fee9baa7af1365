"""Symmetric matrices that keep their structure, and solving with them.

structured  symmetric matrices that keep their structure: diagonal, blocks, Gram, low rank, Kronecker, sparse
symmetric   what all structured symmetric matrices have in common, their sums, and factorisations to choose from
"""

from .structured import BlockDiagonal, Diagonal, DiagPlusLowRank, Gram, Kronecker, LowRank, Sparse
from .symmetric import Sum
