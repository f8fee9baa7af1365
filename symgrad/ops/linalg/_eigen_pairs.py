"""Eigenvalues and vectors of a Hermitian matrix, and of a pair of them, as SciPy's drivers give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import fallible
from ._decompose import _diagonal, _diverged, _eigh_rule, _expect_no_phase, _eye, _hermitian, _over_gaps
from ._linalg import LinAlgError, adjoint, as_row, hermitian, is_complex


def _one_by_one(*matrices: np.ndarray) -> Any:
    from scipy.linalg import eigh

    lead = np.broadcast_shapes(*[x.shape[:-2] for x in matrices])
    n = matrices[0].shape[-1]
    dtype = np.result_type(*matrices)
    values, vectors = np.empty((*lead, n), dtype.type(0).real.dtype), np.empty((*lead, n, n), dtype)
    whole = [np.broadcast_to(hermitian(x), (*lead, n, n)) for x in matrices]
    for at in np.ndindex(*lead):
        if not n:
            continue
        try:
            values[at], vectors[at] = eigh(*(x[at] for x in whole))
        except np.linalg.LinAlgError as error:
            if len(matrices) == 2:
                raise LinAlgError(f"eigh: {error}", "The second matrix must be positive definite.", "") from None
            raise _diverged("eigh", error) from None
    return values, vectors


hermitian_row = fallible(
    "hermitian_eigen", _one_by_one, _eigh_rule, outputs=True, holomorphic=False, own_dtype=True,
    inputs=("x",), last=2, sample=lambda rng: (_hermitian(rng)[0], ()), label="eigh",
    doc="eigenvalues, ascending, and eigenvectors of the Hermitian part of a matrix, by LAPACK's syevr",
)  # fmt: skip
"""As `eigh`, whose vectors may have other signs: another driver of LAPACK's computes them."""


def _inner(g: Any, y: Any) -> tuple[Any, Any, Any]:
    (_, gv), (w, v) = g, y
    inner = adjoint(v) @ gv
    if is_complex(v):
        _expect_no_phase(_diagonal(inner), "eigh")
    return _over_gaps(inner, w, "eigh"), inner, w


def _rule_of_first(g: Any, y: Any) -> Any:
    turns, _, _ = _inner(g, y)
    v = y[1]
    return hermitian(v @ (turns + as_row(g[0]) * _eye(v)) @ adjoint(v))


def _rule_of_second(g: Any, y: Any) -> Any:
    # V^H B V = 1 holds the vectors' lengths: half of a change of B is taken off along each
    turns, inner, w = _inner(g, y)
    v = y[1]
    lengths = as_row(g[0] * w + 0.5 * _real(_diagonal(inner))) * _eye(v)
    return -hermitian(v @ (turns * as_row(w) + lengths) @ adjoint(v))


def _real(x: Any) -> Any:
    return x.real if is_complex(x) else x


def _pair(rng: Any) -> Any:
    a, b = rng.normal(size=(2, 3, 3))
    return [a + a.T, b @ b.T + np.eye(3)], ()


pair_row = fallible(
    "eigen_pair", lambda a, b: _one_by_one(a, b), _rule_of_first, _rule_of_second, outputs=True, holomorphic=False,
    own_dtype=True, last=2, sample=_pair, label="eigh",
    doc="eigenvalues w, ascending, and vectors V with A V = B V diag(w) and V^H B V = 1",
)  # fmt: skip
