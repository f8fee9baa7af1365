"""More of regression, likelihoods, weighted losses and information theory, written before symgrad had printed any."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_MCCULLAGH = "McCullagh and Nelder, Generalized Linear Models"
_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_COVER = "Cover and Thomas, Elements of Information Theory"
_GELMAN = "Gelman et al., Bayesian Data Analysis"
_GOODFELLOW = "Goodfellow, Bengio and Courville, Deep Learning"
_GREENE = "Greene, Econometric Analysis"
_HASTIE = "Hastie, Tibshirani and Friedman, The Elements of Statistical Learning"
_LINEAR = {"w": "n", "X": "m n", "y": "m"}
_SCORES = {"z": "n", "y": "n onehot"}
_SOFTMAX = " where p = softmax(z)"


def _cloglog(w, X, y):
    return (-y * sg.log(1 - sg.exp(-sg.exp(X @ w))) + (1 - y) * sg.exp(X @ w)).sum()


def _tweedie(w, X, y, a):
    return (sg.exp((2 - a) * (X @ w)) / (2 - a) - y * sg.exp((1 - a) * (X @ w)) / (1 - a)).sum()


def _compound(a, x, N):
    return (sg.special.gammaln(sg.sum(a)) - sg.special.gammaln(sg.sum(a) + N)
            + (sg.special.gammaln(a + x) - sg.special.gammaln(a)).sum())


def _beta_binomial(a, b, x, N):
    ln = sg.special.gammaln
    return ln(x + a) - ln(N + a + b) + ln(a + b) - ln(a)


def _smooth_quantile(w, X, y, t, s):
    r = y - X @ w
    return (t * r + s * sg.softplus(-r / s)).sum()


_REGRESSION = (
    Entry("Tweedie regression", "Jørgensen, The Theory of Dispersion Models, 4",
          _tweedie, {**_LINEAR, "a": "fraction"}, "w",
          "Xᵀ(exp((2 − a)Xw) − y ⊙ exp((1 − a)Xw))"),
    Entry("complementary log-log regression", _MCCULLAGH + ", 4.3",
          _cloglog, {**_LINEAR, "y": "m binary"}, "w",
          "Xᵀ(u ⊙ (1 − y/(1 − exp(−u)))) where u = exp(Xw)"),
    Entry("Poisson regression with the identity link", _MCCULLAGH + ", 6.2",
          lambda w, X, y: (X @ w - y * sg.log(X @ w)).sum(), {"w": "n positive", "X": "m n positive", "y": "m"}, "w",
          "Xᵀ(1 − y/(Xw))", "Xᵀ diag(y/(Xw)²) X"),
    Entry("gamma regression with the inverse link", _MCCULLAGH + ", 8.4",
          lambda w, X, y: (y * (X @ w) - sg.log(X @ w)).sum(), {"w": "n positive", "X": "m n positive", "y": "m"}, "w",
          "Xᵀ(y − 1/(Xw))", "Xᵀ diag(1/(Xw)²) X"),
    Entry("weighted logistic regression", "King and Zeng 2001, Logistic regression in rare events data",
          lambda w, X, y, c: (c * (sg.softplus(X @ w) - y * (X @ w))).sum(), {**_LINEAR, "c": "m positive"}, "w",
          "Xᵀ(c ⊙ (σ(Xw) − y))", "Xᵀ diag(c ⊙ p ⊙ (1 − p)) X where p = σ(Xw)"),
    Entry("logistic regression with a penalty", _HASTIE + ", 4.4",
          lambda w, X, y, λ: (sg.softplus(X @ w) - y * (X @ w)).sum() + λ / 2 * (w @ w),
          {**_LINEAR, "λ": "positive"}, "w",
          "Xᵀ(σ(Xw) − y) + λw", "Xᵀ diag(p ⊙ (1 − p)) X + λI where p = σ(Xw)"),
    Entry("noise of known variance", _BISHOP + ", 3.1",
          lambda w, X, y, v: ((y - X @ w) ** 2).sum() / (2 * v), {**_LINEAR, "v": "positive"}, "w",
          "Xᵀ(Xw − y)/v", "XᵀX/v"),
    Entry("noise of unknown variance", _BISHOP + ", 3.1",
          lambda v, w, X, y: y.shape[0] / 2 * sg.log(v) + ((y - X @ w) ** 2).sum() / (2 * v),
          {**_LINEAR, "v": "positive"}, "v",
          "m/(2v) − ‖y − Xw‖²/(2v²)", "‖y − Xw‖²/v³ − m/(2v²)"),
    Entry("noise of varying variance", "Kendall and Gal 2017, What uncertainties do we need",
          lambda s, u, y: (s + (y - u) ** 2 * sg.exp(-s)).sum() / 2, {"s": "n", "u": "n", "y": "n"}, "s",
          "(1 − (y − u)² ⊙ exp(−s))/2", "diag((y − u)² ⊙ exp(−s))/2"),
    Entry("accelerated failure times", "Kalbfleisch and Prentice, The Statistical Analysis of Failure Time Data, 3.6",
          lambda w, X, y, s: (sg.exp((y - X @ w) / s) - (y - X @ w) / s).sum(), {**_LINEAR, "s": "positive"}, "w",
          "Xᵀ(1 − exp((y − Xw)/s))/s", "Xᵀ diag(exp((y − Xw)/s)) X/s²"),
    Entry("smoothed quantile regression", "Zheng 2011, Gradient descent algorithms for quantile regression",
          _smooth_quantile, {**_LINEAR, "t": "fraction", "s": "positive"}, "w",
          "Xᵀ(σ((Xw − y)/s) − t)", "Xᵀ diag(p ⊙ (1 − p)) X/s where p = σ((Xw − y)/s)"),
    Entry("middle category of an ordered logit", _GREENE + ", 18.3",
          lambda x, a, b: -sg.log(sg.sigmoid(a + b - x) - sg.sigmoid(a - x)), {"x": "", "a": "", "b": "positive"}, "x",
          "1 − σ(a − x) − σ(a + b − x)"),
    Entry("errors in both variables", "Deming, Statistical Adjustment of Data",
          lambda b, x, y: ((y - b * x) ** 2).sum() / (1 + b**2), {"b": "", "x": "n", "y": "n"}, "b",
          "−2xᵀr/(1 + b²) − 2b‖r‖²/(1 + b²)² where r = y − bx"),
    Entry("Rasch model in the abilities", "Agresti, Categorical Data Analysis, 12.1",
          lambda a, b, Y: (sg.softplus(a[:, None] - b) - Y * (a[:, None] - b)).sum(),
          {"a": "m", "b": "n", "Y": "m n"}, "a",
          "(σ(a𝟏ᵀ − 𝟏bᵀ) − Y)𝟏"),
    Entry("Laplace distribution in the scale", "Kotz, Kozubowski and Podgórski, The Laplace Distribution, 2.6",
          lambda b, x, u: x.shape[0] * sg.log(2 * b) + sg.abs(x - u).sum() / b,
          {"b": "positive", "x": "n", "u": ""}, "b",
          "n/b − sum(|x − u|)/b²", "2sum(|x − u|)/b³ − n/b²"),
    Entry("zeros in excess", "Lambert 1992, Zero-inflated Poisson regression",
          lambda u, p: -sg.log(p + (1 - p) * sg.exp(-u)), {"u": "positive", "p": "fraction"}, "u",
          "(1 − p)exp(−u)/(p + (1 − p)exp(−u))"),
    Entry("counts from a Dirichlet", _GELMAN + ", 3.4",
          _compound, {"a": "n positive", "x": "n integer", "N": "positive"}, "a",
          "ψ(s) − ψ(s + N) + ψ(a + x) − ψ(a) where s = sum(a)"),
    Entry("successes from a beta", _GELMAN + ", 5.3",
          _beta_binomial, {"a": "positive", "b": "positive", "x": "positive", "N": "wide"}, "a",
          "ψ(x + a) − ψ(N + a + b) + ψ(a + b) − ψ(a)"),
)

_LOSSES = (
    Entry("weights of the samples in softmax regression", _HASTIE + ", 4.4",
          lambda W, X, Y, c: -(c[:, None] * Y * sg.log_softmax(X @ W, 1)).sum(),
          {"W": "n k", "X": "m n", "Y": "m k onehot", "c": "m positive"}, "W",
          "Xᵀ diag(c)(softmax(XW) − Y)"),
    Entry("mean loss of softmax regression", _HASTIE + ", 4.4",
          lambda W, X, Y: -(Y * sg.log_softmax(X @ W, 1)).sum() / X.shape[0],
          {"W": "n k", "X": "m n", "Y": "m k onehot"}, "W",
          "Xᵀ(softmax(XW) − Y)/m"),
    Entry("smoothed labels", "Szegedy et al. 2016, Rethinking the Inception architecture",
          lambda z, y, a: -((1 - a) * y + a / z.shape[0]) @ sg.log_softmax(z, 0), {**_SCORES, "a": "fraction"}, "z",
          "softmax(z) − (1 − a)y − a/n", "diag(p) − ppᵀ" + _SOFTMAX),
    Entry("weights of the classes", _GOODFELLOW + ", 6.2",
          lambda z, y, c: -(c * y) @ sg.log_softmax(z, 0), {**_SCORES, "c": "n positive"}, "z",
          "cᵀy softmax(z) − c ⊙ y", "cᵀy(diag(p) − ppᵀ)" + _SOFTMAX),
    Entry("cross entropy at a temperature", "Guo et al. 2017, On calibration of modern neural networks",
          lambda z, y, t: -y @ sg.log_softmax(z / t, 0), {**_SCORES, "t": "positive"}, "z",
          "(softmax(z/t) − y)/t", "(diag(p) − ppᵀ)/t² where p = softmax(z/t)"),
    Entry("cross entropy with a penalty of the scores", "Kornblith et al. 2021, Why do better loss functions lead",
          lambda z, y, λ: sg.logsumexp(z, 0) - y @ z + λ / 2 * (z @ z), {**_SCORES, "λ": "positive"}, "z",
          "softmax(z) − y + λz", "diag(p) − ppᵀ + λI" + _SOFTMAX),
    Entry("squared log-partition function", "Chowdhery et al. 2022, PaLM, 5",
          lambda z, a: a * sg.logsumexp(z, 0) ** 2, {"z": "n", "a": "positive"}, "z",
          "2a logsumexp(z) softmax(z)", "2a(ppᵀ + logsumexp(z)(diag(p) − ppᵀ))" + _SOFTMAX),
    Entry("Brier score of a softmax", "Gneiting and Raftery 2007, Strictly proper scoring rules",
          lambda z, y: ((sg.softmax(z, 0) - y) ** 2).sum(), _SCORES, "z",
          "2(diag(p) − ppᵀ)(p − y)" + _SOFTMAX),
    Entry("focal loss of a logit", "Lin et al. 2017, Focal loss for dense object detection, appendix",
          lambda z: -((1 - sg.sigmoid(z)) ** 2) * sg.log(sg.sigmoid(z)), {"z": ""}, "z",
          "(1 − p)²(2p log(p) + p − 1) where p = σ(z)"),
    Entry("overlap of two regions", "Milletari, Navab and Ahmadi 2016, V-Net",
          lambda p, y: 1 - 2 * (p @ y) / (sg.sum(p) + sg.sum(y)), {"p": "n fraction", "y": "n fraction"}, "p",
          "2pᵀy/s² − 2y/s where s = sum(p) + sum(y)"),
    Entry("smooth loss of triplets", "Hermans, Beyer and Leibe 2017, In defense of the triplet loss",
          lambda a, b, c: sg.softplus(((a - b) ** 2).sum() - ((a - c) ** 2).sum()), {"a": "n", "b": "n", "c": "n"},
          "a",
          "2σ(‖a − b‖² − ‖a − c‖²)(c − b)"),
    Entry("squared error of a logistic neuron", _GOODFELLOW + ", 6.2",
          lambda w, x, y: (sg.sigmoid(w @ x) - y) ** 2 / 2, {"w": "n", "x": "n", "y": ""}, "w",
          "(p − y)p(1 − p)x where p = σ(wᵀx)"),
    Entry("squared error of a tanh neuron", _GOODFELLOW + ", 6.3",
          lambda w, x, y: (sg.tanh(w @ x) - y) ** 2 / 2, {"w": "n", "x": "n", "y": ""}, "w",
          "(t − y)(1 − t²)x where t = tanh(wᵀx)"),
)

_INFORMATION = (
    Entry("rate of parallel channels", _COVER + ", 9.4",
          lambda p, q: sg.log(1 + p / q).sum() / 2, {"p": "n positive", "q": "n positive"}, "p",
          "1/(2(p + q))", "−diag(1/(p + q)²)/2"),
    Entry("chi-squared divergence in p", _COVER + ", 11",
          lambda p, q: ((p - q) ** 2 / q).sum(), {"p": "n fraction", "q": "n fraction"}, "p",
          "2(p − q)/q", "2diag(1/q)"),
    Entry("chi-squared divergence in q", _COVER + ", 11",
          lambda q, p: ((p - q) ** 2 / q).sum(), {"p": "n fraction", "q": "n fraction"}, "q",
          "1 − p²/q²", "2diag(p²/q³)"),
    Entry("divergence of Amari", "Amari, Information Geometry and Its Applications, 3.5",
          lambda p, q, a: (p**a * q ** (1 - a)).sum() / (a * (a - 1)),
          {"p": "n fraction", "q": "n fraction", "a": "fraction"}, "p",
          "(p/q)^(a − 1)/(a − 1)"),
    Entry("entropy of Tsallis", "Tsallis 1988, Possible generalization of Boltzmann-Gibbs statistics",
          lambda p, a: (1 - (p**a).sum()) / (a - 1), {"p": "n fraction", "a": "fraction"}, "p",
          "−ap^(a − 1)/(a − 1)", "−a diag(p^(a − 2))"),
    Entry("mutual information of a table", _COVER + ", 2.3",
          lambda P: (P * sg.log(P / sg.outer(P.sum(1), P.sum(0)))).sum(), {"P": "m n fraction"}, "P",
          "log(P/(P𝟏𝟏ᵀP)) − 𝟏𝟏ᵀ"),
    Entry("regularised transport plan", "Peyré and Cuturi, Computational Optimal Transport, 4.1",
          lambda P, C, a: (P * C).sum() + a * (P * (sg.log(P) - 1)).sum(),
          {"P": "m n fraction", "C": "m n", "a": "positive"}, "P",
          "C + a log(P)"),
    Entry("cost of an exponential family", "Wainwright and Jordan, Graphical Models, 3.4",
          lambda t, A, b: sg.logsumexp(A.T @ t, 0) - b @ t, {"t": "n", "A": "n m", "b": "n"}, "t",
          "A softmax(Aᵀt) − b", "A(diag(p) − ppᵀ)Aᵀ where p = softmax(Aᵀt)"),
)

_NORMAL = (
    Entry("inverse Wishart", _GELMAN + ", 3.6",
          lambda S, V, a: (a * sg.logdet(S) + sg.trace(V @ sg.linalg.inv(S))) / 2,
          {"S": "n n pd symmetric", "V": "n n symmetric", "a": "positive"}, "S",
          "(aS⁻¹ − S⁻¹VS⁻¹)/2"),
    Entry("Student's t of many variables", "Kotz and Nadarajah, Multivariate t Distributions, 1.1",
          lambda x, P, v: (v + x.shape[0]) / 2 * sg.log(1 + x @ P @ x / v),
          {"x": "n", "P": "n n pd symmetric", "v": "positive"}, "x",
          "(v + n)Px/(v + xᵀPx)", "(v + n)(P/s − 2PxxᵀP/s²) where s = v + xᵀPx"),
    Entry("mean of a conditioned normal", _BISHOP + ", (2.81)",
          lambda x, u, v, B, D: u + B @ sg.linalg.solve(D, x - v),
          {"x": "n", "u": "m", "v": "n", "B": "m n", "D": "n n pd symmetric"}, "x",
          "BD⁻¹"),
    Entry("distance of Bhattacharyya", "Fukunaga, Introduction to Statistical Pattern Recognition, 3.4",
          lambda a, b, S: (a - b) @ sg.linalg.solve(S, a - b) / 8, {"a": "n", "b": "n", "S": "n n pd symmetric"}, "a",
          "S⁻¹(a − b)/4", "S⁻¹/4"),
    Entry("information of a linear channel in its gains", _COVER + ", 9.5",
          lambda H, Q: sg.logdet(sg.eye(H.shape[0]) + H @ Q @ H.T) / 2, {"H": "m n", "Q": "n n pd symmetric"}, "H",
          "(I + HQHᵀ)⁻¹HQ"),
    Entry("conjugate prior of the mean", _GELMAN + ", 3.5",
          lambda u, X, P, a, t: ((X - u) @ P * (X - u)).sum() / 2 + t / 2 * (u - a) @ P @ (u - a),
          {"u": "n", "X": "m n", "P": "n n pd symmetric", "a": "n", "t": "positive"}, "u",
          "P(mu − Xᵀ𝟏) + tP(u − a)", "(m + t)P"),
)

ENTRIES = _REGRESSION + _LOSSES + _INFORMATION + _NORMAL
