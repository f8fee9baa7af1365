"""Determinants, pseudo-inverse, least squares, condition number, exponential, and the norms of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._errors import DTypeError, GradientError, ShapeError
from ...core import FoundFloat, constant, fallible, general, unwrap
from ..arguments import axis_of, found_in, known_values, rank, rests_on_values, sizes
from ..arrange.order import amax, amin
from ..entries import elementwise as e
from ..entries.arithmetic import abs, where
from ..entries.copies import cast
from ..public import dims, public
from ..reduce.sums import sum, vector_norm
from ..results import result
from ..samples import regular, sampled
from ..shape.shapes import movedim, unsqueeze
from .contract import einsum, fit
from .decompositions import linalg_svd, svdvals
from .linear_systems import LinAlgError, adjoint, as_scalars, expect_matrix, inv, inv_row, is_complex

# ----------------------------------------------------------- Determinants: exact derivatives at singular matrices too

# The idea to hold: a determinant is a polynomial, so its derivatives exist everywhere, though ``det(A) inv(A).T`` does
# not. The first is the cofactor matrix and the second is bilinear; both are read off the singular value decomposition,
# where products *leave out* one or two singular values instead of dividing by them.


# ----------------------------------------------------------------------------------- products that leave some out


def _all_but_one(s: np.ndarray) -> np.ndarray:
    """``out[i]``: the product of all entries but the i-th."""
    ones = np.ones_like(s[..., :1])
    before = np.cumprod(np.concatenate([ones, s[..., :-1]], -1), -1)
    after = np.cumprod(np.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    return before * after


def _all_but_two(s: np.ndarray) -> np.ndarray:
    """``out[i, j]``: the product of all entries but the i-th and the j-th; 0 where i = j."""
    n = s.shape[-1]
    out = np.zeros((*s.shape, n), s.dtype)
    for i in range(n):
        rest = np.concatenate([s[..., :i], s[..., i + 1 :]], -1)
        if n > 1:
            others = [j for j in range(n) if j != i]
            out[..., i, others] = _all_but_one(rest)
    return out


def _frame(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Singular vectors and values, and the factor that the vectors' own determinants contribute."""
    finite = np.isfinite(x).all((-1, -2))  # LAPACK does not return from a matrix with an infinity
    u, s, vh = np.linalg.svd(np.where(as_scalars(finite), x, 0))
    s = np.where(finite[..., None], s, np.nan)
    return u, s, vh, np.linalg.det(u) * np.linalg.det(vh)


def _cofactor(x: np.ndarray) -> np.ndarray:
    if x.size == 0:
        return np.zeros_like(x)
    quick = _quick_cofactor(x)
    if quick is not None:
        return quick
    u, s, vh, factor = _frame(x)
    return as_scalars(factor) * (np.conj(u) * _all_but_one(s)[..., None, :]) @ np.conj(vh)


def _quick_cofactor(x: np.ndarray) -> np.ndarray | None:
    """``det(x) inv(x).T``, where no matrix is near singular."""
    try:
        inverse = np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return None
    det = np.linalg.det(x)
    condition = np.abs(x).max((-1, -2)) * np.abs(inverse).max((-1, -2))
    fine = np.isfinite(det).all() and (det != 0).all() and (condition * np.finfo(x.dtype).eps < 1e-9).all()
    return as_scalars(det) * inverse.mT if fine else None


def _second(x: np.ndarray, e: np.ndarray) -> np.ndarray:
    """The derivative of the cofactor matrix at ``x`` along ``e``."""
    if x.size == 0:
        return np.zeros_like(e)
    u, s, vh, factor = _frame(x)
    inner = adjoint(u) @ e @ adjoint(vh)  # in the singular vectors x is the diagonal s
    two = _all_but_two(s)
    d = -two * inner.mT
    diagonal = np.einsum("...ij,...jj->...i", two, inner)
    i = np.arange(s.shape[-1])
    d[..., i, i] = diagonal
    return as_scalars(factor) * (np.conj(u) @ d @ np.conj(vh))


# ------------------------------------------------------------------------------------------------------ rows


