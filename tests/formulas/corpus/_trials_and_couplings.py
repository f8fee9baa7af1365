"""Second and mixed derivatives of trials, volatilities, couplings, fields, kernels and factors.

Written before any was printed and after the rules that `MIXED` asked for: measured once.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off

_DOBSON = "Dobson and Barnett, An Introduction to Generalized Linear Models"
_LAWLESS = "Lawless, Statistical Models and Methods for Lifetime Data"
_LUENBERGER = "Luenberger and Ye, Linear and Nonlinear Programming"
_REICHL = "Reichl, A Modern Course in Statistical Physics"
_ARNOLD = "Arnold, Mathematical Methods of Classical Mechanics"
_NEWMAN = "Newman, Networks"
_SCHARF = "Scharf, Statistical Signal Processing"
_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_DATTORRO = "Dattorro, Convex Optimization and Euclidean Distance Geometry"
_FIT = {"w": "n", "X": "m n", "y": "m"}
_MAP = {"x": "n", "A": "m n", "b": "m"}
_FORM = {"x": "n", "A": "n n symmetric"}

_MODELS = (
    Entry("dose and response with a natural mortality", _DOBSON + ", 7.3",
          lambda w, X, c: -sg.log(c + (1 - c) * sg.sigmoid(X @ w)).sum(), {"w": "n", "X": "m n", "c": "fraction"}, "w",
          "(c − 1)Xᵀ(p ⊙ (1 − p)/(c + (1 − c)p)) where p = σ(Xw)"),
    Entry("Poisson counts with weights and a ridge", _DOBSON + ", 9.2",
          lambda w, X, y, c, a: (c * (sg.exp(X @ w) - y * (X @ w))).sum() + a / 2 * (w @ w),
          {**_FIT, "c": "m positive", "a": "positive"}, "w",
          "Xᵀ(c ⊙ (exp(Xw) − y)) + aw", "Xᵀ diag(c ⊙ exp(Xw)) X + aI"),
    Entry("inverse link of gamma counts", _DOBSON + ", 3.3",
          lambda w, X, y: y @ (X @ w) - sg.log(X @ w).sum(), {"w": "n positive", "X": "m n positive", "y": "m"}, "w",
          None, "Xᵀ diag(1/(Xw)²) X"),
    Entry("square-root link of counts", _DOBSON + ", 4.3",
          lambda w, X, y: ((X @ w) ** 2).sum() - 2 * y @ sg.log(X @ w),
          {"w": "n positive", "X": "m n positive", "y": "m positive"}, "w",
          "2Xᵀ(Xw − y/(Xw))", "2Xᵀ diag(1 + y/(Xw)²) X"),
    Entry("logistic times with a stretch", _LAWLESS + ", 5.3",
          lambda a, z: (2 * sg.softplus(a * z) - a * z).sum() - sg.log(a), {"a": "positive", "z": "m"}, "a",
          "zᵀ(2σ(az) − 1) − 1/a", "2(z²)ᵀ(p ⊙ (1 − p)) + 1/a² where p = σ(az)"),
    Entry("score of extreme values in the location", _LAWLESS + ", 6.3",
          lambda b, w, X, d: X.T @ (sg.exp(X @ w - b) - d), {"b": "", "w": "n", "X": "m n", "d": "m"}, "b",
          "−Xᵀexp(Xw − b)"),
    Entry("half-normal errors by logarithms", _LAWLESS + ", 5.2",
          lambda t, x, y: ((y - x) ** 2).sum() * sg.exp(-t) / 2 + t, {"t": "", "x": "m", "y": "m"}, "t",
          None, "‖x − y‖²exp(−t)/2"),
    Entry("labels that flip", _BISHOP + ", 4.3",
          lambda x, e: -sg.log(e + (1 - 2 * e) * sg.sigmoid(x)), {"x": "", "e": "fraction"}, "x",
          "−(1 − 2e)p(1 − p)/(e + (1 − 2e)p) where p = σ(x)"),
    Entry("posterior of a Bayesian regression", _BISHOP + ", 3.3",
          lambda w, X, y, a, b: a / 2 * (w @ w) + b / 2 * ((y - X @ w) ** 2).sum(),
          {**_FIT, "a": "positive", "b": "positive"}, "w",
          None, "aI + bXᵀX"),
    Entry("evidence of a regression in the precision of the weights", _BISHOP + ", 3.5",
          lambda a, X, b: sg.logdet(a * sg.eye(X.shape[1]) + b * X.T @ X),
          {"a": "positive", "X": "m n", "b": "positive"},
          "a",
          "tr((aI + bXᵀX)⁻¹)", "−tr((aI + bXᵀX)⁻²)"),
    Entry("mixture of two experts", _BISHOP + ", 14.5",
          lambda x, a, b, u: sg.sigmoid(u @ x) * (a @ x) + (1 - sg.sigmoid(u @ x)) * (b @ x),
          {"x": "n", "a": "n", "b": "n", "u": "n"}, "x",
          "pa + (1 − p)b + p(1 − p)(a − b)ᵀx u where p = σ(uᵀx)"),
    Entry("sums of squares with a gate", _BISHOP + ", 5.1",
          lambda x, W, v: v @ (sg.sin(W @ x) ** 2), {"x": "n", "W": "m n", "v": "m"}, "x",
          "Wᵀ(v ⊙ sin(2Wx))", "2Wᵀ diag(v ⊙ cos(2Wx)) W"),
)

_COUPLINGS = (
    Entry("spins of a plane in a field", _REICHL + ", 5",
          lambda x, A, h: -(A * sg.cos(x[:, None] - x)).sum() / 2 - h @ sg.cos(x), {**_FORM, "h": "n"}, "x",
          "(A ⊙ sin(x𝟏ᵀ − 𝟏xᵀ))𝟏 + h ⊙ sin(x)",
          "diag(C𝟏 + h ⊙ cos(x)) − C where C = A ⊙ cos(x𝟏ᵀ − 𝟏xᵀ)"),
    Entry("bells between points on a line", _REICHL + ", 5",
          lambda x, A: (A * sg.exp(-((x[:, None] - x) ** 2) / 2)).sum() / 2, _FORM, "x",
          "−(A ⊙ R ⊙ exp(−R^∘2/2))𝟏 where R = x𝟏ᵀ − 𝟏xᵀ"),
    Entry("stress by squares on a line", _NEWMAN + ", 14",
          lambda x, A, D: (A * ((x[:, None] - x) ** 2 - D)).sum() / 4, {**_FORM, "D": "n n symmetric"}, "x",
          None, "diag(A𝟏) − A"),
    Entry("oscillators with a lag", _REICHL + ", 5",
          lambda x, A, w: w + A @ sg.sin(x), {"x": "n", "A": "n n", "w": "n"}, "x",
          "A diag(cos(x))"),
    Entry("logarithmic gas on a line", _REICHL + ", 5",
          lambda x, y: (x @ x) / 2 - sg.log(1 + (x - y) ** 2).sum(), {"x": "n", "y": "n"}, "x",
          "x − 2r/(1 + r²) where r = x − y", "I − 2 diag((1 − r²)/(1 + r²)²) where r = x − y"),
    Entry("quartic lattice", _ARNOLD + ", 5",
          lambda x, B, g: ((B @ x) ** 2).sum() / 2 + g / 4 * (x**4).sum(), {"x": "n", "B": "m n", "g": "positive"}, "x",
          "BᵀBx + gx³", "BᵀB + 3g diag(x²)"),
    Entry("mass that depends on the place", _ARNOLD + ", 5",
          lambda q, p, a: (p @ p) / (2 * (1 + a * (q @ q))), {"q": "n", "p": "n", "a": "positive"}, "q",
          "−a‖p‖²q/(1 + a‖q‖²)²", "4a²‖p‖²qqᵀ/s³ − a‖p‖²I/s² where s = 1 + a‖q‖²"),
    Entry("momentum's velocity with that mass, mixed", _ARNOLD + ", 5",
          lambda q, p, a: p / (1 + a * (q @ q)), {"q": "n", "p": "n", "a": "positive"}, "q",
          "−2apqᵀ/(1 + a‖q‖²)²"),
    Entry("pull towards a sphere", _ARNOLD + ", 3",
          lambda x, c: (sg.linalg.norm(x) - c) ** 2 / 2, {"x": "n", "c": "positive"}, "x",
          None, "(1 − c/s)I + cxxᵀ/s³ where s = ‖x‖"),
    Entry("quartic in a norm", _ARNOLD + ", 3",
          lambda x, g: g / 4 * (x @ x) ** 2 - (x @ x) / 2, {"x": "n", "g": "positive"}, "x",
          "(g‖x‖² − 1)x", "(g‖x‖² − 1)I + 2gxxᵀ"),
    Entry("diffusive flow on edges", _NEWMAN + ", 6.13",
          lambda x, B, c: B.T @ (c * sg.tanh(B @ x)), {"x": "n", "B": "m n", "c": "m positive"}, "x",
          "Bᵀ diag(c ⊙ (1 − tanh(Bx)²)) B"),
    Entry("epidemic on a network", _NEWMAN + ", 17",
          lambda x, A, b, g: b * (1 - x) * (A @ x) - g * x,
          {"x": "n", "A": "n n", "b": "positive", "g": "positive"}, "x",
          "b diag(1 − x)A − diag(bAx + g)"),
)

_PROGRAMS = (
    Entry("penalty of a product constraint", _LUENBERGER + ", 13",
          lambda x, a, b, c: c / 2 * (a @ x * (b @ x) - 1) ** 2, {"x": "n", "a": "n", "b": "n", "c": "positive"}, "x",
          "c(uv − 1)(va + ub) where u = aᵀx, v = bᵀx"),
    Entry("barrier and a form of a residual", _LUENBERGER + ", 13",
          lambda x, A, b, Q, t: (A @ x - b) @ Q @ (A @ x - b) / 2 - t * sg.log(x).sum(),
          {"x": "n positive", "A": "m n", "b": "m", "Q": "m m symmetric", "t": "positive"}, "x",
          "AᵀQ(Ax − b) − t/x", "AᵀQA + t diag(1/x²)"),
    Entry("root of a sum of squares, weighted", _LUENBERGER + ", 7",
          lambda x, c: sg.sqrt(1 + c @ x**2), {"x": "n", "c": "n positive"}, "x",
          "c ⊙ x/√(1 + cᵀx²)", "diag(c)/s − uuᵀ/s³ where u = c ⊙ x, s = √(1 + cᵀx²)"),
    Entry("sigmoid of a residual's square", _LUENBERGER + ", 7",
          lambda x, A, b: sg.sigmoid(((A @ x - b) ** 2).sum() / 2), _MAP, "x",
          "p(1 − p)Aᵀr where r = Ax − b, p = σ(‖r‖²/2)",
          "p(1 − p)Aᵀ(I + (1 − 2p)rrᵀ)A where r = Ax − b, p = σ(‖r‖²/2)"),
    Entry("logarithm of a residual's square", _LUENBERGER + ", 7",
          lambda x, A, b, e: sg.log(e + ((A @ x - b) ** 2).sum()) / 2, {**_MAP, "e": "positive"}, "x",
          "Aᵀr/(e + ‖r‖²) where r = Ax − b", "AᵀA/s − 2AᵀrrᵀA/s² where r = Ax − b, s = e + ‖r‖²"),
    Entry("bell of a residual", _SCHARF + ", 4",
          lambda x, A, b: -sg.exp(-((A @ x - b) ** 2).sum() / 2), _MAP, "x",
          "exp(−‖r‖²/2)Aᵀr where r = Ax − b", "exp(−‖r‖²/2)Aᵀ(I − rrᵀ)A where r = Ax − b"),
    Entry("tail of a form", _SCHARF + ", 4",
          lambda x, A, a: sg.tanh(a * (x @ A @ x)), {**_FORM, "a": "positive"}, "x",
          "2a(1 − t²)Ax where t = tanh(axᵀAx)", "2a(1 − t²)(A − 4atAxxᵀA) where t = tanh(axᵀAx)"),
    Entry("phase of a linear form", _SCHARF + ", 4",
          lambda x, a, b: (a @ x) * sg.sin(b @ x), {"x": "n", "a": "n", "b": "n"}, "x",
          "sin(u)a + aᵀx cos(u)b where u = bᵀx",
          "cos(u)(abᵀ + baᵀ) − aᵀx sin(u)bbᵀ where u = bᵀx"),
    Entry("matched filter's loss in the weights", _SCHARF + ", 4",
          lambda x, R, h, c: x @ R @ x / 2 - c * sg.log(h @ x),
          {"x": "n positive", "R": "n n symmetric", "h": "n positive", "c": "positive"}, "x",
          "Rx − ch/hᵀx", "R + chhᵀ/(hᵀx)²"),
    Entry("quadratic form of a resolvent", _SCHARF + ", 9",
          lambda c, A, a: a @ sg.linalg.solve(A + c * sg.eye(A.shape[0]), a),
          {"c": "positive", "A": "n n pd symmetric", "a": "n"}, "c",
          "−‖(A + cI)⁻¹a‖²", "2aᵀ(A + cI)⁻³a"),
)

_MATRICES = (
    Entry("distance geometry of a factor", _DATTORRO + ", 5",
          lambda X, W: sg.trace(X.T @ W @ X) / 2 - sg.log((X**2).sum()), {"X": "m k", "W": "m m symmetric"}, "X",
          "WX − 2X/‖X‖²"),
    Entry("Gram matrix near a target, with weights", _DATTORRO + ", 5",
          lambda X, A, W: (W * (X @ X.T - A) ** 2).sum() / 4,
          {"X": "m k", "A": "m m symmetric", "W": "m m symmetric"}, "X",
          "(W ⊙ (XXᵀ − A))X"),
    Entry("rows on a simplex by softmax", _DATTORRO + ", 2",
          lambda X, A: (sg.softmax(X, 1) * A).sum(), {"X": "m n", "A": "m n"}, "X",
          "P ⊙ (A − (A ⊙ P)𝟏𝟏ᵀ) where P = softmax(X, dim=1)"),
    Entry("two-sided product with a ridge", _DATTORRO + ", 2",
          lambda X, A, B, c: ((A @ X @ B) ** 2).sum() / 2 + c / 2 * (X**2).sum(),
          {"X": "n k", "A": "m n", "B": "k p", "c": "positive"}, "X",
          "AᵀAXBBᵀ + cX", "AᵀA ⊗ BBᵀ + cI ⊗ I"),
    Entry("trace of a product and its square", _DATTORRO + ", 2",
          lambda X, A: sg.trace(A @ X) ** 2 / 2, {"X": "n m", "A": "m n"}, "X",
          "tr(AX)Aᵀ"),
    Entry("norm of an inverse's column", _DATTORRO + ", 2",
          lambda X, b: ((sg.linalg.inv(X) @ b) ** 2).sum() / 2, {"X": "n n invertible", "b": "n"}, "X",
          "−X⁻ᵀzzᵀ where z = X⁻¹b"),
    Entry("scaled rows near a target", _DATTORRO + ", 2",
          lambda x, A, B: ((x[:, None] * A - B) ** 2).sum() / 2, {"x": "m", "A": "m n", "B": "m n"}, "x",
          "diag((diag(x)A − B)Aᵀ)", "diag(A^∘2 𝟏)"),
    Entry("Gram matrix of scaled rows", _DATTORRO + ", 2",
          lambda x, A, c: ((A.T @ sg.diag(x) @ A) ** 2).sum() / 4 + c @ x, {"x": "m", "A": "m n", "c": "m"}, "x",
          "((AAᵀ)^∘2 x)/2 + c", "(AAᵀ)^∘2/2"),
)

ENTRIES = _MODELS + _COUPLINGS + _PROGRAMS + _MATRICES
