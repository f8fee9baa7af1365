"""Equations and functions of matrices: Sylvester's, Riccati's, logarithm and root, Schur, eigenpairs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import GradientError, ShapeError
from ...core import fallible, row_function
from ..arguments import ndarray_of
from ..samples import positive, regular, sampled
from .contract import fit
from .decompositions import (
    _eye,
    converging,
    diagonal_entries,
    expect_no_phase,
    mark_degenerate_gradient,
    turns_of_vectors,
)
from .determinants_and_norms import corner, turned_rate
from .linear_systems import LinAlgError, adjoint, as_row, hermitian, is_complex, side_by_side, solve_row

# -------------------------------------------------------------------------------------------------------------------
# Sylvester's equation ``A X + X B = Q``: linear in X, so that its adjoint is the equation of the transposes


def _expect_apart(a: np.ndarray, b: np.ndarray) -> None:
    left, right = np.linalg.eigvals(a), np.linalg.eigvals(b)
    gaps = np.abs(left[..., :, None] + right[..., None, :])
    if not gaps.size:
        return
    size = np.abs(left).max() + np.abs(right).max()
    if not gaps.min() > 4 * max(a.shape[-1], b.shape[-1]) * np.finfo(gaps.dtype).eps * size:
        *batch, _, _ = np.unravel_index(np.nanargmin(gaps), gaps.shape)
        lead = gaps.shape[:-2]
        mine, other = (np.broadcast_to(w, (*lead, w.shape[-1]))[tuple(batch)] for w in (left, right))
        raise LinAlgError(
            "solve_sylvester: the equation A X + X B = Q is singular: an eigenvalue of A and one of -B coincide, the "
            f"gap is {gaps.min():.1e}.",
            f"Those of A are {np.array2string(mine, precision=6)}, those of B {np.array2string(other, precision=6)}.",
            "Move A or B off that point.",
        )


def sylvester_solution(a: Any, b: Any, q: Any) -> np.ndarray:
    """X in one dtype: of a complex matrix and a real one SciPy (1.17) takes the real Schur form, and X is wrong."""
    from scipy.linalg import solve_sylvester

    dtype = np.result_type(*map(np.asarray, (a, b, q)))
    return solve_sylvester(*[np.asarray(x, dtype) for x in (a, b, q)])


def _sylvester(a: np.ndarray, b: np.ndarray, q: np.ndarray) -> np.ndarray:
    _expect_apart(a, b)
    lead, whole = side_by_side(a, b, q)
    out = np.empty(whole[2].shape, np.result_type(a, b, q))
    for at in np.ndindex(*lead):
        out[at] = sylvester_solution(*(x[at] for x in whole)) if out.size else 0
    return out


sylvester_row: Any = fallible(
    "solve_sylvester", _sylvester,
    lambda g, a, b, y, shape_a: fit(-(sylvester_row(a.mT, b.mT, g) @ y.mT), shape_a),
    lambda g, a, b, y, shape_b: fit(-(y.mT @ sylvester_row(a.mT, b.mT, g)), shape_b),
    lambda g, a, b, shape_q: fit(sylvester_row(a.mT, b.mT, g), shape_q),
    inputs=("a", "b", "q"), last=2,
    sample=sampled(of=[regular, lambda rng: rng.normal(size=(2, 2)) + 3 * np.eye(2), (3, 2)]),
    doc="the solution X of A X + X B = Q",
)  # fmt: skip
"""``sylvester_row(A, B, Q)``; Lyapunov's equation is the one with the adjoint of A for B."""


# -------------------------------------------------- Riccati's algebraic equations, of continuous and of discrete time

# The idea to hold: both are differentiated as equations. At the solution X, with the feedback ``K`` and the closed loop
# ``C = A - B K``, a change of X solves Lyapunov's equation in C; its adjoint, solved for W, gives all five gradients.


def stein(a: Any, q: Any) -> Any:
    """The solution of ``A X A^T - X + Q = 0``, by Lyapunov's equation of ``(A - 1)(A + 1)^-1``."""
    one = np.eye(a.shape[-1], dtype=a.dtype)
    inverse = solve_row(a + one, one)
    b = (a - one) @ inverse
    return sylvester_row(b, b.mT, -2 * (inverse @ q @ inverse.mT))


def _solved(name: str, *operands: np.ndarray) -> np.ndarray:
    import scipy.linalg

    a, b, q, r, s = operands
    if any(x.dtype.kind == "c" or x.ndim != 2 for x in operands):
        raise ShapeError(
            f"{name}: on tensors it takes single real matrices", f"The shapes are {[x.shape for x in operands]}."
        )
    try:
        return np.asarray(getattr(scipy.linalg, name)(a, b, hermitian(q), hermitian(r), s=s))
    except (np.linalg.LinAlgError, ValueError) as error:  # a ValueError where r is singular
        raise LinAlgError(f"{name}: {error}") from None


