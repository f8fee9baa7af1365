"""PyTorch as the judge of random programs on large arrays (`tests/properties/_large_programs.py`).

PyTorch is an argument everywhere: nothing here imports it.
"""

import functools

import numpy as np

from ..properties._large_runs import functions, run


class Transforms:
    """symgrad's functions of functions, by PyTorch's autograd: ``T`` of the programs."""

    def __init__(self, torch):
        self.torch = torch

    def leaves(self, arrays, wrt):
        return [self.torch.tensor(a, requires_grad=k in wrt) for k, a in enumerate(arrays)]

    def gradients(self, outputs, leaves, seeds=None, **options):
        """Gradients, zeros for what nothing depends on."""
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        seeds = seeds or [None] * len(outputs)
        live = [(y, s) for y, s in zip(outputs, seeds, strict=True) if y.requires_grad]
        if not live:
            return tuple(self.torch.zeros_like(x) for x in leaves)
        options.update(allow_unused=True, materialize_grads=True)
        return self.torch.autograd.grad([y for y, _ in live], leaves, [s for _, s in live], **options)

    def value_and_grad(self, f, argnums=0):
        wrt = argnums if isinstance(argnums, tuple) else (argnums,)

        def both(*arrays):
            leaves = self.leaves(arrays, wrt)
            y = f(*leaves)
            g = self.gradients(y, [leaves[k] for k in wrt])
            return y, (g if isinstance(argnums, tuple) else g[0])

        return both

    def grad(self, f, argnums=0):
        return lambda *arrays: self.value_and_grad(f, argnums)(*arrays)[1]

    def vjp(self, f, *arrays):
        leaves = self.leaves(arrays, range(len(arrays)))
        out = f(*leaves)

        def pull(seed):
            seeds = seed if isinstance(out, tuple) else (seed,)
            return self.gradients(out, leaves, [self.torch.tensor(s) for s in seeds], retain_graph=True)

        return out, pull

    def jvp(self, f, arrays, tangents):
        torch = self.torch
        leaves = self.leaves(arrays, range(len(arrays)))
        out = f(*leaves)
        outputs = out if isinstance(out, tuple) else (out,)
        moved = []
        for y in outputs:  # the transpose of the transpose
            u = torch.zeros_like(y, requires_grad=True)
            g = self.gradients(y, leaves, [u], create_graph=True)
            moved += self.gradients(sum((a * torch.tensor(t)).sum() for a, t in zip(g, tangents, strict=True)), [u])
        return out, (tuple(moved) if isinstance(out, tuple) else moved[0])

    def hvp(self, f, array, direction):
        (x,) = self.leaves([array], [0])
        (g,) = self.gradients(f(x), [x], create_graph=True)
        return self.gradients(g, [x], [self.torch.tensor(direction)])[0]

    def hessian(self, f, format="dense"):
        return lambda a: self.torch.stack([self.hvp(f, a, e) for e in np.eye(len(a), dtype=a.dtype)])


class PyTorch:
    """The names that programs call."""

    def __init__(self, torch):
        self.tensor = torch.from_numpy
        self.names = {
            "L": torch, "F": torch.nn.functional, "T": Transforms(torch), "np": np, "G": False, "own": torch.clone,
            **functions(torch),
        }  # fmt: skip

    @staticmethod
    def given(arrays):
        return {k: np.array(a, order="C") for k, a in arrays.items()}

    @staticmethod
    def array(t):
        return (t.detach() + 0).numpy() if hasattr(t, "detach") else np.asarray(t)  # some zeros have no memory


def by_torch(torch, program):
    """The numbers of a program by PyTorch, or what it raised."""
    before = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    try:
        return run(program, PyTorch(torch))[1]
    finally:
        torch.set_default_dtype(before[0])
        torch.set_num_threads(before[1])


# What is stored of large arrays --------------------------------------------------------------------------------------

PARTS = 32
"""Sums that stand for an array; each entry is in one of them."""


@functools.cache
def _weights(size):
    """Factors from 1 to 2, of either sign, and where the parts begin."""
    rng = np.random.default_rng(0)
    factors = (1 + rng.random(size)) * np.where(rng.random(size) < 0.5, -1, 1)
    return factors, np.unique(np.linspace(0, size, PARTS, endpoint=False).astype(int))


def summed(numbers):
    """Each array as its shape, its largest number, and weighted sums of its parts."""
    found = {}
    for name, a in numbers.items():
        found[name] = None
        if a is not None:
            factors, begins = _weights(a.size)
            kind = a.dtype.type if a.dtype.kind == "f" else np.float64
            sums = np.add.reduceat(factors * a.reshape(-1), begins) if a.size else np.zeros(0)
            found[name] = a.shape, kind(np.abs(a).max(initial=0)), sums.astype(kind)
    return found


def unlike(numbers, sums, tolerance):
    """Yield where numbers differ from what is summed: one wrong entry shows as it would beside the array itself."""
    mine = summed(numbers)
    for name in {**mine, **sums}:
        x, y = mine.get(name), sums.get(name)
        if x is None or y is None:
            unasked = name.startswith("node")  # whether a node works out what nobody wants
            if (x or y or (0, 0))[1] and not unasked:
                yield name, f"only one library has it, of {x or y}"
        elif x[0] != y[0]:
            yield name, f"of the shapes {x[0]} and {y[0]}"
        else:
            off = np.abs(x[2].astype(float) - y[2])
            if not off.max(initial=0) <= tolerance * max(1.0, y[1]):  # not: NaN is a difference
                yield name, f"sums of {len(off)} parts of {x[0]} are off by {off.tolist()}; the largest number: {y[1]}"
