"""Linear systems: inverse, solve, powers; all for batches of matrices too.

The idea to hold: no rule differentiates an algorithm. Each follows from the equation that defines the result
(``A @ inv(A) = 1``, ``A @ X = B``, ``L @ L.mH = A``) and is written in these same operations, so it can be
differentiated again. Source: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation (2008). Decompositions and norms are in `_decompose.py`, triangular systems in `_cholesky.py`,
determinants in `_determinant.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError, SymgradError
from ...core import Tensor, fallible, short_dtype, table
from .._dims import sizes
from .._public import public, publish
from ._contract import fit, matmul


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
    return (np.conj(x) if isinstance(x, np.ndarray) else table("conj")(x)) if is_complex(x) else x


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


def _regular(rng: Any, *more: tuple[int, ...]) -> list[Any]:
    """A well-conditioned matrix, and further arrays."""
    return [rng.normal(size=(3, 3)) + 4 * np.eye(3), *(rng.normal(size=s) for s in more)]


inv_row = fallible(
    "inv", _inv, lambda g, y: -(y.mT @ g @ y.mT),
    last=2, sample=lambda rng: (_regular(rng), ()), doc="the inverse matrix",
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
    last=2, sample=lambda rng: (_regular(rng, (3, 2)), ()), doc="the solution X of A X = B",
)  # fmt: skip
solve_vector_row: Any = fallible(
    "solve_vector", lambda a, b: _solve(a, b[..., None])[..., 0],
    lambda g, a, y, shape: -fit(as_column(solve_vector_row(a.mT, g)) * as_row(y), shape),
    lambda g, a, shape: fit(solve_vector_row(a.mT, g), shape),
    sample=lambda rng: (_regular(rng, (3,)), ()), label="solve", doc="the solution x of A x = b",
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
    last=2, sample=lambda rng: (_regular(rng), ()), doc="the identity matrix, whatever x is",
)  # fmt: skip


@public()
def matrix_power(A: Any, n: int) -> Any:
    """Return the ``n``-th power of a square matrix; negative powers are powers of the inverse."""
    expect_matrix(A, "linalg.matrix_power")
    if n == 0:
        return one_row(A)
    if n < 0:
        A, n = inv_row(A), -n
    if n == 1:
        return table("clone")(A, "K") if isinstance(A, Tensor) else A
    power, square = None, A
    while n:
        n, odd = divmod(n, 2)
        if odd:
            power = square if power is None else matmul(power, square)
        if n:
            square = matmul(square, square)
    return power
