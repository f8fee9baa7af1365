"""The graph of a network as a picture: its steps, what each passes back, its gradient; and a loop drawn once.

`python graph_of_a_network.py path.svg` draws the network with its gradient into that file (or .html, .mmd).
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import symgrad as sg

rng = np.random.default_rng(0)
X = sg.tensor(rng.normal(size=(6, 3)), name="X")
y = sg.tensor(rng.normal(size=6), name="y")


def network():
    W, b, u = (
        sg.tensor(rng.normal(size=shape), requires_grad=True, name=name)
        for name, shape in dict(W=(3, 4), b=4, u=4).items()
    )
    h = sg.tanh(X @ W + b)
    h.name = "h"
    return ((h @ u - y) ** 2).mean()


def in_a_terminal(loss):
    print("Every step as it reads on paper, and per operand what reaches it of an incoming gradient g:")
    print(sg.graph(loss, values=False))


def with_its_gradient(loss, paths):
    loss.backward(create_graph=True)
    picture = sg.graph(loss, backward=True, direction="LR")
    for path in paths:
        picture.save(path)
        print(f"  {path.name}: {path.stat().st_size} bytes, {picture!r}")


def a_loop_is_drawn_once():
    h, W = (sg.tensor(rng.normal(size=shape), requires_grad=True, name=n) for n, shape in dict(h=3, W=(3, 3)).items())
    for _ in range(1000):
        h = sg.tanh(W @ h)
    print("A thousand equal steps:")
    picture = sg.graph(h.sum())
    print(picture)
    assert str(picture).count("tanh(") < 5, "once, not a thousand times"


if __name__ == "__main__":
    loss = network()
    in_a_terminal(loss)
    print()
    print("The same with its gradient, as files:")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("network.svg", "network.html", "network.mmd")]
        with_its_gradient(loss, map(Path, sys.argv[1:2] or files))
    print()
    a_loop_is_drawn_once()
