"""The reciprocal gamma function, and the incomplete gamma and beta functions in every argument, with their inverses.

The idea to hold: by its last argument an incomplete function has its density for a slope, which is elementary; by its
parameters it has a row of its own (`_incomplete.py`), and that one more for the second derivative. An inverse has the
slopes of the function that it inverts, divided by the density (dF = 0 along p = F(a, x)).

Source: NIST Digital Library of Mathematical Functions, chapters 5 and 8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._limits import FACTORS
from ...core import elementwise
from .._lazy import special
from .._public import publish
from . import _elementwise as e
from . import _incomplete
from ._incomplete import rounded, spread
from ._named import SCIPY_NAMES, defined, special_row

# ruff: noqa: E501  (a row is a line)
# fmt: off

# --------------------------------------------------------------------------------------------- 1/Γ and Γ(a+m)/Γ(a)


def _derivatives(value: Any, slopes: list[Any]) -> list[Any]:
    """The derivatives of a function f, of which f' = f s: its value, and s with its derivatives, are given."""
    found = [value]
    for n in range(len(slopes)):
        found.append(sum(math.comb(n, k) * found[n - k] * slopes[k] for k in range(n + 1)))
    return found


def _rgamma(x: Any, n: int) -> Any:
    """The n-th derivative of 1/Γ; left of 1/2 of sin(πx) Γ(1 - x)/π, which is exact also where Γ has its poles."""
    left, right = np.minimum(x, 0.5), np.maximum(x, 0.5)
    psi = lambda k, x: special.digamma(x) if k == 0 else special.polygamma(k, x)
    above = _derivatives(special.rgamma(right), [-psi(k, right) for k in range(n)])[n]
    gammas = _derivatives(special.gamma(1 - left), [(-1) ** (k + 1) * psi(k, 1 - left) for k in range(n)])
    waves = [np.sin(math.pi * left), np.cos(math.pi * left)]
    turns = [(-1) ** (k // 2) * math.pi**k * waves[k % 2] for k in range(n + 1)]
    below = sum(math.comb(n, k) * turns[k] * gammas[n - k] for k in range(n + 1)) / math.pi
    return np.where(x < 0.5, below, above).astype(getattr(x, "dtype", float), copy=False)


def _poch(a: Any, m: Any, n: int) -> np.ndarray:
    """The n-th derivative by a of Γ(a + m)/Γ(a): of whole m of the product, or left of 1/2 of its reflection
    (-1)^m Γ(1 - a)/Γ(1 - a - m); of others by 1/Γ, which has no poles."""
    given = (a, m)
    a, m = spread(a, m)
    psi = lambda x: [special.digamma(x), *(special.polygamma(k, x) for k in range(1, n))]
    with np.errstate(all="ignore"):
        right, left = np.where(a < 0.5, 1.0, a), np.minimum(a, 0.5)
        slopes = [p - q for p, q in zip(psi(right + m), psi(right), strict=True)]
        above = _derivatives(special.poch(right, m), slopes)[n]
        gammas = _derivatives(special.gamma(left + m), psi(left + m))
        below = sum(math.comb(n, k) * gammas[n - k] * _rgamma(left, k) for k in range(n + 1))
        turned = _derivatives(special.gamma(1 - left), psi(1 - left))
        signs = [(1 - 2 * (m % 2)) * (-1) ** n * math.comb(n, k) for k in range(n + 1)]
        reflected = sum(s * turned[n - k] * _rgamma(1 - left - m, k) for k, s in enumerate(signs))
        below = np.where(m % 1 == 0, reflected, below)
        whole = (m % 1 == 0) & (np.abs(m) <= FACTORS)
        taylor = [np.ones_like(a), *(np.zeros_like(a) for _ in range(n))]  # of the product, at a
        for k in range(int(np.max(m, where=whole, initial=0))):
            for j in range(n, -1, -1):
                taylor[j] = np.where(k < m, taylor[j] * (a + k) + (taylor[j - 1] if j else 0), taylor[j])
        for k in range(1, 1 - int(np.min(m, where=whole, initial=0))):
            for j in range(n + 1):
                taylor[j] = np.where(k <= -m, (taylor[j] - (taylor[j - 1] if j else 0)) / (a - k), taylor[j])
    return rounded(np.where(whole, math.factorial(n) * taylor[n], np.where(a < 0.5, below, above)), *given)


rgamma: Any = special_row("rgamma", "x", lambda x: -rgamma_slope(x), sympy="1/gamma(x)", domain="positive", text="(1/Γ(<0>))", latex=r"\frac{1}{\Gamma(<0>)}", doc="1 / gamma(x), 0 where gamma has a pole")
rgamma_slope: Any = elementwise("rgamma_slope", lambda x: -_rgamma(x, 1), lambda x: -rgamma_bend(x), sympy="digamma(x)/gamma(x)", domain="positive", real_only=True, text="(ψ(<0>)/Γ(<0>))", latex=r"\frac{\psi(<0>)}{\Gamma(<0>)}", doc="digamma(x) / gamma(x)")
rgamma_bend: Any = elementwise("rgamma_bend", lambda x: _rgamma(x, 2), lambda x: rgamma_order(x, 3), sympy="(digamma(x)**2 - polygamma(1, x))/gamma(x)", domain="positive", real_only=True, text="((ψ(<0>)² − ψ⁽¹⁾(<0>))/Γ(<0>))", latex=r"\frac{\psi(<0>)^{2} - \psi^{(1)}(<0>)}{\Gamma(<0>)}", doc="(digamma(x)**2 - polygamma(1, x)) / gamma(x)")
rgamma_order: Any = elementwise("rgamma_order", lambda x, n: _rgamma(x, n), lambda x, n: rgamma_order(x, n + 1), domain="positive", sample=(3,), real_only=True, explained=True, doc="the n-th derivative of 1 / gamma(x)")
poch: Any = special_row("poch", "a m", lambda a, m: poch_slope(a, m), lambda a, m, y: y * e.digamma(a + m), domain="positive", sympy="gamma(a + m)/gamma(a)", doc="Pochhammer's symbol, gamma(a + m) / gamma(a)")
poch_slope: Any = elementwise("poch_slope", lambda a, m: _poch(a, m, 1), lambda a, m: poch_by_a(a, m, 2), lambda a, m, y: y * e.digamma(a + m) + poch(a, m) * e.polygamma_order(a + m, 1), domain="positive", sympy="gamma(a + m)/gamma(a)*(digamma(a + m) - digamma(a))", real_only=True, text="((ψ(<0> + <1>) − ψ(<0>)) ⊙ poch(<0>, <1>))", latex=r"(\psi(<0> + <1>) - \psi(<0>)) \odot \operatorname{poch}(<0>, <1>)", doc="the derivative of Pochhammer's symbol by a")
poch_by_a: Any = elementwise("poch_by_a", lambda a, m, n: _poch(a, m, n), lambda a, m, n: poch_by_a(a, m, n + 1), lambda a, m, n: sum(math.comb(n, k) * poch_by_a(a, m, k) * e.polygamma_order(a + m, n - k) for k in range(1, n)) + poch_by_a(a, m, n) * e.digamma(a + m) + poch(a, m) * e.polygamma_order(a + m, n), domain="positive", sample=(2,), real_only=True, explained=True, doc="the n-th derivative of Pochhammer's symbol by a")
loggamma: Any = special_row("loggamma", "x", lambda x, y: defined(e.digamma(x), y), domain="positive", sympy="loggamma(x)", doc="the logarithm of gamma, NaN for negative numbers")

# ------------------------------------------------------------------------------------------- incomplete gamma functions


def _gamma_density(a: Any, x: Any) -> Any:
    inside = (a > 0) & (x >= 0)
    found = np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))
    found = np.where(inside, np.where(x == np.inf, 0, found), np.nan)
    return np.where((a == 0) & (x > 0), 0, found).astype(found.dtype, copy=False)


