"""Linear systems: inverse, solve, powers; triangular systems with Cholesky's factors, and LU's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _config
from ..._errors import DTypeError, NotDifferentiableError, ShapeError, SymgradError
from ...core import Symbol, Tensor, fallible, recorded_as, row_function, short_dtype, tensor_around, unwrap
from ..arguments import found_in, known_values, ndarray_of, sizes
from ..create.creation import make
from ..entries.elementwise import where
from ..public import named, public, publish
from ..results import result
from ..samples import positive, regular, sampled, triangular
from ..shape.joins import pad
from ..shape.moves import tril, triu
from .contract import fit, matmul

# -------------------------------------------- Linear systems: inverse, solve, powers; all for batches of matrices too

# The idea to hold: no rule differentiates an algorithm. Each follows from the equation that defines the result (``A @
# inv(A) = 1``, ``A @ X = B``, ``L @ L.mH = A``) and is written in these same operations, so it can be differentiated
# again. Source: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
# differentiation (2008). Decompositions and norms are in `decompositions.py`, triangular systems
# below, determinants in `determinants_and_norms.py`.


class LinAlgError(SymgradError, RuntimeError, np.linalg.LinAlgError):
    """A matrix is singular, or not positive definite."""


# --------------------------------------------------------------------------------------------------- checks


def expect_matrix(A: Any, what: str, square: bool = True, name: str = "A") -> None:
    """Raise unless ``A`` is a (batch of) float matrices, square ones if ``square``."""
    shape = sizes(A)
    if len(shape) < 2:
        raise ShapeError(
            f"{what}: The input tensor {name} must have at least 2 dimensions.",
            f"Its shape is {shape}.",
            "The last two are the matrix.",
        )
    if square and shape[-1] != shape[-2]:
        raise ShapeError(
            f"{what}: {name} must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices",
            f"The shape is {shape}.", "linalg.pinv and linalg.lstsq take any matrix.",
        )  # fmt: skip
    dtype = getattr(A, "dtype", None)
    if dtype is not None and dtype.kind not in "fc":
        raise DTypeError(
            f"{what}: Expected a floating point or complex tensor as input. Got {short_dtype(dtype)}",
            "",
            "Cast it: A.double().",
        )


def is_complex(x: Any) -> bool:
    """Whether the dtype is complex (a static question, not one about values)."""
    dtype = getattr(x, "dtype", None)
    return dtype is not None and dtype.kind == "c"


def conj(x: Any) -> Any:
    """The conjugate; what is real, itself."""
    return (np.conj(x) if isinstance(x, np.ndarray) else row_function("conj")(x)) if is_complex(x) else x


def adjoint(x: Any) -> Any:
    """The transposed conjugate."""
    return conj(x.mT)


def hermitian(x: Any) -> Any:
    """The Hermitian part; what is left of it is no part of the gradient of a function of Hermitian matrices."""
    return (x + adjoint(x)) * 0.5


def as_scalars(g: Any) -> Any:
    """A batch of numbers as a batch of 1×1 matrices, to multiply matrices by."""
    return g.reshape((*g.shape, 1, 1))


def as_column(v: Any) -> Any:
    """A batch of vectors as a batch of columns: numbers to scale a matrix's rows by."""
    return v.reshape((*v.shape, 1))


def as_row(v: Any) -> Any:
    """A batch of vectors as a batch of rows: numbers to scale a matrix's columns by."""
    return v.reshape((*v.shape[:-1], 1, v.shape[-1]))


def side_by_side(*matrices: np.ndarray) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """The shape of the batch that matrices have together, and each of them spread over it."""
    lead = np.broadcast_shapes(*[x.shape[:-2] for x in matrices])
    return lead, [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in matrices]


def failing(A: np.ndarray, fails: Callable[[np.ndarray], int]) -> tuple[str, int]:
    """Where in a batch of matrices the first failure is, in PyTorch's words, and what ``fails`` says about it."""
    if A.ndim == 2:
        return "", fails(A)
    for k, matrix in enumerate(A.reshape((-1, *A.shape[-2:]))):
        info = fails(matrix)
        if info > 0:
            return f"(Batch element {k}): ", info
    return "", 0


