"""More functions of one to three variables: radicals, gases, optics, circuits, kinetics, populations, options, densities.

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
    Entry("inverse secant", _PISKUNOV + ".14",
          lambda x: sg.acos(1 / x), _WIDE, "x",
          "1/(x√(x² − 1))", "(1 − 2x²)/(x²(x² − 1)^(3/2))"),
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

ENTRIES = _RADICALS + _LOGARITHMS + _INVERSES
