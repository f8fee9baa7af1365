"""Picking and putting along one dimension by tensors of indices: gather and scatter.

The idea to hold: each of them is an index of arrays in disguise. `along` writes that index out, and the
rows of `_index.py` (pick, add up, clear) are each other's derivatives, to every order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DimensionError, DTypeError, ShapeError
from ...core import TABLE, bounded, constant, general, linear, places, run_symbolic
from .._dims import axis_of, data, index_array, same_dtype, sizes
from .._public import public
from ._assign import put_last
from ._index import cleared, getitem, getitem_arrays, replaced, scattered


class PlaceError(DimensionError, RuntimeError):
    """An index tensor names a place that is not there; PyTorch raises RuntimeError for it, not IndexError."""


def along(index: np.ndarray, dim: int) -> tuple[Any, ...]:
    """The index of arrays that varies ``dim`` as ``index`` says, and every other dimension as its own positions."""
    if index.ndim == 0:
        return (index,)
    grid = np.ogrid[tuple(slice(n) for n in index.shape)]
    return tuple(index if d == dim else grid[d] for d in range(index.ndim))


def outside(index: np.ndarray, low: int, end: int) -> int | None:
    """The first of the places that is not from ``low`` to before ``end``; None if all are."""
    if not index.size or (index.min() >= low and index.max() < end):
        return None
    return next(int(i) for i in index.flat if not low <= i < end)


def added(x: Any, values: Any, index: Any) -> np.ndarray:
    """A copy of an array, with values added at an index of arrays; places may repeat."""
    out = np.array(x, order="C")
    np.add.at(out, index, values)
    return out


def _check_along(x: Any, dim: int, index: np.ndarray, what: str) -> int:
    """The dimension counted from the front, once index and tensor fit each other."""
    shape = sizes(x)
    dim = axis_of(dim, len(shape))
    if max(index.ndim, 1) != max(len(shape), 1):
        raise ShapeError(
            f"Index tensor must have the same number of dimensions as {what} tensor",
            f"{index.ndim} and {len(shape)} dimensions.",
            "Unsqueeze the index.",
        )
    n = shape[dim] if shape else 1
    bad = outside(index, 0, n)
    if bad is not None:
        raise PlaceError(
            f"index {bad} is out of bounds for dimension {dim} with size {n}", f"The shape is {shape}.", "Check it."
        )
    return dim


# ------------------------------------------------------------------------------------- gather and scatter

gather_row = linear(
    "gather",
    lambda x, dim, index: x[along(index, dim)],
    lambda g, shape, dim, index: scattered(g, shape, along(index, dim)),
    keep=("index",),
    sample=lambda rng: ([rng.normal(size=(3, 4))], (1, rng.integers(0, 4, (3, 2)))),
    doc="along dim, the elements that index names",
)


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
    known = places(index)
    spots = index_array(known, "gather()")
    dim = _check_along(input, dim, spots, "input")
    shape = sizes(input)
    if not shape:
        input, shape = input.reshape((1,)), (1,)
    for d, n in enumerate(spots.shape):
        if d != dim and n > shape[d]:
            raise ShapeError(
                f"Size does not match at dimension {d} expected index {list(spots.shape)} to be no larger than self "
                f"{list(shape)} "
                f"apart from dimension {dim}",
                "",
                "Shorten the index.",
            )
    if known is index:
        return gather_row(input, dim, spots)
    bounded(spots, 0, shape[dim])
    return run_symbolic(TABLE["gather"], (input,), (dim, spots))


def _sample_scatter(rng: np.random.Generator) -> Any:
    places = rng.permuted(np.tile(np.arange(4), (3, 1)), axis=1)[:, :2]
    return [rng.normal(size=(3, 4)), rng.normal(size=(3, 2))], (1, places)


scatter_row = general(
    "scatter",
    lambda x, src, dim, index: replaced(x, src, along(index, dim)),
    lambda g, dim, index: cleared(g, along(index, dim)),
    lambda g, dim, index: gather_row(g, dim, index),
    keep=("index",),
    sample=_sample_scatter,
    doc="x, with src put along dim at the places of index",
)
scatter_value_row = general(
    "scatter_value",
    lambda x, dim, index, value: replaced(x, value, along(index, dim)),
    lambda g, dim, index: cleared(g, along(index, dim)),
    keep=("index",),
    sample=lambda rng: (_sample_scatter(rng)[0][:1], (1, np.array([[0], [3]]), 2.0)),
    label="scatter",
    doc="x, with a number at the places of index",
)
scatter_add_row = general(
    "scatter_add",
    lambda x, src, dim, index: added(x, src, along(index, dim)),
    lambda g: g,
    lambda g, dim, index: gather_row(g, dim, index),
    keep=("index",),
    sample=_sample_scatter,
    doc="x, with src added along dim at the places of index",
)


def _prepared(x: Any, dim: int, index: Any, src: Any, what: str) -> tuple[int, np.ndarray, Any]:
    """The dimension, the index and the part of ``src`` that it covers, checked."""
    places = index_array(index, what)
    dim = _check_along(x, dim, places, "self")
    shape, source = sizes(x), sizes(src)
    same_dtype(x, src, f"{what}: Expected self.dtype to be equal to src.dtype")
    fits = all(d == dim or n <= shape[d] for d, n in enumerate(places.shape)) if shape else True
    covered = len(source) == places.ndim and all(n <= m for n, m in zip(places.shape, source, strict=True))
    if not places.size:
        return dim, places, src
    if not fits or not covered:
        raise ShapeError(
            f"Expected index {list(places.shape)} to be no larger than self {list(shape)} apart from dimension {dim} "
            "and to be no "
            f"larger size than src {list(source)}",
            "",
            "Give src the shape of the index.",
        )
    if source != places.shape:
        src = getitem(src, tuple(slice(n) for n in places.shape))
    return dim, places, src


@public(inplace=True)
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
        places = index_array(index, "scatter()")
        dim = _check_along(input, dim, places, "self")
        return scatter_value_row(input, dim, places, src)
    dim, places, src = _prepared(input, dim, index, src, "scatter()")
    if not places.size:
        return input.clone()
    return put_last(scatter_row, input, src, along(places, dim), dim, places)


def _scatter_combined(x: Any, dim: int, index: Any, src: Any, reduce: str) -> Any:
    if isinstance(src, (int, float, complex)):
        src = np.full(np.shape(data(index)), src, x.dtype)
    return scatter_add(x, dim, index, src) if reduce == "add" else scatter_reduce(x, dim, index, src, "prod")


@public(inplace=True)
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
    dim, places, src = _prepared(input, dim, index, src, "scatter_add()")
    return scatter_add_row(input, src, dim, places) if places.size else input.clone()


# ------------------------------------------------------------------------------------------ scatter_reduce


def _scatter_sum(
    x: np.ndarray, src: np.ndarray, dim: int, index: np.ndarray, mean: bool, include_self: bool
) -> np.ndarray:
    places = along(index, dim)
    out = added(x if include_self else replaced(x, 0, places), src, places)
    if not mean:
        return out
    count = _count(x.shape, dim, index, include_self)
    return out // count if out.dtype.kind in "iu" else out / count.astype(out.dtype)


def _count(shape: tuple[int, ...], dim: int, index: np.ndarray, include_self: bool) -> np.ndarray:
    """How many elements meet at each place."""
    own = np.ones(shape, np.int64)
    if not include_self:
        own[along(index, dim)] = 0
    np.add.at(own, along(index, dim), 1)
    return np.maximum(own, 1)


def _weighed(g: Any, shape: tuple[int, ...], dim: int, index: np.ndarray, mean: bool, include_self: bool) -> Any:
    return g / _count(shape, dim, index, include_self).astype(g.dtype) if mean else g


def _own_share(g: Any, shape: tuple[int, ...], dim: int, index: np.ndarray, mean: bool, include_self: bool) -> Any:
    g = _weighed(g, shape, dim, index, mean, include_self)
    return g if include_self else cleared(g, along(index, dim))


def _sample_reduce(*params: Any) -> Any:
    def sample(rng: np.random.Generator) -> Any:
        operands, places = _sample_scatter(rng)
        return operands, (*places, *params)

    return sample


scatter_sum_row = general(
    "scatter_sum",
    _scatter_sum,
    _own_share,
    lambda g, shape_x, dim, index, mean, include_self: gather_row(
        _weighed(g, shape_x, dim, index, mean, include_self), dim, index
    ),
    keep=("index",),
    sample=_sample_reduce(True, True),
    doc="x, with the sum (or mean) of the elements of src that index sends to each place",
)


def _scatter_extreme(
    x: np.ndarray, src: np.ndarray, dim: int, index: np.ndarray, largest: bool, include_self: bool
) -> np.ndarray:
    out = np.array(x, order="C")
    if not include_self:
        out[along(index, dim)] = src  # any value that takes part
    (np.maximum if largest else np.minimum).at(out, along(index, dim), src)
    return out


def _shares(x: Any, src: Any, dim: int, index: np.ndarray, largest: bool, include_self: bool) -> tuple[Any, Any]:
    """What each of x and of src has of the gradient: the result is computed again, since equal is equal to the bit."""
    places = along(index, dim)
    y = _scatter_extreme(x, src, dim, index, largest, include_self)
    own, sent = x == y, src == y[places]
    if not include_self:
        own[places] = False
    ties = own.astype(x.dtype)
    np.add.at(ties, places, sent.astype(x.dtype))
    share = 1 / np.maximum(ties, 1)
    return own * share, sent * share[places]


def _sample_shares(rng: np.random.Generator) -> Any:
    return [np.ones(2), np.array([1.0, 3.0, 3.0])], (0, np.array([0, 1, 1]), True, True)


scatter_share = constant(
    "scatter_share", lambda x, src, dim, index, largest, whole: _shares(x, src, dim, index, largest, whole)[0], 2,
    sample=_sample_shares,
    doc="what each element of x has of the largest (or smallest) that it meets in scatter_reduce: shared among ties",
)  # fmt: skip
scatter_share_src = constant(
    "scatter_share_src", lambda x, src, dim, index, largest, whole: _shares(x, src, dim, index, largest, whole)[1], 2,
    sample=_sample_shares,
    doc="what each element of src has of the largest (or smallest) that it meets in scatter_reduce: shared among ties",
)  # fmt: skip


def _shared(g: Any, share: Any) -> Any:
    return np.where(share != 0, g * share, 0)


scatter_extreme_row = general(
    "scatter_extreme",
    _scatter_extreme,
    lambda g, x, src, dim, index, largest, include_self: _shared(
        g, scatter_share(x, src, dim, index, largest, include_self)
    ),
    lambda g, x, src, dim, index, largest, include_self: _shared(
        gather_row(g, dim, index), scatter_share_src(x, src, dim, index, largest, include_self)
    ),
    keep=("index",),
    kink="shared among ties",
    sample=_sample_reduce(True, True),
    pieces=True,
    doc="x, with the largest (or smallest) of the elements of src that index sends to each place",
)


def _scatter_prod(x: Any, src: Any, dim: int, index: np.ndarray, include_self: bool) -> Any:
    """Multiply by the elements of ``src`` in turns, no two of one place in one turn: exact with zeros too."""
    touched = np.zeros(sizes(x), bool)
    touched[along(index, dim)] = True
    result = x if include_self else np.where(touched, 1, x)
    turn = _turns(index, dim)
    for k in range(int(turn.max()) + 1):
        mine = turn == k
        places = tuple(np.broadcast_to(i, index.shape)[mine] for i in along(index, dim))
        filled = np.zeros(touched.shape, bool)
        filled[places] = True
        result = result * np.where(filled, scattered(getitem_arrays(src, (mine,)), touched.shape, places), 1)
    return result


def _turns(index: np.ndarray, dim: int) -> np.ndarray:
    """For each element of an index, how many before it (along the dimension) name the same place."""
    rows = np.moveaxis(index, dim, 0)
    out = np.zeros_like(rows)
    for k in range(1, rows.shape[0]):
        out[k] = (rows[:k] == rows[k]).sum(0)
    return np.moveaxis(out, 0, dim)


@public(inplace=True)
def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    """Combine ``input`` with the elements of ``src`` that ``index`` sends along ``dim`` to each place.

    ``reduce`` is 'sum', 'prod', 'mean', 'amax' or 'amin' (shared among ties); with ``include_self=False`` the old
    value of a place that something is sent to does not count.
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise ShapeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}", "", "")
    dim, places, src = _prepared(input, dim, index, src, "scatter()")
    if not places.size:
        return input.clone()
    if reduce in ("sum", "mean"):
        return scatter_sum_row(input, src, dim, places, reduce == "mean", include_self)
    if reduce == "prod":
        return _scatter_prod(input, src, dim, places, include_self)
    return scatter_extreme_row(input, src, dim, places, reduce == "amax", include_self)
