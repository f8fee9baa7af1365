"""Second derivatives of factors, graphs, particles, control, kernels and networks, written before any was printed."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_KOREN = "Koren, Bell and Volinsky 2009, Matrix factorization techniques"
_KOLDA = "Kolda and Bader 2009, Tensor decompositions and applications"
_GRADY = "Grady and Polimeni, Discrete Calculus"
_GHOSH = "Ghosh, Boyd and Saberi 2008, Minimizing effective resistance of a graph"
_LANDAU = "Landau and Lifshitz, Mechanics"
_FRENKEL = "Frenkel and Smit, Understanding Molecular Simulation"
_RAWLINGS = "Rawlings, Mayne and Diehl, Model Predictive Control"
_ANDERSON = "Anderson and Moore, Optimal Control"
_RASMUSSEN = "Rasmussen and Williams, Gaussian Processes for Machine Learning"
_WAND = "Wand and Jones, Kernel Smoothing"
_AMARI = "Amari, Information Geometry and Its Applications"
_COVER = "Cover and Thomas, Elements of Information Theory"
_MEUCCI = "Meucci, Risk and Asset Allocation"
_HULL = "Hull, Options, Futures, and Other Derivatives"
_WAHBA = "Wahba, Spline Models for Observational Data"
_EILERS = "Eilers and Marx 1996, Flexible smoothing with B-splines and penalties"
_GOODFELLOW = "Goodfellow, Bengio and Courville, Deep Learning"
_FACTORS = {"U": "m k", "V": "n k", "T": "m n"}
_EDGES = {"x": "n", "B": "m n"}
_LAYER = {"x": "n", "W": "m n", "v": "m"}
_ASSETS = {"x": "n positive", "S": "n n pd symmetric"}
_FORWARD = {"f": "positive", "k": "positive", "s": "positive"}
_CONDUCTANCES = " where M = A + Bᵀ diag(c) B"
_TANH = " where t = tanh(Wx)"
_LOGISTIC = " where p = σ(Wx)"
_ROWS = "R = 𝟏xᵀ − Y"


def _squared_distances(x, Y):
    return ((x - Y) ** 2).sum(1)


def _grounded(c, B, A):
    return A + B.T @ sg.diag(c) @ B


def _closed_loop(F, A, B, P, R, S):
    C = A - B @ F
    return (sg.trace(F.T @ R @ F @ S) + sg.trace(C.T @ P @ C @ S)) / 2


def _bachelier(v, f, k):
    d = (f - k) / v
    return (f - k) * sg.special.ndtr(d) + v * sg.exp(-(d**2) / 2) / sg.sqrt(2 * sg.pi)


def _black(f, k, s):
    d = sg.log(f / k) / s + s / 2
    return f * sg.special.ndtr(d) - k * sg.special.ndtr(d - s)


_FACTORISATION = (
    Entry("factors with weights of the rows, the first", _KOREN,
          lambda U, V, T, d: (d[:, None] * (T - U @ V.T) ** 2).sum() / 2, {**_FACTORS, "d": "m positive"}, "U",
          "diag(d)(UVᵀ − T)V", "diag(d) ⊗ VᵀV"),
    Entry("factors with weights of the rows, the second", _KOREN,
          lambda V, U, T, d: (d[:, None] * (T - U @ V.T) ** 2).sum() / 2, {**_FACTORS, "d": "m positive"}, "V",
          "(UVᵀ − T)ᵀ diag(d) U", "I ⊗ Uᵀ diag(d) U"),
    Entry("factors with weights of the columns", _KOREN,
          lambda U, V, T, c: (c * (T - U @ V.T) ** 2).sum() / 2, {**_FACTORS, "c": "n positive"}, "U",
          "(UVᵀ − T)diag(c)V", "I ⊗ Vᵀ diag(c) V"),
    Entry("rank one in the left vector", _KOLDA,
          lambda x, y, A: ((A - sg.outer(x, y)) ** 2).sum() / 2, {"x": "m", "y": "n", "A": "m n"}, "x",
          "‖y‖²x − Ay", "‖y‖²I"),
    Entry("effects of rows and columns", _KOREN,
          lambda x, y, A: ((A - x[:, None] - y) ** 2).sum() / 2, {"x": "m", "y": "n", "A": "m n"}, "x",
          "nx + sum(y) − A𝟏", "nI"),
    Entry("spectrum in a given basis", _KOLDA,
          lambda s, U, A: ((A - U @ sg.diag(s) @ U.T) ** 2).sum() / 2, {"s": "k", "U": "n k", "A": "n n symmetric"},
          "s",
          "diag(Uᵀ(U diag(s) Uᵀ − A)U)", "(UᵀU)^∘2"),
    Entry("weights of rank-one terms", _KOLDA,
          lambda s, U, V, T: ((T - U @ sg.diag(s) @ V.T) ** 2).sum() / 2, {"s": "k", **_FACTORS}, "s",
          "diag(Uᵀ(U diag(s) Vᵀ − T)V)", "UᵀU ⊙ VᵀV"),
    Entry("subspace with a penalty", "Edelman, Arias and Smith 1998, The geometry of algorithms with orthogonality",
          lambda U, C, a: a / 2 * ((U.T @ U - sg.eye(U.shape[1])) ** 2).sum() - sg.trace(U.T @ C @ U),
          {"U": "n k", "C": "n n symmetric", "a": "positive"}, "U",
          "2aU(UᵀU − I) − 2CU"),
)

_GRAPHS = (
    Entry("energy of the p-Laplacian", _GRADY + ", 5.2",
          lambda x, B, c, p: (c * sg.abs(B @ x) ** p).sum() / p, {**_EDGES, "c": "m positive", "p": "wide"}, "x",
          "Bᵀ(c ⊙ |Bx|^(p − 2) ⊙ Bx)", "(p − 1)Bᵀ diag(c ⊙ |Bx|^(p − 2)) B"),
    Entry("smoothed p-Laplacian", _GRADY + ", 5.2",
          lambda x, B, a, p: ((a + (B @ x) ** 2) ** (p / 2)).sum() / p, {**_EDGES, "a": "positive", "p": "positive"},
          "x",
          "Bᵀ((a + z²)^(p/2 − 1) ⊙ z) where z = Bx",
          "Bᵀ diag((a + z²)^(p/2 − 2) ⊙ (a + (p − 1)z²)) B where z = Bx"),
    Entry("energy of the 3-Laplacian", _GRADY + ", 5.2",
          lambda x, B: (sg.abs(B @ x) ** 3).sum() / 3, _EDGES, "x",
          "Bᵀ(|Bx| ⊙ Bx)", "2Bᵀ diag(|Bx|) B"),
    Entry("labels smoothed along a graph", "Belkin, Niyogi and Sindhwani 2006, Manifold regularization",
          lambda f, y, L, a: sg.softplus(-y * f).sum() + a / 2 * (f @ L @ f),
          {"f": "n", "y": "n sign", "L": "n n symmetric", "a": "positive"}, "f",
          "aLf − y ⊙ σ(−y ⊙ f)", "diag(p ⊙ (1 − p)) + aL where p = σ(y ⊙ f)"),
    Entry("potentials of a circuit", "Strang, Computational Science and Engineering, 2.4",
          lambda x, B, c, s: (c * (B @ x) ** 2).sum() / 2 - s @ x, {**_EDGES, "c": "m positive", "s": "n"}, "x",
          "Bᵀ(c ⊙ Bx) − s", "Bᵀ diag(c) B"),
    Entry("power flow on lines", "Dörfler and Bullo 2014, Synchronization in complex networks",
          lambda x, B, k, w: -(k * sg.cos(B @ x)).sum() - w @ x, {**_EDGES, "k": "m positive", "w": "n"}, "x",
          "Bᵀ(k ⊙ sin(Bx)) − w", "Bᵀ diag(k ⊙ cos(Bx)) B"),
    Entry("log-determinant of a grounded Laplacian", _GHOSH,
          lambda c, B, A: sg.logdet(_grounded(c, B, A)), {"c": "m positive", "B": "m n", "A": "n n pd symmetric"}, "c",
          "diag(BM⁻¹Bᵀ)" + _CONDUCTANCES, "−(BM⁻¹Bᵀ)^∘2" + _CONDUCTANCES),
    Entry("resistance of a grounded Laplacian", _GHOSH,
          lambda c, B, A, b: b @ sg.linalg.solve(_grounded(c, B, A), b),
          {"c": "m positive", "B": "m n", "A": "n n pd symmetric", "b": "n"}, "c",
          "−(BM⁻¹b)²" + _CONDUCTANCES, "2BM⁻¹Bᵀ ⊙ zzᵀ" + _CONDUCTANCES + ", z = BM⁻¹b"),
)

_PARTICLES = (
    Entry("spring between linear images", _LANDAU + ", 23",
          lambda x, A, k, d: k / 2 * (sg.linalg.norm(A @ x) - d) ** 2,
          {"x": "n", "A": "m n", "k": "positive", "d": "positive"}, "x",
          "k(1 − d/‖Ax‖)AᵀAx", "k((1 − d/s)AᵀA + dAᵀAxxᵀAᵀA/s³) where s = ‖Ax‖"),
    Entry("softened attraction of many bodies", "Binney and Tremaine, Galactic Dynamics, 2.9",
          lambda x, Y, m, a: -(m / sg.sqrt(_squared_distances(x, Y) + a**2)).sum(),
          {"x": "n", "Y": "m n", "m": "m positive", "a": "positive"}, "x",
          "sum(c)x − Yᵀc where c = m/((𝟏xᵀ − Y)^∘2 𝟏 + a²)^(3/2)",
          "sum(m/s³)I − 3Rᵀ diag(m/s⁵) R where " + _ROWS + ", s = √(R^∘2 𝟏 + a²)"),
    Entry("charge in a harmonic trap", _LANDAU + ", 14",
          lambda x, a: (x @ x) / 2 + a / sg.linalg.norm(x), {"x": "n", "a": "positive"}, "x",
          "x − ax/‖x‖³", "I − aI/s³ + 3axxᵀ/s⁵ where s = ‖x‖"),
    Entry("logarithmic charge in a harmonic trap", "Forrester, Log-Gases and Random Matrices, 1.4",
          lambda x: (x @ x) / 2 - sg.log(sg.linalg.norm(x)), {"x": "n"}, "x",
          "x − x/‖x‖²", "I − I/‖x‖² + 2xxᵀ/‖x‖⁴"),
    Entry("charge among others on a line", "Forrester, Log-Gases and Random Matrices, 1.4",
          lambda x, y: x**2 / 2 - sg.log(sg.abs(x - y)).sum(), {"x": "wide", "y": "n"}, "x",
          "x − sum(1/(x − y))", "1 + sum(1/(x − y)²)"),
    Entry("Lennard-Jones in space", _FRENKEL + ", 4",
          lambda x, a, b: a / (x @ x) ** 6 - b / (x @ x) ** 3, {"x": "n", "a": "positive", "b": "positive"}, "x",
          "(6b/‖x‖⁸ − 12a/‖x‖¹⁴)x",
          "(6b/s⁸ − 12a/s¹⁴)I + (168a/s¹⁶ − 48b/s¹⁰)xxᵀ where s = ‖x‖"),
    Entry("screened charge in space", _FRENKEL + ", 12",
          lambda x, k: sg.exp(-k * sg.linalg.norm(x)) / sg.linalg.norm(x), {"x": "n", "k": "positive"}, "x",
          "−(1 + ks)exp(−ks)x/s³ where s = ‖x‖"),
    Entry("chain of Morse bonds", _FRENKEL + ", 4",
          lambda x, D, a: ((1 - sg.exp(-a * (D @ x))) ** 2).sum(), {"x": "n", "D": "m n", "a": "positive"}, "x",
          "2aDᵀ(u ⊙ (1 − u)) where u = exp(−aDx)", "2a²Dᵀ diag(u ⊙ (2u − 1)) D where u = exp(−aDx)"),
)

_CONTROL = (
    Entry("cost of a step in the state", _ANDERSON + ", 2.4",
          lambda x, u, A, B, Q, P: (x @ Q @ x + (A @ x + B @ u) @ P @ (A @ x + B @ u)) / 2,
          {"x": "n", "u": "k", "A": "n n", "B": "n k", "Q": "n n symmetric", "P": "n n symmetric"}, "x",
          "Qx + AᵀP(Ax + Bu)", "Q + AᵀPA"),
    Entry("tracking with a penalty of moves", _RAWLINGS + ", 1.3",
          lambda u, G, y, D, λ: ((G @ u - y) ** 2).sum() / 2 + λ / 2 * ((D @ u) ** 2).sum(),
          {"u": "n", "G": "m n", "y": "m", "D": "k n", "λ": "positive"}, "u",
          "Gᵀ(Gu − y) + λDᵀDu", "GᵀG + λDᵀD"),
    Entry("two steps to a target", _RAWLINGS + ", 1.3",
          lambda u, v, x, c, A, B: ((A @ (A @ x + B @ u) + B @ v - c) ** 2).sum() / 2,
          {"u": "k", "v": "k", "x": "n", "c": "n", "A": "n n", "B": "n k"}, "u",
          "BᵀAᵀ(A(Ax + Bu) + Bv − c)", "BᵀAᵀAB"),
    Entry("condensed problem with a barrier", _RAWLINGS + ", 8",
          lambda u, H, g, C, b, t: u @ H @ u / 2 + g @ u - t * sg.log(b - C @ u).sum(),
          {"u": "n fraction", "H": "n n symmetric", "g": "n", "C": "m n fraction", "b": "m wide", "t": "positive"},
          "u",
          "Hu + g + tCᵀ(1/(b − Cu))", "H + tCᵀ diag(1/(b − Cu)²) C"),
    Entry("effort with soft limits", _RAWLINGS + ", 8",
          lambda u, C, b: u @ u / 2 + sg.softplus(C @ u - b).sum(), {"u": "n", "C": "m n", "b": "m"}, "u",
          "u + Cᵀσ(Cu − b)", "I + Cᵀ diag(p ⊙ (1 − p)) C where p = σ(Cu − b)"),
    Entry("cost of a step in the gain", _ANDERSON + ", 2.4",
          _closed_loop, {"F": "k n", "A": "n n", "B": "n k", "P": "n n symmetric", "R": "k k symmetric",
                         "S": "n n symmetric"}, "F",
          "RFS − BᵀP(A − BF)S", "(R + BᵀPB) ⊗ S"),
    Entry("estimate from a measurement", _ANDERSON + ", 8",
          lambda x, u, y, C, W, P: ((y - C @ x) @ W @ (y - C @ x) + (x - u) @ P @ (x - u)) / 2,
          {"x": "n", "u": "n", "y": "m", "C": "m n", "W": "m m symmetric", "P": "n n symmetric"}, "x",
          "P(x − u) − CᵀW(y − Cx)", "P + CᵀWC"),
    Entry("energy to be reached by a pendulum", "Åström and Furuta 2000, Swinging up a pendulum",
          lambda t, w, a: (w**2 / 2 - sg.cos(t) - a) ** 2 / 2, {"t": "", "w": "", "a": ""}, "t",
          "sin(t)(w²/2 − cos(t) − a)", "sin(t)² + cos(t)(w²/2 − cos(t) − a)"),
    Entry("exponential cost of scenarios", "Whittle, Risk-Sensitive Optimal Control",
          lambda x, A, t: sg.logsumexp(t * (A @ x), 0) / t, {"x": "n", "A": "m n", "t": "positive"}, "x",
          "Aᵀ softmax(tAx)", "tAᵀ(diag(p) − ppᵀ)A where p = softmax(tAx)"),
)

_KERNELS = (
    Entry("Poisson regression with a kernel", _RASMUSSEN + ", 3.4",
          lambda a, G, y, λ: (sg.exp(G @ a) - y * (G @ a)).sum() + λ / 2 * (a @ G @ a),
          {"a": "n", "G": "n n symmetric", "y": "n integer", "λ": "positive"}, "a",
          "G(exp(Ga) − y + λa)", "G diag(exp(Ga)) G + λG"),
    Entry("latent scores of two classes", _RASMUSSEN + ", (3.12)",
          lambda f, y, G: (sg.softplus(f) - y * f).sum() + f @ sg.linalg.solve(G, f) / 2,
          {"f": "n", "y": "n binary", "G": "n n pd symmetric"}, "f",
          "σ(f) − y + G⁻¹f", "diag(p ⊙ (1 − p)) + G⁻¹ where p = σ(f)"),
    Entry("latent intensities of counts", _RASMUSSEN + ", (3.12)",
          lambda f, y, u, G: (sg.exp(f) - y * f).sum() + (f - u) @ sg.linalg.solve(G, f - u) / 2,
          {"f": "n", "y": "n integer", "u": "n", "G": "n n pd symmetric"}, "f",
          "exp(f) − y + G⁻¹(f − u)", "diag(exp(f)) + G⁻¹"),
    Entry("kernel with a length for each axis, the point", _RASMUSSEN + ", (5.1)",
          lambda x, y, h: sg.exp(-((x - y) ** 2 / h**2).sum() / 2), {"x": "n", "y": "n", "h": "n positive"}, "x",
          "−exp(−sum((x − y)²/h²)/2)(x − y)/h²"),
    Entry("kernel with a length for each axis, the lengths", _RASMUSSEN + ", (5.1)",
          lambda h, x, y: sg.exp(-((x - y) ** 2 / h**2).sum() / 2), {"x": "n", "y": "n", "h": "n positive"}, "h",
          "exp(−sum((x − y)²/h²)/2)(x − y)²/h³"),
    Entry("sum of bells around points", _WAND + ", 4",
          lambda x, Y, w: (w * sg.exp(-_squared_distances(x, Y) / 2)).sum(),
          {"x": "n", "Y": "m n", "w": "m positive"}, "x",
          "Yᵀq − sum(q)x where q = w ⊙ exp(−(𝟏xᵀ − Y)^∘2 𝟏/2)",
          "Rᵀ diag(q) R − sum(q)I where " + _ROWS + ", q = w ⊙ exp(−R^∘2 𝟏/2)"),
    Entry("logarithm of a density by kernels", _WAND + ", 4",
          lambda x, Y: sg.logsumexp(-_squared_distances(x, Y) / 2, 0), {"x": "n", "Y": "m n"}, "x",
          "Yᵀq − x where q = softmax(−(𝟏xᵀ − Y)^∘2 𝟏/2)",
          "Yᵀ(diag(q) − qqᵀ)Y − I where q = softmax(−(𝟏xᵀ − Y)^∘2 𝟏/2)"),
    Entry("variance explained by inducing points", "Titsias 2009, Variational learning of inducing variables",
          lambda C, G: -sg.trace(C @ sg.linalg.inv(G) @ C.T), {"C": "m n", "G": "n n pd symmetric"}, "C",
          "−2CG⁻¹", "−2I ⊗ G⁻¹"),
)

_INFORMATION = (
    Entry("divergence of Jensen and Shannon", _COVER + ", 17",
          lambda p, q: (p * sg.log(2 * p / (p + q)) + q * sg.log(2 * q / (p + q))).sum(),
          {"p": "n fraction", "q": "n fraction"}, "p",
          "log(2p/(p + q))", "diag(q/(p ⊙ (p + q)))"),
    Entry("weighted distance of Hellinger", _AMARI + ", 3.5",
          lambda p, q, c: (c * (sg.sqrt(p) - sg.sqrt(q)) ** 2).sum(),
          {"p": "n fraction", "q": "n fraction", "c": "n positive"}, "p",
          "c ⊙ (1 − √q/√p)", "diag(c ⊙ √q/p^(3/2))/2"),
    Entry("alpha divergence with its metric", _AMARI + ", 3.5",
          lambda p, q, a: ((p**a * q ** (1 - a)).sum() - 1) / (a * (a - 1)),
          {"p": "n fraction", "q": "n fraction", "a": "fraction"}, "p",
          "(p/q)^(a − 1)/(a − 1)", "diag((p/q)^(a − 1)/p)"),
    Entry("weighted entropy of Burg", _COVER + ", 12",
          lambda x, A, c: -(c * sg.log(A @ x)).sum(), {"x": "n positive", "A": "m n positive", "c": "m positive"}, "x",
          "−Aᵀ(c/(Ax))", "Aᵀ diag(c/(Ax)²) A"),
    Entry("entropy of Fermi and Dirac", _AMARI + ", 1.3",
          lambda x: (x * sg.log(x) + (1 - x) * sg.log(1 - x)).sum(), {"x": "n fraction"}, "x",
          "log(x/(1 − x))", "diag(1/(x ⊙ (1 − x)))"),
    Entry("free energy of a distribution", _COVER + ", 12",
          lambda p, c, t: c @ p + t * (p * sg.log(p)).sum(), {"p": "n fraction", "c": "n", "t": "positive"}, "p",
          "c + t(log(p) + 1)", "t diag(1/p)"),
    Entry("log-partition with a quadratic prior", _AMARI + ", 2",
          lambda z, A: sg.logsumexp(z, 0) + z @ A @ z / 2, {"z": "n", "A": "n n symmetric"}, "z",
          "softmax(z) + Az", "diag(p) − ppᵀ + A where p = softmax(z)"),
    Entry("multinomial with a class of reference", _AMARI + ", 2.2",
          lambda z: sg.log(1 + sg.exp(z).sum()), {"z": "n"}, "z",
          "exp(z)/(1 + sum(exp(z)))", "diag(p) − ppᵀ where p = exp(z)/(1 + sum(exp(z)))"),
    Entry("logarithm of a sum of powers", _AMARI + ", 4",
          lambda x, a: sg.log((x**a).sum()), {"x": "n positive", "a": "positive"}, "x",
          "ax^(a − 1)/sum(x^a)"),
    Entry("half the squared log-partition of scores", _AMARI + ", 2",
          lambda x, A: sg.logsumexp(A @ x, 0) ** 2 / 2, {"x": "n", "A": "m n"}, "x",
          "logsumexp(Ax)Aᵀ softmax(Ax)",
          "Aᵀ(ppᵀ + l(diag(p) − ppᵀ))A where p = softmax(Ax), l = logsumexp(Ax)"),
)

_PORTFOLIOS = (
    Entry("mean and variance with costs of moves", _MEUCCI + ", 6",
          lambda x, u, S, y, a, b: a / 2 * (x @ S @ x) - u @ x + b / 2 * ((x - y) ** 2).sum(),
          {**_ASSETS, "u": "n", "y": "n", "a": "positive", "b": "positive"}, "x",
          "aSx − u + b(x − y)", "aS + bI"),
    Entry("budgets of volatility", "Roncalli, Introduction to Risk Parity and Budgeting, 2.2",
          lambda x, S, b: sg.sqrt(x @ S @ x) - b @ sg.log(x), {**_ASSETS, "b": "n positive"}, "x",
          "Sx/√(xᵀSx) − b/x", "S/s − SxxᵀS/s³ + diag(b/x²) where s = √(xᵀSx)"),
    Entry("logarithm of the Sharpe ratio", _MEUCCI + ", 5",
          lambda x, u, S: sg.log(u @ x) - sg.log(x @ S @ x) / 2, {**_ASSETS, "u": "n positive"}, "x",
          "u/uᵀx − Sx/(xᵀSx)", "2SxxᵀS/q² − S/q − uuᵀ/(uᵀx)² where q = xᵀSx"),
    Entry("variance over the squared mean", _MEUCCI + ", 5",
          lambda x, u, S: (x @ S @ x) / (u @ x) ** 2, {**_ASSETS, "u": "n positive"}, "x",
          "2(Sx − qu/t)/t² where q = xᵀSx, t = uᵀx"),
    Entry("cost of impact", "Almgren et al. 2005, Direct estimation of equity market impact",
          lambda x, c: (c * sg.abs(x) ** 1.5).sum(), {"x": "n", "c": "n positive"}, "x",
          "3c ⊙ sign(x) ⊙ √|x|/2", "3diag(c/√|x|)/4"),
    Entry("power utility over scenarios", _MEUCCI + ", 5",
          lambda x, R, p, g: (p * (R @ x) ** (1 - g)).sum() / (1 - g),
          {"x": "n positive", "R": "m n positive", "p": "m fraction", "g": "wide"}, "x",
          "Rᵀ(p ⊙ (Rx)^(−g))", "−gRᵀ diag(p ⊙ (Rx)^(−g − 1)) R"),
    Entry("exponential utility over scenarios", _MEUCCI + ", 5",
          lambda x, R, p, a: -(p * sg.exp(-a * (R @ x))).sum(),
          {"x": "n", "R": "m n", "p": "m fraction", "a": "positive"}, "x",
          "aRᵀ(p ⊙ exp(−aRx))", "−a²Rᵀ diag(p ⊙ exp(−aRx)) R"),
    Entry("diversification", "Choueifaty and Coignard 2008, Toward maximum diversification",
          lambda x, d, S: (d @ x) / sg.sqrt(x @ S @ x), {**_ASSETS, "d": "n positive"}, "x",
          "d/s − dᵀxSx/s³ where s = √(xᵀSx)"),
    Entry("Bachelier's call in the deviation", _HULL + ", 15",
          _bachelier, {"v": "positive", "f": "positive", "k": "positive"}, "v",
          "φ((f − k)/v)", "(f − k)²φ((f − k)/v)/v³"),
    Entry("Black's call in the forward", _HULL + ", 18",
          _black, _FORWARD, "f",
          "Φ(log(f/k)/s + s/2)", "φ(log(f/k)/s + s/2)/(fs)"),
    Entry("Black's call in the deviation", _HULL + ", 18",
          lambda s, f, k: _black(f, k, s), _FORWARD, "s",
          "fφ(log(f/k)/s + s/2)", "fφ(d)d(d − s)/s where d = log(f/k)/s + s/2"),
)

_SMOOTHING = (
    Entry("smoothing spline in its basis", _WAHBA + ", 1",
          lambda b, N, y, W, λ: ((y - N @ b) ** 2).sum() / 2 + λ / 2 * (b @ W @ b),
          {"b": "n", "N": "m n", "y": "m", "W": "n n symmetric", "λ": "positive"}, "b",
          "Nᵀ(Nb − y) + λWb", "NᵀN + λW"),
    Entry("counts with a penalised spline", _EILERS,
          lambda b, N, y, D, λ: (sg.exp(N @ b) - y * (N @ b)).sum() + λ / 2 * ((D @ b) ** 2).sum(),
          {"b": "n", "N": "m n", "y": "m integer", "D": "k n", "λ": "positive"}, "b",
          "Nᵀ(exp(Nb) − y) + λDᵀDb", "Nᵀ diag(exp(Nb)) N + λDᵀD"),
    Entry("logarithmic penalty", "Candès, Wakin and Boyd 2008, Enhancing sparsity by reweighted minimization",
          lambda x, a, b: a * sg.log(1 + x**2 / b**2).sum(), {"x": "n", "a": "positive", "b": "positive"}, "x",
          "2ax/(b² + x²)", "2a diag((b² − x²)/(b² + x²)²)"),
    Entry("smoothed power as a penalty", "Chartrand and Yin 2008, Iteratively reweighted algorithms",
          lambda x, c, q: ((x**2 + c) ** (q / 2)).sum(), {"x": "n", "c": "positive", "q": "fraction"}, "x",
          "q(x² + c)^(q/2 − 1) ⊙ x"),
    Entry("smoothed elastic net", "Zou and Hastie 2005, Regularization and variable selection",
          lambda x, c, λ: sg.sqrt(x**2 + c**2).sum() + λ / 2 * (x @ x), {"x": "n", "c": "positive", "λ": "positive"},
          "x",
          "x/√(x² + c²) + λx", "c² diag(1/(x² + c²)^(3/2)) + λI"),
    Entry("reciprocal barrier", "Fiacco and McCormick, Nonlinear Programming, 3",
          lambda x: (1 / x).sum(), {"x": "n positive"}, "x",
          "−1/x²", "2diag(1/x³)"),
    Entry("loaded beam by differences", "Strang, Computational Science and Engineering, 3.2",
          lambda x, D, W, b: (D @ x) @ W @ (D @ x) / 2 - b @ x, {"x": "n", "D": "m n", "W": "m m symmetric", "b": "n"},
          "x",
          "DᵀWDx − b", "DᵀWD"),
)

_NETWORKS = (
    Entry("squared error of tanh neurons", _GOODFELLOW + ", 6.3",
          lambda w, X, y: ((sg.tanh(X @ w) - y) ** 2).sum() / 2, {"w": "n", "X": "m n", "y": "m"}, "w",
          "Xᵀ((t − y) ⊙ (1 − t²)) where t = tanh(Xw)",
          "Xᵀ diag((1 − t²) ⊙ (1 − 3t² + 2t ⊙ y)) X where t = tanh(Xw)"),
    Entry("squared error of logistic neurons", _GOODFELLOW + ", 6.3",
          lambda w, X, y: ((sg.sigmoid(X @ w) - y) ** 2).sum() / 2, {"w": "n", "X": "m n", "y": "m"}, "w",
          "Xᵀ((p − y) ⊙ p ⊙ (1 − p)) where p = σ(Xw)"),
    Entry("tanh layer in its input", _GOODFELLOW + ", 6.3",
          lambda x, W, v: v @ sg.tanh(W @ x), _LAYER, "x",
          "Wᵀ(v ⊙ (1 − tanh(Wx)²))", "−2Wᵀ diag(v ⊙ t ⊙ (1 − t²)) W" + _TANH),
    Entry("logistic layer in its input", _GOODFELLOW + ", 6.3",
          lambda x, W, v: v @ sg.sigmoid(W @ x), _LAYER, "x",
          "Wᵀ(v ⊙ p ⊙ (1 − p))" + _LOGISTIC, "Wᵀ diag(v ⊙ p ⊙ (1 − p) ⊙ (1 − 2p)) W" + _LOGISTIC),
    Entry("softplus layer in its input", _GOODFELLOW + ", 6.3",
          lambda x, W, v: v @ sg.softplus(W @ x), _LAYER, "x",
          "Wᵀ(v ⊙ σ(Wx))", "Wᵀ diag(v ⊙ p ⊙ (1 − p)) W" + _LOGISTIC),
    Entry("exponential layer in its input", _GOODFELLOW + ", 6.3",
          lambda x, W, v, b: v @ sg.exp(W @ x + b), {**_LAYER, "b": "m"}, "x",
          "Wᵀ(v ⊙ exp(Wx + b))", "Wᵀ diag(v ⊙ exp(Wx + b)) W"),
    Entry("sine layer in its input", "Sitzmann et al. 2020, Implicit neural representations",
          lambda x, W, v: v @ sg.sin(W @ x), _LAYER, "x",
          "Wᵀ(v ⊙ cos(Wx))", "−Wᵀ diag(v ⊙ sin(Wx)) W"),
    Entry("tanh layer in its weights", _GOODFELLOW + ", 6.3",
          lambda W, x, v: v @ sg.tanh(W @ x), _LAYER, "W",
          "(v ⊙ (1 − tanh(Wx)²))xᵀ", "−2diag(v ⊙ t ⊙ (1 − t²)) ⊗ xxᵀ" + _TANH),
    Entry("softplus layer in its weights", _GOODFELLOW + ", 6.3",
          lambda W, x, v: v @ sg.softplus(W @ x), _LAYER, "W",
          "(v ⊙ σ(Wx))xᵀ", "diag(v ⊙ p ⊙ (1 − p)) ⊗ xxᵀ" + _LOGISTIC),
    Entry("Gaussian error linear units in the input", "Hendrycks and Gimpel 2016, Gaussian error linear units",
          lambda x, W, v: v @ (W @ x * sg.special.ndtr(W @ x)), _LAYER, "x",
          "Wᵀ(v ⊙ (Φ(z) + z ⊙ φ(z))) where z = Wx", "Wᵀ diag(v ⊙ (2 − z²) ⊙ φ(z)) W where z = Wx"),
    Entry("quadratic layer in its input", "Livni, Shalev-Shwartz and Shamir 2014, On the computational efficiency",
          lambda x, W, v: v @ (W @ x) ** 2, _LAYER, "x",
          "2Wᵀ(v ⊙ Wx)", "2Wᵀ diag(v) W"),
    Entry("quadratic layer in its weights", "Livni, Shalev-Shwartz and Shamir 2014, On the computational efficiency",
          lambda W, x, v: v @ (W @ x) ** 2, _LAYER, "W",
          "2(v ⊙ Wx)xᵀ", "2diag(v) ⊗ xxᵀ"),
    Entry("cubic layer in its input", "Livni, Shalev-Shwartz and Shamir 2014, On the computational efficiency",
          lambda x, W, v: v @ (W @ x) ** 3 / 3, _LAYER, "x",
          "Wᵀ(v ⊙ (Wx)²)", "2Wᵀ diag(v ⊙ Wx) W"),
    Entry("hidden layer in the outer weights", _GOODFELLOW + ", 6.4",
          lambda v, W, X, y: ((sg.tanh(X @ W) @ v - y) ** 2).sum() / 2, {"v": "k", "W": "n k", "X": "m n", "y": "m"},
          "v",
          "Hᵀ(Hv − y) where H = tanh(XW)", "HᵀH where H = tanh(XW)"),
    Entry("free energy of hidden signs", _GOODFELLOW + ", 20.2",
          lambda x, W, b: sg.log(2 * sg.cosh(W @ x + b)).sum(), {"x": "n", "W": "m n", "b": "m"}, "x",
          "Wᵀ tanh(Wx + b)", "Wᵀ diag(1 − tanh(Wx + b)²) W"),
    Entry("convex network in its input", "Amos, Xu and Kolter 2017, Input convex neural networks",
          lambda x, Q, W, v: x @ Q @ x / 2 + v @ sg.softplus(W @ x), {**_LAYER, "Q": "n n symmetric"}, "x",
          "Qx + Wᵀ(v ⊙ σ(Wx))", "Q + Wᵀ diag(v ⊙ p ⊙ (1 − p)) W" + _LOGISTIC),
)

ENTRIES = (
    _FACTORISATION + _GRAPHS + _PARTICLES + _CONTROL + _KERNELS + _INFORMATION + _PORTFOLIOS + _SMOOTHING + _NETWORKS
)
