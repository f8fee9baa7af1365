"""The incomplete gamma and beta functions in every argument, with their inverses; and what SciPy calls each special function."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from ..._config import default_dtype
from ..._errors import NotDifferentiableError
from ..._limits import FACTORS
from ...core import Tensor, elementwise, has_history, row_function, wrap
from ..arguments import is_number, known_values, sizes
from ..lazy import arguments_of, calling, special
from ..public import named, publish
from . import elementwise as e

# -------------------------------------------------------------------------------------------------------------------
# Numbers that carry their derivatives: what series and continued fractions are summed with to differentiate them

# The idea to hold: a recurrence that is run with these gives, beside its value, the derivatives of the very sums that
# it makes, exact to rounding. A jet has a value, one slope per parameter and, if asked for, the second derivatives.


class Jet:
    """A value ``v`` with slopes ``g`` by each of the parameters and second derivatives ``h[i, j]``, i <= j.

    ``h`` is empty where second derivatives are not wanted. Arrays of one shape in each place; 0 stands for itself.
    """

    __slots__ = ("g", "h", "v")

    g: list[Any]
    h: dict[tuple[int, int], Any]
    v: Any

    def __init__(self, v: Any, g: list[Any], h: dict[tuple[int, int], Any]) -> None:
        self.v, self.g, self.h = v, g, h

    def __add__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            return Jet(self.v + other, self.g, self.h)
        h = {k: self.h[k] + other.h[k] for k in self.h}
        return Jet(self.v + other.v, [a + b for a, b in zip(self.g, other.g, strict=True)], h)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Jet:
        if not isinstance(other, Jet):
            h = {k: v * other for k, v in self.h.items()}
            return Jet(self.v * other, [a * other for a in self.g], h)
        u, w = self, other
        g = [a * w.v + u.v * b for a, b in zip(u.g, w.g, strict=True)]
        h = {(i, j): u.h[i, j] * w.v + u.g[i] * w.g[j] + u.g[j] * w.g[i] + u.v * w.h[i, j] for i, j in u.h}
        return Jet(u.v * w.v, g, h)

    __rmul__ = __mul__

    def __truediv__(self, other: Jet) -> Jet:
        u, w = self, other
        q = u.v / w.v
        g = [(a - q * b) / w.v for a, b in zip(u.g, w.g, strict=True)]
        h = {(i, j): (u.h[i, j] - g[i] * w.g[j] - g[j] * w.g[i] - q * w.h[i, j]) / w.v for i, j in u.h}
        return Jet(q, g, h)


def parameters(values: list[Any], second: bool) -> list[Jet]:
    """The parameters themselves: each has slope 1 by itself."""
    n = len(values)
    pairs = {(i, j): 0.0 for i in range(n) for j in range(i, n)} if second else {}
    return [Jet(v, [float(i == k) for k in range(n)], dict(pairs)) for i, v in enumerate(values)]


# ---------------------------------------- The incomplete gamma and beta functions, differentiated by their parameters

# Their slopes have no closed form. Where a function is small it is summed by what converges there, and the other side
# is its complement, so that nothing cancels: below its mean the lower gamma function by its power series (DLMF 8.7.1),
# above it the upper one by its continued fraction (8.9.2); the beta function by its continued fraction (8.17.22), of x
# or of 1 - x. The sums are made with `Jet`, which gives their derivatives; the values themselves are SciPy's.
#
# It holds to 1e-10 for parameters up to `MOST`; beyond, and where SciPy has no value, the slopes are NaN.


MOST = 1e5
"""The largest parameter: a sum takes a multiple of its square root steps."""


def flat_operands(*arrays: Any) -> list[np.ndarray]:
    """The operands as flat arrays of doubles, of one shape; `in_operands_dtype` undoes it."""
    return [np.array(a, np.float64).ravel() for a in np.broadcast_arrays(*arrays)]


def in_doubles(count: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function of ``count`` flat arrays of doubles, of one shape, and parameters take operands of any."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(fn)  # its parameters are a row's
        def whole(*given: Any) -> np.ndarray:
            operands = given[:count]
            return in_operands_dtype(fn(*flat_operands(*operands), *given[count:]), *operands)

        return whole

    return decorate


def in_operands_dtype(found: np.ndarray, *arrays: Any) -> np.ndarray:
    """What was found, in the operands' shape and dtype."""
    shape, kinds = np.broadcast_shapes(*map(np.shape, arrays)), [getattr(a, "dtype", None) for a in arrays]
    single = [k for k in kinds if k is not None and k.kind == "f"]
    dtype = np.result_type(*single) if single else np.float64
    return found.reshape(shape).astype(dtype, copy=False)


