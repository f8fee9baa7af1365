"""Functions on graphs: Laplacians, cuts, ranking, propagation, convolutions, layouts, diffusion, resistance and flows.

W is a symmetric matrix of weights, L a Laplacian, B an incidence matrix whose rows are the edges.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_LUXBURG = "von Luxburg 2007, A tutorial on spectral clustering"
_NEWMAN = "Newman, Networks"
_KIPF = "Kipf and Welling 2017, Semi-supervised classification with graph convolutional networks"
_ZHOU = "Zhou et al. 2004, Learning with local and global consistency"
_GHOSH = "Ghosh, Boyd and Saberi 2008, Minimizing effective resistance of a graph"
_BERTSEKAS = "Bertsekas and Gallager, Data Networks, 5.4"
_NORRIS = "Norris, Markov Chains"
_BORG = "Borg and Groenen, Modern Multidimensional Scaling"
_GRADY = "Grady and Polimeni, Discrete Calculus"
_SPINS = {"s": "n sign", "J": "n n symmetric", "h": "n"}
_CONVOLUTION = {"X": "n k", "A": "n n symmetric"}
_CIRCUIT = {"c": "m positive", "B": "m n"}
_GROUNDED = " where M = Bᵀ diag(c) B + 𝟏𝟏ᵀ/n"


def _by_weights(x, W):
    return x @ (sg.diag(W.sum(1)) - W) @ x


def _pseudolikelihood(s, J, h):
    return sg.log(1 + sg.exp(-2 * s * (J @ s + h))).sum()


def _two_convolutions(W1, W2, X, A, Y):
    return -(Y * sg.log_softmax(A @ sg.relu(A @ X @ W1) @ W2, 1)).sum()


def _grounded(c, B):
    return B.T @ sg.diag(c) @ B + sg.ones((B.shape[1], B.shape[1])) / B.shape[1]


def _squared_distances(x, Y):
    return ((x - Y) ** 2).sum(1)


_LAPLACIANS = (
    Entry("Laplacian form of a matrix of weights", _LUXBURG + ", 3.1",
          _by_weights, {"x": "n", "W": "n n symmetric"}, "x",
          "2(W𝟏 ⊙ x − Wx)", "2(diag(W𝟏) − W)"),
    Entry("Laplacian form in the weights", _LUXBURG + ", 3.1",
          lambda W, x: _by_weights(x, W), {"W": "n n", "x": "n"}, "W",
          "x²𝟏ᵀ − xxᵀ"),
    Entry("cut by differences", _LUXBURG + ", 5",
          lambda x, W: (W * (x[:, None] - x[None, :]) ** 2).sum() / 2, {"x": "n", "W": "n n symmetric"}, "x",
          "2(W𝟏 ⊙ x − Wx)", "2(diag(W𝟏) − W)"),
    Entry("normalised Laplacian form", _LUXBURG + ", 3.2",
          lambda x, W, d: x @ x - (x / sg.sqrt(d)) @ W @ (x / sg.sqrt(d)),
          {"x": "n", "W": "n n symmetric", "d": "n positive"}, "x",
          "2(x − W(x/√d)/√d)", "2(I − diag(1/√d) W diag(1/√d))"),
    Entry("normalised cut", "Shi and Malik 2000, Normalized cuts and image segmentation",
          lambda x, L, d: x @ L @ x / (d * x**2).sum(), {"x": "n", "L": "n n symmetric", "d": "n positive"}, "x",
          "2(Lx − rd ⊙ x)/s where s = dᵀx², r = xᵀLx/s"),
    Entry("maximum cut in low rank", "Burer and Monteiro 2003, A nonlinear programming algorithm",
          lambda V, L: sg.trace(L @ V @ V.T) / 4, {"V": "n k", "L": "n n symmetric"}, "V",
          "LV/2", "L ⊗ I/2"),
    Entry("modularity", _NEWMAN + ", 7.7",
          lambda s, W, d, w: s @ (W - sg.outer(d, d) / (2 * w)) @ s / (4 * w),
          {"s": "n", "W": "n n symmetric", "d": "n positive", "w": "positive"}, "s",
          "(Ws − dᵀs d/(2w))/(2w)", "(W − ddᵀ/(2w))/(2w)"),
    Entry("smoothed total variation on a graph", _GRADY + ", 5.2",
          lambda x, B, a: sg.sqrt((B @ x) ** 2 + a).sum(), {"x": "n", "B": "m n", "a": "positive"}, "x",
          "Bᵀ(Bx/√((Bx)² + a))", "aBᵀ diag(1/((Bx)² + a)^(3/2)) B"),
    Entry("energy of the 4-Laplacian", _GRADY + ", 5.2",
          lambda x, B, c: (c * (B @ x) ** 4).sum() / 4, {"x": "n", "B": "m n", "c": "m positive"}, "x",
          "Bᵀ(c ⊙ (Bx)³)", "3Bᵀ diag(c ⊙ (Bx)²) B"),
)

_RANKING = (
    Entry("residual of PageRank", "Langville and Meyer, Google's PageRank and Beyond, 5",
          lambda x, P, v, a: ((x - a * P @ x - (1 - a) * v) ** 2).sum() / 2,
          {"x": "n", "P": "n n", "v": "n", "a": "fraction"}, "x",
          "(I − aP)ᵀ(x − aPx − (1 − a)v)", "(I − aP)ᵀ(I − aP)"),
    Entry("PageRank in the teleportation", "Langville and Meyer, Google's PageRank and Beyond, 5",
          lambda v, P, a: (1 - a) * sg.linalg.solve(sg.eye(P.shape[0]) - a * P, v),
          {"v": "n", "P": "n n fraction", "a": "fraction"}, "v",
          "(1 − a)(I − aP)⁻¹"),
    Entry("Katz centrality in the damping", _NEWMAN + ", 7.3",
          lambda a, A, b, v: b @ sg.linalg.solve(sg.eye(A.shape[0]) - a * A, v),
          {"a": "fraction", "A": "n n", "b": "n", "v": "n"}, "a",
          "bᵀRARv where R = (I − aA)⁻¹"),
    Entry("steps until absorption in the transitions", _NORRIS + ", 1.3",
          lambda Q, s: s @ sg.linalg.inv(sg.eye(Q.shape[0]) - Q) @ sg.ones(Q.shape[0]), {"Q": "n n", "s": "n"}, "Q",
          "Nᵀs𝟏ᵀNᵀ where N = (I − Q)⁻¹"),
    Entry("random walk in the transitions", _NORRIS + ", 1.10",
          lambda P, N: -(N * sg.log(P)).sum(), {"P": "n n fraction", "N": "n n integer"}, "P",
          "−N/P"),
    Entry("random walk in the logits", _NORRIS + ", 1.10",
          lambda S, N: -(N * sg.log_softmax(S, 1)).sum(), {"S": "n n", "N": "n n integer"}, "S",
          "diag(N𝟏)softmax(S) − N"),
    Entry("walks by embeddings", "Perozzi, Al-Rfou and Skiena 2014, DeepWalk",
          lambda U, V, N: -(N * sg.log_softmax(U @ V.T, 1)).sum(), {"U": "m k", "V": "n k", "N": "m n integer"}, "U",
          "(diag(N𝟏)softmax(UVᵀ) − N)V"),
)

_PROPAGATION = (
    Entry("local and global consistency", _ZHOU,
          lambda F, Y, L, u: ((F - Y) ** 2).sum() + u * sg.trace(F.T @ L @ F),
          {"F": "n k", "Y": "n k", "L": "n n symmetric", "u": "positive"}, "F",
          "2(F − Y) + 2uLF", "2(I + uL) ⊗ I"),
    Entry("label propagation with known labels", "Belkin, Niyogi and Sindhwani 2006, Manifold regularization",
          lambda f, y, c, L: (c * (f - y) ** 2).sum() + f @ L @ f,
          {"f": "n", "y": "n", "c": "n positive", "L": "n n symmetric"}, "f",
          "2(c ⊙ (f − y) + Lf)", "2(diag(c) + L)"),
    Entry("graph convolution with squares", _KIPF,
          lambda W, X, A, Y: ((A @ X @ W - Y) ** 2).sum() / 2, {"W": "k p", **_CONVOLUTION, "Y": "n p"}, "W",
          "XᵀA(AXW − Y)", "XᵀA²X ⊗ I"),
    Entry("graph convolution with tanh", _KIPF,
          lambda W, X, A, Y: ((sg.tanh(A @ X @ W) - Y) ** 2).sum() / 2, {"W": "k p", **_CONVOLUTION, "Y": "n p"}, "W",
          "XᵀA((H − Y) ⊙ (1 − H^∘2)) where H = tanh(AXW)"),
    Entry("simple graph convolution", "Wu et al. 2019, Simplifying graph convolutional networks",
          lambda W, X, A, Y: -(Y * sg.log_softmax(A @ A @ X @ W, 1)).sum(),
          {"W": "k p", **_CONVOLUTION, "Y": "n p onehot"}, "W",
          "XᵀA²(softmax(A²XW) − Y)"),
    Entry("two graph convolutions, the first", _KIPF,
          _two_convolutions, {"W1": "k m", "W2": "m p", **_CONVOLUTION, "Y": "n p onehot"}, "W1",
          "XᵀA(A(softmax(A relu(Z)W2) − Y)W2ᵀ ⊙ 1[Z > 0]) where Z = AXW1"),
    Entry("two graph convolutions, the second", _KIPF,
          _two_convolutions, {"W1": "k m", "W2": "m p", **_CONVOLUTION, "Y": "n p onehot"}, "W2",
          "HᵀA(softmax(AHW2) − Y) where H = relu(AXW1)"),
    Entry("graph autoencoder", "Kipf and Welling 2016, Variational graph auto-encoders",
          lambda Z, A: (sg.softplus(Z @ Z.T) - A * (Z @ Z.T)).sum(), {"Z": "n k", "A": "n n symmetric"}, "Z",
          "2(σ(ZZᵀ) − A)Z"),
    Entry("Poisson block model", _NEWMAN + ", 14.4",
          lambda C, Z, A: (Z @ C @ Z.T - A * sg.log(Z @ C @ Z.T)).sum(),
          {"C": "k k positive", "Z": "n k positive", "A": "n n integer"}, "C",
          "Zᵀ(𝟏𝟏ᵀ − A/(ZCZᵀ))Z"),
)

_LAYOUTS = (
    Entry("springs of rest lengths", "Battista et al., Graph Drawing, 10.2",
          lambda x, B, c, b: (c * (B @ x - b) ** 2).sum() / 2, {"x": "n", **_CIRCUIT, "b": "m"}, "x",
          "Bᵀ(c ⊙ (Bx − b))", "Bᵀ diag(c) B"),
    Entry("barycentric drawing", "Tutte 1963, How to draw a graph",
          lambda X, B, c: (c[:, None] * (B @ X) ** 2).sum() / 2, {"X": "n k", **_CIRCUIT}, "X",
          "Bᵀ diag(c) BX", "Bᵀ diag(c) B ⊗ I"),
    Entry("logarithmic repulsion", "Noack 2009, Modularity clustering is force-directed layout",
          lambda x, B: -sg.log((B @ x) ** 2).sum() / 2, {"x": "n", "B": "m n"}, "x",
          "−Bᵀ(1/(Bx))", "Bᵀ diag(1/(Bx)²) B"),
    Entry("stress of one point", _BORG + ", 8.1",
          lambda x, Y, d: ((sg.sqrt(_squared_distances(x, Y)) - d) ** 2).sum(),
          {"x": "n", "Y": "m n", "d": "m positive"}, "x",
          "2sum(c)x − 2Yᵀc where c = 1 − d/√((𝟏xᵀ − Y)^∘2 𝟏)"),
    Entry("squared stress of one point", _BORG + ", 11.2",
          lambda x, Y, d: ((_squared_distances(x, Y) - d**2) ** 2).sum(),
          {"x": "n", "Y": "m n", "d": "m positive"}, "x",
          "4sum(c)x − 4Yᵀc where c = (𝟏xᵀ − Y)^∘2 𝟏 − d²"),
)

_DIFFUSION = (
    Entry("heat on a graph in the initial state", "Chung, Spectral Graph Theory, 10",
          lambda u, L, t, y: ((sg.matrix_exp(-t * L) @ u - y) ** 2).sum() / 2,
          {"u": "n", "L": "n n symmetric", "t": "fraction", "y": "n"}, "u",
          "H(Hu − y) where H = matrix_exp(−tL)", "matrix_exp(−2tL)"),
    Entry("implicit step of diffusion", _GRADY + ", 3.2",
          lambda u, L, t, y: ((sg.linalg.solve(sg.eye(L.shape[0]) + t * L, u) - y) ** 2).sum() / 2,
          {"u": "n", "L": "n n pd symmetric", "t": "positive", "y": "n"}, "u",
          "S(Su − y) where S = (I + tL)⁻¹", "(I + tL)⁻²"),
    Entry("effective resistance in the conductances", _GHOSH,
          lambda c, B, b: b @ sg.linalg.inv(_grounded(c, B)) @ b, {**_CIRCUIT, "b": "n"}, "c",
          "−(BM⁻¹b)²" + _GROUNDED),
    Entry("total resistance in the conductances", _GHOSH,
          lambda c, B: sg.trace(sg.linalg.inv(_grounded(c, B))), _CIRCUIT, "c",
          "−diag(BM⁻²Bᵀ)" + _GROUNDED),
    Entry("logarithm of the number of spanning trees", "Biggs, Algebraic Graph Theory, 6",
          lambda c, B: sg.logdet(_grounded(c, B)), _CIRCUIT, "c",
          "diag(BM⁻¹Bᵀ)" + _GROUNDED),
    Entry("Thomson's principle", "Doyle and Snell, Random Walks and Electric Networks, 1.3",
          lambda f, r, B, p, s: (r * f**2).sum() / 2 - p @ (B.T @ f - s),
          {"f": "m", "r": "m positive", "B": "m n", "p": "n", "s": "n"}, "f",
          "r ⊙ f − Bp", "diag(r)"),
)

_SPIN_AND_FLOW = (
    Entry("Ising energy in the couplings", "MacKay, Information Theory, Inference, and Learning Algorithms, 31",
          lambda J, s, h: -(s @ J @ s) / 2 - h @ s, _SPINS, "J",
          "−ssᵀ/2"),
    Entry("Ising pseudolikelihood in the field", "Besag 1975, Statistical analysis of non-lattice data",
          lambda h, s, J: _pseudolikelihood(s, J, h), _SPINS, "h",
          "−2s ⊙ σ(−2s ⊙ (Js + h))"),
    Entry("Ising pseudolikelihood in the couplings", "Besag 1975, Statistical analysis of non-lattice data",
          lambda J, s, h: _pseudolikelihood(s, J, h), {**_SPINS, "J": "n n"}, "J",
          "−2(s ⊙ σ(−2s ⊙ (Js + h)))sᵀ"),
    Entry("phase oscillators", "Kuramoto, Chemical Oscillations, Waves, and Turbulence, 5",
          lambda θ, W: -(sg.cos(θ) @ W @ sg.cos(θ) + sg.sin(θ) @ W @ sg.sin(θ)) / 2,
          {"θ": "n", "W": "n n symmetric"}, "θ",
          "sin(θ) ⊙ W cos(θ) − cos(θ) ⊙ W sin(θ)"),
    Entry("delay of queues", _BERTSEKAS,
          lambda f, c: (f / (c - f)).sum(), {"f": "m fraction", "c": "m wide"}, "f",
          "c/(c − f)²", "2diag(c/(c − f)³)"),
    Entry("Beckmann's objective", "Sheffi, Urban Transportation Networks, 3.1",
          lambda f, t, c, a: (t * (f + a * f**5 / (5 * c**4))).sum(),
          {"f": "m positive", "t": "m positive", "c": "m positive", "a": "positive"}, "f",
          "t ⊙ (1 + a(f/c)⁴)", "4a diag(t ⊙ f³/c⁴)"),
)

ENTRIES = _LAPLACIANS + _RANKING + _PROPAGATION + _LAYOUTS + _DIFFUSION + _SPIN_AND_FLOW
