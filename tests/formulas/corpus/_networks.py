"""Activations, layers, attention, normalisation and energies of neural networks."""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_DL = "Goodfellow, Bengio and Courville, Deep Learning"
_FLASH = "Dao et al. 2022, FlashAttention, B.2"
_RAMSAUER = "Ramsauer et al. 2021, Hopfield networks is all you need, (1)–(3)"
_LAYERS = {"W1": "k n", "W2": "p k", "x": "n", "y": "p"}
_ATTENTION = {"Q": "m k", "K": "n k", "V": "n p", "G": "m p"}


def _attend(Q, K, V, G):
    return (G * (sg.softmax(Q @ K.T, 1) @ V)).sum()


def _two_layers(W1, W2, x, y):
    return ((W2 @ sg.tanh(W1 @ x) - y) ** 2).sum() / 2


_ACTIVATIONS = (
    Entry("sigmoid", _DL + ", 3.10",
          lambda x: 1 / (1 + sg.exp(-x)), {"x": ""}, "x",
          "σ(x)(1 − σ(x))"),
    Entry("softplus", _DL + ", 3.10",
          lambda x: sg.log(1 + sg.exp(x)), {"x": ""}, "x",
          "σ(x)", "σ(x)(1 − σ(x))"),
    Entry("softplus of a vector", _DL + ", 3.10",
          lambda x: sg.softplus(x).sum(), {"x": "n"}, "x",
          "σ(x)", "diag(σ(x) ⊙ (1 − σ(x)))"),
    Entry("hyperbolic tangent of a vector", _DL + ", 6.3.2",
          lambda x: sg.tanh(x).sum(), {"x": "n"}, "x",
          "1 − tanh(x)²"),
    Entry("swish", "Ramachandran, Zoph and Le 2017, Searching for activation functions",
          lambda x: x * sg.sigmoid(x), {"x": ""}, "x",
          "σ(x) + xσ(x)(1 − σ(x))"),
    Entry("Gaussian error linear unit", "Hendrycks and Gimpel 2016, Gaussian error linear units",
          lambda x: x * sg.special.ndtr(x), {"x": ""}, "x",
          "Φ(x) + xφ(x)"),
    Entry("rectifier", _DL + ", 6.3.1",
          lambda x: sg.relu(x).sum(), {"x": "n"}, "x",
          "1[x > 0]"),
    Entry("squared rectifier", "So et al. 2021, Primer",
          lambda x: (sg.relu(x) ** 2).sum(), {"x": "n"}, "x",
          "2relu(x)", "diag(2 1[x > 0])"),
)

_DENSE = (
    Entry("one tanh layer", "Rumelhart, Hinton and Williams 1986, Learning representations",
          lambda W, x, y: ((sg.tanh(W @ x) - y) ** 2).sum() / 2, {"W": "k n", "x": "n", "y": "k"}, "W",
          "((t − y) ⊙ (1 − t²))xᵀ where t = tanh(Wx)"),
    Entry("one logistic layer", "Rumelhart, Hinton and Williams 1986, Learning representations",
          lambda W, x, y: ((sg.sigmoid(W @ x) - y) ** 2).sum() / 2, {"W": "k n", "x": "n", "y": "k"}, "W",
          "((p − y) ⊙ p ⊙ (1 − p))xᵀ where p = σ(Wx)"),
    Entry("two layers, the first", _DL + ", 6.5",
          _two_layers, _LAYERS, "W1",
          "(W2ᵀ(W2 h − y) ⊙ (1 − h²))xᵀ where h = tanh(W1 x)"),
    Entry("two layers, the second", _DL + ", 6.5",
          _two_layers, _LAYERS, "W2",
          "(W2 h − y)hᵀ where h = tanh(W1 x)", "I ⊗ hhᵀ where h = tanh(W1 x)"),
    Entry("two layers, the input", _DL + ", 6.5",
          _two_layers, _LAYERS, "x",
          "W1ᵀ(W2ᵀ(W2 h − y) ⊙ (1 − h²)) where h = tanh(W1 x)"),
    Entry("two linear layers", "Saxe, McClelland and Ganguli 2014, Exact solutions to the nonlinear dynamics",
          lambda W1, W2, X, Y: ((W2 @ W1 @ X - Y) ** 2).sum(), {"W1": "k n", "W2": "p k", "X": "n m", "Y": "p m"}, "W1",
          "2W2ᵀ(W2 W1 X − Y)Xᵀ", "2W2ᵀ W2 ⊗ XXᵀ"),
    Entry("two layers with softmax", _DL + ", 6.5",
          lambda W1, W2, x, y: -(y * sg.log_softmax(W2 @ sg.tanh(W1 @ x), 0)).sum(),
          {"W1": "k n", "W2": "m k", "x": "n", "y": "m onehot"}, "W1",
          "(W2ᵀ(softmax(W2 h) − y) ⊙ (1 − h²))xᵀ where h = tanh(W1 x)"),
    Entry("rectified features, the weights", _DL + ", 6.5",
          lambda W, v, X, y: ((sg.relu(X @ W) @ v - y) ** 2).sum() / 2,
          {"W": "n k", "v": "k", "X": "m n", "y": "m"}, "W",
          "Xᵀ((relu(XW)v − y)vᵀ ⊙ 1[XW > 0])"),
    Entry("rectified features, the output", _DL + ", 6.5",
          lambda v, W, X, y: ((sg.relu(X @ W) @ v - y) ** 2).sum() / 2,
          {"v": "k", "W": "n k", "X": "m n", "y": "m"}, "v",
          "Hᵀ(Hv − y) where H = relu(XW)", "HᵀH where H = relu(XW)"),
    Entry("recurrent step", "Pascanu, Mikolov and Bengio 2013, On the difficulty of training recurrent networks",
          lambda h, W, U, x, b: sg.tanh(W @ h + U @ x + b), {"h": "k", "W": "k k", "U": "k n", "x": "n", "b": "k"}, "h",
          "diag(1 − t²)W where t = tanh(Wh + Ux + b)"),
    Entry("sigmoid of a linear score", _DL + ", 6.2.2",
          lambda w, x, b: sg.sigmoid(w @ x + b), {"w": "n", "x": "n", "b": ""}, "w",
          "p(1 − p)x where p = σ(wᵀx + b)", "p(1 − p)(1 − 2p)xxᵀ where p = σ(wᵀx + b)"),
    Entry("bias", _DL + ", 6.5",
          lambda b, X, W, Y: ((X @ W + b - Y) ** 2).sum(), {"b": "k", "X": "m n", "W": "n k", "Y": "m k"}, "b",
          "2(XW + 𝟏bᵀ − Y)ᵀ𝟏", "2mI"),
)

