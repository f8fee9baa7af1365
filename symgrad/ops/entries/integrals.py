"""Functions that are integrals: elliptic ones, relatives of the error function, hypergeometric functions, entropies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._limits import INTEGRALS, bound
from ...core import elementwise
from ..lazy import special
from ..public import named
from . import elementwise as e
from .bessel import as_complex, spherical_i, spherical_in, spherical_j
from .gammas import (
    SCIPY_NAMES,
    Jet,
    broadcast_parameter,
    call_row,
    defined,
    in_doubles,
    in_operands_dtype,
    of_order,
    parameters,
    real_row,
    special_row,
)

# -------------------------------------------------------------------------------------------------------------------
# Elliptic integrals: Legendre's, complete and incomplete, and Carlson's, with derivatives of every order

# The idea to hold: each of them is ∫ t^s (t + x)^-p (t + y)^-q (t + z)^-r dt from 0 to infinity, and so is each of
# their derivatives: one exponent is one more. The integrand is positive, nothing cancels; the trapezoidal rule in log t
# is exact to rounding, for it converges as exp(-2π²/step). Formulas show the slopes as books write them, in E and K.
#
# Source: NIST Digital Library of Mathematical Functions, chapter 19 (19.4, 19.16, 19.25).


# ruff: noqa: E501  (a row is a line)

ELLIPTIC_STEP = 0.45
"""Of the trapezoidal rule in log t: its error is exp(-2π²/STEP), 1e-19."""
TAIL = 43.0
"""How far the integrand is followed below and above all of x, y, z, over its exponent there: e^-43 is 2e-19."""


@in_doubles(3)
def _integral(x: Any, y: Any, z: Any, s: float, p: float, q: float, r: float) -> np.ndarray:
    """∫ t^s (t + x)^-p (t + y)^-q (t + z)^-r dt from 0 to infinity; NaN where a number is negative, infinite where it
    has no end at 0."""
    out = np.empty(x.shape)
    for k in range(0, x.size, INTEGRALS):
        part = slice(k, k + INTEGRALS)
        out[part] = _piece(x[part], y[part], z[part], s, p, q, r)
    pole = (y < 0) & (x >= 0) & np.isfinite(x - y) & ((x > 0) | (s + 1 > p))
    if r == 0 and q % 1 == 0 and pole.any():
        out[pole] = _principal(x[pole], y[pole], s, p, q)
    return out


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
    count = int(np.max((last - first) / ELLIPTIC_STEP, initial=0.0)) + 2
    log_t = first[:, None] + ELLIPTIC_STEP * np.arange(count)
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
        found = np.exp(np.log(ELLIPTIC_STEP * np.exp(total - most[:, None]).sum(1)) + most - above * np.log(top))
    return np.where(valid, found, np.where(endless, np.inf, np.nan))


def _principal(x: np.ndarray, y: np.ndarray, s: float, p: float, q: float) -> np.ndarray:
    """The principal value across the pole at t = -y > 0: the real part of the integral along t = iu, u > 0."""
    below, above = s + 1 - p * (x == 0), p + q - s - 1
    low, high = np.where(x > 0, np.minimum(x, -y), -y), np.maximum(x, -y)
    first, last = np.log(low) - TAIL / below, np.log(high) + TAIL / above
    step = ELLIPTIC_STEP / 2  # the poles are half as far from the path
    log_u = first[:, None] + step * np.arange(int(np.max((last - first) / step)) + 2)
    t = 1j * np.exp(log_u)
    with np.errstate(all="ignore"):
        found = t ** (s + 1) * (t + x[:, None]) ** -p * (t + y[:, None]) ** -q
    return step * found.sum(1).real


# fmt: off
carlson: Any = real_row("carlson", lambda a, b, c, n, alpha, beta, gamma: _integral(a, b, c, n, alpha, beta, gamma), lambda a, b, c, n, alpha, beta, gamma: -alpha * carlson(a, b, c, n, alpha + 1, beta, gamma), lambda a, b, c, n, alpha, beta, gamma: -beta * carlson(a, b, c, n, alpha, beta + 1, gamma), lambda a, b, c, n, alpha, beta, gamma: -gamma * carlson(a, b, c, n, alpha, beta, gamma + 1), domain="positive", sample=(0, 0.5, 0.5, 1.5), explained=True, doc="the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity")
elliprf = special_row("elliprf(a, b, c)", lambda a, b, c: carlson(a, b, c, 0, 1.5, 0.5, 0.5) / -4, lambda a, b, c: carlson(a, b, c, 0, 0.5, 1.5, 0.5) / -4, lambda a, b, c: carlson(a, b, c, 0, 0.5, 0.5, 1.5) / -4, domain="positive", letter="R_F", doc="Carlson's elliptic integral of the first kind")
elliprd = special_row("elliprd(a, b, c)", lambda a, b, c: carlson(a, b, c, 0, 1.5, 0.5, 1.5) * -0.75, lambda a, b, c: carlson(a, b, c, 0, 0.5, 1.5, 1.5) * -0.75, lambda a, b, c: carlson(a, b, c, 0, 0.5, 0.5, 2.5) * -2.25, domain="positive", letter="R_D", doc="Carlson's elliptic integral of the second kind")
elliprg = special_row("elliprg(a, b, c)", lambda a, b, c: carlson(a, b, c, 1, 1.5, 0.5, 0.5) / 8, lambda a, b, c: carlson(a, b, c, 1, 0.5, 1.5, 0.5) / 8, lambda a, b, c: carlson(a, b, c, 1, 0.5, 0.5, 1.5) / 8, domain="positive", letter="R_G", doc="Carlson's symmetric elliptic integral of the second kind")
elliprc = special_row("elliprc(a, b)", lambda a, b: carlson(a, b, 1.0, 0, 1.5, 1, 0) / -4, lambda a, b: carlson(a, b, 1.0, 0, 0.5, 2, 0) / -2, domain="positive", letter="R_C", doc="Carlson's degenerate elliptic integral")
# fmt: on

# Legendre's: ∫ sin^2n (1 - m sin²)^-q from 0 to phi, in Carlson's variables; the derivative by m is q times the next


@in_doubles(2)
def _moment(phi: Any, m: Any, n: int, q: float) -> np.ndarray:
    """∫ sin(u)^2n (1 - m sin(u)²)^-q du from 0 to phi; NaN where m sin² reaches 1 on the way."""
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
    return out


# fmt: off
ellipk = special_row("ellipk(m)", "ellipk_slope", domain="unit", letter="K", sympy="elliptic_k(m)", doc="the complete elliptic integral of the first kind")
ellipe = special_row("ellipe(m)", "ellipe_slope", domain="unit", letter="E", sympy="elliptic_e(m)", doc="the complete elliptic integral of the second kind")
ellipkm1 = special_row("ellipkm1(p)", lambda p: carlson(0.0, 1.0, p, 0, 0.5, 0.5, 1.5) / -4, domain="positive", doc="ellipk(1 - p), exact where p is small")
ellipkinc = special_row("ellipkinc(phi, m)", lambda phi, m: 1 / np.sqrt(1 - m * np.sin(phi)**2), "ellipkinc_slope", domain="unit", letter="F", doc="the incomplete elliptic integral of the first kind")
ellipeinc = special_row("ellipeinc(phi, m)", lambda phi, m: np.sqrt(1 - m * np.sin(phi)**2), "ellipeinc_slope", domain="unit", letter="E", doc="the incomplete elliptic integral of the second kind")
elliptic_moment: Any = real_row("elliptic_moment", _moment, lambda phi, m, n, q: np.sin(phi)**(2 * n) * (1 - m * np.sin(phi)**2)**-q, lambda phi, m, n, q: q * elliptic_moment(phi, m, n + 1, q + 1), domain="unit", sample=(1, 1.5), explained=True, doc="the integral of sin(u)**(2 n) (1 - m sin(u)**2)**-q from 0 to phi")
ellipk_slope = real_row("ellipk_slope", lambda m: _moment(math.pi / 2, m, 1, 1.5) / 2, lambda m: elliptic_moment(math.pi / 2, m, 2, 2.5) * 0.75, domain="unit", text="((E(<0>) − (1 − <0>) ⊙ K(<0>))/(2<0> ⊙ (1 − <0>)))", latex=r"\frac{E(<0>) - (1 - <0>) \odot K(<0>)}{2 <0> \odot (1 - <0>)}", doc="the derivative of the complete elliptic integral of the first kind")
ellipe_slope = real_row("ellipe_slope", lambda m: _moment(math.pi / 2, m, 1, 0.5) / -2, lambda m: elliptic_moment(math.pi / 2, m, 2, 1.5) / -4, domain="unit", text="((E(<0>) − K(<0>))/(2<0>))", latex=r"\frac{E(<0>) - K(<0>)}{2 <0>}", doc="the derivative of the complete elliptic integral of the second kind")
ellipkinc_slope = real_row("ellipkinc_slope", lambda phi, m: _moment(phi, m, 1, 1.5) / 2, lambda phi, m: np.sin(phi)**2 * (1 - m * np.sin(phi)**2)**-1.5 / 2, lambda phi, m: elliptic_moment(phi, m, 2, 2.5) * 0.75, domain="unit", text="(E(<0>, <1>)/(2<1> ⊙ (1 − <1>)) − F(<0>, <1>)/(2<1>) − sin(2<0>)/(4(1 − <1>) ⊙ √(1 − <1> ⊙ sin(<0>)²)))", latex=r"\frac{E(<0>, <1>)}{2 <1> \odot (1 - <1>)} - \frac{F(<0>, <1>)}{2 <1>} - \frac{\sin(2 <0>)}{4 (1 - <1>) \odot \sqrt{1 - <1> \odot \sin(<0>)^{2}}}", doc="the derivative of the incomplete elliptic integral of the first kind by m")
ellipeinc_slope = real_row("ellipeinc_slope", lambda phi, m: _moment(phi, m, 1, 0.5) / -2, lambda phi, m: np.sin(phi)**2 / np.sqrt(1 - m * np.sin(phi)**2) / -2, lambda phi, m: elliptic_moment(phi, m, 2, 1.5) / -4, domain="unit", text="((E(<0>, <1>) − F(<0>, <1>))/(2<1>))", latex=r"\frac{E(<0>, <1>) - F(<0>, <1>)}{2 <1>}", doc="the derivative of the incomplete elliptic integral of the second kind by m")
# fmt: on

# Jacobi's functions: the sine and cosine of the amplitude at which `ellipkinc` is u
_JACOBI = dict(sample=(0.3,))


# fmt: off
jacobi_sn = real_row("jacobi_sn", lambda u, m: special.ellipj(u, m)[0], lambda u, m: jacobi_cn(u, m) * jacobi_dn(u, m), **_JACOBI, odd=True, finite=True, scipy="ellipj({0}, {m})[0]", text="sn(<0>, <1>)", latex=r"\operatorname{sn}(<0>, <1>)", doc="Jacobi's elliptic sine")
jacobi_cn: Any = real_row("jacobi_cn", lambda u, m: special.ellipj(u, m)[1], lambda u, m: -jacobi_sn(u, m) * jacobi_dn(u, m), **_JACOBI, even=True, finite=True, scipy="ellipj({0}, {m})[1]", text="cn(<0>, <1>)", latex=r"\operatorname{cn}(<0>, <1>)", doc="Jacobi's elliptic cosine")
jacobi_dn: Any = real_row("jacobi_dn", lambda u, m: special.ellipj(u, m)[2], lambda u, m: -m * jacobi_sn(u, m) * jacobi_cn(u, m), **_JACOBI, even=True, finite=True, scipy="ellipj({0}, {m})[2]", text="dn(<0>, <1>)", latex=r"\operatorname{dn}(<0>, <1>)", doc="Jacobi's delta amplitude")
jacobi_am = real_row("jacobi_am", lambda u, m: special.ellipj(u, m)[3], lambda u, m: jacobi_dn(u, m), **_JACOBI, odd=True, finite=True, scipy="ellipj({0}, {m})[3]", text="am(<0>, <1>)", latex=r"\operatorname{am}(<0>, <1>)", doc="Jacobi's amplitude")
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
    m, u = broadcast_parameter(m, u, "the parameter m of ellipj")
    return tuple(row(u, m) for row in (jacobi_sn, jacobi_cn, jacobi_dn, jacobi_am))


SCIPY_NAMES["ellipj"] = named(_ellipj, "ellipj")


# -------------------------------------------------------------------------------------------------------------------
# Relatives of the error function, integrals of exponentials and sines, the powers of Box and Cox, Lambert's W

# The idea to hold: where a slope as a book writes it would lose digits (1 - 2x D(x) for large x), it is a row of its
# own, which is computed another way and printed as the book has it.
#
# Source: NIST Digital Library of Mathematical Functions, chapters 4, 6, 7 and 25.
# fmt: off

# ----------------------------------------------------------------------------------------------------- erf


def _dawson(x: Any, n: int) -> Any:
    """The n-th derivative of Dawson's integral: by its recurrence, far out by its asymptotic series."""
    is_near = np.abs(x) < 7
    near, far = np.where(is_near, x, 0.0), np.where(is_near, np.inf, x)
    before, found = special.dawsn(near), 1 - 2 * near * special.dawsn(near)
    for k in range(1, n):
        before, found = found, -2 * near * found - 2 * k * before
    out = np.zeros_like(far)  # the sum of (2k - 1)!! / 2**(k + 1) / x**(2k + 1), each term differentiated n times
    term = (-1) ** n * math.factorial(n) * 0.5 / far ** (n + 1)
    for k in range(1, 30):
        out = out + term
        term = term * ((2 * k - 1) * (2 * k + n - 1) * (2 * k + n) / (4 * k * (2 * k - 1))) / (far * far)
    return e.in_dtype_of(x, np.where(is_near, found, out))