def _falling(a: Any, k: int) -> Any:
    """(a - 1) (a - 2) ... (a - k): by what the k-th derivative of x**(a - 1) is x**(a - 1 - k)."""
    return math.prod(a - i for i in range(1, k + 1))


def _falling_slope(a: Any, k: int) -> Any:
    """The derivative of `_falling` by a."""
    return sum(math.prod(a - i for i in range(1, k + 1) if i != j) for j in range(1, k + 1))


def _lower_power(factor: Any, density: Any, near: Any, log: Any, powers: Any) -> Any:
    """factor density/powers; ``near`` an end, where that may be 0/0, by its logarithm; 0 where the factor is."""
    with np.errstate(all="ignore"):
        found = factor * np.where(near, np.exp(log), density / np.where(near, 1, powers))
    return np.where(np.isnan(density), np.nan, np.where(factor == 0, 0, found)).astype(density.dtype, copy=False)


def _gamma_lower(a: Any, x: Any, k: int) -> Any:
    log = special.xlogy(a - 1 - k, x) - x - special.gammaln(a)
    return _lower_power(_falling(a, k), _gamma_density(a, x), x < END, log, x**k)


END = 1e-50
"""So near the end of a domain a density over a power of the distance is computed by its logarithm."""


def _by_shape(a: Any, x: Any) -> Any:
    """The slope of the logarithm of the gamma density by its parameter."""
    return np.log(x) - e.digamma(a)


