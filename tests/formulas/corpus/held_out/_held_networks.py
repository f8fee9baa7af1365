"""Held out: neural networks, written from the books before the rules were touched."""

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_DL = "Goodfellow, Bengio and Courville, Deep Learning"
_HOCHREITER = "Hochreiter and Schmidhuber 1997, Long short-term memory (with forget gates)"
_OORD = "van den Oord, Li and Vinyals 2018, Representation learning with contrastive predictive coding"


def _gated(V, W, x, g):
    return g @ ((W @ x) * sg.sigmoid(V @ x))


def _long_memory(f, i, z, c, g):
    return g @ (sg.sigmoid(f) * c + sg.sigmoid(i) * sg.tanh(z))


def _interpolated(W, x, h, c, g):
    z = sg.sigmoid(W @ x)
    return g @ ((1 - z) * h + z * c)


def _distilled(z, v, T):
    return -(T**2) * (sg.softmax(v / T, 0) * sg.log_softmax(z / T, 0)).sum()


def _focal(x, g):
    p = sg.sigmoid(x)
    return -((1 - p) ** g) * sg.log(p)


def _margin(a, b, y, c):
    d = sg.linalg.norm(a - b)
    return y * d**2 + (1 - y) * sg.relu(c - d) ** 2


_UNITS = (
    Entry("exponential linear unit", "Clevert, Unterthiner and Hochreiter 2016, Exponential linear units",
          lambda x, a: sg.where(x > 0, x, a * (sg.exp(x) - 1)).sum(), {"x": "n", "a": "positive"}, "x",
          "where(x > 0, 1, a exp(x))", "diag(where(x > 0, 0, a exp(x)))"),
    Entry("swish in its slope", "Ramachandran, Zoph and Le 2017, Searching for activation functions",
          lambda b, x: x * sg.sigmoid(b * x), {"b": "positive", "x": ""}, "b",
          "x²σ(bx)(1 − σ(bx))", "x³p(1 − p)(1 − 2p) where p = σ(bx)"),
    Entry("Gaussian error linear units", "Hendrycks and Gimpel 2016, Gaussian error linear units",
          lambda x: (x * (1 + sg.erf(x / np.sqrt(2))) / 2).sum(), {"x": "n"}, "x",
          "Φ(x) + x ⊙ φ(x)", "diag((2 − x²) ⊙ φ(x))"),
    Entry("mish", "Misra 2019, Mish: A self regularized non-monotonic activation function",
          lambda x: x * sg.tanh(sg.softplus(x)), {"x": ""}, "x",
          "t + xσ(x)(1 − t²) where t = tanh(softplus(x))"),
    Entry("squareplus", "Barron 2021, Squareplus: A softplus-like algebraic rectifier",
          lambda x, b: ((x + np.sqrt(x**2 + b)) / 2).sum(), {"x": "n", "b": "positive"}, "x",
          "(1 + x/√(x² + b))/2", "diag(b/(x² + b)^(3/2))/2"),
)

_CELLS = (
    Entry("gated linear unit, the gate", "Dauphin, Fan, Auli and Grangier 2017, Language modeling with gated networks",
          _gated, {"V": "k n", "W": "k n", "x": "n", "g": "k"}, "V",
          "(g ⊙ Wx ⊙ p ⊙ (1 − p))xᵀ where p = σ(Vx)"),
    Entry("long short-term memory in the forget gate", _HOCHREITER,
          _long_memory, dict.fromkeys("fizcg", "n"), "f",
          "g ⊙ c ⊙ σ(f) ⊙ (1 − σ(f))"),
    Entry("gated recurrent unit, the update gate", "Cho et al. 2014, Learning phrase representations",
          _interpolated, {"W": "k n", "x": "n", "h": "k", "c": "k", "g": "k"}, "W",
          "(g ⊙ (c − h) ⊙ z ⊙ (1 − z))xᵀ where z = σ(Wx)"),
    Entry("recurrent step in the recurrent weights", _DL + ", 10.2.2",
          lambda W, h, U, x, b, y: ((np.tanh(W @ h + U @ x + b) - y) ** 2).sum() / 2,
          {"W": "k k", "h": "k", "U": "k n", "x": "n", "b": "k", "y": "k"}, "W",
          "((t − y) ⊙ (1 − t²))hᵀ where t = tanh(Wh + Ux + b)"),
    Entry("residual block", "He, Zhang, Ren and Sun 2016, Identity mappings in deep residual networks",
          lambda x, W1, W2: x + W2 @ sg.relu(W1 @ x), {"x": "n", "W1": "m n", "W2": "n m"}, "x",
          "I + W2 diag(1[W1 x > 0]) W1"),
    Entry("dropout in the input", "Srivastava et al. 2014, Dropout",
          lambda x, W, b, y: ((W @ (b * x) - y) ** 2).sum() / 2, {"x": "n", "W": "m n", "b": "n binary", "y": "m"}, "x",
          "b ⊙ Wᵀ(W(b ⊙ x) − y)", "diag(b)WᵀW diag(b)"),
    Entry("centring of a batch", "Ioffe and Szegedy 2015, Batch normalization",
          lambda X: ((X - X.mean(0)) ** 2).sum(), {"X": "m n"}, "X",
          "2(X − 𝟏𝟏ᵀX/m)"),
)

