"""Held out: Gaussian models and Bayesian statistics, written from the books before the rules were touched."""

# ruff: noqa: E741  (l is a length, as in the books)

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_GELMAN = "Gelman et al., Bayesian Data Analysis"
_JOHNSON = "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions"
_JAAKKOLA = "Wainwright and Jordan 2008, Graphical models, exponential families, and variational inference"
_GROUPS = {"y": "k", "s": "k positive"}


def _samples(P, X, u):
    R = X - u
    return sg.trace(R @ P @ R.T) / 2 - X.shape[0] / 2 * sg.logdet(P)


def _evidence_of_scaled_kernel(a, D, l, v, y):
    K = a * sg.exp(-D / (2 * l**2)) + v * sg.eye(D.shape[0])
    return y @ sg.linalg.solve(K, y) / 2 + sg.logdet(K) / 2


def _innovation(P, H, R, v):
    S = H @ P @ H.T + R
    return (sg.logdet(S) + v @ sg.linalg.solve(S, v)) / 2


def _joseph(K, H, P, R):
    A = sg.eye(P.shape[0]) - K @ H
    return sg.trace(A @ P @ A.T + K @ R @ K.T)


def _polya(a, c):
    return sg.lgamma((a + c).sum()) - sg.lgamma(a.sum()) + (sg.lgamma(a) - sg.lgamma(a + c)).sum()


def _groups(u, t, y, s):
    v = s**2 + t**2
    return (sg.log(v) / 2 + (y - u) ** 2 / (2 * v)).sum()


_MULTIVARIATE = (
    Entry("normal samples in the mean", _BISHOP + ", (2.120)",
          lambda u, X, P: _samples(P, X, u), {"u": "n", "X": "m n", "P": "n n pd symmetric"}, "u",
          "−P(X − 𝟏uᵀ)ᵀ𝟏", "mP"),
    Entry("normal samples in the precision", "Anderson, Multivariate Statistical Analysis, 3.2",
          _samples, {"P": "n n pd symmetric", "X": "m n", "u": "n"}, "P",
          "((X − 𝟏uᵀ)ᵀ(X − 𝟏uᵀ) − mP⁻¹)/2", "mP⁻¹ ⊗ P⁻¹/2"),
    Entry("multivariate normal in a factor of the precision", "Murphy, Machine Learning, 4.1",
          lambda L, x, u: ((L.T @ (x - u)) ** 2).sum() / 2 - sg.logdet(L),
          {"L": "n n invertible", "x": "n", "u": "n"}, "L",
          "(x − u)(x − u)ᵀL − L⁻ᵀ"),
    Entry("divergence of normals in the second covariance", "Kullback, Information Theory and Statistics, 9.1",
          lambda T, S, u, v: (sg.trace(sg.linalg.inv(T) @ S) + (u - v) @ sg.linalg.inv(T) @ (u - v) + sg.logdet(T)) / 2,
          {"T": "n n pd symmetric", "S": "n n pd symmetric", "u": "n", "v": "n"}, "T",
          "(T⁻¹ − T⁻¹(S + ddᵀ)T⁻¹)/2 where d = u − v"),
    Entry("divergence of univariate normals in the second deviation", _BISHOP + ", exercise 2.13",
          lambda t, s, u, v: sg.log(t / s) + (s**2 + (u - v) ** 2) / (2 * t**2) - 1 / 2,
          {"t": "positive", "s": "positive", "u": "", "v": ""}, "t",
          "1/t − (s² + (u − v)²)/t³", "3(s² + (u − v)²)/t⁴ − 1/t²"),
    Entry("multivariate t in the point", "Kotz and Nadarajah, Multivariate t Distributions and Their Applications, 1.1",
          lambda x, u, S, v: (v + x.shape[0]) / 2 * sg.log(1 + (x - u) @ sg.linalg.inv(S) @ (x - u) / v),
          {"x": "n", "u": "n", "S": "n n pd symmetric", "v": "positive"}, "x",
          "(v + n)S⁻¹(x − u)/(v + (x − u)ᵀS⁻¹(x − u))"),
    Entry("inverse Wishart", _GELMAN + ", A.1",
          lambda X, V, a: sg.trace(V @ sg.linalg.inv(X)) / 2 + a * sg.logdet(X),
          {"X": "n n pd symmetric", "V": "n n pd symmetric", "a": "positive"}, "X",
          "aX⁻¹ − X⁻¹VX⁻¹/2"),
    Entry("log-partition function of a normal in the precision", _JAAKKOLA + ", 3.3",
          lambda P, b: b @ sg.linalg.solve(P, b) / 2 - sg.logdet(P) / 2, {"P": "n n pd symmetric", "b": "n"}, "P",
          "−(P⁻¹ + P⁻¹bbᵀP⁻¹)/2"),
    Entry("score matching of a normal", "Hyvärinen 2005, Estimation of non-normalized models by score matching, 3.1",
          lambda P, x, u: ((P @ (x - u)) ** 2).sum() / 2 - sg.trace(P), {"P": "n n", "x": "n", "u": "n"}, "P",
          "P(x − u)(x − u)ᵀ − I", "I ⊗ (x − u)(x − u)ᵀ"),
    Entry("evidence in the precision of the weights", _BISHOP + ", (3.86)",
          lambda a, X, b: (sg.logdet(a * sg.eye(X.shape[1]) + b * X.T @ X) - X.shape[1] * sg.log(a)) / 2,
          {"a": "positive", "X": "m n", "b": "positive"}, "a",
          "(tr((aI + bXᵀX)⁻¹) − n/a)/2"),
)

