"""Second derivatives of random effects, survival, scores, information, econometrics, losses and normalisations.

Written before any was printed. Nearly half of the lines are Hessians.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off

_SEARLE = "Searle, Casella and McCulloch, Variance Components"
_MCCULLAGH = "McCullagh and Nelder, Generalized Linear Models"
_THERNEAU = "Therneau and Grambsch, Modeling Survival Data"
_COVER = "Cover and Thomas, Elements of Information Theory"
_HAYASHI = "Hayashi, Econometrics"
_ANSELIN = "Anselin, Spatial Econometrics"
_BARTHOLOMEW = "Bartholomew, Knott and Moustaki, Latent Variable Models"
_MURPHY = "Murphy, Probabilistic Machine Learning"
_GOODFELLOW = "Goodfellow, Bengio and Courville, Deep Learning"
_DATA = {"w": "n", "X": "m n"}


def _residual(Y, X, B):
    return Y - X @ B


def _covariance(d, L):
    return L @ L.T + sg.diag(d)


_EFFECTS = (
    Entry("mixed model in the random effects", _SEARLE + ", 7.6",
          lambda u, y, X, b, Z, D, s: ((y - X @ b - Z @ u) ** 2).sum() / (2 * s) + u @ D @ u / 2,
          {"u": "k", "y": "m", "X": "m n", "b": "n", "Z": "m k", "D": "k k symmetric", "s": "positive"}, "u",
          "Zᵀ(Xb + Zu − y)/s + Du", "ZᵀZ/s + D"),
    Entry("Poisson counts with random effects", _SEARLE + ", 10.3",
          lambda u, y, X, b, Z, D: (sg.exp(X @ b + Z @ u) - y * (Z @ u)).sum() + u @ D @ u / 2,
          {"u": "k", "y": "m integer", "X": "m n", "b": "n", "Z": "m k", "D": "k k symmetric"}, "u",
          None, "Zᵀ diag(exp(Xb + Zu)) Z + D"),
    Entry("trace of a design's inverse", _SEARLE + ", 11",
          lambda w, X: sg.trace(sg.linalg.inv(X.T @ sg.diag(w) @ X)), {"w": "m positive", "X": "m n"}, "w",
          "−diag(XM⁻²Xᵀ) where M = Xᵀ diag(w) X", "2XM⁻¹Xᵀ ⊙ XM⁻²Xᵀ where M = Xᵀ diag(w) X"),
    Entry("ridge evidence in the noise", _SEARLE + ", 8.3",
          lambda c, G, y: (sg.logdet(G + c * sg.eye(G.shape[0]))
                           + y @ sg.linalg.solve(G + c * sg.eye(G.shape[0]), y)) / 2,
          {"c": "positive", "G": "n n pd symmetric", "y": "n"}, "c",
          "(tr(M⁻¹) − ‖M⁻¹y‖²)/2 where M = G + cI", "yᵀM⁻³y − tr(M⁻²)/2 where M = G + cI"),
    Entry("log-determinant in logarithms of variances", _SEARLE + ", 6.2",
          lambda t, A: sg.logdet(sg.diag(sg.exp(t)) + A), {"t": "n", "A": "n n pd symmetric"}, "t",
          "u ⊙ diag(M⁻¹) where u = exp(t), M = diag(u) + A",
          "diag(u ⊙ diag(M⁻¹)) − uuᵀ ⊙ (M⁻¹)^∘2 where u = exp(t), M = diag(u) + A"),
    Entry("quadratic form of a ridge", _SEARLE + ", 8.3",
          lambda c, X, a: a @ sg.linalg.solve(X @ X.T + c * sg.eye(X.shape[0]), a),
          {"c": "positive", "X": "m n", "a": "m"}, "c",
          None, "2aᵀM⁻³a where M = XXᵀ + cI"),
    Entry("two variances of a mixed model", _SEARLE + ", 6.2",
          lambda v, A, B, y: y @ sg.linalg.solve(A + v * B, y),
          {"v": "positive", "A": "n n pd symmetric", "B": "n n pd symmetric", "y": "n"}, "v",
          "−zᵀBz where z = (A + vB)⁻¹y", "2zᵀBM⁻¹Bz where M = A + vB, z = M⁻¹y"),
)

_LINEAR_MODELS = (
    Entry("inverse Gaussian regression by logarithms", _MCCULLAGH + ", 8",
          lambda w, X, y: (y * sg.exp(-2 * (X @ w)) / 2 - sg.exp(-(X @ w))).sum(), {**_DATA, "y": "m positive"}, "w",
          "Xᵀ(exp(−z) − y ⊙ exp(−2z)) where z = Xw",
          "Xᵀ diag(2y ⊙ exp(−2z) − exp(−z)) X where z = Xw"),
    Entry("variance as a power of the mean", _MCCULLAGH + ", 9.2",
          lambda w, X, y, p: (sg.exp((2 - p) * (X @ w)) / (2 - p) - y * sg.exp((1 - p) * (X @ w)) / (1 - p)).sum(),
          {**_DATA, "y": "m positive", "p": "fraction"}, "w",
          "Xᵀ(exp((2 − p)z) − y ⊙ exp((1 − p)z)) where z = Xw",
          "Xᵀ diag((2 − p)exp((2 − p)z) − (1 − p)y ⊙ exp((1 − p)z)) X where z = Xw"),
    Entry("variances by a linear predictor", _MCCULLAGH + ", 10",
          lambda w, X, r: (X @ w + r**2 * sg.exp(-(X @ w))).sum() / 2, {**_DATA, "r": "m"}, "w",
          "Xᵀ(1 − r² ⊙ exp(−Xw))/2", "Xᵀ diag(r² ⊙ exp(−Xw)) X/2"),
    Entry("complementary log-log of one event", _MCCULLAGH + ", 4.3",
          lambda x: -sg.log(1 - sg.exp(-sg.exp(x))), {"x": ""}, "x",
          "−u/(exp(u) − 1) where u = exp(x)"),
    Entry("zeros in excess, again", _MCCULLAGH + ", 6",
          lambda r, p: -sg.log(p + (1 - p) * sg.exp(-r)), {"r": "positive", "p": "fraction"}, "r",
          "u/(p + u) where u = (1 − p)exp(−r)", "−pu/(p + u)² where u = (1 − p)exp(−r)"),
    Entry("abilities of Rasch", _BARTHOLOMEW + ", 4",
          lambda x, d, T: (sg.softplus(x[:, None] - d) - T * (x[:, None] - d)).sum(), {"x": "m", "d": "n", "T": "m n"},
          "x",
          None, "diag((P ⊙ (1 − P))𝟏) where P = σ(x𝟏ᵀ − 𝟏dᵀ)"),
    Entry("paired comparisons with weights", _BARTHOLOMEW + ", 4",
          lambda x, B, c: (c * sg.softplus(-(B @ x))).sum(), {"x": "n", "B": "m n", "c": "m positive"}, "x",
          "−Bᵀ(c ⊙ σ(−Bx))", "Bᵀ diag(c ⊙ p ⊙ (1 − p)) B where p = σ(Bx)"),
    Entry("discrimination of an item", _BARTHOLOMEW + ", 4",
          lambda a, b, x, y: (sg.softplus(a * (x - b)) - y * a * (x - b)).sum(),
          {"a": "", "b": "", "x": "m", "y": "m binary"}, "a",
          "(p − y)ᵀ(x − b) where p = σ(a(x − b))", "sum(p ⊙ (1 − p) ⊙ (x − b)²) where p = σ(a(x − b))"),
    Entry("expectiles made smooth", "Koenker, Quantile Regression, 2.4",
          lambda w, X, y, t, s: (t * (y - X @ w) + s * sg.softplus((X @ w - y) / s)).sum(),
          {**_DATA, "y": "m", "t": "fraction", "s": "positive"}, "w",
          "Xᵀ(σ((Xw − y)/s) − t)", "Xᵀ diag(p ⊙ (1 − p)) X/s where p = σ((Xw − y)/s)"),
    Entry("precision of a beta law", _MCCULLAGH + ", 10",
          lambda f, m: sg.lgamma(m * f) + sg.lgamma((1 - m) * f) - sg.lgamma(f), {"f": "positive", "m": "fraction"},
          "f",
          None, "m²polygamma(1, mf) + (1 − m)²polygamma(1, (1 − m)f) − polygamma(1, f)"),
)

_SURVIVAL = (
    Entry("Weibull hazards with covariates", _THERNEAU + ", 9",
          lambda w, X, t, d, a: (t**a * sg.exp(X @ w) - d * (X @ w)).sum(),
          {**_DATA, "t": "m positive", "d": "m binary", "a": "positive"}, "w",
          "Xᵀ(t^a ⊙ exp(Xw) − d)", "Xᵀ diag(t^a ⊙ exp(Xw)) X"),
    Entry("Weibull shape with censoring", _THERNEAU + ", 9",
          lambda a, t, c, d: (c * t**a - d * (sg.log(a) + a * sg.log(t))).sum(),
          {"a": "positive", "t": "m positive", "c": "m positive", "d": "m binary"}, "a",
          None, "cᵀ(t^a ⊙ log(t)²) + sum(d)/a²"),
    Entry("partial likelihood with a table of risk", _THERNEAU + ", 3",
          lambda w, X, R: (sg.log(R @ sg.exp(X @ w)) - X @ w).sum(), {**_DATA, "R": "m m positive"}, "w",
          "Xᵀ(e ⊙ Rᵀ(1/(Re)) − 1) where e = exp(Xw)",
          "Xᵀ(diag(e ⊙ Rᵀ(1/s)) − diag(e)Rᵀ diag(1/s²) R diag(e))X where e = exp(Xw), s = Re"),
    Entry("log-logistic times with a scale", _THERNEAU + ", 9",
          lambda w, X, y, s: (2 * sg.softplus((y - X @ w) / s) - (y - X @ w) / s).sum(),
          {**_DATA, "y": "m", "s": "positive"}, "w",
          "Xᵀ(1 − 2σ((y − Xw)/s))/s", "2Xᵀ diag(p ⊙ (1 − p)) X/s² where p = σ((y − Xw)/s)"),
    Entry("gamma frailty over covariates", _THERNEAU + ", 9.5",
          lambda w, X, H, v: sg.log(1 + v * H * sg.exp(X @ w)).sum() / v, {**_DATA, "H": "m positive", "v": "positive"},
          "w",
          None, "Xᵀ diag(u/(1 + vu)²) X where u = H ⊙ exp(Xw)"),
    Entry("Gompertz hazard in its rate", _THERNEAU + ", 9",
          lambda a, b, t: b * (sg.exp(a * t) - 1) / a, {"a": "positive", "b": "positive", "t": "positive"}, "a",
          "b(at exp(at) − exp(at) + 1)/a²"),
    Entry("intensities of a point process", "Daley and Vere-Jones, Point Processes, 7.2",
          lambda w, A, c, b: c @ w - sg.log(b + A @ w).sum(),
          {"w": "n positive", "A": "m n positive", "c": "n", "b": "positive"}, "w",
          "c − Aᵀ(1/(b + Aw))", "Aᵀ diag(1/(b + Aw)²) A"),
)

_INFORMATION = (
    Entry("entropy of a softmax, again", _COVER + ", 2.1",
          lambda x: -(sg.softmax(x, 0) * sg.log_softmax(x, 0)).sum(), {"x": "n"}, "x",
          "−p ⊙ (log(p) − pᵀlog(p)) where p = softmax(x)"),
    Entry("entropy of a channel's output", _COVER + ", 7.1",
          lambda x, A: -(A @ x * sg.log(A @ x)).sum(), {"x": "n positive", "A": "m n positive"}, "x",
          "−Aᵀ(log(Ax) + 1)", "−Aᵀ diag(1/(Ax)) A"),
    Entry("entropy of Tsallis, again", _COVER + ", 17",
          lambda x, q: (1 - (x**q).sum()) / (q - 1), {"x": "n positive", "q": "wide"}, "x",
          "−qx^(q − 1)/(q − 1)", "−q diag(x^(q − 2))"),
    Entry("entropy of Rényi", _COVER + ", 17",
          lambda x, a: sg.log((x**a).sum()) / (1 - a), {"x": "n positive", "a": "fraction"}, "x",
          "ax^(a − 1)/((1 − a)sum(x^a))",
          "−a diag(x^(a − 2))/s − a²qqᵀ/((1 − a)s²) where q = x^(a − 1), s = sum(x^a)"),
    Entry("divergence of Jensen and Shannon, again", _COVER + ", 17",
          lambda x, y: (x * sg.log(x) + y * sg.log(y) - (x + y) * sg.log((x + y) / 2)).sum(),
          {"x": "n positive", "y": "n positive"}, "x",
          "log(2x/(x + y))", "diag(y/(x ⊙ (x + y)))"),
    Entry("divergence of order a", _COVER + ", 17",
          lambda x, y, a: (y**a * x ** (1 - a)).sum() / (a - 1),
          {"x": "n positive", "y": "n positive", "a": "fraction"}, "x",
          "−(y/x)^a", "a diag(y^a/x^(a + 1))"),
    Entry("cross-entropy of a softmax with weights", _COVER + ", 2.3",
          lambda x, a: -(a @ sg.log_softmax(x, 0)), {"x": "n", "a": "n positive"}, "x",
          "sum(a)softmax(x) − a", "sum(a)(diag(p) − ppᵀ) where p = softmax(x)"),
    Entry("flatness of a spectrum", _COVER + ", 12",
          lambda x: sg.log(x).mean() - sg.log(x.mean()), {"x": "n positive"}, "x",
          "1/(nx) − 1/sum(x)", "𝟏𝟏ᵀ/sum(x)² − diag(1/x²)/n"),
    Entry("power over parallel channels", _COVER + ", 9.4",
          lambda x, h, s: sg.log(1 + h * x / s).sum(), {"x": "n positive", "h": "n positive", "s": "n positive"}, "x",
          "h/(s + h ⊙ x)", "−diag(h²/(s + h ⊙ x)²)"),
    Entry("partition function in the inverse temperature", _COVER + ", 12.1",
          lambda b, e: sg.logsumexp(-b * e, 0), {"b": "positive", "e": "n"}, "b",
          "−eᵀsoftmax(−be)", "pᵀe² − (pᵀe)² where p = softmax(−be)"),
)

_ECONOMETRICS = (
    Entry("moments with instruments", _HAYASHI + ", 3.4",
          lambda b, X, y, Z, W: (Z.T @ (y - X @ b)) @ W @ (Z.T @ (y - X @ b)) / 2,
          {"b": "n", "X": "m n", "y": "m", "Z": "m k", "W": "k k symmetric"}, "b",
          "XᵀZWZᵀ(Xb − y)", "XᵀZWZᵀX"),
    Entry("variances that depend on one past square", _HAYASHI + ", 8",
          lambda a, c, x, y: (sg.log(c + a * x) + y / (c + a * x)).sum() / 2,
          {"a": "positive", "c": "positive", "x": "m positive", "y": "m positive"}, "a",
          "sum(x ⊙ (h − y)/h²)/2 where h = c + ax", "sum(x² ⊙ (2y − h)/h³)/2 where h = c + ax"),
    Entry("concentrated likelihood of several equations", _HAYASHI + ", 8.5",
          lambda B, X, Y: sg.logdet(_residual(Y, X, B).T @ _residual(Y, X, B)) / 2,
          {"B": "n k", "X": "m n", "Y": "m k"}, "B",
          "−XᵀE(EᵀE)⁻¹ where E = Y − XB"),
    Entry("several equations with a known precision", _HAYASHI + ", 4.5",
          lambda B, X, Y, P: sg.trace(P @ _residual(Y, X, B).T @ _residual(Y, X, B)) / 2,
          {"B": "n k", "X": "m n", "Y": "m k", "P": "k k symmetric"}, "B",
          "Xᵀ(XB − Y)P", "XᵀX ⊗ P"),
    Entry("log-determinant of a spatial lag", _ANSELIN + ", 6.2",
          lambda r, W: -sg.logdet(sg.eye(W.shape[0]) - r * W), {"r": "fraction", "W": "n n symmetric"}, "r",
          "tr((I − rW)⁻¹W)", "tr(MWMW) where M = (I − rW)⁻¹"),
    Entry("spatial lag of the errors", _ANSELIN + ", 6.2",
          lambda b, X, y, W, r: ((y - X @ b - r * (W @ (y - X @ b))) ** 2).sum() / 2,
          {"b": "n", "X": "m n", "y": "m", "W": "m m", "r": "fraction"}, "b",
          None, "XᵀMᵀMX where M = I − rW"),
    Entry("transformation of Box and Cox", _HAYASHI + ", 8",
          lambda r, y: (y**r - 1) / r, {"r": "positive", "y": "positive"}, "r",
          "(ry^r log(y) − y^r + 1)/r²"),
    Entry("discounted resolvent", _ANSELIN + ", 6.2",
          lambda c, W, a, b: a @ sg.linalg.solve(sg.eye(W.shape[0]) - c * W, b),
          {"c": "fraction", "W": "n n symmetric", "a": "n", "b": "n"}, "c",
          "aᵀMWMb where M = (I − cW)⁻¹", "2aᵀMWMWMb where M = (I − cW)⁻¹"),
    Entry("uniquenesses of factors", _BARTHOLOMEW + ", 3",
          lambda d, L, S: (sg.logdet(_covariance(d, L)) + sg.trace(sg.linalg.solve(_covariance(d, L), S))) / 2,
          {"d": "n positive", "L": "n k", "S": "n n pd symmetric"}, "d",
          "diag(P − PSP)/2 where P = (LLᵀ + diag(d))⁻¹",
          "P ⊙ PSP − P^∘2/2 where P = (LLᵀ + diag(d))⁻¹"),
    Entry("ratio of a loss and a linear form", _HAYASHI + ", 8.6",
          lambda x, A, b, c: ((A @ x - b) ** 2).sum() / (c @ x),
          {"x": "n positive", "A": "m n", "b": "m", "c": "n positive"}, "x",
          "2Aᵀr/s − ‖r‖²c/s² where r = Ax − b, s = cᵀx",
          "2AᵀA/s − 2(Aᵀrcᵀ + crᵀA)/s² + 2‖r‖²ccᵀ/s³ where r = Ax − b, s = cᵀx"),
)

_LOSSES = (
    Entry("focal loss", _MURPHY + ", 10",
          lambda x, g: -((1 - sg.sigmoid(x)) ** g) * sg.log(sg.sigmoid(x)), {"x": "", "g": "positive"}, "x",
          "gp(1 − p)^g log(p) − (1 − p)^(g + 1) where p = σ(x)"),
    Entry("contrast with a temperature", _MURPHY + ", 19",
          lambda x, Y, y, t: sg.logsumexp(Y @ x / t, 0) - y @ x / t, {"x": "n", "Y": "m n", "y": "n", "t": "positive"},
          "x",
          "(Yᵀsoftmax(Yx/t) − y)/t", "Yᵀ(diag(p) − ppᵀ)Y/t² where p = softmax(Yx/t)"),
    Entry("preferences between pairs", _MURPHY + ", 19",
          lambda w, X, Y, b: sg.softplus(-b * ((X - Y) @ w)).sum(), {**_DATA, "Y": "m n", "b": "positive"}, "w",
          None, "b²Dᵀ diag(p ⊙ (1 − p)) D where D = X − Y, p = σ(bDw)"),
    Entry("linear form of a vector over its root mean square", _GOODFELLOW + ", 8.7",
          lambda x, a: a @ x / sg.sqrt((x**2).mean()), {"x": "n", "a": "n"}, "x",
          "a/s − aᵀx x/(ns³) where s = √(‖x‖²/n)"),
    Entry("swish, again", _GOODFELLOW + ", 6.3",
          lambda x: (x * sg.sigmoid(x)).sum(), {"x": "n"}, "x",
          "p + x ⊙ p ⊙ (1 − p) where p = σ(x)", "diag(p ⊙ (1 − p) ⊙ (2 + x ⊙ (1 − 2p))) where p = σ(x)"),
    Entry("Gaussian error unit", _GOODFELLOW + ", 6.3",
          lambda x: x * sg.special.ndtr(x), {"x": ""}, "x",
          "Φ(x) + xφ(x)", "(2 − x²)φ(x)"),
    Entry("attention over fixed values", _MURPHY + ", 15.4",
          lambda x, Y, a: a @ sg.softmax(Y @ x, 0), {"x": "n", "Y": "m n", "a": "m"}, "x",
          "Yᵀ(p ⊙ (a − aᵀp)) where p = softmax(Yx)",
          "Yᵀ(diag(q) − pqᵀ − qpᵀ)Y where p = softmax(Yx), q = p ⊙ (a − aᵀp)"),
    Entry("bell in its width", _MURPHY + ", 17.1",
          lambda h, x, y: sg.exp(-((x - y) ** 2).sum() / (2 * h**2)), {"h": "positive", "x": "n", "y": "n"}, "h",
          "‖x − y‖²exp(−‖x − y‖²/(2h²))/h³", "(q²/h⁶ − 3q/h⁴)exp(−q/(2h²)) where q = ‖x − y‖²"),
    Entry("periodic kernel", _MURPHY + ", 17.1",
          lambda x, h: sg.exp(-2 * sg.sin(x) ** 2 / h**2), {"x": "", "h": "positive"}, "x",
          "−2sin(2x)exp(−2sin(x)²/h²)/h²"),
    Entry("divergence of Gaussians in log-variances", _MURPHY + ", 20.3",
          lambda t, m: (sg.exp(t) + m**2 - 1 - t).sum() / 2, {"t": "n", "m": "n"}, "t",
          "(exp(t) − 1)/2", "diag(exp(t))/2"),
    Entry("negative samples", _MURPHY + ", 20.5",
          lambda x, u, V: sg.softplus(-(u @ x)) + sg.softplus(V @ x).sum(), {"x": "n", "u": "n", "V": "m n"}, "x",
          "Vᵀσ(Vx) − σ(−uᵀx)u", "p(1 − p)uuᵀ + Vᵀ diag(q ⊙ (1 − q)) V where p = σ(uᵀx), q = σ(Vx)"),
    Entry("energy of a dense memory", _MURPHY + ", 15.4",
          lambda x, Y, b: (x @ x) / 2 - sg.logsumexp(b * (Y @ x), 0) / b, {"x": "n", "Y": "m n", "b": "positive"}, "x",
          "x − Yᵀsoftmax(bYx)", "I − bYᵀ(diag(p) − ppᵀ)Y where p = softmax(bYx)"),
    Entry("free energy of a restricted machine", _GOODFELLOW + ", 20.2",
          lambda x, W, a, b: -(a @ x) - sg.softplus(b + W @ x).sum(), {"x": "n", "W": "m n", "a": "n", "b": "m"}, "x",
          "−a − Wᵀσ(b + Wx)", "−Wᵀ diag(p ⊙ (1 − p)) W where p = σ(b + Wx)"),
    Entry("mixture of bells in the point", _MURPHY + ", 8.7",
          lambda x, Y: -sg.logsumexp(-((x - Y) ** 2).sum(1) / 2, 0), {"x": "n", "Y": "m n"}, "x",
          "x − Yᵀsoftmax(−R^∘2 𝟏/2) where R = 𝟏xᵀ − Y",
          "I − Yᵀ(diag(p) − ppᵀ)Y where R = 𝟏xᵀ − Y, p = softmax(−R^∘2 𝟏/2)"),
)

ENTRIES = _EFFECTS + _LINEAR_MODELS + _SURVIVAL + _INFORMATION + _ECONOMETRICS + _LOSSES
