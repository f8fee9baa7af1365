"""Held out: regression and generalised linear models, written from the books before the rules were touched."""

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_ESL = "Hastie, Tibshirani and Friedman, The Elements of Statistical Learning"
_GLM = "McCullagh and Nelder, Generalized Linear Models"
_GREENE = "Greene, Econometric Analysis"
_LINEAR = {"β": "n", "X": "m n", "y": "m"}
_BINARY = {"w": "n", "X": "m n", "y": "m binary"}
_LABELLED = {"w": "n", "X": "m n", "y": "m sign"}


def _logistic_with_intercept(w, b, X, y):
    z = X @ w + b
    return (np.logaddexp(0, z) - y * z).sum()


def _tobit(w, X, y, d, s):
    z = X @ w
    return (d * (y - z) ** 2 / (2 * s**2) - (1 - d) * sg.log(sg.special.ndtr(-z / s))).sum()


def _negative_binomial(β, X, y, α):
    μ = sg.exp(X @ β)
    return ((y + 1 / α) * sg.log(1 + α * μ) - y * sg.log(α * μ)).sum()


def _ordinal(t, a, b):
    return -sg.log(sg.sigmoid(b - t) - sg.sigmoid(a - t))


_PENALISED = (
    Entry("ridge of the mean squared error", _ESL + ", 3.4.1",
          lambda β, X, y, λ: ((y - X @ β) ** 2).sum() / (2 * X.shape[0]) + λ / 2 * (β**2).sum(),
          {**_LINEAR, "λ": "positive"}, "β",
          "Xᵀ(Xβ − y)/m + λβ", "XᵀX/m + λI"),
    Entry("generalised least squares", _GREENE + ", 9.3",
          lambda β, X, y, V: (y - X @ β) @ sg.linalg.inv(V) @ (y - X @ β), {**_LINEAR, "V": "m m pd symmetric"}, "β",
          "−2XᵀV⁻¹(y − Xβ)", "2XᵀV⁻¹X"),
    Entry("smoothing spline", _ESL + ", (5.11)",
          lambda θ, N, y, Ω, λ: (y - N @ θ) @ (y - N @ θ) + λ * θ @ Ω @ θ,
          {"θ": "n", "N": "m n", "y": "m", "Ω": "n n pd symmetric", "λ": "positive"}, "θ",
          "−2Nᵀ(y − Nθ) + 2λΩθ", "2NᵀN + 2λΩ"),
    Entry("penalised spline", "Eilers and Marx 1996, Flexible smoothing with B-splines and penalties",
          lambda a, B, D, y, λ: ((y - B @ a) ** 2).sum() + λ * ((D @ a) ** 2).sum(),
          {"a": "n", "B": "m n", "D": "k n", "y": "m", "λ": "positive"}, "a",
          "−2Bᵀ(y − Ba) + 2λDᵀDa", "2BᵀB + 2λDᵀD"),
    Entry("weighted ridge", "van Wieringen 2015, Lecture notes on ridge regression, 3",
          lambda β, X, y, c, λ: (c * (y - X @ β) ** 2).sum() + λ * (β @ β),
          {**_LINEAR, "c": "m positive", "λ": "positive"}, "β",
          "2Xᵀ(c ⊙ (Xβ − y)) + 2λβ", "2Xᵀ diag(c) X + 2λI"),
    Entry("ridge with several outputs", _ESL + ", 3.7",
          lambda B, X, Y, λ: ((Y - X @ B) ** 2).sum() + λ * (B**2).sum(),
          {"B": "n k", "X": "m n", "Y": "m k", "λ": "positive"}, "B",
          "2Xᵀ(XB − Y) + 2λB", "2(XᵀX + λI) ⊗ I"),
    Entry("multivariate regression with error covariance", _ESL + ", (3.40)",
          lambda B, X, Y, S: sg.trace((Y - X @ B) @ sg.linalg.inv(S) @ (Y - X @ B).T),
          {"B": "n k", "X": "m n", "Y": "m k", "S": "k k pd symmetric"}, "B",
          "−2Xᵀ(Y − XB)S⁻¹", "2XᵀX ⊗ S⁻¹"),
    Entry("Lagrangian of constrained least squares", "Boyd and Vandenberghe, Applied Linear Algebra, 16.2",
          lambda x, A, b, C, d, z: ((A @ x - b) ** 2).sum() + z @ (C @ x - d),
          {"x": "n", "A": "m n", "b": "m", "C": "k n", "d": "k", "z": "k"}, "x",
          "2Aᵀ(Ax − b) + Cᵀz", "2AᵀA"),
    Entry("kernel ridge", _ESL + ", 12.3.7",
          lambda α, K, y, λ: ((y - K @ α) ** 2).sum() + λ * (α @ K @ α),
          {"α": "m", "K": "m m pd symmetric", "y": "m", "λ": "positive"}, "α",
          "−2K(y − Kα) + 2λKα", "2KK + 2λK"),
    Entry("smoothed lasso", "Beck and Teboulle 2012, Smoothing and first order methods",
          lambda β, X, y, λ, ε: ((X @ β - y) ** 2).sum() / 2 + λ * sg.sqrt(β**2 + ε).sum(),
          {**_LINEAR, "λ": "positive", "ε": "positive"}, "β",
          "Xᵀ(Xβ − y) + λβ/√(β² + ε)", "XᵀX + λ diag(ε/(β² + ε)^(3/2))"),
    Entry("elastic net", "Zou and Hastie 2005, Regularization and variable selection via the elastic net",
          lambda β, X, y, λ, a: ((y - X @ β) ** 2).sum() / (2 * X.shape[0])
          + λ * (a * sg.abs(β).sum() + (1 - a) / 2 * (β**2).sum()),
          {**_LINEAR, "λ": "positive", "a": "fraction"}, "β",
          "Xᵀ(Xβ − y)/m + λ(a sign(β) + (1 − a)β)"),
)

