"""Joining tensors, taking them apart, and padding."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..._config import default_dtype
from ..._errors import DimensionError, DTypeError, NotDifferentiableError, ShapeError
from ..._limits import JOINED
from ...core import NUMPY, Tensor, general, linear, recorded_as, register_view, wrap
from ..arguments import alike, axis_of, integers_of, listed, of_arrays, rank, sizes, tensor_like, whole
from ..entries.elementwise import remember
from ..index.index import at_dim, getitem, scattered
from ..public import dims, named, public
from ..reduce.sums import c_order
from ..reduce.sums import expand as expand_row
from ..samples import matrix_sample, sampled
from .shapes import flatten, reshape, unsqueeze_row, view_row

# ---------------------------------------------------- Joining tensors: cat and stack, and what is said in their terms


# -------------------------------------------------------------------------------------------------- joining


def _piece(g: Any, i: int, shapes: Any, dim: int) -> Any:
    """The part of the gradient that belongs to the ``i``-th tensor joined."""
    if len(shapes[i]) == 1 and shapes[i][0] == 0:  # an empty vector joins anything
        return g.reshape((-1,))[:0] if g.shape else g
    start = starts(shapes, dim)[i]
    return g[at_dim(dim, slice(start, start + shapes[i][dim]))]


_latest: tuple[Any, int, list[int]] = (None, 0, [])


def starts(shapes: Any, dim: int) -> list[int]:
    """Where along ``dim`` each of the tensors joined begins (the tuple asked about last is remembered: a rule runs
    once per input, and counting anew each time makes a wide join quadratic)."""
    global _latest
    known, along, places = _latest  # read at once: other threads may join, too
    if known is shapes and along == dim:
        return places
    places = list(accumulate([0, *(s[dim] if len(s) > dim else 0 for s in shapes)]))
    if len(shapes) > JOINED:
        _latest = (shapes, dim, places)
    return places


cat_row = general(
    "cat",
    lambda tensors, dim: c_order(np.concatenate(_without_empty(tensors), dim)),
    _piece,
    variadic=True,
    means="axis",
    sample=sampled(1, of=[(2, 3), (2, 1)]),
    finite=True,
    doc="tensors end to end along dim",
)


def _stacked(tensors: Any, dim: int) -> np.ndarray:
    apart = at_dim(dim, None)  # np.stack does the same at three times the cost
    return c_order(np.concatenate([t[apart] for t in tensors], dim))


stack_row = general(
    "stack",
    _stacked,
    lambda g, i, dim: g[at_dim(dim, i)],
    variadic=True,
    means="new",
    sample=sampled(1, of=[(2, 3), (2, 3)]),
    finite=True,
    doc="tensors side by side along a new dim",
)


def _without_empty(tensors: Any) -> Any:
    full = [t for t in tensors if t.shape != (0,)]
    return full if full and len(full) < len(tensors) and full[0].ndim > 1 else tensors


def _listed(tensors: Any, what: str) -> list[Any]:
    if isinstance(tensors, (Tensor, np.ndarray)):
        raise DTypeError(
            f"{what}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}",
            "",
            "Make a list.",
        )
    return list(tensors)


def _shape_of_all(parts: list[Any]) -> tuple[int, ...] | None:
    """The shape that all have, where all are tensors: then there is nothing more to check."""
    shapes = [t._data.shape if type(t) is Tensor else None for t in parts]
    return shapes[0] if shapes and shapes.count(shapes[0]) == len(shapes) else None


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
    shape = _shape_of_all(parts)
    if shape:
        return cat_row(parts, axis_of(dim, len(shape)))
    if not parts:
        raise ShapeError("torch.cat(): expected a non-empty list of Tensors")
    for k, t in enumerate(parts):
        if not isinstance(t, (Tensor, np.ndarray)):
            raise DTypeError(
                f"expected Tensor as element {k} in argument 0, but got {type(t).__name__}", "", "Use sg.tensor(…)."
            )
    shapes = [sizes(t) for t in parts]
    for k, s in enumerate(shapes):
        if not s:
            raise ShapeError(
                f"zero-dimensional tensor (at position {k}) cannot be concatenated", "", "stack() joins numbers."
            )
    first = next((s for s in shapes if s != (0,)), shapes[0])
    dim = axis_of(dim, len(first))
    for k, s in enumerate(shapes):
        if s != first and s != (0,):
            _check_sizes(first, s, k, dim)
    return cat_row(parts, dim)


def _check_sizes(first: tuple[int, ...], s: tuple[int, ...], k: int, dim: int) -> None:
    if len(s) != len(first):
        raise ShapeError(
            f"Tensors must have same number of dimensions: got {len(first)} and {len(s)}",
            f"The shapes are {list(first)} and {list(s)}.", "Give one another dimension: x.unsqueeze(0).",
        )  # fmt: skip
    for d, (a, b) in enumerate(zip(first, s, strict=True)):
        if d != dim and a != b:
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for "
                f"tensor number {k} in the "
                "list.",
                f"The shapes are {list(first)} and {list(s)}.",
                "Take parts that have the same sizes, or join along the dimension that differs.",
            )


@public(method=False)
@dims
def stack(tensors: Any, dim: int = 0) -> Any:
    """Return the tensors of a list, all of one shape, side by side along a new dimension."""
    parts = _listed(tensors, "stack")
    shape = _shape_of_all(parts)
    if shape is not None:
        return stack_row(parts, axis_of(dim, len(shape) + 1))
    if not parts:
        raise ShapeError("stack expects a non-empty TensorList")
    first = sizes(parts[0])
    for k, t in enumerate(parts):
        if sizes(t) != first:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(sizes(t))} "
                f"at entry {k}",
                "",
                "cat() joins along a dimension there is.",
            )
    return stack_row(parts, axis_of(dim, len(first) + 1))


def _numpy_concatenate(arrays: Any, axis: Any = 0, out: Any = None, *, casting: str = "same_kind") -> Any:
    parts = alike(*arrays)
    return cat([flatten(a) for a in parts], 0) if axis is None else cat(parts, axis)


def _numpy_stack(arrays: Any, axis: int = 0, out: Any = None, *, casting: str = "same_kind") -> Any:
    return stack(alike(*arrays), axis)


NUMPY[np.concatenate] = _numpy_concatenate
NUMPY[np.stack] = _numpy_stack


def _parts(tensors: Any, what: str) -> list[Any]:
    parts = [tensor_like(t) for t in tensors]
    if not parts:
        raise ShapeError(f"{what} expects a non-empty TensorList")
    return parts


@public(method=False)
def hstack(tensors: Any) -> Any:
    """Return the tensors joined along the second dimension; vectors along their only one."""
    parts = [atleast_1d(t) for t in _parts(tensors, "hstack")]
    return cat(parts, 0 if rank(parts[0]) == 1 else 1)


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
    return cat([reshape(t, (math.prod(sizes(t)), 1)) if rank(t) < 2 else t for t in _parts(tensors, "column_stack")], 1)


for _np, _fn in {np.hstack: hstack, np.vstack: vstack, np.dstack: dstack, np.column_stack: column_stack}.items():
    NUMPY[_np] = lambda tup, _fn=_fn, **_: _fn(alike(*tup))


def _each(fn: Any, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return fn(tensors[0])
    return tuple(fn(t) for t in (tensors[0] if len(tensors) == 1 else tensors))


@public(method=False)
def atleast_1d(*tensors: Any) -> Any:
    """Return each tensor with at least one dimension (a tuple, for several)."""
    return _each(lambda t: t if sizes(t) else reshape(t, (1,)), tensors)


@public(method=False)
def atleast_2d(*tensors: Any) -> Any:
    """Return each tensor with at least two dimensions; a vector becomes a row."""
    return _each(_as_2d, tensors)


def _as_2d(t: Any) -> Any:
    n = rank(t)
    return t if n > 1 else unsqueeze_row(t, 0) if n else reshape(t, (1, 1))


@public(method=False)
def atleast_3d(*tensors: Any) -> Any:
    """Return each tensor with at least three dimensions; a vector becomes (1, n, 1), a matrix gets a last one."""
    return _each(_as_3d, tensors)


def _as_3d(t: Any) -> Any:
    if not rank(t):
        return reshape(t, (1, 1, 1))
    return t if rank(t) > 2 else unsqueeze_row(_as_2d(t), 2)


NUMPY.update({
    np.atleast_1d: of_arrays(atleast_1d), np.atleast_2d: of_arrays(atleast_2d), np.atleast_3d: of_arrays(atleast_3d),
})  # fmt: skip


# -------------------------------------------------------------------------------------------- combinations


@public(method=False)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Return views of the grid that vectors span: each with its coordinate at every point.

    ``indexing='xy'`` swaps the first two dimensions, as NumPy does.
    """
    tensors = listed(tensors)
    if not tensors:
        raise ShapeError("meshgrid expects a non-empty TensorList")
    if indexing not in ("ij", "xy"):
        raise ShapeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for t in tensors:
        if rank(t) > 1:
            raise ShapeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(sizes(t))}")
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
    row, col = starts(shapes, 0)[i], starts(shapes, 1)[i]
    return g[row : row + shapes[i][0], col : col + shapes[i][1]]


