"""Pseudo-inverse, least squares, condition number, exponential, and the norms of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import FoundFloat, Tensor, constant, fallible, general, wrap
from .._dims import data, known, rests_on_values, sizes
from .._public import public
from .._results import result
from ..entries._arithmetic import where
from ._contract import fit
from ._decompose import linalg_svd
from ._linalg import _regular, adjoint, expect_matrix

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
    sample=lambda rng: ([rng.normal(size=(3, 2))], (1e-15, False)),
    doc="the pseudo-inverse",
)  # fmt: skip


def pinv(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the pseudo-inverse; singular values up to ``max(atol, rtol * the largest)`` count as zero.

    The gradient is right where the rank stays the same.
    """
    expect_matrix(A, "linalg.pinv", square=hermitian)
    atol, rtol = data(atol), data(rtol)
    if np.any(atol):  # a share of the largest singular value, which is one at another point
        plain = known(A, "an absolute tolerance")
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
    sample=lambda rng: ([rng.normal(size=(4, 2)), rng.normal(size=(4, 2))], ()),
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
    plain, right, tolerance = data(A), data(B), _tolerance(data(A))
    values = np.linalg.svd(plain, compute_uv=False)
    large = values > values.max(-1, keepdims=True, initial=0) * (tolerance if rcond is None else rcond)
    rank, column = large.sum(-1), B.reshape((*b, 1)) if vector else B
    whole = np.array_equal(large, values > values.max(-1, keepdims=True, initial=0) * tolerance)
    x = lstsq_row(A, column) if whole else _truncated(A, column, large)
    x = x.reshape(tuple(x.shape[:-1])) if vector else x
    solution = data(x)
    last = (..., None) if vector else ...
    rest = np.square(np.abs(plain @ solution[last] - right[last])).sum(-2)
    if a[-2] <= a[-1] or np.any(rank < a[-1]):
        rest = np.empty((0,), rest.dtype)
    return _Lstsq(x, *(_like(A, v) for v in (rest, rank.astype(np.int64), values)))


def _truncated(A: Any, B: Any, large: Any) -> Any:
    """The least squares of the matrix without those of its singular values that are not ``large``."""
    u, values, vh = linalg_svd(A, full_matrices=False)
    inverse = where(large, 1 / where(large, values, 1.0), 0.0)
    return adjoint(vh) @ (inverse[..., None] * (adjoint(u) @ B))


def _like(A: Any, value: np.ndarray) -> Any:
    return wrap(np.asarray(value)) if isinstance(A, Tensor) else value


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
    for k, e in enumerate(directions):
        beside = np.broadcast_to(_blocks(e, 2**k), whole.shape)
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


def _rate_rule(g: Any, operands: Any, i: int) -> Any:
    """Of a direction: all that is left of it is the adjoint; of the matrix: a further direction.

    In tr(Gᵀ L(A, E)) the incoming gradient stands among the directions as one of them.
    """
    a, *directions = operands
    rest = [e.mT for k, e in enumerate(directions, 1) if k != i]
    return rate_row([a.mT, *rest, g])


rate_row = general(
    "matrix_exp_rate", lambda operands: corner(_expm, operands), _rate_rule, variadic=True, last=2,
    sample=lambda rng: ([0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))], ()),
    doc="the derivative of the matrix exponential at a matrix along others",
)  # fmt: skip

matrix_exp_row = fallible(
    "matrix_exp", _expm, lambda g, x: rate_row([x.mT, g]),
    last=2, sample=lambda rng: (_regular(rng), ()), doc="the matrix exponential",
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
    sample=lambda rng: ([rng.normal(size=(3, 2))], (None, None, False)),
    doc="how many singular values are not 0",
)  # fmt: skip


def matrix_rank(A: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return how many singular values are above ``max(atol, rtol * the largest)``, tolerances of all or of each."""
    return rank_row(A, data(atol), data(rtol), bool(hermitian))
