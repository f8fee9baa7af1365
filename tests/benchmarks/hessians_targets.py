"""Time `sg.compile(f, "h", target=…)` beside its library alone: `jax.jit(jax.hessian(f))`, `torch.func.hessian(f)`.

    python tests/benchmarks/hessians_targets.py                       # the dense problems, both libraries
    python tests/benchmarks/hessians_targets.py --only logistic mlp50 --libraries jax --device gpu
    python tests/benchmarks/hessians_targets.py --tiny --check        # do they agree?
    python tests/benchmarks/hessians_targets.py --markdown            # a table for docs/benchmarks.md

The idea to hold: both run under their library's compiler if it has one, arrays in and out on its device, and must agree
before they are timed.
"""

import argparse
import math
import sys
from time import perf_counter

import hessians
import numpy as np
from _timing import machine
from hessians_peers import Jax, Torch, error_between

import symgrad as sg

TOLERANCE = 1e-8


def calls_of(library, problem, args):
    """{name: a function of nothing that gives the Hessian when it is done}."""
    f, x, data = problem.make(args.tiny)
    if library == "jax":
        peer = Jax()  # switches JAX to 64 bits
        jax, device = peer.jax, peer.jax.devices(args.device)[0]
        x, constants = jax.device_put(x, device), [jax.device_put(a, device) for a in data]
        alone = peer.hessian(f, constants)
        compiled = jax.jit(sg.compile(lambda x: f(sg, x, *data), "h", target="jax"))
        return {"symgrad": lambda: compiled(x).block_until_ready(), "alone": lambda: alone(x)}
    peer = Torch()
    x, constants = peer.point(x).to(args.device), [peer.constant(a).to(args.device) for a in data]
    alone, mine = peer.hessian(f, constants), sg.compile(lambda x: f(sg, x, *data), "h", target="torch")
    done = peer.xp.cuda.synchronize if args.device.startswith("cuda") else lambda: None
    return {"symgrad": lambda: (mine(x), done())[0], "alone": lambda: (alone(x), done())[0]}


def time_problem(library, problem, args):
    """Milliseconds of each, the least of runs that take turns; NaN if they are only compared."""
    calls = calls_of(library, problem, args)
    first = {name: np.asarray(call().cpu() if library == "torch" else call()) for name, call in calls.items()}
    error = error_between(first["symgrad"], first["alone"])
    if not error <= TOLERANCE:
        raise ArithmeticError(f"they differ by {error:.1e}")
    best = dict.fromkeys(calls, math.nan if args.check else math.inf)
    start = perf_counter()
    for done in range(0 if args.check else args.repeat):
        if done >= 3 and perf_counter() - start > args.seconds:
            break
        for name, call in calls.items():
            begun = perf_counter()
            call()
            best[name] = min(best[name], 1e3 * (perf_counter() - begun))
    return best


def row_of(key, problem, args):
    """A row of the table; what fails is said, and the others are timed."""
    cells, failures, ratios = [], 0, {}
    for library in args.libraries:
        if library in problem.without and not args.tiny:
            cells += ["–", "–", "–"]
            continue
        try:
            best = time_problem(library, problem, args)
        except Exception as error:
            failures += 1
            text = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"# {key} in {library}: {text}", file=sys.stderr, flush=True)
            cells += ["–", "–", "–"]
            continue
        ratios[library] = best["alone"] / best["symgrad"]
        cells += [hessians.cell(best["symgrad"]), hessians.cell(best["alone"]), hessians.cell(ratios[library])]
    hessians.print_row([f"{problem.title(args.tiny)} ({key})", *cells], args.markdown)
    return ratios, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="KEY", choices=hessians.PROBLEMS, help="some of the problems")
    parser.add_argument("--libraries", nargs="+", choices=("jax", "torch"), default=("jax", "torch"))
    parser.add_argument("--device", default="cpu", help="as the library calls it: cpu, gpu (JAX), cuda (PyTorch)")
    parser.add_argument("--repeat", type=int, default=20, help="runs of each, of which the best counts (default 20)")
    parser.add_argument("--seconds", type=float, default=5.0, help="stop a problem after this, if run 3 times")
    parser.add_argument("--tiny", action="store_true", help="shrink every problem")
    parser.add_argument("--check", action="store_true", help="see whether they agree, and time nothing")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    args = parser.parse_args()
    hessians.print_head(
        ("Hessian, ms", *[word for name in args.libraries for word in (f"target {name}", name, "ratio")]), args.markdown
    )
    found, failures = {}, 0
    for key in args.only or hessians.PROBLEMS:
        ratios, failed = row_of(key, hessians.PROBLEMS[key], args)
        failures += failed
        for library, ratio in ratios.items():
            found.setdefault(library, {})[key] = ratio
    for library, ratios in {} if args.check else found.items():
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        slower = " ".join(key for key, ratio in ratios.items() if ratio < 1)
        print(f"\n{library}: geometric mean {mean:.3g} over {len(ratios)}, slower: {slower or 'none'}")
    print(f"\n{machine()}. float64, taking turns, minimum of up to {args.repeat} runs each.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