def _adjoint_of_continuous(g: Any, a: Any, b: Any, r: Any, s: Any, x: Any) -> tuple[Any, Any, Any]:
    k = solve_row(hermitian(r), b.mT @ x + s.mT)
    loop = a - b @ k
    return sylvester_row(loop, loop.mT, -hermitian(g)), k, x


def _adjoint_of_discrete(g: Any, a: Any, b: Any, r: Any, s: Any, x: Any) -> tuple[Any, Any, Any]:
    k = solve_row(hermitian(r) + b.mT @ x @ b, b.mT @ x @ a + s.mT)
    loop = a - b @ k
    return stein(loop, hermitian(g)), k, x @ loop


def _rules(adjoint: Any) -> tuple[Any, ...]:
    """The rules of the five operands. ``z`` is what stands before a change of A in the equation: X, or X C."""

    def rule(of: Callable[[Any, Any, Any], Any]) -> Callable[..., Any]:
        return lambda g, a, b, r, s, y: of(*adjoint(g, a, b, r, s, y))

    return (
        rule(lambda w, k, z: 2 * (z @ w)),
        rule(lambda w, k, z: -2 * (z @ w @ k.mT)),
        rule(lambda w, k, z: w),
        rule(lambda w, k, z: k @ w @ k.mT),
        rule(lambda w, k, z: -2 * (w @ k.mT)),
    )


def _sample(rng: Any) -> Any:
    q, r = rng.normal(size=(3, 3)), rng.normal(size=(2, 2))
    a, b, s = 0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 2)), 0.1 * rng.normal(size=(3, 2))
    return [a, b, q @ q.T + np.eye(3), r @ r.T + np.eye(2), s], ()


continuous_row = fallible(
    "solve_continuous_are", lambda a, b, q, r, s: _solved("solve_continuous_are", a, b, q, r, s),
    *_rules(_adjoint_of_continuous), inputs=("a", "b", "q", "r", "s"), sample=_sample, real_only=True,
    doc="the X with A^T X + X A - (X B + S) R^-1 (B^T X + S^T) + Q = 0 that stabilizes",
)  # fmt: skip
discrete_row = fallible(
    "solve_discrete_are", lambda a, b, q, r, s: _solved("solve_discrete_are", a, b, q, r, s),
    *_rules(_adjoint_of_discrete), inputs=("a", "b", "q", "r", "s"), sample=_sample, real_only=True,
    doc="the X with A^T X A - X - (A^T X B + S)(R + B^T X B)^-1 (B^T X A + S^T) + Q = 0 that stabilizes",
)  # fmt: skip


# ---------------------------------------------------------------- The principal logarithm and square root of matrices

# The idea to hold: the derivative of the logarithm at A along E stands in the corner of the logarithm of
# ``[[A, E], [0, A]]``; that of the root X follows from ``X X = A``, which is Sylvester's equation for a change of X.


def _principal(x: np.ndarray, name: str) -> np.ndarray:
    """SciPy's function of that name, matrix by matrix; real matrices must have a real one."""
    import scipy.linalg

    function = getattr(scipy.linalg, name)
    out = np.empty(x.shape, x.dtype)
    for at in np.ndindex(*x.shape[:-2]):
        if not x.size:
            continue
        if name == "logm":
            _expect_regular(x[at])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)  # of a singular matrix: seen below
            found = np.asarray(function(x[at].astype(np.result_type(x, np.float64))))
        if x.dtype.kind == "f" and found.dtype.kind == "c":
            size = np.abs(found).max()
            if not np.abs(found.imag).max() <= 1e-7 * size:
                raise _no_real(name, x[at])
            found = found.real
        rest = np.abs(found @ found - x[at]).max() if name == "sqrtm" else 0.0
        if not np.isfinite(found).all() or not rest <= 1e-6 * np.abs(x[at]).max():
            raise _no_real(name, x[at])
        out[at] = found
    return out


def _expect_regular(x: np.ndarray) -> None:
    values = np.abs(np.linalg.eigvals(x))
    if values.min() <= np.finfo(values.dtype).eps * values.max():
        raise LinAlgError(
            "logm: the matrix is singular, so it has no logarithm.",
            f"The sizes of its eigenvalues are {np.array2string(values, precision=3)}.",
        )


def _no_real(name: str, x: np.ndarray) -> LinAlgError:
    values = np.array2string(np.linalg.eigvals(x), precision=6)
    return LinAlgError(
        f"{name}: the matrix has no real principal {'logarithm' if name == 'logm' else 'square root'} with derivatives",
        f"Its eigenvalues are {values}: one is zero, or negative.",
        "Cast it to complex numbers if the complex one is meant.",
    )  # fmt: skip


