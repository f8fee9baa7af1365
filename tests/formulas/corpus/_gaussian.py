"""Gaussian likelihoods in mean, covariance and precision; Gaussian processes; Gaussian divergences.

All are negative log-likelihoods without the constant. A symmetric matrix is differentiated as if its entries were
independent.
"""

# ruff: noqa: E741  (l is a length, as in the books)

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_GP = "Rasmussen and Williams, Gaussian Processes, (5.8), (5.9)"
_KINGMA = "Kingma and Welling 2014, Auto-encoding variational Bayes, B"
_MVN = {"x": "n", "u": "n", "S": "n n pd symmetric"}


def _evidence(K, y):
    return y @ sg.linalg.solve(K, y) / 2 + sg.logdet(K) / 2


_UNIVARIATE = (
    Entry("normal in the mean", _BISHOP + ", 1.2.4",
          lambda u, s, x: ((x - u) ** 2).sum() / (2 * s**2), {"u": "", "s": "positive", "x": "m"}, "u",
          "−sum(x − u)/s²", "m/s²"),
    Entry("normal in the deviation", _BISHOP + ", 1.2.4",
          lambda s, u, x: (sg.log(s) + (x - u) ** 2 / (2 * s**2)).sum(), {"s": "positive", "u": "", "x": "m"}, "s",
          "m/s − ‖x − u‖²/s³", "3‖x − u‖²/s⁴ − m/s²"),
    Entry("normal in the variance", _BISHOP + ", 1.2.4",
          lambda v, u, x: (sg.log(v) / 2 + (x - u) ** 2 / (2 * v)).sum(), {"v": "positive", "u": "", "x": "m"}, "v",
          "m/(2v) − ‖x − u‖²/(2v²)", "‖x − u‖²/v³ − m/(2v²)"),
    Entry("normal in the log-variance", "Nix and Weigend 1994, Estimating the mean and variance",
          lambda v, u, x: ((v + (x - u) ** 2 * sg.exp(-v)) / 2).sum(), {"v": "m", "u": "m", "x": "m"}, "v",
          "(1 − (x − u)² ⊙ exp(−v))/2"),
    Entry("log-normal in the mean", "Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions, 14",
          lambda u, s, x: ((sg.log(x) - u) ** 2).sum() / (2 * s**2), {"u": "", "s": "positive", "x": "m positive"}, "u",
          "−sum(log(x) − u)/s²", "m/s²"),
    Entry("mixture responsibilities", _BISHOP + ", (9.13)–(9.16)",
          lambda u, a, x: -sg.logsumexp(a - (x - u) ** 2 / 2, 0), {"u": "k", "a": "k", "x": ""}, "u",
          "−(x − u) ⊙ softmax(a − (x − u)²/2)"),
)

_MULTIVARIATE = (
    Entry("multivariate normal in the mean", _BISHOP + ", 2.3.4",
          lambda u, x, S: (x - u) @ sg.linalg.inv(S) @ (x - u) / 2, {"u": "n", "x": "n", "S": "n n pd symmetric"}, "u",
          "−S⁻¹(x − u)", "S⁻¹"),
    Entry("score of a multivariate normal", "Hyvärinen 2005, Estimation of non-normalized models by score matching",
          lambda x, u, S: -(x - u) @ sg.linalg.solve(S, x - u) / 2, _MVN, "x",
          "−S⁻¹(x − u)", "−S⁻¹"),
    Entry("multivariate normal in the covariance", _BISHOP + ", 2.3.4",
          lambda S, x, u: sg.logdet(S) / 2 + (x - u) @ sg.linalg.inv(S) @ (x - u) / 2,
          {"S": "n n pd symmetric", "x": "n", "u": "n"}, "S",
          "(S⁻¹ − S⁻¹(x − u)(x − u)ᵀS⁻¹)/2"),
    Entry("sample covariance in the covariance", "Anderson, Multivariate Statistical Analysis, 3.2",
          lambda S, C, N: N / 2 * (sg.logdet(S) + sg.trace(sg.linalg.inv(S) @ C)),
          {"S": "n n pd symmetric", "C": "n n pd symmetric", "N": "positive"}, "S",
          "N(S⁻¹ − S⁻¹CS⁻¹)/2"),
    Entry("sample covariance in the precision", "Anderson, Multivariate Statistical Analysis, 3.2",
          lambda P, C, N: N / 2 * (sg.trace(C @ P) - sg.logdet(P)),
          {"P": "n n pd symmetric", "C": "n n pd symmetric", "N": "positive"}, "P",
          "N(C − P⁻¹)/2", "NP⁻¹ ⊗ P⁻¹/2"),
    Entry("smooth part of the graphical lasso",
          "Friedman, Hastie and Tibshirani 2008, Sparse inverse covariance estimation",
          lambda P, S: sg.trace(S @ P) - sg.logdet(P), {"P": "n n pd symmetric", "S": "n n pd symmetric"}, "P",
          "S − P⁻¹", "P⁻¹ ⊗ P⁻¹"),
    Entry("multivariate normal in the precision", _BISHOP + ", 2.3.6",
          lambda P, x, u: (x - u) @ P @ (x - u) / 2 - sg.logdet(P) / 2,
          {"P": "n n pd symmetric", "x": "n", "u": "n"}, "P",
          "((x − u)(x − u)ᵀ − P⁻¹)/2"),
    Entry("maximum a posteriori of a linear model", "Tarantola, Inverse Problem Theory, 3.2",
          lambda x, u, y, H, R, P: (y - H @ x) @ R @ (y - H @ x) / 2 + (x - u) @ P @ (x - u) / 2,
          {"x": "n", "u": "n", "y": "m", "H": "m n", "R": "m m pd symmetric", "P": "n n pd symmetric"}, "x",
          "P(x − u) − HᵀR(y − Hx)", "P + HᵀRH"),
    Entry("Wishart", _BISHOP + ", 2.3.6",
          lambda X, V, a: sg.trace(sg.linalg.inv(V) @ X) / 2 - a * sg.logdet(X),
          {"X": "n n pd symmetric", "V": "n n pd symmetric", "a": "positive"}, "X",
          "V⁻¹/2 − aX⁻¹"),
)

