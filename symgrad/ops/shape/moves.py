"""Elements in another order, repeated, or in windows; triangles and diagonals of a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY, Tensor, general, linear, wrap
from ..arguments import (
    axis_of,
    found_in,
    integers_of,
    known_values,
    many_dims,
    no_axis,
    rank,
    sizes,
    summed_in,
    tensor_like,
    whole,
)
from ..entries.copies import cast, clone
from ..index.index import at_dim, fitting, narrow, put_at
from ..index.pick import index_select
from ..public import METHODS, dims, public, publish
from ..reduce.sums import _long, c_order
from ..reduce.sums import expand as expand_row
from ..samples import matrix_sample, sampled
from .shapes import flatten, reshape

# -------------------------------------------------------------------------------------------------------------------
# Elements in another order, repeated, or in windows: flip, roll, repeat, unfold, and the triangles of a matrix


# ------------------------------------------------------------------------------------- flip, roll, rotate

flip_row: Any = linear(
    "flip",
    lambda x, dims: np.flip(x, dims).copy(),
    lambda g, dims: flip_row(g, dims),
    means="axes",
    sample=matrix_sample((0, 1)),
    doc="x with the order of some dimensions reversed",
)
roll_row: Any = linear(
    "roll",
    lambda x, shifts, dims: c_order(np.roll(x, shifts, dims)),
    lambda g, shifts, dims: roll_row(g, _negative(shifts), dims),
    means="option axis",  # without dims all entries are shifted in a row: no axes
    sample=matrix_sample((1,), (1,)),
    doc="x shifted along dimensions, what leaves at one end entering at the other",
)
rot90_row: Any = linear(
    "rot90",
    lambda x, k, dims: np.array(np.rot90(x, k, dims)),
    lambda g, k, dims: rot90_row(g, -k, dims),
    means="option axes",
    sample=matrix_sample(1, (0, 1)),
    doc="x turned k times by a quarter in the plane of two dimensions",
)


def _negative(shifts: Any) -> Any:
    return tuple(-s for s in shifts) if isinstance(shifts, tuple) else -shifts


@public()
def flip(input: Any, *along: Any, dims: Any = None, axis: Any = None) -> Any:
    """Return a copy with the order of the elements along ``dims`` (or ``axis=``) reversed."""
    if dims is not None or axis is not None:
        along = (axis if dims is None else dims,)
    wanted = many_dims(integers_of(along), rank(input))
    return flip_row(input, wanted if sizes(input) else ())


NUMPY[np.flip] = lambda m, axis=None: flip(m, tuple(range(rank(m))) if axis is None else axis)


@public(numpy=(np.fliplr,))
def fliplr(input: Any) -> Any:
    """Return a copy with the order of the columns reversed."""
    if rank(input) < 2:
        raise ShapeError("Input must be >= 2-d.", "", "Use flip.")
    return flip_row(input, (1,))


@public(numpy=(np.flipud,))
def flipud(input: Any) -> Any:
    """Return a copy with the order of the rows reversed."""
    if rank(input) < 1:
        raise ShapeError("Input must be >= 1-d.")
    return flip_row(input, (0,))


@public()
@dims
def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Return a copy shifted by ``shifts`` along ``dims`` (without: flattened), entering again at the other end."""
    shifts, wanted = integers_of((shifts,)), () if dims is None else integers_of((dims,))
    if len(shifts) != len(wanted) and not (len(shifts) == 1 and not wanted):
        raise ShapeError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(wanted)}",
            "",
            "Give one shift per dim.",
        )
    if not wanted:
        return roll_row(input, shifts[0], None)
    return roll_row(input, shifts, tuple(axis_of(d, rank(input)) for d in wanted))


def _numpy_roll(a: Any, shift: Any, axis: Any = None) -> Any:
    if axis is None:
        return roll(a, tensor_like(shift).sum())
    if np.ndim(shift) != np.ndim(axis):  # NumPy broadcasts one against the other
        shift, axis = (tuple(v.tolist()) for v in np.broadcast_arrays(shift, axis))
    return clone(a) if no_axis(axis) else roll(a, shift, axis)


NUMPY[np.roll] = _numpy_roll


