"""Elements among others, choices and places: isin, combinations, unravel_index, nonzero_static."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ..._errors import ShapeError
from ...core import NUMPY, Tensor
from .._dims import found_in, known, sizes
from .._public import public
from ..create._create import make
from ..index._places import getitem_arrays


@public(method=False, numpy=(np.isin,))
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return for each element whether it is among ``test_elements`` (with ``invert``: whether it is not)."""
    a, b = (known(x, "which elements are among others") for x in (elements, test_elements))
    return found_in(make(np.isin(a, b, assume_unique=assume_unique, invert=invert)), elements, test_elements)


@public()
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Return all choices of ``r`` elements of a vector, one to a row, in the order of their places.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.combinations(sg.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 2.],
            [1., 3.],
            [2., 3.]])
    """
    if len(sizes(input)) != 1 or r < 0:
        raise ShapeError(
            f"Expect a 1D vector, but got shape {list(sizes(input))}" if r >= 0
            else f"Expect a non-negative number, but got {r}", "", "Choose elements of a vector.",
        )  # fmt: skip
    if r == 0:
        return input[:0]
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(sizes(input)[0]), r)), np.int64).reshape(-1, r)
    return getitem_arrays(input, (places,))


@public(method=False)
def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """Return the places in a tensor of a shape, one tensor per dimension, of ``indices`` that count in C order."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    index = known(indices, "places").astype(np.int64)
    size = math.prod(shape)
    if index.size and (index.min() < -size or index.max() >= size):
        raise ShapeError(f"index is out of bounds for shape {list(shape)}", f"There are {size} elements.", "Check it.")
    return tuple(found_in(make(np.asarray(k)), indices) for k in np.unravel_index(index % max(size, 1), shape))


@public()
def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """Return the places of what is not zero, one to a row, in a result of ``size`` rows: cut, or filled at its end."""
    if size < 0:
        raise ShapeError(f"nonzero_static: 'size' must be an non-negative integer, it is {size}", "", "")
    found = np.argwhere(known(input, "which elements are zero"))[:size]
    whole = np.pad(found, ((0, size - len(found)), (0, 0)), constant_values=fill_value).astype(np.int64)
    return found_in(make(whole), input)


NUMPY[np.unravel_index] = lambda indices, shape, order="C": unravel_index(indices, shape)
