"""Picking and putting by masks and along one dimension: gather, scatter, and what is combined on arrival."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ..._typing import in_dtype
from ...core import Tensor, constant, elementwise, general, linear, mismatch, short_dtype, unwrap
from ..arguments import (
    axis_of,
    found_in,
    in_range,
    index_operand,
    known_values,
    ndarray_of,
    rank,
    same_dtype,
    sizes,
)
from ..public import public
from ..reduce.sums import c_order, expand
from ..samples import sampled
from .index import getitem, index_accumulate, index_put_row, of_those_that_stay, placed, replaced, staying

# --------------------------------------------------------------------------------------- Picking and putting by masks


def _masked(x: Any, mask: Any, value: Any) -> Any:
    own = np.asarray(x).dtype
    return c_order(np.where(mask, np.asarray(in_dtype(value, own, "masked_fill")).astype(own), x))


masked_fill_row = elementwise(
    "masked_fill",
    _masked,
    lambda g, mask: np.where(mask, 0, g),
    0,
    lambda g, mask: np.where(mask, g, 0),
    domain=("real", "bool", "real"),
    own_dtype=True,
    masks=True,
    doc="x, with value where mask holds",
)


def _truths(mask: Any, words: str) -> np.ndarray:
    """The array of a mask; ``words`` name the dtype of anything else."""
    found = ndarray_of(mask)
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
    mask = mask if isinstance(mask, Tensor) else ndarray_of(mask)
    return tuple(t if sizes(t) == both else expand(t, both) for t in (x, mask))


@public(inplace=True)
def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """Return ``input`` with ``value``, a number or a tensor without dimensions, where ``mask`` holds."""
    _truths(
        mask,
        f"masked_fill_ only supports boolean masks, but got mask with dtype {ndarray_of(mask).dtype}",
    )
    _common_shape(input, mask)
    if not isinstance(value, (Tensor, np.ndarray)):
        return masked_fill_row(input, mask, value)
    if sizes(value):
        raise ShapeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {rank(value)} dimension(s).",
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
    sample=sampled(of=[(4,), np.array([True, False, True, True])]),
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
    known_values(mask, "which elements a mask picks")
    _truths(mask, "masked_select: expected BoolTensor for mask")
    return masked_select_row(*_same_shape(input, mask))


def _padded(g: Any, shape: tuple[int, ...], mask: Any) -> Any:
    picked = masked_select_row(g, mask)
    return placed(picked, (math.prod(shape),), (slice(0, sizes(picked)[0]),)).reshape(shape)


masked_scatter_row = general(
    "masked_scatter",
    lambda x, source, mask: replaced(x, np.asarray(source).reshape(-1)[: int(mask.sum())], mask),
    lambda g, mask: np.where(mask, 0, g),
    _padded,
    0,
    domain=("real", "real", "index"),
    masks=True,
    text="masked_scatter({0}, {2}, {1})",
    sample=sampled(of=[(3,), (3,), np.array([True, False, True])]),
    doc="x, with the elements of source in turn where mask holds",
)


@public(inplace=True)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return ``input`` with the elements of ``source``, in turn, where ``mask`` holds."""
    _truths(mask, "masked_scatter_ only supports boolean masks, but got mask with dtype {}")
    same_dtype(input, source, "masked_scatter: expected self and source to have same dtypes but got{} and {}")
    x, places = _same_shape(input, mask)
    if int(unwrap(places).sum()) > math.prod(sizes(source)):
        raise ShapeError("Number of elements of source < number of ones in mask", "", "Give source as many elements.")
    return masked_scatter_row(x, source, places)


# -------------------------------------------------------------------------------------------------------------------
# Places along one dimension: picking of each line what an index of the same axes names, and the transposes

# The idea to hold: it is an index of arrays in disguise, which `along` writes out. The rows that pick, add up and clear
# are each other's derivatives, to every order.


class PlaceError(DimensionError, RuntimeError):
    """An index tensor names a place that is not there; PyTorch raises RuntimeError for it, not IndexError."""


def along(index: np.ndarray, dim: int) -> tuple[Any, ...]:
    """The index of arrays that varies ``dim`` as ``index`` says, and every other dimension as its own positions."""
    if index.ndim == 0:
        return (index,)
    grid = np.ogrid[tuple(slice(n) for n in index.shape)]
    return tuple(index if d == dim else grid[d] for d in range(index.ndim))


def along_of(x: Any, index: np.ndarray, dim: int) -> tuple[Any, ...]:
    """As `along`, of places of ``x`` that are there."""
    n = np.shape(x)[dim] if np.ndim(x) else 1
    words = f"index {{}} is out of bounds for dimension {dim} with size {n}"
    return along(in_range(index, n, words, error=PlaceError), dim)


