"""PyTorch as the judge of random programs on large arrays (`tests/properties/_large_programs.py`)."""

import numpy as np
import torch

from ..properties._large_runs import functions, run


def _leaves(arrays, wrt):
    return [torch.tensor(a, requires_grad=k in wrt) for k, a in enumerate(arrays)]


def _gradients(outputs, leaves, seeds=None, **options):
    """Gradients, zeros for what nothing depends on."""
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    seeds = seeds or [None] * len(outputs)
    live = [(y, s) for y, s in zip(outputs, seeds, strict=True) if y.requires_grad]
    if not live:
        return tuple(torch.zeros_like(x) for x in leaves)
    options.update(allow_unused=True, materialize_grads=True)
    return torch.autograd.grad([y for y, _ in live], leaves, [s for _, s in live], **options)


class Transforms:
    """symgrad's functions of functions, by PyTorch's autograd: ``T`` of the programs."""

    @staticmethod
    def value_and_grad(f, argnums=0):
        wrt = argnums if isinstance(argnums, tuple) else (argnums,)

        def both(*arrays):
            leaves = _leaves(arrays, wrt)
            y = f(*leaves)
            g = _gradients(y, [leaves[k] for k in wrt])
            return y, (g if isinstance(argnums, tuple) else g[0])

        return both

    @classmethod
    def grad(cls, f, argnums=0):
        return lambda *arrays: cls.value_and_grad(f, argnums)(*arrays)[1]

    @staticmethod
    def vjp(f, *arrays):
        leaves = _leaves(arrays, range(len(arrays)))
        out = f(*leaves)

        def pull(seed):
            seeds = seed if isinstance(out, tuple) else (seed,)
            return _gradients(out, leaves, [torch.tensor(s) for s in seeds], retain_graph=True)

        return out, pull

    @staticmethod
    def jvp(f, arrays, tangents):
        leaves = _leaves(arrays, range(len(arrays)))
        out = f(*leaves)
        outputs = out if isinstance(out, tuple) else (out,)
        moved = []
        for y in outputs:  # the transpose of the transpose
            u = torch.zeros_like(y, requires_grad=True)
            g = _gradients(y, leaves, [u], create_graph=True)
            moved += _gradients(sum((a * torch.tensor(t)).sum() for a, t in zip(g, tangents, strict=True)), [u])
        return out, (tuple(moved) if isinstance(out, tuple) else moved[0])

    @staticmethod
    def hvp(f, array, direction):
        (x,) = _leaves([array], [0])
        (g,) = _gradients(f(x), [x], create_graph=True)
        return _gradients(g, [x], [torch.tensor(direction)])[0]

    @classmethod
    def hessian(cls, f, format="dense"):
        return lambda a: torch.stack([cls.hvp(f, a, e) for e in np.eye(len(a), dtype=a.dtype)])


class PyTorch:
    """The names that programs call."""

    names = {  # noqa: RUF012
        "L": torch, "F": torch.nn.functional, "T": Transforms, "np": np, "G": False, "own": torch.clone,
        **functions(torch),
    }  # fmt: skip

    tensor = staticmethod(torch.from_numpy)

    @staticmethod
    def given(arrays):
        return {k: np.array(a, order="C") for k, a in arrays.items()}

    @staticmethod
    def array(t):
        return (t.detach() + 0).numpy() if isinstance(t, torch.Tensor) else np.asarray(t)  # some zeros have no memory


def by_torch(program):
    """The numbers of a program by PyTorch, or what it raised."""
    before = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    try:
        return run(program, PyTorch)[1]
    finally:
        torch.set_default_dtype(before[0])
        torch.set_num_threads(before[1])
