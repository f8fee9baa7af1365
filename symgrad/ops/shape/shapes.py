"""Changes of shape: the same elements under other dimensions; views by strides, and of repeated dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DTypeError, InplaceError, ShapeError
from ..._typing import Size, as_dtype
from ...core import (
    NUMPY,
    OutputNode,
    Tensor,
    check_writable,
    is_leaf_node,
    linear,
    mismatch,
    modes,
    params_in_numbers,
    recorded_as,
    set_node,
    storage,
    unwrap,
    with_tangent_of,
    wrap,
)
from ..arguments import (
    axis_of,
    infer,
    integers_of,
    listed,
    many_dims,
    numbers_only,
    rank,
    sizes,
    tensor_like,
    unexpandable,
)
from ..create.creation import float_dtype, make
from ..entries.copies import clone_row, copy_
from ..index.index import scattered
from ..public import METHODS, dims, named, public, publish
from ..reduce.sums import expand as expand_row
from ..samples import matrix_sample, sampled

# --------------------------------------------------------- Changes of shape: the same elements under other dimensions

# The idea to hold: each is a view wherever PyTorch's is one, moves nothing, and its transpose moves nothing either: it
# brings the gradient back to the shape it came from. Copies (flip, roll) are in `moves.py`.


# `g.reshape` and `g.swapaxes` mean the same on arrays and on tensors, and cost an array no detour through a row


def _viewed(x: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    try:
        return x.reshape(size)
    except (ValueError, TypeError):
        infer(size, x.size)  # says what is wrong, in PyTorch's words
        raise


def _copied(x: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    out = np.empty(size, x.dtype)
    out.reshape(x.shape)[...] = x
    return out


_LABELS = {
    "view": "reshape", "reshape_alias": "reshape", "reshape_copy": "reshape", "squeeze_dim": "squeeze",
    "squeeze_dims": "squeeze",
}  # fmt: skip


def _reshaping(name: str, view: bool, forward: Any, sample: Any, doc: str, means: str = "shape") -> Any:
    return linear(
        name, forward, lambda g, shape: g.reshape(shape), view=view, means=means, reshapes=True,
        sample=sample, label=_LABELS.get(name, name), doc=doc,
    )  # fmt: skip


view_row = _reshaping("view", True, _viewed, matrix_sample((4, 3)), "x under another shape, without moving it")
reshape_alias_row = _reshaping(
    "reshape_alias",
    True,
    lambda x, size: x.reshape(size),
    matrix_sample((12,)),
    "x, which is not in C order, under another shape without moving it",
)
unsafe_view_row = _reshaping(
    "reshape_copy",
    False,
    _copied,
    matrix_sample((12,)),
    "a copy of x under another shape",
)
# `[...]`: NumPy returns the array itself where there is nothing to squeeze, and a view must be an array of its own
squeeze_row = _reshaping(
    "squeeze",
    True,
    lambda x: x.squeeze()[...],
    sampled(of=[(1, 3, 1)]),
    "x without its dimensions of size 1",
    "",
)
squeeze_one_row = _reshaping(
    "squeeze_dim",
    True,
    lambda x, dim: x.squeeze(dim)[...],
    sampled(1, of=[(2, 1, 3)]),
    "x without one dimension of size 1",
    "axis",
)
squeeze_many_row = _reshaping(
    "squeeze_dims",
    True,
    lambda x, dim: x.squeeze(dim)[...],
    sampled((0, 1), of=[(1, 1, 3)]),
    "x without some dimensions of size 1",
    "axes",
)
unsqueeze_row = _reshaping(
    "unsqueeze",
    True,
    lambda x, dim: x.reshape((*x.shape[:dim], 1, *x.shape[dim:])),
    matrix_sample(1),
    "x with a new dimension of size 1",
    "new",
)
transpose_row = linear(
    "transpose",
    lambda x, dim0, dim1: x.swapaxes(dim0, dim1) if x.ndim else x[...],
    lambda g, dim0, dim1, shape: g.swapaxes(dim0, dim1) if shape else g,
    view=True,
    means="axis axis",
    sample=matrix_sample(0, 1),
    doc="x with two dimensions swapped",
)
t_row: Any = linear(
    "t",
    lambda x: x.T,
    lambda g: t_row(g) if type(g) is Tensor else g.T,
    view=True,
    sample=matrix_sample(),
    doc="the matrix x transposed",
)
permute_row: Any = linear(
    "permute",
    lambda x, dims: x.transpose(dims),
    lambda g, dims: permute_row(g, _inverse(dims)),
    view=True,
    means="order",
    sample=sampled((1, 2, 0)),
    doc="x with its dimensions in another order",
)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    inverse = [0] * len(order)
    for k, d in enumerate(order):
        inverse[d] = k
    return tuple(inverse)


# ------------------------------------------------------------------------------------------------ reshape


@public()
def reshape(input: Any, *sizes_: Any, shape: Any = None, order: str = "C") -> Any:
    """Return the elements under another shape, in C order: a view where no element need move, else a copy.

    One size may be -1: it follows from the others. ``order="F"`` reads and writes with the first index running fastest,
    as NumPy does.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.arange(6.0).reshape(2, -1)
    tensor([[0., 1., 2.],
            [3., 4., 5.]])
    """
    if shape is not None:
        sizes_ = (shape,)
    size = sizes_[0] if len(sizes_) == 1 and type(sizes_[0]) is tuple else integers_of(sizes_)
    if order != "C" and _columns_first(input, order):
        size = infer(size, math.prod(sizes(input)))
        return reverse(reshape(reverse(input), size[::-1]))
    if size and min(size) < 0:
        size = infer(size, math.prod(sizes(input)))
    if not isinstance(input, Tensor) or (x := input._data).flags.c_contiguous:
        return view_row(input, size)
    infer(size, math.prod(sizes(input)))
    return reshape_alias_row(input, size) if _fits(x, size) else unsafe_view_row(input, size)


def _columns_first(x: Any, order: str) -> bool:
    """Whether NumPy's ``order`` means that the first index runs fastest: 'A' and 'K' ask the memory."""
    memory = unwrap(x)
    if order in ("C", "F"):
        return order == "F"
    if order == "A" or (order == "K" and (memory.flags.c_contiguous or memory.flags.f_contiguous)):
        if memory.ndim > 1 and isinstance(x, Tensor):
            _expect_numpys_layout(x, order)
        return bool(memory.flags.fnc)
    what = "of a tensor that is not contiguous" if order == "K" else "is none of 'C', 'F' and 'A'"
    raise ShapeError(f"order={order!r} {what}", f"Its strides are {memory.strides}.", "Use 'C' or 'F'.")


