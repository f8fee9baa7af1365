"""Picking and putting whole slices, or by flat positions; looking up and counting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, NotDifferentiableError, ShapeError
from ...core import NUMPY, Symbol, Tensor, constant, general, has_history, linear, short_dtype, tensor_around, unwrap
from ..arguments import (
    as_index,
    axis_of,
    found_in,
    in_range,
    index_operand,
    known_values,
    no_kernel,
    rank,
    rests_on_values,
    same_dtype,
    sizes,
    tensor_like,
)
from ..entries.copies import cast
from ..public import dims, public, publish
from ..reduce.sums import expand, sum_to
from ..samples import sampled
from .index import (
    FULL,
    accumulated,
    at_dim,
    cleared,
    getitem,
    getitem_arrays,
    index_accumulate,
    of_those_that_stay,
    replaced,
    scattered,
    stays,
)
from .scatter import added, gather, of_numbers_too

# -------------------------------------------------------------------------------------------------------------------
# Picking and putting whole slices by a vector of indices (index_select and kin) or by flat positions (take, put)


# ------------------------------------------------------------------------------- slices along a dimension


def _rows(dim: int, index: np.ndarray) -> tuple[Any, ...]:
    return (FULL,) * dim + (index,)


def _into(x: Any, dim: int, index: np.ndarray, what: str) -> tuple[Any, ...]:
    """As `_rows`, of places of ``x`` that are there; ``what`` says so where PyTorch says less."""
    n = np.shape(x)[dim]
    words = what if "range" in what else f"{what}index {{}} is out of bounds for dimension {dim} with size {n}"
    return _rows(dim, in_range(index, n, words))


def _sample_rows(*params: Any) -> Any:
    return lambda rng: (
        [rng.normal(size=(3, 4)), rng.normal(size=(3, 3)), rng.permutation(4)[:3]],
        (1, *params),
    )


_WITH_SOURCE: dict[str, Any] = {"domain": ("real", "real", "index"), "means": "axis"}
_RANGE = "index out of range in self"

index_select_row = linear(
    "index_select",
    lambda x, index, dim: np.take(x, in_range(index, x.shape[dim], _RANGE), dim),
    lambda g, shape, index, dim: index_accumulate(g, index, dim, 1, shape),
    0,
    domain=("real", "index"),
    means="axis",
    text="index_select({0}, {2}, {1})",
    sample=sampled(1, of=[(3, 4), np.array([3, 0, 3])]),
    doc="the slices along dim that index names",
)
within = constant(
    "within",
    lambda index, size: in_range(index, size, _RANGE).copy(),
    domain=("places",),
    means="option",
    last=0,
    sample=sampled(4, of=[np.array([3, 0, 3])]),
    doc="an index all of whose places are there",
)
index_add_row = general(
    "index_add",
    lambda x, source, index, dim, alpha: added(
        x, source if alpha == 1 else source * alpha, _into(x, dim, index, _RANGE)
    ),
    lambda g: g,
    lambda g, index, dim, alpha: index_select_row(g, index, dim) * alpha,
    0,
    domain=("real", "real", "index"),
    means="axis option",
    text="index_add({0}, {3}, {2}, {1}, alpha={4})",
    sample=_sample_rows(2.0),
    doc="x, with the slices of source added along dim at index",
)
index_copy_row = general(
    "index_copy",
    lambda x, source, index, dim: replaced(x, source, _into(x, dim, index, "index_copy_(): ")),
    lambda g, index, dim: cleared(g, index, dim, 1),
    lambda g, shape_x, index, dim: of_those_that_stay(
        index_select_row(g, index, dim), stays(index, dim, 1, shape_x), dim
    ),
    0,
    text="index_copy({0}, {3}, {2}, {1})",
    sample=_sample_rows(),
    doc="x, with the slices of source put along dim at index",
    **_WITH_SOURCE,
)


def _filled(x: np.ndarray, value: Any, index: np.ndarray, dim: int) -> np.ndarray:
    n = x.shape[dim]
    in_range(index, n, f"index {{}} is out of bounds for dimension {dim} with size {n}", negative=True)
    return replaced(x, value, _rows(dim, index))


index_fill_row = general(
    "index_fill",
    lambda x, index, dim, value: _filled(x, value, index, dim),
    lambda g, index, dim: cleared(g, index, dim, 1),
    0,
    domain=("real", "index"),
    means="axis option",
    text="index_fill({0}, {2}, {1}, {3})",
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.permutation(4)[:3]], (1, 2.0)),
    doc="x, with a number in the slices along dim at index",
)
index_fill_tensor_row = general(
    "index_fill_tensor",
    _filled,
    lambda g, index, dim: cleared(g, index, dim, 1),
    lambda g, index, dim: sum_to(g - cleared(g, index, dim, 1), ()),
    0,
    domain=("real", "real", "index"),
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=()), rng.permutation(4)[:3]], (1,)),
    label="index_fill",
    text="index_fill({0}, {3}, {2}, {1})",
    doc="x, with the value in the slices along dim at index",
)


def _vector(index: Any, what: str, words: str = "int32/int64 for index", error: type[Exception] = DTypeError) -> Any:
    places = index_operand(index, what, words, error)
    n = rank(places)
    if n > 1:
        raise DimensionError(f"{what}: Index is supposed to be a vector", f"It has {n} dimensions.", "Flatten it.")
    return places if n else places.reshape((1,))


@public()
def index_select(input: Any, dim: int, index: Any) -> Any:
    """Return the slices along ``dim`` that ``index``, a vector, names, in its order and as often as it names them."""
    dim = axis_of(dim, rank(input))
    places = _vector(index, "index_select()", "int32 or int64 for index")
    if not sizes(input):
        return index_select_row(input.reshape((1,)), places, 0).reshape(())
    return index_select_row(input, places, dim)


def _source(x: Any, dim: int, places: Any, source: Any, what: str, error: Any, tail: str = "") -> Any:
    shape, given, count = sizes(x), sizes(source), sizes(places)[0]
    n = given[dim] if given else 1
    if n != count:
        raise error(
            f"{what}: Number of indices ({count}) should be equal to source.size(dim){':' if tail else ''} ({n}){tail}"
        )
    want = shape[:dim] + (count,) + shape[dim + 1 :]
    if shape and given and given != want:
        raise ShapeError(
            f"{what}: source and self must agree in every dimension but dim; got {list(given)} for {list(want)}",
            "",
            "Reshape source.",
        )
    return source if given == want or not shape else source.reshape(want)


@public(inplace=True)
@of_numbers_too
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Return ``input`` with ``alpha`` times the slices of ``source`` added along ``dim`` at ``index`` (may repeat)."""
    dim = axis_of(dim, rank(input))
    places = _vector(index, "index_add_()", "int32/int64 for index but got: {}")
    source = _source(input, dim, places, source, "index_add_()", ShapeError, f", for dim: {dim}")
    same_dtype(input, source, "index_add_(): self ({}) and source ({}) must have the same scalar type")
    return index_add_row(input, source, places, dim, alpha)


