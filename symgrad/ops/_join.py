"""Joining tensors and taking them apart: cat and stack, split and unbind, and what is said in their terms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._errors import DimensionError, DTypeError, ShapeError
from ..core import NUMPY, Tensor, general
from ..core._views import register_view
from ._dims import data, sizes
from ._index import at_dim, getitem, getitem_slice
from ._public import dims, public
from ._reduce import axis_of
from ._reduce import expand as expand_row
from ._shape import flatten, reshape, unsqueeze_row, view_row

# -------------------------------------------------------------------------------------------------- joining


def _piece(g: Any, i: int, shapes: Any, dim: int) -> Any:
    """The part of the gradient that belongs to the ``i``-th tensor joined."""
    if len(shapes[i]) == 1 and shapes[i][0] == 0:  # an empty vector joins anything
        return g.reshape((-1,))[:0] if g.shape else g
    start = sum([s[dim] for s in shapes[:i] if len(s) > dim])
    return g[(slice(None),) * dim + (slice(start, start + shapes[i][dim]),)]


cat_row = general(
    "cat", lambda tensors, dim: np.concatenate(_without_empty(tensors), dim), lambda g, i, shapes, dim: _piece(g, i, shapes, dim),
    variadic=True, sample=lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=(2, 1))], (1,)), doc="tensors end to end along dim",
)  # fmt: skip
stack_row = general(
    "stack", lambda tensors, dim: np.stack(tensors, dim), lambda g, i, dim: g[(slice(None),) * dim + (i,)],
    variadic=True, sample=lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=(2, 3))], (1,)), doc="tensors side by side along a new dim",
)  # fmt: skip


def _without_empty(tensors: Any) -> Any:
    full = [t for t in tensors if t.shape != (0,)]
    return full if full and len(full) < len(tensors) and full[0].ndim > 1 else tensors


def _listed(tensors: Any, what: str) -> list[Any]:
    if isinstance(tensors, (Tensor, np.ndarray)):
        raise DTypeError(f"{what}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}", "", "Make a list.")
    return list(tensors)


@public("concat", "concatenate", method=False)
@dims
def cat(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors of a list joined end to end along ``dim``.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.cat([x, x * 10])
    tensor([ 1.,  2., 10., 20.], grad_fn=<CatBackward0>)
    """
    parts = _listed(tensors, "cat")
    if not parts:
        raise ShapeError("torch.cat(): expected a non-empty list of Tensors", "", "")
    shapes = [sizes(t) for t in parts]
    for k, s in enumerate(shapes):
        if not s:
            raise ShapeError(f"zero-dimensional tensor (at position {k}) cannot be concatenated", "", "stack() joins numbers.")
    first = next((s for s in shapes if s != (0,)), shapes[0])
    dim = axis_of(dim, len(first))
    for k, s in enumerate(shapes):
        if s != first and s != (0,):
            _check_sizes(first, s, k, dim)
    return cat_row(parts, dim)


def _check_sizes(first: tuple[int, ...], s: tuple[int, ...], k: int, dim: int) -> None:
    if len(s) != len(first):
        raise ShapeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(s)}", "", "Unsqueeze one.")
    for d, (a, b) in enumerate(zip(first, s, strict=True)):
        if d != dim and a != b:
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for tensor number {k} in the "
                "list.", f"The shapes are {list(first)} and {list(s)}.", "",
            )  # fmt: skip


