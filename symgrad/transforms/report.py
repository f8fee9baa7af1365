"""What a matrix of second derivatives says of a point: eigenvalues, their signs, in the parameters' names."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .. import _limits
from .._errors import ShapeError, listed
from .._limits import bound
from ..core import Tensor

# ------------------------------------ Symmetric linear systems whose unknowns may be measured in very different units

# The idea to hold: a matrix is first scaled, from both sides by the same powers of two, to a diagonal near 1. What is
# singular then is singular in any units; and powers of two round nothing.


class SingularError(Exception):
    """The matrix is singular within rounding, or not finite."""


def rounding(n: int, dtype: Any) -> float:
    """Eigenvalues below this part of the largest are rounding: ten times √n units in the last place."""
    kind = np.dtype(dtype)
    eps = np.finfo(kind if kind.kind == "f" else np.float64).eps
    return float(10 * np.sqrt(max(n, 1)) * eps)


def scales(matrix: Any) -> np.ndarray:
    """Powers of two d, of shape (N,), such that ``matrix / d / d[:, None]`` has a diagonal near 1."""
    size = abs(matrix)
    diagonal = np.asarray(size.diagonal(), dtype=float)
    largest = size.max(axis=1)
    largest = np.asarray(largest.todense() if hasattr(largest, "todense") else largest, dtype=float).reshape(-1)
    chosen = np.where(diagonal > 0, diagonal, largest)
    chosen[chosen <= 0] = 1.0
    return np.exp2(np.round(0.5 * np.log2(chosen)))


def scaled(matrix: Any, d: np.ndarray) -> Any:
    """``matrix / d / d[:, None]``, sparse if it was."""
    if isinstance(matrix, np.ndarray):
        d = d.astype(np.result_type(matrix.dtype, np.float32))
        return matrix / d / d[:, None]
    from scipy.sparse import diags

    inverse = diags(1 / d)
    return (inverse @ matrix @ inverse).tocsc()


def solved(matrix: Any, rhs: np.ndarray) -> np.ndarray:
    """The solution X of ``matrix @ X = rhs``, of shape (N,) or (N, k); SingularError if there is none."""
    if not isinstance(matrix, np.ndarray) and matrix.shape[0] < _limits.SPARSE_ROWS:
        matrix = np.asarray(matrix.toarray())
    n = matrix.shape[0]
    dtype = np.result_type(matrix.dtype, rhs.dtype, np.float32)
    if not n:
        return np.zeros(rhs.shape, dtype)
    if not np.isfinite(matrix if isinstance(matrix, np.ndarray) else matrix.tocsr().data).all():
        raise SingularError
    matrix = matrix.astype(dtype)
    d = scales(matrix)
    steps = d.astype(dtype).reshape(-1, *[1] * (rhs.ndim - 1))
    method = _dense if isinstance(matrix, np.ndarray) else _sparse
    return method(scaled(matrix, d), np.asarray(rhs, dtype) / steps) / steps


def own_solution(matrix: Any, rhs: np.ndarray) -> np.ndarray | None:
    """The solution by a large structured matrix's own method; None if it has none, or is not exact enough."""
    if matrix.shape[0] < _limits.SPARSE_ROWS or not hasattr(matrix, "solve"):
        return None
    try:
        found = np.asarray(matrix.solve(rhs))
    except np.linalg.LinAlgError:  # said again in the parameters' names, after a second opinion
        return None
    error = np.abs(np.asarray(matrix @ found) - rhs).max(initial=0)
    return found if error <= 1e-8 * np.abs(rhs).max(initial=0) else None