_LIE_AS_IN_NUMPY = frozenset(["clone", "cast", "reshape_copy"])


def _expect_numpys_layout(x: Tensor, order: str) -> None:
    """Refuse an order of memory where NumPy's array may lie otherwise: of what was taken by an index, sorted, joined.

    Arguments lie as they were given, and what is taken entry by entry, and views, lie as NumPy lays them.
    """
    todo, seen = [x._node], {None}
    while todo:
        node = todo.pop()
        if node in seen or is_leaf_node(node):
            continue
        seen.add(node)
        op, one_of_several = node.op, isinstance(node, OutputNode)
        as_there = op is not None and (op.kind == "elementwise" or op.view or op.name in _LIE_AS_IN_NUMPY)
        if not as_there and not one_of_several:
            name = op.name if op else type(node).__name__
            raise ShapeError(
                f"order={order!r} is not known of what was computed by {name!r}",
                "Its entries may lie in memory otherwise than NumPy's: such an order shows how.", "Use 'C' or 'F'.",
            )  # fmt: skip
        todo += node.parents


def reverse(self: Any) -> Any:
    """The tensor with its dimensions in reverse order."""
    return permute_row(self, tuple(range(rank(self)))[::-1])


def _fits(x: np.ndarray, size: tuple[int, ...]) -> bool:
    """Whether a reshape moves nothing."""
    return x.size == 0 or np.may_share_memory(x, x.reshape(size))


def view(self: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """Return the elements under another shape (or read as another dtype) without moving them."""
    if size is not None or dtype is not None:
        shape = (dtype if size is None else size,)
    if len(shape) == 1 and not isinstance(shape[0], (int, tuple, list, np.integer, Tensor)):
        return _view_dtype(self, as_dtype(shape[0]))
    size = infer(integers_of(shape), self._data.size)
    if not self._data.flags.c_contiguous and not _fits(self._data, size):
        raise ShapeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead.",
            f"The tensor of shape {self._data.shape} is not contiguous.",
            "reshape copies where it must; contiguous() first.",
        )
    return view_row(self, size)