@public()
def rot90(input: Any, k: int = 1, dims: Any = (0, 1)) -> Any:
    """Return a copy turned ``k`` times by a quarter in the plane of ``dims``, from the first towards the second."""
    n, plane = rank(input), tuple(dims)
    if len(plane) != 2:
        raise ShapeError(f"expected total rotation dims == 2, but got dims = {len(plane)}")
    if n < 2:
        raise ShapeError(f"expected total dims >= 2, but got total dims = {n}")
    a, b = (axis_of(d, n) for d in plane)
    if a == b:
        raise ShapeError(f"expected rotation dims to be different, but got dim0 = {plane[0]} and dim1 = {plane[1]}")
    turns: Any = k
    return rot90_row(input, whole(turns) if isinstance(turns, Tensor) else turns, (a, b))


NUMPY[np.rot90] = lambda m, k=1, axes=(0, 1): rot90(m, k, axes)

# ------------------------------------------------------------------------------------------ repetitions


def _folded(g: Any, shape: tuple[int, ...], repeats: tuple[int, ...]) -> Any:
    """The sum of the copies that `repeat` made."""
    lead = len(repeats) - len(shape)
    own = (1,) * lead + shape
    blocks = g.reshape(tuple(n for pair in zip(repeats, own, strict=True) for n in pair))
    return blocks.sum(tuple(range(0, 2 * len(own), 2))).reshape(shape) if own else g


repeat_row = linear(
    "repeat",
    lambda x, repeats: np.tile(x, repeats),
    _folded,
    means="repeats",
    sample=sampled((2, 1, 2), of=[(2, 3)]),
    label="tile",
    doc="copies of x side by side",
)
repeat_each_row = linear(
    "repeat_interleave",
    lambda x, repeats, dim: np.repeat(x, repeats, dim),
    lambda g, shape, repeats, dim: g.reshape((*shape[: dim + 1], repeats, *shape[dim + 1 :])).sum(dim + 1),
    means="option axis",
    sample=matrix_sample(2, 1),
    doc="x with every slice along dim repeated",
)


def _repeated(input: Any, repeats: tuple[int, ...]) -> Any:
    shape = sizes(input)
    own = (1,) * (len(repeats) - len(shape)) + shape
    if min(repeats, default=0) < 0:
        new = [r * s for r, s in zip(repeats, own, strict=True)]
        raise ShapeError(
            f"Trying to create tensor with negative dimension {min(new)}: {new}", f"The repeats are {list(repeats)}."
        )
    return repeat_row(input, repeats)


def repeat(self: Any, *counts: Any, repeats: Any = None) -> Any:
    """Return copies of the tensor side by side, ``repeats`` of them along each dimension."""
    counts = integers_of(counts if repeats is None else (repeats,))
    if len(counts) < rank(self):
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
            f"{list(counts)} for {list(sizes(self))}.",
            "tile() takes fewer.",
        )
    return _repeated(self, counts)


publish(repeat, "repeat", function=False)


@public()
def tile(input: Any, *counts: Any, dims: Any = None) -> Any:
    """Return copies of the tensor side by side, ``dims`` of them along each of the last dimensions."""
    counts = integers_of(counts if dims is None else (dims,))
    return _repeated(input, (1,) * (rank(input) - len(counts)) + counts)


NUMPY[np.tile] = lambda A, reps: tile(A, reps)


@public()
@dims
def repeat_interleave(input: Any = None, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Any:
    """Return every slice along ``dim`` (without: every element) repeated ``repeats`` times, a number or one each.

    Of one tensor alone, of counts, return the place of each count as often as it says: 0 0 2 of 2, 0, 1.
    """
    if input is None or repeats is None:
        repeats = repeats if input is None else input
        counts = known_values(repeats, "the number of repetitions")
        if counts.ndim != 1 or counts.dtype.kind not in "iu":
            raise ShapeError(
                "repeat_interleave only accept 1D vector as repeat", f"It is {counts.dtype} of shape {counts.shape}.",
                "Pass whole numbers in a vector; or what is to be repeated, and how often.",
            )  # fmt: skip
        input = wrap(np.arange(counts.size))
    if dim is None:
        input, dim = flatten(input), 0
    shape = sizes(input)
    dim = axis_of(dim, len(shape))
    if not shape:
        input, shape = flatten(input), (1,)
    if isinstance(repeats, (int, np.integer)):
        if repeats < 0:
            raise ShapeError("Repeats must be non-negative", f"It is {repeats}.")
        return repeat_each_row(input, int(repeats), dim)
    counts = np.asarray(known_values(repeats, "the number of repetitions")).reshape(-1)
    if counts.size not in (1, shape[dim]):
        raise ShapeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({dim}) = "
            f"{shape[dim]}",
            "",
            "Give one count per slice.",
        )
    if counts.size and counts.min() < 0:
        raise ShapeError("repeats can not be negative")
    return index_select(input, dim, found_in(np.repeat(np.arange(shape[dim]), counts), repeats))


