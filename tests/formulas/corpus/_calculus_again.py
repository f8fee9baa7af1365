"""More functions of one to three variables: radicals, gases, optics, circuits, kinetics, options, densities.

Written from the books like `_calculus`, after the rules that its entries asked for.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_COURANT = "Courant and John, Introduction to Calculus and Analysis I, 3"
_PISKUNOV = "Piskunov, Differential and Integral Calculus, 3"
_RYZHIK = "Gradshteyn and Ryzhik, Table of Integrals, 2"
_CALLEN = "Callen, Thermodynamics"
_HECHT = "Hecht, Optics"
_HAYT = "Hayt and Kemmerly, Engineering Circuit Analysis"
_ATKINS = "Atkins and de Paula, Physical Chemistry"
_MURRAY = "Murray, Mathematical Biology I"
_HULL = "Hull, Options, Futures, and Other Derivatives"
_INGERSOLL = "Ingersoll, Theory of Financial Decision Making, 1"
_COVER = "Cover and Thomas, Elements of Information Theory"
_JOHNSON = "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions"
_X = {"x": "fraction"}
_UPWARDS = {"x": "positive"}
_WIDE = {"x": "wide"}


def _positive(*names):
    return dict.fromkeys(names, "positive")


def _density(z):
    return sg.exp(-z**2 / 2) / sg.sqrt(2 * sg.pi)


_RADICALS = (
    Entry("cube root of a cube and one", _COURANT + ".4",
          lambda x: (1 + x**3) ** (1 / 3), _UPWARDS, "x",
          "x²/(1 + x³)^(2/3)", "2x/(1 + x³)^(5/3)"),
    Entry("root of a quotient", _PISKUNOV + ".11",
          lambda x: sg.sqrt((1 + x) / (1 - x)), _X, "x",
          "1/((1 − x)√(1 − x²))"),
    Entry("three nested roots", _PISKUNOV + ".11",
          lambda x: sg.sqrt(x + sg.sqrt(x + sg.sqrt(x))), _UPWARDS, "x",
          "(1 + (1 + 1/(2√x))/(2√(x + √x)))/(2√(x + √(x + √x)))"),
    Entry("logarithm of x plus a root", _RYZHIK + ".27",
          lambda x, a: sg.log(x + sg.sqrt(x**2 + a**2)), _positive("x", "a"), "x",
          "1/√(x² + a²)", "−x/(x² + a²)^(3/2)"),
    Entry("difference of roots", _COURANT + ".4",
          lambda x, a: sg.sqrt(x + a) - sg.sqrt(x), _positive("x", "a"), "x",
          "1/(2√(x + a)) − 1/(2√x)", "1/(4x^(3/2)) − 1/(4(x + a)^(3/2))"),
    Entry("arc of a parabola", _COURANT + ".12",
          lambda x: x * sg.sqrt(1 + 4 * x**2) / 2 + sg.asinh(2 * x) / 4, _UPWARDS, "x",
          "√(1 + 4x²)", "4x/√(1 + 4x²)"),
)

_LOGARITHMS = (
    Entry("logarithm taken three times", _PISKUNOV + ".11",
          lambda x: sg.log(sg.log(sg.log(x))), _WIDE, "x",
          "1/(x log(x)log(log(x)))"),
    Entry("product of two powers", _COURANT + ".4",
          lambda x, a, b: x**a * (1 - x) ** b, {"x": "fraction", **_positive("a", "b")}, "x",
          "x^(a − 1)(1 − x)^(b − 1)(a − (a + b)x)"),
    Entry("x to the sine", _PISKUNOV + ".12",
          lambda x: x ** sg.sin(x), _UPWARDS, "x",
          "x^sin(x)(cos(x)log(x) + sin(x)/x)"),
    Entry("antiderivative of a squared logarithm", _RYZHIK + ".71",
          lambda x: x * sg.log(x) ** 2 - 2 * x * sg.log(x) + 2 * x, _UPWARDS, "x",
          "log(x)²", "2log(x)/x"),
    Entry("logarithm of a quotient of differences", _RYZHIK + ".1",
          lambda x, a: sg.log((x - a) / (x + a)) / (2 * a), {"x": "wide", "a": "positive"}, "x",
          "1/(x² − a²)", "−2x/(x² − a²)²"),
)

_INVERSES = (
    Entry("antiderivative of the inverse hyperbolic tangent", _RYZHIK + ".8",
          lambda x: x * sg.atanh(x) + sg.log(1 - x**2) / 2, _X, "x",
          "arctanh(x)", "1/(1 − x²)"),
    Entry("antiderivative of the cubed secant", _RYZHIK + ".5",
          lambda x: (sg.sin(x) / sg.cos(x) ** 2 + sg.log((1 + sg.sin(x)) / sg.cos(x))) / 2, _X, "x",
          "1/cos(x)³", "3sin(x)/cos(x)⁴"),
    Entry("arcsine of a quotient", _PISKUNOV + ".14",
          lambda x: sg.asin(x / sg.sqrt(1 + x**2)), _UPWARDS, "x",
          "1/(1 + x²)", "−2x/(1 + x²)²"),
    Entry("inverse secant", "Thomas, Calculus, 3.9",
          lambda x: sg.acos(1 / x), _WIDE, "x",
          "1/(|x|√(x² − 1))", "(1 − 2x²)/(x|x|(x² − 1)^(3/2))"),
    Entry("arctangent of the double angle", _PISKUNOV + ".14",
          lambda x: sg.atan(2 * x / (1 - x**2)), _X, "x",
          "2/(1 + x²)", "−4x/(1 + x²)²"),
    Entry("hyperbolic tangent of a half", _COURANT + ".9",
          lambda x: sg.tanh(x / 2), _UPWARDS, "x",
          "1/(2cosh(x/2)²)"),
    Entry("inverse hyperbolic secant", _COURANT + ".9",
          lambda x: sg.log((1 + sg.sqrt(1 - x**2)) / x), _X, "x",
          "−1/(x√(1 − x²))", "(1 − 2x²)/(x²(1 − x²)^(3/2))"),
)

_HEAT_AND_LIGHT = (
    Entry("Redlich-Kwong pressure in the volume", _ATKINS + ", 1C",
          lambda V, R, T, a, b: R * T / (V - b) - a / (sg.sqrt(T) * V * (V + b)),
          {"V": "wide", **_positive("R", "T", "a", "b")}, "V",
          "a(2V + b)/(V²√T(V + b)²) − RT/(V − b)²"),
    Entry("vapour pressure in the temperature", _ATKINS + ", 4B",
          lambda T, P, h, R, S: P * sg.exp(-h / R * (1 / T - 1 / S)), _positive(*"TPhRS"), "T",
          "Ph exp(h(1/S − 1/T)/R)/(RT²)"),
    Entry("efficiency of the Otto cycle", _CALLEN + ", 4.10",
          lambda r, g: 1 - r ** (1 - g), _positive("r", "g"), "r",
          "(g − 1)/r^g", "−g(g − 1)/r^(g + 1)"),
    Entry("Einstein's heat capacity", _CALLEN + ", 15.2",
          lambda x: (x / sg.sinh(x)) ** 2, _UPWARDS, "x",
          "2x(sinh(x) − x cosh(x))/sinh(x)³"),
    Entry("refraction by Snell's law", _HECHT + ", 4.4",
          lambda t, a: sg.asin(a * sg.sin(t)), {"t": "positive", "a": "fraction"}, "t",
          "a cos(t)/√(1 − a²sin(t)²)"),
    Entry("transmission of an etalon", _HECHT + ", 9.6",
          lambda t, F: 1 / (1 + F * sg.sin(t) ** 2), _positive("t", "F"), "t",
          "−F sin(2t)/(1 + F sin(t)²)²"),
    Entry("reflectance at normal incidence", _HECHT + ", 4.6",
          lambda a, b: ((a - b) / (a + b)) ** 2, _positive("a", "b"), "a",
          "4b(a − b)/(a + b)³"),
    Entry("Sellmeier's index of refraction", _HECHT + ", 3.5",
          lambda x, b, c: sg.sqrt(1 + b * x**2 / (x**2 - c)), {"x": "wide", **_positive("b", "c")}, "x",
          "−bcx/((x² − c)²√(1 + bx²/(x² − c)))"),
)

_CIRCUITS = (
    Entry("power in a load", _HAYT + ", 5.5",
          lambda R, E, r: E**2 * R / (R + r) ** 2, _positive("R", "E", "r"), "R",
          "E²(r − R)/(R + r)³", "2E²(R − 2r)/(R + r)⁴"),
    Entry("impedance of a series circuit", _HAYT + ", 10.5",
          lambda w, R, L, C: sg.sqrt(R**2 + (w * L - 1 / (w * C)) ** 2), _positive("w", "R", "L", "C"), "w",
          "X(L + 1/(Cw²))/√(R² + X²) where X = Lw − 1/(Cw)"),
    Entry("resistors in parallel", _HAYT + ", 3.7",
          lambda a, b: a * b / (a + b), _positive("a", "b"), "a",
          "b²/(a + b)²", "−2b²/(a + b)³"),
)

_KINETICS = (
    Entry("decay of second order", _ATKINS + ", 17B",
          lambda t, c, k: c / (1 + c * k * t), _positive("t", "c", "k"), "t",
          "−c²k/(1 + ckt)²", "2c³k²/(1 + ckt)³"),
    Entry("product between two reactions", _ATKINS + ", 17E",
          lambda t, c, a, b: a * c * (sg.exp(-a * t) - sg.exp(-b * t)) / (b - a),
          {**_positive("t", "c"), "a": "fraction", "b": "wide"}, "t",
          "ac(b exp(−bt) − a exp(−at))/(b − a)", "ac(a²exp(−at) − b²exp(−bt))/(b − a)"),
    Entry("adsorption in many layers", _ATKINS + ", 19B",
          lambda x, c: c * x / ((1 - x) * (1 + (c - 1) * x)), {"x": "fraction", "c": "wide"}, "x",
          "c(1 + (c − 1)x²)/((1 − x)(1 + (c − 1)x))²"),
    Entry("functional response of the third kind", _MURRAY + ", 3.3",
          lambda x, a, h: a * x**2 / (1 + a * h * x**2), _positive("x", "a", "h"), "x",
          "2ax/(1 + ahx²)²", "2a(1 − 3ahx²)/(1 + ahx²)³"),
    Entry("Ricker's stock and recruitment", _MURRAY + ", 2.3",
          lambda x, r, K: x * sg.exp(r * (1 - x / K)), _positive("x", "r", "K"), "x",
          "(1 − rx/K)exp(r(1 − x/K))", "r(rx/K − 2)exp(r(1 − x/K))/K"),
    Entry("theta-logistic growth", _MURRAY + ", 1.1",
          lambda x, r, K, a: r * x * (1 - (x / K) ** a), _positive("x", "r", "K", "a"), "x",
          "r(1 − (1 + a)(x/K)^a)", "−ar(1 + a)(x/K)^a/x"),
)

_CHOICES = (
    Entry("Bachelier's call in the price", _HULL + ", 15",
          lambda S, K, s: (S - K) * sg.special.ndtr((S - K) / s) + s * _density((S - K) / s), _positive(*"SKs"), "S",
          "Φ((S − K)/s)", "φ((S − K)/s)/s"),
    Entry("digital option in the price", _HULL + ", 26.10",
          lambda S, K, s: sg.special.ndtr(sg.log(S / K) / s - s / 2), _positive("S", "K", "s"), "S",
          "φ(log(S/K)/s − s/2)/(sS)", "−(d + s)φ(d)/(s²S²) where d = log(S/K)/s − s/2"),
    Entry("hyperbolic absolute risk aversion", _INGERSOLL,
          lambda x, g, a, b: (1 - g) / g * (a * x / (1 - g) + b) ** g, {"g": "fraction", **_positive(*"xab")}, "x",
          "a(ax/(1 − g) + b)^(g − 1)", "−a²(ax/(1 − g) + b)^(g − 2)"),
    Entry("Rényi's entropy of a coin", _COVER + ", 17.8",
          lambda p, a: sg.log(p**a + (1 - p) ** a) / (1 - a), {"p": "fraction", "a": "wide"}, "p",
          "a(p^(a − 1) − (1 − p)^(a − 1))/((1 − a)(p^a + (1 − p)^a))"),
    Entry("divergence of exponential variables", _COVER + ", 8.5",
          lambda a, b: sg.log(a / b) + b / a - 1, _positive("a", "b"), "a",
          "(a − b)/a²", "(2b − a)/a³"),
    Entry("logarithm of Kumaraswamy's density", _JOHNSON + ", 25",
          lambda x, a, b: (a - 1) * sg.log(x) + (b - 1) * sg.log(1 - x**a), {"x": "fraction", **_positive("a", "b")},
          "x", "(a − 1)/x − a(b − 1)x^(a − 1)/(1 − x^a)"),
    Entry("logarithm of the skew normal density", _JOHNSON + ", 13",
          lambda x, a: sg.log(sg.special.ndtr(a * x)) - x**2 / 2, {"x": "", "a": "positive"}, "x",
          "aφ(ax)/Φ(ax) − x", "−a²r(ax + r) − 1 where r = φ(ax)/Φ(ax)"),
)

ENTRIES = _RADICALS + _LOGARITHMS + _INVERSES + _HEAT_AND_LIGHT + _CIRCUITS + _KINETICS + _CHOICES