def _erfcx(x: Any, n: int) -> Any:
    """The n-th derivative of erfcx, 2/√π ∫ (-2t)^n exp(-t² - 2xt) dt: by its recurrence, far out by its series."""
    near, far = np.where(x < 6, x, 0.0), np.where(x < 6, np.inf, x)
    before, found = special.erfcx(near), 2 * near * special.erfcx(near) - e.TWO_OVER_SQRT_PI
    for k in range(1, n):
        before, found = found, 2 * near * found + 2 * k * before
    out = np.zeros_like(far)
    term = (-1) ** n * e.TWO_OVER_SQRT_PI * math.factorial(n) / 2 / far ** (n + 1)
    for k in range(1, 36):
        out = out + term
        term = term * (-(n + 2 * k - 1) * (n + 2 * k) / (4 * k)) / (far * far)
    return e.in_dtype_of(x, np.where(x < 6, found, out))


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


erfi = special_row("erfi(x)", lambda x: e.TWO_OVER_SQRT_PI * np.exp(x * x), sympy="erfi(x)", odd=True, real_only=False, doc="the imaginary error function, -i erf(i x)")
erfcx = special_row("erfcx(x)", "erfcx_slope", sympy="exp(x**2)*erfc(x)", doc="exp(x**2) * erfc(x), without underflow")
erfcx_slope = real_row("erfcx_slope", lambda x: _erfcx(x, 1), lambda x: erfcx_order(x, 2), text="(2<0> ⊙ erfcx(<0>) − 2/√π)", latex=r"2 <0> \odot \operatorname{erfcx}(<0>) - \frac{2}{\sqrt{\pi}}", doc="the derivative of erfcx")
erfcx_order: Any = real_row("erfcx_order", _erfcx, lambda x, n: erfcx_order(x, n + 1), sample=(2,), letter="erfcx^", doc="the n-th derivative of erfcx")
erfcinv = special_row("erfcinv(p)", lambda y: -e.HALF_SQRT_PI * np.exp(y * y), domain="probability", sympy="erfinv(1 - p)", doc="the inverse of erfc")
dawsn = special_row("dawsn(x)", "dawsn_slope", sympy="sqrt(pi)/2*exp(-x**2)*erfi(x)", odd=True, finite=True, letter="D", doc="Dawson's integral, exp(-x**2) times that of exp(t**2) from 0 to x")
dawsn_slope = real_row("dawsn_slope", lambda x: _dawson(x, 1), lambda x: dawsn_order(x, 2), even=True, text="(1 − 2<0> ⊙ D(<0>))", latex=r"1 - 2 <0> \odot D(<0>)", doc="the derivative of Dawson's integral")
dawsn_order: Any = real_row("dawsn_order", _dawson, lambda x, n: dawsn_order(x, n + 1), sample=(2,), letter="D^", doc="the n-th derivative of Dawson's integral")
ndtri_exp = special_row("ndtri_exp(x)", lambda y: 1 / e.normal_hazard(y), domain="negative", doc="the inverse of log_ndtr: the quantile of the normal distribution at exp(x)")
owens_t = special_row("owens_t(h, a)", lambda h, a: -e.erf(a * h / math.sqrt(2)) * e.normal_pdf(h) / 2, lambda h, a: np.exp(-0.5 * (h * h) * (1 + a * a)) / (2 * math.pi * (1 + a * a)), letter="T", doc="Owen's T function")

