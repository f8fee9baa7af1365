"""The table, entry by entry: a forward function and one partial derivative per input, as on paper.

``x`` (or ``a``, ``b``) is an input, ``y`` the output. A rule that names ``g`` gives the whole product with the
incoming gradient, where that is shorter or exact at the edges (``g / x``). ``sympy`` is the SymPy twin, ``domain``
where tests sample. Sources: Abramowitz and Stegun, Handbook of Mathematical Functions (chapters 4, 6, 7), and its
successor, the NIST Digital Library of Mathematical Functions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._config import complex_of
from .._limits import BY_BITS
from ..core import NUMPY, elementwise, general, linear
from ._copy import cast_row
from ._dims import kind_of
from ._lazy import special

# ruff: noqa: E501  (a row is a line: the table is proof-read by eye)
# fmt: off

TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)
ONE_OVER_SQRT_2PI = 1 / math.sqrt(2 * math.pi)
SQRT_2PI, SQRT_2_OVER_PI, SQRT_HALF = math.sqrt(2 * math.pi), math.sqrt(2 / math.pi), math.sqrt(0.5)
LN2, LN10 = math.log(2), math.log(10)

# arithmetic
add = elementwise("add", np.add, 1, 1, sympy="a + b", symbol="+", doc="a + b")
sub = elementwise("sub", np.subtract, 1, -1, sympy="a - b", symbol="-", doc="a - b")
mul = elementwise("mul", np.multiply, lambda b: b, lambda a: a, sympy="a*b", symbol="*", doc="a * b")
div = elementwise("div", np.true_divide, lambda g, b: g / b, lambda g, a, b: -g * (a / b) / b, sympy="a/b", domain=("real", "nonzero"), symbol="/", doc="a / b")
rsub = elementwise("rsub", lambda a, b: b - a, -1, 1, sympy="b - a", text="{1} - {0}", doc="b - a")
rdiv = elementwise("rdiv", lambda x, numerator: numerator / x, lambda g, x, numerator: -g * (numerator / x) / x, sympy="numerator/x", domain="nonzero", sample=(2.0,), text="{1}/{0}", doc="a number divided by x")
neg = elementwise("neg", np.negative, -1, sympy="-x", symbol="-", doc="-x")
pow_scalar = elementwise("pow_scalar", lambda x, exponent: _raised(x, exponent), lambda x, exponent: exponent * _raised(x, exponent - 1) if exponent != 0 else 0, sympy="x**exponent", domain="positive", sample=(3,), symbol="**", doc="x to the power of a number")
pow_tensor = elementwise("pow_tensor", lambda a, b: _power(a, b), lambda g, a, b: np.where((a == 0) & (b == 0), 0, g * b * a ** (b - 1)), lambda g, a, b, y: np.where((a == 0) & (np.real(b) >= 0), 0, g * y * np.log(_as_in(a, b))), sympy="a**b", domain=("positive", "real"), symbol="**", doc="a to the power of b, entry by entry")
square = elementwise("square", np.square, lambda x: 2 * x, sympy="x**2", sign=">=", finite=True, doc="x squared")
reciprocal = elementwise("reciprocal", lambda x: np.true_divide(1.0, x), lambda y: -(y * y), sympy="1/x", domain="nonzero", doc="1 / x")
# a factor costs nothing to keep; a product recorded on its own would keep its operands
add_alpha = elementwise("add_alpha", lambda a, b, alpha: a + alpha * b, 1, lambda g, alpha: g * alpha, sympy="a + alpha*b", sample=(2.0,), text="{0} + {2}*{1}", label="add", doc="a + alpha * b")
sub_alpha = elementwise("sub_alpha", lambda a, b, alpha: a - alpha * b, 1, lambda g, alpha: -g * alpha, sympy="a - alpha*b", sample=(2.0,), text="{0} - {2}*{1}", label="sub", doc="a - alpha * b")
rsub_alpha = elementwise("rsub_alpha", lambda a, b, alpha: b - alpha * a, lambda g, alpha: -g * alpha, 1, sympy="b - alpha*a", sample=(2.0,), text="{1} - {2}*{0}", label="rsub", doc="b - alpha * a")
remainder = elementwise("remainder", np.remainder, 1, lambda g, a, b: -g * np.floor(a / b), domain=("real", "nonzero"), kink="multiples of b", symbol="%", real_only=True, doc="a - b * floor(a / b): has the sign of b")
fmod = elementwise("fmod", np.fmod, 1, lambda g, a, b: -g * np.trunc(a / b), domain=("real", "nonzero"), kink="multiples of b", real_only=True, doc="a - b * trunc(a / b): has the sign of a")

# powers, exponentials, logarithms
sqrt = elementwise("sqrt", np.sqrt, lambda g, y: g / (2 * y), sympy="sqrt(x)", domain="positive", doc="the square root")
cbrt = elementwise("cbrt", np.cbrt, lambda g, y: g / (3 * (y * y)), sympy="sign(x)*Abs(x)**(1/3)", domain="nonzero", real_only=True, doc="the cube root, of negative numbers too")
rsqrt = elementwise("rsqrt", lambda x: 1 / np.sqrt(x), lambda y: -0.5 * (y * y * y), sympy="1/sqrt(x)", domain="positive", doc="1 / sqrt(x)")
exp = elementwise("exp", np.exp, lambda y: y, sympy="exp(x)", undoes="log", sign=">", finite=True, doc="e to the power of x")
exp2 = elementwise("exp2", np.exp2, lambda y: LN2 * y, sympy="2**x", sign=">=", doc="2 to the power of x")
expm1 = elementwise("expm1", np.expm1, lambda y: y + 1, sympy="exp(x) - 1", undoes="log1p", doc="exp(x) - 1, exact near 0")
log = elementwise("log", np.log, lambda g, x: g / x, sympy="log(x)", domain="positive", undoes="exp", doc="the natural logarithm")
log2 = elementwise("log2", np.log2, lambda g, x: g / (LN2 * x), sympy="log(x)/log(2)", domain="positive", doc="the logarithm to base 2")
log10 = elementwise("log10", np.log10, lambda g, x: g / (LN10 * x), sympy="log(x)/log(10)", domain="positive", doc="the logarithm to base 10")
log1p = elementwise("log1p", np.log1p, lambda g, x: g / (1 + x), sympy="log(1 + x)", domain="positive", undoes="expm1", doc="log(1 + x), exact near 0")

# trigonometric and hyperbolic functions
sin = elementwise("sin", np.sin, lambda x: np.cos(x), sympy="sin(x)", odd=True, finite=True, doc="the sine, of radians")
cos = elementwise("cos", np.cos, lambda x: -np.sin(x), sympy="cos(x)", even=True, finite=True, doc="the cosine, of radians")
tan = elementwise("tan", np.tan, lambda y: 1 + y * y, sympy="tan(x)", domain="unit", odd=True, doc="the tangent, of radians")
asin = elementwise("asin", np.arcsin, lambda g, x: g / np.sqrt(1 - x * x), sympy="asin(x)", domain="unit", odd=True, doc="the arc sine")
acos = elementwise("acos", np.arccos, lambda g, x: -g / np.sqrt(1 - x * x), sympy="acos(x)", domain="unit", doc="the arc cosine")
atan = elementwise("atan", np.arctan, lambda g, x: g / (1 + x * x), sympy="atan(x)", odd=True, finite=True, doc="the arc tangent")
atan2 = elementwise("atan2", np.arctan2, lambda g, a, b: _over_square(g * b, a, b), lambda g, a, b: _over_square(-g * a, a, b), sympy="atan2(a, b)", domain=("nonzero", "nonzero"), kink="0 at the origin", real_only=True, doc="the angle of the point (b, a)")
sinh = elementwise("sinh", np.sinh, lambda x: np.cosh(x), sympy="sinh(x)", odd=True, finite=True, doc="the hyperbolic sine")
cosh = elementwise("cosh", np.cosh, lambda x: np.sinh(x), sympy="cosh(x)", even=True, sign=">", finite=True, doc="the hyperbolic cosine")
tanh = elementwise("tanh", np.tanh, lambda y: 1.0 - y * y, sympy="tanh(x)", odd=True, finite=True, doc="the hyperbolic tangent")
asinh = elementwise("asinh", np.arcsinh, lambda g, x: g / np.sqrt(1 + x * x), sympy="asinh(x)", odd=True, finite=True, doc="the inverse hyperbolic sine")
acosh = elementwise("acosh", np.arccosh, lambda g, x: g / _acosh_root(x), sympy="acosh(x)", domain="above_one", doc="the inverse hyperbolic cosine")
atanh = elementwise("atanh", np.arctanh, lambda g, x: g / (1 - x * x), sympy="atanh(x)", domain="unit", odd=True, doc="the inverse hyperbolic tangent")
sinc = elementwise("sinc", np.sinc, lambda x: _sinc_slope(x), sympy="sin(pi*x)/(pi*x)", domain="nonzero", even=True, doc="sin(pi x) / (pi x), 1 at 0")

# a where the condition holds, else exactly 0: the gradient of every choice
keep: Any = elementwise("keep", lambda a, b: _keep(a, b), lambda g, b: keep(g, b), 0, domain=("real", "bool"), masks=True, text="where({1}, {0}, 0)", doc="a where b holds, else exactly 0")

# the same by a sign: a where b is positive; it remembers b, as relu's second derivative is 0 rather than nothing
gate = elementwise("gate", lambda a, b: _keep(a, np.logical_not(b <= 0)), lambda g, b: keep(g, np.logical_not(b <= 0)), 0, domain=("real", "nonzero"), masks=True, real_only=True, text="where({1} > 0, {0}, 0)", doc="a where b is positive, else exactly 0")

# the same for two slopes, and between two bounds
slant: Any = elementwise("slant", lambda a, b, slope: np.where(b > 0, a, slope * a), lambda g, b, slope: slant(g, b, slope), 0, domain=("real", "nonzero"), sample=(0.1,), real_only=True, text="where({1} > 0, {0}, {2}*{0})", doc="a where b is positive, else slope * a")
between: Any = elementwise("between", lambda a, b, low, high: _keep(a, (b > low) & (b < high)), lambda g, b, low, high: between(g, b, low, high), 0, sample=(-0.5, 0.5), masks=True, real_only=True, text="where(({1} > {2}) & ({1} < {3}), {0}, 0)", doc="a where b lies between low and high, else exactly 0")

# pooling and picking are linear, and yet their gradients are connected to the input: its second derivative is 0
tied = elementwise("tied", lambda a, b: np.broadcast_arrays(a, b)[0].copy(), 1, 0, text="{0}", doc="a, with a derivative of zero along b")
remember = general("remember", lambda x: x[...], lambda g, x: tied(g, x), view=True, text="{0}", last=0, sample=lambda rng: ((rng.normal(size=3),), ()), doc="x, whose gradient stays connected to x")

# sigmoids and activations
sigmoid = elementwise("sigmoid", lambda x: special.expit(x), lambda y: y * (1.0 - y), sympy="1/(1 + exp(-x))", sign=">", finite=True, doc="1 / (1 + exp(-x)), without overflow")
softplus_unit = elementwise("softplus_unit", lambda x: np.logaddexp(x, 0), lambda x: sigmoid(x), sympy="log(1 + exp(x))", real_only=True, label="softplus", sign=">", finite=True, doc="log(1 + exp(x)), without overflow")
logsigmoid = elementwise("logsigmoid", lambda x: -np.logaddexp(-x, 0), lambda x: sigmoid(-x), sympy="-log(1 + exp(-x))", real_only=True, finite=True, doc="log(sigmoid(x)), without overflow")
relu = elementwise("relu", lambda x: np.maximum(x, 0), lambda g, y: gate(g, y), sympy="Max(x, 0)", domain="nonzero", kink="0 at 0", real_only=True, sign=">=", finite=True, doc="max(x, 0)")
leaky_relu_slope = elementwise("leaky_relu_slope", lambda x, slope: np.where(x > 0, x, slope * x), lambda g, x, slope: slant(g, x, slope), sympy="Max(x, 0) + slope*Min(x, 0)", domain="nonzero", sample=(0.1,), kink="slope at 0", real_only=True, label="leaky_relu", doc="x where positive, else slope * x")
elu_alpha = elementwise("elu_alpha", lambda x, alpha, scale=1.0: scale * np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))), lambda g, x, alpha, scale: np.where(x > 0, g * scale, g * (scale * alpha) * np.exp(np.where(x < 0, x, 0))), sympy="scale*(Max(x, 0) + alpha*(exp(Min(x, 0)) - 1))", domain="nonzero", sample=(0.7, 1.3), kink="alpha at 0", real_only=True, label="elu", doc="scale times: x where positive, else alpha * (exp(x) - 1)")
hardtanh_bounds = elementwise("hardtanh_bounds", lambda x, low, high: np.clip(x, low, high), lambda g, x, low, high: between(g, x, low, high), sympy="Min(Max(x, low), high)", sample=(-0.5, 0.5), masks=True, kink="0 at the bounds", real_only=True, label="hardtanh", doc="x, at least low and at most high")
gelu_erf = elementwise("gelu_erf", lambda x: x * special.ndtr(x), lambda x: ndtr(x) + x * normal_pdf(x), sympy="x*(1 + erf(x/sqrt(2)))/2", real_only=True, label="gelu", finite=True, doc="x times the normal distribution function at x")
silu = elementwise("silu", lambda x: x * special.expit(x), lambda x: _silu_slope(x), sympy="x/(1 + exp(-x))", finite=True, doc="x * sigmoid(x)")
softsign = elementwise("softsign", lambda x: x / (1 + np.abs(x)), lambda x: 1 / (1 + np.abs(x)) ** 2, sympy="x/(1 + Abs(x))", kink="the second derivative 0 at 0", real_only=True, doc="x / (1 + |x|)")

# special functions
erf: Any = elementwise("erf", lambda x: special.erf(x), lambda x: TWO_OVER_SQRT_PI * np.exp(-x * x), sympy="erf(x)", real_only=True, odd=True, undoes="erfinv", finite=True, doc="the error function")
erfc = elementwise("erfc", lambda x: special.erfc(x), lambda x: -TWO_OVER_SQRT_PI * np.exp(-x * x), sympy="erfc(x)", real_only=True, finite=True, doc="1 - erf(x), exact for large x")
erfinv: Any = elementwise("erfinv", lambda x: special.erfinv(x), lambda x: (1 / TWO_OVER_SQRT_PI) * np.exp(erfinv(x) ** 2), sympy="erfinv(x)", domain="unit", real_only=True, odd=True, doc="the inverse of erf")
lgamma = elementwise("lgamma", lambda x: special.gammaln(x), lambda x: digamma(x), sympy="log(Abs(gamma(x)))", domain="positive", real_only=True, doc="log |gamma(x)|")
digamma: Any = elementwise("digamma", lambda x: special.digamma(x), lambda x: polygamma_order(x, 1), sympy="digamma(x)", domain="positive", real_only=True, doc="the derivative of lgamma")
polygamma_order: Any = elementwise("polygamma_order", lambda x, n: _polygamma(n, x), lambda x, n: polygamma_order(x, n + 1), sympy="polygamma(n, x)", domain="positive", sample=(1,), real_only=True, text="polygamma({1}, {0})", doc="the n-th derivative of digamma")
normal_pdf: Any = elementwise("normal_pdf", lambda x: np.exp(-0.5 * (x * x)) * ONE_OVER_SQRT_2PI, lambda x, y: -(x * y), sympy="exp(-x**2/2)/sqrt(2*pi)", real_only=True, finite=True, doc="the standard normal density, exp(-x**2/2) / sqrt(2 pi)")
ndtr: Any = elementwise("ndtr", lambda x: special.ndtr(x), lambda x: normal_pdf(x), sympy="(1 + erf(x/sqrt(2)))/2", real_only=True, sign=">=", finite=True, doc="the normal distribution function")
ndtri: Any = elementwise("ndtri", lambda x: special.ndtri(x), lambda y: SQRT_2PI * np.exp(0.5 * (y * y)), sympy="sqrt(2)*erfinv(2*x - 1)", domain="probability", real_only=True, doc="the inverse of ndtr: the quantile of the normal distribution")
log_ndtr = elementwise("log_ndtr", lambda x: special.log_ndtr(x), lambda x: normal_hazard(x), sympy="log(erfc(-x/sqrt(2))/2)", real_only=True, doc="log(ndtr(x)), exact for large negative x")
normal_hazard: Any = elementwise("normal_hazard", lambda x: SQRT_2_OVER_PI / special.erfcx(x * -SQRT_HALF), lambda x, y: -(y * normal_hazard_excess(x)), sympy="sqrt(2/pi)*exp(-x**2/2)/erfc(-x/sqrt(2))", real_only=True, text="(normal_pdf({0})/ndtr({0}))", doc="normal_pdf(x) / ndtr(x), exact for large negative x")
normal_hazard_excess: Any = elementwise("normal_hazard_excess", lambda x: _hazard_excess(x), lambda x, y: 1 - normal_hazard(x) * y, sympy="x + sqrt(2/pi)*exp(-x**2/2)/erfc(-x/sqrt(2))", real_only=True, text="({0} + normal_pdf({0})/ndtr({0}))", doc="x + normal_hazard(x), without cancellation for large negative x")
logit = elementwise("logit", lambda x: special.logit(x), lambda g, x: g / (x * (1 - x)), sympy="log(x/(1 - x))", domain="probability", real_only=True, doc="log(x / (1 - x)), the inverse of sigmoid")
entr = elementwise("entr", lambda x: special.entr(x), lambda g, x: -g * (np.log(x) + 1), sympy="-x*log(x)", domain="positive", real_only=True, doc="-x * log(x), 0 at 0 and -inf below")
rel_entr = elementwise("rel_entr", lambda a, b: special.rel_entr(a, b), lambda g, a, b: g * (np.log(a / b) + 1), lambda g, a, b: -g * (a / b), sympy="a*log(a/b)", domain=("positive", "positive"), real_only=True, doc="a * log(a / b), 0 where a is 0 and b is not negative")
kl_div = elementwise("kl_div", lambda a, b: special.kl_div(a, b), lambda g, a, b: g * np.log(a / b), lambda g, a, b: g * (1 - a / b), sympy="a*log(a/b) - a + b", domain=("positive", "positive"), real_only=True, doc="a * log(a / b) - a + b, b where a is 0 and b is not negative")
gamma = elementwise("gamma", lambda x: special.gamma(x), lambda x, y: y * digamma(x), sympy="gamma(x)", domain="positive", real_only=True, doc="the gamma function")
beta = elementwise("beta", lambda a, b: special.beta(a, b), lambda a, b, y: y * (digamma(a) - digamma(a + b)), lambda a, b, y: y * (digamma(b) - digamma(a + b)), sympy="gamma(a)*gamma(b)/gamma(a + b)", domain=("positive", "positive"), real_only=True, doc="the beta function, gamma(a) gamma(b) / gamma(a + b)")
betaln = elementwise("betaln", lambda a, b: special.betaln(a, b), lambda a, b: digamma(a) - digamma(a + b), lambda a, b: digamma(b) - digamma(a + b), sympy="loggamma(a) + loggamma(b) - loggamma(a + b)", domain=("positive", "positive"), real_only=True, doc="log |beta(a, b)|, without overflow")

# steps: the derivative is zero almost everywhere, and declared zero at the jumps
floor = elementwise("floor", np.floor, 0, sympy="floor(x)", kink="0 at integers", finite=True, doc="the largest integer not above x")
ceil = elementwise("ceil", np.ceil, 0, sympy="ceiling(x)", kink="0 at integers", finite=True, doc="the smallest integer not below x")
round_even = elementwise("round_even", np.rint, 0, kink="0 at halves", label="round", odd=True, doc="the nearest integer, halves to even")
trunc = elementwise("trunc", np.trunc, 0, kink="0 at integers", odd=True, doc="the integer part")
frac = elementwise("frac", lambda x: x - np.trunc(x), 1, kink="1 at integers", doc="x - trunc(x)")
sign = elementwise("sign", np.sign, 0, sympy="sign(x)", domain="nonzero", kink="0 at 0", real_only=True, odd=True, finite=True, doc="-1, 0 or 1")
heaviside = elementwise("heaviside", np.heaviside, 0, lambda g, a: np.where(a == 0, g, 0), domain=("nonzero", "real"), kink="0 at 0", real_only=True, doc="0 below 0, 1 above, b at 0")
abs = elementwise("abs", np.abs, lambda x: np.sign(x), holomorphic=False, sympy="Abs(x)", domain="nonzero", kink="0 at 0", real_only=True, even=True, sign=">=", finite=True, doc="the absolute value")

# choices
maximum = elementwise("maximum", np.maximum, lambda g, a, b: np.where(a == b, g / 2, np.where(a > b, g, 0)), lambda g, a, b: np.where(a == b, g / 2, np.where(b > a, g, 0)), sympy="Max(a, b)", kink="half to each at ties", masks=True, real_only=True, finite=True, doc="the larger of a and b")
minimum = elementwise("minimum", np.minimum, lambda g, a, b: np.where(a == b, g / 2, np.where(a < b, g, 0)), lambda g, a, b: np.where(a == b, g / 2, np.where(b < a, g, 0)), sympy="Min(a, b)", kink="half to each at ties", masks=True, real_only=True, finite=True, doc="the smaller of a and b")
fmax = elementwise("fmax", np.fmax, lambda g, a, b: np.where((a >= b) | np.isnan(b), g, 0), lambda g, a, b: np.where((a >= b) | np.isnan(b), 0, g), sympy="Max(a, b)", masks=True, kink="passes to a at ties", real_only=True, doc="the larger of a and b, a number before NaN")
fmin = elementwise("fmin", np.fmin, lambda g, a, b: np.where((a <= b) | np.isnan(b), g, 0), lambda g, a, b: np.where((a <= b) | np.isnan(b), 0, g), sympy="Min(a, b)", masks=True, kink="passes to a at ties", real_only=True, doc="the smaller of a and b, a number before NaN")
div_floor = elementwise("div_floor", np.floor_divide, 0, 0, domain=("real", "nonzero"), kink="0 at jumps", symbol="//", doc="floor(a / b)")
div_trunc = elementwise("div_trunc", lambda a, b: np.trunc(a / b), 0, 0, domain=("real", "nonzero"), kink="0 at jumps", doc="trunc(a / b)")
addcmul_value = elementwise("addcmul_value", lambda a, b, c, value: a + value * b * c, 1, lambda g, c, value: g * (value * c), lambda g, b, value: g * (value * b), sympy="a + value*b*c", sample=(2.0,), label="addcmul", doc="a + value * b * c")
addcdiv_value = elementwise("addcdiv_value", lambda a, b, c, value: a + value * b / c, 1, lambda g, c, value: g * (value / c), lambda g, b, c, value: -g * (value * b / (c * c)), sympy="a + value*b/c", domain=("real", "real", "nonzero"), sample=(2.0,), label="addcdiv", doc="a + value * b / c")
where = elementwise("where", lambda condition, a, b: np.where(condition, a, b), 0, lambda g, condition: keep(g, condition), lambda g, condition: keep(g, np.logical_not(condition)), domain=("bool", "real", "real"), masks=True, finite=True, doc="a where condition holds, else b; the branch not taken gets exactly zero")
clamp_min_tensor = elementwise("clamp_min_tensor", np.maximum, lambda g, a, b: keep(g, a >= b), lambda g, a, b: keep(g, a < b), sympy="Max(a, b)", kink="passes to a at the bound", masks=True, real_only=True, label="clamp_min", doc="a, at least b")
clamp_max_tensor = elementwise("clamp_max_tensor", np.minimum, lambda g, a, b: keep(g, a <= b), lambda g, a, b: keep(g, a > b), sympy="Min(a, b)", kink="passes to a at the bound", masks=True, real_only=True, label="clamp_max", doc="a, at most b")
clamp_both = elementwise("clamp", lambda x, low, high: np.minimum(np.maximum(x, low), high), lambda g, x, low, high: keep(g, (x >= low) & (x <= high)), lambda g, x, low, high: np.where((x < low) & (low < high), g, 0), lambda g, x, low, high: np.where((x > high) | (low > high) | ((low == high) & (x < high)), g, 0), domain=("real", "negative", "positive"), masks=True, real_only=True, kink="passes at the bounds", sympy="Min(Max(x, low), high)", doc="x, at least low and at most high")
lerp_weight = elementwise("lerp", lambda a, b, c: a + c * (b - a), lambda g, c: g * (1 - c), lambda g, c: g * c, lambda g, a, b: g * (b - a), sympy="a + c*(b - a)", doc="a + weight * (b - a)")
lerp_number = elementwise("lerp_number", lambda a, b, weight: a + weight * (b - a), lambda g, weight: g * (1 - weight), lambda g, weight: g * weight, sympy="a + weight*(b - a)", sample=(0.3,), label="lerp", doc="a + weight * (b - a)")
hypot = elementwise("hypot", np.hypot, lambda g, a, y: g * (a / y), lambda g, b, y: g * (b / y), sympy="sqrt(a**2 + b**2)", domain=("nonzero", "nonzero"), real_only=True, sign=">=", doc="sqrt(a**2 + b**2), without overflow")
logaddexp = elementwise("logaddexp", np.logaddexp, lambda g, a, b: g * sigmoid(a - b), lambda g, a, b: g * sigmoid(b - a), sympy="log(exp(a) + exp(b))", real_only=True, finite=True, doc="log(exp(a) + exp(b)), without overflow")
logaddexp2 = elementwise("logaddexp2", np.logaddexp2, lambda g, a, b: g * sigmoid(LN2 * (a - b)), lambda g, a, b: g * sigmoid(LN2 * (b - a)), sympy="log(2**a + 2**b)/log(2)", real_only=True, doc="log2(2**a + 2**b), without overflow")
xlogy = elementwise("xlogy", lambda a, b: special.xlogy(a, b), lambda g, a, b: np.where((a == 0) & (b <= 0), 0, g * np.log(b)), lambda g, a, b: g * a / b, sympy="a*log(b)", domain=("positive", "positive"), real_only=True, doc="a * log(b), 0 where a is 0")
xlog1py = elementwise("xlog1py", lambda a, b: special.xlog1py(a, b), lambda g, a, b: np.where((a == 0) & (b <= -1), 0, g * np.log1p(b)), lambda g, a, b: g * a / (1 + b), sympy="a*log(1 + b)", domain=("positive", "positive"), real_only=True, doc="a * log1p(b), 0 where a is 0")
nan_to_num_values = elementwise("nan_to_num_values", lambda x, nan, posinf, neginf: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf), lambda g, x: np.where(np.isfinite(x), g, 0), sample=(0.0, None, None), label="nan_to_num", doc="x, with NaN and infinities replaced")
copysign = elementwise("copysign", np.copysign, lambda g, a, y: np.where(a == 0, 0, g * (np.sign(a) * np.sign(y))), 0, domain=("nonzero", "nonzero"), kink="0 at 0", doc="a with the sign of b")

# complex numbers: these are not holomorphic, and their rules speak the convention (conjugate Wirtinger) themselves
conj = elementwise("conj", np.conj, lambda g: np.conj(g), holomorphic=False, sympy="conjugate(x)", doc="the complex conjugate")
abs_complex = elementwise("abs_complex", np.abs, lambda g, x: g * (x / np.where(x == 0, 1, np.abs(x))), holomorphic=False, domain="complex", label="abs", doc="the modulus of a complex number")
real = linear("real", np.real, lambda g: cast_row(g, complex_of(g.dtype)), holomorphic=False, own_dtype=True, view=True, last=0, sample=lambda rng: ((rng.normal(size=3) + 1j * rng.normal(size=3),), ()), doc="the real part")
imag = linear("imag", np.imag, lambda g: g * 1j, holomorphic=False, own_dtype=True, view=True, last=0, sample=lambda rng: ((rng.normal(size=3) + 1j * rng.normal(size=3),), ()), doc="the imaginary part")
angle = elementwise("angle", np.angle, lambda g, x: _angle_rule(g, x), holomorphic=False, own_dtype=True, sympy="arg(x)", domain="complex", doc="the argument of a complex number")
# fmt: on


_BITS = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}


def _keep(a: Any, condition: Any) -> Any:
    if type(a) is not np.ndarray or a.size < BY_BITS or a.dtype not in _BITS or a.shape != np.shape(condition):
        return np.where(condition, a, 0)
    # the same by masking bits: np.where mispredicts a branch per entry and takes five times as long
    mask = condition.astype(_BITS[a.dtype])
    np.negative(mask, out=mask)
    return np.bitwise_and(mask, a.view(mask.dtype), out=mask).view(a.dtype)


_BY_PRODUCTS: dict[Any, Any] = {
    -4: lambda x: 1 / np.square(np.square(x)), -3: lambda x: 1 / (x * x * x), -2: lambda x: 1 / np.square(x),
    3: lambda x: x * x * x, 4: lambda x: np.square(np.square(x)), 5: lambda x: np.square(np.square(x)) * x,
    6: lambda x: np.square(x * x * x),
}  # fmt: skip


def _raised(x: Any, exponent: Any) -> Any:
    """``x**exponent``; to a small whole power by products, as PyTorch does: a hundred times as fast as NumPy's power."""
    real = type(x) is np.ndarray and x.dtype.kind in "fc" and type(exponent) is not complex
    by_products = _BY_PRODUCTS.get(exponent) if real else None
    return x**exponent if by_products is None else by_products(x)


