"""The table, entry by entry: a forward function, a partial derivative per operand, and the rows' facts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._config import complex_of
from ..._limits import BY_BITS
from ..._typing import in_dtype
from ...core import NUMPY, elementwise, linear
from ..arguments import kind_of
from ..lazy import special
from ..samples import complexes, sampled
from .copies import cast_row

# ------------------------------------------------------------------- What is true of the rows besides the calculus

# Their twins in SymPy, where tests sample them, what formulas and programs may make of them, and words.


# fmt: off
FACTS: dict[str, dict[str, Any]] = {
    "add": dict(sympy="a + b", symbol="+", doc="a + b"),
    "sub": dict(sympy="a - b", symbol="-", doc="a - b"),
    "rsub": dict(sympy="b - a", text="{1} - {0}", doc="b - a"),
    "neg": dict(sympy="-x", symbol="-", doc="-x"),
    "mul": dict(sympy="a*b", symbol="*", doc="a * b"),
    "div": dict(sympy="a/b", domain=("real", "nonzero"), defined=("", "≠ 0"), symbol="/", doc="a / b"),
    "rdiv": dict(sympy="numerator/x", domain="nonzero", defined="≠ 0", sample=(2.0,), text="{1}/{0}",
        doc="a number divided by x"),
    "reciprocal": dict(sympy="1/x", domain="nonzero", defined="≠ 0", doc="1 / x"),
    "square": dict(sympy="x**2", sign=">=", finite=True, doc="x squared"),
    "add_alpha": dict(sympy="a + alpha*b", sample=(2.0,), text="{0} + {2}*{1}", label="add", doc="a + alpha * b"),
    "sub_alpha": dict(sympy="a - alpha*b", sample=(2.0,), text="{0} - {2}*{1}", label="sub", doc="a - alpha * b"),
    "rsub_alpha": dict(sympy="b - alpha*a", sample=(2.0,), text="{1} - {2}*{0}", label="rsub", doc="b - alpha * a"),
    "addcmul_value": dict(sympy="a + value*b*c", sample=(2.0,), label="addcmul", doc="a + value * b * c"),
    "addcdiv_value": dict(sympy="a + value*b/c", domain=("real", "real", "nonzero"), sample=(2.0,), label="addcdiv",
        doc="a + value * b / c"),
    "lerp": dict(sympy="a + c*(b - a)", doc="a + weight * (b - a)"),
    "lerp_number": dict(sympy="a + weight*(b - a)", sample=(0.3,), label="lerp", doc="a + weight * (b - a)"),
    "pow_scalar": dict(sympy="x**exponent", domain="positive", sample=(3,), symbol="**",
        doc="x to the power of a number"),
    "pow_tensor": dict(sympy="a**b", domain=("positive", "real"), symbol="**",
        doc="a to the power of b, entry by entry"),
    "sqrt": dict(sympy="sqrt(x)", domain="positive", defined="≥ 0", doc="the square root"),
    "rsqrt": dict(sympy="1/sqrt(x)", domain="positive", defined="> 0", doc="1 / sqrt(x)"),
    "exp": dict(sympy="exp(x)", undoes="log", sign=">", finite=True, doc="e to the power of x"),
    "exp2": dict(sympy="2**x", sign=">=", doc="2 to the power of x"),
    "expm1": dict(sympy="exp(x) - 1", undoes="log1p", doc="exp(x) - 1, exact near 0"),
    "log": dict(sympy="log(x)", domain="positive", defined="> 0", undoes="exp", doc="the natural logarithm"),
    "log2": dict(sympy="log(x)/log(2)", domain="positive", defined="> 0", doc="the logarithm to base 2"),
    "log10": dict(sympy="log(x)/log(10)", domain="positive", defined="> 0", doc="the logarithm to base 10"),
    "log1p": dict(sympy="log(1 + x)", domain="positive", defined="{} > −1", undoes="expm1",
        doc="log(1 + x), exact near 0"),
    "sin": dict(sympy="sin(x)", odd=True, finite=True, doc="the sine, of radians"),
    "cos": dict(sympy="cos(x)", even=True, finite=True, doc="the cosine, of radians"),
    "tan": dict(sympy="tan(x)", domain="unit", defined="cos({}) ≠ 0", odd=True, doc="the tangent, of radians"),
    "asin": dict(sympy="asin(x)", domain="unit", defined="|{}| ≤ 1", odd=True, doc="the arc sine"),
    "acos": dict(sympy="acos(x)", domain="unit", defined="|{}| ≤ 1", doc="the arc cosine"),
    "atan": dict(sympy="atan(x)", odd=True, finite=True, doc="the arc tangent"),
    "sinh": dict(sympy="sinh(x)", odd=True, finite=True, doc="the hyperbolic sine"),
    "cosh": dict(sympy="cosh(x)", even=True, sign=">", finite=True, doc="the hyperbolic cosine"),
    "tanh": dict(sympy="tanh(x)", odd=True, finite=True, doc="the hyperbolic tangent"),
    "asinh": dict(sympy="asinh(x)", odd=True, finite=True, doc="the inverse hyperbolic sine"),
    "acosh": dict(sympy="acosh(x)", domain="above_one", defined="{} ≥ 1", doc="the inverse hyperbolic cosine"),
    "atanh": dict(sympy="atanh(x)", domain="unit", defined="|{}| < 1", odd=True, doc="the inverse hyperbolic tangent"),
    "sinc_order": dict(sample=(2,), domain="nonzero", letter="sinc^",
        sympy="Sum(binomial(n, i)*pi**(n - i - 1)*sin(pi*x + (n - i)*pi/2)*(-1)**i*factorial(i)/x**(i + 1), (i, 0, n))",
        doc="the n-th derivative of sinc"),
    "sinc_slope": dict(sympy="cos(pi*x)/x - sin(pi*x)/(pi*x**2)", domain="nonzero", odd=True,
        text="((cos(π<0>) − sinc(<0>))/<0>)",
        latex=r"\frac{\cos(\pi <0>) - \operatorname{sinc}(<0>)}{<0>}", doc="the derivative of sinc"),
    "sinc": dict(sympy="sin(pi*x)/(pi*x)", domain="nonzero", even=True, doc="sin(pi x) / (pi x), 1 at 0"),
    "sigmoid": dict(letter="σ", sympy="1/(1 + exp(-x))", sign=">", finite=True,
        doc="1 / (1 + exp(-x)), without overflow"),
    "silu": dict(sympy="x/(1 + exp(-x))", finite=True, doc="x * sigmoid(x)"),
    "conj": dict(sympy="conjugate(x)", holomorphic=False, doc="the complex conjugate"),
    "abs_complex": dict(domain="complex", holomorphic=False, label="abs", doc="the modulus of a complex number"),
    "angle": dict(sympy="arg(x)", domain="complex", holomorphic=False, own_dtype=True,
        doc="the argument of a complex number"),
    "keep": dict(domain=("real", "bool"), masks=True, text="where({1}, {0}, 0)", doc="a where b holds, else exactly 0"),
    "where": dict(domain=("bool", "real", "real"), masks=True, finite=True,
        doc="a where condition holds, else b; the branch not taken gets exactly zero"),
    "nan_to_num": dict(pieces=True, masks=True, sample=(0.0, None, None),
        doc="x, with 0 for NaN and the largest numbers for infinities"),
    "tied": dict(text="{0}", doc="a, with a derivative of zero along b"),
    "damped": dict(domain=("real", "nonzero"), masks=True, text="{0}",
        doc="a, which is exactly 0 where a factor b of it has fallen to 0"),
    "floor": dict(sympy="floor(x)", kink="0 at integers", finite=True, doc="the largest integer not above x"),
    "ceil": dict(sympy="ceiling(x)", kink="0 at integers", finite=True, doc="the smallest integer not below x"),
    "round_even": dict(kink="0 at halves", label="round", odd=True, doc="the nearest integer, halves to even"),
    "trunc": dict(kink="0 at integers", odd=True, doc="the integer part"),
    "frac": dict(kink="1 at integers", doc="x - trunc(x)"),
    "div_floor": dict(domain=("real", "nonzero"), defined=("", "≠ 0"), kink="0 at jumps", symbol="//",
        doc="floor(a / b)"),
    "div_trunc": dict(domain=("real", "nonzero"), defined=("", "≠ 0"), kink="0 at jumps", doc="trunc(a / b)"),
    "copysign": dict(domain="nonzero", kink="0 at 0", doc="a with the sign of b"),
    "cbrt": dict(sympy="sign(x)*Abs(x)**(1/3)", domain="nonzero", doc="the cube root, of negative numbers too"),
    "logaddexp": dict(sympy="log(exp(a) + exp(b))", finite=True, doc="log(exp(a) + exp(b)), without overflow"),
    "logaddexp2": dict(sympy="log(2**a + 2**b)/log(2)", doc="log2(2**a + 2**b), without overflow"),
    "xlogy": dict(sympy="a*log(b)", domain="positive", doc="a * log(b), 0 where a is 0"),
    "xlog1py": dict(sympy="a*log(1 + b)", domain="positive", doc="a * log1p(b), 0 where a is 0"),
    "hypot": dict(sympy="sqrt(a**2 + b**2)", domain="nonzero", sign=">=", doc="sqrt(a**2 + b**2), without overflow"),
    "atan2": dict(sympy="atan2(a, b)", domain="nonzero", kink="0 at the origin", doc="the angle of the point (b, a)"),
    "abs": dict(pieces=True, keeps="nonnegative", sympy="Abs(x)", domain="nonzero", holomorphic=False, kink="0 at 0",
        even=True, sign=">=", finite=True, doc="the absolute value"),
    "sign": dict(sympy="sign(x)", domain="nonzero", kink="0 at 0", odd=True, finite=True, doc="-1, 0 or 1"),
    "heaviside": dict(domain=("nonzero", "real"), kink="0 at 0", doc="0 below 0, 1 above, b at 0"),
    "remainder": dict(domain=("real", "nonzero"), defined=("", "≠ 0"), kink="multiples of b", symbol="%",
        doc="a - b * floor(a / b): has the sign of b"),
    "fmod": dict(domain=("real", "nonzero"), defined=("", "≠ 0"), kink="multiples of b",
        doc="a - b * trunc(a / b): has the sign of a"),
    "gate": dict(domain=("real", "nonzero"), masks=True, text="where({1} > 0, {0}, 0)",
        doc="a where b is positive, else exactly 0"),
    "slant": dict(domain=("real", "nonzero"), sample=(0.1,), text="where({1} > 0, {0}, {2}*{0})",
        doc="a where b is positive, else slope * a"),
    "between": dict(sample=(-0.5, 0.5), masks=True, text="where(({1} > {2}) & ({1} < {3}), {0}, 0)",
        doc="a where b lies between low and high, else exactly 0"),
    "maximum": dict(pieces=True, sympy="Max(a, b)", kink="half to each at ties", masks=True, finite=True,
        doc="the larger of a and b"),
    "minimum": dict(pieces=True, sympy="Min(a, b)", kink="half to each at ties", masks=True, finite=True,
        doc="the smaller of a and b"),
    "fmax": dict(pieces=True, sympy="Max(a, b)", masks=True, kink="passes to a at ties",
        doc="the larger of a and b, a number before NaN"),
    "fmin": dict(pieces=True, sympy="Min(a, b)", masks=True, kink="passes to a at ties",
        doc="the smaller of a and b, a number before NaN"),
    "clamp_min_tensor": dict(pieces=True, sympy="Max(a, b)", kink="passes to a at the bound", masks=True,
        label="clamp_min",
        doc="a, at least b"),
    "clamp_max_tensor": dict(pieces=True, sympy="Min(a, b)", kink="passes to a at the bound", masks=True,
        label="clamp_max",
        doc="a, at most b"),
    "clamp": dict(pieces=True, sympy="Min(Max(x, low), high)", domain=("real", "negative", "positive"), masks=True,
        kink="passes at the bounds", doc="x, at least low and at most high"),
    "relu": dict(pieces=True, sympy="Max(x, 0)", domain="nonzero", kink="0 at 0", sign=">=", finite=True,
        doc="max(x, 0)"),
    "leaky_relu_slope": dict(pieces=True, sympy="Max(x, 0) + slope*Min(x, 0)", domain="nonzero",
        sample=(0.1,), kink="slope at 0",
        label="leaky_relu", doc="x where positive, else slope * x"),
    "hardtanh_bounds": dict(pieces=True, sympy="Min(Max(x, low), high)", sample=(-0.5, 0.5), masks=True,
        kink="0 at the bounds",
        label="hardtanh", doc="x, at least low and at most high"),
    "elu_alpha": dict(sympy="scale*(Max(x, 0) + alpha*(exp(Min(x, 0)) - 1))", domain="nonzero", sample=(0.7, 1.3),
        kink="alpha at 0", label="elu", doc="scale times: x where positive, else alpha * (exp(x) - 1)"),
    "softplus_unit": dict(sympy="log(1 + exp(x))", label="softplus", sign=">", finite=True,
        doc="log(1 + exp(x)), without overflow"),
    "logsigmoid": dict(sympy="-log(1 + exp(-x))", finite=True, doc="log(sigmoid(x)), without overflow"),
    "gelu_erf": dict(sympy="x*(1 + erf(x/sqrt(2)))/2", label="gelu", finite=True,
        doc="x times the normal distribution function at x"),
    "softsign": dict(sympy="x/(1 + Abs(x))", kink="the second derivative 0 at 0", doc="x / (1 + |x|)"),
    "bell": dict(sympy="exp(-x**2)", even=True, sign=">=", finite=True, text="exp(-{0}^2)", doc="exp(-x**2)"),
    "erf": dict(sympy="erf(x)", odd=True, undoes="erfinv", finite=True, doc="the error function"),
    "erfc": dict(sympy="erfc(x)", finite=True, doc="1 - erf(x), exact for large x"),
    "erfinv": dict(sympy="erfinv(x)", domain="unit", defined="|{}| < 1", odd=True, doc="the inverse of erf"),
    "polygamma_order": dict(letter="ψ^", sympy="polygamma(n, x)", domain="positive",
        defined="{} is no whole number below 1", sample=(1,), text="polygamma({1}, {0})",
        doc="the n-th derivative of digamma"),
    "digamma": dict(letter="ψ", sympy="digamma(x)", domain="positive", defined="{} is no whole number below 1",
        doc="the derivative of lgamma"),
    "lgamma": dict(sympy="log(Abs(gamma(x)))", domain="positive", defined="{} is no whole number below 1",
        doc="log |gamma(x)|"),
    "gamma": dict(letter="Γ", sympy="gamma(x)", domain="positive", defined="{} is no whole number below 1",
        doc="the gamma function"),
    "beta": dict(letter="B", sympy="gamma(a)*gamma(b)/gamma(a + b)", domain="positive",
        doc="the beta function, gamma(a) gamma(b) / gamma(a + b)"),
    "beta_at_poles": dict(domain=("real", "positive", "positive"), sample=(True,), text="{0}",
        doc="a slope of beta(b, c), or of its logarithm, by b; what is left of it where gamma has poles"),
    "betaln": dict(sympy="loggamma(a) + loggamma(b) - loggamma(a + b)", domain="positive",
        doc="log |beta(a, b)|, without overflow"),
    "normal_pdf": dict(letter="φ", sympy="exp(-x**2/2)/sqrt(2*pi)", even=True, finite=True,
        doc="the standard normal density, exp(-x**2/2) / sqrt(2 pi)"),
    "ndtr": dict(letter="Φ", sympy="(1 + erf(x/sqrt(2)))/2", sign=">=", finite=True,
        doc="the normal distribution function"),
    "ndtri": dict(sympy="sqrt(2)*erfinv(2*x - 1)", domain="probability", defined="0 < {} < 1",
        doc="the inverse of ndtr: the quantile of the normal distribution"),
    "normal_hazard": dict(sympy="sqrt(2/pi)*exp(-x**2/2)/erfc(-x/sqrt(2))", text="(normal_pdf({0})/ndtr({0}))",
        doc="normal_pdf(x) / ndtr(x), exact for large negative x"),
    "normal_hazard_excess": dict(sympy="x + sqrt(2/pi)*exp(-x**2/2)/erfc(-x/sqrt(2))",
        text="({0} + normal_pdf({0})/ndtr({0}))",
        doc="x + normal_hazard(x), without cancellation for large negative x"),
    "log_ndtr": dict(sympy="log(erfc(-x/sqrt(2))/2)", doc="log(ndtr(x)), exact for large negative x"),
    "logit": dict(sympy="log(x/(1 - x))", domain="probability", defined="0 < {} < 1",
        doc="log(x / (1 - x)), the inverse of sigmoid"),
    "entr": dict(sympy="-x*log(x)", domain="positive", doc="-x * log(x), 0 at 0 and -inf below"),
    "rel_entr": dict(sympy="a*log(a/b)", domain="positive", doc="a * log(a / b), 0 where a is 0 and b is not negative"),
    "kl_div": dict(sympy="a*log(a/b) - a + b", domain="positive",
        doc="a * log(a / b) - a + b, b where a is 0 and b is not negative"),
}


# ------------------ The table, entry by entry: a forward function and one partial derivative per operand, as on paper

# A partial is a number, the name of a value (``"y"``, the result; ``"b"``, an operand) or of an earlier row (of the
# operands), or a function: one of NumPy's (of the operands), or one whose parameters say what it is of, ``x`` (or
# ``a``, ``b``) for an operand, ``y`` for the result. One that names ``g`` gives the whole product with the incoming
# gradient, where that is shorter or exact at the edges (``g / x``). Whether a partial speaks of an operand or of the
# result decides which of the two may be written over before a backward: it is the one that PyTorch keeps. What else is
# true of each row stands above.
#
# Sources: Abramowitz and Stegun, Handbook of Mathematical Functions (chapters 4, 6, 7), and its successor, the NIST
# Digital Library of Mathematical Functions.


TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)
HALF_SQRT_PI = 1 / TWO_OVER_SQRT_PI
ONE_OVER_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
SQRT_2PI, SQRT_2_OVER_PI, SQRT_HALF = math.sqrt(2 * math.pi), math.sqrt(2 / math.pi), math.sqrt(0.5)
LN2, LN10 = math.log(2), math.log(10)

_row: Any = None  # rows that functions here speak of: the table makes them
keep = gate = slant = between = tied = sigmoid = sinc = sinc_order = hypot = digamma = polygamma_order = _row
div_floor = div_trunc = ndtr = erfinv = normal_pdf = normal_hazard = normal_hazard_excess = damped = bell = _row
beta_at_poles = xlogy = xlog1py = _row

if TYPE_CHECKING:

    def __getattr__(name): ...


# -------------------------------------------------------------------------------------- what does not fit on a line

_BITS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}


def _keep(a: Any, b: Any) -> Any:
    if type(a) is not np.ndarray or a.size < BY_BITS or a.dtype not in _BITS or a.shape != np.shape(b):
        return np.where(b, a, 0)
    # the same by masking bits: np.where mispredicts a branch per entry and takes five times as long
    mask = b.astype(_BITS[a.dtype])
    np.negative(mask, out=mask)
    return np.bitwise_and(mask, a.view(mask.dtype), out=mask).view(a.dtype)


_BY_PRODUCTS: dict[Any, Any] = {
    -4: lambda x: 1 / np.square(np.square(x)), -3: lambda x: 1 / (x * x * x), -2: lambda x: 1 / np.square(x),
    3: lambda x: x * x * x, 4: lambda x: np.square(np.square(x)), 5: lambda x: np.square(np.square(x)) * x,
    6: lambda x: np.square(x * x * x),
}  # fmt: skip


def _raised(x: Any, exponent: Any) -> Any:
    """``x**exponent``; to a small whole power by products, as PyTorch does: 100 times as fast as NumPy's power."""
    kind = x.dtype.kind if type(x) is np.ndarray else ""
    if kind == "b" and type(exponent) is int:
        x = x.astype(np.int64)  # NumPy's powers of truth values are int8
    by_products = _BY_PRODUCTS.get(exponent) if kind in ("f", "c") and type(exponent) is not complex else None
    return x**exponent if by_products is None else by_products(x)


