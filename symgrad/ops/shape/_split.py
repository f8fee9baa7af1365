"""Taking tensors apart: split, chunk, unbind and kin. All pieces are views."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

import numpy as np

from ..._errors import DimensionError, ShapeError
from ...core import NUMPY, Tensor, general, recorded_as, register_view
from .._dims import axis_of, known, sizes
from .._public import dims, public
from ..index._index import at_dim, getitem
from ._join import cat_row, stack_row


def _cuts(x: np.ndarray, lengths: tuple[int, ...], dim: int) -> tuple[np.ndarray, ...]:
    return tuple(x[p] for p in _slices(lengths, dim))


def _slices(lengths: tuple[int, ...], dim: int) -> list[Any]:
    ends = np.cumsum((0, *lengths)).tolist()
    return [at_dim(dim, slice(a, b)) for a, b in pairwise(ends)]


def _sample_split(rng: np.random.Generator) -> Any:
    return [rng.normal(size=(2, 5))], ((2, 2, 1), 1)


split_row = general(
    "split",
    _cuts,
    lambda g, dim: cat_row(g, dim),
    outputs=True,
    view=True,
    means="option axis",
    sample=_sample_split,
    doc="x in pieces of one length along dim",
)
unbind_row = general(
    "unbind",
    lambda x, dim: tuple(x[at_dim(dim, k)] for k in range(x.shape[dim])),
    lambda g, dim: stack_row(g, dim),
    outputs=True,
    view=True,
    means="axis",
    sample=lambda rng: ([rng.normal(size=(2, 3))], (1,)),
    doc="the parts of x along dim, without it",
)


def _views(outs: tuple[Any, ...], x: Any, places: list[Any], row: Any, name: str) -> tuple[Any, ...]:
    """Note that the outputs are views of ``x``, each the part at its place."""
    if isinstance(x, Tensor):
        for t, place in zip(outs, places, strict=True):
            register_view(t, x, row.op, (place,), name)
    return outs


@public()
@dims
def split(tensor: Any, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None) -> tuple[Any, ...]:
    """Return views: pieces of one length along ``dim`` (the last may be shorter), or of the lengths in a list.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.split(sg.arange(5.0), 2)
    (tensor([0., 1.]), tensor([2., 3.]), tensor([4.]))
    """
    wanted = split_size if split_size_or_sections is None else split_size_or_sections
    shape = sizes(tensor)
    if not shape:
        raise ShapeError("split expects at least a 1-dimensional tensor", "", "")
    dim = axis_of(dim, len(shape))
    n = shape[dim]
    if isinstance(wanted, (list, tuple)):
        return _split_sizes(tensor, tuple(map(operator.index, wanted)), dim, n)
    size = operator.index(wanted)
    if size < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={size}", "", "")
    if size == 0 and n:
        raise ShapeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}", "", "")
    count = max(-(-n // size), 1) if size else 1
    lengths = (size,) * (count - 1) + (n - size * (count - 1),)
    return _views(split_row(tensor, lengths, dim), tensor, _slices(lengths, dim), getitem, "Split")


def _split_sizes(x: Any, lengths: tuple[int, ...], dim: int, n: int) -> tuple[Any, ...]:
    if min(lengths, default=0) < 0:
        raise ShapeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}",
            "",
            "",
        )
    if sum(lengths) != n:
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), "
            "but got "
            f"split_sizes={list(lengths)}",
            "",
            "",
        )
    if not lengths:
        return ()
    outs = recorded_as(split_row(x, lengths, dim), "split_with_sizes")
    return _views(outs, x, _slices(lengths, dim), getitem, "SplitWithSizes")


@public()
@dims
def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Return at most ``chunks`` views: pieces of one length along ``dim`` (the last may be shorter)."""
    shape = sizes(input)
    if not shape:
        raise ShapeError("chunk expects at least a 1-dimensional tensor", "", "")
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}", "", "")
    n = shape[axis_of(dim, len(shape))]
    return split(input, -(-n // chunks), dim) if n else split(input, [0] * chunks, dim)


@public()
@dims
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return views: as many pieces along ``dim`` as asked for, nearly equal, or the pieces between given places."""
    shape = sizes(input)
    if not shape:
        raise ShapeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims", "", "")
    dim = axis_of(dim, len(shape))
    n = shape[dim]
    wanted = np.asarray(known(indices_or_sections, "where to split"))
    if wanted.ndim == 0:
        count = int(wanted)
        if count <= 0:
            raise ShapeError(f"number of sections must be larger than 0, got {count}", "", "")
        ends = np.cumsum([0] + [n // count + (k < n % count) for k in range(count)]).tolist()
    else:
        ends = [0, *wanted.tolist(), n]
    return tuple(getitem(input, at_dim(dim, slice(a, b))) for a, b in pairwise(ends))


def _numbered(name: str, least: int, which: Any, np_function: Any) -> None:
    def fn(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
        n = len(sizes(input))
        if n < least:
            raise ShapeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {n} "
                "dimensions!",
                "",
                "",
            )
        dim, count = which(n), indices_or_sections
        if isinstance(count, (int, np.integer)) and count > 0 and sizes(input)[dim] % count:
            raise ShapeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                f"{sizes(input)[dim]} is not divisible by the split_size {count}!",
                f"The shape is {sizes(input)}.",
                "tensor_split gives parts of unequal sizes.",
            )
        return tensor_split(input, count, dim)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"Return `tensor_split` along the dimension that {name} stands for."
    public(numpy=(np_function,))(fn)


_numbered("hsplit", 1, lambda n: 0 if n == 1 else 1, np.hsplit)
_numbered("vsplit", 2, lambda n: 0, np.vsplit)
_numbered("dsplit", 3, lambda n: 2, np.dsplit)
NUMPY[np.array_split] = lambda ary, indices_or_sections, axis=0: list(tensor_split(ary, indices_or_sections, axis))


def _numpy_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    n = sizes(ary)[axis]
    if isinstance(indices_or_sections, (int, np.integer)) and n % indices_or_sections:
        raise ShapeError(
            "array split does not result in an equal division", f"{n} in {indices_or_sections}.", "np.array_split does."
        )
    return list(tensor_split(ary, indices_or_sections, axis))


NUMPY[np.split] = _numpy_split


@public()
@dims
def unbind(input: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return views: the parts of the tensor along ``dim``, without that dimension."""
    shape = sizes(input)
    if not shape:
        raise DimensionError(
            "Dimension specified as 0 but tensor has no dimensions", "", "tensor.item() gives its number."
        )
    dim = axis_of(dim, len(shape))
    return _views(
        unbind_row(input, dim) if shape[dim] else (),
        input,
        [at_dim(dim, k) for k in range(shape[dim])],
        getitem,
        "Unbind",
    )


if hasattr(np, "unstack"):
    NUMPY[np.unstack] = lambda x, axis=0: unbind(x, axis)


# ------------------------------------------------------------------------------ under names that PyTorch has as well


@public()
@dims
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return views: pieces of the lengths ``split_sizes`` along ``dim``."""
    return split(input, list(split_sizes), dim)


def _apart(input: Any, pieces: tuple[Any, ...], dim: int) -> tuple[Any, ...]:
    """The pieces once more, as views of their own: each may be written to."""
    k = axis_of(dim, len(sizes(input)))
    return tensor_split(input, np.cumsum([sizes(piece)[k] for piece in pieces[:-1]], dtype=np.int64), k)


@public()
@dims
def unsafe_split(tensor: Any, split_size: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return `split`, in views that may be written to."""
    return _apart(tensor, split(tensor, split_size, dim), dim)


@public()
@dims
def unsafe_split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return `split_with_sizes`, in views that may be written to."""
    return _apart(input, split_with_sizes(input, split_sizes, dim), dim)


@public()
@dims
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Return `chunk`, in views that may be written to."""
    return _apart(input, chunk(input, chunks, dim), dim)
