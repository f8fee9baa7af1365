"""Norms that are bounded, and distances between the rows of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ShapeError
from .._dims import axis_of, sizes
from .._public import public
from ..entries import _elementwise as e
from ..entries._arithmetic import greater
from ..index._places import getitem_arrays
from ..reduce._norm import vector_norm


@public(inplace=True)
def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Return ``input`` with every slice along ``dim`` whose p-norm is above ``maxnorm`` scaled down to it.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.renorm(sg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    n = len(sizes(input))
    if n < 2:
        raise ShapeError(
            f"renorm: input needs at least 2 dimensions, got {n} dimensions", f"Its shape is {sizes(input)}.",
            "A vector is one slice: unsqueeze it.",
        )  # fmt: skip
    if p <= 0 or maxnorm < 0:
        words = "non-positive-norm not supported" if p <= 0 else "renorm: expected maxnorm to be >= 0"
        raise ShapeError(words, f"p is {p}, maxnorm {maxnorm}.", "")
    k = axis_of(dim, n)
    size = vector_norm(input, p, tuple(d for d in range(n) if d != k), True)
    above = greater(size, maxnorm)
    return e.where(above, input * (maxnorm / (e.where(above, size, 1.0) + 1e-7)), input)


@public(method=False)
def pdist(input: Any, p: float = 2.0) -> Any:
    """Return the distances of the rows of a matrix from those that follow, as one vector."""
    if len(sizes(input)) != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {len(sizes(input))}D", "", "cdist takes batches.")
    first, second = np.triu_indices(sizes(input)[0], 1)
    return vector_norm(getitem_arrays(input, (first,)) - getitem_arrays(input, (second,)), p, -1)