# ------------------------------------------------------------------------------------------------ gamma


def _gamma_series(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and second logarithmic derivative by a of P(a, x) for x below its mean, without cancellation."""
    term, first, second = np.ones_like(x), np.zeros_like(x), np.zeros_like(x)  # 1/(a+1)...(a+n): slopes of logarithm
    total, slope, bend = np.ones_like(x), np.zeros_like(x), np.zeros_like(x)
    n = 0
    while term.size and n < 200 + 12 * MOST**0.5:
        n += 1
        term = term * (x / (a + n))
        first = first + 1 / (a + n)
        second = second + 1 / (a + n) ** 2
        total += term
        slope -= term * first
        bend += term * (first * first + second)
        if (term * first * first <= 1e-17 * total).all():
            break
    by_a = np.log(x) - special.digamma(a + 1) + slope / total
    return by_a, by_a * by_a - special.polygamma(1, a + 1) + bend / total - (slope / total) ** 2


def _gamma_fraction(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First derivative over the value, and second over it, by a of Q(a, x) for x above its mean."""
    steps = int(80 + 8 * np.sqrt(np.max(a, initial=0.0)))
    value, slope, bend = x + 1 - a + 2 * steps, -np.ones_like(x), np.zeros_like(x)
    for k in range(steps, 0, -1):
        q = k * (a - k) / value
        q1 = (k - q * slope) / value
        q2 = -(2 * q1 * slope + q * bend) / value
        value, slope, bend = x - a + (2 * k - 1) + q, q1 - 1, q2
    by_a = np.log(x) - special.digamma(a) - slope / value
    return by_a, by_a * by_a - special.polygamma(1, a) - bend / value + (slope / value) ** 2


@in_doubles(2)
def _gamma(a: Any, x: Any, order: int) -> np.ndarray:
    """A derivative of P by a, of order 1 or 2."""
    out = np.full(a.shape, np.nan)
    inside = (a > 0) & (a <= MOST)
    out[inside & ((x == 0) | (x == np.inf))] = 0.0
    inside &= (x > 0) & (x < np.inf)
    low = inside & (x <= np.maximum(1.5, a + 0.5))
    high = inside & ~low
    with np.errstate(all="ignore"):
        out[low] = special.gammainc(a[low], x[low]) * _gamma_series(a[low], x[low])[order - 1]
        out[high] = -special.gammaincc(a[high], x[high]) * _gamma_fraction(a[high], x[high])[order - 1]
    return out


# ------------------------------------------------------------------------------------------------- beta


def _beta_fraction(a: np.ndarray, b: np.ndarray, x: np.ndarray, second: bool) -> Jet:
    """The denominator of the continued fraction of I_x(a, b), for x below its mean."""
    steps = int(50 + 5 * np.sqrt(np.max(a, initial=0.0) + np.max(b, initial=0.0)))
    ja, jb = parameters([a, b], second)
    total = ja * 0.0 + np.ones_like(x)
    for m in range(steps, -1, -1):
        odd = ((ja + m) * (ja + jb + m)) * -x / ((ja + 2 * m) * (ja + (2 * m + 1)))
        total = odd / total + 1.0
        if m:
            even = (jb + -m) * (m * x) / ((ja + (2 * m - 1)) * (ja + 2 * m))
            total = even / total + 1.0
    return total


def _beta_below(a: np.ndarray, b: np.ndarray, x: np.ndarray, rest: np.ndarray, wanted: str) -> np.ndarray:
    """A derivative of I_x(a, b) over its value, for x below the mean; ``rest`` is 1 - x."""
    f = _beta_fraction(a, b, x, len(wanted) == 2)
    psi, both = special.digamma, special.digamma(a + b)
    slopes = [np.log(x) + both - psi(a + 1) - f.g[0] / f.v, np.log(rest) + both - psi(b) - f.g[1] / f.v]
    i, j = "ab".index(wanted[0]), "ab".index(wanted[-1])
    if len(wanted) == 1:
        return slopes[i]
    bends = -f.h[i, j] / f.v + f.g[i] * f.g[j] / (f.v * f.v) + special.polygamma(1, a + b)
    if i == j:
        bends = bends - special.polygamma(1, a + 1 if i == 0 else b)
    return slopes[i] * slopes[j] + bends


_SWAPPED = {"a": "b", "b": "a", "aa": "bb", "ab": "ab", "bb": "aa"}


@in_doubles(3)
def beta_slope(a: Any, b: Any, x: Any, wanted: str) -> np.ndarray:
    """A derivative of I_x(a, b) by its parameters: ``wanted`` is a, b, aa, ab or bb."""
    out = np.full(a.shape, np.nan)
    inside = (a > 0) & (b > 0) & (a <= MOST) & (b <= MOST)
    out[inside & ((x == 0) | (x == 1))] = 0.0
    if set(wanted) != {"a", "b"}:  # where the other parameter is 0, all of it is at one end
        other, own = (b, a) if "a" in wanted else (a, b)
        out[(other == 0) & (own > 0) & (x > 0) & (x < 1)] = 0.0
    inside &= (x > 0) & (x < 1)
    low = inside & (x <= (a + 1) / (a + b + 2))
    high = inside & ~low
    with np.errstate(all="ignore"):
        if low.any():  # else the fraction has its steps for nothing
            p, q, t = a[low], b[low], x[low]
            out[low] = special.betainc(p, q, t) * _beta_below(p, q, t, 1 - t, wanted)
        if high.any():
            p, q, t = a[high], b[high], x[high]
            out[high] = -special.betaincc(p, q, t) * _beta_below(q, p, 1 - t, t, _SWAPPED[wanted])
    return out


# -------------------------------------------------------------------------------------------------------------------
# What SciPy calls each special function here: the one list that dispatch, `symgrad.special` and the printers read

# The idea to hold: `special_row` declares a row that has the name and the arguments of one of SciPy's ufuncs. A
# function whose first arguments are orders or degrees has them as parameters of its row; `of_order` gives it SciPy's
# arguments.


SCIPY_NAMES: dict[str, Callable[..., Any]] = {}
"""By SciPy's name: the function on tensors."""


def real_row(name: str, forward: Callable[..., Any], *partials: Any, **facts: Any) -> Callable[..., Any]:
    """Declare an element-wise row of real numbers alone."""
    return elementwise(name, forward, *partials, real_only=True, **facts)


def call_row(name: str, call: str, *partials: Any, forward: Any = None, **facts: Any) -> Callable[..., Any]:
    """Declare the row that is a call of scipy.special, ``"jv(order, x)"``: the last arguments, of which there are as many
    as partials, are its operands, the others its parameters. ``forward`` is for where SciPy's is not right everywhere."""
    names, count = arguments_of(call), len(partials)
    slots = dict(zip(names[-count:], (f"{{{k}}}" for k in range(count)), strict=True))
    said = re.sub(r"\b[a-z]\w*(?=[,)])", lambda found: slots.get(found[0], f"{{{found[0]}}}"), call)
    return elementwise(name, forward or calling(call, count), *partials, **{"scipy": said, **facts})


def special_row(call: str, *partials: Any, **facts: Any) -> Callable[..., Any]:
    """Declare the row of a ufunc of SciPy's, which has its name, of real numbers."""
    name = call.partition("(")[0]
    row = SCIPY_NAMES[name] = call_row(name, call, *partials, **{"real_only": True, **facts})
    return row


defined: Any = elementwise(
    "defined", lambda a, b: np.where(np.isnan(b), np.nan, a), lambda g, b: defined(g, b), 0, text="{0}",
    doc="a, NaN where a function's value b is: outside its domain it has no slope either",
)  # fmt: skip


def broadcast_parameter(a: Any, x: Any, what: str) -> tuple[Any, Any]:
    """A parameter as a number or an array, and the operand with its dimensions."""
    if has_history(a):
        raise NotDifferentiableError(
            f"{what} has no derivative rule for a tensor that requires grad", "There is no formula for it.",
            "detach() it: the other derivative there is.",
        )  # fmt: skip
    if is_number(x) and np.ndim(a):
        x = np.asarray(x, default_dtype())
        x = wrap(x) if isinstance(a, Tensor) else x
    a = known_values(a, what)
    return a, row_function("expand")(x, np.broadcast_shapes(sizes(x), np.shape(a))) if np.ndim(a) else x


def of_order(
    name: str, row: Callable[..., Any], *orders: str, whole: bool = False, down: bool = False, doc: str = ""
) -> Callable[..., Any]:
    """SciPy's function of a name, whose first arguments are ``orders`` and whose last are the row's operands.

    Orders that are ``whole`` lose their fractions, as in SciPy; the first is rounded ``down`` where SciPy does that.
    """

    def fn(*arguments: Any) -> Any:
        if len(arguments) < len(orders) + 1:
            raise TypeError(f"{name} takes {', '.join(orders)} and then x, got {len(arguments)} arguments")
        given, operands = list(arguments[: len(orders)]), list(arguments[len(orders) :])
        for k, order in enumerate(orders):
            given[k], operands[0] = broadcast_parameter(given[k], operands[0], f"the {order} of {name}")
            if whole and not np.all(np.equal(np.mod(given[k], 1), 0)):
                given[k] = (np.floor if down and k == 0 else np.trunc)(given[k])
        return row(*operands, *given)

    names = [o.rpartition(" ")[2] for o in orders]
    said = "\n".join(
        f"{n} : number or array\n    The {o}. It has no derivative: one that is asked for raises."
        for n, o in zip(names, orders, strict=True)
    )
    doc = f"{doc}\n\nParameters\n----------\n{said}\nx : tensor, array or number\n    The operand.\n"
    fn.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_ONLY) for n in (*names, "x")])  # type: ignore[attr-defined]
    SCIPY_NAMES[name] = named(fn, name, doc)
    return SCIPY_NAMES[name]


