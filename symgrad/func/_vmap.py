"""`vmap`: a function of one example, run on a batch of them by a plain loop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .._errors import GradientError
from ..core import Symbol, Tensor, wrap
from ..ops._public import FUNCTIONS, METHODS
from ..transforms._random import Randomness
from ..transforms._tree import broadcast_prefix, flatten, leaves_of, unflatten
from ..transforms._variables import all_plain, to_plain


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return the function that applies ``func`` to every example of a batch.

    Parameters
    ----------
    func : function of one example: tensors (or containers of tensors) in, tensors out
    in_dims : per argument the dimension that counts the examples, None for one that all examples share; a number
        for all arguments, a tuple, or a tuple of containers like the arguments'
    out_dims : where that dimension goes in the results; a number, or a container like the result
    randomness : what random numbers ``func`` may draw: 'different' ones for each example, the 'same', or 'error'
    chunk_size : accepted; examples are computed one at a time

    Notes
    -----
    Cost: ``func`` runs once per example and the results are stacked. ``func`` may therefore do anything with its
    example, branch on its values too; it gains convenience over a loop, not speed.

    Examples
    --------
    >>> import symgrad as sg
    >>> from symgrad.func import grad, vmap
    >>> rows = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> vmap(lambda row: row @ row)(rows)
    tensor([ 5., 25.])

    Gradients per example:

    >>> vmap(grad(lambda w, row: (w * row).sum() ** 2), in_dims=(None, 0))(sg.tensor([1.0, 1.0]), rows)
    tensor([[ 6., 12.],
            [42., 56.]])
    """
    name = _name(func)
    if randomness not in ("error", "different", "same"):
        raise GradientError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        for d in leaves_of(out_dims):
            if not (d is None or isinstance(d, int)):
                raise ValueError(
                    f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection "
                    "of ints representing where in the outputs the vmapped dimension should appear."
                )
        leaves, spec = flatten(args)
        plain = all_plain((args, kwargs))
        leaves = [wrap(x) if isinstance(x, np.ndarray) else x for x in leaves]
        dims, size = _batch(name, in_dims, leaves, spec, args)
        examples = [
            [leaf] * max(size, 1) if d is None else _examples(leaf, d, size)
            for leaf, d in zip(leaves, dims, strict=True)
        ]
        random = Randomness(randomness)
        results = []
        for b in range(max(size, 1)):
            random.next()
            example = unflatten(spec, [e[b] for e in examples])
            results.append(func(*(to_plain(example) if plain else example), **kwargs))
        random.close()
        result = _stack(name, results, out_dims, size)
        return to_plain(result) if plain else result

    return wrapper


def _name(func: Any) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


def _batch(name: str, in_dims: Any, leaves: list[Any], spec: Any, args: Any) -> tuple[list[Any], int]:
    """Per leaf the dimension that counts examples (not negative), and their number."""
    head = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{head}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
            "function with no inputs. The latter is unsupported."
        )
    dims = broadcast_prefix(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{head}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    sizes = []
    for i, (leaf, d) in enumerate(zip(leaves, dims, strict=True)):
        if d is None:
            continue
        if not isinstance(d, int):
            raise ValueError(
                f"{head}Got in_dim={d} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{head}Got in_dim={d} for an input but the input is of type {type(leaf)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        n = leaf._data.ndim
        if not -n <= d < n:
            raise ValueError(
                f"{head}Got in_dim={d} for some input, but that input is a Tensor of dimensionality {n} so expected "
                f"in_dim to satisfy -{n} <= in_dim < {n}."
            )
        dims[i] = d % n
        sizes.append(leaf._data.shape[d])
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return dims, sizes[0]


def _examples(leaf: Tensor, dim: int, size: int) -> list[Tensor]:
    if size == 0:  # one example of zeros shows which shapes come out
        shape = leaf._data.shape
        return [wrap(np.zeros(shape[:dim] + shape[dim + 1 :], leaf._data.dtype))]
    if type(leaf) is Symbol:
        return list(leaf.movedim(dim, 0))  # which raises where the size has a name
    if leaf._node is not None:  # one node for all examples: the gradient is put together once
        return list(METHODS["unbind"](leaf, dim))
    before = (slice(None),) * dim
    return [leaf[(*before, b)] for b in range(size)]


def _stack(name: str, results: list[Any], out_dims: Any, size: int) -> Any:
    leaves, spec = flatten(results[0])
    if spec.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = broadcast_prefix(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    columns = [leaves, *(leaves_of(r) for r in results[1:])]
    pairs = zip(zip(*columns, strict=True), dims, strict=True)
    return unflatten(spec, [_gather(name, list(column), d, size) for column, d in pairs])


def _gather(name: str, values: list[Any], dim: int | None, size: int) -> Any:
    if dim is None:
        first = values[0]
        if isinstance(first, Tensor) and not all(np.array_equal(first._data, v._data, equal_nan=True) for v in values):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return first
    tensors = []
    for v in values:
        if isinstance(v, (np.ndarray, np.generic)):
            v = wrap(np.asarray(v))
        if not isinstance(v, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(v)}. Did you mean to set "
                "out_dims= to None for output?"
            )
        tensors.append(v)
    stacked = FUNCTIONS["stack"](tensors, dim)
    return stacked if size else METHODS["narrow"](stacked, dim, 0, 0)