_BINARY_RESPONSE = (
    Entry("logistic with intercept, the intercept", _ESL + ", 4.4",
          lambda b, w, X, y: _logistic_with_intercept(w, b, X, y), {"b": "", **_BINARY}, "b",
          "sum(σ(Xw + b) − y)", "sum(p ⊙ (1 − p)) where p = σ(Xw + b)"),
    Entry("logistic with intercept, the weights", _ESL + ", 4.4",
          _logistic_with_intercept, {"w": "n", "b": "", "X": "m n", "y": "m binary"}, "w",
          "Xᵀ(σ(Xw + b) − y)", "Xᵀ diag(p ⊙ (1 − p)) X where p = σ(Xw + b)"),
    Entry("ridge logistic", "Murphy, Probabilistic Machine Learning: An Introduction, 10.2.7",
          lambda w, X, y, λ: (sg.softplus(X @ w) - y * (X @ w)).sum() + λ / 2 * (w @ w), {**_BINARY, "λ": "positive"},
          "w",
          "Xᵀ(σ(Xw) − y) + λw", "Xᵀ diag(p ⊙ (1 − p)) X + λI where p = σ(Xw)"),
    Entry("weighted logistic, y = ±1", "Friedman, Hastie and Tibshirani 2000, Additive logistic regression",
          lambda w, X, y, c: (c * np.log1p(np.exp(-y * (X @ w)))).sum(), {**_LABELLED, "c": "m positive"}, "w",
          "−Xᵀ(c ⊙ y ⊙ σ(−y ⊙ Xw))", "Xᵀ diag(c ⊙ p ⊙ (1 − p)) X where p = σ(y ⊙ Xw)"),
    Entry("probit, y = 0 or 1", _GREENE + ", (17-20)",
          lambda w, X, y: -(y * sg.log(sg.special.ndtr(X @ w)) + (1 - y) * sg.log(1 - sg.special.ndtr(X @ w))).sum(),
          _BINARY, "w",
          "−Xᵀ((y − Φ(z)) ⊙ φ(z)/(Φ(z) ⊙ (1 − Φ(z)))) where z = Xw"),
    Entry("complementary log-log", _GLM + ", 4.3",
          lambda w, X, y: ((1 - y) * sg.exp(X @ w) - y * sg.log(1 - sg.exp(-sg.exp(X @ w)))).sum(), _BINARY, "w",
          "Xᵀ((1 − y) ⊙ u − y ⊙ u/(exp(u) − 1)) where u = exp(Xw)"),
    Entry("Tobit", _GREENE + ", 19.3",
          _tobit, {"w": "n", "X": "m n", "y": "m", "d": "m binary", "s": "positive"}, "w",
          "Xᵀ((1 − d) ⊙ φ(z/s)/(sΦ(−z/s)) − d ⊙ (y − z)/s²) where z = Xw"),
    Entry("ordinal logit, one observation", "McCullagh 1980, Regression models for ordinal data",
          _ordinal, {"t": "", "a": "fraction", "b": "wide"}, "t",
          "1 − σ(a − t) − σ(b − t)", "σ(a − t)(1 − σ(a − t)) + σ(b − t)(1 − σ(b − t))"),
)

