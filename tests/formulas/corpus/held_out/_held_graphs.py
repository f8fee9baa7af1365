"""Held out: graphs, networks, signals and images, written from the books before the rules were touched."""

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_LUXBURG = "von Luxburg 2007, A tutorial on spectral clustering"
_NEWMAN = "Newman, Networks: An Introduction"
_GHOSH = "Ghosh, Boyd and Saberi 2008, Minimizing effective resistance of a graph"
_OPPENHEIM = "Oppenheim, Willsky and Nawab, Signals and Systems"
_EDGES = {"w": "m positive", "B": "m n"}


def _laplacian(w, B):
    return B.T @ sg.diag(w) @ B + 1 / B.shape[1]


def _smoothed_variation(x, A, B, ε):
    return sg.sqrt((A @ x) ** 2 + (B @ x) ** 2 + ε).sum()


def _hermite(t, a, b, c, d):
    return (2*t**3 - 3*t**2 + 1) * a + (t**3 - 2*t**2 + t) * b + (3*t**2 - 2*t**3) * c + (t**3 - t**2) * d


_GRAPHS = (
    Entry("signal smoothed on a graph", "Shuman et al. 2013, The emerging field of signal processing on graphs",
          lambda x, y, L, λ: ((x - y) ** 2).sum() + λ * (x @ L @ x),
          {"x": "n", "y": "n", "L": "n n symmetric", "λ": "positive"}, "x",
          "2(x − y) + 2λLx", "2(I + λL)"),
    Entry("labels spread on a graph", "Zhou et al. 2004, Learning with local and global consistency",
          lambda F, Y, L, a: ((F - Y) ** 2).sum() + a * sg.trace(F.T @ L @ F),
          {"F": "n k", "Y": "n k", "L": "n n symmetric", "a": "positive"}, "F",
          "2(F − Y) + 2aLF", "2(I + aL) ⊗ I"),
    Entry("smoothness by adjacency in the signal", _LUXBURG + ", proposition 1",
          lambda x, A: (A * (x[:, None] - x[None, :]) ** 2).sum() / 2, {"x": "n", "A": "n n symmetric"}, "x",
          "2(diag(A𝟏) − A)x", "2(diag(A𝟏) − A)"),
    Entry("smoothness by adjacency in the graph", "Kalofolias 2016, How to learn a graph from smooth signals",
          lambda A, x: (A * (x[:, None] - x[None, :]) ** 2).sum() / 2, {"A": "n n", "x": "n"}, "A",
          "(x𝟏ᵀ − 𝟏xᵀ)²/2"),
    Entry("normalised cut", "Shi and Malik 2000, Normalized cuts and image segmentation",
          lambda x, L, d: x @ L @ x / (d * x**2).sum(), {"x": "n", "L": "n n symmetric", "d": "n positive"}, "x",
          "2(Lx − rd ⊙ x)/dᵀx² where r = xᵀLx/dᵀx²"),
    Entry("p-Laplacian", "Bühler and Hein 2009, Spectral clustering based on the graph p-Laplacian",
          lambda x, B, c, q: (c * sg.abs(B @ x) ** q).sum() / q,
          {"x": "n", "B": "m n", "c": "m positive", "q": "wide"}, "x",
          "Bᵀ(c ⊙ |Bx|^(q − 1) ⊙ sign(Bx))", "(q − 1)Bᵀ diag(c ⊙ |Bx|^(q − 2)) B"),
    Entry("modularity", _NEWMAN + ", 11.8",
          lambda x, A, d, c: x @ A @ x - (d @ x) ** 2 / c,
          {"x": "n", "A": "n n symmetric", "d": "n", "c": "positive"}, "x",
          "2Ax − 2dᵀx d/c", "2(A − ddᵀ/c)"),
    Entry("residual of PageRank", "Langville and Meyer, Google's PageRank and Beyond, 7.3",
          lambda x, P, a, b: ((x - a * P @ x - b) ** 2).sum() / 2, {"x": "n", "P": "n n", "a": "fraction", "b": "n"},
          "x",
          "(I − aP)ᵀ((I − aP)x − b)", "(I − aP)ᵀ(I − aP)"),
    Entry("PageRank in the damping", "Langville and Meyer, Google's PageRank and Beyond, 6.1",
          lambda a, P, v: sg.linalg.solve(sg.eye(P.shape[0]) - a * P, v), {"a": "fraction", "P": "n n", "v": "n"}, "a",
          "(I − aP)⁻¹P(I − aP)⁻¹v"),
    Entry("Katz centrality in the graph", _NEWMAN + ", 7.3",
          lambda A, a, u, v: u @ sg.linalg.inv(sg.eye(A.shape[0]) - a * A) @ v,
          {"A": "n n", "a": "fraction", "u": "n", "v": "n"}, "A",
          "aRᵀuvᵀRᵀ where R = (I − aA)⁻¹"),
    Entry("Estrada index in the temperature", "Estrada and Hatano 2007, Statistical-mechanical approach to subgraphs",
          lambda b, A: sg.trace(sg.matrix_exp(b * A)), {"b": "fraction", "A": "n n symmetric"}, "b",
          "tr(A matrix_exp(bA))", "tr(AA matrix_exp(bA))"),
    Entry("effective resistance in the conductances", _GHOSH + ", 2.3",
          lambda w, B, b: b @ sg.linalg.solve(_laplacian(w, B), b), {**_EDGES, "b": "n"}, "w",
          "−(BM⁻¹b)² where M = Bᵀ diag(w) B + 𝟏𝟏ᵀ/n"),
    Entry("spanning trees in the conductances", _GHOSH + ", 7.2",
          lambda w, B: sg.logdet(_laplacian(w, B)), _EDGES, "w",
          "diag(BM⁻¹Bᵀ) where M = Bᵀ diag(w) B + 𝟏𝟏ᵀ/n",
          "−BM⁻¹Bᵀ ⊙ BM⁻¹Bᵀ where M = Bᵀ diag(w) B + 𝟏𝟏ᵀ/n"),
    Entry("random graph with given degrees", "Chatterjee, Diaconis and Sly 2011, Random graphs with given degrees",
          lambda b, d: sg.softplus(b[:, None] + b[None, :]).sum() / 2 - d @ b, {"b": "n", "d": "n"}, "b",
          "σ(b𝟏ᵀ + 𝟏bᵀ)𝟏 − d", "diag(Q𝟏) + Q where P = σ(b𝟏ᵀ + 𝟏bᵀ), Q = P ⊙ (1 − P)"),
    Entry("graph autoencoder", "Kipf and Welling 2016, Variational graph auto-encoders",
          lambda Z, A: (sg.softplus(Z @ Z.T) - A * (Z @ Z.T)).sum(), {"Z": "n k", "A": "n n symmetric"}, "Z",
          "2(σ(ZZᵀ) − A)Z"),
    Entry("order parameter of oscillators", "Strogatz 2000, From Kuramoto to Crawford",
          lambda θ: sg.cos(θ).sum() ** 2 + sg.sin(θ).sum() ** 2, {"θ": "n"}, "θ",
          "2sum(sin(θ))cos(θ) − 2sum(cos(θ))sin(θ)"),
    Entry("spectral filter", "Shuman et al. 2013, The emerging field of signal processing on graphs",
          lambda h, U, x, y: ((U @ (h * (U.T @ x)) - y) ** 2).sum(),
          {"h": "n", "U": "n n orthogonal", "x": "n", "y": "n"}, "h",
          "2Uᵀx ⊙ (h ⊙ Uᵀx − Uᵀy)", "2diag((Uᵀx)²)"),
)

