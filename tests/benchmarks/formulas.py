"""Time how long a formula takes: to derive, to print, to check; beside SymPy and tensorgrad.

    python tests/benchmarks/formulas.py                    # everything, about a minute
    python tests/benchmarks/formulas.py --only logistic --repeat 50
    python tests/benchmarks/formulas.py --markdown         # the table of docs/benchmarks.md
    python tests/benchmarks/formulas.py --tensorgrad ../other-venv/bin/python

The idea to hold: a formula is asked for once, so what counts is the first time. What symgrad works out about a term
lies on the term, and the table of terms is weak: every repeat starts from a pickled formula, when all terms of the
repeat before are gone (`require_forgotten` makes sure), so nothing can be remembered. Rules and patterns, which are no
formula's, stay.
"""

import argparse
import gc
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp
from _tensorgrad import SCRIPT
from _timing import machine
from sympy.core.cache import clear_cache

import symgrad as sg
from symgrad._trees import postorder
from symgrad.terms.node import Var, _living

INSTALL = "python -m venv tg && tg/bin/python -m pip install tensorgrad; then --tensorgrad tg/bin/python"
LAYERS = 8
SMALL = {"m": 4, "n": 3, "k": 2}
"""The sizes at which SymPy takes derivatives entry by entry."""


# What is differentiated. `xp` is symgrad, or SymPy's functions on arrays of symbols; symbols have named sizes.


def least_squares(xp, A, x, b):
    return ((A @ x - b) ** 2).sum()


def quadratic(xp, B, x):
    return x @ B @ x


def sum_of_cosines(xp, A, x):
    return xp.cos(A @ x).sum()


def log_sum_exp(xp, x):
    return xp.log(xp.exp(x).sum())


def logistic(xp, X, y, w):
    return xp.log(1 + xp.exp(-y * (X @ w))).sum()


def factorisation(xp, T, U, V):
    return ((T - U @ V.T) ** 2).sum()


def trace_form(xp, A, B, X):
    return xp.trace(A @ X @ B @ X.T)


def network(xp, X, Y, *weights):
    h = X
    for W in weights:
        h = xp.tanh(h @ W)
    return ((h - Y) ** 2).sum()


@dataclass
class Case:
    """A function, its arguments' shapes, and what to differentiate it by; the goals are milliseconds."""

    title: str
    function: Callable[..., Any]
    shapes: dict[str, tuple[str, ...]]
    wrt: str
    goals: tuple[float, float] = (0.5, 1.0)
    sign: str = ""  # the argument that is ±1
    matrix: Callable[[], tuple[Any, Any]] | None = None
    """The function in SymPy's matrix symbols and the variable, where SymPy's derivative of that is right."""


def matrix_symbol(name, *shape):
    return sp.MatrixSymbol(name, *[sp.Symbol(n) if isinstance(n, str) else n for n in shape])


def matrix_least_squares():
    x = matrix_symbol("x", "n", 1)
    r = matrix_symbol("A", "m", "n") * x - matrix_symbol("b", "m", 1)
    return r.T * r, x


def matrix_quadratic():
    x = matrix_symbol("x", "n", 1)
    return x.T * matrix_symbol("B", "n", "n") * x, x


def matrix_factorisation():
    U = matrix_symbol("U", "m", "k")
    r = matrix_symbol("T", "m", "n") - U * matrix_symbol("V", "n", "k").T
    return sp.Trace(r.T * r), U


def matrix_trace_form():
    X = matrix_symbol("X", "m", "n")
    return sp.Trace(matrix_symbol("A", "m", "m") * X * matrix_symbol("B", "n", "n") * X.T), X


WEIGHTS = {f"W{k}": ("n", "n") for k in range(1, LAYERS + 1)}
NETWORK = {"X": ("b", "n"), "Y": ("b", "n"), **WEIGHTS}
CASES = {
    "squares": Case("‖Ax − b‖² in x", least_squares, {"A": ("m", "n"), "x": ("n",), "b": ("m",)}, "x",
                    matrix=matrix_least_squares),
    "quadratic": Case("xᵀBx in x", quadratic, {"B": ("n", "n"), "x": ("n",)}, "x", matrix=matrix_quadratic),
    "cosines": Case("Σ cos(Ax) in x", sum_of_cosines, {"A": ("m", "n"), "x": ("n",)}, "x"),
    "logsumexp": Case("log Σ exp(x) in x", log_sum_exp, {"x": ("n",)}, "x"),
    "logistic": Case("Σ log(1 + exp(−y ⊙ Xw)) in w, y = ±1", logistic,
                     {"X": ("m", "n"), "y": ("m",), "w": ("n",)}, "w", sign="y"),
    "factorisation": Case("‖T − UVᵀ‖² in U", factorisation, {"T": ("m", "n"), "U": ("m", "k"), "V": ("n", "k")}, "U",
                          matrix=matrix_factorisation),
    "trace": Case("tr(AXBXᵀ) in X", trace_form, {"A": ("m", "m"), "B": ("n", "n"), "X": ("m", "n")}, "X",
                  matrix=matrix_trace_form),
    "network": Case(f"tanh network of {LAYERS} layers in the first layer's weights", network, NETWORK, "W1", (10, 10)),
    "network-middle": Case(f"the same in those of layer {LAYERS // 2}", network, NETWORK, f"W{LAYERS // 2}", (10, 10)),
}  # fmt: skip


