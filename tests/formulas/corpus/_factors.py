"""Factors: their analysis, principal and independent components, dictionaries, tensors, completion, embeddings of words."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_BARTHOLOMEW = "Bartholomew, Knott and Moustaki, Latent Variable Models and Factor Analysis, 3"
_CICHOCKI = "Cichocki et al., Nonnegative Matrix and Tensor Factorizations"
_KOLDA = "Kolda and Bader 2009, Tensor decompositions and applications"
_HYVÄRINEN = "Hyvärinen, Karhunen and Oja, Independent Component Analysis"
_GLOVE = "Pennington, Socher and Manning 2014, GloVe"
_FACTORS = {"U": "m k", "V": "n k"}


_COMPONENTS = (
    Entry("factor analysis in the loadings", _BARTHOLOMEW + ".4",
          lambda W, v, C: (sg.logdet(W @ W.T + sg.diag(v)) + sg.trace(sg.linalg.inv(W @ W.T + sg.diag(v)) @ C)) / 2,
          {"W": "n k", "v": "n positive", "C": "n n pd symmetric"}, "W",
          "(M⁻¹ − M⁻¹CM⁻¹)W where M = WWᵀ + diag(v)"),
    Entry("posterior of the factors", _BARTHOLOMEW + ".2",
          lambda z, x, W, v: ((x - W @ z) ** 2 / v).sum() / 2 + (z**2).sum() / 2,
          {"z": "k", "x": "n", "W": "n k", "v": "n positive"}, "z",
          "z − Wᵀ((x − Wz)/v)", "I + Wᵀ diag(1/v)W"),
    Entry("canonical correlation", "Anderson, An Introduction to Multivariate Statistical Analysis, 12.2",
          lambda u, v, A, B, C: u @ A @ v / sg.sqrt(u @ B @ u * (v @ C @ v)),
          {"u": "m", "v": "n", "A": "m n", "B": "m m pd symmetric", "C": "n n pd symmetric"}, "u",
          "(Av − uᵀAvBu/s)/√(svᵀCv) where s = uᵀBu"),
    Entry("independent component by log-cosh", _HYVÄRINEN + ", 8.3",
          lambda w, X, λ: sg.log(sg.cosh(X @ w)).sum() - λ * (w @ w) / 2, {"w": "n", "X": "m n", "λ": "positive"}, "w",
          "Xᵀtanh(Xw) − λw", "Xᵀ diag(1 − tanh(Xw)²)X − λI"),
    Entry("independent component by a Gaussian", _HYVÄRINEN + ", 8.3",
          lambda w, X: -sg.exp(-((X @ w) ** 2) / 2).sum(), {"w": "n", "X": "m n"}, "w",
          "Xᵀ(z ⊙ exp(−z²/2)) where z = Xw", "Xᵀ diag((1 − z²) ⊙ exp(−z²/2))X where z = Xw"),
)

_NON_NEGATIVE = (
    Entry("factorisation by Itakura and Saito", _CICHOCKI + ", 3.3",
          lambda W, H, X: (X / (W @ H) + sg.log(W @ H)).sum(),
          {"W": "m k positive", "H": "k n positive", "X": "m n positive"}, "W",
          "(1/(WH) − X/(WH)^∘2)Hᵀ"),
    Entry("factorisation by divergence in H", _CICHOCKI + ", 3.2",
          lambda H, W, X: (W @ H - X * sg.log(W @ H)).sum(),
          {"H": "k n positive", "W": "m k positive", "X": "m n positive"}, "H",
          "Wᵀ(𝟏𝟏ᵀ − X/(WH))"),
    Entry("sparse coding with non-negative codes", _CICHOCKI + ", 4.3",
          lambda H, W, X, λ: ((X - W @ H) ** 2).sum() / 2 + λ * H.sum(),
          {"H": "k n positive", "W": "m k", "X": "m n", "λ": "positive"}, "H",
          "Wᵀ(WH − X) + λ", "WᵀW ⊗ I"),
)

ENTRIES = _COMPONENTS + _NON_NEGATIVE