gamma_density: Any = elementwise("gamma_density", _gamma_density, lambda a, x, y: y * _by_shape(a, x), lambda a, x, y: gamma_lower(a, x, 1) - y, sympy="x**(a - 1)*exp(-x)/gamma(a)", domain="positive", real_only=True, text="(<1>^(<0> − 1) ⊙ exp(−<1>)/Γ(<0>))", latex=r"\frac{<1>^{<0> - 1} \odot \exp(-<1>)}{\Gamma(<0>)}", doc="the gamma density, x**(a - 1) exp(-x) / gamma(a)")
gamma_lower: Any = elementwise("gamma_lower", _gamma_lower, lambda a, x, y, k: y * _by_shape(a, x) + _falling_slope(a, k) * gamma_density(a, x) / x**k, lambda a, x, y, k: gamma_lower(a, x, k + 1) - y, sympy="x**(a - 1 - k)*exp(-x)/gamma(a - k)", domain="positive", sample=(1,), real_only=True, text="(<1>^(<0> − <2> − 1) ⊙ exp(−<1>)/Γ(<0> − <2>))", latex=r"\frac{<1>^{<0> - <2> - 1} \odot \exp(-<1>)}{\Gamma(<0> - <2>)}", doc="x**(a - k - 1) exp(-x) / gamma(a - k): the gamma density of a - k, for a above 0")
igamma: Any = elementwise("igamma", lambda a, b: special.gammainc(a, b), lambda a, b: igamma_by_a(a, b), lambda a, b: gamma_density(a, b), domain="positive", real_only=True, letter="P", scipy="gammainc({0}, {1})", doc="the lower incomplete gamma function, divided by gamma(a)")
igammac: Any = elementwise("igammac", lambda a, b: special.gammaincc(a, b), lambda a, b: -igamma_by_a(a, b), lambda a, b: -gamma_density(a, b), domain="positive", real_only=True, letter="Q", scipy="gammaincc({0}, {1})", doc="1 - igamma, without cancellation")
igamma_by_a: Any = elementwise("igamma_by_a", lambda a, x: _incomplete.gamma_slope(a, x), lambda a, x: igamma_by_aa(a, x), lambda a, x: gamma_density(a, x) * _by_shape(a, x), domain="positive", real_only=True, text="∂P/∂a(<0>, <1>)", latex=r"\tfrac{\partial P}{\partial a}(<0>, <1>)", doc="the derivative of P(a, x), the lower incomplete gamma function, by a")
igamma_by_aa: Any = elementwise("igamma_by_aa", lambda a, x: _incomplete.gamma_bend(a, x), None, lambda a, x: gamma_density(a, x) * (_by_shape(a, x)**2 - e.polygamma_order(a, 1)), domain="positive", real_only=True, text="∂²P/∂a²(<0>, <1>)", latex=r"\tfrac{\partial^{2} P}{\partial a^{2}}(<0>, <1>)", doc="the second derivative of P(a, x), the lower incomplete gamma function, by a")
gammaincinv: Any = special_row("gammaincinv", "a p", lambda a, y: -igamma_by_a(a, y) / gamma_density(a, y), lambda a, y: 1 / gamma_density(a, y), domain=("positive", "probability"), doc="the x at which igamma(a, x) is p")
gammainccinv: Any = special_row("gammainccinv", "a p", lambda a, y: -igamma_by_a(a, y) / gamma_density(a, y), lambda a, y: -1 / gamma_density(a, y), domain=("positive", "probability"), doc="the x at which igammac(a, x) is p")

