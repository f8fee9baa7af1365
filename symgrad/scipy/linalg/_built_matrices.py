"""Matrices that are built of others, and norms, under SciPy's names."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as _scipy

from ...core import table
from ...ops._dims import rank, sizes
from ...ops.linalg._linalg import conj
from .._mirrored import floating, mirrored


@mirrored(_scipy.block_diag)
def block_diag(*arrs: Any) -> Any:
    """Return the matrix with these matrices along its diagonal; a vector is a row, a number a 1×1 matrix.

    Parameters are those of `scipy.linalg.block_diag`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda x: sp.linalg.block_diag(x, np.eye(2), x**2).trace())(5.0)
    np.float64(11.0)
    """
    blocks = [np.atleast_2d(floating(a)) for a in arrs]
    lead = np.broadcast_shapes(*[sizes(b)[:-2] for b in blocks])
    total = sum(sizes(b)[-1] for b in blocks)
    rows, before = [], 0
    for b in blocks:
        n = sizes(b)[-1]
        whole = np.broadcast_to(b, (*lead, *sizes(b)[-2:]))
        rows.append(np.pad(whole, [*[(0, 0)] * (len(lead) + 1), (before, total - before - n)]))
        before += n
    return np.concatenate(rows, -2)


def _diagonals(values: Any, places: np.ndarray) -> Any:
    return values[..., places]


@mirrored(_scipy.toeplitz, "c r")
def toeplitz(c: Any, r: Any = None) -> Any:
    """Return the matrix (…, m, n) with equal entries along its diagonals: first column c, first row r (``conj(c)``).

    Parameters are those of `scipy.linalg.toeplitz`.

    ``r[0]`` is not read.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda c: sp.linalg.toeplitz(c).sum())(np.array([1.0, 2.0, 3.0]))
    array([3., 4., 2.])
    """
    c, r = np.atleast_1d(c), np.atleast_1d(conj(c) if r is None else r)
    m, n = sizes(c)[-1], sizes(r)[-1]
    lead = np.broadcast_shapes(sizes(c)[:-1], sizes(r)[:-1])
    c, r = np.broadcast_to(c, (*lead, m)), np.broadcast_to(r, (*lead, n))
    both = table("cat")([np.flip(c, -1), r[..., 1:]], len(lead))
    return _diagonals(both, np.arange(m - 1, -1, -1)[:, None] + np.arange(n))


@mirrored(_scipy.circulant, "c")
def circulant(c: Any) -> Any:
    """Return the circulant matrix (…, n, n) of a first column.

    Parameters are those of `scipy.linalg.circulant`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda c: sp.linalg.circulant(c).sum())(np.array([1.0, 2.0]))
    array([2., 2.])
    """
    c = np.atleast_1d(c)
    n = sizes(c)[-1]
    return _diagonals(c, (np.arange(n)[:, None] - np.arange(n)) % n)


@mirrored(_scipy.hankel, "c r")
def hankel(c: Any, r: Any = None) -> Any:
    """Return the matrix with equal entries along the other diagonals: first column c, last row r (zeros).

    Parameters are those of `scipy.linalg.hankel`.

    ``r[0]`` is not read.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda c: sp.linalg.hankel(c).sum())(np.array([1.0, 2.0]))
    array([1., 2.])
    """
    c = np.ravel(c)
    r = np.zeros(sizes(c), c.dtype) if r is None else np.ravel(r)
    m, n = sizes(c)[0], sizes(r)[0]
    return _diagonals(np.concatenate([c, r[1:]], 0), np.arange(m)[:, None] + np.arange(n))


@mirrored(_scipy.khatri_rao, "a b")
def khatri_rao(a: Any, b: Any) -> Any:
    """Return the Kronecker products of the columns of a (m, n) and b (k, n), as the columns of a matrix (m k, n).

    Parameters are those of `scipy.linalg.khatri_rao`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(lambda a: sp.linalg.khatri_rao(a, np.ones((3, 2))).sum())(np.eye(2))
    array([[3., 3.],
           [3., 3.]])
    """
    if rank(a) < 2 or rank(b) < 2 or sizes(a)[-1] != sizes(b)[-1]:
        raise ValueError(f"The number of columns for both arrays should be equal: {sizes(a)} and {sizes(b)}")
    product = a[..., :, None, :] * b[..., None, :, :]
    return product.reshape((*sizes(product)[:-3], sizes(a)[-2] * sizes(b)[-2], sizes(a)[-1]))


@mirrored(_scipy.norm, "a")
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """Return the norm of a vector or a matrix, as `numpy.linalg.norm`; its gradient at 0 is 0.

    Parameters are those of `scipy.linalg.norm`.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> import symgrad.scipy as sp
    >>> sg.grad(sp.linalg.norm)(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """
    return np.linalg.norm(a, ord, axis, keepdims)


__all__ = ["block_diag", "circulant", "hankel", "khatri_rao", "norm", "toeplitz"]
