"""Held out: scalar calculus and test functions of optimisation, written before the rules were touched."""

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_SPIVAK = "Spivak, Calculus"
_HARDY = "Hardy, A Course of Pure Mathematics"
_AS = "Abramowitz and Stegun, Handbook of Mathematical Functions"
_JAMIL = "Jamil and Yang 2013, A literature survey of benchmark functions"
_NOCEDAL = "Nocedal and Wright, Numerical Optimization"
_MORE = "Moré, Garbow and Hillstrom 1981, Testing unconstrained optimization software"
_X = {"x": "fraction"}
_XY = {"x": "fraction", "y": "fraction"}


def _beale(x, y):
    return (1.5 - x + x * y) ** 2 + (2.25 - x + x * y**2) ** 2 + (2.625 - x + x * y**3) ** 2


def _powell(x, y, z, w):
    return (x + 10 * y) ** 2 + 5 * (z - w) ** 2 + (y - 2 * z) ** 4 + 10 * (x - w) ** 4


_ALGEBRAIC = (
    Entry("quotient with a pole", _SPIVAK + ", 11",
          lambda t: (t**2 + 1) / (t - 1), {"t": "wide"}, "t",
          "(t² − 2t − 1)/(t − 1)²", "4/(t − 1)³"),
    Entry("Möbius transformation", _HARDY + ", 114",
          lambda x, a, b, c, d: (a * x + b) / (c * x + d), dict.fromkeys("xabcd", "positive"), "x",
          "(ad − bc)/(cx + d)²", "−2c(ad − bc)/(cx + d)³"),
    Entry("serpentine", _SPIVAK + ", 11",
          lambda x: x / (x**2 + 1), _X, "x",
          "(1 − x²)/(1 + x²)²", "2x(x² − 3)/(1 + x²)³"),
    Entry("root of a root", _SPIVAK + ", 10",
          lambda x: np.sqrt(1 + np.sqrt(x)), _X, "x",
          "1/(4√x√(1 + √x))"),
    Entry("area under a circle", _SPIVAK + ", 19",
          lambda x, a: (x * np.sqrt(a**2 - x**2) + a**2 * np.arcsin(x / a)) / 2, {"x": "fraction", "a": "wide"}, "x",
          "√(a² − x²)", "−x/√(a² − x²)"),
)

_LOGARITHMIC = (
    Entry("x to the reciprocal", _HARDY + ", 216",
          lambda x: x ** (1 / x), {"x": "positive"}, "x",
          "x^(1/x)(1 − log(x))/x²"),
    Entry("logarithm over x", _SPIVAK + ", 18",
          lambda x: np.log(x) / x, {"x": "positive"}, "x",
          "(1 − log(x))/x²", "(2log(x) − 3)/x³"),
    Entry("inverse hyperbolic cosine by logarithm", _AS + ", (4.6.21)",
          lambda x: np.log(x + np.sqrt(x**2 - 1)), {"x": "wide"}, "x",
          "1/√(x² − 1)", "−x/(x² − 1)^(3/2)"),
    Entry("logarithm of a quotient", _SPIVAK + ", 18",
          lambda x: np.log((1 + x) / (1 - x)), _X, "x",
          "2/(1 − x²)", "4x/(1 − x²)²"),
    Entry("logarithm of a tangent", _SPIVAK + ", 19",
          lambda x: np.log(np.tan(x / 2)), {"x": "positive"}, "x",
          "1/sin(x)", "−cos(x)/sin(x)²"),
    Entry("exponential of −1/x", _SPIVAK + ", 18",
          lambda x: np.exp(-1 / x), {"x": "positive"}, "x",
          "exp(−1/x)/x²", "(1 − 2x)exp(−1/x)/x⁴"),
    Entry("x by a bell curve", _HARDY + ", 210",
          lambda x: x * np.exp(-(x**2)), _X, "x",
          "(1 − 2x²)exp(−x²)", "(4x³ − 6x)exp(−x²)"),
    Entry("gamma function", _AS + ", (6.3.1)",
          lambda x: sg.special.gamma(x), {"x": "positive"}, "x",
          "Γ(x)digamma(x)", "Γ(x)(digamma(x)² + polygamma(1, x))"),
    Entry("entropy of a coin", "Cover and Thomas, Elements of Information Theory, 2.1",
          lambda x: -x * np.log(x) - (1 - x) * np.log(1 - x), _X, "x",
          "log((1 − x)/x)", "−1/(x(1 − x))"),
)

