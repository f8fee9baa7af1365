"""Held out: economics and finance, written from the books before the rules were touched."""

# ruff: noqa: E741  (l is a length, as in the books)

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_HULL = "Hull, Options, Futures, and Other Derivatives"
_VARIAN = "Varian, Microeconomic Analysis"
_MCNEIL = "McNeil, Frey and Embrechts, Quantitative Risk Management"
_ROCKAFELLAR = "Rockafellar and Uryasev 2000, Optimization of conditional value-at-risk"
_LUENBERGER = "Luenberger, Investment Science"
_OPTION = {"S": "positive", "K": "positive", "r": "fraction", "T": "positive", "s": "fraction"}
_D1 = "d = (log(S/K) + (r + s²/2)T)/(s√T)"
_D2 = "d = (log(S/K) + (r − s²/2)T)/(s√T)"
_BLACK = "d = log(F/K)/(s√T) + s√T/2"


def _d1(S, K, r, T, s):
    return (np.log(S / K) + (r + s**2 / 2) * T) / (s * np.sqrt(T))


def _put(S, K, r, T, s):
    d1 = _d1(S, K, r, T, s)
    d2 = d1 - s * np.sqrt(T)
    return K * np.exp(-r * T) * sg.special.ndtr(-d2) - S * sg.special.ndtr(-d1)


def _digital(S, K, r, T, s):
    return np.exp(-r * T) * sg.special.ndtr(_d1(S, K, r, T, s) - s * np.sqrt(T))


def _vega(s, S, K, r, T):
    d = _d1(S, K, r, T, s)
    return S * np.sqrt(T) * np.exp(-(d**2) / 2) / np.sqrt(2 * np.pi)


def _black(F, K, r, T, s):
    d1 = (np.log(F / K) + s**2 * T / 2) / (s * np.sqrt(T))
    d2 = d1 - s * np.sqrt(T)
    return np.exp(-r * T) * (F * sg.special.ndtr(d1) - K * sg.special.ndtr(d2))


def _bachelier(F, K, T, s):
    d = (F - K) / (s * np.sqrt(T))
    return (F - K) * sg.special.ndtr(d) + s * np.sqrt(T) * np.exp(-(d**2) / 2) / np.sqrt(2 * np.pi)


def _shortfall(w, R, t, a, c):
    return t + c * sg.softplus((-(R @ w) - t) / c).sum() / ((1 - a) * R.shape[0])


def _moments(β, X, Z, y, W):
    g = Z.T @ (y - X @ β) / X.shape[0]
    return g @ W @ g


def _theil(x):
    u = x.mean()
    return (x / u * sg.log(x / u)).mean()


_UTILITY = (
    Entry("expected utility of constant relative risk aversion", "Mas-Colell et al., Microeconomic Theory, 6.C",
          lambda c, q, g: (q * c ** (1 - g)).sum() / (1 - g), {"c": "n positive", "q": "n fraction", "g": "fraction"},
          "c",
          "q ⊙ c^(−g)", "−g diag(q ⊙ c^(−g − 1))"),
    Entry("exponential utility of a portfolio", "Föllmer and Schied, Stochastic Finance, 2.3",
          lambda w, R, a: -np.exp(-a * (R @ w)).mean(), {"w": "n", "R": "m n", "a": "positive"}, "w",
          "aRᵀ exp(−aRw)/m", "−a²Rᵀ diag(exp(−aRw)) R/m"),
    Entry("hyperbolic absolute risk aversion", "Merton 1971, Optimum consumption and portfolio rules",
          lambda x, a, b, g: (1 - g) / g * (a * x / (1 - g) + b) ** g,
          {"x": "positive", "a": "positive", "b": "positive", "g": "fraction"}, "x",
          "a(ax/(1 − g) + b)^(g − 1)", "−a²(ax/(1 − g) + b)^(g − 2)"),
    Entry("Stone-Geary", "Stone 1954, Linear expenditure systems and demand analysis",
          lambda x, a, c: (a * sg.log(x - c)).sum(), {"x": "n wide", "a": "n positive", "c": "n positive"}, "x",
          "a/(x − c)", "−diag(a/(x − c)²)"),
    Entry("Lagrangian of a consumer", _VARIAN + ", 7.1",
          lambda x, a, q, w, λ: a @ sg.log(x) + λ * (w - q @ x),
          {"x": "n positive", "a": "n positive", "q": "n positive", "w": "positive", "λ": "positive"}, "x",
          "a/x − λq", "−diag(a/x²)"),
    Entry("two periods of logarithmic utility", "Ljungqvist and Sargent, Recursive Macroeconomic Theory, 3.1",
          lambda c, b, w: np.log(c) + b * np.log(w - c), {"c": "positive", "b": "fraction", "w": "wide"}, "c",
          "1/c − b/(w − c)", "−1/c² − b/(w − c)²"),
)