def _zero_pivot(A: np.ndarray) -> int:
    from scipy.linalg import lapack

    return int(lapack.get_lapack_funcs("getrf", (A,))(A)[2])


# -------------------------------------------------------------------------------------------------- inverse


def _inv(x: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        where, k = failing(x, _zero_pivot)
        raise LinAlgError(
            f"linalg.inv: {where}The diagonal element {k} is zero, the inversion could not be completed because the "
            "input matrix is singular.",
            "That is an element of U in A = P L U.", "linalg.pinv inverts what can be inverted.",
        ) from None  # fmt: skip


inv_row = fallible(
    "inv", _inv, lambda g, y: -(y.mT @ g @ y.mT),
    last=2, defined="has an inverse", sample=sampled(of=[regular]), doc="the inverse matrix",
)  # fmt: skip


@public("inverse", function=False)
def inv(A: Any) -> Any:
    """Return the inverse of a matrix, or of each matrix of a batch.

    Raises
    ------
    LinAlgError : a matrix is singular

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[2.0, 0.0], [0.0, 4.0]], requires_grad=True)
    >>> B = sg.linalg.inv(A)
    >>> B
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]], grad_fn=<LinalgInvExBackward0>)
    >>> B[1, 1].backward()
    >>> A.grad[1, 1]
    tensor(-0.0625)
    """
    expect_matrix(A, "linalg.inv")
    return inv_row(A)


publish(inv, "inverse", method=False)

# ---------------------------------------------------------------------------------------------------- solve


def _solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        where, _ = failing(a, _zero_pivot)
        raise LinAlgError(
            f"torch.linalg.solve: {where}The solver failed because the input matrix is singular.",
            f"The matrix has shape {a.shape}.", "linalg.lstsq gives the nearest solution.",
        ) from None  # fmt: skip


solve_row: Any = fallible(
    "solve", _solve, lambda g, a, y, shape: -fit(solve_row(a.mT, g) @ y.mT, shape),
    lambda g, a, shape: fit(solve_row(a.mT, g), shape),
    last=2, defined="has an inverse", sample=sampled(of=[regular, (3, 2)]), doc="the solution X of A X = B",
)  # fmt: skip
solve_vector_row: Any = fallible(
    "solve_vector", lambda a, b: _solve(a, b[..., None])[..., 0],
    lambda g, a, y, shape: -fit(as_column(solve_vector_row(a.mT, g)) * as_row(y), shape),
    lambda g, a, shape: fit(solve_vector_row(a.mT, g), shape),
    defined="has an inverse", sample=sampled(of=[regular, (3,)]), label="solve",
    doc="the solution x of A x = b",
)  # fmt: skip


def solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """Return the solution of ``A @ X = B`` (with ``left=False`` of ``X @ A = B``), differentiable in both.

    ``B`` is a matrix or, where its shape is A's without the last dimension, a vector; batches broadcast.

    Raises
    ------
    LinAlgError : a matrix is singular

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> b = sg.tensor([1.0, 1.0], requires_grad=True)
    >>> x = sg.linalg.solve(A, b)
    >>> x
    tensor([0.5000, 0.2500], grad_fn=<LinalgSolveExBackward0>)
    >>> x.sum().backward()
    >>> b.grad
    tensor([0.5000, 0.2500])
    """
    expect_matrix(A, "linalg.solve")
    a, b = sizes(A), sizes(B)
    if not b:
        expect_matrix(B, "linalg.solve", False, "B")
    vector = len(b) == 1 or (len(a) - 1 == len(b) and a[:-1] == b)
    if vector and not left:
        raise ShapeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False.",
            "",
            "Transpose A.",
        )
    rows = b[-1] if vector else b[-2] if left else b[-1]
    if rows != a[-1]:
        shown = f"{b[-1]}x1" if vector else f"{b[-2]}x{b[-1]}"
        raise ShapeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a[-2]}x{a[-1]} and {shown})",
            f"The shapes are {a} and {b}.", "B has as many rows as A.",
        )  # fmt: skip
    if vector:
        return solve_vector_row(A, B)
    return solve_row(A, B) if left else solve_row(A.mT, B.mT).mT


