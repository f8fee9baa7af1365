"""Time gradients of NumPy programs beside HIPS autograd's and JAX's, and beside the programs themselves.

    python tests/benchmarks/numpy_programs.py                      # everything, some minutes
    python tests/benchmarks/numpy_programs.py --only fluid garch   # some of it
    python tests/benchmarks/numpy_programs.py --markdown           # the tables of docs/benchmarks.md
    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/numpy_programs.py --processor-time  # on a machine that is shared

The idea to hold: a program is written once, as a function of a namespace `xp` (numpy, autograd.numpy, jax.numpy), and
differentiated as its user would; arrays of NumPy go in. Before anything is timed, the peers must agree with each other,
and with a difference of two runs of the program. symgrad is given `numpy` itself wherever the program makes no arrays
of what is differentiated, else `symgrad.numpy`.
"""

import argparse
import importlib
import sys
from functools import partial
from importlib.metadata import version
from time import perf_counter, process_time

import numpy as np
from _numpy_problems import Program, garch, garch_by_scan, garch_in_list, programs, tanh, writes
from _timing import Race, machine

import symgrad as sg

COLUMNS = ("symgrad", "autograd", "jax", "jax.jit", "program in NumPy")


class Symgrad:
    """NumPy's own functions, or those of `symgrad.numpy` where arrays are made of what is differentiated."""

    name, library = "symgrad", sg

    def __init__(self):
        import symgrad.numpy

        self.own = symgrad.numpy

    def namespace(self, makes_arrays):
        return self.own if makes_arrays else np

    def ready(self, result):
        return result

    def transformed(self, transform, f):
        return getattr(self.library, transform)(f)


class HIPSAutograd(Symgrad):
    name = "autograd"

    def __init__(self):
        self.library, self.own = importlib.import_module("autograd"), importlib.import_module("autograd.numpy")

    def namespace(self, makes_arrays):
        return self.own


class JAX(HIPSAutograd):
    """Operation by operation, or compiled; a call ends when its result is there."""

    def __init__(self, compiled=False):
        self.name = "jax.jit" if compiled else "jax"
        self.library, self.own = importlib.import_module("jax"), importlib.import_module("jax.numpy")
        self.library.config.update("jax_enable_x64", True)
        self.compiled = compiled

    def ready(self, result):
        return self.library.block_until_ready(result)

    def transformed(self, transform, f):
        made = super().transformed(transform, f)
        return self.library.jit(made) if self.compiled else made


def load_peers():
    peers = [Symgrad()]
    for make in (HIPSAutograd, JAX, lambda: JAX(compiled=True)):
        try:
            peers.append(make())
        except ImportError as error:
            print(f'# {error.name} is missing: python -m pip install -e ".[compare]"', file=sys.stderr)
    return peers


# What is timed.


def own_copy(tree):
    """Arrays for one run of a program that may write to its argument."""
    return {key: own_copy(a) for key, a in tree.items()} if isinstance(tree, dict) else np.array(tree)


def call_of(peer, transform, program, function):
    run = peer.transformed(transform, partial(function, peer.namespace(program.makes_arrays)))
    at, data = program.at, program.data
    if isinstance(peer, JAX):  # which compiles for data of these shapes; indices are arrays to it, too
        at, data = peer.library.tree.map(peer.own.asarray, (at, data))
    return lambda: peer.ready(run(at, *data))


def sixth_derivative(peer):
    f, x = partial(tanh, peer.namespace(False)), np.linspace(-3, 3, 200)
    for _ in range(6):
        f = peer.transformed("grad", lambda x, f=f: f(x).sum())
    return lambda: peer.ready(f(x))


def flat(tree):
    if isinstance(tree, dict):
        tree = [tree[key] for key in sorted(tree)]
    return np.concatenate([flat(t) for t in tree]) if isinstance(tree, list | tuple) else np.ravel(np.asarray(tree))


def check(title, calls, truth=None):
    """The peers compute the same, and, where one is given, what a difference of two runs says."""
    found = {name: flat(call()) for name, call in calls.items()}
    reference = found["symgrad"]
    for name, result in found.items():
        scale = np.abs(reference).max()
        np.testing.assert_allclose(result, reference, 1e-8, 1e-9 * scale, err_msg=f"{title}: {name} differs")
    if truth is not None:
        direction, difference = truth
        np.testing.assert_allclose(reference[-direction.size :] @ direction, difference, 1e-5, err_msg=title)


