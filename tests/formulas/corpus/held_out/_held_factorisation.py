"""Held out: factorisation, components, embeddings, kernels, written from the books before the rules were touched."""

# ruff: noqa: E741  (l is a length, as in the books)

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_GLOVE = "Pennington, Socher and Manning 2014, GloVe: Global vectors for word representation"
_COLLINS = "Collins, Dasgupta and Schapire 2001, Principal components for exponential families"
_RASMUSSEN = "Rasmussen and Williams, Gaussian Processes, 4.2"
_GOLDBERG = "Goldberg and Levy 2014, word2vec explained"


def _canonical_correlation(a, b, A, B, C):
    return a @ C @ b / (sg.sqrt(a @ A @ a) * sg.sqrt(b @ B @ b))


def _context_words(C, U, y):
    h = C.mean(0)
    return sg.logsumexp(U @ h, 0) - y @ (U @ h)


_FACTORISATION = (
    Entry("factorisation by divergence in H", "Lee and Seung 2001, Algorithms for non-negative matrix factorization",
          lambda H, W, X: (W @ H - X * sg.log(W @ H)).sum(),
          {"H": "k n positive", "W": "m k positive", "X": "m n positive"}, "H",
          "Wᵀ(𝟏𝟏ᵀ − X/(WH))"),
    Entry("factorisation by the Itakura-Saito divergence",
          "Févotte, Bertin and Durrieu 2009, NMF with the Itakura-Saito divergence",
          lambda H, W, X: (X / (W @ H) + sg.log(W @ H)).sum(),
          {"H": "k n positive", "W": "m k positive", "X": "m n positive"}, "H",
          "Wᵀ((WH − X)/(WH)²)"),
    Entry("factorisation regularised by a graph", "Cai, He, Han and Huang 2011, Graph regularized NMF",
          lambda V, U, X, L, λ: ((X - U @ V.T) ** 2).sum() + λ * sg.trace(V.T @ L @ V),
          {"V": "n k", "U": "m k", "X": "m n", "L": "n n symmetric", "λ": "positive"}, "V",
          "2VUᵀU − 2XᵀU + 2λLV", "2I ⊗ UᵀU + 2λL ⊗ I"),
    Entry("logistic factorisation", _COLLINS,
          lambda U, V, Y: (sg.softplus(U @ V.T) - Y * (U @ V.T)).sum(), {"U": "m k", "V": "n k", "Y": "m n binary"},
          "U",
          "(σ(UVᵀ) − Y)V"),
    Entry("Poisson factorisation", _COLLINS,
          lambda V, U, Y: (sg.exp(U @ V.T) - Y * (U @ V.T)).sum(), {"V": "n k", "U": "m k", "Y": "m n integer"}, "V",
          "(exp(UVᵀ) − Y)ᵀU"),
    Entry("one rating with biases", "Koren, Bell and Volinsky 2009, Matrix factorization techniques, (4)",
          lambda u, v, r, a, b, λ: (r - a - b - u @ v) ** 2 + λ * (u @ u + v @ v + a**2 + b**2),
          {"u": "k", "v": "k", "r": "", "a": "", "b": "", "λ": "positive"}, "u",
          "−2(r − a − b − uᵀv)v + 2λu", "2vvᵀ + 2λI"),
    Entry("weighted symmetric factorisation", "Srebro and Jaakkola 2003, Weighted low-rank approximations",
          lambda U, T, M: (M * (T - U @ U.T) ** 2).sum(), {"U": "m k", "T": "m m symmetric", "M": "m m symmetric"}, "U",
          "4(M ⊙ (UUᵀ − T))U"),
    Entry("singular value of a rank-one term", "Aharon, Elad and Bruckstein 2006, K-SVD",
          lambda s, u, v, E: ((E - s * sg.outer(u, v)) ** 2).sum(), {"s": "", "u": "m", "v": "n", "E": "m n"}, "s",
          "−2uᵀ(E − suvᵀ)v", "2‖u‖²‖v‖²"),
    Entry("diagonal core of a factorisation", "Kolda and Bader 2009, Tensor decompositions and applications, 3",
          lambda d, A, B, X: ((X - (A * d) @ B.T) ** 2).sum(), {"d": "k", "A": "m k", "B": "n k", "X": "m n"}, "d",
          "2diag(Aᵀ(A diag(d) Bᵀ − X)B)", "2AᵀA ⊙ BᵀB"),
    Entry("sparse coding", "Olshausen and Field 1996, Emergence of simple-cell receptive field properties",
          lambda z, D, x, λ: ((x - D @ z) ** 2).sum() / 2 + λ * sg.abs(z).sum(),
          {"z": "n", "D": "m n", "x": "m", "λ": "positive"}, "z",
          "Dᵀ(Dz − x) + λ sign(z)"),
)

