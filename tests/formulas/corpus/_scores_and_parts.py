"""Second and mixed derivatives of regressions, random effects, factors, information, econometrics and losses.

Written before any was printed. Two lines of three are Hessians, or Jacobians of a gradient in another
variable: of the entries that had both, every third kept its gradient.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off
# ruff: noqa: E741  (the books call lengths and costates l)

_MCCULLAGH = "McCullagh and Nelder, Generalized Linear Models"
_MARONNA = "Maronna, Martin and Yohai, Robust Statistics"
_MARDIA = "Mardia and Jupp, Directional Statistics"
_SEARLE = "Searle, Casella and McCulloch, Variance Components"
_LAWLESS = "Lawless, Statistical Models and Methods for Lifetime Data"
_BARTHOLOMEW = "Bartholomew, Knott and Moustaki, Latent Variable Models"
_AMARI = "Amari, Information Geometry and Its Applications"
_PEYRE = "Peyré and Cuturi, Computational Optimal Transport"
_HAYASHI = "Hayashi, Econometrics"
_VARIAN = "Varian, Microeconomic Analysis"
_MURPHY = "Murphy, Probabilistic Machine Learning"
_RASMUSSEN = "Rasmussen and Williams, Gaussian Processes for Machine Learning"
_DATA = {"w": "n", "X": "m n"}
_FIT = {**_DATA, "y": "m"}
_EFFECTS = {"u": "k", "b": "n", "X": "m n", "Z": "m k", "y": "m binary", "D": "k k pd symmetric"}
_POINTS = {"x": "n", "y": "n"}
_PLAN = {"u": "m", "v": "n", "C": "m n", "e": "positive"}


def _marginal(v, Z):
    return sg.eye(Z.shape[0]) + v * Z @ Z.T


def _factors(L, d):
    return L @ L.T + sg.diag(d)


def _principal(s, W):
    return W @ W.T + s * sg.eye(W.shape[0])


def _plan(u, v, C, e):
    return sg.exp((u[:, None] + v - C) / e)


def _apart(x, y):
    return ((x - y) ** 2).sum()


_REGRESSIONS = (
    Entry("weighted gamma regression by logarithms", _MCCULLAGH + ", 8.3",
          lambda w, X, y, c: (c * (y * sg.exp(-(X @ w)) + X @ w)).sum(),
          {**_DATA, "y": "m positive", "c": "m positive"}, "w",
          None, "Xᵀ diag(c ⊙ y ⊙ exp(−Xw)) X"),
    Entry("binomial regression with trials", _MCCULLAGH + ", 4.4",
          lambda w, X, y, t: (t * sg.softplus(X @ w) - y * (X @ w)).sum(), {**_FIT, "t": "m positive"}, "w",
          None, "Xᵀ diag(t ⊙ p ⊙ (1 − p)) X where p = σ(Xw)"),
    Entry("probit regression with signs, anew", _MCCULLAGH + ", 4.3",
          lambda w, X, y: -sg.log(sg.special.ndtr(y * (X @ w))).sum(), {**_DATA, "y": "m sign"}, "w",
          "−Xᵀ(y ⊙ φ(z)/Φ(z)) where z = y ⊙ Xw", "Xᵀ diag(l ⊙ (z + l)) X where z = y ⊙ Xw, l = φ(z)/Φ(z)"),
    Entry("probit regression with counts of successes", _MCCULLAGH + ", 4.3",
          lambda w, X, y: -(y * sg.log(sg.special.ndtr(X @ w))).sum(), {**_DATA, "y": "m positive"}, "w",
          None, "Xᵀ diag(y ⊙ l ⊙ (z + l)) X where z = Xw, l = φ(z)/Φ(z)"),
    Entry("link of Cauchy", _MCCULLAGH + ", 4.3",
          lambda w, X: -sg.log(sg.pi / 2 + sg.arctan(X @ w)).sum(), _DATA, "w",
          "−Xᵀ(1/((1 + z²) ⊙ (π/2 + arctan(z)))) where z = Xw"),
    Entry("score of Poisson regression in the offset", _MCCULLAGH + ", 6.2",
          lambda o, w, X, y: X.T @ (sg.exp(X @ w + o) - y), {"o": "m", **_FIT}, "o",
          "Xᵀ diag(exp(Xw + o))"),
    Entry("score of weighted logistic regression in the weights", _MCCULLAGH + ", 4.4",
          lambda c, w, X, y: X.T @ (c * (sg.sigmoid(X @ w) - y)), {"c": "m", **_FIT}, "c",
          "Xᵀ diag(σ(Xw) − y)"),
    Entry("deviance of a power of the mean", _MCCULLAGH + ", 9.2",
          lambda m, y, p: m ** (2 - p) / (2 - p) - y * m ** (1 - p) / (1 - p),
          {"m": "positive", "y": "positive", "p": "fraction"}, "m",
          None, "(1 − p)/m^p + py/m^(p + 1)"),
    Entry("regression with Student's law and a scale", _MARONNA + ", 4.4",
          lambda w, X, y, v, s: (v + 1) / 2 * sg.log(1 + (X @ w - y) ** 2 / (v * s**2)).sum(),
          {**_FIT, "v": "positive", "s": "positive"}, "w",
          "(v + 1)Xᵀ(r/(vs² + r²)) where r = Xw − y",
          "(v + 1)Xᵀ diag((vs² − r²)/(vs² + r²)²) X where r = Xw − y"),
    Entry("pseudo-Huber regression with a scale", _MARONNA + ", 2.3",
          lambda w, X, y, d: d**2 * (sg.sqrt(1 + ((X @ w - y) / d) ** 2) - 1).sum(), {**_FIT, "d": "positive"}, "w",
          None, "Xᵀ diag(1/(1 + (r/d)²)^(3/2)) X where r = Xw − y"),
    Entry("regression of Welsch", _MARONNA + ", 2.3",
          lambda w, X, y: (1 - sg.exp(-((X @ w - y) ** 2) / 2)).sum(), _FIT, "w",
          None, "Xᵀ diag((1 − r²) ⊙ exp(−r²/2)) X where r = Xw − y"),
    Entry("regression of Geman and McClure", _MARONNA + ", 2.3",
          lambda w, X, y: ((X @ w - y) ** 2 / (1 + (X @ w - y) ** 2)).sum(), _FIT, "w",
          "2Xᵀ(r/(1 + r²)²) where r = Xw − y", "2Xᵀ diag((1 − 3r²)/(1 + r²)³) X where r = Xw − y"),
    Entry("regression of angles", _MARDIA + ", 11.3",
          lambda w, X, y, k: -k * sg.cos(y - X @ w).sum(), {**_FIT, "k": "positive"}, "w",
          None, "kXᵀ diag(cos(y − Xw)) X"),
    Entry("direction of Fisher's law in a free vector", _MARDIA + ", 9.3",
          lambda x, a: -(a @ x) / sg.linalg.norm(x), {"x": "n", "a": "n"}, "x",
          None, "(axᵀ + xaᵀ + aᵀx I)/s³ − 3aᵀx xxᵀ/s⁵ where s = ‖x‖"),
)

_RANDOM = (
    Entry("logistic random effects", _SEARLE + ", 10.3",
          lambda u, b, X, Z, y, D: ((sg.softplus(X @ b + Z @ u) - y * (Z @ u)).sum()
                                    + u @ sg.linalg.solve(D, u) / 2), _EFFECTS, "u",
          "Zᵀ(σ(Xb + Zu) − y) + D⁻¹u", "Zᵀ diag(p ⊙ (1 − p)) Z + D⁻¹ where p = σ(Xb + Zu)"),
    Entry("score of random effects in the fixed ones", _SEARLE + ", 10.3",
          lambda b, u, X, Z, y, D: Z.T @ (sg.sigmoid(X @ b + Z @ u) - y) + D @ u, _EFFECTS, "b",
          "Zᵀ diag(p ⊙ (1 − p)) X where p = σ(Xb + Zu)"),
    Entry("ratio of two variances", _SEARLE + ", 6.2",
          lambda v, Z, y: (sg.logdet(_marginal(v, Z)) + y @ sg.linalg.solve(_marginal(v, Z), y)) / 2,
          {"v": "positive", "Z": "m k", "y": "m"}, "v",
          None, "yᵀM⁻¹ZZᵀM⁻¹ZZᵀM⁻¹y − ‖ZᵀM⁻¹Z‖²/2 where M = I + vZZᵀ"),
    Entry("generalised least squares' score in a variance", _SEARLE + ", 6.2",
          lambda v, b, X, y, A, B: X.T @ sg.linalg.solve(A + v * B, X @ b - y),
          {"v": "positive", "b": "n", "X": "m n", "y": "m", "A": "m m pd symmetric", "B": "m m pd symmetric"}, "v",
          "−XᵀV⁻¹BV⁻¹(Xb − y) where V = A + vB"),
    Entry("weighted residuals' score in the variances", _SEARLE + ", 6.1",
          lambda v, b, X, y: X.T @ ((X @ b - y) / v), {"v": "m positive", "b": "n", "X": "m n", "y": "m"}, "v",
          "−Xᵀ diag((Xb − y)/v²)"),
    Entry("extreme values with a scale", _LAWLESS + ", 6.3",
          lambda w, X, y, d, s: (sg.exp((y - X @ w) / s) - d * (y - X @ w) / s).sum(),
          {**_FIT, "d": "m binary", "s": "positive"}, "w",
          None, "Xᵀ diag(exp((y − Xw)/s)) X/s²"),
    Entry("scale of extreme values", _LAWLESS + ", 6.3",
          lambda s, r, d: d.sum() * sg.log(s) + (sg.exp(r / s) - d * r / s).sum(),
          {"s": "positive", "r": "m", "d": "m binary"}, "s",
          "sum(d)/s + rᵀ(d − exp(r/s))/s²"),
    Entry("additive hazards", _LAWLESS + ", 7.1",
          lambda w, A, c, d: c @ w - d @ sg.log(A @ w),
          {"w": "n positive", "A": "m n positive", "c": "n", "d": "m binary"}, "w",
          "c − Aᵀ(d/(Aw))", "Aᵀ diag(d/(Aw)²) A"),
    Entry("score of hazards in their baseline", _LAWLESS + ", 7.1",
          lambda h, w, X, d: X.T @ (h * sg.exp(X @ w) - d), {"h": "m positive", **_DATA, "d": "m binary"}, "h",
          "Xᵀ diag(exp(Xw))"),
    Entry("log-normal times in the logarithm of the scale", _LAWLESS + ", 5.2",
          lambda t, r: t + r @ r * sg.exp(-2 * t) / 2, {"t": "", "r": "m"}, "t",
          None, "2‖r‖²exp(−2t)"),
)

_LATENT = (
    Entry("unique variances of factors", _BARTHOLOMEW + ", 3.4",
          lambda d, L, S: (sg.logdet(_factors(L, d)) + sg.trace(sg.linalg.solve(_factors(L, d), S))) / 2,
          {"d": "m positive", "L": "m k", "S": "m m pd symmetric"}, "d",
          None, "P ⊙ PSP − P^∘2/2 where P = (LLᵀ + diag(d))⁻¹"),
    Entry("loadings of factors by least squares", _BARTHOLOMEW + ", 3.5",
          lambda L, d, S: ((L @ L.T + sg.diag(d) - S) ** 2).sum() / 4,
          {"L": "m k", "d": "m positive", "S": "m m symmetric"}, "L",
          "(LLᵀ + diag(d) − S)L"),
    Entry("noise of probabilistic principal components", "Bishop, Pattern Recognition and Machine Learning, 12.2",
          lambda s, W, S: (sg.logdet(_principal(s, W)) + sg.trace(sg.linalg.solve(_principal(s, W), S))) / 2,
          {"s": "positive", "W": "m k", "S": "m m pd symmetric"}, "s",
          "(tr(P) − tr(P²S))/2 where P = (WWᵀ + sI)⁻¹", "tr(P³S) − tr(P²)/2 where P = (WWᵀ + sI)⁻¹"),
    Entry("independent components with hyperbolic cosines", "Hyvärinen, Karhunen and Oja, 9.1",
          lambda W, x: sg.log(sg.cosh(W @ x)).sum() - sg.logdet(W), {"W": "n n invertible", "x": "n"}, "W",
          "tanh(Wx)xᵀ − W⁻ᵀ"),
    Entry("canonical correlation in one direction", "Anderson, Multivariate Statistical Analysis, 12.2",
          lambda a, b, A, B, C: a @ C @ b / sg.sqrt((a @ A @ a) * (b @ B @ b)),
          {"a": "m", "b": "n", "A": "m m pd symmetric", "B": "n n pd symmetric", "C": "m n"}, "a",
          "(Cb − aᵀCb Aa/aᵀAa)/√(aᵀAa bᵀBb)"),
    Entry("metric learnt from a pair", "Weinberger and Saul 2009, Distance metric learning",
          lambda L, x, y: ((L @ (x - y)) ** 2).sum() / 2, {"L": "k n", **_POINTS}, "L",
          None, "I ⊗ (x − y)(x − y)ᵀ"),
    Entry("metric learnt from a triple", "Weinberger and Saul 2009, Distance metric learning",
          lambda L, u, v: sg.softplus(((L @ u) ** 2).sum() - ((L @ v) ** 2).sum()),
          {"L": "k n", "u": "n", "v": "n"}, "L",
          "2σ(‖Lu‖² − ‖Lv‖²)L(uuᵀ − vvᵀ)"),
    Entry("natural parameters of a Gaussian", _AMARI + ", 2.1",
          lambda h, P: h @ sg.linalg.solve(P, h) / 2 - sg.logdet(P) / 2, {"h": "n", "P": "n n pd symmetric"}, "h",
          None, "P⁻¹"),
    Entry("precision as a natural parameter", _AMARI + ", 2.1",
          lambda P, h: h @ sg.linalg.solve(P, h) / 2 - sg.logdet(P) / 2, {"P": "n n pd symmetric", "h": "n"}, "P",
          "−(P⁻¹hhᵀP⁻¹ + P⁻¹)/2"),
)

_INFORMATION = (
    Entry("affinity of Bhattacharyya", _AMARI + ", 3.3",
          lambda x, y: -sg.log(sg.sqrt(x * y).sum()), {"x": "n positive", "y": "n positive"}, "x",
          "−√(y/x)/(2 sum(√(x ⊙ y)))",
          "diag(q/x)/(4c) + qqᵀ/(4c²) where q = √(y/x), c = sum(√(x ⊙ y))"),
    Entry("divergence by squares, in the second argument", _AMARI + ", 3.3",
          lambda y, x: ((x - y) ** 2 / y).sum(), {"y": "n positive", "x": "n positive"}, "y",
          None, "2 diag(x²/y³)"),
    Entry("distance of Hellinger", _AMARI + ", 3.3",
          lambda x, y: ((sg.sqrt(x) - sg.sqrt(y)) ** 2).sum(), {"x": "n positive", "y": "n positive"}, "x",
          None, "diag(√y/x^(3/2))/2"),
    Entry("rate of parallel channels in the powers", "Cover and Thomas, Elements of Information Theory, 9.4",
          lambda x, H, R: sg.logdet(R + H @ sg.diag(x) @ H.T), {"x": "n positive", "H": "m n", "R": "m m pd symmetric"},
          "x",
          "diag(Hᵀ(R + H diag(x) Hᵀ)⁻¹H)", "−(HᵀC⁻¹H)^∘2 where C = R + H diag(x) Hᵀ"),
    Entry("regularised transport in a potential", _PEYRE + ", 4.4",
          lambda u, v, C, e, a: e * _plan(u, v, C, e).sum() - a @ u, {**_PLAN, "a": "m"}, "u",
          None, "diag(P𝟏)/e where P = exp((u𝟏ᵀ + 𝟏vᵀ − C)/e)"),
    Entry("marginals of a plan in the other potential", _PEYRE + ", 4.4",
          lambda v, u, C, e: _plan(u, v, C, e).sum(1), _PLAN, "v",
          "exp((u𝟏ᵀ + 𝟏vᵀ − C)/e)/e"),
    Entry("semi-dual of regularised transport", _PEYRE + ", 5.3",
          lambda v, C, b, e: e * sg.logsumexp((v - C) / e, 1).sum() - b @ v,
          {"v": "n", "C": "m n", "b": "n", "e": "positive"}, "v",
          None, "(diag(Pᵀ𝟏) − PᵀP)/e where P = softmax((𝟏vᵀ − C)/e, dim=1)"),
    Entry("exponential tilting with prior weights", _AMARI + ", 2.2",
          lambda x, G, a: sg.log(a @ sg.exp(G @ x)), {"x": "n", "G": "m n", "a": "m positive"}, "x",
          "Gᵀq/sum(q) where q = a ⊙ exp(Gx)"),
    Entry("entropy of independent bits", _AMARI + ", 2.3",
          lambda x: sg.softplus(x).sum() - (x * sg.sigmoid(x)).sum(), {"x": "n"}, "x",
          "−x ⊙ p ⊙ (1 − p) where p = σ(x)"),
)

_ECONOMETRICS = (
    Entry("demand of constant elasticity, mixed", _VARIAN + ", 1",
          lambda y, x, a, r: (a * x**r + (1 - a) * y**r) ** (1 / r - 1) * a * x ** (r - 1),
          {"y": "positive", "x": "positive", "a": "fraction", "r": "fraction"}, "y",
          "a(1 − a)(1 − r)(xy)^(r − 1)(ax^r + (1 − a)y^r)^(1/r − 2)"),
    Entry("nonlinear instruments", _HAYASHI + ", 7.1",
          lambda b, X, y, Z, W: (y - sg.exp(X @ b)) @ Z @ W @ Z.T @ (y - sg.exp(X @ b)) / 2,
          {"b": "n", "X": "m n", "y": "m", "Z": "m k", "W": "k k symmetric"}, "b",
          "Xᵀ(u ⊙ ZWZᵀ(u − y)) where u = exp(Xb)",
          "Xᵀ(diag(u)ZWZᵀ diag(u) + diag(u ⊙ ZWZᵀ(u − y)))X where u = exp(Xb)"),
    Entry("dual of the empirical likelihood", "Owen, Empirical Likelihood, 3.14",
          lambda x, G: -sg.log(1 + G @ x).sum(), {"x": "n positive", "G": "m n positive"}, "x",
          None, "Gᵀ diag(1/(1 + Gx)²) G"),
    Entry("frontier with one-sided errors", "Kumbhakar and Lovell, Stochastic Frontier Analysis, 3.2",
          lambda w, X, y, c, s: ((y - X @ w) ** 2 / (2 * s**2) - sg.log(sg.special.ndtr(-c * (y - X @ w)))).sum(),
          {**_FIT, "c": "positive", "s": "positive"}, "w",
          "−Xᵀ(r/s² + cφ(cr)/Φ(−cr)) where r = y − Xw"),
    Entry("path of ridge solutions", _HAYASHI + ", 1.2",
          lambda c, X, y: sg.linalg.solve(X.T @ X + c * sg.eye(X.shape[1]), X.T @ y),
          {"c": "positive", "X": "m n", "y": "m"}, "c",
          "−(XᵀX + cI)⁻²Xᵀy"),
    Entry("weighted least squares in the weights", _HAYASHI + ", 1.6",
          lambda c, X, y: sg.linalg.solve(X.T @ sg.diag(c) @ X, X.T @ (c * y)),
          {"c": "m positive", "X": "m n", "y": "m"}, "c",
          "M⁻¹Xᵀ diag(y − XM⁻¹Xᵀ(c ⊙ y)) where M = Xᵀ diag(c) X"),
    Entry("utility of quadratic habits", _VARIAN + ", 11",
          lambda x, m, S, g: m @ x - g / 2 * (x @ S @ x) - sg.log(1 + (x**2).sum()),
          {"x": "n", "m": "n", "S": "n n symmetric", "g": "positive"}, "x",
          None, "4xxᵀ/s² − gS − 2I/s where s = 1 + ‖x‖²"),
    Entry("cost shares by logarithms", _VARIAN + ", 12",
          lambda x, a, B: a @ sg.log(x) + sg.log(x) @ B @ sg.log(x) / 2,
          {"x": "n positive", "a": "n", "B": "n n symmetric"}, "x",
          "(a + B log(x))/x", "(B − diag(a + B log(x))) ⊙ qqᵀ where q = 1/x"),
)

_LOSSES = (
    Entry("contrast of a query with keys", _MURPHY + ", 19.2",
          lambda q, K, k, t: sg.logsumexp(K @ q / t, 0) - k @ q / t,
          {"q": "n", "K": "m n", "k": "n", "t": "positive"}, "q",
          None, "Kᵀ(diag(p) − ppᵀ)K/t² where p = softmax(Kq/t)"),
    Entry("triples by a softplus", _MURPHY + ", 16.2",
          lambda x, y, z: sg.softplus(_apart(x, y) - _apart(x, z)), {**_POINTS, "z": "n"}, "x",
          None, "4p(1 − p)(z − y)(z − y)ᵀ where p = σ(‖x − y‖² − ‖x − z‖²)"),
    Entry("normalisation by the mean square, with a gain", _MURPHY + ", 14.2",
          lambda x, g, e: g * x / sg.sqrt((x**2).mean() + e), {"x": "n", "g": "n", "e": "positive"}, "x",
          "diag(g)(I/s − xxᵀ/(ns³)) where s = √(‖x‖²/n + e)"),
    Entry("attention of one query with a temperature", _MURPHY + ", 15.4",
          lambda q, K, V, t: V.T @ sg.softmax(K @ q / t, 0), {"q": "n", "K": "m n", "V": "m k", "t": "positive"}, "q",
          "Vᵀ(diag(p) − ppᵀ)K/t where p = softmax(Kq/t)"),
    Entry("attention in the temperature", _MURPHY + ", 15.4",
          lambda b, u, V: V.T @ sg.softmax(b * u, 0), {"b": "positive", "u": "m", "V": "m k"}, "b",
          "Vᵀ(p ⊙ (u − pᵀu)) where p = softmax(bu)"),
    Entry("gated linear unit, anew", _MURPHY + ", 13.2",
          lambda x, W, U: (W @ x) * sg.sigmoid(U @ x), {"x": "n", "W": "m n", "U": "m n"}, "x",
          "diag(p)W + diag(Wx ⊙ p ⊙ (1 − p))U where p = σ(Ux)"),
    Entry("swish and its curvature", _MURPHY + ", 13.2",
          lambda x: x * sg.sigmoid(x), {"x": ""}, "x",
          "p + xp(1 − p) where p = σ(x)", "p(1 − p)(2 + x(1 − 2p)) where p = σ(x)"),
    Entry("gate of a Gaussian", _MURPHY + ", 13.2",
          lambda x: x * sg.special.ndtr(x), {"x": ""}, "x",
          None, "(2 − x²)φ(x)"),
    Entry("distillation with a temperature", _MURPHY + ", 13",
          lambda x, q, t: t**2 * (sg.logsumexp(x / t, 0) - q @ x / t), {"x": "n", "q": "n", "t": "positive"}, "x",
          None, "diag(p) − ppᵀ where p = softmax(x/t)"),
    Entry("smoothed labels, anew", _MURPHY + ", 10.3",
          lambda x, y, e: sg.logsumexp(x, 0) - (1 - e) * (y @ x) - e * x.mean(),
          {"x": "n", "y": "n onehot", "e": "fraction"}, "x",
          "softmax(x) − (1 − e)y − e/n"),
    Entry("squared hinge, anew", _MURPHY + ", 17.3",
          lambda w, X, y: (sg.relu(1 - y * (X @ w)) ** 2).sum() / 2, {**_DATA, "y": "m sign"}, "w",
          "−Xᵀ(y ⊙ relu(1 − y ⊙ Xw))", "Xᵀ diag(1[1 − y ⊙ Xw > 0]) X"),
    Entry("convex network of one layer", _MURPHY + ", 13.4",
          lambda x, W, b, v: v @ sg.softplus(W @ x + b), {"x": "n", "W": "m n", "b": "m", "v": "m positive"}, "x",
          None, "Wᵀ diag(v ⊙ p ⊙ (1 − p)) W where p = σ(Wx + b)"),
    Entry("residual block", _MURPHY + ", 13.4",
          lambda x, W, V: x + V @ sg.tanh(W @ x), {"x": "n", "W": "m n", "V": "n m"}, "x",
          "I + V diag(1 − tanh(Wx)²) W"),
    Entry("variance of a batch", _MURPHY + ", 14.2",
          lambda x: ((x - x.mean()) ** 2).mean(), {"x": "n"}, "x",
          None, "2(I − 𝟏𝟏ᵀ/n)/n"),
    Entry("mixture of archetypes", _MURPHY + ", 22.4",
          lambda a, Z, x: ((Z.T @ sg.softmax(a, 0) - x) ** 2).sum() / 2, {"a": "m", "Z": "m n", "x": "n"}, "a",
          "(diag(p) − ppᵀ)Z(Zᵀp − x) where p = softmax(a)"),
    Entry("bell kernel, mixed", _RASMUSSEN + ", 4.2",
          lambda y, x, l: (y - x) * sg.exp(-_apart(x, y) / (2 * l**2)) / l**2, {**_POINTS, "l": "positive"}, "y",
          "k(I/l² − rrᵀ/l⁴) where r = x − y, k = exp(−‖r‖²/(2l²))"),
    Entry("kernel of Matérn", _RASMUSSEN + ", 4.2",
          lambda x, y, c: (1 + c * sg.linalg.norm(x - y)) * sg.exp(-c * sg.linalg.norm(x - y)),
          {**_POINTS, "c": "positive"}, "x",
          "−c²exp(−c‖x − y‖)(x − y)", "c²exp(−cs)(crrᵀ/s − I) where r = x − y, s = ‖r‖"),
    Entry("rational quadratic kernel, anew", _RASMUSSEN + ", 4.2",
          lambda x, y, a: (1 + _apart(x, y) / (2 * a)) ** -a, {**_POINTS, "a": "positive"}, "x",
          "−(x − y)/s^(a + 1) where s = 1 + ‖x − y‖²/(2a)"),
    Entry("polynomial kernel, mixed", _RASMUSSEN + ", 4.2",
          lambda y, x, c: 3 * (x @ y + c) ** 2 * y, {"y": "n", "x": "n", "c": "positive"}, "y",
          "3s²I + 6syxᵀ where s = xᵀy + c"),
    Entry("periodic kernel, anew", _RASMUSSEN + ", 4.2",
          lambda x, l: sg.exp(-2 * sg.sin(x / 2) ** 2 / l**2), {"x": "", "l": "positive"}, "x",
          None, "k(sin(x)²/l⁴ − cos(x)/l²) where k = exp(−2sin(x/2)²/l²)"),
)

ENTRIES = _REGRESSIONS + _RANDOM + _LATENT + _INFORMATION + _ECONOMETRICS + _LOSSES