def by_difference(program, function, width=1e-6):
    """A direction, and how fast the program changes along it."""
    rng = np.random.default_rng(1)
    ways = {key: rng.normal(size=np.shape(a)) for key, a in parts(program.at)}

    def moved(by):
        new = {key: a + by * ways[key] for key, a in parts(program.at)}
        return new if isinstance(program.at, dict) else new[None]

    ends = [function(np, moved(by), *program.data) for by in (width, -width)]
    return flat(ways), (ends[0] - ends[1]) / (2 * width)


def parts(tree):
    return tree.items() if isinstance(tree, dict) else [(None, tree)]


def raced(title, calls, args, truth=None):
    """Check, time, and return one row: title, and least milliseconds by name."""
    check(title, {name: call for name, call in calls.items() if name != COLUMNS[-1]}, truth)
    race, start = Race(calls, clock=args.clock), perf_counter()
    for done in range(args.repeat):
        if done >= 3 and perf_counter() - start > args.seconds:
            break
        race.run(1)
    return title, race.best


def rows_of_programs(peers, args):
    if wanted("tanh", args):
        yield raced(
            "tanh by exponentials: sixth derivative at 200 points", {p.name: sixth_derivative(p) for p in peers}, args
        )
    for program in programs():
        if not wanted(program.key, args):
            continue
        truth = by_difference(program, program.function)
        itself = partial(program.function, np)
        for transform, words in (("grad", "gradient"), ("value_and_grad", "value and gradient")):
            calls = {p.name: call_of(p, transform, program, program.function) for p in peers}
            calls[COLUMNS[-1]] = lambda f=itself, p=program: f(p.at, *p.data)
            yield raced(f"{program.title}: {words}", calls, args, truth)
        if program.written:
            calls = {"symgrad": call_of(peers[0], "grad", program, program.written)}
            calls[COLUMNS[-1]] = lambda p=program: p.written(np, own_copy(p.at), *p.data)
            yield raced("… gradient, where it writes to arrays", calls, args, truth)


def rows_of_loops(peers, args):
    """The likelihood of a loop, and scalar writes: (title, peer, milliseconds, the program's milliseconds)."""
    found = {p.name: p for p in peers}
    if wanted("garch", args):
        r, p = np.random.default_rng(2).normal(size=1000), np.array([0.1, 0.08, 0.85])
        ways = [("symgrad", garch, "fills an array"), ("autograd", garch_in_list, "fills a list")]
        ways.append(("jax.jit", garch_by_scan, "is a lax.scan"))
        calls, words = {}, {}
        for name, function, how in ways:
            if name in found:
                peer = found[name]
                run = peer.transformed("grad", partial(function, peer.namespace(True)))
                calls[name], words[name] = lambda run=run, peer=peer: peer.ready(run(p, r)), how
        calls[COLUMNS[-1]] = lambda: garch(np, p, r)
        _, best = raced("GARCH", calls, args, by_difference(Program("garch", "GARCH", garch, p, (r,)), garch))
        for name, how in words.items():
            yield f"GARCH(1, 1), 1000 steps, gradient: {name}, the program {how}", best[name], best[COLUMNS[-1]], 1000
    if wanted("writes", args):
        import symgrad.numpy

        x = np.array([0.3, 0.9])
        for n in (1000, 2000, 4000):
            gradient = sg.grad(lambda x, n=n: writes(symgrad.numpy, x, n))
            calls = {"symgrad": lambda g=gradient: g(x), COLUMNS[-1]: lambda n=n: writes(np, x, n)}
            truth = by_difference(Program("writes", f"{n} writes", writes, x, (n,)), writes)
            _, best = raced(f"{n} writes", calls, args, truth)
            yield f"{n} scalar writes, gradient: symgrad", best["symgrad"], best[COLUMNS[-1]], n


OPERATIONS = {
    "sine": (lambda x: np.sin(x), lambda t: t.sin()),
    "product": (lambda x: x * x, lambda t: t * t),
    "sum": (lambda x: np.sum(x), lambda t: t.sum()),
    "part": (lambda x: x[1:], lambda t: t[1:]),
}


