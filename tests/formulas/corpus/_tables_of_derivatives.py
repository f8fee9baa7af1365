"""Derivatives from tables of calculus, of signals and graphs, of matrices, and of what economists and actuaries sum up.

Written after the rules for `_estimates_and_energies` and before any was printed: half of them are functions of one
number, with first and second derivatives as such tables have them.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_ABRAMOWITZ = "Abramowitz and Stegun, Handbook of Mathematical Functions"
_SPIVAK = "Spivak, Calculus"
_APOSTOL = "Apostol, Calculus"
_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_OPPENHEIM = "Oppenheim and Schafer, Discrete-Time Signal Processing"
_LUXBURG = "von Luxburg 2007, A tutorial on spectral clustering"
_KLUGMAN = "Klugman, Panjer and Willmot, Loss Models"
_HULL = "Hull, Options, Futures and Other Derivatives"
_X = {"x": "positive"}
_XA = {"x": "fraction", "a": "positive"}

_INVERSES = (
    Entry("arc sine with a scale", _ABRAMOWITZ + ", 4.4",
          lambda x, a: sg.arcsin(x / (2 * a)), _XA, "x",
          "1/√(4a² − x²)", "x/(4a² − x²)^(3/2)"),
    Entry("arc tangent with a scale", _ABRAMOWITZ + ", 4.4",
          lambda x, a: sg.arctan(x / a) / a, {"x": "", "a": "positive"}, "x",
          "1/(a² + x²)", "−2x/(a² + x²)²"),
    Entry("arc sine of a root", _SPIVAK + ", 15",
          lambda x: sg.arcsin(sg.sqrt(x)), {"x": "fraction"}, "x",
          "1/(2√(x(1 − x)))"),
    Entry("arc tangent of a root", _SPIVAK + ", 15",
          lambda x: sg.arctan(sg.sqrt(x)), _X, "x",
          "1/(2√x (1 + x))"),
    Entry("area under a circle, once more", _APOSTOL + ", 2",
          lambda x, a: x * sg.sqrt(4 * a**2 - x**2) / 2 + 2 * a**2 * sg.arcsin(x / (2 * a)), _XA, "x",
          "√(4a² − x²)", "−x/√(4a² − x²)"),
    Entry("area under a hyperbola", _APOSTOL + ", 6",
          lambda x: (x * sg.sqrt(x**2 + 1) + sg.arcsinh(x)) / 2, {"x": ""}, "x",
          "√(1 + x²)", "x/√(1 + x²)"),
    Entry("logarithm with a root", _APOSTOL + ", 6",
          lambda x, a: sg.log(x + sg.sqrt(x**2 + a**2)), {"x": "", "a": "positive"}, "x",
          "1/√(a² + x²)"),
    Entry("logarithm of a quotient, once more", _APOSTOL + ", 6",
          lambda x, a: sg.log((a + x) / (a - x)) / (2 * a), {"x": "fraction", "a": "wide"}, "x",
          "1/(a² − x²)", "2x/(a² − x²)²"),
    Entry("arc tangent of a quotient", _SPIVAK + ", 15",
          lambda x: sg.arctan((1 + x) / (1 - x)), {"x": "fraction"}, "x",
          "1/(1 + x²)"),
    Entry("arc cosine of a reciprocal", _ABRAMOWITZ + ", 4.4",
          lambda x: sg.arccos(1 / (1 + x)), _X, "x",
          "1/((1 + x)√(x² + 2x))"),
)

_POWERS = (
    Entry("root of a quotient of sums", _SPIVAK + ", 10",
          lambda x: sg.sqrt((1 - x) / (1 + x)), {"x": "fraction"}, "x",
          "−1/((1 + x)√(1 − x²))"),
    Entry("cube of a quotient", _SPIVAK + ", 10",
          lambda x: (x / (1 + x)) ** 3, _X, "x",
          "3x²/(1 + x)⁴", "6x(1 − x)/(1 + x)⁵"),
    Entry("witch of Agnesi, once more", _APOSTOL + ", 4",
          lambda x, a: a**3 / (x**2 + a**2), {"x": "", "a": "positive"}, "x",
          "−2a³x/(a² + x²)²", "2a³(3x² − a²)/(a² + x²)³"),
    Entry("power over an exponential", _APOSTOL + ", 6",
          lambda x, n: x**n * sg.exp(-x), {"x": "positive", "n": "positive"}, "x",
          "(n − x)x^(n − 1)exp(−x)", "x^(n − 2)exp(−x)((n − x)² − n)"),
    Entry("logarithm over a power", _APOSTOL + ", 6",
          lambda x, n: sg.log(x) / x**n, {"x": "positive", "n": "positive"}, "x",
          "(1 − n log(x))/x^(n + 1)"),
    Entry("power with the logarithm", _SPIVAK + ", 18",
          lambda x: x ** sg.log(x), _X, "x",
          "2x^(log(x) − 1)log(x)"),
    Entry("logarithm of the logarithm", _SPIVAK + ", 18",
          lambda x: sg.log(sg.log(x)), {"x": "wide"}, "x",
          "1/(x log(x))", "−(1 + log(x))/(x log(x))²"),
    Entry("root of one plus a root, once more", _SPIVAK + ", 10",
          lambda x: sg.sqrt(1 + sg.sqrt(x)), _X, "x",
          "1/(4√x √(1 + √x))"),
    Entry("square over a sum", _SPIVAK + ", 10",
          lambda x, a: x**2 / (x + a), _XA, "x",
          "x(x + 2a)/(x + a)²", "2a²/(x + a)³"),
    Entry("difference quotient of a reciprocal", _SPIVAK + ", 9",
          lambda h, x: (1 / (x + h) - 1 / x) / h, {"h": "positive", "x": "positive"}, "h",
          "1/(x(x + h)²)", "−2/(x(x + h)³)"),
)

_TRIGONOMETRY = (
    Entry("tangent squared", _ABRAMOWITZ + ", 4.3",
          lambda x: sg.tan(x) ** 2, {"x": "fraction"}, "x",
          "2tan(x)(1 + tan(x)²)"),
    Entry("logarithm of a cosine, once more", _APOSTOL + ", 6",
          lambda x: -sg.log(sg.cos(x)), {"x": "fraction"}, "x",
          "tan(x)", "1 + tan(x)²"),
    Entry("sine over one plus cosine", _SPIVAK + ", 15",
          lambda x: sg.sin(x) / (1 + sg.cos(x)), {"x": "fraction"}, "x",
          "1/(1 + cos(x))", "sin(x)/(1 + cos(x))²"),
    Entry("exponential with a wave", _APOSTOL + ", 8",
          lambda t, a, w: sg.exp(-a * t) * sg.sin(w * t), {"t": "", "a": "positive", "w": "positive"}, "t",
          "exp(−at)(w cos(wt) − a sin(wt))", "exp(−at)((a² − w²)sin(wt) − 2aw cos(wt))"),
    Entry("hyperbolic cosine with a scale", _APOSTOL + ", 6",
          lambda x, a: a * sg.cosh(x / a), {"x": "", "a": "positive"}, "x",
          "sinh(x/a)", "cosh(x/a)/a"),
    Entry("reciprocal of a hyperbolic cosine", _ABRAMOWITZ + ", 4.5",
          lambda x: 1 / sg.cosh(x), {"x": ""}, "x",
          "−tanh(x)/cosh(x)", "(2tanh(x)² − 1)/cosh(x)"),
    Entry("angle of a point in the plane", _APOSTOL + ", 8",
          lambda y, x: sg.arctan(y / x), {"y": "positive", "x": "positive"}, "y",
          "x/(x² + y²)", "−2xy/(x² + y²)²"),
    Entry("envelope with a square", _OPPENHEIM + ", 2",
          lambda t, a, w: sg.exp(-a * t**2) * sg.cos(w * t), {"t": "", "a": "positive", "w": "positive"}, "t",
          "−exp(−at²)(2at cos(wt) + w sin(wt))"),
)

_MODELS = (
    Entry("hazard of Weibull, accumulated", _KLUGMAN + ", 4",
          lambda t, a, b: (t / a) ** b, {"t": "positive", "a": "positive", "b": "wide"}, "t",
          "b(t/a)^b/t", "b(b − 1)(t/a)^b/t²"),
    Entry("survival of Pareto", _KLUGMAN + ", 4",
          lambda x, a, k: (a / (x + a)) ** k, {"x": "positive", "a": "positive", "k": "positive"}, "x",
          "−k(a/(a + x))^k/(a + x)", "k(k + 1)(a/(a + x))^k/(a + x)²"),
    Entry("logistic with a rate and a level", _KLUGMAN + ", 4",
          lambda t, k, r, a: k / (1 + a * sg.exp(-r * t)),
          {"t": "", "k": "positive", "r": "positive", "a": "positive"}, "t",
          "akr exp(−rt)/(1 + a exp(−rt))²"),
    Entry("value of an annuity", _HULL + ", 4",
          lambda r, n: (1 - sg.exp(-r * n)) / r, {"r": "positive", "n": "positive"}, "r",
          "(n exp(−nr) − (1 − exp(−nr))/r)/r"),
    Entry("forward with a dividend", _HULL + ", 5",
          lambda t, s, r, q: s * sg.exp((r - q) * t), {"t": "positive", "s": "positive", "r": "", "q": ""}, "t",
          "s(r − q)exp((r − q)t)", "s(r − q)²exp((r − q)t)"),
    Entry("price of a call of Bachelier", _HULL + ", 18",
          lambda f, k, v: (f - k) * sg.special.ndtr((f - k) / v) + v * sg.exp(-((f - k) / v) ** 2 / 2)
          / sg.sqrt(2 * sg.tensor(3.141592653589793)), {"f": "", "k": "", "v": "positive"}, "f",
          "Φ((f − k)/v)", "φ((f − k)/v)/v"),
    Entry("curve of Phillips", "Blanchard, Macroeconomics, 8",
          lambda u, a, b: a / u - b, {"u": "positive", "a": "positive", "b": "positive"}, "u",
          "−a/u²", "2a/u³"),
    Entry("demand with constant elasticity and cost", "Varian, Microeconomic Analysis, 14",
          lambda p, c, e: (p - c) * p ** (-e), {"p": "wide", "c": "positive", "e": "positive"}, "p",
          "p^(−e)(1 − e(p − c)/p)"),
)

_ARRAYS = (
    Entry("gain of a filter by its coefficients", _OPPENHEIM + ", 5",
          lambda h, c, s: (h @ c) ** 2 + (h @ s) ** 2, {"h": "n", "c": "n", "s": "n"}, "h",
          "2(hᵀc c + hᵀs s)", "2(ccᵀ + ssᵀ)"),
    Entry("phase of a filter by its coefficients", _OPPENHEIM + ", 5",
          lambda h, c, s: sg.arctan((h @ s) / (h @ c)), {"h": "n positive", "c": "n positive", "s": "n"}, "h",
          "(as − bc)/(a² + b²) where a = cᵀh, b = hᵀs"),
    Entry("energy after a filter", _OPPENHEIM + ", 2",
          lambda x, H: ((H @ x) ** 2).sum() / (x**2).sum(), {"x": "n", "H": "m n"}, "x",
          "2(HᵀHx − rx)/‖x‖² where r = ‖Hx‖²/‖x‖²"),
    Entry("flatness of a spectrum, once more", _OPPENHEIM + ", 10",
          lambda p: sg.log(p).mean() - sg.log(p.mean()), {"p": "n positive"}, "p",
          "1/(np) − 1/sum(p)", "𝟏𝟏ᵀ/sum(p)² − diag(1/p²)/n"),
    Entry("cut with balance by degrees", _LUXBURG + ", 5",
          lambda x, L, d: x @ L @ x + (d @ x) ** 2, {"x": "n", "L": "n n symmetric", "d": "n"}, "x",
          "2(Lx + dᵀx d)", "2(L + ddᵀ)"),
    Entry("edges by a threshold function", _LUXBURG + ", 2",
          lambda x, W: (W * sg.sigmoid(x[:, None] - x[None, :])).sum(), {"x": "n", "W": "n n"}, "x",
          "S𝟏 − Sᵀ𝟏 where P = σ(x𝟏ᵀ − 𝟏xᵀ), S = W ⊙ P ⊙ (1 − P)"),
    Entry("ranking by differences of scores", "Burges et al. 2005, Learning to rank using gradient descent",
          lambda s, W: (W * sg.softplus(s[None, :] - s[:, None])).sum(), {"s": "n", "W": "n n"}, "s",
          "Pᵀ𝟏 − P𝟏 where P = W ⊙ σ(𝟏sᵀ − s𝟏ᵀ)"),
    Entry("determinant of a product with a diagonal", _MAGNUS + ", 8",
          lambda x, A: sg.logdet(A.T @ sg.diag(x) @ A), {"x": "m positive", "A": "m n"}, "x",
          "diag(A(Aᵀ diag(x) A)⁻¹Aᵀ)", "−(A(Aᵀ diag(x) A)⁻¹Aᵀ)^∘2"),
    Entry("trace of an inverse, scaled", _MAGNUS + ", 9",
          lambda c, A, B: sg.trace(sg.linalg.inv(A + c * B)), {"c": "fraction", "A": "n n pd symmetric",
                                                               "B": "n n pd symmetric"}, "c",
          "−tr(S⁻¹BS⁻¹) where S = A + cB", "2tr(S⁻¹BS⁻¹BS⁻¹) where S = A + cB"),
    Entry("trace of a cube", _MAGNUS + ", 9",
          lambda X: sg.trace(X @ X @ X) / 3, {"X": "n n"}, "X",
          "(X²)ᵀ"),
    Entry("squared distance to the identity", _MAGNUS + ", 9",
          lambda X: ((X.T @ X - sg.eye(X.shape[1])) ** 2).sum() / 4, {"X": "m n"}, "X",
          "X(XᵀX − I)"),
    Entry("quotient of two determinants", _MAGNUS + ", 9",
          lambda X, A, B: sg.logdet(X.T @ A @ X) - sg.logdet(X.T @ B @ X),
          {"X": "n k", "A": "n n pd symmetric", "B": "n n pd symmetric"}, "X",
          "2AX(XᵀAX)⁻¹ − 2BX(XᵀBX)⁻¹"),
    Entry("residual of a matrix's square root", _MAGNUS + ", 9",
          lambda X, A: ((X @ X - A) ** 2).sum() / 2, {"X": "n n symmetric", "A": "n n symmetric"}, "X",
          "X(X² − A) + (X² − A)X"),
    Entry("sum of the entries of a product", _MAGNUS + ", 9",
          lambda X, A, B: (A @ X @ B).sum(), {"X": "n k", "A": "m n", "B": "k p"}, "X",
          "Aᵀ𝟏(B𝟏)ᵀ"),
    Entry("squared norm of a Hadamard product with a residual", _MAGNUS + ", 9",
          lambda X, W, A: ((W * (X - A)) ** 2).sum() / 2, {"X": "m n", "W": "m n", "A": "m n"}, "X",
          "W ⊙ W ⊙ (X − A)"),
)

ENTRIES = _INVERSES + _POWERS + _TRIGONOMETRY + _MODELS + _ARRAYS