# --------------------------------------------------------------------------------------------------- powers

one_row = fallible(
    "matrix_power_zero", lambda x: np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape).copy(), lambda g: g * 0,
    last=2, sample=sampled(of=[regular]), doc="the identity matrix, whatever x is",
)  # fmt: skip


@public()
def matrix_power(A: Any, n: int) -> Any:
    """Return the ``n``-th power of a square matrix; negative powers are powers of the inverse."""
    expect_matrix(A, "linalg.matrix_power")
    if not hasattr(type(n), "__index__"):
        raise DTypeError(
            "linalg.matrix_power: the exponent must be an integer", f"It is {n!r}.",
            "Of a symmetric matrix w, V = linalg.eigh(A) gives any power, (V * w**p) @ V.T.",
        )  # fmt: skip
    if n == 0:
        return one_row(A)
    if n < 0:
        A, n = inv_row(A), -n
    if n == 1:
        return row_function("clone")(A, "K") if isinstance(A, Tensor) else A
    power, square = None, A
    while n:
        n, odd = divmod(n, 2)
        if odd:
            power = square if power is None else matmul(power, square)
        if n:
            square = matmul(square, square)
    return power


# -------------------------------------- Triangular systems, and the Cholesky factorisation, which is solved with them

# The idea to hold: the derivative of a triangular factor is triangular, so each gradient is cut back to its triangle.
# Source: I. Murray, Differentiation of the Cholesky decomposition (2016).


# ---------------------------------------------------------------------------------------- triangular systems


def _triangular(a: np.ndarray, b: np.ndarray, upper: bool, left: bool, unitriangular: bool) -> np.ndarray:
    from scipy.linalg import blas

    if not left:
        return _triangular(a.mT, b.mT, not upper, True, unitriangular).mT
    dtype, (_, both) = np.result_type(a, b), side_by_side(a, b)
    out = np.empty(both[1].shape, dtype)
    if out.size == 0:
        return out
    trsm = blas.get_blas_funcs("trsm", dtype=dtype)
    every = [x.reshape((-1, *x.shape[-2:])) for x in (out, *both)]
    for target, matrix, side in zip(*every, strict=True):
        target[...] = trsm(1.0, matrix, side, lower=not upper, diag=unitriangular)
    return out


def triangle(x: Any, upper: bool, unitriangular: bool) -> Any:
    """The part of a matrix that a triangular solve reads."""
    n = int(x.shape[-1])
    kept = np.tri(n, n, -1 if unitriangular else 0, dtype=bool)
    return where(kept.T if upper else kept, x, 0.0)


def _triangular_matrix(g: Any, a: Any, y: Any, upper: Any, left: Any, unitriangular: Any, shape: Any) -> Any:
    d = triangular_row(a.mT, g, not upper, left, unitriangular)
    product = d @ y.mT if left else y.mT @ d
    return triangle(fit(-product, shape), upper, unitriangular)


triangular_row: Any = fallible(
    "solve_triangular", _triangular, _triangular_matrix,
    lambda g, a, upper, left, unitriangular, shape: fit(triangular_row(a.mT, g, not upper, left, unitriangular), shape),
    means="option option option", last=2,
    sample=sampled(False, True, False, of=[regular, (3, 2)]),
    doc="the solution X of A X = B for a triangular A (the other triangle is not read)",
)  # fmt: skip


def solve_triangular(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """Return the solution of ``A @ X = B`` (or ``X @ A = B``) for a triangular matrix; its other triangle is not read.

    A zero on the diagonal gives infinities, not an error.
    """
    expect_matrix(A, "linalg.solve_triangular")
    expect_matrix(B, "linalg.solve_triangular", square=False, name="B")
    a, b = sizes(A), sizes(B)
    if a[-1] != b[-2 if left else -1]:
        raise ShapeError(
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})", "", "B has as many rows as A.",
        )  # fmt: skip
    return triangular_row(A, B, bool(upper), bool(left), bool(unitriangular))


_TriangularSolve = result("triangular_solve", "solution", "cloned_coefficient")


