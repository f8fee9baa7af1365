"""A derivative program on its way to a worker: its source, and what it takes beside the arguments.

The idea to hold: a program belongs to a number of rows. So the rows of a chunk are taken in blocks of some fixed sizes,
each a quarter of the one before down to a single row, and a handful of programs, made once on the client, serves chunks
of every length.
"""

from __future__ import annotations

import math
import sys
import threading
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from .. import _limits
from ..programs._runnable import widened
from ..programs._source_module import loaded
from ..transforms._compile import Compiled, compile
from ..transforms._compiled_loops import LoopedProgram
from ..transforms._compiled_quick import parts_of
from ..transforms._tree import flatten, flatten_values, unflatten
from ._cluster_errors import DistributedError
from ._jobs import Job, flat, plain


class Shipped:
    """The source of a program, and of what its arguments are made.

    Attributes
    ----------
    source, name : a function of NumPy's
    constants : arrays that the source mentions by name
    taken : per argument of it the number of the leaf among all arguments (None: a value that comes along), and the
        dtype that it gets
    """

    def __init__(self, module: Any, made: Any) -> None:
        self.source, self.name = module.inner, module.name
        self.constants = {name: np.asarray(value) for name, value in module.constants.items()}
        self.taken = [(k, kind, None if k is not None else value) for k, kind, value in made.taken]
        self.dtype, self.order = made.program.dtype, list(made.order)
        self.outputs = made.outputs
        self._function: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_function": None}

    def run(self, leaves: list[Any]) -> list[np.ndarray] | None:
        """The results, flat; None where a number on the way is not finite, which the tape is asked about."""
        if self._function is None:
            self._function = loaded(self.source, self.name, dict(self.constants))
        values = [
            widened(value if k is None else leaves[k] if kind is None else kind(leaves[k]), self.dtype)
            for k, kind, value in self.taken
        ]
        with np.errstate(all="ignore"):
            try:
                results, pieces = self._function(*values)
            except np.linalg.LinAlgError:
                return None
            for piece in pieces:
                if not math.isfinite(np.add.reduce(piece, axis=None) if getattr(piece, "ndim", 0) else piece):
                    return None
        found = []
        for letter, k in zip(self.outputs, self.order, strict=True):
            value = results[k]
            found.append(flat([np.asarray(p) for p in parts_of(value)]) if letter == "g" else np.asarray(value))
        return found


def shipped(job: Job, args: list[Any]) -> Shipped | None:
    """The program of a job at arguments like these, compared with the tape; None where there is none that travels."""
    compiled = Compiled(job, job.outputs, 0, "dense")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a program that the tape does not agree with: it does not travel
            compiled(*args)
        made, _ = compiled._find(tuple(args), {})
    except Exception:  # where symbols are what it does not take, an index of an array of numbers, the tape runs it
        return None
    if made is None or made.program.refused or not made.program.checked or isinstance(made.program, LoopedProgram):
        return None
    module = made.program.whole
    return Shipped(module, made) if module.standalone else None


def block_sizes(row_bytes: int) -> list[int]:
    """How many rows are taken at a time: the most, and each time a quarter of it."""
    most = _limits.DISTRIBUTED_ROWS
    while most > 1 and most * row_bytes > _limits.DISTRIBUTED_BLOCK:
        most //= 4
    sizes = []
    while most >= 1:
        sizes.append(most)
        most //= 4
    return sizes


def blocks(rows: int, sizes: list[int]) -> list[tuple[int, int]]:
    """Where the blocks of so many rows begin and end, the largest first."""
    found, start = [], 0
    for size in sizes:
        while rows - start >= size:
            found.append((start, start + size))
            start += size
    return found


class OnWorker:
    """A job by a program that the worker makes itself: of one length, with a loop in it, or in another library.

    It is kept from chunk to chunk, and makes a program for each length.
    """

    def __init__(self, job: Job, target: str) -> None:
        self.job, self.target = job, target
        self.compiled: Any = compile(job, job.outputs, 0, "dense", target)
        self.given_up = False
        self._alone = threading.Lock()  # programs remember the last call

    def run(self, args: list[Any]) -> list[np.ndarray]:
        """The results, flat."""
        if not self.given_up:
            try:
                with self._alone:
                    found = self._compiled(args)
            except DistributedError:
                raise
            except Exception:  # it branches, say: the tape runs what has no program, and says what is the matter
                self.given_up = True
            else:
                letters = self.job.outputs
                several = found if len(letters) > 1 else (found,)
                sizes = [np.size(a) for a in flatten_values(args[0])[0]]
                return [_flat_result(letter, value, sizes) for letter, value in zip(letters, several, strict=True)]
        return self.job.by_tape(*args)

    def _compiled(self, args: list[Any]) -> Any:
        if self.target in ("numpy", "numba"):
            return self.compiled(*args)
        leaves, spec = flatten(tuple(args))
        if self.target == "jax":
            jax = _jax_with_doubles()
            given = [jax.numpy.asarray(a) if isinstance(a, np.ndarray | np.generic) else a for a in leaves]
            return tree_of_numpy(self.compiled(*unflatten(spec, given)))
        import torch

        device = "cuda" if torch.cuda.is_available() else "cpu"
        given = [torch.tensor(a, device=device) if isinstance(a, np.ndarray | np.generic) else a for a in leaves]
        return tree_of_numpy(self.compiled(*unflatten(spec, given)))


def _jax_with_doubles() -> Any:
    """JAX, told to keep 64 bits: sums of many rows in 32 are noise."""
    jax: Any = import_module("jax")
    if not jax.config.jax_enable_x64:
        if not _is_worker():
            raise DistributedError(
                'target="jax": jax_enable_x64 is off', "Sums of many rows in 32 bits are noise.",
                "jax.config.update('jax_enable_x64', True); worker processes are told so by themselves.",
            )  # fmt: skip
        jax.config.update("jax_enable_x64", True)
    return jax


def _is_worker() -> bool:
    """Whether a worker of a cluster runs this."""
    if "distributed" not in sys.modules:
        return False
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


def tree_of_numpy(tree: Any) -> Any:
    """Another library's arrays as NumPy's."""
    if isinstance(tree, tuple | list):
        return type(tree)([tree_of_numpy(t) for t in tree])
    if isinstance(tree, dict):
        return {k: tree_of_numpy(t) for k, t in tree.items()}
    if hasattr(tree, "matrix"):
        return tree_of_numpy(tree.matrix)
    return np.asarray(tree.detach().cpu() if hasattr(tree, "detach") else tree)


def _matrix(value: Any, sizes: list[int]) -> np.ndarray:
    """The whole matrix: given as it is, or block by block."""
    n, blocks = sum(sizes), flatten_values(value)[0]
    if len(blocks) == 1:
        return np.asarray(blocks[0]).reshape(n, n)
    each = iter(blocks)
    return np.block([[np.asarray(next(each)).reshape(a, b) for b in sizes] for a in sizes])


def _flat_result(letter: str, value: Any, sizes: list[int]) -> np.ndarray:
    value = plain(value)
    if letter == "g":
        return flat(value)
    if letter == "h":
        return _matrix(plain(getattr(value, "matrix", value)), sizes)
    if letter == "j":
        parts = [np.asarray(plain(p)) for p in flatten(value)[0]]
        return np.concatenate([p.reshape(len(p), -1) for p in parts], 1)
    return np.asarray(value)


__all__ = ["OnWorker", "Shipped", "block_sizes", "blocks", "shipped"]
