"""What a matrix of second derivatives says of a point, in the names of the parameters.

The idea to hold: eigenvalues are curvatures, eigenvectors are directions in the parameters. What counts as 0 is judged
against the largest eigenvalue, and the text says so. Where parameters are measured in very different units, signs are
decided after scaling each parameter, which changes no sign (Sylvester's law of inertia).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _limits
from .._errors import ShapeError
from ..core import Tensor
from ._solve import rounding
from ._spectrum import Spectrum, asymmetry, dense_or_sparse, entries, spectrum_of

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
        names = _listed([labels[k] for k in culprits]) + (" and others" if rest else "")
        lines.append(f"not finite: {count} of {n * n} entries of the Hessian are NaN or infinite")
        lines.append(f"all of them are in rows and columns of {names}" if not rest else f"most are in those of {names}")
        lines.append(f"the first is ({labels[rows[0]]}, {labels[columns[0]]}): {numbers[0]}")
    else:
        lines.append("not finite: the Hessian is, but the gradient is not")
    if in_slope:
        lines.append(f"the gradient is not finite at {_listed(in_slope)}")
    lines += [f"f = {value}"] if value is not None else []
    lines.append("sg.autograd.detect_anomaly() around the gradient finds the operation that made the first of them")
    shown = [(labels[i], labels[j], float(v)) for i, j, v in zip(rows[:100], columns[:100], numbers[:100], strict=True)]
    norm = None if slope is None else float(np.linalg.norm(slope))
    return Report(
        "not finite", "\n".join(lines), symmetry_error=asymmetry(matrix), gradient_norm=norm, non_finite=shown,
        non_finite_count=count,
    )  # fmt: skip


def _cover(rows: np.ndarray, columns: np.ndarray, n: int) -> tuple[list[int], bool]:
    """A few parameters in whose rows and columns the entries lie, and whether some lie elsewhere."""
    chosen: list[int] = []
    while len(rows) and len(chosen) < _limits.CULPRITS:
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
        line += "\nonly eigenvalues from the ends were computed: the matrix has 2000 rows or more"
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


def combination(direction: Direction, most: int = 4) -> str:
    """A direction as people write it: ``0.93·W[0, 1] − 0.36·b``; dots stand for what is left out."""
    weights = direction[1]
    if len(weights) == 1 and abs(weights[0][1]) > 0.999:
        return weights[0][0]
    text = ""
    for label, weight in weights[:most]:
        sign = (" − " if weight < 0 else " + ") if text else ""
        text += f"{sign}{abs(weight):.3g}·{label}"
    return text + (" + …" if sum(w * w for _, w in weights[:most]) < 0.98 else "")


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


def _listed(names: list[str], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


__all__ = ["Report", "clauses", "combination", "report", "short"]
