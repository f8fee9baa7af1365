"""Time symgrad's tape beside PyTorch's, HIPS autograd's and, where it is a few lines, NumPy by hand.

    python tests/benchmarks/eager.py                      # everything, about four minutes
    python tests/benchmarks/eager.py --only chain --repeat 50
    python tests/benchmarks/eager.py --markdown           # the table of docs/benchmarks.md

The idea to hold: a workload is written once, as a function of a namespace `xp` (symgrad, torch or autograd.numpy), so
the peers run the same code; a `Tape` runs it by `backward()`, `Functional` by `grad(f)`. Before anything is timed, the
peers must agree.
"""

import argparse
import importlib
import subprocess
import sys
import tracemalloc
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from _timing import Race, machine

INSTALL = {
    "symgrad": "python -m pip install -e .",
    "torch": 'python -m pip install -e ".[compare]"',
    "autograd": 'python -m pip install -e ".[compare]"',
}

PASSES = 5

rng = np.random.default_rng(0)


# What is computed. `xp` is the namespace; the first parameter is differentiated.


def chain(xp, x, steps):
    """Five element-wise operations per step."""
    y = x
    for _ in range(steps):
        y = xp.sin(y) * x + xp.exp(-y)
    return y.sum()


def chain_of_tanh(xp, x, steps):
    """The same with a function that NumPy vectorises (its float64 sine and cosine are scalar code)."""
    y = x
    for _ in range(steps):
        y = xp.tanh(y) * x + xp.exp(-y)
    return y.sum()


def recurrence(xp, w, h):
    for _ in range(50):
        h = xp.tanh(h @ w)
    return h.sum()


def sines(xp, x):
    for _ in range(5000):
        x = xp.sin(x)
    return x.sum()


def mlp(xp, params, x, rows, labels):
    """Mean cross entropy of a network with one hidden layer."""
    w1, b1, w2, b2 = params
    z = xp.tanh(x @ w1 + b1) @ w2 + b2
    return (xp.logsumexp(z, 1) - z[rows, labels]).mean()


# The same by hand: the sweep a person would write, as the floor to compare with.


def chain_by_hand(x, steps):
    y, saved = x, []
    for _ in range(steps):
        e = np.exp(-y)
        saved.append((y, np.sin(y), e))
        y = saved[-1][1] * x + e
    total, g, gx = y.sum(), np.ones_like(x), np.zeros_like(x)
    for y, s, e in reversed(saved):
        gx += g * s
        g = g * (x * np.cos(y) - e)
    return total, gx + g


def chain_of_tanh_by_hand(x, steps):
    y, saved = x, []
    for _ in range(steps):
        saved.append((np.tanh(y), np.exp(-y)))
        y = saved[-1][0] * x + saved[-1][1]
    total, g, gx = y.sum(), np.ones_like(x), np.zeros_like(x)
    for s, e in reversed(saved):
        gx += g * s
        g = g * (x * (1 - s * s) - e)
    return total, gx + g


def recurrence_by_hand(w, h):
    saved = [h]
    for _ in range(50):
        h = np.tanh(h @ w)
        saved.append(h)
    g, gw = np.ones_like(h), np.zeros_like(w)
    for before, after in zip(saved[-2::-1], saved[:0:-1], strict=True):
        g = g * (1 - after * after)
        gw += before.T @ g
        g = g @ w.T
    return h.sum(), gw


def sines_by_hand(x):
    saved = []
    for _ in range(5000):
        saved.append(x)
        x = np.sin(x)
    g = np.ones_like(x)
    for before in reversed(saved):
        g = g * np.cos(before)
    return x.sum(), g


# How a peer runs it. `f` takes one array or a list of arrays and returns a scalar.


class Tape:
    """symgrad and PyTorch: the same calls, whichever module it is."""

    def __init__(self, name):
        self.name, self.xp = name, importlib.import_module(name)

    def constant(self, array):
        return self.xp.tensor(array)

    def leaves(self, arrays):
        return [self.xp.tensor(array, requires_grad=True) for array in arrays]

    def value_and_grad(self, f, arrays):
        leaves = self.leaves(arrays)

        def step():
            for leaf in leaves:
                leaf.grad = None
            value = f(self.xp, leaves)
            value.backward()
            return value, *[leaf.grad for leaf in leaves]

        return step

    def double_backward(self, f, arrays):
        leaves = self.leaves(arrays)
        grad = self.xp.autograd.grad

        def step():
            first = grad(f(self.xp, leaves), leaves, create_graph=True)
            return grad([g.sum() for g in first], leaves)

        return step

    def hvp(self, f, arrays, vectors):
        leaves, vectors = self.leaves(arrays), [self.constant(v) for v in vectors]
        grad = self.xp.autograd.grad

        def step():
            return grad(grad(f(self.xp, leaves), leaves, create_graph=True), leaves, grad_outputs=vectors)

        return step

    def numpy(self, result):
        return [tensor.detach().numpy() for tensor in result]

    def graph_bytes(self, f, arrays):
        """What the graph keeps alive between forward and backward, the leaves not counted.

        symgrad's arrays are NumPy's, which reports to tracemalloc. PyTorch's are not Python's, so the storages that its
        nodes save are added up, each once. Both counts are exact and repeatable; the size of the process is neither.
        """
        leaves = self.leaves(arrays)
        if self.name != "torch":
            return traced_bytes(lambda: f(self.xp, leaves))
        storages = {}

        def pack(tensor):
            storage = tensor.untyped_storage()
            storages[storage.data_ptr()] = storage  # held, so that its address is not used again
            return tensor.detach()

        with self.xp.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            out = f(self.xp, leaves)
        pack(out)
        for leaf in leaves:
            storages.pop(leaf.data_ptr(), None)
        return sum(storage.nbytes() for storage in storages.values())