# symgrad -------------------------------------------------------------------------------------------------------------


def formula_of(case):
    """The function's formula on symbols, as read from its graph."""
    symbols = [sg.symbol(name, shape, sign=name == case.sign) for name, shape in case.shapes.items()]
    return sg.formula(lambda *arrays: case.function(sg, *arrays), *symbols)


def require_forgotten(case):
    """Raise unless no term made of the case's symbols is alive, so that nothing about one can be remembered.

    The x and y of the table of rewrites are scalars; the case's symbols are not.
    """
    gc.collect()
    alive = [t for t in list(_living.values()) if any(is_of(case, child) for child in t.children)]
    if alive:
        raise RuntimeError(f"{len(alive)} terms of the run before are alive")


def is_of(case, term):
    return isinstance(term, Var) and term.rank > 0 and term.name in case.shapes


def distinct(term):
    return sum(1 for _ in postorder(term))


def timed(call):
    start = perf_counter()
    result = call()
    return 1000 * (perf_counter() - start), result


def run_once(case, pickled):
    """Milliseconds of each step on terms that are new, sizes, and the texts."""
    require_forgotten(case)
    f = pickle.loads(pickled)  # it has no graph, so that deriving from it does not check
    took, size = {}, {}
    took["gradient"], g = timed(lambda: f.grad(case.wrt))
    took["second"], h = timed(lambda: g.jacobian(case.wrt))
    took["print gradient"], text = timed(lambda: str(g))
    took["print hessian"], text_too = timed(lambda: str(h))
    for what, formula in (("f", f), ("gradient", g), ("hessian", h)):
        size[what] = distinct(formula.term)
    return took, size, (text, text_too)


def run_checked(case):
    """Milliseconds of the derivatives of a formula that has its graph: to derive, and to compare with the tape."""
    require_forgotten(case)
    f = formula_of(case)
    took = {}
    took["checked gradient"], g = timed(lambda: f.grad(case.wrt))
    took["checked hessian"], h = timed(lambda: g.jacobian(case.wrt))
    for formula in (f, g, h):
        if formula.checked is not True:
            raise RuntimeError(f"{case.title}: {formula.checked}")
    return took


def keep_least(best, took):
    for what, ms in took.items():
        best[what] = min(ms, best.get(what, ms))


def measure(case, repeat):
    """The least milliseconds of each step, numbers of distinct terms, the texts."""
    best = {}
    for _ in range(repeat):
        keep_least(best, run_checked(case))
    pickled = pickle.dumps(formula_of(case))
    for _ in range(repeat):
        took, size, texts = run_once(case, pickled)
        keep_least(best, took)
    best["check gradient"] = best["checked gradient"] - best["gradient"]
    best["check hessian"] = best["checked hessian"] - best["second"]
    best["hessian"] = best["gradient"] + best["second"]
    return best, size, texts


# SymPy ---------------------------------------------------------------------------------------------------------------


class Entries:
    """SymPy's functions on NumPy arrays of symbols."""

    exp, log, cos, tanh = (np.frompyfunc(f, 1, 1) for f in (sp.exp, sp.log, sp.cos, sp.tanh))
    trace = staticmethod(np.trace)


