"""The figures of plots.md: ``python docs/_plots.py`` draws them anew, into docs/_static.

The idea to hold: matplotlib's SVG differs between its versions, what is drawn does not. A figure carries a digest of
that, by which it is seen whether it is as the code would draw it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("agg")

import matplotlib.pyplot as plt

import symgrad as sg

FOLDER = Path(__file__).parent / "_static"


def bump(t: Any) -> Any:
    return np.exp(-(t**2) / 2)


def network(p: Any) -> Any:
    h = np.tanh(p["W"] @ np.array([1.0, -1.0]) + p["b"])
    return (p["u"] @ h - 0.5) ** 2


PARAMS = {"W": np.array([[0.5, -1.0], [0.25, 0.75]]), "b": np.array([0.1, -0.2]), "u": np.array([1.0, -0.5])}


def curves() -> Any:
    """A function with two derivatives and two Taylor polynomials."""
    return sg.plot(bump, -4, 4, taylor=(2, 6), at=0)


def kinks() -> Any:
    """A function with a kink, and one that is not defined everywhere."""
    _, axes = plt.subplots(1, 2, figsize=(9.6, 3.8), layout="constrained")
    sg.plot(lambda x: np.abs(x - 1) + x**2 / 4, -2, 3, ax=axes[0])
    sg.plot(lambda x: np.log(x), -1, 3, orders=1, taylor=3, at=1, ax=axes[1])
    return axes[0]


def plane() -> Any:
    """A function of two numbers."""
    return sg.plot(lambda x, y: x**3 - 3 * x + y**2 + x * y / 2, (-2, -2), (2, 2), points=41)


def hessian() -> Any:
    """The Hessian of a network with named parameters."""
    return sg.hessian(network)(PARAMS).plot().map


FIGURES: dict[str, Callable[[], Any]] = {f.__name__: f for f in (curves, kinks, plane, hessian)}


def digest(figure: Any) -> str:
    """A short name for all that is drawn: the texts, and the numbers to five digits."""
    found: list[str] = []
    for ax in figure.axes:
        legend = ax.get_legend()
        found += [ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()]
        found += [t.get_text() for t in (legend.get_texts() if legend else [])]
        numbers = [line.get_xydata() for line in ax.lines] + [image.get_array() for image in ax.images]
        numbers += [c.get_offsets() for c in ax.collections]
        found += [
            f"{v:.5g}" if abs(v) > 1e-9 else "0" for a in numbers for v in np.ma.filled(a, np.nan).ravel().tolist()
        ]
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]


def stale() -> list[str]:
    """Return the figures that are no longer what would be drawn.

    >>> stale()
    []
    """
    found = []
    for name, draw in FIGURES.items():
        kept = re.search(r"drawn: (\w+)", _file(name).read_text(encoding="utf-8"))
        figure = draw().figure
        if kept is None or kept[1] != digest(figure):
            found.append(name)
        plt.close(figure)
    return found


def _file(name: str) -> Path:
    return FOLDER / f"plot-{name}.svg"


if __name__ == "__main__":
    matplotlib.rcParams["svg.hashsalt"] = "symgrad"
    for name, draw in FIGURES.items():
        figure = draw().figure
        about = {"Date": None, "Creator": None, "Description": f"drawn: {digest(figure)}"}
        figure.savefig(_file(name), metadata=about)
        text = _file(name).read_text(encoding="utf-8")
        _file(name).write_text(re.sub(r"[ \t]+$", "", text, flags=re.M), encoding="utf-8")
        plt.close(figure)