@public()
def triangular_solve(b: Any, A: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """Return ``(X, A)`` with ``A @ X = b`` for a triangular A: the older form of `linalg.solve_triangular`."""
    expect_matrix(A, "triangular_solve")
    expect_matrix(b, "triangular_solve", square=False, name="b")
    matrix = A.mT if transpose else A
    X = triangular_row(matrix, b, bool(upper) != bool(transpose), True, bool(unitriangular))
    return _TriangularSolve(recorded_as(X, "triangular_solve"), A)


# ------------------------------------------------------------------------------------------------- Cholesky


def _cholesky(x: np.ndarray, upper: bool) -> np.ndarray:
    try:
        y = np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        place, _ = failing(x, _bad_minor)
        raise LinAlgError(
            f"linalg.cholesky: {place}The factorization could not be completed because the input is not "
            "positive-definite.",
            f"The matrix has shape {x.shape}.", "Add a small multiple of the identity, or use linalg.eigh.",
        ) from None  # fmt: skip
    return adjoint(y) if upper else y


def _cholesky_rule(g: Any, y: Any, upper: Any) -> Any:
    """``L^-H phi(L^H g) L^-1`` made Hermitian; phi keeps the lower triangle, and half the diagonal."""
    if upper:
        g, y = adjoint(g), adjoint(y)
    inner = adjoint(y) @ g
    n = int(inner.shape[-1])
    keep = np.tri(n, n, -1, dtype=_config.real_of(inner.dtype)) + 0.5 * np.eye(n, dtype=_config.real_of(inner.dtype))
    half = triangular_row(adjoint(y), inner * keep, True, True, False)
    return hermitian(triangular_row(y, half, False, False, False))


def _bad_minor(A: np.ndarray) -> int:
    from scipy.linalg import lapack

    return int(lapack.get_lapack_funcs("potrf", (A,))(A, lower=True)[1])


cholesky_row = fallible(
    "linalg_cholesky", _cholesky, _cholesky_rule, holomorphic=False,
    means="option", last=2, sample=sampled(False, of=[positive]),
    label="cholesky", doc="the triangular L with L L^H = A",
)  # fmt: skip


def linalg_cholesky(A: Any, *, upper: bool = False) -> Any:
    """Return the lower triangular L with ``L @ L.mH = A`` (or the upper ``L.mH``); only A's lower triangle is read.

    The gradient is Hermitian: that of a function of Hermitian matrices.

    Raises
    ------
    LinAlgError : a matrix is not positive definite

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.cholesky(sg.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    expect_matrix(A, "linalg.cholesky")
    return cholesky_row(A, bool(upper))


@public()
def cholesky(input: Any, upper: bool = False) -> Any:
    """Return the Cholesky factor, as `linalg.cholesky` does."""
    expect_matrix(input, "cholesky")
    return recorded_as(cholesky_row(input, bool(upper)), "cholesky")


def _cholesky_solve(a: np.ndarray, b: np.ndarray, upper: bool) -> np.ndarray:
    lower = adjoint(b) if upper else b
    return _triangular(adjoint(lower), _triangular(lower, a, False, True, False), True, True, False)


def _cholesky_solve_factor(g: Any, b: Any, y: Any, upper: Any, shape: Any) -> Any:
    # X = inv(L L^H) B, so the gradient of L L^H is -(inv(L L^H) g) X^H
    d = cholesky_solve_row(g, b, upper) @ adjoint(y)
    both, b = d + adjoint(d), triangle(b, upper, False)  # only that part is read
    return triangle(fit(-(b @ both) if upper else -(both @ b), shape), upper, False)


cholesky_solve_row: Any = fallible(
    "cholesky_solve", _cholesky_solve,
    lambda g, b, upper, shape: fit(cholesky_solve_row(g, b, upper), shape), _cholesky_solve_factor,
    holomorphic=False, means="option", last=2,
    sample=sampled(False, of=[(3, 2), triangular]),
    doc="the solution X of L L^H X = B",
)  # fmt: skip


@public()
def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:
    """Return the solution of ``A @ X = B`` for the matrix whose Cholesky factor ``L`` is (upper if ``upper``)."""
    expect_matrix(L, "cholesky_solve", name="L")
    expect_matrix(B, "cholesky_solve", square=False, name="B")
    return cholesky_solve_row(B, L, bool(upper))


def _cholesky_inverse_rule(g: Any, x: Any, y: Any, upper: Any) -> Any:
    both, x = y @ (g + adjoint(g)) @ y, triangle(x, upper, False)  # only that part is read
    return triangle(-(x @ both) if upper else -(both @ x), upper, False)


cholesky_inverse_row = fallible(
    "cholesky_inverse", lambda x, upper: _cholesky_solve(np.eye(x.shape[-1], dtype=x.dtype), x, upper),
    _cholesky_inverse_rule,
    holomorphic=False, means="option", last=2, sample=sampled(False, of=[triangular]),
    doc="the inverse of L L^H",
)  # fmt: skip


@public()
def cholesky_inverse(L: Any, upper: bool = False) -> Any:
    """Return the inverse of the matrix whose Cholesky factor ``L`` is."""
    expect_matrix(L, "cholesky_inverse", name="L")
    return cholesky_inverse_row(L, bool(upper))


# ------------------------------ The LU factorisation, systems solved with it, and products of Householder reflections

# The idea to hold: L and U are triangular, and so is each one's derivative, after it was multiplied by the inverse of
# the matrix itself: what is below the diagonal of ``L^-1 dA U^-1`` belongs to L, the rest to U. The order of rows is
# constant.


# ---------------------------------------------------------------------------------------------------------- LU


def _order_of(pivots: np.ndarray, n: int) -> np.ndarray:
    """The order of rows that exchanges in turn (LAPACK's, counted from 0) make."""
    order = np.arange(n)
    for i, j in enumerate(pivots.tolist()):
        order[[i, j]] = order[[j, i]]
    return order


def _lu(x: np.ndarray) -> tuple[np.ndarray, ...]:
    from scipy.linalg import lapack

    *batch, m, n = x.shape
    k = min(m, n)
    P, L, U = (np.zeros((*batch, *shape), x.dtype) for shape in ((m, m), (m, k), (k, n)))
    for at in np.ndindex(*batch):
        packed, pivots, _ = lapack.get_lapack_funcs("getrf", (x,))(x[at]) if k else (x[at], np.arange(0), 0)
        P[at][_order_of(pivots, m), np.arange(m)] = 1
        L[at], U[at] = np.tril(packed[:, :k], -1) + np.eye(m, k), np.triu(packed[:k])
    return P, L, U


def _lu_rule(g: Any, y: Any) -> Any:
    (_, gl, gu), (p, lower, upper) = g, y
    k = lower.shape[-1]
    below, right = lower.shape[-2] > k, upper.shape[-1] > k
    l1, u1, gl1, gu1 = lower[..., :k, :], upper[..., :k], gl[..., :k, :], gu[..., :k]
    strict = np.tri(k, k, -1, dtype=_config.real_of(lower.dtype))
    of_l, of_u = adjoint(l1) @ gl1, gu1 @ adjoint(u1)
    if right:  # U's further columns are L^-1 of A's
        of_l = of_l - gu[..., k:] @ adjoint(upper[..., k:])
    if below:  # L's further rows are A's times U^-1
        of_u = of_u - adjoint(lower[..., k:, :]) @ gl[..., k:, :]
    middle = of_l * strict + of_u * (1 - strict)
    d = triangular_row(adjoint(u1), middle, False, False, False)
    if below:
        d = row_function("cat")([d, triangular_row(adjoint(u1), gl[..., k:, :], False, False, False)], d.ndim - 2)
        top = triangular_row(adjoint(l1), d[..., :k, :], True, True, True)
        return p @ row_function("cat")([top, d[..., k:, :]], d.ndim - 2)
    d = triangular_row(adjoint(l1), d, True, True, True)
    if right:
        d = row_function("cat")([d, triangular_row(adjoint(l1), gu[..., k:], True, True, True)], d.ndim - 1)
    return p @ d


lu_row = fallible(
    "lu", _lu, _lu_rule, outputs=True, holomorphic=False,
    sample=sampled(of=[regular]), last=2,
    doc="P, L and U with A = P L U: an order of rows, unit lower and upper triangular",
)  # fmt: skip
_Lu = result("linalg_lu", "P", "L", "U")
_Factor = result("linalg_lu_factor", "LU", "pivots")
_FactorEx = result("linalg_lu_factor_ex", "LU", "pivots", "info")
_Unpacked = result("lu_unpack", "P", "L", "U")


def lu(A: Any, *, pivot: bool = True) -> Any:
    """Return ``(P, L, U)`` with ``A = P @ L @ U``: an order of rows, a unit lower and an upper triangular matrix.

    ``P`` is constant: the derivatives are those at one order of rows.

    Examples
    --------
    >>> import symgrad as sg
    >>> P, L, U = sg.linalg.lu(sg.tensor([[1.0, 2.0], [2.0, 0.0]]))
    >>> L, U
    (tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]]), tensor([[2., 0.],
            [0., 2.]]))
    """
    expect_matrix(A, "linalg.lu", square=False)
    if not pivot:
        raise ShapeError(
            "linalg.lu: LU without pivoting is not implemented on the CPU", "It divides by what may be zero.",
            "Leave pivot=False out.",
        )  # fmt: skip
    P, L, U = lu_row(A)
    P = P.detach() if isinstance(P, Tensor) else P
    return _Lu(P if type(P) is Symbol else found_in(P, A), L, U)


def _exchanges(P: np.ndarray, count: int) -> np.ndarray:
    """LAPACK's pivots, counted from 1, of matrices that put rows in an order."""
    out = np.empty((*P.shape[:-2], count), np.int32)
    for at in np.ndindex(*P.shape[:-2]):
        now, order = list(range(P.shape[-1])), P[at].real.argmax(0).tolist()
        for i in range(count):
            j = now.index(order[i], i)
            now[i], now[j] = now[j], now[i]
            out[at][i] = j + 1
    return out


def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return ``(LU, pivots, info)``: L and U in one matrix, the exchanges of rows, and where U's diagonal is zero."""
    P, L, U = lu(A, pivot=pivot)
    m, n = sizes(A)[-2:]
    k = min(m, n)
    strict, upper = tril(L, -1), U
    if n > k:
        strict = pad(strict, (0, n - k))
    if m > k:
        upper = pad(upper, (0, 0, 0, m - k))
    pivots = _exchanges(known_values(P, "the order of rows"), k)
    zero = np.diagonal(ndarray_of(U), axis1=-2, axis2=-1) == 0
    info = np.where(zero.any(-1), zero.argmax(-1) + 1, 0) if k else np.zeros(sizes(A)[:-2])
    if check_errors and info.any():
        raise LinAlgError(
            f"linalg.lu_factor: U[{int(info.max())},{int(info.max())}] is zero and using it on lu_solve would result "
            "in a division by zero.", "The matrix is singular.", "linalg.lu_factor_ex does not check.",
        )  # fmt: skip
    return _FactorEx(strict + upper, found_in(make(pivots), P), found_in(make(info.astype(np.int32)), U))


def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """Return ``(LU, pivots)``: L (but for its ones) and U in one matrix, and the exchanges of rows.

    Raises
    ------
    LinAlgError : a matrix is singular
    """
    return _Factor(*lu_factor_ex(A, pivot=pivot, check_errors=True)[:2])


@public(method=False)
def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return ``(P, L, U)`` of what `linalg.lu_factor` packed."""
    m, n = sizes(LU_data)[-2:]
    k, real = min(m, n), _config.real_of(LU_data.dtype)
    empty = make(np.empty(0, LU_data.dtype))
    P = tensor_around(_order_matrix(LU_pivots, m, unwrap(LU_data).dtype)) if unpack_pivots else empty
    if not unpack_data:
        return _Unpacked(P, empty, empty)
    return _Unpacked(P, tril(LU_data[..., :k], -1) + np.eye(m, k, dtype=real), triu(LU_data[..., :k, :]))


def _order_matrix(pivots: Any, n: int, dtype: Any) -> Any:
    found = known_values(pivots, "the order of rows")
    out = np.zeros((*found.shape[:-1], n, n), dtype)
    for at in np.ndindex(*found.shape[:-1]):
        out[at][_order_of(found[at] - 1, n), np.arange(n)] = 1
    return found_in(out, pivots)


def linalg_lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """Return the solution of ``A @ X = B`` (``X @ A = B``; of ``A.mH`` if ``adjoint``) for an A that was factored.

    ``LU`` and ``pivots`` are what `linalg.lu_factor` returns.
    """
    if not left:
        return _adjoint(linalg_lu_solve(LU, pivots, _adjoint(B), adjoint=not adjoint))
    expect_matrix(LU, "linalg.lu_solve", name="LU")
    expect_matrix(B, "linalg.lu_solve", square=False, name="B")
    P = _order_matrix(pivots, sizes(LU)[-1], _config.real_of(unwrap(LU).dtype))
    if adjoint:
        inner = triangular_row(_adjoint(LU), B, False, True, False)
        return matmul(P, triangular_row(_adjoint(LU), inner, True, True, True))
    return triangular_row(LU, triangular_row(LU, matmul(P.mT, B), False, True, True), True, True, False)


_adjoint = adjoint


@public()
def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:
    """Return the solution of ``A @ X = b``: `linalg.lu_solve` with its arguments in another order."""
    return linalg_lu_solve(LU_data, LU_pivots, b)


def _old_lu(A: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    """Return ``(LU, pivots)`` as `linalg.lu_factor` does, with ``get_infos`` the third of `linalg.lu_factor_ex` too."""
    found = lu_factor_ex(A, pivot=pivot, check_errors=not get_infos)
    return tuple(found) if get_infos else tuple(found[:2])


public()(named(_old_lu, "lu"))

# ------------------------------------------------------------------------------------------------- reflections


def _reflected(A: Any, tau: Any, C: Any, forward: bool) -> Any:
    """``H_1 … H_k C`` for reflections whose vectors are A's columns below the diagonal; ``forward``: the adjoint."""
    m = sizes(A)[-2]
    places = np.arange(m)[:, None]
    tau = conj(tau) if forward else tau
    for i in range(sizes(tau)[-1])[:: 1 if forward else -1]:
        v = where(places > i, A[..., i : i + 1], (places == i).astype(A.dtype))
        C = C - as_scalars(tau[..., i]) * (v @ (adjoint(v) @ C))
    return C


@public("orgqr")
def householder_product(input: Any, tau: Any) -> Any:
    """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns.

    Above the diagonal the columns are not read, and count as 0; on it they count as 1.
    """
    expect_matrix(input, "torch.linalg.householder_product", square=False)
    m, n = sizes(input)[-2:]
    if m < n or sizes(tau)[-1] > n:
        raise ShapeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
            if m < n else
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]",
            f"The shapes are {sizes(input)} and {sizes(tau)}.", "Each column is one vector.",
        )  # fmt: skip
    one = np.broadcast_to(np.eye(m, n, dtype=input.dtype), sizes(input))
    return _reflected(input, tau, make(one.copy()) if isinstance(input, Tensor) else one, False)


@public()
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """Return the product of `householder_product`'s whole matrix (its adjoint if ``transpose``) with ``other``."""
    if left:
        return _reflected(input, tau, other, transpose)
    return adjoint(_reflected(input, tau, adjoint(other), not transpose))


_Geqrf = result("geqrf", "a", "tau")


@public()
def geqrf(input: Any) -> Any:
    """Return the QR factorisation as LAPACK keeps it: R with the vectors of reflections below it, and their factors."""
    expect_matrix(input, "geqrf", square=False)
    if isinstance(input, Tensor) and input.requires_grad:
        raise NotDifferentiableError(
            "geqrf on a tensor that requires grad has no derivative rule", "It is LAPACK's own form.",
            "linalg.qr has one, to every order.",
        )  # fmt: skip
    packed, tau = np.linalg.qr(known_values(input, "geqrf"), mode="raw")
    return _Geqrf(make(np.ascontiguousarray(packed.mT)), make(tau))
