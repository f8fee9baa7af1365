"""Bessel functions and orthogonal polynomials; the scaled ones' derivatives of any order, without cancellation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._config import default_dtype
from ...core import Tensor, elementwise
from ..arguments import kind_of
from ..lazy import special
from ..public import named
from ..queries import result_type
from . import elementwise as e
from .arithmetic import i0
from .copies import beside, cast
from .gammas import SCIPY_NAMES, broadcast_parameter, call_row, flat_operands, in_operands_dtype, of_order, real_row

# -------------------------------------------------------------------------------------------------------------------
# Derivatives of any order of the scaled Bessel functions exp(-|x|) I and exp(x) K by x, without cancellation

# The idea to hold: the n-th derivative is 2^-n times the 2n-th difference of neighbouring orders, of K times (-1)^n.
# Where neighbours are nearly equal it is another sum. Far out the asymptotic series, each term differentiated (DLMF
# 10.40), before that of I Kummer's series, whose terms are positive (13.6.9), and of K the integral of
# (cosh t - 1)^n cosh(vt) exp(-x (cosh t - 1)) by the trapezoidal rule (10.32.9).


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
    x, v = flat_operands(x, v)
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
    return in_operands_dtype(out, *given)


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


# ----------------------------- Bessel functions and orthogonal polynomials: what torch.special and SciPy have besides

# The idea to hold: a derivative is the same function of a neighbouring order (DLMF 10.6, 10.29, 18.9), so a row has its
# order as a parameter, and derivatives of every order follow from one line, without a division.


# ruff: noqa: E501  (a row is a line)
# fmt: off

ROOT_PI = math.sqrt(math.pi)


def _bessel_row(name: str, general: str, slope: Any, **facts: Any) -> Any:
    """The row of SciPy's function of an order; its functions of the orders 0 and 1 are of real numbers."""

    def forward(x: Any, order: Any) -> Any:
        return short(general, x, order) if np.asarray(x).dtype.kind != "c" else getattr(special, general)(order, x)

    return call_row(
        name, f"{general}(order, x)", slope, forward=forward, sample=(1,), text=f"{name}({{1}}, {{0}})", **facts
    )


