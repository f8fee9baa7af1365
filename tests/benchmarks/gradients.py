"""Time values with gradients, what a fit asks for most: the problems of `hessians.py`, beside JAX and PyTorch.

    python tests/benchmarks/gradients.py                       # the dense problems, some five minutes
    python tests/benchmarks/gradients.py --only logistic cox --processor-time

The idea to hold: *recorded* is a derivative made anew at each call, *repeated* one that has been called until it has
its program; *compiled* and *numba* are `sg.compile(f, "fg")`. All must agree at two points before they are timed.
"""

import argparse
import math
import sys
from functools import partial
from time import perf_counter, process_time

import hessians
import numpy as np
from _timing import Race
from hessians_peers import attempt, disagreements, load_peers

COLUMNS = ("recorded", "repeated", "compiled", "numba", "torch")
CALLS = 250


def of_symgrad(sg, f, data):
    """Made anew at each call, and called until it has its program."""
    again = sg.value_and_grad(lambda x: f(sg, x, *data))
    return {"recorded": lambda x: sg.value_and_grad(lambda x: f(sg, x, *data))(x), "repeated": again}


def of_jax(peer, f, data):
    both = peer.jax.jit(peer.jax.value_and_grad(lambda x, *data: f(peer.xp, x, *data)))
    return {"jax": lambda x: peer.jax.block_until_ready(both(x, *data))}


def of_torch(peer, f, data):
    both = peer.func.grad_and_value(lambda x: f(peer.xp, x, *data))
    return {"torch": lambda x: both(peer.point(x))[::-1]}


def of_target(peer, f, data):
    target = {"compiled": "numpy"}.get(peer.name, peer.name)
    return {peer.name: peer.xp.compile(lambda x: f(peer.xp, x, *data), "fg", target=target)}


def calls_of(problem, peers, tiny):
    """{column: value and gradient as a function of one NumPy array}, and the point."""
    f, x, data = problem.make(tiny)
    calls = {}
    for name, peer in peers.items():
        own = [peer.constant(array) for array in data]
        if name == "symgrad":
            calls |= of_symgrad(peer.xp, f, own)
        else:
            calls |= {"jax": of_jax, "torch": of_torch}.get(name, of_target)(peer, f, own)
    for _ in range(CALLS):
        calls["repeated"](x)
    return calls, x


def agreeing(problem, calls, x):
    """Leave out those that raise or differ, at either of two points, and report them."""

    def failed(text):
        hessians.report_failure(f"{problem.key}: {text}")

    def at_both(call):
        found = [call(at) for at in hessians.points_of(x)]
        return [np.append(np.asarray(g).ravel(), np.asarray(v)) for v, g in found]

    results = {name: attempt(name, partial(at_both, call), failed) for name, call in calls.items()}
    results = {name: found for name, found in results.items() if found is not None}
    wrong = disagreements(results)
    for sentence in wrong.values():
        failed(sentence)
    return {name: calls[name] for name in results if name not in wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="KEY", choices=hessians.PROBLEMS, help="some of the problems")
    parser.add_argument("--repeat", type=int, default=20, help="runs per peer, of which the best counts (default 20)")
    parser.add_argument("--seconds", type=float, default=6.0, help="stop a problem after this, if run 3 times")
    parser.add_argument("--processor-time", dest="clock", action="store_const", const=process_time,
                        default=perf_counter, help="the processor's clock, for a machine that is shared")  # fmt: skip
    parser.add_argument("--tiny", action="store_true", help="shrink every problem")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    args = parser.parse_args()
    peers = {peer.name: peer for peer in load_peers() if peer.name != "numpy"}
    head = ("value and gradient, ms", "jax", *COLUMNS, *(f"jax / {name}" for name in COLUMNS))
    hessians.print_head(head, args.markdown)
    ratios = {name: {} for name in COLUMNS}
    for key in args.only or hessians.PROBLEMS:
        problem = hessians.PROBLEMS[key]
        calls, x = calls_of(problem, peers, args.tiny)
        calls = agreeing(problem, calls, x)
        race = Race({name: partial(call, x) for name, call in calls.items()}, 0.01, args.clock)
        start = perf_counter()
        for done in range(args.repeat):
            if done >= 3 and perf_counter() - start > args.seconds:
                break
            race.run(1)
        found = {name: hessians.ratio(race.best, ("jax", name)) for name in COLUMNS}
        for name, value in found.items():
            if value is not None:
                ratios[name][key] = value
        cells = [race.best.get(name) for name in ("jax", *COLUMNS)] + [found[name] for name in COLUMNS]
        hessians.print_row([f"{problem.title(args.tiny)} ({key})", *map(hessians.cell, cells)], args.markdown)
    print_means(ratios)
    print("\n" + hessians.describe(list(peers), args))
    return 1 if hessians.failures else 0


def print_means(ratios):
    """Geometric means and worst ratios, of arrays and of all."""
    for title, left_out in (("of arrays", hessians.CALLS), ("all", frozenset())):
        print(f"\n{title}:")
        for name, by_key in ratios.items():
            kept = {key: value for key, value in by_key.items() if key not in left_out}
            if kept:
                mean = math.exp(sum(map(math.log, kept.values())) / len(kept))
                worst = min(kept, key=kept.get)
                print(f"jax / {name}: {mean:.3g} over {len(kept)} problems, worst {kept[worst]:.3g} ({worst})")


if __name__ == "__main__":
    sys.exit(main())
