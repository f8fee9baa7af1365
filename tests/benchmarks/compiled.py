"""Time compiled functions of few numbers: `sg.compile` in both targets beside JAX's jitted function.

    python tests/benchmarks/compiled.py                     # value, gradient and Hessian, then the Hessian alone
    python tests/benchmarks/compiled.py --only beale fit    # some of them
    python tests/benchmarks/compiled.py --first             # the first call: Numba's code made, then found
    python tests/benchmarks/compiled.py --markdown          # a table for docs/benchmarks.md

The idea to hold: a function is timed as its user calls it, a NumPy array in and results out; JAX's are waited for. The
peers take turns. Longer functions are in `hessians.py`, which has the same columns.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import types
from time import perf_counter, process_time

import numpy as np
from _timing import Race, machine

T = np.linspace(0, 3, 8)
Y = 1.3 * np.exp(-0.8 * T)
A = np.random.default_rng(0).normal(size=(5, 5))


def number(x):
    return np.sin(x) * np.exp(-(x**2))


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def beale(x):
    a, b = x[0], x[1]
    return (1.5 - a + a * b) ** 2 + (2.25 - a + a * b**2) ** 2 + (2.625 - a + a * b**3) ** 2


def powell(x):
    return (x[0] + 10 * x[1]) ** 2 + 5 * (x[2] - x[3]) ** 2 + (x[1] - 2 * x[2]) ** 4 + 10 * (x[0] - x[3]) ** 4


def bump(x):
    return -np.exp(-(x[0] ** 2 + x[1] ** 2) / 2) * np.cos(3 * x[0]) + np.log(1 + x[1] ** 2)


def orbit(p):
    return 0.5 * (p[3:] ** 2).sum() - 1 / np.sqrt((p[:3] ** 2).sum())


def fit(p):
    return ((p[0] * np.exp(-p[1] * T) - Y) ** 2).sum()


def log_sum_exp(x):
    return np.log(np.exp(x).sum())


def quartic(x):
    return ((A @ x) ** 4).sum()


def wells(x):
    return ((x**2 - 1) ** 2).sum() + np.prod(np.cos(x))


RNG = np.random.default_rng(1)
PROBLEMS = {
    "number": ("sin(x) exp(−x²), a number", number, np.array(0.7)),
    "rosenbrock2": ("Rosenbrock, n = 2", rosenbrock, RNG.normal(size=2)),
    "rosenbrock10": ("Rosenbrock, n = 10", rosenbrock, RNG.normal(size=10)),
    "beale": ("Beale, n = 2", beale, RNG.normal(size=2)),
    "powell": ("Powell, n = 4", powell, RNG.normal(size=4)),
    "bump": ("a bump, n = 2", bump, RNG.normal(size=2)),
    "orbit": ("energy of an orbit, n = 6", orbit, RNG.normal(size=6)),
    "fit": ("exponential fit of 8 points, n = 2", fit, np.array([1.0, 0.5])),
    "log_sum_exp": ("log Σ exp(x), n = 5", log_sum_exp, RNG.normal(size=5)),
    "quartic": ("Σ (Ax)⁴, n = 5", quartic, RNG.normal(size=5)),
    "wells": ("Σ (x² − 1)² + Π cos x, n = 6", wells, RNG.normal(size=6)),
}


def with_names(f, xp):
    """The function with another library in the place of NumPy."""
    return types.FunctionType(f.__code__, {**f.__globals__, "np": xp})


def by_jax(f, outputs):
    import jax

    jax.config.update("jax_enable_x64", True)
    g = with_names(f, jax.numpy)
    both = (lambda x: (*jax.value_and_grad(g)(x), jax.hessian(g)(x))) if outputs == "fgh" else jax.hessian(g)
    jitted = jax.jit(both)
    return lambda x: jax.block_until_ready(jitted(x))


def time_all(args):
    import symgrad as sg

    names = ("numpy", "numba", "jax")
    head = ("µs", *names, "jax / numpy", "jax / numba")
    for outputs in ("fgh", "h"):
        ratios = {"numpy": [], "numba": []}
        print(f"\n{outputs}\n" + row(head, args.markdown))
        if args.markdown:
            print("|---|" + "---:|" * 5)
        for key in args.only or PROBLEMS:
            title, f, x = PROBLEMS[key]
            calls = {"numpy": sg.compile(f, outputs), "numba": sg.compile(f, outputs, target="numba"),
                     "jax": by_jax(f, outputs)}  # fmt: skip
            for a, b, c in zip(*[c(x) if len(outputs) > 1 else (c(x),) for c in calls.values()], strict=True):
                np.testing.assert_allclose(a, np.asarray(c), rtol=1e-9, atol=1e-9)
                np.testing.assert_allclose(b, np.asarray(c), rtol=1e-9, atol=1e-9)
            race = Race({name: lambda call=call, x=x: call(x) for name, call in calls.items()}, 0.005, args.clock)
            race.run(args.repeat)
            best = {name: 1000 * ms for name, ms in race.best.items()}
            for name, found in ratios.items():
                found.append(best["jax"] / best[name])
            print(row([title, *[f"{best[n]:.2f}" for n in names], *[f"{r[-1]:.2f}" for r in ratios.values()]],
                      args.markdown), flush=True)  # fmt: skip
        means = [math.exp(sum(map(math.log, found)) / len(found)) for found in ratios.values()]
        print(row(["geometric mean", "", "", "", *[f"{m:.2f}" for m in means]], args.markdown))
    print(f"\n{machine()}")


def row(cells, markdown):
    return f"| {' | '.join(cells)} |" if markdown else f"{cells[0]:<40}" + "".join(f"{c:>14}" for c in cells[1:])


FIRST = """
import sys, time
sys.path.insert(0, {folder!r})
import numpy as np, symgrad as sg, compiled
if {target!r} == "numba":
    import numba
_, f, x = compiled.PROBLEMS[{key!r}]
start = time.perf_counter()
sg.compile(f, target={target!r})(x)
print(time.perf_counter() - start)
"""


def time_first(args):
    """Seconds of the first call of a process; with Numba, once before and once after its code was kept."""
    print(row(["first call, s", "numpy", "numba, made", "numba, found", "jax"], args.markdown))
    for key in args.only or PROBLEMS:
        with tempfile.TemporaryDirectory() as cache:
            found = []
            for target in ("numpy", "numba", "numba"):
                script = FIRST.format(folder=os.path.dirname(os.path.abspath(__file__)), target=target, key=key)
                environment = {**os.environ, "SYMGRAD_CACHE": cache}
                done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
                found.append(float(done.stdout))
        _, f, x = PROBLEMS[key]
        call = by_jax(f, "fgh")
        start = perf_counter()
        call(x)
        print(
            row([PROBLEMS[key][0], *[f"{s:.2f}" for s in (*found, perf_counter() - start)]], args.markdown), flush=True
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="KEY", choices=PROBLEMS, help="some of the problems")
    parser.add_argument("--repeat", type=int, default=20, help="rounds, of which the best counts (default 20)")
    parser.add_argument("--first", action="store_true", help="the first call instead")
    parser.add_argument("--processor-time", dest="clock", action="store_const", const=process_time,
                        default=perf_counter, help="the processor's clock, for a machine that is shared")  # fmt: skip
    parser.add_argument("--markdown", action="store_true", help="a table for docs/benchmarks.md")
    chosen = parser.parse_args()
    (time_first if chosen.first else time_all)(chosen)