def _square(x: Any) -> Any:
    return np.square(x.astype(np.int64) if type(x) is np.ndarray and x.dtype.kind == "b" else x)


def _power(a: Any, b: Any) -> Any:
    """``a**b``; whole numbers to negative powers are cut off to whole numbers (0 to one is 0, too), as in PyTorch."""
    if not (type(b) is np.ndarray and b.dtype.kind == "i") or getattr(a, "dtype", np.dtype(int)).kind not in "iu":
        return np.power(a, b)
    if type(a) is float or type(a) is complex or not (b < 0).any():
        return np.power(a, b)
    odd = np.where(b % 2 == 0, 1, a)
    return np.where(b >= 0, np.power(a, np.maximum(b, 0)), np.where(np.abs(a) == 1, odd, np.zeros_like(a)))


# Of complex numbers these are two roots, each cut where the function is: the root of the product is cut elsewhere. On a
# cut the sign of a zero says which side is meant; `1 - x` and `x + 1` lose it, for NumPy takes the number as 1 + 0j.


def _asin_root(x: Any) -> Any:
    """√(1 − x²)."""
    return np.sqrt(-(x - 1)) * np.sqrt(x - -1) if kind_of(x) == "c" else np.sqrt(1 - x * x)


def _asinh_root(x: Any) -> Any:
    """√(1 + x²)."""
    if kind_of(x) != "c":
        return np.sqrt(1 + x * x)
    upper = np.where(np.imag(x) < 0, -x, x)
    return _asin_root(upper * complex(-0.0, 1.0))  # ix, whose imaginary part is x's real part, with its sign