def rows_of_operations(peers, args):
    """Microseconds of one operation on eight numbers, recorded, wherever it is written."""
    if not wanted("operations", args):
        return
    x = np.random.default_rng(3).normal(size=8)
    t = sg.tensor(x, requires_grad=True)
    hips = next((p for p in peers if p.name == "autograd"), None)
    for name, (of_numpy, of_tensor) in OPERATIONS.items():
        best = {}

        def timed(key, call, best=best):
            race = Race({key: call}, 0.005, args.clock)
            race.run(args.repeat)
            best[key] = 1000 * race.best[key]

        def inside(x, of_numpy=of_numpy, timed=timed):
            timed("array inside sg.grad, NumPy", lambda: of_numpy(x))
            return (x * x).sum()

        timed("array", lambda f=of_numpy: f(x))
        timed("tensor, method", lambda f=of_tensor: f(t))
        timed("tensor, NumPy", lambda f=of_numpy: f(t))
        sg.grad(inside)(x)
        if hips:
            theirs = {"sine": hips.own.sin, "sum": hips.own.sum}.get(name, of_numpy)

            def inside_autograd(x, theirs=theirs, timed=timed):
                timed("array inside autograd.grad", lambda: theirs(x))
                return (x * x).sum()

            hips.library.grad(inside_autograd)(x)
        yield name, best


# What is printed.


def wanted(key, args):
    return not args.only or key in args.only


def cell(value):
    return "–" if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


def ratio(best, over, under):
    return best[over] / best[under] if over in best and under in best else None


def print_row(cells, markdown):
    if markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
    else:
        print(f"{cells[0]:<82}", *(f"{text:>{max(9, len(text))}}" for text in cells[1:]), flush=True)


def print_table(head, rows, markdown):
    """The head comes with the first row, so that nothing is printed of a table that was not asked for."""
    printed = False
    for row in rows:
        if not printed:
            print_row(head, markdown)
            if markdown:
                print_row(["---", *["---:"] * (len(head) - 1)], True)
        printed = True
        print_row(row, markdown)
    if printed:
        print()


def main():
    keys = ["tanh", *(p.key for p in programs()), "operations", "garch", "writes"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=keys, metavar="KEY", help=f"some of: {', '.join(keys)}")
    parser.add_argument("--repeat", type=int, default=10, help="runs per peer, of which the best counts (default 10)")
    parser.add_argument("--seconds", type=float, default=20.0, help="a row starts no runs after these (default 20)")
    parser.add_argument("--markdown", action="store_true", help="print the tables of docs/benchmarks.md")
    parser.add_argument(
        "--processor-time", dest="clock", action="store_const", const=process_time, default=perf_counter,
        help="time that the processor was at work here, on all threads, in place of time on the clock",
    )  # fmt: skip
    args = parser.parse_args()
    peers = load_peers()

    head = ["ms", *COLUMNS, "autograd / symgrad", "jax / symgrad", "jax.jit / symgrad", "symgrad / program"]
    pairs = (*((other, "symgrad") for other in COLUMNS[1:4]), ("symgrad", COLUMNS[-1]))
    print_table(
        head,
        (
            [title, *(cell(best.get(c)) for c in COLUMNS), *(cell(ratio(best, *pair)) for pair in pairs)]
            for title, best in rows_of_programs(peers, args)
        ),
        args.markdown,
    )
    places = ["array", "tensor, method", "tensor, NumPy", "array inside sg.grad, NumPy", "array inside autograd.grad"]
    print_table(
        ["µs, eight numbers", *places],
        ([name, *(cell(best.get(place)) for place in places)] for name, best in rows_of_operations(peers, args)),
        args.markdown,
    )
    print_table(
        ["loop", "ms", "the program in NumPy, ms", "gradient / program", "µs a step"],
        (
            [title, cell(ms), cell(program), cell(ms / program), cell(1000 * ms / steps)]
            for title, ms, program, steps in rows_of_loops(peers, args)
        ),
        args.markdown,
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("symgrad", "autograd", "jax", "numpy"))
    clock = "the processor's time, " if args.clock is process_time else ""
    print(
        f"{machine()}; {versions}. float64, one process, peers interleaved, {clock}minimum of up to {args.repeat} runs "
        "each, garbage collector on."
    )


if __name__ == "__main__":
    main()