# ------------------------------------------------------------------------------- integrals of exponentials and sines


def _expn(x: Any, n: Any) -> Any:
    """E_n, also of orders below 0, where it is Γ(1 - n, x) x**(n - 1)."""
    below = np.maximum(1 - n, 1)
    lower = special.gammaincc(below, x) * special.gamma(below) * np.power(x, -1.0 * below)
    return np.where(np.less_equal(n, 0), lower, special.expn(np.maximum(n, 0), x))


exp1 = special_row("exp1(x)", lambda x, y: defined(-np.exp(-x) / x, y), domain="positive", letter="E₁", sympy="expint(1, x)", real_only=False, doc="the exponential integral, that of exp(-t)/t from x to infinity")
expi = special_row("expi(x)", lambda x: np.exp(x) / x, domain="nonzero", letter="Ei", sympy="Ei(x)", real_only=False, doc="the exponential integral, that of exp(t)/t from -infinity to x")
expn: Any = real_row("expn", _expn, lambda x, n: -expn(x, n - 1), domain="positive", sample=(2,), letter="E_", sympy="expint(n, x)", scipy="expn({n}, {0})", doc="the exponential integral, that of exp(-x t)/t**n from 1 to infinity")
of_order("expn", lambda x, n: _whole_orders(x, n), "order", whole=True, doc="Return the exponential integral of order ``n``: the order has no derivative.")
sin_over = elementwise("sin_over", lambda x: np.sinc(x / math.pi), lambda x: -spherical_j(x, 1), even=True, finite=True, sympy="sin(x)/x", text="(sin(<0>)/<0>)", latex=r"\frac{\sin(<0>)}{<0>}", doc="sin(x) / x, 1 at 0")
sinh_over = elementwise("sinh_over", lambda x: spherical_in(0, x), lambda x: spherical_i(x, 1), domain="nonzero", even=True, sympy="sinh(x)/x", text="(sinh(<0>)/<0>)", latex=r"\frac{\sinh(<0>)}{<0>}", doc="sinh(x) / x, 1 at 0")
sine_integral = call_row("sine_integral", "sici(x)[0]", "sin_over", odd=True, finite=True, letter="Si", sympy="Si(x)", doc="the sine integral")
cosine_integral = call_row("cosine_integral", "sici(x)[1]", lambda x: np.cos(x) / x, domain="positive", letter="Ci", sympy="Ci(x)", doc="the cosine integral")
sinh_integral = call_row("sinh_integral", "shichi(x)[0]", "sinh_over", odd=True, letter="Shi", sympy="Shi(x)", doc="the hyperbolic sine integral")
cosh_integral = call_row("cosh_integral", "shichi(x)[1]", lambda x: np.cosh(x) / x, domain="positive", letter="Chi", sympy="Chi(x)", doc="the hyperbolic cosine integral")
fresnel_s = call_row("fresnel_s", "fresnel(x)[0]", lambda x: np.sin(math.pi / 2 * (x * x)), odd=True, letter="S", sympy="fresnels(x)", doc="Fresnel's integral of the sine, of pi t**2 / 2")
fresnel_c = call_row("fresnel_c", "fresnel(x)[1]", lambda x: np.cos(math.pi / 2 * (x * x)), odd=True, letter="C", sympy="fresnelc(x)", doc="Fresnel's integral of the cosine, of pi t**2 / 2")

