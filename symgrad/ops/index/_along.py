"""Places along one dimension: picking of each line what an index of the same axes names, and the transposes.

The idea to hold: it is an index of arrays in disguise, which `along` writes out. The rows that pick, add up and clear
are each other's derivatives, to every order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DimensionError, ShapeError
from ...core import Tensor, constant, linear
from .._dims import axis_of, in_range, index_operand, same_dtype, sizes
from ..reduce._reduce import c_order
from ._index import getitem
from ._places import replaced, staying


class PlaceError(DimensionError, RuntimeError):
    """An index tensor names a place that is not there; PyTorch raises RuntimeError for it, not IndexError."""


def along(index: np.ndarray, dim: int) -> tuple[Any, ...]:
    """The index of arrays that varies ``dim`` as ``index`` says, and every other dimension as its own positions."""
    if index.ndim == 0:
        return (index,)
    grid = np.ogrid[tuple(slice(n) for n in index.shape)]
    return tuple(index if d == dim else grid[d] for d in range(index.ndim))


def along_of(x: Any, index: np.ndarray, dim: int) -> tuple[Any, ...]:
    """As `along`, of places of ``x`` that are there."""
    n = np.shape(x)[dim] if np.ndim(x) else 1
    words = f"index {{}} is out of bounds for dimension {dim} with size {n}"
    return along(in_range(index, n, words, error=PlaceError), dim)


def of_numbers_too(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function along a dimension take a number: it is a line of one."""

    @functools.wraps(function)
    def call(input: Any, dim: int, index: Any, *args: Any, **kwargs: Any) -> Any:
        if sizes(input):
            return function(input, dim, index, *args, **kwargs)
        axis_of(dim, 0)
        args = tuple(map(_line, args))
        kwargs = {name: _line(value) for name, value in kwargs.items()}
        return function(_line(input), dim, _line(index), *args, **kwargs).reshape(())

    return call


def _line(a: Any) -> Any:
    return a.reshape((1,)) if isinstance(a, (Tensor, np.ndarray)) and not sizes(a) else a


def added(x: Any, values: Any, index: Any) -> np.ndarray:
    """A copy of an array, with values added at an index of arrays; places may repeat."""
    out = np.array(x, order="C")
    np.add.at(out, index, values)
    return out


def check_along(x: Any, dim: int, index: Any, what: str) -> int:
    """The dimension counted from the front, once index and tensor fit each other."""
    shape, rank = sizes(x), len(sizes(index))
    dim = axis_of(dim, len(shape))
    if max(rank, 1) != max(len(shape), 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as {what} tensor",
            f"{rank} and {len(shape)} dimensions.",
            "Unsqueeze the index.",
        )
    return dim


def prepared(x: Any, dim: int, index: Any, src: Any, what: str) -> tuple[int, Any, Any]:
    """The dimension, the index and the part of ``src`` that it covers, checked."""
    places = index_operand(index, what)
    dim = check_along(x, dim, places, "self")
    shape, source, covers = sizes(x), sizes(src), sizes(places)
    same_dtype(x, src, f"{what}: Expected self.dtype to be equal to src.dtype")
    fits = all(d == dim or n <= shape[d] for d, n in enumerate(covers)) if shape else True
    covered = len(source) == len(covers) and all(n <= m for n, m in zip(covers, source, strict=True))
    if 0 in covers:
        return dim, places, src
    if not fits or not covered:
        raise ShapeError(
            f"Expected index {list(covers)} to be no larger than self {list(shape)} apart from dimension {dim} "
            f"and to be no larger size than src {list(source)}",
            "",
            "Give src the shape of the index.",
        )
    if source != covers:
        src = getitem(src, tuple(slice(n) for n in covers))
    return dim, places, src


def sample_scatter(rng: np.random.Generator, *params: Any) -> Any:
    places = rng.permuted(np.tile(np.arange(4), (3, 1)), axis=1)[:, :2]
    return [rng.normal(size=(3, 4)), rng.normal(size=(3, 2)), places], (1, *params)


# -------------------------------------------------------------------------------------------------------- picking


def _pick(x: np.ndarray, index: np.ndarray, dim: int, keepdim: bool) -> np.ndarray:
    if x.ndim == 0:
        return x.copy()
    out = c_order(x[along(index, dim)]) if x.ndim > 1 else x[index]
    return out if keepdim else out.squeeze(dim)


def _unpick(x: np.ndarray, index: np.ndarray, dim: int, keepdim: bool, to: tuple[int, ...], apart: bool) -> np.ndarray:
    if not to:
        return np.array(x)
    x = np.asarray(x)
    x = x if keepdim else np.expand_dims(x, dim)
    out = np.zeros(to, x.dtype)
    if apart or not index.ndim or index.shape[dim] == 1:
        out[along(index, dim)] = x
    else:
        np.add.at(out, along(index, dim), x)
    return out


_PLACES = np.array([[[0, 1, 2, 2]], [[1, 1, 0, 2]]])


def picker(name: str, apart: bool, doc: str, text: str = "") -> Callable[..., Any]:
    """A row that picks along a line; ``apart`` promises that it picks no element twice."""
    return linear(
        name, _pick, lambda g, shape, index, dim, keepdim: unpick(g, index, dim, keepdim, shape, apart), 0,
        domain=("real", "places"), means="axis option", text=text,
        sample=lambda rng: ([rng.normal(size=(2, 3, 4)), _PLACES], (1, False)), doc=doc,
    )  # fmt: skip


pick = picker("pick", False, "the elements at index along dim")
unpick = linear(
    "unpick", _unpick, lambda g, index, dim, keepdim: pick(g, index, dim, keepdim), 0,
    domain=("real", "places"), means="place option size option",
    sample=lambda rng: ([rng.normal(size=(2, 4)), _PLACES], (1, False, (2, 3, 4), False)),
    doc="zeros, with the elements put along dim at index, and added up where they meet",
)  # fmt: skip


def _cleared_along(x: Any, index: np.ndarray, dim: int) -> np.ndarray:
    return replaced(x, 0, along(index, dim))


clear_along: Any = linear(
    "clear_along", _cleared_along, lambda g, index, dim: clear_along(g, index, dim), 0,
    domain=("real", "places"), means="axis",
    sample=lambda rng: ([rng.normal(size=(2, 3, 4)), _PLACES], (1,)), doc="x, with zeros along dim at index",
)  # fmt: skip

# ------------------------------------------------------------------------------------- gather and scatter

gather_row = linear(
    "gather",
    lambda x, index, dim: x[along_of(x, index, dim)],
    lambda g, shape, index, dim: unpick(g, index, dim, True, shape, False),
    0,
    domain=("real", "places"),
    means="axis",
    text="gather({0}, {2}, {1})",
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.integers(0, 4, (3, 2))], (1,)),
    doc="along dim, the elements that index names",
)

stays_along = constant(
    "stays_along",
    lambda index, dim, size: _stays_along(index, dim, size),
    domain=("places",),
    means="place size",
    sample=lambda rng: ([np.array([[0, 2, 0], [1, 1, 0]])], (1, (2, 3))),
    doc="whether an element put along dim at a place of index is the last one put there",
)


def _stays_along(index: np.ndarray, dim: int, size: tuple[int, ...]) -> np.ndarray:
    where = np.broadcast_arrays(*along(index, dim))
    return staying(np.ravel_multi_index(tuple(where), size) if size else index)
