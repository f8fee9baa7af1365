"""Picking and putting whole slices by a vector of indices (index_select and kin) or by flat positions (take, put)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ...core import NUMPY, TABLE, Tensor, bounded, constant, general, linear, run_symbolic, short_dtype, wrap
from ...core import places as noted_places
from .._dims import axis_of, index_array, known, same_dtype, sizes
from .._public import dims, public, publish
from ..reduce._reduce import expand, sum_to
from ._assign import put_last
from ._index import (
    FULL,
    accumulated,
    at_dim,
    cleared,
    getitem,
    getitem_arrays,
    matrix_sample,
    put_values,
    replaced,
    scattered,
)  # fmt: skip
from ._scatter import added, gather, outside

# ------------------------------------------------------------------------------- slices along a dimension


def _rows(dim: int, index: np.ndarray) -> tuple[Any, ...]:
    return (FULL,) * dim + (index,)


def _sample_rows(rng: np.random.Generator, count: int = 3) -> Any:
    return [rng.normal(size=(3, 4)), rng.normal(size=(3, count))], (1, rng.permutation(4)[:count])


index_select_row = linear(
    "index_select",
    lambda x, dim, index: np.take(x, index, dim),
    lambda g, shape, dim, index: scattered(g, shape, _rows(dim, index)),
    keep=("index",),
    sample=matrix_sample(1, np.array([3, 0, 3])),
    doc="the slices along dim that index names",
)
index_add_row = general(
    "index_add",
    lambda x, source, dim, index, alpha: added(x, source if alpha == 1 else source * alpha, _rows(dim, index)),
    lambda g: g,
    lambda g, dim, index, alpha: index_select_row(g, dim, index) * alpha,
    keep=("index",),
    sample=lambda rng: (_sample_rows(rng)[0], (*_sample_rows(rng)[1], 2.0)),
    doc="x, with the slices of source added along dim at index",
)
index_copy_row = general(
    "index_copy",
    lambda x, source, dim, index: put_values(x, source, _rows(dim, index), False),
    lambda g, dim, index: cleared(g, _rows(dim, index)),
    lambda g, dim, index: index_select_row(g, dim, index),
    keep=("index",),
    sample=_sample_rows,
    doc="x, with the slices of source put along dim at index",
)


def _filled(x: np.ndarray, value: Any, dim: int, index: np.ndarray) -> np.ndarray:
    return put_values(x, value, _rows(dim, index), False)


index_fill_row = general(
    "index_fill",
    lambda x, dim, index, value: _filled(x, value, dim, index),
    lambda g, dim, index: cleared(g, _rows(dim, index)),
    keep=("index",),
    sample=lambda rng: (_sample_rows(rng)[0][:1], (*_sample_rows(rng)[1], 2.0)),
    doc="x, with a number in the slices along dim at index",
)
index_fill_tensor_row = general(
    "index_fill_tensor",
    _filled,
    lambda g, dim, index: cleared(g, _rows(dim, index)),
    lambda g, dim, index: sum_to(index_select_row(g, dim, np.unique(index)), ()),
    keep=("index",),
    sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=())], _sample_rows(rng)[1]),
    label="index_fill",
    doc="x, with the value in the slices along dim at index",
)


def _vector(
    index: Any, what: str, words: str = "int32/int64 for index", error: type[Exception] = DTypeError
) -> np.ndarray:
    places = index_array(index, what, words, error)
    if places.ndim > 1:
        raise DimensionError(
            f"{what}: Index is supposed to be a vector", f"It has {places.ndim} dimensions.", "Flatten it."
        )
    return places.reshape(-1)


def _in_range(places: np.ndarray, n: int, what: str, dim: int, negative: bool = False) -> None:
    """Raise if an index names no place; ``what`` says so where PyTorch says less, or names the operation."""
    bad = outside(places, -n if negative else 0, n)
    if bad is not None:
        raise DimensionError(
            what if "range" in what else f"{what}index {bad} is out of bounds for dimension {dim} with size {n}",
            f"It holds {bad}; the size is {n}.",
            "Check it.",
        )


def _dim_size(x: Any, dim: int) -> tuple[int, int]:
    shape = sizes(x)
    dim = axis_of(dim, len(shape))
    return dim, shape[dim] if shape else 1


@public()
def index_select(input: Any, dim: int, index: Any) -> Any:
    """Return the slices along ``dim`` that ``index``, a vector, names, in its order and as often as it names them."""
    dim, n = _dim_size(input, dim)
    own = noted_places(index) if sizes(input) and len(sizes(index)) == 1 else index
    places = _vector(own, "index_select()", "int32 or int64 for index")
    _in_range(places, n, "index out of range in self", dim)
    if own is not index:
        bounded(own, 0, n)
        return run_symbolic(TABLE["index_select"], (input,), (dim, own))
    if not sizes(input):
        return index_select_row(input.reshape((1,)), 0, places).reshape(())
    return index_select_row(input, dim, places)


def _source(x: Any, dim: int, places: np.ndarray, source: Any, what: str, error: Any, tail: str = "") -> Any:
    shape, given = sizes(x), sizes(source)
    n = given[dim] if given else 1
    if n != places.size:
        raise error(
            f"{what}: Number of indices ({places.size}) should be equal to source.size(dim){':' if tail else ''} "
            f"({n}){tail}",
            "",
            "",
        )
    want = shape[:dim] + (places.size,) + shape[dim + 1 :]
    if shape and given and given != want:
        raise ShapeError(
            f"{what}: source and self must agree in every dimension but dim; got {list(given)} for {list(want)}",
            "",
            "Reshape source.",
        )
    return source if given == want or not shape else source.reshape(want)


@public(inplace=True)
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Return ``input`` with ``alpha`` times the slices of ``source`` added along ``dim`` at ``index`` (may repeat)."""
    dim, n = _dim_size(input, dim)
    places = _vector(index, "index_add_()", "int32/int64 for index but got: {}")
    source = _source(input, dim, places, source, "index_add_()", ShapeError, f", for dim: {dim}")
    same_dtype(input, source, "index_add_(): self ({}) and source ({}) must have the same scalar type")
    _in_range(places, n, "index out of range in self", dim)
    return index_add_row(input, source, dim, places, alpha)