_DIVERGENCES = (
    Entry("divergence of normals in the covariance", "Kullback, Information Theory and Statistics, 9.1",
          lambda S, T: (sg.trace(sg.linalg.inv(T) @ S) - sg.logdet(S)) / 2,
          {"S": "n n pd symmetric", "T": "n n pd symmetric"}, "S",
          "(T⁻¹ − S⁻¹)/2", "S⁻¹ ⊗ S⁻¹/2"),
    Entry("divergence from the standard normal in the mean", _KINGMA,
          lambda u, s: (u**2 + s**2 - 1 - sg.log(s**2)).sum() / 2, {"u": "n", "s": "n positive"}, "u",
          "u", "I"),
    Entry("divergence from the standard normal in the deviation", _KINGMA,
          lambda s, u: (u**2 + s**2 - 1 - sg.log(s**2)).sum() / 2, {"s": "n positive", "u": "n"}, "s",
          "s − 1/s", "I + diag(1/s²)"),
    Entry("divergence from the standard normal in the log-variance", _KINGMA,
          lambda v, u: (u**2 + sg.exp(v) - 1 - v).sum() / 2, {"v": "n", "u": "n"}, "v",
          "(exp(v) − 1)/2", "diag(exp(v))/2"),
)

_PROCESSES = (
    Entry("Gaussian process in y", _GP,
          _evidence, {"y": "m", "K": "m m pd symmetric"}, "y",
          "K⁻¹y", "K⁻¹"),
    Entry("Gaussian process in K", _GP,
          _evidence, {"K": "m m pd symmetric", "y": "m"}, "K",
          "(K⁻¹ − ααᵀ)/2 where α = K⁻¹y"),
    Entry("Gaussian process in the noise", _GP,
          lambda v, K, y: _evidence(K + v * sg.eye(K.shape[0]), y),
          {"v": "positive", "K": "m m pd symmetric", "y": "m"}, "v",
          "(tr(C⁻¹) − ‖C⁻¹y‖²)/2 where C = K + vI"),
    Entry("Gaussian process in the scale", _GP,
          lambda a, K, y: _evidence(a * K, y), {"a": "positive", "K": "m m pd symmetric", "y": "m"}, "a",
          "(m/a − yᵀK⁻¹y/a²)/2"),
    Entry("Gaussian process in the length", _GP,
          lambda l, D, y, v: _evidence(sg.exp(-D / (2 * l**2)) + v * sg.eye(D.shape[0]), y),
          {"l": "positive", "D": "m m squared_distances", "y": "m", "v": "positive"}, "l",
          "tr((K⁻¹ − ααᵀ)(E ⊙ D))/(2l³) where E = exp(−D/(2l²)), K = E + vI, α = K⁻¹y"),
    Entry("prediction of a Gaussian process in the inputs", "Rasmussen and Williams, Gaussian Processes, (2.25)",
          lambda a, K, k: k @ sg.linalg.solve(K, a), {"a": "m", "K": "m m pd symmetric", "k": "m"}, "a",
          "K⁻¹k"),
)

ENTRIES = _UNIVARIATE + _MULTIVARIATE + _DIVERGENCES + _PROCESSES
