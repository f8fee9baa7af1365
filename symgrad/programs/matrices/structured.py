"""Symmetric matrices that keep their structure: diagonal, blocks, Gram, low rank, Kronecker, sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _limits
from ..._errors import DTypeError
from ...ops.linalg import LinAlgError
from . import symmetric as solving
from .symmetric import Structured, floats, require, singular, symmetric

# ----------------------------------------------------------- Diagonal matrices, products Aᵀ diag(d) A, and their sums

# The idea to hold: all of these are diag(d) + U diag(c) Uᵀ with something left out, and where U has few columns none
# needs more than its own arrays.


class Diagonal(Structured):
    """diag(d).

    Parameters
    ----------
    d : array of shape (n,)

    Notes
    -----
    Every operation costs n.

    Examples
    --------
    >>> import numpy as np
    >>> H = Diagonal([1.0, 2.0, 4.0])
    >>> H
    Diagonal, 3×3, 24 bytes instead of 72 bytes
    >>> H.solve(np.ones(3))
    array([1.  , 0.5 , 0.25])
    """

    def __init__(self, d: Any) -> None:
        self.d: np.ndarray = floats(d, "Diagonal: d", 1)
        self._n = self.d.size
        self.dtype: np.dtype[Any] = self.d.dtype

    def _arrays(self) -> list[Any]:
        return [self.d]

    def _times(self, X: np.ndarray) -> np.ndarray:
        return self.d[:, None] * X

    def _scaled(self, c: float) -> Structured:
        return Diagonal(c * self.d)

    def _plus(self, other: Structured) -> Structured | None:
        return Diagonal(self.d + other.d) if isinstance(other, Diagonal) else None

    def _low_rank(self) -> Any:
        return self.d, np.zeros((self._n, 0), self.dtype), np.zeros(0, self.dtype)

    def _is_sparse(self) -> bool:
        return True

    def diagonal(self) -> np.ndarray:
        return self.d.copy()

    def todense(self) -> np.ndarray:
        return np.diag(self.d)

    def tocsr(self) -> Any:
        from scipy.sparse import csr_array

        return csr_array((self.d.copy(), np.arange(self._n), np.arange(self._n + 1)), self.shape)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        bad = np.flatnonzero(~(np.abs(self.d) > 0))
        if bad.size:
            raise singular("Diagonal", f"d[{bad[0]}] is {self.d[bad[0]]}.")
        return B / self.d[:, None]

    def _slogdet(self) -> tuple[float, float]:
        return solving.slogdet_pivots(self.d)


class Gram(Structured):
    """Aᵀ diag(d) A.

    Parameters
    ----------
    A : array of shape (m, n)
    d : array of shape (m,), of any sign; all ones if left out

    Notes
    -----
    A product costs 2mn multiplications, against n² of the dense matrix. Where no d is negative it is solved by Cholesky
    (by QR of √d A if that is ill-conditioned), else as any symmetric matrix.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.arange(12.0).reshape(6, 2)
    >>> H = Gram(A, [1.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    >>> H.todense()
    array([[32., 40.],
           [40., 51.]])
    >>> H.solve(H @ np.array([1.0, -1.0])).round(12)
    array([ 1., -1.])
    """

    def __init__(self, A: Any, d: Any = None) -> None:
        self.A = floats(A, "Gram: A", 2)
        self.d: np.ndarray | None = None if d is None else floats(d, "Gram: d", 1)
        require(d is None or self.d.shape == self.A.shape[:1], "Gram: d has a number per row of A",  # type: ignore[union-attr]
                f"A has shape {self.A.shape}, d {np.shape(d)}.")  # fmt: skip
        self._n = self.A.shape[1]
        self.dtype: np.dtype[Any] = self.A.dtype if self.d is None else np.result_type(self.A, self.d)

    def _arrays(self) -> list[Any]:
        return [self.A] if self.d is None else [self.A, self.d]

    def _weights(self) -> np.ndarray:
        return np.ones(self.A.shape[0], self.dtype) if self.d is None else self.d

    def _times(self, X: np.ndarray) -> np.ndarray:
        inner = self.A @ X
        return np.asarray(self.A.T @ (inner if self.d is None else self.d[:, None] * inner))

    def _scaled(self, c: float) -> Structured:
        return type(self)._of(self.A, c * self._weights())

    @classmethod
    def _of(cls, A: np.ndarray, d: np.ndarray) -> Structured:
        return Gram(A, d)

    def _low_rank(self) -> Any:
        return np.zeros(self._n, self.dtype), self.A.T, self._weights()

    def diagonal(self) -> np.ndarray:
        return np.asarray(np.einsum("ki,k,ki->i", self.A, self._weights(), self.A))

    def _root(self) -> np.ndarray:
        return self.A if self.d is None else np.sqrt(self.d)[:, None] * self.A

    def todense(self) -> np.ndarray:
        return symmetric(self.A.T @ (self.A if self.d is None else self.d[:, None] * self.A))

    def _slogdet(self) -> tuple[float, float]:
        full = np.count_nonzero(self._weights()) >= self._n
        return super()._slogdet() if full else (0.0, -np.inf)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        if self.d is None or (self.d >= 0).all():
            W = self._root() if self.d is None else self._root()[self.d > 0]
            return solving.gram(W, B, self._words())
        if np.count_nonzero(self.d) < self._n:
            rows = f"{np.count_nonzero(self.d)} numbers other than zero"
            raise singular(self._words(), f"It has {rows} in the middle, and size {self._n}.")
        return solving.dense(self.todense(), B, self._words())

    def _words(self) -> str:
        m, n = self.A.shape
        return f"Gram: Aᵀ{'' if self.d is None else ' diag(d)'} A with A {m}×{n}"


class LowRank(Gram):
    """U diag(c) Uᵀ.

    Parameters
    ----------
    U : array of shape (n, k)
    c : array of shape (k,), of any sign; all ones if left out

    Notes
    -----
    A product costs 2nk multiplications. With k < n it is singular: add a `Diagonal` to solve with it.

    Examples
    --------
    >>> import numpy as np
    >>> H = LowRank(np.ones((1000, 1)), [-2.0])
    >>> H
    LowRank: U diag(c) Uᵀ of rank 1 at most, 1000×1000, 8.01 kB instead of 8 MB
    >>> float(np.ones(1000) @ H @ np.ones(1000))
    -2000000.0
    """

    def __init__(self, U: Any, c: Any = None) -> None:
        U = floats(U, "LowRank: U", 2)
        require(c is None or np.shape(c) == U.shape[1:], "LowRank: c has a number per column of U",
                f"U has shape {U.shape}, c {np.shape(c)}.")  # fmt: skip
        super().__init__(U.T, c)

    @classmethod
    def _of(cls, A: np.ndarray, d: np.ndarray) -> Structured:
        return LowRank(A.T, d)

    def _words(self) -> str:
        return f"LowRank: U{'' if self.d is None else ' diag(c)'} Uᵀ of rank {self.A.shape[0]} at most"


class DiagPlusLowRank(Structured):
    """diag(d) + U diag(c) Uᵀ.

    Parameters
    ----------
    d : array of shape (n,)
    U : array of shape (n, k)
    c : array of shape (k,), of any sign; all ones if left out

    Notes
    -----
    A product costs 2nk multiplications; solving, by Woodbury's identity, nk² + k³ if no d is zero, else n³.

    Examples
    --------
    >>> import numpy as np
    >>> H = DiagPlusLowRank(np.full(1000, 2.0), np.ones((1000, 1)))
    >>> H
    DiagPlusLowRank: diag(d) + U Uᵀ of rank 1 at most, 1000×1000, 16 kB instead of 8 MB
    >>> H.solve(np.full(1000, 1002.0))[:3]
    array([1., 1., 1.])
    """

    def __init__(self, d: Any, U: Any, c: Any = None) -> None:
        self.d: np.ndarray = floats(d, "DiagPlusLowRank: d", 1)
        self.rest: LowRank = LowRank(U, c)
        require(self.rest._n == self.d.size, "DiagPlusLowRank: U has a row per entry of d",
                f"U has shape {np.shape(U)}, d {self.d.shape}.")  # fmt: skip
        self._n = self.d.size
        self.dtype: np.dtype[Any] = np.result_type(self.d, self.rest.dtype)

    def _arrays(self) -> list[Any]:
        return [self.d, *self.rest._arrays()]

    def _times(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.d[:, None] * X + self.rest._times(X))

    def _scaled(self, c: float) -> Structured:
        return DiagPlusLowRank(c * self.d, self.rest.A.T, c * self.rest._weights())

    def _plus(self, other: Structured) -> Structured | None:
        if not isinstance(other, Diagonal):
            return None
        return DiagPlusLowRank(self.d + other.d, self.rest.A.T, self.rest.d)

    def _low_rank(self) -> Any:
        return self.d, self.rest.A.T, self.rest._weights()

    def diagonal(self) -> np.ndarray:
        return np.asarray(self.d + self.rest.diagonal())

    def todense(self) -> np.ndarray:
        H = self.rest.todense().astype(self.dtype, copy=False)
        H[np.diag_indices(self._n)] += self.d
        return H

    def _words(self) -> str:
        return f"DiagPlusLowRank: diag(d) + {self.rest._words().removeprefix('LowRank: ')}"


# -------------------------------------------------------------------------------------------------------------------
# Symmetric matrices that keep their structure: diagonal, blocks, Gram, low rank, Kronecker, sparse, and sums of them

# The idea to hold: each kind holds only the numbers that make it, and works with those. `np.asarray` gives the ordinary
# matrix, exactly symmetric.


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
        self.factors: list[Any] = [_factor(A, "A"), _factor(B, "B")]
        self.sizes: list[int] = [f if isinstance(f, int) else f.shape[0] for f in self.factors]
        self._n = self.sizes[0] * self.sizes[1]
        known = [f.dtype for f in self.factors if not isinstance(f, int)]
        self.dtype: np.dtype[Any] = np.result_type(*known) if known else np.dtype(float)

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
        return f.solve(Y) if isinstance(f, Structured) else solving.dense(f, Y, what)

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
    return f._slogdet() if isinstance(f, Structured) else solving.slogdet_dense(f)


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

    blocks: np.ndarray

    def __init__(self, blocks: Any) -> None:
        self.blocks = B = floats(blocks, "BlockDiagonal: the blocks", 3)
        require(B.shape[1] == B.shape[2], "BlockDiagonal: blocks have shape (k, m, m)", f"They have {B.shape}.")
        _expect_symmetric(B, B.swapaxes(1, 2), "BlockDiagonal: a block")
        self._n = B.shape[0] * B.shape[1]
        self.dtype: np.dtype[Any] = B.dtype

    def _arrays(self) -> list[Any]:
        return [self.blocks]

    def _stacked(self, X: np.ndarray) -> np.ndarray:
        return X.reshape(*self.blocks.shape[:2], X.shape[1])

    def _times(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.blocks @ self._stacked(X)).reshape(X.shape)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        return solving.blocks(self.blocks, self._stacked(B), self._words()).reshape(B.shape)

    def _slogdet(self) -> tuple[float, float]:
        return solving.slogdet_blocks(self.blocks)

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
        self.csr: Any = S if S.dtype.kind == "f" else S.astype(float)
        if check:
            a, b = self.csr.copy(), csr_array(self.csr.T)
            a.sum_duplicates()
            b.sum_duplicates()
            for one, other in ((a.indptr, b.indptr), (a.indices, b.indices), (a.data, b.data)):
                _expect_symmetric(one, other, "Sparse: the matrix")
        self._n = S.shape[0]
        self.dtype: np.dtype[Any] = self.csr.dtype

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
        return solving.sparse(self.csr, B, self._words())

    def _slogdet(self) -> tuple[float, float]:
        return solving.slogdet_sparse(self.csr, self._words())

    def _words(self) -> str:
        return f"Sparse: {self.csr.nnz} entries"
