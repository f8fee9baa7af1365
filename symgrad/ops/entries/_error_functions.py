"""Relatives of the error function, integrals of exponentials and sines, the powers of Box and Cox, Lambert's W.

The idea to hold: where a slope as a book writes it would lose digits (1 - 2x D(x) for large x), it is a row of its own,
which is computed another way and printed as the book has it.

Source: NIST Digital Library of Mathematical Functions, chapters 4, 6, 7 and 25.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core import Tensor, elementwise, table
from .._lazy import special
from . import _elementwise as e
from ._bessel import spherical_i, spherical_in, spherical_j
from ._named import SCIPY_NAMES, defined, of_order, parameter, special_row

# ruff: noqa: E501  (a row is a line)
# fmt: off

# ----------------------------------------------------------------------------------------------------- erf


def _dawson(x: Any, n: int) -> Any:
    """The n-th derivative of Dawson's integral: by its recurrence, far out by its asymptotic series."""
    near, far = np.where(np.abs(x) < 7, x, 0.0), np.where(np.abs(x) < 7, np.inf, x)
    before, found = special.dawsn(near), 1 - 2 * near * special.dawsn(near)
    for k in range(1, n):
        before, found = found, -2 * near * found - 2 * k * before
    out: Any = np.zeros_like(far)  # the sum of (2k - 1)!! / 2**(k + 1) / x**(2k + 1), each term differentiated n times
    term = (-1) ** n * math.factorial(n) * 0.5 / far ** (n + 1)
    for k in range(1, 30):
        out = out + term
        term = term * ((2 * k - 1) * (2 * k + n - 1) * (2 * k + n) / (4 * k * (2 * k - 1))) / (far * far)
    return np.where(np.abs(x) < 7, found, out).astype(getattr(x, "dtype", float), copy=False)


def _erfcx(x: Any, n: int) -> Any:
    """The n-th derivative of erfcx, 2/√π ∫ (-2t)^n exp(-t² - 2xt) dt: by its recurrence, far out by its series."""
    near, far = np.where(x < 6, x, 0.0), np.where(x < 6, np.inf, x)
    before, found = special.erfcx(near), 2 * near * special.erfcx(near) - e.TWO_OVER_SQRT_PI
    for k in range(1, n):
        before, found = found, 2 * near * found + 2 * k * before
    out: Any = np.zeros_like(far)
    term = (-1) ** n * e.TWO_OVER_SQRT_PI * math.factorial(n) / 2 / far ** (n + 1)
    for k in range(1, 36):
        out = out + term
        term = term * (-(n + 2 * k - 1) * (n + 2 * k) / (4 * k)) / (far * far)
    return np.where(x < 6, found, out).astype(getattr(x, "dtype", float), copy=False)


def _as_narrow(found: Any, x: Any) -> Any:
    """Complex numbers as narrow as the real ones that they are of."""
    dtype = getattr(x, "dtype", None)
    return found if dtype is None or dtype.kind not in "fc" else found.astype(np.result_type(dtype, np.complex64), copy=False)


def _wofz_slope(x: Any) -> Any:
    """2i/√π - 2x w(x), which cancels for large x in the upper half of the plane: there, by the asymptotic series."""
    z = np.asarray(x, np.result_type(x, np.complex64))
    far = (np.abs(z) > 8) & (z.imag >= 0)
    at = np.where(far, z, 100.0)
    out, term = np.zeros_like(z), -1j / math.sqrt(math.pi) / (at * at)
    for k in range(1, 30):
        out = out + term
        term = term * ((2 * k + 1) / 2) / (at * at)
    return np.where(far, out, 2j / math.sqrt(math.pi) - 2 * z * special.wofz(z)).astype(z.dtype, copy=False)


