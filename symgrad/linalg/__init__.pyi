"""Linear algebra under `torch.linalg`'s names: differentiable, any number of times, and for batches of matrices. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from .. import return_types
from ..core import Tensor
from ..ops.linalg.linear_systems import LinAlgError as LinAlgError

@overload
def cholesky(A: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the lower triangular L with ``L @ L.mH = A`` (or the upper ``L.mH``); only A's lower triangle is read.

    The gradient is Hermitian: that of a function of Hermitian matrices.

    Parameters
    ----------
    A : tensor or array
    upper : bool, default False
    out : Tensor, optional
        Where the result is written; it is returned.

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
@overload
def cholesky(A: Operand, *, upper: _bool = False, out: Tensor | None = None) -> Any: ...
def cholesky_ex(A: Operand, *, upper: _bool = False, check_errors: _bool = False, out: Tensor | None = None) -> return_types.linalg_cholesky_ex:
    """Return ``(L, info)``: as `linalg.cholesky`, but a matrix that is not positive definite gives NaN.

    ``info`` has the order of the leading minor that is not.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    upper : bool, default False
        Which triangle of the matrix counts.
    check_errors : bool, default False
        Whether to raise where the matrix does not allow it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cond(A: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Return the condition number: the norm of ``A`` times that of its inverse (default: the 2-norm).

    Parameters
    ----------
    A : tensor or array
    p : number, optional
        A number of the function's definition.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cond(A: Operand, p: Any = None, *, out: Tensor | None = None) -> Any: ...
@overload
def cross(input: Tensor, other: Operand, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """Return the cross product of vectors of length 3 along ``dim``; the other dimensions broadcast.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    dim : int, default -1
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def cross(input: Operand, other: Operand, *, dim: _int = -1, out: Tensor | None = None) -> Any: ...
@overload
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the determinant of a matrix, or of each matrix of a batch.

    Its first and second derivative are exact at singular matrices too.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> sg.linalg.det(A).backward()
    >>> A.grad.round()
    tensor([[ 4., -2.],
            [-2.,  1.]])
    """
@overload
def det(A: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """Return a view of the diagonals of matrices: `diagonal`, of the last two dimensions by default.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    offset : int, default 0
        Which diagonal: 0 is the main one, 1 the one above it.
    dim1 : int, default -2
        Two dimensions, from the end if negative.
    dim2 : int, default -1
        Two dimensions, from the end if negative.
    """
@overload
def diagonal(A: Operand, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Any: ...
def eig(A: Operand, *, out: Tensor | None = None) -> return_types.linalg_eig:
    """Return ``(eigenvalues, eigenvectors)`` of a square matrix, complex and in no order; the vectors are columns.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two eigenvalues coincide, or when it is
        that of a function which depends on their phases
    """
def eigh(A: Operand, UPLO: _str = 'L', *, out: Tensor | None = None) -> return_types.linalg_eigh:
    """Return ``(eigenvalues, eigenvectors)`` of a symmetric or Hermitian matrix: values ascending, vectors in columns.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    UPLO : which triangle is read; the gradient is that of a function of Hermitian matrices
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two eigenvalues coincide

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[2.0, 0.0], [0.0, 5.0]], requires_grad=True)
    >>> sg.linalg.eigh(A).eigenvalues[1].backward()
    >>> A.grad
    tensor([[0., 0.],
            [0., 1.]])
    """
@overload
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the eigenvalues of a square matrix, complex and in no order.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def eigvals(A: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def eigvalsh(A: Tensor, UPLO: _str = 'L', *, out: Tensor | None = None) -> Tensor:
    """Return the eigenvalues of a real symmetric or Hermitian matrix, ascending.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    UPLO : str, default 'L'
        Which triangle of the matrix counts.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def eigvalsh(A: Operand, UPLO: _str = 'L', *, out: Tensor | None = None) -> Any: ...
@overload
def householder_product(input: Tensor, tau: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the first columns of ``H_1 @ … @ H_k``, reflections ``1 - tau[i] * v @ v.mH`` with ``v`` in the columns.

    Above the diagonal the columns are not read, and count as 0; on it they count as 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    tau : tensor
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def householder_product(input: Operand, tau: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of a matrix, or of each matrix of a batch.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    out : Tensor, optional
        Where the result is written; it is returned.

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
@overload
def inv(A: Operand, *, out: Tensor | None = None) -> Any: ...
def inv_ex(A: Operand, *, check_errors: _bool = False, out: Tensor | None = None) -> return_types.linalg_inv_ex:
    """Return ``(inverse, info)``: as `linalg.inv`, but a singular matrix gives NaN, and in ``info`` a place in U.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    check_errors : bool, default False
        Whether to raise where the matrix does not allow it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def lstsq(A: Operand, B: Operand, rcond: Any = None, *, driver: Any = None, out: Tensor | None = None) -> return_types.linalg_lstsq:
    """Return ``(solution, residuals, rank, singular_values)`` of the X that makes ``A @ X - B`` smallest.

    Of several such X it is the smallest: singular values up to ``rcond`` times the largest count as zero. Only the
    solution is differentiable. Every `driver` of PyTorch's is computed in one way, with all four fields.

    Parameters
    ----------
    A : tensor or array
    B : tensor, array or number
    rcond : float, optional
    driver : str, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def lu(A: Operand, *, pivot: _bool = True, out: Tensor | None = None) -> tuple[Tensor, ...]:
    """Return ``(P, L, U)`` with ``A = P @ L @ U``: an order of rows, a unit lower and an upper triangular matrix.

    ``P`` is constant: the derivatives are those at one order of rows.

    Parameters
    ----------
    A : tensor or array
    pivot : bool, default True
        Whether rows are exchanged.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> P, L, U = sg.linalg.lu(sg.tensor([[1.0, 2.0], [2.0, 0.0]]))
    >>> L, U
    (tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]]), tensor([[2., 0.],
            [0., 2.]]))
    """
def lu_factor(A: Operand, *, pivot: _bool = True, out: Tensor | None = None) -> return_types.linalg_lu_factor:
    """Return ``(LU, pivots)``: L (but for its ones) and U in one matrix, and the exchanges of rows.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    pivot : bool, default True
        Whether rows are exchanged.
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    LinAlgError : a matrix is singular
    """
def lu_factor_ex(A: Operand, *, pivot: _bool = True, check_errors: _bool = False, out: Tensor | None = None) -> return_types.linalg_lu_factor_ex:
    """Return ``(LU, pivots, info)``: L and U in one matrix, the exchanges of rows, and where U's diagonal is zero.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    pivot : bool, default True
        Whether rows are exchanged.
    check_errors : bool, default False
        Whether to raise where the matrix does not allow it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def lu_solve(LU: Tensor, pivots: Any, B: Operand, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the solution of ``A @ X = B`` (``X @ A = B``; of ``A.mH`` if ``adjoint``) for an A that was factored.

    ``LU`` and ``pivots`` are what `linalg.lu_factor` returns.

    Parameters
    ----------
    LU : tensors
    pivots : tensors
    B : tensor, array or number
    left : bool, default True
        Whether the matrix stands on the left of the unknown.
    adjoint : bool, default False
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def lu_solve(LU: Any, pivots: Any, B: Operand, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None) -> Any: ...
@overload
def matmul(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product: of vectors their dot product, of higher dimensions batches of matrix products.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    ShapeError : the inner sizes differ, or an operand has no dimensions

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> y = A @ sg.tensor([1.0, -1.0])
    >>> y
    tensor([-1., -1.], grad_fn=<MvBackward0>)
    >>> y.sum().backward()
    >>> A.grad
    tensor([[ 1., -1.],
            [ 1., -1.]])
    """
@overload
def matmul(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def matrix_exp(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the exponential of a square matrix: the sum of ``A**k / k!``.

    Parameters
    ----------
    A : tensor or array
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def matrix_exp(A: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def matrix_norm(A: Tensor, ord: Any = 'fro', dim: _int | Sequence[_int] | None = ..., keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the norm of matrices.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    ord : 'fro' (root of the sum of squares), 'nuc' (sum of singular values), 2 and -2 (largest and smallest singular
        value), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's)
    dim : the two dimensions of the matrix
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> sg.linalg.matrix_norm(A), sg.linalg.matrix_norm(A, 1), sg.linalg.matrix_norm(A, "nuc")
    (tensor(5.), tensor(4.), tensor(7.))
    """
@overload
def matrix_norm(A: Operand, ord: Any = 'fro', dim: _int | Sequence[_int] | None = ..., keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """Return the ``n``-th power of a square matrix; negative powers are powers of the inverse.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def matrix_power(A: Operand, n: _int, *, out: Tensor | None = None) -> Any: ...
@overload
def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return how many singular values are above ``max(atol, rtol * the largest)``, tolerances of all or of each.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    atol : float, optional
    rtol : float, optional
    hermitian : bool, default False
        Whether the matrix is taken to be Hermitian.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def matrix_rank(A: Operand, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False, out: Tensor | None = None) -> Any: ...
@overload
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the product of a chain of matrices, multiplied in the cheapest order; the ends may be vectors.

    Of symbols with named sizes it is the product in the order written.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.multi_dot([sg.ones(2, 3), sg.ones(3, 4), sg.ones(4)])
    tensor([12., 12.])
    >>> x, A = sg.symbol("x", "n"), sg.symbol("A", ("n", "n"))
    >>> sg.linalg.multi_dot([x, A, A, x])
    symbol(xᵀA²x)
    """
@overload
def multi_dot(tensors: Sequence[Any], *, out: Tensor | None = None) -> Any: ...
@overload
def norm(A: Tensor, ord: Any = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
    """Return the norm of a vector (one dimension, or no ``ord``) or of a matrix (two dimensions).

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    ord : optional
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def norm(A: Operand, ord: Any = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the pseudo-inverse; singular values up to ``max(atol, rtol * the largest)`` count as zero.

    The gradient is right where the rank stays the same.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    atol : float, optional
    rtol : float, optional
    hermitian : bool, default False
        Whether the matrix is taken to be Hermitian.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def pinv(A: Operand, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False, out: Tensor | None = None) -> Any: ...
def qr(A: Operand, mode: _str = 'reduced', *, out: Tensor | None = None) -> return_types.linalg_qr:
    """Return ``(Q, R)`` with ``A = Q @ R``: Q has orthonormal columns, R is upper triangular.

    Parameters
    ----------
    A : tensor or array
    mode : 'reduced', 'complete' (Q square; differentiable where A is not taller than wide) or 'r' (R only; not
        differentiable)
    out : Tensor, optional
        Where the result is written; it is returned.
    """
def slogdet(A: Operand, *, out: Tensor | None = None) -> return_types.linalg_slogdet:
    """Return ``(sign, logabsdet)``: ``det(A) = sign * exp(logabsdet)``, without overflow.

    The gradient of ``logabsdet`` is ``inv(A).mH``; at a singular matrix there is none.

    Parameters
    ----------
    A : tensor or array
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.slogdet(sg.eye(2) * -3)
    symgrad.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(2.1972))
    """
@overload
def solve(A: Tensor, B: Operand, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """Return the solution of ``A @ X = B`` (with ``left=False`` of ``X @ A = B``), differentiable in both.

    ``B`` is a matrix or, where its shape is A's without the last dimension, a vector; batches broadcast.

    Parameters
    ----------
    A : tensor or array
    B : tensor, array or number
    left : bool, default True
    out : Tensor, optional
        Where the result is written; it is returned.

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
@overload
def solve(A: Operand, B: Operand, *, left: _bool = True, out: Tensor | None = None) -> Any: ...
def solve_ex(A: Operand, B: Operand, *, left: _bool = True, check_errors: _bool = False, out: Tensor | None = None) -> return_types.linalg_solve_ex:
    """Return ``(result, info)``: as `linalg.solve`, but a singular matrix gives NaN, and in ``info`` a place in U.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    B : tensor, array or number
        The second operand.
    left : bool, default True
        Whether the matrix stands on the left of the unknown.
    check_errors : bool, default False
        Whether to raise where the matrix does not allow it.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def solve_triangular(A: Tensor, B: Operand, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None) -> Tensor:
    """Return the solution of ``A @ X = B`` (or ``X @ A = B``) for a triangular matrix; its other triangle is not read.

    A zero on the diagonal gives infinities, not an error.

    Parameters
    ----------
    A : tensor or array
    B : tensor, array or number
    upper : bool
        Which triangle of the matrix counts.
    left : bool, default True
        Whether the matrix stands on the left of the unknown.
    unitriangular : bool, default False
        Whether its diagonal is taken to be 1.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def solve_triangular(A: Operand, B: Operand, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None) -> Any: ...
def svd(A: Operand, full_matrices: _bool = True, *, driver: _str | None = None, out: Tensor | None = None) -> return_types.linalg_svd:
    """Return ``(U, S, Vh)`` with ``A = U @ diag(S) @ Vh``, S descending.

    The further columns that ``full_matrices`` adds have no derivative of their own. ``driver`` is for other devices.

    Parameters
    ----------
    A : tensor or array
    full_matrices : bool, default True
    driver : str, optional
    out : Tensor, optional
        Where the result is written; it is returned.

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two singular values coincide
    """
@overload
def svdvals(A: Tensor, *, driver: _str | None = None, out: Tensor | None = None) -> Tensor:
    """Return the singular values, descending.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    driver : str, optional
        Taken for PyTorch's sake.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def svdvals(A: Operand, *, driver: _str | None = None, out: Tensor | None = None) -> Any: ...
@overload
def tensorinv(A: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor:
    """Return the tensor B with ``tensordot(A, tensordot(B, C, ind), C.ndim) == C``, ``ind`` counting A's first dims.

    Parameters
    ----------
    A : tensor or array
    ind : int, default 2
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tensorinv(A: Operand, ind: _int = 2, *, out: Tensor | None = None) -> Any: ...
@overload
def tensorsolve(A: Tensor, B: Operand, dims: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return the solution X of ``tensordot(A, X, X.ndim) == B``; the dimensions ``dims`` of A are moved to its end.

    Parameters
    ----------
    A : tensor or array
    B : tensor, array or number
    dims : int or tuple of ints, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def tensorsolve(A: Operand, B: Operand, dims: _int | Sequence[_int] | None = None, *, out: Tensor | None = None) -> Any: ...
@overload
def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """Return the matrices of powers ``1, x, …, x**(N-1)`` of the vectors in the last dimension.

    Parameters
    ----------
    x : tensor or array
    N : int, optional
    """
@overload
def vander(x: Operand, *, N: _int | None = None) -> Any: ...
@overload
def vecdot(x: Tensor, y: Operand, *, dim: _int = -1, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
    """Return the products of the vectors along ``dim``, ``sum(conj(x) * y)``; the other dimensions broadcast.

    Parameters
    ----------
    x : tensor or array
    y : tensor or array
    dim : int, default -1
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def vecdot(x: Operand, y: Operand, *, dim: _int = -1, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def vector_norm(x: Tensor, ord: Any = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Tensor:
    """Return the vector norm of order ``ord``: any number, or infinite; 0 counts what is not zero.

    At zero the gradient is taken as zero; for infinite orders elements that tie share it.

    Parameters
    ----------
    x : tensor or array
        Points, one row each.
    ord : default 2
    dim : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([3.0, 4.0], requires_grad=True)
    >>> sg.linalg.vector_norm(x)
    tensor(5., grad_fn=<LinalgVectorNormBackward0>)
    """
@overload
def vector_norm(x: Operand, ord: Any = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, dtype: DTypeLike | None = None, out: Tensor | None = None) -> Any: ...

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh",
    "householder_product", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matmul",
    "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve",
    "solve_ex", "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot", "vector_norm",
]
