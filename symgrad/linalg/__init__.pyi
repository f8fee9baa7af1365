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
from typing import Any, NamedTuple, overload

import numpy as np

from .. import return_types
from ..core import Tensor
from ..ops._linalg import LinAlgError as LinAlgError

@overload
def cholesky(A: Tensor, *, upper: _bool = False) -> Tensor:
    """Return the lower triangular L with ``L @ L.mH = A`` (or the upper ``L.mH``); only A's lower triangle is read.

    The gradient is Hermitian: that of a function of Hermitian matrices.

    Parameters
    ----------
    A : tensor or array
    upper : bool, default False

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
def cholesky(A: Any, *, upper: _bool = False) -> Any: ...
@overload
def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number: the norm of ``A`` times that of its inverse (default: the 2-norm).

    Parameters
    ----------
    A : tensor or array
    p : number, optional
        A number of the function's definition.
    """
@overload
def cond(A: Any, p: Any = None) -> Any: ...
@overload
def cross(input: Tensor, other: Any, *, dim: _int = -1) -> Tensor:
    """Return the cross product of vectors of length 3 along ``dim``; the other dimensions broadcast.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.
    dim : int, default -1
    """
@overload
def cross(input: Any, other: Any, *, dim: _int = -1) -> Any: ...
@overload
def det(A: Tensor) -> Tensor:
    """Return the determinant of a matrix, or of each matrix of a batch.

    Its first and second derivative are exact at singular matrices too.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.

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
def det(A: Any) -> Any: ...
def eigh(A: Any, UPLO: _str = 'L') -> return_types.linalg_eigh:
    """Return ``(eigenvalues, eigenvectors)`` of a symmetric or Hermitian matrix: values ascending, vectors in columns.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    UPLO : which triangle is read; the gradient is that of a function of Hermitian matrices

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
def eigvalsh(A: Tensor, UPLO: _str = 'L') -> Tensor:
    """Return the eigenvalues of a real symmetric or Hermitian matrix, ascending.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    UPLO : str, default 'L'
        Which triangle of the matrix counts.
    """
@overload
def eigvalsh(A: Any, UPLO: _str = 'L') -> Any: ...
@overload
def inv(A: Tensor) -> Tensor:
    """Return the inverse of a matrix, or of each matrix of a batch.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.

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
def inv(A: Any) -> Any: ...
def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """Return ``(solution, residuals, rank, singular_values)`` of the X that makes ``A @ X - B`` smallest.

    Of several such X it is the smallest. Only the solution is differentiable.

    Parameters
    ----------
    A : tensor or array
    B : tensor, array or number
    rcond : float, optional
        Relative or absolute tolerance.
    driver : str, optional
        Taken for PyTorch's sake.
    """
@overload
def matmul(input: Tensor, other: Any) -> Tensor:
    """Return the matrix product: of vectors their dot product, of higher dimensions batches of matrix products.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    other : tensor, array or number
        The second operand.

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
def matmul(input: Any, other: Any) -> Any: ...
@overload
def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponential of a square matrix: the sum of ``A**k / k!``.

    Parameters
    ----------
    A : tensor or array
    """
@overload
def matrix_exp(A: Any) -> Any: ...
@overload
def matrix_norm(A: Tensor, ord: Any = 'fro', dim: Any = ..., keepdim: _bool = False, *, dtype: Any = None) -> Tensor:
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

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> sg.linalg.matrix_norm(A), sg.linalg.matrix_norm(A, 1), sg.linalg.matrix_norm(A, "nuc")
    (tensor(5.), tensor(4.), tensor(7.))
    """
@overload
def matrix_norm(A: Any, ord: Any = 'fro', dim: Any = ..., keepdim: _bool = False, *, dtype: Any = None) -> Any: ...
@overload
def matrix_power(A: Tensor, n: _int) -> Tensor:
    """Return the ``n``-th power of a square matrix; negative powers are powers of the inverse.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    n : int
    """
