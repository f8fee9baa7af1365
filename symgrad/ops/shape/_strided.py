"""Views by strides: ``as_strided`` says for each element where in the memory it lies.

The idea to hold: an element's place in memory is also the place of an element of the tensor, or of none. Places that
repeat add up in the gradient; those outside of the tensor (its memory may be larger) have none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import Tensor, linear, plain, storage
from .._dims import numbers_only, spread
from .._public import public
from ..create._create import float_dtype, make
from ..entries._copy import clone_row, copy_
from ..index._places import scattered


def _addresses(size: tuple[int, ...], stride: tuple[int, ...], start: int = 0) -> np.ndarray:
    """Where elements lie, counted in elements from the first of a tensor."""
    grid = np.ogrid[tuple(slice(n) for n in size)]
    return np.asarray(sum((k * s for k, s in zip(grid, stride, strict=True)), np.full(size, start)))


def _c_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))


def _places(shape: tuple[int, ...], size: Any, stride: Any, start: int, layout: Any) -> np.ndarray:
    """For each element of the view its number in C order among the tensor's; -1 where it is none of them."""
    own = _addresses(shape, layout).reshape(-1)
    wanted = _addresses(size, stride, start)
    if not own.size:
        return np.full_like(wanted, -1)
    order = np.argsort(own, kind="stable")
    found = order[np.minimum(np.searchsorted(own, wanted, sorter=order), own.size - 1)]
    return np.where(own[found] == wanted, found, -1)


def _memory(x: np.ndarray) -> tuple[np.ndarray, int]:
    """All of the memory that an array is part of, in its dtype, and where its first element is."""
    whole = storage.owner(x)
    flat = whole.ravel("K")
    if not np.may_share_memory(flat, whole):  # with gaps: the array is all that is known
        return x.reshape(-1), 0
    flat = flat.view(x.dtype)
    first = x.__array_interface__["data"][0] - flat.__array_interface__["data"][0]
    return flat, first // x.itemsize


def _strided(x: np.ndarray, size: Any, stride: Any, start: int, layout: Any) -> np.ndarray:
    """The view; a copy where the array's own elements do not lie as those of the tensor did."""
    if tuple(s // x.itemsize for s, n in zip(x.strides, x.shape) if n > 1) == tuple(
        s for s, n in zip(layout, x.shape) if n > 1
    ):
        flat, first = _memory(x)
        if first + start >= 0 and first + start + _reach(size, stride) <= flat.size:
            steps = tuple(s * x.itemsize for s in stride)
            return np.lib.stride_tricks.as_strided(flat[first + start :], size, steps, writeable=x.flags.writeable)
    places = _places(x.shape, size, stride, start, layout)
    if (places < 0).any():
        raise ShapeError(
            "as_strided: the view reaches beyond its tensor, into memory that is not there", "", "Take it of the base."
        )
    return x.reshape(-1)[places]


def _reach(size: Any, stride: Any) -> int:
    """How many elements of memory a view spans."""
    return 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))


def _unstrided(g: Any, shape: Any, size: Any, stride: Any, start: int, layout: Any) -> Any:
    shape = plain(tuple(shape))  # sizes that have names count as their numbers: the strides are for these
    places = _places(shape, size, stride, start, layout)
    inside = places >= 0
    if not inside.all():
        g, places = g[inside], places[inside]
    return scattered(g, places, 0, (math.prod(shape),)).reshape(shape)


as_strided_row = linear(
    "as_strided", _strided, _unstrided, view=True,
    sample=lambda rng: ([rng.normal(size=(2, 3))], ((2, 2, 2), (2, 1, 1), 1, (3, 1))),
    doc="the elements of x that lie at given steps from each other in its memory",
)  # fmt: skip


@public()
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return a view of given strides, in elements, from ``storage_offset`` in the tensor's memory on.

    By default it begins where the tensor does. Elements of the memory that are none of the tensor's are read, and have
    no gradient.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.arange(4.0).requires_grad_()
    >>> y = x.as_strided((3, 2), (1, 1))
    >>> y
    tensor([[0., 1.],
            [1., 2.],
            [2., 3.]], grad_fn=<AsStridedBackward0>)
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 2., 2., 1.])
    """
    x, size, stride = input._data, spread((size,)), spread((stride,))
    if len(size) != len(stride):
        raise ShapeError(
            f"mismatch in length of strides and shape: {len(stride)} strides, {len(size)} sizes", "",
            "Give each dimension one stride.",
        )  # fmt: skip
    if min((*size, *stride, storage_offset or 0), default=0) < 0:
        raise ShapeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
            if min(stride, default=0) < 0 else "as_strided: sizes and storage_offset must be 0 or more",
            f"The sizes are {list(size)}, the offset is {storage_offset}.", "flip() reverses.",
        )  # fmt: skip
    shape = numbers_only(input.shape, "as_strided")
    flat, first = _memory(x)
    begin = first if storage_offset is None else storage_offset
    if begin + _reach(size, stride) > flat.size:
        raise ShapeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {begin}, and itemsize "
            f"{x.itemsize} requiring a storage size of {(begin + _reach(size, stride)) * x.itemsize} are out of bounds "
            f"for storage of size {flat.nbytes}", f"The memory holds {flat.size} elements.", "Check them.",
        )  # fmt: skip
    layout = _c_stride(shape) if x.flags.c_contiguous else tuple(s // x.itemsize for s in x.strides)
    return as_strided_row(input, size, stride, begin - first, layout)


@public()
def as_strided_scatter(input: Tensor, src: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return ``input`` with ``src`` in the place of the elements that `as_strided` names."""
    whole = clone_row(input, "C")
    copy_(as_strided(whole, size, stride, storage_offset), src)
    return whole


@public(method=False)
def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Return a tensor of given sizes whose elements, not initialised, lie at given steps from each other."""
    size, stride = spread((size,)), spread((stride,))
    whole = np.empty(_reach(size, stride), float_dtype(dtype))
    steps = tuple(s * whole.itemsize for s in stride)
    return make(np.lib.stride_tricks.as_strided(whole, size, steps), requires_grad, device)


@public(function=False)
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return `empty_strided` of this tensor's dtype."""
    dtype = self._data.dtype if dtype is None else dtype
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


@public(method=False)
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of given sizes, not initialised, whose dimensions lie in memory in the order given."""
    size, order = spread((size,)), spread((physical_layout,))
    if sorted(order) != list(range(len(size))):
        raise ShapeError(
            f"empty_permuted: physical_layout {list(order)} is no order of the {len(size)} dimensions", "",
            "Name each dimension once.",
        )  # fmt: skip
    stride = [math.prod(size[d] for d in order[order.index(k) + 1 :]) for k in range(len(size))]
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)
