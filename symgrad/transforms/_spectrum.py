"""The eigenvalues of a symmetric matrix and what can be said of their signs.

The idea to hold: below 2000 rows all eigenvalues are computed; from there on factorisations decide the signs, and a
few eigenvalues are computed at the ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from ._solve import is_positive_definite, rounding, scaled, scales


class Spectrum(NamedTuple):
    """Eigenvalues, ascending, their vectors in columns, and what follows from them.

    ``weak_values`` are curvatures along the unit vectors ``weak_vectors``, which are the eigenvectors, or where not all
    are known those nearest to 0; ``flat`` marks those that count as 0. ``counts`` are the numbers of negative, zero and
    positive eigenvalues where all are known. ``hidden``: some of ``values`` are rounding, so signs, and
    ``weak_vectors``, are those of the scaled matrix.
    """

    values: np.ndarray
    vectors: np.ndarray
    weak_values: np.ndarray
    weak_vectors: np.ndarray
    flat: np.ndarray
    tolerance: float
    kind: str
    counts: tuple[int, int, int] | None
    complete: bool
    condition: float
    rank: int | None
    scaled_condition: float | None = None
    hidden: bool = False
    size_of_number: int = 8


def is_sparse(matrix: Any) -> bool:
    """Whether it is one of SciPy's sparse matrices or arrays."""
    if isinstance(matrix, np.ndarray):
        return False
    from scipy.sparse import issparse

    return bool(issparse(matrix))


def dense_or_sparse(matrix: Any) -> Any:
    """A matrix of any kind as an array, or as a sparse matrix where that is what it is and it is large."""
    if isinstance(matrix, np.ndarray):
        return matrix
    if matrix.shape[0] >= _limits.SPARSE_ROWS and (is_sparse(matrix) or hasattr(matrix, "tocsr")):
        sparse = matrix.tocsr()
        return sparse if sparse.nnz < 0.1 * matrix.shape[0] ** 2 else sparse.toarray()
    return np.asarray(matrix.todense() if hasattr(matrix, "todense") else matrix)


