"""Picking and putting by masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ..._typing import in_dtype
from ...core import Tensor, elementwise, general, linear, mismatch, short_dtype
from .._dims import array, data, known, same_dtype, sizes
from .._public import public
from ..reduce._reduce import c_order, expand
from ._index import placed
from ._places import index_accumulate

masked_fill_row = elementwise(
    "masked_fill",
    lambda x, mask, value: _masked(x, mask, value),
    lambda g, mask: np.where(mask, 0, g),
    0,
    lambda g, mask: np.where(mask, g, 0),
    domain=("real", "bool", "real"),
    own_dtype=True,
    masks=True,
    doc="x, with value where mask holds",
)


def _masked(x: Any, mask: Any, value: Any) -> Any:
    own = np.asarray(x).dtype
    return c_order(np.where(mask, np.asarray(in_dtype(value, own, "masked_fill")).astype(own), x))


def _truths(mask: Any, words: str) -> np.ndarray:
    """The array of a mask; ``words`` name the dtype of anything else."""
    found = array(mask)
    if found.dtype != bool:
        raise DTypeError(
            words.format(short_dtype(found.dtype)), "A mask holds truth values.",
            "Compare (mask != 0), or cast with .bool().",
        )  # fmt: skip
    return found


def _common_shape(x: Any, mask: Any) -> tuple[int, ...]:
    a, b = sizes(x), sizes(mask)
    words = mismatch(sizes(mask), sizes(x))
    if words:
        raise ShapeError(words, f"The mask has shape {b}, the tensor {a}.", "The mask must broadcast.")
    return a if a == b else np.broadcast_shapes(a, b)


def _same_shape(x: Any, mask: Any) -> tuple[Any, Any]:
    both = _common_shape(x, mask)
    mask = mask if isinstance(mask, Tensor) else array(mask)
    return tuple(t if sizes(t) == both else expand(t, both) for t in (x, mask))


@public(inplace=True)
def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """Return ``input`` with ``value``, a number or a tensor without dimensions, where ``mask`` holds."""
    _truths(
        mask,
        f"masked_fill_ only supports boolean masks, but got mask with dtype {array(mask).dtype}",
    )
    _common_shape(input, mask)
    if not isinstance(value, (Tensor, np.ndarray)):
        return masked_fill_row(input, mask, value)
    if sizes(value):
        raise ShapeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {len(sizes(value))} "
            "dimension(s).",
            "",
            "sg.where(mask, value, input) takes any shape.",
        )
    return masked_fill_row(input, mask, value)


masked_select_row = linear(
    "masked_select",
    lambda x, mask: x[mask],
    lambda g, shape, mask: index_accumulate(g, mask, 0, len(shape), shape),
    0,
    domain=("real", "index"),
    masks=True,
    text="masked_select({0}, {1})",
    sample=lambda rng: ([rng.normal(size=4), np.array([True, False, True, True])], ()),
    doc="the elements where mask holds",
)


@public()
def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements of ``input`` where ``mask`` holds, as a vector.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.0, 4.0], requires_grad=True)
    >>> sg.sqrt(x).masked_select(x > 0).sum().backward()
    >>> x.grad
    tensor([0.0000, 0.2500])
    """
    known(mask, "which elements a mask picks")
    _truths(mask, "masked_select: expected BoolTensor for mask")
    return masked_select_row(*_same_shape(input, mask))


def _masked_put(x: np.ndarray, source: Any, mask: np.ndarray) -> np.ndarray:
    out = np.array(x, order="C")
    out[mask] = np.asarray(source).reshape(-1)[: int(mask.sum())]
    return out


def _padded(g: Any, shape: tuple[int, ...], mask: Any) -> Any:
    picked = masked_select_row(g, mask)
    return placed(picked, (math.prod(shape),), (slice(0, sizes(picked)[0]),)).reshape(shape)


masked_scatter_row = general(
    "masked_scatter",
    _masked_put,
    lambda g, mask: np.where(mask, 0, g),
    _padded,
    0,
    domain=("real", "real", "index"),
    masks=True,
    text="masked_scatter({0}, {2}, {1})",
    sample=lambda rng: ([rng.normal(size=3), rng.normal(size=3), np.array([True, False, True])], ()),
    doc="x, with the elements of source in turn where mask holds",
)


@public(inplace=True)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return ``input`` with the elements of ``source``, in turn, where ``mask`` holds."""
    _truths(mask, "masked_scatter_ only supports boolean masks, but got mask with dtype {}")
    same_dtype(input, source, "masked_scatter: expected self and source to have same dtypes but got{} and {}")
    x, places = _same_shape(input, mask)
    if int(data(places).sum()) > math.prod(sizes(source)):
        raise ShapeError("Number of elements of source < number of ones in mask", "", "Give source as many elements.")
    return masked_scatter_row(x, source, places)