_IMAGES = (
    Entry("smoothed total variation in one direction", "Vogel, Computational Methods for Inverse Problems, 8.2",
          lambda x, D, ε: sg.sqrt((D @ x) ** 2 + ε).sum(), {"x": "n", "D": "m n", "ε": "positive"}, "x",
          "Dᵀ(Dx/√((Dx)² + ε))", "Dᵀ diag(ε/((Dx)² + ε)^(3/2)) D"),
    Entry("smoothed total variation in two directions", "Rudin, Osher and Fatemi 1992, Nonlinear total variation",
          _smoothed_variation, {"x": "n", "A": "m n", "B": "m n", "ε": "positive"}, "x",
          "Aᵀ(Ax/s) + Bᵀ(Bx/s) where s = √((Ax)² + (Bx)² + ε)"),
    Entry("smoothness of an image", "Hansen, Nagy and O'Leary, Deblurring Images, 7.3",
          lambda X, D, E: ((D @ X) ** 2).sum() + ((X @ E) ** 2).sum(), {"X": "m n", "D": "k m", "E": "n p"}, "X",
          "2DᵀDX + 2XEEᵀ", "2DᵀD ⊗ I + 2I ⊗ EEᵀ"),
    Entry("anisotropic diffusion", "Perona and Malik 1990, Scale-space and edge detection",
          lambda x, D, c: c**2 / 2 * sg.log(1 + (D @ x / c) ** 2).sum(), {"x": "n", "D": "m n", "c": "positive"}, "x",
          "Dᵀ(Dx/(1 + (Dx/c)²))", "Dᵀ diag((1 − (Dx/c)²)/(1 + (Dx/c)²)²) D"),
    Entry("cubic Hermite interpolation", "Foley, van Dam, Feiner and Hughes, Computer Graphics, 11.2",
          _hermite, {"t": "fraction", "a": "", "b": "", "c": "", "d": ""}, "t",
          "(6t² − 6t)a + (3t² − 4t + 1)b + (6t − 6t²)c + (3t² − 2t)d",
          "(12t − 6)a + (6t − 4)b + (6 − 12t)c + (6t − 2)d"),
    Entry("kernel smoother in the place", "Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 6.1",
          lambda x, t, y: sg.exp(-((x - t) ** 2) / 2) @ y / sg.exp(-((x - t) ** 2) / 2).sum(),
          {"x": "", "t": "m", "y": "m"}, "x",
          "pᵀ(t ⊙ y) − pᵀt pᵀy where p = softmax(−(x − t)²/2)"),
    Entry("phase retrieval", "Candès, Li and Soltanolkotabi 2015, Phase retrieval via Wirtinger flow (real case)",
          lambda x, A, y: (((A @ x) ** 2 - y) ** 2).sum(), {"x": "n", "A": "m n", "y": "m positive"}, "x",
          "4Aᵀ(((Ax)² − y) ⊙ Ax)", "4Aᵀ diag(3(Ax)² − y) A"),
)

