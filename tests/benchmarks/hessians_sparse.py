"""`hessians.py --sparse`: sparse Hessians, `sg.hessian(f, format="csr")` beside CasADi's SX.

The idea to hold: a sparse Hessian has two prices, of preparing it once for a function and of every evaluation; and
two sizes, non-zeros and peak memory. CasADi, compiled to a virtual machine and writing into a buffer, is the peer up to
`CASADI_LIMIT` variables; at every size, the product with a random vector is checked against a tape's double backward.
"""

import importlib
import math
import sys
import tracemalloc
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import scipy.sparse
from _sparse_problems import SPARSE
from _timing import Race
from hessians_peers import INSTALL, TOLERANCE, attempt, error_between

import symgrad as sg

CASADI_LIMIT = 10_000

HEAD = (
    "sparse Hessian", "variables", "non-zeros", "prepare, ms", "CasADi", "evaluate, ms", "compiled", "CasADi",
    "CasADi / evaluate", "CasADi / compiled", "ns / non-zero", "peak first, MB", "peak later, MB",
)  # fmt: skip


def nearby(x):
    return x * (1 + 0.01 * np.random.default_rng(1).standard_normal(x.shape))


class Casadi:
    """The Hessian of a function of SX symbols, as values of a fixed pattern."""

    def __init__(self):
        self.ca = importlib.import_module("casadi")
        self.xp = SimpleNamespace(sqrt=self.ca.sqrt, exp=self.ca.exp, sum=lambda v: self.ca.sum1(self.ca.sum2(v)))

    def prepare(self, f, shape, data):
        """Return `evaluate(x)`, which fills `self.values`."""
        ca = self.ca
        symbol = ca.SX.sym("x", math.prod(shape))
        x = symbol if len(shape) == 1 else ca.reshape(symbol, *shape[::-1]).T  # CasADi stores by columns
        H, _ = ca.hessian(f(self.xp, x, *(array.tolist() for array in data)), symbol)
        self.function = ca.Function("H", [symbol], [H])
        self.pattern = self.function.sparsity_out(0)
        self.values = np.zeros(self.pattern.nnz())
        buffer, run = self.function.buffer()
        self.point = np.zeros(math.prod(shape))
        buffer.set_arg(0, memoryview(self.point))
        buffer.set_res(0, memoryview(self.values))

        def evaluate(x):
            self.point[:] = x.ravel()
            run()

        evaluate.buffer = buffer  # what `run` writes through must outlive it
        return evaluate

    def matrix(self):
        rows, starts = self.pattern.row(), self.pattern.colind()
        return scipy.sparse.csc_array((self.values.copy(), rows, starts), shape=self.pattern.shape).tocsr()


def load_casadi():
    try:
        return Casadi()
    except ImportError:
        print(f"# casadi is missing: {INSTALL['casadi']}", file=sys.stderr)
        return None


def hessian_of(f, data):
    """A new function and its Hessian: nothing is remembered of the one before."""
    return sg.hessian(lambda x: f(sg, x, *data), format="csr")


def product_by_tape(f, data, x, v):
    """∇²f(x)v by double backward: by torch, or by symgrad's own tape where torch is not installed."""
    try:
        xp = importlib.import_module("torch")
    except ImportError:
        xp = sg
    leaf = xp.tensor(x, requires_grad=True)
    (g,) = xp.autograd.grad(f(xp, leaf, *map(xp.tensor, data)), leaf, create_graph=True)
    (h,) = xp.autograd.grad((g * xp.tensor(v)).sum(), leaf)
    return h.detach().numpy()


def peak(call):
    """Megabytes that `call()` has in use at its worst, and its result."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    result = call()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (most - before) / 1e6, result


def timed(call):
    start = perf_counter()
    result = call()
    return 1000 * (perf_counter() - start), result


def check(matrix, at, f, data, reference, failed):
    """Tell `failed` unless the matrix has the right kind, products, and CasADi's values."""
    if not scipy.sparse.issparse(matrix) or matrix.format != "csr":
        return failed(f"the result is {type(matrix).__name__}, not a SciPy matrix in csr format")
    v = np.random.default_rng(2).standard_normal(at.shape)
    error = error_between((matrix @ v.ravel()).reshape(at.shape), product_by_tape(f, data, at, v))
    if not error <= TOLERANCE:
        failed(f"the product with a vector is off by {error:.1e}")
    if reference is not None:
        difference = abs(matrix - reference).max() / abs(reference).max()
        if not difference <= TOLERANCE:
            failed(f"symgrad and CasADi differ by {difference:.1e}")
    return None


