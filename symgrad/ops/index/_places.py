"""Places: which entries an index of arrays, or a mask, picks; picking them, adding up and putting at them.

The idea to hold: places are an operand of a row, as they are of what computed them, so that a formula and a batch
follow them. They are whole numbers for one dimension, stacked for several (those of the first in front), or a mask.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._errors import DimensionError, ShapeError
from ...core import Tensor, constant, general, linear, table, wrap
from .._dims import data, kind_of, sizes
from ..reduce._reduce import c_order, expand, sum_to

FULL = slice(None)


def taken(x: np.ndarray, index: Any) -> np.ndarray:
    """``x[index]``, its errors in PyTorch's words."""
    try:
        return x[index]
    except IndexError as error:
        raise _translated(error, x.shape) from None


def _translated(error: IndexError, shape: tuple[int, ...]) -> DimensionError:
    what = str(error)
    if what.startswith("too many indices"):
        what = f"too many indices for tensor of dimension {len(shape)}"
    what = what.replace("for axis", "for dimension").replace("indexing arrays", "indexing tensors")
    if what.startswith("shape mismatch"):
        what = re.sub(r"\(([^)]*?),?\) ?", r"[\1], ", what).replace(",", ", ").replace(",  ", ", ").rstrip(", ")
    return DimensionError(what, f"The tensor has shape {shape}.", "Check the index against the tensor's shape.")


def is_mask(k: Any) -> bool:
    """Whether a part of an index is a mask."""
    return kind_of(k) == "b"


def spots(places: np.ndarray, dim: int, count: int) -> tuple[Any, ...]:
    """The index of arrays that picks, of ``count`` dimensions from ``dim`` on, what ``places`` says.

    Places are whole numbers (for several dimensions stacked, those of the first first) or a mask of these dimensions.
    """
    together = count == 1 or places.dtype == bool
    return (FULL,) * dim + ((places,) if together else tuple(places))


def accumulated(x: Any, places: np.ndarray, dim: int, count: int, size: tuple[int, ...]) -> np.ndarray:
    """Zeros of ``size`` to which ``x`` was added at places; they may repeat."""
    x = np.asarray(x)
    out = np.zeros(size, x.dtype)
    if places.dtype == bool:  # the places of a mask are all different
        out[spots(places, dim, count)] = x
    elif out.size:  # np.add.at is quick on flat arrays only
        flat = places if out.ndim == 1 and count == 1 else flat_places(places, dim, count, size)
        np.add.at(out.reshape(-1), flat.reshape(-1), x.reshape(-1))
    return out


def flat_places(places: np.ndarray, dim: int, count: int, size: tuple[int, ...]) -> np.ndarray:
    """Where in the flat array the elements lie that places pick of an array of shape ``size``."""
    index, used = spots(places, dim, count), dim + count
    if dim or places.dtype == bool:
        return np.arange(math.prod(size)).reshape(size)[index]
    flat = np.ravel_multi_index(index, size[:used], mode="wrap")  # wrap: -1 is the last
    rest = math.prod(size[used:])
    return flat if rest == 1 else np.asarray(flat)[..., None] * rest + np.arange(rest)


_INDEX = np.array([0, 2, 0])

index_row = linear(
    "index",
    lambda x, index, dim, count: c_order(taken(x, spots(index, dim, count))),
    lambda g, shape, index, dim, count: index_accumulate(g, index, dim, count, shape),
    0,
    domain=("real", "index"),
    means="axis option",
    sample=lambda rng: ([rng.normal(size=(3, 4)), _INDEX], (0, 1)),
    doc="x[index] with arrays of integers, or a mask, for some of the dimensions",
)
index_accumulate: Any = linear(
    "index_accumulate",
    accumulated,
    lambda g, places, dim, count: index_row(g, places, dim, count),
    0,
    domain=("real", "index"),
    means="place option size",
    sample=lambda rng: ([rng.normal(size=3), np.array([1, 3, 1])], (0, 1, (4,))),
    doc="zeros of a size, with x added at the places of an index",
)


def replaced(x: Any, values: Any, index: Any) -> np.ndarray:
    """A copy of an array, with values put at an index."""
    out = np.array(x, order="C")
    out[index] = values
    return out


cleared: Any = linear(
    "clear",
    lambda x, index, dim, count: replaced(x, 0, spots(index, dim, count)),
    lambda g, index, dim, count: cleared(g, index, dim, count),
    0,
    domain=("real", "index"),
    means="axis option",
    sample=lambda rng: ([rng.normal(size=(3, 4)), _INDEX], (0, 1)),
    doc="x, with zeros at the places of an index",
)

# --------------------------------------------------------------------------------- places named more than once


def staying(flat: np.ndarray) -> np.ndarray:
    """Of elements put at flat places, in order, those that stay: of several for one place the last."""
    _, last = np.unique(flat.reshape(-1)[::-1], return_index=True)
    stay = np.zeros(flat.size, bool)
    stay[flat.size - 1 - last] = True
    return stay.reshape(flat.shape)


