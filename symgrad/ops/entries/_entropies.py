"""Entropies that have no closed form, and all their derivatives, as integrals of terms of one sign.

The idea to hold: an expectation of log k! over counts is an integral over their generating function, because
log Γ(x) = ∫ ((x - 1) exp(-t) - (exp(-t) - exp(-xt))/(1 - exp(-t)))/t dt (DLMF 5.9.19). So no counts are summed, and a
derivative differentiates under the integral. The integrands are smooth in log t, where equal steps converge at once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._limits import INTEGRALS
from ...core import elementwise
from .._lazy import special
from ._incomplete import rounded, spread

# ruff: noqa: E501  (a row is a line)

STEP = 0.2
"""Of log t. The integrands are analytic for |Im log t| < π/2, so the error is exp(-π²/STEP)."""
NEGLIGIBLE = 1e-19


def _over_logs(f: Any, low: np.ndarray, high: np.ndarray, *given: np.ndarray) -> np.ndarray:
    """The integrals of f(t, …) dt from exp(low) to exp(high), beyond which nothing is left.

    Each is summed by itself, at places of its own: what is beside it does not change its last digit.
    """
    out = np.empty(low.shape)
    for i, (first, last) in enumerate(zip(np.floor(low / STEP), np.ceil(high / STEP))):
        t = np.exp(STEP * np.arange(first, last + 1))
        out[i] = STEP * (f(t, *(v[i] for v in given)) * t).sum()
    return out


# ---------------------------------------------------------------------------------------------------- Poisson

ASYMPTOTIC = 1e6
"""The mean from which on four terms of the series in 1/mu are exact."""


def _poisson_far(mu: np.ndarray, n: int) -> np.ndarray:
    """The n-th derivative of log(2πe mu)/2 - 1/(12 mu) - 1/(24 mu²) - 19/(360 mu³)."""
    found = (
        0.5 * np.log(2 * math.pi * math.e * mu) if n == 0 else (-1) ** (n - 1) * 0.5 * math.factorial(n - 1) * mu**-n
    )
    for k, c in ((1, 1 / 12), (2, 1 / 24), (3, 19 / 360)):
        found = found - (-1) ** n * c * special.poch(k, n) * mu ** -(n + k)
    return found


def _poisson_near(mu: np.ndarray, n: int) -> np.ndarray:
    """With c(w) = 1 + w/log(1 - w) to 1 and 1 beyond: ∫ c (1 - exp(-mu w))/w² dw, or ∫ c w^(n-2) exp(-mu w) dw.

    Up to 1 the integrals are over t = -log(1 - w); beyond they are exponential integrals.
    """

    def f(t: Any, mu: Any) -> Any:
        w = -np.expm1(-t)
        c = np.where(t < 0.1, _gap_series(t), 1 - w / t)
        return c * np.exp(-t) * (-np.expm1(-mu * w) / (w * w) if n == 0 else w ** (n - 2.0) * np.exp(-mu * w))

    low = math.log(NEGLIGIBLE) - np.log(np.maximum(mu, 1.0))
    inner = _over_logs(f, low, np.full(mu.shape, math.log(50.0)), mu)
    if n == 0:
        return inner - np.expm1(-mu) + mu * special.exp1(mu)
    beyond = special.exp1(mu) if n == 1 else np.zeros_like(mu)
    for j in range(n - 1):
        beyond = beyond + np.exp(-mu) * special.poch(n - 1 - j, j) * mu ** -(j + 1.0)
    return (-1) ** (n - 1) * (inner + beyond)


def _gap_series(t: Any) -> Any:
    """1 - (1 - exp(-t))/t for small t."""
    found, term = 0.0, -1.0
    for k in range(1, 14):
        term = -term * t / (k + 1)
        found = found + term
    return found


def _poisson(mu: Any, n: int) -> np.ndarray:
    given = (mu,)
    (mu,) = spread(mu)
    out = np.full(mu.shape, np.nan)
    with np.errstate(all="ignore"):
        far, near = mu > ASYMPTOTIC, (mu > 0) & (mu <= ASYMPTOTIC)
        out[far], out[near] = _poisson_far(mu[far], n), _poisson_near(mu[near], n)
    out[mu == 0] = 0.0 if n == 0 else (-1) ** (n - 1) * np.inf
    return rounded(out, *given)


# ------------------------------------------------------------------------------------------ negative binomial

LARGEST = 1e6
"""Of n: the closed terms cancel by as much."""


def _rising(j: int) -> np.polynomial.Polynomial:
    """n (n + 1) … (n + j - 1) as a polynomial in n."""
    found = np.polynomial.Polynomial([1.0])
    for i in range(j):
        found = found * np.polynomial.Polynomial([i, 1.0])
    return found


def _lacking(n: Any, log: Any, share: Any, i: int, j: int) -> Any:
    """The derivatives of 1 - (1 + ρw)^-n, of order i by n and j by ρ; ``log`` is log(1 + ρw), ``share`` w/(1 + ρw)."""
    power = np.exp(-n * log)
    if j == 0:
        return -np.expm1(-n * log) if i == 0 else -((-log) ** i) * power
    total = sum(math.comb(i, m) * _rising(j).deriv(m)(n) * (-log) ** (i - m) for m in range(i + 1))
    return -((-share) ** j) * total * power


def _nbinom(n: Any, rho: Any, i: int, j: int) -> np.ndarray:
    """Derivatives, i by n and j by ρ, of ∫ (1 - (1 + ρw)^-n) (exp(-nt) - exp(-t))/(w t) dt, w = 1 - exp(-t)."""
    given = (n, rho)
    n, rho = spread(n, rho)

    def f(t: Any, n: Any, rho: Any) -> Any:
        w = -np.expm1(-t)
        log, share = np.log1p(rho * w), w / (1 + rho * w)
        apart = np.exp(-min(n, 1.0) * t) * np.expm1(-abs(n - 1) * t)
        found = _lacking(n, log, share, i, j) * (apart if n >= 1 else -apart)
        for k in range(1, i + 1):
            found = found + math.comb(i, k) * _lacking(n, log, share, i - k, j) * (-t) ** k * np.exp(-n * t)
        return found / (w * t)

    out = np.full(n.shape, np.nan)
    inside = (n > 0) & (n <= LARGEST) & (rho >= 0) & (rho < np.inf)
    with np.errstate(all="ignore"):
        low = math.log(NEGLIGIBLE) - np.log(np.maximum(n * np.maximum(rho, 1.0), 1.0))
        high = math.log(50.0) - np.log(np.minimum(n, 1.0))
        out[inside] = _over_logs(f, low[inside], high[inside], n[inside], rho[inside])
    return rounded(out, *given)


# ------------------------------------------------------------------------------------------------ skew normal

_T = np.arange(-50, 51) / 4
"""Equal steps over the normal density, of which nothing is left beyond; the nearest zeros of Φ are 2.8 away."""
_DENSITY = np.exp(-_T * _T / 2) / (4 * math.sqrt(2 * math.pi))
_ANGLES, _SHARES = np.polynomial.legendre.leggauss(64)


def _hazard(x: Any) -> Any:
    return math.sqrt(2 / math.pi) / special.erfcx(-x * math.sqrt(0.5))


def _hazard_mean(r: Any, n: int) -> np.ndarray:
    """The mean of the n-th derivative of m = φ/Φ at rT, for normal T: m' = -m (x + m), so it is a polynomial."""
    given = (r,)
    (r,) = spread(r)
    terms = {(0, 1): 1}  # by powers of x and m
    for _ in range(n):
        found: dict[tuple[int, int], int] = {}
        for (p, q), c in terms.items():
            for key, factor in (((p - 1, q), p), ((p + 1, q), -q), ((p, q + 1), -q)):
                found[key] = found.get(key, 0) + c * factor
        terms = {key: c for key, c in found.items() if c}
    out = np.empty(r.shape)
    for k in range(0, r.size, INTEGRALS):
        x = r[k : k + INTEGRALS, None] * _T
        m = _hazard(x)
        out[k : k + INTEGRALS] = (sum(c * x**p * m**q for (p, q), c in terms.items()) * _DENSITY).sum(-1)
    return rounded(np.where(np.abs(r) <= 1, out, np.nan), *given)