def measure_ours(f, x, data, reference, failed):
    """{what: value} of symgrad, and its call.

    It is checked at two points, as the pattern prepared at one must serve the other; both results are taken before
    either is checked, as the second must not have been written into the first.
    """
    H = hessian_of(f, data)
    prepare, matrix = timed(lambda: H(x))
    results = ((x, matrix), (nearby(x), H(nearby(x))))
    for at, result in results:
        check(result, at, f, data, reference and reference(at), failed)
    fresh = hessian_of(f, data)
    first, _ = peak(lambda: fresh(x))
    later, _ = peak(lambda: fresh(x))
    return {"prepare": prepare, "nnz": matrix.nnz, "first": first, "later": later}, lambda: H(x)


def measure(maker, n, casadi, args, failed):
    """{what: value}; what a peer cannot do is absent."""
    f, x, data = maker(n)
    found, calls, reference = {"n": x.size}, {}, None
    if casadi and x.size <= CASADI_LIMIT:
        found["casadi prepare"], evaluate = timed(lambda: casadi.prepare(f, x.shape, data))

        def reference(at):
            evaluate(at)
            return casadi.matrix()

        calls["casadi"] = lambda: evaluate(x)
    ours = attempt("symgrad", lambda: measure_ours(f, x, data, reference, failed), failed)
    if ours is not None:
        found.update(ours[0])
        calls["symgrad"] = ours[1]
        compiled = sg.compile(lambda x: f(sg, x, *data), "h", format="csr")
        if error_between(compiled(x).data, ours[1]().data) > TOLERANCE:
            failed("the compiled function gives another matrix")
        calls["compiled"] = lambda: compiled(x)
    if args.check:
        return found
    race = Race(calls)
    start = perf_counter()
    for done in range(args.repeat):
        if done >= 3 and perf_counter() - start > args.seconds:
            break
        race.run(1)
    return {**found, **race.best}


def warm_up():
    """Load what the first sparse Hessian of a process loads."""
    x = np.arange(1.0, 5.0)
    hessian_of(lambda xp, x: xp.sum(x[1:] * x[:-1]), ())(x)


def time_sparse(args, table, report_failure):
    """Print the table; `table` is the module that prints rows."""
    if unknown := set(args.only or ()) - set(SPARSE):
        sys.exit(f"no problem is named {', '.join(sorted(unknown))}; there are {', '.join(SPARSE)}")
    casadi = load_casadi()
    attempt("symgrad", warm_up, report_failure)
    table.print_head(HEAD, args.markdown)
    sizes = [100] if args.tiny else args.sizes
    for key in args.only or SPARSE:
        title, maker = SPARSE[key]
        for n in sizes:
            found = measure(maker, n, casadi, args, lambda text, where=(key, n): report_failure(f"{where}: {text}"))
            ours, theirs = found.get("symgrad"), found.get("casadi")
            per_entry = 1e6 * ours / found["nnz"] if ours else None
            compiled = found.get("compiled")
            ratios = (theirs / other if theirs and other else None for other in (ours, compiled))
            before = (found.get("prepare"), found.get("casadi prepare"), ours, compiled, theirs)
            values = (*before, *ratios, per_entry, found.get("first"), found.get("later"))
            counts = (f"{found[what]:,}" if what in found else "–" for what in ("n", "nnz"))
            table.print_row([f"{title} ({key})", *counts, *map(table.cell, values)], args.markdown)
    print("\nPrepare: the first call on a new function, in a process that has made a small sparse Hessian before. "
          "Evaluate: later calls; symgrad returns a matrix, CasADi fills an array of its entries. Peak memory by "
          "tracemalloc.\n" + table.describe(["symgrad", "casadi", "torch"], args))  # fmt: skip