_PROCESSES = (
    Entry("Gaussian process in the scale of a noisy kernel", "Rasmussen and Williams, Gaussian Processes, (5.9)",
          _evidence_of_scaled_kernel,
          {"a": "positive", "D": "m m squared_distances", "l": "positive", "v": "positive", "y": "m"}, "a",
          "tr((K⁻¹ − ααᵀ)E)/2 where E = exp(−D/(2l²)), K = aE + vI, α = K⁻¹y"),
    Entry("prediction of a Gaussian process in the place", "Rasmussen and Williams, Gaussian Processes, (2.27)",
          lambda x, X, a, l: a @ sg.exp(-((x - X) ** 2).sum(1) / (2 * l**2)),
          {"x": "n", "X": "m n", "a": "m", "l": "positive"}, "x",
          "(X − 𝟏xᵀ)ᵀ(a ⊙ k)/l² where k = exp(−(X − 𝟏xᵀ)²𝟏/(2l²))"),
    Entry("likelihood of an innovation in the covariance", "Särkkä, Bayesian Filtering and Smoothing, 12.3",
          _innovation, {"P": "n n pd symmetric", "H": "k n", "R": "k k pd symmetric", "v": "k"}, "P",
          "Hᵀ(S⁻¹ − S⁻¹vvᵀS⁻¹)H/2 where S = HPHᵀ + R"),
    Entry("Kalman gain", "Gelb, Applied Optimal Estimation, 4.2",
          _joseph, {"K": "n k", "H": "k n", "P": "n n pd symmetric", "R": "k k pd symmetric"}, "K",
          "2KR − 2(I − KH)PHᵀ", "2I ⊗ (HPHᵀ + R)"),
)

_MIXTURES = (
    Entry("mixture in the log-weights", _BISHOP + ", 9.2",
          lambda a, c: sg.logsumexp(a, 0) - sg.logsumexp(a + c, 0), {"a": "k", "c": "k"}, "a",
          "softmax(a) − softmax(a + c)", "diag(p) − ppᵀ − diag(r) + rrᵀ where p = softmax(a), r = softmax(a + c)"),
    Entry("score of a mixture of normals", "Efron 2011, Tweedie's formula and selection bias",
          lambda x, u, a: sg.logsumexp(a - (x - u) ** 2 / 2, 0), {"x": "", "u": "k", "a": "k"}, "x",
          "rᵀu − x where r = softmax(a − (x − u)²/2)", "rᵀu² − (rᵀu)² − 1 where r = softmax(a − (x − u)²/2)"),
    Entry("group means in the common mean", _GELMAN + ", 5.4",
          _groups, {"u": "", "t": "positive", **_GROUPS}, "u",
          "−sum((y − u)/(s² + t²))", "sum(1/(s² + t²))"),
    Entry("group means in the deviation between groups", _GELMAN + ", 5.4",
          lambda t, u, y, s: _groups(u, t, y, s), {"t": "positive", "u": "", **_GROUPS}, "t",
          "t sum(1/(s² + t²) − (y − u)²/(s² + t²)²)"),
    Entry("Dirichlet-multinomial", "Minka 2000, Estimating a Dirichlet distribution, 3",
          _polya, {"a": "k positive", "c": "k integer"}, "a",
          "digamma(sum(a + c)) − digamma(sum(a)) + digamma(a) − digamma(a + c)",
          "(polygamma(1, sum(a + c)) − polygamma(1, sum(a)))𝟏𝟏ᵀ + diag(polygamma(1, a) − polygamma(1, a + c))"),
)

