"""Second derivatives of matrix calculus, likelihoods and Gaussian models, written before symgrad had printed any."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_BOYD = "Boyd and Vandenberghe, Convex Optimization"
_NOCEDAL = "Nocedal and Wright, Numerical Optimization"
_MCCULLAGH = "McCullagh and Nelder, Generalized Linear Models"
_GREENE = "Greene, Econometric Analysis"
_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_MURPHY = "Murphy, Probabilistic Machine Learning"
_HUBER = "Huber and Ronchetti, Robust Statistics"
_X_AND_VECTORS = {"X": "m n", "a": "m", "b": "n"}
_SYMMETRIC = {"x": "n", "A": "n n symmetric"}
_SQUARE = {"x": "n", "A": "n n pd symmetric"}
_AFFINE = {"x": "n", "A": "m n", "b": "m"}
_UPWARDS = {"x": "n positive", "A": "m n positive"}
_LINEAR = {"w": "n", "X": "m n", "y": "m"}
_RISING = {"w": "n positive", "X": "m n positive", "y": "m positive"}
_RESIDUAL = " where r = Ax − b"
_ERROR = " where r = y − Xw"


def _ordered_probit(x, a, b):
    return -sg.log(sg.special.ndtr(b - x) - sg.special.ndtr(a - x))


def _evidence(a, b, X):
    n = X.shape[1]
    return sg.logdet(a * sg.eye(n) + b * X.T @ X) - n * sg.log(a)


def _marginal(a, v, G, y):
    C = a * G + v * sg.eye(G.shape[0])
    return sg.logdet(C) + y @ sg.linalg.solve(C, y)


_MATRICES = (
    Entry("quadratic and linear trace", _MAGNUS + ", 10.6",
          lambda X, A, C: sg.trace(X.T @ A @ X) / 2 - sg.trace(C.T @ X),
          {"X": "n k", "A": "n n symmetric", "C": "n k"}, "X",
          "AX − C", "A ⊗ I"),
    Entry("squared norm of XA − B", _MAGNUS + ", 10.6",
          lambda X, A, B: ((X @ A - B) ** 2).sum(), {"X": "m n", "A": "n k", "B": "m k"}, "X",
          "2(XA − B)Aᵀ", "2I ⊗ AAᵀ"),
    Entry("square of a bilinear form in the matrix", _MAGNUS + ", 10.6",
          lambda X, a, b: (a @ X @ b) ** 2, _X_AND_VECTORS, "X",
          "2aᵀXb abᵀ", "2aaᵀ ⊗ bbᵀ"),
    Entry("exponential of a bilinear form in the matrix", _MAGNUS + ", 10.6",
          lambda X, a, b: sg.exp(a @ X @ b), _X_AND_VECTORS, "X",
          "exp(aᵀXb)abᵀ", "exp(aᵀXb)aaᵀ ⊗ bbᵀ"),
    Entry("logistic loss of a bilinear form in the matrix", _MAGNUS + ", 10.6",
          lambda X, a, b: sg.softplus(a @ X @ b), _X_AND_VECTORS, "X",
          "σ(aᵀXb)abᵀ", "p(1 − p)aaᵀ ⊗ bbᵀ where p = σ(aᵀXb)"),
    Entry("squared norm of Xb − a in the matrix", _MAGNUS + ", 10.6",
          lambda X, a, b: ((X @ b - a) ** 2).sum(), _X_AND_VECTORS, "X",
          "2(Xb − a)bᵀ", "2I ⊗ bbᵀ"),
    Entry("squared norm of Xᵀa − b in the matrix", _MAGNUS + ", 10.6",
          lambda X, a, b: ((X.T @ a - b) ** 2).sum(), _X_AND_VECTORS, "X",
          "2a(Xᵀa − b)ᵀ", "2aaᵀ ⊗ I"),
    Entry("rows smoothed along a graph", _MAGNUS + ", 10.6",
          lambda X, A, L, λ: ((X - A) ** 2).sum() / 2 + λ / 2 * sg.trace(X.T @ L @ X),
          {"X": "n k", "A": "n k", "L": "n n symmetric", "λ": "positive"}, "X",
          "X − A + λLX", "(I + λL) ⊗ I"),
    Entry("square of a trace with a matrix", _MAGNUS + ", 9.9",
          lambda X, A: sg.trace(A @ X) ** 2 / 2, {"X": "n n", "A": "n n"}, "X",
          "tr(AX)Aᵀ"),
    Entry("log-determinant against a trace, any matrix", _MAGNUS + ", 10.7",
          lambda P, S: (sg.trace(S @ P) - sg.logdet(P)) / 2, {"P": "n n pd", "S": "n n pd symmetric"}, "P",
          "(S − P⁻ᵀ)/2", "(P⁻ᵀ ⊗ P⁻¹)K/2"),
)

_VECTORS = (
    Entry("cube of a quadratic form", _MAGNUS + ", 10.5",
          lambda x, A: (x @ A @ x) ** 3 / 6, _SYMMETRIC, "x",
          "(xᵀAx)²Ax", "q²A + 4qAxxᵀA where q = xᵀAx"),
    Entry("logarithm of a quadratic form", _MAGNUS + ", 10.5",
          lambda x, A: sg.log(x @ A @ x) / 2, _SQUARE, "x",
          "Ax/(xᵀAx)", "A/q − 2AxxᵀA/q² where q = xᵀAx"),
    Entry("root of a quadratic form", _BOYD + ", 3.1",
          lambda x, A: sg.sqrt(x @ A @ x), _SQUARE, "x",
          "Ax/√(xᵀAx)", "A/s − AxxᵀA/s³ where s = √(xᵀAx)"),
    Entry("reciprocal of a quadratic form", _MAGNUS + ", 10.5",
          lambda x, A: 1 / (x @ A @ x), _SQUARE, "x",
          "−2Ax/(xᵀAx)²", "8AxxᵀA/q³ − 2A/q² where q = xᵀAx"),
    Entry("squared linear form over one and a norm", _MAGNUS + ", 10.5",
          lambda x, b: (b @ x) ** 2 / (1 + x @ x), {"x": "n", "b": "n"}, "x",
          "2bᵀxb/s − 2(bᵀx)²x/s² where s = 1 + ‖x‖²"),
    Entry("exponential times a squared norm", _MAGNUS + ", 10.5",
          lambda x, a: sg.exp(a @ x) * (x @ x), {"x": "n", "a": "n"}, "x",
          "exp(aᵀx)(2x + ‖x‖²a)", "exp(aᵀx)(2I + 2(xaᵀ + axᵀ) + ‖x‖²aaᵀ)"),
    Entry("product of two linear forms", _MAGNUS + ", 10.5",
          lambda x, a, b: (a @ x) * (b @ x), {"x": "n", "a": "n", "b": "n"}, "x",
          "bᵀxa + aᵀxb", "abᵀ + baᵀ"),
    Entry("squared linear form times another", _MAGNUS + ", 10.5",
          lambda x, a, b: (a @ x) ** 2 * (b @ x), {"x": "n", "a": "n", "b": "n"}, "x",
          "2aᵀxbᵀxa + (aᵀx)²b", "2(bᵀxaaᵀ + aᵀx(abᵀ + baᵀ))"),
    Entry("sixth power of the norm", _BOYD + ", 3.1",
          lambda x: (x @ x) ** 3 / 6, {"x": "n"}, "x",
          "‖x‖⁴x", "‖x‖⁴I + 4‖x‖²xxᵀ"),
    Entry("fourth power of the norm of Ax", _BOYD + ", 3.1",
          lambda x, A: ((A @ x) ** 2).sum() ** 2 / 4, {"x": "n", "A": "m n"}, "x",
          "‖Ax‖²AᵀAx", "‖Ax‖²AᵀA + 2AᵀAxxᵀAᵀA"),
    Entry("cube of a residual's norm", _NOCEDAL + ", 10",
          lambda x, A, b: sg.linalg.norm(A @ x - b) ** 3 / 3, _AFFINE, "x",
          "‖r‖Aᵀr" + _RESIDUAL, "‖r‖AᵀA + AᵀrrᵀA/‖r‖" + _RESIDUAL),
    Entry("bell over a residual", _NOCEDAL + ", 10",
          lambda x, A, b: sg.exp(-((A @ x - b) ** 2).sum() / 2), _AFFINE, "x",
          "−exp(−‖r‖²/2)Aᵀr" + _RESIDUAL, "exp(−‖r‖²/2)(AᵀrrᵀA − AᵀA)" + _RESIDUAL),
    Entry("logarithm of one and a squared residual", _NOCEDAL + ", 10",
          lambda x, A, b: sg.log(1 + ((A @ x - b) ** 2).sum()), _AFFINE, "x",
          "2Aᵀr/(1 + ‖r‖²)" + _RESIDUAL, "2AᵀA/s − 4AᵀrrᵀA/s²" + _RESIDUAL + ", s = 1 + ‖r‖²"),
    Entry("squares times a linear map", _MAGNUS + ", 10.5",
          lambda x, A: x**2 @ (A @ x), {"x": "n", "A": "n n"}, "x",
          "2x ⊙ Ax + Aᵀx²", "2(diag(Ax) + diag(x)A + Aᵀ diag(x))"),
    Entry("sum of cubes of Ax", _BOYD + ", 3.2",
          lambda x, A: ((A @ x) ** 3).sum() / 3, {"x": "n", "A": "m n"}, "x",
          "Aᵀ(Ax)²", "2Aᵀ diag(Ax) A"),
    Entry("sum of bells of Ax", _BOYD + ", 3.2",
          lambda x, A: sg.exp(-((A @ x) ** 2) / 2).sum(), {"x": "n", "A": "m n"}, "x",
          "−Aᵀ(z ⊙ exp(−z²/2)) where z = Ax", "Aᵀ diag((z² − 1) ⊙ exp(−z²/2)) A where z = Ax"),
    Entry("sum of roots of Ax", _BOYD + ", 3.2",
          lambda x, A: sg.sqrt(A @ x).sum(), _UPWARDS, "x",
          "Aᵀ(1/√(Ax))/2", "−Aᵀ diag(1/(Ax)^(3/2)) A/4"),
    Entry("entropy of Ax", _BOYD + ", 3.2",
          lambda x, A: (A @ x * sg.log(A @ x)).sum(), _UPWARDS, "x",
          "Aᵀ(log(Ax) + 1)", "Aᵀ diag(1/(Ax)) A"),
    Entry("sum of reciprocals of Ax", _BOYD + ", 3.2",
          lambda x, A: (1 / (A @ x)).sum(), _UPWARDS, "x",
          "−Aᵀ(1/(Ax)²)", "2Aᵀ diag(1/(Ax)³) A"),
    Entry("quotient of two linear forms", _BOYD + ", 3.4",
          lambda x, a, b: (a @ x) / (b @ x), {"x": "n positive", "a": "n", "b": "n positive"}, "x",
          "a/bᵀx − aᵀxb/(bᵀx)²", "2aᵀxbbᵀ/s³ − (abᵀ + baᵀ)/s² where s = bᵀx"),
    Entry("softplus of a quadratic form", _BOYD + ", 3.2",
          lambda x, A: sg.softplus(x @ A @ x), _SYMMETRIC, "x",
          "2σ(xᵀAx)Ax", "2pA + 4p(1 − p)AxxᵀA where p = σ(xᵀAx)"),
    Entry("cubic model of a trust region", _NOCEDAL + ", 4",
          lambda x, g, H, c: g @ x + x @ H @ x / 2 + c * sg.linalg.norm(x) ** 3 / 3,
          {"x": "n", "g": "n", "H": "n n symmetric", "c": "positive"}, "x",
          "g + Hx + c‖x‖x", "H + c(‖x‖I + xxᵀ/‖x‖)"),
    Entry("augmented Lagrangian", _NOCEDAL + ", 17.3",
          lambda x, Q, A, b, λ, r: x @ Q @ x / 2 + λ @ (A @ x - b) + r / 2 * ((A @ x - b) ** 2).sum(),
          {**_AFFINE, "Q": "n n symmetric", "λ": "m", "r": "positive"}, "x",
          "Qx + Aᵀ(λ + r(Ax − b))", "Q + rAᵀA"),
    Entry("proximal step of a barrier", "Parikh and Boyd, Proximal Algorithms, 6.7",
          lambda x, y, t: ((x - y) ** 2).sum() / 2 - t * sg.log(x).sum(),
          {"x": "n positive", "y": "n", "t": "positive"}, "x",
          "x − y − t/x", "I + t diag(1/x²)"),
)

_REGRESSION = (
    Entry("Poisson regression with an offset", _MCCULLAGH + ", 6.2",
          lambda w, X, y, b: (sg.exp(X @ w + b) - y * (X @ w + b)).sum(), {**_LINEAR, "b": "m"}, "w",
          "Xᵀ(exp(Xw + b) − y)", "Xᵀ diag(exp(Xw + b)) X"),
    Entry("gamma regression with a shape", _MCCULLAGH + ", 8.3",
          lambda w, X, y, a: a * (X @ w + y * sg.exp(-(X @ w))).sum(), {**_LINEAR, "a": "positive"}, "w",
          "aXᵀ(1 − y ⊙ exp(−Xw))", "aXᵀ diag(y ⊙ exp(−Xw)) X"),
    Entry("negative binomial regression with its curvature", _MCCULLAGH + ", 6.2",
          lambda w, X, y, r: ((y + r) * sg.log(r + sg.exp(X @ w)) - y * (X @ w)).sum(),
          {**_LINEAR, "y": "m integer", "r": "positive"}, "w",
          "Xᵀ(r(u − y)/(r + u)) where u = exp(Xw)", "rXᵀ diag((y + r) ⊙ u/(r + u)²) X where u = exp(Xw)"),
    Entry("probit regression with signs", _MCCULLAGH + ", 4.3",
          lambda w, X, y: -sg.log(sg.special.ndtr(y * (X @ w))).sum(), {**_LINEAR, "y": "m sign"}, "w",
          "−Xᵀ(y ⊙ φ(z)/Φ(z)) where z = y ⊙ Xw",
          "Xᵀ diag(l ⊙ (z + l)) X where z = y ⊙ Xw, l = φ(z)/Φ(z)"),
    Entry("surprise of a positive normal variable", _GREENE + ", 19.2",
          lambda x: -sg.log(sg.special.ndtr(x)), {"x": ""}, "x",
          "−φ(x)/Φ(x)", "l(x + l) where l = φ(x)/Φ(x)"),
    Entry("middle category of an ordered probit", _GREENE + ", 18.3",
          _ordered_probit, {"x": "", "a": "", "b": "wide"}, "x",
          "(φ(b − x) − φ(a − x))/(Φ(b − x) − Φ(a − x))"),
    Entry("truncated normal in the mean", _GREENE + ", 19.2",
          lambda u, x: (x - u) ** 2 / 2 + sg.log(sg.special.ndtr(u)), {"u": "", "x": "positive"}, "u",
          "u − x + φ(u)/Φ(u)", "1 − l(u + l) where l = φ(u)/Φ(u)"),
    Entry("first category of an ordered logit", _GREENE + ", 18.3",
          lambda w, X, a: sg.softplus(X @ w - a).sum(), {"w": "n", "X": "m n", "a": ""}, "w",
          "Xᵀσ(Xw − a)", "Xᵀ diag(p ⊙ (1 − p)) X where p = σ(Xw − a)"),
    Entry("inverse Gaussian regression, canonical link", _MCCULLAGH + ", 8.2",
          lambda w, X, y: (y * (X @ w) / 2 - sg.sqrt(X @ w)).sum(), _RISING, "w",
          "Xᵀ(y − 1/√(Xw))/2", "Xᵀ diag(1/(Xw)^(3/2)) X/4"),
    Entry("Poisson regression with the root link", _MCCULLAGH + ", 6.2",
          lambda w, X, y: ((X @ w) ** 2 - 2 * y * sg.log(X @ w)).sum(), _RISING, "w",
          "2Xᵀ(Xw − y/(Xw))", "2Xᵀ diag(1 + y/(Xw)²) X"),
    Entry("Poisson regression with a penalty", _MCCULLAGH + ", 6.2",
          lambda w, X, y, λ: (sg.exp(X @ w) - y * (X @ w)).sum() + λ / 2 * (w @ w), {**_LINEAR, "λ": "positive"}, "w",
          "Xᵀ(exp(Xw) − y) + λw", "Xᵀ diag(exp(Xw)) X + λI"),
    Entry("logistic regression with a normal prior", _BISHOP + ", 4.5",
          lambda w, X, y, u, P: (sg.softplus(X @ w) - y * (X @ w)).sum() + (w - u) @ P @ (w - u) / 2,
          {**_LINEAR, "u": "n", "P": "n n pd symmetric"}, "w",
          "Xᵀ(σ(Xw) − y) + P(w − u)", "Xᵀ diag(p ⊙ (1 − p)) X + P where p = σ(Xw)"),
    Entry("multinomial regression of one row of counts", _MCCULLAGH + ", 5.2",
          lambda W, x, c, N: N * sg.logsumexp(W.T @ x, 0) - c @ (W.T @ x),
          {"W": "n k", "x": "n", "c": "k integer", "N": "positive"}, "W",
          "x(N softmax(Wᵀx) − c)ᵀ", "Nxxᵀ ⊗ (diag(p) − ppᵀ) where p = softmax(Wᵀx)"),
    Entry("Cauchy regression", _HUBER + ", 7",
          lambda w, X, y: sg.log(1 + (y - X @ w) ** 2).sum(), _LINEAR, "w",
          "−2Xᵀ(r/(1 + r²))" + _ERROR, "2Xᵀ diag((1 − r²)/(1 + r²)²) X" + _ERROR),
    Entry("regression with Student's errors", "Lange, Little and Taylor 1989",
          lambda w, X, y, v: (v + 1) / 2 * sg.log(1 + (y - X @ w) ** 2 / v).sum(), {**_LINEAR, "v": "positive"}, "w",
          "−(v + 1)Xᵀ(r/(v + r²))" + _ERROR, "(v + 1)Xᵀ diag((v − r²)/(v + r²)²) X" + _ERROR),
    Entry("pseudo-Huber regression", _HUBER + ", 7",
          lambda w, X, y, d: d**2 * sg.sqrt(1 + ((y - X @ w) / d) ** 2).sum(), {**_LINEAR, "d": "positive"}, "w",
          "−Xᵀ(r/√(1 + r²/d²))" + _ERROR, "Xᵀ diag(1/(1 + r²/d²)^(3/2)) X" + _ERROR),
    Entry("Welsch regression", _HUBER + ", 7",
          lambda w, X, y: (1 - sg.exp(-((y - X @ w) ** 2) / 2)).sum(), _LINEAR, "w",
          "−Xᵀ(r ⊙ exp(−r²/2))" + _ERROR, "Xᵀ diag((1 − r²) ⊙ exp(−r²/2)) X" + _ERROR),
    Entry("Geman-McClure regression", _HUBER + ", 7",
          lambda w, X, y: ((y - X @ w) ** 2 / (1 + (y - X @ w) ** 2)).sum() / 2, _LINEAR, "w",
          "−Xᵀ(r/(1 + r²)²)" + _ERROR, "Xᵀ diag((1 − 3r²)/(1 + r²)³) X" + _ERROR),
    Entry("fair loss", _HUBER + ", 7",
          lambda x, c: c**2 * (sg.abs(x) / c - sg.log(1 + sg.abs(x) / c)).sum(), {"x": "n", "c": "positive"}, "x",
          "cx/(c + |x|)", "c² diag(1/(c + |x|)²)"),
    Entry("Itakura and Saito's regression", _MCCULLAGH + ", 8",
          lambda w, X, y: (y / (X @ w) + sg.log(X @ w)).sum(), _RISING, "w",
          "Xᵀ((z − y)/z²) where z = Xw", "Xᵀ diag((2y − z)/z³) X where z = Xw"),
    Entry("negative binomial in the size", _MCCULLAGH + ", 6.2",
          lambda r, y: (sg.lgamma(r) - sg.lgamma(y + r)).sum(), {"r": "positive", "y": "m integer"}, "r",
          "m digamma(r) − sum(digamma(y + r))", "m polygamma(1, r) − sum(polygamma(1, y + r))"),
)

_GAUSSIAN = (
    Entry("log-partition of a normal in the potential", "Wainwright and Jordan, Graphical Models, 3.4",
          lambda h, J: (h @ sg.linalg.solve(J, h) - sg.logdet(J)) / 2, {"h": "n", "J": "n n pd symmetric"}, "h",
          "J⁻¹h", "J⁻¹"),
    Entry("log-partition of a normal in the precision", "Wainwright and Jordan, Graphical Models, 3.4",
          lambda J, h: (h @ sg.linalg.solve(J, h) - sg.logdet(J)) / 2, {"h": "n", "J": "n n pd symmetric"}, "J",
          "−(J⁻¹hhᵀJ⁻¹ + J⁻¹)/2"),
    Entry("scale of a known covariance", _MURPHY + ", 3.2",
          lambda s, S, r: r.shape[0] / 2 * sg.log(s) + r @ sg.linalg.solve(S, r) / (2 * s),
          {"s": "positive", "S": "n n pd symmetric", "r": "n"}, "s",
          "n/(2s) − rᵀS⁻¹r/(2s²)", "rᵀS⁻¹r/s³ − n/(2s²)"),
    Entry("normal in the log-precision", _MURPHY + ", 3.2",
          lambda t, x, u: (sg.exp(t) * ((x - u) ** 2).sum() - t * x.shape[0]) / 2, {"t": "", "x": "n", "u": "n"}, "t",
          "(exp(t)‖x − u‖² − n)/2", "exp(t)‖x − u‖²/2"),
    Entry("posterior with a normal prior", _BISHOP + ", (3.49)",
          lambda w, X, y, v, P: ((y - X @ w) ** 2).sum() / (2 * v) + w @ P @ w / 2,
          {**_LINEAR, "v": "positive", "P": "n n pd symmetric"}, "w",
          "Pw − Xᵀ(y − Xw)/v", "XᵀX/v + P"),
    Entry("evidence in the prior's precision", _BISHOP + ", (3.86)",
          _evidence, {"a": "positive", "b": "positive", "X": "m n"}, "a",
          "tr(M⁻¹) − n/a where M = aI + bXᵀX", "n/a² − tr(M⁻²) where M = aI + bXᵀX"),
    Entry("marginal likelihood in the amplitude", "Rasmussen and Williams, Gaussian Processes, (5.9)",
          _marginal, {"a": "positive", "v": "positive", "G": "n n pd symmetric", "y": "n"}, "a",
          "tr(C⁻¹G) − yᵀC⁻¹GC⁻¹y where C = aG + vI",
          "2yᵀC⁻¹GC⁻¹GC⁻¹y − tr(C⁻¹GC⁻¹G) where C = aG + vI"),
    Entry("density of a mixture in a point", _MURPHY + ", 3.5",
          lambda x, u, w: sg.logsumexp(sg.log(w) - (x - u) ** 2 / 2, 0), {"x": "", "u": "k", "w": "k positive"}, "x",
          "qᵀu − x where q = softmax(log(w) − (x − u)²/2)",
          "qᵀu² − (qᵀu)² − 1 where q = softmax(log(w) − (x − u)²/2)"),
    Entry("density of a mixture in the centres", _MURPHY + ", 3.5",
          lambda u, x: -sg.logsumexp(-((x - u) ** 2) / 2, 0), {"x": "", "u": "k"}, "u",
          "q ⊙ (u − x) where q = softmax(−(x − u)²/2)",
          "diag(q ⊙ (1 − d²)) + (q ⊙ d)(q ⊙ d)ᵀ where d = u − x, q = softmax(−d²/2)"),
    Entry("mixture in the logits of its weights", _MURPHY + ", 8.7",
          lambda a, b: sg.logsumexp(a, 0) - sg.logsumexp(a + b, 0), {"a": "k", "b": "k"}, "a",
          "softmax(a) − softmax(a + b)",
          "diag(p) − ppᵀ − diag(q) + qqᵀ where p = softmax(a), q = softmax(a + b)"),
    Entry("mixture of two in its weight", _MURPHY + ", 8.7",
          lambda p, f, g: -sg.log(p * f + (1 - p) * g), {"p": "fraction", "f": "positive", "g": "positive"}, "p",
          "(g − f)/(pf + (1 − p)g)", "(f − g)²/(pf + (1 − p)g)²"),
    Entry("bound of a mixture in one centre", _BISHOP + ", 9.3",
          lambda u, x, q: (q * (x - u) ** 2).sum() / 2, {"u": "", "x": "m", "q": "m fraction"}, "u",
          "sum(q)u − qᵀx", "sum(q)"),
    Entry("direction of a vector", "Mardia and Jupp, Directional Statistics, 9.3",
          lambda x, a, k: -k * (a @ x) / sg.linalg.norm(x), {"x": "n", "a": "n", "k": "positive"}, "x",
          "k(aᵀxx/‖x‖³ − a/‖x‖)"),
)

ENTRIES = _MATRICES + _VECTORS + _REGRESSION + _GAUSSIAN