@public(method=False)
@dims
def stack(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors of a list, all of one shape, side by side along a new dimension."""
    parts = _listed(tensors, "stack")
    if not parts:
        raise ShapeError("stack expects a non-empty TensorList", "", "")
    first = sizes(parts[0])
    for k, t in enumerate(parts):
        if sizes(t) != first:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(sizes(t))} at entry {k}", "",
                "cat() joins along a dimension there is.",
            )  # fmt: skip
    return stack_row(parts, axis_of(dim, len(first) + 1))


def _numpy_concatenate(arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind") -> Any:
    parts = [a for a in arrays] if isinstance(arrays, (Tensor, np.ndarray)) else [_tensor_like(a) for a in arrays]
    return cat([flatten(a) for a in parts], 0) if axis is None else cat(parts, axis)


def _tensor_like(a: Any) -> Any:
    return a if isinstance(a, Tensor) or hasattr(a, "__symgrad_apply__") else np.asarray(a)


def _numpy_stack(arrays: Any, axis: int = 0, out: Any = None, dtype: Any = None, casting: str = "same_kind") -> Any:
    return stack([_tensor_like(a) for a in arrays], axis)


NUMPY[np.concatenate] = _numpy_concatenate
NUMPY[np.stack] = _numpy_stack


def _parts(tensors: Any, what: str) -> list[Any]:
    parts = [_tensor_like(t) for t in tensors]
    if not parts:
        raise ShapeError(f"{what} expects a non-empty TensorList", "", "")
    return parts


@public(method=False)
def hstack(tensors: Any) -> Any:
    """Return the tensors joined along the second dimension; vectors along their only one."""
    parts = [atleast_1d(t) for t in _parts(tensors, "hstack")]
    return cat(parts, 0 if len(sizes(parts[0])) == 1 else 1)


@public("row_stack", method=False)
def vstack(tensors: Any) -> Any:
    """Return the tensors joined along the first dimension, vectors as rows."""
    return cat([atleast_2d(t) for t in _parts(tensors, "vstack")], 0)


@public(method=False)
def dstack(tensors: Any) -> Any:
    """Return the tensors joined along the third dimension."""
    return cat([atleast_3d(t) for t in _parts(tensors, "dstack")], 2)


@public(method=False)
def column_stack(tensors: Any) -> Any:
    """Return the tensors joined along the second dimension, vectors as columns."""
    return cat([reshape(t, (math.prod(sizes(t)), 1)) if len(sizes(t)) < 2 else t for t in _parts(tensors, "column_stack")], 1)


for _np, _fn in {np.hstack: hstack, np.vstack: vstack, np.dstack: dstack, np.column_stack: column_stack}.items():
    NUMPY[_np] = lambda tup, _fn=_fn, **_: _fn(tup)


def _each(fn: Any, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return fn(tensors[0])
    return tuple(fn(t) for t in (tensors[0] if len(tensors) == 1 else tensors))


@public(numpy=(np.atleast_1d,), method=False)
def atleast_1d(*tensors: Any) -> Any:
    """Return each tensor with at least one dimension (a tuple, for several)."""
    return _each(lambda t: t if sizes(t) else reshape(t, (1,)), tensors)


@public(numpy=(np.atleast_2d,), method=False)
def atleast_2d(*tensors: Any) -> Any:
    """Return each tensor with at least two dimensions; a vector becomes a row."""
    return _each(_as_2d, tensors)


def _as_2d(t: Any) -> Any:
    n = len(sizes(t))
    return t if n > 1 else unsqueeze_row(t, 0) if n else reshape(t, (1, 1))


@public(numpy=(np.atleast_3d,), method=False)
def atleast_3d(*tensors: Any) -> Any:
    """Return each tensor with at least three dimensions; a vector of n becomes (1, n, 1), a matrix gets a last dimension."""
    return _each(_as_3d, tensors)


def _as_3d(t: Any) -> Any:
    n = len(sizes(t))
    if n == 0:
        return reshape(t, (1, 1, 1))
    return t if n > 2 else unsqueeze_row(t, 2) if n == 2 else unsqueeze_row(unsqueeze_row(t, 0), 2)


# ------------------------------------------------------------------------------------------------- parting


def _cuts(x: np.ndarray, lengths: tuple[int, ...], dim: int) -> tuple[np.ndarray, ...]:
    return tuple(x[p] for p in _slices(lengths, dim))


def _slices(lengths: tuple[int, ...], dim: int) -> list[Any]:
    ends = np.cumsum((0, *lengths)).tolist()
    return [(slice(None),) * dim + (slice(a, b), ...) for a, b in zip(ends, ends[1:])]


def _sample_split(rng: np.random.Generator) -> Any:
    return [rng.normal(size=(2, 5))], ((2, 2, 1), 1)


split_row = general(
    "split", _cuts, lambda g, dim: cat_row(g, dim), outputs=True, sample=_sample_split, doc="x in pieces of one length along dim"
)
split_sizes_row = general(
    "split_with_sizes", _cuts, lambda g, dim: cat_row(g, dim), outputs=True, sample=_sample_split, doc="x in pieces of given lengths along dim"
)
unbind_row = general(
    "unbind", lambda x, dim: tuple(x[(slice(None),) * dim + (k, ...)] for k in range(x.shape[dim])), lambda g, dim: stack_row(g, dim),
    outputs=True, sample=lambda rng: ([rng.normal(size=(2, 3))], (1,)), doc="the parts of x along dim, without it",
)  # fmt: skip


def _views(outs: tuple[Any, ...], x: Any, places: list[Any], row: Any, name: str) -> tuple[Any, ...]:
    """Note that the outputs are views of ``x``, each the part at its place."""
    if isinstance(x, Tensor):
        for t, place in zip(outs, places, strict=True):
            register_view(t, x, row.op, (place,), name)
    return outs


@public()
@dims
def split(tensor: Any, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None) -> tuple[Any, ...]:
    """Return views: pieces of one length along ``dim`` (the last may be shorter), or of the lengths in a list."""
    wanted = split_size if split_size_or_sections is None else split_size_or_sections
    shape = sizes(tensor)
    if not shape:
        raise ShapeError("split expects at least a 1-dimensional tensor", "", "")
    dim = axis_of(dim, len(shape))
    n = shape[dim]
    if isinstance(wanted, (list, tuple)):
        return _split_sizes(tensor, tuple(int(k) for k in wanted), dim, n)
    size = int(wanted)
    if size < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={size}", "", "")
    if size == 0 and n:
        raise ShapeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}", "", "")
    count = max(-(-n // size), 1) if size else 1
    lengths = (size,) * (count - 1) + (n - size * (count - 1),)
    return _views(split_row(tensor, lengths, dim), tensor, _slices(lengths, dim), getitem_slice, "Split")


def _split_sizes(x: Any, lengths: tuple[int, ...], dim: int, n: int) -> tuple[Any, ...]:
    if min(lengths, default=0) < 0:
        raise ShapeError(f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}", "", "")
    if sum(lengths) != n:
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but got "
            f"split_sizes={list(lengths)}", "", "",
        )  # fmt: skip
    return _views(split_sizes_row(x, lengths, dim), x, _slices(lengths, dim), getitem_slice, "SplitWithSizes")


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
    """Return views: as many pieces along ``dim`` as asked for, of nearly one length, or the pieces between given places."""
    shape = sizes(input)
    if not shape:
        raise ShapeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims", "", "")
    dim = axis_of(dim, len(shape))
    n = shape[dim]
    wanted = np.asarray(data(indices_or_sections))
    if wanted.ndim == 0:
        count = int(wanted)
        if count <= 0:
            raise ShapeError(f"number of sections must be larger than 0, got {count}", "", "")
        ends = np.cumsum([0] + [n // count + (k < n % count) for k in range(count)]).tolist()
    else:
        ends = [0, *wanted.tolist(), n]
    return tuple(getitem_slice(input, at_dim(dim, slice(a, b))) for a, b in zip(ends, ends[1:]))


def _numbered(name: str, least: int, which: Any, np_function: Any) -> None:
    def fn(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
        n = len(sizes(input))
        if n < least:
            raise ShapeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {n} dimensions!", "", "")
        return tensor_split(input, indices_or_sections, which(n))

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"Return `tensor_split` along the dimension that {name} stands for."
    public(numpy=(np_function,))(fn)


_numbered("hsplit", 1, lambda n: 0 if n == 1 else 1, np.hsplit)
_numbered("vsplit", 2, lambda n: 0, np.vsplit)
_numbered("dsplit", 3, lambda n: 2, np.dsplit)
NUMPY[np.array_split] = lambda ary, indices_or_sections, axis=0: list(tensor_split(ary, indices_or_sections, axis))


def _numpy_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    n = sizes(ary)[axis]
    if isinstance(indices_or_sections, int) and n % indices_or_sections:
        raise ShapeError("array split does not result in an equal division", f"{n} in {indices_or_sections}.", "np.array_split does.")
    return list(tensor_split(ary, indices_or_sections, axis))


NUMPY[np.split] = _numpy_split


@public()
@dims
def unbind(input: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return views: the parts of the tensor along ``dim``, without that dimension."""
    shape = sizes(input)
    if not shape:
        raise DimensionError("Dimension specified as 0 but tensor has no dimensions", "", "tensor.item() gives its number.")
    dim = axis_of(dim, len(shape))
    return _views(
        unbind_row(input, dim) if shape[dim] else (), input, [at_dim(dim, k) for k in range(shape[dim])], getitem, "Unbind"
    )


if hasattr(np, "unstack"):
    NUMPY[np.unstack] = lambda x, axis=0: unbind(x, axis)

# -------------------------------------------------------------------------------------------- combinations


@public(method=False)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Return views of the grid that vectors span: each with its coordinate at every point.

    ``indexing='xy'`` swaps the first two dimensions, as NumPy does.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise ShapeError("meshgrid expects a non-empty TensorList", "", "")
    if indexing not in ("ij", "xy"):
        raise ShapeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}', "", "")
    for t in tensors:
        if len(sizes(t)) > 1:
            raise ShapeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(sizes(t))}", "", "")
    if len({t.dtype for t in tensors}) > 1:
        raise DTypeError("meshgrid expects all tensors to have the same dtype", "", "Cast them.")
    lengths = tuple(math.prod(sizes(t)) for t in tensors)
    order = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        order[0], order[1] = 1, 0
    whole = tuple(lengths[k] for k in order)
    return tuple(
        expand_row(view_row(t, tuple(n if own == k else 1 for own in order)), whole)
        for k, (t, n) in enumerate(zip(tensors, lengths, strict=True))
    )


