"""`scipy.sparse` with derivatives: arrays whose entries are differentiated, and solutions of systems (`linalg`).

SciPy's own arrays are constants, and stand on either side of ``@`` as they are; a number before one, ``lam * A``, makes
an array whose entries are differentiated.

Examples
--------
>>> import numpy as np, scipy.sparse
>>> import symgrad as sg
>>> import symgrad.scipy as sp
>>> A = scipy.sparse.csr_array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
>>> sg.grad(lambda x: ((A @ x) ** 2).sum())(np.ones(3))
array([12., 18.,  6.])
>>> def f(d):  # the first entry of the product of a matrix with the entries d
...     return (sp.sparse.coo_array((d, ([0, 1], [1, 0])), shape=(2, 2)) @ np.array([3.0, 5.0]))[0]
>>> sg.grad(f)(np.ones(2))
array([5., 0.])
"""

from typing import TYPE_CHECKING

from ...ops import set_public_names as _settle
from .._passed_on import passing_on as _passing_on
from ._sparse_arrays import SparseArray
from ._sparse_constructors import (
    block_array,
    block_diag,
    bmat,
    coo_array,
    coo_matrix,
    csc_array,
    csc_matrix,
    csr_array,
    csr_matrix,
    dia_array,
    dia_matrix,
    diags,
    diags_array,
    hstack,
    issparse,
    kron,
    kronsum,
    spdiags,
    tril,
    triu,
    vstack,
)

__all__ = [
    "SparseArray", "block_array", "block_diag", "bmat", "coo_array", "coo_matrix", "csc_array", "csc_matrix",
    "csr_array", "csr_matrix", "dia_array", "dia_matrix", "diags", "diags_array", "hstack", "issparse", "kron",
    "kronsum", "linalg", "spdiags", "tril", "triu", "vstack",
]  # fmt: skip


if TYPE_CHECKING:
    from . import linalg

__getattr__, __dir__ = _passing_on("sparse")


_settle(__name__, globals(), [name for name in __all__ if name != "linalg"])