# --------------------------------------------------------------------------- exponentials and logarithms over x


def _pseudo_huber(a: Any, b: Any) -> Any:
    found = a * (b * (b / np.where(a == 0, 1, np.hypot(a, b) + a)))  # without cancellation or overflow
    return np.where(a < 0, np.inf, np.where((a == 0) | (b == 0), 0, found)).astype(found.dtype, copy=False)


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
    return e.in_dtype_of(x, np.where(np.isnan(x), np.nan, found))


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
    return e.in_dtype_of(x, np.where(small, series, found))


exprel = special_row("exprel(x)", lambda x: exprel_order(x, 1), sympy="(exp(x) - 1)/x", domain="nonzero", sign=">=", doc="(exp(x) - 1) / x, 1 at 0")
exprel_order: Any = real_row("exprel_order", _exprel, lambda x, n: exprel_order(x, n + 1), sample=(1,), explained=True, doc="the n-th derivative of (exp(x) - 1) / x: the integral of t**n exp(x t) from 0 to 1")
log1prel: Any = real_row("log1prel", _log1prel, lambda x, n: log1prel(x, n + 1), sample=(0,), domain="positive", explained=True, doc="the n-th derivative of log(1 + x) / x")
log_over: Any = real_row("log_over", lambda x, n: _log1prel(x - 1, n, x), lambda x, n: log_over(x, n + 1), sample=(0,), domain="positive", explained=True, doc="the n-th derivative of log(x) / (x - 1)")
spence = special_row("spence(x)", lambda x: -log_over(x, 0), domain="positive", doc="Spence's function, the integral of log(t)/(1 - t) from 1 to x")
over_root = real_row("over_root", lambda x: np.where(np.isinf(x), np.sign(x), x / np.hypot(1, x)), lambda x: (1 + x * x)**-1.5, odd=True, finite=True, sympy="x/sqrt(1 + x**2)", text="(<0>/√(1 + <0>²))", latex=r"\frac{<0>}{\sqrt{1 + <0>^{2}}}", doc="x / sqrt(1 + x**2)")
pseudo_huber = real_row("pseudo_huber", _pseudo_huber, lambda a, b, y: defined(_huber_slope(a, b), 0 * y), lambda a, b, y: defined(_huber_root(a, b), 0 * y), domain="positive", scipy="pseudo_huber({0}, {1})", doc="a**2 (sqrt(1 + (b/a)**2) - 1), infinite for negative a: the smooth loss of Huber")
boxcox = special_row("boxcox(x, k)", lambda x, k: x ** (k - 1), "boxcox_slope", domain=("positive", "nonzero"), sympy="(x**k - 1)/k", doc="(x**k - 1) / k, log(x) where k is 0: the power transformation of Box and Cox")
boxcox1p = special_row("boxcox1p(x, k)", lambda x, k: np.exp((k - 1) * np.log1p(x)), "boxcox1p_slope", domain=("positive", "nonzero"), sympy="((1 + x)**k - 1)/k", doc="boxcox(1 + x, k)")
boxcox_slope = real_row("boxcox_slope", lambda x, k: _boxcox(np.log, x, k, 1), lambda x, k: np.log(x) * x**(k - 1), lambda x, k: boxcox_order(x, k, 2), domain=("positive", "nonzero"), sympy="(1 + k*log(x)*x**k - x**k)/k**2", text="((1 + <1> ⊙ log(<0>) ⊙ <0>^<1> − <0>^<1>)/<1>²)", latex=r"\frac{1 + <1> \odot \log(<0>) \odot <0>^{<1>} - <0>^{<1>}}{<1>^{2}}", doc="the derivative of (x**k - 1) / k by k")
boxcox1p_slope = real_row("boxcox1p_slope", lambda x, k: _boxcox(np.log1p, x, k, 1), lambda x, k: np.log1p(x) * np.exp((k - 1) * np.log1p(x)), lambda x, k: boxcox1p_order(x, k, 2), domain=("positive", "nonzero"), sympy="(1 + k*log(1 + x)*(1 + x)**k - (1 + x)**k)/k**2", text="((1 + <1> ⊙ log1p(<0>) ⊙ (1 + <0>)^<1> − (1 + <0>)^<1>)/<1>²)", latex=r"\frac{1 + <1> \odot \log(1 + <0>) \odot (1 + <0>)^{<1>} - (1 + <0>)^{<1>}}{<1>^{2}}", doc="the derivative of boxcox1p(x, k) by k")
boxcox_order: Any = real_row("boxcox_order", lambda x, k, n: _boxcox(np.log, x, k, n), lambda x, k, n: np.log(x)**n * x**(k - 1), lambda x, k, n: boxcox_order(x, k, n + 1), domain=("positive", "nonzero"), sample=(2,), letter="boxcox^", doc="the n-th derivative of (x**k - 1) / k by k")
boxcox1p_order: Any = real_row("boxcox1p_order", lambda x, k, n: _boxcox(np.log1p, x, k, n), lambda x, k, n: np.log1p(x)**n * np.exp((k - 1) * np.log1p(x)), lambda x, k, n: boxcox1p_order(x, k, n + 1), domain=("positive", "nonzero"), sample=(2,), letter="boxcox1p^", doc="the n-th derivative of boxcox1p(x, k) by k")
inv_boxcox = special_row("inv_boxcox(x, k)", lambda x, k, y: y / (1 + k * x), lambda x, k, y: y * (x * x) * log1prel(k * x, 1), domain="positive", sympy="(1 + k*x)**(1/k)", doc="(1 + k x)**(1/k), exp(x) where k is 0: the inverse of boxcox")
inv_boxcox1p = special_row("inv_boxcox1p(x, k)", lambda x, k, y: (1 + y) / (1 + k * x), lambda x, k, y: (1 + y) * (x * x) * log1prel(k * x, 1), domain="positive", sympy="(1 + k*x)**(1/k) - 1", doc="inv_boxcox(x, k) - 1, the inverse of boxcox1p")
wrightomega = special_row("wrightomega(x)", lambda y: y / (1 + y), finite=True, real_only=False, doc="Wright's omega function, the y with y + log(y) = x")
lambertw = elementwise("lambertw", lambda x, k: _as_narrow(special.lambertw(x, k), x), lambda y: np.exp(-y) / (1 + y), domain="positive", sample=(0,), own_dtype=True, letter="W_", scipy="lambertw({0}, {k})", doc="Lambert's W function, the complex y with y exp(y) = x, on the branch k")
wofz = elementwise("wofz", lambda x: _as_narrow(special.wofz(x), x), "wofz_slope", domain="complex", own_dtype=True, letter="w", scipy="wofz({0})", doc="the Faddeeva function, exp(-x**2) erfc(-i x)")
wofz_slope: Any = elementwise("wofz_slope", _wofz_slope, lambda x: -2 * (wofz(x) + x * wofz_slope(x)), domain="complex", own_dtype=True, text="(2i/√π − 2<0> ⊙ w(<0>))", latex=r"\frac{2i}{\sqrt{\pi}} - 2 <0> \odot w(<0>)", doc="the derivative of the Faddeeva function")
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
    k, z = broadcast_parameter(k, z, "the branch k of lambertw")
    return lambertw(z, np.real(k))  # NumPy's ufunc is given all its operands in one dtype


