"""Jacobians that only programs want: in a formula they would be no answer.

The idea to hold: a decomposition has a differential that is made of products, so a program can go through it in both
directions. Source: Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, equation 8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..expr._add import add
from ..expr._call_derivatives import jacobian, pullback
from ..expr._ein import ein
from ..expr._lift_linalg import inverse
from ..expr._node import Call, Data, Expr


def _cholesky(term: Call) -> list[Expr] | None:
    """dL = L Φ(L⁻¹ dA L⁻ᵀ), where Φ takes the lower triangle and half the diagonal; dA is read as symmetric."""
    if term.rank != 2 or any(term.params):
        return None
    n = int(term.shape[0])
    half = Data(np.tril(np.ones((n, n))) - 0.5 * np.eye(n))
    inner = inverse(term)
    return [
        ein(0.5, [(term, (0, 4)), (half, (4, 1)), (inner, (4, k)), (inner, (1, m))], (0, 1, 2, 3))
        for k, m in ((2, 3), (3, 2))
    ]


DIFFERENTIALS: dict[str, Any] = {"linalg_cholesky": _cholesky}
"""The Jacobian of a row in its operand."""


def slopes(term: Call, i: int, values: Any) -> list[Expr]:
    """The Jacobian of a call in its operand ``i``: terms that are better not added up."""
    rule = DIFFERENTIALS.get(term.op.name)
    found: list[Expr] | None = rule(term) if rule is not None else None
    return [jacobian(term, i, values)] if found is None else found


def pulled(term: Call, i: int, g: Expr, values: Any) -> Expr:
    """The gradient of operand ``i`` of a call under the incoming gradient ``g``."""
    rule = DIFFERENTIALS.get(term.op.name)
    found = rule(term) if rule is not None else None
    if found is None:
        return pullback(term, i, g, values)
    n, rank = term.rank, term.args[i].rank
    inside, every = tuple(range(n, n + rank)), tuple(range(rank))
    parts = [ein(1, [(j, (*range(n), *inside)), (g, tuple(range(n)))], inside) for j in found]
    return add([(1, part, every) for part in parts], every)


__all__ = ["pulled", "slopes"]
