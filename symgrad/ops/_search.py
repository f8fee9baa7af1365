"""Looking up and counting: searchsorted, unique, bincount, histc. None of it has a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._errors import DTypeError, ShapeError
from ..core import NUMPY, Tensor, constant, wrap
from ..core._views import _short
from ._dims import data, known
from ._public import dims, public
from ._reduce import axis_of

search_rows = constant(
    "searchsorted", lambda edges, x, side: _search(edges, x, side), 2,
    sample=lambda rng: ((np.sort(rng.normal(size=5)), rng.normal(size=3)), ("left",)),
    doc="where each element of x belongs among sorted edges",
)  # fmt: skip


def _search(edges: Any, x: Any, side: Any) -> Any:
    edges, x = np.asarray(edges), np.asarray(x)
    if edges.ndim <= 1:
        return np.searchsorted(edges, x, side=side)
    lines = edges.reshape(-1, edges.shape[-1])
    found = [np.searchsorted(line, values, side=side) for line, values in zip(lines, x.reshape(len(lines), -1))]
    return np.array(found, np.int64).reshape(x.shape)


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
    edges = known(sorted_sequence, "searchsorted")
    if sorter is not None:
        edges = np.take_along_axis(edges, data(sorter), -1)
    values = known(input, "searchsorted")
    if np.ndim(edges) > 1 and np.shape(edges)[:-1] != np.shape(values)[:-1]:
        raise ShapeError(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
            f"tensor must match, but we got boundaries tensor {list(np.shape(edges))} and input value tensor "
            f"{list(np.shape(values))}", "", "Give each row of values its row of boundaries.",
        )  # fmt: skip
    carrier = wrap(np.asarray(values)) if isinstance(input, Tensor) or isinstance(sorted_sequence, Tensor) else values
    found = search_rows(edges, carrier, "right" if right or side == "right" else "left")
    return found.to(np.int32) if out_int32 else found


@public(method=False)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return the number of the bucket, between sorted ``boundaries``, of each element."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def _results(parts: list[Any]) -> Any:
    wrapped = tuple(wrap(np.asarray(p)) for p in parts)
    return wrapped if len(wrapped) > 1 else wrapped[0]


@public()
@dims
def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the different elements in order (or slices along ``dim``).

    If asked, also where among them each element is, and how many there were of each.
    """
    x = known(input, "which elements differ")
    axis = None if dim is None else axis_of(dim, x.ndim)
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=axis, equal_nan=False)
    inverse = inverse.reshape(x.shape if axis is None else -1)
    return _results([values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])])


@public()
@dims
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements (or slices along ``dim``) without repetitions in a row."""
    x = known(input, "which elements differ")
    axis = None if dim is None else axis_of(dim, x.ndim)
    lines = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0).reshape(x.shape[axis], -1)
    new = np.ones(len(lines), bool)
    new[1:] = (lines[1:] != lines[:-1]).any(1)
    starts = np.flatnonzero(new)
    values = x.reshape(-1)[starts] if axis is None else np.take(x, starts, axis)
    inverse = np.cumsum(new) - 1
    inverse = inverse.reshape(x.shape) if axis is None else inverse
    counts = np.diff(np.append(starts, len(lines)))
    return _results([values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])])


@public()
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return how often each non-negative integer occurs, or the sums of its ``weights``."""
    x = known(input, "counting")
    if x.dtype.kind not in "iu":
        raise DTypeError(f"\"bincount_cpu\" not implemented for '{_short(x.dtype)}'", "", "Cast it with .long().")
    if x.ndim != 1 or (x.size and x.min() < 0):
        raise ShapeError("bincount only supports 1-d non-negative integral inputs.", f"The input's shape is {x.shape}.")
    counts = np.bincount(x, None if weights is None else data(weights), minlength)
    if weights is not None and data(weights).dtype == np.float32:
        counts = counts.astype(np.float32)
    return wrap(counts)


@public()
def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Return how many elements fall in each of ``bins`` equal bins from ``min`` to ``max``.

    With ``min`` equal to ``max`` the bins span the input's own range.
    """
    x = known(input, "counting")
    if x.dtype.kind != "f":
        raise DTypeError(f"\"histogram_cpu\" not implemented for '{_short(x.dtype)}'", "", "Cast it first: x.double().")
    low, high = (x.min(), x.max()) if min == max and x.size else (min, max)
    if low == high:
        low, high = low - 1, high + 1
    return wrap(np.histogram(x, bins, (low, high))[0].astype(x.dtype))


NUMPY.update({
    np.searchsorted: lambda a, v, side="left", sorter=None: searchsorted(a, v, side=side, sorter=sorter),
    np.digitize: lambda x, bins, right=False: bucketize(x, bins, right=not right),
    np.bincount: lambda x, weights=None, minlength=0: bincount(x, weights, minlength),
    np.unique: lambda ar, return_index=False, return_inverse=False, return_counts=False, axis=None, **options: unique(
        ar, return_inverse=return_inverse, return_counts=return_counts, dim=axis
    ),
})  # fmt: skip
