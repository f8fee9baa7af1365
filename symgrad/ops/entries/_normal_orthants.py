"""Probabilities of several normal numbers that are correlated, each below its limit.

The idea to hold: a slope by a limit is the density there times the probability of the others given it, and a slope by a
correlation is the density of the two times the probability of the rest given both (Plackett). So every derivative is a
probability of one or two dimensions less, and that of two dimensions has elementary ones.

Source: R. Plackett, A reduction formula for normal multivariate integrals (1954).
"""

from __future__ import annotations

import inspect
import math
from itertools import pairwise
from typing import Any

import numpy as np

from ..._limits import INTEGRALS
from ...core import elementwise, general
from .._lazy import special
from . import _elementwise as e
from ._incomplete import rounded, spread
from ._probabilities import DROP, NODES, WEIGHTS

# ruff: noqa: E501  (a row is a line)


def _log_integrand(d: Any, h: Any, u: Any, c: Any) -> Any:
    return special.log_ndtr(u + c * d) + d * (h - d / 2)


def _slope_of_log(d: Any, h: Any, u: Any, c: Any) -> Any:
    return c * math.sqrt(2 / math.pi) / special.erfcx((u + c * d) * -math.sqrt(0.5)) + h - d


def _between(holds: Any, low: np.ndarray, high: np.ndarray, steps: int = 56) -> np.ndarray:
    """The first place where a condition that holds at ``low`` does not, by halving."""
    for _ in range(steps):
        middle = (low + high) / 2
        still = holds(middle)
        low, high = np.where(still, middle, low), np.where(still, high, middle)
    return high


def _pairs(h: np.ndarray, k: np.ndarray, r: np.ndarray) -> np.ndarray:
    """φ(h) ∫ exp(d (h - d/2)) Φ(u + cd) dd from 0 on, where x = h - d: the logarithm is concave, bent by 1 or more.

    It is followed from where it is largest until it has fallen by exp(-DROP), in panels that part where Φ has its edge.
    """
    s = np.sqrt((1 - r) * (1 + r))
    apart = np.where(r < 0, (k + h) - (1 + r) * h, (k - h) + (1 - r) * h)  # k - rh, where they nearly cancel too
    u, c = apart / s, r / s
    far = np.maximum(h, 0.0) + 1
    for _ in range(60):  # beyond the largest
        far = np.where(_slope_of_log(far, h, u, c) < 0, far, 2 * far)
    falls = _slope_of_log(0 * h, h, u, c) <= 0
    top = np.where(falls, 0.0, _between(lambda d: _slope_of_log(d, h, u, c) > 0, 0 * h, far))
    least = _log_integrand(top, h, u, c) - DROP
    reach = math.sqrt(2 * DROP)
    low = top - _between(lambda d: _log_integrand(top - d, h, u, c) > least, 0 * top, np.minimum(top, reach))
    high = top + _between(lambda d: _log_integrand(top + d, h, u, c) > least, 0 * top, 0 * top + reach)
    with np.errstate(divide="ignore", invalid="ignore"):
        edge, width = np.where(c == 0, high, -u / c), np.where(c == 0, 0.0, 9 / np.abs(c))
    ends = [low, *(np.clip(edge + w * width, low, high) for w in (-1, 0, 1)), high]
    out = np.zeros(h.shape)
    for start, end in pairwise(ends):
        half = (end - start) / 2
        d = start[:, None] + half[:, None] * (1 + NODES)
        values = np.exp(d * (h[:, None] - d / 2) - h[:, None] ** 2 / 2) * special.ndtr(u[:, None] + c[:, None] * d)
        out += half * (values * WEIGHTS).sum(-1)
    return out / math.sqrt(2 * math.pi)