def _third(g: Any, x: Any, e: Any) -> Any:
    """The derivative of ``sum(g * second(x, e))`` in ``x``, where the inverse exists."""
    try:
        b = inv_row(x)
    except LinAlgError:
        raise GradientError(
            "the third derivative of det is not implemented at singular matrices",
            f"The matrix has shape {tuple(x.shape)}; the first and the second derivative are.",
            "Move off the singular point.",
        ) from None  # fmt: skip
    det, be, bg = as_scalars(det_row(x)), b @ e, b @ g
    te, tg = as_scalars(_trace(be)), as_scalars(_trace(bg))
    f = te * tg - as_scalars(_trace(be @ bg))
    inner = be @ b * tg + bg @ b * te - be @ bg @ b - bg @ be @ b
    return det * (f * b - inner).mT


def _trace(x: Any) -> Any:
    return einsum("...ii->...", x)


det_second_row: Any = fallible(
    "det_second", _second, _third, lambda g, x: det_second_row(x, g), last=2, sample=sampled(of=[(3, 3), (3, 3)]),
    doc="the derivative of the cofactor matrix of x along e",
)  # fmt: skip
cofactor_row = fallible(
    "cofactor", _cofactor, lambda g, x: det_second_row(x, g),
    last=2, sample=sampled(of=[regular]), doc="the matrix of cofactors, det(A) inv(A)^T",
)  # fmt: skip
det_row = fallible(
    "det", np.linalg.det, lambda g, x: as_scalars(g) * cofactor_row(x),
    last=2, sample=sampled(of=[regular]), doc="the determinant",
)  # fmt: skip


def _slogdet_rule(g: Any, x: Any, y: Any) -> Any:
    if not is_complex(x):
        return as_scalars(g[1]) * inv_row(x).mT  # the sign is constant
    # sign = exp(i Im log det): its part of the gradient is i Im(g conj(sign))
    turn = e.imag(g[0] * e.conj(y[0]))
    return as_scalars(g[1] + turn * 1j) * adjoint(inv_row(x))


slogdet_row = fallible(
    "slogdet", lambda x: tuple(np.linalg.slogdet(x)), _slogdet_rule, outputs=True, holomorphic=False, own_dtype=True,
    last=2, defined="has an inverse", sample=sampled(of=[regular]),
    doc="the sign of the determinant, and the logarithm of its absolute value",
)  # fmt: skip


@public()
def det(A: Any) -> Any:
    """Return the determinant of a matrix, or of each matrix of a batch.

    Its first and second derivative are exact at singular matrices too.

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    >>> sg.linalg.det(A).backward()
    >>> A.grad.round()
    tensor([[ 4., -2.],
            [-2.,  1.]])
    """
    expect_matrix(A, "linalg.det")
    return det_row(A)


_Slogdet = result("slogdet", "sign", "logabsdet")
_LinalgSlogdet = result("linalg_slogdet", "sign", "logabsdet")


def linalg_slogdet(A: Any) -> Any:
    """Return ``(sign, logabsdet)``: ``det(A) = sign * exp(logabsdet)``, without overflow.

    The gradient of ``logabsdet`` is ``inv(A).mH``; at a singular matrix there is none.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.linalg.slogdet(sg.eye(2) * -3)
    symgrad.return_types.linalg_slogdet(
    sign=tensor(1.),
    logabsdet=tensor(2.1972))
    """
    expect_matrix(A, "linalg.slogdet")
    return _LinalgSlogdet(*slogdet_row(A))


@public()
def slogdet(input: Any) -> Any:
    """Return ``(sign, logabsdet)``, as `linalg.slogdet` does."""
    return _Slogdet(*linalg_slogdet(input))


@public()
def logdet(input: Any) -> Any:
    """Return the logarithm of the determinant: NaN where that is negative, minus infinity where it is zero."""
    expect_matrix(input, "logdet")
    sign, logabsdet = slogdet_row(input)
    if is_complex(input):
        return e.log(sign) + logabsdet
    return e.where(sign == -1, float("nan"), logabsdet)


# ---------------------------- Pseudo-inverse, least squares, condition number, exponential, and the norms of matrices


# ------------------------------------------------------------------------------------- pseudo-inverse, least squares


