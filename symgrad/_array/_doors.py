"""Where a function of arrays begins and ends: tensors go in as arrays, and what it returns comes out as tensors.

The idea to hold: what a function means is decided here, once. Given arrays it is a NumPy program; given tensors it is
one of PyTorch's, and nothing of this package is seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Tensor, modes
from ._ndarray import ARRAYS, around
from ._pieces import has_made, has_pieces, is_number, numbers_of, tensor_of


def entering(value: Any) -> Any:
    """An argument as a function of arrays gets it."""
    return around(value) if isinstance(value, Tensor) else value


def leaving(value: Any) -> Any:
    """A result of a function as a transform takes it."""
    if type(value) in ARRAYS:
        return value._t
    if type(value) is np.ndarray and value.dtype.kind == "O":
        if has_pieces(value):
            return tensor_of(value)
        return numbers_of(value) if has_made() and value.size and all(map(is_number, value.flat)) else value
    return value


def among_arrays() -> bool:
    """Whether a function of arrays is running that a transform runs."""
    running = modes.running.get()
    return running is not None and running[0]


def as_here(t: Any) -> Any:
    """A tensor with a history as the code that asked for it expects it: an array in a function of arrays."""
    return around(t) if isinstance(t, Tensor) and among_arrays() else t


__all__ = ["among_arrays", "as_here", "entering", "leaving"]
