"""Time Hessians: symgrad beside JAX, PyTorch and NumPy by hand; sparse ones beside CasADi; products and series.

    python tests/benchmarks/hessians.py                        # dense Hessians, some fifteen minutes
    python tests/benchmarks/hessians.py --only logistic mlp50 --repeat 10
    python tests/benchmarks/hessians.py --tiny                 # every problem shrunk: do the peers agree?
    python tests/benchmarks/hessians.py --sparse               # format="csr" beside CasADi, to 10⁶ variables
    python tests/benchmarks/hessians.py --products             # gradients, hvp, laplacian, taylor, vmap
    python tests/benchmarks/hessians.py --markdown             # a table for docs/benchmarks.md

The idea to hold: a Hessian is timed as its user calls it, array in and array out. Peers must agree at two points before
they are timed: a program prepared at the first point has to be right at the second. A peer that fails or differs is
reported, the others are timed, and the exit status is 1.
"""

import argparse
import math
import sys
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter, process_time

import hessians_by_hand as by_hand
import hessians_sciences
import hessians_statistics
import numpy as np
from _dense_problems import PROBLEMS
from _timing import Race, machine
from hessians_peers import attempt, disagreements, load_peers

BARS = {"jax": 0.9, "numpy": 1.5}
"""JAX may not be faster than 0.9 of our time; we may not take more than 1.5 times NumPy's."""

REGISTERED_BY = (hessians_sciences, hessians_statistics)  # importing them registers their problems

failures: list[str] = []
"""What disagreed or raised; the exit status is 1 if there is any."""


def report_failure(text):
    failures.append(text)
    print(f"# {text}", file=sys.stderr, flush=True)


def points_of(x):
    """Where the problem says, and a place near it."""
    u = np.random.default_rng(1).standard_normal(x.shape)
    return x, x * (1 + 0.01 * u)


def calls_of(problem, peers, tiny):
    """{peer: its Hessian as a function of one NumPy array, converting included as the peer's user would}."""
    f, x, data = problem.make(tiny)
    calls = {}
    for peer in peers:
        if peer.name in problem.without and not tiny:
            print(f"# {problem.key} without {peer.name}: {problem.without[peer.name]}", file=sys.stderr)
            continue
        constants = [peer.constant(array) for array in data]
        if peer.name != "numpy":
            calls[peer.name] = (peer.hessian(f, constants), peer.point)
        elif hessian := getattr(by_hand, problem.by_hand, None):
            calls[peer.name] = (lambda x, hessian=hessian, data=constants: hessian(x, *data), peer.point)
    return calls, x


def agreeing(problem, calls, x):
    """Leave out the peers that raise or differ, at either of two points, and report them."""

    def failed(text):
        report_failure(f"{problem.key}: {text}")

    def at_both(hessian, point):  # nothing is copied: a result whose memory the second call reuses must be noticed
        return [np.asarray(hessian(point(at))) for at in points_of(x)]

    results = {name: attempt(name, lambda call=call: at_both(*call), failed) for name, call in calls.items()}
    results = {name: result for name, result in results.items() if result is not None}
    wrong = disagreements(results)
    for sentence in wrong.values():
        failed(sentence)
    return {name: calls[name] for name in results if name not in wrong}


def called_until_repeated(hessian, point, x):
    """Call it until it has its program: a race of few rounds would end before."""
    start = perf_counter()
    for _ in range(250):
        hessian(point(x))
        if perf_counter() - start > 5:
            break


def time_problem(problem, peers, args):
    """{peer: least milliseconds}; no peer's runs go on when the problem has had its seconds, once it has three."""
    calls, x = calls_of(problem, peers, args.tiny)
    calls = agreeing(problem, calls, x)
    if args.check:
        return dict.fromkeys(calls, math.nan)
    called_until_repeated(*calls.get("symgrad", (np.copy, np.copy)), x)
    race = Race({name: partial(hessian, point(x)) for name, (hessian, point) in calls.items()}, 0.01, args.clock)
    start = perf_counter()
    for done in range(args.repeat):
        if done >= 3 and perf_counter() - start > args.seconds:
            break
        race.run(1)
    return race.best


# The table -----------------------------------------------------------------------------------------------------------

NAMES = ("symgrad", "compiled", "numba", "jax", "torch", "numpy")
RATIOS = (("jax", "symgrad"), ("torch", "symgrad"), ("symgrad", "numpy"), ("jax", "compiled"), ("jax", "numba"))
HEAD = ("Hessian, ms", *NAMES, *(" / ".join(pair) for pair in RATIOS), "bars")


def cell(value):
    if value is None:
        return "–"
    if math.isnan(value):
        return "agrees"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def ratio(best, pair):
    over, under = (best.get(name) for name in pair)
    return over / under if over and under and not math.isnan(over) else None


def missed_bars(best):
    """The peers whose bar we miss."""
    missed = []
    for pair in RATIOS:
        value = ratio(best, pair)
        if value is None:
            continue
        if pair[0] == "jax" and value < BARS["jax"]:
            missed.append("jax")
        if pair[1] == "numpy" and value > BARS["numpy"]:
            missed.append("numpy")
    return missed


