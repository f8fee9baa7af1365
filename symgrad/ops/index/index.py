"""Square brackets: which entries an index of arrays, or a mask, picks; reading them, and writing to them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ..._typing import in_dtype
from ...core import (
    Carrier,
    Found,
    Symbol,
    Tensor,
    check_writable,
    constant,
    content,
    contents,
    general,
    linear,
    plain_array,
    row_function,
    tensor_around,
    unwrap,
    wrap,
    write_result,
)
from ..arguments import (
    as_index,
    axis_of,
    in_range,
    kind_of,
    known_values,
    rank,
    same_dtype,
    sizes,
    whole,
)
from ..entries.copies import _recording, _strip, assign, cast, gathered, wrote
from ..public import METHODS, public
from ..reduce.sums import c_order, expand, sum_to
from ..samples import matrix_sample, sampled

# -------------------------------------------------------------------------------------------------------------------
# Places: which entries an index of arrays, or a mask, picks; picking them, adding up and putting at them

# The idea to hold: places are an operand of a row, as they are of what computed them, so that a formula and a batch
# follow them. They are whole numbers for one dimension, stacked for several (those of the first in front), or a mask.


FULL = slice(None)


def taken(x: np.ndarray, index: Any) -> np.ndarray:
    """``x[index]``, its errors in PyTorch's words."""
    try:
        return x[index]
    except IndexError as error:
        raise _translated(error, x.shape) from None


def _translated(error: IndexError, shape: tuple[int, ...]) -> DimensionError:
    what, where = str(error), f"The tensor has shape {shape}."
    if what.startswith("too many indices"):
        where = f"The tensor has shape {shape}, and {''.join(re.findall('but (.*)', what))}."
        what = f"too many indices for tensor of dimension {len(shape)}"
    what = what.replace("for axis", "for dimension").replace("indexing arrays", "indexing tensors")
    if what.startswith("shape mismatch"):
        what = re.sub(r"\(([^)]*?),?\) ?", r"[\1], ", what).replace(",", ", ").replace(",  ", ", ").rstrip(", ")
    return DimensionError(what, where, "Check the index against the tensor's shape.")


def is_mask(k: Any) -> bool:
    """Whether a part of an index is a mask."""
    return kind_of(k) == "b"


def index_at_places(places: np.ndarray, dim: int, count: int) -> tuple[Any, ...]:
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
        out[index_at_places(places, dim, count)] = x
    elif out.size:  # np.add.at is quick on flat arrays only
        flat = places if out.ndim == 1 and count == 1 else flat_places(places, dim, count, size)
        np.add.at(out.reshape(-1), flat.reshape(-1), x.reshape(-1))
    return out


def flat_places(places: np.ndarray, dim: int, count: int, size: tuple[int, ...]) -> np.ndarray:
    """Where in the flat array the elements lie that places pick of an array of shape ``size``."""
    index, used = index_at_places(places, dim, count), dim + count
    if dim or places.dtype == bool:
        return np.arange(math.prod(size)).reshape(size)[index]
    flat = np.ravel_multi_index(index, size[:used], mode="wrap")  # wrap: -1 is the last
    rest = math.prod(size[used:])
    return flat if rest == 1 else np.asarray(flat)[..., None] * rest + np.arange(rest)


_INDEX = np.array([0, 2, 0])

index_row = linear(
    "index",
    lambda x, index, dim, count: c_order(taken(x, index_at_places(index, dim, count))),
    lambda g, shape, index, dim, count: index_accumulate(g, index, dim, count, shape),
    0,
    domain=("real", "index"),
    means="axis option",
    sample=sampled(0, 1, of=[(3, 4), _INDEX]),
    doc="x[index] with arrays of integers, or a mask, for some of the dimensions",
)
index_accumulate: Any = linear(
    "index_accumulate",
    accumulated,
    lambda g, places, dim, count: index_row(g, places, dim, count),
    0,
    domain=("real", "index"),
    means="place option size",
    sample=sampled(0, 1, (4,), of=[(3,), np.array([1, 3, 1])]),
    doc="zeros of a size, with x added at the places of an index",
)


