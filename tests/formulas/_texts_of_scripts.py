"""Sixty formulas as scripts of MATLAB, R, Julia and Python, and books of statistics, physics, finance write them.

They were written before the rules for them. Of each what its author means, the shapes of its letters, and the number;
and whether it may be asked, or must be.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, ndtr, ndtri

inv, det = np.linalg.inv, np.linalg.det
MEANT, ASKED, REFUSED = "", "it may be asked", "no reading is right"


class Text(NamedTuple):
    text: str
    meaning: str
    shapes: dict[str, tuple[int, ...]]
    value: Callable[..., Any] | None
    answer: str = MEANT


def sig(t):
    return 1 / (1 + np.exp(-t))


LOOKED_AT = [
    # MATLAB
    Text(
        "mean((A*x - b).^2) + lambda*norm(x,1)",
        "MSE plus lasso",
        dict(A=(5, 3), x=(3,), b=(5,), λ=()),
        lambda A, x, b, λ: ((A @ x - b) ** 2).mean() + λ * abs(x).sum(),
    ),
    Text("sum(A.^2)", "MATLAB: row of column sums; Julia: the total", dict(A=(4, 3)), lambda A: (A**2).sum(0), ASKED),
    Text(
        "100*(x(2) - x(1)^2)^2 + (1 - x(1))^2",
        "Rosenbrock in MATLAB, entries from 1",
        dict(x=(2,)),
        lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2,
        ASKED,
    ),
    Text("[1 -1]*x", "MATLAB's row of two elements times x", dict(x=(2,)), lambda x: x[0] - x[1], ASKED),
    Text(
        "norm(chol(S)'\\x)^2",
        "MATLAB: chol is upper, R'R = S: x'S⁻¹x",
        dict(S=(3, 3), x=(3,)),
        lambda S, x: x @ inv(S) @ x,
        ASKED,
    ),
    Text("max(A.*B)", "MATLAB: row of column maxima", dict(A=(3, 3), B=(3, 3)), lambda A, B: (A * B).max(0), ASKED),
    # Julia
    Text(
        "sum(abs2, A*x .- b) + λ*sum(abs, x)",
        "ridge-less lasso",
        dict(A=(5, 3), x=(3,), b=(5,), λ=()),
        lambda A, x, b, λ: ((A @ x - b) ** 2).sum() + λ * abs(x).sum(),
    ),
    Text(
        "(1 - x[1])^2 + 100*(x[2] - x[1]^2)^2",
        "Rosenbrock as Optim.jl's page has it; entries from 1",
        dict(x=(2,)),
        lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2,
        ASKED,
    ),
    # R
    Text(
        "t(x - mu) %*% solve(Sigma) %*% (x - mu)",
        "Mahalanobis",
        dict(x=(3,), μ=(3,), Σ=(3, 3)),
        lambda x, μ, Σ: (x - μ) @ inv(Σ) @ (x - μ),
    ),
    Text(
        "ifelse(x > 0, x, a*x)",
        "leaky relu, R's ifelse",
        dict(x=(), a=()),
        lambda x, a: np.where(x > 0, x, a * x),
        ASKED,
    ),
    # NumPy, Python
    Text(
        "np.exp(-0.5*((x-mu)/sigma)**2)/(sigma*np.sqrt(2*np.pi))",
        "normal density",
        dict(x=(), μ=(), σ=()),
        lambda x, μ, σ: np.exp(-0.5 * ((x - μ) / σ) ** 2) / (σ * np.sqrt(2 * np.pi)),
    ),
    Text("x**2 if x > 0 else 0", "Python's conditional", dict(x=()), lambda x: np.where(x > 0, x**2, 0)),
    Text(
        "math.exp(-k*t)*math.cos(w*t)",
        "damped oscillation",
        dict(k=(), t=(), w=()),
        lambda k, t, w: np.exp(-k * t) * np.cos(w * t),
    ),
    Text(
        "np.linalg.slogdet(S)[1] + x @ np.linalg.inv(S) @ x",
        "Gaussian deviance",
        dict(S=(3, 3), x=(3,)),
        lambda S, x: np.log(abs(det(S))) + x @ inv(S) @ x,
    ),
    # statistics
    Text(
        r"\Phi^{-1}(\alpha)",
        "quantile of the normal distribution (in a text of statistics)",
        dict(α=()),
        lambda α: ndtri(α),
        ASKED,
    ),
    Text(
        r"\sum_{i=1}^n \phi(y_i - \mu)",
        "unknown function, or normal density",
        dict(y=(5,), μ=()),
        lambda y, μ: (np.exp(-((y - μ) ** 2) / 2) / np.sqrt(2 * np.pi)).sum(),
        ASKED,
    ),
    Text(
        r"-\frac{n}{2}\ln\sigma^2 - \frac{1}{2\sigma^2}\sum_{t=1}^n \varepsilon_t^2",
        "normal log-likelihood",
        dict(n=(), σ=(), ε=(5,)),
        lambda n, σ, ε: -n / 2 * np.log(σ**2) - (ε**2).sum() / (2 * σ**2),
    ),
    Text(
        r"\frac{(\bar{x}_1 - \bar{x}_2)}{\sqrt{s_1^2/n_1 + s_2^2/n_2}}",
        "Welch's t",
        {"x̄_1": (), "x̄_2": (), "s_1": (), "s_2": (), "n_1": (), "n_2": ()},
        lambda x̄_1, x̄_2, s_1, s_2, n_1, n_2: (x̄_1 - x̄_2) / np.sqrt(s_1**2 / n_1 + s_2**2 / n_2),
    ),
    # ML
    Text(
        r"\sigma(w^\top x + b)",
        "logistic regression: the sigmoid",
        dict(w=(3,), x=(3,), b=()),
        lambda w, x, b: sig(w @ x + b),
    ),
    Text(
        r"\hat{X} = U\Sigma V^T \text{ where } \Sigma = D^2",
        "product, Sigma defined",
        dict(U=(3, 3), V=(3, 3), D=(3, 3)),
        lambda U, V, D: U @ D @ D @ V.T,
    ),
    # physics
    Text(
        r"\rho\sigma(t)",
        "rho times an unknown function sigma of t, or a product",
        dict(ρ=(), σ=(), t=()),
        None,
        REFUSED,
    ),
    Text(
        r"\frac{1}{2} m (\dot{x}^2 + \dot{y}^2) - m g y",
        "Lagrangian of a projectile",
        {"m": (), "ẋ": (), "ẏ": (), "g": (), "y": ()},
        lambda m, ẋ, ẏ, g, y: 0.5 * m * (ẋ**2 + ẏ**2) - m * g * y,
    ),
    Text(
        r"\ddot{x} + 2\zeta\omega_0\dot{x} + \omega_0^2 x",
        "damped oscillator",
        {"ẍ": (), "ζ": (), "ω_0": (), "ẋ": (), "x": ()},
        lambda ẍ, ζ, ω_0, ẋ, x: ẍ + 2 * ζ * ω_0 * ẋ + ω_0**2 * x,
    ),
    Text("l²mθ̇", "l² m θ̇ as symgrad prints it", {"l": (), "m": (), "θ̇": ()}, lambda l, m, θ̇: l**2 * m * θ̇),  # noqa: E741
    Text(r"e^{i(kx - \omega t)}", "plane wave: i is the imaginary unit", dict(k=(), x=(), ω=(), t=()), None, REFUSED),
    Text(r"a_i b_i", "Einstein's sum over i", dict(a=(4,), b=(4,)), lambda a, b: a @ b, ASKED),
    Text(
        r"\frac{m}{\cos^2\theta}\sec\theta + \cot\theta",
        "sec and cot",
        dict(m=(), θ=()),
        lambda m, θ: m / np.cos(θ) ** 3 + 1 / np.tan(θ),
    ),
    # finance
    Text(
        r"S\Phi(d_1) - K e^{-rT}\Phi(d_2)",
        "Black-Scholes",
        {"S": (), "d_1": (), "K": (), "r": (), "T": (), "d_2": ()},
        lambda S, d_1, K, r, T, d_2: S * ndtr(d_1) - K * np.exp(-r * T) * ndtr(d_2),
    ),
    Text(
        r"S \Phi'(d) \sqrt{T}",
        "vega: derivative of Phi",
        dict(S=(), d=(), T=()),
        lambda S, d, T: S * np.exp(-(d**2) / 2) / np.sqrt(2 * np.pi) * np.sqrt(T),
        ASKED,
    ),
    # control
    Text(r"f'(x)", "derivative of an unknown function; or the transpose of a vector", dict(f=(), x=()), None, REFUSED),
]

SET_ASIDE = [
    Text(
        "sum(y.*log(p) + (1-y).*log(1-p))/length(y)",
        "MATLAB cross entropy, mean",
        dict(y=(5,), p=(5,)),
        lambda y, p: (y * np.log(p) + (1 - y) * np.log(1 - p)).mean(),
    ),
    Text("mean(X)' ", "MATLAB: means of columns, as a column", dict(X=(4, 3)), lambda X: X.mean(0), ASKED),
    Text("x(1)*exp(-x(2)*3)'", "MATLAB: entries from 1", dict(x=(2,)), lambda x: x[0] * np.exp(-x[1] * 3), ASKED),
    Text("[x(1)-1; 2*x(2)]", "MATLAB: a column", dict(x=(2,)), lambda x: np.array([x[0] - 1, 2 * x[1]]), ASKED),
    Text(
        "trace(A'*B)/sqrt(trace(A'*A)*trace(B'*B))",
        "correlation of matrices",
        dict(A=(4, 3), B=(4, 3)),
        lambda A, B: (A * B).sum() / np.sqrt((A * A).sum() * (B * B).sum()),
    ),
    Text(
        "prod(1 + r.*X)",
        "MATLAB: row of products of columns",
        dict(r=(4, 3), X=(4, 3)),
        lambda r, X: np.prod(1 + r * X, 0),
        ASKED,
    ),
    Text(
        "mean(log.(1 .+ exp.(-y .* (X*w))))",
        "Julia's logistic loss",
        dict(y=(5,), X=(5, 3), w=(3,)),
        lambda y, X, w: np.log(1 + np.exp(-y * (X @ w))).mean(),
    ),
    Text("u[1]*u[2]^2 - u[1]", "Julia: entries from 1", dict(u=(2,)), lambda u: u[0] * u[1] ** 2 - u[0], ASKED),
    Text(
        "sum(diag(solve(S) %*% A)) + log(det(S))",
        "Gaussian deviance in R",
        dict(S=(3, 3), A=(3, 3)),
        lambda S, A: np.trace(inv(S) @ A) + np.log(det(S)),
    ),
    Text("sqrt(sum((x - mean(x))^2)/(length(x) - 1))", "sd in R", dict(x=(5,)), lambda x: x.std(ddof=1)),
    Text(
        "(np.where(np.abs(r) <= d, 0.5*r**2, d*(np.abs(r) - 0.5*d))).sum()",
        "Huber",
        dict(r=(5,), d=()),
        lambda r, d: np.where(abs(r) <= d, 0.5 * r**2, d * (abs(r) - 0.5 * d)).sum(),
    ),
    Text(
        "1.0 if t < t0 else exp(-(t - t0)/tau)",
        "Python's conditional",
        dict(t=(), t0=(), τ=()),
        lambda t, t0, τ: np.where(t < t0, 1.0, np.exp(-(t - t0) / τ)),
    ),
    Text(
        "0.5*k*x**2 + 0.25*lam*x**4",
        "quartic oscillator",
        dict(k=(), x=(), λ=()),
        lambda k, x, λ: 0.5 * k * x**2 + 0.25 * λ * x**4,
    ),
    Text(
        "-(y*np.log(p) + (1-y)*np.log1p(-p)).mean()",
        "cross entropy",
        dict(y=(5,), p=(5,)),
        lambda y, p: -(y * np.log(p) + (1 - y) * np.log1p(-p)).mean(),
    ),
    Text(
        r"\mu + \sigma\Phi^{-1}(p)",
        "quantile of a normal variable",
        dict(μ=(), σ=(), p=()),
        lambda μ, σ, p: μ + σ * ndtri(p),
        ASKED,
    ),
    Text(
        r"\frac{1}{\sigma}\phi\left(\frac{x-\mu}{\sigma}\right)",
        "normal density by phi",
        dict(σ=(), x=(), μ=()),
        lambda σ, x, μ: np.exp(-(((x - μ) / σ) ** 2) / 2) / np.sqrt(2 * np.pi) / σ,
        ASKED,
    ),
    Text(
        r"\alpha \ln\beta - \ln\Gamma(\alpha) + (\alpha - 1)\ln x - \beta x",
        "log density of a gamma variable",
        dict(α=(), β=(), x=()),
        lambda α, β, x: α * np.log(β) - gammaln(α) + (α - 1) * np.log(x) - β * x,
    ),
    Text(
        r"\frac{\hat\beta_j - \beta_j}{s\sqrt{v_j}}",
        "t statistic; j a label",
        {"β̂": (3,), "β": (3,), "s": (), "v": (3,)},
        lambda β̂, β, s, v: (β̂ - β) / (s * np.sqrt(v)),
        ASKED,
    ),
    Text(
        r"\|y - \sigma(W_2\sigma(W_1 x))\|^2",
        "two layers with sigmoids",
        {"y": (2,), "W_2": (2, 4), "W_1": (4, 3), "x": (3,)},
        lambda y, W_2, W_1, x: ((y - sig(W_2 @ sig(W_1 @ x))) ** 2).sum(),
    ),
    Text(
        "x^T A x\nwhere A = U Λ U^T",
        "quadratic form with a decomposition put in",
        dict(x=(3,), U=(3, 3), Λ=(3, 3)),
        lambda x, U, Λ: x @ U @ Λ @ U.T @ x,
    ),
    Text(r"\psi(x,t) = A e^{i k x}", "wave", dict(A=(), k=(), x=()), None, REFUSED),
    Text(
        r"\frac12 m l^2 \dot{\theta}^2 - m g l (1 - \cos\theta)",
        "pendulum",
        {"m": (), "l": (), "θ̇": (), "g": (), "θ": ()},
        lambda m, l, θ̇, g, θ: 0.5 * m * l**2 * θ̇**2 - m * g * l * (1 - np.cos(θ)),  # noqa: E741
    ),
    Text(
        r"\ddot\theta + \frac{g}{l}\sin\theta",
        "pendulum's equation",
        {"θ̈": (), "g": (), "l": (), "θ": ()},
        lambda θ̈, g, l, θ: θ̈ + g / l * np.sin(θ),  # noqa: E741
    ),
    Text(
        "mẋẍ + kxẋ",
        "power, as printed",
        {"m": (), "ẋ": (), "ẍ": (), "k": (), "x": ()},
        lambda m, ẋ, ẍ, k, x: m * ẋ * ẍ + k * x * ẋ,
    ),
    Text(r"F_{ij} F_{ij}", "Einstein's sum", dict(F=(3, 3)), lambda F: (F * F).sum(), ASKED),
    Text(r"\csc x - \tan x \sec x", "csc, sec", dict(x=()), lambda x: 1 / np.sin(x) - np.tan(x) / np.cos(x)),
    Text(
        r"\lambda\mu(t) - \rho\phi(s)",
        "unknown functions or products",
        dict(λ=(), μ=(), t=(), ρ=(), φ=(), s=()),
        None,
        REFUSED,
    ),
    Text(
        "S*norm.cdf(d1) - K*np.exp(-r*T)*norm.cdf(d2)",
        "Black-Scholes in SciPy",
        {"S": (), "d1": (), "K": (), "r": (), "T": (), "d2": ()},
        lambda S, d1, K, r, T, d2: S * ndtr(d1) - K * np.exp(-r * T) * ndtr(d2),
    ),
    Text(
        r"x^T P x + u^T R u + 2 x^T N u",
        "LQR cost; N is a matrix",
        dict(x=(3,), P=(3, 3), u=(2,), R=(2, 2), N=(3, 2)),
        lambda x, P, u, R, N: x @ P @ x + u @ R @ u + 2 * x @ N @ u,
    ),
    Text(r"\frac{\operatorname{adj}(A)}{\det A}", "the inverse", dict(A=(3, 3)), lambda A: inv(A)),
]
