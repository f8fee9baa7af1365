"""Derivatives of any order of the scaled Bessel functions exp(-|x|) I and exp(x) K by x, without cancellation.

The idea to hold: the n-th derivative is 2^-n times the 2n-th difference of neighbouring orders, of K times (-1)^n.
Where neighbours are nearly equal it is another sum. Far out the asymptotic series, each term differentiated (DLMF
10.40), before that of I Kummer's series, whose terms are positive (13.6.9), and of K the integral of
(cosh t - 1)^n cosh(vt) exp(-x (cosh t - 1)) by the trapezoidal rule (10.32.9).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._lazy import special
from ._incomplete import rounded, spread

FAR = 25.0
"""From here on the asymptotic series of small orders is exact to rounding; of large ones where v²/8 is less."""
CALM = 500.0
"""Up to here the first difference of orders 0 and 1 keeps 12 digits: it is 1/(2x) of them."""
LARGEST = 50.0
"""The order from which on neighbours differ until the series is exact, but by two to six digits."""
STEP, NODES = 0.12, 55
"""Of the trapezoidal rule up to `FAR`: its error is exp(-π²/STEP) exp(FAR)."""


def short(general: str, x: Any, order: Any) -> Any:
    """A function of an order and of real x: the numbers 0 and 1 have functions of their own in SciPy.

    They are five to forty times as quick, and have values where the general one has none: `ive` of 1e15.
    """
    if (type(order) is int or np.ndim(order) == 0) and order in (0, 1):
        return getattr(special, general.replace("v", str(int(order))))(x)
    return getattr(special, general)(order, x)


def slope(name: str, x: Any, v: Any, y: Any) -> Any:
    """The first derivative, where the value ``y`` is known; of orders 0 and 1 far out, too, as long as digits last."""
    small = np.ndim(v) == 0 and v in (0, 1)
    if not (small or type(v) is int) or (np.abs(x) > (CALM if small else FAR)).any():
        return _summed(name, x, v, 1)
    if small:
        mean = short(name, x, 1 - v)
        if v:
            over = np.where(x == 0, 0.5, y / np.where(x == 0, 1, x))
            mean = mean - over if name == "ive" else mean + over
    else:
        mean = (short(name, x, v - 1) + short(name, x, v + 1)) / 2
    return mean - np.sign(x) * y if name == "ive" else np.minimum(y, 1e308) - mean  # -inf at 0


def derivative(name: str, x: Any, v: Any, n: int) -> Any:
    """The n-th derivative of ``ive(v, x)`` or ``kve(v, x)`` by x; at 0 half of both sides."""
    if n == 1 and np.ndim(v) == 0 and v % 1 == 0:
        return slope(name, x, v, short(name, x, v))
    return _summed(name, x, v, n)


def _summed(name: str, x: Any, v: Any, n: int) -> np.ndarray:
    given = (x, v)
    x, v = spread(x, v)
    whole, size = v % 1 == 0, np.abs(x)
    v = np.where(whole | (name == "kve"), np.abs(v), v)
    with np.errstate(all="ignore"):
        far = size >= np.maximum(FAR, v * v / 8)
        other = ~far & (v >= 0) & (v <= LARGEST)
        other &= (size > 2) & (n > 2) if name == "kve" else (n > 2) | ~whole
        out = np.empty_like(x)
        for at, way in ((far, _series), (other, _kummer if name == "ive" else _integral), (~far & ~other, _neighbours)):
            if at.all():
                out = way(name, size, v, n)
                break
            if at.any():
                out[at] = way(name, size[at], v[at], n)
        if name == "ive":
            odd = (v + n) % 2 == 1
            out = np.where(x < 0, np.where(whole, np.where(odd, -out, out), np.nan), out)
            out[whole & odd & (x == 0)] = 0.0
        else:
            out[x < 0] = np.nan
    return rounded(out, *given)


def _neighbours(name: str, x: np.ndarray, v: np.ndarray, n: int) -> np.ndarray:
    one, values, found = bool((v == v[0]).all()), {}, np.zeros_like(x)
    for i in range(2 * n + 1):
        order = (v[0] if one else v) - n + i
        order = np.where((order % 1 == 0) | (name == "kve"), np.abs(order), order)
        key = order.item() if one else i
        if key not in values:
            values[key] = short(name, x, key if one else order)
        found += (-1) ** i * math.comb(2 * n, i) / 2**n * values[key]
    if name == "ive":
        return found
    return (-1) ** n * np.where(np.isinf(values[key]), np.inf, found)  # where several are infinite the largest is


def _series(name: str, x: np.ndarray, v: np.ndarray, n: int) -> np.ndarray:
    side = -1 if name == "ive" else 1
    term = np.ones_like(x)
    found = term
    for k in range(60):
        term = term * (side * (4 * v * v - (2 * k + 1) ** 2) * (k + 0.5 + n) / (8 * (k + 1) * (k + 0.5))) / x
        found = found + term
        if (np.abs(term) <= 1e-17 * np.abs(found)).all():
            break
    scale = math.sqrt(math.pi / 2) if side > 0 else 1 / math.sqrt(2 * math.pi)
    return scale * (-1) ** n * special.poch(0.5, n) * found * x ** (-0.5 - n)


def _kummer(name: str, x: np.ndarray, v: np.ndarray, n: int) -> np.ndarray:
    found = np.zeros_like(x)
    for j in range(n + 1):  # of (x/2)^v / Γ(v + 1) the j-th derivative, of the rest the others
        fall = math.comb(n, j) * np.prod([v - i for i in range(j)], axis=0)
        if not np.any(fall):
            break
        m = n - j
        rest = (-2.0) ** m * special.poch(v + 0.5, m) / special.poch(2 * v + 1, m)
        part = fall * rest * x ** (v - j) * special.hyp1f1(v + 0.5, 2 * v + 1 + m, 2 * x)
        found += np.where(fall == 0, 0.0, part)
    return found * np.exp(-2 * x) * 0.5**v * special.rgamma(v + 1)


def _integral(name: str, x: np.ndarray, v: np.ndarray, n: int) -> np.ndarray:
    step = np.minimum(STEP, 0.6 / np.sqrt(x))
    found = np.zeros_like(x)  # at t = 0 it is 0
    for k in range(1, NODES):
        rise = 2 * np.sinh(k * step / 2) ** 2
        found += rise**n * np.cosh(v * k * step) * np.exp(-x * rise)
    return (-1) ** n * step * found