bessel_j: Any = _bessel_row("bessel_j", "jv", lambda x, order: _between(bessel_j, x, order, -1), sympy="besselj(order, x)", finite=True, letter="J_", short=("j0", "j1"), doc="the Bessel function of the first kind")
bessel_y: Any = _bessel_row("bessel_y", "yv", lambda x, order: _between(bessel_y, x, order, -1), sympy="bessely(order, x)", domain="positive", letter="Y_", short=("y0", "y1"), doc="the Bessel function of the second kind")
bessel_i: Any = _bessel_row("bessel_i", "iv", lambda x, order: _between(bessel_i, x, order, 1), sympy="besseli(order, x)", letter="I_", short=("i0", "i1"), doc="the modified Bessel function of the first kind")
bessel_k: Any = _bessel_row("bessel_k", "kv", lambda x, order: _between(bessel_k, x, order, 1, -1), sympy="besselk(order, x)", domain="positive", letter="K_", short=("k0", "k1"), doc="the modified Bessel function of the second kind")
bessel_ie = _bessel_row("bessel_ie", "ive", lambda x, order, y: slope("ive", x, order, y) if _is_array(x) else bessel_ie_order(x, order, 1), sympy="exp(-Abs(x))*besseli(order, x)", domain="nonzero", kink="half of both sides at 0", finite=True, short=("i0e", "i1e"), real_only=True, doc="exp(-|x|) times the modified Bessel function of the first kind")
bessel_ke = _bessel_row("bessel_ke", "kve", lambda x, order, y: slope("kve", x, order, y) if _is_array(x) else bessel_ke_order(x, order, 1), sympy="exp(x)*besselk(order, x)", domain="positive", short=("k0e", "k1e"), real_only=True, doc="exp(x) times the modified Bessel function of the second kind")
bessel_ie_order: Any = real_row("bessel_ie_order", lambda x, order, n: derivative("ive", x, order, n), lambda x, order, n: bessel_ie_order(x, order, n + 1), sympy="exp(-Abs(x))*Sum((-sign(x))**i*binomial(2*n, i)*besseli(order - n + i, x), (i, 0, 2*n))/2**n", domain="nonzero", sample=(1, 1), kink="half of both sides at 0", letter="ive_^", doc="the n-th derivative of exp(-|x|) times the modified Bessel function of the first kind")
bessel_ke_order: Any = real_row("bessel_ke_order", lambda x, order, n: derivative("kve", x, order, n), lambda x, order, n: bessel_ke_order(x, order, n + 1), sympy="exp(x)*(-1)**n*Sum((-1)**i*binomial(2*n, i)*besselk(order - n + i, x), (i, 0, 2*n))/2**n", domain="positive", sample=(1, 1), letter="kve_^", doc="the n-th derivative of exp(x) times the modified Bessel function of the second kind")
hankel_1: Any = elementwise("hankel_1", lambda x, order: special.hankel1(np.real(order), x), lambda x, order: _between(hankel_1, x, order, -1), domain="complex", sample=(1,), own_dtype=True, scipy="hankel1({order}, {0})", text="H⁽¹⁾(<1>, <0>)", latex=r"H^{(1)}_{<1>}(<0>)", doc="Hankel's function of the first kind")
hankel_2: Any = elementwise("hankel_2", lambda x, order: special.hankel2(np.real(order), x), lambda x, order: _between(hankel_2, x, order, -1), domain="complex", sample=(1,), own_dtype=True, scipy="hankel2({order}, {0})", text="H⁽²⁾(<1>, <0>)", latex=r"H^{(2)}_{<1>}(<0>)", doc="Hankel's function of the second kind")
airy_ai = call_row("airy_ai", "airy(x)[0]", "airy_ai_slope", sympy="airyai(x)", letter="Ai", doc="Airy's function")
airy_ai_slope = call_row("airy_ai_slope", "airy(x)[1]", lambda x: x * airy_ai(x), sympy="-x*besselk(2/3, 2*x**(3/2)/3)/(pi*sqrt(3))", domain="positive", letter="Ai′", doc="the derivative of Airy's function")
airy_bi = call_row("airy_bi", "airy(x)[2]", "airy_bi_slope", sympy="airybi(x)", letter="Bi", doc="Airy's function of the second kind")
airy_bi_slope = call_row("airy_bi_slope", "airy(x)[3]", lambda x: x * airy_bi(x), letter="Bi′", doc="the derivative of Airy's function of the second kind")

# exp(ζ) Ai and exp(-|Re ζ|) Bi with ζ = 2/3 z√z. The latter is no function of z alone: it is exp(iσ Im ζ) times
# exp(-σζ) Bi, where σ is the sign of Re ζ.
airye_ai = call_row("airye_ai", "airye(x)[0]", lambda x, y: np.sqrt(x) * y + airye_ai_slope(x), domain="positive", text="airye(<0>)₀", latex=r"\operatorname{airye}(<0>)_{0}", explained=True, doc="exp(2/3 x sqrt(x)) times Airy's function")
airye_ai_slope: Any = call_row("airye_ai_slope", "airye(x)[1]", lambda x, y: np.sqrt(x) * y + x * airye_ai(x), domain="positive", text="airye(<0>)₁", latex=r"\operatorname{airye}(<0>)_{1}", explained=True, doc="exp(2/3 x sqrt(x)) times the derivative of Airy's function")
airye_bi = elementwise("airye_bi", lambda x: _grown(x, 2), lambda x, y: airye_bi_slope(x) - airye_rate(x) * y, domain="positive", text="airye(<0>)₂", latex=r"\operatorname{airye}(<0>)_{2}", scipy="airye({0})[2]", explained=True, doc="exp(-|2/3 x sqrt(x)|) times Airy's function of the second kind; exp alone is 1 left of 0")
airye_bi_slope: Any = elementwise("airye_bi_slope", lambda x: _grown(x, 3), lambda x, y: x * airye_bi(x) - airye_rate(x) * y, domain="positive", text="airye(<0>)₃", latex=r"\operatorname{airye}(<0>)_{3}", scipy="airye({0})[3]", explained=True, doc="exp(-|2/3 x sqrt(x)|) times the derivative of Airy's function of the second kind")
airye_rate: Any = elementwise("airye_rate", lambda x: _rate(x), lambda x, y: np.where(y == 0, y / x, 0.5 / y), domain="positive", explained=True, doc="the slope of the exponent by which airye divides Bi: sqrt(x), and 0 left of 0")