_COMPONENTS = (
    Entry("canonical correlation", "Anderson, Multivariate Statistical Analysis, 12.2",
          _canonical_correlation,
          {"a": "n", "b": "k", "A": "n n pd symmetric", "B": "k k pd symmetric", "C": "n k"}, "a",
          "(Cb − aᵀCb Aa/aᵀAa)/(√(aᵀAa)√(bᵀBb))"),
    Entry("trace ratio", "Wang, Yan, Xu, Tang and Huang 2007, Trace ratio vs. ratio trace",
          lambda V, A, B: sg.trace(V.T @ A @ V) / sg.trace(V.T @ B @ V),
          {"V": "n k", "A": "n n symmetric", "B": "n n pd symmetric"}, "V",
          "2(AV − rBV)/tr(VᵀBV) where r = tr(VᵀAV)/tr(VᵀBV)"),
    Entry("discriminant by determinants", "Fukunaga, Introduction to Statistical Pattern Recognition, 10.2",
          lambda W, B, S: sg.logdet(W.T @ B @ W) - sg.logdet(W.T @ S @ W),
          {"W": "n k", "B": "n n pd symmetric", "S": "n n pd symmetric"}, "W",
          "2BW(WᵀBW)⁻¹ − 2SW(WᵀSW)⁻¹"),
    Entry("kurtosis along a direction", "Hyvärinen, Karhunen and Oja, Independent Component Analysis, 8.2",
          lambda w, X: ((X @ w) ** 4).mean(), {"w": "n", "X": "m n"}, "w",
          "4Xᵀ(Xw)³/m", "12Xᵀ diag((Xw)²) X/m"),
    Entry("linear autoencoder, the encoder", "Baldi and Hornik 1989, Neural networks and principal component analysis",
          lambda A, B, X: ((X - X @ A @ B) ** 2).sum(), {"A": "n k", "B": "k n", "X": "m n"}, "A",
          "−2Xᵀ(X − XAB)Bᵀ", "2XᵀX ⊗ BBᵀ"),
    Entry("linear autoencoder, the decoder", "Baldi and Hornik 1989, Neural networks and principal component analysis",
          lambda B, A, X: ((X - X @ A @ B) ** 2).sum(), {"B": "k n", "A": "n k", "X": "m n"}, "B",
          "−2AᵀXᵀ(X − XAB)", "2AᵀXᵀXA ⊗ I"),
    Entry("Laplacian eigenmaps with multipliers", "Belkin and Niyogi 2003, Laplacian eigenmaps",
          lambda Y, L, D, Z: sg.trace(Y.T @ L @ Y) - sg.trace(Z @ (Y.T @ D @ Y - sg.eye(Y.shape[1]))),
          {"Y": "n k", "L": "n n symmetric", "D": "n n symmetric", "Z": "k k symmetric"}, "Y",
          "2LY − 2DYZ", "2L ⊗ I − 2D ⊗ Z"),
    Entry("locally linear embedding", "Roweis and Saul 2000, Nonlinear dimensionality reduction",
          lambda Y, W: ((Y - W @ Y) ** 2).sum(), {"Y": "n k", "W": "n n"}, "Y",
          "2(I − W)ᵀ(I − W)Y", "2(I − W)ᵀ(I − W) ⊗ I"),
)