_POSITIVE_RESPONSE = (
    Entry("Poisson with exposure", "Cameron and Trivedi, Regression Analysis of Count Data, 3.2",
          lambda β, X, y, o: (sg.exp(X @ β + o) - y * (X @ β + o)).sum(),
          {"β": "n", "X": "m n", "y": "m integer", "o": "m"}, "β",
          "Xᵀ(exp(Xβ + o) − y)", "Xᵀ diag(exp(Xβ + o)) X"),
    Entry("Poisson deviance in the means", _GLM + ", 2.3",
          lambda μ, y: 2 * (y * sg.log(y / μ) - (y - μ)).sum(), {"μ": "m positive", "y": "m integer"}, "μ",
          "−2(y − μ)/μ", "2diag(y/μ²)"),
    Entry("gamma regression, canonical link", _GLM + ", 8.3",
          lambda β, X, y: (y * (X @ β) - sg.log(X @ β)).sum(),
          {"β": "n positive", "X": "m n positive", "y": "m positive"}, "β",
          "Xᵀ(y − 1/(Xβ))", "Xᵀ diag(1/(Xβ)²) X"),
    Entry("inverse Gaussian deviance", _GLM + ", 2.3",
          lambda μ, y: ((y - μ) ** 2 / (μ**2 * y)).sum(), {"μ": "m positive", "y": "m positive"}, "μ",
          "−2(y − μ)/μ³"),
    Entry("negative binomial with log link", "Hilbe, Negative Binomial Regression, 8.2",
          _negative_binomial, {"β": "n", "X": "m n", "y": "m integer", "α": "positive"}, "β",
          "−Xᵀ((y − μ)/(1 + αμ)) where μ = exp(Xβ)", "Xᵀ diag(μ ⊙ (1 + αy)/(1 + αμ)²) X where μ = exp(Xβ)"),
    Entry("Cox partial likelihood of one event", "Cox 1972, Regression models and life-tables",
          lambda β, X, x: sg.log(sg.exp(X @ β).sum()) - x @ β, {"β": "n", "X": "m n", "x": "n"}, "β",
          "Xᵀ softmax(Xβ) − x", "Xᵀ(diag(p) − ppᵀ)X where p = softmax(Xβ)"),
    Entry("Box-Cox transformation in the exponent", "Box and Cox 1964, An analysis of transformations",
          lambda λ, y: (y**λ - 1) / λ, {"λ": "positive", "y": "positive"}, "λ",
          "(λy^λ log(y) − y^λ + 1)/λ²"),
)

_ROBUST = (
    Entry("smooth quantile regression", "Zheng 2011, Gradient descent algorithms for quantile regression",
          lambda w, X, y, t, a: (t * (y - X @ w) + a * sg.log(1 + sg.exp(-(y - X @ w) / a))).sum(),
          {"w": "n", "X": "m n", "y": "m", "t": "fraction", "a": "positive"}, "w",
          "−Xᵀ(t − σ(−(y − Xw)/a))", "Xᵀ diag(p ⊙ (1 − p)) X/a where p = σ((y − Xw)/a)"),
    Entry("Cauchy regression", "Huber and Ronchetti, Robust Statistics, 7.3",
          lambda β, X, y, c: sg.log(1 + ((y - X @ β) / c) ** 2).sum(), {**_LINEAR, "c": "positive"}, "β",
          "−2Xᵀ(r/(c² + r²)) where r = y − Xβ", "2Xᵀ diag((c² − r²)/(c² + r²)²) X where r = y − Xβ"),
    Entry("Tukey's biweight", "Maronna, Martin and Yohai, Robust Statistics, 2.2.4",
          lambda x, c: sg.where(sg.abs(x) <= c, c**2 / 6 * (1 - (1 - (x / c) ** 2) ** 3), c**2 / 6).sum(),
          {"x": "n", "c": "positive"}, "x",
          "where(|x| ≤ c, x ⊙ (1 − (x/c)²)², 0)"),
    Entry("squared ε-insensitive loss", "Ho and Lin 2012, Large-scale linear support vector regression",
          lambda w, X, y, ε: (sg.relu(sg.abs(X @ w - y) - ε) ** 2).sum(),
          {"w": "n", "X": "m n", "y": "m", "ε": "fraction"}, "w",
          "2Xᵀ(sign(r) ⊙ relu(|r| − ε)) where r = Xw − y", "2Xᵀ diag(1[|Xw − y| > ε]) X"),
)

ENTRIES = _PENALISED + _BINARY_RESPONSE + _POSITIVE_RESPONSE + _ROBUST