# by its order it has no derivative that anybody's tables know: it is a parameter
zeta_row: Any = call_row("zeta", "zeta(a, x)", lambda x, a: -a * zeta_row(x, a + 1), sympy="zeta(a, x)", domain="positive", sample=(2.5,), real_only=True, text="ζ(<1>, <0>)", latex=r"\zeta(<1>, <0>)", doc="Hurwitz's zeta function, the sum of (x + k)**-a")

# spherical ones, and Struve's
spherical_j: Any = call_row("spherical_j", "spherical_jn(order, x)", lambda x, order: _between(spherical_j, x, order, -1, 1, True), sympy="sqrt(pi/2/x)*besselj(order + S(1)/2, x)", domain="positive", sample=(1,), finite=True, letter="j_", doc="the spherical Bessel function of the first kind")
spherical_y: Any = call_row("spherical_y", "spherical_yn(order, x)", lambda x, order: _between(spherical_y, x, order, -1, 1, True), sympy="sqrt(pi/2/x)*bessely(order + S(1)/2, x)", domain="positive", sample=(1,), letter="y_", doc="the spherical Bessel function of the second kind")
spherical_i: Any = elementwise("spherical_i", lambda x, order: spherical_in(order, x), lambda x, order: _between(spherical_i, x, order, 1, 1, True), sympy="sqrt(pi/2/x)*besseli(order + S(1)/2, x)", domain="positive", sample=(1,), letter="i_", doc="the modified spherical Bessel function of the first kind")
spherical_k: Any = call_row("spherical_k", "spherical_kn(order, x)", lambda x, order: _between(spherical_k, x, order, 1, -1, True), sympy="sqrt(pi/2/x)*besselk(order + S(1)/2, x)", domain="positive", sample=(1,), letter="k_", doc="the modified spherical Bessel function of the second kind")
struve: Any = call_row("struve", "struve(order, x)", lambda x, order: 2 / math.pi - struve(x, 1) if _is_zero(order) else -_slope(struve, x, 1, -1) if _is_zero(order + 1) else _slope(struve, x, order, -1), domain="positive", sample=(1,), real_only=True, letter="H_", doc="Struve's function")
modstruve: Any = call_row("modstruve", "modstruve(order, x)", lambda x, order: 2 / math.pi + modstruve(x, 1) if _is_zero(order) else _slope(modstruve, x, abs(order) if _is_zero(order + 1) else order, 1), domain="positive", sample=(1,), real_only=True, letter="L_", doc="the modified Struve function")

# by the colatitude, whole numbers n and m; at the poles nothing is divided by
spherical_theta: Any = real_row("spherical_theta", lambda x, n, m: _spherical_theta(x, n, m), lambda x, n, m: np.copysign(0.5, np.sin(x)) * (_ladder(n, m) * spherical_theta(x, n, m + 1) - _ladder(n, -m) * spherical_theta(x, n, m - 1)), sample=(3, 2), domain="unit", finite=True, kink="at a pole, from the inside", explained=True, doc="the spherical harmonic of degree n and order m at the polar angle x and the azimuth 0")