erfi: Any = special_row("erfi", "x", lambda x: e.TWO_OVER_SQRT_PI * np.exp(x * x), sympy="erfi(x)", odd=True, real_only=False, doc="the imaginary error function, -i erf(i x)")
erfcx: Any = special_row("erfcx", "x", lambda x: erfcx_slope(x), sympy="exp(x**2)*erfc(x)", doc="exp(x**2) * erfc(x), without underflow")
erfcx_slope: Any = elementwise("erfcx_slope", lambda x: _erfcx(x, 1), lambda x: erfcx_order(x, 2), real_only=True, text="(2<0> ⊙ erfcx(<0>) − 2/√π)", latex=r"2 <0> \odot \operatorname{erfcx}(<0>) - \frac{2}{\sqrt{\pi}}", doc="the derivative of erfcx")
erfcx_order: Any = elementwise("erfcx_order", lambda x, n: _erfcx(x, n), lambda x, n: erfcx_order(x, n + 1), sample=(2,), real_only=True, letter="erfcx^", doc="the n-th derivative of erfcx")
erfcinv: Any = special_row("erfcinv", "p", lambda y: -e.HALF_SQRT_PI * np.exp(y * y), domain="probability", sympy="erfinv(1 - p)", doc="the inverse of erfc")
dawsn: Any = special_row("dawsn", "x", lambda x: dawsn_slope(x), sympy="sqrt(pi)/2*exp(-x**2)*erfi(x)", odd=True, finite=True, letter="D", doc="Dawson's integral, exp(-x**2) times that of exp(t**2) from 0 to x")
dawsn_slope: Any = elementwise("dawsn_slope", lambda x: _dawson(x, 1), lambda x: dawsn_order(x, 2), real_only=True, even=True, text="(1 − 2<0> ⊙ D(<0>))", latex=r"1 - 2 <0> \odot D(<0>)", doc="the derivative of Dawson's integral")
dawsn_order: Any = elementwise("dawsn_order", lambda x, n: _dawson(x, n), lambda x, n: dawsn_order(x, n + 1), sample=(2,), real_only=True, letter="D^", doc="the n-th derivative of Dawson's integral")
ndtri_exp: Any = special_row("ndtri_exp", "x", lambda y: 1 / e.normal_hazard(y), domain="negative", doc="the inverse of log_ndtr: the quantile of the normal distribution at exp(x)")
owens_t: Any = special_row("owens_t", "h a", lambda h, a: -e.erf(a * h / math.sqrt(2)) * e.normal_pdf(h) / 2, lambda h, a: np.exp(-0.5 * (h * h) * (1 + a * a)) / (2 * math.pi * (1 + a * a)), letter="T", doc="Owen's T function")

# ------------------------------------------------------------------------------- integrals of exponentials and sines


def _expn(x: Any, n: Any) -> Any:
    """E_n, also of orders below 0, where it is Γ(1 - n, x) x**(n - 1)."""
    below = np.maximum(1 - n, 1)
    lower = special.gammaincc(below, x) * special.gamma(below) * np.power(x, -1.0 * below)
    return np.where(np.less_equal(n, 0), lower, special.expn(np.maximum(n, 0), x))


exp1: Any = special_row("exp1", "x", lambda x, y: defined(-np.exp(-x) / x, y), domain="positive", letter="E₁", sympy="expint(1, x)", real_only=False, doc="the exponential integral, that of exp(-t)/t from x to infinity")
expi: Any = special_row("expi", "x", lambda x: np.exp(x) / x, domain="nonzero", letter="Ei", sympy="Ei(x)", real_only=False, doc="the exponential integral, that of exp(t)/t from -infinity to x")
expn: Any = elementwise("expn", _expn, lambda x, n: -expn(x, n - 1), domain="positive", sample=(2,), real_only=True, letter="E_", sympy="expint(n, x)", scipy="expn({n}, {0})", doc="the exponential integral, that of exp(-x t)/t**n from 1 to infinity")
of_order("expn", lambda x, n: _whole_orders(x, n), "order", whole=True, doc="Return the exponential integral of order ``n``: the order has no derivative.")
sin_over: Any = elementwise("sin_over", lambda x: np.sinc(x / math.pi), lambda x: -spherical_j(x, 1), even=True, finite=True, sympy="sin(x)/x", text="(sin(<0>)/<0>)", latex=r"\frac{\sin(<0>)}{<0>}", doc="sin(x) / x, 1 at 0")
sinh_over: Any = elementwise("sinh_over", lambda x: spherical_in(0, x), lambda x: spherical_i(x, 1), domain="nonzero", even=True, sympy="sinh(x)/x", text="(sinh(<0>)/<0>)", latex=r"\frac{\sinh(<0>)}{<0>}", doc="sinh(x) / x, 1 at 0")
sine_integral: Any = elementwise("sine_integral", lambda x: special.sici(x)[0], "sin_over", odd=True, finite=True, letter="Si", scipy="sici({0})[0]", sympy="Si(x)", doc="the sine integral")
cosine_integral: Any = elementwise("cosine_integral", lambda x: special.sici(x)[1], lambda x: np.cos(x) / x, domain="positive", letter="Ci", scipy="sici({0})[1]", sympy="Ci(x)", doc="the cosine integral")
sinh_integral: Any = elementwise("sinh_integral", lambda x: special.shichi(x)[0], "sinh_over", odd=True, letter="Shi", scipy="shichi({0})[0]", sympy="Shi(x)", doc="the hyperbolic sine integral")
cosh_integral: Any = elementwise("cosh_integral", lambda x: special.shichi(x)[1], lambda x: np.cosh(x) / x, domain="positive", letter="Chi", scipy="shichi({0})[1]", sympy="Chi(x)", doc="the hyperbolic cosine integral")
fresnel_s: Any = elementwise("fresnel_s", lambda x: special.fresnel(x)[0], lambda x: np.sin(math.pi / 2 * (x * x)), odd=True, letter="S", scipy="fresnel({0})[0]", sympy="fresnels(x)", doc="Fresnel's integral of the sine, of pi t**2 / 2")
fresnel_c: Any = elementwise("fresnel_c", lambda x: special.fresnel(x)[1], lambda x: np.cos(math.pi / 2 * (x * x)), odd=True, letter="C", scipy="fresnel({0})[1]", sympy="fresnelc(x)", doc="Fresnel's integral of the cosine, of pi t**2 / 2")