def _log_rate(operands: Any) -> np.ndarray:
    if not operands[0].any():  # what has the operands' shapes, for the result's: the logarithm itself refuses zeros
        return np.full(np.broadcast_shapes(*[x.shape for x in operands]), np.nan, np.result_type(*operands))
    x, *along = operands
    lost = [~np.isfinite(e).all((-2, -1), keepdims=True) for e in along]  # SciPy refuses them
    if not any(v.any() for v in lost):
        return corner(lambda x: _principal(x, "logm"), operands)
    known = [np.where(v, 0, e) for e, v in zip(along, lost, strict=True)]
    found = corner(lambda x: _principal(x, "logm"), [x, *known])
    return np.where(np.logical_or.reduce(np.broadcast_arrays(*lost)), np.nan, found)


log_rate_row: Any = fallible(
    "matrix_log_rate", _log_rate, lambda g, operands, i: log_rate_row(turned_rate(g, operands, i)),
    variadic=True, last=2, sample=sampled(of=[positive, (3, 3)]),
    doc="the derivative of the matrix logarithm at a matrix along others",
)  # fmt: skip

logm_row = fallible(
    "matrix_log", lambda x: _principal(x, "logm"), lambda g, x: log_rate_row([x.mT, g]),
    last=2, sample=sampled(of=[positive]), label="logm", doc="the principal logarithm of a matrix",
)  # fmt: skip

sqrtm_row = fallible(
    "matrix_sqrt", lambda x: _principal(x, "sqrtm"), lambda g, y: sylvester_row(y.mT, y.mT, g),
    last=2, sample=sampled(of=[positive]), label="sqrtm", doc="the principal square root of a matrix",
)  # fmt: skip


# ---------------------------------- Schur's factors ``A = Z T Z^H`` of a square matrix: T upper triangular, Z unitary

# The idea to hold: a change of A turns Z by a skew-Hermitian matrix, of which the part below the diagonal keeps T
# triangular. That part solves a Sylvester-like equation with T alone, one subdiagonal after the other, divided by gaps
# between eigenvalues. The gradient solves the adjoint equation, and its gradient again the first one.


def _below(x: Any) -> Any:
    """The part below the diagonal."""
    return row_function("tril")(x, -1)


def _above(x: Any) -> Any:
    """The diagonal and what is above."""
    return row_function("triu")(x, 0)