# polynomials: the derivative of each is one of a degree less; those of negative degree are 0
gegenbauer: Any = real_row("gegenbauer", lambda x, degree, weight: _degree(special.eval_gegenbauer, x, degree, weight), lambda x, degree, weight: 2 * weight * gegenbauer(x, degree - 1, weight + 1), sympy="gegenbauer(degree, weight, x)", sample=(4, 1.5), letter="C_^", text="gegenbauer({1}, {2}, {0})", doc="Gegenbauer's polynomial")
chebyshev_t = real_row("chebyshev_t", lambda x, degree: _degree(special.eval_chebyt, x, degree), lambda x, degree: degree * gegenbauer(x, degree - 1, 1.0), sympy="chebyshevt(degree, x)", sample=(4,), letter="T_", text="chebyshev_t({1}, {0})", doc="Chebyshev's polynomial of the first kind")
hermite_h: Any = real_row("hermite_h", lambda x, degree: _degree(special.eval_hermite, x, degree), lambda x, degree: 2 * degree * hermite_h(x, degree - 1), sympy="hermite(degree, x)", sample=(4,), letter="H_", text="hermite_h({1}, {0})", doc="Hermite's polynomial")
hermite_he: Any = real_row("hermite_he", lambda x, degree: _degree(special.eval_hermitenorm, x, degree), lambda x, degree: degree * hermite_he(x, degree - 1), sympy="2**(-degree/2)*hermite(degree, x/sqrt(2))", sample=(4,), letter="He_", text="hermite_he({1}, {0})", doc="Hermite's polynomial with leading coefficient 1")
laguerre: Any = real_row("laguerre", lambda x, degree, alpha: _degree(special.eval_genlaguerre, x, degree, alpha), lambda x, degree, alpha: -laguerre(x, degree - 1, alpha + 1), sympy="assoc_laguerre(degree, alpha, x)", sample=(4, 0), letter="L_^", text="laguerre({1}, {2}, {0})", doc="the associated Laguerre polynomial")
legendre = real_row("legendre", lambda x, degree: _degree(special.eval_legendre, x, degree), lambda x, degree: gegenbauer(x, degree - 1, 1.5), sympy="legendre(degree, x)", sample=(4,), letter="P_", doc="Legendre's polynomial")
jacobi: Any = real_row("jacobi", lambda x, degree, alpha, beta: _degree(special.eval_jacobi, x, degree, alpha, beta), lambda x, degree, alpha, beta: (degree + alpha + beta + 1) / 2 * jacobi(x, degree - 1, alpha + 1, beta + 1), sympy="jacobi(degree, alpha, beta, x)", sample=(4, 0.5, 1.5), letter="P_^", doc="Jacobi's polynomial")
# fmt: on


def _is_zero(order: Any) -> bool:
    """Whether an order is the number 0, whose neighbours are one function; arrays go by the general rule."""
    return np.ndim(order) == 0 and order == 0


def _is_array(x: Any) -> bool:
    """Whether a slope is one of numbers, beside which the function's value is at hand."""
    return isinstance(x, np.ndarray | np.generic)


def _between(row: Any, x: Any, order: Any, sign: int, side: int = 1, spherical: bool = False) -> Any:
    """A slope from the functions of the orders beside one; those of 0 are one function.

    The order below 0 counts 0 times in a spherical one's, and has no value in SciPy.
    """
    if _is_zero(order):
        return row(x, 1) if sign == side else -row(x, 1)
    before = np.maximum(order - 1, 0) if spherical and np.ndim(order) else order - 1
    below, above = row(x, before), row(x, order + 1)
    if spherical:
        below, above = order * below, (order + 1) * above
    return (below + above if sign > 0 else below - above) / (side * (2 * order + 1 if spherical else 2))


def _slope(row: Any, x: Any, order: Any, sign: int) -> Any:
    """Of Struve's functions; that of order -1 is 2/π and one of order 1: its neighbours cancel at 0."""
    power = (x / 2) ** order * (special.rgamma(order + 1.5) / ROOT_PI)
    return (row(x, order - 1) + sign * row(x, order + 1) + power) / 2


