"""Symmetric matrices that keep their structure: diagonal, blocks, Gram, low rank, Kronecker, sparse, and sums of them.

The idea to hold: each kind holds only the numbers that make it, and works with those. `np.asarray` gives the ordinary
matrix, exactly symmetric.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _limits
from .._errors import DTypeError
from ..ops.linalg._linalg import LinAlgError
from . import _solving
from ._low_rank import Diagonal, DiagPlusLowRank, Gram, LowRank
from ._symmetric import Structured, Sum, floats, require


class Kronecker(Structured):
    """A ⊗ B: entry (i, j) of A times all of B is block (i, j).

    Parameters
    ----------
    A, B : symmetric arrays, structured matrices, or sizes, which stand for identity matrices

    Raises
    ------
    LinAlgError : an array is not symmetric

    Notes
    -----
    With factors of sizes m and n a product costs mn(m + n) multiplications, against m²n²; solving m³ + n³ more.

    Examples
    --------
    >>> import numpy as np
    >>> H = Kronecker(100, np.eye(5) + 1)
    >>> H
    Kronecker: I(100) ⊗ 5×5, 500×500, 200 bytes instead of 2 MB
    >>> H.trace()
    1000.0
    """

    def __init__(self, A: Any, B: Any) -> None:
        self.factors = [_factor(A, "A"), _factor(B, "B")]
        self.sizes = [f if isinstance(f, int) else f.shape[0] for f in self.factors]
        self._n = self.sizes[0] * self.sizes[1]
        known = [f.dtype for f in self.factors if not isinstance(f, int)]
        self.dtype = np.result_type(*known) if known else np.dtype(float)

    def _arrays(self) -> list[Any]:
        return [f for f in self.factors if not isinstance(f, int)]

    def _each(self, X: np.ndarray, does: Any) -> np.ndarray:
        (m, n), k = self.sizes, X.shape[1]
        Y = does(self.factors[0], X.reshape(m, n * k)).reshape(m, n, k).swapaxes(0, 1)
        Y = does(self.factors[1], Y.reshape(n, m * k)).reshape(n, m, k).swapaxes(0, 1)
        return np.asarray(Y).reshape(X.shape)

    def _times(self, X: np.ndarray) -> np.ndarray:
        return self._each(X, lambda f, Y: Y if isinstance(f, int) else f @ Y)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        return self._each(B, lambda f, Y: Y if isinstance(f, int) else self._solve_one(f, Y))

    def _solve_one(self, f: Any, Y: np.ndarray) -> np.ndarray:
        what = f"the {'first' if f is self.factors[0] else 'second'} factor of {self._words()}"
        return f.solve(Y) if isinstance(f, Structured) else _solving.dense(f, Y, what)

    def _slogdet(self) -> tuple[float, float]:
        (m, n), (A, B) = self.sizes, self.factors
        (sa, la), (sb, lb) = _slogdet(A), _slogdet(B)
        return sa**n * sb**m, n * la + m * lb

    def _scaled(self, c: float) -> Structured:
        A, B = self.factors
        if isinstance(B, int):
            return Kronecker(Diagonal(np.full(A, c)) if isinstance(A, int) else c * A, B)
        return Kronecker(A, c * B)

    def _is_sparse(self) -> bool:
        return any(isinstance(f, int) and f >= _limits.IDENTITY for f in self.factors)

    def diagonal(self) -> np.ndarray:
        a, b = [np.ones(f, self.dtype) if isinstance(f, int) else f.diagonal() for f in self.factors]
        return np.multiply.outer(a, b).reshape(-1)

    def todense(self) -> np.ndarray:
        return np.kron(*[np.eye(f, dtype=self.dtype) if isinstance(f, int) else np.asarray(f) for f in self.factors])

    def tocsr(self) -> Any:
        from scipy.sparse import csr_array, eye_array, kron

        parts = [
            eye_array(f, dtype=self.dtype)
            if isinstance(f, int)
            else f.tocsr()
            if isinstance(f, Structured)
            else csr_array(f)
            for f in self.factors
        ]
        return csr_array(kron(*parts))

    def _words(self) -> str:
        return "Kronecker: " + " ⊗ ".join(
            f"I({f})" if isinstance(f, int)
            else f"{type(f).__name__}({f.shape[0]})" if isinstance(f, Structured)
            else f"{f.shape[0]}×{f.shape[0]}"
            for f in self.factors
        )  # fmt: skip


def _factor(F: Any, name: str) -> Any:
    if isinstance(F, Structured):
        return F
    if isinstance(F, int | np.integer):
        return int(F)
    F = floats(F, f"Kronecker: {name}", 2)
    require(F.shape[0] == F.shape[1], f"Kronecker: {name} is square", f"Its shape is {F.shape}.")
    _expect_symmetric(F, F.T, f"Kronecker: {name}")
    return F


def _expect_symmetric(A: np.ndarray, transposed: np.ndarray, what: str) -> None:
    if not np.array_equal(A, transposed, equal_nan=True):
        raise LinAlgError(f"{what} is not symmetric", "", "Pass (A + A.T) / 2 if it should be.")


def _slogdet(f: Any) -> Any:
    if isinstance(f, int):
        return 1.0, 0.0
    return f._slogdet() if isinstance(f, Structured) else _solving.slogdet_dense(f)


class BlockDiagonal(Structured):
    """Blocks of one size along the diagonal.

    Parameters
    ----------
    blocks : array of shape (k, m, m), each block symmetric

    Raises
    ------
    LinAlgError : a block is not symmetric

    Notes
    -----
    A product costs km² multiplications, solving km³; n = km.

    Examples
    --------
    >>> import numpy as np
    >>> H = BlockDiagonal(np.array([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]]))
    >>> H
    BlockDiagonal: 2 blocks 2×2, 4×4, 64 bytes instead of 128 bytes
    >>> H @ np.ones(4)
    array([3., 3., 1., 3.])
    """

    def __init__(self, blocks: Any) -> None:
        self.blocks = B = floats(blocks, "BlockDiagonal: the blocks", 3)
        require(B.shape[1] == B.shape[2], "BlockDiagonal: blocks have shape (k, m, m)", f"They have {B.shape}.")
        _expect_symmetric(B, B.swapaxes(1, 2), "BlockDiagonal: a block")
        self._n, self.dtype = B.shape[0] * B.shape[1], B.dtype

    def _arrays(self) -> list[Any]:
        return [self.blocks]

    def _stacked(self, X: np.ndarray) -> np.ndarray:
        return X.reshape(*self.blocks.shape[:2], X.shape[1])

    def _times(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.blocks @ self._stacked(X)).reshape(X.shape)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        return _solving.blocks(self.blocks, self._stacked(B), self._words()).reshape(B.shape)

    def _slogdet(self) -> tuple[float, float]:
        return _solving.slogdet_blocks(self.blocks)

    def _scaled(self, c: float) -> Structured:
        return BlockDiagonal(c * self.blocks)

    def _plus(self, other: Structured) -> Structured | None:
        if isinstance(other, BlockDiagonal) and other.blocks.shape == self.blocks.shape:
            return BlockDiagonal(self.blocks + other.blocks)
        return None

    def _is_sparse(self) -> bool:
        return True

    def diagonal(self) -> np.ndarray:
        return np.einsum("kii->ki", self.blocks).reshape(-1)

    def tocsr(self) -> Any:
        from scipy.sparse import bsr_array

        k = len(self.blocks)
        return bsr_array((self.blocks, np.arange(k), np.arange(k + 1)), self.shape).tocsr()

    def todense(self) -> np.ndarray:
        k, m, _ = self.blocks.shape
        H = np.zeros((k, m, k, m), self.dtype)
        H[np.arange(k), :, np.arange(k)] = self.blocks
        return H.reshape(self.shape)

    def _words(self) -> str:
        k, m, _ = self.blocks.shape
        return f"BlockDiagonal: {k} blocks {m}×{m}"


class Sparse(Structured):
    """A sparse matrix.

    Parameters
    ----------
    csr : n×n ``scipy.sparse`` matrix, symmetric
    check : whether to look if it is symmetric

    Raises
    ------
    LinAlgError : it is not symmetric

    Notes
    -----
    A product costs as many multiplications as there are entries. It is solved as a band where it is narrow, else by
    SuperLU (`scipy.sparse.linalg.splu`).

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import diags_array
    >>> H = Sparse(diags_array([np.ones(99), np.full(100, -2.0), np.ones(99)], offsets=[-1, 0, 1]))
    >>> H
    Sparse: 298 entries, 100×100, 3.98 kB instead of 80 kB
    >>> H.solve(H @ np.arange(100.0)).round(6)[1:4]
    array([1., 2., 3.])
    """

    def __init__(self, csr: Any, check: bool = True) -> None:
        from scipy.sparse import csr_array

        S = csr_array(csr)
        require(S.shape[0] == S.shape[1], "Sparse: the matrix is square", f"Its shape is {S.shape}.")
        if S.dtype.kind not in "fiub":
            raise DTypeError("Sparse holds real numbers", f"Its dtype is {S.dtype}.", "Pass a real matrix.")
        self.csr = S if S.dtype.kind == "f" else S.astype(float)
        if check:
            a, b = self.csr.copy(), csr_array(self.csr.T)
            a.sum_duplicates()
            b.sum_duplicates()
            for one, other in ((a.indptr, b.indptr), (a.indices, b.indices), (a.data, b.data)):
                _expect_symmetric(one, other, "Sparse: the matrix")
        self._n, self.dtype = S.shape[0], self.csr.dtype

    def _arrays(self) -> list[Any]:
        return [self.csr.data, self.csr.indices, self.csr.indptr]

    def _times(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.csr @ X)

    def _scaled(self, c: float) -> Structured:
        return Sparse(c * self.csr, check=False)

    def _plus(self, other: Structured) -> Structured | None:
        return Sparse(self.csr + other.tocsr(), check=False) if other._is_sparse() else None

    def _is_sparse(self) -> bool:
        return True

    def diagonal(self) -> np.ndarray:
        return np.asarray(self.csr.diagonal())

    def todense(self) -> np.ndarray:
        return np.asarray(self.csr.toarray())

    def tocsr(self) -> Any:
        return self.csr.copy()

    def _solve(self, B: np.ndarray) -> np.ndarray:
        return _solving.sparse(self.csr, B, self._words())

    def _slogdet(self) -> tuple[float, float]:
        return _solving.slogdet_sparse(self.csr, self._words())

    def _words(self) -> str:
        return f"Sparse: {self.csr.nnz} entries"


__all__ = [
    "BlockDiagonal", "DiagPlusLowRank", "Diagonal", "Gram", "Kronecker", "LowRank", "Sparse", "Structured", "Sum",
]  # fmt: skip