# -------------------------------------------------------------------------------------------- incomplete beta functions


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    inside = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    found = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
    at_an_end = (a >= 0) & (b >= 0) & ((a == 0) != (b == 0)) & (x > 0) & (x < 1)  # all of it is at 0, or at 1
    return np.where(inside, found, np.where(at_an_end, 0.0, np.nan)).astype(found.dtype, copy=False)


def _beta_lower(a: Any, b: Any, x: Any, j: int, k: int) -> Any:
    log = special.xlogy(a - 1 - j, x) + special.xlog1py(b - 1 - k, -x) - special.betaln(a, b)
    near = (x < END) | (x == 1)
    return _lower_power(_falling(a, j) * _falling(b, k), _beta_density(a, b, x), near, log, x**j * (1 - x) ** k)


def _by_first(a: Any, b: Any, x: Any) -> Any:
    """The slope of the logarithm of the beta density by its first parameter."""
    return np.log(x) - e.digamma(a) + e.digamma(a + b)


def _by_second(a: Any, b: Any, x: Any) -> Any:
    return np.log1p(-x) - e.digamma(b) + e.digamma(a + b)


_SHAPES = ("positive", "positive", "probability")
beta_density: Any = elementwise("beta_density", _beta_density, lambda a, b, x, y: y * _by_first(a, b, x), lambda a, b, x, y: y * _by_second(a, b, x), lambda a, b, x: beta_lower(a, b, x, 1, 0) - beta_lower(a, b, x, 0, 1), domain=_SHAPES, real_only=True, text="(<2>^(<0> − 1) ⊙ (1 − <2>)^(<1> − 1)/B(<0>, <1>))", latex=r"\frac{<2>^{<0> - 1} \odot (1 - <2>)^{<1> - 1}}{\mathrm{B}(<0>, <1>)}", doc="the beta density, x**(a - 1) (1 - x)**(b - 1) / beta(a, b)")
beta_lower: Any = elementwise("beta_lower", _beta_lower, lambda a, b, x, y, j, k: y * _by_first(a, b, x) + _falling_slope(a, j) * _falling(b, k) * beta_density(a, b, x) / (x**j * (1 - x)**k), lambda a, b, x, y, j, k: y * _by_second(a, b, x) + _falling(a, j) * _falling_slope(b, k) * beta_density(a, b, x) / (x**j * (1 - x)**k), lambda a, b, x, j, k: beta_lower(a, b, x, j + 1, k) - beta_lower(a, b, x, j, k + 1), domain=_SHAPES, sample=(1, 1), real_only=True, text="(Γ(<0> + <1>) ⊙ <2>^(<0> − <3> − 1) ⊙ (1 − <2>)^(<1> − <4> − 1)/(Γ(<0> − <3>) ⊙ Γ(<1> − <4>)))", latex=r"\frac{\Gamma(<0> + <1>) \odot <2>^{<0> - <3> - 1} \odot (1 - <2>)^{<1> - <4> - 1}}{\Gamma(<0> - <3>) \odot \Gamma(<1> - <4>)}", doc="x**(a - j - 1) (1 - x)**(b - k - 1) gamma(a + b) / (gamma(a - j) gamma(b - k))")
betainc: Any = special_row("betainc", "a b x", lambda a, b, x: betainc_by_a(a, b, x), lambda a, b, x: betainc_by_b(a, b, x), lambda a, b, x: beta_density(a, b, x), domain=_SHAPES, text="I(<2>; <0>, <1>)", latex=r"I_{<2>}(<0>, <1>)", doc="the incomplete beta function, divided by beta(a, b)")
betaincc: Any = special_row("betaincc", "a b x", lambda a, b, x: -betainc_by_a(a, b, x), lambda a, b, x: -betainc_by_b(a, b, x), lambda a, b, x: -beta_density(a, b, x), domain=_SHAPES, doc="1 - betainc, without cancellation")