# --------------------------------------------------------------------------- exponentials and logarithms over x


def _pseudo_huber(d: Any, r: Any) -> Any:
    found = d * (r * (r / np.where(d == 0, 1, np.hypot(d, r) + d)))  # without cancellation or overflow
    return np.where(d < 0, np.inf, np.where((d == 0) | (r == 0), 0, found)).astype(found.dtype, copy=False)


def _huber_slope(a: Any, b: Any) -> Any:
    """The slope of the pseudo-Huber loss by its scale, b⁴/(h(h + a)²) with h = hypot(a, b)."""
    size = e.hypot(a, b)
    share = b / (size + a)
    return share * b * (share * (b / size))


def _huber_root(a: Any, b: Any) -> Any:
    """Its slope by the residual, ab/h, in forms that keep their digits when they are differentiated: by b where that is
    large, by a where it is small, and at a = 0."""
    far = np.abs(b) > a
    less, more = e.where(far & (a != 0), a, 1.0), e.where(far, 1.0, a)
    wide = e.where(a == 0, a * np.sign(b), less * over_root(b / less))
    return e.where(far, wide, b / e.hypot(1, b / more))


def _exprel(x: Any, n: int) -> Any:
    """∫ t^n exp(xt) dt from 0 to 1: below -1 an incomplete gamma function, else Kummer's, of terms of one sign."""
    left, right = np.maximum(-x, 1.0), np.clip(x, -1.0, 710.0)
    below = math.factorial(n) * special.gammainc(n + 1, left) / left ** (n + 1)
    above = special.hyp1f1(n + 1, n + 2, right) / (n + 1)
    found = np.where(x < -1, below, np.where(x > 710, np.inf, above))
    return np.where(np.isnan(x), np.nan, found).astype(getattr(x, "dtype", float), copy=False)


def _boxcox(log: Any, x: Any, k: Any, n: int) -> Any:
    """The n-th derivative of (exp(k log x) - 1)/k by k; where the power is 0, of -1/k."""
    with np.errstate(all="ignore"):
        u = log(x)
        found = u ** (n + 1) * _exprel(k * u, n)
        gone = np.true_divide((-1) ** (n + 1) * math.factorial(n), np.power(1.0 * k, n + 1))
    return np.where((u == -np.inf) & (k > 0), gone, found).astype(found.dtype, copy=False)


def _log1prel(x: Any, n: int, from_0: Any = None) -> Any:
    """The n-th derivative of log(1 + x)/x: near 0 a hypergeometric series, else by its recurrence, y = log(1 + x).

    ``from_0`` is 1 + x where that has more digits.
    """
    small = np.abs(x) < 0.4
    near, far = np.where(small, x, 0.0), np.where(small, 1.0, x)
    series = (-1) ** n * math.factorial(n) ** 2 / math.factorial(n + 1) * special.hyp2f1(n + 1, n + 1, n + 2, -near)
    above = 1 + far if from_0 is None else np.where(small, 2.0, from_0)
    found = (np.log1p(far) if from_0 is None else np.log(above)) / far
    for k in range(1, n + 1):
        found = ((-1) ** (k - 1) * math.factorial(k - 1) / above**k - k * found) / far
    return np.where(small, series, found).astype(getattr(x, "dtype", float), copy=False)


