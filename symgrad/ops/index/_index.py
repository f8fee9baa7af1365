"""Square brackets: ``x[...]`` and ``x[...] = value``.

The idea to hold: an index of integers, slices, None and ``...`` is one step, and gives a view; index arrays and masks
are a second step, after it, and give a copy. (NumPy mixes the two differently when integers and arrays meet:
PyTorch's way is to take the integers first.) A row per name that PyTorch gives the node, one pair of rules for all.
"""

from __future__ import annotations

import math
import operator
import re
from operator import index as index_of
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ...core import TABLE, Symbol, Tensor, bounded, general, linear, note_places, plain_array, run_symbolic
from ...core import places as noted_places
from .._dims import axis_of, known, sizes
from .._public import METHODS, public
from ..reduce._reduce import c_order, sum_to

FULL = slice(None)
_ARRAYS = (np.ndarray, np.generic)

# ---------------------------------------------------------------------------------------------------- rows


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


def _put(x: Any, size: tuple[int, ...], index: Any) -> np.ndarray:
    out = np.zeros(size, x.dtype)
    out[index] = x
    return out


def placed(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of ``shape`` with ``g`` at the place that a basic index names."""
    return _put(g, shape, index) if isinstance(g, _ARRAYS) else embed(g, shape, index)


def matrix_sample(*params: Any) -> Any:
    """Sample arguments of a row: a matrix, and parameters."""
    return lambda rng: ([rng.normal(size=(3, 4))], params)


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
    sample=lambda rng: ([rng.normal(size=4)], ((3, 4), (1, ...))),
    doc="zeros of a size, with x at the place of an index",
)


def accumulated(x: Any, size: tuple[int, ...], index: tuple[Any, ...]) -> np.ndarray:
    """Zeros of ``size`` to which ``x`` was added at the places of an index of arrays; places may repeat."""
    x = np.asarray(x)
    out = np.zeros(size, x.dtype)
    arrays = [k for k in index if k is not None and type(k) is not slice]
    if all(k.dtype == bool for k in arrays):  # the places of a mask are all different
        out[index] = x
    elif out.size:
        # np.add.at is quick on flat arrays only
        places = index[0] if out.ndim == 1 and len(index) == 1 else flat_places(size, index)
        np.add.at(out.reshape(-1), places.reshape(-1), x.reshape(-1))
    return out


def flat_places(size: tuple[int, ...], index: tuple[Any, ...]) -> np.ndarray:
    """Where in the flat array the elements of ``x[index]`` lie, for an ``x`` of shape ``size``."""
    k = len(index)
    if any(type(i) is slice or i.dtype == bool for i in index):
        return np.arange(math.prod(size)).reshape(size)[index]
    places = np.ravel_multi_index(index, size[:k], mode="wrap")  # wrap: -1 is the last
    rest = math.prod(size[k:])
    return places if rest == 1 else np.asarray(places)[..., None] * rest + np.arange(rest)


getitem_arrays = linear(
    "index",
    lambda x, index: c_order(taken(x, index)),
    lambda g, shape, index: scattered(g, shape, index),
    keep=("index",),
    sample=matrix_sample((np.array([0, 2, 0]),)),
    text="{0}[{1}]",
    doc="x[index] with arrays of integers or masks",
)
index_accumulate = linear(
    "index_accumulate",
    accumulated,
    lambda g, index: getitem_arrays(g, index),
    keep=("index",),
    sample=lambda rng: ([rng.normal(size=3)], ((4,), (np.array([1, 3, 1]),))),
    doc="zeros of a size, with x added at the places of an index",
)


def scattered(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """As `accumulated`, for tensors too."""
    return accumulated(g, shape, index) if isinstance(g, _ARRAYS) else index_accumulate(g, shape, index)


def replaced(x: Any, values: Any, index: Any) -> np.ndarray:
    """A copy of an array, with values put at an index."""
    out = np.array(x, order="C")
    out[index] = values
    return out


cleared: Any = linear(
    "clear",
    lambda x, index: replaced(x, 0, index),
    lambda g, index: cleared(g, index),
    keep=("index",),
    sample=matrix_sample((np.array([0, 2, 0]),)),
    doc="x, with zeros at the places of an index",
)


def put_values(x: np.ndarray, values: Any, index: Any, accumulate: bool) -> np.ndarray:
    if accumulate:
        out = np.array(x, order="C")
        out += accumulated(np.broadcast_to(np.asarray(values, x.dtype), out[index].shape), x.shape, index)
        return out
    try:
        return replaced(x, values, index)
    except ValueError:
        shape = x[index].shape
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast to indexing result "
            "of shape "
            f"{list(shape)}",
            "",
            "The values must broadcast to what the index picks.",
        ) from None
    except IndexError as error:
        raise _translated(error, x.shape) from None


index_put_row = general(
    "index_put",
    put_values,
    lambda g, index, accumulate: g if accumulate else cleared(g, index),
    lambda g, shape, index: sum_to(getitem_arrays(g, index), shape),
    keep=("index",),
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=(2, 4))], ((np.array([0, 2]),), False)),
    doc="x, with values put at (or added to) the places of an index",
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
    if kind is slice:
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
        elif kind is not int and kind is not slice and k is not None:
            return _subscript(self, index)
    return getitem(self, index if whole else index + (...,))


def _no_dimensions() -> Any:
    raise DimensionError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
        "0-dim tensor "
        "to a number",
        "The tensor has no dimensions.",
        "tensor.item() gives its number.",
    )


def _subscript(x: Tensor, index: tuple[Any, ...]) -> Any:
    steps, arrays = split(x._data.shape, index)
    if steps is not None:
        x = subscript(x, steps)
    if arrays is None:
        return x
    return _at_own_places(x, arrays) if Symbol in map(type, index) else getitem_arrays(x, arrays)


def _at_own_places(x: Tensor, arrays: tuple[Any, ...]) -> Any:
    """As `getitem_arrays`, at places that a trace knows as each example's own; numbers among them first, as ever."""
    for n, k in zip(x._data.shape, arrays, strict=False):
        if type(k) is np.ndarray:
            bounded(k, -n, n)
    numbers = tuple([k if type(k) is np.ndarray and not k.ndim else FULL for k in arrays])
    others = tuple([k for k, number in zip(arrays, numbers, strict=True) if number is FULL])
    for step in (numbers, others):
        if any(type(k) is np.ndarray for k in step):
            x = run_symbolic(TABLE["index"], (x,), (step,))
    return x


def split(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[Any, Any]:
    """An index as two: the basic one, and the one of arrays for what it leaves; None where there is nothing to do."""
    parts = [_definite(k) for k in index]
    used = sum(k.ndim if _is_mask(k) else k is not None and k is not ... for k in parts)
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
        elif isinstance(k, np.ndarray):
            if _is_mask(k):
                _check_mask(k, shape, dim)
                # a mask without dimensions is one for a dimension of its own
                basic += [FULL] * k.ndim or [None]
                arrays.append(k if k.ndim else k.reshape(1))
                dim += k.ndim
            else:
                basic.append(FULL)
                arrays.append(k)
                dim += 1
        else:
            basic.append(k)
            arrays += [] if type(k) is int else [FULL]
            dim += k is not None
    while arrays and type(arrays[-1]) is slice:
        arrays.pop()
    plain = all(type(k) is slice and k == FULL for k in basic)
    return (None if plain and arrays else tuple(basic)), (tuple(arrays) or None)


def _is_mask(k: Any) -> bool:
    return isinstance(k, np.ndarray) and k.dtype == bool


def _check_mask(mask: np.ndarray, shape: tuple[int, ...], dim: int) -> None:
    for j, n in enumerate(mask.shape):
        if shape[dim + j] != n:
            raise DimensionError(
                f"The shape of the mask {list(mask.shape)} at index {j} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {dim + j}",
                "A mask has the sizes of the dimensions it picks from.",
                "Check its shape.",
            )


def _definite(k: Any) -> Any:
    """One part of an index: an int, a slice, None, ``...`` or an array (a mask if of bool)."""
    if k is None or k is ... or type(k) is int:
        return k
    if type(k) is slice:
        bounds: list[Any] = [k.start, k.stop, k.step]
        if any(isinstance(v, Tensor) for v in bounds):
            return slice(*[None if v is None else index_of(v) for v in bounds])
        return k
    if type(k) is Symbol:
        k = noted_places(k)
        if type(k) is np.ndarray:
            return k
        known(k, "which elements an index picks")
    if isinstance(k, Tensor):
        note_places(k)
        k = k._data.astype(bool) if k._data.dtype == np.uint8 else k._data
    elif isinstance(k, (list, range, tuple)):
        k = np.array([known(v, "which elements an index picks") for v in k])
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
    if array.dtype.kind not in "biu":
        raise DimensionError(
            "tensors used as indices must be long, int, byte or bool tensors",
            f"The index has dtype {array.dtype}.",
            "Cast it: .long().",
        )
    return int(array) if array.ndim == 0 and array.dtype.kind != "b" else array


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
    index = operator.index(index)
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
    dim, start, length = axis_of(dim, len(shape)), operator.index(start), operator.index(length)
    n = shape[dim]
    if length < 0:
        raise ShapeError("narrow(): length must be non-negative.", f"It is {length}.", "")
    if not -n <= start <= n:
        raise DimensionError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {start})", "", "Check start."
        )
    start = start + n if start < 0 else start
    if start + length > n:
        raise ShapeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).", "", "Check the length.")
    return getitem(input, at_dim(dim, slice(start, start + length)))