def _faddeeva(z: Any) -> Any:
    """Return the Faddeeva function of ``z``, exp(-z**2) erfc(-i z), which is complex.

    Parameters
    ----------
    z : tensor, array or number
        The operand.
    """
    return wofz(as_complex(z))


SCIPY_NAMES |= {
    "lambertw": named(_branch, "lambertw"), "_lambertw": _branch, "wofz": named(_faddeeva, "wofz"),
    "pseudo_huber": pseudo_huber,
}  # fmt: skip


def _whole_orders(x: Any, n: Any) -> Any:
    """E_n as SciPy has it: NaN where its order is negative."""
    if np.ndim(n) == 0:
        return expn(x, int(n)) if n >= 0 else x * np.nan
    return expn(x, np.maximum(n, 0)) * np.where(n < 0, np.nan, 1.0)


def _several(name: str, *rows: Any) -> None:
    def fn(x: Any) -> tuple[Any, ...]:
        return tuple(row(x) for row in rows)

    SCIPY_NAMES[name] = named(fn, name, f"Return {', '.join(row.op.doc for row in rows)}.")


_several("sici", sine_integral, cosine_integral)
_several("shichi", sinh_integral, cosh_integral)
_several("fresnel", fresnel_s, fresnel_c)


# -------------------------------------------------------------------------------------------------------------------
# Hypergeometric functions: by their argument each has a neighbour for a slope, by their parameters a series

