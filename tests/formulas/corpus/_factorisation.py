"""Matrix factorisation, principal components, metric learning and graphs."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_LEE = "Lee and Seung 2001, Algorithms for non-negative matrix factorization"
_KOREN = "Koren, Bell and Volinsky 2009, Matrix factorization techniques for recommender systems"
_LAUE = "Laue, Mitterreiter and Giesen 2018, Computing higher order derivatives"
_FACTORS = {"U": "m k", "V": "n k", "T": "m n"}


def _factor_analysis(W, C, v):
    M = W @ W.T + v * sg.eye(W.shape[0])
    return (sg.logdet(M) + sg.trace(sg.linalg.inv(M) @ C)) / 2


_FACTORISATION = (
    Entry("factorisation in U", _LAUE,
          lambda U, V, T: ((T - U @ V.T) ** 2).sum(), _FACTORS, "U",
          "2(UVᵀ − T)V", "2I ⊗ (VᵀV)"),
    Entry("factorisation in V", _LAUE,
          lambda U, V, T: ((T - U @ V.T) ** 2).sum(), _FACTORS, "V",
          "2(UVᵀ − T)ᵀU", "2I ⊗ (UᵀU)"),
    Entry("non-negative factorisation in W", _LEE,
          lambda W, H, X: ((X - W @ H) ** 2).sum() / 2, {"W": "m k", "H": "k n", "X": "m n"}, "W",
          "(WH − X)Hᵀ", "I ⊗ HHᵀ"),
    Entry("non-negative factorisation in H", _LEE,
          lambda H, W, X: ((X - W @ H) ** 2).sum() / 2, {"H": "k n", "W": "m k", "X": "m n"}, "H",
          "Wᵀ(WH − X)", "WᵀW ⊗ I"),
    Entry("factorisation by divergence in W", _LEE,
          lambda W, H, X: (W @ H - X * sg.log(W @ H)).sum(),
          {"W": "m k positive", "H": "k n positive", "X": "m n positive"}, "W",
          "(𝟏𝟏ᵀ − X/(WH))Hᵀ"),
    Entry("factorisation with missing entries", _KOREN,
          lambda U, V, T, M: (M * (T - U @ V.T) ** 2).sum(), {**_FACTORS, "M": "m n binary"}, "U",
          "2(M ⊙ (UVᵀ − T))V"),
    Entry("regularised factorisation", _KOREN,
          lambda U, V, T, λ: ((T - U @ V.T) ** 2).sum() + λ * (U**2).sum(), {**_FACTORS, "λ": "positive"}, "U",
          "2(UVᵀ − T)V + 2λU", "2I ⊗ (VᵀV + λI)"),
    Entry("symmetric factorisation", "Ding, He and Simon 2005, On the equivalence of non-negative matrix factorization",
          lambda U, T: ((T - U @ U.T) ** 2).sum(), {"U": "m k", "T": "m m symmetric"}, "U",
          "4(UUᵀ − T)U"),
    Entry("three factors in the core", "Ding et al. 2006, Orthogonal nonnegative matrix tri-factorizations",
          lambda S, U, V, T: ((T - U @ S @ V.T) ** 2).sum(), {"S": "k p", "U": "m k", "V": "n p", "T": "m n"}, "S",
          "2Uᵀ(USVᵀ − T)V", "2UᵀU ⊗ VᵀV"),
    Entry("dictionary", "Olshausen and Field 1996, Emergence of simple-cell receptive field properties",
          lambda D, x, z: ((x - D @ z) ** 2).sum() / 2, {"D": "m n", "x": "m", "z": "n"}, "D",
          "(Dz − x)zᵀ", "I ⊗ zzᵀ"),
    Entry("rank-one approximation", "Golub and Van Loan, Matrix Computations, 2.4",
          lambda u, v, A: ((A - sg.outer(u, v)) ** 2).sum(), {"u": "m", "v": "n", "A": "m n"}, "u",
          "2(uvᵀ − A)v", "2‖v‖²I"),
    Entry("Sylvester equation", "Simoncini 2016, Computational methods for linear matrix equations",
          lambda X, A, B, C: ((A @ X + X @ B - C) ** 2).sum(), {"X": "m n", "A": "m m", "B": "n n", "C": "m n"}, "X",
          "2(AᵀR + RBᵀ) where R = AX + XB − C"),
)

_COMPONENTS = (
    Entry("reconstruction error of principal components",
          "Baldi and Hornik 1989, Neural networks and principal component analysis",
          lambda W, X: ((X - X @ W @ W.T) ** 2).sum(), {"W": "n k", "X": "m n"}, "W",
          "−2(XᵀR + RᵀX)W where R = X − XWWᵀ"),
    Entry("explained variance", "Jolliffe, Principal Component Analysis, 2.1",
          lambda W, C: sg.trace(W.T @ C @ W), {"W": "n k", "C": "n n symmetric"}, "W",
          "2CW", "2C ⊗ I"),
    Entry("variance along a direction", "Jolliffe, Principal Component Analysis, 1.1",
          lambda w, X: ((X @ w) ** 2).sum() / X.shape[0], {"w": "n", "X": "m n"}, "w",
          "2XᵀXw/m", "2XᵀX/m"),
    Entry("Lagrangian of the first component", "Jolliffe, Principal Component Analysis, 1.1",
          lambda w, C, λ: w @ C @ w - λ * (w @ w - 1), {"w": "n", "C": "n n symmetric", "λ": ""}, "w",
          "2Cw − 2λw", "2C − 2λI"),
    Entry("penalty of orthogonality", "Bansal, Chen and Wang 2018, Can we gain more from orthogonality",
          lambda W: ((W.T @ W - sg.eye(W.shape[1])) ** 2).sum(), {"W": "m n"}, "W",
          "4W(WᵀW − I)"),
    Entry("independent components", "Bell and Sejnowski 1995, An information-maximization approach",
          lambda W, x: sg.log(sg.cosh(W @ x)).sum() - sg.logdet(W), {"W": "n n invertible", "x": "n"}, "W",
          "tanh(Wx)xᵀ − W⁻ᵀ"),
    Entry("factor analysis in the noise", "Bishop, Pattern Recognition and Machine Learning, 12.2",
          _factor_analysis, {"v": "positive", "C": "n n pd symmetric", "W": "n k"}, "v",
          "(tr(M⁻¹) − tr(M⁻¹CM⁻¹))/2 where M = WWᵀ + vI"),
    Entry("probabilistic principal components", "Tipping and Bishop 1999, Probabilistic principal component analysis",
          _factor_analysis, {"W": "n k", "C": "n n pd symmetric", "v": "positive"}, "W",
          "M⁻¹W − M⁻¹CM⁻¹W where M = WWᵀ + vI"),
)

_GRAPHS = (
    Entry("learned metric", "Weinberger and Saul 2009, Distance metric learning",
          lambda L, x: ((L @ x) ** 2).sum(), {"L": "k n", "x": "n"}, "L",
          "2Lxxᵀ", "2I ⊗ xxᵀ"),
    Entry("smoothness on a graph by the Laplacian", "von Luxburg 2007, A tutorial on spectral clustering, 3.1",
          lambda x, L: x @ L @ x, {"x": "n", "L": "n n symmetric"}, "x",
          "2Lx", "2L"),
    Entry("smoothness on a graph by edges", "von Luxburg 2007, A tutorial on spectral clustering, 3.1",
          lambda x, B, c: (c * (B @ x) ** 2).sum(), {"x": "n", "B": "m n", "c": "m positive"}, "x",
          "2Bᵀ(c ⊙ Bx)", "2Bᵀ diag(c) B"),
    Entry("negative sampling", "Mikolov et al. 2013, Distributed representations of words and phrases",
          lambda u, v: -sg.log(sg.sigmoid(u @ v)), {"u": "n", "v": "n"}, "u",
          "(σ(uᵀv) − 1)v", "σ(uᵀv)(1 − σ(uᵀv))vvᵀ"),
    Entry("pairwise ranking", "Rendle et al. 2009, BPR: Bayesian personalized ranking",
          lambda u, v, w: -sg.log(sg.sigmoid(u @ v - u @ w)), {"u": "n", "v": "n", "w": "n"}, "u",
          "−σ(uᵀ(w − v))(v − w)"),
    Entry("bilinear score of a link", "Nickel, Tresp and Kriegel 2011, A three-way model for collective learning",
          lambda R, a, b: sg.sigmoid(a @ R @ b), {"R": "n k", "a": "n", "b": "k"}, "R",
          "p(1 − p)abᵀ where p = σ(aᵀRb)"),
)

ENTRIES = _FACTORISATION + _COMPONENTS + _GRAPHS
