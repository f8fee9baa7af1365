"""Second derivatives of bonds, economics, chemistry, optics, circuits, control, graphs, norms, quotients and softmax.

Written before any was printed. Two lines of three are Hessians: of the entries that had both, every third kept its
gradient.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_LEACH = "Leach, Molecular Modelling"
_HOLZAPFEL = "Holzapfel, Nonlinear Solid Mechanics"
_VARIAN = "Varian, Microeconomic Analysis"
_DEATON = "Deaton and Muellbauer, Economics and Consumer Behavior"
_ATKINS = "Atkins and de Paula, Physical Chemistry"
_HECHT = "Hecht, Optics"
_HOROWITZ = "Horowitz and Hill, The Art of Electronics"
_KHALIL = "Khalil, Nonlinear Systems"
_NEWMAN = "Newman, Networks"
_BOYD = "Boyd and Vandenberghe, Convex Optimization"
_HORN = "Horn and Johnson, Matrix Analysis"
_PETERS = "Peters, Mülling and Altün 2010, Relative entropy policy search"
_PAIR = {"x": "n", "y": "n"}
_EDGES = {"x": "n", "B": "m n", "c": "m positive"}
_MAP = {"x": "n", "A": "m n"}
_FORM = {"x": "n", "A": "n n symmetric"}
_DIFFERENCE = " where r = x − y, s = ‖r‖"
_POINTS = "R = 𝟏xᵀ − Y"


def _apart(x, y):
    return ((x - y) ** 2).sum()


def _rows_apart(x, Y):
    return ((x - Y) ** 2).sum(1)


def _translog(x, a, B):
    return a @ sg.log(x) + sg.log(x) @ B @ sg.log(x) / 2


def _angle(x, y, c):
    return (x @ y / (sg.linalg.norm(x) * sg.linalg.norm(y)) - c) ** 2 / 2


def _saturated(u, G, y):
    return ((y - G @ sg.tanh(u)) ** 2).sum() / 2


_BONDS = (
    Entry("bond between two points", _LEACH + ", 4.3",
          lambda x, y, k, d: k / 2 * (sg.linalg.norm(x - y) - d) ** 2, {**_PAIR, "k": "positive", "d": "positive"},
          "x",
          None, "k((1 − d/s)I + drrᵀ/s³)" + _DIFFERENCE),
    Entry("bond by its squared length", _LEACH + ", 4.3",
          lambda x, y, k, d: k / 4 * (_apart(x, y) - d**2) ** 2, {**_PAIR, "k": "positive", "d": "positive"}, "x",
          "k(‖x − y‖² − d²)(x − y)", "k((‖r‖² − d²)I + 2rrᵀ) where r = x − y"),
    Entry("Morse bond in space", _LEACH + ", 4.3",
          lambda x, y, a, d: (1 - sg.exp(-a * (sg.linalg.norm(x - y) - d))) ** 2,
          {**_PAIR, "a": "positive", "d": "positive"}, "x",
          "2au(1 − u)r/s where r = x − y, s = ‖r‖, u = exp(−a(s − d))"),
    Entry("energy of an angle", _LEACH + ", 4.4",
          _angle, {**_PAIR, "c": "fraction"}, "x",
          "(q − c)(y/(‖x‖‖y‖) − qx/‖x‖²) where q = xᵀy/(‖x‖‖y‖)"),
    Entry("torsions of a molecule", _LEACH + ", 4.5",
          lambda t, k, a, d: (k * (1 + sg.cos(a * t - d))).sum(), {"t": "n", "k": "n positive", "a": "", "d": "n"}, "t",
          None, "−a² diag(k ⊙ cos(at − d))"),
    Entry("smooth lengths along edges", _LEACH + ", 4",
          lambda x, B, c: (c * sg.sqrt(1 + (B @ x) ** 2)).sum(), _EDGES, "x",
          None, "Bᵀ diag(c/(1 + (Bx)²)^(3/2)) B"),
    Entry("bending of three points", _LEACH + ", 4.4",
          lambda y, x, z, k: k / 2 * ((x - 2 * y + z) ** 2).sum(), {"y": "n", "x": "n", "z": "n", "k": "positive"}, "y",
          "2k(2y − x − z)", "4kI"),
    Entry("penalty of a volume", _HOLZAPFEL + ", 6.4",
          lambda X, v: (sg.linalg.det(X) - v) ** 2 / 2, {"X": "n n invertible", "v": "positive"}, "X",
          "(det(X) − v)det(X)X⁻ᵀ"),
    Entry("stretched rubber", _HOLZAPFEL + ", 6.5",
          lambda x, a: a * (x**2 + 2 / x - 3), {"x": "positive", "a": "positive"}, "x",
          None, "2a(1 + 2/x³)"),
    Entry("charge near another", _LEACH + ", 4.9",
          lambda x, y, q: q / sg.linalg.norm(x - y), {**_PAIR, "q": ""}, "x",
          None, "q(3rrᵀ/s⁵ − I/s³)" + _DIFFERENCE),
    Entry("weighted distances to points", _BOYD + ", 8.7",
          lambda x, Y, c: (c * sg.sqrt(_rows_apart(x, Y))).sum(), {"x": "n", "Y": "m n", "c": "m positive"}, "x",
          "sum(q)x − Yᵀq where q = c/√((𝟏xᵀ − Y)^∘2 𝟏)",
          "sum(c/s)I − Rᵀ diag(c/s³) R where " + _POINTS + ", s = √(R^∘2 𝟏)"),
    Entry("place by its distances", _BOYD + ", 8.7",
          lambda x, Y, c, d: (c * (_rows_apart(x, Y) - d) ** 2).sum() / 4,
          {"x": "n", "Y": "m n", "c": "m positive", "d": "m positive"}, "x",
          None, "sum(c ⊙ (R^∘2 𝟏 − d))I + 2Rᵀ diag(c) R where " + _POINTS),
)

_ECONOMICS = (
    Entry("utility of constant elasticity", _VARIAN + ", 1.13",
          lambda x, a, r: (a @ x**r) ** (1 / r), {"x": "n positive", "a": "n positive", "r": "fraction"}, "x",
          None, "(1 − r)s^(1/r − 2)(qqᵀ − s diag(q/x)) where q = a ⊙ x^(r − 1), s = aᵀx^r"),
    Entry("Cobb-Douglas of many goods", _VARIAN + ", 1.8",
          lambda x, a: sg.exp(a @ sg.log(x)), {"x": "n positive", "a": "n positive"}, "x",
          "exp(aᵀlog(x))a/x", "exp(aᵀlog(x))(qqᵀ − diag(a/x²)) where q = a/x"),
    Entry("translog cost in the logarithms", _DEATON + ", 3.3",
          lambda z, a, B, y: a @ z + z @ B @ z / 2 + sg.exp(y * (a @ z)),
          {"z": "n", "a": "n", "B": "n n symmetric", "y": "positive"}, "z",
          None, "B + y² exp(yaᵀz)aaᵀ"),
    Entry("translog cost in the prices", _DEATON + ", 3.3",
          _translog, {"x": "n positive", "a": "n", "B": "n n symmetric"}, "x",
          None, "diag(1/x)(B − diag(a + B log(x)))diag(1/x)"),
    Entry("almost ideal expenditure", _DEATON + ", 3.4",
          lambda z, a, B, b, u: a @ z + z @ B @ z / 2 + u * sg.exp(b @ z),
          {"z": "n", "a": "n", "B": "n n symmetric", "b": "n", "u": "positive"}, "z",
          "a + Bz + u exp(bᵀz)b", "B + u exp(bᵀz)bbᵀ"),
    Entry("expected power utility", _VARIAN + ", 11.7",
          lambda x, p, g: p @ x ** (1 - g) / (1 - g), {"x": "n positive", "p": "n positive", "g": "fraction"}, "x",
          None, "−g diag(p/x^(g + 1))"),
    Entry("exponential utility of a portfolio", _VARIAN + ", 11.7",
          lambda x, R, p, a: -(p @ sg.exp(-a * (R @ x))), {"x": "n", "R": "m n", "p": "m positive", "a": "positive"},
          "x",
          None, "−a²Rᵀ diag(p ⊙ exp(−aRx)) R"),
    Entry("quasi-linear utility", _VARIAN + ", 10.3",
          lambda x, a, p: sg.log(a @ x) - p @ x, {"x": "n positive", "a": "n positive", "p": "n"}, "x",
          None, "−aaᵀ/(aᵀx)²"),
    Entry("smooth technology of Leontief", _VARIAN + ", 1.2",
          lambda x, a, t: -sg.logsumexp(-t * x / a, 0) / t, {"x": "n", "a": "n positive", "t": "positive"}, "x",
          "softmax(−tx/a)/a", "t diag(1/a)(ppᵀ − diag(p))diag(1/a) where p = softmax(−tx/a)"),
    Entry("price index of Dixit and Stiglitz", _VARIAN + ", 7.5",
          lambda p, a, s: (a @ p ** (1 - s)) ** (1 / (1 - s)),
          {"p": "n positive", "a": "n positive", "s": "wide"}, "p",
          "(aᵀp^(1 − s))^(s/(1 − s))a/p^s"),
    Entry("profit under decreasing returns", _VARIAN + ", 2.2",
          lambda x, p, w, a: p * x**a - w * x, {"x": "positive", "p": "positive", "w": "positive", "a": "fraction"},
          "x",
          None, "a(a − 1)px^(a − 2)"),
)

_CHEMISTRY = (
    Entry("Arrhenius and its curvature", _ATKINS + ", 20.5",
          lambda T, A, a: A * sg.exp(-a / T), {"T": "positive", "A": "positive", "a": "positive"}, "T",
          None, "aA exp(−a/T)(a − 2T)/T⁴"),
    Entry("fit of Arrhenius in the activation energy", _ATKINS + ", 20.5",
          lambda a, b, k, T: ((sg.log(k) - b + a / T) ** 2).sum() / 2,
          {"a": "positive", "b": "", "k": "m positive", "T": "m positive"}, "a",
          None, "sum(1/T²)"),
    Entry("fit of Michaelis and Menten in the rate", _ATKINS + ", 20.7",
          lambda v, y, x, c: ((y - v * x / (c + x)) ** 2).sum() / 2,
          {"v": "positive", "y": "m", "x": "m positive", "c": "positive"}, "v",
          "(vu − y)ᵀu where u = x/(c + x)", "‖x/(c + x)‖²"),
    Entry("fit of Michaelis and Menten in the constant", _ATKINS + ", 20.7",
          lambda c, y, x, v: ((y - v * x / (c + x)) ** 2).sum() / 2,
          {"v": "positive", "y": "m", "x": "m positive", "c": "positive"}, "c",
          "v sum(x ⊙ (y − vx/(c + x))/(c + x)²)"),
    Entry("Hill in the logarithm", _ATKINS + ", 20.7",
          lambda x, a, c: sg.sigmoid(a * (x - c)), {"x": "", "a": "positive", "c": ""}, "x",
          None, "a²p(1 − p)(1 − 2p) where p = σ(a(x − c))"),
    Entry("binding polynomial", _ATKINS + ", 6.2",
          lambda x, a: sg.log(1 + a @ x), {"x": "n positive", "a": "n positive"}, "x",
          None, "−aaᵀ/(1 + aᵀx)²"),
    Entry("free energy of an ideal mixture", _ATKINS + ", 5.2",
          lambda x, u: x @ (u + sg.log(x)) - x.sum() * sg.log(x.sum()), {"x": "n positive", "u": "n"}, "x",
          None, "diag(1/x) − 𝟏𝟏ᵀ/sum(x)"),
    Entry("competitive adsorption", _ATKINS + ", 22.3",
          lambda x, a, b: a @ x / (1 + b @ x), {"x": "n positive", "a": "n", "b": "n positive"}, "x",
          "a/(1 + bᵀx) − aᵀxb/(1 + bᵀx)²", "2aᵀxbbᵀ/s³ − (abᵀ + baᵀ)/s² where s = 1 + bᵀx"),
    Entry("fit of a decay in the amplitude", _ATKINS + ", 20.3",
          lambda a, y, t, k: ((y - a * sg.exp(-k * t)) ** 2).sum() / 2, {"a": "", "y": "m", "t": "m", "k": "positive"},
          "a",
          None, "‖exp(−kt)‖²"),
    Entry("fit of a decay in the rate, its curvature", _ATKINS + ", 20.3",
          lambda k, y, t: ((y - sg.exp(-k * t)) ** 2).sum() / 2, {"k": "", "y": "m", "t": "m"}, "k",
          None, "(t²)ᵀ(u ⊙ (2u − y)) where u = exp(−kt)"),
    Entry("activity of Debye and Hückel", _ATKINS + ", 5.9",
          lambda x, a: -a * sg.sqrt(x) / (1 + sg.sqrt(x)), {"x": "positive", "a": "positive"}, "x",
          "−a/(2√x(1 + √x)²)"),
    Entry("current of Butler and Volmer", _ATKINS + ", 22.9",
          lambda x, j, a, b: j * (sg.exp(a * x) - sg.exp(-b * x)),
          {"x": "", "j": "positive", "a": "positive", "b": "positive"}, "x",
          "j(a exp(ax) + b exp(−bx))", "j(a² exp(ax) − b² exp(−bx))"),
)

_OPTICS_AND_CIRCUITS = (
    Entry("image of a thin lens", _HECHT + ", 5.2",
          lambda x, f: 1 / (1 / f - 1 / x), {"x": "wide", "f": "positive"}, "x",
          None, "2f²/(x − f)³"),
    Entry("width of a beam", _HECHT + ", 13.1",
          lambda z, w, a: w * sg.sqrt(1 + (z / a) ** 2), {"z": "", "w": "positive", "a": "positive"}, "z",
          None, "w/(a²(1 + z²/a²)^(3/2))"),
    Entry("two beams in phase", _HECHT + ", 9.1",
          lambda t, a, b: a + b + 2 * sg.sqrt(a * b) * sg.cos(t), {"t": "", "a": "positive", "b": "positive"}, "t",
          "−2√(ab)sin(t)", "−2√(ab)cos(t)"),
    Entry("power of a diode", _HOROWITZ + ", 1.2",
          lambda v, j, a: j * v * (sg.exp(v / a) - 1), {"v": "", "j": "positive", "a": "positive"}, "v",
          None, "j(2 + v/a)exp(v/a)/a"),
    Entry("divider in one resistance", _HOROWITZ + ", 1.2",
          lambda r, s, v: v * r / (r + s), {"r": "positive", "s": "positive", "v": ""}, "r",
          None, "−2sv/(r + s)³"),
    Entry("resonance in the inductance", _HOROWITZ + ", 1.7",
          lambda x, r, w, c: 1 / sg.sqrt(r**2 + (w * x - 1 / (w * c)) ** 2),
          {"x": "positive", "r": "positive", "w": "positive", "c": "positive"}, "x",
          "−wz/(r² + z²)^(3/2) where z = wx − 1/(cw)",
          "w²(2z² − r²)/(r² + z²)^(5/2) where z = wx − 1/(cw)"),
    Entry("nonlinear conductances", _HOROWITZ + ", 1.2",
          lambda x, B, c: (c * sg.cosh(B @ x)).sum(), _EDGES, "x",
          None, "Bᵀ diag(c ⊙ cosh(Bx)) B"),
    Entry("many resistors in parallel", _HOROWITZ + ", 1.2",
          lambda r: 1 / (1 / r).sum(), {"r": "n positive"}, "r",
          None, "2qqᵀ/s³ − 2diag(1/r³)/s² where q = 1/r², s = sum(1/r)"),
)

_CONTROL = (
    Entry("tracking through saturation", _KHALIL + ", 14",
          _saturated, {"u": "n", "G": "m n", "y": "m"}, "u",
          "(t² − 1) ⊙ Gᵀ(y − Gt) where t = tanh(u)",
          "diag(1 − t²)GᵀG diag(1 − t²) + 2diag(t ⊙ (1 − t²) ⊙ Gᵀ(y − Gt)) where t = tanh(u)"),
    Entry("inverse barrier of an ellipsoid", _BOYD + ", 11",
          lambda x, P, c: 1 / (c - x @ P @ x), {"x": "n fraction", "P": "n n symmetric", "c": "wide"}, "x",
          None, "2P/s² + 8PxxᵀP/s³ where s = c − xᵀPx"),
    Entry("effort of a vector, smoothed", _KHALIL + ", 14",
          lambda u: sg.sqrt(1 + u @ u), {"u": "n"}, "u",
          None, "I/s − uuᵀ/s³ where s = √(1 + ‖u‖²)"),
    Entry("cost after a saturated step", _KHALIL + ", 14",
          lambda u, x, A, B, Q: sg.tanh(A @ x + B @ u) @ Q @ sg.tanh(A @ x + B @ u) / 2,
          {"u": "k", "x": "n", "A": "n n", "B": "n k", "Q": "n n symmetric"}, "u",
          "Bᵀ((1 − t²) ⊙ Qt) where t = tanh(Ax + Bu)"),
    Entry("energy in the input matrix", _KHALIL + ", 6",
          lambda B, A, x: x @ sg.linalg.solve(A + B @ B.T, x), {"B": "n k", "A": "n n pd symmetric", "x": "n"}, "B",
          "−2zzᵀB where z = (A + BBᵀ)⁻¹x"),
    Entry("Lyapunov function with a logarithm", _KHALIL + ", 4",
          lambda x, P, c: sg.log(c - x @ P @ x), {"x": "n fraction", "P": "n n symmetric", "c": "wide"}, "x",
          None, "−2P/s − 4PxxᵀP/s² where s = c − xᵀPx"),
)

_GRAPHS = (
    Entry("soft preferences on edges", _NEWMAN + ", 14",
          lambda x, B, c: (c * sg.softplus(B @ x)).sum(), _EDGES, "x",
          None, "Bᵀ diag(c ⊙ p ⊙ (1 − p)) B where p = σ(Bx)"),
    Entry("smooth variation with weights", _NEWMAN + ", 14",
          lambda x, B, c: (c * sg.log(sg.cosh(B @ x))).sum(), _EDGES, "x",
          None, "Bᵀ diag(c ⊙ (1 − tanh(Bx)²)) B"),
    Entry("modularity of a split", _NEWMAN + ", 11.8",
          lambda x, A, d, c: x @ A @ x - (d @ x) ** 2 / c, {**_FORM, "d": "n", "c": "positive"}, "x",
          "2(Ax − dᵀxd/c)", "2(A − ddᵀ/c)"),
    Entry("differences over all edges", _NEWMAN + ", 6.13",
          lambda x, A: (A * (x[:, None] - x) ** 2).sum() / 4, _FORM, "x",
          None, "diag(A𝟏) − A"),
    Entry("scaling of a table", "Peyré and Cuturi, Computational Optimal Transport, 4",
          lambda x, y, A, a: sg.exp(x) @ A @ sg.exp(y) - a @ x, {"x": "m", "y": "n", "A": "m n", "a": "m"}, "x",
          None, "diag(exp(x) ⊙ A exp(y))"),
    Entry("balancing of a matrix", "Kalantari, Khachiyan and Shokoufandeh 1997",
          lambda x, A: sg.exp(x) @ A @ sg.exp(-x), {"x": "n", "A": "n n"}, "x",
          "u ⊙ Av − v ⊙ Aᵀu where u = exp(x), v = exp(−x)",
          "diag(u ⊙ Av + v ⊙ Aᵀu) − diag(u)A diag(v) − diag(v)Aᵀ diag(u) where u = exp(x), v = exp(−x)"),
    Entry("residual of a ranking", _NEWMAN + ", 7.4",
          lambda x, A, a, b: ((x - a * (A @ x) - b) ** 2).sum() / 2, {"x": "n", "A": "n n", "a": "fraction", "b": "n"},
          "x",
          None, "(I − aA)ᵀ(I − aA)"),
)

_NORMS = (
    Entry("norm of a scaled vector", _HORN + ", 5.1",
          lambda x, c: sg.linalg.norm(c * x), {"x": "n", "c": "n positive"}, "x",
          None, "diag(c²)/s − qqᵀ/s³ where q = c² ⊙ x, s = ‖c ⊙ x‖"),
    Entry("norm of an exponential", _HORN + ", 5.1",
          lambda x: sg.linalg.norm(sg.exp(x)), {"x": "n"}, "x",
          "u²/‖u‖ where u = exp(x)", "2diag(u²)/‖u‖ − u²(u²)ᵀ/‖u‖³ where u = exp(x)"),
    Entry("squared norm of tanh(Ax)", _HORN + ", 5.1",
          lambda x, A: (sg.tanh(A @ x) ** 2).sum() / 2, _MAP, "x",
          None, "Aᵀ diag((1 − t²) ⊙ (1 − 3t²)) A where t = tanh(Ax)"),
    Entry("squared error of logistic units", _HORN + ", 5.1",
          lambda x, A, y: ((sg.sigmoid(A @ x) - y) ** 2).sum() / 2, {**_MAP, "y": "m"}, "x",
          None, "Aᵀ diag(q² + (p − y) ⊙ q ⊙ (1 − 2p)) A where p = σ(Ax), q = p ⊙ (1 − p)"),
    Entry("fourth power of the norm of Ax, its curvature", _HORN + ", 5.1",
          lambda x, A: sg.linalg.norm(A @ x) ** 4 / 4, _MAP, "x",
          None, "‖Ax‖²AᵀA + 2AᵀAxxᵀAᵀA"),
    Entry("norm of a residual and a norm", _BOYD + ", 6.3",
          lambda x, A, b, c: sg.linalg.norm(A @ x - b) + c * sg.linalg.norm(x), {**_MAP, "b": "m", "c": "positive"},
          "x",
          "Aᵀr/‖r‖ + cx/‖x‖ where r = Ax − b",
          "AᵀA/s − AᵀrrᵀA/s³ + c(I/t − xxᵀ/t³) where r = Ax − b, s = ‖r‖, t = ‖x‖"),
    Entry("reciprocal of the norm of Ax", _HORN + ", 5.1",
          lambda x, A: 1 / sg.linalg.norm(A @ x), _MAP, "x",
          None, "3AᵀAxxᵀAᵀA/s⁵ − AᵀA/s³ where s = ‖Ax‖"),
    Entry("logarithm of a residual's norm", _BOYD + ", 6",
          lambda x, A, b: sg.log(sg.linalg.norm(A @ x - b)), {**_MAP, "b": "m"}, "x",
          None, "AᵀA/‖r‖² − 2AᵀrrᵀA/‖r‖⁴ where r = Ax − b"),
    Entry("norm of order four of Ax", _HORN + ", 5.2",
          lambda x, A: ((A @ x) ** 4).sum() ** 0.25, _MAP, "x",
          "Aᵀ(Ax)³/sum((Ax)⁴)^(3/4)"),
    Entry("root of a constant and a quadratic form", _HORN + ", 5.2",
          lambda x, P, c: sg.sqrt(c + x @ P @ x), {"x": "n", "P": "n n pd symmetric", "c": "positive"}, "x",
          None, "P/s − PxxᵀP/s³ where s = √(c + xᵀPx)"),
    Entry("smoothed norms of rows", _BOYD + ", 6",
          lambda X, c: sg.sqrt((X**2).sum(1) + c).sum(), {"X": "m n", "c": "positive"}, "X",
          "diag(1/√(X^∘2 𝟏 + c))X"),
)

_QUOTIENTS = (
    Entry("Rayleigh quotient, its curvature", _HORN + ", 4.2",
          lambda x, A: (x @ A @ x) / (x @ x), _FORM, "x",
          None, "2(A − qI − xgᵀ − gxᵀ)/‖x‖² where q = xᵀAx/‖x‖², g = 2(Ax − qx)/‖x‖²"),
    Entry("generalised Rayleigh quotient, its curvature", _HORN + ", 4.2",
          lambda x, A, B: (x @ A @ x) / (x @ B @ x), {**_FORM, "B": "n n pd symmetric"}, "x",
          None, "2(A − qB − Bxgᵀ − gxᵀB)/s where s = xᵀBx, q = xᵀAx/s, g = 2(Ax − qBx)/s"),
    Entry("cosine against a direction", _HORN + ", 5.1",
          lambda x, a: a @ x / sg.linalg.norm(x), {"x": "n", "a": "n"}, "x",
          None, "3aᵀxxxᵀ/s⁵ − (axᵀ + xaᵀ + aᵀxI)/s³ where s = ‖x‖"),
    Entry("Sharpe ratio, its curvature", _BOYD + ", 4",
          lambda x, u, S: u @ x / sg.sqrt(x @ S @ x), {"x": "n positive", "u": "n positive", "S": "n n pd symmetric"},
          "x",
          "u/s − uᵀxSx/s³ where s = √(xᵀSx)",
          "3uᵀxSxxᵀS/s⁵ − (uxᵀS + Sxuᵀ + uᵀxS)/s³ where s = √(xᵀSx)"),
    Entry("squared ratio of signal to noise", _BOYD + ", 4",
          lambda x, a, S: (a @ x) ** 2 / (x @ S @ x), {"x": "n", "a": "n", "S": "n n pd symmetric"}, "x",
          None, "2rrᵀ/q − 2t²S where q = xᵀSx, t = aᵀx/q, r = a − 2tSx"),
    Entry("gain of a matrix", _HORN + ", 5.6",
          lambda x, A: ((A @ x) ** 2).sum() / (x @ x), _MAP, "x",
          "2(AᵀAx − qx)/‖x‖² where q = ‖Ax‖²/‖x‖²"),
    Entry("linear form over one and a squared norm", _HORN + ", 5.1",
          lambda x, a: a @ x / (1 + x @ x), {"x": "n", "a": "n"}, "x",
          None, "8aᵀxxxᵀ/s³ − 2(axᵀ + xaᵀ + aᵀxI)/s² where s = 1 + ‖x‖²"),
    Entry("squared norm over a sum", _BOYD + ", 3.2",
          lambda x: (x @ x) / x.sum(), {"x": "n positive"}, "x",
          "2x/sum(x) − ‖x‖²/sum(x)²", "2I/s − 2(x𝟏ᵀ + 𝟏xᵀ)/s² + 2‖x‖²𝟏𝟏ᵀ/s³ where s = sum(x)"),
    Entry("normalised fourth moment", _HORN + ", 5.1",
          lambda x: (x**4).sum() / (x @ x) ** 2, {"x": "n"}, "x",
          "4x³/‖x‖⁴ − 4sum(x⁴)x/‖x‖⁶"),
)

_SOFTMAX = (
    Entry("mean reward of a linear policy", _PETERS,
          lambda x, A, u: u @ sg.softmax(A @ x, 0), {**_MAP, "u": "m"}, "x",
          None, "Aᵀ(diag(q) − pqᵀ − qpᵀ)A where p = softmax(Ax), q = p ⊙ (u − uᵀp)"),
    Entry("purity of a softmax", _PETERS,
          lambda x: (sg.softmax(x, 0) ** 2).sum() / 2, {"x": "n"}, "x",
          "p ⊙ (p − ‖p‖²) where p = softmax(x)"),
    Entry("squared error of a softmax", _PETERS,
          lambda x, y: ((sg.softmax(x, 0) - y) ** 2).sum() / 2, {"x": "n", "y": "n"}, "x",
          "p ⊙ (r − pᵀr) where p = softmax(x), r = p − y"),
    Entry("surprise of a set of classes", _PETERS,
          lambda x, u: -sg.log(u @ sg.softmax(x, 0)), {"x": "n", "u": "n positive"}, "x",
          None, "diag(p) − ppᵀ − diag(q) + qqᵀ where p = softmax(x), q = u ⊙ p/uᵀp"),
    Entry("smooth range of a vector", _BOYD + ", 3.1",
          lambda x: sg.logsumexp(x, 0) + sg.logsumexp(-x, 0), {"x": "n"}, "x",
          "softmax(x) − softmax(−x)", "diag(p) − ppᵀ + diag(q) − qqᵀ where p = softmax(x), q = softmax(−x)"),
    Entry("softmax in the temperature", _PETERS,
          lambda t, x: t * sg.logsumexp(x / t, 0), {"t": "positive", "x": "n"}, "t",
          None, "(pᵀx² − (pᵀx)²)/t³ where p = softmax(x/t)"),
    Entry("smooth maximum of squashed scores", _PETERS,
          lambda x: sg.logsumexp(sg.tanh(x), 0), {"x": "n"}, "x",
          None, "diag(q ⊙ (1 − 2t − t²)) − qqᵀ where t = tanh(x), q = (1 − t²) ⊙ softmax(t)"),
    Entry("mixture with a precision for each part", _BOYD + ", 3.1",
          lambda x, a, c, u: sg.logsumexp(a - c * (x - u) ** 2 / 2, 0),
          {"x": "", "a": "k", "c": "k positive", "u": "k"}, "x",
          "−qᵀd where d = c ⊙ (x − u), q = softmax(a − c ⊙ (x − u)²/2)",
          "qᵀd² − (qᵀd)² − qᵀc where d = c ⊙ (x − u), q = softmax(a − c ⊙ (x − u)²/2)"),
)

ENTRIES = (
    _BONDS + _ECONOMICS + _CHEMISTRY + _OPTICS_AND_CIRCUITS + _CONTROL + _GRAPHS + _NORMS + _QUOTIENTS + _SOFTMAX
)
