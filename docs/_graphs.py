"""The figures of graphs.md, of the first page and of the README: ``python docs/_graphs.py`` draws them anew, into
docs/_static."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np

import symgrad as sg

FOLDER = Path(__file__).parent / "_static"

X = sg.tensor([[1.0, 0.5], [1.0, -0.5], [1.0, 2.0]], name="X")
y = sg.tensor([1.0, -1.0, 1.0], name="y")


def logistic() -> sg.Graph:
    """A logistic loss."""
    w = sg.tensor([0.25, 0.5], requires_grad=True, name="w")
    return sg.graph(sg.log(1 + sg.exp(-y * (X @ w))).sum())


def network() -> sg.Graph:
    """A two-layer network and its gradient."""
    W = sg.tensor([[0.5, -1.0], [0.25, 0.75]], requires_grad=True, name="W")
    u = sg.tensor([1.0, -0.5], requires_grad=True, name="u")
    loss = ((sg.tanh(X @ W) @ u - y) ** 2).sum()
    return sg.graph(loss, backward=True)


def attention() -> sg.Graph:
    """Attention, for arrays of all sizes."""
    Q, K, V = sg.symbol("Q", ("m", "d")), sg.symbol("K", ("n", "d")), sg.symbol("V", ("n", "p"))
    return sg.graph(sg.softmax(Q @ K.T, dim=-1) @ V, direction="LR")


def loop() -> sg.Graph:
    """A loop of a thousand steps."""
    W = sg.tensor([[0.5, -1.0], [1.0, 0.5]], requires_grad=True, name="W")
    h = sg.tensor([1.0, 0.0], requires_grad=True, name="h")
    for _ in range(1000):
        h = sg.tanh(W @ h)
    return sg.graph(h.sum())


def shuttle() -> sg.Graph:
    """The first example: a logistic regression on the shuttle's flights, at rounded estimates."""
    t, failed = np.loadtxt(files("symgrad") / "data" / "challenger.csv", delimiter=",", skiprows=1, unpack=True)
    A, y = sg.tensor(np.column_stack([np.ones(23), t]), name="X"), sg.tensor(failed, name="y")
    w = sg.tensor([15.0429, -0.2322], requires_grad=True, name="w")
    z = A @ w
    return sg.graph((sg.logaddexp(0, z) - y * z).sum(), direction="LR")


FIGURES: dict[str, Callable[[], sg.Graph]] = {f.__name__: f for f in (logistic, network, attention, loop, shuttle)}


def stale() -> list[str]:
    """Return the figures that are no longer what would be drawn.

    >>> stale()
    []
    """
    return [name for name, draw in FIGURES.items() if _file(name).read_text(encoding="utf-8") != draw().svg()]


def _file(name: str) -> Path:
    return FOLDER / f"graph-{name}.svg"


if __name__ == "__main__":
    for name, draw in FIGURES.items():
        draw().save(_file(name))
