"""Diagonals: taken from matrices as views, and put into them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY, Tensor, general, linear
from .._dims import axis_of, sizes
from .._numpy_arguments import summed_in
from .._public import METHODS, public
from ..entries._copy import cast
from ..index._assign import put_at
from ..index._index import fitting, matrix_sample
from ..reduce._reduce import _long
from ..reduce._reduce import expand as expand_row
from ._shape import reshape


def _diagonal(x: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    out = np.diagonal(x, offset, dim1, dim2)
    if x.flags.writeable:
        out.flags.writeable = True  # NumPy means it as a read-only view; here it may be written through
    return out


def _embedded(x: Any, size: tuple[int, ...], offset: int, dim1: int, dim2: int) -> np.ndarray:
    out = np.zeros(size, x.dtype)
    _diagonal(out, offset, dim1, dim2)[...] = x
    return out


def _embed_square(x: Any, offset: int, dim1: int, dim2: int) -> np.ndarray:
    return _embedded(x, _square_size(np.shape(x), offset, dim1, dim2), offset, dim1, dim2)


def _square_size(shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> tuple[int, ...]:
    size = list(shape[:-1])
    for d in sorted((dim1, dim2)):
        size.insert(d, shape[-1] + abs(offset))
    return tuple(size)


def _back(g: Any, shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> Any:
    return diagonal_put(g, shape, offset, dim1, dim2)


diagonal_row = linear(
    "diagonal",
    _diagonal,
    _back,
    view=True,
    means="option axis axis",
    sample=matrix_sample(1, 0, 1),
    doc="the diagonal of two dimensions, as the last one",
)
diagonal_copy_row = linear(
    "diagonal_copy",
    lambda x, offset, dim1, dim2: _diagonal(x, offset, dim1, dim2).copy(),
    _back,
    means="option axis axis",
    sample=matrix_sample(1, 0, 1),
    label="diagonal",
    doc="a copy of a diagonal",
)
diagonal_put = linear(
    "diagonal_put",
    _embedded,
    lambda g, offset, dim1, dim2: diagonal_row(g, offset, dim1, dim2),
    means="size option place place",
    sample=lambda rng: ([rng.normal(size=3)], ((3, 4), 1, 0, 1)),
    doc="zeros of a size, with x on a diagonal",
)
diag_embed_row = linear(
    "diag_embed",
    _embed_square,
    lambda g, offset, dim1, dim2: diagonal_row(g, offset, dim1, dim2),
    means="option new new",
    sample=lambda rng: ([rng.normal(size=(2, 3))], (1, 1, 2)),
    doc="square matrices of zeros, with x on a diagonal",
)
trace_row = linear(
    "trace",
    lambda x: _long(np.trace(x)),
    lambda g, shape: diagonal_put(expand_row(g, (min(shape),)), shape, 0, 0, 1),
    sample=matrix_sample(),
    doc="the sum of the diagonal of a matrix",
)


def _plane(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """The two dimensions of a diagonal, counted from the front."""
    a, b = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if a == b:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}", "", "")
    return a, b


@public()
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return the diagonal of the dimensions ``dim1`` and ``dim2`` as the last dimension, a view."""
    return diagonal_row(input, offset, *_plane(dim1, dim2, len(sizes(input))))


NUMPY[np.diagonal] = lambda a, offset=0, axis1=0, axis2=1: diagonal(a, offset, axis1, axis2)


@public()
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return square matrices of zeros, in ``dim1`` and ``dim2``, with the last dimension on a diagonal."""
    n = len(sizes(input)) + 1
    if n < 2:
        axis_of(dim1, 0)
    return diag_embed_row(input, offset, *_plane(dim1, dim2, n))


@public()
def diag(input: Any, diagonal: int = 0) -> Any:
    """Return a copy of the diagonal of a matrix, or the square matrix that has a vector on its diagonal."""
    n = len(sizes(input))
    if n == 1:
        return diag_embed_row(input, diagonal, 0, 1)
    if n == 2:
        return diagonal_copy_row(input, diagonal, 0, 1)
    raise ShapeError(f"diag(): Supports 1D or 2D tensors. Got {n}D", "", "diagonal() and diag_embed() take batches.")


@public()
def diagflat(input: Any, offset: int = 0) -> Any:
    """Return the square matrix with the elements, read as one row, on its diagonal."""
    return diag_embed_row(reshape(input, (-1,)), offset, 0, 1)


NUMPY[np.diag] = lambda v, k=0: diag(v, k)
NUMPY[np.diagflat] = lambda v, k=0: diagflat(v, k)


@public()
def trace(input: Any) -> Any:
    """Return the sum of the diagonal of a matrix."""
    n = len(sizes(input))
    if n != 2:
        raise ShapeError(
            f"trace: expected a matrix, but got tensor with dim {n}", "", "diagonal().sum(-1) takes batches."
        )
    return trace_row(input)


def _numpy_trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    a, kind = cast(a, dtype), summed_in(a, dtype)
    if len(sizes(a)) == 2 and offset == 0 and {axis1, axis2} in ({0, 1}, {-1, -2}):
        return cast(trace_row(a), kind)
    return cast(diagonal(a, offset, axis1, axis2).sum(-1), kind)


NUMPY[np.trace] = _numpy_trace


def _with_diagonal(x: np.ndarray, src: Any, offset: int, dim1: int, dim2: int) -> np.ndarray:
    out = np.array(x)
    _diagonal(out, offset, dim1, dim2)[...] = src
    return out


diagonal_scatter_row: Any = general(
    "diagonal_scatter",
    _with_diagonal,
    lambda g, offset, dim1, dim2: diagonal_scatter_row(g, 0, offset, dim1, dim2),
    lambda g, offset, dim1, dim2: diagonal_row(g, offset, dim1, dim2),
    means="option axis axis",
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=3)], (1, 0, 1)),
    doc="x, with a diagonal replaced by src",
)


@public()
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return ``input`` with the diagonal of ``dim1`` and ``dim2`` replaced by ``src``."""
    shape = sizes(input)
    a, b = _plane(dim1, dim2, len(shape))
    length = max(min(shape[a] + min(offset, 0), shape[b] - max(offset, 0)), 0)
    want = tuple(n for d, n in enumerate(shape) if d not in (a, b)) + (length,)
    return diagonal_scatter_row(input, fitting(src, want, input), offset, a, b)


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the main diagonal (of all dimensions, which must then be equal) to a number and return the tensor.

    With ``wrap`` the diagonal of a tall matrix starts again after its end.
    """
    shape = self._data.shape
    if len(shape) < 2:
        raise ShapeError("dimensions must larger than 1", f"The shape is {list(shape)}.", "")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError("all dimensions of input must be of equal length", f"The shape is {list(shape)}.", "")
    if len(shape) == 2 and (not wrap or shape[0] <= shape[1]):
        diagonal_row(self, 0, 0, 1).fill_(fill_value)
        return self
    if len(shape) > 2:
        places = np.arange(min(shape))
        return put_at(self, (places,) * len(shape), fill_value, False, "fill_diagonal_")
    flat = np.arange(0, math.prod(shape), shape[1] + 1)
    return put_at(self, np.unravel_index(flat, shape), fill_value, False, "fill_diagonal_")


METHODS["fill_diagonal_"] = fill_diagonal_