@public(inplace=True)
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """Return ``input`` with the slices of ``source`` put along ``dim`` at ``index``."""
    dim, n = _dim_size(input, dim)
    places = _vector(index, "index_copy_()")
    words = "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}"
    same_dtype(input, source, words)
    source = _source(input, dim, places, source, "index_copy_()", DimensionError)
    _in_range(places, n, "index_copy_(): ", dim)
    return put_last(index_copy_row, input, source, _rows(dim, places), dim, places)


@public(inplace=True)
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Return ``input`` with ``value`` (a number or a 0-d tensor) in the slices along ``dim`` at ``index``."""
    dim, n = _dim_size(input, dim)
    places = _vector(index, "index_fill_()", "int64 for index.", DimensionError)
    _in_range(places, n, "", dim, negative=True)
    places = places % n if n else places
    if isinstance(value, (Tensor, np.ndarray)):
        if sizes(value):
            raise ShapeError(
                f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {len(sizes(value))} "
                "dimension(s).",
                "",
                "",
            )
        return index_fill_tensor_row(input, value, dim, places)
    return index_fill_row(input, dim, places, value)


# ------------------------------------------------------------------------------------------ flat positions


take_row = linear(
    "take",
    lambda x, index: np.take(x, index),
    lambda g, shape, index: add_flat(g, shape, index),
    keep=("index",),
    sample=matrix_sample(np.array([[5, 0], [5, -1]])),
    doc="the elements at flat positions",
)
add_flat: Any = linear(
    "add_flat",
    lambda x, size, index: accumulated(x, (math.prod(size),), (index,)).reshape(size),
    lambda g, index: take_row(g, index),
    keep=("index",),
    sample=lambda rng: ([rng.normal(size=3)], ((2, 3), np.array([5, 0, 5]))),
    doc="zeros of a size, with x added at flat positions",
)


def _put_flat(x: np.ndarray, source: Any, index: np.ndarray, accumulate: bool) -> np.ndarray:
    line, values, places = x.reshape(-1), np.asarray(source).reshape(-1), (index.reshape(-1),)
    return (added if accumulate else replaced)(line, values, places).reshape(x.shape)


put_row: Any = general(
    "put",
    _put_flat,
    lambda g, index, accumulate: g if accumulate else put_row(g, 0, index, False),
    lambda g, shape, index: take_row(g, index).reshape(shape),
    keep=("index",),
    sample=lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=2)], (np.array([4, 1]), False)),
    doc="x, with source put at (or added to) flat positions",
)


def _flat_index(x: Any, index: Any, what: str) -> np.ndarray:
    places = np.asarray(known(index, "which elements an index picks"))
    if places.dtype.kind not in "iu" and places.size:
        raise DTypeError(
            f"{what}: Expected a long tensor for index, but got {short_dtype(places.dtype)}",
            "",
            "Cast it with .long().",
        )
    n = math.prod(sizes(x))
    bad = outside(places, -n, n)
    if bad is not None:
        raise DimensionError(
            f"out of range: tried to access index {bad} on a tensor of {n} elements.", "", "Check the index."
        )
    return places if places.size else places.astype(np.int64)


@public()
def take(input: Any, index: Any) -> Any:
    """Return the elements of ``input``, read as one row, at the positions ``index``, in its shape."""
    return take_row(input, _flat_index(input, index, "take()"))


@public(inplace=True)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return ``input`` with ``source`` put at (or added to) the positions ``index`` of its elements read as one row."""
    if not sizes(input):
        return put(input.reshape((1,)), index, source, accumulate).reshape(())
    places = _flat_index(input, index, "put_()")
    if places.size != math.prod(sizes(source)):
        raise DimensionError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{math.prod(sizes(source))}, index.numel() = {places.size}",
            "",
            "",
        )
    words = "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}"
    same_dtype(input, source, words)
    if accumulate or not places.size:
        return put_row(input, source, places, accumulate)
    index = np.unravel_index(places % math.prod(sizes(input)), sizes(input))
    return put_last(put_row, input, source, index, places, False)