@public(inplace=True)
@of_numbers_too
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """Return ``input`` with the slices of ``source`` put along ``dim`` at ``index``."""
    dim = axis_of(dim, rank(input))
    places = _vector(index, "index_copy_()")
    words = "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}"
    same_dtype(input, source, words)
    source = _source(input, dim, places, source, "index_copy_()", DimensionError)
    return index_copy_row(input, source, places, dim)


@public(inplace=True)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Return ``input`` with ``value`` (a number or a 0-d tensor) in the slices along ``dim`` at ``index``."""
    dim = axis_of(dim, rank(input))
    if not sizes(input):
        return index_fill(input.reshape((1,)), dim, index, value).reshape(())
    places = _vector(index, "index_fill_()", "int64 for index.", DimensionError)
    if isinstance(value, (Tensor, np.ndarray)):
        if sizes(value):
            raise ShapeError(
                f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {rank(value)} "
                "dimension(s)."
            )
        return index_fill_tensor_row(input, value, places, dim)
    return index_fill_row(input, places, dim, value)


# ------------------------------------------------------------------------------------------ flat positions


_FLAT = "out of range: tried to access index {} on a tensor of "


def _there(x_size: int, index: np.ndarray) -> np.ndarray:
    return in_range(index, x_size, f"{_FLAT}{x_size} elements.", negative=True)


take_row = linear(
    "take",
    lambda x, index: np.take(x, _there(x.size, index)),
    lambda g, shape, index: add_flat(g, index, shape),
    0,
    domain=("real", "index"),
    text="take({0}, {1})",
    sample=sampled(of=[(3, 4), np.array([[5, 0], [5, -1]])]),
    doc="the elements at flat positions",
)
add_flat: Any = linear(
    "add_flat",
    lambda x, index, size: accumulated(x, index, 0, 1, (math.prod(size),)).reshape(size),
    lambda g, index: take_row(g, index),
    0,
    domain=("real", "index"),
    sample=sampled((2, 3), of=[(3,), np.array([5, 0, 5])]),
    doc="zeros of a size, with x added at flat positions",
)


def _put_flat(x: np.ndarray, source: Any, index: np.ndarray, accumulate: bool) -> np.ndarray:
    line, values, places = x.reshape(-1), np.asarray(source).reshape(-1), (_there(x.size, index).reshape(-1),)
    return (added if accumulate else replaced)(line, values, places).reshape(x.shape)


def _put_back(g: Any, shape: Any, shape_x: Any, index: Any, accumulate: bool) -> Any:
    taken = take_row(g, index)
    count = math.prod(shape_x)
    return (taken if accumulate else of_those_that_stay(taken, stays(index, 0, 1, (count,)))).reshape(shape)


put_row: Any = general(
    "put",
    _put_flat,
    lambda g, index, accumulate: g if accumulate else put_row(g, 0, index, False),
    _put_back,
    0,
    domain=("real", "real", "index"),
    text="put({0}, {2}, {1}, {3})",
    sample=sampled(False, of=[(2, 3), (2,), np.array([4, 1])]),
    doc="x, with source put at (or added to) flat positions",
)


def _flat_index(index: Any, what: str) -> Any:
    places = as_index(index)
    dtype = unwrap(places).dtype
    if dtype.kind not in "iu" and unwrap(places).size:
        raise DTypeError(
            f"{what}: Expected a long tensor for index, but got {short_dtype(dtype)}",
            "",
            "Cast it with .long().",
        )
    return places if dtype.kind in "iu" else unwrap(places).astype(np.int64)


@public()
def take(input: Any, index: Any) -> Any:
    """Return the elements of ``input``, read as one row, at the positions ``index``, in its shape."""
    return take_row(input, _flat_index(index, "take()"))


@public(inplace=True)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return ``input`` with ``source`` put at (or added to) the positions ``index`` of its elements read as one row."""
    if not sizes(input):
        return put(input.reshape((1,)), index, source, accumulate).reshape(())
    places = _flat_index(index, "put_()")
    count = math.prod(sizes(places))
    if count != math.prod(sizes(source)):
        raise DimensionError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{math.prod(sizes(source))}, index.numel() = {count}"
        )
    words = "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}"
    same_dtype(input, source, words)
    return put_row(input, source, places, accumulate)


