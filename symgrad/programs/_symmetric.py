"""What all symmetric matrices with a structure have in common, and their sums.

The idea to hold: a matrix is what it does. A kind (see `_structured.py`) says in its own terms how it multiplies,
solves, gives its diagonal and becomes dense; everything else follows, and is written once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..ops.linalg._linalg import LinAlgError
from . import _solving


def floats(x: Any, what: str, ndim: int) -> np.ndarray:
    """An argument as an array of floats with so many dimensions."""
    a = np.asarray(x)
    if a.dtype.kind not in "fiub":
        raise DTypeError(f"{what} holds real numbers", f"Its dtype is {a.dtype}.", "Pass real arrays.")
    if a.ndim != ndim:
        raise ShapeError(f"{what} has {ndim} dimensions", f"Its shape is {a.shape}.", "")
    return a if a.dtype.kind == "f" else a.astype(float)


def require(fits: bool, what: str, evidence: str) -> None:
    """Raise unless shapes fit."""
    if not fits:
        raise ShapeError(what, evidence, "Check the arguments.")


def _amount(n: int) -> str:
    for size, unit in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return f"{n} bytes"


def symmetric(G: np.ndarray) -> np.ndarray:
    """The mean of a matrix and its transpose, which is exactly symmetric."""
    return np.asarray((G + G.T) / 2)


class Structured:
    """A symmetric n×n matrix that is not held as n² numbers; its kinds are the other classes here.

    Attributes
    ----------
    shape, dtype, ndim : as of the dense matrix
    T : the matrix itself
    nbytes : bytes of the arrays it holds

    Examples
    --------
    >>> import numpy as np
    >>> from symgrad.programs._structured import Diagonal, Gram
    >>> H = Diagonal([1.0, 2.0]) + Gram([[1.0, 1.0]])
    >>> H
    Sum: Diagonal + Gram, 2×2, 32 bytes instead of 32 bytes
    >>> H @ np.array([1.0, 0.0])
    array([2., 1.])
    >>> H.solve(np.array([2.0, 1.0]))
    array([1., 0.])
    >>> np.asarray(H)
    array([[2., 1.],
           [1., 3.]])
    """

    __array_ufunc__ = None  # array @ matrix and number * matrix come to __rmatmul__ and __rmul__
    ndim = 2
    dtype: np.dtype[Any]
    _n: int

    @property
    def shape(self) -> tuple[int, int]:
        return self._n, self._n

    @property
    def T(self) -> Structured:
        return self

    @property
    def nbytes(self) -> int:
        return sum(a.nbytes for a in self._arrays())

    # what each kind says

    def _arrays(self) -> list[Any]:
        raise NotImplementedError

    def _times(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _scaled(self, c: float) -> Structured:
        raise NotImplementedError

    def diagonal(self) -> np.ndarray:
        """Return the diagonal, an array of n numbers."""
        raise NotImplementedError

    def todense(self) -> np.ndarray:
        """Return the n×n array, exactly symmetric."""
        raise NotImplementedError

    def _solve(self, B: np.ndarray) -> np.ndarray:
        parts = self._narrow()
        if parts is not None:
            return _solving.woodbury(parts, B, self._words())
        return _solving.dense(self.todense(), B, self._words())

    def _slogdet(self) -> tuple[float, float]:
        parts = self._narrow()
        return _solving.slogdet_dense(self.todense()) if parts is None else _solving.slogdet_woodbury(parts)

    def _narrow(self) -> Any:
        """d, U, c as in `_low_rank` where Woodbury's identity applies and pays."""
        parts = self._low_rank()
        return parts if parts is not None and np.all(parts[0]) and parts[2].size < self._n else None

    def _words(self) -> str:
        return type(self).__name__

    def _low_rank(self) -> tuple[Any, np.ndarray, np.ndarray] | None:
        """The matrix as diag(d) + U diag(c) Uᵀ, if it is one: d (0 if there is none), U, c."""
        return None

    def _is_sparse(self) -> bool:
        """Whether its CSR form is small."""
        return False

    def _plus(self, other: Structured) -> Structured | None:
        """The sum as one matrix of the same kind, if there is one."""
        return None

    # what follows

    def solve(self, b: Any) -> np.ndarray:
        """Return x with ``self @ x == b``.

        Parameters
        ----------
        b : array of shape (n,) or (n, k)

        Raises
        ------
        LinAlgError : the matrix is singular; the message says where it shows
        """
        b = self._operand(b, 0)
        if b.dtype.kind == "c":
            return np.asarray(self.solve(b.real) + 1j * self.solve(b.imag))
        x = self._solve(b[:, None] if b.ndim == 1 else b)
        return np.asarray(x).reshape(b.shape)

    def logdet(self) -> float:
        """Return the logarithm of the determinant.

        Raises
        ------
        LinAlgError : the determinant is not positive
        """
        sign, log = self._slogdet()
        if not sign > 0:
            raise LinAlgError(
                f"logdet: the determinant of the matrix ({self._words()}) is {'zero' if sign == 0 else 'negative'}",
                "", "np.linalg.slogdet(H.todense()) gives sign and logarithm.",
            )  # fmt: skip
        return log

    def trace(self) -> float:
        """Return the sum of the diagonal."""
        return float(self.diagonal().sum())

    def tocsr(self) -> Any:
        """Return a ``scipy.sparse.csr_array``."""
        from scipy.sparse import csr_array

        return csr_array(self.todense())

    def as_linear_operator(self) -> Any:
        """Return a ``scipy.sparse.linalg.LinearOperator``, for ``cg``, ``eigsh`` and ``minimize``."""
        from scipy.sparse.linalg import LinearOperator

        times = self.__matmul__
        return LinearOperator(self.shape, times, times, times, self.dtype, times)

    def _operand(self, x: Any, axis: int) -> np.ndarray:
        a = np.asarray(x)
        if a.dtype.kind not in "fciub" or a.ndim not in (1, 2) or a.shape[axis] != self._n:
            raise ShapeError(
                f"a matrix of shape {self.shape} goes with vectors of {self._n} and matrices of {self._n} "
                f"{'columns' if axis else 'rows'}", f"The other operand has shape {a.shape} and dtype {a.dtype}.",
                "Transpose or flatten it.",
            )  # fmt: skip
        return a if a.dtype.kind in "fc" else a.astype(float)

    def __matmul__(self, x: Any) -> np.ndarray:
        a = self._operand(x.toarray() if hasattr(x, "toarray") else x, 0)
        return np.asarray(self._times(a[:, None] if a.ndim == 1 else a)).reshape(a.shape)

    def __rmatmul__(self, x: Any) -> np.ndarray:
        a = self._operand(x.toarray() if hasattr(x, "toarray") else x, -1)
        return self @ a if a.ndim == 1 else (self @ a.T).T

    def __mul__(self, c: Any) -> Structured:
        if not (np.isscalar(c) or np.ndim(c) == 0) or np.asarray(c).dtype.kind not in "fiub":
            return NotImplemented
        return self._scaled(float(c))

    __rmul__ = __mul__

    def __truediv__(self, c: Any) -> Structured:
        return self * (1 / c)

    def __neg__(self) -> Structured:
        return self._scaled(-1.0)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Structured):
            return Sum(self, other).simplified()
        return self.todense() + other if isinstance(other, np.ndarray) else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a structured matrix has to be written out to become an array")
        return self.todense().astype(self.dtype if dtype is None else dtype, copy=False)

    def __repr__(self) -> str:
        n, whole = self._n, self._n * self._n * self.dtype.itemsize
        return f"{self._words()}, {n}×{n}, {_amount(self.nbytes)} instead of {_amount(whole)}"