# The idea to hold: the slope by a parameter is the series with each term differentiated, summed with `Jet`. Beside the
# sum runs the sum of the magnitudes: where so much cancels that 1e-11 is not kept, or the series does not end, it is
# NaN. Before, Kummer's and Pfaff's transformations move the argument to where terms have one sign (DLMF 13.2.39,
# 15.8.1).
#
# Source: NIST Digital Library of Mathematical Functions, chapters 13 and 15.

LARGEST_PARAMETER = 1e6
"""Of the parameters of Gauss's function."""
KEPT = 1e-11
"""The relative error from cancellation up to which a slope is given."""


SERIES_TERMS = bound(4000)
"""Terms of a hypergeometric series after which its slope is NaN."""


def _series(above: list[np.ndarray], below: list[np.ndarray], x: np.ndarray) -> tuple[Jet, np.ndarray]:
    """The series Σ (a)_n.../(b)_n... x^n/n! and its slopes by all parameters; per slope, how much cancels."""
    jets = parameters([*above, *below], False)
    tops, bottoms = jets[: len(above)], jets[len(above) :]
    zeros = [np.zeros_like(x) for _ in jets]
    term = Jet(np.ones_like(x), list(zeros), {})
    total, sizes = Jet(np.ones_like(x), list(zeros), {}), np.zeros((len(jets), x.size))
    open_ = np.ones(x.shape, bool)
    for n in range(SERIES_TERMS):
        step = Jet(x / (n + 1.0), list(zeros), {})
        for a in tops:
            step = step * (a + float(n))
        for b in bottoms:
            step = step / (b + float(n))
        term = term * step
        total = total + term
        sizes += np.abs(np.array(term.g))
        small = np.abs(term.v) <= 1e-17 * np.abs(total.v)
        slopes = np.abs(np.array(term.g)) <= 1e-17 * sizes
        open_ &= (~(small & slopes.all(0)) | (n < 3)) & np.isfinite(total.v)
        if not open_.any():
            break
    lost = np.where(open_, np.inf, 4e-16 * sizes)
    return total, lost


def _kept(found: np.ndarray, lost: np.ndarray) -> np.ndarray:
    return np.where(lost <= KEPT * np.abs(found), found, np.nan)


def _hyp1f1(a: Any, b: Any, x: Any) -> Any:
    """Kummer's function; SciPy's does not return for x of 1e300, where all but polynomials are infinite."""
    polynomial = np.less_equal(a, 0) & np.equal(np.mod(a, 1), 0)
    return in_operands_dtype(
        np.asarray(special.hyp1f1(a, b, np.where(np.greater(x, 1e6) & ~polynomial, 1e6, x))), a, b, x
    )


def _hyp2f1(a: Any, b: Any, c: Any, x: Any) -> Any:
    """Gauss's function; of parameters beyond `LARGEST_PARAMETER` it is NaN: SciPy crashes on some."""
    beyond = (
        (np.abs(a) > LARGEST_PARAMETER)
        | (np.abs(b) > LARGEST_PARAMETER)
        | (np.abs(c) > LARGEST_PARAMETER)
        | np.isinf(x)
    )
    kept = [np.where(beyond, 0.5, v) for v in (a, b, c, x)]
    return in_operands_dtype(np.where(beyond, np.nan, special.hyp2f1(*kept)), a, b, c, x)


@in_doubles(3)
def hyp1f1_slope(a: Any, b: Any, x: Any, place: int) -> np.ndarray:
    """The derivative of 1F1(a; b; x) by a (place 0) or b."""
    with np.errstate(all="ignore"):
        turned = x < 0  # exp(x) 1F1(b - a; b; -x)
        total, lost = _series([np.where(turned, b - a, a)], [b], np.abs(x))
        by_a, by_b = total.g
        if place == 0:
            found, lost = np.where(turned, -by_a, by_a), lost[0]
        else:
            found, lost = by_b + np.where(turned, by_a, 0.0), lost[1] + np.where(turned, lost[0], 0.0)
        out = _kept(found, lost) * np.where(turned, np.exp(x), 1.0)
    return out


