"""The arguments and results of `vmap`: which dimension counts the examples, one example, and examples side by side.

The idea to hold: a batch is a flat list of leaves, each with the dimension that counts examples or None; every route
of `vmap` (batched, in groups, in a loop) takes that list and gives back a container with the batch in its place.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._array import entering, leaving
from ..core import Symbol, Tensor, content, named_shape, plain_array, refuse_no_numbers, storage, wrap
from ..ops._public import FUNCTIONS, METHODS
from ._tables import without_tables
from ._tree import Spec, broadcast_prefix, flatten, leaves_of, tree_map, unflatten
from ._variables import all_plain

FULL = slice(None)


def title(func: Any) -> str:
    """How messages call a function."""
    if isinstance(func, functools.partial):
        return f"functools.partial({title(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


class Mapped:
    """The arguments of one call, and which of their dimensions counts examples.

    Attributes
    ----------
    leaves, spec : the arguments, taken apart
    dims : per leaf the dimension that counts examples (not negative), or None
    size : how many examples there are
    plain : whether no tensor is among the arguments: then the function gets arrays, and arrays are returned
    lying : per leaf an example as it lies in the caller's memory: a function may ask for its strides; or None
    """

    def __init__(
        self, leaves: list[Any], spec: Spec, dims: list[Any], size: Any, kwargs: dict[str, Any], plain: bool,
        lying: list[Any] | None = None,
    ) -> None:  # fmt: skip
        self.leaves, self.spec, self.dims, self.size = leaves, spec, dims, size
        self.kwargs, self.plain = kwargs, plain
        self.lying = lying or [
            None if d is None or not leaf._data.shape[d] else leaf._data[(FULL,) * d + (0,)]
            for leaf, d in zip(leaves, dims, strict=True)
        ]

    def arguments(self, leaves: Sequence[Any]) -> Any:
        """The positional arguments made of these leaves."""
        return unflatten(self.spec, leaves)

    def call(self, func: Any, leaves: Sequence[Any]) -> Any:
        """The function of the arguments made of these leaves (arrays, if the caller gave arrays)."""
        args = self.arguments(leaves)
        result = func(*(tree_map(_plain, args) if self.plain else args), **self.kwargs)
        result = tree_map(_in_blocks, tree_map(leaving, result))
        return tree_map(_as_number, result) if self.plain else result

    def example(self, b: int) -> list[Any]:
        """Example ``b`` without history."""
        return [
            leaf if d is None else wrap(self.copied(i, b))
            for i, (leaf, d) in enumerate(zip(self.leaves, self.dims, strict=True))
        ]

    def copied(self, i: int, b: int) -> np.ndarray:
        """A copy of example ``b`` of a leaf, lying as the caller's. What NumPy would not write to is not written to."""
        lying = self.lying[i]
        made = storage.memory_as(lying, lying.dtype)
        made[...] = self.leaves[i]._data[(FULL,) * self.dims[i] + (b,)]
        if storage.shares_entries(lying):
            made.flags.writeable = False
        return made

    def examples(self) -> list[list[Any]]:
        """All examples, each a list of leaves, with their history; one of zeros where there is none."""
        count = max(int(self.size), 1)
        columns = [
            [leaf] * count if d is None else self._examples(i, d)
            for i, (leaf, d) in enumerate(zip(self.leaves, self.dims, strict=True))
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def _examples(self, i: int, d: int) -> list[Tensor]:
        """The examples of a leaf. The function may write to arrays, and the caller's is never written to."""
        leaf = self.leaves[i]
        if not self.plain or type(leaf) is not Tensor or leaf._node is not None or not self.size:
            return _examples(leaf, d, self.size)
        if storage.shares_entries(leaf._data):
            return [wrap(self.copied(i, b)) for b in range(self.size)]
        own = storage.memory_as(leaf._data, leaf._data.dtype)
        own[...] = leaf._data
        return _examples(wrap(own), d, self.size)

    def front(self, i: int) -> Tensor:
        """A leaf with its examples along the first dimension."""
        leaf, d = self.leaves[i], self.dims[i]
        return METHODS["movedim"](leaf, d, 0) if d else leaf

    def some(self, pick: Any, fixed: frozenset[int] = frozenset(), size: int = 0) -> Mapped:
        """The examples that ``pick`` (a slice or an array) names; leaves in ``fixed`` are the same for all of them."""
        leaves, dims = list(self.leaves), list(self.dims)
        for i, (leaf, d) in enumerate(zip(self.leaves, self.dims, strict=True)):
            if d is None:
                continue
            if i in fixed:
                leaves[i], dims[i] = wrap(np.array(leaf._data[(FULL,) * d + (pick[0],)])), None
            else:
                leaves[i] = leaf[(FULL,) * d + (pick,)]
        return Mapped(leaves, self.spec, dims, size, self.kwargs, self.plain, self.lying)


def _in_blocks(value: Any) -> Any:
    """A Hessian of several parameters as nested containers of blocks, which can be stacked."""
    return value.blocks() if type(value).__name__ == "HessianMatrix" else value


def _plain(t: Any) -> Any:
    """A tensor as the array that the caller gave; of a symbol, which hides its values, and of one with a history."""
    return t._data[()] if isinstance(t, Tensor) and t._node is None and type(t) is not Symbol else entering(t)


def mapped(func: Any, in_dims: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapped:
    """The arguments of one call, checked."""
    name = title(func)
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
    args, kwargs = without_tables((args, kwargs))
    leaves, spec = flatten(args)
    plain = all_plain((args, kwargs))
    leaves = [wrap(x) if isinstance(x, np.ndarray) else content(x) for x in leaves]
    dims = broadcast_prefix(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{head}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    sizes = [
        _size_along(head, leaf, d, dims, i) for i, (leaf, d) in enumerate(zip(leaves, dims, strict=True))
        if d is not None
    ]  # fmt: skip
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(n != sizes[0] for n in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return Mapped(leaves, spec, dims, sizes[0], kwargs, plain)


def _size_along(head: str, leaf: Any, d: Any, dims: list[Any], i: int) -> Any:
    """The number of examples of one leaf; its dimension is made definite in ``dims``."""
    if not isinstance(d, int):
        raise ValueError(f"{head}Got in_dim={d} for an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{head}Got in_dim={d} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    refuse_no_numbers(leaf._data)
    n = leaf._data.ndim
    if not -n <= d < n:
        raise ValueError(
            f"{head}Got in_dim={d} for some input, but that input is a Tensor of dimensionality {n} so expected "
            f"in_dim to satisfy -{n} <= in_dim < {n}."
        )
    dims[i] = d % n
    return (named_shape(leaf) if type(leaf) is Symbol else leaf._data.shape)[d]


def _examples(leaf: Tensor, dim: int, size: Any) -> list[Tensor]:
    if size == 0:  # one example of zeros shows which shapes come out
        shape = leaf._data.shape
        return [wrap(np.zeros(shape[:dim] + shape[dim + 1 :], leaf._data.dtype))]
    if type(leaf) is Symbol:
        return list(METHODS["movedim"](leaf, dim, 0))  # which raises where the size has a name
    if leaf._node is not None:  # one node for all examples: the gradient is put together once
        return list(METHODS["unbind"](leaf, dim))
    before = (FULL,) * dim
    return [leaf[(*before, b)] for b in range(size)]


# --------------------------------------------------------------------------------------------------------- results


def check_out_dims(name: str, out_dims: Any) -> None:
    """Raise unless every leaf of ``out_dims`` is a number or None."""
    for d in leaves_of(out_dims):
        if not (d is None or isinstance(d, int)):
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection "
                "of ints representing where in the outputs the vmapped dimension should appear."
            )


def place_results(name: str, out_dims: Any, spec: Spec) -> list[Any]:
    """Per leaf of the results the dimension in which the batch goes."""
    if spec.kind is None and isinstance(out_dims, tuple) and len(out_dims) == 1:
        out_dims = out_dims[0]
    dims = broadcast_prefix(out_dims, spec)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return dims


def _as_number(value: Any) -> Any:
    """Python's numbers as NumPy's: a function of numbers may return one."""
    return np.asarray(value)[()] if type(value) in (int, float, complex, bool) else value


def result_tensor(name: str, value: Any) -> Tensor:
    """One result of the function as a tensor."""
    if isinstance(value, (np.ndarray, np.generic)):
        refuse_no_numbers(value)
        value = wrap(plain_array(value))
    if not isinstance(value, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(value)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    return value


def all_equal(name: str, values: Sequence[Any]) -> Any:
    """The one value that a result has in all examples (``out_dims=None`` says that there is one)."""
    first = values[0]
    if isinstance(first, Tensor) and not all(np.array_equal(first._data, v._data, equal_nan=True) for v in values):
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    return first


def stacked(name: str, values: Sequence[Any], dim: int | None, size: int) -> Any:
    """The results of all examples, side by side along ``dim``."""
    if dim is None:
        return all_equal(name, values)
    together = FUNCTIONS["stack"]([result_tensor(name, v) for v in values], dim)
    return together if size else METHODS["narrow"](together, dim, 0, 0)


def joined(name: str, parts: Sequence[Any], dim: int | None) -> Any:
    """The results of several batches, one after the other along ``dim``."""
    return all_equal(name, parts) if dim is None else FUNCTIONS["cat"](list(parts), dim)


__all__ = [
    "Mapped", "all_equal", "check_out_dims", "joined", "mapped", "place_results", "result_tensor", "stacked", "title",
]  # fmt: skip
