"""More of matrix calculus, kernels, factorisation and graphs, written before symgrad had printed any of it."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_COOKBOOK = "Petersen and Pedersen, The Matrix Cookbook"
_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_BOYD = "Boyd and Vandenberghe, Convex Optimization"
_RASMUSSEN = "Rasmussen and Williams, Gaussian Processes for Machine Learning"
_SCHOLKOPF = "Schölkopf and Smola, Learning with Kernels"
_CICHOCKI = "Cichocki et al., Nonnegative Matrix and Tensor Factorizations"
_HOFBAUER = "Hofbauer and Sigmund, Evolutionary Games and Population Dynamics"
_SYMMETRIC = {"x": "n", "A": "n n symmetric"}
_SQUARE = {"x": "n", "A": "n n pd symmetric"}
_FACTORS = {"U": "m k", "V": "n k", "T": "m n"}
_ROOT3 = 3**0.5


def _matern(r, h):
    return (1 + _ROOT3 * r / h) * sg.exp(-_ROOT3 * r / h)


def _periodic(d, p, h):
    return sg.exp(-2 * sg.sin(sg.pi * d / p) ** 2 / h**2)


_FORMS = (
    Entry("tr(AXBX⁻¹)", _MAGNUS + ", 9",
          lambda X, A, B: sg.trace(A @ X @ B @ sg.linalg.inv(X)), {"X": "n n invertible", "A": "n n", "B": "n n"}, "X",
          "AᵀX⁻ᵀBᵀ − X⁻ᵀBᵀXᵀAᵀX⁻ᵀ"),
    Entry("aᵀ(XᵀX)⁻¹b", _COOKBOOK + ", 2.2",
          lambda X, a, b: a @ sg.linalg.inv(X.T @ X) @ b, {"X": "m n", "a": "n", "b": "n"}, "X",
          "−XM(abᵀ + baᵀ)M where M = (XᵀX)⁻¹"),
    Entry("log-determinant of XAXᵀ", _COOKBOOK + ", 2.1",
          lambda X, A: sg.logdet(X @ A @ X.T), {"X": "k n", "A": "n n pd symmetric"}, "X",
          "2(XAXᵀ)⁻¹XA"),
    Entry("trace of the inverse of A + xxᵀ", _COOKBOOK + ", 3.2",
          lambda x, A: sg.trace(sg.linalg.inv(A + sg.outer(x, x))), _SQUARE, "x",
          "−2M⁻²x where M = A + xxᵀ"),
    Entry("log-determinant of A + xxᵀ", _COOKBOOK + ", 3.2",
          lambda x, A: sg.logdet(A + sg.outer(x, x)), _SQUARE, "x",
          "2(A + xxᵀ)⁻¹x"),
    Entry("log-determinant of I + X", _MAGNUS + ", 8.4",
          lambda X: sg.logdet(sg.eye(X.shape[0]) + X), {"X": "n n pd"}, "X",
          "(I + X)⁻ᵀ"),
    Entry("quadratic form times a linear one", _MAGNUS + ", 10",
          lambda x, A, b: (x @ A @ x) * (b @ x), {**_SYMMETRIC, "b": "n"}, "x",
          "2bᵀxAx + xᵀAxb", "2(bᵀxA + Axbᵀ + bxᵀA)"),
    Entry("exponential of a quadratic form", _MAGNUS + ", 10",
          lambda x, A: sg.exp(-(x @ A @ x) / 2), _SYMMETRIC, "x",
          "−exp(−xᵀAx/2)Ax", "exp(−xᵀAx/2)(AxxᵀA − A)"),
    Entry("logarithm of one and a quadratic form", _MAGNUS + ", 10",
          lambda x, A: sg.log(1 + x @ A @ x), _SQUARE, "x",
          "2Ax/(1 + xᵀAx)", "2A/s − 4AxxᵀA/s² where s = 1 + xᵀAx"),
    Entry("root of one and a quadratic form", _BOYD + ", 3.1",
          lambda x, A: sg.sqrt(1 + x @ A @ x), _SQUARE, "x",
          "Ax/√(1 + xᵀAx)", "A/s − AxxᵀA/s³ where s = √(1 + xᵀAx)"),
    Entry("power of a quadratic form", _MAGNUS + ", 10",
          lambda x, A, p: (x @ A @ x) ** p, {**_SQUARE, "p": "positive"}, "x",
          "2p(xᵀAx)^(p − 1)Ax"),
    Entry("product of two norms", _BOYD + ", 3.1",
          lambda x, A, B: sg.linalg.norm(A @ x) * sg.linalg.norm(B @ x), {"x": "n", "A": "m n", "B": "m n"}, "x",
          "‖Bx‖AᵀAx/‖Ax‖ + ‖Ax‖BᵀBx/‖Bx‖"),
    Entry("squared norm over a linear form", _BOYD + ", 3.1",
          lambda x, a: (x @ x) / (a @ x), {"x": "n positive", "a": "n positive"}, "x",
          "2x/aᵀx − ‖x‖²a/(aᵀx)²", "2I/s − 2(xaᵀ + axᵀ)/s² + 2‖x‖²aaᵀ/s³ where s = aᵀx"),
    Entry("sum of squared quadratic residuals", "Candès, Li and Soltanolkotabi 2015, Phase retrieval",
          lambda x, A, y: (((A @ x) ** 2 - y) ** 2).sum() / 4, {"x": "n", "A": "m n", "y": "m positive"}, "x",
          "Aᵀ(((Ax)² − y) ⊙ Ax)", "Aᵀ diag(3(Ax)² − y) A"),
    Entry("sum of exponentials of AXB", _MAGNUS + ", 9",
          lambda X, A, B: sg.exp(A @ X @ B).sum(), {"X": "m n", "A": "k m", "B": "n p"}, "X",
          "Aᵀ exp(AXB)Bᵀ"),
    Entry("sum of logarithms of XY", _MAGNUS + ", 9",
          lambda X, Y: sg.log(X @ Y).sum(), {"X": "m k positive", "Y": "k n positive"}, "X",
          "(1/(XY))Yᵀ"),
    Entry("Jacobian of x times a quadratic form", _MAGNUS + ", 10",
          lambda x, A: (x @ A @ x) * x, _SYMMETRIC, "x",
          "xᵀAxI + 2xxᵀA"),
    Entry("Jacobian of A exp(x)", _MAGNUS + ", 9",
          lambda x, A: A @ sg.exp(x), {"x": "n", "A": "m n"}, "x",
          "A diag(exp(x))"),
    Entry("Jacobian of tanh(Wx + b)", _COOKBOOK + ", 2.8",
          lambda x, W, b: sg.tanh(W @ x + b), {"x": "n", "W": "m n", "b": "m"}, "x",
          "diag(1 − tanh(Wx + b)²)W"),
    Entry("Jacobian of Ax ⊙ Bx", _MAGNUS + ", 9",
          lambda x, A, B: (A @ x) * (B @ x), {"x": "n", "A": "m n", "B": "m n"}, "x",
          "diag(Bx)A + diag(Ax)B"),
    Entry("Jacobian of a reflection", "Golub and Van Loan, Matrix Computations, 5.1",
          lambda x, v: x - 2 * (v @ x) / (v @ v) * v, {"x": "n", "v": "n"}, "x",
          "I − 2vvᵀ/‖v‖²"),
)

_KERNELS = (
    Entry("alignment of kernels", "Cristianini et al. 2001, On kernel-target alignment",
          lambda K, Y: (K * Y).sum() / sg.linalg.norm(K), {"K": "n n", "Y": "n n"}, "K",
          "Y/‖K‖ − tr(KᵀY)K/‖K‖³"),
    Entry("discrepancy of means in the weights", "Gretton et al. 2012, A kernel two-sample test",
          lambda a, b, K, L: a @ K @ a - 2 * a @ L @ b, {"a": "n", "b": "m", "K": "n n symmetric", "L": "n m"}, "a",
          "2(Ka − Lb)", "2K"),
    Entry("kernel of Matérn in the length", _RASMUSSEN + ", (4.17)",
          lambda h, r: _matern(r, h), {"h": "positive", "r": "positive"}, "h",
          "3r² exp(−√3r/h)/h³", "3r²(√3r − 3h)exp(−√3r/h)/h⁵"),
    Entry("kernel of Matérn in the distance", _RASMUSSEN + ", (4.17)",
          lambda r, h: _matern(r, h), {"h": "positive", "r": "positive"}, "r",
          "−3r exp(−√3r/h)/h²"),
    Entry("periodic kernel in the length", _RASMUSSEN + ", (4.31)",
          lambda h, d, p: _periodic(d, p, h), {"h": "positive", "d": "positive", "p": "positive"}, "h",
          "4s² exp(−2s²/h²)/h³ where s = sin(πd/p)"),
    Entry("periodic kernel in the distance", _RASMUSSEN + ", (4.31)",
          lambda d, p, h: _periodic(d, p, h), {"h": "positive", "d": "positive", "p": "positive"}, "d",
          "−2π sin(2πd/p)exp(−2sin(πd/p)²/h²)/(ph²)"),
    Entry("inverse multiquadric", _SCHOLKOPF + ", 2.3",
          lambda x, y, c: 1 / sg.sqrt(c**2 + ((x - y) ** 2).sum()), {"x": "n", "y": "n", "c": "positive"}, "x",
          "−(x − y)/(c² + ‖x − y‖²)^(3/2)", "3rrᵀ/s⁵ − I/s³ where r = x − y, s = √(c² + ‖r‖²)"),
    Entry("centre of a radial basis function", "Bishop, Pattern Recognition and Machine Learning, 6.3",
          lambda c, x, w, s: w * sg.exp(-((x - c) ** 2).sum() / (2 * s**2)),
          {"c": "n", "x": "n", "w": "", "s": "positive"}, "c",
          "w(x − c)exp(−‖x − c‖²/(2s²))/s²"),
    Entry("lengths of many dimensions", _RASMUSSEN + ", (5.1)",
          lambda x, y, M: sg.exp(-((x - y) @ M @ (x - y)) / 2), {"x": "n", "y": "n", "M": "n n symmetric"}, "x",
          "−exp(−rᵀMr/2)Mr where r = x − y", "exp(−rᵀMr/2)(MrrᵀM − M) where r = x − y"),
    Entry("ridge regression by a kernel in its noise", _RASMUSSEN + ", 2.2",
          lambda v, K, k, y: k @ sg.linalg.solve(K + v * sg.eye(K.shape[0]), y),
          {"v": "positive", "K": "n n pd symmetric", "k": "n", "y": "n"}, "v",
          "−kᵀ(K + vI)⁻²y", "2kᵀ(K + vI)⁻³y"),
    Entry("variance of a prediction in the inputs", _RASMUSSEN + ", (2.26)",
          lambda k, K, v: v - k @ sg.linalg.solve(K, k), {"k": "n", "K": "n n pd symmetric", "v": ""}, "k",
          "−2K⁻¹k", "−2K⁻¹"),
)

_FACTORISATION = (
    Entry("factorisation with two penalties", _CICHOCKI + ", 4",
          lambda V, U, T, a, b: ((T - U @ V.T) ** 2).sum() / 2 + a / 2 * (U**2).sum() + b / 2 * (V**2).sum(),
          {**_FACTORS, "a": "positive", "b": "positive"}, "V",
          "(UVᵀ − T)ᵀU + bV", "I ⊗ (UᵀU + bI)"),
    Entry("factorisation by the beta divergence", _CICHOCKI + ", 2.6",
          lambda W, H, X, b: ((W @ H) ** b / b - X * (W @ H) ** (b - 1) / (b - 1)).sum(),
          {"W": "m k positive", "H": "k n positive", "X": "m n positive", "b": "fraction"}, "W",
          "(M^∘(b − 1) − X ⊙ M^∘(b − 2))Hᵀ where M = WH"),
    Entry("factorisation along a graph", "Cai et al. 2011, Graph regularized nonnegative matrix factorization",
          lambda V, U, T, L, λ: ((T - U @ V.T) ** 2).sum() + λ * sg.trace(V.T @ L @ V),
          {**_FACTORS, "L": "n n symmetric", "λ": "positive"}, "V",
          "2(UVᵀ − T)ᵀU + 2λLV"),
    Entry("convex factorisation", "Ding, Li and Jordan 2010, Convex and semi-nonnegative matrix factorizations",
          lambda W, X, G: ((X - X @ W @ G) ** 2).sum(), {"W": "n k", "X": "m n", "G": "k n"}, "W",
          "2XᵀX(WG − I)Gᵀ", "2XᵀX ⊗ GGᵀ"),
    Entry("three factors in the first", "Ding et al. 2006, Orthogonal nonnegative matrix tri-factorizations",
          lambda U, S, V, T: ((T - U @ S @ V.T) ** 2).sum(), {"U": "m k", "S": "k p", "V": "n p", "T": "m n"}, "U",
          "2(USVᵀ − T)VSᵀ", "2I ⊗ SVᵀVSᵀ"),
    Entry("two tables with one factor", "Singh and Gordon 2008, Relational learning via collective factorization",
          lambda U, V, W, X, Y: ((X - U @ V.T) ** 2).sum() + ((Y - U @ W.T) ** 2).sum(),
          {"U": "m k", "V": "n k", "W": "p k", "X": "m n", "Y": "m p"}, "U",
          "2(UVᵀ − X)V + 2(UWᵀ − Y)W", "2I ⊗ (VᵀV + WᵀW)"),
    Entry("symmetric factors in the core", "Nickel, Tresp and Kriegel 2011, A three-way model",
          lambda B, U, A: ((A - U @ B @ U.T) ** 2).sum(), {"B": "k k", "U": "n k", "A": "n n"}, "B",
          "2Uᵀ(UBUᵀ − A)U", "2UᵀU ⊗ UᵀU"),
    Entry("decoder of one hidden layer", "Goodfellow, Bengio and Courville, Deep Learning, 14",
          lambda V, W, X: ((X - sg.tanh(X @ W) @ V) ** 2).sum(), {"V": "k n", "W": "n k", "X": "m n"}, "V",
          "2Hᵀ(HV − X) where H = tanh(XW)", "2HᵀH ⊗ I where H = tanh(XW)"),
    Entry("encoder of one hidden layer", "Goodfellow, Bengio and Courville, Deep Learning, 14",
          lambda W, V, X: ((X - sg.tanh(X @ W) @ V) ** 2).sum(), {"V": "k n", "W": "n k", "X": "m n"}, "W",
          "2Xᵀ((HV − X)Vᵀ ⊙ (1 − H^∘2)) where H = tanh(XW)"),
)

_GRAPHS = (
    Entry("smoothness of features", "Belkin and Niyogi 2003, Laplacian eigenmaps",
          lambda X, L: sg.trace(X.T @ L @ X) / 2, {"X": "n k", "L": "n n symmetric"}, "X",
          "LX", "L ⊗ I"),
    Entry("heat content in the time", "Chung, Spectral Graph Theory, 10",
          lambda t, L, b, u: b @ sg.matrix_exp(-t * L) @ u, {"t": "fraction", "L": "n n symmetric", "b": "n", "u": "n"},
          "t",
          "−bᵀL matrix_exp(−tL)u", "bᵀL² matrix_exp(−tL)u"),
    Entry("Jacobian of an epidemic on a graph", "Newman, Networks, 17.10",
          lambda x, A, b, c: b * (1 - x) * (A @ x) - c * x,
          {"x": "n fraction", "A": "n n", "b": "positive", "c": "positive"}, "x",
          "b(diag(1 − x)A − diag(Ax)) − cI"),
    Entry("Jacobian of the replicator equation", _HOFBAUER + ", 7.1",
          lambda x, A: x * (A @ x - x @ A @ x), {"x": "n fraction", "A": "n n symmetric"}, "x",
          "diag(Ax − xᵀAx) + diag(x)A − 2xxᵀA"),
    Entry("Jacobian of predators and prey", _HOFBAUER + ", 5.1",
          lambda x, r, A: x * (r + A @ x), {"x": "n positive", "r": "n", "A": "n n"}, "x",
          "diag(r + Ax) + diag(x)A"),
    Entry("Jacobian of a recurrent network", "Dayan and Abbott, Theoretical Neuroscience, 7.4",
          lambda x, W, h: -x + W @ sg.tanh(x) + h, {"x": "n", "W": "n n", "h": "n"}, "x",
          "W diag(1 − tanh(x)²) − I"),
    Entry("edges as differences with a threshold", "Rudin, Osher and Fatemi 1992, Nonlinear total variation",
          lambda x, y, B, a: ((x - y) ** 2).sum() / 2 + a * sg.sqrt(1 + (B @ x) ** 2).sum(),
          {"x": "n", "y": "n", "B": "m n", "a": "positive"}, "x",
          "x − y + aBᵀ(Bx/√(1 + (Bx)²))", "I + aBᵀ diag(1/(1 + (Bx)²)^(3/2)) B"),
)

ENTRIES = _FORMS + _KERNELS + _FACTORISATION + _GRAPHS
