"""Pictures of functions and of Hessians: what they show is printed, and each is saved as SVG in a temporary folder."""

import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("agg")  # draw into files; leave this out to see windows

import matplotlib.pyplot as plt
import numpy as np

import symgrad as sg


def damped(t):
    return np.exp(-t / 4) * np.cos(2 * t)


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


def network(p):
    h = np.tanh(p["W"] @ np.array([1.0, -1.0]) + p["b"])
    return (p["u"] @ h - 0.5) ** 2


PARAMS = {"W": np.array([[0.5, -1.0], [0.25, 0.75]]), "b": np.array([0.1, -0.2]), "u": np.array([1.0, -0.5])}


def save(axes, name, folder):
    path = Path(folder) / f"{name}.svg"
    axes.figure.savefig(path)
    plt.close(axes.figure)
    print(f"  saved as {path.name}, {path.stat().st_size / 1000:.0f} kB\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        print("A function, its derivatives, and two Taylor polynomials about 1:")
        ax = sg.plot(damped, 0, 6, taylor=(2, 5), at=1)
        print(*(f"  {label}" for label in ax.get_legend_handles_labels()[1]), sep="\n")
        save(ax, "damped", folder)

        print("A function of two numbers, with what its critical point is:")
        ax = sg.plot(rosenbrock, (-2, -1), (2, 3))
        for line in ax.lines:
            if line.get_marker() == "o":
                print("  a minimum at", *line.get_xydata().round(6))
        save(ax, "rosenbrock", folder)

        print("A Hessian, by the names of its parameters:")
        H = sg.hessian(network)(PARAMS)
        axes = H.plot()
        print(f"  {H}; {axes.spectrum.get_title()}")
        save(axes.map, "hessian", folder)


if __name__ == "__main__":
    main()
