"""Regression: least squares, penalties, robust losses, margin losses."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_ESL = "Hastie, Tibshirani and Friedman, The Elements of Statistical Learning"
_LINEAR = {"w": "n", "X": "m n", "y": "m"}
_LABELLED = {"w": "n", "X": "m n", "y": "m sign"}


def _huber(x, c):
    return sg.where(sg.abs(x) <= c, x**2 / 2, c * (sg.abs(x) - c / 2)).sum()


_SQUARES = (
    Entry("least squares", "Boyd and Vandenberghe, Convex Optimization, A.4",
          lambda x, A, b: ((A @ x - b) ** 2).sum(), {"x": "n", "A": "m n", "b": "m"}, "x",
          "2Aᵀ(Ax − b)", "2AᵀA"),
    Entry("half least squares by inner product", "Nocedal and Wright, Numerical Optimization, 10.2",
          lambda x, A, b: (A @ x - b) @ (A @ x - b) / 2, {"x": "n", "A": "m n", "b": "m"}, "x",
          "Aᵀ(Ax − b)", "AᵀA"),
    Entry("mean squared error", _ESL + ", 3.2",
          lambda w, X, y: ((X @ w - y) ** 2).mean(), _LINEAR, "w",
          "2Xᵀ(Xw − y)/m", "2XᵀX/m"),
    Entry("smooth part of the lasso", "Hastie, Tibshirani and Wainwright, Statistical Learning with Sparsity, 2.2",
          lambda w, X, y: ((y - X @ w) ** 2).sum() / (2 * X.shape[0]), _LINEAR, "w",
          "Xᵀ(Xw − y)/m", "XᵀX/m"),
    Entry("weighted least squares", _ESL + ", 4.4.1",
          lambda w, X, y, c: (c * (X @ w - y) ** 2).sum(), {**_LINEAR, "c": "m positive"}, "w",
          "2Xᵀ(c ⊙ (Xw − y))", "2Xᵀ diag(c) X"),
    Entry("ridge", _ESL + ", (3.43)",
          lambda w, X, y, λ: ((X @ w - y) ** 2).sum() + λ * (w**2).sum(), {**_LINEAR, "λ": "positive"}, "w",
          "2Xᵀ(Xw − y) + 2λw", "2XᵀX + 2λI"),
    Entry("ridge with a named penalty", _ESL + ", (3.43)",
          lambda beta, X, y, alpha: ((y - X @ beta) ** 2).sum() / 2 + alpha / 2 * (beta**2).sum(),
          {"beta": "n", "X": "m n", "y": "m", "alpha": "positive"}, "beta",
          "Xᵀ(X beta − y) + alpha beta", "XᵀX + alpha I"),
    Entry("ridge in the penalty", _ESL + ", (3.43)",
          lambda λ, w, X, y: ((X @ w - y) ** 2).sum() + λ * (w**2).sum(), {"λ": "positive", **_LINEAR}, "λ",
          "‖w‖²"),
    Entry("Tikhonov regularisation", "Hansen, Rank-Deficient and Discrete Ill-Posed Problems, 5.1",
          lambda x, A, G, b: ((A @ x - b) ** 2).sum() + ((G @ x) ** 2).sum(),
          {"x": "n", "A": "m n", "G": "k n", "b": "m"}, "x",
          "2Aᵀ(Ax − b) + 2GᵀGx", "2AᵀA + 2GᵀG"),
    Entry("norm of the residual", "Matrix Cookbook (129), chain rule",
          lambda x, A, b: sg.linalg.norm(A @ x - b), {"x": "n", "A": "m n", "b": "m"}, "x",
          "Aᵀ(Ax − b)/‖Ax − b‖", "Aᵀ(I − rrᵀ/‖r‖²)A/‖r‖ where r = Ax − b"),
    Entry("several outputs", "Magnus and Neudecker, Matrix Differential Calculus, chapter 13",
          lambda W, X, Y: ((X @ W - Y) ** 2).sum(), {"W": "n k", "X": "m n", "Y": "m k"}, "W",
          "2Xᵀ(XW − Y)", "2XᵀX ⊗ I"),
    Entry("least squares in the data", "Golub and Van Loan, Matrix Computations, 6.3 (total least squares)",
          lambda A, x, b: ((A @ x - b) ** 2).sum(), {"A": "m n", "x": "n", "b": "m"}, "A",
          "2(Ax − b)xᵀ", "2I ⊗ xxᵀ"),
    Entry("straight line in the slope", "Press et al., Numerical Recipes, 15.2",
          lambda b, a, x, y: ((y - a - b * x) ** 2).sum(), {"b": "", "a": "", "x": "m", "y": "m"}, "b",
          "−2xᵀ(y − a − bx)", "2‖x‖²"),
    Entry("straight line in the intercept", "Press et al., Numerical Recipes, 15.2",
          lambda a, b, x, y: ((y - a - b * x) ** 2).sum(), {"a": "", "b": "", "x": "m", "y": "m"}, "a",
          "−2sum(y − a − bx)", "2m"),
    Entry("exponential decay in the rate", "Nocedal and Wright, Numerical Optimization, 10.1",
          lambda k, a, t, y: ((a * sg.exp(-k * t) - y) ** 2).sum(), {"k": "positive", "a": "", "t": "m", "y": "m"}, "k",
          "−2(t ⊙ u)ᵀ(u − y) where u = a exp(−kt)"),
)

_ROBUST = (
    Entry("Huber", "Huber and Ronchetti, Robust Statistics, 4.5",
          _huber, {"x": "n", "c": "positive"}, "x",
          "where(|x| ≤ c, x, c sign(x))", "diag(1[|x| ≤ c])"),
    Entry("Huber regression", "Huber and Ronchetti, Robust Statistics, 7.3",
          lambda w, X, y, c: _huber(X @ w - y, c), {**_LINEAR, "c": "positive"}, "w",
          "Xᵀ where(|r| ≤ c, r, c sign(r)) where r = Xw − y", "Xᵀ diag(1[|Xw − y| ≤ c]) X"),
    Entry("pseudo-Huber", "Hartley and Zisserman, Multiple View Geometry, A6.8",
          lambda x, c: (c**2 * (sg.sqrt(1 + (x / c) ** 2) - 1)).sum(), {"x": "n", "c": "positive"}, "x",
          "x/√(1 + (x/c)²)", "diag((1 + (x/c)²)^(−3/2))"),
    Entry("log-cosh", "Green 1990, Bayesian reconstructions from emission tomography",
          lambda x: sg.log(sg.cosh(x)).sum(), {"x": "n"}, "x",
          "tanh(x)", "diag(1 − tanh(x)²)"),
    Entry("log-cosh regression", "Green 1990, Bayesian reconstructions from emission tomography",
          lambda w, X, y: sg.log(sg.cosh(X @ w - y)).sum(), _LINEAR, "w",
          "Xᵀ tanh(Xw − y)", "Xᵀ diag(1 − tanh(Xw − y)²) X"),
    Entry("Cauchy loss", "Barron 2019, A general and adaptive robust loss function",
          lambda x, c: sg.log(1 + (x / c) ** 2).sum(), {"x": "n", "c": "positive"}, "x",
          "2x/(c² + x²)"),
    Entry("Geman-McClure loss", "Barron 2019, A general and adaptive robust loss function",
          lambda x: (x**2 / (1 + x**2) / 2).sum(), {"x": "n"}, "x",
          "x/(1 + x²)²"),
    Entry("Welsch loss", "Barron 2019, A general and adaptive robust loss function",
          lambda x: (1 - sg.exp(-(x**2) / 2)).sum(), {"x": "n"}, "x",
          "x ⊙ exp(−x²/2)", "diag((1 − x²) ⊙ exp(−x²/2))"),
    Entry("Charbonnier regression", "Barron 2019, A general and adaptive robust loss function",
          lambda w, X, y: sg.sqrt((X @ w - y) ** 2 + 1).sum(), _LINEAR, "w",
          "Xᵀ(r/√(r² + 1)) where r = Xw − y"),
    Entry("pinball loss", "Koenker, Quantile Regression, 1.3",
          lambda x, t: sg.where(x >= 0, t * x, (t - 1) * x).sum(), {"x": "n", "t": "fraction"}, "x",
          "t − 1[x < 0]"),
    Entry("absolute deviations", "Koenker, Quantile Regression, 1.3",
          lambda w, X, y: sg.abs(X @ w - y).sum(), _LINEAR, "w",
          "Xᵀ sign(Xw − y)"),
)

_MARGIN = (
    Entry("hinge", "Shalev-Shwartz and Ben-David, Understanding Machine Learning, 15.2",
          lambda w, X, y: sg.relu(1 - y * (X @ w)).sum(), _LABELLED, "w",
          "−Xᵀ(y ⊙ 1[y ⊙ Xw < 1])"),
    Entry("squared hinge", "Chapelle 2007, Training a support vector machine in the primal",
          lambda w, X, y: (sg.relu(1 - y * (X @ w)) ** 2).sum(), _LABELLED, "w",
          "−2Xᵀ(y ⊙ relu(1 − y ⊙ Xw))", "2Xᵀ diag(1[y ⊙ Xw < 1]) X"),
    Entry("support vector machine, squared hinge", "Chapelle 2007, Training a support vector machine in the primal",
          lambda w, X, y, c: (w**2).sum() / 2 + c * (sg.relu(1 - y * (X @ w)) ** 2).sum(),
          {**_LABELLED, "c": "positive"}, "w",
          "w − 2cXᵀ(y ⊙ relu(1 − y ⊙ Xw))"),
    Entry("exponential loss", _ESL + ", (10.8)",
          lambda w, X, y: sg.exp(-y * (X @ w)).sum(), _LABELLED, "w",
          "−Xᵀ(y ⊙ exp(−y ⊙ Xw))", "Xᵀ diag(exp(−y ⊙ Xw)) X"),
    Entry("perceptron criterion", _ESL + ", (4.41)",
          lambda w, X, y: sg.relu(-y * (X @ w)).sum(), _LABELLED, "w",
          "−Xᵀ(y ⊙ 1[y ⊙ Xw < 0])"),
)

ENTRIES = _SQUARES + _ROBUST + _MARGIN