def _pinv_rule(g: Any, x: Any, y: Any) -> Any:
    """From the four equations that define the pseudo-inverse (Golub and Pereyra 1973), at constant rank."""
    yh, gh = adjoint(y), adjoint(g)
    rows = gh @ y @ yh
    columns = yh @ y @ gh
    return rows - x @ (y @ rows) + columns - (columns @ y) @ x - yh @ g @ yh


pinv_row = fallible(
    "pinv", lambda x, rtol, hermitian: np.linalg.pinv(x, _tolerance(x) if rtol is None else rtol, hermitian),
    _pinv_rule, holomorphic=False,
    means="option option", last=2,
    sample=sampled(1e-15, False, of=[(3, 2)]),
    doc="the pseudo-inverse",
)  # fmt: skip


def pinv(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverse; singular values up to ``max(atol, rtol * the largest)`` count as zero.

    The gradient is right where the rank stays the same.
    """
    expect_matrix(A, "linalg.pinv", square=hermitian)
    atol, rtol = unwrap(atol), unwrap(rtol)
    if np.any(atol):  # a share of the largest singular value, which is one at another point
        plain = known_values(A, "an absolute tolerance")
        largest = np.linalg.norm(plain, 2, (-2, -1)) if plain.size else np.ones(())
        rtol = np.maximum(_relative(plain, atol, rtol), atol / np.where(largest == 0, 1, largest))
        rtol = FoundFloat(rtol) if rests_on_values(A) and not np.ndim(rtol) else rtol
    return pinv_row(A, rtol, bool(hermitian))


@public()
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """Return the pseudo-inverse, as `linalg.pinv` does."""
    return pinv(input, rtol=rcond)


def _lstsq_rule(g: Any, a: Any, b: Any, shape: Any) -> Any:
    inverse = pinv_row(a, None, False)
    return fit(_pinv_rule(g @ adjoint(b), a, inverse), shape)


def _tolerance(a: Any) -> float:
    return int(max(a.shape[-2:])) * float(np.finfo(a.dtype).eps)


def _relative(a: Any, atol: Any, rtol: Any) -> Any:
    """The relative tolerance, of each matrix; that which nobody said is 0 beside an absolute one."""
    return np.where(atol, 0.0, _tolerance(a)) if rtol is None else np.asarray(rtol)


lstsq_row = fallible(
    "lstsq", lambda a, b: np.linalg.pinv(a, _tolerance(a)) @ b, _lstsq_rule,
    lambda g, a, shape: fit(adjoint(pinv_row(a, None, False)) @ g, shape), holomorphic=False,
    sample=sampled(of=[(4, 2), (4, 2)]),
    doc="the X that makes A X - B smallest",
)  # fmt: skip
_Lstsq = result("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def lstsq(A: Any, B: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """Return ``(solution, residuals, rank, singular_values)`` of the X that makes ``A @ X - B`` smallest.

    Of several such X it is the smallest: singular values up to ``rcond`` times the largest count as zero. Only the
    solution is differentiable. Every `driver` of PyTorch's is computed in one way, with all four fields.
    """
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise ValueError(f"linalg.lstsq: `driver` should be one of (gels, gelsy, gelsd, gelss), not {driver!r}")
    expect_matrix(A, "linalg.lstsq", square=False)
    a, b = sizes(A), sizes(B)
    vector = len(b) == len(a) - 1
    if b[-1 if vector else -2] != a[-2]:
        raise ShapeError(
            "linalg.lstsq: input.size(-2) should match other.size(-2)",
            f"The shapes are {a} and {b}.",
            "Transpose A.",
        )
    plain, right, tolerance = unwrap(A), unwrap(B), _tolerance(unwrap(A))
    values = np.linalg.svd(plain, compute_uv=False)
    most = values.max(-1, keepdims=True, initial=0)
    large = values > most * (tolerance if rcond is None else rcond)
    rank, column = large.sum(-1), B.reshape((*b, 1)) if vector else B
    whole = np.array_equal(large, values > most * tolerance)
    x = lstsq_row(A, column) if whole else _truncated(A, column, large)
    x = x.reshape(tuple(x.shape[:-1])) if vector else x
    solution = unwrap(x)
    last = (..., None) if vector else ...
    rest = np.square(np.abs(plain @ solution[last] - right[last])).sum(-2)
    if a[-2] <= a[-1] or np.any(rank < a[-1]):
        rest = np.empty((0,), rest.dtype)
    return _Lstsq(x, *(found_in(v, A, B) for v in (rest, np.asarray(rank, np.int64), values)))


def _truncated(A: Any, B: Any, large: Any) -> Any:
    """The least squares of the matrix without those of its singular values that are not ``large``."""
    u, values, vh = linalg_svd(A, full_matrices=False)
    large = found_in(large, A)
    inverse = where(large, 1 / where(large, values, 1.0), 0.0)
    return adjoint(vh) @ (inverse[..., None] * (adjoint(u) @ B))


# -------------------------------------------------------------------------------------------------- exponential


def _expm(x: np.ndarray) -> np.ndarray:
    from scipy.linalg import expm

    return np.asarray(expm(x)).astype(x.dtype, copy=False) if x.size else np.zeros_like(x)


def corner(function: Callable[[np.ndarray], np.ndarray], operands: Sequence[np.ndarray]) -> np.ndarray:
    """The corner of a function of ``[[A, E], [0, A]]``, for each direction once more (Mathias 1996).

    It is the derivative at A along E of any analytic function of matrices.
    """
    a, *directions = operands
    shape = np.broadcast_shapes(*[x.shape for x in operands])
    whole = np.broadcast_to(a, shape)
    for k, direction in enumerate(directions):
        beside = np.broadcast_to(_blocks(direction, 2**k), whole.shape)
        whole = np.block([[whole, beside], [np.zeros_like(whole), whole]])
    n = a.shape[-1]
    return np.ascontiguousarray(function(whole)[..., :n, -n:]).astype(np.result_type(*operands), copy=False)


def _blocks(e: np.ndarray, count: int) -> np.ndarray:
    """Matrices, each repeated along the diagonal."""
    n = e.shape[-1]
    out = np.zeros((*e.shape[:-2], count * n, count * n), e.dtype)
    for k in range(count):
        out[..., k * n : (k + 1) * n, k * n : (k + 1) * n] = e
    return out


def turned_rate(g: Any, operands: Any, i: int) -> list[Any]:
    """What a rate (see `corner`) is taken of for its gradient: the adjoint, of a direction; of the matrix, with one
    direction more.

    In tr(Gᵀ L(A, E)) the incoming gradient stands among the directions as one of them.
    """
    a, *directions = operands
    return [a.mT, *[e.mT for k, e in enumerate(directions, 1) if k != i], g]


rate_row: Any = general(
    "matrix_exp_rate", lambda operands: corner(_expm, operands),
    lambda g, operands, i: rate_row(turned_rate(g, operands, i)), variadic=True, last=2,
    sample=lambda rng: ([0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))], ()),
    doc="the derivative of the matrix exponential at a matrix along others",
)  # fmt: skip

matrix_exp_row = fallible(
    "matrix_exp", _expm, lambda g, x: rate_row([x.mT, g]),
    last=2, sample=sampled(of=[regular]), doc="the matrix exponential",
)  # fmt: skip


@public()
def matrix_exp(A: Any) -> Any:
    """Return the exponential of a square matrix: the sum of ``A**k / k!``."""
    expect_matrix(A, "linalg.matrix_exp")
    return matrix_exp_row(A)


def _rank(x: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    values = np.abs(np.linalg.eigvalsh(x)) if hermitian else np.linalg.svd(x, compute_uv=False)
    atol = np.asarray(0.0 if atol is None else atol)
    bound = np.maximum(atol, _relative(x, atol, rtol) * values.max(-1, initial=0))
    return np.asarray((values > bound[..., None]).sum(-1), np.int64)


rank_row = constant(
    "matrix_rank", _rank, means="option option option", last=2,
    sample=sampled(None, None, False, of=[(3, 2)]),
    doc="how many singular values are not 0",
)  # fmt: skip


def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return how many singular values are above ``max(atol, rtol * the largest)``, tolerances of all or of each."""
    return rank_row(A, unwrap(atol), unwrap(rtol), bool(hermitian))


# -------------------- The norms of matrices, the norms that are of vectors or of matrices, and what follows from them


def _two_dims(dim: Any, ndim: int) -> tuple[int, int]:
    if not isinstance(dim, (tuple, list)) or len(dim) != 2:
        raise ShapeError(
            f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}",
            "",
            "The two dimensions of the matrix.",
        )
    first, second = (axis_of(d, ndim) for d in dim)
    if first == second:
        raise ShapeError(f"linalg.matrix_norm: dims must be different. Got {tuple(dim)}", "", "Name two dimensions.")
    return first, second