class Functional:
    """HIPS autograd: derivatives are functions of functions."""

    name = "autograd"

    def __init__(self, _name="autograd"):
        self.ag = importlib.import_module("autograd")
        self.xp = importlib.import_module("autograd.numpy")
        self.xp.logsumexp = importlib.import_module("autograd.scipy.special").logsumexp

    def constant(self, array):
        return array

    def value_and_grad(self, f, arrays):
        both = self.ag.value_and_grad(lambda arrays: f(self.xp, arrays))

        def step():
            value, grads = both(arrays)
            return value, *grads

        return step

    def double_backward(self, f, arrays):
        first = self.ag.grad(lambda arrays: f(self.xp, arrays))
        second = self.ag.grad(lambda arrays: sum(g.sum() for g in first(arrays)))
        return lambda: second(arrays)

    def hvp(self, f, arrays, vectors):
        first = self.ag.grad(lambda arrays: f(self.xp, arrays))
        second = self.ag.grad(lambda arrays: sum((g * v).sum() for g, v in zip(first(arrays), vectors, strict=True)))
        return lambda: second(arrays)

    def numpy(self, result):
        return [np.asarray(array) for array in result]

    def graph_bytes(self, f, arrays):
        return traced_bytes(lambda: self.ag.make_vjp(lambda arrays: f(self.xp, arrays))(arrays))


class ByHand:
    """NumPy and the chain rule, no library."""

    name = "numpy"

    def numpy(self, result):
        return [np.asarray(array) for array in result]


def traced_bytes(record):
    """Bytes that `record()`'s result keeps alive, by tracemalloc. Run once before, so that caches are warm."""
    record()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    held = record()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del held
    return after - before


def small(*shape, dtype=np.float64):
    return (0.1 * rng.standard_normal(shape)).astype(dtype)


def workloads():
    """Yield (key, title, make): `make(peer)` returns the call to time, or None where the peer has no such form."""
    x8, x1e6, w, h = small(8), small(10**6), small(3, 3), small(3, 3)

    def single(run, array, by_hand=None):
        """Forward and backward of `run(xp, array)`."""

        def make(peer):
            if peer.name == "numpy":
                return by_hand and (lambda: by_hand(array))
            return peer.value_and_grad(lambda xp, arrays: run(xp, arrays[0]), [array])

        return make

    def chain20(xp, x):
        return chain(xp, x, 20)

    def recurrent(peer):
        if peer.name == "numpy":
            return lambda: recurrence_by_hand(w, h)
        start = peer.constant(h)
        return peer.value_and_grad(lambda xp, arrays: recurrence(xp, arrays[0], start), [w])

    def double(peer):
        return None if peer.name == "numpy" else peer.double_backward(lambda xp, arrays: chain20(xp, arrays[0]), [x8])

    params = [
        small(784, 256, dtype=np.float32),
        small(256, dtype=np.float32),
        small(256, 10, dtype=np.float32),
        small(10, dtype=np.float32),
    ]
    vectors = [small(*p.shape, dtype=np.float32) for p in params]
    images, rows, labels = small(256, 784, dtype=np.float32), np.arange(256), rng.integers(0, 10, 256)

    def network(peer):
        x, at, target = (peer.constant(a) for a in (images, rows, labels))
        return lambda xp, arrays: mlp(xp, arrays, x, at, target)

    def network_step(peer):
        return None if peer.name == "numpy" else peer.value_and_grad(network(peer), params)

    def network_hvp(peer):
        return None if peer.name == "numpy" else peer.hvp(network(peer), params, vectors)

    yield (
        "chain",
        "chain of 100 operations on 8 float64: forward + backward",
        single(chain20, x8, lambda x: chain_by_hand(x, 20)),
    )
    yield "chain2", "the same: double backward (forward and both sweeps)", double
    yield "recurrence", "50 × h = tanh(h @ w), 3×3: forward + backward", recurrent
    yield "long", "chain of 5,000 sines on 8 float64: forward + backward", single(sines, x8, sines_by_hand)
    yield "mlp", "MLP 784-256-10, batch 256, float32, cross entropy: forward + backward", network_step
    yield "mlp-hvp", "the same: Hessian-vector product", network_hvp
    yield (
        "large",
        "chain of 20 operations on 10⁶ float64: forward + backward",
        single(lambda xp, x: chain(xp, x, 4), x1e6, lambda x: chain_by_hand(x, 4)),
    )
    yield (
        "large-tanh",
        "the same with tanh for sin",
        single(lambda xp, x: chain_of_tanh(xp, x, 4), x1e6, lambda x: chain_of_tanh_by_hand(x, 4)),
    )


