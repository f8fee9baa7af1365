"""Factors: their analysis, principal and independent components, dictionaries, tensors, completion, words."""

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

_SPARSE = (
    Entry("sparse codes by a smooth penalty", "Elad, Sparse and Redundant Representations, 11",
          lambda z, D, x, λ, a: ((x - D @ z) ** 2).sum() / 2 + λ * sg.sqrt(z**2 + a).sum(),
          {"z": "n", "D": "m n", "x": "m", "λ": "positive", "a": "positive"}, "z",
          "Dᵀ(Dz − x) + λz/√(z² + a)", "DᵀD + aλ diag(1/(z² + a)^(3/2))"),
    Entry("sparse codes by a Cauchy prior", "Olshausen and Field 1997, Sparse coding with an overcomplete basis set",
          lambda Z, D, X, λ: ((X - D @ Z) ** 2).sum() / 2 + λ * sg.log(1 + Z**2).sum(),
          {"Z": "n k", "D": "m n", "X": "m k", "λ": "positive"}, "Z",
          "Dᵀ(DZ − X) + 2λZ/(1 + Z^∘2)"),
    Entry("tracking of a subspace", "Yang 1995, Projection approximation subspace tracking",
          lambda U, C: sg.trace((sg.eye(C.shape[0]) - U @ U.T) @ C @ (sg.eye(C.shape[0]) - U @ U.T)),
          {"U": "n k", "C": "n n pd symmetric"}, "U",
          "2(CUUᵀ + UUᵀC − 2C)U"),
)

_TENSORS = (
    Entry("trilinear form", _KOLDA + ", 2.5",
          lambda x, y, z, T: sg.einsum("ijk,i,j,k->", T, x, y, z), {"x": "m", "y": "n", "z": "k", "T": "m n k"}, "x",
          "Σⱼₖ T[i,j,k]·y[j]·z[k]"),
    Entry("slice of three factors in the weights", _KOLDA + ", 3.4",
          lambda c, U, V, X: ((U @ sg.diag(c) @ V.T - X) ** 2).sum(), {"c": "k", **_FACTORS, "X": "m n"}, "c",
          "2diag(Uᵀ(U diag(c)Vᵀ − X)V)", "2UᵀU ⊙ VᵀV"),
    Entry("slice of three factors in U", _KOLDA + ", 3.4",
          lambda U, V, c, X: ((U @ sg.diag(c) @ V.T - X) ** 2).sum() / 2, {**_FACTORS, "c": "k", "X": "m n"}, "U",
          "(U diag(c)Vᵀ − X)V diag(c)", "I ⊗ diag(c)VᵀV diag(c)"),
    Entry("relations in the entities", "Nickel, Tresp and Kriegel 2011, A three-way model for collective learning",
          lambda A, R, X: ((A @ R @ A.T - X) ** 2).sum(), {"A": "n k", "R": "k k", "X": "n n"}, "A",
          "2(EARᵀ + EᵀAR) where E = ARAᵀ − X"),
    Entry("diagonal score of a triple", "Yang et al. 2015, Embedding entities and relations",
          lambda r, a, b, y: sg.softplus(-y * (a * r * b).sum()), {"r": "k", "a": "k", "b": "k", "y": "sign"}, "r",
          "−yσ(−y(a ⊙ b)ᵀr)a ⊙ b"),
)

_TABLES = (
    Entry("completion with a bias of each row", "Koren, Bell and Volinsky 2009, Matrix factorization techniques",
          lambda b, c, U, V, T, M: (M * (b[:, None] + c[None, :] + U @ V.T - T) ** 2).sum(),
          {"b": "m", "c": "n", **_FACTORS, "T": "m n", "M": "m n binary"}, "b",
          "2(M ⊙ (b𝟏ᵀ + 𝟏cᵀ + UVᵀ − T))𝟏", "2diag(M𝟏)"),
    Entry("logistic principal components", "Collins, Dasgupta and Schapire 2001, Principal components",
          lambda U, V, Y: (sg.softplus(U @ V.T) - Y * (U @ V.T)).sum(), {**_FACTORS, "Y": "m n binary"}, "U",
          "(σ(UVᵀ) − Y)V"),
    Entry("Poisson factors", "Collins, Dasgupta and Schapire 2001, Principal components",
          lambda U, V, X: (sg.exp(U @ V.T) - X * (U @ V.T)).sum(), {**_FACTORS, "X": "m n integer"}, "U",
          "(exp(UVᵀ) − X)V"),
    Entry("vectors of words by counts", _GLOVE,
          lambda U, V, b, c, F, N: (F * (U @ V.T + b[:, None] + c[None, :] - sg.log(N)) ** 2).sum(),
          {**_FACTORS, "b": "m", "c": "n", "F": "m n positive", "N": "m n positive"}, "U",
          "2(F ⊙ (UVᵀ + b𝟏ᵀ + 𝟏cᵀ − log(N)))V"),
    Entry("skip-gram by counts", "Levy and Goldberg 2014, Neural word embedding as implicit matrix factorization",
          lambda U, V, N, M: (N * sg.softplus(-(U @ V.T)) + M * sg.softplus(U @ V.T)).sum(),
          {**_FACTORS, "N": "m n positive", "M": "m n positive"}, "U",
          "(M ⊙ σ(UVᵀ) − N ⊙ σ(−UVᵀ))V"),
    Entry("skip-gram by softmax in the word", "Mikolov et al. 2013, Distributed representations of words and phrases",
          lambda u, V, y: sg.logsumexp(V @ u, 0) - y @ V @ u, {"u": "k", "V": "n k", "y": "n onehot"}, "u",
          "Vᵀ(softmax(Vu) − y)", "Vᵀ(diag(p) − ppᵀ)V where p = softmax(Vu)"),
    Entry("continuous bag of words", "Mikolov et al. 2013, Efficient estimation of word representations",
          lambda U, V, c, y: sg.logsumexp(V @ (U.T @ c), 0) - y @ V @ U.T @ c,
          {"U": "n k", "V": "m k", "c": "n", "y": "m onehot"}, "U",
          "c(softmax(VUᵀc) − y)ᵀV"),
)

ENTRIES = _COMPONENTS + _NON_NEGATIVE + _SPARSE + _TENSORS + _TABLES