def _sums(A: Any, ord: float, dim: tuple[int, int], keepdim: bool) -> Any:
    """The largest (smallest) sum of absolute values along a dimension."""
    along, over = dim if abs(ord) == 1 else dim[::-1]
    sums = sum(abs(A), along, keepdim)
    return (amax if ord > 0 else amin)(sums, over - (not keepdim and over > along), keepdim)


def _spectral(A: Any, ord: Any, dim: tuple[int, int], keepdim: bool) -> Any:
    n = rank(A)
    values = svdvals(A if dim == (n - 2, n - 1) else movedim(A, dim, (-2, -1)))
    y = (sum if ord == "nuc" else amax if ord > 0 else amin)(values, -1)
    if keepdim:
        for d in sorted(dim):
            y = unsqueeze(y, d)
    return y


@dims
def matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of matrices.

    Parameters
    ----------
    ord : 'fro' (root of the sum of squares), 'nuc' (sum of singular values), 2 and -2 (largest and smallest singular
        value), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's)
    dim : the two dimensions of the matrix

    Examples
    --------
    >>> import symgrad as sg
    >>> A = sg.tensor([[3.0, 0.0], [0.0, -4.0]])
    >>> sg.linalg.matrix_norm(A), sg.linalg.matrix_norm(A, 1), sg.linalg.matrix_norm(A, "nuc")
    (tensor(5.), tensor(4.), tensor(7.))
    """
    expect_matrix(A, "linalg.matrix_norm", square=False)
    A, dim = cast(A, dtype), _two_dims(dim, rank(A))
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim)
    if ord in (1, -1, math.inf, -math.inf):
        return _sums(A, ord, dim, keepdim)
    if ord in ("nuc", 2, -2):
        return _spectral(A, ord, dim, keepdim)
    raise DTypeError(
        f"linalg.matrix_norm: Order {ord} not supported.",
        "",
        "Use 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.",
    )


@dims
def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of a vector (one dimension, or no ``ord``) or of a matrix (two dimensions)."""
    n = rank(A)
    count = 1 if isinstance(dim, int) else n if dim is None else len(dim)
    if ord is None or (count == 1 and not isinstance(ord, str)):
        return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    if count != 2:
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {n}D."
            if dim is None else f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}",
            f"The shape is {sizes(A)}.", "linalg.vector_norm takes any dimensions.",
        )  # fmt: skip
    return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)