@in_doubles(4)
def hyp2f1_slope(a: Any, b: Any, c: Any, x: Any, place: int) -> np.ndarray:
    """The derivative of 2F1(a, b; c; x) by a, b or c (places 0, 1, 2), for x < 1."""
    if place == 1:
        a, b, place = b, a, 0
    with np.errstate(all="ignore"):
        turned = x < 0  # (1 - x)^-a 2F1(a, c - b; c; x/(x - 1))
        total, lost = _series([a, np.where(turned, c - b, b)], [c], np.where(turned, x / (x - 1), x))
        scale, log = np.where(turned, (1 - x) ** -a, 1.0), np.where(turned, np.log1p(-x), 0.0)
        if place == 0:
            found, lost = total.g[0] - log * total.v, lost[0] + 4e-16 * np.abs(log * total.v)
        else:
            found, lost = total.g[2] + np.where(turned, total.g[1], 0.0), lost[2] + np.where(turned, lost[1], 0.0)
        out = np.where(x < 1, _kept(found, lost) * scale, np.nan)
    return out


# fmt: off
_TWO, _THREE = "positive", ("positive", "positive", "positive", "probability")
hyp1f1: Any = real_row("hyp1f1", _hyp1f1, "hyp1f1_by_a", "hyp1f1_by_b", lambda a, b, x: a / b * hyp1f1(a + 1, b + 1, x), domain=_TWO, scipy="hyp1f1({0}, {1}, {2})", letter="₁F₁", doc="Kummer's function, the confluent hypergeometric function")
hyp1f1_by_a: Any = real_row("hyp1f1_by_a", lambda a, b, x: hyp1f1_slope(a, b, x, 0), None, None, lambda a, b, x: hyp1f1(a + 1, b + 1, x) / b + a / b * hyp1f1_by_a(a + 1, b + 1, x), domain=_TWO, text="∂₁F₁/∂a(<0>, <1>, <2>)", latex=r"\tfrac{\partial {}_{1}F_{1}}{\partial a}(<0>, <1>, <2>)", doc="the derivative of Kummer's function 1F1(a; b; x) by a")
hyp1f1_by_b: Any = real_row("hyp1f1_by_b", lambda a, b, x: hyp1f1_slope(a, b, x, 1), None, None, lambda a, b, x: a / b * (hyp1f1_by_b(a + 1, b + 1, x) - hyp1f1(a + 1, b + 1, x) / b), domain=_TWO, text="∂₁F₁/∂b(<0>, <1>, <2>)", latex=r"\tfrac{\partial {}_{1}F_{1}}{\partial b}(<0>, <1>, <2>)", doc="the derivative of Kummer's function 1F1(a; b; x) by b")
hyp2f1: Any = real_row("hyp2f1", _hyp2f1, "hyp2f1_by_a", lambda a, b, c, x: hyp2f1_by_a(b, a, c, x), "hyp2f1_by_c", lambda a, b, c, x: a * b / c * hyp2f1(a + 1, b + 1, c + 1, x), domain=_THREE, scipy="hyp2f1({0}, {1}, {2}, {3})", letter="₂F₁", doc="Gauss's hypergeometric function")
hyp2f1_by_a: Any = real_row("hyp2f1_by_a", lambda a, b, c, x: hyp2f1_slope(a, b, c, x, 0), None, None, None, lambda a, b, c, x: b / c * (hyp2f1(a + 1, b + 1, c + 1, x) + a * hyp2f1_by_a(a + 1, b + 1, c + 1, x)), inputs=("a", "b", "c", "x"), domain=_THREE, text="∂₂F₁/∂a(<0>, <1>, <2>, <3>)", latex=r"\tfrac{\partial {}_{2}F_{1}}{\partial a}(<0>, <1>, <2>, <3>)", doc="the derivative of Gauss's function 2F1(a, b; c; x) by a")
hyp2f1_by_c: Any = real_row("hyp2f1_by_c", lambda a, b, c, x: hyp2f1_slope(a, b, c, x, 2), None, None, None, lambda a, b, c, x: a * b / c * (hyp2f1_by_c(a + 1, b + 1, c + 1, x) - hyp2f1(a + 1, b + 1, c + 1, x) / c), domain=_THREE, text="∂₂F₁/∂c(<0>, <1>, <2>, <3>)", latex=r"\tfrac{\partial {}_{2}F_{1}}{\partial c}(<0>, <1>, <2>, <3>)", doc="the derivative of Gauss's function 2F1(a, b; c; x) by c")
hyperu: Any = call_row("hyperu", "hyperu(a, b, x)", lambda x, a, b: -a * hyperu(x, a + 1, b + 1), domain="positive", sample=(0.5, 1.5), real_only=True, text="U(<1>, <2>, <0>)", latex=r"U(<1>, <2>, <0>)", doc="Tricomi's confluent hypergeometric function")
hyp0f1: Any = call_row("hyp0f1", "hyp0f1(v, x)", lambda x, v: hyp0f1(x, v + 1) / v, sample=(1.5,), real_only=True, letter="₀F₁", doc="the confluent hypergeometric limit function")
# fmt: on


SCIPY_NAMES |= {"hyp1f1": hyp1f1, "hyp2f1": hyp2f1}
of_order("hyp0f1", hyp0f1, "parameter v", doc="Return the confluent hypergeometric limit function 0F1(; v; x).")
of_order("hyperu", hyperu, "parameter a", "parameter b", doc="Return Tricomi's confluent hypergeometric function.")


# ------------------- Entropies that have no closed form, and all their derivatives, as integrals of terms of one sign

# The idea to hold: an expectation of log k! over counts is an integral over their generating function, because
# log Γ(x) = ∫ ((x - 1) exp(-t) - (exp(-t) - exp(-xt))/(1 - exp(-t)))/t dt (DLMF 5.9.19). So no counts are summed, and a
# derivative differentiates under the integral. The integrands are smooth in log t, where equal steps converge at once.