def _bivariate(h: Any, k: Any, r: Any) -> np.ndarray:
    """P(X < h, Y < k) for standard normal X and Y of correlation r, to some units in the last place, in tails too."""
    given = (h, k, r)
    h, k, r = spread(h, k, r)
    h, k = np.minimum(h, k), np.maximum(h, k)
    with np.errstate(all="ignore"):
        out = np.where(np.isnan(r) | (np.abs(r) > 1), np.nan, special.ndtr(h))  # where k is infinite
        out = np.where(np.isfinite(k) & (r == -1), np.where(h + k > 0, special.ndtr(h) - special.ndtr(-k), 0.0), out)
        out = np.where(np.isnan(k), np.nan, out)
        inside = np.isfinite(h) & np.isfinite(k) & (np.abs(r) < 1)
        for at in np.array_split(np.flatnonzero(inside), -(-np.count_nonzero(inside) // INTEGRALS) or 1):
            out[at] = _pairs(h[at], k[at], r[at])
    return rounded(out, *given)


# ------------------------------------------------------------------------------------------ three and more


def orthant(h: Any, r: Any, accuracy: tuple[float, float, int | None]) -> Any:
    """P(X_i < h_i for each i) for standard normal X; h (…, d), r the correlations of the pairs (0, 1), (0, 2) … (1, 2) …"""
    d = int(h.shape[-1])
    if d == 1:
        return e.ndtr(h[..., 0])
    if d == 2:
        return bivariate_normal(h[..., 0], h[..., 1], r[0])
    return orthant_row(h, r, accuracy)


def pairs(d: int) -> list[tuple[int, int]]:
    """The pairs of d numbers, in the order of their correlations."""
    return [(i, j) for i in range(d) for j in range(i + 1, d)]


def _conditional(h: Any, r: Any, i: int) -> tuple[Any, Any]:
    """The limits and the correlations of the others, given that the i-th number is at its limit."""
    d = int(h.shape[-1])
    at = {p: r[n] for n, p in enumerate(pairs(d))}
    others = [j for j in range(d) if j != i]
    to = {j: at[min(i, j), max(i, j)] for j in others}
    rest = {j: np.sqrt(1 - to[j] * to[j]) for j in others}
    limits = [(h[..., j] - to[j] * h[..., i]) / rest[j] for j in others]
    left = [(at[j, k] - to[j] * to[k]) / (rest[j] * rest[k]) for j, k in pairs(d) if i not in (j, k)]
    return np.stack(limits, -1), np.stack(left) if left else None


def _by_limits(g: Any, h: Any, r: Any, accuracy: Any) -> Any:
    slopes = [
        e.normal_pdf(h[..., i]) * orthant(*_conditional(h, r, i), accuracy) for i in range(int(h.shape[-1]))
    ]  # fmt: skip
    return g[..., None] * np.stack(slopes, -1)


def _by_correlations(g: Any, h: Any, r: Any, accuracy: Any) -> Any:
    d, slopes = int(h.shape[-1]), []
    for n, (i, j) in enumerate(pairs(d)):
        a, b, c = h[..., i], h[..., j], r[n]
        both = np.exp((a * a - 2 * c * a * b + b * b) / (2 * (c * c - 1))) / (2 * math.pi * np.sqrt(1 - c * c))
        if d > 2:
            both = both * orthant(*_conditional(*_conditional(h, r, i), j - 1), accuracy)
        slopes.append((g * both).sum())
    return np.stack(slopes)


def _orthant(h: np.ndarray, r: np.ndarray, accuracy: tuple[float, float, int | None]) -> np.ndarray:
    """SciPy's integral, with random numbers that are the same ones in each call; NaN beyond correlations of 1."""
    import scipy.stats

    d = h.shape[-1]
    if (np.abs(r) > 1).any():  # no correlations
        return np.full(h.shape[:-1], np.nan)
    matrix = np.eye(d)
    for n, (i, j) in enumerate(pairs(d)):
        matrix[i, j] = matrix[j, i] = r[n]
    absolute, relative, most = accuracy
    options: dict[str, Any] = {"abseps": absolute, "releps": relative, "maxpts": most, "allow_singular": True}
    if "rng" in inspect.signature(scipy.stats.multivariate_normal.cdf).parameters:
        options["rng"] = np.random.default_rng(0)
    return np.asarray(scipy.stats.multivariate_normal.cdf(h, np.zeros(d), matrix, **options)).reshape(h.shape[:-1])


# fmt: off
bivariate_normal: Any = elementwise("bivariate_normal", _bivariate, lambda h, k, r: e.normal_pdf(h) * e.ndtr((k - r * h) / np.sqrt(1 - r * r)), lambda h, k, r: e.normal_pdf(k) * e.ndtr((h - r * k) / np.sqrt(1 - r * r)), lambda h, k, r: np.exp((h * h - 2 * r * h * k + k * k) / (2 * (r * r - 1))) / (2 * math.pi * np.sqrt(1 - r * r)), domain=("real", "real", "unit"), real_only=True, text="Φ₂(<0>, <1>, <2>)", latex=r"\Phi_{2}(<0>, <1>, <2>)", explained=True, doc="the probability that two standard normal numbers of correlation r are less than h and k")
# fmt: on

orthant_row: Any = general(
    "normal_orthant", _orthant, _by_limits, _by_correlations,
    sample=lambda rng: ([rng.normal(size=2), np.array([0.3])], ((1e-5, 1e-5, None),)), real_only=True,
    explained=True, doc="the probability that each of several standard normal numbers, correlated by r, is below its limit",
)  # fmt: skip
