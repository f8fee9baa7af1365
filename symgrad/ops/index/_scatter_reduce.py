"""Elements, or whole slices, combined with those at the places they are sent to: scatter_reduce and index_reduce."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import constant, general
from .._dims import axis_of, found_in, index_operand, known, sizes
from .._public import public
from ..reduce._reduce import expand
from ._along import added, along, along_of, clear_along, gather_row, of_numbers_too, prepared, sample_scatter
from ._places import index_put_row, replaced


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
    sample=lambda rng: ([np.array([[0, 2, 0], [1, 1, 0]])], (1, (2, 3), True)),
    doc="how many elements meet at each place, in scatter_reduce",
)


def _weighed(g: Any, shape: tuple[int, ...], index: Any, dim: int, mean: bool, include_self: bool) -> Any:
    return g / meetings(index, dim, shape, include_self).astype(g.dtype) if mean else g


def _own_share(g: Any, shape: tuple[int, ...], index: Any, dim: int, mean: bool, include_self: bool) -> Any:
    g = _weighed(g, shape, index, dim, mean, include_self)
    return g if include_self else clear_along(g, index, dim)


scatter_sum_row = general(
    "scatter_sum",
    _scatter_sum,
    lambda g, shape_x, index, dim, mean, include_self: _own_share(g, shape_x, index, dim, mean, include_self),
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
    "sample": lambda rng: ([np.ones(2), np.array([1.0, 3.0, 3.0]), np.array([0, 1, 1])], (0, True, True)),
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
    places = known(index, "which elements an index picks")
    where = np.broadcast_arrays(*along_of(x, places, dim))
    flat = np.ravel_multi_index(tuple(where), sizes(x)) if sizes(x) else places
    line, values = x.reshape((-1,)), src.reshape((-1,))
    turn = _turns(places, dim).reshape(-1)
    result = line
    if not include_self:
        touched = np.isin(np.arange(math.prod(sizes(x))), flat)
        result = np.where(found_in(touched, index), 1, line)
    for k in range(int(turn.max()) + 1):
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
        raise ShapeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}", "", "")
    dim, places, src = prepared(input, dim, index, src, "scatter()")
    if 0 in sizes(places):
        return input.clone()
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
    shape, k = sizes(source), axis_of(dim, len(sizes(input)))
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