_CIRCULAR = (
    Entry("exponential by a cosine", _HARDY + ", 216",
          lambda x, a, b: np.exp(a * x) * np.cos(b * x), {"x": "", "a": "", "b": ""}, "x",
          "exp(ax)(a cos(bx) − b sin(bx))", "exp(ax)((a² − b²)cos(bx) − 2ab sin(bx))"),
    Entry("exponential of a sine", _SPIVAK + ", 18",
          lambda x: np.exp(np.sin(x)), _X, "x",
          "cos(x)exp(sin(x))", "(cos(x)² − sin(x))exp(sin(x))"),
    Entry("hyperbolic secant", _AS + ", (4.5.75)",
          lambda x: 1 / np.cosh(x), _X, "x",
          "−tanh(x)/cosh(x)", "(1 − 2/cosh(x)²)/cosh(x)"),
    Entry("Gudermann's function", _AS + ", (4.3.117)",
          lambda x: 2 * np.arctan(np.tanh(x / 2)), _X, "x",
          "1/cosh(x)", "−sinh(x)/cosh(x)²"),
    Entry("integral of the arcsine", _AS + ", (4.4.58)",
          lambda x: x * np.arcsin(x) + np.sqrt(1 - x**2), _X, "x",
          "arcsin(x)", "1/√(1 − x²)"),
    Entry("addition of arctangents", _SPIVAK + ", 15",
          lambda x, y: np.arctan((x + y) / (1 - x * y)), _XY, "x",
          "1/(1 + x²)", "−2x/(1 + x²)²"),
)

_TEST_FUNCTIONS = (
    Entry("Beale", _MORE + ", (5)",
          _beale, _XY, "x",
          "2(y − 1)(1.5 − x + xy) + 2(y² − 1)(2.25 − x + xy²) + 2(y³ − 1)(2.625 − x + xy³)",
          "2(y − 1)² + 2(y² − 1)² + 2(y³ − 1)²"),
    Entry("Himmelblau in y", "Himmelblau, Applied Nonlinear Programming",
          lambda y, x: (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2, {"y": "fraction", "x": "fraction"}, "y",
          "2(x² + y − 11) + 4y(x + y² − 7)", "12y² + 4x − 26"),
    Entry("three-hump camel", _JAMIL,
          lambda x, y: 2 * x**2 - 1.05 * x**4 + x**6 / 6 + x * y + y**2, _XY, "x",
          "4x − 4.2x³ + x⁵ + y", "4 − 12.6x² + 5x⁴"),
    Entry("McCormick", _JAMIL,
          lambda x, y: np.sin(x + y) + (x - y) ** 2 - 1.5 * x + 2.5 * y + 1, _XY, "x",
          "cos(x + y) + 2(x − y) − 1.5", "2 − sin(x + y)"),
    Entry("Powell's singular function", _MORE + ", (13)",
          _powell, dict.fromkeys("xyzw", "fraction"), "x",
          "2(x + 10y) + 40(x − w)³", "2 + 120(x − w)²"),
    Entry("Zakharov", _JAMIL,
          lambda x, a: x @ x + (a @ x) ** 2 + (a @ x) ** 4, {"x": "n", "a": "n"}, "x",
          "2x + (2s + 4s³)a where s = aᵀx", "2I + (2 + 12s²)aaᵀ where s = aᵀx"),
    Entry("mean under a Boltzmann distribution", "Asadi and Littman 2017, An alternative softmax operator",
          lambda x, a: (x * sg.exp(a * x)).sum() / sg.exp(a * x).sum(), {"x": "n", "a": "positive"}, "x",
          "p ⊙ (1 + a(x − pᵀx)) where p = softmax(ax)"),
    Entry("smooth maximum of two", "Chen and Mangasarian 1996, A class of smoothing functions",
          lambda x, y, ε: (x + y + np.sqrt((x - y) ** 2 + ε)) / 2, {"x": "", "y": "", "ε": "positive"}, "x",
          "(1 + (x − y)/√((x − y)² + ε))/2", "ε/(2((x − y)² + ε)^(3/2))"),
    Entry("augmented Lagrangian", _NOCEDAL + ", 17.3",
          lambda x, c, A, b, z, μ: c @ x - z @ (A @ x - b) + μ / 2 * ((A @ x - b) ** 2).sum(),
          {"x": "n", "c": "n", "A": "m n", "b": "m", "z": "m", "μ": "positive"}, "x",
          "c − Aᵀ(z − μ(Ax − b))", "μAᵀA"),
    Entry("penalty of inequalities", _NOCEDAL + ", 17.1",
          lambda x, A, b, μ: μ / 2 * (sg.relu(A @ x - b) ** 2).sum(),
          {"x": "n", "A": "m n", "b": "m", "μ": "positive"}, "x",
          "μAᵀ relu(Ax − b)", "μAᵀ diag(1[Ax > b]) A"),
)

ENTRIES = _ALGEBRAIC + _LOGARITHMIC + _CIRCULAR + _TEST_FUNCTIONS