def _dense(matrix: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    from scipy.linalg import get_lapack_funcs

    potrf, pocon, potrs, sysv, sycon = get_lapack_funcs(("potrf", "pocon", "potrs", "sysv", "sycon"), (matrix, rhs))
    least = rounding(len(matrix), matrix.dtype)
    norm = np.abs(matrix).sum(0).max()
    columns = rhs.reshape(len(matrix), -1)
    factor, info = potrf(matrix, lower=True)
    if info == 0:
        rcond, _ = pocon(factor, norm, uplo="L")
        found = potrs(factor, columns, lower=True)[0] if rcond > least else None
    else:
        factor, pivots, found, info = sysv(matrix, columns, lower=True)
        rcond = sycon(factor, pivots, norm, lower=True)[0] if info == 0 else 0.0
        found = found if rcond > least else None
    if found is None:
        raise SingularError
    return np.ascontiguousarray(found).reshape(rhs.shape)


def _sparse(matrix: Any, rhs: np.ndarray) -> np.ndarray:
    from scipy.sparse.linalg import LinearOperator, norm, onenormest, splu

    try:
        factor = splu(matrix)
    except RuntimeError:  # SuperLU: a pivot is exactly 0
        raise SingularError from None
    inverse = LinearOperator(matrix.shape, factor.solve, rmatvec=lambda v: factor.solve(v, "T"), dtype=matrix.dtype)
    size = onenormest(inverse) * norm(matrix, 1)
    if not size * rounding(matrix.shape[0], matrix.dtype) < 1:
        raise SingularError
    return np.asarray(factor.solve(rhs))


def is_positive_definite(matrix: Any) -> bool:
    """Whether all eigenvalues are positive, by one factorisation."""
    if isinstance(matrix, np.ndarray):
        try:
            np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            return False
        return True
    from scipy.sparse.linalg import splu

    try:
        symmetric = {"SymmetricMode": True}
        factor = splu(matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    except RuntimeError:
        return False
    # without exchanged rows, positive pivots are positive leading minors of the permuted matrix
    return bool((factor.perm_r == factor.perm_c).all() and (factor.U.diagonal() > 0).all())


# ------------------------------------------ The eigenvalues of a symmetric matrix and what can be said of their signs

# The idea to hold: below 2000 rows all eigenvalues are computed; from there on factorisations decide the signs, and a
# few eigenvalues are computed at the ends.


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


SPECTRUM_RESTARTS = bound(10)
"""Restarts by which the smallest eigenvalues of a large matrix are looked for to many digits; beyond, they are
close together, and three digits will do."""


def _nearest(matrix: Any, shift: float, precision: float, start: np.ndarray) -> Any:
    """The three eigenvalues nearest to a shift: roughly, where so many are close together that it would take long to
    tell them apart."""
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    given: dict[str, Any] = {"sigma": shift, "which": "LM", "v0": start}
    try:
        return eigsh(matrix, 3, tol=precision, maxiter=SPECTRUM_RESTARTS, **given)
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


# -------------------------------- What a matrix of second derivatives says of a point, in the names of the parameters

# The idea to hold: eigenvalues are curvatures, eigenvectors are directions in the parameters. What counts as 0 is
# judged against the largest eigenvalue, and the text says so. Where parameters are measured in very different units,
# signs are decided after scaling each parameter, which changes no sign (Sylvester's law of inertia).


Direction = tuple[float, list[tuple[str, float]]]

STATIONARY = {8: 1e-5, 4: 1e-3}
"""A gradient counts as 0 below this part of the largest eigenvalue, by the bytes of a number."""
CHANGE = 1e-6
"""... and where a Newton step changes f by less than this times 1 + |f|."""


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What `report` finds; printed, it is a text of a few lines.

    Attributes
    ----------
    kind : 'minimum', 'maximum', 'saddle', 'flat' (an eigenvalue is 0, the others have one sign), 'not a stationary
        point' (a gradient is given and is not 0), or 'not finite'
    eigenvalues : ascending: all of them, or some from both ends where ``complete`` is False
    complete : whether all eigenvalues are known (below 2000 rows)
    condition : largest by smallest absolute eigenvalue; inf if one is 0
    rank : the number of eigenvalues that are not 0; None where it is not known
    weak_directions : (eigenvalue, [(label, weight), ...]) for the smallest absolute eigenvalues: the largest
        weights of the unit vector, largest first
    flat_directions : those of them whose eigenvalue counts as 0
    negative_directions : the same for the lowest of the negative eigenvalues
    symmetry_error : the largest ``|H - H.T|`` of an entry, relative to the largest entry
    gradient_norm : length of the gradient; None where none was given
    non_finite : (row's label, column's label, value) of entries that are NaN or infinite, the first 100
    non_finite_count : how many there are
    tolerance : absolute eigenvalues up to here count as 0
    text : the lines
    """

    kind: str
    text: str
    eigenvalues: np.ndarray = field(default_factory=lambda: np.zeros(0))
    complete: bool = True
    condition: float = np.nan
    rank: int | None = None
    weak_directions: list[Direction] = field(default_factory=list)
    flat_directions: list[Direction] = field(default_factory=list)
    negative_directions: list[Direction] = field(default_factory=list)
    symmetry_error: float = 0.0
    gradient_norm: float | None = None
    non_finite: list[tuple[str, str, float]] = field(default_factory=list)
    non_finite_count: int = 0
    tolerance: float = 0.0

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


def report(matrix: Any, labels: Sequence[str], gradient: Any = None, value: Any = None) -> Report:
    """Return what a symmetric matrix of second derivatives says of the point.

    Parameters
    ----------
    matrix : array, tensor or SciPy sparse matrix of shape (N, N), or anything with ``todense()``
    labels : the names of the rows, N of them
    gradient : of shape (N,), to judge whether the point is stationary; without it that is taken for granted, and said
    value : the function's value at the point

    Returns
    -------
    Report

    Notes
    -----
    Cost: all eigenvalues and eigenvectors, about 10 N³ operations; from 2000 rows on a few of them (SciPy's ``eigsh``)
    and some factorisations, which stay sparse for a sparse matrix.

    Examples
    --------
    >>> import numpy as np
    >>> H = np.array([[2.0, 0.0, 0.0], [0.0, 5.0, 3.0], [0.0, 3.0, 5.0]])
    >>> found = report(H, ["a", "b[0]", "b[1]"])
    >>> print(found)
    minimum: all 3 eigenvalues positive (2 … 8)
    condition 4, rank 3 of 3; symmetric to 0
    weakest directions, as a step of length 1:
      a (eigenvalue 2): raises f by 1
      0.707·b[0] − 0.707·b[1] (eigenvalue 2): raises f by 1
    no gradient given: this holds where it is 0
    eigenvalues within ±3.1e-14 count as 0 (rounding: 3.8e-15 of the largest)
    >>> found.kind, found.condition
    ('minimum', 4.0)
    >>> report(np.diag([2.0, -1.0]), ["x", "y"]).negative_directions
    [(-1.0, [('y', 1.0)])]
    """
    matrix = dense_or_sparse(matrix._data if isinstance(matrix, Tensor) else matrix)
    labels = list(labels)
    n = matrix.shape[0]
    if matrix.shape != (n, n) or len(labels) != n:
        raise ShapeError(
            "a report takes a square matrix and a label for each row",
            f"The matrix has shape {tuple(matrix.shape)}, and there are {len(labels)} labels.",
            "H.report() gives both.",
        )  # fmt: skip
    slope = None if gradient is None else _slope(gradient, n)
    number = None if value is None else float(np.asarray(value._data if isinstance(value, Tensor) else value))
    bad = _not_finite(matrix, labels, slope, number)
    if bad is not None:
        return bad
    if not n:
        return Report("flat", "flat: there are no parameters", condition=1.0, rank=0)
    found = spectrum_of(matrix)
    weak, flat = _weakest(found, labels)
    negative = [] if found.kind == "maximum" else _downhill(found, labels)
    symmetry = asymmetry(matrix)
    kind, lines, more = _judged(found, labels, slope, number)
    lines += [_condition(found, n, symmetry), *_steps(found, weak, flat, negative), more]
    lines += [] if number is None else [f"f = {short(number)}"]
    lines += [_tolerance(found, n, matrix.dtype)] if found.tolerance else []
    return Report(
        kind, "\n".join(lines), found.values, found.complete, found.condition, found.rank, weak, flat, negative,
        symmetry, None if slope is None else float(np.linalg.norm(slope)), [], 0, found.tolerance,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------------- what is judged


def _slope(gradient: Any, n: int) -> np.ndarray:
    slope = np.asarray(gradient._data if isinstance(gradient, Tensor) else gradient).reshape(-1)
    if slope.shape != (n,):
        raise ShapeError(
            f"the gradient has {slope.size} entries and the matrix {n} rows", "",
            "Give the flat gradient of shape (N,).",
        )  # fmt: skip
    return slope


def _not_finite(matrix: Any, labels: list[str], slope: Any, value: float | None) -> Report | None:
    """The report of what is NaN or infinite; None if nothing is."""
    rows, columns, numbers = entries(matrix)
    wrong = ~np.isfinite(numbers)
    in_slope = [] if slope is None else [labels[k] for k in np.flatnonzero(~np.isfinite(slope))]
    if not wrong.any() and not in_slope:
        return None
    count, n = int(wrong.sum()), len(labels)
    rows, columns, numbers = rows[wrong], columns[wrong], numbers[wrong]
    lines = []
    if count:
        culprits, rest = _cover(rows, columns, n)
        names = listed([labels[k] for k in culprits]) + (" and others" if rest else "")
        lines.append(f"not finite: {count} of {n * n} entries of the Hessian are NaN or infinite")
        lines.append(f"all of them are in rows and columns of {names}" if not rest else f"most are in those of {names}")
        lines.append(f"the first is ({labels[rows[0]]}, {labels[columns[0]]}): {numbers[0]}")
    else:
        lines.append("not finite: the Hessian is, but the gradient is not")
    if in_slope:
        lines.append(f"the gradient is not finite at {listed(in_slope)}")
    lines += [f"f = {value}"] if value is not None else []
    lines.append("sg.autograd.detect_anomaly() around the gradient finds the operation that made the first of them")
    shown = [(labels[i], labels[j], float(v)) for i, j, v in zip(rows[:100], columns[:100], numbers[:100], strict=True)]
    norm = None if slope is None else float(np.linalg.norm(slope))
    return Report(
        "not finite", "\n".join(lines), symmetry_error=asymmetry(matrix), gradient_norm=norm, non_finite=shown,
        non_finite_count=count,
    )  # fmt: skip


CULPRITS = bound(6)
"""Parameters that a report names as those of entries that are not finite."""


def _cover(rows: np.ndarray, columns: np.ndarray, n: int) -> tuple[list[int], bool]:
    """A few parameters in whose rows and columns the entries lie, and whether some lie elsewhere."""
    chosen: list[int] = []
    while len(rows) and len(chosen) < CULPRITS:
        off = rows != columns
        counts = np.bincount(rows, minlength=n) + np.bincount(columns[off], minlength=n)
        chosen.append(worst := int(np.argmax(counts)))
        left = (rows != worst) & (columns != worst)
        rows, columns = rows[left], columns[left]
    return chosen, bool(len(rows))


def _judged(found: Spectrum, labels: list[str], slope: Any, value: float | None) -> tuple[str, list[str], str]:
    """The kind, the lines that say so, and one on the gradient."""
    line = _headline(found, len(labels))
    if slope is None:
        return found.kind, [line], "no gradient given: this holds where it is 0"
    norm, k = float(np.linalg.norm(slope)), int(np.argmax(np.abs(slope)))
    top = float(np.abs(found.values).max())
    part = STATIONARY.get(found.size_of_number, STATIONARY[4])
    values, vectors, known = found.values, found.vectors, np.abs(found.values) > found.tolerance
    if found.complete:
        values, vectors, known = found.weak_values, found.weak_vectors, ~found.flat
    along = (vectors.T @ slope)[known]
    steps = along / values[known]
    away = float(np.linalg.norm(vectors[:, known] @ steps))
    change = float(0.5 * np.abs(steps * along).sum())
    small = CHANGE * (1 + abs(value or 0.0))
    if norm <= part * top and change <= small:
        said = f"the gradient counts as 0: it is {short(norm)} long (limit: {short(part)} of the largest eigenvalue)"
        return found.kind, [line], said
    where = f"{labels[k]}: {short(slope[k])}"
    lines = [f"not a stationary point: the gradient is {short(norm)} long (largest at {where})", f"curvature: {line}"]
    if known.any():
        step = f"a Newton step is {short(away)} long and changes f by about {short(change)}"
        lines.append(step if found.complete else f"{step}, along the directions that were computed")
    limit = (f"a gradient counts as 0 up to {short(part)} of the largest eigenvalue, {short(part * top)}, if a Newton "
             f"step changes f by at most {short(CHANGE)}·(1 + |f|)")  # fmt: skip
    return "not a stationary point", lines, limit


# ---------------------------------------------------------------------------------------------------- how it is written


def _headline(found: Spectrum, n: int) -> str:
    low, high = (0.0 if abs(v) <= found.tolerance else v for v in found.values[[0, -1]])
    everything = "the one eigenvalue is" if n == 1 else f"all {n} eigenvalues"
    between = f"({short(low)})" if n == 1 else f"({short(low)} … {short(high)})"
    if not np.any(found.values):
        return "flat: the Hessian is 0 (where f is made of straight pieces, as with relu, it is 0 everywhere)"
    if found.kind in ("minimum", "maximum"):
        sign = "positive" if found.kind == "minimum" else "negative"
        return f"{found.kind}: {everything} {sign}{'' if found.hidden else ' ' + between}"
    if found.counts is None:
        words = {"flat": "some eigenvalues are 0 within rounding, the others have one sign",
                 "saddle": "there are eigenvalues of both signs"}  # fmt: skip
        return f"{found.kind}: {words[found.kind]} {between}"
    negative, zero, positive = found.counts
    counted = ((negative, "negative"), (zero, "zero within rounding"), (positive, "positive"))
    parts = [f"{count} {sign}" for count, sign in counted if count]
    return f"{found.kind}: of {n} eigenvalues {', '.join(parts)} {between}"


def _condition(found: Spectrum, n: int, symmetry: float) -> str:
    rank = "rank not known" if found.rank is None else f"rank {found.rank} of {n}"
    line = f"condition {short(found.condition)}, {rank}; symmetric to {short(symmetry)}"
    if found.scaled_condition is not None and found.scaled_condition < 0.01 * found.condition:
        line += (f"\nmost of the condition is units: it is {short(found.scaled_condition)} when every parameter is "
                 "measured in 1/√|Hᵢᵢ|")  # fmt: skip
    return line


def _steps(found: Spectrum, weak: list[Direction], flat: list[Direction], negative: list[Direction]) -> list[str]:
    lines = []
    if negative:
        lines.append("downhill either way, as a step of length 1:")
        lines += [f"  {combination(d)} (eigenvalue {short(d[0])}): lowers f by {short(-d[0] / 2)}" for d in negative]
    rest = [d for d in weak if d not in negative]
    if rest and np.any(found.values):
        lines.append(f"weakest direction{'s' if len(rest) > 1 else ''}, as a step of length 1:")
    elif rest:
        return []
    for d in rest:
        if d in flat:
            lines.append(f"  {combination(d)} (eigenvalue 0 within rounding): f stays, to second order")
        else:
            verb = "raises" if d[0] > 0 else "lowers"
            line = f"  {combination(d)} (eigenvalue {short(d[0])}): {verb} f by {short(abs(d[0]) / 2)}"
            lines.append(line + (" only" if found.condition >= 100 else ""))
    return lines


def _tolerance(found: Spectrum, n: int, dtype: Any) -> str:
    part, limit = rounding(n, dtype), short(found.tolerance, 2)
    line = f"eigenvalues within ±{limit} count as 0 (rounding: {short(part, 2)} of the largest)"
    if found.tolerance > 1.5 * part * np.abs(found.values).max(initial=0):
        line = f"eigenvalues within ±{limit} count as 0 (as far as the matrix is from symmetric)"
    if found.hidden:
        line = (f"eigenvalues within ±{limit} are rounding, so signs and directions were found with every parameter "
                "measured in 1/√|Hᵢᵢ|")  # fmt: skip
    if not found.complete:
        line += f"\nonly eigenvalues from the ends were computed: the matrix has {_limits.SPARSE_ROWS} rows or more"
    return line


def _downhill(found: Spectrum, labels: list[str]) -> list[Direction]:
    """Up to three directions of negative curvature, the lowest first."""
    values, vectors, negative = found.values, found.vectors, found.values < -found.tolerance
    if found.hidden:
        values, vectors, negative = found.weak_values, found.weak_vectors, (found.weak_values < 0) & ~found.flat
    chosen = [k for k in np.argsort(values, kind="stable") if negative[k]][:3]
    return [_direction(values[k], vectors[:, k], labels) for k in chosen]


def _weakest(found: Spectrum, labels: list[str]) -> tuple[list[Direction], list[Direction]]:
    """Up to three: the weakest, and others that are as weak or far below the largest; those of them that are flat."""
    size = np.abs(found.weak_values)
    order = np.argsort(size, kind="stable")[:3]
    far = 0.0 if found.hidden else 1e-4 * np.abs(found.values).max(initial=0)
    limit = max(1.01 * size.min(initial=np.inf), far)
    weak = [(_direction(found.weak_values[k], found.weak_vectors[:, k], labels), found.flat[k])
            for k in order if size[k] <= limit or found.flat[k]]  # fmt: skip
    return [d for d, _ in weak], [d for d, flat in weak if flat]


def _direction(value: float, vector: np.ndarray, labels: list[str]) -> Direction:
    order = np.argsort(-np.round(np.abs(vector), 12), kind="stable")[:8]
    lead = vector[order[0]]
    sign = -1.0 if lead < 0 else 1.0
    return float(value), [(labels[k], sign * float(vector[k])) for k in order if abs(vector[k]) >= 0.05 * abs(lead)]


def aligned(cells: list[list[str]], widths: list[int]) -> list[str]:
    """The lines of a table: labels to the left, figures to the right."""
    return ["  ".join([c[0].ljust(widths[0]), *map(str.rjust, c[1:], widths[1:])]).rstrip() for c in cells]


def html_row(label: str, texts: Iterable[str]) -> str:
    """A row of a table in HTML."""
    return f"<tr><th>{html.escape(label)}</th>{''.join(f'<td>{html.escape(text)}</td>' for text in texts)}</tr>"


TERMS = bound(4)
"""Terms of a direction that are written."""


def combination(direction: Direction) -> str:
    """A direction as people write it: ``0.93·W[0, 1] − 0.36·b``; dots stand for what is left out."""
    weights = direction[1]
    if len(weights) == 1 and abs(weights[0][1]) > 0.999:
        return weights[0][0]
    text = ""
    for label, weight in weights[:TERMS]:
        sign = (" − " if weight < 0 else " + ") if text else ""
        text += f"{sign}{abs(weight):.3g}·{label}"
    return text + (" + …" if sum(w * w for _, w in weights[:TERMS]) < 0.98 else "")


def clauses(directions: list[Direction], found: Report) -> str:
    """Eigenvalues by what they belong to, one per line."""
    return "\n".join(
        f"eigenvalue {'0 within rounding' if d in found.flat_directions else short(d[0])} along {combination(d)}"
        for d in directions
    )


def short(number: Any, digits: int = 3) -> str:
    """A few digits, as on paper: 0.31, 880, 2.8e3, −1."""
    text = f"{float(number):.{digits}g}".replace("-inf", "−∞").replace("inf", "∞")
    mantissa, e, power = text.partition("e")
    if e:
        mantissa += f"e{int(power)}"
    return "−" + mantissa[1:] if mantissa.startswith("-") else mantissa
