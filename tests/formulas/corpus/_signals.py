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
    Entry("denoising by smoothed total variation", "Chambolle and Pock 2016, An introduction to continuous optimization",
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

ENTRIES = _FILTERS + _SPECTRA