_UNIVARIATE = (
    Entry("Student's t in the location", "Lange, Little and Taylor 1989, Robust statistical modeling, 2",
          lambda u, x, v, s: ((v + 1) / 2 * sg.log(1 + ((x - u) / s) ** 2 / v)).sum(),
          {"u": "", "x": "m", "v": "positive", "s": "positive"}, "u",
          "−(v + 1)sum((x − u)/(vs² + (x − u)²))"),
    Entry("Student's t in the scale", "Lange, Little and Taylor 1989, Robust statistical modeling, 2",
          lambda s, x, v: (sg.log(s) + (v + 1) / 2 * sg.log(1 + (x / s) ** 2 / v)).sum(),
          {"s": "positive", "x": "m", "v": "positive"}, "s",
          "m/s − (v + 1)sum(x²/(vs² + x²))/s"),
    Entry("Dirichlet in the proportions", "Aitchison, The Statistical Analysis of Compositional Data, 3.4",
          lambda x, a: -((a - 1) * sg.log(x)).sum(), {"x": "k fraction", "a": "k positive"}, "x",
          "−(a − 1)/x", "diag((a − 1)/x²)"),
    Entry("beta in the proportion", _GELMAN + ", 2.4",
          lambda x, a, b: -(a - 1) * sg.log(x) - (b - 1) * sg.log(1 - x),
          {"x": "fraction", "a": "positive", "b": "positive"}, "x",
          "(b − 1)/(1 − x) − (a − 1)/x", "(a − 1)/x² + (b − 1)/(1 − x)²"),
    Entry("beta in the second shape", _JOHNSON + ", 25.4",
          lambda b, a, x: (sg.lgamma(a) + sg.lgamma(b) - sg.lgamma(a + b) - (b - 1) * sg.log(1 - x)).sum(),
          {"b": "positive", "a": "positive", "x": "m fraction"}, "b",
          "m(digamma(b) − digamma(a + b)) − sum(log(1 − x))", "m(polygamma(1, b) − polygamma(1, a + b))"),
    Entry("von Mises-Fisher in the direction", "Mardia and Jupp, Directional Statistics, 10.3",
          lambda u, x, c: -c * (u @ x) / sg.linalg.norm(u), {"u": "n", "x": "n", "c": "positive"}, "u",
          "−c(x − uᵀx u/‖u‖²)/‖u‖"),
    Entry("bivariate von Mises, sine model", "Singh, Hnizdo and Demchuk 2002, Probabilistic model for two angles",
          lambda x, y, u, v, k, l, c: -k * np.cos(x - u) - l * np.cos(y - v) - c * np.sin(x - u) * np.sin(y - v),
          {**dict.fromkeys("xyuv", ""), **dict.fromkeys("klc", "positive")}, "x",
          "k sin(x − u) − c cos(x − u)sin(y − v)", "k cos(x − u) + c sin(x − u)sin(y − v)"),
    Entry("Laplace in the scale", _JOHNSON + ", 24.4",
          lambda b, x, u: (sg.log(2 * b) + sg.abs(x - u) / b).sum(), {"b": "positive", "x": "m", "u": ""}, "b",
          "m/b − sum(|x − u|)/b²", "2sum(|x − u|)/b³ − m/b²"),
    Entry("Gumbel in the location", "Coles, Statistical Modeling of Extreme Values, 3.3",
          lambda u, x, s: ((x - u) / s + sg.exp(-(x - u) / s)).sum(), {"u": "", "x": "m", "s": "positive"}, "u",
          "sum(exp(−(x − u)/s) − 1)/s", "sum(exp(−(x − u)/s))/s²"),
    Entry("Weibull in the shape", "Lawless, Statistical Models and Methods for Lifetime Data, 5.2",
          lambda k, x: (x**k - (k - 1) * sg.log(x) - sg.log(k)).sum(), {"k": "positive", "x": "m positive"}, "k",
          "sum(x^k ⊙ log(x)) − sum(log(x)) − m/k", "sum(x^k ⊙ log(x)²) + m/k²"),
    Entry("skew-normal in the slope", "Azzalini 1985, A class of distributions which includes the normal ones",
          lambda a, x: -sg.log(sg.special.ndtr(a * x)).sum(), {"a": "", "x": "m"}, "a",
          "−xᵀ(φ(ax)/Φ(ax))"),
)

ENTRIES = _MULTIVARIATE + _PROCESSES + _MIXTURES + _UNIVARIATE