def replaced(x: Any, values: Any, index: Any) -> np.ndarray:
    """A copy of an array, with values put at an index."""
    out = np.array(x, order="C")
    out[index] = values
    return out


cleared: Any = linear(
    "clear",
    lambda x, index, dim, count: replaced(x, 0, index_at_places(index, dim, count)),
    lambda g, index, dim, count: cleared(g, index, dim, count),
    0,
    domain=("real", "index"),
    means="axis option",
    sample=sampled(0, 1, of=[(3, 4), _INDEX]),
    doc="x, with zeros at the places of an index",
)

# --------------------------------------------------------------------------------- places named more than once


def staying(flat: np.ndarray) -> np.ndarray:
    """Of elements put at flat places, in order, those that stay: of several for one place the last."""
    _, last = np.unique(flat.reshape(-1)[::-1], return_index=True)
    stay = np.zeros(flat.size, bool)
    stay[flat.size - 1 - last] = True
    return stay.reshape(flat.shape)


def _stays(index: np.ndarray, dim: int, count: int, size: tuple[int, ...]) -> np.ndarray:
    if index.dtype == bool:
        return np.ones(int(index.sum()), bool)
    if count == 1:
        return staying(index % size[dim] if size[dim] else index)
    return staying(np.ravel_multi_index(tuple(index), size[dim : dim + count], mode="wrap"))


stays = constant(
    "stays",
    _stays,
    domain=("index",),
    sample=sampled(0, 1, (3, 4), of=[np.array([0, 2, 0])]),
    doc="whether an element put at a place of an index is the last one put there",
)


def of_those_that_stay(g: Any, stay: Any, dim: int = 0) -> Any:
    """``g`` where ``stay`` holds, whose dimensions are those of ``g`` from ``dim`` on, and 0 elsewhere."""
    if type(stay) is np.ndarray and stay.all():
        return g
    behind = sizes(g)[dim + rank(stay) :]
    return np.where(stay[(..., *(None,) * len(behind))], g, 0)


def put_values(x: np.ndarray, values: Any, places: np.ndarray, dim: int, count: int, accumulate: bool) -> np.ndarray:
    """A copy of an array, with values put at (or added to) places."""
    index = index_at_places(places, dim, count)
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
    sample=sampled(0, 1, False, of=[(3, 4), (2, 4), np.array([0, 2])]),
    doc="x, with values put at (or added to) the places of an index",
)

# ------------------------------------------------------------------------------ indices as NumPy writes them


def placed_at(index: tuple[Any, ...], ndim: int) -> tuple[Any, Any, int, int]:
    """An index of arrays and whole slices as (order, places, dim, count): the places of ``count`` dimensions from
    ``dim`` on, once the dimensions have been put in ``order`` (None: they are already).

    NumPy and PyTorch put what arrays pick where they stand if they stand together, else in front.
    """
    dims: list[int] = []
    parts = []
    d = 0
    for k in index:
        taken_here = 1 if type(k) is slice else rank(k) if is_mask(k) else 1
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
    parts = [j for k in parts for j in (np.nonzero(unwrap(k)) if is_mask(k) else (k,))]
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
        arrays = (k if k.shape == shape else np.broadcast_to(k, shape) for k in map(unwrap, parts))
        together = np.concatenate([k[None] for k in arrays])
        return wrap(together) if any(isinstance(k, Tensor) for k in parts) else together
    tensors = map(tensor_around, parts)
    return row_function("stack")([k if sizes(k) == shape else expand(k, shape) for k in tensors], 0)


def scattered(g: Any, places: Any, dim: int, size: tuple[int, ...]) -> Any:
    """Zeros of a size, with ``g`` added along ``dim`` at places."""
    return index_accumulate(g, places, dim, 1, size)


def getitem_arrays(x: Any, index: tuple[Any, ...]) -> Any:
    """``x[index]`` for an index of arrays and whole slices."""
    order, places, dim, count = placed_at(index, rank(x))
    return index_row(x if order is None else _turned(x, order), places, dim, count)


# ----------------------------------------------------------------- Square brackets: ``x[...]`` and ``x[...] = value``

