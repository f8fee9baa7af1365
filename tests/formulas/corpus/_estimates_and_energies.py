"""Estimates, factors, Gaussian models, points on graphs, plants, light, channels, networks and matrices once more.

Written before any was printed. More than half of the lines are Hessians or Jacobians of an array; the sums over pairs
of rows of a matrix are written as layouts of graphs are.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_HUBER = "Huber and Ronchetti, Robust Statistics"
_MCCULLAGH = "McCullagh and Nelder, Generalized Linear Models"
_GREENE = "Greene, Econometric Analysis"
_VARIAN = "Varian, Microeconomic Analysis"
_KOREN = "Koren, Bell and Volinsky 2009, Matrix factorization techniques"
_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_RASMUSSEN = "Rasmussen and Williams, Gaussian Processes for Machine Learning"
_BORG = "Borg and Groenen, Modern Multidimensional Scaling"
_NEWMAN = "Newman, Networks"
_SPONG = "Spong, Hutchinson and Vidyasagar, Robot Modeling and Control"
_ANDERSON = "Anderson and Moore, Optimal Control"
_HECHT = "Hecht, Optics"
_CALLEN = "Callen, Thermodynamics"
_COVER = "Cover and Thomas, Elements of Information Theory"
_GOODFELLOW = "Goodfellow, Bengio and Courville, Deep Learning"
_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_MURRAY = "Murray, Mathematical Biology"
_RESIDUAL = {"w": "n", "X": "m n", "y": "m"}
_POINTS = {"X": "n k", "W": "n n symmetric"}
_FACTORS = {"U": "m k", "V": "n k", "T": "m n"}
_FORM = {"x": "n", "P": "n n pd symmetric"}


def _squares(X):
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(2)


def _shares(u):
    return sg.softmax(u, 0)


_REGRESSION = (
    Entry("loss of Cauchy", _HUBER + ", 7",
          lambda w, X, y, c: sg.log(1 + ((X @ w - y) / c) ** 2).sum(), {**_RESIDUAL, "c": "positive"}, "w",
          "2Xᵀ(r/(c² + r²)) where r = Xw − y", "2Xᵀ diag((c² − r²)/(c² + r²)²) X where r = Xw − y"),
    Entry("loss of Geman and McClure", _HUBER + ", 7",
          lambda w, X, y, c: ((X @ w - y) ** 2 / (c + (X @ w - y) ** 2)).sum(), {**_RESIDUAL, "c": "positive"}, "w",
          "2cXᵀ(r/(c + r²)²) where r = Xw − y", "2cXᵀ diag((c − 3r²)/(c + r²)³) X where r = Xw − y"),
    Entry("loss of Welsch", _HUBER + ", 7",
          lambda w, X, y: (1 - sg.exp(-((X @ w - y) ** 2) / 2)).sum(), _RESIDUAL, "w",
          "Xᵀ(r ⊙ exp(−r²/2)) where r = Xw − y", "Xᵀ diag((1 − r²) ⊙ exp(−r²/2)) X where r = Xw − y"),
    Entry("counts with overdispersion", _MCCULLAGH + ", 6",
          lambda w, X, y, a: (y + a) @ sg.log(a + sg.exp(X @ w)) - y @ (X @ w),
          {"w": "n", "X": "m n", "y": "m integer", "a": "positive"}, "w",
          "aXᵀ((u − y)/(a + u)) where u = exp(Xw)", "aXᵀ diag(u ⊙ (a + y)/(a + u)²) X where u = exp(Xw)"),
    Entry("prior about a guess", _GREENE + ", 16",
          lambda w, X, y, v, K: ((X @ w - y) ** 2).sum() + (w - v) @ K @ (w - v),
          {**_RESIDUAL, "v": "n", "K": "n n symmetric"}, "w",
          "2Xᵀ(Xw − y) + 2K(w − v)", "2(XᵀX + K)"),
    Entry("moments of instruments", _GREENE + ", 13",
          lambda b, X, y, Z, W: (Z.T @ (y - X @ b)) @ W @ (Z.T @ (y - X @ b)) / 2,
          {"b": "k", "X": "m k", "y": "m", "Z": "m n", "W": "n n symmetric"}, "b",
          "XᵀZWZᵀ(Xb − y)", "XᵀZWZᵀX"),
    Entry("profile of the variance", _GREENE + ", 14",
          lambda w, X, y: X.shape[0] / 2 * sg.log(((X @ w - y) ** 2).sum()), _RESIDUAL, "w",
          "mXᵀr/‖r‖² where r = Xw − y", "mXᵀX/s − 2mXᵀrrᵀX/s² where r = Xw − y, s = ‖r‖²"),
    Entry("two equations with one slope", _GREENE + ", 10",
          lambda w, X, y, Z, z, a: ((X @ w - y) ** 2).sum() / 2 + a * ((Z @ w - z) ** 2).sum() / 2,
          {**_RESIDUAL, "Z": "k n", "z": "k", "a": "positive"}, "w",
          "Xᵀ(Xw − y) + aZᵀ(Zw − z)", "XᵀX + aZᵀZ"),
)

_ECONOMICS = (
    Entry("output with constant elasticity", _VARIAN + ", 1.13",
          lambda x, y, a, r: (a * x**r + (1 - a) * y**r) ** (1 / r),
          {"x": "positive", "y": "positive", "a": "fraction", "r": "fraction"}, "x",
          "ax^(r − 1)(ax^r + (1 − a)y^r)^(1/r − 1)"),
    Entry("output of many inputs", _VARIAN + ", 1",
          lambda x, a: sg.exp(a @ sg.log(x)), {"x": "n positive", "a": "n positive"}, "x",
          "exp(aᵀlog(x))a/x", "f(uuᵀ − diag(a/x²)) where f = exp(aᵀlog(x)), u = a/x"),
    Entry("needs above subsistence", _VARIAN + ", 7",
          lambda x, a, c: a @ sg.log(x - c), {"x": "n wide", "a": "n positive", "c": "n fraction"}, "x",
          "a/(x − c)", "−diag(a/(x − c)²)"),
    Entry("inclusive value with a scale", "Train, Discrete Choice Methods, 4",
          lambda u, a: a * sg.logsumexp(u / a, 0), {"u": "n", "a": "positive"}, "u",
          "softmax(u/a)", "(diag(p) − ppᵀ)/a where p = softmax(u/a)"),
    Entry("contributions to risk", "Roncalli, Risk Parity and Budgeting, 2",
          lambda x, P: x * (P @ x) / sg.sqrt(x @ P @ x), _FORM, "x",
          "(diag(Px) + diag(x)P)/s − (x ⊙ Px)xᵀP/s³ where s = √(xᵀPx)"),
    Entry("ratio of diversification", "Roncalli, Risk Parity and Budgeting, 3",
          lambda x, s, P: s @ x / sg.sqrt(x @ P @ x), {**_FORM, "s": "n positive"}, "x",
          "s/v − sᵀx Px/v³ where v = √(xᵀPx)"),
    Entry("portfolio with costs of trading", "Grinold and Kahn, Active Portfolio Management, 14",
          lambda x, y, u, P, g, c: u @ x - g / 2 * x @ P @ x - c * ((x - y) ** 2).sum(),
          {**_FORM, "y": "n", "u": "n", "g": "positive", "c": "positive"}, "x",
          "u − gPx − 2c(x − y)", "−gP − 2cI"),
    Entry("growth with weights of states", "Thorp 2006, The Kelly criterion",
          lambda x, R, p, b: p @ sg.log(b + R @ x), {"x": "n positive", "R": "m n positive", "p": "m", "b": "positive"},
          "x",
          "Rᵀ(p/(b + Rx))", "−Rᵀ diag(p/(b + Rx)²) R"),
)

_FACTORISATION = (
    Entry("counts by factors in logarithms", _KOREN,
          lambda U, V, T: (sg.exp(U @ V.T) - T * (U @ V.T)).sum(), _FACTORS, "U",
          "(exp(UVᵀ) − T)V"),
    Entry("factors that two tables share", "Singh and Gordon 2008, Collective matrix factorization",
          lambda U, V, T, Z, S: ((T - U @ V.T) ** 2).sum() + ((S - U @ Z.T) ** 2).sum(),
          {**_FACTORS, "Z": "p k", "S": "m p"}, "U",
          "2(UVᵀ − T)V + 2(UZᵀ − S)Z", "2I ⊗ (VᵀV + ZᵀZ)"),
    Entry("factors that are smooth on a graph", "Cai et al. 2011, Graph regularized factorization",
          lambda U, V, T, L: (((T - U @ V.T) ** 2).sum() + sg.trace(U.T @ L @ U)) / 2,
          {**_FACTORS, "L": "m m symmetric"}, "U",
          "(UVᵀ − T)V + LU", "I ⊗ VᵀV + L ⊗ I"),
    Entry("symmetric matrix of rank one", _KOREN,
          lambda x, A: ((A - sg.outer(x, x)) ** 2).sum() / 4, {"x": "n", "A": "n n symmetric"}, "x",
          "‖x‖²x − Ax", "2xxᵀ + ‖x‖²I − A"),
    Entry("core between columns and rows", "Mahoney and Drineas 2009, CUR matrix decompositions",
          lambda X, A, C, R: ((A - C @ X @ R) ** 2).sum() / 2,
          {"X": "k p", "A": "m n", "C": "m k", "R": "p n"}, "X",
          "Cᵀ(CXR − A)Rᵀ", "CᵀC ⊗ RRᵀ"),
    Entry("residual weighted between rows", _KOREN,
          lambda U, V, T, W: sg.trace((T - U @ V.T).T @ W @ (T - U @ V.T)), {**_FACTORS, "W": "m m symmetric"}, "U",
          "2W(UVᵀ − T)V", "2W ⊗ VᵀV"),
)

_GAUSSIAN = (
    Entry("regression with a precision in the map", _BISHOP + ", 3.1",
          lambda W, P, x, y: (y - W @ x) @ P @ (y - W @ x) / 2,
          {"W": "n k", "P": "n n pd symmetric", "x": "k", "y": "n"}, "W",
          "P(Wx − y)xᵀ", "P ⊗ xxᵀ"),
    Entry("noise of a Gaussian process", _RASMUSSEN + ", 5.4",
          lambda v, K, y: (y @ sg.linalg.solve(K + v * sg.eye(K.shape[0]), y)
                           + sg.logdet(K + v * sg.eye(K.shape[0]))) / 2,
          {"v": "positive", "K": "n n pd symmetric", "y": "n"}, "v",
          "(tr(M⁻¹) − yᵀM⁻²y)/2 where M = K + vI", "yᵀM⁻³y − tr(M⁻²)/2 where M = K + vI"),
    Entry("gain by the covariance after it", _ANDERSON + ", 8",
          lambda K, C, P, R: sg.trace((sg.eye(P.shape[0]) - K @ C) @ P @ (sg.eye(P.shape[0]) - K @ C).T
                                      + K @ R @ K.T),
          {"K": "n k", "C": "k n", "P": "n n pd symmetric", "R": "k k pd symmetric"}, "K",
          "2K(CPCᵀ + R) − 2PCᵀ", "2I ⊗ (CPCᵀ + R)"),
    Entry("likelihood of Student with a precision", _BISHOP + ", 2.3",
          lambda x, P, v: (v + x.shape[0]) / 2 * sg.log(1 + x @ P @ x / v), {**_FORM, "v": "positive"}, "x",
          "(n + v)Px/(v + xᵀPx)", "(n + v)(P/s − 2PxxᵀP/s²) where s = v + xᵀPx"),
    Entry("mixture along a line", _BISHOP + ", 9.2",
          lambda x, a, m: -sg.logsumexp(a - (x - m) ** 2 / 2, 0), {"x": "", "a": "n", "m": "n"}, "x",
          "x − mᵀp where p = softmax(a − (x − m)²/2)",
          "1 + (mᵀp)² − (m²)ᵀp where p = softmax(a − (x − m)²/2)"),
    Entry("posterior of a logistic model", _BISHOP + ", 4.5",
          lambda w, X, t, m, P: sg.softplus(X @ w).sum() - t @ (X @ w) + (w - m) @ P @ (w - m) / 2,
          {"w": "n", "X": "m n", "t": "m binary", "m": "n", "P": "n n pd symmetric"}, "w",
          "Xᵀ(σ(Xw) − t) + P(w − m)", "Xᵀ diag(p ⊙ (1 − p)) X + P where p = σ(Xw)"),
    Entry("divergence in logarithms of variances", _BISHOP + ", 10.1",
          lambda s, a: (sg.exp(s) / a - s + sg.log(a)).sum() / 2, {"s": "n", "a": "n positive"}, "s",
          "(exp(s)/a − 1)/2", "diag(exp(s)/a)/2"),
    Entry("precision of many observations", _BISHOP + ", 2.3",
          lambda P, X: sg.trace(X @ P @ X.T) / 2 - X.shape[0] / 2 * sg.logdet(P),
          {"P": "n n pd symmetric", "X": "m n"}, "P",
          "(XᵀX − mP⁻¹)/2", "mP⁻¹ ⊗ P⁻¹/2"),
)

_GRAPHS = (
    Entry("map of Laplacian eigenvectors", "Belkin and Niyogi 2003, Laplacian eigenmaps",
          lambda X, W: (W * _squares(X)).sum() / 2, _POINTS, "X",
          "2(diag(W𝟏) − W)X", "2(diag(W𝟏) − W) ⊗ I"),
    Entry("stress of squared distances", _BORG + ", 11.2",
          lambda X, W: ((_squares(X) - W) ** 2).sum() / 8, _POINTS, "X",
          "(diag(C𝟏) − C)X where C[i,j] = Σₗ (X[i,l] − X[j,l])² − W[i,j]"),
    Entry("attraction with heavy tails", "van der Maaten and Hinton 2008, Visualizing data using t-SNE",
          lambda X, W: (W * sg.log(1 + _squares(X))).sum() / 4, _POINTS, "X",
          "(diag(C𝟏) − C)X where C[i,j] = W[i,j]/(1 + Σₗ (X[i,l] − X[j,l])²)"),
    Entry("repulsion by bells", "van der Maaten and Hinton 2008, Visualizing data using t-SNE",
          lambda X: sg.exp(-_squares(X) / 2).sum() / 2, {"X": "n k"}, "X",
          "(C − diag(C𝟏))X where C[i,j] = exp(−Σₗ (X[i,l] − X[j,l])²/2)"),
    Entry("repulsion with heavy tails", "van der Maaten and Hinton 2008, Visualizing data using t-SNE",
          lambda X: (1 / (1 + _squares(X))).sum() / 2, {"X": "n k"}, "X",
          "2(C − diag(C𝟏))X where C[i,j] = 1/(1 + Σₗ (X[i,l] − X[j,l])²)²"),
    Entry("springs with a softened length", "Fruchterman and Reingold 1991, Graph drawing",
          lambda X, W, a: (W * sg.sqrt(a + _squares(X))).sum() / 2, {**_POINTS, "a": "positive"}, "X",
          "(diag(C𝟏) − C)X where C[i,j] = W[i,j]/√(a + Σₗ (X[i,l] − X[j,l])²)"),
    Entry("variation of fourth order by differences", "Grady and Polimeni, Discrete Calculus, 5.2",
          lambda x, W: (W * (x[:, None] - x[None, :]) ** 4).sum() / 8, {"x": "n", "W": "n n symmetric"}, "x",
          "(W ⊙ (x𝟏ᵀ − 𝟏xᵀ)^∘3)𝟏", "3(diag(S𝟏) − S) where S = W ⊙ (x𝟏ᵀ − 𝟏xᵀ)^∘2"),
    Entry("couplings that saturate", _NEWMAN + ", 18",
          lambda x, W: (W * sg.log(sg.cosh(x[:, None] - x[None, :]))).sum() / 2, {"x": "n", "W": "n n symmetric"}, "x",
          "(W ⊙ tanh(x𝟏ᵀ − 𝟏xᵀ))𝟏", "diag(S𝟏) − S where S = W ⊙ (1 − tanh(x𝟏ᵀ − 𝟏xᵀ)^∘2)"),
    Entry("opinions with stubborn ones", "Friedkin and Johnsen 1990, Social influence and opinions",
          lambda x, W, a, y: ((x - W @ x) ** 2).sum() / 2 + a @ (x - y) ** 2 / 2,
          {"x": "n", "W": "n n", "a": "n positive", "y": "n"}, "x",
          "(I − W)ᵀ(x − Wx) + a ⊙ (x − y)", "(I − W)ᵀ(I − W) + diag(a)"),
    Entry("score of a relation", "Yang et al. 2015, Embedding entities and relations",
          lambda a, r, b: sg.softplus(-(a * r * b).sum()), {"a": "n", "r": "n", "b": "n"}, "a",
          "−σ(−u)(r ⊙ b) where u = aᵀ(r ⊙ b)", "σ(s)(1 − σ(s))uuᵀ where u = r ⊙ b, s = aᵀu"),
)

_CONTROL = (
    Entry("cost of one step ahead", _ANDERSON + ", 2",
          lambda u, x, A, B, P, R: (A @ x + B @ u) @ P @ (A @ x + B @ u) + u @ R @ u,
          {"u": "k", "x": "n", "A": "n n", "B": "n k", "P": "n n symmetric", "R": "k k symmetric"}, "u",
          "2(BᵀP(Ax + Bu) + Ru)", "2(BᵀPB + R)"),
    Entry("energy of a swing towards a level", _SPONG + ", 8",
          lambda q, w, e: (w**2 / 2 - sg.cos(q) - e) ** 2 / 2, {"q": "", "w": "", "e": ""}, "q",
          "(w²/2 − cos(q) − e)sin(q)", "sin(q)² + (w²/2 − cos(q) − e)cos(q)"),
    Entry("obstacle with a range", _SPONG + ", 5.2",
          lambda x, y, d: (1 / sg.linalg.norm(x - y) - 1 / d) ** 2 / 2, {"x": "n", "y": "n", "d": "positive"}, "x",
          "(1/d − 1/s)r/s³ where r = x − y, s = ‖r‖"),
    Entry("rod between two points", _SPONG + ", 5",
          lambda x, y, d: (sg.linalg.norm(x - y) - d) ** 2 / 2, {"x": "n", "y": "n", "d": "positive"}, "x",
          "(1 − d/‖r‖)r where r = x − y", "(1 − d/s)I + drrᵀ/s³ where r = x − y, s = ‖r‖"),
    Entry("manipulability", _SPONG + ", 4.12",
          lambda J: sg.sqrt(sg.linalg.det(J @ J.T)), {"J": "k n"}, "J",
          "√det(JJᵀ) (JJᵀ)⁻¹J"),
    Entry("reach of an arm with two links", _SPONG + ", 1",
          lambda q, a, b: a**2 + b**2 + 2 * a * b * sg.cos(q), {"q": "", "a": "positive", "b": "positive"}, "q",
          "−2ab sin(q)", "−2ab cos(q)"),
    Entry("alignment of points by a matrix", _SPONG + ", 2",
          lambda R, t, X, Y: ((X @ R.T + t - Y) ** 2).sum() / 2, {"R": "n n", "t": "n", "X": "m n", "Y": "m n"}, "R",
          "(RXᵀ + t𝟏ᵀ − Yᵀ)X", "I ⊗ XᵀX"),
)

_PHYSICS = (
    Entry("path through two media, once more", _HECHT + ", 4.5",
          lambda x, a, b, d, p, q: p * sg.sqrt(a**2 + x**2) + q * sg.sqrt(b**2 + (d - x) ** 2),
          {"x": "positive", "a": "positive", "b": "positive", "d": "wide", "p": "positive", "q": "positive"}, "x",
          "px/√(a² + x²) − q(d − x)/√(b² + (d − x)²)",
          "a²p/(a² + x²)^(3/2) + b²q/(b² + (d − x)²)^(3/2)"),
    Entry("transmission between mirrors", _HECHT + ", 9.6",
          lambda x, f: 1 / (1 + f * sg.sin(x / 2) ** 2), {"x": "", "f": "positive"}, "x",
          "−f sin(x)/(2(1 + f sin(x/2)²)²)"),
    Entry("beats of two beams in one's strength", _HECHT + ", 9.1",
          lambda a, b, x: a + b + 2 * sg.sqrt(a * b) * sg.cos(x), {"a": "positive", "b": "positive", "x": ""}, "a",
          "1 + √(b/a) cos(x)", "−√(b/a) cos(x)/(2a)"),
    Entry("line of Lorentz", _HECHT + ", 3.5",
          lambda x, c, g: g / ((x - c) ** 2 + g**2), {"x": "", "c": "", "g": "positive"}, "x",
          "−2g(x − c)/((x − c)² + g²)²", "2g(3(x − c)² − g²)/((x − c)² + g²)³"),
    Entry("gas of van der Waals", _CALLEN + ", 3.5",
          lambda v, r, t, a, b: r * t / (v - b) - a / v**2,
          {"v": "wide", "r": "positive", "t": "positive", "a": "positive", "b": "fraction"}, "v",
          "2a/v³ − rt/(v − b)²", "2rt/(v − b)³ − 6a/v⁴"),
    Entry("energy of a fast particle", "Goldstein, Classical Mechanics, 7",
          lambda p, m: sg.sqrt(p @ p + m**2), {"p": "n", "m": "positive"}, "p",
          "p/√(‖p‖² + m²)", "I/e − ppᵀ/e³ where e = √(‖p‖² + m²)"),
    Entry("growth of Gompertz", _MURRAY + ", 1",
          lambda t, a, b, c: a * sg.exp(-b * sg.exp(-c * t)),
          {"t": "", "a": "positive", "b": "positive", "c": "positive"}, "t",
          "abc exp(−ct − b exp(−ct))", "ac²u(u − 1)exp(−u) where u = b exp(−ct)"),
    Entry("enzyme that its substrate inhibits", _MURRAY + ", 6",
          lambda x, v, k, i: v * x / (k + x + x**2 / i),
          {"x": "positive", "v": "positive", "k": "positive", "i": "positive"}, "x",
          "v(k − x²/i)/(k + x + x²/i)²"),
)

_INFORMATION = (
    Entry("entropy of shares", _COVER + ", 2",
          lambda u: -(_shares(u) * sg.log(_shares(u))).sum(), {"u": "n"}, "u",
          "p ⊙ (pᵀlog(p) − log(p)) where p = softmax(u)"),
    Entry("channel in its input", _COVER + ", 7",
          lambda x, P, c: -(P.T @ x) @ sg.log(P.T @ x) - c @ x,
          {"x": "n positive", "P": "n k positive", "c": "n"}, "x",
          "−P(log(Pᵀx) + 1) − c", "−P diag(1/Pᵀx) Pᵀ"),
    Entry("entropy of Rényi, once more", _COVER + ", 17",
          lambda p, a: sg.log((p**a).sum()) / (1 - a), {"p": "n positive", "a": "fraction"}, "p",
          "ap^(a − 1)/((1 − a)sum(p^a))"),
    Entry("divergence to the mean of two", "Lin 1991, Divergence measures based on the Shannon entropy",
          lambda p, q: p @ sg.log(2 * p / (p + q)) + q @ sg.log(2 * q / (p + q)),
          {"p": "n positive", "q": "n positive"}, "p",
          "log(2p/(p + q))", "diag(q/(p ⊙ (p + q)))"),
    Entry("powers of parallel channels", _COVER + ", 9.4",
          lambda p, g, v: sg.log(1 + g * p).sum() - v * p.sum(), {"p": "n positive", "g": "n positive", "v": ""}, "p",
          "g/(1 + g ⊙ p) − v", "−diag(g²/(1 + g ⊙ p)²)"),
    Entry("capacity of many antennas in the channel", "Telatar 1999, Capacity of multi-antenna channels",
          lambda H, Q: sg.logdet(sg.eye(H.shape[0]) + H @ Q @ H.T), {"H": "m n", "Q": "n n pd symmetric"}, "H",
          "2(I + HQHᵀ)⁻¹HQ"),
    Entry("capacity of many antennas in the powers", "Telatar 1999, Capacity of multi-antenna channels",
          lambda p, H: sg.logdet(sg.eye(H.shape[0]) + H @ sg.diag(p) @ H.T), {"p": "n positive", "H": "m n"}, "p",
          "diag(HᵀM⁻¹H) where M = I + H diag(p) Hᵀ", "−(HᵀM⁻¹H)^∘2 where M = I + H diag(p) Hᵀ"),
)

_NETWORKS = (
    Entry("one hidden layer read by a vector", _GOODFELLOW + ", 6",
          lambda W, v, x: v @ sg.tanh(W @ x), {"W": "n k", "v": "n", "x": "k"}, "W",
          "(v ⊙ (1 − tanh(Wx)²))xᵀ", "−2 diag(v ⊙ t ⊙ (1 − t²)) ⊗ xxᵀ where t = tanh(Wx)"),
    Entry("linear unit with a gate", "Dauphin et al. 2017, Language modeling with gated convolutional networks",
          lambda x, W, V: sg.sigmoid(W @ x) * (V @ x), {"x": "n", "W": "k n", "V": "k n"}, "x",
          "diag(p)V + diag(p ⊙ (1 − p) ⊙ Vx)W where p = σ(Wx)"),
    Entry("normalised by its root mean square", "Zhang and Sennrich 2019, Root mean square layer normalization",
          lambda x, e: x / sg.sqrt(x @ x + e), {"x": "n", "e": "positive"}, "x",
          "I/s − xxᵀ/s³ where s = √(‖x‖² + e)"),
    Entry("contrast against negatives", "van den Oord, Li and Vinyals 2018, Contrastive predictive coding",
          lambda x, Z, y, t: sg.logsumexp(Z @ x / t, 0) - x @ y / t,
          {"x": "n", "Z": "m n", "y": "n", "t": "positive"}, "x",
          "(Zᵀsoftmax(Zx/t) − y)/t", "Zᵀ(diag(p) − ppᵀ)Z/t² where p = softmax(Zx/t)"),
    Entry("swish with a slope", "Ramachandran, Zoph and Le 2017, Searching for activation functions",
          lambda x, b: x * sg.sigmoid(b * x), {"x": "", "b": "positive"}, "x",
          "σ(bx) + bxσ(bx)(1 − σ(bx))"),
    Entry("adapter of low rank, outer factor", "Hu et al. 2022, Low-rank adaptation",
          lambda B, A, W, X, Y: (((W + B @ A) @ X - Y) ** 2).sum() / 2,
          {"B": "n p", "A": "p k", "W": "n k", "X": "k m", "Y": "n m"}, "B",
          "((W + BA)X − Y)XᵀAᵀ", "I ⊗ AXXᵀAᵀ"),
    Entry("energy of a modern Hopfield network, once more", "Ramsauer et al. 2021, Hopfield networks is all you need",
          lambda x, X, b: (x @ x) / 2 - sg.logsumexp(b * (X @ x), 0) / b, {"x": "n", "X": "m n", "b": "positive"}, "x",
          "x − Xᵀsoftmax(bXx)", "I − bXᵀ(diag(p) − ppᵀ)X where p = softmax(bXx)"),
    Entry("free energy of visible units", _GOODFELLOW + ", 20.2",
          lambda v, W, b, c: -(b @ v) - sg.softplus(c + W @ v).sum(), {"v": "n", "W": "k n", "b": "n", "c": "k"}, "v",
          "−b − Wᵀσ(c + Wv)", "−Wᵀ diag(p ⊙ (1 − p)) W where p = σ(c + Wv)"),
)

_MATRICES = (
    Entry("product of two bilinear forms in the matrix", _MAGNUS + ", 9",
          lambda X, a, b, c, d: (a @ X @ b) * (c @ X @ d), {"X": "m n", "a": "m", "b": "n", "c": "m", "d": "n"}, "X",
          "cᵀXd abᵀ + aᵀXb cdᵀ", "acᵀ ⊗ bdᵀ + caᵀ ⊗ dbᵀ"),
    Entry("squared trace and trace of the square", _MAGNUS + ", 9",
          lambda X: (sg.trace(X) ** 2 - sg.trace(X @ X)) / 2, {"X": "n n"}, "X",
          "tr(X)I − Xᵀ"),
    Entry("volume with an inner metric", _MAGNUS + ", 9",
          lambda X, A: sg.logdet(X.T @ A @ X), {"X": "n k", "A": "n n pd symmetric"}, "X",
          "2AX(XᵀAX)⁻¹"),
    Entry("volume with a ridge", _MAGNUS + ", 9",
          lambda X, c: sg.logdet(X.T @ X + c * sg.eye(X.shape[1])) / 2, {"X": "m n", "c": "positive"}, "X",
          "X(XᵀX + cI)⁻¹"),
    Entry("norm of a matrix", _MAGNUS + ", 9",
          lambda X: sg.sqrt((X**2).sum()), {"X": "m n"}, "X",
          "X/‖X‖"),
    Entry("trace of a quotient", _MAGNUS + ", 9",
          lambda X, A: sg.trace(A @ sg.linalg.inv(X @ X.T)), {"X": "k n", "A": "k k symmetric"}, "X",
          "−2M⁻¹AM⁻¹X where M = XXᵀ"),
    Entry("form with a vector in a ridge", _MAGNUS + ", 8",
          lambda c, A, b: b @ sg.linalg.solve(A + c * sg.eye(A.shape[0]), b),
          {"c": "positive", "A": "n n pd symmetric", "b": "n"}, "c",
          "−bᵀ(A + cI)⁻²b", "2bᵀ(A + cI)⁻³b"),
    Entry("rows on the unit sphere", _MAGNUS + ", 9",
          lambda X: (((X**2).sum(1) - 1) ** 2).sum() / 4, {"X": "m n"}, "X",
          "diag(X^∘2 𝟏 − 𝟏)X"),
    Entry("cubes of a matrix's products", _MAGNUS + ", 9",
          lambda x, A: ((A @ x) ** 3).sum() / 6, {"x": "n", "A": "m n"}, "x",
          "Aᵀ(Ax)²/2", "Aᵀ diag(Ax) A"),
)

ENTRIES = (_REGRESSION + _ECONOMICS + _FACTORISATION + _GAUSSIAN + _GRAPHS + _CONTROL + _PHYSICS + _INFORMATION
           + _NETWORKS + _MATRICES)
