"""Functions with derivatives written by hand in NumPy, and mutants of these: what `sg.verify` is measured on.

The idea to hold: a right claim is written once; mutants are made of it by the mistakes that people make. Every other
claim was set aside before anything was tuned (`ASIDE`), and the figures are asked of both halves.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Claim(NamedTuple):
    """A right derivative of a function: ``kind`` is 'grad', 'hess' or 'jac' in the function's first parameter."""

    name: str
    f: Callable[..., Any]
    kind: str
    right: Callable[..., Any]
    shapes: dict[str, Any]
    slips: tuple[tuple[str, Callable[..., Any]], ...] = ()
    """Mistakes of this formula alone: a term that is missing, a wrong index."""


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def softmax(z):
    e = np.exp(z)
    return e / e.sum()


def chain(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def chain_grad(x, last=200.0, inner=400.0):
    r = x[1:] - x[:-1] ** 2
    first = np.concatenate([-inner * r * x[:-1] - 2 * (1 - x[:-1]), np.zeros(1)])
    return first + np.concatenate([np.zeros(1), last * r])


def huber(x, c):
    return np.where(np.abs(x) <= c, x**2 / 2, c * (np.abs(x) - c / 2)).sum()


def least_squares(w, X, y):
    return ((X @ w - y) ** 2).sum()


def ridge(w, X, y, lam):
    return ((X @ w - y) ** 2).sum() + lam * w @ w


def logistic(w, X, y):
    z = X @ w
    return (np.logaddexp(0, z) - y * z).sum()


def quadratic(x, A, b):
    return x @ A @ x - b @ x


def normal_in_mean(u, x, S):
    return (x - u) @ np.linalg.inv(S) @ (x - u) / 2


def cross_entropy(z, y):
    return np.log(np.exp(z).sum()) - y @ z


def poisson(w, X, y):
    return (np.exp(X @ w) - y * (X @ w)).sum()


def lennard_jones(r, s, e):
    return 4 * e * ((s / r) ** 12 - (s / r) ** 6)


def network_in_weights(W, v, x):
    return v @ np.tanh(W @ x)


def network_in_input(x, v, W):
    return v @ np.tanh(W @ x)


def normal_in_deviation(s, x, u):
    return x.shape[0] * np.log(s) + ((x - u) ** 2).sum() / (2 * s**2)


def springs(x, k):
    return k / 2 * ((x[1:] - x[:-1]) ** 2).sum()


def factors(U, V, Y):
    return ((U @ V - Y) ** 2).sum()


def coulomb(x, a, q):
    return q / np.sqrt(((x - a) ** 2).sum())


def cauchy(x, c):
    return np.log(1 + (x / c) ** 2).sum()


W, X, Y = ("n",), ("m", "n"), ("m",)
DATA = {"w": W, "X": X, "y": Y}


def outer_of_exp(w, X):
    return X.T * np.exp(X @ w) @ X


CLAIMS = (
    Claim("least squares", least_squares, "grad", lambda w, X, y: 2 * X.T @ (X @ w - y), DATA,
          (("data missing", lambda w, X, y: 2 * X.T @ (X @ w)),)),
    Claim("least squares", least_squares, "hess", lambda w, X, y: 2 * X.T @ X, DATA),
    Claim("ridge", ridge, "grad", lambda w, X, y, lam: 2 * X.T @ (X @ w - y) + 2 * lam * w, {**DATA, "lam": ()},
          (("penalty missing", lambda w, X, y, lam: 2 * X.T @ (X @ w - y)),
           ("penalty's sign", lambda w, X, y, lam: 2 * X.T @ (X @ w - y) - 2 * lam * w))),
    Claim("ridge", ridge, "hess", lambda w, X, y, lam: 2 * X.T @ X + 2 * lam * np.eye(w.shape[0]), {**DATA, "lam": ()},
          (("penalty missing", lambda w, X, y, lam: 2 * X.T @ X),)),
    Claim("mean squared error", lambda w, X, y: ((X @ w - y) ** 2).mean(), "grad",
          lambda w, X, y: 2 / y.shape[0] * X.T @ (X @ w - y), DATA,
          (("sum for the mean", lambda w, X, y: 2 * X.T @ (X @ w - y)),)),
    Claim("logistic", logistic, "grad", lambda w, X, y: X.T @ (sigmoid(X @ w) - y), DATA),
    Claim("logistic", logistic, "hess",
          lambda w, X, y: X.T @ ((sigmoid(X @ w) * (1 - sigmoid(X @ w)))[:, None] * X), DATA,
          (("one factor missing", lambda w, X, y: X.T @ (sigmoid(X @ w)[:, None] * X)),)),
    Claim("quadratic form", quadratic, "grad", lambda x, A, b: A @ x + A.T @ x - b,
          {"x": "n", "A": ("n", "n"), "b": "n"},
          (("A taken as symmetric", lambda x, A, b: 2 * A @ x - b),)),
    Claim("quadratic form", quadratic, "hess", lambda x, A, b: A + A.T, {"x": "n", "A": ("n", "n"), "b": "n"},
          (("transpose missing", lambda x, A, b: 2 * A),)),
    Claim("normal in its mean", normal_in_mean, "grad",
          lambda u, x, S: (np.linalg.inv(S) + np.linalg.inv(S).T) @ (u - x) / 2, {"u": "n", "x": "n", "S": ("n", "n")}),
    Claim("cross entropy", cross_entropy, "grad", lambda z, y: softmax(z) - y, {"z": "n", "y": "n"},
          (("label missing", lambda z, y: softmax(z)),)),
    Claim("cross entropy", cross_entropy, "hess", lambda z, y: np.diag(softmax(z)) - np.outer(softmax(z), softmax(z)),
          {"z": "n", "y": "n"}, (("diagonal only", lambda z, y: np.diag(softmax(z))),)),
    Claim("Poisson regression", poisson, "grad", lambda w, X, y: X.T @ (np.exp(X @ w) - y), DATA),
    Claim("Poisson regression", poisson, "hess", lambda w, X, y: X.T @ np.diag(np.exp(X @ w)) @ X, DATA),
    Claim("Rosenbrock's valley", chain, "grad", chain_grad, {"x": "n"},
          (("inner factor", lambda x: chain_grad(x, inner=200.0)),
           ("outer factor", lambda x: chain_grad(x, last=100.0)))),
    Claim("Lennard-Jones", lennard_jones, "grad", lambda r, s, e: 24 * e * (s**6 / r**7 - 2 * s**12 / r**13),
          {"r": (), "s": (), "e": ()},
          (("exponent", lambda r, s, e: 24 * e * (s**6 / r**6 - 2 * s**12 / r**13)),)),
    Claim("Lennard-Jones", lennard_jones, "hess", lambda r, s, e: 4 * e * (156 * s**12 / r**14 - 42 * s**6 / r**8),
          {"r": (), "s": (), "e": ()}),
    Claim("Huber", huber, "grad", lambda x, c: np.clip(x, -c, c), {"x": 3, "c": np.array(1.5)}),
    Claim("weights of a layer", network_in_weights, "grad",
          lambda W, v, x: np.outer(v * (1 - np.tanh(W @ x) ** 2), x), {"W": ("m", "n"), "v": "m", "x": "n"}),
    Claim("weights of a square layer", network_in_weights, "grad",
          lambda W, v, x: np.outer(v * (1 - np.tanh(W @ x) ** 2), x), {"W": ("n", "n"), "v": "n", "x": "n"}),
    Claim("input of a layer", network_in_input, "grad", lambda x, v, W: W.T @ (v * (1 - np.tanh(W @ x) ** 2)),
          {"x": "n", "v": "m", "W": ("m", "n")}),
    Claim("input of a layer", network_in_input, "hess",
          lambda x, v, W: W.T @ np.diag(-2 * v * np.tanh(W @ x) * (1 - np.tanh(W @ x) ** 2)) @ W,
          {"x": "n", "v": "m", "W": ("m", "n")}),
    Claim("log-determinant", lambda A: np.linalg.slogdet(A)[1], "grad", lambda A: np.linalg.inv(A).T,
          {"A": ("n", "n")}),
    Claim("trace of a product", lambda A, B: np.trace(A @ B), "grad", lambda A, B: B.T,
          {"A": ("n", "n"), "B": ("n", "n")}),
    Claim("norm", lambda x: np.sqrt(x @ x), "grad", lambda x: x / np.sqrt((x**2).sum()), {"x": "n"}),
    Claim("norm", lambda x: np.sqrt(x @ x), "hess",
          lambda x: np.eye(x.shape[0]) / np.sqrt(x @ x) - np.outer(x, x) / (x @ x) ** 1.5, {"x": "n"},
          (("identity alone", lambda x: np.eye(x.shape[0]) / np.sqrt(x @ x)),)),
    Claim("pendulum", lambda t, m, g, r: m * g * r * (1 - np.cos(t)), "grad", lambda t, m, g, r: m * g * r * np.sin(t),
          {"t": (), "m": (), "g": (), "r": ()}),
    Claim("normal in its deviation", normal_in_deviation, "grad",
          lambda s, x, u: x.shape[0] / s - ((x - u) ** 2).sum() / s**3, {"s": (), "x": "k", "u": ()},
          (("power", lambda s, x, u: x.shape[0] / s - ((x - u) ** 2).sum() / s**2),)),
    Claim("springs", springs, "grad",
          lambda x, k: k * np.concatenate([x[:1] - x[1:2], 2 * x[1:-1] - x[:-2] - x[2:], x[-1:] - x[-2:-1]]),
          {"x": 5, "k": ()},
          (("ends forgotten", lambda x, k: k * np.concatenate([0 * x[:1], 2 * x[1:-1] - x[:-2] - x[2:], 0 * x[:1]])),
           ("neighbour twice", lambda x, k: k * np.concatenate([x[:1] - x[1:2], 2 * x[1:-1] - 2 * x[2:],
                                                              x[-1:] - x[-2:-1]])))),
    Claim("springs", springs, "hess", lambda x, k: k * (np.diag([1.0, 2, 2, 2, 1]) - np.eye(5, k=1) - np.eye(5, k=-1)),
          {"x": 5, "k": ()},
          (("upper diagonal missing", lambda x, k: k * (np.diag([1.0, 2, 2, 2, 1]) - np.eye(5, k=-1))),)),
    Claim("factorisation", factors, "grad", lambda U, V, Y: 2 * (U @ V - Y) @ V.T,
          {"U": ("n", "k"), "V": ("k", "m"), "Y": ("n", "m")}),
    Claim("Coulomb", coulomb, "grad", lambda x, a, q: -q * (x - a) / ((x - a) ** 2).sum() ** 1.5,
          {"x": 3, "a": 3, "q": ()},
          (("square for cube", lambda x, a, q: -q * (x - a) / ((x - a) ** 2).sum()),)),
    Claim("Cauchy", cauchy, "grad", lambda x, c: 2 * x / (c**2 + x**2), {"x": "n", "c": ()}),
    Claim("Cauchy", cauchy, "hess", lambda x, c: np.diag(2 * (c**2 - x**2) / (c**2 + x**2) ** 2), {"x": "n", "c": ()}),
    Claim("softmax", lambda z: softmax(z), "jac", lambda z: np.diag(softmax(z)) - np.outer(softmax(z), softmax(z)),
          {"z": "n"}),
    Claim("Horner's polynomial", lambda x, a, b, c: a + x * (b + x * c), "grad", lambda x, a, b, c: b + 2 * c * x,
          {"x": (), "a": (), "b": (), "c": ()}),
    Claim("rectified units", lambda w, X: np.maximum(X @ w, 0).sum(), "grad", lambda w, X: X.T @ (X @ w > 0),
          {"w": "n", "X": ("m", "n")}),
    Claim("softplus", lambda x: np.logaddexp(0, x).sum(), "hess", lambda x: np.diag(sigmoid(x) * sigmoid(-x)),
          {"x": "n"}),
)  # fmt: skip


class Mutant(NamedTuple):
    """A wrong claim: what was done to the right one, and the only entry that is wrong (None: there are several)."""

    claim: Claim
    mistake: str
    wrong: Callable[..., Any]
    entry: tuple[int, ...] | None = None


def _at_one_entry(g, place):
    def wrong(*args):
        out = g(*args)
        unit = np.zeros(tuple(map(int, out.shape)))
        unit[place] = 1.0
        return out + unit * (0.25 + args[0].sum() ** 2)

    return wrong


def _in_a_region(g, like):
    def wrong(*args):
        x, out = args[0], g(*args)
        return np.where(x > 1, 1.5 * out, out) if like else np.where(x.sum() > 2, 1.5 * out, out)

    return wrong


def mutants(k, claim):
    """The mutants of the k-th claim: two that are made systematically, and its own slips."""
    g, rank = claim.right, np.ndim(claim.right(*sample(claim)))
    square = rank == 2 and len({*np.shape(g(*sample(claim)))}) == 1
    made = [
        ("sign", lambda *args: -g(*args)), ("twice", lambda *args: 2 * g(*args)),
        ("in a region", _in_a_region(g, claim.kind == "grad")), ("half", lambda *args: g(*args) / 2),
    ]  # fmt: skip
    if rank:
        place = (1,) if rank == 1 else (0, 1)
        made.insert(0, ("one entry", _at_one_entry(g, place)))
    if square and claim.name in ("weights of a square layer", "log-determinant", "trace of a product"):
        made = [("transposed", lambda *args: g(*args).T), *made[k % 2 :: 2]]
    found = [made[k % len(made)], made[(k + 2) % len(made)]] if made[0][0] != "transposed" else made[:2]
    for mistake, wrong in found:
        yield Mutant(claim, mistake, wrong, place if mistake == "one entry" else None)
    for mistake, wrong in claim.slips:
        yield Mutant(claim, mistake, wrong)


def sample(claim):
    """Some point, of sizes that differ, in the order of the function's parameters."""
    rng, sizes = np.random.default_rng(0), {"n": 3, "m": 5, "k": 4}
    out = []
    for name, shape in claim.shapes.items():
        if isinstance(shape, np.ndarray):
            out.append(shape)
            continue
        axes = shape if isinstance(shape, tuple) else (shape,)
        values = rng.uniform(0.5, 1.5, [sizes.get(s, s) for s in axes])
        out.append(values + 2 * np.eye(len(values)) if name in "AS" and values.ndim == 2 else values)
    return out


MUTANTS = [(k, mutant) for k, claim in enumerate(CLAIMS) for mutant in mutants(k, claim)]
ASIDE = [k % 2 == 1 for k in range(len(CLAIMS))]