exprel: Any = special_row("exprel", "x", lambda x: exprel_order(x, 1), sympy="(exp(x) - 1)/x", domain="nonzero", sign=">=", doc="(exp(x) - 1) / x, 1 at 0")
exprel_order: Any = elementwise("exprel_order", _exprel, lambda x, n: exprel_order(x, n + 1), sample=(1,), real_only=True, explained=True, doc="the n-th derivative of (exp(x) - 1) / x: the integral of t**n exp(x t) from 0 to 1")
log1prel: Any = elementwise("log1prel", _log1prel, lambda x, n: log1prel(x, n + 1), sample=(0,), domain="positive", real_only=True, explained=True, doc="the n-th derivative of log(1 + x) / x")
log_over: Any = elementwise("log_over", lambda x, n: _log1prel(x - 1, n, x), lambda x, n: log_over(x, n + 1), sample=(0,), domain="positive", real_only=True, explained=True, doc="the n-th derivative of log(x) / (x - 1)")
spence: Any = special_row("spence", "x", lambda x: -log_over(x, 0), domain="positive", doc="Spence's function, the integral of log(t)/(1 - t) from 1 to x")
over_root: Any = elementwise("over_root", lambda x: np.where(np.isinf(x), np.sign(x), x / np.hypot(1, x)), lambda x: (1 + x * x)**-1.5, odd=True, finite=True, real_only=True, sympy="x/sqrt(1 + x**2)", text="(<0>/√(1 + <0>²))", latex=r"\frac{<0>}{\sqrt{1 + <0>^{2}}}", doc="x / sqrt(1 + x**2)")
pseudo_huber: Any = elementwise("pseudo_huber", lambda a, b: _pseudo_huber(a, b), lambda a, b, y: defined(_huber_slope(a, b), 0 * y), lambda a, b, y: defined(_huber_root(a, b), 0 * y), domain="positive", real_only=True, scipy="pseudo_huber({0}, {1})", doc="a**2 (sqrt(1 + (b/a)**2) - 1), infinite for negative a: the smooth loss of Huber")
boxcox: Any = special_row("boxcox", "x k", lambda x, k: x ** (k - 1), lambda x, k: boxcox_slope(x, k), domain=("positive", "nonzero"), sympy="(x**k - 1)/k", doc="(x**k - 1) / k, log(x) where k is 0: the power transformation of Box and Cox")
boxcox1p: Any = special_row("boxcox1p", "x k", lambda x, k: np.exp((k - 1) * np.log1p(x)), lambda x, k: boxcox1p_slope(x, k), domain=("positive", "nonzero"), sympy="((1 + x)**k - 1)/k", doc="boxcox(1 + x, k)")
boxcox_slope: Any = elementwise("boxcox_slope", lambda x, k: _boxcox(np.log, x, k, 1), lambda x, k: np.log(x) * x**(k - 1), lambda x, k: boxcox_order(x, k, 2), domain=("positive", "nonzero"), real_only=True, sympy="(1 + k*log(x)*x**k - x**k)/k**2", text="((1 + <1> ⊙ log(<0>) ⊙ <0>^<1> − <0>^<1>)/<1>²)", latex=r"\frac{1 + <1> \odot \log(<0>) \odot <0>^{<1>} - <0>^{<1>}}{<1>^{2}}", doc="the derivative of (x**k - 1) / k by k")
boxcox1p_slope: Any = elementwise("boxcox1p_slope", lambda x, k: _boxcox(np.log1p, x, k, 1), lambda x, k: np.log1p(x) * np.exp((k - 1) * np.log1p(x)), lambda x, k: boxcox1p_order(x, k, 2), domain=("positive", "nonzero"), real_only=True, sympy="(1 + k*log(1 + x)*(1 + x)**k - (1 + x)**k)/k**2", text="((1 + <1> ⊙ log1p(<0>) ⊙ (1 + <0>)^<1> − (1 + <0>)^<1>)/<1>²)", latex=r"\frac{1 + <1> \odot \log(1 + <0>) \odot (1 + <0>)^{<1>} - (1 + <0>)^{<1>}}{<1>^{2}}", doc="the derivative of boxcox1p(x, k) by k")
boxcox_order: Any = elementwise("boxcox_order", lambda x, k, n: _boxcox(np.log, x, k, n), lambda x, k, n: np.log(x)**n * x**(k - 1), lambda x, k, n: boxcox_order(x, k, n + 1), domain=("positive", "nonzero"), sample=(2,), real_only=True, letter="boxcox^", doc="the n-th derivative of (x**k - 1) / k by k")
boxcox1p_order: Any = elementwise("boxcox1p_order", lambda x, k, n: _boxcox(np.log1p, x, k, n), lambda x, k, n: np.log1p(x)**n * np.exp((k - 1) * np.log1p(x)), lambda x, k, n: boxcox1p_order(x, k, n + 1), domain=("positive", "nonzero"), sample=(2,), real_only=True, letter="boxcox1p^", doc="the n-th derivative of boxcox1p(x, k) by k")
inv_boxcox: Any = special_row("inv_boxcox", "x k", lambda x, k, y: y / (1 + k * x), lambda x, k, y: y * (x * x) * log1prel(k * x, 1), domain="positive", sympy="(1 + k*x)**(1/k)", doc="(1 + k x)**(1/k), exp(x) where k is 0: the inverse of boxcox")
inv_boxcox1p: Any = special_row("inv_boxcox1p", "x k", lambda x, k, y: (1 + y) / (1 + k * x), lambda x, k, y: (1 + y) * (x * x) * log1prel(k * x, 1), domain="positive", sympy="(1 + k*x)**(1/k) - 1", doc="inv_boxcox(x, k) - 1, the inverse of boxcox1p")
wrightomega: Any = special_row("wrightomega", "x", lambda y: y / (1 + y), finite=True, real_only=False, letter="ω", doc="Wright's omega function, the y with y + log(y) = x")
lambertw: Any = elementwise("lambertw", lambda x, k: _as_narrow(special.lambertw(x, k), x), lambda y: np.exp(-y) / (1 + y), domain="positive", sample=(0,), own_dtype=True, letter="W_", scipy="lambertw({0}, {k})", doc="Lambert's W function, the complex y with y exp(y) = x, on the branch k")
wofz: Any = elementwise("wofz", lambda x: _as_narrow(special.wofz(x), x), lambda x: wofz_slope(x), domain="complex", own_dtype=True, letter="w", scipy="wofz({0})", doc="the Faddeeva function, exp(-x**2) erfc(-i x)")
wofz_slope: Any = elementwise("wofz_slope", lambda x: _wofz_slope(x), lambda x: -2 * (wofz(x) + x * wofz_slope(x)), domain="complex", own_dtype=True, text="(2i/√π − 2<0> ⊙ w(<0>))", latex=r"\frac{2i}{\sqrt{\pi}} - 2 <0> \odot w(<0>)", doc="the derivative of the Faddeeva function")
# fmt: on