_PRODUCTION = (
    Entry("Cobb-Douglas of several inputs", _VARIAN + ", 1.5",
          lambda x, a: (x**a).prod(), {"x": "n positive", "a": "n positive"}, "x",
          "prod(x^a)a/x", "f((a/x)(a/x)ᵀ − diag(a/x²)) where f = prod(x^a)"),
    Entry("constant elasticity of substitution of several inputs", _VARIAN + ", 1.5",
          lambda x, a, r: (a * x**r).sum() ** (1 / r), {"x": "n positive", "a": "n positive", "r": "positive"}, "x",
          "(aᵀx^r)^(1/r − 1)(a ⊙ x^(r − 1))"),
    Entry("price index", "Dixit and Stiglitz 1977, Monopolistic competition and optimum product diversity",
          lambda q, s: (q ** (1 - s)).sum() ** (1 / (1 - s)), {"q": "n positive", "s": "wide"}, "q",
          "sum(q^(1 − s))^(s/(1 − s))q^(−s)"),
    Entry("translog", "Christensen, Jorgenson and Lau 1973, Transcendental logarithmic production frontiers",
          lambda x, a, B: a @ sg.log(x) + sg.log(x) @ B @ sg.log(x) / 2,
          {"x": "n positive", "a": "n", "B": "n n symmetric"}, "x",
          "(a + B log(x))/x", "diag(1/x)B diag(1/x) − diag((a + B log(x))/x²)"),
    Entry("profit under logit demand", "Anderson, de Palma and Thisse, Discrete Choice Theory",
          lambda q, c, v, a: (q - c) * sg.sigmoid(v - a * q),
          {"q": "positive", "c": "positive", "v": "", "a": "positive"}, "q",
          "s − a(q − c)s(1 − s) where s = σ(v − aq)"),
    Entry("consumer surplus under logit demand", "Small and Rosen 1981, Applied welfare economics with discrete choice",
          lambda q, v, a: sg.log(1 + sg.exp(v - a * q).sum()) / a, {"q": "n positive", "v": "n", "a": "positive"}, "q",
          "−s where s = exp(v − aq)/(1 + sum(exp(v − aq)))",
          "a(diag(s) − ssᵀ) where s = exp(v − aq)/(1 + sum(exp(v − aq)))"),
    Entry("generalised method of moments", "Hayashi, Econometrics, 3.4",
          _moments, {"β": "n", "X": "m n", "Z": "m k", "y": "m", "W": "k k pd symmetric"}, "β",
          "−2XᵀZWZᵀ(y − Xβ)/m²", "2XᵀZWZᵀX/m²"),
    Entry("Theil's index", "Theil, Economics and Information Theory, 4",
          _theil, {"x": "n positive"}, "x",
          "(log(x/u) − T)/(nu) where u = sum(x)/n, T = xᵀ log(x/u)/(nu)"),
)

_OPTIONS = (
    Entry("put delta and gamma", _HULL + ", 19.4, 19.6",
          _put, _OPTION, "S",
          "Φ(d) − 1 where " + _D1, "φ(d)/(Ss√T) where " + _D1),
    Entry("put rho", _HULL + ", 19.9",
          lambda r, S, K, T, s: _put(S, K, r, T, s),
          {"r": "fraction", "S": "positive", "K": "positive", "T": "positive", "s": "fraction"}, "r",
          "−KT exp(−rT)Φ(−d) where " + _D2),
    Entry("digital option in the price", _HULL + ", 26.10",
          _digital, _OPTION, "S",
          "exp(−rT)φ(d)/(Ss√T) where " + _D2),
    Entry("volga from vega", "Haug, The Complete Guide to Option Pricing Formulas, 2.2",
          _vega, {"s": "fraction", "S": "positive", "K": "positive", "r": "fraction", "T": "positive"}, "s",
          "S√T φ(d)d(d − s√T)/s where " + _D1),
    Entry("option on futures", "Black 1976, The pricing of commodity contracts",
          _black, {"F": "positive", "K": "positive", "r": "fraction", "T": "positive", "s": "fraction"}, "F",
          "exp(−rT)Φ(d) where " + _BLACK, "exp(−rT)φ(d)/(Fs√T) where " + _BLACK),
    Entry("Bachelier's option", "Haug, The Complete Guide to Option Pricing Formulas, 1.3",
          _bachelier, {"F": "positive", "K": "positive", "T": "positive", "s": "positive"}, "F",
          "Φ((F − K)/(s√T))", "φ((F − K)/(s√T))/(s√T)"),
)