stays = constant(
    "stays",
    lambda index, dim, count, size: _stays(index, dim, count, size),
    domain=("index",),
    sample=lambda rng: ([np.array([0, 2, 0])], (0, 1, (3, 4))),
    doc="whether an element put at a place of an index is the last one put there",
)


def _stays(index: np.ndarray, dim: int, count: int, size: tuple[int, ...]) -> np.ndarray:
    if index.dtype == bool:
        return np.ones(int(index.sum()), bool)
    if count == 1:
        return staying(index % size[dim] if size[dim] else index)
    return staying(np.ravel_multi_index(tuple(index), size[dim : dim + count], mode="wrap"))


def of_those_that_stay(g: Any, stay: Any, dim: int = 0) -> Any:
    """``g`` where ``stay`` holds, whose dimensions are those of ``g`` from ``dim`` on, and 0 elsewhere."""
    if type(stay) is np.ndarray and stay.all():
        return g
    behind = sizes(g)[dim + len(sizes(stay)) :]
    return np.where(stay[(..., *(None,) * len(behind))], g, 0)


def put_values(x: np.ndarray, values: Any, places: np.ndarray, dim: int, count: int, accumulate: bool) -> np.ndarray:
    """A copy of an array, with values put at (or added to) places."""
    index = spots(places, dim, count)
    if accumulate:
        out = np.array(x, order="C")
        out += accumulated(
            np.broadcast_to(np.asarray(values, x.dtype), taken(out, index).shape), places, dim, count, x.shape
        )
        return out
    try:
        return replaced(x, values, index)
    except ValueError:
        shape = x[index].shape
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast to indexing result "
            f"of shape {list(shape)}",
            "",
            "The values must broadcast to what the index picks.",
        ) from None
    except IndexError as error:
        raise _translated(error, x.shape) from None


def _put_values_back(g: Any, shape: Any, shape_x: Any, index: Any, dim: int, count: int, accumulate: bool) -> Any:
    g = index_row(g, index, dim, count)
    return sum_to(g if accumulate else of_those_that_stay(g, stays(index, dim, count, shape_x), dim), shape)


index_put_row = general(
    "index_put",
    lambda x, values, index, dim, count, accumulate: put_values(x, values, index, dim, count, accumulate),
    lambda g, index, dim, count, accumulate: g if accumulate else cleared(g, index, dim, count),
    _put_values_back,
    0,
    domain=("real", "real", "index"),
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=(2, 4)), np.array([0, 2])], (0, 1, False)),
    doc="x, with values put at (or added to) the places of an index",
)

# ------------------------------------------------------------------------------ indices as NumPy writes them


def placed_at(index: tuple[Any, ...], ndim: int) -> tuple[Any, Any, int, int]:
    """An index of arrays and whole slices as (order, places, dim, count): the places of ``count`` dimensions from
    ``dim`` on, once the dimensions have been put in ``order`` (None: they are already).

    NumPy and PyTorch put what arrays pick where they stand if they stand together, else in front.
    """
    dims: list[int] = []
    parts: list[Any] = []
    d = 0
    for k in index:
        taken_here = 1 if type(k) is slice else len(sizes(k)) if is_mask(k) else 1
        if type(k) is not slice:
            dims += range(d, d + taken_here)
            parts.append(k)
        d += taken_here
    places = parts[0] if len(parts) == 1 else stacked(parts)
    if dims[-1] - dims[0] + 1 == len(dims):
        return None, places, dims[0], len(dims)
    return (*dims, *[d for d in range(ndim) if d not in dims]), places, 0, len(dims)


def stacked(parts: Sequence[Any]) -> Any:
    """Places of several dimensions as one array: one per dimension, broadcast."""
    parts = [j for k in parts for j in (np.nonzero(data(k)) if is_mask(k) else (k,))]
    shapes = list(map(sizes, parts))
    try:
        shape = shapes[0] if shapes.count(shapes[0]) == len(shapes) else np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join([str(list(s)) for s in shapes])
        raise DimensionError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}",
            "Arrays for several dimensions name one place together.", "Give them shapes that broadcast.",
        ) from None  # fmt: skip
    if all(k._extra is None if type(k) is Tensor else not isinstance(k, Tensor) for k in parts):  # plain numbers
        arrays = (k if k.shape == shape else np.broadcast_to(k, shape) for k in map(data, parts))
        together = np.concatenate([k[None] for k in arrays])
        return wrap(together) if any(isinstance(k, Tensor) for k in parts) else together
    tensors = [k if isinstance(k, Tensor) else wrap(np.asarray(k)) for k in parts]
    return table("stack")([k if sizes(k) == shape else expand(k, shape) for k in tensors], 0)


def scattered(g: Any, places: Any, dim: int, size: tuple[int, ...]) -> Any:
    """Zeros of a size, with ``g`` added along ``dim`` at places."""
    return index_accumulate(g, places, dim, 1, size)


def getitem_arrays(x: Any, index: tuple[Any, ...]) -> Any:
    """``x[index]`` for an index of arrays and whole slices."""
    order, places, dim, count = placed_at(index, len(sizes(x)))
    if order is not None:
        x = x.permute(order) if isinstance(x, Tensor) else x.transpose(order)
    return index_row(x, places, dim, count)
