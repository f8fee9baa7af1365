"""Elliptic integrals: Legendre's, complete and incomplete, and Carlson's, with derivatives of every order.

The idea to hold: each of them is ∫ t^s (t + x)^-p (t + y)^-q (t + z)^-r dt from 0 to infinity, and so is each of their
derivatives: one exponent is one more. The integrand is positive, nothing cancels; the trapezoidal rule in log t is
exact to rounding, for it converges as exp(-2π²/step). Formulas show the slopes as books write them, in E and K.

Source: NIST Digital Library of Mathematical Functions, chapter 19 (19.4, 19.16, 19.25).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._limits import INTEGRALS
from ...core import elementwise
from .._lazy import special
from ._incomplete import rounded, spread
from ._named import SCIPY_NAMES, parameter, special_row

# ruff: noqa: E501  (a row is a line)

STEP = 0.45
"""Of the trapezoidal rule in log t: its error is exp(-2π²/STEP), 1e-19."""
TAIL = 43.0
"""How far the integrand is followed below and above all of x, y, z, over its exponent there: e^-43 is 2e-19."""


def _integral(x: Any, y: Any, z: Any, s: float, p: float, q: float, r: float) -> np.ndarray:
    """∫ t^s (t + x)^-p (t + y)^-q (t + z)^-r dt from 0 to infinity; NaN where a number is negative, infinite where it
    has no end at 0."""
    given = (x, y, z)
    x, y, z = spread(x, y, z)
    out = np.empty(x.shape)
    for k in range(0, x.size, INTEGRALS):
        part = slice(k, k + INTEGRALS)
        out[part] = _piece(x[part], y[part], z[part], s, p, q, r)
    pole = (y < 0) & (x >= 0) & np.isfinite(x - y) & ((x > 0) | (s + 1 > p))
    if r == 0 and q % 1 == 0 and pole.any():
        out[pole] = _principal(x[pole], y[pole], s, p, q)
    return rounded(out, *given)


def _piece(x: np.ndarray, y: np.ndarray, z: np.ndarray, s: float, p: float, q: float, r: float) -> np.ndarray:
    rows = [np.where(e == 0, 1.0, v) for v, e in ((x, p), (y, q), (z, r))]  # what does not count must not matter
    places, powers = np.array(rows), np.array([p, q, r])
    top, low = places.max(0), np.where(places > 0, places, np.inf).min(0)
    valid = (places >= 0).all(0) & np.isfinite(top) & (top > 0)
    below = s + 1 - (powers[:, None] * (places == 0)).sum(0)  # the integrand is t^below/t near 0
    above = p + q + r - s - 1
    endless = valid & (below <= 0)
    valid &= (below > 0) & (np.log(np.where(valid, top, 1)) - np.log(np.where(valid, low, 1)) < 710)
    top, low, below = (np.where(valid, v, 1.0) for v in (top, low, below))
    scaled = np.where(valid, places / top, 1.0)
    first, last = np.log(low) - np.log(top) - TAIL / below, TAIL / above
    count = int(np.max((last - first) / STEP, initial=0.0)) + 2
    log_t = first[:, None] + STEP * np.arange(count)
    total = (s + 1) * log_t
    t = np.exp(log_t)
    with np.errstate(all="ignore"):
        for v, e in zip(scaled, powers, strict=True):
            if e:
                logs = np.log(t + v[:, None])
                if not v.all():
                    logs[v == 0] = log_t[v == 0]  # also of a t that is too small for a number
                total -= e * logs
        most = total.max(1)
        found = np.exp(np.log(STEP * np.exp(total - most[:, None]).sum(1)) + most - above * np.log(top))
    return np.where(valid, found, np.where(endless, np.inf, np.nan))


def _principal(x: np.ndarray, y: np.ndarray, s: float, p: float, q: float) -> np.ndarray:
    """The principal value across the pole at t = -y > 0: the real part of the integral along t = iu, u > 0."""
    below, above = s + 1 - p * (x == 0), p + q - s - 1
    low, high = np.where(x > 0, np.minimum(x, -y), -y), np.maximum(x, -y)
    first, last = np.log(low) - TAIL / below, np.log(high) + TAIL / above
    step = STEP / 2  # the poles are half as far from the path
    log_u = first[:, None] + step * np.arange(int(np.max((last - first) / step)) + 2)
    t = 1j * np.exp(log_u)
    with np.errstate(all="ignore"):
        found = t ** (s + 1) * (t + x[:, None]) ** -p * (t + y[:, None]) ** -q
    return step * found.sum(1).real


# fmt: off
_NOT_NEGATIVE = dict(domain="positive", real_only=True)
carlson: Any = elementwise("carlson", lambda a, b, c, n, alpha, beta, gamma: _integral(a, b, c, n, alpha, beta, gamma), lambda a, b, c, n, alpha, beta, gamma: -alpha * carlson(a, b, c, n, alpha + 1, beta, gamma), lambda a, b, c, n, alpha, beta, gamma: -beta * carlson(a, b, c, n, alpha, beta + 1, gamma), lambda a, b, c, n, alpha, beta, gamma: -gamma * carlson(a, b, c, n, alpha, beta, gamma + 1), **_NOT_NEGATIVE, sample=(0, 0.5, 0.5, 1.5), explained=True, doc="the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity")
elliprf: Any = special_row("elliprf", "a b c", lambda a, b, c: carlson(a, b, c, 0, 1.5, 0.5, 0.5) / -4, lambda a, b, c: carlson(a, b, c, 0, 0.5, 1.5, 0.5) / -4, lambda a, b, c: carlson(a, b, c, 0, 0.5, 0.5, 1.5) / -4, **_NOT_NEGATIVE, letter="R_F", doc="Carlson's elliptic integral of the first kind")
elliprd: Any = special_row("elliprd", "a b c", lambda a, b, c: carlson(a, b, c, 0, 1.5, 0.5, 1.5) * -0.75, lambda a, b, c: carlson(a, b, c, 0, 0.5, 1.5, 1.5) * -0.75, lambda a, b, c: carlson(a, b, c, 0, 0.5, 0.5, 2.5) * -2.25, **_NOT_NEGATIVE, letter="R_D", doc="Carlson's elliptic integral of the second kind")
elliprg: Any = special_row("elliprg", "a b c", lambda a, b, c: carlson(a, b, c, 1, 1.5, 0.5, 0.5) / 8, lambda a, b, c: carlson(a, b, c, 1, 0.5, 1.5, 0.5) / 8, lambda a, b, c: carlson(a, b, c, 1, 0.5, 0.5, 1.5) / 8, **_NOT_NEGATIVE, letter="R_G", doc="Carlson's symmetric elliptic integral of the second kind")
elliprc: Any = special_row("elliprc", "a b", lambda a, b: carlson(a, b, 1.0, 0, 1.5, 1, 0) / -4, lambda a, b: carlson(a, b, 1.0, 0, 0.5, 2, 0) / -2, **_NOT_NEGATIVE, letter="R_C", doc="Carlson's degenerate elliptic integral")
# fmt: on

# Legendre's: ∫ sin^2n (1 - m sin²)^-q from 0 to phi, in Carlson's variables; the derivative by m is q times the next


def _moment(phi: Any, m: Any, n: int, q: float) -> np.ndarray:
    """∫ sin(u)^2n (1 - m sin(u)²)^-q du from 0 to phi; NaN where m sin² reaches 1 on the way."""
    given = (phi, m)
    phi, m = spread(phi, m)
    turns = np.rint(phi / math.pi)
    rest = phi - turns * math.pi
    s, c = np.sin(rest), np.where(np.abs(rest) == math.pi / 2, 0.0, np.cos(rest))  # a quarter is meant to be one
    delta = (1 - m) + m * (c * c)
    out = s ** (2 * n + 1) / 2 * _integral(c * c, 1.0, delta, 0, 0.5, 1 + n - q, q)
    out[s == 0] = 0.0
    far = turns != 0
    out[far] += turns[far] * _integral(0.0, 1.0, (1 - m)[far], 0, 0.5, 1 + n - q, q)
    whole = np.abs(rest) < math.pi / 2
    out[(delta < 0) | (far & (m >= 1)) | (~whole & (m > 1))] = np.nan
    return rounded(out, *given)


# fmt: off
ellipk: Any = special_row("ellipk", "m", lambda m: ellipk_slope(m), domain="unit", letter="K", sympy="elliptic_k(m)", doc="the complete elliptic integral of the first kind")
ellipe: Any = special_row("ellipe", "m", lambda m: ellipe_slope(m), domain="unit", letter="E", sympy="elliptic_e(m)", doc="the complete elliptic integral of the second kind")
ellipkm1: Any = special_row("ellipkm1", "p", lambda p: carlson(0.0, 1.0, p, 0, 0.5, 0.5, 1.5) / -4, domain="positive", doc="ellipk(1 - p), exact where p is small")
ellipkinc: Any = special_row("ellipkinc", "phi m", lambda phi, m: 1 / np.sqrt(1 - m * np.sin(phi)**2), lambda phi, m: ellipkinc_slope(phi, m), domain="unit", letter="F", doc="the incomplete elliptic integral of the first kind")
ellipeinc: Any = special_row("ellipeinc", "phi m", lambda phi, m: np.sqrt(1 - m * np.sin(phi)**2), lambda phi, m: ellipeinc_slope(phi, m), domain="unit", letter="E", doc="the incomplete elliptic integral of the second kind")
elliptic_moment: Any = elementwise("elliptic_moment", lambda phi, m, n, q: _moment(phi, m, n, q), lambda phi, m, n, q: np.sin(phi)**(2 * n) * (1 - m * np.sin(phi)**2)**-q, lambda phi, m, n, q: q * elliptic_moment(phi, m, n + 1, q + 1), domain="unit", sample=(1, 1.5), real_only=True, explained=True, doc="the integral of sin(u)**(2 n) (1 - m sin(u)**2)**-q from 0 to phi")
ellipk_slope: Any = elementwise("ellipk_slope", lambda m: _moment(math.pi / 2, m, 1, 1.5) / 2, lambda m: elliptic_moment(math.pi / 2, m, 2, 2.5) * 0.75, domain="unit", real_only=True, text="((E(<0>) − (1 − <0>) ⊙ K(<0>))/(2<0> ⊙ (1 − <0>)))", latex=r"\frac{E(<0>) - (1 - <0>) \odot K(<0>)}{2 <0> \odot (1 - <0>)}", doc="the derivative of the complete elliptic integral of the first kind")
ellipe_slope: Any = elementwise("ellipe_slope", lambda m: _moment(math.pi / 2, m, 1, 0.5) / -2, lambda m: elliptic_moment(math.pi / 2, m, 2, 1.5) / -4, domain="unit", real_only=True, text="((E(<0>) − K(<0>))/(2<0>))", latex=r"\frac{E(<0>) - K(<0>)}{2 <0>}", doc="the derivative of the complete elliptic integral of the second kind")
ellipkinc_slope: Any = elementwise("ellipkinc_slope", lambda phi, m: _moment(phi, m, 1, 1.5) / 2, lambda phi, m: np.sin(phi)**2 * (1 - m * np.sin(phi)**2)**-1.5 / 2, lambda phi, m: elliptic_moment(phi, m, 2, 2.5) * 0.75, domain="unit", real_only=True, text="(E(<0>, <1>)/(2<1> ⊙ (1 − <1>)) − F(<0>, <1>)/(2<1>) − sin(2<0>)/(4(1 − <1>) ⊙ √(1 − <1> ⊙ sin(<0>)²)))", latex=r"\frac{E(<0>, <1>)}{2 <1> \odot (1 - <1>)} - \frac{F(<0>, <1>)}{2 <1>} - \frac{\sin(2 <0>)}{4 (1 - <1>) \odot \sqrt{1 - <1> \odot \sin(<0>)^{2}}}", doc="the derivative of the incomplete elliptic integral of the first kind by m")
ellipeinc_slope: Any = elementwise("ellipeinc_slope", lambda phi, m: _moment(phi, m, 1, 0.5) / -2, lambda phi, m: np.sin(phi)**2 / np.sqrt(1 - m * np.sin(phi)**2) / -2, lambda phi, m: elliptic_moment(phi, m, 2, 1.5) / -4, domain="unit", real_only=True, text="((E(<0>, <1>) − F(<0>, <1>))/(2<1>))", latex=r"\frac{E(<0>, <1>) - F(<0>, <1>)}{2 <1>}", doc="the derivative of the incomplete elliptic integral of the second kind by m")
# fmt: on

# Jacobi's functions: the sine and cosine of the amplitude at which `ellipkinc` is u
_JACOBI = dict(sample=(0.3,), real_only=True)


def _jacobi(k: int) -> Any:
    return lambda u, m: special.ellipj(u, m)[k]


# fmt: off
jacobi_sn: Any = elementwise("jacobi_sn", lambda u, m: _jacobi(0)(u, m), lambda u, m: jacobi_cn(u, m) * jacobi_dn(u, m), **_JACOBI, odd=True, finite=True, scipy="ellipj({0}, {m})[0]", text="sn(<0>, <1>)", latex=r"\operatorname{sn}(<0>, <1>)", doc="Jacobi's elliptic sine")
jacobi_cn: Any = elementwise("jacobi_cn", lambda u, m: _jacobi(1)(u, m), lambda u, m: -jacobi_sn(u, m) * jacobi_dn(u, m), **_JACOBI, even=True, finite=True, scipy="ellipj({0}, {m})[1]", text="cn(<0>, <1>)", latex=r"\operatorname{cn}(<0>, <1>)", doc="Jacobi's elliptic cosine")
jacobi_dn: Any = elementwise("jacobi_dn", lambda u, m: _jacobi(2)(u, m), lambda u, m: -m * jacobi_sn(u, m) * jacobi_cn(u, m), **_JACOBI, even=True, finite=True, scipy="ellipj({0}, {m})[2]", text="dn(<0>, <1>)", latex=r"\operatorname{dn}(<0>, <1>)", doc="Jacobi's delta amplitude")
jacobi_am: Any = elementwise("jacobi_am", lambda u, m: _jacobi(3)(u, m), lambda u, m: jacobi_dn(u, m), **_JACOBI, odd=True, finite=True, scipy="ellipj({0}, {m})[3]", text="am(<0>, <1>)", latex=r"\operatorname{am}(<0>, <1>)", doc="Jacobi's amplitude")
# fmt: on


def _ellipj(u: Any, m: Any) -> tuple[Any, ...]:
    """Return Jacobi's elliptic functions sn, cn and dn, and the amplitude, at ``u``; the parameter m has no derivative.

    Parameters
    ----------
    u : tensor, array or number
        The operand.
    m : number or array
        The parameter. It has no derivative: one that is asked for raises.
    """
    m, u = parameter(m, u, "the parameter m of ellipj")
    return tuple(row(u, m) for row in (jacobi_sn, jacobi_cn, jacobi_dn, jacobi_am))


_ellipj.__name__ = _ellipj.__qualname__ = "ellipj"
SCIPY_NAMES["ellipj"] = _ellipj
