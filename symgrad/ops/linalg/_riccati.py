"""Riccati's algebraic equations, of continuous and of discrete time.

The idea to hold: both are differentiated as equations. At the solution X, with the feedback ``K`` and the closed loop
``C = A - B K``, a change of X solves Lyapunov's equation in C; its adjoint, solved for W, gives all five gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import fallible
from ._linalg import LinAlgError, hermitian, solve_row
from ._sylvester import sylvester_row


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
            f"{name}: on tensors it takes single real matrices", f"The shapes are {[x.shape for x in operands]}.", ""
        )
    try:
        return np.asarray(getattr(scipy.linalg, name)(a, b, hermitian(q), hermitian(r), s=s))
    except (np.linalg.LinAlgError, ValueError) as error:  # a ValueError where r is singular
        raise LinAlgError(f"{name}: {error}", "", "") from None


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

    def of_a(g: Any, a: Any, b: Any, r: Any, s: Any, y: Any) -> Any:
        w, _, z = adjoint(g, a, b, r, s, y)
        return 2 * (z @ w)

    def of_b(g: Any, a: Any, b: Any, r: Any, s: Any, y: Any) -> Any:
        w, k, z = adjoint(g, a, b, r, s, y)
        return -2 * (z @ w @ k.mT)

    def of_q(g: Any, a: Any, b: Any, r: Any, s: Any, y: Any) -> Any:
        return adjoint(g, a, b, r, s, y)[0]

    def of_r(g: Any, a: Any, b: Any, r: Any, s: Any, y: Any) -> Any:
        w, k, _ = adjoint(g, a, b, r, s, y)
        return k @ w @ k.mT

    def of_s(g: Any, a: Any, b: Any, r: Any, s: Any, y: Any) -> Any:
        w, k, _ = adjoint(g, a, b, r, s, y)
        return -2 * (w @ k.mT)

    return of_a, of_b, of_q, of_r, of_s


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