def _power(a: Any, b: Any) -> Any:
    """``a**b``; whole numbers to negative powers are cut off to whole numbers (0 to one is 0, too), as in PyTorch."""
    if not (type(b) is np.ndarray and b.dtype.kind == "i") or getattr(a, "dtype", np.dtype(int)).kind not in "iu":
        return np.power(a, b)
    if type(a) is float or type(a) is complex or not (b < 0).any():
        return np.power(a, b)
    odd = np.where(b % 2 == 0, 1, a)
    return np.where(b >= 0, np.power(a, np.maximum(b, 0)), np.where(np.abs(a) == 1, odd, np.zeros_like(a)))


def _acosh_root(x: Any) -> Any:
    if kind_of(x) == "c":  # two roots: the root of the product has another sign in the left half of the plane
        return np.sqrt(x - 1) * np.sqrt(x + 1)
    return np.sqrt(x * x - 1)


def _as_in(a: Any, b: Any) -> Any:
    """``a`` as a complex number beside one: the logarithm of a negative number is one."""
    return cast_row(a, b.dtype) if kind_of(b) == "c" and kind_of(a) == "f" else a


def _silu_slope(x: Any) -> Any:
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def _sinc_slope(x: Any) -> Any:
    # (cos(pi x) - sinc(x)) / x loses digits near 0, the more the higher the derivative: there, the power series
    small = np.abs(x) < 0.3
    near, far = np.where(small, x, 0), np.where(small, 1, x)
    series: Any = 0.0
    for k in range(14, 0, -1):
        series = series * (near * near) + (-1) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1)
    return np.where(small, series * near, (np.cos(math.pi * far) - sinc(far)) / far)