# -------------------------------------------------------------------------------------------------------------------
# The reciprocal gamma function, and the incomplete gamma and beta functions in every argument, with their inverses

# The idea to hold: by its last argument an incomplete function has its density for a slope, which is elementary; by its
# parameters it has a row of its own (above), and that one more for the second derivative. An inverse has the
# slopes of the function that it inverts, divided by the density (dF = 0 along p = F(a, x)).
#
# Source: NIST Digital Library of Mathematical Functions, chapters 5 and 8.


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
    return e.in_dtype_of(x, np.where(x < 0.5, below, above))


@in_doubles(2)
def _poch(a: Any, m: Any, n: int) -> np.ndarray:
    """The n-th derivative by a of Γ(a + m)/Γ(a): of whole m of the product, or left of 1/2 of its reflection
    (-1)^m Γ(1 - a)/Γ(1 - a - m); of others by 1/Γ, which has no poles."""
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
    return np.where(whole, math.factorial(n) * taylor[n], np.where(a < 0.5, below, above))


rgamma = special_row("rgamma(x)", lambda x: -rgamma_slope(x), sympy="1/gamma(x)", domain="positive", text="(1/Γ(<0>))", latex=r"\frac{1}{\Gamma(<0>)}", doc="1 / gamma(x), 0 where gamma has a pole")
rgamma_slope: Any = real_row("rgamma_slope", lambda x: -_rgamma(x, 1), lambda x: -rgamma_bend(x), sympy="digamma(x)/gamma(x)", domain="positive", text="(ψ(<0>)/Γ(<0>))", latex=r"\frac{\psi(<0>)}{\Gamma(<0>)}", doc="digamma(x) / gamma(x)")
rgamma_bend: Any = real_row("rgamma_bend", lambda x: _rgamma(x, 2), lambda x: rgamma_order(x, 3), sympy="(digamma(x)**2 - polygamma(1, x))/gamma(x)", domain="positive", text="((ψ(<0>)² − ψ⁽¹⁾(<0>))/Γ(<0>))", latex=r"\frac{\psi(<0>)^{2} - \psi^{(1)}(<0>)}{\Gamma(<0>)}", doc="(digamma(x)**2 - polygamma(1, x)) / gamma(x)")
rgamma_order: Any = real_row("rgamma_order", _rgamma, lambda x, n: rgamma_order(x, n + 1), domain="positive", sample=(3,), explained=True, doc="the n-th derivative of 1 / gamma(x)")
poch = special_row("poch(a, m)", "poch_slope", lambda a, m, y: y * e.digamma(a + m), domain="positive", sympy="gamma(a + m)/gamma(a)", doc="Pochhammer's symbol, gamma(a + m) / gamma(a)")
poch_slope = real_row("poch_slope", lambda a, m: _poch(a, m, 1), lambda a, m: poch_by_a(a, m, 2), lambda a, m, y: y * e.digamma(a + m) + poch(a, m) * e.polygamma_order(a + m, 1), domain="positive", sympy="gamma(a + m)/gamma(a)*(digamma(a + m) - digamma(a))", text="((ψ(<0> + <1>) − ψ(<0>)) ⊙ poch(<0>, <1>))", latex=r"(\psi(<0> + <1>) - \psi(<0>)) \odot \operatorname{poch}(<0>, <1>)", doc="the derivative of Pochhammer's symbol by a")
poch_by_a: Any = real_row("poch_by_a", _poch, lambda a, m, n: poch_by_a(a, m, n + 1), lambda a, m, n: sum(math.comb(n, k) * poch_by_a(a, m, k) * e.polygamma_order(a + m, n - k) for k in range(1, n)) + poch_by_a(a, m, n) * e.digamma(a + m) + poch(a, m) * e.polygamma_order(a + m, n), domain="positive", sample=(2,), explained=True, doc="the n-th derivative of Pochhammer's symbol by a")
loggamma = special_row("loggamma(x)", lambda x, y: defined(e.digamma(x), y), domain="positive", sympy="loggamma(x)", doc="the logarithm of gamma, NaN for negative numbers")

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