def _acosh_root(x: Any) -> Any:
    """√(x² − 1)."""
    return np.sqrt(x - 1) * np.sqrt(x - -1) if kind_of(x) == "c" else np.sqrt(x * x - 1)


def _truncated(a: Any, b: Any) -> Any:
    """``trunc(a / b)``; of whole numbers exactly, in their dtype."""
    if all(type(x) is int or kind_of(x) in ("i", "u", "b") for x in (a, b)):
        return (a - np.fmod(a, b)) // b
    return np.trunc(a / b)


def _as_wide(b: Any, a: Any) -> Any:
    """``b`` in the dtype of the sum with ``a``, in which the product beside it is computed, too."""
    if kind_of(a) is None or kind_of(b) not in ("i", "u") or a.dtype == b.dtype:
        return b
    return b.astype(np.result_type(a, b))


def _as_in(a: Any, y: Any) -> Any:
    """``a`` in the dtype of a power of it: the logarithm of a negative number is complex, that of a short one short."""
    if not hasattr(a, "dtype"):
        return a if isinstance(a, complex) else float(a)
    return cast_row(a, y.dtype) if a.dtype != y.dtype and kind_of(a) in "fiu" else a


def in_dtype_of(x: Any, found: np.ndarray) -> np.ndarray:
    """What was found in double precision, in the operand's own."""
    return found.astype(getattr(x, "dtype", float), copy=False)