block_diag_row = general(
    "block_diag",
    _block_diag,
    _block,
    variadic=True,
    sample=sampled(of=[(2, 1), (1, 3)]),
    doc="matrices along the diagonal of a matrix of zeros",
)


@public(method=False)
def block_diag(*tensors: Any) -> Any:
    """Return the matrix of zeros that has the tensors as blocks along its diagonal; vectors are rows."""
    return block_diag_row([atleast_2d(t) for t in tensors or (wrap(np.empty(0, default_dtype())),)])


# ------------------------------------------- Taking tensors apart: split, chunk, unbind and kin. All pieces are views


def _cuts(x: np.ndarray, lengths: tuple[int, ...], dim: int) -> tuple[np.ndarray, ...]:
    return tuple(x[p] for p in _slices(lengths, dim))


def _slices(lengths: tuple[int, ...], dim: int) -> list[Any]:
    ends = np.cumsum((0, *lengths)).tolist()
    return [at_dim(dim, slice(a, b)) for a, b in pairwise(ends)]


split_row = general(
    "split",
    _cuts,
    lambda g, dim: cat_row(g, dim),
    outputs=True,
    view=True,
    means="option axis",
    sample=sampled((2, 2, 1), 1, of=[(2, 5)]),
    doc="x in pieces of one length along dim",
)
unbind_row = general(
    "unbind",
    lambda x, dim: tuple(x[at_dim(dim, k)] for k in range(x.shape[dim])),
    lambda g, dim: stack_row(g, dim),
    outputs=True,
    view=True,
    means="axis",
    sample=sampled(1, of=[(2, 3)]),
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
        raise ShapeError("split expects at least a 1-dimensional tensor")
    dim = axis_of(dim, len(shape))
    n = shape[dim]
    if isinstance(wanted, (list, tuple)):
        return _split_sizes(tensor, tuple(map(operator.index, wanted)), dim, n)
    size = operator.index(wanted)
    if size < 0:
        raise ShapeError(f"split expects split_size be non-negative, but got split_size={size}")
    if size == 0 and n:
        raise ShapeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    count = max(-(-n // size), 1) if size else 1
    lengths = (size,) * (count - 1) + (n - size * (count - 1),)
    return _views(split_row(tensor, lengths, dim), tensor, _slices(lengths, dim), getitem, "Split")


def _split_sizes(x: Any, lengths: tuple[int, ...], dim: int, n: int) -> tuple[Any, ...]:
    if min(lengths, default=0) < 0:
        raise ShapeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}"
        )
    if sum(lengths) != n:
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), "
            "but got "
            f"split_sizes={list(lengths)}"
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
        raise ShapeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = shape[axis_of(dim, len(shape))]
    return split(input, -(-n // chunks), dim) if n else split(input, [0] * chunks, dim)


@public()
@dims
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return views: as many pieces along ``dim`` as asked for, nearly equal, or the pieces between given places."""
    shape = sizes(input)
    if not shape:
        raise ShapeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = axis_of(dim, len(shape))
    n = shape[dim]
    wanted = indices_or_sections
    if not isinstance(wanted, (list, tuple)) and not rank(wanted):
        count = whole(wanted) if isinstance(wanted, Tensor) else int(wanted)
        if count <= 0:
            raise ShapeError(f"number of sections must be larger than 0, got {count}")
        ends = np.cumsum([0] + [n // count + (k < n % count) for k in range(count)]).tolist()
        ends = list(map(type(count), ends))  # found where their number was
    else:
        ends = [0, *integers_of(tuple(wanted)), n]
    return tuple(getitem(input, at_dim(dim, slice(a, b))) for a, b in pairwise(ends))


def _numbered(name: str, least: int, which: Any, np_function: Any) -> None:
    def fn(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
        n = rank(input)
        if n < least:
            raise ShapeError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {n} dimensions!"
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

    public(numpy=(np_function,))(named(fn, name, f"Return `tensor_split` along the dimension that {name} stands for."))


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
    k = axis_of(dim, rank(input))
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


# ----------------------------------- Padding: borders of one value, of reflections, of the edge, or of the other side

# The idea to hold: only the border of one value is an operation of its own. In the other modes the padded tensor is one
# that picks elements of the old one, dimension by dimension, so it is `index_select` under another name.


Pad = tuple[tuple[int, int], ...]
"""Per dimension how much to add before and after; negative amounts crop."""


def _padded(x: np.ndarray, amounts: Pad, value: Any) -> np.ndarray:
    shape = tuple(max(n + before + after, 0) for n, (before, after) in zip(x.shape, amounts, strict=True))
    out = np.full(shape, value, x.dtype)
    inner, outer = [], []
    for n, (before, after) in zip(x.shape, amounts, strict=True):
        kept = slice(max(-before, 0), n - max(-after, 0))
        inner.append(kept)
        outer.append(slice(max(before, 0), max(before, 0) + max(kept.stop - kept.start, 0)))
    out[tuple(outer)] = x[tuple(inner)]
    return out


constant_pad: Any = general(
    "constant_pad",
    _padded,
    lambda g, amounts: constant_pad(g, tuple((-a, -b) for a, b in amounts), 0),
    means="widths option",
    sample=matrix_sample(((1, 2), (-1, 1)), 0.5),
    doc="x with a border of one value",
)


def _picked(x: np.ndarray, places: tuple[np.ndarray, ...]) -> np.ndarray:
    for dim, index in enumerate(places):
        if index is not None:
            x = np.take(x, index, dim)
    return x


def _gathered(g: Any, shape: tuple[int, ...], places: tuple[Any, ...]) -> Any:
    """The transpose of `_picked`, dimension by dimension."""
    for dim in reversed(range(len(places))):
        if places[dim] is not None:
            size = g.shape[:dim] + (shape[dim],) + g.shape[dim + 1 :]
            g = scattered(g, places[dim], dim, tuple(size))
    return g


border_pad = linear(
    "border_pad",
    _picked,
    _gathered,
    means="ranges",
    sample=sampled((None, np.array([1, 0, 1, 2, 3, 2])), of=[(2, 4)]),
    doc="x with a border made of its own elements",
)


def _reflected(n: int, before: int, after: int) -> np.ndarray:
    period = max(2 * (n - 1), 1)
    k = np.arange(-before, n + after) % period
    return np.where(k < n, k, period - k)


def _wrapped(n: int, before: int, after: int) -> np.ndarray:
    """Negative amounts crop; what is left is what wraps."""
    kept = _kept(n, before, after)
    return max(-before, 0) + np.arange(-max(before, 0), kept + max(after, 0)) % kept


def _kept(n: int, before: int, after: int) -> int:
    """How many of ``n`` elements negative amounts leave; less than 0 if they crop more than there is."""
    return n + min(before, 0) + min(after, 0)


_PLACES: dict[str, Callable[[int, int, int], np.ndarray]] = {
    "reflect": _reflected,
    "replicate": lambda n, before, after: np.clip(np.arange(-before, n + after), 0, n - 1),
    "circular": _wrapped,
    "symmetric": lambda n, before, after: np.minimum(k := np.arange(-before, n + after) % (2 * n), 2 * n - 1 - k),
}


@public(method=False)
def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """Return the tensor with a border.

    Parameters
    ----------
    pad : amounts before and after, of the last dimension, then of the one before it, …; negative amounts crop
    mode : 'constant' (of ``value``, default 0), 'reflect' (without the edge), 'replicate' (the edge) or 'circular' (the
        other side of what negative amounts leave)

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.functional.pad(sg.tensor([1.0, 2.0]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    amounts = tuple(int(p) for p in pad)
    shape = sizes(input)
    if len(amounts) % 2:
        raise ShapeError(
            "Padding length must be divisible by 2", f"It is {len(amounts)}.", "Give an amount before and after."
        )
    if len(amounts) > 2 * len(shape):
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(amounts)} and "
            f"input of dimension {len(shape)}"
        )
    pairs = tuple((amounts[k], amounts[k + 1]) for k in range(0, len(amounts), 2))[::-1]
    every = ((0, 0),) * (len(shape) - len(pairs)) + pairs
    if mode == "constant":
        if any(_kept(n, a, b) < 0 for n, (a, b) in zip(shape, every, strict=True)):
            raise ShapeError(
                "narrow(): length must be non-negative.", f"{amounts} crop more than there is of {list(shape)}."
            )
        return constant_pad(input, every, 0 if value is None else value)
    return _bordered(input, shape, every, len(pairs), mode, value)


def _bordered(x: Any, shape: tuple[int, ...], every: Pad, count: int, mode: str, value: Any) -> Any:
    if mode not in ("reflect", "replicate", "circular"):
        raise NotDifferentiableError(
            f"Unrecognised padding mode {mode}", "", "Use constant, reflect, replicate or circular."
        )
    if value is not None and value != 0:
        raise ShapeError(f'Padding mode "{mode}" doesn\'t take in value argument', "", "Leave it out.")
    if len(shape) not in (count + 1, count + 2) or count > 3:
        raise NotDifferentiableError(
            f"Padding size {2 * count} is not supported for {len(shape)}D input tensor.",
            "Supported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last "
            "dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 "
            "(pads last 3 dimensions)",
            "Unsqueeze the input.",
        )
    for dim, (n, (before, after)) in enumerate(zip(shape, every, strict=True)):
        if mode == "reflect" and max(before, after) >= max(n, 1):
            raise ShapeError(
                "Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) "
                f"at dimension {dim} of input {list(shape)}"
            )
        kept = _kept(n, before, after)
        if mode == "circular" and kept < 0:
            raise ShapeError(
                "Negative padding value is resulting in an empty dimension",
                f"({before}, {after}) crops more than there is of dimension {dim} of {list(shape)}.", "Crop less.",
            )  # fmt: skip
        if mode == "circular" and max(before, after) > kept:
            left = "" if kept == n else f", of which {kept} are left after cropping"
            raise ShapeError(
                "Padding value causes wrapping around more than once.",
                f"({before}, {after}) for a size of {n}{left}.", "Pad twice, or by less.",
            )  # fmt: skip
    wanted = [n + before + after for n, (before, after) in zip(shape, every, strict=True)]
    if min(wanted) < 0 or (mode != "circular" and max(wanted[len(shape) - count :]) < 1):
        raise ShapeError(
            f"input {list(shape)} is too small. Calculated output {wanted}", f"The padding is {every}.", "Crop less."
        )
    if mode == "circular":
        return recorded_as(border_pad(x, border_places(shape, every, mode)), "circular_pad")
    return recorded_as(border_pad(remember(x), border_places(shape, every, mode)), f"{mode}_pad{count}")


def border_places(shape: tuple[int, ...], every: Pad, mode: str) -> tuple[Any, ...]:
    """Which elements a border of some mode is made of, for each dimension that has one."""
    return tuple(None if p == (0, 0) else _PLACES[mode](n, *p) for n, p in zip(shape, every, strict=True))
