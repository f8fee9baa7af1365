"""``symgrad bench``: how long a gradient, a Hessian and a formula take on this machine, beside other libraries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from .._limits import bound
from ._answer import Answer, with_json

_Runs = tuple[Callable[[], Any], ...]
PEERS = ("torch", "jax")
TIMED = ("gradient", "hessian", "formula")
"""What each library has a function of, in this order; others than symgrad have the first two."""


def declare(commands: Any, common: Any) -> None:
    """Declare the command."""
    bench = commands.add_parser("bench", parents=[common], help="time a logistic regression on this machine")
    bench.add_argument("--peers", nargs="*", default=PEERS, choices=PEERS, help="to compare with, where installed")
    with_json(bench)
    bench.set_defaults(run=_run)


def _run(options: Any) -> Answer:
    rng, (m, n) = np.random.default_rng(0), (1000, 20)
    X, y, w = rng.normal(size=(m, n)), rng.integers(0, 2, m) * 1.0, rng.normal(size=n)
    timed = {"symgrad": _symgrad(X, y, w), "NumPy by hand": _numpy(X, y, w)}
    for peer in options.peers:
        there = find_spec(peer) is not None and not _is_symgrad(peer)
        timed[peer] = (_torch if peer == "torch" else _jax)(X, y, w) if there else ()
    times = {name: dict(zip(TIMED, map(_time, found))) for name, found in timed.items()}
    lines = [f"Logistic regression, {m} rows, {n} columns: milliseconds, the best of several"]
    lines.append(f"{'':16}{'gradient':>10}{'Hessian':>10}{'formula':>10}")
    for name, row in times.items():
        cells = "".join(f"{row[k]:10.3f}" if k in row else f"{'':>10}" for k in TIMED)
        lines.append(f"{name:16}{cells if row else '  not installed'}".rstrip())
    return Answer("\n".join(lines), {"rows": m, "columns": n, "milliseconds": times})


def _is_symgrad(name: str) -> bool:
    return "symgrad" in getattr(sys.modules.get(name), "__version__", "")


RUNS = bound(10)
"""Runs of each that are timed at least: among the first are those that compile."""


def _time(f: Callable[[], Any]) -> float:
    """The shortest run in milliseconds."""
    best, until, runs = float("inf"), perf_counter() + 0.2, 0
    while (start := perf_counter()) < until or runs < RUNS:
        f()
        best, runs = min(best, perf_counter() - start), runs + 1
    return best * 1e3


def _symgrad(X: Any, y: Any, w: Any) -> _Runs:
    from .._tensor import symbol
    from ..transforms import grad, hessian

    def loss(w: Any, X: Any, y: Any) -> Any:
        z = X @ w
        return (np.logaddexp(0, z) - y * z).sum()

    gradient, second = grad(loss), hessian(loss)
    symbols = symbol("w", "n"), symbol("X", ("m", "n")), symbol("y", "m")
    return lambda: gradient(w, X, y), lambda: second(w, X, y), lambda: str(grad(loss)(*symbols))


def _numpy(X: Any, y: Any, w: Any) -> _Runs:
    def p() -> Any:
        return 1 / (1 + np.exp(-(X @ w)))

    def second() -> Any:
        at = p()
        return X.T @ ((at * (1 - at))[:, None] * X)

    return lambda: X.T @ (p() - y), second


def _torch(X: Any, y: Any, w: Any) -> _Runs:
    torch = import_module("torch")
    X, y, w = map(torch.from_numpy, (X, y, w))

    def loss(w: Any) -> Any:
        z = X @ w
        return (torch.nn.functional.softplus(z) - y * z).sum()

    def gradient() -> Any:
        at = w.clone().requires_grad_()
        return torch.autograd.grad(loss(at), at)

    return gradient, lambda: torch.func.hessian(loss)(w)


def _jax(X: Any, y: Any, w: Any) -> _Runs:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    X, y, w = map(jax.numpy.asarray, (X, y, w))

    def loss(w: Any) -> Any:
        z = X @ w
        return (jax.nn.softplus(z) - y * z).sum()

    first, second = jax.jit(jax.grad(loss)), jax.jit(jax.hessian(loss))
    return lambda: first(w).block_until_ready(), lambda: second(w).block_until_ready()