def _over_square(numerator: Any, a: Any, b: Any) -> Any:
    """numerator / (a² + b²), 0 at the origin, without underflow of the squares."""
    size = hypot(a, b)
    zero = size == 0
    return keep(numerator / np.where(zero, 1, size) / np.where(zero, 1, size), np.logical_not(zero))


def _hazard_excess(x: Any) -> Any:
    # far to the left x and the hazard cancel; there, the continued fraction of Mills' ratio is exact
    near = x + SQRT_2_OVER_PI / special.erfcx(x * -SQRT_HALF)
    if not (x < -6).any():
        return near
    far = np.where(x < -6, x, -6.0 * np.ones_like(x))
    tail: Any = 0.0 * far
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return np.where(x < -6, tail, near)


def _polygamma(n: int, x: np.ndarray) -> np.ndarray:
    out = special.polygamma(n, x)
    return out.astype(x.dtype) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else out


def _angle_rule(g: Any, x: Any) -> Any:
    if x.dtype.kind != "c":
        return 0 * g
    square = real(x) * real(x) + imag(x) * imag(x)
    return 1j * (np.where(square == 0, 0, g / np.where(square == 0, 1, square)) * x)


NUMPY[np.sinc] = sinc
NUMPY[np.reciprocal] = reciprocal
