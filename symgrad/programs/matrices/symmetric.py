"""What all structured symmetric matrices have in common, their sums, and factorisations to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _limits
from ..._errors import DTypeError, ShapeError
from ...ops.linalg import LinAlgError

# -------------------------- Solving with symmetric matrices: the factorisations that the structured ones choose among

# The idea to hold: every function here returns the solution or raises `LinAlgError`, with the name of the matrix and
# what makes it singular. Matrices are brought to a scale of their own first, so that variables in odd units are not
# taken for singular ones. SciPy is loaded on first use.


def singular(what: str, evidence: str) -> LinAlgError:
    """The error of a matrix without inverse."""
    return LinAlgError(
        f"solve: the matrix ({what}) is singular, or so nearly that its inverse means nothing", evidence,
        "Fix or leave out the variables that it leaves undetermined, add a multiple of the identity "
        "(H + Diagonal(np.full(n, 1e-6))), or use np.linalg.lstsq(H.todense(), b).",
    )  # fmt: skip


def _scales(diagonal: np.ndarray, largest: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What to multiply rows and columns by, so that the largest entry of each is about 1.

    ``diagonal`` holds its absolute values; ``largest`` says how large each row's largest entry is under given scales. A
    positive definite matrix is best scaled by its diagonal; others by the square roots of these sizes, repeatedly.
    """
    if (diagonal > 0).all():
        s = 1 / np.sqrt(diagonal)
        if largest(s).max(initial=0) < 100:
            return np.asarray(s)
    s = np.ones_like(diagonal)
    for _ in range(10):
        s = s / np.sqrt(largest(s))
    return np.asarray(s)