def spherical_in(order: Any, x: Any) -> Any:
    """SciPy's function; near 0, where that is 0 too soon, the first term of its series, to which the next is nothing."""
    found = special.spherical_in(order, x)
    near = np.abs(x) < 1e-8
    if not np.any(near):
        return found
    first = (np.where(near, x, 0) / 2) ** order * (special.rgamma(order + 1.5) * ROOT_PI / 2)
    return np.where(near, first, found).astype(found.dtype, copy=False)


def _rate(x: Any) -> Any:
    """The square root whose product with z has a positive real part, 0 for negative numbers."""
    if np.asarray(x).dtype.kind != "c":
        return np.sqrt(np.maximum(x, 0))
    root = np.sqrt(x)
    return np.where((x * root).real < 0, -root, root)


def _grown(x: Any, part: int) -> Any:
    """exp(-ζ) Bi or exp(-ζ) Bi′, with the ζ of both whose real part is positive; of real numbers as SciPy has it."""
    found = special.airye(x)[part]
    return found if np.asarray(x).dtype.kind != "c" else found * np.exp(-2j / 3 * (x * _rate(x)).imag)


def _spherical_theta(x: Any, n: Any, m: Any) -> Any:
    """The real factor of a spherical harmonic; 0 where the order is beyond the degree."""
    return e.in_dtype_of(x, special.sph_harm_y(n, m, np.asarray(x, np.float64), 0.0).real)


def _ladder(n: Any, m: Any) -> Any:
    """What a step of the order up multiplies by; 0 from the last one on."""
    found = np.sqrt(np.maximum((n - m) * (n + m + 1), 0))
    return float(found) if np.ndim(found) == 0 else found


def as_complex(x: Any) -> Any:
    """A tensor of real numbers as one of complex ones: a row's derivatives have its operand's dtype."""
    real = isinstance(x, Tensor) and x._data.dtype.kind == "f"
    return cast(x, np.result_type(x._data.dtype, np.complex64)) if real else x


def _hankel(name: str, row: Any, kind: str) -> None:
    doc = f"Return Hankel's function of the {kind} kind, which is complex: the order has no derivative."
    of_order(name, lambda x, order: row(as_complex(x), order), "order", doc=doc)


def _degree(evaluate: Callable[..., Any], x: Any, degree: Any, *weight: float) -> Any:
    """A polynomial at ``x``, 0 where its degree is a whole number below 0."""
    gone = np.less(degree, 0) & np.equal(np.mod(degree, 1), 0)
    if np.ndim(degree) == 0:
        return np.zeros_like(x) if gone else evaluate(int(degree) if degree % 1 == 0 else degree, *weight, x)
    whole = np.where(gone, 0, degree)
    whole = whole.astype(np.int64) if (whole == np.trunc(whole)).all() else whole
    return np.where(gone, 0.0, evaluate(whole, *weight, x))


# ---------------------------------------------------------------------------------------------------- functions


def zeta(input: Any, other: Any) -> Any:
    """Return Hurwitz's zeta function, the sum of ``(other + k)**-input``."""
    a, x = broadcast_parameter(beside(input, other), beside(other, input), "zeta's first argument")
    return zeta_row(x, a)


SPECIAL: dict[str, Callable[..., Any]] = {
    "i0": i0, "airy_ai": airy_ai, "zeta": zeta,
}  # fmt: skip
"""The functions of torch.special that are written here."""


def _fixed(name: str, row: Callable[..., Any], order: int, words: str) -> None:
    SPECIAL[name] = named(lambda input: row(input, order), name, f"Return {words} and order {order}.")