gamma_density = real_row("gamma_density", _gamma_density, lambda a, x, y: y * _by_shape(a, x), lambda a, x, y: gamma_lower(a, x, 1) - y, sympy="x**(a - 1)*exp(-x)/gamma(a)", domain="positive", text="(<1>^(<0> − 1) ⊙ exp(−<1>)/Γ(<0>))", latex=r"\frac{<1>^{<0> - 1} \odot \exp(-<1>)}{\Gamma(<0>)}", doc="the gamma density, x**(a - 1) exp(-x) / gamma(a)")
gamma_lower: Any = real_row("gamma_lower", _gamma_lower, lambda a, x, y, k: y * _by_shape(a, x) + _falling_slope(a, k) * gamma_density(a, x) / x**k, lambda a, x, y, k: gamma_lower(a, x, k + 1) - y, sympy="x**(a - 1 - k)*exp(-x)/gamma(a - k)", domain="positive", sample=(1,), text="(<1>^(<0> − <2> − 1) ⊙ exp(−<1>)/Γ(<0> − <2>))", latex=r"\frac{<1>^{<0> - <2> - 1} \odot \exp(-<1>)}{\Gamma(<0> - <2>)}", doc="x**(a - k - 1) exp(-x) / gamma(a - k): the gamma density of a - k, for a above 0")
igamma = call_row("igamma", "gammainc(a, b)", "igamma_by_a", "gamma_density", domain="positive", real_only=True, letter="P", doc="the lower incomplete gamma function, divided by gamma(a)")
igammac = call_row("igammac", "gammaincc(a, b)", lambda a, b: -igamma_by_a(a, b), lambda a, b: -gamma_density(a, b), domain="positive", real_only=True, letter="Q", doc="1 - igamma, without cancellation")
igamma_by_a: Any = real_row("igamma_by_a", lambda a, x: _gamma(a, x, 1), "igamma_by_aa", lambda a, x: gamma_density(a, x) * _by_shape(a, x), domain="positive", text="∂P/∂a(<0>, <1>)", latex=r"\tfrac{\partial P}{\partial a}(<0>, <1>)", doc="the derivative of P(a, x), the lower incomplete gamma function, by a")
igamma_by_aa = real_row("igamma_by_aa", lambda a, x: _gamma(a, x, 2), None, lambda a, x: gamma_density(a, x) * (_by_shape(a, x)**2 - e.polygamma_order(a, 1)), domain="positive", text="∂²P/∂a²(<0>, <1>)", latex=r"\tfrac{\partial^{2} P}{\partial a^{2}}(<0>, <1>)", doc="the second derivative of P(a, x), the lower incomplete gamma function, by a")
_gamma_quantile_by_a = lambda a, y: -igamma_by_a(a, y) / gamma_density(a, y)
gammaincinv = special_row("gammaincinv(a, p)", _gamma_quantile_by_a, lambda a, y: 1 / gamma_density(a, y), domain=("positive", "probability"), doc="the x at which igamma(a, x) is p")
gammainccinv = special_row("gammainccinv(a, p)", _gamma_quantile_by_a, lambda a, y: -1 / gamma_density(a, y), domain=("positive", "probability"), doc="the x at which igammac(a, x) is p")