def print_row(cells, markdown, width=84):
    if markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
    else:
        print(f"{cells[0]:<{width}}", *(f"{text:>16}" for text in cells[1:]), flush=True)


def print_head(head, markdown):
    print_row(head, markdown)
    if markdown:
        print_row(["---", *["---:"] * (len(head) - 1)], True)


CALLS = frozenset(["pendulum", "himmelblau", "beale", "ackley", "styblinski", "garch", "kalman15", "kalman"])
"""Functions of a few numbers, and loops over numbers: there the calls of Python functions are all there is."""


def print_summary(found):
    """Geometric means, worst ratios, problems that miss a bar."""
    arrays = {key: best for key, best in found.items() if key not in CALLS}
    if 0 < len(arrays) < len(found):
        print("\nof arrays (without functions of a few numbers, and loops over numbers):")
        print_means(arrays)
        print("\nall:")
    else:
        print()
    print_means(found)
    if failures:
        print(f"failures: {len(failures)}", *failures, sep="\n  ")


def print_means(found):
    for pair in RATIOS:
        values = {key: value for key, best in found.items() if (value := ratio(best, pair)) is not None}
        if not values:
            continue
        mean = math.exp(sum(map(math.log, values.values())) / len(values))
        worst = (max if pair[0] == "symgrad" else min)(values, key=values.get)
        print(f"{' / '.join(pair)}: geometric mean {mean:.3g} over {len(values)} problems, "
              f"worst {values[worst]:.3g} ({worst})")  # fmt: skip
    for name, sentence in (("jax", f"jax / symgrad < {BARS['jax']}"), ("numpy", f"symgrad / numpy > {BARS['numpy']}")):
        keys = [key for key, best in found.items() if name in missed_bars(best)]
        raced = sum(name in best and "symgrad" in best for best in found.values())
        print(f"{sentence}: {len(keys)} of {raced}: {' '.join(keys) or 'none'}")


def describe(names, args):
    """The sentence under a table: machine, versions, method."""
    versions = []
    for name in (*[name for name in names if name != "compiled"], "scipy"):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name} (not installed)")
    return (f"{machine()}; {', '.join(versions)}. float64, one process, peers interleaved, minimum of up to "
            f"{args.repeat} runs each, garbage collector on.")  # fmt: skip


def time_dense(args):
    if args.list:
        for key, problem in PROBLEMS.items():
            print(f"{key:<24}{problem.title()}")
        return
    peers = load_peers(args.peers)
    print_head(HEAD, args.markdown)
    found = {}
    for key in args.only or PROBLEMS:
        problem = PROBLEMS[key]
        best = found[key] = time_problem(problem, peers, args)
        ratios = (ratio(best, pair) for pair in RATIOS)
        bars = "misses " + ", ".join(missed_bars(best)) if missed_bars(best) else ""
        cells = (cell(best.get(name)) for name in NAMES)
        print_row([f"{problem.title(args.tiny)} ({key})", *cells, *map(cell, ratios), bars], args.markdown)
    if not args.check:
        print_summary(found)
    print("\n" + describe([peer.name for peer in peers], args))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--sparse", action="store_true", help="sparse Hessians instead of dense ones")
    part.add_argument("--products", action="store_true", help="gradients, products, series and batches instead")
    parser.add_argument("--only", nargs="+", metavar="KEY", help="some of the problems; --list names the dense ones")
    parser.add_argument("--list", action="store_true", help="name the dense problems and stop")
    parser.add_argument("--peers", nargs="+", choices=NAMES, default=NAMES, help="some of the peers")
    parser.add_argument("--repeat", type=int, default=20, help="runs per peer, of which the best counts (default 20)")
    parser.add_argument("--seconds", type=float, default=15.0, help="stop a problem after this, if run 3 times")
    parser.add_argument("--processor-time", dest="clock", action="store_const", const=process_time,
                        default=perf_counter, help="the processor's clock, for a machine that is shared")  # fmt: skip
    parser.add_argument("--tiny", action="store_true", help="shrink every problem")
    parser.add_argument("--check", action="store_true", help="see whether the peers agree, and time nothing")
    parser.add_argument(
        "--sizes",
        nargs="+",
        type=int,
        default=[1000, 10_000, 1_000_000],
        help="with --sparse: numbers of variables (default 10³, 10⁴, 10⁶; --tiny 100)",
    )
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    args = parser.parse_args()
    if args.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not (args.sparse or args.products) and (unknown := set(args.only or ()) - set(PROBLEMS)):
        parser.error(f"no problem is named {', '.join(sorted(unknown))}; --list names them")
    return args


def main():
    args = parse_arguments()
    if args.sparse:
        from hessians_sparse import time_sparse

        time_sparse(args, sys.modules[__name__], report_failure)
    elif args.products:
        from hessians_products import time_products

        time_products(args, sys.modules[__name__], report_failure)
    else:
        time_dense(args)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
