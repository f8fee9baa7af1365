# ruff: noqa: E501  (a formula is a line)
r"""Formulas as papers and books write them in LaTeX, each with what it means in NumPy.

The idea to hold: they were written down before the reader was, in the habits of many authors (``^T`` and ``^{\top}``,
``\mathbf``, ``\|`` and ``\lVert``, thin spaces or none), and every second one was set aside until it was done.
"""

import numpy as np

SHAPES = dict(
    A=("m", "n"), B=("n", "k"), C=("m", "k"), X=("m", "n"), S=("n", "n"), W=("n", "n"), P=("n", "n"), Sigma=("n", "n"),
    Lambda=("n", "n"), K=("n", "n"), L=("n", "n"), Q=("n", "n"), U=("m", "k"), V=("k", "n"), b="m", y="m", t="m",
    w="n", x="n", z="n", u="n", v="n", p="n", q="n", c="n", g="n", a="n", beta="n", theta="n", mu="n", alpha="n",
    lam=(), gamma=(), sigma=(), tau=(), r=(), s=(), eta=(), rho=(), delta=(), beta_hat="n", y_hat="m", x_0="n",
    mu_0="n", sigma_1=(), W_1=("k", "n"), W_2=("m", "k"), b_1="k", b_2="m", x_bar="n", nu=(), h="n", epsilon=(),
    kappa=(), phi=(), omega=(), lambda_1=(), lambda_2=(), w_t="n", eta_t=(), Phi=("m", "n"),
)  # fmt: skip


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def sigma_(x):
    return 1 / (1 + np.exp(-x))


inv, det, tr, log, exp, norm = np.linalg.inv, np.linalg.det, np.trace, np.log, np.exp, np.linalg.norm