# -------------------------------------------------------------------------------------------- incomplete beta functions


def beta_within(a: Any, b: Any, x: Any) -> Any:
    """The beta density, of what is within its domain."""
    return np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    inside = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    found = beta_within(a, b, x)
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
beta_density = real_row("beta_density", _beta_density, lambda a, b, x, y: y * _by_first(a, b, x), lambda a, b, x, y: y * _by_second(a, b, x), lambda a, b, x: beta_lower(a, b, x, 1, 0) - beta_lower(a, b, x, 0, 1), domain=_SHAPES, text="(<2>^(<0> − 1) ⊙ (1 − <2>)^(<1> − 1)/B(<0>, <1>))", latex=r"\frac{<2>^{<0> - 1} \odot (1 - <2>)^{<1> - 1}}{\mathrm{B}(<0>, <1>)}", doc="the beta density, x**(a - 1) (1 - x)**(b - 1) / beta(a, b)")
beta_lower: Any = real_row("beta_lower", _beta_lower, lambda a, b, x, y, j, k: y * _by_first(a, b, x) + _falling_slope(a, j) * _falling(b, k) * beta_density(a, b, x) / (x**j * (1 - x)**k), lambda a, b, x, y, j, k: y * _by_second(a, b, x) + _falling(a, j) * _falling_slope(b, k) * beta_density(a, b, x) / (x**j * (1 - x)**k), lambda a, b, x, j, k: beta_lower(a, b, x, j + 1, k) - beta_lower(a, b, x, j, k + 1), domain=_SHAPES, sample=(1, 1), text="(Γ(<0> + <1>) ⊙ <2>^(<0> − <3> − 1) ⊙ (1 − <2>)^(<1> − <4> − 1)/(Γ(<0> − <3>) ⊙ Γ(<1> − <4>)))", latex=r"\frac{\Gamma(<0> + <1>) \odot <2>^{<0> - <3> - 1} \odot (1 - <2>)^{<1> - <4> - 1}}{\Gamma(<0> - <3>) \odot \Gamma(<1> - <4>)}", doc="x**(a - j - 1) (1 - x)**(b - k - 1) gamma(a + b) / (gamma(a - j) gamma(b - k))")
betainc = special_row("betainc(a, b, x)", "betainc_by_a", "betainc_by_b", "beta_density", domain=_SHAPES, text="I(<2>; <0>, <1>)", latex=r"I_{<2>}(<0>, <1>)", doc="the incomplete beta function, divided by beta(a, b)")
betaincc = special_row("betaincc(a, b, x)", lambda a, b, x: -betainc_by_a(a, b, x), lambda a, b, x: -betainc_by_b(a, b, x), lambda a, b, x: -beta_density(a, b, x), domain=_SHAPES, doc="1 - betainc, without cancellation")