def _numpy_take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    places = _flat_index(indices, "np.take")
    if mode != "raise":
        n = math.prod(sizes(a)) if axis is None else sizes(a)[axis]
        places = places % n if mode == "wrap" else np.clip(places, 0, n - 1)
    if axis is None:
        return take(a, places)
    dim = axis_of(axis, rank(a))
    if not sizes(places) and not rests_on_values(places):
        return getitem(a, at_dim(dim, int(unwrap(places))))
    return getitem_arrays(a, _rows(dim, places))


NUMPY[np.take] = _numpy_take


@public()
@dims
def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Any:
    """Return the elements that ``indices`` names along ``dim`` (without: of the flattened input), broadcast."""
    places = index_operand(indices, "gather()")
    if dim is None:
        input, places, dim = input.reshape((math.prod(sizes(input)),)), places.reshape((-1,)), 0
    shape, picks = sizes(input), sizes(places)
    if len(picks) != len(shape):
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(shape)} dimensions for input, and {len(picks)} dimensions for indices",
            "",
            "Unsqueeze the indices.",
        )
    dim = axis_of(dim, len(shape))
    both = np.broadcast_shapes(shape[:dim] + (1,) + shape[dim + 1 :], picks[:dim] + (1,) + picks[dim + 1 :])
    whole = both[:dim] + (shape[dim],) + both[dim + 1 :]
    wanted = both[:dim] + (picks[dim],) + both[dim + 1 :]
    places = places if picks == wanted else expand(places, wanted)
    if (unwrap(places) < 0).any():
        in_range(unwrap(places), shape[dim], _RANGE, negative=True)
        places = places % shape[dim]
    return gather(input if shape == whole else expand(input, whole), dim, places)


