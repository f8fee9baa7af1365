"""Leverages of observations, for the robust covariances HC1, HC2 and HC3, found in a likelihood's contributions.

The idea to hold: where an observation enters by one linear index xᵀβ, as in linear and generalised linear models, the
Hessian of its contribution is w xxᵀ, and its leverage is h = w xᵀ(Σ w xxᵀ)⁻¹x. A parameter of spread beside β has
cross derivatives that are multiples of the scores; these have mean 0 in the model, and so is the leverage free of it.
What is none of this has no leverages, and says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..autograd import no_grad
from ..core import unwrap
from ..transforms.calls import available, in_bytes
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
    FitError : leverages are not defined for the model, or one of them is 1
    """
    if type(model) is not Likelihood:
        raise FitError(f"{kind} is not computed of rows in chunks", "Leverages are those of single rows.",
                       "Take kind='sandwich'.")  # fmt: skip
    n = len(scores)
    h, k = leverages(scores, basis.T @ seconds(model, flat) @ basis, kind)
    if kind == "HC1":
        if n <= k:
            raise FitError(f"HC1 is not defined for {n} observations and {k} coefficients", "Its factor is n/(n − k).",
                           "Take kind='sandwich'.")  # fmt: skip
        return scores * np.sqrt(n / (n - k))
    full = np.flatnonzero(h > 1 - _SAME)
    if full.size:
        which = f"observation{'s' * (full.size > 1)} {listed(full.tolist())}"
        raise FitError(f"{kind} is not defined: the leverage of {which} is 1",
                       "The model meets such an observation exactly, whatever it is.",
                       "Leave it out, with the coefficient that is its own, or take kind='HC1'.")  # fmt: skip
    return scores / ((1 - h) ** CORRECTIONS[kind])[:, None]


def seconds(model: Likelihood, flat: np.ndarray) -> np.ndarray:
    """The Hessians of the contributions, of shape (n, N, N), by a pass for each pair of parameters."""
    n, size = model._contributions(), flat.size
    need = 8 * n * size * size
    if need > available():
        raise FitError(f"the Hessians of {n:,} contributions take {in_bytes(need)}", "", "Take kind='sandwich'.")
    point, units = model.params(flat), [model.params(row) for row in np.eye(size)]
    found = np.empty((n, size, size))

    def along(direction: Any) -> Any:
        return lambda p: jvp(lambda q: model.f(q, *model.data), (p,), (direction,))[1]

    with no_grad(), np.errstate(all="ignore"):
        for a in range(size):
            for b in range(a + 1):
                pair = unwrap(jvp(along(units[a]), (point,), (units[b],))[1])
                found[:, a, b] = found[:, b, a] = np.asarray(pair, float)
    return model.sign * found


def leverages(scores: np.ndarray, hessians: np.ndarray, kind: str) -> tuple[np.ndarray, int]:
    """The leverage of each observation, and how many coefficients of the index they add up to.

    Parameters
    ----------
    scores, hessians : of the contributions, of shapes (n, m) and (n, m, m)

    Raises
    ------
    FitError : the contributions do not depend on their data by one linear index
    """
    n, m = scores.shape
    if n <= m + 2:
        raise FitError(f"{kind} is not defined for {n} observations and {m} parameters", "There are too few.",
                       "Take kind='sandwich'.")  # fmt: skip
    hessians = _without_scores(scores, hessians)
    size = np.abs(hessians).max(0)
    scale = np.sqrt(np.maximum(np.diagonal(size), 1e-300))
    count, part = connected_components(size > _SAME * scale * scale[:, None], directed=False)
    varies = np.ptp(hessians, axis=0) > _SAME * size
    moving = [c for c in range(count) if varies[np.ix_(part == c, part == c)].any()]
    chosen = np.flatnonzero(np.isin(part, moving or [0]))
    own = hessians[:, chosen[:, None], chosen]
    trace, square = np.trace(own, axis1=1, axis2=2), (own**2).sum((1, 2))
    if (np.abs(trace**2 - square) > _SAME * square.max(initial=1e-300)).any():
        raise FitError(
            f"{kind} is not defined for this model: it has no leverages",
            "Hessians of contributions are no multiples of xxᵀ: an observation enters by more than one linear index.",
            "Take kind='sandwich', or 'cluster'.",
        )  # fmt: skip
    inverse = np.linalg.inv(own.sum(0))
    return np.einsum("ij,nij->n", inverse, own), len(chosen)


def _without_scores(scores: np.ndarray, hessians: np.ndarray) -> np.ndarray:
    """The Hessians with entries that are a constant and a combination of scores as that constant: their mean."""
    found, m = hessians.copy(), scores.shape[1]
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
                found[:, a, b] = found[:, b, a] = weights[0]
    return found