def sympy_by_entries(case, repeat):
    """Gradient and Hessian of the function of `SMALL` arrays of symbols, entry by entry, as they come."""
    arrays = {name: symbols_of(name, shape) for name, shape in case.shapes.items()}
    f = case.function(Entries, *arrays.values())
    entries = list(arrays[case.wrt].flat)
    best = {}
    for _ in range(max(2, repeat // 10)):
        clear_cache()
        first, gradient = timed(lambda: [f.diff(s) for s in entries])
        second, _ = timed(lambda g=gradient: [e.diff(s) for i, e in enumerate(g) for s in entries[i:]])
        keep_least(best, {"gradient": first, "hessian": first + second})
    return best["gradient"], best["hessian"]


def symbols_of(name, shape):
    out = np.empty([SMALL[n] for n in shape], object)
    for place in np.ndindex(*out.shape):
        out[place] = sp.Symbol("_".join([name, *map(str, place)]), real=True)
    return out


def sympy_by_matrices(case, repeat):
    """SymPy's array derivative; only of functions for which it is right (it is 0 for logsumexp and log det)."""
    best = {}
    for _ in range(max(2, repeat // 10)):
        clear_cache()
        f, x = case.matrix()
        first, gradient = timed(lambda f=f, x=x: f.diff(x).doit())
        second, _ = timed(lambda g=gradient, x=x: g.diff(x))
        keep_least(best, {"gradient": first, "hessian": first + second})
    return best["gradient"], best["hessian"]


# tensorgrad ----------------------------------------------------------------------------------------------------------


def tensorgrad_times(python, repeat):
    """What tensorgrad takes, in a process of its own with that Python; {} if there is none."""
    if python is None:
        print(f"# tensorgrad is left out: {INSTALL}", file=sys.stderr)
        return {}
    done = subprocess.run(
        [python, "-c", SCRIPT, str(max(2, repeat // 10))], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"# tensorgrad does not run: {INSTALL}\n{done.stderr}", file=sys.stderr)
        return {}
    return json.loads(done.stdout)


# The table -----------------------------------------------------------------------------------------------------------

HEAD = (
    "function", "terms f, ∇f, ∇²f", "∇f", "∇²f", "goals", "print ∇f (≤ 1)", "print ∇²f (≤ 1)", "check ∇f",
    "check ∇²f", "SymPy entries", "SymPy matrices", "tensorgrad",
)  # fmt: skip


def cell(ms):
    return f"{ms:.2f}" if ms < 10 else f"{ms:.0f}"


def pair(times):
    return " / ".join(map(cell, times)) if times else "–"


def row(case, found, peers):
    best, size, _ = found
    goals = " / ".join(
        f"{'≤' if best[what] <= goal else 'missed:'} {goal:g}"
        for what, goal in zip(("gradient", "hessian"), case.goals, strict=True)
    )
    steps = ("print gradient", "print hessian", "check gradient", "check hessian")
    sizes = ", ".join(str(size[what]) for what in ("f", "gradient", "hessian"))
    return [case.title, sizes, cell(best["gradient"]), cell(best["hessian"]), goals,
            *(cell(best[what]) for what in steps), *map(pair, peers)]  # fmt: skip


def print_row(cells, markdown):
    if markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
    else:
        print(f"{cells[0]:<54}", *(f"{c:>{max(9, len(h) + 1)}}" for c, h in zip(cells[1:], HEAD[1:], strict=True)),
              flush=True)  # fmt: skip


def describe(repeat, tensorgrad):
    small = ", ".join(map(str, SMALL.values()))
    return (
        f"Milliseconds, the least of {repeat} runs, each on new terms, garbage collector on; symgrad's symbols have "
        "named sizes. A Hessian's time is from the function, gradient included; a check's is the "
        "difference that it makes. SymPy "
        f"{version('sympy')}, gradient / Hessian: by entries at m, n, k = {small}, its cache cleared, nothing "
        f"simplified; by matrices where its answer is right. tensorgrad {tensorgrad.get('version', '(not run)')} with "
        f"full_simplify. {machine()}."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=CASES, metavar="KEY", help=f"some of: {', '.join(CASES)}")
    parser.add_argument("--repeat", type=int, default=30, help="runs, of which the best counts (default 30)")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    parser.add_argument("--tensorgrad", metavar="PYTHON", help="the Python of an environment that has tensorgrad")
    args = parser.parse_args()

    tensorgrad = tensorgrad_times(args.tensorgrad, args.repeat)
    print_row(HEAD, args.markdown)
    if args.markdown:
        print_row(["---", "---", *["---:"] * (len(HEAD) - 2)], True)
    texts = {}
    for key in args.only or CASES:
        case = CASES[key]
        by_entries = None if case.function is network else sympy_by_entries(case, args.repeat)
        by_matrices = case.matrix and sympy_by_matrices(case, args.repeat)
        found = measure(case, args.repeat)
        texts[case.title] = found[2]
        print_row(row(case, found, (by_entries, by_matrices, tensorgrad.get(key))), args.markdown)
    print("\n" + describe(args.repeat, tensorgrad))
    if not args.markdown:
        for title, (gradient, hessian) in texts.items():
            print(f"\n{title}\n∇f  = {gradient}\n∇²f = {hessian}")


if __name__ == "__main__":
    main()
