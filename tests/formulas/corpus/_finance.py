"""Option prices and their sensitivities, portfolios, bonds, utility and production."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_HULL = "Hull, Options, Futures, and Other Derivatives, 19"
_LUENBERGER = "Luenberger, Investment Science"
_VARIAN = "Varian, Microeconomic Analysis"
_OPTION = {"S": "positive", "K": "positive", "r": "fraction", "T": "positive", "s": "fraction"}
_D1 = "d = (log(S/K) + (r + s²/2)T)/(s√T)"
_D2 = "d = (log(S/K) + (r − s²/2)T)/(s√T)"


def _d1(S, K, r, T, s):
    return (sg.log(S / K) + (r + s**2 / 2) * T) / (s * sg.sqrt(T))


def _call(S, K, r, T, s):
    d = _d1(S, K, r, T, s)
    return S * sg.special.ndtr(d) - K * sg.exp(-r * T) * sg.special.ndtr(d - s * sg.sqrt(T))


def _delta(S, K, r, T, s):
    return sg.special.ndtr(_d1(S, K, r, T, s))


_OPTIONS = (
    Entry("Black-Scholes delta and gamma", _HULL + ".4, 19.6",
          _call, _OPTION, "S",
          "Φ(d) where " + _D1, "φ(d)/(Ss√T) where " + _D1),
    Entry("Black-Scholes vega", _HULL + ".8",
          _call, _OPTION, "s",
          "S√T φ(d) where " + _D1),
    Entry("Black-Scholes rho", _HULL + ".9",
          _call, _OPTION, "r",
          "KT exp(−rT)Φ(d) where " + _D2),
    Entry("Black-Scholes theta", _HULL + ".5",
          _call, _OPTION, "T",
          "Ssφ(d)/(2√T) + rK exp(−rT)Φ(d − s√T) where " + _D1),
    Entry("Black-Scholes in the strike", _HULL,
          _call, _OPTION, "K",
          "−exp(−rT)Φ(d) where " + _D2),
    Entry("gamma from delta", _HULL + ".6",
          _delta, _OPTION, "S",
          "φ(d)/(Ss√T) where " + _D1),
    Entry("vanna from delta", "Haug, The Complete Guide to Option Pricing Formulas, chapter 2",
          _delta, _OPTION, "s",
          "−φ(d)(d − s√T)/s where " + _D1),
    Entry("d₁ in the price", "Hull, Options, Futures, and Other Derivatives, 15.8",
          _d1, _OPTION, "S",
          "1/(Ss√T)"),
    Entry("forward price in the rate", "Hull, Options, Futures, and Other Derivatives, 5.4",
          lambda r, S, T: S * sg.exp(r * T), {"r": "fraction", "S": "positive", "T": "positive"}, "r",
          "ST exp(rT)", "ST² exp(rT)"),
)

_PORTFOLIOS = (
    Entry("mean and variance", "Markowitz 1952, Portfolio selection",
          lambda w, u, C, a: a / 2 * (w @ C @ w) - u @ w,
          {"w": "n", "u": "n", "C": "n n pd symmetric", "a": "positive"}, "w",
          "aCw − u", "aC"),
    Entry("volatility of a portfolio", "Maillard, Roncalli and Teïletche 2010, Equally weighted risk contributions",
          lambda w, C: sg.sqrt(w @ C @ w), {"w": "n positive", "C": "n n pd symmetric"}, "w",
          "Cw/√(wᵀCw)", "(C − CwwᵀC/wᵀCw)/√(wᵀCw)"),
    Entry("Sharpe ratio", _LUENBERGER + ", chapter 7",
          lambda w, u, C: u @ w / sg.sqrt(w @ C @ w), {"w": "n positive", "u": "n", "C": "n n pd symmetric"}, "w",
          "u/√(wᵀCw) − Cwwᵀu/(wᵀCw)^(3/2)"),
    Entry("logarithmic growth", _LUENBERGER + ", chapter 15",
          lambda w, R: sg.log(1 + R @ w).sum(), {"w": "n fraction", "R": "m n fraction"}, "w",
          "Rᵀ(1/(1 + Rw))", "−Rᵀ diag(1/(1 + Rw)²) R"),
    Entry("tracking error", "Grinold and Kahn, Active Portfolio Management, 3",
          lambda w, b, C: (w - b) @ C @ (w - b), {"w": "n", "b": "n", "C": "n n pd symmetric"}, "w",
          "2C(w − b)", "2C"),
    Entry("risk parity", "Spinu 2013, An algorithm for computing risk parity weights",
          lambda w, b, C: w @ C @ w / 2 - b @ sg.log(w),
          {"w": "n positive", "b": "n positive", "C": "n n pd symmetric"}, "w",
          "Cw − b/w", "C + diag(b/w²)"),
)

_BONDS = (
    Entry("duration and convexity", _LUENBERGER + ", chapter 3",
          lambda y, c, t: (c * sg.exp(-y * t)).sum(), {"y": "fraction", "c": "n positive", "t": "n positive"}, "y",
          "−cᵀ(t ⊙ exp(−yt))", "cᵀ(t² ⊙ exp(−yt))"),
    Entry("present value in the cash flows", _LUENBERGER + ", chapter 2",
          lambda c, t, y: (c * sg.exp(-y * t)).sum(), {"c": "n", "t": "n positive", "y": "fraction"}, "c",
          "exp(−yt)"),
    Entry("net present value in the rate", _LUENBERGER + ", chapter 2",
          lambda r, c, t: (c / (1 + r) ** t).sum(), {"r": "fraction", "c": "n", "t": "n positive"}, "r",
          "−sum(c ⊙ t/(1 + r)^t)/(1 + r)"),
    Entry("perpetuity", _LUENBERGER + ", chapter 3",
          lambda r, c: c / r, {"r": "fraction", "c": "positive"}, "r",
          "−c/r²", "2c/r³"),
)

_ECONOMICS = (
    Entry("constant relative risk aversion", _VARIAN,
          lambda c, g: c ** (1 - g) / (1 - g), {"c": "positive", "g": "fraction"}, "c",
          "c^(−g)", "−gc^(−g − 1)"),
    Entry("constant absolute risk aversion", _VARIAN,
          lambda w, a: -sg.exp(-a * w), {"w": "", "a": "positive"}, "w",
          "a exp(−aw)", "−a² exp(−aw)"),
    Entry("Cobb-Douglas", _VARIAN,
          lambda K, L, A, a, b: A * K**a * L**b,
          {"K": "positive", "L": "positive", "A": "positive", "a": "positive", "b": "positive"}, "K",
          "aAK^(a − 1)L^b", "a(a − 1)AK^(a − 2)L^b"),
    Entry("constant elasticity of substitution", _VARIAN,
          lambda x, y, a, b, r: (a * x**r + b * y**r) ** (1 / r),
          {"x": "positive", "y": "positive", "a": "positive", "b": "positive", "r": "positive"}, "x",
          "ax^(r − 1)(ax^r + by^r)^(1/r − 1)"),
    Entry("logit demand", "Train, Discrete Choice Methods with Simulation, 3.6",
          lambda v: sg.softmax(v, 0), {"v": "n"}, "v",
          "diag(p) − ppᵀ where p = softmax(v)"),
    Entry("quadratic adjustment costs", "Sargent, Macroeconomic Theory",
          lambda x, y, z, a: a * (x - y) ** 2 / 2 + (x - z) ** 2 / 2, {"x": "", "y": "", "z": "", "a": "positive"}, "x",
          "a(x − y) + x − z", "a + 1"),
)

ENTRIES = _OPTIONS + _PORTFOLIOS + _BONDS + _ECONOMICS