NUMPY[np.take_along_axis] = lambda arr, indices, axis=-1: take_along_dim(arr, indices, axis)

# ---------------------------------------------------------------------------------------------- positions

argwhere_row = constant("argwhere", np.argwhere, 1, doc="the positions of the elements that are not zero, as rows")
publish(argwhere_row, "argwhere", numpy=(np.argwhere,))


@public()
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the positions of the nonzero elements: one row each, or with ``as_tuple`` a tensor per dimension."""
    if not as_tuple:
        return argwhere_row(input)
    return tuple(found_in(i, input) for i in np.nonzero(np.atleast_1d(known_values(input, "nonzero"))))


NUMPY[np.nonzero] = lambda a: nonzero(a, as_tuple=True)


def _one_hot(classes: np.ndarray, num_classes: int) -> np.ndarray:
    if classes.min(initial=0) < 0:
        raise ShapeError("Class values must be non-negative.", f"The least is {classes.min()}.")
    if classes.max(initial=-1) >= num_classes:
        raise ShapeError(
            "Class values must be smaller than num_classes.", f"The largest is {classes.max()} of {num_classes}."
        )
    return (classes[..., None] == np.arange(num_classes)).astype(np.int64, "C")


one_hot_row = constant(
    "one_hot", _one_hot, domain=("places",), means="option", last=0,
    sample=sampled(3, of=[np.array([[0, 2], [1, 1]])]),
    doc="for each class number a row with a single 1",
)  # fmt: skip


# -------------------------------------------------------------------------------------------------------------------
# Looking up and counting: searchsorted, unique, bincount, histc. Only the weights of bincount have a gradient


def _search(edges: Any, x: Any, side: Any) -> Any:
    edges, x = np.asarray(edges), np.asarray(x)
    if edges.ndim <= 1:
        return np.searchsorted(edges, x, side=side)
    lines = edges.reshape(math.prod(edges.shape[:-1]), edges.shape[-1])
    rows = x.reshape(len(lines), x.shape[-1])
    found = [np.searchsorted(line, values, side=side) for line, values in zip(lines, rows, strict=True)]
    return np.array(found, np.int64).reshape(x.shape)


search_rows = constant(
    "searchsorted", _search, 2,
    sample=lambda rng: ((np.sort(rng.normal(size=5)), rng.normal(size=3)), ("left",)),
    doc="where each element of x belongs among sorted edges",
)  # fmt: skip


@public(method=False)
def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Return where each element of ``input`` belongs in a sorted sequence (or each row in its row).

    Parameters
    ----------
    right : on equality, the place after (default: before); the same as ``side='right'``
    out_int32 : int32 instead of int64
    sorter : the indices that sort the sequence
    """
    if side not in (None, "left", "right"):
        raise ValueError(f"side can only be 'left' or 'right' but got {side}")
    if right and side == "left":
        raise ValueError("searchsorted(): side and right can't be set to opposites, got side of left and right of True")
    edges = known_values(sorted_sequence, "searchsorted")
    if sorter is not None:
        edges = np.take_along_axis(edges, unwrap(sorter), -1)
    values = known_values(input, "searchsorted")
    if np.ndim(edges) > 1 and np.shape(edges)[:-1] != np.shape(values)[:-1]:
        raise ShapeError(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
            f"tensor must match, but we got boundaries tensor {list(np.shape(edges))} and input value tensor "
            f"{list(np.shape(values))}", "", "Give each row of values its row of boundaries.",
        )  # fmt: skip
    carrier = found_in(np.asarray(values), input, sorted_sequence)
    found = search_rows(edges, carrier, "right" if right or side == "right" else "left")
    return found.to(np.int32) if out_int32 else found


@public(method=False)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return the number of the bucket, between sorted ``boundaries``, of each element."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def _constant(array: Any, source: Any) -> Tensor:
    """What was found by looking at values, as a tensor."""
    return found_in(np.asarray(array), tensor_around(source))


def _results(source: Any, values: Any, *others: tuple[Any, bool]) -> Any:
    """The values, and others that are asked for."""
    parts = [values, *[part for part, asked in others if asked]]
    wrapped = tuple(_constant(p, source) for p in parts)
    return wrapped if len(wrapped) > 1 else wrapped[0]


