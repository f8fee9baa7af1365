"""Bessel functions, the incomplete gamma function, orthogonal polynomials: what torch.special and SciPy have besides.

The idea to hold: a derivative is the same function of a neighbouring order (DLMF 10.6, 10.29, 18.9), so a row has its
order as a parameter, and derivatives of every order follow from one line, without a division.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError
from ...core import Tensor, elementwise, table
from .._dims import known, sizes
from .._lazy import special
from .._public import public, publish
from . import _elementwise as e

# ruff: noqa: E501  (a row is a line)
# fmt: off

SQRT2 = math.sqrt(2)

bessel_j: Any = elementwise("bessel_j", lambda x, order: special.jv(order, x), lambda x, order: -bessel_j(x, 1) if order == 0 else (bessel_j(x, order - 1) - bessel_j(x, order + 1)) / 2, sympy="besselj(order, x)", sample=(1,), real_only=True, finite=True, text="bessel_j({1}, {0})", doc="the Bessel function of the first kind")
bessel_y: Any = elementwise("bessel_y", lambda x, order: special.yv(order, x), lambda x, order: -bessel_y(x, 1) if order == 0 else (bessel_y(x, order - 1) - bessel_y(x, order + 1)) / 2, sympy="bessely(order, x)", domain="positive", sample=(1,), real_only=True, text="bessel_y({1}, {0})", doc="the Bessel function of the second kind")
bessel_i: Any = elementwise("bessel_i", lambda x, order: special.iv(order, x), lambda x, order: bessel_i(x, 1) if order == 0 else (bessel_i(x, order - 1) + bessel_i(x, order + 1)) / 2, sympy="besseli(order, x)", sample=(1,), real_only=True, text="bessel_i({1}, {0})", doc="the modified Bessel function of the first kind")
bessel_k: Any = elementwise("bessel_k", lambda x, order: special.kv(order, x), lambda x, order: -bessel_k(x, 1) if order == 0 else (bessel_k(x, order - 1) + bessel_k(x, order + 1)) / -2, sympy="besselk(order, x)", domain="positive", sample=(1,), real_only=True, text="bessel_k({1}, {0})", doc="the modified Bessel function of the second kind")
bessel_ie: Any = elementwise("bessel_ie", lambda x, order: special.ive(order, x), lambda x, order, y: (bessel_ie(x, 1) if order == 0 else (bessel_ie(x, order - 1) + bessel_ie(x, order + 1)) / 2) - np.sign(x) * y, sympy="exp(-Abs(x))*besseli(order, x)", domain="nonzero", sample=(1,), kink="half of both sides at 0", real_only=True, finite=True, text="bessel_ie({1}, {0})", doc="exp(-|x|) times the modified Bessel function of the first kind")
bessel_ke: Any = elementwise("bessel_ke", lambda x, order: special.kve(order, x), lambda x, order, y: y - (bessel_ke(x, 1) if order == 0 else (bessel_ke(x, order - 1) + bessel_ke(x, order + 1)) / 2), sympy="exp(x)*besselk(order, x)", domain="positive", sample=(1,), real_only=True, text="bessel_ke({1}, {0})", doc="exp(x) times the modified Bessel function of the second kind")
airy_ai: Any = elementwise("airy_ai", lambda x: special.airy(x)[0], lambda x: airy_ai_slope(x), sympy="airyai(x)", real_only=True, doc="Airy's function")
airy_ai_slope: Any = elementwise("airy_ai_slope", lambda x: special.airy(x)[1], lambda x: x * airy_ai(x), sympy="-x*besselk(2/3, 2*x**(3/2)/3)/(pi*sqrt(3))", domain="positive", real_only=True, doc="the derivative of Airy's function")
erfcx: Any = elementwise("erfcx", lambda x: special.erfcx(x), lambda x, y: -SQRT2 * y * e.normal_hazard_excess(-SQRT2 * x), sympy="exp(x**2)*erfc(x)", real_only=True, doc="exp(x**2) * erfc(x), without underflow")

# these have no derivative in a that anybody's tables know: it is a parameter
zeta_row: Any = elementwise("zeta", lambda x, a: special.zeta(a, x), lambda x, a: -a * zeta_row(x, a + 1), sympy="zeta(a, x)", domain="positive", sample=(2.5,), real_only=True, text="zeta({1}, {0})", doc="Hurwitz's zeta function, the sum of (x + k)**-a")
igamma_row = elementwise("igamma", lambda x, a: special.gammainc(a, x), lambda x, a: _gamma_density(x, a), sympy="lowergamma(a, x)/gamma(a)", domain="positive", sample=(2.5,), real_only=True, text="igamma({1}, {0})", doc="the lower incomplete gamma function, divided by gamma(a)")
igammac_row = elementwise("igammac", lambda x, a: special.gammaincc(a, x), lambda x, a: -_gamma_density(x, a), sympy="uppergamma(a, x)/gamma(a)", domain="positive", sample=(2.5,), real_only=True, text="igammac({1}, {0})", doc="1 - igamma, without cancellation")

# polynomials: the derivative of each is one of a degree less; those of negative degree are 0
gegenbauer: Any = elementwise("gegenbauer", lambda x, degree, weight: _degree(special.eval_gegenbauer, x, degree, weight), lambda x, degree, weight: 2 * weight * gegenbauer(x, degree - 1, weight + 1), sympy="gegenbauer(degree, weight, x)", sample=(4, 1.5), real_only=True, text="gegenbauer({1}, {2}, {0})", doc="Gegenbauer's polynomial")
chebyshev_t = elementwise("chebyshev_t", lambda x, degree: _degree(special.eval_chebyt, x, degree), lambda x, degree: degree * gegenbauer(x, degree - 1, 1.0), sympy="chebyshevt(degree, x)", sample=(4,), real_only=True, text="chebyshev_t({1}, {0})", doc="Chebyshev's polynomial of the first kind")
hermite_h: Any = elementwise("hermite_h", lambda x, degree: _degree(special.eval_hermite, x, degree), lambda x, degree: 2 * degree * hermite_h(x, degree - 1), sympy="hermite(degree, x)", sample=(4,), real_only=True, text="hermite_h({1}, {0})", doc="Hermite's polynomial")
hermite_he: Any = elementwise("hermite_he", lambda x, degree: _degree(special.eval_hermitenorm, x, degree), lambda x, degree: degree * hermite_he(x, degree - 1), sympy="2**(-degree/2)*hermite(degree, x/sqrt(2))", sample=(4,), real_only=True, text="hermite_he({1}, {0})", doc="Hermite's polynomial with leading coefficient 1")
laguerre: Any = elementwise("laguerre", lambda x, degree, alpha: _degree(special.eval_genlaguerre, x, degree, alpha), lambda x, degree, alpha: -laguerre(x, degree - 1, alpha + 1), sympy="binomial(degree + alpha, degree)*hyper([-degree], [alpha + 1], x)", sample=(4, 0), real_only=True, text="laguerre({1}, {2}, {0})", doc="the associated Laguerre polynomial")
# fmt: on


def _gamma_density(x: Any, a: Any) -> Any:
    return np.exp(e.xlogy(a - 1, x) - x - special.gammaln(a))


def _degree(evaluate: Callable[..., Any], x: Any, degree: Any, *weight: float) -> Any:
    """A polynomial at ``x``, 0 where its degree is negative."""
    return np.where(np.less(degree, 0), 0.0, evaluate(np.maximum(degree, 0), *weight, x))


# ---------------------------------------------------------------------------------------------------- functions


def _parameter(a: Any, x: Any, what: str) -> tuple[Any, Any]:
    """A parameter as a number or an array, and the operand with its dimensions."""
    if isinstance(a, Tensor) and a._node is not None:
        raise NotDifferentiableError(
            f"{what} has no derivative rule for a tensor that requires grad", "There is no formula for it.",
            "detach() it: the other derivative there is.",
        )  # fmt: skip
    a = known(a, what)
    return a, table("expand")(x, np.broadcast_shapes(sizes(x), a.shape)) if np.ndim(a) else x


def _with_parameter(row: Callable[..., Any], name: str, doc: str) -> Callable[..., Any]:
    def fn(input: Any, other: Any) -> Any:
        a, x = _parameter(input, other, f"{name}'s first argument")
        return row(x, a)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = doc
    return fn


igamma = publish(_with_parameter(
    igamma_row, "igamma", "Return the lower incomplete gamma function of ``input`` at ``other``, over ``gamma(input)``."
), "igamma", inplace=True)  # fmt: skip
igammac = publish(_with_parameter(
    igammac_row, "igammac", "Return ``1 - igamma(input, other)``, without cancellation."
), "igammac", inplace=True)  # fmt: skip
zeta = _with_parameter(zeta_row, "zeta", "Return Hurwitz's zeta function, the sum of ``(other + k)**-input``.")


@public(inplace=True, numpy=(np.i0,))
def i0(input: Any) -> Any:
    """Return the modified Bessel function of the first kind and order 0."""
    return bessel_i(input, 0)


SPECIAL: dict[str, Callable[..., Any]] = {
    "i0": i0, "airy_ai": airy_ai, "erfcx": erfcx, "zeta": zeta, "gammainc": igamma, "gammaincc": igammac,
}  # fmt: skip
"""The functions of torch.special that are written here."""


def _fixed(name: str, row: Callable[..., Any], order: int, words: str) -> None:
    def fn(input: Any) -> Any:
        return row(input, order)

    _named(fn, name, f"Return {words} and order {order}.")


def _named(fn: Callable[..., Any], name: str, doc: str) -> None:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = doc
    SPECIAL[name] = fn


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


def _spherical(input: Any) -> Any:
    return e.sinc(input / math.pi)


_named(_spherical, "spherical_bessel_j0", "Return ``sin(x) / x``, the spherical Bessel function of order 0; 1 at 0.")

_POLYNOMIALS: dict[str, Callable[[Any, Any], Any]] = {
    "chebyshev_polynomial_t": chebyshev_t,
    "chebyshev_polynomial_u": lambda x, n: gegenbauer(x, n, 1.0),
    "chebyshev_polynomial_v": lambda x, n: gegenbauer(x, n, 1.0) - gegenbauer(x, n - 1, 1.0),
    "chebyshev_polynomial_w": lambda x, n: gegenbauer(x, n, 1.0) + gegenbauer(x, n - 1, 1.0),
    "hermite_polynomial_h": hermite_h,
    "hermite_polynomial_he": hermite_he,
    "laguerre_polynomial_l": lambda x, n: laguerre(x, n, 0),
    "legendre_polynomial_p": lambda x, n: gegenbauer(x, n, 0.5),
}


def _polynomial(name: str, row: Callable[[Any, Any], Any], shifted: bool) -> None:
    def fn(input: Any, n: Any) -> Any:
        n, input = _parameter(n, input, f"{name}'s degree")
        n = np.trunc(n).astype(np.int64) if np.ndim(n) else int(n)
        return row(input * 2 - 1 if shifted else input, n)

    family = name.removeprefix("shifted_").partition("_")[0].capitalize()
    at = " at ``2 * input - 1``" if shifted else ""
    _named(fn, name, f"Return {family}'s polynomial of degree ``n``{at}: that kind's which torch.special so names.")


for _name, _row in _POLYNOMIALS.items():
    _polynomial(_name, _row, False)
    if _name.startswith("chebyshev"):
        _polynomial(f"shifted_{_name}", _row, True)