_SAID = {"a": "∂a", "b": "∂b", "aa": "∂a²", "ab": "∂a∂b", "bb": "∂b²"}
_BELOW = {
    "a": r"\partial a", "b": r"\partial b", "aa": r"\partial a^{2}", "ab": r"\partial a\,\partial b",
    "bb": r"\partial b^{2}",
}


def _slope_of_beta(wanted: str, by_a: Any, by_b: Any, by_x: Any) -> Any:
    """The row of a derivative of I_x(a, b) by its parameters."""
    order, said = ("²" if len(wanted) == 2 else ""), _SAID[wanted]
    return elementwise(
        f"betainc_by_{wanted}", lambda a, b, x: _incomplete.beta_slope(a, b, x, wanted), by_a, by_b, by_x,
        domain=_SHAPES, real_only=True, text=f"∂{order}I/{said}(<2>; <0>, <1>)",
        latex=rf"\tfrac{{\partial{'^{2}' if order else ''} I_{{<2>}}}}{{{_BELOW[wanted]}}}(<0>, <1>)",
        doc=f"the derivative of the incomplete beta function I(x; a, b) by {' and '.join(wanted)}",
    )


betainc_by_aa: Any = _slope_of_beta("aa", None, None, lambda a, b, x: beta_density(a, b, x) * (_by_first(a, b, x)**2 - e.polygamma_order(a, 1) + e.polygamma_order(a + b, 1)))
betainc_by_ab: Any = _slope_of_beta("ab", None, None, lambda a, b, x: beta_density(a, b, x) * (_by_first(a, b, x) * _by_second(a, b, x) + e.polygamma_order(a + b, 1)))
betainc_by_bb: Any = _slope_of_beta("bb", None, None, lambda a, b, x: beta_density(a, b, x) * (_by_second(a, b, x)**2 - e.polygamma_order(b, 1) + e.polygamma_order(a + b, 1)))
betainc_by_a: Any = _slope_of_beta("a", "betainc_by_aa", "betainc_by_ab", lambda a, b, x: beta_density(a, b, x) * _by_first(a, b, x))
betainc_by_b: Any = _slope_of_beta("b", "betainc_by_ab", "betainc_by_bb", lambda a, b, x: beta_density(a, b, x) * _by_second(a, b, x))
_LEVELS = ("positive", "positive", "probability")
betaincinv: Any = special_row("betaincinv", "a b p", lambda a, b, y: -betainc_by_a(a, b, y) / beta_density(a, b, y), lambda a, b, y: -betainc_by_b(a, b, y) / beta_density(a, b, y), lambda a, b, y: 1 / beta_density(a, b, y), domain=_LEVELS, doc="the x at which betainc(a, b, x) is p")
betainccinv: Any = special_row("betainccinv", "a b p", lambda a, b, y: -betainc_by_a(a, b, y) / beta_density(a, b, y), lambda a, b, y: -betainc_by_b(a, b, y) / beta_density(a, b, y), lambda a, b, y: -1 / beta_density(a, b, y), domain=_LEVELS, doc="the x at which betaincc(a, b, x) is p")
# fmt: on

publish(igamma, "igamma", inplace=True)
publish(igammac, "igammac", inplace=True)
SCIPY_NAMES |= {"gammainc": igamma, "gammaincc": igammac}