def entries(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and value of the entries that may be other than finite."""
    if is_sparse(matrix):
        stored = matrix.tocoo()
        return stored.row, stored.col, stored.data
    rows, columns = np.nonzero(~np.isfinite(matrix))
    return rows, columns, matrix[rows, columns]


def asymmetry(matrix: Any) -> float:
    """The largest difference of two entries that should be equal, by the largest entry; inf if only one is finite."""
    if is_sparse(matrix):
        matrix = matrix.tocsr()
        if not np.isfinite(matrix.data).all():
            size = matrix.copy()
            size.data = np.where(np.isfinite(size.data), 0.0, 1.0)
            if abs(size - size.T).max():
                return float("inf")
            matrix = matrix.copy()
            matrix.data = np.where(np.isfinite(matrix.data), matrix.data, 0.0)
        top = abs(matrix).max() if matrix.nnz else 0.0
        return float(abs(matrix - matrix.T).max() / top) if top else 0.0
    finite = np.isfinite(matrix)
    if not finite.all():
        if (finite != finite.T).any():
            return float("inf")
        matrix = np.where(finite, matrix, 0)
    top = np.abs(matrix).max(initial=0)
    if not top:
        return 0.0
    matrix = matrix / top
    return float(np.abs(matrix - matrix.T).max())


def spectrum_of(matrix: Any) -> Spectrum:
    """What can be said of a matrix that is finite and has rows."""
    size = np.dtype(matrix.dtype).itemsize
    found = _whole(matrix) if matrix.shape[0] < _limits.SPARSE_ROWS else _ends(matrix)
    return found._replace(size_of_number=size)


def _kind(negative: Any, zero: Any, positive: Any) -> str:
    if negative and positive:
        return "saddle"
    return "flat" if zero else "minimum" if positive else "maximum"


def _signs(values: np.ndarray, tolerance: float) -> tuple[int, int, int]:
    negative, positive = int((values < -tolerance).sum()), int((values > tolerance).sum())
    return negative, len(values) - negative - positive, positive


def _ratio(values: np.ndarray) -> float:
    size = np.abs(values)
    return float(size.max() / size.min()) if size.min() > 0 else float("inf")


def _whole(matrix: np.ndarray) -> Spectrum:
    n = len(matrix)
    part = rounding(n, matrix.dtype)
    values, vectors = np.linalg.eigh(0.5 * matrix + 0.5 * matrix.T)
    top = float(np.abs(values).max())
    tolerance = max(part, n * asymmetry(matrix)) * top
    counts = _signs(values, tolerance)
    weak_values, weak_vectors, flat = values, vectors, np.abs(values) <= tolerance
    hidden, scaled_condition = False, None
    if counts[1] or _ratio(values) > 1e6:
        d = scales(matrix)
        even = scaled(matrix, d)
        even = 0.5 * even + 0.5 * even.T
        own, turned = np.linalg.eigh(even)
        least = max(part, n * asymmetry(scaled(matrix, d))) * float(np.abs(own).max())
        signs = _signs(own, least)
        if signs[1] < counts[1]:
            hidden, counts, flat = True, signs, np.abs(own) <= least
            weak_vectors = turned / d[:, None]
            weak_vectors = weak_vectors / np.linalg.norm(weak_vectors, axis=0)
            steps = weak_vectors * d[:, None]
            weak_values = (steps * (even @ steps)).sum(0)  # curvatures along them, summed without cancelling
        scaled_condition = None if signs[1] else _ratio(own)
    condition = float("inf") if counts[1] else float(top / np.abs(weak_values).min())
    return Spectrum(
        values, vectors, weak_values, weak_vectors, flat, tolerance, _kind(*counts), counts, True, condition,
        n - counts[1], scaled_condition, hidden,
    )  # fmt: skip


def _ends(matrix: Any) -> Spectrum:
    """The few largest and smallest eigenvalues, the signs by factorisations."""
    from scipy.sparse import identity
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = matrix.shape[0]
    matrix = matrix.astype(np.result_type(matrix.dtype, np.float32))
    matrix = (0.5 * matrix + 0.5 * matrix.T).tocsc() if is_sparse(matrix) else 0.5 * matrix + 0.5 * matrix.T
    one = identity(n, matrix.dtype, "csc") if is_sparse(matrix) else np.eye(n, dtype=matrix.dtype)
    start = np.random.default_rng(n).standard_normal(n).astype(matrix.dtype)
    if not abs(matrix).max():
        nothing = np.zeros(1), np.eye(n, 1)
        return Spectrum(*nothing, *nothing, np.ones(1, bool), 0.0, "flat", (0, n, 0), False, float("inf"), 0)
    high, at_high = eigsh(matrix, 1, which="LM", tol=1e-3, v0=start)  # the value is good to its square
    top = float(abs(high[0]))
    tolerance = rounding(n, matrix.dtype) * top
    kind, shift = _decided(matrix, tolerance * one, tolerance)
    hidden = False
    if kind not in ("minimum", "maximum"):
        even = scaled(matrix, scales(matrix))
        own, _ = _decided(even, rounding(n, matrix.dtype) * float(abs(even).sum(0).max()) * one, 1.0)
        if own in ("minimum", "maximum"):
            kind, shift, hidden = own, 0.0, True
    precision = 1e-6 if is_sparse(matrix) else 1e-4  # dense steps are dear where eigenvalues are close together
    try:
        low, at_low = _nearest(matrix, shift, precision, start)
    except ArpackNoConvergence:
        raise
    except RuntimeError:  # exactly singular
        low, at_low = _nearest(matrix, 10 * tolerance, precision, start)
    pairs = [(high, at_high), (low, at_low)]
    if kind == "saddle":
        for which in ("SA", "LA"):
            try:
                pairs.append(eigsh(matrix, 2, which=which, tol=1e-3, v0=start))
            except ArpackNoConvergence as stopped:
                pairs.append((stopped.eigenvalues, stopped.eigenvectors))
    values, vectors = _together(pairs, top)
    flat = (np.abs(low) <= tolerance) & (not hidden)
    zeros = int(flat.sum())
    rank = n if not zeros and kind != "flat" else n - zeros if 0 < zeros < len(low) else None
    condition = float("inf") if zeros or kind == "flat" else float(top / np.abs(low).min())
    counts = {"minimum": (0, 0, n), "maximum": (n, 0, 0)}.get(kind)
    return Spectrum(values, vectors, low, at_low, flat, tolerance, kind, counts, False, condition, rank, None, hidden)


def _nearest(matrix: Any, shift: float, precision: float, start: np.ndarray) -> Any:
    """The three eigenvalues nearest to a shift: roughly, where so many are close together that it would take long to
    tell them apart."""
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    given: dict[str, Any] = {"sigma": shift, "which": "LM", "v0": start}
    try:
        return eigsh(matrix, 3, tol=precision, maxiter=_limits.SPECTRUM_RESTARTS, **given)
    except ArpackNoConvergence:
        return eigsh(matrix, 3, tol=1e-3, **given)


def _decided(matrix: Any, slack: Any, tolerance: float) -> tuple[str, float]:
    """The kind, by factorisations, and a shift near 0 at which the matrix can be factorised."""
    if is_positive_definite(matrix - slack):
        return "minimum", 0.0
    if is_positive_definite(-matrix - slack):
        return "maximum", 0.0
    if is_positive_definite(matrix + slack):
        return "flat", -10 * tolerance
    if is_positive_definite(slack - matrix):
        return "flat", 10 * tolerance
    return "saddle", 0.0


def _together(pairs: list[tuple[np.ndarray, np.ndarray]], top: float) -> tuple[np.ndarray, np.ndarray]:
    """Pairs in ascending order, each once."""
    values = np.concatenate([v for v, _ in pairs])
    vectors = np.concatenate([w for _, w in pairs], axis=1)
    kept: list[int] = []
    for k in np.argsort(values, kind="stable"):
        near = [j for j in kept if abs(values[j] - values[k]) < 1e-4 * top]
        if not any(abs(vectors[:, j] @ vectors[:, k]) > 0.99 for j in near):
            kept.append(int(k))
    return values[kept], vectors[:, kept]


__all__ = ["Spectrum", "asymmetry", "dense_or_sparse", "entries", "is_sparse", "spectrum_of"]