def _view_dtype(t: Tensor, dtype: np.dtype[Any]) -> Tensor:
    if dtype == t._data.dtype:
        return view_row(t, t._data.shape)
    if t._node is not None:
        raise DTypeError(
            f"view({dtype}) reads the bits of a tensor as other numbers: it has no derivative", "", "detach() first."
        )
    try:
        return wrap(t._data.view(dtype))
    except ValueError as error:
        raise ShapeError(
            f"view({dtype}): {error}", f"The dtype is {t._data.dtype}, the shape {t._data.shape}."
        ) from None


def view_as(self: Tensor, other: Any) -> Tensor:
    """Return `view` of the shape of ``other``."""
    return view(self, sizes(other))


def reshape_as(self: Tensor, other: Any) -> Tensor:
    """Return `reshape` to the shape of ``other``."""
    return reshape(self, sizes(other))


publish(view, "view", function=False)
publish(view_as, "view_as", function=False)
publish(reshape_as, "reshape_as", function=False)


@public()
def flatten(input: Any, start_dim: Any = 0, end_dim: int = -1, *, order: str = "C") -> Any:
    """Return the tensor with the dimensions from ``start_dim`` to ``end_dim`` made one; NumPy's ``order`` in its place
    (``flatten("F")``) makes all one.
    """
    if isinstance(start_dim, str) or order != "C":
        return reshape(input, (-1,), order=start_dim if isinstance(start_dim, str) else order)
    shape = sizes(input)
    start, end = axis_of(start_dim, len(shape)), axis_of(end_dim, len(shape))
    if start > end:
        raise ShapeError(
            "flatten() has invalid args: start_dim cannot come after end_dim", f"They are {start} and {end}."
        )
    if not shape:
        return reshape(input, (1,))
    if start == end:
        return input
    return reshape(input, shape[:start] + (math.prod(shape[start : end + 1]),) + shape[end + 1 :])


@public()
def ravel(input: Any, order: str = "C") -> Any:
    """Return the elements as one row, in C order (``order="F"``: column by column): a view where that is possible."""
    if order != "C":
        if isinstance(input, Tensor) and not input._data.flags.forc:  # NumPy copies, also what a reshape would view
            input = clone_row(input, "F" if _columns_first(input, order) else "C")
        return reshape(input, (-1,), order=order)
    if isinstance(input, Tensor) and not input._data.flags.c_contiguous:
        input = clone_row(input, "C")
    return reshape(input, (math.prod(sizes(input)),))


@public()
def unflatten(input: Any, dim: int, size: Any) -> Any:
    """Return the tensor with one dimension split into several; one of their sizes may be -1."""
    shape = sizes(input)
    dim = axis_of(dim, len(shape))
    size = integers_of((size,))
    if not size:
        raise ShapeError("unflatten: sizes must be non-empty")
    known = math.prod(s for s in size if s != -1)
    if size.count(-1) > 1:
        raise ShapeError("only one dimension can be inferred", f"The sizes are {list(size)}.")
    if known != shape[dim] if -1 not in size else (known == 0 or shape[dim] % known):
        raise ShapeError(
            f"unflatten: Provided sizes {list(size)} don't multiply up to the size of dim {dim} ({shape[dim]}) in "
            "the input tensor",
            "",
            "Check the sizes.",
        )
    return view_row(input, shape[:dim] + infer(size, shape[dim]) + shape[dim + 1 :])


# ---------------------------------------------------------------------------------- squeeze and unsqueeze


@public()
@dims
def squeeze(input: Any, dim: Any = None, *more: int) -> Any:
    """Return the tensor without dimensions of size 1: all of them, or those named that are of size 1."""
    if dim is None:
        return squeeze_row(input)
    shape = sizes(input)
    if more or isinstance(dim, (tuple, list)):
        dim = (dim, *more) if more else dim
        ones = tuple(d for d in many_dims(dim, len(shape)) if shape and shape[d] == 1)
        return squeeze_many_row(input, ones)
    dim = axis_of(dim, len(shape))
    return squeeze_one_row(input, dim if shape and shape[dim] == 1 else ())


@public()
@dims
def unsqueeze(input: Any, dim: int) -> Any:
    """Return the tensor with a new dimension of size 1 at ``dim``."""
    return unsqueeze_row(input, axis_of(dim, rank(input) + 1))