NUMPY[np.repeat] = lambda a, repeats, axis=None: repeat_interleave(
    a, repeats if isinstance(repeats, (int, Tensor)) else np.asarray(repeats), axis
)

# ----------------------------------------------------------------------------------------------- windows


def _windows(x: np.ndarray, dim: int, size: int, step: int) -> np.ndarray:
    if not x.ndim:
        return x.reshape(1)[:size]
    if size == 0:
        count = x.shape[dim] // step + 1
        return np.zeros(x.shape[:dim] + (count,) + x.shape[dim + 1 :] + (0,), x.dtype)
    every = np.lib.stride_tricks.sliding_window_view(x, size, dim, writeable=not step < size <= x.shape[dim] - step)
    return every[at_dim(dim, slice(None, None, step))]


def _overlaid(x: np.ndarray, total: tuple[int, ...], dim: int, size: int, step: int) -> np.ndarray:
    out = np.zeros(total, x.dtype)
    if not total:
        return x.sum().reshape(())
    count = x.shape[dim]
    for k in range(size):
        out[at_dim(dim, slice(k, k + step * (count - 1) + 1, step))] += x[..., k]
    return out


unfold_row = linear(
    "unfold",
    _windows,
    lambda g, shape, dim, size, step: overlay(g, shape, dim, size, step),
    view=True,
    means="axis option option",
    sample=matrix_sample(1, 2, 1),
    doc="the windows of x along dim, their elements along a new last dimension",
)
overlay: Any = linear(
    "overlay",
    _overlaid,
    lambda g, dim, size, step: unfold_row(g, dim, size, step),
    means="size place option option",
    sample=sampled((3, 4), 1, 2, 1, of=[(3, 3, 2)]),
    doc="windows added up where they overlap",
)


def unfold(self: Any, dimension: int, size: int, step: int) -> Any:
    """Return a view of all windows of ``size`` elements along ``dimension``, ``step`` apart, as a last dimension.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.arange(4.0).unfold(0, 2, 1)
    tensor([[0., 1.],
            [1., 2.],
            [2., 3.]])
    """
    shape = sizes(self)
    dim = axis_of(dimension, len(shape))
    n = shape[dim] if shape else 1
    if size < 0:
        raise ShapeError(f"size is {size} but must be >= 0")
    if size > n:
        raise ShapeError(f"maximum size for tensor at dimension {dim} is {n} but size is {size}")
    if step <= 0:
        raise ShapeError(f"step is {step} but must be > 0")
    return unfold_row(self, dim, size, step)


publish(unfold, "unfold", function=False)


def _sliding(x: Any, window_shape: Any, axis: Any = None, **_: Any) -> Any:
    window, axis = (v if v is None or np.ndim(v) else (v,) for v in (window_shape, axis))
    axes = range(rank(x)) if axis is None else [axis_of(d, rank(x)) for d in axis]
    for size, dim in zip(window, axes, strict=True):
        x = unfold(x, dim, size, 1)
    return x


NUMPY[np.lib.stride_tricks.sliding_window_view] = _sliding


# --------------------------------------------------------------------------------------------- triangles

tril_row: Any = linear(
    "tril",
    lambda x, k: c_order(np.tril(x, k)),
    lambda g, k: tril_row(g, k),
    means="option",
    last=2,
    sample=matrix_sample(0),
    doc="x, with zeros above a diagonal",
)
triu_row: Any = linear(
    "triu",
    lambda x, k: c_order(np.triu(x, k)),
    lambda g, k: triu_row(g, k),
    means="option",
    last=2,
    sample=matrix_sample(0),
    doc="x, with zeros below a diagonal",
)