@overload
def matrix_power(A: Any, n: _int) -> Any: ...
@overload
def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False) -> Tensor:
    """Return how many singular values are above ``max(atol, rtol * the largest)``.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    atol : float, optional
    rtol : float, optional
    hermitian : bool, default False
        Whether the matrix is taken to be Hermitian.
    """
@overload
def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False) -> Any: ...
@overload
def multi_dot(tensors: Tensor) -> Tensor:
    """Return the product of a chain of matrices, multiplied in the cheapest order; the ends may be vectors.

    Parameters
    ----------
    tensors : tensors
        The operands: separately, or in one sequence.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.multi_dot([sg.ones(2, 3), sg.ones(3, 4), sg.ones(4)])
    tensor([12., 12.])
    """
@overload
def multi_dot(tensors: Sequence[Any]) -> Any: ...
@overload
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Tensor:
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
    """
@overload
def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Any: ...
@overload
def pinv(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False) -> Tensor:
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
    """
@overload
def pinv(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: _bool = False) -> Any: ...
def qr(A: Any, mode: _str = 'reduced') -> return_types.linalg_qr:
    """Return ``(Q, R)`` with ``A = Q @ R``: Q has orthonormal columns, R is upper triangular.

    Parameters
    ----------
    A : tensor or array
    mode : 'reduced', 'complete' (Q square; differentiable where A is not taller than wide) or 'r' (R only; not
        differentiable)
    """
def slogdet(A: Any) -> return_types.linalg_slogdet:
    """Return ``(sign, logabsdet)``: ``det(A) = sign * exp(logabsdet)``, without overflow.

    The gradient of ``logabsdet`` is ``inv(A).mH``; at a singular matrix there is none.

    Parameters
    ----------
    A : tensor or array

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.slogdet(sg.eye(2) * -3)
    symgrad.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(2.1972))
    """
@overload
def solve(A: Tensor, B: Any, *, left: _bool = True) -> Tensor:
    """Return the solution of ``A @ X = B`` (with ``left=False`` of ``X @ A = B``), differentiable in both.

    ``B`` is a matrix or, where its shape is A's without the last dimension, a vector; batches broadcast.

    Parameters
    ----------
    A : tensor or array
    B : tensor, array or number
    left : bool, default True

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
def solve(A: Any, B: Any, *, left: _bool = True) -> Any: ...
@overload
def solve_triangular(A: Tensor, B: Any, *, upper: _bool, left: _bool = True, unitriangular: _bool = False) -> Tensor:
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
    """
@overload
def solve_triangular(A: Any, B: Any, *, upper: _bool, left: _bool = True, unitriangular: _bool = False) -> Any: ...
def svd(A: Any, full_matrices: _bool = True) -> return_types.linalg_svd:
    """Return ``(U, S, Vh)`` with ``A = U @ diag(S) @ Vh``, S descending.

    The further columns that ``full_matrices`` adds have no derivative of their own.

    Parameters
    ----------
    A : tensor or array
    full_matrices : bool, default True

    Raises
    ------
    GradientError : in backward, when the vectors' derivative is asked for and two singular values coincide
    """
@overload
def svdvals(A: Tensor) -> Tensor:
    """Return the singular values, descending.

    Parameters
    ----------
    A : tensor or array
        A matrix, or a batch of matrices.
    """
@overload
def svdvals(A: Any) -> Any: ...
@overload
def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """Return the matrices of powers ``1, x, …, x**(N-1)`` of the vectors in the last dimension.

    Parameters
    ----------
    x : tensor or array
    N : int, optional
    """
@overload
def vander(x: Any, *, N: _int | None = None) -> Any: ...
@overload
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Tensor:
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

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([3.0, 4.0], requires_grad=True)
    >>> sg.linalg.vector_norm(x)
    tensor(5., grad_fn=<LinalgVectorNormBackward0>)
    """
@overload
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: _bool = False, *, dtype: Any = None) -> Any: ...

__all__ = [
    "LinAlgError", "cholesky", "cond", "cross", "det", "eigh", "eigvalsh", "inv", "lstsq", "matmul", "matrix_exp",
    "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve",
    "solve_triangular", "svd", "svdvals", "vander", "vector_norm",
]