_SAID = {"a": "∂a", "b": "∂b", "aa": "∂a²", "ab": "∂a∂b", "bb": "∂b²"}
_BELOW = {
    "a": r"\partial a", "b": r"\partial b", "aa": r"\partial a^{2}", "ab": r"\partial a\,\partial b",
    "bb": r"\partial b^{2}",
}


def _slope_of_beta(wanted: str, by_a: Any, by_b: Any, by_x: Any) -> Any:
    """The row of a derivative of I_x(a, b) by its parameters."""
    order, said = ("²" if len(wanted) == 2 else ""), _SAID[wanted]
    return elementwise(
        f"betainc_by_{wanted}", lambda a, b, x: beta_slope(a, b, x, wanted), by_a, by_b, by_x,
        domain=_SHAPES, real_only=True, text=f"∂{order}I/{said}(<2>; <0>, <1>)",
        latex=rf"\tfrac{{\partial{'^{2}' if order else ''} I_{{<2>}}}}{{{_BELOW[wanted]}}}(<0>, <1>)",
        doc=f"the derivative of the incomplete beta function I(x; a, b) by {' and '.join(wanted)}",
    )


betainc_by_aa = _slope_of_beta("aa", None, None, lambda a, b, x: beta_density(a, b, x) * (_by_first(a, b, x)**2 - e.polygamma_order(a, 1) + e.polygamma_order(a + b, 1)))
betainc_by_ab = _slope_of_beta("ab", None, None, lambda a, b, x: beta_density(a, b, x) * (_by_first(a, b, x) * _by_second(a, b, x) + e.polygamma_order(a + b, 1)))
betainc_by_bb = _slope_of_beta("bb", None, None, lambda a, b, x: beta_density(a, b, x) * (_by_second(a, b, x)**2 - e.polygamma_order(b, 1) + e.polygamma_order(a + b, 1)))
betainc_by_a: Any = _slope_of_beta("a", "betainc_by_aa", "betainc_by_ab", lambda a, b, x: beta_density(a, b, x) * _by_first(a, b, x))
betainc_by_b: Any = _slope_of_beta("b", "betainc_by_ab", "betainc_by_bb", lambda a, b, x: beta_density(a, b, x) * _by_second(a, b, x))
_beta_quantile_by_shapes = (lambda a, b, y: -betainc_by_a(a, b, y) / beta_density(a, b, y), lambda a, b, y: -betainc_by_b(a, b, y) / beta_density(a, b, y))
betaincinv = special_row("betaincinv(a, b, p)", *_beta_quantile_by_shapes, lambda a, b, y: 1 / beta_density(a, b, y), domain=_SHAPES, doc="the x at which betainc(a, b, x) is p")
betainccinv = special_row("betainccinv(a, b, p)", *_beta_quantile_by_shapes, lambda a, b, y: -1 / beta_density(a, b, y), domain=_SHAPES, doc="the x at which betaincc(a, b, x) is p")
# fmt: on

publish(igamma, "igamma", inplace=True)
publish(igammac, "igammac", inplace=True)
SCIPY_NAMES |= {"gammainc": igamma, "gammaincc": igammac}