def _silu_slope(x: Any) -> Any:
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def _sinc(x: Any, n: int) -> Any:
    """The n-th derivative of sinc: near 0, where its recurrence loses digits, the power series."""
    small = np.abs(x) < 0.3 * n
    near, far = np.where(small, x, 0), np.where(small, 1, x)
    series, power = np.zeros_like(near), near if n % 2 else np.ones_like(near)
    for k in range(n + 18, (n + 1) // 2 - 1, -1):
        coefficient = (-1) ** k * math.pi ** (2 * k) / (math.factorial(2 * k - n) * (2 * k + 1))
        series = series * (near * near) + coefficient
    found = np.sinc(far)  # x times it is sin(πx)/π
    for k in range(1, n + 1):
        wave = (np.sin, np.cos)[k % 2](math.pi * far) * (-1 if k % 4 in (2, 3) else 1)
        found = (math.pi ** (k - 1) * wave - k * found) / far
    return in_dtype_of(x, np.where(small, series * power, found))


def _over_square(numerator: Any, a: Any, b: Any) -> Any:
    """numerator / (a² + b²), 0 at the origin, without underflow of the squares."""
    size = hypot(a, b)
    zero = size == 0
    return keep(numerator / np.where(zero, 1, size) / np.where(zero, 1, size), np.logical_not(zero))


def _falling(a: Any, b: Any) -> Any:
    """``a * b``, of which b falls to 0 faster than any power of a grows: 0 there at every order, not infinity by 0."""
    return damped(a, b) * b


def _hazard_excess(x: Any) -> Any:
    # far to the left x and the hazard cancel; there, the continued fraction of Mills' ratio is exact
    near = x + SQRT_2_OVER_PI / special.erfcx(x * -SQRT_HALF)
    if not (x < -6).any():
        return near
    far = np.where(x < -6, x, -6.0 * np.ones_like(x))
    tail = np.zeros_like(far)
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return np.where(x < -6, tail, near)


def _polygamma(x: np.ndarray, n: int) -> np.ndarray:
    out = special.polygamma(n, x)
    return out.astype(x.dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else out[()]


def _beta_at_poles(slope: Any, a: Any, b: Any, log: bool) -> Any:
    """A slope by a of Γ(a) Γ(b)/Γ(a + b), or of its logarithm, where it is known; where Γ has poles, what is left."""
    with np.errstate(all="ignore"):
        if not np.less_equal(a + b, 0).any() and not np.less_equal(b, 0).any():
            return np.broadcast_arrays(slope, a, b)[0].copy()
        at_a, at_b, at_sum = [(x <= 0) & (np.mod(x, 1) == 0) for x in (a, b, a + b)]
        apart = special.digamma(1 - a) - special.digamma(1 - a - b)  # of whole b the same difference, without poles
        value = 1.0 if log else special.beta(a, b)
        found = np.where(at_a & at_sum & ~at_b, value * apart, slope)
        if not log:  # 1/Γ(x) is (-1)^k k! (x + k) there
            k = np.where(at_sum, -(a + b), 0)
            slant = (1 - 2 * (k % 2)) * special.gamma(k + 1) * special.gamma(a) * special.gamma(b)
            found = np.where(at_sum & ~at_a & ~at_b, slant, found)
    return found.astype(np.result_type(slope), copy=False)


def _angle_rule(g: Any, x: Any) -> Any:
    if x.dtype.kind != "c":
        return 0 * g
    square = real(x) * real(x) + imag(x) * imag(x)
    return 1j * (np.where(square == 0, 0, g / np.where(square == 0, 1, square)) * x)


def _clamped(x: Any, low: Any, high: Any) -> Any:
    return np.minimum(np.maximum(x, low), high)


def _elu(x: Any, alpha: Any, scale: Any = 1.0) -> Any:
    return scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _where(condition: Any, a: Any, b: Any) -> Any:
    out = np.where(condition, a, b)
    if out.dtype.kind in "iu":  # where NumPy cuts numbers to the dtype of the arrays
        for value in (a, b):
            in_dtype(value, out.dtype, "where")
    return out


def _without_nan(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


# ------------------------------------------------------------------------------------------------------ the table

# fmt: off
ROWS: dict[str, tuple[Any, ...]] = {
    # arithmetic
    "add":        (np.add,                             1, 1),
    "sub":        (np.subtract,                        1, -1),
    "rsub":       (lambda a, b: b - a,                 -1, 1),
    "neg":        (np.negative,                        -1),
    "mul":        (np.multiply,                        "b", "a"),
    "div":        (np.true_divide,                     lambda g, b: g / b,
                                                       lambda g, a, b: -g * (a / b) / b),
    "rdiv":       (lambda x, numerator: numerator / x, lambda g, x, numerator: -g * (numerator / x) / x),
    "reciprocal": (lambda x: np.true_divide(1.0, x),   lambda y: -(y * y)),
    "square":     (_square,                            lambda x: 2 * x),

    # with a factor, which costs nothing to keep: a product recorded on its own would keep its operands
    "add_alpha":     (lambda a, b, alpha: a + alpha * b,        1, lambda g, alpha: g * alpha),
    "sub_alpha":     (lambda a, b, alpha: a - alpha * b,        1, lambda g, alpha: -g * alpha),
    "rsub_alpha":    (lambda a, b, alpha: b - alpha * a,        lambda g, alpha: -g * alpha, 1),
    "addcmul_value": (lambda a, b, c, value: a + value * _as_wide(b, a) * c, 1, lambda g, c, value: g * (value * c),
                                                                lambda g, b, value: g * (value * b)),
    "addcdiv_value": (lambda a, b, c, value: a + value * b / c, 1, lambda g, c, value: g * (value / c),
                                                                lambda g, b, c, value: -g * (value * b / (c * c))),
    "lerp":          (lambda a, b, c: a + c * (b - a),          lambda g, c: g * (1 - c),
                                                                lambda g, c: g * c,
                                                                lambda g, a, b: g * (b - a)),
    "lerp_number":   (lambda a, b, weight: a + weight * (b - a),
                                                                lambda g, weight: g * (1 - weight),
                                                                lambda g, weight: g * weight),

    # powers, exponentials, logarithms
    "pow_scalar": (_raised,
                   lambda x, exponent: exponent * _raised(x, exponent - 1) if exponent != 0 else 0),
    "pow_tensor": (_power,
                   lambda g, a, b: np.where((a == 0) & (b == 0), 0, g * b * a ** (b - 1)),
                   lambda g, a, b, y: np.where((a == 0) & (np.real(b) >= 0), 0, g * y * np.log(_as_in(a, y)))),
    "sqrt":       (np.sqrt,                  lambda g, y: g / (2 * y)),
    "rsqrt":      (lambda x: 1 / np.sqrt(x), lambda y: -0.5 * (y * y * y)),
    "exp":        (np.exp,                   "y"),
    "exp2":       (np.exp2,                  lambda y: LN2 * y),
    "expm1":      (np.expm1,                 np.exp),
    "log":        (np.log,                   lambda g, x: g / x),
    "log2":       (np.log2,                  lambda g, x: g / (LN2 * x)),
    "log10":      (np.log10,                 lambda g, x: g / (LN10 * x)),
    "log1p":      (np.log1p,                 lambda g, x: g / (1 + x)),

    # trigonometric and hyperbolic functions
    "sin":     (np.sin,                         np.cos),
    "cos":     (np.cos,                         lambda x: -np.sin(x)),
    "tan":     (np.tan,                         lambda y: 1 + y * y),
    "asin":    (np.arcsin,                      lambda g, x: g / _asin_root(x)),
    "acos":    (np.arccos,                      lambda g, x: -g / _asin_root(x)),
    "atan":    (np.arctan,                      lambda g, x: g / (1 + x * x)),
    "sinh":    (np.sinh,                        np.cosh),
    "cosh":    (np.cosh,                        np.sinh),
    "tanh":    (np.tanh,                        lambda y: 1.0 - y * y),
    "asinh":   (np.arcsinh,                     lambda g, x: g / _asinh_root(x)),
    "acosh":   (np.arccosh,                     lambda g, x: g / _acosh_root(x)),
    "atanh":   (np.arctanh,                     lambda g, x: g / (1 - x * x)),
    "sinc_order": (_sinc,                       lambda x, n: sinc_order(x, n + 1)),
    "sinc_slope": (lambda x: _sinc(x, 1),       lambda x: sinc_order(x, 2)),
    "sinc":    (np.sinc,                        "sinc_slope"),
    "sigmoid": (lambda x: special.expit(x),     lambda y: y * (1.0 - y)),
    "silu":    (lambda x: x * special.expit(x), _silu_slope),

    # the error function
    "bell":                 (lambda x: np.exp(-x * x),            lambda x, y: -2 * _falling(x, y)),
    "erf":                  (lambda x: special.erf(x),            lambda x: TWO_OVER_SQRT_PI * bell(x)),
    "erfc":                 (lambda x: special.erfc(x),           lambda x: -TWO_OVER_SQRT_PI * bell(x)),

    # not holomorphic: these rules speak the convention (conjugate Wirtinger) themselves
    "conj":        (np.conj,  lambda g: np.conj(g)),
    "abs_complex": (np.abs,   lambda g, x: g * np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))),
    "angle":       (np.angle, _angle_rule),

    # choices: what is not chosen gets exactly 0, by keep
    "keep":              (_keep,        lambda g, b: keep(g, b), 0),
    "where":             (_where,    0, lambda g, condition: keep(g, condition),
                                        lambda g, condition: keep(g, np.logical_not(condition))),
    "nan_to_num": (_without_nan, lambda g, x: np.where(np.isfinite(x), g, 0)),
    "tied":              (lambda a, b: np.broadcast_arrays(a, b)[0].copy(), 1, 0),
    "damped":            (lambda a, b: _keep(a, b != 0), lambda g, b: damped(g, b), 0),

    # steps: the derivative is zero almost everywhere, and declared zero at the jumps
    "floor":      (np.floor,                     0),
    "ceil":       (np.ceil,                      0),
    "round_even": (np.rint,                      0),
    "trunc":      (np.trunc,                     0),
    "frac":       (lambda x: x - np.trunc(x),    1),
    "div_floor":  (np.floor_divide,              0, 0),
    "div_trunc":  (_truncated,                     0, 0),
    "copysign":   (np.copysign,                  lambda g, a, y: np.where(a == 0, 0, g * (np.sign(a) * np.sign(y))), 0),
}
"""Functions of real and complex numbers: by name the function on arrays, and its partial derivatives."""

REAL_ROWS: dict[str, tuple[Any, ...]] = {
    # roots, logarithms, angles
    "cbrt":       (np.cbrt,                            lambda g, y: g / (3 * (y * y))),
    "logaddexp":  (np.logaddexp,                       lambda g, a, b: g * sigmoid(a - b),
                                                       lambda g, a, b: g * sigmoid(b - a)),
    "logaddexp2": (np.logaddexp2,                      lambda g, a, b: g * sigmoid(LN2 * (a - b)),
                                                       lambda g, a, b: g * sigmoid(LN2 * (b - a))),
    "xlogy":      (lambda a, b: special.xlogy(a, b),   lambda g, a, b: np.where((a == 0) & (b <= 0), 0, xlogy(g, b)),
                                                       lambda g, a, b: g * a / b),
    "xlog1py":    (lambda a, b: special.xlog1py(a, b),
                   lambda g, a, b: np.where((a == 0) & (b <= -1), 0, xlog1py(g, b)),
                   lambda g, a, b: g * a / (1 + b)),
    "hypot":      (np.hypot,                           lambda g, a, y: g * (a / y),
                                                       lambda g, b, y: g * (b / y)),
    "atan2":      (np.arctan2,                         lambda g, a, b: _over_square(g * b, a, b),
                                                       lambda g, a, b: _over_square(-g * a, a, b)),

    # signs and remainders
    "abs":       (np.abs,       np.sign),
    "sign":      (np.sign,      0),
    "heaviside": (np.heaviside, 0, lambda g, a: np.where(a == 0, g, 0)),
    "remainder": (np.remainder, 1, lambda g, a, b: -g * div_floor(a, b)),
    "fmod":      (np.fmod,      1, lambda g, a, b: -g * div_trunc(a, b)),

    # choices by size; gate, slant and between are the gradients of relu, leaky_relu and hardtanh
    "gate":             (lambda a, b: _keep(a, np.logical_not(b <= 0)),
                                     lambda g, b: keep(g, np.logical_not(b <= 0)), 0),
    "slant":            (lambda a, b, slope: np.where(b > 0, a, slope * a),
                                     lambda g, b, slope: slant(g, b, slope), 0),
    "between":          (lambda a, b, low, high: _keep(a, (b > low) & (b < high)),
                                     lambda g, b, low, high: between(g, b, low, high), 0),
    "maximum":          (np.maximum, lambda g, a, b: np.where(a == b, g / 2, np.where(a < b, 0, g)),
                                     lambda g, a, b: np.where(a == b, g / 2, np.where(b < a, 0, g))),
    "minimum":          (np.minimum, lambda g, a, b: np.where(a == b, g / 2, np.where(a > b, 0, g)),
                                     lambda g, a, b: np.where(a == b, g / 2, np.where(b > a, 0, g))),
    "fmax":             (np.fmax,    lambda g, a, b: np.where((a >= b) | np.isnan(b), g, 0),
                                     lambda g, a, b: np.where((a >= b) | np.isnan(b), 0, g)),
    "fmin":             (np.fmin,    lambda g, a, b: np.where((a <= b) | np.isnan(b), g, 0),
                                     lambda g, a, b: np.where((a <= b) | np.isnan(b), 0, g)),
    "clamp_min_tensor": (np.maximum, lambda g, a, b: keep(g, a >= b),
                                     lambda g, a, b: keep(g, a < b)),
    "clamp_max_tensor": (np.minimum, lambda g, a, b: keep(g, a <= b),
                                     lambda g, a, b: keep(g, a > b)),
    "clamp":            (_clamped,   lambda g, x, low, high: keep(g, (x >= low) & (x <= high)),
                                     lambda g, x, low, high: np.where((x < low) & (low < high), g, 0),
                                     lambda g, x, low, high: np.where(
                                         (x > high) | (low > high) | ((low == high) & (x < high)), g, 0)),

    # activations
    "relu":             (lambda x: np.maximum(x, 0),     lambda g, y: gate(g, y)),
    "leaky_relu_slope": (lambda x, slope: np.where(x > 0, x, slope * x),
                                                         lambda g, x, slope: slant(g, x, slope)),
    "hardtanh_bounds":  (lambda x, low, high: np.clip(x, low, high),
                                                         lambda g, x, low, high: between(g, x, low, high)),
    "elu_alpha":        (_elu,
                         lambda g, x, alpha, scale: np.where(
                             x > 0, g * scale, g * (scale * alpha) * np.exp(np.where(x < 0, x, 0)))),
    "softplus_unit":    (lambda x: np.logaddexp(x, 0),   "sigmoid"),
    "logsigmoid":       (lambda x: -np.logaddexp(-x, 0), lambda x: sigmoid(-x)),
    "gelu_erf":         (lambda x: x * special.ndtr(x),  lambda x: ndtr(x) + _falling(x, normal_pdf(x))),
    "softsign":         (lambda x: x / (1 + np.abs(x)),  lambda x: 1 / (1 + np.abs(x)) ** 2),

    # special functions
    "erfinv":               (lambda x: special.erfinv(x),         lambda x: HALF_SQRT_PI * np.exp(erfinv(x) ** 2)),
    "polygamma_order":      (_polygamma,                          lambda x, n: polygamma_order(x, n + 1)),
    "digamma":              (lambda x: special.digamma(x),        lambda x: polygamma_order(x, 1)),
    "lgamma":               (lambda x: special.gammaln(x),        "digamma"),
    "gamma":                (lambda x: special.gamma(x),          lambda x, y: y * digamma(x)),
    "beta":                 (lambda a, b: special.beta(a, b),
                             lambda a, b, y: beta_at_poles(y * (digamma(a) - digamma(a + b)), a, b, False),
                             lambda a, b, y: beta_at_poles(y * (digamma(b) - digamma(a + b)), b, a, False)),
    "betaln":               (lambda a, b: special.betaln(a, b),
                             lambda a, b: beta_at_poles(digamma(a) - digamma(a + b), a, b, True),
                             lambda a, b: beta_at_poles(digamma(b) - digamma(a + b), b, a, True)),
    "beta_at_poles":        (_beta_at_poles, 1, 0, 0),
    "normal_pdf":           (lambda x: np.exp(-0.5 * (x * x)) * ONE_OVER_SQRT_2PI,
                                                                  lambda x, y: -_falling(x, y)),
    "ndtr":                 (lambda x: special.ndtr(x),           "normal_pdf"),
    "ndtri":                (lambda x: special.ndtri(x),          lambda y: SQRT_2PI * np.exp(0.5 * (y * y))),
    "normal_hazard":        (lambda x: SQRT_2_OVER_PI / special.erfcx(x * -SQRT_HALF),
                                                                  lambda x, y: -_falling(normal_hazard_excess(x), y)),
    "normal_hazard_excess": (_hazard_excess,                      lambda x, y: 1 - _falling(y, normal_hazard(x))),
    "log_ndtr":             (lambda x: special.log_ndtr(x),       "normal_hazard"),
    "logit":                (lambda x: special.logit(x),          lambda g, x: g / x + g / (1 - x)),
    "entr":                 (lambda x: special.entr(x),           lambda g, x: -g * (np.log(x) + 1)),
    "rel_entr":             (lambda a, b: special.rel_entr(a, b), lambda g, a, b: g * (np.log(a / b) + 1),
                                                                  lambda g, a, b: -g * (a / b)),
    "kl_div":               (lambda a, b: special.kl_div(a, b),   lambda g, a, b: g * np.log(a / b),
                                                                  lambda g, a, b: g * (1 - a / b)),
}
"""Functions of real numbers alone."""
# fmt: on

for _name, _functions in (ROWS | REAL_ROWS).items():
    globals()[_name] = elementwise(_name, *_functions, real_only=_name in REAL_ROWS, **FACTS[_name])

# pooling and picking are linear, and yet their gradients are connected to the input: its second derivative is 0
remember = linear(
    "remember", lambda x: x[...], lambda g, x: tied(g, x),
    view=True, last=0, text="{0}", sample=sampled(of=[(3,)]),
    doc="x, whose gradient stays connected to x",
)  # fmt: skip
real = linear(
    "real", np.real, lambda g: cast_row(g, complex_of(g.dtype)),
    holomorphic=False, own_dtype=True, view=True, last=0,
    sample=sampled(of=[complexes(3)]), doc="the real part",
)  # fmt: skip
imag = linear(
    "imag", np.imag, lambda g: g * 1j, holomorphic=False, own_dtype=True, view=True, last=0,
    sample=sampled(of=[complexes(3)]), doc="the imaginary part",
)  # fmt: skip
NUMPY[np.sinc] = sinc
NUMPY[np.square] = globals()["square"]