def values_of(x: Any, name: str) -> np.ndarray:
    """The values among which equal ones are looked for: they must be numbers without a history."""
    if has_history(x) and type(x) is not Symbol and x._data.dtype.kind in "fc":
        raise NotDifferentiableError(
            f"{name} on a tensor that requires grad has no derivative rule",
            "Which elements are equal depends on their values, and so does the number of results.",
            f"np.sort(x) has the sorted values with derivatives; {name}(x.detach()) has values, places and counts as "
            "constants.",
        )
    return known_values(x, "which elements differ")


@public()
@dims
def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the different elements in order (or slices along ``dim``).

    If asked, also where among them each element is, and how many there were of each.
    """
    x = values_of(input, "unique")
    axis = None if dim is None else axis_of(dim, x.ndim)
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    inverse = inverse.reshape(x.shape if axis is None else -1)
    return _results(input, values, (inverse, return_inverse), (counts, return_counts))


@public()
@dims
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements (or slices along ``dim``) without repetitions in a row."""
    x = values_of(input, "unique_consecutive")
    axis = None if dim is None else axis_of(dim, x.ndim)
    first = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0)
    lines = first.reshape(len(first), math.prod(first.shape[1:]))
    new = np.ones(len(lines), bool)
    new[1:] = (lines[1:] != lines[:-1]).any(1)
    starts = np.flatnonzero(new)
    values = x.reshape(-1)[starts] if axis is None else np.take(x, starts, axis)
    inverse = np.cumsum(new) - 1
    inverse = inverse.reshape(x.shape) if axis is None else inverse
    counts = np.diff(np.append(starts, len(lines)))
    return _results(input, values, (inverse, return_inverse), (counts, return_counts))


@public()
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return how often each non-negative integer occurs, or the sums of its ``weights``, which have derivatives.

    Examples
    --------
    >>> import symgrad as sg
    >>> w = sg.tensor([1.0, 2.0, 4.0], requires_grad=True)
    >>> sg.bincount(sg.tensor([0, 2, 0]), weights=w)
    tensor([5., 0., 2.], grad_fn=<IndexPutBackward0>)
    """
    x = known_values(input, "counting")
    if x.dtype.kind not in "iu":
        raise no_kernel("bincount", x.dtype, "", "Cast it with .long().")
    if x.ndim != 1 or (x.size and x.min() < 0):
        raise ShapeError("bincount only supports 1-d non-negative integral inputs.", f"The input's shape is {x.shape}.")
    if weights is None:
        return _constant(np.bincount(x, None, minlength), input)
    weights = tensor_around(weights)
    if weights._data.shape != x.shape:
        raise ShapeError(
            "bincount: input and weights should have the same length", f"They have shapes {x.shape} and "
            f"{weights._data.shape}.", "Give each element one weight.",
        )  # fmt: skip
    kept = weights if weights._data.dtype == np.float32 else cast(weights, np.dtype(np.float64))
    return scattered(kept, found_in(x.astype(np.int64), input), 0, (max(minlength, int(x.max()) + 1 if x.size else 0),))


@public()
def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Return how many elements fall in each of ``bins`` equal bins from ``min`` to ``max``.

    With ``min`` equal to ``max`` the bins span the input's own range.
    """
    x = known_values(input, "counting")
    if x.dtype.kind != "f":
        raise no_kernel("histogram", x.dtype, "", "Cast it first: x.double().")
    low, high = (x.min(), x.max()) if min == max and x.size else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    return _constant(np.histogram(x, bins, (low, high))[0].astype(x.dtype), input)


NUMPY[np.searchsorted] = lambda a, v, side="left", sorter=None: searchsorted(
    tensor_like(a), tensor_like(v), side=side, sorter=sorter
)


def _numpy_digitize(x: Any, bins: Any, right: bool = False) -> Any:
    edges = np.asarray(known_values(bins, "digitize"))
    up, down = (edges[1:] >= edges[:-1]).all(), (edges[1:] <= edges[:-1]).all()
    if not (up or down):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return bucketize(x, edges, right=not right) if up else len(edges) - bucketize(x, edges[::-1], right=not right)


NUMPY[np.digitize] = _numpy_digitize