class Sum(Structured):
    """The sum of structured matrices of one shape.

    Parameters
    ----------
    parts : structured matrices

    Notes
    -----
    It is multiplied part by part. It is solved by Woodbury's identity where it is a diagonal plus something of lower
    rank, as a sparse matrix where all parts are sparse, and as a dense one otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from symgrad.programs._structured import Diagonal, Kronecker
    >>> H = Sum(Diagonal(np.ones(4)), Kronecker(2, np.array([[2.0, 1.0], [1.0, 2.0]])))
    >>> H
    Sum: Diagonal + Kronecker, 4×4, 64 bytes instead of 128 bytes
    >>> H.trace()
    12.0
    """

    def __init__(self, *parts: Structured) -> None:
        flat: list[Structured] = []
        for p in parts:
            if not isinstance(p, Structured):
                raise DTypeError(
                    "Sum adds structured matrices", f"It got {type(p).__name__}.", "Use np.asarray(H) + x."
                )
            flat += p.parts if isinstance(p, Sum) else [p]
        require(len({p.shape for p in flat}) == 1, "the parts of a sum have one shape",
                f"They have {[p.shape for p in flat]}.")  # fmt: skip
        self.parts: list[Structured] = flat
        self._n = flat[0]._n
        self.dtype = np.result_type(*[p.dtype for p in flat])

    def simplified(self) -> Structured:
        """The sum with parts of one kind put together; the part itself if one is left."""
        left: list[Structured] = []
        for part in self.parts:
            for k, other in enumerate(left):
                both = other._plus(part) or part._plus(other)
                if both is not None:
                    left[k] = both
                    break
            else:
                left.append(part)
        return left[0] if len(left) == 1 else Sum(*left)

    def _arrays(self) -> list[Any]:
        return [a for p in self.parts for a in p._arrays()]

    def _times(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(sum(p._times(X) for p in self.parts))

    def _scaled(self, c: float) -> Structured:
        return Sum(*[p._scaled(c) for p in self.parts])

    def diagonal(self) -> np.ndarray:
        return np.asarray(sum(p.diagonal() for p in self.parts))

    def todense(self) -> np.ndarray:
        return np.asarray(sum(p.todense() for p in self.parts))

    def tocsr(self) -> Any:
        found = self.parts[0].tocsr()
        for p in self.parts[1:]:
            found = found + p.tocsr()
        return found

    def _low_rank(self) -> Any:
        found = [p._low_rank() for p in self.parts]
        if any(f is None for f in found):
            return None
        d, U, c = zip(*found, strict=True)
        return sum(d), np.hstack(U), np.concatenate(c)

    def _is_sparse(self) -> bool:
        return all(p._is_sparse() for p in self.parts)

    def _solve(self, B: np.ndarray) -> np.ndarray:
        if self._is_sparse():
            return _solving.sparse(self.tocsr(), B, self._words())
        return super()._solve(B)

    def _slogdet(self) -> tuple[float, float]:
        if self._is_sparse():
            return _solving.slogdet_sparse(self.tocsr(), self._words())
        return super()._slogdet()

    def _words(self) -> str:
        return "Sum: " + " + ".join(type(p).__name__ for p in self.parts)