# The idea to hold: an index of integers, slices, None and ``...`` is one step, and gives a view; index arrays and masks
# are a second step, after it, and give a copy. (NumPy mixes the two differently when integers and arrays meet:
# PyTorch's way is to take the integers first.) A row per name that PyTorch gives the node, one pair of rules for all.


_ARRAYS = (np.ndarray, np.generic)
_INT64 = np.dtype(np.int64)

# ---------------------------------------------------------------------------------------------------- rows


def _put(x: Any, size: tuple[int, ...], index: Any) -> np.ndarray:
    out = np.zeros(size, x.dtype)
    if type(index) is tuple and any(type(i) is np.ndarray for i in index):  # of programs: a place may come twice
        np.add.at(out, index, x)
    else:
        out[index] = x
    return out


def placed(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of ``shape`` with ``g`` at the place that a basic index names."""
    return _put(g, shape, index) if isinstance(g, _ARRAYS) else embed(g, shape, index)


getitem = linear(
    "getitem",
    taken,
    placed,
    view=True,
    means="places",
    sample=matrix_sample((slice(1, 3), None, 1, ...)),
    text="{0}[{1}]",
    doc="x[index] with integers, slices, None and dots: a view",
)
embed = linear(
    "embed",
    _put,
    lambda g, index: getitem(g, index),
    means="size places",
    sample=sampled((3, 4), (1, ...), of=[(4,)]),
    doc="zeros of a size, with x at the place of an index",
)


# ----------------------------------------------------------------------------------------------- reading


def subscript(self: Tensor, index: Any) -> Any:
    """Return the part of the tensor that ``index`` names: a view, or a copy where index arrays or masks pick.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> x[0], x[1:]
    (tensor(1., grad_fn=<SelectBackward0>), tensor([2., 3.], grad_fn=<SliceBackward0>))
    >>> x[[0, 0, 2]].sum().backward()
    >>> x.grad
    tensor([2., 0., 1.])
    """
    kind = type(index)
    if kind is int:
        return getitem(self, (index, ...)) if self._data.ndim else _no_dimensions()
    if kind is slice and _of_numbers(index):
        return getitem(self, (index,))
    if kind is not tuple:
        if index is None:
            return getitem(self, (None, ...))
        return getitem(self, (...,)) if index is ... else _subscript(self, (index,))
    whole = False
    for k in index:
        kind = type(k)
        if k is ...:
            whole = True
        elif kind is not int and k is not None and not (kind is slice and _of_numbers(k)):
            return _subscript(self, index)
    return getitem(self, index if whole else index + (...,))


def _of_numbers(k: slice) -> bool:
    """Whether the bounds of a slice are no tensors, which may be known by where they were found."""
    return not (isinstance(k.stop, Tensor) or isinstance(k.start, Tensor) or isinstance(k.step, Tensor))


def _no_dimensions() -> Any:
    raise DimensionError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
        "0-dim tensor "
        "to a number",
        "The tensor has no dimensions.",
        "tensor.item() gives its number.",
    )


def _subscript(x: Tensor, index: tuple[Any, ...]) -> Any:
    if len(index) == 1 and type(index[0]) is Tensor and x._data.ndim:  # the commonest: no need to look further
        places = index[0]._data
        if places.ndim and places.dtype is _INT64:
            return index_row(x, index[0], 0, 1)
    steps, arrays = split_index(x._data.shape, index)
    if steps is not None:
        x = getitem(x, (*steps, ...))
    if arrays is None:
        return x
    numbers = [type(k) is Symbol and not sizes(k) for k in arrays]
    if any(numbers) and not all(n or type(k) is slice for n, k in zip(numbers, arrays, strict=True)):
        x = getitem_arrays(x, tuple(k if n else FULL for k, n in zip(arrays, numbers, strict=True)))  # first, as ever
        arrays = tuple(k for k, n in zip(arrays, numbers, strict=True) if not n)
    return getitem_arrays(x, arrays)


def split_index(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[Any, Any]:
    """An index as two: the basic one, and the one of arrays for what it leaves; None where there is nothing to do."""
    parts = [_definite(k) for k in index]
    used = sum(rank(k) if is_mask(k) else k is not None and k is not ... for k in parts)
    if used > len(shape):
        raise DimensionError(
            f"too many indices for tensor of dimension {len(shape)}",
            f"The index takes {used} dimensions.",
            "Leave some out.",
        )
    basic: list[Any] = []
    arrays: list[Any] = []
    dim, dots = 0, False
    for k in parts:
        if k is ...:
            count = 0 if dots else len(shape) - used
            basic += [FULL] * count
            arrays += [FULL] * count
            dim, dots = dim + count, True
        elif isinstance(k, (np.ndarray, Tensor)):
            if is_mask(k):
                covers = rank(k)
                _check_mask(sizes(k), shape, dim)
                # a mask without dimensions is one for a dimension of its own
                basic += [FULL] * covers or [None]
                arrays.append(k if covers else k.reshape((1,)))
                dim += covers
            else:
                basic.append(FULL)
                arrays.append(k)
                dim += 1
        else:
            basic.append(k)
            arrays += [] if isinstance(k, int) else [FULL]
            dim += k is not None
    while arrays and type(arrays[-1]) is slice:
        arrays.pop()
    plain = all(type(k) is slice and k == FULL for k in basic)
    return (None if plain and arrays else tuple(basic)), (tuple(arrays) or None)


def _check_mask(mask: tuple[int, ...], shape: tuple[int, ...], dim: int) -> None:
    for j, n in enumerate(mask):
        if shape[dim + j] != n:
            raise DimensionError(
                f"The shape of the mask {list(mask)} at index {j} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {dim + j}",
                "A mask has the sizes of the dimensions it picks from.",
                "Check its shape.",
            )


def _definite(k: Any) -> Any:
    """One part of an index: an int, a slice, None, ``...`` or an array or tensor (a mask if of bool)."""
    if k is None or k is ... or type(k) is int:
        return k
    if type(k) is slice:
        bounds = [k.start, k.stop, k.step]
        if any(isinstance(v, Tensor) for v in bounds):
            return slice(*[None if v is None else whole(v) for v in bounds])
        return k
    k = content(k)
    if isinstance(k, Tensor):
        return _tensor(k)
    if isinstance(k, (list, range, tuple)):
        if any(isinstance(v, Tensor) for v in k):
            return _tensor(stacked(k))
        try:
            k = np.array(k)
        except ValueError:
            raise DimensionError(
                f"the index {k} is no array: its rows have different lengths", "", "Write x[i, j] for two dimensions."
            ) from None
        k = k if k.size else k.astype(np.int64)
    elif isinstance(k, float | complex) and not isinstance(k, np.generic):
        raise DimensionError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(k).__name__})",
            "",
            "Round it: int(…).",
        )
    elif isinstance(k, str):
        raise DTypeError(
            f"new(): invalid data type {type(k).__name__!r}", f"The index is {k!r}.", "Tensors have no named fields."
        )
    elif type(k) is np.ndarray:
        k = k.copy()  # the graph keeps it, and a loop may go on writing to it
    array = plain_array(k)
    _require_places(array.dtype)
    return int(array) if array.ndim == 0 and array.dtype.kind != "b" else array


def _tensor(k: Tensor) -> Any:
    """An index that is a tensor; one of a single number is that number, whose choice gives a view."""
    _require_places(k._data.dtype)
    if k._data.dtype == np.uint8:
        k = k != 0
    if k._data.dtype == bool:
        known_values(k, "which elements an index picks")
        return k
    if k._data.ndim or type(k) is Symbol:
        return k
    return whole(k)


def _require_places(dtype: np.dtype) -> None:
    if dtype.kind not in "biu":
        raise DimensionError(
            "tensors used as indices must be long, int, byte or bool tensors",
            f"The index has dtype {dtype}.",
            "Cast it: .long().",
        )


METHODS["__getitem__"] = subscript


# ----------------------------------------------------------------------- the same by name: select, narrow


def at_dim(dim: int, place: Any) -> tuple[Any, ...]:
    """The index that applies ``place`` to one dimension."""
    return (FULL,) * dim + (place, ...)


@public()
def select(input: Any, dim: int, index: int) -> Any:
    """Return the part at ``index`` along ``dim``, a view without that dimension."""
    shape = sizes(input)
    if not shape:
        raise DimensionError("select() cannot be applied to a 0-dim tensor.", "", "tensor.item() gives its number.")
    dim = axis_of(dim, len(shape))
    index = whole(index)
    if not -shape[dim] <= index < shape[dim]:
        raise DimensionError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}",
            "",
            "Check the index.",
        )
    return getitem(input, at_dim(dim, index))


@public()
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """Return ``length`` elements along ``dim`` from ``start`` on, as a view."""
    shape = sizes(input)
    if not shape:
        raise ShapeError("narrow() cannot be applied to a 0-dim tensor.", "", "It holds one number: item().")
    dim, start, length = axis_of(dim, len(shape)), whole(start), whole(length)
    n = shape[dim]
    if length < 0:
        raise ShapeError("narrow(): length must be non-negative.", f"It is {length}.")
    if not -n <= start <= n:
        raise DimensionError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {start})", "", "Check start."
        )
    if start < 0:
        start = type(start)(start + n)
    if start + length > n:
        raise ShapeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).", "", "Check the length.")
    end = start + length
    end = Found(end) if Found in (type(start), type(length)) else end
    return getitem(input, at_dim(dim, slice(start, end)))


# ----------------------------------------------------------------------------------------- views, replaced


def _replacement(name: str, index: Any, shape: tuple[int, ...], doc: str) -> Any:
    row: Any = general(
        name,
        lambda x, src, index: replaced(x, src, index),
        lambda g, index: row(g, np.zeros_like(getitem(g, index)), index),
        lambda g, index: getitem(g, index),
        means="places",
        doc=doc,
        sample=sampled(index, of=[(3, 4), shape]),
    )
    return row


select_scatter_row = _replacement("select_scatter", (1, ...), (4,), "x, with one of its parts replaced")
slice_scatter_row = _replacement("slice_scatter", (slice(1, 3), ...), (2, 4), "x, with a slice replaced")


def fitting(src: Any, shape: tuple[int, ...], x: Any) -> Any:
    """``src``, checked to have the shape of what it replaces in ``x``, and in its dtype."""
    if sizes(src) != shape:
        raise ShapeError(
            f"expected src to have a size equal to the slice of self. src size = {list(sizes(src))}, slice size = "
            f"{list(shape)}"
        )
    return cast(src, unwrap(x).dtype)


@public()
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """Return ``input`` with its part at ``index`` along ``dim`` replaced by ``src``."""
    shape = sizes(input)
    dim = axis_of(dim, len(shape))
    in_range(
        np.array([index]), shape[dim], f"index {{}} is out of bounds for dimension {dim} with size {shape[dim]}", True
    )
    return select_scatter_row(input, fitting(src, shape[:dim] + shape[dim + 1 :], input), at_dim(dim, index))


@public()
def slice_scatter(input: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """Return ``input`` with the slice ``start:end:step`` along ``dim`` replaced by ``src``."""
    shape = sizes(input)
    dim = axis_of(dim, len(shape))
    place = slice(start, end, step)
    count = len(range(*place.indices(shape[dim])))
    return slice_scatter_row(input, fitting(src, shape[:dim] + (count,) + shape[dim + 1 :], input), at_dim(dim, place))


# ---------------------------------------------------------------- Writing to places: ``x[...] = value`` and index_put

# A write through a basic index is a write to that view; one through arrays or masks replaces the value of the whole
# tensor. Where nothing records, it goes straight to the memory.


# ----------------------------------------------------------------------------------------------- writing


def set_subscript(self: Tensor, index: Any, value: Any) -> None:
    """Overwrite the part of the tensor that ``index`` names with ``value``, broadcast; gradients flow to ``value``.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor(2.0, requires_grad=True)
    >>> x = sg.zeros(3)
    >>> x[1:] = w * 3
    >>> x
    tensor([0., 6., 6.], grad_fn=<CopySlices>)
    >>> x.sum().backward()
    >>> w.grad
    tensor(6.)
    """
    if isinstance(value, (Carrier, list, tuple)):
        value = contents(value)
    if not _recording(self, value):
        check_writable(self, "__setitem__")
        if _wrote(self, index, value):
            return None
    if type(index) is not tuple:
        if index is ... or (type(index) is slice and index == FULL):
            return assign(self, value)
        index = (index,)
    steps, arrays = split_index(self._data.shape, index)
    if steps is not None and any(isinstance(k, int) or (type(k) is slice and k != FULL) or k is None for k in steps):
        self = getitem(self, (*steps, ...))
    if arrays is None:
        return assign(self, value)
    for k in arrays:
        known_values(k, "which elements an index picks")
    if not isinstance(value, (Tensor, np.ndarray, np.generic, int, float, complex)):
        value = gathered(value, self)
    if sizes(value)[:1] == (1,):
        value = _strip(value, self._data[tuple(map(unwrap, arrays))].ndim)
    put_at(self, arrays, value, False, "__setitem__")
    return None


def _wrote(t: Tensor, index: Any, value: Any) -> bool:
    """Write straight to the memory where the index is basic and everything fits (else say False)."""
    index = index if type(index) is tuple else (index,)
    for k in index:
        kind = type(k)
        if kind is not int and kind is not slice and k is not None and k is not ...:
            return False
    source = value
    if type(value) is Tensor:
        value = value._data
    elif type(value) is not float and type(value) is not int:
        return False
    try:
        t._data[index if ... in index else index + (...,)] = value
    except (ValueError, IndexError, OverflowError):
        return False
    wrote(t, source)
    return True


def put_at(t: Tensor, index: tuple[Any, ...], values: Any, accumulate: bool, what: str) -> Tensor:
    """Put ``values`` at an index of arrays into the memory of ``t``."""
    check_writable(t, what, values)
    if sizes(values):
        same_dtype(t, values, _UNLIKE)
    if _recording(t, values):
        return write_result(t, put_at_index(t, values, index, accumulate), what)
    if accumulate or isinstance(values, (Tensor, np.ndarray)):
        t._data[...] = put_at_index(t._data, unwrap(values), tuple(map(unwrap, index)), accumulate)
    else:
        t._data[tuple(map(unwrap, index))] = in_dtype(values, t._data.dtype, what)
    return wrote(t, values, *index)


def put_at_index(x: Any, values: Any, index: tuple[Any, ...], accumulate: bool) -> Any:
    order, places, dim, count = placed_at(index, rank(x))
    if order is None:
        return index_put_row(x, values, places, dim, count, accumulate)
    turned = index_put_row(_turned(x, order), values, places, dim, count, accumulate)
    return _turned(turned, tuple(np.argsort(order).tolist()))


def _turned(x: Any, order: tuple[int, ...]) -> Any:
    return x.permute(order) if isinstance(x, Tensor) else x.transpose(order)


_UNLIKE = (
    "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source."
)


def _indices(indices: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(indices, (Tensor, np.ndarray)):
        raise DTypeError(
            "index_put(): argument 'indices' (position 1) must be tuple of Tensors, not Tensor", "", "Write (index,)."
        )
    parts = [FULL if k is None else _part(k) for k in indices]
    used = sum(1 if type(k) is slice or kind_of(k) != "b" else rank(k) for k in parts)
    if used > len(shape):
        raise DimensionError(
            f"too many indices for tensor of dimension {len(shape)} (got {used})", "", "Leave some out."
        )
    return tuple(parts)


def _part(k: Any) -> Any:
    k = as_index(k)
    if unwrap(k).dtype == np.uint8:
        k = k != 0
    if kind_of(k) not in "biu":
        raise DimensionError(
            "tensors used as indices must be long, int, byte or bool tensors",
            f"One has dtype {unwrap(k).dtype}.",
            "Cast it.",
        )
    if kind_of(k) == "b":
        known_values(k, "which elements an index picks")
    return k if sizes(k) else k.reshape((1,))


@public()
def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Return ``input`` with ``values`` put at (or added to) the places of ``indices``, a tuple of index tensors."""
    index = _indices(indices, sizes(input))
    same_dtype(input, values, _UNLIKE)
    return put_at_index(input, values, index, accumulate)


def index_put_(self: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Put ``values`` at (or add them to) the places of ``indices`` in this tensor's memory, and return it."""
    return put_at(self, _indices(indices, self._data.shape), values, accumulate, "index_put_")


METHODS["index_put_"] = index_put_
METHODS["__setitem__"] = set_subscript
