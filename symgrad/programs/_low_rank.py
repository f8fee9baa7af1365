"""Diagonal matrices, products Aᵀ diag(d) A, and their sums.

The idea to hold: all of these are diag(d) + U diag(c) Uᵀ with something left out, and where U has few columns none
needs more than its own arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _solving
from ._solving import singular
from ._symmetric import Structured, floats, require, symmetric


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
        self.d = floats(d, "Diagonal: d", 1)
        self._n, self.dtype = self.d.size, self.d.dtype

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
        return _solving.slogdet_pivots(self.d)


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
        self.d = None if d is None else floats(d, "Gram: d", 1)
        require(d is None or self.d.shape == self.A.shape[:1], "Gram: d has a number per row of A",  # type: ignore[union-attr]
                f"A has shape {self.A.shape}, d {np.shape(d)}.")  # fmt: skip
        self._n = self.A.shape[1]
        self.dtype = self.A.dtype if self.d is None else np.result_type(self.A, self.d)

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
            return _solving.gram(W, B, self._words())
        if np.count_nonzero(self.d) < self._n:
            rows = f"{np.count_nonzero(self.d)} numbers other than zero"
            raise singular(self._words(), f"It has {rows} in the middle, and size {self._n}.")
        return _solving.dense(self.todense(), B, self._words())

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
        self.d = floats(d, "DiagPlusLowRank: d", 1)
        self.rest = LowRank(U, c)
        require(self.rest._n == self.d.size, "DiagPlusLowRank: U has a row per entry of d",
                f"U has shape {np.shape(U)}, d {self.d.shape}.")  # fmt: skip
        self._n, self.dtype = self.d.size, np.result_type(self.d, self.rest.dtype)

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