def _skew_entropy(a: Any) -> np.ndarray:
    """The normal's entropy less √(2/π) ∫ sin(u) E m(sin(u) T) du from 0 to atan(a)."""
    given = (a,)
    (a,) = spread(a)
    with np.errstate(invalid="ignore"):
        half = np.arctan(np.abs(a)) / 2
    at = np.sin(half[:, None] * (1 + _ANGLES))
    lost = half * (at * _hazard_mean(at, 0) * _SHARES).sum(-1)
    return rounded(0.5 * math.log(2 * math.pi * math.e) - math.sqrt(2 / math.pi) * lost, *given)


# fmt: off
poisson_entropy: Any = elementwise("poisson_entropy", lambda mu, n: _poisson(mu, n), lambda mu, n: poisson_entropy(mu, n + 1), domain="positive", sample=(0,), means="option", real_only=True, explained=True, doc="the n-th derivative by mu of the entropy of the Poisson distribution")
nbinom_terms: Any = elementwise("nbinom_terms", lambda n, rho, i, j: _nbinom(n, rho, i, j), lambda n, rho, i, j: nbinom_terms(n, rho, i + 1, j), lambda n, rho, i, j: nbinom_terms(n, rho, i, j + 1), domain="positive", sample=(0, 0), means="option option", real_only=True, explained=True, doc="the derivative, of order i by n and j by rho, of the mean of log(Γ(k + 1)Γ(n)/Γ(n + k)) for k of the negative binomial distribution with p = 1/(1 + rho)")
hazard_mean: Any = elementwise("hazard_mean", lambda r, n: _hazard_mean(r, n), lambda r, n: r * hazard_mean(r, n + 2), domain="unit", sample=(0,), means="option", real_only=True, explained=True, doc="the mean of the n-th derivative of φ/Φ at rT, for a standard normal T")
skew_normal_entropy: Any = elementwise("skew_normal_entropy", lambda a: _skew_entropy(a), lambda a: a * (1 + a * a)**-1.5 * hazard_mean(a / np.sqrt(1 + a * a), 0) * -math.sqrt(2 / math.pi), real_only=True, even=True, finite=True, explained=True, doc="the entropy of the skew normal distribution of shape a")
# fmt: on