_ATTENTIVE = (
    Entry("attention in the values", _FLASH,
          _attend, _ATTENTION, "V",
          "softmax(QKᵀ)ᵀG"),
    Entry("attention in the queries", _FLASH,
          _attend, _ATTENTION, "Q",
          "(P ⊙ (GVᵀ − (P ⊙ GVᵀ)𝟏𝟏ᵀ))K where P = softmax(QKᵀ)"),
    Entry("attention in the keys", _FLASH,
          _attend, _ATTENTION, "K",
          "(P ⊙ (GVᵀ − (P ⊙ GVᵀ)𝟏𝟏ᵀ))ᵀQ where P = softmax(QKᵀ)"),
    Entry("attention of one query", _RAMSAUER,
          lambda q, K, V: V.T @ sg.softmax(K @ q, 0), {"q": "k", "K": "n k", "V": "n p"}, "q",
          "Vᵀ(diag(p) − ppᵀ)K where p = softmax(Kq)"),
    Entry("modern Hopfield energy", _RAMSAUER,
          lambda x, X, b: (x @ x) / 2 - sg.logsumexp(b * (X @ x), 0) / b, {"x": "n", "X": "m n", "b": "positive"}, "x",
          "x − Xᵀ softmax(bXx)", "I − bXᵀ(diag(p) − ppᵀ)X where p = softmax(bXx)"),
    Entry("Hopfield energy", "Hopfield 1984, Neurons with graded response",
          lambda x, W, b: -(x @ W @ x) / 2 - b @ x, {"x": "n", "W": "n n symmetric", "b": "n"}, "x",
          "−Wx − b", "−W"),
    Entry("free energy of a restricted Boltzmann machine",
          "Hinton 2012, A practical guide to training restricted Boltzmann machines",
          lambda v, W, b, c: -(b @ v) - sg.log(1 + sg.exp(c + W @ v)).sum(),
          {"v": "n", "W": "m n", "b": "n", "c": "m"}, "v",
          "−b − Wᵀσ(c + Wv)", "−Wᵀ diag(p ⊙ (1 − p)) W where p = σ(c + Wv)"),
)

_NORMALISED = (
    Entry("layer normalisation", "Ba, Kiros and Hinton 2016, Layer normalization",
          lambda x, g: (g * ((x - x.mean()) / sg.sqrt(((x - x.mean()) ** 2).mean()))).sum(), {"x": "n", "g": "n"}, "x",
          "(g − sum(g)/n − yyᵀg/n)/s where r = x − sum(x)/n, s = ‖r‖/√n, y = r/s"),
    Entry("root mean square normalisation", "Zhang and Sennrich 2019, Root mean square layer normalization",
          lambda x, g: (g * (x / sg.sqrt((x**2).mean()))).sum(), {"x": "n", "g": "n"}, "x",
          "(g − xxᵀg/‖x‖²)/s where s = ‖x‖/√n"),
    Entry("projection on the sphere", "Salimans and Kingma 2016, Weight normalization, (3)",
          lambda v, g: g @ (v / sg.linalg.norm(v)), {"v": "n", "g": "n"}, "v",
          "g/‖v‖ − vvᵀg/‖v‖³"),
    Entry("layer normalisation in the gain", "Ba, Kiros and Hinton 2016, Layer normalization",
          lambda g, b, z, y: ((g * z + b - y) ** 2).sum(), {"g": "n", "b": "n", "z": "n", "y": "n"}, "g",
          "2(g ⊙ z + b − y) ⊙ z", "2diag(z²)"),
)

ENTRIES = _ACTIVATIONS + _DENSE + _ATTENTIVE + _NORMALISED