_CLASSIFIERS = (
    Entry("softmax layer, the bias", _DL + ", 6.5",
          lambda b, X, W, Y: -(Y * sg.log_softmax(X @ W + b, 1)).sum(),
          {"b": "k", "X": "m n", "W": "n k", "Y": "m k onehot"}, "b",
          "(softmax(XW + 𝟏bᵀ) − Y)ᵀ𝟏"),
    Entry("label smoothing", "Szegedy et al. 2016, Rethinking the Inception architecture, 7",
          lambda z, y, ε: -(((1 - ε) * y + ε / z.shape[0]) * sg.log_softmax(z, 0)).sum(),
          {"z": "n", "y": "n onehot", "ε": "fraction"}, "z",
          "softmax(z) − (1 − ε)y − ε/n", "diag(p) − ppᵀ where p = softmax(z)"),
    Entry("temperature of a classifier", "Guo, Pleiss, Sun and Weinberger 2017, On calibration",
          lambda T, z, y: sg.logsumexp(z / T, 0) - y @ z / T, {"T": "positive", "z": "n", "y": "n onehot"}, "T",
          "(y − softmax(z/T))ᵀz/T²"),
    Entry("distillation", "Hinton, Vinyals and Dean 2015, Distilling the knowledge in a neural network",
          _distilled, {"z": "n", "v": "n", "T": "positive"}, "z",
          "T(softmax(z/T) − softmax(v/T))", "diag(p) − ppᵀ where p = softmax(z/T)"),
    Entry("focal loss", "Lin, Goyal, Girshick, He and Dollár 2017, Focal loss for dense object detection, B",
          _focal, {"x": "", "g": "positive"}, "x",
          "(1 − p)^g (gp log(p) + p − 1) where p = σ(x)"),
    Entry("soft Dice loss", "Milletari, Navab and Ahmadi 2016, V-Net",
          lambda p, y: 1 - 2 * (p @ y) / (p.sum() + y.sum()), {"p": "m fraction", "y": "m binary"}, "p",
          "2pᵀy/s² − 2y/s where s = sum(p) + sum(y)", "2(y𝟏ᵀ + 𝟏yᵀ)/s² − 4pᵀy 𝟏𝟏ᵀ/s³ where s = sum(p) + sum(y)"),
)

