"""More of control, physics and finance, written before symgrad had printed any of it."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_ANDERSON = "Anderson and Moore, Optimal Control"
_GOLDSTEIN = "Goldstein, Poole and Safko, Classical Mechanics"
_JACKSON = "Jackson, Classical Electrodynamics"
_CHAIKIN = "Chaikin and Lubensky, Principles of Condensed Matter Physics"
_HULL = "Hull, Options, Futures, and Other Derivatives"
_HAUG = "Haug, The Complete Guide to Option Pricing Formulas"
_OPTION = {"S": "positive", "K": "positive", "r": "fraction", "T": "positive", "s": "fraction"}
_FORWARD = {"F": "positive", "K": "positive", "r": "fraction", "T": "positive", "s": "fraction"}
_D1 = " where d = (log(S/K) + (r + s²/2)T)/(s√T)"
_D1_OF_F = " where d = (log(F/K) + s²T/2)/(s√T)"
_CHAIN = {"x": "n", "B": "m n"}


def _d1(S, K, r, T, s):
    return (sg.log(S / K) + (r + s**2 / 2) * T) / (s * sg.sqrt(T))


def _put(S, K, r, T, s):
    d = _d1(S, K, r, T, s)
    return K * sg.exp(-r * T) * sg.special.ndtr(s * sg.sqrt(T) - d) - S * sg.special.ndtr(-d)


def _paying(S, K, r, T, s, q):
    d = (sg.log(S / K) + (r - q + s**2 / 2) * T) / (s * sg.sqrt(T))
    return S * sg.exp(-q * T) * sg.special.ndtr(d) - K * sg.exp(-r * T) * sg.special.ndtr(d - s * sg.sqrt(T))


def _on_forward(F, K, r, T, s):
    d = (sg.log(F / K) + s**2 * T / 2) / (s * sg.sqrt(T))
    return sg.exp(-r * T) * (F * sg.special.ndtr(d) - K * sg.special.ndtr(d - s * sg.sqrt(T)))


def _exchange(A, B, T, s):
    d = (sg.log(A / B) + s**2 * T / 2) / (s * sg.sqrt(T))
    return A * sg.special.ndtr(d) - B * sg.special.ndtr(d - s * sg.sqrt(T))


def _vega(s, S, K, r, T):
    return S * sg.sqrt(T) * sg.exp(-(_d1(S, K, r, T, s) ** 2) / 2) / sg.sqrt(2 * sg.pi)


_CONTROL = (
    Entry("tracking of an output", _ANDERSON + ", 4.1",
          lambda x, C, y, W: (C @ x - y) @ W @ (C @ x - y), {"x": "n", "C": "m n", "y": "m", "W": "m m symmetric"}, "x",
          "2CᵀW(Cx − y)", "2CᵀWC"),
    Entry("cost of a gain", _ANDERSON + ", 2.3",
          lambda K, Q, R, S: sg.trace((Q + K.T @ R @ K) @ S),
          {"K": "k n", "Q": "n n symmetric", "R": "k k symmetric", "S": "n n symmetric"}, "K",
          "2RKS", "2R ⊗ S"),
    Entry("Hamiltonian in the state", _ANDERSON + ", 2.2",
          lambda x, u, p, A, B, Q, R: (x @ Q @ x + u @ R @ u) / 2 + p @ (A @ x + B @ u),
          {"x": "n", "u": "k", "p": "n", "A": "n n", "B": "n k", "Q": "n n symmetric", "R": "k k symmetric"}, "x",
          "Qx + Aᵀp", "Q"),
    Entry("Hamiltonian in the control", _ANDERSON + ", 2.2",
          lambda u, x, p, A, B, Q, R: (x @ Q @ x + u @ R @ u) / 2 + p @ (A @ x + B @ u),
          {"x": "n", "u": "k", "p": "n", "A": "n n", "B": "n k", "Q": "n n symmetric", "R": "k k symmetric"}, "u",
          "Ru + Bᵀp", "R"),
    Entry("quadratic term of Riccati's equation", _ANDERSON + ", 3.1",
          lambda P, G, x: x @ P @ G @ P @ x, {"P": "n n symmetric", "G": "n n symmetric", "x": "n"}, "P",
          "xxᵀPG + GPxxᵀ"),
    Entry("prediction with barriers", "Boyd and Vandenberghe, Convex Optimization, 11.3",
          lambda u, H, f, G, b: u @ H @ u / 2 + f @ u - sg.log(b - G @ u).sum(),
          {"u": "n", "H": "n n symmetric", "f": "n", "G": "m n", "b": "m wide"}, "u",
          "Hu + f + Gᵀ(1/(b − Gu))", "H + Gᵀ diag(1/(b − Gu)²) G"),
    Entry("control that saturates", "Khalil, Nonlinear Systems, 10",
          lambda u, x, B: ((x - B @ sg.tanh(u)) ** 2).sum() / 2, {"u": "k", "x": "n", "B": "n k"}, "u",
          "(1 − tanh(u)²) ⊙ Bᵀ(B tanh(u) − x)"),
    Entry("adaptation of parameters", "Ioannou and Sun, Robust Adaptive Control, 4.3",
          lambda t, a, y, s, g: (t @ a - y) ** 2 / 2 + ((t - s) ** 2).sum() / (2 * g),
          {"t": "n", "a": "n", "y": "", "s": "n", "g": "positive"}, "t",
          "(tᵀa − y)a + (t − s)/g", "aaᵀ + I/g"),
    Entry("penalty of a dynamic constraint", "Bertsekas, Nonlinear Programming, 5.2",
          lambda x, A, b, y, c: y @ (A @ x - b) + c / 2 * ((A @ x - b) ** 2).sum(),
          {"x": "n", "A": "m n", "b": "m", "y": "m", "c": "positive"}, "x",
          "Aᵀ(y + c(Ax − b))", "cAᵀA"),
    Entry("proximal step", "Parikh and Boyd, Proximal Algorithms, 1.1",
          lambda x, A, v, λ: x @ A @ x / 2 + ((x - v) ** 2).sum() / (2 * λ),
          {"x": "n", "A": "n n symmetric", "v": "n", "λ": "positive"}, "x",
          "Ax + (x − v)/λ", "A + I/λ"),
)

_FIELDS = (
    Entry("potential of a dipole", _JACKSON + ", 4.1",
          lambda x, p: p @ x / sg.linalg.norm(x) ** 3, {"x": "n", "p": "n"}, "x",
          "p/‖x‖³ − 3pᵀxx/‖x‖⁵", "15pᵀxxxᵀ/‖x‖⁷ − 3(pxᵀ + xpᵀ + pᵀxI)/‖x‖⁵"),
    Entry("softened gravity", "Binney and Tremaine, Galactic Dynamics, 2.2",
          lambda x, a: -1 / sg.sqrt(x @ x + a**2), {"x": "n", "a": "positive"}, "x",
          "x/(‖x‖² + a²)^(3/2)", "I/s³ − 3xxᵀ/s⁵ where s = √(‖x‖² + a²)"),
    Entry("logarithmic potential", "Binney and Tremaine, Galactic Dynamics, 2.3",
          lambda x, v, a: v**2 / 2 * sg.log(a**2 + x @ x), {"x": "n", "v": "positive", "a": "positive"}, "x",
          "v²x/(a² + ‖x‖²)", "v²(I/s − 2xxᵀ/s²) where s = a² + ‖x‖²"),
    Entry("Gaussian well", "Flügge, Practical Quantum Mechanics",
          lambda x, V, w: -V * sg.exp(-(x @ x) / (2 * w**2)), {"x": "n", "V": "positive", "w": "positive"}, "x",
          "V exp(−‖x‖²/(2w²))x/w²", "V exp(−‖x‖²/(2w²))(I − xxᵀ/w²)/w²"),
    Entry("particle of high momentum", _GOLDSTEIN + ", 8.4",
          lambda p, c, M: sg.sqrt(c**2 * (p @ p) + M**2 * c**4), {"p": "n", "c": "positive", "M": "positive"}, "p",
          "cp/√(‖p‖² + c²M²)", "c(I/s − ppᵀ/s³) where s = √(‖p‖² + c²M²)"),
    Entry("particle in a magnetic field", _GOLDSTEIN + ", 8.1",
          lambda p, q, a, M: ((p - q * a) ** 2).sum() / (2 * M), {"p": "n", "q": "", "a": "n", "M": "positive"}, "p",
          "(p − qa)/M", "I/M"),
    Entry("spring of finite extension", "Bird, Curtiss and Armstrong, Dynamics of Polymeric Liquids, 13.5",
          lambda r, k, R: -k * R**2 / 2 * sg.log(1 - r**2 / R**2), {"r": "fraction", "k": "positive", "R": "wide"}, "r",
          "kr/(1 − r²/R²)", "k(1 + r²/R²)/(1 − r²/R²)²"),
    Entry("well of Woods and Saxon", "Krane, Introductory Nuclear Physics, 5.1",
          lambda r, V, R, a: -V / (1 + sg.exp((r - R) / a)),
          {"r": "positive", "V": "positive", "R": "positive", "a": "positive"}, "r",
          "V exp(u)/(a(1 + exp(u))²) where u = (r − R)/a"),
    Entry("well of Pöschl and Teller", "Flügge, Practical Quantum Mechanics",
          lambda x, V, a: -V / sg.cosh(a * x) ** 2, {"x": "", "V": "positive", "a": "positive"}, "x",
          "2aV tanh(ax)/cosh(ax)²"),
)

_MATTER = (
    Entry("Heisenberg spins", _CHAIKIN + ", 6.1",
          lambda S, J: -(J * (S @ S.T)).sum() / 2, {"S": "n k", "J": "n n symmetric"}, "S",
          "−JS", "−J ⊗ I"),
    Entry("planar spins on edges", _CHAIKIN + ", 6.1",
          lambda x, B, c: -(c @ sg.cos(B @ x)), {**_CHAIN, "c": "m positive"}, "x",
          "Bᵀ(c ⊙ sin(Bx))", "Bᵀ diag(c ⊙ cos(Bx)) B"),
    Entry("mean field of Potts spins", "Wu 1982, The Potts model",
          lambda X, J: (X * sg.log(X)).sum() - sg.trace(X.T @ J @ X) / 2, {"X": "n k fraction", "J": "n n symmetric"},
          "X",
          "log(X) + 𝟏𝟏ᵀ − JX"),
    Entry("free spins in a field", _CHAIKIN + ", 4.1",
          lambda h, b: sg.log(2 * sg.cosh(b * h)).sum(), {"h": "n", "b": "positive"}, "h",
          "b tanh(bh)", "b² diag(1 − tanh(bh)²)"),
    Entry("scalar field on a lattice", _CHAIKIN + ", 5.1",
          lambda x, L, a, g: x @ L @ x / 2 + (a * x**2 / 2 + g * x**4 / 4).sum(),
          {"x": "n", "L": "n n symmetric", "a": "", "g": "positive"}, "x",
          "Lx + ax + gx³", "L + aI + 3g diag(x²)"),
    Entry("chain of Fermi, Pasta, Ulam and Tsingou", "Ford 1992, The Fermi-Pasta-Ulam problem",
          lambda x, B, a: ((B @ x) ** 2 / 2 + a * (B @ x) ** 3 / 3).sum(), {**_CHAIN, "a": ""}, "x",
          "Bᵀ(d + ad²) where d = Bx", "Bᵀ diag(1 + 2aBx) B"),
    Entry("chain of Toda", "Toda, Theory of Nonlinear Lattices",
          lambda x, B: (sg.exp(-(B @ x)) + B @ x - 1).sum(), _CHAIN, "x",
          "Bᵀ(1 − exp(−Bx))", "Bᵀ diag(exp(−Bx)) B"),
    Entry("chain of Frenkel and Kontorova", _CHAIKIN + ", 10.2",
          lambda x, B, k: ((B @ x) ** 2).sum() / 2 - k * sg.cos(x).sum(), {**_CHAIN, "k": "positive"}, "x",
          "BᵀBx + k sin(x)", "BᵀB + k diag(cos(x))"),
    Entry("free energy of Landau", _CHAIKIN + ", 4.2",
          lambda x, a, b, h: a * x**2 / 2 + b * x**4 / 4 - h * x, {"x": "", "a": "", "b": "positive", "h": ""}, "x",
          "ax + bx³ − h", "a + 3bx²"),
    Entry("regular solution", _CHAIKIN + ", 4.3",
          lambda x, c: x * sg.log(x) + (1 - x) * sg.log(1 - x) + c * x * (1 - x), {"x": "fraction", "c": ""}, "x",
          "log(x/(1 − x)) + c(1 − 2x)", "1/(x(1 − x)) − 2c"),
    Entry("polymer in a solvent", "Doi, Soft Matter Physics, 2.4",
          lambda x, N, c: x / N * sg.log(x) + (1 - x) * sg.log(1 - x) + c * x * (1 - x),
          {"x": "fraction", "N": "wide", "c": ""}, "x",
          "(log(x) + 1)/N − log(1 − x) − 1 + c(1 − 2x)", "1/(Nx) + 1/(1 − x) − 2c"),
    Entry("free energy of an oscillator", "Pathria and Beale, Statistical Mechanics, 3.8",
          lambda w, b: sg.log(2 * sg.sinh(b * w / 2)) / b, {"w": "positive", "b": "positive"}, "w",
          "1/(2tanh(bw/2))", "−b/(4sinh(bw/2)²)"),
    Entry("occupation by bosons", "Pathria and Beale, Statistical Mechanics, 6.2",
          lambda x, b, u: 1 / (sg.exp(b * (x - u)) - 1), {"x": "wide", "b": "positive", "u": "fraction"}, "x",
          "−b exp(v)/(exp(v) − 1)² where v = b(x − u)"),
    Entry("equation of Ginzburg and Landau", _CHAIKIN + ", 5.8",
          lambda x, L, a: x @ L @ x / 2 + a / 4 * ((1 - x**2) ** 2).sum(),
          {"x": "n", "L": "n n symmetric", "a": "positive"}, "x",
          "Lx − a(x − x³)", "L + a diag(3x² − 1)"),
)

_FINANCE = (
    Entry("delta and gamma of a put", _HULL + ", 19.4",
          _put, _OPTION, "S",
          "−Φ(−d)" + _D1, "φ(d)/(Ss√T)" + _D1),
    Entry("vega of a put", _HULL + ", 19.8",
          _put, _OPTION, "s",
          "S√Tφ(d)" + _D1),
    Entry("delta with dividends", _HULL + ", 19.4",
          _paying, {**_OPTION, "q": "fraction"}, "S",
          "exp(−qT)Φ(d) where d = (log(S/K) + (r − q + s²/2)T)/(s√T)"),
    Entry("option on a forward", _HULL + ", 18.8",
          _on_forward, _FORWARD, "F",
          "exp(−rT)Φ(d)" + _D1_OF_F, "exp(−rT)φ(d)/(Fs√T)" + _D1_OF_F),
    Entry("vega of an option on a forward", _HULL + ", 18.8",
          _on_forward, _FORWARD, "s",
          "F√T exp(−rT)φ(d)" + _D1_OF_F),
    Entry("option to exchange", "Margrabe 1978, The value of an option to exchange one asset for another",
          _exchange, {"A": "positive", "B": "positive", "T": "positive", "s": "fraction"}, "A",
          "Φ(d) where d = (log(A/B) + s²T/2)/(s√T)"),
    Entry("vega in the volatility", _HAUG + ", 2.7",
          _vega, _OPTION, "s",
          "S√Tφ(d)d(d − s√T)/s" + _D1),
    Entry("annuity in the rate", "Luenberger, Investment Science, 3.2",
          lambda r, N: (1 - (1 + r) ** (-N)) / r, {"r": "fraction", "N": "wide"}, "r",
          "N(1 + r)^(−N − 1)/r − (1 − (1 + r)^(−N))/r²"),
    Entry("bond of an affine model", _HULL + ", 31.2",
          lambda r, a, b: sg.exp(a - b * r), {"r": "fraction", "a": "", "b": "positive"}, "r",
          "−b exp(a − br)", "b² exp(a − br)"),
    Entry("entropic risk", "Föllmer and Schied, Stochastic Finance, 4.2",
          lambda w, R, a: sg.logsumexp(-a * (R @ w), 0) / a, {"w": "n", "R": "m n", "a": "positive"}, "w",
          "−Rᵀ softmax(−aRw)", "aRᵀ(diag(p) − ppᵀ)R where p = softmax(−aRw)"),
    Entry("costs of trading", "Gârleanu and Pedersen 2013, Dynamic trading with predictable returns",
          lambda w, u, C, b, a, c: a / 2 * (w @ C @ w) - u @ w + c * ((w - b) ** 2).sum(),
          {"w": "n", "u": "n", "C": "n n pd symmetric", "b": "n", "a": "positive", "c": "positive"}, "w",
          "aCw − u + 2c(w − b)", "aC + 2cI"),
    Entry("views on returns", "Black and Litterman 1992, Global portfolio optimization",
          lambda u, q, P, V, z, W: (u - q) @ P @ (u - q) / 2 + (V @ u - z) @ W @ (V @ u - z) / 2,
          {"u": "n", "q": "n", "P": "n n symmetric", "V": "k n", "z": "k", "W": "k k symmetric"}, "u",
          "P(u − q) + VᵀW(Vu − z)", "P + VᵀWV"),
    Entry("power utility of a portfolio", "Brandt, Santa-Clara and Valkanov 2009, Parametric portfolio policies",
          lambda w, R, g: ((1 + R @ w) ** (1 - g)).sum() / (1 - g),
          {"w": "n fraction", "R": "m n fraction", "g": "fraction"}, "w",
          "Rᵀ(1 + Rw)^(−g)", "−gRᵀ diag((1 + Rw)^(−g − 1)) R"),
    Entry("bet of Kelly", "Kelly 1956, A new interpretation of information rate",
          lambda f, b, p: p * sg.log(1 + b * f) + (1 - p) * sg.log(1 - f),
          {"f": "fraction", "b": "positive", "p": "fraction"}, "f",
          "bp/(1 + bf) − (1 − p)/(1 − f)", "−b²p/(1 + bf)² − (1 − p)/(1 − f)²"),
    Entry("utility of Stone and Geary", "Varian, Microeconomic Analysis",
          lambda x, b, c: b @ sg.log(x - c), {"x": "n wide", "b": "n positive", "c": "n positive"}, "x",
          "b/(x − c)", "−diag(b/(x − c)²)"),
    Entry("aggregate of constant elasticity", "Dixit and Stiglitz 1977, Monopolistic competition",
          lambda x, a, r: (a @ x**r) ** (1 / r), {"x": "n positive", "a": "n positive", "r": "fraction"}, "x",
          "(aᵀx^r)^(1/r − 1)a ⊙ x^(r − 1)"),
)

ENTRIES = _CONTROL + _FIELDS + _MATTER + _FINANCE
