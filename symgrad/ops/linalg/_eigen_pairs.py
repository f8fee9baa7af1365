"""Eigenvalues and vectors of a pair of Hermitian matrices, the second positive definite."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible
from ._decompose import _diagonal, _expect_no_phase, _eye
from ._gaps import expect_still, kept_apart, over_gaps
from ._linalg import LinAlgError, adjoint, as_row, hermitian, is_complex


def _pairs(a: np.ndarray, b: np.ndarray) -> Any:
    from scipy.linalg import eigh

    lead, n, dtype = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-1], np.result_type(a, b)
    values, vectors = np.empty((*lead, n), dtype.type(0).real.dtype), np.empty((*lead, n, n), dtype)
    left, right = (np.broadcast_to(hermitian(x), (*lead, n, n)) for x in (a, b))
    for at in np.ndindex(*lead):
        try:
            values[at], vectors[at] = eigh(left[at], right[at]) if n else (0, 0)
        except np.linalg.LinAlgError as error:
            raise LinAlgError(f"eigh: {error}", "The second matrix must be positive definite.", "") from None
    return values, vectors


def _inner(g: Any, y: Any) -> tuple[Any, Any, Any]:
    (_, gv), (w, v) = g, y
    inner = adjoint(v) @ gv
    if is_complex(v):
        _expect_no_phase(_diagonal(inner), "eigh")
    turns = over_gaps(inner, w, "eigh")
    expect_still(g, y, w, "eigh")
    return turns, inner, w


def _rule_of_first(g: Any, y: Any) -> Any:
    turns, _, _ = _inner(g, y)
    v = y[1]
    return _kept_apart(hermitian(v @ (turns + as_row(g[0]) * _eye(v)) @ adjoint(v)), g, y)


def _rule_of_second(g: Any, y: Any) -> Any:
    # V^H B V = 1 holds the vectors' lengths: half of a change of B is taken off along each
    turns, inner, w = _inner(g, y)
    v = y[1]
    lengths = as_row(g[0] * w + 0.5 * _real(_diagonal(inner))) * _eye(v)
    return _kept_apart(-hermitian(v @ (turns * as_row(w) + lengths) @ adjoint(v)), g, y)


def _kept_apart(d: Any, g: Any, y: Any) -> Any:
    v = y[1]
    return kept_apart(d, g[0], y, lambda: v, adjoint(v), "eigh")


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
