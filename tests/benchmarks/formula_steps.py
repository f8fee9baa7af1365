"""Time the steps of a formula as its user takes them: made from a function, differentiated twice, printed; all checked.

    python tests/benchmarks/formula_steps.py [--only logistic gp] [--repeat 30]

The idea to hold: `formulas.py` times what is worked out on terms; here is what a user waits for. Every run has new
symbols and a new function, and no term of the run before is alive.
"""

import argparse
import gc
from itertools import pairwise
from time import perf_counter

from formulas import LAYERS, logistic, network

import symgrad as sg


def squares(A, x, b):
    return ((A @ x - b) ** 2).sum()


def attention(Q, K, V, T):
    return ((sg.softmax(Q @ K.T, -1) @ V - T) ** 2).sum()


def marginal_likelihood(D, y, length, scale):
    K = scale**2 * sg.exp(-D / (2 * length**2)) + 0.1 * sg.eye(D.shape[0])
    return y @ sg.linalg.solve(K, y) / 2 + sg.linalg.slogdet(K)[1] / 2


def layers(count):
    return {"X": ("b", "n"), "Y": ("b", "n"), **{f"W{k}": ("n", "n") for k in range(1, count + 1)}}


CASES = {  # the function, the shapes of its arguments, and by which it is differentiated
    "logistic": ("logistic loss, y = ±1", lambda X, y, w: logistic(sg, X, y, w),
                 {"X": ("m", "n"), "y": ("m",), "w": ("n",)}, "w"),
    "squares": ("least squares", squares, {"A": ("m", "n"), "x": ("n",), "b": ("m",)}, "x"),
    "two": ("tanh network of 2 layers, in the first", lambda *a: network(sg, *a), layers(2), "W1"),
    "many": (f"… of {LAYERS} layers, in the first", lambda *a: network(sg, *a), layers(LAYERS), "W1"),
    "attention": ("attention in Q", attention, {"Q": ("m", "d"), "K": ("n", "d"), "V": ("n", "k"), "T": ("m", "k")},
                  "Q"),
    "gp": ("Gaussian process, in its length scale", marginal_likelihood,
           {"D": ("n", "n"), "y": ("n",), "l": (), "s": ()}, "l"),
}  # fmt: skip
STEPS = ("f", "∇f", "∇²f", "print f", "print ∇f", "print ∇²f")


def run_once(function, shapes, wrt):
    """Milliseconds of each step."""
    gc.collect()
    symbols = [sg.symbol(name, shape, sign=name == "y" and wrt == "w") for name, shape in shapes.items()]
    times = [perf_counter()]

    def timed(result):
        times.append(perf_counter())
        return result

    f = timed(sg.formula(lambda *arrays: function(*arrays), *symbols))
    gradient = timed(f.grad(wrt))
    hessian = timed(gradient.jacobian(wrt))
    for formula in (f, gradient, hessian):
        if timed(str(formula)) and formula.checked is not True:
            raise RuntimeError(formula.checked)
    return [1000 * (after - before) for before, after in pairwise(times)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=CASES, metavar="KEY", help=f"some of: {', '.join(CASES)}")
    parser.add_argument("--repeat", type=int, default=30, help="runs, of which the best counts (default 30)")
    args = parser.parse_args()
    print("| ms | " + " | ".join(STEPS) + " |\n| --- |" + " ---: |" * len(STEPS))
    for key in args.only or CASES:
        title, *case = CASES[key]
        best = [min(times) for times in zip(*[run_once(*case) for _ in range(args.repeat)], strict=True)]
        print(f"| {title} | " + " | ".join(f"{ms:.2f}" if ms < 10 else f"{ms:.1f}" for ms in best) + " |", flush=True)


if __name__ == "__main__":
    main()
