"""Functions of one to three variables: calculus, physics, chemistry, economics, information and densities."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_APOSTOL = "Apostol, Calculus I"
_HARDY = "Hardy, A Course of Pure Mathematics"
_AS = "Abramowitz and Stegun, Handbook of Mathematical Functions"
_FEYNMAN = "The Feynman Lectures on Physics"
_ATKINS = "Atkins and de Paula, Physical Chemistry"
_CORNISH = "Cornish-Bowden, Fundamentals of Enzyme Kinetics"
_ROMER = "Romer, Advanced Macroeconomics"
_COVER = "Cover and Thomas, Elements of Information Theory"
_JOHNSON = "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions"
_X = {"x": "fraction"}
_UPWARDS = {"x": "positive"}


def _positive(*names):
    return dict.fromkeys(names, "positive")



_RADICALS = (
    Entry("root of x plus a root", _APOSTOL + ", 4.12",
          lambda x: sg.sqrt(x + sg.sqrt(x)), _UPWARDS, "x",
          "(1 + 1/(2√x))/(2√(x + √x))"),
    Entry("root of one plus a root", _APOSTOL + ", 4.12",
          lambda x: sg.sqrt(1 + sg.sqrt(1 + x)), _UPWARDS, "x",
          "1/(4√(1 + x)√(1 + √(1 + x)))"),
    Entry("x over the hyperbola", _APOSTOL + ", 4.12",
          lambda x: x / sg.sqrt(1 + x**2), _X, "x",
          "1/(1 + x²)^(3/2)", "−3x/(1 + x²)^(5/2)"),
    Entry("Möbius map", _HARDY + ", 6",
          lambda x, a, b, c, d: (a * x + b) / (c * x + d), _positive("x", "a", "b", "c", "d"), "x",
          "(ad − bc)/(cx + d)²", "−2c(ad − bc)/(cx + d)³"),
    Entry("area under a circle", _APOSTOL + ", 6.21",
          lambda x: (x * sg.sqrt(1 - x**2) + sg.asin(x)) / 2, _X, "x",
          "√(1 − x²)", "−x/√(1 − x²)"),
    Entry("antiderivative of the arcsine", _APOSTOL + ", 6.22",
          lambda x: x * sg.asin(x) + sg.sqrt(1 - x**2), _X, "x",
          "arcsin(x)", "1/√(1 − x²)"),
    Entry("antiderivative of the arctangent", _APOSTOL + ", 6.22",
          lambda x: x * sg.atan(x) - sg.log(1 + x**2) / 2, _X, "x",
          "arctan(x)", "1/(1 + x²)"),
    Entry("sum of arctangents", _HARDY + ", 6",
          lambda x, a: sg.atan((x + a) / (1 - a * x)), {"x": "fraction", "a": "fraction"}, "x",
          "1/(1 + x²)", "−2x/(1 + x²)²"),
)

_LOGARITHMS = (
    Entry("logarithm of a quotient", _HARDY + ", 9",
          lambda x: sg.log((1 + x) / (1 - x)), _X, "x",
          "2/(1 − x²)", "4x/(1 − x²)²"),
    Entry("log x over x", _HARDY + ", 9",
          lambda x: sg.log(x) / x, _UPWARDS, "x",
          "(1 − log(x))/x²", "(2log(x) − 3)/x³"),
    Entry("x to the reciprocal", _APOSTOL + ", 6.17",
          lambda x: x ** (1 / x), _UPWARDS, "x",
          "x^(1/x)(1 − log(x))/x²"),
    Entry("logarithm of a half tangent", _HARDY + ", 6",
          lambda x: sg.log(sg.tan(x / 2)), _UPWARDS, "x",
          "1/sin(x)", "−cos(x)/sin(x)²"),
    Entry("inverse Gudermannian", _AS + ", 4.3",
          lambda x: sg.log((1 + sg.sin(x)) / sg.cos(x)), _X, "x",
          "1/cos(x)", "sin(x)/cos(x)²"),
    Entry("Gudermannian", _AS + ", 4.3",
          lambda x: sg.atan(sg.sinh(x)), _X, "x",
          "1/cosh(x)", "−sinh(x)/cosh(x)²"),
    Entry("hyperbolic secant", _AS + ", (4.5.76)",
          lambda x: 1 / sg.cosh(x), _X, "x",
          "−sinh(x)/cosh(x)²"),
    Entry("logarithm of a hyperbolic sine", _APOSTOL + ", 6.19",
          lambda x: sg.log(sg.sinh(x)), _UPWARDS, "x",
          "1/tanh(x)", "−1/sinh(x)²"),
    Entry("inverse hyperbolic cosine", _AS + ", (4.6.38)",
          lambda x: sg.acosh(x), {"x": "wide"}, "x",
          "1/√(x² − 1)", "−x/(x² − 1)^(3/2)"),
    Entry("catenary", _APOSTOL + ", 8.28",
          lambda x, a: a * sg.cosh(x / a), {"x": "", "a": "positive"}, "x",
          "sinh(x/a)", "cosh(x/a)/a"),
    Entry("antiderivative of a damped sine", _APOSTOL + ", 6.17",
          lambda x, a, b: sg.exp(a * x) * (a * sg.sin(b * x) - b * sg.cos(b * x)), _positive("x", "a", "b"), "x",
          "(a² + b²)exp(ax)sin(bx)"),
    Entry("flat function", "Spivak, Calculus, 18",
          lambda x: sg.exp(-1 / x**2), _UPWARDS, "x",
          "2exp(−1/x²)/x³", "2exp(−1/x²)(2 − 3x²)/x⁶"),
)

_PHYSICS = (
    Entry("van der Waals pressure in the volume", "Callen, Thermodynamics, 3.5",
          lambda V, R, T, a, b: R * T / (V - b) - a / V**2, {"V": "wide", **_positive("R", "T", "a", "b")}, "V",
          "2a/V³ − RT/(V − b)²", "2RT/(V − b)³ − 6a/V⁴"),
    Entry("Planck's law in the temperature", _FEYNMAN + ", I 41",
          lambda T, h, f, c, k: 2 * h * f**3 / (c**2 * (sg.exp(h * f / (k * T)) - 1)), _positive(*"Thfck"), "T",
          "2h²f⁴ u/(c²kT²(u − 1)²) where u = exp(hf/(kT))"),
    Entry("Planck's law in reduced frequency", _FEYNMAN + ", I 41",
          lambda x: x**3 / (sg.exp(x) - 1), _UPWARDS, "x",
          "3x²/(exp(x) − 1) − x³ exp(x)/(exp(x) − 1)²"),
    Entry("Lennard-Jones in the size", "Allen and Tildesley, Computer Simulation of Liquids, 1.3",
          lambda s, e, r: 4 * e * ((s / r) ** 12 - (s / r) ** 6), _positive("s", "e", "r"), "s",
          "24e(2(s/r)¹² − (s/r)⁶)/s"),
    Entry("Mie potential", "Israelachvili, Intermolecular and Surface Forces, 5",
          lambda r, A, B, a, b: A / r**a - B / r**b, _positive(*"rABab"), "r",
          "bB/r^(b + 1) − aA/r^(a + 1)"),
    Entry("Morse in the width", "Morse 1929, Diatomic molecules according to the wave mechanics",
          lambda a, D, r, b: D * (1 - sg.exp(-a * (r - b))) ** 2, _positive(*"aDrb"), "a",
          "2D(r − b)(1 − u)u where u = exp(−a(r − b))"),
    Entry("distance of an image", "Hecht, Optics, 5.2",
          lambda u, f: 1 / (1 / f - 1 / u), {"u": "wide", "f": "positive"}, "u",
          "−f²/(u − f)²", "2f²/(u − f)³"),
    Entry("relativistic energy", "Taylor and Wheeler, Spacetime Physics, 7",
          lambda p, m, c: sg.sqrt(p**2 * c**2 + m**2 * c**4), _positive("p", "m", "c"), "p",
          "cp/√(p² + m²c²)", "c³m²/(p² + m²c²)^(3/2)"),
    Entry("Lorentz factor", "Taylor and Wheeler, Spacetime Physics, 3",
          lambda v, c: 1 / sg.sqrt(1 - v**2 / c**2), {"v": "fraction", "c": "wide"}, "v",
          "v/(c²(1 − v²/c²)^(3/2))"),
    Entry("period of a pendulum in the length", _FEYNMAN + ", I 21",
          lambda b, g: 2 * sg.pi * sg.sqrt(b / g), _positive("b", "g"), "b",
          "π/√(bg)", "−π/(2b√(bg))"),
    Entry("Kepler's equation", "Danby, Fundamentals of Celestial Mechanics, 6.2",
          lambda E, a: E - a * sg.sin(E), {"E": "", "a": "fraction"}, "E",
          "1 − a cos(E)", "a sin(E)"),
    Entry("orbit in polar coordinates", "Danby, Fundamentals of Celestial Mechanics, 6.2",
          lambda t, a, b: a * (1 - b**2) / (1 + b * sg.cos(t)), {"t": "", "a": "positive", "b": "fraction"}, "t",
          "ab(1 − b²)sin(t)/(1 + b cos(t))²"),
    Entry("Maxwell's distribution of speeds", "Reif, Fundamentals of Statistical and Thermal Physics, 7.10",
          lambda v, m, T: v**2 * sg.exp(-m * v**2 / (2 * T)), _positive("v", "m", "T"), "v",
          "v(2 − mv²/T)exp(−mv²/(2T))"),
    Entry("Fermi-Dirac occupation", "Kittel and Kroemer, Thermal Physics, 6",
          lambda E, u, T: 1 / (sg.exp((E - u) / T) + 1), {"E": "", "u": "", "T": "positive"}, "E",
          "−f(1 − f)/T where f = σ((u − E)/T)"),
    Entry("Langevin function", "Kittel, Introduction to Solid State Physics, 11",
          lambda x: 1 / sg.tanh(x) - 1 / x, _UPWARDS, "x",
          "1/x² − 1/sinh(x)²"),
)

_CHEMISTRY = (
    Entry("Nernst equation in the quotient", _ATKINS + ", 6C",
          lambda Q, E, R, T, z, F: E - R * T * sg.log(Q) / (z * F), _positive(*"QERTzF"), "Q",
          "−RT/(FQz)", "RT/(FQ²z)"),
    Entry("Arrhenius in the temperature", _ATKINS + ", 17D",
          lambda T, A, E, R: A * sg.exp(-E / (R * T)), _positive(*"TAER"), "T",
          "AE exp(−E/(RT))/(RT²)", "AE(E/(RT) − 2)exp(−E/(RT))/(RT³)"),
    Entry("Hill function", _CORNISH + ", 12.2",
          lambda x, K, h: x**h / (K**h + x**h), _positive("x", "K", "h"), "x",
          "hK^h x^(h − 1)/(K^h + x^h)²"),
    Entry("inhibition by excess substrate", _CORNISH + ", 6.8",
          lambda x, V, K, C: V * x / (K + x + x**2 / C), _positive("x", "V", "K", "C"), "x",
          "V(K − x²/C)/(K + x + x²/C)²"),
    Entry("competitive inhibition in the inhibitor", _CORNISH + ", 6.2",
          lambda c, x, V, K, C: V * x / (K * (1 + c / C) + x), _positive(*"cxVKC"), "c",
          "−KVx/(C(K(1 + c/C) + x)²)"),
)

_ECONOMICS = (
    Entry("Cobb-Douglas in the share", "Varian, Microeconomic Analysis, 1",
          lambda a, K, L: K**a * L ** (1 - a), {"a": "fraction", **_positive("K", "L")}, "a",
          "K^a L^(1 − a)log(K/L)", "K^a L^(1 − a)log(K/L)²"),
    Entry("risk aversion in its parameter", _ROMER + ", 2.1",
          lambda g, c: c ** (1 - g) / (1 - g), {"g": "fraction", "c": "positive"}, "g",
          "c^(1 − g)(1/(1 − g) − log(c))/(1 − g)"),
    Entry("revenue under logit demand", "Train, Discrete Choice Methods with Simulation, 3.6",
          lambda p, a, b: p / (1 + sg.exp(a * p - b)), {"p": "positive", "a": "positive", "b": ""}, "p",
          "s − aps(1 − s) where s = σ(b − ap)"),
    Entry("Solow's change of capital", _ROMER + ", 1.3",
          lambda k, s, a, d: s * k**a - d * k, _positive("k", "s", "a", "d"), "k",
          "ask^(a − 1) − d", "as(a − 1)k^(a − 2)"),
)

_DENSITIES = (
    Entry("binary entropy", _COVER + ", 2.1",
          lambda p: -p * sg.log(p) - (1 - p) * sg.log(1 - p), {"p": "fraction"}, "p",
          "log((1 − p)/p)", "−1/(p(1 − p))"),
    Entry("divergence of Bernoulli variables in p", _COVER + ", 2.3",
          lambda p, q: p * sg.log(p / q) + (1 - p) * sg.log((1 - p) / (1 - q)), {"p": "fraction", "q": "fraction"}, "p",
          "log(p(1 − q)/(q(1 − p)))", "1/(p(1 − p))"),
    Entry("divergence of Bernoulli variables in q", _COVER + ", 2.3",
          lambda q, p: p * sg.log(p / q) + (1 - p) * sg.log((1 - p) / (1 - q)), {"q": "fraction", "p": "fraction"}, "q",
          "(q − p)/(q(1 − q))", "p/q² + (1 − p)/(1 − q)²"),
    Entry("capacity of the Gaussian channel in the noise", _COVER + ", 9.1",
          lambda N, P: sg.log(1 + P / N) / 2, _positive("N", "P"), "N",
          "−P/(2N(N + P))"),
    Entry("normal density", _JOHNSON + ", 13",
          lambda x, u, s: sg.exp(-((x - u) ** 2) / (2 * s**2)) / (s * sg.sqrt(2 * sg.pi)),
          {"x": "", "u": "", "s": "positive"}, "x",
          "−zφ(z)/s² where z = (x − u)/s", "(z² − 1)φ(z)/s³ where z = (x − u)/s"),
    Entry("exponential density in the rate", _JOHNSON + ", 19",
          lambda λ, x: λ * sg.exp(-λ * x), _positive("λ", "x"), "λ",
          "(1 − λx)exp(−λx)", "x(λx − 2)exp(−λx)"),
    Entry("logarithm of the beta density", _JOHNSON + ", 25",
          lambda x, a, b: (a - 1) * sg.log(x) + (b - 1) * sg.log(1 - x), {"x": "fraction", **_positive("a", "b")}, "x",
          "(a − 1)/x − (b − 1)/(1 − x)", "−(a − 1)/x² − (b − 1)/(1 − x)²"),
    Entry("logarithm of the Cauchy density in the scale", _JOHNSON + ", 16",
          lambda s, x, u: sg.log(s) - sg.log(s**2 + (x - u) ** 2), {"s": "positive", "x": "", "u": ""}, "s",
          "1/s − 2s/(s² + (x − u)²)"),
    Entry("logarithm of the logistic density", _JOHNSON + ", 23",
          lambda x, u, s: -(x - u) / s - sg.log(s) - 2 * sg.log(1 + sg.exp(-(x - u) / s)),
          {"x": "", "u": "", "s": "positive"}, "x",
          "(2σ((u − x)/s) − 1)/s"),
    Entry("logarithm of the Weibull density in the shape", _JOHNSON + ", 21",
          lambda a, x, b: sg.log(a) + (a - 1) * sg.log(x) - a * sg.log(b) - (x / b) ** a, _positive("a", "x", "b"), "a",
          "1/a + log(x/b)(1 − (x/b)^a)", "−1/a² − log(x/b)²(x/b)^a"),
    Entry("logarithm of the Gumbel density", _JOHNSON + ", 22",
          lambda x, u, s: -(x - u) / s - sg.exp(-(x - u) / s) - sg.log(s), {"x": "", "u": "", "s": "positive"}, "x",
          "(exp((u − x)/s) − 1)/s", "−exp((u − x)/s)/s²"),
    Entry("logarithm of Student's density in the freedom", _JOHNSON + ", 28",
          lambda v, t: sg.lgamma((v + 1) / 2) - sg.lgamma(v / 2) - sg.log(v) / 2 - (v + 1) / 2 * sg.log(1 + t**2 / v),
          {"v": "positive", "t": ""}, "v",
          "(digamma((v + 1)/2) − digamma(v/2) − 1/v − log(1 + t²/v) + (v + 1)t²/(v(v + t²)))/2"),
    Entry("logarithm of the inverse Gaussian density in the mean", _JOHNSON + ", 15",
          lambda u, x, λ: sg.log(λ / x**3) / 2 - λ * (x - u) ** 2 / (2 * u**2 * x), _positive("u", "x", "λ"), "u",
          "λ(x − u)/u³", "λ(2u − 3x)/u⁴"),
)

ENTRIES = _RADICALS + _LOGARITHMS + _PHYSICS + _CHEMISTRY + _ECONOMICS + _DENSITIES
