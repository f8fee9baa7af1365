"""Looking up and counting: searchsorted, unique, bincount, histc. Only the weights of bincount have a gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._errors import NotDifferentiableError, ShapeError
from ...core import NUMPY, Symbol, Tensor, constant, wrap
from .._dims import axis_of, data, found_in, known, no_kernel
from .._numpy_arguments import tensor_like
from .._public import dims, public
from ..entries._copy import cast
from ._places import scattered


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
    carrier = found_in(np.asarray(values), input, sorted_sequence)
    found = search_rows(edges, carrier, "right" if right or side == "right" else "left")
    return found.to(np.int32) if out_int32 else found


@public(method=False)
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return the number of the bucket, between sorted ``boundaries``, of each element."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def _constant(array: Any, source: Any) -> Tensor:
    """What was found by looking at values, as a tensor."""
    found: Tensor = found_in(np.asarray(array), source if isinstance(source, Tensor) else wrap(np.asarray(source)))
    return found


def _results(parts: list[Any], source: Any) -> Any:
    wrapped = tuple(_constant(p, source) for p in parts)
    return wrapped if len(wrapped) > 1 else wrapped[0]


def values_of(x: Any, name: str) -> np.ndarray:
    """The values among which equal ones are looked for: they must be numbers without a history."""
    if isinstance(x, Tensor) and x._node is not None and type(x) is not Symbol and x._data.dtype.kind in "fc":
        raise NotDifferentiableError(
            f"{name} on a tensor that requires grad has no derivative rule",
            "Which elements are equal depends on their values, and so does the number of results.",
            f"np.sort(x) has the sorted values with derivatives; {name}(x.detach()) has values, places and counts as "
            "constants.",
        )
    return known(x, "which elements differ")


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
    return _results([values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])], input)


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
    return _results([values, *([inverse] if return_inverse else []), *([counts] if return_counts else [])], input)


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
    x = known(input, "counting")
    if x.dtype.kind not in "iu":
        raise no_kernel("bincount", x.dtype, "", "Cast it with .long().")
    if x.ndim != 1 or (x.size and x.min() < 0):
        raise ShapeError("bincount only supports 1-d non-negative integral inputs.", f"The input's shape is {x.shape}.")
    if weights is None:
        return _constant(np.bincount(x, None, minlength), input)
    weights = weights if isinstance(weights, Tensor) else wrap(np.asarray(weights))
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
    x = known(input, "counting")
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
    edges = np.asarray(known(bins, "digitize"))
    up, down = (edges[1:] >= edges[:-1]).all(), (edges[1:] <= edges[:-1]).all()
    if not (up or down):
        raise ValueError("bins must be monotonically increasing or decreasing")
    return bucketize(x, edges, right=not right) if up else len(edges) - bucketize(x, edges[::-1], right=not right)


NUMPY[np.digitize] = _numpy_digitize