def check_agreement(title, peers, calls):
    """The peers compute the same thing, or there is nothing to compare."""
    results = {peer.name: peer.numpy(calls[peer.name]()) for peer in peers if peer.name in calls}
    reference_name, reference = next(iter(results.items()))
    for name, arrays in results.items():
        for ours, theirs in zip(reference, arrays, strict=True):
            tolerance = 1e-9 if ours.dtype == np.float64 else 1e-3
            scale = float(np.max(np.abs(ours), initial=0.0))
            np.testing.assert_allclose(
                theirs,
                ours,
                rtol=tolerance,
                atol=tolerance * scale,
                err_msg=f"{title}: {name} and {reference_name} disagree",
            )


def time_workloads(peers, only, repeat):
    """Time all workloads in several passes, so that the runs of each are spread over the whole time.

    A neighbour that is busy for half a minute then spoils some runs of every row and the minimum of none.
    """
    races = {}
    for key, title, make in workloads():
        if only and key not in only:
            continue
        calls = {peer.name: call for peer in peers if (call := make(peer))}
        check_agreement(title, peers, calls)
        races[title] = Race(calls)
    for _ in range(PASSES):
        for race in races.values():
            race.run(repeat // PASSES)
    for title, race in races.items():
        yield title, "ms", race.best


def measure_memory(peers):
    """Megabytes that the graph of 100 element-wise operations on 10⁶ float64 holds before backward."""
    x = small(10**6)
    held = {
        peer.name: peer.graph_bytes(lambda xp, arrays: chain(xp, arrays[0], 20), [x]) / 1e6
        for peer in peers
        if peer.name != "numpy"
    }
    return "graph of 100 operations on 10⁶ float64, before backward", "MB", held


def measure_import(peers):
    """Milliseconds from `import x` to its end, in a new process each: the least of ten."""
    best = {peer.name: float("inf") for peer in peers}
    for _ in range(10):
        for name in best:
            code = f"from time import perf_counter as t; s = t(); import {name}; print(t() - s)"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            best[name] = min(best[name], 1000 * float(done.stdout))
    return "import", "ms", best


def load_peers():
    """The peers that are installed; the others are named with the line that installs them."""
    peers = []
    for name, kind in (("symgrad", Tape), ("torch", Tape), ("autograd", Functional)):
        try:
            peer = kind(name)
        except ImportError:
            print(f"# {name} is missing: {INSTALL[name]}", file=sys.stderr)
            continue
        peers.append(peer)
    return [*peers, ByHand()]


def cell(value):
    return "–" if value is None else f"{value:.3g}" if value < 100 else f"{value:,.0f}"


NAMES = ("symgrad", "torch", "autograd", "numpy")
HEAD = ("workload", "unit", *NAMES, "torch / symgrad", "autograd / symgrad")


def table_rows(measurements):
    yield HEAD
    for title, unit, best in measurements:
        ours = best.get("symgrad")
        ratios = [f"{best[peer] / ours:.2f}" if ours and peer in best else "–" for peer in ("torch", "autograd")]
        yield [title, unit, *(cell(best.get(name)) for name in NAMES), *ratios]


def print_row(row, markdown):
    if markdown:
        print("| " + " | ".join(row) + " |", flush=True)
    else:
        cells = (f"{text:>{max(9, len(head) + 1)}}" for head, text in zip(HEAD[1:], row[1:], strict=True))
        print(f"{row[0]:<70}", *cells, flush=True)


def describe(peers, repeat):
    """The sentence under the table: machine, versions, method."""
    versions = []
    for name in (peer.name for peer in peers):
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name} (not installed)")
    threads = "".join(f" PyTorch with {peer.xp.get_num_threads()} threads." for peer in peers if peer.name == "torch")
    return (
        f"{machine()}; {', '.join(versions)}.{threads} One process, peers interleaved, minimum of {repeat} runs each, "
        "garbage collector on."
    )


def main():
    keys = [key for key, *_ in workloads()] + ["memory", "import"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=keys, metavar="KEY", help=f"some of: {', '.join(keys)}")
    parser.add_argument(
        "--repeat",
        type=int,
        default=40,
        help=f"runs per peer, of which the best counts; a multiple of {PASSES} (default 40)",
    )
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    args = parser.parse_args()
    if args.repeat < PASSES or args.repeat % PASSES:
        parser.error(f"--repeat must be a multiple of {PASSES}")

    peers = load_peers()

    def measurements():
        yield from time_workloads(peers, args.only, args.repeat)
        if not args.only or "memory" in args.only:
            yield measure_memory(peers)
        if not args.only or "import" in args.only:
            yield measure_import(peers)

    for number, row in enumerate(table_rows(measurements())):
        print_row(row, args.markdown)
        if args.markdown and number == 0:
            print_row(["---", "---", *["---:"] * 6], True)
    print("\n" + describe(peers, args.repeat))


if __name__ == "__main__":
    main()