def _numpy_take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    indices = np.asarray(known(indices, "which elements an index picks"))
    if mode != "raise":
        n = math.prod(sizes(a)) if axis is None else sizes(a)[axis]
        indices = indices % n if mode == "wrap" else np.clip(indices, 0, n - 1)
    if axis is None:
        return take(a, indices)
    dim = axis_of(axis, len(sizes(a)))
    return getitem(a, at_dim(dim, int(indices))) if indices.ndim == 0 else getitem_arrays(a, _rows(dim, indices))


NUMPY[np.take] = _numpy_take


@public()
@dims
def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Any:
    """Return the elements that ``indices`` names along ``dim`` (without: of the flattened input), broadcast."""
    places = index_array(indices, "gather()")
    if dim is None:
        input, places, dim = input.reshape((math.prod(sizes(input)),)), places.reshape(-1), 0
    shape = sizes(input)
    if places.ndim != len(shape):
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(shape)} dimensions for input, and {places.ndim} dimensions for indices",
            "",
            "Unsqueeze the indices.",
        )
    dim = axis_of(dim, len(shape))
    both = np.broadcast_shapes(
        shape[:dim] + (1,) + shape[dim + 1 :], places.shape[:dim] + (1,) + places.shape[dim + 1 :]
    )
    whole = both[:dim] + (shape[dim],) + both[dim + 1 :]
    places = np.broadcast_to(places, both[:dim] + (places.shape[dim],) + both[dim + 1 :])
    return gather(
        input if shape == whole else expand(input, whole),
        dim,
        np.where(places < 0, places + shape[dim], places) if (places < 0).any() else places,
    )


NUMPY[np.take_along_axis] = lambda arr, indices, axis=-1: take_along_dim(arr, indices, axis)

# ----------------------------------------------------------------------------------------- views, replaced


def _replacement(name: str, index: Any, shape: tuple[int, ...], doc: str) -> Any:
    return general(
        name,
        lambda x, src, index: replaced(x, src, index),
        lambda g, index: cleared(g, index),
        lambda g, index: getitem(g, index),
        means="places",
        doc=doc,
        sample=lambda rng: ([rng.normal(size=(3, 4)), rng.normal(size=shape)], (index,)),
    )


select_scatter_row = _replacement("select_scatter", (1, ...), (4,), "x, with one of its parts replaced")
slice_scatter_row = _replacement("slice_scatter", (slice(1, 3), ...), (2, 4), "x, with a slice replaced")


def fitting(src: Any, shape: tuple[int, ...]) -> Any:
    """``src``, checked to have the shape of what it replaces."""
    if sizes(src) != shape:
        raise ShapeError(
            f"expected src to have a size equal to the slice of self. src size = {list(sizes(src))}, slice size = "
            f"{list(shape)}",
            "",
            "",
        )
    return src


@public()
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """Return ``input`` with its part at ``index`` along ``dim`` replaced by ``src``."""
    shape = sizes(input)
    dim = axis_of(dim, len(shape))
    _in_range(np.array([index]), shape[dim], "", dim, negative=True)
    return select_scatter_row(input, fitting(src, shape[:dim] + shape[dim + 1 :]), at_dim(dim, index))


@public()
def slice_scatter(input: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """Return ``input`` with the slice ``start:end:step`` along ``dim`` replaced by ``src``."""
    shape = sizes(input)
    dim = axis_of(dim, len(shape))
    place = slice(start, end, step)
    count = len(range(*place.indices(shape[dim])))
    return slice_scatter_row(input, fitting(src, shape[:dim] + (count,) + shape[dim + 1 :]), at_dim(dim, place))


# ---------------------------------------------------------------------------------------------- positions

argwhere_row = constant(
    "argwhere", lambda x: np.argwhere(x), 1, doc="the positions of the elements that are not zero, as rows"
)
publish(argwhere_row, "argwhere", numpy=(np.argwhere,))


@public()
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return the positions of the nonzero elements: one row each, or with ``as_tuple`` a tensor per dimension."""
    if not as_tuple:
        return argwhere_row(input)
    found = np.nonzero(np.atleast_1d(known(input, "nonzero")))
    return tuple(wrap(i) for i in found) if isinstance(input, Tensor) else found


NUMPY[np.nonzero] = lambda a: nonzero(a, as_tuple=True)