def _numpy_meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    return meshgrid(*(_tensor_like(x) for x in xi), indexing=indexing)


NUMPY[np.meshgrid] = _numpy_meshgrid


@public(method=False)
def cartesian_prod(*tensors: Any) -> Any:
    """Return all combinations of the elements of vectors, one per row."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([flatten(reshape(t, (-1,))) for t in meshgrid(*tensors, indexing="ij")], 1)


def _block_diag(tensors: Any) -> np.ndarray:
    out = np.zeros(tuple(np.sum([t.shape for t in tensors], 0)), np.result_type(*tensors))
    row = col = 0
    for t in tensors:
        out[row : row + t.shape[0], col : col + t.shape[1]] = t
        row, col = row + t.shape[0], col + t.shape[1]
    return out


def _block(g: Any, i: int, shapes: Any) -> Any:
    row, col = sum([s[0] for s in shapes[:i]]), sum([s[1] for s in shapes[:i]])
    return g[row : row + shapes[i][0], col : col + shapes[i][1]]


block_diag_row = general(
    "block_diag", _block_diag, _block, variadic=True, sample=lambda rng: ([rng.normal(size=(2, 1)), rng.normal(size=(1, 3))], ()),
    doc="matrices along the diagonal of a matrix of zeros",
)  # fmt: skip


@public(method=False)
def block_diag(*tensors: Any) -> Any:
    """Return the matrix of zeros that has the tensors as blocks along its diagonal; vectors are rows."""
    return block_diag_row([atleast_2d(t) for t in tensors])