_CONTRASTS = (
    Entry("contrastive loss with a margin", "Hadsell, Chopra and LeCun 2006, Dimensionality reduction",
          _margin, {"a": "n", "b": "n", "y": "fraction", "c": "wide"}, "a",
          "2y(a − b) − 2(1 − y)relu(c − d)(a − b)/d where d = ‖a − b‖"),
    Entry("contrastive loss of one query", _OORD,
          lambda q, N, u, t: sg.logsumexp(N @ q / t, 0) - u @ q / t, {"q": "n", "N": "m n", "u": "n", "t": "positive"},
          "q",
          "(Nᵀ softmax(Nq/t) − u)/t", "Nᵀ(diag(p) − ppᵀ)N/t² where p = softmax(Nq/t)"),
    Entry("contrastive loss of pairs", "Radford et al. 2021, Learning transferable visual models (one direction)",
          lambda Q, N, t: (sg.logsumexp(Q @ N.T / t, 1) - (Q * N).sum(1) / t).sum(),
          {"Q": "m n", "N": "m n", "t": "positive"}, "Q",
          "(softmax(QNᵀ/t) − I)N/t"),
    Entry("cross-correlation towards the identity", "Zbontar et al. 2021, Barlow twins",
          lambda X, Y: ((X.T @ Y - sg.eye(X.shape[1])) ** 2).sum(), {"X": "m n", "Y": "m n"}, "X",
          "2Y(XᵀY − I)ᵀ", "2YYᵀ ⊗ I"),
    Entry("linear discriminator", "Goodfellow et al. 2014, Generative adversarial nets",
          lambda w, x, y: -sg.log(sg.sigmoid(w @ x)) - sg.log(1 - sg.sigmoid(w @ y)), {"w": "n", "x": "n", "y": "n"},
          "w",
          "(σ(wᵀx) − 1)x + σ(wᵀy)y", "p(1 − p)xxᵀ + q(1 − q)yyᵀ where p = σ(wᵀx), q = σ(wᵀy)"),
    Entry("deviation of a linear decoder's code", "Kingma and Welling 2014, Auto-encoding variational Bayes, 2.4",
          lambda s, u, e, D, y: ((y - D @ (u + s * e)) ** 2).sum() / 2,
          {"s": "n positive", "u": "n", "e": "n", "D": "m n", "y": "m"}, "s",
          "e ⊙ Dᵀ(Dz − y) where z = u + s ⊙ e", "diag(e)DᵀD diag(e)"),
    Entry("free energy of a restricted Boltzmann machine in the weights",
          "Hinton 2012, A practical guide to training restricted Boltzmann machines",
          lambda W, v, c: -sg.log(1 + sg.exp(W @ v + c)).sum(), {"W": "m n", "v": "n", "c": "m"}, "W",
          "−σ(Wv + c)vᵀ", "−diag(p ⊙ (1 − p)) ⊗ vvᵀ where p = σ(Wv + c)"),
    Entry("direct preference", "Rafailov et al. 2023, Direct preference optimization, (7)",
          lambda a, c, b: -sg.log(sg.sigmoid(b * (a - c))), {"a": "", "c": "", "b": "positive"}, "a",
          "−bσ(b(c − a))", "b²p(1 − p) where p = σ(b(a − c))"),
    Entry("squared temporal difference", "Baird 1995, Residual algorithms",
          lambda w, r, g, x, y: (r + g * (w @ y) - w @ x) ** 2 / 2,
          {"w": "n", "r": "", "g": "fraction", "x": "n", "y": "n"}, "w",
          "(r + gwᵀy − wᵀx)(gy − x)", "(gy − x)(gy − x)ᵀ"),
)

_ATTENTIVE = (
    Entry("attention of one query in the keys", "Bahdanau, Cho and Bengio 2015, Neural machine translation",
          lambda K, q, V, g: g @ (V.T @ sg.softmax(K @ q, 0)), {"K": "n k", "q": "k", "V": "n p", "g": "p"}, "K",
          "(p ⊙ (Vg − pᵀVg))qᵀ where p = softmax(Kq)"),
    Entry("additive attention", "Bahdanau, Cho and Bengio 2015, Neural machine translation, A.1.2",
          lambda q, W, U, k, v: v @ np.tanh(W @ q + U @ k), {"q": "n", "W": "m n", "U": "m k", "k": "k", "v": "m"}, "q",
          "Wᵀ(v ⊙ (1 − tanh(Wq + Uk)²))"),
    Entry("linear attention in the keys", "Katharopoulos et al. 2020, Transformers are RNNs",
          lambda K, Q, V, G: (G * (Q @ K.T @ V)).sum(), {"K": "n k", "Q": "m k", "V": "n p", "G": "m p"}, "K",
          "VGᵀQ"),
)

ENTRIES = _UNITS + _CELLS + _CLASSIFIERS + _CONTRASTS + _ATTENTIVE