def _need_matrix(x: Any, what: str) -> None:
    if rank(x) < 2:
        raise ShapeError(f"{what}: input tensor must have at least 2 dimensions", f"Its shape is {list(sizes(x))}.")


@public(inplace=True)
def tril(input: Any, diagonal: int = 0) -> Any:
    """Return the matrix (or batch) with zeros above the given diagonal."""
    _need_matrix(input, "tril")
    return tril_row(input, diagonal)


@public(inplace=True)
def triu(input: Any, diagonal: int = 0) -> Any:
    """Return the matrix (or batch) with zeros below the given diagonal."""
    _need_matrix(input, "triu")
    return triu_row(input, diagonal)


@public()
def narrow_copy(input: Any, dim: int, start: Any, length: int) -> Any:
    """Return a copy of `narrow`: ``length`` elements along ``dim`` from ``start`` on."""
    return clone(narrow(input, dim, start, length))


# --------------------------------------------------------- Diagonals: taken from matrices as views, and put into them


def _diagonal(x: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    out = np.diagonal(x, offset, dim1, dim2)
    if x.flags.writeable:
        out.flags.writeable = True  # NumPy means it as a read-only view; here it may be written through
    return out


def _embedded(x: Any, size: tuple[int, ...], offset: int, dim1: int, dim2: int) -> np.ndarray:
    out = np.zeros(size, x.dtype)
    _diagonal(out, offset, dim1, dim2)[...] = x
    return out


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
    sample=sampled((3, 4), 1, 0, 1, of=[(3,)]),
    doc="zeros of a size, with x on a diagonal",
)
diag_embed_row = linear(
    "diag_embed",
    lambda x, offset, dim1, dim2: _embedded(x, _square_size(np.shape(x), offset, dim1, dim2), offset, dim1, dim2),
    lambda g, offset, dim1, dim2: diagonal_row(g, offset, dim1, dim2),
    means="option new new",
    sample=sampled(1, 1, 2, of=[(2, 3)]),
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
    words = () if ndim > 1 else ("A diagonal is that of two dimensions: diag() makes a matrix of a vector.",)
    a, b = axis_of(dim1, ndim, *words), axis_of(dim2, ndim, *words)
    if a == b:
        raise ShapeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return a, b


@public()
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return the diagonal of the dimensions ``dim1`` and ``dim2`` as the last dimension, a view."""
    return diagonal_row(input, offset, *_plane(dim1, dim2, rank(input)))


NUMPY[np.diagonal] = lambda a, offset=0, axis1=0, axis2=1: diagonal(a, offset, axis1, axis2)


@public()
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return square matrices of zeros, in ``dim1`` and ``dim2``, with the last dimension on a diagonal."""
    n = rank(input) + 1
    if n < 2:
        axis_of(dim1, 0)
    return diag_embed_row(input, offset, *_plane(dim1, dim2, n))


@public()
def diag(input: Any, diagonal: int = 0) -> Any:
    """Return a copy of the diagonal of a matrix, or the square matrix that has a vector on its diagonal."""
    n = rank(input)
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
    n = rank(input)
    if n != 2:
        raise ShapeError(
            f"trace: expected a matrix, but got tensor with dim {n}", "", "diagonal().sum(-1) takes batches."
        )
    return trace_row(input)


def _numpy_trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    a, kind = cast(a, dtype), summed_in(a, dtype)
    if rank(a) == 2 and offset == 0 and {axis1, axis2} in ({0, 1}, {-1, -2}):
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
    sample=sampled(1, 0, 1, of=[(3, 4), (3,)]),
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
        raise ShapeError("dimensions must larger than 1", f"The shape is {list(shape)}.")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError("all dimensions of input must be of equal length", f"The shape is {list(shape)}.")
    if len(shape) == 2 and (not wrap or shape[0] <= shape[1]):
        diagonal_row(self, 0, 0, 1).fill_(fill_value)
        return self
    if len(shape) > 2:
        places = np.arange(min(shape))
        return put_at(self, (places,) * len(shape), fill_value, False, "fill_diagonal_")
    flat = np.arange(0, math.prod(shape), shape[1] + 1)
    return put_at(self, np.unravel_index(flat, shape), fill_value, False, "fill_diagonal_")


METHODS["fill_diagonal_"] = fill_diagonal_