# ------------------------------------------------------------------------------------ orders of dimensions


@public()
def transpose(input: Any, dim0: Any = None, dim1: Any = None, *dims: int) -> Any:
    """Return the tensor with two dimensions swapped, as PyTorch does; without them in reverse order, as NumPy does.

    A tuple, or any number of dimensions but two, is NumPy's: a permutation.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.ones(2, 3, 4)
    >>> [tuple(y.shape) for y in (x.transpose(0, 1), x.transpose(), x.transpose((2, 0, 1)))]
    [(3, 2, 4), (4, 3, 2), (4, 2, 3)]
    """
    if dim1 is not None and not dims:
        return swapaxes(input, dim0, dim1)
    if dim0 is None:
        return reverse(input)
    return permute(input, *(d for d in (dim0, dim1) if d is not None), *dims)


@public("swapdims")
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Return the tensor with two dimensions swapped."""
    n = rank(input)
    return transpose_row(input, axis_of(axis0, n), axis_of(axis1, n))


@public()
def t(input: Any) -> Any:
    """Return a matrix transposed; a vector or a number as it is."""
    n = rank(input)
    if n > 2:
        raise ShapeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {n}D", "", "Use transpose, permute or mT."
        )
    return t_row(input)


@public()
def permute(input: Any, *order: Any, dims: Any = None) -> Any:
    """Return the tensor with its dimensions in the order ``dims``."""
    wanted = integers_of(order if dims is None else (dims,))
    n = rank(input)
    if len(wanted) != n:
        raise ShapeError(
            "permute(): number of dimensions in the tensor input does not match the length of the desired ordering of "
            f"dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(wanted)}",
            "",
            "Name every dimension.",
        )
    places = tuple(axis_of(d, n) for d in wanted)
    if len(set(places)) < n:
        raise ShapeError("permute(): duplicate dims are not allowed.", f"They are {wanted}.")
    return permute_row(input, places)


@public("moveaxis", numpy=(np.moveaxis,))
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Return the tensor with the dimensions ``source`` moved to the places ``destination``, the others in order."""
    n = rank(input)
    source, destination = integers_of((source,)), integers_of((destination,))
    if len(source) != len(destination):
        raise ShapeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same "
            "number of dims as "
            f"destination ({list(destination)} dims)"
        )
    src, dst = tuple(axis_of(d, n) for d in source), tuple(axis_of(d, n) for d in destination)
    for name, found, given in (("source", src, source), ("destination", dst, destination)):
        if len(set(found)) < len(found):
            raise ShapeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if not n:
        return permute_row(input, ())
    order = [d for d in range(n) if d not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return permute_row(input, tuple(order))


# ------------------------------------------- Views in which dimensions of size 1 repeat: expand, broadcast_to and kin


def expand(self: Any, *sizes_: Any, size: Any = None) -> Any:
    """Return a view in which dimensions of size 1 (and new leading ones) repeat; -1 keeps a size."""
    return expand_row(self, _expanded(sizes(self), integers_of(sizes_ if size is None else (size,))))


def _expanded(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    lead = max(len(target) - len(shape), 0)
    if -1 in target[:lead]:
        k = target.index(-1)
        raise ShapeError(f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {k}")
    words = unexpandable(shape, target)
    if words or min(target, default=0) < -1:
        words = words or f"The expanded sizes of the tensor are negative: {list(target)}"
        raise ShapeError(words, "Only dimensions of size 1 repeat.", "repeat() copies.")
    return (*target[:lead], *(n if size == -1 else size for n, size in zip(shape, target[lead:], strict=True)))


def expand_as(self: Any, other: Any) -> Any:
    """Return `expand` to the shape of ``other``."""
    return expand(self, sizes(other))


publish(expand, "expand", function=False)
publish(expand_as, "expand_as", function=False)


@public()
def broadcast_to(input: Any, size: Any) -> Any:
    """Return a view of shape ``size`` in which dimensions of size 1 repeat."""
    return expand(input, size)


NUMPY[np.broadcast_to] = lambda array, shape, subok=False: expand(array, shape)


@public(method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Return the tensors as views of the one shape that they broadcast to."""
    tensors = tuple(map(tensor_like, listed(tensors)))
    shape = broadcast_shapes(*map(sizes, tensors))
    return tuple(x if sizes(x) == shape else expand(x, shape) for x in tensors)


@public(method=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that shapes broadcast to."""
    out: tuple[int, ...] = ()
    for shape in shapes:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        words = mismatch(out, shape)
        if words:
            raise ShapeError(words, f"The shapes are {shapes}.", "Insert dimensions of size 1.")
        out = np.broadcast_shapes(out, shape)
    return Size(out)


# --------------------------------- Views by strides: ``as_strided`` says for each element where in the memory it lies

# The idea to hold: an element's place in memory is also the place of an element of the tensor, or of none. Places that
# repeat add up in the gradient; those outside of the tensor (its memory may be larger) have none.


def _addresses(size: tuple[int, ...], stride: tuple[int, ...], start: int = 0) -> np.ndarray:
    """Where elements lie, counted in elements from the first of a tensor."""
    grid = np.ogrid[tuple(slice(n) for n in size)]
    return np.asarray(sum((k * s for k, s in zip(grid, stride, strict=True)), np.full(size, start)))


def _c_stride(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[k + 1 :]) for k in range(len(shape)))


def strided_places(shape: tuple[int, ...], size: Any, stride: Any, start: int, layout: Any) -> np.ndarray:
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
    places = strided_places(x.shape, size, stride, start, layout)
    if (places < 0).any():
        raise ShapeError(
            "as_strided: the view reaches beyond its tensor, into memory that is not there", "", "Take it of the base."
        )
    return x.reshape(-1)[places]


def _reach(size: Any, stride: Any) -> int:
    """How many elements of memory a view spans."""
    return 0 if 0 in size else 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))


def _unstrided(g: Any, shape: Any, size: Any, stride: Any, start: int, layout: Any) -> Any:
    shape = params_in_numbers(tuple(shape))  # sizes that have names count as their numbers: the strides are for these
    places = strided_places(shape, size, stride, start, layout)
    inside = places >= 0
    if not inside.all():
        g, places = g[inside], places[inside]
    return scattered(g, places, 0, (math.prod(shape),)).reshape(shape)


as_strided_row = linear(
    "as_strided", _strided, _unstrided, view=True,
    sample=sampled((2, 2, 2), (2, 1, 1), 1, (3, 1), of=[(2, 3)]),
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
    x, size, stride = input._data, integers_of((size,)), integers_of((stride,))
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
    size, stride = integers_of((size,)), integers_of((stride,))
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
    size, order = integers_of((size,)), integers_of((physical_layout,))
    if sorted(order) != list(range(len(size))):
        raise ShapeError(
            f"empty_permuted: physical_layout {list(order)} is no order of the {len(size)} dimensions", "",
            "Name each dimension once.",
        )  # fmt: skip
    stride = [math.prod(size[d] for d in order[order.index(k) + 1 :]) for k in range(len(size))]
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad)


# -------------------------------------------------------------------------------------------------------------------
# In-place changes of shape: ``x.unsqueeze_(0)`` gives the tensor itself another shape, and moves nothing


def _method(name: str, fn: Callable[..., Any]) -> None:
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, name)
        bag = self._extra
        if bag is not None and any(ref() is not None for ref in bag.views or ()):
            raise InplaceError(
                f"{name} cannot change the shape of a tensor that has views",
                "Their place in it would no longer be known.",
                f"Use {name[:-1]}, which returns a new view.",
            )
        # a tensor with a history keeps it in step with its shape, under no_grad too: its gradient has the new shape
        token = modes.mode.set(modes.on_value()) if self._node is not None else None
        try:
            result = fn(self, *args, **kwargs)
        finally:
            if token is not None:
                modes.mode.reset(token)
        if bag is not None and bag.view is not None:
            bag.view = result._extra.view
        if self._node is not None and not is_leaf_node(self._node):
            set_node(self, recorded_as(result, result._node.op.name + "_")._node)
        self._data = result._data
        storage.stamp(self._data)
        with_tangent_of(self, result)
        return self

    method.__wrapped__ = fn  # type: ignore[attr-defined]  # whose arguments it takes
    doc = f"In-place version of `{name[:-1]}`: gives the tensor itself the other shape and returns it."
    METHODS[name] = named(method, name, doc)


_method("unsqueeze_", unsqueeze)
_method("squeeze_", squeeze)
_method("t_", t)
_method("as_strided_", as_strided)
_method("transpose_", transpose)
for _name in ("swapaxes_", "swapdims_"):
    _method(_name, swapaxes)