def _branch(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    """Return Lambert's W function of ``z``, which is complex.

    Parameters
    ----------
    z : tensor, array or number
        The operand.
    k : int
        The branch. It has no derivative: one that is asked for raises.
    tol : float
        Taken for SciPy's sake.
    """
    k, z = parameter(k, z, "the branch k of lambertw")
    return lambertw(z, k)


def _faddeeva(z: Any) -> Any:
    """Return the Faddeeva function of ``z``, exp(-z**2) erfc(-i z), which is complex.

    Parameters
    ----------
    z : tensor, array or number
        The operand.
    """
    if isinstance(z, Tensor) and z._data.dtype.kind == "f":  # a row's derivatives have its operand's dtype
        z = table("cast")(z, np.result_type(z._data.dtype, np.complex64))
    return wofz(z)


_faddeeva.__name__ = _faddeeva.__qualname__ = "wofz"
_branch.__name__ = _branch.__qualname__ = "lambertw"


SCIPY_NAMES |= {"lambertw": _branch, "_lambertw": _branch, "wofz": _faddeeva, "pseudo_huber": pseudo_huber}


def _whole_orders(x: Any, n: Any) -> Any:
    """E_n as SciPy has it: NaN where its order is negative."""
    if np.ndim(n) == 0:
        return expn(x, int(n)) if n >= 0 else x * np.nan
    return expn(x, np.maximum(n, 0)) * np.where(n < 0, np.nan, 1.0)


def _several(name: str, *rows: Any) -> None:
    def fn(x: Any) -> tuple[Any, ...]:
        return tuple(row(x) for row in rows)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"Return {', '.join(row.op.doc for row in rows)}."
    SCIPY_NAMES[name] = fn


_several("sici", sine_integral, cosine_integral)
_several("shichi", sinh_integral, cosh_integral)
_several("fresnel", fresnel_s, fresnel_c)
