"""Signals, on graphs and in time: filters, spectra, beamformers, Markov chains, messages, circuits and attention.

L is a Laplacian, B an incidence matrix whose rows are the edges, U a graph Fourier basis, P a shift or a transition.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_SHUMAN = "Shuman et al. 2013, The emerging field of signal processing on graphs"
_ORTEGA = "Ortega, Introduction to Graph Signal Processing"
_SANDRYHAILA = "Sandryhaila and Moura 2013, Discrete signal processing on graphs"
_KALOFOLIAS = "Kalofolias 2016, How to learn a graph from smooth signals"
_HAYKIN = "Haykin, Adaptive Filter Theory"
_VAN_TREES = "Van Trees, Optimum Array Processing"
_KAY = "Kay, Modern Spectral Estimation"
_BROCKWELL = "Brockwell and Davis, Time Series: Theory and Methods"
_NEWMAN = "Newman, Networks"
_BISHOP = "Bishop, Pattern Recognition and Machine Learning"
_MEZARD = "Mézard and Montanari, Information, Physics, and Computation"
_GRAPH = {"L": "n n symmetric"}
_BASIS = {"U": "n n orthogonal"}


def _polynomial(L, x, a, b, c):
    return a * x + b * L @ x + c * L @ L @ x


_FILTERS = (
    Entry("polynomial filter in the signal", _ORTEGA + ", 3.2",
          lambda x, L, y, a, b, c: ((_polynomial(L, x, a, b, c) - y) ** 2).sum() / 2,
          {"x": "n", **_GRAPH, "y": "n", "a": "", "b": "", "c": ""}, "x",
          "H(Hx − y) where H = aI + bL + cL²", "(aI + bL + cL²)²"),
    Entry("polynomial filter in a coefficient", _ORTEGA + ", 3.2",
          lambda b, x, L, y, a, c: ((_polynomial(L, x, a, b, c) - y) ** 2).sum() / 2,
          {"b": "", "x": "n", **_GRAPH, "y": "n", "a": "", "c": ""}, "b",
          "xᵀL(ax + bLx + cL²x − y)", "‖Lx‖²"),
    Entry("denoising by the squared Laplacian", _SHUMAN + ", III.B",
          lambda x, y, L, t: ((x - y) ** 2).sum() + t * ((L @ x) ** 2).sum(),
          {"x": "n", "y": "n", **_GRAPH, "t": "positive"}, "x",
          "2(x − y + tL²x)", "2(I + tL²)"),
    Entry("response of a spectral filter", _SHUMAN + ", III.A",
          lambda h, U, x, y: ((U @ (h * (U.T @ x)) - y) ** 2).sum() / 2, {"h": "n", **_BASIS, "x": "n", "y": "n"}, "h",
          "c ⊙ (h ⊙ c − Uᵀy) where c = Uᵀx", "diag((Uᵀx)²)"),
    Entry("energy by the graph Fourier transform", _SHUMAN + ", II.C",
          lambda x, U, λ: (λ * (U.T @ x) ** 2).sum(), {"x": "n", **_BASIS, "λ": "n positive"}, "x",
          "2U(λ ⊙ Uᵀx)", "2U diag(λ)Uᵀ"),
    Entry("Sobolev norm on a graph", _ORTEGA + ", 3.3",
          lambda x, L, a: (((sg.eye(L.shape[0]) + a * L) @ x) ** 2).sum() / 2, {"x": "n", **_GRAPH, "a": "positive"},
          "x", "(I + aL)²x", "(I + aL)²"),
    Entry("variation of a directed graph", _SANDRYHAILA + ", Frequency analysis, III",
          lambda x, A: ((x - A @ x) ** 2).sum() / 2, {"x": "n", "A": "n n"}, "x",
          "(I − A)ᵀ(x − Ax)", "(I − A)ᵀ(I − A)"),
    Entry("denoising by smoothed total variation", "Chambolle and Pock 2016, Continuous optimization for imaging",
          lambda x, y, B, t, a: ((x - y) ** 2).sum() / 2 + t * sg.sqrt((B @ x) ** 2 + a).sum(),
          {"x": "n", "y": "n", "B": "m n", "t": "positive", "a": "positive"}, "x",
          "x − y + tBᵀ(Bx/√((Bx)² + a))", "I + atBᵀ diag(1/((Bx)² + a)^(3/2))B"),
    Entry("total variation by log-cosh", _ORTEGA + ", 3.3",
          lambda x, B, a: a * sg.log(sg.cosh(B @ x / a)).sum(), {"x": "n", "B": "m n", "a": "positive"}, "x",
          "Bᵀtanh(Bx/a)", "Bᵀ diag(1 − tanh(Bx/a)²)B/a"),
    Entry("trend by second differences", "Hodrick and Prescott 1997, Postwar U.S. business cycles",
          lambda x, y, D, t: ((x - y) ** 2).sum() + t * ((D @ x) ** 2).sum(),
          {"x": "n", "y": "n", "D": "k n", "t": "positive"}, "x",
          "2(x − y + tDᵀDx)", "2(I + tDᵀD)"),
)

_SPECTRA = (
    Entry("correlation at a lag", _BROCKWELL + ", 7.2",
          lambda x, P: x @ P @ x / (x @ x), {"x": "n", "P": "n n"}, "x",
          "((P + Pᵀ)x − 2rx)/s where s = ‖x‖², r = xᵀPx/s"),
    Entry("autoregression of order one", _BROCKWELL + ", 8.7",
          lambda a, x, y, v: -sg.log(1 - a**2) / 2 + ((y - a * x) ** 2).sum() / (2 * v),
          {"a": "fraction", "x": "n", "y": "n", "v": "positive"}, "a",
          "a/(1 − a²) − xᵀ(y − ax)/v", "(1 + a²)/(1 − a²)² + ‖x‖²/v"),
    Entry("Wiener filter by frequencies", "Gonzalez and Woods, Digital Image Processing, 5.8",
          lambda g, h, s, v: ((1 - g * h) ** 2 * s + g**2 * v).sum(),
          {"g": "n", "h": "n", "s": "n positive", "v": "n positive"}, "g",
          "2(g ⊙ (h² ⊙ s + v) − h ⊙ s)", "2diag(h² ⊙ s + v)"),
    Entry("Wiener filter by correlations", _HAYKIN + ", 2.4",
          lambda w, v, r, R: v - 2 * w @ r + w @ R @ w, {"w": "n", "v": "", "r": "n", "R": "n n pd symmetric"}, "w",
          "2(Rw − r)", "2R"),
    Entry("spectral flatness", _KAY + ", 6.4",
          lambda s: sg.log(s).mean() - sg.log(s.mean()), {"s": "n positive"}, "s",
          "1/(ns) − 1/sum(s)", "𝟏𝟏ᵀ/sum(s)² − diag(1/(ns²))"),
)

_BEAMS = (
    Entry("Capon's spectrum in the direction", _VAN_TREES + ", 6.2",
          lambda a, R: 1 / (a @ sg.linalg.inv(R) @ a), {"a": "n", "R": "n n pd symmetric"}, "a",
          "−2R⁻¹a/(aᵀR⁻¹a)²"),
    Entry("Capon's spectrum in the covariance", _VAN_TREES + ", 6.2",
          lambda R, a: 1 / (a @ sg.linalg.inv(R) @ a), {"R": "n n pd symmetric", "a": "n"}, "R",
          "zzᵀ/(aᵀz)² where z = R⁻¹a"),
    Entry("signal over noise of a beamformer", _VAN_TREES + ", 6.2",
          lambda w, a, R: (a @ w) ** 2 / (w @ R @ w), {"w": "n", "a": "n", "R": "n n pd symmetric"}, "w",
          "2r(a − rRw) where r = aᵀw/(wᵀRw)"),
    Entry("distance of Itakura and Saito", _KAY + ", 6.4",
          lambda s, y: (y / s - sg.log(y / s) - 1).sum(), {"s": "n positive", "y": "n positive"}, "s",
          "(s − y)/s²", "diag((2y − s)/s³)"),
    Entry("constant modulus", _HAYKIN + ", 17.5",
          lambda w, X: (((X @ w) ** 2 - 1) ** 2).sum() / 4, {"w": "n", "X": "m n"}, "w",
          "Xᵀ(z³ − z) where z = Xw", "Xᵀ diag(3(Xw)² − 1)X"),
    Entry("normalised kurtosis", _HAYKIN + ", 17.3",
          lambda w, X: ((X @ w) ** 4).sum() / ((X @ w) ** 2).sum() ** 2, {"w": "n", "X": "m n"}, "w",
          "4Xᵀ(z³ − sum(z⁴)z/q)/q² where z = Xw, q = ‖z‖²"),
    Entry("weighted moving average in the weights", _BROCKWELL + ", 1.4",
          lambda w, y: w @ y / w.sum(), {"w": "n positive", "y": "n"}, "w",
          "(y − wᵀy/s)/s where s = sum(w)"),
    Entry("kernel smoother", "Wand and Jones, Kernel Smoothing, 5.2",
          lambda x, z, y: y @ sg.exp(-((x - z) ** 2) / 2) / sg.exp(-((x - z) ** 2) / 2).sum(),
          {"x": "", "z": "n", "y": "n"}, "x",
          "pᵀ((z − x) ⊙ (y − pᵀy)) where p = softmax(−(x − z)²/2)"),
)

_NETWORKS = (
    Entry("learning a graph from smooth signals", _KALOFOLIAS,
          lambda W, Z, a, b: (W * Z).sum() - a * sg.log(W.sum(1)).sum() + b * (W**2).sum(),
          {"W": "n n positive", "Z": "n n", "a": "positive", "b": "positive"}, "W",
          "Z − a/(W𝟏𝟏ᵀ) + 2bW"),
    Entry("modularity of communities", _NEWMAN + ", 14.2",
          lambda S, W, d, w: sg.trace(S.T @ (W - sg.outer(d, d) / (2 * w)) @ S) / (2 * w),
          {"S": "n k", "W": "n n symmetric", "d": "n positive", "w": "positive"}, "S",
          "(W − ddᵀ/(2w))S/w", "(W − ddᵀ/(2w)) ⊗ I/w"),
    Entry("residual of a stationary distribution", "Norris, Markov Chains, 1.7",
          lambda x, P: ((P.T @ x - x) ** 2).sum() / 2, {"x": "n", "P": "n n fraction"}, "x",
          "(P − I)(Pᵀx − x)", "(P − I)(P − I)ᵀ"),
    Entry("Katz centrality in the edges", _NEWMAN + ", 7.1",
          lambda A, a, b, v: b @ sg.linalg.solve(sg.eye(A.shape[0]) - a * A, v),
          {"A": "n n", "a": "fraction", "b": "n", "v": "n"}, "A",
          "aRᵀbvᵀRᵀ where R = (I − aA)⁻¹"),
    Entry("subgraph centrality in the temperature", "Estrada, The Structure of Complex Networks, 5.2",
          lambda t, A: sg.trace(sg.matrix_exp(t * A)), {"t": "fraction", "A": "n n symmetric"}, "t",
          "tr(A matrix_exp(tA))", "tr(A²matrix_exp(tA))"),
    Entry("network of diodes", "Chua, Desoer and Kuh, Linear and Nonlinear Circuits, 5",
          lambda x, B, c: (c * (sg.exp(B @ x) - B @ x)).sum(), {"x": "n", "B": "m n", "c": "m positive"}, "x",
          "Bᵀ(c ⊙ (exp(Bx) − 1))", "Bᵀ diag(c ⊙ exp(Bx))B"),
    Entry("reduced network", "Dörfler and Bullo 2013, Kron reduction of graphs",
          lambda x, A, B, D: x @ (A - B @ sg.linalg.inv(D) @ B.T) @ x,
          {"x": "n", "A": "n n symmetric", "B": "n k", "D": "k k pd symmetric"}, "x",
          "2(A − BD⁻¹Bᵀ)x", "2(A − BD⁻¹Bᵀ)"),
)

_CHAINS = (
    Entry("hidden Markov chain in the transitions", _BISHOP + ", 13.2",
          lambda P, a, b, c: sg.log(a @ P @ (b * (P @ c))),
          {"P": "n n fraction", "a": "n positive", "b": "n positive", "c": "n positive"}, "P",
          "(a(b ⊙ Pc)ᵀ + (b ⊙ Pᵀa)cᵀ)/(aᵀP(b ⊙ Pc))"),
    Entry("hidden state in its scores", _BISHOP + ", 13.2",
          lambda u, b: sg.log(sg.softmax(u, 0) @ b), {"u": "n", "b": "n positive"}, "u",
          "b ⊙ p/(bᵀp) − p where p = softmax(u)",
          "diag(q) − qqᵀ − diag(p) + ppᵀ where p = softmax(u), q = b ⊙ p/(bᵀp)"),
    Entry("Jacobian of a message", _MEZARD + ", 14.1",
          lambda x, E: sg.log(sg.exp(E) @ sg.exp(x)), {"x": "n", "E": "m n"}, "x",
          "diag(1/(Fz))F diag(z) where F = exp(E), z = exp(x)"),
    Entry("mean field free energy", "MacKay, Information Theory, Inference, and Learning Algorithms, 33",
          lambda x, J, h: -(x @ J @ x) / 2 - h @ x + ((1 + x) * sg.log(1 + x) + (1 - x) * sg.log(1 - x)).sum() / 2,
          {"x": "n fraction", "J": "n n symmetric", "h": "n"}, "x",
          "arctanh(x) − Jx − h", "diag(1/(1 − x²)) − J"),
    Entry("free energy of Thouless, Anderson and Palmer", _MEZARD + ", 14.2",
          lambda x, J, h: -(x @ J @ x) / 2 - h @ x - (1 - x**2) @ (J * J) @ (1 - x**2) / 4
          + ((1 + x) * sg.log(1 + x) + (1 - x) * sg.log(1 - x)).sum() / 2,
          {"x": "n fraction", "J": "n n symmetric", "h": "n"}, "x",
          "arctanh(x) − Jx − h + x ⊙ J^∘2(1 − x²)"),
    Entry("attention over weighted neighbours", "Veličković et al. 2018, Graph attention networks",
          lambda a, X, c: sg.log((c * sg.exp(X @ a)).sum()), {"a": "k", "X": "n k", "c": "n positive"}, "a",
          "Xᵀ(c ⊙ z)/(cᵀz) where z = exp(Xa)",
          "Xᵀ(diag(p) − ppᵀ)X where z = exp(Xa), p = c ⊙ z/(cᵀz)"),
    Entry("attention in the features of the neighbours", "Veličković et al. 2018, Graph attention networks",
          lambda X, S, Y: ((sg.softmax(S, 1) @ X - Y) ** 2).sum() / 2, {"X": "n k", "S": "n n", "Y": "n k"}, "X",
          "Pᵀ(PX − Y) where P = softmax(S)", "PᵀP ⊗ I where P = softmax(S)"),
)

ENTRIES = _FILTERS + _SPECTRA + _BEAMS + _NETWORKS + _CHAINS