ENTROPY_STEP = 0.2
"""Of log t. The integrands are analytic for |Im log t| < π/2, so the error is exp(-π²/STEP)."""
NEGLIGIBLE = 1e-19


def _over_logs(f: Any, low: np.ndarray, high: np.ndarray, *given: np.ndarray) -> np.ndarray:
    """The integrals of f(t, …) dt from exp(low) to exp(high), beyond which nothing is left.

    Each is summed by itself, at places of its own: what is beside it does not change its last digit.
    """
    out = np.empty(low.shape)
    for i, (first, last) in enumerate(zip(np.floor(low / ENTROPY_STEP), np.ceil(high / ENTROPY_STEP))):
        t = np.exp(ENTROPY_STEP * np.arange(first, last + 1))
        out[i] = ENTROPY_STEP * (f(t, *(v[i] for v in given)) * t).sum()
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


@in_doubles(1)
def _poisson(mu: Any, n: int) -> np.ndarray:
    out = np.full(mu.shape, np.nan)
    with np.errstate(all="ignore"):
        far, near = mu > ASYMPTOTIC, (mu > 0) & (mu <= ASYMPTOTIC)
        out[far], out[near] = _poisson_far(mu[far], n), _poisson_near(mu[near], n)
    out[mu == 0] = 0.0 if n == 0 else (-1) ** (n - 1) * np.inf
    return out


# ------------------------------------------------------------------------------------------ negative binomial

LARGEST_COUNT = 1e6
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


@in_doubles(2)
def _nbinom(n: Any, rho: Any, i: int, j: int) -> np.ndarray:
    """Derivatives, i by n and j by ρ, of ∫ (1 - (1 + ρw)^-n) (exp(-nt) - exp(-t))/(w t) dt, w = 1 - exp(-t)."""

    def f(t: Any, n: Any, rho: Any) -> Any:
        w = -np.expm1(-t)
        log, share = np.log1p(rho * w), w / (1 + rho * w)
        apart = np.exp(-min(n, 1.0) * t) * np.expm1(-abs(n - 1) * t)
        found = _lacking(n, log, share, i, j) * (apart if n >= 1 else -apart)
        for k in range(1, i + 1):
            found = found + math.comb(i, k) * _lacking(n, log, share, i - k, j) * (-t) ** k * np.exp(-n * t)
        return found / (w * t)

    out = np.full(n.shape, np.nan)
    inside = (n > 0) & (n <= LARGEST_COUNT) & (rho >= 0) & (rho < np.inf)
    with np.errstate(all="ignore"):
        low = math.log(NEGLIGIBLE) - np.log(np.maximum(n * np.maximum(rho, 1.0), 1.0))
        high = math.log(50.0) - np.log(np.minimum(n, 1.0))
        out[inside] = _over_logs(f, low[inside], high[inside], n[inside], rho[inside])
    return out


# ------------------------------------------------------------------------------------------------ skew normal

_T = np.arange(-50, 51) / 4
"""Equal steps over the normal density, of which nothing is left beyond; the nearest zeros of Φ are 2.8 away."""
_DENSITY = np.exp(-_T * _T / 2) / (4 * e.SQRT_2PI)
_ANGLES, _SHARES = np.polynomial.legendre.leggauss(64)


@in_doubles(1)
def _hazard_mean(r: Any, n: int) -> np.ndarray:
    """The mean of the n-th derivative of m = φ/Φ at rT, for normal T: m' = -m (x + m), so it is a polynomial."""
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
        m = e.normal_hazard(x)
        out[k : k + INTEGRALS] = (sum(c * x**p * m**q for (p, q), c in terms.items()) * _DENSITY).sum(-1)
    return np.where(np.abs(r) <= 1, out, np.nan)


@in_doubles(1)
def _skew_entropy(a: Any) -> np.ndarray:
    """The normal's entropy less √(2/π) ∫ sin(u) E m(sin(u) T) du from 0 to atan(a)."""
    with np.errstate(invalid="ignore"):
        half = np.arctan(np.abs(a)) / 2
    at = np.sin(half[:, None] * (1 + _ANGLES))
    lost = half * (at * _hazard_mean(at, 0) * _SHARES).sum(-1)
    return 0.5 * math.log(2 * math.pi * math.e) - e.SQRT_2_OVER_PI * lost


# fmt: off
poisson_entropy: Any = real_row("poisson_entropy", _poisson, lambda mu, n: poisson_entropy(mu, n + 1), domain="positive", sample=(0,), means="option", explained=True, doc="the n-th derivative by mu of the entropy of the Poisson distribution")
nbinom_terms: Any = real_row("nbinom_terms", _nbinom, lambda n, rho, i, j: nbinom_terms(n, rho, i + 1, j), lambda n, rho, i, j: nbinom_terms(n, rho, i, j + 1), domain="positive", sample=(0, 0), means="option option", explained=True, doc="the derivative, of order i by n and j by rho, of the mean of log(Γ(k + 1)Γ(n)/Γ(n + k)) for k of the negative binomial distribution with p = 1/(1 + rho)")
hazard_mean: Any = real_row("hazard_mean", _hazard_mean, lambda r, n: r * hazard_mean(r, n + 2), domain="unit", sample=(0,), means="option", explained=True, doc="the mean of the n-th derivative of φ/Φ at rT, for a standard normal T")
skew_normal_entropy = real_row("skew_normal_entropy", _skew_entropy, lambda a: a * (1 + a * a)**-1.5 * hazard_mean(a / np.sqrt(1 + a * a), 0) * -e.SQRT_2_OVER_PI, even=True, finite=True, explained=True, doc="the entropy of the skew normal distribution of shape a")
# fmt: on
