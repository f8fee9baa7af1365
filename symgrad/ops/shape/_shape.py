"""Changes of shape: the same elements under other dimensions.

The idea to hold: each is a view wherever PyTorch's is one, moves nothing, and its transpose moves nothing either: it
brings the gradient back to the shape it came from. Copies (flip, roll) are in `_move.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import DTypeError, ShapeError
from ..._typing import as_dtype
from ...core import OutputNode, Tensor, is_leaf_node, linear, wrap
from .._dims import axis_of, infer, many_dims, sizes, spread
from .._public import dims, public, publish
from ..entries._copy import clone_row

# `g.reshape` and `g.swapaxes` mean the same on arrays and on tensors, and cost an array no detour through a row


def _matrix(*params: Any) -> Any:
    return lambda rng: ([rng.normal(size=(2, 3))], params)


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


view_row = _reshaping("view", True, _viewed, _matrix((3, 2)), "x under another shape, without moving it")
reshape_alias_row = _reshaping(
    "reshape_alias",
    True,
    lambda x, size: x.reshape(size),
    _matrix((6,)),
    "x, which is not in C order, under another shape without moving it",
)
unsafe_view_row = _reshaping(
    "reshape_copy",
    False,
    _copied,
    _matrix((6,)),
    "a copy of x under another shape",
)
# `[...]`: NumPy returns the array itself where there is nothing to squeeze, and a view must be an array of its own
squeeze_row = _reshaping(
    "squeeze",
    True,
    lambda x: x.squeeze()[...],
    lambda rng: ([rng.normal(size=(1, 3, 1))], ()),
    "x without its dimensions of size 1",
    "",
)
squeeze_one_row = _reshaping(
    "squeeze_dim",
    True,
    lambda x, dim: x.squeeze(dim)[...],
    lambda rng: ([rng.normal(size=(2, 1, 3))], (1,)),
    "x without one dimension of size 1",
    "axis",
)
squeeze_many_row = _reshaping(
    "squeeze_dims",
    True,
    lambda x, dim: x.squeeze(dim)[...],
    lambda rng: ([rng.normal(size=(1, 1, 3))], ((0, 1),)),
    "x without some dimensions of size 1",
    "axes",
)
unsqueeze_row = _reshaping(
    "unsqueeze",
    True,
    lambda x, dim: x.reshape((*x.shape[:dim], 1, *x.shape[dim:])),
    _matrix(1),
    "x with a new dimension of size 1",
    "new",
)
transpose_row = linear(
    "transpose",
    lambda x, dim0, dim1: x.swapaxes(dim0, dim1) if x.ndim else x[...],
    lambda g, dim0, dim1, shape: g.swapaxes(dim0, dim1) if shape else g,
    view=True,
    means="axis axis",
    sample=_matrix(0, 1),
    doc="x with two dimensions swapped",
)
t_row: Any = linear(
    "t",
    lambda x: x.T,
    lambda g: t_row(g) if type(g) is Tensor else g.T,
    view=True,
    sample=_matrix(),
    doc="the matrix x transposed",
)
permute_row: Any = linear(
    "permute",
    lambda x, dims: x.transpose(dims),
    lambda g, dims: permute_row(g, _inverse(dims)),
    view=True,
    means="order",
    sample=lambda rng: ([rng.normal(size=(2, 3, 4))], ((1, 2, 0),)),
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
    size = sizes_[0] if len(sizes_) == 1 and type(sizes_[0]) is tuple else spread(sizes_)
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
    memory = x._data if isinstance(x, Tensor) else x
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
    return permute_row(self, tuple(range(len(sizes(self))))[::-1])


def _fits(x: np.ndarray, size: tuple[int, ...]) -> bool:
    """Whether a reshape moves nothing."""
    return x.size == 0 or np.may_share_memory(x, x.reshape(size))


def view(self: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """Return the elements under another shape (or read as another dtype) without moving them."""
    if size is not None or dtype is not None:
        shape = (dtype if size is None else size,)
    if len(shape) == 1 and not isinstance(shape[0], (int, tuple, list, np.integer, Tensor)):
        return _view_dtype(self, as_dtype(shape[0]))
    size = infer(spread(shape), self._data.size)
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
            f"view({dtype}): {error}", f"The dtype is {t._data.dtype}, the shape {t._data.shape}.", ""
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
            "flatten() has invalid args: start_dim cannot come after end_dim", f"They are {start} and {end}.", ""
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
    size = spread((size,))
    if not size:
        raise ShapeError("unflatten: sizes must be non-empty", "", "")
    known = math.prod(s for s in size if s != -1)
    if size.count(-1) > 1:
        raise ShapeError("only one dimension can be inferred", f"The sizes are {list(size)}.", "")
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
def squeeze(input: Any, dim: Any = None) -> Any:
    """Return the tensor without dimensions of size 1: all of them, or those named that are of size 1."""
    if dim is None:
        return squeeze_row(input)
    shape = sizes(input)
    if isinstance(dim, (tuple, list)):
        ones = tuple(d for d in many_dims(dim, len(shape)) if shape and shape[d] == 1)
        return squeeze_many_row(input, ones)
    dim = axis_of(dim, len(shape))
    return squeeze_one_row(input, dim if shape and shape[dim] == 1 else ())


@public()
@dims
def unsqueeze(input: Any, dim: int) -> Any:
    """Return the tensor with a new dimension of size 1 at ``dim``."""
    return unsqueeze_row(input, axis_of(dim, len(sizes(input)) + 1))


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
    n = len(sizes(input))
    return transpose_row(input, axis_of(axis0, n), axis_of(axis1, n))


@public()
def t(input: Any) -> Any:
    """Return a matrix transposed; a vector or a number as it is."""
    n = len(sizes(input))
    if n > 2:
        raise ShapeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {n}D", "", "Use transpose, permute or mT."
        )
    return t_row(input)


@public()
def permute(input: Any, *order: Any, dims: Any = None) -> Any:
    """Return the tensor with its dimensions in the order ``dims``."""
    wanted = spread(order if dims is None else (dims,))
    n = len(sizes(input))
    if len(wanted) != n:
        raise ShapeError(
            "permute(): number of dimensions in the tensor input does not match the length of the desired ordering of "
            f"dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(wanted)}",
            "",
            "Name every dimension.",
        )
    places = tuple(axis_of(d, n) for d in wanted)
    if len(set(places)) < n:
        raise ShapeError("permute(): duplicate dims are not allowed.", f"They are {wanted}.", "")
    return permute_row(input, places)


@public("moveaxis", numpy=(np.moveaxis,))
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Return the tensor with the dimensions ``source`` moved to the places ``destination``, the others in order."""
    n = len(sizes(input))
    source, destination = spread((source,)), spread((destination,))
    if len(source) != len(destination):
        raise ShapeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain the same "
            "number of dims as "
            f"destination ({list(destination)} dims)",
            "",
            "",
        )
    src, dst = tuple(axis_of(d, n) for d in source), tuple(axis_of(d, n) for d in destination)
    for name, found, given in (("source", src, source), ("destination", dst, destination)):
        if len(set(found)) < len(found):
            raise ShapeError(f"movedim: repeated dim in `{name}` ({list(given)})", "", "")
    if not n:
        return permute_row(input, ())
    order = [d for d in range(n) if d not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        order.insert(d, s)
    return permute_row(input, tuple(order))