for _order in (0, 1):
    for _name, _row, _words in (
        ("bessel_j", bessel_j, "the Bessel function of the first kind"),
        ("bessel_y", bessel_y, "the Bessel function of the second kind"),
        ("modified_bessel_i", bessel_i, "the modified Bessel function of the first kind"),
        ("modified_bessel_k", bessel_k, "the modified Bessel function of the second kind"),
        ("scaled_modified_bessel_k", bessel_ke, "exp(x) times the modified Bessel function of the second kind"),
    ):
        _fixed(f"{_name}{_order}", _row, _order, _words)
    _fixed(f"i{_order}e", bessel_ie, _order, "exp(-|x|) times the modified Bessel function of the first kind")
_fixed("i1", bessel_i, 1, "the modified Bessel function of the first kind")


SPECIAL["spherical_bessel_j0"] = named(
    lambda input: e.sinc(input / math.pi), "spherical_bessel_j0",
    "Return ``sin(x) / x``, the spherical Bessel function of order 0; 1 at 0.",
)  # fmt: skip

_POLYNOMIALS: dict[str, Callable[[Any, Any], Any]] = {
    "chebyshev_polynomial_t": chebyshev_t,
    "chebyshev_polynomial_u": lambda x, n: gegenbauer(x, n, 1.0),
    "chebyshev_polynomial_v": lambda x, n: gegenbauer(x, n, 1.0) - gegenbauer(x, n - 1, 1.0),
    "chebyshev_polynomial_w": lambda x, n: gegenbauer(x, n, 1.0) + gegenbauer(x, n - 1, 1.0),
    "hermite_polynomial_h": hermite_h,
    "hermite_polynomial_he": hermite_he,
    "laguerre_polynomial_l": lambda x, n: laguerre(x, n, 0),
    "legendre_polynomial_p": legendre,
}


def _polynomial(name: str, row: Callable[[Any, Any], Any], shifted: bool) -> None:
    def fn(input: Any, n: Any) -> Any:
        if isinstance(n, Tensor) and kind_of(n) == "f":
            input = cast(input, result_type(input, n))
        n, input = broadcast_parameter(n, input, f"{name}'s degree")
        input = cast(input, default_dtype()) if kind_of(input) in ("i", "u", "b") else input
        n = np.trunc(n).astype(np.int64) if np.ndim(n) else int(n)
        return row(input * 2 - 1 if shifted else input, n)

    family = name.removeprefix("shifted_").partition("_")[0].capitalize()
    at = " at ``2 * input - 1``" if shifted else ""
    doc = f"Return {family}'s polynomial of degree ``n``{at}: that kind's which torch.special so names."
    SPECIAL[name] = named(fn, name, doc)


for _name, _row in _POLYNOMIALS.items():
    _polynomial(_name, _row, False)
    if _name.startswith("chebyshev"):
        _polynomial(f"shifted_{_name}", _row, True)


# ------------------------------------------------------------------------------------------------ SciPy's names

for _name, _row, _words, _whole in (
    ("jv", bessel_j, "the Bessel function of the first kind", False),
    ("jve", bessel_j, "the Bessel function of the first kind, which of real numbers is not scaled", False),
    ("yv", bessel_y, "the Bessel function of the second kind", False),
    ("yve", bessel_y, "the Bessel function of the second kind, which of real numbers is not scaled", False),
    ("yn", bessel_y, "the Bessel function of the second kind, of a whole order", True),
    ("iv", bessel_i, "the modified Bessel function of the first kind", False),
    ("ive", bessel_ie, "exp(-|x|) times the modified Bessel function of the first kind", False),
    ("kv", bessel_k, "the modified Bessel function of the second kind", False),
    ("kn", bessel_k, "the modified Bessel function of the second kind, of a whole order", True),
    ("kve", bessel_ke, "exp(x) times the modified Bessel function of the second kind", False),
    ("spherical_jn", spherical_j, "the spherical Bessel function of the first kind", True),
    ("spherical_yn", spherical_y, "the spherical Bessel function of the second kind", True),
    ("spherical_in", spherical_i, "the modified spherical Bessel function of the first kind", True),
    ("spherical_kn", spherical_k, "the modified spherical Bessel function of the second kind", True),
    ("struve", struve, "Struve's function", False),
    ("modstruve", modstruve, "the modified Struve function", False),
):
    of_order(_name, _row, "order", whole=_whole, doc=f"Return {_words}; ``v`` is the order, which has no derivative.")