def cond(A: Any, p: Any = None) -> Any:
    """Return the condition number: the norm of ``A`` times that of its inverse (default: the 2-norm)."""
    if p is None or p in (2, -2):
        values = svdvals(A)
        return values[..., 0] / values[..., -1] if p != -2 else values[..., -1] / values[..., 0]
    return matrix_norm(A, p) * matrix_norm(inv(A), p)


@public()
@dims
def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the norm of all elements, or along ``dim``: the vector norm of order ``p`` (default 2).

    Parameters
    ----------
    p : any number, infinite too; 'fro' for 2; 'nuc' for the sum of a matrix's singular values
    dim : a dimension or several; None for all
    keepdim : keep the dimensions, with size 1

    Notes
    -----
    At zero the gradient is taken as zero.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 0.0], requires_grad=True)
    >>> x.norm().backward()
    >>> x.grad
    tensor([0., 0.])
    """
    if p is None or p == "fro":
        return vector_norm(input, 2, dim, keepdim, dtype=dtype)
    if p == "nuc":
        return matrix_norm(cast(input, dtype), "nuc", (-2, -1) if dim is None else dim, keepdim)
    if isinstance(p, str):
        raise DTypeError(f"linalg.matrix_norm: Order {p} not supported.", "", "Use a number, 'fro' or 'nuc'.")
    return vector_norm(input, p, dim, keepdim, dtype=dtype)