def _expect_distinct(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Where eigenvalues coincide; what would be divided by their gap must be 0."""
    values = np.diagonal(t, axis1=-2, axis2=-1)
    gap, eps = values[..., None, :] - values[..., :, None], np.finfo(t.dtype).eps
    closed = np.abs(gap) <= eps * t.shape[-1] * np.abs(t).max(initial=0)
    wanted = closed & (np.abs(x) > 1e4 * eps * np.abs(x).max(initial=0))
    if wanted.any():
        *batch, i, j = (int(k[0]) for k in np.nonzero(wanted))
        ours = values[tuple(batch)]
        raise GradientError(
            f"linalg.schur: the factors have no derivative where eigenvalues coincide: the gap between the values {j} "
            f"and {i} is {abs(ours[i] - ours[j]):.1e}.",
            f"The values are {np.array2string(ours, precision=6)}.",
            "Differentiate what is symmetric in them, or move the matrix off the degenerate point.",
        )  # fmt: skip
    return closed


def _turns(t: np.ndarray, x: np.ndarray, projected: bool) -> np.ndarray:
    """The strictly lower L with L T - T L = X below the diagonal, for an upper triangular T if ``projected``; else for
    a lower triangular one, where nothing is left above it."""
    n = t.shape[-1]
    x = np.tril(x, -1)
    closed = _expect_distinct(t, x)
    lead = np.broadcast_shapes(t.shape[:-2], x.shape[:-2])
    out = np.zeros((*lead, n, n), np.result_type(t, x))
    for d in range(n - 1, 0, -1) if projected else range(1, n):
        for j in range(n - d):
            i = j + d
            left, right = (slice(0, j), slice(i + 1, n)) if projected else (slice(j + 1, i), slice(j + 1, i))
            rest = (
                x[..., i, j]
                - (out[..., i, left] * t[..., left, j]).sum(-1)
                + (t[..., i, right] * out[..., right, j]).sum(-1)
            )
            gap = t[..., j, j] - t[..., i, i]
            out[..., i, j] = np.where(closed[..., i, j], 0.0, rest / np.where(closed[..., i, j], 1.0, gap))
    return out


def _turns_by_factor(g: Any, t: Any, y: Any, projected: bool) -> Any:
    other = turns_row(adjoint(t), g, not projected)
    found = adjoint(y) @ other - other @ adjoint(y)
    return -(_above(found) if projected else adjoint(_above(adjoint(found))))


def _triangular(rng: Any) -> Any:
    return [np.triu(rng.normal(size=(3, 3))) + np.diag([0.0, 4.0, 8.0]), np.tril(rng.normal(size=(3, 3)), -1)], (True,)


turns_row: Any = fallible(
    "schur_turns", _turns, _turns_by_factor,
    lambda g, t, projected: turns_row(adjoint(t), g, not projected),
    inputs=("t", "x"), holomorphic=False, last=2, means="option", sample=_triangular, explained=True,
    doc="the strictly lower L of which L T - T L is X below the diagonal",
)  # fmt: skip


def _schur(x: np.ndarray) -> Any:
    from scipy.linalg import schur

    t, z = np.empty_like(x), np.empty_like(x)
    for at in np.ndindex(*x.shape[:-2]):
        with converging("linalg.schur"):
            t[at], z[at] = schur(x[at], output="complex" if x.dtype.kind == "c" else "real")
    return t, z


def _schur_rule(g: Any, y: Any) -> Any:
    (gt, gz), (t, z) = g, y
    if np.tril(ndarray_of(t), -1).any():
        raise GradientError(
            "linalg.schur: real factors have no derivative rule where eigenvalues are complex.",
            "T has blocks of two rows on its diagonal.", "Pass output='complex'.",
        )  # fmt: skip
    gt = _above(gt)
    turned = adjoint(z) @ gz - (gt @ adjoint(t) - adjoint(t) @ gt)
    if is_complex(z):
        expect_no_phase(diagonal_entries(turned), "linalg.schur")
    return z @ (gt + turns_row(adjoint(t), _below(turned - adjoint(turned)), False)) @ adjoint(z)


schur_row = fallible(
    "schur", _schur, _schur_rule, outputs=True, holomorphic=False, last=2,
    # of two rows: their signs LAPACK chooses alike in both precisions
    sample=lambda rng: ([0.5 * rng.normal(size=(2, 2)) + np.diag([0.0, 4.0])], ()),
    doc="Schur's factors T, upper triangular, and Z, unitary, with A = Z T Z^H",
)  # fmt: skip


# ------------------------------ Eigenvalues and vectors of a pair of Hermitian matrices, the second positive definite


def _pairs(a: np.ndarray, b: np.ndarray) -> Any:
    from scipy.linalg import eigh

    n, dtype = a.shape[-1], np.result_type(a, b)
    lead, (left, right) = side_by_side(hermitian(a), hermitian(b))
    values, vectors = np.empty((*lead, n), dtype.type(0).real.dtype), np.empty((*lead, n, n), dtype)
    for at in np.ndindex(*lead):
        try:
            values[at], vectors[at] = eigh(left[at], right[at]) if n else (0, 0)
        except np.linalg.LinAlgError as error:
            raise LinAlgError(f"eigh: {error}", "The second matrix must be positive definite.") from None
    return values, vectors


def _rule_of_first(g: Any, y: Any) -> Any:
    turns, v = turns_of_vectors(g, y, "eigh")[0], y[1]
    return _mark_degenerate(hermitian(v @ (turns + as_row(g[0]) * _eye(v)) @ adjoint(v)), g, y)


def _rule_of_second(g: Any, y: Any) -> Any:
    # V^H B V = 1 holds the vectors' lengths: half of a change of B is taken off along each
    (turns, inner), (w, v) = turns_of_vectors(g, y, "eigh"), y
    lengths = as_row(g[0] * w + 0.5 * _real(diagonal_entries(inner))) * _eye(v)
    return _mark_degenerate(-hermitian(v @ (turns * as_row(w) + lengths) @ adjoint(v)), g, y)


def _mark_degenerate(d: Any, g: Any, y: Any) -> Any:
    v = y[1]
    return mark_degenerate_gradient(d, g[0], y, lambda: v, adjoint(v), "eigh")


def _real(x: Any) -> Any:
    return x.real if is_complex(x) else x


def _pair(rng: Any) -> Any:
    a, b = rng.normal(size=(2, 3, 3))
    return [a + a.T, b @ b.T + np.eye(3)], ()


pair_row = fallible(
    "eigen_pair", _pairs, _rule_of_first, _rule_of_second, outputs=True, holomorphic=False,
    own_dtype=True, last=2, sample=_pair, label="eigh",
    doc="eigenvalues w, ascending, and vectors V with A V = B V diag(w) and V^H B V = 1",
)  # fmt: skip