_PORTFOLIOS = (
    Entry("Lagrangian of the efficient frontier", "Merton 1972, An analytic derivation of the efficient frontier",
          lambda w, u, C, λ, g, r: w @ C @ w / 2 - λ * (u @ w - r) - g * (w.sum() - 1),
          {"w": "n", "u": "n", "C": "n n pd symmetric", "λ": "", "g": "", "r": ""}, "w",
          "Cw − λu − g𝟏", "C"),
    Entry("variance of historical returns", "Grinold and Kahn, Active Portfolio Management, 3",
          lambda w, R: sg.var(R @ w), {"w": "n", "R": "m n"}, "w",
          "2Rᵀ(I − 𝟏𝟏ᵀ/m)Rw/(m − 1)", "2Rᵀ(I − 𝟏𝟏ᵀ/m)R/(m − 1)"),
    Entry("entropic risk", "Föllmer and Schied, Stochastic Finance, 4.1",
          lambda w, R, a: sg.log(sg.exp(-a * (R @ w)).mean()) / a, {"w": "n", "R": "m n", "a": "positive"}, "w",
          "−Rᵀ softmax(−aRw)", "aRᵀ(diag(p) − ppᵀ)R where p = softmax(−aRw)"),
    Entry("smoothed expected shortfall in the weights", _ROCKAFELLAR,
          _shortfall, {"w": "n", "R": "m n", "t": "", "a": "fraction", "c": "positive"}, "w",
          "−Rᵀσ(−(Rw + t)/c)/((1 − a)m)", "Rᵀ diag(p ⊙ (1 − p)) R/((1 − a)mc) where p = σ((Rw + t)/c)"),
    Entry("downside deviation", "Sortino and Price 1994, Performance measurement in a downside risk framework",
          lambda w, R, t: (sg.relu(t - R @ w) ** 2).mean(), {"w": "n", "R": "m n", "t": ""}, "w",
          "−2Rᵀ relu(t − Rw)/m", "2Rᵀ diag(1[Rw < t]) R/m"),
    Entry("value at risk of normal returns", _MCNEIL + ", 2.2",
          lambda w, u, C, z: z * sg.sqrt(w @ C @ w) - u @ w,
          {"w": "n", "u": "n", "C": "n n pd symmetric", "z": "positive"}, "w",
          "zCw/√(wᵀCw) − u", "z(C − CwwᵀC/wᵀCw)/√(wᵀCw)"),
    Entry("Kelly's criterion", "Kelly 1956, A new interpretation of information rate",
          lambda f, q, b: q * np.log(1 + b * f) + (1 - q) * np.log(1 - f),
          {"f": "fraction", "q": "fraction", "b": "positive"}, "f",
          "qb/(1 + bf) − (1 − q)/(1 − f)", "−qb²/(1 + bf)² − (1 − q)/(1 − f)²"),
)

_BONDS = (
    Entry("slope of a forward curve", "Nelson and Siegel 1987, Parsimonious modeling of yield curves",
          lambda t, a, b, c, l: a + b * np.exp(-t / l) + c * t / l * np.exp(-t / l),
          {"t": "positive", "a": "", "b": "", "c": "", "l": "positive"}, "t",
          "(c − b − ct/l)exp(−t/l)/l"),
    Entry("annuity in the rate", _LUENBERGER + ", 3.2",
          lambda r, c, T: c / r * (1 - 1 / (1 + r) ** T), {"r": "fraction", "c": "positive", "T": "wide"}, "r",
          "cT/(r(1 + r)^(T + 1)) − c(1 − 1/(1 + r)^T)/r²"),
    Entry("loading of Vasicek's bond in the reversion", "Vasicek 1977, An equilibrium characterization",
          lambda a, T: (1 - np.exp(-a * T)) / a, {"a": "positive", "T": "positive"}, "a",
          "T exp(−aT)/a − (1 − exp(−aT))/a²"),
)

ENTRIES = _UTILITY + _PRODUCTION + _OPTIONS + _PORTFOLIOS + _BONDS
