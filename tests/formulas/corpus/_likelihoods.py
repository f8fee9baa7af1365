"""Likelihoods of labels, counts and waiting times; softmax and its relatives. All are negative log-likelihoods."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_GLM = "McCullagh and Nelder, Generalized Linear Models"
_MURPHY = "Murphy, Probabilistic Machine Learning: An Introduction"
_CASELLA = "Casella and Berger, Statistical Inference, 7.2"
_DESIGN = {"w": "n", "X": "m n"}


def _gamma(a, b, x):
    return (sg.lgamma(a) - a * sg.log(b) - (a - 1) * sg.log(x) + b * x).sum()


def _beta(a, b, x):
    constant = sg.lgamma(a) + sg.lgamma(b) - sg.lgamma(a + b)
    return (constant - (a - 1) * sg.log(x) - (b - 1) * sg.log(1 - x)).sum()


_LABELS = (
    Entry("logistic, y = ±1", "Lin, Weng and Keerthi 2008, Trust region Newton method for logistic regression",
          lambda w, X, y: sg.log(1 + sg.exp(-y * (X @ w))).sum(), {**_DESIGN, "y": "m sign"}, "w",
          "−Xᵀ(y ⊙ σ(−y ⊙ Xw))", "Xᵀ diag(p ⊙ (1 − p)) X where p = σ(y ⊙ Xw)"),
    Entry("regularised logistic, y = ±1",
          "Lin, Weng and Keerthi 2008, Trust region Newton method for logistic regression",
          lambda w, X, y, c: (w**2).sum() / 2 + c * sg.log(1 + sg.exp(-y * (X @ w))).sum(),
          {**_DESIGN, "y": "m sign", "c": "positive"}, "w",
          "w − cXᵀ(y ⊙ σ(−y ⊙ Xw))", "I + cXᵀ diag(p ⊙ (1 − p)) X where p = σ(y ⊙ Xw)"),
    Entry("mean logistic, y = ±1", _MURPHY + ", 10.2",
          lambda w, X, y: sg.log(1 + sg.exp(-y * (X @ w))).mean(), {**_DESIGN, "y": "m sign"}, "w",
          "−Xᵀ(y ⊙ σ(−y ⊙ Xw))/m"),
    Entry("logistic, y = 0 or 1", _GLM + ", 4.4",
          lambda w, X, y: (sg.log(1 + sg.exp(X @ w)) - y * (X @ w)).sum(), {**_DESIGN, "y": "m binary"}, "w",
          "Xᵀ(σ(Xw) − y)", "Xᵀ diag(p ⊙ (1 − p)) X where p = σ(Xw)"),
    Entry("logistic by cross entropy", _BISHOP + ", (4.91), (4.97)",
          lambda w, X, y: -(y * sg.log(sg.sigmoid(X @ w)) + (1 - y) * sg.log(1 - sg.sigmoid(X @ w))).sum(),
          {**_DESIGN, "y": "m binary"}, "w",
          "Xᵀ(σ(Xw) − y)", "Xᵀ diag(p ⊙ (1 − p)) X where p = σ(Xw)"),
    Entry("binomial in the log-odds", _GLM + ", 4.4",
          lambda t, N, y: N * sg.log(1 + sg.exp(t)) - y * t, {"t": "", "N": "positive", "y": "positive"}, "t",
          "Nσ(t) − y", "Nσ(t)(1 − σ(t))"),
    Entry("Bernoulli in the probability", _CASELLA,
          lambda t, y: -(y * sg.log(t) + (1 - y) * sg.log(1 - t)).sum(), {"t": "fraction", "y": "m binary"}, "t",
          "sum(1 − y)/(1 − t) − sum(y)/t"),
    Entry("binary cross entropy", _BISHOP + ", (4.90)",
          lambda p, y: -(y * sg.log(p) + (1 - y) * sg.log(1 - p)).sum(), {"p": "m fraction", "y": "m binary"}, "p",
          "(p − y)/(p ⊙ (1 − p))"),
    Entry("probit", _GLM + ", 4.3",
          lambda w, X, y: -sg.log(sg.special.ndtr(y * (X @ w))).sum(), {**_DESIGN, "y": "m sign"}, "w",
          "−Xᵀ(y ⊙ φ(z)/Φ(z)) where z = y ⊙ Xw"),
    Entry("Bradley-Terry", "Hunter 2004, MM algorithms for generalized Bradley-Terry models",
          lambda s, D: sg.log(1 + sg.exp(-(D @ s))).sum(), {"s": "n", "D": "m n"}, "s",
          "−Dᵀσ(−Ds)", "Dᵀ diag(p ⊙ (1 − p)) D where p = σ(Ds)"),
    Entry("one comparison", "Elo, The Rating of Chessplayers, 8.7 (logistic form)",
          lambda a, b: -sg.log(1 / (1 + sg.exp(b - a))), {"a": "", "b": ""}, "a",
          "−σ(b − a)", "σ(a − b)σ(b − a)"),
)

_SOFTMAX = (
    Entry("logsumexp", "Boyd and Vandenberghe, Convex Optimization, 3.1.5",
          lambda x: sg.log(sg.exp(x).sum()), {"x": "n"}, "x",
          "softmax(x)", "diag(p) − ppᵀ where p = softmax(x)"),
    Entry("logsumexp of an affine map", "Boyd and Vandenberghe, Convex Optimization, A.4",
          lambda x, A, b: sg.logsumexp(A @ x + b, 0), {"x": "n", "A": "m n", "b": "m"}, "x",
          "Aᵀ softmax(Ax + b)", "Aᵀ(diag(p) − ppᵀ)A where p = softmax(Ax + b)"),
    Entry("logsumexp at a temperature", "Nesterov 2005, Smooth minimization of non-smooth functions",
          lambda x, t: t * sg.log(sg.exp(x / t).sum()), {"x": "n", "t": "positive"}, "x",
          "softmax(x/t)", "(diag(p) − ppᵀ)/t where p = softmax(x/t)"),
    Entry("softmax cross entropy", "Goodfellow, Bengio and Courville, Deep Learning, 6.2.2",
          lambda x, y: -(y * sg.log(sg.exp(x) / sg.exp(x).sum())).sum(), {"x": "n", "y": "n onehot"}, "x",
          "softmax(x) − y", "diag(p) − ppᵀ where p = softmax(x)"),
    Entry("softmax regression", _BISHOP + ", (4.109)",
          lambda W, X, Y: -(Y * sg.log_softmax(X @ W, 1)).sum(), {"W": "n k", "X": "m n", "Y": "m k onehot"}, "W",
          "Xᵀ(softmax(XW) − Y)"),
    Entry("softmax regression by logsumexp", _BISHOP + ", (4.109)",
          lambda W, X, Y: (sg.logsumexp(X @ W, 1) - (Y * (X @ W)).sum(1)).sum(),
          {"W": "n k", "X": "m n", "Y": "m k onehot"}, "W",
          "Xᵀ(softmax(XW) − Y)"),
    Entry("softmax regression, one sample", "Böhning 1992, Multinomial logistic regression algorithm",
          lambda W, x, y: sg.logsumexp(W @ x, 0) - y @ (W @ x), {"W": "k n", "x": "n", "y": "k onehot"}, "W",
          "(softmax(Wx) − y)xᵀ", "(diag(p) − ppᵀ) ⊗ xxᵀ where p = softmax(Wx)"),
    Entry("entropy", "Cover and Thomas, Elements of Information Theory, 2.1",
          lambda p: -(p * sg.log(p)).sum(), {"p": "n fraction"}, "p",
          "−log(p) − 1", "−diag(1/p)"),
    Entry("Kullback-Leibler divergence in p", "Cover and Thomas, Elements of Information Theory, 2.3",
          lambda p, q: (p * sg.log(p / q)).sum(), {"p": "n fraction", "q": "n fraction"}, "p",
          "log(p/q) + 1", "diag(1/p)"),
    Entry("Kullback-Leibler divergence in q", "Cover and Thomas, Elements of Information Theory, 2.3",
          lambda q, p: (p * sg.log(p / q)).sum(), {"q": "n fraction", "p": "n fraction"}, "q",
          "−p/q", "diag(p/q²)"),
    Entry("cross entropy", "Cover and Thomas, Elements of Information Theory, 2.3",
          lambda q, p: -(p * sg.log(q)).sum(), {"q": "n fraction", "p": "n fraction"}, "q",
          "−p/q", "diag(p/q²)"),
    Entry("entropy of a softmax", "Williams 1992, Simple statistical gradient-following algorithms (entropy bonus)",
          lambda x: -(sg.softmax(x, 0) * sg.log_softmax(x, 0)).sum(), {"x": "n"}, "x",
          "p ⊙ (pᵀ log(p) − log(p)) where p = softmax(x)"),
    Entry("mean under a softmax", "Williams 1992, Simple statistical gradient-following algorithms",
          lambda x, r: sg.softmax(x, 0) @ r, {"x": "n", "r": "n"}, "x",
          "p ⊙ (r − pᵀr) where p = softmax(x)"),
)

_COUNTS = (
    Entry("Poisson regression", _GLM + ", 6.2",
          lambda w, X, y: (sg.exp(X @ w) - y * (X @ w)).sum(), {**_DESIGN, "y": "m integer"}, "w",
          "Xᵀ(exp(Xw) − y)", "Xᵀ diag(exp(Xw)) X"),
    Entry("Poisson in the rates", _CASELLA,
          lambda λ, y: (λ - y * sg.log(λ)).sum(), {"λ": "m positive", "y": "m integer"}, "λ",
          "1 − y/λ", "diag(y/λ²)"),
    Entry("Poisson in the rate", _CASELLA,
          lambda λ, y: (λ - y * sg.log(λ)).sum(), {"λ": "positive", "y": "m integer"}, "λ",
          "m − sum(y)/λ", "sum(y)/λ²"),
    Entry("emission tomography", "Shepp and Vardi 1982, Maximum likelihood reconstruction",
          lambda x, A, y: (A @ x - y * sg.log(A @ x)).sum(),
          {"x": "n positive", "A": "m n positive", "y": "m integer"}, "x",
          "Aᵀ(1 − y/(Ax))", "Aᵀ diag(y/(Ax)²) A"),
    Entry("negative binomial regression", "Cameron and Trivedi, Regression Analysis of Count Data, 3.3",
          lambda w, X, y, r: ((y + r) * sg.log(r + sg.exp(X @ w)) - y * (X @ w)).sum(),
          {**_DESIGN, "y": "m integer", "r": "positive"}, "w",
          "Xᵀ(r(u − y)/(r + u)) where u = exp(Xw)"),
    Entry("geometric", _CASELLA,
          lambda t, y: -(sg.log(t) + y * sg.log(1 - t)).sum(), {"t": "fraction", "y": "m integer"}, "t",
          "sum(y)/(1 − t) − m/t", "sum(y)/(1 − t)² + m/t²"),
    Entry("multinomial in the probabilities", _CASELLA,
          lambda p, c: -(c * sg.log(p)).sum(), {"p": "k fraction", "c": "k integer"}, "p",
          "−c/p", "diag(c/p²)"),
)

_WAITING = (
    Entry("exponential in the rate", _CASELLA,
          lambda λ, x: (λ * x - sg.log(λ)).sum(), {"λ": "positive", "x": "m positive"}, "λ",
          "sum(x) − m/λ", "m/λ²"),
    Entry("exponential regression", _GLM + ", 8.3",
          lambda w, X, y: (X @ w + y * sg.exp(-(X @ w))).sum(), {**_DESIGN, "y": "m positive"}, "w",
          "Xᵀ(1 − y ⊙ exp(−Xw))", "Xᵀ diag(y ⊙ exp(−Xw)) X"),
    Entry("gamma in the shape", _CASELLA,
          _gamma, {"a": "positive", "b": "positive", "x": "m positive"}, "a",
          "m digamma(a) − m log(b) − sum(log(x))", "m polygamma(1, a)"),
    Entry("gamma in the rate", _CASELLA,
          _gamma, {"b": "positive", "a": "positive", "x": "m positive"}, "b",
          "sum(x) − ma/b", "ma/b²"),
    Entry("inverse gamma in the scale", _CASELLA,
          lambda b, a, x: (b / x - a * sg.log(b)).sum(), {"b": "positive", "a": "positive", "x": "m positive"}, "b",
          "sum(1/x) − ma/b", "ma/b²"),
    Entry("beta in the first shape", _CASELLA,
          _beta, {"a": "positive", "b": "positive", "x": "m fraction"}, "a",
          "m(digamma(a) − digamma(a + b)) − sum(log(x))"),
    Entry("Dirichlet", "Minka 2000, Estimating a Dirichlet distribution",
          lambda a, x: sg.lgamma(a).sum() - sg.lgamma(a.sum()) - ((a - 1) * sg.log(x)).sum(),
          {"a": "k positive", "x": "k fraction"}, "a",
          "digamma(a) − digamma(sum(a)) − log(x)", "diag(polygamma(1, a)) − polygamma(1, sum(a))𝟏𝟏ᵀ"),
    Entry("Pareto in the exponent", _CASELLA,
          lambda a, x: ((a + 1) * sg.log(x) - sg.log(a)).sum(), {"a": "positive", "x": "m wide"}, "a",
          "sum(log(x)) − m/a", "m/a²"),
    Entry("Weibull in the scale", _CASELLA,
          lambda s, k, x: ((x / s) ** k + k * sg.log(s)).sum(),
          {"s": "positive", "k": "positive", "x": "m positive"}, "s",
          "k(m − sum((x/s)^k))/s"),
    Entry("Rayleigh", _CASELLA,
          lambda s, x: (2 * sg.log(s) + x**2 / (2 * s**2)).sum(), {"s": "positive", "x": "m positive"}, "s",
          "2m/s − ‖x‖²/s³", "3‖x‖²/s⁴ − 2m/s²"),
    Entry("von Mises in the mean", "Mardia and Jupp, Directional Statistics, 5.3",
          lambda t, k, x: -k * sg.cos(x - t).sum(), {"t": "", "k": "positive", "x": "m"}, "t",
          "−k sum(sin(x − t))", "k sum(cos(x − t))"),
    Entry("Cauchy in the location", _CASELLA,
          lambda t, x: sg.log(1 + (x - t) ** 2).sum(), {"t": "", "x": "m"}, "t",
          "−2sum((x − t)/(1 + (x − t)²))"),
    Entry("Student's t", "Lange, Little and Taylor 1989, Robust statistical modeling using the t distribution",
          lambda x, v: ((v + 1) / 2 * sg.log(1 + x**2 / v)).sum(), {"x": "m", "v": "positive"}, "x",
          "(v + 1)x/(v + x²)"),
)

ENTRIES = _LABELS + _SOFTMAX + _COUNTS + _WAITING
