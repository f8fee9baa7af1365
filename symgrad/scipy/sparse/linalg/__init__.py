"""`scipy.sparse.linalg` with derivatives: solutions of sparse systems, direct and iterative.

Examples
--------
>>> import numpy as np, scipy.sparse
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> A = scipy.sparse.csc_array([[2.0, 1.0], [0.0, 4.0]])
>>> sg.grad(lambda b: sp.sparse.linalg.spsolve(A, b).sum())(np.ones(2))
array([0.5  , 0.125])
"""

from ....ops import set_public_names as _settle
from ..._passed_on import passing_on as _passing_on
from .._sparse_solves import bicgstab, cg, factorized, gmres, minres, splu, spsolve

__all__ = ["bicgstab", "cg", "factorized", "gmres", "minres", "splu", "spsolve"]


__getattr__, __dir__ = _passing_on("sparse.linalg")


_settle(__name__, globals(), __all__)