def _chebyt(x: Any, n: Any) -> Any:
    return chebyshev_t(x, abs(n))


def _chebyu(x: Any, n: Any) -> Any:
    return gegenbauer(x, n, 1.0) if np.all(np.greater(n, -2)) else gegenbauer(x, abs(n + 1) - 1, 1.0) * np.sign(n + 1)


def _legendre(x: Any, n: Any) -> Any:
    return legendre(x, n if np.all(np.greater_equal(n, 0)) else abs(n + 0.5) - 0.5)


def _from_0(row: Any, x: Any, n: Any) -> Any:
    return row(x, n) if np.all(np.greater_equal(n, 0)) else row(x, abs(n)) * np.where(np.less(n, 0), np.nan, 1.0)


# degrees below 0: T(-n) = T(n), U(-n) = -U(n - 2), P(-n) = P(n - 1); SciPy has no Hermite polynomials of such
_OF_DEGREE: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "eval_legendre": (_legendre, ()),
    "eval_chebyt": (_chebyt, ()),
    "eval_chebyu": (_chebyu, ()),
    "eval_chebyc": (lambda x, n: 2 * _chebyt(x / 2, n), ()),
    "eval_chebys": (lambda x, n: _chebyu(x / 2, n), ()),
    "eval_sh_legendre": (lambda x, n: _legendre(2 * x - 1, n), ()),
    "eval_sh_chebyt": (lambda x, n: _chebyt(2 * x - 1, n), ()),
    "eval_sh_chebyu": (lambda x, n: _chebyu(2 * x - 1, n), ()),
    "eval_hermite": (lambda x, n: _from_0(hermite_h, x, n), ()),
    "eval_hermitenorm": (lambda x, n: _from_0(hermite_he, x, n), ()),
    "eval_laguerre": (lambda x, n: laguerre(x, n, 0), ()),
    "eval_genlaguerre": (laguerre, ("alpha",)),
    "eval_gegenbauer": (gegenbauer, ("alpha",)),
    "eval_jacobi": (jacobi, ("alpha", "beta")),
    "eval_sh_jacobi": (
        lambda x, n, p, q: jacobi(2 * x - 1, n, p - q, q - 1) / special.binom(2 * n + p - 1, n), ("p", "q"),
    ),
}  # fmt: skip
for _name, (_row, _weights) in _OF_DEGREE.items():
    of_order(_name, _row, "degree", *_weights, doc=f"Return SciPy's {_name}: its degree has no derivative.")


def airy(x: Any) -> tuple[Any, ...]:
    """Return Airy's functions Ai and Bi with their derivatives: Ai, Ai′, Bi, Bi′."""
    return airy_ai(x), airy_ai_slope(x), airy_bi(x), airy_bi_slope(x)


def airye(x: Any) -> tuple[Any, ...]:
    """Return Airy's functions scaled: exp(ζ) Ai, exp(ζ) Ai′, exp(-|Re ζ|) Bi, exp(-|Re ζ|) Bi′ for ζ = 2/3 x sqrt(x).

    Of negative numbers the first two are NaN, unless they are complex ones.
    """
    bi = airye_bi(x), airye_bi_slope(x)
    if isinstance(x, Tensor) and x._data.dtype.kind == "c":
        exponent = x * airye_rate(x)
        turn = np.exp(exponent.imag * (2j / 3))
        bi = bi[0] * turn, bi[1] * turn
    return airye_ai(x), airye_ai_slope(x), *bi


_hankel("hankel1", hankel_1, "first")
_hankel("hankel2", hankel_2, "second")
SCIPY_NAMES |= {"airy": airy, "airye": airye}
SCIPY_NAMES["_zeta"] = zeta
