"""Square brackets: ``x[...]`` and ``x[...] = value``.

The idea to hold: an index of integers, slices, None and ``...`` is one step, and gives a view; index arrays and masks
are a second step, after it, and give a copy. (NumPy mixes the two differently when integers and arrays meet:
PyTorch's way is to take the integers first.) A row per name that PyTorch gives the node, one pair of rules for all.
"""

from __future__ import annotations

from operator import index as index_of
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ...core import Found, Symbol, Tensor, content, general, linear, plain_array
from .._dims import axis_of, data, in_range, known, rests_on_values, sizes
from .._public import METHODS, public
from ..entries._copy import cast
from ._places import FULL, getitem_arrays, index_row, is_mask, replaced, stacked, taken

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
    steps, arrays = split(x._data.shape, index)
    if steps is not None:
        x = getitem(x, (*steps, ...))
    if arrays is None:
        return x
    numbers = [type(k) is Symbol and not sizes(k) for k in arrays]
    if any(numbers) and not all(n or type(k) is slice for n, k in zip(numbers, arrays, strict=True)):
        x = getitem_arrays(x, tuple(k if n else FULL for k, n in zip(arrays, numbers, strict=True)))  # first, as ever
        arrays = tuple(k for k, n in zip(arrays, numbers, strict=True) if not n)
    return getitem_arrays(x, arrays)


def split(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[Any, Any]:
    """An index as two: the basic one, and the one of arrays for what it leaves; None where there is nothing to do."""
    parts = [_definite(k) for k in index]
    used = sum(len(sizes(k)) if is_mask(k) else k is not None and k is not ... for k in parts)
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
                rank = len(sizes(k))
                _check_mask(sizes(k), shape, dim)
                # a mask without dimensions is one for a dimension of its own
                basic += [FULL] * rank or [None]
                arrays.append(k if rank else k.reshape((1,)))
                dim += rank
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
        bounds: list[Any] = [k.start, k.stop, k.step]
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
        known(k, "which elements an index picks")
        return k
    if k._data.ndim or type(k) is Symbol:
        return k
    return whole(k)


def whole(k: Any) -> int:
    """An index or a bound as a whole number; a tensor's says where it was found."""
    n = index_of(k)
    return Found(n) if rests_on_values(k) else n


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
        raise ShapeError("narrow(): length must be non-negative.", f"It is {length}.", "")
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
        sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=shape)], (index,)),
    )
    return row


select_scatter_row = _replacement("select_scatter", (1, ...), (4,), "x, with one of its parts replaced")
slice_scatter_row = _replacement("slice_scatter", (slice(1, 3), ...), (2, 4), "x, with a slice replaced")


def fitting(src: Any, shape: tuple[int, ...], x: Any) -> Any:
    """``src``, checked to have the shape of what it replaces in ``x``, and in its dtype."""
    if sizes(src) != shape:
        raise ShapeError(
            f"expected src to have a size equal to the slice of self. src size = {list(sizes(src))}, slice size = "
            f"{list(shape)}",
            "",
            "",
        )
    return cast(src, data(x).dtype)


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