# (LaTeX, the function of its names)
FORMULAS = [
    # least squares and its kin
    (r"\lVert Ax-b \rVert^2", lambda A, x, b: norm(A @ x - b) ** 2),
    (r"\frac{1}{2}\|y - X\beta\|_2^2 + \lambda \|\beta\|_1",
     lambda y, X, beta, lam: norm(y - X @ beta) ** 2 / 2 + lam * abs(beta).sum()),
    (r"(\mathbf{X}\mathbf{w} - \mathbf{y})^{\top} (\mathbf{X}\mathbf{w} - \mathbf{y}) + \lambda\, \mathbf{w}^{\top}\mathbf{w}",
     lambda X, w, y, lam: (X @ w - y) @ (X @ w - y) + lam * w @ w),
    (r"2 \mathbf X^T (\mathbf X \mathbf w - \mathbf y)", lambda X, w, y: 2 * X.T @ (X @ w - y)),
    (r"\left( X^\top X + \lambda I \right)^{-1} X^\top y",
     lambda X, lam, y: inv(X.T @ X + lam * np.eye(3)) @ X.T @ y),
    (r"\hat{\beta} - (X^{\mathsf T}X)^{-1}X^{\mathsf T}y", lambda beta_hat, X, y: beta_hat - inv(X.T @ X) @ X.T @ y),
    (r"\frac{1}{2m}\sum_{i=1}^{m}\left(\hat{y}_i - y_i\right)^2",
     lambda y_hat, y: ((y_hat - y) ** 2).sum() / (2 * len(y))),
    (r"\tfrac12 \lVert Ax - b\rVert_2^2 + \tfrac{\gamma}{2} \lVert x \rVert_2^2",
     lambda A, x, b, gamma: norm(A @ x - b) ** 2 / 2 + gamma / 2 * norm(x) ** 2),
    # the matrix cookbook
    (r"\mathbf{x}^T \mathbf{A}^T \mathbf{A} \mathbf{x}", lambda x, A: x @ A.T @ A @ x),
    (r"\mathrm{Tr}(\mathbf{A}\mathbf{B}\mathbf{C}^T)", lambda A, B, C: tr(A @ B @ C.T)),
    (r"\ln |\det(\mathbf{S})|", lambda S: log(abs(det(S)))),
    (r"-\mathbf{S}^{-1}\mathbf{u}\mathbf{v}^T\mathbf{S}^{-1}", lambda S, u, v: -inv(S) @ np.outer(u, v) @ inv(S)),
    (r"(\mathbf{A}\mathbf{x} - \mathbf{b})^T (\mathbf{A}\mathbf{x}-\mathbf{b})", lambda A, x, b: norm(A @ x - b) ** 2),
    (r"\det(\mathbf{X}^T\mathbf{X})^{\frac{1}{2}}", lambda X: det(X.T @ X) ** 0.5),
    (r"\operatorname{tr}\left(\mathbf{S}^{-\top}\mathbf{W}\right)", lambda S, W: tr(inv(S).T @ W)),
    (r"\mathbf{S} \circ \mathbf{W} + \text{diag}(\mathbf{v})", lambda S, W, v: S * W + np.diag(v)),
    (r"\|\mathbf{X}\|_{\mathrm{F}}^2 = \mathrm{Tr}(\mathbf{X}\mathbf{X}^H)", None),
    (r"\operatorname{Tr} (\mathbf{B}^{\top} \mathbf{S} \mathbf{B})", lambda B, S: tr(B.T @ S @ B)),
    # densities and likelihoods
    (r"\frac{1}{\sqrt{2\pi\sigma^2}} \exp\left(-\frac{(r-s)^2}{2\sigma^2}\right)",
     lambda sigma, r, s: exp(-((r - s) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)),
    (r"-\frac{1}{2}(\mathbf{x}-\boldsymbol{\mu})^{\top}\boldsymbol{\Sigma}^{-1}(\mathbf{x}-\boldsymbol{\mu}) - \frac{1}{2}\log\det\boldsymbol{\Sigma}",
     lambda x, mu, Sigma: -(x - mu) @ inv(Sigma) @ (x - mu) / 2 - log(det(Sigma)) / 2),
    (r"-\frac{n}{2}\ln(2\pi) - \frac{1}{2}\ln\det\Sigma", lambda n, Sigma: -n / 2 * log(2 * np.pi) - log(det(Sigma)) / 2),
    (r"\sum_{i=1}^{m} \log\left(1 + e^{-y_i t_i}\right)", lambda y, t: log(1 + exp(-y * t)).sum()),
    (r"-\sum_i \left[ t_i \ln y_i + (1-t_i) \ln (1-y_i) \right]",
     lambda t, y: -(t * log(y) + (1 - t) * log(1 - y)).sum()),
    (r"-\sum_{j} p_{j} \log q_{j}", lambda p, q: -(p * log(q)).sum()),
    (r"\sum_{i} p_i \log \frac{p_i}{q_i}", lambda p, q: (p * log(p / q)).sum()),
    (r"\log \sum_{j=1}^{n} e^{z_j}", lambda z: log(exp(z).sum())),
    (r"\frac{e^{z_i}}{\sum_{j} e^{z_j}}", lambda z: exp(z) / exp(z).sum()),
    (r"s \log r - r - \log\Gamma(s + 1)", lambda r, s: s * log(r) - r - np.vectorize(__import__("math").lgamma)(s + 1)),
    # networks
    (r"\sigma(\mathbf{w}^\top \mathbf{x})", lambda w, x: sigma_(w @ x)),
    (r"W_2 \tanh(W_1 x + b_1) + b_2", lambda W_2, W_1, x, b_1, b_2: W_2 @ np.tanh(W_1 @ x + b_1) + b_2),
    (r"\mathrm{softmax}\left(\frac{K q}{\sqrt{n}}\right)", lambda K, q, n: softmax(K @ q / np.sqrt(n))),
    (r"\max(0, \; \mathbf{W}\mathbf{x} + \mathbf{c})", lambda W, x, c: np.maximum(0, W @ x + c)),
    (r"w_t - \eta_t \, g", lambda w_t, eta_t, g: w_t - eta_t * g),
    (r"\sigma(z) \odot (1 - \sigma(z))", lambda z: sigma_(z) * (1 - sigma_(z))),
    (r"\frac{x - \mu}{\sqrt{\sigma^{2} + \epsilon}} \odot \gamma + \beta",
     lambda x, mu, sigma, epsilon, gamma, beta: (x - mu) / np.sqrt(sigma**2 + epsilon) * gamma + beta),
    (r"\begin{cases} \frac{1}{2} r^2 & \text{if } |r| \le \delta \\ \delta \left(|r| - \frac{1}{2}\delta\right) & \text{otherwise} \end{cases}",
     lambda r, delta: r**2 / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2)),
    (r"\mathbf{1}[x > 0] \odot g", lambda x, g: (x > 0) * g),
    (r"\mathbf{1}^\top x", lambda x: x.sum()),
    # optimisation, kernels, factors
    (r"\| C - U V B \|_F^2", lambda C, U, V, B: norm(C - U @ V @ B) ** 2),
    (r"\exp\!\left(-\gamma \left\| x - z \right\|^{2}\right)", lambda gamma, x, z: exp(-gamma * norm(x - z) ** 2)),
    (r"\frac{x^T S x}{x^T x}", lambda x, S: x @ S @ x / (x @ x)),
    (r"\frac{\langle u, v \rangle}{\|u\| \, \|v\|}", lambda u, v: u @ v / (norm(u) * norm(v))),
    (r"\lambda_1 \sum_{j=1}^n |\beta_j| + \lambda_2 \sum_{j=1}^n \beta_j^2",
     lambda lambda_1, lambda_2, beta: lambda_1 * abs(beta).sum() + lambda_2 * (beta**2).sum()),
    (r"\sum_{i,j} S_{ij} x_i x_j", lambda S, x: x @ S @ x),
    (r"\sum_{i=1}^{n}\sum_{j=1}^{n} a_i a_j K_{ij}", lambda a, K: a @ K @ a),
    (r"c^\top x - \frac{1}{\tau} \sum_{i=1}^m \log(b_i - (A x)_i)",
     lambda c, x, tau, b, A: c @ x - log(b - A @ x).sum() / tau),
    (r"\operatorname{vec}(A)^{\top} \operatorname{vec}(X)", lambda A, X: (A * X).sum()),
    (r"\sqrt{\frac{\sum_{i} (x_i - \bar{x}_i)^2}{n}}", lambda x, x_bar, n: np.sqrt(((x - x_bar) ** 2).sum() / n)),
    # scalars
    (r"\frac{1}{1+e^{-r}}", lambda r: 1 / (1 + exp(-r))),
    (r"\sin^2 r + \cos(2 s) \sqrt[3]{\tau}", lambda r, s, tau: np.sin(r) ** 2 + np.cos(2 * s) * tau ** (1 / 3)),
    (r"\ln\left(\frac{1+r}{1-s}\right)^{2}", lambda r, s: log((1 + r) / (1 - s)) ** 2),  # as in other texts: (ln u)²
    (r"r^{\nu-1} e^{-r/\tau}", lambda r, nu, tau: r ** (nu - 1) * exp(-r / tau)),
    (r"\frac{\mathrm{e}^{r}-\mathrm{e}^{-r}}{2}", lambda r: np.sinh(r)),
    (r"-\left(\frac{\nu+1}{2}\right) \log \left( 1 + \frac{(r-s)^2}{\nu \sigma^2} \right)",
     lambda nu, r, s, sigma: -(nu + 1) / 2 * log(1 + (r - s) ** 2 / (nu * sigma**2))),
    (r"$$ \kappa \cos(\phi - \omega) $$", lambda kappa, phi, omega: kappa * np.cos(phi - omega)),
    (r"\prod_{i=1}^{n} x_i", lambda x: x.prod()),
    (r"\begin{pmatrix} r & s \\ s & \tau \end{pmatrix}^{-1}", lambda r, s, tau: inv(np.array([[r, s], [s, tau]]))),
    (r"\begin{aligned} & \frac{1}{2}\, p^{\top} p \\ & \text{where}\quad p = A x - b \end{aligned}",
     lambda A, x, b: norm(A @ x - b) ** 2 / 2),
    (r"S \otimes W", lambda S, W: np.einsum("ac,bd->abcd", S, W)),
    (r"\bigl\| \Phi \theta - y \bigr\|_2^2 % the data term", lambda Phi, theta, y: norm(Phi @ theta - y) ** 2),
]  # fmt: skip
"""Where the function is None, the text has two readings or is an equation: it must be refused."""

FIRST, ASIDE = FORMULAS[::2], FORMULAS[1::2]