def _scaled(H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A symmetric matrix, or each of a stack, in scales of its own; and the scales."""
    size = np.abs(H)
    s = _scales(
        np.abs(np.einsum("...ii->...i", H)), lambda s: (size * s[..., None] * s[..., None, :]).max(-1, initial=0)
    )
    return s[..., None] * H * s[..., None, :], s


def _expect_rows(size: np.ndarray, what: str) -> None:
    zero = np.flatnonzero(~(size > 0))
    if zero.size:
        raise singular(what, f"Row {zero[0]} is zero or not a number.")


def dense(H: np.ndarray, b: np.ndarray, what: str) -> np.ndarray:
    """Solve with a symmetric matrix of any sign."""
    from scipy.linalg import get_lapack_funcs

    if not H.size:
        return b.copy()
    _expect_rows(np.abs(H).max(0), what)
    scaled, s = _scaled(H)
    run, condition = get_lapack_funcs(("sysv", "sycon"), (scaled, b))
    factors, pivots, x, info = run(scaled, s[:, None] * b)
    rcond = condition(factors, pivots, np.abs(scaled).sum(0).max())[0] if info == 0 else 0.0
    if not rcond > np.finfo(scaled.dtype).eps:
        raise singular(what, f"Its condition number is about {1 / rcond:.0e}." if rcond > 0 else "A pivot is zero.")
    return np.asarray(s[:, None] * x)


def gram(W: np.ndarray, b: np.ndarray, what: str) -> np.ndarray:
    """Solve with WᵀW: by Cholesky, and by QR where squaring would cost too many digits."""
    from scipy.linalg import cho_solve, get_lapack_funcs, qr, solve_triangular

    m, n = W.shape
    if m < n:
        raise singular(what, f"The product of an array of {m} rows has rank {m} at most, of {n}.")
    if not n:
        return b.copy()
    size = np.sqrt(np.einsum("ki,ki->i", W, W))
    _expect_rows(size, what)
    s = 1 / size
    W = W * s
    eps = np.finfo(W.dtype).eps
    G = W.T @ W
    factor, condition = get_lapack_funcs(("potrf", "pocon"), (G,))
    R, info = factor(G, lower=False, clean=True)
    if info == 0 and condition(R, np.abs(G).sum(0).max())[0] > np.sqrt(eps):
        return np.asarray(s[:, None] * cho_solve((R, False), s[:, None] * b))
    R = qr(W, mode="r")[0][:n]
    pivots = np.abs(np.diag(R))
    if not pivots.min() > max(m, n) * eps:
        k = int(np.argmin(pivots))
        raise singular(what, f"Column {k} of the array is a combination of the columns before it.")
    half = solve_triangular(R, s[:, None] * b, trans="T")
    return np.asarray(s[:, None] * solve_triangular(R, half))


def woodbury(parts: Any, b: np.ndarray, what: str) -> np.ndarray:
    """Solve with diag(d) + U diag(c) Uᵀ by way of a matrix of the size of c. No entry of d is zero."""
    d, U, c = parts
    live = np.flatnonzero(c)
    if not live.size:
        return np.asarray(b / d[:, None])
    U, c = U[:, live], c[live]
    if slogdet_woodbury((d, U, c))[0] == 0:
        raise singular(what, "The diagonal and the rest cancel.")
    V = U / d[:, None]
    inner = U.T @ V
    inner = (inner + inner.T) / 2
    inner[np.diag_indices_from(inner)] += 1 / c

    def once(r: np.ndarray) -> np.ndarray:
        first = r / d[:, None]
        return np.asarray(first - V @ dense(inner, U.T @ first, what))

    def rest(x: np.ndarray) -> np.ndarray:
        return np.asarray(b - d[:, None] * x - U @ (c[:, None] * (U.T @ x)))

    x = once(b)
    x = x + once(rest(x))  # one step of refinement: the two parts may be of very different sizes
    size = np.abs(b).max(0) + (np.abs(d).max() + np.abs(c).max() * np.abs(U).max() ** 2) * np.abs(x).max(0)
    if not (np.abs(rest(x)).max(0) <= np.sqrt(np.finfo(x.dtype).eps) * size).all():
        raise singular(what, "The diagonal and the rest all but cancel.")
    return x


def blocks(B: np.ndarray, b: np.ndarray, what: str) -> np.ndarray:
    """Solve with each of a stack of matrices: ``b`` is (k, m, columns)."""
    if not B.size:
        return b.copy()
    scaled, s = _regular_blocks(B, what)
    return np.asarray(s[:, :, None] * np.linalg.solve(scaled, s[:, :, None] * b))


def _regular_blocks(B: np.ndarray, what: str) -> tuple[np.ndarray, np.ndarray]:
    """The blocks in scales of their own, and the scales."""
    size = np.abs(B).max(1)
    bad = np.argwhere(~(size > 0))
    if bad.size:
        raise singular(what, f"Row {bad[0][1]} of block {bad[0][0]} is zero or not a number.")
    scaled, s = _scaled(B)
    whole = np.linalg.slogdet(scaled)[0] != 0
    rcond = np.zeros(len(B))
    rcond[whole] = 1 / np.linalg.cond(scaled[whole], 1)
    worst = int(np.argmin(rcond))
    if not rcond[worst] > np.finfo(B.dtype).eps:
        raise singular(what, f"Block {worst} has no inverse.")
    return scaled, s


def sparse(S: Any, b: np.ndarray, what: str) -> np.ndarray:
    """Solve with a sparse matrix."""
    return SparseFactors(S.astype(np.result_type(S.dtype, b.dtype), copy=False), what).solve(b)


class SparseFactors:
    """The factors of a sparse symmetric matrix: of a band where it is narrow, else by SuperLU."""

    n: int
    what: str
    dtype: np.dtype[Any]
    indices: np.ndarray
    indptr: np.ndarray
    data: np.ndarray
    pivots: np.ndarray
    odd: int
    run: Callable[[Any], Any]

    def __init__(self, S: Any, what: str) -> None:
        self.n, self.what, self.dtype = S.shape[0], what, S.dtype
        self.indices, self.indptr = S.indices, S.indptr
        self.rows: np.ndarray = np.repeat(np.arange(self.n), np.diff(S.indptr))
        self.scales: np.ndarray = np.ones(self.n, S.dtype)
        self._scale(S)
        self.width: int = int(np.abs(self.rows - S.indices).max(initial=0))
        if self.width <= _limits.BAND and (2 * self.width + 1) * self.n <= 4 * S.nnz + _limits.BAND_ROOM:
            self._banded()
        else:
            self._superlu(S.shape)

    def _scale(self, S: Any) -> None:
        size, starts = np.abs(S.data), S.indptr[:-1]
        empty = np.diff(S.indptr) == 0
        if empty.any():
            raise singular(self.what, f"Row {int(np.argmax(empty))} is zero or not a number.")
        if self.n:
            _expect_rows(np.maximum.reduceat(size, starts), self.what)
            self.scales = _scales(
                np.abs(S.diagonal()), lambda s: np.maximum.reduceat(size * s[self.rows] * s[S.indices], starts)
            )
        self.data = S.data * self.scales[self.rows] * self.scales[S.indices]

    def _banded(self) -> None:
        from scipy.linalg import get_lapack_funcs

        b = self.width
        ab = np.zeros((3 * b + 1, self.n), self.dtype)
        np.add.at(ab, (2 * b + self.indices - self.rows, self.rows), self.data)
        factor, solve = get_lapack_funcs(("gbtrf", "gbtrs"), (ab,))
        lu, pivots, _ = factor(ab, b, b)
        self.pivots, self.odd = lu[2 * b], int(np.count_nonzero(pivots != np.arange(self.n))) % 2
        self.run = lambda y: solve(lu, b, b, y, pivots)[0]
        self._regular(lu[2 * b])

    def _superlu(self, shape: tuple[int, int]) -> None:
        from scipy.sparse import csc_array
        from scipy.sparse.csgraph import connected_components
        from scipy.sparse.linalg import splu

        columns = csc_array((self.data, self.indices, self.indptr), shape)  # symmetric: rows are columns
        try:
            lu = splu(columns)
        except RuntimeError as error:
            raise singular(self.what, str(error) + ".") from None
        self.pivots, self.run = lu.U.diagonal(), lu.solve
        self._regular(self.pivots)
        self.odd = 0
        for order in (lu.perm_r, lu.perm_c):
            turns = csc_array((np.ones(self.n), order, np.arange(self.n + 1)), shape)
            self.odd ^= (self.n - connected_components(turns, return_labels=False)) % 2

    def _regular(self, pivots: np.ndarray) -> None:
        """Raise if the factors (the entries are of size 1) are those of a singular matrix."""
        eps = np.finfo(self.dtype).eps
        small = ~(np.abs(pivots) > 4 * eps)
        if small.any():
            raise singular(self.what, f"Pivot {int(np.argmax(small))} of {self.n} is {pivots[np.argmax(small)]:.1g}.")
        probe = np.random.default_rng(self.n).choice([-1.0, 1.0], (self.n, 1)).astype(self.dtype)
        size = float(np.linalg.norm(self.run(probe)))  # what is solved for is made of all directions, the worst as well
        if not size < 0.1 / eps:
            raise singular(self.what, f"Its condition number is about {size:.0e}.")

    def solve(self, b: np.ndarray) -> np.ndarray:
        """The solution for the columns of ``b``."""
        return np.asarray(self.scales[:, None] * self.run(np.asfortranarray(self.scales[:, None] * b, self.dtype)))

    def slogdet(self) -> tuple[float, float]:
        """Sign and logarithm of the determinant."""
        sign, log = slogdet_pivots(self.pivots)
        return -sign if self.odd else sign, log - 2 * float(np.log(self.scales).sum())


def slogdet_pivots(pivots: np.ndarray) -> tuple[float, float]:
    """Sign and logarithm of a product."""
    with np.errstate(divide="ignore"):
        return float(np.prod(np.sign(pivots))), float(np.log(np.abs(pivots)).sum())


def slogdet_woodbury(parts: Any) -> tuple[float, float]:
    """Of diag(d) + U diag(c) Uᵀ, by the determinant lemma: det diag(d) · det(1 + diag(c) Uᵀ diag(d)⁻¹ U)."""
    d, U, c = parts
    sign, log = slogdet_pivots(d)
    more = c[:, None] * (U.T @ (U / d[:, None]))
    inner, rest = _slogdet(np.eye(c.size) + more, 1 + np.abs(more).max(0, initial=0))
    return sign * inner, log + rest


def _slogdet(A: np.ndarray, size: np.ndarray) -> tuple[float, float]:
    """Of any matrix; a pivot that is rounding alone, beside the size of its column's terms, counts as zero."""
    from scipy.linalg import get_lapack_funcs

    if not A.size:
        return 1.0, 0.0
    lu, order, _ = get_lapack_funcs(("getrf",), (A,))[0](A)
    pivots = np.diag(lu)
    if (np.abs(pivots) <= 4 * size.size * np.finfo(A.dtype).eps * size).any():
        return 0.0, -np.inf
    sign, log = slogdet_pivots(pivots)
    return -sign if np.count_nonzero(order != np.arange(size.size)) % 2 else sign, log


def slogdet_dense(H: np.ndarray) -> tuple[float, float]:
    """Of a symmetric matrix."""
    size = np.abs(H).max(0, initial=0)
    if not size.all():
        return 0.0, -np.inf
    scaled, s = _scaled(H)
    sign, log = _slogdet(scaled, np.abs(scaled).max(0, initial=0))
    return sign, log - 2 * float(np.log(s).sum())


def slogdet_blocks(B: np.ndarray) -> tuple[float, float]:
    """Of a stack of symmetric matrices together."""
    if not B.size:
        return 1.0, 0.0
    try:
        _regular_blocks(B, "")
    except LinAlgError:
        return 0.0, -np.inf
    signs, logs = np.linalg.slogdet(B)
    return float(np.prod(signs)), float(logs.sum())


def slogdet_sparse(S: Any, what: str) -> tuple[float, float]:
    """Of a sparse symmetric matrix."""
    try:
        return SparseFactors(S, what).slogdet()
    except LinAlgError:
        return 0.0, -np.inf


# ---------------------------------------- What all symmetric matrices with a structure have in common, and their sums

# The idea to hold: a matrix is what it does. A kind (see `structured.py`) says in its own terms how it multiplies,
# solves, gives its diagonal and becomes dense; everything else follows, and is written once.


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
    >>> from symgrad.programs.matrices import Diagonal, Gram
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
            return woodbury(parts, B, self._words())
        return dense(self.todense(), B, self._words())

    def _slogdet(self) -> tuple[float, float]:
        parts = self._narrow()
        return slogdet_dense(self.todense()) if parts is None else slogdet_woodbury(parts)

    def _narrow(self) -> Any:
        """d, U, c as in `structured` where Woodbury's identity applies and pays."""
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
            value = {0.0: "zero", -1.0: "negative"}.get(sign, "not a number")
            raise LinAlgError(
                f"logdet: the determinant of the matrix ({self._words()}) is {value}",
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
    >>> from symgrad.programs.matrices import Diagonal, Kronecker
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
        self.dtype: np.dtype[Any] = np.result_type(*[p.dtype for p in flat])

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
            return sparse(self.tocsr(), B, self._words())
        return super()._solve(B)

    def _slogdet(self) -> tuple[float, float]:
        if self._is_sparse():
            return slogdet_sparse(self.tocsr(), self._words())
        return super()._slogdet()

    def _words(self) -> str:
        return "Sum: " + " + ".join(type(p).__name__ for p in self.parts)
