"""Leverages of observations, for the robust covariances HC1, HC2 and HC3, found in a likelihood's contributions.

The idea to hold: where an observation enters by one linear index xᵀβ, as in linear and generalised linear models, the
Hessian of its contribution is w xxᵀ, and its leverage is h = w xᵀ(Σ w xxᵀ)⁻¹x. A parameter of spread beside β has
cross derivatives that are multiples of the scores; these have mean 0 in the model, and so is the leverage free of it.
What is none of this has no leverages, and says so. HC1 needs none of them, only how many coefficients there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from .._limits import bound
from .._progress import Task
from ..core import Tensor, unwrap
from ..distributed._jobs import quietly
from ..transforms import Derivative
from ..transforms.calls import available, flatten, in_bytes, unflatten
from ..transforms.first_derivatives import jvp
from ._likelihood import FitError, Likelihood, listed

CORRECTIONS = {"HC1": 0.0, "HC2": 0.5, "HC3": 1.0}
"""By which power of 1 − h the scores are divided; HC1 has one factor for all, n/(n − k)."""

_SAME = 1e-6
"""Relative to their size, numbers of so small a difference are the same: estimates are known to that."""


def corrected(model: Likelihood, flat: np.ndarray, basis: np.ndarray, scores: np.ndarray, kind: str) -> np.ndarray:
    """The scores in free directions as a covariance corrected for small samples sums their squares.

    Raises
    ------
    FitError : HC2 and HC3 are not defined for the model, or a leverage is 1; HC1 of fewer rows than coefficients
    """
    if kind == "HC1":
        n, k = model._contributions(), _once(model, flat, basis, "count", lambda: coefficient_count(model, flat, basis))
        if n <= k:
            raise FitError(f"HC1 is not defined for {n} observations and {k} coefficients", "Its factor is n/(n − k).",
                           "Take kind='sandwich'.")  # fmt: skip
        return scores * np.sqrt(n / (n - k))
    if type(model) is not Likelihood:
        raise FitError(f"{kind} is not computed of rows in chunks", "Leverages are those of single rows.",
                       "Take kind='sandwich', or 'HC1'.")  # fmt: skip
    h = _once(model, flat, basis, "leverages", lambda: leverages(model, flat, basis, scores, kind))
    full = np.flatnonzero(h > 1 - _SAME)
    if full.size:
        which = f"observation{'s' * (full.size > 1)} {listed(full.tolist())}"
        raise FitError(f"{kind} is not defined: the leverage of {which} is 1",
                       "The model meets such an observation exactly, whatever it is.",
                       "Leave it out, with the coefficient that is its own, or take kind='HC1'.")  # fmt: skip
    return scores / ((1 - h) ** CORRECTIONS[kind])[:, None]


def _once(model: Likelihood, flat: np.ndarray, basis: np.ndarray, word: str, compute: Callable[[], Any]) -> Any:
    """What was computed before at this point and in these directions."""
    at = flat.tobytes(), basis.tobytes()
    if model._last_leverages.get("at") != at:
        model._last_leverages = {"at": at}
    if word not in model._last_leverages:
        model._last_leverages[word] = compute()
    return model._last_leverages[word]


def coefficient_count(model: Likelihood, flat: np.ndarray, basis: np.ndarray) -> int:
    """How many coefficients the linear index has, by a few observations; the free parameters where there is no index.

    A coefficient that none of them has shows no curvature, and is one.
    """
    scores, hessians = few_contributions(model, flat, basis)
    seen = np.asarray(np.diagonal(hessians, axis1=1, axis2=2).any(0))
    try:
        found = index_coefficients(scores[:, seen], hessians[:, seen][:, :, seen], "HC1")
    except FitError:
        return len(seen)
    return len(found) + int((~seen).sum())


def leverages(model: Likelihood, flat: np.ndarray, basis: np.ndarray, scores: np.ndarray, kind: str) -> np.ndarray:
    """The leverage of each observation; an error, and that soon, where the contributions have no linear index."""
    if len(scores) > 2 * FEW * basis.shape[1]:
        index_coefficients(*few_contributions(model, flat, basis), kind)
    hessians = _along(basis, contribution_hessians(model, flat, model.data))
    chosen = index_coefficients(scores, hessians, kind)
    own = hessians if len(chosen) == scores.shape[1] else hessians[:, chosen[:, None], chosen]
    return np.einsum("ij,nij->n", np.linalg.inv(own.sum(0)), own)


FEW = bound(16)
"""Observations per parameter by which it is seen whether there is a linear index, and of which parameters."""


def few_contributions(model: Likelihood, flat: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradients and Hessians of a few contributions in free directions: those of each parameter's largest gradients,
    and others from first to last. Data are cut to them where that leaves the contributions as they are."""
    point, last = model.params(flat), model._last_scores
    with quietly():
        whole = np.asarray(unwrap(model.f(point, *model.data)), float)
    n = len(whole)
    rows = np.linspace(0, n - 1, min(n, FEW * flat.size // 2 + 8)).astype(int)
    if last is not None and len(last[1]) == n > len(rows):
        largest = np.argpartition(-np.abs(last[1]), min(FEW // 2, n - 1), axis=0)[: FEW // 2]
        rows = np.union1d(rows, largest)
    data, places = _cut(model, point, rows, whole), np.arange(len(rows))
    data, places = (model.data, rows) if data is None else (data, places)
    with quietly():
        gradients = Derivative("jacobian", model.f, 0)(point, *data)
    scores = model._flat(gradients, (n if data is model.data else len(rows),))[places]
    return scores @ basis, _along(basis, contribution_hessians(model, flat, data, places))


def _cut(model: Likelihood, point: Any, rows: np.ndarray, whole: np.ndarray) -> Any:
    """The data of some rows; None where their contributions are others then."""
    leaves, spec = flatten(model.data)
    long = [isinstance(a, (np.ndarray, Tensor)) and a.ndim > 0 and len(a) == len(whole) for a in leaves]
    try:
        data = unflatten(spec, [a[rows] if cut else a for a, cut in zip(leaves, long, strict=True)])
        with quietly():
            part = np.asarray(unwrap(model.f(point, *data)), float)
    except Exception:  # whatever a function does with other rows
        return None
    return data if part.shape == rows.shape and np.allclose(part, whole[rows], 1e-9, 1e-12) else None


def _along(basis: np.ndarray, hessians: np.ndarray) -> np.ndarray:
    """Hessians in free directions; the same array where all are free."""
    return hessians if np.array_equal(basis, np.eye(len(basis))) else basis.T @ hessians @ basis


def contribution_hessians(model: Likelihood, flat: np.ndarray, data: Any, rows: Any = slice(None)) -> np.ndarray:
    """The Hessians of contributions of some rows, of shape (n, N, N), by a pass for each pair of parameters."""
    point, size = model.params(flat), flat.size
    units = [model.params(row) for row in np.eye(size)]
    n = model._contributions() if isinstance(rows, slice) else len(rows)
    need = 8 * n * size * size
    if need > available():
        raise FitError(f"the Hessians of {n:,} contributions take {in_bytes(need)}", "", "Take kind='HC1'.")
    found = np.empty((n, size, size))

    def along(direction: Any) -> Any:
        return lambda p: jvp(lambda q: model.f(q, *data), (p,), (direction,))[1]

    pairs = [(a, b) for a in range(size) for b in range(a + 1)]
    task = Task(f"Hessians of {n:,} contributions", total=len(pairs), unit="passes")
    with quietly(), task:
        for a, b in task.each(pairs):
            pair = unwrap(jvp(along(units[a]), (point,), (units[b],))[1])
            found[:, a, b] = found[:, b, a] = np.asarray(pair, float)[rows]
    found *= model.sign
    return found


def index_coefficients(scores: np.ndarray, hessians: np.ndarray, kind: str) -> np.ndarray:
    """Which parameters are coefficients of the linear index by which an observation enters.

    Parameters
    ----------
    scores, hessians : of the contributions, of shapes (n, m) and (n, m, m). Entries of these that are a constant and a
        combination of scores are overwritten by that constant

    Raises
    ------
    FitError : the contributions do not depend on their data by one linear index
    """
    n, m = scores.shape
    if n <= m + 2:
        raise FitError(f"{kind} is not defined for {n} observations and {m} parameters", "There are too few.",
                       "Take kind='sandwich'.")  # fmt: skip
    _overwrite_scores(scores, hessians)
    size = np.maximum(hessians.max(0), -hessians.min(0))
    scale = np.sqrt(np.maximum(np.diagonal(size), 1e-300))
    count, part = connected_components(size > _SAME * scale * scale[:, None], directed=False)
    varies = np.ptp(hessians, axis=0) > _SAME * size
    moving = [c for c in range(count) if varies[np.ix_(part == c, part == c)].any()]
    chosen = np.flatnonzero(np.isin(part, moving or [0]))
    own = hessians if len(chosen) == m else hessians[:, chosen[:, None], chosen]
    trace, square = np.trace(own, axis1=1, axis2=2), np.einsum("nij,nij->n", own, own)
    if (np.abs(trace**2 - square) > _SAME * square.max(initial=1e-300)).any():
        raise FitError(
            f"{kind} is not defined for this model: it has no leverages",
            "Hessians of contributions are no multiples of xxᵀ: an observation enters by more than one linear index.",
            "Take kind='HC1', 'sandwich' or 'cluster'.",
        )  # fmt: skip
    return chosen


def _overwrite_scores(scores: np.ndarray, hessians: np.ndarray) -> None:
    """Overwrite entries of Hessians that are a constant and a combination of scores by that constant, their mean."""
    m = scores.shape[1]
    spread = np.sqrt((scores**2).mean(0))
    each = spread / np.sqrt(np.maximum(np.abs(np.diagonal(hessians.mean(0))), 1e-300))  # one unit for all: residuals
    live = each > _SAME * each.max()  # the rest is 0 but for rounding: an observation that is met exactly
    design = np.column_stack([np.ones(len(scores)), scores[:, live] / spread[live]])
    solve = np.linalg.pinv(design)
    for a in range(m):
        for b in range(a + 1):
            entry = hessians[:, a, b]
            weights = solve @ entry
            if np.abs(entry - design @ weights).max() <= _SAME * np.abs(entry).max(initial=0):
                hessians[:, a, b] = hessians[:, b, a] = weights[0]