def of_numbers_too(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function along a dimension take a number: it is a line of one."""

    @functools.wraps(function)
    def call(input: Any, dim: int, index: Any, *args: Any, **kwargs: Any) -> Any:
        if sizes(input):
            return function(input, dim, index, *args, **kwargs)
        axis_of(dim, 0)
        args = tuple(map(_line, args))
        kwargs = {name: _line(value) for name, value in kwargs.items()}
        return function(_line(input), dim, _line(index), *args, **kwargs).reshape(())

    return call


def _line(a: Any) -> Any:
    return a.reshape((1,)) if isinstance(a, (Tensor, np.ndarray)) and not sizes(a) else a


def added(x: Any, values: Any, index: Any) -> np.ndarray:
    """A copy of an array, with values added at an index of arrays; places may repeat."""
    out = np.array(x, order="C")
    np.add.at(out, index, values)
    return out


def check_along(x: Any, dim: int, index: Any, what: str) -> int:
    """The dimension counted from the front, once index and tensor fit each other."""
    n, covers = rank(x), rank(index)
    dim = axis_of(dim, n)
    if max(covers, 1) != max(n, 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as {what} tensor",
            f"{covers} and {n} dimensions.",
            "Unsqueeze the index.",
        )
    return dim


def prepared(x: Any, dim: int, index: Any, src: Any, what: str) -> tuple[int, Any, Any]:
    """The dimension, the index and the part of ``src`` that it covers, checked."""
    places = index_operand(index, what)
    dim = check_along(x, dim, places, "self")
    shape, source, covers = sizes(x), sizes(src), sizes(places)
    same_dtype(x, src, f"{what}: Expected self.dtype to be equal to src.dtype")
    fits = all(d == dim or n <= shape[d] for d, n in enumerate(covers)) if shape else True
    covered = len(source) == len(covers) and all(n <= m for n, m in zip(covers, source, strict=True))
    if 0 in covers:  # of whatever sizes: nothing is put, and nothing moves
        none = (0,) * len(covers)
        return dim, places.reshape(none), src.reshape((-1,))[:0].reshape(none)
    if not fits or not covered:
        raise ShapeError(
            f"Expected index {list(covers)} to be no larger than self {list(shape)} apart from dimension {dim} "
            f"and to be no larger size than src {list(source)}",
            "",
            "Give src the shape of the index.",
        )
    if source != covers:
        src = getitem(src, tuple(slice(n) for n in covers))
    return dim, places, src


def sample_scatter(rng: np.random.Generator, *params: Any) -> Any:
    places = rng.permuted(np.tile(np.arange(4), (3, 1)), axis=1)[:, :2]
    return [rng.normal(size=(3, 4)), rng.normal(size=(3, 2)), places], (1, *params)


# -------------------------------------------------------------------------------------------------------- picking


def _pick(x: np.ndarray, index: np.ndarray, dim: int, keepdim: bool) -> np.ndarray:
    if x.ndim == 0:
        return x.copy()
    out = c_order(x[along(index, dim)]) if x.ndim > 1 else x[index]
    return out if keepdim else out.squeeze(dim)


def _unpick(x: np.ndarray, index: np.ndarray, dim: int, keepdim: bool, to: tuple[int, ...], apart: bool) -> np.ndarray:
    if not to:
        return np.array(x)
    x = np.asarray(x)
    x = x if keepdim else np.expand_dims(x, dim)
    out = np.zeros(to, x.dtype)
    if apart or not index.ndim or index.shape[dim] == 1:
        out[along(index, dim)] = x
    else:
        np.add.at(out, along(index, dim), x)
    return out


_PLACES = np.array([[[0, 1, 2, 2]], [[1, 1, 0, 2]]])


def picker(name: str, apart: bool, doc: str, text: str = "") -> Callable[..., Any]:
    """A row that picks along a line; ``apart`` promises that it picks no element twice."""
    return linear(
        name, _pick, lambda g, shape, index, dim, keepdim: unpick(g, index, dim, keepdim, shape, apart), 0,
        domain=("real", "places"), means="axis option", text=text,
        sample=sampled(1, False, of=[(2, 3, 4), _PLACES]), doc=doc,
    )  # fmt: skip


pick = picker("pick", False, "the elements at index along dim")
unpick = linear(
    "unpick", _unpick, lambda g, index, dim, keepdim: pick(g, index, dim, keepdim), 0,
    domain=("real", "places"), means="place option size option",
    sample=sampled(1, False, (2, 3, 4), False, of=[(2, 4), _PLACES]),
    doc="zeros, with the elements put along dim at index, and added up where they meet",
)  # fmt: skip


clear_along: Any = linear(
    "clear_along", lambda x, index, dim: replaced(x, 0, along(index, dim)),
    lambda g, index, dim: clear_along(g, index, dim), 0,
    domain=("real", "places"), means="axis",
    sample=sampled(1, of=[(2, 3, 4), _PLACES]), doc="x, with zeros along dim at index",
)  # fmt: skip

# ------------------------------------------------------------------------------------- gather and scatter

gather_row = linear(
    "gather",
    lambda x, index, dim: x[along_of(x, index, dim)],
    lambda g, shape, index, dim: unpick(g, index, dim, True, shape, False),
    0,
    domain=("real", "places"),
    means="axis",
    text="gather({0}, {2}, {1})",
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.integers(0, 4, (3, 2))], (1,)),
    doc="along dim, the elements that index names",
)


def _stays_along(index: np.ndarray, dim: int, size: tuple[int, ...]) -> np.ndarray:
    where = np.broadcast_arrays(*along(index, dim))
    return staying(np.ravel_multi_index(tuple(where), size) if size else index)


stays_along = constant(
    "stays_along",
    _stays_along,
    domain=("places",),
    means="place size",
    sample=sampled(1, (2, 3), of=[np.array([[0, 2, 0], [1, 1, 0]])]),
    doc="whether an element put along dim at a place of index is the last one put there",
)


# -------------------------------------------------------------------------------------------------------------------
# Elements, or whole slices, combined with those at the places they are sent to: scatter_reduce and index_reduce


def _scatter_sum(
    x: np.ndarray, src: np.ndarray, index: np.ndarray, dim: int, mean: bool, include_self: bool
) -> np.ndarray:
    places = along_of(x, index, dim)
    out = added(x if include_self else replaced(x, 0, places), src, places)
    if not mean:
        return out
    count = _meetings(index, dim, x.shape, include_self)
    return (out // count if out.dtype.kind in "iu" else out / count).astype(out.dtype)


def _meetings(index: np.ndarray, dim: int, size: tuple[int, ...], include_self: bool) -> np.ndarray:
    own = np.ones(size, np.int64)
    if not include_self:
        own[along(index, dim)] = 0
    np.add.at(own, along(index, dim), 1)
    return np.maximum(own, 1)


meetings = constant(
    "scatter_count",
    lambda index, dim, size, whole: _meetings(index, dim, size, whole),
    domain=("places",),
    means="place size option",
    sample=sampled(1, (2, 3), True, of=[np.array([[0, 2, 0], [1, 1, 0]])]),
    doc="how many elements meet at each place, in scatter_reduce",
)


def _weighed(g: Any, shape: tuple[int, ...], index: Any, dim: int, mean: bool, include_self: bool) -> Any:
    return g / meetings(index, dim, shape, include_self).astype(g.dtype) if mean else g


def _own_share(g: Any, shape_x: tuple[int, ...], index: Any, dim: int, mean: bool, include_self: bool) -> Any:
    g = _weighed(g, shape_x, index, dim, mean, include_self)
    return g if include_self else clear_along(g, index, dim)


scatter_sum_row = general(
    "scatter_sum",
    _scatter_sum,
    _own_share,
    lambda g, shape_x, index, dim, mean, include_self: gather_row(
        _weighed(g, shape_x, index, dim, mean, include_self), index, dim
    ),
    0,
    domain=("real", "real", "places"),
    means="axis option option",
    sample=lambda rng: sample_scatter(rng, True, True),
    doc="x, with the sum (or mean) of the elements of src that index sends to each place",
)


def _scatter_extreme(
    x: np.ndarray, src: np.ndarray, index: np.ndarray, dim: int, largest: bool, include_self: bool
) -> np.ndarray:
    out = np.array(x, order="C")
    if not include_self:
        out[along_of(x, index, dim)] = src  # any value that takes part
    (np.maximum if largest else np.minimum).at(out, along_of(x, index, dim), src)
    return out


def _shares(x: Any, src: Any, index: np.ndarray, dim: int, largest: bool, include_self: bool) -> tuple[Any, Any]:
    """What each of x and of src has of the gradient: the result is computed again, since equal is equal to the bit."""
    places = along(index, dim)
    y = _scatter_extreme(x, src, index, dim, largest, include_self)
    own, sent = x == y, src == y[places]
    if not include_self:
        own[places] = False
    ties = own.astype(x.dtype)
    np.add.at(ties, places, sent.astype(x.dtype))
    share = 1 / np.maximum(ties, 1)
    return own * share, sent * share[places]


_SHARES: dict[str, Any] = {
    "domain": ("real", "real", "places"), "means": "axis option option",
    "sample": sampled(0, True, True, of=[np.ones(2), np.array([1.0, 3.0, 3.0]), np.array([0, 1, 1])]),
}  # fmt: skip

scatter_share = constant(
    "scatter_share", lambda x, src, index, dim, largest, whole: _shares(x, src, index, dim, largest, whole)[0], 3,
    doc="what each element of x has of the largest (or smallest) that it meets in scatter_reduce: shared among ties",
    **_SHARES,
)  # fmt: skip
scatter_share_src = constant(
    "scatter_share_src", lambda x, src, index, dim, largest, whole: _shares(x, src, index, dim, largest, whole)[1], 3,
    doc="what each element of src has of the largest (or smallest) that it meets in scatter_reduce: shared among ties",
    **_SHARES,
)  # fmt: skip


def _shared(g: Any, share: Any) -> Any:
    return np.where(share != 0, g * share, 0)


scatter_extreme_row = general(
    "scatter_extreme",
    _scatter_extreme,
    lambda g, x, src, index, dim, largest, include_self: _shared(
        g, scatter_share(x, src, index, dim, largest, include_self)
    ),
    lambda g, x, src, index, dim, largest, include_self: _shared(
        gather_row(g, index, dim), scatter_share_src(x, src, index, dim, largest, include_self)
    ),
    0,
    domain=("real", "real", "places"),
    means="axis option option",
    kink="shared among ties",
    sample=lambda rng: sample_scatter(rng, True, True),
    pieces=True,
    doc="x, with the largest (or smallest) of the elements of src that index sends to each place",
)


def _scatter_prod(x: Any, src: Any, dim: int, index: Any, include_self: bool) -> Any:
    """Multiply by the elements of ``src`` in turns, no two of one place in one turn: exact with zeros too."""
    places = known_values(index, "which elements an index picks")
    where = np.broadcast_arrays(*along_of(x, places, dim))
    flat = np.ravel_multi_index(tuple(where), sizes(x)) if sizes(x) else places
    line, values = x.reshape((-1,)), src.reshape((-1,))
    turn = _turns(places, dim).reshape(-1)
    result = line
    if not include_self:
        touched = np.isin(np.arange(math.prod(sizes(x))), flat)
        result = np.where(found_in(touched, index), 1, line)
    for k in range(turn.max(initial=0) + 1):
        mine = np.flatnonzero(turn == k)
        there = flat.reshape(-1)[mine]
        result = result * index_put_row(
            np.ones_like(line), values[(found_in(mine, index),)], found_in(there, index), 0, 1, False
        )
    return result.reshape(sizes(x))


def _turns(index: np.ndarray, dim: int) -> np.ndarray:
    """For each element of an index, how many before it (along the dimension) name the same place."""
    rows = np.moveaxis(index, dim, 0)
    out = np.zeros_like(rows)
    for k in range(1, rows.shape[0]):
        out[k] = (rows[:k] == rows[k]).sum(0)
    return np.moveaxis(out, 0, dim)


@public(inplace=True)
@of_numbers_too
def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Combine ``input`` with the elements of ``src`` that ``index`` sends along ``dim`` to each place.

    ``reduce`` is 'sum', 'prod', 'mean', 'amax' or 'amin' (shared among ties); with ``include_self=False`` the old
    value of a place that something is sent to does not count.
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise ShapeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim, places, src = prepared(input, dim, index, src, "scatter()")
    if reduce in ("sum", "mean"):
        return scatter_sum_row(input, src, places, dim, reduce == "mean", include_self)
    if reduce == "prod":
        return _scatter_prod(input, src, dim, places, include_self)
    return scatter_extreme_row(input, src, places, dim, reduce == "amax", include_self)


@public(inplace=True)
@of_numbers_too
def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Combine ``input`` with the slices of ``source`` that ``index``, a vector, sends along ``dim`` to each place.

    ``reduce`` is 'prod', 'mean', 'amax' or 'amin'; with ``include_self=False`` the old value of a place that something
    is sent to does not count.
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise ShapeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.", "",
            "index_add adds.",
        )  # fmt: skip
    shape, k = sizes(source), axis_of(dim, rank(input))
    places = index_operand(index, "index_reduce()").reshape((-1,))
    count = sizes(places)[0]
    expected = tuple(count if d == k else n for d, n in enumerate(sizes(input)))
    if shape != expected:
        raise ShapeError(
            f"index_reduce_(): Number of indices should be equal to source.size(dim): source.size({k})",
            f"The source has shape {shape}; for {count} indices it is {expected}.", "Check the sizes.",
        )  # fmt: skip
    spread = expand(places.reshape(tuple(-1 if d == k else 1 for d in range(len(shape)))), shape)
    return scatter_reduce(input, dim, spread, source, reduce, include_self=include_self)


# ---------------------- Putting along one dimension by tensors of indices: gather's counterparts, scatter and its kin


@public()
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Return, at each place, the element of ``input`` that ``index`` names along ``dim``.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> sg.gather(x, 1, sg.tensor([[1], [0]]))
    tensor([[2.],
            [3.]], grad_fn=<GatherBackward0>)
    """
    places = index_operand(index, "gather()")
    dim = check_along(input, dim, places, "input")
    shape = sizes(input)
    if not shape:
        input, shape = input.reshape((1,)), (1,)
    for d, n in enumerate(sizes(places)):
        if d != dim and n > shape[d]:
            raise ShapeError(
                f"Size does not match at dimension {d} expected index {list(sizes(places))} to be no larger than self "
                f"{list(shape)} "
                f"apart from dimension {dim}",
                "",
                "Shorten the index.",
            )
    return gather_row(input, places, dim)


_TWO: dict[str, Any] = {"domain": ("real", "real", "places"), "means": "axis", "sample": sample_scatter}

scatter_row = general(
    "scatter",
    lambda x, src, index, dim: replaced(x, src, along_of(x, index, dim)),
    lambda g, index, dim: clear_along(g, index, dim),
    lambda g, shape_x, index, dim: of_those_that_stay(gather_row(g, index, dim), stays_along(index, dim, shape_x)),
    0,
    text="scatter({0}, {3}, {2}, {1})",
    doc="x, with src put along dim at the places of index",
    **_TWO,
)
scatter_value_row = general(
    "scatter_value",
    lambda x, index, dim, value: replaced(x, value, along_of(x, index, dim)),
    lambda g, index, dim: clear_along(g, index, dim),
    0,
    domain=("real", "places"),
    means="axis option",
    sample=sampled(1, 2.0, of=[(3, 4), np.array([[0], [3]])]),
    label="scatter",
    text="scatter({0}, {2}, {1}, {3})",
    doc="x, with a number at the places of index",
)
scatter_add_row = general(
    "scatter_add",
    lambda x, src, index, dim: added(x, src, along_of(x, index, dim)),
    lambda g: g,
    lambda g, index, dim: gather_row(g, index, dim),
    0,
    text="scatter_add({0}, {3}, {2}, {1})",
    doc="x, with src added along dim at the places of index",
    **_TWO,
)


@public(inplace=True)
@of_numbers_too
def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """Return ``input`` with ``src`` (a tensor or a number) put along ``dim`` at the places of ``index``.

    ``reduce`` 'add' or 'multiply' combines instead. Where a place repeats, the last of its values stays, and it
    alone gets a gradient (with 'add' all count).
    """
    src = value if src is None else src
    if reduce == "add" or reduce == "multiply":
        return _scatter_combined(input, dim, index, src, reduce)
    if reduce is not None:
        raise ValueError(f"reduce argument must be either add or multiply, got {reduce!r}")
    if isinstance(src, (int, float, complex, np.generic)):
        places = index_operand(index, "scatter()")
        dim = check_along(input, dim, places, "self")
        return scatter_value_row(input, places, dim, src)
    dim, places, src = prepared(input, dim, index, src, "scatter()")
    return scatter_row(input, src, places, dim)


def _scatter_combined(x: Any, dim: int, index: Any, src: Any, reduce: str) -> Any:
    if isinstance(src, (int, float, complex)):
        src = np.full(np.shape(unwrap(index)), src, x.dtype)
    return scatter_add(x, dim, index, src) if reduce == "add" else scatter_reduce(x, dim, index, src, "prod")


@public(inplace=True)
@of_numbers_too
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Return ``input`` with ``src`` added along ``dim`` at the places of ``index``; places may repeat.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.zeros(3).scatter_add(0, sg.tensor([0, 2, 0]), sg.tensor([1.0, 10.0, 100.0]))
    tensor([101.,   0.,  10.])
    """
    if not hasattr(src, "shape"):
        raise DTypeError(
            f"scatter_add(): argument 'src' (position 4) must be Tensor, not {type(src).__name__}", "", "Wrap it."
        )
    dim, places, src = prepared(input, dim, index, src, "scatter_add()")
    return scatter_add_row(input, src, places, dim)