_EMBEDDINGS = (
    Entry("GloVe, one pair of words", _GLOVE + ", (8)",
          lambda w, v, b, c, h, x: h * (w @ v + b + c - np.log(x)) ** 2,
          {"w": "n", "v": "n", "b": "", "c": "", "h": "positive", "x": "positive"}, "w",
          "2h(wᵀv + b + c − log(x))v", "2hvvᵀ"),
    Entry("GloVe, the biases", _GLOVE + ", (8)",
          lambda b, F, W, V, L: (F * (W @ V.T + b[:, None] - L) ** 2).sum(),
          {"b": "m", "F": "m n positive", "W": "m k", "V": "n k", "L": "m n"}, "b",
          "2(F ⊙ (WVᵀ + b𝟏ᵀ − L))𝟏", "2diag(F𝟏)"),
    Entry("skip-gram with negative samples", _GOLDBERG,
          lambda v, u, N: -sg.log(sg.sigmoid(u @ v)) - sg.log(sg.sigmoid(-(N @ v))).sum(),
          {"v": "n", "u": "n", "N": "k n"}, "v",
          "(σ(uᵀv) − 1)u + Nᵀσ(Nv)",
          "q(1 − q)uuᵀ + Nᵀ diag(p ⊙ (1 − p)) N where p = σ(Nv), q = σ(uᵀv)"),
    Entry("continuous bag of words, the context", "Rong 2014, word2vec parameter learning explained",
          _context_words, {"C": "k n", "U": "m n", "y": "m onehot"}, "C",
          "𝟏(softmax(Uh) − y)ᵀU/k where h = Cᵀ𝟏/k"),
    Entry("link by a diagonal form", "Yang et al. 2015, Embedding entities and relations (DistMult)",
          lambda h, r, t: -sg.logsigmoid((h * r * t).sum()), {"h": "n", "r": "n", "t": "n"}, "h",
          "(σ(hᵀ(r ⊙ t)) − 1)(r ⊙ t)"),
    Entry("smooth triplet loss in the anchor", "Hermans, Beyer and Leibe 2017, In defense of the triplet loss",
          lambda a, b, c: sg.softplus(((a - b) ** 2).sum() - ((a - c) ** 2).sum()), {"a": "n", "b": "n", "c": "n"}, "a",
          "2σ(‖a − b‖² − ‖a − c‖²)(c − b)", "4p(1 − p)(c − b)(c − b)ᵀ where p = σ(‖a − b‖² − ‖a − c‖²)"),
    Entry("squared stress of one pair", "Borg and Groenen, Modern Multidimensional Scaling, 11.2",
          lambda x, y, d: (((x - y) ** 2).sum() - d**2) ** 2, {"x": "n", "y": "n", "d": "positive"}, "x",
          "4(‖x − y‖² − d²)(x − y)", "4(‖x − y‖² − d²)I + 8(x − y)(x − y)ᵀ"),
    Entry("logistic loss of a metric", "Guillaumin, Verbeek and Schmid 2009, Is that you? Metric learning approaches",
          lambda M, x, y, b: sg.softplus((x - y) @ M @ (x - y) - b), {"M": "n n", "x": "n", "y": "n", "b": "positive"},
          "M",
          "σ(dᵀMd − b)ddᵀ where d = x − y", "p(1 − p)ddᵀ ⊗ ddᵀ where p = σ(dᵀMd − b), d = x − y"),
)

_KERNELS = (
    Entry("logarithm of a kernel density", "Comaniciu and Meer 2002, Mean shift",
          lambda x, X: sg.logsumexp(-((x - X) ** 2).sum(1) / 2, 0), {"x": "n", "X": "m n"}, "x",
          "Xᵀp − x where p = softmax(−(X − 𝟏xᵀ)²𝟏/2)", "Xᵀ(diag(p) − ppᵀ)X − I where p = softmax(−(X − 𝟏xᵀ)²𝟏/2)"),
    Entry("random Fourier features", "Rahimi and Recht 2007, Random features for large-scale kernel machines",
          lambda x, W, a, b: a @ np.cos(W @ x + b), {"x": "n", "W": "m n", "a": "m", "b": "m"}, "x",
          "−Wᵀ(a ⊙ sin(Wx + b))", "−Wᵀ diag(a ⊙ cos(Wx + b)) W"),
    Entry("periodic kernel in the length", _RASMUSSEN + ".3",
          lambda l, x, y, p: sg.exp(-2 * sg.sin(sg.pi * (x - y) / p) ** 2 / l**2),
          {"l": "positive", "x": "", "y": "", "p": "positive"}, "l",
          "4s² exp(−2s²/l²)/l³ where s = sin(π(x − y)/p)"),
    Entry("Matérn kernel of order 3/2", _RASMUSSEN + ".1",
          lambda r, l: (1 + sg.sqrt(3) * r / l) * sg.exp(-sg.sqrt(3) * r / l), {"r": "positive", "l": "positive"}, "r",
          "−3r exp(−√3 r/l)/l²", "3(√3 r/l − 1)exp(−√3 r/l)/l²"),
)

ENTRIES = _FACTORISATION + _COMPONENTS + _EMBEDDINGS + _KERNELS