_SIGNALS = (
    Entry("Wiener filter", "Haykin, Adaptive Filter Theory, 2.4",
          lambda w, R, q, s: s - 2 * w @ q + w @ R @ w, {"w": "n", "R": "n n symmetric", "q": "n", "s": "positive"},
          "w",
          "2Rw − 2q", "2R"),
    Entry("signal to noise ratio of a beamformer", "Van Trees, Optimum Array Processing, 6.2",
          lambda w, s, R: (w @ s) ** 2 / (w @ R @ w), {"w": "n", "s": "n", "R": "n n pd symmetric"}, "w",
          "2r(s − rRw) where r = sᵀw/wᵀRw"),
    Entry("phase of a sinusoid", "Kay, Fundamentals of Statistical Signal Processing, 7.5",
          lambda p, y, A, w, t: ((y - A * np.cos(w * t + p)) ** 2).sum(),
          {"p": "", "y": "m", "A": "", "w": "", "t": "m"}, "p",
          "2A sin(wt + p)ᵀ(y − A cos(wt + p))"),
    Entry("periodogram in the frequency", "Kay, Fundamentals of Statistical Signal Processing, 7.10",
          lambda w, y, t: (y @ np.cos(w * t)) ** 2 + (y @ np.sin(w * t)) ** 2, {"w": "", "y": "m", "t": "m"}, "w",
          "2yᵀs yᵀ(t ⊙ c) − 2yᵀc yᵀ(t ⊙ s) where c = cos(wt), s = sin(wt)"),
    Entry("Butterworth filter", _OPPENHEIM + ", 9.7",
          lambda w, c, N: 1 / sg.sqrt(1 + (w / c) ** (2 * N)), {"w": "positive", "c": "positive", "N": "positive"}, "w",
          "−N(w/c)^(2N)/(w(1 + (w/c)^(2N))^(3/2))"),
    Entry("phase of a low-pass filter", _OPPENHEIM + ", 6.5",
          lambda w, R, C: -np.arctan(w * R * C), {"w": "positive", "R": "positive", "C": "positive"}, "w",
          "−RC/(1 + w²R²C²)", "2wR³C³/(1 + w²R²C²)²"),
)

ENTRIES = _GRAPHS + _IMAGES + _SIGNALS
