"""Slices combined along a dimension by a vector of places: `scatter_reduce` of whole slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from .._dims import axis_of, index_array, sizes
from .._public import public
from ._scatter import scatter_reduce


@public(inplace=True)
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
    places = index_array(index, "index_reduce()").reshape(-1)
    expected = tuple(places.size if d == k else n for d, n in enumerate(sizes(input)))
    if shape != expected:
        raise ShapeError(
            f"index_reduce_(): Number of indices should be equal to source.size(dim): source.size({k})",
            f"The source has shape {shape}; for {places.size} indices it is {expected}.", "Check the sizes.",
        )  # fmt: skip
    spread = np.broadcast_to(places.reshape([-1 if d == k else 1 for d in range(len(shape))]), shape)
    return scatter_reduce(input, dim, spread, source, reduce, include_self=include_self)
